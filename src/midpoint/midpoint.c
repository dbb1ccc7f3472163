/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of integrator: midpoint (midpoint.h): at the start of the step, then in its middle. */
#include "midpoint/midpoint.h"

#include <math.h>
#include <string.h>

#include "core/compare.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "joint/joint.h"
#include "midpoint/tolerances.h"
#include "problem/reduce.h"

extern const ss_reason ss_reason_midpoint;

static bool concerns(const ss_model *m)
{
    return ss_integrator_of(m)->second;
}

static void begin(const ss_model *m, ss_data *d, double h)
{
    d->midpoint.h         = h;
    d->midpoint.pass      = 0;
    d->midpoint.marked    = 0;
    d->midpoint.converges = false;
    d->midpoint.runs      = false;
    d->midpoint.late      = false;
    d->midpoint.ends      = 0;
    d->midpoint.reverses  = false;
    d->midpoint.rubbed    = NULL;
    d->midpoint.kept      = NULL;
    memset(d->midpoint.smooth, 0, (size_t)m->nb * sizeof *d->midpoint.smooth);
    memset(d->midpoint.turns_after, 0, (size_t)m->nb * sizeof *d->midpoint.turns_after);
    memset(d->midpoint.flight, 0, (size_t)m->nb * sizeof *d->midpoint.flight);
    d->rounds.at = d->state.pose;
    d->going     = d->state.twist;
}

/* A limit that has been passed: what brings it back is no momentum either. */
static void drop_overshoot(ss_data *d, int32_t row)
{
    double drift      = d->rows.drift[row];
    d->rows.bias[row] = ss_max(d->rows.bias[row] - drift, 0) + drift;
}

/* phi/h is no momentum: an opening is closed in position (close_joints.c). Steps have joints where
   they begin, and what driven bodies do as a drift (rows/joint_rows.c); impacts and instants have
   both in one. */
static void drop_openings(const ss_model *m, ss_data *d)
{
    bool apart = d->at_impact == NULL && !ss_level_of(m)->instants;
    for (int32_t i = d->contacts.count; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (ss_is_limit(b) && d->at_impact == NULL) {
            drop_overshoot(d, b->row);
        }
        if (b->source != SS_ROWS_JOINT) {
            continue;
        }
        bool driven = ss_joint_driven(m, &m->joints[b->index]);
        for (int32_t k = 0; (!driven || apart) && k < b->dim; k++) {
            d->rows.bias[b->row + k] = driven ? d->rows.drift[b->row + k] : 0;
        }
    }
}

static ss_status rows(const ss_model *m, ss_data *d, double h)
{
    if (m->joint_rows > 0) {
        drop_openings(m, d);
    }
    if (d->midpoint.pass > 0) {
        ss_lone_impact_rows(m, d, h);
        SS_TRY(ss_middle_rows(m, d, h));
        return ss_reversal_rows(m, d);
    }
    return SS_OK;
}

static ss_status free_velocities(const ss_model *m, ss_data *d, double h)
{
    if (d->midpoint.pass == 0) {
        return ss_note_starts(m, d, h);
    }
    ss_first_velocities(m, d, h);
    ss_middle_velocities(m, d, h);
    ss_reversal_velocities(m, d);
    return SS_OK;
}

static ss_status impulses(const ss_model *m, ss_data *d, double h)
{
    ss_reversal_impulses(d);
    return ss_balance_turns(m, d, h);
}

static ss_twist mean_twist(const ss_model *m, const ss_data *d, int32_t i)
{
    const double *v = d->v_next + m->bodies[i].v_start;
    ss_twist      t = d->state.twist[i];
    t.v.x           = 0.5 * (t.v.x + v[0]);
    t.v.y           = 0.5 * (t.v.y + v[1]);
    if (m->dimension == 2) {
        t.w.z = 0.5 * (t.w.z + (m->bodies[i].dof == 3 ? v[2] : 0));
        return t;
    }
    t.v.z = 0.5 * (t.v.z + v[2]);
    if (m->bodies[i].dof == 6) {
        t.w = ss_scale(0.5, ss_add(t.w, ss_v3(v[3], v[4], v[5])));
    }
    return t;
}

