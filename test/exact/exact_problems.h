/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random small integer problems, many of them singular and many without a solution, put to every
 * solver and judged exactly (exact.h):
 *
 *   - what has no solution must never be called solved;
 *   - what has one must never be called infeasible;
 *   - what is called solved must solve the problem, its rows computed to the last bit.
 *
 * Every law here is piecewise linear: a solution exists if and only if, for some choice of a mode
 * for each pair or contact, A x = -q has a solution x >= 0, where the columns of A are
 *   z_i >= 0, w_i = 0     M_i               r = 0, u_n >= 0, u_f free      -e_n, e_f, -e_f
 *   z_i = 0,  w_i >= 0    -e_i              u = 0, |r_f| <= mu r_n         W_n + mu W_f, W_n - mu
 * W_f z_i free, w_i = 0     M_i, -M_i         r_f = -+mu r_n, +-u_f >= 0     W_n -+ mu W_f, -+e_f
 */
#ifndef SS_TEST_EXACT_PROBLEMS_H
#define SS_TEST_EXACT_PROBLEMS_H

#include "exact/exact.h"
#include "random.h"
#include "stickslip/stickslip.h"

enum { EP_MAX = 6, EP_DOFS = 3, EP_SOLVERS = 16 };

typedef enum ep_kind {
    EP_LCP,
    EP_MLCP,
    EP_CONTACT_2D,
    EP_GLOBAL_2D,
    EP_SQUEEZE_3D,
    EP_KINDS
} ep_kind;

typedef struct exact_problem {
    ep_kind       kind;
    int           n, nc;                    /* rows; contacts                                  */
    int64_t       M[EP_MAX][EP_MAX];        /* M or W                                          */
    int64_t       H[EP_DOFS][EP_MAX];       /* contacts: W = H'H                               */
    int64_t       f[EP_DOFS];               /* global: v = H r + f                             */
    int64_t       q[EP_MAX], given[EP_MAX]; /* the whole constant; q of the global form     */
    int64_t       data[EP_MAX];             /* the largest |q| of the row's component          */
    int           mu2;                      /* twice the friction coefficient                  */
    unsigned char free[EP_MAX];
    int           row_unit[EP_MAX], col_unit[EP_MAX]; /* powers of two                      */
    double        Md[EP_MAX * EP_MAX], qd[EP_MAX], Hd[EP_DOFS * EP_MAX], fd[EP_DOFS];
    double        eye[EP_DOFS * EP_DOFS];
    ss_block      blocks[EP_MAX];
} exact_problem;

static inline int ep_int(uint64_t *seed, int low, int high)
{
    return low + (int)(random_bits(seed) % (uint64_t)(high - low + 1));
}

/* ---- making them ---- */

/* A'A of few rows, perhaps with a skew part, or anything at all. */
static inline void ep_matrix(exact_problem *p, uint64_t *seed, int from, int to)
{
    int     kind = ep_int(seed, 0, 3), rank = ep_int(seed, 1, to - from);
    int64_t A[EP_MAX][EP_MAX] = {{0}};
    for (int k = 0; k < rank; k++) {
        for (int i = from; i < to; i++) {
            A[k][i] = ep_int(seed, -2, 2);
        }
    }
    for (int i = from; i < to; i++) {
        for (int j = from; j < to; j++) {
            for (int k = 0; k < rank; k++) {
                p->M[i][j] += A[k][i] * A[k][j];
            }
        }
    }
    for (int i = from; kind > 0 && i < to; i++) {
        for (int j = from; j < i; j++) {
            int64_t skew = ep_int(seed, -2, 2);
            p->M[i][j]   = kind == 1 ? p->M[i][j] + skew : kind == 2 ? skew : p->M[i][j];
            p->M[j][i]   = kind == 1   ? p->M[j][i] - skew
                           : kind == 2 ? ep_int(seed, -3, 3)
                                       : p->M[j][i];
        }
    }
}

/* One or two components; the second may have data up to 1e8 times as large. */
static inline void ep_make_lcp(exact_problem *p, uint64_t *seed)
{
    p->n      = ep_int(seed, 2, 5);
    int split = ep_int(seed, 0, 3) == 0 ? ep_int(seed, 1, p->n - 1) : p->n;
    ep_matrix(p, seed, 0, split);
    if (split < p->n) {
        ep_matrix(p, seed, split, p->n);
    }
    int64_t large = 1;
    for (int k = ep_int(seed, 0, 8); k > 0; k--) {
        large *= 10;
    }
    for (int i = 0; i < p->n; i++) {
        p->q[i]    = ep_int(seed, -3, 3) * (i < split ? 1 : large);
        p->free[i] = p->kind == EP_MLCP && ep_int(seed, 0, 1);
    }
    bool scaled = ep_int(seed, 0, 2) == 0;
    for (int i = 0; scaled && i < p->n; i++) {
        p->row_unit[i] = ep_int(seed, -20, 20);
        p->col_unit[i] = ep_int(seed, -20, 20);
    }
}

