/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How each is computed (Tang 1989 for tables; Payne and Hanek 1983 for large angles):
 *
 *   exp x    = 2^(k/128) e^r,  |r| <= ln 2 / 256; 2^(j/128) from a table, a polynomial in r
 *   log x    = e ln 2 - log c + log(1 + r),  x = 2^e m, c an eleven-bit number near 1 / m, so that
 *              r = m c - 1 is exact; |r| < 2^-7
 *   x^y      = exp(y log x), both in twofold precision
 *   sin, cos: x 2 / pi with as many digits of 2 / pi as matter gives the quadrant and r, |r| <=
 * pi/4; r = j / 64 + d, sin r = S cos d + C sin d with S, C from tables atan y/x = atan c + atan((y
 * - c x) / (x + c y)),  c = j / 64 near y / x <= 1
 *
 * Polynomials act on what is below 2^-12 of the result, so that their rounding is below 2^-65 of
 * it.
 */
#include "core/elementary.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/elementary_tables.h"
#include "core/tolerances.h"

static double nearest(double x)
{
    return floor(x + 0.5);
}

static ss_twofold add(ss_twofold a, ss_twofold b)
{
    ss_twofold s = ss_two_sum(a.hi, b.hi);
    return ss_two_sum_ordered(s.hi, s.lo + (a.lo + b.lo));
}

static ss_twofold negative(ss_twofold a)
{
    return (ss_twofold){-a.hi, -a.lo};
}

