/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Impulses that nothing explains. A driven body that moves parts into a corner with friction can
 * wedge them: two contacts whose friction cones see each other press each other with any force, and
 * close to that with forces that grow without bound. Such a step may satisfy every law by its
 * residual, which is relative to the impulses. But an impulse P_max that is known to a part e of
 * itself says nothing about bodies whose whole momentum is smaller than e P_max, so that of an
 * island with momentum
 *
 *   P = sum over bodies of m |v| + m |v'| + h |F|   + impulses of motors, springs and dampers
 *
 * rigid contacts may not carry more than P / e, with e the tolerance of the step's residual.
 */
#include <math.h>
#include <string.h>

#include "certify/certify.h"
#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "formulate/formulate.h"
#include "model/axes.h"

static double momentum_of(const ss_model *m, const ss_data *d, int32_t i, double h)
{
    const ss_body *b = &m->bodies[i];
    double         v = ss_norm(d->state.twist[i].v), next = ss_norm(d->twist_next[i].v);
    double         w   = ss_norm(d->state.twist[i].w) + ss_norm(d->twist_next[i].w);
    double         arm = ss_body_arm(m, i);
    return b->mass * (v + next + arm * w) + h * ss_norm(d->applied[i].force) +
           h * ss_norm(d->applied[i].torque) / arm;
}

/* What motors, springs and dampers put in, as linear momentum. */
static double put_in(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    double sum = 0;
    for (int32_t row = b->row; row < b->row + b->dim; row++) {
        const double *J = ss_row_side(m, &d->rows, row, 0);
        for (int side = 0; side < b->sides; side++, J += m->dof) {
            double size = 0;
            for (int32_t c = 0; b->body[side] >= 0 && c < m->dof; c++) {
                double arm = c < m->dimension ? 1 : ss_body_arm(m, b->body[side]);
                size       = ss_max(size, fabs(J[c]) / arm);
            }
            sum += size * fabs(d->rows.impulse[row]);
        }
    }
    return sum;
}

/* Momenta of the islands, (island_count). */
static void find_momenta(const ss_model *m, const ss_data *d, double h, double *P)
{
    memset(P, 0, (size_t)d->island_count * sizeof *P);
    for (int32_t i = 0; i < d->island_count; i++) {
        for (int32_t k = 0; k < d->islands[i].body_count; k++) {
            P[i] += momentum_of(m, d, d->islands[i].bodies[k], h);
        }
    }
    for (int32_t i = d->contacts.count; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->source == SS_ROWS_MOTOR || b->source == SS_ROWS_GIVE) {
            P[b->island] += put_in(m, d, b);
        }
    }
}

ss_status ss_check_wedges(const ss_model *m, ss_data *d, double h, ss_fault *fault)
{
    if (!ss_inertia_of(m)->momentum || !m->drives) {
        return SS_OK; /* without a drive nothing has more than momentum to press with */
    }
    size_t  mark = ss_arena_mark(&d->scratch);
    double *P = ss_arena_alloc(&d->scratch, (size_t)d->island_count, sizeof *P), worst = 1;
    if (P == NULL) {
        return SS_ERR_SCRATCH;
    }
    find_momenta(m, d, h, P);
    for (int32_t i = 0; i < d->contacts.count; i++) {
        const ss_row_block *b    = &d->rows.blocks[i];
        double              over = m->simulation.tolerance * d->rows.impulse[b->row];
        if (b->source == SS_ROWS_CONTACT && b->spring == 0 && over > worst * P[b->island]) {
            const ss_contact *c = &d->contacts.items[b->index];
            worst               = over / P[b->island];
            *fault              = (ss_fault){.kind    = SS_FAULT_WEDGED,
                                             .size    = worst / m->simulation.tolerance,
                                             .allowed = 1 / m->simulation.tolerance,
                                             .index   = {m->geoms[c->geom_a].body, m->geoms[c->geom_b].body}};
        }
    }
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}
