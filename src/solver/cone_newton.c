/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Newton's method on the equations of Alart and Curnier (1991), u standing for rho u throughout:
 *
 *   cone        r_n - max(0, r_n - u_n) = 0
 *               r_f - P_L(r_f - u_f) = 0,  P_L the projection on the ball of radius
 *                                          L = mu max(0, r_n - u_n)
 *   unilateral  r - max(0, r - u) = 0
 *   disk        r - P_bound(r - u) = 0
 *   equality    u = 0
 *
 * Each block is linear piece by piece (open, stick, slip): A dr + B du = -F. With du = W dr and the
 * proximal term the Newton matrix is J = A + rho B (W + alpha I). W is rank-deficient as a rule
 * (more contact rows than coordinates); alpha keeps J regular, and moves no solution, because the
 * proximal iteration lets center follow r.
 */
#include "solver/cone_newton.h"
#include "problem/residual.h"
#include "solver/friction_law.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "solver/cone_block.h"

/* Up to this many rows a dense factorisation beats a sparse one; and between the others, where
   hardly any block of W is missing. */
enum { DENSE_ROWS = 40, FULL_LEAST = 120, FULL_MOST = 600 };

/* Where W is dense a step is solved for the contacts that are not open: of hundreds on a jointed
   body most are. Beyond this the memory counts; sparse factors of such a W take more. */
enum { ACTIVE_MOST = 4000 };

/* Products of a dense factorisation in the time of one of a sparse factorisation, which goes from
   entry to entry. */
enum { DENSE_FASTER = 6 };

/* ---- W as a matrix of blocks ---------------------------------------------------------------- */

static int32_t column_entries(const ss_matrix *W, int32_t j)
{
    return W->dense != NULL ? W->rows : W->colptr[j + 1] - W->colptr[j];
}

static int32_t entry_row(const ss_matrix *W, int32_t j, int32_t e)
{
    return W->dense != NULL ? e : W->rowind[W->colptr[j] + e];
}

static double entry_value(const ss_matrix *W, int32_t j, int32_t e)
{
    return W->dense != NULL ? W->dense[(size_t)j * (size_t)W->ld + (size_t)e]
                            : W->values[W->colptr[j] + e];
}

/* Blocks present in block column k, ascending, into list; the diagonal one always is. */
static int32_t blocks_in_column(const ss_newton *w, int32_t k, int32_t *mark, int32_t *list)
{
    const ss_block *b     = &w->p->blocks[k];
    int32_t         count = 0;
    mark[k]               = k;
    list[count++]         = k;
    for (int32_t j = b->start; j < b->start + b->dim; j++) {
        for (int32_t e = 0; e < column_entries(&w->p->W, j); e++) {
            int32_t row = w->block_of[entry_row(&w->p->W, j, e)];
            if (mark[row] != k && entry_value(&w->p->W, j, e) != 0) {
                mark[row]     = k;
                list[count++] = row;
            }
        }
    }
    for (int32_t i = 1; i < count; i++) { /* few entries, almost in order */
        int32_t x = list[i], j = i;
        for (; j > 0 && list[j - 1] > x; j--) {
            list[j] = list[j - 1];
        }
        list[j] = x;
    }
    return count;
}

static void count_blocks(ss_newton *w, int32_t *mark, int32_t *list)
{
    memset(mark, -1, (size_t)w->p->nblocks * sizeof *mark);
    w->column[0] = 0;
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        w->column[k + 1] = w->column[k] + blocks_in_column(w, k, mark, list);
    }
}

static size_t place_blocks(ss_newton *w, int32_t *mark, int32_t *list)
{
    size_t total = 0;
    memset(mark, -1, (size_t)w->p->nblocks * sizeof *mark);
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        int32_t count = blocks_in_column(w, k, mark, list), rows = 0;
        for (int32_t e = 0; e < count; e++) {
            int32_t at    = w->column[k] + e;
            w->row[at]    = list[e];
            w->at[at]     = total;
            w->offset[at] = rows;
            rows += w->p->blocks[list[e]].dim;
            total += (size_t)w->p->blocks[list[e]].dim * (size_t)w->p->blocks[k].dim;
        }
    }
    return total;
}

