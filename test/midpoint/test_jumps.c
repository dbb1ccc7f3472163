/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions of t that jump or bend within a step (dynamics/switches.c, sim/cut.c): driven bodies
 * that set off, stop and turn round, tables, integrals of rates, motors, forces. Against closed
 * forms, wherever in the step tau falls. A plate that set off within a step was two impacts with
 * means of its velocity: what lay on it left it at 0.96 to 1.35 m/s instead of 1.5, at every step.
 */
#include "world.h"

static const double G = 9.81, T = 0.1;

static const double steps[]     = {0.01, 0.005, 0.001};
static const double fractions[] = {0, 0.1, 1.0 / 3, 0.5, 0.9};

/* Where the body is, along x and up, and how fast, at T. */
typedef struct end {
    double x, vx, z, vz;
} end;

typedef end (*closed_form)(double tau);

static end end_of(const char *text, double tau, double h, const char *set, ss_energy *energy)
{
    world w;
    char  all[2000];
    snprintf(all, sizeof all, "params: {tau: %.17g}\n%ssimulation: {step: %g, duration: 0.1%s}\n",
             tau, text, h, set);
    open_text(&w, all);
    ss_run_def    def = ss_run_def_default();
    ss_run_result result;
    check(&w, ss_run(w.ctx, w.model, w.data, &def, &result));
    ss_body_state b    = body_named(&w, "b");
    bool          flat = strstr(text, "dimension: 2") != NULL;
    if (energy != NULL) {
        *energy = ss_data_energy(w.model, w.data);
    }
    close_world(&w);
    return (end){b.position.x, b.velocity.x, flat ? b.position.y : b.position.z,
                 flat ? b.velocity.y : b.velocity.z};
}

/* The closed form at all steps and fractions, to `most` of m and m/s at 10 ms, and less below. */
static void as_in_closed_form(const char *text, closed_form form, const char *set, double most)
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 5; k++) {
            double h = steps[i], tau = (floor(0.05 / h + 0.5) + fractions[k]) * h;
            end    is = end_of(text, tau, h, set, NULL), be = form(tau);
            double off = fmax(fmax(fabs(is.x - be.x), fabs(is.vx - be.vx)),
                              fmax(fabs(is.z - be.z), fabs(is.vz - be.vz)));
            if (!(off <= most * h / 0.01)) {
                fail_msg("h = %g, tau = %.17g: off by %g\n%s", h, tau, off, text);
            }
        }
    }
}

static end thrown(double tau)
{
    double d = T - tau;
    return (end){0, 0, 0.2 + 1.5 * d - G * d * d / 2, 1.5 - G * d};
}

static end carried(double tau)
{
    return (end){0, 0, 0.2 + T - tau, 1};
}

static const char *const throwing[] = {
    "dimension: 2\nmaterials: {default: {restitution: E}}\nbodies:\n"
    "  - {name: p, type: kinematic, shape: {box: {size: [2, 0.2]}}, motion: {y: 'M'}}\n"
    "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.2]}}, position: [0, 0.2]}\n",
    "dimension: 2\nmaterials: {default: {restitution: E}}\nbodies:\n"
    "  - {name: p, type: kinematic, shape: {box: {size: [2, 0.2]}}, motion: {y: 'M'}}\n"
    "  - {name: b, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, position: [0, 0.2]}\n",
    "dimension: 3\nmaterials: {default: {restitution: E}}\nbodies:\n"
    "  - {name: p, type: kinematic, shape: {box: {size: [2, 2, 0.2]}}, motion: {z: 'M'}}\n"
    "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.2, 0.2]}},\n"
    "     position: [0, 0, 0.2]}\n",
};

/* The text with its words E and M replaced. */
static void fill(char *out, size_t size, const char *text, const char *e, const char *motion)
{
    size_t n = 0;
    for (; *text != '\0' && n + 1 < size; text++) {
        const char *word = text[0] == 'E' && text[1] == '}'    ? e
                           : text[0] == 'M' && text[1] == '\'' ? motion
                                                               : NULL;
        n += (size_t)snprintf(out + n, size - n, "%.*s", word != NULL ? 200 : 1,
                              word != NULL ? word : text);
    }
}

