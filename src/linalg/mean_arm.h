/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_LINALG_MEAN_ARM_H
#define SS_LINALG_MEAN_ARM_H

#include <math.h>

#include "core/elementary.h"
#include "linalg/tolerances.h"
#include "stickslip/math3.h"

/*
 * The mean over a step of an arm that turns at a constant rate, is r in the middle of the step and
 * turns by the rotation vector `turn` in all:  r_par + sin(a/2)/(a/2) r_perp,  a = |turn|. The end
 * of the arm moves from the start of the step to its end by  turn x (the mean),  exactly.
 */
static inline ss_vec3 ss_mean_arm(ss_vec3 r, ss_vec3 turn)
{
    double a2 = ss_dot(turn, turn);
    if (!(a2 > 0)) {
        return r;
    }
    double  half = 0.5 * sqrt(a2);
    double  s    = half < SS_SMALL_ANGLE ? 1 - half * half / 6 : ss_sin(half) / half;
    ss_vec3 par  = ss_scale(ss_dot(r, turn) / a2, turn);
    return ss_axpy(par, s, ss_sub(r, par));
}

#endif
