/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of a map of cells: any lines under the right first one, read as cells of both kinds.
 * What is read again after it was written on is the same.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "map_cells.h"
#include "stickslip/stickslip.h"

enum { CELLS = 5 };

/* Cells that are known then; -1: refused. */
static int32_t read_cells(const ss_journal_class *cls, const char *path, bool add)
{
    static union {
        ss_step_cell  steps[CELLS];
        ss_state_cell states[CELLS];
    } cells;
    ss_context    *ctx   = ss_context_create(NULL);
    ss_arg_list    axes  = {0};
    ss_map_args    args  = {.axes = &axes, .resume = path, .resolved = ""};
    int32_t        known = -1;
    ss_map_journal j;
    memset(&cells, 0, sizeof cells);
    ss_status status = ss_journal_open(ctx, &args, cls, &cells, CELLS, &j);
    if (status == SS_OK) {
        known = CELLS - j.todo_count;
        if (add && j.todo_count > 0) {
            char *cell = (char *)&cells + (size_t)j.todo[0] * cls->cell_size;
            memset(cell, 0, cls->cell_size);
            known += ss_journal_add(&j, ctx, j.todo[0], cell) == SS_OK;
        }
        ss_journal_close(&j);
    } else if (ss_context_message(ctx)[0] == '\0') {
        abort(); /* an error nobody explains */
    }
    ss_context_destroy(ctx);
    return known;
}

/* The first line that the program writes, then the input. */
static void spoil(const ss_journal_class *cls, const char *path, const uint8_t *data, size_t size)
{
    unlink(path);
    read_cells(cls, path, false);
    FILE *f = fopen(path, "ab");
    if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const ss_journal_class *const kinds[] = {&ss_journal_of_steps, &ss_journal_of_states};
    char                                 path[64];
    snprintf(path, sizeof path, "fuzz_map.%ld.txt", (long)getpid());
    for (int i = 0; i < 2; i++) {
        spoil(kinds[i], path, data, size);
        int32_t known = read_cells(kinds[i], path, true);
        if (known < 0 || read_cells(kinds[i], path, false) != known) {
            abort();
        }
    }
    unlink(path);
    return 0;
}
