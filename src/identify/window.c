/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moving horizon (Rao, Rawlings, Mayne, "Constrained state estimation for nonlinear discrete-time
 * systems", IEEE Trans. Automatic Control 48, 2003; thesis 7.6.2, windows of k observations). When
 * sample b has come, values theta and the state x_a at the first sample of the window minimise
 *
 *   (z - zbar)' P^-1 (z - zbar)  +  sum_{i=a..b} |r_i(x_a, theta)|^2       z = (theta, x_a)
 *
 * over low <= theta <= high. The first term, the cost to arrive, stands for the samples before the
 * window. When the window moves on by one sample, that sample goes into it by one step of a
 * Kalman filter, linearised where the window's optimum is,
 *
 *   S = R P R' + 1,  K = P R' S^-1       R = dr_a/dz
 *   zbar += -K (r_a + R (zbar - z)),     P -= K R P
 *   x_{a+1} = Phi(z) + F (zbar - z),     P = G P G' + Q,   G = [1 0; F],  F = dPhi/dz
 *
 * arrival: state keeps the part of x alone, so that the values of each window are its own; all
 * keeps both, and the values may drift by what Q says; none keeps nothing.
 */
#include <math.h>
#include <string.h>

#include "identify/filter.h"
#include "identify/tolerances.h"
#include "linalg/dense.h"

/* A window: z = values, then coordinates (n). */
typedef struct window {
    ss_fitter         *f;
    const ss_unknowns *u;
    ss_pool           *pool;
    int32_t            trial, first, last, n;
    double            *theta;              /* (parameters) values that are not in z stay          */
    double            *state;              /* (size) at the first sample                          */
    double            *next;               /* (size) at the sample after it                       */
    double            *z;                  /* (n) the optimum                                     */
    double            *covariance;         /* (n x n) of it                                       */
    double            *mean, *P;           /* (n), (n x n) of the arrival                         */
    double            *L;                  /* (n x n) factor of its part that counts              */
    double            *low, *high, *scale; /* (n) */
    bool              *fixed;              /* (n) belongs to another recording                    */
    double            *A;                  /* (n x n) work                                        */
    int32_t            from; /* arrival counts from this unknown on; n: nowhere      */
} window;

static double *matrix(window *w, size_t rows, size_t cols, bool *made)
{
    double *m = ss_pool_alloc(w->pool, rows * cols + 1, sizeof *m);
    *made     = *made && m != NULL;
    return m;
}

static ss_status no_memory(const window *w)
{
    return ss_fail(w->f->ctx, SS_ERR_MEMORY, "out of memory");
}

static ss_status allocate(window *w)
{
    size_t n      = (size_t)w->n;
    bool   made   = true;
    w->theta      = matrix(w, (size_t)w->f->p->parameter_count, 1, &made);
    w->z          = matrix(w, n, 1, &made);
    w->covariance = matrix(w, n, n, &made);
    w->mean       = matrix(w, n, 1, &made);
    w->P          = matrix(w, n, n, &made);
    w->L          = matrix(w, n, n, &made);
    w->low        = matrix(w, n, 1, &made);
    w->high       = matrix(w, n, 1, &made);
    w->scale      = matrix(w, n, 1, &made);
    w->A          = matrix(w, n, n, &made);
    w->fixed      = ss_pool_alloc(w->pool, n + 1, sizeof *w->fixed);
    return made && w->fixed != NULL ? SS_OK : no_memory(w);
}

/* The parameters of the scene that z means. */
static void spread(const window *w, const double *z, double *theta)
{
    memcpy(theta, w->theta, (size_t)w->f->p->parameter_count * sizeof *theta);
    for (int32_t i = 0; i < w->u->value_count; i++) {
        theta[w->u->value[i]] = z[i];
    }
}

/* ---- residuals of a window ---- */

/* L^-1 (z - mean), of the unknowns that arrive. */
static void arrival_rows(const window *w, const double *z, double *r)
{
    int32_t m = w->n - w->from;
    for (int32_t i = 0; i < m; i++) {
        double sum = z[w->from + i] - w->mean[w->from + i];
        for (int32_t j = 0; j < i; j++) {
            sum -= w->L[i + (ptrdiff_t)j * w->n] * r[j];
        }
        r[i] = sum / w->L[i + (ptrdiff_t)i * w->n];
    }
}

static ss_status run_window(const window *w, ss_identify_worker *worker, const double *z,
                            double *theta, double *r)
{
    ss_stretch s;
    spread(w, z, theta);
    ss_status status = ss_stretch_open(worker, w->u, w->trial, theta, &s);
    if (status == SS_OK) {
        status = ss_stretch_put(&s, w->state, z + w->u->value_count);
    }
    for (int32_t i = w->first; status == SS_OK && i <= w->last; i++) {
        status = ss_stretch_residuals(&s, i, r);
        r += w->f->p->column_count;
        if (status == SS_OK && i < w->last) {
            status = ss_stretch_advance(&s, i, i + 1);
        }
    }
    ss_stretch_close(&s);
    return status;
}

static ss_status one_job(const window *w, ss_identify_worker *worker, const double *z, double *r)
{
    size_t  n     = (size_t)w->f->p->parameter_count + 1;
    double *theta = ss_alloc(worker->ctx, n, sizeof *theta);
    if (theta == NULL) {
        return ss_fail(worker->ctx, SS_ERR_MEMORY, "out of memory");
    }
    ss_status status = run_window(w, worker, z, theta, r);
    arrival_rows(w, z, r + (ptrdiff_t)(w->last - w->first + 1) * w->f->p->column_count);
    ss_free(worker->ctx, theta, n * sizeof *theta);
    return status;
}

static ss_status evaluate(void *user, int32_t count, const int32_t *block, const double *const *x,
                          double *const *r, bool *ok)
{
    window *w = user;
    (void)block;
    w->f->failed = SS_OK;
#pragma omp parallel for num_threads(w->f->threads) schedule(dynamic, 1)
    for (int32_t j = 0; j < count; j++) {
        ss_identify_worker *worker = ss_fitter_worker(w->f);
        ss_status           status = one_job(w, worker, x[j], r[j]);
        ok[j]                      = status == SS_OK;
        if (status != SS_OK) {
#pragma omp critical(ss_identify)
            ss_fitter_note(w->f, worker->ctx, status);
        }
    }
    return ss_fitter_after(w->f, count);
}

static bool uses(void *user, int32_t block, int32_t parameter)
{
    (void)user, (void)block, (void)parameter;
    return true;
}

/* ---- the optimum of a window ---- */

/* What is known of an unknown before anything was measured: anything between its bounds. */
static double prior_deviation(const window *w, int32_t i)
{
    enum { SCALES = 1000 };
    return i < w->u->value_count ? (w->high[i] - w->low[i]) / sqrt(12) : SCALES * w->scale[i];
}

/* (J'J + 1/prior^2)^-1 in units of the unknowns. */
static bool invert(window *w)
{
    int32_t n = w->n;
    for (int32_t i = 0; i < n; i++) {
        double prior = prior_deviation(w, i) / w->scale[i];
        w->A[i + (ptrdiff_t)i * n] += 1 / (prior * prior);
    }
    if (!ss_dense_cholesky(n, w->A, n)) {
        return false;
    }
    for (int32_t j = 0; j < n; j++) {
        double *column = w->covariance + (ptrdiff_t)j * n;
        memset(column, 0, (size_t)n * sizeof *column);
        column[j] = 1;
        ss_dense_cholesky_solve(n, w->A, n, column);
        for (int32_t i = 0; i < n; i++) {
            column[i] *= w->scale[i] * w->scale[j];
        }
    }
    return true;
}

static ss_status minimise(window *w)
{
    int32_t    rows = (w->last - w->first + 1) * w->f->p->column_count + w->n - w->from;
    ss_squares p    = {.ctx        = w->f->ctx,
                       .n          = w->n,
                       .low        = w->low,
                       .high       = w->high,
                       .scale      = w->scale,
                       .fixed      = w->fixed,
                       .blocks     = 1,
                       .rows       = &rows,
                       .uses       = uses,
                       .evaluate   = evaluate,
                       .user       = w,
                       .iterations = w->f->p->search.iterations,
                       .tolerance  = w->f->p->search.tolerance};
    bool       moved;
    do {
        ss_squares_result found;
        SS_TRY(ss_squares_minimise(&p, w->z, w->A, &found));
        if (!isfinite(found.cost)) {
            return ss_fail(w->f->ctx, SS_ERR_INPUT, "no run of a window can be made: %s",
                           w->f->message);
        }
        moved = false;
        for (int32_t i = 0; i < w->u->value_count; i++) {
            if (!w->fixed[i] && !(w->A[i + (ptrdiff_t)i * w->n] > 0)) {
                SS_TRY(ss_squares_elsewhere(&p, i, w->z, &found.cost, &moved));
            }
        }
    } while (moved);
    return invert(w) ? SS_OK
                     : ss_fail(w->f->ctx, SS_ERR_INPUT,
                               "a window has no covariance: a residual "
                               "is not finite");
}

/* ---- the arrival ---- */

/* The factor of the part of P that counts, with no deviation below the least. */
static bool factor_arrival(window *w)
{
    int32_t n = w->n, m = n - w->from;
    for (int32_t j = 0; j < m; j++) {
        for (int32_t i = 0; i < m; i++) {
            w->L[i + (ptrdiff_t)j * n] = w->P[w->from + i + (ptrdiff_t)(w->from + j) * n];
        }
        double least = SS_SPREAD_LEAST * w->scale[w->from + j];
        w->L[j + (ptrdiff_t)j * n] += least * least;
    }
    return m == 0 || ss_dense_cholesky(m, w->L, n);
}

/* One sample from a start: its residuals (columns), and where the next begins (coordinates). */
static ss_status one_sample(const window *w, const double *z, double *theta, double *r, double *x,
                            double *state)
{
    ss_stretch s;
    spread(w, z, theta);
    ss_status status = ss_stretch_open(&w->f->workers[0], w->u, w->trial, theta, &s);
    if (status == SS_OK) {
        status = ss_stretch_put(&s, w->state, z + w->u->value_count);
    }
    if (status == SS_OK) {
        status = ss_stretch_residuals(&s, w->first, r);
    }
    if (status == SS_OK) {
        status = ss_stretch_advance(&s, w->first, w->first + 1);
    }
    if (status == SS_OK) {
        status = ss_stretch_get(&s, state, x);
    }
    ss_stretch_close(&s);
    return status == SS_OK
               ? SS_OK
               : ss_fail(w->f->ctx, status, "%s", ss_context_message(w->f->workers[0].ctx));
}

/* Derivatives of one sample: R (columns x n) and F (coordinates x n), by differences. */
typedef struct slopes {
    double *r, *x;         /* at the optimum                         */
    double *R, *F;         /* column-major                           */
    double *point, *theta; /* (n), (parameters)                      */
    double *up, *down;     /* (columns + coordinates) each           */
} slopes;

static ss_status find_slopes(window *w, slopes *s)
{
    int32_t nc = w->f->p->column_count, nx = w->u->coordinate_count;
    SS_TRY(one_sample(w, w->z, s->theta, s->r, s->x, w->next));
    for (int32_t j = 0; j < w->n; j++) {
        double away = SS_DIFFERENCE * w->scale[j];
        double to = fmin(w->z[j] + away, w->high[j]), from = fmax(w->z[j] - away, w->low[j]);
        memcpy(s->point, w->z, (size_t)w->n * sizeof *s->point);
        s->point[j] = to;
        SS_TRY(one_sample(w, s->point, s->theta, s->up, s->up + nc, NULL));
        s->point[j] = from;
        SS_TRY(one_sample(w, s->point, s->theta, s->down, s->down + nc, NULL));
        bool held = w->fixed[j];
        for (int32_t i = 0; i < nc; i++) {
            s->R[i + (ptrdiff_t)j * nc] = held ? 0 : (s->up[i] - s->down[i]) / (to - from);
        }
        for (int32_t i = 0; i < nx; i++) {
            s->F[i + (ptrdiff_t)j * nx] =
                held ? 0 : (s->up[nc + i] - s->down[nc + i]) / (to - from);
        }
    }
    return SS_OK;
}

/* C (rows x cols) = A (rows x inner) B (inner x cols), column-major. */
static void product(int32_t rows, int32_t inner, int32_t cols, const double *A, const double *B,
                    double *C)
{
    for (int32_t j = 0; j < cols; j++) {
        for (int32_t i = 0; i < rows; i++) {
            double sum = 0;
            for (int32_t k = 0; k < inner; k++) {
                sum += A[i + (ptrdiff_t)k * rows] * B[k + (ptrdiff_t)j * inner];
            }
            C[i + (ptrdiff_t)j * rows] = sum;
        }
    }
}

/* The sample that leaves the window goes into the arrival: zbar and P. */
static bool take_sample(window *w, const slopes *s, double *RP, double *S, double *e)
{
    int32_t n = w->n, nc = w->f->p->column_count;
    product(nc, n, n, s->R, w->P, RP);
    for (int32_t i = 0; i < nc; i++) {
        e[i] = -s->r[i];
        for (int32_t k = 0; k < n; k++) {
            e[i] -= s->R[i + (ptrdiff_t)k * nc] * (w->mean[k] - w->z[k]);
        }
        for (int32_t j = 0; j < nc; j++) {
            double sum = i == j;
            for (int32_t k = 0; k < n; k++) {
                sum += RP[i + (ptrdiff_t)k * nc] * s->R[j + (ptrdiff_t)k * nc];
            }
            S[i + (ptrdiff_t)j * nc] = sum;
        }
    }
    if (!ss_dense_cholesky(nc, S, nc)) {
        return false;
    }
    ss_dense_cholesky_solve(nc, S, nc, e);
    for (int32_t j = 0; j < n; j++) {
        double *column = e + nc; /* S^-1 (R P)_j */
        memcpy(column, RP + (ptrdiff_t)j * nc, (size_t)nc * sizeof *column);
        for (int32_t k = 0; k < nc; k++) {
            w->mean[j] += column[k] * e[k];
        }
        ss_dense_cholesky_solve(nc, S, nc, column);
        for (int32_t i = 0; i < n; i++) {
            for (int32_t k = 0; k < nc; k++) {
                w->P[i + (ptrdiff_t)j * n] -= RP[k + (ptrdiff_t)i * nc] * column[k];
            }
        }
    }
    return true;
}

/* P = G P G' + Q, zbar to the next sample. */
static void move_arrival(window *w, const slopes *s, double *G, double *GP)
{
    int32_t            n = w->n, nv = w->u->value_count, nx = w->u->coordinate_count;
    const ss_recorded *r  = &w->f->p->trials[w->trial];
    double             dt = r->t[w->first + 1] - r->t[w->first];
    for (int32_t i = 0; i < nx; i++) {
        s->up[i] = s->x[i];
        for (int32_t k = 0; k < n; k++) {
            s->up[i] += s->F[i + (ptrdiff_t)k * nx] * (w->mean[k] - w->z[k]);
        }
    }
    memcpy(w->mean + nv, s->up, (size_t)nx * sizeof *s->up);
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = 0; i < n; i++) {
            G[i + (ptrdiff_t)j * n] = i < nv ? i == j : s->F[i - nv + (ptrdiff_t)j * nx];
        }
    }
    product(n, n, n, G, w->P, GP);
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = 0; i < n; i++) {
            double sum = 0;
            for (int32_t k = 0; k < n; k++) {
                sum += GP[i + (ptrdiff_t)k * n] * G[j + (ptrdiff_t)k * n];
            }
            w->P[i + (ptrdiff_t)j * n] = sum;
        }
        double walk = ss_unknowns_walk(w->u, j);
        w->P[j + (ptrdiff_t)j * n] += walk * walk * dt;
    }
}

