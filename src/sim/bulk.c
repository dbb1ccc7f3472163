/* SPDX-License-Identifier: Apache-2.0 */
/* Everything at once, as arrays: what bindings to other languages copy out of a simulation. */
#include "sim/sim.h"

static void put_vector(double (*rows)[3], int32_t i, ss_vec3 v)
{
    if (rows != NULL) {
        rows[i][0] = v.x;
        rows[i][1] = v.y;
        rows[i][2] = v.z;
    }
}

static void put_quaternion(double (*rows)[4], int32_t i, ss_quat q)
{
    if (rows != NULL) {
        rows[i][0] = q.w;
        rows[i][1] = q.x;
        rows[i][2] = q.y;
        rows[i][3] = q.z;
    }
}

ss_status ss_data_bodies(const ss_model *m, const ss_data *d, const ss_body_arrays *out)
{
    SS_TRY(ss_data_given(m, d, out));
    for (int32_t i = 0; i < m->nb; i++) {
        ss_body_state state;
        SS_TRY(ss_data_body(m, d, i, &state));
        put_vector(out->position, i, state.position);
        put_quaternion(out->quat_wxyz, i, state.quat_wxyz);
        put_vector(out->velocity, i, state.velocity);
        put_vector(out->angular_velocity, i, state.angular_velocity);
        if (out->angle != NULL) {
            out->angle[i] = state.angle;
        }
    }
    return SS_OK;
}

ss_status ss_data_contacts(const ss_model *m, const ss_data *d, ss_contact_info *out,
                           int32_t capacity, int32_t *count)
{
    SS_TRY(ss_data_given(m, d, count));
    *count = ss_data_contact_count(d);
    if (capacity < 0 || (capacity > 0 && out == NULL)) {
        return ss_fail(d->ctx, SS_ERR_ARGUMENT, "no room for %d contacts", (int)capacity);
    }
    for (int32_t i = 0; i < *count && i < capacity; i++) {
        SS_TRY(ss_data_contact(m, d, i, &out[i]));
    }
    return SS_OK;
}
