/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a cone problem in global form to packs. Blocks are coloured greedily, in their order: two
 * blocks of one colour share no body, so the blocks of a colour can be visited in any order, four
 * at a time and by any number of threads, and the result is the same. A body with more blocks than
 * there are colours (a large plate that moves) puts the rest into groups of their own.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "problem/residual.h"
#include "problem/tolerances.h"
#include "solver/cone_block.h"
#include "solver/pile.h"
#include "solver/tolerances.h"

enum { SPACE = 6, PLANE = 3, COLOURS = 64 };

/* ---- masses --------------------------------------------------------------------------------- */

/* 3 in the plane, 6 in space, 0: M is not one block per body. */
static int32_t dof_of(const ss_matrix *M)
{
    if (M->colptr == NULL || M->rows == 0) {
        return 0;
    }
    int32_t reach = 0;
    for (int32_t e = M->colptr[M->cols - 1]; e < M->colptr[M->cols]; e++) {
        reach = M->cols - M->rowind[e] > reach ? M->cols - M->rowind[e] : reach;
    }
    bool coupled = M->cols >= 4 && M->colptr[4] - M->colptr[3] == 3 && M->rowind[M->colptr[3]] == 3;
    int32_t dof  = M->cols % SPACE == 0 && (coupled || reach > PLANE) ? SPACE : PLANE;
    if (M->cols % dof != 0) {
        return 0;
    }
    for (int32_t j = 0; j < M->cols; j++) {
        int32_t first = j / dof * dof;
        for (int32_t e = M->colptr[j]; e < M->colptr[j + 1]; e++) {
            if (M->rowind[e] < first || M->rowind[e] >= first + dof) {
                return 0;
            }
        }
    }
    return dof;
}

static void gather_mass(const ss_matrix *M, int32_t body, int32_t dof, double *A)
{
    memset(A, 0, (size_t)(dof * dof) * sizeof *A);
    for (int32_t c = 0; c < dof; c++) {
        int32_t j = body * dof + c;
        for (int32_t e = M->colptr[j]; e < M->colptr[j + 1]; e++) {
            A[c * dof + M->rowind[e] - body * dof] = M->values[e];
        }
    }
}

/* inverse := A^-1; A is overwritten. False: singular to working precision. */
static bool invert(int32_t n, double *A, double *inverse)
{
    int32_t piv[SPACE];
    double  work[3 * SPACE], size = ss_dense_norm1(n, A, n);
    if (!ss_dense_lu(n, A, n, piv) ||
        ss_dense_lu_rcond(n, A, n, piv, size, work) < SS_SINGULAR_MASS) {
        return false;
    }
    memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
    for (int32_t j = 0; j < n; j++) {
        inverse[j * n + j] = 1;
        ss_dense_lu_solve(n, A, n, piv, inverse + j * n);
    }
    return true;
}

/* Three masses and a 3 x 3 inertia, by cofactors. False: coupled, or singular. */
static bool invert_plain(const double *A, double *inverse)
{
    for (int32_t c = 0; c < 3; c++) {
        for (int32_t i = 0; i < SPACE; i++) {
            if ((i != c && A[c * SPACE + i] != 0) || (i < 3 && A[(c + 3) * SPACE + i] != 0)) {
                return false;
            }
        }
    }
    double I[3][3], C[3][3];
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t j = 0; j < 3; j++) {
            I[i][j] = A[(j + 3) * SPACE + i + 3];
        }
    }
    for (int32_t i = 0; i < 3; i++) {
        int32_t a = (i + 1) % 3, b = (i + 2) % 3;
        for (int32_t j = 0; j < 3; j++) {
            int32_t c = (j + 1) % 3, d = (j + 2) % 3;
            C[j][i] = I[a][c] * I[b][d] - I[a][d] * I[b][c];
        }
    }
    double det = I[0][0] * C[0][0] + I[0][1] * C[1][0] + I[0][2] * C[2][0];
    double big = I[0][0] * I[1][1] * I[2][2];
    if (!(det > SS_PLAIN_INERTIA * big) || !(A[0] > 0 && A[7] > 0 && A[14] > 0)) {
        return false;
    }
    memset(inverse, 0, SPACE * SPACE * sizeof *inverse);
    for (int32_t i = 0; i < 3; i++) {
        inverse[i * (SPACE + 1)] = 1 / A[i * (SPACE + 1)];
        for (int32_t j = 0; j < 3; j++) {
            inverse[(j + 3) * SPACE + i + 3] = C[i][j] / det;
        }
    }
    return true;
}