/* arrival: state. What was known of the values is what the window itself says. */
static void own_values(window *w)
{
    int32_t n = w->n, nv = w->u->value_count;
    for (int32_t j = 0; j < nv; j++) {
        w->mean[j] = w->z[j];
        for (int32_t i = 0; i < n; i++) {
            double own                 = i < nv ? w->covariance[i + (ptrdiff_t)j * n] : 0;
            w->P[i + (ptrdiff_t)j * n] = w->P[j + (ptrdiff_t)i * n] = own;
        }
    }
}

/* The window's first sample leaves it. */
static ss_status move_on(window *w)
{
    size_t  n = (size_t)w->n, nc = (size_t)w->f->p->column_count;
    size_t  nx   = (size_t)w->u->coordinate_count;
    ss_pool pool = {.ctx = w->f->ctx};
    size_t  room = (nc + nx) * (n + 3) + n + (size_t)w->f->p->parameter_count + nc * n + nc * nc +
                  2 * nc + 2 * n * n + 8;
    double *work = ss_pool_alloc(&pool, room, sizeof *work);
    if (work == NULL) {
        return no_memory(w);
    }
    slopes s     = {.r = work};
    s.x          = s.r + nc;
    s.R          = s.x + nx;
    s.F          = s.R + nc * n;
    s.up         = s.F + nx * n;
    s.down       = s.up + nc + nx;
    s.point      = s.down + nc + nx;
    s.theta      = s.point + n;
    double   *RP = s.theta + w->f->p->parameter_count, *S = RP + nc * n, *e = S + nc * nc;
    double   *G = e + 2 * nc, *GP = G + n * n;
    ss_status status = find_slopes(w, &s);
    if (status == SS_OK) {
        if (w->f->p->search.filter.arrival == SS_ARRIVAL_STATE) {
            own_values(w);
        }
        bool taken = take_sample(w, &s, RP, S, e);
        move_arrival(w, &s, G, GP);
        memcpy(w->z + w->u->value_count, s.x, nx * sizeof *s.x);
        double *state = w->state;
        w->state      = w->next;
        w->next       = state;
        w->first++;
        status = taken && factor_arrival(w) ? SS_OK
                                            : ss_fail(w->f->ctx, SS_ERR_INPUT,
                                                      "what arrives at a window has no "
                                                      "covariance");
    }
    ss_pool_free(&pool);
    return status;
}

