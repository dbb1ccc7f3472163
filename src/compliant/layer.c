/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Springs of a patch that pull each other along (`spread` of a compliance): they stand on one
 * layer, which has the energy of Pasternak's foundation (Pasternak 1954) over the patch of area A,
 *
 *   V = 1/2 int (K/A) (x.x + l^2 grad x.grad x) dA
 *
 * with K of the whole patch and the length l. With x linear over the pieces of the patch between
 * its springs, and the first term taken at these, with their shares s_i of A:
 *
 *   V = 1/2 sum s_i x_i'K x_i + 1/2 sum w_ij (x_i - x_j)'K (x_i - x_j) = 1/2 x'(T (x) K) x
 *
 *   w_ij = l^2/A times n/L for the n pieces of an edge (A = L), half the cotangent of the angle
 *          opposite to the side ij for a triangle; T = S + L is positive definite, B = T^-1
 *
 * and dampers T (x) C. So the law of the whole patch (spring_rows.c), p = A y + r, holds of
 * pressures, and impulses are p = (T (x) 1)(A y + r):
 *
 *   y_i = A^-1 ((B p)_i - r_i)
 *
 * Springs that nothing presses are pulled along by their neighbours: p_i = 0 there, x_i is not. All
 * springs of a layer take the same law. Over the step that is the one with means as long as all of
 * them touch from its start to its end and none slides; else the one of the end, because a surface
 * without mass that nothing touches would ring.
 *
 * Coupling of this kind is what the model of Song, Pang and Kumar (2004) has in a stiffness matrix
 * over all points of a patch.
 */
#include "compliant/layer.h"

#include <string.h>

#include "linalg/dense.h"

void ss_layers_begin(ss_data *d)
{
    d->springs.layer_count = 0;
    d->springs.link_count  = 0;
}

void ss_layer_open(ss_data *d, int32_t first, int32_t count)
{
    ss_springs *x = &d->springs;
    x->open_layer = count > 0;
    if (x->open_layer && x->layer_count < x->layer_capacity) {
        x->layers[x->layer_count] = (ss_layer){first, count, x->link_count, 0, NULL};
    }
    x->layer_count += x->open_layer;
}

static void link_springs(ss_springs *x, int32_t a, int32_t b, double weight)
{
    if (x->link_count < x->link_capacity) {
        x->links[x->link_count] = (ss_link){a, b, weight};
    }
    x->link_count++;
}

void ss_layer_close(ss_data *d)
{
    ss_springs *x = &d->springs;
    if (x->open_layer && x->layer_count <= x->layer_capacity) {
        ss_layer *layer   = &x->layers[x->layer_count - 1];
        layer->link_count = x->link_count - layer->first_link;
    }
}

void ss_layer_of_edge(ss_data *d, int32_t first, int32_t n, double length, double spread)
{
    ss_layer_open(d, first, n + 1);
    for (int32_t i = 0; i < n; i++) {
        link_springs(&d->springs, first + i, first + i + 1,
                     spread * spread * n / (length * length));
    }
    ss_layer_close(d);
}

void ss_layer_triangle(ss_data *d, const int32_t contact[3], const ss_vec3 x[3], double part)
{
    for (int k = 0; k < 3; k++) {
        int     i = (k + 1) % 3, j = (k + 2) % 3;
        ss_vec3 to_i = ss_sub(x[i], x[k]), to_j = ss_sub(x[j], x[k]);
        double  area = ss_norm(ss_cross(to_i, to_j));
        double  cot  = area > 0 ? ss_dot(to_i, to_j) / area : 0;
        link_springs(&d->springs, contact[i], contact[j], 0.5 * part * cot);
    }
}

bool ss_layers_fit(const ss_data *d)
{
    const ss_springs *x = &d->springs;
    return x->layer_count <= x->layer_capacity && x->link_count <= x->link_capacity;
}

int32_t ss_layer_of_contact(const ss_springs *x, int32_t contact, int32_t *cursor)
{
    while (*cursor < x->layer_count &&
           contact >= x->layers[*cursor].first + x->layers[*cursor].count) {
        ++*cursor;
    }
    return *cursor < x->layer_count && contact >= x->layers[*cursor].first ? *cursor : -1;
}

/* T, column by column. */
static void fill_shares(const ss_data *d, const ss_layer *layer, double *T)
{
    const int32_t n = layer->count;
    memset(T, 0, (size_t)n * (size_t)n * sizeof *T);
    for (int32_t i = 0; i < n; i++) {
        T[(ptrdiff_t)i * (n + 1)] = d->contacts.items[layer->first + i].share;
    }
    for (int32_t k = layer->first_link; k < layer->first_link + layer->link_count; k++) {
        const ss_link *link = &d->springs.links[k];
        ptrdiff_t      a = link->a - layer->first, b = link->b - layer->first;
        T[a * (n + 1)] += link->weight;
        T[b * (n + 1)] += link->weight;
        T[a + b * n] -= link->weight;
        T[b + a * n] -= link->weight;
    }
}

