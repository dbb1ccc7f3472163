/* SPDX-License-Identifier: Apache-2.0 *
 * Near a change point (a linkage that is stretched, or flat) rows depend on each other nearly: a
 * combination n of them with |n| = 1 has n'W n below the least pivot e that counts, so that n'J v
 * is up to sqrt(e) of the velocities without being zero, and so is what other reactions do to it,
 *
 *   |n'W_ec r_c| <= sqrt(n'W n) sqrt(r_c'W_cc r_c)         (Cauchy and Schwarz).
 *
 * That is no contradiction: momentum carries the linkage through, as if the combination were not
 * there. It is taken out of q_e and W_ec both.
 *
 * The same of a combination that is small in the middle of a step and far from it at its start: the
 * point is within the step. With -a the distance of the start from it, c that of the middle and
 * x the place along the other branch, n'J v = 0 is  c x' + x v = 0: passes of the step, in which
 * x is x_0 + h x'/2, take what x' is off by times -h v/2c, and the row of the middle says nothing
 * about the step.
 */
/*
 * Equality rows of an island. Where joints are redundant their rows depend on each other, and the
 * terms phi/h that correct their drift, known to second order only, contradict each other a little.
 * The contradiction, the part of q that no reaction can cancel, is taken out of q as long as it is
 * no larger than those terms, or rounding of the velocities that q was summed from: what turns
 * freely has nothing else in q. Anything larger belongs to motors or driven bodies that ask for
 * motions which exclude each other: the certificate says so, and d->opposed names a joint. Drives
 * that have no part in the combination (a motor that turns a linkage through its change point: its
 * part in n is of the size of the distance) do not contradict.
 */
#include <math.h>
#include <string.h>

#include "dynamics/coordinates.h"
#include "formulate/formulate.h"
#include "formulate/tolerances.h"
#include "problem/reduce.h"
#include "problem/tolerances.h"

static bool has_equalities(const ss_cone *p)
{
    for (int32_t i = 0; i < p->nblocks; i++) {
        if (p->blocks[i].kind == SS_BLOCK_EQUALITY) {
            return true;
        }
    }
    return false;
}

/* The block that row `local` of the island belongs to; *row is the same row in d->rows. */
static const ss_row_block *block_of(const ss_data *d, const ss_island *isl, int32_t local,
                                    int32_t *row)
{
    const ss_cone *p = &isl->cone.as.cone;
    int32_t        i = 0;
    while (local >= p->blocks[i].start + p->blocks[i].dim) {
        i++;
    }
    const ss_row_block *b = &d->rows.blocks[isl->blocks[i]];
    *row                  = b->row + local - p->blocks[i].start;
    return b;
}

/* The part that held row i has in combinations that vanish. */
static double part_in_null(const ss_eliminated *e, int32_t i)
{
    double along = 0;
    for (int32_t c = 0; c < e->ne - e->rank; c++) {
        along = fmax(along, fabs(e->null[(size_t)c * (size_t)e->ne + (size_t)i]));
    }
    return along;
}

/* Rows with a part along a null vector are not unique. */
static void mark_loose(ss_data *d, const ss_island *isl, const ss_eliminated *e)
{
    for (int32_t i = 0; i < e->ne; i++) {
        int32_t row;
        block_of(d, isl, e->held[i], &row);
        d->rows.loose[row] = part_in_null(e, i) > SS_LOOSE_PART;
    }
}

/* Does anything but bodies at rest ask for velocities in row `row` of a joint? */
static bool is_driven(const ss_data *d, const ss_row_block *b, int32_t row)
{
    return b->source != SS_ROWS_JOINT || d->rows.drift[row] != 0;
}

/* Is the mismatch of a column of W no more than rounding of its entries? */
static bool is_rounding(const ss_island *isl, const ss_eliminated *e, size_t column,
                        const double *mismatch)
{
    size_t n     = (size_t)isl->row_count;
    double whole = sqrt(isl->W[column * (n + 1)]), worst = 0;
    for (int32_t i = 0; i < e->ne; i++) {
        worst = fmax(worst, fabs(mismatch[i]) * e->scale[i]);
    }
    return worst <= ss_velocity_rounding * whole;
}

