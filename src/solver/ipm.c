/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipm: a primal-dual interior-point method for contacts with Coulomb friction in global form
 * (cones: Acary, Armand, Nguyen, Shpakovych 2023; scaling: Nesterov and Todd 1997; steps: Mehrotra
 * 1992). It minds neither redundant contacts nor a bad guess, where sweeps crawl and Newton's
 * method cycles between choices of stick and slip.
 *
 * With z = (mu r_n, r_f) and s = (u_n / mu + |u_f|, u_f), Coulomb's law with de Saxce's change of
 * variables says that both lie in the cone {x_0 >= |x_f|} and that z.s = 0. The method keeps both
 * inside and follows z o s = m e, m -> 0:
 *
 *     M v = H r + f,     s = S(u),  u = H'v + q,     z o s = m e
 *
 * S is not linear: its derivative, with |u_f|' = u_f / |u_f|, stands in the Newton step, whose
 * matrix is M + H^ T (1 + e_0 d') H^' with T = W^-2 and W the scaling that makes W^-1 s = W z.
 * It is not symmetric; leaving the derivative out makes the iteration crawl. A few sweeps from z
 * turn "nearly open" and "nearly sticking" into the true ones: it is their residual that counts.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "linalg/matrix.h"
#include "linalg/tolerances.h"
#include "problem/residual.h"
#include "solver/cone_block.h"
#include "solver/cone_bodies.h"
#include "solver/cone_frame.h"
#include "solver/cone_jordan.h"
#include "solver/cone_methods.h"
#include "solver/cone_sweep.h"
#include "solver/delegate.h"
#include "solver/tolerances.h"

/* Steps; short ones (below SHORT), and ones in a row that win nothing, before giving up. */
enum { STEPS = 50, SHORT_MAX = 12, IDLE_MAX = 4 };

/* Sweeps that polish a point; the widest block. */
enum { POLISH = 3, WIDEST = SS_JORDAN_WIDEST, ENTRIES = WIDEST * WIDEST };

static const double SHORT = 0.1, KEEP_OFF = 0.99;

typedef struct run {
    ss_solver     *solver;
    const ss_cone *p;
    ss_sweep       sweep;
    ss_cone_bodies K;
    double        *v, *dv;   /* (nv)                                                      */
    double        *momentum; /* (nv) M v - f - H r                                        */
    double        *z, *s;    /* (n) scaled reactions and velocities, inside their cones   */
    double        *dz, *ds;  /* (n) the step                                              */
    double        *rho;      /* (n) S(u) - s                                              */
    double        *slide;    /* (n) derivative of |u_f|: its direction; 0 in row 0        */
    double        *lambda;   /* (n) W z                                                   */
    double        *g;        /* (n) right side of the scaled complementarity             */
    double        *W, *Wi;   /* (ENTRIES x nblocks) scaling and its inverse, symmetric    */
    double        *r, *best; /* (n) point to measure, best so far                         */
    double        *work;
    double         centre; /* m = mean z.s                                              */
    double         residual;
} run;

/* ---- the problem ---------------------------------------------------------------------------- */

/* Normal rows are divided by mu. */
static double row_scale(const ss_block *b, int32_t c)
{
    return b->kind == SS_BLOCK_CONE && c == 0 ? 1 / b->mu : 1;
}

/* Contacts alone, on bodies with a sparse matrix. */
bool ss_ipm_takes(const ss_cone *p)
{
    if (!ss_fronts_available() || p->nv == 0 || p->M.dense != NULL || p->H.dense != NULL) {
        return false;
    }
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b    = &p->blocks[k];
        bool            cone = b->kind == SS_BLOCK_CONE && b->mu > 0 && b->dim <= WIDEST;
        if (!cone && b->kind != SS_BLOCK_UNILATERAL) {
            return false;
        }
    }
    return true;
}

