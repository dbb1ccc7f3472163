/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rest of bodies in joints, with motors and on supports: a little below its limit what can rest
 * rests, to the last digit; a little above it moves, or without inertia ends by name. `part` is the
 * load over what can be held. Where rest is one of several solutions it is taken if the load
 * presses what holds it, and what moves is never stopped.
 */
#include "world.h"

enum { DYNAMIC, AS_PRINTED, QUASISTATIC };

static const char *const models[] = {"inertia: dynamic", "inertia: dynamic, integrator: euler",
                                     "inertia: quasistatic"};

static const double g = 9.81;

typedef struct text {
    char   s[4096];
    size_t used;
} text;

static void put(text *t, const char *format, ...)
{
    va_list a;
    va_start(a, format);
    t->used += (size_t)vsnprintf(t->s + t->used, sizeof t->s - t->used, format, a);
    va_end(a);
}

/* x and z of a scene in space, x and y of one in the plane. */
static void put_point(text *t, const char *key, int dimension, double x, double z)
{
    if (dimension == 2) {
        put(t, "%s: [%.17g, %.17g]", key, x, z);
    } else {
        put(t, "%s: [%.17g, 0, %.17g]", key, x, z);
    }
}

static void put_head(text *t, int dimension, double mu, bool floor)
{
    put(t, "dimension: %d\ngravity: %s\nmaterials: {default: {friction: %.17g}}\nbodies:\n",
        dimension, dimension == 2 ? "[0, -9.81]" : "[0, 0, -9.81]", mu);
    if (floor) {
        put(t, "  - {name: floor, type: static, shape: {%s}}\n",
            dimension == 2 ? "halfplane: {normal: [0, 1]}" : "plane: {normal: [0, 0, 1]}");
    }
}

/* A rod of 1 kg with a ball at its lower end, from the top down. */
static void put_rod(text *t, int dimension, const char *name, const double top[2],
                    const double foot[2], double r)
{
    double x = foot[0] - top[0], z = foot[1] - top[1], length = hypot(x, z);
    double turn = dimension == 2 ? atan2(z, x) : atan2(x, z);
    put(t, "  - {name: %s, type: dynamic, mass: 1, com: [0, 0%s], inertia: ", name,
        dimension == 2 ? "" : ", 0");
    put(t, dimension == 2 ? "%.17g" : "[%.17g, %.17g, 1e-4]", length * length / 12,
        length * length / 12);
    put(t, ", shape: {%s: {radius: %.17g, position: ", dimension == 2 ? "disc" : "sphere", r);
    put(t, dimension == 2 ? "[%.17g, 0]" : "[0, 0, %.17g]", length / 2);
    put(t, dimension == 2 ? "}}, angle: %.17g, " : "}}, euler: [0, %.17g, 0], ", turn);
    put_point(t, "position", dimension, 0.5 * (top[0] + foot[0]), 0.5 * (top[1] + foot[1]));
    put(t, "}\n");
}

/* Two rods hinged at the top: the floor holds their feet by W tan/2 each. */
static void a_frame(text *t, int dimension, double part)
{
    const double tilt = 0.5, r = 0.02, top[2] = {0, cos(tilt) + r};
    const double left[2] = {-sin(tilt), r}, right[2] = {sin(tilt), r};
    put_head(t, dimension, 0.5 * sin(tilt) / (cos(tilt) + r) / part, true);
    put_rod(t, dimension, "a", top, left, r);
    put_rod(t, dimension, "b", top, right, r);
    put(t, "joints:\n  - {name: hinge, type: revolute, bodies: [a, b], ");
    put_point(t, "anchor", dimension, top[0], top[1]);
    put(t, dimension == 2 ? "}\n"
                          : ", axis: [0, 1, 0]}\n"
                            "  - {name: plane, type: planar, bodies: [world, a], anchor: [0, 0, 0],"
                            " axis: [0, 1, 0]}\n");
}

