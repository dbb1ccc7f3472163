/* SPDX-License-Identifier: Apache-2.0 */
/* Balls and a floor of one material, for tests of impacts and steps. */
#ifndef SS_TEST_SIM_BALLS_H
#define SS_TEST_SIM_BALLS_H

#include <string.h>

#include "joint/world.h"

/* In double precision: cmocka's assert_float_equal compares floats. */
static inline void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.17g, expected %.17g to %.3g", value, expected, tolerance);
    }
}

static inline void material(world *w, double mu, double e, const double *ellipsoid)
{
    ss_material_def def = {.name = "default", .friction = mu, .restitution = e};
    if (ellipsoid != NULL) {
        memcpy(def.ellipsoid, ellipsoid, sizeof def.ellipsoid);
    }
    check(w, ss_scene_add_material(w->scene, &def));
}

static inline void add_floor(world *w)
{
    ss_shape_def plane        = {.type = "plane"};
    plane.params.plane.normal = ss_v3(0, 0, 1);
    ss_body_def floor         = ss_body_def_default();
    floor.name                = "floor";
    floor.type                = SS_BODY_STATIC;
    floor.shape               = &plane;
    check(w, ss_scene_add_body(w->scene, &floor, NULL));
}

static inline void add_ball(world *w, const char *name, double radius, ss_vec3 position,
                            ss_vec3 velocity, ss_vec3 spin)
{
    ss_shape_def ball         = {.type = "sphere"};
    ball.params.sphere.radius = radius;
    ss_body_def def           = ss_body_def_default();
    def.name                  = name;
    def.mass                  = 1;
    def.shape                 = &ball;
    def.position              = position;
    def.velocity              = velocity;
    def.angular_velocity      = spin;
    check(w, ss_scene_add_body(w->scene, &def, NULL));
}

static inline ss_body_state body(const world *w, int32_t i)
{
    ss_body_state s;
    ss_data_body(w->model, w->data, i, &s);
    return s;
}

#endif