static ss_fit prepare(run *w, ss_arena *a)
{
    size_t           n = (size_t)w->p->n, nv = (size_t)w->p->nv, nb = (size_t)w->p->nblocks;
    double         **rows[]  = {&w->z,     &w->s,      &w->dz, &w->ds, &w->rho,
                                &w->slide, &w->lambda, &w->g,  &w->r,  &w->best};
    ss_fronts_result planned = ss_cone_bodies_prepare(&w->K, &w->sweep, a);
    bool             fit     = planned != SS_FRONTS_SCRATCH;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *rows[i] = ss_arena_alloc(a, n, sizeof **rows[i]);
        fit      = fit && *rows[i] != NULL;
    }
    w->v        = ss_arena_alloc(a, nv, sizeof *w->v);
    w->dv       = ss_arena_alloc(a, nv, sizeof *w->dv);
    w->momentum = ss_arena_alloc(a, nv, sizeof *w->momentum);
    w->W        = ss_arena_alloc(a, nb * ENTRIES, sizeof *w->W);
    w->Wi       = ss_arena_alloc(a, nb * ENTRIES, sizeof *w->Wi);
    w->work     = ss_arena_alloc(a, ss_residual_cone_work(w->p), sizeof *w->work);
    if (!(fit && w->v && w->dv && w->momentum && w->W && w->Wi && w->work)) {
        return SS_FIT_SCRATCH;
    }
    return planned == SS_FRONTS_REFUSED ? SS_FIT_REFUSED : SS_FIT_READY;
}

/* H_b'x, rows scaled. */
static void block_velocity(const run *w, int32_t k, const double *x, double *u)
{
    ss_cone_bodies_pull(&w->K, k, x, u);
    u[0] *= row_scale(&w->p->blocks[k], 0);
}

/* y += H_b t, rows scaled. */
static void block_push(const run *w, int32_t k, const double *t, double *y)
{
    const ss_block *b = &w->p->blocks[k];
    double          scaled[WIDEST];
    memcpy(scaled, t, (size_t)b->dim * sizeof *t);
    scaled[0] *= row_scale(b, 0);
    ss_cone_bodies_push(&w->K, k, scaled, y);
}

/* S(u) of block k at w->v, and the direction of u_f. */
static void slide_velocity(const run *w, int32_t k, double *S, double *slide)
{
    const ss_block *b = &w->p->blocks[k];
    block_velocity(w, k, w->v, S);
    for (int32_t c = 0; c < b->dim; c++) {
        S[c] += row_scale(b, c) * w->p->q[b->start + c];
    }
    double length = sqrt(ss_jordan_dot(b->dim - 1, S + 1, S + 1));
    slide[0]      = 0;
    for (int32_t c = 1; c < b->dim; c++) {
        slide[c] = length > 0 ? S[c] / length : 0;
    }
    S[0] += length;
}

/* Points inside the cones, near the guess: as far inside as a mean reaction, and what it moves. */
static void start(run *w, const ss_solution *x)
{
    double reactions = 0, velocities = 0, weight = 0;
    ss_sweep_refresh(&w->sweep, x->z);
    memcpy(w->v, w->sweep.velocity, (size_t)w->p->nv * sizeof *w->v);
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        const ss_block *b = &w->p->blocks[k];
        double         *z = w->z + b->start, *s = w->s + b->start;
        slide_velocity(w, k, s, w->slide + b->start);
        memcpy(z, x->z + b->start, (size_t)b->dim * sizeof *z);
        z[0] /= row_scale(b, 0);
        double inside = sqrt(ss_jordan_dot(b->dim - 1, z + 1, z + 1));
        z[0]          = fmax(z[0], inside);
        s[0]          = fmax(s[0], sqrt(ss_jordan_dot(b->dim - 1, s + 1, s + 1)));
        reactions += z[0];
        velocities += s[0];
        weight += w->sweep.weight[k];
    }
    double scale = reactions > 0 ? reactions : velocities / weight * w->p->nblocks;
    scale        = scale > 0 ? SS_IPM_INSIDE * scale / w->p->nblocks : 1;
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        w->z[w->p->blocks[k].start] += scale;
        w->s[w->p->blocks[k].start] += scale * weight / w->p->nblocks;
    }
}

/* Measure the reactions z after some sweeps; the best is kept. */
static void measure(run *w)
{
    for (int32_t k = 0; k < w->p->nblocks; k++) {
        const ss_block *b = &w->p->blocks[k];
        memcpy(w->r + b->start, w->z + b->start, (size_t)b->dim * sizeof *w->r);
        w->r[b->start] *= row_scale(b, 0);
    }
    ss_sweep_refresh(&w->sweep, w->r);
    for (int i = 0; i < POLISH; i++) {
        ss_sweep_run(&w->sweep, w->r, false);
    }
    ss_sweep_refresh(&w->sweep, w->r);
    double residual = ss_residual_cone(w->p, w->r, w->sweep.velocity, w->work);
    if (residual < w->residual) {
        w->residual = residual;
        memcpy(w->best, w->r, (size_t)w->p->n * sizeof *w->best);
    }
}

