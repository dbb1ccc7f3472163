/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers as a function of where they are used: Philox4x32 with 10 rounds (Salmon, Moraes,
 * Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011). A counter of 128 bits is
 * scrambled under a key of 64 bits; there is no state, so that the numbers of a trial do not depend
 * on which worker computes it, when, or what was computed before.
 */
#ifndef SS_STUDY_PHILOX_H
#define SS_STUDY_PHILOX_H

#include <stdint.h>

typedef struct ss_philox {
    uint32_t x[4];
} ss_philox;

/* The block of four words that belongs to a counter under a key. */
ss_philox ss_philox_block(const uint32_t counter[4], uint64_t key);

/*
 * Two numbers in (0, 1), 53 bits each, never 0 or 1: the pair number `index` of variable `variable`
 * in trial `trial`.
 */
void ss_philox_uniform(uint64_t seed, uint64_t trial, uint32_t variable, uint32_t index,
                       double out[2]);

/* The name of a variable as a number: FNV-1a, so that adding a variable changes no other. */
uint32_t ss_philox_name(const char *name);

#endif
