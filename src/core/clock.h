/* SPDX-License-Identifier: Apache-2.0 */
/* Seconds that pass, whatever happens to the time of day. */
#ifndef SS_CORE_CLOCK_H
#define SS_CORE_CLOCK_H

#include <time.h>

#define SS_NANOSECONDS 1e9 /* in a second */

static inline double ss_clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / SS_NANOSECONDS;
}

/* Seconds of computing by this process, all threads together: what a busy machine does not change.
 */
static inline double ss_clock_computing(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#endif
