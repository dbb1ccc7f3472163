/* SPDX-License-Identifier: Apache-2.0 */
/*
 * howson: equilibria of bimatrix games, by the method of Lemke and Howson (1964).
 *
 *     w = M z + q,  0 <= z _|_ w >= 0,   M = [0 A; B 0],  A, B > 0,  q < 0        (rows in any
 * order)
 *
 * Such an M is copositive but not "plus": Lemke's method with a covering vector usually ends in a
 * ray, although a solution always exists (Nash). With rows scaled to q = -1 it says
 * A y >= 1, B x >= 1: costs. For payoffs K - A, K - B with a K above all entries the pair of
 * systems
 *
 *     s = 1 - (K - A) y >= 0,     t = 1 - (K - B) x >= 0,      x _|_ s,  y _|_ t
 *
 * has the trivial point x = y = 0, at which every label (an index of z: its x_i or s_i, its y_j or
 * t_j) is there. Dropping label k and exchanging, system by system, the variable whose partner has
 * just become zero, a path of such points ends where label k is found again. Its (x, y), divided by
 * their sums, are the equilibrium strategies; supports I, J give the solution itself as
 * A_IJ y_J = 1, B_JI x_I = 1. In degenerate games a path may not end; then another k is tried.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "solver/delegate.h"
#include "solver/tolerances.h"
#include "stickslip/solver.h"

enum { SIZE_MAX_N = 3000, STARTS_MAX = 20, PIVOTS_PER_ROW = 20 };

/* basic = value + T nonbasic, for one of the two systems; variables are known by their labels. */
typedef struct system {
    int32_t  rows, cols;
    double  *T;        /* (rows x cols) column-major */
    double  *value;    /* (rows)                     */
    int32_t *basic;    /* (rows) labels              */
    int32_t *nonbasic; /* (cols) labels              */
} system;

typedef struct game {
    int32_t  n, n1; /* unknowns; those of the first player            */
    int32_t *place; /* (n) index of the problem of label l            */
    double  *M;     /* (n x n) scaled rows, by label                  */
    double   above; /* K                                              */
    system   one, two;
    double  *scale;   /* (n) 1 / -q                                     */
    int32_t *support; /* (n) labels                                     */
    int32_t *pivots;  /* (n)                                            */
    double  *block;   /* (n x n) of linear systems                      */
    double  *right;   /* (n)                                            */
} game;

static double entry(const game *g, int32_t i, int32_t j)
{
    return g->M[(size_t)j * (size_t)g->n + (size_t)i];
}

/* ---- is it a game? -------------------------------------------------------------------------- */

/* Rows with the same columns as row 0 are one player, the others the other. */
static bool order(game *g, const double *dense)
{
    int32_t first = 0, last = g->n;
    for (int32_t j = 0; j < g->n; j++) {
        bool other                         = dense[(size_t)j * (size_t)g->n] != 0;
        g->place[other ? --last : first++] = j;
    }
    g->n1 = first;
    return g->n1 > 0 && g->n1 < g->n;
}

/* M by label, rows scaled; false: not of the form above. */
static bool scale(game *g, const double *dense, const double *q)
{
    g->above = 0;
    for (int32_t i = 0; i < g->n; i++) {
        int32_t row = g->place[i];
        if (!(q[row] < 0)) {
            return false;
        }
        g->scale[i] = -1 / q[row];
        for (int32_t j = 0; j < g->n; j++) {
            double a     = dense[(size_t)g->place[j] * (size_t)g->n + (size_t)row] * g->scale[i];
            bool   other = (i < g->n1) != (j < g->n1);
            if (other ? !(a > 0 && isfinite(a)) : a != 0) {
                return false;
            }
            g->M[(size_t)j * (size_t)g->n + (size_t)i] = a;
            g->above                                   = fmax(g->above, a);
        }
    }
    g->above *= 1.25;
    return true;
}

/* ---- the path ------------------------------------------------------------------------------- */

static void begin(const game *g, system *s, int32_t row0, int32_t col0)
{
    for (int32_t i = 0; i < s->rows; i++) {
        s->value[i] = 1;
        s->basic[i] = row0 + i;
    }
    for (int32_t j = 0; j < s->cols; j++) {
        s->nonbasic[j] = col0 + j;
        for (int32_t i = 0; i < s->rows; i++) {
            double payoff                                 = g->above - entry(g, row0 + i, col0 + j);
            s->T[(size_t)j * (size_t)s->rows + (size_t)i] = -payoff / g->above;
        }
    }
}

