/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lawson and Hanson's active-set method (Solving Least Squares Problems, 1974, chapters 23, 24).
 * The variables that are positive are kept in a list; its least-squares problem is solved by
 * Gram-Schmidt. Where a column leaves the list, R has one entry below its diagonal in each column
 * after it, and rotations of neighbouring rows of R and columns of Q take these away: O(m) for each
 * column after it, where Gram-Schmidt anew is O(m) for each pair. What rotations leave of rounding
 * goes at the end, by Gram-Schmidt of the whole list.
 */
#include "linalg/nnls.h"

#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "linalg/tolerances.h"
#include "linalg/vector.h"

typedef struct problem {
    int32_t       m, n;
    const double *A;
    double       *Q, *R, *s; /* (m x m), (m x m) upper, (m) solution on the list */
    double       *norm;      /* (n) lengths of the columns                       */
    int32_t      *list;      /* (n) columns that may be positive, `count` of them */
    int32_t       count;
    int32_t       factored; /* columns of the list, the first ones, whose Q and R are known */
    bool          rotated;  /* columns left the list since these were made                  */
    int32_t      *state;    /* (n) 0: zero, 1: in the list, 2: depends on the list  */
} problem;

size_t ss_nnls_work(int32_t m, int32_t n)
{
    return 2 * (size_t)m * (size_t)m + 2 * (size_t)m + (size_t)n;
}

