/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By how much does the point of contact run in a step? Rows are followed to second order, from the
 * start of the step to its middle. A coin that is nearly flat hardly turns while its lowest point
 * runs round the rim: at the rate
 *
 *   W = (w.n - (w.u)(u.n))/sin^2 a      (u: its axis, n: the normal, a: the angle between them),
 *
 * hundreds of radians a second at tilts of a hundredth. Second order is then of no help: where W h
 * is no longer small, the arm r of the contact leaves the circle by parts of itself, the coin lands
 * on another point of its rim in every step, and each landing takes energy as an impact. So a step
 * in which an arm runs by more than a part SS_RUNS_MOST of itself (steps of first order:
 * SS_RUNS_FIRST) is not taken: it is cut.
 *
 * What counts is the way of the arm against the world or against the body, whichever is less. A
 * wheel has the same arm all the time, a corner belongs to its body, and neither is followed worse
 * for it. Smooth steps have the arms of their middle anyway; others collide the pair once more,
 * where the velocities of the start lead. Turns about the normal carry the point along, and turns
 * that forces make from rest in a part of the step are no motion that the step could resolve.
 *
 * Straight parts that lie nearly along each other (a cylinder on the edge of a slab) are nearest
 * where they cross, and the smallest turn takes that place from end to end. Where both of their
 * ends are contacts as well (collide/along.c), they bear what goes to either side of it within the
 * step, with the arm that it has there: nothing is missed, and it is no run.
 */
#include <math.h>

#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/gaps.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "geom/geom.h"
#include "midpoint/midpoint.h"
#include "midpoint/tolerances.h"

static int32_t geom_of(const ss_contact *c, int side)
{
    return side == 0 ? c->geom_a : c->geom_b;
}

static ss_vec3 point_of(const ss_contact *c, int side)
{
    return side == 0 ? c->point_a : c->point_b;
}

/* Can the point run on this side: is it curved, and no ball? */
bool ss_point_runs(const ss_model *m, int32_t geom)
{
    const ss_geom *g = &m->geoms[geom];
    const ss_body *b = &m->bodies[g->body];
    return ss_body_moves(b) && b->dof == m->dof && m->dimension == 3 && !b->round &&
           g->poly == NULL && g->cls != &ss_shape_sphere;
}

static ss_vec3 turn_of(const ss_model *m, const ss_data *d, int32_t body)
{
    const ss_body *b = &m->bodies[body];
    return ss_body_moves(b)               ? d->state.twist[body].w
           : b->type == SS_BODY_KINEMATIC ? d->twist_next[body].w
                                          : ss_v3(0, 0, 0);
}

static ss_vec3 driven_velocity(const ss_model *m, const ss_data *d, int32_t body)
{
    return m->bodies[body].type == SS_BODY_KINEMATIC ? d->twist_next[body].v : ss_v3(0, 0, 0);
}

/* Does it touch, and turn on the other about an axis along the surfaces, faster than forces make it
   do so in a part of the step? */
static bool rocks(const ss_model *m, const ss_data *d, const ss_contact *c, double gap, int side,
                  double h)
{
    int32_t body = m->geoms[geom_of(c, side)].body, other = m->geoms[geom_of(c, 1 - side)].body;
    ss_vec3 v    = ss_sub(d->state.twist[body].v, driven_velocity(m, d, other)),
            w    = ss_sub(turn_of(m, d, body), turn_of(m, d, other));
    double about = ss_dot(w, c->normal), turn = ss_dot(w, w), arm = ss_body_arm(m, body);
    double speed  = arm * sqrt(ss_max(turn - about * about, 0));
    double forces = h * m->bodies[body].inv_mass * ss_norm(d->applied[body].force);
    return speed > SS_RUNS_SLOW * forces && speed * h > SS_STILL * arm &&
           gap <= SS_TOUCHES * h * (ss_norm(v) + arm * sqrt(turn));
}

/* Does the arm run from `was` to `is` by more than this part of itself, while the body turns by
   `turn`? */
static bool goes_far(ss_vec3 was, ss_vec3 is, ss_vec3 turn, ss_vec3 normal, double part)
{
    ss_vec3 world = ss_sub(is, was);
    double  most  = part * part * ss_dot(is, is);
    world         = ss_axpy(world, -ss_dot(world, normal), normal);
    if (ss_dot(world, world) <= most) {
        return false;
    }
    ss_mat3 R    = ss_mat3_from_quat(ss_quat_unit(ss_quat_from_rotation(turn)));
    ss_vec3 body = ss_sub(is, ss_mul(&R, was));
    return ss_dot(body, body) > most;
}

