/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rest of bodies in joints, with motors and on supports: a little below its limit what can rest
 * rests, to the last digit; a little above it moves, or without inertia ends by name. `part` is the
 * load over what can be held.
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_can_rest_rests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
