/* SPDX-License-Identifier: Apache-2.0 */
/* integrator: midpoint: order, energy, momentum, and what it must leave as it is. */
#include "joint/mechanism.h"

#define MIDPOINT "simulation: {model: {integrator: midpoint}}\n"

/* The largest difference of the first moving body's position and velocity at time T from `ref`. */
static double state_at(const char *text, const char *name, double h, double T, double out[6])
{
    world w;
    open_text(&w, text);
    run(&w, h, (int)lround(T / h));
    ss_body_state s    = body_named(&w, name);
    const double  x[6] = {s.position.x, s.position.y, s.position.z,
                          s.velocity.x, s.velocity.y, s.velocity.z};
    memcpy(out, x, sizeof x);
    double energy = total_energy(&w);
    close_world(&w);
    return energy;
}

static double distance(const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < 6; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

static void assert_second_order(const char *what, const char *text, double h, double T)
{
    double fine[6], x[6], y[6];
    state_at(text, "a", h / 16, T, fine);
    state_at(text, "a", h, T, x);
    state_at(text, "a", h / 2, T, y);
    double coarse = distance(x, fine), half = distance(y, fine), order = log2(coarse / half);
    print_message("%s: error %.2e at h = %g, order %.2f\n", what, coarse, h, order);
    assert_true(order > 1.85 && order < 2.3);
}

static const char PENDULUM[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, type: dynamic, mass: 1, inertia: [0.01, 0.08, 0.09], position: [0.5, 0, 0],\n"
    "     angular_velocity: [0, 0, 1], velocity: [0, 0.5, 0]}\n"
    "joints:\n"
    "  - {name: j, type: spherical, bodies: [world, a], anchor: [0, 0, 0]}\n" MIDPOINT;

/* Its centre of mass is not its centre: it rolls unevenly. */
static const char EGG[] =
    "gravity: [0, 0, -9.81]\n"
    "materials: {default: {friction: 1}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: a, type: dynamic, mass: 1, inertia: [0.004, 0.004, 0.004], com: [0, 0, -0.03],\n"
    "     shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1], velocity: [0.5, 0, 0],\n"
    "     angular_velocity: [0, 5, 0]}\n" MIDPOINT;

static const char SLICK_EGG[] =
    "gravity: [0, 0, -9.81]\n"
    "materials: {default: {friction: 0}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: a, type: dynamic, mass: 1, inertia: [0.004, 0.005, 0.004], com: [0, 0, -0.03],\n"
    "     shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1],\n"
    "     angular_velocity: [0, 3, 1]}\n" MIDPOINT;

static const char DISC_ON_DISC[] =
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "materials: {default: {friction: 0}}\n"
    "bodies:\n"
    "  - {name: hill, type: static, shape: {disc: {radius: 1}}}\n"
    "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
    "     position: [0.10981675820753092, 1.0945045818058282]}\n" MIDPOINT;

static const char SLIDING_TOP[] =
    "gravity: [0, 0, -9.81]\n"
    "materials: {default: {friction: 0.1}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: a, type: dynamic, mass: 0.02, inertia: [2.88e-6, 2.88e-6, 3.04e-6], com: [0, 0, "
    "-0.004],\n"
    "     shape: {sphere: {radius: 0.02}}, position: [0, 0, 0.02],\n"
    "     quat_wxyz: [0.9887710779360422, 0.0, 0.14943813247359922, 0.0],\n"
    "     velocity: [0.5, 0, 0], angular_velocity: [44, 0, 143]}\n" MIDPOINT;

static const char SPRING[] =
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, type: particle, mass: 1, position: [1, 0]}\n"
    "forces:\n"
    "  - {name: s, type: spring, bodies: [world, a], anchors: [[0, 0], [0, 0]], stiffness: 40,\n"
    "     rest_length: 0.8}\n" MIDPOINT;

static void smooth_motion_is_of_second_order(void **state)
{
    (void)state;
    assert_second_order("pendulum in space", PENDULUM, 4e-3, 0.5);
    assert_second_order("egg that rolls", EGG, 4e-3, 0.5);
    assert_second_order("egg on ice", SLICK_EGG, 4e-3, 0.5);
    assert_second_order("disc on a disc", DISC_ON_DISC, 4e-3, 0.5);
    assert_second_order("top that slides", SLIDING_TOP, 1e-3, 0.05);
    assert_second_order("spring", SPRING, 4e-3, 0.5);
}

static void a_tumbling_body_keeps_energy_and_momentum(void **state)
{
    (void)state;
    world w;
    open_text(&w, "gravity: [0, 0, 0]\n"
                  "bodies:\n"
                  "  - {name: a, type: dynamic, mass: 1, inertia: [0.01, 0.02, 0.03],"
                  " angular_velocity: [1, 10, 0.5]}\n" MIDPOINT);
    double e0 = total_energy(&w);
    for (int i = 0; i < 1000; i++) {
        run(&w, 0.01, 1);
        ss_body_state s = body(&w, 0);
        ss_mat3       R = ss_mat3_from_quat(s.quat_wxyz);
        ss_vec3       v = ss_tmul(&R, s.angular_velocity);
        ss_vec3       L = ss_mul(&R, ss_v3(0.01 * v.x, 0.02 * v.y, 0.03 * v.z));
        assert_near(L.x, 0.01, 1e-12);
        assert_near(L.y, 0.2, 1e-12);
        assert_near(L.z, 0.015, 1e-12);
        assert_near(total_energy(&w), e0, 1e-12);
    }
    close_world(&w);
}

/* max |E - E0| over a run, and the largest opening of a joint. */
static double energy_error(world *w, double h, double T, double *opening)
{
    double e0 = total_energy(w), worst = 0;
    *opening = 0;
    for (int i = 0; i < (int)lround(T / h); i++) {
        run(w, h, 1);
        worst    = fmax(worst, fabs(total_energy(w) - e0));
        *opening = fmax(*opening, ss_data_report(w->data)->joint_error);
    }
    return worst;
}

static void a_double_pendulum_keeps_its_energy(void **state)
{
    (void)state;
    double error[2], opening;
    for (int k = 0; k < 2; k++) {
        world w;
        open_world(&w, 2, "auto");
        w.sim.axes.integrator = SS_INTEGRATOR_MIDPOINT;
        add_chain(&w, 2, 1, 1.5707963267948966);
        start(&w);
        error[k] = energy_error(&w, 1e-3 * (k + 1), 10, &opening);
        close_world(&w);
        assert_true(opening < 1e-12);
    }
    print_message("double pendulum: %.2e of what it can fall, order %.2f\n", error[0] / 19.62,
                  log2(error[1] / error[0]));
    assert_true(error[0] < 1e-6 * 19.62);
    assert_true(error[1] / error[0] > 4);
}

/* A load on light links: the stiffest chain that users build. */
static void load_on_links(world *w, double load, double angle, double link_mass)
{
    enum { LINKS = 20 };
    const double length = 0.05;
    open_world(w, 2, "auto");
    w->sim.axes.integrator = SS_INTEGRATOR_MIDPOINT;
    ss_scene_set_gravity(w->scene, ss_v3(0, -9.81, 0));
    for (int i = 0; i < LINKS; i++) {
        char        name[16], joint[16], last[16];
        double      at = (i + 0.5) * length, end = i * length;
        ss_body_def b = ss_body_def_default();
        snprintf(name, sizeof name, "l%d", i);
        snprintf(last, sizeof last, "l%d", i - 1);
        snprintf(joint, sizeof joint, "j%d", i);
        bool loaded   = i == LINKS - 1;
        b.name        = name;
        b.mass        = loaded ? load : link_mass;
        b.inertia     = ss_mat3_diagonal(0, 0, b.mass * length * length / 12);
        b.inertia_set = true;
        b.position    = ss_v3(at * sin(angle), -at * cos(angle), 0);
        check(w, ss_scene_add_body(w->scene, &b, NULL));
        ss_joint_def j = {
            .name = joint, .type = "revolute", .bodies = {i > 0 ? last : "world", name}};
        j.anchor     = ss_v3(end * sin(angle), -end * cos(angle), 0);
        j.anchor_set = true;
        check(w, ss_scene_add_joint(w->scene, &j));
    }
    start(w);
}

static void a_loaded_chain_is_stable(void **state)
{
    (void)state;
    world  w;
    double opening;
    load_on_links(&w, 100, 1.5707963267948966, 0.01);
    double worst = energy_error(&w, 1e-3, 1, &opening);
    print_message("100 kg on 10 g links: energy %.2e J of 957 J, joints %.2e m\n", worst, opening);
    assert_true(worst < 0.01 * 957 && opening < 1e-6);
    close_world(&w);
    load_on_links(&w, 100, 0.05, 0.01);
    worst = energy_error(&w, 1e-3, 1, &opening);
    assert_true(worst < 0.01 && opening < 1e-9);
    close_world(&w);
}

static void a_heavy_load_hangs_at_rest(void **state)
{
    (void)state;
    world  w;
    double opening;
    load_on_links(&w, 1e3, 0, 0.01);
    double worst = energy_error(&w, 1e-3, 0.1, &opening);
    assert_true(worst < 1e-6 && opening < 1e-12);
    close_world(&w);
}

static void a_gyroscope_precesses(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "gravity: [0, 0, -9.81]\n"
              "bodies:\n"
              "  - {name: top, type: dynamic, mass: 1, inertia: [0.0025, 0.0025, 0.005],\n"
              "     position: [0.16829419696157932, 0, 0.10806046117362796],\n"
              "     quat_wxyz: [0.8775825618903728, 0, 0.479425538604203, 0],\n"
              "     velocity: [0, 0.8641840394437033, 0],\n"
              "     angular_velocity: [81.81249533476027, 0, 57.66615956044377]}\n"
              "joints:\n"
              "  - {name: j, type: spherical, bodies: [world, top], anchor: [0, 0, 0]}\n" MIDPOINT);
    double turned = 0, last = 0, off = 0;
    for (int i = 0; i < 5000; i++) {
        run(&w, 1e-3, 1);
        ss_body_state s   = body(&w, 0);
        double        now = atan2(s.position.y, s.position.x);
        turned += remainder(now - last, 2 * 3.14159265358979323846);
        last = now;
        off  = fmax(off, fabs(acos(s.position.z / ss_norm(s.position)) - 1));
    }
    print_message("precession %.5f rad/s, tilt within %.2e rad\n", turned / 5, off);
    assert_near(turned / 5, 5.135, 0.01);
    assert_true(off < 0.01);
    close_world(&w);
}

