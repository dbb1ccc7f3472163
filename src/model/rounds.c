/* SPDX-License-Identifier: Apache-2.0 */
/* The reasons for another round are asked in the order of their list. */
#include "model/rounds.h"

#include <assert.h>

#include "model/data.h"

void ss_rounds_collect(const ss_model *m, ss_rounds *r, const ss_reason *const *list)
{
    *r = (ss_rounds){0};
    for (; *list != NULL; list++) {
        const ss_reason *x = *list;
        if (x->concerns != NULL && !x->concerns(m)) {
            continue;
        }
        assert(r->count < SS_REASONS_MAX);
        r->reasons[r->count++] = x;
        r->any_rows            = r->any_rows || x->rows != NULL;
        r->any_free_velocities = r->any_free_velocities || x->free_velocities != NULL;
        r->any_islands         = r->any_islands || x->islands != NULL;
        r->any_impulses        = r->any_impulses || x->impulses != NULL;
        r->any_solved          = r->any_solved || x->solved != NULL;
        r->any_anew            = r->any_anew || x->anew != NULL;
    }
}

void ss_rounds_start(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = 0; i < d->rounds.count; i++) {
        const ss_reason *x = d->rounds.reasons[i];
        if (x->start != NULL) {
            x->start(m, d, h);
        }
    }
}

void ss_rounds_begin(const ss_model *m, ss_data *d, double h)
{
    d->rounds.kept         = 0;
    d->rounds.open         = NULL;
    d->tried.count         = 0;
    d->rounds.forces_stand = false;
    d->rounds.at           = d->state.pose; /* geometry: explicit */
    for (int32_t i = 0; i < d->rounds.count; i++) {
        const ss_reason *x = d->rounds.reasons[i];
        if (x->begin != NULL) {
            x->begin(m, d, h);
        }
    }
}

/* ss_rounds_X: hook X of all reasons that have it. */
#define VISIT(hook)                                                                                \
    ss_status ss_rounds_##hook(const ss_model *m, ss_data *d, double h)                            \
    {                                                                                              \
        for (int32_t i = 0; i < d->rounds.count; i++) {                                            \
            const ss_reason *x = d->rounds.reasons[i];                                             \
            if (x->hook != NULL) {                                                                 \
                SS_TRY(x->hook(m, d, h));                                                          \
            }                                                                                      \
        }                                                                                          \
        return SS_OK;                                                                              \
    }
VISIT(rows)
VISIT(free_velocities)
VISIT(islands)
VISIT(impulses)

ss_verdict ss_rounds_solved(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < d->rounds.count; i++) {
        const ss_reason *x = d->rounds.reasons[i];
        if (x->solved != NULL && x->solved(m, d) != SS_HOLDS) {
            d->rounds.open = x;
            return SS_AGAIN_AT_ONCE;
        }
    }
    return SS_HOLDS;
}

ss_verdict ss_rounds_check(const ss_model *m, ss_data *d, double h)
{
    d->rounds.open = NULL;
    for (int32_t i = 0; i < d->rounds.count; i++) {
        const ss_reason *x = d->rounds.reasons[i];
        if (x->check == NULL || (x->when_all_hold && d->rounds.open != NULL)) {
            continue;
        }
        ss_verdict verdict = x->check(m, d, h);
        if (verdict == SS_OVER) {
            d->rounds.open = NULL;
            break;
        }
        if (verdict != SS_HOLDS) {
            d->rounds.open = x;
        }
        if (verdict == SS_FAILS) {
            return SS_FAILS;
        }
        if (verdict == SS_AGAIN_AT_ONCE) {
            break;
        }
    }
    return d->rounds.open != NULL ? SS_AGAIN : SS_HOLDS;
}

bool ss_rounds_anew(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < d->rounds.count; i++) {
        const ss_reason *x = d->rounds.reasons[i];
        if (x->anew != NULL && x->anew(m, d)) {
            return true;
        }
    }
    return false;
}

void ss_rounds_change_contacts(const ss_model *m, ss_data *d, ss_contacts_change how)
{
    for (int32_t i = 0; i < d->rounds.count; i++) {
        const ss_reason *x = d->rounds.reasons[i];
        if (x->contacts_changed != NULL) {
            x->contacts_changed(m, d, how);
        }
    }
}
