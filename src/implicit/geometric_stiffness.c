/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stiffness of loaded joints (joints_at_end.h), body by body. With the force f of a joint or a
 * spring on a body at the arm r that turns with it,
 *
 *   of an arm   K_ww = (r.f) 1 - (r f' + f r')/2        f.(exp(w) r), to second order, negated
 *   of a rod    K = (T/L) G'(1 - e e') G                T its tension, G = (1, -r~): the velocity
 *                                                       of its end
 *
 * A rod between two bodies that move couples them, K [1 -1; -1 1] of their ends; the matrix has one
 * block a body, and [2 0; 0 2] is no less: the rounds end at the same place, a little later.
 *
 * Arms that are pushed have K < 0. It counts in full where E + K is positive definite, with half of
 * E to spare; otherwise arms that are pulled count alone: (r.f) (1 - e e'), e = r/|r|, r.f > 0.
 */
#include <math.h>
#include <string.h>

#include "dynamics/stages.h"
#include "force/between.h"
#include "formulate/formulate.h"
#include "implicit/joints_at_end.h"
#include "linalg/dense.h"
#include "linalg/mat3.h"

/* ---- K ----------------------------------------------------------------------------------------
 */

static void add_outer(ss_mat3 *K, double c, ss_vec3 a, ss_vec3 b)
{
    const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 9; i++) {
        K->m[i] += 0.5 * c * (x[i / 3] * y[i % 3] + y[i / 3] * x[i % 3]);
    }
}

static void add_identity(ss_mat3 *K, double c)
{
    K->m[0] += c;
    K->m[4] += c;
    K->m[8] += c;
}

static bool turns(const ss_model *m, int32_t body)
{
    return body >= 0 && ss_body_moves(&m->bodies[body]) && m->bodies[body].dof == m->dof;
}

/* f: the impulse on the body. */
static void add_arm(const ss_model *m, ss_data *d, int32_t body, ss_vec3 r, ss_vec3 f)
{
    if (!turns(m, body)) {
        return;
    }
    ss_stiffness *K = &d->ending.stiffness[body];
    double        c = ss_dot(r, f), square = ss_dot(r, r);
    K->any = true;
    add_identity(&K->arms, c);
    add_outer(&K->arms, -1, r, f);
    if (c > 0) {
        add_identity(&K->pulled, c);
        add_outer(&K->pulled, -c / square, r, r);
    }
}

/* times (1 - e e') of the velocity of the end at r. */
static void add_rod(const ss_model *m, ss_data *d, int32_t body, ss_vec3 r, ss_vec3 e, double times)
{
    const int32_t n = m->dof, line = m->dimension;
    ss_stiffness *K = &d->ending.stiffness[body];
    K->any = K->rods    = true;
    const double  P[9]  = {1 - e.x * e.x, -e.x * e.y, -e.x * e.z, -e.x * e.y,   1 - e.y * e.y,
                           -e.y * e.z,    -e.x * e.z, -e.y * e.z, 1 - e.z * e.z};
    const double  T[18] = {1, 0, 0, 0, r.z, -r.y, 0, 1, 0, -r.z, 0, r.x, 0, 0, 1, r.y, -r.x, 0};
    const double  F[6]  = {1, 0, -r.y, 0, 1, r.x};
    const double *G     = n == 6 ? T : F;
    const bool    whole = m->bodies[body].dof == n;
    for (int32_t a = 0; a < n * n; a++) {
        int32_t row = a / n, column = a % n;
        double  sum = 0;
        for (int32_t k = 0; k < line * line; k++) {
            sum += G[k / line * n + row] * P[k / line * 3 + k % line] * G[k % line * n + column];
        }
        K->rod[a] += whole || (row < line && column < line) ? times * sum : 0;
    }
}

static bool moves(const ss_model *m, int32_t body)
{
    return body >= 0 && ss_body_moves(&m->bodies[body]);
}

/* p: the impulse along the distance, of a rod or of a rope that is as long as it may be. */
static void add_distance(const ss_model *m, ss_data *d, const ss_joint *j,
                         const ss_joint_place *place, double p)
{
    const ss_vec3 along     = ss_sub(place->b.p, place->a.p),
                  centre[2] = {place->centre_a, place->centre_b};
    const ss_vec3 end[2]    = {place->a.p, place->b.p};
    const double  L         = ss_norm(along);
    const double  both      = moves(m, j->body[0]) && moves(m, j->body[1]) ? 2 : 1;
    for (int side = 0; L > 0 && side < 2; side++) {
        if (moves(m, j->body[side])) {
            ss_vec3 e = ss_scale(1 / L, along), r = ss_sub(end[side], centre[side]);
            add_arm(m, d, j->body[side], r, ss_scale(side == 0 ? -p : p, e));
            if (p < 0) {
                add_rod(m, d, j->body[side], r, e, -both * p / L);
            }
        }
    }
}

static void add_block(const ss_model *m, ss_data *d, const ss_row_block *b)
{
    const ss_joint *j     = &m->joints[b->index];
    ss_joint_place  place = ss_joint_place_now(m, d, j);
    if (ss_joint_is_distance(m, j)) {
        double sign = b->source == SS_ROWS_UPPER ? -1 : 1;
        add_distance(m, d, j, &place, sign * d->rows.impulse[b->row]);
    } else if (b->source == SS_ROWS_JOINT && !ss_joint_form_of(m, j)->couples) {
        ss_vec3 pull = ss_joint_reaction(m, d, b).force;
        add_arm(m, d, j->body[0], ss_sub(place.a.p, place.centre_a), ss_neg(pull));
        add_arm(m, d, j->body[1], ss_sub(place.b.p, place.centre_b), pull);
    }
}

