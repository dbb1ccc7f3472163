/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Projected Gauss-Seidel, or successive over-relaxation, for lcp and mlcp:
 *
 *   z_i <- max(0, z_i - omega w_i / M_ii)   (without the max where z_i is free),   w = M z + q,
 *
 * one unknown after the other, always with the newest w. It wants M_ii > 0 (M_ii != 0 in free rows)
 * and refuses anything else. It converges for symmetric positive definite M and 0 < omega < 2, and
 * for strictly diagonally dominant M and 0 < omega <= 1; elsewhere it may not.
 *
 * R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, section 5.2.
 */
#include <math.h>
#include <string.h>

#include "linalg/matrix.h"
#include "solver/delegate.h"
#include "stickslip/solver.h"

typedef struct settings {
    double omega;
} settings;

typedef struct sweeper {
    const ss_problem    *p;
    const ss_matrix     *M;
    const double        *q;
    const unsigned char *free; /* or NULL */
    int32_t              n;
    double              *w;        /* (n) M z + q, kept up to date   */
    double              *diagonal; /* (n)                            */
    double              *work;     /* of ss_residual                 */
    double              *best;     /* (n) z with the smallest residual */
} sweeper;

enum { CHECK = 16, SWEEPS = 20000 };

static double diagonal_entry(const ss_matrix *M, int32_t i)
{
    if (M->dense != NULL) {
        return M->dense[(size_t)i * (size_t)M->ld + (size_t)i];
    }
    for (int32_t k = M->colptr[i]; k < M->colptr[i + 1]; k++) {
        if (M->rowind[k] == i) {
            return M->values[k];
        }
    }
    return 0;
}

/* False when a diagonal entry has the wrong sign. */
static bool load_diagonal(sweeper *w)
{
    bool fits = true;
    for (int32_t i = 0; i < w->n; i++) {
        w->diagonal[i] = diagonal_entry(w->M, i);
        bool free      = w->free != NULL && w->free[i];
        fits           = fits && (free ? w->diagonal[i] != 0 : w->diagonal[i] > 0);
    }
    return fits;
}

static void refresh(sweeper *w, const double *z)
{
    memcpy(w->w, w->q, (size_t)w->n * sizeof *w->w);
    ss_matrix_mul_add(w->M, z, w->w);
}

/* One sweep; gives the largest change relative to what an unknown is worth in its own row. */
static double sweep(sweeper *w, double omega, double *z)
{
    double largest = 0;
    for (int32_t i = 0; i < w->n; i++) {
        double next = z[i] - omega * w->w[i] / w->diagonal[i];
        if (next < 0 && !(w->free != NULL && w->free[i])) {
            next = 0;
        }
        double change = next - z[i];
        if (change == 0) {
            continue;
        }
        z[i] = next;
        ss_matrix_add_column(w->M, i, change, w->w);
        largest = fmax(largest, fabs(change) / (fabs(next) + fabs(change)));
    }
    return largest;
}

/* Sweep until the residual of the problem is small enough, or for as long as is allowed. */
static ss_outcome run(ss_solver *s, sweeper *w, ss_solution *x)
{
    const ss_common *common = ss_solver_common(s);
    double           omega = ((const settings *)ss_solver_settings(s))->omega, least = INFINITY;
    int32_t          limit   = common->max_iter > 0 ? common->max_iter : SWEEPS;
    ss_outcome       outcome = SS_LIMIT;
    refresh(w, x->z);
    while (outcome == SS_LIMIT && x->iterations < limit) {
        double change = sweep(w, omega, x->z);
        ss_solver_worked(s, ss_matrix_products(w->M));
        x->iterations++;
        if (!isfinite(change)) {
            break; /* diverged */
        }
        bool late = ss_solver_out_of_time_now(s, false);
        if (!late && change > common->tol && x->iterations % CHECK != 0 && x->iterations < limit) {
            continue;
        }
        refresh(w, x->z);
        double residual = ss_residual(w->p, x->z, NULL, w->work);
        if (residual < least) {
            least = residual;
            memcpy(w->best, x->z, (size_t)w->n * sizeof *w->best);
        }
        if (residual <= common->tol || change == 0) {
            outcome = SS_SOLVED;
        } else if (ss_solver_out_of_time(s)) {
            break;
        }
    }
    memcpy(x->z, w->best, (size_t)w->n * sizeof *x->z);
    return outcome;
}

static sweeper sweeper_make(const ss_problem *p, double *at)
{
    bool    mixed = p->type == SS_MLCP;
    sweeper w     = {.p    = p,
                     .M    = mixed ? &p->as.mlcp.M : &p->as.lcp.M,
                     .q    = mixed ? p->as.mlcp.q : p->as.lcp.q,
                     .free = mixed ? p->as.mlcp.free : NULL,
                     .n    = ss_problem_size(p)};
    w.w           = at;
    w.diagonal    = at + w.n;
    w.best        = at + 2 * (size_t)w.n;
    w.work        = at + 3 * (size_t)w.n;
    return w;
}

static ss_status solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    size_t  n      = (size_t)ss_problem_size(p);
    double *memory = ss_solver_memory(s, (3 * n + ss_residual_work(p)) * sizeof(double));
    if (memory == NULL) {
        return ss_fail(ss_solver_context(s), SS_ERR_MEMORY, "pgs: no memory for %d unknowns",
                       (int)n);
    }
    sweeper w = sweeper_make(p, memory);
    if (!load_diagonal(&w)) {
        x->outcome = SS_NOT_APPLICABLE;
        return SS_OK;
    }
    for (int32_t i = 0; i < w.n; i++) {
        bool free = w.free != NULL && w.free[i];
        x->z[i]   = x->warm && isfinite(x->z[i]) && (free || x->z[i] > 0) ? x->z[i] : 0;
    }
    memcpy(w.best, x->z, n * sizeof *w.best);
    x->outcome = run(s, &w, x);
    return SS_OK;
}

static const ss_option options[] = {
    {"omega", SS_OPTION_REAL, offsetof(settings, omega), 1, 0.01, 1.99, NULL,
     "relaxation: 1 is Gauss-Seidel, more goes further, less is more careful"},
    SS_OPTION_END};

const ss_solver_class ss_solver_pgs = {
    .name          = "pgs",
    .summary       = "projected Gauss-Seidel and SOR; wants a positive diagonal",
    .accepts       = SS_LCP | SS_MLCP,
    .traits        = SS_TRAIT_WARM_STARTS | SS_TRAIT_SPARSE,
    .options       = options,
    .settings_size = sizeof(settings),
    .solve         = solve,
};
