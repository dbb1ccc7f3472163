/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of one step share: step.c reads as the step, the others are its sentences. */
#ifndef SS_SIM_STEP_H
#define SS_SIM_STEP_H

#include "model/data.h"
#include "model/rounds.h"

/* ---- the line itself (step.c) ---- */

void ss_begin_attempt(const ss_model *m, ss_data *d);
/* Where a first round begins: once for a step, and again where it is done anew. */
void ss_begin_rounds(const ss_model *m, ss_data *d, double h);
/* A round, in four parts. */
ss_status ss_round_collide(const ss_model *m, ss_data *d, double h);
ss_status ss_round_formulate(const ss_model *m, ss_data *d, double h);
ss_status ss_round_solve(const ss_model *m, ss_data *d);
ss_status ss_round_update(const ss_model *m, ss_data *d, double h, ss_verdict *verdict);
/* Rounds after the first, until all assumptions hold (rounds/reason_list.h). */
ss_status ss_more_rounds(const ss_model *m, ss_data *d, double h, ss_verdict verdict);
/* What follows the rounds. */
ss_status ss_end_attempt(const ss_model *m, ss_data *d, double h);

/* Does the attempt fail because something happens within it, at which parts of it end (events.c)?
 */
bool ss_happens_within(const ss_data *d);

/* Of a step as a whole, however it is taken. */
ss_status ss_check_step(const ss_model *m, const ss_data *d, double h);
/* What can be said of the state before the step, where that was asked for. */
ss_status ss_judge_start(const ss_model *m, ss_data *d, double h, ss_step_verdict *out);
/* What its report says besides. */
void ss_tell_rest(ss_data *d, const ss_step_verdict *verdict, ss_status status);

/* ---- a step that reaches too much (crowd.c) ---- */

/* So many contacts no scene is too crowded for. */
enum { SS_CROWD_LEAST = 200 };
ss_status ss_not_crowded(const ss_model *m, ss_data *d, double h);

/* ---- its work (labour.c) ---- */

/* Before problems are solved: what solvers may still do. */
void ss_allow_work(const ss_model *m, ss_data *d);
/* .. afterwards: it was within that. */
ss_status ss_not_laborious(ss_data *d);
/* An attempt has ended, and not for want of room: it is one of those before the next. */
void ss_count_attempt(ss_data *d);

/* ---- its end (accept.c, commit.c) ---- */

/* The sum of all islands, in d->report. */
void ss_judge_step(ss_data *d, double h);
/* Certified and finite? */
ss_status ss_accept(const ss_model *m, ss_data *d);
/* Is the motion right: energies, true gaps, joints? */
ss_status ss_accept_motion(const ss_model *m, ss_data *d, double h);
/* Joints are no more open where overlaps were moved apart. */
ss_status ss_close_again(const ss_model *m, ss_data *d);
/* The trial state becomes the state. */
void ss_commit(const ss_model *m, ss_data *d, double h);

/* ---- its time (step_limit.c) ---- */

/* Problems of more blocks than this may take long by themselves. */
enum { SS_MANY_BLOCKS = 32 };

/*
 * The time that a step may take is counted from where it could become long: its start, where the
 * user set a time or the solver, or the step before had many contacts; a problem with many of them;
 * or its second round. Other small steps do not look at the clock.
 */
void ss_limit_time(const ss_model *m, ss_data *d);
void ss_limit_when_long(const ss_model *m, ss_data *d);

#endif
