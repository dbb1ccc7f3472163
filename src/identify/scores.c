/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scores of recordings: with the values found from all of them, and (cross-validation) with those
 * found from the others. The bootstrap over recordings draws as many as there are, with
 * replacement, and searches anew; its quantiles tell how the estimate would vary had other
 * recordings been made, whatever the residuals within one recording have to do with each other
 * (Efron, Tibshirani, "An introduction to the bootstrap", 1993).
 */
#include "identify/scores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "identify/tolerances.h"
#include "study/philox.h"

static ss_status no_memory(const ss_fitter *f)
{
    return ss_fail(f->ctx, SS_ERR_MEMORY, "out of memory");
}

/* Sums over the samples of a recording. */
typedef struct sums {
    double  position, angle;
    int32_t positions, angles;
} sums;

static void add_sample(const ss_identify *p, const double *r, const double *y, sums *s)
{
    for (int32_t c = 0; c < p->column_count; c++) {
        ss_quantity  q    = p->columns[c].quantity;
        ss_unit_kind u    = ss_quantity_unit(q);
        bool         turn = u == SS_UNIT_ANGLE || (q > SS_Q_QW && q <= SS_Q_QZ);
        if (isnan(y[c])) {
            continue;
        }
        if (u == SS_UNIT_LENGTH) {
            double x = r[c] * p->sigma[SS_UNIT_LENGTH];
            s->position += x * x;
            s->positions += q == SS_Q_X || s->positions == 0;
        } else if (turn) {
            double x = r[c] * p->sigma[SS_UNIT_ANGLE];
            s->angle += x * x;
            s->angles += q == SS_Q_ANGLE || q == SS_Q_QX;
        }
    }
}

/* Distance between the last positions measured and predicted. */
static double end_distance(const ss_identify *p, const ss_recorded *rec, const double *out)
{
    double square = 0;
    bool   any    = false;
    for (int32_t c = 0; c < p->column_count; c++) {
        for (int32_t i = rec->count - 1; i >= 0; i--) {
            ptrdiff_t at = (ptrdiff_t)i * p->column_count + c;
            if (ss_quantity_unit(p->columns[c].quantity) == SS_UNIT_LENGTH && !isnan(rec->y[at])) {
                square += (rec->y[at] - out[at]) * (rec->y[at] - out[at]);
                any = true;
                break;
            }
        }
    }
    return any ? sqrt(square) : NAN;
}

static void add_memory(const ss_identify *p, const ss_recorded *rec, const double *r,
                       double memory[2])
{
    for (int32_t i = 1; memory != NULL && i < rec->count; i++) {
        for (int32_t c = 0; c < p->column_count; c++) {
            const double *now = r + (ptrdiff_t)i * p->column_count + c;
            memory[0] += now[0] * now[-p->column_count];
            memory[1] += now[0] * now[0];
        }
    }
}

/* Samples count for as many positions as there are recorded axes: the mean is over samples. */
static ss_score score_of(const ss_identify *p, const ss_recorded *rec, const double *r,
                         const double *out, double after)
{
    sums    s       = {0};
    int32_t samples = 0;
    for (int32_t i = 0; i < rec->count; i++) {
        ptrdiff_t at = (ptrdiff_t)i * p->column_count;
        if (rec->t[i] > after || after <= 0) {
            sums one = {0};
            add_sample(p, r + at, rec->y + at, &one);
            s.position += one.position;
            s.angle += one.angle;
            s.positions += one.positions > 0;
            s.angles += one.angles > 0;
            samples++;
        }
    }
    return (ss_score){s.positions > 0 ? sqrt(s.position / s.positions) : NAN,
                      s.angles > 0 ? sqrt(s.angle / s.angles) : NAN,
                      samples > 0 ? end_distance(p, rec, out) : NAN};
}

/* The largest residual of a position, m. */
static double worst_position(const ss_identify *p, const ss_recorded *rec, const double *out)
{
    double worst = 0;
    for (ptrdiff_t at = 0; at < (ptrdiff_t)rec->count * p->column_count; at++) {
        ss_quantity q = p->columns[at % p->column_count].quantity;
        if (ss_quantity_unit(q) == SS_UNIT_LENGTH && !isnan(rec->y[at])) {
            worst = fmax(worst, fabs(rec->y[at] - out[at]));
        }
    }
    return worst;
}

ss_status ss_keeps_bound(ss_fitter *f, const double *theta, bool *keeps)
{
    const ss_identify  *p = f->p;
    ss_identify_worker *w = &f->workers[0];
    *keeps                = true;
    for (int32_t k = 0; *keeps && p->bound > 0 && k < p->trial_count; k++) {
        const ss_recorded *rec   = &p->trials[k];
        size_t             cells = (size_t)rec->count * (size_t)p->column_count;
        size_t             room  = 2 * cells + 1;
        double            *work  = ss_alloc(f->ctx, room, sizeof *work);
        if (work == NULL) {
            return no_memory(f);
        }
        w->until         = INFINITY;
        ss_status status = ss_identify_predict(w, k, theta, work, work + cells);
        f->runs++;
        *keeps = status == SS_OK && worst_position(p, rec, work) <= p->bound;
        ss_free(f->ctx, work, room * sizeof *work);
    }
    return SS_OK;
}

