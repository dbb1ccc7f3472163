/* SPDX-License-Identifier: Apache-2.0 */
#include "file_list.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The list takes the path over. */
/* NOLINTNEXTLINE(readability-non-const-parameter) */
static bool append(ss_file_list *list, char *path, bool found)
{
    if (list->count == list->room) {
        size_t         room  = list->room > 0 ? 2 * list->room : 64;
        ss_file_entry *grown = realloc(list->entries, room * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        list->entries = grown;
        list->room    = room;
    }
    list->entries[list->count++] = (ss_file_entry){path, found};
    return true;
}

static char *joined(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    bool   slash  = length > 0 && folder[length - 1] == '/';
    size_t size   = length + strlen(name) + 2;
    char  *path   = malloc(size);
    if (path != NULL) {
        snprintf(path, size, "%s%s%s", folder, slash ? "" : "/", name);
    }
    return path;
}

static bool add_path(ss_file_list *list, char *path, bool found);

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool add_folder(ss_file_list *list, const char *folder)
{
    struct dirent **names;
    int             count = scandir(folder, &names, visible, alphasort);
    bool            done  = count >= 0;
    for (int i = 0; i < count; i++) {
        char *path = done ? joined(folder, names[i]->d_name) : NULL;
        done       = done && path != NULL && add_path(list, path, true);
        free(names[i]);
    }
    if (count >= 0) {
        free(names);
    }
    return done;
}

/* Takes the path over. */
static bool add_path(ss_file_list *list, char *path, bool found)
{
    bool done = is_folder(path) ? add_folder(list, path) : append(list, path, found);
    if (!done || list->count == 0 || list->entries[list->count - 1].path != path) {
        free(path);
    }
    return done;
}

bool ss_file_list_add(ss_file_list *list, const char *path)
{
    char *copy = joined(path, "");
    if (copy == NULL) {
        return false;
    }
    strcpy(copy, path);
    return add_path(list, copy, false);
}

void ss_file_list_free(ss_file_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->entries[i].path);
    }
    free(list->entries);
    *list = (ss_file_list){0};
}
