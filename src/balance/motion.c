/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is the motion of a step without a matrix the only one that balances with its normal forces, and
 * if not, which one is taken?
 *
 * The motions v + w that are as good as v form a polyhedron  E w = 0,  G w + c >= 0,  c >= 0
 * (motion_rows.c). v is unique exactly when the cone  E w = 0,  G w >= 0 on the rows with c = 0,
 * is the origin alone:
 *
 *   1. A body held by rows that involve bodies already held is held; what is left after all such
 *      bodies is mostly nothing, and then v is unique at the cost of a few products.
 *   2. Otherwise Z spans the null space of the rest of E, and the cone is  A y >= 0,  A = G Z.
 *      If A has a null vector, that is a direction. If not, let z = 1 + x with x >= 0 minimise
 *      |A'z| (nonnegative least squares). A'z = 0 with z > 0 proves that the cone is {0}: y = 0 is
 *      then the only one with A y >= 0 (Stiemke). Otherwise y = A'z has A y >= 0: a direction.
 *
 * Both is done with margins on either side of zero (motion.h). Where the two do not agree, the
 * answer is `undecided`.
 *
 * A motion that is not unique is replaced by the least of all that are as good, measured by
 * v'M v: a least-distance problem over the same polyhedron, solved by the same method (Lawson and
 * Hanson 1974, chapter 23). It balances with the same impulses, so nothing else changes.
 */
#include "balance/motion.h"

#include "balance/motion_roll.h"

#include <math.h>
#include <string.h>

#include "balance/tolerances.h"
#include "linalg/basis.h"
#include "linalg/dense.h"
#include "linalg/nnls.h"
#include "linalg/vector.h"

static const ss_motion_margin wide             = SS_MOTION_WIDE;
const ss_motion_margin        ss_motion_narrow = SS_MOTION_NARROW;

/* An island without the bodies that are held: n coordinates x, the free ones among them Z. */
typedef struct rest {
    const ss_model         *m;
    ss_data                *d;
    const ss_island        *isl;
    const ss_motion_margin *margin;
    double                  h;
    ss_motion_set           set;
    int32_t                *start; /* (body_count) first coordinate of a body, -1: it is held   */
    int32_t                 n, free;
    double                 *Q; /* (n x n) basis of E, then Z from column n - free on         */
} rest;

static double *numbers(rest *R, size_t count)
{
    return ss_arena_alloc(&R->d->scratch, count, sizeof(double));
}

/* ---- 1. bodies that are held ---- */

static bool is_loose(const rest *R, const ss_motion_row *row, int side)
{
    return row->body[side] >= 0 && R->start[row->body[side]] >= 0;
}

/* The side of a row whose body is not held while the others are; -1: there is none. */
static int lone_side(const rest *R, const ss_motion_row *row)
{
    int lone = -1;
    for (int side = 0; side < SS_ROW_SIDES; side++) {
        if (is_loose(R, row, side)) {
            if (lone >= 0) {
                return -1;
            }
            lone = side;
        }
    }
    return lone;
}

static int32_t real_dof(const rest *R, int32_t place)
{
    return R->m->bodies[R->isl->bodies[place]].dof;
}

/* One pass over the rows; true when a body was found to be held. */
static bool hold_more(rest *R, bool *used, double *basis, int32_t *rank)
{
    bool changed = false;
    for (int32_t i = 0; i < R->set.count; i++) {
        const ss_motion_row *row  = &R->set.rows[i];
        int                  side = row->equal && !used[i] ? lone_side(R, row) : -1;
        if (side < 0) {
            continue;
        }
        int32_t body = row->body[side], n = real_dof(R, body);
        double  x[6];
        memcpy(x, row->g + (ptrdiff_t)6 * side, sizeof x);
        used[i] = true;
        ss_basis_add(n, basis + (ptrdiff_t)36 * body, &rank[body], x, R->margin->rank);
        if (rank[body] == n) {
            R->start[body] = -1;
            changed        = true;
        }
    }
    return changed;
}