static ss_twofold product(ss_twofold a, ss_twofold b)
{
    ss_twofold p = ss_two_product(a.hi, b.hi);
    return ss_two_sum_ordered(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static ss_twofold quotient(ss_twofold a, ss_twofold b)
{
    double     q = a.hi / b.hi;
    ss_twofold p = ss_two_product(q, b.hi);
    double     r = ((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo);
    return ss_two_sum_ordered(q, r / b.hi);
}

static ss_twofold root(ss_twofold a)
{
    double s = sqrt(a.hi);
    if (s == 0) {
        return (ss_twofold){0, 0};
    }
    ss_twofold p = ss_two_product(s, s);
    return ss_two_sum_ordered(s, (((a.hi - p.hi) - p.lo) + a.lo) / (2 * s));
}

/* ---- exponentials and logarithms ------------------------------------------------------------ */

static const double LARGEST_LOG = 709.782712893384, LEAST_LOG = -745.1332191019412;

/* e^x = 2^*exponent times the result, |x| < 1000. */
static ss_twofold exp_twofold(ss_twofold x, int *exponent)
{
    double     k = nearest(x.hi * 184.6649652337873); /* 128 / ln 2 */
    ss_twofold a = ss_two_sum(x.hi, -k * STEP[0]), b = ss_two_sum(a.hi, -k * STEP[1]);
    ss_twofold r = ss_two_sum_ordered(b.hi, (a.lo + b.lo) + (x.lo - k * STEP[2]));
    double     h = r.hi;
    double     q = h * h * (0.5 + h * (1 / 6.0 + h * (1 / 24.0 + h * (1 / 120.0 + h / 720))));
    double     s = r.lo + q;
    int        n = (int)k, j = n & 127;
    ss_twofold T = exp_table[j], p = ss_two_product(T.hi, h), sum = ss_two_sum(T.hi, p.hi);
    *exponent = (n - j) / 128;
    return ss_two_sum_ordered(sum.hi, sum.lo + (p.lo + (T.lo + (T.hi * s + T.lo * h))));
}

/* Both parts together, so that the result is rounded once unless it is subnormal. */
static double scaled(ss_twofold x, int exponent)
{
    return ldexp(x.hi + x.lo, exponent);
}

double ss_exp(double x)
{
    if (!(x <= LARGEST_LOG)) {
        return x != x ? x : INFINITY;
    }
    if (x < LEAST_LOG) {
        return 0;
    }
    int        e;
    ss_twofold y = exp_twofold((ss_twofold){x, 0}, &e);
    return scaled(y, e);
}

/* log x of a positive finite x. */
static ss_twofold log_twofold(double x)
{
    int    e;
    double m = frexp(x, &e); /* in [1/2, 1) */
    if (m < 0.70710678118654752) {
        m *= 2;
        e--;
    }
    int        i = (int)nearest(m * 128) - LOG_FIRST;
    ss_twofold p = ss_two_product(m, log_reciprocal[i]);
    ss_twofold r = ss_two_sum_ordered(p.hi - 1, p.lo);
    double     h = r.hi, t = 1 / 9.0 - h / 10;
    t = h * h * h *
        (1 / 3.0 -
         h * (1 / 4.0 - h * (1 / 5.0 - h * (1 / 6.0 - h * (1 / 7.0 - h * (1 / 8.0 - h * t))))));
    ss_twofold square = ss_two_product(h, 0.5 * h);
    ss_twofold a      = ss_two_sum(e * LN2_PARTS[0], log_table[i].hi);
    ss_twofold b = ss_two_sum(a.hi, h), c = ss_two_sum(b.hi, -square.hi);
    double     low = log_table[i].lo + e * LN2_PARTS[1];
    low += (t - square.lo) + (r.lo - r.lo * h);
    ss_twofold sum = ss_two_sum(c.hi, c.lo + (a.lo + b.lo));
    return ss_two_sum_ordered(sum.hi, sum.lo + low);
}

/* log x where it is not an ordinary number; *done otherwise false. */
static double log_special(double x, bool *done)
{
    *done = !(x > 0) || isinf(x);
    return x != x ? x : x == 0 ? -INFINITY : x < 0 ? NAN : x;
}

double ss_ln(double x)
{
    bool   done;
    double special = log_special(x, &done);
    if (done) {
        return special;
    }
    ss_twofold y = log_twofold(x);
    return y.hi + y.lo;
}

double ss_log10(double x)
{
    bool   done;
    double special = log_special(x, &done);
    if (done) {
        return special;
    }
    ss_twofold y = product(log_twofold(x), LOG10_E);
    return y.hi + y.lo;
}

static bool whole(double y)
{
    return floor(y) == y;
}

static bool odd(double y)
{
    return fabs(y) < 9007199254740992.0 && whole(y) && fmod(y, 2) != 0;
}

/* x^y for x = +-0 or an infinite x or y; x is not 1, nothing is NAN. */
static double pow_at_limits(double x, double y)
{
    double size = fabs(x);
    if (isinf(y)) {
        return size == 1 ? 1 : (size > 1) == (y > 0) ? INFINITY : 0;
    }
    double limit = (size == 0) == (y > 0) ? 0 : INFINITY;
    return odd(y) ? copysign(limit, x) : limit;
}

double ss_pow(double x, double y)
{
    if (y == 0 || x == 1) {
        return 1;
    }
    if (x != x || y != y) {
        return x + y;
    }
    if (x == 0 || isinf(x) || isinf(y)) {
        return pow_at_limits(x, y);
    }
    if (x < 0 && !whole(y)) {
        return NAN;
    }
    double sign = x < 0 && odd(y) ? -1 : 1, size = fabs(x);
    if (size == 1) {
        return sign;
    }
    double     most = SS_POW_MOST;
    ss_twofold l = log_twofold(size), p = ss_two_product(fmin(fmax(y, -most), most), l.hi);
    p = ss_two_sum_ordered(p.hi, p.lo + fmin(fmax(y, -most), most) * l.lo);
    if (p.hi > 710) {
        return sign * INFINITY;
    }
    if (p.hi < -746) {
        return sign * 0.0;
    }
    int        e;
    ss_twofold z = exp_twofold(p, &e);
    return sign * scaled(z, e);
}

/* ---- angles --------------------------------------------------------------------------------- */

enum { LIMBS = 10, WORDS = 8 };

/* |x| 2 / pi modulo 4 as a whole number of units of 2^-*point. */
static void times_two_over_pi(double x, uint32_t limb[LIMBS], int *point)
{
    int      e;
    uint64_t m = (uint64_t)ldexp(frexp(fabs(x), &e), 53);
    e -= 53;
    int      first = e > 2 ? (e - 2) / 32 : 0; /* earlier digits give multiples of 4 */
    uint64_t low = m & 0xffffffffu, high = m >> 32;
    for (int i = 0; i < LIMBS; i++) {
        limb[i] = 0;
    }
    for (int i = 0; i < WORDS; i++) { /* from the last word on */
        uint64_t w  = two_over_pi[first + WORDS - 1 - i];
        uint64_t t  = limb[i] + w * low;
        limb[i]     = (uint32_t)t;
        t           = limb[i + 1] + w * high + (t >> 32);
        limb[i + 1] = (uint32_t)t;
        limb[i + 2] += (uint32_t)(t >> 32);
    }
    *point = 32 * (WORDS + first) - e;
}

static uint32_t bit(const uint32_t limb[LIMBS], int at)
{
    return at < 32 * LIMBS ? limb[at / 32] >> at % 32 & 1 : 0;
}

/* x - k pi / 2 for |x| < 1e5, where k times each part of pi / 2 but the last is exact. */
static ss_twofold reduce_moderate(double x, int *quadrant)
{
    double     k = nearest(x * 0.63661977236758134);
    ss_twofold a = ss_two_sum(x, -k * HALF_PI_PARTS[0]);
    ss_twofold b = ss_two_sum(a.hi, -k * HALF_PI_PARTS[1]);
    ss_twofold c = ss_two_sum(b.hi, -k * HALF_PI_PARTS[2]);
    ss_twofold d = ss_two_sum(a.lo, b.lo);
    ss_twofold e = ss_two_sum(c.hi, d.hi);
    *quadrant    = (int)k & 3;
    return ss_two_sum_ordered(e.hi, e.lo + (c.lo + (d.lo - k * HALF_PI_PARTS[3])));
}

/* x = quadrant pi / 2 + r, |r| <= pi / 4; the quadrant modulo 4. x is finite. */
static ss_twofold reduce(double x, int *quadrant)
{
    *quadrant = 0;
    if (fabs(x) <= 0.785398163397448) {
        return (ss_twofold){x, 0};
    }
    if (fabs(x) < 1e5) {
        return reduce_moderate(x, quadrant);
    }
    uint32_t limb[LIMBS];
    int      point;
    times_two_over_pi(x, limb, &point);
    bool up      = bit(limb, point - 1); /* the fraction is at least one half */
    *quadrant    = (int)(bit(limb, point) + 2 * bit(limb, point + 1)) + up;
    ss_twofold y = {up ? -1 : 0, 0};
    for (int i = LIMBS - 1; i >= 0; i--) {
        int      keep = point - 32 * i; /* digits of this limb behind the point */
        uint32_t part = keep >= 32 ? limb[i] : keep > 0 ? limb[i] & ((1u << keep) - 1) : 0;
        if (part != 0) {
            y = add(y, (ss_twofold){ldexp((double)part, 32 * i - point), 0});
        }
    }
    y = product(y, HALF_PI);
    if (x < 0) {
        y         = negative(y);
        *quadrant = 4 - *quadrant;
    }
    *quadrant &= 3;
    return y;
}

/* sin r and cos r for |r| <= pi / 4. */
static void sin_cos(ss_twofold r, ss_twofold *sine, ss_twofold *cosine)
{
    bool       below = r.hi < 0;
    ss_twofold a     = below ? negative(r) : r;
    double     c     = nearest(a.hi * 64);
    ss_twofold d     = ss_two_sum(a.hi, -c / 64);
    d                = ss_two_sum_ordered(d.hi, d.lo + a.lo);
    ss_twofold S = sin_table[(int)c], C = cos_table[(int)c];
    double     h = d.hi, z = h * h;
    double     s = d.lo + h * z * (-1 / 6.0 + z * (1 / 120.0 + z * (-1 / 5040.0 + z / 362880)));
    double     k = z * (-0.5 + z * (1 / 24.0 + z * (-1 / 720.0 + z / 40320))) - h * d.lo;
    ss_twofold p = ss_two_product(C.hi, h), up = ss_two_sum(S.hi, p.hi);
    *sine = ss_two_sum_ordered(up.hi, up.lo + (p.lo + (S.lo + (C.hi * s + C.lo * h + S.hi * k))));
    p     = ss_two_product(-S.hi, h);
    ss_twofold on = ss_two_sum(C.hi, p.hi);
    *cosine = ss_two_sum_ordered(on.hi, on.lo + (p.lo + (C.lo + (C.hi * k - S.hi * s - S.lo * h))));
    *sine   = below ? negative(*sine) : *sine;
}

/* sin and cos of any finite x. */
static void sin_cos_of(double x, ss_twofold *sine, ss_twofold *cosine)
{
    int        quadrant;
    ss_twofold s, c;
    sin_cos(reduce(x, &quadrant), &s, &c);
    *sine   = (quadrant & 1) != 0 ? c : s;
    *cosine = (quadrant & 1) != 0 ? s : c;
    if (quadrant >= 2) {
        *sine = negative(*sine);
    }
    if (quadrant == 1 || quadrant == 2) {
        *cosine = negative(*cosine);
    }
}

double ss_sin(double x)
{
    ss_twofold s, c;
    if (!isfinite(x) || x == 0) {
        return x == 0 ? x : NAN;
    }
    sin_cos_of(x, &s, &c);
    return s.hi + s.lo;
}

double ss_cos(double x)
{
    ss_twofold s, c;
    if (!isfinite(x)) {
        return NAN;
    }
    sin_cos_of(x, &s, &c);
    return c.hi + c.lo;
}

void ss_sin_cos(double x, double *sine, double *cosine)
{
    ss_twofold s, c;
    if (!isfinite(x) || x == 0) {
        *sine   = x == 0 ? x : NAN;
        *cosine = x == 0 ? 1 : NAN;
        return;
    }
    sin_cos_of(x, &s, &c);
    *sine   = s.hi + s.lo;
    *cosine = c.hi + c.lo;
}

double ss_tan(double x)
{
    ss_twofold s, c;
    if (!isfinite(x) || x == 0) {
        return x == 0 ? x : NAN;
    }
    sin_cos_of(x, &s, &c);
    ss_twofold t = quotient(s, c);
    return t.hi + t.lo;
}

/* atan(y / x) for 0 <= y <= x, x > 0, neither very large nor very small. */
static ss_twofold atan_ratio(ss_twofold y, ss_twofold x)
{
    double     c  = nearest(y.hi / x.hi * 64) / 64;
    ss_twofold cx = ss_two_product(c, x.hi), cy = ss_two_product(c, y.hi);
    cx.lo += c * x.lo;
    cy.lo += c * y.lo;
    ss_twofold u = quotient(add(y, negative(cx)), add(x, cy));
    double     h = u.hi, z = h * h;
    double     t = h * z * (-1 / 3.0 + z * (1 / 5.0 + z * (-1 / 7.0 + z * (1 / 9.0 - z / 11))));
    return add(atan_table[(int)(c * 64)], ss_two_sum_ordered(h, u.lo + t));
}

/* The angle of (x, y), y >= 0, in [0, pi]; their sizes within 2^-60 of each other. */
static ss_twofold angle(ss_twofold y, ss_twofold x)
{
    ss_twofold across = x.hi < 0 ? negative(x) : x;
    ss_twofold a =
        y.hi <= across.hi ? atan_ratio(y, across) : add(HALF_PI, negative(atan_ratio(across, y)));
    return x.hi < 0 ? add(PI, negative(a)) : a;
}

/* atan2 where x or y is zero, infinite, or vanishes beside the other; *done otherwise false. */
static double atan2_at_limits(double y, double x, int ey, int ex, bool *done)
{
    *done = true;
    if (x != x || y != y) {
        return x + y;
    }
    if (isinf(x) && isinf(y)) {
        return copysign(x > 0 ? 0.5 * HALF_PI.hi : 1.5 * HALF_PI.hi, y);
    }
    if (y == 0 || isinf(x) || (!isinf(y) && x != 0 && ex - ey > 60)) {
        return signbit(x) ? copysign(PI.hi, y) : y == 0 || isinf(x) ? copysign(0, y) : y / x;
    }
    if (x == 0 || isinf(y) || ey - ex > 60) {
        return copysign(HALF_PI.hi, y);
    }
    *done = false;
    return 0;
}

double ss_atan2(double y, double x)
{
    int    ey = 0, ex = 0;
    bool   done;
    double my = isfinite(y) ? frexp(y, &ey) : y, mx = isfinite(x) ? frexp(x, &ex) : x;
    double limit = atan2_at_limits(y, x, ey, ex, &done);
    if (done) {
        return limit;
    }
    ss_twofold a = angle((ss_twofold){ldexp(fabs(my), ey - ex), 0}, (ss_twofold){mx, 0});
    return copysign(a.hi + a.lo, y);
}

/* sqrt(1 - x^2) */
static ss_twofold across(double x)
{
    return root(product(ss_two_sum(1, -x), ss_two_sum(1, x)));
}

double ss_asin(double x)
{
    if (!(fabs(x) <= 1)) {
        return NAN;
    }
    if (fabs(x) < SS_SERIES_ENDS) { /* x + x^3 / 6 */
        return x + x * x * x * (1 / 6.0);
    }
    ss_twofold a = angle((ss_twofold){fabs(x), 0}, across(x));
    return copysign(a.hi + a.lo, x);
}

double ss_acos(double x)
{
    if (!(fabs(x) <= 1)) {
        return NAN;
    }
    if (fabs(x) < SS_ACOS_NOTHING) {
        return HALF_PI.hi;
    }
    ss_twofold y = across(x);
    if (y.hi == 0) {
        return x > 0 ? 0 : PI.hi;
    }
    ss_twofold a = angle(y, (ss_twofold){x, 0});
    return a.hi + a.lo;
}

/* ---- hyperbolic functions ------------------------------------------------------------------- */

/* sinh x for 0 <= x < 1/4: x + x^3 (1/6 + x^2 (1/120 + ..)). */
static ss_twofold sinh_series(double x)
{
    ss_twofold z = ss_two_product(x, x);
    double     h = z.hi;
    double     tail =
        h * (1 / 120.0 +
             h * (1 / 5040.0 + h * (1 / 362880.0 + h * (1 / 39916800.0 + h / 6227020800.0))));
    ss_twofold sixth = quotient((ss_twofold){1, 0}, (ss_twofold){6, 0});
    ss_twofold p     = product(product(z, (ss_twofold){x, 0}), add(sixth, (ss_twofold){tail, 0}));
    return add((ss_twofold){x, 0}, p);
}

/* (e^x + sign e^-x) / 2 for 0 <= x < 40 */
static ss_twofold exp_mean(double x, double sign)
{
    int        e;
    ss_twofold y = exp_twofold((ss_twofold){x, 0}, &e);
    y            = (ss_twofold){ldexp(y.hi, e), ldexp(y.lo, e)};
    ss_twofold i = quotient((ss_twofold){1, 0}, y);
    ss_twofold s = add(y, (ss_twofold){sign * i.hi, sign * i.lo});
    return (ss_twofold){0.5 * s.hi, 0.5 * s.lo};
}

/* e^x / 2 for x >= 40, which is sinh x and cosh x */
static double half_exp(double x)
{
    int e;
    if (!(x < 711)) {
        return x;
    }
    ss_twofold y = exp_twofold((ss_twofold){x, 0}, &e);
    return scaled(y, e - 1);
}

static ss_twofold sinh_twofold(double x)
{
    return x < 0.25 ? sinh_series(x) : exp_mean(x, -1);
}

double ss_sinh(double x)
{
    double size = fabs(x);
    if (!(size < 40)) {
        return x != x ? x : copysign(size > 711 ? INFINITY : half_exp(size), x);
    }
    ss_twofold s = sinh_twofold(size);
    return size < SS_SERIES_ENDS ? x + x * x * x * (1 / 6.0) : copysign(s.hi + s.lo, x);
}

double ss_cosh(double x)
{
    double size = fabs(x);
    if (!(size < 40)) {
        return x != x ? x : size > 711 ? INFINITY : half_exp(size);
    }
    ss_twofold c = exp_mean(size, 1);
    return c.hi + c.lo;
}

double ss_tanh(double x)
{
    double size = fabs(x);
    if (!(size < 22)) {
        return x != x ? x : copysign(1, x);
    }
    if (size < SS_SERIES_ENDS) {
        return x - x * x * x * (1 / 3.0);
    }
    ss_twofold t = quotient(sinh_twofold(size), exp_mean(size, 1));
    return copysign(t.hi + t.lo, x);
}

/* ---- others --------------------------------------------------------------------------------- */

double ss_hypot(double x, double y)
{
    double a = fabs(x), b = fabs(y), most = a > b ? a : b, least = a > b ? b : a;
    if (isinf(a) || isinf(b)) {
        return INFINITY;
    }
    if (!(least > 0) || x != x || y != y) {
        return x != x || y != y ? x + y : most;
    }
    int e = 0;
    if (!(most < SS_SQUARE_MOST && least > SS_SQUARE_LEAST)) {
        most  = frexp(most, &e);
        least = ldexp(least, -e);
    }
    ss_twofold s = root(add(ss_two_product(most, most), ss_two_product(least, least)));
    return e == 0 ? s.hi + s.lo : ldexp(s.hi + s.lo, e);
}

/* Stirling's series at x + n >= 20, divided by x (x + 1) .. (x + n - 1). */
double ss_gamma(double x)
{
    if (!(x > 0)) {
        return NAN;
    }
    ss_twofold below = {1, 0}, at = {x, 0};
    while (at.hi < 20) {
        below = product(below, at);
        at    = add(at, (ss_twofold){1, 0});
    }
    if (at.hi > 172) {
        return INFINITY;
    }
    double w = 1 / at.hi, z = w * w;
    double s = w * (1 / 12.0 - z * (1 / 360.0 - z * (1 / 1260.0 - z * (1 / 1680.0 - z / 1188))));
    ss_twofold l = log_twofold(at.hi);
    l            = add(l, (ss_twofold){at.lo / at.hi, 0});
    ss_twofold p = product(add(at, (ss_twofold){-0.5, 0}), l);
    p            = add(add(p, negative(at)), add(HALF_LOG_2PI, (ss_twofold){s, 0}));
    int        e;
    ss_twofold y = quotient(exp_twofold(p, &e), below);
    return scaled(y, e);
}