/* G := T (1 + e_0 d') of block k, for H whose rows are not scaled. */
static void answer_of_block(run *w, int32_t k)
{
    const ss_block *b  = &w->p->blocks[k];
    const double   *Wi = w->Wi + (size_t)k * ENTRIES, *d = w->slide + b->start;
    double         *G = w->K.G + w->K.at[k], first[WIDEST];
    for (int32_t c = 0; c < b->dim; c++) {
        ss_jordan_times(b->dim, Wi, Wi + c * b->dim, G + c * b->dim);
    }
    memcpy(first, G, (size_t)b->dim * sizeof *G);
    for (int32_t c = 0; c < b->dim; c++) {
        for (int32_t i = 0; i < b->dim; i++) {
            double *g = &G[c * b->dim + i];
            *g        = row_scale(b, i) * row_scale(b, c) * (*g + d[c] * first[i]);
        }
    }
}

/* Everything of the Newton step that does not depend on the centring. */
static void linearise(run *w)
{
    const ss_cone *p = w->p;
    w->centre        = ss_jordan_dot(p->n, w->z, w->s) / p->nblocks;
    for (int32_t j = 0; j < p->nv; j++) {
        w->momentum[j] = -p->f[j];
    }
    ss_matrix_mul_add(&p->M, w->v, w->momentum);
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b = &p->blocks[k];
        const double   *z = w->z + b->start, *s = w->s + b->start;
        double         *W = w->W + (size_t)k * ENTRIES, *Wi = w->Wi + (size_t)k * ENTRIES;
        double          minus[WIDEST];
        slide_velocity(w, k, w->rho + b->start, w->slide + b->start);
        for (int32_t c = 0; c < b->dim; c++) {
            w->rho[b->start + c] -= s[c];
            minus[c] = -z[c];
        }
        block_push(w, k, minus, w->momentum);
        ss_jordan_scaling(b->dim, s, z, W, Wi);
        ss_jordan_times(b->dim, W, z, w->lambda + b->start);
        answer_of_block(w, k);
    }
}

/* What the scaled complementarity of block k asks of a step. */
static void aim(run *w, int32_t k, double sigma, bool corrected)
{
    const ss_block *b  = &w->p->blocks[k];
    int32_t         at = b->start;
    ss_jordan_aim(b->dim, w->lambda + at, sigma * w->centre, w->W + (size_t)k * ENTRIES,
                  w->Wi + (size_t)k * ENTRIES, corrected ? w->dz + at : NULL, w->ds + at,
                  w->g + at);
}

/* x := W^-1 (g - W^-1 y) */
static void reaction_step(const run *w, int32_t k, const double *y, double *x)
{
    const ss_block *b  = &w->p->blocks[k];
    const double   *Wi = w->Wi + (size_t)k * ENTRIES;
    double          t[WIDEST];
    ss_jordan_times(b->dim, Wi, y, t);
    for (int32_t c = 0; c < b->dim; c++) {
        t[c] = w->g[b->start + c] - t[c];
    }
    ss_jordan_times(b->dim, Wi, t, x);
}

/* The Newton step; returns how far it can go. */
static double direction(run *w, double sigma, bool corrected)
{
    const ss_cone *p = w->p;
    double         t[WIDEST], furthest = INFINITY;
    for (int32_t j = 0; j < p->nv; j++) {
        w->dv[j] = -w->momentum[j];
    }
    for (int32_t k = 0; k < p->nblocks; k++) {
        aim(w, k, sigma, corrected);
        reaction_step(w, k, w->rho + p->blocks[k].start, t);
        block_push(w, k, t, w->dv);
    }
    ss_cone_bodies_solve(&w->K, w->dv);
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b  = &p->blocks[k];
        double         *ds = w->ds + b->start, *dz = w->dz + b->start;
        block_velocity(w, k, w->dv, ds);
        ds[0] += ss_jordan_dot(b->dim, w->slide + b->start, ds);
        for (int32_t c = 0; c < b->dim; c++) {
            ds[c] += w->rho[b->start + c];
        }
        reaction_step(w, k, ds, dz);
        furthest = fmin(furthest, ss_jordan_reach(b->dim, w->s + b->start, ds));
        furthest = fmin(furthest, ss_jordan_reach(b->dim, w->z + b->start, dz));
    }
    return furthest;
}

