/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 3.3: a plate that slides and spins on three points (docs/theory/support.md).
 *
 *   - normal forces (3.24), against the areas of the triangles that the centre of mass makes;
 *   - the motion against the smooth equations of sliding,
 *
 *       m x'' = -sum mu N_i u_i/|u_i|,   I w' = -sum mu N_i (r_i x u_i/|u_i|),
 *
 *     integrated by the classical Runge-Kutta method apart from the library, with its order in h;
 *   - the same body in space, touching a plane at three points;
 *   - a spin about the centre of mass whose points are all R away from it stays one, and stops
 *     after I w / (mu m g R), having turned by I w^2 / (2 mu m g R).
 */
#include <math.h>
#include <stdio.h>

#include "verify/verify.h"

static const double mass = 0.4, inertia = 5e-4, mu = 0.3, gravity = 9.81;
static const double start_v[3]   = {0.6, 0.2, 8};
static const double corner[3][2] = {{0.05, -0.02}, {0.01, 0.04}, {-0.04, -0.03}};

/* ---- what the library must come to, written without it ---- */

static double twice_area(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* The share of each point in the weight at the origin. */
static void normal_forces(double N[3])
{
    static const double origin[2] = {0, 0};
    double              whole     = twice_area(corner[0], corner[1], corner[2]);
    for (int i = 0; i < 3; i++) {
        N[i] =
            mass * gravity * twice_area(origin, corner[(i + 1) % 3], corner[(i + 2) % 3]) / whole;
    }
}

/* y = x, y, angle and their rates. */
static void sliding(const double N[3], const double y[6], double dy[6])
{
    double c = cos(y[2]), s = sin(y[2]), f[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        double rx = c * corner[i][0] - s * corner[i][1], ry = s * corner[i][0] + c * corner[i][1];
        double ux = y[3] - y[5] * ry, uy = y[4] + y[5] * rx, pull = mu * N[i] / hypot(ux, uy);
        f[0] -= pull * ux;
        f[1] -= pull * uy;
        f[2] -= pull * (rx * uy - ry * ux);
    }
    for (int k = 0; k < 3; k++) {
        dy[k]     = y[3 + k];
        dy[3 + k] = f[k] / (k < 2 ? mass : inertia);
    }
}

static void runge_kutta(double duration, int steps, double y[6])
{
    static const double at[4] = {0, 0.5, 0.5, 1}, share[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    const double        h = duration / steps;
    double              N[3];
    normal_forces(N);
    for (int k = 0; k < 6; k++) {
        y[k] = k < 3 ? 0 : start_v[k - 3];
    }
    for (int i = 0; i < steps; i++) {
        double sum[6] = {0}, slope[6] = {0}, x[6];
        for (int stage = 0; stage < 4; stage++) {
            for (int k = 0; k < 6; k++) {
                x[k] = y[k] + at[stage] * h * slope[k];
            }
            sliding(N, x, slope);
            for (int k = 0; k < 6; k++) {
                sum[k] += share[stage] * slope[k];
            }
        }
        for (int k = 0; k < 6; k++) {
            y[k] += h * sum[k];
        }
    }
}

/* ---- the library beside it ---- */

/* How far a plate is from y: positions, and the angle times 5 cm. */
static double distance(ss_body_state b, double angle, const double *y)
{
    return fmax(hypot(b.position.x - y[0], b.position.y - y[1]), 0.05 * fabs(angle - y[2]));
}

static double turn_about_z(ss_quat q)
{
    return 2 * atan2(q.z, q.w);
}

static ss_status forces(ss_verify *v)
{
    ss_verify_world w, space;
    double          N[3] = {0};
    normal_forces(N);
    SS_TRY(ss_verify_open(v, "sliding-tripod", NULL, &w));
    for (int i = 0; i < 3; i++) {
        ss_support_info s;
        ss_data_support(w.model, w.data, i, &s);
        ss_verify_near(v, N[i], s.normal_force, 1e-14, "newtons at point %d, (3.24)", i + 1);
    }
    ss_verify_close(&w);
    SS_TRY(ss_verify_open(v, "sliding-tripod-3d", NULL, &space));
    ss_status status = ss_verify_steps(v, &space, 1e-3, 20);
    for (int32_t i = 0; status == SS_OK && i < ss_data_contact_count(space.data); i++) {
        ss_contact_info c;
        ss_data_contact(space.model, space.data, i, &c);
        ss_verify_near(v, N[i], c.impulse[0] / 1e-3, 1e-9,
                       "newtons at point %d of the body in space", i + 1);
    }
    ss_verify_close(&space);
    return status;
}

/* Distance from the smooth equations at `duration`, and where the plate is. */
static ss_status error_at(ss_verify *v, const char *scene, const char *const *overrides,
                          double duration, double h, const double *y, double *error)
{
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, scene, overrides, &w));
    ss_status     status = ss_verify_steps(v, &w, h, llround(duration / h));
    ss_body_state b      = ss_verify_body(&w, "plate");
    bool          space  = ss_model_dimension(w.model) == 3;
    *error               = distance(b, space ? turn_about_z(b.quat_wxyz) : b.angle, y);
    ss_verify_close(&w);
    return status;
}

