/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Friction of joints that follows their load: loads are assumed, and others come out. With x what
 * was assumed and g(x) what came out, loads agree at x = g(x). One round after the other would have
 * x := g(x), which goes to and fro or creeps where friction itself is much of what loads a joint;
 * so x is led by the rounds before (linalg/anderson.h), in parts of the loads, but not where g
 * grows by more than x.
 *
 * Where several impulses do (a linkage of one freedom whose joints all stick) loads are those of
 * the one that the solver took. So a round begins with the impulses of the one before
 * (rounds/reason_loads.c), and keeps them where they do still.
 */
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/stages.h"
#include "joint/joint.h"
#include "rows/tolerances.h"

/* The impulses (rows of d) of a joint, as a force and a torque on body b at the joint. */
static ss_wrench reaction(const ss_model *m, const ss_data *d, const ss_row_block *b,
                          const double *impulse)
{
    const ss_joint      *j     = &m->joints[b->index];
    const ss_joint_form *form  = ss_joint_form_of(m, j);
    ss_joint_place       place = ss_joint_place_in(j, ss_joint_frames(d), d->state.joint_value);
    ss_wrench            sum   = {{0, 0, 0}, {0, 0, 0}};
    for (int32_t i = 0; i < b->dim; i++) {
        ss_scalar_row s = ss_scalar_eval(&form->hold[i], &place);
        double        p = impulse[b->row + i];
        ss_vec3       r = ss_sub(place.b.p, place.centre_b);
        ss_vec3       t = ss_sub(s.angular_b, ss_cross(r, s.linear_b));
        sum.force       = ss_axpy(sum.force, p, s.linear_b);
        sum.torque      = ss_axpy(sum.torque, p, t);
    }
    return sum;
}

ss_wrench ss_joint_reaction(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    ss_wrench p = reaction(m, d, b, d->rows.impulse), c = reaction(m, d, b, d->rows.closing);
    return (ss_wrench){ss_add(p.force, c.force), ss_add(p.torque, c.torque)};
}

static bool has_load(const ss_model *m, const ss_row_block *b)
{
    return b->source == SS_ROWS_JOINT && m->joints[b->index].friction_coefficient > 0;
}

/* Are the velocities of its bodies closed at the end of the step, apart from its impulses? */
static bool is_late(const ss_data *d, const ss_row_block *b)
{
    bool late = d->midpoint.pass > 0;
    for (int side = 0; side < b->sides; side++) {
        late = late && (b->body[side] < 0 || d->midpoint.smooth[b->body[side]]);
    }
    return late;
}

/*
 * Closing takes out what this step and those before it left in a joint. In steps of one length that
 * is the same part of h^2 each time; a part that is much shorter than the last one has of that what
 * the last one left, over its own h^2, and one that ends at an impact takes out more.
 */
static bool closes_evenly(const ss_data *d, double h)
{
    double last = d->state.warm_step;
    return !d->cut.event.flight && !d->cut.event.strikes && h >= SS_LATE_ALIKE * last &&
           last >= SS_LATE_ALIKE * h;
}

void ss_joint_keep_late(const ss_model *m, ss_data *d, double h)
{
    if (!closes_evenly(d, h)) {
        return;
    }
    for (int32_t i = d->contacts.count; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (has_load(m, b)) {
            ss_vec3 force = is_late(d, b) ? reaction(m, d, b, d->rows.closing).force : (ss_vec3){0};
            d->state.joint_late[b->index] = ss_scale(1 / (h * h), force);
        }
    }
}

/*
 * What a load is small beside: the last one, the forces on its bodies, and what would stop them
 * within the step. Where nothing but friction itself loads a joint (two bodies that fall together),
 * the loads of the rounds go to zero, each a part of the one before: no two of them ever agree.
 */
static double load_scale(const ss_model *m, const ss_data *d, const ss_row_block *b, double h)
{
    double scale = d->state.joint_load[b->index];
    for (int side = 0; side < b->sides; side++) {
        int32_t i = b->body[side];
        if (i >= 0) {
            scale += ss_norm(d->applied[i].force);
            scale += m->bodies[i].mass * ss_norm(d->state.twist[i].v) / h;
        }
    }
    return scale;
}

void ss_joint_loads_begin(const ss_model *m, ss_data *d)
{
    ss_joint_loads *x = &d->loads;
    ss_anderson_begin(&x->rounds, m->joint_count, x->weight, x->room);
}

/* The load that came out, in loads.found. True: it is the one that was assumed. */
static bool find_load(const ss_model *m, ss_data *d, const ss_row_block *b, double h)
{
    ss_vec3 late  = is_late(d, b) ? d->state.joint_late[b->index] : (ss_vec3){0};
    ss_vec3 force = ss_scale(1 / h, ss_joint_reaction(m, d, b).force);
    double  load = ss_norm(ss_axpy(force, h, late)), was = d->trial_load[b->index];
    double  none = SS_LOAD_ROUNDING * load_scale(m, d, b, h), both = load + was;
    d->loads.found[b->index]  = load;
    d->loads.weight[b->index] = both > 0 ? 1 / (both * both) : 0;
    return fabs(load - was) <= ss_max(SS_LOAD_AGREES * both, none);
}

/*
 * Does what comes out grow by more than what is assumed, along the way of the last round? Then the
 * two agree further on where friction holds by itself, whatever pushes, which is no end of rounds
 * that begin with what there was.
 */
static bool holds_by_itself(const ss_joint_loads *x, const double *assumed)
{
    double sum = 0;
    for (int32_t i = 0; x->rounds.primed && i < x->rounds.n; i++) {
        double f = x->found[i] - assumed[i], last = x->rounds.last_f[i];
        sum += x->weight[i] * (f - last) * (assumed[i] - (x->rounds.last_g[i] - last));
    }
    return sum > 0;
}

/* Loads to assume next: no less than none. */
static void lead(const ss_model *m, ss_data *d)
{
    ss_joint_loads *x = &d->loads;
    if (holds_by_itself(x, d->trial_load)) {
        ss_joint_loads_begin(m, d);
    }
    ss_anderson_step(&x->rounds, d->trial_load, x->found);
    for (int32_t i = 0; i < m->joint_count; i++) {
        d->trial_load[i] = d->trial_load[i] >= 0 ? d->trial_load[i] : x->found[i];
    }
}

bool ss_joint_loads_settled(const ss_model *m, ss_data *d, double h)
{
    ss_joint_loads *x       = &d->loads;
    bool            settled = true;
    memcpy(x->found, d->trial_load, (size_t)m->joint_count * sizeof *x->found);
    for (int32_t i = d->contacts.count; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        settled               = (!has_load(m, b) || find_load(m, d, b, h)) && settled;
    }
    if (settled) {
        memcpy(d->trial_load, x->found, (size_t)m->joint_count * sizeof *x->found);
        ss_joint_loads_begin(m, d);
    } else {
        lead(m, d);
    }
    return settled;
}
