/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans of straight pushes: a round tip under position control moves a rectangular part that lies
 * on a support to a goal, quasistatically. A plan is found by search: random plans, then Newton's
 * method on the best of them (docs/theory/support.md).
 */
#ifndef SS_CLI_VERIFY_PUSH_PLAN_H
#define SS_CLI_VERIFY_PUSH_PLAN_H

#include <stdint.h>

#include "verify/verify.h"

enum { SS_PLAN_PUSHES = 4, SS_PLAN_NUMBERS = 3 * SS_PLAN_PUSHES };

typedef struct ss_plan_pose {
    double x, y, angle;
} ss_plan_pose;

/*
 * Numbers of a plan, three a push: where along the outline (0 .. 4: a whole number per side,
 * counter-clockwise from the right one), how far the push leans from the inward normal (rad), and
 * how far it goes on after it touches (in lengths of the part).
 */
typedef struct ss_plan {
    double x[SS_PLAN_NUMBERS];
} ss_plan;

/* A straight push in the world: centre of the tip at its start and end. */
typedef struct ss_plan_line {
    ss_vec3 from, to;
} ss_plan_line;

typedef struct ss_plan_task {
    ss_verify_world *world; /* with the part, and no other tip that touches it */
    const char      *part;
    double           length, width; /* of the part                                             */
    double           tip_radius;
    ss_plan_pose     goal;
    double near_position, near_angle; /* how near the part must come: units of the error */
    /* made by ss_plan_open() */
    ss_model    *model;
    ss_data     *data;
    int32_t      part_index;
    ss_plan_line line; /* that the tip follows now */
    double       duration;
    int64_t      runs; /* plans simulated so far */
} ss_plan_task;

/* Adds a tip of its own to the world's scene and compiles both together. */
ss_status ss_plan_open(ss_verify *v, ss_plan_task *task);
void      ss_plan_close(ss_plan_task *task);

/* Where the plan takes the part, in steps of `stride` metres; lines (may be NULL) as it went. */
ss_status ss_plan_run(ss_plan_task *task, const ss_plan *plan, double stride, ss_plan_pose *end,
                      ss_plan_line *lines);

/* The same for lines that are known. */
ss_status ss_plan_follow(ss_plan_task *task, const ss_plan_line *lines, double stride,
                         ss_plan_pose *end);

/* Distance from the goal: metres, and radians. */
void ss_plan_errors(const ss_plan_task *task, const ss_plan_pose *at, double *position,
                    double *angle);

/*
 * Samples `samples` random plans (the seed decides all) and improves the best of them until one
 * ends within a tenth of near_position and near_angle of the goal, in steps of `stride`.
 * *found says whether.
 */
ss_status ss_plan_search(ss_plan_task *task, uint64_t seed, int samples, double stride,
                         ss_plan *plan, bool *found);

#endif
