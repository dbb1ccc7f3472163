/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contact: the written chain for friction contact, the part of auto that solves cone problems. Each
 * method starts where the one before stopped, the first that solves ends the chain, and the best
 * point by the independent residual is what comes back.
 *
 *   1. small dense problems: last active set, closed forms, Newton on the stack (cone_small.c); few
 *      velocities: Newton in them (velocity.c);
 *   2. warm starts of at most a few hundred rows: a few steps of ac, whose factorisation costs no
 *      more than some sweeps;
 *   3. contacts on bodies (ss_ipm_takes): plain sweeps, a thousand; then ipm, which minds no
 *      redundancy, and ac in turns: where one gets stuck the other mostly moves on;
 *   4. others: nsgs, while its rate of convergence promises an end; dense ones of up to 300 rows:
 *      some steps of ac, interior points, and ac from their end; ac, the proximal Newton method,
 *      from there and from nothing; Lemke's method with polygons for balls, and ac from there
 *      (small problems in the plane or without friction, for which it is exact, before interior
 *      points); in the plane, every mode of a few contacts; admm, which minds neither rank nor
 *      size;
 *   5. nsgs, as long as it takes; then, for contacts on bodies, ac as long as it takes;
 *   6. before and after the slow ones: the last digits of an answer that is near (cone_polish.c),
 *      and global forms that are left open once more in local form.
 */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "problem/reduce.h"
#include "problem/residual.h"
#include "solver/cone_frame.h"
#include "solver/cone_methods.h"
#include "solver/cone_share.h"
#include "solver/cone_small.h"
#include "solver/delegate.h"
#include "solver/tolerances.h"
#include "solver/velocity.h"

/* Newton's method first, from a warm start. */
enum { FEW_ROWS = 400 };

/* Piles that are made exact after all: some Newton steps cost no more than the sweeps did. */
enum { PILE_EXACT_ROWS = 200 };

/* Piles that are nearly at rest: Newton's steps at most, and the sweeps that they may cost, which
   is what would be swept otherwise (pile.c). */
enum { SETTLING_STEPS = 20, SETTLING_SWEEPS = 200 };

/* Beyond this a factorisation costs more than a step that is cut. */
enum { MANY_ROWS = 3000 };

/* The first member is what ss_cone_frame() works with. */
typedef struct contact_state {
    ss_cone_state cone;
    bool          hasty;    /* the answer is a small path's, which judged itself */
    bool          thorough; /* the chain, whatever a small path says             */
    ss_solver    *lemke;    /* made when first needed                            */
    ss_solver    *modes;    /* `enumerate`, likewise                             */
} contact_state;

/* The best point so far, and what was spent. */
typedef struct best {
    double  residual;
    double *z, *v;
    int32_t iterations;
} best;

static bool best_make(const ss_cone *p, ss_arena *a, best *b)
{
    *b   = (best){.residual = INFINITY};
    b->z = ss_arena_alloc(a, (size_t)p->n, sizeof *b->z);
    b->v = ss_arena_alloc(a, (size_t)p->nv, sizeof *b->v);
    return b->z != NULL && b->v != NULL;
}

static void best_keep(const ss_cone *p, const ss_solution *x, best *b)
{
    b->iterations += x->iterations;
    if (x->outcome == SS_NOT_APPLICABLE || !(x->residual < b->residual)) {
        return;
    }
    b->residual = x->residual;
    memcpy(b->z, x->z, (size_t)p->n * sizeof *b->z);
    if (p->nv > 0) {
        memcpy(b->v, x->v, (size_t)p->nv * sizeof *b->v);
    }
}

static void best_give(const ss_cone *p, const best *b, ss_solution *x)
{
    if (isfinite(b->residual)) {
        memcpy(x->z, b->z, (size_t)p->n * sizeof *b->z);
        if (p->nv > 0) {
            memcpy(x->v, b->v, (size_t)p->nv * sizeof *b->v);
        }
        x->residual = b->residual;
    }
    x->iterations = b->iterations;
}

/* Sweeps that are worth waiting for: many are cheap where a factorisation is not. */
static double patience(const ss_cone *p)
{
    return p->n > 2000 ? 2000 : 300;
}

typedef enum link {
    QUICK_NEWTON,
    PLAIN_SWEEPS,
    TURNS,
    SWEEPS,
    FIRST_NEWTON,
    EXACT_PIVOTS,
    INTERIOR,
    NEWTON,
    POLISH,
    COLD_NEWTON,
    PIVOTS,
    MODES,
    SPLITTING,
    PATIENT_SWEEPS,
    PATIENT_NEWTON
} link;

