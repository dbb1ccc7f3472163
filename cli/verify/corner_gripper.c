/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tip of a finger slides down the straight sides of a disc of 40 mm (thesis 4.3.3, Fig. 4.8).
 * The gap of the tip is measured here, from the positions alone: with n_k, a the normals and the
 * inner radius of the regular polygon,  gap = max_k n_k.x - a.  Exact corners keep it at zero in
 * every step, over every vertex; the convex model leaves the disc at each of them.
 */
#include <math.h>

#include "verify/verify.h"

static const double pi = 3.14159265358979323846, radius = 0.02, touch = 1e-9, half_side = 0.01;
enum { SIDES = 24 };

static double gap_of(double x, double y)
{
    double gap = -INFINITY;
    for (int k = 0; k < SIDES; k++) {
        double angle = (2 * k + 1) * pi / SIDES;
        gap          = fmax(gap, x * cos(angle) + y * sin(angle));
    }
    return gap - radius * cos(pi / SIDES);
}

/* What the tip did once it had touched the disc. */
typedef struct slide {
    int    steps, off; /* how many steps, and in how many the tip was off the disc    */
    double largest, deepest;
    double away; /* fastest motion off a side it touched                        */
} slide;

static ss_status watch(ss_verify_world *w, double tip, double h, slide *out)
{
    bool touched  = false;
    *out          = (slide){0};
    double before = 0;
    for (int64_t i = 0; i < llround(0.48 / h); i++) {
        SS_TRY(ss_step(w->model, w->data, h));
        ss_body_state s   = ss_verify_body(w, "finger");
        double        gap = gap_of(s.position.x - tip, s.position.y);
        if (touched) {
            out->steps++;
            out->off += gap > touch;
            out->largest = fmax(out->largest, gap);
            out->deepest = fmin(out->deepest, gap);
            out->away    = fmax(out->away, (gap - before) / h);
        }
        touched = touched || gap <= touch;
        before  = gap;
    }
    return SS_OK;
}

static ss_status slide_down(ss_verify *v, const char *scene, const char *corners, double tip,
                            double h, slide *out)
{
    const char *const overrides[] = {corners, NULL};
    ss_verify_world   w;
    SS_TRY(ss_verify_open(v, scene, overrides, &w));
    ss_status status = watch(&w, tip, h, out);
    ss_verify_close(&w);
    return status;
}

static ss_status both_models(ss_verify *v, const char *scene, const char *where, double tip)
{
    static const double steps[] = {0.01, 0.001};
    for (int i = 0; i < 2; i++) {
        double h = steps[i];
        slide  s;
        SS_TRY(slide_down(v, scene, "simulation.model.corners=exact", tip, h, &s));
        ss_verify_near(v, 0, s.off, 0, "%s, h = %g, exact: steps of %d in which the tip is off",
                       where, h, s.steps);
        ss_verify_near(v, 0, s.largest, touch, "%s, h = %g, exact: largest gap (m)", where, h);
        ss_verify_near(v, 0, s.away, 1e-9, "%s, h = %g, exact: fastest motion off the disc (m/s)",
                       where, h);
        ss_verify_near(v, 0, s.deepest, touch, "%s, h = %g, exact: deepest overlap (m)", where, h);
        SS_TRY(slide_down(v, scene, "simulation.model.corners=convex", tip, h, &s));
        ss_verify_near(v, 1, s.off > 5 && s.largest > 1e-6, 0,
                       "%s, h = %g, convex: it bounces (yes: 1), off in %d of %d steps, by up to "
                       "%.2g m",
                       where, h, s.off, s.steps, s.largest);
    }
    return SS_OK;
}

static ss_status run(ss_verify *v)
{
    SS_TRY(both_models(v, "corner-gripper", "2D", half_side * sqrt(2)));
    return both_models(v, "corner-gripper-3d", "3D", 0);
}

const ss_verify_case ss_verify_corner_gripper = {
    "corner-gripper", "thesis 4.3.3, Fig. 4.8",
    "a finger tip slides down a polygonal disc; the convex model bounces", false, run};
