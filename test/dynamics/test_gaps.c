/* SPDX-License-Identifier: Apache-2.0 */
/* True gaps at configurations other than the one the data is in. */
#include "world.h"

#include "dynamics/gaps.h"

static void add_body(world *w, const char *name, const ss_shape_def *shape, double height)
{
    ss_body_def b = ss_body_def_default();
    b.name        = name;
    b.mass        = 1;
    b.shape       = shape;
    b.position.z  = height;
    check(w, ss_scene_add_body(w->scene, &b, NULL));
}

/* A dumbbell of two balls 2 apart along x (its centre of mass between them), a floor, a small ball.
 */
static void any_configuration(void **state)
{
    (void)state;
    const ss_shape_def ends[] = {
        {.type = "sphere", .params = {.sphere = {0.5}}, .position = {-1, 0, 0}},
        {.type = "sphere", .params = {.sphere = {0.5}}, .position = {1, 0, 0}}};
    const ss_shape_def both  = {.type = "union", .parts = ends, .part_count = 2};
    const ss_shape_def small = {.type = "sphere", .params = {.sphere = {0.1}}};
    world              w;
    open_world(&w, 3, NULL);
    add_floor(&w);
    add_body(&w, "dumbbell", &both, 9);
    add_body(&w, "ball", &small, 5);
    start(&w);
    assert_int_equal(w.model->ng, 4);

    ss_pose poses[3] = {w.model->bodies[0].start_pose, w.model->bodies[1].start_pose,
                        w.model->bodies[2].start_pose};
    poses[1].p       = ss_v3(0, 0, 1);
    poses[1].q       = ss_quat_from_rotation(ss_v3(0, asin(0.3), 0)); /* x goes down by 0.3 */
    poses[2].p       = ss_v3(0, 2, 3);
    ss_frame frames[4];
    ss_vec3  n;
    ss_place_geoms(w.model, poses, frames);
    assert_near(ss_geom_gap(w.model, frames, 0, 1, INFINITY, &n), 1 + 0.3 - 0.5, 1e-15);
    assert_near(n.z, 1, 0);
    assert_near(ss_geom_gap(w.model, frames, 0, 2, INFINITY, &n), 1 - 0.3 - 0.5, 1e-15);
    assert_near(ss_geom_gap(w.model, frames, 2, 0, INFINITY, &n), 1 - 0.3 - 0.5, 1e-15);
    assert_near(n.z, -1, 0);
    ss_vec3 to = ss_sub(poses[2].p, ss_v3(cos(asin(0.3)), 0, 0.7));
    assert_near(ss_geom_gap(w.model, frames, 3, 2, INFINITY, &n), ss_norm(to) - 0.6, 1e-15);
    assert_near(ss_dot(n, to), -ss_norm(to), 1e-12);
    double some = ss_geom_gap(w.model, frames, 3, 2, 0, NULL);
    assert_true(some > 0 && some <= ss_norm(to) - 0.6);
    close_world(&w);
}

/* Of contacts of the same features the nearest is left, pair by pair, in the order they came. */
static void doubles_are_one_contact(void **state)
{
    (void)state;
    ss_contact c[] = {
        {.geom_a = 0, .geom_b = 1, .feature_a = 1, .feature_b = 7, .gap = 3},
        {.geom_a = 0, .geom_b = 1, .feature_a = 2, .feature_b = 7, .gap = 4},
        {.geom_a = 0, .geom_b = 1, .feature_a = 1, .feature_b = 7, .gap = 2, .branch = 5},
        {.geom_a = 0, .geom_b = 1, .feature_a = 1, .feature_b = 7, .gap = 3},
        {.geom_a = 0, .geom_b = 2, .feature_a = 1, .feature_b = 7, .gap = 1},
        {.geom_a = 0, .geom_b = 2, .feature_a = 1, .feature_b = 7, .gap = 1},
        {.geom_a = 0, .geom_b = 2, .feature_a = 1, .feature_b = 8, .gap = 6},
    };
    assert_int_equal(ss_drop_doubles(c, 7), 4);
    const double left[] = {2, 4, 1, 6};
    for (int i = 0; i < 4; i++) {
        assert_near(c[i].gap, left[i], 0);
    }
    assert_int_equal(ss_drop_doubles(c, 4), 4);
    assert_int_equal(ss_drop_doubles(c, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_configuration),
                                       cmocka_unit_test(doubles_are_one_contact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
