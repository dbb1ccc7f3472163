/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that takes its name only when it is whole. Until then it is NAME.XXXXXX.part in the same
 * folder: six random letters, made anew (O_EXCL), so that nothing that is there already is touched,
 * neither an older file of that name nor anything of the user's. NAME.lock, held with flock() and
 * removed at the end, keeps a second run from the same name; one that a killed run left behind
 * holds nobody up.
 */
#ifndef SS_FILES_PART_FILE_H
#define SS_FILES_PART_FILE_H

#include <stdbool.h>

#include "core/pool.h"

typedef struct ss_part {
    ss_context *ctx;
    ss_pool     pool;  /* of the names */
    const char *name;  /* the file at the end                   */
    const char *part;  /* the file until then                   */
    const char *spare; /* two more names of the same kind, free */
    const char *swap;
    const char *lock_name;
    int         lock; /* -1: not held */
} ss_part;

/* SS_ERR_INPUT: a link, a folder, a device, a pipe, or a file that was read (core/input.h). */
ss_status ss_part_test(ss_context *ctx, const char *path);
/* ss_part_test(), then locks the name (SS_ERR_INPUT: in use): for a file that is written in place.
 */
ss_status ss_part_lock(ss_part *p, ss_context *ctx, const char *path);
/* ss_part_lock(), then makes an empty part. */
ss_status ss_part_open(ss_part *p, ss_context *ctx, const char *path);
/* Is there room on the disk for so many bytes? Asked before HDF5 makes the file: where it cannot
   write the first of them it leaves a file that it never closes. SS_ERR_IO. */
ss_status ss_part_room(const ss_part *p, size_t bytes);
/* The part reaches the disk and takes the name. */
ss_status ss_part_finish(ss_part *p);
/* Gives up: the part stays, or is removed. Also after ss_part_finish(), and when never opened. */
void ss_part_release(ss_part *p, bool remove_part);

/* A new, empty file that was not there before; a descriptor, or -1 (errno). */
int ss_part_create(const char *name);

#endif
