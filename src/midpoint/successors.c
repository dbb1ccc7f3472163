/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contacts that go on under another name. A ball that rolls over the edge of a box touches a face
 * of it when the step begins and the edge in its middle; corners of the patch in which two faces
 * lie on each other pass from a vertex to where two edges cross. The distance of the two bodies and
 * its rate do not jump there, so that gap and rates of the one at the start of the step are those
 * of the other, to second order. Without them the other would be one that nobody knew of: an event,
 * and the step one of first order.
 *
 * A contact in the middle that was not there at the start succeeds the one of its bodies that is
 * gone and was nearest, if it is no further from it than their bodies go in a step, and if its
 * normal is nearly the same: what slides over a ridge leaves one face and has yet to land on the
 * other.
 */
#include <math.h>

#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "midpoint/midpoint.h"
#include "midpoint/tolerances.h"

static ss_vec3 point_at_start(const ss_model *m, const ss_data *d, const ss_contact *c,
                              const ss_row_start *start)
{
    return ss_add(d->state.pose[m->geoms[c->geom_b].body].p, start->arm[1]);
}

static bool is_present(const ss_data *d, uint64_t key)
{
    for (int32_t i = 0; i < d->contacts.count; i++) {
        if (ss_contact_key(&d->contacts.items[i]) == key) {
            return true;
        }
    }
    return false;
}

static bool same_bodies(const ss_model *m, const ss_row_start *start, const ss_contact *c)
{
    return start->geom[0] >= 0 && m->geoms[start->geom[0]].body == m->geoms[c->geom_a].body &&
           m->geoms[start->geom[1]].body == m->geoms[c->geom_b].body;
}

static bool same_pieces(const ss_row_start *start, const ss_contact *c)
{
    return start->geom[0] == c->geom_a && start->geom[1] == c->geom_b;
}

static bool is_smooth(const ss_model *m, const ss_data *d, const ss_contact *c)
{
    return d->midpoint.smooth[m->geoms[c->geom_a].body] ||
           d->midpoint.smooth[m->geoms[c->geom_b].body];
}

/* The velocity of a body that goes evenly, if one of the two does. */
static ss_vec3 even_velocity(const ss_data *d, int32_t a, int32_t b)
{
    int32_t i = ss_goes_evenly(d, a) ? a : b;
    return ss_goes_evenly(d, i) ? d->twist_next[i].v : ss_v3(0, 0, 0);
}

/* The nearest contact of its bodies at the start that it may succeed; NULL: there is none. */
static ss_row_start *predecessor(const ss_model *m, const ss_data *d, const ss_contact *c)
{
    const ss_midpoint *x = &d->midpoint;
    int32_t            a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    double             least = x->h * ss_approach_bound(m, d, a, b);
    ss_row_start      *found = NULL;
    for (int32_t i = 0; i < x->start_count; i++) {
        ss_row_start *start = &x->starts[i];
        if (!same_bodies(m, start, c) ||
            ss_norm(ss_sub(start->normal, c->normal)) > SS_SUCCEEDS_TURNED) {
            continue;
        }
        ss_vec3 way    = ss_sub(c->point_b, point_at_start(m, d, c, start));
        double  away   = ss_norm(ss_axpy(way, -0.5 * x->h, even_velocity(d, a, b)));
        bool    nearer = found == NULL ? away <= least : away < least;
        if (nearer && !(same_pieces(start, c) && is_present(d, start->key))) {
            least = away;
            found = start;
        }
    }
    return found;
}

/* One that is still there keeps its own start: pieces of a body that lie flush share what is on
   their seam. */
static void succeed(const ss_data *d, ss_midpoint *x, ss_row_start *start, const ss_contact *c)
{
    if (is_present(d, start->key)) {
        if (x->start_count == x->start_most) {
            return;
        }
        x->starts[x->start_count] = *start;
        start                     = &x->starts[x->start_count++];
    }
    start->key     = ss_contact_key(c);
    start->geom[0] = c->geom_a;
    start->geom[1] = c->geom_b;
}

void ss_find_successors(const ss_model *m, ss_data *d)
{
    int32_t cursor = 0;
    for (int32_t i = 0; i < d->contacts.count; i++) {
        const ss_contact *c = &d->contacts.items[i];
        if (!is_smooth(m, d, c) || ss_start_of(d, ss_contact_key(c), &cursor) != NULL) {
            continue;
        }
        ss_row_start *start = predecessor(m, d, c);
        if (start != NULL) {
            succeed(d, &d->midpoint, start, c);
        }
    }
}
