/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Smooth programs by Ipopt (Wächter, Biegler, "On the implementation of an interior-point filter
 * line-search algorithm for large-scale nonlinear programming", Math. Program. 106, 2006), which is
 * opened when the first one is solved: it draws in BLAS and MUMPS, which only identification and
 * design need, never a step. MUMPS has global state: one solve at a time.
 */
#include <math.h>
#include <string.h>

#include "nlp/nlp.h"
#include "nlp/tolerances.h"

#ifdef SS_HAVE_IPOPT

#include <pthread.h>

#include <IpStdCInterface.h>

#include "core/late_library.h"

/* What is used of it. */
static struct ipopt {
    IpoptProblem (*create)(Index, Number *, Number *, Index, Number *, Number *, Index, Index,
                           Index, Eval_F_CB, Eval_G_CB, Eval_Grad_F_CB, Eval_Jac_G_CB, Eval_H_CB);
    void (*release)(IpoptProblem);
    Bool (*set_text)(IpoptProblem, char *, char *);
    Bool (*set_number)(IpoptProblem, char *, Number);
    Bool (*set_whole)(IpoptProblem, char *, Int);
    Bool (*set_watch)(IpoptProblem, Intermediate_CB);
    enum ApplicationReturnStatus (*solve)(IpoptProblem, Number *, Number *, Number *, Number *,
                                          Number *, Number *, UserDataPtr);
} ipopt;

static ss_late_library ipopt_library;
static bool            ipopt_found;
static pthread_once_t  ipopt_once    = PTHREAD_ONCE_INIT;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void open_ipopt(void)
{
    static const char *const names[] = {"libipopt.so.1", "libipopt.so.3", "libipopt.so", NULL};
    const ss_late_function   used[]  = {{"CreateIpoptProblem", &ipopt.create},
                                        {"FreeIpoptProblem", &ipopt.release},
                                        {"AddIpoptStrOption", &ipopt.set_text},
                                        {"AddIpoptNumOption", &ipopt.set_number},
                                        {"AddIpoptIntOption", &ipopt.set_whole},
                                        {"SetIntermediateCallback", &ipopt.set_watch},
                                        {"IpoptSolve", &ipopt.solve},
                                        {NULL, NULL}};
    ipopt_found                      = ss_late_library_open(&ipopt_library, names, used);
}

bool ss_nlp_available(void)
{
    pthread_once(&ipopt_once, open_ipopt);
    return ipopt_found;
}

/* One solve. */
typedef struct job {
    const ss_nlp                *p;
    const volatile sig_atomic_t *interrupt;
    int32_t                      iterations;
} job;

static Bool objective(Index n, Number *x, Bool fresh, Number *f, UserDataPtr user)
{
    const job *j = user;
    (void)n, (void)fresh;
    return j->p->objective(j->p->user, x, f) == 0;
}

static Bool gradient(Index n, Number *x, Bool fresh, Number *df, UserDataPtr user)
{
    const job *j = user;
    (void)n, (void)fresh;
    return j->p->gradient(j->p->user, x, df) == 0;
}

static Bool constraints(Index n, Number *x, Bool fresh, Index m, Number *g, UserDataPtr user)
{
    const job *j = user;
    (void)n, (void)fresh, (void)m;
    return j->p->constraints(j->p->user, x, g) == 0;
}

static Bool jacobian(Index n, Number *x, Bool fresh, Index m, Index count, Index *row, Index *col,
                     Number *values, UserDataPtr user)
{
    const job *j = user;
    (void)n, (void)fresh, (void)m;
    if (values == NULL) {
        memcpy(row, j->p->jacobian_row, (size_t)count * sizeof *row);
        memcpy(col, j->p->jacobian_col, (size_t)count * sizeof *col);
        return TRUE;
    }
    return j->p->jacobian(j->p->user, x, values) == 0;
}

static Bool hessian(Index n, Number *x, Bool fresh, Number factor, Index m, Number *lambda,
                    Bool fresh_lambda, Index count, Index *row, Index *col, Number *values,
                    UserDataPtr user)
{
    const job *j = user;
    (void)n, (void)fresh, (void)m, (void)fresh_lambda;
    if (j->p->hessian == NULL) {
        return FALSE;
    }
    if (values == NULL) {
        memcpy(row, j->p->hessian_row, (size_t)count * sizeof *row);
        memcpy(col, j->p->hessian_col, (size_t)count * sizeof *col);
        return TRUE;
    }
    return j->p->hessian(j->p->user, x, factor, lambda, values) == 0;
}

static Bool watch(Index mode, Index iteration, Number f, Number primal, Number dual, Number mu,
                  Number step, Number regular, Number alpha_dual, Number alpha_primal, Index trials,
                  UserDataPtr user)
{
    job *j = user;
    (void)mode, (void)f, (void)primal, (void)dual, (void)mu, (void)step, (void)regular;
    (void)alpha_dual, (void)alpha_primal, (void)trials;
    j->iterations = iteration;
    return j->interrupt == NULL || *j->interrupt == 0;
}

static void set_text(IpoptProblem problem, const char *key, const char *value)
{
    ipopt.set_text(problem, (char *)(uintptr_t)key, (char *)(uintptr_t)value);
}

static void set_number(IpoptProblem problem, const char *key, double value)
{
    ipopt.set_number(problem, (char *)(uintptr_t)key, value);
}

static void set_options(IpoptProblem problem, const ss_nlp *p, const ss_nlp_options *o)
{
    char key[] = "print_level", most[] = "max_iter", less[] = "acceptable_iter";
    ipopt.set_whole(problem, key, 0);
    ipopt.set_whole(problem, less, 0); /* nothing less than the tolerance will do */
    ipopt.set_whole(problem, most, o->iterations > 0 ? o->iterations : 500);
    set_text(problem, "sb", "yes"); /* no banner */
    if (o->near) { /* it begins where a program like it ended: do not move away from bounds */
        static const char *const pushes[] = {"bound_push", "bound_frac", "slack_bound_push",
                                             "slack_bound_frac"};
        for (size_t i = 0; i < sizeof pushes / sizeof pushes[0]; i++) {
            set_number(problem, pushes[i], SS_NLP_PUSH);
        }
        set_number(problem, "mu_init", SS_NLP_BARRIER);
    } else {
        set_text(problem, "mu_strategy", "adaptive");
    }
    set_text(problem, "fixed_variable_treatment", "make_parameter");
    set_number(problem, "tol", o->tolerance > 0 ? o->tolerance : SS_NLP_TOLERANCE);
    set_number(problem, "bound_relax_factor", 0);
    if (p->hessian == NULL) {
        set_text(problem, "hessian_approximation", "limited-memory");
    }
    ipopt.set_watch(problem, watch);
}

static double beyond(double x, double low, double high)
{
    return fmax(fmax(low - x, x - high), 0);
}

/* The largest violation, computed from the program alone. */
static double violation(const ss_nlp *p, const double *x, const double *g)
{
    double worst = 0;
    for (int32_t i = 0; i < p->n; i++) {
        worst = fmax(worst, beyond(x[i], p->x_low[i], p->x_high[i]));
    }
    for (int32_t i = 0; i < p->m; i++) {
        worst = fmax(worst, beyond(g[i], p->g_low[i], p->g_high[i]));
    }
    return worst;
}

static ss_outcome outcome_of(enum ApplicationReturnStatus status, double infeasibility)
{
    bool feasible = infeasibility <= SS_NLP_FEASIBLE;
    switch (status) {
    case Solve_Succeeded:
        return feasible ? SS_SOLVED : SS_INACCURATE;
    case Solved_To_Acceptable_Level:
    case Search_Direction_Becomes_Too_Small:
        return feasible ? SS_INACCURATE : SS_NUMERICAL;
    case Infeasible_Problem_Detected:
        return SS_INFEASIBLE;
    case Maximum_Iterations_Exceeded:
    case Maximum_CpuTime_Exceeded:
        return SS_LIMIT;
    default:
        return SS_NUMERICAL;
    }
}

ss_status ss_nlp_solve_smooth(ss_context *ctx, const ss_nlp *p, const ss_nlp_options *o, double *x,
                              double *lambda, ss_nlp_result *out)
{
    job     j  = {.p = p, .interrupt = o->interrupt};
    size_t  mm = ((size_t)p->m + 1) * sizeof(double);
    double *g  = ss_alloc(ctx, (size_t)p->m + 1, sizeof *g);
    if (!ss_nlp_available() || g == NULL) {
        ss_free(ctx, g, mm);
        return g == NULL ? ss_fail(ctx, SS_ERR_MEMORY, "out of memory")
                         : ss_late_library_missing(ctx, &ipopt_library, "Ipopt (libipopt.so.1)");
    }
    *out = (ss_nlp_result){.outcome = SS_NUMERICAL, .solves = 1};
    pthread_mutex_lock(&one_at_a_time);
    IpoptProblem problem = ipopt.create(
        p->n, (double *)(uintptr_t)p->x_low, (double *)(uintptr_t)p->x_high, p->m,
        (double *)(uintptr_t)p->g_low, (double *)(uintptr_t)p->g_high, p->jacobian_count,
        p->hessian_count, 0, objective, constraints, gradient, jacobian, hessian);
    enum ApplicationReturnStatus status = Insufficient_Memory;
    if (problem != NULL) {
        set_options(problem, p, o);
        status = ipopt.solve(problem, x, g, &out->objective, lambda, NULL, NULL, &j);
        ipopt.release(problem);
    }
    pthread_mutex_unlock(&one_at_a_time);
    out->iterations    = j.iterations;
    bool evaluated     = p->constraints(p->user, x, g) == 0;
    out->infeasibility = evaluated ? violation(p, x, g) : INFINITY;
    out->outcome       = outcome_of(status, out->infeasibility);
    ss_free(ctx, g, mm);
    return status == User_Requested_Stop   ? ss_fail(ctx, SS_ERR_INTERRUPTED, "interrupted")
           : status == Insufficient_Memory ? ss_fail(ctx, SS_ERR_MEMORY, "Ipopt ran out of memory")
                                           : SS_OK;
}

#else

bool ss_nlp_available(void)
{
    return false;
}

ss_status ss_nlp_solve_smooth(ss_context *ctx, const ss_nlp *p, const ss_nlp_options *o, double *x,
                              double *lambda, ss_nlp_result *out)
{
    (void)p, (void)o, (void)x, (void)lambda, (void)out;
    return ss_fail(ctx, SS_ERR_UNSUPPORTED,
                   "nonlinear programs need Ipopt, which this build was made without");
}

#endif
