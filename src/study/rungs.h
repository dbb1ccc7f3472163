/* SPDX-License-Identifier: Apache-2.0 */
/* Rungs: models from cheap to expensive, each the scene with some values of its own. */
#ifndef SS_STUDY_RUNGS_H
#define SS_STUDY_RUNGS_H

#include "scenefile/schema.h"
#include "study/study.h"

/* Reads `rungs` (node NULL: one, the scene as it is). */
ss_status ss_rungs_decode(ss_decoder *d, ss_study *s, ss_node *node);
/* Reads one: {name, set, ..}. */
ss_status ss_rung_decode(ss_decoder *d, ss_node *node, ss_rung *r);
/* Refuses the last of `count` if one before it has its name: what comes out is told apart by it. */
ss_status ss_rung_check_name(ss_decoder *d, const ss_node *node, const ss_rung *rungs,
                             int32_t count);

/*
 * For each trial (candidate and values of the rung included): is there any way of the body through
 * the device, from where it starts (geometric.c)? A yes does not promise that it takes it; a no is
 * certain. ways: one for each trial.
 */
ss_status ss_geometric_trials(ss_context *ctx, const ss_study *study, const ss_geometric *g,
                              bool *ways);

#endif
