/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An LCP near a guess, by active sets: without a dictionary, which is as large as the matrix and
 * has to be made before the first pivot.
 */
#ifndef SS_SOLVER_GUESSED_SET_H
#define SS_SOLVER_GUESSED_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "stickslip/problem.h"

/* Bytes of workspace for n unknowns. */
size_t ss_guessed_set_bytes(int32_t n);

/*
 * From the set `inside` (kept as it is) to a solution z within a few exchanges; gives their number,
 * or -1 where there is no such luck (z is then spoilt). What it gives is to be certified like any
 * other answer. *products: what it took is added.
 */
int32_t ss_guessed_set(const ss_lcp *p, const unsigned char *inside, double *z, void *memory,
                       double *products);

/*
 * Of few unknowns: the set of rows that are negative at z = 0, without any guess.
 * True: z is the solution, every row right to rounding. False: that set is not the answer's, or
 * does not allow elimination in order; z is then anything. It takes a fraction of making a
 * dictionary.
 */
enum { SS_FIRST_SET_MOST = 8 };
bool ss_first_set(const ss_lcp *p, double *z);

#endif
