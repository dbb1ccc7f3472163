/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interior points for small dense problems in local form, all laws: the method of ipm.c, in the
 * reactions.
 *
 * Joints at rest with redundant contacts have two scales. Reactions of the size that forces ask for
 * balance them in many ways; which of them it is, velocities decide that are 1e-10 of what forces
 * would make in the step (rows that cannot all be held at zero, because of rounding in gaps).
 * Sweeps and proximal steps then crawl with a rate of 1 - 1e-10, and Newton's method guesses sets
 * without end. Interior points see the product of both scales only.
 *
 *   cone         z = (mu r_n, r_f),  s = (u_n / mu + |u_f|, u_f)
 *   unilateral   z = r,              s = u
 *   disk         z = (bound, r),     s = (t, u)       t: one more unknown, |u| in the end
 *   equality     u = 0
 *
 * with z, s in {x_0 >= |x_f|} and z o s = m e, m -> 0. In scaled reactions y = r / D, u = W y + q,
 * a step solves, block by block with the scaling X of Nesterov and Todd (X^-1 s = X z)
 *
 *   X^2 dz + ds = X g,    ds = (1 + e_0 d') W dy + S(u) - s,    d = u_f / |u_f| for cones,
 *
 * that is (X^2 + (1 + e_0 d') W) dy = X g - S(u) + s: one dense system with a term on the diagonal
 * blocks. A disk has dz_0 = 0: the first row of its X^2 says what t does, and the others remain.
 * Friction rows with mu = 0 and disks without bound carry nothing.
 */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "problem/residual.h"
#include "solver/cone_frame.h"
#include "solver/cone_jordan.h"
#include "solver/cone_methods.h"
#include "solver/tolerances.h"

/* Steps; short ones (below SHORT), and ones in a row that win nothing, before giving up. */
enum { STEPS = 60, SHORT_MAX = 12, IDLE_MAX = 4 };

/* Rows beyond which a factorisation costs more than the other methods' steps. */
enum { MOST_ROWS = 300 };

enum { WIDEST = SS_JORDAN_WIDEST, ENTRIES = WIDEST * WIDEST };

/* Short steps; how far inside disks the first point lies; how near to the boundary steps come. */
static const double SHORT = 0.1, INSIDE_DISK = 0.9, KEEP_OFF = 0.99;

typedef struct run {
    ss_solver     *solver;
    const ss_cone *p;
    ss_matrix      W;           /* D W D                                                     */
    double        *A;           /* (n x n) of a step, then its factors                       */
    int32_t       *pivot;       /* (n)                                                       */
    double        *D, *q;       /* (n) r = D y                                               */
    double        *y, *u;       /* (n)                                                       */
    double        *dy, *du;     /* (n)                                                       */
    int32_t       *at, *width;  /* (nblocks) where z and s of a block are, and how many rows */
    double        *z, *s;       /* (n + nblocks)                                             */
    double        *dz, *ds;     /* the step                                                  */
    double        *rho, *slide; /* S(u) - s; the direction of u_f                            */
    double        *lambda, *g;  /* X z; X g                                                  */
    double        *X, *Xi;      /* (ENTRIES x nblocks)                                       */
    double        *r, *best;    /* (n) point to measure, best so far                         */
    double        *work;
    double         centre; /* m = mean z.s                                              */
    double         residual;
} run;

/* ---- the problem ---------------------------------------------------------------------------- */

/* Rows of z and s of a block. */
static int32_t width_of(const ss_block *b)
{
    switch (b->kind) {
    case SS_BLOCK_CONE:
        return b->mu > 0 ? b->dim : 1;
    case SS_BLOCK_DISK:
        return b->bound > 0 ? b->dim + 1 : 0;
    case SS_BLOCK_UNILATERAL:
        return 1;
    case SS_BLOCK_EQUALITY:
        break;
    }
    return 0;
}

/* The row of the problem that row 0 of z stands for: of disks, the one before the first. */
static int32_t first_row(const ss_block *b)
{
    return b->kind == SS_BLOCK_DISK ? b->start - 1 : b->start;
}

static int32_t first_free(const ss_block *b)
{
    return b->kind == SS_BLOCK_DISK ? 1 : 0;
}

bool ss_ipm_dense_takes(const ss_cone *p)
{
    if (p->nv > 0 || p->W.dense == NULL || p->axes != NULL || p->n > MOST_ROWS) {
        return false;
    }
    int32_t cones = 0;
    for (int32_t k = 0; k < p->nblocks; k++) {
        cones += width_of(&p->blocks[k]) > 0;
        if (width_of(&p->blocks[k]) > WIDEST) {
            return false;
        }
    }
    return cones > 0;
}

static bool make_rows(ss_arena *a, size_t count, double ***rows, size_t length)
{
    bool fit = true;
    for (size_t i = 0; i < count; i++) {
        *rows[i] = ss_arena_alloc(a, length, sizeof **rows[i]);
        fit      = fit && *rows[i] != NULL;
    }
    return fit;
}

static bool prepare(run *w, ss_arena *a)
{
    size_t   n = (size_t)w->p->n, nb = (size_t)w->p->nblocks;
    double **of_rows[]   = {&w->D, &w->q, &w->y, &w->u, &w->dy, &w->du, &w->r, &w->best};
    double **of_cones[]  = {&w->z, &w->s, &w->dz, &w->ds, &w->rho, &w->slide, &w->lambda, &w->g};
    double **of_blocks[] = {&w->X, &w->Xi};
    double  *W           = ss_arena_alloc(a, n * n, sizeof *W);
    w->A                 = ss_arena_alloc(a, n * n, sizeof *w->A);
    w->pivot             = ss_arena_alloc(a, n, sizeof *w->pivot);
    w->at                = ss_arena_alloc(a, nb, sizeof *w->at);
    w->width             = ss_arena_alloc(a, nb, sizeof *w->width);
    w->work              = ss_arena_alloc(a, ss_residual_cone_work(w->p), sizeof *w->work);
    bool fit             = make_rows(a, sizeof of_rows / sizeof *of_rows, of_rows, n) &&
               make_rows(a, sizeof of_cones / sizeof *of_cones, of_cones, n + nb) &&
               make_rows(a, 2, of_blocks, nb * ENTRIES);
    w->W = (ss_matrix){.rows = w->p->n, .cols = w->p->n, .dense = W, .ld = w->p->n};
    return fit && W && w->A && w->pivot && w->at && w->width && w->work;
}

/* D: blocks with a diagonal of 1, and normal rows over mu. */
static void scale_rows(run *w)
{
    const ss_cone *p  = w->p;
    int32_t        to = 0;
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b    = &p->blocks[k];
        double          most = 0;
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            most = fmax(most, p->W.dense[(size_t)i * (size_t)(p->W.ld + 1)]);
        }
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            w->D[i] = most > 0 ? 1 / sqrt(most) : 1;
        }
        if (b->kind == SS_BLOCK_CONE && b->mu > 0) {
            w->D[b->start] /= b->mu;
        }
        w->at[k]    = to;
        w->width[k] = width_of(b);
        to += w->width[k];
    }
    double *W = (double *)w->W.dense;
    for (int32_t j = 0; j < p->n; j++) {
        w->q[j] = w->D[j] * p->q[j];
        for (int32_t i = 0; i < p->n; i++) {
            W[(size_t)j * (size_t)p->n + (size_t)i] =
                p->W.dense[(size_t)j * (size_t)p->W.ld + (size_t)i] * w->D[i] * w->D[j];
        }
    }
}

