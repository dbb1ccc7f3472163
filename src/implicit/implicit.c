/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of geometry: implicit (implicit.h). */
#include "implicit/implicit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "implicit/tolerances.h"

extern const ss_reason ss_reason_implicit;

static bool concerns(const ss_model *m)
{
    return ss_geometry_of(m)->at_end;
}

static void begin(const ss_model *m, ss_data *d, double h)
{
    (void)m;
    (void)h;
    d->implicit.pass = 0;
    d->implicit.calm = 0;
}

int32_t ss_placed_rows(const ss_model *m, const ss_row_block *b)
{
    switch (b->source) {
    case SS_ROWS_MOTOR:
        return m->joints[b->index].coordinate[b->part].motor == SS_MOTOR_POSITION;
    case SS_ROWS_JOINT:
        return b->dim;
    case SS_ROWS_CONTACT:
    case SS_ROWS_LOWER:
    case SS_ROWS_UPPER:
        return 1;
    default:
        return 0;
    }
}

/* Speed of the block's bodies on their way to the trial state. */
static double speed_of(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    double most = 0;
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] >= 0) {
            const double *v = d->implicit.v + m->bodies[b->body[side]].v_start;
            most            = ss_max(most, ss_speed_of(m, b->body[side], v));
        }
    }
    return most;
}

/*
 * From gaps at the trial state to gaps that the velocities of the whole step close. The gap that a
 * contact is told to have had at the start of the step is the one that its rows see from the end.
 */
static ss_status rows(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = 0; d->implicit.pass > 0 && i < d->rows.nblocks; i++) {
        const ss_row_block *b     = &d->rows.blocks[i];
        double              speed = speed_of(m, d, b);
        for (int32_t k = 0; k < ss_placed_rows(m, b); k++) {
            double  rate = ss_row_rate(m, d, b, b->row + k, d->implicit.v);
            double *bias = &d->rows.bias[b->row + k];
            *bias -= rate;
            if (fabs(*bias) <= SS_END_ROUNDING * DBL_EPSILON * speed) {
                *bias = 0; /* a row of nothing but rounding would be solved for its own sake */
            }
            if (b->source == SS_ROWS_CONTACT) {
                d->contacts.items[b->index].gap -= h * rate;
            }
        }
    }
    return SS_OK;
}

static void keep_inertia(const ss_model *m, ss_data *d)
{
    ss_implicit *x    = &d->implicit;
    size_t       nb   = (size_t)m->nb;
    size_t       full = m->full_matrices ? nb * 2 * (size_t)m->dof * (size_t)m->dof : 0;
    memcpy(x->v_free, d->v_free, (size_t)m->nv * sizeof *x->v_free);
    memcpy(x->matrix, d->matrix, nb * sizeof *x->matrix);
    memcpy(x->inertia, d->inertia, nb * sizeof *x->inertia);
    memcpy(x->inv_inertia, d->inv_inertia, nb * sizeof *x->inv_inertia);
    if (full > 0) {
        memcpy(x->full, d->full, full * sizeof *x->full);
    }
}

/* Frames are those of the trial state, and say so by `turned`: they will be made anew. */
static void put_inertia_back(const ss_model *m, ss_data *d)
{
    const ss_implicit *x    = &d->implicit;
    size_t             nb   = (size_t)m->nb;
    size_t             full = m->full_matrices ? nb * 2 * (size_t)m->dof * (size_t)m->dof : 0;
    memcpy(d->v_free, x->v_free, (size_t)m->nv * sizeof *x->v_free);
    memcpy(d->matrix, x->matrix, nb * sizeof *x->matrix);
    memcpy(d->inertia, x->inertia, nb * sizeof *x->inertia);
    memcpy(d->inv_inertia, x->inv_inertia, nb * sizeof *x->inv_inertia);
    if (full > 0) {
        memcpy(d->full, x->full, full * sizeof *x->full);
    }
    for (int32_t i = 0; i < m->nb; i++) {
        if (!m->bodies[i].round) {
            d->turned[i].w = NAN;
        }
    }
}

/* Without a matrix, velocities are free in name only: those of the proximal method. */
static ss_status free_velocities(const ss_model *m, ss_data *d, double h)
{
    (void)h;
    if (ss_inertia_of(m)->balanced) {
        return SS_OK;
    }
    if (d->implicit.pass == 0) {
        keep_inertia(m, d);
    } else {
        put_inertia_back(m, d);
    }
    return SS_OK;
}

/* Largest change of a velocity since the last pass, over the largest velocity or change of it. */
static double change(const ss_model *m, const ss_data *d)
{
    double most = 0, size = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        for (int32_t c = 0; ss_body_moves(b) && c < b->dof; c++) {
            int32_t k      = b->v_start + c;
            double  weight = ss_coordinate_scale(m, i, c);
            double  pushed = fabs(d->v_free[k] - d->v_now[k]);
            double  start = fabs(d->v_now[k]), end = fabs(d->v_next[k]);
            most = ss_max(most, weight * fabs(d->v_next[k] - d->implicit.v[k]));
            size = ss_max(size, weight * ss_max(ss_max(start, end), pushed));
        }
    }
    return size > 0 ? most / size : 0;
}

static bool settled(const ss_model *m, ss_data *d)
{
    ss_implicit *x    = &d->implicit;
    double       last = x->change;
    x->change         = change(m, d);
    bool better       = x->pass == 1 || x->change < 0.5 * last;
    x->calm           = better ? 0 : x->calm + 1;
    return x->change <= SS_END_SETTLED ||
           (x->calm >= SS_END_PATIENCE && x->change < SS_END_STALLED);
}

/* The next round is at the trial state that this one leads to; its guess is what this one found. */
static void go_to_end(const ss_model *m, ss_data *d)
{
    ss_implicit *x = &d->implicit;
    memcpy(x->v, d->v_next, (size_t)m->nv * sizeof *x->v);
    memcpy(x->at, d->pose_next, (size_t)m->nb * sizeof *x->at);
    d->rounds.at           = x->at;
    d->rounds.forces_stand = true;
    ss_keep_impulses(d, d->tried.items, &d->tried.count);
    ss_rounds_change_contacts(m, d, SS_CONTACTS_OTHER);
    x->pass++;
}

static ss_verdict check(const ss_model *m, ss_data *d, double h)
{
    (void)h;
    bool nowhere = d->rows.nblocks == 0; /* nothing that geometry could change */
    if (nowhere || (d->implicit.pass > 0 && settled(m, d))) {
        return SS_HOLDS;
    }
    go_to_end(m, d);
    return SS_AGAIN;
}

const ss_reason ss_reason_implicit = {.name            = "the end of the step",
                                      .concerns        = concerns,
                                      .begin           = begin,
                                      .rows            = rows,
                                      .free_velocities = free_velocities,
                                      .check           = check,
                                      .when_all_hold   = true};
