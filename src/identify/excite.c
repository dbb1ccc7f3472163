/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which experiment would tell most (Atkinson, Donev, "Optimum experimental designs", 1992: Bayesian
 * D-optimality). With sensitivities J of what would be recorded, over the noise, an experiment k
 * has the information
 *
 *   F_k = J_v'J_v - J_v'J_n (J_n'J_n + N^-1)^-1 J_n'J_v        v: values, n: nuisance
 *
 * on the values. Before it they are known as "anything between their bounds", covariance P =
 * diag(width^2/12); after it their covariance is (P^-1 + F)^-1, and what is gained is
 *
 *   1/2 log2 det(1 + P^1/2 F P^1/2)                             bits
 *
 * Both depend on the values themselves (what sticks tells nothing), so that the mean over values
 * that are drawn from their bounds counts: the expected information. Experiments are put into an
 * order: the one that tells most first, then always the one that adds most to those before it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/elementary.h"
#include "identify/fit.h"
#include "identify/tolerances.h"
#include "linalg/dense.h"
#include "study/philox.h"
#include "study/rungs.h"

/* ---- reading ---- */

typedef struct excite_def {
    ss_node *inputs;
    double   rate, duration;
    int32_t  points;
} excite_def;

static ss_status keep_node(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    (void)d;
    *(ss_node **)((char *)target + key->offset) = node;
    return SS_OK;
}

static const ss_key excite_keys[] = {
    SS_KEY_ROW("inputs", SS_KEY_CUSTOM, excite_def, inputs, .decode = keep_node, .required = true),
    SS_KEY_ROW("rate", SS_KEY_REAL, excite_def, rate, SS_POSITIVE, .required = true),
    SS_KEY_ROW("duration", SS_KEY_REAL, excite_def, duration, SS_POSITIVE, .required = true),
    SS_KEY_ROW("points", SS_KEY_INT, excite_def, points, .low = 1, .high = 1e4), SS_KEY_END};

static ss_status make_input(ss_decoder *d, ss_identify *p, const excite_def *def, ss_node *entry,
                            ss_recorded *r)
{
    enum { SAMPLES_MOST = 1000000 };
    ss_rung one   = {0};
    double  count = floor(def->duration * def->rate + SS_ON_STEP) + 1;
    SS_TRY(ss_rung_decode(d, entry, &one));
    if (!(count >= 2 && count <= SAMPLES_MOST)) {
        return ss_decode_fail(d, entry, "%g samples: 2 to %d are needed", count, SAMPLES_MOST);
    }
    for (int32_t k = 0; k + 1 < p->trial_count; k++) {
        if (strcmp(p->trials[k].name, one.name) == 0) {
            return ss_decode_fail(d, entry, "there is another '%s': each needs a name of its own",
                                  one.name);
        }
    }
    *r       = (ss_recorded){.name        = one.name,
                             .node        = entry,
                             .count       = (int32_t)count,
                             .values      = one.values,
                             .value_count = one.count};
    size_t n = (size_t)r->count, columns = (size_t)p->column_count;
    r->t     = ss_pool_alloc(d->pool, n, sizeof *r->t);
    r->y     = ss_pool_alloc(d->pool, n * columns, sizeof *r->y);
    r->start = ss_pool_alloc(d->pool, (size_t)p->body_count + 1, sizeof *r->start);
    if (r->t == NULL || r->y == NULL || r->start == NULL) {
        return ss_decode_no_memory(d);
    }
    for (int32_t i = 0; i < r->count; i++) {
        r->t[i] = i / def->rate;
    }
    return SS_OK;
}

/* What the scene as it stands shows, and where its bodies start. */
static ss_status show_scene(ss_decoder *d, ss_identify *p)
{
    ss_rung            scene  = {.name = "scene"};
    ss_identify_worker w      = {0};
    ss_status          status = SS_OK;
    p->models                 = &scene;
    p->model_count            = 1;
    for (int u = 0; u < SS_UNIT_NONE; u++) {
        p->sigma[u] = 1;
    }
    SS_TRY(ss_identify_worker_start(d->ctx, p, 0, NULL, &w));
    for (int32_t k = 0; status == SS_OK && k < p->trial_count; k++) {
        ss_recorded *r = &p->trials[k];
        double      *residuals =
            ss_pool_alloc(d->pool, (size_t)r->count * (size_t)p->column_count, sizeof *residuals);
        status = residuals != NULL ? ss_identify_predict(&w, k, NULL, r->y, residuals)
                                   : ss_decode_no_memory(d);
        if (status == SS_OK) {
            memcpy(r->start, w.states, (size_t)p->body_count * sizeof *r->start);
            ss_recording_measure(p, r);
        }
    }
    ss_identify_worker_end(&w);
    memset(p->sigma, 0, sizeof p->sigma);
    p->models = NULL;
    return status;
}

ss_status ss_inputs_read(ss_decoder *d, ss_identify *p, ss_node *node)
{
    excite_def def = {.points = 16};
    if (node == NULL) {
        return ss_fail(d->ctx, SS_ERR_INPUT, "%s: `excite` is missing: which experiments?",
                       p->study->path);
    }
    SS_TRY(ss_decode_expect(d, "excite", node, SS_NODE_MAP));
    SS_TRY(ss_decode_map(d, excite_keys, node, &def));
    SS_TRY(ss_decode_expect(d, "inputs", def.inputs, SS_NODE_LIST));
    if (def.inputs->count == 0) {
        return ss_decode_fail(d, def.inputs, "inputs: there is none");
    }
    p->points = def.points;
    p->trials = ss_pool_alloc(d->pool, (size_t)def.inputs->count, sizeof *p->trials);
    if (p->trials == NULL) {
        return ss_decode_no_memory(d);
    }
    for (ss_node *entry = def.inputs->first; entry != NULL; entry = entry->next) {
        SS_TRY(make_input(d, p, &def, entry, &p->trials[p->trial_count++]));
    }
    return show_scene(d, p);
}

/* ---- information ---- */

struct ss_excitation {
    ss_context  *ctx;
    ss_pool      pool;
    ss_identify *p;
    int32_t      nv, points;
    int32_t     *value;     /* (nv) parameters                          */
    double      *F;         /* (experiments x points x nv x nv) scaled  */
    double      *prior;     /* (nv) deviations, scaled                  */
    double      *deviation; /* (experiments x nv)                       */
    ss_excited  *found;     /* (experiments)                            */
};

static ss_status no_memory(const ss_excitation *e)
{
    return ss_fail(e->ctx, SS_ERR_MEMORY, "out of memory");
}

static double *information(const ss_excitation *e, int32_t input, int32_t point)
{
    return e->F + ((ptrdiff_t)input * e->points + point) * e->nv * e->nv;
}

/* F from J'J (n x n, in scales): the nuisance is eliminated. */
static bool eliminate(const ss_excitation *e, const double *A, double *work, double *F)
{
    enum { SCALES = 1000 };
    const ss_identify *p = e->p;
    int32_t            n = p->parameter_count;
    double            *B = work, *x = work + (ptrdiff_t)n * n; /* (n x n), (n) */
    memcpy(B, A, (size_t)n * (size_t)n * sizeof *B);
    for (int32_t i = 0; i < n; i++) { /* values out, nuisance with what is known of it */
        const ss_parameter *a     = &p->parameters[i];
        double              width = (a->high - a->low) / a->scale / sqrt(12);
        double              wide  = isfinite(width) ? width : SCALES;
        for (int32_t j = 0; !a->nuisance && j < n; j++) {
            B[i + (ptrdiff_t)j * n] = B[j + (ptrdiff_t)i * n] = 0;
        }
        B[i + (ptrdiff_t)i * n] = a->nuisance ? B[i + (ptrdiff_t)i * n] + 1 / (wide * wide) : 1;
    }
    if (!ss_dense_cholesky(n, B, n)) {
        return false;
    }
    for (int32_t b = 0; b < e->nv; b++) {
        for (int32_t i = 0; i < n; i++) {
            x[i] = p->parameters[i].nuisance ? A[i + (ptrdiff_t)e->value[b] * n] : 0;
        }
        ss_dense_cholesky_solve(n, B, n, x);
        for (int32_t a = 0; a < e->nv; a++) {
            double sum = A[e->value[a] + (ptrdiff_t)e->value[b] * n];
            for (int32_t i = 0; i < n; i++) {
                sum -= p->parameters[i].nuisance ? A[e->value[a] + (ptrdiff_t)i * n] * x[i] : 0;
            }
            F[a + (ptrdiff_t)b * e->nv] = sum;
        }
    }
    return true;
}

/* The factor of 1 + P^1/2 F P^1/2 in L; its gain in bits. */
static double gain_of(const ss_excitation *e, const double *F, double *L)
{
    double bits = 0;
    for (int32_t i = 0; i < e->nv; i++) {
        for (int32_t j = 0; j < e->nv; j++) {
            L[i + (ptrdiff_t)j * e->nv] =
                (i == j) + e->prior[i] * e->prior[j] * F[i + (ptrdiff_t)j * e->nv];
        }
    }
    if (!ss_dense_cholesky(e->nv, L, e->nv)) {
        return 0; /* rounding: nothing is told */
    }
    for (int32_t i = 0; i < e->nv; i++) {
        bits += ss_ln(L[i + (ptrdiff_t)i * e->nv]) / ss_ln(2);
    }
    return bits;
}

/* Values of a point: the first are where a search would start. */
static void draw_point(const ss_excitation *e, int32_t point, double *theta)
{
    for (int32_t i = 0; i < e->p->parameter_count; i++) {
        const ss_parameter *a = &e->p->parameters[i];
        double              u[2];
        ss_philox_uniform(e->p->study->seed, (uint64_t)point, ss_philox_name(a->name), 0, u);
        theta[i] = a->nuisance || point == 0 ? a->start : a->low + u[0] * (a->high - a->low);
    }
}

/* What one experiment tells at one point. */
static ss_status look(ss_excitation *e, ss_fitter *f, int32_t input, int32_t point, double *theta,
                      double *weight, double *A)
{
    const ss_identify *p = e->p;
    ss_recorded       *r = &p->trials[input];
    size_t             n = (size_t)p->parameter_count;
    ss_squares_result  result;
    double            *work      = A + n * n;
    double            *residuals = work + n * n + n;
    ss_status          status = ss_identify_predict(&f->workers[0], input, theta, r->y, residuals);
    if (status != SS_OK) {
        e->found[input].failed++;
        return ss_fitter_after(f, 1);
    }
    memset(weight, 0, (size_t)p->trial_count * sizeof *weight);
    weight[input] = 1;
    ss_fit fit    = {.weight = weight, .until = INFINITY, .iterations = 0};
    SS_TRY(ss_fit_minimise(f, &fit, theta, A, &result));
    if (!isfinite(result.cost) || !eliminate(e, A, work, information(e, input, point))) {
        e->found[input].failed++;
    }
    return SS_OK;
}

static ss_status look_at_all(ss_excitation *e, ss_fitter *f)
{
    size_t n = (size_t)e->p->parameter_count, k = (size_t)e->p->trial_count, rows = 0;
    for (int32_t i = 0; i < e->p->trial_count; i++) {
        size_t mine = (size_t)e->p->trials[i].count * (size_t)e->p->column_count;
        rows        = mine > rows ? mine : rows;
    }
    ss_pool   pool   = {.ctx = e->ctx};
    double   *theta  = ss_pool_alloc(&pool, n + k + 2 * n * n + n + rows + 1, sizeof *theta);
    ss_status status = theta != NULL ? SS_OK : no_memory(e);
    for (int32_t i = 0; status == SS_OK && i < e->p->trial_count; i++) {
        for (int32_t j = 0; status == SS_OK && j < e->points; j++) {
            draw_point(e, j, theta);
            status = look(e, f, i, j, theta, theta + n, theta + n + k);
        }
    }
    ss_pool_free(&pool);
    return status;
}

/* ---- what is told ---- */

/* Gains and deviations of each experiment alone. */
static void judge_alone(ss_excitation *e, double *L, double *unit)
{
    int32_t nv = e->nv;
    for (int32_t k = 0; k < e->p->trial_count; k++) {
        for (int32_t j = 0; j < e->points; j++) {
            e->found[k].gain += gain_of(e, information(e, k, j), L) / e->points;
            for (int32_t i = 0; i < nv; i++) {
                memset(unit, 0, (size_t)nv * sizeof *unit);
                unit[i] = 1;
                ss_dense_cholesky_solve(nv, L, nv, unit);
                e->deviation[(ptrdiff_t)k * nv + i] +=
                    unit[i] * e->prior[i] * e->prior[i] / e->points;
            }
        }
        for (int32_t i = 0; i < nv; i++) {
            double *v = &e->deviation[(ptrdiff_t)k * nv + i];
            *v        = sqrt(*v) * e->p->parameters[e->value[i]].scale;
        }
    }
}

/* The gain of `chosen` (points x nv x nv, sums) with one more. */
static double gain_with(const ss_excitation *e, const double *chosen, int32_t input, double *sum,
                        double *L)
{
    double  gain = 0;
    int32_t size = e->nv * e->nv;
    for (int32_t j = 0; j < e->points; j++) {
        const double *F = information(e, input, j);
        for (int32_t i = 0; i < size; i++) {
            sum[i] = chosen[(ptrdiff_t)j * size + i] + F[i];
        }
        gain += gain_of(e, sum, L) / e->points;
    }
    return gain;
}

static void put_in_order(ss_excitation *e, double *chosen, double *sum, double *L)
{
    int32_t size = e->nv * e->nv, count = e->p->trial_count;
    for (int32_t k = 0; k < count; k++) {
        e->found[k].place = -1;
    }
    for (int32_t place = 0; place < count; place++) {
        int32_t best = -1;
        double  most = -INFINITY;
        for (int32_t k = 0; k < count; k++) {
            double gain = e->found[k].place < 0 ? gain_with(e, chosen, k, sum, L) : -INFINITY;
            best        = gain > most ? k : best;
            most        = fmax(most, gain);
        }
        e->found[best].place = place;
        e->found[best].sum   = most;
        for (int32_t i = 0; i < e->points * size; i++) {
            chosen[i] += information(e, best, 0)[i];
        }
    }
}

static ss_status conclude(ss_excitation *e)
{
    size_t  size = (size_t)e->nv * (size_t)e->nv, n = (size_t)e->points * size;
    ss_pool pool = {.ctx = e->ctx};
    double *work = ss_pool_alloc(&pool, n + 2 * size + (size_t)e->nv + 1, sizeof *work);
    if (work == NULL) {
        return no_memory(e);
    }
    judge_alone(e, work + n, work + n + 2 * size);
    put_in_order(e, work, work + n + size, work + n);
    ss_pool_free(&pool);
    return SS_OK;
}

static ss_status allocate(ss_excitation *e)
{
    const ss_identify *p = e->p;
    size_t             n = (size_t)p->parameter_count + 1, k = (size_t)p->trial_count;
    e->points = p->points;
    e->value  = ss_pool_alloc(&e->pool, n, sizeof *e->value);
    e->prior  = ss_pool_alloc(&e->pool, n, sizeof *e->prior);
    e->found  = ss_pool_alloc(&e->pool, k, sizeof *e->found);
    if (e->value == NULL || e->prior == NULL || e->found == NULL) {
        return no_memory(e);
    }
    for (int32_t i = 0; i < p->parameter_count; i++) {
        const ss_parameter *a = &p->parameters[i];
        if (!a->nuisance) {
            e->prior[e->nv]   = (a->high - a->low) / a->scale / sqrt(12);
            e->value[e->nv++] = i;
        }
    }
    for (int32_t i = 0; i < p->trial_count; i++) {
        e->found[i].name = p->trials[i].name;
    }
    size_t nv    = (size_t)e->nv;
    e->F         = ss_pool_alloc(&e->pool, k * (size_t)e->points * nv * nv + 1, sizeof *e->F);
    e->deviation = ss_pool_alloc(&e->pool, k * nv + 1, sizeof *e->deviation);
    return e->F != NULL && e->deviation != NULL ? SS_OK : no_memory(e);
}

static ss_status excite(ss_excitation *e, const ss_study *s, const ss_identify_def *def)
{
    ss_fitter f;
    SS_TRY(ss_identify_read(e->ctx, s, true, &e->p));
    if (!e->p->sigma_told || e->p->loss != SS_LOSS_PATH) {
        return ss_fail(
            e->ctx, SS_ERR_INPUT,
            "%s: what an experiment tells depends on its noise: `noise` must say it, and "
            "paths are compared",
            s->path);
    }
    SS_TRY(allocate(e));
    ss_status status = ss_fitter_start(e->ctx, e->p, 0, def, &f);
    f.doing          = "experiments";
    if (status == SS_OK) {
        status = look_at_all(e, &f);
    }
    ss_fitter_end(&f);
    return status == SS_OK ? conclude(e) : status;
}

ss_status ss_study_excite(ss_context *ctx, const ss_study *s, const ss_identify_def *def,
                          ss_excitation **out)
{
    static const ss_identify_def nothing = {0};
    if (ctx == NULL || s == NULL || out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "experiments need a context and a study");
    }
    *out = NULL;
    if (s->kind != SS_STUDY_IDENTIFY) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: the study is no `identify`", s->path);
    }
    ss_excitation *e = ss_alloc(ctx, 1, sizeof *e);
    if (e == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    e->ctx           = ctx;
    e->pool.ctx      = ctx;
    ss_status status = excite(e, s, def != NULL ? def : &nothing);
    if (status != SS_OK) {
        ss_excitation_destroy(e);
        return status;
    }
    *out = e;
    return SS_OK;
}

