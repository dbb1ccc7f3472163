/* SPDX-License-Identifier: Apache-2.0 */
/*
 * farkas: the proof that a linear problem has no feasible point, and so no solution:
 *
 *     w = M z + q,   z_i >= 0, w_i >= 0,   or z_i free and w_i = 0
 *
 * has none if there is a y (Farkas' lemma) with y_i >= 0 where w_i is not fixed and
 *
 *     (M'y)_j <= 0 where z_j >= 0,    (M'y)_j = 0 where z_j is free,    q'y < 0,
 *
 * since y'w = (M'y)'z + q'y would be negative, and is not. Least squares over z and w find it:
 * where min |M z - w + q| is not zero, y = -(M z - w + q) is one, up to rounding (Lawson and Hanson
 * 1974, chapter 23).
 *
 * A proof up to rounding is none: with an equality that is missed by rounding some huge z is
 * feasible. So y is replaced by numbers for which the sums are checked without any rounding
 * (expansions of doubles, Shewchuk 1997): by whole numbers in the same proportions; and where no z
 * is free by a y for columns M_j + delta 1, whose inequalities hold with something to spare.
 * Problems for which neither holds are left open: outcome not-applicable. With a proof z is y.
 */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "core/twofold.h"
#include "linalg/matrix.h"
#include "linalg/nnls.h"
#include "solver/tolerances.h"
#include "stickslip/solver.h"

enum { MOST = 300, DENOMINATORS = 1000 };

typedef struct state {
    ss_arena arena;
} state;

typedef struct proof {
    const ss_matrix     *M;
    const double        *q;
    const unsigned char *free; /* or NULL                                    */
    int32_t              n, columns;
    double              *dense; /* (n x n) M                                  */
    double              *R, *C; /* (n) powers of two that balance M           */
    double              *A;     /* (n x columns) of the least squares         */
    double              *b;     /* (n)                                        */
    double              *x;     /* (columns)                                  */
    double              *left;  /* (n)                                        */
    double              *y;     /* (n) what is checked                        */
    double              *sum;   /* (2 n + 2) an expansion                     */
    double              *work;
    int32_t             *iwork;
} proof;

/* ---- sums without rounding ------------------------------------------------------------------ */

/* Adds a to an expansion of `count` doubles that do not overlap, the largest last. */
static int32_t grow(double *e, int32_t count, double a)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        ss_twofold s = ss_two_sum(a, e[i]);
        a            = s.hi;
        if (s.lo != 0) {
            e[kept++] = s.lo;
        }
    }
    if (a != 0) {
        e[kept++] = a;
    }
    return kept;
}

/* The sign of sum a_i y_i, exactly; 2: it cannot be told (overflow or underflow). */
static int sign_of(const proof *f, const double *a)
{
    int32_t count = 0;
    for (int32_t i = 0; i < f->n; i++) {
        if (a[i] == 0 || f->y[i] == 0) {
            continue;
        }
        double size = fabs(a[i]) * fabs(f->y[i]);
        if (!(size < SS_EXACT_MOST && size > SS_EXACT_LEAST)) {
            return 2;
        }
        ss_twofold p = ss_two_product(a[i], f->y[i]);
        count        = grow(f->sum, count, p.lo);
        count        = grow(f->sum, count, p.hi);
    }
    return count == 0 ? 0 : f->sum[count - 1] > 0 ? 1 : -1;
}

static bool is_free(const proof *f, int32_t i)
{
    return f->free != NULL && f->free[i];
}

/* Is y a proof, to the last bit? */
static bool proves(const proof *f)
{
    for (int32_t i = 0; i < f->n; i++) {
        if (!isfinite(f->y[i]) || (f->y[i] < 0 && !is_free(f, i))) {
            return false;
        }
    }
    bool good = sign_of(f, f->q) == -1;
    for (int32_t j = 0; good && j < f->n; j++) {
        int sign = sign_of(f, f->dense + (size_t)j * (size_t)f->n);
        good     = sign == 0 || (sign == -1 && !is_free(f, j));
    }
    return good;
}

/* ---- candidates ----------------------------------------------------------------------------- */

static void put_column(proof *f, int32_t j, double sign, double tilt)
{
    double *to = f->A + (size_t)f->columns++ * (size_t)f->n;
    for (int32_t i = 0; i < f->n; i++) {
        double m = f->dense[(size_t)j * (size_t)f->n + (size_t)i] * f->R[i] * f->C[j];
        to[i]    = sign * m + tilt;
    }
}

