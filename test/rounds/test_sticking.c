/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Static and kinetic friction against closed forms: a block on a slope between the two friction
 * angles; a block on a belt, held by a spring, that sticks and slips; Stribeck's curve against an
 * integration of its own.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "world.h"

#define G   9.81
#define MS  0.5
#define MK  0.4
#define PI_ 3.14159265358979323846

/* ---- slopes: gravity is tilted ---- */

static void open_slope(world *w, int dimension, const char *model, double angle, double v, double h)
{
    char text[1500];
    bool space = dimension == 3;
    snprintf(text, sizeof text,
             "dimension: %d\ngravity: [%.17g, %s%.17g]\n"
             "materials: {default: {friction: {static: 0.5, kinetic: 0.4}}}\n"
             "bodies:\n"
             "  - {name: floor, type: static, shape: {%s: {normal: [%s1]}}}\n"
             "  - {name: block, type: dynamic, mass: 2, shape: {box: {size: [0.2, 0.2%s]}}, "
             "position: [0, %s0.1], velocity: [%.17g, 0%s]}\n"
             "simulation: {step: %g, duration: 1, model: %s}\n",
             dimension, G * sin(angle), space ? "0, " : "", -G * cos(angle),
             space ? "plane" : "halfplane", space ? "0, 0, " : "0, ", space ? ", 0.2" : "",
             space ? "0, " : "", v, space ? ", 0" : "", h, model);
    open_text(w, text);
}

/* The ledger: what was there and put in is what is there and was lost; losses never fall. */
static void run_accounted(world *w, double h, int steps)
{
    ss_energy first = ss_data_energy(w->model, w->data);
    double    lost  = first.dissipated;
    for (int i = 0; i < steps; i++) {
        check(w, ss_step(w->model, w->data, h));
        ss_energy e   = ss_data_energy(w->model, w->data);
        double    in  = e.applied + e.driven + e.restitution + e.corrections + e.integration;
        double    sum = e.kinetic + e.potential + e.dissipated - in;
        double    all = first.kinetic + first.potential + first.dissipated -
                     (first.applied + first.driven + first.restitution + first.corrections +
                      first.integration);
        assert_near(sum, all, 1e-9 * (1 + fabs(all) + e.dissipated));
        assert_true(e.dissipated >= lost - 1e-13 * (1 + lost));
        assert_true(ss_data_report(w->data)->residual <= 1e-9);
        lost = e.dissipated;
    }
}

static const struct {
    const char *model;
    int         dimension;
} models[] = {
    {"{integrator: euler}", 2},    {"{integrator: euler}", 3},   {"{integrator: midpoint}", 2},
    {"{integrator: midpoint}", 3}, {"{cone: {polygon: 8}}", 2},  {"{cone: {polygon: 8}}", 3},
    {"{cone: {box: 4}}", 2},       {"{cone: {box: 4}}", 3},      {"{geometry: implicit}", 2},
    {"{gap: velocity}", 3},        {"{level: acceleration}", 2}, {"{level: acceleration}", 3}};
enum { MODELS = sizeof models / sizeof *models };

/* tan 0.42 = 0.4466 lies between 0.4 and 0.5: at rest it stays, sliding it slides on. */
static void both_laws_have_an_answer(void **state)
{
    (void)state;
    const double angle = 0.42, h = 0.01, down = G * (sin(angle) - MK * cos(angle));
    const double up = G * (sin(angle) + MK * cos(angle));
    for (int k = 0; k < MODELS; k++) {
        world w;
        open_slope(&w, models[k].dimension, models[k].model, angle, 0, h);
        run_accounted(&w, h, 100);
        assert_near(body(&w, 1).position.x, 0, 1e-13);
        assert_near(body(&w, 1).velocity.x, 0, 1e-13);
        close_world(&w);
        open_slope(&w, models[k].dimension, models[k].model, angle, 0.5, h);
        run_accounted(&w, h, 100);
        assert_near(body(&w, 1).velocity.x, 0.5 + down, 1e-10);
        close_world(&w);
        /* uphill: it slows down by the kinetic coefficient, comes to rest, and static friction
           holds it there, although kinetic friction would not */
        open_slope(&w, models[k].dimension, models[k].model, angle, -0.5, h);
        run_accounted(&w, h, 5);
        assert_near(body(&w, 1).velocity.x, -0.5 + 0.05 * up, 1e-10);
        run_accounted(&w, h, 50);
        assert_near(body(&w, 1).velocity.x, 0, 1e-13);
        assert_near(body(&w, 1).position.x, -0.5 * 0.25 / up, 0.5 * 0.5 * h);
        ss_contact_info c;
        check(&w, ss_data_contact(w.model, w.data, 0, &c));
        assert_near(c.mu, MS, 1e-15);
        close_world(&w);
    }
}

