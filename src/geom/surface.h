/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Smooth surfaces that bound convex sets: what solids cut from several shapes are made of. A box
 * is six of them, a cylinder three. In the plane they are curves; z is then ignored.
 */
#ifndef SS_GEOM_SURFACE_H
#define SS_GEOM_SURFACE_H

#include "geom/geom.h"

typedef enum ss_surface_kind {
    SS_SURFACE_PLANE,   /* normal.x <= offset                                                   */
    SS_SURFACE_QUADRIC, /* |w| <= 1, w = y * inverse: sphere, disc, ellipsoid; a cylinder: z 0  */
    SS_SURFACE_CAPSULE, /* within `radius` of a segment along z                                 */
    SS_SURFACE_OVAL,    /* superellipsoid, superellipse                                         */
    SS_SURFACE_FORMULA  /* f <= 0 by a formula                                                  */
} ss_surface_kind;

typedef struct ss_surface {
    ss_surface_kind kind;
    int32_t         part;   /* of the intersection that it bounds                              */
    ss_vec3         normal; /* plane: out of the solid, unit                                   */
    double          offset; /* plane                                                           */
    ss_frame        at;     /* the others: y are coordinates in this frame                     */
    ss_vec3         inverse;
    double          radius, half; /* capsule; cylinder                                         */
    bool            endless;      /* a cylinder without ends: it has no support point          */
    ss_geom         shape;        /* whose support point it has                                */
} ss_surface;

/*
 * How far x is outside, to first order at the surface and with the right sign everywhere; and the
 * unit normal out of the set there.
 */
double ss_surface_height(const ss_surface *s, ss_vec3 x, ss_vec3 *normal);
/* How much the normal turns along the unit tangent t: the curvature of the section through it. */
double ss_surface_bend(const ss_surface *s, ss_vec3 x, ss_vec3 t, double size);
/* The largest k with c + k u inside; c is inside. INFINITY: never leaves. */
double ss_surface_exit(const ss_surface *s, ss_vec3 c, ss_vec3 u);
/* Narrow t[0] .. t[1] to the part of the line x + t e inside; false: none of it is. */
bool ss_surface_chord(const ss_surface *s, ss_vec3 x, ss_vec3 e, double t[2]);
/* The point furthest in direction d; false when there is none. */
bool ss_surface_support(const ss_surface *s, ss_vec3 d, ss_vec3 *x);
/* The number (0 .. 7) of its smooth piece around x: sides of a capsule, eighths of an oval. */
int32_t ss_surface_piece(const ss_surface *s, ss_vec3 x);
/* The same surface in coordinates whose origin is o. */
void ss_surface_move_origin(ss_surface *s, ss_vec3 o);
/* The same surface within rounding? */
bool ss_surface_same(const ss_surface *a, const ss_surface *b, double size);
/* Do they meet in a straight line? Then its direction. */
bool ss_surface_straight_edge(const ss_surface *a, const ss_surface *b, ss_vec3 *e);
/* Do they meet in an ellipse (a plane and a quadric, two spheres)? Then  c + p cos t + q sin t. */
bool ss_surface_ellipse(const ss_surface *a, const ss_surface *b, ss_vec3 *c, ss_vec3 *p,
                        ss_vec3 *q);
/* Is a part of the curve in which they meet straight, along the side of a capsule? */
bool ss_surface_straight_piece(const ss_surface *a, const ss_surface *b, ss_vec3 *e);

/* The number of surfaces of a geom; 0: it has no inside. */
int32_t ss_surface_count_of(const ss_geom *g);
/* Those surfaces, in the coordinates in which the geom is placed. */
void ss_surface_of(const ss_geom *g, int dimension, int32_t part, ss_surface *out);

#endif
