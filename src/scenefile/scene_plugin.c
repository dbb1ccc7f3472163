/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What scenes say about plug-ins (stickslip/plugin.h): which they need, and settings of what those
 * bring. A plug-in is a program, a scene is data: one that names a plug-in does not get it loaded
 * unless whoever runs the scene allowed that (docs/decisions/0011-what-plug-ins-may-bring.md).
 */
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "model/settings.h"
#include "scenefile/schema.h"
#include "stickslip/plugin.h"

/* ---- plugins: [a.so, b.so] ---- */

/* The part of a path after its folders. */
static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool is_loaded(const ss_context *ctx, const char *word)
{
    for (int32_t i = 0; i < ctx->registry.plugin_count; i++) {
        if (strcmp(ctx->registry.plugins[i]->name, word) == 0 ||
            strcmp(ctx->registry.plugin_files[i], file_of(word)) == 0) {
            return true;
        }
    }
    return false;
}

static ss_status need_plugin(ss_context *ctx, const ss_node *node, const char *directory)
{
    char path[1024];
    if (node->kind != SS_NODE_SCALAR || node->text[0] == '\0') {
        return ss_node_place(
            ctx, node, ss_fail(ctx, SS_ERR_INPUT, "plugins must be a list of files or names"));
    }
    if (is_loaded(ctx, node->text)) {
        return SS_OK;
    }
    if (!ctx->scenes_load_plugins) {
        ss_status status =
            ss_fail(ctx, SS_ERR_INPUT,
                    "the scene needs the plug-in '%.100s', which is a program: load it with "
                    "--plugin FILE, or let scenes load theirs with --allow-plugins",
                    node->text);
        return ss_node_place(ctx, node, status);
    }
    snprintf(path, sizeof path, "%s%s", node->text[0] == '/' ? "" : directory, node->text);
    return ss_node_place(ctx, node, ss_context_load_plugin(ctx, path));
}

ss_status ss_load_scene_plugins(ss_context *ctx, const ss_node *root, const char *directory)
{
    const ss_node *list =
        root != NULL && root->kind == SS_NODE_MAP ? ss_node_find(root, "plugins") : NULL;
    if (list == NULL) {
        return SS_OK;
    }
    if (list->kind != SS_NODE_LIST) {
        return ss_node_place(
            ctx, list, ss_fail(ctx, SS_ERR_INPUT, "plugins must be a list of files or names"));
    }
    for (const ss_node *node = list->first; node != NULL; node = node->next) {
        SS_TRY(need_plugin(ctx, node, directory));
    }
    return SS_OK;
}

/* ---- settings: {name: value, ..} ---- */

static const ss_option *find_option(const ss_option *table, const char *name)
{
    for (const ss_option *o = table; o != NULL && o->name != NULL; o++) {
        if (strcmp(o->name, name) == 0) {
            return o;
        }
    }
    return NULL;
}

static ss_status unknown_setting(ss_decoder *d, const ss_node *entry, const ss_option *options)
{
    enum { MOST = 64 };
    const char  *names[MOST];
    ss_name_list list = {names, 0};
    for (const ss_option *o = options; o != NULL && o->name != NULL && list.count < MOST; o++) {
        names[list.count++] = o->name;
    }
    return ss_decode_unknown_name(d, entry, "setting", entry->key, &list);
}

/* Numbers may be expressions; the rest is text. */
static ss_status setting_text(ss_decoder *d, const ss_option *o, ss_node *entry, const char **out)
{
    char   text[64];
    double x  = 0;
    int    ok = 1;
    if (o->type != SS_OPTION_REAL && o->type != SS_OPTION_INT) {
        return ss_decode_text(d, entry->key, entry, out);
    }
    SS_TRY(ss_decode_number(d, entry->key, entry, &x));
    snprintf(text, sizeof text, "%.17g", x);
    *out = ss_pool_text(d->pool, text, &ok);
    return ok ? SS_OK : ss_decode_no_memory(d);
}

ss_status ss_decode_settings(ss_decoder *d, ss_node *node, const ss_setting_list *kind,
                             const ss_setting **out, int32_t *count)
{
    ss_setting *items    = NULL;
    void       *settings = ss_pool_alloc(d->pool, kind->size + 1, 1);
    if (settings == NULL) {
        return ss_decode_no_memory(d);
    }
    ss_options_default(kind->options, settings);
    *count = 0;
    if (node != NULL) {
        SS_TRY(ss_decode_expect(d, "settings", node, SS_NODE_MAP));
        items = ss_pool_alloc(d->pool, (size_t)node->count + 1, sizeof *items);
        if (items == NULL) {
            return ss_decode_no_memory(d);
        }
    }
    for (ss_node *entry = node != NULL ? node->first : NULL; entry != NULL; entry = entry->next) {
        const ss_option *o    = find_option(kind->options, entry->key);
        ss_setting      *item = &items[*count];
        if (o == NULL) {
            return unknown_setting(d, entry, kind->options);
        }
        item->name = o->name;
        SS_TRY(setting_text(d, o, entry, &item->value));
        SS_TRY(ss_node_place(d->ctx, entry,
                             ss_option_set(d->ctx, kind->options, settings, o->name, item->value)));
        (*count)++;
    }
    *out = items;
    return SS_OK;
}
