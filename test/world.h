/* SPDX-License-Identifier: Apache-2.0 */
/* A scene, its model and its data in one struct: opened, stepped and closed alike in every test. */
#ifndef SS_TEST_WORLD_H
#define SS_TEST_WORLD_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"
#include "stickslip/stickslip.h"

typedef struct world {
    ss_context       *ctx;
    ss_scene         *scene;
    ss_model         *model;
    ss_data          *data;
    int               dimension; /* this and the next: of a scene that is built call by call */
    ss_simulation_def sim;       /* set in the scene when it starts                          */
} world;

/* Builds without some library cannot do everything, and say so: such a test is skipped, by name. In
   a build that has them all it fails. */
#if defined(SS_HAVE_LUA) && defined(SS_HAVE_KLU) && defined(SS_HAVE_QHULL)
enum { LACKS_LIBRARIES = 0 };
#else
enum { LACKS_LIBRARIES = 1 };
#endif

static inline void check(const world *w, ss_status status)
{
    if (status == SS_ERR_UNSUPPORTED && LACKS_LIBRARIES) {
        print_message("SKIPPED: %s\n", ss_context_message(w->ctx));
        skip();
    }
    if (status != SS_OK) {
        /* cppcheck-suppress uninitvar ; whatever opens a world sets it */
        fail_msg("%s", ss_context_message(w->ctx));
    }
}

static inline ss_status compile_world(world *w)
{
    SS_TRY(ss_model_compile(w->ctx, w->scene, &w->model));
    return ss_data_create(w->ctx, w->model, &w->data);
}

/* ---- a scene built call by call: open, add, start ---- */

static inline void open_world(world *w, int dimension, const char *solver)
{
    *w = (world){
        .ctx = ss_context_create(NULL), .dimension = dimension, .sim = ss_simulation_def_default()};
    assert_non_null(w->ctx);
    check(w, ss_scene_create(w->ctx, dimension, &w->scene));
    w->sim.solver = solver;
    /* Numbers in tests are those of Stewart-Trinkle; tests of the second order say so. */
    w->sim.axes.integrator = SS_INTEGRATOR_EULER;
}

/* Of everything that names no other. */
static inline void add_material(world *w, double friction, double restitution)
{
    ss_material_def def = {.name = "default", .friction = friction, .restitution = restitution};
    check(w, ss_scene_add_material(w->scene, &def));
}

/* At height 0; up is z, in the plane y. */
static inline void add_floor(world *w)
{
    bool         space        = w->dimension == 3;
    ss_shape_def plane        = {.type = space ? "plane" : "halfplane"};
    plane.params.plane.normal = space ? ss_v3(0, 0, 1) : ss_v3(0, 1, 0);
    ss_body_def floor         = ss_body_def_default();
    floor.name                = "floor";
    floor.type                = SS_BODY_STATIC;
    floor.shape               = &plane;
    check(w, ss_scene_add_body(w->scene, &floor, NULL));
}

static inline ss_status try_start(world *w)
{
    SS_TRY(ss_scene_set_simulation(w->scene, &w->sim));
    return compile_world(w);
}

static inline void start(world *w)
{
    check(w, try_start(w));
}

/* ---- a scene read from text ---- */

/* `set`: overrides, as on the command line. The context is there already. */
static inline ss_status load_world(world *w, const char *text, const char *const *set,
                                   int32_t count)
{
    SS_TRY(ss_scene_load_text(w->ctx, text, strlen(text), "test.yaml", set, count, &w->scene));
    return compile_world(w);
}

static inline ss_status try_text(world *w, const char *text)
{
    *w = (world){.ctx = ss_context_create(NULL)};
    assert_non_null(w->ctx);
    return load_world(w, text, NULL, 0);
}

static inline void open_text(world *w, const char *text)
{
    check(w, try_text(w, text));
}

/* ---- steps and what they lead to ---- */

static inline void run(world *w, double h, int steps)
{
    for (int i = 0; i < steps; i++) {
        check(w, ss_step(w->model, w->data, h));
    }
}

static inline ss_body_state body(const world *w, int32_t i)
{
    ss_body_state s;
    ss_data_body(w->model, w->data, i, &s);
    return s;
}

static inline ss_body_state body_named(const world *w, const char *name)
{
    return body(w, ss_model_find_body(w->model, name).index1 - 1);
}

static inline double total_energy(const world *w)
{
    ss_energy e = ss_data_energy(w->model, w->data);
    return e.kinetic + e.potential;
}

/* Also of a world that did not open to the end. */
static inline void close_world(world *w)
{
    ss_data_destroy(w->data);
    ss_model_destroy(w->model);
    ss_scene_destroy(w->scene);
    ss_context_destroy(w->ctx);
}

/* Restored into fresh data, it goes on with the same bits: what a solver has seen before must not
 * matter. Both are taken `steps` further. */
static inline void assert_restores(world *w, double h, int steps)
{
    size_t   size     = ss_snapshot_size(w->model, w->data);
    void    *snapshot = malloc(size);
    ss_data *fresh;
    ss_snapshot_get(w->model, w->data, snapshot);
    check(w, ss_data_create(w->ctx, w->model, &fresh));
    check(w, ss_snapshot_set(w->model, fresh, snapshot, size));
    for (int i = 0; i < steps; i++) {
        check(w, ss_step(w->model, fresh, h));
        check(w, ss_step(w->model, w->data, h));
        assert_true(ss_state_hash(w->model, fresh) == ss_state_hash(w->model, w->data));
    }
    ss_data_destroy(fresh);
    free(snapshot);
}

#endif