static ss_status find_held(rest *R)
{
    size_t   nb    = (size_t)R->isl->body_count;
    int32_t *rank  = ss_arena_alloc(&R->d->scratch, nb, sizeof *rank);
    bool    *used  = ss_arena_alloc(&R->d->scratch, (size_t)R->set.count, sizeof *used);
    double  *basis = numbers(R, 36 * nb);
    R->start       = ss_arena_alloc(&R->d->scratch, nb, sizeof *R->start);
    if (!rank || !used || !basis || !R->start) {
        return SS_ERR_SCRATCH;
    }
    memset(rank, 0, nb * sizeof *rank);
    memset(used, 0, (size_t)R->set.count * sizeof *used);
    memset(R->start, 0, nb * sizeof *R->start);
    while (hold_more(R, used, basis, rank)) {
    }
    R->n = 0;
    for (int32_t i = 0; i < R->isl->body_count; i++) {
        if (R->start[i] >= 0) {
            R->start[i] = R->n;
            R->n += real_dof(R, i);
        }
    }
    return SS_OK;
}

/* ---- 2. the null space of what is left ---- */

/* A row over the coordinates that are left. */
static void spread(const rest *R, const ss_motion_row *row, double *x)
{
    memset(x, 0, (size_t)R->n * sizeof *x);
    for (int side = 0; side < SS_ROW_SIDES; side++) {
        int32_t body = row->body[side];
        for (int32_t c = 0; body >= 0 && R->start[body] >= 0 && c < real_dof(R, body); c++) {
            x[R->start[body] + c] = row->g[6 * side + c];
        }
    }
}

static bool touches(const rest *R, const ss_motion_row *row)
{
    bool any = false;
    for (int side = 0; side < SS_ROW_SIDES; side++) {
        any = any || is_loose(R, row, side);
    }
    return any;
}

static ss_status find_null_space(rest *R)
{
    double *x    = numbers(R, (size_t)R->n);
    int32_t rank = 0;
    R->Q         = numbers(R, (size_t)R->n * (size_t)R->n);
    if (x == NULL || R->Q == NULL) {
        return SS_ERR_SCRATCH;
    }
    for (int32_t i = 0; i < R->set.count && rank < R->n; i++) {
        const ss_motion_row *row = &R->set.rows[i];
        if (row->equal && touches(R, row)) {
            spread(R, row, x);
            ss_basis_add(R->n, R->Q, &rank, x, R->margin->rank);
        }
    }
    R->free = R->n - rank;
    ss_basis_complete(R->n, R->Q, rank);
    return SS_OK;
}

static const double *null_vector(const rest *R, int32_t j)
{
    return R->Q + (ptrdiff_t)(R->n - R->free + j) * R->n;
}

/* ---- 3. the cone over the null space ---- */

/*
 * A' (free x rows): the inequalities over the null space, scaled to unit length, with the value of
 * each. Those that the null space does not feel are left out; `near`: only those whose value is
 * zero, if nothing else.
 */
static ss_status inequalities(rest *R, bool near, double **At, double **value, int32_t *count)
{
    double *x = numbers(R, (size_t)R->n);
    *At       = numbers(R, (size_t)R->set.count * (size_t)R->free);
    *value    = numbers(R, (size_t)R->set.count);
    *count    = 0;
    if (!x || !*At || !*value) {
        return SS_ERR_SCRATCH;
    }
    for (int32_t i = 0; i < R->set.count; i++) {
        const ss_motion_row *row      = &R->set.rows[i];
        bool                 touching = R->h * row->value <= R->margin->length * R->m->length;
        if (row->equal || !touches(R, row) || (near && !touching)) {
            continue;
        }
        double *a = *At + (ptrdiff_t)*count * R->free;
        spread(R, row, x);
        for (int32_t j = 0; j < R->free; j++) {
            a[j] = ss_vector_dot(R->n, null_vector(R, j), x);
        }
        double size = ss_vector_norm(R->free, a);
        if (size > SS_MOTION_ALONG) {
            for (int32_t j = 0; j < R->free; j++) {
                a[j] /= size;
            }
            (*value)[(*count)++] = row->value / size;
        }
    }
    return SS_OK;
}