/* What static friction does not hold slides with kinetic friction from its first step on. */
static void what_breaks_loose_slides(void **state)
{
    (void)state;
    const double angle = 0.47, h = 0.01, down = G * (sin(angle) - MK * cos(angle));
    for (int k = 0; k < MODELS; k++) {
        world w;
        open_slope(&w, models[k].dimension, models[k].model, angle, 0, h);
        for (int i = 1; i <= 50; i++) {
            check(&w, ss_step(w.model, w.data, h));
            assert_near(body(&w, 1).velocity.x, down * i * h, 1e-10);
        }
        for (int32_t i = 0; i < ss_data_contact_count(w.data); i++) {
            ss_contact_info c;
            check(&w, ss_data_contact(w.model, w.data, i, &c));
            if (c.impulse[0] > 0) { /* four corners share the load as they like */
                assert_near(c.mu, MK, 1e-15);
                assert_int_equal(c.state, SS_CONTACT_SLIP);
            }
        }
        close_world(&w);
    }
}

/* A stack slides down as one, with v: the lowest contacts slide, those above hold by mu_s, though
   they bear more than mu_k would hold. Then it is pushed: they break loose. */
static void stacks_slide_as_one(void **state)
{
    (void)state;
    enum { BOXES = 5 };
    const double angle = 0.42, h = 0.005, mk = 0.2;
    double       down = G * (sin(angle) - mk * cos(angle));
    char         text[3000];
    int          n = snprintf(text, sizeof text,
                              "gravity: [%.17g, 0, %.17g]\n"
                                       "materials:\n"
                                       "  default: {friction: {static: 0.5, kinetic: 0.1}}\n"
                                       "  ice: {friction: 0.2}\n"
                                       "  pairs: [{between: [ice, default], friction: {static: 0.3, kinetic: "
                                       "0.2}}]\n"
                                       "bodies:\n"
                                       "  - {name: floor, type: static, material: ice, shape: {plane: {normal: "
                                       "[0, 0, 1]}}}\n"
                                       "  - {name: 'box{i}', repeat: {count: %d, as: i}, type: dynamic, mass: 1, "
                                       "shape: {box: {size: [0.4, 0.4, 0.1]}}, position: [0, 0, '0.05 + 0.1*i']}\n"
                                       "simulation: {step: %g, duration: 1}\n",
                              G * sin(angle), -G * cos(angle), BOXES, h);
    assert_true(n < (int)sizeof text);
    world w;
    open_text(&w, text);
    run_accounted(&w, h, 60);
    for (int i = 1; i <= BOXES; i++) {
        assert_near(body(&w, i).velocity.x, down * 60 * h, 1e-9);
    }
    close_world(&w);
}

/* ---- sticking is state ---- */

