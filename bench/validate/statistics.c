/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10000, RESAMPLES = 2000 };

double mean_of(const double *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += x[i];
    }
    return count > 0 ? sum / count : NAN;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median_of(const double *x, int count)
{
    double *sorted = malloc((size_t)(count + 1) * sizeof *sorted);
    if (sorted == NULL || count == 0) {
        free(sorted);
        return NAN;
    }
    memcpy(sorted, x, (size_t)count * sizeof *x);
    qsort(sorted, (size_t)count, sizeof *sorted, by_size);
    double middle = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    free(sorted);
    return middle;
}

/* splitmix64: the same numbers on every machine */
static uint64_t next(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z          = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z          = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void bootstrap(const double *x, int count, double *low, double *high)
{
    static double means[RESAMPLES];
    uint64_t      seed = 1;
    for (int k = 0; k < RESAMPLES; k++) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += x[next(&seed) % (uint64_t)count];
        }
        means[k] = sum / count;
    }
    qsort(means, RESAMPLES, sizeof *means, by_size);
    *low  = means[RESAMPLES / 40];
    *high = means[RESAMPLES - 1 - RESAMPLES / 40];
}

push_score score_of(const push_error *e, int count)
{
    static double mm[MOST], deg[MOST], combined[MOST];
    push_score    s      = {.count = count < MOST ? count : MOST};
    double        motion = 0;
    for (int i = 0; i < s.count; i++) {
        mm[i]       = e[i].mm;
        deg[i]      = e[i].deg;
        combined[i] = e[i].combined;
        motion += e[i].motion;
        s.gross += e[i].combined > e[i].motion;
    }
    s.mean_mm    = mean_of(mm, s.count);
    s.median_mm  = median_of(mm, s.count);
    s.mean_deg   = mean_of(deg, s.count);
    s.median_deg = median_of(deg, s.count);
    s.combined   = mean_of(combined, s.count);
    s.share      = s.combined * s.count / motion;
    bootstrap(combined, s.count, &s.low, &s.high);
    return s;
}
