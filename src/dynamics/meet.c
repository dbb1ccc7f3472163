/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames -> pairs -> contacts (and of pairs near corners, those of the branch that is taken:
 * corner/branches.c). A pair matters when the two can meet within the step, and how far a
 * body can move in it follows from its velocity, the forces on it and its size: no margin to tune.
 * Impulses can make a body faster than that bound; rounds/reason_speed.c notices, raises
 * speed_floor and the step is done again.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "collide/flat_place.h"
#include "core/compare.h"
#include "core/constants.h"
#include "core/elementary.h"
#include "dynamics/alongside.h"
#include "dynamics/coordinates.h"
#include "dynamics/gaps.h"
#include "dynamics/kept_pairs.h"
#include "dynamics/passage.h"
#include "dynamics/stages.h"
#include "model/axes.h"

double ss_speed_by_forces(const ss_model *m, const ss_data *d, int32_t body, double h)
{
    const ss_body *b = &m->bodies[body];
    double         linear =
        ss_norm(d->state.twist[body].v) + h * ss_norm(d->applied[body].force) * b->inv_mass;
    double angular = ss_norm(d->state.twist[body].w);
    if (b->dof == m->dof && b->extent > 0) {
        double trace = b->inv_inertia.m[0] + b->inv_inertia.m[4] + b->inv_inertia.m[8];
        angular += h * ss_norm(d->applied[body].torque) * trace;
    }
    return linear + angular * b->extent;
}

int ss_geoms_may_collide(const void *user, int32_t a, int32_t b)
{
    const ss_model *m = user;
    return ss_model_may_collide(m, m->geoms[a].body, m->geoms[b].body) &&
           m->pair_fn[m->geom_class[a] * m->geom_class_count + m->geom_class[b]].fn != NULL;
}

static void grow_box(ss_aabb *box, double r)
{
    box->low  = ss_v3(box->low.x - r, box->low.y - r, box->low.z - r);
    box->high = ss_v3(box->high.x + r, box->high.y + r, box->high.z + r);
}

static void place_box(const ss_model *m, ss_data *d, int32_t g, double reach)
{
    const ss_geom *geom = &m->geoms[g];
    if (geom->cls->bounds == NULL) {
        d->boxes[g].low  = ss_v3(-INFINITY, -INFINITY, -INFINITY);
        d->boxes[g].high = ss_v3(INFINITY, INFINITY, INFINITY);
        return;
    }
    geom->cls->bounds(geom, &d->geom_frame[g], &d->boxes[g]);
    grow_box(&d->boxes[g], reach);
}

void ss_place_boxes(const ss_model *m, ss_data *d, int32_t body, double reach)
{
    const ss_body *b = &m->bodies[body];
    for (int32_t g = b->geom_first; g < b->geom_first + b->geom_count; g++) {
        place_box(m, d, g, reach);
    }
}

/* Are steps taken in parts that end where something touches? Gaps below a touch are none there.
   Nor are they at an impact that takes no time: slow bodies do not go as far as positions are
   rounded in it. */
static bool touches_count(const ss_model *m, const ss_data *d)
{
    return m->simulation.advance == SS_ADVANCE_EVENT || d->cut.event.apart || d->at_impact != NULL;
}

/* What nearly touches is in reach however short the step (faces.c). */
static double reach_of_box(const ss_model *m, int32_t body)
{
    double size  = m->shapes[body].size;
    double touch = SS_EVENT_TOUCH * (isfinite(size) ? size : 0);
    return SS_FACE_HOVERS * ss_max(touch, SS_OVERLAP_ROUNDING * m->length);
}

/*
 * The boxes of a kinematic body over the whole step: it stands at its end already, but what is on
 * its way is met as well. Between the two ends, points leave the straight line between their places
 * by no more than the height of an arc of the body's turn.
 */
