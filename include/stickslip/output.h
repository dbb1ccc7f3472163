/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that take their names only when they are whole: tables, pages, pictures. Until then a file
 * is NAME.XXXXXX.part in the same folder; an older one of that name stays as it is if the new one
 * cannot be finished. A name that is a link is refused: what it leads to is not touched. Two
 * writers of one name: the second is refused. Devices and pipes, which cannot be replaced, are
 * written to as they are.
 */
#ifndef STICKSLIP_OUTPUT_H
#define STICKSLIP_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "stickslip/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_output_file ss_output_file;

/*
 * From now on files that are read through this context (scenes, what they include, meshes, tables,
 * recordings, studies, problems, runs) are remembered, and writing to one of them is refused,
 * whatever it is called: for programs, like the command, that never mean to replace their input.
 */
SS_API ss_status ss_context_keep_inputs(ss_context *ctx);

/*
 * Before there is anything to write: may a file of this name be written at all? SS_ERR_INPUT: it is
 * a folder or a link, or was read (ss_context_keep_inputs). Nothing is made. NULL: there is none.
 */
SS_API ss_status ss_output_test(ss_context *ctx, const char *path);

/* Are these names of one file? Of files that are not there yet: one name in one folder. Devices,
   which may be written to twice, are no files. */
SS_API bool ss_output_same(const char *a, const char *b);

/* SS_ERR_INPUT: as ss_output_test() says, or in use; SS_ERR_IO: cannot be made. */
SS_API ss_status ss_output_open(ss_context *ctx, const char *path, ss_output_file **out);

/* Where to write. */
SS_API FILE *ss_output_stream(const ss_output_file *o);

/* A text within XML or HTML: marks are escaped, and what neither may hold is shown as U+FFFD. */
SS_API void ss_output_markup(FILE *out, const char *text);

/* Has all that was written so far arrived? SS_ERR_IO names the file and the reason. */
SS_API ss_status ss_output_check(const ss_output_file *o);

/*
 * The end. Where `so_far` is SS_OK and everything was written the file takes its name; otherwise
 * nothing is left of it, and the first thing that went wrong is returned. NULL: so_far.
 */
SS_API ss_status ss_output_close(ss_output_file *o, ss_status so_far);
/* The same for a table, a row a line under a first line of names: rows that were written, as far as
   the last whole line, stay in the part, whose name a notice tells. */
SS_API ss_status ss_output_close_table(ss_output_file *o, ss_status so_far);

/*
 * A journal: what a long computation has done so far, read and written on in place. It is at its
 * start, and nobody else's until it is closed (fclose). `keep` false: it is empty. SS_ERR_INPUT: as
 * ss_output_test() says, a device or a pipe, in use, or a file that does not begin with `mark` (at
 * most 63 letters), which is somebody else's and stays as it is; SS_ERR_IO: cannot be written.
 */
SS_API ss_status ss_output_journal(ss_context *ctx, const char *path, const char *mark, bool keep,
                                   FILE **out);
/* What follows `end` is gone, and writing goes on there; false: errno says why. */
SS_API bool ss_output_journal_cut(FILE *journal, long end);

#ifdef __cplusplus
}
#endif
#endif
