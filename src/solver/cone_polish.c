/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last digits of a cone problem whose answer is nearly found. Where reactions are 1e4 to 1e8
 * times what they leave of a light body, the rounding of u = W r + q is larger than the u that
 * tells sticking from slipping, and methods that sum it up in doubles stop at 1e-11 or walk in
 * circles. Here u is summed up in twice the working precision (core/twofold.h), and only the
 * equations of the active set are solved, by Newton's method with the direction of slip unknown:
 *
 *   open   r = 0                        equality  u = 0
 *   stick  u = 0                        disk      as friction, with the bound in the place of mu
 * r_n slip   u_n = 0,  r_f = mu r_n y / |y|,  y = r_f - u_f
 *
 * in r' = r sqrt(w), u' = u / sqrt(w), w the largest W_ii of the block. Each factorisation serves
 * several steps (iterative refinement: what is left of F is what counts, J needs only to be near).
 * alpha on the diagonal keeps redundant rows harmless; where they are consistent it moves no
 * answer. Global problems are polished in their local form. The certificate says what was won.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "problem/reduce.h"
#include "problem/residual.h"
#include "solver/cone_methods.h"
#include "solver/friction_law.h"
#include "solver/tolerances.h"

/* Beyond ROWS_MOST rows a factorisation costs more than the digits are worth. */
enum { ROWS_MOST = 300, DOFS_MOST = 600, ROUNDS = 12, FACTORS = 2, REFINEMENTS = 8, IDLE_MOST = 3 };

typedef struct polish {
    const ss_cone *p; /* local, dense                                    */
    int32_t        n;
    double        *unit;     /* (n) sqrt(w)                                     */
    double        *r, *u;    /* (n) scaled                                      */
    double        *plain;    /* (n) r as p has it                               */
    double        *hi, *lo;  /* (n) u as p has it, twofold                      */
    double        *F, *z;    /* (n) laws, and directions of slip                */
    double        *g;        /* (n) L / |y| of rows that slip                   */
    unsigned char *mode;     /* (n) of each row                                 */
    double        *J, *step; /* (n x n), (n)                                    */
    int32_t       *pivot;    /* (n)                                             */
    double         alpha;
} polish;

/* What a row is told to be while a set is solved for. */
enum { OPEN, STICK, SLIP };

/* ---- laws ------------------------------------------------------------------------------------ */

static void find_units(polish *s)
{
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        const ss_block *b    = &s->p->blocks[k];
        size_t          ld   = (size_t)s->p->W.ld;
        double          most = ss_block_size(b, s->p->W.dense + (size_t)b->start * (ld + 1), ld);
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            s->unit[i] = most > 0 ? sqrt(most) : 1;
        }
    }
}

static bool is_unilateral(const ss_block *b)
{
    return b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL;
}

/* Rows of friction: their first, how many, and their limit. */
typedef struct friction {
    int32_t first, m;
    double  L;
} friction;

static friction friction_of(const polish *s, const ss_block *b)
{
    switch (b->kind) {
    case SS_BLOCK_CONE:
        return (friction){b->start + 1, b->dim - 1, b->mu * fmax(s->r[b->start], 0)};
    case SS_BLOCK_DISK:
        return (friction){b->start, b->dim, b->bound * s->unit[b->start]};
    case SS_BLOCK_EQUALITY:
    case SS_BLOCK_UNILATERAL:
        break;
    }
    return (friction){b->start, 0, 0};
}

/* The law of a row that does not slip. */
static void hold(polish *s, int32_t i)
{
    s->F[i] = s->mode[i] == OPEN ? s->r[i] : s->u[i];
}

/* F_f = r_f - L y / |y| of rows that slip. */
static void slip(polish *s, const friction *f)
{
    double length = 0;
    for (int32_t i = f->first; i < f->first + f->m; i++) {
        s->z[i] = s->r[i] - s->u[i];
        length += s->z[i] * s->z[i];
    }
    length = length > 0 ? sqrt(length) : 1;
    for (int32_t i = f->first; i < f->first + f->m; i++) {
        s->z[i] /= length;
        s->g[i] = f->L / length;
        s->F[i] = s->r[i] - f->L * s->z[i];
    }
}