static void sweep_boxes(const ss_model *m, ss_data *d, int32_t body, double h)
{
    const ss_body *b     = &m->bodies[body];
    double         turn  = fmin(h * ss_norm(d->twist_next[body].w), 2 * SS_PI);
    double         part  = ss_sin(0.25 * turn); /* 1 - cos(x) = 2 sin^2(x/2), not 0 */
    double         arc   = turn < SS_PI ? 2 * part * part : 2; /* from half a turn on: all of it */
    double         bulge = arc > 0 ? b->extent * arc : 0;      /* the extent may be infinite    */
    for (int32_t g = b->geom_first; g < b->geom_first + b->geom_count; g++) {
        const ss_geom *geom = &m->geoms[g];
        if (geom->cls->bounds != NULL) {
            const ss_frame *at  = ss_goes_evenly(d, body) ? d->frame : d->frame_was;
            ss_frame        was = ss_frame_mul(&at[body], &geom->local);
            ss_aabb         old;
            geom->cls->bounds(geom, &was, &old);
            ss_aabb *box = &d->boxes[g];
            box->low     = ss_v3(fmin(box->low.x, old.low.x), fmin(box->low.y, old.low.y),
                                 fmin(box->low.z, old.low.z));
            box->high    = ss_v3(fmax(box->high.x, old.high.x), fmax(box->high.y, old.high.y),
                                 fmax(box->high.z, old.high.z));
            grow_box(box, bulge);
        }
    }
}

/* Pairs with a body that does not take this step (sim/groups.c) are dropped. */
static int32_t drop_aside(const ss_model *m, ss_pair *pairs, int32_t count)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        ss_pair p = pairs[i];
        if (!m->bodies[m->geoms[p.a].body].aside && !m->bodies[m->geoms[p.b].body].aside) {
            pairs[kept++] = p;
        }
    }
    return kept;
}

/* Pairs whose boxes overlap; *count > room: there are more than that. */
static ss_status overlapping(const ss_model *m, ss_data *d, ss_pair *pairs, int32_t room,
                             int32_t *count)
{
    bool            some = d->apart.taking != SS_APART_ALL;
    const ss_model *all  = some ? d->apart.whole : m; /* who may collide is asked once */
    SS_TRY(ss_broadphase_pairs(d->broad, d->boxes, ss_geoms_may_collide, all, pairs, room, count));
    if (some && *count <= room) {
        *count = drop_aside(m, pairs, *count);
    }
    return SS_OK;
}

ss_status ss_find_pairs(const ss_model *m, ss_data *d)
{
    SS_TRY(overlapping(m, d, d->pairs, d->pair_capacity, &d->pair_count));
    return d->pair_count <= d->pair_capacity ? SS_OK : SS_ERR_SCRATCH;
}

/*
 * In a pile a body is often pushed a little faster than it would go alone. Half as much again finds
 * contacts that stay open, at the price of their rows, and saves most of the second rounds.
 */
static const double SPEED_SLACK = 1.5;

/* How many times faster than in the round before forces may make a body in the next. Ten times
   larger: hundreds of rows that stay open; below 1 rounds are done again for nothing. */
static const double SPEED_KNOWN = 4;

const ss_frame *ss_met_geom_frame(const ss_model *m, const ss_data *d, int32_t geom, int32_t other)
{
    bool middle = ss_meets_in_middle(m, d, m->geoms[geom].body, m->geoms[other].body);
    return middle ? &d->midpoint.geom_frame[geom] : &d->geom_frame[geom];
}

/* How far past the border of a face something still comes to be over it. */
static double beyond_of(const ss_model *m, const ss_data *d, const ss_pair *pair)
{
    if (!d->slower) {
        return 0;
    }
    double moved = d->moved[m->geoms[pair->a].body] + d->moved[m->geoms[pair->b].body];
    return ss_max(moved, DBL_MIN); /* not zero: that is by the reach */
}

/* How contacts of a pair are looked for. */
typedef struct look {
    double reach, beyond;
    bool   now; /* where all stand, and not for a step that is being taken */
} look;

static look look_in_step(const ss_model *m, const ss_data *d, const ss_pair *pair, double reach)
{
    return (look){.reach = reach, .beyond = beyond_of(m, d, pair)};
}

