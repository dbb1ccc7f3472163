/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A motion that solves the step, where rest does too: the rival of rest. It is the load alone with
 * joints and no contact, where that solves the step, otherwise the solution that was found. A
 * contact that touches in it, bears nothing and does not open is idle: the load does not press it.
 * At rest it may bear only where the rival presses it after all, because it is not stable: normal
 * impulses z >= 0 of idle contacts, with the friction of their sliding, would close them further,
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
#include "balance/idle.h"

#include <math.h>
#include <string.h>

#include "balance/tolerances.h"
#include "core/compare.h"
#include "linalg/vector.h"

static const ss_row_block *block_of(const ss_idle *s, int32_t i)
{
    return &s->d->rows.blocks[s->isl->blocks[i]];
}

static int32_t coordinates(const ss_idle *s)
{
    return s->isl->body_count * s->m->dof;
}

/* The motion that rest is weighed against. */
typedef struct rival {
    const double *v;    /* (nv) its velocities                                                 */
    const double *r;    /* (row_count) its impulses; NULL: no contact bears any                */
    double        most; /* the largest normal impulse                                          */
    bool         *idle; /* (block_count) it touches and bears nothing, and does not open       */
    bool         *kept; /* (block_count) .. of these, what is pressed after all                */
} rival;

/* Velocities v of the island's bodies, in coordinates of one unit. */
static void gather(const ss_idle *s, const double *v, double *x)
{
    for (int32_t i = 0; i < coordinates(s); i++) {
        int32_t body = s->isl->bodies[i / s->m->dof], c = i % s->m->dof;
        bool    has = c < s->m->bodies[body].dof;
        x[i] = has ? v[s->m->bodies[body].v_start + c] * ss_coordinate_scale(s->m, body, c) : 0;
    }
}

static void scatter(const ss_idle *s, const double *x, double *v)
{
    for (int32_t i = 0; i < coordinates(s); i++) {
        int32_t body = s->isl->bodies[i / s->m->dof], c = i % s->m->dof;
        v[s->m->bodies[body].v_start + c] = x[i] / ss_coordinate_scale(s->m, body, c);
    }
}

/* How the load moves the bodies with joints and no contact, where no friction has a bound. */
static ss_status go_with_load(const ss_idle *s, double *v)
{
    double *x = ss_arena_alloc(&s->d->scratch, (size_t)coordinates(s), sizeof *x);
    if (x == NULL) {
        return SS_ERR_SCRATCH;
    }
    gather(s, s->d->v_free, x);
    for (int32_t i = 0, row = 0; i < s->isl->block_count; i++) {
        const ss_row_block *b = block_of(s, i);
        for (int32_t c = 0; c < b->dim; c++, row++) {
            if (s->known[row] != 0) {
                ss_add_scaled_response(s->m, s->d, b, b->row + c, s->known[row], x);
            }
        }
    }
    ss_allowed_motion(s->allowed, x);
    scatter(s, x, v);
    return SS_OK;
}

/* Does the motion v close a contact or limit that touches, or is there friction with a bound? */
static bool needs_forces(const ss_idle *s, const double *v)
{
    bool needs = false;
    for (int32_t i = 0; i < s->isl->block_count && !needs; i++) {
        const ss_row_block *b = block_of(s, i);
        needs                 = s->may[i] && (b->kind == SS_BLOCK_DISK ||
                              ss_row_rate(s->m, s->d, b, b->row, v) < -ss_rest_moves * s->fall);
    }
    return needs;
}

/* The load alone, if that solves the step; otherwise the solution (s->v, s->r). */
static ss_status find_rival(const ss_idle *s, rival *x)
{
    ss_arena *a = &s->d->scratch;
    double   *v = ss_arena_alloc(a, (size_t)s->m->nv, sizeof *v);
    *x          = (rival){.v = v};
    x->idle     = ss_arena_alloc(a, (size_t)s->isl->block_count, sizeof *x->idle);
    x->kept     = ss_arena_alloc(a, (size_t)s->isl->block_count, sizeof *x->kept);
    if (!v || !x->idle || !x->kept) {
        return SS_ERR_SCRATCH;
    }
    memset(x->kept, 0, (size_t)s->isl->block_count * sizeof *x->kept);
    memset(v, 0, (size_t)s->m->nv * sizeof *v);
    SS_TRY(go_with_load(s, v));
    if (!needs_forces(s, v)) {
        return SS_OK;
    }
    for (int32_t i = 0, row = 0; i < s->isl->block_count; row += block_of(s, i++)->dim) {
        x->most = ss_block_one_way(block_of(s, i)) ? ss_max(x->most, s->r[row]) : x->most;
    }
    x->v = s->v;
    x->r = x->most > 0 ? s->r : NULL;
    return SS_OK;
}

/* Contacts that the rival leaves idle; where no contact bears, what it opens may bear nothing. */
static int32_t find_idle(const ss_idle *s, const rival *x)
{
    double  tiny  = ss_rest_moves * s->fall;
    int32_t count = 0;
    for (int32_t i = 0, row = 0; i < s->isl->block_count; row += block_of(s, i++)->dim) {
        const ss_row_block *b = block_of(s, i);
        x->idle[i]            = false;
        if (!ss_block_one_way(b) || !s->may[i]) {
            continue;
        }
        double rate = ss_row_rate(s->m, s->d, b, b->row, x->v);
        double p    = x->r != NULL ? x->r[row] : 0;
        x->idle[i]  = fabs(rate) <= tiny && p <= ss_rest_moves * x->most;
        s->may[i]   = x->r != NULL || rate <= tiny;
        count += x->idle[i];
    }
    return count;
}

