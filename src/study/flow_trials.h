/* SPDX-License-Identifier: Apache-2.0 */
/* The key `field` of a study. */
#ifndef SS_STUDY_FLOW_TRIALS_H
#define SS_STUDY_FLOW_TRIALS_H

#include "stickslip/flow.h"
#include "study/study.h"

extern const ss_key ss_field_keys[];
/* Reads it, after what varies and what is measured. */
ss_status ss_field_decode(ss_decoder *d, ss_study *s, ss_node *node);

#endif
