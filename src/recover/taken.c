/* SPDX-License-Identifier: Apache-2.0 */
/* Energy that a step takes from an island, from the states before and after. */
#include "dynamics/stages.h"
#include "formulate/formulate.h"

bool ss_island_undriven(const ss_model *m, const ss_data *d, const ss_island *isl)
{
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        if (b->source != SS_ROWS_CONTACT) {
            return false;
        }
        const ss_contact *c = &d->contacts.items[b->index];
        if (m->bodies[m->geoms[c->geom_a].body].drifts ||
            m->bodies[m->geoms[c->geom_b].body].drifts) {
            return false;
        }
    }
    return true;
}

static double taken_from_body(const ss_model *m, const ss_data *d, int32_t i, double h)
{
    const ss_body  *b   = &m->bodies[i];
    const ss_twist *was = &d->state.twist[i], *is = &d->twist_next[i];
    ss_vec3         F = ss_axpy(d->applied[i].force, -b->mass, m->gravity);
    double          work =
        0.5 * h *
        (ss_dot(F, ss_add(was->v, is->v)) + ss_dot(d->applied[i].torque, ss_add(was->w, is->w)));
    ss_vec3 dx = ss_sub(d->pose_next[i].p, d->state.pose[i].p);
    return work + b->mass * ss_dot(m->gravity, dx) + ss_kinetic_energy(b, &d->state.pose[i], was) -
           ss_kinetic_energy(b, &d->pose_next[i], is);
}

double ss_island_taken(const ss_model *m, const ss_data *d, const ss_island *isl, double h)
{
    double sum = 0;
    for (int32_t i = 0; i < isl->body_count; i++) {
        sum += taken_from_body(m, d, isl->bodies[i], h);
    }
    return sum;
}
