/* SPDX-License-Identifier: Apache-2.0 */
/* What a model has where its scene names nothing else. */
#ifndef SS_MODEL_TOLERANCES_H
#define SS_MODEL_TOLERANCES_H

/* The largest residual of a step that is certified: no unit. Well above rounding in problems of
   some hundred contacts, and far below anything that is seen. Ten times larger: bodies at rest
   creep at 1e-8 of the speed that their weight gives them in a step. */
#define SS_STEP_TOLERANCE 1e-9

/* The part of it that solvers aim at, so that the tolerance is not met by a hair. Ten times larger:
   faster on large piles, with less to spare. */
#define SS_STEP_TARGET 1e-3

/* A number as text, for tables that are printed. */
#define SS_TEXT_OF(x) #x
#define SS_TEXT(x)    SS_TEXT_OF(x)

/*
 * Motion error (problem/residual_cone.c; no unit) that is enough for islands too large to be solved
 * exactly at little cost: velocities of contacts right to a hundredth of what gravity changes in a
 * step, gaps to that times h. Ten times larger: piles creep visibly; ten times smaller: three to
 * eight times the sweeps.
 */
#define SS_MOTION_ENOUGH 1e-2

/* The default of step_limit, in seconds: longer than any step that was meant; a hang ends in time.
   Ten times larger: nobody waits that long. */
#define SS_STEP_LIMIT 300.0

#endif
