/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps by groups of bodies that do not know of each other (groups.c): islands in which something
 * strikes take the step, in parts, by themselves, one after the other, and then the rest of the
 * bodies. Groups that turn out to have been fast enough to meet are joined, and all begin again.
 */
#include "core/compare.h"
#include "sim/groups.h"
#include "sim/parts.h"
#include "sim/sim.h"

/* What only sums or the worst over all groups tell. */
static void add_group_report(ss_parts *p)
{
    const ss_step_report *r = &p->d->report;
    ss_step_report       *s = &p->groups;
    s->islands += r->islands;
    s->contacts += r->contacts;
    s->rows += r->rows;
    s->asleep = r->asleep;
    s->redundant += r->redundant;
    s->joint_error = ss_max(s->joint_error, r->joint_error);
}

static void tell_groups(const ss_parts *p)
{
    ss_step_report *r = &p->d->report;
    r->islands        = p->groups.islands;
    r->contacts       = p->groups.contacts;
    r->rows           = p->groups.rows;
    r->redundant      = p->groups.redundant;
    r->joint_error    = p->groups.joint_error;
}

static ss_status take_group(ss_parts *p, int32_t group, double h, bool brief)
{
    ss_data *d = p->d;
    if (ss_group_is_empty(d, group)) {
        return SS_OK;
    }
    int32_t told         = d->told.now.parts;
    d->cut.part.depth    = 0;
    d->cut.part.eased    = 0;
    d->cut.part.smallest = false;
    SS_TRY(ss_begin_group(d, group));
    ss_status status = ss_take_together(d, p->attempt, h, brief);
    if (status == SS_ERR_CERTIFICATE && !d->apart.found) { /* else there are more groups */
        status = ss_take_halves(d, p->attempt, h);
    }
    if (status != SS_OK) {
        return status;
    }
    add_group_report(p);
    p->planned++;
    SS_TRY(ss_add_whole_parts(p, told));
    SS_TRY(ss_tell_unloaded(d->model, d));
    SS_TRY(ss_keep_parts(d));
    return ss_end_group(d, h);
}

/* All groups that there are, and those that are found when the rest is taken: it is the last, since
   what is asked about forces is mostly about its rows. */
static ss_status take_all_groups(ss_parts *p, double h, bool brief)
{
    ss_data *d = p->d;
    for (int32_t taken = 0;;) {
        while (taken < d->apart.count) {
            SS_TRY(take_group(p, ++taken, h, brief));
        }
        ss_status status = take_group(p, SS_APART_REST, h, brief);
        if (status != SS_ERR_CERTIFICATE || taken == d->apart.count) {
            p->planned--;
            return status;
        }
    }
}

/* How often groups are joined and begin again. */
enum { JOINED_MOST = 4 };

static ss_status take_groups(ss_data *d, ss_stage attempt, double h, bool brief)
{
    ss_status status = SS_ERR_CERTIFICATE;
    SS_TRY(ss_save_in(d, &d->apart.begin));
    for (int i = 0; i < JOINED_MOST && status == SS_ERR_CERTIFICATE && !d->apart.never; i++) {
        ss_parts p   = ss_parts_of(d, attempt);
        bool     met = false;
        SS_TRY(ss_begin_groups(d));
        status = take_all_groups(&p, h, brief);
        if (status == SS_OK) {
            SS_TRY(ss_join_groups(d, h, &met));
        }
        SS_TRY(ss_end_groups(d, h));
        ss_leave_groups(d, status == SS_OK && !met);
        if (status == SS_OK && !met) {
            ss_tell_sum(&p);
            tell_groups(&p);
            return SS_OK;
        }
        SS_TRY(ss_snapshot_set(d->model, d, d->apart.begin.state, d->apart.begin.size));
        if (!met) {
            return status;
        }
        status = SS_ERR_CERTIFICATE;
    }
    return status;
}

ss_status ss_take_timely(ss_data *d, ss_stage attempt, double h, bool brief)
{
    ss_effort effort = d->effort;
    ss_begin_apart(d);
    ss_status status = ss_take_together(d, attempt, h, brief);
    if (status != SS_ERR_CERTIFICATE || !d->apart.found) {
        return status;
    }
    status         = take_groups(d, attempt, h, brief);
    d->apart.found = false;
    if (status != SS_ERR_CERTIFICATE) {
        return status;
    }
    d->effort      = effort; /* nothing came of it */
    d->apart.never = true;
    return ss_take_together(d, attempt, h, brief);
}