static void sticking_is_state(void **state)
{
    (void)state;
    for (int k = 0; k < MODELS; k++) {
        world w;
        open_slope(&w, models[k].dimension, models[k].model, 0.42, -0.5, 0.01);
        for (int part = 0; part < 3; part++) { /* it slides, comes to rest, rests */
            run(&w, 0.01, 4);
            size_t size = ss_snapshot_size(w.model, w.data);
            void  *kept = malloc(size);
            assert_non_null(kept);
            check(&w, ss_snapshot_get(w.model, w.data, kept));
            run(&w, 0.01, 10);
            uint64_t hash = ss_state_hash(w.model, w.data);
            check(&w, ss_snapshot_set(w.model, w.data, kept, size));
            run(&w, 0.01, 10);
            assert_true(hash == ss_state_hash(w.model, w.data));
            check(&w, ss_snapshot_set(w.model, w.data, kept, size));
            free(kept);
        }
        close_world(&w);
    }
}

/* ---- a block on a belt, held by a spring ---- */

/*
 * It goes with the belt until the spring pulls with mu_s m g, then swings about x_k = mu_k m g/K
 * with the frequency w = sqrt(K/m) from (x_k + D, V), D = (mu_s - mu_k) m g/K, until its speed is
 * the belt's again at x_k - D: amplitude sqrt(D^2 + (V/w)^2), time of slip 2 (pi - atan(D w/V))/w,
 * time of stick 2 D/V.
 */
#define STIFF 100.0
#define SPEED 0.1
#define SLIDE 0.3

static void open_belt(world *w, const char *model, double h)
{
    char text[1500];
    snprintf(
        text, sizeof text,
        "dimension: 2\n"
        "materials: {default: {friction: {static: 0.5, kinetic: 0.3}}}\n"
        "bodies:\n"
        "  - {name: belt, type: static, shape: {halfplane: {normal: [0, 1]}}, "
        "surface_velocity: [0.1, 0]}\n"
        "  - {name: block, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}}, position: "
        "[0, 0.05], velocity: [0.1, 0]}\n"
        "forces:\n"
        "  - {name: spring, type: spring, bodies: [world, block], anchors: [[-1, 0.05], [0, "
        "0]], stiffness: 100, rest_length: 1}\n"
        "simulation: {step: %g, duration: 10, model: %s}\n",
        h, model);
    open_text(w, text);
}

typedef struct cycle {
    double low, high, period;
} cycle;

static cycle expected_cycle(void)
{
    double D = (MS - SLIDE) * G / STIFF, w = sqrt(STIFF), x = SLIDE * G / STIFF;
    double A = sqrt(D * D + SPEED * SPEED / w / w);
    return (cycle){x - A, x + A, 2 * D / SPEED + 2 * (acos(-1) - atan(D * w / SPEED)) / w};
}

/* Extremes and times of upward passages of x_k over some cycles by steps. */
static cycle measured_cycle(world *w, double h)
{
    cycle  c    = {1, -1, 0};
    double from = -1, to = -1, was = body(w, 1).position.x, middle = SLIDE * G / STIFF;
    int    count = 0;
    while (ss_data_time(w->data) < 5) {
        check(w, ss_step(w->model, w->data, h));
        double x = body(w, 1).position.x, t = ss_data_time(w->data);
        if (t > 1) {
            c.low  = fmin(c.low, x);
            c.high = fmax(c.high, x);
        }
        if (t > 1 && was < middle && x >= middle) {
            double at = t - h * (x - middle) / (x - was);
            from      = from < 0 ? at : from;
            to        = at;
            count++;
        }
        was = x;
    }
    c.period = (to - from) / (count - 1);
    return c;
}

static void stick_and_slip_by_steps(void **state)
{
    (void)state;
    cycle exact = expected_cycle();
    for (int k = 0; k < 2; k++) {
        double error[2][2];
        for (int fine = 0; fine < 2; fine++) {
            double h = fine == 0 ? 1e-3 : 2.5e-4;
            world  w;
            open_belt(&w, k == 0 ? "{integrator: euler}" : "{integrator: midpoint}", h);
            cycle c        = measured_cycle(&w, h);
            error[fine][0] = fabs(c.period - exact.period);
            error[fine][1] = fmax(fabs(c.low - exact.low), fabs(c.high - exact.high));
            close_world(&w);
        }
        /* within a few steps, and better with shorter ones */
        assert_true(error[0][0] < 6e-3 && error[1][0] < 1.6e-3);
        assert_true(error[0][1] < 5e-4 && error[1][1] < 1.3e-4);
    }
}

