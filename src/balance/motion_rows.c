/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which motions balance with the forces found? Without a matrix the step solves, for its normal
 * impulses p_n and hence for fixed friction bounds b_i (mu_i p_n, or the bound of a disk),
 *
 *   min  -h F.v + sum_i b_i g(u_fi(v))     over  u_n(v) >= 0,  u_e(v) = 0,     u = J v + bias,
 *
 * g the norm (quadratic cone) or max_j -d_j.u (polygon with corners d_j): thesis (3.45), (3.51).
 * With the balance h F + J'p = 0 the objective of another feasible motion v + w exceeds that of v
 * by a sum of terms none of which is negative,
 *
 *   sum p_n J_n w  +  sum_i [ b_i g(u_fi + J_fi w) - b_i g(u_fi) + p_fi.J_fi w ],
 *
 * so v + w is as good exactly when every term is zero. Per block that reads, r = p_f:
 *
 *   equality                      J w = 0
 *   normal, p_n > 0               J_n w = 0
 *   normal, p_n = 0               u_n + J_n w >= 0
 *   friction inside its bound     J_f w = 0
 *   quadratic, |r| = b            u_f + J_f w = -s r,  s >= 0
 *   polygon, r = D beta on its boundary:  -d_j.(u_f + J_f w) is largest where beta_j > 0
 *
 * (docs/theory/quasistatic.md). These are linear rows in w: the set is a polyhedron around w = 0
 * for both cones. Reference: thesis 3.4.5, Proposition 1, with the corrections of that page.
 *
 * What gives has u = J v + w + bias with w = G p: the objective has w'G^-1 w/2 besides, which is
 * strictly convex, so no spring that acts may change, and the same rows follow.
 */
#include <math.h>
#include <string.h>

#include "balance/motion.h"
#include "balance/tolerances.h"
#include "linalg/vector.h"

typedef struct builder {
    const ss_model         *m;
    const ss_data          *d;
    const ss_motion_margin *margin;
    ss_motion_set          *set;
    const double           *load;  /* (nb) largest impulse on each body                 */
    const ss_row_block     *b;     /* the block at work                                 */
    double                  u[6];  /* its velocities: J v + bias + G p                  */
    double                  scale; /* the least load of its bodies                     */
} builder;

/* Part of one side of a row: coef times the rows of the block from `first` on, scaled. */
static void side_of(const builder *B, int side, int32_t first, int32_t n, const double *coef,
                    double *g)
{
    int32_t dof = B->m->dof, body = side < B->b->sides ? B->b->body[side] : -1;
    memset(g, 0, 6 * sizeof *g);
    if (body < 0) {
        return;
    }
    for (int32_t k = 0; k < n; k++) {
        const double *J = ss_row_side(B->m, &B->d->rows, B->b->row + first + k, side);
        for (int32_t c = 0; c < dof; c++) {
            g[c] += coef[k] * J[c] / ss_coordinate_scale(B->m, body, c);
        }
    }
}

/* The row  coef.J w  of the block's rows from `first` on; one without effect is left out. */
static void put(builder *B, int32_t first, int32_t n, const double *coef, bool equal, double value)
{
    ss_motion_row *row = &B->set->rows[B->set->count];
    for (int side = 0; side < SS_ROW_SIDES; side++) {
        int32_t body    = side < B->b->sides ? B->b->body[side] : -1;
        row->body[side] = body >= 0 ? B->d->local[body] : -1;
        side_of(B, side, first, n, coef, row->g + 6 * side);
    }
    double size = ss_vector_norm(6 * SS_ROW_SIDES, row->g);
    if (!(size > SS_MOTION_EFFECT * ss_vector_norm(n, coef))) {
        return;
    }
    for (int k = 0; k < 6 * SS_ROW_SIDES; k++) {
        row->g[k] /= size;
    }
    row->equal = equal;
    row->value = (equal ? value : fmax(value, 0)) / size;
    B->set->count++;
}

/* J w = 0 for n rows. */
static void hold(builder *B, int32_t first, int32_t n)
{
    for (int32_t k = 0; k < n; k++) {
        const double one = 1;
        put(B, first + k, 1, &one, true, B->u[first + k]);
    }
}

static void normal_row(builder *B)
{
    const double one     = 1;
    double       push    = B->d->rows.impulse[B->b->row] * ss_row_push(B->m, B->d, B->b, 0);
    bool         carries = push > B->margin->force * B->scale;
    put(B, 0, 1, &one, carries, B->u[0]);
}

/*
 * At the limit of the quadratic cone: no motion across the force (the columns 2 .. n of the
 * reflection that takes it to the first axis), and none that pushes back.
 */
static void quadratic_limit(builder *B, int32_t first, int32_t n, const double *r)
{
    double size = ss_vector_norm(n, r), w[5] = {0}, coef[5] = {0}, slip = 0;
    for (int32_t k = 0; k < n; k++) {
        coef[k] = -r[k] / size;
        slip += coef[k] * B->u[first + k];
        w[k] = r[k] / size + (k == 0 ? copysign(1, r[0]) : 0);
    }
    put(B, first, n, coef, false, slip);
    double square = 0;
    for (int32_t k = 0; k < n; k++) {
        square += w[k] * w[k];
    }
    for (int32_t j = 1; j < n; j++) {
        double across = 0;
        for (int32_t k = 0; k < n; k++) {
            coef[k] = (k == j ? 1 : 0) - 2 * w[k] * w[j] / square;
            across += coef[k] * B->u[first + k];
        }
        put(B, first, n, coef, true, across);
    }
}