static bool invert_masses(ss_pile *x)
{
    int32_t size = x->dof * x->dof;
    for (int32_t b = 0; b < x->bodies; b++) {
        double A[SPACE * SPACE], *inverse = x->inverse + (ptrdiff_t)b * size;
        gather_mass(&x->p->M, b, x->dof, A);
        if (!(x->dof == SPACE && invert_plain(A, inverse)) && !invert(x->dof, A, inverse)) {
            return false;
        }
    }
    return true;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* The bodies of a block; false: its columns are not those of one or two whole bodies. */
static bool bodies_of(const ss_pile *x, const ss_block *b, int32_t body[2])
{
    const ss_matrix *H     = &x->p->H;
    int32_t          first = H->colptr[b->start], count = H->colptr[b->start + 1] - first;
    body[0] = body[1] = -1;
    if (b->dim > SS_PILE_ROWS || count == 0 || count % x->dof != 0 || count > 2 * x->dof) {
        return false;
    }
    for (int32_t i = 0; i < count / x->dof; i++) {
        body[i] = H->rowind[first + i * x->dof] / x->dof;
    }
    for (int32_t c = 0; c < b->dim; c++) {
        int32_t at = H->colptr[b->start + c];
        if (H->colptr[b->start + c + 1] - at != count) {
            return false;
        }
        for (int32_t i = 0; i < count; i++) {
            if (H->rowind[at + i] != body[i / x->dof] * x->dof + i % x->dof) {
                return false;
            }
        }
    }
    return true;
}

/* y := M^-1 h for the columns of one body. */
static void respond(const ss_pile *x, int32_t body, const double *h, double *y)
{
    const double *A = x->inverse + (ptrdiff_t)body * x->dof * x->dof;
    for (int32_t i = 0; i < x->dof; i++) {
        double sum = 0;
        for (int32_t j = 0; j < x->dof; j++) {
            sum += A[j * x->dof + i] * h[j];
        }
        y[i] = sum;
    }
}

static int32_t sides_of(const ss_pile_block *b)
{
    return b->body[1] >= 0 ? 2 : 1;
}

/* Y and the local problem. */
static void fill_block(const ss_pile *x, ss_pile_block *b, double *W)
{
    const int32_t dim = b->block->dim, sides = sides_of(b), length = sides * x->dof;
    for (int32_t c = 0; c < dim; c++) {
        for (int32_t s = 0; s < sides; s++) {
            ptrdiff_t at = (ptrdiff_t)c * length + s * x->dof;
            respond(x, b->body[s], b->H + at, b->Y + at);
        }
    }
    b->weight = 0;
    for (int32_t c = 0; c < dim; c++) {
        for (int32_t i = 0; i < dim; i++) {
            double sum = 0;
            for (int32_t k = 0; k < length; k++) {
                sum += b->H[i * length + k] * b->Y[c * length + k];
            }
            W[c * dim + i] = sum;
        }
        b->weight = fmax(b->weight, W[c * (dim + 1)]);
    }
    ss_block_prepare(b->block, W, dim, b->data);
}

/* Can the block go into a pack? */
static bool packs(const ss_pile *x, const ss_pile_block *b)
{
    const int32_t flat = x->dof == PLANE, rows = flat ? 2 : 3, length = sides_of(b) * x->dof;
    if (b->block->kind != SS_BLOCK_CONE || b->block->dim != rows || !(b->block->mu > 0)) {
        return false;
    }
    for (int32_t c = 0; c < rows; c++) {
        const double *h = b->H + (ptrdiff_t)c * length;
        for (int32_t i = 0; b->body[1] >= 0 && i < rows; i++) {
            if (h[i] != -h[x->dof + i]) {
                return false;
            }
        }
    }
    for (int32_t s = 0; s < sides_of(b); s++) { /* one mass for all directions, no coupling */
        const double *A = x->inverse + (ptrdiff_t)b->body[s] * x->dof * x->dof;
        for (int32_t c = 0; c < rows; c++) {
            for (int32_t i = 0; i < x->dof; i++) {
                if (A[c * x->dof + i] != (i == c ? A[0] : 0)) {
                    return false;
                }
            }
        }
    }
    const double *S = b->data;
    return flat ? b->data[3] > 0 && S[0] > 0
                : b->data[8] > 0 && S[0] * S[3] - S[1] * S[2] > SS_PACK_ROUND * S[0] * S[3];
}

/* One contact becomes lane l. */
static void fill_lane(const ss_pile *x, const ss_pile_block *b, int32_t l, ss_pack *k)
{
    const int32_t rows = x->dof == PLANE ? 2 : 3, turns = x->dof - rows, m = rows - 1;
    const bool    two    = b->body[1] >= 0;
    const int32_t length = sides_of(b) * x->dof, plus = two ? x->dof : 0;
    const size_t  mass = (size_t)(x->dof * x->dof);
    k->plus[l]         = two ? b->body[1] : b->body[0];
    k->minus[l]        = two ? b->body[0] : x->bodies;
    k->light_plus[l]   = x->inverse[(size_t)k->plus[l] * mass];
    k->light_minus[l]  = two ? x->inverse[(size_t)k->minus[l] * mass] : 0;
    for (int32_t c = 0; c < rows; c++) {
        const double *h = b->H + (ptrdiff_t)c * length, *y = b->Y + (ptrdiff_t)c * length;
        for (int32_t i = 0; i < rows; i++) {
            k->direction[c][i][l] = h[plus + i];
        }
        for (int32_t i = 0; i < turns; i++) {
            k->lever_plus[c][i][l] = h[plus + rows + i];
            k->turn_plus[c][i][l]  = y[plus + rows + i];
            if (two) {
                k->lever_minus[c][i][l] = h[rows + i];
                k->turn_minus[c][i][l]  = y[rows + i];
            }
        }
        k->q[c][l] = x->p->q[b->block->start + c];
    }
    const double *S = b->data, *near = S + m * m, det = m == 2 ? S[0] * S[3] - S[1] * S[2] : 1;
    for (int32_t j = 0; j < m; j++) {
        k->k[j][l]   = near[j];
        k->Afn[j][l] = near[m + j];
        for (int32_t i = 0; i < m; i++) {
            k->S[i][j][l] = S[j * m + i];
            k->stick[i][j][l] =
                m == 1 ? 1 / S[0] : (i == j ? S[(1 - i) * (m + 1)] : -S[j * m + i]) / det;
        }
    }
    k->inv[l]    = near[2 * m];
    k->mu[l]     = b->block->mu;
    k->weight[l] = b->weight;
    k->block[l]  = (int32_t)(b->block - x->p->blocks);
}

/* ---- colours -------------------------------------------------------------------------------- */

/* Lowest colour that neither body has; the rest gets colours of their own. */
static int32_t colour_of(uint64_t *used, const ss_pile_block *b, int32_t *extra)
{
    uint64_t mask = used[b->body[0]] | (b->body[1] >= 0 ? used[b->body[1]] : 0);
    for (int32_t c = 0; c < COLOURS; c++) {
        if ((mask >> c & 1) == 0) {
            used[b->body[0]] |= (uint64_t)1 << c;
            if (b->body[1] >= 0) {
                used[b->body[1]] |= (uint64_t)1 << c;
            }
            return c;
        }
    }
    return COLOURS + (*extra)++;
}

typedef struct builder {
    ss_pile       *x;
    ss_pile_block *all;    /* (nblocks)                                */
    int32_t       *colour; /* (nblocks)                                */
    bool          *packed; /* (nblocks)                                */
    int32_t       *next;   /* (colours) lanes, then blocks, used so far */
} builder;

static bool make_blocks(builder *w, ss_arena *a)
{
    const ss_cone *p  = w->x->p;
    size_t         nb = (size_t)p->nblocks, entries = (size_t)p->H.colptr[p->n], data = 0, most = 0;
    for (int32_t k = 0; k < p->nblocks; k++) {
        size_t size = ss_block_data_size(p->blocks[k].dim);
        data += size;
        most = size > most ? size : most;
    }
    double *Y = ss_arena_alloc(a, entries, sizeof *Y), *W = ss_arena_alloc(a, most, sizeof *W);
    double *D     = ss_arena_alloc(a, data, sizeof *D);
    double *three = ss_arena_alloc(a, 3 * (size_t)p->n, sizeof *three);
    w->all        = ss_arena_alloc(a, nb, sizeof *w->all);
    w->colour     = ss_arena_alloc(a, nb, sizeof *w->colour);
    w->packed     = ss_arena_alloc(a, nb, sizeof *w->packed);
    if (!Y || !W || !D || !three || !w->all || !w->colour || !w->packed) {
        return false;
    }
    memset(three, 0, 3 * (size_t)p->n * sizeof *three);
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *block = &p->blocks[k];
        ss_pile_block  *b     = &w->all[k];
        int32_t         at    = p->H.colptr[block->start];
        *b        = (ss_pile_block){.block = block, .H = p->H.values + at, .Y = Y + at, .data = D};
        b->r      = three + block->start;
        b->change = b->r + p->n;
        b->push   = b->change + p->n;
        D += ss_block_data_size(block->dim);
        (void)bodies_of(w->x, block, b->body); /* has_form() */
        fill_block(w->x, b, W);
        w->packed[k] = packs(w->x, b);
    }
    return true;
}