/* A spring or damper: by its force, and by what its motion within the step adds to it. */
static void add_force(const ss_model *m, ss_data *d, const ss_row_block *b, double h)
{
    const ss_force  *f  = &m->forces[b->index];
    const ss_between at = ss_between_now(m, d, f);
    for (int side = 0; side < 2; side++) {
        if (b->body[side] < 0) {
            continue;
        }
        ss_vec3 pull = ss_scale(h, d->acting[2 * b->index + side].force);
        for (int32_t k = b->row; k < b->row + b->dim; k++) {
            const double *J = ss_row_side(m, &d->rows, k, side);
            ss_vec3       e = ss_v3(J[0], J[1], m->dimension == 3 ? J[2] : 0);
            pull            = ss_axpy(pull, d->rows.impulse[k], e);
        }
        add_arm(m, d, b->body[side], at.arm[side], pull);
    }
}

void ss_find_stiffness(const ss_model *m, ss_data *d, double h)
{
    memset(d->ending.stiffness, 0, (size_t)m->nb * sizeof *d->ending.stiffness);
    for (int32_t i = d->contacts.count; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->source == SS_ROWS_JOINT || b->source == SS_ROWS_LOWER ||
            b->source == SS_ROWS_UPPER) {
            add_block(m, d, b);
        } else if (b->source == SS_ROWS_GIVE && b->part == 0 &&
                   !m->forces[b->index].cls->is_control) {
            add_force(m, d, b, h);
        }
    }
}

/* ---- h E + h K --------------------------------------------------------------------------------
 */

/* A (n x n) of the body as the medium made it. */
static void write_matrix(const ss_model *m, const ss_data *d, int32_t i, double *A)
{
    for (int32_t k = 0; k < m->dof * m->dof; k++) {
        A[k] = ss_body_matrix_entry(m, d, i, k / m->dof, k % m->dof);
    }
}

/* h K of arms, all of them or those that are pulled, with that of rods. */
static void write_stiffness(const ss_model *m, const ss_stiffness *of, double h, bool all,
                            double *K)
{
    const int32_t n = m->dof, line = m->dimension;
    const double *arms = all ? of->arms.m : of->pulled.m;
    for (int32_t k = 0; k < n * n; k++) {
        K[k] = h * of->rod[k];
    }
    for (int32_t k = 0; n == 6 && k < 9; k++) {
        K[(line + k / 3) * n + line + k % 3] += h * arms[k];
    }
    K[8] += n == 3 ? h * arms[8] : 0;
}

static bool is_positive(int32_t n, const double *A, const double *K)
{
    double L[36] = {0};
    for (int32_t k = 0; k < n * n; k++) {
        L[k] = 0.5 * A[k] + K[k];
    }
    return ss_dense_cholesky(n, L, n);
}

/* v = A^-1 b; the body's matrix is A. */
static void take_matrix(const ss_model *m, ss_data *d, int32_t i, const double *A, const double *b)
{
    const int32_t   n  = m->dof;
    ss_body_matrix *to = &d->matrix[i];
    double         *v = d->v_free + m->bodies[i].v_start, L[36] = {0}, x[6] = {0};
    memcpy(L, A, (size_t)n * (size_t)n * sizeof *L);
    ss_dense_cholesky(n, L, n);
    memcpy(x, b, (size_t)n * sizeof *x);
    ss_dense_cholesky_solve(n, L, n, x);
    memcpy(v, x, (size_t)m->bodies[i].dof * sizeof *v);
    if (to->full != NULL) {
        memcpy(to->full, A, (size_t)n * (size_t)n * sizeof *A);
        for (int32_t c = 0; c < n; c++) {
            double *column = to->full + n * n + c * n;
            memset(column, 0, (size_t)n * sizeof *column);
            column[c] = 1;
            ss_dense_cholesky_solve(n, L, n, column);
        }
        return;
    }
    for (int32_t k = 0; n == 6 && k < 9; k++) {
        to->angular.m[k] = A[(3 + k / 3) * n + 3 + k % 3];
    }
    to->angular.m[8]     = n == 6 ? to->angular.m[8] : A[8];
    to->inv_angular      = ss_mat3_inverse(&to->angular);
    to->inv_angular.m[8] = n == 6 ? to->inv_angular.m[8] : 1 / A[8];
}

static void stiffen(const ss_model *m, ss_data *d, int32_t i, double h)
{
    const int32_t       n = m->dof, dof = m->bodies[i].dof;
    const ss_stiffness *of = &d->ending.stiffness[i];
    const double *v = d->v_free + m->bodies[i].v_start, *vk = d->ending.v + m->bodies[i].v_start;
    double        A[36] = {0}, K[36] = {0}, b[6] = {0};
    write_matrix(m, d, i, A);
    if (of->rods) {
        d->matrix[i].full = d->full + (ptrdiff_t)i * 2 * n * n;
    }
    write_stiffness(m, of, h, true, K);
    if (!is_positive(n, A, K)) {
        write_stiffness(m, of, h, false, K);
    }
    for (int32_t r = 0; r < dof; r++) {
        for (int32_t c = 0; c < dof; c++) {
            b[r] += A[r * n + c] * v[c] + K[r * n + c] * vk[c];
        }
    }
    for (int32_t k = 0; k < n * n; k++) {
        A[k] += K[k];
    }
    take_matrix(m, d, i, A, b);
}

ss_status ss_stiffen_bodies(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i]) && d->ending.stiffness[i].any) {
            stiffen(m, d, i, h);
        }
    }
    return SS_OK;
}
