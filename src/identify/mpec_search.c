/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identification as a mathematical program with equilibrium constraints (thesis (7.6)-(7.13)): all
 * states, forces and parameters of all steps are unknowns of one program,
 *
 *   min sum n'n / sigma^2
 *   0 = q+ - q - h v+
 *   0 = M (v+ - v) - h (W_n lambda_n + W_f lambda_f + F)
 *   0 <= lambda_n  _|_  g       = n.q+ - c                     >= 0
 *   0 <= lambda_f  _|_  s_f     = E sigma + W_f'v+             >= 0
 *   0 <= sigma     _|_  s_sigma = mu lambda_n - E'lambda_f     >= 0
 *   y = q + n,   -eps <= n <= eps (each number of it: (7.13) as printed excludes the true path)
 *
 * with a variable for each right-hand side, so that all pairs are of variables (nlp/mpec.c). Rows
 * are linear but for mu lambda_n, bilinear where friction is free: the program is a list of terms
 * c x_i or c x_i x_j, from which values, Jacobian and Hessian follow. It begins at a run, and what
 * it finds is simulated by the engine and compared.
 */
#include "identify/mpec_search.h"

#include <math.h>
#include <string.h>

#include "core/array.h"
#include "core/elementary.h"
#include "identify/mpec_track.h"
#include "identify/tolerances.h"

/* c x_col, or c x_col x_other; row -1: of the objective, c x_col^2. */
typedef struct term {
    int32_t row, col, other;
    double  c;
} term;

typedef struct program {
    ss_fitter *f;
    ss_pool    pool;
    ss_track  *tracks; /* (trials) */
    int32_t    n, m, noises, pairs;
    term      *terms; /* rows */
    int32_t    term_count, term_room, bilinear;
    double    *x, *x_low, *x_high, *right; /* right (m): rows equal it */
    double    *weight;                     /* (n) of squares in the objective */
    int32_t   *jrow, *jcol, *hrow, *hcol;
    int32_t (*pair)[2];
    double *pair_scale;
    bool    full; /* memory ran out */
} program;

static ss_status no_memory(const program *p)
{
    return ss_fail(p->f->ctx, SS_ERR_MEMORY, "no memory for a program of %d variables", p->n);
}

static void add(program *p, int32_t row, int32_t col, int32_t other, double c)
{
    int ok = 1;
    p->terms =
        ss_array_reserve(p->f->ctx, p->terms, p->term_count, &p->term_room, sizeof *p->terms, &ok);
    if (!ok) {
        p->full = true;
        return;
    }
    p->terms[p->term_count++] = (term){row, col, other, c};
    p->bilinear += other >= 0;
}

/* c times a number of a particle's state, which is known at the start unless it is free. */
static void add_state(program *p, int32_t row, const ss_track *k, int32_t step, int32_t particle,
                      int32_t i, double c)
{
    double  value = 0;
    int32_t col   = ss_track_state(k, step, particle, i, &value);
    if (col >= 0) {
        add(p, row, col, -1, c);
    } else {
        p->right[row] -= c * value;
    }
}

/* ---- rows ---- */

static void move_rows(program *p, const ss_track *k, int32_t step, int32_t a, int32_t row)
{
    const ss_particle *body = &k->particles[a];
    for (int i = 0; i < 2; i++) {
        add_state(p, row + i, k, step, a, i, 1);
        add_state(p, row + i, k, step - 1, a, i, -1);
        add_state(p, row + i, k, step, a, 2 + i, -k->h);
        add_state(p, row + 2 + i, k, step, a, 2 + i, body->mass);
        add_state(p, row + 2 + i, k, step - 1, a, 2 + i, -body->mass);
        p->right[row + 2 + i] += k->h * body->force[i];
        for (int32_t c = 0; c < k->touch_count; c++) {
            const ss_touch *t = &k->touches[c];
            if (t->particle == a) {
                add(p, row + 2 + i, ss_track_touch(k, step, c, SS_LAMBDA_N), -1, -k->h * t->n[i]);
                add(p, row + 2 + i, ss_track_touch(k, step, c, SS_LAMBDA_AHEAD), -1,
                    -k->h * t->t[i]);
                add(p, row + 2 + i, ss_track_touch(k, step, c, SS_LAMBDA_BACK), -1, k->h * t->t[i]);
            }
        }
    }
}

