/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models without a matrix, from a good guess: the first round poses the balance of forces as it is
 * and solves it by Newton's method in velocities (solver/velocity.c), which finds the solution if
 * it is the only one nearby. Otherwise it is left to proximal rounds (reason_proximal.c).
 */
#include "formulate/formulate.h"

extern const ss_reason ss_reason_direct;

static bool concerns(const ss_model *m)
{
    return ss_inertia_of(m)->balanced;
}

static void begin(const ss_model *m, ss_data *d, double h)
{
    (void)m;
    (void)h;
    d->prox.direct = d->balancer != NULL;
}

static ss_verdict solved(const ss_model *m, ss_data *d)
{
    (void)m;
    if (!d->prox.direct || ss_balance_found(d)) {
        return SS_HOLDS;
    }
    d->prox.direct = false;
    return SS_AGAIN_AT_ONCE;
}

const ss_reason ss_reason_direct = {.name     = "the balance of forces",
                                    .concerns = concerns,
                                    .begin    = begin,
                                    .solved   = solved,
                                    .judged   = true};
