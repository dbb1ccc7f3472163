/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamics/passage.h"

#include "core/constants.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/gaps.h"
#include "dynamics/stages.h"
#include "dynamics/tolerances.h"
#include "model/axes.h"

/* How a body gets on: from its pose at s = 0, evenly but for the bend. */
typedef struct path {
    const ss_pose *from;
    ss_vec3        shift, turn, bend; /* x(s) = x + s shift + s^2 bend */
    double unsure; /* s^2 of this it may be nearer than that: what holds or turns it is not asked */
} path;

static path path_of(const ss_model *m, const ss_pose *from, const ss_pose *to)
{
    path p = {.from = from, .shift = ss_sub(to->p, from->p)};
    if (m->dimension == 2) {
        p.turn = ss_v3(0, 0, to->angle - from->angle);
    } else {
        ss_quat back = {from->q.w, -from->q.x, -from->q.y, -from->q.z};
        p.turn       = ss_quat_to_rotation(ss_quat_mul(to->q, back));
    }
    return p;
}

static ss_frame geom_frame(const ss_model *m, int32_t geom, const path *p, double s)
{
    ss_vec3 x     = ss_axpy(ss_axpy(p->from->p, s, p->shift), s * s, p->bend);
    ss_pose at    = {.p = x, .angle = p->from->angle + s * p->turn.z};
    at.q          = m->dimension == 2 ? p->from->q
                                      : ss_quat_mul(ss_quat_from_rotation(ss_scale(s, p->turn)), p->from->q);
    ss_frame body = ss_pose_frame(m, &at);
    return m->geoms[geom].centred ? body : ss_frame_mul(&body, &m->geoms[geom].local);
}

static double farthest(const ss_geom *g)
{
    return ss_norm(g->local.p) + g->radius;
}

/* What turning adds to the speed of approach along n; what does not turn may be infinite. */
static double swing(const ss_geom *g, const path *p, ss_vec3 n)
{
    double turn = ss_norm(ss_cross(p->turn, n));
    return turn > 0 ? turn * farthest(g) : 0;
}

/* How fast (per whole way) two shapes can approach each other along n, from s on. */
static double closing(const ss_geom *a, const path *pa, const ss_geom *b, const path *pb, ss_vec3 n,
                      double s)
{
    double even = ss_dot(n, ss_sub(pa->shift, pb->shift));
    double bend = 2 * ss_dot(n, ss_sub(pa->bend, pb->bend));
    double more = 2 * (pa->unsure + pb->unsure);
    return even + fmax(s * bend, bend) + more + swing(a, pa, n) + swing(b, pb, n);
}

/* Two geoms on their ways. */
typedef struct meeting {
    const ss_model *m;
    int32_t         a, b;
    const path     *pa, *pb;
} meeting;

/* How fast they can approach along whatever direction. */
static double fastest(const meeting *w)
{
    const ss_geom *ga = &w->m->geoms[w->a], *gb = &w->m->geoms[w->b];
    double         even = ss_norm(ss_sub(w->pa->shift, w->pb->shift));
    double         bend = 2 * ss_norm(ss_sub(w->pa->bend, w->pb->bend));
    double         a = ss_norm(w->pa->turn), b = ss_norm(w->pb->turn);
    double         more = 2 * (w->pa->unsure + w->pb->unsure);
    return even + bend + more + (a > 0 ? a * farthest(ga) : 0) + (b > 0 ? b * farthest(gb) : 0);
}

/* The gap at s; above `enough` a lower bound of it, n being the direction that goes with it. */
static double gap_at(const meeting *w, double s, double enough, ss_vec3 *n)
{
    ss_frame fa = geom_frame(w->m, w->a, w->pa, s), fb = geom_frame(w->m, w->b, w->pb, s);
    return ss_gap_between(w->m, w->a, &fa, w->b, &fb, enough, n) -
           s * s * (w->pa->unsure + w->pb->unsure);
}

