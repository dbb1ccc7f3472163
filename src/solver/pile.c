/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pile: sweeps with momentum per contact, until the motion is right (docs/theory/piles.md).
 *
 * The largest velocity by which a sweep changes a contact is a cheap sign of the motion error c;
 * only where it promises enough is the certificate computed, which decides. Where none is asked for
 * (x->enough = 0), the residual does.
 *
 * Friction is not monotone, and some problems make sweeps go round in circles, slowly: a hundred
 * sweeps and more a turn. What does not end in PATIENT sweeps goes on without momentum, and the
 * means of the reactions over windows of sweeps, each a little longer than the one before, are
 * where sweeps start again: cones are convex, so the mean is a reaction like the others, and it
 * lies near the middle of the circle.
 */
#include <math.h>
#include <string.h>

#include "problem/residual.h"
#include "solver/cone_frame.h"
#include "solver/cone_methods.h"
#include "solver/delegate.h"
#include "solver/pile.h"
#include "solver/tolerances.h"

/*
 * WASH: sweeps after which velocities are summed up anew, rid of rounding. LEAST: sweeps that are
 * made even where fewer are enough. A pile at rest begins each step with the reactions of the last
 * one, so what one step leaves the next ones take away, and the pile does not creep; without them
 * each would stop at once, with the same error. THREADS_FROM: blocks from which on threads share a
 * sweep; fewer are visited sooner than threads meet at the end of each colour. BETTER: sweeps that
 * are made for more than is enough, where that is asked for. LOOKS: with momentum what contacts
 * miss goes up and down by half and more from sweep to sweep, while changes tell little of it; long
 * solves are looked at so often, at an eighth of their time, and end at the first dip.
 */
enum {
    THREADS_FROM = 1000,
    LEAST        = 12,
    SWEEPS_MAX   = 5000,
    BETTER       = 200,
    WASH         = 64,
    PATIENT      = 2000,
    LOOKS_FROM   = 32,
    LOOKS_EVERY  = 4,
    WINDOW       = 50,
    WIDER        = 25
};

/* Reactions, summed up over a window of sweeps. */
typedef struct average {
    double *sum; /* (n) */
    int32_t count, window;
} average;

typedef struct judge {
    double aim;   /* what may be missed, in m/s                             */
    double trust; /* change of a sweep, in m/s, that is worth a closer look */
} judge;

static void aim_at(double speed, judge *j)
{
    j->aim   = speed;
    j->trust = SS_PILE_PROMISING * speed;
}

/* The certificate; true: enough. It is ss_solve()'s own, which does not compute it again. */
static bool certify(ss_solver *s, ss_pile *pile, ss_solution *x)
{
    ss_cone_state   *st = ss_solver_state(s);
    const ss_problem p  = {.type = SS_CONE, .as.cone = *pile->p};
    ss_pile_get(pile, x->z);
    ss_pile_velocities(pile, x->z, x->v);
    st->status = ss_solver_certify(s, &p, x);
    if (st->status == SS_OK && ss_good_enough(x, ss_solver_common(s)->tol)) {
        return true;
    }
    ss_solver_changed(s); /* sweeps go on */
    return false;
}

/* After a look that was not enough: how much smaller a change must be for the next one. */
static void ask_for_more(double share, double change, judge *j)
{
    j->trust = change * fmin(0.9, fmax(0.1, share));
}

/* Is it time to look? Changes promise enough, or the solve has become a long one. */
static bool is_time(int32_t sweeps, double change, const judge *j, const ss_solution *x)
{
    bool often = x->enough > 0 && sweeps > LOOKS_FROM && sweeps % LOOKS_EVERY == 1;
    return (change <= j->trust && sweeps >= LEAST) || (often && change <= SS_PILE_HOPEFUL * j->aim);
}

/* Is it enough? First by what sweeps know themselves, then by the certificate, which decides. */
static bool look(ss_solver *s, ss_pile *pile, double change, judge *j, ss_solution *x)
{
    double missed = x->enough > 0 ? ss_pile_missed(pile) : 0;
    if (missed > SS_PILE_MISSED * j->aim) {
        ask_for_more(j->aim / missed, change, j);
        return false;
    }
    if (certify(s, pile, x)) {
        return true;
    }
    double tol = ss_solver_common(s)->tol;
    ask_for_more(x->enough > 0 ? x->enough / x->motion : tol / x->residual, change, j);
    return false;
}

/* Takes the reactions into the mean; at the end of a window sweeps start again from there. */
static void go_to_mean(ss_pile *pile, average *m, ss_solution *x)
{
    const int32_t n = pile->p->n;
    ss_pile_get(pile, x->z);
    for (int32_t i = 0; i < n; i++) {
        m->sum[i] += x->z[i];
    }
    if (++m->count < m->window) {
        return;
    }
    for (int32_t i = 0; i < n; i++) {
        x->z[i]   = m->sum[i] / m->count;
        m->sum[i] = 0;
    }
    m->count = 0;
    m->window += WIDER;
    ss_pile_put(pile, x->z);
    ss_pile_refresh(pile, x->z);
}

/* Does float hide part of the velocities that are asked for? Rounding is 2^-24 of each of its
   terms. */
