/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Friction lets gaps of second order close (formulate/closing.c): a round takes the gaps of some
 * contacts to close, and counts slip from the least sliding that this needs. A contact that bears
 * no load at the end has not closed its gap, and sliding that its gap alone asks for is sliding
 * that friction does not see: a block that rocks open on one corner would creep on the other.
 *
 * So the slides of an island have to be of the size of what contacts that bear a load close. Where
 * they are not, the next rounds take the contacts without load to stay open, and where all bear
 * one, none of them to need a slide. A contact that was left open stays so: the rounds end.
 */
#include <math.h>

#include "core/compare.h"
#include "formulate/closing.h"
#include "model/axes.h"
#include "rows/contact_state.h"

extern const ss_reason ss_reason_closing;

static bool concerns(const ss_model *m)
{
    return ss_inertia_of(m)->momentum && !ss_geometry_of(m)->at_end;
}

static void begin(const ss_model *m, ss_data *d, double h)
{
    (void)m;
    (void)h;
    d->left_open.count = 0;
}

static bool is_left(const ss_left_open *x, uint64_t key)
{
    for (int32_t i = 0; i < x->count; i++) {
        if (x->keys[i] == key) {
            return true;
        }
    }
    return false;
}

static ss_status rows(const ss_model *m, ss_data *d, double h)
{
    (void)m;
    (void)h;
    if (d->left_open.count + d->contacts.count > d->left_open.capacity) {
        return SS_ERR_SCRATCH;
    }
    for (int32_t i = 0; d->left_open.count > 0 && i < d->contacts.count; i++) {
        ss_row_block *b = &d->rows.blocks[i];
        b->left         = is_left(&d->left_open, b->key);
    }
    return SS_OK;
}

/* Of contacts that their gaps were taken to close: the fastest slide, and what closes in truth. */
static void measure(const ss_model *m, const ss_data *d, const ss_island *isl, double *slide,
                    double *closing)
{
    *slide = *closing = 0;
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        if (b->closes && d->rows.impulse[b->row] > 0) {
            *slide   = ss_max(*slide, ss_closing_slide(m, d, b));
            *closing = ss_max(*closing, fabs(ss_closing_error(m, d, b)));
        }
    }
}

/* Contacts of the island that closing took, all of them or those without load; how many. */
static int32_t leave(ss_data *d, const ss_island *isl, bool all)
{
    int32_t before = d->left_open.count;
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        if (b->closes && (all || !(d->rows.impulse[b->row] > 0))) {
            d->left_open.keys[d->left_open.count++] = b->key;
        }
    }
    return d->left_open.count - before;
}

static ss_verdict check(const ss_model *m, ss_data *d, double h)
{
    bool changed = false;
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_island *isl = &d->islands[i];
        double           slide, closing;
        measure(m, d, isl, &slide, &closing);
        if (slide > SS_CLOSING_REACH * closing && ss_slip_shows(m, slide, ss_slip_time(m, d, h))) {
            changed = leave(d, isl, false) > 0 || leave(d, isl, true) > 0 || changed;
        }
    }
    if (changed) {
        ss_rounds_change_contacts(m, d, SS_CONTACTS_MORE);
    }
    return changed ? SS_AGAIN : SS_HOLDS;
}

const ss_reason ss_reason_closing = {.name          = "what closes",
                                     .concerns      = concerns,
                                     .begin         = begin,
                                     .rows          = rows,
                                     .check         = check,
                                     .when_all_hold = true};
