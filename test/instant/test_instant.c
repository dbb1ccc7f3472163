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

/*
 * A box slides and turns on its four corners. Its weight may go from one diagonal to the other, and
 * friction of the corners points different ways: accelerations form a continuum, whose ends are
 * those of linear programs over the corners' forces, solved elsewhere. Without a turn all friction
 * is parallel: the forces are as open, the motion is one.
 */
static void shares_of_a_load_make_motions(void **state)
{
    (void)state;
    static const double spins[] = {4, 0};
    for (int i = 0; i < 2; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "materials: {default: {friction: 0.3}}\n"
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.3, 0.2, 0.1]}},\n"
                 "     position: [0, 0, 0.05], velocity: [0.5, 0.2, 0], angular_velocity: [0, 0,\n"
                 "     %g]}\n",
                 spins[i]);
        judged         j = judge_text(text);
        ss_body_motion a, low, high;
        assert_int_equal(j.v.exists, SS_YES);
        assert_int_equal(j.v.unique, spins[i] != 0 ? SS_NO : SS_YES);
        assert_int_equal(j.v.forces_unique, SS_NO);
        assert_int_equal(ss_instant_motion_at(j.s, 0, 1, &a), SS_OK);
        assert_int_equal(ss_instant_range_at(j.s, 0, 1, &low, &high), SS_OK);
        assert_near(low.velocity.z, high.velocity.z, 1e-12);
        if (spins[i] == 0) {
            assert_near(low.velocity.y, a.velocity.y, 1e-12);
            assert_near(high.velocity.y, a.velocity.y, 1e-12);
        } else if (!isnan(low.velocity.y)) { /* there is an LP solver */
            assert_near(low.velocity.y, -0.9649, 1e-4);
            assert_near(high.velocity.y, 0.3142, 1e-4);
            assert_non_null(strstr(j.v.unique_why, "share"));
        }
        release(&j);
    }
}

/* At rest in space, cones are not searched through: which forces are open is told all the same. */
static void forces_at_rest_are_open_or_not(void **state)
{
    (void)state;
    static const struct {
        const char *points;
        ss_answer   normal, all;
    } things[] = {{"[[0.3, 0, -0.1], [-0.2, 0.3, -0.1], [-0.2, -0.3, -0.1]]", SS_YES, SS_NO},
                  {"[[0.3, 0.3, -0.1], [-0.3, 0.3, -0.1], [-0.3, -0.3, -0.1], [0.3, -0.3, -0.1]]",
                   SS_NO, SS_NO}};
    for (int i = 0; i < 2; i++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "materials: {default: {friction: 0.5}}\n"
            "bodies:\n"
            "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
            "  - {name: b, type: dynamic, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0,\n"
            "     0.1], shape: {points: {points: %s}}}\n",
            things[i].points);
        judged j = judge_text(text);
        assert_int_equal(j.v.exists, SS_YES);
        assert_int_not_equal(j.v.unique, SS_NO);
        assert_int_equal(j.v.forces_unique, SS_NO);
        for (int k = 0; k < j.v.contacts; k++) {
            ss_instant_force f;
            assert_int_equal(ss_instant_force_at(j.s, 0, k, &f), SS_OK);
            assert_int_equal(f.normal_unique, things[i].normal);
            assert_int_equal(f.unique, things[i].all);
        }
        release(&j);
    }
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
        assert_int_equal(f.unique, SS_NO);
        assert_int_equal(f.normal_unique, SS_YES);
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

static void put_logs(char *text, size_t size, double friction)
{
    enum { ROWS = 5 };
    int at = snprintf(text, size,
                      "dimension: 2\n"
                      "materials: {default: {friction: %g}}\n"
                      "bodies:\n"
                      "  - {name: f, type: static, shape: {halfplane: {normal: [0, 1]}}}\n",
                      friction);
    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < ROWS - row; i++) {
            at += snprintf(text + at, size - (size_t)at,
                           "  - {name: l%d_%d, type: dynamic, mass: 1, shape: {disc: {radius: "
                           "0.1}}, position: [%.17g, %.17g]}\n",
                           row, i, 0.2 * i + 0.1 * row, 0.1 + 0.1 * sqrt(3) * row);
        }
    }
    snprintf(text + at, size - (size_t)at, "simulation: {step: 0.005, duration: 0.1}\n");
}

/* The largest acceleration of a body in a solution. */
static double fastest(const judged *j, int32_t solution)
{
    double         most = 0;
    ss_body_motion a;
    for (int32_t b = 0; ss_instant_motion_at(j->s, solution, b, &a) == SS_OK; b++) {
        most = fmax(most, hypot(a.velocity.x, a.velocity.y));
    }
    return most;
}

/* A pile of logs is pushed apart, or it rests: both balance, with too many contacts to look for
   all. (Two logs that lean on a third need tan 15 degrees = 0.27 between them: below, nothing
   rests.) */
static void a_pile_of_logs_may_rest(void **state)
{
    (void)state;
    char text[4000];
    put_logs(text, sizeof text, 0.55);
    judged j = judge_text(text);
    assert_int_equal(j.v.exists, SS_YES);
    assert_int_equal(j.v.unique, SS_NO);
    assert_false(j.v.complete);
    assert_int_equal(j.v.solutions, 2);
    assert_true(j.v.residual <= 1e-9);
    assert_true(fmin(fastest(&j, 0), fastest(&j, 1)) < 1e-9);
    assert_true(fmax(fastest(&j, 0), fastest(&j, 1)) > 1);
    release(&j);
    put_logs(text, sizeof text, 0.25);
    j = judge_text(text);
    assert_int_equal(j.v.exists, SS_YES);
    for (int32_t i = 0; i < j.v.solutions; i++) {
        assert_true(fastest(&j, i) > 0.1);
    }
    release(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_swings),
        cmocka_unit_test(redundant_friction_is_told),
        cmocka_unit_test(shares_of_a_load_make_motions),
        cmocka_unit_test(forces_at_rest_are_open_or_not),

        cmocka_unit_test(contacts_are_sorted),
        cmocka_unit_test(asking_changes_nothing),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(eigenvalues_are_roots),
        cmocka_unit_test(corners_leave_it_open),
        cmocka_unit_test(a_pile_of_logs_may_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
