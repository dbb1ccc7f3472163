/* SPDX-License-Identifier: Apache-2.0 */
#include "stickslip/math3.h"
#include "core/constants.h"

#include "core/elementary.h"

ss_mat3 ss_mat3_from_angle(double angle)
{
    double c, s;
    ss_sin_cos(angle, &s, &c);
    ss_mat3 R = {{c, -s, 0, s, c, 0, 0, 0, 1}};
    return R;
}

ss_quat ss_quat_from_turn(ss_vec3 r)
{
    double a = sqrt(ss_dot(r, r)), s, c;
    ss_sin_cos(0.5 * a, &s, &c);
    s /= a;
    return (ss_quat){c, s * r.x, s * r.y, s * r.z};
}

ss_vec3 ss_quat_to_rotation(ss_quat q)
{
    ss_vec3 v = ss_v3(q.x, q.y, q.z);
    double  s = ss_norm(v);
    if (s == 0) {
        return v;
    }
    double angle = 2 * ss_atan2(s, q.w);
    if (angle > SS_PI) {
        angle -= 2 * SS_PI;
    }
    return ss_scale(angle / s, v);
}
