/* SPDX-License-Identifier: Apache-2.0 */
#include "linalg/anderson.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/tolerances.h"

enum { DEPTH = SS_ANDERSON_DEPTH };

void ss_anderson_begin(ss_anderson *a, int32_t n, const double *weight, double *room)
{
    size_t size = (size_t)n;
    *a          = (ss_anderson){.n = n, .weight = weight};
    a->df       = room;
    a->dg       = a->df + size * DEPTH;
    a->last_f   = a->dg + size * DEPTH;
    a->last_g   = a->last_f + size;
}

bool ss_anderson_prepare(ss_anderson *a, int32_t n, const double *weight, ss_arena *arena)
{
    double *room = ss_arena_alloc(arena, ss_anderson_room(n), sizeof *room);
    if (room != NULL) {
        ss_anderson_begin(a, n, weight, room);
    }
    return room != NULL;
}

static double weighted_dot(const ss_anderson *a, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < a->n; i++) {
        sum += a->weight[i] * x[i] * y[i];
    }
    return sum;
}

/* Keep f and g, and their differences from the last ones. */
static void remember(ss_anderson *a, const double *x, const double *g)
{
    double *df = a->df + (size_t)a->next * (size_t)a->n;
    double *dg = a->dg + (size_t)a->next * (size_t)a->n;
    for (int32_t i = 0; i < a->n; i++) {
        double f     = g[i] - x[i];
        df[i]        = f - a->last_f[i];
        dg[i]        = g[i] - a->last_g[i];
        a->last_f[i] = f;
        a->last_g[i] = g[i];
    }
    if (a->primed) {
        a->next  = (a->next + 1) % DEPTH;
        a->count = a->count < DEPTH ? a->count + 1 : DEPTH;
    }
    a->primed = true;
}

/* gamma: the combination of df nearest to f, slightly held back against dependence. */
static bool combine(const ss_anderson *a, double *gamma)
{
    double  A[DEPTH * DEPTH];
    int32_t m = a->count;
    for (int32_t j = 0; j < m; j++) {
        const double *dj = a->df + (size_t)j * (size_t)a->n;
        for (int32_t i = j; i < m; i++) {
            A[j * m + i] = A[i * m + j] = weighted_dot(a, a->df + (size_t)i * (size_t)a->n, dj);
        }
        gamma[j] = weighted_dot(a, dj, a->last_f);
    }
    double most = 0;
    for (int32_t j = 0; j < m; j++) {
        most = fmax(most, A[j * m + j]);
    }
    for (int32_t j = 0; j < m; j++) {
        A[j * m + j] += SS_ANDERSON_SHIFT * most;
    }
    if (!(most > 0) || !ss_dense_cholesky(m, A, m)) {
        return false;
    }
    ss_dense_cholesky_solve(m, A, m, gamma);
    return true;
}

bool ss_anderson_step(ss_anderson *a, double *x, const double *g)
{
    double gamma[DEPTH], before = a->size;
    remember(a, x, g);
    a->size = sqrt(weighted_dot(a, a->last_f, a->last_f));
    memcpy(x, g, (size_t)a->n * sizeof *x);
    if (a->count > 0 && a->size > 1.1 * before) {
        a->count = a->next = 0;
        return false;
    }
    if (a->count == 0 || !combine(a, gamma)) {
        return false;
    }
    for (int32_t j = 0; j < a->count; j++) {
        const double *dg = a->dg + (size_t)j * (size_t)a->n;
        for (int32_t i = 0; i < a->n; i++) {
            x[i] -= gamma[j] * dg[i];
        }
    }
    return true;
}
