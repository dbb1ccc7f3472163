/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Impacts that a step of first order has at another time than theirs. It moves bodies by h v+ from
 * its start on: what strikes at t, a gap psi above the floor, leaves it, or comes to rest on it, up
 * to (h - t)|u-| and t|u-| away from where it would, and with forces that have not acted meanwhile.
 * Where e = 0 the gap psi/h takes a part of the impact in this step and leaves the rest to the
 * next: friction acts on two impulses, whose shares depend on where in the step the impact falls.
 *
 * So such a step is taken in parts that end where something touches (sim/events.c), if what strikes
 * is faster than forces of two steps make it: the others are off by |u| h, which is of second
 * order. Bodies with joints are asked down to a tenth of one step: along a row of the start a link
 * of a chain that is nearly straight weighs hundreds of times its mass, and what bends its path is
 * not seen. What strikes on the way to the first impact, which has no rows until then, is asked
 * too, and what the middle of a step shows to be reached near its end, or to turn back within it.
 * Where more pairs strike in one step than could be taken one by one, they are left as they are.
 */
#include <math.h>

#include "core/compare.h"
#include "corner/branches.h"
#include "dynamics/coordinates.h"
#include "dynamics/passage.h"
#include "dynamics/stages.h"
#include "formulate/formulate.h"
#include "midpoint/midpoint.h"
#include "midpoint/tolerances.h"

/* Impacts of what flies before and after them are at their time already (lone_impacts.c). */
static bool is_timed(const ss_data *d, const ss_row_block *b)
{
    for (int side = 0; side < 2; side++) {
        if (b->body[side] >= 0 && d->midpoint.flight[b->body[side]].is) {
            return true;
        }
    }
    return false;
}

/* A contact when the step began; in the middle of a step, as fast as it is in any part of it. */
typedef struct approach {
    double gap, rate;
    bool   closes; /* it is seen to strike in the middle of the step alone */
    bool   first;  /* through another branch than the one that is loaded   */
} approach;

/* What driven bodies make of the rate of a contact. */
static double driven_rate(const ss_model *m, const ss_data *d, const ss_contact *c)
{
    return m->driven ? ss_driven_approach(m, d, c, d->midpoint.h) : 0;
}

/* Of contacts that are not in reach then, from where their bodies are in the middle; the gap of
   those with driven bodies is that of the start already (middle_rows.c). */
static approach fresh_approach(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    const ss_contact *c    = &d->contacts.items[b->index];
    double            rate = ss_row_rate(m, d, b, b->row, d->v_now) + driven_rate(m, d, c);
    bool              from = ss_block_smooth(d, b) && !ss_contact_is_uneven(m, d, c);
    double            back = from ? 0.5 * d->midpoint.h * rate : 0;
    return (approach){ss_contact_apart(m, d, c, d->midpoint.h) - back, rate, .closes = true};
}

/* What opens may come back by the turn of its row: with J of the start and J' of the middle, its
   rate is (2J' - J) v when the step ends. */
static approach approach_of(const ss_model *m, const ss_data *d, const ss_row_block *b,
                            const ss_row_start *start)
{
    if (start == NULL) {
        return fresh_approach(m, d, b);
    }
    bool   middle = d->midpoint.pass > 0;
    double driven = driven_rate(m, d, &d->contacts.items[b->index]);
    double rate   = start->rate[0] + (middle ? start->drift[0] : driven);
    double end    = middle ? 2 * (ss_row_rate(m, d, b, b->row, d->v_now) + driven) - rate : rate;
    return (approach){start->gap, ss_min(rate, end), .closes = start->closes};
}

/*
 * By the round at the start nothing happens to what moves smoothly. In the middle of the step
 * bodies may turn out to reach what is apart by more than steps leave of a touch, or seem to: the
 * law of the end has the rate of the end for all of the step. A part of an impact would be taken
 * here, and the rest of it by a step that takes what bore a load for closed.
 */
static bool is_asked(const ss_data *d, const ss_row_block *b, const approach *x)
{
    bool met = x->gap > SS_TOUCHES * d->midpoint.h * fabs(x->rate);
    return d->midpoint.pass > 0 ? x->closes || met : x->first || !ss_block_smooth(d, b);
}

