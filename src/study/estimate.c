/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates with intervals that hold the true value in 95 of 100 studies.
 *
 * A probability from k successes in n trials: Wilson's interval (J. Amer. Stat. Assoc. 22, 1927)
 *     (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n),  p = k/n, z = 1.959964.
 * A mean: m +- t s / sqrt(n), t of Student with n - 1 degrees of freedom.
 */
#include <math.h>

#include "study/quantile.h"
#include "study/trials.h"

static const double z95 = 1.9599639845400545;

static void wilson(ss_estimate *e)
{
    double n = (double)e->count, p = e->mean, z2 = z95 * z95;
    double middle = p + z2 / (2 * n), half = z95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
    e->low  = p > 0 ? fmax(0, (middle - half) / (1 + z2 / n)) : 0;
    e->high = p < 1 ? fmin(1, (middle + half) / (1 + z2 / n)) : 1;
}

ss_estimate ss_estimate_share(int64_t good, int64_t count)
{
    ss_estimate e = {.count = count, .mean = NAN, .low = 0, .high = 1};
    if (count > 0) {
        e.mean      = (double)good / (double)count;
        e.deviation = sqrt(e.mean * (1 - e.mean));
        e.least     = good == count;
        e.most      = good > 0;
        wilson(&e);
    }
    return e;
}

/* Two passes: the mean first, so that no digits are lost in the deviations. */
static void sum_up(const ss_trials *t, int32_t measure, int64_t first, int64_t last, ss_estimate *e)
{
    double sum = 0, squares = 0;
    for (int64_t i = first; i < last; i++) {
        double x = t->measures[i * t->study->measure_count + measure];
        if (t->rows[i].status == SS_TRIAL_PENDING || isnan(x)) {
            continue;
        }
        e->least = e->count == 0 ? x : fmin(e->least, x);
        e->most  = e->count == 0 ? x : fmax(e->most, x);
        e->count++;
        sum += x;
    }
    e->mean = sum / (double)e->count;
    for (int64_t i = first; i < last; i++) {
        double x = t->measures[i * t->study->measure_count + measure];
        if (t->rows[i].status != SS_TRIAL_PENDING && !isnan(x)) {
            squares += (x - e->mean) * (x - e->mean);
        }
    }
    e->deviation = e->count > 1 ? sqrt(squares / (double)(e->count - 1)) : 0;
}

ss_estimate ss_trials_estimate(const ss_trials *t, int32_t measure, int64_t cell)
{
    ss_estimate e = {0, NAN, NAN, NAN, NAN, NAN, NAN};
    if (t == NULL || measure < 0 || measure >= t->study->measure_count || cell >= t->study->cells) {
        return e;
    }
    int64_t n = t->study->trials;
    sum_up(t, measure, cell < 0 ? 0 : cell * n, cell < 0 ? t->count : (cell + 1) * n, &e);
    if (e.count == 0) {
        return (ss_estimate){0, NAN, NAN, NAN, NAN, NAN, NAN};
    }
    if (t->study->measures[measure].truth) {
        wilson(&e);
    } else if (e.count > 1) {
        double half =
            ss_student_quantile(0.975, (double)(e.count - 1)) * e.deviation / sqrt((double)e.count);
        e.low  = e.mean - half;
        e.high = e.mean + half;
    }
    return e;
}
