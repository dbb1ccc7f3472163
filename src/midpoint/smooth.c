/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where does something happen in the step? An island is smooth unless one of its blocks
 *
 *   - is loaded and closes faster than the forces of the step explain: an impact;
 *   - is pushed by a motor that goes to a position: what it does within the step is known at its
 *     end alone;
 *   - is loaded and belongs to a pair near a corner of which several branches hold together, with
 *     the gaps of the start (corners: complementarity, convex);
 *   - is loaded by a driven body whose velocity jumps, or did not touch there when the step began;
 *   - is a joint to a driven body that is jerked along: its velocity jumps, or is not that of what
 *     is joined to it at the start;
 *   - is a joint whose bodies were given velocities that it does not let them have, or come to
 *     rest with velocities that it does not hold;
 *
 * or is solved to a motion error: the middle of a large pile is beyond what that promises.
 *
 * And does anything turn? A body that spins on a plane about a centred ball, or slides on it
 * without turning, has the same rows in the middle of the step as at its start.
 */
#include <math.h>

#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/passage.h"
#include "dynamics/stages.h"
#include "dynamics/tolerances.h"
#include "formulate/formulate.h"
#include "geom/geom.h"
#include "joint/joint.h"
#include "midpoint/midpoint.h"
#include "midpoint/tolerances.h"
#include "model/axes.h"

static double body_speed(const ss_model *m, const ss_data *d, int32_t body)
{
    const ss_twist *t = &d->state.twist[body];
    return ss_norm(t->v) + ss_body_arm(m, body) * ss_norm(t->w);
}

static double speed_of(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    double most = 0;
    for (int side = 0; side < b->sides; side++) {
        most = b->body[side] >= 0 ? ss_max(most, body_speed(m, d, b->body[side])) : most;
    }
    return most;
}

/* How fast the body of a geom goes, at a point of it if it is driven: where it stands for its
   contact; *turns: how fast points of it may be beside that. */
static ss_vec3 way_of(const ss_model *m, const ss_data *d, int32_t geom, ss_vec3 point,
                      double *turns)
{
    int32_t         i = m->geoms[geom].body;
    const ss_twist *t = &(ss_body_moves(&m->bodies[i]) ? d->state.twist : d->twist_next)[i];
    if (ss_body_moves(&m->bodies[i])) {
        *turns += ss_body_arm(m, i) * ss_norm(t->w);
        return t->v;
    }
    bool driven = m->bodies[i].type == SS_BODY_KINEMATIC;
    return driven ? ss_add(t->v, ss_cross(t->w, ss_sub(point, d->frame[i].p))) : ss_v3(0, 0, 0);
}

/* How fast points of the two bodies of a contact may pass each other, however they go together. */
static double passing_speed(const ss_model *m, const ss_data *d, const ss_contact *c)
{
    double  turns = 0;
    ss_vec3 va    = way_of(m, d, c->geom_a, c->point_a, &turns);
    ss_vec3 vb    = way_of(m, d, c->geom_b, c->point_b, &turns);
    return ss_norm(ss_sub(vb, va)) + turns;
}

/* Of the fastest body that a block hangs together with. */
static double island_speed(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    const ss_island *isl  = &d->islands[b->island];
    double           most = 0;
    for (int32_t k = 0; k < isl->body_count; k++) {
        most = ss_max(most, body_speed(m, d, isl->bodies[k]));
    }
    return most;
}

/*
 * A step that was halved twice for this part, not because points of contact run (contact_runs.c),
 * or as often as it may be: where rows turn by more than their middle can be
 * found for (a grain under a ball a million times as heavy) contacts are judged by their rates
 * alone, and parts so short are of first order.
 */
enum { OFTEN = 2 };
static bool was_cut_often(const ss_data *d)
{
    return d->cut.part.depth - d->cut.part.eased >= OFTEN ||
           (d->cut.part.smallest && d->cut.part.depth > 0);
}

/* By how much the rows of a contact turn in the step. */
static void find_turns(const ss_model *m, const ss_data *d, const ss_row_block *b,
                       const ss_row_start *start, double *turn, double *free)
{
    const ss_contact *c     = &d->contacts.items[b->index];
    double            reach = fabs(c->gap) + 2 * d->midpoint.h * passing_speed(m, d, c);
    ss_contact_turns(m, d, c, start, reach, turn, free);
}

/* A contact that a step of first order held: it is closed, and closes at what its row turned by. Or
   one of second order: by a part of what forces and turning make of its rate together. */
