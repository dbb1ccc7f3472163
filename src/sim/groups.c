/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of bodies that take a step by themselves. Islands do not know of each other: no two of
 * their bodies are closer than what both can go in the step. Where something strikes in one of them
 * at another time than a step of first order has it (midpoint/late_impacts.c), that island alone is
 * taken in parts that end there, and all the others take the step as it is. So what strikes does so
 * at its time in a crowd as it does alone, and the parts cost what the island costs.
 *
 * A group takes its step with a model of its own, in which all other bodies that move stand still
 * and meet nothing: d->model is that one meanwhile. Bodies that are driven go along with every
 * group, from where they were when the step began. What is not left alone (joints, springs, forces
 * that the scene names) stays with the rest: a group has none of them.
 *
 * The bound of speeds that the islands were found with (dynamics/meet.c) is what keeps them apart.
 * A body that an impact makes faster is looked after when all groups have taken the step: those
 * that could have met by it are one group from then on, and the step begins again.
 */
#include "sim/groups.h"

#include <math.h>
#include <string.h>

#include "core/array.h"
#include "core/compare.h"
#include "core/context.h"
#include "dynamics/gaps.h"
#include "dynamics/passage.h"
#include "dynamics/stages.h"
#include "sim/sim.h"

/* ---- what the state remembers by name ----------------------------------------------------------
 */

static ss_status no_memory(ss_data *d)
{
    return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory to take a step in groups of bodies");
}

/* What the step has left goes to `to`; impulses as over a step of h. */
static ss_status remember(ss_data *d, ss_remembered *to, double h)
{
    const ss_state *s     = &d->state;
    int             ok    = 1;
    int32_t         warm  = to->warm_count + s->warm_count;
    int32_t         stick = to->sticking_count + s->sticking_count;
    double          scale = s->warm_step > 0 ? h / s->warm_step : 1;
    to->warm =
        ss_array_grow(d->ctx, to->warm, &to->warm_capacity, warm, 2 * warm, sizeof *to->warm, &ok);
    to->sticking = ss_array_grow(d->ctx, to->sticking, &to->sticking_capacity, stick, 2 * stick,
                                 sizeof *to->sticking, &ok);
    if (!ok) {
        return no_memory(d);
    }
    for (int32_t i = 0; i < s->warm_count; i++) {
        ss_warm_entry *w = &to->warm[to->warm_count++];
        *w               = s->warm[i];
        for (int k = 0; k < 6; k++) {
            w->impulse[k] *= scale;
        }
    }
    for (int32_t i = 0; i < s->sticking_count; i++) {
        to->sticking[to->sticking_count++] = s->sticking[i];
    }
    return SS_OK;
}

static ss_status recall(ss_data *d, const ss_remembered *from, double h)
{
    ss_state *s  = &d->state;
    int       ok = 1;
    s->warm      = ss_array_grow(d->ctx, s->warm, &s->warm_capacity, from->warm_count,
                                 2 * from->warm_count, sizeof *s->warm, &ok);
    s->sticking  = ss_array_grow(d->ctx, s->sticking, &s->sticking_capacity, from->sticking_count,
                                 2 * from->sticking_count, sizeof *s->sticking, &ok);
    if (!ok) {
        return no_memory(d);
    }
    s->warm_step      = h;
    s->warm_count     = from->warm_count;
    s->sticking_count = from->sticking_count;
    for (int32_t i = 0; i < from->warm_count; i++) {
        s->warm[i] = from->warm[i];
    }
    for (int32_t i = 0; i < from->sticking_count; i++) {
        s->sticking[i] = from->sticking[i];
    }
    return SS_OK;
}

/* ---- models of groups --------------------------------------------------------------------------
 */

static bool is_in(const ss_apart *x, int32_t body, int32_t group)
{
    return ss_body_moves(&x->whole->bodies[body]) && x->group[body] == group;
}

bool ss_group_is_empty(const ss_data *d, int32_t group)
{
    for (int32_t i = 0; i < d->model->nb; i++) {
        if (is_in(&d->apart, i, group)) {
            return false;
        }
    }
    return true;
}

/* A body that stands still and that nothing meets. */
static ss_body stand_in(const ss_body *b)
{
    ss_body s     = *b;
    s.type        = SS_BODY_STATIC;
    s.aside       = true;
    s.v_start     = -1;
    s.dof         = 0;
    s.inv_mass    = 0;
    s.inv_inertia = (ss_mat3){{0}};
    return s;
}

static void make_model(ss_apart *x, int32_t group)
{
    x->part        = *x->whole;
    x->part.bodies = x->bodies;
    for (int32_t i = 0; i < x->whole->nb; i++) {
        const ss_body *b = &x->whole->bodies[i];
        x->bodies[i]     = ss_body_moves(b) && x->group[i] != group ? stand_in(b) : *b;
    }
    if (group != SS_APART_REST) {
        x->part.joint_count = x->part.joint_blocks = x->part.joint_rows = 0;
        x->part.give_blocks = x->part.give_rows = 0;
        x->part.joint_springs = x->part.joint_loads = false;
        x->part.force_count                         = 0;
    }
}

/* Velocities of bodies that stand still are nowhere asked for, but sums go over all of them. */
static void clear_velocities(ss_data *d)
{
    size_t  size  = (size_t)d->model->nv * sizeof(double);
    double *all[] = {d->v_free,     d->v_now,      d->v_next,         d->midpoint.v,
                     d->midpoint.f, d->midpoint.g, d->impact.v_known, d->shift.by};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (size > 0) {
            memset(all[i], 0, size);
        }
    }
}

