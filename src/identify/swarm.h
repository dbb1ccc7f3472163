/* SPDX-License-Identifier: Apache-2.0 */
/* The particles of a filter: particles.c has the method, particle_step.c what each does by itself.
 */
#ifndef SS_IDENTIFY_SWARM_H
#define SS_IDENTIFY_SWARM_H

#include "identify/filter.h"

/* What random numbers are for. */
typedef enum ss_draw { SS_DRAW_START, SS_DRAW_WALK, SS_DRAW_KERNEL, SS_DRAW_RESAMPLE } ss_draw;

typedef struct ss_swarm {
    ss_fitter         *f;
    const ss_unknowns *u;
    ss_history        *h;
    ss_pool           *pool; /* of one recording */
    int32_t            n, nv, nx, count, size;
    int32_t            trial, sample;
    uint32_t           moment; /* over all recordings */
    bool               gaussian;
    double            *z, *other_z;         /* (count x n) values, coordinates             */
    double            *C, *other_C;         /* (count x nx x nx) gaussian: factor S         */
    double            *state, *other_state; /* (count x size)                               */
    double            *weight;              /* (count) logarithm, then share                */
    int32_t           *parent;              /* (count)                                      */
    int32_t           *order;               /* (count) */
} ss_swarm;

/* Random numbers as functions of (seed, particle, what for, unknown, moment); unknown -1: none. */
double ss_swarm_uniform(const ss_swarm *s, int32_t particle, ss_draw why, int32_t unknown);
double ss_swarm_normal(const ss_swarm *s, int32_t particle, ss_draw why, int32_t unknown);
/* A value mirrored at its bounds until it lies between them; coordinates have none. */
double ss_swarm_within(const ss_swarm *s, int32_t unknown, double x);

/* Particles start (first) or go on to the sample, side by side; s->weight takes what it tells. */
ss_status ss_swarm_step(ss_swarm *s, bool first);

#endif