/* What rolls on something that it hardly presses is as far off it as the last step left it. */
static bool rolls(const ss_model *m, const ss_data *d, const ss_row_block *b, const approach *x)
{
    return d->midpoint.pass > 0 && !x->closes && !ss_block_jointed(m, b) &&
           ss_contact_held(m, d, &d->contacts.items[b->index]);
}

/* Rows and bodies of an island above which it is a pile: something strikes in every step of it. A
   rim alone may have 24 contacts, and by Poisson's law each has five rows. */
enum { PILE_ROWS = 64, PILE_BODIES = 4 };

/* Of piles nothing more is asked. */
static bool is_pile(const ss_model *m, const ss_island *isl)
{
    bool large = isl->row_count > PILE_ROWS && isl->body_count > PILE_BODIES;
    return large || ss_island_by_motion(m, isl);
}

static bool in_pile(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    return is_pile(m, &d->islands[b->island]);
}

/* What forces make of the rate of a row in the step. */
static double force_along(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    double all    = ss_row_forced(m, d, b, b->row);
    bool   struck = m->poisson && d->impact.phase == SS_PHASE_EXPANSION;
    return all - (struck ? ss_row_rate(m, d, b, b->row, d->impact.v_known) : 0);
}

/* What the loads of the last step make of a row of one side's body, which another block has too. */
static double loaded_along(const ss_model *m, const ss_data *d, const ss_row_block *b, int side,
                           const ss_row_block *by, const double *load)
{
    const double *J   = ss_row_side(m, &d->rows, b->row, side);
    double        sum = 0;
    for (int other = 0; other < 2; other++) {
        for (int32_t k = 0; by->body[other] == b->body[side] && k < by->dim && k < 6; k++) {
            sum += load[k] * ss_dot_dof(J, ss_response_side(m, d, by->row + k, other), m->dof);
        }
    }
    return sum;
}

/*
 * How fast a contact closes within a step where its bodies are held elsewhere: what forces and the
 * loads of the last step make of its rate together. held: there are such.
 */
static double closes_held(const ss_model *m, const ss_data *d, const ss_row_block *b, bool *held)
{
    const ss_island *isl   = &d->islands[b->island];
    double           scale = d->midpoint.h / d->state.warm_step, sum = force_along(m, d, b);
    *held = false;
    for (int32_t i = 0; d->state.warm_step > 0 && i < isl->block_count; i++) {
        const ss_row_block *by = &d->rows.blocks[isl->blocks[i]];
        const ss_contact   *c  = &d->contacts.items[by->index];
        if (by == b || by->source != SS_ROWS_CONTACT || !ss_contact_bore(d, c)) {
            continue;
        }
        for (int side = 0; side < 2; side++) {
            if (b->body[side] >= 0 &&
                (by->body[0] == b->body[side] || by->body[1] == b->body[side])) {
                sum += scale * loaded_along(m, d, b, side, by, ss_contact_load(d, c));
                *held = true;
            }
        }
    }
    return sum;
}

/*
 * What lands while something else holds it turns about that: it comes down by a part of what forces
 * alone would make (of a block of 1 : 4 that rocks 0.09 of it), and goes on about where it lands,
 * for as many steps as it came for. In a step with the impact in it the weight of all of the step
 * would press on what it turned about, against the lift that the impact gives that, which is of the
 * size of its own speed. In piles others press on it, and it does not turn about what holds it.
 */
static double slow_held(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    bool   held;
    double free = fabs(force_along(m, d, b));
    if (d->islands[b->island].body_count > PILE_BODIES) {
        return free;
    }
    double closes = fabs(closes_held(m, d, b, &held));
    double least  = SS_LATE_JOINTED / SS_LATE_SHARE * free;
    return held ? ss_min(ss_max(closes, least), free) : free;
}

/* How fast is too fast to be left, of what forces do in this part: joints hand on the forces of
   other bodies, and along no row of the start what bends the paths of their bodies. What the middle
   of a step alone shows may be what comes to rest on something that falls, or is held, itself. */
static double slow(const ss_model *m, const ss_data *d, const ss_row_block *b)
{
    if (ss_block_jointed(m, b)) {
        return SS_LATE_JOINTED * ss_island_forced(m, d, &d->islands[b->island]);
    }
    bool middle = d->midpoint.pass > 0;
    return SS_LATE_SHARE * (middle ? ss_row_forced_each(m, d, b, b->row) : slow_held(m, d, b));
}

