/* SPDX-License-Identifier: Apache-2.0 */
/* Recorders by name, and what a recorder knows about itself. */
#include <string.h>

#include "core/context.h"
#include "runfile/recorder_list.h"
#include "stickslip/record.h"

#define SS_RECORDER(name) extern const ss_recorder_class ss_recorder_##name;
SS_RECORDER_LIST
#undef SS_RECORDER

static const ss_recorder_class *const classes[] = {
#define SS_RECORDER(name) &ss_recorder_##name,
    SS_RECORDER_LIST
#undef SS_RECORDER
};
enum { CLASS_COUNT = (int)(sizeof classes / sizeof classes[0]) };

struct ss_recorder {
    ss_context              *ctx;
    const ss_recorder_class *cls;
    char                    *path;
    void                    *state;
};

int32_t ss_recorder_count(const ss_context *ctx)
{
    return CLASS_COUNT + (ctx != NULL ? ctx->registry.recorder_count : 0);
}

const ss_recorder_class *ss_recorder_at(const ss_context *ctx, int32_t index)
{
    if (index < 0 || index >= ss_recorder_count(ctx)) {
        return NULL;
    }
    return index < CLASS_COUNT ? classes[index] : ctx->registry.recorders[index - CLASS_COUNT];
}

const ss_recorder_class *ss_recorder_find(const ss_context *ctx, const char *name)
{
    for (int32_t i = 0; i < ss_recorder_count(ctx); i++) {
        if (strcmp(ss_recorder_at(ctx, i)->name, name) == 0) {
            return ss_recorder_at(ctx, i);
        }
    }
    return NULL;
}

ss_status ss_recorder_register(ss_context *ctx, const ss_recorder_class *cls)
{
    if (cls->name == NULL || cls->open == NULL || cls->append == NULL || cls->close == NULL ||
        cls->discard == NULL) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "recorder '%s' needs a name, open, append, close and discard",
                       cls->name != NULL ? cls->name : "");
    }
    if (ss_recorder_find(ctx, cls->name) != NULL) {
        return ss_fail(ctx, SS_ERR_INPUT, "a recorder named '%s' exists already", cls->name);
    }
    SS_TRY(ss_registry_room(ctx, ctx->registry.recorder_count, "recorders"));
    ctx->registry.recorders[ctx->registry.recorder_count++] = cls;
    return SS_OK;
}

ss_status ss_recorder_create_class(ss_context *ctx, const ss_recorder_class *cls, const char *path,
                                   ss_recorder **out)
{
    ss_recorder *r = ss_alloc(ctx, 1, sizeof *r);
    *out           = NULL;
    if (r != NULL) {
        r->ctx   = ctx;
        r->cls   = cls;
        r->path  = ss_alloc(ctx, strlen(path) + 1, 1);
        r->state = ss_alloc(ctx, 1, cls->state_size);
        if (r->path != NULL && r->state != NULL) {
            memcpy(r->path, path, strlen(path) + 1);
            *out = r;
            return SS_OK;
        }
        ss_free(ctx, r->path, strlen(path) + 1);
        ss_free(ctx, r->state, cls->state_size);
        ss_free(ctx, r, sizeof *r);
    }
    return ss_fail(ctx, SS_ERR_MEMORY, "no memory for recorder '%s'", cls->name);
}

ss_status ss_recorder_create(ss_context *ctx, const char *class_name, const char *path,
                             ss_recorder **out)
{
    const ss_recorder_class *cls = ss_recorder_find(ctx, class_name);
    *out                         = NULL;
    if (cls == NULL) {
        return ss_fail(ctx, SS_ERR_UNSUPPORTED, "this build has no recorder '%s'", class_name);
    }
    return ss_recorder_create_class(ctx, cls, path, out);
}

void ss_recorder_destroy(ss_recorder *r)
{
    if (r == NULL) {
        return;
    }
    ss_free(r->ctx, r->path, strlen(r->path) + 1);
    ss_free(r->ctx, r->state, r->cls->state_size);
    ss_free(r->ctx, r, sizeof *r);
}

ss_context *ss_recorder_context(const ss_recorder *r)
{
    return r->ctx;
}

const char *ss_recorder_path(const ss_recorder *r)
{
    return r->path;
}

void *ss_recorder_state(const ss_recorder *r)
{
    return r->state;
}

const ss_recorder_class *ss_recorder_class_of(const ss_recorder *r)
{
    return r->cls;
}