static double length_of(int32_t m, const double *x)
{
    return sqrt(ss_jordan_dot(m, x, x));
}

static void find_velocities(run *w)
{
    memcpy(w->u, w->q, (size_t)w->p->n * sizeof *w->u);
    ss_matrix_mul_add(&w->W, w->y, w->u);
}

/* ---- the first point ------------------------------------------------------------------------ */

/* A typical reaction, scaled: of the guess, or what the data ask for. */
static double typical(const run *w)
{
    double  sum   = 0;
    int32_t count = 0;
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        const ss_block *b = &w->p->blocks[k];
        if (b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL) {
            sum += fabs(w->y[b->start]);
            count++;
        }
    }
    double asked = length_of(w->p->n, w->q) / sqrt((double)w->p->n);
    return count > 0 && sum > 0 ? sum / count : asked > 0 ? asked : 1;
}

/* z of block k near y, inside by `by`. */
static void start_reaction(run *w, int32_t k, double by)
{
    const ss_block *b = &w->p->blocks[k];
    int32_t         m = w->width[k], first = first_row(b);
    double         *z = w->z + w->at[k];
    for (int32_t c = first_free(b); c < m; c++) {
        z[c] = w->y[first + c];
    }
    double length = length_of(m - 1, z + 1);
    if (b->kind != SS_BLOCK_DISK) {
        z[0] = fmax(z[0], length) + by;
    } else {
        z[0]         = b->bound / w->D[b->start];
        double allow = length > INSIDE_DISK * z[0] ? INSIDE_DISK * z[0] / length : 1;
        for (int32_t c = 1; c < m; c++) {
            z[c] *= allow;
        }
    }
}

