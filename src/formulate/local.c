/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The friction problem of an island in local form, dense:
 *
 *   u = W p + q,   W = J A^-1 J',   q = J v_free + bias,   v_free = A^-1 b
 *
 * Row k of d->Y holds A^-1 J_k', laid out as J: W_kl is the sum over the bodies that rows k and l
 * share, and v+ = v_free + sum_k Y_k p_k afterwards.
 */
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "formulate/formulate.h"
#include "formulate/tolerances.h"

/* Y = A^-1 J' for `rows` rows of one body, 2 dof apart, in the parts of A. */
static inline void respond(const ss_body_matrix *A, const double *J, double *restrict Y,
                           int32_t rows, int32_t dof)
{
    const double  linear  = A->inv_linear;
    const ss_mat3 angular = A->inv_angular;
    for (int32_t k = 0; k < rows; k++, J += 2 * dof, Y += 2 * dof) {
        Y[0] = linear * J[0];
        Y[1] = linear * J[1];
        if (dof == 3) {
            Y[2] = angular.m[8] * J[2];
            continue;
        }
        Y[2]      = linear * J[2];
        ss_vec3 w = ss_mul(&angular, ss_v3(J[3], J[4], J[5]));
        Y[3]      = w.x;
        Y[4]      = w.y;
        Y[5]      = w.z;
    }
}

/* The same where a damping matrix couples the parts. */
static void respond_full(const double *inverse, const double *J, double *restrict Y, int32_t rows,
                         int32_t dof)
{
    for (int32_t k = 0; k < rows; k++, J += 2 * dof, Y += 2 * dof) {
        for (int32_t c = 0; c < dof; c++) {
            Y[c] = ss_dot_dof(inverse + (ptrdiff_t)c * dof, J, dof);
        }
    }
}

/* Sizes that are known where contacts are compiled let the compiler unroll. */
static void respond_side(const ss_body_matrix *A, const double *J, double *Y, int32_t rows,
                         int32_t dof)
{
    if (A->full != NULL) {
        respond_full(A->full + (ptrdiff_t)dof * dof, J, Y, rows, dof);
    } else if (dof == 6) {
        respond(A, J, Y, rows, 6);
    } else {
        respond(A, J, Y, rows, 3);
    }
}

void ss_body_response(const ss_body_matrix *A, const double *J, double *Y, int32_t dof)
{
    respond_side(A, J, Y, 1, dof);
}

void ss_unit_responses(const ss_model *m, ss_data *d, const ss_island *isl)
{
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        for (int side = 0; side < b->sides; side++) {
            if (b->body[side] >= 0) {
                respond_side(&d->matrix[b->body[side]], ss_row_side(m, &d->rows, b->row, side),
                             ss_response_side(m, d, b->row, side), b->dim, m->dof);
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

/* q += J v for `rows` rows, 2 dof apart. */
static inline void add_rates(const double *J, const double *v, double *restrict q, int32_t rows,
                             int32_t dof)
{
    for (int32_t k = 0; k < rows; k++, J += 2 * dof) {
        q[k] += ss_dot_dof(J, v, dof);
    }
}

/* q of one block: J v_free + bias. */
static void free_velocity(const ss_model *m, const ss_data *d, const ss_row_block *b, double *q)
{
    const double *bias = d->rows.bias + b->row;
    for (int32_t k = 0; k < b->dim; k++) {
        q[k] = bias[k];
    }
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] >= 0) {
            const double *v = d->v_free + m->bodies[b->body[side]].v_start;
            const double *J = ss_row_side(m, &d->rows, b->row, side);
            if (m->dof == 6) {
                add_rates(J, v, q, b->dim, 6);
            } else {
                add_rates(J, v, q, b->dim, 3);
            }
        }
    }
}

/* W(nx rows, ny rows) += J Y' over the coordinates of one body; rows of J and Y are 2 dof apart. */
static inline void add_products(const double *J, int32_t nx, const double *Y, int32_t ny,
                                int32_t dof, double *restrict W, int32_t ld)
{
    for (int32_t l = 0; l < ny; l++, Y += 2 * dof, W += ld) {
        const double *j = J;
        for (int32_t k = 0; k < nx; k++, j += 2 * dof) {
            W[k] += ss_dot_dof(j, Y, dof);
        }
    }
}

