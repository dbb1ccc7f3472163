/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics over the trials of a candidate: what objective and constraints are made of. */
#include "study/design_parts.h"

#include <math.h>
#include <stdlib.h>

static ss_status measure_of(const ss_design *d, const double *args, int32_t count, int32_t wanted,
                            int32_t *out)
{
    double m = count > 0 ? args[0] : -1;
    if (count != wanted || !(m >= 0) || m >= d->study->measure_count || m != floor(m)) {
        return ss_fail(d->ctx, SS_ERR_INPUT, "it takes the name of a measure%s",
                       wanted == 2 ? " and a number" : "");
    }
    *out = (int32_t)m;
    return SS_OK;
}

static ss_status estimate(ss_design *d, const double *args, int32_t count, ss_estimate *e)
{
    int32_t m = 0;
    SS_TRY(measure_of(d, args, count, 1, &m));
    *e = ss_trials_estimate(d->trials, m, -1);
    return SS_OK;
}

#define STATISTIC(name, field)                                                                     \
    static ss_status name(void *user, const double *args, int32_t count, double *out, bool *truth) \
    {                                                                                              \
        ss_estimate e;                                                                             \
        (void)truth;                                                                               \
        SS_TRY(estimate(user, args, count, &e));                                                   \
        *out = e.field;                                                                            \
        return SS_OK;                                                                              \
    }
STATISTIC(fn_mean, mean)
STATISTIC(fn_low, low)
STATISTIC(fn_high, high)
STATISTIC(fn_least, least)
STATISTIC(fn_most, most)
STATISTIC(fn_deviation, deviation)

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between neighbours in order: the definition that most programs take (type 7). */
static ss_status fn_quantile(void *user, const double *args, int32_t count, double *out,
                             bool *truth)
{
    ss_design *d = user;
    int32_t    m = 0, n = 0;
    (void)truth;
    SS_TRY(measure_of(d, args, count, 2, &m));
    double *x = ss_alloc(d->ctx, (size_t)d->trials->count, sizeof *x);
    if (x == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (int64_t i = 0; i < d->trials->count; i++) {
        double value = d->trials->measures[i * d->study->measure_count + m];
        if (!isnan(value)) {
            x[n++] = value;
        }
    }
    qsort(x, (size_t)n, sizeof *x, ascending);
    double at = fmin(fmax(args[1], 0), 1) * (n - 1);
    *out      = n == 0 ? NAN : x[(int32_t)at];
    if (n > 0 && (int32_t)at + 1 < n) {
        *out += (at - floor(at)) * (x[(int32_t)at + 1] - x[(int32_t)at]);
    }
    ss_free(d->ctx, x, (size_t)d->trials->count * sizeof *x);
    return SS_OK;
}

static ss_status fn_failed(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_design *d = user;
    (void)args, (void)truth;
    *out = (double)d->trials->of_status[SS_TRIAL_FAILED] / (double)d->trials->count;
    return count == 0 ? SS_OK : ss_fail(d->ctx, SS_ERR_INPUT, "it takes no arguments");
}

typedef struct statistic {
    const char *name;
    ss_expr_fn  fn;
    const char *form, *doc;
} statistic;

static const statistic statistics[] = {
    {"mean", fn_mean, "mean(M), probability(M)", "over all trials of the candidate"},
    {"probability", fn_mean, NULL, NULL},
    {"low", fn_low, "low(M), high(M)",
     "ends of the 95 % interval of the mean or probability: \"surely at least\", \"surely at "
     "most\""},
    {"high", fn_high, NULL, NULL},
    {"least", fn_least, "least(M), most(M)", "the worst case, whichever it is"},
    {"most", fn_most, NULL, NULL},
    {"quantile", fn_quantile, "quantile(M, 0.9)", "nine of ten trials lie below it"},
    {"deviation", fn_deviation, "deviation(M)", "standard deviation"},
    {"failed", fn_failed, "failed()", "share of trials that failed"},
};
ss_status ss_design_add_statistics(ss_design *d)
{
    enum { COUNT = (int)(sizeof statistics / sizeof statistics[0]) };
    ss_expr_function *functions = ss_pool_alloc(&d->pool, COUNT, sizeof *functions);
    if (functions == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    SS_TRY(ss_expr_env_create(d->ctx, &d->env));
    for (int i = 0; i < COUNT; i++) {
        functions[i] =
            (ss_expr_function){.name = statistics[i].name, .fn = statistics[i].fn, .user = d};
        SS_TRY(ss_expr_set_function(d->env, &functions[i]));
    }
    for (int32_t i = 0; i < d->study->measure_count; i++) {
        /* names that are no words cannot be used in expressions, which is no mistake yet */
        (void)ss_expr_set_param(d->env, d->study->measures[i].name, i);
    }
    return SS_OK;
}

void ss_design_statistics_reference(void (*write)(void *user, const char *text), void *user)
{
    char line[512];
    for (size_t i = 0; i < sizeof statistics / sizeof statistics[0]; i++) {
        if (statistics[i].form != NULL) {
            snprintf(line, sizeof line, "| `%s` | %s |\n", statistics[i].form, statistics[i].doc);
            write(user, line);
        }
    }
}
