/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows -> problem. With forces c on the rows, accelerations a of the rows are
 *
 *   a = W c + q,      W = J M^-1 J',   q = J a_free + k.
 *
 * Unknowns z, and what they are complementary to (Trinkle 2003, (17), (22); Dupont (9)):
 *
 *   sliding contact    c_n = z, c_f = -mu z s  (s: unit vector of the slip)     0 <= z _|_ a_n >= 0
 *   sticking contact   c = z in its cone, a_n and a_f as u_n and u_f of a step
 *   smooth, limits     c = z                                                    0 <= z _|_ a >= 0
 *   friction with a bound: sticking, c = z in its disk; slipping, c = -bound s is known
 *   joints             c free, a = 0: eliminated, the least forces where they are redundant
 *
 * The column of a sliding contact is W (e_n - mu s): the matrix is not symmetric.
 */
#include "instant/instant_problem.h"

#include <math.h>
#include <string.h>

#include "dynamics/coordinates.h"
#include "instant/tolerances.h"
#include "linalg/dense.h"
#include "linalg/rank.h"

/* ---- islands ---- */

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i         = parent[i];
    }
    return i;
}

ss_status ss_instant_islands(const ss_model *m, ss_data *d, const ss_instant_rows *r, int32_t *out,
                             int32_t *count)
{
    int32_t *parent = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *parent);
    int32_t *number = ss_arena_alloc(&d->scratch, (size_t)m->nb, sizeof *number);
    if (parent == NULL || number == NULL) {
        return SS_ERR_SCRATCH;
    }
    for (int32_t i = 0; i < m->nb; i++) {
        parent[i] = i;
        number[i] = -1;
    }
    for (int32_t i = 0; i < r->nblocks; i++) {
        const int32_t *b = r->blocks[i].body;
        for (int side = 1; side < r->blocks[i].sides; side++) {
            if (b[0] >= 0 && b[side] >= 0) {
                parent[root_of(parent, b[0])] = root_of(parent, b[side]);
            }
        }
    }
    *count = 0;
    for (int32_t i = 0; i < r->nblocks; i++) {
        const int32_t *b    = r->blocks[i].body;
        int32_t        body = b[0] >= 0 ? b[0] : b[1];
        int32_t        root = body >= 0 ? root_of(parent, body) : -1;
        if (root >= 0 && number[root] < 0) {
            number[root] = (*count)++;
        }
        out[i] = root >= 0 ? number[root] : -1;
    }
    return SS_OK;
}

/* ---- rows ---- */

static const ss_instant_block *block_of(const ss_instant_rows *r, const ss_instant_problem *p,
                                        int32_t i)
{
    return &r->blocks[p->which[i]];
}

static const double *side_of(const ss_model *m, const ss_data *d, const ss_instant_block *b,
                             int32_t k, int side)
{
    return ss_row_side(m, &d->rows, b->row + k, side);
}

/* Column `row` of W: what a force on row k of block y does to all rows. */
static void column(const ss_model *m, const ss_data *d, const ss_instant_rows *r,
                   const ss_instant_problem *p, int32_t y, int32_t k, double *W)
{
    const ss_instant_block *by = block_of(r, p, y);
    double                  a[SS_ROW_SIDES][6];
    for (int s = 0; s < by->sides; s++) {
        if (by->body[s] >= 0) {
            ss_instant_by_mass(m, d, by->body[s], side_of(m, d, by, k, s), a[s]);
        }
    }
    for (int32_t x = 0; x < p->nblocks; x++) {
        const ss_instant_block *bx = block_of(r, p, x);
        for (int32_t i = 0; i < bx->dim; i++) {
            double sum = 0;
            for (int sx = 0; sx < bx->sides; sx++) {
                for (int sy = 0; sy < by->sides; sy++) {
                    if (bx->body[sx] >= 0 && bx->body[sx] == by->body[sy]) {
                        sum += ss_dot_dof(side_of(m, d, bx, i, sx), a[sy], m->dof);
                    }
                }
            }
            W[p->first[x] + i] = sum;
        }
    }
}

