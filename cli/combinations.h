/* SPDX-License-Identifier: Apache-2.0 */
/* Every combination of the model's axes on a few small scenes: runs, or is refused with a reason.
 */
#ifndef SS_CLI_COMBINATIONS_H
#define SS_CLI_COMBINATIONS_H

#include <stdbool.h>

/*
 * Runs them all and prints the table: Markdown (docs/reference/combinations.md), or JSON. Exit code
 * 1 when one neither runs nor is refused.
 */
int ss_list_combinations(bool as_json);

#endif
