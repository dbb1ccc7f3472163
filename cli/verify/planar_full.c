/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 2.7.6: block, belt, pusher, one rod, and a particle on a spring. 8 velocities, 2 joint
 * rows, 3 contacts of 4: 22, without the dry friction of the hinge that the scene has besides.
 *
 * The motion against its own stick-slip equations (verify/cart.h) in x of the block, the angle t of
 * the rod (0.5 kg, centre 0.5 m below the hinge, end e 1 m below it) and the particle's place b:
 *
 *   S   = -k (|b - e| - l0) (b - e)/|b - e| - c (b' - e')          the spring's force on it
 *   M   = [mb + mr, mr/2 cos t; ., mr/4 + I] (x, t), m (b)
 *   f_x = mr/2 sin t t'^2 - S_x,   f_t = -mr g/2 sin t - S.(cos t, sin t),   f_b = S - m g e_y
 *   N   = (mb + mr) g + mr/2 (sin t t'' + cos t t'^2) + S_y
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "verify/cart.h"
#include "verify/planar.h"

static const double stiffness = 40, damping = 0.1, rest = 0.4, turning = 0.0417;

static void terms(const ss_cart *c, const double *q, const double *v, ss_cart_terms *out)
{
    double mr = c->rod, L = c->length, g = c->gravity, s = sin(q[1]), k = cos(q[1]);
    double dx = q[2] - q[0] - L * s, dy = q[3] - 0.3 + L * k, far = hypot(dx, dy);
    double pull = stiffness * (far - rest) / far;
    double Sx   = -pull * dx - damping * (v[2] - v[0] - L * k * v[1]);
    double Sy   = -pull * dy - damping * (v[3] - L * s * v[1]);
    double r = L / 2, w = v[1] * v[1];
    memset(out->M, 0, sizeof out->M);
    out->M[0] = c->mass + mr;
    out->M[1] = out->M[4] = mr * r * k;
    out->M[5]             = mr * r * r + turning;
    out->M[10] = out->M[15] = c->bob;
    out->f[0]               = mr * r * s * w - Sx;
    out->f[1]               = -mr * g * r * s - L * (Sx * k + Sy * s);
    out->f[2]               = Sx;
    out->f[3]               = Sy - c->bob * g;
    out->n0                 = (c->mass + mr) * g + mr * r * k * w + Sy;
    out->n[0] = out->n[2] = out->n[3] = 0;
    out->n[1]                         = mr * r * s;
}

typedef struct setting {
    double belt, mu, pusher, speed, hinge;
    int    sticks, slips, caught; /* what must happen on the way: at least so often */
} setting;

static const double duration = 1;

static ss_status error_at(ss_verify *v, const setting *s, double h, const double *exact,
                          double *error)
{
    char text[4][80];
    snprintf(text[0], sizeof text[0], "bodies.belt.surface_velocity=[%g, 0]", s->belt);
    snprintf(text[1], sizeof text[1], "materials.default.friction=%g", s->mu);
    snprintf(text[2], sizeof text[2], "bodies.pusher.motion.x=%g + %g*t", s->pusher - 0.5,
             s->speed);
    snprintf(text[3], sizeof text[3], "joints.hinge.friction=%g", s->hinge);
    const char     *overrides[] = {text[0],
                                   text[1],
                                   text[2],
                                   text[3],
                                   "materials.smooth={friction: 0}",
                                   "bodies.pusher.material=smooth",
                                   NULL};
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, "planar-full", overrides, &w));
    ss_status     status = ss_verify_steps(v, &w, h, llround(duration / h));
    ss_body_state bob    = ss_verify_body(&w, "bob");
    double        x      = fabs(ss_verify_body(&w, "block").position.x - exact[0]);
    double        a      = fabs(ss_verify_body(&w, "rod").angle - exact[1]);
    *error = fmax(fmax(x, a), hypot(bob.position.x - exact[2], bob.position.y - exact[3]));
    ss_verify_close(&w);
    return status;
}

static ss_status beside_ode(ss_verify *v, const setting *s)
{
    ss_cart        c    = {.coordinates  = 4,
                           .terms        = terms,
                           .mass         = 2,
                           .rod          = 0.5,
                           .length       = 1,
                           .bob          = 0.2,
                           .gravity      = 9.81,
                           .mu           = s->mu,
                           .belt         = s->belt,
                           .pusher       = s->pusher,
                           .pusher_speed = s->speed,
                           .dry          = 1,
                           .dry_bound    = s->hinge};
    double         q[4] = {0, 0, 0, -1.2}, rate[4] = {0}, error[3];
    char           what[96];
    ss_cart_events e = ss_cart_run(&c, q, rate, duration, 4000);
    snprintf(what, sizeof what, "belt %g m/s, mu %g, pusher %g m/s, hinge %g N m", s->belt, s->mu,
             s->speed, s->hinge);
    ss_verify_near(v, 1,
                   e.sticks >= s->sticks && e.slips >= s->slips && e.caught >= s->caught &&
                       e.least_floor >= 0,
                   0, "%s: the equations stick %d times, slip %d times, are caught %d times", what,
                   e.sticks, e.slips, e.caught);
    for (int i = 0; i < 3; i++) {
        SS_TRY(error_at(v, s, 1e-3 / (1 << i), q, &error[i]));
    }
    ss_verify_near(v, 0, error[2], 1e-3, "%s: places at %g s, h = 0.25 ms", what, duration);
    ss_verify_near(v, 1, log2(error[0] / error[2]) / 2, 0.15, "%s: order", what);
    return SS_OK;
}

static ss_status run(ss_verify *v)
{
    static const char *const plain[]    = {"simulation.model.cone={polygon: 4}",
                                           "joints.hinge.friction=0",
                                           "bodies.pusher.motion.x=-0.5 + 0.5*t", NULL};
    static const setting     settings[] = {{0.2, 0.3, -0.1, 0.5, 0.01, 1, 0, 1},
                                           {0, 0.3, -0.1, 0.5, 0.01, 0, 0, 1},
                                           {-0.3, 0.3, -0.8, 0.3, 0.01, 1, 0, 0},
                                           {0.2, 0.02, -0.1, 0.4, 0.01, 0, 0, 1},
                                           {0.5, 0.02, -0.4, 0.1, 0.3, 0, 0, 0}};
    SS_TRY(ss_planar_size(v, "planar-full", plain, 4e-3, 22));
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        SS_TRY(beside_ode(v, &settings[i]));
    }
    return SS_OK;
}

const ss_verify_case ss_verify_planar_full = {
    .name    = "planar-full",
    .source  = "Berard 2009, 2.7.6",
    .summary = "block on a belt, pushed, with rod, spring and particle: problem size, order 1 "
               "against its stick-slip equations",
    .run     = run};
