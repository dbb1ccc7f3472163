/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The motions of an island that balance with the forces found (motion_rows.c), and which of them
 * the step takes (motion.c). Models without a matrix only.
 */
#ifndef SS_FORMULATE_MOTION_H
#define SS_FORMULATE_MOTION_H

#include "formulate/formulate.h"

/*
 * Numbers are never exactly zero. What counts as zero, on the side of more motions (`wide`: a
 * motion that is unique among these is unique) or of fewer (`narrow`: a direction among these is
 * one).
 */
typedef struct ss_motion_margin {
    double force;  /* of the forces on the lighter body: below, nothing is carried        */
    double limit;  /* of the friction bound: nearer to it, friction is at its limit       */
    double length; /* of the scene's length: nearer than that, things touch               */
    double rank;   /* of a unit row: what is left outside the rows before it is nothing   */
} ss_motion_margin;

/*
 * g.(change of velocity) = 0, or g.(change) + value >= 0; g is scaled to a unit vector. Where the
 * motion does not yet obey the laws exactly, g.(change) + value = 0 makes it.
 */
typedef struct ss_motion_row {
    int32_t body[SS_ROW_SIDES];  /* places in the island's list, -1: none                    */
    double  g[6 * SS_ROW_SIDES]; /* of velocities at the scale of the body: rotations times its
                                    size                                                     */
    double value; /* inequalities: >= 0; equalities: what is left, rounding              */
    bool   equal;
} ss_motion_row;

typedef struct ss_motion_set {
    int32_t        count;
    ss_motion_row *rows;
} ss_motion_set;

/* The margins of fewer motions. */
extern const ss_motion_margin ss_motion_narrow;

/* SS_ERR_SCRATCH: no room. */
ss_status ss_motion_rows(const ss_model *m, ss_data *d, const ss_island *isl, double h,
                         const ss_motion_margin *margin, ss_motion_set *out);

#endif
