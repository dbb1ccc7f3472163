/* SPDX-License-Identifier: Apache-2.0 */
/* Forces at an instant: joints, redundant contacts, several islands, eigenvalues, hostile calls. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/eigen.h"
#include "near.h"
#include "stickslip/stickslip.h"

typedef struct judged {
    ss_context        *ctx;
    ss_scene          *scene;
    ss_model          *m;
    ss_data           *d;
    ss_instant        *s;
    ss_instant_verdict v;
} judged;

static judged judge_text(const char *text)
{
    judged j = {.ctx = ss_context_create(NULL)};
    assert_non_null(j.ctx);
    assert_int_equal(ss_scene_load_text(j.ctx, text, strlen(text), "test", NULL, 0, &j.scene),
                     SS_OK);
    assert_int_equal(ss_model_compile(j.ctx, j.scene, &j.m), SS_OK);
    assert_int_equal(ss_data_create(j.ctx, j.m, &j.d), SS_OK);
    assert_int_equal(ss_instant_create(j.ctx, j.m, &j.s), SS_OK);
    assert_int_equal(ss_instant_judge(j.s, j.m, j.d, &j.v), SS_OK);
    return j;
}

static void release(judged *j)
{
    ss_instant_destroy(j->s);
    ss_data_destroy(j->d);
    ss_model_destroy(j->m);
    ss_scene_destroy(j->scene);
    ss_context_destroy(j->ctx);
}

/* A rod of 1 kg and 2 m hangs from a hinge at the angle a with rate w: a'' = -3 g sin a / (4 l). */
static void a_pendulum_swings(void **state)
{
    (void)state;
    judged j =
        judge_text("dimension: 2\n"
                   "gravity: [0, -9.81]\n"
                   "bodies:\n"
                   "  - {name: rod, type: dynamic, mass: 1, inertia: 0.3333333333333333, "
                   "position: [0.8, -0.6], angle: 0, velocity: [1.2, 1.6], "
                   "angular_velocity: 2}\n"
                   "joints:\n"
                   "  - {name: hinge, type: revolute, bodies: [world, rod], anchor: [0, 0]}\n"
                   "simulation: {step: 0.001, duration: 1}\n");
    ss_body_motion a;
    assert_int_equal(ss_instant_motion_at(j.s, 0, 0, &a), SS_OK);
    double turn = -9.81 * 0.8 / (1 + 1.0 / 3);
    assert_near(a.angular_velocity.z, turn, 1e-9);
    /* a = w' x r - w^2 r */
    assert_near(a.velocity.x, 0.6 * turn - 4 * 0.8, 1e-9);
    assert_near(a.velocity.y, 0.8 * turn + 4 * 0.6, 1e-9);
    assert_int_equal(j.v.exists, SS_YES);
    release(&j);
}

