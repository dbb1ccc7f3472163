/* SPDX-License-Identifier: Apache-2.0 */
/* contact: patch with `spread`: springs that pull each other along, against the layer's own laws.
 */
#include <stdlib.h>

#include "world.h"

enum { PIECES = 10, SPRINGS = PIECES + 1 };
static const double stiff = 20000, wide = 0.4, spread = 0.05;

static double energy_now(const world *w)
{
    ss_energy e = ss_data_energy(w->model, w->data);
    return e.kinetic + e.potential;
}

static void assert_books_close(const world *w, double start)
{
    ss_energy e = ss_data_energy(w->model, w->data);
    double    by_lines =
        e.applied + e.driven + e.restitution + e.corrections + e.integration - e.dissipated;
    assert_near(energy_now(w) - start, by_lines, 1e-10 * (1 + fabs(start)));
    assert_true(e.dissipated >= -1e-12);
}

/* A block of 0.4 m on an edge of ten pieces; a load of 20 N at `at` from its middle. */
static void open_block(world *w, double at, const char *damping, const char *start,
                       const char *model)
{
    char text[1200];
    snprintf(
        text, sizeof text,
        "dimension: 2\n"
        "gravity: [0, -10]\n"
        "materials: {default: {friction: 0.5},\n"
        "  soft: {friction: 0.5, compliance: {stiffness: [20000, 8000], damping: %s, springs: "
        "10, spread: 0.05}}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, material: soft, shape: {halfplane: {normal: [0, 1]}}}\n"
        "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.4, 0.1]}}, %s}\n"
        "forces:\n"
        "  - {name: load, type: constant, body: a, force: [0, -20], point: [%.17g, -0.05]}\n"
        "simulation: {model: {contact: patch%s}}\n",
        damping, start, at, model);
    open_text(w, text);
}

/* Places of springs along the block, and their shares. */
static double place(int i)
{
    return wide * i / PIECES - 0.5 * wide;
}

static double share(int i)
{
    return (i == 0 || i == PIECES ? 0.5 : 1.0) / PIECES;
}

static double weight(void)
{
    return spread * spread * PIECES / (wide * wide);
}

/* Moment over k and angle: sum of s x^2 and of w (x_i - x_j)^2. */
static double tilting(void)
{
    double sum = PIECES * weight() * wide * wide / (PIECES * PIECES);
    for (int i = 0; i < SPRINGS; i++) {
        sum += share(i) * place(i) * place(i);
    }
    return sum;
}

/* Forces, their moment about the middle of the lower side, and gaps. */
typedef struct pressed {
    double f[SPRINGS], gap[SPRINGS], sum, moment;
    int    open;
} pressed;

static pressed forces(const world *w, double h)
{
    pressed       x = {0};
    ss_body_state s = body_named(w, "a");
    assert_int_equal(ss_data_contact_count(w->data), SPRINGS);
    for (int i = 0; i < SPRINGS; i++) {
        ss_contact_info c;
        ss_data_contact(w->model, w->data, i, &c);
        double middle = s.position.x + 0.05 * sin(s.angle);
        int    k      = (int)lround((c.point.x - middle + 0.5 * wide) / (wide / PIECES));
        x.f[k]        = c.impulse[0] / h;
        x.gap[k]      = s.position.y + sin(s.angle) * place(k) - cos(s.angle) * 0.05;
        x.sum += x.f[k];
        x.moment += x.f[k] * place(k);
        x.open += !(x.f[k] > 0);
    }
    return x;
}

/* T x of the layer, from its definition. */
static void layer_times(const double *x, double *y)
{
    for (int i = 0; i < SPRINGS; i++) {
        y[i] = share(i) * x[i];
        y[i] += i > 0 ? weight() * (x[i] - x[i - 1]) : 0;
        y[i] += i + 1 < SPRINGS ? weight() * (x[i] - x[i + 1]) : 0;
    }
}

static void a_layer_resists_tilting(void **state)
{
    (void)state;
    world w;
    open_block(&w, 0.02, "[200, 100]", "position: [0, 0.0495]", "");
    double start = energy_now(&w);
    run(&w, 1e-3, 4000);
    pressed       x = forces(&w, 1e-3);
    ss_body_state s = body_named(&w, "a");
    assert_near(x.sum, 30, 1e-6);
    assert_int_equal(x.open, 0);
    assert_near(s.angle, -x.moment / (stiff * tilting()), 1e-5 * fabs(s.angle));
    /* a layer that is pressed evenly gives as its springs do */
    assert_near(s.position.y, 0.05 - 30 / stiff, 2e-6);
    assert_books_close(&w, start);
    close_world(&w);
}