static ss_pose moved(ss_pose from, const ss_twist *t, double h)
{
    from.p = ss_axpy(from.p, h, t->v);
    from.angle += h * t->w.z;
    from.q = ss_quat_unit(ss_quat_mul(ss_quat_from_rotation(ss_scale(h, t->w)), from.q));
    return from;
}

/* Do the last two passes have a body move nearly alike? */
static bool nearly_alike(const ss_model *m, int32_t i, const ss_twist *was, const ss_twist *is)
{
    double arm  = ss_body_arm(m, i);
    double size = ss_norm(is->v) + arm * ss_norm(is->w);
    double off  = ss_norm(ss_sub(is->v, was->v)) + arm * ss_norm(ss_sub(is->w, was->w));
    return off <= SS_MIDPOINT_NEARLY * size;
}

/*
 * Where the surface of a body is flat at its point of contact (x^4 at 0), the point goes as the
 * third root of its tilt, and passes never agree where it is. Any middle that is right to the order
 * of the step will do: after some passes that nearly agree it is half way between the last two, and
 * stands. Those that do not (a grain rolls on and on under a heavy ball) go on, or the step is cut.
 */
static bool middle_stands(const ss_model *m, const ss_data *d)
{
    const ss_midpoint *x = &d->midpoint;
    if (x->converges || x->pass != SS_MIDPOINT_STANDS) {
        return x->stands && x->pass > SS_MIDPOINT_STANDS;
    }
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i]) && x->smooth[i]) {
            ss_twist now = mean_twist(m, d, i);
            if (!nearly_alike(m, i, &x->mean[i], &now)) {
                return false;
            }
        }
    }
    return true;
}

/* How a smooth body moves in the middle of the next pass. */
static ss_twist next_mean(const ss_model *m, const ss_data *d, int32_t i)
{
    const ss_midpoint *x = &d->midpoint;
    if (!x->stands) {
        return mean_twist(m, d, i);
    }
    if (x->pass > SS_MIDPOINT_STANDS) {
        return x->mean[i];
    }
    ss_twist now = mean_twist(m, d, i);
    return ss_twist_mixed(0.5, &x->mean[i], 0.5, &now);
}

void ss_go_to_middle(const ss_model *m, ss_data *d, double h)
{
    ss_midpoint *x = &d->midpoint;
    x->stands      = middle_stands(m, d);
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b      = &m->bodies[i];
        bool           smooth = ss_body_moves(b) && x->smooth[i];
        x->middle[i]          = d->state.pose[i];
        if (smooth) {
            x->mean[i] = next_mean(m, d, i);
        } else {
            x->mean[i] = b->type == SS_BODY_KINEMATIC ? d->twist_next[i] : d->state.twist[i];
        }
        if (b->type == SS_BODY_KINEMATIC || smooth) {
            x->middle[i] = moved(d->state.pose[i], &x->mean[i], 0.5 * h);
        }
        if (b->type == SS_BODY_KINEMATIC) {
            ss_place_driven_in_middle(m, d, i);
        }
    }
    /* a pass may take several rounds, all of them from the same velocities and places */
    memcpy(x->v, d->v_next, (size_t)m->nv * sizeof *x->v);
    memcpy(x->end, d->pose_next, (size_t)m->nb * sizeof *x->end);
    ss_middle_stiffness(m, d);
    d->rounds.at = x->middle;
    d->going     = x->mean;
    x->pass++;
    /* what touches in the middle need not be what touched at the start: impacts begin anew */
    ss_rounds_change_contacts(m, d, SS_CONTACTS_OTHER);
}

/* Smooth bodies are moved again, by their mean velocity. */
static void move_smooth(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i]) && d->midpoint.smooth[i]) {
            ss_move_body(m, d, i, h);
        }
    }
}

