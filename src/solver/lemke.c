/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lemke's method for  w = M z + q,  0 <= z _|_ w >= 0.
 *
 * A covering variable z0 is added,  w = q + M z + d z0,  d > 0, large enough that w >= 0 at z = 0.
 * From there one complementary pair at a time is exchanged (the partner of the variable that left
 * enters) until z0 leaves: a solution. If nothing blocks the entering variable, the path ends in a
 * ray; for copositive-plus M that proves infeasibility, otherwise it proves nothing.
 *
 * The dictionary  x_B = b + T x_N  is kept for the n + 1 nonbasic variables only. Rows tie in the
 * ratio test when their ratios agree to rounding; then z0 leaves if it may, otherwise the row that
 * is lexicographically smallest in [b | B^-1] divided by its entry in the entering column, so that
 * no basis comes twice. Column j of B^-1 is (minus) the column of w_j, or a unit vector while w_j
 * is basic, so the rule costs nothing until rows tie.
 *
 * In the end z is corrected against the original M: the dictionary itself holds M_BB^-1.
 *
 * R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, sections 4.4
 * and 4.9. C. E. Lemke, Management Science 11 (1965) 681-689.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/matrix.h"
#include "stickslip/solver.h"

/* Variables are numbered z_0 .. z_n-1, w_0 .. w_n-1, then the covering variable. */
typedef struct dictionary {
    int32_t  n;
    int32_t  ld;       /* rows of a column, padded                                     */
    double  *T;        /* (ld x n+1) columns of the nonbasic variables                 */
    double  *b;        /* (ld) values of the basic variables                           */
    double  *entering; /* (ld) copy of the entering column while a pivot updates T     */
    int32_t *basic;    /* (n) variable of each row                                     */
    int32_t *nonbasic; /* (n+1) variable of each column                                */
    int32_t *place;    /* (2n+1) row of a basic variable, -1 - column of a nonbasic one */
    double   tie;      /* rows whose b differ by less than this tie                    */
} dictionary;

enum { UNBLOCKED = -1, PAD = 4 };

static int32_t padded(int32_t n)
{
    return (n + PAD - 1) / PAD * PAD;
}

static size_t bytes_needed(int32_t n)
{
    size_t ld = (size_t)padded(n), m = (size_t)n;
    return ld * (m + 3) * sizeof(double) + (4 * m + 2) * sizeof(int32_t);
}

static double *column(const dictionary *t, int32_t j)
{
    return t->T + (size_t)j * (size_t)t->ld;
}

static dictionary dictionary_make(int32_t n, void *memory)
{
    dictionary t = {.n = n, .ld = padded(n), .T = memory};
    t.b          = column(&t, n + 1);
    t.entering   = column(&t, n + 2);
    t.basic      = (int32_t *)column(&t, n + 3);
    t.nonbasic   = t.basic + n;
    t.place      = t.nonbasic + n + 1;
    return t;
}

/* All w basic, z and z0 nonbasic. Padding is zero so that whole columns can be updated. */
static void dictionary_start(dictionary *t, const ss_lcp *p)
{
    int32_t n = t->n;
    ss_matrix_to_dense(&p->M, t->T, t->ld);
    double *cover   = column(t, n);
    double  largest = 0;
    for (int32_t i = 0; i < n; i++) {
        cover[i]        = 1;
        t->b[i]         = p->q[i];
        largest         = fmax(largest, fabs(p->q[i]));
        t->basic[i]     = n + i;
        t->place[n + i] = i;
        t->nonbasic[i]  = i;
        t->place[i]     = -1 - i;
    }
    for (int32_t i = n; i < t->ld; i++) {
        for (int32_t j = 0; j <= n + 1; j++) {
            column(t, j)[i] = 0;
        }
    }
    t->nonbasic[n]  = 2 * n;
    t->place[2 * n] = -1 - n;
    t->tie          = 4 * DBL_EPSILON * largest;
}

/* Exchange the basic variable of row r with the nonbasic variable of column s. */
static void pivot(dictionary *t, int32_t r, int32_t s)
{
    double *entering = t->entering;
    memcpy(entering, column(t, s), (size_t)t->ld * sizeof *entering);
    double inverse = 1 / entering[r];
    entering[r]    = 0;
    for (int32_t j = 0; j <= t->n + 1; j++) {
        double *col = column(t, j); /* column n + 1 is b */
        if (j == s || col[r] == 0) {
            continue;
        }
        double factor = -col[r] * inverse;
        for (int32_t i = 0; i < t->ld; i++) {
            col[i] += entering[i] * factor;
        }
        col[r] = factor;
    }
    double *col = column(t, s);
    for (int32_t i = 0; i < t->ld; i++) {
        col[i] = entering[i] * inverse;
    }
    col[r] = inverse;

    int32_t in = t->nonbasic[s], out = t->basic[r];
    t->basic[r]    = in;
    t->nonbasic[s] = out;
    t->place[in]   = r;
    t->place[out]  = -1 - s;
}

/* Entry (row, j) of B^-1, where B is the basis matrix of the w, z, z0 columns. */
static double inverse_entry(const dictionary *t, int32_t row, int32_t j)
{
    int32_t at = t->place[t->n + j];
    if (at >= 0) {
        return at == row ? 1 : 0;
    }
    return -column(t, -1 - at)[row];
}

