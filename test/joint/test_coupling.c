/* SPDX-License-Identifier: Apache-2.0 */
/* Couplings of two joints: gears, racks, linkages of one freedom, grippers; what is refused. */
#include "world.h"

#define GEARS                                                                                      \
    "name: gears\n"                                                                                \
    "gravity: [0, 0, 0]\n"                                                                         \
    "bodies:\n"                                                                                    \
    "  - {name: small, type: dynamic, mass: 1, inertia: [0.01, 0.01, 0.02]}\n"                     \
    "  - {name: large, type: dynamic, mass: 2, inertia: [0.01, 0.01, 0.3], position: [0.3, 0, "    \
    "0]}\n"                                                                                        \
    "joints:\n"                                                                                    \
    "  - {name: one, type: revolute, bodies: [world, small], axis: [0, 0, 1]}\n"                   \
    "  - {name: two, type: revolute, bodies: [large, world], axis: [0, 0, 1]}\n"                   \
    "  - {name: mesh, type: coupling, joints: [one, two], ratio: 0.4}\n"                           \
    "forces:\n"                                                                                    \
    "  - {name: drive, type: constant, body: small, torque: [0, 0, 0.5]}\n"

static void open_with(world *w, const char *text, const char *set)
{
    *w = (world){.ctx = ss_context_create(NULL)};
    check(w, load_world(w, text, &set, set != NULL));
}

/* I1 w' + r^2 I2 w' = T; the teeth push with r I2 w'/r; the second joint is written the other way
 * round, so its coordinate has the sense of the first where the gears turn against each other. */
static void gears_turn_by_their_ratio(void **state)
{
    (void)state;
    static const char *const models[] = {
        NULL,
        "simulation.model.integrator=euler",
        "simulation.model.level=acceleration",
        "simulation.model.joints=projected",
        "simulation.model.joints=baumgarte",
        "simulation.model.geometry=implicit",
        "simulation.model.cone={polygon: 8}",
    };
    double faster = 0.5 / (0.02 + 0.4 * 0.4 * 0.3);
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        world         w;
        ss_joint_info one, two, mesh;
        open_with(&w, GEARS, models[i]);
        run(&w, 0.01, 400);
        ss_data_joint(w.model, w.data, 0, &one);
        ss_data_joint(w.model, w.data, 1, &two);
        ss_data_joint(w.model, w.data, 2, &mesh);
        assert_near(one.rate[0], 4 * faster, 1e-11);
        assert_near(two.rate[0], 0.4 * 4 * faster, 1e-11);
        assert_near(two.value[0], 0.4 * one.value[0], 1e-12);
        assert_true(one.value[0] > 50); /* some turns */
        assert_near(fabs(mesh.torque.z), 0.4 * faster * 0.3, 1e-11);
        assert_near(body_named(&w, "large").angular_velocity.z, -0.4 * 4 * faster, 1e-11);
        assert_near(total_energy(&w), 0.5 * 0.5 * faster * 16, i == 0 || i == 3 ? 1e-10 : 0.2);
        close_world(&w);
    }
}

/* The rack falls with m g/(m + I/r^2): its weight winds the pinion up. */
static void a_rack_turns_a_pinion(void **state)
{
    (void)state;
    static const char text[] =
        "name: rack\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: pinion, type: dynamic, mass: 1, inertia: [0.01, 0.03, 0.01]}\n"
        "  - {name: rack, type: dynamic, mass: 2, inertia: [0.01, 0.01, 0.3], position: [0.1, 0, "
        "0]}\n"
        "joints:\n"
        "  - {name: turns, type: revolute, bodies: [world, pinion], axis: [0, 1, 0]}\n"
        "  - {name: slides, type: prismatic, bodies: [world, rack], axis: [0, 0, 1]}\n"
        "  - {name: mesh, type: coupling, joints: [turns, slides], ratio: 0.1}\n"
        "simulation: {step: 0.01, duration: 1}\n";
    const double a = -9.81 * 2 / (2 + 0.03 / 0.01);
    world        w;
    open_text(&w, text);
    run(&w, 0.01, 200);
    ss_body_state rack = body_named(&w, "rack"), pinion = body_named(&w, "pinion");
    assert_near(rack.velocity.z, 2 * a, 1e-12);
    assert_near(rack.position.z, 2 * a, 1e-12);
    assert_near(pinion.angular_velocity.y, 20 * a, 1e-11);
    assert_near(total_energy(&w), 0, 1e-10);
    close_world(&w);
}

/* ---- two rods, the second by -1.7 times the first: one freedom, integrated here ---- */

