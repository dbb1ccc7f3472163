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

/* Two boxes that tumble: their inertia turns with them. */
static const char TUMBLING[] =
    "gravity: [0, 0, 0]\nmaterials: {default: {friction: %g, restitution: %g%s}}\n"
    "bodies:\n"
    "  - {name: a, type: dynamic, mass: 1, inertia: [0.003, 0.004, 0.006],\n"
    "     shape: {box: {size: [0.15, 0.2, 0.1]}}, position: [-0.2, -0.03, 0],\n"
    "     quat_wxyz: [0.7367399448801996, 0.5799686609772983, 0.13155995106814494,\n"
    "     0.32178033684031665], velocity: [1, 0, 0], angular_velocity: [3.8, -4, 19]}\n"
    "  - {name: b, type: dynamic, mass: 2, inertia: [0.006, 0.008, 0.012],\n"
    "     shape: {box: {size: [0.15, 0.2, 0.1]}}, position: [0.2, 0.03, 0],\n"
    "     quat_wxyz: [-0.509038101510009, 0.7706224236586978, -0.2902296646524681,\n"
    "     -0.2505754040627218], velocity: [-1, 0, 0], angular_velocity: [3.2, -16, 11]}\n"
    "simulation: {step: 0.002%s}\n";

static ss_vec3 momentum_in_space(const world *w)
{
    const double inertia[3] = {0.003, 0.004, 0.006};
    ss_vec3      sum        = {0, 0, 0};
    for (int i = 0; i < 2; i++) {
        ss_body_state s    = body(w, i);
        double        mass = 1 + i;
        ss_mat3       R    = ss_mat3_from_quat(s.quat_wxyz);
        ss_vec3       l    = ss_tmul(&R, s.angular_velocity);
        l   = ss_v3(mass * inertia[0] * l.x, mass * inertia[1] * l.y, mass * inertia[2] * l.z);
        sum = ss_add(sum, ss_mul(&R, l));
        sum = ss_add(sum, ss_scale(mass, ss_cross(s.position, s.velocity)));
    }
    return sum;
}

/* The energy that is left, over that before the impact. */
static double tumble(const char *text, double h)
{
    world w;
    open_text(&w, text);
    ss_vec3 before = momentum_in_space(&w), spin = body(&w, 0).angular_velocity;
    double  energy = total_energy(&w);
    run(&w, h, (int)lround(0.3 / h));
    ss_vec3 after = momentum_in_space(&w);
    double  left  = total_energy(&w) / energy;
    assert_true(ss_norm(ss_sub(after, before)) < 1e-11 * ss_norm(before));
    assert_true(ss_norm(ss_sub(body(&w, 0).angular_velocity, spin)) > 1); /* they met */
    close_world(&w);
    return left;
}

/* Both laws, at three steps; and from event to event. Without restitution they go on touching, and
   overlaps that are then moved apart in position are none of the momentum: one step has none. */
static void tumbling_boxes_keep_angular_momentum(void **state)
{
    (void)state;
    static const struct {
        double      e, h;
        const char *law, *way;
    } cases[] = {
        {0, 0.002, "", ""},
        {0.5, 0.004, "", ""},
        {0.5, 0.002, "", ""},
        {0.5, 0.0005, "", ""},
        {0.5, 0.002, ", impact: poisson", ""},
        {1, 0.004, "", ""},
        {1, 0.002, ", impact: poisson", ""},
        {1, 0.002, "", ", advance: event"},
    };
    for (int i = 0; i < 2 * 8; i++) {
        char   text[2048];
        double friction = i < 8 ? 0 : 0.5, e = cases[i % 8].e;
        snprintf(text, sizeof text, TUMBLING, friction, e, cases[i % 8].law, cases[i % 8].way);
        double left = tumble(text, cases[i % 8].h);
        assert_true(left < 1 + 1e-9);
        if (e == 1 && friction == 0) {
            assert_near(left, 1, 1e-9); /* nothing takes any */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_keep_angular_momentum),
        cmocka_unit_test(boxes_keep_angular_momentum),
        cmocka_unit_test(tumbling_boxes_keep_angular_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
