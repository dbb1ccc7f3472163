/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When expressions of t jump or bend: motions of driven bodies, what motors are told, forces. An
 * expression says at every time which of its choices it has made there (ss_expr_side), and a
 * bisection finds the first time at which they are others than now, to rounding. Choices that are
 * undone before the end of the interval are not seen.
 */
#include <math.h>

#include "dynamics/stages.h"
#include "dynamics/tolerances.h"

double ss_switch_margin(const ss_model *m, const ss_data *d)
{
    double rounding = nextafter(fabs(d->state.t) + m->simulation.step, INFINITY);
    rounding -= fabs(d->state.t) + m->simulation.step;
    return fmax(SS_SWITCH_NEAR * m->simulation.step, SS_SWITCH_ROUNDINGS * rounding);
}

/* The first time after `from` at which its side is not `side` any more, as it is not at `to`. */
static ss_status locate(ss_data *d, int32_t expr, uint64_t side, double from, double to,
                        double *out)
{
    for (double middle = 0.5 * (from + to); middle > from && middle < to;
         middle        = 0.5 * (from + to)) {
        uint64_t there;
        SS_TRY(ss_expr_side(d->env, expr, middle, &there));
        from = there == side ? middle : from;
        to   = there == side ? to : middle;
    }
    *out = to;
    return SS_OK;
}

/* The same, of an expression, before *until; where it has no value, those who ask for it say so. */
static void switch_of(ss_data *d, int32_t expr, double from, double margin, double *until)
{
    uint64_t now, then;
    double   at;
    if (*until - margin > from && ss_expr_side(d->env, expr, from, &now) == SS_OK &&
        ss_expr_side(d->env, expr, *until - margin, &then) == SS_OK && now != then &&
        locate(d, expr, now, from, *until - margin, &at) == SS_OK) {
        *until = at;
    }
}

ss_status ss_next_switch(const ss_model *m, ss_data *d, double until, double *out)
{
    double margin = ss_switch_margin(m, d), first = until;
    for (int32_t i = 0; i < m->expression_count; i++) {
        if (m->expressions[i].timed && ss_expr_has_sides(d->env, i)) {
            switch_of(d, i, d->state.t + margin, first < until ? 0 : margin, &first);
        }
    }
    *out = first < until ? first - 0.5 * margin : INFINITY;
    return SS_OK;
}
