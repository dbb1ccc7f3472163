/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Velocities that obey the laws to their last digit. The solution tells which rows of an island
 * hold it: joints, normals that carry, friction that sticks, directions across a slip. With
 * e = what is left of those rows, the change w of least length with
 *
 *   g_i.w = -e_i
 *
 * is found by Gram-Schmidt: row i, made orthogonal to those before it, fixes the part of w along
 * itself; a row that depends on those before says nothing new. Solved for the change rather than
 * for the velocities, rows in which nearly nothing happens come out as exactly as the others.
 *
 * Models with a matrix have refine.c, which factors products of rows. Here the balance is judged
 * row by row, and rows at angles of 1e-8 to each other both have to hold: products, which see the
 * squares of such angles, take the second for a sum of the others and leave it open.
 */
#include <math.h>
#include <string.h>

#include "balance/motion.h"
#include "balance/tolerances.h"
#include "linalg/basis.h"
#include "linalg/vector.h"

/* A row over all coordinates of the island. */
static void spread(const ss_model *m, const ss_island *isl, const ss_motion_row *row, double *x)
{
    memset(x, 0, (size_t)isl->body_count * (size_t)m->dof * sizeof *x);
    for (int side = 0; side < SS_ROW_SIDES; side++) {
        for (int32_t c = 0; row->body[side] >= 0 && c < m->dof; c++) {
            x[row->body[side] * m->dof + c] = row->g[6 * side + c];
        }
    }
}

/* w (n) of least length; Q (n x n) and x (n) are scratch. */
static void solve(const ss_model *m, const ss_island *isl, const ss_motion_set *set, double *Q,
                  double *x, double *w)
{
    int32_t n = isl->body_count * m->dof, rank = 0;
    memset(w, 0, (size_t)n * sizeof *w);
    for (int32_t i = 0; i < set->count && rank < n; i++) {
        const ss_motion_row *row = &set->rows[i];
        if (!row->equal) {
            continue;
        }
        spread(m, isl, row, x);
        double left = -row->value - ss_vector_dot(n, x, w);
        if (ss_basis_add(n, Q, &rank, x, ss_motion_narrow.rank)) {
            const double *q = Q + (ptrdiff_t)(rank - 1) * n;
            ss_vector_add(n, w, left / ss_vector_norm(n, x), q); /* x: what was new of the row */
        }
    }
}

static void add_change(const ss_model *m, ss_data *d, const ss_island *isl, const double *w)
{
    for (int32_t i = 0; i < isl->body_count; i++) {
        double *v = d->v_next + m->bodies[isl->bodies[i]].v_start;
        for (int32_t c = 0; c < m->dof; c++) {
            v[c] += w[i * m->dof + c] / ss_coordinate_scale(m, isl->bodies[i], c);
        }
    }
}

/*
 * Each turn leaves rounding of what the last one left, down to 1e-50 of what moves: where nothing
 * else is in a row, as in those of a body that does not rise or turn, that would be judged for its
 * own sake.
 */
static void drop_remains(const ss_model *m, ss_data *d, const ss_island *isl)
{
    double most = 0;
    for (int32_t i = 0; i < isl->body_count; i++) {
        const double *v = d->v_next + m->bodies[isl->bodies[i]].v_start;
        most            = fmax(most, ss_speed_of(m, isl->bodies[i], v));
    }
    for (int32_t i = 0; i < isl->body_count; i++) {
        double *v = d->v_next + m->bodies[isl->bodies[i]].v_start;
        for (int32_t c = 0; c < m->dof; c++) {
            double way = fabs(v[c]) * ss_coordinate_scale(m, isl->bodies[i], c);
            v[c]       = way <= SS_POLISH_REMAINS * most ? 0 : v[c];
        }
    }
}

ss_status ss_polish_velocities(const ss_model *m, ss_data *d, const ss_island *isl, double h)
{
    size_t        n = (size_t)isl->body_count * (size_t)m->dof;
    ss_motion_set set;
    double       *Q = ss_arena_alloc(&d->scratch, n * n, sizeof *Q);
    double       *x = ss_arena_alloc(&d->scratch, n, sizeof *x);
    double       *w = ss_arena_alloc(&d->scratch, n, sizeof *w);
    if (!Q || !x || !w) {
        return SS_ERR_SCRATCH;
    }
    for (int turn = 0; turn < 3; turn++) { /* the second and third remove rounding of the first */
        SS_TRY(ss_motion_rows(m, d, isl, h, &ss_motion_narrow, &set));
        solve(m, isl, &set, Q, x, w);
        add_change(m, d, isl, w);
    }
    drop_remains(m, d, isl);
    return SS_OK;
}
