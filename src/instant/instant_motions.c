/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Existence and uniqueness. Contacts that slide (or are smooth) alone make an LCP a = D z + q with
 * Dupont's matrix D; if it is a P-matrix there is one solution for every load (Theorem 3.1). Small
 * problems are searched through: every solution is found, or it is proved that there is none. In
 * space the cones of sticking contacts are polygons in that search. A motion is counted once; where
 * the forces of one motion form a continuum, they are said not to be unique, contact by contact:
 * with z inside the continuum, its directions dz have dz_i = 0 where z_i = 0 and (M dz)_i = 0 where
 * w_i = 0, and a force f.z is unique if f depends on those rows. So is the motion if all
 * accelerations do, which is not said by that: of a box that slides and spins on four corners,
 * loads on two that face each other and less on the others close no gap, but turn the friction.
 */
#include "instant/instant_parts.h"

#include <math.h>
#include <string.h>

#include "instant/tolerances.h"
#include "linalg/matrix.h"
#include "model/axes.h"
#include "stickslip/lcp.h"

/* Then its matrix is Dupont's. */
bool ss_instant_nothing_sticks(const ss_instant_problem *p)
{
    for (int32_t i = 0; i < p->cone.nblocks; i++) {
        if (p->cone.blocks[i].kind != SS_BLOCK_UNILATERAL) {
            return false;
        }
    }
    return true;
}

ss_status ss_instant_add_motion(ss_data *d, const ss_instant_rows *r, ss_instant_island *isl,
                                const double *z)
{
    const ss_instant_problem *p = &isl->p;
    size_t                    n = (size_t)p->n, rows = (size_t)p->rows;
    ss_instant_motion        *x = &isl->motions[isl->count];
    x->z                        = ss_arena_alloc(&d->scratch, n, sizeof *x->z);
    x->force                    = ss_arena_alloc(&d->scratch, rows, sizeof *x->force);
    x->a                        = ss_arena_alloc(&d->scratch, rows, sizeof *x->a);
    x->fixed                    = ss_arena_alloc(&d->scratch, n, sizeof *x->fixed);
    if (!x->z || !x->force || !x->a || !x->fixed) {
        return SS_ERR_SCRATCH;
    }
    memcpy(x->z, z, n * sizeof *z);
    memset(x->fixed, 1, n * sizeof *x->fixed);
    ss_instant_forces(r, p, z, x->force);
    ss_instant_accelerations(p, x->force, x->a);
    isl->count++;
    return SS_OK;
}

/* Do two of them move alike? Rows span all that contacts do to the bodies. */
static bool same_motion(const ss_instant_island *isl, const ss_instant_motion *x,
                        const ss_instant_motion *y)
{
    double apart = 0, size = 0;
    for (int32_t i = 0; i < isl->p.rows; i++) {
        apart = fmax(apart, fabs(x->a[i] - y->a[i]));
        size  = fmax(size, fabs(isl->p.q[i]) + fabs(x->a[i]) + fabs(y->a[i]));
    }
    return apart <= SS_INSTANT_SAME * size;
}

static void note_differences(ss_instant_island *isl, ss_instant_motion *kept,
                             const ss_instant_motion *other)
{
    double size = 0;
    for (int32_t i = 0; i < isl->p.n; i++) {
        size = fmax(size, fabs(kept->z[i]) + fabs(other->z[i]));
    }
    for (int32_t i = 0; i < isl->p.n; i++) {
        bool same      = fabs(kept->z[i] - other->z[i]) <= SS_INSTANT_SAME * size;
        kept->fixed[i] = kept->fixed[i] && other->fixed[i] && same;
        isl->varies    = isl->varies || !kept->fixed[i];
    }
}

