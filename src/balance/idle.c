/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contacts that the load leaves idle in the motion that rest is weighed against (rival.h): they
 * touch, bear nothing and do not open. At rest one of them may bear only where the rival presses it
 * after all, because it is not stable: normal impulses z >= 0 of idle contacts, with the friction
 * of their sliding, would close them further,
 *
 *   A z < 0,   A_ij = J_n,i A_h^-1 (J_n,j + mu_j e_j J_t,j)',   e_j = -u_t,j/|u_t,j| in the rival,
 *
 * in motions in which joints hold, and contacts that bear go on as they do. z is looked for at one
 * contact and at two, which is where a body jams. Where these hold, the load may press others:
 * those that the rival closes then bear as well.
 *
 * A box between walls slides down stably: a tilt turns back. A bracket on a pole does not: the
 * friction of its sliding turns it against the pole, if mu > h/2L, and it jams.
 *
 * Where no contact bears in the rival, those that it opens bear nothing at rest either.
 */
#include <math.h>
#include <string.h>

#include "balance/rival.h"
#include "balance/tolerances.h"
#include "core/compare.h"
#include "linalg/vector.h"

/* Motions in which joints hold, contacts that bear in the rival and friction that holds there go on
   so, and what is kept holds. */
static ss_status hold_what_bears(ss_seat *s, const ss_rival *x, ss_allowed *held)
{
    double tiny  = ss_rival_still(s);
    bool  *holds = ss_arena_alloc(&s->d->scratch, (size_t)s->isl->row_count, sizeof *holds);
    if (holds == NULL) {
        return SS_ERR_SCRATCH;
    }
    for (int32_t i = 0, row = 0; i < s->isl->block_count; i++) {
        const ss_row_block *b     = ss_seat_block(s, i);
        bool                bears = x->bears && !x->idle[i] && s->may[i] &&
                     (!ss_block_one_way(b) || !ss_rival_spares(s, x, i, x->p[row]));
        for (int32_t c = 0; c < b->dim; c++, row++) {
            double rate   = bears ? ss_row_rate(s->m, s->d, b, b->row + c, x->v) : 0;
            bool   normal = c == 0 && ss_block_one_way(b);
            holds[row]    = x->kept[i] || (bears && (normal || fabs(rate) <= tiny));
        }
    }
    return ss_allowed_find(s->m, s->d, s->isl, holds, held);
}

/* y: what a unit normal impulse of an idle contact does, with the friction of its sliding. */
static void press(ss_seat *s, const ss_rival *x, const ss_allowed *held, const ss_row_block *b,
                  double *y)
{
    double u[3] = {0}, tiny = ss_rival_still(s);
    memset(y, 0, (size_t)s->bodies * sizeof *y);
    for (int32_t c = 1; c < b->dim && c < 3; c++) {
        u[c] = ss_row_rate(s->m, s->d, b, b->row + c, x->v);
    }
    double slides = ss_vector_norm(3, u);
    for (int32_t c = 0; c < b->dim && c < 3; c++) {
        double part = c == 0 ? 1 : slides > tiny ? -b->mu * u[c] / slides : 0;
        ss_add_scaled_response(s->m, s->d, b, b->row + c, part, y);
    }
    ss_allowed_motion(held, y);
}

/* How fast y opens an idle contact. */
static double opens(ss_seat *s, const ss_row_block *b, double *row, const double *y)
{
    memset(row, 0, (size_t)s->bodies * sizeof *row);
    ss_add_scaled_row(s->m, s->d, b, b->row, 1, row);
    return ss_vector_dot(s->bodies, row, y);
}

/*
 * Where does pressing grow by itself? z >= 0 at one or two idle contacts, with the friction of
 * their sliding, that closes them: A z < 0. A is scaled by what rows do to themselves without
 * friction and joints.
 */
static bool feeds_itself(int32_t n, const double *A, bool *grows)
{
    bool any = false;
    memset(grows, 0, (size_t)n * sizeof *grows);
    for (int32_t i = 0; i < n; i++) {
        double own = A[i + (ptrdiff_t)i * n];
        grows[i]   = grows[i] || own < -ss_rest_pressed;
        for (int32_t j = 0; j < i; j++) {
            double to = A[i + (ptrdiff_t)j * n], fro = A[j + (ptrdiff_t)i * n];
            bool   both =
                to < 0 && fro < 0 && to * fro > own * A[j + (ptrdiff_t)j * n] + ss_rest_pressed;
            grows[i] = grows[i] || both;
            grows[j] = grows[j] || both;
        }
        any = any || grows[i];
    }
    return any;
}

