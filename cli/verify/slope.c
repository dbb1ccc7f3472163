/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coulomb's law on a slope: a box 0.01 rad below its friction angle stays where it is; 0.01 rad
 * above it, it slides with v = g (sin a - mu cos a) t. In 2D and 3D, at two step sizes, with the
 * friction directions along the slope.
 */
#include <math.h>
#include <stdio.h>

#include "verify/verify.h"

static const double mu = 0.5, g = 9.81;

static ss_status hold(ss_verify *v, ss_verify_world *w, double h, const char *what)
{
    ss_body_state start = ss_verify_body(w, "box");
    SS_TRY(ss_verify_steps(v, w, h, llround(10 / h)));
    ss_body_state end = ss_verify_body(w, "box");
    ss_verify_near(v, 0, ss_norm(ss_sub(end.position, start.position)), 1e-12,
                   "metres moved in 10 s below the angle, %s, h = %g", what, h);
    return SS_OK;
}

static ss_status slide(ss_verify *v, ss_verify_world *w, double h, const char *what)
{
    double  angle = atan(mu) + 0.01, a = g * (sin(angle) - mu * cos(angle)), worst = 0;
    int64_t steps = llround(2 / h);
    for (int64_t i = 1; i <= steps; i++) {
        SS_TRY(ss_step(w->model, w->data, h));
        worst = fmax(worst, fabs(ss_verify_body(w, "box").velocity.x - a * (double)i * h));
    }
    ss_verify_near(v, 0, worst, 1e-10, "velocity error in 2 s above the angle, %s, h = %g", what,
                   h);
    return SS_OK;
}

static ss_status one(ss_verify *v, const char *scene, double h, bool below)
{
    const char *const overrides[] = {below ? "params.off=-0.01" : "params.off=0.01", NULL};
    const char       *what        = scene[5] == '-' ? "2D" : "3D";
    ss_verify_world   w;
    SS_TRY(ss_verify_open(v, scene, overrides, &w));
    ss_status status = below ? hold(v, &w, h, what) : slide(v, &w, h, what);
    ss_verify_close(&w);
    return status;
}

static ss_status run(ss_verify *v)
{
    static const char *const scenes[] = {"slope", "slope-2d"};
    static const double      steps[]  = {0.01, 0.001};
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < 2; k++) {
            SS_TRY(one(v, scenes[s], steps[k], true));
            SS_TRY(one(v, scenes[s], steps[k], false));
        }
    }
    return SS_OK;
}

const ss_verify_case ss_verify_slope = {"slope", "Coulomb's law",
                                        "a box on a slope holds below its friction angle and "
                                        "slides above it",
                                        false, run};