static void fill_column(ss_newton *w, int32_t k, int32_t *where)
{
    const ss_block *b = &w->p->blocks[k];
    for (int32_t e = w->column[k]; e < w->column[k + 1]; e++) {
        where[w->row[e]] = e;
    }
    for (int32_t c = 0; c < b->dim; c++) {
        int32_t j = b->start + c;
        for (int32_t e = 0; e < column_entries(&w->p->W, j); e++) {
            double  x   = entry_value(&w->p->W, j, e);
            int32_t i   = entry_row(&w->p->W, j, e);
            int32_t row = w->block_of[i];
            if (x != 0) {
                const ss_block *rb = &w->p->blocks[row];
                w->value[w->at[where[row]] + (size_t)(c * rb->dim + i - rb->start)] =
                    x * w->scale[k] * w->scale[row];
            }
        }
    }
}

static void fill_pattern(ss_newton *w)
{
    const ss_block *blocks = w->p->blocks;
    w->Jp[0]               = 0;
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        for (int32_t c = 0; c < blocks[k].dim; c++) {
            int32_t to = w->Jp[blocks[k].start + c];
            for (int32_t e = w->column[k]; e < w->column[k + 1]; e++) {
                for (int32_t i = 0; i < blocks[w->row[e]].dim; i++) {
                    w->Ji[to++] = blocks[w->row[e]].start + i;
                }
            }
            w->Jp[blocks[k].start + c + 1] = to;
        }
    }
}

static void number_rows(ss_newton *w)
{
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        const ss_block *b = &w->p->blocks[k];
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            w->block_of[i] = k;
        }
    }
}

/* Largest entry of each diagonal block's diagonal into `most`. */
static void largest_diagonal(const ss_newton *w, double *most)
{
    const ss_matrix *W = &w->p->W;
    memset(most, 0, (size_t)w->p->nblocks * sizeof *most);
    for (int32_t j = 0; j < W->cols; j++) {
        int32_t first = W->dense != NULL ? j : 0, count = column_entries(W, j);
        for (int32_t e = first; e < count; e++) {
            if (entry_row(W, j, e) == j) {
                int32_t k = w->block_of[j];
                most[k]   = fmax(most[k], fabs(entry_value(W, j, e)));
                break;
            }
        }
    }
}

/* Largest scaled entry of each block row and column into `most`. */
static void largest_entries(const ss_newton *w, double *most)
{
    const ss_matrix *W = &w->p->W;
    memset(most, 0, (size_t)w->p->nblocks * sizeof *most);
    for (int32_t j = 0; j < W->cols; j++) {
        int32_t c = w->block_of[j];
        for (int32_t e = 0; e < column_entries(W, j); e++) {
            int32_t k = w->block_of[entry_row(W, j, e)];
            double  x = fabs(entry_value(W, j, e)) * w->scale[c] * w->scale[k];
            most[k]   = fmax(most[k], x);
            most[c]   = fmax(most[c], x);
        }
    }
}

/*
 * scale = 1 / sqrt(diagonal). Blocks without a diagonal (massless coordinates, the constraint rows
 * of a bordered problem) are equilibrated against the others (Ruiz).
 */
static void fill_scales(ss_newton *w, double *most)
{
    enum { PASSES = 6 };
    const ss_cone *p     = w->p;
    bool           holes = false;
    largest_diagonal(w, most);
    for (int32_t k = 0; k < p->nblocks; k++) {
        holes       = holes || most[k] == 0;
        w->scale[k] = most[k] > 0 ? 1 / sqrt(most[k]) : 1;
        w->bound[k] = most[k]; /* remembered while scales are made */
    }
    for (int pass = 0; holes && pass < PASSES; pass++) {
        largest_entries(w, most);
        for (int32_t k = 0; k < p->nblocks; k++) {
            w->scale[k] /= w->bound[k] == 0 && most[k] > 0 ? sqrt(most[k]) : 1;
        }
    }
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b = &p->blocks[k];
        w->bound[k]       = b->bound / w->scale[k];
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            w->q[i] = w->scale[k] * p->q[i];
        }
    }
}

