/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 2.7.1: two rods hanging from a fixed point, released horizontally. 6 velocities and 4
 * joint rows; against Lagrange's equations, integrated apart.
 */
#include <math.h>

#include "verify/planar.h"

static const double quarter = 1.57079632679489661923;

static ss_status error_at(ss_verify *v, double h, const char *axis, const double *exact,
                          double *error)
{
    const char     *overrides[] = {axis, NULL};
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, "pendulum", overrides, &w));
    ss_status status = ss_verify_steps(v, &w, h, (int64_t)llround(1 / h));
    /* In the scene the rods lie along x at the angle pi/2. */
    double a = ss_verify_body(&w, "A").angle - exact[1];
    double b = ss_verify_body(&w, "B").angle - exact[2];
    *error   = fmax(fabs(a), fabs(b));
    ss_verify_close(&w);
    return status;
}

static ss_status run(ss_verify *v)
{
    static const char *const polygon[] = {"simulation.model.cone={polygon: 4}", NULL};
    static const char *const axes[]    = {"simulation.model.joints=stabilised",
                                          "simulation.model.joints=projected"};
    SS_TRY(ss_planar_size(v, "pendulum", polygon, 0.001, 10));
    ss_lagrange p    = {.mass = 1, .length = 1, .gravity = 9.81};
    double      y[6] = {0, quarter, quarter, 0, 0, 0}, error[2];
    ss_lagrange_run(&p, y, 1, 20000);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 2; i++) {
            SS_TRY(error_at(v, i == 0 ? 2e-3 : 1e-3, axes[k], y, &error[i]));
        }
        ss_verify_near(v, 0, error[1], 0.02, "angles against Lagrange at 1 s, h = 0.001, %s",
                       axes[k] + 17);
        ss_verify_near(v, 1, log2(error[0] / error[1]), 0.1, "order of the angles, %s",
                       axes[k] + 17);
    }
    static const char midpoint[] = "simulation.model.integrator=midpoint";
    for (int i = 0; i < 2; i++) {
        SS_TRY(error_at(v, i == 0 ? 2e-3 : 1e-3, midpoint, y, &error[i]));
    }
    ss_verify_near(v, 0, error[1], 1e-4, "angles against Lagrange at 1 s, h = 0.001, midpoint");
    ss_verify_near(v, 2, log2(error[0] / error[1]), 0.1, "order of the angles, midpoint");
    return SS_OK;
}

const ss_verify_case ss_verify_pendulum = {
    .name    = "pendulum",
    .source  = "Berard 2009, 2.7.1",
    .summary = "planar double pendulum: problem size, and order 1 against Lagrange's equations",
    .run     = run};
