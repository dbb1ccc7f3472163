/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does the load press the contacts that hold an island at rest (rest.c)? There must be a virtual
 * motion w with
 *
 *   J_e w = 0,  F'w > 0,  J_n w < 0 at every contact and limit with p_n > 0,             (2)
 *   p.J w <= 0 for friction with a bound: it holds, it does not push.
 *
 * By the theorem of the alternative (Gordan, Motzkin) there is none exactly if some y, z >= 0,
 * y not zero, has y_0 F - sum y_i J_n,i' - sum z_k J_k'p_k = 0 in what joints leave of these
 * vectors: the point nearest to the origin, with sum y = 1, is the origin. Otherwise that point is
 * a w (Lawson and Hanson 1974, chapter 23). What has y_i > 0 or z_k > 0 presses only against each
 * other or against the load. As long as all of it bears, friction the same way, there is no w
 * whatever else bears, and how much: so rest is looked for without it all, and then without each of
 * it in turn, friction with a bound being free to push the other way, until (2) holds or (1) fails.
 */
#include <string.h>

#include "balance/seat.h"
#include "balance/tolerances.h"
#include "core/compare.h"
#include "linalg/vector.h"

/*
 * Column k of (2), of length 1, with the 1 of the convex combination below it: the load, or a
 * contact or limit that bears. Friction inside a bound that bears r: it does no work, r.J w <= 0,
 * and has no part in the combination.
 */
static void put_direction(const ss_seat *s, int32_t k, int32_t block, const double *r)
{
    int32_t n  = s->bodies;
    double *to = s->A + (ptrdiff_t)k * (n + 1);
    memset(to, 0, ((size_t)n + 1) * sizeof *to);
    const ss_row_block *b    = block < 0 ? NULL : ss_seat_block(s, block);
    bool                disk = b != NULL && b->kind == SS_BLOCK_DISK;
    if (b == NULL) {
        memcpy(to, s->load, (size_t)n * sizeof *to);
    } else {
        for (int32_t c = 0; c < (disk ? b->dim : 1); c++) {
            ss_add_scaled_row(s->m, s->d, b, b->row + c, disk ? -r[c] : -1, to);
        }
    }
    double whole = ss_vector_norm(n, to);
    ss_allowed_force(&s->allowed, to);
    double length = ss_vector_norm(n, to);
    bool   none   = length <= ss_rest_balance * whole; /* joints leave nothing of it */
    for (int32_t i = 0; i < n; i++) {
        to[i] = none ? 0 : to[i] / length;
    }
    to[n] = !disk;
}

/* Does it bear anything? `most`: the largest push of a contact or limit. */
static bool bears(const ss_seat *s, const ss_row_block *b, const double *r, double most)
{
    return b->kind == SS_BLOCK_DISK ? ss_vector_norm(b->dim, r) > ss_rest_balance * b->bound
                                    : r[0] * ss_block_push(s->m, s->d, b) > ss_rest_balance * most;
}

/* Does the load press every contact that bears? If not, `against`: those with y > 0. */
static bool is_pressed(ss_seat *s, bool *against)
{
    int32_t n = 0, rows = s->bodies;
    double  most = 0;
    for (int32_t i = 0, row = 0; i < s->isl->block_count; row += ss_seat_block(s, i++)->dim) {
        const ss_row_block *b = ss_seat_block(s, i);
        most = ss_block_one_way(b) ? ss_max(most, s->r[row] * ss_block_push(s->m, s->d, b)) : most;
    }
    put_direction(s, n++, -1, NULL);
    for (int32_t i = 0, row = 0; i < s->isl->block_count; row += ss_seat_block(s, i++)->dim) {
        if (s->may[i] && bears(s, ss_seat_block(s, i), s->r + row, most)) {
            s->block[n] = i;
            put_direction(s, n++, i, s->r + row);
        }
    }
    double *b = s->left + rows + 1;
    memset(b, 0, (size_t)rows * sizeof *b);
    b[rows] = 1;
    memset(s->x, 0, (size_t)n * sizeof *s->x);
    if (!ss_seat_least_squares(s, rows + 1, n, s->A, b, s->x, s->left, s->work, s->iwork)) {
        return false;
    }
    if (ss_vector_norm(rows + 1, s->left) > ss_rest_pressed) {
        return true;
    }
    for (int32_t k = 1; k < n; k++) {
        against[s->block[k]] = s->x[k] > ss_rest_balance;
    }
    return false;
}