/* The row that first becomes zero when column c grows; the least label of several. -1: none. */
static int32_t blocking(const system *s, int32_t c)
{
    const double *col   = s->T + (size_t)c * (size_t)s->rows;
    int32_t       best  = -1;
    double        least = INFINITY;
    for (int32_t i = 0; i < s->rows; i++) {
        double ratio = col[i] < -SS_GAME_ZERO ? s->value[i] / -col[i] : INFINITY;
        if (ratio < least || (ratio == least && best >= 0 && s->basic[i] < s->basic[best])) {
            least = ratio;
            best  = i;
        }
    }
    return best;
}

static void exchange(system *s, int32_t r, int32_t c)
{
    size_t  rows    = (size_t)s->rows;
    double *pivot   = s->T + (size_t)c * rows;
    double  inverse = 1 / pivot[r];
    double  value   = -s->value[r] * inverse;
    for (int32_t i = 0; i < s->rows; i++) {
        s->value[i] = i == r ? value : s->value[i] + pivot[i] * value;
    }
    for (int32_t j = 0; j < s->cols; j++) {
        double *col = s->T + (size_t)j * rows;
        if (j == c) {
            continue;
        }
        double factor = -col[r] * inverse;
        for (int32_t i = 0; i < s->rows; i++) {
            col[i] += pivot[i] * factor;
        }
        col[r] = factor;
    }
    for (int32_t i = 0; i < s->rows; i++) {
        pivot[i] = i == r ? inverse : pivot[i] * inverse;
    }
    int32_t label  = s->basic[r];
    s->basic[r]    = s->nonbasic[c];
    s->nonbasic[c] = label;
}

/* Bring in the variable with this label; the label that leaves, or -1. */
static int32_t enter(system *s, int32_t label)
{
    int32_t c = 0;
    while (c < s->cols && s->nonbasic[c] != label) {
        c++;
    }
    int32_t r = c < s->cols ? blocking(s, c) : -1;
    if (r < 0) {
        return -1;
    }
    int32_t leaving = s->basic[r];
    exchange(s, r, c);
    return leaving;
}

/* The path from the trivial point without label k; false when it does not end, or time does. */
static bool follow(ss_solver *s, game *g, int32_t k, int32_t *pivots)
{
    begin(g, &g->one, 0, g->n1);
    begin(g, &g->two, g->n1, 0);
    system *next  = k < g->n1 ? &g->two : &g->one;
    int32_t label = k;
    for (int32_t count = 0; count < PIVOTS_PER_ROW * g->n; count++) {
        if (ss_solver_out_of_time_now(s, false)) {
            return false;
        }
        label = enter(next, label);
        ss_solver_worked(s, (double)g->n1 * (g->n - g->n1));
        ++*pivots;
        if (label == k) {
            return true;
        }
        if (label < 0) {
            return false;
        }
        next = next == &g->one ? &g->two : &g->one;
    }
    return false;
}

/* ---- the answer ----------------------------------------------------------------------------- */

/* Labels in [from, to) that are basic in s: what is played. */
static int32_t support_of(const system *s, int32_t from, int32_t to, int32_t *labels)
{
    int32_t count = 0;
    for (int32_t l = from; l < to; l++) {
        for (int32_t i = 0; i < s->rows; i++) {
            if (s->basic[i] == l) {
                labels[count++] = l;
            }
        }
    }
    return count;
}

/* z_J from M_IJ z_J = 1. */
static bool solve_support(game *g, int32_t count, const int32_t *I, const int32_t *J, double *z)
{
    for (int32_t j = 0; j < count; j++) {
        g->right[j] = 1;
        for (int32_t i = 0; i < count; i++) {
            g->block[(size_t)j * (size_t)count + (size_t)i] = entry(g, I[i], J[j]);
        }
    }
    if (!ss_dense_lu(count, g->block, count, g->pivots)) {
        return false;
    }
    ss_dense_lu_solve(count, g->block, count, g->pivots, g->right);
    for (int32_t j = 0; j < count; j++) {
        z[g->place[J[j]]] = g->right[j] > 0 ? g->right[j] : 0;
    }
    return true;
}

