/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random scenes in which everything meets everything: piles with joints of all kinds, limits,
 * motors and springs in them, belts and driven bodies, contacts that give, schemes as printed,
 * plates on supports, and clouds in which nothing is fixed, so that momentum must stay what it is.
 * Like those of random_scene.h each is a pure function of its number.
 */
#ifndef SS_TEST_MIXED_SCENE_H
#define SS_TEST_MIXED_SCENE_H

#include "property/random_scene.h"

typedef struct mixed {
    random_scene *s;
    int           count;                     /* bodies that move */
    double        place[32][3], density[32]; /* their places      */
    double        weight;                    /* of a typical one  */
    bool          convex;                    /* .. shapes alone   */
    double        motor;                     /* of the bar, rad/s */
    bool          free;                      /* nothing is fixed: a cloud */
    bool          forced;                    /* something moves that nothing can hold   */
} mixed;

static inline bool chance(random_scene *s, int of)
{
    return one_of(s, of) == 0;
}

static inline void put_convex_shape(random_scene *s, double r)
{
    double a = r * between(s, 0.4, 0.57), b = r * between(s, 0.4, 0.57), c = 0.5 * r;
    int    kind = one_of(s, 3);
    put(s, ", shape: {");
    if (s->dimension == 2 && kind == 0) {
        put(s, "disc: {radius: %.17g}", between(s, 0.5, 1) * r);
    } else if (s->dimension == 2) {
        put(s, "superellipse: {radii: [%.17g, %.17g], e: %.3g}", a, b, between(s, 0.5, 1));
    } else if (kind == 0) {
        put(s, "sphere: {radius: %.17g}", between(s, 0.5, 1) * r);
    } else if (kind == 1) {
        put(s, "capsule: {radius: %.17g, length: %.17g}", 0.6 * a, 1.2 * b);
    } else {
        put(s, "ellipsoid: {radii: [%.17g, %.17g, %.17g]}", a, b, c);
    }
    put(s, "}");
}

static inline void put_mixed_body(mixed *x, int i, double speed)
{
    random_scene *s = x->s;
    put(s, "  - {name: b%d, type: dynamic, density: %.17g", i, x->density[i]);
    if (x->convex) {
        put_convex_shape(s, s->size * between(s, 0.5, 1));
    } else {
        put_shape(s, s->size * between(s, 0.5, 1));
    }
    put_point(s, "position", x->place[i][0], x->place[i][1], x->place[i][2]);
    put_turn(s);
    put_point(s, "velocity", speed * between(s, -1, 1), speed * between(s, -1, 1),
              speed * between(s, -1, 0.2));
    double w = speed / s->size;
    if (s->dimension == 2) {
        put(s, ", angular_velocity: %.17g", w * between(s, -1, 1));
    } else {
        put(s, ", angular_velocity: [%.17g, %.17g, %.17g]", w * between(s, -1, 1),
            w * between(s, -1, 1), w * between(s, -1, 1));
    }
    put(s, "}\n");
}

static inline void place_bodies(mixed *x, int count, double half, double bottom)
{
    random_scene *s     = x->s;
    double        pitch = 2.05 * s->size;
    int  across = (int)(2 * half / pitch), layer = s->dimension == 2 ? across : across * across;
    bool uneven = chance(s, 3);
    x->count    = count;
    for (int i = 0; i < count; i++) {
        int k          = i % layer;
        x->place[i][0] = -half + pitch * (0.5 + k % across);
        x->place[i][1] = s->dimension == 3 ? -half + pitch * (0.5 + k / across) : 0;
        x->place[i][2] = bottom + pitch * (0.5 + i / layer);
        x->density[i]  = uneven ? spread(s, 50, 20000) : 1000;
    }
    x->weight = 1000 * 9.81 * pow(s->size, s->dimension);
}

/* ---- joints ---- */

