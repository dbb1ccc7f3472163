/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plug-ins (stickslip/plugin.h): is a table one that this library understands, and then all that it
 * lists is registered, or nothing. Opening of shared objects: shared_object.c.
 */
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/input.h"
#include "plugin/shared_object.h"
#include "stickslip/plugin.h"

/* ---- does it fit? ---- */

static ss_status check_structs(ss_context *ctx, const ss_plugin *p, const char *from)
{
    static const struct {
        const char *name;
        uint32_t    size;
    } here[] = {
#define HERE(name) {#name, (uint32_t)sizeof(name)},
        SS_PLUGIN_STRUCT_LIST(HERE)
#undef HERE
    };
    for (uint32_t i = 0; i < SS_PLUGIN_STRUCTS; i++) {
        if (p->sizes[i] != here[i].size) {
            return ss_fail(ctx, SS_ERR_INPUT,
                           "plug-in '%.200s' was built with other headers: its %s has %u bytes, "
                           "that of stickslip %s %u; build it again",
                           from, here[i].name, p->sizes[i], ss_version(), here[i].size);
        }
    }
    return SS_OK;
}

/* Members are looked at in the order in which they become known to be there. */
static ss_status check_table(ss_context *ctx, const ss_plugin *p, const char *from)
{
    if (p->abi != SS_PLUGIN_ABI) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "plug-in '%.200s' is for interface %u of plug-ins; stickslip %s has %d: "
                       "build it again",
                       from, p->abi, ss_version(), SS_PLUGIN_ABI);
    }
    if (p->structs != SS_PLUGIN_STRUCTS) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "plug-in '%.200s' was built with other headers: it knows %u structs, "
                       "stickslip %s %d; build it again",
                       from, p->structs, ss_version(), SS_PLUGIN_STRUCTS);
    }
    SS_TRY(check_structs(ctx, p, from));
    char version[32];
    snprintf(version, sizeof version, "%d.%d", SS_VERSION_MAJOR, SS_VERSION_MINOR);
    if (p->library == NULL || strcmp(p->library, version) != 0) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "plug-in '%.200s' was built for stickslip %.20s; this is %s: build it again",
                       from, p->library != NULL ? p->library : "?", ss_version());
    }
    if (p->name == NULL || p->name[0] == '\0' || strpbrk(p->name, " \t\n/") != NULL) {
        return ss_fail(ctx, SS_ERR_INPUT, "plug-in '%.200s' must have a name of one word", from);
    }
    return SS_OK;
}

/* ---- registering ---- */

/* Shapes come before pairs, which name them. */
static ss_status register_all(ss_context *ctx, const ss_plugin *p)
{
#define EACH(list, add)                                                                            \
    for (int32_t i = 0; p->list != NULL && p->list[i] != NULL; i++) {                              \
        SS_TRY(add(ctx, p->list[i]));                                                              \
    }
    EACH(solvers, ss_solver_register)
    EACH(shapes, ss_shape_register)
    EACH(pairs, ss_pair_register)
    EACH(forces, ss_force_register)
    EACH(bodies, ss_body_kind_register)
    EACH(axes, ss_axis_register)
    EACH(measures, ss_measure_register)
    EACH(recorders, ss_recorder_register)
#undef EACH
    return SS_OK;
}

static ss_status not_twice(ss_context *ctx, const ss_plugin *p, const char *from)
{
    for (int32_t i = 0; i < ctx->registry.plugin_count; i++) {
        if (strcmp(ctx->registry.plugins[i]->name, p->name) == 0) {
            return ss_fail(ctx, SS_ERR_INPUT,
                           "plug-in '%.200s': another one with the name '%.60s' is loaded", from,
                           p->name);
        }
    }
    return SS_OK;
}

static bool is_there(const ss_context *ctx, const ss_plugin *p)
{
    for (int32_t i = 0; i < ctx->registry.plugin_count; i++) {
        if (ctx->registry.plugins[i] == p) {
            return true;
        }
    }
    return false;
}