/* How fast it is when it is reached, by the forces of the start: what falls from rest has a speed
   of k times theirs after k steps, and rounding would decide what is too fast. */
static double rate_when_met(const ss_model *m, const ss_data *d, const ss_row_block *b,
                            const approach *x)
{
    double u      = x->rate;
    double a      = d->midpoint.pass > 0 ? 0 : force_along(m, d, b) / d->midpoint.h;
    double square = u * u - 2 * a * x->gap;
    return x->gap > 0 && u < 0 && square > 0 ? -sqrt(square) : u;
}

static bool is_late(const ss_model *m, const ss_data *d, const ss_row_block *b, const approach *x)
{
    const ss_contact *c     = &d->contacts.items[b->index];
    ss_pair           pair  = {c->geom_a, c->geom_b};
    double            u     = rate_when_met(m, d, b, x);
    double            steps = d->cut.whole / d->midpoint.h;
    bool new_one = x->gap > ss_event_touch(m, &pair) || b->strikes || !ss_contact_bore(d, c);
    return new_one && -u > steps * slow(m, d, b); /* others rest there */
}

/* Does its impulse stop any of that approach, and is not what a solver leaves of none? */
static bool is_loaded(const ss_model *m, const ss_data *d, const ss_row_block *b, const approach *x)
{
    double inverse = 0;
    for (int side = 0; side < 2; side++) {
        inverse += b->body[side] >= 0 ? m->bodies[b->body[side]].inv_mass : 0;
    }
    return d->rows.impulse[b->row] * inverse > SS_IMPACT_NOISE * fabs(x->rate);
}

static bool is_noted(const ss_model *m, const ss_data *d, const ss_contact *c)
{
    ss_pair pair = {c->geom_a, c->geom_b};
    return d->cut.event.late_count > 0 && ss_is_watched(m, d, &pair);
}

/* Limits of joints that are reached. Up to an impact they are out of reach (dynamics/stops.c). */
static bool find_stops(const ss_model *m, const ss_data *d)
{
    int32_t cursor = 0;
    for (int32_t i = d->contacts.count; !d->cut.event.flight && i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        if (ss_is_limit(b) && ss_struck_in_middle(d, b, &cursor) && !in_pile(m, d, b) &&
            ss_stop_is_late(m, d, b->index, b->part, b->source == SS_ROWS_LOWER)) {
            return true;
        }
    }
    return false;
}

/* ---- islands that take the step by themselves (sim/groups.c) ----------------------------------
 */

/* Bodies times groups of one step: all bodies are looked at for the sake of each group. */
enum { APART_MOST = 1 << 15 };

static bool is_alone(const ss_model *m, const ss_island *isl)
{
    for (int32_t i = 0; i < isl->body_count; i++) {
        if (!m->bodies[isl->bodies[i]].alone) {
            return false;
        }
    }
    return true;
}

static int32_t moving_bodies(const ss_model *m)
{
    int32_t count = 0;
    for (int32_t i = 0; i < m->nb; i++) {
        count += ss_body_moves(&m->bodies[i]);
    }
    return count;
}

/* Bodies above which they are not asked: all of them take the parts of a step, for the sake of two
   that strike, and in a pour some do in every step. */
enum { BODIES_MOST = 32 };

bool ss_is_crowd(const ss_model *m)
{
    return moving_bodies(m) > BODIES_MOST;
}

/* May bodies be taken apart from all others, of which there are some? */
static bool may_be_apart(const ss_model *m, const ss_data *d, int32_t bodies)
{
    const ss_apart *x = &d->apart;
    bool whole        = !d->cut.event.apart && d->cut.part.depth == 0; /* it is no part of a step */
    return whole && !x->never && x->taking <= SS_APART_REST && bodies < moving_bodies(m) &&
           (int64_t)(x->count + 1) * m->nb <= APART_MOST;
}

/* The speeds up to which the islands at hand do not meet. */
static void note_reach(const ss_model *m, ss_data *d)
{
    ss_apart *x     = &d->apart;
    bool      first = x->taking == SS_APART_ALL;
    for (int32_t i = 0; i < m->nb; i++) {
        if (ss_body_moves(&m->bodies[i])) {
            x->reach[i] = first ? d->speed[i] : ss_min(x->reach[i], d->speed[i]);
        }
        x->group[i] = first ? SS_APART_REST : x->group[i];
    }
}

