/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boxes that slide over the edge of a table and tip: a corner of theirs passes over the edge while
 * they touch it along a line. Forces of the edge, which lies along y, are square to it.
 */
#include "random.h"
#include "world.h"

enum { BOXES = 12 };

typedef struct tipping {
    double size[3], yaw, speed, friction;
} tipping;

static tipping random_box(uint64_t *seed, double friction)
{
    return (tipping){{random_between(seed, 0.08, 0.25), random_between(seed, 0.06, 0.2),
                      random_between(seed, 0.05, 0.15)},
                     random_between(seed, -0.8, 0.8),
                     random_between(seed, 0.6, 1.8),
                     friction};
}

static void open_tipping(world *w, const tipping *x, const char *level)
{
    char text[1000];
    snprintf(text, sizeof text,
             "materials: {default: {friction: %g}}\nbodies:\n"
             "  - {name: table, type: static, shape: {box: {size: [1, 1, 0.1]}}, position: "
             "[-0.5, 0, -0.05]}\n"
             "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [%.17g, %.17g, %.17g]}}, "
             "position: [-0.06, 0, %.17g], euler: [0, 0, %.17g], velocity: [%.17g, 0.1, 0]}\n"
             "simulation: {step: 0.001, model: {level: %s}}\n",
             x->friction, x->size[0], x->size[1], x->size[2], 0.5 * x->size[2], x->yaw, x->speed,
             level);
    open_text(w, text);
}

static ss_body_state end_of(const tipping *x, const char *level, double step, double time)
{
    world w;
    open_tipping(&w, x, level);
    run(&w, step, (int)lround(time / step));
    ss_body_state s = body(&w, 1);
    close_world(&w);
    return s;
}

/* Without friction nothing takes energy, nor what moves along the edge. One line in three gained an
   impact of up to 0.7 rad/s where a corner passed. */
static void a_line_that_a_corner_ends_is_no_impact(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < BOXES; i++) {
        tipping x = random_box(&seed, 0);
        world   w;
        open_tipping(&w, &x, "acceleration");
        double start = total_energy(&w), turned = 0;
        for (int k = 0; k < 400; k++) {
            ss_vec3 was = body(&w, 1).angular_velocity;
            check(&w, ss_step(w.model, w.data, 0.001));
            turned = fmax(turned, ss_norm(ss_sub(body(&w, 1).angular_velocity, was)));
        }
        assert_near(total_energy(&w), start, 1e-9);
        assert_near(body(&w, 1).velocity.y, 0.1, 1e-9);
        assert_true(turned < 0.2); /* weight turns it, steadily */
        assert_near(ss_data_report(w.data)->bridged, 0, 0);
        close_world(&w);
    }
}

/* From event to event the length of the step is no matter; by impulses it is, and the two meet. */
static void both_levels_tip_alike(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (int i = 0; i < BOXES; i++) {
        tipping       x      = random_box(&seed, i % 2 == 0 ? 0.2 : 0);
        ss_body_state fine   = end_of(&x, "acceleration", 0.001, 0.3);
        ss_body_state coarse = end_of(&x, "acceleration", 0.004, 0.3);
        ss_body_state steps  = end_of(&x, "impulse", 0.0002, 0.3);
        assert_true(ss_norm(ss_sub(fine.angular_velocity, coarse.angular_velocity)) < 1e-5);
        assert_true(ss_norm(ss_sub(fine.angular_velocity, steps.angular_velocity)) < 0.03);
        assert_true(ss_norm(ss_sub(fine.position, steps.position)) < 1e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_that_a_corner_ends_is_no_impact),
        cmocka_unit_test(both_levels_tip_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
