/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A solver that is not part of the library: projected Jacobi with damping for dense LCPs,
 *   z <- max(0, z - damping w / diag(M)),  w = M z + q,  all entries at once.
 * It converges for diagonally dominant matrices.
 */
#include "damped_jacobi.h"

#include <math.h>
#include <stddef.h>

typedef struct settings {
    double damping;
} settings;

/* One sweep; gives the largest change. */
static double sweep(const ss_lcp *p, double damping, double *w, double *z)
{
    double largest = 0;
    for (int32_t i = 0; i < p->n; i++) {
        w[i] = p->q[i];
        for (int32_t j = 0; j < p->n; j++) {
            w[i] += p->M.dense[(size_t)j * (size_t)p->M.ld + (size_t)i] * z[j];
        }
    }
    for (int32_t i = 0; i < p->n; i++) {
        double next = z[i] - damping * w[i] / p->M.dense[(size_t)i * (size_t)(p->M.ld + 1)];
        next        = next > 0 ? next : 0;
        largest     = fmax(largest, fabs(next - z[i]) / (fabs(next) + fabs(z[i]) + 1e-300));
        z[i]        = next;
    }
    return largest;
}

/* Dense, with a positive diagonal. */
static int applies(const ss_lcp *p)
{
    int fits = p->M.dense != NULL;
    for (int32_t i = 0; fits && i < p->n; i++) {
        fits = p->M.dense[(size_t)i * (size_t)(p->M.ld + 1)] > 0;
    }
    return fits;
}

static ss_status solve(ss_solver *s, const ss_problem *problem, ss_solution *x)
{
    const ss_lcp    *p      = &problem->as.lcp;
    const settings  *set    = ss_solver_settings(s);
    const ss_common *common = ss_solver_common(s);
    int32_t          limit  = common->max_iter > 0 ? common->max_iter : 10000;
    double          *w      = ss_solver_memory(s, (size_t)p->n * sizeof *w);
    if (w == NULL) {
        return ss_fail(ss_solver_context(s), SS_ERR_MEMORY, "damped-jacobi: no memory");
    }
    x->outcome = SS_NOT_APPLICABLE;
    if (!applies(p)) {
        return SS_OK;
    }
    for (int32_t i = 0; i < p->n && !x->warm; i++) {
        x->z[i] = 0;
    }
    x->outcome = SS_LIMIT;
    while (x->outcome == SS_LIMIT && x->iterations < limit && !ss_solver_out_of_time(s)) {
        x->iterations++;
        if (sweep(p, set->damping, w, x->z) < 0.01 * common->tol) {
            x->outcome = SS_SOLVED; /* what the library says of it is another matter */
        }
    }
    return SS_OK;
}

static const ss_option options[] = {{"damping", SS_OPTION_REAL, offsetof(settings, damping), 0.8,
                                     0.01, 1, NULL, "share of the full step that is taken"},
                                    SS_OPTION_END};

const ss_solver_class damped_jacobi = {
    .name          = "damped-jacobi",
    .summary       = "projected Jacobi with damping, for diagonally dominant matrices",
    .accepts       = SS_LCP,
    .traits        = SS_TRAIT_WARM_STARTS,
    .options       = options,
    .settings_size = sizeof(settings),
    .solve         = solve,
};
