/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerances of identify/: name, meaning, why this value, what if it were ten times larger. */
#ifndef SS_IDENTIFY_TOLERANCES_H
#define SS_IDENTIFY_TOLERANCES_H

/* Differences for derivatives of runs, as a part of a parameter's scale. Runs are solved to 1e-12
   and better, so that slopes have 1e-8 of rounding; where contacts change within the difference,
   slopes are those between. Ten times larger: curvature shows at 1e-6. */
#define SS_DIFFERENCE 1e-4

/* The least scale that a study may say, as a part of the width of the bounds: differences of 1e-4
   of it are still a thousand times rounding. Ten times larger: refuses bounds of a million scales.
 */
#define SS_SCALE_LEAST 1e-9

/* The least and the largest noise that a study may say, SI units: squares of residuals, and of
   their slopes, stay far within the range of numbers. Ten times larger: no difference to any
   camera. */
#define SS_NOISE_TOLD_LEAST 1e-15
#define SS_NOISE_TOLD_MOST  1e15

/* The largest number that a recording may hold, SI units: with the least noise its square is still
   a number. Ten times larger: no difference to any camera. */
#define SS_RECORDED_MOST 1e15

/* Damping of Gauss-Newton steps, as a part of the diagonal: the first, the least, and where the
   search gives up. Ten times larger: an iteration more. */
#define SS_DAMPING_FIRST 1e-3
#define SS_DAMPING_LEAST 1e-9
#define SS_DAMPING_MOST  1e9

/* A search ends where a step takes less than this part off the cost. Ten times larger: estimates
   off by 1e-4 of their own deviation. */
#define SS_COST_CHANGE 1e-9

/* .. or is shorter than this, in scales. */
#define SS_STEP_ENOUGH 1e-8

/* A parameter whose deviation, in scales, is beyond this has no column in J: nothing depends on it.
 */
#define SS_BLIND 1e6

/* The least damping of J'J where parameters can stand in for each other, as a part of its diagonal.
   Ten times larger: deviations of such parameters three times smaller, still beyond any bound. */
#define SS_COLLINEAR 1e-14

/* A parameter within this part of the width of its bounds from one of them is at it. */
#define SS_AT_BOUND 1e-6

/* The profile of the likelihood is followed until it is this near to its quantile, relatively. Ten
   times larger: interval ends off by a hundredth of the deviation. */
#define SS_PROFILE_ENOUGH 1e-3

/* An interval one of whose sides is this part of the other, or both of the linear model's, is of a
   likelihood that jumps. Ten times larger: no interval would be even enough. */
#define SS_ROUGH 0.2

/* An interval of whose width the step's error (to one side) is this part is told: then the step
   says half of it, and noise the other half. Ten times larger: never told. */
#define SS_STEP_MOST 0.25

/* Two parameters that are correlated beyond this are told. */
#define SS_CORRELATED 0.95

/* Residuals that are correlated beyond this with those of the sample before are told. */
#define SS_MEMORY 0.5

/* Residuals that exceed the noise that is said to be known by this many of their deviations are
   told; no unit. Ten times larger: noise said to be a third of what it is would pass. */
#define SS_NOISE_BEYOND 4.0

/* Methods window and particles: a value whose deviation is this part of that of "anything between
   its bounds" is not determined. Nearer to 1: rounding and chance hide that nothing is known. */
#define SS_SPREAD_UNKNOWN 0.85

/* .. the least deviation of a coordinate at the start of a window, as a part of its scale: what
   rests, rests exactly, and its speed has no deviation of its own. Ten times larger: 1e-5 of an
   extent, below all cameras. */
#define SS_SPREAD_LEAST 1e-6

/* .. the trace that makes a correlation matrix definite. */
#define SS_DEFINITE 1e-10

/* .. a posterior that at a bound is this part of its peak is open there: exp(-q^2/2) with q the
   normal quantile of 90 %, as profiles have it. */
#define SS_OPEN_DENSITY 0.26

/* .. fewer effective particles than this are told; no unit. */
#define SS_FEW_PARTICLES 10.0

/* .. values of windows that share no sample scatter by more than chance where their squares exceed
   their number by this many deviations; no unit. */
#define SS_WANDERS 4.0

/* .. a filter is held against least squares over all samples: values apart by more than this many
   deviations, or a deviation less than this part of the other's, are told; no unit. */
#define SS_FILTER_APART  4.0
#define SS_FILTER_NARROW 0.3

/* Numbers that are off by this many spreads are outliers: of normal noise one in 5e8 is; no unit.
   The spread is this many medians of sizes, for normal noise its deviation. */
#define SS_OUTLIER       6.0
#define SS_NORMAL_MEDIAN 1.4826

/* .. where few of them are: many are no outliers but a model that does not fit at times. */
#define SS_OUTLIER_SHARE 0.2

/* The least noise, in units of what was told, that intervals are made from: recordings that a run
   explains to rounding have none. */
#define SS_NOISE_LEAST 1e-12

/* Method mpec: positions of the program and of the run agree to this part of the recording's
   extent. Ten times larger: 1e-8, still far below what data tell. */
#define SS_PROGRAM_AGREES 1e-9

/* .. friction follows a free value on a line to this, and samples fall on steps to this part of
   one: rounding of decimals in files. */
#define SS_LINEAR  1e-9
#define SS_ON_STEP 1e-6

/* .. products of complementary variables are relaxed to this part of their scale at first, near a
   run that explains the recording. Ten times larger: more iterations. */
#define SS_FIRST_RELAXED 1e-6

/* .. the least force that a product of force and way is measured by: of particles without weight.
 */
#define SS_LEAST_FORCE 1e-300

/* The mean of rotations of an ensemble is found to this, rad. Ten times larger: 1e-8, far below
   what cameras see. */
#define SS_MEAN_ROTATION 1e-9

/* A jump of the velocity is an impact from this on, m/s: what a fall of half a millimetre brings;
   the default of `loss: {least}`. Ten times larger: bounces lower than 5 cm would be lost. */
#define SS_LEAST_IMPACT 0.1

#endif
