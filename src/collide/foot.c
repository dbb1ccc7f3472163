/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sides of a superellipsoid with exponents below 1 are flat in their middle: the support point
 * s(n) moves along a side like a root of n, s ~ n^(e/(2 - e)), so that a search for the direction n
 * has no derivative to go by there, and the last digits of n are a tenth of the side. The point
 * tells the normal: N(x) is smooth in x, as flat as s(n) is steep. So the nearest point x itself is
 * searched for, along rays t from the shape's centre, with
 *
 *   r = y(-N) - x,     F = r - (r.N) N = 0       y: the point of the other shape's feature
 *   N.e = 0,           r.(N x e) = 0             where that is a line along e
 *
 * by Newton's method in the two coordinates of t across its start (in the plane one).
 */
#include "collide/foot.h"

#include "collide/tolerances.h"
#include "core/elementary.h"
#include "geom/geom.h"

enum { MAX_STEPS = 40, MAX_HALVINGS = 8 };

typedef struct foot {
    const ss_core *c, *o;
    const ss_mode *feature;
    double         size;
    int            count; /* of coordinates */
    ss_vec3        tan[2];
} foot;

/* What is to be zero, at the ray t in the world. */
static void residual(const foot *s, ss_vec3 t, double F[2], ss_vec3 *x, ss_vec3 *N)
{
    const ss_frame *f = s->c->f;
    ss_vec3         inside;
    *x        = ss_to_world(f, s->c->g->cls->surface(s->c->g, ss_tmul(&f->R, t), &inside));
    *N        = ss_mul(&f->R, inside);
    ss_vec3 r = ss_sub(ss_mode_point(s->o, s->feature, ss_neg(*N)), *x);
    if (s->feature->kind == SS_MODE_LINE) {
        F[0] = s->size * ss_dot(*N, s->feature->e);
        F[1] = ss_dot(r, ss_cross(*N, s->feature->e));
        return;
    }
    ss_vec3 across = ss_axpy(r, -ss_dot(r, *N), *N);
    for (int i = 0; i < s->count; i++) {
        F[i] = ss_dot(across, s->tan[i]);
    }
}

static double missed(const foot *s, const double F[2])
{
    return s->count == 1 ? fabs(F[0]) : ss_hypot(F[0], F[1]);
}

static ss_vec3 moved(const foot *s, ss_vec3 t, const double by[2])
{
    ss_vec3 to = ss_axpy(t, by[0], s->tan[0]);
    return s->count == 1 ? to : ss_axpy(to, by[1], s->tan[1]);
}

/* Newton's step from t, where F is; false: there is none. */
static bool newton_step(const foot *s, ss_vec3 t, const double F[2], double step[2])
{
    double  J[2][2] = {{0, 0}, {0, 1}}, delta = SS_NEWTON_DIFFERENCE * s->size;
    ss_vec3 x, N;
    for (int j = 0; j < s->count; j++) {
        double up[2], down[2];
        residual(s, ss_axpy(t, delta, s->tan[j]), up, &x, &N);
        residual(s, ss_axpy(t, -delta, s->tan[j]), down, &x, &N);
        for (int i = 0; i < s->count; i++) {
            J[i][j] = 0.5 * (up[i] - down[i]) / delta;
        }
    }
    double det = J[0][0] * J[1][1] - J[0][1] * J[1][0], F1 = s->count == 1 ? 0 : F[1];
    step[0] = (J[0][1] * F1 - J[1][1] * F[0]) / det;
    step[1] = (J[1][0] * F[0] - J[0][0] * F1) / det;
    return isfinite(step[0]) && isfinite(step[1]);
}

/* Unit vectors across the normal at the start; in the plane one. */
static void set_tangents(foot *s, bool planar, ss_vec3 N)
{
    ss_vec3 helper = fabs(N.x) < 0.6 ? ss_v3(1, 0, 0) : ss_v3(0, 1, 0);
    s->count       = planar ? 1 : 2;
    s->tan[0]      = ss_unit(ss_cross(N, planar ? ss_v3(0, 0, 1) : helper));
    s->tan[1]      = ss_cross(N, s->tan[0]);
}

/* One step that makes what is missed less; false: none does. */
static bool descend(const foot *s, ss_vec3 *t, double F[2], ss_vec3 *x, ss_vec3 *N)
{
    double step[2] = {0, 0}, far = 0.5 * s->size;
    if (!newton_step(s, *t, F, step)) {
        return false;
    }
    double k = fmin(1, far / ss_hypot(step[0], step[1]));
    for (int j = 0; j < MAX_HALVINGS; j++, k *= 0.5) {
        double  by[2] = {k * step[0], k * step[1]}, F_trial[2] = {0, 0};
        ss_vec3 trial = moved(s, *t, by), x_trial, N_trial;
        residual(s, trial, F_trial, &x_trial, &N_trial);
        if (missed(s, F_trial) < missed(s, F)) {
            *t   = trial;
            F[0] = F_trial[0];
            F[1] = F_trial[1];
            *x   = x_trial;
            *N   = N_trial;
            return true;
        }
    }
    return false;
}

bool ss_foot_on_flat(const ss_core *c, const ss_core *o, const ss_mode *feature, bool planar,
                     double size, ss_vec3 *x, ss_vec3 *outward)
{
    foot    s    = {.c = c, .o = o, .feature = feature, .size = size};
    ss_vec3 t    = ss_sub(*x, c->f->p), at, N;
    double  F[2] = {0, 0};
    set_tangents(&s, planar, *outward);
    residual(&s, t, F, &at, &N);
    for (int i = 0; i < MAX_STEPS && missed(&s, F) > SS_NEWTON_ROUNDING * size; i++) {
        if (!descend(&s, &t, F, &at, &N)) {
            break;
        }
    }
    if (!(missed(&s, F) <= SS_NEWTON_LOOSE * SS_NEWTON_ROUNDING * size)) {
        return false;
    }
    *x       = at;
    *outward = N;
    return true;
}
