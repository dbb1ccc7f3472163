/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Painleve's rod: half-length 1, m = 1, I = 1/3, leaning back by 30 degrees, its lower end sliding
 * at 3 m/s. Above mu = 1.332 no finite force fits the sliding state: time stepping answers with an
 * impulse, an impact without a collision, after which the end sticks. Sticking at once leaves, with
 * r from the touching point to the centre of mass and the velocity v = (3, 0, -g h) that forces
 * give,
 *
 *   w = (r x v)_y / (I + r^2),   E = (I + r^2) w^2/2 + g z,   z = r_z + h w s at the end of the
 * step
 *
 * which is 11.150 J at h = 0.001. With mu = 0.5 nothing of the kind happens. Energy must never
 * grow.
 *
 * Before the step the state itself says so: without the tip's radius N(mu) = 1 + 3 cos t (cos t -
 * mu sin t) vanishes at (1 + 3 cos^2 t)/(3 sin t cos t), which is 1.34715 at 60 degrees and least,
 * 4/3, at tan t = 2. Below there is one solution, above none.
 */
#include <math.h>
#include <stdio.h>

#include "verify/instant.h"

static double energy(const ss_verify_world *w)
{
    ss_energy e = ss_data_energy(w->model, w->data);
    return e.kinetic + e.potential;
}

static ss_status slide(ss_verify *v, const char *mu, double h, double *first_force, double *speed,
                       double *gain, double *left, double *late)
{
    const char     *overrides[] = {mu, NULL};
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, "painleve-rod", overrides, &w));
    double    before = energy(&w);
    ss_status status = SS_OK;
    *gain            = 0;
    for (int i = 0; status == SS_OK && i < lround(0.1 / h); i++) {
        status     = ss_verify_steps(v, &w, h, 1);
        double now = energy(&w);
        *gain      = fmax(*gain, now - before);
        before     = now;
        *late      = now;
        if (i == 0 && ss_data_contact_count(w.data) > 0) {
            ss_contact_info c;
            ss_data_contact(w.model, w.data, 0, &c);
            *first_force = c.impulse[0] / h;
            *speed       = hypot(c.velocity[1], c.velocity[2]);
            *left        = now;
        }
    }
    ss_verify_close(&w);
    return status;
}

/*
 * Once the end sticks the rod turns about it and the exact motion keeps its energy. x+ = x + h v+
 * puts the position half a step ahead of the velocity, so what is measured is off by h/2 times the
 * change of the power of gravity: order 1, and no loss that stays. Extrapolated, nothing is lost.
 */
static ss_status late_energy(ss_verify *v, double late)
{
    double force, speed, gain, left, finer = 0, finest = 0;
    SS_TRY(slide(v, "params.mu=1.5", 5e-4, &force, &speed, &gain, &left, &finer));
    SS_TRY(slide(v, "params.mu=1.5", 2.5e-4, &force, &speed, &gain, &left, &finest));
    ss_verify_near(v, 11.15045, 2 * finest - finer, 1e-5, "mu = 1.5: energy at 0.1 s, h -> 0");
    ss_verify_near(v, 1, log2((finer - late) / (finest - finer)), 0.02,
                   "mu = 1.5: order of the energy at 0.1 s");
    return SS_OK;
}

static ss_status verdict(ss_verify *v, const char *scene, double mu, double theta,
                         ss_instant_verdict *out)
{
    char text[2][48];
    snprintf(text[0], sizeof text[0], "params.mu=%.17g", mu);
    snprintf(text[1], sizeof text[1], "params.theta=%.17g", theta);
    const char *const overrides[] = {text[0], theta > 0 ? text[1] : NULL, NULL};
    ss_verify_instant i;
    SS_TRY(ss_verify_judge(v, scene, overrides, &i));
    *out = i.verdict;
    ss_verify_judged(&i);
    return SS_OK;
}

