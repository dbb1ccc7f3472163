/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Five balls, restitution 1. Newton's law solves simultaneous impacts at once: u+ = -u- at the
 * contact that is hit and 0 at the others makes the first ball bounce with 3/5 and the others leave
 * with 2/5. With gaps between the balls the impacts come one by one and the last ball takes
 * everything.
 */
#include <math.h>
#include <stdio.h>

#include "verify/verify.h"

static ss_status collide(ss_verify *v, const char *gap, double first, double last)
{
    const char     *overrides[] = {gap, NULL};
    ss_verify_world w;
    double          momentum = 0, energy = 0;
    SS_TRY(ss_verify_open(v, "newtons-cradle", overrides, &w));
    ss_status status = ss_verify_steps(v, &w, 1e-3, 1000);
    for (int i = 1; status == SS_OK && i <= 5; i++) {
        char name[8];
        snprintf(name, sizeof name, "b%d", i);
        double u = ss_verify_body(&w, name).velocity.x;
        momentum += u;
        energy += 0.5 * u * u;
    }
    if (status == SS_OK) {
        ss_verify_near(v, 1, momentum, 1e-12, "momentum, %s", gap);
        ss_verify_near(v, 0.5, energy, 1e-12, "energy, %s", gap);
        ss_verify_near(v, first, ss_verify_body(&w, "b1").velocity.x, 1e-12, "first ball, %s", gap);
        ss_verify_near(v, last, ss_verify_body(&w, "b5").velocity.x, 1e-12, "last ball, %s", gap);
    }
    ss_verify_close(&w);
    return status;
}

static ss_status run(ss_verify *v)
{
    SS_TRY(collide(v, "params.gap=0", -0.6, 0.4));
    return collide(v, "params.gap=0.01", 0, 1);
}

const ss_verify_case ss_verify_newtons_cradle = {
    .name    = "newtons-cradle",
    .source  = "closed formula",
    .summary = "five balls with restitution 1, touching and apart: momentum and energy kept",
    .run     = run};