static void begin_group(const ss_model *m, ss_data *d)
{
    if (!d->apart.found) {
        note_reach(m, d);
    }
    d->apart.found = true;
    d->apart.count++;
}

static void add_to_group(ss_data *d, const ss_island *isl)
{
    for (int32_t i = 0; i < isl->body_count; i++) {
        d->apart.group[isl->bodies[i]] = d->apart.count;
    }
}

static bool is_apart(const ss_data *d, const ss_island *isl)
{
    return d->apart.found && d->apart.group[isl->bodies[0]] != SS_APART_REST;
}

/* The island of a block in which something strikes takes the step by itself, if it may. */
static bool set_apart(const ss_model *m, ss_data *d, const ss_row_block *b)
{
    const ss_island *isl = &d->islands[b->island];
    if (is_apart(d, isl)) {
        return true;
    }
    if (!is_alone(m, isl) || !may_be_apart(m, d, isl->body_count)) {
        return false;
    }
    begin_group(m, d);
    add_to_group(d, isl);
    return true;
}

/* ---- what strikes ------------------------------------------------------------------------------
 */

/* The corner of a contact's pair; NULL: it has one direction. */
static const ss_corner *corner_of(const ss_data *d, const ss_contact *c)
{
    for (int32_t i = 0; c->branch != 0 && i < d->corners.count; i++) {
        const ss_corner *k = &d->corners.items[i];
        if (k->present && k->geom_a == c->geom_a && k->geom_b == c->geom_b) {
            return k;
        }
    }
    return NULL;
}

/*
 * At a corner the branch through which the two would meet may have given way to one that they were
 * not apart by when the step began: a disc that strikes a corner ends over the next face, and a row
 * of that face lifts it there. They meet through the first all the same, as fast as that closes.
 */
static void see_first_branch(const ss_model *m, const ss_data *d, const ss_contact *c, approach *x)
{
    const ss_corner *k     = corner_of(d, c);
    ss_pair          pair  = {c->geom_a, c->geom_b};
    double           touch = ss_event_touch(m, &pair), h = d->midpoint.h;
    if (k == NULL || k->start == c->branch || x->gap >= -touch || d->corners.contact_count == 0) {
        return;
    }
    for (int32_t i = k->first; i < k->first + k->count; i++) {
        const ss_contact *s    = &d->corners.contacts[i];
        double            rate = ss_opening_rate(m, d, s, d->state.twist) + driven_rate(m, d, s);
        double            gap  = ss_contact_apart(m, d, s, h);
        if (s->branch == k->start && gap > touch && gap + h * rate < 0 && rate < x->rate) {
            *x = (approach){gap, rate, x->closes, true};
        }
    }
}

static bool strikes_late(const ss_model *m, const ss_data *d, const ss_row_block *b,
                         int32_t *cursor)
{
    const ss_contact *c = &d->contacts.items[b->index];
    approach          x = approach_of(m, d, b, ss_block_start(d, b, cursor));
    if (b->source == SS_ROWS_CONTACT) {
        see_first_branch(m, d, c, &x);
    }
    return is_asked(d, b, &x) && b->source == SS_ROWS_CONTACT && b->spring == 0 &&
           !in_pile(m, d, b) && is_loaded(m, d, b, &x) && !is_noted(m, d, c) && !is_timed(d, b) &&
           is_late(m, d, b, &x) && !rolls(m, d, b, &x);
}

