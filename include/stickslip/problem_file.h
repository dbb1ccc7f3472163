/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Problems in files: read from any known format, recognised by content and never by the file's
 * name, and written in a chosen one. docs/reference/problem-files.md describes the formats.
 */
#ifndef STICKSLIP_PROBLEM_FILE_H
#define STICKSLIP_PROBLEM_FILE_H

#include <stdbool.h>

#include "stickslip/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A problem with what a file may know about it. Every pointer is borrowed; NULL: not known. */
typedef struct ss_stored_problem {
    ss_problem     problem;
    const char    *title;
    const double  *z;       /* (ss_problem_size) known solution                               */
    const double  *v;       /* (ss_problem_size_v) its second vector, global cone form        */
    const double  *guess_z; /* (ss_problem_size) starting guess                               */
    const double  *guess_v; /* (ss_problem_size_v)                                            */
    const int32_t *order;   /* (ss_problem_size) row of the problem that the file lists i-th;
                               NULL: the same order                                           */
} ss_stored_problem;

/* Owns the memory of a stored problem that was read. */
typedef struct ss_problem_file ss_problem_file;

/* What a format can do: `reads` and `writes` are masks of ss_problem_type. */
typedef struct ss_problem_format {
    const char *name; /* "fclib": used by `stickslip solve --format` */
    const char *summary;
    unsigned    reads, writes;
} ss_problem_format;

SS_API int32_t                  ss_problem_format_count(void);
SS_API const ss_problem_format *ss_problem_format_at(int32_t index);

/*
 * Read a problem. `format` names the format; NULL finds it from the content. What is wrong with a
 * malformed file is said as "file:line: what was expected" (SS_ERR_INPUT). The problem has passed
 * ss_problem_check.
 */
SS_API ss_status ss_problem_file_read(ss_context *ctx, const char *path, const char *format,
                                      ss_problem_file **out);
/* The same from memory; `name` stands for the file in messages. */
SS_API ss_status ss_problem_file_parse(ss_context *ctx, const char *name, const void *bytes,
                                       size_t size, const char *format, ss_problem_file **out);
/* The format that a file's content begins like, or NULL when it is no problem file. */
SS_API ss_status ss_problem_file_recognise(ss_context *ctx, const char *path,
                                           const ss_problem_format **out);
SS_API void      ss_problem_file_destroy(ss_problem_file *file);

/* What was read: arrays and all, as long as the file object lives. */
SS_API const ss_stored_problem *ss_problem_file_content(const ss_problem_file *file);
/* The format it was read in. */
SS_API const ss_problem_format *ss_problem_file_format(const ss_problem_file *file);

/*
 * Write a problem. Only formats whose `writes` has the type can; the message says which of the
 * problem's features a format cannot hold. Rows are written in the problem's own order.
 */
SS_API ss_status ss_problem_file_write(ss_context *ctx, const ss_stored_problem *content,
                                       const char *path, const char *format);

#ifdef __cplusplus
}
#endif
#endif
