/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contacts that end within a step because what bears the load slides past an edge: a box off a
 * table, the end of a rod off the face that it stands on. The load does not fall to zero there, it
 * is gone from one moment to the next. A step has it all the time, or not at all, which is off by
 * the load of up to half a step in the velocity, at every step size.
 *
 * Near an edge the pair has several branches (corner/branches.c), and the contact ends where
 * another one than that which bears the load begins to separate the two,
 *
 *   s_g(t) = min_i psi_gi(t) = 0,   psi_gi(t) >= psi_gi + u_i t,   u_i > 0.
 *
 * With a at least what forces and turning may make of u_i,
 *
 *   t_g = max_i 2 |psi_gi|/(u_i + sqrt(u_i^2 + 2 a |psi_gi|)),   t = min_g t_g
 *
 * is not later than that. The step is taken up to there, and what is left of it is asked again
 * (sim/events.c): the way that is missing, of the order of t^2, is gone in the same manner. What is
 * nearer than SS_ENDS_LEAST of a step is there. Pieces of bodies and bodies with joints are left as
 * they are.
 */
#include <math.h>

#include "core/compare.h"
#include "corner/branches.h"
#include "dynamics/coordinates.h"
#include "dynamics/passage.h"
#include "dynamics/stages.h"
#include "geom/geom.h"
#include "midpoint/midpoint.h"
#include "midpoint/tolerances.h"
#include "model/axes.h"

/* What forces and turning may change of the velocity of a point of a body, in a second. */
static double pushed(const ss_model *m, const ss_data *d, int32_t body)
{
    return ss_pushed_by_forces(m, d, body) + ss_swung_by_turning(m, d, body);
}

/* A contact at the start of the step, and how fast it opens there and by the round's velocities. */
typedef struct opening {
    double gap, rate, rate_next;
} opening;

static opening opening_of(const ss_model *m, const ss_data *d, const ss_contact *c, double h)
{
    double by = ss_driven_approach(m, d, c, h);
    return (opening){ss_contact_apart(m, d, c, h), ss_opening_rate(m, d, c, d->state.twist) + by,
                     ss_opening_rate(m, d, c, d->twist_next) + by};
}

/* When a contact that does not separate the two begins to; infinite: not within the step. */
static double opens_at(const opening *x, double push, double h)
{
    if (x->gap >= 0) {
        return 0;
    }
    if (!(x->rate > 0) || x->gap + 0.5 * h * (x->rate + x->rate_next) <= 0) {
        return INFINITY;
    }
    return -2 * x->gap / (x->rate + sqrt(x->rate * x->rate - 2 * push * x->gap));
}

static double branch_opens(const ss_model *m, const ss_data *d, const ss_contact *c, ss_branch b,
                           double push, double h)
{
    double last = 0;
    for (int32_t i = b.first; i < b.end; i++) {
        opening x = opening_of(m, d, &c[i], h);
        last      = ss_max(last, opens_at(&x, push, h));
    }
    return last;
}

/* Does a branch bear the load: did one of its contacts, and does that still touch? */
static bool bears(const ss_model *m, const ss_data *d, const ss_contact *c, ss_branch b,
                  double touch, double h)
{
    for (int32_t i = b.first; i < b.end; i++) {
        if (fabs(opening_of(m, d, &c[i], h).gap) <= touch && ss_contact_bore(d, &c[i])) {
            return true;
        }
    }
    return false;
}

static bool is_piece(const ss_geom *g)
{
    return g->poly != NULL && (g->poly->seams != NULL || g->poly->face_ids != NULL);
}

/* Pieces of parts of several, on anything but planes. */
static bool has_seams(const ss_model *m, const ss_contact *c)
{
    const ss_geom *a = &m->geoms[c->geom_a], *b = &m->geoms[c->geom_b];
    return (is_piece(a) || is_piece(b)) && !ss_is_plane(a) && !ss_is_plane(b);
}

/* When the contact of a pair ends, in seconds; infinite: not within the step. */
static double pair_ends(const ss_model *m, const ss_data *d, const ss_corner *x, double h)
{
    const ss_contact *c = d->corners.contacts + x->first;
    int32_t           a = m->geoms[x->geom_a].body, b = m->geoms[x->geom_b].body;
    double            push  = pushed(m, d, a) + pushed(m, d, b);
    double            touch = SS_TOUCHES * h * ss_approach_bound(m, d, a, b), first = INFINITY;
    bool              loaded = false;
    if (has_seams(m, c) || m->bodies[a].jointed || m->bodies[b].jointed) {
        return INFINITY; /* what leaves one piece is on the next; joints hold others back */
    }
    for (int32_t i = 0; i < x->count;) {
        ss_branch of = ss_branch_at(c, x->count, i);
        if (bears(m, d, c, of, touch, h)) {
            loaded = true;
        } else if (!c[i].inner) {
            first = ss_min(first, branch_opens(m, d, c, of, push, h));
        }
        i = of.end;
    }
    return loaded ? first : INFINITY;
}

double ss_find_end(const ss_model *m, ss_data *d, double h)
{
    double first = INFINITY, least = SS_ENDS_LEAST * d->cut.whole;
    bool   crowd = ss_is_crowd(m);
    if (d->corners.contact_count == 0 || d->cut.event.flight || d->cut.event.strikes ||
        ss_corners_of(m)->together) {
        return 0;
    }
    for (int32_t i = 0; i < d->corners.count; i++) {
        const ss_corner *x = &d->corners.items[i];
        double           t = x->present ? pair_ends(m, d, x, h) : INFINITY;
        int32_t          a = m->geoms[x->geom_a].body, b = m->geoms[x->geom_b].body;
        if (t > least && t < h - least && !ss_set_two_apart(m, d, a, b) && !crowd) {
            first = ss_min(first, t);
        }
    }
    return first < h && !d->apart.found ? first : 0;
}
