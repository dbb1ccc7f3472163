/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Laws of impact may not make energy. Newton's law with friction, and either law where contacts of
 * one island differ, can return more than the compression took (Kane and Levinson 1985). What an
 * island returns is then scaled by one factor 0 <= s <= 1: e becomes s e at all of its contacts, in
 * Newton's term e u- and in Poisson's r = e c, so that
 *
 *   g(s) <= max(g(0), 0),     g(s): sum over the contacts of the island of p.(u- + u+)/2
 *
 * With s = 0 impacts and friction only take energy; where g(0) > 0 nevertheless, contacts that do
 * not strike gave it, because they turned or opened before the step (p u- > 0): that is of order
 * h^2, the scheme's and not the impact's. So after s = 1 comes s = 0. As long as the same contacts
 * slide and stick, impulses are linear in s and g is a parabola; the method of false position (the
 * Illinois variant, which moves both ends) finds its root in a few trials. It ends within 1/128, or
 * where the island returns all but a hundredth of the energy that it may. A trial that no solver
 * solved ends it as well: the step fails its certificate and is cut. Bodies carry s and g(0),
 * because islands are found anew in every round.
 *
 * Newton's law need not have a solution: what touches two walls and moves into one would have to
 * leave it, through the other. In the smallest part of a step an island that is struck and that no
 * solver solved therefore returns nothing, s = 0: it is a step without restitution, and those have
 * solutions wherever friction and joints allow any.
 */
#include <math.h>

#include "certify/certify.h"
#include "core/compare.h"
#include "sim/sim.h"
#include "sim/tolerances.h"

enum { TRIALS = 7 };

void ss_begin_rebounds(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < m->nb; i++) {
        d->rebound[i] = (ss_rebound){.factor = 1, .low = 0, .high = INFINITY};
    }
}

/* What is known of a body's factor after a trial with it, whose island made `excess`. */
static void learn(ss_rebound *x, double energy, double excess, bool makes)
{
    if (x->factor == 0) {
        x->base      = ss_max(energy, 0);
        x->gain_none = x->gain_low = ss_min(energy, 0);
    } else if (makes) {
        x->gain_low *= x->high < 1 ? 0.5 : 1; /* the same end again */
        x->high      = x->factor;
        x->gain_high = excess;
    } else if (isfinite(x->high)) {
        x->gain_high *= x->low > 0 ? 0.5 : 1;
        x->low      = x->factor;
        x->gain_low = excess;
    }
}

/* The bounds of the bodies of each island after a trial; true: some island made energy. */
static bool narrow(ss_data *d, const ss_impact_gain *gain)
{
    bool any = false;
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_island *isl    = &d->islands[i];
        double           excess = gain[i].energy - ss_rebound_base(d, i);
        bool             makes  = excess > gain[i].slack;
        for (int32_t k = 0; k < isl->body_count; k++) {
            learn(&d->rebound[isl->bodies[k]], gain[i].energy, excess, makes);
        }
        any = any || makes;
    }
    return any;
}

static double next_factor(const ss_rebound *x)
{
    double width = x->high - x->low;
    if (width <= SS_REBOUND_WIDTH || -x->gain_low <= -SS_REBOUND_LEFT * x->gain_none) {
        return x->low;
    }
    double part = -x->gain_low / (x->gain_high - x->gain_low); /* where little is made, near 1 */
    return x->low + width * ss_max(part, 0.1);
}

/* The factors of trial k; true: they differ from the last. */
static bool choose(const ss_model *m, ss_data *d, int k)
{
    bool changed = false;
    for (int32_t i = 0; i < m->nb; i++) {
        ss_rebound *x = &d->rebound[i];
        if (x->high <= 1) {
            double next = k == 1 || k > TRIALS ? x->low : next_factor(x);
            changed     = changed || next != x->factor;
            x->factor   = next;
        }
    }
    return changed;
}

static bool all_solved(const ss_model *m, const ss_data *d)
{
    bool all = true;
    for (int32_t i = 0; i < d->island_count; i++) {
        all = all && ss_island_solved(m, &d->islands[i]);
    }
    return all;
}

/* Islands that are struck and that no solver solved return nothing; true: there are some. */
static bool block_rebounds(const ss_model *m, ss_data *d)
{
    bool any = false;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b   = &d->rows.blocks[i];
        const ss_island    *isl = &d->islands[b->island];
        if (!b->strikes || ss_island_solved(m, isl)) {
            continue;
        }
        for (int32_t k = 0; k < isl->body_count; k++) {
            ss_rebound *x = &d->rebound[isl->bodies[k]];
            any           = any || x->factor > 0;
            x->factor = x->high = 0;
        }
    }
    return any;
}

ss_status ss_limit_rebounds(const ss_model *m, ss_data *d, double h, ss_stage rounds)
{
    bool made = false;
    if (d->cut.part.smallest && block_rebounds(m, d)) {
        SS_TRY(rounds(m, d, h));
    }
    for (int k = 1; k <= TRIALS + 1 && (d->cut.marks || all_solved(m, d)); k++) {
        ss_impact_gain *gain = ss_arena_alloc(&d->scratch, (size_t)d->island_count, sizeof *gain);
        if (gain == NULL) {
            return SS_ERR_SCRATCH;
        }
        SS_TRY(ss_impact_gains(m, d, h, gain));
        made = narrow(d, gain) || made;
        if (!made || !choose(m, d, k)) {
            return SS_OK;
        }
        SS_TRY(rounds(m, d, h));
    }
    return SS_OK;
}

double ss_rebound_factor(const ss_model *m, const ss_data *d)
{
    double least = 1;
    for (int32_t i = 0; i < m->nb; i++) {
        least = ss_min(least, d->rebound[i].factor);
    }
    return least;
}
