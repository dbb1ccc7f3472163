/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A spring between two points (thesis (2.125)-(2.132)): with x = p_2 - p_1, L = |x|, the second
 * point feels
 *
 *   f = -k (L - L0) x/L - c (v_2 - v_1)         (axial: the damping along x alone)
 *
 * and the first the opposite. It is evaluated at the start of the step (integrator: midpoint: in
 * its middle; inertia: damped: at its end), and what changes within it is added implicitly
 * (rows/give_rows.c).
 */
#include <stdio.h>

#include "force/between.h"

/* An anchor when its body is at `pose`; NULL: the world. */
static ss_vec3 point_at(const ss_model *m, const ss_force *f, int side, const ss_pose *pose)
{
    if (pose == NULL) {
        return f->point[side];
    }
    ss_mat3 R = m->dimension == 3 ? ss_mat3_from_quat(pose->q) : ss_mat3_from_angle(pose->angle);
    return ss_add(pose->p, ss_mul(&R, f->point[side]));
}

static double start_length(const ss_model *m, const ss_force *f)
{
    ss_vec3 p[2];
    for (int side = 0; side < 2; side++) {
        const ss_pose *start = f->body[side] >= 0 ? &m->bodies[f->body[side]].start_pose : NULL;
        p[side]              = point_at(m, f, side, start);
    }
    return ss_norm(ss_sub(p[1], p[0]));
}

static ss_status compile(ss_compiler *c, const ss_force_def *def, ss_force *f)
{
    char where[160];
    snprintf(where, sizeof where, "force '%.120s'", def->name != NULL ? def->name : "");
    SS_TRY(ss_between_compile(c, def, where, f));
    if (!def->rest_set) {
        f->rest_length = start_length(c->model, f);
    }
    return SS_OK;
}

static ss_status apply(const ss_model *m, ss_data *d, const ss_force *f, double t)
{
    (void)t;
    ss_between b      = ss_between_now(m, d, f);
    double     length = ss_norm(b.apart);
    ss_vec3    pull   = ss_between_damping(f, &b);
    if (length > 0) { /* at no length it has no direction, and pushes nowhere */
        double size = f->stiffness * (length - f->rest_length) * b.share;
        pull        = ss_axpy(pull, -size / length, b.apart);
    }
    ss_between_pull(d, f, &b, pull);
    return SS_OK;
}

static double energy(const ss_model *m, const ss_pose *poses, const ss_force *f)
{
    ss_vec3 p[2];
    for (int side = 0; side < 2; side++) {
        p[side] = point_at(m, f, side, f->body[side] >= 0 ? &poses[f->body[side]] : NULL);
    }
    double stretch = ss_norm(ss_sub(p[1], p[0])) - f->rest_length;
    return 0.5 * f->stiffness * stretch * stretch;
}

const ss_force_class ss_force_spring = {
    .name = "spring", .compile = compile, .apply = apply, .energy = energy, .passive = true};
