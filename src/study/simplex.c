/* SPDX-License-Identifier: Apache-2.0 */
/*
 * J. A. Nelder, R. Mead, A simplex method for function minimization, 1965: the worst of n + 1
 * points is mirrored at the middle of the others, further out where that is good, halfway where it
 * is not; and where nothing helps, all are drawn towards the best.
 */
#include "stickslip/series.h"

#include <stdbool.h>
#include <string.h>

typedef struct simplex {
    ss_objective_fn f;
    void           *user;
    int             n;
    double          x[SS_SIMPLEX_MAX + 1][SS_SIMPLEX_MAX];
    double          value[SS_SIMPLEX_MAX + 1];
} simplex;

static void order(simplex *s)
{
    for (int i = 1; i <= s->n; i++) {
        for (int j = i; j > 0 && s->value[j] < s->value[j - 1]; j--) {
            double x[SS_SIMPLEX_MAX], value = s->value[j];
            memcpy(x, s->x[j], sizeof x);
            memcpy(s->x[j], s->x[j - 1], sizeof x);
            memcpy(s->x[j - 1], x, sizeof x);
            s->value[j]     = s->value[j - 1];
            s->value[j - 1] = value;
        }
    }
}

/* The point at `reach` from the middle of all but the worst, away from the worst. */
static double point_at(simplex *s, double reach, double *x)
{
    for (int k = 0; k < s->n; k++) {
        double middle = 0;
        for (int i = 0; i < s->n; i++) {
            middle += s->x[i][k] / s->n;
        }
        x[k] = middle + reach * (middle - s->x[s->n][k]);
    }
    return s->f(s->user, x);
}

static void replace_worst(simplex *s, const double *x, double value)
{
    memcpy(s->x[s->n], x, (size_t)s->n * sizeof *x);
    s->value[s->n] = value;
}

static void draw_together(simplex *s)
{
    for (int i = 1; i <= s->n; i++) {
        for (int k = 0; k < s->n; k++) {
            s->x[i][k] = (s->x[i][k] + s->x[0][k]) / 2;
        }
        s->value[i] = s->f(s->user, s->x[i]);
    }
}

static void round_of(simplex *s)
{
    double mirrored[SS_SIMPLEX_MAX], other[SS_SIMPLEX_MAX];
    double value = point_at(s, 1, mirrored);
    if (value < s->value[0]) {
        double further = point_at(s, 2, other);
        replace_worst(s, further < value ? other : mirrored, further < value ? further : value);
    } else if (value < s->value[s->n - 1]) {
        replace_worst(s, mirrored, value);
    } else {
        bool   outside = value < s->value[s->n];
        double half    = point_at(s, outside ? 0.5 : -0.5, other);
        if (half < (outside ? value : s->value[s->n])) {
            replace_worst(s, other, half);
        } else {
            draw_together(s);
        }
    }
    order(s);
}

ss_status ss_simplex_minimise(ss_context *ctx, ss_objective_fn f, void *user, double *x,
                              const double *step, int32_t n, int32_t rounds, double *value)
{
    if (f == NULL || x == NULL || step == NULL || n < 1 || n > SS_SIMPLEX_MAX) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "a simplex has 1 to %d unknowns, got %d",
                       SS_SIMPLEX_MAX, (int)n);
    }
    simplex s = {.f = f, .user = user, .n = n};
    for (int i = 0; i <= n; i++) {
        memcpy(s.x[i], x, (size_t)n * sizeof *x);
        if (i > 0) {
            s.x[i][i - 1] += step[i - 1];
        }
        s.value[i] = f(user, s.x[i]);
    }
    order(&s);
    for (int32_t i = 0; i < rounds; i++) {
        round_of(&s);
    }
    memcpy(x, s.x[0], (size_t)n * sizeof *x);
    if (value != NULL) {
        *value = s.value[0];
    }
    return SS_OK;
}
