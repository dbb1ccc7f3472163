/* SPDX-License-Identifier: Apache-2.0 */
/* A heavy cube on a light one (refine.c): at rest to the last digit, sliding at the exact speed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

#include "stickslip/stickslip.h"

typedef struct world {
    ss_context *ctx;
    ss_scene   *scene;
    ss_model   *model;
    ss_data    *data;
} world;

static void add_body(world *w, const char *name, const ss_shape_def *shape, double z, double mass)
{
    ss_body_def def = ss_body_def_default();
    def.name        = name;
    def.type        = mass > 0 ? SS_BODY_DYNAMIC : SS_BODY_STATIC;
    def.mass        = mass > 0 ? mass : 1;
    def.shape       = shape;
    def.position    = ss_v3(0, 0, z);
    assert_int_equal(ss_scene_add_body(w->scene, &def, NULL), SS_OK);
}

static void open_stack(world *w, ss_cone_kind cone, double apart, ss_vec3 gravity, double friction,
                       double heavy)
{
    memset(w, 0, sizeof *w);
    w->ctx = ss_context_create(NULL);
    assert_int_equal(ss_scene_create(w->ctx, 3, &w->scene), SS_OK);
    ss_scene_set_gravity(w->scene, gravity);
    ss_simulation_def sim    = ss_simulation_def_default();
    sim.axes.cone            = cone;
    sim.axes.cone_directions = 4;
    sim.solver               = cone == SS_CONE_POLYGON ? "lemke" : sim.solver;
    assert_int_equal(ss_scene_set_simulation(w->scene, &sim), SS_OK);
    ss_material_def material = {.name = "default", .friction = friction};
    assert_int_equal(ss_scene_add_material(w->scene, &material), SS_OK);
    ss_shape_def floor = {.type = "plane"}, cube = {.type = "box"};
    floor.params.plane.normal = ss_v3(0, 0, 1);
    cube.params.box.size      = ss_v3(1, 1, 1);
    add_body(w, "floor", &floor, 0, 0);
    add_body(w, "light", &cube, 0.5 + apart, 1);
    add_body(w, "heavy", &cube, 1.5 + 2 * apart, heavy);
    assert_int_equal(ss_model_compile(w->ctx, w->scene, &w->model), SS_OK);
    assert_int_equal(ss_data_create(w->ctx, w->model, &w->data), SS_OK);
}

static void close_world(world *w)
{
    ss_data_destroy(w->data);
    ss_model_destroy(w->model);
    ss_scene_destroy(w->scene);
    ss_context_destroy(w->ctx);
}

static void rests(ss_cone_kind cone, double apart)
{
    world w;
    open_stack(&w, cone, apart, ss_v3(0, 0, -9.81), 0.5, 1e6);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(ss_step(w.model, w.data, 0.01), SS_OK);
    }
    for (int32_t i = 1; i <= 2; i++) {
        ss_body_state x;
        ss_data_body(w.model, w.data, i, &x);
        assert_near(0, hypot(x.position.x, x.position.y), 1e-15);
        assert_near(i - 0.5, x.position.z, 1e-15);
        assert_near(0, ss_norm(x.velocity), 1e-15);
    }
    close_world(&w);
}

static void test_rests(void **state)
{
    (void)state;
    const double apart[] = {0, 1e-9, -1e-9};
    for (int i = 0; i < 3; i++) {
        rests(SS_CONE_QUADRATIC, apart[i]);
        rests(SS_CONE_POLYGON, apart[i]);
    }
}

/* Both slide as one: rows that slide are left alone. */
static void test_slides(void **state)
{
    (void)state;
    world         w;
    ss_body_state light, heavy;
    open_stack(&w, SS_CONE_QUADRATIC, 0, ss_v3(2, 0, -9.81), 0.1, 1e3);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(ss_step(w.model, w.data, 0.01), SS_OK);
    }
    ss_data_body(w.model, w.data, 1, &light);
    ss_data_body(w.model, w.data, 2, &heavy);
    assert_near(0.5 * (2 - 0.1 * 9.81), heavy.velocity.x, 1e-8);
    assert_near(0, light.velocity.z, 1e-12);
    assert_near(0, heavy.velocity.z, 1e-12);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rests),
        cmocka_unit_test(test_slides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
