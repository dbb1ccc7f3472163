/* SPDX-License-Identifier: Apache-2.0 */
#include "scenefile/node.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ss_node *ss_node_new(ss_pool *pool, ss_node_kind kind, const char *origin, int32_t line,
                     int32_t column)
{
    ss_node *node = ss_pool_alloc(pool, 1, sizeof *node);
    if (node != NULL) {
        node->kind   = kind;
        node->origin = origin;
        node->line   = line;
        node->column = column;
    }
    return node;
}

void ss_node_append(ss_node *parent, ss_node *child)
{
    if (parent->last != NULL) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
    parent->count++;
}

ss_node *ss_node_copy(ss_pool *pool, const ss_node *node)
{
    ss_node *copy = ss_pool_alloc(pool, 1, sizeof *copy);
    if (copy == NULL) {
        return NULL;
    }
    *copy       = *node;
    copy->first = copy->last = copy->next = NULL;
    copy->count                           = 0;
    for (const ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        ss_node *child = ss_node_copy(pool, entry);
        if (child == NULL) {
            return NULL;
        }
        ss_node_append(copy, child);
    }
    return copy;
}

ss_node *ss_node_find(const ss_node *map, const char *key)
{
    for (ss_node *entry = map->first; entry != NULL; entry = entry->next) {
        if (entry->key != NULL && strcmp(entry->key, key) == 0) {
            return entry;
        }
    }
    return NULL;
}

ss_node *ss_node_drop(ss_node *map, const char *key)
{
    ss_node *before = NULL;
    for (ss_node *entry = map->first; entry != NULL; before = entry, entry = entry->next) {
        if (strcmp(entry->key, key) != 0) {
            continue;
        }
        if (before != NULL) {
            before->next = entry->next;
        } else {
            map->first = entry->next;
        }
        map->last = map->last == entry ? before : map->last;
        map->count--;
        entry->next = NULL;
        return entry;
    }
    return NULL;
}

const char *ss_node_describe(const ss_node *node, char *buffer, size_t size)
{
    switch (node->kind) {
    case SS_NODE_LIST:
        snprintf(buffer, size, "a list of %d", (int)node->count);
        break;
    case SS_NODE_MAP:
        snprintf(buffer, size, "a map");
        break;
    case SS_NODE_SCALAR:
        if (node->text[0] == '\0' && node->plain) {
            snprintf(buffer, size, "nothing");
        } else {
            snprintf(buffer, size, "'%.60s'", node->text);
        }
        break;
    }
    return buffer;
}

/* "file:line:column" or "--set a=b" */
static void print_place(const ss_node *node, char *out, size_t size)
{
    if (node->line > 0) {
        snprintf(out, size, "%s:%d:%d", node->origin, (int)node->line, (int)node->column);
    } else {
        snprintf(out, size, "%s", node->origin);
    }
}

ss_status ss_node_fail(ss_context *ctx, const ss_node *node, ss_status status, const char *format,
                       ...)
{
    char    message[768], place[384];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    print_place(node, place, sizeof place);
    return ss_fail(ctx, status, "%s: %s", place, message);
}

ss_status ss_node_place(ss_context *ctx, const ss_node *node, ss_status status)
{
    char message[768];
    if (status == SS_OK) {
        return SS_OK;
    }
    snprintf(message, sizeof message, "%s", ss_context_message(ctx));
    return ss_node_fail(ctx, node, status, "%s", message);
}

/* ---- overrides ---- */

/* The entry of a list by its name or its place. */
static ss_node *list_entry(const ss_node *list, const char *step)
{
    char *end   = NULL;
    long  place = strtol(step, &end, 10);
    bool  digit = end != step && *end == '\0';
    long  i     = 0;
    for (ss_node *entry = list->first; entry != NULL; entry = entry->next, i++) {
        const ss_node *name = entry->kind == SS_NODE_MAP ? ss_node_find(entry, "name") : NULL;
        if (name != NULL && name->kind == SS_NODE_SCALAR && strcmp(name->text, step) == 0) {
            return entry;
        }
        if (digit && i == place) {
            return entry;
        }
    }
    return NULL;
}

static ss_status no_such_entry(ss_context *ctx, const ss_node *at, const char *origin,
                               const char *step)
{
    if (at->kind == SS_NODE_LIST) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "%s: there is no entry '%s' in this list of %d (use a name, or a number "
                       "from 0)",
                       origin, step, (int)at->count);
    }
    return ss_fail(ctx, SS_ERR_INPUT, "%s: '%s' leads into something that is neither map nor list",
                   origin, step);
}

/* Steps into `at`; adds what a map lacks. */
static ss_status step_into(ss_context *ctx, ss_pool *pool, ss_node *at, const char *origin,
                           const char *step, ss_node **out)
{
    *out = at->kind == SS_NODE_LIST ? list_entry(at, step) : ss_node_find(at, step);
    if (*out != NULL) {
        return SS_OK;
    }
    if (at->kind != SS_NODE_MAP) {
        return no_such_entry(ctx, at, origin, step);
    }
    int      ok    = 1;
    ss_node *fresh = ss_node_new(pool, SS_NODE_MAP, origin, 0, 0);
    if (fresh == NULL || (fresh->key = ss_pool_text(pool, step, &ok), ok == 0)) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    ss_node_append(at, fresh);
    *out = fresh;
    return SS_OK;
}

