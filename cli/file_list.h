/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a command line means: those named, and those inside the folders named. */
#ifndef SS_CLI_FILE_LIST_H
#define SS_CLI_FILE_LIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ss_file_entry {
    char *path;
    bool  found; /* inside a folder, rather than named by the user */
} ss_file_entry;

typedef struct ss_file_list {
    ss_file_entry *entries;
    size_t         count, room;
} ss_file_list;

/* Add a file, or the files of a folder and the folders in it, by name; hidden ones are left out.
   False when memory is exhausted or a folder cannot be read (errno says which). */
bool ss_file_list_add(ss_file_list *list, const char *path);
void ss_file_list_free(ss_file_list *list);

#endif