static const link chain[] = {QUICK_NEWTON, PLAIN_SWEEPS,   TURNS,          SWEEPS,
                             FIRST_NEWTON, EXACT_PIVOTS,   INTERIOR,       NEWTON,
                             POLISH,       COLD_NEWTON,    PIVOTS,         MODES,
                             SPLITTING,    PATIENT_SWEEPS, PATIENT_NEWTON, POLISH};

enum { LINKS = sizeof chain / sizeof *chain };

/*
 * Piles: sweeps that bring most contacts to their states, Newton's steps of one turn, turns. Fewer
 * sweeps cost more than they save (docs/benchmarks/pours.md).
 */
enum { PILE_SWEEPS = 1000, TURN_STEPS = 50, TURNS_MAX = 30 };

/* Interior points of dense problems: Newton's steps before them, which cost as much, starts, and
   Newton's steps from where each ended. */
enum { FIRST_STEPS = 60, STARTS = 4, FINISHING_STEPS = 40 };

/*
 * Newton's steps of a link where the caller has another way (ss_common.brief). Where there is a
 * solution, nearly all runs need fewer; where there is none, they would take thousands. Of 58 such
 * problems of random scenes turns 1 to 4 solved 12, 8, 3 and 3, turns 5 to 8 none.
 */
enum { BRIEF_STEPS = 300, BRIEF_TURNS = 4, BRIEF_PIVOT_ROWS = 60 };

/*
 * Pivots that are exact come before hundreds of Newton's steps, each of which costs a third of the
 * cube of the rows: with so many unknowns at most a path is as long as a few dozen of them.
 */
enum { EXACT_UNKNOWNS = 200 };

/*
 * Where friction in the plane leaves every path in a ray (large coefficients wedge bodies in),
 * open, stick and slip of a few contacts are searched through. Ten contacts have a million modes;
 * most are cut off, and so many nodes take some hundredths of a second.
 */
#define MODES_UNKNOWNS_TEXT "40"
enum { MODES_UNKNOWNS = 40, MODES_NODES = 5000 };

/* .. of dense problems, whose steps grow with the cube of their rows: from 115 rows on fewer, down
   to a number below which hardly anything is solved. */
enum { BRIEF_STEPS_LEAST = 50, BRIEF_PRODUCTS = 4000000 };

static int32_t brief_steps(const ss_cone *p)
{
    if (p->nv > 0 || p->W.dense == NULL) {
        return BRIEF_STEPS;
    }
    int64_t steps = BRIEF_PRODUCTS / ((int64_t)p->n * p->n + 1);
    return steps > BRIEF_STEPS         ? BRIEF_STEPS
           : steps < BRIEF_STEPS_LEAST ? BRIEF_STEPS_LEAST
                                       : (int32_t)steps;
}

/* Links that are there for problems which must be solved, whatever it takes. */
static bool is_last_resort(link k, const ss_cone *p)
{
    return k == MODES || k == SPLITTING || k == PATIENT_SWEEPS || k == PATIENT_NEWTON ||
           (k == PIVOTS && p->n > BRIEF_PIVOT_ROWS);
}

static bool pivots_early(const ss_cone *p)
{
    return ss_polygon_start_takes(p) && ss_polygon_start_exact(p) <= EXACT_UNKNOWNS;
}

/* What a link asks of the problem. */
static bool link_applies(link k, const ss_cone *p, const ss_solution *x)
{
    switch (k) {
    case QUICK_NEWTON:
        return x->warm && p->n <= FEW_ROWS;
    case PLAIN_SWEEPS:
    case TURNS:
    case PATIENT_NEWTON:
        return ss_ipm_takes(p);
    case SWEEPS:
    case NEWTON:
    case COLD_NEWTON:
    case SPLITTING: /* piles: of eleven it solved two, and took seconds for the rest */
        return !ss_ipm_takes(p);
    case FIRST_NEWTON:
    case INTERIOR:
        return ss_ipm_dense_takes(p);
    case EXACT_PIVOTS:
        return pivots_early(p);
    case PIVOTS:
        return ss_polygon_start_takes(p) && !pivots_early(p);
    case MODES:
        return ss_polygon_start_takes(p) && ss_polygon_start_exact(p) <= MODES_UNKNOWNS;
    case POLISH:
        return ss_cone_polish_takes(p) && x->residual <= SS_POLISH_NEAR;
    default:
        return true;
    }
}

/* The solver of LCPs that a link asks for, made when first needed; NULL: st->cone.status. */
static ss_solver *lcp_solver(ss_solver *s, link k)
{
    contact_state *st   = ss_solver_state(s);
    ss_solver    **made = k == MODES ? &st->modes : &st->lemke;
    if (*made != NULL) {
        return *made;
    }
    ss_context *ctx = ss_solver_context(s);
    st->cone.status = ss_solver_create_named(ctx, k == MODES ? "enumerate" : "lemke", made);
    if (k == MODES && *made != NULL) {
        ss_solver_common(*made)->max_iter = MODES_NODES;
        st->cone.status                   = ss_solver_set(*made, "max_n", MODES_UNKNOWNS_TEXT);
    }
    return *made;
}

