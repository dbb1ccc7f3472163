/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A progress line on standard error: bar, rate, time left, worst residual. It appears only on a
 * terminal, only when the work takes over a second, and is wiped when the work ends.
 */
#ifndef SS_CLI_PROGRESS_H
#define SS_CLI_PROGRESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct ss_progress {
    const char *unit; /* "steps" */
    bool        shown, enabled;
    double      started, last; /* seconds of the monotonic clock */
    int64_t     next_look;     /* count at which the clock is read again */
    int64_t     before;        /* done already when it began             */
    char        note[64];      /* shown at the end of the line           */
} ss_progress;

ss_progress ss_progress_start(const char *unit, bool quiet);
/* residual < 0: there is none to show. */
void ss_progress_update(ss_progress *p, int64_t done, int64_t total, double residual);
/* Clear the line before something else is printed; the next update draws it again. */
void ss_progress_wipe(ss_progress *p);
void ss_progress_end(ss_progress *p);

/* From now on SIGINT and SIGTERM set the flag that is returned instead of ending the process. */
const volatile sig_atomic_t *ss_cli_catch_interrupt(void);

#endif
