/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML to nodes, through libyaml's events. A scene is data: anchors, aliases, tags, several
 * documents and duplicate keys are refused, and so is anything deeper or longer than a scene can
 * reasonably be, so that no file can make reading it expensive.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <yaml.h>

#include "core/input.h"
#include "scenefile/node.h"

typedef struct reader {
    ss_context   *ctx;
    ss_pool      *pool;
    const char   *origin, *text;
    size_t        length;
    yaml_parser_t parser;
    yaml_event_t  event;
    int32_t       nodes;
    bool          one_line; /* an override on the command line: no places in messages */
} reader;

static ss_status fail_at(reader *r, size_t line, size_t column, const char *what)
{
    if (r->one_line) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "%s: %s", r->origin, what);
    }
    return ss_fail(r->ctx, SS_ERR_INPUT, "%s:%zu:%zu: %s", r->origin, line + 1, column + 1, what);
}

static ss_status fail_here(reader *r, const char *what)
{
    return fail_at(r, r->event.start_mark.line, r->event.start_mark.column, what);
}

static ss_status out_of_memory(reader *r)
{
    return ss_fail(r->ctx, SS_ERR_MEMORY, "%s: out of memory", r->origin);
}

/* Bytes that are not text: libyaml tells their offset only. */
static ss_status fail_in_bytes(reader *r)
{
    size_t line = 0, column = 0;
    size_t end = r->parser.problem_offset;
    char   what[160];
    for (size_t i = 0; i < end && i < r->length; i++) {
        column = r->text[i] == '\n' ? 0 : column + 1;
        line += r->text[i] == '\n';
    }
    snprintf(what, sizeof what, "this is not UTF-8 text (%s)",
             r->parser.problem != NULL ? r->parser.problem : "bad byte");
    return fail_at(r, line, column, what);
}

static ss_status fail_in_parser(reader *r)
{
    char what[256];
    switch (r->parser.error) {
    case YAML_MEMORY_ERROR:
        return out_of_memory(r);
    case YAML_READER_ERROR:
        return fail_in_bytes(r);
    default:
        break;
    }
    snprintf(what, sizeof what, "this is not valid YAML: %s%s%s",
             r->parser.problem != NULL ? r->parser.problem : "unknown problem",
             r->parser.context != NULL ? " " : "",
             r->parser.context != NULL ? r->parser.context : "");
    return fail_at(r, r->parser.problem_mark.line, r->parser.problem_mark.column, what);
}

static ss_status next_event(reader *r)
{
    yaml_event_delete(&r->event);
    if (!yaml_parser_parse(&r->parser, &r->event)) {
        return fail_in_parser(r);
    }
    return SS_OK;
}

static ss_status read_value(reader *r, int depth, ss_node **out);

static ss_status read_scalar(reader *r, ss_node *node)
{
    int         ok    = 1;
    const char *value = (const char *)r->event.data.scalar.value;
    if (strlen(value) != r->event.data.scalar.length) {
        return fail_here(r, "text must not contain the character 0");
    }
    node->text  = ss_pool_text(r->pool, value, &ok);
    node->plain = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return ok ? SS_OK : out_of_memory(r);
}

static ss_status read_list(reader *r, int depth, ss_node *list)
{
    for (;;) {
        SS_TRY(next_event(r));
        if (r->event.type == YAML_SEQUENCE_END_EVENT) {
            return SS_OK;
        }
        ss_node *item = NULL;
        SS_TRY(read_value(r, depth + 1, &item));
        assert(item != NULL);
        ss_node_append(list, item);
    }
}

/* The keys of a map by their hash, so that a map of many keys is read in linear time. */
typedef struct key_set {
    const ss_node **slots; /* (room) a power of two, at most half full; NULL: empty slot */
    size_t          room, count;
} key_set;

static size_t hash_of(const char *text)
{
    uint64_t h = 1469598103934665603u; /* FNV-1a */
    for (; *text != '\0'; text++) {
        h = (h ^ (unsigned char)*text) * 1099511628211u;
    }
    return (size_t)(h ^ (h >> 29));
}

static const ss_node **slot_of(const key_set *set, const char *key)
{
    size_t at = hash_of(key) & (set->room - 1);
    while (set->slots[at] != NULL && strcmp(set->slots[at]->key, key) != 0) {
        at = (at + 1) & (set->room - 1);
    }
    return &set->slots[at];
}

