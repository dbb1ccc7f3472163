/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/cart.h"

#include <math.h>
#include <string.h>

enum { N = SS_CART_MOST, UNKNOWNS = N + 3 };

typedef struct mode {
    int  belt; /* direction of its friction, 0: the block sticks */
    bool pushed;
    int  dry; /* direction of the sliding, 0: it sticks */
} mode;

typedef struct forces {
    double a[N], belt, push, dry, floor;
} forces;

typedef struct state {
    double t, q[N], v[N];
} state;

/* ---- the equations in one mode ---- */

/* A x = b by elimination with row exchanges; A has rows of UNKNOWNS + 1, the last entry being b. */
static void solve(double A[UNKNOWNS][UNKNOWNS + 1], int n, double *x)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        }
        for (int j = 0; best != k && j <= n; j++) {
            double swap = A[k][j];
            A[k][j]     = A[best][j];
            A[best][j]  = swap;
        }
        for (int i = k + 1; i < n; i++) {
            double f = A[i][k] / A[k][k];
            for (int j = k; j <= n; j++) {
                A[i][j] -= f * A[k][j];
            }
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        x[k] = A[k][n];
        for (int j = k + 1; j < n; j++) {
            x[k] -= A[k][j] * x[j];
        }
        x[k] /= A[k][k];
    }
}

/* Accelerations and forces: unknowns a, F, P, T. */
static forces forces_in(const ss_cart *c, const state *s, mode m)
{
    int           n = c->coordinates, all = n + 3, F = n, P = n + 1, T = n + 2;
    ss_cart_terms e                         = {{0}, {0}, 0, {0}};
    double        A[UNKNOWNS][UNKNOWNS + 1] = {{0}}, x[UNKNOWNS] = {0};
    forces        out = {{0}, 0, 0, 0, 0};
    c->terms(c, s->q, s->v, &e);
    for (int i = 0; i < n; i++) {
        memcpy(A[i], e.M + (size_t)i * (size_t)n, (size_t)n * sizeof *e.M);
        A[i][all] = e.f[i];
    }
    A[0][F] = A[0][P] = -1;
    if (c->dry >= 0) {
        A[c->dry][T] = -1;
    }
    if (m.belt == 0) {
        A[F][0] = 1;
    } else {
        A[F][F] = 1;
        for (int i = 0; i < n; i++) {
            A[F][i] = -m.belt * c->mu * e.n[i];
        }
        A[F][all] = m.belt * c->mu * e.n0;
    }
    A[P][m.pushed ? 0 : P] = 1;
    if (c->dry >= 0 && m.dry == 0) {
        A[T][c->dry] = 1;
    } else {
        A[T][T]   = 1;
        A[T][all] = c->dry >= 0 ? -m.dry * c->dry_bound : 0;
    }
    solve(A, all, x);
    memcpy(out.a, x, (size_t)n * sizeof *x);
    out.belt  = x[F];
    out.push  = x[P];
    out.dry   = x[T];
    out.floor = e.n0;
    for (int i = 0; i < n; i++) {
        out.floor += e.n[i] * x[i];
    }
    return out;
}

