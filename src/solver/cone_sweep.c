/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nonsmooth block Gauss-Seidel (Jean, Moreau): block by block, the reaction that obeys the block's
 * law is found exactly with all other reactions held fixed.
 *
 *   local   u += W_:b (r_b' - r_b)
 *   global  v += M^-1 H_b (r_b' - r_b),  u_b = H_b' v + q_b,  W_bb = H_b' M^-1 H_b
 */
#include "solver/cone_sweep.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "solver/cone_block.h"
#include "solver/tolerances.h"

/* Largest independent block of M that is inverted as a dense matrix. */
enum { MASS_BLOCK_MAX = 48 };

/* Coordinates of a body in space. */
enum { BODY = 6 };

/* ---- M as independent blocks ---------------------------------------------------------------- */

static int32_t find_root(int32_t *parent, int32_t k)
{
    while (parent[k] != k) {
        parent[k] = parent[parent[k]];
        k         = parent[k];
    }
    return k;
}

static void join(int32_t *parent, int32_t i, int32_t j)
{
    int32_t a = find_root(parent, i), b = find_root(parent, j);
    parent[a > b ? a : b] = a > b ? b : a;
}

static void join_coupled(const ss_matrix *M, int32_t *parent)
{
    for (int32_t j = 0; j < M->cols; j++) {
        if (M->dense != NULL) {
            for (int32_t i = 0; i < M->rows; i++) {
                if (M->dense[(size_t)j * (size_t)M->ld + (size_t)i] != 0) {
                    join(parent, i, j);
                }
            }
            continue;
        }
        for (int32_t k = M->colptr[j]; k < M->colptr[j + 1]; k++) {
            join(parent, M->rowind[k], j);
        }
    }
}

/* Number the blocks in the order of their first coordinate and list their coordinates. */
static void list_blocks(ss_mass *m, int32_t nv, int32_t *parent)
{
    m->count = 0;
    for (int32_t k = 0; k < nv; k++) {
        int32_t root = find_root(parent, k);
        m->block[k]  = root == k ? m->count++ : m->block[root];
    }
    memset(m->start, 0, ((size_t)m->count + 1) * sizeof *m->start);
    for (int32_t k = 0; k < nv; k++) {
        m->start[m->block[k] + 1]++;
    }
    for (int32_t b = 0; b < m->count; b++) {
        m->start[b + 1] += m->start[b];
    }
    int32_t *next = parent; /* not needed any more */
    memcpy(next, m->start, (size_t)m->count * sizeof *next);
    for (int32_t k = 0; k < nv; k++) {
        m->dof[next[m->block[k]]++] = k;
    }
}

/* The dense block b of M; `place` maps a coordinate to its position within its block. */
static void gather_mass(const ss_matrix *M, const ss_mass *m, int32_t b, const int32_t *place,
                        double *A)
{
    int32_t first = m->start[b], size = m->start[b + 1] - first;
    memset(A, 0, (size_t)size * (size_t)size * sizeof *A);
    for (int32_t c = 0; c < size; c++) {
        int32_t j = m->dof[first + c];
        if (M->dense != NULL) {
            for (int32_t i = 0; i < size; i++) {
                A[c * size + i] = M->dense[(size_t)j * (size_t)M->ld + (size_t)m->dof[first + i]];
            }
            continue;
        }
        for (int32_t k = M->colptr[j]; k < M->colptr[j + 1]; k++) {
            A[c * size + place[M->rowind[k]]] = M->values[k];
        }
    }
}

/* inverse := A^-1, A overwritten; false when A is singular to working precision. */
static bool invert(int32_t n, double *A, double *inverse)
{
    int32_t piv[MASS_BLOCK_MAX];
    double  work[3 * MASS_BLOCK_MAX];
    double  size = ss_dense_norm1(n, A, n);
    if (n == 1) {
        inverse[0] = 1 / A[0];
        return A[0] != 0;
    }
    if (!ss_dense_lu(n, A, n, piv) ||
        ss_dense_lu_rcond(n, A, n, piv, size, work) < SS_SINGULAR_MASS) {
        return false;
    }
    memset(inverse, 0, (size_t)n * (size_t)n * sizeof *inverse);
    for (int32_t j = 0; j < n; j++) {
        inverse[j * n + j] = 1;
        ss_dense_lu_solve(n, A, n, piv, inverse + j * n);
    }
    return true;
}

static ss_sweep_result prepare_mass(const ss_cone *p, ss_arena *a, ss_mass *m)
{
    size_t   nv    = (size_t)p->nv;
    int32_t *place = ss_arena_alloc(a, nv, sizeof *place);
    m->start       = ss_arena_alloc(a, nv + 1, sizeof *m->start);
    m->dof         = ss_arena_alloc(a, nv, sizeof *m->dof);
    m->block       = ss_arena_alloc(a, nv, sizeof *m->block);
    m->at          = ss_arena_alloc(a, nv + 1, sizeof *m->at);
    if (!place || !m->start || !m->dof || !m->block || !m->at) {
        return SS_SWEEP_SCRATCH;
    }
    for (int32_t k = 0; k < p->nv; k++) {
        place[k] = k;
    }
    join_coupled(&p->M, place);
    list_blocks(m, p->nv, place);
    m->at[0] = 0;
    for (int32_t b = 0; b < m->count; b++) {
        int32_t size = m->start[b + 1] - m->start[b];
        if (size > MASS_BLOCK_MAX) {
            return SS_SWEEP_REFUSED;
        }
        m->at[b + 1] = m->at[b] + (size_t)(size * size);
        for (int32_t c = 0; c < size; c++) {
            place[m->dof[m->start[b] + c]] = c;
        }
    }
    m->inverse = ss_arena_alloc(a, m->at[m->count], sizeof *m->inverse);
    if (m->inverse == NULL) {
        return SS_SWEEP_SCRATCH;
    }
    for (int32_t b = 0; b < m->count; b++) {
        double A[MASS_BLOCK_MAX * MASS_BLOCK_MAX];
        gather_mass(&p->M, m, b, place, A);
        if (!invert(m->start[b + 1] - m->start[b], A, m->inverse + m->at[b])) {
            return SS_SWEEP_REFUSED;
        }
    }
    return SS_SWEEP_READY;
}

/* y := M^-1 x */
static void apply_inverse(const ss_mass *m, const double *x, double *y)
{
    for (int32_t b = 0; b < m->count; b++) {
        const int32_t *dof  = m->dof + m->start[b];
        int32_t        size = m->start[b + 1] - m->start[b];
        const double  *A    = m->inverse + m->at[b];
        for (int32_t i = 0; i < size; i++) {
            double sum = 0;
            for (int32_t j = 0; j < size; j++) {
                sum += A[j * size + i] * x[dof[j]];
            }
            y[dof[i]] = sum;
        }
    }
}

/* ---- the blocks of the global form ---------------------------------------------------------- */

static double entry_of(const ss_matrix *H, int32_t i, int32_t j)
{
    if (H->dense != NULL) {
        return H->dense[(size_t)j * (size_t)H->ld + (size_t)i];
    }
    for (int32_t k = H->colptr[j]; k < H->colptr[j + 1]; k++) {
        if (H->rowind[k] == i) {
            return H->values[k];
        }
    }
    return 0;
}

/* Append to s->dof the coordinates of every block of M that column j touches for the first time. */
static size_t touch(ss_sweep *s, int32_t j, int32_t stamp, int32_t *seen, size_t count, bool write)
{
    const ss_matrix *H       = &s->p->H;
    const ss_mass   *m       = &s->mass;
    int32_t          entries = H->dense ? H->rows : H->colptr[j + 1] - H->colptr[j];
    for (int32_t e = 0; e < entries; e++) {
        int32_t i = H->dense ? e : H->rowind[H->colptr[j] + e];
        if (H->dense && H->dense[(size_t)j * (size_t)H->ld + (size_t)i] == 0) {
            continue;
        }
        int32_t b = m->block[i];
        if (seen[b] == stamp) {
            continue;
        }
        seen[b] = stamp;
        for (int32_t c = m->start[b]; c < m->start[b + 1]; c++, count++) {
            if (write) {
                s->dof[count] = m->dof[c];
            }
        }
    }
    return count;
}

/* Two passes: count, then write. */
static void list_dofs(ss_sweep *s, int32_t *seen, bool write)
{
    memset(seen, -1, (size_t)s->mass.count * sizeof *seen);
    s->dof_at[0]   = 0;
    s->entry_at[0] = 0;
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        const ss_block *b     = &s->p->blocks[k];
        size_t          count = s->dof_at[k];
        for (int32_t j = b->start; j < b->start + b->dim; j++) {
            count = touch(s, j, k, seen, count, write);
        }
        s->dof_at[k + 1]   = count;
        s->entry_at[k + 1] = s->entry_at[k] + (count - s->dof_at[k]) * (size_t)b->dim;
    }
}

/* Dense H_b and Y_b = M^-1 H_b on the coordinates of block k. They come in whole blocks of M. */
static void fill_block(ss_sweep *s, int32_t k)
{
    const ss_block *b     = &s->p->blocks[k];
    const ss_mass  *m     = &s->mass;
    const int32_t  *dof   = s->dof + s->dof_at[k];
    int32_t         count = (int32_t)(s->dof_at[k + 1] - s->dof_at[k]);
    double         *H = s->H + s->entry_at[k], *Y = s->Y + s->entry_at[k];
    for (int32_t c = 0; c < b->dim; c++) {
        for (int32_t i = 0; i < count; i++) {
            H[c * count + i] = entry_of(&s->p->H, dof[i], b->start + c);
        }
        for (int32_t first = 0; first < count;) {
            int32_t       mb   = m->block[dof[first]];
            int32_t       size = m->start[mb + 1] - m->start[mb];
            const double *A    = m->inverse + m->at[mb];
            for (int32_t i = 0; i < size; i++) {
                double sum = 0;
                for (int32_t j = 0; j < size; j++) {
                    sum += A[j * size + i] * H[c * count + first + j];
                }
                Y[c * count + first + i] = sum;
            }
            first += size;
        }
    }
}

/* Six coordinates in a row, from dof[0] on? */
static bool is_body(const int32_t *dof)
{
    for (int32_t i = 1; i < BODY; i++) {
        if (dof[i] != dof[0] + i) {
            return false;
        }
    }
    return true;
}

/* Most blocks of large scenes are contacts of one or two bodies in space: they get a kernel of
 * their own (treat_pair). */
static ss_pair pair_of(const ss_sweep *s, int32_t k)
{
    const ss_block *b     = &s->p->blocks[k];
    const int32_t  *dof   = s->dof + s->dof_at[k];
    int32_t         count = (int32_t)(s->dof_at[k + 1] - s->dof_at[k]);
    ss_pair         pair  = {0};
    if (b->kind != SS_BLOCK_CONE || b->dim != 3 || count == 0 || count % BODY != 0 ||
        count > 2 * BODY) {
        return pair;
    }
    for (int32_t i = 0; i < count / BODY; i++) {
        if (!is_body(dof + (ptrdiff_t)BODY * i)) {
            return pair;
        }
        pair.first[i] = dof[BODY * i];
    }
    pair.bodies = count / BODY;
    return pair;
}

/* ---- diagonal blocks ------------------------------------------------------------------------ */

/* W_bb into A (dim x dim). */
static void diagonal_block(const ss_sweep *s, int32_t k, double *A)
{
    const ss_block *b   = &s->p->blocks[k];
    int32_t         dim = b->dim;
    if (s->p->nv == 0) {
        const ss_matrix *W = &s->p->W;
        memset(A, 0, (size_t)dim * (size_t)dim * sizeof *A);
        for (int32_t c = 0; c < dim; c++) {
            for (int32_t e = W->colptr[b->start + c]; e < W->colptr[b->start + c + 1]; e++) {
                int32_t i = W->rowind[e] - b->start;
                if (i >= 0 && i < dim) {
                    A[c * dim + i] = W->values[e];
                }
            }
        }
        return;
    }
    const double *H = s->H + s->entry_at[k], *Y = s->Y + s->entry_at[k];
    size_t        count = s->dof_at[k + 1] - s->dof_at[k];
    for (int32_t c = 0; c < dim; c++) {
        for (int32_t i = 0; i < dim; i++) {
            double sum = 0;
            for (size_t d = 0; d < count; d++) {
                sum += H[(size_t)i * count + d] * Y[(size_t)c * count + d];
            }
            A[c * dim + i] = sum;
        }
    }
}

static void prepare_block(ss_sweep *s, int32_t k, double *A)
{
    const ss_block *b  = &s->p->blocks[k];
    const double   *at = A;
    int32_t         ld = b->dim;
    if (s->p->nv == 0 && s->p->W.dense != NULL) {
        ld = s->p->W.ld;
        at = s->p->W.dense + (size_t)b->start * (size_t)ld + (size_t)b->start;
    } else {
        diagonal_block(s, k, A);
    }
    s->weight[k] = 0;
    for (int32_t i = 0; i < b->dim; i++) {
        s->weight[k] = fmax(s->weight[k], fabs(at[(size_t)i * (size_t)ld + (size_t)i]));
    }
    ss_block_prepare(b, at, ld, s->data + s->data_at[k]);
}

static ss_sweep_result prepare_global(ss_sweep *s, ss_arena *a)
{
    ss_sweep_result result = prepare_mass(s->p, a, &s->mass);
    if (result != SS_SWEEP_READY) {
        return result;
    }
    size_t   nb   = (size_t)s->p->nblocks;
    int32_t *seen = ss_arena_alloc(a, (size_t)s->mass.count, sizeof *seen);
    s->dof_at     = ss_arena_alloc(a, nb + 1, sizeof *s->dof_at);
    s->entry_at   = ss_arena_alloc(a, nb + 1, sizeof *s->entry_at);
    s->rhs        = ss_arena_alloc(a, (size_t)s->p->nv, sizeof *s->rhs);
    s->pair       = ss_arena_alloc(a, nb, sizeof *s->pair);
    if (!seen || !s->dof_at || !s->entry_at || !s->rhs || !s->pair) {
        return SS_SWEEP_SCRATCH;
    }
    list_dofs(s, seen, false);
    s->dof = ss_arena_alloc(a, s->dof_at[nb], sizeof *s->dof);
    s->H   = ss_arena_alloc(a, s->entry_at[nb], sizeof *s->H);
    s->Y   = ss_arena_alloc(a, s->entry_at[nb], sizeof *s->Y);
    if (!s->dof || !s->H || !s->Y) {
        return SS_SWEEP_SCRATCH;
    }
    list_dofs(s, seen, true);
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        fill_block(s, k);
        s->pair[k] = pair_of(s, k);
    }
    return SS_SWEEP_READY;
}

