/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random scenes as text, each a pure function of its number: piles, chains, wheels, ragdolls and
 * feeders, in the plane and in space, of all shapes and sizes, with friction and restitution or
 * without, under all values of the inertia axis.
 */
#ifndef SS_TEST_RANDOM_SCENE_H
#define SS_TEST_RANDOM_SCENE_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "random.h"

typedef enum scene_kind { PILE, CHAIN, WHEEL, RAGDOLL, FEEDER, KIND_COUNT } scene_kind;

static const char *const kind_name[KIND_COUNT] = {"pile", "chain", "wheel", "ragdoll", "feeder"};

enum { SCENE_ROOM = 1 << 16 };

typedef struct random_scene {
    uint64_t    seed;
    scene_kind  kind;
    int         dimension;
    double      size; /* of a typical body */
    double      step, mu, restitution;
    int         steps;
    const char *inertia; /* value of the axis */
    bool        driven;  /* something puts energy in */
    char        text[SCENE_ROOM];
    size_t      length;
} random_scene;

static inline void put(random_scene *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(s->text + s->length, SCENE_ROOM - s->length, format, args);
    va_end(args);
    s->length += n > 0 ? (size_t)n : 0;
}

static inline double between(random_scene *s, double low, double high)
{
    return random_between(&s->seed, low, high);
}

static inline int one_of(random_scene *s, int count)
{
    return (int)(random_bits(&s->seed) % (uint64_t)count);
}

/* Of sizes and steps every order of magnitude is as likely. */
static inline double spread(random_scene *s, double low, double high)
{
    return low * pow(high / low, between(s, 0, 1));
}

/* ---- shapes: each fits in a ball of radius r ---- */

static inline void put_hull(random_scene *s, double r, int count)
{
    for (int i = 0; i < count; i++) {
        double z = between(s, -1, 1), a = between(s, 0, 6.2831853), q = sqrt(1 - z * z);
        put(s, "%s[%.17g, %.17g, %.17g]", i > 0 ? ", " : "", r * q * cos(a), r * q * sin(a), r * z);
    }
}

static inline void put_ring(random_scene *s, double r, int count, bool star)
{
    for (int i = 0; i < count; i++) {
        double a = 6.2831853 * (i + between(s, -0.2, 0.2)) / count;
        double q = star && i % 2 == 1 ? 0.45 * r : r;
        put(s, "%s[%.17g, %.17g]", i > 0 ? ", " : "", q * cos(a), q * sin(a));
    }
}

static inline void put_shape_2d(random_scene *s, double r)
{
    double a = r * between(s, 0.4, 0.7), b = r * between(s, 0.4, 0.7);
    switch (one_of(s, 6)) {
    case 0:
        put(s, "disc: {radius: %.17g}", between(s, 0.5, 1) * r);
        break;
    case 1:
        put(s, "box: {size: [%.17g, %.17g]}", 2 * a, 2 * b);
        break;
    case 2:
        put(s, "polygon: {points: [");
        put_ring(s, r, 3 + one_of(s, 5), false);
        put(s, "]}");
        break;
    case 3:
        put(s, "polygon: {points: [");
        put_ring(s, r, 8, true);
        put(s, "]}");
        break;
    case 4:
        put(s, "superellipse: {radii: [%.17g, %.17g], e: %.3g}", a, b, between(s, 0.3, 1.2));
        break;
    default:
        put(s,
            "union: {parts: [{disc: {radius: %.17g, position: [%.17g, 0]}}, "
            "{box: {size: [%.17g, %.17g]}}]}",
            0.4 * r, 0.5 * r, a, b);
    }
}