/* Puts `value` where `place` stands, keeping key and neighbours. */
static void replace(ss_node *place, const ss_node *value)
{
    const char *key  = place->key;
    ss_node    *next = place->next;
    *place           = *value;
    place->key       = key;
    place->next      = next;
}

static void set_origin(ss_node *node, const char *origin)
{
    node->origin = origin;
    node->line = node->column = 0;
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        set_origin(entry, origin);
    }
}

/* How much of a path the key takes: keys of maps may have dots themselves; 0: none. */
static size_t step_length(const ss_node *at, const char *path)
{
    size_t longest = 0;
    for (const ss_node *entry = at->first; at->kind == SS_NODE_MAP && entry != NULL;
         entry                = entry->next) {
        size_t n = strlen(entry->key);
        if (n > longest && strncmp(entry->key, path, n) == 0 &&
            (path[n] == '.' || path[n] == '\0')) {
            longest = n;
        }
    }
    return longest > 0 ? longest : strcspn(path, ".");
}

ss_status ss_node_assign(ss_context *ctx, ss_pool *pool, ss_node *root, const char *path,
                         const ss_node *value, const char *origin)
{
    int      ok   = 1;
    char    *step = ss_pool_copy(pool, path, strlen(path) + 1, 1, &ok);
    ss_node *at   = root;
    if (!ok) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (bool last = false; !last;) {
        size_t n = step_length(at, step);
        last     = step[n] == '\0';
        step[n]  = '\0';
        SS_TRY(step_into(ctx, pool, at, origin, step, &at));
        step += n + 1;
    }
    replace(at, value);
    return SS_OK;
}

ss_status ss_node_override(ss_context *ctx, ss_pool *pool, ss_node *root, const char *assignment)
{
    int         ok = 1;
    char        origin[256];
    const char *equals = strchr(assignment, '=');
    snprintf(origin, sizeof origin, "--set %.200s", assignment);
    if (equals == NULL || equals == assignment) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: expected PATH=VALUE, such as bodies.ball.mass=2",
                       origin);
    }
    const char *kept = ss_pool_text(pool, origin, &ok);
    char       *path = ss_pool_copy(pool, assignment, (size_t)(equals - assignment) + 1, 1, &ok);
    ss_node    *value;
    if (!ok) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    path[equals - assignment] = '\0';
    SS_TRY(ss_yaml_parse(ctx, pool, equals + 1, strlen(equals + 1), kept, &value));
    set_origin(value, kept);
    return ss_node_assign(ctx, pool, root, path, value, kept);
}

bool ss_node_has_word(const ss_node *node, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = node->text; at != NULL && (at = strstr(at, word)) != NULL; at++) {
        bool starts = at == node->text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (starts && !(isalnum((unsigned char)at[length]) || at[length] == '_')) {
            return true;
        }
    }
    for (const ss_node *x = node->first; x != NULL; x = x->next) {
        if (ss_node_has_word(x, word)) {
            return true;
        }
    }
    return false;
}

/* ---- printing ---- */

typedef struct printer {
    char  *text; /* NULL in the first pass, which only counts */
    size_t length;
} printer;

static void put(printer *p, const char *text)
{
    size_t n = strlen(text);
    if (p->text != NULL) {
        memcpy(p->text + p->length, text, n);
    }
    p->length += n;
}

static void put_quoted(printer *p, const char *text)
{
    put(p, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        char piece[8];
        if (*c == '"' || *c == '\\') {
            snprintf(piece, sizeof piece, "\\%c", *c);
        } else if ((unsigned char)*c < 0x20) {
            snprintf(piece, sizeof piece, "\\x%02x", (unsigned)*c);
        } else {
            snprintf(piece, sizeof piece, "%c", *c);
        }
        put(p, piece);
    }
    put(p, "\"");
}

static void print_flow(printer *p, const ss_node *node)
{
    char number[32];
    bool map = node->kind == SS_NODE_MAP;
    if (node->kind == SS_NODE_SCALAR) {
        if (node->is_number) {
            snprintf(number, sizeof number, "%.17g", node->number);
            put(p, number);
        } else if (node->plain && node->text[0] != '\0') {
            put(p, node->text);
        } else {
            put_quoted(p, node->text);
        }
        return;
    }
    put(p, map ? "{" : "[");
    for (const ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        put(p, entry == node->first ? "" : ", ");
        if (map) {
            put_quoted(p, entry->key);
            put(p, ": ");
        }
        print_flow(p, entry);
    }
    put(p, map ? "}" : "]");
}

/* One line for each section, and one for each entry of a section that is a list. */
static void print_tree(printer *p, const ss_node *root)
{
    for (const ss_node *section = root->first; section != NULL; section = section->next) {
        put_quoted(p, section->key);
        put(p, ":");
        if (section->kind == SS_NODE_LIST && section->count > 0) {
            for (const ss_node *entry = section->first; entry != NULL; entry = entry->next) {
                put(p, "\n  - ");
                print_flow(p, entry);
            }
        } else {
            put(p, " ");
            print_flow(p, section);
        }
        put(p, "\n");
    }
}

ss_status ss_node_print(ss_context *ctx, ss_pool *pool, const ss_node *root, const char **text)
{
    printer count = {NULL, 0};
    print_tree(&count, root);
    printer write = {ss_pool_alloc(pool, count.length + 1, 1), 0};
    if (write.text == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    print_tree(&write, root);
    *text = write.text;
    return SS_OK;
}