static ss_status grow_keys(reader *r, key_set *set)
{
    if (2 * (set->count + 1) <= set->room) {
        return SS_OK;
    }
    key_set bigger = {NULL, set->room > 0 ? 4 * set->room : 32, set->count};
    /* An array of pointers: NOLINTNEXTLINE(bugprone-sizeof-expression) */
    bigger.slots = ss_alloc(r->ctx, bigger.room, sizeof *bigger.slots);
    if (bigger.slots == NULL) {
        return out_of_memory(r);
    }
    for (size_t i = 0; i < set->room; i++) {
        if (set->slots[i] != NULL) {
            *slot_of(&bigger, set->slots[i]->key) = set->slots[i];
        }
    }
    ss_free(r->ctx, (void *)set->slots, set->room * sizeof *set->slots); /* NOLINT */
    *set = bigger;
    return SS_OK;
}

static ss_status read_key(reader *r, const key_set *seen, const char **key)
{
    int ok = 1;
    if (r->event.type != YAML_SCALAR_EVENT) {
        return fail_here(r, "a key must be a word");
    }
    const char *text = (const char *)r->event.data.scalar.value;
    if (strlen(text) != r->event.data.scalar.length) {
        return fail_here(r, "a key must not contain the character 0");
    }
    const ss_node *twice = *slot_of(seen, text);
    if (twice != NULL) {
        char what[160];
        snprintf(what, sizeof what, "the key '%.60s' is there twice (first in line %d)", text,
                 (int)twice->line);
        return fail_here(r, what);
    }
    *key = ss_pool_text(r->pool, text, &ok);
    return ok ? SS_OK : out_of_memory(r);
}

static ss_status read_entries(reader *r, int depth, ss_node *map, key_set *seen)
{
    for (;;) {
        const char *key   = NULL;
        ss_node    *value = NULL;
        SS_TRY(next_event(r));
        if (r->event.type == YAML_MAPPING_END_EVENT) {
            return SS_OK;
        }
        SS_TRY(grow_keys(r, seen));
        SS_TRY(read_key(r, seen, &key));
        SS_TRY(next_event(r));
        SS_TRY(read_value(r, depth + 1, &value));
        assert(value != NULL);
        value->key = key;
        ss_node_append(map, value);
        *slot_of(seen, key) = value;
        seen->count++;
    }
}

static ss_status read_map(reader *r, int depth, ss_node *map)
{
    key_set   seen   = {NULL, 0, 0};
    ss_status status = read_entries(r, depth, map, &seen);
    ss_free(r->ctx, (void *)seen.slots, seen.room * sizeof *seen.slots); /* NOLINT */
    return status;
}

static ss_status refuse_extras(reader *r)
{
    const yaml_event_t *e      = &r->event;
    const yaml_char_t  *anchor = NULL, *tag = NULL;
    switch (e->type) {
    case YAML_ALIAS_EVENT:
        return fail_here(r, "aliases (*name) are not supported: write the value, or use params");
    case YAML_SCALAR_EVENT:
        anchor = e->data.scalar.anchor;
        tag    = e->data.scalar.tag;
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = e->data.sequence_start.anchor;
        tag    = e->data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = e->data.mapping_start.anchor;
        tag    = e->data.mapping_start.tag;
        break;
    default:
        break;
    }
    if (anchor != NULL) {
        return fail_here(r, "anchors (&name) are not supported: write the value, or use params");
    }
    if (tag != NULL) {
        return fail_here(r, "tags (!name) are not supported");
    }
    return SS_OK;
}

