/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Velocity fields in the plane, known on a grid: where things rest, gather, part and turn, found
 * and named, with streamlines, and drawn. A study with `field` has one (or several) of them.
 */
#ifndef STICKSLIP_FLOW_H
#define STICKSLIP_FLOW_H

#include <stdbool.h>

#include "stickslip/base.h"
#include "stickslip/study.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ss_flow_kind {
    SS_FLOW_REST,          /* nothing moves                                             */
    SS_FLOW_TRANSLATION,   /* everywhere much the same velocity                         */
    SS_FLOW_SINK,          /* gathers things                                            */
    SS_FLOW_SOURCE,        /* drives them apart                                         */
    SS_FLOW_SPIRAL_SINK,   /* the same, turning: a whirlpool, a centrifuge              */
    SS_FLOW_SPIRAL_SOURCE, /*                                                           */
    SS_FLOW_CENTRE,        /* turns them round                                          */
    SS_FLOW_SADDLE,        /* gathers along one direction, drives apart along the other */
    SS_FLOW_LINE_SINK,     /* gathers on a line                                         */
    SS_FLOW_LINE_SOURCE,   /* drives away from a line                                   */
    SS_FLOW_SHEAR          /* slides layers along each other                            */
} ss_flow_kind;
/* "sink", "spiral sink", "line source", .. */
SS_API const char *ss_flow_kind_text(ss_flow_kind kind);

/* v = velocity + J (x - at) near a place. */
typedef struct ss_flow_linear {
    ss_flow_kind kind;
    double       at[2];
    double       velocity[2];
    double       jacobian[4]; /* dvx/dx, dvx/dy, dvy/dx, dvy/dy; 1/s       */
    double       rate[2];     /* real parts of its eigenvalues, the larger first; 1/s */
    double       turn;        /* imaginary part, with the sense of rotation: > 0 anticlockwise */
    double       misfit;      /* root mean square of what the line leaves, share of the speeds */
} ss_flow_linear;

/* A point where nothing moves, or a region of them. */
typedef struct ss_flow_point {
    ss_flow_linear near;    /* near.at is the point                                  */
    int32_t        index;   /* of Poincare: 1, or -1 for a saddle                    */
    int32_t        resting; /* nodes of the grid around it where nothing moves      */
} ss_flow_point;

typedef struct ss_flow ss_flow;

/* Velocities u, v (nx x ny, x fastest; NaN: not known) at x (nx) and y (ny), both rising; copied.
 */
SS_API ss_status ss_flow_create(ss_context *ctx, int32_t nx, int32_t ny, const double *x,
                                const double *y, const double *u, const double *v, ss_flow **out);
SS_API void      ss_flow_destroy(ss_flow *f);
/* The field as a whole: the linear one that fits best, at the middle of the grid. */
SS_API ss_flow_linear ss_flow_whole(const ss_flow *f);
SS_API int32_t        ss_flow_point_count(const ss_flow *f);
SS_API ss_flow_point  ss_flow_point_at(const ss_flow *f, int32_t point);
/* The velocity between the nodes, linear in each direction; false: outside, or not known. */
SS_API bool ss_flow_velocity(const ss_flow *f, const double at[2], double velocity[2]);
/* A picture: arrows (as long as the root of the speed), streamlines, points by their names. */
SS_API ss_status ss_flow_svg(const ss_flow *f, const char *title, const char *path);

/* How many fields a study has: one for each combination of what varies beside the two places. */
SS_API int64_t   ss_trials_flow_count(const ss_trials *t);
SS_API ss_status ss_trials_flow(const ss_trials *t, int64_t flow, ss_flow **out);
/* "params.mu = 0.3": which one it is; empty when there is one alone. */
SS_API void ss_trials_flow_name(const ss_trials *t, int64_t flow, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