static void collide_into(const ss_model *m, const ss_data *d, const ss_pair *pair, look how,
                         ss_contact_list *out)
{
    int32_t              a = pair->a, b = pair->b;
    const ss_pair_entry *entry =
        &m->pair_fn[m->geom_class[a] * m->geom_class_count + m->geom_class[b]];
    if (entry->swap) {
        a = pair->b;
        b = pair->a;
    }
    out->geom_a        = a;
    out->geom_b        = b;
    out->beyond        = how.beyond;
    int32_t      first = out->count;
    ss_alongside s     = {.frame = {*ss_met_geom_frame(m, d, a, b), *ss_met_geom_frame(m, d, b, a)},
                          .moved = -1};
    if (m->driven && !how.now) {
        ss_take_along(m, d, a, b, how.reach, &s);
    }
    how.reach += s.moved >= 0 ? ss_norm(s.way) : 0;
    entry->fn(&m->geoms[a], &s.frame[0], &m->geoms[b], &s.frame[1], how.reach, out);
    ss_take_back(&s, first, out);
}

static void collide_pair(const ss_model *m, ss_data *d, const ss_pair *pair, double reach)
{
    collide_into(m, d, pair, look_in_step(m, d, pair, reach), &d->contacts);
}

/*
 * Patches of surfaces that give (compliant/contact_patch.c) are lifted in part: where one corner
 * of a body is within reach, those further away are corners of the same patch. Only for pairs that
 * have one branch however far one looks: planes against anything.
 */
static void find_outline(const ss_model *m, ss_data *d, const ss_pair *pair, int32_t first)
{
    const ss_contact_list *list  = &d->contacts;
    const double           reach = 2 * ss_min(m->geoms[pair->a].radius, m->geoms[pair->b].radius);
    if (list->count <= first || list->count > list->capacity || !isfinite(reach) ||
        ss_model_law(m, &list->items[first])->gives == NULL) {
        return;
    }
    if (isfinite(m->geoms[pair->a].radius) && isfinite(m->geoms[pair->b].radius)) {
        return;
    }
    d->contacts.count = first;
    collide_pair(m, d, pair, reach);
}

static void collide_pair_for(const ss_model *m, ss_data *d, const ss_pair *pair, look how)
{
    int32_t first = d->contacts.count;
    collide_into(m, d, pair, how, &d->contacts);
    if (m->compliant && ss_contact_of(m)->refine != NULL) {
        find_outline(m, d, pair, first);
    }
}

/* What stands on a place that is flat to rounding stands on all of it. */
static void spread_flat(const ss_model *m, ss_data *d, int32_t first)
{
    if (first < d->contacts.count && d->contacts.count <= d->contacts.capacity) {
        int32_t a = d->contacts.items[first].geom_a, b = d->contacts.items[first].geom_b;
        ss_spread_flat_place(&m->geoms[a], ss_met_geom_frame(m, d, a, b), &m->geoms[b],
                             ss_met_geom_frame(m, d, b, a), m->dimension == 2, first, &d->contacts);
    }
}

/* Rounds without a matrix take the same configuration again and again: what was found stands. */
static void collide_once(const ss_model *m, ss_data *d, int32_t i, double reach)
{
    const ss_pair *pair = &d->pairs[i];
    if (!ss_inertia_of(m)->balanced) {
        collide_pair_for(m, d, pair, look_in_step(m, d, pair, reach));
        return;
    }
    ss_kept_pair asked = {.pair   = *pair,
                          .frame  = {*ss_met_geom_frame(m, d, pair->a, pair->b),
                                     *ss_met_geom_frame(m, d, pair->b, pair->a)},
                          .reach  = reach,
                          .beyond = beyond_of(m, d, pair),
                          .first  = d->contacts.count};
    if (!ss_take_kept_pair(d, i, &asked)) {
        collide_pair_for(m, d, pair, look_in_step(m, d, pair, reach));
        spread_flat(m, d, asked.first);
    }
    ss_keep_pair(d, &asked);
}

/* Contacts of two bodies that are no further apart than they can move in the step? */
static bool can_meet(const ss_model *m, ss_data *d, const ss_pair *pair, double h)
{
    int32_t a = m->geoms[pair->a].body, b = m->geoms[pair->b].body;
    d->contacts.count = 0;
    collide_pair(m, d, pair, h * ss_approach_bound(m, d, a, b));
    return d->contacts.count > 0;
}

