/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slip that comes to an end within the step because forces (or what drives the surface) take it,
 * at its time. The law of the end of the step has one direction of friction for all of it: what
 * slides one way until t and the other way from there on gets 2 mu p_n t/h too much, an error of
 * the velocity of first order at each turn; and what turns round and is nearly at rest when the
 * step ends is held. With u the slip at the start, d = u/|u| its direction, u_d that at the end if
 * friction were against d all the time (it is linear in time to second order),
 *
 *   t/h = |u| / (|u| - d.u_d)                                    the slip ends at t
 *   p_t = -(t/h) mu p_n d + p',    |p'| <= (1 - t/h) mu p_n,    p' against the slip of the end
 *
 * so that what sticks from t on and what slides back are told by the law itself. The first part is
 * a known impulse with the load of the pass before, the second the same law with a smaller
 * coefficient. It takes two passes more: one with t = h for u_d, one with t, and another where
 * loads have changed. Slip that friction alone stops needs none: the law of the end is right, with
 * forces of less than friction nothing turns round. Since u <= h (f + a) for what stops in the
 * step, with f what friction takes and a what forces take, a > f means h a > u/2 (SS_BRAKED). Slip
 * that is little beside h a ends when the step begins: what rolls has as much of it, of second
 * order, in every step.
 */
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "midpoint/midpoint.h"
#include "midpoint/tolerances.h"

static int32_t first_row(const ss_row_block *b)
{
    return b->kind == SS_BLOCK_CONE ? 1 : 0;
}

static int32_t end_row(const ss_row_block *b)
{
    return b->dim < 6 ? b->dim : 6;
}

static bool is_smooth(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    for (int side = 0; side < b->sides; side++) {
        int32_t i = b->body[side];
        if (i >= 0 && (!d->midpoint.smooth[i] || ss_body_drags(&m->bodies[i]))) {
            return false;
        }
    }
    return true;
}

/* Dry friction with one coefficient, whose largest impulse is the same in all directions. */
static bool is_plain(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    bool rubs = b->source == SS_ROWS_CONTACT || b->source == SS_ROWS_SUPPORT ||
                b->source == SS_ROWS_FRICTION;
    bool round = b->dim - first_row(b) == 1 || !ss_cone_of(m)->flat;
    return rubs && round && b->sides == 2 && b->spring == 0 && !m->two_frictions &&
           (b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_DISK) && b->dim > first_row(b) &&
           !ss_island_by_motion(m, &d->islands[b->island]);
}

static double largest(const ss_data *d, const ss_row_block *b)
{
    return b->kind == SS_BLOCK_CONE ? b->mu * d->rows.impulse[b->row] : b->bound;
}

/* What the bound of friction is in proportion to. */
static double load_of(const ss_data *d, const ss_row_block *b)
{
    return b->kind == SS_BLOCK_CONE ? d->rows.impulse[b->row] : 1;
}

/* Slip at the start of the step; of supports that are not placed, the surface goes on evenly. */
static double slip_before(const ss_data *d, const ss_row_block *b, const ss_row_start *start,
                          int32_t k)
{
    return start->rate[k] + ss_drift_at_start(d, b, start, k);
}

static double slip_after(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t k)
{
    double shift = d->midpoint.pass > 0 ? d->midpoint.shift[b->row + k] : 0;
    return ss_row_rate(m, d, b, b->row + k, d->v_next) + d->rows.drift[b->row + k] + shift;
}

/* What forces and driven surfaces change of the slip in the step. */
static double pushed_by(const ss_model *m, const ss_data *d, const ss_row_block *b,
                        const ss_row_start *start, int32_t k)
{
    double forces = ss_row_forced(m, d, b, b->row + k);
    return forces + (start->placed ? 2 * (d->rows.drift[b->row + k] - start->drift[k]) : 0);
}

double ss_slip_ends(const ss_model *m, const ss_data *d, const ss_row_block *b,
                    const ss_row_start *start, bool beside)
{
    double before = 0, both = 0, pushed = 0;
    if (start->reversal != SS_REVERSAL_NONE || !(beside || largest(d, b) > 0) ||
        !is_plain(m, d, b) || !is_smooth(m, d, b)) {
        return 0;
    }
    for (int32_t k = first_row(b); k < end_row(b); k++) {
        double was = slip_before(d, b, start, k);
        before += was * was;
        both += was * slip_after(m, d, b, k);
        pushed += was * pushed_by(m, d, b, start, k);
    }
    bool ends = both <= SS_STOPS * before && pushed < -SS_BRAKED * before;
    return ends && before > -SS_REVERSAL_LEAST * pushed ? sqrt(before) : 0;
}

