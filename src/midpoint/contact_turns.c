/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does a contact strike or slip, or do its rows turn? A step of first order ends with J(q) v' = 0
 * and the geometry of its start. A body that rolls on its rim, or turns about a corner, touches
 * with another arm where the step has led it to, and has there the rates
 *
 *   J(q1) v' = (J(q1) - J(q)) v',
 *
 * of first order in h: that is the path's curvature, as of a rope's end (limits.c), no impact and
 * no slip. Taken for one, it makes the next step one of first order too, which leaves the same
 * again, and so on for ever. What tells is by how much the rows turn in the step at hand, with the
 * velocity that the step begins with; and by how much they change in free motion, where impulses
 * act before the body turns (first_turns.c): that leaves what the turn of its inertia does, too.
 */
#include <string.h>

#include "dynamics/gaps.h"
#include "dynamics/stages.h"
#include "midpoint/midpoint.h"
#include "midpoint/tolerances.h"

/* How a body moves at the start of the step, by its velocity coordinates or as it is driven. */
typedef struct mover {
    ss_twist free, driven; /* one of them is zero */
    ss_vec3  at, surface;
} mover;

static mover mover_of(const ss_model *m, const ss_data *d, int32_t body, ss_moment when)
{
    const bool     ends = when != SS_AT_START;
    const ss_body *b    = &m->bodies[body];
    mover          x    = {.at      = ends ? d->pose_next[body].p : d->state.pose[body].p,
                           .surface = b->surface_velocity};
    if (b->type == SS_BODY_KINEMATIC) {
        x.driven = d->midpoint.from[body];
    } else if (ss_body_moves(b)) {
        x.free = d->state.twist[body];
        if (when == SS_AT_END_FREE) {
            x.free.w = ss_add(x.free.w, ss_turned_by_inertia(m, d, body, d->midpoint.h));
        }
    }
    return x;
}

static ss_vec3 velocity_at(const ss_twist *t, ss_vec3 at, ss_vec3 point)
{
    return ss_add(t->v, ss_cross(t->w, ss_sub(point, at)));
}

/* In the order of rows/contact_rows.c. */
void ss_contact_rates(const ss_model *m, const ss_data *d, const ss_contact *c, ss_moment when,
                      ss_row_start *out)
{
    const ss_pair_law *law  = ss_model_law(m, c);
    mover              a    = mover_of(m, d, m->geoms[c->geom_a].body, when);
    mover              b    = mover_of(m, d, m->geoms[c->geom_b].body, when);
    ss_vec3            e[3] = {c->normal};
    ss_contact_frame(m, c, &e[1], &e[2]);
    ss_vec3 u =
        ss_sub(velocity_at(&b.free, b.at, c->point_b), velocity_at(&a.free, a.at, c->point_a));
    ss_vec3 drift =
        ss_sub(velocity_at(&b.driven, b.at, c->point_b), velocity_at(&a.driven, a.at, c->point_a));
    ss_vec3 belt = ss_add(drift, ss_sub(b.surface, a.surface));
    ss_vec3 turn = ss_sub(b.free.w, a.free.w), spin = ss_sub(b.driven.w, a.driven.w);
    for (int32_t k = 0; k < law->dim && k < 6; k++) {
        double scale = k > 0 && (law->dim > 3 || !law->round) ? law->axes[k - 1] : 1;
        out->rate[k] = scale * (k < 3 ? ss_dot(e[k], u) : ss_dot(e[k - 3], turn));
        out->drift[k] =
            scale * (k >= 3 ? ss_dot(e[k - 3], spin) : ss_dot(e[k], k > 0 ? belt : drift));
    }
    out->rate[0] -= ss_dot(c->roll, turn);
    out->gap    = c->gap;
    out->normal = c->normal;
}

/* By which rows of friction are multiplied: rows k and k + 1 of a pair. */
static double axis_of(const ss_pair_law *law, int32_t k)
{
    return law->dim > 3 || !law->round ? law->axes[k - 1] : 1;
}

/*
 * Axes follow from the normal and from a direction of the world, and turn about the normal while it
 * turns, by as much as that direction has it. Slip at two times is compared as a vector, and not by
 * components, or motions would depend on the direction (parallel transport: R the least turn from
 * n to n', R x = x - (n'.x)(n + n')/(1 + n.n') for x across n).
 */
void ss_carry_axes(const ss_model *m, const ss_contact *c, ss_vec3 from, ss_vec3 to, double *x)
{
    const ss_pair_law *law   = ss_model_law(m, c);
    double             along = ss_dot(from, to);
    bool               same  = from.x == to.x && from.y == to.y && from.z == to.z;
    if (law->dim < 3 || same || along <= 0) {
        return;
    }
    ss_contact was = *c, is = *c;
    ss_vec3    t, o, t1, o1;
    was.normal = from;
    is.normal  = to;
    ss_contact_frame(m, &was, &t, &o);
    ss_contact_frame(m, &is, &t1, &o1);
    ss_vec3 carried = ss_axpy(t, -ss_dot(to, t) / (1 + along), ss_add(from, to));
    double  cosine = ss_dot(t1, carried), sine = ss_dot(o1, carried);
    for (int32_t k = 1; k + 1 < law->dim; k += 3) { /* t and o; rolling about them */
        double first = x[k] / axis_of(law, k), second = x[k + 1] / axis_of(law, k + 1);
        x[k]     = axis_of(law, k) * (cosine * first - sine * second);
        x[k + 1] = axis_of(law, k + 1) * (sine * first + cosine * second);
    }
}

static ss_frame frame_at_end(const ss_model *m, const ss_data *d, int32_t geom)
{
    ss_frame body = ss_pose_frame(m, &d->pose_next[m->geoms[geom].body]);
    return ss_frame_mul(&body, &m->geoms[geom].local);
}

static double rate_of(const ss_row_start *x, int32_t k)
{
    return x->rate[k] + x->drift[k];
}

void ss_contact_turns(const ss_model *m, const ss_data *d, const ss_contact *c,
                      const ss_row_start *start, double reach, double *turn, double *free)
{
    ss_contact found[SS_PAIR_FOUND];
    int32_t    a = c->geom_a, b = c->geom_b, dim = ss_model_law(m, c)->dim;
    ss_frame   fa = frame_at_end(m, d, a), fb = frame_at_end(m, d, b);
    memset(turn, 0, SS_CONTACT_ROWS * sizeof *turn);
    memset(free, 0, SS_CONTACT_ROWS * sizeof *free);
    int32_t count = ss_contacts_between(m, a, &fa, b, &fb, reach, found, SS_PAIR_FOUND);
    for (int32_t i = 0; i < count; i++) {
        ss_row_start end = *start, after = *start;
        if (ss_contact_key(&found[i]) == start->key) {
            ss_keep_friction_axis(&found[i], start->axis);
            ss_contact_rates(m, d, &found[i], SS_AT_END, &end);
            ss_contact_rates(m, d, &found[i], SS_AT_END_FREE, &after);
            ss_row_start *counted[] = {&end, &after};
            for (int k = 0; k < 2; k++) {
                ss_carry_axes(m, c, found[i].normal, start->normal, counted[k]->rate);
                ss_carry_axes(m, c, found[i].normal, start->normal, counted[k]->drift);
            }
            for (int32_t k = 0; k < dim && k < SS_CONTACT_ROWS; k++) {
                turn[k] = rate_of(&end, k) - rate_of(start, k);
                free[k] = rate_of(&after, k) - rate_of(start, k);
            }
            return;
        }
    }
}
