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
    ss_mat3 R1 = ss_mat3_from_quat(d->pose_next[i].q);
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
    if (b->damping_linear > 0 || b->damping_angular > 0 || b->damping != NULL) {
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
