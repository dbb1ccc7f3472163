/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dry friction in joints, whose bound is a torque or force of its own (Trinkle 2003, (18), (23)).
 *
 *   flywheel   I w' = -tau: w = w0 - tau t/I until w0 I/tau, then nothing
 *   slider     stays while |F| <= F0; m v' = F - F0 above
 *
 * Forces are constant, so that velocities at the ends of steps are exact for every step; in the
 * step in which the wheel stops, the bearing does what is needed and no more.
 */
#include <math.h>

#include "verify/verify.h"

static const double inertia = 0.04, spin = 20, torque = 0.3, mass = 2, hold = 5;

/* No step ends where the wheel stops: the stop is told by the last step before it. */
static ss_status wheel(ss_verify *v, ss_verify_world *w, double h, const char *what)
{
    const double stops = inertia * spin / torque;
    double       worst = 0, told = NAN, after = 0;
    int64_t      steps = (int64_t)ceil(1.1 * stops / h);
    for (int64_t i = 1; i <= steps; i++) {
        SS_TRY(ss_step(w->model, w->data, h));
        double t = (double)i * h, now = ss_verify_body(w, "wheel").angular_velocity.z;
        if (t < stops) {
            worst = fmax(worst, fabs(now - (spin - torque * t / inertia)));
            told  = t + inertia * now / torque;
        } else {
            after = fmax(after, fabs(now));
        }
    }
    ss_verify_near(v, 0, worst, 1e-12, "flywheel: error of w0 - tau t/I, %s", what);
    ss_verify_near(v, stops, told, 1e-12, "flywheel: stops at I w0/tau, %s", what);
    ss_verify_near(v, 0, after, 1e-14, "flywheel: angular velocity after that, %s", what);
    return SS_OK;
}

static ss_status slider(ss_verify *v, ss_verify_world *w, double push, double h, const char *what)
{
    double  a = push > hold ? (push - hold) / mass : 0, worst = 0;
    ss_vec3 start = ss_verify_body(w, "slider").position;
    for (int64_t i = 1; (double)i * h <= 1; i++) {
        SS_TRY(ss_step(w->model, w->data, h));
        worst = fmax(worst, fabs(ss_verify_body(w, "slider").velocity.x - a * (double)i * h));
    }
    if (push > hold) {
        ss_verify_near(v, 0, worst, 1e-12, "slider: error of (F - F0) t/m, %s", what);
    } else {
        double moved = ss_norm(ss_sub(ss_verify_body(w, "slider").position, start));
        ss_verify_near(v, 0, moved, 1e-14, "slider: metres moved below its friction, %s", what);
    }
    return SS_OK;
}

/* One model at one step. */
static ss_status under(ss_verify *v, const char *model, double h, const char *what)
{
    static const char *const pushes[] = {"params.push=4.9", "params.push=5.1"};
    for (int i = 0; i < 2; i++) {
        const char *const overrides[] = {pushes[i], model, NULL};
        ss_verify_world   w;
        SS_TRY(ss_verify_open(v, "joint-friction", overrides, &w));
        ss_status status = slider(v, &w, i == 0 ? 4.9 : 5.1, h, what);
        ss_verify_close(&w);
        SS_TRY(status);
    }
    const char *const overrides[] = {model, NULL};
    ss_verify_world   w;
    SS_TRY(ss_verify_open(v, "joint-friction", overrides, &w));
    ss_status status = wheel(v, &w, h, what);
    ss_verify_close(&w);
    return status;
}

static ss_status run(ss_verify *v)
{
    SS_TRY(under(v, "simulation.model.integrator=midpoint", 0.007, "midpoint, h = 0.007"));
    return under(v, "simulation.model.integrator=euler", 0.03, "euler, h = 0.03");
}

const ss_verify_case ss_verify_joint_friction = {
    "joint-friction", "Coulomb's law",
    "a flywheel stops at I w0/tau; a slider holds below its friction, slides above", false, run};