/* A block at rest on two corners: one motion, normal forces unique, friction not. */
static void redundant_friction_is_told(void **state)
{
    (void)state;
    judged j = judge_text("dimension: 2\n"
                          "gravity: [0, -9.81]\n"
                          "materials: {default: {friction: 0.5}}\n"
                          "bodies:\n"
                          "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                          "  - {name: box, type: dynamic, mass: 2, shape: {box: {size: [1, 1]}}, "
                          "position: [0, 0.5]}\n"
                          "simulation: {step: 0.001, duration: 1}\n");
    assert_int_equal(j.v.contacts, 2);
    assert_int_equal(j.v.sticking, 2);
    assert_int_equal(j.v.exists, SS_YES);
    assert_int_equal(j.v.unique, SS_YES);
    assert_int_equal(j.v.forces_unique, SS_NO);
    assert_int_equal(j.v.solutions, 1);
    assert_int_equal(j.v.p_matrix, SS_UNDECIDED);
    assert_non_null(j.v.stable_why);
    ss_instant_force f;
    double           sum = 0;
    for (int32_t i = 0; i < 2; i++) {
        assert_int_equal(ss_instant_force_at(j.s, 0, i, &f), SS_OK);
        assert_int_equal(f.mode, SS_INSTANT_STICKS);
        assert_false(f.unique);
        sum += f.force[0];
    }
    assert_near(sum, 2 * 9.81, 1e-9);
    release(&j);
}

/* A particle that leaves, one that strikes, one that nothing touches. */
static void contacts_are_sorted(void **state)
{
    (void)state;
    const char *form    = "dimension: 2\n"
                          "gravity: [0, -9.81]\n"
                          "bodies:\n"
                          "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                          "  - {name: p, type: particle, mass: 1, shape: {point: {}}, position: [0, "
                          "0], velocity: [0, "
                          "%s]}\n"
                          "simulation: {step: 0.001, duration: 1}\n";
    const char *speed[] = {"1", "-1", "0"};
    for (int k = 0; k < 3; k++) {
        char text[512];
        snprintf(text, sizeof text, form, speed[k]);
        judged j = judge_text(text);
        assert_int_equal(j.v.separating, k == 0);
        assert_int_equal(j.v.striking, k == 1);
        assert_int_equal(j.v.exists, k == 1 ? SS_UNDECIDED : SS_YES);
        ss_body_motion a;
        if (k != 1) {
            assert_int_equal(ss_instant_motion_at(j.s, 0, 1, &a), SS_OK);
            assert_near(a.velocity.y, k == 0 ? -9.81 : 0, 1e-12);
        } else {
            assert_int_equal(ss_instant_motion_at(j.s, 0, 1, &a), SS_ERR_ARGUMENT);
        }
        release(&j);
    }
}

/* The state is as it was: a step after the question is the same to the last bit. */
static void asking_changes_nothing(void **state)
{
    (void)state;
    const char *text =
        "gravity: [0, 0, -9.81]\n"
        "materials: {default: {friction: 0.4}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: plate, type: kinematic, shape: {box: {size: [1, 1, 0.1]}}, motion: {x: "
        "\"0.1*math.sin(3*t)\", y: 0, z: 0.05}}\n"
        "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 0.2}}, position: [0, 0, "
        "0.3], velocity: [0.3, 0, 0], angular_velocity: [0, 1, 4]}\n"
        "simulation: {step: 0.001, duration: 1}\n";
    judged j[2] = {judge_text(text), judge_text(text)};
    for (int i = 0; i < 50; i++) {
        ss_body_state x[2];
        for (int k = 0; k < 2; k++) {
            assert_int_equal(ss_step(j[k].m, j[k].d, 1e-3), SS_OK);
            ss_data_body(j[k].m, j[k].d, 2, &x[k]);
        }
        assert_memory_equal(&x[0], &x[1], sizeof x[0]);
        assert_int_equal(ss_instant_judge(j[0].s, j[0].m, j[0].d, &j[0].v), SS_OK);
        assert_true(j[0].v.residual <= 1e-9);
    }
    release(&j[0]);
    release(&j[1]);
}

static void refusals_say_why(void **state)
{
    (void)state;
    judged j = judge_text(
        "dimension: 2\n"
        "bodies:\n"
        "  - {name: p, type: dynamic, mass: 1, shape: {disc: {radius: 1}}, damping: [1, 1]}\n"
        "simulation: {step: 0.001, duration: 1, model: {inertia: damped}}\n");
    assert_non_null(j.v.refused);
    ss_instant_contact c;
    assert_int_equal(ss_instant_contact_at(j.s, 0, &c), SS_ERR_ARGUMENT);
    assert_int_equal(ss_instant_contact_at(NULL, 0, &c), SS_ERR_ARGUMENT);
    release(&j);
}

/* The companion matrix of (x - 1)(x + 2)(x^2 - 2x + 5): roots 1, -2, 1 +- 2i. */
static void eigenvalues_are_roots(void **state)
{
    (void)state;
    /* x^4 - x^3 + x^2 + 9x - 10 */
    const double p[4]  = {-10, 9, 1, -1};
    double       A[16] = {0}, work[32], re[4], im[4];
    for (int i = 0; i < 4; i++) {
        A[i + 12] = -p[i];
        if (i > 0) {
            A[i + 4 * (i - 1)] = 1;
        }
    }
    assert_true(ss_dense_eigenvalues(4, A, work, re, im));
    const double root[4][2] = {{1, 0}, {-2, 0}, {1, 2}, {1, -2}};
    for (int k = 0; k < 4; k++) {
        double nearest = INFINITY;
        for (int i = 0; i < 4; i++) {
            nearest = fmin(nearest, hypot(re[i] - root[k][0], im[i] - root[k][1]));
        }
        assert_true(nearest < 1e-12);
    }
}

/*
 * Two cards lean against each other with their upper corners, a scene that is its own mirror image.
 * The contact is along the face of one of them, and the motion then is not its own mirror image: it
 * cannot be the only one.
 */
static void corners_leave_it_open(void **state)
{
    (void)state;
    judged j =
        judge_text("dimension: 2\n"
                   "params: {a: 0.5, s: sin(a), c: cos(a)}\n"
                   "materials: {default: {friction: 0.3}}\n"
                   "bodies:\n"
                   "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                   "  - {name: left, type: dynamic, mass: 1, shape: {box: {size: [0.001, 1]}},"
                   " position: [-0.5*s - 0.0005*c, 0.5*c + 0.0005*s], angle: -a}\n"
                   "  - {name: right, type: dynamic, mass: 1, shape: {box: {size: [0.001, 1]}},"
                   " position: [0.5*s + 0.0005*c, 0.5*c + 0.0005*s], angle: a}\n");
    assert_int_equal(j.v.contacts, 3);
    assert_int_equal(j.v.exists, SS_YES);
    assert_int_equal(j.v.unique, SS_UNDECIDED);
    assert_non_null(strstr(j.v.unique_why, "corner"));
    assert_false(j.v.complete);
    ss_body_motion left, right;
    assert_int_equal(ss_instant_motion_at(j.s, 0, 1, &left), SS_OK);
    assert_int_equal(ss_instant_motion_at(j.s, 0, 2, &right), SS_OK);
    assert_true(fabs(left.velocity.x + right.velocity.x) > 0.01);
    release(&j);
}

/*
 * A box on four corners. While it slides without spinning, friction is the same however they share
 * the load: one motion, whose forces are not unique. While it spins too, two corners that face each
 * other and bear more turn the friction: many motions, each with forces of its own. However the
 * scene is turned.
 */
static void loads_turn_friction(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        char   text[600];
        double angle = 0.55 * (k / 2), spin = k % 2 == 0 ? 0 : 3.7;
        snprintf(text, sizeof text,
                 "materials: {default: {friction: 0.4}}\n"
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                 "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.5, 0.3, 0.2]}},\n"
                 "     position: [0, 0, 0.1], axis_angle: [0, 0, 1, %.17g],\n"
                 "     velocity: [%.17g, %.17g, 0], angular_velocity: [0, 0, %g]}\n",
                 angle, cos(angle + 0.6), sin(angle + 0.6), spin);
        judged j = judge_text(text);
        assert_int_equal(j.v.unique, spin > 0 ? SS_NO : SS_YES);
        assert_int_equal(j.v.forces_unique, spin > 0 ? SS_YES : SS_NO);
        release(&j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_swings),     cmocka_unit_test(redundant_friction_is_told),
        cmocka_unit_test(contacts_are_sorted),   cmocka_unit_test(asking_changes_nothing),
        cmocka_unit_test(refusals_say_why),      cmocka_unit_test(eigenvalues_are_roots),
        cmocka_unit_test(corners_leave_it_open), cmocka_unit_test(loads_turn_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
