/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a factorisation may go on. Kernels that can take seconds ask now and then how much time
 * is left, and give up when there is none, or not enough for what cannot be interrupted.
 */
#ifndef SS_LINALG_PATIENCE_H
#define SS_LINALG_PATIENCE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ss_patience {
    double (*seconds)(void *who); /* what is left; 0: nothing, INFINITY: no end */
    void *who;
    bool  gave_up; /* a kernel ended for want of time, and what it computes is not there */
} ss_patience;

/* Is there less time left than is needed? NULL: there is no end. */
static inline bool ss_patience_ends(ss_patience *p, double needed)
{
    if (p == NULL || p->seconds == NULL || p->seconds(p->who) > needed) {
        return false;
    }
    p->gave_up = true;
    return true;
}

#endif
