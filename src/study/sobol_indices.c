/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sobol' indices of a study with `sampling: saltelli`. With w random variables a cell consists of
 * rows of w + 2 trials: one with all values from a first sample (A), one with all from a second,
 * independent one (B), and one for each variable i with its value from B and the others from A
 * (A_B^i). With f the measure and V its variance,
 *
 *   S_i = V[E(f | x_i)] / V   = 1 - mean (f_B - f_ABi)^2 / 2V     what x_i explains alone,
 *   T_i = E[V(f | x_~i)] / V  =     mean (f_A - f_ABi)^2 / 2V     what is lost without it
 *
 * (Jansen 1999; Saltelli et al. 2010). V is the variance within cells, from A and B, so that grids
 * and lists do not count as chance. Both are ratios of means over rows, R = mean t / mean v; by the
 * delta method the variance of R is mean (t - R v)^2 / (n (mean v)^2), from which the intervals.
 */
#include <math.h>

#include "study/trials.h"

static const double z95 = 1.9599639845400545;

int32_t ss_study_sensitivity_count(const ss_study *s)
{
    return s != NULL && s->sampling == SS_SAMPLING_SALTELLI ? s->random_count : 0;
}

const char *ss_study_sensitivity_name(const ss_study *s, int32_t variable)
{
    for (int32_t i = 0; s != NULL && i < s->variable_count; i++) {
        if (s->variables[i].random == variable && variable >= 0) {
            return s->variables[i].path;
        }
    }
    return NULL;
}

typedef struct row {
    double a, b, mixed; /* f of A, B, A_B^i */
} row;

/* False: one of its trials has no value. */
static bool row_at(const ss_trials *t, int32_t measure, int32_t variable, int64_t first, row *out)
{
    const ss_study *s     = t->study;
    const int64_t   of[3] = {first, first + 1, first + 2 + variable};
    double         *to[3] = {&out->a, &out->b, &out->mixed};
    for (int k = 0; k < 3; k++) {
        *to[k] = t->measures[of[k] * s->measure_count + measure];
        if (t->rows[of[k]].status == SS_TRIAL_PENDING || isnan(*to[k])) {
            return false;
        }
    }
    return true;
}

/* Sums over rows of v, of t for both indices, and of the products that their variances need. */
typedef struct sums {
    int64_t n;
    double  v, t[2], vv, tv[2], tt[2];
} sums;

static void add_row(sums *x, const row *r, double mean, double correction)
{
    double alone = r->b - r->mixed, without = r->a - r->mixed;
    double t[2] = {0.5 * alone * alone, 0.5 * without * without};
    double a = r->a - mean, b = r->b - mean, v = 0.5 * correction * (a * a + b * b);
    x->n++;
    x->v += v;
    x->vv += v * v;
    for (int k = 0; k < 2; k++) {
        x->t[k] += t[k];
        x->tv[k] += t[k] * v;
        x->tt[k] += t[k] * t[k];
    }
}

static void add_cell(sums *x, const ss_trials *t, int32_t measure, int32_t variable, int64_t cell)
{
    int64_t size = t->study->random_count + 2, first = cell * t->study->trials, n = 0;
    double  mean = 0;
    row     r;
    for (int64_t i = 0; i + size <= t->study->trials; i += size) {
        if (row_at(t, measure, variable, first + i, &r)) {
            mean += r.a + r.b;
            n += 2;
        }
    }
    if (n < 4) {
        return; /* one row has no variance to be compared with */
    }
    mean /= (double)n;
    for (int64_t i = 0; i + size <= t->study->trials; i += size) {
        if (row_at(t, measure, variable, first + i, &r)) {
            add_row(x, &r, mean, (double)n / (double)(n - 1));
        }
    }
}

/* The ratio with its interval: t over v. */
static void ratio(const sums *x, int which, double *value, double *half)
{
    double r = x->t[which] / x->v, n = (double)x->n;
    double square = x->tt[which] - 2 * r * x->tv[which] + r * r * x->vv;
    *value        = r;
    *half         = z95 * sqrt(fmax(square, 0) * n / (n - 1)) / x->v;
}

bool ss_trials_sensitivity(const ss_trials *t, int32_t measure, int32_t variable,
                           ss_sensitivity *out)
{
    sums   x = {0};
    double share, half;
    if (t == NULL || measure < 0 || measure >= t->study->measure_count || variable < 0 ||
        variable >= ss_study_sensitivity_count(t->study)) {
        return false;
    }
    for (int64_t cell = 0; cell < t->study->cells; cell++) {
        add_cell(&x, t, measure, variable, cell);
    }
    if (x.n < 2 || !(x.v > 0)) {
        return false;
    }
    out->rows = x.n;
    ratio(&x, 0, &share, &half);
    out->first      = 1 - share;
    out->first_low  = out->first - half;
    out->first_high = out->first + half;
    ratio(&x, 1, &out->total, &half);
    out->total_low  = out->total - half;
    out->total_high = out->total + half;
    return true;
}