/* A null vector of A in y; false: its columns are independent. */
static bool lineality(const rest *R, const double *At, int32_t count, double *basis, double *x,
                      double *y)
{
    int32_t k = R->free, rank = 0;
    for (int32_t i = 0; i < count && rank < k; i++) {
        memcpy(x, At + (ptrdiff_t)i * k, (size_t)k * sizeof *x);
        ss_basis_add(k, basis, &rank, x, R->margin->rank);
    }
    if (rank == k) {
        return false;
    }
    ss_basis_complete(k, basis, rank);
    memcpy(y, basis + (ptrdiff_t)rank * k, (size_t)k * sizeof *y);
    return true;
}

/* y = A'z of least length over z >= 1; true when it is not zero: A y >= 0. */
static ss_status pointed_direction(rest *R, const double *At, int32_t count, double *y, bool *found)
{
    int32_t  k     = R->free;
    double  *x     = numbers(R, (size_t)count);
    double  *b     = numbers(R, (size_t)k);
    double  *work  = numbers(R, ss_nnls_work(k, count));
    int32_t *iwork = ss_arena_alloc(&R->d->scratch, 2 * (size_t)count, sizeof *iwork);
    if (!x || !b || !work || !iwork) {
        return SS_ERR_SCRATCH;
    }
    memset(b, 0, (size_t)k * sizeof *b);
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = 0; j < k; j++) {
            b[j] -= At[j + (ptrdiff_t)i * k];
        }
    }
    bool   done = ss_nnls(k, count, At, b, x, y, work, iwork);
    double sum  = count;
    for (int32_t i = 0; i < count; i++) {
        sum += x[i];
    }
    for (int32_t j = 0; j < k; j++) {
        y[j] = -y[j];
    }
    /* Iterations that ran out prove nothing: a direction for `wide`, none for `narrow`. */
    double left = ss_vector_norm(k, y),
           tiny = R->margin == &wide ? SS_MOTION_LEFT_WIDE : SS_MOTION_LEFT_NARROW;
    *found      = done ? left > tiny * sum : R->margin == &wide;
    return SS_OK;
}

/* A direction y in the null space that the inequalities allow. */
static ss_status cone_direction(rest *R, double *y, bool *found)
{
    double *At, *value, *basis = numbers(R, (size_t)R->free * (size_t)R->free);
    double *x = numbers(R, (size_t)R->free);
    int32_t count;
    SS_TRY(inequalities(R, true, &At, &value, &count));
    if (basis == NULL || x == NULL) {
        return SS_ERR_SCRATCH;
    }
    *found = lineality(R, At, count, basis, x, y);
    return *found ? SS_OK : pointed_direction(R, At, count, y, found);
}

/* Everything up to the question whether v can move, with these margins. */
static ss_status examine(rest *R, double *y, bool *found)
{
    *found  = false;
    R->free = 0;
    SS_TRY(ss_motion_rows(R->m, R->d, R->isl, R->h, R->margin, &R->set));
    SS_TRY(find_held(R));
    if (R->n == 0) {
        return SS_OK;
    }
    SS_TRY(find_null_space(R));
    return R->free == 0 ? SS_OK : cone_direction(R, y, found);
}

/* ---- what comes of it ---- */

/* Z y into an array over all velocities (nv), scaled back; bodies that are held: untouched. */
static void add_motion(const rest *R, const double *y, double *to)
{
    for (int32_t i = 0; i < R->isl->body_count; i++) {
        int32_t body = R->isl->bodies[i];
        for (int32_t c = 0; R->start[i] >= 0 && c < real_dof(R, i); c++) {
            double x = 0;
            for (int32_t j = 0; j < R->free; j++) {
                x += y[j] * null_vector(R, j)[R->start[i] + c];
            }
            x /= ss_coordinate_scale(R->m, body, c);
            to[R->m->bodies[body].v_start + c] += x;
        }
    }
}