/* W_ec along null vectors, what other reactions do to combinations that vanish, is taken out. */
static void uncouple(const ss_island *isl, const ss_eliminated *e, double *mismatch)
{
    size_t n = (size_t)isl->row_count;
    for (int32_t j = 0; j < e->nc; j++) {
        size_t other = (size_t)e->other[j];
        ss_eliminated_mismatch(e, isl->W + other * n, mismatch);
        for (int32_t i = 0; !is_rounding(isl, e, other, mismatch) && i < e->ne; i++) {
            size_t held = (size_t)e->held[i];
            isl->W[other * n + held] -= mismatch[i];
            isl->W[held * n + other] = isl->W[other * n + held];
        }
    }
}

static ss_status make_consistent(const ss_model *m, ss_data *d, ss_island *isl, double dependent,
                                 const ss_eliminated *e)
{
    double *mismatch = ss_arena_alloc(&d->scratch, (size_t)e->ne, sizeof *mismatch);
    if (mismatch == NULL) {
        return SS_ERR_SCRATCH;
    }
    double  worst = 0, allowed = 0, terms = 0, near = sqrt(dependent);
    int32_t opposed = -1;
    bool    driven  = false;
    ss_eliminated_mismatch(e, isl->q, mismatch);
    for (int32_t i = 0; i < e->ne; i++) {
        int32_t             row;
        const ss_row_block *b = block_of(d, isl, e->held[i], &row);
        opposed               = fabs(mismatch[i]) > worst ? b->index : opposed;
        worst                 = fmax(worst, fabs(mismatch[i]));
        if (b->source == SS_ROWS_JOINT) { /* phi/h of the joint as it was */
            allowed = fmax(allowed, fabs(d->rows.bias[row] - d->rows.drift[row]));
        }
        terms  = fmax(terms, ss_row_terms(m, d, b, row, d->v_free));
        driven = driven || (is_driven(d, b, row) && part_in_null(e, i) > SS_DRIVEN_PART * near);
    }
    allowed = fmax(allowed, (driven ? ss_velocity_rounding : near) * terms);
    if (worst > allowed) {
        d->opposed         = opposed;
        d->opposed_by_none = !driven;
        return SS_OK;
    }
    for (int32_t i = 0; i < e->ne; i++) {
        isl->q[e->held[i]] -= mismatch[i];
    }
    uncouple(isl, e, mismatch);
    return SS_OK;
}

/* The least pivot of held rows that counts: in the middle of a step, beside that of its start. */
static double least_pivot(const ss_data *d, const ss_island *isl)
{
    const ss_spread *start  = &d->midpoint.spread[isl->bodies[0]];
    bool             smooth = d->midpoint.pass > 0 && d->midpoint.smooth[isl->bodies[0]];
    bool             passes = smooth && start->least < SS_POINT_NEXT;
    return fmax(SS_EQUALITY_DEPENDENT, passes ? SS_POINT_WITHIN * start->least : 0);
}

ss_status ss_eliminate_equalities(const ss_model *m, ss_data *d, ss_island *isl)
{
    if (isl->cone.as.cone.nv > 0 || !has_equalities(&isl->cone.as.cone)) {
        return SS_OK;
    }
    ss_eliminated *e         = ss_arena_alloc(&d->scratch, 1, sizeof *e);
    double         dependent = least_pivot(d, isl);
    if (e == NULL || !ss_factor_equalities(&isl->cone.as.cone, dependent, &d->scratch, e)) {
        return SS_ERR_SCRATCH;
    }
    isl->bare.type  = SS_CONE;
    isl->eliminated = e;
    if (e->rank < e->ne) {
        mark_loose(d, isl, e);
        SS_TRY(make_consistent(m, d, isl, dependent, e));
    }
    bool fits = ss_reduce_equality(&isl->cone.as.cone, &d->scratch, e, &isl->bare.as.cone);
    return fits ? SS_OK : SS_ERR_SCRATCH;
}
