/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over the states of a run, t_0 < t_1 < .. < t_n:
 *
 *   max, min         over all states, the first and the last included;
 *   mean(E)          the integral of E over the run by trapezoids, over its length;
 *   at(T, E)         E at the first state that is not before T; NaN when the run ended before;
 *   period_mean, ..  sums over whole periods (watch_periods.c);
 *   at_rest(T)       for at least T seconds no point of a body has been faster than would move it
 *                    by SS_REST_SHARE of the smallest moving body in T.
 */
#include "study/watch_parts.h"

#include <math.h>

#include "model/model.h"
#include "study/tolerances.h"

double ss_sample_value(const ss_sample *s)
{
    switch (s->kind) {
    case SS_SAMPLE_MAX:
    case SS_SAMPLE_MIN:
    case SS_SAMPLE_AT:
        return s->known ? s->value : NAN;
    case SS_SAMPLE_MEAN:
        return s->last_time > s->first_time ? s->integral / (s->last_time - s->first_time)
                                            : s->last;
    case SS_SAMPLE_PERIOD:
    case SS_SAMPLE_DRIFT:
    case SS_SAMPLE_LIMIT:
    case SS_SAMPLE_LIMIT_ERROR:
        return ss_sample_period_value(s);
    case SS_SAMPLE_REST:
        return s->last_time - s->moved_at >= s->time * (1 - SS_TIME_ROUNDING);
    case SS_SAMPLE_KINDS:
        break;
    }
    return NAN;
}

/* Has a body moved faster than rest allows? */
static bool moving(const ss_watch *w, double seconds)
{
    double limit = SS_REST_SHARE * w->m->length / fmax(seconds, SS_LEAST_SECONDS);
    for (int32_t i = 0; i < w->m->nb; i++) {
        const ss_body *b = &w->m->bodies[i];
        ss_body_state  s;
        if (b->type == SS_BODY_STATIC || ss_data_body(w->m, w->d, i, &s) != SS_OK) {
            continue;
        }
        if (ss_norm(s.velocity) + ss_norm(s.angular_velocity) * b->extent > limit) {
            return true;
        }
    }
    return false;
}

static void add_value(ss_sample *s, bool first, double now, double value)
{
    if (first) {
        s->first_time = now;
    } else if (ss_sample_is_periodic(s->kind)) {
        ss_sample_add_period(s, now, value);
    } else if (now > s->last_time) {
        s->integral += 0.5 * (s->last + value) * (now - s->last_time);
    }
    if (s->kind == SS_SAMPLE_AT && !s->known && now >= s->time - SS_TIME_ROUNDING * fabs(s->time)) {
        s->value = value;
        s->known = true;
    }
    if ((s->kind == SS_SAMPLE_MAX && (!s->known || value > s->value)) ||
        (s->kind == SS_SAMPLE_MIN && (!s->known || value < s->value))) {
        s->value = value;
        s->known = true;
    }
    s->last      = value;
    s->last_time = now;
}

ss_status ss_sample_update(ss_watch *w, ss_sample *s, bool first)
{
    double now = ss_watch_time(w), value = 0;
    if (s->kind == SS_SAMPLE_REST) {
        if (first || moving(w, s->time)) {
            s->moved_at = now;
        }
        s->last_time = now;
        return SS_OK;
    }
    if (s->kind == SS_SAMPLE_AT && s->known) {
        return SS_OK;
    }
    SS_TRY(ss_expr_judge(w->env, s->expression, &value, &s->truth));
    add_value(s, first, now, value);
    return SS_OK;
}

ss_status ss_sample_jump(ss_watch *w, ss_sample *s)
{
    double value = 0;
    if (s->kind == SS_SAMPLE_REST || (s->kind == SS_SAMPLE_AT && s->known)) {
        return SS_OK;
    }
    SS_TRY(ss_expr_judge(w->env, s->expression, &value, &s->truth));
    s->last = value;
    return SS_OK;
}

ss_status ss_sample_begin(ss_watch *w, ss_sample *s)
{
    *s = (ss_sample){
        .kind = s->kind, .expression = s->expression, .time_at = s->time_at, .from_at = s->from_at};
    if (s->time_at >= 0) {
        SS_TRY(ss_expr_judge(w->env, s->time_at, &s->time, NULL));
    }
    if (s->from_at >= 0) {
        SS_TRY(ss_expr_judge(w->env, s->from_at, &s->from, NULL));
    }
    bool positive = ss_sample_is_periodic(s->kind) || s->kind == SS_SAMPLE_REST;
    if (!isfinite(s->time) || s->time < 0 || (positive && s->time == 0) || !(s->from >= 0)) {
        return ss_fail(w->ctx, SS_ERR_INPUT, "a time in a measure must be %s 0, got %g",
                       positive ? ">" : ">=", s->time);
    }
    return SS_OK;
}