/* ---- a recording ---- */

static ss_status start_states(window *w)
{
    ss_stretch s;
    bool       made   = true;
    ss_status  status = ss_stretch_open(&w->f->workers[0], w->u, w->trial, w->theta, &s);
    if (status == SS_OK) {
        w->state = matrix(w, (size_t)s.size, 1, &made);
        w->next  = matrix(w, (size_t)s.size, 1, &made);
        status   = made ? ss_stretch_get(&s, w->state, NULL) : no_memory(w);
    }
    ss_stretch_close(&s);
    return status == SS_OK || status == SS_ERR_MEMORY
               ? status
               : ss_fail(w->f->ctx, status, "no run can be made from where the search starts: %s",
                         ss_context_message(w->f->workers[0].ctx));
}

/* Values begin where the recording before ended, coordinates where the recording says. */
static ss_status start_trial(window *w, int32_t trial)
{
    const ss_filter_def *d = &w->f->p->search.filter;
    int32_t              n = w->n, nv = w->u->value_count;
    double              *deviation = w->high + nv; /* until it is filled */
    w->trial                       = trial;
    w->first                       = 0;
    ss_unknowns_start(w->u, trial, w->z + nv, deviation);
    for (int32_t i = 0; i < n; i++) {
        bool   value = i < nv, first = trial == 0 || d->arrival != SS_ARRIVAL_ALL;
        double was  = value ? w->P[i + (ptrdiff_t)i * n] : 0;
        w->fixed[i] = !ss_unknowns_use(w->u, i, trial);
        double wide = value ? (w->high[i] - w->low[i]) / sqrt(12) : deviation[i - nv];
        for (int32_t j = 0; j < n && (!value || first || j >= nv); j++) {
            w->P[i + (ptrdiff_t)j * n] = w->P[j + (ptrdiff_t)i * n] = 0;
        }
        w->P[i + (ptrdiff_t)i * n] = value && !first && was > 0 ? was : wide * wide;
        w->mean[i]                 = !value || first || !(was > 0) ? w->z[i] : w->mean[i];
    }
    for (int32_t i = nv; i < n; i++) {
        w->low[i]   = -INFINITY;
        w->high[i]  = INFINITY;
        w->scale[i] = ss_unknowns_scale(w->u, i - nv, trial);
    }
    w->from = d->arrival == SS_ARRIVAL_NONE ? n : d->arrival == SS_ARRIVAL_ALL ? 0 : nv;
    SS_TRY(start_states(w));
    return factor_arrival(w) ? SS_OK : ss_fail(w->f->ctx, SS_ERR_INPUT, "a start has no deviation");
}

