/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A closed cone K = sum K_i is pointed exactly if 0 is not in the convex hull C of the bases
 *
 *   B_i = { W_0 + sum_k b_k W_k : |b| <= mu }        (or b in the polygon)
 *
 * which are compact: a point 0 = sum l_i w_i of the hull is a set of forces that cancel, and a
 * direction x with x.w > 0 on every base proves that there is none. Wolfe's algorithm (1976) for
 * the point of C that is nearest to 0 finds one or the other. It asks of a base only for its lowest
 * point in a direction,
 *
 *   min { x.w : w in B_i } = x.W_0 - mu |(x.W_k)|    (polygon: the lowest corner)
 *
 * so balls need no polygon drawn into or around them and both answers are proofs: the forces, whose
 * sum is zero to rounding, or the direction. Undecided is left for cones that are within rounding
 * of the border between the two.
 */
#include "analysis/pointed.h"

#include <math.h>
#include <string.h>

#include "analysis/tolerances.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

enum { ROUNDS_MAX = 400, FRICTION_MAX = 5 };

/* A point of the hull, and where it comes from. */
typedef struct vertex {
    int32_t piece;           /* K->count: the load                    */
    double  b[FRICTION_MAX]; /* friction beside a unit normal force   */
} vertex;

typedef struct corral {
    const ss_cone_sum *K;
    int32_t            count;    /* points, at most n + 1                   */
    double            *S;        /* (n + 2 rows of n) the points            */
    double            *weight;   /* (n + 2) >= 0, they add up to 1          */
    double            *trial;    /* (n + 2)                                 */
    double            *e, *y;    /* (n + 2) each, to refine the trial       */
    double            *factor;   /* ((n + 2)^2)                             */
    double            *x;        /* (n) the nearest point                   */
    double            *lowest;   /* (n) the lowest point of the hull        */
    vertex            *vertices; /* (n + 2)                                 */
    vertex             found;    /* what `lowest` comes from                */
} corral;

size_t ss_cone_pointed_work(int32_t n)
{
    size_t k = (size_t)n + 2;
    return k * (size_t)n + 4 * k + k * k + 2 * (size_t)n + (k * sizeof(vertex)) / sizeof(double) +
           k;
}

static corral lay_out(const ss_cone_sum *K, double *work)
{
    size_t n = (size_t)K->n, k = n + 2;
    corral c   = {.K = K};
    c.S        = work;
    c.weight   = c.S + k * n;
    c.trial    = c.weight + k;
    c.e        = c.trial + k;
    c.y        = c.e + k;
    c.factor   = c.y + k;
    c.x        = c.factor + k * k;
    c.lowest   = c.x + n;
    c.vertices = (vertex *)(c.lowest + n);
    return c;
}

/* The lowest point of mu times the unit ball: against g. */
static double lowest_of_ball(const double *g, int32_t count, double mu, double *b)
{
    double size = ss_vector_norm(count, g);
    for (int32_t k = 0; k < count; k++) {
        b[k] = size > 0 ? -mu * g[k] / size : 0;
    }
    return -mu * size;
}

/* The lowest corner of mu times the polygon; further rows have the corners + and -. */
static double lowest_corner(const double *g, int32_t count, double mu, const ss_polygon *polygon,
                            double *b)
{
    double  lowest = 0;
    int32_t pair   = count >= 2 ? 2 : 0;
    memset(b, 0, FRICTION_MAX * sizeof *b);
    for (int32_t j = 0; pair > 0 && j < polygon->count; j++) {
        double value = mu * ss_vector_dot(2, g, polygon->corner[j]);
        if (value < lowest) {
            lowest = value;
            b[0]   = mu * polygon->corner[j][0];
            b[1]   = mu * polygon->corner[j][1];
        }
    }
    for (int32_t k = pair; k < count; k++) {
        if (-mu * fabs(g[k]) < lowest) {
            memset(b, 0, FRICTION_MAX * sizeof *b);
            lowest = -mu * fabs(g[k]);
            b[k]   = g[k] > 0 ? -mu : mu;
        }
    }
    return lowest;
}

