/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default solver: a written chain of the others, per problem type. Each link is tried in turn
 * until one ends in a certified solution or a proof that there is none; otherwise the best iterate
 * of them all is returned, with the outcome of the first link that is not for problems of one form.
 * A residual that is enough for the caller ends the chain as well, from the second link on that
 * applies: the first is fast, and what it leaves another mostly makes exact.
 *
 * A guess is tried first (that is where last step's active set comes in: it is handed over by the
 * caller and not kept here, so that the same input gives the same bits whatever was solved before).
 */
#include <math.h>
#include <string.h>

#include "linalg/matrix.h"
#include "solver/delegate.h"
#include "solver/tolerances.h"

/* SPARSE: fewer than one entry in DENSITY; FULL: more than half of the entries, and no
   guess; LOOSE: not FULL; GUIDED: there is a guess; HASTY: the caller has another way
   (ss_common.brief); PATIENT: not HASTY; CALM: the problem is small, or the caller PATIENT. */
typedef enum demand { ANY, SPARSE, FULL, LOOSE, GUIDED, HASTY, PATIENT, CALM } demand;

typedef struct link {
    ss_problem_type type;
    int32_t         min_n, max_n; /* other sizes skip this link                             */
    demand          asks;         /* so do problems that are not as it asks                  */
    int32_t         steps;        /* iterations it may take; 0: as many as it likes          */
    const char     *solver;
} link;

/* SOME unknowns: of fewer, one rule takes as long as the other. */
enum { DENSITY = 20, SMALL = 120, SOME = 30 };

/*
 * Frictional problems of many contacts first try those that press alone, and in the plane the cone
 * problem that they are. Otherwise pivoting comes first where it applies: it is exact, and the
 * fastest up to a thousand unknowns unless rounding spoils it. Full matrices go to Lemke's method:
 * its path has about half as many pivots as there are unknowns, Keller's up to four times as many.
 * Of contacts on many bodies, whose matrices have more zeros than entries, Keller's rule goes
 * before Lemke's because no covering variable fills its dictionary; so it does from a guess. Where
 * it fails and there is a guess, some steps of Newton's method from there come first. Large sparse
 * problems (obstacles) get a few steps of Newton's method before anything else, each of which costs
 * little more than one pivot. Games are told by their form; pivoting ends in a ray there. Newton's
 * method takes over where pivoting cannot go (it gets there in a hundred steps or in none, so that
 * a step of a simulation is rather cut), and a small problem that none of them solves is
 * searched through for a solution or the proof that there is none; a larger one, and contacts, may
 * be proved to have no feasible point. Mixed problems get some steps of Newton's method, which is
 * quick from a guess; what they do not solve is pivoted without its free unknowns.
 */
/* clang-format off */
static const link chain[] = {
    {SS_CONE, 0,   INT32_MAX, ANY,    0,  "contact"},
    {SS_CONE, 0,   INT32_MAX, CALM,   0,  "farkas"},
    {SS_LCP,  100, 3000,      ANY,    0,  "working"},
    {SS_LCP,  100, 3000,      ANY,    0,  "inplane"},
    {SS_LCP,  SOME, 3000,     FULL,   0,  "lemke"},
    {SS_LCP,  300, 3000,      SPARSE, 50, "newton"},
    {SS_LCP,  0,   3000,      ANY,    0,  "pivot"},
    {SS_LCP,  2,   3000,      ANY,    0,  "howson"},
    {SS_LCP,  200, 600,       GUIDED, 60, "newton"},
    {SS_LCP,  0,   3000,      LOOSE,  0,  "lemke"},
    {SS_LCP,  0,   INT32_MAX, HASTY,  100, "newton"},
    {SS_LCP,  0,   INT32_MAX, PATIENT, 0, "newton"},
    {SS_LCP,  0,   20,        ANY,    0,  "enumerate"},
    {SS_LCP,  21,  INT32_MAX, CALM,   0,  "farkas"},
    {SS_MLCP, 0,   INT32_MAX, ANY,    50, "newton"},
    {SS_MLCP, 0,   600,       ANY,    0,  "schur"},
    {SS_MLCP, 0,   INT32_MAX, ANY,    0,  "newton"},
    {SS_MLCP, 0,   20,        ANY,    0,  "enumerate"},
    {SS_MLCP, 0,   INT32_MAX, CALM,   0,  "farkas"},
    {SS_MCP,  0,   INT32_MAX, ANY,    0,  "newton"},
};
/* clang-format on */
enum { LINKS = sizeof chain / sizeof chain[0] };

