/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sweeps over packs (pile.h). A visit of block b finds the reaction that obeys its law with all
 * others held fixed (cone_block.c) and pushes its bodies, v += H_b change in scaled coordinates.
 * The eight contacts of a pack share no body; everything is done lane by lane, in float: a motion
 * error of 1e-2 is far above its rounding, which pile.c watches.
 *
 * Momentum: x_k is what sweep k makes of y_(k-1), and y_k = x_k + beta (x_k - x_(k-1)), contact by
 * contact, with beta = min(0.8, age / (age + 3)). The age of a contact counts sweeps; it starts
 * again where the contact is open, has another state than a sweep ago, or the sweep takes back what
 * momentum had added. With d = y_(k-1) - x_(k-1), the last push, x_k - x_(k-1) = change + d:
 * nothing but the last change and the last push is kept.
 */
#include <math.h>
#include <string.h>

#ifdef SS_HAVE_OPENMP
#include <omp.h>
#endif

#include "problem/residual.h"
#include "solver/cone_block.h"
#include "solver/pile.h"
#include "solver/tolerances.h"

/* The same source for processors with and without vectors of 32 bytes: the same operations, so the
   same bits. Sanitizers cannot watch functions that are chosen when the program is loaded. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&   \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CLONES
#endif
#define INLINE static inline __attribute__((always_inline))

/* Vectors go from one inlined function to another, never through a call. */
#pragma GCC diagnostic ignored "-Wpsabi"

typedef int32_t mask __attribute__((vector_size(32)));

/* a where m, b elsewhere */
INLINE ss_lanes choose(mask m, ss_lanes a, ss_lanes b)
{
    return (ss_lanes)(((mask)a & m) | ((mask)b & ~m));
}

INLINE ss_lanes all(float x)
{
    return (ss_lanes){x, x, x, x, x, x, x, x};
}

INLINE bool any(mask m)
{
    int32_t some = 0;
    for (int32_t l = 0; l < SS_LANES; l++) {
        some |= m[l];
    }
    return some != 0;
}

INLINE ss_lanes root(ss_lanes x)
{
    ss_lanes y = x;
    for (int32_t l = 0; l < SS_LANES; l++) {
        y[l] = sqrtf(x[l]);
    }
    return y;
}

