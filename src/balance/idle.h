/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts that the load does not press in the motion that rest is weighed against (idle.c). */
#ifndef SS_BALANCE_IDLE_H
#define SS_BALANCE_IDLE_H

#include "balance/allowed.h"

typedef struct ss_idle {
    const ss_model   *m;
    ss_data          *d;
    const ss_island  *isl;
    const ss_allowed *allowed; /* what joints leave of its motions                             */
    double            fall;    /* how fast the load alone would make its bodies                */
    const double     *known;   /* (row_count) impulses that rest leaves no choice of           */
    const double     *v, *r;   /* the solution that was found: (nv) velocities, (row_count)
                                  impulses                                                     */
    bool *may;                 /* (block_count) it touches and may bear                        */
} ss_idle;

/* may := false of contacts and limits that may bear nothing at rest. SS_ERR_SCRATCH: no room. */
ss_status ss_let_go_idle(const ss_idle *s);

#endif
