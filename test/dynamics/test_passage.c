/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What passes through something within a step is noticed, at times that are known in closed form;
 * what flies past, slides along or rests is not.
 */
#include "world.h"

#include "dynamics/passage.h"
#include "random.h"

static double nothing_allowed(const ss_model *m, const ss_data *d, const ss_pair *pair, double h)
{
    (void)m, (void)d, (void)pair, (void)h;
    return 0;
}

/* A body (number 1) against another (number 0), free in space. */
static void open_two(world *w, const char *first, const char *second, double x)
{
    char text[1000];
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\n"
             "bodies:\n"
             "  - {name: a, type: dynamic, mass: 1, shape: %s}\n"
             "  - {name: b, type: dynamic, mass: 1, shape: %s, position: [%g, 0, 0]}\n",
             first, second, x);
    open_text(w, text);
}

/* As if a step of 1 s had led there: body 1 moved by `shift` and turned by `turn`. */
static ss_passage look(world *w, ss_vec3 shift, ss_vec3 turn)
{
    ss_data *d    = w->data;
    ss_pair  pair = {0, 1}, *own = d->pairs;
    d->pairs         = &pair;
    d->pair_count    = 1;
    d->pose_next[0]  = d->state.pose[0];
    d->twist_next[0] = (ss_twist){{0, 0, 0}, {0, 0, 0}};
    d->pose_next[1]  = (ss_pose){
         .p = ss_add(d->state.pose[1].p, shift),
         .q = ss_quat_mul(ss_quat_from_rotation(turn), d->state.pose[1].q),
    };
    d->twist_next[1] = (ss_twist){shift, turn};
    d->speed[0]      = 0;
    d->speed[1]      = ss_norm(shift) + ss_norm(turn) * w->model->bodies[1].extent;
    ss_passage found = ss_find_passage(w->model, d, 1, nothing_allowed);
    d->pairs         = own;
    d->pair_count    = 0;
    return found;
}

static const char *const plate = "{box: {size: [0.001, 1, 1]}}";

/* A ball of 1 cm, 1 m of way, a plate of 1 mm half way: they touch after 0.4895 of it. */
static void a_ball_through_a_plate(void **state)
{
    (void)state;
    world w;
    open_two(&w, plate, "{sphere: {radius: 0.01}}", -0.5);
    ss_passage p = look(&w, ss_v3(1, 0, 0), ss_v3(0, 0, 0));
    assert_int_equal(p.geom_a, 0);
    assert_int_equal(p.geom_b, 1);
    assert_near(p.time, 0.4895 + 0.1 * 0.0005, 1e-8);
    assert_int_equal(look(&w, ss_v3(0.48, 0, 0), ss_v3(0, 0, 0)).geom_a, -1); /* stops before it */
    assert_int_equal(look(&w, ss_v3(-1, 0, 0), ss_v3(0, 0, 0)).geom_a, -1);   /* flies away      */
    close_world(&w);
}

/* Every shape, turning as it goes, through a plate and through each other. */
static void everything_through_everything(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "{sphere: {radius: 0.01}}",
        "{box: {size: [0.01, 0.02, 0.001]}}",
        "{capsule: {radius: 0.003, length: 0.02}}",
        "{cylinder: {radius: 0.01, length: 0.001}}",
        "{ellipsoid: {radii: [0.005, 0.004, 0.01]}}",
        "{superellipsoid: {radii: [0.01, 0.005, 0.004], e1: 0.5, e2: 0.6}}",
        "{intersection: [{cylinder: {radius: 0.01, length: 0.01}}, {sphere: {radius: 0.011}}]}",
    };
    uint64_t seed = 3;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        for (size_t j = 0; j <= sizeof shapes / sizeof shapes[0]; j++) {
            world w;
            open_two(&w, j == 0 ? plate : shapes[j - 1], shapes[i], -0.5);
            for (int k = 0; k < 4; k++) {
                ss_vec3    turn = ss_v3(random_between(&seed, -3, 3), random_between(&seed, -3, 3),
                                        random_between(&seed, -3, 3));
                ss_passage p    = look(&w, ss_v3(1, 0, 0), k == 0 ? ss_v3(0, 0, 0) : turn);
                assert_true(p.geom_a == 0 && p.time > 0.45 && p.time < 0.55);
                if (j > 0) { /* past a small one */
                    assert_int_equal(look(&w, ss_v3(1, 2, 0), turn).geom_a, -1);
                }
            }
            close_world(&w);
        }
    }
}

/* A rod turns through a plate that it does not touch before or after: half a turn about its middle.
 */
static void a_turn_through_a_plate(void **state)
{
    (void)state;
    world w;
    open_two(&w, "{box: {size: [0.001, 0.1, 0.1]}}", "{box: {size: [0.002, 0.3, 0.002]}}", 0.1);
    ss_passage p = look(&w, ss_v3(0, 0, 0), ss_v3(0, 0, 3));
    assert_int_equal(p.geom_a, 0);
    double angle = atan(0.1 / 0.05); /* the rod meets the upper edge of the plate */
    assert_true(fabs(3 * p.time - angle) < 0.05);
    assert_int_equal(look(&w, ss_v3(0, 0, 0), ss_v3(3, 0, 0)).geom_a, -1);
    assert_int_equal(look(&w, ss_v3(0, 0, 0), ss_v3(0, 0, 0.5)).geom_a, -1);
    close_world(&w);
}

/* What rests on something and slides along it far and fast, or spins on it, passes nothing. */
static void sliding_is_no_passage(void **state)
{
    (void)state;
    world w;
    open_two(&w, "{box: {size: [1, 9, 9]}}", "{box: {size: [0.01, 0.2, 0.1]}}", 0.505);
    assert_int_equal(look(&w, ss_v3(0, 4, 0), ss_v3(0, 0, 0)).geom_a, -1);
    assert_int_equal(look(&w, ss_v3(0, 0, 0), ss_v3(2, 0, 0)).geom_a, -1);
    assert_int_equal(look(&w, ss_v3(0, 4, 1), ss_v3(2, 0, 0)).geom_a, -1);
    close_world(&w);
}

/* A kinematic plate that sweeps over a ball is a pair of the broad phase, and drives the ball. */
static void the_way_of_a_driven_plate_counts(void **state)
{
    (void)state;
    world w;
    open_text(&w, "gravity: [0, 0, 0]\n"
                  "bodies:\n"
                  "  - {name: plate, type: kinematic, shape: {box: {size: [0.001, 1, 1]}},\n"
                  "     motion: {x: \"0.5 - 100*t\", y: 0, z: 0}}\n"
                  "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 0.01}}}\n");
    (void)ss_step(w.model, w.data, 0.01);
    assert_int_equal(w.data->pair_count, 1);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_through_a_plate),
        cmocka_unit_test(everything_through_everything),
        cmocka_unit_test(a_turn_through_a_plate),
        cmocka_unit_test(sliding_is_no_passage),
        cmocka_unit_test(the_way_of_a_driven_plate_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
