/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of distance joints: ropes that swing, go slack, jerk and pull at what lies on a floor. */
#include "joint/mechanism.h"

#define G        9.81
#define MIDPOINT "simulation: {model: {integrator: midpoint}}\n"

typedef void rates(const double *y, double *dy);

/* Runge and Kutta's method for y' = f(y), n <= 6. */
static void integrate(rates *f, double *y, int n, double T, int steps)
{
    double h = T / steps, k[4][6], at[6];
    for (int i = 0; i < steps; i++) {
        for (int s = 0; s < 4; s++) {
            double share = s == 0 ? 0 : s == 3 ? h : h / 2;
            for (int c = 0; c < n; c++) {
                at[c] = y[c] + (s > 0 ? share * k[s - 1][c] : 0);
            }
            f(at, k[s]);
        }
        for (int c = 0; c < n; c++) {
            y[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
        }
    }
}

static void pendulum_rates(const double *y, double *dy)
{
    dy[0] = y[1];
    dy[1] = -G * sin(y[0]);
}

static const char SWING[] =
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  - {name: bob, type: dynamic, mass: 2, shape: {disc: {radius: 0.05}}, position: [1, 0]}\n"
    "joints:\n"
    "  - {name: rope, type: distance, bodies: [world, bob], anchor: [0, 0], limits: [0, "
    "1]}\n" MIDPOINT;

static double swing_error(double h, double T, const double *y, double *energy)
{
    world w;
    open_text(&w, SWING);
    double e = total_energy(&w);
    run(&w, h, (int)lround(T / h));
    ss_vec3 x = body_named(&w, "bob").position;
    *energy   = total_energy(&w) - e;
    assert_near(hypot(x.x, x.y), 1, 1e-12);
    close_world(&w);
    return hypot(x.x - sin(y[0]), x.y + cos(y[0]));
}

static void a_taut_rope_swings_as_a_pendulum(void **state)
{
    (void)state;
    const double T = 3, steps[] = {0.01, 0.005, 0.002, 0.001, 5e-4};
    double       y[2] = {acos(-1.0) / 2, 0}, gain[5], error[5];
    integrate(pendulum_rates, y, 2, T, 30000);
    for (int i = 0; i < 5; i++) {
        error[i] = swing_error(steps[i], T, y, &gain[i]);
        print_message("h = %g: error %.2e, energy %.2e J\n", steps[i], error[i], gain[i]);
        assert_true(error[i] < 20 * steps[i] * steps[i]);
        assert_true(gain[i] < 1e-9 && gain[i] > -300 * pow(steps[i], 3) - 1e-9);
    }
    double order = log2(error[0] / error[1]);
    assert_true(order > 1.85 && order < 2.3);
}

/* It flies from 0.6 below its hook with v = (2, 0) until the rope jerks: the part across is left.
 */
static void a_slack_rope_jerks_and_keeps_what_is_across(void **state)
{
    (void)state;
    const double steps[] = {0.01, 0.002, 5e-4, 1e-4};
    for (int i = 0; i < 4; i++) {
        world w;
        open_text(&w, "dimension: 2\n"
                      "gravity: [0, 0]\n"
                      "bodies:\n"
                      "  - {name: bob, type: dynamic, mass: 2, shape: {disc: {radius: 0.05}},\n"
                      "     position: [0, -0.6], velocity: [2, 0]}\n"
                      "joints:\n"
                      "  - {name: rope, type: distance, bodies: [world, bob], anchor: [0, 0],\n"
                      "     limits: [0, 1]}\n" MIDPOINT);
        run(&w, steps[i], (int)lround(1 / steps[i]));
        ss_body_state s = body_named(&w, "bob");
        double        R = hypot(s.position.x, s.position.y);
        double        v = hypot(s.velocity.x, s.velocity.y);
        /* taut at x = 0.8: e = (0.8, -0.6), across it (0.6, 0.8): 1.2 m/s, for the rest of 1 s */
        double angle = atan2(-0.6, 0.8) + 1.2 * (1 - 0.4);
        print_message("h = %g: speed off by %.2e, angle by %.2e\n", steps[i], v - 1.2,
                      atan2(s.position.y, s.position.x) - angle);
        assert_near(R, 1, 1e-12);
        assert_near(v, 1.2, 2 * steps[i] * steps[i]);
        assert_near(atan2(s.position.y, s.position.x), angle, 2 * steps[i] * steps[i]);
        close_world(&w);
    }
}

/* x of the crate (3 kg, slides on y = 0.1), x and y of the weight (2 kg), and their velocities. */
static void crate_rates(const double *s, double *ds)
{
    double dx = s[1] - s[0], dy = s[2] - 0.1, R = hypot(dx, dy), ex = dx / R, ey = dy / R;
    double vx = s[4] - s[3], vy = s[5], along = vx * ex + vy * ey;
    double pull = (-G * ey + (vx * vx + vy * vy - along * along) / R) / (1.0 / 2 + ex * ex / 3);
    assert_true(pull > 0);
    ds[0] = s[3];
    ds[1] = s[4];
    ds[2] = s[5];
    ds[3] = pull * ex / 3;
    ds[4] = -pull * ex / 2;
    ds[5] = -pull * ey / 2 - G;
}

static void stuck_rates(const double *s, double *ds)
{
    double x = s[1], y = s[2] - 0.1, R = hypot(x, y), ex = x / R, ey = y / R;
    double along = s[4] * ex + s[5] * ey;
    double pull  = 2 * (-G * ey + (s[4] * s[4] + s[5] * s[5] - along * along) / R);
    assert_true(pull > 0);
    ds[0] = ds[3] = 0;
    ds[1]         = s[4];
    ds[2]         = s[5];
    ds[4]         = -pull * ex / 2;
    ds[5]         = -pull * ey / 2 - G;
}

/* The weight falls by 0.1, the rope jerks: e = (0.8, -0.6), inelastic. Then they swing on. */
static void crate_reference(bool sticks, double T, double *s)
{
    const double t = sqrt(2 * 0.1 / G), v = -G * t, ex = 0.8, ey = -0.6;
    double       p        = ey * v / (1.0 / 2 + (sticks ? 0 : ex * ex / 3));
    const double start[6] = {0, 0.8, -0.5, sticks ? 0 : p * ex / 3, -p * ex / 2, v - p * ey / 2};
    memcpy(s, start, sizeof start);
    integrate(sticks ? stuck_rates : crate_rates, s, 6, T - t, 20000);
}

static void a_weight_swings_from_a_crate(void **state)
{
    (void)state;
    const double T = 1.2, steps[] = {0.01, 0.005, 0.002, 0.001, 2e-4};
    for (int i = 0; i < 10; i++) {
        bool   sticks = i >= 5;
        double h      = steps[i % 5], s[6];
        char   text[800];
        world  w;
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [0, -9.81]\n"
                 "materials: {default: {friction: %d}}\n"
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                 "  - {name: crate, type: dynamic, mass: 3, shape: {box: {size: [0.4, 0.2]}},\n"
                 "     position: [0, 0.1]}\n"
                 "  - {name: weight, type: dynamic, mass: 2, shape: {disc: {radius: 0.05}},\n"
                 "     position: [0.8, -0.4], collide: false}\n"
                 "joints:\n"
                 "  - {name: rope, type: distance, bodies: [crate, weight], anchor: [0, 0.1],\n"
                 "     limits: [0, 1]}\n" MIDPOINT,
                 sticks ? 20 : 0);
        crate_reference(sticks, T, s);
        open_text(&w, text);
        run(&w, h, (int)lround(T / h));
        ss_vec3 crate = body_named(&w, "crate").position, x = body_named(&w, "weight").position;
        double  error = hypot(x.x - s[1], x.y - s[2]);
        print_message("%s, h = %g: crate %.2e, weight %.2e\n", sticks ? "sticks" : "slides", h,
                      fabs(crate.x - s[0]), error);
        assert_near(crate.x, s[0], sticks ? 1e-9 : 20 * h * h);
        assert_near(crate.y, 0.1, 1e-9);
        assert_true(error < 12 * h * h);
        close_world(&w);
    }
}