ss_sweep_result ss_sweep_prepare(ss_sweep *s, const ss_cone *p, ss_arena *a)
{
    *s        = (ss_sweep){.p = p};
    size_t nb = (size_t)p->nblocks, biggest = 0, total = 0, rows = 0;
    bool   local = p->nv == 0;
    s->velocity  = ss_arena_alloc(a, (size_t)(local ? p->n : p->nv), sizeof *s->velocity);
    s->weight    = ss_arena_alloc(a, nb, sizeof *s->weight);
    s->data_at   = ss_arena_alloc(a, nb + 1, sizeof *s->data_at);
    for (int32_t k = 0; k < p->nblocks; k++) {
        size_t size = ss_block_data_size(p->blocks[k].dim);
        if (s->data_at != NULL) {
            s->data_at[k] = total;
        }
        total += size;
        biggest = size > biggest ? size : biggest;
        rows    = (size_t)p->blocks[k].dim > rows ? (size_t)p->blocks[k].dim : rows;
    }
    s->u                   = ss_arena_alloc(a, rows, sizeof *s->u);
    s->change              = ss_arena_alloc(a, rows, sizeof *s->change);
    s->data                = ss_arena_alloc(a, total, sizeof *s->data);
    double         *A      = ss_arena_alloc(a, biggest, sizeof *A);
    ss_sweep_result result = local ? SS_SWEEP_READY : prepare_global(s, a);
    if (result != SS_SWEEP_READY) {
        return result;
    }
    if (!s->velocity || !s->weight || !s->data_at || !s->data || !A || !s->u || !s->change) {
        return SS_SWEEP_SCRATCH;
    }
    for (int32_t k = 0; k < p->nblocks; k++) {
        prepare_block(s, k, A);
    }
    return SS_SWEEP_READY;
}