static int32_t paint(builder *w, uint64_t *used)
{
    int32_t extra = 0, most = 0;
    memset(used, 0, (size_t)w->x->bodies * sizeof *used);
    for (int32_t k = 0; k < w->x->p->nblocks; k++) {
        w->colour[k] = colour_of(used, &w->all[k], &extra);
        most         = w->colour[k] + 1 > most ? w->colour[k] + 1 : most;
    }
    return most;
}

/* Where the packs and blocks of each colour begin. */
static void count_colours(builder *w)
{
    ss_pile *x = w->x;
    memset(x->pack_at, 0, ((size_t)x->colours + 1) * sizeof *x->pack_at);
    memset(x->block_at, 0, ((size_t)x->colours + 1) * sizeof *x->block_at);
    for (int32_t k = 0; k < x->p->nblocks; k++) {
        (w->packed[k] ? x->pack_at : x->block_at)[w->colour[k] + 1]++;
    }
    for (int32_t c = 0; c < x->colours; c++) {
        x->pack_at[c + 1] = x->pack_at[c] + (x->pack_at[c + 1] + SS_LANES - 1) / SS_LANES;
        x->block_at[c + 1] += x->block_at[c];
    }
}

static void fill_colours(builder *w)
{
    ss_pile *x = w->x;
    memset(x->packs, 0, (size_t)x->pack_at[x->colours] * sizeof *x->packs);
    for (int32_t i = 0; i < x->pack_at[x->colours]; i++) {
        for (int32_t l = 0; l < SS_LANES; l++) {
            x->packs[i].block[l] = -1;
            x->packs[i].plus[l] = x->packs[i].minus[l] = x->bodies;
        }
    }
    memset(w->next, 0, 2 * (size_t)x->colours * sizeof *w->next);
    for (int32_t k = 0; k < x->p->nblocks; k++) {
        int32_t c = w->colour[k];
        if (w->packed[k]) {
            int32_t lane = w->next[2 * c]++;
            fill_lane(x, &w->all[k], lane % SS_LANES, &x->packs[x->pack_at[c] + lane / SS_LANES]);
        } else {
            x->blocks[x->block_at[c] + w->next[2 * c + 1]++] = w->all[k];
        }
    }
}