static bool bends(const ss_model *m, const ss_data *d, const ss_row_block *b,
                  const ss_row_start *start, double closing, double explained)
{
    double turn[SS_CONTACT_ROWS], free[SS_CONTACT_ROWS];
    double closed = ss_max(SS_OVERLAP_ROUNDING * m->length, SS_TOUCHES * d->midpoint.h * closing);
    if (b->source != SS_ROWS_CONTACT || start->gap > closed || was_cut_often(d)) {
        return false;
    }
    find_turns(m, d, b, start, turn, free);
    double turns = ss_max(fabs(turn[0]), fabs(free[0]));
    return closing <= SS_TURN_SHARE * ss_max(-turn[0], -free[0]) ||
           closing <= SS_IMPACT_SHARE * (explained + turns);
}

/*
 * A contact that held in the last step, and closes no faster than what steps leave of none: the law
 * of the end lets a gap close with -gap/h, and joints move what rests by what they are closed by.
 */
static bool held_on(const ss_model *m, const ss_data *d, const ss_row_block *b, double closing)
{
    return b->source == SS_ROWS_CONTACT && ss_block_jointed(m, b) && !was_cut_often(d) &&
           closing <= SS_HELD_SHARE * ss_island_forced(m, d, &d->islands[b->island]) &&
           ss_contact_bore(d, &d->contacts.items[b->index]);
}

/*
 * What the forces of the step would make of the rate of a row; of a contact, of each of its bodies,
 * since the lower one may be held. Parts that end where something happens begin with what whole
 * steps left.
 */
static double explained_by_forces(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    double steps = ss_max(d->cut.whole / d->midpoint.h, 1);
    if (b->source != SS_ROWS_CONTACT) {
        return fabs(ss_row_forced(m, d, b, b->row));
    }
    double all = ss_row_forced_each(m, d, b, b->row);
    return d->cut.part.depth == 0 ? steps * all : all;
}

/*
 * A loaded row of one side that closed at the start, by more than the forces of a step explain, or
 * that the row turns by. Its rate is that of the start of the step, with the velocities that driven
 * bodies have then; what these change from step to step explains more, since a step of first order
 * leaves the mean of theirs.
 */
static bool strikes(const ss_model *m, const ss_data *d, const ss_row_block *b,
                    const ss_row_start *start)
{
    double rate      = start->rate[0];
    double speed     = speed_of(m, d, b);
    double explained = explained_by_forces(m, d, b);
    if (b->source == SS_ROWS_CONTACT) {
        explained += SS_DRIVEN_SHARE / SS_IMPACT_SHARE * start->driven;
        rate += start->drift[0];
    }
    if (ss_is_limit(b)) {
        double changed = 0;
        bool   driven  = m->driven && ss_joint_driven(m, &m->joints[b->index]);
        rate           = driven ? ss_limit_opens(m, d, b, &changed) : rate;
        explained += changed + ss_limit_turns(m, d, b);
        speed = island_speed(m, d, b) +
                ss_island_forced(m, d, &d->islands[b->island]); /* of what else its joint holds */
    }
    return -rate > SS_IMPACT_SHARE * explained + SS_IMPACT_NOISE * speed &&
           !bends(m, d, b, start, -rate, explained) && !held_on(m, d, b, -rate);
}

static bool motor_goes_to_position(const ss_model *m, const ss_row_block *b)
{
    return b->source == SS_ROWS_MOTOR &&
           m->joints[b->index].coordinate[b->part].motor == SS_MOTOR_POSITION;
}

/* Is a motor without a bound told another speed at once, where an expression of t jumps? */
static bool motor_jumps(const ss_model *m, ss_data *d, const ss_row_block *b,
                        const ss_row_start *start)
{
    double told, t = d->state.t + ss_switch_margin(m, d);
    if (!d->cut.stretch.jumps || b->source != SS_ROWS_MOTOR || b->kind != SS_BLOCK_EQUALITY ||
        ss_motor_target(m, d, &m->joints[b->index].coordinate[b->part], t, &told) != SS_OK) {
        return false;
    }
    double rate = start->rate[0] + d->rows.drift[b->row] - told;
    return fabs(rate) > SS_JERKED * (fabs(told) + speed_of(m, d, b));
}

static bool joint_jumps(const ss_model *m, ss_data *d, const ss_joint *j)
{
    bool jump = false;
    for (int side = 0; side < 2; side++) {
        const ss_joint *of = j->coupled[side].joint;
        jump               = jump || ss_driven_jumps(m, d, j->body[side], d->midpoint.h) ||
               (of != NULL && joint_jumps(m, d, of));
    }
    return jump;
}