static bool answer(game *g, double *z)
{
    int32_t *I = g->support, ni = support_of(&g->two, 0, g->n1, I);
    int32_t *J = I + ni, nj = support_of(&g->one, g->n1, g->n, J);
    memset(z, 0, (size_t)g->n * sizeof *z);
    return ni == nj && ni > 0 && solve_support(g, ni, I, J, z) && solve_support(g, ni, J, I, z);
}

/* ---- the solver ----------------------------------------------------------------------------- */

static size_t place_system(system *s, int32_t rows, int32_t cols, double *at)
{
    *s = (system){.rows = rows, .cols = cols, .T = at, .value = at + (size_t)rows * (size_t)cols};
    return (size_t)rows * (size_t)(cols + 1);
}

/* The parts of a game in one piece of memory; `dense` is scratch at its end. */
static bool allocate(ss_solver *s, game *g, double **dense)
{
    size_t  n     = (size_t)g->n;
    size_t  reals = 4 * n * n + 4 * n, whole = 7 * n;
    double *at = ss_solver_memory(s, reals * sizeof(double) + whole * sizeof(int32_t));
    if (at == NULL) {
        return false;
    }
    int32_t *index = (int32_t *)(at + reals);
    g->M           = at;
    g->block       = at + n * n;
    *dense         = at + 2 * n * n; /* its place is taken by the systems later */
    g->scale       = at + 4 * n * n;
    g->right       = g->scale + n;
    g->place       = index;
    g->support     = index + n;
    g->pivots      = index + 2 * n;
    g->one.basic   = index + 3 * n;
    return true;
}

static void place_systems(game *g, double *at)
{
    int32_t *index = g->one.basic;
    at += place_system(&g->one, g->n1, g->n - g->n1, at);
    place_system(&g->two, g->n - g->n1, g->n1, at);
    g->one.basic    = index;
    g->one.nonbasic = index + g->n;
    g->two.basic    = index + 2 * g->n;
    g->two.nonbasic = index + 3 * g->n;
}

/* A look at little: q < 0 and M_00 = 0. */
static bool may_be_game(const ss_lcp *p)
{
    double corner = 0;
    if (p->n < 2 || p->n > SIZE_MAX_N) {
        return false;
    }
    for (int32_t i = 0; i < p->n; i++) {
        if (!(p->q[i] < 0)) {
            return false;
        }
    }
    if (p->M.dense != NULL) {
        corner = p->M.dense[0];
    } else if (p->M.colptr[1] > p->M.colptr[0] && p->M.rowind[p->M.colptr[0]] == 0) {
        corner = p->M.values[p->M.colptr[0]];
    }
    return corner == 0;
}

static ss_status solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    const ss_lcp *lcp = &p->as.lcp;
    game          g   = {.n = lcp->n};
    double       *dense;
    x->outcome = SS_NOT_APPLICABLE;
    if (!may_be_game(lcp)) {
        return SS_OK;
    }
    if (!allocate(s, &g, &dense)) {
        return ss_fail(ss_solver_context(s), SS_ERR_MEMORY, "howson: no memory");
    }
    ss_matrix_to_dense(&lcp->M, dense, lcp->n);
    if (!order(&g, dense) || !scale(&g, dense, lcp->q)) {
        return SS_OK;
    }
    place_systems(&g, dense);
    x->outcome = SS_LIMIT;
    for (int32_t k = 0; k < g.n && k < STARTS_MAX && !ss_solver_out_of_time(s); k++) {
        if (follow(s, &g, k, &x->iterations) && answer(&g, x->z)) {
            x->outcome = SS_SOLVED;
            return SS_OK;
        }
    }
    memset(x->z, 0, (size_t)g.n * sizeof *x->z);
    return SS_OK;
}

const ss_solver_class ss_solver_howson = {
    .name    = "howson",
    .summary = "equilibria of bimatrix games (Lemke and Howson); LCPs of that form only",
    .accepts = SS_LCP,
    .traits  = SS_TRAIT_EXACT | SS_TRAIT_SPECIAL,
    .solve   = solve,
};
