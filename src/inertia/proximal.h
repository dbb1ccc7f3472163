/* SPDX-License-Identifier: Apache-2.0 */
/* The proximal rounds of models without a matrix: how they are posed and when they have settled. */
#ifndef SS_INERTIA_PROXIMAL_H
#define SS_INERTIA_PROXIMAL_H

#include "formulate/formulate.h"

/*
 * The proximal term over the forces at the speeds of the step. Ten times larger: more rounds. Ten
 * times smaller: ten times more of the rounding of forces in the velocities.
 */
#define SS_PROX_WEIGHT 1e-3

/*
 * What this round changed in the velocities d->v_next (rounds/reason_proximal.c); those that are
 * all rounding become rest. Says in d->prox whether they have settled, stalled, or never will.
 */
void ss_proximal_compare(const ss_model *m, ss_data *d, double h);

#endif
