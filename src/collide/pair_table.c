/* SPDX-License-Identifier: Apache-2.0 */
/* Which routine collides which shapes: one matrix for 3D, one for 2D, upper triangles. */
#include <stddef.h>

#include "collide/pairs.h"
#include "geom/geom.h"

/* Kinds of geoms: rows and columns of the matrices. */
enum { PLANE, POINT, SPHERE, BOX, HULL, CAPSULE, CYLINDER, SMOOTH, SOLID, KINDS_3D };
enum { LINE, POINT_2D, DISC, POLYGON, OVAL, SOLID_2D, KINDS_2D };

#define P(name) ss_pair_##name
#define NEVER   NULL
#define MIRROR  NULL /* below the diagonal: handed over in the other order */

/* clang-format off */
static const ss_pair_fn matrix_3d[KINDS_3D][KINDS_3D] = {
/*              plane   point            sphere            box            hull            capsule           cylinder           smooth           solid          */
/* plane  */ {  NEVER,  P(plane_sphere), P(plane_sphere),  P(plane_box),  P(plane_poly),  P(plane_capsule), P(plane_cylinder), P(plane_smooth), P(plane_solid) },
/* point  */ {  MIRROR, NEVER,           P(sphere_sphere), P(point_poly), P(point_poly),  P(convex),        P(convex),         P(convex),       P(convex)      },
/* sphere */ {  MIRROR, MIRROR,          P(sphere_sphere), P(sphere_box), P(sphere_poly), P(convex),        P(convex),         P(convex),       P(convex)      },
/* box    */ {  MIRROR, MIRROR,          MIRROR,           P(poly_poly),  P(poly_poly),   P(convex),        P(convex),         P(convex),       P(convex)      },
/* hull   */ {  MIRROR, MIRROR,          MIRROR,           MIRROR,        P(poly_poly),   P(convex),        P(convex),         P(convex),       P(convex)      },
/* capsule*/ {  MIRROR, MIRROR,          MIRROR,           MIRROR,        MIRROR,         P(convex),        P(convex),         P(convex),       P(convex)      },
/* cylind.*/ {  MIRROR, MIRROR,          MIRROR,           MIRROR,        MIRROR,         MIRROR,           P(convex),         P(convex),       P(convex)      },
/* smooth */ {  MIRROR, MIRROR,          MIRROR,           MIRROR,        MIRROR,         MIRROR,           MIRROR,            P(convex),       P(convex)      },
/* solid  */ {  MIRROR, MIRROR,          MIRROR,           MIRROR,        MIRROR,         MIRROR,           MIRROR,            MIRROR,          P(convex)       },
};

static const ss_pair_fn matrix_2d[KINDS_2D][KINDS_2D] = {
/*               line    point            disc              polygon             oval             solid          */
/* line    */ {  NEVER,  P(plane_sphere), P(plane_sphere),  P(plane_poly),      P(plane_smooth), P(plane_solid) },
/* point   */ {  MIRROR, NEVER,           P(sphere_sphere), P(point_poly),      P(convex_2d),    P(convex_2d)   },
/* disc    */ {  MIRROR, MIRROR,          P(sphere_sphere), P(disc_polygon),    P(convex_2d),    P(convex_2d)   },
/* polygon */ {  MIRROR, MIRROR,          MIRROR,           P(polygon_polygon), P(convex_2d),    P(convex_2d)   },
/* oval    */ {  MIRROR, MIRROR,          MIRROR,           MIRROR,             P(convex_2d),    P(convex_2d)   },
/* solid   */ {  MIRROR, MIRROR,          MIRROR,           MIRROR,             MIRROR,         P(convex_2d)   },
};
/* clang-format on */

typedef struct kind {
    const ss_shape_class *cls;
    int                   in_3d, in_2d; /* -1: does not exist there */
} kind;

static const kind kinds[] = {
    {&ss_shape_plane, PLANE, -1},
    {&ss_shape_halfplane, -1, LINE},
    {&ss_shape_point, POINT, POINT_2D},
    {&ss_shape_sphere, SPHERE, -1},
    {&ss_shape_disc, -1, DISC},
    {&ss_shape_box, BOX, POLYGON},
    {&ss_shape_convex, HULL, -1},
    {&ss_shape_polygon, -1, POLYGON},
    {&ss_shape_capsule, CAPSULE, -1},
    {&ss_shape_cylinder, CYLINDER, -1},
    {&ss_shape_intersection, SOLID, SOLID_2D},
};

static int kind_of(const ss_shape_class *cls, int dimension)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].cls == cls) {
            return dimension == 2 ? kinds[i].in_2d : kinds[i].in_3d;
        }
    }
    if (cls->support == NULL) {
        return -1;
    }
    return dimension == 2 ? OVAL : SMOOTH; /* what has a support point only is taken as smooth */
}

/* The true gap that goes with each routine for contacts. */
static const struct {
    ss_pair_fn contacts;
    ss_gap_fn  gap;
} gaps[] = {
    {ss_pair_plane_sphere, ss_gap_plane},     {ss_pair_plane_box, ss_gap_plane},
    {ss_pair_plane_poly, ss_gap_plane},       {ss_pair_plane_capsule, ss_gap_plane},
    {ss_pair_plane_cylinder, ss_gap_plane},   {ss_pair_plane_smooth, ss_gap_plane},
    {ss_pair_plane_solid, ss_gap_plane},      {ss_pair_sphere_sphere, ss_gap_sphere_sphere},
    {ss_pair_sphere_box, ss_gap_sphere_poly}, {ss_pair_sphere_poly, ss_gap_sphere_poly},
    {ss_pair_point_poly, ss_gap_point_poly},  {ss_pair_disc_polygon, ss_gap_disc_polygon},
    {ss_pair_poly_poly, ss_gap_poly_poly},    {ss_pair_polygon_polygon, ss_gap_polygon_polygon},
    {ss_pair_convex, ss_gap_convex},          {ss_pair_convex_2d, ss_gap_convex_2d},
};

ss_gap_fn ss_gap_find(const ss_shape_class *a, const ss_shape_class *b, int dimension, int *swap)
{
    ss_pair_fn contacts = ss_pair_find(a, b, dimension, swap);
    for (size_t i = 0; contacts != NULL && i < sizeof gaps / sizeof gaps[0]; i++) {
        if (gaps[i].contacts == contacts) {
            return gaps[i].gap;
        }
    }
    return NULL;
}

ss_pair_fn ss_pair_find(const ss_shape_class *a, const ss_shape_class *b, int dimension, int *swap)
{
    int ka = kind_of(a, dimension), kb = kind_of(b, dimension);
    *swap = ka > kb;
    if (ka < 0 || kb < 0) {
        return NULL;
    }
    int row = *swap ? kb : ka, column = *swap ? ka : kb;
    return dimension == 2 ? matrix_2d[row][column] : matrix_3d[row][column];
}