static void touch_rows(program *p, const ss_track *k, int32_t step, int32_t c, int32_t row)
{
    const ss_touch *t  = &k->touches[c];
    int32_t         at = ss_track_touch(k, step, c, 0);
    add(p, row, at + SS_GAP, -1, 1);
    p->right[row] -= t->offset;
    for (int i = 0; i < 2; i++) {
        add_state(p, row, k, step, t->particle, i, -t->n[i]);
        add_state(p, row + 1, k, step, t->particle, 2 + i, -t->t[i]);
        add_state(p, row + 2, k, step, t->particle, 2 + i, t->t[i]);
    }
    add(p, row + 1, at + SS_S_AHEAD, -1, 1);
    add(p, row + 1, at + SS_SIGMA, -1, -1);
    add(p, row + 2, at + SS_S_BACK, -1, 1);
    add(p, row + 2, at + SS_SIGMA, -1, -1);
    add(p, row + 3, at + SS_S_SIGMA, -1, 1);
    add(p, row + 3, at + SS_LAMBDA_AHEAD, -1, 1);
    add(p, row + 3, at + SS_LAMBDA_BACK, -1, 1);
    add(p, row + 3, at + SS_LAMBDA_N, -1, -t->base);
    for (int32_t i = 0; i < p->f->p->parameter_count; i++) {
        if (t->slope[i] != 0) {
            add(p, row + 3, at + SS_LAMBDA_N, i, -t->slope[i]);
        }
    }
}

static void add_pairs(program *p, const ss_track *k, int32_t step, int32_t c)
{
    static const int   with[4][2] = {{SS_LAMBDA_N, SS_GAP},
                                     {SS_LAMBDA_AHEAD, SS_S_AHEAD},
                                     {SS_LAMBDA_BACK, SS_S_BACK},
                                     {SS_SIGMA, SS_S_SIGMA}};
    const ss_particle *a          = &k->particles[k->touches[c].particle];
    double             force      = ss_hypot(a->force[0], a->force[1]);
    double             way        = p->f->p->trials[k->trial].extent;
    double             speed      = way / (k->h * k->steps);
    for (int i = 0; i < 4; i++) {
        p->pair[p->pairs][0]      = ss_track_touch(k, step, c, with[i][0]);
        p->pair[p->pairs][1]      = ss_track_touch(k, step, c, with[i][1]);
        p->pair_scale[p->pairs++] = fmax(force, SS_LEAST_FORCE) * (i == 0 ? way : speed);
    }
    for (int i = 0; i < SS_TRACK_TOUCH; i++) {
        p->x_low[ss_track_touch(k, step, c, i)] = 0;
    }
}

/* y = q + n at every sample that was measured; n starts with variable `at`. */
static void noise_rows(program *p, const ss_track *k, int32_t *row)
{
    const ss_identify *id = p->f->p;
    const ss_recorded *r  = &id->trials[k->trial];
    int32_t            at = k->noise;
    for (int32_t s = 0; s < r->count; s++) {
        for (int32_t a = 0; a < k->particle_count; a++) {
            for (int i = 0; i < 2; i++) {
                int32_t c = k->particles[a].column[i];
                double  y = c >= 0 ? r->y[(ptrdiff_t)s * id->column_count + c] : NAN;
                if (isnan(y)) {
                    continue;
                }
                double sigma = id->sigma[SS_UNIT_LENGTH];
                add_state(p, *row, k, k->sample[s], a, i, 1);
                add(p, *row, at, -1, 1);
                p->right[(*row)++] += y;
                p->weight[at]   = 1 / (sigma * sigma);
                p->x_low[at]    = id->bound > 0 ? -id->bound : -INFINITY;
                p->x_high[at++] = id->bound > 0 ? id->bound : INFINITY;
            }
        }
    }
}

