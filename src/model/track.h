/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prescribed motions that are integrals: values and rates at evenly spaced times, cubic pieces in
 * between (their error is (w dt)^4/384 of an oscillation with the frequency w), made by
 * compile/prescribed.c. Periodic ones go on forever; the others end with their last time.
 */
#ifndef SS_MODEL_TRACK_H
#define SS_MODEL_TRACK_H

#include <stdbool.h>

#include "stickslip/math3.h"

/* The times at which a track is known: 0, dt, .. pieces * dt. */
typedef struct ss_track_times {
    double  dt;
    int32_t pieces;
    bool    periodic;
} ss_track_times;

/* Times in between at which a rate jumps or bends: pieces end there too. */
typedef struct ss_track_breaks {
    const double *t; /* (count) increasing */
    int32_t       count;
} ss_track_breaks;

typedef struct ss_place_break {
    ss_vec3 p, before, after; /* the place, and the rate on either side */
} ss_place_break;

typedef struct ss_turn_break {
    ss_quat q, before, after;
} ss_turn_break;

/* start + n drift + p(s) at t = n T + s. */
typedef struct ss_place_track {
    ss_track_times        times;
    const ss_vec3        *p, *v; /* (pieces + 1) */
    ss_vec3               start, drift;
    ss_track_breaks       breaks;
    const ss_place_break *at; /* (breaks.count) */
} ss_place_track;

/*
 * q(s) Q^n start for angular velocities in world axes, start Q^n q(s) in body axes, where
 * Q = exp(per_period) is the rotation that a period leaves (coning). With `angles`:
 * exp(angles(t)) start (the orientation is given, not its rate), in 2D their z.
 */
typedef struct ss_turn_track {
    const ss_place_track *angles;
    ss_track_times        times;
    bool                  body;
    const ss_quat        *q, *rate; /* (pieces + 1) */
    ss_quat               start;
    ss_vec3               per_period;
    ss_track_breaks       breaks;
    const ss_turn_break  *at; /* (breaks.count) */
} ss_turn_track;

/* False: the track has ended before t. */
bool ss_place_track_at(const ss_place_track *track, double t, ss_vec3 *out);
/* *angle is set where the track has angles: the one about z. */
bool ss_turn_track_at(const ss_turn_track *track, double t, ss_quat *out, double *angle);

/* The first break after a time; infinite: there is none. */
double ss_place_track_break(const ss_place_track *track, double after);
double ss_turn_track_break(const ss_turn_track *track, double after);

#endif
