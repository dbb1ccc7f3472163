/* SPDX-License-Identifier: Apache-2.0 */
/* Free values that are expected to differ little from their neighbours. */
#ifndef SS_IDENTIFY_NEIGHBOURS_H
#define SS_IDENTIFY_NEIGHBOURS_H

#include "identify/identify.h"

/* `smooth` of the study, once `free`, `noise` and `method` are read; NULL: none. */
ss_status ss_smooth_read(ss_decoder *d, ss_identify *p, ss_node *node);
/* Does a difference depend on the parameter? */
bool ss_smooth_uses(const ss_identify *p, int32_t parameter);
/* All differences over their deviation (smooth_count). */
void ss_smooth_residuals(const ss_identify *p, const double *theta, double *r);

#endif
