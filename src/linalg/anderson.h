/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Anderson acceleration of a fixed-point iteration x -> g(x) (Walker and Ni 2011).
 *
 * Of the last few differences of f = g(x) - x the combination that cancels the present f best, in
 * a weighted norm, is taken out of g(x). Steps that made f larger are forgotten.
 */
#ifndef SS_LINALG_ANDERSON_H
#define SS_LINALG_ANDERSON_H

#include <stdbool.h>

#include "core/arena.h"

enum { SS_ANDERSON_DEPTH = 8 };

typedef struct ss_anderson {
    int32_t       n, count, next; /* differences kept, where the next goes              */
    bool          primed;         /* last_f and last_g hold something                   */
    const double *weight;         /* (n) of the norm                                    */
    double       *df, *dg;        /* (n x SS_ANDERSON_DEPTH) differences of f and of g  */
    double       *last_f, *last_g;
    double        size; /* |f| at the last step                               */
} ss_anderson;

/* How many doubles it keeps. */
static inline size_t ss_anderson_room(int32_t n)
{
    return (size_t)n * (2 * SS_ANDERSON_DEPTH + 2);
}

/* In `room`. The weights stay the caller's. */
void ss_anderson_begin(ss_anderson *a, int32_t n, const double *weight, double *room);

/* The same in the arena; false: it is too small. */
bool ss_anderson_prepare(ss_anderson *a, int32_t n, const double *weight, ss_arena *arena);

/* x: where g was taken, g: g(x). Replaces x by the next point. True when x is not just g(x). */
bool ss_anderson_step(ss_anderson *a, double *x, const double *g);

#endif
