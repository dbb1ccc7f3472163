/* SPDX-License-Identifier: Apache-2.0 */
#include "certify/rates.h"

#include <string.h>

#include "dynamics/coordinates.h"
#include "model/axes.h"

/* Contacts without an impulse do no work: nobody asks how fast they are. */
static bool is_asked(const ss_data *d, const ss_row_block *b)
{
    return b->source != SS_ROWS_CONTACT || b->spring > 0 || d->rows.impulse[b->row] != 0;
}

static void add_block(const ss_model *m, const ss_data *d, const ss_row_block *b, ss_rates *out)
{
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] < 0) {
            continue;
        }
        const double *w = out->w + m->bodies[b->body[side]].v_start;
        const double *v = d->v_next + m->bodies[b->body[side]].v_start;
        for (int32_t row = b->row; row < b->row + b->dim; row++) {
            const double *J                   = ss_row_side(m, &d->rows, row, side);
            out->mean[2 * (size_t)row + side] = ss_dot_dof(J, w, m->dof);
            out->end[2 * (size_t)row + side]  = ss_dot_dof(J, v, m->dof);
        }
    }
}

static void add_push(const ss_model *m, const ss_data *d, const ss_row_block *b, double *push)
{
    for (int32_t row = b->row; row < b->row + b->dim; row++) {
        for (int side = 0; side < b->sides && d->rows.impulse[row] != 0; side++) {
            if (b->body[side] >= 0) {
                ss_add_dof(push + m->bodies[b->body[side]].v_start, d->rows.impulse[row],
                           ss_row_side(m, &d->rows, row, side), m->dof);
            }
        }
    }
}

static void find_pushes(const ss_model *m, const ss_data *d, double h, double *push)
{
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            ss_twist f = {ss_scale(h, d->applied[i].force), ss_scale(h, d->applied[i].torque)};
            ss_twist_to_vector(m, &f, push + m->bodies[i].v_start);
        }
    }
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        add_push(m, d, &d->rows.blocks[i], push);
    }
}

ss_status ss_rates_of_step(const ss_model *m, ss_data *d, double h, ss_rates *out)
{
    const bool   momentum = ss_inertia_of(m)->momentum;
    const size_t rows     = (size_t)d->rows.nrows;
    out->w                = ss_arena_alloc(&d->scratch, 3 * (size_t)m->nv, sizeof *out->w);
    out->mean             = ss_arena_alloc(&d->scratch, 4 * rows, sizeof *out->mean);
    if (!out->w || !out->mean) {
        return SS_ERR_SCRATCH;
    }
    out->end  = out->mean + 2 * rows;
    out->y    = out->w + m->nv;
    out->push = out->y + m->nv;
    find_pushes(m, d, h, out->push);
    memset(out->mean, 0, 4 * rows * sizeof *out->mean);
    for (int32_t i = 0; i < m->nv; i++) {
        out->w[i] = momentum ? 0.5 * (d->v_now[i] + d->v_next[i]) : d->v_next[i];
    }
    for (int32_t i = 0; i < m->nb; i++) {
        int32_t at = m->bodies[i].v_start;
        if (ss_body_moves(&m->bodies[i])) {
            memcpy(out->y + at, (d->midpoint.smooth[i] ? out->w : d->v_next) + at,
                   (size_t)m->dof * sizeof *out->y);
        }
    }
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        if (is_asked(d, &d->rows.blocks[i])) {
            add_block(m, d, &d->rows.blocks[i], out);
        }
    }
    return SS_OK;
}