static inline void put_shape_3d(random_scene *s, double r)
{
    double a = r * between(s, 0.35, 0.57), b = r * between(s, 0.35, 0.57);
    double c = r * between(s, 0.35, 0.57);
    switch (one_of(s, 9)) {
    case 0:
        put(s, "sphere: {radius: %.17g}", between(s, 0.5, 1) * r);
        break;
    case 1:
    case 2:
        put(s, "box: {size: [%.17g, %.17g, %.17g]}", 2 * a, 2 * b, 2 * c);
        break;
    case 3:
        put(s, "capsule: {radius: %.17g, length: %.17g}", 0.6 * a, 1.2 * b);
        break;
    case 4:
        put(s, "cylinder: {radius: %.17g, length: %.17g}", a, 1.5 * b);
        break;
    case 5:
        put(s, "ellipsoid: {radii: [%.17g, %.17g, %.17g]}", a, 1.3 * b, c);
        break;
    case 6:
        put(s, "superellipsoid: {radii: [%.17g, %.17g, %.17g], e1: %.3g, e2: %.3g}", a, b, c,
            between(s, 0.4, 1), between(s, 0.4, 1));
        break;
    case 7:
        put(s, "convex: {points: [");
        put_hull(s, r, 6 + one_of(s, 10));
        put(s, "]}");
        break;
    default:
        put(s,
            "union: {parts: [{sphere: {radius: %.17g, position: [%.17g, 0, 0]}}, "
            "{box: {size: [%.17g, %.17g, %.17g]}}]}",
            0.4 * r, 0.5 * r, a, b, c);
    }
}

static inline void put_shape(random_scene *s, double r)
{
    put(s, ", shape: {");
    if (s->dimension == 2) {
        put_shape_2d(s, r);
    } else {
        put_shape_3d(s, r);
    }
    put(s, "}");
}

static inline void put_turn(random_scene *s)
{
    if (s->dimension == 2) {
        put(s, ", angle: %.17g", between(s, -3.14, 3.14));
        return;
    }
    put(s, ", quat_wxyz: [%.17g, %.17g, %.17g, %.17g]", between(s, 0.05, 1), between(s, -1, 1),
        between(s, -1, 1), between(s, -1, 1));
}

/* A point: in the plane x and up, in space x, y and up. */
static inline void put_point(random_scene *s, const char *key, double x, double y, double up)
{
    if (s->dimension == 2) {
        put(s, ", %s: [%.17g, %.17g]", key, x, up);
    } else {
        put(s, ", %s: [%.17g, %.17g, %.17g]", key, x, y, up);
    }
}

/* ---- surroundings ---- */

static inline void put_plane(random_scene *s, const char *name, double nx, double ny, double up,
                             double offset)
{
    put(s, "  - {name: %s, type: static, shape: {%s: {offset: %.17g", name,
        s->dimension == 2 ? "halfplane" : "plane", offset);
    put_point(s, "normal", nx, ny, up);
    put(s, "}}}\n");
}

static inline void put_floor(random_scene *s)
{
    put_plane(s, "floor", 0, 0, 1, 0);
}

static inline void put_walls(random_scene *s, double half)
{
    put_floor(s);
    put_plane(s, "left", 1, 0, 0, -half);
    put_plane(s, "right", -1, 0, 0, -half);
    if (s->dimension == 3) {
        put_plane(s, "front", 0, 1, 0, -half);
        put_plane(s, "back", 0, -1, 0, -half);
    }
}

/* ---- the five kinds ---- */

/* Bodies in layers above each other, none touching another at the start. */
static inline void put_bodies(random_scene *s, int count, double half, double bottom, double speed)
{
    double r = s->size, pitch = 2.05 * r;
    int across = (int)(2 * half / pitch), per_layer = s->dimension == 2 ? across : across * across;
    for (int i = 0; i < count; i++) {
        int    layer = i / per_layer, k = i % per_layer;
        double x = -half + pitch * (0.5 + k % across), y = -half + pitch * (0.5 + k / across);
        put(s, "  - {name: b%d, type: dynamic", i);
        put_shape(s, r * between(s, 0.5, 1));
        put_point(s, "position", x, s->dimension == 3 ? y : 0, bottom + pitch * (0.5 + layer));
        put_turn(s);
        put_point(s, "velocity", speed * between(s, -1, 1), speed * between(s, -1, 1),
                  speed * between(s, -1, 0.2));
        if (s->inertia[0] == 'd' &&
            s->inertia[1] == 'a') { /* the medium: falls by its size in 0.1 s */
            double c = 1000 * 9.81 * pow(r, s->dimension - 1.0) * 0.1;
            put(s, ", damping: [%.17g, %.17g]", c, c * r * r);
        }
        put(s, "}\n");
    }
}