static void stick_and_slip_from_event_to_event(void **state)
{
    (void)state;
    cycle  exact   = expected_cycle();
    double slip[8] = {0}, stick[8] = {0}, D = (MS - SLIDE) * G / STIFF;
    int    slips = 0, sticks = 0;
    world  w;
    open_belt(&w, "{level: acceleration}", 0.01);
    while (sticks < 5) {
        check(&w, ss_step(w.model, w.data, 0.01));
        for (int32_t i = 0; i < ss_data_event_count(w.data); i++) {
            ss_event e;
            check(&w, ss_data_event(w.model, w.data, i, &e));
            if (e.kind == SS_EVENT_SLIPS && slips < 8) {
                slip[slips++] = e.time;
            } else if (e.kind == SS_EVENT_STICKS && sticks < 8) {
                stick[sticks++] = e.time;
            }
        }
    }
    assert_near(slip[0], MS * G / STIFF / SPEED, 1e-7); /* it began at x = 0 */
    for (int i = 1; i < 5; i++) {
        assert_near(slip[i] - slip[i - 1], exact.period, 2e-7);
        assert_near(slip[i] - stick[i - 1], 2 * D / SPEED, 2e-7);
    }
    run_accounted(&w, 0.01, 100);
    close_world(&w);
}

/* ---- Stribeck ---- */

static double stribeck(double v, double V)
{
    return SLIDE + (MS - SLIDE) * exp(-v * v / V / V);
}

/* Speed of a block that slides to rest, by Runge and Kutta. */
static double slowed(double v, double V, double t)
{
    const int n = 20000;
    double    h = t / n;
    for (int i = 0; i < n; i++) {
        double a = -G * stribeck(v, V), b = -G * stribeck(v + 0.5 * h * a, V);
        double c = -G * stribeck(v + 0.5 * h * b, V), d = -G * stribeck(v + h * c, V);
        v += h / 6 * (a + 2 * b + 2 * c + d);
    }
    return v;
}

static double slowed_by_steps(const char *model, double h, double t)
{
    char  text[1000];
    world w;
    snprintf(text, sizeof text,
             "materials: {default: {friction: {static: 0.5, kinetic: 0.3, stribeck: 0.2}}}\n"
             "bodies:\n"
             "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  - {name: block, type: dynamic, mass: 3, shape: {box: {size: [0.2, 0.2, 0.1]}}, "
             "position: [0, 0, 0.05], velocity: [0.3, 0.4, 0]}\n"
             "simulation: {step: %g, duration: 1, model: %s}\n",
             h, model);
    open_text(&w, text);
    run_accounted(&w, h, (int)(t / h + 0.5));
    ss_vec3 v = body(&w, 1).velocity;
    close_world(&w);
    assert_near(v.x * 0.4, v.y * 0.3, 1e-9);
    return ss_norm(v);
}

static void stribeck_slows_down(void **state)
{
    (void)state;
    double exact = slowed(0.5, 0.2, 0.1);
    assert_near(slowed_by_steps("{level: acceleration}", 0.01, 0.1), exact, 1e-9);
    double coarse = slowed_by_steps("{integrator: euler}", 2e-3, 0.1) - exact;
    double fine   = slowed_by_steps("{integrator: euler}", 1e-3, 0.1) - exact;
    assert_near(coarse / fine, 2, 0.05);
    assert_true(fabs(fine) < 1e-3);
    assert_near(slowed_by_steps("{integrator: euler}", 1e-3, 0.3), 0, 1e-13);
    assert_near(slowed_by_steps("{level: acceleration}", 0.01, 0.3), 0, 1e-12);
}

/* ---- impacts ---- */