/* y, in balanced rows, from least squares; false: there is a feasible point, or no answer. */
static bool find(proof *f, double tilt)
{
    double size = 0, rest = 0;
    f->columns = 0;
    for (int32_t j = 0; j < f->n; j++) {
        put_column(f, j, 1, tilt);
        if (is_free(f, j)) {
            put_column(f, j, -1, 0);
        }
    }
    for (int32_t i = 0; i < f->n; i++) {
        f->b[i] = -f->q[i] * f->R[i];
        size += f->b[i] * f->b[i];
        if (!is_free(f, i)) {
            double *to = f->A + (size_t)f->columns++ * (size_t)f->n;
            memset(to, 0, (size_t)f->n * sizeof *to);
            to[i] = -1;
        }
    }
    if (!ss_nnls(f->n, f->columns, f->A, f->b, f->x, f->left, f->work, f->iwork)) {
        return false;
    }
    for (int32_t i = 0; i < f->n; i++) {
        rest += f->left[i] * f->left[i];
    }
    return rest > SS_PROOF_NEGATIVE * SS_PROOF_NEGATIVE * size;
}

/* Whole numbers in the proportions of `left`, its rows unbalanced or not; false: there are none. */
static bool round_off(proof *f, bool balanced)
{
    double most = 0;
    for (int32_t i = 0; i < f->n; i++) {
        f->y[i] = f->left[i] * (balanced ? 1 : f->R[i]);
        most    = fmax(most, fabs(f->y[i]));
    }
    for (int32_t d = 1; d <= DENOMINATORS; d++) {
        double off = 0;
        for (int32_t i = 0; i < f->n; i++) {
            double t = d * (f->y[i] / most);
            off      = fmax(off, fabs(t - round(t)));
        }
        if (off <= SS_WHOLE_NUMBER) {
            for (int32_t i = 0; i < f->n; i++) {
                double t = round(d * (f->y[i] / most));
                f->y[i]  = t * (balanced ? f->R[i] : 1);
            }
            return true;
        }
    }
    return false;
}

static bool find_proof(proof *f)
{
    if (!find(f, 0)) {
        return false;
    }
    if ((round_off(f, false) && proves(f)) || (round_off(f, true) && proves(f))) {
        return true;
    }
    if (f->free != NULL || !find(f, SS_PROOF_TILT)) {
        return false;
    }
    for (int32_t i = 0; i < f->n; i++) {
        f->y[i] = fmax(f->left[i], 0) * f->R[i];
    }
    return proves(f);
}

static bool proof_make(proof *f, ss_arena *a)
{
    size_t n = (size_t)f->n, columns = 3 * n;
    f->dense = ss_arena_alloc(a, n * n, sizeof *f->dense);
    f->R     = ss_arena_alloc(a, n, sizeof *f->R);
    f->C     = ss_arena_alloc(a, n, sizeof *f->C);
    f->A     = ss_arena_alloc(a, n * columns, sizeof *f->A);
    f->b     = ss_arena_alloc(a, n, sizeof *f->b);
    f->x     = ss_arena_alloc(a, columns, sizeof *f->x);
    f->left  = ss_arena_alloc(a, n, sizeof *f->left);
    f->y     = ss_arena_alloc(a, n, sizeof *f->y);
    f->sum   = ss_arena_alloc(a, 2 * n + 2, sizeof *f->sum);
    f->work  = ss_arena_alloc(a, ss_nnls_work(f->n, (int32_t)columns) + 2 * n, sizeof *f->work);
    f->iwork = ss_arena_alloc(a, 2 * columns, sizeof *f->iwork);
    return f->dense && f->R && f->C && f->A && f->b && f->x && f->left && f->y && f->sum &&
           f->work && f->iwork;
}

static ss_status solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    state *st    = ss_solver_state(s);
    bool   mixed = p->type == SS_MLCP;
    proof  f     = {.M    = mixed ? &p->as.mlcp.M : &p->as.lcp.M,
                    .q    = mixed ? p->as.mlcp.q : p->as.lcp.q,
                    .free = mixed ? p->as.mlcp.free : NULL,
                    .n    = ss_problem_size(p)};
    x->outcome   = SS_NOT_APPLICABLE;
    if (f.n == 0 || f.n > MOST) {
        return SS_OK;
    }
    ss_arena_reset(&st->arena);
    while (!proof_make(&f, &st->arena)) {
        SS_TRY(ss_arena_grow(ss_solver_context(s), &st->arena));
        ss_arena_reset(&st->arena);
    }
    ss_matrix_to_dense(f.M, f.dense, f.n);
    ss_matrix_equilibrate(f.M, f.R, f.C, f.work);
    if (find_proof(&f)) {
        memcpy(x->z, f.y, (size_t)f.n * sizeof *x->z);
        x->outcome = SS_INFEASIBLE;
    }
    return SS_OK;
}

static void release(ss_solver *s)
{
    ss_arena_free(ss_solver_context(s), &((state *)ss_solver_state(s))->arena);
}

const ss_solver_class ss_solver_farkas = {
    .name       = "farkas",
    .summary    = "the proof that there is no feasible point, checked without rounding",
    .accepts    = SS_LCP | SS_MLCP,
    .traits     = SS_TRAIT_EXACT | SS_TRAIT_PROVES | SS_TRAIT_SPECIAL,
    .state_size = sizeof(state),
    .solve      = solve,
    .release    = release,
};