static int32_t count_noises(const ss_identify *id, const ss_track *k)
{
    const ss_recorded *r     = &id->trials[k->trial];
    int32_t            count = 0;
    for (int32_t s = 0; s < r->count; s++) {
        for (int32_t a = 0; a < k->particle_count; a++) {
            for (int i = 0; i < 2; i++) {
                int32_t c = k->particles[a].column[i];
                count += c >= 0 && !isnan(r->y[(ptrdiff_t)s * id->column_count + c]);
            }
        }
    }
    return count;
}

/* ---- the program ---- */

/* Variables: parameters, then for each recording its steps and its noise. */
static ss_status lay_out(program *p, const double *theta)
{
    const ss_identify *id = p->f->p;
    p->tracks             = ss_pool_alloc(&p->pool, (size_t)id->trial_count, sizeof *p->tracks);
    p->n                  = id->parameter_count;
    if (p->tracks == NULL) {
        return no_memory(p);
    }
    for (int32_t t = 0; t < id->trial_count; t++) {
        ss_track *k = &p->tracks[t];
        SS_TRY(ss_track_make(p->f, &p->pool, t, theta, k));
        int32_t block = SS_TRACK_STATE * k->particle_count + SS_TRACK_TOUCH * k->touch_count;
        k->first      = p->n;
        k->noise      = p->n + k->steps * block;
        k->noises     = count_noises(id, k);
        p->n          = k->noise + k->noises;
        p->noises += k->noises;
        p->m += k->steps * (4 * k->particle_count + 4 * k->touch_count) + k->noises;
        p->pairs += 4 * k->steps * k->touch_count;
    }
    return SS_OK;
}

static ss_status allocate(program *p)
{
    size_t n = (size_t)p->n, m = (size_t)p->m + 1, pairs = (size_t)p->pairs + 1;
    p->x          = ss_pool_alloc(&p->pool, n, sizeof *p->x);
    p->x_low      = ss_pool_alloc(&p->pool, n, sizeof *p->x_low);
    p->x_high     = ss_pool_alloc(&p->pool, n, sizeof *p->x_high);
    p->weight     = ss_pool_alloc(&p->pool, n, sizeof *p->weight);
    p->right      = ss_pool_alloc(&p->pool, m, sizeof *p->right);
    p->pair       = ss_pool_alloc(&p->pool, pairs, sizeof *p->pair);
    p->pair_scale = ss_pool_alloc(&p->pool, pairs, sizeof *p->pair_scale);
    if (p->x == NULL || p->x_low == NULL || p->x_high == NULL || p->weight == NULL ||
        p->right == NULL || p->pair == NULL || p->pair_scale == NULL) {
        return no_memory(p);
    }
    for (size_t i = 0; i < n; i++) {
        bool free    = i >= (size_t)p->f->p->parameter_count;
        p->x_low[i]  = free ? -INFINITY : p->f->low[i];
        p->x_high[i] = free ? INFINITY : p->f->high[i];
    }
    p->pairs = 0;
    return SS_OK;
}

static void write_rows(program *p)
{
    int32_t row = 0;
    for (int32_t t = 0; t < p->f->p->trial_count; t++) {
        const ss_track *k = &p->tracks[t];
        for (int32_t step = 1; step <= k->steps; step++) {
            for (int32_t a = 0; a < k->particle_count; a++) {
                move_rows(p, k, step, a, row);
                row += 4;
            }
            for (int32_t c = 0; c < k->touch_count; c++) {
                touch_rows(p, k, step, c, row);
                add_pairs(p, k, step, c);
                row += 4;
            }
        }
        noise_rows(p, k, &row);
    }
}