/*
 * What slides with hardly any friction slides: a cylinder that spins on its side over a floor that
 * could move, by Stribeck's law with coefficients down to 1e-22 at its ends, loses 1e-4 J; it lost
 * 0.2 J where rounding made an end count as one that sticks.
 */
static void hardly_any_friction_is_no_sticking(void **state)
{
    (void)state;
    static const char *const integrators[] = {"midpoint", "euler"};
    const double             steps[]       = {0.002, 0.0005};
    for (int i = 0; i < 4; i++) {
        char  text[1500];
        world w;
        snprintf(text, sizeof text,
                 "materials: {default: {friction: {static: 0.2, kinetic: 0, stribeck: 0.2}}}\n"
                 "bodies:\n"
                 "  - {name: floor, type: kinematic, shape: {box: {size: [20, 20, 0.4]}},\n"
                 "     position: [0, 0, -0.2], motion: {x: \"0*t\"}}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {cylinder: {radius: 0.1,\n"
                 "     length: 0.3}}, position: [0, 0, 0.1], quat_wxyz: [0.28884423947872667,\n"
                 "     -0.6454215717807672, 0.28884423947872667, 0.6454215717807672],\n"
                 "     velocity: [-0.9, 0, 0], angular_velocity: [0, 0, 4]}\n"
                 "simulation: {model: {integrator: %s}}\n",
                 integrators[i / 2]);
        open_text(&w, text);
        run_accounted(&w, steps[i % 2], (int)lround(0.5 / steps[i % 2]));
        assert_near(ss_data_energy(w.model, w.data).dissipated, 1.0066e-4, 6e-6);
        assert_near(body(&w, 1).velocity.x, -0.8998267, 2e-5);
        close_world(&w);
    }
}

/* Friction of an impact that slides throughout takes mu_k (1 + e) v_n from the slip. */
static void impacts_slide(void **state)
{
    (void)state;
    static const char *const laws[]   = {"newton", "poisson"};
    static const char *const levels[] = {"impulse", "acceleration"};
    for (int k = 0; k < 4; k++) {
        char  text[1000];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, 0]\n"
                 "materials: {default: {friction: {static: 0.5, kinetic: 0.3}, restitution: 0.5, "
                 "impact: %s}}\n"
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                 "  - {name: grain, type: particle, shape: {point: {}}, mass: 1, position: [0, "
                 "0.0105], velocity: [5, -1]}\n"
                 "simulation: {step: 0.001, duration: 1, model: {level: %s}}\n",
                 laws[k % 2], levels[k / 2]);
        open_text(&w, text);
        run(&w, 0.001, 20);
        assert_near(body(&w, 1).velocity.y, 0.5, 1e-9);
        assert_near(body(&w, 1).velocity.x, 5 - 0.3 * 1.5, 1e-9);
        close_world(&w);
    }
}

/* ---- without momentum, in a medium ---- */

static void a_medium_limits_the_speed(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) { /* 4.6 N: between 0.4 and 0.5 of the weight; 5.2 N: above */
        double force = k == 0 ? 4.6 : 5.2;
        char   text[1000];
        world  w;
        snprintf(
            text, sizeof text,
            "dimension: 2\n"
            "materials: {default: {friction: {static: 0.5, kinetic: 0.4}}}\n"
            "bodies:\n"
            "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
            "  - {name: block, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}}, "
            "position: [0, 0.05], damping: [2, 1]}\n"
            "forces:\n  - {name: pull, type: constant, body: block, force: ['t < 0.5 and 5.2 or "
            "%g', 0], point: [0, -0.05]}\n"
            "simulation: {step: 0.01, duration: 1, model: {inertia: damped}}\n",
            force);
        open_text(&w, text);
        run(&w, 0.01, 40);
        assert_near(body(&w, 1).velocity.x, (5.2 - MK * G) / 2, 1e-9);
        run(&w, 0.01, 40); /* it slides on */
        assert_near(body(&w, 1).velocity.x, (force - MK * G) / 2, 1e-9);
        close_world(&w);
    }
}

