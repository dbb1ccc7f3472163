/* SPDX-License-Identifier: Apache-2.0 */
#include "solver/cone_frame.h"

#include <math.h>
#include <string.h>

#include "problem/reduce.h"
#include "problem/residual.h"

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
        if (nothing_acts(cone)) {
            x->outcome = SS_SOLVED;
            return SS_OK;
        }
    }
    SS_TRY(keep_start(s, st, cone, x));
    for (;;) {
        ss_arena_reset(&st->arena);
        if (attempt_round(s, cone, &st->arena, x, attempt)) {
            return st->status;
        }
        if (st->arena.wanted == 0) { /* not for want of room: it would fail for ever */
            x->outcome = SS_NOT_APPLICABLE;
            return st->status;
        }
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
