/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamics/passage.h"
#include "core/constants.h"

#include <math.h>
#include <string.h>

#include "dynamics/gaps.h"
#include "dynamics/stages.h"
#include "dynamics/tolerances.h"
#include "model/axes.h"

/* How a body gets on: from its pose at s = 0, evenly but for the bend. */
typedef struct path {
    const ss_pose *from;
    ss_vec3        shift, turn, bend; /* x(s) = x + s shift + s^2 bend */
    double         unsure; /* s^2 of this it may be nearer than that: what holds it is not asked */
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

typedef struct advance {
    double least; /* a gap of this is what is looked for                      */
    double close; /* nearer to it than this is there                           */
    bool   ends;  /* there it goes on to where the gap is none                 */
    double time;  /* when it was reached; 1: not on the way                    */
} advance;

/* Where the gap is none, by its last two values. */
static double secant(double s, double gap, double last_s, double last_gap)
{
    double slope = (gap - last_gap) / (s - last_s);
    return slope < 0 ? fmin(s - gap / slope, 1) : s;
}

static void go(const ss_model *m, int32_t a, const path *pa, int32_t b, const path *pb, advance *x)
{
    double s = 0, last_s = 0, last_gap = 0;
    for (int i = 0; i < SS_PASSAGE_MOST_ADVANCES; i++) {
        ss_frame fa = geom_frame(m, a, pa, s), fb = geom_frame(m, b, pb, s);
        ss_vec3  n;
        double   gap =
            ss_gap_between(m, a, &fa, b, &fb, INFINITY, &n) - s * s * (pa->unsure + pb->unsure);
        double rate = closing(&m->geoms[a], pa, &m->geoms[b], pb, n, s);
        x->time     = s;
        if (gap <= x->least + x->close) {
            x->time = x->ends && s > 0 ? secant(s, gap, last_s, last_gap) : s;
            return;
        }
        if (gap - x->least >= (1 - s) * rate) {
            x->time = 1;
            return;
        }
        last_s   = s;
        last_gap = gap;
        s += (gap - x->least) / rate;
    }
}

/* How far any point of a body may have got in the step. */
static double longest_way(const ss_model *m, const ss_data *d, int32_t body, double h)
{
    const ss_body *b = &m->bodies[body];
    if (b->type != SS_BODY_KINEMATIC) {
        return h * d->speed[body]; /* the bound that pairs were found with */
    }
    return h * (ss_norm(d->twist_next[body].v) + ss_norm(d->twist_next[body].w) * b->extent);
}

/* The path in the step; turns of more than half a circle are known from the angular velocity. */
static path step_path(const ss_model *m, const ss_data *d, int32_t body, double h)
{
    path    p    = path_of(m, &d->state.pose[body], &d->pose_next[body]);
    ss_vec3 turn = ss_scale(h, d->twist_next[body].w);
    p.turn       = ss_norm(turn) > SS_PI && m->bodies[body].type != SS_BODY_STATIC ? turn : p.turn;
    return p;
}

/* Half the least width of the thinner one; a point is as thin as what it meets. */
static double thinner(const ss_geom *a, const ss_geom *b)
{
    return a->thin > 0 && b->thin > 0 ? fmin(a->thin, b->thin) : fmax(a->thin, b->thin);
}

ss_passage ss_find_passage(const ss_model *m, const ss_data *d, double h, ss_allowed_depth allowed)
{
    ss_passage first = {-1, -1, 1, 0};
    for (int32_t i = 0; i < d->pair_count; i++) {
        const ss_pair *pair = &d->pairs[i];
        const ss_geom *ga = &m->geoms[pair->a], *gb = &m->geoms[pair->b];
        if (isinf(ga->radius) || isinf(gb->radius)) {
            continue; /* nothing comes out on the other side */
        }
        double thin = thinner(ga, gb), depth = SS_PASSAGE_DEPTH * thin;
        double way = longest_way(m, d, ga->body, h) + longest_way(m, d, gb->body, h);
        if (!(way > 2 * depth)) {
            continue;
        }
        path    pa = step_path(m, d, ga->body, h), pb = step_path(m, d, gb->body, h);
        advance x = {.least = -depth - allowed(m, d, ga->body, gb->body, h),
                     .close = SS_PASSAGE_NEAR * thin};
        go(m, pair->a, &pa, pair->b, &pb, &x);
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
    }
    return p;
}

static double gap_now(const ss_model *m, const ss_data *d, const ss_pair *pair, double enough)
{
    const path a  = {.from = &d->state.pose[m->geoms[pair->a].body]};
    const path b  = {.from = &d->state.pose[m->geoms[pair->b].body]};
    ss_frame   fa = geom_frame(m, pair->a, &a, 0), fb = geom_frame(m, pair->b, &b, 0);
    return ss_gap_between(m, pair->a, &fa, pair->b, &fb, enough, NULL);
}

bool ss_contact_bore(const ss_data *d, const ss_contact *c)
{
    uint64_t key = ss_contact_key(c);
    for (int32_t i = 0; i < d->state.warm_count; i++) {
        if (d->state.warm[i].key == key) {
            return d->state.warm[i].impulse[0] > 0;
        }
    }
    return false;
}

/* Did a contact of the pair bear load, and is it no further open than what the step's forces close
   at once? Surfaces that turn leave gaps of that kind between what lies on them. */
static bool lay_on(const ss_model *m, const ss_data *d, const ss_pair *pair, double h)
{
    ss_contact found[SS_PAIR_FOUND];
    int32_t    a = pair->a, b = pair->b;
    const path pa = {.from = &d->state.pose[m->geoms[a].body]};
    const path pb = {.from = &d->state.pose[m->geoms[b].body]};
    ss_frame   fa = geom_frame(m, a, &pa, 0), fb = geom_frame(m, b, &pb, 0);
    double     reach = 0;
    for (int side = 0; side < 2; side++) {
        int32_t i = m->geoms[side == 0 ? a : b].body;
        if (ss_body_moves(&m->bodies[i])) {
            reach += h * h * m->bodies[i].inv_mass * ss_norm(d->applied[i].force);
        }
    }
    if (d->state.warm_count == 0 || !(reach > 0) || gap_now(m, d, pair, reach) > reach) {
        return false;
    }
    int32_t count = ss_contacts_between(m, a, &fa, b, &fb, reach, found, SS_PAIR_FOUND);
    for (int32_t i = 0; i < count; i++) {
        if (ss_contact_bore(d, &found[i])) {
            return true;
        }
    }
    return false;
}

bool ss_is_watched(const ss_data *d, const ss_pair *pair)
{
    for (int32_t i = 0; i < d->cut.late_count; i++) {
        const ss_pair *p = &d->cut.late[i];
        if ((p->a == pair->a && p->b == pair->b) || (p->a == pair->b && p->b == pair->a)) {
            return true;
        }
    }
    return d->cut.late_count == 0;
}

/* Has it a body that a part of the step may end at? How others move is not asked. */
static bool concerns_watched(const ss_model *m, const ss_data *d, const ss_pair *pair)
{
    int32_t a = m->geoms[pair->a].body, b = m->geoms[pair->b].body;
    for (int32_t i = 0; i < d->cut.late_count; i++) {
        int32_t la = m->geoms[d->cut.late[i].a].body, lb = m->geoms[d->cut.late[i].b].body;
        if (a == la || a == lb || b == la || b == lb) {
            return true;
        }
    }
    return d->cut.late_count == 0;
}

/* Contacts of a pair that touches: the first that strikes, as a part of h. */
static double first_landing(const ss_model *m, ss_data *d, const ss_pair *pair, double h)
{
    ss_contact found[SS_PAIR_FOUND];
    int32_t    a = pair->a, b = pair->b;
    const path pa = {.from = &d->state.pose[m->geoms[a].body]};
    const path pb = {.from = &d->state.pose[m->geoms[b].body]};
    ss_frame   fa = geom_frame(m, a, &pa, 0), fb = geom_frame(m, b, &pb, 0);
    double     reach = h * (d->speed[m->geoms[a].body] + d->speed[m->geoms[b].body]);
    double     touch = ss_event_touch(m, pair), first = 1;
    int32_t    count = ss_contacts_between(m, a, &fa, b, &fb, reach, found, SS_PAIR_FOUND);
    for (int32_t i = 0; i < count; i++) {
        d->cut.touching += found[i].gap <= touch;
        first = fmin(first, ss_contact_lands(m, d, &found[i], found[i].gap) / h);
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
    d->cut.touching = 0;
    for (int32_t i = 0; i < d->pair_count; i++) {
        const ss_pair *pair  = &d->pairs[i];
        double         touch = ss_event_touch(m, pair);
        touches[i]           = concerns_watched(m, d, pair) &&
                     (gap_now(m, d, pair, touch) <= touch || lay_on(m, d, pair, h));
        d->cut.touching += touches[i] && ss_is_watched(d, pair);
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
        advance        x = {.least = 0.5 * touch, .close = 0.1 * touch, .ends = true, .time = 1};
        if (!ss_is_watched(d, pair)) {
            continue;
        }
        if (touches[i]) {
            x.time = first_landing(m, d, pair, h);
        } else {
            go(m, pair->a, a, pair->b, b, &x);
        }
        *part = fmin(*part, x.time);
    }
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}
