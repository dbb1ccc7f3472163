/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The friction problem of an island in local form, dense:
 *
 *   u = W p + q,   W = J A^-1 J',   q = J v_free + bias,   v_free = A^-1 b
 *
 * Row k of d->Y holds A^-1 J_k', laid out as J: W_kl is the sum over the bodies that rows k and l
 * share, and v+ = v_free + sum_k Y_k p_k afterwards.
 */
#include <string.h>

#include "formulate/formulate.h"

/* y = A^-1 j for one body. */
static void apply_inverse(const ss_body_matrix *A, const double *j, double *y, int32_t dof)
{
    if (A->full != NULL) {
        const double *row = A->full + dof * dof;
        for (int32_t c = 0; c < dof; c++, row += dof) {
            y[c] = ss_dot_dof(row, j, dof);
        }
    } else if (dof == 6) {
        ss_vec3 w = ss_mul(&A->inv_angular, ss_v3(j[3], j[4], j[5]));
        y[0]      = A->inv_linear * j[0];
        y[1]      = A->inv_linear * j[1];
        y[2]      = A->inv_linear * j[2];
        y[3]      = w.x;
        y[4]      = w.y;
        y[5]      = w.z;
    } else {
        y[0] = A->inv_linear * j[0];
        y[1] = A->inv_linear * j[1];
        y[2] = A->inv_angular.m[8] * j[2];
    }
}

void ss_unit_responses(const ss_model *m, ss_data *d, const ss_island *isl)
{
    const int32_t dof = m->dof;
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        for (int side = 0; side < 2; side++) {
            if (b->body[side] < 0) {
                continue;
            }
            const ss_body_matrix *A  = &d->matrix[b->body[side]];
            size_t                at = ((size_t)b->row * 2 + (size_t)side) * (size_t)dof;
            for (int32_t k = 0; k < b->dim; k++, at += 2 * (size_t)dof) {
                apply_inverse(A, d->rows.J + at, d->Y + at, dof);
            }
        }
    }
}

const ss_block *ss_island_blocks(ss_data *d, const ss_island *isl)
{
    ss_block *local = ss_arena_alloc(&d->scratch, (size_t)isl->block_count, sizeof *local);
    int32_t   start = 0;
    for (int32_t i = 0; local != NULL && i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        local[i]              = (ss_block){b->kind, start, b->dim, b->mu, b->bound};
        start += b->dim;
    }
    return local;
}

/* q of one block: J v_free + bias. */
static void free_velocity(const ss_model *m, const ss_data *d, const ss_row_block *b, double *q)
{
    for (int32_t k = 0; k < b->dim; k++) {
        q[k] = d->rows.bias[b->row + k];
    }
    for (int side = 0; side < 2; side++) {
        if (b->body[side] < 0) {
            continue;
        }
        const double *v = d->v_free + m->bodies[b->body[side]].v_start;
        const double *J = d->rows.J + ((size_t)b->row * 2 + (size_t)side) * (size_t)m->dof;
        for (int32_t k = 0; k < b->dim; k++, J += 2 * m->dof) {
            q[k] += ss_dot_dof(J, v, m->dof);
        }
    }
}

/* W(rows of x, rows of y) += J_x Y_y' over six coordinates, three rows each: contacts in 3D. */
static void couple_contacts(const double *restrict J, const double *restrict Y, double *restrict W,
                            int32_t ld)
{
    for (int32_t l = 0; l < 3; l++, Y += 12, W += ld) {
        W[0] += ss_dot_dof(J, Y, 6);
        W[1] += ss_dot_dof(J + 12, Y, 6);
        W[2] += ss_dot_dof(J + 24, Y, 6);
    }
}

/* W(rows of x, rows of y) += the part that goes through one body, on sides sx and sy. */
static void couple_side(const ss_data *d, const ss_row_block *x, int sx, const ss_row_block *y,
                        int sy, double *W, int32_t ld, int32_t dof)
{
    const double *J = d->rows.J + ((size_t)x->row * 2 + (size_t)sx) * (size_t)dof;
    const double *Y = d->Y + ((size_t)y->row * 2 + (size_t)sy) * (size_t)dof;
    if (dof == 6 && x->dim == 3 && y->dim == 3) {
        couple_contacts(J, Y, W, ld);
        return;
    }
    for (int32_t l = 0; l < y->dim; l++, Y += 2 * dof, W += ld) {
        const double *j = J;
        for (int32_t k = 0; k < x->dim; k++, j += 2 * dof) {
            W[k] += ss_dot_dof(j, Y, dof);
        }
    }
}

static void couple(const ss_model *m, const ss_data *d, const ss_row_block *x,
                   const ss_row_block *y, double *W, int32_t ld)
{
    for (int sx = 0; sx < 2; sx++) {
        for (int sy = 0; sy < 2; sy++) {
            if (x->body[sx] >= 0 && x->body[sx] == y->body[sy]) {
                couple_side(d, x, sx, y, sy, W, ld, m->dof);
            }
        }
    }
}

static bool share_body(const ss_row_block *x, const ss_row_block *y)
{
    return (x->body[0] >= 0 && (x->body[0] == y->body[0] || x->body[0] == y->body[1])) ||
           (x->body[1] >= 0 && (x->body[1] == y->body[0] || x->body[1] == y->body[1]));
}

/* The lower block triangle is computed, the upper one mirrored: W is symmetric to the last bit. */
static void fill_matrix(const ss_model *m, const ss_data *d, const ss_island *isl,
                        const ss_block *local, double *W, int32_t n)
{
    for (int32_t j = 0; j < isl->block_count; j++) {
        const ss_row_block *y = &d->rows.blocks[isl->blocks[j]];
        for (int32_t i = j; i < isl->block_count; i++) {
            const ss_row_block *x = &d->rows.blocks[isl->blocks[i]];
            if (share_body(x, y)) {
                couple(m, d, x, y, W + local[i].start + (ptrdiff_t)local[j].start * n, n);
            }
        }
    }
    for (int32_t c = 0; c < n; c++) {
        for (int32_t r = c + 1; r < n; r++) {
            W[c + (ptrdiff_t)r * n] = W[r + (ptrdiff_t)c * n];
        }
    }
}

ss_status ss_local_problem(const ss_model *m, ss_data *d, ss_island *isl)
{
    int32_t         n     = isl->row_count;
    double         *W     = ss_arena_alloc(&d->scratch, (size_t)n * (size_t)n, sizeof *W);
    double         *q     = ss_arena_alloc(&d->scratch, (size_t)n, sizeof *q);
    const ss_block *local = ss_island_blocks(d, isl);
    if (!W || !q || !local) {
        return SS_ERR_SCRATCH;
    }
    memset(W, 0, (size_t)n * (size_t)n * sizeof *W);
    ss_unit_responses(m, d, isl);
    for (int32_t i = 0; i < isl->block_count; i++) {
        free_velocity(m, d, &d->rows.blocks[isl->blocks[i]], q + local[i].start);
    }
    fill_matrix(m, d, isl, local, W, n);
    isl->q            = q;
    isl->cone.type    = SS_CONE;
    isl->cone.as.cone = (ss_cone){.n       = n,
                                  .nblocks = isl->block_count,
                                  .blocks  = local,
                                  .q       = q,
                                  .W       = {.rows = n, .cols = n, .dense = W, .ld = n}};
    return ss_let_gaps_close(m, d, isl, q);
}
