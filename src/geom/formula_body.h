/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A convex body f(x) <= 0 given by a formula (expr/formula.h), after it was checked. Coordinates
 * have their origin near the centre of mass; the formula's own are shifted by `origin`.
 */
#ifndef SS_GEOM_FORMULA_BODY_H
#define SS_GEOM_FORMULA_BODY_H

#include "expr/formula.h"
#include "geom/geom.h"

/* Points of the surface that searches start from, and that show it: 2D around it, 3D 6 x 10^2. */
enum { SS_BODY_AROUND = 96, SS_BODY_GRID = 10, SS_BODY_POINTS = 6 * SS_BODY_GRID * SS_BODY_GRID };

typedef struct ss_formula_body {
    ss_formula f;
    int        dimension;
    ss_vec3    origin;    /* of the body's coordinates, in those of the formula        */
    ss_vec3    low, high; /* the bounds, in the body's coordinates: f > 0 on their border */
    double     size;      /* longest extent, about                                     */
    double     radius;    /* of a sphere about the origin that holds it                */
    ss_mat3    spread;    /* takes the unit sphere to an ellipsoid of its extents      */
    ss_mass    mass;
    ss_vec3    point[SS_BODY_POINTS];
    int32_t    point_count;
} ss_formula_body;

/* Reads, checks and measures it. The message says what is wrong with f or with the bounds. */
ss_status ss_formula_body_make(ss_context *ctx, const ss_shape_def *def, int dimension,
                               ss_formula_body *out);

/* f, its gradient and its second derivatives at x. */
ss_jet ss_body_at(const ss_formula_body *b, ss_vec3 x, int order);
/* f / |grad f|: the height over the surface to first order, with the right sign everywhere. */
double ss_body_height(const ss_formula_body *b, ss_vec3 x, ss_vec3 *normal);
/* The largest k with c + k u inside; c is inside. */
double ss_body_exit(const ss_formula_body *b, ss_vec3 c, ss_vec3 u);
/* The point furthest in direction d. */
ss_vec3 ss_body_support(const ss_formula_body *b, ss_vec3 d);

#endif