/* Places of Jacobian (linear: one, bilinear: two a term) and Hessian (weights, then bilinear). */
static ss_status write_pattern(program *p)
{
    size_t e = (size_t)p->term_count + (size_t)p->bilinear + 1;
    size_t b = (size_t)p->noises + (size_t)p->bilinear + 1;
    p->jrow  = ss_pool_alloc(&p->pool, e, sizeof *p->jrow);
    p->jcol  = ss_pool_alloc(&p->pool, e, sizeof *p->jcol);
    p->hrow  = ss_pool_alloc(&p->pool, b, sizeof *p->hrow);
    p->hcol  = ss_pool_alloc(&p->pool, b, sizeof *p->hcol);
    if (p->full || p->jrow == NULL || p->jcol == NULL || p->hrow == NULL || p->hcol == NULL) {
        return no_memory(p);
    }
    int32_t at = 0, bend = 0;
    for (int32_t i = 0; i < p->n; i++) {
        if (p->weight[i] > 0) {
            p->hrow[bend] = p->hcol[bend] = i;
            bend++;
        }
    }
    for (int32_t i = 0; i < p->term_count; i++) {
        const term *t = &p->terms[i];
        p->jrow[at]   = t->row;
        p->jcol[at++] = t->col;
        if (t->other >= 0) {
            p->jrow[at]     = t->row;
            p->jcol[at++]   = t->other;
            p->hrow[bend]   = t->col > t->other ? t->col : t->other;
            p->hcol[bend++] = t->col > t->other ? t->other : t->col;
        }
    }
    return SS_OK;
}

static int objective(void *user, const double *x, double *f)
{
    const program *p = user;
    *f               = 0;
    for (int32_t i = 0; i < p->n; i++) {
        *f += p->weight[i] * x[i] * x[i];
    }
    return 0;
}

static int gradient(void *user, const double *x, double *df)
{
    const program *p = user;
    for (int32_t i = 0; i < p->n; i++) {
        df[i] = 2 * p->weight[i] * x[i];
    }
    return 0;
}

static int constraints(void *user, const double *x, double *g)
{
    const program *p = user;
    memset(g, 0, (size_t)p->m * sizeof *g);
    for (int32_t i = 0; i < p->term_count; i++) {
        const term *t = &p->terms[i];
        g[t->row] += t->c * x[t->col] * (t->other >= 0 ? x[t->other] : 1);
    }
    return 0;
}

static int jacobian(void *user, const double *x, double *values)
{
    const program *p  = user;
    int32_t        at = 0;
    for (int32_t i = 0; i < p->term_count; i++) {
        const term *t = &p->terms[i];
        values[at++]  = t->c * (t->other >= 0 ? x[t->other] : 1);
        if (t->other >= 0) {
            values[at++] = t->c * x[t->col];
        }
    }
    return 0;
}

static int hessian(void *user, const double *x, double factor, const double *lambda, double *values)
{
    const program *p    = user;
    int32_t        bend = 0;
    (void)x;
    for (int32_t i = 0; i < p->n; i++) {
        if (p->weight[i] > 0) {
            values[bend++] = 2 * factor * p->weight[i];
        }
    }
    for (int32_t i = 0; i < p->term_count; i++) {
        if (p->terms[i].other >= 0) {
            values[bend++] = lambda[p->terms[i].row] * p->terms[i].c;
        }
    }
    return 0;
}

/* ---- where it begins: the run with the starting values ---- */

static double value_at(const program *p, const ss_track *k, int32_t step, int32_t a, int i)
{
    double  value = 0;
    int32_t col   = ss_track_state(k, step, a, i, &value);
    return col >= 0 ? p->x[col] : value;
}

