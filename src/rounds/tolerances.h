/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_ROUNDS_TOLERANCES_H
#define SS_ROUNDS_TOLERANCES_H

/*
 * How much further than its bound a body may move in a step before its pairs are looked for again,
 * as part of the scene's length: what is nearer than this touches already (rows/tolerances.h). Ten
 * times larger: contacts up to 1e-8 of the scene deep are found a step late.
 */
#define SS_UNSEEN_PART 1e-9

/* The next bound over the speed that was found. Ten times larger: more pairs than needed. */
#define SS_SPEED_RAISE 2

#endif
