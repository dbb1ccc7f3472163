/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Static and kinetic friction. A block on a belt of speed V, held by a spring of stiffness k: it
 * goes with the belt until the spring pulls with mu_s m g, then swings about x_k = mu_k m g/k with
 * w = sqrt(k/m), from (x_k + D, V), D = (mu_s - mu_k) m g/k, to (x_k - D, V), where the belt takes
 * it along again. So, after its first slip,
 *
 *   sticks for 2 D/V,   slips for 2 (pi - atan(D w/V))/w,   extremes x_k -+ sqrt(D^2 + (V/w)^2)
 *
 * On a slope of an angle between the two friction angles it stays where it is at rest, slides on
 * where it slides, and stays where it comes to rest.
 */
#include <math.h>
#include <stdio.h>

#include "verify/verify.h"

static const double g = 9.81, at_rest = 0.5, kinetic = 0.3, belt = 0.1, k = 100,
                    pi = 3.14159265358979323846;

typedef struct cycle {
    double low, high, sticks, slips;
} cycle;

static cycle expected(void)
{
    double D = (at_rest - kinetic) * g / k, w = sqrt(k), x = kinetic * g / k;
    double A = sqrt(D * D + belt * belt / w / w);
    return (cycle){x - A, x + A, 2 * D / belt, 2 * (pi - atan(D * w / belt)) / w};
}

/* The first slip, the times of the second cycle, and the extremes at the ends of steps. */
static ss_status from_event_to_event(ss_verify *v)
{
    const char *const overrides[] = {"simulation.model.level=acceleration", NULL};
    const double      h           = 1e-3;
    cycle             want = expected(), got = {1, -1, 0, 0};
    double            slips[2] = {0}, sticks[2] = {0};
    int               n = 0, m = 0;
    ss_verify_world   w;
    SS_TRY(ss_verify_open(v, "stick-slip", overrides, &w));
    ss_status status = SS_OK;
    while (status == SS_OK && n < 2) {
        status = ss_step(w.model, w.data, h);
        for (int32_t i = 0; status == SS_OK && i < ss_data_event_count(w.data); i++) {
            ss_event e;
            status = ss_data_event(w.model, w.data, i, &e);
            if (e.kind == SS_EVENT_SLIPS && n < 2) {
                slips[n++] = e.time;
            } else if (e.kind == SS_EVENT_STICKS && m < 2) {
                sticks[m++] = e.time;
            }
        }
        double x = ss_verify_body(&w, "block").position.x;
        got.low  = n > 0 ? fmin(got.low, x) : got.low;
        got.high = fmax(got.high, x);
    }
    ss_verify_near(v, at_rest * g / k / belt, slips[0], 1e-7, "level acceleration: first slip (s)");
    ss_verify_near(v, want.slips, sticks[0] - slips[0], 1e-7, "level acceleration: slips for (s)");
    ss_verify_near(v, want.sticks, slips[1] - sticks[0], 1e-7,
                   "level acceleration: sticks for (s)");
    ss_verify_near(v, want.low, got.low, 1e-6, "level acceleration: nearest to the wall (m)");
    ss_verify_near(v, want.high, got.high, 1e-6, "level acceleration: farthest (m)");
    ss_verify_close(&w);
    return status;
}

/* By steps: time between passages of x_k on the way with the belt, and the extremes. */
static ss_status by_steps(ss_verify *v, const char *integrator, double h, double *period, cycle *c)
{
    char model[64];
    snprintf(model, sizeof model, "simulation.model.integrator=%s", integrator);
    const char *const overrides[] = {model, NULL};
    const double      middle      = kinetic * g / k;
    double            was = 0, first = 0, last = 0;
    int               count = 0;
    ss_verify_world   w;
    SS_TRY(ss_verify_open(v, "stick-slip", overrides, &w));
    ss_status status = SS_OK;
    *c               = (cycle){1, -1, 0, 0};
    for (double t = 0; status == SS_OK && t < 4; t = ss_data_time(w.data)) {
        status   = ss_step(w.model, w.data, h);
        double x = ss_verify_body(&w, "block").position.x, now = ss_data_time(w.data);
        c->low  = t > 1 ? fmin(c->low, x) : c->low;
        c->high = fmax(c->high, x);
        if (was < middle && x >= middle) {
            last  = now - h * (x - middle) / (x - was);
            first = count++ == 0 ? last : first;
        }
        was = x;
    }
    *period = (last - first) / (count - 1);
    ss_verify_close(&w);
    return status;
}

static ss_status converges(ss_verify *v, const char *integrator)
{
    const cycle  want = expected();
    const double h[2] = {1e-3, 2.5e-4};
    double       error[2];
    for (int i = 0; i < 2; i++) {
        cycle  got;
        double period;
        SS_TRY(by_steps(v, integrator, h[i], &period, &got));
        error[i] = fabs(period - want.sticks - want.slips);
        ss_verify_near(v, want.sticks + want.slips, period, 8 * h[i], "%s, h = %g: period (s)",
                       integrator, h[i]);
        ss_verify_near(v, want.high - want.low, got.high - got.low, 8 * belt * h[i],
                       "%s, h = %g: travel (m)", integrator, h[i]);
    }
    ss_verify_near(v, 0.25, error[1] / error[0], 0.2,
                   "%s: error of the period, h = 2.5e-4 over 1e-3", integrator);
    return SS_OK;
}

/* Gravity is tilted by 0.35, whose tangent 0.365 lies between the two coefficients. */
static ss_status slope(ss_verify *v, const char *level, double speed, double expected_speed,
                       const char *what)
{
    char model[64], across[64], along[64], start[64];
    snprintf(model, sizeof model, "simulation.model.level=%s", level);
    snprintf(along, sizeof along, "gravity=[%.17g, %.17g]", g * sin(0.35), -g * cos(0.35));
    snprintf(across, sizeof across, "params.stiffness=0");
    snprintf(start, sizeof start, "bodies.block.velocity=[%g, 0]", speed);
    const char *const overrides[] = {model, along, across, start, "params.belt=0", NULL};
    ss_verify_world   w;
    SS_TRY(ss_verify_open(v, "stick-slip", overrides, &w));
    ss_status status = SS_OK;
    for (int i = 0; status == SS_OK && i < 100; i++) {
        status = ss_step(w.model, w.data, 0.01);
    }
    ss_verify_near(v, expected_speed, ss_verify_body(&w, "block").velocity.x, 1e-10,
                   "slope, level %s: speed after 1 s, %s", level, what);
    ss_verify_close(&w);
    return status;
}

static ss_status run(ss_verify *v)
{
    static const char *const levels[] = {"impulse", "acceleration"};
    const double             down     = g * (sin(0.35) - kinetic * cos(0.35));
    for (int i = 0; i < 2; i++) {
        SS_TRY(slope(v, levels[i], 0, 0, "at rest"));
        SS_TRY(slope(v, levels[i], 0.2, 0.2 + down, "sliding down"));
        SS_TRY(slope(v, levels[i], -0.2, 0, "sliding up, then at rest"));
    }
    SS_TRY(from_event_to_event(v));
    SS_TRY(converges(v, "euler"));
    return converges(v, "midpoint");
}

const ss_verify_case ss_verify_stick_slip = {
    "stick-slip", "static and kinetic friction",
    "a block on a belt sticks and slips with its closed-form cycle; slopes between two angles",
    false, run};
