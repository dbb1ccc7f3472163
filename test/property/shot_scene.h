/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random scenes of what flies at a thin plate, each a pure function of its number: particles, sets
 * of points, other plates and parts of all shapes, some of them by many times their size in a step,
 * at a plate that spins about its own normal (in the plane: turns), driven or heavy and free. None
 * may come out on its other side. The plate is body 0, at the origin, its normal z (in the plane
 * y) at the start.
 */
#ifndef SS_TEST_SHOT_SCENE_H
#define SS_TEST_SHOT_SCENE_H

#include "property/wide_scene.h"

/* Half the length of the plate, in sizes of a body. */
static const double PLATE = 6;

static inline void put_plate_shape(random_scene *s, double half, double thick)
{
    int kind = one_of(s, s->dimension == 2 ? 2 : 3);
    if (s->dimension == 2 && kind == 0) {
        put(s, ", shape: {box: {size: [%.17g, %.17g]}}", 2 * half, thick);
    } else if (s->dimension == 2) {
        put(s, ", shape: {superellipse: {radii: [%.17g, %.17g], e: 1}}", half, thick / 2);
    } else if (kind == 0) {
        put(s, ", shape: {box: {size: [%.17g, %.17g, %.17g]}}", 2 * half, 2 * half, thick);
    } else if (kind == 1) {
        put(s, ", shape: {cylinder: {radius: %.17g, length: %.17g}}", half, thick);
    } else {
        put(s, ", shape: {ellipsoid: {radii: [%.17g, %.17g, %.17g]}}", half, half, thick / 2);
    }
}

/* Up to 3 rad in a step about its normal; where it turns about another, a little. */
static inline void put_target(random_scene *s)
{
    double half = PLATE * s->size, thick = half * spread(s, 1e-3, 1e-1);
    double turn = s->dimension == 2 ? 0.03 : 3, W = between(s, -turn, turn) / s->step;
    s->driven = one_of(s, 2) == 0;
    put(s, "  - {name: plate");
    if (s->driven && s->dimension == 2) {
        put(s, ", type: kinematic, motion: {angle: \"%.17g*t\"}", W);
    } else if (s->driven) {
        put(s, ", type: kinematic, motion: {euler: [0, 0, \"%.17g*t\"]}", W);
    } else {
        put(s, ", type: dynamic, mass: %.17g", 1e5 * pow(s->size, s->dimension) * 1000);
        put(s,
            s->dimension == 2 ? ", angular_velocity: %.17g" : ", angular_velocity: [0, 0, %.17g]",
            W);
    }
    put_plate_shape(s, half, thick);
    put(s, "}\n");
}

/* In a ball of radius r. */
static inline void put_shot_shape(random_scene *s, double r)
{
    double thin = 2 * r * spread(s, 1e-3, 1e-1), mass = 1000 * pow(r, s->dimension);
    switch (one_of(s, 4)) {
    case 0:
        put(s, ", type: particle, mass: %.17g, shape: {point: {}}", mass);
        break;
    case 1:
        put(s, ", type: dynamic, mass: %.17g", mass);
        if (s->dimension == 2) {
            put(s, ", shape: {box: {size: [%.17g, %.17g]}}", 1.9 * r, thin);
        } else {
            put(s, ", shape: {box: {size: [%.17g, %.17g, %.17g]}}", 1.3 * r, 1.3 * r, thin);
        }
        break;
    default:
        put(s, ", type: dynamic");
        if (s->dimension == 2) {
            put_wide_2d(s, r);
        } else {
            put_wide_3d(s, r);
        }
    }
}

static inline void put_shots(random_scene *s)
{
    double r = s->size, pitch = 2.1 * r, speed = r * spread(s, 0.03, 10) / s->step;
    int    count = 1 + one_of(s, 4);
    for (int i = 0; i < count; i++) {
        double above = between(s, 1.2, 2) * r + between(s, 0, 3) * speed * s->step;
        bool   flat  = s->dimension == 2;
        double x = pitch * (flat ? i - 1.5 : i % 2 - 0.5), y = flat ? 0 : pitch * (i / 2 - 0.5);
        put(s, "  - {name: b%d", i);
        put_shot_shape(s, r);
        put_point(s, "position", x, y, above);
        put_point(s, "velocity", between(s, -0.2, 0.2) * speed, 0, -speed * between(s, 0.3, 1));
        put(s, "}\n");
    }
}

static inline void make_shots(random_scene *s, uint64_t number)
{
    static const double friction[] = {0, 0.5, 1};
    s->seed                        = 0x5407000u + number;
    s->length                      = 0;
    s->dimension                   = 2 + one_of(s, 2);
    s->size                        = spread(s, 1e-3, 1);
    s->step                        = spread(s, 1e-3, 1e-2);
    s->mu                          = friction[one_of(s, 3)];
    s->inertia                     = "dynamic";
    s->restitution                 = one_of(s, 2) == 0 ? between(s, 0, 0.8) : 0;
    s->steps                       = 12;
    put(s, "name: random shots %llu\ndimension: %d\ngravity: [0, 0%s]\n",
        (unsigned long long)number, s->dimension, s->dimension == 3 ? ", 0" : "");
    put(s, "materials: {default: {friction: %g, restitution: %.3g}}\nbodies:\n", s->mu,
        s->restitution);
    put_target(s);
    put_shots(s);
    put(s, "simulation: {step: %.17g, duration: %.17g}\n", s->step, s->step * s->steps);
}

#endif
