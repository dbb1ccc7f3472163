/* SPDX-License-Identifier: Apache-2.0 */
/* Where shapes stand that a driven body takes along on its way through a step: alongside.c. */
#ifndef SS_DYNAMICS_ALONGSIDE_H
#define SS_DYNAMICS_ALONGSIDE_H

#include "collide/contact.h"
#include "model/data.h"

/* Two shapes as they are asked for contacts. */
typedef struct ss_alongside {
    ss_frame frame[2];
    ss_vec3  way;   /* by which one of them was taken along          */
    int      moved; /* which: 0 or 1; -1: both stand where they were */
} ss_alongside;

/* Of geoms a and b, placed as they are in this round of a step, the one that a driven body takes
   along is moved. reach: what is further apart is not asked. */
void ss_take_along(const ss_model *m, const ss_data *d, int32_t a, int32_t b, double reach,
                   ss_alongside *s);

/* The contacts from `first` on, with what was taken along back in its place. */
void ss_take_back(const ss_alongside *s, int32_t first, ss_contact_list *list);

#endif