/* Pivoting, then Newton's method from there: in the plane there is nothing left to do for it. */
static bool pivot(ss_solver *s, link k, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    contact_state *st  = ss_solver_state(s);
    ss_solver     *lcp = lcp_solver(s, k);
    if (lcp == NULL || st->cone.status != SS_OK) {
        return true;
    }
    if (!ss_polygon_start_run(s, lcp, p, a, x, &st->cone.status)) {
        return false;
    }
    if (st->cone.status != SS_OK || x->outcome != SS_LIMIT) {
        return true;
    }
    ss_ac_settings newton = {.alpha = SS_AC_ALPHA_NEAR,
                             .steps = ss_solver_common(s)->brief ? BRIEF_STEPS : 0};
    int32_t        pivots = x->iterations;
    bool           fit    = ss_ac_run(s, &newton, &st->cone.lu, p, a, x, &st->cone.status);
    x->iterations += pivots;
    return fit;
}

/*
 * Dense problems: interior points find the sets, Newton's method the digits. Where the path to the
 * end folds, another start has another path: the first near the guess, the next ones further inside
 * from where Newton's method stopped.
 */
static bool go_inside(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    ss_cone_state *st     = ss_solver_state(s);
    double         inside = SS_IPM_INSIDE;
    best           b;
    if (!best_make(p, a, &b)) {
        return false;
    }
    size_t    mark   = ss_arena_mark(a);
    const int starts = ss_solver_common(s)->brief && brief_steps(p) < BRIEF_STEPS ? 1 : STARTS;
    for (int start = 0; start < starts; start++, inside *= SS_IPM_FURTHER) {
        ss_ac_settings finish = {.alpha = SS_AC_ALPHA_QUICK, .steps = FINISHING_STEPS};
        ss_arena_release(a, mark);
        if (!ss_ipm_dense_run(s, inside, p, a, x)) {
            return false;
        }
        best_keep(p, x, &b);
        if (x->outcome != SS_SOLVED && !ss_ac_run(s, &finish, &st->lu, p, a, x, &st->status)) {
            return false;
        }
        best_keep(p, x, &b);
        bool enough = b.residual <= ss_solver_common(s)->enough;
        if (x->outcome == SS_SOLVED || enough || st->status != SS_OK || ss_solver_out_of_time(s)) {
            break;
        }
    }
    best_give(p, &b, x);
    return true;
}

/*
 * Interior points and Newton's method in turns, each from where the other stopped (from the best
 * point so far it takes longer). Newton's turns grow longer; every eighth turn starts where the
 * first one did, as some points lead nowhere.
 */
static bool take_turns(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    ss_cone_state *st    = ss_solver_state(s);
    size_t         bytes = (size_t)p->n * sizeof *x->z;
    double        *start = ss_arena_alloc(a, (size_t)p->n, sizeof *start);
    best           b;
    if (start == NULL || !best_make(p, a, &b)) {
        return false;
    }
    size_t mark = ss_arena_mark(a);
    memcpy(start, x->z, bytes);
    const int turns = ss_solver_common(s)->brief ? BRIEF_TURNS : TURNS_MAX;
    for (int turn = 0; turn < turns; turn++) {
        ss_ac_settings newton = {
            .alpha = SS_AC_ALPHA, .sweeps = 10, .steps = TURN_STEPS * (turn + 1) / 2};
        bool afresh = turn % 8 == 7;
        if (afresh) {
            memcpy(x->z, start, bytes);
            newton.steps *= 4;
        }
        ss_arena_release(a, mark);
        bool fit = turn % 2 == 0 ? ss_ipm_run(s, p, a, x)
                                 : ss_ac_run(s, &newton, &st->lu, p, a, x, &st->status);
        if (!fit) {
            return false;
        }
        best_keep(p, x, &b);
        bool enough = turn > 0 && b.residual <= ss_solver_common(s)->enough;
        if (x->outcome == SS_SOLVED || enough || st->status != SS_OK || ss_solver_out_of_time(s)) {
            break;
        }
    }
    best_give(p, &b, x);
    return true;
}

/* Sweeps over a dense W that cost no more than a fraction of a second: counted, not timed. */
static int32_t last_sweeps(const ss_cone *p)
{
    const double products = 4e8;
    double       sweeps   = products / ((double)p->n * (double)p->n);
    return p->W.dense == NULL ? 0 : (int32_t)fmin(fmax(sweeps, 1000), 1e5);
}

