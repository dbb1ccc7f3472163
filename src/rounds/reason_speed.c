/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Did impulses make a body so much faster than the bound its pairs were found with
 * (dynamics/meet.c) that it may have met something unseen? Then the bound is raised and the next
 * round has more contacts; its guess is what this one found.
 */
#include <string.h>

#include "dynamics/stages.h"
#include "rounds/tolerances.h"

extern const ss_reason ss_reason_speed;

static void start(const ss_model *m, ss_data *d, double h)
{
    (void)h;
    memset(d->speed_floor, 0, (size_t)m->nb * sizeof *d->speed_floor);
}

static ss_verdict check(const ss_model *m, ss_data *d, double h)
{
    bool faster = false;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (!ss_body_moves(b) || b->geom_count == 0) {
            continue;
        }
        const ss_twist *w     = &d->twist_next[i];
        double          speed = ss_norm(w->v) + ss_norm(w->w) * b->extent;
        if (h * (speed - d->speed[i]) > SS_UNSEEN_PART * m->length) {
            d->speed_floor[i] = SS_SPEED_RAISE * speed;
            faster            = true;
        }
    }
    if (!faster) {
        return SS_HOLDS;
    }
    ss_rounds_change_contacts(m, d, SS_CONTACTS_MORE);
    ss_keep_impulses(d, d->tried.items, &d->tried.count);
    return SS_AGAIN;
}

const ss_reason ss_reason_speed = {.name = "the speed of a body", .start = start, .check = check};