int32_t ss_instant_rank(double *A, int32_t rows, int32_t cols)
{
    double largest = 0;
    for (int32_t k = 0; k < rows && k < cols; k++) {
        int32_t r = k, c = k;
        for (int32_t i = k; i < rows; i++) {
            for (int32_t j = k; j < cols; j++) {
                if (fabs(A[i * cols + j]) > fabs(A[r * cols + c])) {
                    r = i;
                    c = j;
                }
            }
        }
        double pivot = fabs(A[r * cols + c]);
        largest      = k == 0 ? pivot : largest;
        if (pivot <= SS_INSTANT_BORDER * largest || pivot == 0) {
            return k;
        }
        for (int32_t j = 0; j < cols; j++) {
            double x        = A[k * cols + j];
            A[k * cols + j] = A[r * cols + j];
            A[r * cols + j] = x;
        }
        for (int32_t i = 0; i < rows; i++) {
            double x        = A[i * cols + k];
            A[i * cols + k] = A[i * cols + c];
            A[i * cols + c] = x;
        }
        for (int32_t i = k + 1; i < rows; i++) {
            double f = A[i * cols + k] / A[k * cols + k];
            for (int32_t j = k; j < cols; j++) {
                A[i * cols + j] -= f * A[k * cols + j];
            }
        }
    }
    return rows < cols ? rows : cols;
}

/* Unknowns of the cone problem from those of the LCP. */
static void unknowns_of(const ss_model *m, const ss_instant_island *isl, bool plain,
                        const double *z, double *unknowns)
{
    if (plain) {
        memcpy(unknowns, z, (size_t)isl->p.n * sizeof *z);
    } else {
        ss_reduce_polygon_back(&isl->p.cone, &m->polygon, z, unknowns);
    }
}

/* A continuum: directions dz of it have A dz = 0, over the columns that are not zero in it. */
typedef struct continuum {
    double  *A;
    int32_t *col;
    int32_t  rows, cols, rank, n;
    bool     plain;
} continuum;

/* Is the motion the same all over it? */
static ss_status find_moving(ss_data *d, const ss_model *m, const ss_instant_rows *r,
                             const continuum *x, ss_instant_island *isl)
{
    const size_t all = (size_t)isl->p.rows, room = ((size_t)x->rows + all) * (size_t)x->cols;
    double      *B    = ss_arena_alloc(&d->scratch, room, sizeof *B);
    double      *at   = ss_arena_alloc(&d->scratch, 3 * all, sizeof *at);
    double      *e    = ss_arena_alloc(&d->scratch, (size_t)x->n, sizeof *e);
    double      *unit = ss_arena_alloc(&d->scratch, (size_t)isl->p.n, sizeof *unit);
    if (!B || !at || !e || !unit) {
        return SS_ERR_SCRATCH;
    }
    double *none = at, *one = at + all, *force = one + all;
    memset(unit, 0, (size_t)isl->p.n * sizeof *unit);
    ss_instant_forces(r, &isl->p, unit, force);
    ss_instant_accelerations(&isl->p, force, none);
    memcpy(B, x->A, (size_t)x->rows * (size_t)x->cols * sizeof *B);
    for (int32_t j = 0; j < x->cols; j++) {
        memset(e, 0, (size_t)x->n * sizeof *e);
        e[x->col[j]] = 1;
        unknowns_of(m, isl, x->plain, e, unit);
        ss_instant_forces(r, &isl->p, unit, force);
        ss_instant_accelerations(&isl->p, force, one);
        for (int32_t i = 0; i < isl->p.rows; i++) {
            B[(x->rows + i) * x->cols + j] = one[i] - none[i];
        }
    }
    int32_t rank = ss_instant_rank(B, x->rows + isl->p.rows, x->cols);
    isl->drifts  = isl->drifts || rank > x->rank;
    isl->varies  = isl->varies || rank < x->cols; /* with one motion, that is */
    return SS_OK;
}

