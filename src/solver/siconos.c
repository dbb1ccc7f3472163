/* SPDX-License-Identifier: Apache-2.0 */
/*
 * siconos: the solvers of Siconos' numerics library (Acary et al.) behind our interface, an example
 * of a foreign solver as a plug-in: it uses what stickslip/solver.h offers to everybody and nothing
 * else. Takes lcp, and cone problems in the local form whose blocks are all contacts of two or all
 * of three rows, with round cones. Built with -DSS_WITH_SICONOS=ON.
 */
#include "stickslip/solver.h"

#include <math.h>
#include <string.h>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <lcp_cst.h>

typedef struct settings {
    int32_t method;
} settings;

static const ss_option options[] = {
    {"method", SS_OPTION_CHOICE, offsetof(settings, method), 0, 0, 4,
     "nsgs|nsn_ac|nsn_fb|admm|prox",
     "which of its friction solvers; lcp are given to its Lemke, 2D contact to its NSGS"},
    SS_OPTION_END};

/* Its number for a method, and an iteration limit that lets it work. */
static int number_of(int32_t method, int32_t *limit)
{
    static const int numbers[] = {SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_NSN_AC,
                                  SICONOS_FRICTION_3D_NSN_FB, SICONOS_FRICTION_3D_ADMM,
                                  SICONOS_FRICTION_3D_PROX};
    *limit                     = method == 0 || method == 3 ? 1000000 : 10000;
    return numbers[method];
}

/* A copy in its dense format; NULL when memory is exhausted. */
static NumericsMatrix *copy_matrix(const ss_matrix *A)
{
    NumericsMatrix *out = NM_create(NM_DENSE, A->rows, A->cols);
    for (int32_t j = 0; out != NULL && j < A->cols; j++) {
        double *column = out->matrix0 + (size_t)j * (size_t)A->rows;
        if (A->dense != NULL) {
            memcpy(column, A->dense + (size_t)j * (size_t)A->ld, (size_t)A->rows * sizeof *column);
            continue;
        }
        memset(column, 0, (size_t)A->rows * sizeof *column);
        for (int32_t k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
            column[A->rowind[k]] = A->values[k];
        }
    }
    return out;
}

static SolverOptions *make_options(ss_solver *s, int number, int32_t limit)
{
    const ss_common *common = ss_solver_common(s);
    SolverOptions   *out    = solver_options_create(number);
    if (out != NULL) {
        out->dparam[SICONOS_DPARAM_TOL]      = 0.1 * common->tol; /* its measure is not ours */
        out->iparam[SICONOS_IPARAM_MAX_ITER] = common->max_iter > 0 ? common->max_iter : limit;
    }
    return out;
}

static void finish(ss_solution *x, int info, SolverOptions *used)
{
    x->outcome    = info == 0 ? SS_SOLVED : SS_LIMIT;
    x->iterations = used->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(used);
}

/* q (and mu) are copied: its structs want to write to what they point to. */
static ss_status solve_lcp(ss_solver *s, const ss_lcp *p, ss_solution *x)
{
    double        *memory = ss_solver_memory(s, 2 * (size_t)p->n * sizeof *memory);
    SolverOptions *used   = make_options(s, SICONOS_LCP_LEMKE, 10000);
    if (memory == NULL || used == NULL) {
        return ss_fail(ss_solver_context(s), SS_ERR_MEMORY, "siconos: no memory");
    }
    memcpy(memory, p->q, (size_t)p->n * sizeof *memory);
    memset(memory + p->n, 0, (size_t)p->n * sizeof *memory);
    LinearComplementarityProblem problem = {.size = p->n, .M = copy_matrix(&p->M), .q = memory};
    if (!x->warm) {
        memset(x->z, 0, (size_t)p->n * sizeof *x->z);
    }
    int info = linearComplementarity_driver(&problem, x->z, memory + p->n, used);
    NM_free(problem.M);
    finish(x, info, used);
    return SS_OK;
}

/* 2 or 3 when every block is a contact of that many rows, otherwise 0. */
static int32_t dimension_of(const ss_cone *p)
{
    int32_t dim = p->nblocks > 0 ? p->blocks[0].dim : 0;
    for (int32_t k = 0; k < p->nblocks; k++) {
        if (p->blocks[k].kind != SS_BLOCK_CONE || p->blocks[k].dim != dim) {
            return 0;
        }
    }
    return (dim == 2 || dim == 3) && p->nv == 0 && p->axes == NULL ? dim : 0;
}

static ss_status solve_cone(ss_solver *s, const ss_cone *p, ss_solution *x)
{
    const settings *set = ss_solver_settings(s);
    int32_t         dim = dimension_of(p), limit = 1000000;
    size_t          n = (size_t)p->n, nc = (size_t)p->nblocks;
    if (dim == 0) {
        x->outcome = SS_NOT_APPLICABLE;
        return SS_OK;
    }
    int            number = dim == 3 ? number_of(set->method, &limit) : SICONOS_FRICTION_2D_NSGS;
    double        *memory = ss_solver_memory(s, (2 * n + nc) * sizeof *memory);
    SolverOptions *used   = make_options(s, number, limit);
    if (memory == NULL || used == NULL) {
        return ss_fail(ss_solver_context(s), SS_ERR_MEMORY, "siconos: no memory");
    }
    double *q = memory, *u = memory + n, *mu = memory + 2 * n;
    memcpy(q, p->q, n * sizeof *q);
    memset(u, 0, n * sizeof *u);
    for (size_t k = 0; k < nc; k++) {
        mu[k] = p->blocks[k].mu;
    }
    if (!x->warm) {
        memset(x->z, 0, n * sizeof *x->z);
    }
    FrictionContactProblem problem = {.dimension        = dim,
                                      .numberOfContacts = p->nblocks,
                                      .M                = copy_matrix(&p->W),
                                      .q                = q,
                                      .mu               = mu};
    int                    info =
        dim == 3 ? fc3d_driver(&problem, x->z, u, used) : fc2d_driver(&problem, x->z, u, used);
    NM_free(problem.M);
    finish(x, info, used);
    return SS_OK;
}

static ss_status solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    numerics_set_verbose(0);
    return p->type == SS_LCP ? solve_lcp(s, &p->as.lcp, x) : solve_cone(s, &p->as.cone, x);
}

const ss_solver_class ss_solver_siconos = {
    .name          = "siconos",
    .summary       = "the solvers of Siconos' numerics library (optional plug-in)",
    .accepts       = SS_LCP | SS_CONE,
    .traits        = SS_TRAIT_WARM_STARTS,
    .options       = options,
    .settings_size = sizeof(settings),
    .solve         = solve,
};
