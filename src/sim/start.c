/* SPDX-License-Identifier: Apache-2.0 */
/* The start of a simulation: bodies in place, and a look at what overlaps. */
#include <math.h>
#include <string.h>

#include "compliant/compliant.h"
#include "core/compare.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "midpoint/midpoint.h"
#include "model/axes.h"
#include "rounds/reasons.h"
#include "sim/sim.h"
#include "sim/tolerances.h"

/* The shapes of a body where it is now. */
static void place_geoms(const ss_model *m, ss_data *d, int32_t i)
{
    const ss_body *b     = &m->bodies[i];
    ss_frame       frame = ss_pose_frame(m, &d->state.pose[i]);
    for (int32_t g = b->geom_first; g < b->geom_first + b->geom_count; g++) {
        d->geom_frame[g] = ss_frame_mul(&frame, &m->geoms[g].local);
    }
}

static void place(const ss_model *m, ss_data *d, int32_t i)
{
    d->frame[i]       = ss_pose_frame(m, &d->state.pose[i]);
    d->frame_was[i]   = d->frame[i];
    d->turned[i].w    = NAN; /* inertia in world axes is to follow, unless it is the same in all */
    d->inertia[i]     = m->bodies[i].inertia;
    d->inv_inertia[i] = m->bodies[i].inv_inertia;
    d->pose_next[i]   = d->state.pose[i];
    place_geoms(m, d, i);
    ss_place_boxes(m, d, i, 0);
}

/* Bodies as the scene has them. */
static ss_status to_start(const ss_model *m, ss_data *d)
{
    d->state.t          = m->simulation.start;
    d->state.ledger     = (ss_ledger){0};
    d->state.warm_count = 0;
    d->contacts.count   = 0;
    d->island_count     = 0;
    d->report           = (ss_step_report){0};
    d->report.solver    = "";
    for (int32_t i = 0; i < m->nb; i++) {
        SS_TRY(ss_motion_pose(m, d, i, m->simulation.start, &d->state.pose[i]));
        d->state.twist[i] = m->bodies[i].start_twist;
        d->state.push[i]  = (ss_wrench){0};
        place(m, d, i);
    }
    memset(d->state.joint_load, 0, (size_t)m->joint_count * sizeof *d->state.joint_load);
    memset(d->state.joint_late, 0,
           (m->joint_loads ? (size_t)m->joint_count : 0) * sizeof *d->state.joint_late);
    for (int32_t i = 0; i < m->joint_count; i++) {
        double *value = d->state.joint_value + (ptrdiff_t)SS_JOINT_COORDINATES * i;
        memset(value, 0, SS_JOINT_COORDINATES * sizeof *value);
        ss_joint_coordinates(m, d, i, value);
    }
    return SS_OK;
}

/* The contacts that are there, as the steps have them. */
static ss_status contacts_now(const ss_model *m, ss_data *d, double reach)
{
    ss_arena_reset(&d->scratch);
    SS_TRY(ss_collide_now(m, d, reach));
    return ss_contact_of(m)->refine != NULL ? ss_contact_of(m)->refine(m, d, 0) : SS_OK;
}

/* Surfaces that give and overlap at the start are deflected by that. */
static ss_status start_deflections(const ss_model *m, ss_data *d)
{
    d->state.deflection_count = 0;
    if (!m->compliant) {
        return SS_OK;
    }
    SS_TRY(ss_retry_with_room(d, contacts_now, 0));
    ss_status status  = ss_retry_with_room(d, ss_start_deflections, 0);
    d->contacts.count = 0; /* they belong to no step */
    d->rows.nblocks   = 0;
    return status;
}

/* What controllers keep, as they declare it; settling is before their time. */
static void start_memory(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < m->force_count; i++) {
        const ss_force *f = &m->forces[i];
        for (int32_t k = 0; k < f->memory_count; k++) {
            d->state.memory[f->memory_first + k] = f->memory[k];
            d->memory_asked[f->memory_first + k] = f->memory[k];
        }
    }
}

static ss_status settle_if_asked(const ss_model *m, ss_data *d)
{
    start_memory(m, d);
    SS_TRY(start_deflections(m, d));
    if (m->simulation.settle > 0) {
        SS_TRY(ss_settle(m, d));
        start_memory(m, d);
    }
    return SS_OK;
}

ss_status ss_data_reset(const ss_model *m, ss_data *d)
{
    SS_TRY(ss_data_given(m, d, d));
    SS_TRY(to_start(m, d));
    return settle_if_asked(m, d);
}

static double body_size(const ss_model *m, int32_t body)
{
    double size = m->shapes[body].size;
    return size > 0 ? size : INFINITY;
}

/* The deepest contact of each pair of bodies is what counts. */
static void note_overlap(const ss_model *m, const ss_contact *c, ss_overlap *out, int32_t capacity,
                         int32_t *count)
{
    int32_t a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    int32_t k = 0, known = *count < capacity ? *count : capacity;
    while (k < known && (out[k].body_a != a || out[k].body_b != b)) {
        k++;
    }
    if (k == known) {
        (*count)++;
        if (k == capacity) {
            return;
        }
        out[k] = (ss_overlap){a, b, 0, fmin(body_size(m, a), body_size(m, b))};
    }
    out[k].depth = fmax(out[k].depth, -c->gap);
}

