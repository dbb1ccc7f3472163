/* SPDX-License-Identifier: Apache-2.0 */
/* page.html as text, put into the library when it is built. */
#ifndef SS_STUDY_REPORT_PAGE_H
#define SS_STUDY_REPORT_PAGE_H

#include <stddef.h>

typedef struct ss_study_page {
    const char *text; /* terminated */
    size_t      size;
} ss_study_page;

extern const ss_study_page ss_study_page_built;

#endif
