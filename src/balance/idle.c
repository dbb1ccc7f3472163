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
 * contact and at two, which is where a body jams. If z closes others already where the friction of
 * the two begins to feed them, all must grow together. Where these hold, the load may press others:
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

/* y: what a unit normal impulse of an idle contact does; and what the friction of its sliding does
   with it. */
static void press(ss_seat *s, const ss_rival *x, const ss_allowed *held, const ss_row_block *b,
                  double *y, double *rub)
{
    double u[3] = {0}, tiny = ss_rival_still(s);
    memset(y, 0, (size_t)s->bodies * sizeof *y);
    memset(rub, 0, (size_t)s->bodies * sizeof *rub);
    for (int32_t c = 1; c < b->dim && c < 3; c++) {
        u[c] = ss_row_rate(s->m, s->d, b, b->row + c, x->v);
    }
    double slides = ss_vector_norm(3, u);
    ss_add_scaled_response(s->m, s->d, b, b->row, 1, y);
    for (int32_t c = 1; c < b->dim && c < 3 && slides > tiny; c++) {
        ss_add_scaled_response(s->m, s->d, b, b->row + c, -b->mu * u[c] / slides, rub);
    }
    ss_allowed_motion(held, y);
    ss_allowed_motion(held, rub);
}

/* How fast y opens an idle contact. */
static double opens(ss_seat *s, const ss_row_block *b, double *row, const double *y)
{
    memset(row, 0, (size_t)s->bodies * sizeof *row);
    ss_add_scaled_row(s->m, s->d, b, b->row, 1, row);
    return ss_vector_dot(s->bodies, row, y);
}

/* The idle contacts. Rates are scaled by what rows do to themselves without friction and joints. */
typedef struct idlers {
    int32_t n;
    double *push; /* (n x n) how fast contact i opens by a unit normal impulse of contact j */
    double *rub;  /* (n x n) .. by the friction of its sliding                              */
    double *z;    /* (n) impulses that grow                                                 */
    double *rate; /* (n) how fast they open the contacts                                    */
    bool   *grows;
} idlers;

/* A_ij, with friction cut down to a part of what there is. */
static double opening(const idlers *x, int32_t i, int32_t j, double part)
{
    ptrdiff_t at = i + (ptrdiff_t)j * x->n;
    return x->push[at] + part * x->rub[at];
}

/* Do contacts i and j feed each other: is there z >= 0 at the two with A z < 0? i = j: itself. */
static bool feed_each_other(const idlers *x, int32_t i, int32_t j)
{
    if (i == j) {
        return opening(x, i, i, 1) < -ss_rest_pressed;
    }
    double to = opening(x, i, j, 1), fro = opening(x, j, i, 1);
    return to < 0 && fro < 0 &&
           to * fro > opening(x, i, i, 1) * opening(x, j, j, 1) + ss_rest_pressed;
}

/*
 * The part of the friction from which on two contacts feed each other: the root of the determinant
 * of the two, which is quadratic in it, that is next below 1; of one contact (i = j), where it
 * stops opening by itself. Without friction it is not negative.
 */
static double begins_at(const idlers *x, int32_t i, int32_t j)
{
    if (i == j) {
        return opening(x, i, i, 0) / (opening(x, i, i, 0) - opening(x, i, i, 1));
    }
    double d[3]; /* at 0, 1/2, 1 */
    for (int k = 0; k < 3; k++) {
        double part = 0.5 * k;
        d[k]        = opening(x, i, i, part) * opening(x, j, j, part) -
               opening(x, i, j, part) * opening(x, j, i, part);
    }
    double c = d[0], b = 4 * d[1] - 3 * d[0] - d[2], a = 2 * (d[0] + d[2]) - 4 * d[1];
    double root = sqrt(ss_max(b * b - 4 * a * c, 0));
    /* d < 0 at 1: above the larger root where a < 0, between the two where a > 0 */
    double q    = -0.5 * (b + (b < 0 ? -root : root));
    double r[2] = {a != 0 ? q / a : 0, q != 0 ? c / q : 0}, begins = 0;
    for (int k = 0; k < 2; k++) {
        begins = r[k] < 1 ? ss_max(begins, r[k]) : begins;
    }
    return begins;
}

/*
 * Where two contacts begin to feed each other, z with A z = 0 at both: does it leave the others as
 * they are? What else touches there, as contacts of the same faces do, shares what they bear. Where
 * z closes another, that one bears long before the two do.
 */
static bool leave_others(const idlers *x, int32_t i, int32_t j)
{
    double part = begins_at(x, i, j);
    double z[2] = {i == j ? 1 : -opening(x, i, j, part), i == j ? 0 : opening(x, i, i, part)};
    for (int32_t k = 0; k < x->n; k++) {
        double by_i = opening(x, k, i, part) * z[0], by_j = opening(x, k, j, part) * z[1];
        if (k != i && k != j && by_i + by_j < -ss_rest_pressed * (fabs(z[0]) + fabs(z[1]))) {
            return false;
        }
    }
    return true;
}

