/* SPDX-License-Identifier: Apache-2.0 */
/* Rungs: models from cheap to dear, each the scene with some values of its own. */
#ifndef SS_STUDY_RUNGS_H
#define SS_STUDY_RUNGS_H

#include "scenefile/schema.h"
#include "study/study.h"

/* Reads `rungs` (node NULL: one, the scene as it is). */
ss_status ss_rungs_decode(ss_decoder *d, ss_study *s, ss_node *node);

#endif
