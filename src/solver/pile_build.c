/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a cone problem in global form to packs. Blocks are coloured greedily, in their order: two
 * blocks of one colour share no body, so the blocks of a colour can be visited in any order, eight
 * at a time and by any number of threads, and the result is the same. A body with more blocks than
 * there are colours (a large plate that moves) puts the rest into groups of their own.
 */
#include <math.h>
#include <string.h>

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

/* A := C with A = C C', below the diagonal; columns are ld apart. False: not positive to working
   precision. */
static inline bool take_root(int32_t n, int32_t ld, double *A)
{
    for (int32_t j = 0; j < n; j++) {
        double size = A[j * ld + j], pivot = size;
        for (int32_t k = 0; k < j; k++) {
            pivot -= A[k * ld + j] * A[k * ld + j];
        }
        if (!(pivot > SS_SINGULAR_MASS * size)) {
            return false;
        }
        double root   = sqrt(pivot);
        A[j * ld + j] = root;
        for (int32_t i = j + 1; i < n; i++) {
            double sum = A[j * ld + i];
            for (int32_t k = 0; k < j; k++) {
                sum -= A[k * ld + i] * A[k * ld + j];
            }
            A[j * ld + i] = sum / root;
        }
    }
    return true;
}

/* C := C^-1 of a lower triangle. */
static inline void invert_root(int32_t n, int32_t ld, double *C)
{
    for (int32_t j = 0; j < n; j++) {
        C[j * ld + j] = 1 / C[j * ld + j];
        for (int32_t i = j + 1; i < n; i++) {
            double sum = 0;
            for (int32_t k = j; k < i; k++) {
                sum += C[k * ld + i] * C[j * ld + k];
            }
            C[j * ld + i] = -sum / C[i * ld + i];
        }
    }
}

/* One mass for all directions, and nothing between them and turning. */
static bool is_plain(int32_t dof, const double *A)
{
    const int32_t line = dof == SPACE ? 3 : 2;
    for (int32_t c = 0; c < line; c++) {
        for (int32_t i = c; i < dof; i++) {
            if (A[c * dof + i] != (i == c ? A[0] : 0)) {
                return false;
            }
        }
    }
    return true;
}

/* The root of a plain mass in space, inverted: the directions by themselves, then the inertia. */
static bool take_plain_root(double *A)
{
    enum { TURNS = 3 * (SPACE + 1) }; /* where the inertia begins */
    if (!(A[0] > 0) || !take_root(3, SPACE, A + TURNS)) {
        return false;
    }
    invert_root(3, SPACE, A + TURNS);
    A[0] = A[SPACE + 1] = A[2 * (SPACE + 1)] = 1 / sqrt(A[0]);
    return true;
}

static bool take_roots(ss_pile *x)
{
    for (int32_t b = 0; b < x->bodies; b++) {
        double *C = x->root + (ptrdiff_t)b * x->dof * x->dof;
        gather_mass(&x->p->M, b, x->dof, C);
        x->plain[b] = is_plain(x->dof, C);
        if (x->plain[b] && x->dof == SPACE) {
            if (!take_plain_root(C)) {
                return false;
            }
            continue;
        }
        if (!take_root(x->dof, x->dof, C)) {
            return false;
        }
        invert_root(x->dof, x->dof, C);
    }
    return true;
}

/* out := C^-1 h */
static inline void scale_side(const ss_pile *x, int32_t n, int32_t body, const double *restrict h,
                              double *restrict out)
{
    const double *C = x->root + (ptrdiff_t)body * n * n;
    if (n == SPACE && x->plain[body]) {
        out[0] = C[0] * h[0];
        out[1] = C[0] * h[1];
        out[2] = C[0] * h[2];
        out[3] = C[21] * h[3];
        out[4] = C[22] * h[3] + C[28] * h[4];
        out[5] = C[23] * h[3] + C[29] * h[4] + C[35] * h[5];
        return;
    }
    for (int32_t i = 0; i < n; i++) {
        out[i] = 0;
        for (int32_t j = 0; j <= i; j++) {
            out[i] += C[j * n + i] * h[j];
        }
    }
}

