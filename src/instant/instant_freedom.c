/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a solution leaves open. Solutions of an LCP form pieces (stickslip/lcp.h); with z inside
 * one, its directions dz have dz_i = 0 where z_i = 0 and (M dz)_i = 0 where w_i = 0. A linear
 * function f.z has one value in the piece exactly if f depends on these rows. Asked of the forces:
 * which of them are unique? Asked of the accelerations they make: is there one motion? A box that
 * slides and turns on four corners has a direction in which its weight goes from one diagonal to
 * the other, and as friction of the corners points different ways, so do its accelerations: there
 * the solutions are a continuum of motions. How far each acceleration reaches in it are two linear
 * programs over the piece.
 *
 * Of a solution with cones that are not searched through, directions are those in which forces
 * inside their cones can be changed both ways: what they change is not unique. What stays the same
 * in all directions of all forces of closed contacts that make no acceleration is determined by the
 * motion. Between the two nothing is said.
 */
#include "instant/instant_parts.h"

#include <math.h>
#include <string.h>

#include "analysis/lp.h"
#include "dynamics/coordinates.h"
#include "instant/tolerances.h"
#include "linalg/basis.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"

/* ---- what a unit of an unknown does ---- */

typedef struct effect {
    const ss_model           *m;
    const ss_instant_rows    *r;
    const ss_instant_problem *p;
    bool                      plain; /* unknowns are those of the cone problem */
    int32_t                   n;     /* of them */
    double                   *e;     /* (n) a unit */
    double                   *z;     /* (p->n) the unknowns of the cone problem that it is */
    double                   *none;  /* (rows) forces without unknowns */
    double                   *force; /* (rows) by the unit */
    double                   *a;     /* (rows) accelerations by it */
} effect;

static ss_status open_effect(ss_data *d, effect *x)
{
    size_t rows = (size_t)x->p->rows, n = (size_t)x->p->n;
    x->e     = ss_arena_alloc(&d->scratch, (size_t)x->n, sizeof *x->e);
    x->z     = ss_arena_alloc(&d->scratch, n, sizeof *x->z);
    x->none  = ss_arena_alloc(&d->scratch, rows, sizeof *x->none);
    x->force = ss_arena_alloc(&d->scratch, rows, sizeof *x->force);
    x->a     = ss_arena_alloc(&d->scratch, rows, sizeof *x->a);
    if (!x->e || !x->z || !x->none || !x->force || !x->a) {
        return SS_ERR_SCRATCH;
    }
    memset(x->z, 0, n * sizeof *x->z);
    ss_instant_forces(x->r, x->p, x->z, x->none);
    return SS_OK;
}

/* A unit of unknown j: as unknowns of the cone problem, as forces, as accelerations of the rows. */
static void take_unit(effect *x, int32_t j)
{
    memset(x->e, 0, (size_t)x->n * sizeof *x->e);
    x->e[j] = 1;
    if (x->plain) {
        memcpy(x->z, x->e, (size_t)x->n * sizeof *x->z);
    } else {
        ss_reduce_polygon_back(&x->p->cone, &x->m->polygon, x->e, x->z);
    }
    ss_instant_forces(x->r, x->p, x->z, x->force);
    ss_vector_add(x->p->rows, x->force, -1, x->none);
    ss_instant_accelerations(x->p, x->force, x->a);
    ss_vector_add(x->p->rows, x->a, -1, x->p->q);
}

/* ---- directions ---- */

/* Changes of the unknowns col[0 .. n - 1] that leave the rows in the basis Q alone. */
typedef struct directions {
    int32_t  n, rank;
    int32_t *col;
    double  *Q;     /* (n x n) */
    double  *row;   /* (n) of the next question */
    double  *z, *a; /* (p->n, p->rows x n) unknowns and accelerations of the rows, by column */
} directions;

