/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.html as text, put into the library when it is built, and what the reports that are made of
 * it share: a page holds its own data, and replays, each a report of its own, which it puts
 * together from the viewer's page and their data blocks.
 */
#ifndef SS_STUDY_REPORT_PAGE_H
#define SS_STUDY_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/buffer.h"
#include "stickslip/report.h"

typedef struct ss_study_page {
    const char *text; /* terminated */
    size_t      size;
} ss_study_page;

extern const ss_study_page ss_study_page_built;

/* A number behind its separator; null where it is not finite. */
void ss_page_put_number(ss_buffer *b, const char *separator, double x);
/* ,"page":".." the viewer's page, if it is wanted. */
ss_status ss_page_put_viewer(ss_buffer *b, bool wanted);
/* A recorded run, known by its number: its header and blocks, as the viewer's page takes them. */
ss_status ss_page_put_replay(ss_buffer *b, ss_report *r, int64_t trial);
/* The page with these data. */
ss_status ss_page_write(ss_context *ctx, const char *path, const ss_buffer *b);

#endif
