/* SPDX-License-Identifier: Apache-2.0 */
/*
 * splitting: operator splitting for the frictional LCP of Stewart and Trinkle (Berard's thesis
 * 2.3.1; Kaufman, Sueda, James and Pai 2008), whose unknowns are normal
 * impulses p, friction impulses b >= 0 along directions, and slip speeds s:
 *
 *     0 <= p  _|_  A_pp p + A_pb b       + q_p >= 0
 *     0 <= b  _|_  A_bp p + A_bb b + E s + q_b >= 0           E >= 0
 *     0 <= s  _|_  U p    - F b          + q_s >= 0           F >= 0 with the pattern of E', U >= 0
 *
 * The zero diagonal of s is what projected Gauss-Seidel refuses, and U makes the whole no quadratic
 * program. With b held the first line is one in p; with p held the other two are one in b, with
 * multipliers s. They are solved in turn, each from its last answer:
 *
 *     (b, s) <- friction problem with p,    p <- normal problem with b,
 *
 * that is, a fixed-point iteration in p, whose steps Anderson's method combines. Free unknowns of a
 * mixed problem (reactions of joints) belong to both. Few rounds mostly suffice; nothing promises
 * that they end (they need not where friction presses bodies together: Painleve's paradox).
 *
 * p, b and s are found from the pattern: columns that are >= 0 with a zero diagonal and do not meet
 * each other are s, their rows b, all others p. Problems that are not of this form are not
 * applicable. Both parts are solved by `auto`; what comes out is judged by the whole problem.
 */
#include <math.h>
#include <string.h>

#include "linalg/anderson.h"
#include "linalg/matrix.h"
#include "solver/delegate.h"
#include "solver/friction_form.h"
#include "solver/tolerances.h"

enum { ROUNDS = 1000, PATIENCE = 100, PARTS = 3 };

/* One of the two problems: the rows and columns `place` of the whole one. */
typedef struct part {
    int32_t        n;
    int32_t       *place;  /* (n) where unknown i stands in the whole problem      */
    int32_t       *inside; /* (whole n) the other way round; -1: not in this part  */
    int32_t       *colptr; /* M of the part, compressed columns                    */
    int32_t       *rowind;
    double        *values;
    double        *q;    /* (n) with what the other part's unknowns add            */
    double        *z;    /* (n)                                                    */
    unsigned char *free; /* (n)                                                    */
    bool           mixed, warm;
} part;

/* The whole. */
typedef struct split {
    const ss_problem    *p;
    const ss_matrix     *M;
    const double        *q;
    const unsigned char *free; /* or NULL */
    int32_t              n;
    unsigned char       *roles; /* (n) ss_role                                 */
    part                 normal, friction;
    ss_anderson          anderson;
    double              *x, *g, *weight; /* (normal.n) of the fixed-point iteration     */
    double              *w, *best;       /* (n)                                         */
    double              *work;           /* of ss_residual                              */
} split;

typedef struct state {
    ss_arena   arena;
    ss_solver *solvers[PARTS]; /* made when first needed: normal, friction, mixed friction */
} state;

/* ---- the parts ------------------------------------------------------------------------------ */

static bool belongs(const split *s, const part *t, int32_t i)
{
    ss_role r = (ss_role)s->roles[i];
    return r == SS_ROLE_FREE || (t == &s->normal) == (r == SS_ROLE_NORMAL);
}

static int32_t entries_inside(const split *s, const part *t)
{
    int32_t count = 0;
    for (int32_t k = 0; k < t->n; k++) {
        ss_cursor c = {0};
        while (ss_next_entry(s->M, t->place[k], &c)) {
            count += t->inside[c.row] >= 0;
        }
    }
    return count;
}

static void fill_matrix(const split *s, part *t)
{
    int32_t at = 0;
    for (int32_t k = 0; k < t->n; k++) {
        ss_cursor c  = {0};
        t->colptr[k] = at;
        while (ss_next_entry(s->M, t->place[k], &c)) {
            if (t->inside[c.row] >= 0) {
                t->rowind[at]   = t->inside[c.row];
                t->values[at++] = c.value;
            }
        }
    }
    t->colptr[t->n] = at;
}

