/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A step in parts. Its ways, from the outside in: stretches in which no expression of t jumps
 * (stretches.c); a stretch by groups of bodies (take_groups.c); with what happens in it at its time
 * (events.c); in halves (cut.c). parts.c has what they share.
 */
#ifndef SS_SIM_PARTS_H
#define SS_SIM_PARTS_H

#include "model/data.h"
#include "sim/sim.h"

/* A jerk of a joint takes so small a part of a step. */
enum { SS_JERK_LEAST = 1024 };

/* What a step tells about itself is told by its parts together. */
typedef struct ss_parts {
    ss_data       *d;
    ss_stage       attempt;
    int32_t        deepest; /* halvings, at most                        */
    ss_step_report sum;
    int32_t        count;
    int32_t        events;  /* parts that end where something touches   */
    int32_t        missed;  /* .. that was not reached there            */
    int32_t        ends;    /* .. where a contact slides past an edge    */
    int32_t        planned; /* parts beyond the first for their sake    */
    int32_t        splits;  /* of stretches: how often they were cut    */
    ss_step_report groups;  /* of groups: sums, and the worst           */
} ss_parts;

/* ---- what all of them share (parts.c) ---- */

/* None yet. */
ss_parts ss_parts_of(ss_data *d, ss_stage attempt);
/* A part has been taken: its report, and what its rows did. Of a stretch or a group, which may have
   had parts itself (`told`: those told of before it). Then the report of the step. */
ss_status ss_add_part(ss_parts *p);

/* After the part of an impact: contacts of bodies that were struck may fly from now on. */
ss_status ss_note_struck(ss_data *d);
ss_status ss_add_whole_parts(ss_parts *p, int32_t told);
void      ss_tell_sum(const ss_parts *p);

/* The state from which a way is tried, in `to` or in d->cut.begin. */
ss_status ss_save_in(ss_data *d, ss_saved *to);
ss_status ss_save_begin(ss_data *d);
/* A way that began there ended with this status: its parts tell about the step, or it is undone. */
ss_status ss_end_parts(const ss_parts *p, ss_status status);
/* Pushes act during the whole step: a part that ended has used them up. */
void ss_push_again(ss_data *d);

/* An attempt. brief: there is another way, so solvers give up early. Anew: it is counted as one. */
ss_status ss_attempt(ss_data *d, ss_stage attempt, double h, bool brief);
ss_status ss_attempt_anew(ss_data *d, ss_stage attempt, double h, bool brief);

/* ---- halves (cut.c) ---- */

/* A part that the step was halved `depth` times for, `eased` of them because points of contact ran
   too far; in halves, where it fails. `wedged`: so many attempts at what it is a part of ended so,
   one after the other. */
ss_status ss_take_part(ss_parts *p, double h, int32_t depth, int32_t eased, int wedged);
/* The step, which has failed, in halves. */
ss_status ss_take_halves(ss_data *d, ss_stage attempt, double h);
/* A step, or the stretch of one in which no expression of t jumps or bends. */
ss_status ss_take_stretch(ss_data *d, ss_stage attempt, double h);

/* ---- what happens within a step, at its time (events.c) ---- */

/* With parts that end wherever something touches; *whole: nothing does. */
ss_status ss_take_to_events(ss_data *d, ss_stage attempt, double h, bool *whole);
/*
 * The step as it is, unless something strikes within it that it would have at another time
 * (midpoint/late_impacts.c): with parts that end there, if they can be taken. Not where groups were
 * found that take the step by themselves.
 */
ss_status ss_take_together(ss_data *d, ss_stage attempt, double h, bool brief);

/* ---- groups (take_groups.c) ---- */

/* The step with what strikes at its time: all bodies together, or in groups. */
ss_status ss_take_timely(ss_data *d, ss_stage attempt, double h, bool brief);

#endif