/* Is row a, divided by its pivot, lexicographically smaller than row c? */
static bool lexicographically_smaller(const dictionary *t, const double *col, int32_t a, int32_t c)
{
    for (int32_t j = 0; j < t->n; j++) {
        double x = -inverse_entry(t, a, j) / col[a], y = -inverse_entry(t, c, j) / col[c];
        if (fabs(x - y) > 16 * DBL_EPSILON * (fabs(x) + fabs(y))) {
            return x < y;
        }
    }
    return a < c;
}

/* Entries above this are zeros spoilt by rounding, as far as a pivot is concerned. */
static double pivot_threshold(const dictionary *t, const double *col)
{
    double largest = 0;
    for (int32_t i = 0; i < t->n; i++) {
        double size = fabs(col[i]);
        largest     = size > largest ? size : largest;
    }
    return -1e-13 * fmin(largest, 1 + 1e-3 * largest);
}

/* The row whose variable leaves when that of column s enters, or UNBLOCKED. */
static int32_t ratio_test(const dictionary *t, int32_t s)
{
    const double *col       = column(t, s);
    double        threshold = pivot_threshold(t, col), theta = INFINITY;
    int32_t       best = UNBLOCKED;
    for (int32_t i = 0; i < t->n; i++) {
        if (col[i] < threshold && t->b[i] < -col[i] * theta) {
            theta = -t->b[i] / col[i];
            best  = i;
        }
    }
    for (int32_t i = 0; i < t->n && best != UNBLOCKED; i++) {
        if (!(col[i] < threshold) || t->b[i] + col[i] * theta > t->tie) {
            continue;
        }
        if (t->basic[i] == 2 * t->n) {
            return i;
        }
        if (i != best && lexicographically_smaller(t, col, i, best)) {
            best = i;
        }
    }
    return best;
}

/* z0 enters at the row that is most negative; the last of equals is the lexicographic choice. */
static int32_t first_row(const dictionary *t)
{
    int32_t row = 0;
    for (int32_t i = 1; i < t->n; i++) {
        if (t->b[i] <= t->b[row]) {
            row = i;
        }
    }
    return row;
}

static void read_solution(const dictionary *t, double *z)
{
    for (int32_t i = 0; i < t->n; i++) {
        z[i] = 0;
    }
    for (int32_t i = 0; i < t->n; i++) {
        if (t->basic[i] < t->n) {
            z[t->basic[i]] = fmax(0, t->b[i]);
        }
    }
}

/*
 * One step of iterative refinement: w of the basic z should be zero; the columns of the nonbasic w
 * say how the basic z answer to it. The sums are long, so that what they lose does not matter.
 */
static void refine(const dictionary *t, const ss_lcp *p, double *w, double *z)
{
    int32_t n = t->n;
    memcpy(w, p->q, (size_t)n * sizeof *w);
    ss_matrix_mul_add(&p->M, z, w);
    for (int32_t j = 0; j < n; j++) {
        int32_t at = t->place[n + j];
        if (at >= 0 || w[j] == 0) {
            continue;
        }
        const double *col = column(t, -1 - at);
        for (int32_t i = 0; i < n; i++) {
            if (t->basic[i] < n) {
                z[t->basic[i]] -= col[i] * w[j];
            }
        }
    }
    for (int32_t i = 0; i < n; i++) {
        z[i] = fmax(0, z[i]);
    }
}

/* Follow the path. Gives the outcome; counts pivots. */
static ss_outcome follow_path(ss_solver *s, dictionary *t, int32_t *pivots)
{
    int32_t limit = ss_solver_common(s)->max_iter;
    limit         = limit > 0 ? limit : 50 * (t->n + 10);
    int32_t row = first_row(t), col = t->n;
    for (*pivots = 1; *pivots <= limit; ++*pivots) {
        int32_t leaving = t->basic[row];
        pivot(t, row, col);
        if (leaving == 2 * t->n) {
            return SS_SOLVED;
        }
        int32_t entering = leaving < t->n ? leaving + t->n : leaving - t->n;
        col              = -1 - t->place[entering];
        row              = ratio_test(t, col);
        if (row == UNBLOCKED) {
            return SS_RAY;
        }
        if ((*pivots & 63) == 0 && ss_solver_out_of_time(s)) {
            return SS_LIMIT;
        }
    }
    return SS_LIMIT;
}

static bool nonnegative(int32_t n, const double *q)
{
    bool yes = true;
    for (int32_t i = 0; i < n; i++) {
        yes = yes && q[i] >= 0;
    }
    return yes;
}

static ss_status solve(ss_solver *s, const ss_problem *problem, ss_solution *x)
{
    const ss_lcp *p = &problem->as.lcp;
    x->iterations   = 0;
    x->outcome      = SS_SOLVED;
    if (nonnegative(p->n, p->q)) {
        memset(x->z, 0, (size_t)p->n * sizeof *x->z);
        return SS_OK;
    }
    void *memory = ss_solver_memory(s, bytes_needed(p->n));
    if (memory == NULL) {
        return ss_fail(ss_solver_context(s), SS_ERR_MEMORY, "lemke: no memory for %d unknowns",
                       (int)p->n);
    }
    dictionary t = dictionary_make(p->n, memory);
    dictionary_start(&t, p);
    x->outcome = follow_path(s, &t, &x->iterations);
    read_solution(&t, x->z);
    if (x->outcome == SS_SOLVED) {
        refine(&t, p, t.entering, x->z);
    }
    return SS_OK;
}

const ss_solver_class ss_solver_lemke = {
    .name    = "lemke",
    .summary = "Lemke's method, lexicographic: copositive problems end in a solution or a ray",
    .accepts = SS_LCP,
    .traits  = SS_TRAIT_EXACT,
    .solve   = solve,
};
