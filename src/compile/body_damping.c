/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The damping matrix E of a body (Gavrea (2.2)): two multiples of the identity, or a symmetric
 * matrix over its velocity coordinates (2D: x, y, angle; 3D: x, y, z and the rotations about them;
 * particles: x, y, z alone) in body axes, at the centre of mass. A medium takes energy out, so E is
 * positive semidefinite; with inertia: damped nothing else resists a motion, and E is positive
 * definite. Both are asked of E scaled to a unit diagonal, whatever its units.
 */
#include <math.h>
#include <string.h>

#include "compile/compile.h"
#include "compile/tolerances.h"
#include "linalg/dense.h"
#include "model/axes.h"

static bool is_damped(const ss_compiler *c)
{
    return ss_inertia_axis[c->scene->simulation.axes.inertia]->medium;
}

/* Two numbers that resist translation and rotation. */
static ss_status check_numbers(ss_compiler *c, const ss_body_def *def, const ss_body *b)
{
    double linear = def->damping_linear, angular = def->damping_angular;
    if (!(linear >= 0) || !(angular >= 0) || !isfinite(linear) || !isfinite(angular)) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "body '%s': damping must be >= 0", def->name);
    }
    bool turns = def->type == SS_BODY_DYNAMIC;
    if (is_damped(c) && ss_body_moves(b) && (!(linear > 0) || (turns && !(angular > 0)))) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': inertia: damped needs damping: [linear, angular], both > 0, or "
                       "a positive definite matrix (or choose inertia: quasistatic)",
                       def->name);
    }
    return SS_OK;
}

static ss_status check_entries(ss_compiler *c, const ss_body_def *def, const ss_body *b)
{
    int32_t n = def->damping_size;
    if (n != b->dof) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': damping: the matrix must be %d x %d (one row per velocity "
                       "coordinate of the body), got %d x %d",
                       def->name, (int)b->dof, (int)b->dof, (int)n, (int)n);
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            double x = def->damping_matrix[i * n + j], y = def->damping_matrix[j * n + i];
            if (!isfinite(x) || fabs(x - y) > SS_DAMPING_ROUNDING * (fabs(x) + fabs(y))) {
                return ss_fail(c->ctx, SS_ERR_INPUT,
                               "body '%s': damping: the matrix must be symmetric, but entry "
                               "(%d, %d) is %g and (%d, %d) is %g",
                               def->name, (int)i + 1, (int)j + 1, x, (int)j + 1, (int)i + 1, y);
            }
        }
    }
    return SS_OK;
}

/* E with its diagonal scaled to 1, and `shift` added to it. A zero on the diagonal stays. */
static void scaled(const double *E, int32_t n, double shift, double *out)
{
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            double size    = sqrt(fabs(E[i * n + i])) * sqrt(fabs(E[j * n + j]));
            out[i + j * n] = (size > 0 ? E[i * n + j] / size : E[i * n + j]) + (i == j ? shift : 0);
        }
    }
}

static ss_status check_matrix(ss_compiler *c, const ss_body_def *def, const ss_body *b)
{
    SS_TRY(check_entries(c, def, b));
    double  S[36];
    int32_t n = def->damping_size;
    scaled(def->damping_matrix, n, SS_DAMPING_ROUNDING, S);
    if (!ss_dense_cholesky(n, S, n)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': damping: the matrix must be positive semidefinite (a medium "
                       "takes energy out), but it has a negative eigenvalue",
                       def->name);
    }
    scaled(def->damping_matrix, n, -SS_DAMPING_ROUNDING, S);
    if (is_damped(c) && !ss_dense_cholesky(n, S, n)) {
        return ss_fail(c->ctx, SS_ERR_INPUT,
                       "body '%s': inertia: damped needs a positive definite damping matrix: this "
                       "one lets a motion go unresisted (or choose inertia: quasistatic)",
                       def->name);
    }
    return SS_OK;
}

/*
 * The least resistance to a translation and to a rotation: the traces of the diagonal blocks of
 * E^-1 bound their largest eigenvalues.
 */
static ss_status find_resistance(ss_compiler *c, ss_body *b)
{
    int32_t n = b->dof, flat = c->model->dimension;
    double  E[36], trace[2]  = {0, 0};
    b->resists_linear  = b->damping_linear;
    b->resists_angular = b->damping_angular;
    if (b->damping == NULL || !is_damped(c)) {
        return SS_OK;
    }
    memcpy(E, b->damping, (size_t)(n * n) * sizeof *E);
    if (!ss_dense_cholesky(n, E, n)) {
        return ss_fail(c->ctx, SS_ERR_INTERNAL, "body '%s': damping lost its definiteness",
                       b->name);
    }
    for (int32_t k = 0; k < n; k++) {
        double column[6] = {0};
        column[k]        = 1;
        ss_dense_cholesky_solve(n, E, n, column);
        trace[k < flat ? 0 : 1] += column[k];
    }
    b->resists_linear  = 1 / trace[0];
    b->resists_angular = trace[1] > 0 ? 1 / trace[1] : 1;
    return SS_OK;
}

ss_status ss_compile_damping(ss_compiler *c, const ss_body_def *def, ss_body *b)
{
    b->damping_linear  = def->damping_linear;
    b->damping_angular = def->damping_angular;
    if (def->damping_matrix == NULL || !ss_body_moves(b)) {
        SS_TRY(check_numbers(c, def, b));
        return find_resistance(c, b);
    }
    int    ok = 1;
    size_t n  = (size_t)def->damping_size;
    SS_TRY(check_matrix(c, def, b));
    b->damping = ss_pool_copy(&c->model->pool, def->damping_matrix, n * n, sizeof(double), &ok);
    c->model->full_matrices = true;
    return ok ? find_resistance(c, b) : ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for bodies");
}
