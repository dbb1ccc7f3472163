/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs.h"

#include <string.h>
#include <sys/stat.h>

#include "cli.h"

/* The same file, also under another name; devices may be written to twice. */
static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (stat(a, &x) == 0 && stat(b, &y) == 0) {
        return S_ISREG(x.st_mode) && x.st_ino == y.st_ino && x.st_dev == y.st_dev;
    }
    return strcmp(a, b) == 0;
}

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

bool ss_cli_outputs(const char *command, const char *input, const ss_output *outputs, int32_t count)
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
        if (input != NULL && same_file(o->path, input)) {
            ss_cli_usage(command, "%s %s is the file that is read: it would be lost", o->option,
                         o->path);
            return false;
        }
        for (int32_t k = 0; k < i; k++) {
            if (outputs[k].path != NULL && same_file(o->path, outputs[k].path)) {
                ss_cli_usage(command, "%s and %s both write to '%s'", outputs[k].option, o->option,
                             o->path);
                return false;
            }
        }
    }
    return true;
}
