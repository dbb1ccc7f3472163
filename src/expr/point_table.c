/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With h_i = x_{i+1} - x_i and D_i = (y_{i+1} - y_i)/h_i, continuity of the second derivative of
 * Hermite pieces with slopes s_i is, at every inner point,
 *
 *   h_i s_{i-1} + 2 (h_{i-1} + h_i) s_i + h_{i-1} s_{i+1} = 3 (h_i D_{i-1} + h_{i-1} D_i),
 *
 * a diagonally dominant system with three diagonals. "Not a knot" closes it at the first point by
 *
 *   h_1 s_0 + (h_0 + h_1) s_1 = ((3 h_0 + 2 h_1) h_1 D_0 + h_0^2 D_1) / (h_0 + h_1)
 *
 * and at the last one by its mirror image. Periodic tables have the inner equation at the first
 * point too; the two entries in the corners are a matrix of rank one (Sherman-Morrison).
 */
#include "expr/point_table.h"

#include <math.h>
#include <stdbool.h>

#include "core/hermite.h"

typedef struct spline {
    const double *x, *y;
    int32_t       n; /* pieces */
} spline;

static double width(const spline *s, int32_t i)
{
    return s->x[i + 1] - s->x[i];
}

static double rise(const spline *s, int32_t i)
{
    return (s->y[i + 1] - s->y[i]) / width(s, i);
}

/* Gaussian elimination without exchanges; `b` becomes the solution, `d` is overwritten. */
static void solve_tridiagonal(const double *low, double *d, const double *up, double *b, int32_t n)
{
    for (int32_t i = 1; i < n; i++) {
        double factor = low[i] / d[i - 1];
        d[i] -= factor * up[i - 1];
        b[i] -= factor * b[i - 1];
    }
    b[n - 1] /= d[n - 1];
    for (int32_t i = n - 2; i >= 0; i--) {
        b[i] = (b[i] - up[i] * b[i + 1]) / d[i];
    }
}

/* The inner equation at the end of piece `a` and the beginning of piece `b`. */
static double inner_equation(const spline *s, int32_t a, int32_t b, double *low, double *diagonal,
                             double *up)
{
    *low      = width(s, b);
    *diagonal = 2 * (width(s, a) + width(s, b));
    *up       = width(s, a);
    return 3 * (width(s, b) * rise(s, a) + width(s, a) * rise(s, b));
}

/* The parabola through three points. */
static void parabola(const spline *s, double *slope)
{
    double h0 = width(s, 0), h1 = width(s, 1), D0 = rise(s, 0), D1 = rise(s, 1);
    double bend = (D1 - D0) / (h0 + h1);
    slope[0]    = D0 - bend * h0;
    slope[1]    = D0 + bend * h0;
    slope[2]    = D1 + bend * h1;
}

static void open_spline(const spline *s, double *slope, double *work)
{
    int32_t n = s->n + 1, m = s->n;
    double *low = work, *d = work + n, *up = work + 2 * n;
    double  h0 = width(s, 0), h1 = width(s, 1), g0 = width(s, m - 1), g1 = width(s, m - 2);
    d[0]     = h1;
    up[0]    = h0 + h1;
    slope[0] = ((3 * h0 + 2 * h1) * h1 * rise(s, 0) + h0 * h0 * rise(s, 1)) / (h0 + h1);
    for (int32_t i = 1; i < m; i++) {
        slope[i] = inner_equation(s, i - 1, i, &low[i], &d[i], &up[i]);
    }
    low[m]   = g0 + g1;
    d[m]     = g1;
    slope[m] = ((3 * g0 + 2 * g1) * g1 * rise(s, m - 1) + g0 * g0 * rise(s, m - 2)) / (g0 + g1);
    solve_tridiagonal(low, d, up, slope, n);
}

/* (T + u v') s = b with u = (g, 0, .., 0, c), v = (1, 0, .., 0, a/g): a above right, c below left.
 */