void ss_excitation_destroy(ss_excitation *e)
{
    if (e != NULL) {
        ss_context *ctx = e->ctx;
        ss_identify_free(e->p);
        ss_pool_free(&e->pool);
        ss_free(ctx, e, sizeof *e);
    }
}

int32_t ss_excitation_count(const ss_excitation *e)
{
    return e != NULL ? e->p->trial_count : 0;
}

bool ss_excitation_get(const ss_excitation *e, int32_t i, ss_excited *out)
{
    if (out == NULL || i < 0 || i >= ss_excitation_count(e)) {
        return false;
    }
    *out = e->found[i];
    return true;
}

const char *ss_excitation_value(const ss_excitation *e, int32_t value)
{
    return e != NULL && value >= 0 && value < e->nv ? e->p->parameters[e->value[value]].name : NULL;
}

double ss_excitation_deviation(const ss_excitation *e, int32_t i, int32_t value, bool *told)
{
    *told = false;
    if (i < 0 || i >= ss_excitation_count(e) || ss_excitation_value(e, value) == NULL) {
        return NAN;
    }
    double              found = e->deviation[(ptrdiff_t)i * e->nv + value];
    const ss_parameter *a     = &e->p->parameters[e->value[value]];
    *told                     = found < SS_SPREAD_UNKNOWN * (a->high - a->low) / sqrt(12);
    return found;
}
