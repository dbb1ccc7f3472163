/* SPDX-License-Identifier: Apache-2.0 */
/* What the two ways of closing gaps (closing.c, closing_rows.c) have in common. */
#ifndef SS_FORMULATE_CLOSING_H
#define SS_FORMULATE_CLOSING_H

#include <math.h>

#include "formulate/tolerances.h"
#include "model/data.h"

/* Can there be anything to close, through more than one contact with friction? */
bool ss_closing_has_work(const ss_model *m, const ss_data *d, const ss_island *isl);
/* Loaded in the last step, or so near that it is meant to touch. */
bool ss_closing_takes(const ss_model *m, const ss_data *d, const ss_row_block *b);
/* The gap of a contact whose bodies only follow from forces is an error of second order. */
double ss_closing_error(const ss_model *m, const ss_data *d, const ss_row_block *b);
/* Speed at which a contact slides at the start of the step. */
double ss_closing_slip(const ss_model *m, const ss_data *d, const ss_row_block *b);
/* The slide that friction does not see at a contact whose gap was taken to close. */
double ss_closing_slide(const ss_model *m, const ss_data *d, const ss_row_block *b);

/* What sliding counts at a contact that slides anyway, beside the `most` that closing makes. */
static inline double ss_closing_weight(double slip, double most)
{
    return most > 0 ? 1 / (1 + fmin(slip / most, SS_CLOSING_MOST_SLIP)) : 1;
}

#endif
