/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cone -> polygon: the friction ball is replaced by the polygon inscribed in it whose corners are
 * n directions d_j (Stewart and Trinkle 1996; Trinkle 2003, (35)-(39), (48)). Per block
 *
 *   cone   r_n = p,  r_f = D b,  b >= 0         (p, b, s) with
 *            0 <= p  _|_  u_n >= 0
 *            0 <= b  _|_  D'u_f + e s >= 0      s: the slip speed
 *            0 <= s  _|_  mu p - e'b >= 0
 *   disk   the same without p, and  0 <= s _|_ bound - e'b >= 0
 *   unilateral rows stay, equality rows become free variables (then the result is an mlcp).
 *
 * A friction row that stands alone (2D, torsion, or a disk of one row) has the directions + and -;
 * a tangential pair has n: for even n in opposite pairs d, -d next to each other, the first along
 * t. Rows of rolling friction each have their own + and -. Local form only.
 */
#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "linalg/matrix.h"
#include "linalg/widest.h"
#include "problem/reduce.h"
#include "problem/tolerances.h"

/* One variable of the reduced problem: r gets  c[0] z  in `row` and  c[1] z  in `row` + 1. */
typedef struct column {
    int32_t row;
    double  c[2];
} column;

static double snapped(double x)
{
    return fabs(x) < SS_CORNER_ZERO ? 0 : x;
}

void ss_polygon_corners(int32_t count, double (*corner)[2])
{
    const double turn = 6.28318530717958647692;
    for (int32_t j = 0; j < count; j++) {
        bool   pairs = count % 2 == 0;
        double angle = turn * (pairs ? j / 2 : j) / count;
        double sign  = pairs && j % 2 == 1 ? -1 : 1;
        corner[j][0] = sign * snapped(ss_cos(angle));
        corner[j][1] = sign * snapped(ss_sin(angle));
    }
}

void ss_polygon_around(int32_t k, double (*corner)[2])
{
    const double half = 1.57079632679489661923 / k, radius = 1 / ss_cos(half);
    for (int32_t j = 0; j < 2 * k; j++) {
        int32_t pair  = j / 2;
        double  angle = (2 * pair + 1) * half, sign = j % 2 == 1 ? -1 : 1;
        corner[j][0] = sign * radius * snapped(ss_cos(angle));
        corner[j][1] = sign * radius * snapped(ss_sin(angle));
    }
}

static int32_t friction_rows(const ss_block *b)
{
    return b->kind == SS_BLOCK_CONE ? b->dim - 1 : b->kind == SS_BLOCK_DISK ? b->dim : 0;
}

int32_t ss_polygon_directions(const ss_polygon *polygon, int32_t rows)
{
    return rows >= 2 ? polygon->count + 2 * (rows - 2) : 2 * rows;
}

static int32_t direction_count(const ss_block *b, const ss_polygon *polygon)
{
    return ss_polygon_directions(polygon, friction_rows(b));
}

static int32_t block_size(const ss_block *b, const ss_polygon *polygon)
{
    int32_t n = direction_count(b, polygon);
    switch (b->kind) {
    case SS_BLOCK_CONE:
        return n + 2;
    case SS_BLOCK_DISK:
        return n + 1;
    case SS_BLOCK_EQUALITY:
    case SS_BLOCK_UNILATERAL:
        break;
    }
    return b->dim;
}

int32_t ss_reduce_polygon_start(const ss_cone *p, const ss_polygon *polygon, int32_t block)
{
    int32_t n = 0;
    for (int32_t i = 0; i < block; i++) {
        n += block_size(&p->blocks[i], polygon);
    }
    return n;
}

int32_t ss_reduce_polygon_size(const ss_cone *p, const ss_polygon *polygon)
{
    return ss_reduce_polygon_start(p, polygon, p->nblocks);
}

/* Direction j of a block: which rows it pushes, and how much. */
static column direction(const ss_block *b, const ss_polygon *polygon, int32_t j)
{
    int32_t first = b->start + (b->kind == SS_BLOCK_CONE);
    column  col   = {first, {0, 0}};
    bool    pair  = friction_rows(b) >= 2;
    if (pair && j < polygon->count) {
        col.c[0] = polygon->corner[j][0];
        col.c[1] = polygon->corner[j][1];
        return col;
    }
    int32_t k = pair ? j - polygon->count + 4 : j;
    col.row   = first + k / 2;
    col.c[0]  = k % 2 == 0 ? 1 : -1;
    return col;
}

