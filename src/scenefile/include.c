/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `include: {file: arm.yaml, prefix: left_, with: {length: 0.2}}`: what another scene file has in
 * its bodies, joints, forces, materials, tables and templates, put in front of what this one has.
 * Its params are its parameters; names get the prefix, and so do the references to them. What is
 * the file's own affair (name, gravity, simulation) stays behind.
 */
#include <stdio.h>
#include <string.h>

#include "scenefile/expand.h"

static const char *const merged[] = {"materials", "templates", "tables",
                                     "bodies",    "joints",    "forces"};

static ss_status join(ss_decoder *d, const char *a, const char *b, const char **out)
{
    size_t size = strlen(a) + strlen(b) + 1;
    char  *text = ss_pool_alloc(d->pool, size, 1);
    if (text == NULL) {
        return ss_decode_no_memory(d);
    }
    snprintf(text, size, "%s%s", a, b);
    *out = text;
    return SS_OK;
}

/* ---- names and files of what is included ---- */

/* Files that are being put together, and what has come of them so far. */
typedef struct includes {
    ss_decoder *d;
    int32_t     files; /* each time counted */
    int64_t     nodes;
} includes;

typedef struct renaming {
    ss_decoder *d;
    const char *prefix;    /* of names */
    const char *directory; /* of the included file, as the including one sees it */
} renaming;

/* `world` and the material `default` are everybody's. */
static bool is_common(const char *name)
{
    return strcmp(name, "world") == 0 || strcmp(name, "default") == 0;
}

static ss_status add_prefix(const renaming *r, ss_node *node)
{
    if (node->kind == SS_NODE_LIST) {
        for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
            SS_TRY(add_prefix(r, entry));
        }
        return SS_OK;
    }
    if (node->kind != SS_NODE_SCALAR || is_common(node->text)) {
        return SS_OK;
    }
    return join(r->d, r->prefix, node->text, &node->text);
}

/* The next `s.` that is a word of its own; NULL: there is none. */
static const char *next_state(const char *text, const char *at)
{
    for (at = strstr(at, "s."); at != NULL; at = strstr(at + 2, "s.")) {
        if (at == text || strchr(" \t\n(,+-*/=<>", at[-1]) != NULL) {
            return at;
        }
    }
    return NULL;
}

/* In a controller `s.NAME` is the state of a body or joint of the same file. */
static ss_status rename_states(const renaming *r, ss_node *node)
{
    size_t prefix = strlen(r->prefix), count = 0;
    for (const char *s = node->text; (s = next_state(node->text, s)) != NULL; s += 2) {
        count++;
    }
    char *text = ss_pool_alloc(r->d->pool, strlen(node->text) + count * prefix + 1, 1);
    if (text == NULL) {
        return ss_decode_no_memory(r->d);
    }
    const char *at = node->text;
    char       *to = text;
    for (const char *s = at; (s = next_state(node->text, s)) != NULL; s += 2) {
        memcpy(to, at, (size_t)(s + 2 - at));
        to += s + 2 - at;
        memcpy(to, r->prefix, prefix);
        to += prefix;
        at = s + 2;
    }
    memcpy(to, at, strlen(at) + 1);
    node->text = text;
    return SS_OK;
}

static ss_status rename_below(const renaming *r, ss_node *node)
{
    static const char *const references[] = {"name",  "material", "body", "bodies",
                                             "joint", "between",  "use"};
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        bool reference = false;
        for (size_t i = 0; entry->key != NULL && i < sizeof references / sizeof *references; i++) {
            reference = reference || strcmp(entry->key, references[i]) == 0;
        }
        bool named = entry->key != NULL && entry->kind == SS_NODE_SCALAR;
        if (reference) {
            SS_TRY(add_prefix(r, entry));
        } else if (named && strcmp(entry->key, "file") == 0 && entry->text[0] != '/') {
            SS_TRY(join(r->d, r->directory, entry->text, &entry->text));
        } else if (named && strcmp(entry->key, "function") == 0) {
            SS_TRY(rename_states(r, entry));
        } else {
            SS_TRY(rename_below(r, entry));
        }
    }
    return SS_OK;
}

/* Maps of named things: materials and templates. `pairs` is no material. */
static ss_status rename_keys(const renaming *r, ss_node *map)
{
    for (ss_node *entry = map->first; entry != NULL; entry = entry->next) {
        if (!is_common(entry->key) && strcmp(entry->key, "pairs") != 0) {
            SS_TRY(join(r->d, r->prefix, entry->key, &entry->key));
        }
    }
    return SS_OK;
}

