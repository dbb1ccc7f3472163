/* SPDX-License-Identifier: Apache-2.0 */
#include "study_args.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "embedded.h"

static const char prefix[] = "builtin:";

static const ss_embedded *find_embedded(const ss_embedded *list, const char *name)
{
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) {
        return NULL;
    }
    for (const ss_embedded *e = list; e->name != NULL; e++) {
        if (strcmp(e->name, name + sizeof prefix - 1) == 0) {
            return e;
        }
    }
    return NULL;
}

bool ss_cli_find_scene(void *user, const char *name, const char **text, size_t *length)
{
    const ss_embedded *e = find_embedded(ss_embedded_scenes, name);
    (void)user;
    if (e != NULL) {
        *text   = e->text;
        *length = e->length;
    }
    return e != NULL;
}

ss_status ss_cli_load_study(ss_context *ctx, const char *path, const ss_arg_list *set,
                            ss_study **out)
{
    ss_study_def def = {
        .overrides = set->items, .override_count = set->count, .find_scene = ss_cli_find_scene};
    const ss_embedded *e = find_embedded(ss_embedded_studies, path);
    if (e == NULL && find_embedded(ss_embedded_scenes, path) != NULL) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "%s: this is a scene: a study names one by `scene:`, and what varies", path);
    }
    return e != NULL ? ss_study_load_text(ctx, e->text, e->length, path, &def, out)
                     : ss_study_load(ctx, path, &def, out);
}

bool ss_cli_is_study(const char *path)
{
    char line[256];
    bool found = false;
    if (find_embedded(ss_embedded_studies, path) != NULL) {
        return find_embedded(ss_embedded_scenes, path) == NULL;
    }
    struct stat info; /* a pipe would be waited for */
    bool        there = stat(path, &info) == 0 && S_ISREG(info.st_mode);
    FILE       *file  = there ? fopen(path, "r") : NULL;
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        found = strncmp(line, "study:", 6) == 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

void ss_cli_study_file(const char *study, const char *ending, char *out, size_t size)
{
    const char *slash = strrchr(study, '/'), *file = slash != NULL ? slash + 1 : study;
    file += strncmp(file, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
    const char *dot    = strrchr(file, '.');
    int         length = dot != NULL && dot > file ? (int)(dot - file) : (int)strlen(file);
    snprintf(out, size, "%.*s%s", length < 900 ? length : 900, file, ending);
}
