/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program of method `mpec` is made of: particles in the plane before fixed walls. A track
 * is one recording: its particles, and where each may touch.
 */
#ifndef SS_IDENTIFY_MPEC_TRACK_H
#define SS_IDENTIFY_MPEC_TRACK_H

#include "identify/fit.h"

/* Numbers of a particle in a step, and of a place where it may touch. */
enum { SS_TRACK_STATE = 4, SS_TRACK_TOUCH = 8 };
enum {
    SS_LAMBDA_N,
    SS_LAMBDA_AHEAD,
    SS_LAMBDA_BACK,
    SS_SIGMA,
    SS_GAP,
    SS_S_AHEAD,
    SS_S_BACK,
    SS_S_SIGMA
};

typedef struct ss_particle {
    int32_t body;     /* of the model                   */
    int32_t recorded; /* in ss_identify.bodies; -1: not */
    double  mass, force[2];
    double  start[SS_TRACK_STATE]; /* x, y, vx, vy                  */
    int32_t free[SS_TRACK_STATE];  /* parameter that it is; -1: none */
    int32_t column[2];             /* of x and y; -1: not recorded   */
} ss_particle;

/* A particle before a wall: gap = n.q - offset, friction along +-t, mu = base + slope.theta. */
typedef struct ss_touch {
    int32_t particle;
    double  n[2], t[2], offset;
    double  base, *slope; /* (parameters) */
} ss_touch;

typedef struct ss_track {
    int32_t      trial, steps;
    double       h;
    ss_particle *particles;
    int32_t      particle_count;
    ss_touch    *touches;
    int32_t      touch_count;
    int32_t     *sample; /* (count) the step that each sample belongs to */
    int32_t      first;  /* variable of step 1                           */
    int32_t      noise;  /* variable of the first sample's noise         */
    int32_t      noises;
} ss_track;

/* From the compiled model with theta; refuses what is no particle before fixed half-planes. */
ss_status ss_track_make(ss_fitter *f, ss_pool *pool, int32_t trial, const double *theta,
                        ss_track *out);

/* The variable of a particle's number after a step; step 0: -1 - or a parameter - and *value. */
int32_t ss_track_state(const ss_track *k, int32_t step, int32_t particle, int32_t i, double *value);
int32_t ss_track_touch(const ss_track *k, int32_t step, int32_t touch, int32_t i);

#endif