/* One small step of z' = -A z, z >= 0, scaled to a sum of 1. Gives the factor by which it grew. */
static double grow(const idlers *x, double pace)
{
    double sum = 0;
    for (int32_t i = 0; i < x->n; i++) {
        x->rate[i] = 0;
        for (int32_t j = 0; j < x->n; j++) {
            x->rate[i] += x->z[j] > 0 ? opening(x, i, j, 1) * x->z[j] : 0;
        }
    }
    for (int32_t i = 0; i < x->n; i++) {
        x->z[i] = ss_max(x->z[i] - pace * x->rate[i], 0);
        sum += x->z[i];
    }
    for (int32_t i = 0; i < x->n && sum > 0; i++) {
        x->z[i] /= sum;
    }
    return sum;
}

/*
 * Does what two contacts begin go on growing when all idle contacts that it closes bear as well,
 * each as soft as the others? Then these grow.
 */
static bool grow_together(const idlers *x, int32_t i, int32_t j)
{
    enum { STEPS = 400 };
    double most = 0, factor = 1;
    for (int32_t k = 0; k < x->n; k++) {
        for (int32_t l = 0; l < x->n; l++) {
            most = ss_max(most, fabs(opening(x, k, l, 1)));
        }
        x->z[k] = k == i ? (i == j ? 1 : -opening(x, i, j, 1)) : k == j ? opening(x, i, i, 1) : 0;
    }
    for (int step = 0; step < STEPS && factor > 0; step++) {
        factor = grow(x, 0.25 / most);
    }
    return factor > 1 + ss_rest_pressed;
}

/* How many pairs of contacts are looked at with all others. */
enum { TOGETHER_MOST = 16 };

/*
 * Where does pressing grow by itself? z >= 0 at one or two idle contacts, with the friction of
 * their sliding, that closes them: A z < 0; others join in.
 */
static bool feeds_itself(idlers *x)
{
    bool any    = false;
    int  looked = 0;
    memset(x->grows, 0, (size_t)x->n * sizeof *x->grows);
    for (int32_t i = 0; i < x->n; i++) {
        for (int32_t j = 0; j <= i; j++) {
            if (!feed_each_other(x, i, j)) {
                continue;
            }
            bool alone  = leave_others(x, i, j);
            bool others = !alone && looked++ < TOGETHER_MOST && grow_together(x, i, j);
            x->grows[i] = x->grows[i] || alone;
            x->grows[j] = x->grows[j] || alone;
            for (int32_t k = 0; k < x->n && others; k++) {
                x->grows[k] = x->grows[k] || x->z[k] > ss_rest_pressed;
            }
        }
    }
    for (int32_t i = 0; i < x->n; i++) {
        any = any || x->grows[i];
    }
    return any;
}

static double own_response(ss_seat *s, int32_t i)
{
    const ss_row_block *b = ss_seat_block(s, i);
    return ss_row_response(s->m, s->d, b, b->row);
}

static ss_status idle_responses(ss_seat *s, const ss_rival *x, idlers *idle)
{
    ss_arena  *a    = &s->d->scratch;
    double    *y    = ss_arena_alloc(a, (size_t)s->bodies, sizeof *y);
    double    *rub  = ss_arena_alloc(a, (size_t)s->bodies, sizeof *rub);
    double    *work = ss_arena_alloc(a, (size_t)s->bodies, sizeof *work);
    ss_allowed held;
    if (!y || !rub || !work) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(hold_what_bears(s, x, &held));
    for (int32_t j = 0, at = 0; j < s->isl->block_count; j++) {
        if (!x->idle[j]) {
            continue;
        }
        press(s, x, &held, ss_seat_block(s, j), y, rub);
        for (int32_t i = 0; i < s->isl->block_count; i++) {
            if (x->idle[i]) {
                double size    = sqrt(own_response(s, i) * own_response(s, j));
                idle->push[at] = opens(s, ss_seat_block(s, i), work, y) / size;
                idle->rub[at]  = opens(s, ss_seat_block(s, i), work, rub) / size;
                at++;
            }
        }
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
    size_t    all  = (size_t)n * (size_t)n;
    idlers    idle = {.n     = n,
                      .push  = ss_arena_alloc(a, all, sizeof *idle.push),
                      .rub   = ss_arena_alloc(a, all, sizeof *idle.rub),
                      .z     = ss_arena_alloc(a, (size_t)n, sizeof *idle.z),
                      .rate  = ss_arena_alloc(a, (size_t)n, sizeof *idle.rate),
                      .grows = ss_arena_alloc(a, (size_t)n, sizeof *idle.grows)};
    if (!idle.push || !idle.rub || !idle.z || !idle.rate || !idle.grows) {
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