/* Is it a joint of two bodies, and not a coupling of others? */
static bool is_simple(const ss_model *m, const ss_row_block *b)
{
    return b->sides == 2 && m->joints[b->index].coupled[0].joint == NULL;
}

/* The rate of what a joint to a driven body holds, when the step begins; *unsure: by how much it
   may be off, since velocities of driven bodies are those of a parabola. */
static double held_rate(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t k,
                        double *unsure)
{
    const ss_joint *j     = &m->joints[b->index];
    ss_joint_place  place = ss_joint_place_of(m, d, j, d->state.pose);
    ss_scalar_row   row   = ss_scalar_eval(&ss_joint_form_of(m, j)->hold[k], &place);
    ss_twist        t[2] = {0}, by[2] = {0};
    for (int side = 0; side < 2; side++) {
        int32_t i = j->body[side];
        if (i >= 0 && m->bodies[i].type == SS_BODY_KINEMATIC && d->midpoint.known[i]) {
            t[side]  = d->midpoint.from[i];
            by[side] = ss_twist_mixed(1, &d->midpoint.to[i], -1, &t[side]);
        } else if (i >= 0) {
            t[side] = d->state.twist[i];
        }
    }
    *unsure = SS_START_OFF * fabs(ss_scalar_rate(&row, &by[0], &by[1]));
    return ss_scalar_rate(&row, &t[0], &t[1]);
}

/*
 * A joint whose bodies were given velocities that it does not let them have: it jerks them, in no
 * time. In the middle of a step it would hold the mean of those before and after at zero, which
 * turns them round, and half of that would come back in every further step, with forces that
 * change their sign. What steps leave (close_joints.c) is no jerk, unless all else comes to rest:
 * friction that holds the bodies would be overcome to turn them round (rests_unheld).
 */
static bool jerks(const ss_model *m, ss_data *d, const ss_row_block *b, const ss_row_start *start)
{
    bool   given = ss_velocities_given(m, d);
    double noise = SS_IMPACT_NOISE * island_speed(m, d, b); /* terms may be rounding themselves */
    for (int32_t k = 0; given && k < b->dim && k < 6; k++) {
        double drift = d->rows.drift[b->row + k], rate = start->rate[k] + drift, unsure = 0;
        double terms = ss_row_terms(m, d, b, b->row + k, d->v_now) + fabs(drift);
        if (is_simple(m, b) && drift != 0) {
            rate = held_rate(m, d, b, k, &unsure);
        }
        rate = fabs(rate) - unsure;
        if (rate > noise && rate > SS_JERKED * terms) {
            d->jerked = true;
            return true;
        }
    }
    return false;
}

/* What velocities v of its bodies could make of a row at most, whatever their directions. */
static double row_reach(const ss_model *m, const ss_data *d, const ss_row_block *b, int32_t row,
                        const double *v)
{
    double sum = 0;
    for (int side = 0; side < 2 && side < b->sides; side++) {
        if (b->body[side] < 0 || !ss_body_moves(&m->bodies[b->body[side]])) {
            continue;
        }
        const ss_body *of = &m->bodies[b->body[side]];
        ss_twist       J  = ss_twist_from_vector(m, of->dof, ss_row_side(m, &d->rows, row, side));
        ss_twist       at = ss_twist_from_vector(m, of->dof, v + of->v_start);
        sum += ss_norm(J.v) * ss_norm(at.v) + ss_norm(J.w) * ss_norm(at.w);
    }
    return sum;
}

/* .. or come to rest but for velocities that it does not hold. */
static bool rests_unheld(const ss_model *m, const ss_data *d, const ss_row_block *b,
                         const ss_row_start *start)
{
    double noise = SS_IMPACT_NOISE * island_speed(m, d, b);
    for (int32_t k = 0; b->sides <= 2 && k < b->dim && k < 6; k++) { /* gears turn with others */
        double drift = d->rows.drift[b->row + k], rate = fabs(start->rate[k] + drift);
        if (rate > noise && rate > fabs(drift) + row_reach(m, d, b, b->row + k, d->v_next)) {
            return true;
        }
    }
    return false;
}

static bool unheld(const ss_model *m, const ss_data *d, const ss_row_block *b,
                   const ss_row_start *start)
{
    return b->source == SS_ROWS_JOINT && rests_unheld(m, d, b, start);
}

