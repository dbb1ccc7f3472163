/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerances of sim/: name, meaning, why this value, what if it were ten times larger. Without
 * units: relative to what is compared. */
#ifndef SS_SIM_TOLERANCES_H
#define SS_SIM_TOLERANCES_H

/* A last step that is shorter than the others by less than this part is a whole one, and a time
   short of the end by less is the end: sums of steps are rounded. Ten times larger: the end is off
   by 1e-8 of a step. */
#define SS_STEP_ROUNDING    1e-9
#define SS_STEPS_THOUSANDTH 1e-3

/* What is left of a step that was cut into parts by less than this part of it is nothing. */
#define SS_PART_ROUNDING 1e-12

/* Settled: slower than this part of the speed that the loads alone give in a step. Ten times
   larger: creeping counts as rest. */
#define SS_SETTLED_SPEED 1e-9

/* Overlaps at the start below this part of the smaller body are rounding of the scene's numbers and
   not warned of. */
#define SS_START_OVERLAP 1e-9

#endif
