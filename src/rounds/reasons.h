/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_ROUNDS_REASONS_H
#define SS_ROUNDS_REASONS_H

#include "model/rounds.h"

/* All reasons of reason_list.h in their order, then NULL. */
extern const ss_reason *const ss_reasons[];

#endif
