/* SPDX-License-Identifier: Apache-2.0 */
/* Balls, for tests of impacts and steps. */
#ifndef SS_TEST_SIM_BALLS_H
#define SS_TEST_SIM_BALLS_H

#include "world.h"

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

#endif
