/* SPDX-License-Identifier: Apache-2.0 *
 * Near a change point (a linkage that is stretched, or flat) rows depend on each other nearly: a
 * combination n of them with |n| = 1 has n'W n below the least pivot e that counts, so that n'J v
 * is up to sqrt(e) of the velocities without being zero. That is no contradiction: where nothing is
 * driven, momentum carries the linkage through, as if the combination were not there.
 */
/*
 * Equality rows of an island. Where joints are redundant their rows depend on each other, and the
 * terms phi/h that correct their drift, known to second order only, contradict each other a little.
 * The contradiction, the part of q that no reaction can cancel, is taken out of q as long as it is
 * no larger than those terms, or rounding of the velocities that q was summed from: what turns
 * freely has nothing else in q. Anything larger belongs to motors or driven bodies that ask for
 * motions which exclude each other: the certificate says so, and d->opposed names a joint.
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

/* Rows with a part along a null vector are not unique. */
static void mark_loose(ss_data *d, const ss_island *isl, const ss_eliminated *e)
{
    for (int32_t i = 0; i < e->ne; i++) {
        double  along = 0;
        int32_t row;
        for (int32_t c = 0; c < e->ne - e->rank; c++) {
            along = fmax(along, fabs(e->null[(size_t)c * (size_t)e->ne + (size_t)i]));
        }
        block_of(d, isl, e->held[i], &row);
        d->rows.loose[row] = along > SS_LOOSE_PART;
    }
}

/* Does anything but bodies at rest ask for velocities in row `row` of a joint? */
static bool is_driven(const ss_data *d, const ss_row_block *b, int32_t row)
{
    return b->source != SS_ROWS_JOINT || d->rows.drift[row] != 0;
}

static ss_status make_consistent(const ss_model *m, ss_data *d, ss_island *isl,
                                 const ss_eliminated *e)
{
    double *mismatch = ss_arena_alloc(&d->scratch, (size_t)e->ne, sizeof *mismatch);
    if (mismatch == NULL) {
        return SS_ERR_SCRATCH;
    }
    double  worst = 0, allowed = 0, terms = 0;
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
        driven = driven || is_driven(d, b, row);
    }
    allowed = fmax(allowed, (driven ? ss_velocity_rounding : sqrt(SS_EQUALITY_DEPENDENT)) * terms);
    if (worst > allowed) {
        d->opposed         = opposed;
        d->opposed_by_none = !driven;
        return SS_OK;
    }
    for (int32_t i = 0; i < e->ne; i++) {
        isl->q[e->held[i]] -= mismatch[i];
    }
    return SS_OK;
}

ss_status ss_eliminate_equalities(const ss_model *m, ss_data *d, ss_island *isl)
{
    if (isl->cone.as.cone.nv > 0 || !has_equalities(&isl->cone.as.cone)) {
        return SS_OK;
    }
    ss_eliminated *e = ss_arena_alloc(&d->scratch, 1, sizeof *e);
    if (e == NULL || !ss_reduce_equality(&isl->cone.as.cone, &d->scratch, e, &isl->bare.as.cone)) {
        return SS_ERR_SCRATCH;
    }
    isl->bare.type  = SS_CONE;
    isl->eliminated = e;
    if (e->rank < e->ne) {
        mark_loose(d, isl, e);
        SS_TRY(make_consistent(m, d, isl, e));
    }
    return SS_OK;
}