/* y := M x on the coordinates that are left (velocities at the scale of the bodies). */
static void times_mass(const rest *R, const double *x, double *y)
{
    for (int32_t i = 0; i < R->isl->body_count; i++) {
        int32_t        body = R->isl->bodies[i], at = R->start[i];
        const ss_body *b   = &R->m->bodies[body];
        double         arm = ss_body_arm(R->m, body);
        for (int32_t c = 0; at >= 0 && c < b->dof && c < R->m->dimension; c++) {
            y[at + c] = b->mass * x[at + c];
        }
        if (at >= 0 && b->dof == 6) {
            ss_vec3 w = ss_mul(&R->d->inertia[body], ss_v3(x[at + 3], x[at + 4], x[at + 5]));
            y[at + 3] = w.x / (arm * arm);
            y[at + 4] = w.y / (arm * arm);
            y[at + 5] = w.z / (arm * arm);
        } else if (at >= 0 && R->m->dimension == 2 && b->dof == 3) {
            y[at + 2] = R->d->inertia[body].m[8] * x[at + 2] / (arm * arm);
        }
    }
}

/* L L' = Z'M Z, and g = L^-1 Z'M x for the present velocities x. */
static ss_status metric(rest *R, double *L, double *g)
{
    int32_t k = R->free;
    double *x = numbers(R, (size_t)R->n), *Mx = numbers(R, (size_t)R->n);
    if (x == NULL || Mx == NULL) {
        return SS_ERR_SCRATCH;
    }
    for (int32_t j = 0; j < k; j++) {
        times_mass(R, null_vector(R, j), Mx);
        for (int32_t i = j; i < k; i++) {
            L[i + (ptrdiff_t)j * k] = ss_vector_dot(R->n, null_vector(R, i), Mx);
        }
    }
    if (!ss_dense_cholesky(k, L, k)) {
        return ss_fail(R->d->ctx, SS_ERR_INTERNAL, "a mass matrix is not positive definite");
    }
    for (int32_t i = 0; i < R->isl->body_count; i++) {
        const ss_body *b = &R->m->bodies[R->isl->bodies[i]];
        for (int32_t c = 0; R->start[i] >= 0 && c < b->dof; c++) {
            x[R->start[i] + c] = R->d->v_next[b->v_start + c];
            x[R->start[i] + c] *= ss_coordinate_scale(R->m, R->isl->bodies[i], c);
        }
    }
    times_mass(R, x, Mx);
    for (int32_t j = 0; j < k; j++) {
        g[j] = ss_vector_dot(R->n, null_vector(R, j), Mx);
        for (int32_t i = 0; i < j; i++) {
            g[j] -= L[j + (ptrdiff_t)i * k] * g[i];
        }
        g[j] /= L[j + (ptrdiff_t)j * k];
    }
    return SS_OK;
}

static void forward(int32_t k, const double *L, double *b)
{
    for (int32_t i = 0; i < k; i++) {
        for (int32_t j = 0; j < i; j++) {
            b[i] -= L[i + (ptrdiff_t)j * k] * b[j];
        }
        b[i] /= L[i + (ptrdiff_t)i * k];
    }
}

static void backward(int32_t k, const double *L, double *b)
{
    for (int32_t i = k - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < k; j++) {
            b[i] -= L[j + (ptrdiff_t)i * k] * b[j];
        }
        b[i] /= L[i + (ptrdiff_t)i * k];
    }
}

/*
 * min |t| over  a_i.t >= e_i,  column i of `rows` being (a_i, e_i), `rows` ((k + 1) x count):
 * the residual of the nonnegative least squares problem  rows x = (0, 1)  points to t. False: no
 * answer, t is untouched.
 */