/* ---- the scale ------------------------------------------------------------------------------ */

/* The scale of motion errors (problem/residual_cone.c), from the velocities without reactions. */
static double scale_of(const builder *w)
{
    const ss_pile *x    = w->x;
    const ss_cone *p    = x->p;
    double         most = 0, none[SS_CONE_ROWS] = {0}, u[SS_CONE_ROWS];
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_pile_block *b   = &w->all[k];
        const int32_t        dim = b->block->dim, length = sides_of(b) * x->dof;
        if (dim > SS_CONE_ROWS || b->block->kind == SS_BLOCK_DISK) {
            continue;
        }
        for (int32_t c = 0; c < dim; c++) {
            u[c] = p->q[b->block->start + c];
            for (int32_t i = 0; i < length; i++) {
                u[c] += b->H[c * length + i] *
                        x->v[(ptrdiff_t)b->body[i / x->dof] * x->stride + i % x->dof];
            }
        }
        double lever = p->lever != NULL ? p->lever[b->block->start] : 1;
        most         = fmax(most, lever * sqrt(ss_cone_block_error2(b->block, none, u, 1)));
    }
    return fmax(p->speed, SS_STRUCK_SHARE * most);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static bool has_form(const ss_pile *x)
{
    int32_t body[2];
    for (int32_t k = 0; k < x->p->nblocks; k++) {
        if (!bodies_of(x, &x->p->blocks[k], body)) {
            return false;
        }
    }
    return true;
}

