/* SPDX-License-Identifier: Apache-2.0 */
/* Forks: times at which several motions obey the laws, and which of them is taken. */
#include <string.h>

#include "core/array.h"
#include "core/context.h"
#include "hybrid/hybrid.h"

int32_t ss_hybrid_choose(const ss_hybrid *h, int32_t motions, int32_t least)
{
    if (motions == 1 || h->choice_next >= h->choice_count) {
        return least;
    }
    int32_t choice = h->choices[h->choice_next];
    return choice >= 0 && choice < motions ? choice : least;
}

ss_status ss_hybrid_note_fork(ss_data *d, const ss_fork *fork)
{
    ss_hybrid *h  = d->hybrid;
    int        ok = 1;
    h->forks =
        ss_array_reserve(d->ctx, h->forks, h->fork_count, &h->fork_capacity, sizeof *h->forks, &ok);
    if (!ok) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for %d forks", (int)h->fork_count + 1);
    }
    h->forks[h->fork_count++] = *fork;
    h->choice_next++;
    return SS_OK;
}

void ss_hybrid_free_forks(ss_data *d)
{
    ss_hybrid *h = d->hybrid;
    ss_free(d->ctx, h->forks, (size_t)h->fork_capacity * sizeof *h->forks);
    ss_free(d->ctx, h->choices, (size_t)h->choice_count * sizeof *h->choices);
}

/* ---- what is asked for ---- */

int32_t ss_data_fork_count(const ss_data *d)
{
    return d != NULL && d->hybrid != NULL ? d->hybrid->fork_count : 0;
}

ss_status ss_data_fork(const ss_model *m, const ss_data *d, int32_t fork, ss_fork *out)
{
    SS_TRY(ss_data_given(m, d, out));
    SS_TRY(ss_data_in_range(d, "fork", fork, ss_data_fork_count(d)));
    *out = d->hybrid->forks[fork];
    return SS_OK;
}

ss_status ss_data_choose(const ss_model *m, ss_data *d, const int32_t *motions, int32_t count)
{
    SS_TRY(ss_data_given(m, d, d));
    ss_hybrid *h = d->hybrid;
    if (h == NULL) {
        return ss_fail(d->ctx, SS_ERR_UNSUPPORTED,
                       "a step of level: impulse that has several solutions has them again in the "
                       "next step, so that futures would branch at every step and not at events; "
                       "--branch wants level: acceleration");
    }
    if (count < 0 || (count > 0 && motions == NULL)) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT, "there are no motions to choose (NULL)");
    }
    int32_t *copy = count > 0 ? ss_alloc(d->ctx, (size_t)count, sizeof *copy) : NULL;
    if (count > 0 && copy == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "no memory for %d choices", (int)count);
    }
    for (int32_t i = 0; i < count; i++) {
        copy[i] = motions[i];
    }
    ss_free(d->ctx, h->choices, (size_t)h->choice_count * sizeof *h->choices);
    h->choices      = copy;
    h->choice_count = count;
    h->choice_next  = 0;
    return SS_OK;
}
