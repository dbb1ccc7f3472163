/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings sample by sample: the scene of a recording with given values, put into any state and
 * stepped from one sample to another. Between two samples all steps are equal and no longer than
 * the scene's, so that a sample always is the end of a step.
 */
#ifndef SS_IDENTIFY_STRETCH_H
#define SS_IDENTIFY_STRETCH_H

#include "identify/fit.h"

/* What filters estimate: parameters but starts (values), and coordinates of bodies that are free at
   the start. */
typedef struct ss_unknowns {
    const ss_identify *p;
    int32_t           *value; /* (value_count) parameters                                     */
    int32_t            value_count;
    int32_t           *body; /* (coordinate_count) in ss_identify.bodies                      */
    ss_quantity       *quantity;
    int32_t            coordinate_count, count; /* count: of both                             */
    const char       **names;                   /* (count) values first                        */
} ss_unknowns;

ss_status ss_unknowns_make(const ss_identify *p, ss_pool *pool, ss_unknowns *out);
/* Does a value belong to this recording? Coordinates always do. */
bool ss_unknowns_use(const ss_unknowns *u, int32_t i, int32_t trial);
/* The coordinates at the start of a recording as measured, and deviations that say little. */
void ss_unknowns_start(const ss_unknowns *u, int32_t trial, double *x, double *deviation);
/* What a coordinate's change is measured by, and how much it wanders in a second. */
double ss_unknowns_scale(const ss_unknowns *u, int32_t coordinate, int32_t trial);
double ss_unknowns_walk(const ss_unknowns *u, int32_t i);

/* A recording's scene. */
typedef struct ss_stretch {
    ss_identify_worker *w;
    const ss_unknowns  *u;
    int32_t             trial, size; /* size: of its state */
    ss_model           *m;
    ss_data            *d;
    const double       *theta;  /* (parameters) borrowed                */
    ss_body_state      *bodies; /* (body_count) work                    */
    double             *shown;  /* (columns) work                       */
} ss_stretch;

/* At the start of the recording. Close it also where this fails. */
ss_status ss_stretch_open(ss_identify_worker *w, const ss_unknowns *u, int32_t trial,
                          const double *theta, ss_stretch *out);
void      ss_stretch_close(ss_stretch *s);

/* Into a state (size), with these coordinates (coordinate_count) in place of its own. */
ss_status ss_stretch_put(ss_stretch *s, const double *state, const double *x);
/* The present state and its coordinates; either may be NULL. */
ss_status ss_stretch_get(const ss_stretch *s, double *state, double *x);
/* From sample `from`, where it is, to sample `to`. */
ss_status ss_stretch_advance(ss_stretch *s, int32_t from, int32_t to);
/* Residuals of a sample (columns) in the present state. */
ss_status ss_stretch_residuals(ss_stretch *s, int32_t sample, double *r);

#endif
