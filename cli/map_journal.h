/* SPDX-License-Identifier: Apache-2.0 */
/* `analyze --map --resume FILE`: cells are kept in a file as they are judged; a map that was
   interrupted goes on from there. */
#ifndef SS_CLI_MAP_JOURNAL_H
#define SS_CLI_MAP_JOURNAL_H

#include <pthread.h>
#include <stdio.h>

#include "analyze_map.h"

/* How a cell is written as words of a line, and read back (false: not one). */
typedef struct ss_journal_class {
    const char *name; /* of the kind of map: files of other kinds are refused */
    size_t      cell_size;
    void (*write)(FILE *out, const void *cell);
    bool (*read)(const char *words, void *cell);
} ss_journal_class;

typedef struct ss_map_journal {
    const ss_journal_class *cls;
    const char             *path;
    FILE                   *file; /* NULL: none is kept */
    pthread_mutex_t         lock;
    int32_t                *todo; /* (todo_count) cells that are not known yet */
    int32_t                 todo_count;
} ss_map_journal;

/*
 * Reads what args->resume has of the map into `cells` (count) and opens it for the rest; without a
 * file all cells are to do.
 */
ss_status ss_journal_open(ss_context *ctx, const ss_map_args *args, const ss_journal_class *cls,
                          void *cells, int32_t count, ss_map_journal *out);
/* A cell is known now; any thread. */
ss_status ss_journal_add(ss_map_journal *j, ss_context *ctx, int32_t index, const void *cell);
void      ss_journal_close(ss_map_journal *j);

#endif