static ss_status motion(ss_verify *v, double *y)
{
    static const char *const scenes[]  = {"sliding-tripod", "sliding-tripod-3d"};
    static const char *const polygon[] = {"simulation.model.cone={polygon: 64}", NULL};
    const double             duration  = 0.15;
    runge_kutta(duration, 20000, y);
    for (int k = 0; k < 2; k++) {
        double error[3];
        for (int i = 0; i < 3; i++) {
            SS_TRY(error_at(v, scenes[k], NULL, duration, 1e-3 / (1 << i), y, &error[i]));
        }
        ss_verify_near(v, 0, error[2], 1e-4, "metres from Runge-Kutta, h = 0.25 ms, %s", scenes[k]);
        ss_verify_near(v, 1, log2(error[1] / error[2]), 0.05, "order in h, %s", scenes[k]);
    }
    double error;
    SS_TRY(error_at(v, scenes[0], polygon, duration, 2.5e-4, y, &error));
    ss_verify_near(v, 0, error, 2e-4, "metres from Runge-Kutta, h = 0.25 ms, 64 directions");
    return SS_OK;
}

/* The plane model and the body in space, step by step until both rest. */
static ss_status beside_space(ss_verify *v)
{
    ss_verify_world flat, space;
    double          apart = 0, h = 1e-3;
    int             slides = 0, spins = 0;
    SS_TRY(ss_verify_open(v, "sliding-tripod", NULL, &flat));
    ss_status status = ss_verify_open(v, "sliding-tripod-3d", NULL, &space);
    for (int i = 1; status == SS_OK && i <= 300; i++) {
        status = ss_step(flat.model, flat.data, h);
        status = status == SS_OK ? ss_step(space.model, space.data, h) : status;

        ss_body_state a = ss_verify_body(&flat, "plate"), b = ss_verify_body(&space, "plate");
        double        y[3] = {a.position.x, a.position.y, a.angle};
        apart              = fmax(apart, distance(b, turn_about_z(b.quat_wxyz), y));
        slides += hypot(a.velocity.x, a.velocity.y) > 1e-9;
        spins += fabs(a.angular_velocity.z) > 1e-9;
    }
    if (status == SS_OK) {
        ss_verify_near(v, 0, apart, 1e-9, "metres between plane and space, at worst in 0.3 s");
        ss_verify_near(v, 0, slides - spins, 0, "steps between the ends of sliding and spinning");
    }
    ss_verify_close(&space);
    ss_verify_close(&flat);
    return status;
}

/* The plate spins about its centre of mass on points at these angles, all R from it. */
static ss_status spin_down(ss_verify *v)
{
    static const double angle[3] = {0.2, 2.1, 4.4};
    const double        R = 0.045, h = 1e-4, w0 = start_v[2];
    const double        torque = mu * mass * gravity * R, stop = inertia * w0 / torque;
    char                points[256];
    snprintf(points, sizeof points,
             "bodies.plate.support.points=[[%.17g, %.17g], [%.17g, %.17g], [%.17g, %.17g]]",
             R * cos(angle[0]), R * sin(angle[0]), R * cos(angle[1]), R * sin(angle[1]),
             R * cos(angle[2]), R * sin(angle[2]));
    const char *const overrides[] = {points, "params.vx=0", "params.vy=0", NULL};
    ss_verify_world   w;
    SS_TRY(ss_verify_open(v, "sliding-tripod", overrides, &w));
    double    off = 0, moved = 0, rest = NAN;
    ss_status status = SS_OK;
    for (int i = 1; status == SS_OK && i * h < 1.2 * stop; i++) {
        status          = ss_step(w.model, w.data, h);
        ss_body_state b = ss_verify_body(&w, "plate");
        off   = fmax(off, fabs(b.angular_velocity.z - fmax(w0 - torque / inertia * i * h, 0)));
        moved = fmax(moved, ss_norm(b.position));
        rest  = isnan(rest) && fabs(b.angular_velocity.z) < 1e-9 ? i * h : rest;
    }
    ss_verify_near(v, stop, rest, h, "seconds until a spin rests, I w/(mu m g R)");
    ss_verify_near(v, 0, off, 1e-9, "rad/s from w - mu m g R t/I, at worst");
    ss_verify_near(v, 0, moved, 1e-12, "metres that the centre of a spin moves");
    ss_verify_near(v, w0 * stop / 2, ss_verify_body(&w, "plate").angle, w0 * h,
                   "radians that it turns, I w^2/(2 mu m g R)");
    ss_verify_close(&w);
    return status;
}

static ss_status run(ss_verify *v)
{
    double y[6];
    SS_TRY(forces(v));
    SS_TRY(motion(v, y));
    SS_TRY(beside_space(v));
    return spin_down(v);
}

const ss_verify_case ss_verify_sliding_tripod = {
    .name    = "sliding-tripod",
    .source  = "Berard 2009, 3.3, (3.24); closed forms",
    .summary = "a plate slides and spins on three points, in the plane and in space",
    .run     = run};
