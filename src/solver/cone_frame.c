/* SPDX-License-Identifier: Apache-2.0 */
#include "solver/cone_frame.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "problem/reduce.h"
#include "problem/residual.h"
#include "solver/delegate.h"
#include "solver/tolerances.h"

static bool attempt_round(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x,
                          ss_cone_attempt attempt)
{
    if (p->axes == NULL) {
        return attempt(s, p, a, x);
    }
    ss_cone balls;
    if (!ss_reduce_axes(p, a, &balls)) {
        return false;
    }
    ss_reduce_axes_forth(p, x->z);
    bool fitted = attempt(s, &balls, a, x);
    ss_reduce_axes_back(p, x->z);
    ss_solver_changed(s); /* a certificate was that of balls */
    return fitted;
}

static void copy(double *to, const double *from, int32_t count)
{
    if (count > 0) {
        memcpy(to, from, (size_t)count * sizeof *to);
    }
}

/* An attempt that runs out of room has moved on: the next must start where it did, or the bits of
   the answer would depend on how much room earlier problems had left behind. */
static ss_status keep_start(ss_solver *s, ss_cone_state *st, const ss_cone *p, const ss_solution *x)
{
    ss_context *ctx    = ss_solver_context(s);
    size_t      wanted = (size_t)p->n + (size_t)p->nv;
    if (wanted > st->room) {
        double *fresh = ss_resize(ctx, st->start, st->room * sizeof *fresh, wanted * sizeof *fresh);
        if (fresh == NULL) {
            return ss_fail(ctx, SS_ERR_MEMORY, "no memory for the start of a solver");
        }
        st->start = fresh;
        st->room  = wanted;
    }
    copy(st->start, x->z, p->n);
    copy(st->start + p->n, x->v, p->nv);
    return SS_OK;
}

/* Does r = 0 solve the local form? u = q then: contacts open or touch, nothing slides at a bound.
 */
static bool nothing_acts(const ss_cone *p)
{
    for (int32_t k = 0; p->nv == 0 && k < p->nblocks; k++) {
        const ss_block *b = &p->blocks[k];
        bool rows = b->kind == SS_BLOCK_EQUALITY || (b->kind == SS_BLOCK_DISK && b->bound > 0);
        if (!rows && b->kind != SS_BLOCK_DISK && !(p->q[b->start] >= 0)) {
            return false;
        }
        for (int32_t i = b->start; rows && i < b->start + b->dim; i++) {
            if (p->q[i] != 0) {
                return false;
            }
        }
    }
    return p->nv == 0;
}

/* Bodies: blocks on M's diagonal of at most this many velocities. Elastic ones are larger, and to
   factor theirs for nothing would cost as much as a solver's first step. */
enum { BODY = 12 };

/* Row e of column j of M, dense or sparse; false: there are no more. */
static bool entry_of(const ss_matrix *M, int32_t j, int32_t e, int32_t *row, double *value)
{
    if (M->dense != NULL) {
        *row   = e;
        *value = e < M->rows ? M->dense[(size_t)j * (size_t)M->ld + (size_t)e] : 0;
        return e < M->rows;
    }
    int32_t at = M->colptr[j] + e;
    if (at >= M->colptr[j + 1]) {
        return false;
    }
    *row   = M->rowind[at];
    *value = M->values[at];
    return true;
}

/* The velocities that f alone gives, body by body; false: M is not of that form, or singular. */
static bool free_velocities(const ss_cone *p, double *v)
{
    double  block[BODY * BODY];
    int32_t pivots[BODY], row, end;
    copy(v, p->f, p->nv);
    for (int32_t start = 0; start < p->nv; start = end) {
        memset(block, 0, sizeof block);
        end = start + 1;
        for (int32_t j = start; j < end; j++) {
            double value;
            for (int32_t e = 0; entry_of(&p->M, j, e, &row, &value); e++) {
                if (value == 0) {
                    continue;
                }
                if (row < start || row >= start + BODY) {
                    return false;
                }
                block[(j - start) * BODY + row - start] = value;
                end                                     = row >= end ? row + 1 : end;
            }
        }
        if (!ss_dense_lu(end - start, block, BODY, pivots)) {
            return false;
        }
        ss_dense_lu_solve(end - start, block, BODY, pivots, v + start);
    }
    return true;
}

