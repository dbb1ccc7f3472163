/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where nothing balances the forces of a quasistatic step, a motion proves it. It is judged here by
 * the geometry of the scenes: the load does work in it, and no contact force could oppose it.
 */
#include "world.h"

enum { BODIES_MOST = 8 };

typedef struct proof {
    world              w;
    ss_balance_verdict found;
    ss_status          status;
    ss_body_motion     motion[BODIES_MOST];
    double             power;
} proof;

static void take_a_step(proof *x, const char *text)
{
    open_text(&x->w, text);
    x->status = ss_step(x->w.model, x->w.data, 0.01);
    x->found  = ss_nothing_balances(x->w.model, x->w.data, x->motion, &x->power);
}

static void expect_message(const proof *x, const char *part)
{
    assert_int_equal(x->status, SS_ERR_CERTIFICATE);
    if (strstr(ss_context_message(x->w.ctx), part) == NULL) {
        fail_msg("'%s' is not in: %s", part, ss_context_message(x->w.ctx));
    }
}

static ss_vec3 velocity_at(const ss_body_motion *w, ss_vec3 arm)
{
    return ss_add(w->velocity, ss_cross(w->angular_velocity, arm));
}

/* A box (1, 1, 0.2) on the plane z = 0, gravity tilted by `off` beyond the angle of friction. */
static void put_slope(char *text, size_t size, double off, const char *cone, ss_vec3 *g)
{
    const double angle = atan(0.5) + off;
    *g                 = ss_v3(9.81 * sin(angle), 0, -9.81 * cos(angle));
    snprintf(text, size,
             "gravity: [%.17g, 0, %.17g]\n"
             "materials: {default: {friction: 0.5}}\n"
             "bodies:\n"
             "  - {name: slope, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  - {name: box, type: dynamic, mass: 2, shape: {box: {size: [1, 1, 0.2]}},"
             " position: [0, 0, 0.1]}\n"
             "simulation: {step: 0.01, model: {inertia: quasistatic, cone: %s}}\n",
             g->x, g->z, cone);
}

/* No corner moves so that friction or the normal force could do negative work, by mu = 0.5; the
   corners of the polygon with 8 sides reach that along x and between, too. */
static void a_box_slides(void **state)
{
    static const double      off[]  = {1e-4, 0.01, 0.3};
    static const char *const cone[] = {"quadratic", "{polygon: 8}"};
    (void)state;
    for (int i = 0; i < 6; i++) {
        char    text[1024];
        ss_vec3 g;
        proof   x;
        put_slope(text, sizeof text, off[i % 3], cone[i / 3], &g);
        take_a_step(&x, text);
        expect_message(&x, "nothing balances the forces on body 'box': they do work");
        assert_int_equal(x.found, SS_BALANCE_NOWHERE);
        assert_true(x.power > 0);
        double power = 2 * ss_dot(g, x.motion[1].velocity),
               least = i < 3 ? 1 : cos(0.125 * 3.14159);
        assert_true(fabs(x.power - power) <= 1e-9 * power);
        for (int k = 0; k < 4; k++) {
            ss_vec3 arm = ss_v3(k % 2 == 0 ? 0.5 : -0.5, k < 2 ? 0.5 : -0.5, -0.1);
            ss_vec3 u   = velocity_at(&x.motion[1], arm);
            assert_true(u.z >= 0.5 * least * hypot(u.x, u.y) - 1e-9);
        }
        assert_true(ss_norm(x.motion[0].velocity) == 0);
        close_world(&x.w);
    }
}

static void what_is_held_has_none(void **state)
{
    (void)state;
    char    text[1024];
    ss_vec3 g;
    proof   x;
    put_slope(text, sizeof text, -1e-3, "quadratic", &g);
    take_a_step(&x, text);
    check(&x.w, x.status);
    assert_int_equal(x.found, SS_BALANCE_OPEN);
    assert_true(x.power == 0 && ss_norm(x.motion[1].velocity) == 0);
    close_world(&x.w);
}