ss_pile_result ss_pile_build(ss_pile *x, const ss_cone *p, ss_arena *a)
{
    *x = (ss_pile){.p = p, .threads = 1};
    if (p->nv == 0 || p->H.colptr == NULL || p->axes != NULL || p->nblocks == 0 ||
        (x->dof = dof_of(&p->M)) == 0 || !has_form(x)) {
        return SS_PILE_REFUSED;
    }
    x->stride      = x->dof == SPACE ? 8 : 4;
    x->bodies      = p->nv / x->dof;
    size_t    room = ((size_t)x->bodies + 1) * (size_t)x->stride;
    builder   w    = {.x = x};
    uint64_t *used = ss_arena_alloc(a, (size_t)x->bodies, sizeof *used);
    x->v           = ss_arena_alloc(a, room, sizeof *x->v);
    x->rhs         = ss_arena_alloc(a, (size_t)p->nv, sizeof *x->rhs);
    x->inverse     = ss_arena_alloc(a, (size_t)p->nv * (size_t)x->dof, sizeof *x->inverse);
    if (!used || !x->v || !x->rhs || !x->inverse) {
        return SS_PILE_SCRATCH;
    }
    if (!invert_masses(x)) {
        return SS_PILE_REFUSED;
    }
    if (!make_blocks(&w, a)) {
        return SS_PILE_SCRATCH;
    }
    x->colours  = paint(&w, used);
    size_t nc   = (size_t)x->colours;
    x->pack_at  = ss_arena_alloc(a, nc + 1, sizeof *x->pack_at);
    x->block_at = ss_arena_alloc(a, nc + 1, sizeof *x->block_at);
    w.next      = ss_arena_alloc(a, 2 * nc, sizeof *w.next);
    if (!x->pack_at || !x->block_at || !w.next) {
        return SS_PILE_SCRATCH;
    }
    count_colours(&w);
    x->packs  = ss_arena_alloc(a, (size_t)x->pack_at[nc], sizeof *x->packs);
    x->blocks = ss_arena_alloc(a, (size_t)x->block_at[nc], sizeof *x->blocks);
    if (!x->packs || !x->blocks) {
        return SS_PILE_SCRATCH;
    }
    fill_colours(&w);
    memset(x->v, 0, room * sizeof *x->v);
    for (int32_t b = 0; b < x->bodies; b++) {
        respond(x, b, p->f + (ptrdiff_t)b * x->dof, x->v + (ptrdiff_t)b * x->stride);
    }
    x->scale = scale_of(&w);
    return SS_PILE_READY;
}

/* ---- reactions and velocities --------------------------------------------------------------- */

void ss_pile_put(ss_pile *x, const double *r)
{
    for (int32_t i = 0; i < x->pack_at[x->colours]; i++) {
        ss_pack *k = &x->packs[i];
        k->age = k->state = (ss_lanes){0};
        for (int32_t c = 0; c < 3; c++) {
            k->push[c] = k->change[c] = (ss_lanes){0};
        }
        for (int32_t l = 0; l < SS_LANES; l++) {
            for (int32_t c = 0; k->block[l] >= 0 && c < x->p->blocks[k->block[l]].dim; c++) {
                k->r[c][l] = r[x->p->blocks[k->block[l]].start + c];
            }
        }
    }
    for (int32_t i = 0; i < x->block_at[x->colours]; i++) {
        ss_pile_block *b     = &x->blocks[i];
        size_t         bytes = (size_t)b->block->dim * sizeof *r;
        memcpy(b->r, r + b->block->start, bytes);
        memset(b->push, 0, bytes);
        memset(b->change, 0, bytes);
        b->age   = 0;
        b->state = SS_PILE_OPEN;
    }
}

void ss_pile_get(const ss_pile *x, double *r)
{
    for (int32_t i = 0; i < x->pack_at[x->colours]; i++) {
        const ss_pack *k = &x->packs[i];
        for (int32_t l = 0; l < SS_LANES; l++) {
            for (int32_t c = 0; k->block[l] >= 0 && c < x->p->blocks[k->block[l]].dim; c++) {
                r[x->p->blocks[k->block[l]].start + c] = k->r[c][l];
            }
        }
    }
    for (int32_t i = 0; i < x->block_at[x->colours]; i++) {
        const ss_pile_block *b = &x->blocks[i];
        memcpy(r + b->block->start, b->r, (size_t)b->block->dim * sizeof *r);
    }
}

void ss_pile_velocities(const ss_pile *x, const double *r, double *v)
{
    const ss_matrix *H   = &x->p->H;
    double          *rhs = x->rhs;
    memcpy(rhs, x->p->f, (size_t)x->p->nv * sizeof *rhs);
    for (int32_t j = 0; j < x->p->n; j++) {
        for (int32_t e = H->colptr[j]; e < H->colptr[j + 1]; e++) {
            rhs[H->rowind[e]] += H->values[e] * r[j];
        }
    }
    for (int32_t b = 0; b < x->bodies; b++) {
        respond(x, b, rhs + (ptrdiff_t)b * x->dof, v + (ptrdiff_t)b * x->dof);
    }
}

void ss_pile_refresh(ss_pile *x, const double *r, double *v)
{
    ss_pile_velocities(x, r, v);
    for (int32_t b = 0; b < x->bodies; b++) {
        memcpy(x->v + (ptrdiff_t)b * x->stride, v + (ptrdiff_t)b * x->dof,
               (size_t)x->dof * sizeof *v);
    }
}
