/* SPDX-License-Identifier: Apache-2.0 */
/* Siconos (Debian's numerics library) as a contestant: our structs into its own, then its driver.
 */
#include <stdlib.h>
#include <string.h>

#include "contest.h"

#ifdef SS_BENCH_SICONOS
#include <CSparseMatrix.h>
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <GlobalFrictionContactProblem.h>
#include <LinearComplementarityProblem.h>
#include <MLCP_Solvers.h>
#include <MixedLinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <lcp_cst.h>
#include <mlcp_cst.h>

bool siconos_present(void)
{
    return true;
}

static int number_of(const contestant *c)
{
    static const struct {
        const char *name;
        int         number;
    } known[] = {{"LEMKE", SICONOS_LCP_LEMKE},           {"MLCP_FB", SICONOS_MLCP_FB},
                 {"NSGS", SICONOS_FRICTION_3D_NSGS},     {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC},
                 {"NSN_FB", SICONOS_FRICTION_3D_NSN_FB}, {"ADMM", SICONOS_FRICTION_3D_ADMM},
                 {"PROX", SICONOS_FRICTION_3D_PROX},     {"EG", SICONOS_FRICTION_3D_EG},
                 {"NSGS_2D", SICONOS_FRICTION_2D_NSGS},  {"CPG_2D", SICONOS_FRICTION_2D_CPG},
                 {"LEMKE_2D", SICONOS_FRICTION_2D_LEMKE}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (strcmp(known[k].name, c->name) == 0) {
            return known[k].number;
        }
    }
    return -1;
}

/* Nobody frees what is made here: the child process ends with the contest. */

static NumericsMatrix *dense_matrix(const ss_matrix *m)
{
    NumericsMatrix *out = NM_create(NM_DENSE, m->rows, m->cols);
    for (int32_t j = 0; j < m->cols; j++) {
        double *column = out->matrix0 + (size_t)j * (size_t)m->rows;
        memset(column, 0, (size_t)m->rows * sizeof *column);
        if (m->dense != NULL) {
            memcpy(column, m->dense + (size_t)j * (size_t)m->ld, (size_t)m->rows * sizeof *column);
            continue;
        }
        for (int32_t k = m->colptr[j]; k < m->colptr[j + 1]; k++) {
            column[m->rowind[k]] = m->values[k];
        }
    }
    return out;
}

static void put_column(NumericsMatrix *out, const ss_matrix *m, int32_t j)
{
    for (int32_t i = 0; m->dense != NULL && i < m->rows; i++) {
        NM_zentry(out, i, j, m->dense[(size_t)j * (size_t)m->ld + (size_t)i], 0);
    }
    for (int32_t k = m->dense == NULL ? m->colptr[j] : 0; m->dense == NULL && k < m->colptr[j + 1];
         k++) {
        NM_zentry(out, m->rowind[k], j, m->values[k], 0);
    }
}

static NumericsMatrix *sparse_matrix(const ss_matrix *m)
{
    NumericsMatrix *out = NM_create(NM_SPARSE, m->rows, m->cols);
    NM_triplet_alloc(out, m->rows);
    for (int32_t j = 0; j < m->cols; j++) {
        put_column(out, m, j);
    }
    return out;
}

/* Blocks of d x d, which is what its friction solvers like best. */
static NumericsMatrix *block_matrix(const ss_matrix *m, int32_t dim)
{
    NumericsMatrix *sparse = sparse_matrix(m);
    NumericsMatrix *out    = NM_create(NM_SPARSE_BLOCK, m->rows, m->cols);
    out->matrix1           = SBM_new();
    SBM_from_csparse(dim, NM_csc(sparse), out->matrix1);
    return out;
}

static double *copied(const double *x, int32_t n)
{
    double *out = malloc((size_t)n * sizeof *out);
    memcpy(out, x, (size_t)n * sizeof *out);
    return out;
}

/* First-order methods need many iterations, Newton's few; defaults stop most of them early. */
static SolverOptions *options_for(int number, double tol)
{
    SolverOptions *options              = solver_options_create(number);
    options->dparam[SICONOS_DPARAM_TOL] = tol;
    switch (number) {
    case SICONOS_FRICTION_3D_NSGS:
    case SICONOS_FRICTION_3D_ADMM:
    case SICONOS_FRICTION_3D_EG:
    case SICONOS_FRICTION_2D_NSGS:
    case SICONOS_FRICTION_2D_CPG:
        options->iparam[SICONOS_IPARAM_MAX_ITER] = 10000000;
        break;
    case SICONOS_FRICTION_3D_PROX:
    case SICONOS_FRICTION_3D_NSN_AC:
    case SICONOS_FRICTION_3D_NSN_FB:
        options->iparam[SICONOS_IPARAM_MAX_ITER] = 10000;
        break;
    default:
        break;
    }
    return options;
}

static void solve_lcp(int number, const ss_lcp *p, double tol, answer *a)
{
    LinearComplementarityProblem problem = {
        .size = p->n, .M = dense_matrix(&p->M), .q = copied(p->q, p->n)};
    double *w       = calloc((size_t)p->n, sizeof *w);
    double  started = cpu_seconds();
    while (!enough_calls(a, started)) {
        SolverOptions *options = options_for(number, tol);
        memset(a->z, 0, (size_t)p->n * sizeof *a->z);
        memset(w, 0, (size_t)p->n * sizeof *w);
        double start = cpu_seconds();
        int    info  = linearComplementarity_driver(&problem, a->z, w, options);
        note_call(a, cpu_seconds() - start, info == 0);
    }
}

