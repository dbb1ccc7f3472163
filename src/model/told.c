/* SPDX-License-Identifier: Apache-2.0 */
/* What blocks of rows did in a step that was taken in parts (written by sim/tell_parts.c). */
#include "model/data.h"

ss_told_block *ss_told_find(const ss_told *t, uint64_t key, int32_t *cursor)
{
    for (int32_t k = 0; k < t->count; k++) {
        int32_t i = *cursor + k < t->count ? *cursor + k : *cursor + k - t->count;
        if (t->items[i].key == key) {
            *cursor = i + 1;
            return &t->items[i];
        }
    }
    return NULL;
}

/* Contacts of patches whose corners fall together have one name. */
static int32_t names_before(const ss_data *d, const ss_row_block *b)
{
    int32_t count = 0;
    for (const ss_row_block *x = d->rows.blocks; x < b; x++) {
        count += x->key == b->key;
    }
    return count;
}

const ss_told_block *ss_told_of(const ss_data *d, const ss_row_block *b)
{
    if (d->told.parts < 2) {
        return NULL;
    }
    int32_t skip = names_before(d, b);
    for (int32_t i = 0; i < d->told.count; i++) {
        if (d->told.items[i].key == b->key && skip-- == 0) {
            return &d->told.items[i];
        }
    }
    return NULL;
}

static bool is_gone(const ss_told *t, const ss_told_block *of)
{
    return of->contact && of->part < t->parts;
}

int32_t ss_gone_contacts(const ss_data *d)
{
    int32_t count = 0;
    for (int32_t i = 0; d->told.parts > 1 && i < d->told.count; i++) {
        count += is_gone(&d->told, &d->told.items[i]);
    }
    return count;
}

const ss_told_block *ss_gone_contact(const ss_data *d, int32_t number)
{
    for (int32_t i = 0; i < d->told.count; i++) {
        if (is_gone(&d->told, &d->told.items[i]) && number-- == 0) {
            return &d->told.items[i];
        }
    }
    return NULL;
}