/* False: no room. */
static bool part_make(split *s, part *t, ss_arena *a)
{
    size_t n = (size_t)s->n;
    *t       = (part){.place  = ss_arena_alloc(a, n, sizeof *t->place),
                      .inside = ss_arena_alloc(a, n, sizeof *t->inside),
                      .q      = ss_arena_alloc(a, n, sizeof *t->q),
                      .z      = ss_arena_alloc(a, n, sizeof *t->z),
                      .free   = ss_arena_alloc(a, n, sizeof *t->free),
                      .colptr = ss_arena_alloc(a, n + 1, sizeof *t->colptr)};
    if (!t->place || !t->inside || !t->q || !t->z || !t->free || !t->colptr) {
        return false;
    }
    for (int32_t i = 0; i < s->n; i++) {
        t->inside[i] = -1;
        if (belongs(s, t, i)) {
            t->free[t->n]  = s->roles[i] == SS_ROLE_FREE;
            t->mixed       = t->mixed || t->free[t->n];
            t->place[t->n] = i;
            t->inside[i]   = t->n++;
        }
    }
    size_t entries = (size_t)entries_inside(s, t);
    t->rowind      = ss_arena_alloc(a, entries, sizeof *t->rowind);
    t->values      = ss_arena_alloc(a, entries, sizeof *t->values);
    if (!t->rowind || !t->values) {
        return false;
    }
    fill_matrix(s, t);
    return true;
}

static ss_problem part_problem(const part *t)
{
    ss_matrix M = {
        .rows = t->n, .cols = t->n, .colptr = t->colptr, .rowind = t->rowind, .values = t->values};
    if (t->mixed) {
        return (ss_problem){.type = SS_MLCP, .as.mlcp = {t->n, M, t->q, t->free}};
    }
    return (ss_problem){.type = SS_LCP, .as.lcp = {t->n, M, t->q}};
}

/* q of a part: w of the whole problem without the part's own unknowns. */
static void part_load(split *s, part *t, const double *z)
{
    memcpy(s->w, s->q, (size_t)s->n * sizeof *s->w);
    for (int32_t j = 0; j < s->n; j++) {
        if (t->inside[j] < 0 && z[j] != 0) {
            ss_matrix_add_column(s->M, j, z[j], s->w);
        }
    }
    for (int32_t k = 0; k < t->n; k++) {
        t->q[k] = s->w[t->place[k]];
    }
}

/* Lemke's rule takes the friction part whatever its rank; it knows no free unknowns. */
static ss_status part_solver(ss_solver *s, const split *whole, const part *t, ss_solver **out)
{
    static const char *const names[PARTS] = {"auto", "lemke", "auto"};
    state                   *st           = ss_solver_state(s);
    int                      k            = t == &whole->normal ? 0 : t->mixed ? 2 : 1;
    if (st->solvers[k] == NULL) {
        SS_TRY(ss_solver_create_named(ss_solver_context(s), names[k], &st->solvers[k]));
    }
    *out = st->solvers[k];
    return SS_OK;
}

/* Solve one part with the other's unknowns as they stand in z; false: it has none, or none is
   found. What is left of a residual goes on to the other part: the whole problem is the judge. */
static bool part_solve(ss_solver *s, split *whole, part *t, double *z, ss_status *status)
{
    ss_solver *child = NULL;
    part_load(whole, t, z);
    ss_solver_worked(s, ss_matrix_products(whole->M));
    for (int32_t k = 0; k < t->n; k++) {
        t->z[k] = z[t->place[k]];
    }
    ss_problem  problem = part_problem(t);
    ss_solution x       = {.z = t->z, .warm = t->warm};
    *status             = part_solver(s, whole, t, &child);
    if (*status == SS_OK) {
        *status = ss_solver_delegate_part(s, child, &problem, &x);
    }
    for (int32_t k = 0; k < t->n; k++) {
        z[t->place[k]] = t->z[k];
    }
    t->warm = true;
    return *status == SS_OK && x.residual <= SS_LEMKE_WORTH;
}

/* ---- the iteration -------------------------------------------------------------------------- */

static bool split_make(split *s, ss_arena *a)
{
    size_t n = (size_t)s->n;
    if (!part_make(s, &s->normal, a) || !part_make(s, &s->friction, a)) {
        return false;
    }
    s->x      = ss_arena_alloc(a, n, sizeof *s->x);
    s->g      = ss_arena_alloc(a, n, sizeof *s->g);
    s->weight = ss_arena_alloc(a, n, sizeof *s->weight);
    s->w      = ss_arena_alloc(a, n, sizeof *s->w);
    s->best   = ss_arena_alloc(a, n, sizeof *s->best);
    s->work   = ss_arena_alloc(a, ss_residual_work(s->p), sizeof *s->work);
    return s->x && s->g && s->weight && s->w && s->best && s->work &&
           ss_anderson_prepare(&s->anderson, s->normal.n, s->weight, a);
}

/* The norm of the iteration: energies, so that impulses of unlike units may be added. */
static void weigh(split *s)
{
    const part *t = &s->normal;
    for (int32_t k = 0; k < t->n; k++) {
        s->weight[k] = 0;
        for (int32_t at = t->colptr[k]; at < t->colptr[k + 1]; at++) {
            s->weight[k] = t->rowind[at] == k ? fabs(t->values[at]) : s->weight[k];
        }
    }
}