/* Forces from what momentum lacks, where the gap is closed. */
static void guess_touch(program *p, const ss_track *k, int32_t step, int32_t c)
{
    const ss_touch    *t = &k->touches[c];
    const ss_particle *a = &k->particles[t->particle];
    double            *x = p->x + ss_track_touch(k, step, c, 0), lack[2], mu = t->base;
    double             gap = -t->offset, slip = 0;
    for (int i = 0; i < 2; i++) {
        double now = value_at(p, k, step, t->particle, 2 + i);
        lack[i] =
            a->mass * (now - value_at(p, k, step - 1, t->particle, 2 + i)) / k->h - a->force[i];
        gap += t->n[i] * value_at(p, k, step, t->particle, i);
        slip += t->t[i] * now;
    }
    for (int32_t i = 0; i < p->f->p->parameter_count; i++) {
        mu += t->slope[i] * p->x[i];
    }
    double normal      = fmax(t->n[0] * lack[0] + t->n[1] * lack[1], 0);
    double along       = t->t[0] * lack[0] + t->t[1] * lack[1];
    x[SS_LAMBDA_N]     = normal;
    x[SS_LAMBDA_AHEAD] = normal > 0 ? fmax(along, 0) : 0;
    x[SS_LAMBDA_BACK]  = normal > 0 ? fmax(-along, 0) : 0;
    x[SS_SIGMA]        = fabs(slip);
    x[SS_GAP]          = fmax(gap, 0);
    x[SS_S_AHEAD]      = fabs(slip) + slip;
    x[SS_S_BACK]       = fabs(slip) - slip;
    x[SS_S_SIGMA]      = fmax(mu * normal - fabs(along), 0);
}

static ss_status guess_track(program *p, const ss_track *k, const double *theta)
{
    ss_identify_worker *w      = &p->f->workers[0];
    ss_status           status = ss_identify_simulate(w, k->trial, theta);
    if (status != SS_OK) {
        return ss_fail(p->f->ctx, status, "%s", ss_context_message(w->ctx));
    }
    for (int32_t step = 1; step <= k->steps; step++) {
        int32_t at = step < w->count ? step : w->count - 1;
        for (int32_t a = 0; a < k->particle_count; a++) {
            double               unused = 0;
            double              *x      = p->x + ss_track_state(k, step, a, 0, &unused);
            int32_t              b      = k->particles[a].recorded;
            const ss_body_state *s =
                b >= 0 ? &w->states[(ptrdiff_t)at * p->f->p->body_count + b] : NULL;
            double start[] = {k->particles[a].start[0], k->particles[a].start[1], 0, 0};
            double found[] = {s != NULL ? s->position.x : start[0],
                              s != NULL ? s->position.y : start[1], s != NULL ? s->velocity.x : 0,
                              s != NULL ? s->velocity.y : 0};
            memcpy(x, found, sizeof found);
        }
        for (int32_t c = 0; c < k->touch_count; c++) {
            guess_touch(p, k, step, c);
        }
    }
    return SS_OK;
}

/* What is left between samples and states; kept within its bounds. */
static void guess_noise(program *p)
{
    double *g = p->right; /* rows: q + n = y */
    for (int32_t i = 0; i < p->term_count; i++) {
        const term *t = &p->terms[i];
        if (p->weight[t->col] > 0) {
            double rest = g[t->row];
            for (int32_t j = i - 1; j >= 0 && p->terms[j].row == t->row; j--) {
                rest -= p->terms[j].c * p->x[p->terms[j].col];
            }
            p->x[t->col] = fmin(fmax(rest, p->x_low[t->col]), p->x_high[t->col]);
        }
    }
}

static ss_status guess(program *p, const double *theta)
{
    memcpy(p->x, theta, (size_t)p->f->p->parameter_count * sizeof *theta);
    for (int32_t t = 0; t < p->f->p->trial_count; t++) {
        SS_TRY(guess_track(p, &p->tracks[t], theta));
    }
    guess_noise(p);
    return SS_OK;
}

