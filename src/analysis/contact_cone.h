/* SPDX-License-Identifier: Apache-2.0 */
/* The friction cone of the closed contacts of an island, ready for ss_cone_pointed(). */
#ifndef SS_ANALYSIS_CONTACT_CONE_H
#define SS_ANALYSIS_CONTACT_CONE_H

#include "analysis/pointed.h"
#include "model/data.h"

/* When contacts are looked at: those of one moment make a cone, those of two do not. A step that
   has no solution has no end: there those count that bear load in what was found, or, where it is
   asked what could bear it at all, all that the step may reach, with all that holds. */
typedef enum ss_moment { SS_AT_START, SS_AT_END, SS_WHERE_LOADED, SS_IN_REACH } ss_moment;

typedef struct ss_cone_size {
    int32_t  n;                /* velocity coordinates of the island           */
    int32_t  closed, rows;     /* contacts and reached limits, and their rows  */
    int32_t  joint_rows;       /* equality rows                                */
    int32_t  disks, disk_rows; /* friction of known bounds                     */
    uint64_t which;            /* a hash of the closed blocks                  */
} ss_cone_size;

ss_cone_size ss_contact_cone_size(const ss_model *m, const ss_data *d, const ss_island *isl,
                                  ss_moment when);

typedef struct ss_contact_cone {
    ss_cone_sum    sum;
    ss_cone_piece *pieces;
    int32_t       *block;  /* (sum.count) blocks of the pieces                        */
    double        *W;      /* rows of the pieces, then of the disks                   */
    double        *joints; /* (rank rows of n) orthonormal wrenches that joints bear  */
    int32_t        rank;
    double        *load;   /* (n) what acts on the bodies, perpendicular to joints  */
    double         loaded; /* its size                                                */
    ss_cone_load   set;    /* the load with the disks against it                      */
    int32_t       *disk_dim;
    double        *disk_bound;
    double        *work; /* for ss_cone_pointed                                     */
} ss_contact_cone;

/* SS_ERR_SCRATCH: the arena is too small. */
ss_status ss_contact_cone_gather(const ss_model *m, const ss_data *d, const ss_island *isl,
                                 ss_moment when, ss_arena *a, ss_contact_cone *out);

#endif