/* W(rows of x, rows of y) += the part that goes through one body, on sides sx and sy. */
static void couple_side(const ss_model *m, const ss_data *d, const ss_row_block *x, int sx,
                        const ss_row_block *y, int sy, double *W, int32_t ld)
{
    const int32_t dof = m->dof;
    const double *J   = ss_row_side(m, &d->rows, x->row, sx);
    const double *Y   = ss_response_side(m, d, y->row, sy);
    if (dof == 6 && x->dim == 3 && y->dim == 3) { /* contacts: sizes the compiler can unroll */
        add_products(J, 3, Y, 3, 6, W, ld);
    } else if (dof == 3 && x->dim == 2 && y->dim == 2) {
        add_products(J, 2, Y, 2, 3, W, ld);
    } else {
        add_products(J, x->dim, Y, y->dim, dof, W, ld);
    }
}

/* W(rows of x, rows of y), which is zero before. */
static void couple(const ss_model *m, const ss_data *d, const ss_row_block *x,
                   const ss_row_block *y, double *W, int32_t ld)
{
    for (int sx = 0; sx < x->sides; sx++) {
        for (int sy = 0; x->body[sx] >= 0 && sy < y->sides; sy++) {
            if (x->body[sx] == y->body[sy]) {
                couple_side(m, d, x, sx, y, sy, W, ld);
            }
        }
    }
}

/* W(rows of y, rows of x) from W(rows of x, rows of y). */
static inline void mirror(double *W, int32_t x, int32_t nx, int32_t y, int32_t ny, int32_t ld)
{
    for (int32_t k = x; k < x + nx; k++) {
        for (int32_t l = y; l < y + ny; l++) {
            W[l + (ptrdiff_t)k * ld] = W[k + (ptrdiff_t)l * ld];
        }
    }
}

static void mirror_block(double *W, const ss_block *x, const ss_block *y, int32_t ld)
{
    if (x == y) {
        for (int32_t k = x->start + 1; k < x->start + x->dim; k++) {
            mirror(W, k, 1, x->start, k - x->start, ld);
        }
    } else if (x->dim == 3 && y->dim == 3) {
        mirror(W, x->start, 3, y->start, 3, ld);
    } else {
        mirror(W, x->start, x->dim, y->start, y->dim, ld);
    }
}

/* W = J Y' of n rows, 2 dof apart, that act on the same side of one body. */
static inline void fill_one_sided(const double *J, const double *Y, int32_t n, int32_t dof,
                                  double *restrict W)
{
    for (int32_t l = 0; l < n; l++) {
        double y[6];
        for (int32_t c = 0; c < dof; c++) {
            y[c] = Y[(ptrdiff_t)l * 2 * dof + c];
        }
        const double *j    = J + (ptrdiff_t)l * 2 * dof;
        double       *down = W + (ptrdiff_t)l * (n + 1), *across = down;
        for (int32_t k = l; k < n; k++, j += 2 * dof, across += n) {
            *across = *down++ = ss_dot_dof(j, y, dof);
        }
    }
}

/* The side on which the island's rows, all in one piece, act on its only body; -1: no such side. */
static int one_side(const ss_data *d, const ss_island *isl)
{
    const ss_row_block *first = &d->rows.blocks[isl->blocks[0]];
    int                 side  = first->body[0] < 0;
    int32_t             row   = first->row;
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        if (b->row != row || b->body[side] < 0 || b->body[1 - side] >= 0) {
            return -1;
        }
        row += b->dim;
    }
    return isl->body_count == 1 ? side : -1;
}

/* The lower block triangle is computed, the upper one mirrored: W is symmetric to the last bit. */
static void fill_matrix(const ss_model *m, const ss_data *d, const ss_island *isl,
                        const ss_block *local, double *W, int32_t n)
{
    int side = one_side(d, isl);
    if (side >= 0) {
        int32_t       row = d->rows.blocks[isl->blocks[0]].row;
        const double *J   = ss_row_side(m, &d->rows, row, side),
                     *Y   = ss_response_side(m, d, row, side);
        if (m->dof == 6) {
            fill_one_sided(J, Y, n, 6, W);
        } else {
            fill_one_sided(J, Y, n, 3, W);
        }
        return;
    }
    memset(W, 0, (size_t)n * (size_t)n * sizeof *W);
    for (int32_t j = 0; j < isl->block_count; j++) {
        const ss_row_block *y = &d->rows.blocks[isl->blocks[j]];
        for (int32_t i = j; i < isl->block_count; i++) {
            const ss_row_block *x = &d->rows.blocks[isl->blocks[i]];
            couple(m, d, x, y, W + local[i].start + (ptrdiff_t)local[j].start * n, n);
            mirror_block(W, &local[i], &local[j], n);
        }
    }
}