static ss_status least_distance(rest *R, const double *rows, int32_t count, double *t, bool *found)
{
    int32_t  k     = R->free;
    double  *x     = numbers(R, (size_t)count);
    double  *b     = numbers(R, (size_t)k + 1);
    double  *left  = numbers(R, (size_t)k + 1);
    double  *work  = numbers(R, ss_nnls_work(k + 1, count));
    int32_t *iwork = ss_arena_alloc(&R->d->scratch, 2 * (size_t)count, sizeof *iwork);
    if (!x || !b || !left || !work || !iwork) {
        return SS_ERR_SCRATCH;
    }
    memset(b, 0, ((size_t)k + 1) * sizeof *b);
    b[k]   = 1;
    *found = ss_nnls(k + 1, count, rows, b, x, left, work, iwork) && left[k] > SS_MOTION_LEFT_WIDE;
    for (int32_t j = 0; *found && j < k; j++) {
        t[j] = -left[j] / left[k];
    }
    return SS_OK;
}

/*
 * The y for which (v + Z y)'M(v + Z y) is least within the polyhedron. With t = (L'y + g) / s, s
 * the length of g, that is the least |t| with  (L^-1 a).t >= (L^-1 a.g - value) / s.
 */
static ss_status least_motion(rest *R, double *y)
{
    int32_t k = R->free, count;
    double *At, *value, *L = numbers(R, (size_t)k * (size_t)k), *g = numbers(R, (size_t)k);
    SS_TRY(inequalities(R, false, &At, &value, &count));
    double *rows = numbers(R, (size_t)count * ((size_t)k + 1));
    if (!L || !g || !rows) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(metric(R, L, g));
    double s     = ss_vector_norm(k, g);
    bool   found = count == 0;
    memset(y, 0, (size_t)k * sizeof *y);
    if (!(s > 0)) {
        return SS_OK; /* it rests already */
    }
    for (int32_t i = 0; i < count; i++) {
        double *row = rows + (ptrdiff_t)i * (k + 1);
        memcpy(row, At + (ptrdiff_t)i * k, (size_t)k * sizeof *row);
        forward(k, L, row);
        row[k] = (ss_vector_dot(k, row, g) - value[i]) / s;
    }
    if (count > 0) {
        SS_TRY(least_distance(R, rows, count, y, &found));
    }
    for (int32_t j = 0; j < k; j++) {
        y[j] = found ? s * y[j] - g[j] : 0;
    }
    backward(k, L, y);
    return SS_OK;
}

/* ---- motions that stay in balance (motion_roll.h) ---- */

/* Does what the present velocities do to contacts upset the balance of a free motion? */
static ss_status upsets_balance(rest *R, bool *upsets)
{
    double *dF = numbers(R, (size_t)R->m->nv), *f = numbers(R, (size_t)R->n), size = 0, most = 0;
    if (dF == NULL || f == NULL) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(ss_roll_changes(R->m, R->d, R->isl, R->h, dF, &size));
    for (int32_t i = 0; i < R->isl->body_count; i++) {
        const ss_body *b = &R->m->bodies[R->isl->bodies[i]];
        for (int32_t c = 0; R->start[i] >= 0 && c < b->dof; c++) {
            double scale       = ss_coordinate_scale(R->m, R->isl->bodies[i], c);
            f[R->start[i] + c] = dF[b->v_start + c] / scale;
        }
    }
    for (int32_t j = 0; j < R->free; j++) {
        most = fmax(most, fabs(ss_vector_dot(R->n, null_vector(R, j), f)));
    }
    *upsets = most > SS_ROLLS_ROUND * size;
    return SS_OK;
}

/* The equations of free motions y after which nothing rolls, solved one after the other in an
   orthonormal basis B of their rows (free x *rank); those that contradict others are left out. */
static ss_status solve_rows(rest *R, const ss_motion_set *set, double *B, int32_t *rank, double *y)
{
    int32_t k = R->free;
    double *x = numbers(R, (size_t)R->n), *row = numbers(R, (size_t)k),
           *left = numbers(R, (size_t)k);
    if (!x || !row || !left) {
        return SS_ERR_SCRATCH;
    }
    *rank = 0;
    memset(y, 0, (size_t)k * sizeof *y);
    for (int32_t i = 0; i < set->count && *rank < k; i++) {
        spread(R, &set->rows[i], x);
        for (int32_t j = 0; j < k; j++) {
            row[j] = left[j] = ss_vector_dot(R->n, null_vector(R, j), x);
        }
        if (ss_basis_add(k, B, rank, left, R->margin->rank)) {
            const double *q      = B + (ptrdiff_t)(*rank - 1) * k;
            double        missed = -set->rows[i].value - ss_vector_dot(k, row, y);
            ss_vector_add(k, y, missed / ss_vector_dot(k, q, row), q);
        }
    }
    return SS_OK;
}