static double speed_of(const ss_model *m, const ss_twist *t, int32_t body)
{
    return ss_norm(t->v) + ss_turned_way(ss_norm(t->w), m->bodies[body].extent);
}

/*
 * How fast forces can make it. Once a round has been in the middle of the step, it is known how
 * fast it gets: dampers that take a velocity out within less than a step, such as an impact leaves
 * in an instant, would by their force alone reverse it hundreds of times, and with that reach
 * everything meets everything. What weight and drives make is in any case within reach; what gets
 * faster after all is seen (rounds/reason_speed.c).
 */
static double fastest(const ss_model *m, const ss_data *d, int32_t i, double h)
{
    double by_forces = ss_inertia_of(m)->speed_bound(m, d, i, h);
    if (d->midpoint.pass == 0 || d->rounds.round == 0) {
        return by_forces;
    }
    double found = ss_max(speed_of(m, &d->state.twist[i], i), speed_of(m, &d->twist_next[i], i));
    double outer = ss_norm(m->gravity) + m->bodies[i].inv_mass * ss_norm(d->active[i].force);
    return ss_min(by_forces, SPEED_KNOWN * (found + h * outer));
}

double ss_speed_beside(const ss_model *m, const ss_data *d, int32_t body, int32_t even)
{
    ss_vec3 v    = ss_body_moves(&m->bodies[body]) ? d->state.twist[body].v : ss_v3(0, 0, 0);
    double  more = ss_norm(ss_sub(v, d->twist_next[even].v)) - ss_norm(v);
    return ss_max(d->speed_found[body] + SPEED_SLACK * more, d->speed_beside[body]);
}

double ss_approach_bound(const ss_model *m, const ss_data *d, int32_t a, int32_t b)
{
    if (ss_goes_evenly(d, a) || ss_goes_evenly(d, b)) {
        return ss_goes_evenly(d, a) ? ss_speed_beside(m, d, b, a) : ss_speed_beside(m, d, a, b);
    }
    return d->speed[a] + d->speed[b];
}

static void place_body(const ss_model *m, ss_data *d, int32_t i, double h)
{
    /* A kinematic body is already where it will be at the end of the step, or goes evenly. */
    bool   moves      = ss_body_moves(&m->bodies[i]) && !ss_sleeps(d, i);
    double bound      = moves ? fastest(m, d, i, h) : 0;
    d->speed_found[i] = ss_sleeps(d, i) ? 0 : SPEED_SLACK * bound;
    d->speed[i]       = ss_sleeps(d, i) ? 0 : ss_max(SPEED_SLACK * bound, d->speed_floor[i]);
    double near       = d->cut.event.strikes ? ss_near_impact(m, d, i) : 0;
    ss_place_boxes(m, d, i, h * d->speed[i] + reach_of_box(m, i) + near);
}

/* Pairs of which nobody is awake are dropped; true: a sleeper can be met, and is awake now. */
static bool wake_met(const ss_model *m, ss_data *d, double h)
{
    int32_t kept = 0;
    bool    woke = false;
    for (int32_t i = 0; i < d->pair_count; i++) {
        int32_t a = m->geoms[d->pairs[i].a].body, b = m->geoms[d->pairs[i].b].body;
        bool    still_a = ss_sleeps(d, a) || m->bodies[a].type == SS_BODY_STATIC;
        bool    still_b = ss_sleeps(d, b) || m->bodies[b].type == SS_BODY_STATIC;
        if (still_a && still_b) {
            continue;
        }
        if (ss_sleeps(d, a) || ss_sleeps(d, b)) {
            if (can_meet(m, d, &d->pairs[i], h)) {
                ss_wake(m, d, ss_sleeps(d, a) ? a : b);
                woke = true;
            }
            continue;
        }
        d->pairs[kept++] = d->pairs[i];
    }
    d->pair_count = kept;
    return woke;
}

