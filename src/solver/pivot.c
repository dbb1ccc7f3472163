/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Principal pivoting for  w = M z + q,  0 <= z _|_ w >= 0.  Every basis is complementary, or almost
 * so while a negative variable is driven to zero. Three rules, by the option `rule`:
 *
 *   keller   (default) A negative basic variable x_r is chosen; its partner is increased until x_r
 *            reaches zero (exchange the pair r) or another basic variable x_k would turn negative:
 *            then the pair k is exchanged if its diagonal entry is positive, and the drive goes on;
 *            if the entry is zero, pairs r and k are exchanged together. For row-sufficient M, so
 * for all positive semidefinite ones. cottle   Dantzig and Cottle: the same drive, but the blocking
 * variable leaves for the driving one and its partner drives next, until x_r leaves. For positive
 * semidefinite and P matrices. murty    The pair of least index with a negative variable is
 * exchanged. Finite for P matrices.
 *
 * Before any of that guessed_set.c is asked: from a guess of many unknowns, and of few without one.
 *
 * A drive that nothing stops shows, for these matrices, that there is no solution; it is reported
 * as a ray.
 *
 * R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992,
 * sections 4.2, 4.3; E. L. Keller, Mathematical Programming 5 (1973) 147-163; K. G. Murty, Opsearch
 * 11 (1974) 172-179.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "solver/delegate.h"
#include "solver/dictionary.h"
#include "solver/guessed_set.h"
#include "solver/tolerances.h"
#include "stickslip/solver.h"

typedef enum rule { KELLER, COTTLE, MURTY } rule;

typedef struct settings {
    int32_t rule;
} settings;

typedef struct run {
    ss_solver    *s;
    ss_dictionary t;
    int32_t       limit;
    int32_t       pivots;
} run;

/* MANY unknowns: a dictionary of fewer is made sooner than sets are tried. */
enum { NONE = -1, RETAKES = 3, MANY = 17 };

static rule rule_of(const ss_solver *s)
{
    return (rule)((const settings *)ss_solver_settings(s))->rule;
}

static double noise(const ss_dictionary *t, int32_t row)
{
    return 16 * DBL_EPSILON * t->size[row];
}

static int32_t column_of(const ss_dictionary *t, int32_t variable)
{
    return -1 - t->place[variable];
}

/* The entry that couples the basic variable of a row with its own partner. */
static double diagonal(const ss_dictionary *t, int32_t row)
{
    int32_t col = column_of(t, ss_dictionary_partner(t, t->basic[row]));
    return ss_dictionary_column(t, col)[row];
}

static bool out_of_patience(run *r)
{
    return r->pivots >= r->limit || ss_solver_out_of_time_now(r->s, (r->pivots & 63) == 63);
}

static void exchange(run *r, int32_t row, int32_t col)
{
    ss_dictionary_pivot(&r->t, row, col);
    ss_solver_worked(r->s, ss_dictionary_products(&r->t));
    r->pivots++;
}

/* Exchange the pair whose basic variable is in `row`. */
static void exchange_pair(run *r, int32_t row)
{
    exchange(r, row, column_of(&r->t, ss_dictionary_partner(&r->t, r->t.basic[row])));
}

/* A negative basic variable: the most negative one, or the one of the least pair. */
static int32_t negative_row(const ss_dictionary *t, bool least_pair)
{
    int32_t best = NONE;
    for (int32_t i = 0; i < t->n; i++) {
        if (t->b[i] >= -noise(t, i)) {
            continue;
        }
        if (best == NONE ||
            (least_pair ? t->basic[i] % t->n < t->basic[best] % t->n : t->b[i] < t->b[best])) {
            best = i;
        }
    }
    return best;
}

/*
 * What stops column `col` from growing: the negative variable of `row` reaching zero, or one of the
 * nonnegative ones about to leave. Ties go to `row`, then to the least variable.
 */