static double own_response(ss_seat *s, int32_t i)
{
    const ss_row_block *b = ss_seat_block(s, i);
    return ss_row_response(s->m, s->d, b, b->row);
}

/* A of the idle contacts: how fast contact i opens by a unit impulse of contact j. */
static ss_status idle_responses(ss_seat *s, const ss_rival *x, int32_t n, double *A)
{
    ss_arena  *a    = &s->d->scratch;
    double    *y    = ss_arena_alloc(a, (size_t)s->bodies, sizeof *y);
    double    *work = ss_arena_alloc(a, (size_t)s->bodies, sizeof *work);
    ss_allowed held;
    if (!y || !work) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(hold_what_bears(s, x, &held));
    for (int32_t j = 0, column = 0; j < s->isl->block_count; j++) {
        if (!x->idle[j]) {
            continue;
        }
        press(s, x, &held, ss_seat_block(s, j), y);
        for (int32_t i = 0, row = 0; i < s->isl->block_count; i++) {
            if (x->idle[i]) {
                A[row++ + (ptrdiff_t)column * n] = opens(s, ss_seat_block(s, i), work, y) /
                                                   sqrt(own_response(s, i) * own_response(s, j));
            }
        }
        column++;
    }
    return SS_OK;
}

/* Of the idle contacts, those that the load presses once others hold. */
static ss_status keep_what_is_pressed(ss_seat *s, ss_rival *x)
{
    enum { PASSES = 8 };
    double    *v    = ss_arena_alloc(&s->d->scratch, (size_t)s->bodies, sizeof *v);
    double    *row  = ss_arena_alloc(&s->d->scratch, (size_t)s->bodies, sizeof *row);
    bool       more = v != NULL && row != NULL;
    ss_allowed held;
    if (!more) {
        return SS_ERR_SCRATCH;
    }
    for (int pass = 0; pass < PASSES && more; pass++) {
        size_t mark = ss_arena_mark(&s->d->scratch);
        SS_TRY(hold_what_bears(s, x, &held));
        memcpy(v, x->x, (size_t)s->bodies * sizeof *v);
        ss_allowed_motion(&held, v);
        more = false;
        for (int32_t i = 0; i < s->isl->block_count; i++) {
            bool closes = x->idle[i] && !x->kept[i] &&
                          opens(s, ss_seat_block(s, i), row, v) < -ss_rival_still(s);
            x->kept[i] = x->kept[i] || closes;
            more       = more || closes;
        }
        ss_arena_release(&s->d->scratch, mark);
    }
    return SS_OK;
}

/* What the load does not press, and what does not press itself, may bear nothing. */
static ss_status judge_idle(ss_seat *s, ss_rival *x, int32_t n)
{
    double *A     = ss_arena_alloc(&s->d->scratch, (size_t)n * (size_t)n, sizeof *A);
    bool   *grows = ss_arena_alloc(&s->d->scratch, (size_t)n, sizeof *grows);
    if (!A || !grows) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(idle_responses(s, x, n, A));
    if (feeds_itself(n, A, grows)) {
        for (int32_t i = 0, k = 0; i < s->isl->block_count; i++) {
            x->kept[i] = x->idle[i] && grows[k++];
        }
        SS_TRY(keep_what_is_pressed(s, x));
    }
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        s->may[i] = s->may[i] && (!x->idle[i] || x->kept[i]);
    }
    return SS_OK;
}

/* Where no contact bears, what the motion opens may bear nothing. */
static void let_go_open(ss_seat *s, const ss_rival *x)
{
    for (int32_t i = 0; i < s->isl->block_count && !x->bears; i++) {
        const ss_row_block *b = ss_seat_block(s, i);
        if (ss_block_one_way(b) && s->may[i]) {
            s->may[i] = ss_row_rate(s->m, s->d, b, b->row, x->v) <= ss_rival_still(s);
        }
    }
}

ss_status ss_seat_let_go_idle(ss_seat *s)
{
    size_t   mark = ss_arena_mark(&s->d->scratch);
    ss_rival x;
    int32_t  n = 0;
    SS_TRY(ss_rival_find(s, &x));
    let_go_open(s, &x);
    for (int32_t i = 0; i < s->isl->block_count; i++) {
        n += x.idle[i];
    }
    if (n > 0) {
        SS_TRY(judge_idle(s, &x, n));
    }
    ss_arena_release(&s->d->scratch, mark);
    return SS_OK;
}
