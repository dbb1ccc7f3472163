/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The papers' scenes with integrator: midpoint. Euler's steps, to which the papers' numbers belong,
 * have errors of order 1, so 2 x(h/2) - x(h) is their limit to order 2; midpoint must tend to the
 * same limit with order 1 at least.
 */
#include <math.h>
#include <stdio.h>

#include "verify/verify.h"

static const struct {
    const char *scene, *body;
    double      step, time;
} cases[] = {
    {"sphere-slide-roll", "ball", 0.02, 0.6},
    {"pendulum", "B", 0.01, 1},
    {"pendulum-block", "B", 0.002, 0.5},
    {"pendulum-block-friction", "B", 0.002, 0.5},
    {"pendulum-block-belt", "block", 0.002, 0.5},
    {"four-bar", "coupler", 0.002, 0.5},
    {"two-spheres", "ball", 0.01, 2},
    {"disc-roll", "disc", 0.01, 1},
    {"painleve-rod", "rod", 0.001, 0.1},
    {"planar-full", "block", 0.002, 0.5},
};

static ss_status end_of(ss_verify *v, int i, const char *integrator, double h, ss_vec3 *x)
{
    char model[64];
    snprintf(model, sizeof model, "simulation.model.integrator=%s", integrator);
    const char *const overrides[] = {model, "simulation.model.geometry=explicit", NULL};
    ss_verify_world   w;
    SS_TRY(ss_verify_open(v, cases[i].scene, overrides, &w));
    ss_status status = ss_verify_steps(v, &w, h, llround(cases[i].time / h));
    *x               = ss_verify_body(&w, cases[i].body).position;
    ss_verify_close(&w);
    return status;
}

static ss_status tends(ss_verify *v, int i)
{
    ss_vec3 euler[2], middle[3];
    double  h = cases[i].step;
    for (int k = 0; k < 2; k++) {
        SS_TRY(end_of(v, i, "euler", h / (k == 0 ? 2 : 4), &euler[k]));
    }
    for (int k = 0; k < 3; k++) {
        SS_TRY(end_of(v, i, "midpoint", h / (1 << k), &middle[k]));
    }
    ss_vec3 limit = ss_sub(ss_scale(2, euler[1]), euler[0]);
    double  off = ss_norm(ss_sub(euler[1], limit)), far = ss_norm(ss_sub(middle[2], limit));
    double  coarse = ss_norm(ss_sub(middle[1], middle[0])),
           fine    = ss_norm(ss_sub(middle[2], middle[1]));
    /* what the limit of Euler's steps is off by is of order 2; of midpoint's, no more than the last
     * change */
    ss_verify_near(v, 0, far, 0.05 * off + 2 * fine, "%s: distance of the limits (m)",
                   cases[i].scene);
    bool exact = coarse < 1e-10; /* at every step: rounding has no order */
    ss_verify_near(v, 1, exact ? 1 : fmin(1, log2(coarse / fine)), 0.1, "%s: order, if not more",
                   cases[i].scene);
    return SS_OK;
}

static ss_status run(ss_verify *v)
{
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        SS_TRY(tends(v, i));
    }
    return SS_OK;
}

const ss_verify_case ss_verify_midpoint_limit = {
    .name    = "midpoint-limit",
    .source  = "Berard 2009, Trinkle 2003; both integrators",
    .summary = "the papers' scenes by midpoint: the same limit, with order 1 at least",
    .run     = run};
