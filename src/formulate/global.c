/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The friction problem of an island in global form, sparse:
 *
 *   M v = H p + f,   u = H'v + bias,   M = A (one block per body),   H = J',   f = A v_free
 *
 * Column k of H is row k of J: two bodies, of couplings four, so the size grows with the number of
 * contacts.
 * The balance of forces is the same problem with M = 0 and f = h F. Rows that give, u = J v + bias
 * + G p, have the rates w = G p of their deflections as velocities beside v there, with the balance
 * 0 = p - p of the spring (balance/balance.c).
 */
#include <math.h>

#include "dynamics/coordinates.h"
#include "formulate/formulate.h"
#include "formulate/tolerances.h"

double ss_body_matrix_entry(const ss_model *m, const ss_data *d, int32_t body, int32_t r, int32_t c)
{
    const ss_body_matrix *A   = &d->matrix[body];
    const int32_t         dof = m->dof, line = m->dimension;
    if (A->full != NULL) {
        return A->full[r * dof + c];
    }
    if (r < line || c < line) {
        return r == c ? A->linear : 0;
    }
    if (m->bodies[body].dof < dof) {
        return r == c;
    }
    return A->angular.m[dof == 6 ? 3 * (r - 3) + c - 3 : 8];
}

/*
 * M in compressed columns: masses on the diagonal, the inertia of a body in a 3 x 3 block; all of
 * the body's matrix where there is damping by a matrix.
 */
static ss_status fill_mass(const ss_model *m, ss_data *d, const ss_island *isl, ss_matrix *M)
{
    const int32_t dof = m->dof, nv = isl->body_count * dof;
    const size_t  nnz    = (size_t)isl->body_count * (m->full_matrices ? 36 : dof == 6 ? 12 : 3);
    int32_t      *colptr = ss_arena_alloc(&d->scratch, (size_t)nv + 1, sizeof *colptr);
    int32_t      *rowind = ss_arena_alloc(&d->scratch, nnz, sizeof *rowind);
    double       *values = ss_arena_alloc(&d->scratch, nnz, sizeof *values);
    if (!colptr || !rowind || !values) {
        return SS_ERR_SCRATCH;
    }
    int32_t at = 0;
    for (int32_t i = 0; i < isl->body_count; i++) {
        bool full = d->matrix[isl->bodies[i]].full != NULL;
        for (int32_t c = 0; c < dof; c++) {
            bool    alone = c < m->dimension || dof == 3;
            int32_t first = full ? 0 : alone ? c : 3, last = full ? dof - 1 : alone ? c : 5;
            colptr[i * dof + c] = at;
            for (int32_t r = first; r <= last; r++, at++) {
                rowind[at] = i * dof + r;
                values[at] = ss_body_matrix_entry(m, d, isl->bodies[i], r, c);
            }
        }
    }
    colptr[nv] = at;
    *M = (ss_matrix){.rows = nv, .cols = nv, .colptr = colptr, .rowind = rowind, .values = values};
    return SS_OK;
}

/*
 * The entries of one side of a row, after those at `at`. Entries below `rounding` (of a
 * direction of length 1, and of the body's arm) become zero: where nothing else is in a row of the
 * balance, as with a ball that stands upright on one contact, the rounding of its normal would
 * count as a force that nothing balances. Levers of joints stay as they are: a link that swings
 * into line with what pulls it is turned by the little that is left of them.
 */
static inline int32_t put_side(const ss_model *m, const ss_data *d, const ss_row_block *b, int side,
                               const double *J, double rounding, int32_t at, int32_t *rowind,
                               double *values)
{
    const int32_t dof = m->dof, first = d->local[b->body[side]] * dof;
    for (int32_t c = 0; c < dof; c++) {
        rowind[at + c] = first + c;
        values[at + c] = J[side * dof + c];
    }
    const int32_t directions = b->source == SS_ROWS_CONTACT ? dof : m->dimension;
    for (int32_t c = 0; rounding > 0 && c < directions; c++) {
        double size = ss_coordinate_scale(m, b->body[side], c), *x = &values[at + c];
        *x = fabs(*x) <= rounding * size ? 0 : *x;
    }
    return at + dof;
}

/* The sides of a block that have a body, those first that come first in the island. */
static int32_t sides_in_order(const ss_data *d, const ss_row_block *b, int *order)
{
    int32_t count = 0;
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] < 0) {
            continue;
        }
        int32_t at = count++;
        for (; at > 0 && d->local[b->body[order[at - 1]]] > d->local[b->body[side]]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = side;
    }
    return count;
}