typedef struct advance {
    double least; /* a gap of this is what is looked for                      */
    double close; /* nearer to it than this is there                           */
    bool   ends;  /* there it goes on to where the gap is none                 */
    int    most;  /* advancements                                              */
    double time;  /* when it was reached; 1: not on the way                    */
} advance;

/* Where the gap is none, by its last two values. */
static double secant(double s, double gap, double last_s, double last_gap)
{
    double slope = (gap - last_gap) / (s - last_s);
    return slope < 0 ? fmin(s - gap / slope, 1) : s;
}

/* True: so it is; false: nothing happens before x->time, and that is all that is known. */
static bool go(const meeting *w, advance *x)
{
    double s = 0, last_s = 0, last_gap = 0, fast = fastest(w);
    for (int i = 0; i < x->most; i++) {
        ss_vec3 n;
        double  gap  = gap_at(w, s, x->least + (1 - s) * fast, &n);
        double  rate = closing(&w->m->geoms[w->a], w->pa, &w->m->geoms[w->b], w->pb, n, s);
        x->time      = s;
        if (gap <= x->least + x->close) {
            x->time = x->ends && s > 0 ? secant(s, gap, last_s, last_gap) : s;
            return true;
        }
        if (gap - x->least >= (1 - s) * rate) {
            x->time = 1;
            return true;
        }
        last_s   = s;
        last_gap = gap;
        s += (gap - x->least) / rate;
    }
    return false;
}

/* How far any point of a body may have got in the step. */
static double longest_way(const ss_model *m, const ss_data *d, int32_t body, double h)
{
    const ss_body *b = &m->bodies[body];
    if (b->type != SS_BODY_KINEMATIC) {
        return h * d->speed[body]; /* the bound that pairs were found with */
    }
    return h * (ss_norm(d->twist_next[body].v) +
                ss_turned_way(ss_norm(d->twist_next[body].w), b->extent));
}

/* .. and how much nearer two bodies may have come, where both stand as when it began. */
static double both_ways(const ss_model *m, const ss_data *d, const ss_pair *pair, double h)
{
    return longest_way(m, d, m->geoms[pair->a].body, h) +
           longest_way(m, d, m->geoms[pair->b].body, h);
}

/* The path in the step; turns of more than half a circle are known from the angular velocity. */
static path step_path(const ss_model *m, const ss_data *d, int32_t body, double h)
{
    path    p    = path_of(m, &d->state.pose[body], &d->pose_next[body]);
    ss_vec3 turn = ss_scale(h, d->twist_next[body].w);
    p.turn       = ss_norm(turn) > SS_PI && m->bodies[body].type != SS_BODY_STATIC ? turn : p.turn;
    return p;
}

double ss_pair_thinness(const ss_model *m, const ss_pair *pair)
{
    const ss_geom *a = &m->geoms[pair->a], *b = &m->geoms[pair->b];
    if (isinf(a->radius) || isinf(b->radius)) {
        return INFINITY;
    }
    return a->thin > 0 && b->thin > 0 ? fmin(a->thin, b->thin) : fmax(a->thin, b->thin);
}

bool ss_way_may_pass(const ss_model *m, const ss_pair *pair, double way)
{
    return way > 2 * SS_PASSAGE_DEPTH * ss_pair_thinness(m, pair);
}

ss_passage ss_find_passage(const ss_model *m, const ss_data *d, double h, ss_allowed_depth allowed)
{
    ss_passage first = {-1, -1, 1, 0};
    for (int32_t i = 0; i < d->pair_count; i++) {
        const ss_pair *pair = &d->pairs[i];
        int32_t        a = m->geoms[pair->a].body, b = m->geoms[pair->b].body;
        double         thin = ss_pair_thinness(m, pair), depth = SS_PASSAGE_DEPTH * thin;
        if (!ss_way_may_pass(m, pair, both_ways(m, d, pair, h))) {
            continue;
        }
        path    pa = step_path(m, d, a, h), pb = step_path(m, d, b, h);
        meeting w = {m, pair->a, pair->b, &pa, &pb};
        advance x = {.least = -depth - allowed(m, d, pair, h),
                     .close = SS_PASSAGE_NEAR * thin,
                     .most  = SS_PASSAGE_MOST_ADVANCES};
        go(&w, &x);
        if (x.time > 0 && x.time < first.time) { /* at 0 they were that deep before the step */
            first = (ss_passage){pair->a, pair->b, x.time, -x.least};
        }
    }
    return first;
}

