/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaps of second order close without a fight (closing.c): a ball in the groove between two spheres
 * against its exact motion, which rolls on both until t = 1.895884, then slips on the first and
 * from t = 2.781476 on both. The reference integrates the equations of each phase apart from this
 * library (Runge-Kutta of order 4, then an L-stable method of order 2 through the start of slip).
 */
#include "model/data.h"
#include "world.h"

static void add_ball(world *w, const char *name, double radius, ss_vec3 position, double mass)
{
    ss_shape_def shape         = {.type = "sphere"};
    shape.params.sphere.radius = radius;
    ss_body_def def            = ss_body_def_default();
    def.name                   = name;
    def.type                   = mass > 0 ? SS_BODY_DYNAMIC : SS_BODY_STATIC;
    def.mass                   = mass > 0 ? mass : 1;
    def.shape                  = &shape;
    def.position               = position;
    check(w, ss_scene_add_body(w->scene, &def, NULL));
}

static void open_groove(world *w, double apart)
{
    open_world(w, 3, "auto");
    ss_scene_set_gravity(w->scene, ss_v3(1, 2.6, -9.81));
    add_material(w, 0.2, 0);
    add_ball(w, "left", 10 - apart, ss_v3(0, 0, 0), 0);
    add_ball(w, "right", 9 - apart, ss_v3(0, 11.4, 0), 0);
    add_ball(w, "ball", 1, ss_v3(0, 6.62105263157895, 8.78417110772903), 1);
    start(w);
}

static ss_body_state ball_after(double h, double t, double apart)
{
    world w;
    open_groove(&w, apart);
    run(&w, h, (int)lround(t / h));
    ss_body_state ball = body(&w, 2);
    close_world(&w);
    return ball;
}

static double velocity_error(double h, double t, ss_vec3 exact)
{
    ss_body_state ball = ball_after(h, t, 0);
    return ss_norm(ss_sub(ball.velocity, exact));
}

static const ss_vec3 AT_TWO   = {1.939756, 0, -0.359510};
static const ss_vec3 AT_THREE = {4.174296, 0, -2.547378};

/* Slip at one contact has begun, without a jump of the error. */
static void test_rolls_then_slips(void **state)
{
    (void)state;
    assert_near(0, velocity_error(0.01, 2, AT_TWO), 1e-4);
    assert_near(0, velocity_error(0.001, 2, AT_TWO), 1e-5);
}

static void test_order_is_kept_through_slip(void **state)
{
    (void)state;
    double coarse = velocity_error(0.02, 3, AT_THREE), fine = velocity_error(0.002, 3, AT_THREE);
    assert_near(0, velocity_error(0.01, 3, AT_THREE), 5e-4);
    assert_near(0, velocity_error(0.001, 3, AT_THREE), 5e-5);
    assert_true(log10(coarse / fine) > 0.85);
}

/* While it rolls, what the friction law sees of a contact that sticks is no slip at all. */
static void test_no_creep_while_rolling(void **state)
{
    (void)state;
    world w;
    open_groove(&w, 0);
    for (int i = 0; i < 150; i++) {
        run(&w, 0.01, 1);
        for (int32_t k = 0; k < ss_data_contact_count(w.data); k++) {
            ss_contact_info c;
            ss_data_contact(w.model, w.data, k, &c);
            assert_near(0, hypot(c.velocity[1], c.velocity[2]), 1e-12);
        }
    }
    close_world(&w);
}

/* Which of the forces that hold it at the start does not depend on the last digits of the gaps. */
static void test_start_leaves_no_trace(void **state)
{
    (void)state;
    ss_body_state touching = ball_after(0.002, 3, 0), apart = ball_after(0.002, 3, 1e-9);
    ss_body_state overlapping = ball_after(0.002, 3, -1e-9);
    assert_near(0, ss_norm(ss_sub(touching.position, apart.position)), 1e-8);
    assert_near(0, ss_norm(ss_sub(touching.position, overlapping.position)), 1e-8);
}

/*
 * Four points, rigidly joined, fall on a ball and wedge it between two of them. Where the gaps are
 * second-order errors the points of the two bodies at a contact are that far apart, which must not
 * pass for a lever: impulses of 1e6 N s would close the gaps by it.
 */
