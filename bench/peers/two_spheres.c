/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sphere on two fixed spheres in the limit h -> 0, by a path of its own: the centre moves on
 * the circle of radius R about the axis through the fixed centres, so the state is an angle, the
 * speed s along the circle and the spin w. With unit mass, unit radius, I = 2/5, contact normals
 * n_i from the fixed spheres, tangent e and friction f_i in the tangent planes:
 *
 *   s' = e.F + sum e.f_i,   I w' = -sum n_i x f_i,
 *   n_i.(F + sum_j N_j n_j + sum_j f_j) = -s^2 n_i.c / R     (c: unit vector from the axis)
 *
 * and Coulomb's law with slip u_i = s e - w x n_i. One implicit step solves it by sweeps over the
 * two contacts; two step sizes and Richardson's extrapolation remove the first-order error.
 *
 * Phase by phase, with the events located and Runge-Kutta between them, the ball rolls on both
 * until t = 1.895884 at the earliest and 1.904068 at the latest (in between rolling and slipping at
 * the first contact both solve Coulomb's law; v at 3 s differs by 2e-5), then slips on the first,
 * and from t = 2.78148 on both: v(2) = (1.93976, 0, -0.35951), v(3) = (4.17430, 0, -2.54738). These
 * steps agree with that to 2e-5.
 */
#include <math.h>
#include <stdlib.h>

#include "peer.h"
#include "vectors.h"

static const double MU = 0.2, INERTIA = 0.4, FIRST_STEP = 1e-4;
static const double LOAD[3] = {1, 2.6, -9.81};

typedef struct state {
    double angle, s, w[3];
} state;

typedef struct circle {
    double R, height[2], reach[2]; /* n_i = (reach_i c, height_i along y) */
} circle;

typedef struct frame {
    double e[3], c[3], n[2][3];
} frame;

static circle make_circle(void)
{
    double d = 11.4, y = (d * d + 121 - 100) / (2 * d), R = sqrt(121 - y * y);
    circle k = {R, {y / 11, (y - d) / 10}, {R / 11, R / 10}};
    return k;
}

static frame make_frame(const circle *k, double angle)
{
    frame f = {{cos(angle), 0, -sin(angle)}, {sin(angle), 0, cos(angle)}, {{0}}};
    for (int i = 0; i < 2; i++) {
        f.n[i][0] = k->reach[i] * f.c[0];
        f.n[i][1] = k->height[i];
        f.n[i][2] = k->reach[i] * f.c[2];
    }
    return f;
}

/* Slip velocity at contact i. */
static void slip(const frame *f, const state *x, int i, double *u)
{
    double turn[3];
    cross(x->w, f->n[i], turn);
    for (int k = 0; k < 3; k++) {
        u[k] = x->s * f->e[k] - turn[k];
    }
}

/* Normal forces for given friction: two equations in two unknowns. */
static void normal_forces(const circle *k, const frame *f, double s, double friction[2][3],
                          double *N)
{
    double rhs[2], g = dot(f->n[0], f->n[1]);
    for (int i = 0; i < 2; i++) {
        rhs[i] = -s * s / k->R * dot(f->n[i], f->c) - dot(f->n[i], LOAD) -
                 dot(f->n[i], friction[0]) - dot(f->n[i], friction[1]);
    }
    N[0] = (rhs[0] - g * rhs[1]) / (1 - g * g);
    N[1] = (rhs[1] - g * rhs[0]) / (1 - g * g);
}

static void apply(const frame *f, int i, const double *change, double h, state *x)
{
    double torque[3];
    cross(f->n[i], change, torque);
    x->s += h * dot(f->e, change);
    for (int k = 0; k < 3; k++) {
        x->w[k] -= h * torque[k] / INERTIA;
    }
}

/* Step along the slip, projected on the disc of radius MU N: the fixed point is Coulomb's law. */
static double relax(const frame *f, int i, double bound, double h, double *friction, state *x)
{
    double u[3], next[3], change[3], size = 0, moved = 0, rate = 1 / (h * (1 + 1 / INERTIA));
    slip(f, x, i, u);
    for (int k = 0; k < 3; k++) {
        next[k] = friction[k] - rate * u[k];
        size += next[k] * next[k];
    }
    size         = sqrt(size);
    double scale = size > bound ? bound / size : 1;
    for (int k = 0; k < 3; k++) {
        change[k]   = scale * next[k] - friction[k];
        friction[k] = scale * next[k];
        moved += fabs(change[k]);
    }
    apply(f, i, change, h, x);
    return moved;
}

static void advance(const circle *k, double h, state *x, double friction[2][3])
{
    frame f = make_frame(k, x->angle + h * x->s / k->R);
    x->s += h * dot(f.e, LOAD);
    for (int i = 0; i < 2; i++) {
        /* Last step's friction, carried into the new tangent plane, is the first guess. */
        double off = dot(friction[i], f.n[i]);
        for (int c = 0; c < 3; c++) {
            friction[i][c] -= off * f.n[i][c];
        }
        apply(&f, i, friction[i], h, x);
    }
    for (int sweep = 0; sweep < 500; sweep++) {
        double N[2], moved = 0;
        normal_forces(k, &f, x->s, friction, N);
        for (int i = 0; i < 2; i++) {
            moved += relax(&f, i, MU * fmax(N[i], 0), h, friction[i], x);
        }
        if (moved < 1e-12) {
            break;
        }
    }
    x->angle += h * x->s / k->R;
}

static void trajectory(double dt, int count, int parts, double (*velocity)[3])
{
    circle k              = make_circle();
    state  x              = {0};
    double friction[2][3] = {{0}};
    for (int i = 0; i < count; i++) {
        frame f = make_frame(&k, x.angle);
        for (int c = 0; c < 3; c++) {
            velocity[i][c] = x.s * f.e[c];
        }
        for (int part = 0; part < parts; part++) {
            advance(&k, dt / parts, &x, friction);
        }
    }
}

bool peer_two_spheres_reference(double dt, int count, double (*velocity)[3])
{
    int parts          = (int)ceil(dt / FIRST_STEP);
    double(*coarse)[3] = malloc((size_t)count * sizeof *coarse);
    if (coarse == NULL) {
        return false;
    }
    trajectory(dt, count, parts, coarse);
    trajectory(dt, count, 2 * parts, velocity);
    for (int i = 0; i < count; i++) {
        for (int c = 0; c < 3; c++) {
            velocity[i][c] = 2 * velocity[i][c] - coarse[i][c];
        }
    }
    free(coarse);
    return true;
}
