/* SPDX-License-Identifier: Apache-2.0 */
#include "model/track.h"

#include <math.h>

#include "core/hermite.h"

/* Where a time lies: after `turns` periods, at the part u of piece i. */
typedef struct place {
    double  turns, u;
    int32_t i;
} place;

static bool locate(const ss_track_times *times, double t, place *out)
{
    double span = times->dt * times->pieces, s = t > 0 || times->periodic ? t : 0;
    out->turns = times->periodic ? floor(s / span) : 0;
    s -= out->turns * span;
    double at = s / times->dt;
    out->i    = at < times->pieces ? (int32_t)at : times->pieces - 1;
    out->u    = at - out->i;
    return times->periodic || at <= times->pieces;
}

bool ss_place_track_at(const ss_place_track *track, double t, ss_vec3 *out)
{
    place at;
    if (!locate(&track->times, t, &at)) {
        return false;
    }
    double         dt = track->times.dt;
    const ss_vec3 *p = &track->p[at.i], *v = &track->v[at.i];
    ss_vec3        swing = ss_v3(ss_hermite(at.u, dt, p[0].x, p[1].x, v[0].x, v[1].x),
                                 ss_hermite(at.u, dt, p[0].y, p[1].y, v[0].y, v[1].y),
                                 ss_hermite(at.u, dt, p[0].z, p[1].z, v[0].z, v[1].z));
    *out                 = ss_add(ss_axpy(track->start, at.turns, track->drift), swing);
    return true;
}

static bool by_angles(const ss_turn_track *track, double t, ss_quat *out, double *angle)
{
    ss_vec3 turned;
    if (!ss_place_track_at(track->angles, t, &turned)) {
        return false;
    }
    *angle = turned.z;
    *out   = ss_quat_unit(ss_quat_mul(ss_quat_from_rotation(turned), track->start));
    return true;
}

bool ss_turn_track_at(const ss_turn_track *track, double t, ss_quat *out, double *angle)
{
    if (track->angles != NULL) {
        return by_angles(track, t, out, angle);
    }
    place at;
    if (!locate(&track->times, t, &at)) {
        return false;
    }
    double         dt = track->times.dt;
    const ss_quat *q = &track->q[at.i], *r = &track->rate[at.i];
    ss_quat        swing = {ss_hermite(at.u, dt, q[0].w, q[1].w, r[0].w, r[1].w),
                            ss_hermite(at.u, dt, q[0].x, q[1].x, r[0].x, r[1].x),
                            ss_hermite(at.u, dt, q[0].y, q[1].y, r[0].y, r[1].y),
                            ss_hermite(at.u, dt, q[0].z, q[1].z, r[0].z, r[1].z)};
    ss_quat        turns = ss_quat_from_rotation(ss_scale(at.turns, track->per_period));
    ss_quat        all   = track->body ? ss_quat_mul(turns, swing) : ss_quat_mul(swing, turns);
    *out =
        ss_quat_unit(track->body ? ss_quat_mul(track->start, all) : ss_quat_mul(all, track->start));
    return true;
}
