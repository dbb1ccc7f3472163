/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Did the branches that were taken hold, and which are taken next?
 *
 * A pair fails when a branch of it carries an impulse while another one, its rival, has s > 0 at
 * the end of the step: it was held by the extension of a face that the other had passed.
 *
 * Without friction a single pair needs no search: the step minimises a convex function over a union
 * of convex sets, and the least of the minima over each of them satisfies the conditions, with one
 * branch. If g is taken and f is its rival, then the minimum over f is lower (moving from that of g
 * towards v_free stays in f), so that changing to the rival never returns. With friction, or when
 * pairs depend on each other, it may. Then moves are tried in this order, in each island apart, and
 * the first that leads to a choice which has not been refuted yet is made:
 *
 *   1. every pair that fails takes its rival;
 *   2. one pair does, the one with the largest s of its rival first;
 *   3. one pair takes its rival beside the branch it has (the corner itself: both at zero).
 *
 * A rival is reached through free space, because the solution that it was found with stayed in the
 * half-space of a branch that did separate the two. So no choice pushes bodies through each other,
 * and the choices are no more than moves made: their number is bounded, not a power of the number
 * of pairs. An island without a move left returns to its first choice and is counted as open: the
 * step is refused, so that it is cut, and a shorter one passes fewer edges at a time. So it is
 * after a few choices whose problems nobody solves.
 */
#include <math.h>

#include "corner/branches.h"
#include "dynamics/coordinates.h"
#include "dynamics/passage.h"
#include "model/axes.h"

extern const ss_reason ss_reason_corners;

/* Rounds of a step that may change branches; of these after problems that no solver solved, whose
   motions say little about branches and take longest: where the step can still be cut, and else. */
enum { MAX_SWITCHES = 40, UNSOLVED_BRIEF = 3, UNSOLVED_LAST = 8 };

static void begin(const ss_model *m, ss_data *d, double h)
{
    (void)m;
    (void)h;
    ss_corners *k = &d->corners;
    k->count = k->contact_count = k->seen_count = k->open = k->switches = k->unsolved = 0;
}

/* ---- did the choice hold? ------------------------------------------------------------------ */

/* A branch at the end of the step. */
typedef struct ending {
    double separation;
    double impulse; /* largest normal one of its contacts; 0 when it was not taken */
    bool   strikes; /* an impact by a law of restitution: it is not meant to end at zero */
} ending;

/* Were the contacts of a pair found in the middle of the step? Half of it is left there. */
static bool in_middle(const ss_model *m, const ss_data *d, const ss_corner *x)
{
    int32_t a = m->geoms[x->geom_a].body, b = m->geoms[x->geom_b].body;
    return d->midpoint.pass > 0 && (d->midpoint.smooth[a] || d->midpoint.smooth[b]);
}

/* Do the two lie on each other since the last step, so that nothing strikes? */
static bool lie_on(const ss_data *d, const ss_corner *x)
{
    const ss_contact *c = d->corners.contacts + x->first;
    for (int32_t i = 0; i < x->count; i++) {
        if (ss_contact_bore(d, &c[i])) {
            return true;
        }
    }
    return false;
}

/*
 * The rate by which a contact gets to the end of the step: bodies that move smoothly go by the mean
 * of their velocities, others by that of the end, which is also what rows hold back. What they lie
 * on ends where both say so. In the middle of the step the way of the mean has been gone by half,
 * so that 2 u' - (u + u')/2 over the other half is the way of the end.
 */
static double rate_on_way(const ss_model *m, const ss_data *d, const ss_contact *c, bool lies,
                          bool middle)
{
    double end  = ss_opening_rate(m, d, c, d->twist_next);
    double mean = 0.5 * (end + ss_opening_rate(m, d, c, d->state.twist));
    return !lies ? end : fmin(mean, middle ? 2 * end - mean : end);
}

static ending end_of(const ss_model *m, const ss_data *d, const ss_corner *x, ss_branch b, double h,
                     bool lies)
{
    const ss_contact *c      = d->corners.contacts + x->first;
    bool              middle = in_middle(m, d, x);
    double            left   = middle ? 0.5 * h : h;
    ending            e      = {INFINITY, 0, false};
    for (int32_t i = b.first; i < b.end; i++) {
        double  gap  = d->gap->seen(c[i].gap);
        int32_t at   = d->corners.at[x->first + i];
        double  by   = middle && m->driven ? ss_driven_approach(m, d, &c[i], h) : 0;
        double  rate = rate_on_way(m, d, &c[i], lies, middle) + by; /* others have gone already */
        e.separation = fmin(e.separation, ss_gap_at_end(gap, rate, left));
        if (at >= 0) {
            const ss_row_block *r = &d->rows.blocks[at];
            e.impulse             = fmax(e.impulse, d->rows.impulse[r->row]);
            e.strikes             = e.strikes || r->strikes;
        }
    }
    return e;
}