static void fill_rows(const ss_model *m, const ss_data *d, const ss_instant_rows *r,
                      ss_instant_problem *p)
{
    for (int32_t x = 0; x < p->nblocks; x++) {
        const ss_instant_block *b = block_of(r, p, x);
        for (int32_t i = 0; i < b->dim; i++) {
            int32_t at = p->first[x] + i;
            column(m, d, r, p, x, i, p->W + (size_t)at * (size_t)p->rows);
            p->q[at] = r->k[b->row + i];
            for (int s = 0; s < b->sides; s++) {
                if (b->body[s] >= 0) {
                    p->q[at] += ss_dot_dof(side_of(m, d, b, i, s),
                                           r->a_free + m->bodies[b->body[s]].v_start, m->dof);
                }
            }
        }
    }
}

/* ---- unknowns ---- */

/* How many unknowns a block has. */
static int32_t unknowns(const ss_instant_block *b)
{
    switch (b->kind) {
    case SS_BLOCK_EQUALITY:
        return 0;
    case SS_BLOCK_UNILATERAL:
        return 1;
    case SS_BLOCK_CONE:
        return b->mode == SS_INSTANT_STICKS ? b->dim : 1;
    case SS_BLOCK_DISK:
        return b->mode == SS_INSTANT_STICKS ? b->dim : 0;
    }
    return 0;
}

/* The forces of a block's rows by a unit of its unknown `i`. */
static void unit_forces(const ss_instant_block *b, int32_t i, double *c)
{
    memset(c, 0, (size_t)b->dim * sizeof *c);
    c[i] = 1;
    for (int32_t k = 1; b->kind == SS_BLOCK_CONE && b->mode != SS_INSTANT_STICKS && k < b->dim;
         k++) {
        c[k] = -b->mu * b->slip[k - 1];
    }
}

/* W c over the rows of a block, for all rows. */
static void apply(const ss_instant_problem *p, int32_t first, int32_t dim, const double *c,
                  double *out)
{
    memset(out, 0, (size_t)p->rows * sizeof *out);
    for (int32_t k = 0; k < dim; k++) {
        const double *W = p->W + (size_t)(first + k) * (size_t)p->rows;
        for (int32_t i = 0; c[k] != 0 && i < p->rows; i++) {
            out[i] += c[k] * W[i];
        }
    }
}

/* x -= W_e K x_e: the joints take what would open them. */
static void hold(const ss_instant_problem *p, double *x, double *work)
{
    for (int32_t i = 0; i < p->held; i++) {
        work[i] = 0;
        for (int32_t j = 0; j < p->held; j++) {
            work[i] += p->K[i + (size_t)j * (size_t)p->held] * x[p->hold[j]];
        }
    }
    for (int32_t j = 0; j < p->held; j++) {
        const double *W = p->W + (size_t)p->hold[j] * (size_t)p->rows;
        for (int32_t i = 0; i < p->rows; i++) {
            x[i] -= work[j] * W[i];
        }
    }
}

/* K of the rows that joints hold: by Cholesky with pivots on the scaled matrix. */
static ss_status invert_held(ss_data *d, ss_instant_problem *p)
{
    int32_t  n    = p->held;
    size_t   s    = (size_t)n;
    double  *A    = ss_arena_alloc(&d->scratch, s * s, sizeof *A);
    double  *e    = ss_arena_alloc(&d->scratch, 2 * s, sizeof *e);
    int32_t *perm = ss_arena_alloc(&d->scratch, s, sizeof *perm);
    if (A == NULL || e == NULL || perm == NULL) {
        return SS_ERR_SCRATCH;
    }
    memset(p->K, 0, s * s * sizeof *p->K);
    for (int32_t i = 0; i < n; i++) {
        double w = p->W[p->hold[i] + (size_t)p->hold[i] * (size_t)p->rows];
        e[i]     = w > 0 ? 1 / sqrt(w) : 0;
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            A[i + (size_t)j * s] =
                e[i] * e[j] * p->W[p->hold[i] + (size_t)p->hold[j] * (size_t)p->rows];
        }
    }
    int32_t rank = ss_dense_rank_cholesky(n, A, n, SS_INSTANT_RANK, perm, e + n);
    for (int32_t i = 0; i < rank; i++) {
        p->grip = fmin(p->grip, A[i + (size_t)i * s] * A[i + (size_t)i * s]);
    }
    for (int32_t c = 0; c < rank; c++) {
        double *x = e + n;
        memset(x, 0, (size_t)rank * sizeof *x);
        x[c] = 1;
        ss_dense_cholesky_solve(rank, A, n, x);
        for (int32_t i = 0; i < rank; i++) {
            p->K[perm[i] + (size_t)perm[c] * s] = e[perm[i]] * e[perm[c]] * x[i];
        }
    }
    return SS_OK;
}

