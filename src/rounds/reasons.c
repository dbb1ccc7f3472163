/* SPDX-License-Identifier: Apache-2.0 */
#include "rounds/reasons.h"

#define SS_REASON(name) extern const ss_reason ss_reason_##name;
#include "rounds/reason_list.h"
#undef SS_REASON

#define SS_REASON(name) &ss_reason_##name,
const ss_reason *const ss_reasons[] = {
#include "rounds/reason_list.h"
    NULL};
#undef SS_REASON
