/* SPDX-License-Identifier: Apache-2.0 */
/* The motion that rest is weighed against (rival.c), and what it leaves idle (idle.c). */
#ifndef SS_BALANCE_RIVAL_H
#define SS_BALANCE_RIVAL_H

#include "balance/seat.h"

typedef struct ss_rival {
    double *v;     /* (nv) its velocities                                                  */
    double *x;     /* (bodies) the same in coordinates of one unit                         */
    double *p;     /* (row_count) its impulses                                             */
    double  most;  /* the largest normal impulse, as a push                                */
    bool    bears; /* is there a contact or limit that bears anything?                     */
    bool   *idle;  /* (block_count) it touches and bears nothing, and does not open        */
    bool   *kept;  /* (block_count) .. of these, what is pressed after all                 */
} ss_rival;

/* Of the island s, with `idle` found and nothing kept. SS_ERR_SCRATCH: no room. */
ss_status ss_rival_find(ss_seat *s, ss_rival *out);

/* Does contact or limit i bear no more than rounding there, with the impulse p? */
bool ss_rival_spares(const ss_seat *s, const ss_rival *x, int32_t i, double p);

/* A velocity of it that is none. */
double ss_rival_still(const ss_seat *s);

#endif