bool ss_find_late_impacts(const ss_model *m, ss_data *d)
{
    int32_t cursor = 0, before = d->cut.event.flight ? d->cut.event.late_count : 0;
    bool    asked = d->cut.event.flight && d->cut.event.stops, crowd = ss_is_crowd(m), many = false;
    if (d->cut.event.flight && before == 0 && !asked) { /* all pairs are, already */
        return false;
    }
    bool stops              = !crowd && find_stops(m, d);
    d->cut.event.late_count = before;
    for (int32_t i = 0; i < d->contacts.count && i < d->rows.nblocks; i++) {
        const ss_row_block *b = &d->rows.blocks[i];
        const ss_contact   *c = &d->contacts.items[b->index];
        if (!strikes_late(m, d, b, &cursor) || set_apart(m, d, b) || crowd) {
            continue;
        }
        many = many || d->cut.event.late_count == SS_LATE_PAIRS;
        if (!many) {
            d->cut.event.late[d->cut.event.late_count++] =
                (ss_pair){m->geoms[c->geom_a].body, m->geoms[c->geom_b].body};
        }
    }
    if (many || d->apart.found) {
        d->cut.event.late_count = before;
        stops                   = false;
    }
    d->cut.event.stops = asked || stops;
    return d->apart.found || d->cut.event.late_count > before || stops;
}

/* A pair that was apart when the step began, and that may be asked. */
static bool may_be_asked(const ss_model *m, const ss_data *d, const ss_pair *pair)
{
    ss_contact c     = {.geom_a = pair->a, .geom_b = pair->b};
    double     touch = ss_event_touch(m, pair);
    return !is_noted(m, d, &c) && ss_gap_at_start(m, d, pair, touch) > touch;
}

/* Is one of two bodies in a pile? */
static bool piled(const ss_model *m, const ss_data *d, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < d->island_count; i++) {
        const ss_island *isl = &d->islands[i];
        for (int32_t k = 0; is_pile(m, isl) && k < isl->body_count; k++) {
            if (isl->bodies[k] == a || isl->bodies[k] == b) {
                return true;
            }
        }
    }
    return false;
}

static const ss_island *island_of(const ss_data *d, int32_t body)
{
    for (int32_t i = 0; i < d->island_count; i++) {
        for (int32_t k = 0; k < d->islands[i].body_count; k++) {
            if (d->islands[i].bodies[k] == body) {
                return &d->islands[i];
            }
        }
    }
    return NULL;
}

bool ss_set_two_apart(const ss_model *m, ss_data *d, int32_t a, int32_t b)
{
    const int32_t    pair[2] = {a, b};
    const ss_island *of[2];
    int32_t          bodies = 0;
    for (int side = 0; side < 2; side++) {
        bool moves = pair[side] >= 0 && ss_body_moves(&m->bodies[pair[side]]);
        of[side]   = moves ? island_of(d, pair[side]) : NULL;
        if ((moves && !m->bodies[pair[side]].alone) || (of[side] && !is_alone(m, of[side]))) {
            return false;
        }
        bodies += of[side] != NULL ? of[side]->body_count : moves;
    }
    bool apart[2] = {of[0] != NULL && is_apart(d, of[0]), of[1] != NULL && is_apart(d, of[1])};
    if (apart[0] || apart[1] || !may_be_apart(m, d, bodies)) {
        return (apart[0] || apart[1]) && (of[0] == of[1] || of[0] == NULL || of[1] == NULL);
    }
    begin_group(m, d);
    for (int side = 0; side < 2; side++) {
        if (of[side] != NULL) {
            add_to_group(d, of[side]);
        } else if (pair[side] >= 0 && ss_body_moves(&m->bodies[pair[side]])) {
            d->apart.group[pair[side]] = d->apart.count;
        }
    }
    return true;
}

bool ss_ask_pairs_of(const ss_model *m, ss_data *d, int32_t a, int32_t b)
{
    int32_t before = d->cut.event.flight ? d->cut.event.late_count : 0;
    if (piled(m, d, a, b) || (d->cut.event.flight && before == 0 && !d->cut.event.stops)) {
        return false;
    }
    if (ss_set_two_apart(m, d, a, b) || ss_is_crowd(m)) {
        return d->apart.found;
    }
    d->cut.event.late_count = before;
    for (int32_t i = 0; i < d->pair_count && d->cut.event.late_count < SS_LATE_PAIRS; i++) {
        const ss_pair *pair = &d->pairs[i];
        int32_t        of_a = m->geoms[pair->a].body, of_b = m->geoms[pair->b].body;
        bool           they = (of_a == a && of_b == b) || (of_a == b && of_b == a);
        if (they && may_be_asked(m, d, pair)) {
            d->cut.event.late[d->cut.event.late_count++] = (ss_pair){a, b};
        }
    }
    return d->cut.event.late_count > before;
}
