/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes that are part of the command: `stickslip run builtin:NAME` (files of scenes/);
   studies likewise: `stickslip sweep builtin:NAME` (files of studies/). */
#ifndef SS_CLI_EMBEDDED_H
#define SS_CLI_EMBEDDED_H

#include <stddef.h>

typedef struct ss_embedded {
    const char *name;
    const char *text;
    size_t      length;
} ss_embedded;

/* Ends with a NULL name. */
extern const ss_embedded ss_embedded_scenes[], ss_embedded_studies[];

#endif
