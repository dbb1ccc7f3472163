/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two links released horizontally, in the plane and in space, with the default integrator. The
 * motion is chaotic: nearby starts part exponentially, so that after some seconds no two steps
 * agree. What must hold for all times is the energy: its largest error, of
 * E0 - Emin, what there is to exchange, with both links hanging at rest at
 * Emin = -(1/2 + 3/2) m g L. In the first second errors have not grown yet: positions there
 * converge with order 2 to those of a fine run.
 */
#include <math.h>

#include "verify/verify.h"

static const double least_energy = -2 * 9.81;

static double energy_now(const ss_verify_world *w)
{
    ss_energy e = ss_data_energy(w->model, w->data);
    return e.kinetic + e.potential;
}

/* Largest |E - E0| / (E0 - Emin) over 10 s. */
static ss_status energy_error(ss_verify *v, const char *scene, double h, double *error)
{
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, scene, NULL, &w));
    ss_status status = SS_OK;
    double    start = energy_now(&w), worst = 0;
    int       steps = (int)lround(10 / h);
    for (int i = 0; i < steps && status == SS_OK; i++) {
        status = ss_verify_steps(v, &w, h, 1);
        worst  = fmax(worst, fabs(energy_now(&w) - start));
    }
    *error = worst / (start - least_energy);
    ss_verify_close(&w);
    return status;
}

/* Centres of both links after the first second. */
static ss_status centres(ss_verify *v, const char *scene, double h, ss_vec3 out[2])
{
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, scene, NULL, &w));
    ss_status status = ss_verify_steps(v, &w, h, (int64_t)llround(1 / h));
    out[0]           = ss_verify_body(&w, "A").position;
    out[1]           = ss_verify_body(&w, "B").position;
    ss_verify_close(&w);
    return status;
}

static ss_status orders(ss_verify *v, const char *scene)
{
    static const double steps[3] = {4e-3, 2e-3, 1e-3};
    ss_vec3             fine[2], at[2];
    double              error[3];
    SS_TRY(centres(v, scene, 1.25e-4, fine));
    for (int k = 0; k < 3; k++) {
        SS_TRY(centres(v, scene, steps[k], at));
        error[k] = fmax(ss_norm(ss_sub(at[0], fine[0])), ss_norm(ss_sub(at[1], fine[1])));
    }
    for (int k = 0; k < 2; k++) {
        ss_verify_near(v, 2, log2(error[k] / error[k + 1]), 0.1,
                       "order of the positions at 1 s, h = %g and %g, %s", steps[k], steps[k + 1],
                       scene);
    }
    return SS_OK;
}

static ss_status run(ss_verify *v)
{
    static const char *const scenes[] = {"double-pendulum", "double-pendulum-3d"};
    for (int i = 0; i < 2; i++) {
        double error;
        SS_TRY(energy_error(v, scenes[i], 1e-3, &error));
        ss_verify_near(v, 0, error, 1e-4, "energy error in 10 s of E0 - Emin, h = 0.001, %s",
                       scenes[i]);
        SS_TRY(orders(v, scenes[i]));
    }
    return SS_OK;
}

const ss_verify_case ss_verify_double_pendulum = {
    .name   = "double-pendulum",
    .source = "conservation of energy",
    .summary =
        "two links from a horizontal start, chaotic: energy for 10 s, order 2 in the first second",
    .run = run};