static void list_unknowns(const ss_instant_rows *r, ss_instant_problem *p, ss_block *blocks)
{
    p->n = p->held  = 0;
    p->cone.nblocks = 0;
    for (int32_t x = 0; x < p->nblocks; x++) {
        const ss_instant_block *b = block_of(r, p, x);
        int32_t                 n = unknowns(b);
        for (int32_t k = 0; b->kind == SS_BLOCK_EQUALITY && k < b->dim; k++) {
            p->hold[p->held++] = p->first[x] + k;
        }
        if (n > 0) {
            ss_block_kind kind        = n == b->dim ? b->kind : SS_BLOCK_UNILATERAL;
            blocks[p->cone.nblocks++] = (ss_block){kind, p->n, n, b->mu, b->bound};
        }
        for (int32_t k = 0; k < n; k++) {
            p->row[p->n]     = p->first[x] + k;
            p->block[p->n++] = x;
        }
        for (int32_t k = 0; k < b->dim; k++) {
            bool slips                = b->kind == SS_BLOCK_DISK && b->mode == SS_INSTANT_SLIDES;
            p->known[p->first[x] + k] = slips ? -b->bound * b->slip[k] : 0;
        }
    }
}

/*
 * Friction of a joint that the others hold by themselves at this instant (the coupler and the
 * rocker of a four-bar turn alike where the crank points at the far pivot) changes no
 * acceleration: what is left of its column is rounding, by which forces would be divided.
 */
static void clear_idle(const ss_instant_rows *r, const ss_instant_problem *p, double *W)
{
    size_t n = (size_t)p->n;
    for (size_t j = 0; j < n; j++) {
        size_t row   = (size_t)p->row[j];
        double whole = p->W[row + row * (size_t)p->rows];
        if (block_of(r, p, p->block[j])->kind != SS_BLOCK_DISK ||
            W[j + j * n] > SS_INSTANT_RANK * whole) {
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            W[i + j * n] = W[j + i * n] = 0;
        }
    }
}

/* W and q of the cone problem: known forces act, joints hold, sliding contacts drag. */
static ss_status fill_cone(ss_data *d, const ss_instant_rows *r, ss_instant_problem *p, double *W,
                           double *q)
{
    double *x    = ss_arena_alloc(&d->scratch, (size_t)p->rows, sizeof *x);
    double *work = ss_arena_alloc(&d->scratch, (size_t)p->held + 1, sizeof *work);
    if (x == NULL || work == NULL) {
        return SS_ERR_SCRATCH;
    }
    apply(p, 0, p->rows, p->known, x);
    for (int32_t i = 0; i < p->rows; i++) {
        x[i] += p->q[i];
    }
    hold(p, x, work);
    for (int32_t i = 0; i < p->n; i++) {
        q[i] = x[p->row[i]];
    }
    for (int32_t j = 0; j < p->n; j++) {
        const ss_instant_block *b = block_of(r, p, p->block[j]);
        double                  c[6];
        int32_t                 first = p->first[p->block[j]];
        unit_forces(b, p->row[j] - first, c);
        double plain[6]          = {0};
        plain[p->row[j] - first] = 1;
        apply(p, first, b->dim, plain, x);
        hold(p, x, work);
        p->smooth[j] = x[p->row[j]];
        apply(p, first, b->dim, c, x);
        hold(p, x, work);
        for (int32_t i = 0; i < p->n; i++) {
            W[i + (size_t)j * (size_t)p->n] = x[p->row[i]];
        }
    }
    clear_idle(r, p, W);
    return SS_OK;
}

static ss_status make_room(ss_data *d, const ss_instant_rows *r, const int32_t *island_of,
                           int32_t island, ss_instant_problem *p)
{
    for (int32_t i = 0; i < r->nblocks; i++) {
        p->nblocks += island_of[i] == island;
        p->rows += island_of[i] == island ? r->blocks[i].dim : 0;
    }
    size_t nb = (size_t)p->nblocks, n = (size_t)p->rows;
    p->which  = ss_arena_alloc(&d->scratch, nb, sizeof *p->which);
    p->first  = ss_arena_alloc(&d->scratch, nb, sizeof *p->first);
    p->W      = ss_arena_alloc(&d->scratch, n * n, sizeof *p->W);
    p->q      = ss_arena_alloc(&d->scratch, n, sizeof *p->q);
    p->known  = ss_arena_alloc(&d->scratch, n, sizeof *p->known);
    p->hold   = ss_arena_alloc(&d->scratch, n, sizeof *p->hold);
    p->row    = ss_arena_alloc(&d->scratch, n, sizeof *p->row);
    p->block  = ss_arena_alloc(&d->scratch, n, sizeof *p->block);
    p->smooth = ss_arena_alloc(&d->scratch, n, sizeof *p->smooth);
    return p->smooth && p->which && p->first && p->W && p->q && p->known && p->hold && p->row &&
                   p->block
               ? SS_OK
               : SS_ERR_SCRATCH;
}

