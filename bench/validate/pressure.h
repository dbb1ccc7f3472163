/* SPDX-License-Identifier: Apache-2.0 */
/* Sampled pressure distributions under a part: a grid of points with normal forces. */
#ifndef SS_VALIDATE_PRESSURE_H
#define SS_VALIDATE_PRESSURE_H

#include "stickslip/stickslip.h"

enum { PRESSURE_POINTS = 400 };

typedef struct pressure {
    int32_t count;
    ss_vec3 points[PRESSURE_POINTS]; /* in the frame of the outline */
    double  forces[PRESSURE_POINTS];
} pressure;

/*
 * The family of distributions, at x, y from the centre of mass in units of a length:
 *
 *   |r|^exponent exp(tilt_x x + tilt_y y + stretch (x^2 - y^2) + shear 2 x y)
 *
 * All zero is uniform; a large exponent leaves the rim, a negative one the middle. The points lie
 * exp(reach) times as far from the centre of mass as on the part: how much a support resists
 * turning, over sliding, is then not bound to the outline. It is what an ellipsoidal limit surface
 * has a number for.
 */
typedef struct pressure_law {
    double exponent, tilt_x, tilt_y, stretch, shear, reach;
} pressure_law;

/*
 * About `wanted` points on a square grid inside the outline, with forces that follow the law and
 * add up to `weight`. False when there are fewer than 4 points or too many.
 */
bool pressure_sample(pressure *p, const ss_vec3 *outline, int32_t count, ss_vec3 com, double weight,
                     const pressure_law *law, double length, int wanted);

#endif