static ss_status keep_moment(const window *w, ss_history *h)
{
    ss_moment *m = ss_history_add(h, w->trial, w->last, 0);
    if (m == NULL) {
        return no_memory(w);
    }
    m->first = w->first;
    for (int32_t i = 0; i < w->n; i++) {
        double       deviation = sqrt(w->covariance[i + (ptrdiff_t)i * w->n]);
        ss_certainty c         = {.low = w->z[i] - deviation, .high = w->z[i] + deviation};
        if (i < w->u->value_count) {
            ss_certain_normal(w->f, w->u->value[i], w->z[i], deviation, &c);
        }
        m->value[i]     = w->fixed[i] ? NAN : w->z[i];
        m->deviation[i] = w->fixed[i] ? NAN : deviation;
        m->low[i]       = w->fixed[i] ? NAN : c.low;
        m->high[i]      = w->fixed[i] ? NAN : c.high;
    }
    return SS_OK;
}

static ss_status follow_trial(window *w, ss_history *h)
{
    const ss_filter_def *d     = &w->f->p->search.filter;
    int32_t              count = w->f->p->trials[w->trial].count;
    /* the last window ends with the recording */
    for (w->last = 1 + (count - 2) % d->every; w->last < count; w->last += d->every) {
        while (d->window > 0 && w->last - w->first + 1 > d->window) {
            SS_TRY(move_on(w));
        }
        SS_TRY(minimise(w));
        SS_TRY(keep_moment(w, h));
    }
    return SS_OK;
}

