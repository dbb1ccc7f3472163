/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A round finger under position control pushes a part that lies on a surface, slowly: the 2.5D
 * quasistatic model of the library, as experiments on pushing are recorded. Start pose and path of
 * the finger go in; the end pose and the mean push come out.
 */
#ifndef SS_VALIDATE_PUSHING_H
#define SS_VALIDATE_PUSHING_H

#include "stickslip/stickslip.h"

typedef struct pose {
    double x, y, angle; /* of the part's frame */
} pose;

typedef struct waypoint {
    double t, x, y;
} waypoint;

typedef struct wrench {
    double fx, fy, mz; /* on the part, in its frame, about its centre of mass */
} wrench;

/* The part, what it lies on, and the finger: shared by many trials. */
typedef struct push_setup {
    const ss_vec3 *outline;
    int32_t        outline_count;
    double         mass;
    ss_vec3        com;
    ss_support_def support;
    double         tip_radius, tip_friction;
    int            substeps; /* steps from one waypoint to the next */
    ss_cone_kind   cone;
} push_setup;

typedef struct push_trial {
    pose            start, end; /* measured; end is what we predict */
    const waypoint *path;
    int             path_count;
    wrench          push; /* measured mean, where it was */
} push_trial;

typedef struct push_result {
    bool   ok; /* false: a step failed; the pose is the last one */
    pose   end;
    wrench push; /* mean over the steps in contact   */
    int    contact_steps;
    double residual; /* worst certificate                */
} push_result;

typedef struct pusher {
    ss_context       *ctx;
    ss_scene         *scene;
    ss_model         *model;
    ss_data          *data;
    const push_setup *setup;
    const push_trial *trial; /* whose path the finger follows */
} pusher;

/* False, with a line on standard error, when the scene is refused. `p` must stay where it is. */
bool pusher_open(pusher *p, const push_setup *setup);
void pusher_close(pusher *p);
void pusher_run(pusher *p, const push_trial *trial, push_result *out);

typedef struct push_error {
    double mm, deg;
    double combined; /* |dx| + rho |dth|, mm */
    double motion;   /* the same of the measured motion, mm */
} push_error;

push_error push_error_of(const push_trial *trial, pose predicted, double rho);

#endif
