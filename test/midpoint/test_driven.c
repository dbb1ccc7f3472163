/* SPDX-License-Identifier: Apache-2.0 */
/* integrator: midpoint: contacts and supports of driven bodies are of second order. */
#include "world.h"

#define SETTINGS "simulation: {model: {integrator: midpoint}}\n"
#define ON_EARTH "gravity: [0, 0, -9.81]\nmaterials: {default: {friction: 0.8}}\n"

/* A ball rolling on a turntable: its centre moves on a circle, at 2/7 of the table's rate. */
static const char TURNTABLE[] = ON_EARTH
    "bodies:\n"
    "  - {name: table, type: kinematic, shape: {cylinder: {radius: 3, length: 0.1}},\n"
    "     motion: {x: 0, y: 0, z: -0.05, euler: [0, 0, \"2*t\"]}}\n"
    "  - {name: a, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}},\n"
    "     position: [0.5, 0, 0.1], velocity: [0, 0.3, 0], angular_velocity: [7, 0, 0]}\n" SETTINGS;

static const char TILTING[] = ON_EARTH
    "bodies:\n"
    "  - {name: table, type: kinematic, shape: {plane: {normal: [0, 0, 1]}}, motion:\n"
    "     {x: 0, y: 0, z: 0, euler: [\"0.2*sin(3*t)\", \"0.15*sin(2*t)\", 0]}}\n"
    "  - {name: a, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0.5,\n"
    "     0.2, 0.1], velocity: [0.03, -0.06, -0.03], angular_velocity: [0.6, 0.3, 0]}\n" SETTINGS;

#define PLATE                                                                                      \
    "bodies:\n"                                                                                    \
    "  - {name: plate, type: kinematic, shape: {box: {size: [8, 8, 0.1]}}, motion:\n"              \
    "     {x: \"0.05*sin(4*t)\", y: \"0.1*(1-cos(3*t))\", z: \"-0.05+0.02*(1-cos(5*t))\"}}\n"      \
    "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}},\n"               \
    "     position: [0, 0, 0.05], "

static const char CARRIED[] = ON_EARTH PLATE "velocity: [0.2, 0, 0]}\n" SETTINGS;

static const char SLIDING[] =
    "gravity: [0, 0, -9.81]\nmaterials: {default: {friction: 0.2}}\n" PLATE
    "velocity: [1.9, 0, 0], angular_velocity: [0, 0, 3]}\n" SETTINGS;

static const char TURNED[] = ON_EARTH
    "bodies:\n"
    "  - {name: table, type: kinematic, shape: {cylinder: {radius: 3, length: 0.1}},\n"
    "     motion: {x: 0, y: 0, z: -0.05, euler: [0, 0, \"1.5*t+0.3*sin(2*t)\"]}}\n"
    "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}}, position:\n"
    "     [0.7, 0, 0.05], velocity: [0, 1.47, 0], angular_velocity: [0, 0, 2.1]}\n" SETTINGS;