double ss_cone_lowest(const ss_cone_piece *p, int32_t n, const double *x, double *b)
{
    double g[6] = {0};
    for (int32_t k = 0; k < p->dim; k++) {
        g[k] = ss_vector_dot(n, p->W + (ptrdiff_t)k * n, x);
    }
    if (p->dim == 1) {
        return g[0];
    }
    return g[0] + (p->polygon == NULL ? lowest_of_ball(g + 1, p->dim - 1, p->mu, b)
                                      : lowest_corner(g + 1, p->dim - 1, p->mu, p->polygon, b));
}

/* The load with bounded forces against it; writes the point itself. */
double ss_load_lowest(const ss_cone_load *load, int32_t n, const double *x, double *point)
{
    const double *D = load->D;
    memcpy(point, load->L, (size_t)n * sizeof *point);
    for (int32_t i = 0; i < load->count; D += (ptrdiff_t)load->dim[i] * n, i++) {
        double g[6], b[6];
        for (int32_t k = 0; k < load->dim[i]; k++) {
            g[k] = ss_vector_dot(n, D + (ptrdiff_t)k * n, x);
        }
        lowest_of_ball(g, load->dim[i], load->bound[i], b);
        for (int32_t k = 0; k < load->dim[i]; k++) {
            ss_vector_add(n, point, b[k], D + (ptrdiff_t)k * n);
        }
    }
    return ss_vector_dot(n, point, x);
}

/* The lowest point of the hull in the direction x: into c->lowest and c->found. */
static double find_lowest(corral *c)
{
    const ss_cone_sum *K      = c->K;
    double             lowest = INFINITY;
    for (int32_t i = 0; i < K->count; i++) {
        vertex v     = {.piece = i};
        double value = ss_cone_lowest(&K->pieces[i], K->n, c->x, v.b);
        if (value < lowest) {
            lowest   = value;
            c->found = v;
        }
    }
    if (c->found.piece < K->count) {
        const ss_cone_piece *p = &K->pieces[c->found.piece];
        memcpy(c->lowest, p->W, (size_t)K->n * sizeof *c->lowest);
        for (int32_t k = 1; k < p->dim; k++) {
            ss_vector_add(K->n, c->lowest, c->found.b[k - 1], p->W + (ptrdiff_t)k * K->n);
        }
    }
    if (K->load != NULL) {
        double *point = c->S + (ptrdiff_t)(K->n + 1) * K->n; /* a row that no point takes */
        double  value = ss_load_lowest(K->load, K->n, c->x, point);
        if (value < lowest) {
            lowest   = value;
            c->found = (vertex){.piece = K->count};
            memcpy(c->lowest, point, (size_t)K->n * sizeof *point);
        }
    }
    return lowest;
}

/* Takes the lowest point in with no weight. */
static void take_in(corral *c)
{
    memcpy(c->S + (ptrdiff_t)c->count * c->K->n, c->lowest, (size_t)c->K->n * sizeof *c->S);
    c->vertices[c->count] = c->found;
    c->weight[c->count++] = 0;
}

static void drop(corral *c, int32_t i)
{
    int32_t n = c->K->n, last = --c->count;
    memmove(c->S + (ptrdiff_t)i * n, c->S + (ptrdiff_t)last * n, (size_t)n * sizeof *c->S);
    c->weight[i]   = c->weight[last];
    c->vertices[i] = c->vertices[last];
}

/*
 * The normal equations lose half of the digits; what is left of them is made up for: with r = S x
 * of the trial point x, entries of r that differ are taken out, d = v u - G^-1 r, sum of d = 0.
 */
static void refine(corral *c, double sum_u)
{
    int32_t k = c->count, n = c->K->n;
    double  sum_y = 0, *x = c->lowest; /* its point is in the corral by now */
    memset(x, 0, (size_t)n * sizeof *x);
    for (int32_t j = 0; j < k; j++) {
        ss_vector_add(n, x, c->trial[j], c->S + (ptrdiff_t)j * n);
    }
    for (int32_t j = 0; j < k; j++) {
        c->y[j] = ss_vector_dot(n, c->S + (ptrdiff_t)j * n, x);
    }
    ss_dense_cholesky_solve(k, c->factor, k, c->y);
    for (int32_t j = 0; j < k; j++) {
        sum_y += c->y[j];
    }
    for (int32_t j = 0; j < k; j++) {
        c->trial[j] += sum_y / sum_u * c->e[j] - c->y[j];
    }
}

