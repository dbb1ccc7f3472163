/* SPDX-License-Identifier: Apache-2.0 */
/* `use` and `repeat`: templates put in place, entries of lists written out. */
#include "scenefile/expand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct expansion {
    ss_decoder       *d;
    const ss_node    *templates; /* a map, or NULL */
    const ss_binding *scope;     /* params that are vectors or texts */
    int64_t           made;      /* nodes so far, bounded like those of a file */
} expansion;

int64_t ss_node_count(const ss_node *node)
{
    int64_t count = 1;
    for (const ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        count += ss_node_count(entry);
    }
    return count;
}

/* A copy of `node`, counted: files that multiply themselves must come to an end. */
static ss_status copy_node(expansion *x, const ss_node *node, ss_node **out)
{
    x->made += ss_node_count(node);
    if (x->made > SS_NODE_COUNT_MAX) {
        return ss_decode_fail(x->d, node, "repeat and use would make more than %d values",
                              SS_NODE_COUNT_MAX);
    }
    *out = ss_node_copy(x->d->pool, node);
    return *out != NULL ? SS_OK : ss_decode_no_memory(x->d);
}

static ss_status bind(ss_decoder *d, const char *name, const ss_node *value,
                      const ss_binding *outer, const ss_binding **out)
{
    SS_TRY(ss_node_place(d->ctx, value, ss_expr_check_name(d->ctx, name)));
    ss_binding *b = ss_pool_alloc(d->pool, 1, sizeof *b);
    if (b == NULL) {
        return ss_decode_no_memory(d);
    }
    *b   = (ss_binding){name, value, outer};
    *out = b;
    return SS_OK;
}

/* ---- use ------------------------------------------------------------------------------------ */

static ss_status find_template(expansion *x, const ss_node *use, const ss_node **out)
{
    const char *names[64];
    int32_t     count = 0;
    SS_TRY(ss_decode_expect(x->d, "use", use, SS_NODE_SCALAR));
    *out = x->templates != NULL ? ss_node_find(x->templates, use->text) : NULL;
    if (*out != NULL) {
        return ss_decode_expect(x->d, "a template", *out, SS_NODE_MAP);
    }
    for (const ss_node *t           = x->templates != NULL ? x->templates->first : NULL;
         t != NULL && count < 64; t = t->next) {
        names[count++] = t->key;
    }
    ss_name_list list = {names, count};
    return ss_decode_unknown_name(x->d, use, "template", use->text, &list);
}

/* The template's parameters: what `given` says, else their defaults. */
static ss_status bind_parameters(expansion *x, const ss_node *defaults, const ss_node *given,
                                 const ss_binding **out)
{
    const ss_binding *scope = NULL;
    if (defaults != NULL) {
        SS_TRY(ss_decode_expect(x->d, "with", defaults, SS_NODE_MAP));
    }
    if (given != NULL) {
        SS_TRY(ss_decode_expect(x->d, "with", given, SS_NODE_MAP));
    }
    for (const ss_node *p = defaults != NULL ? defaults->first : NULL; p != NULL; p = p->next) {
        const ss_node *value = given != NULL ? ss_node_find(given, p->key) : NULL;
        SS_TRY(bind(x->d, p->key, value != NULL ? value : p, scope, &scope));
    }
    for (const ss_node *p = given != NULL ? given->first : NULL; p != NULL; p = p->next) {
        if (defaults == NULL || ss_node_find(defaults, p->key) == NULL) {
            return ss_decode_fail(x->d, p,
                                  "the template has no parameter '%.60s' (its `with` "
                                  "names them, with their defaults)",
                                  p->key);
        }
    }
    *out = scope;
    return SS_OK;
}

/* Keys of the template that the map does not have itself. */
static void fill_in(ss_node *map, ss_node *from)
{
    for (ss_node *entry = from->first, *next; entry != NULL; entry = next) {
        next        = entry->next;
        entry->next = NULL;
        if (ss_node_find(map, entry->key) == NULL) {
            ss_node_append(map, entry);
        }
    }
}

