/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driven bodies in a smooth step (midpoint.h). What is prescribed has known velocities, V at the
 * start of the step and V' at its end, and a row sees them like those of bodies that move: with K
 * the columns of the driven body the rate of a contact at the end of the step is to second order
 *
 *   u = J~ v' + (J~ - J) v + K~ V' + (K~ - K) V
 *     = J~ v' + D + (J~ v + D - J v - K V),           D = K~ (V + V')/2
 *
 * with all bodies in the middle of the step for J~, K~ and at its start for J, K. D is the
 * displacement of the touching point over the step divided by h, as in a step of first order. V and
 * V' are those of a parabola (ss_driven_twists), and wrong where the velocity jumps: such steps are
 * events.
 */
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/gaps.h"
#include "dynamics/stages.h"
#include "dynamics/tolerances.h"
#include "formulate/formulate.h"
#include "geom/geom.h"
#include "joint/joint.h"
#include "midpoint/midpoint.h"
#include "midpoint/tolerances.h"
#include "rows/tolerances.h"

bool ss_ask_driven(const ss_model *m, ss_data *d, int32_t body, double h)
{
    ss_midpoint *x = &d->midpoint;
    ss_pose      next;
    if (body < 0 || m->bodies[body].type != SS_BODY_KINEMATIC || x->known[body]) {
        return body >= 0 && x->known[body];
    }
    x->next[body] = d->twist_next[body]; /* where it cannot be asked, it goes on as it does */
    if (ss_goes_evenly(d, body)) {
        x->from[body] = x->to[body] = d->twist_next[body];
    } else if (ss_driven_twists(m, d, body, h, &x->from[body], &x->to[body]) != SS_OK) {
        return false;
    }
    double later = d->state.t + 2 * h;
    if (d->cut.stretch.bends &&
        later > d->cut.stretch.until) { /* what jumps there is no jump of this step */
        ss_twist grows = ss_twist_mixed(1, &x->to[body], -1, &x->from[body]);
        x->next[body]  = ss_twist_mixed(1, &d->twist_next[body], 1, &grows);
    } else if (ss_motion_pose(m, d, body, later, &next) == SS_OK) {
        x->next[body] = ss_mean_twist(m, &d->pose_next[body], &next, h);
    }
    x->known[body] = true;
    return true;
}

void ss_forget_driven(const ss_model *m, ss_data *d)
{
    memset(d->midpoint.known, 0, (size_t)m->nb * sizeof *d->midpoint.known);
}

/*
 * With its means over the last step (or part of one, which may have had another length), this one
 * and one after it, the second difference of a smooth motion is of order h beside the first ones,
 * that of a jump of order 1. Where both vanish, at the
 * largest speed, a step more without the middle is none that counts. In the first step there is no
 * last one, and its own halves tell what came before.
 */
bool ss_driven_jumps(const ss_model *m, ss_data *d, int32_t body, double h)
{
    if (body < 0 || m->bodies[body].type != SS_BODY_KINEMATIC) {
        return false;
    }
    if (!ss_ask_driven(m, d, body, h)) {
        return true;
    }
    double   arm = ss_body_arm(m, body), last_step = d->state.warm_step;
    ss_twist last = d->state.twist[body], now = d->twist_next[body], next = d->midpoint.next[body];
    if (d->state.t == m->simulation.start) {
        last      = ss_twist_mixed(2, &d->midpoint.from[body], -1, &now);
        last_step = h;
    }
    double   part     = last_step > 0 ? 2 * h / (h + last_step) : 1;
    ss_twist first[2] = {ss_twist_mixed(part, &now, -part, &last),
                         ss_twist_mixed(1, &next, -1, &now)};
    ss_twist second   = ss_twist_mixed(1, &first[1], -1, &first[0]);
    double   change   = ss_norm(first[0].v) + ss_norm(first[1].v) +
                    arm * (ss_norm(first[0].w) + ss_norm(first[1].w));
    double jump  = ss_norm(second.v) + arm * ss_norm(second.w);
    double speed = ss_norm(now.v) + ss_norm(last.v) + arm * (ss_norm(now.w) + ss_norm(last.w));
    return jump > SS_JUMP_SHARE * change && jump > SS_IMPACT_NOISE * speed;
}

