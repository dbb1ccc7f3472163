/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Globalised semismooth Newton method for the mixed complementarity problem
 *
 *   l <= z <= u,   F_i(z) >= 0 where z_i = l_i,  <= 0 where z_i = u_i,  = 0 between,
 *
 * in the scaled unknowns of newton_system.h. Two reformulations as equations Phi(y) = 0:
 *
 *   min-map            Phi_i = mid(y_i - l_i, y_i - u_i, G_i)
 *   Fischer-Burmeister Phi_i = phi(y_i - l_i, G_i),  phi(a, b) = a + b - sqrt(a^2 + b^2)
 *                      (-phi(u - y, -G) for an upper bound, nested for both; Billups 1995)
 *
 * The min-map step fixes an active set and solves for the rest: it ends in one step once the set is
 * right. The Fischer-Burmeister merit function |Phi|^2 / 2 is smooth and globalises: a nonmonotone
 * Armijo search along the Newton direction, or down the gradient where that fails.
 * A run starts with a crash (projected min-map steps). A singular or useless matrix gets a proximal
 * term that grows until the step is good. Runs that fail are restarted by the table of plans below;
 * some of them are proximal-point iterations, G(y) + eps (y - y_k) = 0 in turn, which stay regular
 * where G' is rank deficient.
 *
 * T. De Luca, F. Facchinei, C. Kanzow, Mathematical Programming 75 (1996) 407-439;
 * M. C. Ferris, T. S. Munson, Computational Optimization and Applications 12 (1999) 207-227.
 */
#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "linalg/matrix.h"
#include "solver/delegate.h"
#include "solver/newton_system.h"
#include "solver/tolerances.h"
#include "stickslip/solver.h"

typedef struct settings {
    int32_t function; /* 0: both, 1: Fischer-Burmeister only, 2: min-map only */
    int32_t crash;
    int32_t memory;
    int32_t restarts;
} settings;

/* How one run differs from the others. */
typedef struct plan {
    bool   crash;    /* projected steps first                                            */
    double perturb;  /* proximal term in the matrix alone, times the merit, in each step  */
    double proximal; /* first eps of a proximal-point iteration; 0: none                  */
    enum { FROM_GUESS, FROM_UNITS, FROM_BEST } start;
} plan;

static const plan plans[] = {
    {true, 0, 0, FROM_GUESS},
    {true, 0, SS_NEWTON_SMALL, FROM_BEST},
    {false, SS_NEWTON_LARGE, 0, FROM_GUESS},
    {true, 0, SS_NEWTON_LARGE, FROM_GUESS},
    {true, SS_NEWTON_SMALL, 0, FROM_UNITS},
    {false, 0, 0, FROM_UNITS},
    {true, 0, 1, FROM_UNITS},
};
enum { PLANS = sizeof plans / sizeof plans[0], MEMORY_MAX = 32, VECTORS = 11, OUTER = 12 };

typedef struct newton {
    ss_solver        *s;
    const settings   *set;
    const ss_problem *p;
    ss_solution      *x;
    ss_newton_system  sys;
    int32_t           n, limit;
    double           *y, *G;         /* iterate                               */
    double           *trial, *Gt;    /* candidate                             */
    double           *d;             /* direction                             */
    double           *phi, *da, *db; /* reformulation and its derivative      */
    double           *best;          /* (n) z with the smallest residual      */
    double           *guess;         /* (n) y as the caller has it            */
    double           *first;         /* (n) best y of a crash                 */
    double           *work;          /* of ss_residual                        */
    double            residual;      /* of best                               */
    double            merits[MEMORY_MAX];
} newton;

/* phi(a, b) and its derivatives; at the origin one element of the generalised gradient. */
static double fischer(double a, double b, double *da, double *db)
{
    double r = ss_hypot(a, b);
    if (r == 0) {
        *da = *db = 1 - sqrt(0.5);
        return 0;
    }
    *da = 1 - a / r;
    *db = 1 - b / r;
    /* a + b - r without cancellation where both are positive */
    return a > 0 && b > 0 ? 2 * a * b / (a + b + r) : a + b - r;
}

static double fischer_row(double y, double G, double l, double u, double *da, double *db)
{
    double pa, pb, qa, qb;
    if (isinf(l) && isinf(u)) {
        *da = 0;
        *db = 1;
        return G;
    }
    if (isinf(u)) {
        return fischer(y - l, G, da, db);
    }
    double upper = fischer(u - y, -G, &pa, &pb);
    if (isinf(l)) {
        *da = pa;
        *db = pb;
        return -upper;
    }
    double value = fischer(y - l, -upper, &qa, &qb);
    *da          = qa + qb * pa;
    *db          = qb * pb;
    return value;
}

