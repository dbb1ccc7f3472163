/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the boundary-value program of a design (period_program.c) takes from the scene of a trial: a
 * particle on a driven body, seen over one period.
 */
#ifndef SS_STUDY_PERIOD_SCENE_H
#define SS_STUDY_PERIOD_SCENE_H

#include "core/pool.h"
#include "study/watch.h"

/* Numbers of a scene that may follow the choices of a design. A frame is that of the driven body at
   the end of a step: where its origin is, and its axes e_x, e_y and the normal of its face. */
enum {
    SS_PERIOD_MU,
    SS_PERIOD_PULL,        /* (3) acceleration by gravity            */
    SS_PERIOD_PLACE   = 4, /* (2) where the particle is held          */
    SS_PERIOD_FRAMES  = 6, /* (steps + 1) frames of SS_PERIOD_FRAME   */
    SS_PERIOD_FRAME   = 12,
    SS_PERIOD_CHOICES = 16
};

typedef struct ss_period_scene {
    ss_context     *ctx;
    const ss_study *study;
    ss_watch       *watch;
    int64_t         trial;
    double          period, step;
    int32_t         steps;
    double          length, speed, pull; /* units: pull T^2, pull T, m/s^2         */
    double          face;   /* the side of the body that it lies on: +1 or -1 along z          */
    double          offset; /* of the face along that, in units                                */
    double          ask[2]; /* drift that is asked for, in units                               */
    int32_t         count;  /* of numbers */
    double         *q, *v;  /* (steps + 1) x 3: the period that it settles to at first         */
} ss_period_scene;

/* Scene of a trial with the candidate of `study`, which is simulated until it repeats itself;
   `ask`: measures that say which drift is asked for. Refuses by name what cannot be posed. */
ss_status ss_period_scene_make(ss_context *ctx, ss_pool *pool, const ss_study *study, ss_watch *w,
                               int64_t trial, const int32_t ask[2], ss_period_scene *out);

/* Its numbers, in units, with a candidate: (count). */
ss_status ss_period_numbers(const ss_period_scene *s, const double *candidate, double *out);

/* The largest distance of the engine's period from positions q (steps + 1) x 3, in units, begun at
   q and velocity v; metres. */
ss_status ss_period_apart(const ss_period_scene *s, const double *candidate, const double *q,
                          const double v[3], double *apart);

#endif
