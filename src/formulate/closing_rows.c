/* SPDX-License-Identifier: Apache-2.0 */
/*
 * closing.c for islands of any size: the least sliding that closing the gaps cannot do without,
 * from the rows instead of W. With N = M / m of each body (displacements count as they are,
 * rotations by the radius of gyration) and weights w as there,
 *
 *   min |w J_t x|^2 + eps |x|_N^2   subject to   J_n x = -b,   J_joint x = 0
 *
 * by passes that start each from the motion of the last (the proximal method of multipliers,
 * Rockafellar 1976), so that eps has no part in the result but where sliding depends on levers
 * below sqrt(eps). The weights want to know how fast contacts slide in the least motion that closes
 * the gaps: that is the same problem without the first term.
 */
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "formulate/body_system.h"
#include "formulate/closing.h"
#include "formulate/formulate.h"

enum { LEAST_PASSES = 2, PASSES = 4 };

typedef struct closing {
    const ss_model  *m;
    ss_data         *d;
    const ss_island *isl;
    ss_body_system   system;
    int32_t         *held; /* (block_count) rows of each block that are to close: the first ones  */
    bool   *loaded;        /* (block_count) its friction counts                                   */
    double *weight;        /* (block_count) of its sliding                                        */
    double *y;             /* (rows, block by block, 6 each) multipliers of held rows             */
    double *x, *right;     /* (body_count x dof) */
} closing;

static const ss_row_block *block_at(const closing *c, int32_t i)
{
    return &c->d->rows.blocks[c->isl->blocks[i]];
}

static ss_status allocate(closing *c)
{
    ss_arena *a  = &c->d->scratch;
    size_t    nb = (size_t)c->isl->block_count;
    size_t    nv = (size_t)c->isl->body_count * (size_t)c->m->dof;
    c->held      = ss_arena_alloc(a, nb, sizeof *c->held);
    c->loaded    = ss_arena_alloc(a, nb, sizeof *c->loaded);
    c->weight    = ss_arena_alloc(a, nb, sizeof *c->weight);
    c->y         = ss_arena_alloc(a, 6 * nb, sizeof *c->y);
    c->x         = ss_arena_alloc(a, nv, sizeof *c->x);
    c->right     = ss_arena_alloc(a, nv, sizeof *c->right);
    return c->held && c->loaded && c->weight && c->y && c->x && c->right ? SS_OK : SS_ERR_SCRATCH;
}

/* Which rows take part; the speed at which gaps are to close. */
static double gather(closing *c)
{
    double fastest = 0;
    for (int32_t i = 0; i < c->isl->block_count; i++) {
        const ss_row_block *b     = block_at(c, i);
        bool                joint = b->kind == SS_BLOCK_EQUALITY && b->source != SS_ROWS_GIVE;
        c->loaded[i]              = ss_closing_takes(c->m, c->d, b);
        c->held[i]                = joint ? b->dim : c->loaded[i] ? 1 : 0;
        if (c->loaded[i]) {
            fastest = ss_max(fastest, fabs(ss_closing_error(c->m, c->d, b)));
        }
    }
    return fastest;
}

/* What speeds of a row are multiplied with to be speeds of surfaces: rotations have an arm. */
static double row_scale(const closing *c, const ss_row_block *b, int32_t k)
{
    if (b->kind != SS_BLOCK_EQUALITY && k < c->m->dimension) {
        return 1;
    }
    double push = ss_row_push(c->m, c->d, b, k);
    return push > 0 ? 1 / push : 1;
}

/* The cost of an open row, where speeds are counted in units of one. */
static double stiffness(const closing *c, const ss_row_block *b, int32_t k)
{
    double s = row_scale(c, b, k);
    return SS_CLOSING_OPEN * s * s;
}

static double mass_of(const closing *c, int32_t i)
{
    return ss_body_matrix_entry(c->m, c->d, c->isl->bodies[i], 0, 0);
}

/* The matrix, with `motion` times N and the sliding of contacts as it counts. */
static bool factor(closing *c, double motion, bool sliding)
{
    ss_body_system_reset(&c->system);
    for (int32_t i = 0; i < c->isl->body_count; i++) {
        ss_body_system_add_mass(&c->system, i, motion / mass_of(c, i));
    }
    for (int32_t i = 0; i < c->isl->block_count; i++) {
        const ss_row_block *b = block_at(c, i);
        for (int32_t k = 0; k < c->held[i]; k++) {
            ss_body_system_add_row(&c->system, i, k, stiffness(c, b, k));
        }
        for (int32_t k = 1; sliding && c->loaded[i] && k < b->dim; k++) {
            double w = c->weight[i] * row_scale(c, b, k);
            ss_body_system_add_row(&c->system, i, k, w * w);
        }
    }
    return ss_body_system_factor(&c->system);
}