/* ---- putting it in place ---- */

static ss_status merge_section(ss_decoder *d, ss_node *root, const char *key, ss_node *from)
{
    ss_node *to = ss_node_find(root, key);
    if (to == NULL) {
        from->next = NULL;
        ss_node_append(root, from);
        return SS_OK;
    }
    if (to->kind != from->kind || to->kind == SS_NODE_SCALAR) {
        return ss_decode_fail(d, from, "%s must be of one kind in both files", key);
    }
    for (ss_node *entry = from->first, *next; entry != NULL; entry = next) {
        next              = entry->next;
        entry->next       = NULL;
        ss_node *existing = to->kind == SS_NODE_MAP ? ss_node_find(to, entry->key) : NULL;
        if (existing == NULL) {
            ss_node_append(to, entry);
        } else if (strcmp(entry->key, "pairs") == 0 && entry->kind == SS_NODE_LIST) {
            for (ss_node *pair = entry->first, *after; pair != NULL; pair = after) {
                after      = pair->next;
                pair->next = NULL;
                ss_node_append(existing, pair);
            }
        } else if (strcmp(entry->key, "default") != 0) {
            return ss_decode_fail(d, entry,
                                  "'%.60s' is in both files: give the included one a "
                                  "prefix",
                                  entry->key);
        }
    }
    return SS_OK;
}

/* Tables that expressions call get the prefix there too. */
static ss_status bind_tables(ss_decoder *d, const ss_node *tree, const char *prefix,
                             const ss_binding **scope)
{
    const ss_node *tables = ss_node_find(tree, "tables");
    for (const ss_node *t = tables != NULL ? tables->first : NULL; t != NULL; t = t->next) {
        ss_binding *b    = ss_pool_alloc(d->pool, 1, sizeof *b);
        ss_node    *name = ss_node_new(d->pool, SS_NODE_SCALAR, t->origin, t->line, t->column);
        if (b == NULL || name == NULL) {
            return ss_decode_no_memory(d);
        }
        SS_TRY(join(d, prefix, t->key, &name->text));
        *b     = (ss_binding){t->key, name, *scope};
        *scope = b;
    }
    return SS_OK;
}

/* The included file's params, as `with` changes them, are put into its expressions. */
static ss_status apply_params(ss_decoder *d, ss_node *tree, const ss_node *with, const char *prefix)
{
    const ss_node    *params = ss_node_find(tree, "params");
    const ss_binding *scope  = NULL;
    SS_TRY(bind_tables(d, tree, prefix, &scope));
    for (const ss_node *w = with != NULL ? with->first : NULL; w != NULL; w = w->next) {
        if (params == NULL || ss_node_find(params, w->key) == NULL) {
            return ss_decode_fail(d, w, "the included file has no param '%.60s'", w->key);
        }
    }
    for (ss_node *p = params != NULL ? params->first : NULL; p != NULL; p = p->next) {
        const ss_node *given = with != NULL ? ss_node_find(with, p->key) : NULL;
        ss_binding    *b     = ss_pool_alloc(d->pool, 1, sizeof *b);
        if (b == NULL) {
            return ss_decode_no_memory(d);
        }
        if (given == NULL) {
            SS_TRY(ss_node_substitute(d, p, scope,
                                      SS_NOT_YET)); /* params are expressions of earlier ones */
        }
        *b    = (ss_binding){p->key, given != NULL ? given : p, scope};
        scope = b;
    }
    for (size_t i = 0; i < sizeof merged / sizeof *merged; i++) {
        ss_node *section = ss_node_find(tree, merged[i]);
        if (section != NULL) {
            SS_TRY(ss_node_substitute(d, section, scope, SS_NOT_YET));
        }
    }
    return SS_OK;
}

/* Files that include each other many times must come to an end, as `repeat` does. */
static ss_status count_nodes(includes *x, const ss_node *place, const ss_node *tree)
{
    x->nodes += ss_node_count(tree);
    return x->nodes <= SS_NODE_COUNT_MAX
               ? SS_OK
               : ss_decode_fail(x->d, place, "include would make more than %d values",
                                SS_NODE_COUNT_MAX);
}