ss_status ss_instant_pose(const ss_model *m, ss_data *d, const ss_instant_rows *r,
                          const int32_t *island_of, int32_t island, ss_instant_problem *out)
{
    *out = (ss_instant_problem){.nblocks = 0, .grip = 1};
    SS_TRY(make_room(d, r, island_of, island, out));
    int32_t at = 0, row = 0;
    for (int32_t i = 0; i < r->nblocks; i++) {
        if (island_of[i] == island) {
            out->first[at]   = row;
            out->which[at++] = i;
            row += r->blocks[i].dim;
        }
    }
    ss_block *blocks = ss_arena_alloc(&d->scratch, (size_t)at, sizeof *blocks);
    if (blocks == NULL) {
        return SS_ERR_SCRATCH;
    }
    fill_rows(m, d, r, out);
    list_unknowns(r, out, blocks);
    size_t  n = (size_t)out->n, held = (size_t)out->held;
    double *W    = ss_arena_alloc(&d->scratch, n * n, sizeof *W);
    double *q    = ss_arena_alloc(&d->scratch, n, sizeof *q);
    out->K       = ss_arena_alloc(&d->scratch, held * held, sizeof *out->K);
    out->opening = ss_arena_alloc(&d->scratch, held, sizeof *out->opening);
    if (W == NULL || q == NULL || out->K == NULL || out->opening == NULL) {
        return SS_ERR_SCRATCH;
    }
    SS_TRY(invert_held(d, out));
    SS_TRY(fill_cone(d, r, out, W, q));
    out->cone.n      = out->n;
    out->cone.blocks = blocks;
    out->cone.q      = q;
    out->cone.W      = (ss_matrix){.rows = out->n, .cols = out->n, .dense = W, .ld = out->n};
    return SS_OK;
}

/* ---- back ---- */

void ss_instant_accelerations(const ss_instant_problem *p, const double *force, double *a)
{
    apply(p, 0, p->rows, force, a);
    for (int32_t i = 0; i < p->rows; i++) {
        a[i] += p->q[i];
    }
}

void ss_instant_forces(const ss_instant_rows *r, const ss_instant_problem *p, const double *z,
                       double *force)
{
    memcpy(force, p->known, (size_t)p->rows * sizeof *force);
    for (int32_t j = 0; j < p->n; j++) {
        const ss_instant_block *b     = block_of(r, p, p->block[j]);
        int32_t                 first = p->first[p->block[j]];
        double                  c[6];
        unit_forces(b, p->row[j] - first, c);
        for (int32_t k = 0; k < b->dim; k++) {
            force[first + k] += c[k] * z[j];
        }
    }
    for (int32_t j = 0; j < p->held; j++) { /* c_e = -K (W c + q)_e; here c_e = 0 still */
        p->opening[j] = p->q[p->hold[j]];
        for (int32_t k = 0; k < p->rows; k++) {
            p->opening[j] += p->W[p->hold[j] + (size_t)k * (size_t)p->rows] * force[k];
        }
    }
    for (int32_t i = 0; i < p->held; i++) {
        for (int32_t j = 0; j < p->held; j++) {
            force[p->hold[i]] -= p->K[i + (size_t)j * (size_t)p->held] * p->opening[j];
        }
    }
}

void ss_instant_push(const ss_model *m, const ss_data *d, const ss_instant_rows *r,
                     const ss_instant_problem *p, const double *force, double *a)
{
    for (int32_t x = 0; x < p->nblocks; x++) {
        const ss_instant_block *b = block_of(r, p, x);
        for (int32_t k = 0; k < b->dim; k++) {
            for (int s = 0; s < b->sides; s++) {
                double y[6];
                if (b->body[s] >= 0) {
                    ss_instant_by_mass(m, d, b->body[s], side_of(m, d, b, k, s), y);
                    ss_add_dof(a + m->bodies[b->body[s]].v_start, force[p->first[x] + k], y,
                               m->dof);
                }
            }
        }
    }
}
