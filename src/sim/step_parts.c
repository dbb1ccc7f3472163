/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The four parts of a step as calls: collide, formulate, solve, update. What they leave is that of
 * the first round; ss_step_update() takes the rounds that follow, and ends the step.
 */
#include "sim/step.h"

#include "model/axes.h"
#include "sim/sim.h"

static ss_status next_part(const ss_model *m, ss_data *d, double h)
{
    ss_verdict verdict = SS_AGAIN;
    switch (d->parted.done) {
    case SS_PART_NONE:
        ss_begin_attempt(m, d);
        ss_rounds_start(m, d, h);
        ss_begin_rounds(m, d, h);
        return ss_round_collide(m, d, h);
    case SS_PART_COLLIDE:
        return ss_round_formulate(m, d, h);
    case SS_PART_FORMULATE:
        return ss_round_solve(m, d);
    case SS_PART_SOLVE:
    case SS_PART_UPDATE:
        break;
    }
    SS_TRY(ss_round_update(m, d, h, &verdict));
    SS_TRY(ss_more_rounds(m, d, h, verdict));
    return ss_end_attempt(m, d, h);
}

/* A stage (ss_retry_with_room): where there was no room, it begins with the first part again. */
static ss_status parts_wanted(const ss_model *m, ss_data *d, double h)
{
    while (d->parted.done < d->parted.wanted) {
        ss_status status = next_part(m, d, h);
        if (status != SS_OK) {
            d->parted.done = SS_PART_NONE;
            return status;
        }
        d->parted.done++;
    }
    return SS_OK;
}

/* What is left of the last step is gone as soon as the first part of the next one begins. */
static void forget_last(ss_data *d)
{
    d->contacts.count = 0;
    d->rows.nblocks   = 0;
    d->island_count   = 0;
}

/* The data as the part left it. */
static void mark_part(const ss_model *m, ss_data *d)
{
    d->parted.hash     = ss_state_hash(m, d);
    d->parted.resets   = d->scratch.resets;
    d->parted.contacts = d->contacts.count;
}

static ss_status take_part(const ss_model *m, ss_data *d, ss_step_part part)
{
    d->parted.wanted = part;
    ss_status status =
        d->parted.cut ? SS_ERR_CERTIFICATE : ss_try_whole(d, parts_wanted, d->parted.h);
    if (status != SS_OK) {
        forget_last(d);
    }
    if (status == SS_ERR_CERTIFICATE) { /* it will be cut: there is nothing to see before its end */
        d->parted.cut  = true;
        d->parted.done = part;
        status         = SS_OK;
    }
    mark_part(m, d);
    return status;
}

ss_status ss_step_collide(const ss_model *m, ss_data *d, double h)
{
    SS_TRY(ss_check_step(m, d, h));
    if (ss_level_of(m)->step != NULL) {
        return ss_fail(d->ctx, SS_ERR_UNSUPPORTED,
                       "a step of level: %s goes from event to event: it has no parts",
                       ss_level_of(m)->name);
    }
    forget_last(d);
    d->parted = (ss_parted){.h = h};
    SS_TRY(ss_judge_start(m, d, h, &d->parted.verdict));
    d->effort = (ss_effort){0};
    ss_limit_when_long(m, d);
    ss_forget_all_parts(d);
    ss_find_bends(d, h);
    d->parted.cut =
        d->cut.stretch.bends; /* it is taken in stretches: no round is that of the step */
    d->cut.stretch.bends = false;
    return take_part(m, d, SS_PART_COLLIDE);
}

/* Is the part before this one the last thing that was done to the data? */
static ss_status follows(const ss_model *m, ss_data *d, ss_step_part part, const char *name)
{
    static const char *const before[] = {"", "", "ss_step_collide", "ss_step_formulate",
                                         "ss_step_solve"};
    SS_TRY(ss_data_given(m, d, d));
    if (d->parted.done + 1 != part) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT, "%s comes after %s", name, before[part]);
    }
    if (d->parted.hash != ss_state_hash(m, d) || d->parted.resets != d->scratch.resets ||
        d->parted.contacts != d->contacts.count) {
        d->parted.done = SS_PART_NONE;
        forget_last(d);
        return ss_fail(d->ctx, SS_ERR_ARGUMENT,
                       "the data was changed between the parts of a step: begin again with "
                       "ss_step_collide");
    }
    return SS_OK;
}

ss_status ss_step_formulate(const ss_model *m, ss_data *d)
{
    SS_TRY(follows(m, d, SS_PART_FORMULATE, "ss_step_formulate"));
    return take_part(m, d, SS_PART_FORMULATE);
}

ss_status ss_step_solve(const ss_model *m, ss_data *d)
{
    SS_TRY(follows(m, d, SS_PART_SOLVE, "ss_step_solve"));
    return take_part(m, d, SS_PART_SOLVE);
}

/* Steps that end parts where something touches, and steps that have to be cut, are those of
   ss_step(): the state is still that of the start. */
ss_status ss_step_update(const ss_model *m, ss_data *d)
{
    SS_TRY(follows(m, d, SS_PART_UPDATE, "ss_step_update"));
    if (m->simulation.advance == SS_ADVANCE_EVENT || d->parted.cut) {
        return ss_step(m, d, d->parted.h);
    }
    d->parted.wanted = SS_PART_UPDATE;
    ss_status status = ss_try_whole(d, parts_wanted, d->parted.h);
    d->parted.done   = SS_PART_NONE;
    if (status == SS_ERR_CERTIFICATE) {
        return ss_step(m, d, d->parted.h);
    }
    ss_tell_rest(d, &d->parted.verdict, status);
    return status;
}
