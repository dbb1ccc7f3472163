/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Impacts by Poisson's law, in two phases (Anitescu and Potra 1997, section 4; Glocker and Pfeiffer
 * 1995), two rounds of the step:
 *
 *   compression   M (v_c - v) = J'c            0 <= c_n _|_ u_n(v_c) >= 0,   |c_f| <= mu c_n
 *   expansion     M (v+ - v_c) = h F + J'p     p_n = r + x,   r = e c_n
 *                                              0 <= x   _|_ u_n(v+)  >= 0,   |p_f| <= mu p_n
 *
 * with maximum dissipation in both. The compression is an instant: forces have no impulse in it,
 * and so what bodies weigh is not returned. Every contact of an island that is struck returns its
 * share, also those that were at rest and only pass the impulse on; shares that could not move the
 * contact faster than forces do (W_nn c_n <= 2 h |n.a|) are not returned.
 *
 * The expansion is the ordinary step, in islands that nothing strikes to the last bit: there v_c =
 * v and r = 0. Elsewhere the known impulses c + r enter its free velocity, and the friction that r
 * allows is a block of its own (rows/rebound_rows.c). Impulses of the step: c + r + x.
 *
 * docs/theory/impact.md says when energy cannot grow, and proves it.
 */
#include <math.h>
#include <string.h>

#include "dynamics/stages.h"
#include "formulate/formulate.h"

extern const ss_reason ss_reason_impact;

static bool strikes(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    return b->source == SS_ROWS_CONTACT && b->strikes &&
           ss_model_law(m, &d->contacts.items[b->index])->poisson;
}

static bool any_strikes(const ss_model *m, const ss_data *d)
{
    for (int32_t i = 0; i < d->contacts.count; i++) {
        if (strikes(m, d, &d->rows.blocks[i])) {
            return true;
        }
    }
    return false;
}

static bool concerns(const ss_model *m)
{
    return m->poisson;
}

static void begin(const ss_model *m, ss_data *d, double h)
{
    (void)m;
    (void)h;
    d->impact.phase = SS_PHASE_WHOLE;
}

/* Contacts may be added: an impact begins anew. */
static void contacts_changed(const ss_model *m, ss_data *d, ss_contacts_change how)
{
    (void)how;
    begin(m, d, 0);
    d->rounds.kept = 0;
}

/* A round whose rows show an impact becomes its compression. */
static ss_status rows(const ss_model *m, ss_data *d, double h)
{
    (void)h;
    if (d->impact.phase != SS_PHASE_WHOLE || !any_strikes(m, d)) {
        return SS_OK;
    }
    d->impact.phase = SS_PHASE_COMPRESSION;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        ss_row_block *b    = &d->rows.blocks[i];
        double       *bias = &d->rows.bias[b->row];
        b->rebound         = 0;
        b->bound           = 0; /* what is bounded by a force has no impulse in an instant */
        if (b->source == SS_ROWS_CONTACT && !b->strikes) {
            *bias = fmax(*bias, b->carried); /* an overlap is not pushed apart by an impact */
        }
        memset(d->rows.impulse + b->row, 0, (size_t)b->dim * sizeof *d->rows.impulse);
    }
    return SS_OK;
}