static size_t most_entries(const ss_data *d, const ss_island *isl, int32_t dof)
{
    size_t most = 0;
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        most += (size_t)b->dim * ((size_t)(b->sides * dof) + 1);
    }
    return most;
}

/* H = J'. Rows ascend within a column. */
static ss_status fill_jacobian(const ss_model *m, ss_data *d, const ss_island *isl, bool balance,
                               ss_matrix *H)
{
    const int32_t dof = m->dof, n = isl->row_count;
    const size_t  most     = most_entries(d, isl, dof);
    const double  rounding = balance ? SS_DIRECTION_ROUNDING : 0;
    int32_t      *colptr   = ss_arena_alloc(&d->scratch, (size_t)n + 1, sizeof *colptr);
    int32_t      *rowind   = ss_arena_alloc(&d->scratch, most, sizeof *rowind);
    double       *values   = ss_arena_alloc(&d->scratch, most, sizeof *values);
    if (!colptr || !rowind || !values) {
        return SS_ERR_SCRATCH;
    }
    int32_t at = 0, column = 0, rates = isl->body_count * dof;
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        int                 order[SS_ROW_SIDES];
        const int32_t       sides = sides_in_order(d, b, order);
        for (int32_t k = 0; k < b->dim; k++) {
            const double *J  = ss_row_side(m, &d->rows, b->row + k, 0);
            colptr[column++] = at;
            for (int32_t s = 0; s < sides; s++) {
                at = put_side(m, d, b, order[s], J, rounding, at, rowind, values);
            }
            if (balance && ss_row_gives(d, b, k)) {
                rowind[at]   = rates++;
                values[at++] = 1;
            }
        }
    }
    colptr[n] = at;
    *H =
        (ss_matrix){.rows = rates, .cols = n, .colptr = colptr, .rowind = rowind, .values = values};
    return SS_OK;
}

/* f = A v_free, body by body. */
static void fill_force(const ss_model *m, const ss_data *d, const ss_island *isl, double *f)
{
    for (int32_t i = 0; i < isl->body_count; i++, f += m->dof) {
        const ss_body_matrix *A = &d->matrix[isl->bodies[i]];
        const double         *v = d->v_free + m->bodies[isl->bodies[i]].v_start;
        for (int32_t c = 0; A->full != NULL && c < m->dof; c++) {
            f[c] = ss_dot_dof(A->full + c * m->dof, v, m->dof);
        }
        if (A->full != NULL) {
            continue;
        }
        for (int32_t c = 0; c < m->dimension; c++) {
            f[c] = A->linear * v[c];
        }
        if (m->dof == 6) {
            ss_vec3 t = ss_mul(&A->angular, ss_v3(v[3], v[4], v[5]));
            f[3]      = t.x;
            f[4]      = t.y;
            f[5]      = t.z;
        } else {
            f[2] = A->angular.m[8] * v[2];
        }
    }
}

bool ss_row_gives(const ss_data *d, const ss_row_block *b, int32_t k)
{
    return b->spring > 0 && k < 3 && d->rows.give[b->row + k] > 0;
}

int32_t ss_rates_of_deflections(const ss_data *d, const ss_island *isl)
{
    int32_t count = 0;
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        for (int32_t k = 0; k < b->dim; k++) {
            count += ss_row_gives(d, b, k);
        }
    }
    return count;
}

double ss_spring_coupling(const ss_data *d, const ss_spring *s, const ss_spring *other)
{
    const ss_layer *layer = &d->springs.layers[s->layer];
    const double   *B     = layer->B + (ptrdiff_t)s->cell * layer->count;
    return B[other->cell] / B[s->cell];
}

/* w += part G p */
static void add_rates(const ss_spring *s, double part, const double *p, double *w)
{
    for (int32_t i = 0; i < s->dim; i++) {
        for (int32_t j = 0; j < s->dim; j++) {
            w[i] += part * s->G_rows[3 * i + j] * p[j];
        }
    }
}

void ss_deflection_rates(const ss_data *d, const ss_row_block *b, double *w)
{
    const ss_spring *s = b->spring > 0 ? &d->springs.items[b->spring - 1] : NULL;
    if (s != NULL && s->layer < 0) {
        add_rates(s, 1, d->rows.impulse + b->row, w);
    }
    for (int32_t k = 0; s != NULL && s->layer >= 0 && k < d->springs.layers[s->layer].count; k++) {
        const ss_row_block *o    = &d->rows.blocks[d->springs.layers[s->layer].first + k];
        double              part = ss_spring_coupling(d, s, &d->springs.items[o->spring - 1]);
        add_rates(s, part, d->rows.impulse + o->row, w);
    }
}