/* Rows of eight become columns: pairs, then fours, then halves change places. */
INLINE void transpose(ss_lanes t[8])
{
    ss_lanes a[8], b[8];
    for (int32_t i = 0; i < 8; i += 2) {
        a[i]     = __builtin_shufflevector(t[i], t[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        a[i + 1] = __builtin_shufflevector(t[i], t[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int32_t i = 0; i < 8; i += 4) {
        b[i]     = __builtin_shufflevector(a[i], a[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        b[i + 1] = __builtin_shufflevector(a[i], a[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        b[i + 2] = __builtin_shufflevector(a[i + 1], a[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        b[i + 3] = __builtin_shufflevector(a[i + 1], a[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int32_t i = 0; i < 4; i++) {
        t[i]     = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        t[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/* Velocities of eight bodies, coordinate by coordinate. */
INLINE void gather(const float *v, const int32_t *body, ss_lanes *out)
{
    for (int32_t l = 0; l < SS_LANES; l++) {
        memcpy(&out[l], v + (ptrdiff_t)body[l] * SS_PILE_STRIDE, sizeof *out);
    }
    transpose(out);
}

INLINE void scatter(float *v, const int32_t *body, int32_t none, ss_lanes *x)
{
    transpose(x);
    for (int32_t l = 0; l < SS_LANES; l++) {
        if (body[l] != none) {
            memcpy(v + (ptrdiff_t)body[l] * SS_PILE_STRIDE, &x[l], sizeof *x);
        }
    }
}

/* Velocities of the two bodies of each contact. */
typedef struct pair {
    ss_lanes minus[SS_PILE_STRIDE], plus[SS_PILE_STRIDE];
} pair;

INLINE void load(const ss_pile *x, const ss_pack *k, pair *v)
{
    gather(x->v, k->minus, v->minus);
    gather(x->v, k->plus, v->plus);
}

INLINE void store(const ss_pile *x, const ss_pack *k, pair *v)
{
    scatter(x->v, k->minus, x->bodies, v->minus);
    scatter(x->v, k->plus, x->bodies, v->plus);
}

/* u = H'v + q; `rows` is 3 in space (and 3 axes to turn about), 2 in the plane (and 1). */
INLINE void velocity(const ss_pack *k, const pair *v, int32_t rows, ss_lanes *u)
{
    const int32_t turns = rows == 3 ? 3 : 1;
    ss_lanes      between[3];
    for (int32_t i = 0; i < rows; i++) {
        between[i] = v->plus[i] * v->plus[SS_PILE_LIGHT] - v->minus[i] * v->minus[SS_PILE_LIGHT];
    }
    for (int32_t c = 0; c < rows; c++) {
        ss_lanes sum = k->q[c];
        for (int32_t i = 0; i < rows; i++) {
            sum += k->direction[c][i] * between[i];
        }
        for (int32_t i = 0; i < turns; i++) {
            sum +=
                k->lever_minus[c][i] * v->minus[rows + i] + k->lever_plus[c][i] * v->plus[rows + i];
        }
        u[c] = sum;
    }
}

/* v += H change, in scaled coordinates */
INLINE void push_on(const ss_pack *k, const ss_lanes *change, int32_t rows, pair *v)
{
    const int32_t turns = rows == 3 ? 3 : 1;
    for (int32_t i = 0; i < rows; i++) {
        ss_lanes along = k->direction[0][i] * change[0];
        for (int32_t c = 1; c < rows; c++) {
            along += k->direction[c][i] * change[c];
        }
        v->plus[i] += v->plus[SS_PILE_LIGHT] * along;
        v->minus[i] -= v->minus[SS_PILE_LIGHT] * along;
    }
    for (int32_t i = 0; i < turns; i++) {
        for (int32_t c = 0; c < rows; c++) {
            v->plus[rows + i] += k->lever_plus[c][i] * change[c];
            v->minus[rows + i] += k->lever_minus[c][i] * change[c];
        }
    }
}

/* The friction part of lanes that slip: (S + lambda I) x = -c, |x| = L + l.x (cone_block.c). */
typedef struct slips {
    ss_lanes c[2], l[2], L;
    mask     here; /* lanes that slip */
} slips;

/*
 * Newton's method for lambda, all lanes at once, each within its bracket. What has not ended after
 * MOST steps has no root within rounding, or is where the next sweep comes by anyway.
 */
INLINE void find_slips(const ss_pack *k, const slips *p, ss_lanes *x)
{
    enum { MOST = 12 };
    const ss_lanes zero = {0}, size = k->S[0] + k->S[2], none = all(INFINITY);
    ss_lanes       cc = p->c[0] * p->c[0] + p->c[1] * p->c[1], low = zero, high = none;
    ss_lanes       cSc =
        k->S[0] * p->c[0] * p->c[0] + 2 * k->S[1] * p->c[0] * p->c[1] + k->S[2] * p->c[1] * p->c[1];
    ss_lanes lambda = root(cc) / p->L - cSc / cc;
    lambda          = choose(lambda > zero, lambda, zero);
    for (int32_t step = 0; step < MOST; step++) {
        ss_lanes a = k->S[0] + lambda, d = k->S[2] + lambda, s = 1 / (a * d - k->S[1] * k->S[1]);
        x[0]            = (k->S[1] * p->c[1] - d * p->c[0]) * s;
        x[1]            = (k->S[1] * p->c[0] - a * p->c[1]) * s;
        ss_lanes y0     = (k->S[1] * x[1] - d * x[0]) * s;
        ss_lanes y1     = (k->S[1] * x[0] - a * x[1]) * s;
        ss_lanes length = 1 / root(x[0] * x[0] + x[1] * x[1]);
        ss_lanes ratio = (p->L + p->l[0] * x[0] + p->l[1] * x[1]) * length, g = ratio - 1;
        ss_lanes slope = (p->l[0] * y0 + p->l[1] * y1) * length -
                         ratio * (x[0] * y0 + x[1] * y1) * length * length;
        ss_lanes off  = choose(g < zero, -g, g);
        mask     open = p->here & (off > all(SS_PACK_ON_LIMIT));
        if (!any(open)) {
            return;
        }
        low           = choose(g < zero, lambda, low);
        high          = choose(g < zero, high, lambda);
        ss_lanes next = lambda - g / slope;
        mask     good = (slope > zero) & (next > low) & (next < high);
        ss_lanes half = choose(high == none, 2 * low + size, 0.5F * (low + high));
        lambda        = choose(open, choose(good, next, half), lambda);
    }
}

/* Lanes that slip, friction exactly on its limit. */
INLINE void slip(const ss_pack *k, mask here, int32_t rows, const ss_lanes *c, ss_lanes bn,
                 ss_lanes *r)
{
    const ss_lanes zero = {0};
    ss_lanes       x[2] = {zero, zero}, normal = -bn;
    slips          p = {.L = -k->mu * bn, .here = here};
    for (int32_t i = 0; i + 1 < rows; i++) {
        p.l[i] = k->mu * k->k[i];
    }
    if (rows == 2) {
        ss_lanes sign = choose(c[0] - k->S[0] * k->r[1] > zero, all(-1), all(1));
        x[0]          = sign * p.L / (1 - sign * p.l[0]);
    } else {
        p.c[0] = c[0] - k->S[0] * k->r[1] - k->S[1] * k->r[2];
        p.c[1] = c[1] - k->S[1] * k->r[1] - k->S[2] * k->r[2];
        find_slips(k, &p, x);
        ss_lanes limit = p.L + p.l[0] * x[0] + p.l[1] * x[1];
        ss_lanes scale = limit / root(x[0] * x[0] + x[1] * x[1]);
        x[0] *= scale;
        x[1] *= scale;
    }
    for (int32_t i = 1; i < rows; i++) {
        normal += k->k[i - 1] * x[i - 1];
    }
    mask fine = here & (normal >= zero) & (normal < all(INFINITY)); /* else: as it was */
    r[0]      = choose(fine, normal, r[0]);
    for (int32_t i = 1; i < rows; i++) {
        r[i] = choose(fine, x[i - 1], r[i]);
    }
}

/* The reactions that obey the law of each lane. */
INLINE void local_solve(const ss_pack *k, int32_t rows, const ss_lanes *u, ss_lanes *r,
                        ss_lanes *state)
{
    const ss_lanes zero = {0};
    ss_lanes       bn = u[0] * k->inv - k->r[0], stuck[3], square = zero, c[2] = {zero, zero};
    for (int32_t i = 1; i < rows; i++) {
        bn += k->k[i - 1] * k->r[i];
        c[i - 1] = u[i] + k->k[i - 1] * u[0];
    }
    stuck[0] = -bn;
    for (int32_t i = 1; i < rows; i++) {
        ss_lanes step = k->stick[i - 1] * c[0];
        step          = rows == 3 ? step + k->stick[i] * c[1] : step;
        stuck[i]      = k->r[i] - step;
        stuck[0] += k->k[i - 1] * stuck[i];
        square += stuck[i] * stuck[i];
    }
    ss_lanes limit = k->mu * stuck[0];
    mask     open = bn >= zero, stick = (stuck[0] >= zero) & (square <= limit * limit) & ~open;
    for (int32_t i = 0; i < rows; i++) {
        r[i] = choose(open, zero, choose(stick, stuck[i], k->r[i]));
    }
    *state = choose(open, all(SS_PILE_OPEN), choose(stick, all(SS_PILE_STICK), all(SS_PILE_SLIP)));
    mask rest = ~(open | stick);
    if (any(rest)) {
        slip(k, rest, rows, c, bn, r);
    }
}

/* One pack; largest (weight |change|)^2 of its lanes in *most. */
INLINE void visit_pack(const ss_pile *x, ss_pack *k, int32_t rows, ss_lanes *most)
{
    pair     v;
    ss_lanes u[3], r[3], state, square = {0};
    load(x, k, &v);
    velocity(k, &v, rows, u);
    local_solve(k, rows, u, r, &state);
    for (int32_t c = 0; c < rows; c++) {
        k->change[c] = r[c] - k->r[c];
        square += k->change[c] * k->change[c];
        k->r[c] = r[c];
    }
    k->age   = choose((mask)(state != k->state), all(-1), k->age);
    k->state = state;
    push_on(k, k->change, rows, &v);
    store(x, k, &v);
    square *= k->weight * k->weight;
    *most = choose((mask)(square <= *most), *most, square); /* what is no number stays */
}

/* The momentum of a pack. */
INLINE void push_pack(const ss_pile *x, ss_pack *k, int32_t rows)
{
    const ss_lanes zero    = {0};
    ss_lanes       against = zero;
    for (int32_t c = 0; c < rows; c++) {
        against += k->change[c] * k->push[c];
    }
    mask     over = (k->state == all(SS_PILE_OPEN)) | (against < zero) | (k->age < zero);
    ss_lanes age  = choose(over, zero, k->age + 1);
    ss_lanes beta = age / (age + 3), most = all((float)SS_PILE_MOMENTUM);
    beta   = choose(beta > most, most, beta);
    k->age = age;
    for (int32_t c = 0; c < rows; c++) {
        k->push[c] = beta * (k->change[c] + k->push[c]);
        k->r[c] += k->push[c];
    }
    if (!any(age > zero)) {
        return; /* nothing is pushed */
    }
    pair v;
    load(x, k, &v);
    push_on(k, k->push, rows, &v);
    store(x, k, &v);
}

/*
 * By how much the laws of a pack are missed: the largest (w |F|)^2 of its lanes, F = r - P(r -
 * u~/w) (problem/residual_cone.c).
 */
INLINE void miss_pack(const ss_pile *x, const ss_pack *k, int32_t rows, ss_lanes *most)
{
    const ss_lanes zero = {0}, s = 1 / choose(k->weight > zero, k->weight, all(1));
    pair           v;
    ss_lanes       u[3], z[3], slide = zero, length = zero, square = zero;
    load(x, k, &v);
    velocity(k, &v, rows, u);
    for (int32_t c = 1; c < rows; c++) {
        slide += u[c] * u[c];
        z[c] = k->r[c] - s * u[c];
        length += z[c] * z[c];
    }
    z[0]            = k->r[0] - s * (u[0] + k->mu * root(slide));
    length          = root(length);
    ss_lanes t      = (z[0] + k->mu * length) / (1 + k->mu * k->mu);
    mask     polar  = k->mu * length <= -z[0];
    mask     inside = ~polar & (length <= k->mu * z[0]);
    ss_lanes part   = k->mu * t / choose(length > zero, length, all(1));
    for (int32_t c = 0; c < rows; c++) {
        ss_lanes edge = c == 0 ? t : part * z[c];
        ss_lanes off  = k->r[c] - choose(polar, zero, choose(inside, z[c], edge));
        square += off * off;
    }
    square *= k->weight * k->weight;
    *most = choose((mask)(square <= *most), *most, square); /* what is no number stays */
}

/* ---- blocks of other kinds ------------------------------------------------------------------- */

/* Row h of one side, times the body's velocity. */
static double side_velocity(const ss_pile *x, int32_t body, const double *h)
{
    ptrdiff_t at  = (ptrdiff_t)body * SS_PILE_STRIDE;
    double    sum = 0;
    for (int32_t i = 0; i < x->dof; i++) {
        sum += h[i] * (x->fine != NULL ? x->fine[at + i] : (double)x->v[at + i]);
    }
    return sum;
}

static void side_push(const ss_pile *x, int32_t body, const double *h, double change)
{
    ptrdiff_t at = (ptrdiff_t)body * SS_PILE_STRIDE;
    for (int32_t i = 0; i < x->dof; i++) {
        if (x->fine != NULL) {
            x->fine[at + i] += h[i] * change;
        } else {
            x->v[at + i] = (float)((double)x->v[at + i] + h[i] * change);
        }
    }
}

static void block_velocity(const ss_pile *x, const ss_pile_block *b, double *u)
{
    const int32_t sides = b->body[1] >= 0 ? 2 : 1;
    const double *h     = b->H;
    for (int32_t c = 0; c < b->block->dim; c++) {
        u[c] = x->p->q[b->block->start + c];
        for (int32_t s = 0; s < sides; s++, h += x->dof) {
            u[c] += side_velocity(x, b->body[s], h);
        }
    }
}

static void block_push(const ss_pile *x, const ss_pile_block *b, const double *change)
{
    const int32_t sides = b->body[1] >= 0 ? 2 : 1;
    const double *h     = b->H;
    for (int32_t c = 0; c < b->block->dim; c++) {
        for (int32_t s = 0; s < sides; s++, h += x->dof) {
            side_push(x, b->body[s], h, change[c]);
        }
    }
}

/* Open: nothing acts. Slip: friction at its limit. */
static ss_pile_state state_of(const ss_pile_block *b)
{
    const ss_block *k     = b->block;
    const bool      cone  = k->kind == SS_BLOCK_CONE;
    double          limit = cone ? k->mu * b->r[0] : k->bound, square = 0;
    if (k->kind == SS_BLOCK_EQUALITY) {
        return SS_PILE_STICK;
    }
    if (k->kind != SS_BLOCK_DISK && b->r[0] == 0) {
        return SS_PILE_OPEN;
    }
    for (int32_t i = cone; i < k->dim && k->kind != SS_BLOCK_UNILATERAL; i++) {
        square += b->r[i] * b->r[i];
    }
    bool bounded = k->kind != SS_BLOCK_UNILATERAL && limit > 0;
    return bounded && square > SS_PILE_AT_LIMIT * limit * limit ? SS_PILE_SLIP : SS_PILE_STICK;
}

static double visit_block(const ss_pile *x, ss_pile_block *b)
{
    double u[SS_PILE_ROWS], square = 0;
    block_velocity(x, b, u);
    ss_block_solve(b->block, b->data, u, b->r, b->change);
    block_push(x, b, b->change);
    for (int32_t c = 0; c < b->block->dim; c++) {
        square += b->change[c] * b->change[c];
    }
    ss_pile_state state = state_of(b);
    b->age              = state != b->state ? -1 : b->age;
    b->state            = state;
    return square * b->weight * b->weight;
}

/* (w |F|)^2 of a block; rows of turning count by what they move. */
static double miss_block(const ss_pile *x, const ss_pile_block *b)
{
    double         u[SS_PILE_ROWS] = {0}, r[SS_PILE_ROWS];
    const ss_cone *p               = x->p;
    const double   lever           = p->lever != NULL ? p->lever[b->block->start] : 1;
    ss_block       here            = *b->block;
    block_velocity(x, b, u);
    for (int32_t c = 0; c < here.dim; c++) {
        u[c] *= lever;
        r[c] = b->r[c] / lever;
    }
    here.bound /= lever;
    double w = b->weight * lever * lever;
    return w > 0 ? ss_cone_block_error2(&here, r, u, 1 / w) * w * w : 0;
}

static void push_block(const ss_pile *x, ss_pile_block *b)
{
    double against = 0;
    for (int32_t c = 0; c < b->block->dim; c++) {
        against += b->change[c] * b->push[c];
    }
    bool over   = b->state == SS_PILE_OPEN || against < 0 || b->age < 0;
    b->age      = over ? 0 : b->age + 1;
    double beta = fmin(SS_PILE_MOMENTUM, b->age / (b->age + 3));
    for (int32_t c = 0; c < b->block->dim; c++) {
        b->push[c] = beta * (b->change[c] + b->push[c]);
        b->r[c] += b->push[c];
    }
    block_push(x, b, b->push);
}

/* ---- whole sweeps ---------------------------------------------------------------------------- */

/* What is no number is the largest. */
INLINE double largest_lane(ss_lanes x)
{
    double most = 0;
    for (int32_t l = 0; l < SS_LANES; l++) {
        most = (double)x[l] <= most ? most : (double)x[l];
    }
    return most;
}

/* Packs first .. end - 1, all of one colour. */
CLONES static double visit_packs(const ss_pile *x, int32_t first, int32_t end)
{
    ss_lanes most = {0};
    if (x->dof == 6) {
        for (int32_t i = first; i < end; i++) {
            visit_pack(x, &x->packs[i], 3, &most);
        }
    } else {
        for (int32_t i = first; i < end; i++) {
            visit_pack(x, &x->packs[i], 2, &most);
        }
    }
    return largest_lane(most);
}

CLONES static double miss_packs(const ss_pile *x, int32_t first, int32_t end)
{
    ss_lanes most = {0};
    if (x->dof == 6) {
        for (int32_t i = first; i < end; i++) {
            miss_pack(x, &x->packs[i], 3, &most);
        }
    } else {
        for (int32_t i = first; i < end; i++) {
            miss_pack(x, &x->packs[i], 2, &most);
        }
    }
    return largest_lane(most);
}

CLONES static void push_packs(const ss_pile *x, int32_t first, int32_t end)
{
    if (x->dof == 6) {
        for (int32_t i = first; i < end; i++) {
            push_pack(x, &x->packs[i], 3);
        }
    } else {
        for (int32_t i = first; i < end; i++) {
            push_pack(x, &x->packs[i], 2);
        }
    }
}

/* Part i of n of the numbers first .. end - 1. */
static int32_t part_of(int32_t first, int32_t end, int32_t i, int32_t n)
{
    return first + (int32_t)((int64_t)(end - first) * i / n);
}

/* A share of one colour's packs and blocks; the largest (weight |change|)^2 of it. */
static double visit_share(ss_pile *x, int32_t c, int32_t i, int32_t n)
{
    double most = visit_packs(x, part_of(x->pack_at[c], x->pack_at[c + 1], i, n),
                              part_of(x->pack_at[c], x->pack_at[c + 1], i + 1, n));
    for (int32_t b = part_of(x->block_at[c], x->block_at[c + 1], i, n);
         b < part_of(x->block_at[c], x->block_at[c + 1], i + 1, n); b++) {
        double found = visit_block(x, &x->blocks[b]);
        most         = found <= most ? most : found; /* what is no number stays */
    }
    return most;
}

static double miss_share(ss_pile *x, int32_t c, int32_t i, int32_t n)
{
    double most = miss_packs(x, part_of(x->pack_at[c], x->pack_at[c + 1], i, n),
                             part_of(x->pack_at[c], x->pack_at[c + 1], i + 1, n));
    for (int32_t b = part_of(x->block_at[c], x->block_at[c + 1], i, n);
         b < part_of(x->block_at[c], x->block_at[c + 1], i + 1, n); b++) {
        double found = miss_block(x, &x->blocks[b]);
        most         = found <= most ? most : found;
    }
    return most;
}

static double push_share(ss_pile *x, int32_t c, int32_t i, int32_t n)
{
    push_packs(x, part_of(x->pack_at[c], x->pack_at[c + 1], i, n),
               part_of(x->pack_at[c], x->pack_at[c + 1], i + 1, n));
    for (int32_t b = part_of(x->block_at[c], x->block_at[c + 1], i, n);
         b < part_of(x->block_at[c], x->block_at[c + 1], i + 1, n); b++) {
        push_block(x, &x->blocks[b]);
    }
    return 0;
}

typedef double (*share)(ss_pile *x, int32_t colour, int32_t i, int32_t n);

/*
 * Colour after colour. What is in one colour shares no body, so that its packs may be visited in
 * any order and by any thread, and the largest of some numbers does not depend on the order: the
 * bits are the same for every number of threads.
 */
static double all_colours(ss_pile *x, share work)
{
    double most = 0;
#ifdef SS_HAVE_OPENMP
    if (x->threads > 1) {
#pragma omp parallel num_threads(x->threads)
        {
            double  own = 0;
            int32_t i = omp_get_thread_num(), n = omp_get_num_threads();
            for (int32_t c = 0; c < x->colours; c++) {
                double found = work(x, c, i, n);
                own          = found <= own ? own : found;
#pragma omp barrier
            }
#pragma omp critical
            most = own <= most ? most : own;
        }
        return most;
    }
#endif
    /* alone: even a team of one would ask the system at every barrier */
    for (int32_t c = 0; c < x->colours; c++) {
        double found = work(x, c, 0, 1);
        most         = found <= most ? most : found;
    }
    return most;
}

double ss_pile_sweep(ss_pile *x)
{
    return sqrt(all_colours(x, visit_share));
}

double ss_pile_missed(ss_pile *x)
{
    return sqrt(all_colours(x, miss_share));
}

void ss_pile_push(ss_pile *x)
{
    (void)all_colours(x, push_share);
}