/* One pass: from x and y to the next ones. */
static void pass(closing *c, double motion)
{
    size_t nv = (size_t)c->isl->body_count * (size_t)c->m->dof;
    memset(c->right, 0, nv * sizeof *c->right);
    for (int32_t i = 0; i < c->isl->body_count; i++) {
        ss_body_system_mass_times(&c->system, i, motion / mass_of(c, i), c->x, c->right);
    }
    for (int32_t i = 0; i < c->isl->block_count; i++) {
        double to = c->loaded[i] ? -ss_closing_error(c->m, c->d, block_at(c, i)) : 0;
        for (int32_t k = 0; k < c->held[i]; k++) {
            double push = stiffness(c, block_at(c, i), k) * to - c->y[6 * i + k];
            ss_body_system_push(&c->system, i, k, push, c->right);
        }
    }
    ss_body_system_solve(&c->system, c->right);
    memcpy(c->x, c->right, nv * sizeof *c->x);
    for (int32_t i = 0; i < c->isl->block_count; i++) {
        double to = c->loaded[i] ? -ss_closing_error(c->m, c->d, block_at(c, i)) : 0;
        for (int32_t k = 0; k < c->held[i]; k++) {
            double u = ss_body_system_rate(&c->system, i, k, c->x);
            c->y[6 * i + k] += stiffness(c, block_at(c, i), k) * (u - to);
        }
    }
}

/* x: the motion that closes the gaps. False: it cannot be computed. */
static bool solve(closing *c, double motion, bool sliding, int passes)
{
    memset(c->x, 0, (size_t)c->isl->body_count * (size_t)c->m->dof * sizeof *c->x);
    memset(c->y, 0, 6 * (size_t)c->isl->block_count * sizeof *c->y);
    if (!factor(c, motion, sliding)) {
        return false;
    }
    for (int i = 0; i < passes; i++) {
        pass(c, motion);
    }
    return true;
}

/* The fastest sliding that x has anywhere, t and o or rotations taken together. */
static double fastest_slide(const closing *c, bool weighted)
{
    double most = 0;
    for (int32_t i = 0; i < c->isl->block_count; i++) {
        const ss_row_block *b   = block_at(c, i);
        double              sum = 0;
        for (int32_t k = 1; c->loaded[i] && k < b->dim; k++) {
            double u = row_scale(c, b, k) * ss_body_system_rate(&c->system, i, k, c->x);
            sum += u * u;
        }
        most = ss_max(most, sqrt(sum) * (weighted ? c->weight[i] : 1));
    }
    return most;
}

static void weigh(closing *c, double most)
{
    for (int32_t i = 0; i < c->isl->block_count; i++) {
        double slip  = c->loaded[i] ? ss_closing_slip(c->m, c->d, block_at(c, i)) : 0;
        c->weight[i] = ss_closing_weight(slip, most);
    }
}

static void put_biases(const closing *c)
{
    for (int32_t i = 0; i < c->isl->block_count; i++) {
        ss_row_block *b = &c->d->rows.blocks[c->isl->blocks[i]];
        b->closes       = c->loaded[i];
        for (int32_t k = 1; c->loaded[i] && k < b->dim; k++) {
            c->d->rows.bias[b->row + k] -= ss_body_system_rate(&c->system, i, k, c->x);
        }
    }
}

/* Gaps that close more slowly than the certificate can see in what forces do to the bodies. */
static bool is_nothing(const closing *c, double fastest)
{
    double pushed = 0;
    for (int32_t i = 0; i < c->isl->body_count; i++) {
        int32_t at = c->m->bodies[c->isl->bodies[i]].v_start;
        for (int32_t k = 0; k < c->m->dimension; k++) {
            pushed = ss_max(pushed, fabs(c->d->v_free[at + k] - c->d->v_now[at + k]));
        }
    }
    return fastest <= c->m->simulation.tolerance * pushed;
}

ss_status ss_let_gaps_close_by_rows(const ss_model *m, ss_data *d, const ss_island *isl)
{
    closing c    = {.m = m, .d = d, .isl = isl};
    size_t  mark = ss_arena_mark(&d->scratch);
    bool    made = false;
    if (!ss_closing_has_work(m, d, isl)) {
        return SS_OK;
    }
    SS_TRY(allocate(&c));
    if (!is_nothing(&c, gather(&c))) {
        SS_TRY(ss_body_system_plan(m, d, isl, &c.system, &made));
    }
    if (made && solve(&c, 1, false, LEAST_PASSES)) {
        double most = fastest_slide(&c, false);
        weigh(&c, most);
        if (solve(&c, SS_CLOSING_MOTION, true, PASSES) &&
            fastest_slide(&c, true) > SS_CLOSING_NONE * most) {
            put_biases(&c);
        }
    }
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}