static ss_status open_directions(ss_data *d, const ss_instant_problem *p, int32_t most,
                                 directions *x)
{
    size_t n = (size_t)most + 1;
    *x       = (directions){.col = ss_arena_alloc(&d->scratch, n, sizeof *x->col)};
    x->Q     = ss_arena_alloc(&d->scratch, n * n, sizeof *x->Q);
    x->row   = ss_arena_alloc(&d->scratch, n, sizeof *x->row);
    x->z     = ss_arena_alloc(&d->scratch, n * (size_t)p->n, sizeof *x->z);
    x->a     = ss_arena_alloc(&d->scratch, n * (size_t)p->rows, sizeof *x->a);
    return x->col && x->Q && x->row && x->z && x->a ? SS_OK : SS_ERR_SCRATCH;
}

/* What the columns do, once they are all there. */
static void learn_effects(effect *e, directions *x)
{
    for (int32_t j = 0; j < x->n; j++) {
        take_unit(e, x->col[j]);
        for (int32_t k = 0; k < e->p->n; k++) {
            x->z[j + (ptrdiff_t)k * x->n] = e->z[k];
        }
        for (int32_t i = 0; i < e->p->rows; i++) {
            x->a[j + (ptrdiff_t)i * x->n] = e->a[i];
        }
    }
}

/* Directions leave row . dz alone. */
static void keep_row(directions *x, const double *row)
{
    double size = ss_vector_norm(x->n, row);
    for (int32_t j = 0; size > 0 && j < x->n; j++) {
        x->row[j] = row[j] / size;
    }
    if (size > 0) {
        ss_basis_add(x->n, x->Q, &x->rank, x->row, SS_INSTANT_BORDER);
    }
}

/* How much of row . dz the directions change. */
static double change_of(directions *x, const double *row)
{
    memcpy(x->row, row, (size_t)x->n * sizeof *row);
    ss_basis_leave(x->n, x->Q, x->rank, x->row);
    ss_basis_leave(x->n, x->Q, x->rank, x->row);
    return ss_vector_norm(x->n, x->row);
}

static bool changes_unknown(directions *x, int32_t k)
{
    const double *row = x->z + (ptrdiff_t)k * x->n;
    return change_of(x, row) > SS_INSTANT_SAME * ss_vector_norm(x->n, row);
}

/* Do they change the motion? Rows span all that contacts do to the bodies. */
static bool change_motion(directions *x, int32_t rows)
{
    double most = 0, size = 0;
    for (int32_t i = 0; i < rows; i++) {
        const double *row = x->a + (ptrdiff_t)i * x->n;
        most              = fmax(most, change_of(x, row));
        size              = fmax(size, ss_vector_norm(x->n, row));
    }
    return most > SS_INSTANT_SAME * size;
}

/* ---- pieces of an LCP ---- */

