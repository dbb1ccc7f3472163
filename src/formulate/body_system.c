/* SPDX-License-Identifier: Apache-2.0 */
#include "formulate/body_system.h"

#include "formulate/formulate.h"

ss_status ss_body_system_plan(const ss_model *m, ss_data *d, const ss_island *isl,
                              ss_body_system *s, bool *made)
{
    const int32_t nodes = isl->body_count, elements = nodes + isl->block_count;
    int32_t      *start  = ss_arena_alloc(&d->scratch, (size_t)nodes + 1, sizeof *start);
    int32_t      *first  = ss_arena_alloc(&d->scratch, (size_t)elements + 1, sizeof *first);
    int32_t      *member = ss_arena_alloc(
             &d->scratch, (size_t)nodes + SS_ROW_SIDES * (size_t)isl->block_count, sizeof *member);
    if (!start || !first || !member) {
        return SS_ERR_SCRATCH;
    }
    int32_t at = 0;
    for (int32_t i = 0; i < nodes; i++) {
        start[i]     = i * m->dof;
        first[i]     = at;
        member[at++] = i;
    }
    start[nodes] = nodes * m->dof;
    for (int32_t i = 0; i < isl->block_count; i++) {
        const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
        first[nodes + i]      = at;
        for (int side = 0; side < b->sides; side++) {
            if (b->body[side] >= 0) {
                member[at++] = d->local[b->body[side]];
            }
        }
    }
    first[elements] = at;
    *s              = (ss_body_system){
                     .m = m, .d = d, .isl = isl, .shape = {nodes, elements, start, first, member}};
    ss_fronts_result planned = ss_fronts_plan(&s->fronts, &s->shape, &d->scratch);
    *made                    = planned == SS_FRONTS_READY;
    return planned == SS_FRONTS_SCRATCH ? SS_ERR_SCRATCH : SS_OK;
}

void ss_body_system_reset(ss_body_system *s)
{
    ss_fronts_reset(&s->fronts);
}

void ss_body_system_add_mass(ss_body_system *s, int32_t i, double times)
{
    const int32_t    dof = s->m->dof;
    ss_fronts_target t   = ss_fronts_element(&s->fronts, &s->shape, i);
    for (int32_t c = 0; c < dof; c++) {
        double *to = t.origin + (size_t)(t.place[0] + c) * t.stride + t.place[0];
        for (int32_t r = 0; r < dof; r++) {
            to[r] += times * ss_body_matrix_entry(s->m, s->d, s->isl->bodies[i], r, c);
        }
    }
}

void ss_body_system_mass_times(const ss_body_system *s, int32_t i, double times, const double *x,
                               double *y)
{
    const int32_t dof = s->m->dof, at = i * dof;
    for (int32_t c = 0; c < dof; c++) {
        for (int32_t r = 0; r < dof; r++) {
            y[at + r] +=
                times * ss_body_matrix_entry(s->m, s->d, s->isl->bodies[i], r, c) * x[at + c];
        }
    }
}

void ss_body_system_add_row(ss_body_system *s, int32_t i, int32_t k, double c)
{
    const ss_row_block *b   = &s->d->rows.blocks[s->isl->blocks[i]];
    const int32_t       dof = s->m->dof;
    ss_fronts_target    t   = ss_fronts_element(&s->fronts, &s->shape, s->isl->body_count + i);
    const double       *J[SS_ROW_SIDES] = {NULL};
    int32_t             sides           = 0;
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] >= 0) {
            J[sides++] = ss_row_side(s->m, &s->d->rows, b->row + k, side);
        }
    }
    for (int32_t y = 0; y < sides; y++) {
        for (int32_t x = 0; x < sides; x++) {
            double *to = t.origin + (size_t)t.place[y] * t.stride + t.place[x];
            for (int32_t col = 0; col < dof; col++, to += t.stride) {
                double times = c * J[y][col];
                for (int32_t row = 0; row < dof; row++) {
                    to[row] += times * J[x][row];
                }
            }
        }
    }
}

bool ss_body_system_factor(ss_body_system *s)
{
    return ss_fronts_factor(&s->fronts);
}

void ss_body_system_solve(const ss_body_system *s, double *b)
{
    ss_fronts_solve(&s->fronts, b);
}

double ss_body_system_rate(const ss_body_system *s, int32_t i, int32_t k, const double *x)
{
    const ss_row_block *b = &s->d->rows.blocks[s->isl->blocks[i]];
    double              u = 0;
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] >= 0) {
            const double *J = ss_row_side(s->m, &s->d->rows, b->row + k, side);
            u += ss_dot_dof(J, x + (ptrdiff_t)s->d->local[b->body[side]] * s->m->dof, s->m->dof);
        }
    }
    return u;
}

void ss_body_system_push(const ss_body_system *s, int32_t i, int32_t k, double times, double *b)
{
    const ss_row_block *blk = &s->d->rows.blocks[s->isl->blocks[i]];
    for (int side = 0; side < blk->sides; side++) {
        if (blk->body[side] >= 0) {
            const double *J = ss_row_side(s->m, &s->d->rows, blk->row + k, side);
            ss_add_dof(b + (ptrdiff_t)s->d->local[blk->body[side]] * s->m->dof, times, J,
                       s->m->dof);
        }
    }
}