/* Which rows are open, stick or slip at r and u. */
static void choose(polish *s, const ss_block *b)
{
    bool              opens = is_unilateral(b) && s->r[b->start] - s->u[b->start] <= 0;
    friction          f     = friction_of(s, b);
    ss_friction_point point = ss_friction_law(f.m, 1, f.L, s->r + f.first, s->u + f.first,
                                              s->z + f.first, s->F + f.first);
    memset(s->mode + b->start, opens ? OPEN : STICK, (size_t)b->dim);
    if (!opens && !point.sticks) {
        memset(s->mode + f.first, SLIP, (size_t)f.m);
    }
}

static void find_velocities(polish *s)
{
    for (int32_t i = 0; i < s->n; i++) {
        s->plain[i] = s->r[i] / s->unit[i];
        s->hi[i]    = s->p->q[i];
        s->lo[i]    = 0;
    }
    ss_matrix_mul_add_twofold(&s->p->W, s->plain, s->hi, s->lo);
    for (int32_t i = 0; i < s->n; i++) {
        s->u[i] = (s->hi[i] + s->lo[i]) / s->unit[i];
    }
}

/* F of the set at r; gives |F|. */
static double evaluate(polish *s)
{
    double sum = 0;
    find_velocities(s);
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        const ss_block *b = &s->p->blocks[k];
        friction        f = friction_of(s, b);
        for (int32_t i = b->start; i < b->start + b->dim; i++) {
            hold(s, i);
        }
        if (f.m > 0 && s->mode[f.first] == SLIP) {
            slip(s, &f);
        }
    }
    for (int32_t i = 0; i < s->n; i++) {
        sum += s->F[i] * s->F[i];
    }
    return sqrt(sum);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Row i of W, scaled, times x is added to row `to` of J. */
static void add_row(polish *s, int32_t to, int32_t i, double x)
{
    for (int32_t j = 0; j < s->n; j++) {
        s->J[to + (ptrdiff_t)j * s->n] +=
            x * s->p->W.dense[i + (ptrdiff_t)j * s->p->W.ld] / (s->unit[i] * s->unit[j]);
    }
}

/* dF = dr_f - mu z dr_n - g (I - z z')(dr_f - du_f), row by row. Disks: mu is 0. */
static void add_slip(polish *s, int32_t first, int32_t m, double mu, int32_t normal)
{
    for (int32_t i = first; i < first + m; i++) {
        for (int32_t k = first; k < first + m; k++) {
            double across = s->g[i] * ((i == k) - s->z[i] * s->z[k]);
            s->J[i + (ptrdiff_t)k * s->n] += (i == k) - across;
            add_row(s, i, k, across);
        }
        s->J[i + (ptrdiff_t)normal * s->n] -= mu * s->z[i];
    }
}

static void add_law(polish *s, const ss_block *b)
{
    friction f = friction_of(s, b);
    for (int32_t i = b->start; i < b->start + b->dim; i++) {
        if (s->mode[i] == OPEN) {
            s->J[i + (ptrdiff_t)i * s->n] += 1;
        } else if (s->mode[i] == STICK) {
            add_row(s, i, i, 1);
        }
    }
    if (f.m > 0 && s->mode[f.first] == SLIP) {
        add_slip(s, f.first, f.m, b->kind == SS_BLOCK_CONE ? b->mu : 0, b->start);
    }
}

static bool factor(polish *s)
{
    for (int take = 0; take < 2; take++) {
        memset(s->J, 0, (size_t)s->n * (size_t)s->n * sizeof *s->J);
        for (int32_t k = 0; k < s->p->nblocks; k++) {
            add_law(s, &s->p->blocks[k]);
        }
        for (int32_t i = 0; i < s->n; i++) {
            s->J[i + (ptrdiff_t)i * s->n] += s->alpha;
        }
        if (ss_dense_lu(s->n, s->J, s->n, s->pivot)) {
            return true;
        }
        s->alpha *= 100;
    }
    return false;
}

/* Steps with one factorisation, while each of them halves |F|. False: there are no factors. */
static bool refine(polish *s)
{
    double size = evaluate(s);
    if (!factor(s)) {
        return false;
    }
    for (int k = 0; k < REFINEMENTS; k++) {
        double before = size;
        memcpy(s->step, s->F, (size_t)s->n * sizeof *s->step);
        ss_dense_lu_solve(s->n, s->J, s->n, s->pivot, s->step);
        for (int32_t i = 0; i < s->n; i++) {
            s->r[i] -= s->step[i];
        }
        size = evaluate(s);
        if (!(size < 0.5 * before)) {
            break;
        }
    }
    return isfinite(size);
}

