/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/borders.h"

#include <math.h>

#include "dynamics/coordinates.h"

/* Sums see every infinity and every not-a-number, and need one test. */
static bool finite(const double *x, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += x[i] * 0;
    }
    return sum == 0;
}

static const char *scratch_fault(const ss_data *d)
{
    if (d->scratch.used > d->scratch.size) {
        return "the arena has handed out more than it has";
    }
    return d->scratch.used < d->rounds.kept ? "the arena was released below what rounds keep"
                                            : NULL;
}

static const char *frames_fault(const ss_model *m, const ss_data *d)
{
    for (int32_t i = 0; i < m->nb; i++) {
        if (!finite(d->frame[i].R.m, 9) || !finite(&d->frame[i].p.x, 3)) {
            return "a frame is not finite";
        }
    }
    return NULL;
}

static const char *forces_fault(const ss_model *m, const ss_data *d)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_wrench *w = &d->applied[i];
        if (!finite(&w->force.x, 3) || !finite(&w->torque.x, 3)) {
            return "a force is not finite";
        }
    }
    return NULL;
}

static const char *pairs_fault(const ss_model *m, const ss_data *d)
{
    for (int32_t i = 0; i < d->pair_count; i++) {
        const ss_pair *p = &d->pairs[i];
        if (p->a < 0 || p->a >= m->ng || p->b < 0 || p->b >= m->ng || p->a == p->b) {
            return "a pair names shapes that are none";
        }
    }
    return NULL;
}

static const char *contacts_fault(const ss_model *m, const ss_data *d)
{
    for (int32_t i = 0; i < d->contacts.count; i++) {
        const ss_contact *c = &d->contacts.items[i];
        if (c->geom_a < 0 || c->geom_a >= m->ng || c->geom_b < 0 || c->geom_b >= m->ng) {
            return "a contact names shapes that are none";
        }
        if (!isfinite(c->gap) || !(fabs(ss_dot(c->normal, c->normal) - 1) < 0.01)) {
            return "a contact has no gap or no unit normal";
        }
    }
    return NULL;
}

/* Has the block the rows that its law needs, and of bodies that move? */
static bool fits(const ss_model *m, const ss_row_block *b)
{
    bool rows = b->dim >= 1 && b->dim <= 6 && (b->kind != SS_BLOCK_UNILATERAL || b->dim == 1);
    bool some = false;
    if (b->sides != 2 && (b->sides != SS_ROW_SIDES || b->dim != 1)) {
        return false;
    }
    for (int side = 0; side < b->sides; side++) {
        int32_t body = b->body[side];
        if (body >= m->nb || (body >= 0 && !ss_body_moves(&m->bodies[body]))) {
            return false;
        }
        some = some || body >= 0;
    }
    return rows && some;
}

/* An impact is an instant: its expansion is of the contacts that were compressed. */
static const char *phases_fault(const ss_data *d)
{
    const ss_rows *was = &d->impact.rows;
    for (int32_t i = 0; d->impact.phase == SS_PHASE_EXPANSION && i < d->contacts.count; i++) {
        if (i >= was->nblocks || was->blocks[i].key != d->rows.blocks[i].key) {
            return "an expansion has contacts that were not compressed";
        }
    }
    return NULL;
}

static const char *rows_fault(const ss_model *m, const ss_data *d)
{
    int32_t row = 0;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->row != row || !fits(m, b)) {
            return "a block has rows, or bodies, that it cannot have";
        }
        row += ss_block_places(b);
        if (b->source == SS_ROWS_CONTACT && (b->index < 0 || b->index >= d->contacts.count)) {
            return "a block names a contact that is none";
        }
        for (int32_t k = 0; k < b->dim; k++) {
            for (int side = 0; side < b->sides; side++) {
                if (b->body[side] >= 0 &&
                    !finite(ss_row_side(m, &d->rows, b->row + k, side), (size_t)m->dof)) {
                    return "a row is not finite";
                }
            }
        }
    }
    if (row != d->rows.nrows) {
        return "blocks and rows do not add up";
    }
    return finite(d->rows.bias, (size_t)row) ? phases_fault(d) : "a bias is not finite";
}

static const char *islands_fault(const ss_model *m, const ss_data *d)
{
    int32_t blocks = 0, rows = 0;
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_island *isl = &d->islands[i];
        int32_t          own = 0;
        for (int32_t k = 0; k < isl->block_count; k++) {
            own += d->rows.blocks[isl->blocks[k]].dim;
        }
        if (own != isl->row_count || isl->cone.as.cone.n != own) {
            return "an island's problem has not the rows of its blocks";
        }
        blocks += isl->block_count;
        rows += own;
    }
    if (blocks != d->rows.nblocks || rows != d->rows.nrows) {
        return "islands do not hold every block once";
    }
    return finite(d->v_free, (size_t)m->nv) ? NULL : "a free velocity is not finite";
}

static const char *solutions_fault(const ss_data *d)
{
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_solution *x = &d->islands[i].solution;
        if (x->residual < 0 || x->outcome < SS_SOLVED || x->outcome > SS_NUMERICAL) {
            return "a solution has no outcome, or no residual";
        }
    }
    return NULL;
}

const char *ss_border_fault(const ss_model *m, const ss_data *d, ss_stage_id stage)
{
    const char *fault = scratch_fault(d);
    if (fault != NULL) {
        return fault;
    }
    switch (stage) {
    case SS_STAGE_KINEMATICS:
        return frames_fault(m, d);
    case SS_STAGE_FORCES:
        return forces_fault(m, d);
    case SS_STAGE_BROAD:
        return pairs_fault(m, d);
    case SS_STAGE_COLLIDE:
        return contacts_fault(m, d);
    case SS_STAGE_ROWS:
        return rows_fault(m, d);
    case SS_STAGE_FORMULATE:
        return islands_fault(m, d);
    case SS_STAGE_SOLVE:
        return solutions_fault(d);
    default:
        return NULL;
    }
}
