/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is round rolls: every round shape on every support keeps its height and its speed, however
 * far it gets within a step. And what spins on its rim keeps its spin: normal forces have no lever
 * about the axis of something round.
 */
#include "model/data.h"
#include "world.h"

/* ---- rolling straight on -----------------------------------------------------------------------
 */

typedef struct round_shape {
    const char *name, *text; /* the axis is z, the radius R */
    double      tolerance;   /* relative, of height and speed */
} round_shape;

/* A superellipsoid has no curvature at its equator: rounding moves its contact by 1e-16^(1/3). */
static const round_shape shapes[] = {
    {"sphere", "{sphere: {radius: R}}", 1e-10},
    {"wheel", "{cylinder: {radius: R, length: 0.7*R}}", 1e-10},
    {"pencil", "{cylinder: {radius: R, length: 20*R}}", 1e-10},
    {"disc", "{cylinder: {radius: R, length: 0.02*R}}", 1e-10},
    {"capsule", "{capsule: {radius: R, length: 2*R}}", 1e-10},
    {"prolate", "{ellipsoid: {radii: [R, R, 2*R]}}", 1e-10},
    {"oblate", "{ellipsoid: {radii: [R, R, 0.5*R]}}", 1e-10},
    {"tyre", "{superellipsoid: {radii: [R, R, 0.7*R], e1: 0.5, e2: 1}}", 1e-4},
    {"ball with flats", "{intersection: [{sphere: {radius: R}}, {box: {size: [4*R, 4*R, 0.4*R]}}]}",
     1e-10},
    {"barrel", "{intersection: [{cylinder: {radius: R, length: 4*R}}, {sphere: {radius: 2*R}}]}",
     1e-10},
    {"slice",
     "{intersection: [{cylinder: {radius: R, length: 4*R}}, {box: {size: [4*R, 4*R, R]}}]}", 1e-10},
};

static const char *const supports[] = {
    "{plane: {normal: [0, 0, 1]}}",
    "{box: {size: [200, 200, 2], position: [0, 0, -1]}}",
#ifdef SS_HAVE_QHULL
    "{convex: {points: [[-99, -99, 0], [99, -99, 0], [99, 99, 0], [-99, 99, 0], [0, 0, -9]]}}",
#endif
    "{cylinder: {radius: 100, length: 2, position: [0, 0, -1]}}",
};

typedef struct rolling {
    double radius, speed, step;
    int    steps;
} rolling;

static void open_rolling(world *w, const round_shape *s, const char *support, const rolling *r)
{
    char text[1200];
    snprintf(text, sizeof text,
             "params: {R: %.17g, V: %.17g}\n"
             "materials: {default: {friction: 0.5}}\n"
             "bodies:\n"
             "  - {name: support, type: static, shape: %s}\n"
             "  - {name: wheel, type: dynamic, mass: 1, shape: %s, position: [0, 0, R],\n"
             "     quat_wxyz: [0.7071067811865476, 0.7071067811865476, 0, 0],\n"
             "     velocity: [V, 0, 0], angular_velocity: [0, \"V/R\", 0]}\n",
             r->radius, r->speed, support, s->text);
    open_text(w, text);
}

/* Highest departure from the height and the speed at the start, relative. */
static double worst_of(world *w, const rolling *r)
{
    double worst = 0;
    for (int i = 0; i < r->steps; i++) {
        run(w, r->step, 1);
        ss_body_state s = body(w, 1);
        worst           = fmax(worst, fabs(s.position.z / r->radius - 1));
        worst           = fmax(worst, fabs(s.velocity.x / r->speed - 1));
        worst           = fmax(worst, fabs(s.angular_velocity.y * r->radius / r->speed - 1));
    }
    return worst;
}

static void all_shapes_roll_on_all_supports(void **state)
{
    (void)state;
    const rolling cases[] = {
        {0.005, 0.5, 0.001, 100}, /* a pencil at the default step: a tenth of a turn a step */
        {0.3, 20, 0.01, 40},      /* a car's wheel: two thirds of its radius a step         */
        {0.02, 1, 0.002, 60},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            for (size_t j = 0; j < sizeof supports / sizeof supports[0]; j++) {
                world w;
                open_rolling(&w, &shapes[i], supports[j], &cases[c]);
                double worst = worst_of(&w, &cases[c]);
                if (!(worst <= shapes[i].tolerance)) {
                    fail_msg("%s of %g m at %g m/s on %s: off by %g", shapes[i].name,
                             cases[c].radius, cases[c].speed, supports[j], worst);
                }
                close_world(&w);
            }
        }
    }
}

