/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driven bodies stand at the end of the step where they are collided, all others at its start
 * (docs/decisions/0002). What is driven by more than its thickness has gone past by then what it
 * meets: another side faces it, and a normal of that side throws bodies off to the wrong one. With
 * x the way of the driven body in the step, its contacts are those of
 *
 *   q + x  with  q_driven(t + h),      psi = psi(q + x) - n.x
 *
 * instead: n and the features that meet are those of a body that went along, and psi is where its
 * surface is at the end of the step, beside the body where it is at the start. For one face of what
 * is driven this psi is psi(q) itself, and for whatever moves evenly it is all that a body sees
 * that is thrown at the same thing at rest: a frame that moves evenly has the same contacts. What
 * is driven by less than could pass (passage.h) meets the same features either way.
 *
 * What goes evenly stands at its start itself, however far it goes (ss_goes_evenly()).
 *
 * Of a turn only that part takes along which goes out of the face, along the normal n where the two
 * are nearest when the step begins: on a plate that spins about its normal bodies stay where they
 * are.
 */
#include "dynamics/alongside.h"

#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/gaps.h"
#include "dynamics/passage.h"
#include "dynamics/stages.h"
#include "model/axes.h"

static bool takes_along(const ss_model *m, const ss_data *d, int32_t geom, int32_t other)
{
    int32_t body = m->geoms[geom].body, meets = m->geoms[other].body;
    return m->bodies[body].type == SS_BODY_KINEMATIC && ss_body_moves(&m->bodies[meets]) &&
           !ss_goes_evenly(d, body) && !ss_meets_in_middle(m, d, body, meets);
}

/* Out of the face that is nearest when the step begins; 0: there is none within reach. */
static ss_vec3 normal_at_start(const ss_model *m, const ss_data *d, const int32_t geom[2],
                               const ss_alongside *s, int driven, double reach)
{
    int32_t  g        = geom[driven];
    ss_frame frame[2] = {s->frame[0], s->frame[1]};
    ss_vec3  n;
    frame[driven] = ss_frame_mul(&d->frame_was[m->geoms[g].body], &m->geoms[g].local);
    ss_gap_between(m, geom[0], &frame[0], geom[1], &frame[1], reach, &n);
    return n;
}

/* The way of a driven body at the place where it meets another: of its middle, and by its turn. */
typedef struct way {
    ss_vec3 along, arm, turn;
} way;

/* What touches is near the middle of the smaller one. */
static way way_of(const ss_model *m, const ss_data *d, const int32_t geom[2], const ss_alongside *s,
                  int driven)
{
    int32_t  body  = m->geoms[geom[driven]].body;
    bool     small = m->geoms[geom[driven]].radius < m->geoms[geom[1 - driven]].radius;
    ss_frame is = d->frame[body], was = d->frame_was[body];
    ss_vec3  arm = small ? ss_sub(s->frame[driven].p, is.p) : ss_sub(s->frame[1 - driven].p, was.p);
    ss_twist mean = ss_mean_twist(m, &d->state.pose[body], &d->pose_next[body], 1);
    return (way){ss_sub(is.p, was.p), arm, mean.w};
}

static void take_along(const ss_model *m, const ss_data *d, const int32_t geom[2], int driven,
                       double reach, ss_alongside *s)
{
    const ss_pair pair  = {geom[0], geom[1]};
    way           w     = way_of(m, d, geom, s, driven);
    double        turns = ss_norm(w.turn) > 0 ? ss_norm(w.turn) * ss_norm(w.arm) : 0;
    if (!ss_way_may_pass(m, &pair, ss_norm(w.along) + turns)) {
        return;
    }
    s->way = w.along;
    if (turns > 0) {
        ss_vec3 n = normal_at_start(m, d, geom, s, driven, reach);
        s->way    = ss_axpy(w.along, ss_dot(n, ss_cross(w.turn, w.arm)), n);
    }
    s->moved = ss_way_may_pass(m, &pair, ss_norm(s->way)) ? 1 - driven : -1;
}

void ss_take_along(const ss_model *m, const ss_data *d, int32_t a, int32_t b, double reach,
                   ss_alongside *s)
{
    const int32_t geom[2]  = {a, b};
    bool          timeless = d->at_impact != NULL || d->at_instant;
    for (int k = 0; ss_integrator_of(m)->second && !timeless && k < 2; k++) {
        if (takes_along(m, d, geom[k], geom[1 - k])) {
            take_along(m, d, geom, k, reach, s);
        }
    }
    if (s->moved >= 0) {
        s->frame[s->moved].p = ss_add(s->frame[s->moved].p, s->way);
    }
}

void ss_take_back(const ss_alongside *s, int32_t first, ss_contact_list *list)
{
    for (int32_t i = first; s->moved >= 0 && i < list->count && i < list->capacity; i++) {
        ss_contact *c     = &list->items[i];
        ss_vec3    *point = s->moved == 0 ? &c->point_a : &c->point_b;
        double      along = ss_dot(c->normal, s->way);
        *point            = ss_sub(*point, s->way);
        c->gap += s->moved == 0 ? along : -along;
    }
}