static double min_row(double y, double G, double l, double u, double *da, double *db)
{
    bool at_lower = y - l<G, at_upper = y - u> G;
    *da           = at_lower || at_upper ? 1 : 0;
    *db           = at_lower || at_upper ? 0 : 1;
    return at_lower ? y - l : at_upper ? y - u : G;
}

/* Phi and its derivative at (y, G); gives |Phi|^2 / 2. */
static double reformulate(const newton *w, bool fb, const double *y, const double *G)
{
    double (*row)(double, double, double, double, double *, double *) = fb ? fischer_row : min_row;
    double sum                                                        = 0;
    for (int32_t i = 0; i < w->n; i++) {
        w->phi[i] = row(y[i], G[i], w->sys.lower[i], w->sys.upper[i], &w->da[i], &w->db[i]);
        sum += w->phi[i] * w->phi[i];
    }
    return 0.5 * sum;
}

/* The merit of a candidate alone. */
static double merit_at(const newton *w, bool fb, const double *y, const double *G)
{
    double sum = 0, a, b;
    for (int32_t i = 0; i < w->n; i++) {
        double phi = fb ? fischer_row(y[i], G[i], w->sys.lower[i], w->sys.upper[i], &a, &b)
                        : min_row(y[i], G[i], w->sys.lower[i], w->sys.upper[i], &a, &b);
        sum += phi * phi;
    }
    return 0.5 * sum;
}

static void clip(const newton *w, double *y)
{
    for (int32_t i = 0; i < w->n; i++) {
        y[i] = y[i] < w->sys.lower[i]   ? w->sys.lower[i]
               : y[i] > w->sys.upper[i] ? w->sys.upper[i]
                                        : y[i];
    }
}

static void swap(double **a, double **b)
{
    double *t = *a;
    *a        = *b;
    *b        = t;
}

/* The residual of the problem as given at y, made feasible; keeps the best z. */
static double certify(newton *w, const double *y)
{
    double *z = w->x->z;
    memcpy(z, y, (size_t)w->n * sizeof *z);
    clip(w, z);
    for (int32_t i = 0; i < w->n; i++) {
        z[i] *= w->sys.C[i];
    }
    double residual = ss_residual(w->p, z, NULL, w->work);
    w->sys.products += ss_matrix_products(&w->sys.J);
    if (residual < w->residual) {
        w->residual = residual;
        memcpy(w->best, z, (size_t)w->n * sizeof *z);
    }
    return residual;
}

static bool good_enough(const newton *w)
{
    return w->residual <= SS_WELL_BELOW * ss_solver_common(w->s)->tol ||
           w->residual < SS_NEWTON_ROUNDING;
}

static bool exhausted(newton *w)
{
    ss_solver_worked(w->s, w->sys.products);
    w->sys.products = 0;
    return w->x->iterations >= w->limit || w->sys.status != SS_OK || w->sys.patience.gave_up ||
           ss_solver_out_of_time(w->s);
}

/* Solve for the direction, adding to the proximal term until the matrix is good for it. */
static bool direction(newton *w, double eps)
{
    for (int32_t i = 0; i < w->n; i++) {
        w->phi[i] = -w->phi[i];
    }
    bool found = false;
    for (int k = 0; k < 8 && !found && !w->sys.patience.gave_up; k++) {
        found = ss_newton_system_solve(&w->sys, w->da, w->db, eps, w->phi, w->d);
        eps   = eps > 0 ? 100 * eps : SS_NEWTON_SHIFT;
    }
    for (int32_t i = 0; i < w->n; i++) {
        w->phi[i] = -w->phi[i];
    }
    return found;
}

/* One full min-map step from y to trial; false when there is none. */
static bool min_step(newton *w, double eps)
{
    reformulate(w, false, w->y, w->G);
    if (!ss_newton_system_linearise(&w->sys, w->y) || !direction(w, eps)) {
        return false;
    }
    for (int32_t i = 0; i < w->n; i++) {
        w->trial[i] = w->y[i] + w->d[i];
    }
    w->x->iterations++;
    return true;
}

/* Exact steps in the active set at hand, as long as they better the residual of the problem. */
static void polish(newton *w)
{
    for (int k = 0; k < 4 && !good_enough(w) && !exhausted(w); k++) {
        double before = w->residual;
        if (!min_step(w, 0) || !ss_newton_system_eval(&w->sys, w->trial, w->Gt)) {
            return;
        }
        certify(w, w->trial);
        if (!(w->residual < 0.5 * before)) {
            return;
        }
        swap(&w->y, &w->trial);
        swap(&w->G, &w->Gt);
    }
}