static bool is_too_coarse(const ss_pile *pile, const judge *j)
{
    return pile->fine == NULL &&
           SS_PILE_FLOAT_ROUNDING * ss_pile_stake(pile) > SS_PILE_FLOAT_SHARE * j->aim;
}

/* Velocities are summed up anew from the reactions; false: in float they are too coarse. */
static bool wash(ss_pile *pile, const judge *j, ss_solution *x)
{
    ss_pile_get(pile, x->z);
    ss_pile_refresh(pile, x->z);
    return !is_too_coarse(pile, j);
}

/* SS_INACCURATE: float is too coarse. Counts sweeps in x->iterations. */
static ss_outcome sweep_until(ss_solver *s, ss_pile *pile, judge *j, average *m, ss_solution *x)
{
    const ss_common *c       = ss_solver_common(s);
    int32_t          most    = c->max_iter > 0 ? c->max_iter : SWEEPS_MAX;
    double           entries = ss_cone_entries(pile->p);
    for (int32_t k = x->iterations; k < most; k++) {
        double change = ss_pile_sweep(pile);
        ss_solver_worked(s, entries);
        x->iterations = k + 1;
        if (k == BETTER && x->better > 0) {
            aim_at(x->enough * pile->scale, j);
        }
        if (!isfinite(change)) {
            return pile->fine == NULL ? SS_INACCURATE : SS_NUMERICAL;
        }
        if (is_time(k + 1, change, j, x) || k + 1 == most) {
            if (look(s, pile, change, j, x)) {
                return SS_SOLVED;
            }
            if (((const ss_cone_state *)ss_solver_state(s))->status != SS_OK) {
                return SS_LIMIT;
            }
            if (is_too_coarse(pile, j)) {
                return SS_INACCURATE;
            }
        } else if (k % WASH == WASH - 1) {
            if (!wash(pile, j, x)) {
                return SS_INACCURATE;
            }
            if (ss_solver_out_of_time(s)) {
                return SS_LIMIT;
            }
        }
        if (k < PATIENT) {
            ss_pile_push(pile);
        } else {
            go_to_mean(pile, m, x);
        }
    }
    return SS_LIMIT;
}

/* From the reactions in x->z, in float or double; false: no room. */
static bool run_pile(ss_solver *s, const ss_cone *p, bool fine, ss_arena *a, ss_solution *x)
{
    ss_pile pile;
    judge   j;
    average mean = {.sum = ss_arena_alloc(a, (size_t)p->n, sizeof *mean.sum), .window = WINDOW};
    ss_pile_result built = ss_pile_build(&pile, p, fine, a);
    if (built == SS_PILE_REFUSED) {
        x->outcome = SS_NOT_APPLICABLE;
        return true;
    }
    pile.threads = p->nblocks >= THREADS_FROM ? ss_solver_common(s)->threads : 1;
    pile.threads = pile.threads > 1 ? pile.threads : 1;
    if (built == SS_PILE_SCRATCH || mean.sum == NULL) {
        return false;
    }
    memset(mean.sum, 0, (size_t)p->n * sizeof *mean.sum);
    double wanted = x->better > 0 ? x->better : x->enough;
    aim_at((wanted > 0 ? wanted : ss_solver_common(s)->tol) * pile.scale, &j);
    ss_pile_put(&pile, x->z);
    ss_pile_refresh(&pile, x->z);
    x->outcome = is_too_coarse(&pile, &j) ? SS_INACCURATE : sweep_until(s, &pile, &j, &mean, x);
    if (x->outcome != SS_SOLVED) {
        if (x->outcome != SS_INACCURATE || x->iterations > 0) {
            ss_pile_get(&pile, x->z);
        }
        ss_pile_velocities(&pile, x->z, x->v);
    }
    return true;
}

/* What is no number is no start. */
static void drop_nonsense(const ss_cone *p, ss_solution *x)
{
    for (int32_t i = 0; i < p->n; i++) {
        if (!isfinite(x->z[i])) {
            memset(x->z, 0, (size_t)p->n * sizeof *x->z);
            return;
        }
    }
}

bool ss_pile_run(ss_solver *s, const ss_cone *p, ss_arena *a, ss_solution *x)
{
    size_t mark   = ss_arena_mark(a);
    x->iterations = 0;
    if (!run_pile(s, p, !(x->enough > 0), a, x)) {
        return false;
    }
    if (x->outcome != SS_INACCURATE) {
        return true;
    }
    ss_arena_release(a, mark);
    drop_nonsense(p, x);
    return run_pile(s, p, true, a, x);
}

static ss_status solve(ss_solver *s, const ss_problem *p, ss_solution *x)
{
    return ss_cone_frame(s, p, x, ss_pile_run);
}

const ss_solver_class ss_solver_pile = {
    .name       = "pile",
    .summary    = "sweeps with momentum per contact, for many bodies; until the motion is right",
    .accepts    = SS_CONE,
    .traits     = SS_TRAIT_WARM_STARTS | SS_TRAIT_SPARSE | SS_TRAIT_SPECIAL,
    .state_size = sizeof(ss_cone_state),
    .solve      = solve,
    .release    = ss_cone_release,
};