/* A top whose centre of mass is too low to turn it over: a drift of first order did, in 4 s. */
static void a_low_top_does_not_turn_over(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "gravity: [0, 0, -9.81]\n"
              "materials: {default: {friction: 0.3}}\n"
              "bodies:\n"
              "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
              "  - {name: top, type: dynamic, mass: 0.02, inertia: [2.88e-6, 2.88e-6, 3.04e-6],\n"
              "     com: [0, 0, -0.004], shape: {sphere: {radius: 0.02}}, position: [0, 0, 0.02],\n"
              "     quat_wxyz: [0.9887710779360422, 0, 0.14943813247359922, 0],\n"
              "     angular_velocity: [44.32803099920095, 0, 143.3004733688409]}\n" MIDPOINT);
    double tilt = 0, e = total_energy(&w);
    for (int i = 0; i < 4000; i++) {
        run(&w, 1e-3, 1);
        ss_quat q = body_named(&w, "top").quat_wxyz;
        tilt      = fmax(tilt, acos(1 - 2 * (q.x * q.x + q.y * q.y)));
        assert_true(total_energy(&w) < e + 1e-6);
        e = total_energy(&w);
    }
    assert_true(tilt < 1.5);
    close_world(&w);
}

/* All four joints in a line, twice a turn: there the rows of the joints depend on each other. */
static void a_four_bar_passes_its_change_point(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "dimension: 2\n"
              "gravity: [0, -9.81]\n"
              "bodies:\n"
              "  - {name: crank, type: dynamic, mass: 1, inertia: 0.0833, position: [0, 0.5]}\n"
              "  - {name: coupler, type: dynamic, mass: 1, inertia: 0.333, position: [1, 1]}\n"
              "  - {name: rocker, type: dynamic, mass: 1, inertia: 0.0833, position: [2, 0.5]}\n"
              "joints:\n"
              "  - {name: A, type: revolute, bodies: [world, crank], anchor: [0, 0],\n"
              "     motor: {velocity: 2}}\n"
              "  - {name: B, type: revolute, bodies: [crank, coupler], anchor: [0, 1]}\n"
              "  - {name: C, type: revolute, bodies: [coupler, rocker], anchor: [2, 1]}\n"
              "  - {name: D, type: revolute, bodies: [world, rocker], anchor: [2, 0]}\n" MIDPOINT);
    for (int i = 0; i < 300; i++) {
        run(&w, 0.01, 1);
        assert_true(ss_data_report(w.data)->joint_error < 1e-6);
        assert_true(total_energy(&w) < 40); /* 22 J at most where it stays a parallelogram */
    }
    assert_near(body_named(&w, "crank").angle, 6 - 0.01, 1e-6); /* it starts from rest */
    close_world(&w);
}

