/* SPDX-License-Identifier: Apache-2.0 */
/* Joints between bodies that others hold already: two that are welded move as one, whatever guides,
   hinges or rods join them besides. */
#include "joint/mechanism.h"

typedef struct pair {
    const char *bodies; /* with a weld or a hinge, and room for one more joint */
    double      h;
} pair;

static const pair PLANE = {
    "dimension: 2\n"
    "gravity: [0, 0]\n"
    "bodies:\n"
    "  - {name: a, type: dynamic, mass: 1, inertia: 0.01, position: [0.1, 0], velocity: [0, 1], "
    "angular_velocity: 10}\n"
    "  - {name: b, type: dynamic, mass: 1, inertia: 0.01, position: [-0.1, 0], velocity: [0, -1], "
    "angular_velocity: 10}\n"
    "simulation: {model: {integrator: midpoint}}\n"
    "joints:\n"
    "  - {name: weld, type: fixed, bodies: [a, b], anchor: [0.02, 0.01]}\n%s",
    0.004};

static const pair SPACE = {
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  - {name: a, type: dynamic, mass: 1, inertia: [0.01, 0.02, 0.025], "
    "position: [0.1, 0.02, 0.03], velocity: [-0.24, 0.51, 0.46], angular_velocity: [3, -4, 6]}\n"
    "  - {name: b, type: dynamic, mass: 1.5, inertia: [0.02, 0.015, 0.012], "
    "position: [-0.1, -0.05, 0.02], velocity: [0.22, -0.66, -0.55], angular_velocity: [3, -4, 6]}\n"
    "simulation: {model: {integrator: midpoint}}\n"
    "joints:\n"
    "  - {name: weld, type: fixed, bodies: [a, b], anchor: [0.02, 0.01, 0]}\n%s",
    0.002};

typedef struct ending {
    ss_vec3 x, v;
    double  energy;
    int32_t splits;
} ending;

static ending ending_with(const pair *p, const char *joint)
{
    char text[2048];
    snprintf(text, sizeof text, p->bodies, joint);
    world w;
    open_text(&w, text);
    ending e = {.energy = -total_energy(&w)};
    for (int i = 0; i < (int)lround(0.5 / p->h); i++) {
        run(&w, p->h, 1);
        e.splits += ss_data_report(w.data)->splits;
    }
    ss_body_state b = body_named(&w, "b");
    e.x             = b.position;
    e.v             = b.velocity;
    e.energy += total_energy(&w);
    close_world(&w);
    return e;
}

/* The row of a guide was another than that of the weld by the square of the turn: every step was
   cut, and energy lost that shorter steps did not give back. */
static void agree(const pair *p, const char *const *joints, size_t count)
{
    ending alone = ending_with(p, "");
    for (size_t i = 0; i < count; i++) {
        ending e = ending_with(p, joints[i]);
        assert_int_equal(e.splits, 0);
        assert_near(ss_norm(ss_sub(e.x, alone.x)), 0, 1e-9);
        assert_near(ss_norm(ss_sub(e.v, alone.v)), 0, 1e-8);
        assert_near(e.energy, alone.energy, 1e-9);
    }
}

static void a_weld_is_enough_in_the_plane(void **state)
{
    (void)state;
    static const char *const joints[] = {
        "  - {name: x, type: prismatic, bodies: [a, b], axis: [1, 0]}\n",
        "  - {name: x, type: prismatic, bodies: [b, a], axis: [0.3, 1]}\n",
        "  - {name: x, type: revolute, bodies: [a, b], anchor: [-0.03, 0.05]}\n",
        "  - {name: x, type: distance, bodies: [a, b], anchor: [0.1, 0.03]}\n"};
    agree(&PLANE, joints, sizeof joints / sizeof *joints);
}

static void a_weld_is_enough_in_space(void **state)
{
    (void)state;
    static const char *const joints[] = {
        "  - {name: x, type: prismatic, bodies: [a, b], axis: [1, 0.3, -0.4]}\n",
        "  - {name: x, type: cylindrical, bodies: [a, b], axis: [1, 0.3, -0.4]}\n",
        "  - {name: x, type: planar, bodies: [b, a], axis: [1, 0.3, -0.4]}\n",
        "  - {name: x, type: spherical, bodies: [a, b], anchor: [-0.03, 0.05, 0.02]}\n"};
    agree(&SPACE, joints, sizeof joints / sizeof *joints);
}

/* A bead that slides along a bar which turns: impulses of the guide do no work. */
static void guides_do_no_work(void **state)
{
    (void)state;
    static const char text[] =
        "dimension: 2\n"
        "gravity: [0, 0]\n"
        "bodies:\n"
        "  - {name: bar, type: dynamic, mass: 1, inertia: 0.1, angular_velocity: 5}\n"
        "  - {name: bead, type: dynamic, mass: 0.2, inertia: 0.001, position: [0.2, 0], "
        "velocity: [0, 1], angular_velocity: 5}\n"
        "joints:\n"
        "  - {name: pivot, type: revolute, bodies: [world, bar], anchor: [0, 0]}\n"
        "  - {name: guide, type: prismatic, bodies: [bar, bead], anchor: [0.2, 0], axis: [1, 0]}\n"
        "simulation: {model: {integrator: midpoint}}\n";
    world w;
    open_text(&w, text);
    double energy = total_energy(&w);
    run(&w, 0.01, 30);
    /* (I + m r^2) w is kept, and the energy says how fast the bead goes out. */
    double r = body_named(&w, "bead").position.x;
    r        = hypot(r, body_named(&w, "bead").position.y);
    assert_near(body_named(&w, "bar").angular_velocity.z,
                5 * (0.101 + 0.2 * 0.04) / (0.101 + 0.2 * r * r), 1e-3);
    assert_near(total_energy(&w), energy, 1e-5 * energy);
    close_world(&w);
}

/* Three bars and three hinges do not give: limits of the hinges have velocities that no impulse
   changes, and solvers divided by what rounding left of their rows. */
static void limits_of_what_does_not_give_are_idle(void **state)
{
    (void)state;
    static const char text[] =
        "dimension: 2\n"
        "materials: {default: {friction: 0.5, restitution: 0}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
        "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.45, 0.04]}}, group: 1, "
        "position: [0.25, 0.5], velocity: [1.4, -1], angular_velocity: 3}\n"
        "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.42452915094254723, 0.04]}}, "
        "group: 1, position: [0.375, 0.7], angle: 2.129395642138459, velocity: [0.8, -0.625], "
        "angular_velocity: 3}\n"
        "  - {name: c, type: dynamic, mass: 1, shape: {box: {size: [0.42452915094254723, 0.04]}}, "
        "group: 1, position: [0.125, 0.7], angle: -2.129395642138459, velocity: [0.8, -1.375], "
        "angular_velocity: 3}\n"
        "joints:\n"
        "  - {name: ca, type: revolute, bodies: [c, a], anchor: [0, 0.5]%s}\n"
        "  - {name: ab, type: revolute, bodies: [a, b], anchor: [0.5, 0.5]%s}\n"
        "  - {name: bc, type: revolute, bodies: [b, c], anchor: [0.25, 0.9]%s}\n"
        "simulation: {model: {integrator: midpoint}}\n";
    ss_vec3 end[2];
    for (int i = 0; i < 2; i++) {
        const char *limits = i == 0 ? "" : ", limits: [-1, 1]";
        char        whole[2048];
        snprintf(whole, sizeof whole, text, limits, limits, limits);
        world w;
        open_text(&w, whole);
        run(&w, 0.001, 600);
        end[i] = body_named(&w, "b").position;
        close_world(&w);
    }
    assert_near(ss_norm(ss_sub(end[0], end[1])), 0, 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_weld_is_enough_in_the_plane),
        cmocka_unit_test(a_weld_is_enough_in_space),
        cmocka_unit_test(guides_do_no_work),
        cmocka_unit_test(limits_of_what_does_not_give_are_idle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
