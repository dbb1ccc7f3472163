/* SPDX-License-Identifier: Apache-2.0 */
#include "solver/cone_bodies.h"

#include <string.h>

/* ---- nodes and elements --------------------------------------------------------------------- */

/* The blocks that act on each coordinate, ascending. */
typedef struct touching {
    int32_t *start, *block;
} touching;

static bool list_touching(const ss_sweep *s, ss_arena *a, touching *t)
{
    size_t nv = (size_t)s->p->nv, total = s->dof_at[s->p->nblocks];
    t->start = ss_arena_alloc(a, nv + 2, sizeof *t->start);
    t->block = ss_arena_alloc(a, total, sizeof *t->block);
    if (!t->start || !t->block) {
        return false;
    }
    memset(t->start, 0, (nv + 2) * sizeof *t->start);
    for (size_t e = 0; e < total; e++) {
        t->start[s->dof[e] + 2]++;
    }
    for (size_t j = 0; j < nv; j++) {
        t->start[j + 2] += t->start[j + 1];
    }
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        for (size_t e = s->dof_at[k]; e < s->dof_at[k + 1]; e++) {
            t->block[t->start[s->dof[e] + 1]++] = k; /* start[j + 1] ends at its final value */
        }
    }
    return true;
}

static bool same_blocks(const touching *t, int32_t i, int32_t j)
{
    int32_t count = t->start[i + 1] - t->start[i];
    return count == t->start[j + 1] - t->start[j] &&
           memcmp(t->block + t->start[i], t->block + t->start[j],
                  (size_t)count * sizeof *t->block) == 0;
}

/* Coordinates in a row make a node where M couples them or the same blocks act on them. */
static void find_nodes(ss_cone_bodies *w, const touching *t, int32_t *start)
{
    const ss_matrix *M     = &w->s->p->M;
    int32_t          reach = 0, count = 0;
    for (int32_t j = 0; j < M->cols; j++) {
        bool fresh = j == 0 || (j > reach && !same_blocks(t, j - 1, j));
        if (fresh) {
            start[count++] = j;
        }
        w->node[j] = count - 1;
        for (int32_t e = M->colptr[j]; e < M->colptr[j + 1]; e++) {
            reach = M->rowind[e] > reach ? M->rowind[e] : reach;
        }
    }
    start[count]   = M->cols;
    w->shape.nodes = count;
    w->shape.start = start;
}

/* Element k < nodes is the mass of node k; the others are the blocks. */
static void list_elements(ss_cone_bodies *w, int32_t *first, int32_t *member)
{
    const ss_sweep *s  = w->s;
    int32_t         to = 0, element = 0;
    for (int32_t k = 0; k < w->shape.nodes; k++) {
        first[element++] = to;
        member[to++]     = k;
    }
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        first[element++] = to;
        int32_t begin    = to;
        for (size_t e = s->dof_at[k]; e < s->dof_at[k + 1]; e++) {
            int32_t node = w->node[s->dof[e]], i = begin;
            while (i < to && member[i] != node) {
                i++;
            }
            member[i]  = node;
            to         = i < to ? to : to + 1;
            w->slot[e] = i - begin;
        }
    }
    first[element]    = to;
    w->shape.elements = element;
    w->shape.first    = first;
    w->shape.member   = member;
}

static size_t widest_block(const ss_sweep *s, size_t *dofs)
{
    size_t entries = 0;
    *dofs          = 0;
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        size_t d = s->dof_at[k + 1] - s->dof_at[k], e = s->entry_at[k + 1] - s->entry_at[k];
        *dofs   = d > *dofs ? d : *dofs;
        entries = e > entries ? e : entries;
    }
    return entries;
}

ss_fronts_result ss_cone_bodies_prepare(ss_cone_bodies *w, const ss_sweep *s, ss_arena *a)
{
    size_t   nv = (size_t)s->p->nv, nb = (size_t)s->p->nblocks, laws = 0;
    size_t   total = s->dof_at[nb], dofs, entries = widest_block(s, &dofs);
    touching t;
    *w = (ss_cone_bodies){.s = s};
    if (!ss_fronts_available()) {
        return SS_FRONTS_REFUSED; /* other methods are faster than this one in a poor order */
    }
    int32_t *start  = ss_arena_alloc(a, nv + 1, sizeof *start);
    int32_t *first  = ss_arena_alloc(a, nv + nb + 1, sizeof *first);
    int32_t *member = ss_arena_alloc(a, nv + total, sizeof *member);
    w->at           = ss_arena_alloc(a, nb, sizeof *w->at);
    w->node         = ss_arena_alloc(a, nv, sizeof *w->node);
    w->slot         = ss_arena_alloc(a, total, sizeof *w->slot);
    w->left         = ss_arena_alloc(a, entries, sizeof *w->left);
    w->place        = ss_arena_alloc(a, dofs, sizeof *w->place);
    if (!list_touching(s, a, &t) || !start || !first || !member || !w->at || !w->node || !w->slot ||
        !w->left || !w->place) {
        return SS_FRONTS_SCRATCH;
    }
    for (size_t k = 0; k < nb; k++) {
        w->at[k] = laws;
        laws += (size_t)s->p->blocks[k].dim * (size_t)s->p->blocks[k].dim;
    }
    w->G = ss_arena_alloc(a, laws, sizeof *w->G);
    if (w->G == NULL) {
        return SS_FRONTS_SCRATCH;
    }
    find_nodes(w, &t, start);
    list_elements(w, first, member);
    return ss_fronts_plan(&w->fronts, &w->shape, a);
}