static int32_t stopping_row(const ss_dictionary *t, int32_t row, int32_t col)
{
    const double *at    = ss_dictionary_column(t, col);
    double        theta = at[row] > SS_PIVOT_ZERO ? -t->b[row] / at[row] : INFINITY;
    int32_t       best  = theta < INFINITY ? row : NONE;
    for (int32_t i = 0; i < t->n; i++) {
        if (i == row || at[i] > -SS_PIVOT_ZERO || t->b[i] < -noise(t, i)) {
            continue;
        }
        double ratio = ss_max(t->b[i], 0) / -at[i];
        if (ratio < theta ||
            (ratio == theta && best != row && best != NONE && t->basic[i] < t->basic[best])) {
            theta = ratio;
            best  = i;
        }
    }
    return best;
}

/* Keller: drive the variable of pair r to zero by exchanges of pairs. */
static ss_outcome drive_keller(run *r, int32_t row)
{
    ss_dictionary *t     = &r->t;
    int32_t        drive = ss_dictionary_partner(t, t->basic[row]), negative = t->basic[row];
    while (!out_of_patience(r)) {
        int32_t stop = stopping_row(t, t->place[negative], column_of(t, drive));
        if (stop == NONE) {
            return SS_RAY;
        }
        if (t->basic[stop] == negative) {
            exchange(r, stop, column_of(t, drive));
            return SS_SOLVED;
        }
        if (diagonal(t, stop) > SS_PIVOT_ZERO) {
            exchange_pair(r, stop);
            continue;
        }
        int32_t partner = ss_dictionary_partner(t, t->basic[stop]);
        exchange(r, stop, column_of(t, drive));
        if (fabs(ss_dictionary_column(t, column_of(t, partner))[t->place[negative]]) <
            SS_PIVOT_ZERO) {
            return SS_NUMERICAL;
        }
        exchange(r, t->place[negative], column_of(t, partner));
        return SS_SOLVED;
    }
    return SS_LIMIT;
}

/* Dantzig and Cottle: the partner of what left drives next. */
static ss_outcome drive_cottle(run *r, int32_t row)
{
    ss_dictionary *t     = &r->t;
    int32_t        drive = ss_dictionary_partner(t, t->basic[row]), negative = t->basic[row];
    while (!out_of_patience(r)) {
        int32_t stop = stopping_row(t, t->place[negative], column_of(t, drive));
        if (stop == NONE) {
            return SS_RAY;
        }
        int32_t leaving = t->basic[stop];
        exchange(r, stop, column_of(t, drive));
        if (leaving == negative) {
            return SS_SOLVED;
        }
        drive = ss_dictionary_partner(t, leaving);
    }
    return SS_LIMIT;
}

static ss_outcome step_murty(run *r, int32_t row)
{
    if (fabs(diagonal(&r->t, row)) < SS_PIVOT_ZERO) {
        return SS_NUMERICAL; /* not a P matrix */
    }
    exchange_pair(r, row);
    return out_of_patience(r) ? SS_LIMIT : SS_SOLVED;
}

/* Until no basic variable is negative. */
static ss_outcome eliminate(run *r, rule how)
{
    for (;;) {
        int32_t row = negative_row(&r->t, how == MURTY);
        if (row == NONE) {
            return SS_SOLVED;
        }
        ss_outcome outcome = how == MURTY    ? step_murty(r, row)
                             : how == COTTLE ? drive_cottle(r, row)
                                             : drive_keller(r, row);
        if (outcome != SS_SOLVED) {
            return outcome;
        }
    }
}

/* Start with the pairs of the set exchanged, or with none of them if their block is singular. */
static void start_from(run *r, const ss_lcp *p, const unsigned char *inside)
{
    ss_dictionary_start(&r->t, p, 0, NULL);
    ss_patience patience = ss_solver_patience(r->s);
    bool        regular  = ss_dictionary_transform(&r->t, inside, &patience);
    ss_solver_worked(r->s, ss_dictionary_transform_products(&r->t, inside));
    if (!regular) {
        ss_dictionary_start(&r->t, p, 0, NULL);
    }
}

