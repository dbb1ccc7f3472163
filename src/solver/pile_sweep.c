/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sweeps over packs (pile.h). A visit of block b finds the reaction that obeys its law with all
 * others held fixed (cone_block.c) and pushes its bodies: v += M^-1 H_b change. The four contacts
 * of a pack share no body. Open and stick are decided lane by lane in vectors; a lane that slips is
 * finished by the exact scalar solve.
 *
 * Momentum: x_k is what sweep k makes of y_(k-1), and y_k = x_k + beta (x_k - x_(k-1)), contact by
 * contact, with beta = min(0.8, age / (age + 3)). The age of a contact counts sweeps; it starts
 * again where the contact is open, has another state than a sweep ago, or the sweep takes back what
 * momentum had added. With d = y_(k-1) - x_(k-1), the last push, x_k - x_(k-1) = change + d:
 * nothing but the last change and the last push is kept.
 */
#include <math.h>
#include <string.h>

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

typedef long long mask __attribute__((vector_size(32)));

/* a where m, b elsewhere */
INLINE ss_lanes choose(mask m, ss_lanes a, ss_lanes b)
{
    return (ss_lanes)(((mask)a & m) | ((mask)b & ~m));
}

INLINE ss_lanes all(double x)
{
    return (ss_lanes){x, x, x, x};
}