static void a_plate_sets_off(void **state)
{
    (void)state;
    static const char *const motions[] = {"max(0, t - tau)", "t < tau and 0 or t - tau",
                                          "(t - tau + abs(t - tau))/2",
                                          "interpolate(t, 0, 0, tau, 0, tau + 2, 2)"};
    char                     text[1000];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < (k == 0 ? 4 : 1); i++) {
            fill(text, sizeof text, throwing[k], "0.5", motions[i]);
            as_in_closed_form(text, thrown, "", 1e-8);
            fill(text, sizeof text, throwing[k], "0", motions[i]);
            as_in_closed_form(text, carried, "", 1e-8);
        }
    }
}

static void a_recording_with_straight_lines(void **state)
{
    (void)state;
    as_in_closed_form(
        "tables: {up: {points: [[0, 0], [tau, 0], [tau + 1, 1]], interpolation: linear}}\n"
        "dimension: 2\nmaterials: {default: {restitution: 0.5}}\nbodies:\n"
        "  - {name: p, type: kinematic, shape: {box: {size: [2, 0.2]}}, motion: {y: 'up(t)'}}\n"
        "  - {name: b, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, position: [0, 0.2]}\n",
        thrown, "", 1e-8);
}

static void so_by_events_and_by_error(void **state)
{
    (void)state;
    char text[1000];
    fill(text, sizeof text, throwing[0], "0.5", "max(0, t - tau)");
    as_in_closed_form(text, thrown, ", advance: event", 1e-8);
    as_in_closed_form(text, thrown, ", error: 1e-5", 1e-8);
}

/* Its velocity is given, and jumps: pieces of the integral end there. */
static void a_plate_is_given_its_velocity(void **state)
{
    (void)state;
    as_in_closed_form(
        "dimension: 2\nmaterials: {default: {restitution: 0.5}}\nbodies:\n"
        "  - {name: p, type: kinematic, shape: {box: {size: [2, 0.2]}},\n"
        "     motion: {velocity: [0, 't < tau and 0 or 1']}}\n"
        "  - {name: b, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, position: [0, 0.2]}\n",
        thrown, "", 1e-8);
}

/* .. its angular velocity: 3 rad/s about z from tau on, in space by quaternions; b is fixed to it
   at 0.2 m. */
static end turned(double tau)
{
    double a = 3 * (T - tau);
    return (end){0.2 * cos(a), -0.6 * sin(a), 0, 0};
}

static void a_table_is_given_its_angular_velocity(void **state)
{
    (void)state;
    as_in_closed_form(
        "dimension: 3\ngravity: [0, 0, 0]\nbodies:\n"
        "  - {name: p, type: kinematic, motion: {angular_velocity: [0, 0, 't < tau and 0 or 3']}}\n"
        "  - {name: b, type: dynamic, mass: 1, inertia: [1, 1, 1], position: [0.2, 0, 0]}\n"
        "joints:\n  - {name: j, type: fixed, bodies: [p, b]}\n",
        turned, "", 2e-5);
}

static end dragged(double tau)
{
    double d = T - tau, a = 0.5 * G;
    return (end){a * d * d / 2, a * d, 0.2, 0};
}

static end turned_round(double tau)
{
    double d = T - tau, a = 0.3 * G;
    return (end){0.3 * T - a * d * d / 2, 0.3 - a * d, 0.2, 0};
}

static end dropped(double tau)
{
    double d = T - tau;
    return (end){0, 0, 0.2 - G * d * d / 2, -G * d};
}

/* mu = 0.2 and 1.5 m/s of the impact: 0.3 m/s along a plate that is faster. */
static end thrown_along(double tau)
{
    end x = thrown(tau);
    return (end){0.3 * (T - tau), 0.3, x.z, x.vz};
}

static void friction_and_what_comes_apart(void **state)
{
    (void)state;
#define ON_PLATE(friction, motion, more)                                                           \
    "dimension: 2\nmaterials: {default: {friction: " friction ", restitution: 0.5}}\nbodies:\n"    \
    "  - {name: p, type: kinematic, shape: {box: {size: [4, 0.2]}}, motion: {" motion "}}\n"       \
    "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.2]}}, position: [0, "       \
    "0.2]" more "}\n"
    as_in_closed_form(ON_PLATE("0.5", "x: 'max(0, t - tau)'", ""), dragged, "", 1e-7);
    as_in_closed_form(
        ON_PLATE("0.3", "x: '0.3*(t < tau and t or 2*tau - t)'", ", velocity: [0.3, 0]"),
        turned_round, "", 1e-7);
    as_in_closed_form(ON_PLATE("0.5", "y: '-3*max(0, t - tau)'", ""), dropped, "", 1e-8);
    as_in_closed_form(
        ON_PLATE("0.2", "y: 'max(0, t - tau)', x: '5*max(0, t - tau)'", ", inertia: 1e6"),
        thrown_along, "", 2e-4);
#undef ON_PLATE
}

