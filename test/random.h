/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers for tests: the same everywhere, from any seed. */
#ifndef SS_TEST_RANDOM_H
#define SS_TEST_RANDOM_H

#include <stdint.h>

/* splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t random_bits(uint64_t *seed)
{
    uint64_t x = (*seed += 0x9E3779B97F4A7C15u);
    x          = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x          = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* In [low, high). */
static inline double random_between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * ((double)(random_bits(seed) >> 11) / 9007199254740992.0);
}

#endif
