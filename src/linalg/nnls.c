/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lawson and Hanson's active-set method (Solving Least Squares Problems, 1974, chapter 23). The
 * variables that are positive are kept in a list; its least-squares problem is solved by
 * Gram-Schmidt, anew from the first column on that is not the one of the last iteration.
 */
#include "linalg/nnls.h"

#include <math.h>
#include <string.h>

#include "linalg/tolerances.h"
#include "linalg/vector.h"

typedef struct problem {
    int32_t       m, n;
    const double *A;
    double       *Q, *R, *s; /* (m x m), (m x m) upper, (m) solution on the list */
    int32_t      *list;      /* (n) columns that may be positive, `count` of them */
    int32_t       count;
    int32_t       factored; /* columns of the list, the first ones, whose Q and R are known */
    int32_t      *state;    /* (n) 0: zero, 1: in the list, 2: depends on the list  */
} problem;

size_t ss_nnls_work(int32_t m, int32_t n)
{
    (void)n;
    return 2 * (size_t)m * (size_t)m + 2 * (size_t)m;
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
                double        along  = ss_vector_dot(p->m, before, q);
                r[j] += along;
                ss_vector_add(p->m, q, -along, before);
            }
        }
        r[k] = ss_vector_norm(p->m, q);
        if (!(r[k] > SS_DEPENDENT_COLUMN * ss_vector_norm(p->m, a))) {
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
        p->s[k] = ss_vector_dot(p->m, p->Q + (ptrdiff_t)k * p->m, b);
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

/* Take the step, and entries that became zero off the list. */
static void advance(problem *p, double *x, double step)
{
    int32_t kept = 0;
    for (int32_t k = 0; k < p->count; k++) {
        int32_t j    = p->list[k];
        double  from = x[j];
        bool    ends =
            step < 1 && p->s[k] <= 0 && from + step * (p->s[k] - from) <= SS_VANISHED * from;
        x[j] = ends ? 0 : from + step * (p->s[k] - from);
        if (x[j] > 0) {
            p->list[kept++] = j;
        } else {
            x[j]        = 0;
            p->state[j] = 0;
            p->factored = p->factored < kept ? p->factored : kept;
        }
    }
    for (int32_t j = 0; kept < p->count && j < p->n; j++) {
        p->state[j] = p->state[j] == 2 ? 0 : p->state[j]; /* the list lost columns */
    }
    p->count = kept;
}

/* left = b - A x; gives the column along which it can be reduced most, -1: none. */
static int32_t best_column(const problem *p, const double *b, const double *x, double *left)
{
    int32_t best = -1;
    double  most = 0;
    memcpy(left, b, (size_t)p->m * sizeof *left);
    for (int32_t j = 0; j < p->n; j++) {
        if (x[j] > 0) {
            ss_vector_add(p->m, left, -x[j], p->A + (ptrdiff_t)j * p->m);
        }
    }
    for (int32_t j = 0; j < p->n; j++) {
        const double *a    = p->A + (ptrdiff_t)j * p->m;
        double        gain = ss_vector_dot(p->m, a, left);
        double tiny = SS_VANISHED * sqrt(ss_vector_dot(p->m, a, a) * ss_vector_dot(p->m, b, b));
        if (p->state[j] == 0 && gain > tiny && gain > most) {
            most = gain;
            best = j;
        }
    }
    return best;
}

bool ss_nnls_until(int32_t m, int32_t n, const double *A, const double *b, double *x, double *left,
                   double *work, int32_t *iwork, bool (*over)(void *user), void *user)
{
    problem p = {.m = m, .n = n, .A = A, .Q = work};
    p.list    = iwork;
    p.state   = iwork + n;
    p.R       = work + (size_t)m * (size_t)m;
    p.s       = p.R + (size_t)m * (size_t)m;
    memset(x, 0, (size_t)n * sizeof *x);
    memset(p.state, 0, (size_t)n * sizeof *p.state);
    for (int32_t turn = 0; turn < 10 * (n + m) + 50 && !over(user); turn++) {
        int32_t j = best_column(&p, b, x, left);
        if (j < 0) {
            return true;
        }
        if (p.count == m) {
            return true; /* the list spans everything: what is left is rounding */
        }
        p.list[p.count++] = j;
        p.state[j]        = 1;
        if (!factor(&p)) {
            p.state[j] = 2;
            p.count--;
            continue;
        }
        for (double step = 0; step < 1 && p.count > 0 && factor(&p);) {
            solve_list(&p, b);
            step = longest_step(&p, x);
            advance(&p, x, step);
        }
        p.state[j] = x[j] > 0 ? 1 : 2; /* zero again: rounding chose it */
    }
    return false;
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
