/* SPDX-License-Identifier: Apache-2.0 */
/* Rods, joints and chains of them, for tests of mechanisms. */
#ifndef SS_TEST_JOINT_MECHANISM_H
#define SS_TEST_JOINT_MECHANISM_H

#include "world.h"

/* A uniform thin rod of length `length` between two points (in 2D z is 0). */
static inline void add_rod(world *w, const char *name, ss_vec3 from, ss_vec3 to, double mass)
{
    ss_vec3     along  = ss_sub(to, from);
    double      length = ss_norm(along), moment = mass * length * length / 12;
    ss_vec3     u   = ss_unit(along);
    ss_body_def def = ss_body_def_default();
    def.name        = name;
    def.mass        = mass;
    def.inertia_set = true;
    def.position    = ss_scale(0.5, ss_add(from, to));
    /* I = moment (1 - u u') and a little about its own axis, so that it is not singular. */
    double thin = 1e-3 * moment;
    if (w->dimension == 2) {
        def.inertia = ss_mat3_diagonal(0, 0, moment);
    } else {
        double c[3] = {u.x, u.y, u.z};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                def.inertia.m[3 * i + j] = (i == j ? moment : 0) - (moment - thin) * c[i] * c[j];
            }
        }
    }
    check(w, ss_scene_add_body(w->scene, &def, NULL));
}

static inline ss_joint_def joint_def(const char *name, const char *type, const char *a,
                                     const char *b, ss_vec3 anchor)
{
    ss_joint_def def = {.name       = name,
                        .type       = type,
                        .bodies     = {a, b},
                        .anchor     = anchor,
                        .anchor_set = true,
                        .axis       = {0, 0, 0}};
    return def;
}

/* A rod of 1 kg that hangs from the world by a hinge along y at its end `from`. */
static inline void add_pendulum(world *w, ss_vec3 from, ss_vec3 to, double friction_coefficient)
{
    add_rod(w, "rod", from, to, 1);
    ss_joint_def j         = joint_def("hinge", "revolute", "world", "rod", from);
    j.axis                 = ss_v3(0, 1, 0);
    j.friction_coefficient = friction_coefficient;
    check(w, ss_scene_add_joint(w->scene, &j));
}

/* Links of equal length in a chain from the origin, `angle` from the downward vertical. In 3D the
 * chain swings in the xz plane about y, in 2D in the xy plane. */
static inline void add_chain(world *w, int links, double length, double angle)
{
    char    before[16] = "world", name[16], joint[16]; /* the scene keeps copies */
    double  s = sin(angle), c = -cos(angle);
    ss_vec3 step =
        w->dimension == 3 ? ss_v3(length * s, 0, length * c) : ss_v3(length * s, length * c, 0);
    ss_vec3 at = {0, 0, 0};
    for (int i = 0; i < links; i++) {
        snprintf(name, sizeof name, "l%d", i);
        snprintf(joint, sizeof joint, "j%d", i);
        add_rod(w, name, at, ss_add(at, step), 1);
        ss_joint_def j = joint_def(joint, "revolute", before, name, at);
        j.axis         = w->dimension == 3 ? ss_v3(0, 1, 0) : ss_v3(0, 0, 0);
        check(w, ss_scene_add_joint(w->scene, &j));
        at = ss_add(at, step);
        strcpy(before, name);
    }
}

#endif
