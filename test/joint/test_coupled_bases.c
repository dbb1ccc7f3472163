/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Couplings of two joints that have no body in common, on bases that all move: hinges and sliders,
 * in the plane and in space, alone and in one chain, against the equations of motion in coordinates
 * of their own, integrated here.
 *
 * With x(q) the positions and angles of the four bodies as functions of as many coordinates q as
 * there are freedoms, J = dx/dq and B their masses and inertias,
 *
 *   J'B J q'' = Q - J'B (d/dt J) q',    (d/dt J) q' = d2/de2 x(q + e q')
 *
 * J and the second derivative by differences of fourth order, the rest by Runge and Kutta.
 */
#include "world.h"

enum { BODIES = 4, PARTS = 3 * BODIES, MOST = 7 };

typedef struct pairs {
    bool   slides[2]; /* the joint of the pair is a slider, not a hinge     */
    bool   chained;   /* a hinge of its own joins the second pair to the first */
    double ratio;
} pairs;

static const double masses[BODIES]   = {2, 0.7, 1.5, 0.4},
                    inertias[BODIES] = {0.05, 0.02, 0.03, 0.01};
/* Where the second body of a pair and its hinge are from the first, and where the pairs begin. */
static const double offset[2][2] = {{0.3, 0.1}, {-0.2, 0.25}},
                    hinge[2][2]  = {{0.1, 0.2}, {0.05, 0.1}};
static const double begin[2][2] = {{0, 0}, {1, 0.5}}, pin[2] = {0.7, 0.2};
static const double stiffness = 0.8, rest = 0.5;

static int freedoms(const pairs *p)
{
    return p->chained ? 5 : 7;
}

/* to = at + R(angle) arm */
static void reach(const double *at, double angle, double x, double y, double *to)
{
    double c = cos(angle), s = sin(angle);
    to[0] = at[0] + c * x - s * y;
    to[1] = at[1] + s * x + c * y;
}

/* The second body of pair k, from the first and the joint's coordinate. */
static void second_of(const pairs *p, int k, const double *first, double s, double *second)
{
    if (p->slides[k]) {
        reach(first, first[2], offset[k][0] + s, offset[k][1], second);
        second[2] = first[2];
        return;
    }
    double at[2];
    reach(first, first[2], hinge[k][0], hinge[k][1], at);
    second[2] = first[2] + s;
    reach(at, second[2], offset[k][0] - hinge[k][0], offset[k][1] - hinge[k][1], second);
}

/* x(q): q = base (3), coordinate of the first joint, then the second base (3) or the pin's angle.
 */
static void place_all(const pairs *p, const double *q, double *x)
{
    memcpy(x, q, 3 * sizeof *x);
    second_of(p, 0, x, q[3], x + 3);
    if (p->chained) {
        double at[2];
        reach(x + 3, x[5], pin[0] - offset[0][0], pin[1] - offset[0][1], at);
        x[8] = x[5] + q[4];
        reach(at, x[8], begin[1][0] - pin[0], begin[1][1] - pin[1], x + 6);
    } else {
        memcpy(x + 6, q + 4, 3 * sizeof *x);
    }
    second_of(p, 1, x + 6, p->ratio * q[3], x + 9);
}

/* Values at q + e d of fourth order: first and second derivatives along d. */
static void along(const pairs *p, const double *q, const double *d, double *first, double *second)
{
    const double e = 1e-3;
    double       x[5][PARTS], y[MOST];
    for (int k = -2; k <= 2; k++) {
        for (int i = 0; i < freedoms(p); i++) {
            y[i] = q[i] + k * e * d[i];
        }
        place_all(p, y, x[k + 2]);
    }
    for (int i = 0; i < PARTS; i++) {
        first[i] = (x[0][i] - 8 * x[1][i] + 8 * x[3][i] - x[4][i]) / (12 * e);
        second[i] =
            (-x[0][i] + 16 * x[1][i] - 30 * x[2][i] + 16 * x[3][i] - x[4][i]) / (12 * e * e);
    }
}

static double weight(int part)
{
    return part % 3 == 2 ? inertias[part / 3] : masses[part / 3];
}

/* A x = b for a symmetric positive A (n x n); x in the place of b. */
static void solve(int n, double A[MOST][MOST], double *b)
{
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) {
            double f = A[i][k] / A[k][k];
            for (int j = k; j < n; j++) {
                A[i][j] -= f * A[k][j];
            }
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) {
            b[k] -= A[k][j] * b[j];
        }
        b[k] /= A[k][k];
    }
}