INLINE void transpose(ss_lanes t[4])
{
    ss_lanes a = __builtin_shufflevector(t[0], t[1], 0, 4, 1, 5);
    ss_lanes b = __builtin_shufflevector(t[0], t[1], 2, 6, 3, 7);
    ss_lanes c = __builtin_shufflevector(t[2], t[3], 0, 4, 1, 5);
    ss_lanes d = __builtin_shufflevector(t[2], t[3], 2, 6, 3, 7);
    t[0]       = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    t[1]       = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    t[2]       = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    t[3]       = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* Velocities of four bodies, coordinate by coordinate; `stride` is 8 in space, 4 in the plane. */
INLINE void gather(const double *v, int32_t stride, const int32_t *body, ss_lanes *out)
{
    for (int32_t part = 0; part < stride; part += 4) {
        for (int32_t l = 0; l < SS_LANES; l++) {
            memcpy(&out[part + l], v + (ptrdiff_t)body[l] * stride + part, sizeof *out);
        }
        transpose(out + part);
    }
}

INLINE void scatter(double *v, int32_t stride, const int32_t *body, int32_t none, ss_lanes *x)
{
    for (int32_t part = 0; part < stride; part += 4) {
        transpose(x + part);
        for (int32_t l = 0; l < SS_LANES; l++) {
            if (body[l] != none) {
                memcpy(v + (ptrdiff_t)body[l] * stride + part, &x[part + l], sizeof *x);
            }
        }
    }
}

/* Velocities of the two bodies of each contact. */
typedef struct pair {
    ss_lanes minus[8], plus[8];
} pair;

INLINE void load(const ss_pile *x, const ss_pack *k, int32_t stride, pair *v)
{
    gather(x->v, stride, k->minus, v->minus);
    gather(x->v, stride, k->plus, v->plus);
}

INLINE void store(const ss_pile *x, const ss_pack *k, int32_t stride, pair *v)
{
    scatter(x->v, stride, k->minus, x->bodies, v->minus);
    scatter(x->v, stride, k->plus, x->bodies, v->plus);
}

/* u = H'v + q; `rows` is 3 in space (and 3 axes to turn about), 2 in the plane (and 1). */
INLINE void velocity(const ss_pack *k, const pair *v, int32_t rows, ss_lanes *u)
{
    const int32_t turns = rows == 3 ? 3 : 1;
    ss_lanes      between[3];
    for (int32_t i = 0; i < rows; i++) {
        between[i] = v->plus[i] - v->minus[i];
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

/* v += M^-1 H change */
INLINE void push_on(const ss_pack *k, const ss_lanes *change, int32_t rows, pair *v)
{
    const int32_t turns = rows == 3 ? 3 : 1;
    for (int32_t i = 0; i < rows; i++) {
        ss_lanes along = k->direction[0][i] * change[0];
        for (int32_t c = 1; c < rows; c++) {
            along += k->direction[c][i] * change[c];
        }
        v->plus[i] += k->light_plus * along;
        v->minus[i] -= k->light_minus * along;
    }
    for (int32_t i = 0; i < turns; i++) {
        for (int32_t c = 0; c < rows; c++) {
            v->plus[rows + i] += k->turn_plus[c][i] * change[c];
            v->minus[rows + i] += k->turn_minus[c][i] * change[c];
        }
    }
}

/* The lane that slips, by the exact scalar solve. */
static void slip_lane(const ss_pile *x, const ss_pack *k, int32_t l, int32_t rows,
                      const ss_lanes *u, ss_lanes *r)
{
    const int32_t m = rows - 1;
    double        data[9], own[3], at[3], change[3];
    for (int32_t j = 0; j < m; j++) {
        for (int32_t i = 0; i < m; i++) {
            data[j * m + i] = k->S[i][j][l];
        }
        data[m * m + j]     = k->k[j][l];
        data[m * m + m + j] = k->Afn[j][l];
    }
    data[m * m + 2 * m] = k->inv[l];
    for (int32_t c = 0; c < rows; c++) {
        own[c] = u[c][l];
        at[c]  = r[c][l];
    }
    ss_block_solve(&x->p->blocks[k->block[l]], data, own, at, change);
    for (int32_t c = 0; c < rows; c++) {
        r[c][l] = at[c];
    }
}

/* The reactions that obey the law of each lane; the states go into k. */
INLINE void local_solve(const ss_pile *x, ss_pack *k, int32_t rows, const ss_lanes *u, ss_lanes *r,
                        ss_lanes *state)
{
    const ss_lanes zero = {0};
    ss_lanes       un = u[0] * k->inv, bn = un - k->r[0], stuck[3], square = zero;
    for (int32_t i = 1; i < rows; i++) {
        bn += k->k[i - 1] * k->r[i];
    }
    stuck[0] = -bn;
    for (int32_t i = 1; i < rows; i++) {
        ss_lanes step = zero;
        for (int32_t j = 1; j < rows; j++) {
            step += k->stick[i - 1][j - 1] * (u[j] - k->Afn[j - 1] * un);
        }
        stuck[i] = k->r[i] - step;
        stuck[0] += k->k[i - 1] * stuck[i];
        square += stuck[i] * stuck[i];
    }
    ss_lanes limit = k->mu * stuck[0];
    mask     open = bn >= zero, stick = (stuck[0] >= zero) & (square <= limit * limit) & ~open;
    for (int32_t c = 0; c < rows; c++) {
        r[c] = choose(open, zero, choose(stick, stuck[c], k->r[c]));
    }
    *state = choose(open, all(SS_PILE_OPEN), choose(stick, all(SS_PILE_STICK), all(SS_PILE_SLIP)));
    mask slips = ~(open | stick);
    for (int32_t l = 0; l < SS_LANES; l++) {
        if (slips[l] != 0) {
            slip_lane(x, k, l, rows, u, r);
        }
    }
}

/* One pack; largest (weight |change|)^2 of its lanes in *most. */
INLINE void visit_pack(const ss_pile *x, ss_pack *k, int32_t rows, ss_lanes *most)
{
    const int32_t stride = rows == 3 ? 8 : 4;
    pair          v;
    ss_lanes      u[3], r[3], state, square = {0};
    load(x, k, stride, &v);
    velocity(k, &v, rows, u);
    local_solve(x, k, rows, u, r, &state);
    for (int32_t c = 0; c < rows; c++) {
        k->change[c] = r[c] - k->r[c];
        square += k->change[c] * k->change[c];
        k->r[c] = r[c];
    }
    k->age   = choose((mask)(state != k->state), all(-1), k->age);
    k->state = state;
    push_on(k, k->change, rows, &v);
    store(x, k, stride, &v);
    square *= k->weight * k->weight;
    *most = choose((mask)(square > *most), square, *most);
}

/* The momentum of a pack. */
INLINE void push_pack(const ss_pile *x, ss_pack *k, int32_t rows)
{
    const int32_t  stride  = rows == 3 ? 8 : 4;
    const ss_lanes zero    = {0};
    ss_lanes       against = zero;
    for (int32_t c = 0; c < rows; c++) {
        against += k->change[c] * k->push[c];
    }
    mask     over = (k->state == all(SS_PILE_OPEN)) | (against < zero) | (k->age < zero);
    ss_lanes age  = choose(over, zero, k->age + all(1));
    ss_lanes beta = age / (age + all(3));
    beta          = choose(beta > all(SS_PILE_MOMENTUM), all(SS_PILE_MOMENTUM), beta);
    k->age        = age;
    for (int32_t c = 0; c < rows; c++) {
        k->push[c] = beta * (k->change[c] + k->push[c]);
        k->r[c] += k->push[c];
    }
    pair v;
    load(x, k, stride, &v);
    push_on(k, k->push, rows, &v);
    store(x, k, stride, &v);
}

/* ---- blocks of other kinds ------------------------------------------------------------------- */

static void block_velocity(const ss_pile *x, const ss_pile_block *b, double *u)
{
    const int32_t dof = x->dof, sides = b->body[1] >= 0 ? 2 : 1;
    const double *h = b->H;
    for (int32_t c = 0; c < b->block->dim; c++) {
        double sum = x->p->q[b->block->start + c];
        for (int32_t s = 0; s < sides; s++, h += dof) {
            const double *v = x->v + (ptrdiff_t)b->body[s] * x->stride;
            for (int32_t i = 0; i < dof; i++) {
                sum += h[i] * v[i];
            }
        }
        u[c] = sum;
    }
}

static void block_push(const ss_pile *x, const ss_pile_block *b, const double *change)
{
    const int32_t dof = x->dof, sides = b->body[1] >= 0 ? 2 : 1;
    const double *y = b->Y;
    for (int32_t c = 0; c < b->block->dim; c++) {
        for (int32_t s = 0; s < sides; s++, y += dof) {
            double *v = x->v + (ptrdiff_t)b->body[s] * x->stride;
            for (int32_t i = 0; i < dof; i++) {
                v[i] += y[i] * change[c];
            }
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

/* Packs first .. end - 1, all of one colour. */
CLONES static double visit_packs(const ss_pile *x, int32_t first, int32_t end)
{
    ss_lanes most = {0};
    if (x->stride == 8) {
        for (int32_t i = first; i < end; i++) {
            visit_pack(x, &x->packs[i], 3, &most);
        }
    } else {
        for (int32_t i = first; i < end; i++) {
            visit_pack(x, &x->packs[i], 2, &most);
        }
    }
    return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

CLONES static void push_packs(const ss_pile *x, int32_t first, int32_t end)
{
    if (x->stride == 8) {
        for (int32_t i = first; i < end; i++) {
            push_pack(x, &x->packs[i], 3);
        }
    } else {
        for (int32_t i = first; i < end; i++) {
            push_pack(x, &x->packs[i], 2);
        }
    }
}

double ss_pile_sweep(ss_pile *x)
{
    double most = 0;
    for (int32_t c = 0; c < x->colours; c++) {
        most = fmax(most, visit_packs(x, x->pack_at[c], x->pack_at[c + 1]));
        for (int32_t i = x->block_at[c]; i < x->block_at[c + 1]; i++) {
            most = fmax(most, visit_block(x, &x->blocks[i]));
        }
    }
    return sqrt(most);
}

void ss_pile_push(ss_pile *x)
{
    for (int32_t c = 0; c < x->colours; c++) {
        push_packs(x, x->pack_at[c], x->pack_at[c + 1]);
        for (int32_t i = x->block_at[c]; i < x->block_at[c + 1]; i++) {
            push_block(x, &x->blocks[i]);
        }
    }
}