/* A body that carries a plane has no size; its velocities agree all the same. */
static void infinite_bodies_swing(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "gravity: [0, 0, -9.81]\n"
              "bodies:\n"
              "  - {name: a, type: dynamic, mass: 1, inertia: [0.1, 0.2, 0.3], com: [0, 0, 0],\n"
              "     position: [1, 0, 0], shape: {plane: {normal: [0, 0, 1]}}}\n"
              "joints:\n"
              "  - {name: j, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: [0, 1, "
              "0]}\n" MIDPOINT);
    double start = total_energy(&w);
    run(&w, 0.01, 50);
    assert_near(total_energy(&w), start, 1e-3 * 9.81);
    assert_int_equal(ss_data_report(w.data)->splits, 0);
    close_world(&w);
}

/* Velocities of the sphere that slides, then rolls, are exact at any step. */
static void a_sliding_sphere_is_exact(void **state)
{
    (void)state;
    world w;
    open_text(
        &w,
        "gravity: [0, 0, -9.81]\n"
        "materials: {default: {friction: 0.2}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: a, type: dynamic, mass: 1, shape: {sphere: {radius: 1}}, position: [0, 0, 1],\n"
        "     velocity: [2, 0, 0]}\n" MIDPOINT);
    for (int i = 1; i <= 5; i++) {
        run(&w, 0.12, 1);
        ss_body_state s = body_named(&w, "a");
        double        t = 0.12 * i, slip = 2 * 2 / (7 * 0.2 * 9.81);
        assert_near(s.velocity.x, t < slip ? 2 - 0.2 * 9.81 * t : 10.0 / 7, 1e-12);
        if (t < slip) { /* to second order, which is exact here */
            assert_near(s.position.x, 2 * t - 0.1 * 9.81 * t * t, 1e-12);
        }
    }
    close_world(&w);
}

