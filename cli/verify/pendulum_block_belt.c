/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 2.7.5: the floor is a belt; the size is that of 2.7.4. The block (5 kg) sticks to the belt
 * and slips on it, pulled by the pendulum (two rods of 0.5 kg and 1 m, released horizontally),
 * until the pusher catches up with it. Lagrange's equations of cart and pendulum, with friction,
 * sticking and the pusher (verify/cart.h), say where they go: angles t1, t2 from the downward
 * vertical,
 *
 *   M = [c + 2m, 3/2 m L cos t1, 1/2 m L cos t2;  ., 4/3 m L^2, 1/2 m L^2 cos(t1 - t2);
 *        ., ., 1/3 m L^2]
 *   N = (c + 2m) g + 3/2 m L (sin t1 t1'' + cos t1 t1'^2) + 1/2 m L (sin t2 t2'' + cos t2 t2'^2)
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "verify/cart.h"
#include "verify/planar.h"

static const double quarter = 1.57079632679489661923;

static void terms(const ss_cart *c, const double *q, const double *v, ss_cart_terms *out)
{
    double       m = c->rod, L = c->length, g = c->gravity;
    double       s1 = sin(q[1]), c1 = cos(q[1]), s2 = sin(q[2]), c2 = cos(q[2]);
    double       sd = sin(q[1] - q[2]), cd = cos(q[1] - q[2]), w1 = v[1] * v[1], w2 = v[2] * v[2];
    const double M[9] = {c->mass + 2 * m,  1.5 * m * L * c1,     0.5 * m * L * c2,
                         1.5 * m * L * c1, m * L * L * 4 / 3,    0.5 * m * L * L * cd,
                         0.5 * m * L * c2, 0.5 * m * L * L * cd, m * L * L / 3};
    memcpy(out->M, M, sizeof M);
    out->f[0] = 1.5 * m * L * s1 * w1 + 0.5 * m * L * s2 * w2;
    out->f[1] = -1.5 * m * g * L * s1 - 0.5 * m * L * L * sd * w2;
    out->f[2] = -0.5 * m * g * L * s2 + 0.5 * m * L * L * sd * w1;
    out->n0   = (c->mass + 2 * m) * g + 1.5 * m * L * c1 * w1 + 0.5 * m * L * c2 * w2;
    out->n[0] = 0;
    out->n[1] = 1.5 * m * L * s1;
    out->n[2] = 0.5 * m * L * s2;
}

/* One setting of belt, friction and pusher, for `duration`. */
typedef struct setting {
    double belt, mu, pusher, speed;
    int    sticks, slips, caught; /* what must happen on the way: at least so often */
} setting;

static const double duration = 0.8;

static ss_status error_at(ss_verify *v, const setting *s, double h, const double *exact,
                          double *error)
{
    char text[3][80];
    snprintf(text[0], sizeof text[0], "bodies.belt.surface_velocity=[%g, 0]", s->belt);
    snprintf(text[1], sizeof text[1], "params.mu=%g", s->mu);
    snprintf(text[2], sizeof text[2], "bodies.pusher.motion.x=%g + %g*t", s->pusher - 0.5,
             s->speed);
    const char     *overrides[] = {text[0],
                                   text[1],
                                   text[2],
                                   "materials.smooth={friction: 0}",
                                   "bodies.pusher.material=smooth",
                                   NULL};
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, "pendulum-block-belt", overrides, &w));
    ss_status status = ss_verify_steps(v, &w, h, llround(duration / h));
    double    x      = ss_verify_body(&w, "block").position.x - exact[0];
    double    a      = ss_verify_body(&w, "A").angle - exact[1];
    double    b      = ss_verify_body(&w, "B").angle - exact[2];
    *error           = fmax(fabs(x), fmax(fabs(a), fabs(b)));
    ss_verify_close(&w);
    return status;
}

static ss_status beside_ode(ss_verify *v, const setting *s)
{
    ss_cart        c    = {.coordinates  = 3,
                           .terms        = terms,
                           .mass         = 5,
                           .rod          = 0.5,
                           .length       = 1,
                           .gravity      = 9.81,
                           .mu           = s->mu,
                           .belt         = s->belt,
                           .pusher       = s->pusher,
                           .pusher_speed = s->speed,
                           .dry          = -1};
    double         q[3] = {0, quarter, quarter}, rate[3] = {0}, error[3];
    char           what[64];
    ss_cart_events e = ss_cart_run(&c, q, rate, duration, 4000);
    snprintf(what, sizeof what, "belt %g m/s, mu %g, pusher %g m/s", s->belt, s->mu, s->speed);
    ss_verify_near(v, 1,
                   e.sticks >= s->sticks && e.slips >= s->slips && e.caught >= s->caught &&
                       e.least_floor > 0,
                   0, "%s: the equations stick %d times, slip %d times, are caught %d times", what,
                   e.sticks, e.slips, e.caught);
    for (int i = 0; i < 3; i++) {
        SS_TRY(error_at(v, s, 1e-3 / (1 << i), q, &error[i]));
    }
    ss_verify_near(v, 0, error[2], 2e-3, "%s: block and angles at %g s, h = 0.25 ms", what,
                   duration);
    ss_verify_near(v, 1, log2(error[0] / error[2]) / 2, 0.15, "%s: order", what);
    return SS_OK;
}

static ss_status run(ss_verify *v)
{
    static const char *const polygon[]  = {"simulation.model.cone={polygon: 4}", NULL};
    static const setting     settings[] = {
            {0.2, 0.1, -0.4, 0.7, 2, 1, 1},  {0, 0.1, -0.4, 0.5, 1, 1, 0},
            {-0.3, 0.1, -0.3, 0.3, 0, 0, 1}, {0.2, 0.3, -0.4, 0.7, 1, 0, 1},
            {-0.3, 0.3, -0.3, 0.1, 1, 0, 1}, {0.2, 0.1, -0.4, 0.3, 2, 1, 0}};
    enum { SETTINGS = sizeof settings / sizeof settings[0] };
    SS_TRY(ss_planar_size(v, "pendulum-block-belt", polygon, 4e-3, 25));
    for (int i = 0; i < SETTINGS; i++) {
        SS_TRY(beside_ode(v, &settings[i]));
    }
    return SS_OK;
}

const ss_verify_case ss_verify_pendulum_block_belt = {
    .name    = "pendulum-block-belt",
    .source  = "Berard 2009, 2.7.5",
    .summary = "pendulum on a block that sticks to a belt, slips and is pushed: problem size, "
               "order 1 against its stick-slip equations",
    .run     = run};