/* ---- sweeping ------------------------------------------------------------------------------- */

void ss_sweep_refresh(ss_sweep *s, const double *r)
{
    const ss_cone *p = s->p;
    if (p->nv == 0) {
        memcpy(s->velocity, p->q, (size_t)p->n * sizeof *p->q);
        ss_matrix_mul_add(&p->W, r, s->velocity);
        return;
    }
    memcpy(s->rhs, p->f, (size_t)p->nv * sizeof *p->f);
    ss_matrix_mul_add(&p->H, r, s->rhs);
    apply_inverse(&s->mass, s->rhs, s->velocity);
}

/* u += W_:b change */
static void add_local(ss_sweep *s, const ss_block *b, const double *change)
{
    const ss_matrix *W = &s->p->W;
    double          *u = s->velocity;
    for (int32_t c = 0; c < b->dim; c++) {
        double  d = change[c];
        int32_t j = b->start + c;
        if (d == 0) {
            continue;
        }
        if (W->dense != NULL) {
            const double *column = W->dense + (size_t)j * (size_t)W->ld;
            for (int32_t i = 0; i < W->rows; i++) {
                u[i] += column[i] * d;
            }
            continue;
        }
        for (int32_t e = W->colptr[j]; e < W->colptr[j + 1]; e++) {
            u[W->rowind[e]] += W->values[e] * d;
        }
    }
}