static inline void put_coordinate(mixed *x, bool turns, bool one)
{
    random_scene *s    = x->s;
    double        unit = turns ? s->size : 1, length = turns ? 1 : s->size;
    if (!one) {
        return; /* of several coordinates: plain */
    }
    if (chance(s, 3)) {
        put(s, ", limits: [%.17g, %.17g]", -length * spread(s, 0.01, 1),
            length * spread(s, 0.01, 1));
    }
    if (chance(s, 3)) {
        put(s, ", friction: %.17g", x->weight * unit * spread(s, 0.01, 10));
    }
    if (chance(s, 4)) {
        put(s, ", stiffness: %.17g", x->weight * unit / length * spread(s, 1, 1e4));
    }
    if (chance(s, 4)) {
        put(s, ", damping: %.17g", x->weight * unit / length * spread(s, 1e-3, 10));
    }
    if (chance(s, 6)) {
        double rate = length * between(s, -10, 10);
        put(s, ", motor: {velocity: %.17g, max: %.17g}", rate,
            x->weight * unit * spread(s, 0.1, 10));
        s->driven = true;
    }
}

static inline void put_joint(mixed *x, int number, int a, int b)
{
    /* In the plane the first four. */
    static const char *const type[] = {"revolute",  "prismatic", "fixed",  "distance",
                                       "spherical", "universal", "planar", "cylindrical"};
    random_scene            *s      = x->s;
    int                      kind   = one_of(s, s->dimension == 2 ? 4 : 8);
    const double            *p = x->place[b], *q = a < 0 ? p : x->place[a];
    put(s, "  - {name: j%d, type: %s", number, type[kind]);
    if (a < 0) {
        put(s, ", bodies: [world, b%d]", b);
    } else {
        put(s, ", bodies: [b%d, b%d]", a, b);
    }
    if (kind == 3) {
        put_point(s, "anchor", q[0], q[1], q[2] + (a < 0 ? s->size : 0));
        put_point(s, "anchor_b", p[0], p[1], p[2]);
    } else {
        put_point(s, "anchor", 0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + q[2]));
    }
    if (kind == 1 || (s->dimension == 3 && kind != 2 && kind != 3 && kind != 4)) {
        put_point(s, "axis", between(s, -1, 1), between(s, -1, 1), between(s, 0.1, 1));
    }
    put_coordinate(x, kind == 0, kind < 2);
    if (chance(s, 4)) {
        put(s, ", collide: true");
    }
    put(s, "}\n");
}

/* Some neighbours are joined; perhaps something hangs from the world. */
static inline void put_joints(mixed *x, bool world)
{
    random_scene *s    = x->s;
    int           many = one_of(s, 4), made = 0; /* none, few, .. */
    if (x->motor != 0) {
        put(s,
            "joints:\n  - {name: drive, type: revolute, bodies: [world, bar], motor: {velocity: "
            "%.17g, "
            "max: %.17g}%s}\n",
            x->motor, 30 * x->weight * s->size, s->dimension == 3 ? ", axis: [0, 1, 0]" : "");
        made = 1;
    }
    for (int i = 0; many > 0 && i + 1 < x->count; i++) {
        double dx = x->place[i + 1][2] - x->place[i][2];
        if (one_of(s, 4) < many && fabs(dx) < s->size) {
            put(s, "%s", made == 0 ? "joints:\n" : "");
            put_joint(x, made++, i, i + 1);
        }
    }
    if (world && chance(s, 4)) {
        put(s, "%s", made == 0 ? "joints:\n" : "");
        put_joint(x, made++, -1, one_of(s, x->count));
    }
}

static inline void put_forces(mixed *x)
{
    random_scene *s = x->s;
    int           n = one_of(s, 3) == 0 ? 1 + one_of(s, 4) : 0;
    put(s, "%s", n > 0 ? "forces:\n" : "");
    for (int i = 0; i < n; i++) {
        int    a = one_of(s, x->count), b = (a + 1 + one_of(s, x->count - 1)) % x->count;
        double k      = x->weight / s->size * spread(s, 1, 1e4);
        bool   spring = one_of(s, 3) > 0;
        put(s, "  - {type: %s, bodies: [b%d, b%d]", spring ? "spring" : "damper", a, b);
        put(s, ", damping: %.17g", chance(s, 2) ? 0 : k * spread(s, 1e-3, 1));
        if (spring) {
            put(s, ", stiffness: %.17g", k);
        }
        if (x->free) {
            put(s, ", axial: true"); /* across, a damper turns what it joins */
        }
        put(s, "}\n");
    }
}