/* Room for the laws of all blocks. */
static bool make_laws(ss_newton *w, ss_arena *a)
{
    size_t n = (size_t)w->p->n, nb = (size_t)w->p->nblocks, laws = 0, widest = 0;
    w->scale    = ss_arena_alloc(a, nb, sizeof *w->scale);
    w->bound    = ss_arena_alloc(a, nb, sizeof *w->bound);
    w->q        = ss_arena_alloc(a, n, sizeof *w->q);
    w->F        = ss_arena_alloc(a, n, sizeof *w->F);
    w->u        = ss_arena_alloc(a, n, sizeof *w->u);
    w->step     = ss_arena_alloc(a, n, sizeof *w->step);
    w->center   = ss_arena_alloc(a, n, sizeof *w->center);
    w->block_of = ss_arena_alloc(a, n, sizeof *w->block_of);
    w->law_at   = ss_arena_alloc(a, nb + 1, sizeof *w->law_at);
    if (!w->scale || !w->bound || !w->q || !w->F || !w->u || !w->step || !w->center ||
        !w->block_of || !w->law_at) {
        return false;
    }
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        size_t dim   = (size_t)w->p->blocks[k].dim;
        w->law_at[k] = laws;
        laws += dim * dim;
        widest = dim > widest ? dim : widest;
    }
    w->A = ss_arena_alloc(a, laws, sizeof *w->A);
    w->B = ss_arena_alloc(a, laws, sizeof *w->B);
    w->z = ss_arena_alloc(a, widest, sizeof *w->z);
    return w->A && w->B && w->z;
}

bool ss_newton_prepare(ss_newton *w, const ss_cone *p, ss_arena *a)
{
    size_t n = (size_t)p->n, nb = (size_t)p->nblocks;
    *w            = (ss_newton){.p = p};
    double *most  = ss_arena_alloc(a, nb, sizeof *most);
    w->pivot      = ss_arena_alloc(a, n, sizeof *w->pivot);
    w->column     = ss_arena_alloc(a, nb + 1, sizeof *w->column);
    w->Jp         = ss_arena_alloc(a, n + 1, sizeof *w->Jp);
    int32_t *mark = ss_arena_alloc(a, nb, sizeof *mark);
    int32_t *list = ss_arena_alloc(a, nb, sizeof *list);
    if (!make_laws(w, a) || !w->column || !w->Jp || !mark || !list || !most || !w->pivot) {
        return false;
    }
    number_rows(w);
    fill_scales(w, most);
    count_blocks(w, mark, list);
    size_t entries = (size_t)w->column[nb];
    bool   full    = 5 * entries >= 4 * nb * nb;
    bool   dense   = p->n <= DENSE_ROWS || (full && p->n >= FULL_LEAST && p->n <= FULL_MOST);
    bool   active  = (full || p->W.dense != NULL) && p->n >= FULL_LEAST && p->n <= ACTIVE_MOST;
    w->dense       = dense ? ss_arena_alloc(a, n * n, sizeof *w->dense) : NULL;
    w->active      = active ? ss_arena_alloc(a, n * n, sizeof *w->active) : NULL;
    w->place       = active ? ss_arena_alloc(a, n, sizeof *w->place) : NULL;
    w->right       = active ? ss_arena_alloc(a, n, sizeof *w->right) : NULL;
    w->row         = ss_arena_alloc(a, entries, sizeof *w->row);
    w->at          = ss_arena_alloc(a, entries, sizeof *w->at);
    w->offset      = ss_arena_alloc(a, entries, sizeof *w->offset);
    if (!w->row || !w->at || !w->offset || (dense && !w->dense) ||
        (active && (!w->active || !w->place || !w->right))) {
        return false;
    }
    size_t total = place_blocks(w, mark, list);
    w->value     = ss_arena_alloc(a, total, sizeof *w->value);
    w->Ji        = ss_arena_alloc(a, total, sizeof *w->Ji);
    w->Jx        = ss_arena_alloc(a, total, sizeof *w->Jx);
    if (!w->value || !w->Ji || !w->Jx) {
        return false;
    }
    memset(w->value, 0, total * sizeof *w->value);
    for (int32_t k = 0; k < p->nblocks; k++) {
        fill_column(w, k, mark);
    }
    fill_pattern(w);
    return true;
}

