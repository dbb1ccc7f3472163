/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Friction of what slides, as a part of that of what sticks. With mu_s at rest, mu_k at speed and
 * Stribeck's velocity V,
 *
 *   mu(v) = mu_k + (mu_s - mu_k) exp(-(v/V)^2),         V = 0:  mu_s at rest, mu_k in motion
 *
 * v is the length of the contact's slip in its rows: with an ellipsoid of axes e_i that of e_i u_i,
 * whose product with mu p_n is the power that friction takes (contact_rows.c: scale_rows).
 */
#ifndef SS_ROWS_SLIDING_LAW_H
#define SS_ROWS_SLIDING_LAW_H

#include "core/elementary.h"
#include "model/model.h"

static inline double ss_sliding_part(const ss_pair_law *law, double speed)
{
    double k = law->kinetic, x = law->stribeck > 0 ? speed / law->stribeck : 0;
    return law->stribeck > 0 ? k + (1 - k) * ss_exp(-x * x) : k;
}

#endif