/* Where the paradox begins, and what is said on either side of it. */
static ss_status border(ss_verify *v, const char *scene, double theta, double expected,
                        double tolerance, const char *what)
{
    ss_instant_verdict below, above;
    SS_TRY(verdict(v, scene, 1, theta, &below));
    ss_verify_near(v, expected, 1 + below.mu_border, tolerance, "%s: N = 0 at mu", what);
    double mu = 1 + below.mu_border;
    SS_TRY(verdict(v, scene, mu - 1e-4, theta, &below));
    SS_TRY(verdict(v, scene, mu + 1e-4, theta, &above));
    ss_verify_near(v, 1, below.solutions, 0, "%s: solutions below", what);
    ss_verify_near(v, SS_YES, below.unique, 0, "%s: unique below", what);
    ss_verify_near(v, 1e-4, below.mu_border, 1e-9, "%s: how far the border is, below", what);
    ss_verify_near(v, SS_NO, above.exists, 0, "%s: a solution exists above", what);
    ss_verify_near(v, -1e-4, above.mu_border, 1e-9, "%s: how far the border is, above", what);
    return SS_OK;
}

static ss_status borders(ss_verify *v)
{
    const double third = 1.04719755119659774615;
    /* The tip's radius makes the arm longer: (1 + 3 s^2)/(3 s (c + 0.01)) = 1.331773. */
    SS_TRY(border(v, "painleve-rod", 0, 1.75 / (1.5 * (0.86602540378443864676 + 0.01)), 1e-12,
                  "tip of 0.01 m"));
    SS_TRY(border(v, "painleve-plane", third, 1.34715, 5e-6, "60 degrees"));
    SS_TRY(border(v, "painleve-plane", atan(2), 4.0 / 3, 1e-12, "tan t = 2"));
    double least = INFINITY;
    for (int i = 1; i < 90; i++) {
        ss_instant_verdict x;
        SS_TRY(verdict(v, "painleve-plane", 1, third * i / 60, &x));
        least = fmin(least, 1 + x.mu_border);
    }
    ss_verify_near(v, 1, least >= 4.0 / 3, 0, "no angle has the paradox below mu = 4/3");
    return SS_OK;
}

static ss_status run(ss_verify *v)
{
    SS_TRY(borders(v));
    const double g = 9.81, s = 0.5, c = 0.86602540378443864676;
    double       force = 0, speed = 0, gain = 0, left = 0, late = 0;
    SS_TRY(slide(v, "params.mu=1.5", 1e-3, &force, &speed, &gain, &left, &late));
    double r2     = s * s + (c + 0.01) * (c + 0.01);
    double w      = (3 * (c + 0.01) - s * g * 1e-3) / (1.0 / 3 + r2);
    double sticks = 0.5 * (1.0 / 3 + r2) * w * w + g * (c + 0.01 + 1e-3 * w * s);
    ss_verify_near(v, 0, speed, 1e-9, "mu = 1.5: slip after the first step");
    ss_verify_near(v, sticks, left, 1e-9, "mu = 1.5: energy just after, against sticking at once");
    ss_verify_near(v, 11.150, late, 5e-3, "mu = 1.5: energy at 0.1 s");
    ss_verify_near(v, 1, force > 50 * g, 0,
                   "mu = 1.5: impact without collision (force over 50 m g)");
    ss_verify_near(v, 0, gain, 1e-9, "mu = 1.5: largest gain of energy in a step");
    SS_TRY(late_energy(v, late));
    SS_TRY(slide(v, "params.mu=0.5", 1e-3, &force, &speed, &gain, &left, &late));
    ss_verify_near(v, 1, force < 10 * g, 0, "mu = 0.5: no impact (force below 10 m g)");
    ss_verify_near(v, 0, gain, 1e-9, "mu = 0.5: largest gain of energy in a step");
    return SS_OK;
}

const ss_verify_case ss_verify_painleve_rod = {
    .name    = "painleve-rod",
    .source  = "momentum about the end that sticks; N(mu) in closed form",
    .summary = "Painleve's rod: where the paradox begins, impact without collision, sticking",
    .run     = run};