/* The value that the current event begins. */
static ss_status read_value(reader *r, int depth, ss_node **out)
{
    static const struct {
        yaml_event_type_t event;
        ss_node_kind      kind;
    } kinds[]         = {{YAML_SCALAR_EVENT, SS_NODE_SCALAR},
                         {YAML_SEQUENCE_START_EVENT, SS_NODE_LIST},
                         {YAML_MAPPING_START_EVENT, SS_NODE_MAP}};
    ss_node_kind kind = SS_NODE_SCALAR;
    SS_TRY(refuse_extras(r));
    if (depth > SS_NODE_DEPTH_MAX) {
        return fail_here(r, "lists and maps are nested too deeply");
    }
    if (++r->nodes > SS_NODE_COUNT_MAX) {
        return fail_here(r, "the file has too many values");
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        kind = r->event.type == kinds[i].event ? kinds[i].kind : kind;
    }
    const yaml_mark_t *mark = &r->event.start_mark;
    *out =
        ss_node_new(r->pool, kind, r->origin, (int32_t)mark->line + 1, (int32_t)mark->column + 1);
    if (*out == NULL) {
        return out_of_memory(r);
    }
    switch (kind) {
    case SS_NODE_LIST:
        return read_list(r, depth, *out);
    case SS_NODE_MAP:
        return read_map(r, depth, *out);
    case SS_NODE_SCALAR:
        break;
    }
    return read_scalar(r, *out);
}

static ss_status read_document(reader *r, ss_node **out)
{
    SS_TRY(next_event(r)); /* stream start */
    SS_TRY(next_event(r)); /* document start, or the end of an empty stream */
    if (r->event.type == YAML_STREAM_END_EVENT) {
        return fail_at(r, 0, 0, "there is nothing in it");
    }
    SS_TRY(next_event(r));
    SS_TRY(read_value(r, 0, out));
    SS_TRY(next_event(r)); /* document end */
    SS_TRY(next_event(r));
    if (r->event.type != YAML_STREAM_END_EVENT) {
        return fail_here(r, "there is a second document ('---') in it");
    }
    return SS_OK;
}

ss_status ss_yaml_parse(ss_context *ctx, ss_pool *pool, const char *text, size_t length,
                        const char *origin, ss_node **out)
{
    reader r   = {.ctx = ctx, .pool = pool, .origin = origin, .text = text, .length = length};
    r.one_line = strncmp(origin, "--", 2) == 0;
    *out       = NULL;
    if (length > SS_NODE_FILE_MAX) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: larger than %d MiB", origin,
                       SS_NODE_FILE_MAX / 1048576);
    }
    if (!yaml_parser_initialize(&r.parser)) {
        return out_of_memory(&r);
    }
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* the mark that some editors put */
        r.text += 3;
        r.length -= 3;
    }
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)r.text, r.length);
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    ss_status status = read_document(&r, out);
    yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    return status;
}

/* ---- files ---- */

/* The whole file, or SS_NODE_FILE_MAX + 1 bytes of a larger one. */
static ss_status read_bytes(ss_context *ctx, const char *path, FILE *file, char **out,
                            size_t *length, size_t *room)
{
    for (*length = 0, *room = 0, *out = NULL;;) {
        if (*length == *room) {
            size_t grown = *room > 0 ? 2 * *room : 65536;
            char  *more  = ss_resize(ctx, *out, *room, grown);
            if (more == NULL) {
                return ss_fail(ctx, SS_ERR_MEMORY, "%s: out of memory", path);
            }
            *out  = more;
            *room = grown;
        }
        size_t n = fread(*out + *length, 1, *room - *length, file);
        *length += n;
        if (n == 0 && ferror(file)) {
            return ss_fail(ctx, SS_ERR_INPUT, "%s: cannot be read: %s", path, strerror(errno));
        }
        if (n == 0 || *length > SS_NODE_FILE_MAX) {
            return SS_OK;
        }
    }
}

ss_status ss_file_read(ss_context *ctx, const char *path, char **text, size_t *length, size_t *room)
{
    *text      = NULL;
    *room      = 0;
    FILE *file = NULL;
    SS_TRY(ss_input_stream(ctx, path, SS_INPUT_ANY_SIZE, &file));
    ss_status status = read_bytes(ctx, path, file, text, length, room);
    fclose(file);
    return status;
}

ss_status ss_node_read_file(ss_context *ctx, ss_pool *pool, const char *path, ss_node **out)
{
    char     *text = NULL;
    size_t    length, room = 0;
    int       ok     = 1;
    ss_status status = ss_file_read(ctx, path, &text, &length, &room);
    if (status == SS_OK) {
        const char *origin = ss_pool_text(pool, path, &ok);
        status             = ok ? ss_yaml_parse(ctx, pool, text, length, origin, out)
                                : ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    ss_free(ctx, text, room);
    return status;
}
