/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are read. One that is no regular file (a folder, a device, a pipe) is refused by name:
 * it would be waited for, or never end. Files are opened without waiting, and where the context
 * keeps its inputs it remembers them by device and inode, whatever they are called: an output that
 * is one of them is refused (ss_input_is_kept).
 */
#ifndef SS_CORE_INPUT_H
#define SS_CORE_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "stickslip/base.h"

/* Of any size: the reader has a bound of its own. */
#define SS_INPUT_ANY_SIZE INT64_MAX

/* A descriptor, and how many bytes there are; SS_ERR_INPUT: not there, no file, more than `most`.
 */
ss_status ss_input_open(ss_context *ctx, const char *path, int64_t most, int *file, size_t *size);
/* All its bytes; false: they could not be read, or there are fewer. */
bool ss_input_whole(int file, void *bytes, size_t size);
/* The same as a stream. */
ss_status ss_input_stream(ss_context *ctx, const char *path, int64_t most, FILE **out);
/* The same for a library that opens files by their name. `size` may be NULL. */
ss_status ss_input_look(ss_context *ctx, const char *path, int64_t most, size_t *size);

/* Was this file read, under whatever name? Never where the context does not keep its inputs. */
bool ss_input_is_kept(const ss_context *ctx, const char *path);

#endif
