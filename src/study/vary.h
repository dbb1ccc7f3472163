/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what varies. */
#ifndef SS_STUDY_VARY_H
#define SS_STUDY_VARY_H

#include "scenefile/schema.h"
#include "study/study.h"

/* Reads the study's `vary` and `correlation` (node NULL: there is none). */
ss_status ss_vary_decode(ss_decoder *d, ss_study *s, ss_node *node);
ss_status ss_correlation_decode(ss_decoder *d, ss_study *s, ss_node *node);

/* Kinds of values, for messages and the reference. */
typedef struct ss_vary_doc {
    const char *name, *form, *doc;
} ss_vary_doc;
extern const ss_vary_doc ss_vary_kinds[]; /* ends with a NULL name */

#endif