/* A ladder whose top slides along a smooth rail: the floor alone holds its foot. */
static void ladder(text *t, int dimension, double part)
{
    const double tilt = 1, length = 2, r = 0.03, slide = 0.1;
    const double foot[2] = {length * cos(tilt), r}, top[2] = {0, r + length * sin(tilt)};
    double       N = (1 + slide) * g;
    double       H = (N - 0.5 * g) * length * cos(tilt) / (length * sin(tilt) + r);
    put_head(t, dimension, H / N / part, true);
    put_rod(t, dimension, "a", top, foot, r);
    put(t, "  - {name: b, type: dynamic, mass: %.17g, inertia: %s, ", slide,
        dimension == 2 ? "1e-3" : "[1e-3, 1e-3, 1e-3]");
    put_point(t, "position", dimension, top[0], top[1]);
    put(t, "}\njoints:\n  - {name: hinge, type: revolute, bodies: [b, a], ");
    put_point(t, "anchor", dimension, top[0], top[1]);
    put(t, "%s}\n  - {name: rail, type: prismatic, bodies: [world, b], ",
        dimension == 2 ? "" : ", axis: [0, 1, 0]");
    put_point(t, "axis", dimension, 0, 1);
    put(t, "}\n");
}

/* A crate on a vertical rail, held by a motor of limited force. */
static void crate(text *t, int dimension, double part)
{
    put_head(t, dimension, 0.5, false);
    put(t, "  - {name: a, type: dynamic, mass: 2, shape: {box: {size: [0.2, 0.2%s]}}, ",
        dimension == 2 ? "" : ", 0.2");
    put_point(t, "position", dimension, 0, 1);
    put(t, "}\njoints:\n  - {name: rail, type: prismatic, bodies: [world, a], ");
    put_point(t, "axis", dimension, 0, 1);
    put(t, ", motor: {velocity: 0, max: %.17g}}\n", 2 * g / part);
}

/* .. and on a slope, by its friction and a motor that pulls at a rod. */
static void towed(text *t, int dimension, double part)
{
    const double a = 0.4, mu = 0.2, m = 2, c = cos(a), s = sin(a), winch = 1e-3;
    double       need = m * g * (s - mu * c) + winch * g * s;
    put_head(t, dimension, mu, false);
    put(t, "  - {name: slope, type: static, shape: {%s: {", dimension == 2 ? "halfplane" : "plane");
    put_point(t, "normal", dimension, -s, c);
    put(t, "}}}\n  - {name: a, type: dynamic, mass: 2, shape: {box: {size: [0.2, 0.2%s]}}, ",
        dimension == 2 ? "" : ", 0.2");
    put_point(t, "position", dimension, -0.1 * s, 0.1 * c);
    put(t, dimension == 2 ? ", angle: %.17g}\n" : ", euler: [0, %.17g, 0]}\n",
        dimension == 2 ? a : -a);
    put(t, "  - {name: b, type: dynamic, mass: %.17g, inertia: %s, ", winch,
        dimension == 2 ? "1e-5" : "[1e-5, 1e-5, 1e-5]");
    put_point(t, "position", dimension, c - 0.1 * s, s + 0.1 * c);
    put(t, "}\njoints:\n  - {name: rail, type: prismatic, bodies: [world, b], ");
    put_point(t, "axis", dimension, c, s);
    put(t, ", motor: {velocity: 0, max: %.17g}}\n", need / part);
    put(t, "  - {name: rod, type: distance, bodies: [b, a], ");
    put_point(t, "anchor", dimension, c - 0.1 * s, s + 0.1 * c);
    put(t, ", ");
    put_point(t, "anchor_b", dimension, -0.1 * s, 0.1 * c);
    put(t, "}\n");
}

/* A link held level by friction in its hinge. */
static void link(text *t, int dimension, double part)
{
    put_head(t, dimension, 0.5, false);
    put(t, "  - {name: a, type: dynamic, mass: 2, inertia: %s, ",
        dimension == 2 ? "0.1" : "[0.1, 0.1, 0.1]");
    put_point(t, "position", dimension, 0.5, 0);
    put(t, "}\njoints:\n  - {name: hinge, type: revolute, bodies: [world, a], ");
    put_point(t, "anchor", dimension, 0, 0);
    put(t, "%s, friction: %.17g}\n", dimension == 2 ? "" : ", axis: [0, 1, 0]", g / part);
}

/* A part on three points of a surface, pushed through the middle of its friction. */
static void pushed(text *t, int dimension, double part)
{
    double F = 0.4 * 2 * g * part;
    (void)dimension;
    put(t,
        "dimension: 2\ngravity: [0, 0]\nbodies:\n"
        "  - {name: a, type: dynamic, mass: 2, inertia: 0.1, position: [0.1, 0.2], support:\n"
        "     {friction: 0.4, gravity: 9.81, points: [[0.1, 0], [-0.1, 0.1], [-0.1, -0.1]]}}\n"
        "forces:\n  - {name: p, type: constant, body: a, force: [%.17g, %.17g]}\n",
        -0.6 * F, 0.8 * F);
}

