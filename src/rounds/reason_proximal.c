/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models without a matrix go from round to round by the proximal point method
 * (inertia/inertia_quasistatic.c) until the velocities stop changing: what is left of
 * e M (v_k - v_{k-1}) is then rounding and the forces balance. Bodies that nothing can hold run
 * away from round to round, and the rounds are over: there is no equilibrium.
 */
#include <math.h>
#include <string.h>

#include "inertia/proximal.h"

extern const ss_reason ss_reason_proximal;

/* How much a body's velocity changed in this round; what is all rounding becomes rest. */
static double change_of(const ss_model *m, ss_data *d, int32_t body)
{
    double  change[6] = {0};
    int32_t at        = m->bodies[body].v_start;
    double *v = d->v_next + at, *before = d->prox.v + at;
    if (ss_speed_of(m, body, v) <= SS_PROX_REST * d->prox.speed) {
        memset(v, 0, (size_t)m->dof * sizeof *v);
    }
    for (int32_t c = 0; c < m->dof; c++) {
        double size = fabs(v[c]) * ss_coordinate_scale(m, body, c);
        v[c] = size <= SS_PROX_ALONE * d->prox.speed ? 0 : v[c]; /* a coordinate alone in a row */
        change[c] = v[c] - before[c];
        before[c] = v[c];
    }
    return ss_speed_of(m, body, change);
}

/* What moves no faster than its noise is at rest; the certificate has the last word. */
static void rest_noise(const ss_model *m, ss_data *d)
{
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        double        *v = d->v_next + b->v_start;
        if (ss_body_moves(b) && ss_speed_of(m, i, v) <= SS_PROX_FEW * d->prox.change) {
            memset(v, 0, (size_t)m->dof * sizeof *v);
        }
    }
}

/*
 * How the rounds go on. Each takes the forces from the last to a solver's target at best, which is
 * seen as a small change that falls no further; and a change that stays the same is a force that
 * nothing balances.
 */
static void compare_rounds(const ss_model *m, ss_data *d, double left, int32_t body)
{
    bool small = left <= SS_PROX_NOISE * d->prox.speed;
    bool again = body == d->prox.restless && fabs(left - d->prox.change) <= SS_PROX_SAME * left;
    d->prox.stalled  = small && left > 0.5 * d->prox.change;
    d->prox.steady   = again ? d->prox.steady + 1 : 0;
    d->prox.change   = left;
    d->prox.restless = small ? -1 : body;
    if (d->prox.stalled) {
        rest_noise(m, d);
    }
}

/*
 * Does a body that changes by the same in every round leave everything behind in this step? Then
 * it meets nothing that could hold it.
 */
static bool runs_away(const ss_model *m, const ss_data *d, double h)
{
    enum { SURE = 20 };
    if (d->prox.steady < SURE || d->prox.restless < 0) {
        return false;
    }
    const ss_body *b     = &m->bodies[d->prox.restless];
    double         reach = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        double apart = ss_norm(ss_sub(d->frame[i].p, d->frame[d->prox.restless].p));
        reach        = fmax(reach, apart + m->bodies[i].extent + b->extent);
    }
    return h * ss_speed_of(m, d->prox.restless, d->v_next + b->v_start) > reach;
}

/*
 * Have the rounds taken together what a solver may take for one problem? They then go from one
 * problem that is hardly solved to the next, and the balance they look for is not there.
 */
static bool used_up(ss_data *d)
{
    double rows = 0;
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_island *isl = &d->islands[i];
        d->prox.work += (double)isl->solution.iterations * isl->row_count;
        rows += isl->row_count;
    }
    return d->prox.work > SS_PROX_ITERATIONS * fmax(rows, SS_PROX_ROWS);
}

void ss_proximal_compare(const ss_model *m, ss_data *d, double h)
{
    double  left = 0;
    int32_t body = -1;
    for (int32_t i = 0; i < m->nb; i++) {
        double change = ss_body_moves(&m->bodies[i]) ? change_of(m, d, i) : 0;
        body          = change > left ? i : body;
        left          = fmax(left, change);
    }
    compare_rounds(m, d, left, body);
    /* e M dv against the forces is a thousandth of dv against the speeds. */
    bool still = SS_PROX_WEIGHT * left <= SS_PROX_SETTLED * d->prox.speed, spent = used_up(d);
    d->prox.over      = !still && (spent || runs_away(m, d, h));
    d->prox.unsettled = !still && !d->prox.over;
}

static bool concerns(const ss_model *m)
{
    return ss_inertia_of(m)->balanced;
}

static void begin(const ss_model *m, ss_data *d, double h)
{
    (void)h;
    d->prox.begun     = false;
    d->prox.restless  = -1;
    d->prox.over      = false;
    d->prox.unsettled = false;
    d->prox.weight = d->prox.speed = 0;
    memset(d->prox.load, 0, (size_t)m->nb * sizeof *d->prox.load);
}

/* Rounds after the velocities have settled, where the balance still fails. */
enum { MORE_ROUNDS = 2 };

/*
 * Velocities that have settled beside the forces of the first rounds need not have done so beside
 * the last ones', which may be none. What a round misses is all that the next one has to solve, so
 * that two more bring it down to rounding.
 */
static bool needs_more(ss_data *d)
{
    return !d->prox.over && !ss_balance_found(d) && d->prox.more++ < MORE_ROUNDS;
}

static ss_verdict check(const ss_model *m, ss_data *d, double h)
{
    (void)m;
    (void)h;
    if (d->prox.direct) {
        return SS_HOLDS;
    }
    bool unsettled = d->prox.unsettled && !(d->prox.stalled && ss_balance_found(d));
    return unsettled || needs_more(d) ? SS_AGAIN : SS_HOLDS;
}

static void contacts_changed(const ss_model *m, ss_data *d, ss_contacts_change how)
{
    (void)m;
    d->prox.begun = d->prox.begun && how == SS_CONTACTS_MORE; /* with others: from rest */
}

const ss_reason ss_reason_proximal = {.name             = "the motion of a body without momentum",
                                      .concerns         = concerns,
                                      .begin            = begin,
                                      .check            = check,
                                      .contacts_changed = contacts_changed,
                                      .judged           = true};