/* Contacts on one body of few degrees of freedom, often opposing each other. */
static inline void ep_make_contacts(exact_problem *p, uint64_t *seed)
{
    int dim = p->kind == EP_SQUEEZE_3D ? 3 : 2, dofs = ep_int(seed, 1, EP_DOFS);
    p->nc  = p->kind == EP_SQUEEZE_3D ? 2 : ep_int(seed, 2, 3);
    p->n   = dim * p->nc;
    p->mu2 = ep_int(seed, 0, 3);
    for (int i = 0; i < p->n; i++) {
        bool mirrored = i >= dim && (p->kind == EP_SQUEEZE_3D ? i % dim == 0 : ep_int(seed, 0, 1));
        for (int k = 0; k < dofs; k++) {
            p->H[k][i] = mirrored ? -p->H[k][i - dim] : ep_int(seed, -2, 2);
        }
        p->given[i] = ep_int(seed, -3, 3);
    }
    bool global = p->kind != EP_CONTACT_2D && (p->kind == EP_GLOBAL_2D || ep_int(seed, 0, 1));
    for (int k = 0; global && k < EP_DOFS; k++) {
        p->f[k] = ep_int(seed, -3, 3);
    }
    for (int i = 0; i < p->n; i++) {
        p->q[i] = p->given[i];
        for (int k = 0; k < EP_DOFS; k++) {
            p->q[i] += p->H[k][i] * p->f[k];
            for (int j = 0; j < p->n; j++) {
                p->M[i][j] += p->H[k][i] * p->H[k][j];
            }
        }
    }
    if (!global) {
        memcpy(p->given, p->q, sizeof p->given);
    }
    p->kind = p->kind == EP_CONTACT_2D && global ? EP_GLOBAL_2D : p->kind;
}

/* The largest constant among the rows that hang together with each. */
static inline void ep_data(exact_problem *p)
{
    for (int i = 0; i < p->n; i++) {
        p->data[i] = llabs(p->q[i]) > llabs(p->given[i]) ? llabs(p->q[i]) : llabs(p->given[i]);
    }
    for (int pass = 0; pass < p->n; pass++) {
        for (int i = 0; i < p->n; i++) {
            for (int j = 0; j < p->n; j++) {
                bool joined = p->M[i][j] != 0 || p->M[j][i] != 0 || p->nc > 0;
                p->data[i]  = joined && p->data[j] > p->data[i] ? p->data[j] : p->data[i];
            }
        }
    }
}

static inline void ep_numbers(exact_problem *p)
{
    for (int i = 0; i < p->n; i++) {
        p->qd[i] = ldexp((double)p->given[i], p->row_unit[i]);
        for (int j = 0; j < p->n; j++) {
            p->Md[j * p->n + i] = ldexp((double)p->M[i][j], p->row_unit[i] + p->col_unit[j]);
        }
        for (int k = 0; k < EP_DOFS; k++) {
            p->Hd[i * EP_DOFS + k] = (double)p->H[k][i];
        }
    }
    for (int k = 0; k < EP_DOFS; k++) {
        p->fd[k]                = (double)p->f[k];
        p->eye[k * EP_DOFS + k] = 1;
    }
    int dim = p->nc > 0 ? p->n / p->nc : 0;
    for (int c = 0; c < p->nc; c++) {
        p->blocks[c] = (ss_block){SS_BLOCK_CONE, dim * c, dim, 0.5 * p->mu2, 0};
    }
}

static inline void ep_make(exact_problem *p, uint64_t number)
{
    uint64_t seed = number * 2 + 1;
    memset(p, 0, sizeof *p);
    p->kind = (ep_kind)(number % EP_KINDS);
    if (p->kind <= EP_MLCP) {
        ep_make_lcp(p, &seed);
        memcpy(p->given, p->q, sizeof p->given);
    } else {
        ep_make_contacts(p, &seed);
    }
    ep_data(p);
    ep_numbers(p);
}

