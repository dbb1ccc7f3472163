/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steady precession of a heavy top: A p^2 cos a - C w3 p + m g l = 0 (Goldstein, 5.7), the smaller
 * root. At h = 0.001 the first-order scheme lets it fall within 5 s; the second-order one keeps the
 * tilt.
 */
#include <math.h>

#include "verify/verify.h"

static const double turn = 6.28318530717958647692;

static ss_status watch(ss_verify *v, ss_verify_world *w, double h, double *rate, double *tilt,
                       double *energy)
{
    ss_body_state s     = ss_verify_body(w, "top");
    ss_energy     e     = ss_data_energy(w->model, w->data);
    double        first = e.kinetic + e.potential, turned = 0, last = 0;
    double        start = acos(s.position.z / ss_norm(s.position));
    int           steps = (int)lround(5 / h);
    *tilt = *energy = 0;
    for (int i = 0; i < steps; i++) {
        SS_TRY(ss_verify_steps(v, w, h, 1));
        s          = ss_verify_body(w, "top");
        double now = atan2(s.position.y, s.position.x);
        turned += remainder(now - last, turn);
        last    = now;
        e       = ss_data_energy(w->model, w->data);
        *tilt   = fmax(*tilt, fabs(acos(s.position.z / ss_norm(s.position)) - start));
        *energy = fmax(*energy, (e.kinetic + e.potential) / first - 1);
    }
    *rate = turned / 5;
    return SS_OK;
}

static ss_status run(ss_verify *v)
{
    const double l = 0.2, A = 0.0025 + l * l, C = 0.005, g = 9.81;
    const double w3    = 81.81249533476027 * sin(1) + 57.66615956044377 * cos(1);
    const double root  = sqrt(C * C * w3 * w3 - 4 * A * cos(1) * g * l);
    const double exact = (C * w3 - root) / (2 * A * cos(1));
    double       rate[2], tilt[2], energy[2];
    for (int k = 0; k < 2; k++) {
        ss_verify_world w;
        SS_TRY(ss_verify_open(v, "gyroscope", NULL, &w));
        ss_status status = watch(v, &w, k == 0 ? 1e-3 : 5e-4, &rate[k], &tilt[k], &energy[k]);
        ss_verify_close(&w);
        SS_TRY(status);
    }
    ss_verify_near(v, exact, rate[0], 0.01, "precession over 5 s, h = 0.001 (rad/s)");
    ss_verify_near(v, 0, tilt[0], 0.01, "change of the tilt in 5 s, h = 0.001 (rad)");
    ss_verify_near(v, 0, energy[0], 1e-9, "energy gained, of what is there");
    ss_verify_near(v, 2, log2(tilt[0] / tilt[1]), 0.3, "order of the tilt");
    return SS_OK;
}

const ss_verify_case ss_verify_gyroscope = {
    .name    = "gyroscope",
    .source  = "Goldstein, 5.7",
    .summary = "a fast heavy top on a point: steady precession at its closed-form rate",
    .run     = run};