static void test_wedged_ball_stays(void **state)
{
    (void)state;
    static const ss_vec3 corner[] = {{0.1, 0.1, 0}, {-0.1, 0.1, 0}, {0, -0.1, 0}, {0, 0, 0.1}};
    ss_shape_def         cage     = {.type = "points", .points = corner, .point_count = 4};
    ss_body_def          points   = {.name        = "cage",
                                     .type        = SS_BODY_DYNAMIC,
                                     .shape       = &cage,
                                     .mass        = 1,
                                     .inertia_set = true,
                                     .inertia     = ss_mat3_diagonal(0.004, 0.004, 0.004),
                                     .position    = {0.02, 0.01, 0.75},
                                     .orientation = {-0.5376, 0.1407, -0.8109, 1.9241}};
    world                w;
    open_world(&w, 3, NULL);
    add_floor(&w);
    add_ball(&w, "ball", 0.12, ss_v3(0, 0, 0.3), 1);
    check(&w, ss_scene_add_body(w.scene, &points, NULL));
    start(&w);
    for (int i = 0; i < 300; i++) {
        double before = total_energy(&w);
        run(&w, 0.005, 1);
        assert_true(total_energy(&w) < before + 0.01);
    }
    close_world(&w);
}

/* Which form the problem of an island has is a matter of speed: the groove in global form. */
static void test_form_leaves_no_trace(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        double t = 1 + k;
        world  local, global;
        open_groove(&local, 0);
        open_groove(&global, 0);
        global.data->local_rows = 0;
        run(&local, 0.01, (int)lround(t / 0.01));
        run(&global, 0.01, (int)lround(t / 0.01));
        ss_body_state x = body(&local, 2), y = body(&global, 2);
        assert_near(0, ss_norm(ss_sub(x.velocity, y.velocity)), 1e-7);
        assert_near(0, ss_norm(ss_sub(x.position, y.position)), 1e-7);
        close_world(&local);
        close_world(&global);
    }
}

/* A ball in the corner of a floor and a wall, sliding on both, with tangents turned as wished. */
static void open_corner(world *w, const char *direction, const char *ellipsoid)
{
    char text[1000];
    snprintf(text, sizeof text,
             "materials: {default: {friction: 0.4%s}}\n"
             "bodies:\n"
             "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  - {name: wall, type: static, shape: {plane: {normal: [0, 1, 0], offset: -0.05}}}\n"
             "  - {name: ball, type: dynamic, shape: {sphere: {radius: 0.05}}, density: 1000,\n"
             "     position: [0, 0, 0.05001], velocity: [0.3, -0.1, 0],\n"
             "     angular_velocity: [1, 3, -2], friction_direction: %s}\n",
             ellipsoid, direction);
    open_text(w, text);
}

/* How the tangents of a contact are turned is bookkeeping: the motion does not know of it. */
static void test_tangents_leave_no_trace(void **state)
{
    (void)state;
    static const char *const direction[] = {"[1, 0, 0]", "[0, 1, 0]", "[1, 2, -0.5]",
                                            "[0.3, -0.7, 0.2]"};
    static const char *const ellipsoid[] = {"", ", ellipsoid: [1, 1, 0.01]",
                                            ", ellipsoid: [1, 1, 0.01, 0.002]"};
    for (int e = 0; e < 3; e++) {
        ss_body_state first = {0};
        for (int i = 0; i < 4; i++) {
            world w;
            open_corner(&w, direction[i], ellipsoid[e]);
            run(&w, 0.001, 300);
            ss_body_state s = body(&w, 2);
            first           = i == 0 ? s : first;
            assert_near(ss_norm(ss_sub(s.position, first.position)), 0, 1e-12);
            assert_near(ss_norm(ss_sub(s.velocity, first.velocity)), 0, 1e-12);
            assert_near(ss_norm(ss_sub(s.angular_velocity, first.angular_velocity)), 0, 1e-11);
            close_world(&w);
        }
    }
}

/*
 * A finger, tilted, is drawn up a slope on one vertex and pressed down so hard that the forces
 * of a step could close the gap under its other vertex as well. That gap is no error of the scheme,
 * and the vertex that slides has its friction against the sliding.
 */
static void test_open_gaps_turn_no_friction_round(void **state)
{
    (void)state;
    const char *text =
        "dimension: 2\n"
        "gravity: [0, 0]\n"
        "materials: {default: {friction: 0.2}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {halfplane: {normal: [-0.6, 0.8]}}}\n"
        "  - {name: slide, type: kinematic, motion: {x: \"0.05*t\", y: 0.05}}\n"
        "  - {name: finger, type: dynamic, mass: 0.05, shape: {box: {size: [0.02, 0.02]}},\n"
        "     angle: 0.5135011087932844, position: [-0.006727176218006897, 0.008969568290675863]}\n"
        "joints: [{name: guide, type: prismatic, bodies: [slide, finger], axis: [0, 1]}]\n"
        "forces: [{name: press, type: constant, body: finger, force: [0, -50]}]\n"
        "simulation: {step: 0.01, duration: 0.3, model: {integrator: euler}}\n";
    world w;
    open_text(&w, text);
    run(&w, 0.01, 5);
    for (int i = 0; i < 20; i++) {
        double normal = 0, friction = 0;
        run(&w, 0.01, 1);
        for (int32_t k = 0; k < ss_data_contact_count(w.data); k++) {
            ss_contact_info c;
            ss_data_contact(w.model, w.data, k, &c);
            normal += c.impulse[0] / 0.01;
            friction += c.impulse[1] / 0.01 * (c.t.x > 0 ? 1 : -1) * (c.body_b == 2 ? 1 : -1);
        }
        assert_near(normal, 50 / (0.8 - 0.2 * 0.6), 1e-9);
        assert_near(friction, -0.2 * normal, 1e-9);
    }
    close_world(&w);
}