static void what_rests_rests(void **state)
{
    (void)state;
    world w;
    char  text[4000];
    int   used = snprintf(text, sizeof text,
                          "gravity: [0, 0, -9.81]\n"
                            "bodies:\n"
                            "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n");
    for (int i = 0; i < 10; i++) {
        used += snprintf(
            text + used, sizeof text - (size_t)used,
            "  - {name: c%d, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.1, 0.1]}},\n"
            "     position: [0, 0, %g]}\n",
            i, 0.05 + 0.1 * i);
    }
    snprintf(text + used, sizeof text - (size_t)used, MIDPOINT);
    open_text(&w, text);
    run(&w, 0.01, 100);
    for (int i = 0; i < 10; i++) {
        ss_body_state s = body(&w, 1 + i);
        assert_true(ss_norm(ss_sub(s.position, ss_v3(0, 0, 0.05 + 0.1 * i))) < 1e-10);
    }
    close_world(&w);
}

/* A ball that bounces beside a pendulum: the pendulum stays of second order. */
static void impacts_stay_where_they_are(void **state)
{
    (void)state;
    double fine[6], x[6], y[6];
    char   text[2000];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "materials: {default: {friction: 0.3, restitution: 0.5}}\n"
             "bodies:\n"
             "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1], offset: -3}}}\n"
             "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}}, position: "
             "[0, 2, -2.8]}\n"
             "%s",
             strstr(PENDULUM, "  - {name: a"));
    state_at(text, "a", 2.5e-4, 0.5, fine);
    state_at(text, "a", 4e-3, 0.5, x);
    state_at(text, "a", 2e-3, 0.5, y);
    assert_true(distance(x, fine) / distance(y, fine) > 3.5);
    world w;
    open_text(&w, text);
    double e = total_energy(&w);
    for (int i = 0; i < 500; i++) {
        run(&w, 2e-3, 1);
        assert_true(total_energy(&w) < e + 1e-6);
    }
    close_world(&w);
}