/* h := C^-T h */
static void unscale_side(const ss_pile *x, int32_t body, double *h)
{
    const int32_t n = x->dof;
    const double *C = x->root + (ptrdiff_t)body * n * n;
    for (int32_t j = 0; j < n; j++) {
        double sum = 0;
        for (int32_t i = j; i < n; i++) {
            sum += C[j * n + i] * h[i];
        }
        h[j] = sum;
    }
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* Entries at .. at + dof - 1: those of one whole body? */
static bool is_body(const ss_matrix *H, int32_t at, int32_t dof)
{
    for (int32_t i = 1; i < dof; i++) {
        if (H->rowind[at + i] != H->rowind[at] + i) {
            return false;
        }
    }
    return H->rowind[at] % dof == 0;
}

/* The bodies of a block; false: its columns are not those of one or two whole bodies. */
static bool bodies_of(const ss_pile *x, const ss_block *b, int32_t body[2])
{
    const ss_matrix *H     = &x->p->H;
    int32_t          first = H->colptr[b->start], count = H->colptr[b->start + 1] - first;
    body[0] = body[1] = -1;
    if (b->dim > SS_PILE_ROWS || (count != x->dof && count != 2 * x->dof)) {
        return false;
    }
    for (int32_t i = 0; i * x->dof < count; i++) {
        body[i] = H->rowind[first + i * x->dof] / x->dof;
        if (!is_body(H, first + i * x->dof, x->dof)) {
            return false;
        }
    }
    for (int32_t c = 1; c < b->dim; c++) { /* the other columns have the same rows */
        int32_t at = H->colptr[b->start + c];
        if (H->colptr[b->start + c + 1] - at != count ||
            memcmp(H->rowind + at, H->rowind + first, (size_t)count * sizeof *H->rowind) != 0) {
            return false;
        }
    }
    return true;
}

static int32_t sides_of(const ss_pile_block *b)
{
    return b->body[1] >= 0 ? 2 : 1;
}

static double dot(int32_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* One body. */
static double dot_body(int32_t dof, const double *x, const double *y)
{
    double sum = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    return dof == SPACE ? sum + (x[3] * y[3] + x[4] * y[4] + x[5] * y[5]) : sum;
}

/* Two bodies in space, in four chains of additions. */
static double dot12(const double *x, const double *y)
{
    double a = x[0] * y[0] + x[4] * y[4] + x[8] * y[8];
    double b = x[1] * y[1] + x[5] * y[5] + x[9] * y[9];
    double c = x[2] * y[2] + x[6] * y[6] + x[10] * y[10];
    double d = x[3] * y[3] + x[7] * y[7] + x[11] * y[11];
    return (a + b) + (c + d);
}

/* H in scaled coordinates, and the local problem; the compiler is to know the sizes of contacts. */
static inline void fill_sized(const ss_pile *x, const double *H, ss_pile_block *b, double *W,
                              int32_t dim, int32_t sides, int32_t dof)
{
    const int32_t length = sides * dof;
    for (int32_t c = 0; c < dim; c++) {
        for (int32_t s = 0; s < sides; s++) {
            ptrdiff_t at = (ptrdiff_t)c * length + s * dof;
            scale_side(x, dof, b->body[s], H + at, b->H + at);
        }
    }
    b->weight = 0;
    for (int32_t c = 0; c < dim; c++) {
        for (int32_t i = 0; i <= c; i++) {
            const double *h = b->H + (ptrdiff_t)i * length, *g = b->H + (ptrdiff_t)c * length;
            double        sum = length == 2 * SPACE ? dot12(h, g) : dot(length, h, g);
            W[c * dim + i] = W[i * dim + c] = sum;
        }
        b->weight = W[c * (dim + 1)] > b->weight ? W[c * (dim + 1)] : b->weight;
    }
}

static void fill_block(const ss_pile *x, const double *H, ss_pile_block *b, double *W)
{
    const int32_t dim = b->block->dim, sides = sides_of(b);
    if (x->dof == SPACE && dim == 3 && sides == 2) {
        fill_sized(x, H, b, W, 3, 2, SPACE);
    } else if (x->dof == SPACE && dim == 3) {
        fill_sized(x, H, b, W, 3, 1, SPACE);
    } else {
        fill_sized(x, H, b, W, dim, sides, x->dof);
    }
    ss_block_prepare(b->block, W, dim, b->data);
}

/* Can the block go into a pack? H: its columns as the problem has them. */
static bool packs(const ss_pile *x, const double *H, const ss_pile_block *b)
{
    const int32_t flat = x->dof == PLANE, rows = flat ? 2 : 3, length = sides_of(b) * x->dof;
    if (x->fine != NULL || b->block->kind != SS_BLOCK_CONE || b->block->dim != rows ||
        !(b->block->mu > 0) || !x->plain[b->body[0]] ||
        (b->body[1] >= 0 && !x->plain[b->body[1]])) {
        return false;
    }
    for (int32_t c = 0; c < rows; c++) {
        const double *h = H + (ptrdiff_t)c * length;
        for (int32_t i = 0; b->body[1] >= 0 && i < rows; i++) {
            if (h[i] != -h[x->dof + i]) {
                return false;
            }
        }
    }
    const double *S = b->data;
    return flat ? b->data[3] > 0 && S[0] > 0
                : b->data[8] > 0 && S[0] * S[3] - S[1] * S[2] > SS_PACK_ROUND * S[0] * S[3];
}

/* The local problem of lane l. */
static void fill_law(const ss_pile *x, const ss_pile_block *b, int32_t l, ss_pack *k)
{
    const double *S = b->data;
    if (x->dof == PLANE) {
        k->S[0][l]     = (float)S[0];
        k->stick[0][l] = (float)(1 / S[0]);
        k->k[0][l]     = (float)S[1];
        k->inv[l]      = (float)S[3];
    } else {
        const double det = S[0] * S[3] - S[1] * S[2];
        k->S[0][l]       = (float)S[0];
        k->S[1][l]       = (float)S[1];
        k->S[2][l]       = (float)S[3];
        k->stick[0][l]   = (float)(S[3] / det);
        k->stick[1][l]   = (float)(-S[1] / det);
        k->stick[2][l]   = (float)(S[0] / det);
        k->k[0][l]       = (float)S[4];
        k->k[1][l]       = (float)S[5];
        k->inv[l]        = (float)S[8];
    }
    k->mu[l]     = (float)b->block->mu;
    k->weight[l] = (float)b->weight;
    k->block[l]  = (int32_t)(b->block - x->p->blocks);
}

/* One contact becomes lane l; the compiler is to know the number of rows. */
static inline void fill_lane(const ss_pile *x, const ss_pile_block *b, int32_t l, int32_t rows,
                             ss_pack *k)
{
    const int32_t dof = rows == 3 ? SPACE : PLANE, turns = dof - rows;
    const bool    two    = b->body[1] >= 0;
    const int32_t length = (1 + two) * dof, plus = two ? dof : 0;
    k->plus[l]  = two ? b->body[1] : b->body[0];
    k->minus[l] = two ? b->body[0] : x->bodies;
    for (int32_t c = 0; c < rows; c++) {
        const double *h  = b->H + (ptrdiff_t)c * length;
        const double *as = x->p->H.values + x->p->H.colptr[b->block->start + c] + plus;
        for (int32_t i = 0; i < rows; i++) {
            k->direction[c][i][l] = (float)as[i];
        }
        for (int32_t i = 0; i < turns; i++) {
            k->lever_plus[c][i][l]  = (float)h[plus + rows + i];
            k->lever_minus[c][i][l] = two ? (float)h[rows + i] : 0;
        }
        k->q[c][l] = (float)x->p->q[b->block->start + c];
    }
    fill_law(x, b, l, k);
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
    double *H = ss_arena_alloc(a, entries, sizeof *H), *W = ss_arena_alloc(a, most, sizeof *W);
    double *D     = ss_arena_alloc(a, data, sizeof *D);
    double *three = ss_arena_alloc(a, 3 * (size_t)p->n, sizeof *three);
    w->colour     = ss_arena_alloc(a, nb, sizeof *w->colour);
    w->packed     = ss_arena_alloc(a, nb, sizeof *w->packed);
    if (!H || !W || !D || !three || !w->colour || !w->packed) {
        return false;
    }
    memset(three, 0, 3 * (size_t)p->n * sizeof *three);
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *block = &p->blocks[k];
        ss_pile_block  *b     = &w->all[k];
        const double   *as    = p->H.values + p->H.colptr[block->start];
        b->H                  = H + p->H.colptr[block->start];
        b->data               = D;
        b->r                  = three + block->start;
        b->change             = b->r + p->n;
        b->push               = b->change + p->n;
        D += ss_block_data_size(block->dim);
        fill_block(w->x, as, b, W);
        w->packed[k] = packs(w->x, as, b);
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
            int32_t  lane = w->next[2 * c]++;
            ss_pack *to   = &x->packs[x->pack_at[c] + lane / SS_LANES];
            if (x->dof == SPACE) {
                fill_lane(x, &w->all[k], lane % SS_LANES, 3, to);
            } else {
                fill_lane(x, &w->all[k], lane % SS_LANES, 2, to);
            }
        } else {
            x->blocks[x->block_at[c] + w->next[2 * c + 1]++] = w->all[k];
        }
    }
}

