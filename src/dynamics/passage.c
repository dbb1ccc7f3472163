/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamics/passage.h"
#include "core/constants.h"

#include <math.h>

#include "dynamics/gaps.h"
#include "dynamics/stages.h"
#include "dynamics/tolerances.h"

/* How a body gets from one pose to another: even motion. */
typedef struct path {
    const ss_pose *from;
    ss_vec3        shift, turn;
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
    ss_pose at = {.p = ss_axpy(p->from->p, s, p->shift), .angle = p->from->angle + s * p->turn.z};
    at.q       = m->dimension == 2 ? p->from->q
                                   : ss_quat_mul(ss_quat_from_rotation(ss_scale(s, p->turn)), p->from->q);
    ss_frame body = ss_pose_frame(m, &at);
    return m->geoms[geom].centred ? body : ss_frame_mul(&body, &m->geoms[geom].local);
}

static double farthest(const ss_geom *g)
{
    return ss_norm(g->local.p) + g->radius;
}

/* How fast (per whole way) two shapes can approach each other along n. */
static double closing(const ss_geom *a, const path *pa, const ss_geom *b, const path *pb, ss_vec3 n)
{
    return ss_dot(n, ss_sub(pa->shift, pb->shift)) + ss_norm(ss_cross(pa->turn, n)) * farthest(a) +
           ss_norm(ss_cross(pb->turn, n)) * farthest(b);
}

typedef struct advance {
    double least; /* a gap of this is what is looked for                      */
    double close; /* nearer to it than this is there                           */
    double time;  /* when it was reached; 1: not on the way                    */
} advance;

static void go(const ss_model *m, int32_t a, const path *pa, int32_t b, const path *pb, advance *x)
{
    double s = 0;
    for (int i = 0; i < SS_PASSAGE_MOST_ADVANCES; i++) {
        ss_frame fa = geom_frame(m, a, pa, s), fb = geom_frame(m, b, pb, s);
        ss_vec3  n;
        double   gap  = ss_gap_between(m, a, &fa, b, &fb, INFINITY, &n);
        double   rate = closing(&m->geoms[a], pa, &m->geoms[b], pb, n);
        x->time       = s;
        if (gap <= x->least + x->close) {
            return;
        }
        if (gap - x->least >= (1 - s) * rate) {
            x->time = 1;
            return;
        }
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
        double         thin = thinner(ga, gb), depth = SS_PASSAGE_DEPTH * thin;
        double         way = longest_way(m, d, ga->body, h) + longest_way(m, d, gb->body, h);
        if (!(way > 2 * depth) || isinf(ga->radius) || isinf(gb->radius)) {
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
