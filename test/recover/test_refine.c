/* SPDX-License-Identifier: Apache-2.0 */
/* A heavy cube on a light one (refine.c): at rest to the last digit, sliding at the exact speed. */
#include "model/data.h"
#include "world.h"

static void add_cube(world *w, const char *name, double z, double mass)
{
    ss_shape_def cube    = {.type = "box"};
    cube.params.box.size = ss_v3(1, 1, 1);
    ss_body_def def      = ss_body_def_default();
    def.name             = name;
    def.mass             = mass;
    def.shape            = &cube;
    def.position         = ss_v3(0, 0, z);
    check(w, ss_scene_add_body(w->scene, &def, NULL));
}

static void open_stack(world *w, ss_cone_kind cone, double apart, ss_vec3 gravity, double friction,
                       double heavy)
{
    open_world(w, 3, cone == SS_CONE_POLYGON ? "lemke" : "auto");
    ss_scene_set_gravity(w->scene, gravity);
    w->sim.axes.cone            = cone;
    w->sim.axes.cone_directions = 4;
    add_material(w, friction, 0);
    add_floor(w);
    add_cube(w, "light", 0.5 + apart, 1);
    add_cube(w, "heavy", 1.5 + 2 * apart, heavy);
    start(w);
}

static void rests(ss_cone_kind cone, double apart, bool by_rows)
{
    world w;
    open_stack(&w, cone, apart, ss_v3(0, 0, -9.81), 0.5, 1e6);
    w.data->local_rows = by_rows ? 0 : w.data->local_rows;
    run(&w, 0.01, 200);
    for (int32_t i = 1; i <= 2; i++) {
        ss_body_state x = body(&w, i);
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
        rests(SS_CONE_QUADRATIC, apart[i], false);
        rests(SS_CONE_QUADRATIC, apart[i], true);
        rests(SS_CONE_POLYGON, apart[i], false);
    }
}

/* Both slide as one: rows that slide are left alone. */
static void test_slides(void **state)
{
    (void)state;
    world w;
    open_stack(&w, SS_CONE_QUADRATIC, 0, ss_v3(2, 0, -9.81), 0.1, 1e3);
    run(&w, 0.01, 50);
    ss_body_state light = body(&w, 1), heavy = body(&w, 2);
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
