/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 2.7.3: the floor is rough. 9 velocities, 4 joint rows, and per contact a normal, two
 * friction directions and a slip speed. With mu = 0.1 the block slips and sticks; with mu = 1 it
 * sticks, and the pendulum is that of a fixed point.
 */
#include <math.h>

#include "verify/planar.h"

static const double quarter = 1.57079632679489661923;

static ss_status sticking(ss_verify *v)
{
    static const char *const rough[] = {"params.mu=1", NULL};
    ss_lagrange              p       = {.mass = 0.5, .length = 1, .gravity = 9.81};
    double                   y[6]    = {0, quarter, quarter, 0, 0, 0};
    ss_verify_world          w;
    ss_lagrange_run(&p, y, 0.8, 16000);
    SS_TRY(ss_verify_open(v, "pendulum-block-friction", rough, &w));
    ss_status status = ss_verify_steps(v, &w, 5e-4, 1600);
    if (status == SS_OK) {
        ss_verify_near(v, 0, ss_verify_body(&w, "block").position.x, 1e-12,
                       "the block with mu = 1 at 0.8 s");
        ss_verify_near(v, y[1], ss_verify_body(&w, "A").angle, 5e-3,
                       "angle A against Lagrange, h = 0.0005");
        ss_verify_near(v, y[2], ss_verify_body(&w, "B").angle, 5e-3,
                       "angle B against Lagrange, h = 0.0005");
    }
    ss_verify_close(&w);
    return status;
}

static ss_status run(ss_verify *v)
{
    static const char *const polygon[] = {"simulation.model.cone={polygon: 4}", NULL};
    SS_TRY(ss_planar_size(v, "pendulum-block-friction", polygon, 4e-3, 21));
    SS_TRY(sticking(v));
    return ss_planar_order(v, "pendulum-block-friction", NULL, 0.8, 4e-3);
}

const ss_verify_case ss_verify_pendulum_block_friction = {
    .name    = "pendulum-block-friction",
    .source  = "Berard 2009, 2.7.3",
    .summary = "pendulum on a block with friction: problem size, sticking and slipping, order 1",
    .run     = run};