/* All pairs of bodies that are awake, and of sleepers that they can meet. */
static ss_status find_pairs_awake(const ss_model *m, ss_data *d, double h)
{
    SS_TRY(ss_find_pairs(m, d));
    while (m->simulation.sleep && wake_met(m, d, h)) {
        for (int32_t i = 0; i < m->nb; i++) {
            if (ss_body_moves(&m->bodies[i])) {
                place_body(m, d, i, h);
            }
        }
        SS_TRY(ss_find_pairs(m, d));
    }
    return SS_OK;
}

ss_status ss_broad(const ss_model *m, ss_data *d, double h)
{
    for (int32_t i = 0; i < m->nb; i++) {
        if (m->bodies[i].type != SS_BODY_STATIC) { /* those were placed when the data was made */
            place_body(m, d, i, h);
        }
        if (m->bodies[i].type == SS_BODY_KINEMATIC) {
            sweep_boxes(m, d, i, h);
        }
    }
    return find_pairs_awake(m, d, h);
}

/* Does a body stand elsewhere than when the step began? */
static bool is_driven(const ss_model *m, const ss_data *d, const ss_pair *pair)
{
    const ss_contact c = {.geom_a = pair->a, .geom_b = pair->b};
    return ss_contact_is_uneven(m, d, &c);
}

/* Contacts from `first` on with a driven body that goes evenly, which was collided where it stood
   when the step began, are carried along to where it ends. */
static void carry_evenly(const ss_model *m, ss_data *d, int32_t first, double h)
{
    for (int32_t i = first; i < d->contacts.count && i < d->contacts.capacity; i++) {
        ss_contact *c       = &d->contacts.items[i];
        int32_t     body[2] = {m->geoms[c->geom_a].body, m->geoms[c->geom_b].body};
        if (ss_in_middle(m, d, c)) {
            return; /* it has been collided there */
        }
        for (int side = 0; side < 2; side++) {
            ss_vec3 *point = side == 0 ? &c->point_a : &c->point_b;
            if (ss_goes_evenly(d, body[side])) {
                ss_vec3 way = ss_scale(h, d->twist_next[body[side]].v);
                *point      = ss_add(*point, way);
                c->gap += (side == 0 ? -1 : 1) * ss_dot(c->normal, way);
            }
        }
    }
}

/* None of the contacts from `first` on touches. Where what is driven stands at the end of the step
   they need not be those that there were when it began: there the pair itself is asked. Those that
   there was no room for are not known: they stay counted, so that room is made for them. */
static bool is_apart(const ss_model *m, const ss_data *d, const ss_pair *pair, int32_t first,
                     double h)
{
    double touch  = ss_event_touch(m, pair);
    bool   driven = is_driven(m, d, pair);
    if (d->contacts.count > d->contacts.capacity) {
        return false;
    }
    for (int32_t i = first; i < d->contacts.count; i++) {
        const ss_contact *c = &d->contacts.items[i];
        if (c->branch != 0 && !driven) { /* of several directions one is enough */
            return ss_geom_gap(m, d->geom_frame, pair->a, pair->b, touch, NULL) > touch;
        }
        bool touches = !driven && ss_contact_apart(m, d, c, h) <= touch;
        if (touches || ss_contact_held(m, d, c)) {
            return false;
        }
    }
    return !driven || ss_gap_at_start(m, d, pair, touch) > touch;
}

/* Up to an impact, what will strike has no rows: with the gaps of the start and the velocities of
   the end they would feel it too early. */
static ss_status leave_apart(const ss_model *m, ss_data *d, const ss_pair *pair, int32_t first,
                             double h)
{
    if (d->contacts.count > d->contacts.capacity || !ss_is_watched(m, d, pair)) {
        return SS_OK;
    }
    if (is_apart(m, d, pair, first, h)) {
        d->contacts.count = first;
        return SS_OK;
    }
    size_t         mark = ss_arena_mark(&d->scratch);
    ss_contacts_of of   = {d->contacts.items + first, d->contacts.count - first, h};
    ss_contact    *kept = ss_arena_alloc(&d->scratch, (size_t)of.count + 1, sizeof *kept);
    int32_t        n    = 0;
    if (kept == NULL) {
        return SS_ERR_SCRATCH;
    }
    for (int32_t i = 0; i < of.count; i++) {
        double lands = ss_contact_lands(m, d, &of, i);
        if (isinf(lands) || lands == 0) {
            kept[n++] = of.list[i];
        }
    }
    memcpy(d->contacts.items + first, kept, (size_t)n * sizeof *kept);
    d->contacts.count = first + n;
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}

