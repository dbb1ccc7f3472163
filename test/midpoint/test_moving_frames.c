/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A world seen from a frame that moves evenly is the same world: what is thrown at a plate at rest
 * ends as it does where plate and body have a velocity more, up to rounding (late_impacts.c,
 * dynamics/lands.c, passage.c).
 */
#include "core/compare.h"
#include "world.h"

enum { TEXT = 2000 };

/* A body `b`, thrown with a velocity at a plate, both faster by `more`. */
typedef struct thrown {
    int         dimension;
    const char *plate, *shape, *law, *at; /* at: position, turn and spin */
    ss_vec3     velocity;
    double      plate_at, step, duration, gravity;
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
    char velocity[100], place[100], gravity[60];
    snprintf(gravity, sizeof gravity, flat ? "[0, %g]" : "[0, 0, %g]", -x->gravity);
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
             x->dimension, gravity, x->law, motion, x->plate, place, x->shape, x->at, velocity,
             x->step);
    open_text(&w, text);
    run(&w, x->step, (int)(x->duration / x->step + 0.5));
    ss_body_state s = body_named(&w, "b");
    s.velocity      = ss_sub(s.velocity, more);
    s.position      = ss_axpy(s.position, -x->duration, more);
    close_world(&w);
    return s;
}

/* part: of speeds and turns, by which rounding may have grown in landings and while it rolls. */
static void nearly_same_from(const thrown *x, ss_vec3 more, double part)
{
    ss_body_state a = relative_end(x, ss_v3(0, 0, 0)), b = relative_end(x, more);
    double        speed = ss_norm(x->velocity), turn = ss_norm(a.angular_velocity);
    assert_near(ss_norm(ss_sub(a.velocity, b.velocity)), 0, part * speed);
    assert_near(ss_norm(ss_sub(a.position, b.position)), 0, part * speed * x->duration);
    assert_near(ss_norm(ss_sub(a.angular_velocity, b.angular_velocity)), 0,
                ss_max(1e-6 * speed, part * turn));
}

static void same_from(const thrown *x, ss_vec3 more)
{
    nearly_same_from(x, more, 1e-9);
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
                             0.06,
                             0};
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
        0.02,
        0};
    const thrown block = {3,
                          "box: {size: [2, 2, 0.01]}",
                          "box: {size: [0.02, 0.012, 0.008]}",
                          "friction: 0, restitution: 0.8, impact: poisson",
                          "position: [0, 0, 0.02], euler: [0.3, 0.2, 0.1]",
                          {-0.08620806691856411, 0, -1},
                          -0.005,
                          0.005,
                          0.05,
                          0};
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
                                 0.015,
                                 0};
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
                            0.03,
                            0};
    same_from(&capsule, ss_v3(0, 0, 5));
    same_from(&capsule, ss_v3(1, 0, 4.9));
}

/*
 * Contacts that a body rolls or rocks on are held in every step, at rest as in motion: forces alone
 * would open them, the path of their points does not. Where the floor moved they were held in
 * every second step (7.7e-6 m deep instead of 1.2e-7, 1.7 % of the velocity).
 */
static void what_rolls_without_weight_is_held_in_every_step(void **state)
{
    (void)state;
    const thrown ellipsoid = {
        3,
        "box: {size: [2, 2, 0.01]}",
        "ellipsoid: {radii: [0.0046525701546724805, 0.00939891100213612, 0.007060695885572059]}",
        "friction: 0, restitution: 0",
        "position: [0, 0, 0.017179866565797296], quat_wxyz: [-0.7582724137749177, "
        "-0.36501229958558614, -0.47644567508347524, -0.2545358310152657]",
        {-0.06115903332665315, 0, -0.3},
        -0.005,
        0.001,
        0.1,
        0};
    nearly_same_from(&ellipsoid, ss_v3(0, 0, 0.15535568859540533), 1e-7);
    nearly_same_from(&ellipsoid, ss_v3(3, -2, -0.4), 1e-7);
}

/* It touched again after every step that it was held in: the gap that steps leave grows while it
   turns, up to more than a hundredth of its way. */