/* Is v + Z y among the motions? */
static ss_status is_allowed(rest *R, const double *y, bool *allowed)
{
    double *At, *value;
    int32_t count;
    SS_TRY(inequalities(R, false, &At, &value, &count));
    *allowed = true;
    for (int32_t i = 0; i < count; i++) {
        double left = value[i] + ss_vector_dot(R->free, At + (ptrdiff_t)i * R->free, y);
        *allowed    = *allowed && R->h * left >= -R->margin->length * R->m->length;
    }
    return SS_OK;
}

/* Only what is square to the first `rank` columns of B stays free. */
static ss_status narrow_down(rest *R, double *B, int32_t rank)
{
    int32_t k    = R->free;
    double *kept = numbers(R, (size_t)R->n * (size_t)k);
    if (kept == NULL) {
        return SS_ERR_SCRATCH;
    }
    ss_basis_complete(k, B, rank);
    memset(kept, 0, (size_t)R->n * (size_t)k * sizeof *kept);
    for (int32_t j = rank; j < k; j++) {
        for (int32_t i = 0; i < k; i++) {
            ss_vector_add(R->n, kept + (ptrdiff_t)j * R->n, B[i + (ptrdiff_t)j * k],
                          null_vector(R, i));
        }
    }
    memcpy(R->Q + (ptrdiff_t)(R->n - k + rank) * R->n, kept + (ptrdiff_t)rank * R->n,
           (size_t)R->n * (size_t)(k - rank) * sizeof *kept);
    R->free = k - rank;
    return SS_OK;
}

/* Of the motions in which nothing rolls, if there are any, the least. */
static ss_status stop_rolling(rest *R, double *y)
{
    ss_motion_set rolls;
    int32_t       rank;
    bool          allowed, found;
    SS_TRY(examine(R, y, &found));
    double *B = numbers(R, (size_t)R->free * (size_t)R->free + 1);
    if (B == NULL) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(ss_roll_rows(R->m, R->d, R->isl, &rolls));
    SS_TRY(solve_rows(R, &rolls, B, &rank, y));
    SS_TRY(is_allowed(R, y, &allowed));
    if (!allowed) {
        return SS_OK;
    }
    add_motion(R, y, R->d->v_next);
    SS_TRY(narrow_down(R, B, rank));
    if (R->free == 0) {
        return SS_OK;
    }
    SS_TRY(ss_motion_rows(R->m, R->d, R->isl, R->h, R->margin, &R->set));
    SS_TRY(least_motion(R, y));
    add_motion(R, y, R->d->v_next);
    return SS_OK;
}

static ss_status stay_in_balance(rest *R, double *y)
{
    bool upsets = false;
    SS_TRY(upsets_balance(R, &upsets));
    return upsets ? stop_rolling(R, y) : SS_OK;
}

/* The direction as it is told: the fastest point of any body moves at 1 m/s. */
static void keep_direction(const rest *R, const double *y)
{
    double size = 0;
    for (int32_t i = 0; i < R->n; i++) {
        double x = 0;
        for (int32_t j = 0; j < R->free; j++) {
            x += y[j] * null_vector(R, j)[i];
        }
        size = fmax(size, fabs(x));
    }
    double *scaled = R->d->motions.other;
    memset(scaled, 0, (size_t)R->m->nv * sizeof *scaled);
    add_motion(R, y, scaled);
    for (int32_t i = 0; size > 0 && i < R->m->nv; i++) {
        scaled[i] /= size;
    }
}

/*
 * Where the least motion could go: what the rows say there, or else back to where it came from (y
 * is how it got there), which the set of motions, being convex, allows.
 */
