/* SPDX-License-Identifier: Apache-2.0 */
/* The proof that nothing balances the forces of a step that failed (ss_nothing_balances). */
#ifndef SS_CLI_WITNESS_H
#define SS_CLI_WITNESS_H

#include "json.h"
#include "stickslip/stickslip.h"

/* "witness": {"balance", "power", "bodies": {..}}; nothing where there is none. */
void ss_witness_json(ss_json *out, const ss_model *m, const ss_data *d);
/* A line for each body that moves in it. */
void ss_witness_print(FILE *out, const ss_model *m, const ss_data *d);

#endif
