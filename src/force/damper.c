/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A damper between two points: f = -c (v_2 - v_1) on the second, in all directions as in the
 * thesis' (2.131), or with `axial` along the line between them alone.
 */
#include <stdio.h>

#include "force/between.h"

static ss_status compile(ss_compiler *c, const ss_force_def *def, ss_force *f)
{
    char where[160];
    snprintf(where, sizeof where, "force '%.120s'", def->name != NULL ? def->name : "");
    if (def->stiffness > 0) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "%s: a damper has no stiffness; a spring has both",
                       where);
    }
    return ss_between_compile(c, def, where, f);
}

static ss_status apply(const ss_model *m, ss_data *d, const ss_force *f, double t)
{
    (void)t;
    ss_between b = ss_between_now(m, d, f);
    ss_between_pull(d, f, &b, ss_between_damping(f, &b));
    return SS_OK;
}

const ss_force_class ss_force_damper = {
    .name = "damper", .compile = compile, .apply = apply, .passive = true};