/* A box that two walls touch: their forces cancel, so that the cone is not pointed. */
static void put_shaft(char *text, size_t size, double mu)
{
    snprintf(
        text, size,
        "dimension: 2\n"
        "gravity: [0, -10]\n"
        "materials: {default: {friction: %g}}\n"
        "bodies:\n"
        "  - {name: left, type: static, shape: {halfplane: {normal: [1, 0], offset: -0.5}}}\n"
        "  - {name: right, type: static, shape: {halfplane: {normal: [-1, 0], offset: -0.5}}}\n"
        "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [1, 1]}}}\n"
        "simulation: {step: 0.01, model: {inertia: quasistatic}}\n",
        mu);
}

static void a_box_falls_between_walls(void **state)
{
    (void)state;
    char  text[1024];
    proof x;
    put_shaft(text, sizeof text, 0);
    take_a_step(&x, text);
    expect_message(&x, "nothing balances the forces on body 'box'");
    const ss_body_motion *w = &x.motion[2];
    assert_true(x.found && fabs(w->velocity.y + 1) < 1e-9 && fabs(w->velocity.x) < 1e-9);
    assert_true(fabs(w->angular_velocity.z) < 1e-9 && fabs(x.power - 10) < 1e-8);
    close_world(&x.w);
    put_shaft(text, sizeof text, 0.5); /* walls that press it could hold it: there is no proof */
    take_a_step(&x, text);
    assert_int_equal(x.found, SS_BALANCE_OPEN);
    close_world(&x.w);
}

/* A bar of 1 m, level, on a pin in its end: its weight turns it with 5 N m, friction holds 0, 2. */
static void a_bar_turns_about_its_pin(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        char  text[1024];
        proof x;
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [0, -10]\n"
                 "bodies:\n"
                 "  - {name: bar, type: dynamic, mass: 1, shape: {box: {size: [1, 0.1]}}}\n"
                 "joints:\n"
                 "  - {name: pin, type: revolute, bodies: [world, bar], anchor: [-0.5, 0]%s}\n"
                 "simulation: {step: 0.01, model: {inertia: quasistatic}}\n",
                 i == 0 ? "" : ", friction: 2");
        take_a_step(&x, text);
        expect_message(&x, "nothing balances the forces on body 'bar'");
        assert_int_equal(x.found, SS_BALANCE_NOWHERE);
        const ss_body_motion *w    = &x.motion[0];
        ss_vec3               pin  = velocity_at(w, ss_v3(-0.5, 0, 0));
        double                turn = -w->angular_velocity.z;
        assert_true(ss_norm(pin) < 1e-9 && turn > 0);
        assert_true(fabs(x.power - (5 - 2 * i) * turn) < 1e-8 * x.power);
        close_world(&x.w);
    }
}

static void a_free_body_falls(void **state)
{
    (void)state;
    proof x;
    take_a_step(&x, "bodies: [{name: ball, type: dynamic, mass: 3, shape: {sphere: {radius: 1}}}]\n"
                    "simulation: {step: 0.01, model: {inertia: quasistatic}}\n");
    expect_message(&x, "nothing touches body 'ball'");
    assert_true(x.found && fabs(x.power - 3 * 9.81) < 1e-9 && x.motion[0].velocity.z == -1);
    close_world(&x.w);
}

/* A box of 3 kg on one of 1 kg, both 1 m wide and 0.2 m high, on a slope of tan = 0.6, mu = 0.5. */
static void two_boxes_slide(void **state)
{
    (void)state;
    proof x;
    take_a_step(&x, "dimension: 2\n"
                    "gravity: [6, -10]\n"
                    "materials: {default: {friction: 0.5}}\n"
                    "bodies:\n"
                    "  - {name: slope, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                    "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [1, 0.2]}},"
                    " position: [0, 0.1]}\n"
                    "  - {name: b, type: dynamic, mass: 3, shape: {box: {size: [1, 0.2]}},"
                    " position: [0, 0.3]}\n"
                    "simulation: {step: 0.01, model: {inertia: quasistatic}}\n");
    expect_message(&x, "nothing balances the forces on body 'b'");
    expect_message(&x, "1 other with it");
    const ss_body_motion *a = &x.motion[1], *b = &x.motion[2];
    for (int k = 0; k < 2; k++) {
        ss_vec3 below = ss_v3(k - 0.5, -0.1, 0), above = ss_v3(k - 0.5, 0.1, 0);
        ss_vec3 u = velocity_at(a, below), r = ss_sub(velocity_at(b, below), velocity_at(a, above));
        assert_true(u.y >= 0.5 * fabs(u.x) - 1e-9 && r.y >= 0.5 * fabs(r.x) - 1e-9);
    }
    ss_vec3 p = ss_add(a->velocity, ss_scale(3, b->velocity));
    assert_true(x.found && fabs(x.power - (6 * p.x - 10 * p.y)) < 1e-9 && x.power > 0.1);
    close_world(&x.w);
}

