/* SPDX-License-Identifier: Apache-2.0 */
/* The share of the rule near an answer that was found otherwise. */
#include "solver/cone_share.h"
#include "solver/cone_set.h"

/* Sets that are tried from an answer, and from a guess: others go on where its set does not hold.
 */
enum { SETS = 24, SETS_GUESS = 3 };

/*
 * From a guess; what touches without a load in the answer is closed as well, and shares. Rows that
 * others make but for a gap of their own, however small, are left to those who find which one
 * bears.
 */
static bool find_from_guess(ss_cone_set *s)
{
    if (!ss_cone_set_choose(s) || !ss_cone_set_settle(s, SETS_GUESS)) {
        return false;
    }
    ss_cone_set_choose(s);
    return (!s->other || ss_cone_set_settle(s, SETS)) && ss_cone_set_holds(s);
}

/*
 * From an answer. False: nothing to do, or no share near by. Of what sticks everywhere one set
 * alone is tried: with friction at its bound and nothing that slides, directions are open.
 */
static bool find_share(ss_cone_set *s, bool exact)
{
    bool slips = ss_cone_set_choose(s);
    return (!exact || ss_cone_set_is_open(s)) && ss_cone_set_settle(s, slips ? SETS : 1);
}

bool ss_cone_share_takes(const ss_cone *p)
{
    return p->nblocks > 1 && ss_cone_set_takes(p);
}

bool ss_cone_share(const ss_cone *p, ss_arena *a, double *r, ss_share_from from, ss_shared *out)
{
    ss_cone_set s;
    *out = (ss_shared){0};
    if (!ss_cone_set_make(&s, p, a)) {
        return false;
    }
    bool guess = from == SS_SHARE_GUESS;
    out->found = ss_cone_set_begin(&s, r) &&
                 (guess ? find_from_guess(&s) : find_share(&s, from == SS_SHARE_EXACT));
    out->products = s.products;
    out->steps    = s.steps;
    for (int32_t i = 0; out->found && i < s.n; i++) {
        r[i] = s.r[i] / s.unit[i];
    }
    return true;
}
