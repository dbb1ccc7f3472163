/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluating formulas with their derivatives (formula.h). */
#include <math.h>
#include <stdbool.h>

#include "core/elementary.h"
#include "expr/formula.h"

/* Rows and columns of the six second derivatives. */
static const int row_of[6] = {0, 1, 2, 0, 1, 2}, column_of[6] = {0, 1, 2, 1, 2, 0};

/* A function of one number, its slope and the slope of that. */
typedef struct slopes {
    double v, d, dd;
} slopes;

/* u^n for whole n >= 0 by squaring. */
static double whole_power(double u, int n)
{
    double x = 1;
    for (; n > 0; n /= 2, u *= u) {
        x *= n % 2 == 1 ? u : 1;
    }
    return x;
}

static double power(double u, double c)
{
    bool small = c == floor(c) && c >= 0 && c <= 64;
    return small ? whole_power(u, (int)c) : ss_pow(u, c);
}

static slopes power_slopes(double u, double c)
{
    slopes s = {power(u, c), c == 0 ? 0 : c * power(u, c - 1), 0};
    s.dd     = c == 0 || c == 1 ? 0 : c * (c - 1) * power(u, c - 2);
    return s;
}

static slopes slopes_of(const ss_formula_step *s, double u)
{
    double v;
    switch (s->op) {
    case SS_STEP_NEGATE:
        return (slopes){-u, -1, 0};
    case SS_STEP_INVERT:
        v = 1 / u;
        return (slopes){v, -v * v, 2 * v * v * v};
    case SS_STEP_POWER:
        return power_slopes(u, s->number);
    case SS_STEP_ABS:
        return (slopes){fabs(u), u < 0 ? -1 : 1, 0};
    case SS_STEP_SQRT:
        v = sqrt(u);
        return (slopes){v, 0.5 / v, -0.25 / (v * u)};
    case SS_STEP_EXP:
        v = ss_exp(u);
        return (slopes){v, v, v};
    case SS_STEP_LOG:
        return (slopes){ss_ln(u), 1 / u, -1 / (u * u)};
    case SS_STEP_SIN:
        return (slopes){ss_sin(u), ss_cos(u), -ss_sin(u)};
    case SS_STEP_COS:
        return (slopes){ss_cos(u), -ss_sin(u), -ss_cos(u)};
    case SS_STEP_TAN:
        v = ss_tan(u);
        return (slopes){v, 1 + v * v, 2 * v * (1 + v * v)};
    case SS_STEP_SINH:
        return (slopes){ss_sinh(u), ss_cosh(u), ss_sinh(u)};
    case SS_STEP_COSH:
        return (slopes){ss_cosh(u), ss_sinh(u), ss_cosh(u)};
    case SS_STEP_TANH:
        v = ss_tanh(u);
        return (slopes){v, 1 - v * v, -2 * v * (1 - v * v)};
    default:
        return (slopes){NAN, NAN, NAN};
    }
}

static void chain(const slopes *s, const ss_jet *u, int order, ss_jet *out)
{
    out->v = s->v;
    for (int i = 0; order > 0 && i < 3; i++) {
        out->g[i] = s->d * u->g[i];
    }
    for (int i = 0; order > 1 && i < 6; i++) {
        out->h[i] = s->d * u->h[i] + s->dd * u->g[row_of[i]] * u->g[column_of[i]];
    }
}

static void multiply(const ss_jet *a, const ss_jet *b, int order, ss_jet *out)
{
    out->v = a->v * b->v;
    for (int i = 0; order > 0 && i < 3; i++) {
        out->g[i] = a->v * b->g[i] + b->v * a->g[i];
    }
    for (int i = 0; order > 1 && i < 6; i++) {
        int r = row_of[i], c = column_of[i];
        out->h[i] = a->v * b->h[i] + b->v * a->h[i] + a->g[r] * b->g[c] + a->g[c] * b->g[r];
    }
}

static void add(const ss_jet *a, double sign, const ss_jet *b, int order, ss_jet *out)
{
    out->v = a->v + sign * b->v;
    for (int i = 0; order > 0 && i < 3; i++) {
        out->g[i] = a->g[i] + sign * b->g[i];
    }
    for (int i = 0; order > 1 && i < 6; i++) {
        out->h[i] = a->h[i] + sign * b->h[i];
    }
}

/* A number or a variable. */
static void leaf(const ss_formula_step *s, const double x[3], ss_jet *out)
{
    *out = (ss_jet){.v = s->number};
    if (s->op == SS_STEP_VARIABLE) {
        out->v       = x[s->a];
        out->g[s->a] = 1;
    }
}

ss_jet ss_formula_at(const ss_formula *f, const double x[3], int order)
{
    ss_jet jets[SS_FORMULA_STEPS];
    for (int32_t i = 0; i < f->count; i++) {
        const ss_formula_step *s = &f->step[i];
        slopes                 c;
        switch (s->op) {
        case SS_STEP_NUMBER:
        case SS_STEP_VARIABLE:
            leaf(s, x, &jets[i]);
            break;
        case SS_STEP_ADD:
        case SS_STEP_SUBTRACT:
            add(&jets[s->a], s->op == SS_STEP_ADD ? 1 : -1, &jets[s->b], order, &jets[i]);
            break;
        case SS_STEP_MULTIPLY:
            multiply(&jets[s->a], &jets[s->b], order, &jets[i]);
            break;
        default:
            c = slopes_of(s, jets[s->a].v);
            chain(&c, &jets[s->a], order, &jets[i]);
        }
    }
    /* cppcheck-suppress uninitvar ; there is a step at least */
    return jets[f->count - 1];
}