/* A block on a spring, with friction: where it turns round, steps stay of second order. */
static double swung(double h, int steps)
{
    const char *text =
        "dimension: 2\ngravity: [0, -9.81]\nmaterials: {default: {friction: 0.01}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
        "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.05, 0.02]}},\n"
        "     position: [0.1, 0.01]}\n"
        "forces:\n"
        "  - {type: spring, bodies: [b, world], anchors: [[0, 0], [0, 0.01]], stiffness: 2500,\n"
        "     rest_length: 0}\n"
        "simulation: {model: {integrator: midpoint}}\n";
    world w;
    open_text(&w, text);
    run(&w, h, steps);
    double energy = total_energy(&w) - 9.81 * 0.01;
    close_world(&w);
    return energy;
}

/* Every half swing ends 2 mu m g/k short of where it began: 12.5 J -> 12.19 J in 1 s, while twelve
   steps of first order a period would take 2.5 J. */
static void friction_turns_springs_round_without_loss(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846, c = 0.01 * 9.81 / 2500, half = pi / 50;
    double       A = 0.1 - 2 * c * floor(1 / half), rest = 1 - half * floor(1 / half);
    double       cosine = cos(50 * rest), x = c + (A - c) * cosine;
    double       v = 50 * (A - c) * sin(50 * rest), right = 1250 * x * x + 0.5 * v * v;
    assert_near(swung(0.01, 100), right, 0.02);
    assert_near(swung(0.005, 200), right, 0.006);
    assert_near(swung(0.001, 1000), right, 0.001);
}

/* Angle of a pendulum in a bearing whose friction follows the load, after half a second. */
static double with_friction_by_load(double h)
{
    world w;
    open_text(&w, "dimension: 2\nbodies:\n"
                  "  - {name: p, type: dynamic, mass: 1.3, inertia: 0.02, angle: 1, "
                  "position: [0.33658839392315865, -0.21612092234725588]}\n"
                  "joints:\n"
                  "  - {name: j, type: revolute, bodies: [world, p], anchor: [0, 0], "
                  "friction_coefficient: 0.2, friction_radius: 0.1}\n");
    run(&w, h, (int)(0.5 / h + 0.5));
    double angle = body(&w, 0).angle;
    close_world(&w);
    return angle;
}

/* Against an integration of its own (order 4, steps of 0.5 ms): errors fall by four. */
static void friction_by_load_is_of_second_order(void **state)
{
    (void)state;
    const double right = -0.5070608493537582;
    double       e[3];
    for (int i = 0; i < 3; i++) {
        e[i] = fabs(with_friction_by_load(0.01 / (1 << i)) - right);
    }
    assert_true(e[0] < 1e-3);
    assert_near(e[0] / e[1], 4, 0.1);
    assert_near(e[1] / e[2], 4, 0.1);
}

/* Gears that a torque alone pushes: dry friction in their bearings holds them, or lets them go. */
/* v' = g_t - mu N v/|v|, integrated apart (fourth order): friction turns a block downhill that
   slides across a slope; nothing of its rows turns, the slip does. */