/* Lifted in part: forces and gaps are those of 0 <= f _|_ gap + x >= 0, f = k T x. */
static void springs_that_are_not_pressed_are_pulled_along(void **state)
{
    (void)state;
    world w;
    open_block(&w, 0.16, "[200, 100]", "position: [0, 0.0495]", "");
    double start = energy_now(&w);
    run(&w, 1e-3, 6000);
    pressed x = forces(&w, 1e-3);
    assert_near(x.sum, 30, 1e-5);
    assert_true(x.open > 0 && x.open < SPRINGS);
    double depth[SPRINGS] = {0}, f[SPRINGS];
    for (int sweep = 0; sweep < 20000; sweep++) { /* depths of the layer, by relaxation */
        for (int i = 0; i < SPRINGS; i++) {
            layer_times(depth, f);
            double own  = share(i) + weight() * ((i > 0) + (i + 1 < SPRINGS));
            double free = depth[i] - f[i] / own;
            depth[i]    = free > -x.gap[i] ? free : -x.gap[i];
        }
    }
    layer_times(depth, f);
    int pulled = 0;
    for (int i = 0; i < SPRINGS; i++) {
        assert_near(x.f[i], stiff * f[i], 1e-4);
        pulled += !(x.f[i] > 0) && depth[i] > 1e-5;
    }
    assert_true(pulled > 0); /* below the surface, and nothing touches them */
    assert_books_close(&w, start);
    close_world(&w);
}

/* Without damping it swings up and down and to and fro, and keeps its energy. */
static void an_undamped_layer_keeps_energy(void **state)
{
    (void)state;
    world w;
    open_block(&w, 0, "0", "position: [0, 0.048], angle: 0.002, velocity: [0, 0.01]", "");
    double start = energy_now(&w), last = 0, passed[2] = {0};
    int    turns = 0;
    for (int i = 0; i < 2000; i++) {
        run(&w, 1e-4, 1);
        ss_energy e = ss_data_energy(w.model, w.data);
        assert_near(e.kinetic + e.potential, start + e.applied, 1e-9);
        double angle = body_named(&w, "a").angle;
        if (last > 0 && angle <= 0) {
            passed[turns > 0] = (i + angle / (last - angle)) * 1e-4;
            turns++;
        }
        last = angle;
    }
    /* its rate of tilting: I = m (0.4^2 + 0.1^2)/12, and sticking: about the springs along it */
    double inertia = (0.16 + 0.01) / 12, period = 2 * acos(-1) / sqrt(stiff * tilting() / inertia);
    assert_true(turns > 2);
    assert_near((passed[1] - passed[0]) / (turns - 1), period, 0.05 * period);
    assert_books_close(&w, start);
    close_world(&w);
}

/* Pushed along the surface: the same sum of friction, and it slides where it must. */
static void a_layer_holds_and_slides(void **state)
{
    (void)state;
    for (int slides = 0; slides < 2; slides++) {
        char  text[1000];
        world w;
        snprintf(
            text, sizeof text,
            "dimension: 2\ngravity: [0, -10]\n"
            "materials: {default: {friction: 0.5}, soft: {friction: 0.5, compliance: "
            "{stiffness: [20000, 8000], damping: [200, 100], springs: 6, spread: 0.03}}}\n"
            "bodies:\n"
            "  - {name: floor, type: static, material: soft, shape: {halfplane: {normal: [0, "
            "1]}}}\n"
            "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.4, 0.1]}}, position: "
            "[0, 0.0495]}\n"
            "forces: [{name: push, type: constant, body: a, force: [%d, 0], point: [0, "
            "-0.05]}]\n"
            "simulation: {model: {contact: patch}}\n",
            slides ? 8 : 3);
        open_text(&w, text);
        double start = energy_now(&w);
        run(&w, 1e-3, 1000);
        ss_body_state s = body_named(&w, "a");
        if (slides) {
            assert_near(s.velocity.x, 8 - 5, 0.05);
        } else {
            assert_near(s.position.x, 3.0 / 8000, 3e-6); /* an even pull: F/K */
            assert_true(fabs(s.velocity.x) < 1e-6);
        }
        assert_books_close(&w, start);
        close_world(&w);
    }
}

/*
 * Patches that are lifted in part, stand on a corner and tip over stay what they are: nothing makes
 * energy, with and without a layer. (Corners within reach alone would make a patch of each set of
 * them, each as stiff as the whole: 50 J out of nothing.)
 */