/* ---- spinning on a rim -------------------------------------------------------------------------
 */

static const char *const coins[] = {
    "{cylinder: {radius: 0.1, length: 0.01}}",
    "{intersection: [{cylinder: {radius: 0.1, length: 0.1}}, {box: {size: [1, 1, 0.01]}}]}",
};

/* Tilted about y, spinning about its own axis, lowest point on z = 0; no friction. */
static void open_coin(world *w, const char *coin, const char *support, double tilt, double spin,
                      const char *integrator)
{
    char text[1200];
    snprintf(text, sizeof text,
             "materials: {default: {friction: 0}}\n"
             "bodies:\n"
             "  - {name: support, type: static, shape: %s}\n"
             "  - {name: coin, type: dynamic, mass: 1, shape: %s, position: [0, 0, %.17g],\n"
             "     quat_wxyz: [%.17g, 0, %.17g, 0], angular_velocity: [%.17g, 0, %.17g]}\n"
             "simulation: {step: 0.002, duration: 1, model: {integrator: %s}}\n",
             support, coin, 0.1 * sin(tilt) + 0.005 * cos(tilt), cos(tilt / 2), sin(tilt / 2),
             spin * sin(tilt), spin * cos(tilt), integrator);
    open_text(w, text);
}

static double spin_about_axis(const ss_body_state *s)
{
    ss_mat3 R = ss_mat3_from_quat(s->quat_wxyz);
    return ss_dot(ss_mul(&R, ss_v3(0, 0, 1)), s->angular_velocity);
}

/*
 * Without friction the spin of something round is constant, on a rim as on a flat end. The middle
 * of the step trades it against energy that comes and goes: (h w/2)^2/2 m g dz/(C w^2) = 4e-5 here.
 */
static void leave_the_spin_alone(const char *integrator, double tolerance)
{
    for (size_t i = 0; i < sizeof coins / sizeof coins[0]; i++) {
        for (size_t j = 0; j < sizeof supports / sizeof supports[0]; j++) {
            for (int k = 0; k < 6; k++) {
                world  w;
                double tilt = k % 3 == 0 ? 0.02 : k % 3 == 1 ? 0.1 : 0.4, spin = k < 3 ? 30 : 100;
                open_coin(&w, coins[i], supports[j], tilt, spin, integrator);
                double before = total_energy(&w);
                run(&w, 0.002, 100);
                ss_body_state s = body(&w, 1);
                assert_near(spin_about_axis(&s) / spin, 1, tolerance);
                assert_true(total_energy(&w) <= before * (1 + 1e-12));
                close_world(&w);
            }
        }
    }
}

static void normal_forces_leave_the_spin_alone(void **state)
{
    (void)state;
    leave_the_spin_alone("euler", 1e-10);
    leave_the_spin_alone("midpoint", 4e-5);
}

/* A coin that precesses on its rim loses no energy: what the scheme loses is of order h. */
static void energy_on_a_rim_is_of_order_h(void **state)
{
    (void)state;
    for (size_t j = 0; j < sizeof supports / sizeof supports[0]; j++) {
        double lost[2];
        for (int k = 0; k < 2; k++) {
            world w;
            open_coin(&w, coins[0], supports[j], 0.4, 100, "euler");
            double before = total_energy(&w);
            run(&w, k == 0 ? 0.002 : 0.001, k == 0 ? 100 : 200);
            lost[k] = before - total_energy(&w);
            close_world(&w);
        }
        assert_true(lost[0] >= 0 && lost[0] < 0.06);
        assert_true(lost[1] < 0.6 * lost[0]);
    }
}

