/* SPDX-License-Identifier: Apache-2.0 */
/* Linearly implicit damping: v = v0 / (1 + h c / m)^n, whatever the damping (thesis 3.1). */
#include <math.h>

#include "verify/verify.h"

static ss_status decay(ss_verify *v, const char *integrator, double *worst, double *last)
{
    const char     *overrides[] = {integrator, NULL};
    double          expected    = 3;
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, "stiff", overrides, &w));
    ss_status status = SS_OK;
    *worst           = 0;
    for (int i = 0; status == SS_OK && i < 20; i++) {
        status = ss_verify_steps(v, &w, 0.01, 1);
        expected /= 1 + 0.01 * 1000;
        *last  = ss_verify_body(&w, "p").velocity.y;
        *worst = fmax(*worst, fabs(*last - expected));
    }
    ss_verify_close(&w);
    return status;
}

static ss_status run(ss_verify *v)
{
    double worst, last;
    SS_TRY(decay(v, "simulation.model.integrator=euler", &worst, &last));
    ss_verify_near(v, 0, worst, 1e-12, "velocity against v0 / (1 + h c / m)^n, 20 steps (m/s)");
    SS_TRY(decay(v, "simulation.model.integrator=midpoint", &worst, &last));
    ss_verify_near(v, 0, last, 1e-6, "velocity after 20 steps, midpoint (m/s)");
    return SS_OK;
}

const ss_verify_case ss_verify_stiff = {
    .name    = "stiff",
    .source  = "Berard 2009, 3.1",
    .summary = "a damper with h c / m = 10: linearly implicit, it decays",
    .run     = run};
