/* SPDX-License-Identifier: Apache-2.0 */
/* Islands that take a step by themselves (sim/groups.c): what strikes in a crowd does so as it does
   alone, and what is told of it is told of all. */
#include "world.h"

enum { TEXT = 32768, BOXES = 40, COLUMNS = 8 };

static int add(char *text, int at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int more = vsnprintf(text + at, (size_t)(TEXT - at), format, args);
    va_end(args);
    assert_true(at + more < TEXT);
    return at + more;
}

static int add_box(char *text, int at, int i)
{
    return add(text, at,
               "  - {name: b%d, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.2, 0.3]}},\n"
               "     position: [%d, %d, %.17g], euler: [%.17g, %.17g, 0.1],\n"
               "     velocity: [1, 0.2, 0], angular_velocity: [1, 2, 0.5]}\n",
               i, 2 * (i % COLUMNS), 2 * (i / COLUMNS), 0.5 + 0.013 * i, 0.3 + 0.1 * i,
               0.2 + 0.07 * i);
}

/* Boxes that tumble onto a floor, far from each other: box `only`, or all of them. */
static void open_boxes(world *w, int only, const char *more)
{
    char *text = malloc(TEXT);
    assert_non_null(text);
    int at = add(text, 0,
                 "materials: {default: {friction: 0.3, restitution: 0.5}}\nbodies:\n"
                 "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n");
    for (int i = 0; i < BOXES; i++) {
        at = only < 0 || only == i ? add_box(text, at, i) : at;
    }
    add(text, at, "%s", more);
    open_text(w, text);
    free(text);
}

/* To the last bits that a place along the floor has. */
static void each_moves_as_it_does_alone(void **state)
{
    (void)state;
    world all;
    open_boxes(&all, -1, "simulation: {step: 0.01}\n");
    run(&all, 0.01, 60);
    for (int i = 0; i < BOXES; i += 7) {
        world w;
        char  name[16];
        snprintf(name, sizeof name, "b%d", i);
        open_boxes(&w, i, "simulation: {step: 0.01}\n");
        run(&w, 0.01, 60);
        ss_body_state a = body_named(&all, name), b = body_named(&w, name);
        assert_near(ss_norm(ss_sub(a.position, b.position)), 0, 1e-9);
        assert_near(ss_norm(ss_sub(a.velocity, b.velocity)), 0, 1e-7);
        assert_near(ss_norm(ss_sub(a.angular_velocity, b.angular_velocity)), 0, 1e-6);
        close_world(&w);
    }
    close_world(&all);
}

/* Momentum of every body in every step is what its contacts are told to have done, and each
   contact that is told is between bodies of the scene. */
static void contacts_of_all_groups_are_told(void **state)
{
    (void)state;
    world w;
    int   events = 0;
    open_boxes(&w, -1, "simulation: {step: 0.01}\n");
    for (int k = 0; k < 50; k++) {
        double before[BOXES], pushed[BOXES];
        for (int i = 0; i < BOXES; i++) {
            before[i] = body(&w, i + 1).velocity.z;
            pushed[i] = -9.81 * 0.01;
        }
        run(&w, 0.01, 1);
        for (int32_t c = 0; c < ss_data_contact_count(w.data); c++) {
            ss_contact_info info;
            check(&w, ss_data_contact(w.model, w.data, c, &info));
            assert_true(info.body_a == 0 || info.body_b == 0);
            int32_t box = info.body_a == 0 ? info.body_b : info.body_a;
            double  up  = info.impulse[0] * info.normal.z + info.impulse[1] * info.t.z +
                        info.impulse[2] * info.o.z;
            pushed[box - 1] += info.body_b == box ? up : -up;
        }
        for (int i = 0; i < BOXES; i++) {
            assert_near(body(&w, i + 1).velocity.z - before[i], pushed[i], 1e-10);
        }
        events += ss_data_report(w.data)->events;
        assert_near(ss_data_report(w.data)->step, 0.01, 0);
        assert_near(ss_data_time(w.data), 0.01 * (k + 1), 1e-12);
    }
    assert_true(events > BOXES);
    close_world(&w);
}