/* Islands that nothing strikes have no compression. */
static ss_status islands(const ss_model *m, ss_data *d, double h)
{
    (void)h;
    if (d->impact.phase != SS_PHASE_COMPRESSION) {
        return SS_OK;
    }
    bool *struck = ss_arena_alloc(&d->scratch, (size_t)d->island_count, sizeof *struck);
    if (struck == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(struck, 0, (size_t)d->island_count * sizeof *struck);
    for (int32_t i = 0; i < d->contacts.count; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        struck[b->island]     = struck[b->island] || strikes(m, d, b);
    }
    int32_t kept = 0;
    for (int32_t i = 0; i < d->island_count; i++) {
        if (struck[i]) {
            d->islands[kept++] = d->islands[i];
        }
    }
    d->island_count = kept;
    return SS_OK;
}

/* What a phase starts from, after the inertia's own. */
static ss_status free_velocities(const ss_model *m, ss_data *d, double h)
{
    (void)h;
    if (d->impact.phase == SS_PHASE_COMPRESSION) {
        memcpy(d->v_free, d->v_now, (size_t)m->nv * sizeof *d->v_free);
    }
    for (int32_t i = 0; d->impact.phase == SS_PHASE_EXPANSION && i < m->nv; i++) {
        d->v_free[i] += d->impact.v_known[i];
    }
    return SS_OK;
}

/* Velocity that impulse p of one row gives the bodies of its block. */
static void add_known(const ss_model *m, ss_data *d, const ss_row_block *b, int32_t row, double p)
{
    const double *Y = ss_response_side(m, d, row, 0);
    for (int side = 0; side < b->sides; side++, Y += m->dof) {
        if (b->body[side] >= 0) {
            ss_add_dof(d->impact.v_known + m->bodies[b->body[side]].v_start, p, Y, m->dof);
        }
    }
}

/* What the expansion returns of the impulse of a block. */
static double returned(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    if (b->source != SS_ROWS_CONTACT) {
        return 0;
    }
    const ss_pair_law *law = ss_model_law(m, &d->contacts.items[b->index]);
    double             c   = d->rows.impulse[b->row];
    return law->poisson && ss_row_response(m, d, b, b->row) * c > b->rest
               ? ss_restitution_now(m, d, &d->contacts.items[b->index], law) * c
               : 0;
}

static void know_block(const ss_model *m, ss_data *d, ss_row_block *b)
{
    const double *c = d->rows.impulse + b->row;
    b->rebound      = returned(m, d, b);
    for (int32_t k = 0; k < b->dim; k++) {
        add_known(m, d, b, b->row + k, c[k]);
    }
    add_known(m, d, b, b->row, b->rebound);
}

static bool certified(ss_data *d)
{
    d->impact.residual   = 0;
    d->impact.iterations = 0;
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_solution *x = &d->islands[i].solution;
        if (!ss_island_solved(d->model, &d->islands[i])) {
            return false;
        }
        d->impact.residual = fmax(d->impact.residual, x->residual);
        d->impact.iterations += x->iterations;
    }
    return true;
}

/* A certified compression gives way to the expansion; otherwise the step is judged by it. */
static ss_verdict check(const ss_model *m, ss_data *d, double h)
{
    (void)h;
    if (d->impact.phase != SS_PHASE_COMPRESSION) {
        return SS_HOLDS;
    }
    if (!certified(d)) {
        return SS_OVER;
    }
    memset(d->impact.v_known, 0, (size_t)m->nv * sizeof *d->impact.v_known);
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_island *isl = &d->islands[i];
        for (int32_t k = 0; k < isl->block_count; k++) {
            know_block(m, d, &d->rows.blocks[isl->blocks[k]]);
        }
    }
    d->impact.rows  = d->rows;
    d->rounds.kept  = ss_arena_mark(&d->scratch);
    d->impact.phase = SS_PHASE_EXPANSION;
    return SS_AGAIN_AT_ONCE;
}

/* The impulses of the compression, once the expansion is solved. */
static ss_status impulses(const ss_model *m, ss_data *d, double h)
{
    (void)m;
    (void)h;
    if (d->impact.phase != SS_PHASE_EXPANSION) {
        return SS_OK;
    }
    const ss_rows *c = &d->impact.rows;
    for (int32_t i = 0; i < c->nblocks; i++) {
        const ss_row_block *b = &c->blocks[i];
        for (int32_t k = 0; k < b->dim; k++) {
            d->rows.impulse[b->row + k] += c->impulse[b->row + k];
        }
        d->rows.impulse[b->row] += b->rebound;
    }
    for (int32_t i = c->nblocks; i < d->rows.nblocks; i++) {
        const ss_row_block *disk    = &d->rows.blocks[i];
        double             *contact = d->rows.impulse + d->rows.blocks[disk->index].row;
        for (int32_t k = 0; k < disk->dim; k++) {
            contact[1 + k] += d->rows.impulse[disk->row + k];
        }
    }
    d->rows.nblocks = c->nblocks; /* the disks were a way to solve it; contacts tell the result */
    d->rows.nrows   = c->nrows;
    return SS_OK;
}

const ss_reason ss_reason_impact = {.name             = "the compression of an impact",
                                    .concerns         = concerns,
                                    .begin            = begin,
                                    .rows             = rows,
                                    .free_velocities  = free_velocities,
                                    .islands          = islands,
                                    .impulses         = impulses,
                                    .check            = check,
                                    .contacts_changed = contacts_changed};
