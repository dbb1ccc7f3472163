/* SPDX-License-Identifier: Apache-2.0 */
/* The share of the rule near an answer that was found otherwise. */
#include "solver/cone_share.h"
#include "solver/cone_path.h"
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
 * From an answer, in its own set: sets that follow from others depend on the first. Of what sticks
 * everywhere bodies move in the same way whatever the share.
 */
static bool find_in_set(ss_cone_set *s)
{
    ss_cone_set_choose(s);
    return ss_cone_set_settle(s, 1) && ss_cone_set_holds(s);
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
    if (!ss_cone_set_begin(&s, r)) {
        return true;
    }
    bool slips = ss_cone_set_choose(&s), done = from == SS_SHARE_GUESS;
    if (from == SS_SHARE_GUESS) {
        out->found = find_from_guess(&s);
    } else if (from == SS_SHARE_EXACT && !(slips && ss_cone_set_is_open(&s))) {
        done = true;
    } else if (from != SS_SHARE_FAR) {
        out->found = find_in_set(&s);
    }
    if (!out->found && !done && !ss_cone_path(&s, a, &out->found)) {
        return false;
    }
    if (!out->found && from == SS_SHARE_FAR && ss_cone_set_begin(&s, r)) {
        out->found = find_in_set(&s);
    }
    out->products = s.products;
    out->steps    = s.steps;
    for (int32_t i = 0; out->found && i < s.n; i++) {
        r[i] = s.r[i] / s.unit[i];
    }
    return true;
}