/* Columns of a block's variables; the slip speed s has none (row -1). */
static int32_t fill_columns(const ss_block *b, const ss_polygon *polygon, column *cols)
{
    int32_t n = 0;
    if (b->kind == SS_BLOCK_EQUALITY || b->kind == SS_BLOCK_UNILATERAL) {
        for (int32_t k = 0; k < b->dim; k++) {
            cols[n++] = (column){b->start + k, {1, 0}};
        }
        return n;
    }
    if (b->kind == SS_BLOCK_CONE) {
        cols[n++] = (column){b->start, {1, 0}};
    }
    for (int32_t j = 0; j < direction_count(b, polygon); j++) {
        cols[n++] = direction(b, polygon, j);
    }
    cols[n++] = (column){-1, {0, 0}};
    return n;
}

/* Variables next to each other that push the same rows: the directions of a contact. */
typedef struct stretch {
    int32_t row, first, end;
    bool    pair; /* some of them push row + 1 too */
} stretch;

/* One after the other, for loops over the directions. */
typedef struct pushes {
    double  *along, *across; /* (n) c[0] and c[1] of the columns */
    stretch *stretches;
    int32_t  count;
} pushes;

static bool lay_out(const column *cols, int32_t n, ss_arena *a, pushes *out)
{
    out->along     = ss_arena_alloc(a, (size_t)n, sizeof *out->along);
    out->across    = ss_arena_alloc(a, (size_t)n, sizeof *out->across);
    out->stretches = ss_arena_alloc(a, (size_t)n, sizeof *out->stretches);
    out->count     = 0;
    if (!out->along || !out->across || !out->stretches) {
        return false;
    }
    for (int32_t i = 0; i < n; i++) {
        out->along[i]  = cols[i].c[0];
        out->across[i] = cols[i].c[1];
        if (i == 0 || cols[i].row != cols[i - 1].row) {
            out->stretches[out->count++] = (stretch){cols[i].row, i, i, false};
        }
        stretch *last = &out->stretches[out->count - 1];
        last->end     = i + 1;
        last->pair    = last->pair || cols[i].c[1] != 0;
    }
    return true;
}

/* Entries are computed so many at a time. */
enum { STRIP = 4 };

/* Entries of the stretch x in the column of y: sums of c_x W c_y over the rows of both. */
SS_WIDEST static void fill_stretch(const double *W, int32_t ld, const stretch *x,
                                   const double *restrict along, const double *restrict across,
                                   const column *y, double *restrict M)
{
    const double *c  = W + x->row + (ptrdiff_t)y->row * ld;
    const double  y0 = y->c[0], y1 = y->c[1], c00 = c[0], c01 = y1 != 0 ? c[ld] : 0;
    const double  c10 = x->pair ? c[1] : 0, c11 = x->pair && y1 != 0 ? c[ld + 1] : 0;
    int32_t       i = x->first;
    for (; i + STRIP <= x->end; i += STRIP) {
        for (int32_t k = i; k < i + STRIP; k++) {
            M[k] = along[k] * y0 * c00 + across[k] * y0 * c10 + along[k] * y1 * c01 +
                   across[k] * y1 * c11;
        }
    }
    for (; i < x->end; i++) {
        M[i] =
            along[i] * y0 * c00 + across[i] * y0 * c10 + along[i] * y1 * c01 + across[i] * y1 * c11;
    }
}

