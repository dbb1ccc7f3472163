/* SPDX-License-Identifier: Apache-2.0 */
#include "study_args.h"

#include <stdio.h>
#include <string.h>

#include "embedded.h"

static bool find_builtin(void *user, const char *name, const char **text, size_t *length)
{
    static const char prefix[] = "builtin:";
    (void)user;
    for (const ss_embedded *e = ss_embedded_scenes; e->name != NULL; e++) {
        if (strncmp(name, prefix, sizeof prefix - 1) == 0 &&
            strcmp(e->name, name + sizeof prefix - 1) == 0) {
            *text   = e->text;
            *length = e->length;
            return true;
        }
    }
    return false;
}

ss_status ss_cli_load_study(ss_context *ctx, const char *path, const ss_arg_list *set,
                            ss_study **out)
{
    ss_study_def def = {
        .overrides = set->items, .override_count = set->count, .find_scene = find_builtin};
    return ss_study_load(ctx, path, &def, out);
}

void ss_cli_study_file(const char *study, const char *ending, char *out, size_t size)
{
    const char *slash = strrchr(study, '/'), *file = slash != NULL ? slash + 1 : study;
    const char *dot    = strrchr(file, '.');
    int         length = dot != NULL && dot > file ? (int)(dot - file) : (int)strlen(file);
    snprintf(out, size, "%.*s%s", length < 900 ? length : 900, file, ending);
}
