/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Performance profiles (E. Dolan, J. More, Mathematical Programming 91, 2002): with t(p, s) the
 * time of solver s on problem p and r(p, s) = t(p, s) / min over s of t(p, s), the curve of s at
 * tau is the share of problems with r(p, s) <= tau. Height at tau = 1: how often it is the
 * fastest; height at the right: how many it solves.
 */
#ifndef SS_CLI_PROFILE_SVG_H
#define SS_CLI_PROFILE_SVG_H

#include "stickslip/base.h"

typedef struct ss_profile {
    size_t             problems;
    size_t             solvers;
    const char *const *names;   /* (solvers)                                             */
    const double      *seconds; /* (problems x solvers) row after row; < 0: not solved   */
} ss_profile;

ss_status ss_profile_write(ss_context *ctx, const ss_profile *p, const char *path);

#endif
