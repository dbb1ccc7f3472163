/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of twice the working precision: the unevaluated sum hi + lo of two doubles, with
 * |lo| <= ulp(hi) / 2 (Dekker 1971; Knuth's two-sum). Sums and products of two doubles are exact.
 * Only additions and multiplications in a fixed order: the same bits on every processor.
 */
#ifndef SS_CORE_TWOFOLD_H
#define SS_CORE_TWOFOLD_H

#include <math.h>

typedef struct ss_twofold {
    double hi, lo;
} ss_twofold;

/* a + b, exactly */
static inline ss_twofold ss_two_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (ss_twofold){s, (a - (s - t)) + (b - t)};
}

/* a + b, exactly, where |a| >= |b| or a = 0 */
static inline ss_twofold ss_two_sum_ordered(double a, double b)
{
    double s = a + b;
    return (ss_twofold){s, b - (s - a)};
}

/* The upper and lower halves of the digits of a, each of at most 26 bits. */
static inline ss_twofold ss_two_split(double a)
{
    double t = 134217729.0 * a; /* 2^27 + 1 */
    double h = t - (t - a);
    return (ss_twofold){h, a - h};
}

/* a b, exactly, where nothing overflows or underflows */
static inline ss_twofold ss_two_product(double a, double b)
{
    ss_twofold x = ss_two_split(a), y = ss_two_split(b);
    double     p = a * b;
    return (ss_twofold){p, ((x.hi * y.hi - p) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
}

/* x + a b; the error is at most a few units of 2^-106 of the larger term */
static inline ss_twofold ss_twofold_add_product(ss_twofold x, double a, double b)
{
    ss_twofold p = ss_two_product(a, b), s = ss_two_sum(x.hi, p.hi);
    return ss_two_sum_ordered(s.hi, s.lo + (x.lo + p.lo));
}

/* The same error, of the larger term, have x + y, and of the result the others. */
static inline ss_twofold ss_twofold_add(ss_twofold x, ss_twofold y)
{
    ss_twofold s = ss_two_sum(x.hi, y.hi);
    return ss_two_sum_ordered(s.hi, s.lo + (x.lo + y.lo));
}

static inline ss_twofold ss_twofold_scale(ss_twofold x, double a)
{
    ss_twofold p = ss_two_product(x.hi, a);
    return ss_two_sum_ordered(p.hi, p.lo + x.lo * a);
}

static inline ss_twofold ss_twofold_subtract(ss_twofold x, ss_twofold y)
{
    return ss_twofold_add(x, (ss_twofold){-y.hi, -y.lo});
}

static inline ss_twofold ss_twofold_product(ss_twofold x, ss_twofold y)
{
    ss_twofold p = ss_two_product(x.hi, y.hi);
    return ss_two_sum_ordered(p.hi, p.lo + (x.hi * y.lo + x.lo * y.hi));
}

static inline ss_twofold ss_twofold_quotient(ss_twofold x, ss_twofold y)
{
    double     first = x.hi / y.hi;
    ss_twofold rest  = ss_twofold_subtract(x, ss_twofold_scale(y, first));
    return ss_two_sum_ordered(first, rest.hi / y.hi);
}

/* The root of x >= 0. */
static inline ss_twofold ss_twofold_root(ss_twofold x)
{
    double     first = sqrt(x.hi);
    ss_twofold rest  = ss_twofold_subtract(x, ss_two_product(first, first));
    return first > 0 ? ss_two_sum_ordered(first, rest.hi / (2 * first)) : (ss_twofold){0, 0};
}

#endif
