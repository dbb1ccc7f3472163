/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs.h"

#include <string.h>

#include "cli.h"

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

/* An ending that promises another kind of file; endings that nobody knows are the user's. */
static const char *foreign_ending(const ss_output *o)
{
    static const char *const known[] = {".h5",  ".hdf5", ".csv", ".html", ".svg",
                                        ".png", ".yaml", ".yml", ".mp4",  ".json"};
    if (ends_in(o->path, o->ending) ||
        (strcmp(o->ending, ".h5") == 0 && ends_in(o->path, ".hdf5"))) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (ends_in(o->path, known[i])) {
            return known[i];
        }
    }
    return NULL;
}

/* The input that is this output; NULL: none. */
static const char *input_of(const ss_output *o, const char *const *inputs, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        if (inputs[i] != NULL && ss_output_same(o->path, inputs[i])) {
            return inputs[i];
        }
    }
    return NULL;
}

bool ss_cli_outputs(const char *command, const char *const *inputs, int32_t input_count,
                    const ss_output *outputs, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        const ss_output *o = &outputs[i];
        if (o->path == NULL) {
            continue;
        }
        const char *foreign = foreign_ending(o);
        if (foreign != NULL) {
            ss_cli_usage(command, "%s writes a file *%s, not *%s: '%s'", o->option, o->ending,
                         foreign, o->path);
            return false;
        }
        if (input_of(o, inputs, input_count) != NULL) {
            ss_cli_usage(command, "%s %s is the file that is read: it would be lost", o->option,
                         o->path);
            return false;
        }
        for (int32_t k = 0; k < i; k++) {
            if (outputs[k].path != NULL && ss_output_same(o->path, outputs[k].path)) {
                ss_cli_usage(command, "%s and %s both write to '%s'", outputs[k].option, o->option,
                             o->path);
                return false;
            }
        }
    }
    return true;
}