ss_fronts_result ss_newton_prepare_bodies(ss_newton *w, ss_sweep *sweep, ss_arena *a)
{
    const ss_cone *p = sweep->p;
    *w               = (ss_newton){.p = p, .sweep = sweep};
    w->plain         = ss_arena_alloc(a, (size_t)p->n, sizeof *w->plain);
    w->answer        = ss_arena_alloc(a, (size_t)p->n, sizeof *w->answer);
    w->dv            = ss_arena_alloc(a, (size_t)p->nv, sizeof *w->dv);
    if (!make_laws(w, a) || !w->plain || !w->answer || !w->dv) {
        return SS_FRONTS_SCRATCH;
    }
    number_rows(w);
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b = &p->blocks[k];
        w->scale[k]       = 1 / sqrt(sweep->weight[k]);
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            w->q[i] = w->scale[k] * p->q[i];
        }
    }
    return ss_cone_bodies_prepare(&w->bodies, sweep, a);
}

void ss_newton_scale(const ss_newton *w, double *r)
{
    for (int32_t i = 0; i < w->p->n; i++) {
        r[i] /= w->scale[w->block_of[i]];
    }
}

void ss_newton_unscale(const ss_newton *w, double *r)
{
    for (int32_t i = 0; i < w->p->n; i++) {
        r[i] *= w->scale[w->block_of[i]];
    }
}

/* ---- laws ----------------------------------------------------------------------------------- */

static double norm(int32_t n, const double *x)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

static void set_identity(int32_t dim, int32_t first, double *A)
{
    for (int32_t i = first; i < dim; i++) {
        A[i * dim + i] = 1;
    }
}

/* One block at (r, u): F, A, B; z is scratch. */
typedef struct law {
    int32_t       dim;
    const double *r, *u;
    double       *F, *A, *B, *z;
} law;

/* Friction rows `first` .. dim - 1 with limit L = slope (r_n - u_n) or a constant. */
static void friction_law(const law *b, int32_t first, double L, double slope)
{
    const int32_t     dim = b->dim;
    ss_friction_point point =
        ss_friction_law(dim - first, 1, L, b->r + first, b->u + first, b->z + first, b->F + first);
    if (point.sticks) {
        set_identity(dim, first, b->B);
        return;
    }
    for (int32_t j = first; j < dim; j++) {
        for (int32_t i = first; i < dim; i++) {
            double Q          = point.g * ((i == j) - b->z[j] * b->z[i]);
            b->A[j * dim + i] = (i == j) - Q;
            b->B[j * dim + i] = Q;
        }
        if (first > 0) {
            b->A[j] = -slope * b->z[j];
            b->B[j] = slope * b->z[j];
        }
    }
}

static void block_law(const ss_block *k, double bound, const law *b)
{
    size_t entries = (size_t)b->dim * (size_t)b->dim;
    memset(b->A, 0, entries * sizeof *b->A);
    memset(b->B, 0, entries * sizeof *b->B);
    if (k->kind == SS_BLOCK_EQUALITY) {
        memcpy(b->F, b->u, (size_t)b->dim * sizeof *b->F);
        set_identity(b->dim, 0, b->B);
        return;
    }
    if (k->kind == SS_BLOCK_DISK) {
        friction_law(b, 0, bound, 0);
        return;
    }
    double z = b->r[0] - b->u[0];
    if (z <= 0) {
        memcpy(b->F, b->r, (size_t)b->dim * sizeof *b->F);
        set_identity(b->dim, 0, b->A);
        return;
    }
    b->F[0] = b->u[0];
    b->B[0] = 1;
    if (k->kind == SS_BLOCK_CONE) {
        friction_law(b, 1, k->mu * z, k->mu);
    }
}