static void patches_that_tip_make_no_energy(void **state)
{
    (void)state;
    static const char *laws[]   = {"", ", spread: 0.05"};
    static const char *places[] = {"position: [0, 0.06]", "position: [0, 0.25], angle: 0.6",
                                   "position: [0, 0.3], angle: 1.9, angular_velocity: -3"};
    for (int i = 0; i < 6; i++) {
        char  text[900];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, -10]\n"
                 "materials: {default: {friction: 0.5}, soft: {friction: 0.5, compliance: "
                 "{stiffness: [20000, 8000], damping: [20, 10], springs: 6%s}}}\n"
                 "bodies:\n"
                 "  - {name: floor, type: static, material: soft, shape: {halfplane: {normal: [0, "
                 "1]}}}\n"
                 "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.4, 0.1]}}, %s}\n"
                 "simulation: {model: {contact: patch}}\n",
                 laws[i / 3], places[i % 3]);
        open_text(&w, text);
        double start = energy_now(&w), last = start;
        for (int k = 0; k < 3000; k++) {
            run(&w, 1e-3, 1);
            double now = energy_now(&w);
            assert_true(now <= last + 1e-4);
            last = now;
        }
        ss_energy e = ss_data_energy(w.model, w.data);
        assert_true(e.integration < 1e-3 * start);
        assert_books_close(&w, start);
        assert_true(ss_norm(body_named(&w, "a").velocity) < 0.02);
        close_world(&w);
    }
}

/* In space, a face of 4 x 9 pieces; a snapshot goes on with the same bits. */
static void a_face_has_a_layer(void **state)
{
    (void)state;
    world w;
    open_text(
        &w,
        "gravity: [0, 0, -10]\n"
        "materials: {default: {friction: 0.5}, soft: {friction: 0.5, compliance: {stiffness: "
        "20000, damping: 200, springs: 3, spread: 0.05}}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, material: soft, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: a, type: dynamic, mass: 2, shape: {box: {size: [0.4, 0.2, 0.1]}},\n"
        "     position: [0, 0, 0.052], velocity: [0.3, 0, 0], angular_velocity: [0.5, 0.3, 1]}\n"
        "simulation: {model: {contact: patch}}\n");
    double start = energy_now(&w);
    run(&w, 2e-3, 20);
    size_t size = ss_snapshot_size(w.model, w.data);
    void  *kept = malloc(size);
    assert_int_equal(ss_snapshot_get(w.model, w.data, kept), SS_OK);
    run(&w, 2e-3, 600);
    uint64_t hash = ss_state_hash(w.model, w.data);
    assert_int_equal(ss_data_contact_count(w.data), 1 + 4 * 3 + 4 * 3);
    assert_near(body_named(&w, "a").position.z, 0.05 - 20.0 / 20000, 1e-6);
    assert_books_close(&w, start);
    assert_int_equal(ss_snapshot_set(w.model, w.data, kept, size), SS_OK);
    run(&w, 2e-3, 600);
    assert_true(hash == ss_state_hash(w.model, w.data));
    free(kept);
    close_world(&w);
}

static void refused(const char *compliance, const char *model, const char *word)
{
    char  text[600];
    world w;
    snprintf(
        text, sizeof text,
        "materials: {default: {friction: 0.5}, soft: {friction: 0.5, compliance: {stiffness: "
        "%s}}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, material: soft, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: a, type: dynamic, mass: 2, shape: {box: {size: [0.4, 0.2, 0.1]}},\n"
        "     position: [0, 0, 0.05]}\n"
        "simulation: {model: {contact: patch%s}}\n",
        compliance, model);
    assert_int_equal(try_text(&w, text), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(w.ctx), word));
    close_world(&w);
}

static void what_a_layer_cannot_do_is_refused(void **state)
{
    (void)state;
    refused("2000, spread: -1", "", "spread");
    refused("2000, spread: 0.1, exponent: 1.5", "", "exponent 1");
    refused("2000, spread: 0.1, max_deflection: 0.01", "", "max_deflection");
    refused("2000, spread: 0.1", ", inertia: quasistatic", "inertia: dynamic or damped");
    refused("[[2000, 10, 0], [10, 1000, 0], [0, 0, 1000]], spread: 0.1", "", "not coupled");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layer_resists_tilting),
        cmocka_unit_test(springs_that_are_not_pressed_are_pulled_along),
        cmocka_unit_test(an_undamped_layer_keeps_energy),
        cmocka_unit_test(a_layer_holds_and_slides),
        cmocka_unit_test(patches_that_tip_make_no_energy),
        cmocka_unit_test(a_face_has_a_layer),
        cmocka_unit_test(what_a_layer_cannot_do_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