static bool run_link(ss_solver *s, link k, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    ss_cone_state   *st      = ss_solver_state(s);
    ss_nsgs_settings trial   = {.patience = patience(p)},
                     patient = {.patience = 0, .sweeps = last_sweeps(p)},
                     plain   = {.plain = true, .sweeps = PILE_SWEEPS};
    ss_ac_settings newton = {.alpha = SS_AC_ALPHA}, cold = {.alpha = SS_AC_ALPHA, .sweeps = 10},
                   first = {.alpha = SS_AC_ALPHA, .steps = FIRST_STEPS},
                   quick = {.alpha = SS_AC_ALPHA_QUICK, .steps = 20}, last = {.alpha = 1};
    ss_admm_settings split = {.rho = 0.1, .relaxation = 1.6, .patience = 2000};
    x->outcome             = SS_NOT_APPLICABLE;
    x->iterations          = 0;
    bool brief             = ss_solver_common(s)->brief;
    if (!link_applies(k, p, x) || (brief && is_last_resort(k, p))) {
        return true;
    }
    newton.steps = cold.steps = brief ? brief_steps(p) : 0;
    switch (k) {
    case QUICK_NEWTON:
        return ss_ac_run(s, &quick, &st->lu, p, a, x, &st->status);
    case PLAIN_SWEEPS:
        return ss_nsgs_run(s, &plain, p, a, x);
    case TURNS:
        return take_turns(s, p, a, x);
    case SWEEPS:
        return ss_nsgs_run(s, &trial, p, a, x);
    case FIRST_NEWTON:
        return ss_ac_run(s, &first, &st->lu, p, a, x, &st->status);
    case INTERIOR:
        return go_inside(s, p, a, x);
    case NEWTON:
        return ss_ac_run(s, &newton, &st->lu, p, a, x, &st->status);
    case POLISH:
        return ss_cone_polish_run(s, p, a, x);
    case COLD_NEWTON:
        memset(x->z, 0, (size_t)p->n * sizeof *x->z);
        return ss_ac_run(s, &cold, &st->lu, p, a, x, &st->status);
    case EXACT_PIVOTS:
    case PIVOTS:
    case MODES:
        return pivot(s, k, p, a, x);
    case SPLITTING:
        return ss_admm_run(s, &split, &st->lu, p, a, x, &st->status);
    case PATIENT_SWEEPS:
        return ss_nsgs_run(s, &patient, p, a, x);
    case PATIENT_NEWTON:
        return ss_ac_run(s, &last, &st->lu, p, a, x, &st->status);
    }
    return true;
}

/* The velocity that the reaction of a block gives its own rows. */
static double effect(const ss_cone *p, const ss_block *b, const double *r)
{
    double most = 0;
    for (int32_t i = b->start; i < b->start + b->dim; i++) {
        most = fmax(most, fabs(r[i]) * p->W.dense[(size_t)i * (size_t)(p->W.ld + 1)]);
    }
    return most;
}

/* Blocks of at most so much effect become none; true: some was not none before. */
static bool leave_out(const ss_cone *p, double most, double *r)
{
    bool any = false;
    for (int32_t k = 0; k < p->nblocks; k++) {
        const ss_block *b = &p->blocks[k];
        if (effect(p, b, r) <= most) {
            for (int32_t i = b->start; i < b->start + b->dim; i++) {
                any  = any || r[i] != 0;
                r[i] = 0;
            }
        }
    }
    return any;
}

/*
 * Reactions that are rounding of the largest one, in contacts that nothing presses, become none:
 * with rounding pushing rounding no such contact is right by its own measure. How much is rounding
 * the certificate tells. True: solved so.
 */
static bool shake_off(ss_solver *s, const ss_cone *p, double *work, double *spare, ss_solution *x)
{
    double most = 0;
    memcpy(spare, x->z, (size_t)p->n * sizeof *spare);
    for (int32_t k = 0; k < p->nblocks; k++) {
        most = fmax(most, effect(p, &p->blocks[k], spare));
    }
    static const double parts[] = SS_SHAKEN_PARTS;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!leave_out(p, parts[i] * most, spare) && i > 0) {
            continue; /* that is what it was before */
        }
        double residual = ss_residual_cone(p, spare, NULL, work);
        if (residual <= ss_solver_common(s)->tol) {
            memcpy(x->z, spare, (size_t)p->n * sizeof *spare);
            x->residual = residual;
            x->outcome  = SS_SOLVED;
            return true;
        }
    }
    return false;
}