/* D'W D, and D'q. */
static void fill_products(const ss_cone *p, const double *W, int32_t ld, const column *cols,
                          const pushes *x, int32_t n, double *M, double *q)
{
    for (int32_t j = 0; j < n; j++) {
        const column *y = &cols[j];
        q[j]            = 0;
        if (y->row < 0) {
            memset(M + (ptrdiff_t)j * n, 0, (size_t)n * sizeof *M);
            continue;
        }
        q[j]       = y->c[0] * p->q[y->row] + (y->c[1] != 0 ? y->c[1] * p->q[y->row + 1] : 0);
        double *to = M + (ptrdiff_t)j * n;
        for (int32_t k = 0; k < x->count; k++) {
            const stretch *part = &x->stretches[k];
            if (part->row >= 0) {
                fill_stretch(W, ld, part, x->along, x->across, y, to);
            } else {
                memset(to + part->first, 0, (size_t)(part->end - part->first) * sizeof *to);
            }
        }
    }
}

/* The rows and columns of the slip speeds, and which variables are free. */
static void fill_laws(const ss_cone *p, const ss_polygon *polygon, double *M, double *q,
                      unsigned char *is_free, int32_t n)
{
    int32_t at = 0;
    for (int32_t i = 0; i < p->nblocks; i++) {
        const ss_block *b    = &p->blocks[i];
        int32_t         size = block_size(b, polygon);
        memset(is_free + at, b->kind == SS_BLOCK_EQUALITY, (size_t)size);
        if (friction_rows(b) > 0) {
            int32_t s = at + size - 1, first = at + (b->kind == SS_BLOCK_CONE);
            for (int32_t k = first; k < s; k++) {
                M[k + (ptrdiff_t)s * n] = 1;
                M[s + (ptrdiff_t)k * n] = -1;
            }
            if (b->kind == SS_BLOCK_CONE) {
                M[s + (ptrdiff_t)at * n] = b->mu;
            } else {
                q[s] = b->bound;
            }
        }
        at += size;
    }
}

static bool has_equalities(const ss_cone *p)
{
    for (int32_t i = 0; i < p->nblocks; i++) {
        if (p->blocks[i].kind == SS_BLOCK_EQUALITY) {
            return true;
        }
    }
    return false;
}

/* W as a dense matrix: its own storage, or a copy in the arena. */
static const double *dense_W(const ss_cone *p, ss_arena *a, int32_t *ld)
{
    if (p->W.dense != NULL) {
        *ld = p->W.ld;
        return p->W.dense;
    }
    double *W = ss_arena_alloc(a, (size_t)p->n * (size_t)p->n, sizeof *W);
    if (W != NULL) {
        ss_matrix_to_dense(&p->W, W, p->n);
    }
    *ld = p->n;
    return W;
}

bool ss_reduce_polygon(const ss_cone *p, const ss_polygon *polygon, ss_arena *a, ss_problem *out)
{
    int32_t        n = ss_reduce_polygon_size(p, polygon), ld = 0;
    double        *M       = ss_arena_alloc(a, (size_t)n * (size_t)n, sizeof *M);
    double        *q       = ss_arena_alloc(a, (size_t)n, sizeof *q);
    unsigned char *is_free = ss_arena_alloc(a, (size_t)n, sizeof *is_free);
    column        *cols    = ss_arena_alloc(a, (size_t)n, sizeof *cols);
    const double  *W       = dense_W(p, a, &ld);
    if (!M || !q || !is_free || !cols || !W) {
        return false;
    }
    int32_t at = 0;
    for (int32_t i = 0; i < p->nblocks; i++) {
        at += fill_columns(&p->blocks[i], polygon, cols + at);
    }
    pushes x;
    if (!lay_out(cols, n, a, &x)) {
        return false;
    }
    fill_products(p, W, ld, cols, &x, n, M, q);
    fill_laws(p, polygon, M, q, is_free, n);
    ss_matrix matrix = {.rows = n, .cols = n, .dense = M, .ld = n};
    if (has_equalities(p)) {
        out->type    = SS_MLCP;
        out->as.mlcp = (ss_mlcp){n, matrix, q, is_free};
    } else {
        out->type   = SS_LCP;
        out->as.lcp = (ss_lcp){n, matrix, q};
    }
    return true;
}