/* ---- the matrix ----------------------------------------------------------------------------- */

static void add_masses(ss_cone_bodies *w)
{
    const ss_matrix *M = &w->s->p->M;
    for (int32_t k = 0; k < w->shape.nodes; k++) {
        ss_fronts_target t     = ss_fronts_element(&w->fronts, &w->shape, k);
        int32_t          first = w->shape.start[k];
        for (int32_t j = first; j < w->shape.start[k + 1]; j++) {
            double *to = t.origin + (size_t)(t.place[0] + j - first) * t.stride + t.place[0];
            for (int32_t e = M->colptr[j]; e < M->colptr[j + 1]; e++) {
                to[M->rowind[e] - first] += M->values[e];
            }
        }
    }
}

/* left := H_b G_b, and the places of the block's coordinates in its front. */
static void multiply_left(ss_cone_bodies *w, int32_t k, const ss_fronts_target *t)
{
    const ss_sweep *s     = w->s;
    size_t          count = s->dof_at[k + 1] - s->dof_at[k], m = (size_t)s->p->blocks[k].dim;
    const double   *H = s->H + s->entry_at[k], *G = w->G + w->at[k];
    const int32_t  *dof = s->dof + s->dof_at[k], *slot = w->slot + s->dof_at[k];
    for (size_t i = 0; i < count; i++) {
        w->place[i] = t->place[slot[i]] + dof[i] - w->shape.start[w->node[dof[i]]];
    }
    for (size_t e = 0; e < m; e++) {
        double *left = w->left + e * count;
        memset(left, 0, count * sizeof *left);
        for (size_t c = 0; c < m; c++) {
            double g = G[e * m + c];
            for (size_t i = 0; i < count; i++) {
                left[i] += H[c * count + i] * g;
            }
        }
    }
}

static void add_block(ss_cone_bodies *w, int32_t k)
{
    const ss_sweep  *s     = w->s;
    size_t           count = s->dof_at[k + 1] - s->dof_at[k], m = (size_t)s->p->blocks[k].dim;
    const double    *H = s->H + s->entry_at[k];
    ss_fronts_target t = ss_fronts_element(&w->fronts, &w->shape, w->shape.nodes + k);
    multiply_left(w, k, &t);
    for (size_t j = 0; j < count; j++) {
        double *to = t.origin + (size_t)w->place[j] * t.stride;
        for (size_t i = 0; i < count; i++) {
            double sum = 0;
            for (size_t c = 0; c < m; c++) {
                sum += w->left[c * count + i] * H[c * count + j];
            }
            to[w->place[i]] += sum;
        }
    }
}

bool ss_cone_bodies_factor(ss_cone_bodies *w)
{
    ss_fronts_reset(&w->fronts);
    add_masses(w);
    for (int32_t k = 0; k < w->s->p->nblocks; k++) {
        add_block(w, k);
    }
    return ss_fronts_factor(&w->fronts);
}

double ss_cone_bodies_products(const ss_cone_bodies *w)
{
    double blocks = 0;
    for (int32_t k = 0; k < w->s->p->nblocks; k++) {
        double count = (double)(w->s->dof_at[k + 1] - w->s->dof_at[k]);
        blocks += count * count * w->s->p->blocks[k].dim;
    }
    return blocks + ss_fronts_products(&w->fronts);
}

void ss_cone_bodies_solve(const ss_cone_bodies *w, double *b)
{
    ss_fronts_solve(&w->fronts, b);
}

void ss_cone_bodies_push(const ss_cone_bodies *w, int32_t k, const double *x, double *y)
{
    const ss_sweep *s     = w->s;
    size_t          count = s->dof_at[k + 1] - s->dof_at[k];
    const double   *H     = s->H + s->entry_at[k];
    const int32_t  *dof   = s->dof + s->dof_at[k];
    for (int32_t c = 0; c < s->p->blocks[k].dim; c++, H += count) {
        for (size_t i = 0; i < count; i++) {
            y[dof[i]] += H[i] * x[c];
        }
    }
}

void ss_cone_bodies_pull(const ss_cone_bodies *w, int32_t k, const double *y, double *x)
{
    const ss_sweep *s     = w->s;
    size_t          count = s->dof_at[k + 1] - s->dof_at[k];
    const double   *H     = s->H + s->entry_at[k];
    const int32_t  *dof   = s->dof + s->dof_at[k];
    for (int32_t c = 0; c < s->p->blocks[k].dim; c++, H += count) {
        x[c] = 0;
        for (size_t i = 0; i < count; i++) {
            x[c] += H[i] * y[dof[i]];
        }
    }
}