static ss_status tell_direction(rest *R, double *y)
{
    bool found;
    for (int32_t j = 0; j < R->free; j++) {
        y[j] = -y[j];
    }
    keep_direction(R, y);
    SS_TRY(examine(R, y, &found));
    if (found) {
        keep_direction(R, y);
    }
    return SS_OK;
}

static ss_status judge_island(const ss_model *m, ss_data *d, const ss_island *isl, double h,
                              bool *changed)
{
    rest    R = {.m = m, .d = d, .isl = isl, .margin = &wide, .h = h};
    double *y = numbers(&R, (size_t)isl->body_count * (size_t)m->dof + 1);
    bool    found;
    if (y == NULL) {
        return SS_ERR_SCRATCH;
    }
    if (!(isl->solution.residual <= m->simulation.tolerance)) {
        d->motions.verdict =
            d->motions.verdict == SS_MOTION_UNIQUE ? SS_MOTION_UNDECIDED : d->motions.verdict;
        return SS_OK; /* there is no balance to speak of */
    }
    SS_TRY(examine(&R, y, &found));
    if (!found) {
        return SS_OK;
    }
    R.margin = &ss_motion_narrow;
    SS_TRY(examine(&R, y, &found));
    if (!found) {
        d->motions.verdict =
            d->motions.verdict == SS_MOTION_UNIQUE ? SS_MOTION_UNDECIDED : d->motions.verdict;
        return SS_OK;
    }
    bool first         = d->motions.verdict != SS_MOTION_NOT_UNIQUE;
    d->motions.verdict = SS_MOTION_NOT_UNIQUE;
    *changed           = true;
    SS_TRY(least_motion(&R, y));
    add_motion(&R, y, d->v_next);
    if (first) {
        SS_TRY(tell_direction(&R, y));
    }
    return stay_in_balance(&R, y);
}

/* ---- bodies that nothing touches ---- */

static double force_on(const ss_model *m, const ss_data *d, int32_t body)
{
    const ss_wrench *w = &d->applied[body];
    return fmax(ss_norm(w->force), ss_norm(w->torque) / ss_body_arm(m, body));
}

/* Nothing can balance a force on them; without one they may be anywhere, and stay. */
static ss_status judge_alone(const ss_model *m, ss_data *d)
{
    bool  *joined = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *joined);
    double most   = 0;
    if (joined == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(joined, 0, (size_t)m->nb * sizeof *joined);
    for (int32_t i = 0; i < d->island_count; i++) {
        for (int32_t k = 0; k < d->islands[i].body_count; k++) {
            joined[d->islands[i].bodies[k]] = true;
        }
    }
    for (int32_t i = 0; i < m->nb; i++) {
        most = ss_body_moves(&m->bodies[i]) ? fmax(most, force_on(m, d, i)) : most;
    }
    for (int32_t i = 0; i < m->nb; i++) {
        if (!ss_body_moves(&m->bodies[i]) || joined[i]) {
            continue;
        }
        double weight = m->bodies[i].mass * ss_norm(m->gravity);
        if (force_on(m, d, i) > m->simulation.tolerance * fmax(most, weight)) {
            d->motions.unheld = i;
        } else if (d->motions.verdict != SS_MOTION_NOT_UNIQUE) {
            memset(d->motions.other, 0, (size_t)m->nv * sizeof *d->motions.other);
            d->motions.other[m->bodies[i].v_start] = 1;
            d->motions.verdict                     = SS_MOTION_NOT_UNIQUE;
        }
    }
    return SS_OK;
}

ss_status ss_judge_motion(const ss_model *m, ss_data *d, double h, bool *changed)
{
    *changed           = false;
    d->motions.verdict = SS_MOTION_UNIQUE;
    d->motions.unheld  = -1;
    for (int32_t i = 0; i < d->island_count; i++) {
        size_t mark = ss_arena_mark(&d->scratch);
        SS_TRY(judge_island(m, d, &d->islands[i], h, changed));
        ss_arena_release(&d->scratch, mark);
    }
    return judge_alone(m, d);
}
