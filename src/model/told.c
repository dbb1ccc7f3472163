/* SPDX-License-Identifier: Apache-2.0 */
/* What blocks of rows did in a step that was taken in parts (written by sim/tell_parts.c). */
#include "model/data.h"

const ss_told_block *ss_told_of(const ss_data *d, const ss_row_block *b)
{
    const ss_told *t     = &d->told;
    ptrdiff_t      block = b - d->rows.blocks;
    if (t->now.parts < 2 || block >= t->block_count || t->at[block] < 0) {
        return NULL;
    }
    return &t->now.items[t->at[block]];
}

int32_t ss_gone_contacts(const ss_data *d)
{
    return d->told.now.parts > 1 ? d->told.gone_count : 0;
}

const ss_told_block *ss_gone_contact(const ss_data *d, int32_t number)
{
    return &d->told.now.items[d->told.gone[number]];
}

const ss_told_block *ss_gone_block(const ss_data *d, int32_t *cursor)
{
    const ss_told_list *t = &d->told.now;
    while (t->parts > 1 && *cursor < t->count) {
        const ss_told_block *of = &t->items[(*cursor)++];
        if (of->block.source != SS_ROWS_CONTACT && of->part < t->parts) {
            return of;
        }
    }
    return NULL;
}
