/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What contacts, joints and supports did in a step that was taken in parts: the sum of their
 * impulses over all parts, so that an impact in one of them is in the step's mean force. Points,
 * normals, velocities and states are those of the last part that has them.
 */
#include <string.h>

#include "core/context.h"
#include "dynamics/stages.h"
#include "sim/sim.h"

void ss_forget_parts(ss_data *d)
{
    ss_told *t = &d->told;
    t->count   = t->kept_count;
    t->parts   = t->kept_parts;
    for (int32_t i = 0; i < t->count; i++) {
        t->items[i] = t->kept[i];
    }
}

void ss_forget_all_parts(ss_data *d)
{
    d->told.kept_count = 0;
    d->told.kept_parts = 0;
    ss_forget_parts(d);
}

static ss_status make_room(ss_data *d, ss_told_block **items, int32_t *capacity, int32_t wanted)
{
    if (wanted <= *capacity) {
        return SS_OK;
    }
    size_t         size = sizeof **items;
    ss_told_block *fresh =
        ss_resize(d->ctx, *items, (size_t)*capacity * size, 2 * (size_t)wanted * size);
    if (fresh == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for the impulses of the parts of a step");
    }
    *items    = fresh;
    *capacity = 2 * wanted;
    return SS_OK;
}

ss_status ss_keep_parts(ss_data *d)
{
    ss_told *t = &d->told;
    SS_TRY(make_room(d, &t->kept, &t->kept_capacity, t->count));
    if (t->count > 0) {
        memcpy(t->kept, t->items, (size_t)t->count * sizeof *t->kept);
    }
    t->kept_count = t->count;
    t->kept_parts = t->parts;
    return SS_OK;
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

static void add_block(const ss_model *m, ss_data *d, const ss_row_block *b, int32_t *cursor)
{
    ss_told       *t  = &d->told;
    ss_told_block *of = ss_told_find(t, b->key, cursor);
    of                = of != NULL && of->part == t->parts ? NULL : of; /* two of one name */
    if (of == NULL && !is_loaded(d, b)) {
        return;
    }
    if (of == NULL) {
        of  = &t->items[t->count++];
        *of = (ss_told_block){.key = b->key, .contact = b->source == SS_ROWS_CONTACT};
    }
    of->part = t->parts;
    if (of->contact) {
        ss_contact_of_part(m, d, b->index, &of->last);
        of->push = ss_add(of->push, along(&of->last, of->last.impulse));
        of->turn = ss_add(of->turn, along(&of->last, of->last.impulse + 3));
    }
    if (b->source == SS_ROWS_JOINT) {
        ss_wrench w         = ss_joint_reaction(m, d, b);
        of->reaction.force  = ss_add(of->reaction.force, w.force);
        of->reaction.torque = ss_add(of->reaction.torque, w.torque);
    }
    for (int32_t k = 0; k < b->dim && k < 6; k++) {
        double closing = d->rows.closing != NULL ? d->rows.closing[b->row + k] : 0;
        of->impulse[k] += d->rows.impulse[b->row + k];
        of->closing[k] += closing;
    }
}

ss_status ss_tell_part(const ss_model *m, ss_data *d)
{
    int32_t cursor = 0;
    d->told.parts++;
    SS_TRY(make_room(d, &d->told.items, &d->told.capacity, d->told.count + d->rows.nblocks));
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        add_block(m, d, &d->rows.blocks[i], &cursor);
    }
    return SS_OK;
}