/* Which unknowns of the cone problem does the continuum around z leave alone, and the motion? */
static ss_status find_fixed(ss_data *d, const ss_model *m, const ss_instant_rows *of,
                            const ss_lcp *lcp, const double *z, bool plain, ss_instant_island *isl,
                            ss_instant_motion *x)
{
    int32_t  n = lcp->n, rows = 0, cols = 0;
    size_t   room = (size_t)n * (size_t)(n + 1);
    double  *A    = ss_arena_alloc(&d->scratch, 2 * room + 3 * (size_t)n, sizeof *A);
    int32_t *col  = ss_arena_alloc(&d->scratch, (size_t)n, sizeof *col);
    if (A == NULL || col == NULL) {
        return SS_ERR_SCRATCH;
    }
    double *B = A + room, *w = B + room, *e = w + n, *r = e + n;
    double  zs = 0, ws = 0;
    memcpy(w, lcp->q, (size_t)n * sizeof *w);
    ss_matrix_mul_add(&lcp->M, z, w);
    for (int32_t i = 0; i < n; i++) {
        zs = fmax(zs, z[i]);
        ws = fmax(ws, fabs(w[i]) + fabs(lcp->q[i]));
    }
    for (int32_t i = 0; i < n; i++) {
        if (z[i] > SS_INSTANT_SAME * zs) {
            col[cols++] = i;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        if (w[i] <= SS_INSTANT_SAME * ws) {
            for (int32_t j = 0; j < cols; j++) {
                A[rows * cols + j] = lcp->M.dense[i + (size_t)col[j] * (size_t)lcp->M.ld];
            }
            rows++;
        }
    }
    memcpy(B, A, (size_t)rows * (size_t)cols * sizeof *B);
    int32_t rank = ss_instant_rank(B, rows, cols);
    for (int32_t k = 0; k < isl->p.n && rank < cols; k++) {
        memcpy(B, A, (size_t)rows * (size_t)cols * sizeof *B);
        for (int32_t j = 0; j < cols; j++) { /* row k of the map from z to the unknowns */
            memset(e, 0, (size_t)n * sizeof *e);
            e[col[j]] = 1;
            unknowns_of(m, isl, plain, e, r);
            B[rows * cols + j] = r[k];
        }
        x->fixed[k] = ss_instant_rank(B, rows + 1, cols) == rank;
    }
    const continuum all = {A, col, rows, cols, rank, n, plain};
    return rank < cols ? find_moving(d, m, of, &all, isl) : SS_OK;
}

ss_status ss_instant_reduce(const ss_model *m, ss_data *d, const ss_instant_problem *p, bool *plain,
                            ss_lcp *out)
{
    ss_problem reduced;
    *plain = ss_instant_nothing_sticks(p);
    if (*plain) {
        *out = (ss_lcp){.n = p->n, .M = p->cone.W, .q = p->cone.q};
        return SS_OK;
    }
    if (!ss_reduce_polygon(&p->cone, &m->polygon, &d->scratch, &reduced)) {
        return SS_ERR_SCRATCH;
    }
    *out = reduced.as.lcp;
    return SS_OK;
}

static ss_status take_pieces(ss_instant *s, const ss_model *m, ss_data *d, const ss_instant_rows *r,
                             const ss_lcp *lcp, bool plain, ss_instant_island *isl)
{
    const ss_problem problem  = {.type = SS_LCP, .as.lcp = *lcp};
    double          *unknowns = ss_arena_alloc(&d->scratch, (size_t)isl->p.n, sizeof *unknowns);
    double *work = ss_arena_alloc(&d->scratch, ss_residual_work(&problem) + 1, sizeof *work);
    if (unknowns == NULL || work == NULL) {
        return SS_ERR_SCRATCH;
    }
    int32_t pieces = ss_enumerate_count(s->all);
    for (int32_t i = 0; i < pieces; i++) {
        const ss_lcp_piece *piece = ss_enumerate_piece(s->all, i);
        if (!(ss_residual(&problem, piece->z, NULL, work) <= SS_INSTANT_CERTIFIED)) {
            continue; /* a vertex at 1e17 is where rounding put it, no solution */
        }
        if (isl->count == SS_INSTANT_MOTIONS) {
            isl->complete = false;
            break;
        }
        unknowns_of(m, isl, plain, piece->z, unknowns);
        SS_TRY(ss_instant_add_motion(d, r, isl, unknowns));
        ss_instant_motion *x = &isl->motions[isl->count - 1];
        if (piece->dimension > 0) {
            SS_TRY(find_fixed(d, m, r, lcp, piece->z, plain, isl, x));
        }
        for (int32_t k = 0; k + 1 < isl->count; k++) {
            if (same_motion(isl, &isl->motions[k], x)) {
                note_differences(isl, &isl->motions[k], x);
                isl->count--;
                break;
            }
        }
    }
    return SS_OK;
}

static ss_status search(ss_instant *s, const ss_model *m, ss_data *d, const ss_instant_rows *r,
                        ss_instant_island *isl)
{
    ss_lcp lcp;
    bool   plain;
    SS_TRY(ss_instant_reduce(m, d, &isl->p, &plain, &lcp));
    if (lcp.n > s->most) {
        return SS_OK;
    }
    ss_problem  problem = {.type = SS_LCP, .as.lcp = lcp};
    ss_solution x       = {.z = ss_arena_alloc(&d->scratch, (size_t)lcp.n, sizeof(double))};
    if (x.z == NULL) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(ss_solve(s->all, &problem, &x));
    isl->searched = true;
    isl->complete = ss_enumerate_complete(s->all);
    if (x.outcome == SS_SOLVED) {
        isl->exists   = SS_YES;
        isl->residual = x.residual;
        return take_pieces(s, m, d, r, &lcp, plain, isl);
    }
    isl->exists = x.outcome == SS_INFEASIBLE && isl->complete ? SS_NO : SS_UNDECIDED;
    return SS_OK;
}

/* One solution, where there are too many unknowns to look for all. */
static ss_status solve_one(ss_instant *s, const ss_model *m, ss_data *d, const ss_instant_rows *r,
                           ss_instant_island *isl)
{
    ss_problem  problem = {.type = SS_CONE, .as.cone = isl->p.cone};
    ss_solution x       = {.z = ss_arena_alloc(&d->scratch, (size_t)isl->p.n, sizeof(double))};
    bool        plain   = false;
    if (x.z == NULL) {
        return SS_ERR_SCRATCH;
    }
    if (ss_cone_of(m)->flat || ss_instant_nothing_sticks(&isl->p)) {
        ss_lcp lcp;
        SS_TRY(ss_instant_reduce(m, d, &isl->p, &plain, &lcp));
        problem = (ss_problem){.type = SS_LCP, .as.lcp = lcp};
        x.z     = ss_arena_alloc(&d->scratch, (size_t)lcp.n, sizeof(double));
        if (x.z == NULL) {
            return SS_ERR_SCRATCH;
        }
    }
    SS_TRY(ss_solve(s->any, &problem, &x));
    if (x.outcome == SS_INFEASIBLE) {
        isl->exists = SS_NO;
    }
    if (!(x.residual <= SS_INSTANT_CERTIFIED)) {
        return SS_OK;
    }
    isl->exists      = SS_YES;
    isl->residual    = x.residual;
    double *unknowns = x.z;
    if (problem.type == SS_LCP && !plain) {
        unknowns = ss_arena_alloc(&d->scratch, (size_t)isl->p.n, sizeof *unknowns);
        if (unknowns == NULL) {
            return SS_ERR_SCRATCH;
        }
        ss_reduce_polygon_back(&isl->p.cone, &m->polygon, x.z, unknowns);
    }
    return ss_instant_add_motion(d, r, isl, unknowns);
}

ss_status ss_instant_judge_island(ss_instant *s, const ss_model *m, ss_data *d,
                                  const ss_instant_rows *r, ss_instant_island *isl)
{
    ss_answer p = SS_UNDECIDED;
    isl->exists = SS_UNDECIDED;
    if (isl->p.n == 0) {
        isl->exists   = SS_YES;
        isl->complete = true;
        return ss_instant_add_motion(d, r, isl, isl->p.known);
    }
    SS_TRY(search(s, m, d, r, isl));
    if (isl->count == 0 && isl->exists != SS_NO) { /* or no vertex of what was found is certified */
        isl->complete = false;
        SS_TRY(solve_one(s, m, d, r, isl));
    }
    if (ss_instant_nothing_sticks(&isl->p) && isl->count == 1 && !isl->complete) {
        SS_TRY(ss_pmatrix(s->ctx, isl->p.cone.W.dense, isl->p.n, &p));
        isl->complete = p == SS_YES;
    }
    return SS_OK;
}

ss_status ss_instant_move_island(ss_instant *s, const ss_model *m, ss_data *d,
                                 const ss_instant_rows *r, bool one, ss_instant_island *isl)
{
    bool curved = m->dimension == 3 || m->support_count > 0; /* bounds of two rows and more */
    bool round  = one || (curved && !ss_cone_of(m)->flat && !ss_instant_nothing_sticks(&isl->p));
    isl->exists = SS_UNDECIDED;
    if (round) {
        SS_TRY(solve_one(s, m, d, r, isl));
    }
    return isl->count > 0 ? SS_OK : ss_instant_judge_island(s, m, d, r, isl);
}