/* u_b = H_b' v + q_b */
static void velocity_of(const ss_sweep *s, int32_t k, double *u)
{
    const ss_block *b     = &s->p->blocks[k];
    const int32_t  *dof   = s->dof + s->dof_at[k];
    size_t          count = s->dof_at[k + 1] - s->dof_at[k];
    const double   *H     = s->H + s->entry_at[k];
    for (int32_t c = 0; c < b->dim; c++) {
        double sum = s->p->q[b->start + c];
        for (size_t i = 0; i < count; i++) {
            sum += H[(size_t)c * count + i] * s->velocity[dof[i]];
        }
        u[c] = sum;
    }
}

/* v += M^-1 H_b change */
static void add_global(ss_sweep *s, int32_t k, const double *change)
{
    const int32_t *dof   = s->dof + s->dof_at[k];
    size_t         count = s->dof_at[k + 1] - s->dof_at[k];
    const double  *Y     = s->Y + s->entry_at[k];
    for (int32_t c = 0; c < s->p->blocks[k].dim; c++) {
        double d = change[c];
        for (size_t i = 0; i < count && d != 0; i++) {
            s->velocity[dof[i]] += Y[(size_t)c * count + i] * d;
        }
    }
}

static double dot6(const double *h, const double *v)
{
    return (h[0] * v[0] + h[1] * v[1] + h[2] * v[2]) + (h[3] * v[3] + h[4] * v[4] + h[5] * v[5]);
}