/* M = 0, but 1 for the rotations of particles, which are at rest. */
static ss_status fill_no_mass(const ss_model *m, ss_data *d, const ss_island *isl, ss_matrix *M)
{
    const int32_t dof = m->dof, bodies = isl->body_count * dof;
    const int32_t nv     = bodies + ss_rates_of_deflections(d, isl);
    int32_t      *colptr = ss_arena_alloc(&d->scratch, (size_t)nv + 1, sizeof *colptr);
    int32_t      *rowind = ss_arena_alloc(&d->scratch, (size_t)nv, sizeof *rowind);
    double       *values = ss_arena_alloc(&d->scratch, (size_t)nv, sizeof *values);
    if (!colptr || !rowind || !values) {
        return SS_ERR_SCRATCH;
    }
    int32_t at = 0;
    for (int32_t i = 0; i < isl->body_count; i++) {
        int32_t real = m->bodies[isl->bodies[i]].dof;
        for (int32_t c = 0; c < dof; c++) {
            colptr[i * dof + c] = at;
            if (c >= real) {
                rowind[at]   = i * dof + c;
                values[at++] = 1;
            }
        }
    }
    for (int32_t k = bodies; k < nv; k++) {
        colptr[k] = at;
    }
    colptr[nv] = at;
    *M = (ss_matrix){.rows = nv, .cols = nv, .colptr = colptr, .rowind = rowind, .values = values};
    return SS_OK;
}

/* f = h F, body by body. */
static void fill_load(const ss_model *m, const ss_data *d, const ss_island *isl, double h,
                      double *f)
{
    for (int32_t i = 0; i < isl->body_count; i++, f += m->dof) {
        const ss_body *b = &m->bodies[isl->bodies[i]];
        ss_wrench_to_vector(m, &d->applied[isl->bodies[i]], h, f);
        for (int32_t c = b->dof; c < m->dof; c++) {
            f[c] = 0; /* a particle does not turn */
        }
    }
}

/* The island's problem around M and f. */
static ss_status pose(const ss_model *m, ss_data *d, ss_island *isl, ss_matrix M, const double *f,
                      bool balance)
{
    const int32_t   n = isl->row_count;
    ss_matrix       H;
    double         *q     = ss_arena_alloc(&d->scratch, (size_t)n, sizeof *q);
    const ss_block *local = ss_island_blocks(d, isl);
    if (!q || !local) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(fill_jacobian(m, d, isl, balance, &H));
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        for (int32_t k = 0; k < b->dim; k++) {
            q[local[i].start + k] = d->rows.bias[b->row + k];
        }
    }
    isl->cone.type    = SS_CONE;
    isl->cone.as.cone = (ss_cone){.n       = n,
                                  .nblocks = isl->block_count,
                                  .blocks  = local,
                                  .q       = q,
                                  .nv      = M.rows,
                                  .M       = M,
                                  .H       = H,
                                  .f       = f};
    return SS_OK;
}

ss_status ss_global_problem(const ss_model *m, ss_data *d, ss_island *isl)
{
    ss_matrix M;
    double   *f = ss_arena_alloc(&d->scratch, (size_t)isl->body_count * (size_t)m->dof, sizeof *f);
    if (f == NULL) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(fill_mass(m, d, isl, &M));
    ss_unit_responses(m, d, isl); /* impacts and corrections of overlaps ask for them too */
    fill_force(m, d, isl, f);
    if (ss_motion_enough(m, d, isl, true) ==
        0) { /* gaps of second order are less than is asked for */
        SS_TRY(ss_let_gaps_close_by_rows(m, d, isl));
    }
    return pose(m, d, isl, M, f, false);
}

ss_status ss_balance_problem(const ss_model *m, ss_data *d, ss_island *isl, double h)
{
    ss_matrix M;
    size_t    bodies = (size_t)isl->body_count * (size_t)m->dof;
    size_t    rates  = m->compliant ? (size_t)ss_rates_of_deflections(d, isl) : 0;
    double   *f      = ss_arena_alloc(&d->scratch, bodies + rates, sizeof *f);
    if (f == NULL) {
        return SS_ERR_SCRATCH;
    }
    for (size_t i = bodies; i < bodies + rates; i++) {
        f[i] = 0;
    }
    SS_TRY(fill_no_mass(m, d, isl, &M));
    fill_load(m, d, isl, h, f);
    return pose(m, d, isl, M, f, true);
}