void ss_place_driven_in_middle(const ss_model *m, ss_data *d, int32_t body)
{
    const ss_body *b        = &m->bodies[body];
    d->midpoint.frame[body] = ss_pose_frame(m, &d->midpoint.middle[body]);
    for (int32_t g = b->geom_first; g < b->geom_first + b->geom_count; g++) {
        d->midpoint.geom_frame[g] = ss_frame_mul(&d->midpoint.frame[body], &m->geoms[g].local);
    }
}

/* ---- contacts at the start of the step ------------------------------------------------------- */

static ss_frame frame_at_start(const ss_model *m, const ss_data *d, int32_t geom)
{
    int32_t body = m->geoms[geom].body;
    return m->bodies[body].type == SS_BODY_KINEMATIC
               ? ss_frame_mul(&d->frame_was[body], &m->geoms[geom].local)
               : d->geom_frame[geom];
}

/* How far apart two contacts of a pair are along the surface, on the bodies that move. */
static double way_between(const ss_model *m, const ss_contact *from, const ss_contact *to)
{
    const ss_vec3 apart[2] = {ss_sub(to->point_a, from->point_a),
                              ss_sub(to->point_b, from->point_b)};
    const int32_t geom[2]  = {from->geom_a, from->geom_b};
    double        most     = 0;
    for (int side = 0; side < 2; side++) {
        double along = ss_dot(apart[side], to->normal);
        if (ss_body_moves(&m->bodies[m->geoms[geom[side]].body])) {
            most = ss_max(most, ss_norm(ss_axpy(apart[side], -along, to->normal)));
        }
    }
    return most;
}

/* The contact as it was when the step began, among those of its pair at that time. One that gives
   has the energy of its gap, and what it does by its law is no event. */
static void take_start(const ss_model *m, const ss_data *d, ss_contact *found, int32_t count,
                       int32_t contact, double h)
{
    const ss_contact *c     = &d->contacts.items[contact];
    ss_row_start     *start = &d->midpoint.starts[contact];
    double            was   = start->rate[0] + ss_driven_approach(m, d, c, h);
    int32_t           i     = 0;
    while (i < count && ss_contact_key(&found[i]) != start->key) {
        i++;
    }
    if (i == count) {
        return;
    }
    if (d->rows.blocks[contact].spring > 0) {
        start->gap = found[i].gap;
        return;
    }
    ss_keep_friction_axis(&found[i], start->axis);
    ss_contact_rates(m, d, &found[i], SS_AT_START, start);
    start->driven = fabs(was - start->rate[0] - start->drift[0]);
    start->way    = way_between(m, &found[i], c);
    start->placed = true;
}

/* Contacts first .. end - 1 of one pair, at the start of the step. */
static void pair_starts(const ss_model *m, ss_data *d, int32_t first, int32_t end, double h)
{
    ss_contact        found[SS_PAIR_FOUND];
    const ss_contact *c = d->contacts.items;
    int32_t           a = c[first].geom_a, b = c[first].geom_b;
    double            reach = SS_OVERLAP_ROUNDING * m->length;
    ss_frame          fa = frame_at_start(m, d, a), fb = frame_at_start(m, d, b);
    for (int32_t i = first; i < end; i++) {
        reach = ss_max(reach, fabs(c[i].gap) + 2 * h * fabs(ss_driven_approach(m, d, &c[i], h)));
    }
    int32_t count = ss_contacts_between(m, a, &fa, b, &fb, reach, found, SS_PAIR_FOUND);
    for (int32_t i = first; i < end; i++) {
        take_start(m, d, found, count, i, h);
    }
}

