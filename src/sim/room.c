/* SPDX-License-Identifier: Apache-2.0 */
/* Room for what a stage needs: it says when there is too little, and is called again. */
#include "core/array.h"
#include "model/axes.h"
#include "sim/sim.h"

/* items of d with room for `wanted` and some more */
#define GROW(items, capacity, wanted)                                                              \
    ((items) = ss_array_grow(d->ctx, items, &(capacity), wanted, (wanted) + (wanted) / 2 + 16,     \
                             sizeof *(items), &ok))

ss_status ss_make_room(ss_data *d)
{
    int           ok     = 1;
    const int32_t blocks = d->rows.nblocks;
    GROW(d->pairs, d->pair_capacity, d->pair_count);
    GROW(d->contacts.items, d->contacts.capacity, d->contacts.count);
    for (int i = 0; i < 2; i++) {
        GROW(d->kept[i].pairs, d->kept[i].capacity, d->kept[i].count);
        GROW(d->kept[i].contacts, d->kept[i].contact_capacity, d->kept[i].contact_count);
    }
    GROW(d->corners.items, d->corners.capacity, d->corners.wanted);
    GROW(d->state.warm, d->state.warm_capacity, blocks);
    GROW(d->tried.items, d->tried.capacity, blocks);
    GROW(d->left_open.keys, d->left_open.capacity, d->left_open.count + blocks);
    if (d->model->compliant) {
        GROW(d->springs.items, d->springs.capacity, d->springs.count + blocks); /* of all rounds */
        GROW(d->springs.layers, d->springs.layer_capacity, d->springs.layer_count);
        GROW(d->springs.links, d->springs.link_capacity, d->springs.link_count);
        GROW(d->state.deflection, d->state.deflection_capacity, blocks);
    }
    if (d->model->two_frictions) {
        GROW(d->sticking.items, d->sticking.capacity, d->sticking.count + blocks);
        GROW(d->state.sticking, d->state.sticking_capacity, blocks);
    }
    if (ss_integrator_of(d->model)->second) {
        GROW(d->midpoint.starts, d->midpoint.start_capacity, 2 * blocks); /* and successors */
    }
    if (!ok) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for %d contacts", d->contacts.count);
    }
    return d->scratch.wanted > d->scratch.size ? ss_arena_grow(d->ctx, &d->scratch) : SS_OK;
}

ss_status ss_retry_with_room(ss_data *d, ss_stage stage, double h)
{
    ss_status status = SS_ERR_SCRATCH;
    for (int i = 0; status == SS_ERR_SCRATCH && i < 64; i++) {
        if (i > 0) {
            SS_TRY(ss_make_room(d));
        }
        status = stage(d->model, d, h);
    }
    return status;
}