/*
 * Steps that end where something touches end with a gap that counts as none. Over
 * the short time of an impact it would be a velocity, and the rest of the impact an impact of its
 * own, in which what else touches has a say again; after it, a fall. An overlap as small is none at
 * an impact either: it would leave with a velocity. What is driven stands at the end of the part,
 * and an overlap may be what its way in it is not known to.
 */
static void close_touches(const ss_model *m, ss_data *d, const ss_pair *pair, int32_t first,
                          double h)
{
    double touch    = ss_event_touch(m, pair);
    bool   overlaps = d->cut.event.strikes && !is_driven(m, d, pair);
    for (int32_t i = first; i < d->contacts.count && i < d->contacts.capacity; i++) {
        double apart = ss_contact_apart(m, d, &d->contacts.items[i], h);
        bool   none  = apart <= touch && (apart > 0 || (overlaps && apart >= -touch));
        none         = none || (d->cut.event.strikes && apart > 0 &&
                        ss_bears_at_impact(m, d, &d->contacts.items[i], apart));
        d->contacts.items[i].gap -= none ? apart : 0;
    }
}

static ss_status refuse_contacts(ss_data *d)
{
    d->contacts.wrong = false;
    return ss_fail(d->ctx, SS_ERR_INPUT,
                   "t = %g: a plug-in gave a contact that is not finite or has no unit normal",
                   d->state.t);
}

/* Contacts as springs want them: one for each two features, or a patch of them. */
static ss_status for_springs(const ss_model *m, ss_data *d, double h)
{
    int32_t count     = d->contacts.count;
    d->contacts.count = ss_drop_doubles(d->contacts.items, count);
    if (ss_contact_of(m)->refine != NULL) {
        SS_TRY(ss_contact_of(m)->refine(m, d, h));
    } else if (d->contacts.count == count) {
        return SS_OK;
    }
    ss_find_taken(d);
    return SS_OK;
}

ss_status ss_collide(const ss_model *m, ss_data *d, double h)
{
    bool events       = touches_count(m, d);
    d->contacts.count = 0;
    d->contacts.work  = 0;
    ss_turn_kept(d);
    for (int32_t i = 0; i < d->pair_count; i++) {
        int32_t a = m->geoms[d->pairs[i].a].body, b = m->geoms[d->pairs[i].b].body;
        int32_t first = d->contacts.count;
        double  touch = SS_FACE_HOVERS * ss_touch(m, d->pairs[i].a, d->pairs[i].b);
        if (d->cut.event.strikes) {
            touch += ss_near_impact(m, d, a) + ss_near_impact(m, d, b);
        }
        collide_once(m, d, i, h * ss_approach_bound(m, d, a, b) + touch);
        if (m->driven) {
            carry_evenly(m, d, first, h);
        }
        if (events) {
            close_touches(m, d, &d->pairs[i], first, h);
        }
        if (d->cut.event.flight) {
            SS_TRY(leave_apart(m, d, &d->pairs[i], first, h));
        }
    }
    if (d->contacts.wrong) {
        return refuse_contacts(d);
    }
    if (d->contacts.count > d->contacts.capacity || !ss_kept_fit(d)) {
        return SS_ERR_SCRATCH;
    }
    d->effort.products += d->contacts.work;
    SS_TRY(ss_take_branches(m, d, h));
    if (m->compliant) {
        SS_TRY(for_springs(m, d, h));
    }
    return ss_level_faces(m, d, h);
}

/* ---- what was not seen ----------------------------------------------------------------------- */

/* Contacts of one pair, pairs of a step over those there were: more are not looked at. */
enum { PAIR_CONTACTS = 64, PAIRS_MORE = 2 };

