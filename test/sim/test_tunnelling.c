/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nothing passes through anything, however far it gets within a step: a step in which it would is
 * cut, or ends at the impact (advance: event). Thin plates that rest, lean, spin or are driven;
 * every shape; large steps.
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

/*
 * What two bodies may overlap by is a part of their thickness as well as of their length: into a
 * plate that spins about its own normal, or flies at another plate and turns with 3 rad/s, a part
 * of its length is all the way.
 */
static void run_until_past(world *w, double h, double way, double v)
{
    for (double t = 0; t < way / v; t += h) {
        run(w, h, 1);
        ss_body_state plate = body(w, 0);
        ss_vec3       from  = ss_sub(body(w, 1).position, plate.position);
        assert_true(cos(plate.angle) * from.x + sin(plate.angle) * from.y < 0);
    }
}

static void points_at_plates_that_spin(void **state)
{
    (void)state;
    uint64_t seed = 24;
    for (int i = 0; i < 24; i++) {
        const double speed[3] = {3, 10, 30}, step[2] = {0.01, 0.005};
        double       v = speed[i % 3], h = step[i / 3 % 2], W = i % 4 < 2 ? 100 : 300;
        double       x = -random_between(&seed, 0.05, 0.9) * v * h - 0.004;
        char         plate[120], text[800];
        world        w;
        snprintf(plate, sizeof plate,
                 i % 2 == 0 ? "dynamic, mass: 1000, angular_velocity: [%g, 0, 0]"
                            : "kinematic, motion: {euler: [\"%g*t\", 0, 0]}",
                 W);
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\n"
                 "simulation: {advance: %s}\n"
                 "materials: {default: {friction: 0.5}}\n"
                 "bodies:\n"
                 "  - {name: plate, type: %s, shape: {box: {size: [0.001, 1, 1]}}}\n"
                 "  - {name: shot, type: particle, mass: 0.1, shape: {point: {}},\n"
                 "     position: [%.17g, %.17g, %.17g], velocity: [%g, 0, 0]}\n",
                 by_events ? "event" : "fixed", plate, x, random_between(&seed, -0.3, 0.3),
                 random_between(&seed, -0.3, 0.3), v);
        open_text(&w, text);
        run_until_past(&w, h, 0.004 - x, v);
        close_world(&w);
    }
}

/* In the plane: two plates of 1 mm by 0.6 and 1 m that meet while one turns. */
static void plates_at_plates(void **state)
{
    (void)state;
    static const char *const thin[] = {"box: {size: [0.001, %g]}",
                                       "superellipse: {radii: [0.0005, %g], e: 1}"};
    uint64_t                 seed   = 25;
    for (int i = 0; i < 24; i++) {
        const double speed[3] = {3, 10, 30}, step[2] = {0.01, 0.005};
        double       v = speed[i % 3], h = step[i / 3 % 2];
        double       x = -random_between(&seed, 0.05, 0.9) * v * h - 0.01;
        char         long_one[80], short_one[80], text[800];
        world        w;
        snprintf(long_one, sizeof long_one, thin[i / 6 % 2], i / 6 % 2 == 0 ? 1 : 0.5);
        snprintf(short_one, sizeof short_one, thin[i / 12 % 2], i / 12 % 2 == 0 ? 0.6 : 0.3);
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, 0]\n"
                 "simulation: {advance: %s}\n"
                 "materials: {default: {friction: 0.5}}\n"
                 "bodies:\n"
                 "  - {name: plate, type: dynamic, mass: 1000, angular_velocity: %d,\n"
                 "     shape: {%s}}\n"
                 "  - {name: shot, type: dynamic, mass: 0.1, shape: {%s},\n"
                 "     position: [%.17g, %.17g], velocity: [%g, 0]}\n",
                 by_events ? "event" : "fixed", i % 2 == 0 ? 3 : 1, long_one, short_one, x,
                 random_between(&seed, -0.2, 0.2), v);
        open_text(&w, text);
        run_until_past(&w, h, 0.05 - x, v);
        close_world(&w);
    }
}

/* A box that strikes the flat side of a superellipse with a corner turns about it onto the next,
   and so on: at any step. */
static void edges_on_flat_sides(void **state)
{
    (void)state;
    static const double cases[][8] = {
        /* half as thick, e; box; y, v, angle; step */
        {0.0005, 0.3, 0.01534, 0.02468, -0.0155, 10, -0.0559, 0.005},
        {0.0005, 0.3, 0.01534, 0.02468, -0.0155, 10, -0.0559, 0.003},
        {0.0005, 0.3, 0.01534, 0.02468, -0.0155, 10, -0.0559, 0.001},
        {0.0005, 0.2, 0.012, 0.022, 0.1, 3, 0.04, 0.004},
        {0.005, 0.2, 0.02, 0.025, -0.2, 10, 0.07, 0.003},
        {0.005, 0.3, 0.013, 0.0198, 0.15, 30, -0.03, 0.005},
        {0.05, 0.2, 0.021, 0.0259, 0.05, 30, 0.06, 0.003},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double *c = cases[i];
        char          text[800];
        world         w;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, 0]\n"
                 "materials: {default: {friction: 0}}\n"
                 "bodies:\n"
                 "  - {name: plate, type: static, shape: {superellipse: {radii: [%g, 0.5], e: "
                 "%g}}}\n"
                 "  - {name: shot, type: dynamic, mass: 0.1, shape: {box: {size: [%g, %g]}},\n"
                 "     position: [-0.11, %g], velocity: [%g, 0], angle: %g}\n",
                 c[0], c[1], c[2], c[3], c[4], c[5], c[6]);
        open_text(&w, text);
        run(&w, c[7], (int)ceil(0.3 / c[5] / c[7]));
        assert_true(body(&w, 1).position.x < -c[0] - 0.5 * c[2] + 1e-3 * c[3]);
        close_world(&w);
    }
}

static void all_of_them_by_events(void **state)
{
    by_events = true;
    plates_at_rest(state);
    driven_plates(state);
    at_a_hundred_metres_a_second(state);
    points_at_plates_that_spin(state);
    plates_at_plates(state);
    by_events = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates_at_rest),
        cmocka_unit_test(driven_plates),
        cmocka_unit_test(at_a_hundred_metres_a_second),
        cmocka_unit_test(points_at_plates_that_spin),
        cmocka_unit_test(plates_at_plates),
        cmocka_unit_test(edges_on_flat_sides),
        cmocka_unit_test(all_of_them_by_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