/* A ladder against a smooth wall, at its angle and below: tan theta = 1/(2 mu) where it slips. What
 * rows balance far from where it stands is no balance of it. */
static void a_ladder_slips(void **state)
{
    (void)state;
    const double limit = atan(1 / (2 * 0.4));
    for (double off = 1e-3; off < 0.5; off *= 1.7) {
        char         text[1024];
        proof        x;
        const double angle = limit - off, pi = 3.14159265358979312;
        snprintf(
            text, sizeof text,
            "dimension: 2\n"
            "materials: {default: {friction: 0.4}, w: {friction: 0}, pairs: [{between: "
            "[default, w], friction: 0}]}\n"
            "bodies:\n"
            "  - {name: f, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
            "  - {name: w, type: static, material: w, shape: {halfplane: {normal: [1, 0]}}}\n"
            "  - {name: b, type: dynamic, mass: 1, inertia: 0.08333333333333333, com: [0, 0],\n"
            "     shape: {points: {points: [[-0.5, 0], [0.5, 0]]}}, position: [%.17g, %.17g],\n"
            "     angle: %.17g}\n"
            "simulation: {step: 0.005, model: {inertia: quasistatic}}\n",
            0.5 * cos(angle), 0.5 * sin(angle), pi - angle);
        take_a_step(&x, text);
        assert_int_equal(x.status, SS_ERR_CERTIFICATE);
        assert_true(x.found != SS_BALANCE_OPEN);
        assert_true(x.power > 0);
        assert_near(x.power, -9.81 * x.motion[2].velocity.y, 1e-9);
        /* it goes out at the floor and down at the wall */
        ss_vec3 foot = velocity_at(&x.motion[2], ss_v3(0.5 * cos(angle), -0.5 * sin(angle), 0));
        ss_vec3 head = velocity_at(&x.motion[2], ss_v3(-0.5 * cos(angle), 0.5 * sin(angle), 0));
        assert_true(foot.y >= 0.4 * fabs(foot.x) - 1e-9 && head.x >= -1e-9);
        close_world(&x.w);
    }
}

/* A spring that is stretched further than friction holds pulls; it would give way, and is named. */
static void a_spring_pulls(void **state)
{
    (void)state;
    proof x;
    take_a_step(&x, "dimension: 2\nmaterials: {default: {friction: 0.5}}\nbodies:\n"
                    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                    "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}}, "
                    "position: [0, 0.05]}\n"
                    "forces: [{type: spring, bodies: [floor, b], anchors: [[0.4, 0.05], [0, 0]], "
                    "stiffness: 100, rest_length: 0.3}]\n"
                    "simulation: {model: {inertia: quasistatic}}\n");
    expect_message(&x, "which nothing opposes but springs, which act in a step with the force");
    assert_int_equal(x.found, SS_BALANCE_NOWHERE);
    close_world(&x.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ladder_slips),
        cmocka_unit_test(a_spring_pulls),
        cmocka_unit_test(a_box_slides),
        cmocka_unit_test(what_is_held_has_none),
        cmocka_unit_test(a_box_falls_between_walls),
        cmocka_unit_test(a_bar_turns_about_its_pin),
        cmocka_unit_test(a_free_body_falls),
        cmocka_unit_test(two_boxes_slide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
