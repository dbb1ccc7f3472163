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
 * About `wanted` points on a square grid inside the outline, with the pressure |r|^exponent at the
 * distance r from the centre of mass: 0 is uniform, large exponents leave the rim. The whole is
 * tilted linearly, so that force and moments balance `weight` at the centre of mass. False when no
 * such tilt keeps every force positive, or there are too many points.
 */
bool pressure_sample(pressure *p, const ss_vec3 *outline, int32_t count, ss_vec3 com, double weight,
                     double exponent, int wanted);

#endif
