/* SPDX-License-Identifier: Apache-2.0 */
/* The proof that nothing balances the forces on bodies without momentum. */
#ifndef SS_ANALYSIS_WITNESS_H
#define SS_ANALYSIS_WITNESS_H

#include "model/data.h"

/*
 * Of a step that was not solved: looks for a motion along which the load does work that nothing
 * opposes, into d->witness, where it passes ss_witness_holds: that all which the step
 * may reach does not, or else that nothing which touches does. SS_ERR_SCRATCH:
 * no room.
 */
ss_status ss_find_witness(const ss_model *m, ss_data *d);

/*
 * Is w (nv) a proof of the verdict, by the rows and forces of the step alone: f'w is more than
 * bounded friction takes, equality rows do not move, and no force of a contact does negative work
 * in it? Rounding counts as nothing where only forces of many times the load could use it. `power`
 * gets f'w less what bounded friction takes.
 */
bool ss_witness_holds(const ss_model *m, const ss_data *d, const double *w,
                      ss_balance_verdict verdict, double *power);

#endif