/*
 * By how much a branch that leads into a slot is a way out: past what counts as a length there. Up
 * to an impact it is none: the piece behind may have no rows, and the part ends where it is
 * reached.
 */
static double past_slot(const ss_data *d, const ss_contact *c, double separation)
{
    bool passed = c->shut > 0 && d->cut.event.flight;
    return passed ? -INFINITY : separation - c->shut;
}

/* Of the branches without an impulse the one that separates most is the rival. */
static void judge(const ss_model *m, const ss_data *d, ss_corner *x, double h, double least_impulse)
{
    const ss_contact *c       = d->corners.contacts + x->first;
    const int32_t     body[2] = {m->geoms[x->geom_a].body, m->geoms[x->geom_b].body};
    double            size    = ss_pair_size(m, c);
    double            tiny =
        ss_corner_rounding * size + ss_corner_moved * h * ss_approach_bound(m, d, body[0], body[1]);
    double best = -INFINITY, most = -INFINITY, impulse = 0;
    bool   strikes = false, inner = false;
    bool   lies = ss_integrator_of(m)->second && lie_on(d, x);
    x->island   = -1;
    for (int32_t i = 0; i < x->count;) {
        ss_branch b  = ss_branch_at(c, x->count, i);
        ending    e  = end_of(m, d, x, b, h, lies);
        impulse      = fmax(impulse, e.impulse);
        strikes      = strikes || e.strikes;
        most         = fmax(most, e.separation);
        bool cut     = c[i].inner && ss_corner_takes(x, &c[i]);
        inner        = inner || cut;
        double apart = past_slot(d, &c[i], e.separation);
        if (e.impulse <= least_impulse && apart > best && !cut) {
            best     = apart;
            x->rival = c[i].branch;
        }
        int32_t at = d->corners.at[x->first + i];
        x->island  = at >= 0 ? d->rows.blocks[at].island : x->island;
        i          = b.end;
    }
    x->fails  = impulse > least_impulse ? !strikes && best > tiny : inner && most < -tiny;
    x->excess = fabs(impulse > least_impulse ? best : most) / size;
}

static double largest_impulse(const ss_data *d)
{
    double most = 0;
    for (int32_t i = 0; i < d->contacts.count; i++) {
        most = fmax(most, d->rows.impulse[d->rows.blocks[i].row]);
    }
    return most;
}

/* The complementarity form is hard enough that a solver may find nothing: branches one by one. */
static bool any_unsolved(const ss_data *d)
{
    for (int32_t i = 0; i < d->island_count; i++) {
        if (!ss_island_solved(d->model, &d->islands[i])) {
            return true;
        }
    }
    return false;
}

static int32_t count_open(const ss_model *m, ss_data *d, double h)
{
    ss_corners *k        = &d->corners;
    double      least    = ss_corner_no_impulse * largest_impulse(d);
    bool        unsolved = any_unsolved(d);
    int32_t     open     = 0;
    k->unsolved += unsolved;
    for (int32_t i = 0; i < k->count; i++) {
        ss_corner *x = &k->items[i];
        x->fails     = false;
        if (x->present) {
            judge(m, d, x, h, least);
            x->fails = x->fails || (x->whole && unsolved);
            open += x->fails;
        }
    }
    return open;
}

/* ---- the next choice ----------------------------------------------------------------------- */

/* All pairs, whichever island they are in. */
enum { EVERY_ISLAND = -2 };

/* Of the pairs of an island. */
static uint64_t hash_choice(const ss_corners *k, int32_t island)
{
    uint64_t x = island == EVERY_ISLAND ? 0x9E3779B97F4A7C15u : 0xCBF29CE484222325u;
    for (int32_t i = 0; i < k->count; i++) {
        const ss_corner *c = &k->items[i];
        if (!c->present || (island != EVERY_ISLAND && c->island != island)) {
            continue;
        }
        const uint64_t word[3] = {((uint64_t)(uint32_t)c->geom_a << 32) | (uint32_t)c->geom_b,
                                  c->taken[0] + c->whole, c->taken[1]};
        for (int w = 0; w < 3; w++) {
            x = (x ^ word[w]) * 0x100000001B3u;
            x ^= x >> 29;
        }
    }
    return x;
}

static bool was_seen(const ss_corners *k, uint64_t choice)
{
    for (int32_t i = 0; i < k->seen_count; i++) {
        if (k->seen[i] == choice) {
            return true;
        }
    }
    return false;
}

/*
 * A choice is refuted where it was, with the pairs of its island or with all pairs: a branch
 * without contacts within reach takes its pair out of the island, so that islands alone would let
 * two choices follow each other without end.
 */
static bool is_refuted(const ss_corners *k, int32_t island)
{
    return was_seen(k, hash_choice(k, island)) || was_seen(k, hash_choice(k, EVERY_ISLAND));
}

