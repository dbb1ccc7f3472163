/* SPDX-License-Identifier: Apache-2.0 */
/* Roll, pitch and yaw: rotations about the fixed axes x, y, z in this order. */
#ifndef SS_CORE_EULER_ANGLES_H
#define SS_CORE_EULER_ANGLES_H

#include "core/elementary.h"
#include "stickslip/math3.h"

/* q_z(yaw) q_y(pitch) q_x(roll), made unit. */
static inline ss_quat ss_quat_from_euler(double roll, double pitch, double yaw)
{
    ss_quat x = {ss_cos(0.5 * roll), ss_sin(0.5 * roll), 0, 0};
    ss_quat y = {ss_cos(0.5 * pitch), 0, ss_sin(0.5 * pitch), 0};
    ss_quat z = {ss_cos(0.5 * yaw), 0, 0, ss_sin(0.5 * yaw)};
    return ss_quat_unit(ss_quat_mul(z, ss_quat_mul(y, x)));
}

#endif