/* Equalities first, as it wants them. */
static void solve_mlcp(int number, const ss_mlcp *p, double tol, answer *a)
{
    int32_t *order = malloc((size_t)p->n * sizeof *order), equalities = 0, at = 0;
    for (int pass = 1; pass >= 0; pass--) {
        for (int32_t i = 0; i < p->n; i++) {
            if (p->free[i] == pass) {
                order[at++] = i;
            }
        }
        equalities = pass == 1 ? at : equalities;
    }
    NumericsMatrix *given = dense_matrix(&p->M), *M = NM_create(NM_DENSE, p->n, p->n);
    size_t          n = (size_t)p->n;
    double         *q = calloc(3 * n, sizeof *q), *w = q + n, *z = w + n;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            M->matrix0[j * n + i] = given->matrix0[(size_t)order[j] * n + (size_t)order[i]];
        }
        q[j] = p->q[order[j]];
    }
    MixedLinearComplementarityProblem *problem = mixedLinearComplementarity_new();
    int                                rows[] = {0, equalities, p->n}, kinds[] = {0, 1};
    problem->isStorageType1 = 1;
    problem->n              = equalities;
    problem->m              = p->n - equalities;
    problem->blocksRows     = rows;
    problem->blocksIsComp   = kinds;
    problem->M              = M;
    problem->q              = q;
    double started          = cpu_seconds();
    while (!enough_calls(a, started)) {
        SolverOptions *options = options_for(number, tol);
        memset(z, 0, n * sizeof *z);
        memset(w, 0, n * sizeof *w);
        mlcp_driver_init(problem, options);
        double start = cpu_seconds();
        int    info  = mlcp_driver(problem, z, w, options);
        note_call(a, cpu_seconds() - start, info == 0);
        mlcp_driver_reset(problem, options);
        for (size_t i = 0; i < n; i++) {
            a->z[order[i]] = z[i];
        }
    }
}

static double *coefficients(const ss_cone *p)
{
    double *mu = malloc((size_t)p->nblocks * sizeof *mu);
    for (int32_t k = 0; k < p->nblocks; k++) {
        mu[k] = p->blocks[k].mu;
    }
    return mu;
}

static FrictionContactProblem *local_problem(const ss_cone *p, bool dense)
{
    int32_t         dim = p->blocks[0].dim;
    NumericsMatrix *W   = dense ? dense_matrix(&p->W) : block_matrix(&p->W, dim);
    return frictionContactProblem_new_with_data(dim, p->nblocks, W, copied(p->q, p->n),
                                                coefficients(p));
}

static GlobalFrictionContactProblem *global_problem(const ss_cone *p)
{
    GlobalFrictionContactProblem *out = globalFrictionContactProblem_new();
    out->dimension                    = p->blocks[0].dim;
    out->numberOfContacts             = p->nblocks;
    out->M                            = sparse_matrix(&p->M);
    out->H                            = sparse_matrix(&p->H);
    out->q                            = copied(p->f, p->nv);
    out->b                            = copied(p->q, p->n);
    out->mu                           = coefficients(p);
    return out;
}

static void solve_cone(int number, const ss_cone *p, const ss_cone *given, double tol, answer *a)
{
    int32_t dim   = p->blocks[0].dim;
    bool    dense = number == SICONOS_FRICTION_2D_LEMKE || number == SICONOS_FRICTION_2D_CPG;
    if (dense && p->n > 2000) {
        return; /* gigabytes */
    }
    double *u       = calloc((size_t)p->n, sizeof *u);
    double  started = cpu_seconds();
    while (!enough_calls(a, started)) {
        /* A fresh matrix for every call: Newton's methods keep conversions and factors in it. */
        bool                          global  = given->nv > 0;
        GlobalFrictionContactProblem *whole   = global ? global_problem(given) : NULL;
        FrictionContactProblem       *problem = global ? NULL : local_problem(p, dense);
        SolverOptions                *options = options_for(number, tol);
        memset(a->z, 0, (size_t)p->n * sizeof *a->z);
        memset(u, 0, (size_t)p->n * sizeof *u);
        double start = cpu_seconds();
        if (global) {
            problem = globalFrictionContact_reformulation_FrictionContact(whole);
        }
        int info = dim == 3 ? fc3d_driver(problem, a->z, u, options)
                            : fc2d_driver(problem, a->z, u, options);
        note_call(a, cpu_seconds() - start, info == 0);
    }
}

void solve_siconos(const contestant *c, const ss_problem *p, const ss_problem *given, double tol,
                   answer *a)
{
    numerics_set_verbose(0);
    switch (p->type) {
    case SS_LCP:
        solve_lcp(number_of(c), &p->as.lcp, tol, a);
        break;
    case SS_MLCP:
        solve_mlcp(number_of(c), &p->as.mlcp, tol, a);
        break;
    case SS_CONE:
        solve_cone(number_of(c), &p->as.cone, &given->as.cone, tol, a);
        break;
    case SS_MCP:
        break;
    }
}

#else

bool siconos_present(void)
{
    return false;
}

void solve_siconos(const contestant *c, const ss_problem *p, const ss_problem *given, double tol,
                   answer *a)
{
    (void)c;
    (void)p;
    (void)given;
    (void)tol;
    (void)a;
}
#endif
