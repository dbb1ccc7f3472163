/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A disjunction as complementarity conditions (thesis 3.2.1, (3.6)-(3.15), with the corrections
 * that it needs). Given an LCP with normal impulses p_i whose rows are the separation velocities
 * u_i = psi_i / h, groups of branches f with contacts i in f, and a speed l of the problem's scale,
 * gamma = 3 l > l + max |u|:
 *
 *   0 <= c_i   _|_  c_i + u_i - l            >= 0     c_i = max(l - u_i, 0)              (3.6),
 * (3.7) 0 <= e_f   _|_  sum_i y_i - 1            >= 0 0 <= y_i   _|_  e_f - c_i                >= 0
 * e_f = max_i c_i = l - min(s_f, l) 0 <= d     _|_  sum_f g_f - 1            >= 0 (3.8) 0 <= g_f
 * _|_  e_f + d - gamma          >= 0     d = gamma - min_f e_f              (3.9), (3.10) 0 <= a_i
 * _|_  a_i + u_i                >= 0     a_i = max(-u_i, 0)                 (3.11), (3.12) 0 <= k_f
 * _|_  k_f - e_f + l            >= 0     k_f = max(-s_f, 0) 0 <= t     _|_  d - gamma + l >= 0
 * max_f s_f >= 0                     (3.13) 0 <= p_i   _|_  k_f + a_i + u_i + d - gamma + l >= 0
 * (3.14), (3.15)
 *
 * s_f = min_i u_i, and d - gamma + l = min(max_f s_f, l). The last line lets an impulse act where
 * k_f = 0 (the branch is not violated), a_i + u_i = max(u_i, 0) = 0 (the contact is closed) and
 * max s = 0 alone. Friction rows stay as they are. The thesis' unit length 1 has become l, and its
 * gamma is large enough for every solution. For a branch of one contact, as in the thesis, e = c
 * and k = a, there is no y, and a_i + u_i can be left out of the last line: max s >= u_i.
 */
#include <string.h>

#include "linalg/matrix.h"
#include "problem/reduce.h"

typedef struct build {
    int32_t n;
    double *M, *q; /* (n x n) column-major, (n) */
} build;

static void put(build *b, int32_t row, int32_t col, double value)
{
    b->M[row + (ptrdiff_t)col * b->n] += value;
}

/* Row `to` gets the row of the velocity u_i. */
static void put_velocity(build *b, const double *U, const double *q, int32_t size, int32_t i,
                         int32_t to)
{
    for (int32_t k = 0; k < size; k++) {
        put(b, to, k, U[i + (ptrdiff_t)k * size]);
    }
    b->q[to] += q[i];
}

static int32_t contacts_of(const ss_corner_group *g)
{
    return g->start[g->branches];
}

static bool is_single(const ss_corner_group *g, int32_t f)
{
    return g->start[f + 1] - g->start[f] == 1;
}

/* Variables of a branch: c, a of each contact, g; and of several contacts y of each, e, k. */
static int32_t branch_size(const ss_corner_group *g, int32_t f)
{
    int32_t contacts = g->start[f + 1] - g->start[f];
    return contacts == 1 ? 3 : 3 * contacts + 3;
}

static int32_t group_size(const ss_corner_group *g)
{
    int32_t n = 2; /* d, t */
    for (int32_t f = 0; f < g->branches; f++) {
        n += branch_size(g, f);
    }
    return n;
}

int32_t ss_reduce_corner_size(const ss_corner_group *groups, int32_t count)
{
    int32_t n = 0;
    for (int32_t i = 0; i < count; i++) {
        n += group_size(&groups[i]);
    }
    return n;
}

/* What the LCP was: velocities u = U z + q. */
typedef struct velocities {
    const double *U, *q;
    int32_t       size;
} velocities;