/* ---- touches ------------------------------------------------------------------------------- */

double ss_event_touch(const ss_model *m, const ss_pair *pair)
{
    double a = m->shapes[m->geoms[pair->a].body].size, b = m->shapes[m->geoms[pair->b].body].size;
    double size = a > 0 && b > 0 ? fmin(a, b) : fmax(a, b);
    return SS_EVENT_TOUCH * (size > 0 && isfinite(size) ? size : m->length);
}

double ss_touch(const ss_model *m, int32_t geom_a, int32_t geom_b)
{
    ss_pair pair = {geom_a, geom_b};
    return ss_max(ss_event_touch(m, &pair), SS_OVERLAP_ROUNDING * m->length);
}

static double sum_of_sizes(ss_vec3 x)
{
    return fabs(x.x) + fabs(x.y) + fabs(x.z);
}

double ss_certain_gap(const ss_model *m, const ss_data *d, const ss_contact *c)
{
    double size = sum_of_sizes(c->point_a) + sum_of_sizes(c->point_b) +
                  sum_of_sizes(d->frame[m->geoms[c->geom_a].body].p) +
                  sum_of_sizes(d->frame[m->geoms[c->geom_b].body].p);
    return fabs(c->gap) > SS_ROUNDING_FEW * DBL_EPSILON * size ? c->gap : 0;
}

/* Between s, where they are apart, and end, where they are not: a gap of `least`, to `close`. */
static double crossing(const meeting *w, double s, double end, double gap, double gap_end,
                       double least, double close)
{
    double f = gap - least, g = gap_end - least;
    int    kept = 0;
    for (int i = 0; i < SS_TOUCH_MOST_STEPS && f > close; i++) { /* false position, Illinois */
        double at = s + (end - s) * f / (f - g), x = gap_at(w, at, INFINITY, NULL) - least;
        if (fabs(x) <= close) {
            return at;
        }
        if (x > 0) {
            s    = at;
            f    = x;
            g    = kept > 0 ? 0.5 * g : g;
            kept = 1;
        } else {
            end  = at;
            g    = x;
            f    = kept < 0 ? 0.5 * f : f;
            kept = -1;
        }
    }
    return s;
}

/* Where the parabola through three gaps, at distances of `part`, is lowest between the last two; 1:
   at one of them. */
static double lowest(const double gap[3], double part)
{
    double slope = 0.5 * (gap[2] - gap[0]), bend = gap[2] - 2 * gap[1] + gap[0];
    double at = bend > 0 ? -slope / bend : 1;
    return at > 0 && at < 1 ? at * part : part;
}

/*
 * Surfaces that pass each other closely (bodies that rub, or roll, a little apart) would take c/g
 * advancements, up to millions: what turning may bring nearer is as much for them as for others.
 * Their gap is a smooth function of time but for corners that take turns, so it is asked at equal
 * times, and where the parabola through three of them is lowest. What that misses dips below a
 * touch for less than a part, and is seen by the certificate of gaps.
 */
