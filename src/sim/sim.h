/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_SIM_SIM_H
#define SS_SIM_SIM_H

#include "model/data.h"

/*
 * Call `stage` until it has the room it asks for: a stage that runs out of scratch memory, pairs or
 * contacts returns SS_ERR_SCRATCH without harm, the buffers grow, and it is called again.
 */
typedef ss_status (*ss_stage)(const ss_model *m, ss_data *d, double h);
ss_status ss_retry_with_room(ss_data *d, ss_stage stage, double h);
/* More room for whatever was too small. */
ss_status ss_make_room(ss_data *d);

/* Neither interrupted nor beyond step_limit? */
ss_status ss_go_on(const ss_model *m, ss_data *d);
ss_status ss_not_stopped(ss_data *d); /* not interrupted? */
void      ss_start_limit(const ss_model *m, ss_data *d);

/*
 * What controllers keep moves on once a step: to what they were last asked for it, noted at the end
 * of the first part of a step by impulses, or of a step from event to event.
 */
void ss_note_memory(const ss_model *m, ss_data *d);
void ss_keep_memory(const ss_model *m, ss_data *d);

/* The stages of a step, whatever the model's level: also an impact that takes no time (hybrid/). */
ss_status ss_step_by_impulses(const ss_model *m, ss_data *d, double h);

/*
 * The step by `attempt`; where one of its certificates fails, or something happens within it, in
 * parts (parts.h). Leaves the state as it was if that fails too.
 */
ss_status ss_step_in_parts(ss_data *d, ss_stage attempt, double h);
/* Does an expression of t jump or bend within the step: d->cut.stretch.bends? Then it is taken in
 * stretches.
 */
void ss_find_bends(ss_data *d, double h);
/* A stage of it as it is tried first: whole, with solvers that may give up early. */
ss_status ss_try_whole(ss_data *d, ss_stage stage, double h);

/*
 * Impulses of a step that is taken in parts, one part after the other (tell_parts.c). Those of
 * stretches that have been taken are kept, whatever is tried in the next one.
 */
void      ss_forget_parts(ss_data *d);
void      ss_forget_all_parts(ss_data *d);
ss_status ss_tell_part(const ss_model *m, ss_data *d);
ss_status ss_keep_parts(ss_data *d);
/* The same of groups of bodies that take a stretch one after the other: from here on, until all
   have taken it, or it is to be taken otherwise. What a group's last part has without a load. */
ss_status ss_keep_groups(ss_data *d);
void      ss_leave_groups(ss_data *d, bool taken);
ss_status ss_tell_unloaded(const ss_model *m, ss_data *d);
/* A contact as its part of the step has it (query.c). */
void ss_contact_of_part(const ss_model *m, const ss_data *d, int32_t contact, ss_contact_info *out);

/* What impacts return must not make energy: after the rounds, with others if need be (rebound.c).
 */
void      ss_begin_rebounds(const ss_model *m, ss_data *d);
ss_status ss_limit_rebounds(const ss_model *m, ss_data *d, double h, ss_stage rounds);
double    ss_rebound_factor(const ss_model *m, const ss_data *d); /* the least of the step */

/* ss_data_create() for bodies that start elsewhere than the scene says: `place` moves them before
   anything is checked (start.c). */
typedef ss_status (*ss_placement)(void *user, const ss_model *m, ss_data *d);
ss_status ss_data_create_placed(ss_context *ctx, const ss_model *m, ss_placement placement,
                                void *user, ss_data **out);

/* After a step: islands that have come to rest fall asleep (sleep.c). */
void ss_fall_asleep(const ss_model *m, ss_data *d, double h);

/* After a run: tells what its steps lost by themselves, where that is much (query.c). */
void ss_warn_of_losses(const ss_model *m, const ss_data *d);

/* What the theory says of the state, from which a step of h will follow (verdict.c). */
ss_status ss_judge_before(const ss_model *m, ss_data *d, double h, ss_step_verdict *out);

/* Moves the bodies to where they rest (settle.c). */
ss_status ss_settle(const ss_model *m, ss_data *d);

#endif
