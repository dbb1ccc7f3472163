/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_STUDY_SOBOL_H
#define SS_STUDY_SOBOL_H

#include <stdint.h>

enum { SS_SOBOL_DIMENSIONS = 21 };

/* Coordinate `dimension` of point `index`, scrambled by `seed`; 32 bits after the point. */
uint32_t ss_sobol(uint32_t index, int32_t dimension, uint32_t seed);

/* Where `i` of 0 .. n-1 goes in the permutation number `key`. */
uint32_t ss_permute(uint32_t i, uint32_t n, uint32_t key);

#endif
