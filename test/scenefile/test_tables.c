/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in scenes, recorded motions, and motions given as rates, against closed forms. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "stickslip/scene_file.h"
#include "world.h"

#define OMEGA (66 * 3.14159265358979323846)

/* Steps of h until t. */
static void to(world *w, double h, double t)
{
    while (ss_data_time(w->data) < t - 0.5 * h) {
        check(w, ss_step(w->model, w->data, h));
    }
}

static void refused(const char *text, const char *because)
{
    world w;
    assert_int_equal(try_text(&w, text), SS_ERR_INPUT);
    if (strstr(ss_context_message(w.ctx), because) == NULL) {
        fail_msg("'%s' does not say '%s'", ss_context_message(w.ctx), because);
    }
    close_world(&w);
}

/* Thesis 5.3: the plate of the Centrifuge field and its quaternion at t = 0. */
#define CENTRIFUGE                                                                                 \
    "angular_acceleration: ['100*sin(w*t + pi/2)', '100*sin(w*t + pi)', 0], "                      \
    "acceleration: ['10*sin(w*t)', '10*sin(w*t + pi/2)', 0], period: 2*pi/w"
#define PLATE(more)                                                                                \
    "params: {w: 66*pi}\n"                                                                         \
    "bodies: [{name: plate, type: kinematic, position: [1, 0, 0], "                                \
    "motion: {" CENTRIFUGE more "}}]\n"                                                            \
    "simulation: {step: 0.0005, duration: 1}\n"

static void accelerations_swing_about_the_start(void **state)
{
    (void)state;
    world w;
    open_text(&w, PLATE(""));
    double        tilt = 100 / (OMEGA * OMEGA);
    ss_body_state at   = body(&w, 0);
    assert_near(at.quat_wxyz.x, -tilt / 2, 1e-8);
    assert_near(at.quat_wxyz.y, 0, 1e-8);
    assert_near(at.quat_wxyz.z, -0.25 * 3.14159265358979 * tilt * tilt, 1e-10);
    for (int k = 1; k <= 20; k++) {
        to(&w, 0.0005, 0.05 * k);
        double t = ss_data_time(w.data);
        at       = body(&w, 0);
        assert_near(at.position.x, 1 - 10 / (OMEGA * OMEGA) * sin(OMEGA * t), 1e-14);
        assert_near(at.position.y, -10 / (OMEGA * OMEGA) * cos(OMEGA * t), 1e-14);
        assert_near(at.position.z, 0, 0);
    }
    close_world(&w);
}

/* Two rotations in quadrature turn the plate by pi theta^2 a period, or not at all. */
static void coning_is_kept_or_removed(void **state)
{
    (void)state;
    static const char *const text[] = {PLATE(""), PLATE(", coning: remove"), PLATE(", axes: body")};
    double                   tilt   = 100 / (OMEGA * OMEGA), turned[3];
    for (int k = 0; k < 3; k++) {
        world w;
        open_text(&w, text[k]);
        double before = 2 * body(&w, 0).quat_wxyz.z;
        to(&w, 0.0005, 1); /* 33 periods */
        turned[k] = 2 * body(&w, 0).quat_wxyz.z - before;
        close_world(&w);
    }
    double whole = 33 * 3.14159265358979 * tilt * tilt;
    assert_near(turned[0], whole, 1e-5 * whole);
    assert_near(turned[1], 0, 1e-12);
    assert_near(turned[2], -whole, 1e-5 * whole); /* the same rates in body axes: the other way */
}

static void rates_without_a_period_begin_at_the_start(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "bodies:\n"
              "  - {name: a, type: kinematic, position: [1, 0, 0], velocity: [0.5, 0, 0],\n"
              "     motion: {acceleration: ['t', 'sin(t)', 0], angular_velocity: [0, 0, '2*t']}}\n"
              "  - {name: b, type: kinematic, motion: {velocity: ['3*t^2', 0, 1], "
              "euler: ['0.1*t', '0.2*t', '0.3*t']}}\n"
              "simulation: {step: 0.01, duration: 2}\n");
    to(&w, 0.01, 2);
    ss_body_state a = body(&w, 0), b = body(&w, 1);
    assert_near(a.position.x, 1 + 0.5 * 2 + 8.0 / 6, 1e-13);
    assert_near(a.position.y, 2 - sin(2), 1e-13);
    assert_near(a.quat_wxyz.z, sin(2), 1e-10); /* 4 rad */
    assert_near(b.position.x, 8, 1e-13);
    assert_near(b.position.z, 2, 1e-13);
    ss_mat3 R = ss_mat3_from_quat(b.quat_wxyz);
    assert_near(R.m[6], -sin(0.4), 1e-14);                   /* z of the body's x axis */
    assert_int_equal(ss_step(w.model, w.data, 0.01), SS_OK); /* a little beyond the end is known */
    for (int k = 0; k < 5; k++) {
        (void)ss_step(w.model, w.data, 0.01);
    }
    assert_non_null(strstr(ss_context_message(w.ctx), "as far as the duration"));
    close_world(&w);
}

static void flat_plates_swing_too(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "dimension: 2\nparams: {w: 2*pi/0.03}\n"
              "bodies: [{name: plate, type: kinematic, angle: 0.1, motion: {angular_acceleration: "
              "'180*sin(w*t)', period: 0.03}}]\n"
              "simulation: {step: 0.001, duration: 0.3}\n");
    double omega = 2 * 3.14159265358979323846 / 0.03;
    for (int k = 1; k < 30; k++) {
        to(&w, 0.001, 0.01 * k);
        assert_near(body(&w, 0).angle, 0.1 - 180 / (omega * omega) * sin(omega * 0.01 * k), 1e-13);
    }
    close_world(&w);
}

