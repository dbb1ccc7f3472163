/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verdicts at run time (simulation: {verdicts: true}): before each step the state is judged as
 * Dupont and Yamajako (1997) ask for in their section V. First: do contact forces exist, and is
 * there one motion? Then: which contacts bear forces in it? Last: are the boundary layers of these
 * stable? Where the theory of a question does not reach, the answer is "not applicable".
 */
#include <math.h>

#include "model/axes.h"
#include "sim/sim.h"
#include "stickslip/instant.h"

const char *ss_ruling_text(ss_ruling ruling)
{
#define SS_RULING_TEXT(code, text) [code] = text,
    static const char *const texts[]      = {SS_RULING_LIST(SS_RULING_TEXT)};
#undef SS_RULING_TEXT
    return (unsigned)ruling < sizeof texts / sizeof texts[0] ? texts[ruling] : "?";
}

/* Of problems whose solutions are all looked for: each unknown doubles the work at worst. */
enum { UNKNOWNS_MOST = 16 };

static ss_ruling ruling_of(ss_answer answer)
{
    return answer == SS_YES ? SS_RULING_YES : answer == SS_NO ? SS_RULING_NO : SS_RULING_UNDECIDED;
}

/* What steps turn within themselves counts as none in the states that they leave. */
static double resolution(const ss_model *m, const ss_data *d, double h)
{
    bool exact = ss_level_of(m)->step != NULL || d->state.t <= m->simulation.start;
    return exact ? 0 : 2 * h;
}

static ss_status judge_active(const ss_data *d, const ss_instant_verdict *v, ss_step_verdict *out)
{
    ss_instant_active active;
    bool one = v->giving > 0 ? v->limit_exists : v->exists == SS_YES && v->unique != SS_NO;
    if (!one) {
        return SS_OK; /* which of them is it that may be stable? */
    }
    SS_TRY(ss_instant_active_at(d->judge, 0, &active));
    out->active = active.contacts;
    out->stable = active.reached ? ruling_of(active.stable) : SS_RULING_NOT_APPLICABLE;
    return SS_OK;
}

ss_status ss_judge_before(const ss_model *m, ss_data *d, double h, ss_step_verdict *out)
{
    ss_instant_verdict v;
    double             layers = m->simulation.layers;
    ss_instant_set_layers(d->judge, layers > 0 ? layers : NAN);
    ss_instant_set_enumerate(d->judge, UNKNOWNS_MOST);
    ss_instant_set_resolution(d->judge, resolution(m, d, h));
    *out = (ss_step_verdict){.unique        = SS_RULING_NOT_APPLICABLE,
                             .forces_unique = SS_RULING_NOT_APPLICABLE,
                             .stable        = SS_RULING_NOT_APPLICABLE,
                             .solutions     = -1,
                             .active        = -1};
    SS_TRY(ss_instant_judge(d->judge, m, d, &v));
    SS_TRY(ss_not_stopped(d)); /* a search that was stopped proves nothing */
    if (v.refused != NULL || v.striking > 0) {
        return SS_OK;
    }
    if (v.giving == 0) {
        out->unique    = ruling_of(v.unique);
        out->solutions = v.exists == SS_UNDECIDED ? -1 : v.solutions;
    }
    if (v.exists == SS_YES) {
        out->forces_unique = ruling_of(v.forces_unique);
    }
    return judge_active(d, &v, out);
}