static inline ss_problem ep_problem(const exact_problem *p)
{
    ss_problem out = {.type = p->kind == EP_LCP ? SS_LCP : p->kind == EP_MLCP ? SS_MLCP : SS_CONE};
    ss_matrix  M   = {.rows = p->n, .cols = p->n, .dense = p->Md, .ld = p->n};
    switch (out.type) {
    case SS_LCP:
        out.as.lcp = (ss_lcp){p->n, M, p->qd};
        break;
    case SS_MLCP:
        out.as.mlcp = (ss_mlcp){p->n, M, p->qd, p->free};
        break;
    default:
        out.as.cone = (ss_cone){.n = p->n, .nblocks = p->nc, .blocks = p->blocks, .q = p->qd};
        if (memcmp(p->given, p->q, sizeof p->q) == 0 && p->kind != EP_GLOBAL_2D) {
            out.as.cone.W = M;
            break;
        }
        out.as.cone.nv = EP_DOFS;
        out.as.cone.f  = p->fd;
        out.as.cone.M =
            (ss_matrix){.rows = EP_DOFS, .cols = EP_DOFS, .dense = p->eye, .ld = EP_DOFS};
        out.as.cone.H = (ss_matrix){.rows = EP_DOFS, .cols = p->n, .dense = p->Hd, .ld = EP_DOFS};
    }
    return out;
}

/* ---- is there a solution? ---- */

typedef struct ep_columns {
    int     count;
    int64_t A[EXACT_ROWS][EXACT_COLS];
} ep_columns;

/* Append a W_n + b W_f + c e_f (or, without friction, a M_i + c e_i). */
static inline void ep_column(const exact_problem *p, ep_columns *c, int col, int64_t a, int64_t b,
                             int64_t unit, int at)
{
    for (int i = 0; i < p->n; i++) {
        int64_t friction  = b != 0 ? b * p->M[i][col + 1] : 0;
        c->A[i][c->count] = a * p->M[i][col] + friction + (i == at ? unit : 0);
    }
    c->count++;
}

static inline void ep_pair_mode(const exact_problem *p, ep_columns *c, int i, int mode)
{
    if (p->free[i]) {
        ep_column(p, c, i, 1, 0, 0, 0);
        ep_column(p, c, i, -1, 0, 0, 0);
    } else {
        ep_column(p, c, i, mode, 0, mode - 1, i);
    }
}

static inline void ep_contact_mode(const exact_problem *p, ep_columns *c, int n, int mode)
{
    switch (mode) {
    case 0: /* open */
        ep_column(p, c, n, 0, 0, -1, n);
        ep_column(p, c, n, 0, 0, 1, n + 1);
        ep_column(p, c, n, 0, 0, -1, n + 1);
        break;
    case 1: /* sticks */
        ep_column(p, c, n, 2, p->mu2, 0, 0);
        ep_column(p, c, n, 2, -p->mu2, 0, 0);
        break;
    default: /* slides one way or the other */
        ep_column(p, c, n, 2, mode == 2 ? -p->mu2 : p->mu2, 0, 0);
        ep_column(p, c, n, 0, 0, mode == 2 ? -1 : 1, n + 1);
    }
}

static inline bool ep_solvable(const exact_problem *p)
{
    int64_t b[EP_MAX];
    int     items = p->nc > 0 ? p->nc : p->n, modes = p->nc > 0 ? 4 : 2, total = 1;
    for (int i = 0; i < items; i++) {
        total *= modes;
    }
    for (int i = 0; i < p->n; i++) {
        b[i] = -p->q[i];
    }
    for (int choice = 0; choice < total; choice++) {
        ep_columns c = {0};
        for (int i = 0, rest = choice; i < items; i++, rest /= modes) {
            if (p->nc > 0) {
                ep_contact_mode(p, &c, 2 * i, rest % modes);
            } else {
                ep_pair_mode(p, &c, i, rest % modes);
            }
        }
        if (exact_cone(p->n, c.count, c.A, b)) {
            return true;
        }
    }
    return false;
}

/* 1 yes, 0 no, -1 not known. Two opposing normals: u_1 + u_2 = q_1 + q_2 whatever r is. */
static inline int ep_has_solution(const exact_problem *p)
{
    if (p->kind == EP_SQUEEZE_3D) {
        return p->q[0] + p->q[3] < 0 ? 0 : -1;
    }
    return ep_solvable(p);
}

/* ---- what an answer is worth, with rows computed to the last bit ---- */

static inline void ep_rows(const exact_problem *p, const double *z, double *w)
{
    for (int i = 0; i < p->n; i++) {
        exact_sum sum = {{0}};
        exact_add(&sum, p->q[i], 1);
        for (int j = 0; j < p->n; j++) {
            exact_add(&sum, p->M[i][j], ldexp(z[j], p->col_unit[j]));
        }
        w[i] = exact_value(&sum);
    }
}