typedef struct scene {
    const char *name;
    void (*write)(text *t, int dimension, double part);
    bool flat; /* in the plane alone */
} scene;

static const scene scenes[] = {{"A-frame", a_frame, false},
                               {"ladder", ladder, false},
                               {"crate on a rail", crate, false},
                               {"crate on a slope", towed, false},
                               {"link", link, false},
                               {"pushed part", pushed, true}};

/* How far bodies come in 0.1 s; -1: the run ended by name. */
static double moved(const scene *of, int dimension, int model, double part)
{
    text  t = {.used = 0};
    world w;
    of->write(&t, dimension, part);
    put(&t, "simulation: {step: 0.002, duration: 1, model: {%s}}\n", models[model]);
    ss_status status = try_text(&w, t.s);
    check(&w, status);
    ss_vec3 was[3] = {{0, 0, 0}};
    int     count  = 0;
    for (int i = 0; i < ss_model_body_count(w.model); i++) {
        was[count++ % 3] = body(&w, i).position;
    }
    for (int i = 0; i < 50 && status == SS_OK; i++) {
        status = ss_step(w.model, w.data, 0.002);
    }
    double far = 0;
    for (int i = 0; i < count && i < 3; i++) {
        far = fmax(far, ss_norm(ss_sub(body(&w, i).position, was[i])));
    }
    close_world(&w);
    return status == SS_OK ? far : -1;
}

static void what_can_rest_rests(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        for (int dimension = 2; dimension <= (scenes[i].flat ? 2 : 3); dimension++) {
            for (int model = DYNAMIC; model <= QUASISTATIC; model++) {
                double below = moved(&scenes[i], dimension, model, 0.97);
                double above = moved(&scenes[i], dimension, model, 1.03);
                print_message("%s in %dD, %s: %.1e, %.1e m\n", scenes[i].name, dimension,
                              models[model], below, above);
                assert_true(below >= 0 && below < 1e-14);
                assert_true(model == QUASISTATIC ? above == -1 : above > 1e-5);
            }
        }
    }
}

/* ---- piles: rest is one of several solutions ---- */

/* A joint of a pile of logs, what else acts on it, and what one log lies on besides. */
typedef struct tie {
    const char *joints, *forces, *support;
} tie;

static const tie ties[] = {
    {"{name: j, type: distance, bodies: [l0_0, l0_1]}", NULL, NULL},
    {"{name: j, type: revolute, bodies: [l0_0, l0_1], anchor: [0.1, 0.1]}", NULL, NULL},
    {"{name: j, type: revolute, bodies: [l0_0, l1_0], friction: 0.1,"
     " anchor: [0.05, 0.18660254037844387]}",
     NULL, NULL},
    {"{name: j, type: fixed, bodies: [l3_0, l4_0]}", NULL, NULL},
    {"{name: j, type: distance, bodies: [l0_1, l0_3], limits: [0, 0.4]}", NULL, NULL},
    {"{name: j, type: prismatic, bodies: [world, l0_0], axis: [1, 0], limits: [0, 0.1]}", NULL,
     NULL},
    {"{name: j, type: prismatic, bodies: [world, l4_0], axis: [0, 1], stiffness: 100,"
     " rest: -0.001}",
     NULL, NULL},
    {"{name: j, type: prismatic, bodies: [world, l4_0], axis: [0, 1],"
     " motor: {velocity: 0, max: 3}}",
     NULL, NULL},
    /* a motor that does not arrive pushes as hard as it can */
    {"{name: j, type: prismatic, bodies: [world, l4_0], axis: [0, 1],"
     " motor: {velocity: -1, max: 3}}",
     NULL, NULL},
    {"{name: j, type: prismatic, bodies: [world, l4_0], axis: [0, 1]},"
     " {name: k, type: prismatic, bodies: [world, l3_0], axis: [0, 1]},"
     " {name: c, type: coupling, joints: [j, k]}",
     NULL, NULL},
    {NULL,
     "{name: s, type: spring, bodies: [l0_0, l0_1], anchors: [[0, 0], [0, 0]], stiffness: 100,"
     " damping: 3, rest_length: 0.195}",
     NULL},
    {NULL, NULL, "points: [[0.05, 0], [-0.05, 0.05], [-0.05, -0.05]]"},
    {NULL, NULL, "points: [[0, 0]], torsion: 0.05"},
};