static void across_a_slope(double v[2], double x[2], double T)
{
    const double slope = 0.3, mu = 0.4, g = 9.81, size = sqrt(1 + slope * slope);
    const int    n = 20000;
    const double h = T / n, along = g * slope / size, rub = mu * g / size;
    double       y[4] = {x[0], x[1], v[0], v[1]};
    for (int i = 0; i < n; i++) {
        double k[4][4], z[4];
        for (int s = 0; s < 4; s++) {
            for (int c = 0; c < 4; c++) {
                z[c] = y[c] + (s == 0 ? 0 : (s < 3 ? 0.5 : 1) * h * k[s - 1][c]);
            }
            double speed = hypot(z[2], z[3]);
            k[s][0]      = z[2];
            k[s][1]      = z[3];
            k[s][2]      = -rub * z[2] / speed;
            k[s][3]      = along - rub * z[3] / speed;
        }
        for (int c = 0; c < 4; c++) {
            y[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
        }
    }
    memcpy(x, y, 2 * sizeof *x);
    memcpy(v, y + 2, 2 * sizeof *v);
}

static void slip_that_turns_is_of_second_order(void **state)
{
    (void)state;
    double v[2] = {1, 0}, x[2] = {0, 0}, error[2];
    across_a_slope(v, x, 0.25);
    for (int k = 0; k < 2; k++) {
        world  w;
        double h = k == 0 ? 0.01 : 0.0025;
        open_text(&w, "materials: {default: {friction: 0.4}}\nbodies:\n"
                      "  - {name: slope, type: static, shape: {plane: {normal: [0, 0.3, 1]}}}\n"
                      "  - {name: a, type: particle, mass: 1, shape: {point: {}},\n"
                      "     velocity: [1, 0, 0]}\n");
        run(&w, h, (int)lround(0.25 / h));
        ss_body_state s = body(&w, 1);
        error[k] = fabs(s.velocity.x - v[0]) + fabs(hypot(s.velocity.y, s.velocity.z) - v[1]) +
                   fabs(s.position.x - x[0]) + fabs(hypot(s.position.y, s.position.z) - x[1]);
        close_world(&w);
    }
    assert_true(error[0] < 5e-4 && error[1] < error[0] / 12);
}

static void torques_tell_what_is_rounding(void **state)
{
    (void)state;
    static const double frictions[] = {0.03, 0}, torques[] = {0.01, 0.5};
    for (int i = 0; i < 4; i++) {
        world  w;
        char   text[900];
        double f = frictions[i % 2], t = torques[i / 2];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\nbodies:\n"
                 "  - {name: a, type: dynamic, mass: 1, inertia: [0.02, 0.02, 0.02]}\n"
                 "  - {name: b, type: dynamic, mass: 1, inertia: [0.05, 0.05, 0.05], "
                 "position: [1, 0, 0]}\n"
                 "joints:\n"
                 "  - {name: j1, type: revolute, bodies: [world, a], friction: %g}\n"
                 "  - {name: j2, type: revolute, bodies: [world, b], friction: 0.02}\n"
                 "  - {name: c, type: coupling, joints: [j1, j2], ratio: -2.5}\n"
                 "forces:\n  - {type: constant, body: a, torque: [0, 0, %g]}\n",
                 f, t);
        open_text(&w, text);
        run(&w, 0.01, 20);
        double right = t < 0.1 ? 0 : 0.2 * (t - f - 2.5 * 0.02) / (0.02 + 2.5 * 2.5 * 0.05);
        assert_near(body(&w, 0).angular_velocity.z, right, 1e-12);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_motion_is_of_second_order),
        cmocka_unit_test(a_tumbling_body_keeps_energy_and_momentum),
        cmocka_unit_test(a_double_pendulum_keeps_its_energy),
        cmocka_unit_test(a_loaded_chain_is_stable),
        cmocka_unit_test(a_heavy_load_hangs_at_rest),
        cmocka_unit_test(a_gyroscope_precesses),
        cmocka_unit_test(a_low_top_does_not_turn_over),
        cmocka_unit_test(a_four_bar_passes_its_change_point),
        cmocka_unit_test(infinite_bodies_swing),
        cmocka_unit_test(a_sliding_sphere_is_exact),
        cmocka_unit_test(what_rests_rests),
        cmocka_unit_test(impacts_stay_where_they_are),
        cmocka_unit_test(friction_turns_springs_round_without_loss),
        cmocka_unit_test(friction_by_load_is_of_second_order),
        cmocka_unit_test(slip_that_turns_is_of_second_order),
        cmocka_unit_test(torques_tell_what_is_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
