/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ensembles. How a tumbling body comes to rest depends on its start far more finely than any camera
 * sees it: one run from the measured start is one of many futures. The prediction with the least
 * expected square of the error is the mean over runs whose starts scatter as the measurement does.
 *
 * Starts: all bodies that start from the recording are moved by one rigid motion, x -> c + R(x - c)
 * + d about the position c of the first, which its velocity v does not follow but spins and the
 * velocities of others relative to it do, and one twist, dv + dw x (x - c) and dw: joints between
 * them stay closed. d, dv, dw and the rotation vector of R are normal; members
 * 2k and 2k + 1 have opposite signs (antithetic), which makes their mean exact for linear runs.
 *
 * Rotations q_m: the mean q has the least sum of squared angles: sum_m log(q_m q^-1) = 0, found by
 * moving q along that sum's mean (Karcher) from the first member.
 */
#include <math.h>
#include <string.h>

#include "identify/identify.h"
#include "identify/tolerances.h"
#include "study/philox.h"
#include "study/quantile.h"

static ss_vec3 turned(ss_quat r, ss_vec3 v)
{
    ss_mat3 R = ss_mat3_from_quat(r);
    return ss_mul(&R, v);
}

static ss_vec3 draw(const ss_identify *p, int32_t trial, int32_t member, const char *name,
                    double deviation, bool flat, bool turning)
{
    double x[3], sign = member % 2 == 0 ? 1 : -1;
    for (uint32_t i = 0; i < 3; i++) {
        double u[2];
        ss_philox_uniform(p->study->seed, (uint64_t)trial * 65536 + (uint64_t)(member / 2),
                          ss_philox_name(name), i, u);
        x[i] = sign * deviation * ss_normal_quantile(u[0]);
    }
    return !flat ? ss_v3(x[0], x[1], x[2]) : (turning ? ss_v3(0, 0, x[2]) : ss_v3(x[0], x[1], 0));
}

void ss_ensemble_scatter(const ss_identify *p, int32_t trial, int32_t member, int32_t bodies,
                         ss_body_state *states)
{
    const ss_ensemble_def *e    = &p->ensemble;
    bool                   flat = p->study->dimension == 2;
    ss_vec3 d  = draw(p, trial, member, "ensemble position", e->position, flat, false);
    ss_vec3 dv = draw(p, trial, member, "ensemble velocity", e->velocity, flat, false);
    ss_vec3 dw = draw(p, trial, member, "ensemble spin", e->spin, flat, true);
    ss_vec3 a  = draw(p, trial, member, "ensemble angle", e->angle, flat, true);
    ss_quat r  = ss_quat_from_rotation(a);
    ss_vec3 c = states[0].position, v = states[0].velocity;
    for (int32_t b = 0; b < bodies; b++) {
        ss_body_state *s    = &states[b];
        ss_vec3        arm  = turned(r, ss_sub(s->position, c));
        s->position         = ss_add(ss_add(c, d), arm);
        ss_vec3 more        = ss_add(dv, ss_cross(dw, arm));
        s->velocity         = ss_add(ss_add(v, turned(r, ss_sub(s->velocity, v))), more);
        s->angular_velocity = ss_add(turned(r, s->angular_velocity), dw);
        s->angle += a.z;
        s->quat_wxyz = ss_quat_mul(r, s->quat_wxyz);
    }
}

/* ---- the mean ---- */

static ss_quat quat_at(const double *row, const int32_t place[4])
{
    return ss_quat_unit((ss_quat){row[place[0]], row[place[1]], row[place[2]], row[place[3]]});
}

/* The mean of one rotation over the members, in place of the four numbers. */
static void mean_rotation(const double *first, size_t stride, int32_t members,
                          const int32_t place[4], double *out)
{
    enum { ROUNDS = 30 };
    ss_quat q = quat_at(first, place);
    for (int k = 0; k < ROUNDS; k++) {
        ss_quat back = {q.w, -q.x, -q.y, -q.z};
        ss_vec3 sum  = {0, 0, 0};
        for (int32_t m = 0; m < members; m++) {
            ss_quat one = ss_quat_mul(quat_at(first + (size_t)m * stride, place), back);
            sum         = ss_add(sum, ss_quat_to_rotation(one));
        }
        sum = ss_scale(1.0 / members, sum);
        q   = ss_quat_unit(ss_quat_mul(ss_quat_from_rotation(sum), q));
        if (ss_norm(sum) < SS_MEAN_ROTATION) {
            break;
        }
    }
    out[place[0]] = q.w;
    out[place[1]] = q.x;
    out[place[2]] = q.y;
    out[place[3]] = q.z;
}

/* Where the four numbers of a body's rotation stand; false: they are not recorded. */
static bool find_rotation(const ss_identify *p, int32_t body, int32_t place[4])
{
    int found = 0;
    for (int32_t c = 0; c < p->column_count; c++) {
        int k = (int)p->columns[c].quantity - SS_Q_QW;
        if (p->columns[c].body == body && k >= 0 && k < 4) {
            place[k] = c;
            found++;
        }
    }
    return found == 4;
}

void ss_ensemble_mean(const ss_identify *p, int32_t count, int32_t members, const double *all,
                      double *out)
{
    size_t cells = (size_t)count * (size_t)p->column_count;
    memset(out, 0, cells * sizeof *out);
    for (int32_t m = 0; m < members; m++) {
        for (size_t i = 0; i < cells; i++) {
            out[i] += all[(size_t)m * cells + i] / members;
        }
    }
    for (int32_t b = 0; b < p->body_count; b++) {
        int32_t place[4];
        for (int32_t i = 0; find_rotation(p, b, place) && i < count; i++) {
            size_t at = (size_t)i * (size_t)p->column_count;
            mean_rotation(all + at, cells, members, place, out + at);
        }
    }
}