/* Angle, its rate, time: the hook is at 0.5 sin 2t. */
static void crane_rates(const double *y, double *dy)
{
    dy[0] = y[1];
    dy[1] = -G * sin(y[0]) + 2 * sin(2 * y[2]) * cos(y[0]);
    dy[2] = 1;
}

static void a_driven_hook_swings_its_load(void **state)
{
    (void)state;
    const double steps[] = {0.01, 0.005, 0.002, 5e-4};
    double       y[3]    = {0, -1, 0};
    integrate(crane_rates, y, 3, 2, 20000);
    for (int i = 0; i < 4; i++) {
        world w;
        open_text(&w, "dimension: 2\n"
                      "gravity: [0, -9.81]\n"
                      "bodies:\n"
                      "  - {name: hook, type: kinematic, shape: {disc: {radius: 0.05}},\n"
                      "     motion: {x: \"0.5*sin(2*t)\", y: \"0\"}, collide: false}\n"
                      "  - {name: load, type: dynamic, mass: 2, shape: {disc: {radius: 0.05}},\n"
                      "     position: [0, -1]}\n"
                      "joints:\n"
                      "  - {name: rope, type: distance, bodies: [hook, load], anchor: [0, 0],\n"
                      "     limits: [0, 1]}\n" MIDPOINT);
        run(&w, steps[i], (int)lround(2 / steps[i]));
        ss_vec3 x     = body_named(&w, "load").position;
        double  error = hypot(x.x - 0.5 * sin(4.0) - sin(y[0]), x.y + cos(y[0]));
        print_message("h = %g: error %.2e\n", steps[i], error);
        assert_true(error < 10 * steps[i] * steps[i]);
        close_world(&w);
    }
}