/* Bodies as they are when the group begins: its own and driven ones at the start of the step. */
static void place_bodies(ss_data *d, int32_t group)
{
    ss_apart *x = &d->apart;
    for (int32_t i = 0; i < x->whole->nb; i++) {
        bool moves = ss_body_moves(&x->whole->bodies[i]);
        if (moves && x->group[i] != group) {
            d->pose_next[i]   = d->state.pose[i];
            d->state.twist[i] = d->twist_next[i] = (ss_twist){0};
            d->speed[i]                          = 0;
        } else {
            d->state.pose[i]  = x->pose[i];
            d->state.twist[i] = x->twist[i];
        }
        d->state.push[i] = x->push[i];
    }
}

ss_status ss_begin_group(ss_data *d, int32_t group)
{
    ss_apart *x = &d->apart;
    x->taking   = group;
    x->found    = false;
    make_model(x, group);
    d->model   = &x->part;
    d->state.t = x->t;
    place_bodies(d, group);
    clear_velocities(d);
    return recall(d, &x->was, x->was_step);
}

ss_status ss_end_group(ss_data *d, double h)
{
    ss_apart *x = &d->apart;
    for (int32_t i = 0; i < x->whole->nb; i++) {
        if (is_in(x, i, x->taking)) {
            x->twist[i] = d->state.twist[i];
        }
    }
    return remember(d, &x->now, h);
}

/* ---- the step ----------------------------------------------------------------------------------
 */

void ss_begin_apart(ss_data *d)
{
    const ss_model *m = d->model;
    d->apart.count    = 0;
    d->apart.found    = false;
    d->apart.never = m->controlled || m->compliant || m->support_count > 0 || m->memory_count > 0;
}

ss_status ss_begin_groups(ss_data *d)
{
    ss_apart *x       = &d->apart;
    x->whole          = d->model;
    x->t              = d->state.t;
    x->was_step       = d->state.warm_step;
    x->was.warm_count = x->was.sticking_count = 0;
    x->now.warm_count = x->now.sticking_count = 0;
    for (int32_t i = 0; i < d->model->nb; i++) {
        x->pose[i]    = d->state.pose[i];
        x->twist[i]   = d->state.twist[i];
        x->push[i]    = d->state.push[i];
        x->fastest[i] = 0;
    }
    SS_TRY(remember(d, &x->was, x->was_step));
    return ss_keep_groups(d);
}

/* Bodies that take the step together from now on. */
static void join(ss_apart *x, int32_t a, int32_t b)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    for (int32_t i = 0; i < x->whole->nb; i++) {
        x->group[i] = x->group[i] == high ? low : x->group[i];
    }
}

static double most(const ss_apart *x, int32_t body)
{
    return ss_max(x->reach[body], x->fastest[body]);
}

/* Could two bodies of different groups have met, as fast as they were? */
static bool could_meet(const ss_model *m, const ss_data *d, const ss_pair *pair, double h)
{
    const ss_apart *x = &d->apart;
    int32_t         a = m->geoms[pair->a].body, b = m->geoms[pair->b].body;
    double          reach = h * (most(x, a) + most(x, b));
    bool            two   = ss_body_moves(&m->bodies[a]) && ss_body_moves(&m->bodies[b]);
    return two && x->group[a] != x->group[b] &&
           !(ss_geom_gap(m, d->geom_frame, pair->a, pair->b, reach, NULL) > reach);
}

/* Groups that could have met are one from now on. Leaves the rows of the step as they are. */
static ss_status join_met(const ss_model *m, ss_data *d, double h, bool *met)
{
    ss_apart *x = &d->apart;
    SS_TRY(ss_kinematics(m, d, x->pose, h));
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            ss_place_boxes(m, d, i, h * most(x, i));
        }
    }
    ss_status status = ss_find_pairs(m, d);
    if (status == SS_ERR_SCRATCH) {
        x->never = *met = true; /* nearly all of them */
        return SS_OK;
    }
    for (int32_t i = 0; status == SS_OK && i < d->pair_count; i++) {
        if (could_meet(m, d, &d->pairs[i], h)) {
            join(x, x->group[m->geoms[d->pairs[i].a].body], x->group[m->geoms[d->pairs[i].b].body]);
            *met = true;
        }
    }
    return status;
}

static bool was_fast(const ss_apart *x)
{
    for (int32_t i = 0; i < x->whole->nb; i++) {
        if (ss_body_moves(&x->whole->bodies[i]) && x->fastest[i] > x->reach[i]) {
            return true;
        }
    }
    return false;
}

ss_status ss_join_groups(ss_data *d, double h, bool *met)
{
    *met = false;
    return was_fast(&d->apart) ? join_met(d->apart.whole, d, h, met) : SS_OK;
}

/* All bodies as the groups left them. */
ss_status ss_end_groups(ss_data *d, double h)
{
    ss_apart *x = &d->apart;
    d->model    = x->whole;
    x->taking   = SS_APART_ALL;
    for (int32_t i = 0; i < x->whole->nb; i++) {
        if (ss_body_moves(&x->whole->bodies[i])) {
            d->state.twist[i] = x->twist[i];
        }
    }
    return recall(d, &x->now, h);
}