static double look(const meeting *w, double s, double least, double close)
{
    double part = (1 - s) / SS_TOUCH_LOOKS, first = gap_at(w, s, INFINITY, NULL);
    double gap[3] = {first, first, first};
    for (int i = 1; i <= SS_TOUCH_LOOKS; i++, s += part) {
        gap[0]     = gap[1];
        gap[1]     = gap[2];
        gap[2]     = gap_at(w, s + part, INFINITY, NULL);
        double way = i > 1 ? lowest(gap, part) : part;
        double low = way < part ? gap_at(w, s + way, INFINITY, NULL) : gap[2];
        if (low > least + close && gap[2] <= least + close) {
            way = part;
            low = gap[2];
        }
        if (low <= least + close) {
            return crossing(w, s, s + way, gap[1], low, least, close);
        }
    }
    return 1;
}

/* When two geoms that are apart touch; 1: not on their ways. */
static double first_touch(const meeting *w, double least, double close)
{
    advance x     = {.least = least, .close = close, .ends = true, .most = SS_TOUCH_MOST_ADVANCES};
    bool    known = go(w, &x);
    return known ? x.time : look(w, x.time, least, close);
}

/* A driven body goes along a parabola, and turns evenly. */
static path driven_path(const ss_model *m, ss_data *d, int32_t body, double h)
{
    path     p = step_path(m, d, body, h);
    ss_twist from, to;
    if (ss_driven_twists(m, d, body, h, &from, &to) == SS_OK) {
        p.shift = ss_scale(h, from.v);
        p.bend  = ss_scale(0.5 * h, ss_sub(to.v, from.v));
    }
    return p;
}

/* How fast the angular velocity of a body changes, by torques and by the turn of its inertia. */
static double turn_changes(const ss_model *m, const ss_data *d, int32_t body)
{
    const ss_body *b = &m->bodies[body];
    if (b->dof < m->dof) {
        return 0;
    }
    if (m->dimension == 2) {
        return fabs(b->inv_inertia.m[8] * d->applied[body].torque.z);
    }
    const ss_mat3 *R = &d->frame[body].R;
    ss_vec3        w = ss_tmul(R, d->state.twist[body].w), T = ss_tmul(R, d->applied[body].torque);
    ss_vec3        L = ss_mul(&b->inertia, w);
    return ss_norm(ss_mul(&b->inv_inertia, ss_sub(T, ss_cross(w, L))));
}

/* Where a body goes if nothing new touches it. */
static path free_path(const ss_model *m, ss_data *d, int32_t body, bool held, double h)
{
    const ss_body *b = &m->bodies[body];
    path           p = {.from = &d->state.pose[body]};
    if (b->type == SS_BODY_KINEMATIC) {
        return driven_path(m, d, body, h);
    }
    if (ss_body_moves(b)) {
        double half  = ss_integrator_of(m)->second ? 0.5 : 1;
        p.shift      = ss_scale(h, d->state.twist[body].v);
        p.turn       = ss_scale(h, d->state.twist[body].w);
        ss_vec3 bend = ss_scale(half * h * h * b->inv_mass, d->applied[body].force);
        p.bend       = held ? ss_v3(0, 0, 0) : bend;
        p.unsure     = held ? ss_norm(bend) : 0;
        p.unsure += half * h * h * ss_turned_way(turn_changes(m, d, body), b->extent);
    }
    return p;
}

double ss_gap_at_start(const ss_model *m, const ss_data *d, const ss_pair *pair, double enough)
{
    const path a  = {.from = &d->state.pose[m->geoms[pair->a].body]};
    const path b  = {.from = &d->state.pose[m->geoms[pair->b].body]};
    ss_frame   fa = geom_frame(m, pair->a, &a, 0), fb = geom_frame(m, pair->b, &b, 0);
    return ss_gap_between(m, pair->a, &fa, pair->b, &fb, enough, NULL);
}

const double *ss_contact_load(const ss_data *d, const ss_contact *c)
{
    uint64_t key = ss_contact_key(c);
    for (int32_t i = 0; i < d->state.warm_count; i++) {
        if (d->state.warm[i].key == key) {
            return d->state.warm[i].impulse;
        }
    }
    return NULL;
}

