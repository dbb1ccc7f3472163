/* SPDX-License-Identifier: Apache-2.0 */
/* One line per shape: a file of src/geom defines `const ss_shape_class ss_shape_<name>`. */
#ifndef SS_SHAPE_LIST_H
#define SS_SHAPE_LIST_H

#define SS_SHAPE_LIST                                                                              \
    SS_SHAPE(plane)                                                                                \
    SS_SHAPE(sphere)                                                                               \
    SS_SHAPE(box)                                                                                  \
    SS_SHAPE(capsule)                                                                              \
    SS_SHAPE(cylinder)                                                                             \
    SS_SHAPE(ellipsoid)                                                                            \
    SS_SHAPE(superellipsoid)                                                                       \
    SS_SHAPE(convex)                                                                               \
    SS_SHAPE(mesh)                                                                                 \
    SS_SHAPE(points)                                                                               \
    SS_SHAPE(halfplane)                                                                            \
    SS_SHAPE(disc)                                                                                 \
    SS_SHAPE(polygon)                                                                              \
    SS_SHAPE(superellipse)                                                                         \
    SS_SHAPE(point)                                                                                \
    SS_SHAPE(union)                                                                                \
    SS_SHAPE(intersection)                                                                         \
    SS_SHAPE(implicit)

#endif
