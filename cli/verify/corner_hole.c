/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block slides over a hole (thesis 3.2, Fig. 3.1). Friction is all that slows it down: after n
 * steps of h
 *
 *   v = v0 - mu g n h,    x = x0 + v0 n h - mu g h^2 n (n + 1) / 2
 *
 * to rounding. With corners: convex the far wall of the hole goes on above the table and the block
 * stops there, whatever the step.
 */
#include <math.h>
#include <stdio.h>

#include "verify/verify.h"

static const double steps[] = {0.01, 0.001};
static const double mu = 0.1, g = 9.81, v0 = 2, x0 = -0.8, hole = 0.3, half_length = 0.5;

static ss_status slide(ss_verify *v, const char *scene, const char *const *overrides, double h,
                       ss_body_state *out)
{
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, scene, overrides, &w));
    ss_status status = ss_verify_steps(v, &w, h, llround(1 / h));
    if (status == SS_OK) {
        *out = ss_verify_body(&w, "block");
    }
    ss_verify_close(&w);
    return status;
}

static ss_status both_models(ss_verify *v, const char *scene, const char *where)
{
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const char *const exact[]  = {"simulation.model.corners=exact", NULL};
        const char *const convex[] = {"simulation.model.corners=convex", NULL};
        double            h = steps[i], n = 1 / h;
        ss_body_state     s;
        SS_TRY(slide(v, scene, exact, h, &s));
        ss_verify_near(v, v0 - mu * g, s.velocity.x, 1e-9, "%s, h = %g, exact: speed after 1 s",
                       where, h);
        ss_verify_near(v, x0 + v0 - mu * g * h * h * n * (n + 1) / 2, s.position.x, 1e-9,
                       "%s, h = %g, exact: position after 1 s", where, h);
        SS_TRY(slide(v, scene, convex, h, &s));
        ss_verify_near(v, 0, s.velocity.x, 1e-9, "%s, h = %g, convex: it stops", where, h);
        ss_verify_near(v, hole, s.position.x + half_length, 2e-3,
                       "%s, h = %g, convex: caught with its front at the far wall", where, h);
    }
    return SS_OK;
}

/* Turned about the vertical, without friction: a vertex crosses first, then edges pass edges. */
static ss_status turned(ss_verify *v)
{
    const char *const exact[]  = {"params.mu=0", "params.yaw=0.2", NULL};
    const char *const convex[] = {"params.mu=0", "params.yaw=0.2",
                                  "simulation.model.corners=convex", NULL};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        ss_body_state s;
        SS_TRY(slide(v, "corner-hole-3d", exact, steps[i], &s));
        ss_verify_near(v, v0, s.velocity.x, 1e-9, "3D, turned, h = %g, exact: speed after 1 s",
                       steps[i]);
        ss_verify_near(v, 0, ss_norm(s.angular_velocity), 1e-9,
                       "3D, turned, h = %g, exact: nothing turns it", steps[i]);
        SS_TRY(slide(v, "corner-hole-3d", convex, steps[i], &s));
        ss_verify_near(v, 1, s.velocity.x < 0.5 * v0, 0,
                       "3D, turned, h = %g, convex: it is caught (yes: 1)", steps[i]);
    }
    return SS_OK;
}

static ss_status run(ss_verify *v)
{
    SS_TRY(both_models(v, "corner-hole", "2D"));
    SS_TRY(both_models(v, "corner-hole-3d", "3D"));
    return turned(v);
}

const ss_verify_case ss_verify_corner_hole = {
    "corner-hole", "thesis 3.2, Fig. 3.1",
    "a block slides over a hole; the convex model is caught by the far edge", false, run};