/* ---- the scale ------------------------------------------------------------------------------ */

/* rhs := C^-1 rhs, body by body: what is momentum becomes velocity. */
static void scale_all(const ss_pile *x)
{
    for (int32_t b = 0; b < x->bodies; b++) {
        double momentum[SPACE], *at = x->rhs + (ptrdiff_t)b * x->dof;
        memcpy(momentum, at, (size_t)x->dof * sizeof *at);
        scale_side(x, x->dof, b, momentum, at);
    }
}

/* The scale of motion errors (problem/residual_cone.c), from the velocities without reactions. */
static double scale_of(const builder *w)
{
    const ss_pile *x    = w->x;
    const ss_cone *p    = x->p;
    double         most = 0, none[SS_CONE_ROWS] = {0}, u[SS_CONE_ROWS];
    memcpy(x->rhs, p->f, (size_t)p->nv * sizeof *x->rhs);
    scale_all(x);
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_pile_block *b   = &w->all[k];
        const int32_t        dim = b->block->dim, sides = sides_of(b);
        if (dim > SS_CONE_ROWS || b->block->kind == SS_BLOCK_DISK) {
            continue;
        }
        for (int32_t c = 0; c < dim; c++) {
            u[c] = p->q[b->block->start + c];
            for (int32_t s = 0; s < sides; s++) {
                u[c] += dot_body(x->dof, b->H + (ptrdiff_t)(c * sides + s) * x->dof,
                                 x->rhs + (ptrdiff_t)b->body[s] * x->dof);
            }
        }
        double lever = p->lever != NULL ? p->lever[b->block->start] : 1;
        most         = fmax(most, lever * sqrt(ss_cone_block_error2(b->block, none, u, 1)));
    }
    return fmax(p->speed, SS_STRUCK_SHARE * most);
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* The bodies of all blocks; false: the problem has another form. */
static bool find_bodies(builder *w)
{
    const ss_cone *p = w->x->p;
    for (int32_t k = 0; k < p->nblocks; k++) {
        w->all[k] = (ss_pile_block){.block = &p->blocks[k]};
        if (!bodies_of(w->x, &p->blocks[k], w->all[k].body)) {
            return false;
        }
    }
    return true;
}

