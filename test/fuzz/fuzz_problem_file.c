/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes at all as a problem file: found by content, and as each text or archive format by
 * force. HDF5's own container is left to HDF5; fuzz_problem_hdf5.c is about what lies inside.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "stickslip/problem_file.h"

static void parse(const uint8_t *data, size_t size, const char *format)
{
    ss_context      *ctx = ss_context_create(NULL);
    ss_problem_file *file;
    if (ss_problem_file_parse(ctx, "fuzz", data, size, format, &file) == SS_OK) {
        fuzz_use(ss_problem_file_content(file));
    } else if (ss_context_message(ctx)[0] == '\0') {
        abort(); /* an error nobody explains */
    }
    ss_problem_file_destroy(file);
    ss_context_destroy(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 4 && memcmp(data, "\x89HDF", 4) == 0) {
        return 0;
    }
    parse(data, size, NULL);
    for (int32_t i = 0; i < ss_problem_format_count(); i++) {
        const char *name = ss_problem_format_at(i)->name;
        if (strcmp(name, "stickslip") != 0 && strcmp(name, "fclib") != 0) {
            parse(data, size, name);
        }
    }
    return 0;
}