static void faster(const pairs *p, const double *q, const double *v, double *a)
{
    const int n = freedoms(p);
    double    J[MOST][PARTS], turn[PARTS], unused[PARTS], A[MOST][MOST], unit[MOST];
    along(p, q, v, unused, turn);
    for (int i = 0; i < n; i++) {
        memset(unit, 0, sizeof unit);
        unit[i] = 1;
        along(p, q, unit, J[i], unused);
    }
    for (int i = 0; i < n; i++) {
        a[i] = i == 3 ? -stiffness * (q[3] - rest) : 0;
        for (int k = 0; k < PARTS; k++) {
            a[i] -= J[i][k] * weight(k) * turn[k];
        }
        for (int j = 0; j < n; j++) {
            A[i][j] = 0;
            for (int k = 0; k < PARTS; k++) {
                A[i][j] += J[i][k] * weight(k) * J[j][k];
            }
        }
    }
    solve(n, A, a);
}

static void advance(int n, const double *x, double c, const double *y, double *out)
{
    for (int i = 0; i < n; i++) {
        out[i] = x[i] + c * y[i];
    }
}

/* Runge and Kutta's fourth order. */
static void integrate(const pairs *p, double t, double *q, double *v)
{
    enum { STEPS = 400 };
    const int    n = freedoms(p);
    const double h = t / STEPS;
    double       k1[MOST], k2[MOST], k3[MOST], k4[MOST], v2[MOST], v3[MOST], v4[MOST], x[MOST];
    for (int i = 0; i < STEPS; i++) {
        faster(p, q, v, k1);
        advance(n, v, h / 2, k1, v2);
        advance(n, q, h / 2, v, x);
        faster(p, x, v2, k2);
        advance(n, v, h / 2, k2, v3);
        advance(n, q, h / 2, v2, x);
        faster(p, x, v3, k3);
        advance(n, v, h, k3, v4);
        advance(n, q, h, v3, x);
        faster(p, x, v4, k4);
        for (int k = 0; k < n; k++) {
            q[k] += h / 6 * (v[k] + 2 * v2[k] + 2 * v3[k] + v4[k]);
            v[k] += h / 6 * (k1[k] + 2 * k2[k] + 2 * k3[k] + k4[k]);
        }
    }
}

/* ---- the same as a scene ---- */

/* Velocities at the start: bases that fly and turn. */
static void begin_at(const pairs *p, double *q, double *v)
{
    static const double base[2][3] = {{0.3, -0.1, 0.9}, {-0.2, 0.2, -1.3}};
    memset(q, 0, MOST * sizeof *q);
    memset(v, 0, MOST * sizeof *v);
    memcpy(q, begin[0], sizeof begin[0]);
    memcpy(v, base[0], sizeof base[0]);
    v[3] = 0.4;
    if (p->chained) {
        v[4] = -1.1;
    } else {
        memcpy(q + 4, begin[1], sizeof begin[1]);
        memcpy(v + 4, base[1], sizeof base[1]);
    }
}

static void write_body(char *text, size_t room, int i, bool space, const double *x, const double *v)
{
    static const char *const names[BODIES] = {"a1", "b1", "a2", "b2"};
    size_t                   at            = strlen(text);
    if (space) {
        snprintf(
            text + at, room - at,
            "  - {name: %s, type: dynamic, mass: %.17g, inertia: [0.04, 0.06, %.17g], position: "
            "[%.17g, %.17g, 0], velocity: [%.17g, %.17g, 0], angular_velocity: [0, 0, %.17g]}\n",
            names[i], masses[i], inertias[i], x[0], x[1], v[0], v[1], v[2]);
    } else {
        snprintf(text + at, room - at,
                 "  - {name: %s, type: dynamic, mass: %.17g, inertia: %.17g, position: [%.17g, "
                 "%.17g], velocity: [%.17g, %.17g], angular_velocity: %.17g}\n",
                 names[i], masses[i], inertias[i], x[0], x[1], v[0], v[1], v[2]);
    }
}