static const char PIVOT[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: cart, type: kinematic, motion: {x: \"0.2*sin(3*t)\", y: 0, z: \"0.1*cos(2*t)\"}}\n"
    "  - {name: a, type: dynamic, mass: 1, inertia: [0.01, 0.02, 0.02], position: [0.5, 0, 0.1],\n"
    "     velocity: [0.6, 0, 0]}\n"
    "joints:\n"
    "  - {name: j, type: spherical, bodies: [cart, a], anchor: [0, 0, 0.1]}\n" SETTINGS;

static const char IN_THE_PLANE[] =
    "dimension: 2\ngravity: [0, -9.81]\nmaterials: {default: {friction: 0.9}}\n"
    "bodies:\n"
    "  - {name: plank, type: kinematic, shape: {box: {size: [6, 0.2]}}, motion:\n"
    "     {x: \"0.2*sin(2*t)\", y: \"-0.1+0.03*(1-cos(3*t))\", angle: \"0.1*sin(2.5*t)\"}}\n"
    "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.2}}, position: [0.5, 0.2],\n"
    "     velocity: [0.375, 0.125]}\n" SETTINGS;

static const char SUPPORTED[] =
    "dimension: 2\ngravity: [0, 0]\n"
    "bodies:\n"
    "  - {name: plate, type: kinematic, motion: {x: \"0.1*sin(3*t)\", y: \"0.05*sin(2*t)\",\n"
    "     angle: \"0.4*sin(2*t)\"}}\n"
    "  - {name: a, type: dynamic, mass: 1, inertia: 0.01, position: [0.3, 0], velocity: [0.3,\n"
    "     0.34], angular_velocity: 0.8, support: {on: plate, friction: 0.5, gravity: 9.81,\n"
    "     points: [[0.1, 0], [-0.1, 0.1], [-0.1, -0.1]]}}\n" SETTINGS;

static void state_at(const char *text, double h, double T, double out[6])
{
    world w;
    open_text(&w, text);
    ss_energy was = ss_data_energy(w.model, w.data);
    run(&w, h, (int)lround(T / h));
    ss_body_state s    = body(&w, 1);
    const double  x[6] = {s.position.x, s.position.y, s.position.z,
                          s.velocity.x, s.velocity.y, s.velocity.z};
    memcpy(out, x, sizeof x);
    ss_energy e = ss_data_energy(w.model, w.data);
    double    sum =
        e.applied + e.driven + e.restitution + e.corrections + e.integration - e.dissipated;
    double start = was.kinetic + was.potential;
    assert_near(e.kinetic + e.potential - start, sum, 1e-9 * (1 + fabs(e.driven)));
    assert_near(e.corrections, 0, 1e-5);
    assert_true(fabs(e.integration) < 50 * h * h * (1 + fabs(e.driven)));
    close_world(&w);
}

static double distance(const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < 6; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

static void assert_second_order(const char *what, const char *text)
{
    double       fine[6], x[6], y[6];
    const double h = 4e-3, T = 0.5;
    state_at(text, h / 16, T, fine);
    state_at(text, h, T, x);
    state_at(text, h / 2, T, y);
    double coarse = distance(x, fine), order = log2(coarse / distance(y, fine));
    print_message("%s: error %.2e at h = %g, order %.2f\n", what, coarse, h, order);
    assert_true(order > 1.85 && order < 2.3);
}

static void what_driven_bodies_carry_is_of_second_order(void **state)
{
    (void)state;
    assert_second_order("ball on a turntable", TURNTABLE);
    assert_second_order("ball on a tilting table", TILTING);
    assert_second_order("box carried by a plate", CARRIED);
    assert_second_order("box sliding on a plate", SLIDING);
    assert_second_order("block on a turning table", TURNED);
    assert_second_order("pendulum on a driven pivot", PIVOT);
    assert_second_order("disc on a plank", IN_THE_PLANE);
    assert_second_order("part on a plate", SUPPORTED);
}

/* The velocity turns at 2/7 of the table's rate once the ball rolls, which it does after 0.5 s. */
static void a_ball_on_a_turntable_goes_round(void **state)
{
    (void)state;
    const double h = 2e-3, T = 5, rate = 2.0 / 7.0 * 2;
    double       x[6];
    world        w;
    open_text(&w, TURNTABLE);
    run(&w, h, (int)lround(0.5 / h));
    ss_body_state s = body(&w, 1);
    for (int i = 0; i < (int)lround(T / h); i++) {
        run(&w, h, 1);
    }
    ss_body_state e = body(&w, 1);
    double        c = cos(rate * T), n = sin(rate * T);
    x[0] = s.position.x + (s.velocity.x * n - s.velocity.y * (1 - c)) / rate;
    x[1] = s.position.y + (s.velocity.y * n + s.velocity.x * (1 - c)) / rate;
    print_message("off the circle by %.1e m after %g s\n",
                  hypot(e.position.x - x[0], e.position.y - x[1]), T);
    assert_true(hypot(e.position.x - x[0], e.position.y - x[1]) < 2e-5);
    close_world(&w);
}

/* A box that was at rest on a plate which moves when the run begins, and one on a plate that turns
   back at once: impacts, after which it goes with the plate to second order again. */
static void after_an_impact_steps_are_smooth_again(void **state)
{
    (void)state;
    static const char ZIGZAG[] =
        ON_EARTH "bodies:\n"
                 "  - {name: plate, type: kinematic, shape: {box: {size: [8, 8, 0.1]}}, motion:\n"
                 "     {x: \"0.3*abs(t - 0.1) + 0.1*t*t\", y: 0, z: \"-0.05+0.5*t*t\"}}\n"
                 "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}},\n"
                 "     position: [0, 0, 0.05]}\n" SETTINGS;
    world w;
    open_text(&w, ZIGZAG);
    run(&w, 2e-3, 49);
    assert_near(body(&w, 1).velocity.x, 0.2 * 0.098 - 0.3, 1e-9);
    assert_near(body(&w, 1).velocity.z, 0.098, 1e-9);
    run(&w, 2e-3, 51);
    assert_near(body(&w, 1).velocity.x, 0.2 * 0.2 + 0.3, 1e-9);
    assert_near(body(&w, 1).velocity.z, 0.2, 1e-9);
    close_world(&w);
}

/* A cylinder that slides on its face: which points of the rim bear a load depends on where the
   middle of the step is, and passes go round in circles. The step, or the part of one in which the
   rim comes down, is one of first order then. */
static void passes_that_do_not_settle_end(void **state)
{
    (void)state;
    static const char CYLINDER[] =
        "gravity: [0, 0, -9.81]\nmaterials: {default: {friction: 0.151}}\n"
        "bodies:\n"
        "  - {name: table, type: kinematic, shape: {box: {size: [4, 4, 0.2]}}, motion:\n"
        "     {x: \"0.0148*sin(9.149*t+1.09)\", y: \"-0.01994*sin(4.884*t+2.24)\",\n"
        "      z: \"-0.1-0.01208*sin(7.385*t+5.12)\",\n"
        "      euler: [\"0.05821*sin(9.526*t+2.06)\", \"-0.06276*sin(4.53*t+1.69)\", "
        "\"-1.11*t\"]}}\n"
        "  - {name: a, type: dynamic, mass: 1.09, shape: {cylinder: {radius: 0.125, length: "
        "0.207}},\n"
        "     position: [0.175, -0.1385, 0.25], velocity: [0.189, 0.472, 0.418]}\n" SETTINGS;
    world w;
    open_text(&w, CYLINDER);
    for (int i = 0; i < 150; i++) {
        run(&w, 0.004, 1);
        const ss_step_report *r = ss_data_report(w.data);
        assert_true(r->rounds < 8 * (1 + r->splits + 3 * r->events)); /* of each of its parts */
    }
    close_world(&w);
}

/*
 * A platform that goes down faster than a weight on a spring can follow: 1 kg, held down by 2000
 * N/m and its weight, leaves y = e sin wt where both accelerate alike and swings freely from there
 * on. What flies just above a surface that goes away is not lifted by it.
 */
static void what_a_platform_leaves_behind_flies_freely(void **state)
{
    (void)state;
    static const char PLATFORM[] =
        "dimension: 2\ngravity: [0, -9.81]\nmaterials: {default: {friction: 0}}\n"
        "params: {w: 72}\n"
        "bodies:\n"
        "  - {name: platform, type: kinematic, shape: {box: {size: [0.1, 0.1]}},\n"
        "     motion: {x: 0, y: \"0.01*sin(w*t)\"}}\n"
        "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.02]}},\n"
        "     position: [0, 0.06], velocity: [0, \"0.01*w\"]}\n"
        "forces:\n"
        "  - {name: s, type: spring, bodies: [world, a], anchors: [[0, 1.06], [0, 0]],\n"
        "     stiffness: 2000, rest_length: 1.01}\n" SETTINGS;
    const double w = 72, e = 0.01, k = 2000, om = sqrt(k), T = 0.03, middle = 0.05 - 9.81 / k;
    const double leaves = asin(om * om * (0.06 - middle) / (e * (w * w - om * om))) / w;
    const double y = 0.06 + e * sin(w * leaves), v = e * w * cos(w * leaves);
    const double end =
        middle + (y - middle) * cos(om * (T - leaves)) + v / om * sin(om * (T - leaves));
    for (int steps = 30; steps <= 120; steps += 10) {
        const double h = T / steps;
        world        at;
        open_text(&at, PLATFORM);
        for (int i = 0; i < steps; i++) {
            ss_body_state was = body(&at, 1);
            run(&at, h, 1);
            ss_body_state is = body(&at, 1);
            if (h * i > leaves) {
                double mean = 0.5 * (was.velocity.y + is.velocity.y);
                assert_near(is.position.y - was.position.y, h * mean, 1e-15);
            }
        }
        assert_near(body(&at, 1).position.y, end, 4 * h * h);
        close_world(&at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_driven_bodies_carry_is_of_second_order),
        cmocka_unit_test(a_ball_on_a_turntable_goes_round),
        cmocka_unit_test(after_an_impact_steps_are_smooth_again),
        cmocka_unit_test(passes_that_do_not_settle_end),
        cmocka_unit_test(what_a_platform_leaves_behind_flies_freely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
