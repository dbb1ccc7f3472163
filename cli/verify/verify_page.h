/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip verify --report`: the quantities of all cases beside what was expected, and the
   papers' figures drawn anew, as one page without scripts. */
#ifndef SS_CLI_VERIFY_PAGE_H
#define SS_CLI_VERIFY_PAGE_H

#include "verify/verify.h"

typedef struct ss_verify_page ss_verify_page;

/* NULL in `out` and nothing done where `path` is NULL; so are the others of a page that is NULL. */
ss_status ss_verify_page_open(ss_context *ctx, const char *path, ss_verify_page **out);

typedef struct ss_verify_quantity {
    const char *name;
    double      expected, value, tolerance;
    bool        pass;
} ss_verify_quantity;

void ss_verify_page_quantity(ss_verify_page *p, const ss_verify_quantity *q);
/* A picture that was drawn: the text of an SVG. */
void ss_verify_page_figure(ss_verify_page *p, const char *svg);
/* What was put since the last case is this one's. */
void ss_verify_page_case(ss_verify_page *p, const ss_verify_case *c);
/* Ends the page, which takes its name only if everything went well. */
ss_status ss_verify_page_close(ss_verify_page *p, int checked, int failed, ss_status so_far);

#endif