static ss_status merge_tree(includes *x, const ss_node *place, ss_node *root, ss_node *tree,
                            const renaming *r)
{
    ss_decoder *d = x->d;
    for (size_t i = 0; i < sizeof merged / sizeof *merged; i++) {
        ss_node *section = ss_node_find(tree, merged[i]);
        if (section == NULL) {
            continue;
        }
        if (section->kind == SS_NODE_MAP) {
            SS_TRY(rename_keys(r, section));
        }
        SS_TRY(rename_below(r, section));
    }
    for (size_t i = 0; i < sizeof merged / sizeof *merged; i++) {
        ss_node *section = ss_node_find(tree, merged[i]);
        if (section != NULL) {
            SS_TRY(count_nodes(x, place, section));
            /* what follows it in its own file must stay there */
            ss_node *copy = ss_node_copy(d->pool, section);
            if (copy == NULL) {
                return ss_decode_no_memory(d);
            }
            SS_TRY(merge_section(d, root, merged[i], copy));
        }
    }
    return SS_OK;
}

/* ---- the file ---- */

static ss_status check_dimension(ss_decoder *d, const ss_node *place, const ss_node *tree)
{
    const ss_node *here  = ss_node_find(d->root, "dimension"),
                  *there = ss_node_find(tree, "dimension");
    const char *a        = here != NULL && here->text != NULL ? here->text : "3";
    const char *b        = there != NULL && there->text != NULL ? there->text : "3";
    return strcmp(a, b) == 0 ? SS_OK
                             : ss_decode_fail(d, place,
                                              "the included scene has dimension %.20s, "
                                              "this one %.20s",
                                              b, a);
}

static const char *last_slash(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static ss_status include_into(includes *x, ss_node *root, const char *directory, int depth);

static ss_status include_one(includes *x, ss_node *root, ss_node *entry, const char *directory,
                             int depth)
{
    ss_decoder *d    = x->d;
    const char *file = "", *prefix = "", *path = "";
    SS_TRY(ss_decode_expect(d, "include", entry, SS_NODE_MAP));
    ss_node *f = ss_node_find(entry, "file"), *p = ss_node_find(entry, "prefix");
    ss_node *with = ss_node_find(entry, "with");
    if (f == NULL || entry->count != 1 + (p != NULL) + (with != NULL)) {
        return ss_decode_fail(d, entry, "include must be {file: PATH, prefix: TEXT, with: {..}}");
    }
    SS_TRY(ss_decode_text(d, "file", f, &file));
    if (p != NULL) {
        SS_TRY(ss_decode_text(d, "prefix", p, &prefix));
    }
    if (with != NULL) {
        SS_TRY(ss_decode_expect(d, "with", with, SS_NODE_MAP));
    }
    if (depth >= SS_INCLUDE_DEPTH_MAX) {
        return ss_decode_fail(d, entry, "files include each other more than %d deep",
                              SS_INCLUDE_DEPTH_MAX);
    }
    if (++x->files > SS_INCLUDES_MAX) {
        return ss_decode_fail(d, entry, "more than %d files are included", SS_INCLUDES_MAX);
    }
    SS_TRY(join(d, file[0] == '/' ? "" : directory, file, &path));
    ss_node  *tree   = NULL;
    ss_status status = ss_node_read_file(d->ctx, d->pool, path, &tree);
    if (status != SS_OK) {
        return status == SS_ERR_MEMORY ? status : ss_node_place(d->ctx, f, status);
    }
    SS_TRY(ss_decode_expect(d, "a scene", tree, SS_NODE_MAP));
    SS_TRY(check_dimension(d, f, tree));
    SS_TRY(count_nodes(x, f, tree));
    char *folder = ss_pool_alloc(d->pool, strlen(path) + 1, 1);
    char *beside = ss_pool_alloc(d->pool, strlen(file) + 1, 1);
    if (folder == NULL || beside == NULL) {
        return ss_decode_no_memory(d);
    }
    memcpy(folder, path, (size_t)(last_slash(path) - path));
    memcpy(beside, file, (size_t)(last_slash(file) - file));
    SS_TRY(include_into(x, tree, folder, depth + 1));
    SS_TRY(apply_params(d, tree, with, prefix));
    renaming r = {d, prefix, beside};
    return merge_tree(x, f, root, tree, &r);
}

static ss_status include_into(includes *x, ss_node *root, const char *directory, int depth)
{
    ss_node *include = ss_node_find(root, "include");
    if (include == NULL) {
        return SS_OK;
    }
    if (include->kind != SS_NODE_LIST) {
        return include_one(x, root, include, directory, depth);
    }
    for (ss_node *entry = include->first; entry != NULL; entry = entry->next) {
        SS_TRY(include_one(x, root, entry, directory, depth));
    }
    return SS_OK;
}

ss_status ss_scene_include(ss_decoder *d)
{
    includes x = {.d = d};
    return include_into(&x, d->root, d->directory, 0);
}