static bool run_chain(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    const ss_cone_state *st = ss_solver_state(s);
    best                 b;
    bool                 small = p->nv == 0 && p->W.dense != NULL;
    double *work  = ss_arena_alloc(a, small ? ss_residual_cone_work(p) : 0, sizeof *work);
    double *spare = ss_arena_alloc(a, small ? (size_t)p->n : 0, sizeof *spare);
    if (!best_make(p, a, &b) || !work || !spare) {
        return false;
    }
    if (small && shake_off(s, p, work, spare, x)) {
        return true;
    }
    bool   ray      = false;    /* pivoting says that there is no solution */
    double polished = INFINITY; /* residual from which digits were looked for in vain */
    size_t mark     = ss_arena_mark(a);
    for (int k = 0; k < LINKS && !(ray && chain[k] == PATIENT_SWEEPS); k++) {
        ss_arena_release(a, mark);
        if (chain[k] == POLISH) {
            if (!(b.residual < polished)) {
                continue; /* nothing has come nearer since */
            }
            best_give(p, &b, x);
            polished = b.residual;
        }
        if (!run_link(s, chain[k], p, a, x)) {
            return false;
        }
        best_keep(p, x, &b);
        bool proved = chain[k] == EXACT_PIVOTS && x->outcome == SS_INFEASIBLE;
        ray         = ray || x->outcome == SS_INFEASIBLE || x->outcome == SS_RAY;
        if (proved || (ray && chain[k] == EXACT_PIVOTS && ss_solver_common(s)->brief)) {
            break; /* there is none, or it is not worth looking for */
        }
        bool enough = (chain[k] == TURNS || chain[k] >= INTERIOR) &&
                      b.residual <= ss_solver_common(s)->enough;
        if (x->outcome == SS_SOLVED || enough || st->status != SS_OK || ss_solver_out_of_time(s)) {
            break;
        }
        if (small && x->outcome != SS_NOT_APPLICABLE && shake_off(s, p, work, spare, x)) {
            x->iterations = b.iterations;
            return true;
        }
    }
    ss_outcome outcome = x->outcome;
    best_give(p, &b, x);
    x->outcome = ray && outcome != SS_SOLVED    ? SS_RAY
                 : outcome == SS_NOT_APPLICABLE ? SS_LIMIT
                                                : outcome;
    return true;
}

/* p with its W dense; NULL: the arena is too small. */
static const ss_cone *densify(const ss_cone *p, ss_arena *a, ss_cone *dense)
{
    if (p->W.dense != NULL) {
        return p;
    }
    double *W = ss_arena_alloc(a, (size_t)p->n * (size_t)p->n, sizeof *W);
    if (W == NULL) {
        return NULL;
    }
    ss_matrix_to_dense(&p->W, W, p->n);
    *dense   = *p;
    dense->W = (ss_matrix){.rows = p->n, .cols = p->n, .dense = W, .ld = p->n};
    return dense;
}

static bool is_thorough(const ss_solver *s)
{
    return ((const contact_state *)ss_solver_state(s))->thorough;
}

static bool take_hasty(ss_solver *s, ss_solution *x)
{
    contact_state *st = ss_solver_state(s);
    st->hasty         = true;
    x->outcome        = SS_SOLVED;
    return true;
}

/*
 * Piles that are to be exact where that is not dearer. One that was solved exactly in the last step
 * mostly is again after a sweep. Near an exact answer, and for bodies that stand, Newton's method
 * is next, which leaves rounding alone where it ends, then sweeps. True in *done: solved; otherwise
 * x is as it was.
 */
static bool settle_pile(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x, bool *done)
{
    ss_cone_state   *st     = ss_solver_state(s);
    ss_nsgs_settings look   = {.plain = true, .sweeps = 1},
                     sweeps = {.plain = true, .sweeps = SETTLING_SWEEPS};
    ss_ac_settings newton   = {.alpha = SS_AC_ALPHA_QUICK,
                               .steps = SETTLING_STEPS,
                               .most  = SETTLING_SWEEPS * ss_cone_entries(p)};
    size_t         mark     = ss_arena_mark(a);
    double        *guess    = ss_arena_alloc(a, (size_t)p->n, sizeof *guess);
    if (guess == NULL) {
        return false;
    }
    memcpy(guess, x->z, (size_t)p->n * sizeof *guess);
    size_t made = ss_arena_mark(a);
    bool   fit  = ss_nsgs_run(s, &look, p, a, x);
    bool   near = x->outcome != SS_NOT_APPLICABLE && x->residual <= SS_PILE_NEAR;
    if (fit && (near || x->stands) && x->outcome != SS_SOLVED) {
        ss_arena_release(a, made);
        memcpy(x->z, guess, (size_t)p->n * sizeof *guess);
        fit = ss_ac_run(s, &newton, &st->lu, p, a, x, &st->status);
    }
    if (fit && near && x->outcome != SS_SOLVED && st->status == SS_OK) {
        ss_arena_release(a, made);
        memcpy(x->z, guess, (size_t)p->n * sizeof *guess);
        fit = ss_nsgs_run(s, &sweeps, p, a, x);
    }
    *done = x->outcome == SS_SOLVED || st->status != SS_OK;
    if (fit && !*done) {
        memcpy(x->z, guess, (size_t)p->n * sizeof *guess);
        ss_solver_changed(s);
    }
    ss_arena_release(a, mark);
    return fit;
}

