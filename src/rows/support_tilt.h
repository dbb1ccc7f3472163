/* SPDX-License-Identifier: Apache-2.0 */
/* Forces that act on a supported body above its surface (support_tilt.c). */
#ifndef SS_ROWS_SUPPORT_TILT_H
#define SS_ROWS_SUPPORT_TILT_H

#include "linalg/mat3.h"
#include "model/data.h"

/*
 * Normal forces of three points, A N = load with the moments of the trial added. A body that
 * neither they nor its pushers can hold is left in d->tips, with forces that press.
 */
void ss_tilt_tripod(ss_data *d, const ss_support_lift *l, const ss_mat3 *A, ss_vec3 load,
                    double N[3]);

/* The same where forces were given: those in d->support_force are tilted. */
void ss_tilt_given(const ss_model *m, ss_data *d, const ss_support_lift *l);

/* Have normal forces been made with the pushes that came out? Takes over the latter. */
bool ss_tilts_settled(const ss_model *m, ss_data *d, double h);

#endif
