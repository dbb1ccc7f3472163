/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Static and kinetic friction (rows/sliding_law.h). Between the two coefficients both laws have an
 * answer: a block on a slope of an angle between them may rest, and may slide. What a contact did
 * tells which one counts (docs/theory/friction.md):
 *
 *   it stuck at the end of the last step: it sticks within mu_s p_n; where that does not hold it,
 *     it slides with mu(v)
 *   it slid, with u at the start of the step: it slides with mu(|u|), until its slip would turn
 *     against u within the step: there it has been at rest, and is asked as one that stuck
 *
 * A contact that was not loaded in the last step stuck if its slip is none. A round assumes who
 * sticks, by which coefficient its cone has, and a contact changes its mind at most twice a step:
 * once it could not be held by mu_s it slides. So the rounds end. Sticking lasts from step to step
 * and is part of the state.
 */
#include <math.h>
#include <string.h>

#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "rounds/sticking.h"
#include "rows/contact_state.h"
#include "rows/sliding_law.h"

extern const ss_reason ss_reason_sticking;

static bool concerns(const ss_model *m)
{
    return m->two_frictions;
}

static void begin(const ss_model *m, ss_data *d, double h)
{
    (void)m;
    (void)h;
    d->sticking.count = 0;
}

static bool has_two(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    return b->source == SS_ROWS_CONTACT && b->kind == SS_BLOCK_CONE &&
           ss_model_law(m, &d->contacts.items[b->index])->kinetic < 1;
}

/* Keys of two lists mostly come in the same order: the search begins after the last one found. */
static int32_t find_key(const void *items, size_t size, int32_t count, uint64_t key,
                        int32_t *cursor)
{
    for (int32_t k = 0; k < count; k++) {
        int32_t  i = *cursor + k < count ? *cursor + k : *cursor + k - count;
        uint64_t here;
        memcpy(&here, (const char *)items + (size_t)i * size, sizeof here);
        if (here == key) {
            *cursor = i + 1 < count ? i + 1 : 0;
            return i;
        }
    }
    return -1;
}

/* The slip at the start of the step, in the block's rows. */
static void slip_at_start(const ss_model *m, const ss_data *d, const ss_row_block *b,
                          ss_sticking_now *x)
{
    double square = 0;
    for (int32_t k = 1; k < b->dim; k++) {
        double u = d->rows.drift[b->row + k];
        for (int side = 0; side < 2; side++) {
            double v[6];
            if (b->body[side] >= 0) {
                ss_twist_to_vector(m, &d->state.twist[b->body[side]], v);
                u += ss_dot_dof(ss_row_side(m, &d->rows, b->row + k, side), v, m->dof);
            }
        }
        x->slip[k - 1] = u;
        square += u * u;
    }
    x->speed = sqrt(square);
}

/* What a contact is taken for at the beginning. */
static void meet(const ss_model *m, ss_data *d, const ss_row_block *b, double h, int32_t *cursor,
                 ss_sticking_now *x)
{
    const ss_state *s = &d->state;
    *x                = (ss_sticking_now){.key = b->key};
    bool remembered = d->at_impact == NULL; /* from event to event, modes are what is remembered */
    int32_t i       = remembered
                          ? find_key(s->sticking, sizeof *s->sticking, s->sticking_count, b->key, cursor)
                          : -1;
    slip_at_start(m, d, b, x);
    x->sticks = i >= 0 ? s->sticking[i].sticks != 0 : !ss_slip_shows(m, x->speed, h);
}

static ss_status rows(const ss_model *m, ss_data *d, double h)
{
    int32_t known = 0, memory = 0;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        ss_row_block *b = &d->rows.blocks[i];
        if (b->source == SS_ROWS_REBOUND) { /* friction of what an impact returns, after contacts */
            b->bound = d->rows.blocks[b->index].mu * d->impact.rows.blocks[b->index].rebound;
        }
        if (!has_two(m, d, b)) {
            continue;
        }
        ss_sticking *s  = &d->sticking;
        int32_t      at = find_key(s->items, sizeof *s->items, s->count, b->key, &known);
        if (at < 0 && s->count == s->capacity) {
            return SS_ERR_SCRATCH;
        }
        if (at < 0) {
            at = s->count++;
            meet(m, d, b, h, &memory, &s->items[at]);
        }
        const ss_sticking_now *x   = &s->items[at];
        const ss_pair_law     *law = ss_model_law(m, &d->contacts.items[b->index]);
        b->mu *= x->sticks ? 1 : ss_sliding_part(law, x->speed);
    }
    return SS_OK;
}

/* Does the slip go against what it was? */
static bool turned(const ss_data *d, const ss_row_block *b, const ss_sticking_now *x)
{
    double along = 0;
    for (int32_t k = 1; k < b->dim; k++) {
        along += x->slip[k - 1] * d->rows.velocity[b->row + k];
    }
    return along <= 0;
}

static ss_verdict check(const ss_model *m, ss_data *d, double h)
{
    int32_t known   = 0;
    bool    changed = false;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (!has_two(m, d, b) || !(d->rows.impulse[b->row] > 0)) {
            continue;
        }
        ss_sticking     *s     = &d->sticking;
        int32_t          at    = find_key(s->items, sizeof *s->items, s->count, b->key, &known);
        ss_sticking_now *x     = &s->items[at];
        bool             slips = ss_block_slips(m, d, b, h);
        if (x->sticks && slips) {
            x->sticks = false;
            x->torn   = true;
            changed   = true;
        } else if (!x->sticks && !x->torn && slips && turned(d, b, x)) {
            x->sticks = true;
            changed   = true;
        }
    }
    if (changed) {
        ss_rounds_change_contacts(m, d, SS_CONTACTS_MORE);
    }
    return changed ? SS_AGAIN : SS_HOLDS;
}

void ss_keep_sticking(const ss_model *m, ss_data *d, double h)
{
    ss_state *s       = &d->state;
    s->sticking_count = 0;
    for (int32_t i = 0; d->at_impact == NULL && i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (has_two(m, d, b) && d->rows.impulse[b->row] > 0) {
            s->sticking[s->sticking_count++] =
                (ss_sticking_entry){.key = b->key, .sticks = !ss_block_slips(m, d, b, h)};
        }
    }
}

const ss_reason ss_reason_sticking = {.name          = "what sticks",
                                      .concerns      = concerns,
                                      .begin         = begin,
                                      .rows          = rows,
                                      .check         = check,
                                      .when_all_hold = true};
