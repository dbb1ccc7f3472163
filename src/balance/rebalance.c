/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reactions that balance to their last digit: what polish.c does for velocities. A solver leaves
 *
 *   e = f + H r
 *
 * at rounding of the largest terms, but the certificate judges it row by row, and rows in which
 * only small forces act then fail. The change of least length with
 *
 *   (H D)_k.w = -e_k,     r := r + D w
 *
 * is found by Gram-Schmidt, row by row of the balance. The columns of D are the changes that break
 * no law: each reaction, other than zero, of what is held (equalities, normals that carry),
 * friction inside its limit, and along the edge of the cone for contacts at their limit. Friction
 * may be zero before: a normal that leans by rounding pushes along a row in which nothing else
 * acts.
 */
#include <math.h>
#include <string.h>

#include "balance/tolerances.h"
#include "formulate/formulate.h"
#include "linalg/basis.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"
#include "rows/contact_state.h"

/* H as a dense matrix has to fit: islands of some hundred bodies. */
enum { MOST_ENTRIES = 1 << 21 };

/* H D, and how its columns change the reactions: by `part` of all rows, or of one. */
typedef struct changes {
    const ss_cone *p;
    int32_t        nv, count;
    double        *H;     /* (nv x n)                              */
    double        *HD;    /* (nv x count)                          */
    int32_t       *first; /* (count) first row that the change has */
    int32_t       *rows;  /* (count) and how many                  */
    double        *part;  /* (count x 6) of each                   */
    double        *Q, *x, *w, *e;
} changes;

static bool allocate(changes *c, ss_arena *a)
{
    size_t n = (size_t)c->p->n, nv = (size_t)c->nv;
    c->H     = ss_arena_alloc(a, nv * n, sizeof *c->H);
    c->HD    = ss_arena_alloc(a, nv * n, sizeof *c->HD);
    c->Q     = ss_arena_alloc(a, nv * n, sizeof *c->Q);
    c->first = ss_arena_alloc(a, n, sizeof *c->first);
    c->rows  = ss_arena_alloc(a, n, sizeof *c->rows);
    c->part  = ss_arena_alloc(a, 6 * n, sizeof *c->part);
    c->x     = ss_arena_alloc(a, n, sizeof *c->x);
    c->w     = ss_arena_alloc(a, n, sizeof *c->w);
    c->e     = ss_arena_alloc(a, nv, sizeof *c->e);
    return c->H && c->HD && c->Q && c->first && c->rows && c->part && c->x && c->w && c->e;
}

static void add_change(changes *c, int32_t first, int32_t rows, const double *part)
{
    double *to = c->HD + (ptrdiff_t)c->count * c->nv;
    memset(to, 0, (size_t)c->nv * sizeof *to);
    for (int32_t k = 0; k < rows; k++) {
        ss_vector_add(c->nv, to, part[k], c->H + (ptrdiff_t)(first + k) * c->nv);
        c->part[6 * c->count + k] = part[k];
    }
    c->first[c->count] = first;
    c->rows[c->count]  = rows;
    c->count++;
}

/* Each reaction of these rows that is not zero, or each at all. */
static void add_single(changes *c, int32_t first, int32_t rows, const double *r, bool all)
{
    const double one = 1;
    for (int32_t k = first; k < first + rows; k++) {
        if (all || r[k] != 0) {
            add_change(c, k, 1, &one);
        }
    }
}

static void add_block(changes *c, const ss_block *b, const double *r, double sticking)
{
    bool    cone     = b->kind == SS_BLOCK_CONE;
    int32_t first    = b->start + cone;
    double  friction = ss_vector_norm(b->start + b->dim - first, r + first);
    double  limit    = cone ? b->mu * r[b->start] : b->bound;
    if (b->kind == SS_BLOCK_EQUALITY || b->kind == SS_BLOCK_UNILATERAL ||
        friction < sticking * limit) {
        add_single(c, b->start, b->dim, r, cone);
    } else if (cone && r[b->start] > 0) {
        double size = ss_vector_norm(b->dim, r + b->start), part[6];
        for (int32_t k = 0; k < b->dim; k++) {
            part[k] = r[b->start + k] / size;
        }
        add_change(c, b->start, b->dim, part);
    }
}

/* w of least length for the balance as it is. */
static void solve(changes *c)
{
    int32_t rank = 0;
    memset(c->w, 0, (size_t)c->count * sizeof *c->w);
    for (int32_t k = 0; k < c->nv && rank < c->count; k++) {
        for (int32_t j = 0; j < c->count; j++) {
            c->x[j] = c->HD[k + (ptrdiff_t)j * c->nv];
        }
        double size = ss_vector_norm(c->count, c->x);
        if (!(size > 0)) {
            continue;
        }
        for (int32_t j = 0; j < c->count; j++) {
            c->x[j] /= size;
        }
        double left = -c->e[k] / size - ss_vector_dot(c->count, c->x, c->w);
        if (ss_basis_add(c->count, c->Q, &rank, c->x, SS_REBALANCE_DEPENDENT)) {
            const double *q = c->Q + (ptrdiff_t)(rank - 1) * c->count;
            ss_vector_add(c->count, c->w, left / ss_vector_norm(c->count, c->x), q);
        }
    }
}

ss_status ss_rebalance(const ss_model *m, const ss_cone *p, int32_t bodies, ss_arena *a, double *r)
{
    changes c = {.p = p, .nv = p->nv};
    if ((int64_t)p->n * p->nv > MOST_ENTRIES) {
        return SS_OK;
    }
    if (!allocate(&c, a)) {
        return SS_ERR_SCRATCH;
    }
    ss_matrix_to_dense(&p->H, c.H, p->nv);
    for (int32_t j = 0; j < p->n; j++) { /* rates of deflections follow from the reactions */
        for (int32_t k = bodies; k < p->nv; k++) {
            c.H[k + (ptrdiff_t)j * p->nv] = 0;
        }
    }
    for (int32_t i = 0; i < p->nblocks; i++) {
        add_block(&c, &p->blocks[i], r, ss_sticking_part(m));
    }
    for (int turn = 0; turn < 3; turn++) { /* the second and third remove rounding of the first */
        memcpy(c.e, p->f, (size_t)p->nv * sizeof *c.e);
        ss_matrix_mul_add(&p->H, r, c.e);
        solve(&c);
        for (int32_t j = 0; j < c.count; j++) {
            ss_vector_add(c.rows[j], r + c.first[j], c.w[j], c.part + (ptrdiff_t)6 * j);
        }
    }
    return SS_OK;
}