void ss_driven_starts(const ss_model *m, ss_data *d, double h)
{
    const ss_contact *c = d->contacts.items;
    for (int32_t i = 0, end = 0; i < d->contacts.count; i = end) {
        bool loaded = false;
        ss_ask_driven(m, d, m->geoms[c[i].geom_a].body, h);
        ss_ask_driven(m, d, m->geoms[c[i].geom_b].body, h);
        for (end = i; end < d->contacts.count && c[end].geom_a == c[i].geom_a &&
                      c[end].geom_b == c[i].geom_b;
             end++) {
            loaded = loaded || d->rows.impulse[d->rows.blocks[end].row] > 0;
        }
        if (!loaded || !ss_contact_is_uneven(m, d, &c[i]) || d->at_impact != NULL) {
            continue;
        }
        bool a = ss_ask_driven(m, d, m->geoms[c[i].geom_a].body, h);
        bool b = ss_ask_driven(m, d, m->geoms[c[i].geom_b].body, h);
        if (a || b) {
            pair_starts(m, d, i, end, h);
        }
    }
}

/* ---- steps of first order -------------------------------------------------------------------- */

/* How far the driven side of a contact goes along its surface; planes are everywhere the same. */
static double way_along(const ss_model *m, const ss_data *d, const ss_contact *c, double h)
{
    const int32_t geom[2]  = {c->geom_a, c->geom_b};
    const ss_vec3 point[2] = {c->point_a, c->point_b};
    double        most     = 0;
    for (int side = 0; side < 2; side++) {
        int32_t body = m->geoms[geom[side]].body;
        if (m->bodies[body].type == SS_BODY_KINEMATIC && !ss_goes_evenly(d, body) &&
            isfinite(m->geoms[geom[side]].radius)) {
            const ss_twist *t = &d->twist_next[body];
            ss_vec3         v = ss_cross(t->w, ss_sub(point[side], d->frame[body].p));
            v                 = ss_add(v, t->v);
            v                 = ss_axpy(v, -ss_dot(v, c->normal), c->normal);
            most              = ss_max(most, h * ss_norm(v));
        }
    }
    return most;
}

bool ss_driven_passes(const ss_model *m, const ss_data *d, double h)
{
    int32_t cursor = 0;
    for (int32_t i = 0; m->driven && i < d->rows.nblocks; i++) {
        const ss_row_block *b    = &d->rows.blocks[i];
        int32_t             body = ss_block_mover(b);
        bool                acts = body >= 0 && b->spring == 0 && d->rows.impulse[b->row] > 0 &&
                    !d->midpoint.smooth[body] && !ss_island_by_motion(m, &d->islands[b->island]);
        if (!acts || b->source != SS_ROWS_CONTACT) {
            continue;
        }
        const ss_row_start *start = ss_block_start(d, b, &cursor);
        double              way   = start != NULL && start->placed
                                        ? start->way
                                        : way_along(m, d, &d->contacts.items[b->index], h);
        if (way > SS_PASSES_MOST * ss_body_arm(m, body)) {
            return true;
        }
    }
    return false;
}

/* ---- support points -------------------------------------------------------------------------- */

/* The rates of a support point when the step began; what goes with its ground goes exactly. */
static void support_start(const ss_model *m, const ss_data *d, const ss_support_point *s,
                          ss_row_start *start)
{
    ss_twist now = d->state.twist[s->body], ground = d->midpoint.from[s->ground];
    ss_vec3  arm   = ss_mul(&d->frame[s->body].R, s->point);
    ss_vec3  from  = ss_sub(ss_add(d->frame[s->body].p, arm), d->frame_was[s->ground].p);
    ss_vec3  point = ss_add(now.v, ss_cross(now.w, arm));
    ss_vec3  below =
        ss_add(ss_add(ground.v, ss_cross(ground.w, from)), m->bodies[s->ground].surface_velocity);
    bool          goes  = ss_norm(ss_sub(point, below)) <= SS_SUPPORT_GOES * ss_norm(below);
    bool          spins = fabs(now.w.z - ground.w.z) > SS_SUPPORT_GOES * fabs(ground.w.z);
    const ss_vec3 x     = {1, 0, 0};
    ss_vec3       e     = x;
    if (s->across != 1) {
        e = ss_mul(s->turns ? &d->frame[s->body].R : &d->frame_was[s->ground].R, s->axis);
    }
    ss_vec3 o       = ss_scale(s->across, ss_v3(-e.y, e.x, 0));
    below           = goes ? point : below;
    start->rate[0]  = ss_dot(e, point);
    start->rate[1]  = ss_dot(o, point);
    start->drift[0] = -ss_dot(e, below);
    start->drift[1] = -ss_dot(o, below);
    start->rate[2]  = s->torsion * now.w.z;
    start->drift[2] = -s->torsion * (spins ? ground.w.z : now.w.z);
    start->placed   = true;
}