/* v += Y change on one body; the columns of Y are `count` apart. */
static void push_body(const double *Y, size_t count, const double *change, double *v)
{
    const double *Y1 = Y + count, *Y2 = Y1 + count;
    for (int32_t i = 0; i < BODY; i++) {
        v[i] += Y[i] * change[0] + Y1[i] * change[1] + Y2[i] * change[2];
    }
}

/* A contact of one or two bodies in space; returns |change|^2. */
static double treat_pair(ss_sweep *s, int32_t k, double *r)
{
    const ss_pair  *pair = &s->pair[k];
    const ss_block *b    = &s->p->blocks[k];
    const double   *H = s->H + s->entry_at[k], *Y = s->Y + s->entry_at[k], *q = s->p->q + b->start;
    const bool      two   = pair->bodies == 2;
    const size_t    count = two ? 2 * BODY : BODY;
    double         *va = s->velocity + pair->first[0], *vb = s->velocity + pair->first[1];
    double          u[3], change[3];
    for (size_t c = 0; c < 3; c++) {
        u[c] = q[c] + dot6(H + c * count, va);
        u[c] += two ? dot6(H + c * count + BODY, vb) : 0;
    }
    ss_block_solve(b, s->data + s->data_at[k], u, r + b->start, change);
    double sum = change[0] * change[0] + change[1] * change[1] + change[2] * change[2];
    if (sum > 0) {
        push_body(Y, count, change, va);
        if (two) {
            push_body(Y + BODY, count, change, vb);
        }
    }
    return sum;
}

/* One block; returns |change|^2. */
static double treat(ss_sweep *s, int32_t k, double *r)
{
    double         *change = s->change;
    const ss_block *b      = &s->p->blocks[k];
    const double   *now    = s->velocity + b->start;
    if (s->pair != NULL && s->pair[k].bodies > 0) {
        return treat_pair(s, k, r);
    }
    if (s->p->nv > 0) {
        velocity_of(s, k, s->u);
        now = s->u;
    }
    ss_block_solve(b, s->data + s->data_at[k], now, r + b->start, change);
    double sum = 0;
    for (int32_t i = 0; i < b->dim; i++) {
        sum += change[i] * change[i];
    }
    if (sum > 0 && s->p->nv > 0) {
        add_global(s, k, change);
    } else if (sum > 0) {
        add_local(s, b, change);
    }
    return sum;
}

double ss_sweep_run(ss_sweep *s, double *r, bool backwards)
{
    double  sum = 0;
    int32_t nb  = s->p->nblocks;
    for (int32_t c = 0; c < nb; c++) {
        int32_t k = backwards ? nb - 1 - c : c;
        sum += s->weight[k] * treat(s, k, r);
    }
    return sqrt(sum);
}