/* What sweeps found is enough. Is more of it worth a try? */
static bool may_be_exact(const ss_cone *p, const ss_solution *x)
{
    return x->outcome == SS_SOLVED && x->polish &&
           (p->n <= PILE_EXACT_ROWS || (x->stands && ss_ipm_takes(p) && p->n <= MANY_ROWS));
}

/*
 * What holds bodies that stand, which is worth more digits than others: the next step begins with
 * it, and where rounding of that step is all that is missed, it ends with it. At rest friction
 * moves nothing, so that the problem is as good as convex: interior points end in some 25 steps.
 */
static bool hold_pile(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    ss_common *set = ss_solver_common(s);
    double     tol = set->tol;
    set->tol       = SS_PILE_HELD * tol;
    bool fit       = take_turns(s, p, a, x);
    set->tol       = tol;
    x->outcome     = fit && x->residual <= tol ? SS_SOLVED : x->outcome;
    return fit;
}

/* .. exact, from there, or as it was. */
static bool finish_pile(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    ss_cone_state *st     = ss_solver_state(s);
    ss_ac_settings quick  = {.alpha = SS_AC_ALPHA_QUICK, .steps = 20};
    int32_t        sweeps = x->iterations;
    size_t         mark   = ss_arena_mark(a);
    best           b;
    if (!best_make(p, a, &b)) {
        return false;
    }
    best_keep(p, x, &b);
    ss_solver_changed(s);
    bool few = p->n <= PILE_EXACT_ROWS;
    if (few ? !ss_ac_run(s, &quick, &st->lu, p, a, x, &st->status) : !hold_pile(s, p, a, x)) {
        return false;
    }
    int32_t steps = x->iterations;
    if (x->outcome != SS_SOLVED) {
        best_give(p, &b, x);
    }
    x->iterations = sweeps + steps;
    x->outcome    = SS_SOLVED;
    ss_arena_release(a, mark);
    return true;
}

/*
 * Piles that need only move right: sweeps with momentum. Where a factorisation costs little, a few
 * Newton steps from there mostly make the answer exact. False in *done: go on with the chain.
 */
static bool sweep_pile(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x, bool *done)
{
    size_t mark = ss_arena_mark(a);
    *done       = false;
    if (!(x->enough > 0)) {
        return true;
    }
    if (x->polish && (x->stands || x->better > 0) && ss_ipm_takes(p) && p->n <= MANY_ROWS) {
        if (!settle_pile(s, p, a, x, done) || *done) {
            return *done;
        }
    }
    if (!ss_pile_run(s, p, a, x)) {
        return false;
    }
    *done = x->outcome == SS_SOLVED || (x->outcome == SS_LIMIT && p->n > MANY_ROWS);
    ss_arena_release(a, mark);
    bool inexact = *done && !(x->residual <= ss_solver_common(s)->tol);
    return inexact && may_be_exact(p, x) ? finish_pile(s, p, a, x) : true;
}

/* Few rows on many velocities (elastic bodies): up to this many the local form costs less than the
   first factorisation of the chain. */
enum { CONDENSED_DOFS = 300 };

/* The small local form of a global one, from x. True in *done: solved. False: no room. */
static bool condense(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x, bool *done)
{
    double      tol = ss_solver_common(s)->tol;
    ss_delassus M;
    ss_cone     local;
    double     *work = ss_arena_alloc(a, ss_residual_cone_work(p), sizeof *work);
    if (work == NULL) {
        return false;
    }
    ss_reduced made = SS_REDUCED_SINGULAR;
    if (!(ss_residual_cone(p, x->z, x->v, work) <= tol) && p->n <= SS_CONE_SMALL) {
        made = ss_reduce_delassus(p, a, &M, &local);
    }
    if (made == SS_REDUCED && ss_cone_small_takes(&local)) {
        ss_cone_small_solve(&local, x->z, true, 0, &x->iterations);
        ss_solver_worked(s, (1.0 + x->iterations) * ss_dense_lu_products(p->n));
        ss_reduce_delassus_back(p, &M, x->z, x->v);
    }
    if (made == SS_REDUCED_NO_ROOM) {
        return false;
    }
    x->residual = ss_residual_cone(p, x->z, x->v, work);
    *done       = x->residual <= tol;
    x->outcome  = *done ? SS_SOLVED : x->outcome;
    return true;
}

