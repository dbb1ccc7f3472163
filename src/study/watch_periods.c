/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over the whole periods of T seconds that fit into a run, from FROM (0 unless given) on. E is
 * linear between states. With n periods, and A_k the sum up to the end of period k:
 *
 *   period_mean(T, E)       A_n / (n T), A the integral of E: its mean;
 *   drift(T, E)             A_n / (n T), A the rise of E: its mean rate. Jumps of E that are no
 *                           motion (a part that is put back, cycle.h) do not count;
 *   asymptotic(T, E)        the limit of the rates u_k = (A_k - A_{k-1}) / T, by Aitken's method
 *                           from the last three: differences that shrink by the factor q from
 *                           period to period still add up to q / (1 - q) of the last;
 *   asymptotic_error(T, E)  by how much the last two extrapolations differ.
 *
 * Where differences do not shrink (|q| above SS_AITKEN_SHRINKS) the last rate itself is the
 * estimate. NaN: too few periods.
 */
#include <math.h>

#include "study/tolerances.h"
#include "study/watch_parts.h"

bool ss_sample_is_periodic(ss_sample_kind kind)
{
    return kind == SS_SAMPLE_PERIOD || kind == SS_SAMPLE_DRIFT || kind == SS_SAMPLE_LIMIT ||
           kind == SS_SAMPLE_LIMIT_ERROR;
}

/* The sum up to `t`, between the last state and one with value `value` at time `now`. */
static double sum_to(const ss_sample *s, double t, double now, double value)
{
    double part = now > s->last_time ? (t - s->last_time) / (now - s->last_time) : 0;
    double at_t = s->last + part * (value - s->last);
    return s->kind == SS_SAMPLE_PERIOD ? s->integral + 0.5 * (s->last + at_t) * (t - s->last_time)
                                       : s->integral + (at_t - s->last);
}

/* `count` periods ended since the last state, with the sum `sum` at the end of the last. */
static void end_periods(ss_sample *s, double count, double sum)
{
    double  rate  = (sum - s->value) / (count * s->time);
    int32_t rates = (int32_t)ceil(fmin(count, SS_SAMPLE_RATES)); /* no more are kept */
    for (int32_t k = 0; k < rates; k++) {
        for (int i = SS_SAMPLE_RATES - 1; i > 0; i--) {
            s->rate[i] = s->rate[i - 1];
        }
        s->rate[0] = rate;
    }
    s->value = sum;
    s->periods += count;
}

void ss_sample_add_period(ss_sample *s, double now, double value)
{
    if (now <= s->from) {
        return;
    }
    if (s->last_time < s->from) {
        double part  = (s->from - s->last_time) / (now - s->last_time);
        s->last      = s->last + part * (value - s->last);
        s->last_time = s->from;
    }
    double periods = floor((now - s->from) / s->time * (1 + SS_TIME_ROUNDING));
    if (periods > s->periods) {
        double end = s->from + periods * s->time;
        end_periods(s, periods - s->periods, sum_to(s, fmin(end, now), now, value));
    }
    s->integral = sum_to(s, now, now, value);
}

/* From three rates, the newest first. */
static double extrapolate(const double u[3])
{
    double last = u[0] - u[1], before = u[1] - u[2];
    bool   shrinks = fabs(last) < SS_AITKEN_SHRINKS * fabs(before);
    return shrinks ? u[0] + last * last / (before - last) : u[0];
}

double ss_sample_period_value(const ss_sample *s)
{
    bool   mean  = s->kind == SS_SAMPLE_PERIOD || s->kind == SS_SAMPLE_DRIFT;
    double needs = mean ? 1 : s->kind == SS_SAMPLE_LIMIT ? 3 : SS_SAMPLE_RATES;
    if (s->periods < needs) {
        return NAN;
    }
    if (mean) {
        return s->value / (s->periods * s->time);
    }
    double limit = extrapolate(s->rate);
    return s->kind == SS_SAMPLE_LIMIT ? limit : fabs(limit - extrapolate(s->rate + 1));
}
