/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of joints_at_end.h. */
#include "implicit/joints_at_end.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "implicit/implicit.h"
#include "implicit/tolerances.h"

extern const ss_reason ss_reason_joints_at_end;

static void begin(const ss_model *m, ss_data *d, double h)
{
    (void)m;
    (void)h;
    d->ending.pass = 0;
}

/* From what joints leave at the trial state to what the velocities of the whole step close. */
static ss_status rows(const ss_model *m, ss_data *d, double h)
{
    (void)h;
    for (int32_t i = d->contacts.count; d->ending.pass > 0 && i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        for (int32_t k = 0; k < ss_placed_rows(m, b); k++) {
            d->rows.bias[b->row + k] -= ss_row_rate(m, d, b, b->row + k, d->ending.v);
        }
    }
    return SS_OK;
}

static ss_status free_velocities(const ss_model *m, ss_data *d, double h)
{
    return d->ending.pass > 0 ? ss_stiffen_bodies(m, d, h) : SS_OK;
}

/* What one impulse of joints and springs alone would make of a body, at most. */
static double fastest_pull(const ss_model *m, const ss_data *d)
{
    double most = 0;
    for (int32_t i = d->contacts.count; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        for (int32_t k = 0; k < b->dim * b->sides; k++) {
            const int32_t row = b->row + k / b->sides, body = b->body[k % b->sides];
            if (body >= 0 && d->rows.impulse[row] != 0) {
                const double *J    = ss_row_side(m, &d->rows, row, k % b->sides);
                double        Y[6] = {0};
                ss_body_response(&d->matrix[body], J, Y, m->dof);
                most = ss_max(most, fabs(d->rows.impulse[row]) * ss_speed_of(m, body, Y));
            }
        }
    }
    return most;
}

/* Velocities are known to the rounding of what forces and impulses each make of bodies alone (on
   one that hangs at rest they cancel), and of places over h. */
static double rounding_of(const ss_model *m, const ss_data *d, double h)
{
    double most = fastest_pull(m, d);
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            const ss_pose *at = &d->pose_next[i];
            most              = ss_max(most, ss_speed_of(m, i, d->v_free + m->bodies[i].v_start));
            most              = ss_max(most, (ss_norm(at->p) + m->bodies[i].extent) / h);
        }
    }
    return SS_JOINTS_END_ROUNDING * DBL_EPSILON * most;
}

/* Largest change of a velocity since the last pass, and the largest velocity. */
static double change(const ss_model *m, const ss_data *d, double *size)
{
    double most = 0;
    *size       = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        for (int32_t c = 0; ss_body_moves(b) && c < b->dof; c++) {
            int32_t k      = b->v_start + c;
            double  weight = ss_coordinate_scale(m, i, c);
            most           = ss_max(most, weight * fabs(d->v_next[k] - d->ending.v[k]));
            *size          = ss_max(*size, weight * fabs(d->v_next[k]));
        }
    }
    return most;
}

/* Passes after which rounds that go on are noise, or will not settle. */
enum { LONG_PASSES = 12, MOST_PASSES = 40 };

static bool settled(const ss_model *m, ss_data *d, double h)
{
    double size, most = change(m, d, &size);
    double part = d->ending.pass > LONG_PASSES ? SS_JOINTS_END_NEARLY : SS_JOINTS_END_SETTLED;
    return most <= part * size + rounding_of(m, d, h);
}

static void take_frames(const ss_model *m, ss_data *d, bool end)
{
    for (int32_t i = 0; i < m->nb; i++) {
        bool moved         = end && ss_body_moves(&m->bodies[i]);
        d->ending.frame[i] = moved ? ss_pose_frame(m, &d->pose_next[i]) : d->frame[i];
    }
}

/* The next round is at the trial state that this one leads to; the one after the first is at the
   start again. */
static void go_on(const ss_model *m, ss_data *d, double h)
{
    ss_ending *x = &d->ending;
    ss_find_stiffness(m, d, h);
    take_frames(m, d, x->pass > 0);
    memset(x->v, 0, (size_t)m->nv * sizeof *x->v);
    if (x->pass > 0) {
        memcpy(x->v, d->v_next, (size_t)m->nv * sizeof *x->v);
    }
    d->rounds.forces_stand = m->give_rows == 0;
    ss_keep_impulses(d, d->tried.items, &d->tried.count);
    x->pass++;
}

static ss_verdict check(const ss_model *m, ss_data *d, double h)
{
    if (d->ending.pass > 1 && settled(m, d, h)) {
        return SS_HOLDS;
    }
    if (d->ending.pass > MOST_PASSES) {
        return SS_FAILS;
    }
    go_on(m, d, h);
    return SS_AGAIN;
}

const ss_reason ss_reason_joints_at_end = {.name            = "the pull of joints",
                                           .concerns        = ss_joints_at_end,
                                           .begin           = begin,
                                           .rows            = rows,
                                           .free_velocities = free_velocities,
                                           .check           = check,
                                           .when_all_hold   = true};
