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

/* The first break after s. */
static int32_t first_after(const ss_track_breaks *b, double s)
{
    int32_t low = 0, high = b->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        bool    later  = b->t[middle] > s;
        low            = later ? low : middle + 1;
        high           = later ? middle : high;
    }
    return low;
}

/* A piece, or what breaks leave of it: from one to another (-1: from or to its own end). */
typedef struct piece {
    double  u, width;
    int32_t from, to;
} piece;

static piece piece_at(const ss_track_times *times, const place *at, const ss_track_breaks *b)
{
    double  dt = times->dt, low = at->i * dt, high = (at->i + 1) * dt, s = (at->i + at->u) * dt;
    piece   x     = {at->u, dt, -1, -1};
    int32_t after = first_after(b, s);
    if (after < b->count && b->t[after] <= high) {
        x.to = after;
        high = b->t[after];
    }
    if (after > 0 && b->t[after - 1] >= low) {
        x.from = after - 1;
        low    = b->t[after - 1];
    }
    if (x.from >= 0 || x.to >= 0) {
        x.width = high - low;
        x.u     = x.width > 0 ? (s - low) / x.width : 0;
    }
    return x;
}

bool ss_place_track_at(const ss_place_track *track, double t, ss_vec3 *out)
{
    place at;
    if (!locate(&track->times, t, &at)) {
        return false;
    }
    piece   x     = piece_at(&track->times, &at, &track->breaks);
    ss_vec3 p     = x.from >= 0 ? track->at[x.from].p : track->p[at.i];
    ss_vec3 v     = x.from >= 0 ? track->at[x.from].after : track->v[at.i];
    ss_vec3 r     = x.to >= 0 ? track->at[x.to].p : track->p[at.i + 1];
    ss_vec3 w     = x.to >= 0 ? track->at[x.to].before : track->v[at.i + 1];
    ss_vec3 swing = ss_v3(ss_hermite(x.u, x.width, p.x, r.x, v.x, w.x),
                          ss_hermite(x.u, x.width, p.y, r.y, v.y, w.y),
                          ss_hermite(x.u, x.width, p.z, r.z, v.z, w.z));
    *out          = ss_add(ss_axpy(track->start, at.turns, track->drift), swing);
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
    piece   x     = piece_at(&track->times, &at, &track->breaks);
    ss_quat q     = x.from >= 0 ? track->at[x.from].q : track->q[at.i];
    ss_quat v     = x.from >= 0 ? track->at[x.from].after : track->rate[at.i];
    ss_quat r     = x.to >= 0 ? track->at[x.to].q : track->q[at.i + 1];
    ss_quat w     = x.to >= 0 ? track->at[x.to].before : track->rate[at.i + 1];
    ss_quat swing = {
        ss_hermite(x.u, x.width, q.w, r.w, v.w, w.w), ss_hermite(x.u, x.width, q.x, r.x, v.x, w.x),
        ss_hermite(x.u, x.width, q.y, r.y, v.y, w.y), ss_hermite(x.u, x.width, q.z, r.z, v.z, w.z)};
    ss_quat turns = ss_quat_from_rotation(ss_scale(at.turns, track->per_period));
    ss_quat all   = track->body ? ss_quat_mul(turns, swing) : ss_quat_mul(swing, turns);
    *out =
        ss_quat_unit(track->body ? ss_quat_mul(track->start, all) : ss_quat_mul(all, track->start));
    return true;
}

static double next_break(const ss_track_times *times, const ss_track_breaks *b, double after)
{
    double  span = times->dt * times->pieces, turns = times->periodic ? floor(after / span) : 0;
    int32_t k = first_after(b, after - turns * span);
    if (b->count == 0 || (k == b->count && !times->periodic)) {
        return INFINITY;
    }
    return k < b->count ? turns * span + b->t[k] : (turns + 1) * span + b->t[0];
}

double ss_place_track_break(const ss_place_track *track, double after)
{
    return next_break(&track->times, &track->breaks, after);
}

double ss_turn_track_break(const ss_turn_track *track, double after)
{
    return track->angles != NULL ? ss_place_track_break(track->angles, after)
                                 : next_break(&track->times, &track->breaks, after);
}