/* Angular momentum about the origin of a block and a coin. */
static ss_vec3 angular_momentum(const ss_body_state *s)
{
    const double  mass[2]    = {2, 1};
    const ss_vec3 inertia[2] = {{2 * 0.17 / 12, 2 * 0.1 / 12, 2 * 0.25 / 12},
                                {0.0304 / 12, 0.0304 / 12, 0.005}};
    ss_vec3       sum        = {0, 0, 0};
    for (int i = 0; i < 2; i++) {
        ss_mat3 R = ss_mat3_from_quat(s[i].quat_wxyz);
        ss_vec3 l = ss_tmul(&R, s[i].angular_velocity), I = inertia[i];
        sum = ss_add(sum, ss_cross(s[i].position, ss_scale(mass[i], s[i].velocity)));
        sum = ss_add(sum, ss_mul(&R, ss_v3(I.x * l.x, I.y * l.y, I.z * l.z)));
    }
    return sum;
}

/* A coin comes down on a block in free space, nearly flat and spinning: momentum goes nowhere. */
static void momentum_is_kept_on_a_rim(void **state)
{
    (void)state;
    world         w;
    ss_body_state before[2], after[2];
    open_text(&w,
              "gravity: [0, 0, 0]\n"
              "materials: {default: {friction: 0}}\n"
              "bodies:\n"
              "  - {name: block, type: dynamic, mass: 2, position: [0, 0, -0.05],\n"
              "     shape: {box: {size: [0.3, 0.4, 0.1]}}}\n"
              "  - {name: coin, type: dynamic, mass: 1, position: [0.1, 0, 0.0155],\n"
              "     shape: {cylinder: {radius: 0.1, length: 0.02}},\n"
              "     quat_wxyz: [0.9996875162757026, 0.024997395914712332, 0, 0],\n"
              "     velocity: [0, 0, -8], angular_velocity: [0, -2.9987502083, 59.92502604]}\n"
              "simulation: {max_splits: 0}\n"); /* in one step, over the gap that is still open */
    before[0] = body(&w, 0), before[1] = body(&w, 1);
    run(&w, 0.001, 1);
    after[0] = body(&w, 0), after[1] = body(&w, 1);
    assert_true(after[0].velocity.z < -0.1); /* hit */
    assert_true(w.data->contacts.count > 2); /* more of the rim than its lowest point */
    assert_near(2 * after[0].velocity.z + after[1].velocity.z, -8, 1e-13);
    ss_vec3 change = ss_sub(angular_momentum(after), angular_momentum(before));
    assert_near(ss_norm(change), 0, 1e-10);
    close_world(&w);
}

/* Four wheels on hinges under a chassis: at 72 km/h and h = 0.01 it stays on the road. */
static void a_car_does_not_hop(void **state)
{
    (void)state;
    world w;
    char  text[4000];
    int   n = snprintf(
          text, sizeof text, "%s",
          "materials: {default: {friction: 0.8}}\n"
            "bodies:\n"
            "  - {name: road, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
            "  - {name: chassis, type: dynamic, mass: 1, shape: {box: {size: [2.4, 1.2, 0.3]}},\n"
            "     position: [0, 0, 0.54], velocity: [20, 0, 0]}\n");
    for (int i = 0; i < 4; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  - {name: w%d, type: dynamic, mass: 0.1, position: [%g, %g, 0.3],\n"
                      "     shape: {cylinder: {radius: 0.3, length: 0.3}},\n"
                      "     quat_wxyz: [0.7071067811865476, 0.7071067811865476, 0, 0],\n"
                      "     velocity: [20, 0, 0], angular_velocity: [0, 66.6666666666667, 0]}\n",
                      i, i % 2 ? 0.96 : -0.96, i < 2 ? 0.78 : -0.78);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "joints:\n");
    for (int i = 0; i < 4; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  - {name: axle%d, type: revolute, axis: [0, 1, 0], bodies: [chassis, w%d], "
                      "anchor: [%g, %g, 0.3]}\n",
                      i, i, i % 2 ? 0.96 : -0.96, i < 2 ? 0.78 : -0.78);
    }
    open_text(&w, text);
    for (int i = 0; i < 100; i++) {
        run(&w, 0.01, 1);
        ss_body_state s = body_named(&w, "chassis");
        assert_near(s.position.z, 0.54, 1e-6);
        assert_near(s.velocity.x, 20, 1e-6);
    }
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_shapes_roll_on_all_supports),
        cmocka_unit_test(normal_forces_leave_the_spin_alone),
        cmocka_unit_test(energy_on_a_rim_is_of_order_h),
        cmocka_unit_test(momentum_is_kept_on_a_rim),
        cmocka_unit_test(a_car_does_not_hop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