static void put_pile(text *t, const tie *with, const char *velocity)
{
    put(t, "dimension: 2\nmaterials: {default: {friction: 0.55}}\nbodies:\n"
           "  - {name: f, type: static, shape: {halfplane: {normal: [0, 1]}}}\n");
    for (int row = 0; row < 5; row++) {
        for (int i = 0; i < 5 - row; i++) {
            put(t, "  - {name: l%d_%d, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},", row,
                i);
            if (row == 4) {
                put(t, " velocity: %s,", velocity);
            }
            if (row == 2 && i == 0 && with->support != NULL) {
                put(t, " support: {friction: 0.05, gravity: 9.81, %s},", with->support);
            }
            put(t, " position: [%.17g, %.17g]}\n", 0.2 * i + 0.1 * row,
                0.1 + 0.17320508075688773 * row);
        }
    }
    if (with->joints != NULL) {
        put(t, "joints: [%s]\n", with->joints);
    }
    if (with->forces != NULL) {
        put(t, "forces: [%s]\n", with->forces);
    }
    put(t, "simulation: {step: 0.005, duration: 1}\n");
}

static double fastest(const world *w)
{
    double most = 0;
    for (int i = 0; i < ss_model_body_count(w->model); i++) {
        ss_body_state s = body(w, i);
        most            = fmax(most, ss_norm(s.velocity) + ss_norm(s.angular_velocity));
    }
    return most;
}

static void piles_with_joints_rest(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ties / sizeof ties[0]; i++) {
        text           t = {.used = 0};
        world          w;
        ss_body_motion other[16];
        put_pile(&t, &ties[i], "[0, 0]");
        open_text(&w, t.s);
        run(&w, 0.005, 1);
        assert_int_equal(ss_motion_unique(w.model, w.data, other), SS_MOTION_NOT_UNIQUE);
        double told = 0;
        for (int k = 0; k < ss_model_body_count(w.model); k++) {
            told = fmax(told, ss_norm(other[k].velocity));
        }
        assert_true(told > 0.1);
        run(&w, 0.005, i == 0 ? 199 : 19);
        assert_near(fastest(&w), 0, 1e-9);
        close_world(&w);
    }
}

/* What moves is not stopped. */
static void a_moving_pile_goes_on(void **state)
{
    (void)state;
    text  t = {.used = 0};
    world w;
    put_pile(&t, &ties[0], "[0, 1e-3]");
    open_text(&w, t.s);
    run(&w, 0.0001, 1);
    assert_true(fastest(&w) > 1e-5);
    close_world(&w);
}

/* ---- what nothing presses falls ---- */

static const char walls[] =
    "  - {name: wa, type: static, shape: {halfplane: {normal: [1, 0]}}, position: [-0.5, 0]}\n"
    "  - {name: wb, type: static, shape: {halfplane: {normal: [-1, 0]}}, position: [0.5, 0]}\n";

static const char halves[] =
    "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.5, 0.4]}},"
    " position: [-0.25, 0]}\n"
    "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.5, 0.4]}},"
    " position: [0.25, 0]}\n";

static const char jaws[] =
    "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.4]}},"
    " position: [-0.3, 0]}\n"
    "  - {name: c, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.4]}},"
    " position: [0.3, 0]}\n"
    "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.4, 0.3]}}}\n";

/* How fast body b falls after 0.1 s. */
static double fall_of(const char *first, const char *second, const char *joints, double mu)
{
    text  t = {.used = 0};
    world w;
    put(&t, "dimension: 2\nmaterials: {default: {friction: %.17g}}\nbodies:\n%s%sjoints: [%s]\n",
        mu, first, second, joints);
    put(&t, "simulation: {step: 0.005, duration: 1}\n");
    open_text(&w, t.s);
    run(&w, 0.005, 20);
    double speed = -body_named(&w, "b").velocity.y;
    close_world(&w);
    return speed;
}

