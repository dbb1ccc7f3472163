/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that take their names only when they are whole: tables, pages, pictures. Until then a file
 * is NAME.XXXXXX.part in the same folder; an older one of that name stays as it is if the new one
 * cannot be finished. Links are followed, and what they point to is replaced. Two writers of one
 * name: the second is refused. Devices and pipes, which cannot be replaced, are written to as they
 * are.
 */
#ifndef STICKSLIP_OUTPUT_H
#define STICKSLIP_OUTPUT_H

#include <stdio.h>

#include "stickslip/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_output_file ss_output_file;

/* SS_ERR_INPUT: a folder, a link that leads nowhere, or in use; SS_ERR_IO: cannot be made. */
SS_API ss_status ss_output_open(ss_context *ctx, const char *path, ss_output_file **out);

/* Where to write. */
SS_API FILE *ss_output_stream(const ss_output_file *o);

/* Has all that was written so far arrived? SS_ERR_IO names the file and the reason. */
SS_API ss_status ss_output_check(const ss_output_file *o);

/*
 * The end. Where `so_far` is SS_OK and everything was written the file takes its name; otherwise
 * nothing is left of it, and the first thing that went wrong is returned. NULL: so_far.
 */
SS_API ss_status ss_output_close(ss_output_file *o, ss_status so_far);

#ifdef __cplusplus
}
#endif
#endif