/* A pendulum swings beside them: its joint is told of whoever took the step last. */
static void joints_of_the_rest_are_told(void **state)
{
    (void)state;
    const char *swing =
        "  - {name: rod, type: dynamic, mass: 2, inertia: [0.1, 0.1, 0.1], position: [-5, 0, 2]}\n"
        "joints:\n"
        "  - {name: pin, type: revolute, bodies: [world, rod], anchor: [-4.5, 0, 2],\n"
        "     axis: [0, 1, 0]}\n"
        "simulation: {step: 0.01}\n";
    world all, alone;
    open_boxes(&all, -1, swing);
    open_boxes(&alone, 0, swing);
    for (int k = 0; k < 50; k++) {
        ss_joint_info a, b;
        run(&all, 0.01, 1);
        run(&alone, 0.01, 1);
        check(&all, ss_data_joint(all.model, all.data, 0, &a));
        check(&alone, ss_data_joint(alone.model, alone.data, 0, &b));
        assert_near(a.value[0], b.value[0], 1e-12);
        assert_near(ss_norm(ss_sub(a.force, b.force)), 0, 1e-8);
        assert_true(ss_norm(a.force) > 1);
    }
    close_world(&all);
    close_world(&alone);
}

static int add_gas(char *text, int count)
{
    int at = add(text, 0,
                 "gravity: [0, 0, 0]\n"
                 "materials: {default: {friction: 0, restitution: 1}}\nbodies:\n");
    for (int i = 0; i < 6; i++) {
        const char *const n[] = {"1, 0, 0",  "-1, 0, 0", "0, 1, 0",
                                 "0, -1, 0", "0, 0, 1",  "0, 0, -1"};
        at                    = add(text, at,
                                    "  - {name: w%d, type: static, shape: {plane: {normal: [%s], offset: -1.2}}}\n", i,
                                    n[i]);
    }
    for (int i = 0; i < count; i++) {
        at =
            add(text, at,
                "  - {name: b%d, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.12, 0.15]}},\n"
                "     position: [%.17g, %.17g, %.17g], euler: [%.17g, %.17g, 0],\n"
                "     velocity: [%.17g, %.17g, %.17g], angular_velocity: [%.17g, %.17g, 1]}\n",
                i, -0.75 + 0.5 * (i % 4), -0.75 + 0.5 * (i / 4 % 4), -0.75 + 0.5 * (i / 16),
                0.3 * i, 0.2 * i, sin(3.7 * i), sin(5.3 * i + 1), sin(7.1 * i + 2),
                3 * sin(2.3 * i), 3 * sin(4.9 * i));
    }
    return add(text, at, "simulation: {step: 0.01}\n");
}

/* An elastic gas of boxes keeps its energy, and momentum that walls do not take. */
static void an_elastic_gas_keeps_its_energy(void **state)
{
    (void)state;
    char *text = malloc(TEXT);
    world w;
    assert_non_null(text);
    add_gas(text, 64);
    open_text(&w, text);
    double before = total_energy(&w);
    run(&w, 0.01, 100);
    assert_near(total_energy(&w), before, 1e-6 * before);
    close_world(&w);
    free(text);
}

/* Going on from a snapshot gives the same bits. */
static void groups_are_restored(void **state)
{
    (void)state;
    world w;
    open_boxes(&w, -1, "simulation: {step: 0.01}\n");
    run(&w, 0.01, 30);
    assert_restores(&w, 0.01, 20);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_moves_as_it_does_alone),
        cmocka_unit_test(contacts_of_all_groups_are_told),
        cmocka_unit_test(joints_of_the_rest_are_told),
        cmocka_unit_test(an_elastic_gas_keeps_its_energy),
        cmocka_unit_test(groups_are_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
