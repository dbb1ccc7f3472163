/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the general convex routine sees a shape: a core with a layer of constant thickness around it
 * (a sphere is a thick point, a capsule a thick segment), and the features of the core that can be
 * nearest to something in a given direction.
 */
#ifndef SS_COLLIDE_CORE_H
#define SS_COLLIDE_CORE_H

#include "collide/patch.h"

typedef enum ss_core_kind {
    SS_CORE_POINT,
    SS_CORE_SEGMENT,
    SS_CORE_POLYHEDRON,
    SS_CORE_CYLINDER,
    SS_CORE_SMOOTH,
    SS_CORE_SOLID /* cut from several shapes */
} ss_core_kind;

typedef struct ss_core {
    ss_core_kind    kind;
    const ss_geom  *g;
    const ss_frame *f;
    double          radius; /* thickness of the layer      */
    ss_vec3         centre; /* a point inside, in the world */
    int32_t        *asked;  /* counts how often it was asked for a point; NULL: nobody counts */
} ss_core;

/* Features, in the order in which ties are decided. */
typedef enum ss_mode_kind {
    SS_MODE_FACE,   /* the direction is `e`, the face's normal                             */
    SS_MODE_LINE,   /* the direction is perpendicular to `e`; the surface is x + t e + radius n   */
    SS_MODE_POINT,  /* any direction; the surface point is x                               */
    SS_MODE_RIM,    /* any direction; a circle of `radius` about x with axis e             */
    SS_MODE_SMOOTH, /* any direction; the support point of the core                       */
    SS_MODE_PATCH,  /* any direction; of one curved surface of a solid                    */
    SS_MODE_CREASE  /* any direction; of one of its creases, near x                       */
} ss_mode_kind;

typedef struct ss_mode {
    ss_mode_kind kind;
    ss_vec3      x, e;
    double       radius;
    uint32_t     feature;
} ss_mode;

enum { SS_MODES_MAX = 48 };

ss_core ss_core_of(const ss_geom *g, const ss_frame *f);
/* The point of the core furthest in direction d, in the world. */
ss_vec3 ss_core_support(const ss_core *c, ss_vec3 d);
/* The features that can be extreme in directions near d; where many are as far, those towards a
   point. Returns how many (at least one). */
int32_t ss_core_modes(const ss_core *c, ss_vec3 d, ss_vec3 towards, ss_mode modes[SS_MODES_MAX]);
/* The point of a feature in direction d (of a face: any of the core). */
ss_vec3 ss_mode_point(const ss_core *c, const ss_mode *m, ss_vec3 d);
/* Does x lie over the face of this mode? Then nothing else of the shape is nearer to it. */
bool ss_mode_is_under(const ss_core *c, const ss_mode *face, ss_vec3 x);
/* Is x, so deep inside the face, no deeper inside than from every other one? Then what it belongs
   to leaves the shape by no way that is shorter. False also where that is not known. */
bool ss_mode_is_nearest(const ss_core *c, const ss_mode *face, ss_vec3 x, double depth);
/*
 * The flat part of the surface that looks most in direction d; count 1 when it is curved there.
 * Ends of cylinders count, and facets of solids come before straight lines, when they are inclined
 * by no more than `slack`.
 */
void ss_core_flat(const ss_core *c, ss_vec3 d, double slack, ss_flat *out);

/* Points on the rim of a cylinder that stand for its flat end: their number, and where they are. */
enum { SS_RIM_POINTS = 12 };
ss_vec3 ss_rim_point(const ss_geom *cylinder, int32_t i); /* i < 12: lower end, then the upper */

#endif
