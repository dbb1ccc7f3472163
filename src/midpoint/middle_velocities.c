/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Newton's method on the balance of momentum over the step (midpoint.h), from the velocities v_k of
 * the pass before:
 *
 *   A (v' - v_k) = -r + J~'p,     r = M (v_k - v) - h F
 *   turning, with R1 = exp(h (w + w_k)/2) R:   r = R1 I R'w_k - R I R'w - h T
 *
 * R1 I R'w' is the angular momentum at the end of a body whose velocity there, in body axes, is
 * R'w'; the mean velocity is the same vector in the axes of both ends, so with L the momentum
 * (L1 - L).(w + w')/2 is the change of w.I w/2: free motion keeps energy and momentum (Simo and
 * Wong 1991). Bodies whose inertia is a multiple of 1 have r = I (w_k - w) - h T.
 *
 * Drag is that of the end of the step, implicitly: (A + h E) v' = A v_k - r.
 */
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "linalg/mat3.h"
#include "midpoint/midpoint.h"

/* R I R'w */
static ss_vec3 momentum(const ss_mat3 *to, const ss_mat3 *inertia, const ss_mat3 *from, ss_vec3 w)
{
    return ss_mul(to, ss_mul(inertia, ss_tmul(from, w)));
}

static ss_vec3 turning_residual(const ss_model *m, const ss_data *d, int32_t i, ss_vec3 w, double h)
{
    const ss_body *b  = &m->bodies[i];
    ss_vec3        w0 = d->state.twist[i].w, push = ss_scale(h, d->applied[i].torque);
    if (b->round || m->dimension == 2) {
        ss_vec3 L = ss_mul(&b->inertia, ss_sub(w, w0));
        return ss_sub(L, push);
    }
    ss_mat3 R  = ss_mat3_from_quat(d->state.pose[i].q);
    ss_mat3 R1 = ss_mat3_from_quat(d->midpoint.end[i].q);
    return ss_sub(ss_sub(momentum(&R1, &b->inertia, &R, w), momentum(&R, &b->inertia, &R, w0)),
                  push);
}

static void stiffen(const ss_model *m, ss_data *d, int32_t i, double h)
{
    ss_body_matrix *A = &d->matrix[i];
    const double   *K = d->midpoint.stiffness[i].m;
    if (K[0] == 0 && K[4] == 0 && K[8] == 0) {
        return;
    }
    for (int k = 0; k < 9; k++) {
        A->angular.m[k] += 0.25 * h * K[k];
    }
    A->inv_angular = ss_mat3_inverse(&A->angular);
    if (m->dimension == 2) {
        A->inv_angular.m[8] = 1 / A->angular.m[8];
    }
}

static void body_velocities(const ss_model *m, ss_data *d, int32_t i, double h)
{
    const ss_body  *b    = &m->bodies[i];
    ss_body_matrix *A    = &d->matrix[i];
    double         *v    = d->v_free + b->v_start;
    const double   *vk   = d->midpoint.v + b->v_start;
    bool            flat = m->dimension == 2;
    A->linear            = b->mass;
    A->inv_linear        = b->inv_mass;
    A->angular           = d->inertia[i];
    A->inv_angular       = d->inv_inertia[i];
    if (m->joint_count > 0 && b->dof == m->dof) {
        stiffen(m, d, i, h);
    }
    ss_vec3 v0 = d->state.twist[i].v, F = d->applied[i].force;
    ss_vec3 x = ss_axpy(v0, h * b->inv_mass, F);
    v[0]      = x.x;
    v[1]      = x.y;
    if (!flat) {
        v[2] = x.z;
    }
    ss_vec3 w = {0, 0, 0}, wk = {0, 0, 0};
    if (b->dof == m->dof) {
        wk        = flat ? ss_v3(0, 0, vk[2]) : ss_v3(vk[3], vk[4], vk[5]);
        ss_vec3 r = turning_residual(m, d, i, wk, h);
        w         = flat ? ss_v3(0, 0, wk.z - A->inv_angular.m[8] * r.z)
                         : ss_sub(wk, ss_mul(&A->inv_angular, r));
        if (flat) {
            v[2] = w.z;
        } else {
            v[3] = w.x;
            v[4] = w.y;
            v[5] = w.z;
        }
    }
    if (ss_body_drags(b)) {
        ss_vec3      L    = ss_mul(&A->angular, w);
        const double q[6] = {
            A->linear * x.x, A->linear * x.y, flat ? L.z : A->linear * x.z, L.x, L.y, L.z};
        ss_resist_motion(m, d, i, h, q);
    }
}

void ss_middle_velocities(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i]) && d->midpoint.smooth[i]) {
            body_velocities(m, d, i, h);
        }
    }
}

/* ---- what impulses make of bodies whose inertia turns with them ---------------------------- */

/* Joints and springs have passes until everything agrees; drag is part of A. */
static bool is_balanced_apart(const ss_model *m, const ss_data *d, int32_t i)
{
    const ss_body *b      = &m->bodies[i];
    bool           damped = ss_body_drags(b);
    return ss_body_moves(b) && b->dof == 6 && !b->round && !b->tied && !damped &&
           d->midpoint.smooth[i];
}

/* Angular impulses of all rows on their bodies. */
static void add_torques(const ss_model *m, const ss_data *d, ss_vec3 *torque)
{
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        for (int32_t row = b->row; row < b->row + b->dim; row++) {
            const double *J = ss_row_side(m, &d->rows, row, 0);
            for (int side = 0; side < b->sides; side++, J += m->dof) {
                if (b->body[side] >= 0) {
                    ss_vec3 *t = &torque[b->body[side]];
                    *t         = ss_axpy(*t, d->rows.impulse[row], ss_v3(J[3], J[4], J[5]));
                }
            }
        }
    }
}

static double largest_speed(const ss_model *m, const ss_data *d)
{
    double size = d->midpoint.pushed;
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            const ss_twist *w = &d->state.twist[i];
            size              = ss_max(size, ss_norm(w->v) + ss_body_arm(m, i) * ss_norm(w->w));
        }
    }
    return size;
}

ss_status ss_balance_turns(const ss_model *m, ss_data *d, double h)
{
    d->midpoint.unbalanced = 0;
    if (m->dimension == 2 || d->midpoint.pass == 0) {
        return SS_OK;
    }
    ss_vec3 *torque = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *torque);
    if (torque == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(torque, 0, (size_t)m->nb * sizeof *torque);
    add_torques(m, d, torque);
    double most = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        if (!is_balanced_apart(m, d, i)) {
            continue;
        }
        ss_mat3 R = ss_mat3_from_quat(d->state.pose[i].q);
        ss_vec3 T = ss_axpy(d->applied[i].torque, 1 / h, torque[i]);
        double *v = d->v_next + m->bodies[i].v_start + 3;
        ss_vec3 w = ss_mul(&R, ss_turn_under(&m->bodies[i].inertia,
                                             ss_tmul(&R, d->state.twist[i].w), ss_tmul(&R, T), h));
        most      = ss_max(most, ss_body_arm(m, i) * ss_norm(ss_sub(w, ss_v3(v[0], v[1], v[2]))));
        v[0]      = w.x;
        v[1]      = w.y;
        v[2]      = w.z;
    }
    double size            = largest_speed(m, d);
    d->midpoint.unbalanced = size > 0 ? most / size : 0;
    return SS_OK;
}
