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
#include <sys/stat.h>

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

/* Where the last whole line ends. */
static ss_status read_all(ss_context *ctx, const ss_map_args *args, ss_map_journal *j, char *cells,
                          int32_t count, bool *known, long *end)
{
    char  first[128], line[LINE];
    FILE *in = fopen(args->resume, "r");
    name_map(args, j->cls, first, sizeof first);
    *end = 0;
    if (in == NULL) {
        return SS_OK; /* it begins here */
    }
    bool mine = fgets(line, sizeof line, in) != NULL && strcmp(line, first) == 0;
    *end      = ftell(in);
    while (mine && fgets(line, sizeof line, in) != NULL &&
           read_line(j, line, cells, count, known)) {
        *end = ftell(in);
    }
    fclose(in);
    return mine || *end == 0
               ? SS_OK
               : ss_fail(ctx, SS_ERR_INPUT,
                         "%s: is not the journal of this map: another scene, other axes or another "
                         "version; delete it, or give another name",
                         args->resume);
}

static ss_status open_for_the_rest(ss_context *ctx, const ss_map_args *args, ss_map_journal *j,
                                   long end)
{
    char first[128];
    j->file = fopen(args->resume, end > 0 ? "r+" : "w");
    if (j->file == NULL) {
        return ss_fail(ctx, SS_ERR_IO, "%s: cannot be written", args->resume);
    }
    if (end > 0) {
        fseek(j->file, end, SEEK_SET);
        return SS_OK;
    }
    name_map(args, j->cls, first, sizeof first);
    fputs(first, j->file);
    return SS_OK;
}

/* A journal is read before it is written on: a pipe would be waited for. */
static ss_status test_file(ss_context *ctx, const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode)
               ? ss_fail(ctx, SS_ERR_INPUT, "%s: is not a file", path)
               : ss_output_test(ctx, path);
}

ss_status ss_journal_open(ss_context *ctx, const ss_map_args *args, const ss_journal_class *cls,
                          void *cells, int32_t count, ss_map_journal *out)
{
    long  end        = 0;
    bool *known      = calloc((size_t)count + 1, sizeof *known);
    *out             = (ss_map_journal){.cls = cls, .lock = PTHREAD_MUTEX_INITIALIZER};
    out->todo        = calloc((size_t)count + 1, sizeof *out->todo);
    ss_status status = known != NULL && out->todo != NULL
                           ? SS_OK
                           : ss_fail(ctx, SS_ERR_MEMORY, "no memory for %d cells", (int)count);
    if (status == SS_OK && args->resume != NULL) {
        status = test_file(ctx, args->resume);
    }
    if (status == SS_OK && args->resume != NULL) {
        status = read_all(ctx, args, out, cells, count, known, &end);
    }
    if (status == SS_OK && args->resume != NULL) {
        status = open_for_the_rest(ctx, args, out, end);
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

void ss_journal_add(ss_map_journal *j, int32_t index, const void *cell)
{
    if (j->file == NULL) {
        return;
    }
    pthread_mutex_lock(&j->lock);
    fprintf(j->file, "%d ", (int)index);
    j->cls->write(j->file, cell);
    fputs(" .\n", j->file);
    pthread_mutex_unlock(&j->lock);
}

void ss_journal_close(ss_map_journal *j)
{
    if (j->file != NULL) {
        fclose(j->file);
    }
    free(j->todo);
    *j = (ss_map_journal){0};
}
