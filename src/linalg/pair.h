/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two doubles side by side, which every processor has. They are for loops over a few rows that the
 * compiler takes apart otherwise; each lane is rounded as a double by itself, so that the bits are
 * those of the plain loop.
 */
#ifndef SS_LINALG_PAIR_H
#define SS_LINALG_PAIR_H

#include <stdint.h>
#include <string.h>

typedef double  ss_pair __attribute__((vector_size(2 * sizeof(double))));
typedef int64_t ss_pair_bits __attribute__((vector_size(2 * sizeof(double))));

static inline ss_pair ss_pair_load(const double *at)
{
    ss_pair x;
    memcpy(&x, at, sizeof x);
    return x;
}

static inline void ss_pair_store(double *at, ss_pair x)
{
    memcpy(at, &x, sizeof x);
}

static inline ss_pair ss_pair_abs(ss_pair x)
{
    return (ss_pair)((ss_pair_bits)x & INT64_MAX);
}

/* a where `which` has all bits, b where it has none. */
static inline ss_pair ss_pair_choose(ss_pair_bits which, ss_pair a, ss_pair b)
{
    return (ss_pair)(((ss_pair_bits)a & which) | ((ss_pair_bits)b & ~which));
}

static inline ss_pair ss_pair_max(ss_pair a, ss_pair b)
{
    return ss_pair_choose((ss_pair_bits)(a > b), a, b);
}

static inline ss_pair ss_pair_min(ss_pair a, ss_pair b)
{
    return ss_pair_choose((ss_pair_bits)(a < b), a, b);
}

#endif