static void write_joint(char *text, size_t room, const pairs *p, int k, bool space)
{
    static const char *const names[2] = {"one", "two"};
    const char              *z        = space ? ", 0" : "";
    size_t                   at       = strlen(text);
    if (p->slides[k]) {
        snprintf(text + at, room - at,
                 "  - {name: %s, type: prismatic, bodies: [a%d, b%d], axis: [1, 0%s]", names[k],
                 k + 1, k + 1, z);
    } else {
        snprintf(text + at, room - at,
                 "  - {name: %s, type: revolute, bodies: [a%d, b%d], anchor: [%.17g, %.17g%s]",
                 names[k], k + 1, k + 1, begin[k][0] + hinge[k][0], begin[k][1] + hinge[k][1], z);
    }
    at = strlen(text);
    snprintf(text + at, room - at, k == 0 ? ", stiffness: 0.8, rest: 0.5}\n" : "}\n");
}

static void write_scene(const pairs *p, bool space, char *text, size_t room)
{
    double q[MOST], v[MOST], x[PARTS], speed[PARTS], unused[PARTS];
    begin_at(p, q, v);
    place_all(p, q, x);
    along(p, q, v, speed, unused);
    snprintf(text, room, "name: bases\ndimension: %d\ngravity: [0, 0%s]\nbodies:\n", space ? 3 : 2,
             space ? ", 0" : "");
    for (int i = 0; i < BODIES; i++) {
        write_body(text, room, i, space, x + (ptrdiff_t)3 * i, speed + (ptrdiff_t)3 * i);
    }
    snprintf(text + strlen(text), room - strlen(text), "joints:\n");
    write_joint(text, room, p, 0, space);
    write_joint(text, room, p, 1, space);
    if (p->chained) {
        snprintf(text + strlen(text), room - strlen(text),
                 "  - {name: pin, type: revolute, bodies: [b1, a2], anchor: [%.17g, %.17g%s]}\n",
                 pin[0], pin[1], space ? ", 0" : "");
    }
    snprintf(text + strlen(text), room - strlen(text),
             "  - {name: both, type: coupling, joints: [one, two], ratio: %.17g}\n"
             "simulation: {step: 0.01, duration: 1}\n",
             p->ratio);
}

static void open_with(world *w, const char *text, const char *set)
{
    *w = (world){.ctx = ss_context_create(NULL)};
    check(w, load_world(w, text, &set, set != NULL));
}

/* The largest error of a position or velocity after one second. */
static double error_of(const pairs *p, bool space, const char *set, double h)
{
    char   text[2500];
    double q[MOST], v[MOST], x[PARTS], speed[PARTS], unused[PARTS], worst = 0;
    world  w;
    begin_at(p, q, v);
    integrate(p, 1, q, v);
    place_all(p, q, x);
    along(p, q, v, speed, unused);
    write_scene(p, space, text, sizeof text);
    open_with(&w, text, set);
    run(&w, h, (int)lround(1 / h));
    for (int32_t i = 0; i < BODIES; i++) {
        ss_body_state s;
        check(&w, ss_data_body(w.model, w.data, i, &s));
        const double is[6] = {s.position.x, s.position.y,         s.velocity.x,
                              s.velocity.y, s.angular_velocity.z, 0};
        const double be[6] = {x[3 * i],         x[3 * i + 1],     speed[3 * i],
                              speed[3 * i + 1], speed[3 * i + 2], 0};
        for (int k = 0; k < 5; k++) {
            worst = fmax(worst, fabs(is[k] - be[k]));
        }
    }
    ss_joint_info one, two;
    check(&w, ss_data_joint(w.model, w.data, 0, &one));
    check(&w, ss_data_joint(w.model, w.data, 1, &two));
    assert_near(two.value[0], p->ratio * one.value[0], set == NULL ? 1e-12 : 1e-5);
    assert_true(fabs(one.value[0]) > 0.1);
    close_world(&w);
    return worst;
}

