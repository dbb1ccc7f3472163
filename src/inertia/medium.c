/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A medium that resists motion: (A + h E) v+ = b + J'p, with E of each body in world axes,
 *
 *   E = diag(c 1, c_r 1)           two numbers, the same in every direction, or
 *   E = T E_b T', T = diag(R, R)   a symmetric matrix E_b in body axes (2D: T turns x and y).
 *
 * The first keeps A block-diagonal, the second couples all coordinates of the body.
 */
#include <string.h>

#include "formulate/formulate.h"
#include "linalg/dense.h"
#include "linalg/mat3.h"

static void resist_evenly(const ss_model *m, ss_data *d, int32_t i, double h, const double *b)
{
    const ss_body  *body = &m->bodies[i];
    ss_body_matrix *A    = &d->matrix[i];
    double         *v    = d->v_free + body->v_start;
    A->full              = NULL;
    A->linear += h * body->damping_linear;
    A->inv_linear = 1 / A->linear;
    for (int32_t c = 0; c < m->dimension; c++) {
        v[c] = A->inv_linear * b[c];
    }
    if (body->dof < m->dof) {
        return;
    }
    for (int k = 0; k < 9; k += 4) {
        A->angular.m[k] += h * body->damping_angular;
    }
    A->inv_angular = ss_mat3_inverse(&A->angular);
    if (m->dof == 6) {
        ss_vec3 w = ss_mul(&A->inv_angular, ss_v3(b[3], b[4], b[5]));
        v[3]      = w.x;
        v[4]      = w.y;
        v[5]      = w.z;
    } else {
        v[2] = A->inv_angular.m[8] * b[2];
    }
}

/* T (dof x dof): velocities in body axes to those in world axes. */
static void turn(const ss_model *m, const ss_mat3 *R, double *T)
{
    const int32_t n = m->dof;
    memset(T, 0, (size_t)n * (size_t)n * sizeof *T);
    for (int32_t r = 0; r < m->dimension; r++) {
        for (int32_t c = 0; c < m->dimension; c++) {
            T[r * n + c] = R->m[3 * r + c];
            if (n == 6) {
                T[(r + 3) * n + c + 3] = R->m[3 * r + c];
            }
        }
    }
    if (n == 3) {
        T[8] = 1;
    }
}

/* X Y or X Y', all n x n, row-major. */
static void multiply(int32_t n, const double *X, const double *Y, bool transposed, double *out)
{
    for (int32_t r = 0; r < n; r++) {
        for (int32_t c = 0; c < n; c++) {
            double s = 0;
            for (int32_t k = 0; k < n; k++) {
                s += X[r * n + k] * (transposed ? Y[c * n + k] : Y[k * n + c]);
            }
            out[r * n + c] = s;
        }
    }
}

void ss_world_damping(const ss_model *m, const ss_data *d, int32_t i, double *E)
{
    const ss_body *b = &m->bodies[i];
    const int32_t  n = m->dof;
    double         own[36], T[36], TE[36];
    memset(own, 0, sizeof own);
    for (int32_t r = 0; r < b->dof; r++) {
        memcpy(own + r * n, b->damping + r * b->dof, (size_t)b->dof * sizeof *own);
    }
    if (b->dof < n) {
        memcpy(E, own, sizeof own);
        return;
    }
    turn(m, &d->frame[i].R, T);
    multiply(n, T, own, false, TE);
    multiply(n, TE, T, true, E);
}

/* The block-diagonal matrix, written out; what a particle has in name only is 1. */
static void write_out(const ss_model *m, const ss_body *b, const ss_body_matrix *A, double *full)
{
    const int32_t n = m->dof;
    memset(full, 0, (size_t)n * (size_t)n * sizeof *full);
    for (int32_t r = 0; r < n; r++) {
        full[r * n + r] = r < m->dimension ? A->linear : b->dof < n ? 1 : A->angular.m[8];
    }
    for (int32_t k = 0; n == 6 && b->dof == 6 && k < 9; k++) {
        full[(3 + k / 3) * n + 3 + k % 3] = A->angular.m[k];
    }
}

static void invert(int32_t n, const double *A, double *inverse)
{
    double L[36];
    memcpy(L, A, (size_t)n * (size_t)n * sizeof *L);
    ss_dense_cholesky(n, L, n); /* positive definite: checked when the scene was compiled */
    for (int32_t c = 0; c < n; c++) {
        double *column = inverse + c * n;
        for (int32_t r = 0; r < n; r++) {
            column[r] = r == c;
        }
        ss_dense_cholesky_solve(n, L, n, column);
    }
}

static void resist_by_matrix(const ss_model *m, ss_data *d, int32_t i, double h, const double *b)
{
    const int32_t   n     = m->dof;
    ss_body_matrix *A     = &d->matrix[i];
    double         *v     = d->v_free + m->bodies[i].v_start;
    double          E[36] = {0};
    A->full               = d->full + (ptrdiff_t)i * 2 * n * n;
    double *inverse       = A->full + n * n;
    write_out(m, &m->bodies[i], A, A->full);
    ss_world_damping(m, d, i, E);
    for (int32_t k = 0; k < n * n; k++) {
        A->full[k] += h * E[k];
    }
    invert(n, A->full, inverse);
    for (int32_t r = 0; r < n; r++) {
        v[r] = 0;
        for (int32_t c = 0; c < n; c++) {
            v[r] += inverse[r * n + c] * b[c];
        }
    }
}

void ss_resist_motion(const ss_model *m, ss_data *d, int32_t body, double h, const double *b)
{
    if (m->bodies[body].damping != NULL) {
        resist_by_matrix(m, d, body, h, b);
    } else {
        resist_evenly(m, d, body, h, b);
    }
}
