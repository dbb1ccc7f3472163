/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forces and kinds of bodies that plug-ins bring (stickslip/plugin.h). Their loads act from
 * outside: the ledger counts what they put in as applied, and they are asked anew in every round,
 * at the bodies' places in it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "force/force.h"
#include "model/settings.h"
#include "stickslip/plugin.h"

const ss_force_kind *ss_force_kind_find(const ss_context *ctx, const char *name)
{
    for (int32_t i = 0; i < ctx->registry.force_count; i++) {
        if (strcmp(ctx->registry.forces[i]->name, name) == 0) {
            return ctx->registry.forces[i];
        }
    }
    return NULL;
}

ss_status ss_force_register(ss_context *ctx, const ss_force_kind *kind)
{
    const char *name = kind->name != NULL ? kind->name : "";
    if (name[0] == '\0' || kind->apply == NULL) {
        return ss_fail(ctx, SS_ERR_INPUT, "force '%s' needs a name and a function `apply`", name);
    }
    if (kind->bodies != 1 && kind->bodies != 2) {
        return ss_fail(ctx, SS_ERR_INPUT, "force '%s' must act on 1 or 2 bodies, got %d", name,
                       kind->bodies);
    }
    if (ss_force_find(name) != NULL || ss_force_kind_find(ctx, name) != NULL) {
        return ss_fail(ctx, SS_ERR_INPUT, "a force named '%s' exists already", name);
    }
    SS_TRY(ss_registry_room(ctx, ctx->registry.force_count, "forces"));
    ctx->registry.forces[ctx->registry.force_count++] = kind;
    return SS_OK;
}

const ss_body_kind *ss_body_kind_find(const ss_context *ctx, const char *name)
{
    for (int32_t i = 0; ctx != NULL && name != NULL && i < ctx->registry.body_count; i++) {
        if (strcmp(ctx->registry.bodies[i]->name, name) == 0) {
            return ctx->registry.bodies[i];
        }
    }
    return NULL;
}

ss_status ss_body_kind_register(ss_context *ctx, const ss_body_kind *kind)
{
    static const char *const types[] = {"static", "kinematic", "dynamic", "particle"};
    const char              *name    = kind->name != NULL ? kind->name : "";
    bool                     taken   = ss_body_kind_find(ctx, name) != NULL;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        taken = taken || strcmp(types[i], name) == 0;
    }
    if (taken) {
        return ss_fail(ctx, SS_ERR_INPUT, "a kind of bodies named '%s' exists already", name);
    }
    bool driven = kind->type == SS_BODY_KINEMATIC;
    bool moved  = kind->type == SS_BODY_DYNAMIC || kind->type == SS_BODY_PARTICLE;
    if (name[0] == '\0' || !(driven || moved) || (driven && kind->place == NULL) ||
        (moved && kind->load == NULL)) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "kind of bodies '%s' must be kinematic with `place`, or dynamic or a "
                       "particle with `load`",
                       name);
    }
    SS_TRY(ss_registry_room(ctx, ctx->registry.body_count, "kinds of bodies"));
    ctx->registry.bodies[ctx->registry.body_count++] = kind;
    return SS_OK;
}

/* ---- compiling ---- */

static ss_status find_bodies(ss_compiler *c, const ss_force_def *def, const char *where,
                             int32_t count, ss_force *f)
{
    f->body[1] = -1;
    if (count == 1) {
        return ss_compile_body_named(c, def->body, where, &f->body[0]);
    }
    for (int side = 0; side < 2; side++) {
        const char *name = def->bodies[side];
        f->body[side]    = -1;
        if (name == NULL || strcmp(name, "world") != 0) {
            SS_TRY(ss_compile_body_named(c, name, where, &f->body[side]));
        }
    }
    return f->body[0] != f->body[1]
               ? SS_OK
               : ss_fail(c->ctx, SS_ERR_INPUT, "%s: it needs two different bodies", where);
}

static ss_status compile(ss_compiler *c, const ss_force_def *def, ss_force *f)
{
    char                 where[160];
    const ss_force_kind *kind = ss_force_kind_find(c->ctx, def->type);
    snprintf(where, sizeof where, "force '%.120s'", def->name != NULL ? def->name : "");
    const ss_setting_list list = {kind->options, kind->settings_size, def->settings,
                                  def->setting_count, kind->check};
    SS_TRY(ss_compile_settings(c, &list, where, &f->plugin.settings));
    f->plugin.name = kind->name;
    f->plugin.load = kind->apply;
    f->follows     = true;
    return find_bodies(c, def, where, kind->bodies, f);
}

ss_status ss_force_of_body(ss_compiler *c, const ss_body_kind *kind, int32_t body, ss_force *f)
{
    const ss_body *b = &c->model->bodies[body];
    *f               = (ss_force){.cls     = &ss_force_plugin,
                                  .name    = b->name,
                                  .body    = {body, -1},
                                  .joint   = -1,
                                  .follows = true,
                                  .plugin  = {kind->name, kind->load, b->settings}};
    return SS_OK;
}

/* ---- in a step ---- */

static void look_at(const ss_model *m, const ss_data *d, int32_t body, ss_force_view *now, int side)
{
    if (body < 0) {
        now->body[side].frame = (ss_frame){.R = ss_mat3_identity()};
        return;
    }
    const ss_body  *b                = &m->bodies[body];
    const ss_frame *frame            = &d->frame[body];
    bool            driven           = b->type == SS_BODY_KINEMATIC;
    ss_twist        twist            = driven ? d->twist_next[body] : d->going[body];
    now->body[side].frame.R          = frame->R;
    now->body[side].frame.p          = ss_sub(frame->p, ss_mul(&frame->R, b->com));
    now->body[side].centre           = frame->p;
    now->body[side].velocity         = twist.v;
    now->body[side].angular_velocity = twist.w;
    now->body[side].mass             = ss_body_moves(b) ? b->mass : 0;
}

static bool finite_load(const ss_load *l)
{
    return isfinite(l->force.x + l->force.y + l->force.z + l->torque.x + l->torque.y + l->torque.z);
}

static ss_status apply(const ss_model *m, ss_data *d, const ss_force *f, double t)
{
    ss_force_view now     = {.t = t, .dimension = m->dimension};
    ss_load       load[2] = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
    look_at(m, d, f->body[0], &now, 0);
    look_at(m, d, f->body[1], &now, 1);
    if (f->plugin.load(f->plugin.settings, &now, load) != 0 || !finite_load(&load[0]) ||
        !finite_load(&load[1])) {
        return ss_fail(d->ctx, SS_ERR_INPUT, "force '%s': the plug-in's '%s' failed at t = %g",
                       f->name != NULL ? f->name : "", f->plugin.name, t);
    }
    for (int side = 0; side < 2; side++) {
        if (f->body[side] < 0) {
            continue;
        }
        ss_wrench *w     = &d->applied[f->body[side]];
        ss_vec3    force = load[side].force, torque = load[side].torque;
        bool       planar = m->dimension == 2;
        w->force          = ss_add(w->force, planar ? ss_v3(force.x, force.y, 0) : force);
        w->torque         = ss_add(w->torque, planar ? ss_v3(0, 0, torque.z) : torque);
    }
    return SS_OK;
}

const ss_force_class ss_force_plugin = {.name = "plugin", .compile = compile, .apply = apply};
