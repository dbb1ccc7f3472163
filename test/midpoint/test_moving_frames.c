/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A world seen from a frame that moves evenly is the same world: what is thrown at a plate at rest
 * ends as it does where plate and body have a velocity more, up to rounding (late_impacts.c,
 * dynamics/lands.c, passage.c).
 */
#include "world.h"

enum { TEXT = 2000 };

/* A body `b`, thrown with a velocity at a plate, both faster by `more`. */
typedef struct thrown {
    int         dimension;
    const char *plate, *shape, *law, *at; /* at: position, turn and spin */
    ss_vec3     velocity;
    double      plate_at, step, duration;
} thrown;

static ss_body_state relative_end(const thrown *x, ss_vec3 more)
{
    world   w;
    char    text[TEXT], motion[200] = "type: static";
    ss_vec3 v    = ss_add(x->velocity, more);
    bool    flat = x->dimension == 2;
    if (ss_norm(more) > 0 && flat) {
        snprintf(motion, sizeof motion, "type: kinematic, motion: {velocity: [%.17g, %.17g]}",
                 more.x, more.y);
    } else if (ss_norm(more) > 0) {
        snprintf(motion, sizeof motion,
                 "type: kinematic, motion: {velocity: [%.17g, %.17g, %.17g]}", more.x, more.y,
                 more.z);
    }
    char velocity[100], place[100];
    if (flat) {
        snprintf(velocity, sizeof velocity, "[%.17g, %.17g]", v.x, v.y);
        snprintf(place, sizeof place, "[0, %.17g]", x->plate_at);
    } else {
        snprintf(velocity, sizeof velocity, "[%.17g, %.17g, %.17g]", v.x, v.y, v.z);
        snprintf(place, sizeof place, "[0, 0, %.17g]", x->plate_at);
    }
    snprintf(text, sizeof text,
             "dimension: %d\n"
             "gravity: %s\n"
             "materials: {default: {%s}}\n"
             "bodies:\n"
             "  - {name: p, %s, shape: {%s}, position: %s}\n"
             "  - {name: b, type: dynamic, density: 1000, shape: {%s}, %s, velocity: %s}\n"
             "simulation: {step: %g}\n",
             x->dimension, flat ? "[0, 0]" : "[0, 0, 0]", x->law, motion, x->plate, place, x->shape,
             x->at, velocity, x->step);
    open_text(&w, text);
    run(&w, x->step, (int)(x->duration / x->step + 0.5));
    ss_body_state s = body_named(&w, "b");
    s.velocity      = ss_sub(s.velocity, more);
    s.position      = ss_axpy(s.position, -x->duration, more);
    close_world(&w);
    return s;
}

static void same_from(const thrown *x, ss_vec3 more)
{
    ss_body_state a = relative_end(x, ss_v3(0, 0, 0)), b = relative_end(x, more);
    double        speed = ss_norm(x->velocity);
    assert_near(ss_norm(ss_sub(a.velocity, b.velocity)), 0, 1e-9 * speed);
    assert_near(ss_norm(ss_sub(a.position, b.position)), 0, 1e-9 * speed * x->duration);
    assert_near(ss_norm(ss_sub(a.angular_velocity, b.angular_velocity)), 0, 1e-6 * speed);
}

/* Its second corner strikes in the same step as the first. */
static void second_corners_strike_moving_plates(void **state)
{
    (void)state;
    const thrown box      = {2,
                             "box: {size: [2, 0.01]}",
                             "box: {size: [0.013298344116436187, 0.006231058849501679]}",
                             "friction: 0.3, restitution: 0",
                             "position: [0, 0.020174430958092945], angle: 0.3",
                             {-0.15062867282627093, -1, 0},
                             -0.005,
                             0.01,
                             0.06};
    const thrown triangle = {
        2,
        "box: {size: [2, 0.01]}",
        "polygon: {points: [[0.003079820192773952, -0.007180626431220269], "
        "[0.006767115518794251, 0.008746724519539773], "
        "[-0.009447986264216519, -0.0036724138911646935]]}",
        "friction: 1, restitution: 0.5, impact: poisson",
        "position: [0, 0.012902202889356448], angle: 0.3, angular_velocity: -42.95437091899621",
        {0.05110914843259834, -3, 0},
        -0.005,
        0.01,
        0.02};
    const thrown block = {3,
                          "box: {size: [2, 2, 0.01]}",
                          "box: {size: [0.02, 0.012, 0.008]}",
                          "friction: 0, restitution: 0.8, impact: poisson",
                          "position: [0, 0, 0.02], euler: [0.3, 0.2, 0.1]",
                          {-0.08620806691856411, 0, -1},
                          -0.005,
                          0.005,
                          0.05};
    same_from(&box, ss_v3(0, 0.27345608308869135, 0));
    same_from(&box, ss_v3(0.05, -0.2, 0));
    same_from(&triangle, ss_v3(0, 1.3, 0));
    same_from(&block, ss_v3(0, 0, 0.3));
    same_from(&block, ss_v3(0.1, -0.2, -0.2));
}

/* A plate goes through what it meets within a step: its other side faces it when the step ends. */
static void thin_plates_strike_with_the_side_that_faces(void **state)
{
    (void)state;
    static const double steps[] = {0.005, 0.0025, 0.001};
    for (int i = 0; i < 3; i++) {
        const thrown dumbbell = {2,
                                 "box: {size: [0.4, 2e-05]}",
                                 "union: {parts: [{disc: {radius: 0.0004, position: [-0.0006, 0]}},"
                                 " {box: {size: [0.0012, 0.0003]}},"
                                 " {disc: {radius: 0.0004, position: [0.0006, 0]}}]}",
                                 "friction: 0, restitution: 0.5",
                                 "position: [0, 0.00136], angle: -0.947",
                                 {1.46, -12.75, 0},
                                 0,
                                 steps[i],
                                 0.015};
        same_from(&dumbbell, ss_v3(0, 1.7609, 0));
    }
}

/* What a fast plate strikes goes at twice its speed: no reason to cut the step, which would have
   the impact elsewhere. */
static void slow_bodies_are_struck_by_fast_plates(void **state)
{
    (void)state;
    const thrown capsule = {3,
                            "box: {size: [0.3, 0.3, 0.001]}",
                            "capsule: {radius: 0.005, length: 0.02}",
                            "friction: 0, restitution: 0.5",
                            "position: [0, 0, 0.05], euler: [0.4, 0.2, 0]",
                            {0, 0, -5},
                            0,
                            0.01,
                            0.03};
    same_from(&capsule, ss_v3(0, 0, 5));
    same_from(&capsule, ss_v3(1, 0, 4.9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_corners_strike_moving_plates),
        cmocka_unit_test(thin_plates_strike_with_the_side_that_faces),
        cmocka_unit_test(slow_bodies_are_struck_by_fast_plates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