/*
 * The chain; where it leaves a global form open that is small enough for its local form, the chain
 * on that: it has other methods (interior points in reactions, pivots), and other rounding.
 */
static bool run_either_form(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    size_t      mark = ss_arena_mark(a);
    best        b;
    ss_delassus M;
    ss_cone     local;
    if (!run_chain(s, p, a, x)) {
        return false;
    }
    if (x->outcome == SS_SOLVED || ss_solver_common(s)->brief || !ss_cone_polish_takes(p) ||
        x->residual <= ss_solver_common(s)->enough || ss_solver_out_of_time(s)) {
        return true;
    }
    ss_arena_release(a, mark);
    double    *work  = ss_arena_alloc(a, ss_residual_cone_work(p), sizeof *work);
    bool       fit   = work != NULL && best_make(p, a, &b);
    ss_reduced made  = fit ? ss_reduce_delassus(p, a, &M, &local) : SS_REDUCED_NO_ROOM;
    ss_outcome first = x->outcome;
    if (made != SS_REDUCED) {
        return made == SS_REDUCED_SINGULAR;
    }
    best_keep(p, x, &b);
    memset(x->z, 0, (size_t)p->n * sizeof *x->z);
    if (!run_chain(s, &local, a, x)) {
        return false;
    }
    ss_reduce_delassus_back(p, &M, x->z, x->v);
    x->residual = ss_residual_cone(p, x->z, x->v, work);
    best_keep(p, x, &b);
    best_give(p, &b, x);
    x->outcome = x->residual <= ss_solver_common(s)->tol ? SS_SOLVED : first;
    return true;
}

/* Few velocities: Newton's method in them, or failing that the small local form. */
static bool attempt_global(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    bool swept, condensed = false;
    if (!sweep_pile(s, p, a, x, &swept)) {
        return false;
    }
    if (swept) {
        return true;
    }
    bool few   = ss_velocity_takes(p),
         small = !x->warm && p->n <= SS_CONE_SMALL && p->nv <= CONDENSED_DOFS;
    if (is_thorough(s) || (!few && !small)) {
        return run_either_form(s, p, a, x);
    }
    if (few) {
        double error = ss_velocity_run(p, x->z, x->v, &x->iterations);
        ss_solver_worked(s, (1.0 + x->iterations) * ss_cone_entries(p));
        if (error <= SS_NO_SECOND_LOOK) {
            return take_hasty(s, x);
        }
    }
    size_t mark = ss_arena_mark(a);
    if (!condense(s, p, a, x, &condensed)) {
        return false;
    }
    ss_arena_release(a, mark);
    return condensed || run_either_form(s, p, a, x);
}

static bool attempt_local(ss_solver *s, const ss_cone *dense, ss_arena *a, ss_solution *x)
{
    const ss_cone *p = dense;
    if (p->n > SS_CONE_SMALL || is_thorough(s)) {
        return run_chain(s, dense, a, x);
    }
    double error = INFINITY;
    if (ss_cone_small_takes(dense)) {
        error =
            ss_cone_small_solve(dense, x->z, x->warm, ss_solver_common(s)->enough, &x->iterations);
        ss_solver_worked(s, (1.0 + x->iterations) * ss_dense_lu_products(p->n));
    }
    if (error < SS_NO_SECOND_LOOK) {
        return take_hasty(s, x);
    }
    double *work = ss_arena_alloc(a, ss_residual_cone_work(dense), sizeof *work);
    if (work == NULL) {
        return false;
    }
    double residual = ss_residual_cone(dense, x->z, NULL, work);
    bool   enough   = x->warm && residual <= ss_solver_common(s)->enough;
    if (residual <= ss_solver_common(s)->tol || enough) {
        x->outcome  = enough ? SS_LIMIT : SS_SOLVED; /* what was found decides (solver.c) */
        x->residual = residual;
        return true;
    }
    return run_chain(s, dense, a, x);
}

/* After more steps and sweeps, where an answer was found is a matter of rounding. */
enum { LONG = 16 };

/*
 * An answer that was not there before: to its last digit, and of many the one of the rule
 * (cone_set.h), if that passes the certificate as well.
 */