/* What is found not pressed, and by which impulses. */
typedef struct conflict {
    bool   *against; /* (block_count) presses only against others of these, or against the load */
    double *r;       /* (row_count)                                                             */
} conflict;

/* Friction with a bound may no longer push the way it does, or nearly so; else it may not bear. */
static void shut_way(const ss_seat *s, int32_t i, const double *r)
{
    const ss_row_block *b    = ss_seat_block(s, i);
    double             *shut = s->shut + 3 * (ptrdiff_t)i * SS_SEAT_CUTS;
    for (int32_t k = 0; k < SS_SEAT_CUTS; k++, shut += 3) {
        if (ss_vector_norm(3, shut) == 0) {
            memcpy(shut, r, (size_t)b->dim * sizeof *shut);
            return;
        }
    }
    s->may[i] = false;
}

/* Takes from what may bear: all that conflicts, or one of it. */
static void let_go(const ss_seat *s, const conflict *c, int32_t one)
{
    for (int32_t i = 0, row = 0; i < s->isl->block_count; row += ss_seat_block(s, i++)->dim) {
        if (!c->against[i] || (one >= 0 && i != one)) {
            continue;
        }
        if (ss_seat_block(s, i)->kind == SS_BLOCK_DISK) {
            shut_way(s, i, c->r + row);
        } else {
            s->may[i] = false;
        }
    }
}

/* .. without what conflicts (one < 0), or without one of it. */
static ss_status find_without(ss_seat *s, const conflict *c, int32_t one, bool *found)
{
    size_t  mark = ss_arena_mark(&s->d->scratch), n = (size_t)s->isl->block_count;
    bool   *may  = ss_arena_alloc(&s->d->scratch, n, sizeof *may);
    double *shut = ss_arena_alloc(&s->d->scratch, s->cuts, sizeof *shut);
    if (!may || !shut) {
        return SS_ERR_SCRATCH;
    }
    memcpy(may, s->may, n * sizeof *may);
    memcpy(shut, s->shut, s->cuts * sizeof *shut);
    let_go(s, c, one);
    SS_TRY(ss_seat_find_pressed(s, found));
    memcpy(s->may, may, n * sizeof *may);
    memcpy(s->shut, shut, s->cuts * sizeof *shut);
    ss_arena_release(&s->d->scratch, mark);
    return SS_OK;
}

/* Reactions of rest that the load presses, in s->r. */
ss_status ss_seat_find_pressed(ss_seat *s, bool *found)
{
    *found = false;
    if (s->tries-- <= 0 || !ss_seat_balance_frugally(s)) {
        return SS_OK;
    }
    size_t   mark = ss_arena_mark(&s->d->scratch), n = (size_t)s->isl->block_count;
    size_t   rows = (size_t)s->isl->row_count;
    conflict c    = {ss_arena_alloc(&s->d->scratch, n, sizeof *c.against),
                     ss_arena_alloc(&s->d->scratch, rows, sizeof *c.r)};
    if (!c.against || !c.r) {
        return SS_ERR_SCRATCH;
    }
    memset(c.against, 0, n * sizeof *c.against);
    *found = is_pressed(s, c.against);
    memcpy(c.r, s->r, rows * sizeof *c.r);
    if (!*found) {
        SS_TRY(find_without(s, &c, -1, found));
    }
    for (int32_t i = 0; !*found && i < s->isl->block_count; i++) {
        if (c.against[i]) {
            SS_TRY(find_without(s, &c, i, found));
        }
    }
    ss_arena_release(&s->d->scratch, mark);
    return SS_OK;
}
