/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Friction that varies with place: the coefficient of a surface as a formula of the coordinates of
 * its body's frame, or as values at the points of a grid, bilinear between them and constant
 * beyond.
 */
#ifndef SS_MODEL_FRICTION_PLACE_H
#define SS_MODEL_FRICTION_PLACE_H

#include "expr/formula.h"
#include "stickslip/scene.h"

typedef struct ss_friction_place {
    bool          by_formula;
    ss_formula    formula;
    int32_t       nx, ny;
    const double *x, *y;   /* increasing                                                */
    const double *values;  /* (ny x nx)                                                 */
    int32_t       axes[2]; /* which coordinates x and y are                             */
    bool          world;   /* of the world's frame, not the body's                      */
} ss_friction_place;

/* At `p` of the frame that it is given in. */
double ss_friction_at(const ss_friction_place *f, ss_vec3 p);

#endif