/* `from`: what messages call it. All of it is registered, or nothing. */
static ss_status add(ss_context *ctx, const ss_plugin *p, const char *from, const char *file)
{
    SS_TRY(check_table(ctx, p, from));
    SS_TRY(not_twice(ctx, p, from));
    SS_TRY(ss_registry_room(ctx, ctx->registry.plugin_count, "plug-ins"));
    ss_registry *before = ss_alloc(ctx, 1, sizeof *before);
    if (before == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for plug-in '%.200s'", from);
    }
    *before          = ctx->registry;
    ss_status status = register_all(ctx, p);
    if (status == SS_OK) {
        int32_t i                = ctx->registry.plugin_count++;
        ctx->registry.plugins[i] = p;
        snprintf(ctx->registry.plugin_files[i], SS_PLUGIN_FILE, "%s", file);
    } else {
        char why[512];
        ctx->registry = *before;
        snprintf(why, sizeof why, "%s", ss_context_message(ctx));
        ss_fail(ctx, SS_ERR_INPUT, "plug-in '%.200s': %s", from, why);
        status = SS_ERR_INPUT;
    }
    ss_free(ctx, before, sizeof *before);
    return status;
}

ss_status ss_context_add_plugin(ss_context *ctx, const ss_plugin *plugin)
{
    if (ctx == NULL || plugin == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "a plug-in needs a context and a table");
    }
    return is_there(ctx, plugin) ? SS_OK : add(ctx, plugin, "of the program", "");
}

/* ---- files ---- */

/* With the path in front of what the system's loader says. */
static ss_status cannot_load(ss_context *ctx, const char *path, const char *why)
{
    return ss_fail(ctx, SS_ERR_INPUT, "plug-in '%.300s' cannot be loaded: %.500s", path, why);
}

static ss_status take(ss_context *ctx, const char *path, void *library)
{
    const char      *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
    const ss_plugin *table = ss_shared_object_find(library, "ss_plugin_table");
    if (table == NULL) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "'%.300s' is no plug-in of stickslip: it has no ss_plugin_table", path);
    }
    if (is_there(ctx, table)) {
        ss_shared_object_close(library); /* counted twice by the loader */
        return SS_OK;
    }
    SS_TRY(ss_registry_room(ctx, ctx->library_count, "plug-ins"));
    if (strlen(file) >= SS_PLUGIN_FILE) {
        return ss_fail(ctx, SS_ERR_INPUT, "plug-in '%.300s': a file name has at most %d characters",
                       path, SS_PLUGIN_FILE - 1);
    }
    SS_TRY(add(ctx, table, path, file));
    ctx->close_library                   = ss_shared_object_close;
    ctx->libraries[ctx->library_count++] = library;
    return SS_OK;
}

ss_status ss_context_load_plugin(ss_context *ctx, const char *path)
{
    char        with_folder[1024];
    const char *why = NULL;
    if (ctx == NULL || path == NULL || path[0] == '\0') {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "a plug-in needs a context and a file");
    }
    if (strlen(path) + 3 > sizeof with_folder) {
        return cannot_load(ctx, path, "its name is too long");
    }
    /* a name without folders is a file here, not one of the system's libraries */
    snprintf(with_folder, sizeof with_folder, "%s%s", strchr(path, '/') != NULL ? "" : "./", path);
    if (ss_input_look(ctx, with_folder, SS_INPUT_ANY_SIZE, NULL) != SS_OK) {
        char said[SS_MESSAGE_SIZE]; /* a pipe would be waited for */
        snprintf(said, sizeof said, "%s", ss_context_message(ctx));
        return cannot_load(ctx, path, said);
    }
    void *library = ss_shared_object_open(with_folder, &why);
    if (library == NULL) {
        return cannot_load(ctx, path, why);
    }
    ss_status status = take(ctx, path, library);
    if (status != SS_OK) {
        ss_shared_object_close(library);
    }
    return status;
}

void ss_context_allow_plugins(ss_context *ctx, int allow)
{
    if (ctx != NULL) {
        ctx->scenes_load_plugins = allow;
    }
}

int32_t ss_context_plugin_count(const ss_context *ctx)
{
    return ctx != NULL ? ctx->registry.plugin_count : 0;
}

const ss_plugin *ss_context_plugin(const ss_context *ctx, int32_t index)
{
    return index >= 0 && index < ss_context_plugin_count(ctx) ? ctx->registry.plugins[index] : NULL;
}