/* ---- dry friction in joints ------------------------------------------------------------------ */

/* A scalar of a joint when the step began: how fast bodies that move change it, and driven ones. */
static void scalar_start(const ss_model *m, const ss_data *d, const ss_joint *j,
                         const ss_scalar_row *row, double *rate, double *drift)
{
    ss_twist moves[2] = {0}, driven[2] = {0};
    for (int side = 0; side < 2; side++) {
        int32_t i = j->body[side];
        if (i >= 0 && m->bodies[i].type == SS_BODY_KINEMATIC) {
            driven[side] = d->midpoint.from[i];
        } else if (i >= 0) {
            moves[side] = d->state.twist[i];
        }
    }
    *rate  = ss_scalar_rate(row, &moves[0], &moves[1]);
    *drift = ss_scalar_rate(row, &driven[0], &driven[1]);
    *drift = fabs(*rate + *drift) <= SS_SUPPORT_GOES * fabs(*drift) ? -*rate : *drift;
}

static bool is_driven_evenly(const ss_model *m, ss_data *d, const ss_joint *j, double h)
{
    bool driven = false;
    for (int side = 0; side < 2; side++) {
        int32_t i = j->body[side];
        if (i >= 0 && m->bodies[i].type == SS_BODY_KINEMATIC) {
            driven = true;
            if (!ss_ask_driven(m, d, i, h) || ss_driven_jumps(m, d, i, h)) {
                return false;
            }
        }
    }
    return driven;
}

void ss_driven_frictions(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = d->contacts.count; i < d->rows.nblocks && d->at_impact == NULL; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->source != SS_ROWS_FRICTION || b->sides != 2 ||
            !is_driven_evenly(m, d, &m->joints[b->index], h)) {
            continue;
        }
        const ss_joint      *j     = &m->joints[b->index];
        const ss_joint_form *form  = ss_joint_form_of(m, j);
        ss_joint_place       place = ss_joint_place_of(m, d, j, d->state.pose);
        ss_row_start        *start = &d->midpoint.starts[i];
        int32_t              first = 0;
        for (int32_t g = 0; g < b->part; g++) {
            first += form->group_dim[g];
        }
        for (int32_t k = 0; k < b->dim && k < 6; k++) {
            ss_scalar_row row = ss_scalar_eval(&form->slip[first + k], &place);
            scalar_start(m, d, j, &row, &start->rate[k], &start->drift[k]);
        }
        start->placed = true;
    }
}

/* ---- grounds of supports --------------------------------------------------------------------- */

static bool is_moving(const ss_twist *t)
{
    return ss_dot(t->v, t->v) > 0 || ss_dot(t->w, t->w) > 0;
}

/* A driven body that stands still is like one that always does. */
static bool ground_moves(const ss_data *d, int32_t ground)
{
    return is_moving(&d->midpoint.from[ground]) || is_moving(&d->midpoint.to[ground]);
}

void ss_driven_supports(const ss_model *m, ss_data *d, double h)
{
    int32_t first = d->contacts.count + m->joint_blocks;
    for (int32_t i = 0; i < m->support_count && d->at_impact == NULL; i++) {
        const ss_support_point *s = &m->supports[i];
        if (s->ground >= 0 && m->bodies[s->ground].type == SS_BODY_KINEMATIC &&
            !ss_driven_jumps(m, d, s->ground, h) && ground_moves(d, s->ground)) {
            support_start(m, d, s, &d->midpoint.starts[first + i]);
        }
    }
}