/* Velocity of a body's point at the end of the step. */
static ss_vec3 end_velocity(const ss_data *d, int32_t body, ss_vec3 point)
{
    const ss_twist *t = &d->twist_next[body];
    return ss_add(t->v, ss_cross(t->w, ss_sub(point, d->frame[body].p)));
}

/* Would a row of this contact have something to do? */
static bool closes(const ss_model *m, const ss_data *d, const ss_contact *c, double h)
{
    int32_t a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    if (ss_contact_is_uneven(m, d, c)) {
        return true; /* rows of driven bodies are another matter: let them be made */
    }
    ss_vec3 u = ss_sub(end_velocity(d, b, c->point_b), end_velocity(d, a, c->point_a));
    ss_vec3 w = ss_sub(d->twist_next[b].w, d->twist_next[a].w);
    return ss_gap_at_end(c->gap, ss_dot(c->normal, u) - ss_dot(c->roll, w), h) < 0;
}

/* Of a pair with a body that is faster than its bound: contacts beyond the old reach that close. */
static bool pair_closes(const ss_model *m, const ss_data *d, const ss_pair *pair, double h,
                        ss_contact_list *list)
{
    int32_t a = m->geoms[pair->a].body, b = m->geoms[pair->b].body;
    double  was = h * ss_approach_bound(m, d, a, b);
    double  now = was + h * (ss_max(d->speed_floor[a] - d->speed[a], 0) +
                            ss_max(d->speed_floor[b] - d->speed[b], 0));
    list->count = 0;
    if (now > was) {
        collide_into(m, d, pair, look_in_step(m, d, pair, now), list);
    }
    if (list->count > list->capacity) {
        return true;
    }
    for (int32_t i = 0; i < list->count; i++) {
        if (list->items[i].gap > was && closes(m, d, &list->items[i], h)) {
            return true;
        }
    }
    return false;
}

ss_status ss_meets_unseen(const ss_model *m, ss_data *d, double h, bool *meets)
{
    size_t          mark = ss_arena_mark(&d->scratch);
    int32_t         room = PAIRS_MORE * d->pair_count + PAIR_CONTACTS, count = 0;
    ss_pair        *pairs = ss_arena_alloc(&d->scratch, (size_t)room, sizeof *pairs);
    ss_contact_list list = {.items = ss_arena_alloc(&d->scratch, PAIR_CONTACTS, sizeof *list.items),
                            .capacity = PAIR_CONTACTS};
    if (pairs == NULL || list.items == NULL) {
        return SS_ERR_SCRATCH;
    }
    for (int32_t i = 0; i < m->nb; i++) {
        if (d->speed_floor[i] > d->speed[i]) {
            ss_place_boxes(m, d, i, h * d->speed_floor[i]);
        }
    }
    SS_TRY(overlapping(m, d, pairs, room, &count));
    *meets = count > room;
    for (int32_t i = 0; !*meets && i < count; i++) {
        *meets = pair_closes(m, d, &pairs[i], h, &list);
    }
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}

ss_status ss_collide_now(const ss_model *m, ss_data *d, double reach)
{
    d->midpoint.pass = 0; /* nothing is in the middle of a step */
    for (int32_t i = 0; i < m->nb; i++) {
        if (m->bodies[i].type != SS_BODY_STATIC) { /* one of two is enough to reach the other */
            ss_place_boxes(m, d, i, reach);
        }
    }
    SS_TRY(ss_find_pairs(m, d));
    d->contacts.count = 0;
    double work       = d->contacts.work; /* of the rounds */
    d->contacts.work  = 0;
    /* at an instant nothing comes to be over a face that is not */
    look now = {.reach = reach, .beyond = DBL_MIN, .now = true};
    for (int32_t i = 0; i < d->pair_count; i++) {
        collide_pair_for(m, d, &d->pairs[i], now);
    }
    d->effort.searched += d->contacts.work;
    d->contacts.work = work;
    if (d->contacts.wrong) {
        return refuse_contacts(d);
    }
    if (d->contacts.count > d->contacts.capacity) {
        return SS_ERR_SCRATCH;
    }
    ss_take_widest_branches(m, d);
    d->contacts.count = ss_drop_doubles(d->contacts.items, d->contacts.count);
    return SS_OK;
}
