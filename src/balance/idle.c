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

/* The idle contacts. A is scaled by what rows do to themselves without friction and joints. */
typedef struct idlers {
    int32_t  n;
    double  *A;    /* (n x n) how fast contact i opens by a unit impulse of contact j       */
    double  *size; /* (n) square root of what a row does to itself                          */
    int32_t *face; /* (n) the first contact between the same two geoms                      */
    bool    *grows;
} idlers;

static double opening(const idlers *x, int32_t i, int32_t j)
{
    return x->A[i + (ptrdiff_t)j * x->n];
}

/*
 * Two contacts that feed each other, with z the direction in which they grow. Where z closes a
 * contact of another face faster than the faster of the two, that one bears first, and the two
 * nothing: a flat box in a shaft would be tilted by the friction at two adjacent walls, against
 * the walls opposite.
 */
static bool bears_first(const idlers *x, int32_t i, int32_t j)
{
    double own[2] = {opening(x, i, i), opening(x, j, j)};
    double to = opening(x, i, j), fro = opening(x, j, i), of_two = 0, of_others = 0;
    double rate =
        0.5 * (sqrt((own[0] - own[1]) * (own[0] - own[1]) + 4 * to * fro) - own[0] - own[1]);
    const double z[2] = {-to, rate + own[0]};
    for (int32_t k = 0; k < x->n; k++) {
        double closes = -x->size[k] * (opening(x, k, i) * z[0] + opening(x, k, j) * z[1]);
        bool   same   = x->face[k] == x->face[i] || x->face[k] == x->face[j];
        of_two        = k == i || k == j ? ss_max(of_two, closes) : of_two;
        of_others     = same ? of_others : ss_max(of_others, closes);
    }
    return of_others <= (1 + ss_rest_pressed) * of_two;
}

/*
 * Where does pressing grow by itself? z >= 0 at one or two idle contacts, with the friction of
 * their sliding, that closes them: A z < 0.
 */
static bool feeds_itself(idlers *x)
{
    bool any = false;
    memset(x->grows, 0, (size_t)x->n * sizeof *x->grows);
    for (int32_t i = 0; i < x->n; i++) {
        double own  = opening(x, i, i);
        x->grows[i] = x->grows[i] || own < -ss_rest_pressed;
        for (int32_t j = 0; j < i; j++) {
            double to = opening(x, i, j), fro = opening(x, j, i);
            bool both = to < 0 && fro < 0 && to * fro > own * opening(x, j, j) + ss_rest_pressed &&
                        bears_first(x, i, j);
            x->grows[i] = x->grows[i] || both;
            x->grows[j] = x->grows[j] || both;
        }
        any = any || x->grows[i];
    }
    return any;
}

static double own_response(ss_seat *s, int32_t i)
{
    const ss_row_block *b = ss_seat_block(s, i);
    return ss_row_response(s->m, s->d, b, b->row);
}

/* The first block of the island that speaks of the same two geoms; of limits, itself. */
static int32_t face_of(ss_seat *s, int32_t i)
{
    const ss_row_block *b = ss_seat_block(s, i);
    for (int32_t k = 0; k < i && b->source == SS_ROWS_CONTACT; k++) {
        const ss_row_block *o = ss_seat_block(s, k);
        const ss_contact   *c = &s->d->contacts.items[b->index];
        if (o->source == SS_ROWS_CONTACT && s->d->contacts.items[o->index].geom_a == c->geom_a &&
            s->d->contacts.items[o->index].geom_b == c->geom_b) {
            return k;
        }
    }
    return i;
}

static ss_status idle_responses(ss_seat *s, const ss_rival *x, idlers *idle)
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
                idle->A[row++ + (ptrdiff_t)column * idle->n] =
                    opens(s, ss_seat_block(s, i), work, y) /
                    sqrt(own_response(s, i) * own_response(s, j));
            }
        }
        idle->face[column] = face_of(s, j);
        idle->size[column] = sqrt(own_response(s, j));
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
    ss_arena *a    = &s->d->scratch;
    idlers    idle = {.n     = n,
                      .A     = ss_arena_alloc(a, (size_t)n * (size_t)n, sizeof *idle.A),
                      .size  = ss_arena_alloc(a, (size_t)n, sizeof *idle.size),
                      .face  = ss_arena_alloc(a, (size_t)n, sizeof *idle.face),
                      .grows = ss_arena_alloc(a, (size_t)n, sizeof *idle.grows)};
    if (!idle.A || !idle.size || !idle.face || !idle.grows) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(idle_responses(s, x, &idle));
    if (feeds_itself(&idle)) {
        for (int32_t i = 0, k = 0; i < s->isl->block_count; i++) {
            x->kept[i] = x->idle[i] && idle.grows[k++];
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
