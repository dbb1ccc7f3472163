/* SPDX-License-Identifier: Apache-2.0 */
/* The proximal rounds of models without a matrix: how they are posed and when they have settled. */
#ifndef SS_INERTIA_PROXIMAL_H
#define SS_INERTIA_PROXIMAL_H

#include "formulate/formulate.h"
#include "inertia/tolerances.h"

/*
 * What this round changed in the velocities d->v_next (rounds/reason_proximal.c); those that are
 * all rounding become rest. Says in d->prox whether they have settled, stalled, or never will.
 */
void ss_proximal_compare(const ss_model *m, ss_data *d, double h);

#endif
