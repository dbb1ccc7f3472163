/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 5.2.2 to 5.2.4: how the path of a part on a shaking plate depends on the step (Fig. 5.9)
 * and on the number of directions of a polygon cone (Figs. 5.10, 5.11), and what the two
 * formulations cost (Fig. 5.12). Expected values: the same scene by a program apart from this one.
 * `--plots DIR` draws the figures.
 *
 * The field Centrifuge has two rotations in quadrature: taken as given they turn the plate about z
 * by pi theta0^2 a period, theta0 = 100 / w^2 (`coning: keep`), which `coning: remove` leaves out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "verify/verify.h"

enum { SAMPLES = 61, RUNS = 6 };

/* Places of the part, evenly spaced in time. */
typedef struct path {
    double t[SAMPLES], x[SAMPLES], y[SAMPLES];
    double seconds; /* of processor time */
} path;

static ss_status follow(ss_verify *v, const char *scene, const char *const *overrides, double h,
                        double duration, path *out)
{
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, scene, overrides, &w));
    ss_status status = SS_OK;
    int64_t   every  = llround(duration / h / (SAMPLES - 1));
    clock_t   began  = clock();
    for (int i = 0; status == SS_OK && i < SAMPLES; i++) {
        ss_body_state s = ss_verify_body(&w, "part");
        out->t[i]       = ss_data_time(w.data);
        out->x[i]       = s.position.x;
        out->y[i]       = s.position.y;
        if (i < SAMPLES - 1) {
            status = ss_verify_steps(v, &w, h, every);
        }
    }
    out->seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    ss_verify_close(&w);
    return status;
}

static double radius(const path *p)
{
    return hypot(p->x[SAMPLES - 1], p->y[SAMPLES - 1]);
}

static double apart(const path *a, const path *b)
{
    return hypot(a->x[SAMPLES - 1] - b->x[SAMPLES - 1], a->y[SAMPLES - 1] - b->y[SAMPLES - 1]);
}

/* The distance of each path from the last one, over time. */
static ss_status draw(ss_verify *v, const char *name, const char *title, const path *paths,
                      const char *const *labels, int32_t count)
{
    static double distance[RUNS][SAMPLES];
    ss_curve      way[RUNS], off[RUNS];
    for (int32_t i = 0; i < count; i++) {
        for (int k = 0; k < SAMPLES; k++) {
            distance[i][k] =
                hypot(paths[i].x[k] - paths[count - 1].x[k], paths[i].y[k] - paths[count - 1].y[k]);
        }
        way[i] = (ss_curve){labels[i], paths[i].x, paths[i].y, SAMPLES};
        off[i] = (ss_curve){labels[i], paths[i].t, distance[i], SAMPLES};
    }
    const ss_plot plots[] = {
        {.title = title, .x_label = "x, m", .y_label = "y, m", .curves = way, .curve_count = count},
        {.title       = "distance from the last of them",
         .x_label     = "t, s",
         .y_label     = "m",
         .curves      = off,
         .curve_count = count - 1}};
    return ss_verify_plot(v, name, plots, 2);
}

/* ---- steps ---- */

static ss_status check_steps(ss_verify *v)
{
    static const double      h[] = {1e-3, 5e-4, 1e-4, 5e-5}, cm[] = {8.676, 7.922, 7.290, 7.210};
    static const char *const labels[]  = {"1 ms", "0.5 ms", "0.1 ms", "0.05 ms"};
    static const char *const settled[] = {"bodies.part.position=[0.02, 0, 0]", NULL};
    static path              p[4];
    path                     lower;
    for (int i = 0; i < 4; i++) {
        SS_TRY(follow(v, "plate-centrifuge", NULL, h[i], 6, &p[i]));
        ss_verify_near(v, cm[i], 100 * radius(&p[i]), 0.002 * cm[i],
                       "radius after 6 s, step %g s, cm", h[i]);
    }
    /* error = c h: with the last path at h/20 of the first, and so on */
    double order =
        log(apart(&p[0], &p[3]) / apart(&p[1], &p[3])) / log((1e-3 - 5e-5) / (5e-4 - 5e-5));
    ss_verify_near(v, 1, order, 0.15, "order in the step (Fig. 5.9)");
    /* where it is dropped from matters more than the step: 0.1 mm lower it starts at rest */
    SS_TRY(follow(v, "plate-centrifuge", settled, 1e-3, 6, &lower));
    ss_verify_near(v, 8.619, 100 * radius(&lower), 0.017,
                   "radius when it starts on the plate instead of 0.1 mm above, cm");
    return draw(v, "plate-steps", "Centrifuge, 6 s: steps (Fig. 5.9)", p, labels, 4);
}

static ss_status heading(ss_verify *v, const char *coning, double *out)
{
    char            text[64];
    const char     *over[] = {text, NULL};
    ss_verify_world w;
    snprintf(text, sizeof text, "bodies.plate.motion.coning=%s", coning);
    SS_TRY(ss_verify_open(v, "plate-centrifuge", over, &w));
    ss_quat before = ss_verify_body(&w, "plate").quat_wxyz, after;
    /* ten periods of 1/33 s */
    ss_status status = ss_verify_steps(v, &w, 1.0 / 3300, 1000);
    after            = ss_verify_body(&w, "plate").quat_wxyz;
    ss_verify_close(&w);
    *out = 2 * (atan2(after.z, after.w) - atan2(before.z, before.w));
    return status;
}

