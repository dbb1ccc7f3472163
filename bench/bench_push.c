/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pushing in the plane (2.5D): a needle tip of 25 um moves a block of 1.6 x 0.8 mm that lies on
 * three points, 100 straight pushes of 1000 steps of 1 um from places all along one side, sticking,
 * sliding and passing by. One thread, certificates included; the quickest of several turns counts:
 * the machine may be busy with other things.
 *
 * usage: bench_push [TURNS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "stickslip/stickslip.h"

enum { PUSHES = 100, STEPS = 1000 };

static const double length = 1.6e-3, width = 0.8e-3, tip = 25e-6;
static const double stride = 1e-6, h = 1e-3; /* metres and seconds a step */

typedef struct push_line {
    double x, y, dx, dy; /* start, and metres a second */
} push_line;

typedef struct world {
    ss_context *ctx;
    ss_scene   *scene;
    ss_model   *model;
    ss_data    *data;
    push_line   line;
    double      worst; /* residual */
} world;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int needle_at(void *user, double t, double *values, int32_t count)
{
    const push_line *p = user;
    values[0]          = p->x + p->dx * t;
    values[1]          = p->y + p->dy * t;
    for (int32_t i = 2; i < count; i++) {
        values[i] = 0;
    }
    return 0;
}

static ss_status add_needle(world *w)
{
    ss_shape_def disc         = {.type = "disc"};
    ss_body_def  def          = ss_body_def_default();
    disc.params.sphere.radius = tip;
    def.name                  = "needle";
    def.type                  = SS_BODY_KINEMATIC;
    def.shape                 = &disc;
    def.motion.fn             = needle_at;
    def.motion.fn_user        = &w->line;
    return ss_scene_add_body(w->scene, &def, NULL);
}

static ss_status add_block(world *w)
{
    static const ss_vec3  points[3] = {{0.6e-3, 0.3e-3, 0}, {-0.6e-3, 0.3e-3, 0}, {0, -0.3e-3, 0}};
    static const double   mu        = 0.3;
    static ss_support_def support   = {
          .points = points, .point_count = 3, .friction = &mu, .friction_count = 1, .gravity = 9.81};
    ss_shape_def box    = {.type = "box"};
    ss_body_def  def    = ss_body_def_default();
    box.params.box.size = ss_v3(length, width, 0);
    def.name            = "block";
    def.mass            = 3e-6;
    def.shape           = &box;
    def.support         = &support;
    return ss_scene_add_body(w->scene, &def, NULL);
}

static ss_status open_world(world *w, ss_inertia_kind inertia, ss_cone_kind cone)
{
    SS_TRY(ss_scene_create(w->ctx, 2, &w->scene));
    ss_simulation_def sim    = ss_simulation_def_default();
    sim.axes.inertia         = inertia;
    sim.axes.cone            = cone;
    sim.axes.cone_directions = 8;
    SS_TRY(ss_scene_set_simulation(w->scene, &sim));
    ss_scene_set_gravity(w->scene, ss_v3(0, 0, 0));
    ss_material_def material = {.name = "default", .friction = 0.2};
    SS_TRY(ss_scene_add_material(w->scene, &material));
    SS_TRY(add_needle(w));
    SS_TRY(add_block(w));
    SS_TRY(ss_model_compile(w->ctx, w->scene, &w->model));
    return ss_data_create(w->ctx, w->model, &w->data);
}

static void close_world(world *w)
{
    ss_data_destroy(w->data);
    ss_model_destroy(w->model);
    ss_scene_destroy(w->scene);
}

/* Push k of a turn: begins 5 um below the lower side, and leans by up to half a radian. */
static push_line line_of(int k)
{
    double    place = (k + 0.5) / PUSHES - 0.5, lean = 0.5 * sin(2.4 * k);
    push_line p = {.x  = 0.9 * place * length,
                   .y  = -width / 2 - tip - 5e-6,
                   .dx = stride / h * sin(lean),
                   .dy = stride / h * cos(lean)};
    return p;
}

static ss_status all_pushes(world *w)
{
    for (int k = 0; k < PUSHES; k++) {
        w->line = line_of(k);
        SS_TRY(ss_data_reset(w->model, w->data));
        for (int i = 0; i < STEPS; i++) {
            SS_TRY(ss_step(w->model, w->data, h));
            w->worst = fmax(w->worst, ss_data_report(w->data)->residual);
        }
    }
    return SS_OK;
}

static bool measure(ss_context *ctx, int turns, ss_inertia_kind inertia, ss_cone_kind cone,
                    double bar)
{
    char model[64];
    snprintf(model, sizeof model, "%s, %s",
             inertia == SS_INERTIA_DYNAMIC ? "dynamic" : "quasistatic",
             cone == SS_CONE_QUADRATIC ? "quadratic" : "polygon: 8");
    world     w      = {.ctx = ctx, .line = line_of(0)};
    double    best   = INFINITY;
    ss_status status = open_world(&w, inertia, cone);
    for (int i = 0; status == SS_OK && i < turns; i++) {
        double start = seconds();
        status       = all_pushes(&w);
        best         = fmin(best, seconds() - start);
    }
    close_world(&w);
    if (status != SS_OK) {
        printf("| needle pushes a block | %s | failed: %s |\n", model, ss_context_message(ctx));
        return false;
    }
    printf("| needle pushes a block, %d steps | %s | %.3f s | %.2f s | %.0e |\n", PUSHES * STEPS,
           model, best, bar, w.worst);
    return true;
}

int main(int argc, char **argv)
{
    int         turns = argc > 1 ? atoi(argv[1]) : 3;
    ss_context *ctx   = ss_context_create(NULL);
    if (ctx == NULL || turns < 1) {
        fprintf(stderr, "usage: bench_push [TURNS]\n");
        return 2;
    }
    printf("| scene | model | CPU time | bar | largest residual |\n|---|---|---|---|---|\n");
    bool quadratic = measure(ctx, turns, SS_INERTIA_QUASISTATIC, SS_CONE_QUADRATIC, 1.0);
    bool polygon   = measure(ctx, 1, SS_INERTIA_QUASISTATIC, SS_CONE_POLYGON, 1.0);
    bool dynamic   = measure(ctx, turns, SS_INERTIA_DYNAMIC, SS_CONE_QUADRATIC, 0.2);
    ss_context_destroy(ctx);
    return quadratic && polygon && dynamic ? 0 : 1;
}