static inline void put_pile(random_scene *s)
{
    double half = s->size * (s->dimension == 2 ? 4.2 : 2.1 + 2.1 * one_of(s, 2));
    put_walls(s, half);
    put_bodies(s, 3 + one_of(s, s->dimension == 2 ? 12 : 9), half, 0,
               sqrt(9.81 * s->size) * between(s, 0, 1));
}

/* A chain from the ceiling, at a slant, perhaps with a load. */
static inline void put_chain(random_scene *s)
{
    int    links = 3 + one_of(s, 10);
    double l = s->size, slant = between(s, -1.4, 1.4), dx = l * sin(slant), dz = -l * cos(slant);
    double load = one_of(s, 2) == 0 ? 1 : spread(s, 2, 100);
    for (int i = 0; i < links; i++) {
        put(s, "  - {name: l%d, type: dynamic, mass: %.17g", i, i == links - 1 ? load : 1.0);
        put_point(s, "position", (i + 0.5) * dx, 0, (i + 0.5) * dz);
        if (s->dimension == 2) {
            put(s, ", angle: %.17g, shape: {box: {size: [%.17g, %.17g]}}}\n", slant, 0.2 * l,
                0.9 * l);
        } else {
            put(s, ", quat_wxyz: [%.17g, 0, %.17g, 0]", cos(-slant / 2), sin(-slant / 2));
            put(s, ", shape: {capsule: {radius: %.17g, length: %.17g}}}\n", 0.1 * l, 0.7 * l);
        }
    }
    put(s, "joints:\n");
    for (int i = 0; i < links; i++) {
        const char *type = s->dimension == 3 && one_of(s, 2) == 0 ? "spherical" : "revolute";
        put(s, "  - {name: j%d, type: %s, bodies: [", i, type);
        if (i == 0) {
            put(s, "world, l0]");
        } else {
            put(s, "l%d, l%d]", i - 1, i);
        }
        put_point(s, "anchor", i * dx, 0, i * dz);
        if (s->dimension == 3 && type[0] == 'r') {
            put(s, ", axis: [%s]", one_of(s, 2) == 0 ? "0, 1, 0" : "1, 0, 0");
        }
        put(s, "}\n");
    }
}

/* Something round that rolls, slides or spins on a plane or on a plate. */
static inline void put_wheel(random_scene *s)
{
    double r = s->size / 2, speed = sqrt(9.81 * r) * spread(s, 0.1, 10);
    double spin = one_of(s, 3) == 0 ? 0 : speed / r * (one_of(s, 2) == 0 ? 1 : between(s, -2, 2));
    if (one_of(s, 2) == 0) {
        put_floor(s);
    } else if (s->dimension == 2) {
        put(s,
            "  - {name: floor, type: static, position: [0, %.17g], shape: {box: {size: [%.17g, "
            "%.17g]}}}\n",
            -r, 4000 * r, 2 * r);
    } else {
        put(s,
            "  - {name: floor, type: static, position: [0, 0, %.17g], shape: {box: {size: "
            "[%.17g, %.17g, %.17g]}}}\n",
            -r, 4000 * r, 4000 * r, 2 * r);
    }
    put(s, "  - {name: wheel, type: dynamic");
    if (s->dimension == 2) {
        put(s, ", shape: {disc: {radius: %.17g}}, angular_velocity: %.17g", r, -spin);
    } else {
        int kind = one_of(s, 4);
        put(s,
            kind == 0   ? ", shape: {sphere: {radius: %.17g}}"
            : kind == 1 ? ", shape: {cylinder: {radius: %.17g, length: %.17g}}"
            : kind == 2 ? ", shape: {capsule: {radius: %.17g, length: %.17g}}"
                        : ", shape: {ellipsoid: {radii: [%.17g, %.17g, %.17g]}}",
            r, between(s, 0.2, 3) * r, r);
        double lean = kind == 1 && one_of(s, 2) == 0 ? 0.1 : 0; /* a coin, or a wheel */
        put(s, ", quat_wxyz: [%.17g, %.17g, 0, 0], angular_velocity: [0, %.17g, 0]",
            cos(0.785398163397448 + lean / 2), sin(0.785398163397448 + lean / 2), spin);
        if (kind == 3) {
            r *= 3; /* the axis that is up may be the longest */
        }
    }
    put_point(s, "position", 0, 0, r * (s->dimension == 3 ? 1.2 : 1));
    put_point(s, "velocity", speed, 0, 0);
    put(s, "}\n");
}

