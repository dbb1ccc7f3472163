/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamics/kept_pairs.h"

#include <string.h>

/* kept[0]: of the last round, kept[1]: of this one. */

static void forget(ss_kept_contacts *k)
{
    k->count = k->contact_count = 0;
}

void ss_forget_kept(ss_data *d)
{
    forget(&d->kept[0]);
    forget(&d->kept[1]);
}

void ss_turn_kept(ss_data *d)
{
    ss_kept_contacts last = d->kept[1];
    d->kept[1]            = d->kept[0];
    d->kept[0]            = last;
    forget(&d->kept[1]);
}

static bool same_frame(const ss_frame *x, const ss_frame *y)
{
    /* Bit for bit: NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
    return memcmp(x, y, sizeof *x) == 0;
}

static bool same_question(const ss_kept_pair *x, const ss_kept_pair *y)
{
    return x->pair.a == y->pair.a && x->pair.b == y->pair.b && x->reach == y->reach &&
           x->beyond == y->beyond && same_frame(&x->frame[0], &y->frame[0]) &&
           same_frame(&x->frame[1], &y->frame[1]);
}

bool ss_take_kept_pair(ss_data *d, int32_t i, const ss_kept_pair *asked)
{
    const ss_kept_contacts *last = &d->kept[0];
    ss_contact_list        *list = &d->contacts;
    if (i >= last->count || !same_question(&last->pairs[i], asked)) {
        return false;
    }
    const ss_kept_pair *was = &last->pairs[i];
    if (was->count > 0 && list->count + was->count <= list->capacity) {
        memcpy(list->items + list->count, last->contacts + was->first,
               (size_t)was->count * sizeof *list->items);
    }
    list->count += was->count; /* without room: it is made, and the step done again */
    return true;
}

void ss_keep_pair(ss_data *d, ss_kept_pair *asked)
{
    ss_kept_contacts      *now  = &d->kept[1];
    const ss_contact_list *list = &d->contacts;
    const int32_t          from = asked->first;
    bool                   all  = list->count <= list->capacity;
    asked->count                = list->count - from;
    asked->first                = now->contact_count;
    if (all && asked->count > 0 && now->contact_count + asked->count <= now->contact_capacity) {
        memcpy(now->contacts + now->contact_count, list->items + from,
               (size_t)asked->count * sizeof *list->items);
    }
    now->contact_count += asked->count;
    if (now->count < now->capacity) {
        now->pairs[now->count] = *asked;
    }
    now->count++;
}

bool ss_kept_fit(const ss_data *d)
{
    const ss_kept_contacts *now = &d->kept[1];
    return now->count <= now->capacity && now->contact_count <= now->contact_capacity;
}