typedef struct state {
    ss_solver *solvers[LINKS]; /* made when first needed */
    double    *best;           /* (size / 2) z, then v of the best iterate */
    double    *guess;          /* (size / 2) the caller's z and v          */
    size_t     size;
} state;

static ss_status solver_of(ss_solver *s, int k, ss_solver **out)
{
    state *st = ss_solver_state(s);
    if (st->solvers[k] == NULL) {
        SS_TRY(ss_solver_create_named(ss_solver_context(s), chain[k].solver, &st->solvers[k]));
        ss_solver_common(st->solvers[k])->max_iter = chain[k].steps;
    }
    *out = st->solvers[k];
    return SS_OK;
}

static void copy_numbers(double *to, const double *from, size_t count)
{
    if (count > 0) {
        memcpy(to, from, count * sizeof *to);
    }
}

/* Room for an iterate and for the guess. */
static ss_status reserve(ss_solver *s, size_t count)
{
    state *st = ss_solver_state(s);
    if (st->best != NULL && st->size >= 2 * count) {
        return SS_OK;
    }
    ss_context *ctx = ss_solver_context(s);
    ss_free(ctx, st->best, st->size * sizeof *st->best);
    st->best  = ss_alloc(ctx, 2 * count, sizeof *st->best);
    st->size  = st->best != NULL ? 2 * count : 0;
    st->guess = st->best != NULL ? st->best + count : NULL;
    return st->best != NULL ? SS_OK : ss_fail(ctx, SS_ERR_MEMORY, "auto: no memory");
}

/* Fewer than one entry in DENSITY. */
static bool is_sparse(const ss_problem *p)
{
    const ss_matrix *M = &p->as.lcp.M;
    return p->type == SS_LCP && M->dense == NULL &&
           (int64_t)M->colptr[M->cols] * DENSITY < (int64_t)M->rows * M->cols;
}

static int64_t entries_of(const ss_matrix *M)
{
    int64_t entries = 0;
    for (int32_t j = 0; j < M->cols; j++) {
        for (int32_t k = ss_column_begin(M, j); k < ss_column_end(M, j); k++) {
            entries += ss_column_entry(M, j, k).value != 0;
        }
    }
    return entries;
}

/* More than half of the entries: no game, hardly contacts of several bodies. */
static bool is_full(const ss_problem *p, const ss_solution *x)
{
    const ss_matrix *M = &p->as.lcp.M;
    return p->type == SS_LCP && !x->warm && p->as.lcp.n >= SOME &&
           2 * entries_of(M) > (int64_t)M->rows * M->cols;
}

static bool is_as_asked(ss_solver *s, demand asks, const ss_problem *p, const ss_solution *x)
{
    switch (asks) {
    case SPARSE:
        return is_sparse(p);
    case FULL:
        return is_full(p, x);
    case LOOSE:
        return !is_full(p, x);
    case GUIDED:
        return x->warm;
    case HASTY:
        return ss_solver_common(s)->brief;
    case PATIENT:
        return !ss_solver_common(s)->brief;
    case CALM:
        return ss_problem_size(p) <= SMALL || !ss_solver_common(s)->brief;
    case ANY:
        break;
    }
    return true;
}

/* The first link from k on that applies; LINKS: there is none. */
static int next_link(ss_solver *s, int k, const ss_problem *p, const ss_solution *x)
{
    int32_t n = ss_problem_size(p);
    while (k < LINKS && !(chain[k].type == p->type && n >= chain[k].min_n && n <= chain[k].max_n &&
                          is_as_asked(s, chain[k].asks, p, x))) {
        k++;
    }
    return k;
}