/* Direction j of the polygon on n friction rows. */
static void direction(const ss_polygon *polygon, int32_t n, int32_t j, double *d)
{
    memset(d, 0, (size_t)n * sizeof *d);
    if (n >= 2 && j < polygon->count) {
        d[0] = polygon->corner[j][0];
        d[1] = polygon->corner[j][1];
    } else {
        int32_t k = n >= 2 ? j - polygon->count + 4 : j;
        d[k / 2]  = k % 2 == 0 ? 1 : -1;
    }
}

static int32_t largest(const double *x, int32_t n)
{
    int32_t best = 0;
    for (int32_t i = 1; i < n; i++) {
        best = x[i] > x[best] ? i : best;
    }
    return best;
}

/* On the polygon's boundary: where beta > 0, -d.u is as large as anywhere. */
static void polygon_limit(builder *B, int32_t first, int32_t n, const double *beta, double bound)
{
    const ss_polygon *polygon = &B->m->polygon;
    int32_t           count = ss_polygon_directions(polygon, n), top = largest(beta, count);
    double            d[5], best[5];
    direction(polygon, n, top, best);
    for (int32_t j = 0; j < count; j++) {
        double ahead = 0;
        direction(polygon, n, j, d);
        for (int32_t k = 0; k < n; k++) {
            d[k] -= best[k];
            ahead += d[k] * B->u[first + k];
        }
        if (j != top) {
            put(B, first, n, d, beta[j] > B->margin->force * bound, ahead);
        }
    }
}

/* n friction rows from `first` on. */
static void friction_rows(builder *B, int32_t first, int32_t n, double bound)
{
    const double *r = B->d->rows.impulse + B->b->row + first;
    double        beta[SS_POLYGON_MAX + 8];
    double        used    = ss_vector_norm(n, r);
    bool          polygon = ss_cone_of(B->m)->flat;
    if (!(bound * ss_row_push(B->m, B->d, B->b, first) > B->margin->force * B->scale)) {
        return;
    }
    if (polygon) {
        ss_polygon_split(&B->m->polygon, n, r, beta);
        used = 0;
        for (int32_t j = 0; j < ss_polygon_directions(&B->m->polygon, n); j++) {
            used += beta[j];
        }
    }
    if (used < (1 - B->margin->limit) * bound) {
        hold(B, first, n);
    } else if (polygon) {
        polygon_limit(B, first, n, beta, bound);
    } else {
        quadratic_limit(B, first, n, r);
    }
}

static void block_rows(builder *B)
{
    const ss_row_block *b = B->b;
    switch (b->kind) {
    case SS_BLOCK_EQUALITY:
        hold(B, 0, b->dim);
        break;
    case SS_BLOCK_UNILATERAL:
        normal_row(B);
        break;
    case SS_BLOCK_CONE:
        normal_row(B);
        friction_rows(B, 1, b->dim - 1, b->mu * B->d->rows.impulse[b->row]);
        break;
    case SS_BLOCK_DISK:
        friction_rows(B, 0, b->dim, b->bound);
        break;
    }
}

/* u = J v + bias of the block, and the forces that its impulses are measured against. */
static void enter_block(builder *B, const ss_row_block *b)
{
    int32_t dof = B->m->dof;
    B->b        = b;
    B->scale    = INFINITY;
    for (int32_t k = 0; k < b->dim; k++) {
        B->u[k] = B->d->rows.bias[b->row + k];
    }
    if (B->m->compliant) {
        ss_deflection_rates(B->d, b, B->u);
    }
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] < 0) {
            continue;
        }
        const double *v = B->d->v_next + B->m->bodies[b->body[side]].v_start;
        for (int32_t k = 0; k < b->dim; k++) {
            B->u[k] += ss_dot_dof(ss_row_side(B->m, &B->d->rows, b->row + k, side), v, dof);
        }
        B->scale = fmin(B->scale, B->load[b->body[side]]);
    }
}

static size_t most_rows(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    size_t rows = 0;
    for (int32_t i = 0; i < isl->block_count; i++) {
        int32_t dim = d->rows.blocks[isl->blocks[i]].dim;
        rows += 1 + (size_t)dim + (size_t)ss_polygon_directions(&m->polygon, dim);
    }
    return rows;
}

ss_status ss_motion_rows(const ss_model *m, ss_data *d, const ss_island *isl, double h,
                         const ss_motion_margin *margin, ss_motion_set *out)
{
    out->count = 0;
    out->rows  = ss_arena_alloc(&d->scratch, most_rows(m, d, isl), sizeof *out->rows);
    builder B = {.m = m, .d = d, .margin = margin, .set = out, .load = ss_body_loads(m, d, isl, h)};
    if (out->rows == NULL || B.load == NULL) {
        return SS_ERR_SCRATCH;
    }
    for (int32_t i = 0; i < isl->block_count; i++) {
        enter_block(&B, &d->rows.blocks[isl->blocks[i]]);
        block_rows(&B);
    }
    return SS_OK;
}
