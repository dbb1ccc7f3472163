/* SPDX-License-Identifier: Apache-2.0 */
/*
 * More random scenes as text, each a pure function of its number: the shapes that random_scene.h
 * has not (meshes, intersections, formulas, sets of points) beside those that it has, in piles
 * whose wall is driven, in chains and in feeders, under all values of the inertia axis alike.
 * Bodies without momentum lie on the floor at the start, since nothing would hold them elsewhere.
 */
#ifndef SS_TEST_WIDE_SCENE_H
#define SS_TEST_WIDE_SCENE_H

#include "property/random_scene.h"

typedef enum wide_kind { DRIVEN_PILE, HELD_CHAIN, WIDE_FEEDER, WIDE_COUNT } wide_kind;

static const char *const wide_name[WIDE_COUNT] = {"driven pile", "chain", "wide feeder"};

/* ---- shapes: each fits in a ball of radius r, and reaches down by what is given ---- */

/* Points have no volume: their mass and inertia are those of the box around them. */
static inline void put_mass(random_scene *s, double a, double b, double c)
{
    if (s->dimension == 2) {
        double m = 1000 * 4 * a * b;
        put(s, ", mass: %.17g, com: [0, 0], inertia: %.17g", m, m * (a * a + b * b) / 3);
    } else {
        double m = 1000 * 8 * a * b * c;
        put(s, ", mass: %.17g, com: [0, 0, 0], inertia: [%.17g, %.17g, %.17g]", m,
            m * (b * b + c * c) / 3, m * (a * a + c * c) / 3, m * (a * a + b * b) / 3);
    }
}

static inline double put_wide_2d(random_scene *s, double r)
{
    double a = r * between(s, 0.4, 0.7), b = r * between(s, 0.4, 0.7);
    int    p = 2 + 2 * one_of(s, 3);
    switch (one_of(s, 6)) {
    case 0:
        put(s, ", shape: {disc: {radius: %.17g}}", b);
        break;
    case 1:
        put(s, ", shape: {box: {size: [%.17g, %.17g]}}", 2 * a, 2 * b);
        break;
    case 2:
        put(s, ", shape: {superellipse: {radii: [%.17g, %.17g], e: %.3g}}", a, b,
            between(s, 0.3, 1.2));
        break;
    case 3:
        put(s,
            ", shape: {implicit: {f: \"(x/%.17g)^%d + (y/%.17g)^%d - 1\", bounds: [[%.17g, "
            "%.17g], [%.17g, %.17g]]}}",
            a, p, b, p, -1.1 * a, -1.1 * b, 1.1 * a, 1.1 * b);
        break;
    case 4: /* a box with its corners cut off */
        put(s,
            ", shape: {intersection: {parts: [{box: {size: [%.17g, %.17g]}}, {disc: {radius: "
            "%.17g}}]}}",
            2 * a, 2 * b, 0.5 * (fmax(a, b) + hypot(a, b)));
        break;
    default:
        put_mass(s, a, b, 0);
        put(s, ", shape: {points: {points: [[%.17g, %.17g], [%.17g, %.17g], [0, %.17g]]}}", -a, -b,
            a, -b, b);
    }
    return b;
}