/* The next p: Anderson's, as far as impulses stay pushes. */
static void advance(split *s, double *z)
{
    const part *t = &s->normal;
    for (int32_t k = 0; k < t->n; k++) {
        s->g[k] = z[t->place[k]];
    }
    ss_anderson_step(&s->anderson, s->x, s->g);
    for (int32_t k = 0; k < t->n; k++) {
        bool good      = isfinite(s->x[k]) && (t->free[k] || s->x[k] >= 0);
        s->x[k]        = good ? s->x[k] : t->free[k] ? s->g[k] : 0;
        z[t->place[k]] = s->x[k];
    }
}

/* Measure z; keep it if it is the best so far. */
static double keep_best(split *s, const double *z, double *least)
{
    double residual = ss_residual(s->p, z, NULL, s->work);
    if (residual < *least) {
        *least = residual;
        memcpy(s->best, z, (size_t)s->n * sizeof *s->best);
    }
    return residual;
}

static ss_status run(ss_solver *s, split *whole, ss_solution *x)
{
    const ss_common *common = ss_solver_common(s);
    int32_t          limit  = common->max_iter > 0 ? common->max_iter : ROUNDS;
    int32_t          last   = 0; /* round of the last improvement */
    double          *z = x->z, least = INFINITY;
    ss_status        status = SS_OK;
    keep_best(whole, z, &least);
    x->outcome = SS_LIMIT;
    weigh(whole);
    part_load(whole, &whole->normal, z);
    bool going = part_solve(s, whole, &whole->normal, z, &status);
    for (int32_t k = 0; k < whole->normal.n; k++) {
        whole->x[k] = z[whole->normal.place[k]];
    }
    while (going && x->iterations < limit && x->iterations - last < PATIENCE &&
           !ss_solver_out_of_time(s)) {
        double before = least;
        x->iterations++;
        going = part_solve(s, whole, &whole->friction, z, &status);
        if (!going || keep_best(whole, z, &least) <= common->tol) {
            break;
        }
        going = part_solve(s, whole, &whole->normal, z, &status);
        if (!going || keep_best(whole, z, &least) <= common->tol) {
            break;
        }
        last = least < before ? x->iterations : last;
        advance(whole, z);
    }
    x->outcome = least <= common->tol ? SS_SOLVED : going ? SS_LIMIT : SS_NUMERICAL;
    memcpy(z, whole->best, (size_t)whole->n * sizeof *z);
    return status;
}

/* The solver proper, in scratch memory that grows until it is enough. */
static ss_status solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    state *st    = ss_solver_state(s);
    bool   mixed = p->type == SS_MLCP;
    for (;;) {
        split whole = {.p    = p,
                       .M    = mixed ? &p->as.mlcp.M : &p->as.lcp.M,
                       .q    = mixed ? p->as.mlcp.q : p->as.lcp.q,
                       .free = mixed ? p->as.mlcp.free : NULL,
                       .n    = ss_problem_size(p)};
        ss_arena_reset(&st->arena);
        whole.roles = ss_arena_alloc(&st->arena, (size_t)whole.n, sizeof *whole.roles);
        if (whole.roles != NULL) {
            if (!ss_friction_form(whole.M, whole.free, whole.roles)) {
                x->outcome = SS_NOT_APPLICABLE;
                return SS_OK;
            }
            if (split_make(&whole, &st->arena)) {
                for (int32_t i = 0; i < whole.n; i++) {
                    bool good = x->warm && isfinite(x->z[i]);
                    x->z[i] = good && (whole.roles[i] == SS_ROLE_FREE || x->z[i] > 0) ? x->z[i] : 0;
                }
                return run(s, &whole, x);
            }
        }
        SS_TRY(ss_arena_grow(ss_solver_context(s), &st->arena));
    }
}

static void release(ss_solver *s)
{
    state *st = ss_solver_state(s);
    for (int k = 0; k < PARTS; k++) {
        ss_solver_destroy(st->solvers[k]);
    }
    ss_arena_free(ss_solver_context(s), &st->arena);
}

const ss_solver_class ss_solver_splitting = {
    .name       = "splitting",
    .summary    = "normal and friction impulses of frictional LCPs in turn (operator splitting)",
    .accepts    = SS_LCP | SS_MLCP,
    .traits     = SS_TRAIT_WARM_STARTS | SS_TRAIT_SPARSE | SS_TRAIT_SPECIAL,
    .state_size = sizeof(state),
    .solve      = solve,
    .release    = release,
};