static ss_status put_template(expansion *x, ss_node *map, int depth)
{
    ss_node *use = ss_node_drop(map, "use"), *given = ss_node_drop(map, "with");
    if (use == NULL && given == NULL) {
        return SS_OK;
    }
    if (use == NULL) {
        return ss_decode_fail(x->d, given,
                              "`with` gives the parameters of a template: `use: NAME` "
                              "is missing");
    }
    if (depth >= SS_USE_DEPTH_MAX) {
        return ss_decode_fail(x->d, use, "templates use each other more than %d deep",
                              SS_USE_DEPTH_MAX);
    }
    const ss_node    *source = NULL;
    const ss_binding *scope  = NULL;
    ss_node          *piece  = NULL;
    SS_TRY(find_template(x, use, &source));
    SS_TRY(copy_node(x, source, &piece));
    const ss_node *defaults = ss_node_drop(piece, "with");
    SS_TRY(bind_parameters(x, defaults, given, &scope));
    SS_TRY(ss_node_substitute(x->d, piece, scope, SS_NOT_YET));
    fill_in(map, piece);
    return put_template(x, map, depth + 1); /* the template may use another one */
}

/* ---- repeat --------------------------------------------------------------------------------- */

typedef struct index {
    const char *name;
    int64_t     count;
} index;

static ss_status read_index(expansion *x, ss_node *node, index *out)
{
    double count;
    SS_TRY(ss_decode_expect(x->d, "repeat", node, SS_NODE_MAP));
    ss_node *n = ss_node_find(node, "count"), *as = ss_node_find(node, "as");
    if (n == NULL || node->count != (as != NULL ? 2 : 1)) {
        return ss_decode_fail(x->d, node, "repeat must be {count: NUMBER, as: INDEX}");
    }
    SS_TRY(ss_decode_number(x->d, "count", n, &count));
    if (count != floor(count) || count < 0 || count > SS_REPEAT_MAX) {
        return ss_decode_fail(x->d, n, "count must be a whole number from 0 to %d, got %.15g",
                              SS_REPEAT_MAX, count);
    }
    out->name = "i";
    if (as != NULL) {
        SS_TRY(ss_decode_text(x->d, "as", as, &out->name));
    }
    SS_TRY(ss_node_place(x->d->ctx, node, ss_expr_check_name(x->d->ctx, out->name)));
    out->count = (int64_t)count;
    return SS_OK;
}

static ss_status read_indices(expansion *x, ss_node *repeat, index *out, int *count)
{
    *count = 1;
    if (repeat->kind != SS_NODE_LIST) {
        return read_index(x, repeat, &out[0]);
    }
    *count = 0;
    for (ss_node *entry = repeat->first; entry != NULL; entry = entry->next) {
        if (*count == SS_REPEAT_NEST_MAX) {
            return ss_decode_fail(x->d, entry, "repeat has at most %d indices", SS_REPEAT_NEST_MAX);
        }
        SS_TRY(read_index(x, entry, &out[(*count)++]));
    }
    return SS_OK;
}

/* A number as a node, to be bound to an index. */
static ss_status number_node(ss_decoder *d, const ss_node *place, int64_t value, ss_node **out)
{
    char digits[24];
    int  ok = 1;
    snprintf(digits, sizeof digits, "%lld", (long long)value);
    *out = ss_node_new(d->pool, SS_NODE_SCALAR, place->origin, place->line, place->column);
    if (*out != NULL) {
        (*out)->text = ss_pool_text(d->pool, digits, &ok);
    }
    return *out != NULL && ok ? SS_OK : ss_decode_no_memory(d);
}