static void refute(ss_corners *k, int32_t island)
{
    if (k->seen_count < SS_CHOICES_SEEN) {
        k->seen[k->seen_count++] = hash_choice(k, island);
    }
}

static bool may_move(const ss_corner *x, int32_t island)
{
    return x->present && x->fails && !x->given_up && x->island == island;
}

/* The pair's rival instead of, or beside, what it has. The problem as a whole gave up first. */
static void take_rival(ss_corner *x, bool beside)
{
    if (x->whole) {
        x->taken[0] = x->start;
        x->whole    = false;
        return;
    }
    x->taken[1] = beside ? x->rival : 0;
    x->taken[0] = beside ? x->taken[0] : x->rival;
}

static bool move_all(ss_corners *k, int32_t island)
{
    for (int32_t i = 0; i < k->count; i++) {
        if (may_move(&k->items[i], island)) {
            k->items[i].was[0]    = k->items[i].taken[0];
            k->items[i].was[1]    = k->items[i].taken[1];
            k->items[i].was_whole = k->items[i].whole;
            take_rival(&k->items[i], false);
        }
    }
    return !is_refuted(k, island);
}

static void undo(ss_corners *k, int32_t island)
{
    for (int32_t i = 0; i < k->count; i++) {
        ss_corner *x = &k->items[i];
        if (may_move(x, island)) {
            x->taken[0] = x->was[0];
            x->taken[1] = x->was[1];
            x->whole    = x->was_whole;
        }
    }
}

/* The pair with the largest excess after `last`, which it may equal; NULL: there is none. */
static ss_corner *next_by_excess(ss_corners *k, int32_t island, const ss_corner *last)
{
    ss_corner *next = NULL;
    for (int32_t i = 0; i < k->count; i++) {
        ss_corner *x = &k->items[i];
        bool       after =
            last == NULL || x->excess < last->excess || (x->excess == last->excess && x > last);
        if (may_move(x, island) && after && (next == NULL || x->excess > next->excess)) {
            next = x;
        }
    }
    return next;
}

static bool move_one(ss_corners *k, int32_t island, bool beside)
{
    for (ss_corner *x = next_by_excess(k, island, NULL); x != NULL;
         x            = next_by_excess(k, island, x)) {
        take_rival(x, beside);
        if (!is_refuted(k, island)) {
            return true;
        }
        undo(k, island);
    }
    return false;
}

/* False: it was at its first choice already, whose problem need not be solved again. */
static bool give_up(ss_corners *k, int32_t island)
{
    bool changed = false;
    for (int32_t i = 0; i < k->count; i++) {
        ss_corner *x = &k->items[i];
        if (x->present && x->island == island) {
            changed     = changed || x->taken[0] != x->start || x->taken[1] != 0 || x->whole;
            x->taken[0] = x->start;
            x->taken[1] = 0;
            x->whole    = false;
            x->given_up = true;
        }
    }
    return changed;
}

/* May choices still be changed? */
static bool has_room(const ss_data *d)
{
    const ss_corners *k     = &d->corners;
    const int32_t     tries = ss_solver_common(d->solver)->brief ? UNSOLVED_BRIEF : UNSOLVED_LAST;
    return k->seen_count < SS_CHOICES_SEEN && k->switches < MAX_SWITCHES && k->unsolved <= tries;
}

/* True: another choice is to be tried. */
static bool search_island(ss_data *d, int32_t island)
{
    ss_corners *k = &d->corners;
    if (has_room(d)) {
        refute(k, island);
        if (move_all(k, island)) {
            return true;
        }
        undo(k, island);
        if (move_one(k, island, false) || move_one(k, island, true)) {
            return true;
        }
    }
    return give_up(k, island);
}

static ss_verdict check(const ss_model *m, ss_data *d, double h)
{
    ss_corners *k = &d->corners;
    if (k->contact_count == 0) {
        return SS_HOLDS;
    }
    k->open      = count_open(m, d, h);
    bool changed = false;
    if (k->open > 0) {
        refute(k, EVERY_ISLAND);
    }
    for (int32_t i = 0; i < k->count; i++) {
        ss_corner *x = &k->items[i];
        if (x->present && x->fails && !x->given_up) {
            int32_t island = x->island;
            changed        = search_island(d, island) || changed;
            for (int32_t j = i; j < k->count; j++) { /* its pairs have had their turn */
                k->items[j].fails = k->items[j].fails && k->items[j].island != island;
            }
        }
    }
    k->switches += changed;
    if (!changed) {
        return SS_HOLDS;
    }
    ss_rounds_change_contacts(m, d, SS_CONTACTS_OTHER);
    ss_keep_impulses(d, d->tried.items, &d->tried.count);
    return SS_AGAIN_AT_ONCE; /* a wrong branch throws bodies about: that is no speed of theirs */
}

const ss_reason ss_reason_corners = {
    .name = "the side of a corner", .begin = begin, .check = check, .when_all_hold = true};
