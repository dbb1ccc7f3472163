/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies that sleep (simulation: {sleep: true}; sim/sleep.c says when they fall asleep) have no
 * rows, no velocity and no weight in a step. They wake together: all that fell asleep as one island
 * are awake from the start of the step in which something that moves could meet one of them
 * (meet.c), or in which the caller pushes one.
 */
#include <string.h>

#include "dynamics/stages.h"

void ss_wake(const ss_model *m, ss_data *d, int32_t body)
{
    int32_t together = d->asleep[body];
    for (int32_t i = 0; i < m->nb; i++) {
        if (d->asleep[i] == together) {
            d->asleep[i] = 0;
        }
    }
}

static bool is_pushed(const ss_wrench *push)
{
    return ss_dot(push->force, push->force) + ss_dot(push->torque, push->torque) > 0;
}

void ss_begin_sleep(const ss_model *m, ss_data *d)
{
    if (!m->simulation.sleep) {
        return;
    }
    memcpy(d->asleep, d->state.asleep, (size_t)m->nb * sizeof *d->asleep);
    for (int32_t i = 0; i < m->nb; i++) {
        if (d->asleep[i] != 0 && is_pushed(&d->state.push[i])) {
            ss_wake(m, d, i);
        }
    }
}
