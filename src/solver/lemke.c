/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lemke's method for  w = M z + q,  0 <= z _|_ w >= 0.
 *
 * A covering variable z0 is added,  w = q + M z + d z0,  d > 0, large enough that w >= 0 at z = 0.
 * From there one complementary pair at a time is exchanged (the partner of the variable that left
 * enters) until z0 leaves: a solution. If nothing blocks the entering variable, the path ends in a
 * ray; for copositive-plus M that proves infeasibility, otherwise it proves nothing.
 *
 * Rows tie in the ratio test when their ratios agree to rounding; then z0 leaves if it may,
 * otherwise the row that is lexicographically smallest in [b | B^-1] divided by its entry in the
 * entering column, so that no basis comes twice. Column j of B^-1 is (minus) the column of w_j, or
 * a unit vector while w_j is basic, so the rule costs nothing until rows tie.
 *
 * Where the path ends in a ray that proves nothing, other covering vectors d are tried: contacts
 * that large friction wedges in have solutions that some paths pass by.
 *
 * The direction y of the z in a ray is tried as a certificate: y >= 0, M'y <= 0, q'y < 0 means that
 * no z >= 0 has M z + q >= 0, whatever M. For copositive-plus M it succeeds if the problem has no
 * solution.
 *
 * A path that loses its way to rounding is taken up again from the complementary basis it reached,
 * freshly computed from M (Lemke's method applies to every principal pivot transform of a problem),
 * then from the start for M + eps I. What comes out is corrected against M itself, and is where the
 * next such problem is anchored: a proximal-point iteration. A guess gives the first basis to start
 * from.
 *
 * R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, sections 4.4
 * and 4.9. C. E. Lemke, Management Science 11 (1965) 681-689.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "problem/residual.h"
#include "solver/delegate.h"
#include "solver/dictionary.h"
#include "solver/tolerances.h"
#include "stickslip/solver.h"

enum { UNBLOCKED = -1, RETAKES = 6, COVERS = 32, COVERS_MOST = 10000 };

/* What is added to the diagonal (scaled) in turn, while rounding spoils the result. */
static const double proximal[] = SS_LEMKE_PROXIMAL;
enum { ATTEMPTS = sizeof proximal / sizeof proximal[0] };

typedef struct settings {
    int32_t attempts;
    int32_t covers;
} settings;

/* Entry (row, j) of B^-1, where B is the basis matrix. */
static double inverse_entry(const ss_dictionary *t, int32_t row, int32_t j)
{
    int32_t at = t->place[t->n + j];
    if (at >= 0) {
        return at == row ? 1 : 0;
    }
    return -ss_dictionary_column(t, -1 - at)[row];
}

/* Is row a, divided by its pivot, lexicographically smaller than row c? */
static bool lexicographically_smaller(const ss_dictionary *t, const double *col, int32_t a,
                                      int32_t c)
{
    double noise = SS_LEXICOGRAPHIC_NOISE * (1 / fabs(col[a]) + 1 / fabs(col[c]));
    for (int32_t j = 0; j < t->n; j++) {
        double x = -inverse_entry(t, a, j) / col[a], y = -inverse_entry(t, c, j) / col[c];
        if (fabs(x - y) > noise + SS_LEXICOGRAPHIC_NOISE * (fabs(x) + fabs(y))) {
            return x < y;
        }
    }
    return a < c;
}

/* Entries of the column above this (they are negative) do not block. */
static double pivot_threshold(int32_t ld, const double *col)
{
    double most[SS_DICTIONARY_PAD] = {0};
    for (int32_t i = 0; i < ld; i += SS_DICTIONARY_PAD) {
        for (int32_t k = 0; k < SS_DICTIONARY_PAD; k++) {
            double size = fabs(col[i + k]);
            most[k]     = size > most[k] ? size : most[k];
        }
    }
    double left    = most[0] > most[1] ? most[0] : most[1];
    double right   = most[2] > most[3] ? most[2] : most[3];
    double largest = left > right ? left : right;
    return -SS_PIVOT_ZERO * (largest < 1 ? largest : 1 + SS_LONG_COLUMN * largest);
}

/* How far the entering variable may grow before a row reaches zero; INFINITY if it may forever. */
static double step_length(const ss_dictionary *t, const double *col, double threshold, int32_t *row)
{
    double theta = INFINITY;
    for (int32_t i = 0; i < t->n; i++) {
        if (col[i] < threshold && t->b[i] < -col[i] * theta) {
            theta = -t->b[i] / col[i];
            *row  = i;
        }
    }
    return theta;
}

/* Does row i reach zero, to rounding, when the entering variable reaches theta? */
static bool ties(const ss_dictionary *t, const double *col, double threshold, double theta,
                 int32_t i)
{
    return (col[i] < threshold) & (t->b[i] + col[i] * theta <= 16 * DBL_EPSILON * t->size[i]);
}

/* Among the rows that tie: z0 if it is there, otherwise the lexicographic choice. */
static int32_t break_ties(const ss_dictionary *t, const double *col, double threshold, double theta,
                          int32_t best)
{
    for (int32_t i = 0; i < t->n; i++) {
        if (i == best || !ties(t, col, threshold, theta, i)) {
            continue;
        }
        if (t->basic[best] == 2 * t->n) {
            return best;
        }
        if (t->basic[i] == 2 * t->n || lexicographically_smaller(t, col, i, best)) {
            best = i;
        }
    }
    return best;
}

/* The row whose variable leaves when that of column s enters, or UNBLOCKED. */
static int32_t ratio_test(const ss_dictionary *t, int32_t s)
{
    const double *col       = ss_dictionary_column(t, s);
    double        threshold = pivot_threshold(t->ld, col);
    int32_t       best = UNBLOCKED, count = 0;
    double        theta = step_length(t, col, threshold, &best);
    if (best == UNBLOCKED) {
        return best;
    }
    for (int32_t i = 0; i < t->n; i++) {
        count += ties(t, col, threshold, theta, i);
    }
    return count > 1 ? break_ties(t, col, threshold, theta, best) : best;
}

/* z0 enters at the row that is most negative for its cover; the last of equals is the
   lexicographic choice. */
static int32_t first_row(const ss_dictionary *t)
{
    const double *cover = ss_dictionary_column(t, t->n);
    int32_t       row   = 0;
    for (int32_t i = 1; i < t->n; i++) {
        if (t->b[i] * cover[row] <= t->b[row] * cover[i]) {
            row = i;
        }
    }
    return row;
}

/* Numbers in [0, 1) that look random and are the same everywhere: the mixing function splitmix64.
 */
static double scattered(uint64_t k)
{
    uint64_t x = (k + 1) * 0x9E3779B97F4A7C15u;
    x          = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x          = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

/* A principal transform may leave zeros in the covering column: every path starts with ones, or,
   where that one ends in a ray, with numbers between 1/4 and 4 that differ from path to path. */
static void fill_cover(ss_dictionary *t, int32_t which)
{
    double *cover = ss_dictionary_column(t, t->n);
    for (int32_t i = 0; i < t->n; i++) {
        double x = scattered((uint64_t)which * (uint64_t)t->n + (uint64_t)i);
        cover[i] = which == 0 ? 1 : 0.25 * (1 + 15 * x * x);
    }
}

/* Follow the path from a complementary basis; *ray is the column it ends with if it does. */
static ss_outcome follow_path(ss_solver *s, ss_dictionary *t, int32_t cover, int32_t *pivots,
                              int32_t *ray)
{
    fill_cover(t, cover);
    int32_t row = first_row(t), col = t->n;
    if (t->b[row] >= 0) {
        return SS_SOLVED;
    }
    int32_t limit = ss_solver_common(s)->max_iter;
    limit         = *pivots + (limit > 0 ? limit : 4 * t->n + 60);
    for (;; ++*pivots) {
        int32_t leaving = t->basic[row];
        ss_dictionary_pivot(t, row, col);
        ss_solver_worked(s, ss_dictionary_products(t));
        if (leaving == 2 * t->n) {
            ++*pivots;
            return SS_SOLVED;
        }
        col = -1 - t->place[ss_dictionary_partner(t, leaving)];
        row = ratio_test(t, col);
        if (row == UNBLOCKED) {
            *ray = col;
            return SS_RAY;
        }
        if (*pivots >= limit || ss_solver_out_of_time_now(s, (*pivots & 63) == 63)) {
            return SS_LIMIT;
        }
    }
}

/* The pairs whose z is basic. While z0 is basic the pair with both members nonbasic counts as w. */
static void basic_set(const ss_dictionary *t, unsigned char *inside)
{
    for (int32_t i = 0; i < t->n; i++) {
        inside[i] = t->place[i] >= 0;
    }
}

/* y, the direction of z along the ray of column `col`, in the units of the problem. */
static void ray_direction(const ss_dictionary *t, int32_t col, double *y)
{
    const double *at = ss_dictionary_column(t, col);
    for (int32_t i = 0; i < t->n; i++) {
        y[i] = t->nonbasic[col] == i ? t->col_scale[i] : 0;
    }
    for (int32_t i = 0; i < t->n; i++) {
        if (t->basic[i] < t->n) {
            y[t->basic[i]] = fmax(0, at[i]) * t->col_scale[t->basic[i]];
        }
    }
}

static bool nonnegative(int32_t n, const double *q)
{
    for (int32_t i = 0; i < n; i++) {
        if (!(q[i] >= 0)) {
            return false;
        }
    }
    return true;
}

/* Does y >= 0 prove that no z >= 0 has M z + q >= 0?  M'y <= 0 and q'y < 0, beyond rounding. */
static bool proves_infeasible(const ss_lcp *p, const double *y)
{
    const ss_matrix *M   = &p->M;
    double           sum = 0, size = 0;
    for (int32_t i = 0; i < p->n; i++) {
        sum += p->q[i] * y[i];
        size += fabs(p->q[i]) * y[i];
    }
    bool proof = sum < -SS_PROOF_NEGATIVE * size;
    for (int32_t j = 0; j < p->n && proof; j++) {
        int32_t first = M->dense != NULL ? 0 : M->colptr[j];
        int32_t last  = M->dense != NULL ? p->n : M->colptr[j + 1];
        sum = size = 0;
        for (int32_t k = first; k < last; k++) {
            double m =
                M->dense != NULL ? M->dense[(size_t)j * (size_t)M->ld + (size_t)k] : M->values[k];
            double term = m * y[M->dense != NULL ? k : M->rowind[k]];
            sum += term;
            size += fabs(term);
        }
        proof = sum <= SS_PROOF_ROUNDING * size;
    }
    return proof;
}

/* One attempt and the best so far. */
typedef struct attempt {
    ss_solver        *s;
    const ss_lcp     *p;
    const ss_problem *problem;
    ss_solution      *x;
    ss_dictionary     t;
    double           *best;      /* (n) z with the smallest violation */
    double           *work;      /* of ss_residual                    */
    double            violation; /* of best */
    unsigned char    *inside;    /* (n) the set of basic z            */
} attempt;

/* Begin with the pairs of `inside` exchanged, or with none of them if that cannot be. */
static bool start_from(attempt *a, double eps, const double *anchor)
{
    ss_dictionary_start(&a->t, a->p, eps, anchor);
    ss_patience patience = ss_solver_patience(a->s);
    bool        regular  = ss_dictionary_transform(&a->t, a->inside, &patience);
    ss_solver_worked(a->s, ss_dictionary_transform_products(&a->t, a->inside));
    if (regular) {
        return true;
    }
    ss_dictionary_start(&a->t, a->p, eps, anchor);
    return false;
}

/* Measure what is in x->z and keep it if it is the best so far. */
static double judge(attempt *a, double violation)
{
    if (violation > SS_BASIS_LOST) { /* or only relative to rows that are rounding themselves */
        violation = ss_residual(a->problem, a->x->z, NULL, a->work);
        ss_solver_worked(a->s, ss_problem_entries(a->problem));
    }
    if (violation < a->violation) {
        a->violation = violation;
        memcpy(a->best, a->x->z, (size_t)a->p->n * sizeof *a->best);
    }
    return violation;
}

/*
 * After a path has ended in a basis that is not good enough. Perhaps a fresh factorisation is all
 * it takes; otherwise go on from there, anchored there if there is a proximal term.
 */
static bool take_up_again(attempt *a, double eps)
{
    basic_set(&a->t, a->inside);
    ss_solver_worked(a->s, ss_dense_lu_products(a->p->n));
    if (eps == 0 && ss_dictionary_resolve(&a->t, a->p, a->x->z) &&
        judge(a, INFINITY) <= SS_BASIS_LOST) {
        return false;
    }
    return start_from(a, eps, eps > 0 ? a->x->z : NULL);
}

/* One path, and more from where it got to while it was rounding that ended it. */
static ss_outcome follow_paths(attempt *a, double eps, int32_t cover)
{
    double last = INFINITY;
    for (int take = 0;; take++) {
        int32_t    ray     = 0;
        ss_outcome outcome = follow_path(a->s, &a->t, cover, &a->x->iterations, &ray);
        if (outcome == SS_LIMIT) {
            return outcome;
        }
        if (outcome == SS_RAY) {
            ray_direction(&a->t, ray, a->x->z);
            return proves_infeasible(a->p, a->x->z) ? SS_INFEASIBLE : SS_RAY;
        }
        double violation = judge(a, ss_dictionary_solution(&a->t, a->p, a->x->z));
        bool   slow      = take > 0 && !(violation < 0.5 * last);
        last             = violation;
        if (violation <= SS_BASIS_LOST || take == RETAKES || slow || !take_up_again(a, eps)) {
            return SS_SOLVED;
        }
    }
}

/* Of a problem without a solution some path ends where terms hide what is missing: that is none. */
static bool found_by_cover(attempt *a)
{
    bool found = a->violation <= SS_BASIS_LOST;
    if (found) {
        ss_solver_worked(a->s, ss_problem_entries(a->problem));
        found = ss_residual(a->problem, a->best, NULL, a->work) <= ss_solver_common(a->s)->tol;
    }
    a->violation = found ? a->violation : INFINITY;
    return found;
}

/* Other covering vectors lead elsewhere than into the ray of the first; solved if one does. */
static ss_outcome try_covers(attempt *a)
{
    int32_t covers = ((const settings *)ss_solver_settings(a->s))->covers;
    double  most   = ss_solver_work(a->s) + SS_COVERS_WORK;
    for (int32_t k = 1; k < covers && ss_solver_work(a->s) < most; k++) {
        if (ss_solver_out_of_time(a->s)) {
            return SS_RAY;
        }
        ss_dictionary_start(&a->t, a->p, 0, NULL);
        ss_outcome outcome = follow_paths(a, 0, k);
        if (outcome == SS_INFEASIBLE || found_by_cover(a)) {
            return outcome;
        }
    }
    return SS_RAY;
}

/* Plain first; then, while rounding is what stands in the way, with a proximal term. */
static ss_outcome try_all(attempt *a)
{
    ss_outcome first    = SS_NUMERICAL;
    int32_t    attempts = ((const settings *)ss_solver_settings(a->s))->attempts;
    if (a->x->warm) {
        for (int32_t i = 0; i < a->p->n; i++) {
            a->inside[i] = a->x->z[i] > 0;
        }
        start_from(a, 0, NULL);
    } else {
        ss_dictionary_start(&a->t, a->p, 0, NULL);
    }
    for (int k = 0; k < attempts; k++) {
        ss_outcome outcome = follow_paths(a, proximal[k], 0);
        if (k == 0 && outcome == SS_RAY && !ss_solver_common(a->s)->brief) {
            outcome = try_covers(a);
        }
        first = k == 0 ? outcome : first;
        if (outcome == SS_INFEASIBLE || a->violation <= SS_BASIS_LOST ||
            ss_solver_out_of_time(a->s)) {
            return outcome;
        }
        if (k + 1 < attempts) {
            ss_dictionary_start(&a->t, a->p, proximal[k + 1], NULL);
        }
    }
    return a->violation < SS_LEMKE_WORTH ? SS_SOLVED : first; /* which is then inaccurate */
}

static ss_status solve(ss_solver *s, const ss_problem *problem, ss_solution *x)
{
    const ss_lcp *p = &problem->as.lcp;
    size_t        n = (size_t)p->n, bytes = ss_dictionary_bytes(p->n);
    x->iterations = 0;
    x->outcome    = SS_SOLVED;
    if (nonnegative(p->n, p->q)) {
        memset(x->z, 0, n * sizeof *x->z);
        return SS_OK;
    }
    unsigned char *memory = ss_solver_memory(s, bytes + 9 * n * sizeof(double) + n);
    if (memory == NULL) {
        return ss_fail(ss_solver_context(s), SS_ERR_MEMORY, "lemke: no memory for %d unknowns",
                       (int)p->n);
    }
    attempt a = {.s = s, .p = p, .problem = problem, .x = x, .violation = INFINITY};
    a.best    = (double *)memory;
    a.work    = a.best + n;
    a.t       = ss_dictionary_make(p->n, a.work + 8 * n);
    a.inside  = memory + 9 * n * sizeof(double) + bytes;
    memset(a.best, 0, n * sizeof *a.best);
    x->outcome = try_all(&a);
    memcpy(x->z, a.best, n * sizeof *x->z);
    return SS_OK;
}

static const ss_option options[] = {
    {"attempts", SS_OPTION_INT, offsetof(settings, attempts), ATTEMPTS, 1, ATTEMPTS, NULL,
     "paths to try: the plain one, then with growing proximal terms while rounding spoils them"},
    {"covers", SS_OPTION_INT, offsetof(settings, covers), COVERS, 1, COVERS_MOST, NULL,
     "covering vectors to try, one after the other, while paths end in rays that prove nothing"},
    SS_OPTION_END};

const ss_solver_class ss_solver_lemke = {
    .name    = "lemke",
    .summary = "Lemke's method, lexicographic: copositive problems end in a solution or a ray",
    .accepts = SS_LCP,
    .traits  = SS_TRAIT_EXACT | SS_TRAIT_WARM_STARTS | SS_TRAIT_PROVES,
    .options = options,
    .settings_size = sizeof(settings),
    .solve         = solve,
};
