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
 * A path that loses its way to rounding is taken up again from the complementary basis it reached,
 * freshly computed from M: Lemke's method applies to every principal pivot transform of a problem.
 * A guess is used in the same way.
 *
 * R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, sections 4.4
 * and 4.9. C. E. Lemke, Management Science 11 (1965) 681-689.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "solver/dictionary.h"
#include "stickslip/solver.h"

enum { UNBLOCKED = -1, ROUNDS = 4 };

/* Relative violations above this are not rounding: the basis is not the one it was taken for. */
static const double lost = 1e-13;

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
    double noise = 1e-12 * (1 / fabs(col[a]) + 1 / fabs(col[c]));
    for (int32_t j = 0; j < t->n; j++) {
        double x = -inverse_entry(t, a, j) / col[a], y = -inverse_entry(t, c, j) / col[c];
        if (fabs(x - y) > noise + 1e-12 * (fabs(x) + fabs(y))) {
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
    return -SS_PIVOT_ZERO * (largest < 1 ? largest : 1 + 1e-3 * largest);
}

/* How far the entering variable may grow before a row reaches zero; INFINITY if it may for ever. */
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
    for (int32_t i = 0; i < t->n; i++) {
        count += ties(t, col, threshold, theta, i);
    }
    return count > 1 ? break_ties(t, col, threshold, theta, best) : best;
}

/* z0 enters at the row that is most negative; the last of equals is the lexicographic choice. */
static int32_t first_row(const ss_dictionary *t)
{
    int32_t row = 0;
    for (int32_t i = 1; i < t->n; i++) {
        if (t->b[i] <= t->b[row]) {
            row = i;
        }
    }
    return row;
}

/* A principal transform may leave zeros in the covering column; every path starts with ones. */
static void cover_evenly(ss_dictionary *t)
{
    double *cover = ss_dictionary_column(t, t->n);
    for (int32_t i = 0; i < t->n; i++) {
        cover[i] = 1;
    }
}

/* Follow the path from a complementary basis. Gives the outcome; counts pivots. */
static ss_outcome follow_path(ss_solver *s, ss_dictionary *t, int32_t *pivots)
{
    int32_t row = first_row(t), col = t->n;
    if (t->b[row] >= 0) {
        return SS_SOLVED;
    }
    cover_evenly(t);
    int32_t limit = ss_solver_common(s)->max_iter;
    limit         = limit > 0 ? limit : 50 * (t->n + 10);
    for (;; ++*pivots) {
        int32_t leaving = t->basic[row];
        ss_dictionary_pivot(t, row, col);
        if (leaving == 2 * t->n) {
            ++*pivots;
            return SS_SOLVED;
        }
        col = -1 - t->place[ss_dictionary_partner(t, leaving)];
        row = ratio_test(t, col);
        if (row == UNBLOCKED) {
            return SS_RAY;
        }
        if (*pivots >= limit || ((*pivots & 63) == 63 && ss_solver_out_of_time(s))) {
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

static bool nonnegative(int32_t n, const double *q)
{
    bool yes = true;
    for (int32_t i = 0; i < n; i++) {
        yes = yes && q[i] >= 0;
    }
    return yes;
}

/* The first path, and more from where it got to while it was rounding that ended it. */
static void follow_paths(ss_solver *s, const ss_lcp *p, ss_dictionary *t, ss_solution *x,
                         unsigned char *inside)
{
    for (int round = 0; round < ROUNDS; round++) {
        x->outcome = follow_path(s, t, &x->iterations);
        if (x->outcome == SS_LIMIT) {
            return;
        }
        double violation = ss_dictionary_solution(t, p, x->z);
        if (x->outcome == SS_SOLVED && violation <= lost) {
            return;
        }
        basic_set(t, inside);
        ss_dictionary_start(t, p);
        if (x->outcome == SS_RAY || !ss_dictionary_transform(t, inside)) {
            return;
        }
    }
}

static ss_status solve(ss_solver *s, const ss_problem *problem, ss_solution *x)
{
    const ss_lcp *p = &problem->as.lcp;
    size_t        n = (size_t)p->n;
    x->iterations   = 0;
    x->outcome      = SS_SOLVED;
    if (nonnegative(p->n, p->q)) {
        memset(x->z, 0, n * sizeof *x->z);
        return SS_OK;
    }
    unsigned char *memory = ss_solver_memory(s, ss_dictionary_bytes(p->n) + n);
    if (memory == NULL) {
        return ss_fail(ss_solver_context(s), SS_ERR_MEMORY, "lemke: no memory for %d unknowns",
                       (int)p->n);
    }
    ss_dictionary t = ss_dictionary_make(p->n, memory);
    ss_dictionary_start(&t, p);
    follow_paths(s, p, &t, x, memory + ss_dictionary_bytes(p->n));
    return SS_OK;
}

const ss_solver_class ss_solver_lemke = {
    .name    = "lemke",
    .summary = "Lemke's method, lexicographic: copositive problems end in a solution or a ray",
    .accepts = SS_LCP,
    .traits  = SS_TRAIT_EXACT,
    .solve   = solve,
};
