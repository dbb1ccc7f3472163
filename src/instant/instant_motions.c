/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Existence and uniqueness. Contacts that slide (or are smooth) alone make an LCP a = D z + q with
 * Dupont's matrix D; if it is a P-matrix there is one solution for every load (Theorem 3.1). Small
 * problems are searched through: every solution is found, or it is proved that there is none. In
 * space the cones of sticking contacts are polygons in that search. A motion is counted once. What
 * a continuum of solutions leaves open, forces and the motion itself, is told by instant_freedom.c.
 */
#include "instant/instant_parts.h"

#include <math.h>
#include <string.h>

#include "instant/tolerances.h"
#include "linalg/matrix.h"
#include "model/axes.h"

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
    x->roams = false;
    x->low = x->high = NULL;
    for (size_t i = 0; i < n; i++) {
        x->fixed[i] = SS_YES;
    }
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
        bool sure      = kept->fixed[i] == SS_YES && other->fixed[i] == SS_YES;
        kept->fixed[i] = sure && same ? SS_YES : SS_NO;
        isl->varies    = isl->varies || kept->fixed[i] == SS_NO;
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
        if (plain) {
            memcpy(unknowns, piece->z, (size_t)isl->p.n * sizeof *unknowns);
        } else {
            ss_reduce_polygon_back(&isl->p.cone, &m->polygon, piece->z, unknowns);
        }
        SS_TRY(ss_instant_add_motion(d, r, isl, unknowns));
        ss_instant_motion *x = &isl->motions[isl->count - 1];
        if (piece->dimension > 0) {
            SS_TRY(ss_instant_open_piece(s, m, d, r, lcp, plain, piece, isl, x));
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
    SS_TRY(ss_instant_add_motion(d, r, isl, unknowns));
    ss_instant_motion *found = &isl->motions[isl->count - 1];
    return s->judging ? ss_instant_open_solution(m, d, r, isl, found) : SS_OK;
}

/* The motion in which nothing opens nor slips, where it is another than the one that was found. */
static ss_status add_held(const ss_model *m, ss_data *d, const ss_instant_rows *r,
                          ss_instant_island *isl)
{
    bool    determined = isl->determined;
    double  residual;
    double *z = ss_arena_alloc(&d->scratch, (size_t)isl->p.n, sizeof *z);
    if (z == NULL) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(ss_instant_find_held(d, &isl->p, z, &residual));
    if (!(residual <= SS_INSTANT_CERTIFIED)) {
        return SS_OK;
    }
    SS_TRY(ss_instant_add_motion(d, r, isl, z));
    ss_instant_motion *held = &isl->motions[isl->count - 1];
    if (isl->count > 1 && same_motion(isl, &isl->motions[0], held)) {
        isl->count--;
        return SS_OK;
    }
    isl->exists   = SS_YES;
    isl->residual = fmax(isl->residual, residual);
    SS_TRY(ss_instant_open_solution(m, d, r, isl, held));
    isl->determined = isl->determined && (determined || isl->count == 1);
    return SS_OK;
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
        if (s->judging && !ss_instant_nothing_sticks(&isl->p)) {
            SS_TRY(add_held(m, d, r, isl));
        }
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