static void corners_rock_without_weight_in_every_step(void **state)
{
    (void)state;
    world w;
    open_text(&w, "dimension: 2\n"
                  "gravity: [0, 0]\n"
                  "materials: {default: {friction: 0.3}}\n"
                  "bodies:\n"
                  "  - {name: p, type: static, shape: {disc: {radius: 0.01469439561773331}}}\n"
                  "  - {name: b, type: dynamic, density: 1000, position: [0.001485607296021845, "
                  "0.020593878691245668], velocity: [0.7743194004684628, -1.7920426151642586], "
                  "angle: 1.1115622103122647, angular_velocity: 184.56061645116108,\n"
                  "     shape: {box: {size: [0.00663753694566775, 0.0068200805236708325]}}}\n"
                  "simulation: {step: 0.0006089169606402509}\n");
    run(&w, 0.0006089169606402509, 4);
    for (int i = 0; i < 3; i++) {
        double before = body_named(&w, "b").angular_velocity.z;
        run(&w, 0.0006089169606402509, 1);
        assert_true(body_named(&w, "b").angular_velocity.z < before - 1);
    }
    close_world(&w);
}

/* Of round and angular supports too, as fast as they may go. */
static void what_is_thrown_at_moving_bodies_ends_as_on_bodies_at_rest(void **state)
{
    (void)state;
    const thrown box  = {2,
                         "disc: {radius: 0.01469439561773331}",
                         "box: {size: [0.00663753694566775, 0.0068200805236708325]}",
                         "friction: 0.3",
                         "position: [0.001485607296021845, 0.020593878691245668], angle: "
                          "1.1115622103122647, angular_velocity: 184.56061645116108",
                         {0.7743194004684628, -1.7920426151642586, 0},
                         0,
                         0.0006,
                         0.018,
                         0};
    const thrown oval = {
        2,
        "union: {parts: [{disc: {radius: 0.006, position: [-0.009, 0]}}, {box: "
        "{size: [0.018, 0.0044]}}, {disc: {radius: 0.006, position: [0.009, 0]}}]}",
        "superellipse: {radii: [0.0036, 0.0044], e: 0.46}",
        "friction: 1, restitution: 0.8",
        "position: [-0.0085, 0.0134], angle: -0.4",
        {0.05, -0.2, 0},
        0,
        0.002,
        0.06,
        9.81};
    const thrown ball     = {3,
                             "superellipsoid: {radii: [0.21, 0.25, 0.167], e1: 0.45, e2: 0.65}",
                             "sphere: {radius: 0.234}",
                             "friction: 0.3, restitution: 0.5, impact: poisson",
                             "position: [0.0096, 0.084, 0.45], angular_velocity: [0, 0, 7]",
                             {1.8, 1.1, -13},
                             0,
                             0.001,
                             0.04,
                             9.81};
    const thrown dumbbell = {
        2,
        "box: {size: [0.4, 2e-5]}",
        "union: {parts: [{disc: {radius: 0.0004, position: [-0.0006, 0]}}, {box: {size: [0.0012, "
        "0.0003]}}, {disc: {radius: 0.0004, position: [0.0006, 0]}}]}",
        "friction: 0, restitution: 0.5",
        "position: [0, 0.0015], angle: -0.35",
        {8.4, -9.7, 0},
        0,
        0.005,
        0.015,
        0};
    nearly_same_from(&box, ss_v3(2.7, 0.64, 0), 1e-7);
    nearly_same_from(&box, ss_v3(-30, 10, 0), 1e-7);
    nearly_same_from(&oval, ss_v3(-0.3, -0.28, 0), 1e-7);
    nearly_same_from(&ball, ss_v3(-22, 11.6, 3.5), 1e-7);
    nearly_same_from(&dumbbell, ss_v3(-0.99, 1.45, 0), 1e-7); /* thinner than its way in a step */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_corners_strike_moving_plates),
        cmocka_unit_test(thin_plates_strike_with_the_side_that_faces),
        cmocka_unit_test(slow_bodies_are_struck_by_fast_plates),
        cmocka_unit_test(what_rolls_without_weight_is_held_in_every_step),
        cmocka_unit_test(corners_rock_without_weight_in_every_step),
        cmocka_unit_test(what_is_thrown_at_moving_bodies_ends_as_on_bodies_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