/* ---- how materials combine; what is refused ---- */

/* ---- contacts that give ---- */

/* A particle on a floor that gives, pulled ever harder: K in series, started where the load holds
   it. It goes with K up to mu_s m g, then m v' = f - mu_k m g. */
static void what_gives_breaks_loose(void **state)
{
    (void)state;
    static const char *const giving[] = {
        "{contact: compliant}", "{contact: patch}", "{contact: compliant, integrator: euler}",
        "{contact: compliant, geometry: implicit}", "{contact: compliant, cone: {polygon: 4}}"};
    for (size_t k = 0; k < sizeof giving / sizeof giving[0]; k++) {
        const double h = 5e-4, rate = 4, T = 2, loose = MS * 10 / rate;
        char         text[1000];
        world        w;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, -10]\n"
                 "materials: {default: {friction: {static: 0.5, kinetic: 0.4}, compliance: "
                 "{stiffness: 2e4, damping: 200}}}\n"
                 "bodies:\n  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                 "  - {name: block, type: particle, mass: 1, shape: {point: {}}, position: [0, "
                 "-0.001]}\n"
                 "forces: [{type: constant, body: block, force: [\"%g*t\", 0]}]\n"
                 "simulation: {step: %g, duration: 2, model: %s}\n",
                 rate, h, giving[k]);
        open_text(&w, text);
        run_accounted(&w, h, (int)lround((loose - 0.01) / h));
        assert_near(body(&w, 1).position.x, rate * (loose - 0.01) / 1e4, 1e-5);
        run_accounted(&w, h, (int)lround((T - loose + 0.01) / h));
        double v = 0.5 * rate * (T * T - loose * loose) - MK * 10 * (T - loose) + rate / 1e4;
        print_message("%s: %.5f m/s, expected %.5f\n", giving[k], body(&w, 1).velocity.x, v);
        assert_near(body(&w, 1).velocity.x, v, 2e-3);
        close_world(&w);
    }
}

/* The cycle of a particle on a belt that gives is that of a rigid one as K grows. */
static void what_gives_sticks_and_slips(void **state)
{
    (void)state;
    const double h = 5e-4, V = 0.1, k = 100, xk = MK * G / k, D = (MS - MK) * G / k;
    const double w0 = 10, size = hypot(D, V / w0),
                 T = 2 * D / V + 2 / w0 * (PI_ - atan(D * w0 / V));
    double last = 0, before = 0, top = 0, period = 0, most = 0;
    world  w;
    open_text(&w,
              "dimension: 2\nmaterials: {default: {friction: {static: 0.5, kinetic: 0.4}, "
              "compliance: {stiffness: 1e6, damping: 200}}}\n"
              "bodies:\n  - {name: belt, type: static, shape: {halfplane: {normal: [0, 1]}}, "
              "surface_velocity: [0.1, 0]}\n"
              "  - {name: block, type: particle, mass: 1, shape: {point: {}}, position: [0, 0], "
              "velocity: [0.1, 0]}\n"
              "forces: [{type: spring, bodies: [world, block], anchors: [[-0.4, 0], [0, 0]], "
              "stiffness: 100, rest_length: 0.4}]\n"
              "simulation: {step: 5e-4, duration: 3, model: {contact: compliant}}\n");
    for (int i = 0; i < 6000; i++) {
        run_accounted(&w, h, 1);
        double x = body(&w, 1).position.x;
        if (i > 2000 && last > before && last >= x && last > xk) {
            period = top > 0 ? i * h - top : 0;
            top    = i * h;
            most   = last;
        }
        before = last;
        last   = x;
    }
    print_message("period %.4f s, closed %.4f; largest %.6f m, closed %.6f\n", period, T, most,
                  xk + size);
    assert_near(period, T, 3 * h);
    assert_near(most, xk + size, 1e-4);
    close_world(&w);
}