typedef struct limb {
    const char *name, *parent;
    double      x, z, half, thick; /* centre and half length, along z; in sizes */
    double      joint_z;
} limb;

/* A body with a head, arms and legs falls on the floor. */
static inline void put_ragdoll(random_scene *s)
{
    static const limb limbs[] = {{"torso", NULL, 0, 0, 0.5, 0.4, 0},
                                 {"head", "torso", 0, 0.8, 0.25, 0.3, 0.55},
                                 {"arm_l", "torso", -0.6, 0.1, 0.35, 0.1, 0.5},
                                 {"arm_r", "torso", 0.6, 0.1, 0.35, 0.1, 0.5},
                                 {"leg_l", "torso", -0.25, -1.1, 0.5, 0.15, -0.55},
                                 {"leg_r", "torso", 0.25, -1.1, 0.5, 0.15, -0.55},
                                 {"shin_l", "leg_l", -0.25, -2.2, 0.5, 0.12, -1.65},
                                 {"shin_r", "leg_r", 0.25, -2.2, 0.5, 0.12, -1.65}};
    enum { LIMBS = sizeof limbs / sizeof limbs[0] };
    double l = s->size, lift = 3.2 * l, push = between(s, -1, 1) * sqrt(9.81 * l);
    put_floor(s);
    for (int i = 0; i < LIMBS; i++) {
        const limb *b = &limbs[i];
        put(s, "  - {name: %s, type: dynamic, group: 1", b->name);
        put_point(s, "position", l * b->x, 0, lift + l * b->z);
        put_point(s, "velocity", push, 0.3 * push, 0);
        if (s->dimension == 2) {
            put(s, ", shape: {box: {size: [%.17g, %.17g]}}}\n", 2 * l * b->thick, 2 * l * b->half);
        } else if (i == 0 || one_of(s, 3) == 0) {
            put(s, ", shape: {box: {size: [%.17g, %.17g, %.17g]}}}\n", 2 * l * b->thick,
                l * b->thick, 2 * l * b->half);
        } else {
            put(s, ", shape: {capsule: {radius: %.17g, length: %.17g}}}\n", l * b->thick,
                2 * l * fmax(b->half - b->thick, 0.01));
        }
    }
    put(s, "joints:\n");
    double friction = one_of(s, 2) == 0 ? 0 : 0.01 * 1000 * 9.81 * pow(l, s->dimension + 1.0);
    for (int i = 1; i < LIMBS; i++) {
        const limb *b    = &limbs[i];
        bool        ball = s->dimension == 3 && one_of(s, 2) == 0;
        put(s, "  - {name: j%d, type: %s, bodies: [%s, %s]", i, ball ? "spherical" : "revolute",
            b->parent, b->name);
        put_point(s, "anchor", l * b->x, 0, lift + l * b->joint_z);
        if (s->dimension == 3 && !ball) {
            put(s, ", axis: [0, 1, 0]");
        }
        if (friction > 0) {
            put(s, ", friction: %.17g", friction);
        }
        put(s, "}\n");
    }
}

