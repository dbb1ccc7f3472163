/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parsed file as a tree of scalars, lists and maps, each of which knows where it came from, so
 * that whoever decodes it can say file, line and column.
 */
#ifndef SS_IO_NODE_H
#define SS_IO_NODE_H

#include <stdarg.h>
#include <stdbool.h>

#include "core/pool.h"

typedef enum ss_node_kind { SS_NODE_SCALAR, SS_NODE_LIST, SS_NODE_MAP } ss_node_kind;

typedef struct ss_node ss_node;
struct ss_node {
    ss_node_kind kind;
    const char  *key;       /* in its map, or NULL                                      */
    const char  *text;      /* scalars                                                  */
    bool         plain;     /* scalars: written without quotes                          */
    bool         is_number; /* scalars: `number` is what the decoder took it for        */
    double       number;
    const char  *origin;       /* name of the file, or the override it came from           */
    int32_t      line, column; /* from 1; 0 when the origin has no lines                   */
    ss_node     *first, *last; /* entries of lists and maps                                */
    ss_node     *next;
    int32_t      count;
};

enum {
    SS_NODE_DEPTH_MAX     = 48,       /* lists in lists in maps ...  */
    SS_NODE_COUNT_MAX     = 4000000,  /* nodes in a file             */
    SS_NODE_FILE_MAX      = 33554432, /* bytes in a file: 32 MiB     */
    SS_NODE_MATERIALS_MAX = 2048,     /* every pair of them is kept */
    SS_NODE_PARAMS_MAX    = 4096      /* they are found one by one   */
};

/* Reads `length` bytes of YAML. Messages begin with `origin`:line:column. */
ss_status ss_yaml_parse(ss_context *ctx, ss_pool *pool, const char *text, size_t length,
                        const char *origin, ss_node **out);

/* The bytes of a file, in memory of `room` bytes that the caller frees (also after a failure). */
ss_status ss_file_read(ss_context *ctx, const char *path, char **text, size_t *length,
                       size_t *room);
/* A file as a tree. */
ss_status ss_node_read_file(ss_context *ctx, ss_pool *pool, const char *path, ss_node **out);

/* Takes an entry out of a map and returns it; NULL: there is none. */
ss_node *ss_node_drop(ss_node *map, const char *key);

/* A new node without entries; NULL when memory is exhausted. */
ss_node *ss_node_new(ss_pool *pool, ss_node_kind kind, const char *origin, int32_t line,
                     int32_t column);
void     ss_node_append(ss_node *parent, ss_node *child);

/* A tree of its own, whose texts are those of `node`; NULL when memory is exhausted. */
ss_node *ss_node_copy(ss_pool *pool, const ss_node *node);

/* The entry of a map, or NULL. */
ss_node *ss_node_find(const ss_node *map, const char *key);
/* "a map", "a list", "'text'": for messages. */
const char *ss_node_describe(const ss_node *node, char *buffer, size_t size);

/* Fails with "file:line:column: message". */
ss_status ss_node_fail(ss_context *ctx, const ss_node *node, ss_status status, const char *format,
                       ...) SS_PRINTF(4, 5);
/* The same, where the message stands in the context already: puts the place in front of it. */
ss_status ss_node_place(ss_context *ctx, const ss_node *node, ss_status status);

/*
 * Sets the value at a path such as "bodies.ball.mass": keys of maps, names or places (from 0) in
 * lists. `assignment` is PATH=VALUE, the value in YAML. A key that is not there is added to its
 * map; a list has to have the entry.
 */
ss_status ss_node_override(ss_context *ctx, ss_pool *pool, ss_node *root, const char *assignment);
/* Does a text in it have the word? */
bool ss_node_has_word(const ss_node *node, const char *word);

/* The same with path and value apart; `origin` names the place in messages. */
ss_status ss_node_assign(ss_context *ctx, ss_pool *pool, ss_node *root, const char *path,
                         const ss_node *value, const char *origin);

/* The tree as YAML again, numbers in full precision in place of expressions. */
ss_status ss_node_print(ss_context *ctx, ss_pool *pool, const ss_node *root, const char **text);

#endif