static void closed_spline(const spline *s, double *slope, double *work)
{
    int32_t m   = s->n; /* unknowns: the last point is the first */
    double *low = work, *d = work + m, *up = work + 2 * m;
    for (int32_t i = 0; i < m; i++) {
        slope[i] = inner_equation(s, (i + m - 1) % m, i, &low[i], &d[i], &up[i]);
    }
    double above = low[0], below = up[m - 1], gauge = -d[0];
    d[0] -= gauge;
    d[m - 1] -= below * above / gauge;
    /* One elimination for b, in `slope`, and for u, which takes the place of `low` as it goes. */
    double *u = low;
    u[0]      = gauge;
    for (int32_t i = 1; i < m; i++) {
        double factor = low[i] / d[i - 1];
        d[i] -= factor * up[i - 1];
        slope[i] -= factor * slope[i - 1];
        u[i] = (i == m - 1 ? below : 0) - factor * u[i - 1];
    }
    slope[m - 1] /= d[m - 1];
    u[m - 1] /= d[m - 1];
    for (int32_t i = m - 2; i >= 0; i--) {
        slope[i] = (slope[i] - up[i] * slope[i + 1]) / d[i];
        u[i]     = (u[i] - up[i] * u[i + 1]) / d[i];
    }
    double along = slope[0] + above / gauge * slope[m - 1];
    double share = along / (1 + u[0] + above / gauge * u[m - 1]);
    for (int32_t i = 0; i < m; i++) {
        slope[i] -= share * u[i];
    }
    slope[m] = slope[0];
}

void ss_point_table_slopes(const double *x, const double *y, int32_t count, int periodic,
                           double *slope, double *work)
{
    spline s = {x, y, count - 1};
    if (s.n == 1 || (periodic && s.n == 2)) {
        /* a line; two points in turn: flat at both */
        double flat = s.n == 1 && !periodic ? rise(&s, 0) : 0;
        for (int32_t i = 0; i < count; i++) {
            slope[i] = flat;
        }
    } else if (periodic) {
        closed_spline(&s, slope, work);
    } else if (s.n == 2) {
        parabola(&s, slope);
    } else {
        open_spline(&s, slope, work);
    }
}

/* The piece in which x lies. */
static int32_t find(const double *x, int32_t count, double at)
{
    int32_t low = 0, high = count - 1;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (x[middle] <= at) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

double ss_point_table_value(const ss_point_table *t, double x)
{
    if (t->period > 0) {
        x -= t->period * floor((x - t->x[0]) / t->period);
    }
    if (!(x > t->x[0])) {
        return t->y[0];
    }
    if (x >= t->x[t->count - 1]) {
        return t->y[t->count - 1];
    }
    int32_t i = find(t->x, t->count, x);
    if (t->kind == SS_TABLE_STEP) {
        return t->y[i];
    }
    if (t->kind == SS_TABLE_CUBIC) {
        double h = t->x[i + 1] - t->x[i];
        return ss_hermite((x - t->x[i]) / h, h, t->y[i], t->y[i + 1], t->slope[i], t->slope[i + 1]);
    }
    double u = (x - t->x[i]) / (t->x[i + 1] - t->x[i]);
    return (1 - u) * t->y[i] + u * t->y[i + 1];
}

double ss_point_table_piece(const ss_point_table *t, double x)
{
    bool   smooth = t->kind == SS_TABLE_CUBIC;
    double turns  = t->period > 0 && !smooth ? floor((x - t->x[0]) / t->period) : 0;
    if (t->period > 0) {
        x -= t->period * floor((x - t->x[0]) / t->period);
    }
    if (x < t->x[0] && !(t->period > 0)) {
        return -1;
    }
    if (x >= t->x[t->count - 1] && !(t->period > 0)) {
        return t->count - 1;
    }
    return smooth ? 0 : turns * (t->count - 1) + find(t->x, t->count, x);
}