static inline double put_wide_3d(random_scene *s, double r)
{
    double a = r * between(s, 0.35, 0.57), b = r * between(s, 0.35, 0.57);
    double c = r * between(s, 0.35, 0.57), scale = r / 0.08;
    int    p = 2 + 2 * one_of(s, 3);
    switch (one_of(s, 8)) {
    case 0:
        put(s, ", shape: {sphere: {radius: %.17g}}", c);
        break;
    case 1:
        put(s, ", shape: {box: {size: [%.17g, %.17g, %.17g]}}", 2 * a, 2 * b, 2 * c);
        break;
    case 2:
        put(s, ", shape: {cylinder: {radius: %.17g, length: %.17g}}", a, 2 * c);
        break;
    case 3:
        put(s, ", shape: {superellipsoid: {radii: [%.17g, %.17g, %.17g], e1: %.3g, e2: %.3g}}", a,
            b, c, between(s, 0.4, 1), between(s, 0.4, 1));
        break;
    case 4:
        put(s,
            ", shape: {implicit: {f: \"(x/%.17g)^%d + (y/%.17g)^%d + (z/%.17g)^%d - 1\", bounds: "
            "[[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]}}",
            a, p, b, p, c, p, -1.1 * a, -1.1 * b, -1.1 * c, 1.1 * a, 1.1 * b, 1.1 * c);
        break;
    case 5: /* a shaft with its rims cut off */
        put(s,
            ", shape: {intersection: {parts: [{cylinder: {radius: %.17g, length: %.17g}}, "
            "{sphere: {radius: %.17g}}]}}",
            a, 2 * c, 0.5 * (fmax(a, c) + hypot(a, c)));
        break;
    case 6: /* an angle bracket, not convex: 0.06 wide, 0.02 thick */
        put(s, ", shape: {mesh: {file: %s/bracket.obj, scale: %.17g}}", SS_MESHES, scale);
        return 0.01 * scale;
    default:
        put_mass(s, a, b, c);
        put(s,
            ", shape: {points: {points: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g], [0, %.17g, "
            "%.17g], [0, 0, %.17g]]}}",
            -a, -b, -c, a, -b, -c, b, -c, c);
    }
    return c;
}

/* ---- the three kinds ---- */

static inline bool is_inertia(const random_scene *s, const char *value)
{
    return strcmp(s->inertia, value) == 0;
}

/* The medium: bodies fall by their size in 0.1 s. */
static inline void put_medium(random_scene *s)
{
    double r = s->size, c = 1000 * 9.81 * pow(r, s->dimension - 1.0) * 0.1;
    if (is_inertia(s, "damped")) {
        put(s, ", damping: [%.17g, %.17g]", c, c * r * r);
    }
}

/* In layers above each other, or lying in one on the floor; the k-th in place k. */
static inline void put_wide_bodies(random_scene *s, int count, double half)
{
    double r = s->size, pitch = 2.05 * r;
    bool   lies   = is_inertia(s, "quasistatic");
    int    across = (int)(2 * half / pitch);
    int    layer  = s->dimension == 2 ? across : across * across;
    for (int i = 0; i < count && (!lies || i < layer); i++) {
        int    k = i % layer;
        double x = -half + pitch * (0.5 + k % across), y = -half + pitch * (0.5 + k / across);
        double q = r * between(s, 0.5, 1);
        put(s, "  - {name: b%d, type: dynamic", i);
        double down = s->dimension == 2 ? put_wide_2d(s, q) : put_wide_3d(s, q);
        double up   = lies ? down : pitch * (0.5 + i / layer);
        put_point(s, "position", x, s->dimension == 3 ? y : 0, up);
        if (!lies) {
            put_turn(s);
        }
        put_medium(s);
        put(s, "}\n");
    }
}

/* A wall that goes in by less than a body's size, from the left. */
static inline void put_driven_wall(random_scene *s, double half)
{
    double r = s->size, way = between(s, 0.1, 0.8) * r;
    put(s, "  - {name: ram, type: kinematic, shape: {box: {size: [%.17g, %s%.17g]}}", 0.4 * r,
        s->dimension == 3 ? "20, " : "", 40 * r);
    put_point(s, "position", -half - 0.2 * r, 0, 20.5 * r);
    put(s, ", motion: {x: \"%.17g + %.17g*t\"}}\n", -half - 0.2 * r, way / (s->step * s->steps));
    s->driven = true;
}

static inline void put_driven_pile(random_scene *s)
{
    double half = s->size * (s->dimension == 2 ? 4.2 : 2.1 + 2.1 * one_of(s, 2));
    put_floor(s);
    put_plane(s, "right", -1, 0, 0, -3 * half); /* parts go where they are pushed */
    if (s->dimension == 3) {
        put_plane(s, "front", 0, 1, 0, -half);
        put_plane(s, "back", 0, -1, 0, -half);
    }
    put_driven_wall(s, half);
    put_wide_bodies(s, 3 + one_of(s, 6), half);
}