/* y of z; rows that carry nothing. */
static void take_reactions(run *w)
{
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        const ss_block *b = &w->p->blocks[k];
        if (b->kind == SS_BLOCK_EQUALITY) {
            continue;
        }
        memset(w->y + b->start, 0, (size_t)b->dim * sizeof *w->y);
        for (int32_t c = first_free(b); c < w->width[k]; c++) {
            w->y[first_row(b) + c] = w->z[w->at[k] + c];
        }
    }
}

/* S(u) of block k (of disks: of the rows of u), and the direction of u_f. */
static void slide_velocity(const run *w, int32_t k, double *S, double *slide)
{
    const ss_block *b = &w->p->blocks[k];
    int32_t         m = w->width[k], first = first_row(b);
    for (int32_t c = first_free(b); c < m; c++) {
        S[c]     = w->u[first + c];
        slide[c] = 0;
    }
    double length = length_of(m - 1, S + 1);
    if (b->kind == SS_BLOCK_DISK) {
        S[0] = length;
        return;
    }
    for (int32_t c = 1; c < m; c++) {
        slide[c] = length > 0 ? S[c] / length : 0;
    }
    S[0] += length;
}

static void start(run *w, double inside, const ss_solution *x)
{
    for (int32_t i = 0; i < w->p->n; i++) {
        w->y[i] = x->z[i] / w->D[i];
    }
    double by = inside * typical(w);
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        if (w->width[k] > 0) {
            start_reaction(w, k, by);
        }
    }
    take_reactions(w);
    find_velocities(w);
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        if (w->width[k] > 0) {
            double *s = w->s + w->at[k];
            slide_velocity(w, k, s, w->slide + w->at[k]);
            s[0] = fmax(s[0], length_of(w->width[k] - 1, s + 1)) + by;
        }
    }
}

/* ---- a step --------------------------------------------------------------------------------- */

static double *entry(const run *w, int32_t i, int32_t j)
{
    return &w->A[(size_t)j * (size_t)w->p->n + (size_t)i];
}

/* Row i of the system: y_i stays. */
static void freeze_row(run *w, int32_t i)
{
    for (int32_t j = 0; j < w->p->n; j++) {
        *entry(w, i, j) = i == j;
    }
}

