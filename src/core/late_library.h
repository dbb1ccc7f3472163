/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are opened when they are first asked for, because they bring much with them. */
#ifndef SS_CORE_LATE_LIBRARY_H
#define SS_CORE_LATE_LIBRARY_H

#include <stdbool.h>

#include "stickslip/base.h"

typedef struct ss_late_library {
    void *handle;       /* NULL: not open                                             */
    bool  short_memory; /* it is there, and did not get the memory that it asks for   */
} ss_late_library;

/* The first of `names` (NULL at the end) that can be opened. */
bool ss_late_library_open(ss_late_library *l, const char *const *names);
/* A function of it, into the pointer that `function` points to. */
bool ss_late_library_find(const ss_late_library *l, const char *name, void *function);
/* SS_ERR_UNSUPPORTED, or SS_ERR_MEMORY where that is why; `what` says what it is for. */
ss_status ss_late_library_missing(ss_context *ctx, const ss_late_library *l, const char *what);

#endif