void ss_reduce_polygon_back(const ss_cone *p, const ss_polygon *polygon, const double *z, double *r)
{
    memset(r, 0, (size_t)p->n * sizeof *r);
    for (int32_t i = 0; i < p->nblocks; i++) {
        const ss_block *b    = &p->blocks[i];
        int32_t         size = block_size(b, polygon), k = 0;
        for (; b->kind != SS_BLOCK_DISK && k < (b->kind == SS_BLOCK_CONE ? 1 : b->dim); k++) {
            r[b->start + k] = z[k];
        }
        for (int32_t j = 0; j < direction_count(b, polygon); j++) {
            column col = direction(b, polygon, j);
            r[col.row] += col.c[0] * z[k + j];
            if (col.c[1] != 0) {
                r[col.row + 1] += col.c[1] * z[k + j];
            }
        }
        z += size;
    }
}

/* Coordinates of a tangential force in the two neighbouring corners between which it lies. */
static void split_pair(const ss_polygon *polygon, double ft, double fo, double *b)
{
    int32_t best[2] = {-1, -1};
    double  most[2] = {0, 0};
    for (int32_t j = 0; j < polygon->count; j++) {
        double along = polygon->corner[j][0] * ft + polygon->corner[j][1] * fo;
        if (along > most[0]) {
            best[1] = best[0];
            most[1] = most[0];
            best[0] = j;
            most[0] = along;
        } else if (along > most[1]) {
            best[1] = j;
            most[1] = along;
        }
    }
    if (best[1] < 0) {
        if (best[0] >= 0) {
            b[best[0]] = most[0];
        }
        return;
    }
    const double *c0 = polygon->corner[best[0]], *c1 = polygon->corner[best[1]];
    double        det = c0[0] * c1[1] - c1[0] * c0[1];
    double        x0 = (ft * c1[1] - fo * c1[0]) / det, x1 = (c0[0] * fo - c0[1] * ft) / det;
    b[best[0]] = fmax(x0, 0);
    b[best[1]] = x1 > SS_CORNER_PART * most[0] ? x1 : 0;
}

/* Slip speed that goes with the relative velocity u: the least s with D'u_f + e s >= 0. */
static double slip_speed(const ss_block *b, const ss_polygon *polygon, const double *u)
{
    double s = 0;
    for (int32_t j = 0; j < direction_count(b, polygon); j++) {
        column col  = direction(b, polygon, j);
        double rate = col.c[0] * u[col.row] + (col.c[1] != 0 ? col.c[1] * u[col.row + 1] : 0);
        s           = fmax(s, -rate);
    }
    return s;
}

void ss_polygon_split(const ss_polygon *polygon, int32_t rows, const double *f, double *beta)
{
    int32_t k = 0, j = 0;
    memset(beta, 0, (size_t)ss_polygon_directions(polygon, rows) * sizeof *beta);
    if (rows >= 2) {
        split_pair(polygon, f[0], f[1], beta);
        k = 2;
        j = polygon->count;
    }
    for (; k < rows; k++, j += 2) {
        beta[j]     = fmax(f[k], 0);
        beta[j + 1] = fmax(-f[k], 0);
    }
}

/* Friction inside its limit: the law is that of sticking, and what u is left with is no slip. */
static bool within_limit(const ss_block *b, const double *parts, int32_t count, double normal)
{
    double limit = b->kind == SS_BLOCK_CONE ? b->mu * normal : b->bound, sum = 0;
    for (int32_t i = 0; i < count; i++) {
        sum += parts[i];
    }
    return sum < (1 - SS_BELOW_LIMIT) * limit;
}

void ss_reduce_polygon_forth(const ss_cone *p, const ss_polygon *polygon, const double *r,
                             const double *u, double *z)
{
    for (int32_t i = 0; i < p->nblocks; i++) {
        const ss_block *b = &p->blocks[i];
        int32_t         k = 0;
        for (; b->kind != SS_BLOCK_DISK && k < (b->kind == SS_BLOCK_CONE ? 1 : b->dim); k++) {
            z[k] = r[b->start + k];
        }
        if (friction_rows(b) > 0) {
            const double *f = r + b->start + (b->kind == SS_BLOCK_CONE);
            ss_polygon_split(polygon, friction_rows(b), f, z + k);
            bool holds = within_limit(b, z + k, direction_count(b, polygon), r[b->start]);
            z[k + direction_count(b, polygon)] = holds ? 0 : slip_speed(b, polygon, u);
        }
        z += block_size(b, polygon);
    }
}
