/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_RUNFILE_MEASURED_H
#define SS_RUNFILE_MEASURED_H

#include "files/buffer.h"
#include "stickslip/measured.h"

/* {"t":[..],"columns":[{"body":"box","coordinate":"x","y":[..]},..]}, gaps as null. */
void ss_measured_json(const ss_measured *s, ss_buffer *out);

#endif
