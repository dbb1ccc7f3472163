/* SPDX-License-Identifier: Apache-2.0 */
#include "study/philox.h"

enum { ROUNDS = 10 };

/* Multipliers and Weyl increments of the paper. */
static const uint32_t M0 = 0xD2511F53u, M1 = 0xCD9E8D57u;
static const uint32_t W0 = 0x9E3779B9u, W1 = 0xBB67AE85u;

ss_philox ss_philox_block(const uint32_t counter[4], uint64_t key)
{
    ss_philox c  = {{counter[0], counter[1], counter[2], counter[3]}};
    uint32_t  k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t  p0 = (uint64_t)M0 * c.x[0], p1 = (uint64_t)M1 * c.x[2];
        ss_philox next = {{(uint32_t)(p1 >> 32) ^ c.x[1] ^ k0, (uint32_t)p1,
                           (uint32_t)(p0 >> 32) ^ c.x[3] ^ k1, (uint32_t)p0}};
        c              = next;
        k0 += W0;
        k1 += W1;
    }
    return c;
}

/* 53 bits, in the middle of their cell: (n + 1/2) / 2^53. */
static double to_unit(uint32_t high, uint32_t low)
{
    uint64_t bits = ((uint64_t)high << 32 | low) >> 11;
    double   x    = ((double)bits + 0.5) * 0x1p-53;
    return x < 1 ? x : 1 - 0x1p-53; /* the last cell's middle rounds to 1 */
}

void ss_philox_uniform(uint64_t seed, uint64_t trial, uint32_t variable, uint32_t index,
                       double out[2])
{
    const uint32_t counter[4] = {(uint32_t)trial, (uint32_t)(trial >> 32), variable, index};
    ss_philox      block      = ss_philox_block(counter, seed);
    out[0]                    = to_unit(block.x[0], block.x[1]);
    out[1]                    = to_unit(block.x[2], block.x[3]);
}

uint32_t ss_philox_name(const char *name)
{
    uint32_t hash = 2166136261u;
    for (const char *c = name; *c != '\0'; c++) {
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    }
    return hash;
}