/* (1 + e_0 d') W of block k, and X^2 on its diagonal. */
static void fill_block(run *w, int32_t k)
{
    const ss_block *b = &w->p->blocks[k];
    int32_t         m = w->width[k], first = first_row(b), from = first_free(b);
    const double   *X = w->X + (size_t)k * ENTRIES, *d = w->slide + w->at[k];
    double          square[ENTRIES] = {0};
    for (int32_t i = b->start; b->kind != SS_BLOCK_EQUALITY && i < b->start + b->dim; i++) {
        if (i - first >= m) {
            freeze_row(w, i);
        }
    }
    for (int32_t j = 0; from == 0 && m > 1 && j < w->p->n; j++) {
        for (int32_t c = 1; c < m; c++) {
            *entry(w, first, j) += d[c] * *entry(w, first + c, j);
        }
    }
    for (int32_t c = 0; c < m; c++) {
        ss_jordan_times(m, X, X + c * m, square + c * m);
    }
    for (int32_t c = from; c < m; c++) {
        for (int32_t i = from; i < m; i++) {
            *entry(w, first + i, first + c) += square[c * m + i];
        }
    }
}

/* Everything of a step that does not depend on the centring. False: it has come to an end. */
static bool linearise(run *w)
{
    const ss_cone *p     = w->p;
    int32_t        cones = 0;
    w->centre            = 0;
    find_velocities(w);
    memcpy(w->A, w->W.dense, (size_t)p->n * (size_t)p->n * sizeof *w->A);
    for (int32_t k = 0; k < p->nblocks; k++) {
        int32_t m = w->width[k], at = w->at[k];
        if (m > 0) {
            slide_velocity(w, k, w->rho + at, w->slide + at);
            for (int32_t c = 0; c < m; c++) {
                w->rho[at + c] -= w->s[at + c];
            }
            ss_jordan_scaling(m, w->s + at, w->z + at, w->X + (size_t)k * ENTRIES,
                              w->Xi + (size_t)k * ENTRIES);
            ss_jordan_times(m, w->X + (size_t)k * ENTRIES, w->z + at, w->lambda + at);
            w->centre += ss_jordan_dot(m, w->z + at, w->s + at);
            cones++;
        }
        fill_block(w, k);
    }
    w->centre /= cones;
    return isfinite(w->centre) && ss_dense_lu(p->n, w->A, p->n, w->pivot);
}

static void fill_right_side(run *w, double sigma, bool corrected)
{
    const ss_cone *p = w->p;
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b = &p->blocks[k];
        int32_t         m = w->width[k], at = w->at[k];
        const double   *X = w->X + (size_t)k * ENTRIES, *Xi = w->Xi + (size_t)k * ENTRIES;
        double          g[WIDEST];
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            w->dy[i] = b->kind == SS_BLOCK_EQUALITY ? -w->u[i] : 0;
        }
        if (m > 0) {
            ss_jordan_aim(m, w->lambda + at, sigma * w->centre, X, Xi,
                          corrected ? w->dz + at : NULL, w->ds + at, g);
            ss_jordan_times(m, X, g, w->g + at);
        }
        for (int32_t c = first_free(b); c < m; c++) {
            w->dy[first_row(b) + c] = w->g[at + c] - w->rho[at + c];
        }
    }
}

/* dz and ds of block k, from dy and du. */
static void step_of_block(run *w, int32_t k)
{
    const ss_block *b = &w->p->blocks[k];
    int32_t         m = w->width[k], at = w->at[k];
    const double   *X  = w->X + (size_t)k * ENTRIES;
    double         *dz = w->dz + at, *ds = w->ds + at, x[WIDEST], y[WIDEST];
    for (int32_t c = first_free(b); c < m; c++) {
        dz[c] = w->dy[first_row(b) + c];
        ds[c] = w->du[first_row(b) + c];
    }
    if (b->kind == SS_BLOCK_DISK) {
        dz[0] = 0;
        ss_jordan_times(m, X, dz, x);
        ss_jordan_times(m, X, x, y);
        ds[0] = w->g[at] - y[0];
    } else {
        ds[0] += ss_jordan_dot(m - 1, w->slide + at + 1, ds + 1);
    }
    for (int32_t c = first_free(b); c < m; c++) {
        ds[c] += w->rho[at + c];
    }
}

