/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Friction in the expansion of an impact by Poisson's law (impact/impact_poisson.c). A contact
 * that returns the known normal impulse r and needs x >= 0 beyond it has friction f with
 *
 *   |f| <= mu (r + x),  maximum dissipation.
 *
 * This set is the sum of a cone, |f_1| <= mu x, and a disk, |f_2| <= mu r, and the point of a sum
 * that dissipates most is the sum of the points that do. The cone is the contact's own block; the
 * disk is a block of its own, on copies of the contact's friction rows.
 */
#include <string.h>

#include "dynamics/stages.h"

static bool rubs(const ss_data *d, int32_t contact)
{
    const ss_row_block *b = &d->impact.rows.blocks[contact];
    return b->rebound > 0 && b->dim > 1;
}

int32_t ss_count_rebounds(const ss_data *d, int32_t *rows)
{
    int32_t count = 0;
    *rows         = 0;
    for (int32_t i = 0; d->impact.phase == SS_PHASE_EXPANSION && i < d->contacts.count; i++) {
        if (rubs(d, i)) {
            count++;
            *rows += d->impact.rows.blocks[i].dim - 1;
        }
    }
    return count;
}

static void copy_rows(const ss_model *m, ss_rows *r, int32_t from, int32_t to, int32_t count)
{
    size_t width = 2 * (size_t)m->dof, n = (size_t)count;
    memcpy(r->J + (size_t)to * width, r->J + (size_t)from * width, n * width * sizeof *r->J);
    memcpy(r->bias + to, r->bias + from, n * sizeof *r->bias);
    memcpy(r->drift + to, r->drift + from, n * sizeof *r->drift);
}

void ss_rebound_rows(const ss_model *m, ss_data *d, int32_t block, int32_t row)
{
    for (int32_t i = 0; i < d->contacts.count; i++) {
        if (!rubs(d, i)) {
            continue;
        }
        const ss_row_block *contact = &d->rows.blocks[i];
        ss_row_block       *disk    = &d->rows.blocks[block++];
        *disk                       = *contact;
        disk->kind                  = SS_BLOCK_DISK;
        disk->source                = SS_ROWS_REBOUND;
        disk->row                   = row;
        disk->dim                   = contact->dim - 1;
        disk->bound                 = contact->mu * d->impact.rows.blocks[i].rebound;
        disk->key                   = ~contact->key;
        copy_rows(m, &d->rows, contact->row + 1, row, disk->dim);
        row += disk->dim;
    }
}