/* Motions in which joints hold, contacts that bear in the rival and friction that holds there go on
   so, and what is kept holds. */
static ss_status hold_what_bears(const ss_idle *s, const rival *x, ss_allowed *held)
{
    double tiny  = ss_rest_moves * s->fall;
    bool  *holds = ss_arena_alloc(&s->d->scratch, (size_t)s->isl->row_count, sizeof *holds);
    if (holds == NULL) {
        return SS_ERR_SCRATCH;
    }
    for (int32_t i = 0, row = 0; i < s->isl->block_count; i++) {
        const ss_row_block *b     = block_of(s, i);
        bool                bears = x->r != NULL && !x->idle[i] && s->may[i] &&
                     (!ss_block_one_way(b) || x->r[row] > ss_rest_moves * x->most);
        for (int32_t c = 0; c < b->dim; c++, row++) {
            double rate = bears ? ss_row_rate(s->m, s->d, b, b->row + c, x->v) : 0;
            holds[row]  = x->kept[i] || (bears && fabs(rate) <= tiny);
        }
    }
    return ss_allowed_find(s->m, s->d, s->isl, holds, held);
}

/* y: what a unit normal impulse of an idle contact does, with the friction of its sliding. */
static void press(const ss_idle *s, const rival *x, const ss_allowed *held, const ss_row_block *b,
                  double *y)
{
    double u[3] = {0}, tiny = ss_rest_moves * s->fall;
    memset(y, 0, (size_t)coordinates(s) * sizeof *y);
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
static double opens(const ss_idle *s, const ss_row_block *b, double *row, const double *y)
{
    memset(row, 0, (size_t)coordinates(s) * sizeof *row);
    ss_add_scaled_row(s->m, s->d, b, b->row, 1, row);
    return ss_vector_dot(coordinates(s), row, y);
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

static double own_response(const ss_idle *s, int32_t i)
{
    const ss_row_block *b = block_of(s, i);
    return ss_row_response(s->m, s->d, b, b->row);
}

/* A of the idle contacts: how fast contact i opens by a unit impulse of contact j. */
static ss_status idle_responses(const ss_idle *s, const rival *x, int32_t n, double *A)
{
    ss_arena  *a    = &s->d->scratch;
    double    *y    = ss_arena_alloc(a, (size_t)coordinates(s), sizeof *y);
    double    *work = ss_arena_alloc(a, (size_t)coordinates(s), sizeof *work);
    ss_allowed held;
    if (!y || !work) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(hold_what_bears(s, x, &held));
    for (int32_t j = 0, column = 0; j < s->isl->block_count; j++) {
        if (!x->idle[j]) {
            continue;
        }
        press(s, x, &held, block_of(s, j), y);
        for (int32_t i = 0, row = 0; i < s->isl->block_count; i++) {
            if (x->idle[i]) {
                A[row++ + (ptrdiff_t)column * n] = opens(s, block_of(s, i), work, y) /
                                                   sqrt(own_response(s, i) * own_response(s, j));
            }
        }
        column++;
    }
    return SS_OK;
}

/* Of the idle contacts, those that the load presses once others hold. */
static ss_status keep_what_is_pressed(const ss_idle *s, rival *x)
{
    enum { PASSES = 8 };
    double    *v    = ss_arena_alloc(&s->d->scratch, (size_t)coordinates(s), sizeof *v);
    double    *row  = ss_arena_alloc(&s->d->scratch, (size_t)coordinates(s), sizeof *row);
    bool       more = v != NULL && row != NULL;
    ss_allowed held;
    if (!more) {
        return SS_ERR_SCRATCH;
    }
    for (int pass = 0; pass < PASSES && more; pass++) {
        size_t mark = ss_arena_mark(&s->d->scratch);
        SS_TRY(hold_what_bears(s, x, &held));
        gather(s, x->v, v);
        ss_allowed_motion(&held, v);
        more = false;
        for (int32_t i = 0; i < s->isl->block_count; i++) {
            bool closes = x->idle[i] && !x->kept[i] &&
                          opens(s, block_of(s, i), row, v) < -ss_rest_moves * s->fall;
            x->kept[i] = x->kept[i] || closes;
            more       = more || closes;
        }
        ss_arena_release(&s->d->scratch, mark);
    }
    return SS_OK;
}

/* What the load does not press, and what does not press itself, may bear nothing. */
static ss_status judge_idle(const ss_idle *s, rival *x, int32_t n)
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

ss_status ss_let_go_idle(const ss_idle *s)
{
    size_t mark = ss_arena_mark(&s->d->scratch);
    rival  x;
    SS_TRY(find_rival(s, &x));
    int32_t n = find_idle(s, &x);
    if (n > 0) {
        SS_TRY(judge_idle(s, &x, n));
    }
    ss_arena_release(&s->d->scratch, mark);
    return SS_OK;
}