/* Ten weights in a row, taut or loose at the start: ropes take energy, and are never longer. */
static void ropes_in_a_row_make_no_energy(void **state)
{
    (void)state;
    const double steps[] = {0.01, 0.002, 5e-4};
    for (int i = 0; i < 6; i++) {
        double part = i < 3 ? 0.1 : 0.09;
        char   text[4000];
        int    n = snprintf(text, sizeof text, "dimension: 2\ngravity: [0, -9.81]\nbodies:\n");
        for (int k = 0; k < 10; k++) {
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "  - {name: b%d, type: dynamic, mass: 1, shape: {disc: {radius: 0.02}},\n"
                          "     position: [%.17g, 0], collide: false}\n",
                          k, (k + 1) * part);
        }
        n += snprintf(text + n, sizeof text - (size_t)n, "joints:\n");
        for (int k = 0; k < 10; k++) {
            char before[16] = "world";
            snprintf(before, sizeof before, k == 0 ? "world" : "b%d", k - 1);
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "  - {name: r%d, type: distance, bodies: [%s, b%d], anchor: [%.17g, 0],\n"
                          "     limits: [0, 0.1]}\n",
                          k, before, k, k * part);
        }
        snprintf(text + n, sizeof text - (size_t)n, MIDPOINT);
        world w;
        open_text(&w, text);
        double e = total_energy(&w), h = steps[i % 3];
        for (int step = 0; step < lround(1 / h); step++) {
            run(&w, h, 1);
            ss_vec3 last = {0, 0, 0};
            for (int k = 0; k < 10; k++) {
                char name[16];
                snprintf(name, sizeof name, "b%d", k);
                ss_vec3 x = body_named(&w, name).position;
                assert_true(hypot(x.x - last.x, x.y - last.y) < 0.1 + 1e-9);
                last = x;
            }
            assert_true(total_energy(&w) < e + 1e-6);
        }
        close_world(&w);
    }
}

/*
 * Ropes that are longer at the start than they may be, straight and aslant, by their bob's centre
 * and beside it: the first step closes them to their limit. What that lifts is a correction, and
 * leaves no speed; then the rope is a pendulum, and bears what hangs on it.
 */
