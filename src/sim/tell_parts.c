/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What contacts, joints and supports did in a step that was taken in parts: the sum of their
 * impulses over all parts, so that an impact in one of them is in the step's mean force. Points,
 * normals, velocities and states are those of the last part that has them.
 */
#include <string.h>

#include "core/array.h"
#include "core/context.h"
#include "dynamics/stages.h"
#include "sim/sim.h"

static ss_status make_room(ss_data *d, ss_told_list *list, int32_t wanted)
{
    int ok      = 1;
    list->items = ss_array_grow(d->ctx, list->items, &list->capacity, wanted, 2 * wanted,
                                sizeof *list->items, &ok);
    return ok ? SS_OK
              : ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for the impulses of the parts of a step");
}

/* What was written since `to` was as `from` was: both have the same blocks in the same places. */
static void bring(ss_told_list *to, const ss_told_list *from, int32_t since)
{
    for (int32_t i = 0; i < from->count; i++) {
        if (i >= to->count || from->items[i].part > since || to->items[i].part > since) {
            to->items[i] = from->items[i];
        }
    }
    to->count = from->count;
    to->parts = from->parts;
}

void ss_forget_parts(ss_data *d)
{
    const ss_told_list *kept = &d->told.kept[d->told.level];
    bring(&d->told.now, kept, kept->parts);
}

void ss_forget_all_parts(ss_data *d)
{
    d->told.level = SS_KEEP_STRETCHES;
    for (int i = 0; i < SS_KEEP_LEVELS; i++) {
        d->told.kept[i].count = d->told.kept[i].parts = 0;
    }
    d->told.now.count = d->told.now.parts = 0;
}

ss_status ss_keep_parts(ss_data *d)
{
    ss_told_list *kept = &d->told.kept[d->told.level];
    SS_TRY(make_room(d, kept, d->told.now.count));
    bring(kept, &d->told.now, kept->parts);
    return SS_OK;
}

ss_status ss_keep_groups(ss_data *d)
{
    d->told.level                      = SS_KEEP_GROUPS;
    d->told.kept[SS_KEEP_GROUPS].count = d->told.kept[SS_KEEP_GROUPS].parts = 0;
    return ss_keep_parts(d);
}

void ss_leave_groups(ss_data *d, bool taken)
{
    d->told.level = SS_KEEP_STRETCHES;
    if (!taken) {
        ss_forget_parts(d);
    }
}

static bool is_loaded(const ss_data *d, const ss_row_block *b)
{
    for (int32_t k = 0; k < b->dim; k++) {
        if (d->rows.impulse[b->row + k] != 0) {
            return true;
        }
    }
    return false;
}

/* Three rows of a contact, as a vector: along its normal and its two tangents, or about them. */
static ss_vec3 along(const ss_contact_info *c, const double *x)
{
    return ss_axpy(ss_axpy(ss_scale(x[0], c->normal), x[1], c->t), x[2], c->o);
}

/* Blocks mostly keep their order from part to part: *cursor is where the next one may be. Of two of
   one name (patches whose corners fall together) the second is another. */
static int32_t find(const ss_told_list *t, uint64_t key, int32_t *cursor)
{
    for (int32_t k = 0; k < t->count; k++) {
        int32_t i = *cursor + k < t->count ? *cursor + k : *cursor + k - t->count;
        if (t->items[i].block.key == key && t->items[i].part < t->parts) {
            *cursor = i + 1;
            return i;
        }
    }
    return -1;
}

static void add_reaction(const ss_model *m, const ss_data *d, const ss_row_block *b,
                         ss_told_block *of)
{
    ss_wrench w         = ss_joint_reaction(m, d, b);
    of->reaction.force  = ss_add(of->reaction.force, w.force);
    of->reaction.torque = ss_add(of->reaction.torque, w.torque);
    of->unique          = true;
    for (int32_t k = 0; d->rows.loose != NULL && k < b->dim; k++) {
        of->unique = of->unique && !d->rows.loose[b->row + k];
    }
}

/* One more. */
static int32_t new_block(ss_told_list *t)
{
    t->items[t->count] = (ss_told_block){0};
    return t->count++;
}

static void add_block(const ss_model *m, ss_data *d, const ss_row_block *b, int32_t at)
{
    ss_told_list  *t  = &d->told.now;
    ss_told_block *of = &t->items[at];
    of->block         = *b;
    of->part          = t->parts;
    if (b->source == SS_ROWS_CONTACT) {
        ss_contact_of_part(m, d, b->index, &of->last);
        of->push = ss_add(of->push, along(&of->last, of->last.impulse));
        of->turn = ss_add(of->turn, along(&of->last, of->last.impulse + 3));
    }
    if (b->source == SS_ROWS_JOINT) {
        add_reaction(m, d, b, of);
    }
    for (int32_t k = 0; k < b->dim && k < 6; k++) {
        double closing = d->rows.closing != NULL ? d->rows.closing[b->row + k] : 0;
        of->impulse[k] += d->rows.impulse[b->row + k];
        of->closing[k] += closing;
    }
}

static ss_status reserve_places(ss_data *d, int32_t **list, int32_t *capacity, int32_t wanted)
{
    int ok = 1;
    *list  = ss_array_grow(d->ctx, *list, capacity, wanted, 2 * wanted, sizeof **list, &ok);
    return ok ? SS_OK : ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for the parts of a step");
}

/* Contacts that the part which was told last does not have. */
static ss_status list_gone(ss_data *d)
{
    ss_told *t = &d->told;
    SS_TRY(reserve_places(d, &t->gone, &t->gone_capacity, t->now.count));
    t->gone_count = 0;
    for (int32_t i = 0; i < t->now.count; i++) {
        const ss_told_block *of = &t->now.items[i];
        if (of->block.source == SS_ROWS_CONTACT && of->part < t->now.parts) {
            t->gone[t->gone_count++] = i;
        }
    }
    return SS_OK;
}

ss_status ss_tell_part(const ss_model *m, ss_data *d)
{
    ss_told *t      = &d->told;
    int32_t  cursor = 0;
    t->now.parts++;
    SS_TRY(make_room(d, &t->now, t->now.count + d->rows.nblocks));
    SS_TRY(reserve_places(d, &t->at, &t->at_capacity, d->rows.nblocks));
    t->block_count = d->rows.nblocks;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b  = &d->rows.blocks[i];
        int32_t             at = find(&t->now, b->key, &cursor);
        t->at[i]               = at < 0 && is_loaded(d, b) ? new_block(&t->now) : at;
        if (t->at[i] >= 0) {
            add_block(m, d, b, t->at[i]);
        }
    }
    return list_gone(d);
}

ss_status ss_tell_unloaded(const ss_model *m, ss_data *d)
{
    ss_told *t = &d->told;
    SS_TRY(make_room(d, &t->now, t->now.count + d->contacts.count));
    for (int32_t i = 0; i < d->contacts.count && i < t->block_count; i++) {
        if (t->at[i] < 0) {
            t->at[i] = new_block(&t->now);
            add_block(m, d, &d->rows.blocks[i], t->at[i]);
        }
    }
    return SS_OK;
}
