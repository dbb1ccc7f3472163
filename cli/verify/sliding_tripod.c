/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 3.3: a plate that slides and spins on three points (docs/theory/support.md).
 *
 *   - normal forces (3.24), against the areas of the triangles that the centre of mass makes;
 *   - the motion against the smooth equations of sliding (tripod.h), with its order in h;
 *   - the same body in space, touching a plane at three points;
 *   - a spin about the centre of mass whose points are all R away from it stays one, and stops
 *     after I w / (mu m g R), having turned by I w^2 / (2 mu m g R).
 */
#include <math.h>
#include <stdio.h>

#include "verify/tripod.h"
#include "verify/verify.h"

static const ss_tripod plate      = {.mass    = 0.4,
                                     .inertia = 5e-4,
                                     .mu      = 0.3,
                                     .gravity = 9.81,
                                     .corner  = {{0.05, -0.02}, {0.01, 0.04}, {-0.04, -0.03}}};
static const double    start_v[3] = {0.6, 0.2, 8};

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
    ss_tripod_weights(&plate, N);
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
    for (int k = 0; k < 6; k++) {
        y[k] = k < 3 ? 0 : start_v[k - 3];
    }
    ss_tripod_run(&plate, duration, 20000, y);
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
    const double        torque = plate.mu * plate.mass * plate.gravity * R;
    const double        stop   = plate.inertia * w0 / torque;
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
        off = fmax(off, fabs(b.angular_velocity.z - fmax(w0 - torque / plate.inertia * i * h, 0)));
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