/* .. of a contact of smooth bodies, which has come to the middle of the step. */
static bool far_in_middle(const ss_model *m, const ss_data *d, const ss_contact *c,
                          const ss_row_start *start, int side, double h)
{
    int32_t body = m->geoms[geom_of(c, side)].body;
    ss_vec3 arm  = ss_sub(point_of(c, side), d->midpoint.middle[body].p);
    ss_vec3 turn = ss_scale(0.5 * h, d->midpoint.mean[body].w);
    return goes_far(start->arm[side], arm, turn, c->normal, 0.5 * SS_RUNS_MOST);
}

/* .. of one that is looked up where the velocities of the start lead. */
static bool far_ahead(const ss_model *m, const ss_data *d, const ss_contact *c,
                      const ss_row_start *start, int side, double h)
{
    ss_contact found[SS_PAIR_FOUND];
    int32_t    a = c->geom_a, b = c->geom_b, body = m->geoms[geom_of(c, side)].body;
    ss_frame   frame[2];
    ss_vec3    at = {0, 0, 0}, turn = ss_scale(h, d->state.twist[body].w);
    double     reach = fabs(start->gap);
    for (int s = 0; s < 2; s++) {
        int32_t i      = m->geoms[geom_of(c, s)].body;
        bool    driven = m->bodies[i].type == SS_BODY_KINEMATIC;
        ss_pose pose   = driven ? d->pose_next[i] : d->state.pose[i];
        if (ss_body_moves(&m->bodies[i])) {
            const ss_twist *t = &d->state.twist[i];
            pose.p            = ss_axpy(pose.p, h, t->v);
            pose.q = ss_quat_unit(ss_quat_mul(ss_quat_from_rotation(ss_scale(h, t->w)), pose.q));
            reach += 2 * h * (ss_norm(t->v) + ss_body_arm(m, i) * ss_norm(t->w));
        }
        ss_frame f = ss_pose_frame(m, &pose);
        frame[s]   = ss_frame_mul(&f, &m->geoms[geom_of(c, s)].local);
        at         = s == side ? pose.p : at;
    }
    int32_t count = ss_contacts_between(m, a, &frame[0], b, &frame[1], reach, found, SS_PAIR_FOUND);
    for (int32_t i = 0; i < count; i++) {
        if (ss_contact_key(&found[i]) == start->key) {
            ss_vec3 arm = ss_sub(point_of(&found[i], side), at);
            return goes_far(start->arm[side], arm, turn, c->normal, SS_RUNS_FIRST);
        }
    }
    return false;
}

static bool runs(const ss_model *m, const ss_data *d, const ss_row_block *b, int side,
                 int32_t *cursor, double h)
{
    const ss_contact   *c     = &d->contacts.items[b->index];
    bool                first = !d->midpoint.smooth[m->geoms[geom_of(c, side)].body];
    const ss_row_start *start = ss_block_start(d, b, cursor);
    return start != NULL && rocks(m, d, c, start->gap, side, h) &&
           (first ? far_ahead(m, d, c, start, side, h)
                  : d->midpoint.pass > 0 && far_in_middle(m, d, c, start, side, h));
}

void ss_note_arms(const ss_model *m, const ss_data *d, const ss_contact *c, ss_row_start *start)
{
    for (int side = 0; side < 2; side++) {
        int32_t body     = m->geoms[geom_of(c, side)].body;
        bool    driven   = m->bodies[body].type == SS_BODY_KINEMATIC; /* it is where it ends */
        ss_vec3 at       = driven ? d->pose_next[body].p : d->state.pose[body].p;
        start->arm[side] = ss_sub(point_of(c, side), at);
    }
}

bool ss_find_runs(const ss_model *m, const ss_data *d, double h)
{
    int32_t cursor = 0;
    for (int32_t i = 0; m->dimension == 3 && i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->source != SS_ROWS_CONTACT || b->spring > 0 ||
            ss_island_by_motion(m, &d->islands[b->island])) {
            continue;
        }
        const ss_contact *c = &d->contacts.items[b->index];
        if (c->amid) {
            continue;
        }
        for (int side = 0; side < 2; side++) {
            if (ss_point_runs(m, geom_of(c, side)) && runs(m, d, b, side, &cursor, h)) {
                return true;
            }
        }
    }
    return false;
}
