/* SPDX-License-Identifier: Apache-2.0 */
/* The trial state of an accepted step becomes the state, with what the next step remembers. */
#include "sim/step.h"

#include <math.h>
#include <string.h>

#include "certify/certify.h"
#include "compliant/compliant.h"
#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "rounds/sticking.h"
#include "sim/sim.h"
#include "sim/tolerances.h"

/* A velocity, or none where it goes nowhere; turns count at the body's arm. */
static ss_vec3 some(const ss_model *m, ss_vec3 v, double arm)
{
    double most = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))) * arm;
    return ss_goes_nowhere(m, most) ? ss_v3(0, 0, 0) : v;
}

static ss_twist some_twist(const ss_model *m, int32_t body, ss_twist t)
{
    return (ss_twist){some(m, t.v, 1), some(m, t.w, ss_body_arm(m, body))};
}

/* Impulses of this step, kept under their blocks' keys for the next one. */
static void keep_impulses(ss_data *d, double h)
{
    d->state.warm_step = h;
    ss_keep_impulses(d, d->state.warm, &d->state.warm_count);
}

/* Coordinates of the joints at the trial state, turns counted. */
static void keep_joints(const ss_model *m, ss_data *d, double h)
{
    if (m->joint_loads) {
        ss_joint_keep_late(m, d, h);
    }
    for (int32_t i = 0; i < m->joint_count; i++) {
        ss_joint_coordinates(m, d, i, d->state.joint_value + (ptrdiff_t)SS_JOINT_COORDINATES * i);
        d->state.joint_load[i] = d->trial_load[i];
    }
    for (int32_t i = 0; d->rows.loose != NULL && i < d->rows.nrows; i++) {
        d->report.redundant += d->rows.loose[i];
    }
}

/* How fast bodies became that others take no notice of (sim/groups.c). */
static void note_speeds(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_twist *w     = &d->twist_next[i];
        double          speed = ss_norm(w->v) + ss_norm(w->w) * m->bodies[i].extent;
        bool            moves = ss_body_moves(&m->bodies[i]);
        d->apart.fastest[i]   = moves ? ss_max(d->apart.fastest[i], speed) : d->apart.fastest[i];
    }
}

void ss_note_memory(const ss_model *m, ss_data *d)
{
    memcpy(d->memory_next, d->memory_asked, (size_t)m->memory_count * sizeof *d->memory_next);
}

void ss_keep_memory(const ss_model *m, ss_data *d)
{
    memcpy(d->state.memory, d->memory_next, (size_t)m->memory_count * sizeof *d->memory_next);
}

void ss_commit(const ss_model *m, ss_data *d, double h)
{
    if (d->timing.on) {
        memcpy(d->report.stage_seconds, d->timing.seconds, sizeof d->timing.seconds);
    }
    ss_ledger_add(&d->state.ledger, &d->ledger);
    if (m->memory_count > 0 && d->state.t == d->cut.start) {
        ss_note_memory(m, d);
    }
    if (m->compliant) {
        ss_keep_deflections(m, d);
    }
    if (m->two_frictions) {
        ss_keep_sticking(m, d, h);
    }
    if (m->joint_count > 0) {
        keep_joints(m, d, h);
    }
    keep_impulses(d, h);
    if (d->apart.taking != SS_APART_ALL) {
        note_speeds(m, d);
    }
    for (int32_t i = 0; i < m->nb; i++) {
        if (m->bodies[i].type != SS_BODY_STATIC) {
            d->state.pose[i]  = d->pose_next[i];
            d->state.twist[i] = some_twist(m, i, d->twist_next[i]);
        }
        d->state.push[i] = (ss_wrench){0};
    }
    if (m->simulation.sleep) {
        ss_fall_asleep(m, d, h);
    }
    d->state.t += h;
}
