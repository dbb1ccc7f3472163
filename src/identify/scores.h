/* SPDX-License-Identifier: Apache-2.0 */
/* How near runs come to recordings, seen and unseen. */
#ifndef SS_IDENTIFY_SCORES_H
#define SS_IDENTIFY_SCORES_H

#include "identify/fit.h"

typedef struct ss_score {
    double position, angle,
        end; /* root mean squares in m and rad, distance of the ends; NAN: none */
} ss_score;

/* Of one recording with these values; samples up to `after` do not count. `memory`, if not NULL:
   adds products of residuals with those of the sample before, and their squares. */
ss_status ss_score_trial(ss_fitter *f, int32_t trial, const double *theta, double after,
                         ss_score *out, double memory[2]);

/* Is no position of any recording further off than the bound of noise, with these values? */
ss_status ss_keeps_bound(ss_fitter *f, const double *theta, bool *keeps);

/* Numbers that are much further off than most. */
typedef struct ss_outliers {
    int32_t count, of;     /* so many of how many measured         */
    int32_t trial, column; /* the worst                            */
    double  t, times;      /* when, and how many times the spread  */
} ss_outliers;

/* Of all recordings with these values. */
ss_status ss_find_outliers(ss_fitter *f, const double *theta, ss_outliers *out);

/*
 * Every recording with the values that the folds without it give; what belongs to it alone (its
 * start, its delay) is found from its first `known` seconds, or from all of it.
 */
ss_status ss_score_unseen(ss_fitter *f, const double *theta, ss_score *out);

/* Intervals from searches over recordings drawn with replacement, into out. */
ss_status ss_bootstrap(ss_fitter *f, const double *theta, ss_certainty *out);

#endif