/* A joint that a driven body jerks along; in the first step there is no last one. */
static bool jerked(const ss_model *m, ss_data *d, const ss_row_block *b, const ss_row_start *start)
{
    bool jerk = false;
    if (b->source != SS_ROWS_JOINT || !m->driven) {
        return false;
    }
    if (d->state.t != m->simulation.start) {
        return joint_jumps(m, d, &m->joints[b->index]);
    }
    for (int32_t k = 0; k < b->dim; k++) {
        double drift = d->rows.drift[b->row + k], unsure = 0, rate = start->rate[k] + drift;
        if (is_simple(m, b) && drift != 0) {
            rate = held_rate(m, d, b, k, &unsure);
        }
        double noise = SS_IMPACT_NOISE * (speed_of(m, d, b) + fabs(drift)) + unsure;
        jerk         = jerk || (drift != 0 && fabs(rate) > noise);
    }
    return jerk;
}

static bool jerked_limit(const ss_model *m, ss_data *d, const ss_row_block *b)
{
    return ss_is_limit(b) && m->driven && d->state.t != m->simulation.start &&
           joint_jumps(m, d, &m->joints[b->index]);
}

static bool contact_jumps(const ss_model *m, ss_data *d, const ss_contact *c)
{
    return ss_driven_jumps(m, d, m->geoms[c->geom_a].body, d->midpoint.h) ||
           ss_driven_jumps(m, d, m->geoms[c->geom_b].body, d->midpoint.h);
}

/*
 * Near a corner: several branches hold together, with the gaps of the start; or nothing
 * outside holds the two, whose angular momentum a step of first order keeps to rounding
 * (recover/whole_turn.c).
 */
static bool at_first_corner(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    return ss_corners_of(m)->posed || ss_corners_of(m)->together ||
           ss_island_loose(d, &d->islands[b->island]);
}

/* A contact with a driven body that jumps, or that did not touch there when the step began. */
static bool driven_otherwise(const ss_model *m, ss_data *d, const ss_row_block *b,
                             const ss_row_start *start)
{
    const ss_contact *c = &d->contacts.items[b->index];
    return (ss_contact_is_uneven(m, d, c) && !start->placed) || contact_jumps(m, d, c);
}

static bool happens(const ss_model *m, ss_data *d, const ss_row_block *b, ss_row_start *start)
{
    start->jerked = jerked(m, d, b, start) || (b->source == SS_ROWS_JOINT && jerks(m, d, b, start));
    if (start->jerked || unheld(m, d, b, start)) {
        return true;
    }
    if (b->source == SS_ROWS_REBOUND || motor_goes_to_position(m, b) ||
        motor_jumps(m, d, b, start)) {
        return true;
    }
    if (b->spring > 0 && d->springs.items[b->spring - 1].first) {
        return true;
    }
    if (b->spring > 0 && !d->springs.items[b->spring - 1].core) {
        return false; /* a touch is no impact: it gives */
    }
    bool one_sided = b->kind == SS_BLOCK_CONE || b->kind == SS_BLOCK_UNILATERAL;
    if (!one_sided || !(d->rows.impulse[b->row] > 0)) {
        return false;
    }
    if (b->source == SS_ROWS_CONTACT && d->contacts.items[b->index].branch != 0 &&
        at_first_corner(m, d, b)) {
        return true;
    }
    if (b->source == SS_ROWS_CONTACT && driven_otherwise(m, d, b, start)) {
        return true;
    }
    return b->strikes || b->bounces || jerked_limit(m, d, b) || strikes(m, d, b, start);
}

/* What happens to one body of an island happens to all. */
static void spread(ss_data *d)
{
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_island *isl    = &d->islands[i];
        bool             smooth = ss_island_exact(d->model, isl);
        for (int32_t k = 0; k < isl->body_count; k++) {
            smooth = smooth && d->midpoint.smooth[isl->bodies[k]];
        }
        for (int32_t k = 0; k < isl->body_count; k++) {
            d->midpoint.smooth[isl->bodies[k]] = smooth;
        }
    }
}

static void mark(ss_data *d, const ss_row_block *b)
{
    for (int side = 0; side < b->sides; side++) {
        if (b->body[side] >= 0) {
            d->midpoint.smooth[b->body[side]] = false;
        }
    }
}

static bool is_still(const double *v, int32_t n, double most)
{
    for (int32_t i = 0; i < n; i++) {
        if (fabs(v[i]) > most) {
            return false;
        }
    }
    return true;
}