static state runge_kutta(const ss_cart *c, const state *from, mode m, double h)
{
    static const double reach[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    state               to = *from, at = *from;
    forces              f = {{0}, 0, 0, 0, 0};
    for (int k = 0; k < 4; k++) {
        state last = at;
        at         = *from;
        at.t       = from->t + reach[k] * h;
        for (int i = 0; k > 0 && i < c->coordinates; i++) {
            at.q[i] += reach[k] * h * last.v[i];
            at.v[i] += reach[k] * h * f.a[i];
        }
        f = forces_in(c, &at, m);
        for (int i = 0; i < c->coordinates; i++) {
            to.q[i] += weight[k] * h * at.v[i];
            to.v[i] += weight[k] * h * f.a[i];
        }
    }
    to.t = from->t + h;
    return to;
}

/* ---- events ---- */

typedef enum guard { GUARD_BELT, GUARD_PUSHER, GUARD_DRY, GUARDS } guard;

/* By how much each law of the mode holds: negative, no longer. */
static void margins(const ss_cart *c, const state *s, mode m, const forces *f, double *out)
{
    double rate     = c->dry >= 0 ? s->v[c->dry] : 0;
    out[GUARD_BELT] = m.belt != 0 ? m.belt * (c->belt - s->v[0]) : c->mu * f->floor - fabs(f->belt);
    out[GUARD_PUSHER] = m.pushed ? f->push : s->q[0] - c->pusher - c->pusher_speed * s->t;
    out[GUARD_DRY]    = c->dry < 0 ? 1 : m.dry != 0 ? m.dry * rate : c->dry_bound - fabs(f->dry);
    if (m.pushed) {
        out[GUARD_BELT] = 1; /* both move steadily */
    }
}

static int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

/* The pusher meets the block: M dv = e_x P, dv_x known. The floor's impulse is n.dv. */
static void meet(const ss_cart *c, state *s, ss_cart_events *seen)
{
    int           n                         = c->coordinates;
    ss_cart_terms e                         = {{0}, {0}, 0, {0}};
    double        A[UNKNOWNS][UNKNOWNS + 1] = {{0}}, dv[UNKNOWNS], floor = 0;
    c->terms(c, s->q, s->v, &e);
    A[0][0] = 1;
    A[0][n] = c->pusher_speed - s->v[0];
    for (int i = 1; i < n; i++) {
        memcpy(A[i], e.M + (size_t)i * (size_t)n, (size_t)n * sizeof *e.M);
    }
    solve(A, n, dv);
    for (int i = 0; i < n; i++) {
        s->v[i] += dv[i];
        floor += e.n[i] * dv[i];
    }
    seen->least_floor = fmin(seen->least_floor, floor);
    seen->caught++;
}

/* Sticking, if friction can hold; else sliding to the side to which the rest pulls. */
static void come_to_rest(const ss_cart *c, state *s, mode *m, guard g)
{
    if (g == GUARD_BELT) {
        s->v[0]  = c->belt;
        m->belt  = 0;
        forces f = forces_in(c, s, *m);
        m->belt  = fabs(f.belt) <= c->mu * f.floor ? 0 : sign_of(f.belt);
    } else {
        s->v[c->dry] = 0;
        m->dry       = 0;
        forces f     = forces_in(c, s, *m);
        m->dry       = fabs(f.dry) <= c->dry_bound ? 0 : -sign_of(f.dry);
    }
}

static void change(const ss_cart *c, state *s, mode *m, guard g, ss_cart_events *seen)
{
    forces f = forces_in(c, s, *m);
    if (g == GUARD_PUSHER && m->pushed) {
        m->pushed = false;
        seen->left++;
    } else if (g == GUARD_PUSHER) {
        meet(c, s, seen);
        m->pushed = true;
        m->belt   = sign_of(c->belt - c->pusher_speed);
        m->dry    = c->dry >= 0 ? sign_of(s->v[c->dry]) : 0;
    } else if (g == GUARD_BELT && m->belt == 0) {
        m->belt = sign_of(f.belt);
        seen->slips++;
    } else if (g == GUARD_DRY && m->dry == 0) {
        m->dry = -sign_of(f.dry);
    } else {
        come_to_rest(c, s, m, g);
        seen->sticks += g == GUARD_BELT && m->belt == 0;
    }
}

/* The first law that fails at a state, or GUARDS. */
static guard broken(const ss_cart *c, const state *s, mode m, ss_cart_events *seen)
{
    forces f = forces_in(c, s, m);
    double margin[GUARDS];
    margins(c, s, m, &f, margin);
    if (seen != NULL) {
        seen->least_floor = fmin(seen->least_floor, f.floor);
    }
    for (guard g = GUARD_BELT; g < GUARDS; g++) {
        if (margin[g] < 0) {
            return g;
        }
    }
    return GUARDS;
}

ss_cart_events ss_cart_run(const ss_cart *c, double *q, double *v, double duration, int steps)
{
    state          s    = {0, {0}, {0}};
    mode           m    = {sign_of(c->belt - v[0]), false, c->dry >= 0 ? sign_of(v[c->dry]) : 0};
    ss_cart_events seen = {.least_floor = INFINITY};
    double         h    = duration / steps;
    memcpy(s.q, q, (size_t)c->coordinates * sizeof *q);
    memcpy(s.v, v, (size_t)c->coordinates * sizeof *v);
    if (m.belt == 0) {
        come_to_rest(c, &s, &m, GUARD_BELT);
    }
    while (s.t < duration - 1e-12 * duration) {
        double step = fmin(h, duration - s.t);
        state  next = runge_kutta(c, &s, m, step);
        guard  g    = broken(c, &next, m, &seen);
        if (g != GUARDS) {
            double low = 0, high = step;
            for (int k = 0; k < 60; k++) {
                double middle                     = 0.5 * (low + high);
                state  there                      = runge_kutta(c, &s, m, middle);
                guard  first                      = broken(c, &there, m, NULL);
                g                                 = first != GUARDS ? first : g;
                *(first != GUARDS ? &high : &low) = middle;
            }
            next = runge_kutta(c, &s, m, high);
            change(c, &next, &m, g, &seen);
        }
        s = next;
    }
    memcpy(q, s.q, (size_t)c->coordinates * sizeof *q);
    memcpy(v, s.v, (size_t)c->coordinates * sizeof *v);
    return seen;
}