bool ss_contact_bore(const ss_data *d, const ss_contact *c)
{
    const double *load = ss_contact_load(d, c);
    return load != NULL && load[0] > 0;
}

/*
 * By how much two surfaces that touch may come apart in a step that holds them together by their
 * rates: what its forces do in it, by how much points of a body that turns leave their tangents,
 * (h w)^2 r, and by how much what slides along a curved surface leaves its own, (h v)^2 over the
 * size of the smaller one.
 */
static double opens_at_most(const ss_model *m, const ss_data *d, const ss_pair *pair, double h)
{
    double  sum = 0, size = ss_event_touch(m, pair) / SS_EVENT_TOUCH;
    ss_vec3 v[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int side = 0; side < 2; side++) {
        const ss_geom *g = &m->geoms[side == 0 ? pair->a : pair->b];
        const ss_body *b = &m->bodies[g->body];
        if (b->type == SS_BODY_STATIC) {
            continue;
        }
        const ss_twist *t =
            &(b->type == SS_BODY_KINEMATIC ? d->twist_next : d->state.twist)[g->body];
        double turn = h * ss_norm(t->w);
        v[side]     = t->v;
        sum += turn > 0 ? turn * turn * farthest(g) : 0;
        if (ss_body_moves(b)) {
            sum += h * h * b->inv_mass * ss_norm(d->applied[g->body].force);
        }
    }
    double way = h * ss_norm(ss_sub(v[0], v[1]));
    return sum + way * way / size;
}

/* Did a contact of the pair bear load, and is it no further open than steps leave it? */
static bool lay_on(const ss_model *m, const ss_data *d, const ss_pair *pair, double h)
{
    ss_contact found[SS_PAIR_FOUND];
    int32_t    a = pair->a, b = pair->b;
    const path pa = {.from = &d->state.pose[m->geoms[a].body]};
    const path pb = {.from = &d->state.pose[m->geoms[b].body]};
    ss_frame   fa = geom_frame(m, a, &pa, 0), fb = geom_frame(m, b, &pb, 0);
    double     reach = opens_at_most(m, d, pair, h);
    if (d->state.warm_count == 0 || !(reach > 0) || ss_gap_at_start(m, d, pair, reach) > reach) {
        return false;
    }
    int32_t count = ss_contacts_between(m, a, &fa, b, &fb, reach, found, SS_PAIR_FOUND);
    for (int32_t i = 0; i < count; i++) {
        if (ss_contact_held(m, d, &found[i])) {
            return true;
        }
    }
    return false;
}

/* Of bodies that meet all pieces are: which of them bears the other is chosen with the contacts of
   all, and what strikes one may slide on to the next. */
bool ss_is_watched(const ss_model *m, const ss_data *d, const ss_pair *pair)
{
    int32_t a = m->geoms[pair->a].body, b = m->geoms[pair->b].body;
    for (int32_t i = 0; i < d->cut.event.late_count; i++) {
        const ss_pair *p = &d->cut.event.late[i];
        if ((p->a == a && p->b == b) || (p->a == b && p->b == a)) {
            return true;
        }
    }
    return d->cut.event.late_count == 0 && !d->cut.event.stops;
}

/* Has it a body that a part of the step may end at? How others move is not asked. */
static bool concerns_watched(const ss_model *m, const ss_data *d, const ss_pair *pair)
{
    int32_t a = m->geoms[pair->a].body, b = m->geoms[pair->b].body;
    for (int32_t i = 0; i < d->cut.event.late_count; i++) {
        int32_t la = d->cut.event.late[i].a, lb = d->cut.event.late[i].b;
        if (a == la || a == lb || b == la || b == lb) {
            return true;
        }
    }
    return d->cut.event.late_count == 0 && !d->cut.event.stops;
}