/* Solve for the set that r and u tell: directions of slip change the factors a little. */
static bool solve_set(polish *s)
{
    find_velocities(s);
    for (int32_t k = 0; k < s->p->nblocks; k++) {
        choose(s, &s->p->blocks[k]);
    }
    for (int k = 0; k < FACTORS; k++) {
        if (!refine(s)) {
            return false;
        }
    }
    return true;
}

/* ---- the method ------------------------------------------------------------------------------ */

static bool make(polish *s, const ss_cone *p, ss_arena *a)
{
    size_t n = (size_t)p->n;
    *s       = (polish){.p     = p,
                        .n     = p->n,
                        .unit  = ss_arena_alloc(a, n, sizeof *s->unit),
                        .r     = ss_arena_alloc(a, n, sizeof *s->r),
                        .u     = ss_arena_alloc(a, n, sizeof *s->u),
                        .plain = ss_arena_alloc(a, n, sizeof *s->plain),
                        .hi    = ss_arena_alloc(a, n, sizeof *s->hi),
                        .lo    = ss_arena_alloc(a, n, sizeof *s->lo),
                        .F     = ss_arena_alloc(a, n, sizeof *s->F),
                        .z     = ss_arena_alloc(a, n, sizeof *s->z),
                        .g     = ss_arena_alloc(a, n, sizeof *s->g),
                        .mode  = ss_arena_alloc(a, n, sizeof *s->mode),
                        .J     = ss_arena_alloc(a, n * n, sizeof *s->J),
                        .step  = ss_arena_alloc(a, n, sizeof *s->step),
                        .pivot = ss_arena_alloc(a, n, sizeof *s->pivot),
                        .alpha = SS_POLISH_ALPHA};
    return s->unit && s->r && s->u && s->plain && s->hi && s->lo && s->F && s->z && s->g &&
           s->mode && s->J && s->step && s->pivot;
}

bool ss_cone_polish_takes(const ss_cone *p)
{
    return p->n <= ROWS_MOST && (p->nv > 0 ? p->nv <= DOFS_MOST : p->W.dense != NULL);
}

/* What `given` asks for: reactions that push, and the velocities that go with them. */
static void give(const polish *s, const ss_cone *given, const ss_delassus *M, double *z, double *v)
{
    memcpy(z, s->plain, (size_t)s->n * sizeof *z);
    for (int32_t i = 0; i < s->n; i++) {
        z[i] = s->mode[i] == OPEN ? 0 : z[i];
    }
    if (given->nv > 0) {
        ss_reduce_delassus_back(given, M, z, v);
    }
}

bool ss_cone_polish_run(ss_solver *solver, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    ss_delassus M     = {0};
    ss_cone     local = *p;
    polish      s;
    ss_reduced  made = p->nv > 0 ? ss_reduce_delassus(p, a, &M, &local) : SS_REDUCED;
    double     *work = ss_arena_alloc(a, ss_residual_cone_work(p), sizeof *work);
    double     *z    = ss_arena_alloc(a, (size_t)p->n, sizeof *z);
    double     *v    = ss_arena_alloc(a, (size_t)p->nv, sizeof *v);
    x->outcome       = SS_NOT_APPLICABLE;
    if (made == SS_REDUCED_NO_ROOM || !work || !z || !v || !make(&s, &local, a)) {
        return false;
    }
    if (made == SS_REDUCED_SINGULAR) {
        return true;
    }
    find_units(&s);
    for (int32_t i = 0; i < s.n; i++) {
        s.r[i] = x->z[i] * s.unit[i];
    }
    double tol  = ss_solver_common(solver)->tol;
    int    idle = 0;
    x->outcome  = SS_LIMIT;
    for (int k = 0; k < ROUNDS && idle < IDLE_MOST && solve_set(&s); k++) {
        ss_solver_worked(
            solver, FACTORS * (ss_dense_lu_products(s.n) + (2 + REFINEMENTS) * (double)s.n * s.n));
        give(&s, p, &M, z, v);
        double residual = ss_residual_cone(p, z, v, work);
        idle            = residual < x->residual ? 0 : idle + 1;
        x->iterations++;
        if (residual < x->residual) {
            x->residual = residual;
            memcpy(x->z, z, (size_t)p->n * sizeof *z);
            if (p->nv > 0) {
                memcpy(x->v, v, (size_t)p->nv * sizeof *v);
            }
        }
        if (residual <= tol) {
            x->outcome = SS_SOLVED;
            return true;
        }
    }
    return true;
}