/* Neither at the start of the step nor at its end; by less than rounding of what forces do. */
static bool turns(const ss_model *m, const ss_data *d, int32_t body)
{
    const ss_body *b = &m->bodies[body];
    const int32_t  n = m->dof - m->dimension, from = b->v_start + m->dimension;
    double         most = SS_STILL * d->midpoint.pushed / ss_body_arm(m, body);
    return ss_body_moves(b) && b->dof == m->dof &&
           !(is_still(d->v_now + from, n, most) && is_still(d->v_next + from, n, most));
}

static bool moves(const ss_model *m, const ss_data *d, int32_t body)
{
    const ss_body *b = &m->bodies[body];
    const int32_t  n = m->dimension, from = b->v_start;
    double         most = SS_STILL * d->midpoint.pushed;
    return ss_body_moves(b) && (turns(m, d, body) || !(is_still(d->v_now + from, n, most) &&
                                                       is_still(d->v_next + from, n, most)));
}

static bool is_fixed_plane(const ss_model *m, const ss_data *d, int32_t geom)
{
    int32_t body = m->geoms[geom].body;
    return ss_is_plane(&m->geoms[geom]) &&
           (m->bodies[body].type == SS_BODY_STATIC || ss_goes_evenly(d, body));
}

/* A ball about the centre of mass, with the inertia of one. */
static bool is_round(const ss_model *m, int32_t geom)
{
    return ss_is_ball(&m->geoms[geom]) && m->geoms[geom].centred &&
           (m->dimension == 2 || m->bodies[m->geoms[geom].body].round);
}

/* Are the rows of the contact the same in the middle of the step? */
static bool contact_turns(const ss_model *m, const ss_data *d, const ss_contact *c)
{
    int32_t a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    if (ss_contact_is_uneven(m, d, c)) {
        return true; /* it stands at the end of the step, for the round at the start */
    }
    if (!moves(m, d, a) && !moves(m, d, b)) {
        return false;
    }
    const ss_pair_law *law = ss_model_law(m, c);
    if (law->place[0] != NULL || law->place[1] != NULL) {
        return true; /* its friction is that of the middle */
    }
    bool    first = is_fixed_plane(m, d, c->geom_a);
    bool    flat  = first || is_fixed_plane(m, d, c->geom_b);
    int32_t other = first ? c->geom_b : c->geom_a;
    return !(flat && (is_round(m, other) || !turns(m, d, m->geoms[other].body)));
}

/* Does a driven surface move under the point, smoothly? */
static bool carried(const ss_data *d, const ss_row_block *b)
{
    return d->midpoint.starts[b - d->rows.blocks].placed;
}

static bool is_smooth_block(const ss_data *d, const ss_row_block *b)
{
    int32_t body = ss_block_mover(b);
    return body >= 0 && d->midpoint.smooth[body];
}

/* Do the rows of this block differ in the middle of the step, where bodies are smooth? */
static bool block_turns(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    int32_t body = ss_block_mover(b);
    if (!is_smooth_block(d, b)) {
        return false;
    }
    switch (b->source) {
    case SS_ROWS_CONTACT:
        return d->rows.impulse[b->row] > 0 && contact_turns(m, d, &d->contacts.items[b->index]);
    case SS_ROWS_SUPPORT:
        return carried(d, b) ||
               (m->supports[b->index].place != NULL ? moves(m, d, body) : turns(m, d, body));
    default:
        return moves(m, d, body) || (b->body[1] >= 0 && moves(m, d, b->body[1]));
    }
}

/*
 * Does a contact touch, of a kind whose rows turn? What comes near in the step does not yet; what
 * bore a load in the last one does, as far as the path of a rim or a corner has opened it: without
 * its row it would fly in this step and be held in the next, and so on in turn.
 */
static bool touches(const ss_model *m, const ss_data *d, const ss_row_block *b,
                    const ss_row_start *start)
{
    if (b->source != SS_ROWS_CONTACT || b->spring > 0 || was_cut_often(d)) {
        return false;
    }
    const ss_contact *c    = &d->contacts.items[b->index];
    double            near = SS_TOUCHES * d->midpoint.h * passing_speed(m, d, c);
    return (start->gap <= near || ss_contact_bore(d, c)) && contact_turns(m, d, c) &&
           (start->placed || !ss_contact_is_uneven(m, d, c));
}

/*
 * A contact that the round at the start leaves open and whose row turns against it: forces alone
 * open it, the path of the rim that it rolls on does not. The law of the middle is asked, with no
 * load.
 */
