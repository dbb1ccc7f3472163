/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A round whose problem was not solved tells nothing about the assumptions that come after this one
 * in the list: neither more contacts nor other loads make it easier to solve. The step is judged as
 * it is. Rounds of models without a matrix are on their way to a solution and have their own judge.
 */
#include "formulate/formulate.h"

extern const ss_reason ss_reason_certified;

static bool concerns(const ss_model *m)
{
    return !ss_inertia_of(m)->balanced;
}

static ss_verdict check(const ss_model *m, ss_data *d, double h)
{
    (void)h;
    for (int32_t i = 0; i < d->island_count; i++) {
        if (!ss_island_solved(m, &d->islands[i])) {
            return SS_OVER;
        }
    }
    return SS_HOLDS;
}

const ss_reason ss_reason_certified = {.name = "a solution", .concerns = concerns, .check = check};