/* ---- what moves by itself ---- */

static inline void put_size(random_scene *s, double x, double y, double z)
{
    if (s->dimension == 2) {
        put(s, "{size: [%.17g, %.17g]}", x, z);
    } else {
        put(s, "{size: [%.17g, %.17g, %.17g]}", x, y, z);
    }
}

static inline void put_driver(mixed *x, double half)
{
    random_scene *s = x->s;
    double        r = s->size, f = spread(s, 0.5, 20) * sqrt(9.81 / r) / 6.2831853;
    s->driven = true;
    switch (one_of(s, 3)) {
    case 0: /* a belt below all */
        put(s, "  - {name: belt, type: static, shape: {%s: {offset: 0",
            s->dimension == 2 ? "halfplane" : "plane");
        put_point(s, "normal", 0, 0, 1);
        put(s, "}}");
        put_point(s, "surface_velocity", sqrt(9.81 * r) * between(s, -2, 2), 0, 0);
        put(s, "}\n");
        break;
    case 1: /* a plate that shakes */
        x->forced = true;
        put(s, "  - {name: plate, type: kinematic, shape: {box: ");
        put_size(s, 8 * half, 8 * half, 2 * r);
        put(s, "}");
        put_point(s, "position", 0, 0, -r);
        double amplitude = between(s, 0.2, 3) * 9.81 / pow(6.2831853 * f, 2);
        put(s, ", motion: {x: \"%.17g*sin(%.17g*t)\", %s: \"%.17g + %.17g*sin(%.17g*t)\"}}\n",
            amplitude, 6.2831853 * f, s->dimension == 2 ? "y" : "z", -r, 0.5 * amplitude,
            6.2831853 * f);
        break;
    default: /* a bar that a motor turns in the middle */
        put_floor(s);
        put(s, "  - {name: bar, type: dynamic, shape: {box: ");
        put_size(s, 3 * r, 0.6 * r, 0.3 * r);
        put(s, "}");
        put_point(s, "position", 0, 0, 2.2 * r);
        put(s, "}\n");
        x->motor = f * between(s, -6, 6);
    }
}

static inline void put_mixed_pile(mixed *x)
{
    random_scene *s    = x->s;
    double        half = s->size * (s->dimension == 2 ? 4.2 : 3.1), r = s->size;
    double        bottom = 0;
    put_plane(s, "left", 1, 0, 0, -half - 0.1 * r);
    put_plane(s, "right", -1, 0, 0, -half - 0.1 * r);
    if (s->dimension == 3) {
        put_plane(s, "front", 0, 1, 0, -half - 0.1 * r);
        put_plane(s, "back", 0, -1, 0, -half - 0.1 * r);
    }
    if (chance(s, 2)) {
        put_driver(x, half);
        bottom = 4 * r;
    } else {
        put_floor(s);
    }
    place_bodies(x, 5 + one_of(s, 16), half, bottom);
    double speed = sqrt(9.81 * r) * between(s, 0, 2);
    for (int i = 0; i < x->count; i++) {
        put_mixed_body(x, i, speed);
    }
    put_joints(x, !x->forced);
    put_forces(x);
}

/* Nothing is fixed and nothing pulls: linear and angular momentum stay what they are. */
static inline void put_cloud(mixed *x)
{
    random_scene *s = x->s;
    place_bodies(x, 5 + one_of(s, 16), s->size * (s->dimension == 2 ? 4.2 : 3.1), 0);
    double speed = sqrt(9.81 * s->size) * between(s, 0.5, 4);
    x->free      = true;
    for (int i = 0; i < x->count; i++) {
        put_mixed_body(x, i, speed);
    }
    put_joints(x, false);
    put_forces(x);
}