ss_status ss_data_overlaps(const ss_model *m, ss_data *d, ss_overlap *out, int32_t capacity,
                           int32_t *count)
{
    SS_TRY(ss_data_given(m, d, count));
    *count = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        place_geoms(m, d, i); /* a step leaves them where it began */
    }
    ss_status status = ss_retry_with_room(d, ss_collide_now, 0);
    for (int32_t i = 0; status == SS_OK && i < d->contacts.count; i++) {
        ss_contact *c = &d->contacts.items[i];
        c->gap += m->compliant ? ss_model_gives(m, c->geom_a, c->geom_b) : 0; /* it may give */
        if (c->gap < 0) {
            note_overlap(m, &d->contacts.items[i], out, capacity, count);
        }
    }
    d->contacts.count = 0; /* they belong to no step */
    return status;
}

/* What will become of it: recover/shift.c, or psi/h as printed. */
static void warn_of_overlap(const ss_model *m, ss_data *d, const ss_overlap *o)
{
    const char *a = m->bodies[o->body_a].name, *b = m->bodies[o->body_b].name;
    double      speed = isfinite(o->size) ? o->size : m->length;
    if (m->as_printed) {
        ss_log(d->ctx, SS_LOG_WARNING,
               "bodies '%s' and '%s' overlap by %.3g m at the start: the first step pushes them "
               "apart",
               a, b, o->depth);
        return;
    }
    ss_log(d->ctx, SS_LOG_WARNING,
           "bodies '%s' and '%s' overlap by %.3g m at the start: they are moved apart without "
           "momentum, at up to %.3g m/s, within %.3g s",
           a, b, o->depth, speed, o->depth / speed);
}

/* Below a hundredth of the smaller body an overlap is a warning, above it an error. */
static ss_status check_overlaps(const ss_model *m, ss_data *d)
{
    enum { MOST = 64 };
    ss_overlap found[MOST];
    int32_t    count = 0;
    SS_TRY(ss_data_overlaps(m, d, found, MOST, &count));
    for (int32_t i = 0; i < count && i < MOST; i++) {
        const ss_overlap *o = &found[i];
        const char       *a = m->bodies[o->body_a].name, *b = m->bodies[o->body_b].name;
        d->overlap_at_start = ss_max(d->overlap_at_start, o->depth);
        if (o->depth > 0.01 * o->size && !m->simulation.allow_overlap) {
            const char *where = m->bodies[o->body_b].where;
            return ss_fail(
                d->ctx, SS_ERR_INPUT,
                "%s%sbodies '%s' and '%s' overlap by %.3g m at the start (the smaller is "
                "%.3g m): move them apart, or set simulation: allow_overlap: true",
                where != NULL ? where : "", where != NULL ? ": " : "", a, b, o->depth, o->size);
        }
        if (o->depth > SS_START_OVERLAP * o->size) {
            warn_of_overlap(m, d, o);
        }
    }
    return SS_OK;
}

/* Velocities that a joint does not let its bodies have: it takes them out, as an impact does. */
static void warn_of_jerks(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; ss_inertia_of(m)->momentum && i < m->joint_count; i++) {
        ss_jerk     jerk  = ss_joint_jerk(m, d, i);
        bool        moves = jerk.move > 0;
        const char *unit  = moves ? "m/s" : "rad/s";
        if (moves || jerk.turn > 0) {
            ss_log(d->ctx, SS_LOG_WARNING,
                   "joint '%s': its bodies have velocities at the start that it does not let them "
                   "have, by %.3g %s: it takes them out by an impact, and energy with them",
                   m->joints[i].name, moves ? jerk.move : jerk.turn, unit);
        }
    }
}

ss_status ss_data_create(ss_context *ctx, const ss_model *m, ss_data **out)
{
    return ss_data_create_placed(ctx, m, NULL, NULL, out);
}

ss_status ss_data_create_placed(ss_context *ctx, const ss_model *m, ss_placement placement,
                                void *user, ss_data **out)
{
    if (ctx == NULL || m == NULL || out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT,
                       "no data without a context, a model and a place for it");
    }
    *out       = NULL;
    ss_data *d = NULL;
    SS_TRY(ss_data_build(ctx, m, &d));
    ss_rounds_collect(m, &d->rounds, ss_reasons);
    d->closer        = 1;
    ss_status status = to_start(m, d);
    if (status == SS_OK && placement != NULL) {
        status = placement(user, m, d);
    }
    if (status == SS_OK) {
        status = check_overlaps(m, d);
    }
    if (status == SS_OK) {
        warn_of_jerks(m, d);
    }
    if (status == SS_OK) {
        status = settle_if_asked(m, d);
    }
    if (status != SS_OK) {
        ss_data_destroy(d);
        return status;
    }
    *out = d;
    return SS_OK;
}
