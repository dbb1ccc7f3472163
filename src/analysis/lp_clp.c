/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linear programs by CLP, which is opened when the first one is made: it draws in BLAS, which takes
 * memory and threads as soon as it is loaded, and only analysis needs it, never a step.
 */
#include "analysis/lp.h"
#include "analysis/tolerances.h"

#ifdef SS_HAVE_CLP

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include <coin/Clp_C_Interface.h>

#include "core/late_library.h"

/* What is used of it. */
static struct clp {
    Clp_Simplex *(*newModel)(void);
    void (*setLogLevel)(Clp_Simplex *, int);
    void (*deleteModel)(Clp_Simplex *);
    void (*loadProblem)(Clp_Simplex *, const int, const int, const CoinBigIndex *, const int *,
                        const double *, const double *, const double *, const double *,
                        const double *, const double *);
    void (*chgObjCoefficients)(Clp_Simplex *, const double *);
    void (*setOptimizationDirection)(Clp_Simplex *, double);
    int (*primal)(Clp_Simplex *, int);
    int (*status)(Clp_Simplex *);
    double (*objectiveValue)(Clp_Simplex *);
    double *(*primalColumnSolution)(Clp_Simplex *);
} clp;

static ss_late_library clp_library;
static bool            clp_found;
static pthread_once_t  clp_once = PTHREAD_ONCE_INIT;

static void open_clp(void)
{
    static const char *const names[] = {"libClp.so.1", "libClp.so", NULL};
    const ss_late_function   used[]  = {
           {"Clp_newModel", &clp.newModel},
           {"Clp_setLogLevel", &clp.setLogLevel},
           {"Clp_deleteModel", &clp.deleteModel},
           {"Clp_loadProblem", &clp.loadProblem},
           {"Clp_chgObjCoefficients", &clp.chgObjCoefficients},
           {"Clp_setOptimizationDirection", &clp.setOptimizationDirection},
           {"Clp_primal", &clp.primal},
           {"Clp_status", &clp.status},
           {"Clp_objectiveValue", &clp.objectiveValue},
           {"Clp_primalColumnSolution", &clp.primalColumnSolution},
           {NULL, NULL}};
    clp_found = ss_late_library_open(&clp_library, names, used);
}

struct ss_lp {
    ss_context  *ctx;
    Clp_Simplex *model;
    int32_t      cols;
};

static void row_sizes(int32_t rows, int32_t cols, const double *A, double *largest)
{
    memset(largest, 0, (size_t)rows * sizeof *largest);
    for (int32_t j = 0; j < cols; j++) {
        for (int32_t i = 0; i < rows; i++) {
            largest[i] = fmax(largest[i], fabs(A[i + (ptrdiff_t)j * rows]));
        }
    }
}

/*
 * The nonzeros of a dense matrix in compressed columns, and the problem around them. Entries that
 * are rounding beside others of their row are left out: CLP scales rows and columns by them, and
 * has then called points optimal that were far from it.
 */
static ss_status load(ss_lp *lp, int32_t rows, const double *A, const double *row_low,
                      const double *row_high, const double *low, const double *high)
{
    size_t        most  = (size_t)rows * (size_t)lp->cols;
    size_t        bytes = (most + (size_t)rows) * (sizeof(double) + sizeof(int)) + 64;
    size_t        heads = ((size_t)lp->cols + 1) * sizeof(CoinBigIndex);
    double       *value = ss_alloc(lp->ctx, bytes, 1);
    CoinBigIndex *start = ss_alloc(lp->ctx, heads, 1);
    if (value == NULL || start == NULL) {
        ss_free(lp->ctx, value, bytes);
        ss_free(lp->ctx, start, heads);
        return ss_fail(lp->ctx, SS_ERR_MEMORY, "no memory for a linear program");
    }
    double      *largest = value + most;
    int         *index   = (int *)(largest + rows);
    CoinBigIndex at      = 0;
    row_sizes(rows, lp->cols, A, largest);
    for (int32_t j = 0; j < lp->cols; j++) {
        start[j] = at;
        for (int32_t i = 0; i < rows; i++) {
            if (fabs(A[i + (ptrdiff_t)j * rows]) > SS_LP_ZERO * largest[i]) {
                index[at]   = i;
                value[at++] = A[i + (ptrdiff_t)j * rows];
            }
        }
    }
    start[lp->cols] = at;
    clp.loadProblem(lp->model, lp->cols, rows, start, index, value, low, high, NULL, row_low,
                    row_high);
    ss_free(lp->ctx, value, bytes);
    ss_free(lp->ctx, start, heads);
    return SS_OK;
}

ss_status ss_lp_create(ss_context *ctx, int32_t rows, int32_t cols, const double *A,
                       const double *row_low, const double *row_high, const double *low,
                       const double *high, ss_lp **out)
{
    *out = NULL;
    pthread_once(&clp_once, open_clp);
    if (!clp_found) {
        return ss_late_library_missing(ctx, &clp_library, "the LP solver CLP (libClp.so.1)");
    }
    ss_lp *lp = ss_alloc(ctx, 1, sizeof *lp);
    if (lp == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for a linear program");
    }
    lp->ctx   = ctx;
    lp->cols  = cols;
    lp->model = clp.newModel();
    clp.setLogLevel(lp->model, 0);
    ss_status status = load(lp, rows, A, row_low, row_high, low, high);
    if (status != SS_OK) {
        ss_lp_destroy(lp);
        return status;
    }
    *out = lp;
    return SS_OK;
}

void ss_lp_destroy(ss_lp *lp)
{
    if (lp != NULL) {
        clp.deleteModel(lp->model);
        ss_free(lp->ctx, lp, sizeof *lp);
    }
}

ss_lp_outcome ss_lp_minimise(ss_lp *lp, const double *c, double *value, double *x)
{
    clp.chgObjCoefficients(lp->model, c);
    clp.setOptimizationDirection(lp->model, 1);
    clp.primal(lp->model, 0);
    switch (clp.status(lp->model)) {
    case 0:
        *value = clp.objectiveValue(lp->model);
        if (x != NULL) {
            memcpy(x, clp.primalColumnSolution(lp->model), (size_t)lp->cols * sizeof *x);
        }
        return SS_LP_OPTIMAL;
    case 1:
        return SS_LP_INFEASIBLE;
    case 2:
        return SS_LP_UNBOUNDED;
    default:
        return SS_LP_FAILED;
    }
}

#else

ss_status ss_lp_create(ss_context *ctx, int32_t rows, int32_t cols, const double *A,
                       const double *row_low, const double *row_high, const double *low,
                       const double *high, ss_lp **out)
{
    (void)rows, (void)cols, (void)A, (void)row_low, (void)row_high, (void)low, (void)high;
    *out = NULL;
    return ss_fail(ctx, SS_ERR_UNSUPPORTED, "this build has no LP solver (CLP)");
}

void ss_lp_destroy(ss_lp *lp)
{
    (void)lp;
}

ss_lp_outcome ss_lp_minimise(ss_lp *lp, const double *c, double *value, double *x)
{
    (void)lp, (void)c, (void)value, (void)x;
    return SS_LP_FAILED;
}

#endif
