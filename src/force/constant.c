/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A force F and a torque T on one body, in world axes; entries may be expressions of time.
 * A point of application r (body frame) adds the torque  (R r) x F.
 */
#include <stdio.h>

#include "force/force.h"

static ss_status compile(ss_compiler *c, const ss_force_def *def, ss_force *f)
{
    char where[160];
    snprintf(where, sizeof where, "force '%s'", def->name != NULL ? def->name : "");
    SS_TRY(ss_compile_body_named(c, def->body, where, &f->body[0]));
    if (!ss_body_moves(&c->model->bodies[f->body[0]])) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: no force moves body '%s': it is not dynamic",
                       where, def->body);
    }
    for (int i = 0; i < 3; i++) {
        SS_TRY(ss_compile_timed(c, &def->force[i], where, &f->force[i]));
        SS_TRY(ss_compile_timed(c, &def->torque[i], where, &f->torque[i]));
    }
    if (def->point_set) {
        f->point[0] = ss_sub(def->point, c->model->bodies[f->body[0]].com);
    }
    f->body[1] = -1;
    f->follows = ss_dot(f->point[0], f->point[0]) > 0;
    return SS_OK;
}

static ss_status apply(const ss_model *m, ss_data *d, const ss_force *f, double t)
{
    (void)m;
    double F[3], T[3];
    for (int i = 0; i < 3; i++) {
        SS_TRY(ss_timed_value(d, &f->force[i], t, &F[i]));
        SS_TRY(ss_timed_value(d, &f->torque[i], t, &T[i]));
    }
    ss_wrench *w     = &d->applied[f->body[0]];
    ss_vec3    force = ss_v3(F[0], F[1], F[2]);
    ss_vec3    arm   = ss_mul(&d->frame[f->body[0]].R, f->point[0]);
    w->force         = ss_add(w->force, force);
    w->torque        = ss_add(w->torque, ss_add(ss_v3(T[0], T[1], T[2]), ss_cross(arm, force)));
    return SS_OK;
}

const ss_force_class ss_force_constant = {.name = "constant", .compile = compile, .apply = apply};
