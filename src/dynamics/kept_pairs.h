/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contacts of pairs that are collided again as they stand. Contacts are a function of two frames
 * and a reach. Rounds of models without a matrix (rounds/reason_proximal.c), a hundred in a step,
 * all take the configuration at its start; a pair of intersections takes as long as thousands of
 * small problems. What a pair gave in the last round it gives again, to the bit, if it is asked the
 * same. Nothing is kept from one attempt at a step to the next: the work that is counted does not
 * depend on what was done before.
 */
#ifndef SS_DYNAMICS_KEPT_PAIRS_H
#define SS_DYNAMICS_KEPT_PAIRS_H

#include "model/data.h"

/* An attempt begins: nothing is known. */
void ss_forget_kept(ss_data *d);

/* A round collides its pairs: what the last one found can be asked for. */
void ss_turn_kept(ss_data *d);

/* Puts the contacts of pair i of the last round into the list, if that was this pair, asked the
   same (`first` and `count` are not compared). */
bool ss_take_kept_pair(ss_data *d, int32_t i, const ss_kept_pair *asked);

/* Keeps the contacts of the list from asked->first on. */
void ss_keep_pair(ss_data *d, ss_kept_pair *asked);

/* Was there room for all? */
bool ss_kept_fit(const ss_data *d);

#endif
