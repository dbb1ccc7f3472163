/* SPDX-License-Identifier: Apache-2.0 */
/* Which routine collides which shapes: one matrix for 3D, one for 2D, upper triangles. */
#include <stddef.h>

#include "collide/pairs.h"
#include "geom/geom.h"

/* Kinds of geoms: rows and columns of the matrices. */
enum { PLANE, POINT, SPHERE, BOX, KINDS_3D };
enum { LINE, POINT_2D, DISC, POLYGON, KINDS_2D };

#define NEVER  NULL
#define MIRROR NULL /* below the diagonal: handed over in the other order */

/* clang-format off */
static const ss_pair_fn matrix_3d[KINDS_3D][KINDS_3D] = {
/*              plane   point                 sphere                 box                  */
/* plane  */ {  NEVER,  ss_pair_plane_sphere, ss_pair_plane_sphere,  ss_pair_plane_box    },
/* point  */ {  MIRROR, NEVER,                ss_pair_sphere_sphere, ss_pair_point_poly   },
/* sphere */ {  MIRROR, MIRROR,               ss_pair_sphere_sphere, ss_pair_sphere_box   },
/* box    */ {  MIRROR, MIRROR,               MIRROR,                ss_pair_poly_poly    },
};

static const ss_pair_fn matrix_2d[KINDS_2D][KINDS_2D] = {
/*               line    point                 disc                   polygon                 */
/* line    */ {  NEVER,  ss_pair_plane_sphere, ss_pair_plane_sphere,  ss_pair_plane_poly      },
/* point   */ {  MIRROR, NEVER,                ss_pair_sphere_sphere, ss_pair_point_poly      },
/* disc    */ {  MIRROR, MIRROR,               ss_pair_sphere_sphere, ss_pair_disc_polygon    },
/* polygon */ {  MIRROR, MIRROR,               MIRROR,                ss_pair_polygon_polygon },
};
/* clang-format on */

typedef struct kind {
    const ss_shape_class *cls;
    int                   in_3d, in_2d; /* -1: does not exist there */
} kind;

static const kind kinds[] = {
    {&ss_shape_plane, PLANE, -1},       {&ss_shape_halfplane, -1, LINE},
    {&ss_shape_point, POINT, POINT_2D}, {&ss_shape_sphere, SPHERE, -1},
    {&ss_shape_disc, -1, DISC},         {&ss_shape_box, BOX, POLYGON},
};

static int kind_of(const ss_shape_class *cls, int dimension)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].cls == cls) {
            return dimension == 2 ? kinds[i].in_2d : kinds[i].in_3d;
        }
    }
    return -1;
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