ss_status ss_score_trial(ss_fitter *f, int32_t trial, const double *theta, double after,
                         ss_score *out, double memory[2])
{
    const ss_identify  *p     = f->p;
    const ss_recorded  *rec   = &p->trials[trial];
    ss_identify_worker *w     = &f->workers[0];
    size_t              cells = (size_t)rec->count * (size_t)p->column_count;
    size_t              room  = 2 * cells + 1;
    double             *work  = ss_alloc(f->ctx, room, sizeof *work);
    if (work == NULL) {
        return no_memory(f);
    }
    double *predicted = work, *r = work + cells;
    *out             = (ss_score){NAN, NAN, NAN};
    w->until         = INFINITY;
    ss_status status = ss_identify_predict(w, trial, theta, predicted, r);
    f->runs++;
    if (status == SS_OK) {
        *out = score_of(p, rec, r, predicted, after);
        add_memory(p, rec, r, memory);
    }
    ss_free(f->ctx, work, room * sizeof *work);
    return status == SS_OK ? SS_OK : ss_fail(f->ctx, status, "%s", ss_context_message(w->ctx));
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- outliers ---- */

static int32_t residual_count(const ss_identify *p)
{
    int32_t rows = 0;
    for (int32_t k = 0; k < p->trial_count; k++) {
        rows += p->trials[k].count * p->column_count;
    }
    return rows;
}

/* Sizes of all residuals that are measured, in r; *many of them. */
static ss_status gather(ss_fitter *f, const double *theta, double *predicted, double *r,
                        int32_t *many)
{
    const ss_identify *p = f->p;
    f->workers[0].until  = INFINITY;
    *many                = 0;
    for (int32_t k = 0; k < p->trial_count; k++) {
        double *mine = r + *many;
        int32_t rows = p->trials[k].count * p->column_count, kept = 0;
        SS_TRY(ss_identify_predict(&f->workers[0], k, theta, predicted, mine));
        for (int32_t i = 0; i < rows; i++) {
            if (!isnan(p->trials[k].y[i]) && p->columns[i % p->column_count].quantity != SS_Q_QW) {
                mine[kept++] = fabs(mine[i]);
            }
        }
        *many += kept;
        f->runs++;
    }
    return SS_OK;
}

/* Where the worst stands. */
static ss_status locate(ss_fitter *f, const double *theta, double *predicted, double *r,
                        double size, ss_outliers *out)
{
    const ss_identify *p = f->p;
    for (int32_t k = 0; k < p->trial_count; k++) {
        SS_TRY(ss_identify_predict(&f->workers[0], k, theta, predicted, r));
        for (int32_t i = 0; i < p->trials[k].count * p->column_count; i++) {
            if (fabs(r[i]) >= size) {
                out->trial  = k;
                out->column = i % p->column_count;
                out->t      = p->trials[k].t[i / p->column_count];
            }
        }
    }
    return SS_OK;
}

/* Most lie within a spread that the median tells, 1.4826 times it for normal noise. */
ss_status ss_find_outliers(ss_fitter *f, const double *theta, ss_outliers *out)
{
    size_t    rows   = (size_t)residual_count(f->p);
    ss_pool   pool   = {.ctx = f->ctx};
    double   *r      = ss_pool_alloc(&pool, 3 * rows + 1, sizeof *r);
    int32_t   many   = 0;
    ss_status status = r != NULL ? gather(f, theta, r + 2 * rows, r, &many) : no_memory(f);
    *out             = (ss_outliers){.of = many};
    if (status == SS_OK && many > 0) {
        qsort(r, (size_t)many, sizeof *r, ascending);
        double spread = fmax(SS_NORMAL_MEDIAN * r[many / 2], SS_NOISE_LEAST);
        for (int32_t i = many - 1; i >= 0 && r[i] > SS_OUTLIER * spread; i--) {
            out->count++;
        }
        out->times = r[many - 1] / spread;
        status =
            out->count > 0 ? locate(f, theta, r + 2 * rows, r + rows, r[many - 1], out) : SS_OK;
    }
    ss_pool_free(&pool);
    return status;
}

/* ---- folds ---- */

static ss_status leave_out(ss_fitter *f, int32_t fold, double *theta, double *weight, bool *fixed,
                           ss_score *out)
{
    const ss_identify *p = f->p;
    ss_squares_result  result;
    for (int32_t k = 0; k < p->trial_count; k++) {
        weight[k] = p->trials[k].fold != fold;
    }
    ss_fit others = {.weight = weight, .until = INFINITY, .iterations = p->search.iterations};
    SS_TRY(ss_fit_minimise(f, &others, theta, NULL, &result));
    for (int32_t i = 0; i < p->parameter_count; i++) {
        int32_t k = p->parameters[i].trial;
        fixed[i]  = !p->parameters[i].nuisance || k < 0 || p->trials[k].fold != fold;
        theta[i]  = fixed[i] ? theta[i] : p->parameters[i].start; /* not from what was seen */
    }
    for (int32_t k = 0; k < p->trial_count; k++) {
        weight[k] = p->trials[k].fold == fold;
    }
    ss_fit own = {.weight     = weight,
                  .fixed      = fixed,
                  .until      = p->known > 0 ? p->known : INFINITY,
                  .iterations = p->search.iterations};
    SS_TRY(ss_fit_minimise(f, &own, theta, NULL, &result));
    for (int32_t k = 0; k < p->trial_count; k++) {
        if (p->trials[k].fold == fold) {
            SS_TRY(ss_score_trial(f, k, theta, p->known, &out[k], NULL));
        }
    }
    return SS_OK;
}

ss_status ss_score_unseen(ss_fitter *f, const double *theta, ss_score *out)
{
    size_t    n = (size_t)f->p->parameter_count, k = (size_t)f->p->trial_count;
    ss_pool   pool   = {.ctx = f->ctx};
    double   *mine   = ss_pool_alloc(&pool, n + 1, sizeof *mine);
    double   *weight = ss_pool_alloc(&pool, k + 1, sizeof *weight);
    bool     *fixed  = ss_pool_alloc(&pool, n + 1, sizeof *fixed);
    ss_status status = mine != NULL && weight != NULL && fixed != NULL ? SS_OK : no_memory(f);
    for (int32_t fold = 0; status == SS_OK && fold < f->p->folds; fold++) {
        memcpy(mine, theta, n * sizeof *mine);
        status = leave_out(f, fold, mine, weight, fixed, out);
    }
    ss_pool_free(&pool);
    return status;
}

/* ---- the bootstrap ---- */

static double quantile(double *sorted, int32_t count, double p)
{
    double  at = p * (count - 1);
    int32_t i  = (int32_t)floor(at);
    return i + 1 < count ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[count - 1];
}

static void draw_weights(const ss_identify *p, int32_t round, double *weight)
{
    memset(weight, 0, (size_t)p->trial_count * sizeof *weight);
    for (int32_t k = 0; k < p->trial_count; k++) {
        double u[2];
        ss_philox_uniform(p->study->seed, (uint64_t)round + 1, ss_philox_name("bootstrap"),
                          (uint32_t)k, u);
        weight[(int32_t)(u[0] * p->trial_count)] += 1;
    }
}

static ss_status draw_all(ss_fitter *f, const double *theta, double *mine, double *weight,
                          double *values)
{
    const ss_identify *p = f->p;
    for (int32_t round = 0; round < p->confidence.bootstrap; round++) {
        ss_squares_result result;
        ss_fit fit = {.weight = weight, .until = INFINITY, .iterations = p->search.iterations};
        draw_weights(p, round, weight);
        memcpy(mine, theta, (size_t)p->parameter_count * sizeof *mine);
        SS_TRY(ss_fit_minimise(f, &fit, mine, NULL, &result));
        for (int32_t i = 0; i < p->parameter_count; i++) {
            values[(ptrdiff_t)i * p->confidence.bootstrap + round] = mine[i];
        }
    }
    return SS_OK;
}

static void count_bins(const double *sorted, int32_t count, ss_certainty *c)
{
    c->bootstrap_least = sorted[0];
    c->bootstrap_most  = sorted[count - 1];
    double width       = c->bootstrap_most - c->bootstrap_least;
    for (int32_t i = 0; i < count; i++) {
        double  share = width > 0 ? (sorted[i] - c->bootstrap_least) / width : 0;
        int32_t bin   = (int32_t)(share * SS_BOOTSTRAP_BINS);
        c->bins[bin < SS_BOOTSTRAP_BINS ? bin : SS_BOOTSTRAP_BINS - 1]++;
    }
}

ss_status ss_bootstrap(ss_fitter *f, const double *theta, ss_certainty *out)
{
    const ss_identify *p = f->p;
    size_t             n = (size_t)p->parameter_count, b = (size_t)p->confidence.bootstrap;
    ss_pool            pool   = {.ctx = f->ctx};
    double            *mine   = ss_pool_alloc(&pool, n + 1, sizeof *mine);
    double            *weight = ss_pool_alloc(&pool, (size_t)p->trial_count, sizeof *weight);
    double            *values = ss_pool_alloc(&pool, n * b + 1, sizeof *values);
    ss_status          status = mine != NULL && weight != NULL && values != NULL
                                    ? draw_all(f, theta, mine, weight, values)
                                    : no_memory(f);
    double             tail   = (1 - p->confidence.level) / 2;
    for (int32_t i = 0; status == SS_OK && i < p->parameter_count; i++) {
        double *mine_values = values + (size_t)i * b;
        if (p->parameters[i].trial < 0) { /* of a recording that was not drawn nothing is known */
            qsort(mine_values, b, sizeof *mine_values, ascending);
            out[i].bootstrap_low  = quantile(mine_values, (int32_t)b, tail);
            out[i].bootstrap_high = quantile(mine_values, (int32_t)b, 1 - tail);
            count_bins(mine_values, (int32_t)b, &out[i]);
        }
    }
    ss_pool_free(&pool);
    return status;
}
