/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a report, without data. Built from viewer/ when Node.js is there; empty otherwise. */
#ifndef SS_IO_VIEWER_PAGE_H
#define SS_IO_VIEWER_PAGE_H

#include <stddef.h>

typedef struct ss_viewer_page {
    const char *text; /* not terminated */
    size_t      size; /* 0: this build has none */
} ss_viewer_page;

extern const ss_viewer_page ss_viewer_page_built;

#endif