/* W r of contacts on bodies is what their reactions make the bodies do. */
static void add_body_velocities(ss_newton *w, const double *r)
{
    memcpy(w->plain, r, (size_t)w->p->n * sizeof *r);
    ss_newton_unscale(w, w->plain);
    ss_sweep_refresh(w->sweep, w->plain);
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        double u[SS_BLOCK_EXACT];
        ss_cone_bodies_pull(&w->bodies, k, w->sweep->velocity, u);
        for (int32_t c = 0; c < w->p->blocks[k].dim; c++) {
            w->u[w->p->blocks[k].start + c] += w->scale[k] * u[c];
        }
    }
}

/* u = W r + q + alpha (r - center) */
static void velocities(ss_newton *w, const double *r)
{
    const ss_block *blocks = w->p->blocks;
    for (int32_t i = 0; i < w->p->n; i++) {
        w->u[i] = w->q[i] + w->alpha * (r[i] - w->center[i]);
    }
    if (w->sweep != NULL) {
        add_body_velocities(w, r);
        return;
    }
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        for (int32_t e = w->column[k]; e < w->column[k + 1]; e++) {
            const double *x  = w->value + w->at[e];
            const int32_t d  = blocks[w->row[e]].dim;
            double       *to = w->u + blocks[w->row[e]].start;
            for (int32_t c = 0; c < blocks[k].dim; c++) {
                double rc = r[blocks[k].start + c];
                for (int32_t i = 0; i < d; i++) {
                    to[i] += x[c * d + i] * rc;
                }
            }
        }
    }
}

double ss_newton_evaluate(ss_newton *w, const double *r)
{
    velocities(w, r);
    w->products += ss_cone_entries(w->p);
    for (int32_t i = 0; i < w->p->n; i++) {
        w->u[i] *= w->rho;
    }
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        const ss_block *b  = &w->p->blocks[k];
        law             at = {b->dim,
                              r + b->start,
                              w->u + b->start,
                              w->F + b->start,
                              w->A + w->law_at[k],
                              w->B + w->law_at[k],
                              w->z};
        block_law(b, w->bound[k], &at);
    }
    return norm(w->p->n, w->F);
}

/* One block of J = A + rho B (W + alpha I): columns of block column k, rows of entry e. */
static void assemble_block(ss_newton *w, int32_t k, int32_t e)
{
    const ss_block *blocks = w->p->blocks;
    int32_t         row = w->row[e], d = blocks[row].dim;
    const double   *x = w->value + w->at[e];
    const double   *A = w->A + w->law_at[row], *B = w->B + w->law_at[row];
    for (int32_t c = 0; c < blocks[k].dim; c++) {
        double *to = w->Jx + w->Jp[blocks[k].start + c] + w->offset[e];
        for (int32_t i = 0; i < d; i++) {
            double sum = row == k ? A[c * d + i] + w->rho * w->alpha * B[c * d + i] : 0;
            for (int32_t j = 0; j < d; j++) {
                sum += B[j * d + i] * (w->rho * x[c * d + j]);
            }
            to[i] = sum;
        }
    }
}

static void assemble(ss_newton *w)
{
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        for (int32_t e = w->column[k]; e < w->column[k + 1]; e++) {
            assemble_block(w, k, e);
        }
    }
}

static bool dense_factor(ss_newton *w)
{
    int32_t n = w->p->n;
    memset(w->dense, 0, (size_t)n * (size_t)n * sizeof *w->dense);
    for (int32_t j = 0; j < n; j++) {
        for (int32_t e = w->Jp[j]; e < w->Jp[j + 1]; e++) {
            w->dense[(size_t)j * (size_t)n + (size_t)w->Ji[e]] = w->Jx[e];
        }
    }
    return ss_dense_lu(n, w->dense, n, w->pivot);
}

ss_status ss_newton_analyse(ss_newton *w, ss_context *ctx, ss_sparse_lu *lu)
{
    w->analysed = true;
    return w->dense != NULL || w->sweep != NULL
               ? SS_OK
               : ss_sparse_lu_analyse(ctx, lu, w->p->n, w->Jp, w->Ji);
}