/* Two blocks between abutments, gravity a little steeper than they bear. */
static const char *const VOUSSOIRS =
    "dimension: 2\n"
    "gravity: [11.281951561198166, -9.81]\n"
    "materials: {default: {friction: 0.5}}\n"
    "bodies:\n"
    "  - {name: L, type: static, shape: {polygon: {points: [\n"
    "     [-0.6731767878463172, 0.43224184469451177], [-1.0097651817694757, 0.6483627670417675],\n"
    "     [-1.1718558735299176, 0.3959214715993986], [-0.8352674796067591, "
    "0.17980054925214284]]}}}\n"
    "  - {name: R, type: static, shape: {polygon: {points: [\n"
    "     [0.6731767878463173, 0.43224184469451166], [1.0097651817694757, 0.6483627670417674],\n"
    "     [1.1718558735299176, 0.3959214715993985], [0.8352674796067592, 0.17980054925214273]]}}}\n"
    "  - {name: v0, type: dynamic, density: 1000,\n"
    "     position: [-0.42213794404529464, 0.7727183234438502], shape: {polygon: {points: [\n"
    "     [0.4221379440452947, 0.12728167655614986], [0.4221379440452947, 0.3272816765561499],\n"
    "     [-0.5034801392433914, -0.1783857869888965],\n"
    "     [-0.33518594228181214, -0.28644624816252445]]}}}\n"
    "  - {name: v1, type: dynamic, density: 1000,\n"
    "     position: [0.4221379440452951, 0.7727183234438502], shape: {polygon: {points: [\n"
    "     [0.3351859422818118, -0.28644624816252456],\n"
    "     [0.5034801392433912, -0.17838578698889662],\n"
    "     [-0.42213794404529503, 0.3272816765561499],\n"
    "     [-0.42213794404529503, 0.12728167655614986]]}}}\n"
    "simulation: {step: 0.002, duration: 0.06}\n";

/* How fast the surfaces of two bodies in the plane slide along each other at a contact. */
static double true_slip(const world *w, const ss_contact_info *c)
{
    ss_vec3 v[2];
    int32_t index[2] = {c->body_a, c->body_b};
    for (int k = 0; k < 2; k++) {
        ss_body_state s   = body(w, index[k]);
        ss_vec3       arm = ss_sub(c->point, s.position);
        v[k]              = ss_add(s.velocity, ss_cross(s.angular_velocity, arm));
    }
    return ss_dot(c->t, ss_sub(v[1], v[0]));
}

/*
 * The gap between two corners opens while the corners below stick: it is no gap that closes, and
 * nothing slides there. One freedom: the left block turns with 0.3425 rad/s^2 (level:
 * acceleration), whatever the step.
 */
static void test_gaps_that_open_let_nothing_slide(void **state)
{
    (void)state;
    static const double steps[] = {0.004, 0.002, 0.001, 0.0005};
    for (int i = 0; i < 4; i++) {
        world w;
        open_text(&w, VOUSSOIRS);
        for (int k = 0; k < (int)lround(0.06 / steps[i]); k++) {
            run(&w, steps[i], 1);
            double t = (k + 1) * steps[i], rate = 0.3425 * t;
            assert_near(body_named(&w, "v0").angular_velocity.z, rate, 0.01 * rate);
            for (int32_t c = 0; c < ss_data_contact_count(w.data); c++) {
                ss_contact_info x;
                ss_data_contact(w.model, w.data, c, &x);
                if (x.state != SS_CONTACT_OPEN) {
                    assert_near(true_slip(&w, &x), x.velocity[1], 1e-3 * rate);
                }
            }
        }
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rolls_then_slips),
        cmocka_unit_test(test_order_is_kept_through_slip),
        cmocka_unit_test(test_no_creep_while_rolling),
        cmocka_unit_test(test_start_leaves_no_trace),
        cmocka_unit_test(test_wedged_ball_stays),
        cmocka_unit_test(test_form_leaves_no_trace),
        cmocka_unit_test(test_tangents_leave_no_trace),
        cmocka_unit_test(test_open_gaps_turn_no_friction_round),
        cmocka_unit_test(test_gaps_that_open_let_nothing_slide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