/* Plates on three legs, pushed along. */
static inline void put_plates(mixed *x)
{
    random_scene *s = x->s;
    double        r = s->size, half = 4.2 * r;
    place_bodies(x, 3 + one_of(s, 8), half, 0);
    put(s, "  - {name: pusher, type: kinematic, shape: {box: {size: [%.17g, %.17g]}}", 0.2 * r,
        3 * r);
    put_point(s, "position", -1.2 * half, 0, r);
    put(s, ", motion: {x: \"%.17g + %.17g*t\"}}\n", -1.2 * half,
        sqrt(9.81 * r) * between(s, 0.1, 2));
    s->driven    = true;
    double speed = sqrt(9.81 * r) * between(s, 0, 2);
    for (int i = 0; i < x->count; i++) {
        put_mixed_body(x, i, speed);
        s->length -= 2; /* }\n */
        put(s,
            ", support: {points: [[%.17g, 0], [%.17g, %.17g], [%.17g, %.17g]], friction: %.3g}}\n",
            0.4 * r, -0.3 * r, 0.4 * r, -0.3 * r, -0.4 * r, between(s, 0, 1));
    }
    put_joints(x, false);
    put_forces(x);
}

static inline const char *choose_model(mixed *x)
{
    static const char *const other[] = {
        "cone: {polygon: 8}", "joints: projected",
        "integrator: euler",  "geometry: implicit, integrator: euler",
        "contact: compliant", "corners: convex",
        "cone: {box: 4}",     "gap: velocity"};
    random_scene *s = x->s;
    int           k = one_of(s, 16);
    x->convex       = k == 3;
    s->restitution  = k == 3 ? 0 : s->restitution; /* it has no place there */
    return k < 8 ? other[k] : NULL;
}

static const char *const mixed_name[] = {"mixed pile", "cloud", "plates"};

static inline void make_mixed(random_scene *s, uint64_t number, int *which, const char **model)
{
    mixed x   = {.s = s};
    s->seed   = 0xC10D0000u + number;
    s->length = 0;
    choose(s);
    s->kind      = PILE;
    s->inertia   = "dynamic";
    s->steps     = 150;
    s->size      = spread(s, 3e-4, 10);
    *which       = one_of(s, 5);
    *which       = *which > 2 ? 0 : *which;
    s->dimension = *which == 2 ? 2 : s->dimension;
    s->step      = fmin(fmax(sqrt(s->size / 9.81) * spread(s, 0.005, 0.3), 1e-4), 0.05);
    *model       = choose_model(&x);
    put(s, "name: %s %llu\ndimension: %d\n", mixed_name[*which], (unsigned long long)number,
        s->dimension);
    if (*which > 0) {
        put(s, "gravity: %s\n", s->dimension == 2 ? "[0, 0]" : "[0, 0, 0]");
    }
    put(s, "materials: {default: {friction: %g, restitution: %.3g%s", s->mu, s->restitution,
        s->restitution > 0 && chance(s, 2) ? ", impact: poisson" : "");
    double k = 1000 * 9.81 * pow(s->size, s->dimension - 1) * spread(s, 30, 1e5);
    if (*model != NULL && strstr(*model, "compliant") != NULL) {
        put(s, ", compliance: {stiffness: %.17g, damping: %.17g}", k,
            chance(s, 2) ? 0 : k * sqrt(s->size / 9.81) * spread(s, 1e-3, 1));
    }
    put(s, "}}\nbodies:\n");
    if (*which == 0) {
        put_mixed_pile(&x);
    } else if (*which == 1) {
        put_cloud(&x);
    } else {
        put_plates(&x);
    }
    put(s, "simulation: {step: %.17g, duration: %.17g", s->step, s->step * s->steps);
    if (*model != NULL) {
        put(s, ", model: {%s}", *model);
    }
    put(s, "}\n");
}

#endif