/* Four sums side by side: these products are nearly all of the work, and a sum waits for itself. */
static double dot(int32_t n, const double *a, const double *b)
{
    double  sum[4] = {0};
    int32_t i      = 0;
    for (; i + 4 <= n; i += 4) {
        for (int32_t k = 0; k < 4; k++) {
            sum[k] += a[i + k] * b[i + k];
        }
    }
    for (; i < n; i++) {
        sum[0] += a[i] * b[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Q R = the columns of the list; false when the last depends on the others. */
static bool factor(problem *p)
{
    for (int32_t k = p->factored; k < p->count; k++) {
        double       *q = p->Q + (ptrdiff_t)k * p->m, *r = p->R + (ptrdiff_t)k * p->m;
        const double *a = p->A + (ptrdiff_t)p->list[k] * p->m;
        memcpy(q, a, (size_t)p->m * sizeof *q);
        memset(r, 0, (size_t)p->m * sizeof *r);
        for (int pass = 0; pass < 2; pass++) {
            for (int32_t j = 0; j < k; j++) {
                const double *before = p->Q + (ptrdiff_t)j * p->m;
                double        along  = dot(p->m, before, q);
                r[j] += along;
                ss_vector_add(p->m, q, -along, before);
            }
        }
        r[k] = ss_vector_norm(p->m, q);
        if (!(r[k] > SS_DEPENDENT_COLUMN * p->norm[p->list[k]])) {
            return false;
        }
        for (int32_t i = 0; i < p->m; i++) {
            q[i] /= r[k];
        }
        p->factored = k + 1;
    }
    return true;
}

/* s = the least-squares solution on the list. */
static void solve_list(problem *p, const double *b)
{
    for (int32_t k = 0; k < p->count; k++) {
        p->s[k] = dot(p->m, p->Q + (ptrdiff_t)k * p->m, b);
    }
    for (int32_t k = p->count - 1; k >= 0; k--) {
        p->s[k] /= p->R[k + (ptrdiff_t)k * p->m];
        for (int32_t i = 0; i < k; i++) {
            p->s[i] -= p->R[i + (ptrdiff_t)k * p->m] * p->s[k];
        }
    }
}

/* How far x can go towards s before an entry of the list becomes zero; 1: all the way. */
static double longest_step(const problem *p, const double *x)
{
    double step = 1;
    for (int32_t k = 0; k < p->count; k++) {
        double from = x[p->list[k]];
        if (p->s[k] <= 0) {
            step = fmin(step, from > 0 ? from / (from - p->s[k]) : 0);
        }
    }
    return step;
}

/* (a, b) := (c a + s b, c b - s a) of vectors. */
static void rotate(int32_t n, double c, double s, double *a, double *b, ptrdiff_t stride)
{
    for (int32_t i = 0; i < n; i++, a += stride, b += stride) {
        double was = *a;
        *a         = c * was + s * *b;
        *b         = c * *b - s * was;
    }
}

/* Takes entry k off the list, its column out of Q R. */
static void take_off(problem *p, int32_t k)
{
    double *R = p->R;
    p->count--;
    memmove(p->list + k, p->list + k + 1, (size_t)(p->count - k) * sizeof *p->list);
    memmove(R + (ptrdiff_t)k * p->m, R + (ptrdiff_t)(k + 1) * p->m,
            (size_t)(p->count - k) * (size_t)p->m * sizeof *R);
    for (int32_t j = k; j < p->count; j++) {
        double *at = R + j + (ptrdiff_t)j * p->m, length = sqrt(at[0] * at[0] + at[1] * at[1]);
        double  c = at[0] / length, s = at[1] / length; /* columns are independent: length > 0 */
        rotate(p->count - j, c, s, at, at + 1, p->m);
        at[1] = 0;
        rotate(p->m, c, s, p->Q + (ptrdiff_t)j * p->m, p->Q + (ptrdiff_t)(j + 1) * p->m, 1);
    }
    p->factored = p->count;
    p->rotated  = true;
}

/* Take the step, and entries that became zero off the list. */
static void advance(problem *p, double *x, double step)
{
    bool lost = false;
    for (int32_t k = 0; k < p->count; k++) {
        int32_t j    = p->list[k];
        double  from = x[j];
        bool    ends =
            step < 1 && p->s[k] <= 0 && from + step * (p->s[k] - from) <= SS_VANISHED * from;
        x[j] = ends ? 0 : from + step * (p->s[k] - from);
        x[j] = ss_max(x[j], 0);
    }
    for (int32_t k = p->count - 1; k >= 0; k--) {
        if (!(x[p->list[k]] > 0)) {
            p->state[p->list[k]] = 0;
            take_off(p, k);
            lost = true;
        }
    }
    for (int32_t j = 0; lost && j < p->n; j++) {
        p->state[j] = p->state[j] == 2 ? 0 : p->state[j]; /* the list lost columns */
    }
}

/* Towards the solution on the list, until all of what is on it is positive. */
static void follow_list(problem *p, const double *b, double *x)
{
    for (double step = 0; step < 1 && p->count > 0 && factor(p);) {
        solve_list(p, b);
        step = longest_step(p, x);
        advance(p, x, step);
    }
}

/* left = b - A x; gives the column along which it can be reduced most, -1: none. */
static int32_t best_column(const problem *p, const double *b, const double *x, double *left)
{
    int32_t best = -1;
    double  most = 0, size = ss_vector_norm(p->m, b);
    memcpy(left, b, (size_t)p->m * sizeof *left);
    for (int32_t j = 0; j < p->n; j++) {
        if (x[j] > 0) {
            ss_vector_add(p->m, left, -x[j], p->A + (ptrdiff_t)j * p->m);
        }
    }
    for (int32_t j = 0; j < p->n; j++) {
        const double *a    = p->A + (ptrdiff_t)j * p->m;
        double        gain = dot(p->m, a, left);
        double        tiny = SS_VANISHED * p->norm[j] * size;
        if (p->state[j] == 0 && gain > tiny && gain > most) {
            most = gain;
            best = j;
        }
    }
    return best;
}

/* The list of what is positive in x, as far as its columns are independent. */
static void begin_from(problem *p, const double *b, double *x)
{
    for (int32_t j = 0; j < p->n; j++) {
        p->norm[j]  = sqrt(dot(p->m, p->A + (ptrdiff_t)j * p->m, p->A + (ptrdiff_t)j * p->m));
        p->state[j] = 0;
        if (x[j] > 0 && p->count < p->m) {
            p->list[p->count++] = j;
            p->state[j]         = 1;
        }
        if (x[j] > 0 && !factor(p)) {
            p->count--;
            p->state[j] = 0;
        }
        x[j] = p->state[j] == 1 ? x[j] : 0;
    }
    follow_list(p, b, x);
}

bool ss_nnls_from(int32_t m, int32_t n, const double *A, const double *b, double *x, double *left,
                  double *work, int32_t *iwork, bool (*over)(void *user), void *user)
{
    problem p = {.m = m, .n = n, .A = A, .Q = work};
    p.list    = iwork;
    p.state   = iwork + n;
    p.R       = work + (size_t)m * (size_t)m;
    p.s       = p.R + (size_t)m * (size_t)m;
    p.norm    = p.s + 2 * (size_t)m;
    begin_from(&p, b, x);
    for (int32_t turn = 0; turn < 10 * (n + m) + 50 && !over(user); turn++) {
        int32_t j    = best_column(&p, b, x, left);
        bool    ends = j < 0 || p.count == m; /* a list of m spans everything: rounding is left */
        if (ends && !p.rotated) {
            return true;
        }
        if (ends) {
            p.factored = 0;
            p.rotated  = false;
            follow_list(&p, b, x);
            continue;
        }
        p.list[p.count++] = j;
        p.state[j]        = 1;
        if (!factor(&p)) {
            p.state[j] = 2;
            p.count--;
            continue;
        }
        follow_list(&p, b, x);
        p.state[j] = x[j] > 0 ? 1 : 2; /* zero again: rounding chose it */
    }
    return false;
}

bool ss_nnls_until(int32_t m, int32_t n, const double *A, const double *b, double *x, double *left,
                   double *work, int32_t *iwork, bool (*over)(void *user), void *user)
{
    memset(x, 0, (size_t)n * sizeof *x);
    return ss_nnls_from(m, n, A, b, x, left, work, iwork, over, user);
}

static bool never(void *user)
{
    (void)user;
    return false;
}

bool ss_nnls(int32_t m, int32_t n, const double *A, const double *b, double *x, double *left,
             double *work, int32_t *iwork)
{
    return ss_nnls_until(m, n, A, b, x, left, work, iwork, never, NULL);
}
