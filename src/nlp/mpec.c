/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mathematical programs with complementarity constraints. At a feasible point one of x_a, x_b is
 * zero, so that the constraints x_a >= 0, x_b >= 0, x_a x_b <= 0 have no interior and no regular
 * multipliers. As Scholtes ("Convergence properties of a regularization scheme for mathematical
 * programs with complementarity constraints", SIAM J. Optim. 11, 2001) the products are relaxed,
 *
 *   x_a x_b <= t s          s: their scale
 *
 * and t goes to zero over a sequence of smooth programs, each begun at the solution of the one
 * before. Then the smaller of each pair is fixed at zero and the smooth program without products is
 * solved once more: its solution is complementary exactly, and the others keep their signs.
 */
#include <math.h>
#include <string.h>

#include "nlp/nlp.h"
#include "nlp/tolerances.h"

/* The program with a row for each product after its own. */
typedef struct relaxed {
    const ss_nlp *p;
    ss_nlp        q;
    double       *g_low, *g_high; /* (m + pairs) */
    int32_t      *jrow, *jcol, *hrow, *hcol;
    double       *x_high; /* (n) for the last solve */
    void         *memory;
    size_t        bytes;
} relaxed;

static double scale_of(const ss_nlp *p, int32_t k)
{
    return p->pair_scale != NULL ? p->pair_scale[k] : 1;
}

static int objective(void *user, const double *x, double *f)
{
    const ss_nlp *p = ((relaxed *)user)->p;
    return p->objective(p->user, x, f);
}

static int gradient(void *user, const double *x, double *df)
{
    const ss_nlp *p = ((relaxed *)user)->p;
    return p->gradient(p->user, x, df);
}

static int constraints(void *user, const double *x, double *g)
{
    const ss_nlp *p = ((relaxed *)user)->p;
    for (int32_t k = 0; k < p->pair_count; k++) {
        g[p->m + k] = x[p->pairs[k][0]] * x[p->pairs[k][1]] / scale_of(p, k);
    }
    return p->constraints(p->user, x, g);
}

static int jacobian(void *user, const double *x, double *values)
{
    const ss_nlp *p  = ((relaxed *)user)->p;
    double       *at = values + p->jacobian_count;
    for (int32_t k = 0; k < p->pair_count; k++) {
        *at++ = x[p->pairs[k][1]] / scale_of(p, k);
        *at++ = x[p->pairs[k][0]] / scale_of(p, k);
    }
    return p->jacobian(p->user, x, values);
}

static int hessian(void *user, const double *x, double factor, const double *lambda, double *values)
{
    const ss_nlp *p = ((relaxed *)user)->p;
    for (int32_t k = 0; k < p->pair_count; k++) {
        values[p->hessian_count + k] = lambda[p->m + k] / scale_of(p, k);
    }
    return p->hessian(p->user, x, factor, lambda, values);
}

static ss_status allocate(ss_context *ctx, const ss_nlp *p, relaxed *r)
{
    size_t rows = (size_t)p->m + (size_t)p->pair_count, n = (size_t)p->n;
    size_t entries = (size_t)p->jacobian_count + 2 * (size_t)p->pair_count;
    size_t bends   = (size_t)p->hessian_count + (size_t)p->pair_count;
    r->bytes       = (2 * rows + n) * sizeof(double) + 2 * (entries + bends) * sizeof(int32_t) + 8;
    r->memory      = ss_alloc(ctx, r->bytes, 1);
    if (r->memory == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for a program of %d variables", p->n);
    }
    r->g_low  = r->memory;
    r->g_high = r->g_low + rows;
    r->x_high = r->g_high + rows;
    r->jrow   = (int32_t *)(r->x_high + n);
    r->jcol   = r->jrow + entries;
    r->hrow   = r->jcol + entries;
    r->hcol   = r->hrow + bends;
    return SS_OK;
}

static void fill_pattern(const ss_nlp *p, relaxed *r)
{
    int32_t e = p->jacobian_count, b = p->hessian_count;
    memcpy(r->g_low, p->g_low, (size_t)p->m * sizeof *r->g_low);
    memcpy(r->g_high, p->g_high, (size_t)p->m * sizeof *r->g_high);
    memcpy(r->x_high, p->x_high, (size_t)p->n * sizeof *r->x_high);
    memcpy(r->jrow, p->jacobian_row, (size_t)e * sizeof *r->jrow);
    memcpy(r->jcol, p->jacobian_col, (size_t)e * sizeof *r->jcol);
    if (b > 0) {
        memcpy(r->hrow, p->hessian_row, (size_t)b * sizeof *r->hrow);
        memcpy(r->hcol, p->hessian_col, (size_t)b * sizeof *r->hcol);
    }
    for (int32_t k = 0; k < p->pair_count; k++) {
        int32_t a = p->pairs[k][0], c = p->pairs[k][1];
        r->g_low[p->m + k] = -INFINITY;
        r->jrow[e] = r->jrow[e + 1] = p->m + k;
        r->jcol[e]                  = a;
        r->jcol[e + 1]              = c;
        e += 2;
        r->hrow[b]   = a > c ? a : c;
        r->hcol[b++] = a > c ? c : a;
    }
}

static void make_relaxed(const ss_nlp *p, relaxed *r)
{
    fill_pattern(p, r);
    r->p                = p;
    r->q                = *p;
    r->q.m              = p->m + p->pair_count;
    r->q.g_low          = r->g_low;
    r->q.g_high         = r->g_high;
    r->q.jacobian_count = p->jacobian_count + 2 * p->pair_count;
    r->q.jacobian_row   = r->jrow;
    r->q.jacobian_col   = r->jcol;
    r->q.hessian_count  = p->hessian != NULL ? p->hessian_count + p->pair_count : 0;
    r->q.hessian_row    = r->hrow;
    r->q.hessian_col    = r->hcol;
    r->q.objective      = objective;
    r->q.gradient       = gradient;
    r->q.constraints    = constraints;
    r->q.jacobian       = jacobian;
    r->q.hessian        = p->hessian != NULL ? hessian : NULL;
    r->q.user           = r;
    r->q.pair_count     = 0;
}

static void add_up(ss_nlp_result *sum, const ss_nlp_result *one)
{
    int32_t iterations = sum->iterations + one->iterations, solves = sum->solves + one->solves;
    *sum            = *one;
    sum->iterations = iterations;
    sum->solves     = solves;
}

/* One solve with products up to t. */
static ss_status relax(ss_context *ctx, relaxed *r, const ss_nlp_options *o, double t, double *x,
                       ss_nlp_result *out)
{
    ss_nlp_result  one;
    ss_nlp_options mine = *o;
    mine.tolerance      = fmax(o->tolerance, fmin(SS_NLP_COARSE, t));
    mine.near           = out->solves > 0 || o->near;
    for (int32_t k = 0; k < r->p->pair_count; k++) {
        r->g_high[r->p->m + k] = t;
    }
    SS_TRY(ss_nlp_solve_smooth(ctx, &r->q, &mine, x, NULL, &one));
    add_up(out, &one);
    return SS_OK;
}

/* The smaller of a pair, measured by how far each can be. */
static int32_t smaller(const ss_nlp *p, const double *x, int32_t k)
{
    int32_t a = p->pairs[k][0], b = p->pairs[k][1];
    return x[a] <= x[b] ? a : b;
}

/* The last solve, into y: the smaller of each pair stays at zero. */
static ss_status polish(ss_context *ctx, relaxed *r, const ss_nlp_options *o, const double *x,
                        double *y, ss_nlp_result *out)
{
    ss_nlp        last = *r->p;
    ss_nlp_result one;
    last.pair_count = 0;
    last.x_high     = r->x_high;
    memcpy(y, x, (size_t)last.n * sizeof *y);
    memcpy(r->x_high, r->p->x_high, (size_t)last.n * sizeof *r->x_high);
    for (int32_t k = 0; k < r->p->pair_count; k++) {
        int32_t zero    = smaller(r->p, x, k);
        r->x_high[zero] = 0;
        y[zero]         = 0;
    }
    ss_nlp_options near = *o;
    near.near           = true;
    SS_TRY(ss_nlp_solve_smooth(ctx, &last, &near, y, NULL, &one));
    add_up(out, &one);
    return SS_OK;
}

static void judge_pairs(const ss_nlp *p, const double *x, ss_nlp_result *out)
{
    out->complementarity = 0;
    for (int32_t k = 0; k < p->pair_count; k++) {
        double product       = x[p->pairs[k][0]] * x[p->pairs[k][1]] / scale_of(p, k);
        out->complementarity = fmax(out->complementarity, fabs(product));
    }
}

/* Products down to zero; once they are small, the choice that they point to is tried. */
static ss_status drive(ss_context *ctx, relaxed *r, const ss_nlp_options *o, double *x, double *y,
                       ss_nlp_result *out)
{
    double t     = o->first_relaxed > 0 ? o->first_relaxed : 1;
    bool   found = false;
    for (; !found && t >= SS_NLP_RELAXED_MOST / 2; t *= SS_NLP_RELAX) {
        SS_TRY(relax(ctx, r, o, t, x, out));
        if (t <= 2 * SS_NLP_RELAXED) {
            SS_TRY(polish(ctx, r, o, x, y, out));
            found = out->outcome == SS_SOLVED;
        }
    }
    memcpy(x, y, (size_t)r->p->n * sizeof *x);
    return SS_OK;
}

static ss_status solve_pairs(ss_context *ctx, const ss_nlp *p, const ss_nlp_options *o, double *x,
                             ss_nlp_result *out)
{
    relaxed r    = {0};
    size_t  room = ((size_t)p->n + 1) * sizeof(double);
    double *y    = ss_alloc(ctx, (size_t)p->n + 1, sizeof *y);
    if (y == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for a program of %d variables", p->n);
    }
    ss_status status = allocate(ctx, p, &r);
    if (status == SS_OK) {
        make_relaxed(p, &r);
        status = drive(ctx, &r, o, x, y, out);
        judge_pairs(p, x, out);
    }
    ss_free(ctx, r.memory, r.bytes);
    ss_free(ctx, y, room);
    return status;
}

ss_status ss_nlp_solve(ss_context *ctx, const ss_nlp *p, const ss_nlp_options *options, double *x,
                       ss_nlp_result *out)
{
    ss_nlp_options o = options != NULL ? *options : (ss_nlp_options){0};
    if (!(o.tolerance > 0)) {
        o.tolerance = SS_NLP_TOLERANCE;
    }
    *out = (ss_nlp_result){0};
    return p->pair_count > 0 ? solve_pairs(ctx, p, &o, x, out)
                             : ss_nlp_solve_smooth(ctx, p, &o, x, NULL, out);
}
