/* SPDX-License-Identifier: Apache-2.0 */
/* The narrow-phase routines that the pair table names. The first shape of the name is `a`. */
#ifndef SS_COLLIDE_PAIRS_H
#define SS_COLLIDE_PAIRS_H

#include "collide/contact.h"

#define SS_PAIR_ARGS                                                                               \
    const ss_geom *a, const ss_frame *fa, const ss_geom *b, const ss_frame *fb, double reach,      \
        ss_contact_list *out

void ss_pair_plane_sphere(SS_PAIR_ARGS);
void ss_pair_plane_box(SS_PAIR_ARGS);
void ss_pair_plane_poly(SS_PAIR_ARGS);
void ss_pair_plane_capsule(SS_PAIR_ARGS);
void ss_pair_plane_cylinder(SS_PAIR_ARGS);
void ss_pair_plane_smooth(SS_PAIR_ARGS);
void ss_pair_plane_solid(SS_PAIR_ARGS);
void ss_pair_sphere_sphere(SS_PAIR_ARGS);
void ss_pair_sphere_box(SS_PAIR_ARGS);
void ss_pair_sphere_poly(SS_PAIR_ARGS);
void ss_pair_point_poly(SS_PAIR_ARGS);
void ss_pair_disc_polygon(SS_PAIR_ARGS);
void ss_pair_poly_poly(SS_PAIR_ARGS);
void ss_pair_polygon_polygon(SS_PAIR_ARGS);
void ss_pair_convex(SS_PAIR_ARGS);
void ss_pair_convex_2d(SS_PAIR_ARGS);

/* True gaps, found by the same searches. */
#define SS_GAP_ARGS                                                                                \
    const ss_geom *a, const ss_frame *fa, const ss_geom *b, const ss_frame *fb, double enough,     \
        ss_vec3 *normal

double ss_gap_plane(SS_GAP_ARGS);
double ss_gap_sphere_sphere(SS_GAP_ARGS);
double ss_gap_sphere_poly(SS_GAP_ARGS);
double ss_gap_disc_polygon(SS_GAP_ARGS);
double ss_gap_point_poly(SS_GAP_ARGS);
double ss_gap_poly_poly(SS_GAP_ARGS);
double ss_gap_polygon_polygon(SS_GAP_ARGS);
double ss_gap_convex(SS_GAP_ARGS);
double ss_gap_convex_2d(SS_GAP_ARGS);

#endif
