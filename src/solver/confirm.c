/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unknowns that outgrow the data of a row a million times leave it no digits in doubles: z = 1e15
 * and w = -1 look the same whether rows contradict each other or z merely lacks its last digits.
 * What tells them apart is the set B of positive (and free) unknowns:
 *
 *   M_BB z_B = -q_B,   z = 0 elsewhere,   w = M z + q
 *
 * is solved by iterative refinement, z and w in twice the working precision and factors in working
 * precision. Where w_B vanishes beside the data of each row by itself, no z_B is negative and no
 * other w is, that is a solution, and z is it, rounded. As in guessed_set.c unknowns that turn
 * negative leave, and the worst row enters, a few times. Sets that depend on each other are left
 * open.
 */
#include "solver/confirm.h"

#include <math.h>
#include <string.h>

#include "core/twofold.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "solver/tolerances.h"

/* Sets, steps of refinement, and unknowns beyond which factors cost more than the doubt. */
enum { ROUNDS = 6, STEPS = 12, MOST = 1000 };

typedef struct check {
    const ss_matrix     *M;
    const double        *q;
    const unsigned char *free; /* NULL: none                                   */
    int32_t              n, k;
    double              *hi, *lo;   /* (n) z                                        */
    double              *w, *rest;  /* (n) rows, in twice the precision             */
    double              *own;       /* (n) what a row is measured by: |q_i|, or its terms */
    double              *column;    /* (n)                                          */
    double              *row, *col; /* (n) scales of M_BB                           */
    double              *y;         /* (n)                                          */
    double              *A;         /* (k x k)                                      */
    int32_t             *index;     /* (n) of B                                     */
    int32_t             *pivot;     /* (n)                                          */
    unsigned char       *inside;    /* (n)                                          */
    double               products;
} check;

static int32_t most_inside(const ss_problem *p)
{
    int32_t n = ss_problem_size(p);
    return n < MOST ? n : MOST;
}

size_t ss_confirm_bytes(const ss_problem *p)
{
    size_t n = (size_t)ss_problem_size(p), k = (size_t)most_inside(p);
    return (9 * n + k * k) * sizeof(double) + 2 * n * sizeof(int32_t) + n;
}

static check check_make(const ss_problem *p, void *memory)
{
    check    c         = {.M    = p->type == SS_MLCP ? &p->as.mlcp.M : &p->as.lcp.M,
                          .q    = p->type == SS_MLCP ? p->as.mlcp.q : p->as.lcp.q,
                          .free = p->type == SS_MLCP ? p->as.mlcp.free : NULL,
                          .n    = ss_problem_size(p)};
    size_t   k         = (size_t)most_inside(p);
    double  *at        = memory;
    double **vectors[] = {&c.hi, &c.lo, &c.w, &c.rest, &c.own, &c.column, &c.row, &c.col, &c.y};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++, at += c.n) {
        *vectors[i] = at;
    }
    c.A      = at;
    c.index  = (int32_t *)(at + k * k);
    c.pivot  = c.index + c.n;
    c.inside = (unsigned char *)(c.pivot + c.n);
    return c;
}

static bool is_free(const check *c, int32_t i)
{
    return c->free != NULL && c->free[i];
}

/* M_BB with the largest entry of every row, then column, brought to 1. */
static void gather(check *c)
{
    int32_t k = c->k;
    memset(c->row, 0, (size_t)k * sizeof *c->row);
    for (int32_t j = 0; j < k; j++) {
        double *to = c->A + (size_t)j * (size_t)k;
        memset(c->column, 0, (size_t)c->n * sizeof *c->column);
        ss_matrix_add_column(c->M, c->index[j], 1, c->column);
        for (int32_t i = 0; i < k; i++) {
            to[i]     = c->column[c->index[i]];
            c->row[i] = fmax(c->row[i], fabs(to[i]));
        }
    }
    for (int32_t j = 0; j < k; j++) {
        double *to = c->A + (size_t)j * (size_t)k, most = 0;
        for (int32_t i = 0; i < k; i++) {
            to[i] /= c->row[i] > 0 ? c->row[i] : 1;
            most = fmax(most, fabs(to[i]));
        }
        c->col[j] = most > 0 ? 1 / most : 1;
        for (int32_t i = 0; i < k; i++) {
            to[i] *= c->col[j];
        }
    }
}