ss_status ss_factor_layers(ss_data *d)
{
    for (int32_t i = 0; i < d->springs.layer_count; i++) {
        ss_layer *layer = &d->springs.layers[i];
        size_t    n     = (size_t)layer->count;
        layer->B        = ss_arena_alloc(&d->scratch, n * n, sizeof *layer->B);
        size_t  mark    = ss_arena_mark(&d->scratch);
        double *T       = ss_arena_alloc(&d->scratch, n * n, sizeof *T);
        if (layer->B == NULL || T == NULL) {
            return SS_ERR_SCRATCH;
        }
        fill_shares(d, layer, T);
        if (!ss_dense_cholesky(layer->count, T, layer->count)) {
            return ss_fail(d->ctx, SS_ERR_NUMERICAL,
                           "t = %g: the layer of a patch cannot be factored", d->state.t);
        }
        memset(layer->B, 0, n * n * sizeof *layer->B);
        for (size_t k = 0; k < n; k++) {
            layer->B[k * (n + 1)] = 1;
            ss_dense_cholesky_solve(layer->count, T, layer->count, layer->B + k * n);
        }
        ss_arena_release(&d->scratch, mark);
    }
    return SS_OK;
}

static ss_spring *spring_of(ss_data *d, int32_t contact)
{
    return &d->springs.items[d->rows.blocks[contact].spring - 1];
}

void ss_layers_agree(ss_data *d)
{
    for (int32_t i = 0; i < d->springs.layer_count; i++) {
        const ss_layer *layer = &d->springs.layers[i];
        bool            first = false;
        for (int32_t k = 0; k < layer->count; k++) {
            first = first || spring_of(d, layer->first + k)->first;
        }
        for (int32_t k = 0; k < layer->count; k++) {
            spring_of(d, layer->first + k)->first = first;
        }
    }
}

double ss_layer_own(const ss_data *d, const ss_spring *s)
{
    const ss_layer *layer = &d->springs.layers[s->layer];
    return layer->B[(ptrdiff_t)s->cell * (layer->count + 1)];
}

void ss_layer_pressure(const ss_data *d, const ss_spring *s, double *p)
{
    const ss_layer *layer = &d->springs.layers[s->layer];
    const double   *B     = layer->B + (ptrdiff_t)s->cell * layer->count;
    memset(p, 0, 3 * sizeof *p);
    for (int32_t k = 0; k < layer->count; k++) {
        const double *impulse = d->rows.impulse + d->rows.blocks[layer->first + k].row;
        for (int32_t i = 0; i < s->dim; i++) {
            p[i] += B[k] * s->scale[i] * impulse[i];
        }
    }
}

/* ---- energies ------------------------------------------------------------------------------ */

/* x'K y */
static double form(const double *K, const double *x, const double *y, int32_t dim)
{
    double sum = 0;
    for (int32_t i = 0; i < dim; i++) {
        for (int32_t j = 0; j < dim; j++) {
            sum += x[i] * K[3 * i + j] * y[j];
        }
    }
    return sum;
}

/* Deflections, or differences of two springs': at the start, as the state had them, at the end. */
typedef struct motion {
    double start[3], kept[3], end[3], mean[3], change[3];
} motion;

static motion motion_of(const ss_spring *s)
{
    motion x = {0};
    for (int32_t i = 0; i < s->dim; i++) {
        x.start[i]  = s->start[i];
        x.kept[i]   = i == 0 ? s->normal : s->start[i];
        x.end[i]    = s->end[i];
        x.mean[i]   = 0.5 * (s->start[i] + s->end[i]);
        x.change[i] = s->end[i] - s->start[i];
    }
    return x;
}

static motion between(const motion *x, const motion *y)
{
    motion z;
    for (int32_t i = 0; i < 3; i++) {
        z.start[i]  = x->start[i] - y->start[i];
        z.kept[i]   = x->kept[i] - y->kept[i];
        z.end[i]    = x->end[i] - y->end[i];
        z.mean[i]   = x->mean[i] - y->mean[i];
        z.change[i] = x->change[i] - y->change[i];
    }
    return z;
}

/* What a spring has of 1/2 weight x'K x; `by`: its own change, of which the energy changes. */
static void add_energy(ss_spring *s, const motion *x, const double *by, double weight, double part,
                       double h)
{
    const double *K    = s->law->K;
    double        half = 0.5 * weight * part;
    double        kept = half * form(K, x->kept, x->kept, s->dim);
    s->stored += kept;
    s->energy += half * form(K, x->end, x->end, s->dim);
    s->change +=
        weight * form(K, x->mean, by, s->dim) + half * form(K, x->start, x->start, s->dim) - kept;
    s->damped += weight * form(s->law->C, x->change, by, s->dim) / h;
}

static void add_link(ss_data *d, const ss_link *link, double h)
{
    ss_spring *a = spring_of(d, link->a), *b = spring_of(d, link->b);
    motion     xa = motion_of(a), xb = motion_of(b), x = between(&xa, &xb);
    double     back[3] = {-xb.change[0], -xb.change[1], -xb.change[2]};
    add_energy(a, &x, xa.change, link->weight, 0.5, h);
    add_energy(b, &x, back, link->weight, 0.5, h);
}

void ss_settle_layers(ss_data *d, double h)
{

    for (int32_t i = 0; i < d->springs.layer_count; i++) {
        const ss_layer *layer = &d->springs.layers[i];
        for (int32_t k = layer->first; k < layer->first + layer->count; k++) {
            ss_spring *s = spring_of(d, k);
            motion     x = motion_of(s);
            s->stored = s->energy = s->change = s->damped = 0;
            add_energy(s, &x, x.change, d->contacts.items[k].share, 1, h);
        }
        for (int32_t k = layer->first_link; k < layer->first_link + layer->link_count; k++) {
            add_link(d, &d->springs.links[k], h);
        }
    }
}