/* Walls and jaws that merely touch could press, if what holds them pushed, but nothing makes it. */
static void what_nothing_presses_falls(void **state)
{
    (void)state;
    static const char arm[] =
        "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [1, 0.4]}}}\n"
        "  - {name: b, type: dynamic, mass: 1, inertia: 0.01, position: [0.2, -0.5]}\n";
    static const char *const held[] = {"motor: {velocity: 0, max: 50}", "motor: {velocity: 0}",
                                       "friction: 50", "limits: [-1e-9, 1e-9]"};
    const double             free   = g * 0.1;
    assert_near(fall_of(walls, halves, "{name: j, type: fixed, bodies: [a, b]}", 1), free, 1e-9);
    assert_near(
        fall_of(walls, halves, "{name: j, type: revolute, bodies: [a, b], anchor: [0, -0.2]}", 1),
        free, 1e-9);
    assert_near(
        fall_of(walls, arm, "{name: j, type: revolute, bodies: [a, b], anchor: [0.2, 0]}", 1), free,
        1e-9);
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++) {
        text t = {.used = 0};
        put(&t,
            "{name: j, type: prismatic, bodies: [world, a], axis: [1, 0], %s},"
            " {name: k, type: prismatic, bodies: [world, c], axis: [1, 0], %s}",
            held[i], held[i]);
        assert_near(fall_of(jaws, "", t.s, 1), free, 1e-9);
    }
}

/* Motors that push hold what friction at both jaws can bear: 2 mu F = m g. */
static void jaws_that_push_hold(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        text   t = {.used = 0};
        double F = 0.5 * g / (k == 0 ? 0.97 : 1.03);
        put(&t,
            "{name: j, type: prismatic, bodies: [world, a], axis: [1, 0],"
            " motor: {velocity: 0.1, max: %.17g}}, {name: k, type: prismatic,"
            " bodies: [world, c], axis: [1, 0], motor: {velocity: -0.1, max: %.17g}}",
            F, F);
        double fall = fall_of(jaws, "", t.s, 1);
        assert_true(k == 0 ? fabs(fall) < 1e-12 : fall > 1e-3);
    }
}

/*
 * A three-hinged arch between walls: rods with balls at their feet, hinged at a height d above
 * them. Each presses its wall by H = W (L - L/2 + r/2)/d, L from hinge to wall, which bears W by
 * friction. Falling leaves the feet idle, but the friction of it presses them.
 */
static void arch(text *t, double part)
{
    const double r = 0.02, d = 0.2, top[2] = {0, d};
    const double left[2] = {-0.5 + r, 0}, right[2] = {0.5 - r, 0};
    put_head(t, 2, d / (0.5 - 0.5 * (0.5 - r)) / part, false);
    put(t, "%s", walls);
    put_rod(t, 2, "a", top, left, r);
    put_rod(t, 2, "b", top, right, r);
    put(t, "joints: [{name: j, type: revolute, bodies: [a, b], anchor: [0, %.17g]}]\n", d);
    put(t, "simulation: {step: 0.005, duration: 1}\n");
}

static void an_arch_stands_between_walls(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        text  t = {.used = 0};
        world w;
        arch(&t, k == 0 ? 0.97 : 1.03);
        open_text(&w, t.s);
        run(&w, 0.005, 20);
        double speed = fastest(&w);
        assert_true(k == 0 ? speed < 1e-9 : speed > 1e-3);
        close_world(&w);
    }
}

/* Two boxes, length by height, between walls, hinged at `hinge` above their middle. */
typedef struct box_arch {
    double length, height, hinge;
    double tilt; /* of the weight, along the walls: it is borne by friction between two axes */
} box_arch;

/*
 * Each presses its wall with its lower edge alone, by H = W cos(tilt) (length/2)/(height/2 +
 * hinge), and friction bears W. Upper edges could press as well, and with less friction hold the
 * arch; but only a motion to one side would close one, which the load does not make.
 */
static void put_box_arch(text *t, int dimension, const box_arch *a, double part)
{
    const char *deep = dimension == 2 ? "" : "0.3, ";
    put(t, "dimension: %d\ngravity: [0, %.17g%s", dimension,
        dimension == 2 ? -g : -g * sin(a->tilt), dimension == 2 ? "]" : ", ");
    if (dimension == 3) {
        put(t, "%.17g]", -g * cos(a->tilt));
    }
    put(t, "\nmaterials: {default: {friction: %.17g}}\nbodies:\n",
        (a->height + 2 * a->hinge) / (a->length * cos(a->tilt)) / part);
    for (int k = 0; k < 4; k++) { /* two walls, two boxes */
        bool   wall = k < 2;
        double x    = (wall ? a->length + 0.1 : 0.5 * a->length) * (k % 2 == 0 ? -1 : 1);
        put(t, "  - {name: b%d, type: %s, shape: {box: {size: [%.17g, %s%.17g]}}, ", k,
            wall ? "static" : "dynamic, mass: 1", wall ? 0.2 : a->length,
            wall && dimension == 3 ? "4, " : deep, wall ? 4 : a->height);
        put_point(t, "position", dimension, x, 0);
        put(t, "}\n");
    }
    put(t, "joints: [{name: j, type: revolute, bodies: [b2, b3], ");
    put_point(t, "anchor", dimension, 0, a->hinge);
    put(t, "%s}]\nsimulation: {step: 0.005, duration: 1}\n",
        dimension == 2 ? "" : ", axis: [0, 1, 0]");
}