static double largest_of(int32_t n, const double *x)
{
    double most = 0;
    for (int32_t i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

/* Directions of the piece around z: unknowns that are there change, rows that are none stay so. */
static ss_status directions_of_piece(ss_data *d, effect *e, const ss_lcp *lcp, const double *z,
                                     directions *x)
{
    double *w = ss_arena_alloc(&d->scratch, 2 * (size_t)lcp->n + 1, sizeof *w);
    SS_TRY(open_directions(d, e->p, lcp->n, x));
    if (w == NULL) {
        return SS_ERR_SCRATCH;
    }
    double *row = w + lcp->n, zs = largest_of(lcp->n, z), ws = 0;
    memcpy(w, lcp->q, (size_t)lcp->n * sizeof *w);
    ss_matrix_mul_add(&lcp->M, z, w);
    for (int32_t i = 0; i < lcp->n; i++) {
        ws = fmax(ws, fabs(w[i]) + fabs(lcp->q[i]));
        if (z[i] > SS_INSTANT_SAME * zs) {
            x->col[x->n++] = i;
        }
    }
    for (int32_t i = 0; i < lcp->n; i++) {
        for (int32_t j = 0; j < x->n; j++) {
            row[j] = lcp->M.dense[i + (size_t)x->col[j] * (size_t)lcp->M.ld];
        }
        if (w[i] <= SS_INSTANT_SAME * ws) {
            keep_row(x, row);
        }
    }
    learn_effects(e, x);
    return SS_OK;
}

/* The linear program of a piece, in parts of `scale`: M z + q >= 0, equal where it supports. */
static ss_status open_program(ss_data *d, const ss_lcp *lcp, const ss_lcp_piece *piece,
                              double scale, ss_lp **out)
{
    size_t  n = (size_t)lcp->n;
    double *A = ss_arena_alloc(&d->scratch, n * n + 4 * n, sizeof *A);
    if (A == NULL) {
        return SS_ERR_SCRATCH;
    }
    double *row_low = A + n * n, *row_high = row_low + n, *low = row_high + n, *high = low + n;
    for (int32_t i = 0; i < lcp->n; i++) {
        double size = fabs(lcp->q[i]) / scale;
        for (int32_t j = 0; j < lcp->n; j++) {
            size = fmax(size, fabs(lcp->M.dense[i + (size_t)j * (size_t)lcp->M.ld]));
        }
        for (int32_t j = 0; j < lcp->n; j++) {
            A[i + (size_t)j * n] =
                size > 0 ? lcp->M.dense[i + (size_t)j * (size_t)lcp->M.ld] / size : 0;
        }
        row_low[i]  = size > 0 ? -lcp->q[i] / (scale * size) : 0;
        row_high[i] = piece->support[i] ? row_low[i] : INFINITY;
        low[i]      = 0;
        high[i]     = piece->support[i] ? INFINITY : 0;
    }
    return ss_lp_create(d->ctx, lcp->n, lcp->n, A, row_low, row_high, low, high, out);
}

/* What units of all unknowns do to each coordinate of the bodies: c (nv x n), by rows. */
static ss_status body_effects(ss_data *d, effect *e, double **out)
{
    size_t  nv = (size_t)e->m->nv, n = (size_t)e->n;
    double *c = ss_arena_alloc(&d->scratch, nv * n + nv, sizeof *c);
    if (c == NULL) {
        return SS_ERR_SCRATCH;
    }
    double *a = c + nv * n;
    for (int32_t j = 0; j < e->n; j++) {
        take_unit(e, j);
        memset(a, 0, nv * sizeof *a);
        ss_instant_push(e->m, d, e->r, e->p, e->force, a);
        for (int32_t k = 0; k < e->m->nv; k++) {
            c[(size_t)k * n + (size_t)j] = a[k];
        }
    }
    *out = c;
    return SS_OK;
}

/* Nothing is known of the coordinates that unknowns act on, and the others stay as they are. */
static ss_status open_reach(ss_data *d, effect *e, ss_instant_motion *x, double **c)
{
    x->low  = ss_arena_alloc(&d->scratch, (size_t)e->m->nv, sizeof *x->low);
    x->high = ss_arena_alloc(&d->scratch, (size_t)e->m->nv, sizeof *x->high);
    if (x->low == NULL || x->high == NULL) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(body_effects(d, e, c));
    for (int32_t k = 0; k < e->m->nv; k++) {
        x->low[k] = x->high[k] = largest_of(e->n, *c + (ptrdiff_t)k * e->n) > 0 ? NAN : 0;
    }
    return SS_OK;
}

static double reach(ss_lp *lp, int32_t n, double *c, double sign, double scale)
{
    double value = 0;
    for (int32_t j = 0; j < n; j++) {
        c[j] *= sign;
    }
    ss_lp_outcome outcome = ss_lp_minimise(lp, c, &value, NULL);
    for (int32_t j = 0; j < n; j++) {
        c[j] *= sign;
    }
    return outcome == SS_LP_OPTIMAL     ? sign * value * scale
           : outcome == SS_LP_UNBOUNDED ? -sign * INFINITY
                                        : NAN;
}

/* What a linear program leaves of a coordinate that stays. */
static void forget_rounding(ss_instant_motion *x, int32_t k, double size)
{
    if (x->high[k] - x->low[k] <= SS_INSTANT_SAME * size) {
        x->low[k] = x->high[k] = 0;
    }
}

/* x->low, x->high: what each coordinate of the bodies reaches beside the motion itself. */
static ss_status find_reach(ss_data *d, effect *e, const ss_lcp *lcp, const ss_lcp_piece *piece,
                            ss_instant_motion *x)
{
    ss_lp  *lp = NULL;
    double *c, scale = largest_of(lcp->n, piece->z);
    SS_TRY(open_reach(d, e, x, &c));
    ss_status status = open_program(d, lcp, piece, scale, &lp);
    if (status != SS_OK && status != SS_ERR_UNSUPPORTED) {
        return status;
    }
    for (int32_t k = 0; k < e->m->nv; k++) {
        double *row  = c + (ptrdiff_t)k * lcp->n;
        double  here = ss_vector_dot(lcp->n, row, piece->z);
        if (isnan(x->low[k]) && lp != NULL) {
            x->low[k]  = fmin(reach(lp, lcp->n, row, 1, scale) - here, 0);
            x->high[k] = fmax(reach(lp, lcp->n, row, -1, scale) - here, 0);
            forget_rounding(x, k, largest_of(lcp->n, row) * scale);
        }
    }
    ss_lp_destroy(lp);
    return SS_OK;
}

ss_status ss_instant_open_piece(const ss_instant *s, const ss_model *m, ss_data *d,
                                const ss_instant_rows *r, const ss_lcp *lcp, bool plain,
                                const ss_lcp_piece *piece, ss_instant_island *isl,
                                ss_instant_motion *x)
{
    effect     e = {.m = m, .r = r, .p = &isl->p, .plain = plain, .n = lcp->n};
    directions free;
    SS_TRY(open_effect(d, &e));
    SS_TRY(directions_of_piece(d, &e, lcp, piece->z, &free));
    for (int32_t k = 0; k < isl->p.n; k++) {
        x->fixed[k] = changes_unknown(&free, k) ? SS_NO : SS_YES;
        isl->varies = isl->varies || x->fixed[k] == SS_NO;
    }
    x->roams   = change_motion(&free, isl->p.rows);
    isl->roams = isl->roams || x->roams;
    return x->roams && s->judging ? find_reach(d, &e, lcp, piece, x) : SS_OK;
}

/* ---- a solution of the cone problem ---- */

/* What a block of the cone problem does in a solution. */
typedef enum role {
    ROLE_AWAY, /* it opens: no force can act there              */
    ROLE_FREE, /* its force can be changed in every direction, if nothing else wants it */
    ROLE_BOUND /* its force is at a border                      */
} role;

static role role_of(const ss_block *b, const double *z, const double *w, double zs, double ws)
{
    int32_t first  = b->kind == SS_BLOCK_CONE;
    double  most   = b->kind == SS_BLOCK_CONE ? b->mu * z[0] : b->bound, slip, friction;
    bool    pushes = b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL;
    if (b->kind == SS_BLOCK_EQUALITY) {
        return ROLE_FREE;
    }
    if (pushes && !(z[0] > SS_INSTANT_SAME * zs)) {
        return w[0] > SS_INSTANT_SAME * ws ? ROLE_AWAY : ROLE_BOUND;
    }
    if (b->kind == SS_BLOCK_UNILATERAL) {
        return ROLE_FREE;
    }
    friction = ss_vector_norm(b->dim - first, z + first);
    slip     = ss_vector_norm(b->dim - first, w + first);
    return friction < most - SS_INSTANT_SAME * zs && slip <= SS_INSTANT_SAME * ws ? ROLE_FREE
                                                                                  : ROLE_BOUND;
}

typedef struct roles {
    role  *of; /* (nblocks) */
    double zs, ws;
} roles;

static ss_status find_roles(ss_data *d, const ss_cone *c, const double *z, roles *out)
{
    double *w = ss_arena_alloc(&d->scratch, (size_t)c->n, sizeof *w);
    out->of   = ss_arena_alloc(&d->scratch, (size_t)c->nblocks, sizeof *out->of);
    if (w == NULL || out->of == NULL) {
        return SS_ERR_SCRATCH;
    }
    memcpy(w, c->q, (size_t)c->n * sizeof *w);
    ss_matrix_mul_add(&c->W, z, w);
    out->zs = largest_of(c->n, z);
    out->ws = largest_of(c->n, c->q) + largest_of(c->n, w);
    for (int32_t i = 0; i < c->nblocks; i++) {
        const ss_block *b = &c->blocks[i];
        out->of[i]        = role_of(b, z + b->start, w + b->start, out->zs, out->ws);
    }
    return SS_OK;
}

/* Columns are the unknowns of blocks whose role is at most `most`, ROLE_AWAY never. */
static void take_columns(const ss_cone *c, const roles *is, role most, directions *x)
{
    for (int32_t i = 0; i < c->nblocks; i++) {
        for (int32_t k = 0; is->of[i] != ROLE_AWAY && is->of[i] <= most && k < c->blocks[i].dim;
             k++) {
            x->col[x->n++] = c->blocks[i].start + k;
        }
    }
}

/* Forces that can be changed both ways while the velocities of all that stays closed stay. */
static ss_status what_changes(ss_data *d, effect *e, const roles *is, directions *x)
{
    const ss_cone *c = &e->p->cone;
    SS_TRY(open_directions(d, e->p, c->n, x));
    take_columns(c, is, ROLE_FREE, x);
    learn_effects(e, x);
    for (int32_t i = 0; i < c->nblocks; i++) {
        for (int32_t k = 0; is->of[i] != ROLE_AWAY && k < c->blocks[i].dim; k++) {
            keep_row(x, x->a + (ptrdiff_t)e->p->row[c->blocks[i].start + k] * x->n);
        }
    }
    return SS_OK;
}

/* Forces that make no acceleration, whatever their cones are. */
static ss_status what_cancels(ss_data *d, effect *e, const roles *is, directions *x)
{
    SS_TRY(open_directions(d, e->p, e->p->cone.n, x));
    take_columns(&e->p->cone, is, ROLE_BOUND, x);
    learn_effects(e, x);
    for (int32_t i = 0; i < e->p->rows; i++) {
        keep_row(x, x->a + (ptrdiff_t)i * x->n);
    }
    return SS_OK;
}

ss_status ss_instant_open_solution(const ss_model *m, ss_data *d, const ss_instant_rows *r,
                                   ss_instant_island *isl, ss_instant_motion *x)
{
    effect     e = {.m = m, .r = r, .p = &isl->p, .plain = true, .n = isl->p.n};
    directions free, cancel;
    roles      is;
    if (isl->p.n > SS_INSTANT_OPENED) {
        for (int32_t k = 0; k < isl->p.n; k++) {
            x->fixed[k] = SS_UNDECIDED;
        }
        return SS_OK;
    }
    SS_TRY(open_effect(d, &e));
    SS_TRY(find_roles(d, &isl->p.cone, x->z, &is));
    SS_TRY(what_changes(d, &e, &is, &free));
    SS_TRY(what_cancels(d, &e, &is, &cancel));
    isl->determined = true;
    for (int32_t k = 0; k < isl->p.n; k++) {
        x->fixed[k]     = changes_unknown(&free, k)     ? SS_NO
                          : changes_unknown(&cancel, k) ? SS_UNDECIDED
                                                        : SS_YES;
        isl->varies     = isl->varies || x->fixed[k] == SS_NO;
        isl->determined = isl->determined && x->fixed[k] == SS_YES;
    }
    double *c;
    x->roams   = change_motion(&free, isl->p.rows);
    isl->roams = isl->roams || x->roams;
    return x->roams ? open_reach(d, &e, x, &c) : SS_OK;
}