static end pushed(double tau)
{
    double d = T - tau, a = 10 - 0.5 * G;
    return (end){a * d * d / 2, a * d, 0.1, 0};
}

static end kicked(double tau)
{
    return (end){0.1 * (T - tau - 0.5e-4), 0.1, 0.1, 0};
}

/* Forces: the impulse of a step is their integral, also of a pulse that is shorter than a step. */
static void forces_that_jump(void **state)
{
    (void)state;
#define FORCED(friction, force)                                                                    \
    "dimension: 2\nmaterials: {default: {friction: " friction "}}\nbodies:\n"                      \
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"                      \
    "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.2]}}, position: [0, "       \
    "0.1]}\n"                                                                                      \
    "forces:\n  - {name: f, type: constant, body: b, force: ['" force "', 0]}\n"
    as_in_closed_form(FORCED("0.5", "t < tau and 4 or 10"), pushed, "", 1e-8);
    as_in_closed_form(FORCED("0", "t >= tau and t < tau + 1e-4 and 1000 or 0"), kicked, "", 1e-7);
#undef FORCED
}

static end hammered(double tau)
{
    double d = T - tau - 0.002;
    return (end){0, 0, 0.202 + 1.5 * d, 1.5};
}

static end lifted(double tau)
{
    return (end){0, 0, T - tau, 1};
}

static end lifted_slowly(double tau)
{
    double d = T - tau;
    return (end){0, 0, 5 * d * d, 10 * d};
}

/* What a motor moves has its speed at once, and strikes with it in the same step. */
static void motors_that_are_told_another_speed(void **state)
{
    (void)state;
#define MOTOR(motor, gravity, hammer, more)                                                        \
    "dimension: 2\ngravity: [0, " gravity "]\nmaterials: {default: {restitution: 0.5}}\nbodies:\n" \
    "  - {name: " hammer ", type: dynamic, mass: 5, shape: {box: {size: [2, 0.2]}}}\n" more        \
    "joints:\n  - {name: j, type: prismatic, bodies: [world, " hammer "], axis: [0, 1],\n"         \
    "     motor: {" motor "}}\n"
#define BALL                                                                                       \
    "  - {name: b, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, position: [0, 0.202]}\n"
    as_in_closed_form(MOTOR("velocity: 't < tau and 0 or 1'", "0", "a", BALL), hammered, "", 1e-8);
    as_in_closed_form(MOTOR("position: 'max(0, t - tau)'", "0", "a", BALL), hammered, "", 1e-8);
    as_in_closed_form(MOTOR("velocity: 't < tau and 0 or 1'", "-9.81", "b", ""), lifted, "", 1e-9);
    as_in_closed_form(MOTOR("velocity: 't < tau and 0 or 1', max: 99.05", "-9.81", "b", ""),
                      lifted_slowly, "", 1e-8);
#undef MOTOR
#undef BALL
}

/* p V = 1.5 J are put in, and the impact takes (1 - e^2)/2 = 0.375 J; by events it was all called
   an error of the integration. */
static void the_plate_puts_in_the_energy(void **state)
{
    (void)state;
    static const char *const sets[] = {"", ", model: {level: acceleration}"};
    char                     text[1000];
    ss_energy                e;
    fill(text, sizeof text, throwing[0], "0.5", "max(0, t - tau)");
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 5; k++) {
            end_of(text, 0.05 + fractions[k] * 0.001, 0.001, sets[i], &e);
            assert_near(e.driven, 1.5, 1e-8);
            assert_near(e.dissipated, 0.375, 1e-8);
            assert_near(e.integration, 0, 1e-10);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plate_sets_off),
        cmocka_unit_test(a_recording_with_straight_lines),
        cmocka_unit_test(so_by_events_and_by_error),
        cmocka_unit_test(a_plate_is_given_its_velocity),
        cmocka_unit_test(a_table_is_given_its_angular_velocity),
        cmocka_unit_test(friction_and_what_comes_apart),
        cmocka_unit_test(forces_that_jump),
        cmocka_unit_test(motors_that_are_told_another_speed),
        cmocka_unit_test(the_plate_puts_in_the_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
