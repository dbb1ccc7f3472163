/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convex polygons and convex cells in space, cut by planes: what taking a solid apart is made of.
 * Memory is that of the set; points nearer to a plane than `rounding` lie on it.
 */
#ifndef SS_GEOM_CUT_POLYGON_H
#define SS_GEOM_CUT_POLYGON_H

#include "geom/geom.h"

typedef struct ss_cut_plane {
    ss_vec3 normal;
    double  offset; /* normal.x = offset on the plane */
} ss_cut_plane;

typedef struct ss_cut_polygon {
    const ss_vec3 *v;     /* (count) counter-clockwise seen against the normal of its plane */
    int32_t        count; /* 0: none                                                        */
    int32_t        plane; /* number of the plane it lies in, for who needs it               */
} ss_cut_polygon;

typedef struct ss_cut_cell {
    ss_cut_polygon *faces;  /* (count) looking outwards */
    ss_cut_plane   *planes; /* (count) of the faces     */
    int32_t         count;  /* 0: empty                 */
} ss_cut_cell;

static inline double ss_height(const ss_cut_plane *p, ss_vec3 x)
{
    return ss_dot(p->normal, x) - p->offset;
}

static inline ss_cut_plane ss_turned(const ss_cut_plane *p)
{
    return (ss_cut_plane){ss_neg(p->normal), -p->offset};
}

/* -1: below the plane, 1: above, 0: in it, 2: on both sides. */
int ss_polygon_side(const ss_cut_polygon *p, const ss_cut_plane *plane, double rounding);

/* What lies below the plane; count 0 where that has no area. */
ss_status ss_polygon_below(ss_geom_set *set, const ss_cut_polygon *p, const ss_cut_plane *plane,
                           double rounding, ss_cut_polygon *out);

/* The part of a cell below the plane, closed by a face in the plane; count 0: nothing. */
ss_status ss_cell_below(ss_geom_set *set, const ss_cut_cell *c, const ss_cut_plane *plane,
                        double rounding, ss_cut_cell *out);

/* The cell that a convex polyhedron is. */
ss_status ss_cell_of(ss_geom_set *set, const ss_polyhedron *p, ss_cut_cell *out);

/*
 * How far, at most, the points of a polygon are from where they leave the cell along `direction`:
 * for each face of the cell the furthest corner, then the nearest face.
 */
double ss_cell_exit(const ss_cut_cell *c, const ss_cut_polygon *p, ss_vec3 direction);

#endif
