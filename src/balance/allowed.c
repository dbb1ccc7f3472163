/* SPDX-License-Identifier: Apache-2.0 */
/* Gram-Schmidt over the responses of the rows that hold, twice each, measured by A (allowed.h). */
#include "balance/allowed.h"

#include <math.h>
#include <string.h>

#include "balance/tolerances.h"
#include "core/compare.h"
#include "linalg/vector.h"

bool ss_block_holds(const ss_row_block *b)
{
    return b->kind == SS_BLOCK_EQUALITY && b->source != SS_ROWS_GIVE;
}

bool ss_block_one_way(const ss_row_block *b)
{
    return b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL;
}

double ss_block_push(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    const double *J    = ss_row_side(m, &d->rows, b->row, 0);
    double        most = 0;
    for (int side = 0; side < b->sides && b->source != SS_ROWS_CONTACT; side++, J += m->dof) {
        for (int32_t c = 0; b->body[side] >= 0 && c < m->bodies[b->body[side]].dof; c++) {
            most = ss_max(most, fabs(J[c]) / ss_coordinate_scale(m, b->body[side], c));
        }
    }
    return b->source == SS_ROWS_CONTACT ? 1 : most;
}

void ss_add_scaled_row(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row,
                       double factor, double *to)
{
    const double *J = ss_row_side(m, &d->rows, row, 0);
    for (int side = 0; side < b->sides; side++, J += m->dof) {
        if (b->body[side] >= 0) {
            double *part = to + (ptrdiff_t)d->local[b->body[side]] * m->dof;
            for (int32_t c = 0; c < m->bodies[b->body[side]].dof; c++) {
                part[c] += factor * J[c] / ss_coordinate_scale(m, b->body[side], c);
            }
        }
    }
}

void ss_add_scaled_response(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row,
                            double factor, double *to)
{
    const double *Y = ss_response_side(m, d, row, 0);
    for (int side = 0; side < b->sides; side++, Y += m->dof) {
        if (b->body[side] >= 0) {
            double *part = to + (ptrdiff_t)d->local[b->body[side]] * m->dof;
            for (int32_t c = 0; c < m->bodies[b->body[side]].dof; c++) {
                part[c] += factor * Y[c] * ss_coordinate_scale(m, b->body[side], c);
            }
        }
    }
}

/* The row that stands behind the basis; it becomes one more vector, unless it depends on them. */
static void add_vector(ss_allowed *a, int32_t row, int32_t most)
{
    double *J = a->J + (ptrdiff_t)a->rank * a->n, *Y = a->Y + (ptrdiff_t)a->rank * a->n;
    double *r     = a->R + (ptrdiff_t)a->rank * most;
    double  whole = ss_vector_dot(a->n, J, Y);
    memset(r, 0, (size_t)most * sizeof *r);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < a->rank; i++) {
            double along = ss_vector_dot(a->n, a->J + (ptrdiff_t)i * a->n, Y);
            r[i] += along;
            ss_vector_add(a->n, J, -along, a->J + (ptrdiff_t)i * a->n);
            ss_vector_add(a->n, Y, -along, a->Y + (ptrdiff_t)i * a->n);
        }
    }
    double left = ss_vector_dot(a->n, J, Y);
    if (!(left > SS_ALLOWED_DEPENDENT * SS_ALLOWED_DEPENDENT * whole)) {
        return;
    }
    r[a->rank] = sqrt(left);
    for (int32_t i = 0; i < a->n; i++) {
        J[i] /= r[a->rank];
        Y[i] /= r[a->rank];
    }
    a->row[a->rank++] = row;
}

static int32_t holding_rows(const ss_data *d, const ss_island *isl, const bool *also)
{
    int32_t count = 0;
    for (int32_t i = 0, row = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        for (int32_t c = 0; c < b->dim; c++, row++) {
            count += ss_block_holds(b) || (also != NULL && also[row]);
        }
    }
    return count;
}

ss_status ss_allowed_find(const ss_model *m, ss_data *d, const ss_island *isl, const bool *also,
                          ss_allowed *out)
{
    ss_arena *scratch = &d->scratch;
    int32_t   most    = holding_rows(d, isl, also);
    size_t    k = (size_t)most, n = (size_t)isl->body_count * (size_t)m->dof;
    *out = (ss_allowed){.m = m, .d = d, .isl = isl, .n = isl->body_count * m->dof};
    if (most == 0) {
        return SS_OK;
    }
    out->J    = ss_arena_alloc(scratch, k * n, sizeof *out->J);
    out->Y    = ss_arena_alloc(scratch, k * n, sizeof *out->Y);
    out->R    = ss_arena_alloc(scratch, k * k, sizeof *out->R);
    out->row  = ss_arena_alloc(scratch, k, sizeof *out->row);
    out->work = ss_arena_alloc(scratch, k, sizeof *out->work);
    if (!out->J || !out->Y || !out->R || !out->row || !out->work) {
        return SS_ERR_SCRATCH;
    }
    for (int32_t i = 0, row = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        for (int32_t c = 0; c < b->dim; c++, row++) {
            ptrdiff_t at = (ptrdiff_t)out->rank * out->n;
            if (!ss_block_holds(b) && (also == NULL || !also[row])) {
                continue;
            }
            memset(out->J + at, 0, n * sizeof *out->J);
            memset(out->Y + at, 0, n * sizeof *out->Y);
            ss_add_scaled_row(m, d, b, b->row + c, 1, out->J + at);
            ss_add_scaled_response(m, d, b, b->row + c, 1, out->Y + at);
            add_vector(out, row, most);
        }
    }
    /* columns of R close up to the rank */
    for (int32_t j = 0; j < out->rank; j++) {
        memmove(out->R + (ptrdiff_t)j * out->rank, out->R + (ptrdiff_t)j * most,
                (size_t)out->rank * sizeof *out->R);
    }
    return SS_OK;
}

void ss_allowed_force(const ss_allowed *a, double *f)
{
    for (int32_t i = 0; i < a->rank; i++) {
        const double *J = a->J + (ptrdiff_t)i * a->n, *Y = a->Y + (ptrdiff_t)i * a->n;
        ss_vector_add(a->n, f, -ss_vector_dot(a->n, Y, f), J);
    }
}

void ss_allowed_motion(const ss_allowed *a, double *v)
{
    for (int32_t i = 0; i < a->rank; i++) {
        const double *J = a->J + (ptrdiff_t)i * a->n, *Y = a->Y + (ptrdiff_t)i * a->n;
        ss_vector_add(a->n, v, -ss_vector_dot(a->n, J, v), Y);
    }
}

void ss_allowed_reactions(const ss_allowed *a, const double *f, double *r)
{
    for (int32_t i = 0; i < a->rank; i++) {
        a->work[i] = ss_vector_dot(a->n, a->Y + (ptrdiff_t)i * a->n, f);
    }
    for (int32_t k = a->rank - 1; k >= 0; k--) {
        const double *column = a->R + (ptrdiff_t)k * a->rank;
        double        x      = a->work[k] / column[k];
        ss_vector_add(k, a->work, -x, column);
        r[a->row[k]] = x;
    }
}