/* The largest velocity that an island has, or that is asked of it. */
static double velocity_in_play(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    double most = 0;
    for (int32_t i = 0; i < isl->body_count; i++) {
        const ss_body *b = &m->bodies[isl->bodies[i]];
        for (int32_t c = 0; c < b->dof; c++) {
            double unit = ss_coordinate_scale(m, isl->bodies[i], c);
            most        = ss_max(most, fabs(d->v_free[b->v_start + c]) * unit);
        }
    }
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        if (m->poisson && b->source == SS_ROWS_CONTACT) {
            most = ss_max(most, b->rest); /* forces have no part in an impact, but in its start */
        }
        for (int32_t k = 0; k < b->dim; k++) {
            most = ss_max(most, fabs(d->rows.bias[b->row + k]));
        }
        for (int32_t k = 0; b->source == SS_ROWS_SUPPORT && k < b->dim; k++) {
            most = ss_max(most, b->bound * ss_row_response(m, d, b, b->row + k));
        }
    }
    return most;
}

/* Radians for a metre where a row is of turns alone; otherwise 1. */
static double row_unit(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row)
{
    double unit = 0;
    for (int side = 0; side < b->sides; side++) {
        const double *J = ss_row_side(m, &d->rows, row, side);
        if (b->body[side] < 0) {
            continue;
        }
        for (int32_t c = 0; c < m->dimension; c++) {
            if (J[c] != 0) {
                return 1;
            }
        }
        unit = ss_max(unit, 1 / ss_body_arm(m, b->body[side]));
    }
    return unit > 0 ? unit : 1;
}

static bool is_within(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t k,
                      double none, double q)
{
    return fabs(q) <= none || fabs(q) <= none * row_unit(m, d, b, b->row + k);
}

/* Is no row of the island faster than that? */
static bool all_within(const ss_model *m, const ss_data *d, const ss_island *isl, double none,
                       const double *q)
{
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        for (int32_t k = 0; k < b->dim; k++, q++) {
            if (!is_within(m, d, b, k, none, *q)) {
                return false;
            }
        }
    }
    return true;
}

static bool has_supports(const ss_data *d, const ss_island *isl)
{
    for (int32_t i = 0; i < isl->block_count; i++) {
        if (d->rows.blocks[isl->blocks[i]].source == SS_ROWS_SUPPORT) {
            return true;
        }
    }
    return false;
}

/* J v + bias of a row, without velocities of its bodies up to `none`; zero where that is rounding
   of the terms in it. */
static double known_rate(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row,
                         double none)
{
    double rate = d->rows.bias[row], terms = fabs(rate);
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] < 0) {
            continue;
        }
        const double *J = ss_row_side(m, &d->rows, row, side);
        const double *v = d->v_free + m->bodies[b->body[side]].v_start;
        for (int32_t c = 0; c < m->dof; c++) {
            bool is = fabs(v[c]) * ss_coordinate_scale(m, b->body[side], c) > none;
            rate += is ? J[c] * v[c] : 0;
            terms += is ? fabs(J[c] * v[c]) : 0;
        }
    }
    return fabs(rate) > ss_velocity_rounding * terms ? rate : 0;
}

/*
 * Bodies of an island push each other about, so their velocities are known to the rounding of the
 * largest among them, and no velocity of a row better. One that is smaller is zero: as it stands a
 * row of nothing but rounding would have to be solved, and certified, for its own sake. What
 * friction on a support stops is left with the rounding of what it may change in a step; weights,
 * of which contacts feel the free fall, are not among the forces there.
 *
 * All rows lose such velocities together; else, where there are supports, bodies lose them, not
 * rows. The points of a support have more rows than the body has velocities, joints between such
 * bodies depend on them, and what is left of them all has to be a motion that impulses can stop.
 * One row with its velocity while its neighbours have lost theirs is none: supports could only
 * slide then, by less than rounding, with impulses as large as their bounds.
 *
 * Where all go nowhere, none has a velocity: what friction stopped long ago has rounding of
 * rounding of rounding, and reactions of 1e-60 are nothing beside bounds of friction.
 */
