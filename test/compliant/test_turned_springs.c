/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Friction is written along world x, and along y where x is nearly normal: a scene and its copy
 * that is turned move alike, whichever axis contacts begin or end a step with.
 */
#include "world.h"

enum { ANGLES = 7 };
static const double TURNED[ANGLES] = {0, 0.3, 0.6, 0.9, 2.5, 4, 5.5};

static ss_vec3 turned(double a, double x, double y)
{
    return (ss_vec3){cos(a) * x - sin(a) * y, sin(a) * x + cos(a) * y, 0};
}

/* A disc pushes a triangle that turns about it: the normal passes through all directions. */
static void open_push(world *w, const char *contact, double a)
{
    char    text[1536];
    ss_vec3 at = turned(a, -0.2, -0.02), v = turned(a, 1, 0.05), f = turned(a, 30, 4);
    snprintf(text, sizeof text,
             "dimension: 2\ngravity: [0, 0]\n"
             "materials: {default: {friction: 0.5,\n"
             "  compliance: {stiffness: [20000, 15000], damping: 2}}}\n"
             "bodies:\n"
             "  - {name: tri, type: dynamic, mass: 1, angle: %.17g, shape: {polygon: {points:\n"
             "     [[-0.1, -0.06], [0.1, -0.06], [0, 0.12]]}}}\n"
             "  - {name: disc, type: dynamic, mass: 2, shape: {disc: {radius: 0.08}},\n"
             "     position: [%.17g, %.17g], velocity: [%.17g, %.17g]}\n"
             "forces: [{type: constant, body: disc, force: [%.17g, %.17g]}]\n"
             "simulation: {model: {contact: %s}}\n",
             a, at.x, at.y, v.x, v.y, f.x, f.y, contact);
    open_text(w, text);
}

static void a_turned_push_is_the_same(void **state)
{
    (void)state;
    static const char *models[] = {"compliant", "rigid"};
    for (int k = 0; k < 2; k++) {
        ss_body_state first = {0};
        for (int i = 0; i < ANGLES; i++) {
            world w;
            open_push(&w, models[k], TURNED[i]);
            run(&w, 2e-3, 150);
            ss_body_state b  = body(&w, 0);
            ss_vec3       at = turned(-TURNED[i], b.position.x, b.position.y);
            first            = i == 0 ? b : first;
            assert_near(at.x, first.position.x, 1e-12);
            assert_near(at.y, first.position.y, 1e-12);
            assert_near(b.angle - TURNED[i], first.angle, 1e-12);
            close_world(&w);
        }
    }
}

/* In space: a ball runs against a block, which turns about z and lets it slide off. */
static void open_ball(world *w, double a)
{
    char    text[1536];
    ss_vec3 at = turned(a, -0.25, -0.06), v = turned(a, 2, 0.1), f = turned(a, 40, 3);
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\n"
             "materials: {default: {friction: 0.4,\n"
             "  compliance: {stiffness: [20000, 15000], damping: 2}}}\n"
             "bodies:\n"
             "  - {name: block, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.24, 0.1]}},\n"
             "     quat_wxyz: [%.17g, 0, 0, %.17g]}\n"
             "  - {name: ball, type: dynamic, mass: 2, shape: {sphere: {radius: 0.1}},\n"
             "     position: [%.17g, %.17g, 0.01], velocity: [%.17g, %.17g, 0],\n"
             "     angular_velocity: [0, 0, 5]}\n"
             "forces: [{type: constant, body: ball, force: [%.17g, %.17g, 0]}]\n"
             "simulation: {model: {contact: compliant}}\n",
             cos(a / 2), sin(a / 2), at.x, at.y, v.x, v.y, f.x, f.y);
    open_text(w, text);
}

static void a_turned_push_in_space_is_the_same(void **state)
{
    (void)state;
    ss_body_state first = {0};
    for (int i = 0; i < ANGLES; i++) {
        world w;
        open_ball(&w, TURNED[i]);
        run(&w, 2e-3, 100);
        ss_body_state b  = body(&w, 0);
        ss_vec3       at = turned(-TURNED[i], b.position.x, b.position.y);
        first            = i == 0 ? b : first;
        assert_near(at.x, first.position.x, 1e-9);
        assert_near(at.y, first.position.y, 1e-9);
        assert_near(b.position.z, first.position.z, 1e-9);
        assert_near(b.angular_velocity.z, first.angular_velocity.z, 1e-7);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turned_push_is_the_same),
        cmocka_unit_test(a_turned_push_in_space_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