static bool share_loads(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    ss_shared shared;
    size_t    mark  = ss_arena_mark(a);
    double   *r     = ss_arena_alloc(a, (size_t)p->n, sizeof *r);
    double   *work  = ss_arena_alloc(a, ss_residual_cone_work(p), sizeof *work);
    bool      exact = ((const contact_state *)ss_solver_state(s))->hasty;
    if (r == NULL || work == NULL) {
        return false;
    }
    memcpy(r, x->z, (size_t)p->n * sizeof *r);
    ss_share_from from = x->iterations > LONG ? SS_SHARE_FAR
                         : exact              ? SS_SHARE_EXACT
                                              : SS_SHARE_NEAR;
    if (!ss_cone_share(p, a, r, from, &shared)) {
        return false;
    }
    ss_solver_worked(s, shared.products);
    double residual = shared.found ? ss_residual_cone(p, r, NULL, work) : INFINITY;
    bool   solved   = residual <= ss_solver_common(s)->tol;
    if (solved || residual <= ss_solver_common(s)->enough) {
        memcpy(x->z, r, (size_t)p->n * sizeof *r);
        x->residual = residual;
        x->outcome  = solved ? SS_SOLVED : SS_LIMIT; /* what was found decides (solver.c) */
        x->iterations += shared.steps;
    }
    ss_arena_release(a, mark);
    return true;
}

static bool guess_slides(const ss_cone *p, const ss_solution *x)
{
    for (int32_t k = 0; x->warm && k < p->nblocks; k++) {
        const ss_block *b = &p->blocks[k];
        const double   *r = x->z + b->start;
        double          f = 0, limit = SS_SHARE_SLIDES * b->mu * r[0];
        for (int32_t i = 1; b->kind == SS_BLOCK_CONE && i < b->dim; i++) {
            f += r[i] * r[i];
        }
        if (f > 0 && f >= limit * limit) {
            return true;
        }
    }
    return false;
}

/* What slides goes on from the guess, whose set is likely to hold still. *done: it does. */
static bool slide_on(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x, bool *done)
{
    *done = false;
    if (is_thorough(s) || !ss_cone_small_takes(p) || !guess_slides(p, x)) {
        return true;
    }
    x->iterations = 0;
    if (ss_cone_small_error(p, x->z) < SS_NO_SECOND_LOOK) {
        *done = take_hasty(s, x);
        return true;
    }
    ss_shared shared;
    size_t    mark = ss_arena_mark(a);
    if (!ss_cone_share(p, a, x->z, SS_SHARE_GUESS, &shared)) {
        return false;
    }
    ss_arena_release(a, mark);
    ss_solver_worked(s, shared.products);
    if (shared.found) {
        x->iterations = shared.steps;
        *done         = take_hasty(s, x);
    }
    return true;
}

static bool attempt(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    if (p->nv > 0) {
        return attempt_global(s, p, a, x);
    }
    ss_cone        made;
    const ss_cone *dense = p->n <= SS_CONE_SMALL ? densify(p, a, &made) : p;
    bool           done = false, takes = dense != NULL && ss_cone_share_takes(dense);
    if (dense == NULL || (takes && !slide_on(s, dense, a, x, &done))) {
        return false;
    }
    if (done || !attempt_local(s, dense, a, x)) {
        return done;
    }
    const ss_common *set  = ss_solver_common(s);
    bool             near = x->outcome == SS_SOLVED || x->residual <= fmax(set->tol, set->enough);
    bool             anew = near && x->iterations > 0;
    return anew && takes ? share_loads(s, dense, a, x) : true;
}

/*
 * Small paths weigh what laws miss by what the whole problem has at stake, and so may overlook a
 * contact that has next to nothing beside others. The certificate does not, and is due anyway.
 */
static ss_status solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    contact_state *st = ss_solver_state(s);
    st->hasty = st->thorough = false;
    SS_TRY(ss_cone_frame(s, p, x, attempt));
    if (!st->hasty) {
        return SS_OK;
    }
    SS_TRY(ss_solver_certify(s, p, x));
    if (x->residual <= ss_solver_common(s)->tol) {
        return SS_OK;
    }
    int32_t spent = x->iterations;
    bool    warm  = x->warm;
    st->thorough  = true;
    x->warm       = true; /* what the small path found is no bad start */
    ss_solver_changed(s);
    SS_TRY(ss_cone_frame(s, p, x, attempt));
    x->warm = warm;
    x->iterations += spent;
    return SS_OK;
}

static void release(ss_solver *s)
{
    ss_solver_destroy(((contact_state *)ss_solver_state(s))->lemke);
    ss_solver_destroy(((contact_state *)ss_solver_state(s))->modes);
    ss_cone_release(s);
}

const ss_solver_class ss_solver_contact = {
    .name       = "contact",
    .summary    = "friction contact: last active set, then sweeps, interior points, Newton, ADMM",
    .accepts    = SS_CONE,
    .traits     = SS_TRAIT_WARM_STARTS | SS_TRAIT_SPARSE,
    .state_size = sizeof(contact_state),
    .solve      = solve,
    .release    = release,
};
