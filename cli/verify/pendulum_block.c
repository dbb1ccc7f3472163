/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 2.7.2: the pendulum hangs from a block that slides on a smooth floor. 9 velocities, 4
 * joint rows, 2 contacts without friction. As long as both corners touch, the block is a cart, and
 * Lagrange's equations of cart and pendulum say where it goes.
 */
#include <math.h>

#include "verify/planar.h"

static const double quarter = 1.57079632679489661923;

static ss_status error_at(ss_verify *v, double h, const double *exact, double *error)
{
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, "pendulum-block", NULL, &w));
    ss_status status = ss_verify_steps(v, &w, h, (int64_t)llround(0.8 / h));
    double    x      = ss_verify_body(&w, "block").position.x - exact[0];
    double    a      = ss_verify_body(&w, "A").angle - exact[1];
    double    b      = ss_verify_body(&w, "B").angle - exact[2];
    *error           = fmax(fabs(x), fmax(fabs(a), fabs(b)));
    ss_verify_close(&w);
    return status;
}

static ss_status run(ss_verify *v)
{
    static const char *const polygon[] = {"simulation.model.cone={polygon: 4}", NULL};
    SS_TRY(ss_planar_size(v, "pendulum-block", polygon, 0.001, 15));
    ss_lagrange p    = {.cart = 5, .mass = 0.5, .length = 1, .gravity = 9.81};
    double      y[6] = {0, quarter, quarter, 0, 0, 0}, error[2];
    ss_lagrange_run(&p, y, 0.8, 16000);
    for (int i = 0; i < 2; i++) {
        SS_TRY(error_at(v, i == 0 ? 2e-3 : 1e-3, y, &error[i]));
    }
    ss_verify_near(v, 0, error[1], 0.02, "block and angles against Lagrange at 0.8 s, h = 0.001");
    ss_verify_near(v, 1, log2(error[0] / error[1]), 0.1, "order of block and angles");
    return SS_OK;
}

const ss_verify_case ss_verify_pendulum_block = {
    .name   = "pendulum-block",
    .source = "Berard 2009, 2.7.2",
    .summary =
        "pendulum on a sliding block: problem size, and order 1 against Lagrange's equations",
    .run = run};