/* Contacts of a pair that touches: the first that strikes, as a part of h. */
static double first_landing(const ss_model *m, ss_data *d, const ss_pair *pair, double h)
{
    ss_contact     found[SS_PAIR_FOUND];
    int32_t        a = pair->a, b = pair->b;
    const path     pa = {.from = &d->state.pose[m->geoms[a].body]};
    const path     pb = {.from = &d->state.pose[m->geoms[b].body]};
    ss_frame       fa = geom_frame(m, a, &pa, 0), fb = geom_frame(m, b, &pb, 0);
    double         reach = both_ways(m, d, pair, h);
    double         touch = ss_event_touch(m, pair), first = 1;
    int32_t        count = ss_contacts_between(m, a, &fa, b, &fb, reach, found, SS_PAIR_FOUND);
    ss_contacts_of of    = {found, count, 0};
    for (int32_t i = 0; i < count; i++) {
        d->cut.event.touching += found[i].gap <= touch;
        first = fmin(first, ss_contact_lands(m, d, &of, i) / h);
    }
    return first;
}

ss_status ss_find_touch(const ss_model *m, ss_data *d, double h, double *part)
{
    size_t mark    = ss_arena_mark(&d->scratch);
    bool  *held    = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *held);
    bool  *touches = ss_arena_alloc(&d->scratch, (size_t)d->pair_count, sizeof *touches);
    path  *paths   = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *paths);
    if (!held || !touches || !paths) {
        return SS_ERR_SCRATCH;
    }
    memset(held, 0, (size_t)m->nb * sizeof *held);
    d->cut.event.touching = 0;
    for (int32_t i = 0; i < d->pair_count; i++) {
        const ss_pair *pair  = &d->pairs[i];
        double         touch = ss_event_touch(m, pair);
        touches[i]           = concerns_watched(m, d, pair) &&
                     (ss_gap_at_start(m, d, pair, touch) <= touch || lay_on(m, d, pair, h));
        d->cut.event.touching += touches[i] && ss_is_watched(m, d, pair);
        held[m->geoms[pair->a].body] |= touches[i];
        held[m->geoms[pair->b].body] |= touches[i];
    }
    for (int32_t i = 0; i < m->nb; i++) {
        paths[i] = free_path(m, d, i, held[i], h);
    }
    *part = 1;
    for (int32_t i = 0; i < d->pair_count; i++) {
        const ss_pair *pair  = &d->pairs[i];
        const path    *a     = &paths[m->geoms[pair->a].body];
        const path    *b     = &paths[m->geoms[pair->b].body];
        double         touch = ss_event_touch(m, pair);
        meeting        w     = {m, pair->a, pair->b, a, b};
        if (!ss_is_watched(m, d, pair)) {
            continue;
        }
        double time =
            touches[i] ? first_landing(m, d, pair, h) : first_touch(&w, 0.5 * touch, 0.1 * touch);
        *part = fmin(*part, time);
    }
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}

/* ---- grazes -------------------------------------------------------------------------------- */

/* The way that a body has gone in the step: as fast as it was when it began, to where it is now;
   straight, where contacts of its island bear loads: they may have stopped it. */
static path way_taken(const ss_model *m, ss_data *d, int32_t body, bool straight, double h)
{
    if (!ss_body_moves(&m->bodies[body])) {
        return free_path(m, d, body, false, h);
    }
    path    p   = step_path(m, d, body, h);
    ss_vec3 all = p.shift;
    p.shift     = straight ? all : ss_scale(h, d->state.twist[body].v);
    p.bend      = ss_sub(all, p.shift);
    return p;
}

static bool is_loaded(const ss_data *d, const ss_island *isl)
{
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        if (b->source == SS_ROWS_CONTACT && d->rows.impulse[b->row] > 0) {
            return true;
        }
    }
    return false;
}

/* The bodies of islands in which a contact bears a load. */
static void note_loaded(const ss_model *m, const ss_data *d, bool *loaded)
{
    memset(loaded, 0, (size_t)m->nb * sizeof *loaded);
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_island *isl = &d->islands[i];
        bool             any = is_loaded(d, isl);
        for (int32_t k = 0; k < isl->body_count; k++) {
            loaded[isl->bodies[k]] = any;
        }
    }
}