/* How far one friction contact is from Coulomb's law, as a velocity (W is of size 1). */
static inline double ep_contact_miss(const exact_problem *p, const double *r, const double *u)
{
    int    m  = p->n / p->nc - 1;
    double mu = 0.5 * p->mu2, slip = 0, push = 0, miss;
    double size = fmax(1, fabs(r[0]));
    for (int i = 1; i <= m; i++) {
        slip += u[i] * u[i];
        push += r[i] * r[i];
    }
    slip       = sqrt(slip);
    push       = sqrt(push);
    miss       = fmax(fabs(fmin(r[0], u[0])), (push - mu * r[0]) / size);
    double off = 0; /* r_f + mu r_n u_f / |u_f|, counted as far as there is slip */
    for (int i = 1; slip > 0 && i <= m; i++) {
        off = fmax(off, fabs(r[i] + mu * r[0] * u[i] / slip));
    }
    return fmax(miss, fmin(off / size, slip));
}

/* The worst violation over the data of its component. */
static inline double ep_miss(const exact_problem *p, const double *z)
{
    double w[EP_MAX], worst = 0;
    ep_rows(p, z, w);
    for (int i = 0; p->nc == 0 && i < p->n; i++) {
        double x    = ldexp(z[i], p->col_unit[i]);
        double miss = p->free[i] ? fabs(w[i]) : fabs(fmin(x, w[i]));
        worst       = fmax(worst, miss / (double)(p->data[i] > 0 ? p->data[i] : 1));
    }
    for (int c = 0; c < p->nc; c++) {
        int    at   = c * (p->n / p->nc);
        double miss = ep_contact_miss(p, z + at, w + at);
        worst       = fmax(worst, miss / (double)(p->data[at] > 0 ? p->data[at] : 1));
    }
    return worst;
}

/* ---- the trial ---- */

typedef struct exact_trial {
    ss_context *ctx;
    int         count;
    ss_solver  *solvers[EP_SOLVERS];
    long        problems, without, claims, lies, refused; /* refused: by auto, solution known */
    long        proved;                                   /* by auto, of those without */
} exact_trial;

static inline bool exact_trial_make(exact_trial *t, ss_context *ctx, const char *tol)
{
    *t = (exact_trial){.ctx = ctx};
    for (int32_t i = 0; i < ss_solver_count(ctx) && t->count < EP_SOLVERS; i++) {
        if (ss_solver_create(ctx, ss_solver_at(ctx, i), &t->solvers[t->count]) != SS_OK) {
            return false;
        }
        ss_solver_set(t->solvers[t->count], "time_limit", "0.01");
        ss_solver_set(t->solvers[t->count++], "tol", tol);
    }
    return t->count > 0;
}

static inline void exact_trial_free(exact_trial *t)
{
    for (int i = 0; i < t->count; i++) {
        ss_solver_destroy(t->solvers[i]);
    }
}

static inline void exact_lie(exact_trial *t, uint64_t number, const char *solver, const char *what,
                             double miss)
{
    t->lies++;
    fprintf(stderr, "problem %llu, solver %s: %s (off by %.3g)\n", (unsigned long long)number,
            solver, what, miss);
}

/* Largest true violation, over the data, of an answer called solved at a tolerance of 1e-8: sizes
   are cut at 100 times the data, in equilibrated units, which gives another factor below 100. */
static const double EXACT_ALLOWED = 1e-4;

static inline void exact_judge(exact_trial *t, uint64_t number, const exact_problem *e, int truth,
                               const char *solver, const ss_solution *x)
{
    double miss = x->outcome == SS_SOLVED ? ep_miss(e, x->z) : 0;
    t->claims += x->outcome == SS_SOLVED;
    t->proved += x->outcome == SS_INFEASIBLE && strcmp(solver, "auto") == 0;
    if (x->outcome == SS_SOLVED && truth == 0) {
        exact_lie(t, number, solver, "called solved, has no solution", miss);
    } else if (x->outcome == SS_SOLVED && !(miss <= EXACT_ALLOWED)) {
        exact_lie(t, number, solver, "called solved, is not", miss);
    } else if (x->outcome == SS_INFEASIBLE && truth == 1) {
        exact_lie(t, number, solver, "called infeasible, has a solution", 0);
    } else if (x->outcome != SS_SOLVED && truth == 1 && strcmp(solver, "auto") == 0) {
        t->refused++;
    }
}

static inline bool exact_trial_run(exact_trial *t, uint64_t number)
{
    exact_problem e;
    ep_make(&e, number);
    ss_problem p     = ep_problem(&e);
    int        truth = ep_has_solution(&e);
    t->problems++;
    t->without += truth == 0;
    for (int i = 0; i < t->count; i++) {
        double      z[EP_MAX] = {0}, v[EP_DOFS] = {0};
        ss_solution x = {.z = z, .v = v};
        if (ss_solve(t->solvers[i], &p, &x) != SS_OK) {
            fprintf(stderr, "problem %llu: %s\n", (unsigned long long)number,
                    ss_context_message(t->ctx));
            return false;
        }
        exact_judge(t, number, &e, truth, ss_solver_class_of(t->solvers[i])->name, &x);
    }
    return true;
}

#endif