/* The step; returns how far it can go. */
static double direction(run *w, double sigma, bool corrected)
{
    const ss_cone *p        = w->p;
    double         furthest = INFINITY;
    fill_right_side(w, sigma, corrected);
    ss_dense_lu_solve(p->n, w->A, p->n, w->pivot, w->dy);
    memset(w->du, 0, (size_t)p->n * sizeof *w->du);
    ss_matrix_mul_add(&w->W, w->dy, w->du);
    for (int32_t k = 0; k < p->nblocks; k++) {
        int32_t m = w->width[k], at = w->at[k];
        if (m > 0) {
            step_of_block(w, k);
            furthest = fmin(furthest, ss_jordan_reach(m, w->s + at, w->ds + at));
            furthest = fmin(furthest, ss_jordan_reach(m, w->z + at, w->dz + at));
        }
    }
    return furthest;
}

/* Mehrotra's centring: little when the predictor comes far. */
static double centring(const run *w, double furthest)
{
    double  t = fmin(1, furthest), sum = 0;
    int32_t cones = 0;
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        for (int32_t i = w->at[k]; i < w->at[k] + w->width[k]; i++) {
            sum += (w->s[i] + t * w->ds[i]) * (w->z[i] + t * w->dz[i]);
        }
        cones += w->width[k] > 0;
    }
    double ratio = sum / (w->centre * cones);
    return fmin(1, fmax(ratio * ratio * ratio, SS_IPM_LEAST_CENTRING));
}

static double advance(run *w)
{
    double sigma = centring(w, direction(w, 0, false));
    double t     = fmin(1, KEEP_OFF * direction(w, sigma, true));
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        const ss_block *b = &w->p->blocks[k];
        for (int32_t i = w->at[k]; i < w->at[k] + w->width[k]; i++) {
            w->z[i] += t * w->dz[i];
            w->s[i] += t * w->ds[i];
        }
        for (int32_t i = b->start; b->kind == SS_BLOCK_EQUALITY && i < b->start + b->dim; i++) {
            w->y[i] += t * w->dy[i];
        }
    }
    take_reactions(w);
    return t;
}

/* True: better than all before. */
static bool measure(run *w)
{
    for (int32_t i = 0; i < w->p->n; i++) {
        w->r[i] = w->D[i] * w->y[i];
    }
    double residual = ss_residual_cone(w->p, w->r, NULL, w->work);
    if (!(residual < w->residual)) {
        return false;
    }
    w->residual = residual;
    memcpy(w->best, w->r, (size_t)w->p->n * sizeof *w->best);
    return true;
}

static ss_outcome iterate(run *w, int32_t *steps)
{
    double tol   = ss_solver_common(w->solver)->tol;
    int    brief = 0, idle = 0;
    for (*steps = 0; *steps < STEPS && linearise(w); ++*steps) {
        double t = advance(w);
        ss_solver_worked(w->solver, ss_dense_lu_products(w->p->n) + 5 * ss_cone_entries(w->p));
        brief += t < SHORT;
        idle = measure(w) || w->residual > SS_IPM_ROUNDING ? 0 : idle + 1; /* rounding, then */
        if (w->residual <= tol) {
            return SS_SOLVED;
        }
        if (!isfinite(t) || brief > SHORT_MAX || idle > IDLE_MAX ||
            ss_solver_out_of_time(w->solver)) {
            break;
        }
    }
    return *steps < STEPS ? SS_NUMERICAL : SS_LIMIT;
}

bool ss_ipm_dense_run(ss_solver *s, double inside, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    run w         = {.solver = s, .p = p, .residual = INFINITY};
    x->outcome    = SS_NOT_APPLICABLE;
    x->iterations = 0;
    if (!ss_ipm_dense_takes(p)) {
        return true;
    }
    if (!prepare(&w, a)) {
        return false;
    }
    scale_rows(&w);
    start(&w, inside, x);
    x->outcome  = iterate(&w, &x->iterations);
    x->residual = w.residual;
    if (isfinite(w.residual)) {
        memcpy(x->z, w.best, (size_t)p->n * sizeof *x->z);
    }
    return true;
}