static bool closed_by_turning(const ss_model *m, const ss_data *d, const ss_row_block *b,
                              const ss_row_start *start)
{
    double turn[SS_CONTACT_ROWS], free[SS_CONTACT_ROWS];
    if (d->rows.impulse[b->row] > 0 || !is_smooth_block(d, b) || !touches(m, d, b, start)) {
        return false;
    }
    find_turns(m, d, b, start, turn, free);
    double rate = ss_row_rate(m, d, b, b->row, d->v_next) + turn[0];
    rate += start->drift[0] + ss_max(start->gap, 0) / d->midpoint.h;
    return rate < -SS_IMPACT_NOISE * speed_of(m, d, b);
}

/* Slip that is no more than what a step of first order leaves of none. */
static bool slip_turns(const ss_model *m, const ss_data *d, const ss_row_block *b,
                       const ss_row_start *start, double slip)
{
    double turn[SS_CONTACT_ROWS], free[SS_CONTACT_ROWS], turned = 0, freely = 0;
    if (!touches(m, d, b, start)) {
        return false;
    }
    find_turns(m, d, b, start, turn, free);
    for (int32_t k = 1; k < b->dim && k < SS_CONTACT_ROWS; k++) {
        turned += turn[k] * turn[k];
        freely += free[k] * free[k];
    }
    return slip <= SS_TURN_SHARE * sqrt(ss_max(turned, freely));
}

/*
 * Friction rows that slip at the start and at the end, the same way. Closing a limit at the end of
 * a step lets what lies on something give way by a millionth of the velocities it takes out
 * (SS_CONTACT_GIVES): that is no slip, though it may be all the velocity that its bodies have.
 * *speed: of the slip at the start.
 */
static bool slips_on(const ss_model *m, const ss_data *d, const ss_row_block *b,
                     const ss_row_start *start, double *speed)
{
    int32_t first = b->kind == SS_BLOCK_CONE ? 1 : 0;
    double  both = 0, before = 0, after = 0, size = speed_of(m, d, b);
    if (b->kind == SS_BLOCK_UNILATERAL || b->kind == SS_BLOCK_EQUALITY ||
        b->source == SS_ROWS_MOTOR) {
        return false;
    }
    for (int32_t k = first; k < b->dim && k < 6; k++) {
        double was = start->rate[k] + ss_drift_at_start(d, b, start, k);
        double is  = ss_row_rate(m, d, b, b->row + k, d->v_next) + d->rows.drift[b->row + k];
        is += start->placed ? d->midpoint.shift[b->row + k] : 0;
        both += was * is;
        before += was * was;
        after += is * is;
    }
    double least = SS_SLIDES * size, stops = SS_STOPS * SS_STOPS * before;
    if (!(both > 0 && before > least * least && after > fmax(least * least, stops))) {
        return false;
    }
    least  = SS_SLIDES * island_speed(m, d, b);
    *speed = sqrt(before);
    return *speed > least;
}

/* The same, by more than what a step of first order leaves where nothing slips. */
static bool slides(const ss_model *m, const ss_data *d, const ss_row_block *b,
                   const ss_row_start *start)
{
    double speed;
    return slips_on(m, d, b, start, &speed) && !slip_turns(m, d, b, start, speed);
}

/* Does slip, by more than that, end within the step because forces take it? */
static bool slip_ends(const ss_model *m, const ss_data *d, const ss_row_block *b,
                      const ss_row_start *start, bool beside)
{
    double speed = ss_slip_ends(m, d, b, start, beside);
    double still = ss_max(SS_SLIDES * island_speed(m, d, b), SS_STILL * d->midpoint.pushed);
    return speed > still && !slip_turns(m, d, b, start, speed);
}

/* Does the slip of a block that slides change its direction? Friction goes with it. */
static bool slip_bends(const ss_model *m, const ss_data *d, const ss_row_block *b,
                       const ss_row_start *start)
{
    int32_t first = b->kind == SS_BLOCK_CONE ? 1 : 0;
    double  both = 0, before = 0, after = 0;
    if (!start->slides || b->dim - first < 2) {
        return false;
    }
    for (int32_t k = first; k < b->dim && k < 6; k++) {
        double drift = d->rows.drift[b->row + k], was = start->rate[k] + drift;
        double is = ss_row_rate(m, d, b, b->row + k, d->v_next) + drift;
        both += was * is;
        before += was * was;
        after += is * is;
    }
    return both * both < (1 - SS_STRAIGHT) * before * after;
}

/* Do forces, and not friction, take most of the slip that there was at the start? */
static bool braked(const ss_model *m, const ss_data *d, const ss_row_block *b,
                   const ss_row_start *start)
{
    double taken = 0, before = 0;
    for (int32_t k = b->kind == SS_BLOCK_CONE ? 1 : 0; k < b->dim && k < 6; k++) {
        double was = start->rate[k] + d->rows.drift[b->row + k];
        taken -= was * ss_row_forced(m, d, b, b->row + k);
        before += was * was;
    }
    return taken > SS_BRAKED * before;
}