/* c_i, a_i and the new row of p_i, which gets what its branch adds elsewhere. */
static void put_contact(build *b, const velocities *v, int32_t i, int32_t c, int32_t a, int32_t d,
                        double l)
{
    put_velocity(b, v->U, v->q, v->size, i, c);
    put(b, c, c, 1);
    b->q[c] -= l;
    put_velocity(b, v->U, v->q, v->size, i, a);
    put(b, a, a, 1);
    put(b, i, a, 1);
    put(b, i, d, 1);
    b->q[i] -= 2 * l; /* - gamma + l */
}

/* g_f against the largest of all branches. */
static void put_choice(build *b, int32_t g, int32_t e, int32_t d, double l)
{
    put(b, g, e, 1);
    put(b, g, d, 1);
    b->q[g] -= 3 * l;
    put(b, d, g, 1);
}

static void put_branch(build *b, const ss_corner_group *g, int32_t f, const velocities *v,
                       int32_t first, int32_t d)
{
    int32_t count = g->start[f + 1] - g->start[f], on = first + 2 * count;
    int32_t e = is_single(g, f) ? first : on + 1, k = on + 2, y = on + 3;
    double  l = g->speed;
    for (int32_t j = 0; j < count; j++) {
        int32_t i = g->normal[g->start[f] + j], c = first + 2 * j;
        put_contact(b, v, i, c, c + 1, d, l);
        if (count > 1) {
            put_velocity(b, v->U, v->q, v->size, i, i);
            put(b, i, k, 1);
            put(b, e, y + j, 1);
            put(b, y + j, e, 1);
            put(b, y + j, c, -1);
        }
    }
    if (count > 1) {
        b->q[e] -= 1;
        put(b, k, k, 1);
        put(b, k, e, -1);
        b->q[k] += l;
    }
    put_choice(b, on, e, d, l);
}

static void put_group(build *b, const ss_corner_group *g, const velocities *v, int32_t first)
{
    int32_t d = first + group_size(g) - 2, t = d + 1;
    for (int32_t f = 0; f < g->branches; f++) {
        put_branch(b, g, f, v, first, d);
        first += branch_size(g, f);
    }
    b->q[d] -= 1;
    put(b, t, d, 1);
    b->q[t] -= 2 * g->speed;
}

static void clear_normal_rows(build *b, const ss_corner_group *g)
{
    for (int32_t j = 0; j < contacts_of(g); j++) {
        for (int32_t k = 0; k < b->n; k++) {
            b->M[g->normal[j] + (ptrdiff_t)k * b->n] = 0;
        }
        b->q[g->normal[j]] = 0;
    }
}

bool ss_reduce_corners(const ss_lcp *p, const ss_corner_group *groups, int32_t count, ss_arena *a,
                       ss_lcp *out)
{
    int32_t n = p->n + ss_reduce_corner_size(groups, count), first = p->n;
    build   b = {n, ss_arena_alloc(a, (size_t)n * (size_t)n, sizeof *b.M),
                 ss_arena_alloc(a, (size_t)n, sizeof *b.q)};
    double *U = ss_arena_alloc(a, (size_t)p->n * (size_t)p->n, sizeof *U);
    if (!b.M || !b.q || !U) {
        return false;
    }
    ss_matrix_to_dense(&p->M, U, p->n);
    const velocities v = {U, p->q, p->n};
    memset(b.M, 0, (size_t)n * (size_t)n * sizeof *b.M);
    memset(b.q, 0, (size_t)n * sizeof *b.q);
    for (int32_t k = 0; k < p->n; k++) {
        memcpy(b.M + (ptrdiff_t)k * n, U + (ptrdiff_t)k * p->n, (size_t)p->n * sizeof *U);
    }
    memcpy(b.q, p->q, (size_t)p->n * sizeof *b.q);
    for (int32_t i = 0; i < count; i++) {
        clear_normal_rows(&b, &groups[i]);
        put_group(&b, &groups[i], &v, first);
        first += group_size(&groups[i]);
    }
    *out = (ss_lcp){n, {.rows = n, .cols = n, .dense = b.M, .ld = n}, b.q};
    return true;
}