static void bases_move_as_their_equations(void **state)
{
    (void)state;
    static const pairs cases[] = {
        {{false, false}, false, -1.7}, {{false, true}, false, 0.3}, {{true, false}, false, 2.5},
        {{true, true}, false, -0.6},   {{false, false}, true, 1},   {{true, true}, true, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int space = 0; space < 2; space++) {
            const pairs *p      = &cases[i];
            double       coarse = error_of(p, space == 1, NULL, 0.01);
            double       fine   = error_of(p, space == 1, NULL, 0.005);
            double euler  = error_of(p, space == 1, "simulation.model.integrator=euler", 0.002);
            double events = error_of(p, space == 1, "simulation.model.level=acceleration", 0.1);
            double shake  = error_of(p, space == 1, "simulation.model.joints=projected", 0.005);
            print_message("%zu %dD: midpoint %.2e %.2e (order %.2f), projected %.1e, euler %.1e, "
                          "acceleration %.1e\n",
                          i, 2 + space, coarse, fine, log2(coarse / fine), shake, euler, events);
            assert_true(fine < 1e-3 && fabs(log2(coarse / fine) - 2) < 0.2);
            assert_true(shake < 1e-3);
            assert_true(euler < 0.05);
            assert_true(events < 1e-8);
        }
    }
}

/* ---- bases that tumble ---- */

typedef struct motion {
    ss_vec3 p[2], L[2]; /* momentum and angular momentum about the origin, of each pair */
    double  energy;
} motion;

static motion motion_of(const world *w)
{
    static const double mass[BODIES] = {2, 0.5, 1.2, 0.7};
    static const double I[BODIES][3] = {
        {0.02, 0.03, 0.04}, {0.003, 0.002, 0.004}, {0.02, 0.01, 0.025}, {0.001, 0.005, 0.004}};
    motion x = {.energy = 0};
    for (int32_t i = 0; i < BODIES; i++) {
        ss_body_state s;
        check(w, ss_data_body(w->model, w->data, i, &s));
        ss_mat3 R    = ss_mat3_from_quat(s.quat_wxyz);
        ss_vec3 own  = ss_tmul(&R, s.angular_velocity);
        ss_vec3 turn = ss_v3(I[i][0] * own.x, I[i][1] * own.y, I[i][2] * own.z);
        ss_vec3 p    = ss_scale(mass[i], s.velocity);
        x.p[i / 2]   = ss_add(x.p[i / 2], p);
        x.L[i / 2]   = ss_add(x.L[i / 2], ss_add(ss_mul(&R, turn), ss_cross(s.position, p)));
        x.energy += 0.5 * ss_dot(p, s.velocity) + 0.5 * ss_dot(turn, own);
    }
    return x;
}

#define TUMBLING(one, two)                                                                         \
    "name: tumbling\n"                                                                             \
    "gravity: [0, 0, 0]\n"                                                                         \
    "bodies:\n"                                                                                    \
    "  - {name: a1, type: dynamic, mass: 2, inertia: [0.02, 0.03, 0.04], velocity: [1, 0.5, "      \
    "-0.2], angular_velocity: [0.5, 0, 0]}\n"                                                      \
    "  - {name: b1, type: dynamic, mass: 0.5, inertia: [0.003, 0.002, 0.004], position: [-0.2, "   \
    "0, "                                                                                          \
    "0.1], velocity: [1, 0.45, -0.2], angular_velocity: [0.5, 0, 0]}\n"                            \
    "  - {name: a2, type: dynamic, mass: 1.2, inertia: [0.02, 0.01, 0.025], position: [1, 1, 0], " \
    "velocity: [-1, 0, 0.3], angular_velocity: [0, -0.4, 0]}\n"                                    \
    "  - {name: b2, type: dynamic, mass: 0.7, inertia: [0.001, 0.005, 0.004], position: [1.2, 1, " \
    "0.1], velocity: [-1.04, 0, 0.38], angular_velocity: [0, -0.4, 0]}\n"                          \
    "joints:\n"                                                                                    \
    "  - {name: one, " one ", bodies: [a1, b1], motor: {velocity: 3, max: 1e-2}}\n"                \
    "  - {name: two, " two "}\n"                                                                   \
    "  - {name: both, type: coupling, joints: [one, two], ratio: 0.4}\n"