/* Mehrotra's centring: little when the predictor comes far. */
static double centring(const run *w, double furthest)
{
    double t = fmin(1, furthest), sum = 0;
    for (int32_t i = 0; i < w->p->n; i++) {
        sum += (w->s[i] + t * w->ds[i]) * (w->z[i] + t * w->dz[i]);
    }
    double ratio = sum / (w->centre * w->p->nblocks);
    return fmin(1, fmax(ratio * ratio * ratio, SS_IPM_LEAST_CENTRING));
}

static double advance(run *w)
{
    double sigma = centring(w, direction(w, 0, false));
    double t     = fmin(1, KEEP_OFF * direction(w, sigma, true));
    for (int32_t j = 0; j < w->p->nv; j++) {
        w->v[j] += t * w->dv[j];
    }
    for (int32_t i = 0; i < w->p->n; i++) {
        w->z[i] += t * w->dz[i];
        w->s[i] += t * w->ds[i];
    }
    return t;
}

static ss_outcome iterate(run *w, int32_t *steps)
{
    double tol   = ss_solver_common(w->solver)->tol;
    int    brief = 0, idle = 0;
    double factors = ss_cone_bodies_products(&w->K), products = factors + 4 * ss_cone_entries(w->p);
    ss_patience patience = ss_solver_patience(w->solver);
    for (*steps = 0; *steps < STEPS; ++*steps) {
        linearise(w);
        ss_solver_worked(w->solver, products);
        if (ss_patience_ends(&patience, factors / SS_SPARSE_RATE) ||
            !ss_cone_bodies_factor(&w->K) || ss_solver_out_of_time(w->solver)) {
            return SS_NUMERICAL;
        }
        double t = advance(w);
        brief += t < SHORT;
        if (!isfinite(t) || brief > SHORT_MAX || idle > IDLE_MAX) {
            return SS_NUMERICAL;
        }
        double before = w->residual;
        measure(w);
        idle = w->residual < before || w->residual > SS_IPM_ROUNDING
                   ? 0
                   : idle + 1; /* rounding, then */
        if (w->residual <= tol) {
            return SS_SOLVED;
        }
    }
    return SS_LIMIT;
}

bool ss_ipm_run(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    run w         = {.solver = s, .p = p, .residual = INFINITY};
    x->outcome    = SS_NOT_APPLICABLE;
    x->iterations = 0;
    if (!ss_ipm_takes(p)) {
        return true;
    }
    ss_sweep_result swept = ss_sweep_prepare(&w.sweep, p, a);
    if (swept != SS_SWEEP_READY) {
        return swept == SS_SWEEP_REFUSED;
    }
    ss_fit fit = prepare(&w, a);
    if (fit != SS_FIT_READY) {
        return fit == SS_FIT_REFUSED;
    }
    start(&w, x);
    x->outcome  = iterate(&w, &x->iterations);
    x->residual = w.residual;
    if (isfinite(w.residual)) {
        memcpy(x->z, w.best, (size_t)p->n * sizeof *x->z);
        ss_sweep_refresh(&w.sweep, x->z);
        memcpy(x->v, w.sweep.velocity, (size_t)p->nv * sizeof *x->v);
    }
    return true;
}

static bool attempt(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    return p->nv > 0 ? ss_ipm_run(s, p, a, x) : ss_ipm_dense_run(s, SS_IPM_INSIDE, p, a, x);
}

static ss_status solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    return ss_cone_frame(s, p, x, attempt);
}

const ss_solver_class ss_solver_ipm = {
    .name       = "ipm",
    .summary    = "interior points for contacts with Coulomb friction",
    .accepts    = SS_CONE,
    .traits     = SS_TRAIT_SPARSE,
    .state_size = sizeof(ss_cone_state),
    .solve      = solve,
    .release    = ss_cone_release,
};
