/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first line names the kind of map and a hash of all that decides its cells: the scene with
 * every number resolved, axes, time, c^2/k, version. Then a line for each cell: its index, its
 * words, and "." as its end, so that a line which was cut off is known as one.
 */
#include "map_journal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "stickslip/output.h"
#include "stickslip/stickslip.h"

enum { LINE = 1024 };

static uint64_t hash_text(uint64_t h, const char *text)
{
    for (; text != NULL && *text != '\0'; text++) { /* FNV-1a */
        h = (h ^ (unsigned char)*text) * 1099511628211u;
    }
    return (h ^ 0xff) * 1099511628211u;
}

static void name_map(const ss_map_args *args, const ss_journal_class *cls, char *line, size_t size)
{
    char     number[80];
    uint64_t h = hash_text(1469598103934665603u, args->resolved);
    snprintf(number, sizeof number, "%.17g %.17g", args->at, args->layers);
    h = hash_text(hash_text(h, number), ss_version());
    for (int32_t i = 0; i < args->axes->count; i++) {
        h = hash_text(h, args->axes->items[i]);
    }
    snprintf(line, size, "stickslip map of %s %016" PRIx64 "\n", cls->name, h);
}

/* "12 words .\n" */
static bool read_line(const ss_map_journal *j, char *line, char *cells, int32_t count, bool *known)
{
    char  *end;
    long   index  = strtol(line, &end, 10);
    size_t length = strlen(line);
    if (end == line || *end != ' ' || index < 0 || index >= count || length < 3 ||
        strcmp(line + length - 3, " .\n") != 0) {
        return false;
    }
    known[index] = known[index] || j->cls->read(end + 1, cells + (size_t)index * j->cls->cell_size);
    return known[index];
}

/* What the open journal has of the map; writing goes on where its last whole line ends. */
static ss_status read_all(ss_context *ctx, const ss_map_args *args, ss_map_journal *j, char *cells,
                          int32_t count, bool *known)
{
    char first[128], line[LINE];
    long end = 0;
    name_map(args, j->cls, first, sizeof first);
    bool any = fgets(line, sizeof line, j->file) != NULL, mine = any && strcmp(line, first) == 0;
    if (any && !mine) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "%s: is not the journal of this map: another scene, other axes or another "
                       "version; delete it, or give another name",
                       args->resume);
    }
    if (mine) {
        do {
            end = ftell(j->file);
        } while (fgets(line, sizeof line, j->file) != NULL &&
                 read_line(j, line, cells, count, known));
    }
    bool ok = ss_output_journal_cut(j->file, end) && (mine || fputs(first, j->file) >= 0) &&
              fflush(j->file) == 0;
    return ok ? SS_OK : ss_fail(ctx, SS_ERR_IO, "%s: cannot be written", args->resume);
}

static ss_status open_file(ss_context *ctx, const ss_map_args *args, ss_map_journal *j, char *cells,
                           int32_t count, bool *known)
{
    if (args->resume == NULL) {
        return SS_OK;
    }
    j->path = args->resume;
    SS_TRY(ss_output_journal(ctx, args->resume, "stickslip map of ", true, &j->file));
    return read_all(ctx, args, j, cells, count, known);
}

ss_status ss_journal_open(ss_context *ctx, const ss_map_args *args, const ss_journal_class *cls,
                          void *cells, int32_t count, ss_map_journal *out)
{
    bool *known      = calloc((size_t)count + 1, sizeof *known);
    *out             = (ss_map_journal){.cls = cls, .lock = PTHREAD_MUTEX_INITIALIZER};
    out->todo        = calloc((size_t)count + 1, sizeof *out->todo);
    ss_status status = known != NULL && out->todo != NULL
                           ? SS_OK
                           : ss_fail(ctx, SS_ERR_MEMORY, "no memory for %d cells", (int)count);
    if (status == SS_OK) {
        status = open_file(ctx, args, out, cells, count, known);
    }
    for (int32_t i = 0; status == SS_OK && i < count; i++) {
        if (!known[i]) {
            out->todo[out->todo_count++] = i;
        }
    }
    free(known);
    if (status != SS_OK) {
        ss_journal_close(out);
    }
    return status;
}

ss_status ss_journal_add(ss_map_journal *j, ss_context *ctx, int32_t index, const void *cell)
{
    if (j->file == NULL) {
        return SS_OK;
    }
    pthread_mutex_lock(&j->lock);
    fprintf(j->file, "%d ", (int)index);
    j->cls->write(j->file, cell);
    fputs(" .\n", j->file);
    bool ok = fflush(j->file) == 0;
    pthread_mutex_unlock(&j->lock);
    return ok ? SS_OK : ss_fail(ctx, SS_ERR_IO, "%s: the journal cannot be written", j->path);
}

void ss_journal_close(ss_map_journal *j)
{
    if (j->file != NULL) {
        fclose(j->file);
    }
    free(j->todo);
    *j = (ss_map_journal){0};
}