static bool make_bodies(ss_pile *x, bool fine, ss_arena *a)
{
    size_t room = ((size_t)x->bodies + 1) * SS_PILE_STRIDE, nv = (size_t)x->p->nv;
    x->v     = ss_arena_alloc(a, room, sizeof *x->v);
    x->fine  = fine ? ss_arena_alloc(a, room, sizeof *x->fine) : NULL;
    x->rhs   = ss_arena_alloc(a, nv, sizeof *x->rhs);
    x->root  = ss_arena_alloc(a, nv * (size_t)x->dof, sizeof *x->root);
    x->plain = ss_arena_alloc(a, (size_t)x->bodies, sizeof *x->plain);
    if (!x->v || (fine && !x->fine) || !x->rhs || !x->root || !x->plain) {
        return false;
    }
    memset(x->v, 0, room * sizeof *x->v);
    return true;
}

static bool make_colours(builder *w, ss_arena *a)
{
    ss_pile  *x    = w->x;
    uint64_t *used = ss_arena_alloc(a, (size_t)x->bodies, sizeof *used);
    if (used == NULL) {
        return false;
    }
    x->colours  = paint(w, used);
    size_t nc   = (size_t)x->colours;
    x->pack_at  = ss_arena_alloc(a, nc + 1, sizeof *x->pack_at);
    x->block_at = ss_arena_alloc(a, nc + 1, sizeof *x->block_at);
    w->next     = ss_arena_alloc(a, 2 * nc, sizeof *w->next);
    if (!x->pack_at || !x->block_at || !w->next) {
        return false;
    }
    count_colours(w);
    x->packs  = ss_arena_alloc(a, (size_t)x->pack_at[nc], sizeof *x->packs);
    x->blocks = ss_arena_alloc(a, (size_t)x->block_at[nc], sizeof *x->blocks);
    if (!x->packs || !x->blocks) {
        return false;
    }
    fill_colours(w);
    return true;
}

