/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 3.5.3.1, Fig. 3.6: a disc rolls on a plane and keeps its kinetic energy, 6.75 J, when its
 * shape is a curve and the geometry that of the end of the step. Regular polygons in its place lose
 * energy, less with more edges, down to a limit set by the step. The polygons' values are those
 * that this program gave when they were written down (regression); they start on an edge, corners
 * on the disc.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "verify/verify.h"

enum { POLYGONS = 10 };

static double kinetic(const ss_verify_world *w)
{
    return ss_data_energy(w->model, w->data).kinetic;
}

/* Largest distance of the kinetic energy from 6.75 J within a second. */
static ss_status roll(ss_verify *v, const char *geometry, double h, double *worst)
{
    const char     *overrides[] = {geometry, NULL};
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, "disc-roll", overrides, &w));
    ss_status status = SS_OK;
    *worst           = 0;
    for (int64_t i = 0; status == SS_OK && i < llround(1 / h); i++) {
        status = ss_verify_steps(v, &w, h, 1);
        *worst = fmax(*worst, fabs(kinetic(&w) - 6.75));
    }
    ss_verify_close(&w);
    return status;
}

/* "bodies.disc.shape={polygon: {points: [..]}}" with `edges` edges, the first corner beside the
   lowest point. */
static char *polygon_override(int edges)
{
    const double pi   = 3.14159265358979323846;
    size_t       room = 64 + 64 * (size_t)edges, used = 0;
    char        *text = malloc(room);
    if (text == NULL) {
        return NULL;
    }
    used += (size_t)snprintf(text, room, "bodies.disc.shape={polygon: {points: [");
    for (int i = 0; i < edges; i++) {
        double a = -pi / 2 + pi / edges + 2 * pi * i / edges;
        used += (size_t)snprintf(text + used, room - used, "%s[%.17g, %.17g]", i > 0 ? ", " : "",
                                 cos(a), sin(a));
    }
    snprintf(text + used, room - used, "]}}");
    return text;
}

/* Kinetic energy of a polygon, a hundred times in its second. */
enum { SAMPLES = 101 };
typedef struct track {
    double t[SAMPLES], energy[SAMPLES];
} track;

static ss_status follow(ss_verify *v, ss_verify_world *w, double h, track *out)
{
    ss_status status = SS_OK;
    for (int i = 0; status == SS_OK && i < SAMPLES; i++) {
        out->t[i]      = ss_data_time(w->data);
        out->energy[i] = kinetic(w);
        if (i + 1 < SAMPLES) {
            status = ss_verify_steps(v, w, h, llround(0.01 / h));
        }
    }
    return status;
}

static ss_status polygon(ss_verify *v, int edges, double h, double expected, track *out)
{
    char            height[64], *shape = polygon_override(edges);
    const char     *overrides[] = {shape, height, "bodies.disc.com=[0, 0]",
                                   "simulation.model.geometry=explicit", NULL};
    ss_verify_world w;
    if (shape == NULL) {
        return ss_fail(ss_verify_context(v), SS_ERR_MEMORY, "no memory for a polygon");
    }
    snprintf(height, sizeof height, "bodies.disc.position=[0, %.17g]",
             cos(3.14159265358979323846 / edges));
    ss_status status = ss_verify_open(v, "disc-roll", overrides, &w);
    free(shape);
    SS_TRY(status);
    status = follow(v, &w, h, out);
    if (status == SS_OK) {
        ss_verify_near(v, expected, kinetic(&w), 0.02 * expected,
                       "kinetic energy after 1 s, %d edges, h = %g (J)", edges, h);
    }
    ss_verify_close(&w);
    return status;
}

/* While it still slides, and when it rolls. */
static ss_status routes(ss_verify *v)
{
    const char     *overrides[] = {"bodies.disc.angular_velocity=1", NULL};
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, "disc-roll", overrides, &w));
    ss_status status = ss_verify_routes(v, &w, "disc", 0.01, 60, 11, 1e-9);
    ss_verify_close(&w);
    return status;
}

/* Fig. 3.6: with more edges, and with a thousand at smaller steps. */
static ss_status draw(ss_verify *v, const track *tracks, const char *const *labels, int32_t count,
                      int32_t first)
{
    ss_curve curves[POLYGONS];
    for (int32_t i = 0; i < count; i++) {
        curves[i] = (ss_curve){labels[i], tracks[i].t, tracks[i].energy, SAMPLES};
    }
    const ss_plot plots[] = {{.title       = "Fig. 3.6 a: regular polygons, h = 0.01 s",
                              .x_label     = "t, s",
                              .y_label     = "kinetic energy, J",
                              .curves      = curves,
                              .curve_count = first},
                             {.title       = "Fig. 3.6 b: 1000 edges",
                              .x_label     = "t, s",
                              .y_label     = "kinetic energy, J",
                              .curves      = curves + first - 1,
                              .curve_count = count - first + 1}};
    return ss_verify_plot(v, "disc-roll", plots, 2);
}

static ss_status run(ss_verify *v)
{
    static const struct {
        int    edges;
        double h, energy;
    } polygons[POLYGONS] = {{10, 0.01, 2.248},    {20, 0.01, 3.652},   {50, 0.01, 5.198},
                            {100, 0.01, 5.870},   {200, 0.01, 5.942},  {1000, 0.01, 5.924},
                            {1000, 0.005, 6.320}, {1000, 1e-3, 6.658}, {1000, 5e-4, 6.662},
                            {1000, 2e-4, 6.6645}};
    double worst;
    SS_TRY(roll(v, "simulation.model.geometry=implicit", 0.01, &worst));
    ss_verify_near(v, 0, worst, 1e-6, "kinetic energy of the disc against 6.75 J, h = 0.01 (J)");
    SS_TRY(roll(v, "simulation.model.geometry=implicit", 0.1, &worst));
    ss_verify_near(v, 0, worst, 1e-6, "kinetic energy of the disc against 6.75 J, h = 0.1 (J)");
    SS_TRY(routes(v));
    static const char *const labels[POLYGONS] = {
        "10 edges",         "20 edges", "50 edges", "100 edges",  "200 edges",
        "1000, h = 0.01 s", "h = 5 ms", "h = 1 ms", "h = 0.5 ms", "h = 0.2 ms"};
    track tracks[POLYGONS];
    for (int i = 0; i < POLYGONS; i++) {
        SS_TRY(polygon(v, polygons[i].edges, polygons[i].h, polygons[i].energy, &tracks[i]));
    }
    return draw(v, tracks, labels, POLYGONS, 6);
}

const ss_verify_case ss_verify_disc_roll = {
    .name    = "disc-roll",
    .source  = "Berard 2009, 3.5.3.1, Fig. 3.6",
    .summary = "a rolling disc keeps its energy with implicit geometry, polygons lose theirs",
    .run     = run};