/* ---- all together ---- */

/* Is the value of a moment known, beyond what bounds say? */
static bool tells(const ss_fitter *f, int32_t parameter, double value, double deviation)
{
    ss_certainty c;
    if (isnan(value)) {
        return false;
    }
    ss_certain_normal(f, parameter, value, deviation, &c);
    return !c.at_bound && c.determined != SS_DETERMINED_NOT;
}

/* The first moment after `after` whose window is as long as it gets and shares no sample with that
   one's. */
static int32_t next_apart(const ss_history *h, int32_t after)
{
    int32_t most = h->unknowns.p->search.filter.window, i = after + 1;
    for (; i < h->count; i++) {
        const ss_moment *b    = &h->moments[i];
        bool             last = i + 1 == h->count || b[1].trial != b->trial;
        bool             full = most > 0 && b->last - b->first + 1 >= most;
        bool             apart =
            after < 0 || h->moments[after].trial != b->trial || h->moments[after].last < b->first;
        if ((last || full) && apart) {
            break;
        }
    }
    return i;
}

/* Do values of windows that share no sample scatter by more than their deviations? */
static bool wanders(const ss_fitter *f, const ss_history *h, int32_t i)
{
    int32_t parameter = h->unknowns.value[i];
    double  sum = 0, precision = 0, squares = 0, windows = 0;
    for (int32_t k = next_apart(h, -1); k < h->count; k = next_apart(h, k)) {
        const ss_moment *m = &h->moments[k];
        if (tells(f, parameter, m->value[i], m->deviation[i])) {
            double p = 1 / (m->deviation[i] * m->deviation[i]);
            sum += p * m->value[i];
            squares += p * m->value[i] * m->value[i];
            precision += p;
            windows++;
        }
    }
    return windows > 1 &&
           squares - sum * sum / precision > windows - 1 + SS_WANDERS * sqrt(2 * (windows - 1));
}