/* The limit of friction is that of the closed form, to 1 %, in every direction of it. */
static void an_arch_of_boxes_stands_on_its_lower_edges(void **state)
{
    (void)state;
    static const box_arch arches[] = {{0.5, 0.4, 0, 0},
                                      {0.367, 0.439, 0.069, 0},
                                      {0.314, 0.434, -0.018, 0.3},
                                      {0.626, 0.415, -0.101, 0.196},
                                      {0.681, 0.101, -0.003, 0.59}};
    for (int k = 0; k < 20; k++) {
        int             dimension = 2 + k % 2;
        bool            stands    = k / 2 % 2 == 0;
        const box_arch *a         = &arches[k / 4];
        text            t         = {.used = 0};
        world           w;
        put_box_arch(&t, dimension,
                     dimension == 2 ? &(box_arch){a->length, a->height, a->hinge, 0} : a,
                     stands ? 0.99 : 1.01);
        open_text(&w, t.s);
        run(&w, 0.005, 10);
        double speed = fastest(&w);
        print_message("arch %d in %dD, %s its limit: %.2e m/s\n", k / 4, dimension,
                      stands ? "below" : "above", speed);
        assert_true(stands ? speed < 1e-9 : speed > 1e-3);
        close_world(&w);
    }
}

/* ---- what stands or hangs, and is free to move ---- */

/* A pendulum beside a rough wall that it touches, at rest at the end of its swing. */
static void a_pendulum_turns_back(void **state)
{
    (void)state;
    const double angle = 0.5, L = 1, h = 0.001;
    text         t = {.used = 0};
    world        w;
    put(&t, "dimension: 2\nmaterials: {default: {friction: 1}}\nbodies:\n");
    put(&t,
        "  - {name: wall, type: static, shape: {halfplane: {normal: [1, 0]}}, position: [%.17g, "
        "0]}\n",
        -sin(angle) - 0.1);
    put(&t,
        "  - {name: b, type: dynamic, mass: 1, inertia: 0.25, shape: {disc: {radius: 0.1}},"
        " position: [%.17g, %.17g]}\n",
        -sin(angle), -cos(angle));
    put(&t, "joints: [{name: j, type: revolute, bodies: [world, b], anchor: [0, 0]}]\n"
            "simulation: {step: 0.001, duration: 1}\n");
    open_text(&w, t.s);
    run(&w, h, 1);
    assert_near(body_named(&w, "b").angular_velocity.z, h * g * sin(angle) * L / (L * L + 0.25),
                1e-6);
    close_world(&w);
}

/* A pole upright on a cart that stands on the floor: it may stand, but not once it is pushed. */
static void a_pole_upright_falls_when_pushed(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        text  t = {.used = 0};
        world w;
        put_head(&t, 2, 0.5, true);
        put(&t,
            "  - {name: cart, type: dynamic, mass: 5, shape: {box: {size: [0.6, 0.2]}},"
            " position: [0, 0.1]}\n"
            "  - {name: pole, type: dynamic, mass: 1, inertia: 0.1, position: [0, 0.7],"
            " velocity: [%.17g, 0], angular_velocity: %.17g}\n"
            "joints: [{name: j, type: revolute, bodies: [cart, pole], anchor: [0, 0.2]}]\n"
            "simulation: {step: 0.002, duration: 1}\n",
            k * 0.5e-3, -k * 1e-3);
        open_text(&w, t.s);
        run(&w, 0.002, 500);
        double leans = fabs(body_named(&w, "pole").position.x);
        assert_true(k == 0 ? leans < 1e-9 : leans > 1e-3);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_can_rest_rests),
                                       cmocka_unit_test(piles_with_joints_rest),
                                       cmocka_unit_test(a_moving_pile_goes_on),
                                       cmocka_unit_test(what_nothing_presses_falls),
                                       cmocka_unit_test(jaws_that_push_hold),
                                       cmocka_unit_test(an_arch_stands_between_walls),
                                       cmocka_unit_test(an_arch_of_boxes_stands_on_its_lower_edges),
                                       cmocka_unit_test(a_pendulum_turns_back),
                                       cmocka_unit_test(a_pole_upright_falls_when_pushed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