/* Weights of the point of the affine hull that is nearest to 0: G u = e, G = S S' + e e', scaled.
 */
static bool nearest_affine(corral *c)
{
    int32_t k = c->count, n = c->K->n;
    double  sum = 0;
    for (int32_t j = 0; j < k; j++) {
        for (int32_t i = j; i < k; i++) {
            c->factor[i + (ptrdiff_t)j * k] =
                1 + ss_vector_dot(n, c->S + (ptrdiff_t)i * n, c->S + (ptrdiff_t)j * n);
        }
        c->e[j] = 1;
    }
    if (!ss_dense_cholesky(k, c->factor, k)) {
        return false;
    }
    ss_dense_cholesky_solve(k, c->factor, k, c->e);
    for (int32_t j = 0; j < k; j++) {
        sum += c->e[j];
    }
    if (!isfinite(sum) || !(sum > 0)) {
        return false;
    }
    for (int32_t j = 0; j < k; j++) {
        c->trial[j] = c->e[j] / sum;
    }
    refine(c, sum);
    refine(c, sum);
    return true;
}

/* From the weights towards the trial ones until one is zero; false: there was no need to stop. */
static bool stop_at_border(corral *c)
{
    double  share = 1;
    int32_t first = -1;
    for (int32_t j = 0; j < c->count; j++) {
        if (c->trial[j] <= 0) {
            double way = c->weight[j] - c->trial[j], t = way > 0 ? c->weight[j] / way : 0;
            if (first < 0 || t < share) {
                share = t;
                first = j;
            }
        }
    }
    for (int32_t j = 0; j < c->count; j++) {
        c->weight[j] += share * (c->trial[j] - c->weight[j]);
    }
    if (first >= 0) {
        drop(c, first);
    }
    return first >= 0;
}

static void recombine(corral *c)
{
    memset(c->x, 0, (size_t)c->K->n * sizeof *c->x);
    for (int32_t j = 0; j < c->count; j++) {
        ss_vector_add(c->K->n, c->x, c->weight[j], c->S + (ptrdiff_t)j * c->K->n);
    }
}

/* Forces of the points, weighted. */
static void write_forces(const corral *c, double *forces)
{
    memset(forces, 0, (6 * (size_t)c->K->count + 1) * sizeof *forces);
    for (int32_t j = 0; j < c->count; j++) {
        const vertex *v = &c->vertices[j];
        double       *p = forces + 6 * (ptrdiff_t)v->piece;
        p[0] += c->weight[j];
        for (int32_t k = 1; v->piece < c->K->count && k < c->K->pieces[v->piece].dim; k++) {
            p[k] += c->weight[j] * v->b[k - 1];
        }
    }
}

ss_answer ss_cone_pointed(const ss_cone_sum *K, double *work, double *forces, double *direction)
{
    corral c = lay_out(K, work);
    if (K->count == 0 && K->load == NULL) {
        return SS_YES;
    }
    memset(c.x, 0, (size_t)K->n * sizeof *c.x);
    find_lowest(&c);
    take_in(&c);
    c.weight[0] = 1;
    recombine(&c);
    for (int32_t round = 0; round < ROUNDS_MAX; round++) {
        double size = ss_vector_norm(K->n, c.x);
        if (size <= SS_ZERO_SUM) {
            if (forces != NULL) {
                write_forces(&c, forces);
            }
            return SS_NO;
        }
        if (find_lowest(&c) > SS_POINTED_ROUNDING * size) {
            if (direction != NULL) {
                memcpy(direction, c.x, (size_t)K->n * sizeof *direction);
            }
            return SS_YES;
        }
        if (c.count > K->n) {
            return SS_UNDECIDED; /* points in general position hold no more */
        }
        take_in(&c);
        do {
            if (!nearest_affine(&c)) {
                return SS_UNDECIDED;
            }
        } while (stop_at_border(&c));
        recombine(&c);
    }
    return SS_UNDECIDED;
}