enum { RATIO10 = -17 };

/* T = M(q) q'^2/2, U(q): M q'' = -M'/2 q'^2 - U'; rods of 1 kg and 1 m, the first from the
 * horizontal. */
static double faster_of(double q, double v)
{
    const double r = RATIO10 / 10., g = 9.81, m = 1, I = m / 12;
    double       M  = I + m / 4 + m + (I + m / 4) * (1 + r) * (1 + r) + m * (1 + r) * cos(r * q);
    double       dM = -m * (1 + r) * r * sin(r * q);
    double       dU = m * g * (0.5 * cos(q) + cos(q) + 0.5 * (1 + r) * cos((1 + r) * q));
    return (-0.5 * dM * v * v - dU) / M;
}

static void integrate(double t, double *q, double *v)
{
    enum { STEPS = 20000 };
    double h = t / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double k1 = faster_of(*q, *v), k2 = faster_of(*q + h / 2 * *v, *v + h / 2 * k1),
               k3 = faster_of(*q + h / 2 * (*v + h / 2 * k1), *v + h / 2 * k2),
               k4 = faster_of(*q + h * (*v + h / 2 * k2), *v + h * k3);
        *q += h * (*v + h / 6 * (k1 + k2 + k3));
        *v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
}

#define RODS                                                                                       \
    "name: rods\n"                                                                                 \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  - {name: a, type: dynamic, mass: 1, inertia: [0.001, \"1/12\", \"1/12\"], position: [0.5, " \
    "0, 0]}\n"                                                                                     \
    "  - {name: b, type: dynamic, mass: 1, inertia: [0.001, \"1/12\", \"1/12\"], position: [1.5, " \
    "0, 0]}\n"                                                                                     \
    "joints:\n"                                                                                    \
    "  - {name: one, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: [0, -1, 0]}\n"   \
    "  - {name: two, type: revolute, bodies: [a, b], anchor: [1, 0, 0], axis: [0, -1, 0]}\n"       \
    "  - {name: together, type: coupling, joints: [one, two], ratio: -1.7}\n"                      \
    "simulation: {step: 0.01, duration: 1.5}\n"

static double error_of_rods(const char *set, double h)
{
    world         w;
    ss_joint_info one, two;
    double        q = 0, v = 0;
    integrate(1.5, &q, &v);
    open_with(&w, RODS, set);
    run(&w, h, (int)lround(1.5 / h));
    ss_data_joint(w.model, w.data, 0, &one);
    ss_data_joint(w.model, w.data, 1, &two);
    assert_near(two.value[0], -1.7 * one.value[0], set == NULL || h < 0.005 ? 1e-6 : 1e-3);
    close_world(&w);
    return fmax(fabs(one.value[0] - q), fabs(one.rate[0] - v));
}

static void a_linkage_swings_as_its_one_equation(void **state)
{
    (void)state;
    double coarse = error_of_rods(NULL, 0.01), fine = error_of_rods(NULL, 0.005);
    double euler  = error_of_rods("simulation.model.integrator=euler", 0.0025);
    double events = error_of_rods("simulation.model.level=acceleration", 0.05);
    print_message("midpoint %.2e %.2e (order %.2f), euler %.1e, acceleration %.1e\n", coarse, fine,
                  log2(coarse / fine), euler, events);
    assert_true(fine < 1e-3 && fabs(log2(coarse / fine) - 2) < 0.2);
    assert_true(euler < 0.1);
    assert_true(events < 1e-8);
}

/* ---- a gripper on a palm that is driven, with one drive ---- */

#define GRIPPER                                                                                    \
    "name: gripper\n"                                                                              \
    "dimension: 2\n"                                                                               \
    "gravity: [0, -9.81]\n"                                                                        \
    "materials: {default: {friction: 0.6}}\n"                                                      \
    "bodies:\n"                                                                                    \
    "  - {name: palm, type: kinematic, motion: {x: \"0.3*t\", y: \"0.2*t*t\"}}\n"                  \
    "  - {name: left, type: dynamic, mass: 0.1, shape: {box: {size: [0.02, 0.1]}}, position: "     \
    "[-0.05, -0.05]}\n"                                                                            \
    "  - {name: right, type: dynamic, mass: 0.1, shape: {box: {size: [0.02, 0.1]}}, position: "    \
    "[0.05, -0.05]}\n"                                                                             \
    "  - {name: part, type: dynamic, mass: 0.2, shape: {box: {size: [0.05, 0.05]}}, position: "    \
    "[0.01, -0.06]}\n"                                                                             \
    "joints:\n"                                                                                    \
    "  - {name: close, type: prismatic, bodies: [palm, left], axis: [1, 0], motor: {velocity: "    \
    "0.5, max: 10}}\n"                                                                             \
    "  - {name: follow, type: prismatic, bodies: [palm, right], axis: [-1, 0]}\n"                  \
    "  - {name: both, type: coupling, joints: [close, follow]}\n"                                  \
    "simulation: {step: 0.002, duration: 0.5}\n"

/* The fingers meet the part, centre it and hold it: 10 N are shared, 5 N each, less what speeds the
 * part up, nothing sideways here. */
static void a_gripper_centres_its_part(void **state)
{
    (void)state;
    static const char *const sets[] = {NULL, "simulation.model.integrator=euler"};
    for (size_t i = 0; i < 2; i++) {
        world w;
        open_with(&w, GRIPPER, sets[i]);
        run(&w, 0.002, 250);
        double x = body_named(&w, "palm").position.x, y = body_named(&w, "palm").position.y;
        assert_near(x, 0.15, 1e-12);
        assert_near(body_named(&w, "part").position.x, x, 1e-9);
        assert_near(body_named(&w, "left").position.x, x - 0.035, 1e-9);
        assert_near(body_named(&w, "right").position.x, x + 0.035, 1e-9);
        assert_true(body_named(&w, "part").position.y > y - 0.08); /* it slipped while unheld */
        assert_near(body_named(&w, "part").velocity.y, body_named(&w, "palm").velocity.y, 2e-3);
        double normal = 0;
        for (int32_t k = 0; k < ss_data_contact_count(w.data); k++) {
            ss_contact_info c;
            check(&w, ss_data_contact(w.model, w.data, k, &c));
            normal += fabs(c.normal.x) * c.impulse[0] / 0.002;
        }
        assert_near(normal, 10, 1e-6);
        close_world(&w);
    }
}

/* ---- joints on a body that moves freely ---- */

typedef struct motion {
    ss_vec3 p, L; /* momentum and angular momentum about the origin */
    double  energy;
} motion;

/* Bodies have the inertia `I` in their own axes. */
static motion motion_of(const world *w, int32_t count, const double *mass, const ss_vec3 *I)
{
    motion x = {{0, 0, 0}, {0, 0, 0}, 0};
    for (int32_t i = 0; i < count; i++) {
        ss_body_state s;
        assert_int_equal(ss_data_body(w->model, w->data, i, &s), SS_OK);
        ss_mat3 R    = ss_mat3_from_quat(s.quat_wxyz);
        ss_vec3 own  = ss_tmul(&R, s.angular_velocity);
        ss_vec3 turn = ss_v3(I[i].x * own.x, I[i].y * own.y, I[i].z * own.z);
        ss_vec3 p    = ss_scale(mass[i], s.velocity);
        x.p          = ss_add(x.p, p);
        x.L          = ss_add(x.L, ss_add(ss_mul(&R, turn), ss_cross(s.position, p)));
        x.energy += 0.5 * ss_dot(p, s.velocity) + 0.5 * ss_dot(turn, own);
    }
    return x;
}

/*
 * A palm that flies and tumbles with two fingers on skew hinges, 0.1 m from their centres, that
 * turn by a ratio; and a chain of three. Nothing acts on them from outside.
 */
#define FLYING(second, between, ratio)                                                             \
    "name: flying\n"                                                                               \
    "gravity: [0, 0, 0]\n"                                                                         \
    "bodies:\n"                                                                                    \
    "  - {name: palm, type: dynamic, mass: 2, inertia: [0.02, 0.03, 0.04], velocity: [1, 0.5, "    \
    "-0.2], angular_velocity: [0.5, 0, 0]}\n"                                                      \
    "  - {name: left, type: dynamic, mass: 0.5, inertia: [0.003, 0.002, 0.004], position: [-0.2, " \
    "0, 0.1], velocity: [1, 0.45, -0.2], angular_velocity: [0.5, 0, 0]}\n"                         \
    "  - {name: right, type: dynamic, mass: 0.7, inertia: [0.001, 0.005, 0.004], position: [0.2, " \
    "0, 0.1], velocity: [1, 0.45, -0.2], angular_velocity: [0.5, 0, 0]}\n"                         \
    "joints:\n"                                                                                    \
    "  - {name: one, type: revolute, bodies: [palm, left], anchor: [-0.2, 0, 0], axis: [0, 1, "    \
    "0], motor: {velocity: 3, max: 1e-2}}\n"                                                       \
    "  - {name: two, type: " second ", bodies: " between "}\n"                                     \
    "  - {name: both, type: coupling, joints: [one, two], ratio: " ratio "}\n"

static void what_flies_keeps_its_momentum(void **state)
{
    (void)state;
    static const double  mass[] = {2, 0.5, 0.7};
    static const ss_vec3 I[] = {{0.02, 0.03, 0.04}, {0.003, 0.002, 0.004}, {0.001, 0.005, 0.004}};
    static const struct {
        const char *text;
        double      ratio;
    } cases[] = {
        {FLYING("revolute", "[palm, right], anchor: [0.2, 0, 0], axis: [0, 1, 0]", "-1"), -1},
        {FLYING("revolute", "[palm, right], anchor: [0.2, 0, 0], axis: [0, 1, 0]", "1"), 1},
        {FLYING("revolute", "[right, palm], anchor: [0.2, 0.1, 0], axis: [0.3, 1, 0]", "0.4"), 0.4},
        {FLYING("prismatic", "[palm, right], axis: [1, 0, 0.2]", "0.05"), 0.05},
        {FLYING("revolute", "[left, right], anchor: [-0.2, 0, 0.2], axis: [0, 1, 0]", "0.8"), 0.8},
    };
    static const char *const sets[] = {NULL, "simulation.model.level=acceleration",
                                       "simulation.model.integrator=euler",
                                       "simulation.model.joints=projected"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double turned[4];
        for (size_t k = 0; k < 4; k++) {
            world         w;
            ss_joint_info one, two;
            double        h = k == 2 || k == 3 ? 2e-4 : 2e-3;
            open_with(&w, cases[i].text, sets[k]);
            motion start = motion_of(&w, 3, mass, I);
            run(&w, h, (int)lround(0.5 / h));
            motion end = motion_of(&w, 3, mass, I);
            ss_data_joint(w.model, w.data, 0, &one);
            ss_data_joint(w.model, w.data, 1, &two);
            double put_in = ss_data_energy(w.model, w.data).driven;
            print_message("%zu %zu: s %.9g, s2 - r s1 %.1e, p %.1e, L %.1e, energy %.1e of %.1e\n",
                          i, k, one.value[0], two.value[0] - cases[i].ratio * one.value[0],
                          ss_norm(ss_sub(end.p, start.p)), ss_norm(ss_sub(end.L, start.L)),
                          end.energy - start.energy - put_in, put_in);
            turned[k] = one.value[0];
            assert_true(turned[k] > (i < 4 ? 0.06 : 0.002));
            assert_near(two.value[0], cases[i].ratio * one.value[0], k == 2 ? 1e-7 : 1e-11);
            assert_near(ss_norm(ss_sub(end.p, start.p)), 0, 1e-10);
            assert_near(ss_norm(ss_sub(end.L, start.L)), 0, k == 2 ? 1e-6 : 2e-9);
            assert_near(end.energy - start.energy, put_in, k == 2 ? 1e-7 : 1e-9);
            close_world(&w);
        }
        assert_near(turned[0], turned[1], 1e-6);
        assert_near(turned[2], turned[1], 1e-3);
        assert_near(turned[3], turned[1], 1e-6);
    }
}

/*
 * Jaws that slide against each other along one line of a palm that flies. Pushed at one of them:
 * (M + 2 m) X'' = F, 2 m s'' = F, with M, m the masses of palm and jaw.
 */
static void jaws_on_a_palm_that_flies(void **state)
{
    (void)state;
    static const char text[] =
        "name: jaws\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  - {name: palm, type: dynamic, mass: 1, inertia: [1e-3, 1e-3, 1e-3]}\n"
        "  - {name: left, type: dynamic, mass: 0.2, inertia: [1e-4, 1e-4, 1e-4], position: [-0.05, "
        "0, 0]}\n"
        "  - {name: right, type: dynamic, mass: 0.2, inertia: [1e-4, 1e-4, 1e-4], position: [0.05, "
        "0, 0]}\n"
        "joints:\n"
        "  - {name: close, type: prismatic, bodies: [palm, left], axis: [1, 0, 0]}\n"
        "  - {name: follow, type: prismatic, bodies: [palm, right], axis: [-1, 0, 0]}\n"
        "  - {name: both, type: coupling, joints: [close, follow]}\n"
        "forces:\n"
        "  - {name: push, type: constant, body: left, force: [0.3, 0, 0]}\n";
    const double             m = 0.2, F = 0.3, X = F / (1 + 2 * m), s = F / (2 * m);
    static const char *const sets[] = {NULL, "simulation.model.integrator=euler",
                                       "simulation.model.level=acceleration"};
    for (size_t i = 0; i < 3; i++) {
        world w;
        open_with(&w, text, sets[i]);
        run(&w, 1e-3, 200);
        assert_near(body_named(&w, "palm").velocity.x, 0.2 * X, 1e-10);
        assert_near(body_named(&w, "left").velocity.x, 0.2 * (X + s), 1e-10);
        assert_near(body_named(&w, "right").velocity.x, 0.2 * (X - s), 1e-10);
        close_world(&w);
    }
}

/* Without momentum: the same ratio. */
static void without_momentum(void **state)
{
    (void)state;
    static const char text[] =
        "name: slow\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  - {name: a, type: dynamic, mass: 1, inertia: [1, 1, 1]}\n"
        "  - {name: b, type: dynamic, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
        "joints:\n"
        "  - {name: one, type: prismatic, bodies: [world, a], axis: [1, 0, 0], motor: {position: "
        "\"0.3*t\"}}\n"
        "  - {name: two, type: prismatic, bodies: [world, b], axis: [0, 1, 0]}\n"
        "  - {name: both, type: coupling, joints: [one, two], ratio: -2.5}\n"
        "simulation: {step: 0.01, duration: 1}\n";
    static const char *const sets[] = {"simulation.model.inertia=quasistatic",
                                       "simulation.model.inertia=dynamic"};
    for (size_t i = 0; i < 2; i++) {
        world w;
        open_with(&w, text, sets[i]);
        run(&w, 0.01, 100);
        assert_near(body_named(&w, "a").position.x, 0.3, 1e-9);
        assert_near(body_named(&w, "b").position.y, -0.75, 1e-9);
        close_world(&w);
    }
}

static void what_is_refused(void **state)
{
    (void)state;
#define HEAD                                                                                       \
    "bodies:\n"                                                                                    \
    "  - {name: a, type: dynamic, mass: 1, inertia: [1, 1, 1]}\n"                                  \
    "  - {name: b, type: dynamic, mass: 1, inertia: [1, 1, 1]}\n"                                  \
    "  - {name: c, type: static}\n"                                                                \
    "joints:\n"                                                                                    \
    "  - {name: ab, type: revolute, bodies: [world, b]}\n"                                         \
    "  - {name: bc, type: revolute, bodies: [b, c]}\n"                                             \
    "  - {name: ball, type: spherical, bodies: [world, a]}\n"
    static const char *const wrong[][2] = {
        {"  - {name: x, type: coupling, joints: [ab, bc], ratio: 1}\n",
         "one body moves in both joints"},
        {"  - {name: x, type: coupling, joints: [ab, ab]}\n", "two different joints"},
        {"  - {name: x, type: coupling, joints: [ab, ball]}\n", "'ball' is a spherical joint"},
        {"  - {name: x, type: coupling, joints: [ab, y]}\n", "there is no joint 'y' above it"},
        {"  - {name: x, type: coupling, joints: [ab]}\n", "must name two joints, got 1"},
        {"  - {name: x, type: coupling}\n", "needs `joints`"},
        {"  - {name: x, type: coupling, joints: [ab, bc], ratio: 0}\n", "other than 0"},
        {"  - {name: x, type: coupling, bodies: [a, b]}\n", "not of two bodies"},
        {"  - {name: x, type: revolute, joints: [ab, bc], bodies: [a, c]}\n",
         "are for type coupling"},
        {"  - {name: x, type: revolute}\n", "the key 'bodies' is missing"},
        {"  - {name: x, type: coupling, joints: [ab, bc], axis: [0, 0, 1]}\n", "no anchor or axis"},
        {"  - {name: x, type: coupling, joints: [ab, bc], limits: [0, 1]}\n", NULL},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char  text[1024];
        world w;
        snprintf(text, sizeof text, "%s%s", HEAD, wrong[i][0]);
        assert_int_equal(try_text(&w, text), SS_ERR_INPUT);
        const char *says = ss_context_message(w.ctx);
        assert_true(strstr(says, "test.yaml:9") != NULL);
        if (wrong[i][1] != NULL && strstr(says, wrong[i][1]) == NULL) {
            fail_msg("%s: %s", wrong[i][0], says);
        }
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gears_turn_by_their_ratio),
        cmocka_unit_test(a_rack_turns_a_pinion),
        cmocka_unit_test(a_linkage_swings_as_its_one_equation),
        cmocka_unit_test(a_gripper_centres_its_part),
        cmocka_unit_test(what_flies_keeps_its_momentum),
        cmocka_unit_test(jaws_on_a_palm_that_flies),
        cmocka_unit_test(without_momentum),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