static ss_status check_coning(ss_verify *v)
{
    double kept = 0, removed = 0, w = 66 * acos(-1), theta0 = 100 / (w * w);
    SS_TRY(heading(v, "keep", &kept));
    SS_TRY(heading(v, "remove", &removed));
    double expected = 10 * acos(-1) * theta0 * theta0;
    ss_verify_near(v, expected, fabs(kept), 0.01 * expected,
                   "coning of ten periods, as given (rad)");
    ss_verify_near(v, 0, removed, 1e-3 * expected, "the same, removed");
    return SS_OK;
}

/* ---- directions ---- */

static ss_status check_cone(ss_verify *v, const char *scene, const char *const *extra,
                            double duration, const int *directions, const double *mm, int count,
                            const char *plot)
{
    static path p[RUNS];
    static char labels[RUNS][32];
    const char *names[RUNS];
    for (int i = 0; i <= count; i++) {
        char        cone[64];
        const char *over[12] = {cone};
        for (int k = 0; extra != NULL && extra[k] != NULL; k++) {
            over[k + 1] = extra[k];
        }
        if (i < count) {
            snprintf(cone, sizeof cone, "simulation.model.cone={polygon: %d}", directions[i]);
            snprintf(labels[i], sizeof labels[i], "%d directions", directions[i]);
        } else {
            snprintf(cone, sizeof cone, "simulation.model.cone=quadratic");
            snprintf(labels[i], sizeof labels[i], "quadratic");
        }
        names[i] = labels[i];
        SS_TRY(follow(v, scene, over, 1e-4, duration, &p[i]));
    }
    for (int i = 0; i < count; i++) {
        ss_verify_near(v, mm[i], 1e3 * apart(&p[i], &p[count]), 0.05 * mm[i] + 0.03,
                       "%s, %d directions, off at the end by mm", scene, directions[i]);
    }
    return draw(v, plot, "directions of the cone (Figs. 5.10, 5.11)", p, names, count + 1);
}

/* ---- time ---- */

/* The tripod's path by the two formulations, and what they cost per second of the scene. */
static ss_status check_time(ss_verify *v)
{
    static const int directions[] = {4, 8, 16, 32};
    double           x[4], lcp[4], ncp[4], off = 0;
    path             smooth, p;
    SS_TRY(follow(v, "plate-tripod", NULL, 1e-4, 0.3, &smooth));
    for (int i = 0; i < 4; i++) {
        char        cone[64];
        const char *over[] = {cone, NULL};
        snprintf(cone, sizeof cone, "simulation.model.cone={polygon: %d}", directions[i]);
        SS_TRY(follow(v, "plate-tripod", over, 1e-4, 0.3, &p));
        x[i]   = directions[i];
        lcp[i] = p.seconds / 0.3;
        ncp[i] = smooth.seconds / 0.3;
        off    = apart(&p, &smooth);
    }
    ss_verify_near(v, 0, 1e3 * off, 0.1, "tripod, 32 directions against the cone, 0.3 s, mm");
    const ss_curve curves[] = {{"polygon (LCP)", x, lcp, 4}, {"quadratic (NCP)", x, ncp, 4}};
    const ss_plot  plot     = {.title       = "tripod: time of the two formulations (Fig. 5.12)",
                               .x_label     = "directions",
                               .y_label     = "s of processor per s",
                               .curves      = curves,
                               .curve_count = 2,
                               .log_y       = true};
    return ss_verify_plot(v, "plate-time", &plot, 1);
}

static ss_status run(ss_verify *v)
{
    SS_TRY(check_steps(v));
    return check_coning(v);
}

static ss_status run_cones(ss_verify *v)
{
    static const int    five[]   = {4, 8, 16, 32, 64};
    static const double spiral[] = {3.7, 1.2, 0.52, 0.08}, circle[] = {5.8, 2.0, 1.2, 0.86, 0.45};
    static const char *const scaled[] = {"params.A3=8", "params.C3=4.71238898038469",
                                         "params.A6=500", "bodies.part.position=[0.04, 0, 0.0002]",
                                         NULL};
    SS_TRY(check_cone(v, "plate-centrifuge", NULL, 6, five, spiral, 4, "plate-cone-centrifuge"));
    SS_TRY(check_cone(v, "plate", scaled, 5, five, circle, 5, "plate-cone-circle"));
    return check_time(v);
}

const ss_verify_case ss_verify_plate_fields = {
    "plate-fields", "Berard 5.2.2, 5.3; the scene by a program apart",
    "a particle on a shaking plate: steps, coning", false, run};
const ss_verify_case ss_verify_plate_cones = {
    "plate-cones", "Berard 5.2.3, 5.2.4; the scene by a program apart",
    "the same with polygon cones: paths and times", true, run_cones};