/* Projected min-map steps while they get somewhere. True when they solve the problem. */
static bool crash(newton *w, double eps)
{
    double least = merit_at(w, false, w->y, w->G);
    int    idle  = 0;
    for (int32_t k = 0; k < w->set->crash && idle < 4 && !exhausted(w); k++) {
        if (!min_step(w, eps)) {
            break;
        }
        clip(w, w->trial);
        if (!ss_newton_system_eval(&w->sys, w->trial, w->Gt)) {
            break;
        }
        double merit = merit_at(w, false, w->trial, w->Gt);
        idle         = merit < 0.9 * least ? 0 : idle + 1;
        swap(&w->y, &w->trial);
        swap(&w->G, &w->Gt);
        if (merit < least) {
            least = merit;
            memcpy(w->first, w->y, (size_t)w->n * sizeof *w->y);
            if (certify(w, w->y) <= ss_solver_common(w->s)->tol) {
                polish(w);
                return true;
            }
        }
    }
    memcpy(w->y, w->first, (size_t)w->n * sizeof *w->y);
    return !ss_newton_system_eval(&w->sys, w->y, w->G);
}

/* Try y + alpha d for falling alpha; the candidate ends in trial, Gt. Gives its merit or INFINITY.
 */
static double search(newton *w, bool fb, double reference, double slope)
{
    double alpha = 1;
    while (alpha > SS_NEWTON_SHORTEST) {
        for (int32_t i = 0; i < w->n; i++) {
            w->trial[i] = w->y[i] + alpha * w->d[i];
        }
        if (ss_newton_system_eval(&w->sys, w->trial, w->Gt)) {
            double merit = merit_at(w, fb, w->trial, w->Gt);
            if (merit <= reference + SS_ARMIJO * alpha * slope) {
                return merit;
            }
        }
        alpha *= alpha > 0.01 ? 0.5 : 0.1;
    }
    return INFINITY;
}

/* The Newton direction, or the gradient's where that one is not a descent direction. */
static double choose_direction(newton *w, double eps)
{
    double *g = w->trial, slope = 0, length = 0, steep = 0;
    ss_newton_system_gradient(&w->sys, w->da, w->db, w->phi, g);
    bool found = direction(w, eps);
    for (int32_t i = 0; i < w->n; i++) {
        slope += g[i] * w->d[i];
        length += w->d[i] * w->d[i];
        steep += g[i] * g[i];
    }
    if (found && slope < -SS_NEWTON_DESCENT * sqrt(length * steep)) {
        return slope;
    }
    for (int32_t i = 0; i < w->n; i++) {
        w->d[i] = -g[i];
    }
    return -steep;
}

static double reference_merit(const newton *w, int32_t k)
{
    int32_t memory = w->set->memory < MEMORY_MAX ? w->set->memory : MEMORY_MAX;
    double  most   = 0;
    for (int32_t i = 0; i < memory && i <= k; i++) {
        most = fmax(most, w->merits[(k - i) % MEMORY_MAX]);
    }
    return most;
}

/* Take a full min-map step if it cuts the merit to a quarter. */
static bool quick_step(newton *w, bool fb, double merit)
{
    if (w->set->function == 1 || !min_step(w, 0) ||
        !ss_newton_system_eval(&w->sys, w->trial, w->Gt)) {
        return false;
    }
    return merit_at(w, fb, w->trial, w->Gt) < 0.25 * merit;
}

/* One accepted step; false when no progress is possible. */
static bool step(newton *w, const plan *how, bool fb, int32_t k)
{
    double merit              = merit_at(w, fb, w->y, w->G);
    w->merits[k % MEMORY_MAX] = merit;
    bool moved                = quick_step(w, fb, merit);
    if (!moved) {
        if (!ss_newton_system_linearise(&w->sys, w->y)) {
            return false;
        }
        reformulate(w, fb, w->y, w->G);
        double slope = choose_direction(w, how->perturb * fmin(1, sqrt(merit)));
        double found = search(w, fb, reference_merit(w, k), slope);
        w->x->iterations++;
        moved = found < INFINITY && merit > 0;
    }
    swap(&w->y, &w->trial);
    swap(&w->G, &w->Gt);
    return moved;
}

/* From y until the residual of the problem is small enough or nothing moves any more. */
static void iterate(newton *w, const plan *how)
{
    bool fb = w->set->function != 2;
    if (!ss_newton_system_eval(&w->sys, w->y, w->G) || (how->crash && crash(w, how->perturb))) {
        return;
    }
    for (int32_t k = 0; k < 200 && !exhausted(w); k++) {
        bool moved = step(w, how, fb, k);
        if (certify(w, w->y) <= ss_solver_common(w->s)->tol || !moved) {
            polish(w);
            return;
        }
    }
}

