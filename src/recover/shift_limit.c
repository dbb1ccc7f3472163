/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Corrections in position of large piles make no energy.
 *
 * Moving bodies out of overlaps lifts some of them. Exact islands have overlaps of rounding only.
 * In islands that are solved to a motion error every step leaves some, of up to c S h, and a
 * correction may be of what several steps before have left: the energy that it takes to lift the
 * bodies was dissipated then, and taking it from nowhere would make the sum of energies rise. So a
 * step gives back what it has taken itself, and no more:
 *
 *   x := f x,  f = min(1, A / -sum m g.x)                  over the island
 *
 * with A what the step has taken from the island (taken.c; 0 where it gave). With J x >= r of open
 * contacts (r <= 0) f x obeys it as well, and of overlaps a part is left for later steps. Islands
 * that something drives (surfaces that move, joints and their motors) get their energy from there
 * and are not limited.
 */
#include "core/compare.h"
#include "recover/shift.h"

static void limit_island(ss_shifting *s, const ss_island *isl)
{
    const ss_model *m    = s->m;
    double          lift = 0, most = ss_max(ss_island_taken(m, s->d, isl, s->h), 0);
    for (int32_t i = 0; i < isl->body_count; i++) {
        const ss_body *b = &m->bodies[isl->bodies[i]];
        const double  *x = s->x + b->v_start;
        lift -= b->mass * ss_dot(m->gravity, ss_v3(x[0], x[1], m->dimension == 3 ? x[2] : 0));
    }
    if (lift <= most) {
        return;
    }
    for (int32_t i = 0; i < isl->body_count; i++) {
        double *x = s->x + m->bodies[isl->bodies[i]].v_start;
        for (int32_t c = 0; c < m->dof; c++) {
            x[c] *= most / lift;
        }
    }
}

void ss_shift_limit(ss_shifting *s)
{
    for (int32_t i = 0; i < s->d->island_count; i++) {
        const ss_island *isl = &s->d->islands[i];
        if (ss_island_by_motion(s->m, isl) && ss_island_undriven(s->m, s->d, isl)) {
            limit_island(s, isl);
        }
    }
}