/* Factors of M_BB; false: its set is too large, or dependent to working precision. */
static bool factor(check *c)
{
    c->k = 0;
    for (int32_t i = 0; i < c->n; i++) {
        if (c->inside[i]) {
            if (c->k == MOST) {
                return false;
            }
            c->index[c->k++] = i;
        }
    }
    gather(c);
    c->products += ss_dense_lu_products(c->k) + (double)c->k * c->n;
    if (c->k > 0 && !ss_dense_lu(c->k, c->A, c->k, c->pivot)) {
        return false;
    }
    for (int32_t i = 0; i < c->k; i++) {
        if (!(fabs(c->A[(size_t)i * (size_t)(c->k + 1)]) >= SS_PIVOT_ZERO)) {
            return false;
        }
    }
    return true;
}

/* w = M z + q; rows without data are measured by their terms. */
static void rows(check *c)
{
    size_t n = (size_t)c->n;
    memcpy(c->w, c->q, n * sizeof *c->w);
    memset(c->rest, 0, n * sizeof *c->rest);
    memset(c->own, 0, n * sizeof *c->own);
    memset(c->y, 0, n * sizeof *c->y);
    ss_matrix_mul_add_sized(c->M, c->hi, c->y, c->own);
    ss_matrix_mul_add_twofold(c->M, c->hi, c->w, c->rest);
    ss_matrix_mul_add_twofold(c->M, c->lo, c->w, c->rest);
    for (int32_t i = 0; i < c->n; i++) {
        c->own[i] = c->q[i] != 0 ? fabs(c->q[i]) : c->own[i];
    }
    c->products += 4 * ss_matrix_products(c->M);
}

static double worst_inside(const check *c)
{
    double worst = 0;
    for (int32_t j = 0; j < c->k; j++) {
        int32_t i = c->index[j];
        if (c->w[i] != 0) {
            worst = fmax(worst, fabs(c->w[i]) / c->own[i]);
        }
    }
    return worst;
}

/* z_B by refinement; false: it does not converge. */
static bool refine(check *c)
{
    double before = INFINITY;
    for (int step = 0; step < STEPS; step++) {
        rows(c);
        double worst = worst_inside(c);
        if (worst <= SS_CONFIRMED) {
            return true;
        }
        if (!(worst < 0.5 * before)) {
            return false;
        }
        before = step == 0 ? INFINITY : worst; /* the first step may leave z far behind */
        for (int32_t j = 0; j < c->k; j++) {
            c->y[j] = -c->w[c->index[j]] / (c->row[j] > 0 ? c->row[j] : 1);
        }
        ss_dense_lu_solve(c->k, c->A, c->k, c->pivot, c->y);
        for (int32_t j = 0; j < c->k; j++) {
            int32_t    i = c->index[j];
            ss_twofold s = ss_two_sum(c->hi[i], c->y[j] * c->col[j]);
            s            = ss_two_sum_ordered(s.hi, s.lo + c->lo[i]);
            c->hi[i]     = s.hi;
            c->lo[i]     = s.lo;
        }
    }
    return false;
}

/* Negative unknowns leave, the worst row enters; true: there is none of either. */
static bool settle(check *c)
{
    int32_t enters = -1;
    bool    left   = false;
    double  worst  = SS_CONFIRMED;
    for (int32_t i = 0; i < c->n; i++) {
        if (c->inside[i] && !is_free(c, i) && c->hi[i] < 0) {
            c->inside[i] = 0;
            c->hi[i] = c->lo[i] = 0;
            left                = true;
        } else if (!c->inside[i] && -c->w[i] > worst * c->own[i]) {
            worst  = -c->w[i] / c->own[i];
            enters = i;
        }
    }
    if (enters >= 0) {
        c->inside[enters] = 1;
    }
    return enters < 0 && !left;
}

bool ss_answer_confirmed(const ss_problem *p, const double *z, void *memory, double *products)
{
    check c         = check_make(p, memory);
    bool  confirmed = false, regular = true;
    for (int32_t i = 0; i < c.n; i++) {
        c.inside[i] = is_free(&c, i) || z[i] > 0;
        c.hi[i]     = c.inside[i] ? z[i] : 0;
        c.lo[i]     = 0;
    }
    for (int round = 0; round < ROUNDS && regular && !confirmed; round++) {
        regular   = factor(&c) && refine(&c);
        confirmed = regular && settle(&c);
    }
    *products += c.products;
    return confirmed;
}