/* A recording in millimetres, whose quaternions change their sign now and then. */
static void write_recording(const char *path)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("\xef\xbb\xbf"
          "time, px, f, qw, qx, qy, qz\n",
          f); /* with a mark, as spreadsheets write */
    for (int i = 0; i < 310; i++) {
        double t = 0.01 * i, sign = i % 7 == 3 ? -1 : 1;
        fprintf(f, "%.17g, %.17g, %.17g, %.17g, 0, 0, %.17g\n", t, 1000 * sin(t), cos(t),
                sign * cos(t / 2), sign * sin(t / 2));
    }
    fclose(f);
}

static void recordings_are_followed(void **state)
{
    (void)state;
    char path[] = "/tmp/stickslip_tables_XXXXXX", text[2000];
    int  file   = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    write_recording(path);
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\n"
             "tables: {push: {file: %s, argument: time, value: f}}\n"
             "bodies:\n"
             "  - {name: hand, type: kinematic, motion: {file: %s, columns: {t: time, x: px, "
             "quat_wxyz: [qw, qx, qy, qz]}, scale: 0.001, delay: 0.5}}\n"
             "  - {name: block, type: particle, mass: 2, position: ['push(0.5)', 5, 0]}\n"
             "forces: [{name: f, type: constant, body: block, force: [0, 'push(t)', 0]}]\n"
             "simulation: {step: 0.01, duration: 2}\n",
             path, path);
    world w;
    open_text(&w, text);
    assert_near(body(&w, 1).position.x, cos(0.5), 1e-9);
    to(&w, 0.01, 0.3);
    assert_near(body(&w, 0).position.x, 0, 1e-12); /* it has not begun */
    for (int k = 4; k <= 20; k++) {
        to(&w, 0.01, 0.1 * k);
        double t = 0.1 * k - 0.5;
        assert_near(body(&w, 0).position.x, sin(fmax(t, 0)), 1e-9);
        assert_near(body(&w, 0).quat_wxyz.z, sin(fmax(t, 0) / 2), 1e-9);
    }
    assert_near(body(&w, 1).velocity.y, sin(2) / 2, 1e-2); /* the force acted */
    close_world(&w);
    unlink(path);
}

static void tables_of_included_files_keep_to_themselves(void **state)
{
    (void)state;
    char path[] = "/tmp/stickslip_tables_XXXXXX", text[1000];
    int  file   = mkstemp(path);
    assert_true(file >= 0);
    FILE *f = fdopen(file, "w");
    fputs("tables: {go: {points: [[0, 0], [2, 2]], interpolation: linear}}\n"
          "bodies: [{name: arm, type: kinematic, motion: {x: '3*go(t)'}}]\n",
          f);
    fclose(f);
    snprintf(text, sizeof text,
             "include: [{file: %s, prefix: left_}, {file: %s, prefix: right_}]\n"
             "tables: {go: {points: [[0, 1], [2, 1]]}}\n"
             "bodies: [{name: own, type: kinematic, motion: {x: 'go(t)'}}]\n"
             "simulation: {step: 0.1, duration: 1}\n",
             path, path);
    world w;
    open_text(&w, text);
    to(&w, 0.1, 1);
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += body(&w, i).position.x;
    }
    assert_near(sum, 3 + 3 + 1, 1e-12);
    close_world(&w);
    unlink(path);
}

#define BODY "bodies: [{name: a, type: kinematic, motion: {x: 'f(t)'}}]\n"

static void mistakes_are_named(void **state)
{
    (void)state;
    refused("tables: {f: {points: [[0, 1], [0, 2]]}}\n" BODY, "arguments must increase");
    refused("tables: {f: {points: [[0, 1]]}}\n" BODY, "at least two points");
    refused("tables: {f: {}}\n" BODY, "points or a file");
    refused("tables: {f: {file: no_such_file.csv}}\n" BODY, "cannot be opened");
    refused("tables: {sin: {points: [[0, 1], [1, 2]]}}\n" BODY, "sin");
    refused("tables: {f: {points: [[0, 1], [1, 2]], period: 0.5}}\n" BODY, "period");
    refused("tables: {f: {points: [[0, 1], [1, 2]]}}\n"
            "bodies: [{name: a, type: kinematic, motion: {x: 'f(t, 2)'}}]\n",
            "f takes 1 argument, got 2");
    refused("bodies: [{name: a, type: kinematic, motion: {columns: {t: u}, x: 't'}}]\n",
            "belongs to a motion with a file");
    refused("bodies: [{name: a, type: kinematic, motion: {acceleration: ['1 + sin(2*pi*t)', 0, 0], "
            "period: 1}}]\n",
            "its mean must be zero");
    refused("bodies: [{name: a, type: kinematic, motion: {x: 't', velocity: [1, 0, 0]}}]\n",
            "more than one way");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations_swing_about_the_start),
        cmocka_unit_test(coning_is_kept_or_removed),
        cmocka_unit_test(rates_without_a_period_begin_at_the_start),
        cmocka_unit_test(flat_plates_swing_too),
        cmocka_unit_test(recordings_are_followed),
        cmocka_unit_test(tables_of_included_files_keep_to_themselves),
        cmocka_unit_test(mistakes_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
