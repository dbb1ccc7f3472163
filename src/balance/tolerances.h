/* SPDX-License-Identifier: Apache-2.0 */
/* What counts as nothing where rest is looked for (rest.c). No units. */
#ifndef SS_BALANCE_TOLERANCES_H
#define SS_BALANCE_TOLERANCES_H

/*
 * Bodies slower than this part of what the load alone would make them in the step are at rest: the
 * certificate leaves about as much. Ten times larger: what creeps for 1e8 steps is stopped.
 */
static const double ss_rest_speed = 1e-8;

/*
 * A solution that moves by less than this part is rest itself. Ten times larger: creeping that
 * rounding makes is looked at less often.
 */
static const double ss_rest_moves = 1e-7;

/*
 * Forces balance, and a contact bears nothing, to this part of the load. The certificate (1e-9) has
 * the last word: ten times larger costs a residual more.
 */
static const double ss_rest_balance = 1e-10;

/*
 * Distance of the convex hull from the origin, its vectors being of length 1, above which the load
 * presses the contacts. Ten times larger: wedges of less than 1e-5 rad count as parallel walls.
 */
static const double ss_rest_pressed = 1e-6;

#endif