ss_status ss_newton_factor(ss_newton *w, ss_context *ctx, ss_sparse_lu *lu, bool *singular)
{
    assemble(w);
    w->products += w->Jp[w->p->n];
    if (w->dense != NULL) {
        *singular = !dense_factor(w);
        w->products += ss_dense_lu_products(w->p->n);
        return SS_OK;
    }
    SS_TRY(ss_sparse_lu_factor(ctx, lu, w->Jp, w->Ji, w->Jx, singular));
    w->products += ss_sparse_lu_products(lu);
    return SS_OK;
}

void ss_newton_solve(ss_newton *w, ss_sparse_lu *lu, double *x)
{
    w->products += w->Jp[w->p->n]; /* of factors at least */
    if (w->dense != NULL) {
        ss_dense_lu_solve(w->p->n, w->dense, w->p->n, w->pivot, x);
    } else {
        ss_sparse_lu_solve(lu, x);
    }
}

/* ---- contacts on bodies ---------------------------------------------------------------------- */

/*
 * A dr + rho B (du + alpha dr) = -F with du = H'dv and M dv = H dr: with C = A + rho alpha B
 *     dr = -C^-1 F - C^-1 rho B H'dv,     (M + H C^-1 rho B H') dv = -H C^-1 F.
 * alpha > 0 makes C regular.
 */
static bool eliminate_reaction(ss_newton *w, int32_t k)
{
    const ss_block *b = &w->p->blocks[k];
    int32_t         m = b->dim, pivot[SS_BLOCK_EXACT];
    const double   *A = w->A + w->law_at[k], *B = w->B + w->law_at[k];
    double         *G = w->bodies.G + w->bodies.at[k], *c = w->answer + b->start;
    double          C[SS_BLOCK_DATA];
    for (int32_t i = 0; i < m * m; i++) {
        C[i] = A[i] + w->rho * w->alpha * B[i];
        G[i] = w->rho * B[i] * (w->scale[k] * w->scale[k]); /* for H that is not scaled */
    }
    memcpy(c, w->F + b->start, (size_t)m * sizeof *c);
    if (!ss_dense_lu(m, C, m, pivot)) {
        return false;
    }
    for (int32_t j = 0; j < m; j++) {
        ss_dense_lu_solve(m, C, m, pivot, G + j * m);
    }
    ss_dense_lu_solve(m, C, m, pivot, c);
    return true;
}

/* step := -C^-1 F - G H'dv / scale */
static void recover_reaction(ss_newton *w, int32_t k)
{
    const ss_block *b = &w->p->blocks[k];
    const double   *G = w->bodies.G + w->bodies.at[k];
    double          du[SS_BLOCK_EXACT];
    ss_cone_bodies_pull(&w->bodies, k, w->dv, du);
    for (int32_t i = 0; i < b->dim; i++) {
        double sum = 0;
        for (int32_t c = 0; c < b->dim; c++) {
            sum += G[c * b->dim + i] * du[c];
        }
        w->step[b->start + i] = -w->answer[b->start + i] - sum / w->scale[k];
    }
}

static bool body_step(ss_newton *w)
{
    memset(w->dv, 0, (size_t)w->p->nv * sizeof *w->dv);
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        const ss_block *b = &w->p->blocks[k];
        double          push[SS_BLOCK_EXACT];
        if (!eliminate_reaction(w, k)) {
            return false;
        }
        for (int32_t c = 0; c < b->dim; c++) {
            push[c] = -w->scale[k] * w->answer[b->start + c];
        }
        ss_cone_bodies_push(&w->bodies, k, push, w->dv);
    }
    w->products += ss_cone_bodies_products(&w->bodies);
    if (!ss_cone_bodies_factor(&w->bodies)) {
        return false;
    }
    ss_cone_bodies_solve(&w->bodies, w->dv);
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        recover_reaction(w, k);
    }
    return true;
}

/* ---- many open contacts ---------------------------------------------------------------------- */

/* A = I and B = 0: dr = -F, whatever the others do. */
static bool is_open(const ss_newton *w, int32_t k)
{
    ss_block_kind kind = w->p->blocks[k].kind;
    return (kind == SS_BLOCK_CONE || kind == SS_BLOCK_UNILATERAL) && w->B[w->law_at[k]] == 0;
}

