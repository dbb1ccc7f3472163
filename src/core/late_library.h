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

/* A function of a library, and the pointer that gets it. */
typedef struct ss_late_function {
    const char *name;
    void       *into;
} ss_late_function;

/* The first of `names` that can be opened, with all of `functions` (each list ends with NULL): is
   it there and whole? */
bool ss_late_library_open(ss_late_library *l, const char *const *names,
                          const ss_late_function *functions);
/* SS_ERR_UNSUPPORTED, or SS_ERR_MEMORY where that is why; `what` says what it is for. */
ss_status ss_late_library_missing(ss_context *ctx, const ss_late_library *l, const char *what);

#endif