static bool final(const ss_solution *x)
{
    return x->outcome == SS_SOLVED || x->outcome == SS_INFEASIBLE;
}

/* Solvers of LCPs overwrite the guess, and what one leaves that failed is no start for the next. */
static bool keeps_guess(const ss_problem *p, const ss_solution *x)
{
    return x->warm && p->type == SS_LCP && ss_problem_size(p) > 0;
}

/* What is said where nothing is solved: the outcome of the first link that takes any problem. */
static ss_outcome first_word(const state *st, int k, ss_outcome before, ss_outcome now)
{
    bool special = (ss_solver_class_of(st->solvers[k])->traits & SS_TRAIT_SPECIAL) != 0;
    return before != SS_NOT_APPLICABLE ? before : special ? SS_NOT_APPLICABLE : now;
}

/* The rest of the chain, after its first link k has failed. */
static ss_status fall_back(ss_solver *s, int k, const ss_problem *p, ss_solution *x)
{
    state     *st = ss_solver_state(s);
    size_t     n = (size_t)ss_problem_size(p), nv = (size_t)ss_problem_size_v(p);
    ss_outcome first = first_word(st, k, SS_NOT_APPLICABLE, x->outcome);
    bool       tried = x->outcome != SS_NOT_APPLICABLE;
    double     least = INFINITY;
    int32_t    total = x->iterations;
    if (!keeps_guess(p, x)) {
        SS_TRY(reserve(s, n + nv));
    }
    for (;;) {
        if (x->residual < least || k == LINKS) {
            least = x->residual;
            copy_numbers(st->best, x->z, n);
            copy_numbers(st->best + n, x->v, nv);
        }
        k = next_link(s, k + 1, p, x);
        if (k >= LINKS || ss_solver_out_of_time(s)) {
            break;
        }
        if (keeps_guess(p, x) && !(least <= SS_LEMKE_WORTH)) {
            copy_numbers(x->z, st->guess, n);
        }
        ss_solver *child;
        SS_TRY(solver_of(s, k, &child));
        SS_TRY(ss_solver_delegate(s, child, p, x));
        total += x->iterations;
        x->iterations = total;
        if (final(x) || (tried && x->residual <= ss_solver_common(s)->enough)) {
            return SS_OK;
        }
        first = first_word(st, k, first, x->outcome);
        tried = tried || x->outcome != SS_NOT_APPLICABLE;
    }
    copy_numbers(x->z, st->best, n);
    copy_numbers(x->v, st->best + n, nv);
    ss_solver_changed(s);
    bool cut   = ss_solver_out_of_time(s) || first == SS_NOT_APPLICABLE;
    x->outcome = cut ? SS_LIMIT : first;
    return SS_OK;
}

static ss_status solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    int        k = next_link(s, 0, p, x);
    ss_solver *child;
    if (k == LINKS) {
        x->outcome = SS_NOT_APPLICABLE;
        return SS_OK;
    }
    if (keeps_guess(p, x)) {
        size_t n = (size_t)ss_problem_size(p);
        SS_TRY(reserve(s, n));
        copy_numbers(((state *)ss_solver_state(s))->guess, x->z, n);
    }
    SS_TRY(solver_of(s, k, &child));
    SS_TRY(ss_solver_delegate(s, child, p, x));
    return final(x) ? SS_OK : fall_back(s, k, p, x);
}

static void release(ss_solver *s)
{
    state *st = ss_solver_state(s);
    for (int k = 0; k < LINKS; k++) {
        ss_solver_destroy(st->solvers[k]);
    }
    ss_free(ss_solver_context(s), st->best, st->size * sizeof *st->best);
}

const ss_solver_class ss_solver_auto = {
    .name       = "auto",
    .summary    = "the default: the best that applies, then a written chain of fall-backs",
    .accepts    = SS_LCP | SS_MLCP | SS_MCP | SS_CONE,
    .traits     = SS_TRAIT_WARM_STARTS | SS_TRAIT_PROVES,
    .state_size = sizeof(state),
    .solve      = solve,
    .release    = release,
};