/* Does r = 0 solve the global form? The certificate says so. Leaves r and v zero otherwise. */
static ss_status try_nothing(ss_solver *s, ss_cone_state *st, const ss_cone *p, ss_solution *x)
{
    x->outcome = SS_NOT_APPLICABLE;
    if (p->nv == 0) {
        x->outcome = nothing_acts(p) ? SS_SOLVED : SS_NOT_APPLICABLE;
        return SS_OK;
    }
    if (!free_velocities(p, x->v)) {
        memset(x->v, 0, (size_t)p->nv * sizeof *x->v);
        return SS_OK;
    }
    double *work;
    for (ss_arena_reset(&st->arena);; ss_arena_reset(&st->arena)) {
        work = ss_arena_alloc(&st->arena, ss_residual_cone_work(p), sizeof *work);
        if (work != NULL) {
            break;
        }
        SS_TRY(ss_arena_grow(ss_solver_context(s), &st->arena));
    }
    if (ss_residual_cone(p, x->z, x->v, work) <= SS_WELL_BELOW * ss_solver_common(s)->tol) {
        x->outcome = SS_SOLVED;
        return SS_OK;
    }
    memset(x->v, 0, (size_t)p->nv * sizeof *x->v);
    return SS_OK;
}

ss_status ss_cone_frame(ss_solver *s, const ss_problem *p, ss_solution *x, ss_cone_attempt attempt)
{
    const ss_cone *cone = &p->as.cone;
    ss_cone_state *st   = ss_solver_state(s);
    st->status          = SS_OK;
    if (!x->warm) {
        memset(x->z, 0, (size_t)cone->n * sizeof *x->z);
        if (cone->nv > 0) {
            memset(x->v, 0, (size_t)cone->nv * sizeof *x->v);
        }
        SS_TRY(try_nothing(s, st, cone, x));
        if (x->outcome == SS_SOLVED) {
            return SS_OK;
        }
    }
    SS_TRY(keep_start(s, st, cone, x));
    double before = ss_solver_work(s);
    for (;;) {
        ss_arena_reset(&st->arena);
        if (attempt_round(s, cone, &st->arena, x, attempt)) {
            return st->status;
        }
        if (st->arena.wanted == 0) { /* not for want of room: it would fail forever */
            x->outcome = SS_NOT_APPLICABLE;
            return st->status;
        }
        ss_solver_unwork(s, before);
        if (ss_solver_out_of_time(s)) {
            x->outcome = SS_LIMIT;
            return st->status;
        }
        SS_TRY(ss_arena_grow(ss_solver_context(s), &st->arena));
        copy(x->z, st->start, cone->n);
        copy(x->v, st->start + cone->n, cone->nv);
    }
}

ss_fit ss_cone_either_form(ss_cone_local run, void *method, const ss_cone *p, ss_arena *a,
                           ss_solution *x)
{
    if (p->nv == 0) {
        return run(method, p, p, a, x);
    }
    ss_cone local;
    size_t  nv = (size_t)p->nv, n = (size_t)p->n;
    double *z = ss_arena_alloc(a, nv + n, sizeof *z);
    if (!ss_reduce_border(p, a, &local) || z == NULL) {
        return SS_FIT_SCRATCH;
    }
    copy(z, x->v, p->nv);
    copy(z + nv, x->z, p->n);
    ss_solution y   = {.z = z};
    ss_fit      fit = run(method, &local, p, a, &y);
    if (fit == SS_FIT_READY) {
        copy(x->v, z, p->nv);
        copy(x->z, z + nv, p->n);
        x->outcome    = y.outcome;
        x->iterations = y.iterations;
        x->residual   = y.residual;
    }
    return fit;
}

void ss_cone_release(ss_solver *s)
{
    ss_cone_state *st = ss_solver_state(s);
    ss_sparse_lu_free(ss_solver_context(s), &st->lu);
    ss_arena_free(ss_solver_context(s), &st->arena);
    ss_free(ss_solver_context(s), st->start, st->room * sizeof *st->start);
}

bool ss_cone_best_make(ss_cone_best *b, const ss_cone *p, const ss_cone *given, const double *z,
                       ss_arena *a)
{
    *b      = (ss_cone_best){.p = p, .given = given, .residual = INFINITY};
    b->z    = ss_arena_alloc(a, (size_t)p->n, sizeof *b->z);
    b->work = ss_arena_alloc(a, ss_residual_cone_work(given), sizeof *b->work);
    if (!b->z || !b->work) {
        return false;
    }
    copy(b->z, z, p->n);
    return true;
}

double ss_cone_best_measure(ss_cone_best *b, const double *z, const double *v)
{
    const double *r        = z + (b->p->n - b->given->n);
    double        residual = ss_residual_cone(b->given, r, v != NULL ? v : z, b->work);
    if (residual < b->residual) {
        b->residual = residual;
        copy(b->z, z, b->p->n);
    }
    return residual;
}

void ss_cone_best_give(const ss_cone_best *b, ss_solution *x)
{
    copy(x->z, b->z, b->p->n);
    x->residual = b->residual;
}
