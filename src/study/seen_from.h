/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a body as seen from the frame of another, and a body put where it is so seen. */
#ifndef SS_STUDY_SEEN_FROM_H
#define SS_STUDY_SEEN_FROM_H

#include "stickslip/sim.h"

/* frame < 0: the world. */
ss_status ss_seen_from(const ss_model *m, const ss_data *d, int32_t body, int32_t frame,
                       ss_body_state *out);
ss_status ss_put_seen_from(const ss_model *m, ss_data *d, int32_t body, int32_t frame,
                           const ss_body_state *seen);
/* The angle by which a seen body is turned about the z axis of the frame: of its quaternion the
   part that is a rotation about z (2D: its angle). */
double ss_heading(int dimension, const ss_body_state *seen);

#endif
