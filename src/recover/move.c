/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities -> trial poses: x+ = x + h v+, and the orientation turned by the rotation h w+. */
#include "formulate/formulate.h"

static void move_3d(const ss_body *b, const ss_data *d, int32_t i, double h)
{
    const double *v = d->v_next + b->v_start;
    ss_pose      *p = &d->pose_next[i];
    ss_twist     *w = &d->twist_next[i];
    w->v            = ss_v3(v[0], v[1], v[2]);
    w->w            = b->dof == 6 ? ss_v3(v[3], v[4], v[5]) : ss_v3(0, 0, 0);
    p->p            = ss_axpy(d->state.pose[i].p, h, w->v);
    p->q            = d->state.pose[i].q;
    if (b->dof == 6 && (w->w.x != 0 || w->w.y != 0 || w->w.z != 0)) {
        ss_quat turn = ss_quat_from_rotation(ss_scale(h, w->w));
        p->q         = ss_quat_unit(ss_quat_mul(turn, d->state.pose[i].q));
    }
}

static void move_2d(const ss_body *b, const ss_data *d, int32_t i, double h)
{
    const double *v = d->v_next + b->v_start;
    ss_pose      *p = &d->pose_next[i];
    ss_twist     *w = &d->twist_next[i];
    w->v            = ss_v3(v[0], v[1], 0);
    w->w            = ss_v3(0, 0, b->dof == 3 ? v[2] : 0);
    p->p            = ss_axpy(d->state.pose[i].p, h, w->v);
    p->angle        = d->state.pose[i].angle + h * w->w.z;
}

void ss_move_body(const ss_model *m, ss_data *d, int32_t body, double h)
{
    if (m->dimension == 3) {
        move_3d(&m->bodies[body], d, body, h);
    } else {
        move_2d(&m->bodies[body], d, body, h);
    }
}
