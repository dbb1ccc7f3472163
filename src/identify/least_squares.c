/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gauss-Newton with the damping of Levenberg and Marquardt (Moré, "The Levenberg-Marquardt
 * algorithm: implementation and theory", 1978), in parameters u = x / scale:
 *
 *   (J'J + lambda D) du = -J'r,      D = diag(J'J)
 *
 * over the parameters that are neither fixed nor held at a bound by their gradient; steps end at
 * bounds. Residuals come in blocks (trials); a parameter of one trial changes one block, so that a
 * Jacobian takes two evaluations for each pair of block and parameter that belong together, and
 * J'J is summed up block by block: the whole of J is never there. Blocks that cannot be evaluated
 * make a point infinitely bad. Derivatives are central differences; where one side cannot be
 * evaluated, one-sided.
 */
#include "identify/least_squares.h"

#include <math.h>
#include <string.h>

#include "core/pool.h"
#include "identify/tolerances.h"
#include "linalg/dense.h"

typedef struct work {
    const ss_squares *p;
    ss_pool           pool;
    double           *r;                       /* (all rows) at x                    */
    double           *trial;                   /* (all rows) elsewhere               */
    int32_t          *start;                   /* (blocks + 1) first row of a block  */
    double           *A, *B, *g, *step, *next; /* n x n, n x n, n  */
    int64_t           evaluations;
} work;

static ss_status no_memory(const work *w)
{
    return ss_fail(w->p->ctx, SS_ERR_MEMORY, "no memory for %d parameters", w->p->n);
}

static double weight_of(const ss_squares *p, int32_t block)
{
    return p->weight != NULL ? p->weight[block] : 1;
}

static ss_status prepare(work *w)
{
    const ss_squares *p = w->p;
    size_t            n = (size_t)p->n;
    w->start            = ss_pool_alloc(&w->pool, (size_t)p->blocks + 1, sizeof *w->start);
    if (w->start == NULL) {
        return no_memory(w);
    }
    for (int32_t k = 0; k < p->blocks; k++) {
        w->start[k + 1] = w->start[k] + p->rows[k];
    }
    size_t rows = (size_t)w->start[p->blocks] + 1;
    w->r        = ss_pool_alloc(&w->pool, rows, sizeof *w->r);
    w->trial    = ss_pool_alloc(&w->pool, rows, sizeof *w->trial);
    w->A        = ss_pool_alloc(&w->pool, n * n + 1, sizeof *w->A);
    w->B        = ss_pool_alloc(&w->pool, n * n + 1, sizeof *w->B);
    w->g        = ss_pool_alloc(&w->pool, n + 1, sizeof *w->g);
    w->step     = ss_pool_alloc(&w->pool, n + 1, sizeof *w->step);
    w->next     = ss_pool_alloc(&w->pool, n + 1, sizeof *w->next);
    bool made = w->r != NULL && w->trial != NULL && w->A != NULL && w->B != NULL && w->g != NULL &&
                w->step != NULL && w->next != NULL;
    return made ? SS_OK : no_memory(w);
}

/* All blocks that count, at one point. */
static ss_status evaluate(work *w, const double *x, double *r, double *cost)
{
    const ss_squares *p    = w->p;
    size_t            n    = (size_t)p->blocks + 1;
    ss_pool           pool = {.ctx = p->ctx};
    int32_t          *job  = ss_pool_alloc(&pool, n, sizeof *job);
    const double    **at   = ss_pool_alloc(&pool, n, sizeof *at);
    double          **to   = ss_pool_alloc(&pool, n, sizeof *to);
    bool             *ok   = ss_pool_alloc(&pool, n, sizeof *ok);
    int32_t           jobs = 0;
    ss_status status = job != NULL && at != NULL && to != NULL && ok != NULL ? SS_OK : no_memory(w);
    for (int32_t k = 0; status == SS_OK && k < p->blocks; k++) {
        if (weight_of(p, k) > 0) {
            job[jobs]  = k;
            at[jobs]   = x;
            to[jobs++] = r + w->start[k];
        }
    }
    if (status == SS_OK) {
        status = p->evaluate(p->user, jobs, job, at, to, ok);
        w->evaluations += jobs;
    }
    *cost = 0;
    for (int32_t j = 0; status == SS_OK && j < jobs; j++) {
        double sum = 0;
        for (int32_t i = 0; i < p->rows[job[j]]; i++) {
            sum += to[j][i] * to[j][i];
        }
        *cost += ok[j] ? weight_of(p, job[j]) * sum : INFINITY;
    }
    *cost = isfinite(*cost) ? *cost : INFINITY;
    ss_pool_free(&pool);
    return status;
}

static bool varies(const ss_squares *p, int32_t block, int32_t i)
{
    return (p->fixed == NULL || !p->fixed[i]) && p->uses(p->user, block, i);
}

/* What a block adds to J'J and J'r. */
static void add_block(work *w, int32_t block, int32_t count, const int32_t *which,
                      const double *const *column)
{
    const ss_squares *p    = w->p;
    const double     *r    = w->r + w->start[block];
    double            much = weight_of(p, block);
    for (int32_t a = 0; a < count; a++) {
        double dot = 0;
        for (int32_t i = 0; i < p->rows[block]; i++) {
            dot += column[a][i] * r[i];
        }
        w->g[which[a]] += much * dot;
        for (int32_t b = 0; b < count; b++) {
            double sum = 0;
            for (int32_t i = 0; i < p->rows[block]; i++) {
                sum += column[a][i] * column[b][i];
            }
            w->A[which[a] + (ptrdiff_t)which[b] * p->n] += much * sum;
        }
    }
}

/* The points of a block's differences, two for each of its parameters. */
typedef struct differences {
    int32_t        count;
    int32_t       *which; /* (count)                                  */
    double        *point; /* (2 count x n)                            */
    double        *rows;  /* (2 count x rows)                         */
    const double **at;
    double       **to;
    int32_t       *job;
    bool          *ok;
} differences;

static ss_status make_points(work *w, ss_pool *pool, int32_t block, const double *x, differences *d)
{
    const ss_squares *p = w->p;
    size_t            n = (size_t)p->n, m = (size_t)p->rows[block], room = 2 * n + 1;
    d->which = ss_pool_alloc(pool, n + 1, sizeof *d->which);
    d->at    = ss_pool_alloc(pool, room, sizeof *d->at);
    d->to    = ss_pool_alloc(pool, room, sizeof *d->to);
    d->job   = ss_pool_alloc(pool, room, sizeof *d->job);
    d->ok    = ss_pool_alloc(pool, room, sizeof *d->ok);
    if (d->which == NULL || d->at == NULL || d->to == NULL || d->job == NULL || d->ok == NULL) {
        return no_memory(w);
    }
    for (int32_t i = 0; i < p->n; i++) {
        if (varies(p, block, i)) {
            d->which[d->count++] = i;
        }
    }
    size_t pairs = 2 * (size_t)d->count;
    d->point     = ss_pool_alloc(pool, pairs * n + 1, sizeof *d->point);
    d->rows      = ss_pool_alloc(pool, pairs * m + 1, sizeof *d->rows);
    if (d->point == NULL || d->rows == NULL) {
        return no_memory(w);
    }
    for (size_t j = 0; j < pairs; j++) {
        int32_t i     = d->which[j / 2];
        double *point = d->point + j * n, e = SS_DIFFERENCE * p->scale[i];
        memcpy(point, x, n * sizeof *point);
        point[i]  = j % 2 == 0 ? fmin(x[i] + e, p->high[i]) : fmax(x[i] - e, p->low[i]);
        d->at[j]  = point;
        d->to[j]  = d->rows + j * m;
        d->job[j] = block;
    }
    return SS_OK;
}

/* dr/du of one parameter into its forward residuals; false: neither side has any. */
static bool slope(const work *w, const differences *d, int32_t block, int32_t a, const double *x)
{
    const ss_squares *p  = w->p;
    int32_t           i  = d->which[a];
    const double     *r  = w->r + w->start[block];
    double           *up = d->to[2 * a], *down = d->to[2 * a + 1];
    const double     *high = d->ok[2 * a] ? up : r, *low = d->ok[2 * a + 1] ? down : r;
    double            from = d->ok[2 * a + 1] ? d->at[2 * a + 1][i] : x[i];
    double            over = ((d->ok[2 * a] ? d->at[2 * a][i] : x[i]) - from) / p->scale[i];
    for (int32_t k = 0; k < p->rows[block]; k++) {
        up[k] = over > 0 ? (high[k] - low[k]) / over : 0;
    }
    return over > 0;
}

static ss_status add_slopes(work *w, int32_t block, const double *x)
{
    ss_pool        pool   = {.ctx = w->p->ctx};
    differences    d      = {0};
    ss_status      status = make_points(w, &pool, block, x, &d);
    const double **column = ss_pool_alloc(&pool, (size_t)d.count + 1, sizeof *column);
    if (status == SS_OK && column == NULL) {
        status = no_memory(w);
    }
    if (status == SS_OK) {
        status = w->p->evaluate(w->p->user, 2 * d.count, d.job, d.at, d.to, d.ok);
        w->evaluations += 2 * (int64_t)d.count;
    }
    for (int32_t a = 0; status == SS_OK && a < d.count; a++) {
        (void)slope(w, &d, block, a, x);
        column[a] = d.to[2 * a];
    }
    if (status == SS_OK) {
        add_block(w, block, d.count, d.which, column);
    }
    ss_pool_free(&pool);
    return status;
}

static ss_status normal_equations(work *w, const double *x)
{
    size_t n = (size_t)w->p->n;
    memset(w->A, 0, n * n * sizeof *w->A);
    memset(w->g, 0, n * sizeof *w->g);
    for (int32_t k = 0; k < w->p->blocks; k++) {
        if (weight_of(w->p, k) > 0) {
            SS_TRY(add_slopes(w, k, x));
        }
    }
    return SS_OK;
}

/* Is a parameter held where it is, by hand, by its bound, or because nothing depends on it? */
static bool is_held(const work *w, const double *x, int32_t i)
{
    const ss_squares *p = w->p;
    return (p->fixed != NULL && p->fixed[i]) || !(w->A[i + (ptrdiff_t)i * p->n] > 0) ||
           (x[i] <= p->low[i] && w->g[i] > 0) || (x[i] >= p->high[i] && w->g[i] < 0);
}

/* A damped step from x to w->next; false: the equations have no solution. */
static bool make_step(work *w, const double *x, double lambda)
{
    const ss_squares *p = w->p;
    int32_t           n = p->n;
    memcpy(w->B, w->A, (size_t)n * (size_t)n * sizeof *w->B);
    for (int32_t i = 0; i < n; i++) {
        bool held  = is_held(w, x, i);
        w->step[i] = held ? 0 : -w->g[i];
        for (int32_t j = 0; held && j < n; j++) {
            w->B[i + (ptrdiff_t)j * n] = w->B[j + (ptrdiff_t)i * n] = 0;
        }
        double *pivot = &w->B[i + (ptrdiff_t)i * n];
        *pivot        = held ? 1 : *pivot * (1 + lambda);
    }
    if (!ss_dense_cholesky(n, w->B, n)) {
        return false;
    }
    ss_dense_cholesky_solve(n, w->B, n, w->step);
    for (int32_t i = 0; i < n; i++) {
        w->next[i] = fmin(fmax(x[i] + w->step[i] * p->scale[i], p->low[i]), p->high[i]);
    }
    return true;
}

/* How far w->next is from x, in scales. */
static double step_length(const work *w, const double *x)
{
    double longest = 0;
    for (int32_t i = 0; i < w->p->n; i++) {
        longest = fmax(longest, fabs(w->next[i] - x[i]) / w->p->scale[i]);
    }
    return longest;
}

/* One accepted step, with as much damping as it takes; false: there is none. */
static ss_status advance(work *w, double *x, double *lambda, double *cost, bool *moved,
                         double *length)
{
    *moved = false;
    while (!*moved && *lambda < SS_DAMPING_MOST) {
        double at = INFINITY;
        if (make_step(w, x, *lambda)) {
            *length = step_length(w, x);
            if (*length == 0) {
                return SS_OK;
            }
            SS_TRY(evaluate(w, w->next, w->trial, &at));
        }
        *moved  = at < *cost;
        *lambda = *moved ? fmax(*lambda / 10, SS_DAMPING_LEAST) : *lambda * 10;
        if (*moved) {
            memcpy(x, w->next, (size_t)w->p->n * sizeof *x);
            memcpy(w->r, w->trial, (size_t)w->start[w->p->blocks] * sizeof *w->r);
            *cost = at;
        }
    }
    return SS_OK;
}

static ss_status search(work *w, double *x, ss_squares_result *out)
{
    double lambda = SS_DAMPING_FIRST;
    SS_TRY(prepare(w));
    SS_TRY(evaluate(w, x, w->r, &out->cost));
    while (isfinite(out->cost)) {
        bool   moved  = false;
        double before = out->cost, length = 0;
        SS_TRY(normal_equations(w, x));
        if (out->converged || out->iterations >= w->p->iterations) {
            break; /* J'J is that of the best */
        }
        SS_TRY(advance(w, x, &lambda, &out->cost, &moved, &length));
        out->iterations += moved;
        if (!moved) {
            out->converged = true;
            break;
        }
        out->converged =
            length <= w->p->tolerance || before - out->cost <= SS_COST_CHANGE * out->cost;
    }
    return SS_OK;
}

ss_status ss_squares_minimise(const ss_squares *p, double *x, double *A, ss_squares_result *out)
{
    work w           = {.p = p, .pool = {.ctx = p->ctx}};
    *out             = (ss_squares_result){.cost = INFINITY};
    ss_status status = search(&w, x, out);
    out->evaluations = w.evaluations;
    if (status == SS_OK && A != NULL) {
        memcpy(A, w.A, (size_t)p->n * (size_t)p->n * sizeof *A);
    }
    ss_pool_free(&w.pool);
    return status;
}

ss_status ss_squares_cost(const ss_squares *p, const double *x, double *cost)
{
    work      w      = {.p = p, .pool = {.ctx = p->ctx}};
    ss_status status = prepare(&w);
    if (status == SS_OK) {
        status = evaluate(&w, x, w.r, cost);
    }
    ss_pool_free(&w.pool);
    return status;
}

ss_status ss_squares_elsewhere(const ss_squares *p, int32_t i, double *x, double *cost, bool *moved)
{
    enum { PLACES = 9 };
    double best = x[i];
    for (int k = 0; k < PLACES; k++) {
        double at = INFINITY;
        x[i]      = p->low[i] + (k + 0.5) / PLACES * (p->high[i] - p->low[i]);
        SS_TRY(ss_squares_cost(p, x, &at));
        if (at < *cost) {
            *cost  = at;
            best   = x[i];
            *moved = true;
        }
    }
    x[i] = best;
    return SS_OK;
}