/* One copy for every value of the indices from `level` on. */
static ss_status write_out(expansion *x, const ss_node *entry, const index *indices, int count,
                           int level, const ss_binding *scope, ss_node *list)
{
    if (level == count) {
        ss_node *copy;
        SS_TRY(copy_node(x, entry, &copy));
        SS_TRY(ss_node_substitute(x->d, copy, scope, SS_NOT_YET));
        ss_node_append(list, copy);
        return SS_OK;
    }
    for (int64_t i = 0; i < indices[level].count; i++) {
        const ss_binding *inner = NULL;
        ss_node          *value;
        SS_TRY(number_node(x->d, entry, i, &value));
        SS_TRY(bind(x->d, indices[level].name, value, scope, &inner));
        SS_TRY(write_out(x, entry, indices, count, level + 1, inner, list));
    }
    return SS_OK;
}

/* Files that multiply themselves are refused before they do. */
static ss_status check_room(const expansion *x, const ss_node *entry, const index *indices,
                            int count)
{
    double made = (double)x->made, copies = 1;
    for (int i = 0; i < count; i++) {
        copies *= (double)indices[i].count;
    }
    if (made + copies * (double)ss_node_count(entry) > SS_NODE_COUNT_MAX) {
        return ss_decode_fail(x->d, entry,
                              "repeat would make %.0f copies of %lld values; at most "
                              "%d values are allowed",
                              copies, (long long)ss_node_count(entry), SS_NODE_COUNT_MAX);
    }
    return SS_OK;
}

static ss_status repeat_entries(expansion *x, ss_node *list)
{
    bool any = false;
    for (const ss_node *e = list->first; e != NULL; e = e->next) {
        any = any || (e->kind == SS_NODE_MAP && ss_node_find(e, "repeat") != NULL);
    }
    if (!any) {
        return SS_OK;
    }
    ss_node *entry = list->first, *next;
    list->first = list->last = NULL;
    list->count              = 0;
    for (; entry != NULL; entry = next) {
        ss_node *repeat = entry->kind == SS_NODE_MAP ? ss_node_drop(entry, "repeat") : NULL;
        next            = entry->next;
        entry->next     = NULL;
        if (repeat == NULL) {
            ss_node_append(list, entry);
            continue;
        }
        index indices[SS_REPEAT_NEST_MAX];
        int   count = 0;
        SS_TRY(read_indices(x, repeat, indices, &count));
        SS_TRY(check_room(x, entry, indices, count));
        SS_TRY(write_out(x, entry, indices, count, 0, NULL, list));
    }
    return SS_OK;
}

/* ---- everywhere ----------------------------------------------------------------------------- */

/* A template that uses itself further down has no end: it is as deep as a file may be. */
static ss_status expand_below(expansion *x, ss_node *node, int depth)
{
    if (depth > SS_NODE_DEPTH_MAX) {
        return ss_decode_fail(x->d, node,
                              "lists and maps are nested more than %d deep: does a template use "
                              "itself?",
                              SS_NODE_DEPTH_MAX);
    }
    if (node->kind == SS_NODE_MAP) {
        SS_TRY(put_template(x, node, 0));
    } else if (node->kind == SS_NODE_LIST) {
        SS_TRY(repeat_entries(x, node));
    }
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        SS_TRY(expand_below(x, entry, depth + 1));
    }
    return SS_OK;
}

ss_status ss_scene_expand(ss_decoder *d)
{
    expansion      x      = {.d = d, .templates = ss_node_find(d->root, "templates")};
    const ss_node *params = ss_node_find(d->root, "params");
    d->what[0]            = '\0';
    if (x.templates != NULL) {
        SS_TRY(ss_decode_expect(d, "templates", x.templates, SS_NODE_MAP));
    }
    if (params != NULL) {
        SS_TRY(ss_param_bindings(d, params, &x.scope));
    }
    for (ss_node *section = d->root->first; section != NULL; section = section->next) {
        if (section == x.templates || section == params || strcmp(section->key, "include") == 0) {
            continue;
        }
        SS_TRY(expand_below(&x, section, 1));
        SS_TRY(ss_node_substitute(d, section, x.scope, SS_LAST_TIME));
    }
    return SS_OK;
}