static void coefficients_combine(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "dimension: 2\n"
              "materials:\n"
              "  default: {friction: {static: 0.9, kinetic: 0.4}}\n"
              "  other: {friction: {static: 0.4, kinetic: 0.1}}\n"
              "  plain: {friction: 0.5}\n"
              "  pairs: [{between: [plain, other], friction: 0.7}]\n"
              "bodies:\n"
              "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
              "  - {name: a, type: dynamic, mass: 1, material: other, shape: {disc: {radius: "
              "0.1}}, position: [0, 0.1], velocity: [1, 0]}\n"
              "  - {name: b, type: dynamic, mass: 1, material: other, shape: {box: {size: [0.1, "
              "0.1]}}, position: [9, 0.05]}\n"
              "  - {name: c, type: dynamic, mass: 1, material: plain, shape: {disc: {radius: "
              "0.1}}, position: [6, 0.1], velocity: [1, 0]}\n"
              "simulation: {step: 0.001, duration: 1}\n");
    run(&w, 0.001, 10);
    double seen[4] = {0};
    for (int32_t i = 0; i < ss_data_contact_count(w.data); i++) {
        ss_contact_info c;
        check(&w, ss_data_contact(w.model, w.data, i, &c));
        seen[c.body_a == 0 ? c.body_b : c.body_a] = c.mu;
    }
    assert_near(seen[1], sqrt(0.4 * 0.1), 1e-15);
    assert_near(seen[2], sqrt(0.9 * 0.4), 1e-15);
    assert_near(seen[3], sqrt(0.4 * 0.5), 1e-15);
    close_world(&w);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *friction, *rest, *place, *says;
    } bad[] = {
        {"{static: 0.3, kinetic: 0.4}", "", "test.yaml:1:", "static must be at least kinetic"},
        {"{static: 0.3}", "", "test.yaml:1:", "kinetic"},
        {"{kinetic: 0.3}", "", "test.yaml:1:", "static"},
        {"{static: -1, kinetic: -2}", "", "test.yaml:1:", "static must be >= 0"},
        {"{static: 0.5, kinetic: 0.4, stribeck: 0}", "", "test.yaml:1:", "stribeck must be > 0"},
        {"{static: 0.5, kinetic: 0.4, speed: 1}", "", "test.yaml:1:", "speed"},
        {"[0.5, 0.4]", "", "test.yaml:1:", "friction"},
        {"-0.5", "", "test.yaml:1:", "friction must be >= 0"},
        {"{static: 0.5, kinetic: 0.4}", "simulation: {model: {inertia: quasistatic}}", "",
         "nothing tells where it stops"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char  text[1000];
        world w;
        snprintf(text, sizeof text,
                 "materials: {default: {friction: %s}}\nbodies:\n  - {name: ball, type: dynamic, "
                 "mass: 1, shape: {sphere: {radius: 1}}}\n%s\n",
                 bad[i].friction, bad[i].rest);
        assert_int_equal(try_text(&w, text), SS_ERR_INPUT);
        assert_non_null(strstr(ss_context_message(w.ctx), bad[i].place));
        assert_non_null(strstr(ss_context_message(w.ctx), bad[i].says));
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_laws_have_an_answer),
                                       cmocka_unit_test(what_breaks_loose_slides),
                                       cmocka_unit_test(stacks_slide_as_one),
                                       cmocka_unit_test(sticking_is_state),
                                       cmocka_unit_test(stick_and_slip_by_steps),
                                       cmocka_unit_test(stick_and_slip_from_event_to_event),
                                       cmocka_unit_test(stribeck_slows_down),
                                       cmocka_unit_test(hardly_any_friction_is_no_sticking),
                                       cmocka_unit_test(impacts_slide),
                                       cmocka_unit_test(a_medium_limits_the_speed),
                                       cmocka_unit_test(what_gives_breaks_loose),
                                       cmocka_unit_test(what_gives_sticks_and_slips),
                                       cmocka_unit_test(coefficients_combine),
                                       cmocka_unit_test(nonsense_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
