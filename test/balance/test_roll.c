/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Motion without inertia of what could roll: of the motions that rows allow, those stay in balance
 * that keep the contact below the centre of mass. Parts ride on a plate that goes to and fro with
 * x = A sin(w t); closed forms. And places that are flat to rounding: what stands on one stands.
 */
#include "model/data.h"
#include "world.h"

static const double AMPLITUDE = 0.05, RATE = 10, STEP = 0.004;

/* A part on the plate, in the plane: `shape`, its lowest point `down` below its centre. */
static void open_on_plate(world *w, const char *shape, double down, double friction)
{
    char text[2048];
    int  n = snprintf(text, sizeof text,
                      "dimension: 2\nmaterials: {default: {friction: %g}}\nbodies:\n"
                       "  - {name: plate, type: kinematic, shape: {box: {size: [4, 0.1]}}, "
                       "position: [0, -0.05], motion: {x: \"%g*sin(%g*t)\"}}\n"
                       "  - {name: part, type: dynamic, shape: %s, position: [0.3, %.17g]}\n"
                       "simulation: {step: %g, duration: 1, model: {inertia: quasistatic}}\n",
                      friction, AMPLITUDE, RATE, shape, down, STEP);
    assert_true(n > 0 && n < (int)sizeof text);
    open_text(w, text);
}

/* Ovals, lying or standing, and shapes with flat bottoms ride: they go where the plate goes. */
static void what_is_not_round_rides(void **state)
{
    static const struct {
        const char *shape;
        double      down;
    } cases[] = {
        {"{superellipse: {radii: [0.1, 0.06], e: 1}}", 0.06},
        {"{superellipse: {radii: [0.06, 0.1], e: 1}}", 0.1},
        {"{superellipse: {radii: [0.1, 0.08], e: 0.8}}", 0.08},
        {"{superellipse: {radii: [0.1, 0.1], e: 0.676}}", 0.1},
        {"{superellipse: {radii: [0.06, 0.1], e: 0.3}}", 0.1},
        {"{implicit: {f: \"(x/0.1)^4 + (y/0.08)^4 - 1\", bounds: [[-0.11, -0.09], [0.11, 0.09]]}}",
         0.08},
        {"{implicit: {f: \"(x/0.1)^6 + (y/0.1)^6 - 1\", bounds: [[-0.11, -0.11], [0.11, 0.11]]}}",
         0.1},
        {"{implicit: {f: \"(x/0.1)^2 + (y/0.05)^2 - 1\", bounds: [[-0.11, -0.06], [0.11, 0.06]]}}",
         0.05},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        world w;
        open_on_plate(&w, cases[i].shape, cases[i].down, 0.5);
        for (int k = 1; k <= 100; k++) {
            run(&w, STEP, 1);
            ss_body_state b = body_named(&w, "part");
            assert_near(b.position.x, 0.3 + AMPLITUDE * sin(RATE * STEP * k), 1e-6);
            assert_near(b.position.y, cases[i].down, 1e-6);
            assert_near(b.angle, 0, 1e-5);
        }
        close_world(&w);
    }
}

/* What is round about its centre is in balance wherever it rolls, and the least motion is taken:
   m v^2 + I w^2 with v - r w = V is least for v = V I/(I + m r^2), a third of V for a disc. */
static void what_is_round_rolls(void **state)
{
    (void)state;
    world w;
    open_on_plate(&w, "{disc: {radius: 0.1}}", 0.1, 0.5);
    for (int k = 1; k <= 100; k++) {
        run(&w, STEP, 1);
        double        way = AMPLITUDE * sin(RATE * STEP * k);
        ss_body_state b   = body_named(&w, "part");
        assert_near(b.position.x, 0.3 + way / 3, 1e-9);
        assert_near(b.angle, way * 2 / 3 / 0.1, 1e-7);
    }
    close_world(&w);
}

/* Without friction nothing moves, whatever the last digits of places and normals are. */
static void what_nothing_holds_stays(void **state)
{
    static const char *const shapes[] = {
        "{disc: {radius: 0.1}}",
        "{superellipse: {radii: [0.1, 0.1], e: 0.5}}",
        "{implicit: {f: \"(x/0.1)^6 + (y/0.1)^6 - 1\", bounds: [[-0.11, -0.11], [0.11, 0.11]]}}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        world w;
        open_on_plate(&w, shapes[i], 0.1, 0);
        run(&w, STEP, 60);
        assert_near(body_named(&w, "part").position.x, 0.3, 1e-9);
        assert_near(body_named(&w, "part").angle, 0, 1e-9);
        close_world(&w);
    }
}

/* In space, on a plane and on a box: the balance is found on all of the flat place. */
static void flat_places_in_space(void **state)
{
    static const char *const supports[] = {
        "{name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}",
        "{name: floor, type: static, shape: {box: {size: [2, 2, 1]}}, position: [0, 0, -0.5]}"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        char  text[1024];
        world w;
        snprintf(text, sizeof text,
                 "materials: {default: {friction: %g}}\nbodies:\n  - %s\n"
                 "  - {name: part, type: dynamic, shape: {implicit: {f: \"(x/0.04)^4 + (y/0.03)^4 "
                 "+ (z/0.05)^4 - 1\", bounds: [[-0.05, -0.04, -0.06], [0.05, 0.04, 0.06]]}}, "
                 "position: [0.1, 0.2, 0.05]}\n"
                 "simulation: {step: 0.005, duration: 1, model: {inertia: quasistatic}}\n",
                 i < 2 ? 0 : 0.5, supports[i % 2]);
        open_text(&w, text);
        run(&w, 0.005, 5);
        assert_true(ss_data_report(w.data)->contacts == 4);
        assert_near(ss_norm(ss_sub(body_named(&w, "part").position, ss_v3(0.1, 0.2, 0.05))), 0,
                    1e-7);
        close_world(&w);
    }
}

/* Rounds at one configuration find contacts once, and what that took is counted. The first rounds
   find out how fast bodies are, and what they ask is asked by no other. */
static void contacts_of_rounds_are_found_once(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "materials: {default: {friction: 0.5}}\nbodies:\n"
              "  - {name: plate, type: kinematic, shape: {box: {size: [1, 1, 0.1]}}, position: "
              "[0, 0, -0.05], motion: {x: \"0.001*sin(10*t)\"}}\n"
              "  - {name: shaft, type: dynamic, shape: {intersection: {parts: [{cylinder: {radius: "
              "0.04, length: 0.06}}, {sphere: {radius: 0.045}}]}}, position: [0, 0, 0.03]}\n"
              "simulation: {step: 0.005, duration: 1, model: {inertia: quasistatic}}\n");
    int kept = 0;
    for (int k = 0; k < 10; k++) {
        run(&w, 0.005, 1);
        const ss_step_report *r = ss_data_report(w.data);
        if (r->rounds > 3) {
            assert_true(w.data->contacts.work == 0); /* of the last round */
            assert_true(r->work > 0);
            kept++;
        }
    }
    assert_true(kept > 0);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_round_rides),           cmocka_unit_test(what_is_round_rolls),
        cmocka_unit_test(what_nothing_holds_stays),          cmocka_unit_test(flat_places_in_space),
        cmocka_unit_test(contacts_of_rounds_are_found_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