/* Each pair keeps its own momentum: what one does to the other is no force, but work. */
static void what_tumbles_keeps_its_momentum(void **state)
{
    (void)state;
    static const char *const texts[] = {
        TUMBLING("type: revolute, anchor: [-0.2, 0, 0], axis: [0, 1, 0]",
                 "type: revolute, bodies: [b2, a2], anchor: [1.2, 1, 0], axis: [0.3, 1, 0]"),
        TUMBLING("type: revolute, anchor: [-0.2, 0, 0], axis: [0, 1, 0]",
                 "type: prismatic, bodies: [a2, b2], axis: [1, 0, 0.2]"),
        TUMBLING("type: prismatic, axis: [0.2, 1, 0]",
                 "type: prismatic, bodies: [a2, b2], axis: [0, 0, 1]"),
    };
    static const char *const sets[] = {NULL, "simulation.model.level=acceleration",
                                       "simulation.model.joints=projected"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double moved[3];
        for (size_t k = 0; k < 3; k++) {
            world         w;
            ss_joint_info one, two;
            open_with(&w, texts[i], sets[k]);
            motion start = motion_of(&w);
            run(&w, 1e-3, 500);
            motion end = motion_of(&w);
            check(&w, ss_data_joint(w.model, w.data, 0, &one));
            check(&w, ss_data_joint(w.model, w.data, 1, &two));
            double put_in = ss_data_energy(w.model, w.data).driven;
            moved[k]      = one.value[0];
            assert_true(fabs(moved[k]) > 1e-3);
            assert_near(two.value[0], 0.4 * one.value[0], 1e-11);
            for (int pair = 0; pair < 2; pair++) {
                assert_near(ss_norm(ss_sub(end.p[pair], start.p[pair])), 0, 1e-10);
                assert_near(ss_norm(ss_sub(end.L[pair], start.L[pair])), 0, 2e-9);
            }
            assert_near(end.energy - start.energy, put_in, 1e-9);
            close_world(&w);
        }
        print_message("%zu: %.9g, %.1e, %.1e\n", i, moved[1], moved[0] - moved[1],
                      moved[2] - moved[1]);
        assert_near(moved[0], moved[1], 1e-6);
        assert_near(moved[2], moved[1], 1e-6);
    }
}

/* ---- without momentum ---- */

/* Two carriages are driven along a rail, and a slide on the first; that on the second follows. */
static void slides_on_carriages(void **state)
{
    (void)state;
    static const char text[] =
        "name: carriages\n"
        "dimension: 2\n"
        "gravity: [0, 0]\n"
        "bodies:\n"
        "  - {name: a1, type: dynamic, mass: 1, inertia: 1, damping: [1, 1]}\n"
        "  - {name: b1, type: dynamic, mass: 1, inertia: 1, damping: [1, 1]}\n"
        "  - {name: a2, type: dynamic, mass: 1, inertia: 1, damping: [1, 1], position: [1, 0]}\n"
        "  - {name: b2, type: dynamic, mass: 1, inertia: 1, damping: [1, 1], position: [1, 0]}\n"
        "joints:\n"
        "  - {name: r1, type: prismatic, bodies: [world, a1], axis: [1, 0], motor: {position: "
        "\"0.3*t\"}}\n"
        "  - {name: r2, type: prismatic, bodies: [world, a2], axis: [1, 0], motor: {position: "
        "\"-0.2*t\"}}\n"
        "  - {name: one, type: prismatic, bodies: [a1, b1], axis: [0, 1], motor: {position: "
        "\"0.1*t\"}}\n"
        "  - {name: two, type: prismatic, bodies: [a2, b2], axis: [0, 1]}\n"
        "  - {name: both, type: coupling, joints: [one, two], ratio: -2.5}\n"
        "simulation: {step: 0.01, duration: 1}\n";
    static const char *const sets[] = {
        "simulation.model.inertia=quasistatic", "simulation.model.inertia=damped",
        "simulation.model.inertia=dynamic", "simulation.model.geometry=implicit",
        "simulation.model.cone={polygon: 8}"};
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        world w;
        open_with(&w, text, sets[i]);
        run(&w, 0.01, 100);
        assert_near(body_named(&w, "b1").position.x, 0.3, 1e-9);
        assert_near(body_named(&w, "b1").position.y, 0.1, 1e-9);
        assert_near(body_named(&w, "b2").position.x, 0.8, 1e-9);
        assert_near(body_named(&w, "b2").position.y, -0.25, 1e-9);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_tumbles_keeps_its_momentum),
        cmocka_unit_test(slides_on_carriages),
        cmocka_unit_test(bases_move_as_their_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