/* Near the run first; where that ends nowhere, from far relaxed. */
static ss_status solve_from_run(program *p, const ss_nlp *nlp, const double *theta,
                                ss_nlp_result *out)
{
    ss_nlp_options options = {
        .near = true, .first_relaxed = SS_FIRST_RELAXED, .interrupt = p->f->def->interrupt};
    SS_TRY(ss_nlp_solve(p->f->ctx, nlp, &options, p->x, out));
    if (out->outcome == SS_SOLVED) {
        return SS_OK;
    }
    options.near          = false;
    options.first_relaxed = 1;
    SS_TRY(guess(p, theta));
    return ss_nlp_solve(p->f->ctx, nlp, &options, p->x, out);
}

/* How far the program's positions are from those of the engine's run with what it found. */
static ss_status compare_all(program *p, const double *theta, double *apart)
{
    ss_identify_worker *w = &p->f->workers[0];
    *apart                = 0;
    for (int32_t t = 0; t < p->f->p->trial_count; t++) {
        const ss_track *k      = &p->tracks[t];
        ss_status       status = ss_identify_simulate(w, t, theta);
        if (status != SS_OK) {
            return ss_fail(p->f->ctx, status, "%s", ss_context_message(w->ctx));
        }
        if (w->count != k->steps + 1) {
            *apart = INFINITY; /* steps that were cut: it is no run of this scheme */
            return SS_OK;
        }
        for (int32_t i = 0; i < k->steps * k->particle_count; i++) {
            int32_t step = 1 + i / k->particle_count, a = i % k->particle_count;
            int32_t b = k->particles[a].recorded;
            if (b >= 0) {
                ss_vec3 at = w->states[(ptrdiff_t)step * p->f->p->body_count + b].position;
                double  dx = at.x - value_at(p, k, step, a, 0);
                double  dy = at.y - value_at(p, k, step, a, 1);
                *apart     = fmax(*apart, ss_hypot(dx, dy) / p->f->p->trials[t].extent);
            }
        }
    }
    return SS_OK;
}

static ss_status solve(program *p, double *theta, ss_mpec_result *out)
{
    SS_TRY(lay_out(p, theta));
    SS_TRY(allocate(p));
    write_rows(p);
    SS_TRY(write_pattern(p));
    SS_TRY(guess(p, theta));
    ss_nlp nlp     = {.n              = p->n,
                      .m              = p->m,
                      .x_low          = p->x_low,
                      .x_high         = p->x_high,
                      .g_low          = p->right,
                      .g_high         = p->right,
                      .jacobian_count = p->term_count + p->bilinear,
                      .jacobian_row   = p->jrow,
                      .jacobian_col   = p->jcol,
                      .hessian_count  = p->noises + p->bilinear,
                      .hessian_row    = p->hrow,
                      .hessian_col    = p->hcol,
                      .objective      = objective,
                      .gradient       = gradient,
                      .constraints    = constraints,
                      .jacobian       = jacobian,
                      .hessian        = hessian,
                      .user           = p,
                      .pair_count     = p->pairs,
                      .pairs          = (const int32_t(*)[2])p->pair,
                      .pair_scale     = p->pair_scale};
    out->variables = p->n - p->pairs;
    SS_TRY(solve_from_run(p, &nlp, theta, &out->nlp));
    memcpy(theta, p->x, (size_t)p->f->p->parameter_count * sizeof *theta);
    return compare_all(p, theta, &out->apart);
}

ss_status ss_mpec_search(ss_fitter *f, double *theta, ss_mpec_result *out)
{
    program   p      = {.f = f, .pool = {.ctx = f->ctx}};
    ss_status status = solve(&p, theta, out);
    ss_free(f->ctx, p.terms, (size_t)p.term_room * sizeof *p.terms);
    ss_pool_free(&p.pool);
    return status;
}
