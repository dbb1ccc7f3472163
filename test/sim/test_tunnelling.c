/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nothing passes through anything, however far it gets within a step: a step in which it would is
 * cut, or ends at the impact (advance: event). Thin plates that rest, lean or are driven; every
 * shape; large steps.
 */
#include "random.h"
#include "world.h"

static const char *const shapes[] = {
    "{sphere: {radius: 0.01}}",
    "{box: {size: [0.01, 0.02, 0.001]}}",
    "{capsule: {radius: 0.003, length: 0.02}}",
    "{cylinder: {radius: 0.01, length: 0.001}}",
    "{ellipsoid: {radii: [0.005, 0.004, 0.01]}}",
    "{superellipsoid: {radii: [0.01, 0.005, 0.004], e1: 0.5, e2: 0.6}}",
    "{intersection: [{cylinder: {radius: 0.01, length: 0.01}}, {sphere: {radius: 0.011}}]}",
};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static bool by_events; /* simulation: {advance: event} */

static ss_quat random_turn(uint64_t *seed)
{
    ss_quat q = {random_between(seed, -1, 1), random_between(seed, -1, 1),
                 random_between(seed, -1, 1), random_between(seed, -1, 1)};
    return ss_quat_unit(q);
}

/* A body that flies along x, tumbling, at what `plate` describes; in front of it at x < 0. */
static void open_shot(world *w, const char *plate, const char *shape, double x, double v,
                      uint64_t *seed)
{
    char    text[1500];
    ss_quat q = random_turn(seed);
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\n"
             "simulation: {advance: %s}\n"
             "materials: {default: {friction: 0.3}}\n"
             "bodies:\n"
             "  - {name: plate, %s}\n"
             "  - {name: shot, type: dynamic, density: 1000, shape: %s, position: [%g, 0, 0],\n"
             "     quat_wxyz: [%.17g, %.17g, %.17g, %.17g], velocity: [%g, 0, 0],\n"
             "     angular_velocity: [%g, %g, %g]}\n",
             by_events ? "event" : "fixed", plate, shape, x, q.w, q.x, q.y, q.z, v,
             random_between(seed, -40, 40), random_between(seed, -40, 40),
             random_between(seed, -40, 40));
    open_text(w, text);
}

/* Into a plate of 1 mm at rest, upright or leaning: the far side is never reached. */
static void plates_at_rest(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (int i = 0; i < 4 * SHAPES; i++) {
        const double speed[4] = {3, 5, 10, 30}, step[2] = {0.01, 0.005};
        double       v = speed[i % 4], h = step[i / 4 % 2], lean = i % 3 == 0 ? 0 : 0.6;
        char         plate[200];
        world        w;
        snprintf(
            plate, sizeof plate,
            "type: static, shape: {box: {size: [0.001, 1, 1]}}, quat_wxyz: [%.17g, 0, 0, %.17g]",
            cos(lean / 2), sin(lean / 2));
        open_shot(&w, plate, shapes[i % SHAPES], -1.7 * h * v - 0.02, v, &seed);
        for (int k = 0; k < 6; k++) {
            run(&w, h, 1);
            ss_vec3 p = body(&w, 1).position;
            assert_true(cos(lean) * p.x + sin(lean) * p.y < 0);
        }
        close_world(&w);
    }
}

/* A plate that is driven over what is in its way carries it along. */
static void driven_plates(void **state)
{
    (void)state;
    uint64_t seed = 22;
    for (int i = 0; i < SHAPES; i++) {
        world w;
        open_shot(&w,
                  "type: kinematic, shape: {box: {size: [0.001, 1, 1]}}, "
                  "motion: {x: \"-10*t\", y: 0, z: 0}",
                  shapes[i], -0.173, 0, &seed);
        for (int k = 0; k < 6; k++) {
            run(&w, 0.01, 1);
            assert_true(body(&w, 1).position.x < body(&w, 0).position.x);
        }
        assert_true(body(&w, 1).velocity.x < -5);
        close_world(&w);
    }
}

/* A 1 mm plate hit at 100 m/s with h = 0.01 is hit. */
static void at_a_hundred_metres_a_second(void **state)
{
    (void)state;
    uint64_t seed = 23;
    for (int i = 0; i < SHAPES; i++) {
        world w;
        open_shot(&w, "type: static, shape: {box: {size: [0.001, 4, 4]}}", shapes[i], -0.6, 100,
                  &seed);
        for (int k = 0; k < 3; k++) {
            run(&w, 0.01, 1);
            assert_true(body(&w, 1).position.x < 0);
        }
        close_world(&w);
    }
}

static void all_of_them_by_events(void **state)
{
    by_events = true;
    plates_at_rest(state);
    driven_plates(state);
    at_a_hundred_metres_a_second(state);
    by_events = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates_at_rest),
        cmocka_unit_test(driven_plates),
        cmocka_unit_test(at_a_hundred_metres_a_second),
        cmocka_unit_test(all_of_them_by_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