static void a_rope_that_starts_too_long_is_closed(void **state)
{
    (void)state;
    const struct {
        double x, y, beside, gravity;
    } cases[] = {{0, -1.2, 0, 9.81},   {0.72, -0.96, 0, 9.81},  {0.72, -0.96, 0.05, 9.81},
                 {0, -1.2, 0.05, 0},   {0.72, -0.96, 0.05, 0},  {0, -1.0001, 0, 9.81},
                 {0.3, 1.16, 0.02, 1}, {1e-3, -1.2, 0.05, 1e-3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char  text[800];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, %.17g]\nbodies:\n"
                 "  - {name: bob, type: dynamic, mass: 2, inertia: 0.01, shape: {disc: {radius: "
                 "0.1}}, position: [%.17g, %.17g]}\n"
                 "joints:\n"
                 "  - {name: rope, type: distance, bodies: [world, bob], anchor: [0, 0], anchor_b: "
                 "[%.17g, %.17g], limits: [0, 1]}\n" MIDPOINT,
                 -cases[i].gravity, cases[i].x, cases[i].y, cases[i].x + cases[i].beside,
                 cases[i].y);
        open_text(&w, text);
        const double h = 1e-3;
        run(&w, h, 1);
        ss_joint_info info;
        ss_body_state bob = body_named(&w, "bob");
        check(&w, ss_data_joint(w.model, w.data, 0, &info));
        assert_near(info.value[0], 1, 1e-12);
        assert_true(hypot(bob.velocity.x, bob.velocity.y) <= 1.01 * h * cases[i].gravity + 1e-12);
        double lifted = 2 * cases[i].gravity * (bob.position.y - cases[i].y);
        assert_near(ss_data_energy(w.model, w.data).corrections, lifted,
                    1e-4 * fabs(lifted) + 1e-15);
        double e = total_energy(&w);
        run(&w, h, 300);
        assert_true(fabs(total_energy(&w) - e) <= 1e-6);
        close_world(&w);
    }
}

/* A shelf is in the way of a crate that a rope would pull up: it is not pulled through. */
static void what_is_in_the_way_of_a_rope_is_told(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        char  text[900];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                 "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                 "  - {name: shelf, type: static, shape: {box: {size: [0.6, %g]}}, position: [%g, "
                 "0.35]}\n"
                 "  - {name: crate, type: dynamic, mass: 2, shape: {box: {size: [0.2, 0.2]}}, "
                 "position: [0, 0.1]}\n"
                 "joints:\n"
                 "  - {name: rope, type: distance, bodies: [world, crate], anchor: [0, 1], "
                 "anchor_b: [0, 0.2], limits: [0, 0.5]}\n" MIDPOINT,
                 i == 1 ? 0.002 : 0.05, i == 2 ? 1.0 : 0.0);
        open_text(&w, text);
        ss_status status = ss_step(w.model, w.data, 0.005);
        if (i < 2) {
            assert_int_equal(status, SS_ERR_CERTIFICATE);
            assert_non_null(strstr(ss_context_message(w.ctx), "shelf"));
            assert_near(body_named(&w, "crate").position.y, 0.1, 0);
        } else { /* beside it */
            assert_int_equal(status, SS_OK);
            assert_near(body_named(&w, "crate").position.y, 0.4, 1e-12);
        }
        close_world(&w);
    }
}

/* The table and the files tell the force in a rope that hangs, a spring that is stretched. */
static void what_pulls_along_a_distance_is_its_force(void **state)
{
    (void)state;
    static const char *const keys[] = {"limits: [0, 1]", "", "stiffness: 1962, rest: 0.99"};
    for (int i = 0; i < 3; i++) {
        char          text[600];
        world         w;
        ss_joint_info info;
        snprintf(
            text, sizeof text,
            "gravity: [0, 0, -9.81]\nbodies:\n"
            "  - {name: bob, type: dynamic, mass: 2, shape: {sphere: {radius: 0.1}}, position: "
            "[0, 0, -1]}\njoints:\n"
            "  - {name: rope, type: distance, bodies: [world, bob], anchor: [0, 0, 0]%s%s}\n",
            keys[i][0] != '\0' ? ", " : "", keys[i]);
        open_text(&w, text);
        run(&w, 0.01, 3);
        check(&w, ss_data_joint(w.model, w.data, 0, &info));
        assert_near(info.force.z, 2 * G, 1e-9);
        assert_near(hypot(info.force.x, info.force.y), 0, 1e-12);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_taut_rope_swings_as_a_pendulum),
        cmocka_unit_test(a_slack_rope_jerks_and_keeps_what_is_across),
        cmocka_unit_test(a_weight_swings_from_a_crate),
        cmocka_unit_test(a_driven_hook_swings_its_load),
        cmocka_unit_test(ropes_in_a_row_make_no_energy),
        cmocka_unit_test(a_rope_that_starts_too_long_is_closed),
        cmocka_unit_test(what_is_in_the_way_of_a_rope_is_told),
        cmocka_unit_test(what_pulls_along_a_distance_is_its_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