void ss_ask_reversal(const ss_data *d, const ss_row_block *b, ss_row_start *start)
{
    double before = 0;
    for (int32_t k = first_row(b); k < end_row(b); k++) {
        start->along[k] = slip_before(d, b, start, k);
        before += start->along[k] * start->along[k];
    }
    start->slip = sqrt(before);
    for (int32_t k = first_row(b); k < end_row(b); k++) {
        start->along[k] /= start->slip;
    }
    start->reversal = SS_REVERSAL_ASKED;
    start->part     = 1;
    start->load     = load_of(d, b);
    start->slides   = false;
}

/* By what came out of friction against the slip of the start, when it ends. */
static void place(const ss_model *m, const ss_data *d, const ss_row_block *b, ss_row_start *start)
{
    double after = 0;
    for (int32_t k = first_row(b); k < end_row(b); k++) {
        after += start->along[k] * slip_after(m, d, b, k);
    }
    start->part     = after < 0 ? start->slip / (start->slip - after) : 0;
    start->reversal = after < 0 ? SS_REVERSAL_PLACED : SS_REVERSAL_DONE;
}

bool ss_place_reversal(const ss_model *m, const ss_data *d, const ss_row_block *b,
                       ss_row_start *start)
{
    double load = load_of(d, b), was = start->load;
    start->load = load;
    switch (start->reversal) {
    case SS_REVERSAL_ASKED:
        place(m, d, b, start);
        return true;
    case SS_REVERSAL_PLACED:
        start->reversal = SS_REVERSAL_DONE;
        return fabs(load - was) > SS_REVERSAL_LOAD * load;
    default:
        return false;
    }
}

/* ---- the rows of a pass ---------------------------------------------------------------------- */

ss_status ss_reversal_rows(const ss_model *m, ss_data *d)
{
    ss_midpoint *x      = &d->midpoint;
    int32_t      cursor = 0;
    x->rubbed = x->kept = NULL;
    if (!x->reverses) {
        return SS_OK;
    }
    x->rubbed = ss_arena_alloc(&d->scratch, (size_t)d->rows.nrows + 1, sizeof(double));
    x->kept   = ss_arena_alloc(&d->scratch, (size_t)d->rows.nblocks + 1, sizeof(double));
    if (x->rubbed == NULL || x->kept == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(x->rubbed, 0, ((size_t)d->rows.nrows + 1) * sizeof(double));
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        ss_row_block *b     = &d->rows.blocks[i];
        ss_row_start *start = ss_block_start(d, b, &cursor);
        bool reverses = start != NULL && start->reversal != SS_REVERSAL_NONE && is_smooth(m, d, b);
        x->kept[i]    = reverses ? 1 - start->part : 1;
        if (!reverses) {
            continue;
        }
        double most = b->kind == SS_BLOCK_CONE ? b->mu * start->load : b->bound;
        for (int32_t k = first_row(b); k < end_row(b); k++) {
            x->rubbed[b->row + k] = -start->part * most * start->along[k];
        }
        start->mu    = b->mu;
        start->bound = b->bound;
        b->mu *= x->kept[i];
        b->bound *= x->kept[i];
    }
    return SS_OK;
}

/* v += A^-1 J'p of one side of a row. */
static void add_response(const ss_model *m, ss_data *d, int32_t body, const double *J, double p)
{
    const ss_body_matrix *A = &d->matrix[body];
    double               *v = d->v_free + m->bodies[body].v_start;
    ss_twist              w = ss_twist_from_vector(m, m->bodies[body].dof, J);
    ss_vec3               turn =
        m->dimension == 2 ? ss_v3(0, 0, A->inv_angular.m[8] * w.w.z) : ss_mul(&A->inv_angular, w.w);
    ss_wrench by = {ss_scale(A->inv_linear, w.v), turn};
    double    add[6];
    ss_wrench_to_vector(m, &by, p, add);
    ss_add_dof(v, 1, add, m->dof);
}

void ss_reversal_velocities(const ss_model *m, ss_data *d)
{
    const double *p = d->midpoint.rubbed;
    for (int32_t i = 0; p != NULL && i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        for (int32_t row = b->row; row < b->row + b->dim && d->midpoint.kept[i] != 1; row++) {
            for (int side = 0; side < b->sides; side++) {
                if (b->body[side] >= 0) {
                    const double *J = ss_row_side(m, &d->rows, row, side);
                    add_response(m, d, b->body[side], J, p[row]);
                }
            }
        }
    }
}

void ss_reversal_impulses(ss_data *d)
{
    const double *p      = d->midpoint.rubbed;
    int32_t       cursor = 0;
    for (int32_t i = 0; p != NULL && i < d->rows.nblocks; i++) {
        ss_row_block *b = &d->rows.blocks[i];
        if (d->midpoint.kept[i] == 1) {
            continue;
        }
        const ss_row_start *start = ss_block_start(d, b, &cursor);
        b->mu                     = start->mu;
        b->bound                  = start->bound;
        for (int32_t row = b->row; row < b->row + b->dim; row++) {
            d->rows.impulse[row] += p[row];
        }
    }
}
