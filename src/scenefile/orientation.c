/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orientations as people write them, as unit quaternions:
 *
 *   euler: [r, p, y]          q = q_z(y) q_y(p) q_x(r): about the fixed axes x, y, z in this order
 *   axis_angle: [x, y, z, a]  the rotation by a about (x, y, z)
 *   direction: [x, y, z]      the shortest rotation that takes z to (x, y, z)
 */
#include <math.h>

#include "core/elementary.h"
#include "core/euler_angles.h"
#include "scenefile/schema.h"

static ss_quat about(double x, double y, double z, double angle)
{
    double  s = ss_sin(0.5 * angle);
    ss_quat q = {ss_cos(0.5 * angle), s * x, s * y, s * z};
    return q;
}

/* A unit vector; scaled first, so that neither tiny nor huge entries are lost. */
static ss_status unit_vector(ss_decoder *d, const ss_key *key, const ss_node *node, double *v)
{
    double size = fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2]));
    if (size == 0) {
        return ss_decode_fail(d, node, "%s must not have the length zero", key->name);
    }
    double x = v[0] / size, y = v[1] / size, z = v[2] / size;
    double length = sqrt(x * x + y * y + z * z);
    v[0] = x / length, v[1] = y / length, v[2] = z / length;
    return SS_OK;
}

/* Half-way between z and u lies the axis of half a turn; straight down it is x. */
static ss_quat towards(const double *u)
{
    ss_quat q = {1 + u[2], -u[1], u[0], 0};
    if (u[0] == 0 && u[1] == 0 && u[2] < 0) {
        q = (ss_quat){0, 1, 0, 0};
    }
    return ss_quat_unit(q);
}

ss_status ss_decode_orientation(ss_decoder *d, const ss_key *key, ss_node *node, ss_quat *out)
{
    double x[4] = {0, 0, 0, 0};
    SS_TRY(ss_decode_numbers(d, key->name, node, key->type == SS_KEY_AXIS_ANGLE ? 4 : 3, x));
    if (key->type == SS_KEY_EULER) {
        *out = ss_quat_from_euler(x[0], x[1], x[2]);
        return SS_OK;
    }
    SS_TRY(unit_vector(d, key, node, x));
    *out =
        key->type == SS_KEY_AXIS_ANGLE ? ss_quat_unit(about(x[0], x[1], x[2], x[3])) : towards(x);
    return SS_OK;
}