/* Proximal-point iteration: each solution anchors the next problem, with a smaller term. */
static void iterate_proximally(newton *w, const plan *how)
{
    double tol      = ss_solver_common(w->s)->tol;
    w->sys.proximal = how->proximal;
    for (int k = 0; k < OUTER && w->residual > tol && !exhausted(w); k++) {
        memcpy(w->sys.anchor, w->y, (size_t)w->n * sizeof *w->y);
        memcpy(w->first, w->y, (size_t)w->n * sizeof *w->y);
        iterate(w, how);
        w->sys.proximal *= 0.1;
    }
    w->sys.proximal = 0;
    if (w->residual > tol && ss_newton_system_eval(&w->sys, w->y, w->G)) {
        polish(w);
    }
}

static void run(newton *w, const plan *how)
{
    for (int32_t i = 0; i < w->n; i++) {
        w->y[i] = how->start == FROM_BEST    ? w->best[i] / w->sys.C[i]
                  : how->start == FROM_UNITS ? 1
                                             : w->guess[i];
    }
    clip(w, w->y);
    memcpy(w->first, w->y, (size_t)w->n * sizeof *w->y);
    if (how->proximal > 0) {
        iterate_proximally(w, how);
    } else {
        iterate(w, how);
    }
}

static size_t vectors_bytes(const ss_problem *p)
{
    return ((size_t)ss_problem_size(p) * VECTORS + ss_residual_work(p)) * sizeof(double);
}

static void lay_out(newton *w, double *at)
{
    double **vectors[VECTORS] = {&w->y,  &w->G,  &w->trial, &w->Gt,    &w->d,    &w->phi,
                                 &w->da, &w->db, &w->best,  &w->first, &w->guess};
    for (int k = 0; k < VECTORS; k++) {
        *vectors[k] = at;
        at += w->n;
    }
    w->work = at;
}

static void start(newton *w)
{
    for (int32_t i = 0; i < w->n; i++) {
        w->guess[i] = w->x->warm ? w->x->z[i] : 0;
    }
}

static ss_status solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    newton w       = {.s = s, .set = ss_solver_settings(s), .p = p, .x = x, .residual = INFINITY};
    w.n            = ss_problem_size(p);
    w.sys.ctx      = ss_solver_context(s);
    w.sys.patience = ss_solver_patience(s);
    w.limit        = ss_solver_common(s)->max_iter > 0 ? ss_solver_common(s)->max_iter : 2000;
    char *memory   = ss_solver_memory(s, vectors_bytes(p) + ss_newton_system_bytes(p));
    if (memory == NULL) {
        return ss_fail(w.sys.ctx, SS_ERR_MEMORY, "newton: no memory for %d unknowns", (int)w.n);
    }
    lay_out(&w, (double *)memory);
    start(&w);
    memcpy(w.best, w.guess, (size_t)w.n * sizeof *w.best);
    x->outcome = SS_NUMERICAL;
    if (ss_newton_system_make(&w.sys, p, ss_solver_state(s), w.guess, memory + vectors_bytes(p))) {
        x->outcome = SS_SOLVED;
        for (int32_t i = 0; i < w.n; i++) {
            w.guess[i] /= w.sys.C[i];
        }
        for (int k = 0; k <= w.set->restarts && k < PLANS && !exhausted(&w); k++) {
            run(&w, &plans[k]);
            if (w.residual <= ss_solver_common(s)->tol) {
                break;
            }
        }
    }
    memcpy(x->z, w.best, (size_t)w.n * sizeof *x->z);
    x->outcome = exhausted(&w) ? SS_LIMIT : x->outcome;
    return w.sys.status;
}

/* The state is the sparse factorisation: its ordering is kept, patterns repeat. */
static void release(ss_solver *s)
{
    ss_sparse_lu_free(ss_solver_context(s), ss_solver_state(s));
}

static const ss_option options[] = {
    {"function", SS_OPTION_CHOICE, offsetof(settings, function), 0, 0, 2, "both|fb|min",
     "reformulation: min-map steps globalised by Fischer-Burmeister, or one of them alone"},
    {"crash", SS_OPTION_INT, offsetof(settings, crash), 20, 0, 1000, NULL,
     "largest number of projected steps at the start"},
    {"memory", SS_OPTION_INT, offsetof(settings, memory), 8, 1, MEMORY_MAX, NULL,
     "merit values the nonmonotone line search looks back on; 1 is monotone"},
    {"restarts", SS_OPTION_INT, offsetof(settings, restarts), PLANS - 1, 0, PLANS - 1, NULL,
     "further runs with other perturbations and starts when one fails"},
    SS_OPTION_END};

const ss_solver_class ss_solver_newton = {
    .name          = "newton",
    .summary       = "semismooth Newton for mixed complementarity, globalised, with restarts",
    .accepts       = SS_LCP | SS_MLCP | SS_MCP,
    .traits        = SS_TRAIT_WARM_STARTS | SS_TRAIT_SPARSE,
    .options       = options,
    .settings_size = sizeof(settings),
    .state_size    = sizeof(ss_sparse_lu),
    .solve         = solve,
    .release       = release,
};
