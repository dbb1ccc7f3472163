/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A convex solid K = { x : inside every surface } with at least one curved surface on its boundary,
 * and the features of that boundary: patches of the curved surfaces, flat facets, creases where two
 * surfaces meet, corners where three do. In the plane: arcs, straight facets and corners.
 *
 * Its coordinates have their origin inside, near the centre of mass.
 */
#ifndef SS_GEOM_SOLID_H
#define SS_GEOM_SOLID_H

#include "geom/surface.h"

/* A connected piece of the curve in which two surfaces meet. */
typedef struct ss_crease {
    int32_t a, b; /* surfaces, a < b                                                            */
    bool    straight;
    bool    ellipse;
    ss_vec3 e;            /* direction of a straight one                                        */
    ss_vec3 c, p, q;      /* an ellipse: c + p cos t + q sin t                                  */
    int32_t first, count; /* of its points, in order along it; a straight one: its two ends       */
} ss_crease;

/* A flat facet, and the corners of a polygon inscribed in it, counter-clockwise from outside. */
typedef struct ss_facet {
    int32_t surface;
    int32_t first, count; /* of its outline                                                     */
} ss_facet;

typedef struct ss_outline_point {
    ss_vec3 x;
    int32_t id; /* corner, or corner_count + number of a point on a curved crease               */
    ss_vec3 centre; /* of the curvature of the outline there; of a corner: itself                 */
} ss_outline_point;

typedef struct ss_solid {
    int                     dimension;
    double                  size;   /* longest extent                                           */
    double                  radius; /* of a sphere about the origin that holds it               */
    int32_t                 surface_count, corner_count, crease_count, facet_count;
    const ss_surface       *surfaces; /* those that touch the boundary; curved ones first       */
    int32_t                 curved_count;
    const ss_vec3          *corners;
    const ss_crease        *creases;
    const ss_vec3          *crease_points;
    const ss_facet         *facets;
    const ss_outline_point *outlines;
    int32_t                 rim_count; /* points on curved creases among them */
    ss_mat3                 spread; /* takes the unit sphere to an ellipsoid of its extents     */
    ss_mass                 mass;
} ss_solid;

typedef enum ss_solid_feature { SS_SOLID_PATCH, SS_SOLID_CREASE, SS_SOLID_CORNER } ss_solid_feature;

typedef struct ss_solid_point {
    ss_vec3          x;
    ss_solid_feature feature;
    int32_t          index; /* of the surface, crease or corner                                 */
} ss_solid_point;

/* What the surfaces make together. */
typedef struct ss_solid_result {
    ss_solid *solid;
    ss_vec3   centre;    /* of its coordinates, in those of the surfaces                        */
    int32_t   only_part; /* the part that makes up the whole boundary, or -1                    */
} ss_solid_result;

/*
 * The solid inside all surfaces. start, size: of a ball that holds it. The surfaces are changed.
 * When one part makes up the whole boundary, or no curved surface is left, facets and mass are not
 * computed: such a solid is a shape that exists already.
 */
ss_status ss_solid_make(ss_geom_set *set, ss_surface *surfaces, int32_t count, ss_vec3 start,
                        double size, ss_solid_result *out);

/* The same without creases, corners, facets and mass: enough for ss_solid_mass(), which is slower
   where it does not know them. */
ss_status ss_solid_begin(ss_geom_set *set, ss_surface *surfaces, int32_t count, ss_vec3 start,
                         double size, ss_solid_result *out);

/* The point furthest in direction d. */
ss_solid_point ss_solid_support(const ss_solid *s, ss_vec3 d);
/* The lowest point of a patch or a crease in direction d; false: it is not on the boundary. */
bool ss_solid_patch_support(const ss_solid *s, int32_t surface, ss_vec3 d, ss_vec3 *x);
bool ss_solid_crease_support(const ss_solid *s, int32_t crease, ss_vec3 d, ss_vec3 *x);
/* Places on a crease that are further along d than their neighbours, and at least that far. */
int32_t ss_solid_peaks(const ss_solid *s, int32_t crease, ss_vec3 d, double least, ss_vec3 *x,
                       int32_t room);
/* From x along the curve of a crease, past its ends if need be, to where d.x is largest. */
bool ss_solid_follow(const ss_solid *s, int32_t crease, ss_vec3 d, ss_vec3 *x);
/* How far x is outside; `without`: a surface that does not count, or -1. */
double ss_solid_height(const ss_solid *s, ss_vec3 x, int32_t without);
/* Where the ray from the origin along u leaves the solid, and through which surface. */
ss_vec3 ss_solid_exit(const ss_solid *s, ss_vec3 u, int32_t *surface);
/* Part t0 .. t1 of the line x + t e that lies inside all surfaces but `without`. */
bool ss_solid_chord(const ss_solid *s, ss_vec3 x, ss_vec3 e, int32_t without, double t[2]);

/* Points of the boundary for drawing: their hull shows the solid; 2D: counter-clockwise. */
enum { SS_SOLID_OUTLINE = 2048 };
int32_t ss_solid_outline(const ss_solid *s, ss_vec3 *x, int32_t room);

/* ---- for the making -------------------------------------------------------------------------- */

/* Move x onto the surfaces listed (up to 3; in the plane z stays). False: they do not meet there.
 */
bool ss_solid_onto(const ss_solid *s, const int32_t *surfaces, int32_t count, ss_vec3 *x);
/* A point well inside; false: the solid is empty. size: of a ball about `start` that holds it. */
bool ss_solid_find_inside(const ss_solid *s, ss_vec3 start, double size, ss_vec3 *inside);
/* Move the origin from there to near the centre of mass, and find spread and size. */
bool ss_solid_centre(ss_solid *s, ss_surface *surfaces, ss_vec3 *centre);
/* Find which surfaces are there, creases, corners and facets. */
ss_status ss_solid_trace(ss_geom_set *set, ss_solid *s);
/* The polygons inscribed in the flat facets. */
ss_status ss_solid_facets(ss_geom_set *set, ss_solid *s);
/* Mass properties at unit density by integration over directions, to about 1e-12; with
 * superellipsoids 1e-9. */
void ss_solid_mass(ss_solid *s);

#endif