/* What hangs still on a hook that moves does not stay where it is, whatever its velocities of the
   first round are: these have rows of the start of the step. */
static bool hook_moves(const ss_model *m, const ss_data *d, const ss_joint *j)
{
    for (int side = 0; side < 2; side++) {
        int32_t hook = j->body[side], load = j->body[1 - side];
        if (hook >= 0 && load >= 0 && m->bodies[hook].type == SS_BODY_KINEMATIC &&
            ss_body_moves(&m->bodies[load]) && d->midpoint.smooth[load] &&
            ss_norm(d->twist_next[hook].v) + ss_norm(d->twist_next[hook].w) > 0) {
            return true;
        }
    }
    return false;
}

static bool tied_bodies_move(const ss_model *m, const ss_data *d)
{
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i]) && m->bodies[i].tied && d->midpoint.smooth[i] &&
            moves(m, d, i)) {
            return true;
        }
    }
    for (int32_t i = 0; m->driven && i < m->joint_count; i++) {
        if (hook_moves(m, d, &m->joints[i])) {
            return true;
        }
    }
    return false;
}

/* Of islands that are solved to a motion error nothing more is asked. */
static bool is_by_motion(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    return ss_island_by_motion(m, &d->islands[b->island]);
}

/*
 * A point of a rim that nearly touches, beside the one that does. While a coin runs round, the
 * round at the start lands on it; whether the rim comes down there or has gone on is seen in the
 * middle of the step, where it strikes if it is loaded.
 */
static bool awaits_run(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    if (b->source != SS_ROWS_CONTACT || b->spring > 0 || b->strikes || was_cut_often(d)) {
        return false;
    }
    const ss_midpoint *x = &d->midpoint;
    const ss_contact  *c = d->contacts.items, *of = &c[b->index];
    double             near = SS_TOUCHES * d->midpoint.h * passing_speed(m, d, of);
    if (of->branch != 0 || ss_contact_is_uneven(m, d, of) ||
        !(ss_point_runs(m, of->geom_a) || ss_point_runs(m, of->geom_b))) {
        return false;
    }
    for (int step = -1; step <= 1; step += 2) {
        for (int32_t i = b->index + step; i >= 0 && i < d->contacts.count &&
                                          c[i].geom_a == of->geom_a && c[i].geom_b == of->geom_b;
             i += step) {
            double gap = x->starts[i].gap;
            if (gap <= near && gap < x->starts[b->index].gap) {
                return true;
            }
        }
    }
    return false;
}

bool ss_find_smooth(const ss_model *m, ss_data *d, double h)
{
    ss_midpoint *x      = &d->midpoint;
    bool         struck = m->poisson && d->impact.phase != SS_PHASE_WHOLE, turning = false;
    for (int32_t i = 0; i < m->nb; i++) {
        x->smooth[i] = ss_body_moves(&m->bodies[i]) && !struck;
    }
    if (m->driven && !struck) {
        ss_driven_starts(m, d, h);
        ss_driven_supports(m, d, h);
        ss_driven_frictions(m, d, h);
    }
    for (int32_t i = 0; i < d->rows.nblocks && !struck; i++) {
        const ss_row_block *b       = &d->rows.blocks[i];
        bool                happen  = !is_by_motion(m, d, b) && happens(m, d, b, &x->starts[i]);
        bool                awaited = happen && awaits_run(m, d, b);
        if (happen && !awaited) {
            mark(d, b);
        }
        x->starts[i].closes = awaited || (ss_is_limit(b) && strikes(m, d, b, &x->starts[i]));
    }
    spread(d);
    for (int32_t i = 0; i < d->rows.nblocks && !struck; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        x->starts[i].slides =
            !is_by_motion(m, d, b) && !x->starts[i].placed && slides(m, d, b, &x->starts[i]);
        bool jointed        = ss_block_jointed(m, b) && !was_cut_often(d);
        x->starts[i].braked = x->starts[i].slides && (jointed || braked(m, d, b, &x->starts[i]));
        turning = turning || block_turns(m, d, b) || slip_bends(m, d, b, &x->starts[i]) ||
                  closed_by_turning(m, d, b, &x->starts[i]) ||
                  (!x->starts[i].placed && slip_ends(m, d, b, &x->starts[i], false));
    }
    x->converges = tied_bodies_move(m, d);
    return turning || x->converges;
}