/* Rows of blocks that are not open are numbered in `place`, the others have -1; how many. */
static int32_t number_active(ss_newton *w)
{
    int32_t count = 0;
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        const ss_block *b    = &w->p->blocks[k];
        bool            open = is_open(w, k);
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            w->place[i] = open ? -1 : count++;
        }
    }
    return count;
}

/* A block of J in rows that are active: into the matrix, or with a known dr to the right. */
static void put_active(ss_newton *w, int32_t k, int32_t e, int32_t count)
{
    const ss_block *b = &w->p->blocks[k], *row = &w->p->blocks[w->row[e]];
    assemble_block(w, k, e);
    for (int32_t c = b->start; c < b->start + b->dim; c++) {
        const double *x  = w->Jx + w->Jp[c] + w->offset[e];
        int32_t       to = w->place[row->start];
        if (w->place[c] >= 0) {
            double *column = w->active + (size_t)w->place[c] * (size_t)count;
            memcpy(column + to, x, (size_t)row->dim * sizeof *x);
            continue;
        }
        for (int32_t i = 0; i < row->dim; i++) {
            w->right[to + i] += x[i] * w->F[c];
        }
    }
}

/* step := -J^-1 F with the open blocks eliminated: J_aa dr_a = -F_a + J_ao F_o, dr_o = -F_o. */
static bool active_step(ss_newton *w, int32_t count)
{
    memset(w->active, 0, (size_t)count * (size_t)count * sizeof *w->active);
    for (int32_t i = 0; i < w->p->n; i++) {
        w->step[i] = -w->F[i];
        if (w->place[i] >= 0) {
            w->right[w->place[i]] = -w->F[i];
        }
    }
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        for (int32_t e = w->column[k]; e < w->column[k + 1]; e++) {
            if (w->place[w->p->blocks[w->row[e]].start] >= 0) {
                put_active(w, k, e, count);
            }
        }
    }
    w->products += ss_cone_entries(w->p) + ss_dense_lu_products(count);
    if (!ss_dense_lu(count, w->active, count, w->pivot)) {
        return false;
    }
    ss_dense_lu_solve(count, w->active, count, w->pivot, w->right);
    for (int32_t i = 0; i < w->p->n; i++) {
        w->step[i] = w->place[i] >= 0 ? w->right[w->place[i]] : w->step[i];
    }
    return true;
}

/*
 * Do the factors of so many rows cost less than those of the whole, entry by entry? A matrix with
 * nnz entries that fills no more than a band of theirs takes nnz^2 / n products; others take more.
 */
static bool dense_pays(const ss_newton *w, int32_t count)
{
    double entries = w->Jp[w->p->n];
    return ss_dense_lu_products(count) <= DENSE_FASTER * entries * entries / w->p->n;
}

ss_status ss_newton_step(ss_newton *w, ss_context *ctx, ss_sparse_lu *lu, bool *singular)
{
    if (w->sweep != NULL) {
        *singular = !body_step(w);
        return SS_OK;
    }
    int32_t count = w->active != NULL ? number_active(w) : 0;
    if (w->active != NULL && (w->dense != NULL || dense_pays(w, count))) {
        *singular = !active_step(w, count);
        return SS_OK;
    }
    if (!w->analysed) {
        SS_TRY(ss_newton_analyse(w, ctx, lu));
    }
    SS_TRY(ss_newton_factor(w, ctx, lu, singular));
    for (int32_t i = 0; i < w->p->n; i++) {
        w->step[i] = -w->F[i];
    }
    if (!*singular) {
        ss_newton_solve(w, lu, w->step);
    }
    return SS_OK;
}

void ss_newton_shifted(ss_newton *w, double alpha)
{
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        int32_t dim     = w->p->blocks[k].dim;
        size_t  entries = (size_t)dim * (size_t)dim;
        memset(w->A + w->law_at[k], 0, entries * sizeof *w->A);
        memset(w->B + w->law_at[k], 0, entries * sizeof *w->B);
        set_identity(dim, 0, w->B + w->law_at[k]);
    }
    w->rho   = 1;
    w->alpha = alpha;
}