/* Parts on a plate that shakes, or pushed along by a wall. */
static inline void put_feeder(random_scene *s)
{
    double r = s->size, half = 4.2 * r, f = spread(s, 2, 30);
    bool   shakes = s->inertia[0] == 'd' && s->inertia[1] == 'y' && one_of(s, 2) == 0;
    put_plane(s, "left", 1, 0, 0, -1.5 * half);
    put_plane(s, "right", -1, 0, 0, -1.5 * half);
    if (s->dimension == 3) {
        put_plane(s, "front", 0, 1, 0, -1.5 * half);
        put_plane(s, "back", 0, -1, 0, -1.5 * half);
    }
    put(s, "  - {name: plate, type: %s, shape: {%s: {size: [%.17g, %s%.17g]}}",
        shakes ? "kinematic" : "static", "box", 4 * half, s->dimension == 3 ? "20, " : "", r);
    put_point(s, "position", 0, 0, -r / 2);
    if (shakes) {
        double amplitude = between(s, 0.2, 2) * 9.81 / pow(6.2831853 * f, 2);
        put(s, ", motion: {x: \"%.17g*sin(%.17g*t)\", %s: \"%.17g + %.17g*sin(%.17g*t)\"}",
            amplitude, 6.2831853 * f, s->dimension == 2 ? "y" : "z", -r / 2, 0.5 * amplitude,
            6.2831853 * f);
    }
    put(s, "}\n");
    if (!shakes) {
        put(s, "  - {name: pusher, type: kinematic, shape: {box: {size: [%.17g, %s%.17g]}}",
            0.2 * r, s->dimension == 3 ? "20, " : "", 2 * r);
        put_point(s, "position", -1.3 * half, 0, 1.1 * r);
        put(s, ", motion: {x: \"%.17g + %.17g*t\"}}\n", -1.3 * half,
            0.5 * r / (s->step * s->steps));
    }
    s->driven = true;
    put_bodies(s, 1 + one_of(s, 6), half, s->inertia[0] == 'q' ? 0 : 0.02 * r, 0);
}

static inline void choose(random_scene *s)
{
    static const double friction[] = {0, 0.5, 1};
    s->kind                        = (scene_kind)one_of(s, KIND_COUNT);
    s->dimension                   = 2 + one_of(s, 2);
    s->size                        = spread(s, 1e-3, 1);
    s->step                        = spread(s, 1e-3, 1e-2);
    s->mu                          = friction[one_of(s, 3)];
    s->restitution                 = one_of(s, 2) == 0 ? 0 : between(s, 0, 0.8);
    s->steps                       = 120;
    s->inertia                     = "dynamic";
    s->driven                      = false;
    int other                      = one_of(s, 6);
    if (s->kind == FEEDER && other < 2) {
        s->inertia     = other == 0 ? "quasistatic" : "damped";
        s->restitution = 0;
    }
}

static inline void make_scene(random_scene *s, uint64_t number)
{
    s->seed   = 0x5EED0000u + number;
    s->length = 0;
    choose(s);
    bool poisson = s->restitution > 0 && one_of(s, 2) == 0;
    put(s, "name: random %s %llu\ndimension: %d\n", kind_name[s->kind], (unsigned long long)number,
        s->dimension);
    put(s, "materials: {default: {friction: %g, restitution: %.3g%s}}\nbodies:\n", s->mu,
        s->restitution, poisson ? ", impact: poisson" : "");
    switch (s->kind) {
    case PILE:
        put_pile(s);
        break;
    case CHAIN:
        put_chain(s);
        break;
    case WHEEL:
        put_wheel(s);
        break;
    case RAGDOLL:
        put_ragdoll(s);
        break;
    case FEEDER:
    case KIND_COUNT:
        put_feeder(s);
    }
    put(s, "simulation: {step: %.17g, duration: %.17g, model: {inertia: %s}}\n", s->step,
        s->step * s->steps, s->inertia);
}

#endif