static bool is_of(const ss_model *m, int32_t geom_a, int32_t geom_b, int32_t body_a, int32_t body_b)
{
    int32_t a = m->geoms[geom_a].body, b = m->geoms[geom_b].body;
    return (a == body_a && b == body_b) || (a == body_b && b == body_a);
}

/* Does any contact of two bodies bear a load in the round at hand? Of pieces one does, and others
   may end the step touched as well. */
static bool bears(const ss_model *m, const ss_data *d, int32_t body_a, int32_t body_b)
{
    for (int32_t i = 0; i < d->contacts.count; i++) {
        const ss_contact *c = &d->contacts.items[i];
        if (is_of(m, c->geom_a, c->geom_b, body_a, body_b) &&
            d->rows.impulse[d->rows.blocks[i].row] > 0) {
            return true;
        }
    }
    return false;
}

/* Is one of them known to strike within the step, so that its way has a bend somewhere? */
static bool is_timed(const ss_data *d, int32_t body)
{
    return d->midpoint.flight[body].is;
}

/* A pair that may touch unseen. What gives is followed by its deflection. */
static bool may_graze(const ss_model *m, const ss_data *d, const ss_pair *pair)
{
    bool gives   = m->compliant && ss_model_gives(m, pair->a, pair->b) > 0;
    bool watched = d->cut.event.flight && ss_is_watched(m, d, pair);
    return !gives && !watched && !is_timed(d, m->geoms[pair->a].body) &&
           !is_timed(d, m->geoms[pair->b].body);
}

/* How fast two geoms close at s > 0, in a step h. */
static double closing_speed(const meeting *w, double s, double h)
{
    double before = s * (1 - SS_GRAZE_BACK);
    double gap    = gap_at(w, s, INFINITY, NULL);
    return (gap_at(w, before, INFINITY, NULL) - gap) / ((s - before) * h);
}

/* Do two bodies touch when the step begins? Pieces of them end, and others begin, where they
   slide on each other. */
static bool met_before(const ss_model *m, const ss_data *d, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < d->pair_count; i++) {
        const ss_pair *pair  = &d->pairs[i];
        double         touch = ss_touch(m, pair->a, pair->b);
        if (is_of(m, pair->a, pair->b, a, b) && ss_gap_at_start(m, d, pair, touch) <= touch) {
            return true;
        }
    }
    return false;
}

static bool grazes(const ss_model *m, ss_data *d, double h, const bool *loaded, const ss_pair *pair)
{
    int32_t a = m->geoms[pair->a].body, b = m->geoms[pair->b].body;
    path    pa = way_taken(m, d, a, loaded[a], h), pb = way_taken(m, d, b, loaded[b], h);
    meeting w     = {m, pair->a, pair->b, &pa, &pb};
    double  touch = ss_event_touch(m, pair);
    if (gap_at(&w, 0, fastest(&w), NULL) <= touch || bears(m, d, a, b)) {
        return false;
    }
    double s = first_touch(&w, 0.5 * touch, 0.1 * touch);
    return s < 1 && closing_speed(&w, s, h) > ss_soft_landing(m, d, pair) &&
           !met_before(m, d, a, b);
}

ss_status ss_find_graze(const ss_model *m, ss_data *d, double h, int32_t *at)
{
    size_t  mark   = ss_arena_mark(&d->scratch);
    bool   *loaded = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *loaded);
    int32_t found  = d->pair_count;
    if (loaded == NULL) {
        return SS_ERR_SCRATCH;
    }
    note_loaded(m, d, loaded);
    for (int32_t i = *at; i < d->pair_count && found == d->pair_count; i++) {
        if (may_graze(m, d, &d->pairs[i]) && grazes(m, d, h, loaded, &d->pairs[i])) {
            found = i;
        }
    }
    *at = found;
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}