/* The value of the window that tells most; with arrival: all the last has what all told. */
static void conclude(const ss_fitter *f, const ss_history *h, int32_t i, double *theta,
                     ss_certainty *out)
{
    int32_t          parameter = h->unknowns.value[i];
    const ss_moment *best      = NULL;
    bool             all       = f->p->search.filter.arrival == SS_ARRIVAL_ALL;
    for (int32_t k = 0; k < h->count; k++) {
        const ss_moment *m = &h->moments[k];
        if (!isnan(m->value[i]) && (best == NULL || all || m->deviation[i] < best->deviation[i])) {
            best = m;
        }
    }
    if (best != NULL) { /* every recording has a window */
        theta[parameter] = best->value[i];
        ss_certain_normal(f, parameter, best->value[i], best->deviation[i], out);
        out->wanders = wanders(f, h, i);
    }
}

ss_status ss_window_search(ss_fitter *f, ss_history *h, double *theta, ss_certainty *out)
{
    ss_pool   pool   = {.ctx = f->ctx};
    window    w      = {.f = f, .u = &h->unknowns, .pool = &pool, .n = h->unknowns.count};
    ss_status status = allocate(&w);
    for (int32_t i = 0; status == SS_OK && i < f->p->parameter_count; i++) {
        w.theta[i] = f->p->parameters[i].start;
    }
    for (int32_t i = 0; status == SS_OK && i < w.u->value_count; i++) {
        int32_t parameter = w.u->value[i];
        w.z[i]            = f->p->parameters[parameter].start;
        w.low[i]          = f->low[parameter];
        w.high[i]         = f->high[parameter];
        w.scale[i]        = f->scale[parameter];
    }
    f->doing = "windows";
    for (int32_t k = 0; status == SS_OK && k < f->p->trial_count; k++) {
        status = start_trial(&w, k);
        if (status == SS_OK) {
            status = follow_trial(&w, h);
        }
    }
    for (int32_t i = 0; status == SS_OK && i < w.u->value_count; i++) {
        conclude(f, h, i, theta, &out[w.u->value[i]]);
    }
    ss_pool_free(&pool);
    return status;
}
