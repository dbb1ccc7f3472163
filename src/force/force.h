/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a force plug-in: one file in src/force, one line in force_list.h. */
#ifndef SS_FORCE_FORCE_H
#define SS_FORCE_FORCE_H

#include "model/compiler.h"
#include "model/data.h"

struct ss_force_kind;
struct ss_body_kind;

typedef struct ss_force_class {
    const char *name;
    ss_status (*compile)(ss_compiler *c, const ss_force_def *def, ss_force *f);
    /* Add to d->applied. t is the middle of the step, where forces of time are evaluated. */
    ss_status (*apply)(const ss_model *m, ss_data *d, const ss_force *f, double t);
    /* Energy stored in it when the bodies have these poses. NULL: none. */
    double (*energy)(const ss_model *m, const ss_pose *poses, const ss_force *f);
    bool passive;    /* it acts between bodies: what it does to them it stores or dissipates */
    bool is_control; /* its force is that of the start of the step, whatever the round */
} ss_force_class;

/* What plug-ins bring (force_plugin.c): the class of all of them, and one by its name. */
extern const ss_force_class ss_force_plugin;
const struct ss_force_kind *ss_force_kind_find(const ss_context *ctx, const char *name);
/* The load that a kind of bodies brings with it, on that body. */
ss_status ss_force_of_body(ss_compiler *c, const struct ss_body_kind *kind, int32_t body,
                           ss_force *f);

const ss_force_class *ss_force_find(const char *name);
int32_t               ss_force_class_count(void);
const ss_force_class *ss_force_class_at(int32_t index);

/* The value of a timed number now. */
static inline ss_status ss_timed_value(const ss_data *d, const ss_timed *value, double t,
                                       double *out)
{
    if (value->expr < 0) {
        *out = value->number;
        return SS_OK;
    }
    ss_status status = ss_expr_eval(d->env, value->expr, t, out);
    return status == SS_OK ? SS_OK : ss_expression_failed(d, value->expr, t, status);
}

#endif