/* Largest change of a velocity since the last pass, over the largest velocity or change of it. */
static double change(const ss_model *m, const ss_data *d)
{
    double most = 0, size = d->midpoint.pushed;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (!ss_body_moves(b) || !d->midpoint.smooth[i]) {
            continue;
        }
        double arm = ss_body_arm(m, i);
        for (int32_t c = 0; c < b->dof; c++) {
            int32_t k      = b->v_start + c;
            double  weight = c < m->dimension ? 1 : arm;
            double  start = fabs(d->v_now[k]), end = fabs(d->v_next[k]);
            most = ss_max(most, weight * fabs(d->v_next[k] - d->midpoint.v[k]));
            size = ss_max(size, weight * ss_max(start, end));
        }
    }
    return size > 0 ? most / size : 0;
}

/* f.g of what two passes changed, turns as velocities at the body's arm. */
static double product(const ss_model *m, const ss_data *d, const double *f, const double *g)
{
    double sum = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        const ss_body *b = &m->bodies[i];
        if (!ss_body_moves(b) || !d->midpoint.smooth[i]) {
            continue;
        }
        double arm = ss_body_arm(m, i);
        for (int32_t c = 0; c < b->dof; c++) {
            double weight = c < m->dimension ? 1 : arm * arm;
            sum += weight * f[b->v_start + c] * g[b->v_start + c];
        }
    }
    return sum;
}

/*
 * With v -> g(v) a pass and f = g(v) - v, passes that go back and forth (joints that push make the
 * derivative larger than A) or creep are led to where their last two say that f vanishes:
 *
 *   v := g - c (g - g_last),   c = f.(f - f_last)/|f - f_last|^2       (Anderson 1965, depth 1)
 *
 * by no more than the last change, unless f and f - f_last are along one line: a step that ends
 * next to a change point has passes whose change along the other branch, that no joint holds there,
 * stays nearly the same from pass to pass, and is far from its limit.
 */
static void extrapolate(const ss_model *m, ss_data *d, double last, double h)
{
    ss_midpoint *x = &d->midpoint;
    for (int32_t i = 0; i < m->nv; i++) { /* v, no longer wanted, becomes f - f_last */
        double f = d->v_next[i] - x->v[i];
        x->v[i]  = f - x->f[i];
        x->f[i]  = f;
    }
    double size = product(m, d, x->v, x->v), all = product(m, d, x->f, x->f);
    double c    = size > 0 ? product(m, d, x->f, x->v) / size : 0;
    bool   line = c * c * size > (1 - SS_MIDPOINT_LINE) * all;
    bool   slow = x->pass > 1 && x->change > SS_MIDPOINT_SLOW * last && (fabs(c) < 1 || line);
    for (int32_t i = 0; i < m->nv; i++) {
        double g = d->v_next[i];
        d->v_next[i] -= slow ? c * (g - x->g[i]) : 0;
        x->g[i] = g;
    }
    if (slow) {
        move_smooth(m, d, h);
    }
}

/* True: the velocities of the passes agree, as far as rounding lets them. */
static bool settled(const ss_model *m, ss_data *d, double last)
{
    ss_midpoint *x = &d->midpoint;
    x->change      = change(m, d);
    bool   closed  = x->grown <= SS_OPENING_ROUNDING * m->length;
    double most    = closed ? SS_MIDPOINT_UNSEEN : SS_MIDPOINT_STALLED;
    bool   stalls  = x->pass > 1 && x->change > 0.5 * last && x->change < most;
    bool   agree   = !x->converges || x->change <= SS_MIDPOINT_SETTLED || stalls;
    return agree && x->unbalanced <= SS_MIDPOINT_BALANCED;
}

/* Passes that creep would not end within those that there are: cut steps are cheaper. */
static bool creeps(ss_midpoint *x)
{
    if (x->pass % SS_MIDPOINT_LOOK != 0) {
        return false;
    }
    bool slow = x->pass > SS_MIDPOINT_LOOK && x->change > 0.5 * x->marked;
    x->marked = x->change;
    return slow;
}

/* How far held rows depend on each other: at the start of the step. */
static ss_spread spread_of(const ss_island *isl)
{
    const ss_eliminated *e = isl->eliminated;
    if (e == NULL || e->rank == 0) {
        return (ss_spread){0, 0, 0, 1, false};
    }
    double last = e->L[(size_t)(e->rank - 1) * (size_t)(e->ne + 1)];
    return (ss_spread){e->ne, e->rank, last * last, 1, false};
}

