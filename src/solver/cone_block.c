/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The law of one block, solved exactly (Acary, Bremond, Huber 2018, "On solving contact problems
 * with Coulomb friction", section on local solvers, treat the same problem as a quartic).
 *
 * Cone: u_n = A_nn r_n + A_nf r_f + b_n, u_f = A_fn r_n + A_ff r_f + b_f. Three cases:
 *   open   b_n >= 0: r = 0.
 *   stick  u = 0, when that r lies in the cone.
 *   slip   u_n = 0, u_f = -lambda r_f with lambda > 0, |r_f| = mu r_n. With r_n eliminated,
 *              (S + lambda I) r_f = -c,   S = A_ff - A_fn A_nf / A_nn,   c = b_f - A_fn b_n / A_nn,
 *          and |r_f| = L + l.r_f with L = -mu b_n / A_nn, l = -mu A_nf / A_nn.
 * One scalar equation g(lambda) = (L + l.r_f) / |r_f| - 1 = 0 is left. It has a root whenever the
 * block neither opens nor sticks: g(0) < 0 because stick failed, g > 0 for large lambda because
 * L > 0. 1 / |r_f| is nearly linear in lambda, so Newton's method needs a few steps; a bracket
 * guards it.
 * Disk: the same with L = bound, l = 0, S = A, c = b.
 *
 * Everything is written in terms of the velocity u at the present r: b = u - A r.
 */
#include "solver/cone_block.h"
#include "solver/tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Friction part of a block: (S + lambda I) x = -c, |x| = L + l.x. */
typedef struct slip {
    int32_t       m;
    const double *S; /* (m x m) column-major */
    const double *l; /* (m)                  */
    double        L;
    double        c[SS_BLOCK_EXACT];
} slip;

static double dot(int32_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* x := -(S + lambda I)^-1 c and dx := dx/dlambda = -(S + lambda I)^-1 x; two friction rows. */
static bool shifted_solve2(const slip *p, double lambda, double *x, double *dx)
{
    double a = p->S[0] + lambda, d = p->S[3] + lambda, b = p->S[2], e = p->S[1];
    double det = a * d - b * e;
    if (!(det > DBL_EPSILON * fabs(a * d))) {
        return false;
    }
    double scale = 1 / det;
    x[0]         = -(d * p->c[0] - b * p->c[1]) * scale;
    x[1]         = -(a * p->c[1] - e * p->c[0]) * scale;
    dx[0]        = -(d * x[0] - b * x[1]) * scale;
    dx[1]        = -(a * x[1] - e * x[0]) * scale;
    return true;
}

/* Elimination without pivoting: S + lambda I is positive definite but for rounding. */
static bool eliminate(int32_t m, double *A, double *x)
{
    for (int32_t k = 0; k < m; k++) {
        double pivot = A[k * m + k];
        if (!(pivot > 0)) {
            return false;
        }
        for (int32_t i = k + 1; i < m; i++) {
            double f     = A[k * m + i] / pivot;
            A[k * m + i] = f;
            for (int32_t j = k + 1; j < m; j++) {
                A[j * m + i] -= f * A[j * m + k];
            }
            x[i] -= f * x[k];
        }
    }
    return true;
}

static void substitute_back(int32_t m, const double *A, double *x)
{
    for (int32_t k = m; k-- > 0;) {
        for (int32_t j = k + 1; j < m; j++) {
            x[k] -= A[j * m + k] * x[j];
        }
        x[k] /= A[k * m + k];
    }
}

/* The same for any number of rows up to SS_BLOCK_EXACT. */
static bool shifted_solve(const slip *p, double lambda, double *x, double *dx)
{
    int32_t m = p->m;
    if (m == 2) {
        return shifted_solve2(p, lambda, x, dx);
    }
    double A[SS_BLOCK_DATA];
    memcpy(A, p->S, (size_t)(m * m) * sizeof *A);
    double floor_ = 0;
    for (int32_t i = 0; i < m; i++) {
        floor_ = fmax(floor_, fabs(A[i * m + i]));
    }
    for (int32_t i = 0; i < m; i++) {
        A[i * m + i] += lambda;
        x[i] = -p->c[i];
    }
    if (m < 1 || !eliminate(m, A, x) || !(A[m * m - 1] > DBL_EPSILON * (floor_ + lambda))) {
        return false;
    }
    substitute_back(m, A, x);
    for (int32_t k = 0; k < m; k++) { /* dx := -A^-1 x with the factors at hand */
        dx[k] = -x[k];
        for (int32_t j = 0; j < k; j++) {
            dx[k] -= A[j * m + k] * dx[j];
        }
    }
    substitute_back(m, A, dx);
    return true;
}

/* Where the search starts: exact when S is a multiple of I and l = 0. */
static double first_lambda(const slip *p)
{
    double cc = dot(p->m, p->c, p->c), cSc = 0;
    for (int32_t j = 0; j < p->m; j++) {
        cSc += p->c[j] * dot(p->m, p->S + j * p->m, p->c);
    }
    double lambda = sqrt(cc) / p->L - cSc / cc;
    return lambda > 0 ? lambda : 0;
}

/* g(lambda) and its derivative at x(lambda). */
static double limit_gap(const slip *p, const double *x, const double *dx, double *slope)
{
    double length = sqrt(dot(p->m, x, x));
    double limit  = p->L + dot(p->m, p->l, x);
    double dlen   = dot(p->m, x, dx) / length;
    *slope        = (dot(p->m, p->l, dx) - limit / length * dlen) / length;
    return limit / length - 1;
}

/* Root of g on [0, infinity); x(lambda) is left in x. False: no root within rounding. */
static bool find_slip(const slip *p, double *x)
{
    enum { MOST = 100 };
    double low = 0, high = INFINITY, lambda = first_lambda(p), dx[SS_BLOCK_EXACT];
    double size = 0;
    for (int32_t i = 0; i < p->m; i++) {
        size = fmax(size, fabs(p->S[i * p->m + i]));
    }
    for (int k = 0; k < MOST; k++) {
        double g = -1, slope = 0;
        if (shifted_solve(p, lambda, x, dx)) {
            g = limit_gap(p, x, dx, &slope);
        }
        if (fabs(g) <= 2 * DBL_EPSILON) {
            return true;
        }
        *(g < 0 ? &low : &high) = lambda;
        double next             = lambda - g / slope;
        if (!(slope > 0) || !(next > low && next < high)) {
            next = isinf(high) ? 2 * low + size : 0.5 * (low + high);
        }
        if (next == lambda || next == low || next == high) {
            return fabs(g) <
                   SS_BLOCK_ROOT; /* neighbouring numbers: the root is as exact as it gets */
        }
        lambda = next;
    }
    return false;
}

/* Friction exactly on its limit: the root is exact to rounding, the length is made so too. */
static void put_on_limit(const slip *p, double *x)
{
    double length = sqrt(dot(p->m, x, x));
    double limit  = p->L + dot(p->m, p->l, x);
    for (int32_t i = 0; i < p->m && length > 0; i++) {
        x[i] *= limit / length;
    }
}

/* One friction row: the slip direction is known, the rest is linear. */
static double solve_single(const slip *p)
{
    double S = p->S[0], c = p->c[0], sign = c > 0 ? -1 : 1;
    if (S > 0) {
        double x = -c / S;
        if (fabs(x) <= p->L + p->l[0] * x) {
            return x;
        }
    } else if (c == 0) {
        return 0;
    }
    return sign * p->L / (1 - sign * p->l[0]); /* |x| = L + l x with x = sign |x| */
}

/* x with |x| <= L + l.x and x opposing the slip: stick where possible. False: not found. */
static bool solve_friction(const slip *p, double *x)
{
    double dx[SS_BLOCK_EXACT];
    if (p->m == 1) {
        x[0] = solve_single(p);
        return isfinite(x[0]);
    }
    if (dot(p->m, p->c, p->c) == 0) {
        memset(x, 0, (size_t)p->m * sizeof *x);
        return true;
    }
    if (shifted_solve(p, 0, x, dx)) {
        double limit = p->L + dot(p->m, p->l, x);
        if (limit >= 0 && dot(p->m, x, x) <= limit * limit) {
            return true;
        }
    }
    if (!find_slip(p, x)) {
        return false;
    }
    put_on_limit(p, x);
    return true;
}

/*
 * Layout of `data`: cones and disks of exact size keep S (m x m), then for cones l / mu (m),
 * A_fn (m), 1 / A_nn; everything else keeps A and, last, the largest diagonal entry.
 */
static inline void prepare_cone(int32_t m, const double *A, int32_t ld, double *restrict data)
{
    double  inv = A[0] > 0 ? 1 / A[0] : 0;
    double *S = data, *k = data + m * m, *Afn = k + m;
    for (int32_t j = 0; j < m; j++) {
        double Anf = A[(j + 1) * ld];
        k[j]       = -Anf * inv;
        Afn[j]     = A[j + 1];
        for (int32_t i = 0; i < m; i++) {
            S[j * m + i] = A[(j + 1) * ld + i + 1] - A[i + 1] * (Anf * inv);
        }
    }
    Afn[m] = inv;
}

void ss_block_prepare(const ss_block *b, const double *A, int32_t ld, double *data)
{
    if (b->kind == SS_BLOCK_CONE) {
        if (b->dim == 3) { /* sizes the compiler can unroll */
            prepare_cone(2, A, ld, data);
        } else if (b->dim == 2) {
            prepare_cone(1, A, ld, data);
        } else {
            prepare_cone(b->dim - 1, A, ld, data);
        }
        return;
    }
    double most = 0;
    for (int32_t j = 0; j < b->dim; j++) {
        memcpy(data + j * b->dim, A + (size_t)j * (size_t)ld, (size_t)b->dim * sizeof *data);
        most = fmax(most, fabs(A[(size_t)j * (size_t)ld + (size_t)j]));
    }
    data[b->dim * b->dim] = most;
}

/* Size of the steps of the guarded fall-back: 1 / (trace of the block). */
static double gentle_step(const ss_block *b, const double *data)
{
    double trace = 0;
    if (b->kind == SS_BLOCK_CONE) {
        int32_t m   = b->dim - 1;
        double  inv = data[m * m + 2 * m];
        trace       = inv > 0 ? 1 / inv : 0;
        for (int32_t i = 0; i < m; i++) {
            trace += fabs(data[i * m + i]);
        }
    } else {
        trace = b->dim * data[b->dim * b->dim];
    }
    return trace > 0 ? 1 / trace : 1;
}

void ss_block_project(const ss_block *b, double *r)
{
    if (b->kind == SS_BLOCK_EQUALITY) {
        return;
    }
    if (b->kind == SS_BLOCK_UNILATERAL) {
        r[0] = r[0] > 0 ? r[0] : 0;
        return;
    }
    int32_t first = b->kind == SS_BLOCK_CONE, m = b->dim - first;
    double  length = sqrt(dot(m, r + first, r + first)), limit = b->bound;
    if (first) {
        if (length <= b->mu * r[0] && r[0] >= 0) { /* mu = 0: 0 <= mu r_n proves nothing */
            return;
        }
        double t = (r[0] + b->mu * length) / (1 + b->mu * b->mu);
        r[0]     = t > 0 ? t : 0;
        limit    = b->mu * r[0];
    }
    for (int32_t i = first; i < b->dim && length > limit; i++) {
        r[i] *= limit / length;
    }
}

/* r := P(r - step u~): what is left when the exact solve cannot be had. */
static void gradient_step(const ss_block *b, const double *data, const double *u, double *r)
{
    double step = gentle_step(b, data);
    if (b->kind == SS_BLOCK_CONE) {
        r[0] -= step * b->mu * sqrt(dot(b->dim - 1, u + 1, u + 1));
    }
    for (int32_t i = 0; i < b->dim; i++) {
        r[i] -= step * u[i];
    }
    ss_block_project(b, r);
}

static bool solve_cone(const ss_block *b, const double *data, const double *u, double *r)
{
    int32_t       m = b->dim - 1;
    const double *S = data, *k = data + m * m, *Afn = k + m;
    double        inv = Afn[m];
    /* b_n / A_nn = u_n / A_nn - r_n + k.r_f */
    double bn = u[0] * inv - r[0] + dot(m, k, r + 1);
    if (bn >= 0 && inv > 0) {
        memset(r, 0, (size_t)b->dim * sizeof *r);
        return true;
    }
    if (inv == 0) {
        return false;
    }
    double l[SS_BLOCK_EXACT], x[SS_BLOCK_EXACT];
    slip   p = {.m = m, .S = S, .l = l, .L = -b->mu * bn};
    for (int32_t i = 0; i < m; i++) { /* c = u_f - A_fn u_n / A_nn - S r_f */
        l[i]   = b->mu * k[i];
        p.c[i] = u[i + 1] - Afn[i] * (u[0] * inv);
        for (int32_t j = 0; j < m; j++) {
            p.c[i] -= S[j * m + i] * r[j + 1];
        }
        x[i] = 0;
    }
    if (b->mu > 0 && !solve_friction(&p, x)) {
        return false;
    }
    r[0] = -bn + dot(m, k, x);
    memcpy(r + 1, x, (size_t)m * sizeof *x);
    return r[0] >= 0 && isfinite(r[0]);
}

/* struct slip for two friction rows, all in one place. */
typedef struct slip2 {
    double S[4], l[2], c[2], L;
} slip2;

/* Root of g (see the top) for two friction rows, from a guess that is exact for round S. */
static bool find_slip2(const slip2 *p, double *x)
{
    enum { MOST = 60 };
    double cc  = p->c[0] * p->c[0] + p->c[1] * p->c[1];
    double cSc = p->c[0] * (p->S[0] * p->c[0] + p->S[2] * p->c[1]) +
                 p->c[1] * (p->S[1] * p->c[0] + p->S[3] * p->c[1]);
    double low = 0, high = INFINITY, lambda = fmax(0, sqrt(cc) / p->L - cSc / cc);
    for (int k = 0; k < MOST; k++) {
        double a = p->S[0] + lambda, d = p->S[3] + lambda, det = a * d - p->S[2] * p->S[1];
        if (!(det > DBL_EPSILON * a * d)) {
            return false;
        }
        double s  = 1 / det;
        x[0]      = (p->S[2] * p->c[1] - d * p->c[0]) * s;
        x[1]      = (p->S[1] * p->c[0] - a * p->c[1]) * s;
        double y0 = (p->S[2] * x[1] - d * x[0]) * s, y1 = (p->S[1] * x[0] - a * x[1]) * s;
        double inverse = 1 / sqrt(x[0] * x[0] + x[1] * x[1]);
        double ratio = (p->L + p->l[0] * x[0] + p->l[1] * x[1]) * inverse, g = ratio - 1;
        if (fabs(g) <= 4 * DBL_EPSILON) {
            return true;
        }
        double slope = (p->l[0] * y0 + p->l[1] * y1) * inverse -
                       ratio * (x[0] * y0 + x[1] * y1) * inverse * inverse;
        *(g < 0 ? &low : &high) = lambda;
        double next             = lambda - g / slope;
        if (!(slope > 0) || !(next > low && next < high)) {
            next = isinf(high) ? 2 * low + p->S[0] + p->S[3] : 0.5 * (low + high);
        }
        if (next == lambda || next == low || next == high) {
            return fabs(g) < SS_BLOCK_ROOT;
        }
        lambda = next;
    }
    return false;
}

/* solve_cone for three rows, the contact in space: the same steps without loops. */
static bool solve_cone3(const ss_block *b, const double *data, const double *u, double *r)
{
    const double *S = data, *k = data + 4, *Afn = data + 6, inv = data[8];
    double        un = u[0] * inv, bn = un - r[0] + k[0] * r[1] + k[1] * r[2];
    if (!(inv > 0)) {
        return false;
    }
    if (bn >= 0) {
        r[0] = r[1] = r[2] = 0;
        return true;
    }
    /* stick: u = 0, from where r is now */
    double c0 = u[1] - Afn[0] * un, c1 = u[2] - Afn[1] * un;
    double det = S[0] * S[3] - S[2] * S[1];
    if (det > DBL_EPSILON * S[0] * S[3]) {
        double x0    = r[1] - (S[3] * c0 - S[2] * c1) / det;
        double x1    = r[2] - (S[0] * c1 - S[1] * c0) / det;
        double n     = -bn + k[0] * x0 + k[1] * x1;
        double limit = b->mu * n;
        if (n >= 0 && x0 * x0 + x1 * x1 <= limit * limit) {
            r[0] = n;
            r[1] = x0;
            r[2] = x1;
            return true;
        }
    }
    slip2  p = {{S[0], S[1], S[2], S[3]},
                {b->mu * k[0], b->mu * k[1]},
                {c0 - S[0] * r[1] - S[2] * r[2], c1 - S[1] * r[1] - S[3] * r[2]},
                -b->mu * bn};
    double x[2];
    if (!find_slip2(&p, x)) {
        return false;
    }
    /* exactly on the limit */
    double length = sqrt(x[0] * x[0] + x[1] * x[1]);
    double scale  = (p.L + p.l[0] * x[0] + p.l[1] * x[1]) / length;
    r[1]          = x[0] * scale;
    r[2]          = x[1] * scale;
    r[0]          = -bn + k[0] * r[1] + k[1] * r[2];
    return r[0] >= 0 && isfinite(r[0]);
}

/* solve_cone for two rows, the contact in the plane: all is linear but the sign of the slip. */
static bool solve_cone2(const ss_block *b, const double *data, const double *u, double *r)
{
    double S = data[0], k = data[1], Afn = data[2], inv = data[3];
    double un = u[0] * inv, bn = un - r[0] + k * r[1];
    if (!(inv > 0)) {
        return false;
    }
    if (bn >= 0) {
        r[0] = r[1] = 0;
        return true;
    }
    double c = u[1] - Afn * un - S * r[1], L = -b->mu * bn, l = b->mu * k, x = 0;
    if (S > 0) {
        x = -c / S;
    }
    if (fabs(x) > L + l * x || (S <= 0 && c != 0)) {
        double sign = c > 0 ? -1 : 1;
        x           = sign * L / (1 - sign * l); /* |x| = L + l x with x = sign |x| */
    }
    r[1] = x;
    r[0] = -bn + k * x;
    return r[0] >= 0 && isfinite(r[0]);
}

static bool solve_disk(const ss_block *b, const double *data, const double *u, double *r)
{
    static const double zero[SS_BLOCK_EXACT] = {0};
    if (b->dim > SS_BLOCK_EXACT) {
        return false;
    }
    slip p = {.m = b->dim, .S = data, .l = zero, .L = b->bound};
    for (int32_t i = 0; i < b->dim; i++) {
        p.c[i] = u[i];
        for (int32_t j = 0; j < b->dim; j++) {
            p.c[i] -= data[j * b->dim + i] * r[j];
        }
    }
    if (b->bound == 0) {
        memset(r, 0, (size_t)b->dim * sizeof *r);
        return true;
    }
    return solve_friction(&p, r);
}

/* Newton's step on u = 0, slightly held back so that redundant rows do no harm. */
static bool solve_equality(const ss_block *b, const double *data, const double *u, double *r)
{
    int32_t m    = b->dim;
    double  most = data[m * m];
    if (m > SS_BLOCK_EXACT) { /* row by row */
        for (int32_t i = 0; i < m; i++) {
            double d = data[i * m + i];
            r[i] -= d > 0 ? u[i] / (d * m) : 0;
        }
        return true;
    }
    double A[SS_BLOCK_DATA], x[SS_BLOCK_EXACT];
    memcpy(A, data, (size_t)(m * m) * sizeof *A);
    for (int32_t i = 0; i < m; i++) {
        A[i * m + i] += SS_BLOCK_SHIFT * most;
        x[i] = -u[i];
    }
    if (!eliminate(m, A, x)) {
        return false;
    }
    substitute_back(m, A, x);
    for (int32_t i = 0; i < m; i++) {
        r[i] += x[i];
    }
    return true;
}

void ss_block_solve(const ss_block *b, const double *data, const double *u, double *r,
                    double *change)
{
    bool solved = false;
    for (int32_t i = 0; i < b->dim; i++) {
        change[i] = r[i];
    }
    switch (b->kind) {
    case SS_BLOCK_EQUALITY:
        solved = solve_equality(b, data, u, r);
        break;
    case SS_BLOCK_UNILATERAL:
        solved = data[0] > 0;
        r[0]   = solved ? fmax(0, r[0] - u[0] / data[0]) : r[0];
        break;
    case SS_BLOCK_CONE:
        solved = b->mu > 0 && ((b->dim == 3 && solve_cone3(b, data, u, r)) ||
                               (b->dim == 2 && solve_cone2(b, data, u, r)));
        if (!solved) {
            memcpy(r, change, (size_t)b->dim * sizeof *r);
            solved = solve_cone(b, data, u, r);
        }
        break;
    case SS_BLOCK_DISK:
        solved = solve_disk(b, data, u, r);
        break;
    }
    if (!solved) {
        memcpy(r, change, (size_t)b->dim * sizeof *r);
        gradient_step(b, data, u, r);
    }
    for (int32_t i = 0; i < b->dim; i++) {
        change[i] = r[i] - change[i];
    }
}