/* A block that was to slide all the time and, by friction against its mean slip, does not: it comes
   to rest on the way, or turns round. What is merely in reach, or carries nothing, has no friction
   to be stopped by: what it passes changes its direction, and nothing happens. */
static bool stopped(const ss_model *m, const ss_data *d, const ss_row_block *b,
                    const ss_row_start *start)
{
    bool   rubs = b->kind != SS_BLOCK_CONE || d->rows.impulse[b->row] > 0;
    double speed;
    return rubs && start != NULL && start->slides && !slips_on(m, d, b, start, &speed);
}

/*
 * Where forces did it, the law of the end tells which of the two it is, in the middle of the step
 * as before: a step of first order would take the energy of what turns a spring round, half of (h
 * F)^2/m. (Friction against the mean would push it back, or hold v' = -v.)
 */
static bool obeys_end(ss_row_start *start, bool stopped)
{
    if (!stopped || !start->braked) {
        return false;
    }
    start->slides = false;
    return true;
}

/*
 * Rows of the round at the start see a driven surface displaced, which is no velocity that a body
 * can have where it turns: they do not tell sticking from sliding. The first pass in the middle
 * does, and the next ones have it so.
 */
static bool starts_to_slide(const ss_model *m, const ss_data *d, const ss_row_block *b,
                            ss_row_start *start)
{
    if (d->midpoint.pass != 1 || start == NULL || !start->placed) {
        return false;
    }
    start->slides = d->rows.impulse[b->row] != 0 && slides(m, d, b, start);
    return start->slides;
}

/* Slip that ended on the way, and was not known to: the next passes have it at its time. */
static bool reverses(const ss_model *m, ss_data *d, const ss_row_block *b, ss_row_start *start,
                     bool beside)
{
    if (start == NULL) {
        return false;
    }
    bool ends  = slip_ends(m, d, b, start, beside);
    bool again = ends || ss_place_reversal(m, d, b, start);
    if (ends) {
        ss_ask_reversal(d, b, start);
        d->midpoint.reverses = true;
    }
    return again;
}

static bool any_slip_ends(const ss_model *m, const ss_data *d)
{
    int32_t cursor = 0;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b     = &d->rows.blocks[i];
        const ss_row_start *start = ss_block_start(d, b, &cursor);
        if (start != NULL && slip_ends(m, d, b, start, false)) {
            return true;
        }
    }
    return false;
}

/* Blocks of smooth bodies that bear a load in the middle of the step and were not there at its
   start, that slid at its start and stop doing so, that have turned out to follow the law of its
   end, or that join smooth bodies with others. */
bool ss_find_events(const ss_model *m, ss_data *d)
{
    ss_midpoint *x     = &d->midpoint;
    bool         found = false, anew = false, beside = any_slip_ends(m, d);
    int32_t      cursor = 0;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        bool                mixed =
            b->body[0] >= 0 && b->body[1] >= 0 && x->smooth[b->body[0]] != x->smooth[b->body[1]];
        bool          smooth = !mixed && x->smooth[ss_block_mover(b)];
        bool          loaded = b->source == SS_ROWS_CONTACT && d->rows.impulse[b->row] > 0;
        ss_row_start *start  = smooth ? ss_block_start(d, b, &cursor) : NULL;
        bool          fresh  = loaded && smooth && start == NULL;
        bool          struck = smooth && ss_struck_in_middle(d, b, &cursor);
        bool          first  = smooth && b->spring > 0 && d->springs.items[b->spring - 1].first;
        bool          ends   = reverses(m, d, b, start, beside);
        bool          stops  = !ends && stopped(m, d, b, start);
        bool          end    = obeys_end(start, stops);
        if (mixed || fresh || first || struck || (stops && !end)) {
            mark(d, b);
            found = true;
        }
        anew = ends || end || starts_to_slide(m, d, b, start) || anew;
        for (int32_t k = 0; smooth && k < b->dim; k++) { /* what is told of the rows */
            d->rows.velocity[b->row + k] = ss_row_rate(m, d, b, b->row + k, d->v_next) +
                                           d->rows.drift[b->row + k] + x->shift[b->row + k];
        }
    }
    if (found) {
        spread(d);
    }
    return found || anew;
}

void ss_push_from_start(const ss_model *m, ss_data *d, bool all)
{
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (b->source == SS_ROWS_CONTACT &&
            (all || ss_contact_is_uneven(m, d, &d->contacts.items[b->index]))) {
            mark(d, b);
        }
    }
    spread(d);
}