/* .. and in its middle, next to that. Rows that are others cannot be compared. */
static void compare_spreads(ss_spread *start, const ss_spread *middle)
{
    if (start->rows != middle->rows || !(start->least > 0)) {
        return;
    }
    start->leaves = middle->rank > start->rank;
    if (!start->leaves) {
        bool   depends = middle->rank < start->rank;
        double falls   = depends ? 0 : middle->least / start->least;
        start->falls   = ss_min(start->falls, falls);
    }
}

static void note_spreads(ss_data *d)
{
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_island *isl    = &d->islands[i];
        const ss_spread  spread = spread_of(isl);
        for (int32_t k = 0; k < isl->body_count; k++) {
            ss_spread *of = &d->midpoint.spread[isl->bodies[k]];
            if (d->midpoint.pass == 0) {
                *of = spread;
            } else {
                compare_spreads(of, &spread);
            }
        }
    }
}

static ss_verdict check(const ss_model *m, ss_data *d, double h)
{
    ss_midpoint *x = &d->midpoint;
    bool         again, fails = false;
    note_spreads(d);
    if (x->pass == 0) {
        again = ss_find_smooth(m, d, h);
        move_smooth(m, d, h);
    } else {
        double last = x->change;
        again       = ss_find_events(m, d);
        if (again) {
            x->change = INFINITY; /* the next passes are about something else: none stalls yet */
        } else if (!settled(m, d, last)) {
            again = true;
            if (x->converges) {
                fails = creeps(x);
                extrapolate(m, d, last, h);
            }
        }
    }
    again            = ss_find_turns_after(m, d, h) || again;
    again            = (x->pass == 0 && ss_find_lone_impacts(m, d, h)) || again;
    bool struck      = m->poisson && d->impact.phase != SS_PHASE_WHOLE;
    bool long_enough = !d->cut.part.smallest && !d->cut.part.exactly && !struck &&
                       d->effort.closer; /* to be cut for that */
    x->runs = (!again || x->pass <= 1) && long_enough &&
              (ss_find_runs(m, d, h) || ss_driven_passes(m, d, h) || ss_ropes_turn(m, d, h));
    int32_t most = SS_MIDPOINT_DRIVEN + (x->reverses ? SS_MIDPOINT_REVERSES : 0);
    if (again && m->driven && !x->converges && x->pass == most) {
        ss_push_from_start(m, d, false); /* contacts that come and go with the middle */
    }
    if (again && d->cut.part.smallest && d->cut.part.depth > 0 && !x->converges &&
        x->pass == SS_MIDPOINT_LAST) {
        ss_push_from_start(m, d, true); /* parts of it would not settle either */
    }
    x->ends = d->cut.event.asked && x->pass == 0 && !struck ? ss_find_end(m, d, h) : x->ends;
    x->late = d->cut.event.asked && !(x->ends > 0) && ss_find_late_impacts(m, d);
    if (x->runs || x->late || x->ends > 0) {
        return SS_FAILS;
    }
    bool small =
        d->cut.part.smallest && d->cut.part.depth > 0; /* which may still be of first order */
    most = x->converges || small ? SS_MIDPOINT_PASSES : SS_MIDPOINT_LAST;
    if (again && (fails || x->pass >= most)) {
        return SS_FAILS;
    }
    if (again && x->converges && x->pass > 0) {
        ss_keep_impulses(d, d->tried.items, &d->tried.count); /* the next pass is nearly this one */
    }
    if (again) {
        ss_go_to_middle(m, d, h);
    }
    return again ? SS_AGAIN : SS_HOLDS;
}

const ss_reason ss_reason_midpoint = {.name            = "the middle of the step",
                                      .concerns        = concerns,
                                      .begin           = begin,
                                      .rows            = rows,
                                      .free_velocities = free_velocities,
                                      .impulses        = impulses,
                                      .check           = check,
                                      .when_all_hold   = true};
