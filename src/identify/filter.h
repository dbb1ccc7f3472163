/* SPDX-License-Identifier: Apache-2.0 */
/* Methods that go through recordings sample by sample, and what they knew at each moment. */
#ifndef SS_IDENTIFY_FILTER_H
#define SS_IDENTIFY_FILTER_H

#include "identify/stretch.h"

/* What was known when a sample had been taken. */
typedef struct ss_moment {
    int32_t trial;
    double  t; /* from the start of the recording, s                                          */
    int32_t first, last; /* samples that count in it: of the window, or all up to here         */
    double  effective;   /* particles; NAN: windows                                             */
    bool    resampled;
    double *value, *deviation, *low, *high; /* (unknowns) NAN: of another recording            */
    double *cloud;                          /* (kept x unknowns) equally likely particles      */
    int32_t kept;
} ss_moment;

typedef struct ss_history {
    ss_pool    *pool;
    ss_unknowns unknowns;
    ss_moment  *moments;
    int32_t     count, room;
} ss_history;

/* A moment with room for its numbers; NULL: no memory. */
ss_moment *ss_history_add(ss_history *h, int32_t trial, int32_t sample, int32_t kept);

/*
 * theta (parameters) becomes the values found and out (parameters) how sure they are; starts are
 * left as they were. window.c and particles.c.
 */
ss_status ss_window_search(ss_fitter *f, ss_history *h, double *theta, ss_certainty *out);
ss_status ss_particle_search(ss_fitter *f, ss_history *h, double *theta, ss_certainty *out);

/* The worker of the thread that calls. */
ss_identify_worker *ss_fitter_worker(const ss_fitter *f);

/* An interval of normal width, within bounds; deviations near that of "anything between the bounds"
   say that nothing is known. */
void ss_certain_normal(const ss_fitter *f, int32_t parameter, double value, double deviation,
                       ss_certainty *out);

#endif
