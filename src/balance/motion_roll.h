/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of motions that are as good as each other for the rows of a step, some take bodies out of
 * balance: rows have contacts where they are, and a body that rolls has them elsewhere. A wheel on
 * a plate that moves may roll or ride on it: its contact stays below its centre. An oval one may
 * not: turned by w, its contact is (r - b) w beside its centre of mass, r the radius of curvature
 * and b the height of the centre, and with the load N the torque N (r - b) w is balanced by
 * nothing. To first order in the step the forces balance at its end in every motion z that is free
 * (rows as they are do no work in it) exactly if
 *
 *   z . dF = 0,     dF = sum J(q+)'p - J(q)'p    over contacts of which a pair has one,
 *
 * and where the least motion misses that, the least of those that do not roll is taken (dF is then
 * zero, as contacts stay where they are on both bodies).
 */
#ifndef SS_BALANCE_MOTION_ROLL_H
#define SS_BALANCE_MOTION_ROLL_H

#include "balance/motion.h"

/*
 * dF (nv) of the island for the velocities d->v_next, and the size that its parts (torques
 * over arms of bodies) are compared with: forces times angles of rolling. Moves the island's bodies
 * in d->pose_next.
 */
ss_status ss_roll_changes(const ss_model *m, ss_data *d, const ss_island *isl, double h, double *dF,
                          double *size);

/* Rows g.(change) + value = 0 after which none of these contacts rolls. */
ss_status ss_roll_rows(const ss_model *m, ss_data *d, const ss_island *isl, ss_motion_set *out);

#endif