/* Pivot, check against the problem as given, and go on from there while rounding has spoilt it. */
static void pivot_and_check(run *r, const ss_lcp *p, ss_solution *x, unsigned char *inside)
{
    rule how = rule_of(r->s);
    for (int take = 0; take <= RETAKES; take++) {
        x->outcome = eliminate(r, how);
        if (x->outcome != SS_SOLVED) {
            return;
        }
        double violation = ss_dictionary_solution(&r->t, p, x->z);
        if (violation <= SS_BASIS_LOST || take == RETAKES) {
            return;
        }
        for (int32_t i = 0; i < p->n; i++) {
            inside[i] = r->t.place[i] >= 0;
        }
        start_from(r, p, inside);
    }
}

/* A guess of many unknowns may be a few exchanges away from an answer that is certified. */
static ss_status try_guess(ss_solver *s, const ss_problem *problem, const unsigned char *inside,
                           void *memory, ss_solution *x, bool *solved)
{
    double  products  = 0;
    int32_t exchanges = ss_guessed_set(&problem->as.lcp, inside, x->z, memory, &products);
    ss_solver_worked(s, products);
    if (exchanges >= 0) {
        x->iterations = exchanges;
        SS_TRY(ss_solver_certify(s, problem, x));
        *solved = x->residual <= SS_WELL_BELOW * ss_solver_common(s)->tol;
    }
    if (!*solved) {
        ss_solver_changed(s);
    }
    x->outcome = SS_SOLVED;
    return SS_OK;
}

/* Few unknowns without a guess: the set of negative rows is the answer's more often than not. */
static bool try_first_set(ss_solver *s, const ss_lcp *p, ss_solution *x)
{
    if (x->warm || p->n > SS_FIRST_SET_MOST || rule_of(s) != KELLER) {
        return false;
    }
    ss_solver_worked(s, 2.0 * p->n * p->n);
    x->outcome    = SS_SOLVED;
    x->iterations = 1;
    return ss_first_set(p, x->z);
}

static ss_status solve(ss_solver *s, const ss_problem *problem, ss_solution *x)
{
    const ss_lcp  *p     = &problem->as.lcp;
    size_t         first = ss_guessed_set_bytes(p->n), then = ss_dictionary_bytes(p->n);
    size_t         bytes  = first > then ? first : then;
    unsigned char *memory = ss_solver_memory(s, bytes + (size_t)p->n);
    bool           solved = false;
    if (try_first_set(s, p, x)) {
        return SS_OK;
    }
    if (memory == NULL) {
        return ss_fail(ss_solver_context(s), SS_ERR_MEMORY, "pivot: no memory for %d unknowns",
                       (int)p->n);
    }
    unsigned char *inside = memory + bytes;
    run            r      = {.s = s, .t = ss_dictionary_make(p->n, memory)};
    r.limit               = ss_solver_common(s)->max_iter > 0 ? ss_solver_common(s)->max_iter
                                                              : (rule_of(s) == MURTY ? 100 : 3) * (p->n + 10);
    for (int32_t i = 0; x->warm && i < p->n; i++) {
        inside[i] = x->z[i] > 0;
    }
    if (x->warm && p->n >= MANY && rule_of(s) == KELLER) {
        SS_TRY(try_guess(s, problem, inside, memory, x, &solved));
        if (solved) {
            return SS_OK;
        }
    }
    if (x->warm) {
        start_from(&r, p, inside);
    } else {
        ss_dictionary_start(&r.t, p, 0, NULL);
    }
    memset(x->z, 0, (size_t)p->n * sizeof *x->z);
    pivot_and_check(&r, p, x, inside);
    x->iterations = r.pivots;
    return SS_OK;
}

static const ss_option options[] = {{"rule", SS_OPTION_CHOICE, offsetof(settings, rule), KELLER,
                                     KELLER, MURTY, "keller|cottle|murty",
                                     "how pairs are chosen: see the head of pivot.c"},
                                    SS_OPTION_END};

const ss_solver_class ss_solver_pivot = {
    .name          = "pivot",
    .summary       = "principal pivoting: Keller, Dantzig-Cottle or Murty's least index",
    .accepts       = SS_LCP,
    .traits        = SS_TRAIT_EXACT | SS_TRAIT_WARM_STARTS,
    .options       = options,
    .settings_size = sizeof(settings),
    .solve         = solve,
};