static void drop_rounding(const ss_model *m, const ss_data *d, const ss_island *isl, double *q)
{
    double most = velocity_in_play(m, d, isl);
    /* an impact begins with what the last step left, which is certified, not exact */
    double part = d->impact.phase == SS_PHASE_COMPRESSION ? 0.1 * m->simulation.tolerance : 0;
    double none = ss_max(part, ss_velocity_rounding) * most;
    if (ss_goes_nowhere(m, most) || all_within(m, d, isl, none, q)) {
        memset(q, 0, (size_t)isl->row_count * sizeof *q);
        return;
    }
    bool bodies = has_supports(d, isl);
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        for (int32_t k = 0; k < b->dim; k++, q++) {
            if (bodies) {
                *q = known_rate(m, d, b, b->row + k, none);
            } else if (is_within(m, d, b, k, none, *q)) {
                *q = 0;
            }
        }
    }
}

/* Contacts that give: what of their matrix is not on the diagonal. */
static void couple_spring(const ss_spring *s, double *W, int32_t start, int32_t n)
{
    for (int32_t i = 0; i < s->dim; i++) {
        for (int32_t j = 0; j < s->dim; j++) {
            if (i != j) {
                W[start + i + (ptrdiff_t)(start + j) * n] += s->G_rows[3 * i + j];
            }
        }
    }
}

/* Springs of a layer give by each other's impulses. */
static void couple_layer(const ss_data *d, const ss_island *isl, const ss_block *local, int32_t i,
                         double *W, int32_t n)
{
    const ss_spring *s = &d->springs.items[d->rows.blocks[isl->blocks[i]].spring - 1];
    for (int32_t k = 0; k < isl->block_count; k++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[k]];
        const ss_spring    *o = b->spring > 0 ? &d->springs.items[b->spring - 1] : s;
        if (o == s || o->layer != s->layer) {
            continue;
        }
        double part = ss_spring_coupling(d, s, o);
        for (int32_t row = 0; row < s->dim; row++) {
            double *at = W + local[i].start + row + (ptrdiff_t)local[k].start * n;
            for (int32_t col = 0; col < s->dim; col++, at += n) {
                *at += part * s->G_rows[3 * row + col];
            }
        }
    }
}

/* u = W p + q of rows that give has their own impulse besides. */
static void let_rows_give(const ss_data *d, const ss_island *isl, const ss_block *local, double *W,
                          int32_t n)
{
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        for (int32_t k = 0; k < b->dim; k++) {
            W[(size_t)(local[i].start + k) * (size_t)(n + 1)] += d->rows.give[b->row + k];
        }
        if (b->spring > 0 && d->springs.items[b->spring - 1].law->coupled) {
            couple_spring(&d->springs.items[b->spring - 1], W, local[i].start, n);
        }
        if (b->spring > 0 && d->springs.items[b->spring - 1].layer >= 0) {
            couple_layer(d, isl, local, i, W, n);
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
    ss_unit_responses(m, d, isl);
    for (int32_t i = 0; i < isl->block_count; i++) {
        free_velocity(m, d, &d->rows.blocks[isl->blocks[i]], q + local[i].start);
    }
    if (isl->body_count > 1) {
        drop_rounding(m, d, isl, q);
    }
    fill_matrix(m, d, isl, local, W, n);
    if (d->rows.give != NULL) {
        let_rows_give(d, isl, local, W, n);
    }
    isl->q            = q;
    isl->W            = W;
    isl->cone.type    = SS_CONE;
    isl->cone.as.cone = (ss_cone){.n       = n,
                                  .nblocks = isl->block_count,
                                  .blocks  = local,
                                  .q       = q,
                                  .W       = {.rows = n, .cols = n, .dense = W, .ld = n}};
    return ss_let_gaps_close(m, d, isl, q);
}