ss_pile_result ss_pile_build(ss_pile *x, const ss_cone *p, bool fine, ss_arena *a)
{
    *x = (ss_pile){.p = p};
    if (p->nv == 0 || p->H.colptr == NULL || p->axes != NULL || p->nblocks == 0 ||
        (x->dof = dof_of(&p->M)) == 0) {
        return SS_PILE_REFUSED;
    }
    x->bodies = p->nv / x->dof;
    builder w = {.x = x, .all = ss_arena_alloc(a, (size_t)p->nblocks, sizeof *w.all)};
    if (w.all == NULL || !make_bodies(x, fine, a)) {
        return SS_PILE_SCRATCH;
    }
    if (!find_bodies(&w) || !take_roots(x)) {
        return SS_PILE_REFUSED;
    }
    if (!make_blocks(&w, a) || !make_colours(&w, a)) {
        return SS_PILE_SCRATCH;
    }
    for (int32_t b = 0; b < x->bodies; b++) {
        x->v[(ptrdiff_t)b * SS_PILE_STRIDE + SS_PILE_LIGHT] =
            x->plain[b] ? (float)x->root[(ptrdiff_t)b * x->dof * x->dof] : 0;
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
                k->r[c][l] = (float)r[x->p->blocks[k->block[l]].start + c];
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
        for (int32_t l = 0; l < SS_LANES && k->block[l] >= 0; l++) {
            const ss_block *b = &x->p->blocks[k->block[l]];
            for (int32_t c = 0; c < b->dim; c++) {
                r[b->start + c] = (double)k->r[c][l];
            }
            ss_block_project(b, r + b->start); /* what float rounds */
        }
    }
    for (int32_t i = 0; i < x->block_at[x->colours]; i++) {
        const ss_pile_block *b = &x->blocks[i];
        memcpy(r + b->block->start, b->r, (size_t)b->block->dim * sizeof *r);
    }
}

/* rhs := C^-1 (f + H r), the scaled velocities. */
static void scaled_velocities(const ss_pile *x, const double *r)
{
    const ss_matrix *H   = &x->p->H;
    double          *rhs = x->rhs;
    memcpy(rhs, x->p->f, (size_t)x->p->nv * sizeof *rhs);
    for (int32_t j = 0; j < x->p->n; j++) {
        const double   p  = r[j];
        const int32_t *at = H->rowind + H->colptr[j], count = H->colptr[j + 1] - H->colptr[j];
        const double  *h = H->values + H->colptr[j];
        if (p == 0) {
            continue; /* an open contact */
        }
        for (int32_t e = 0; e < count; e++) {
            rhs[at[e]] += h[e] * p;
        }
    }
    scale_all(x);
}

void ss_pile_velocities(const ss_pile *x, const double *r, double *v)
{
    scaled_velocities(x, r);
    memcpy(v, x->rhs, (size_t)x->p->nv * sizeof *v);
    for (int32_t b = 0; b < x->bodies; b++) {
        unscale_side(x, b, v + (ptrdiff_t)b * x->dof);
    }
}

void ss_pile_refresh(ss_pile *x, const double *r)
{
    scaled_velocities(x, r);
    for (int32_t b = 0; b < x->bodies; b++) {
        for (int32_t c = 0; c < x->dof; c++) {
            ptrdiff_t at = (ptrdiff_t)b * SS_PILE_STRIDE + c;
            double    v  = x->rhs[(ptrdiff_t)b * x->dof + c];
            if (x->fine != NULL) {
                x->fine[at] = v;
            } else {
                x->v[at] = (float)v;
            }
        }
    }
}

/* The length of a body's scaled velocity. */
static double speed_of(const ss_pile *x, int32_t body)
{
    const float *v   = x->v + (ptrdiff_t)body * SS_PILE_STRIDE;
    double       sum = 0;
    for (int32_t c = 0; c < x->dof; c++) {
        sum += (double)v[c] * (double)v[c];
    }
    return sqrt(sum);
}

double ss_pile_stake(const ss_pile *x)
{
    double most = 0;
    for (int32_t i = 0; i < x->pack_at[x->colours]; i++) {
        const ss_pack *k = &x->packs[i];
        for (int32_t l = 0; l < SS_LANES && k->block[l] >= 0; l++) {
            /* a row of weight w has at most the length sqrt(w) in scaled coordinates */
            double w = (double)k->weight[l], r = fabs((double)k->r[0][l]);
            double v = sqrt(w) * (speed_of(x, k->minus[l]) + speed_of(x, k->plus[l]));
            most     = fmax(most, fmax(w * r, fmax(v, fabs((double)k->q[0][l]))));
        }
    }
    return most;
}
