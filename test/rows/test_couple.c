/* SPDX-License-Identifier: Apache-2.0 */
/* Friction between two bodies acts at one point: bodies that nothing else touches keep their
 * angular momentum, over the gaps of impacts and the overlaps of surfaces that give. */
#include "world.h"

typedef struct part {
    double mass, inertia; /* about its centre; of balls in space about any axis */
} part;

/* Angular momentum about the origin, across the plane of the scene (3D: about y). */
static double momentum_of(const world *w, const part parts[2])
{
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        ss_body_state s    = body(w, i);
        bool          flat = w->dimension == 2;
        double        x = s.position.x, y = flat ? s.position.y : s.position.z;
        double        u = s.velocity.x, v = flat ? s.velocity.y : s.velocity.z;
        double        spin = flat ? s.angular_velocity.z : -s.angular_velocity.y;
        sum += parts[i].mass * (x * v - y * u) + parts[i].inertia * spin;
    }
    return sum;
}

/* Runs two bodies into each other; returns the spin of the first when they are apart again. */
static double collide(const char *text, int dimension, const part parts[2], double h, double T,
                      double off)
{
    world w;
    open_text(&w, text);
    w.dimension   = dimension;
    double before = momentum_of(&w, parts), spin = body(&w, 0).angular_velocity.y;
    double flat = body(&w, 0).angular_velocity.z;
    run(&w, h, (int)lround(T / h));
    ss_body_state s = body(&w, 0);
    assert_near(momentum_of(&w, parts), before, off);
    double change = dimension == 2 ? s.angular_velocity.z - flat : s.angular_velocity.y - spin;
    assert_true(fabs(change) > 0.1); /* they met, and rubbed */
    close_world(&w);
    return change;
}

static const char BALLS[] =
    "gravity: [0, 0, 0]\nmaterials: {default: {friction: 0.3%s}}\n"
    "bodies:\n"
    "  - {name: a, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0],\n"
    "     velocity: [0.2, 0, 0.5], angular_velocity: [0, 5, 0]}\n"
    "  - {name: b, type: dynamic, mass: 2, shape: {sphere: {radius: 0.15}},\n"
    "     position: [0.02, 0, %.17g], velocity: [-0.1, 0, -0.5]}\n"
    "simulation: {step: 0.01%s}\n";

static void balls_keep_angular_momentum(void **state)
{
    (void)state;
    static const char *const laws[]   = {"", ", restitution: 0.5",
                                         ", restitution: 0.5, impact: poisson"};
    const part               parts[2] = {{1, 0.4 * 0.01}, {2, 0.4 * 2 * 0.0225}};
    char                     text[1024];
    for (int law = 0; law < 3; law++) {
        for (int k = 0; k < 3; k++) {
            snprintf(text, sizeof text, BALLS, laws[law], 0.35 + 1e-3 * (1 + 3 * k), "");
            collide(text, 3, parts, 0.01, 0.4, 1e-13);
        }
    }
    /* without restitution spins are those of the event, to second order */
    for (int k = 0; k < 3; k++) {
        snprintf(text, sizeof text, BALLS, "", 0.35 + 1e-3 * (1 + 3 * k), "");
        double spin = collide(text, 3, parts, 0.01, 0.4, 1e-13);
        snprintf(text, sizeof text, BALLS, "", 0.35 + 1e-3 * (1 + 3 * k), ", advance: event");
        assert_near(spin, collide(text, 3, parts, 0.01, 0.4, 1e-13), 1e-4);
    }
}

static const char BOXES[] =
    "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: 0.5, %s}}\n"
    "bodies:\n"
    "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.2]}}, position: [0, 0],\n"
    "     velocity: [0.4, 0.5], angle: 0.3, angular_velocity: 2}\n"
    "  - {name: b, type: dynamic, mass: 2, shape: {box: {size: [0.3, 0.1]}}, position:\n"
    "     [0.03, 0.313], velocity: [-0.1, -0.5]}\n"
    "simulation: {step: 0.01, model: {contact: %s}}\n";

static void boxes_keep_angular_momentum(void **state)
{
    (void)state;
    const part parts[2] = {{1, 0.08 / 12}, {2, 2 * 0.1 / 12}};
    char       text[1024];
    snprintf(text, sizeof text, BOXES, "restitution: 0.3", "rigid");
    collide(text, 2, parts, 0.01, 0.6, 1e-13);
    snprintf(text, sizeof text, BOXES, "compliance: {stiffness: 200, damping: 1}", "compliant");
    /* the middle of a step is where the pass before had it */
    collide(text, 2, parts, 0.005, 0.6, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_keep_angular_momentum),
        cmocka_unit_test(boxes_keep_angular_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
