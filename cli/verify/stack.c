/* SPDX-License-Identifier: Apache-2.0 */
/* Ten cubes stacked stay at rest for 5 s: no drift, no speed, no overlap. */
#include <math.h>
#include <stdio.h>

#include "verify/verify.h"

static ss_status watch(ss_verify *v, ss_verify_world *w)
{
    const double h     = 0.01;
    double       drift = 0, speed = 0, overlap = 0;
    for (int i = 0; i < 500; i++) {
        SS_TRY(ss_step(w->model, w->data, h));
        overlap = fmax(overlap, ss_data_report(w->data)->penetration);
    }
    for (int k = 1; k <= 10; k++) {
        char name[16];
        snprintf(name, sizeof name, "cube%d", k);
        ss_body_state s = ss_verify_body(w, name);
        drift           = fmax(drift, hypot(s.position.x, s.position.y));
        speed           = fmax(speed, ss_norm(s.velocity) + ss_norm(s.angular_velocity));
    }
    ss_verify_near(v, 0, drift, 1e-10, "largest horizontal drift in 5 s (m)");
    ss_verify_near(v, 0, speed, 1e-10, "largest speed after 5 s (m/s, rad/s)");
    ss_verify_near(v, 0, overlap, 1e-10, "deepest overlap in 5 s (m)");
    return SS_OK;
}

static ss_status run(ss_verify *v)
{
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, "stack", NULL, &w));
    ss_status status = watch(v, &w);
    ss_verify_close(&w);
    return status;
}

const ss_verify_case ss_verify_stack = {"stack", "statics", "ten cubes stacked stay at rest", false,
                                        run};