/* Parts on a plate that carries them to and fro. */
static inline void put_wide_feeder(random_scene *s)
{
    double r = s->size, half = 4.2 * r, w = 6.2831853 / (s->step * s->steps);
    put(s, "  - {name: plate, type: kinematic, shape: {box: {size: [%.17g, %s%.17g]}}", 8 * half,
        s->dimension == 3 ? "20, " : "", r);
    put_point(s, "position", 0, 0, -r / 2);
    put(s, ", motion: {x: \"%.17g*sin(%.17g*t)\"}}\n", between(s, 0.1, 1) * r, w);
    s->driven = true;
    put_wide_bodies(s, 1 + one_of(s, 6), half);
}

/* Links from the ceiling; friction of the joints holds them, or does not, or they hang straight. */
static inline void put_held_chain(random_scene *s)
{
    int    links = 2 + one_of(s, 5), held = one_of(s, 3);
    double l = s->size, slant = held == 0 ? 0 : between(s, -1.4, 1.4);
    double dx = l * sin(slant), dz = -l * cos(slant);
    double mass = 180 * pow(l, s->dimension), moment = mass * 9.81 * l; /* as heavy as water */
    double friction = held == 1 ? links * links * moment : held == 2 ? 0.01 * moment : 0;
    for (int i = 0; i < links; i++) {
        put(s, "  - {name: l%d, type: dynamic, mass: %.17g", i, mass);
        put_point(s, "position", (i + 0.5) * dx, 0, (i + 0.5) * dz);
        if (s->dimension == 2) {
            put(s, ", angle: %.17g, shape: {box: {size: [%.17g, %.17g]}}", slant, 0.2 * l, 0.9 * l);
        } else {
            put(s, ", quat_wxyz: [%.17g, 0, %.17g, 0]", cos(-slant / 2), sin(-slant / 2));
            put(s, ", shape: {capsule: {radius: %.17g, length: %.17g}}", 0.1 * l, 0.7 * l);
        }
        put_medium(s);
        put(s, "}\n");
    }
    put(s, "joints:\n");
    for (int i = 0; i < links; i++) {
        put(s, "  - {name: j%d, type: revolute, bodies: [", i);
        if (i == 0) {
            put(s, "world, l0]");
        } else {
            put(s, "l%d, l%d]", i - 1, i);
        }
        put_point(s, "anchor", i * dx, 0, i * dz);
        put(s, "%s, friction: %.17g}\n", s->dimension == 3 ? ", axis: [0, 1, 0]" : "", friction);
    }
}

static inline void make_wide(random_scene *s, uint64_t number, int *kind)
{
    static const double      friction[] = {0, 0.5, 1};
    static const char *const inertia[]  = {"dynamic", "quasistatic", "damped"};
    s->seed                             = 0x1DE00000u + number;
    s->length                           = 0;
    *kind                               = one_of(s, WIDE_COUNT);
    s->dimension                        = 2 + one_of(s, 2);
    s->size                             = spread(s, 1e-3, 1);
    s->step                             = spread(s, 1e-3, 1e-2);
    s->mu                               = friction[one_of(s, 3)];
    s->inertia                          = inertia[one_of(s, 3)];
    s->restitution = is_inertia(s, "dynamic") && one_of(s, 2) == 0 ? between(s, 0, 0.8) : 0;
    s->steps       = 60;
    s->driven      = false;
    put(s, "name: random %s %llu\ndimension: %d\n", wide_name[*kind], (unsigned long long)number,
        s->dimension);
    put(s, "materials: {default: {friction: %g, restitution: %.3g}}\nbodies:\n", s->mu,
        s->restitution);
    switch (*kind) {
    case DRIVEN_PILE:
        put_driven_pile(s);
        break;
    case HELD_CHAIN:
        put_held_chain(s);
        break;
    default:
        put_wide_feeder(s);
    }
    put(s, "simulation: {step: %.17g, duration: %.17g, model: {inertia: %s}}\n", s->step,
        s->step * s->steps, s->inertia);
}

#endif
