/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With the frame at o, turned by R, moving at v_o and turning at w, a body at p that moves at v is
 * seen at r = R'(p - o), moving at R'(v - v_o - w x (p - o)). To put it there is the inverse.
 */
#include "study/seen_from.h"

#include "core/elementary.h"

static ss_mat3 turned(const ss_model *m, const ss_body_state *frame)
{
    return ss_model_dimension(m) == 3 ? ss_mat3_from_quat(frame->quat_wxyz)
                                      : ss_mat3_from_angle(frame->angle);
}

ss_status ss_seen_from(const ss_model *m, const ss_data *d, int32_t body, int32_t frame,
                       ss_body_state *out)
{
    ss_body_state a, b;
    SS_TRY(ss_data_body(m, d, body, &a));
    if (frame < 0) {
        *out = a;
        return SS_OK;
    }
    SS_TRY(ss_data_body(m, d, frame, &b));
    ss_mat3 R             = turned(m, &b);
    ss_vec3 r             = ss_sub(a.position, b.position);
    ss_vec3 v             = ss_sub(ss_sub(a.velocity, b.velocity), ss_cross(b.angular_velocity, r));
    ss_quat back          = {b.quat_wxyz.w, -b.quat_wxyz.x, -b.quat_wxyz.y, -b.quat_wxyz.z};
    out->position         = ss_tmul(&R, r);
    out->velocity         = ss_tmul(&R, v);
    out->angular_velocity = ss_tmul(&R, ss_sub(a.angular_velocity, b.angular_velocity));
    out->quat_wxyz        = ss_quat_mul(back, a.quat_wxyz);
    out->angle            = a.angle - b.angle;
    return SS_OK;
}

ss_status ss_put_seen_from(const ss_model *m, ss_data *d, int32_t body, int32_t frame,
                           const ss_body_state *seen)
{
    ss_body_state b, a;
    if (frame < 0) {
        return ss_data_set_body(m, d, body, seen);
    }
    SS_TRY(ss_data_body(m, d, frame, &b));
    ss_mat3 R          = turned(m, &b);
    ss_vec3 r          = ss_mul(&R, seen->position);
    ss_vec3 carried    = ss_add(b.velocity, ss_cross(b.angular_velocity, r));
    a.position         = ss_add(b.position, r);
    a.velocity         = ss_add(carried, ss_mul(&R, seen->velocity));
    a.angular_velocity = ss_add(b.angular_velocity, ss_mul(&R, seen->angular_velocity));
    a.quat_wxyz        = ss_quat_mul(b.quat_wxyz, seen->quat_wxyz);
    a.angle            = b.angle + seen->angle;
    return ss_data_set_body(m, d, body, &a);
}

double ss_heading(int dimension, const ss_body_state *seen)
{
    return dimension == 2 ? seen->angle : 2 * ss_atan2(seen->quat_wxyz.z, seen->quat_wxyz.w);
}
