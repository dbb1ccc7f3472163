/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trinkle 2003, section 2: forces and accelerations at an instant, against closed forms.
 *
 * The sphere of section 4 slides with c_n = m g, |c_f| = mu m g, a = -mu g, 5/2 mu g of angular
 * acceleration, and rolls without friction. A bead of 1 kg on a plane that turns at w about the
 * origin, r from it and moving outwards at s, is pushed by m (g + 2 w s): the mixed term of the
 * gap's second derivative counts twice. Painleve's rod at the angle t, with
 *
 *   N = 1 + 3 cos t (cos t - mu sin t),   b = w^2 sin t - g:
 *
 * one solution for N > 0 (force -b/N if b < 0), none for N < 0 and b < 0, two for N < 0 and b > 0:
 * it leaves, or is pressed with -b/N. Impulses of steps over h tend to these forces with order 1.
 */
#include <math.h>
#include <stdio.h>

#include "verify/instant.h"

static ss_status sphere(ss_verify *v)
{
    static const char *const rolls[] = {"params.v0=10/7",
                                        "bodies.ball.angular_velocity=[0, 10/7, 0]", NULL};
    const double             g = 9.81, mu = 0.2;
    ss_verify_instant        i;
    SS_TRY(ss_verify_judge(v, "sphere-slide-roll", NULL, &i));
    ss_instant_force f = ss_verify_force(&i, 0, 0);
    ss_body_motion   a = ss_verify_acceleration(&i, 0, "ball");
    ss_verify_near(v, 1, i.verdict.solutions, 0, "sphere, sliding: solutions");
    ss_verify_near(v, g, f.force[0], 1e-12, "sphere, sliding: normal force");
    ss_verify_near(v, mu * g, hypot(f.force[1], f.force[2]), 1e-12, "sphere, sliding: friction");
    ss_verify_near(v, -mu * g, a.velocity.x, 1e-12, "sphere, sliding: acceleration");
    ss_verify_near(v, 2.5 * mu * g, a.angular_velocity.y, 1e-12,
                   "sphere, sliding: angular acceleration");
    ss_verify_judged(&i);
    SS_TRY(ss_verify_judge(v, "sphere-slide-roll", rolls, &i));
    f = ss_verify_force(&i, 0, 0);
    ss_verify_near(v, 1, i.verdict.sticking, 0, "sphere, rolling: contacts that do not slip");
    ss_verify_near(v, 0, hypot(f.force[1], f.force[2]), 1e-12, "sphere, rolling: friction");
    ss_verify_near(v, g, f.force[0], 1e-12, "sphere, rolling: normal force");
    ss_verify_judged(&i);
    return SS_OK;
}

static ss_status bead(ss_verify *v)
{
    ss_verify_instant i;
    SS_TRY(ss_verify_judge(v, "turning-plane", NULL, &i));
    ss_instant_force f = ss_verify_force(&i, 0, 0);
    ss_body_motion   a = ss_verify_acceleration(&i, 0, "bead");
    ss_verify_near(v, 9.81 + 2 * 1.5 * 0.7, f.force[0], 1e-8,
                   "bead on a turning plane: m (g + 2 w s)");
    ss_verify_near(v, 2 * 1.5 * 0.7, a.velocity.y, 1e-8, "bead on a turning plane: 2 w s");
    ss_verify_judged(&i);
    return SS_OK;
}

static ss_status rod(ss_verify *v, double mu, double spin, int solutions)
{
    char text[2][48];
    snprintf(text[0], sizeof text[0], "params.mu=%.17g", mu);
    snprintf(text[1], sizeof text[1], "params.spin=%.17g", spin);
    const char *const overrides[] = {text[0], text[1], NULL};
    const double      c = 0.5, s = 0.86602540378443864676;
    double            N = 1 + 3 * c * (c - mu * s), b = spin * spin * s - 9.81;
    ss_verify_instant i;
    SS_TRY(ss_verify_judge(v, "painleve-plane", overrides, &i));
    ss_verify_near(v, solutions, i.verdict.solutions, 0, "rod, mu = %g, spin %g: solutions", mu,
                   spin);
    ss_verify_near(v, N / (1 + 3 * c * c), i.verdict.painleve, 1e-12,
                   "rod, mu = %g, spin %g: N over that without friction", mu, spin);
    ss_verify_near(v, solutions > 0 ? SS_YES : SS_NO, i.verdict.exists, 0,
                   "rod, mu = %g, spin %g: verdict of existence", mu, spin);
    ss_verify_near(v, solutions == 1 ? SS_YES : SS_NO, i.verdict.unique, 0,
                   "rod, mu = %g, spin %g: verdict of uniqueness", mu, spin);
    bool pressed = false, leaves = false;
    for (int32_t k = 0; k < i.verdict.solutions; k++) {
        ss_instant_force f = ss_verify_force(&i, k, 0);
        pressed            = pressed || fabs(f.force[0] + b / N) <= 1e-9 * fabs(b / N);
        leaves             = leaves || f.mode == SS_INSTANT_LEAVES;
    }
    ss_verify_near(v, solutions > 0 && -b / N > 0, pressed, 0, "rod, mu = %g, spin %g: force -b/N",
                   mu, spin);
    ss_verify_near(v, solutions > 0 && b > 0, leaves, 0, "rod, mu = %g, spin %g: it leaves", mu,
                   spin);
    ss_verify_judged(&i);
    return SS_OK;
}

/* p/h of a step against the force at its start, on the way. */
static ss_status impulse_error(ss_verify *v, double h, double *error)
{
    static const char *const overrides[] = {"params.mu=0.5", "params.spin=1",
                                            "simulation.model.integrator=euler", NULL};
    ss_verify_instant        i;
    ss_contact_info          c = {.gap = 0};
    SS_TRY(ss_verify_judge(v, "painleve-plane", overrides, &i));
    ss_status status = ss_verify_steps(v, &i.world, h, llround(0.1 / h));
    ss_instant_set_resolution(i.instant, 2 * h);
    if (status == SS_OK) {
        status = ss_instant_judge(i.instant, i.world.model, i.world.data, &i.verdict);
    }
    double force = ss_verify_force(&i, 0, 0).force[0];
    if (status == SS_OK) {
        status = ss_verify_steps(v, &i.world, h, 1);
    }
    ss_data_contact(i.world.model, i.world.data, 0, &c);
    *error = fabs(c.impulse[0] / h - force);
    ss_verify_judged(&i);
    return status;
}

static ss_status order(ss_verify *v)
{
    double coarse, fine;
    SS_TRY(impulse_error(v, 2e-3, &coarse));
    SS_TRY(impulse_error(v, 1e-3, &fine));
    ss_verify_near(v, 1, log2(coarse / fine), 0.05, "rod, mu = 0.5: order of impulse over step");
    return SS_OK;
}

static ss_status run(ss_verify *v)
{
    SS_TRY(sphere(v));
    SS_TRY(bead(v));
    SS_TRY(rod(v, 0.5, 0, 1));
    SS_TRY(rod(v, 0.5, 4, 1));
    SS_TRY(rod(v, 1.34, 0, 1));
    SS_TRY(rod(v, 1.5, 0, 0));
    SS_TRY(rod(v, 1.5, 4, 2));
    return order(v);
}

const ss_verify_case ss_verify_instantaneous = {
    .name    = "instantaneous",
    .source  = "Trinkle 2003, section 2; closed forms",
    .summary = "forces at an instant: sliding and rolling, a turning plane, the rod's regimes",
    .run     = run};
