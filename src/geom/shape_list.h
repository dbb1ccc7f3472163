/* SPDX-License-Identifier: Apache-2.0 */
/* One line per shape: a file of src/geom defines `const ss_shape_class ss_shape_<name>`. */
#ifndef SS_SHAPE_LIST_H
#define SS_SHAPE_LIST_H

#define SS_SHAPE_LIST                                                                              \
    SS_SHAPE(plane)                                                                                \
    SS_SHAPE(sphere)                                                                               \
    SS_SHAPE(box)                                                                                  \
    SS_SHAPE(halfplane)                                                                            \
    SS_SHAPE(disc)                                                                                 \
    SS_SHAPE(point)                                                                                \
    SS_SHAPE(union)

#endif
