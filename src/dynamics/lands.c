/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contacts of two bodies that touch already, elsewhere: a block that rocks lands on its other edge.
 * With psi its gap and u < 0 its rate, and a at least what forces do to it,
 *
 *   psi + u t - a t^2/2 = 0,   t = 2 psi/(sqrt(u^2 + 2 a psi) - u)
 *
 * is not later than the impact: what holds the bodies may slow it down. The rest of the way, of the
 * order of t^2, is gone in the same manner, so that three of these are as near as a touch. What
 * touches and has borne no load yet lands at once. Slow ones are left to the rows of the step,
 * which land them softly.
 */
#include <math.h>

#include "dynamics/passage.h"
#include "dynamics/stages.h"
#include "dynamics/tolerances.h"

static const ss_twist *twist_of(const ss_model *m, const ss_data *d, int32_t body)
{
    return &(m->bodies[body].type == SS_BODY_KINEMATIC ? d->twist_next : d->state.twist)[body];
}

static double rate_of(const ss_model *m, const ss_data *d, const ss_contact *c)
{
    int32_t         a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    const ss_twist *ta = twist_of(m, d, a), *tb = twist_of(m, d, b);
    ss_vec3 arm_a = ss_sub(c->point_a, d->frame[a].p), arm_b = ss_sub(c->point_b, d->frame[b].p);
    ss_vec3 va = ss_add(ta->v, ss_cross(ta->w, arm_a)), vb = ss_add(tb->v, ss_cross(tb->w, arm_b));
    return ss_dot(c->normal, ss_sub(vb, va)) - ss_dot(c->roll, ss_sub(tb->w, ta->w));
}

static double pushed(const ss_model *m, const ss_data *d, int32_t body)
{
    const ss_body *b = &m->bodies[body];
    return ss_body_moves(b) ? b->inv_mass * ss_norm(d->applied[body].force) : 0;
}

static bool returns(const ss_model *m, const ss_contact *c)
{
    return ss_model_law(m, c)->restitution > 0;
}

/* How fast is too fast to be landed softly, of what forces do in the step? */
static double fast(const ss_model *m, const ss_contact *c)
{
    const ss_body *a = &m->bodies[m->geoms[c->geom_a].body];
    const ss_body *b = &m->bodies[m->geoms[c->geom_b].body];
    return a->jointed || b->jointed ? SS_LANDS_JOINTED : SS_LANDS_FAST;
}

/* .. and what points of a body that turns do. */
static double swung(const ss_model *m, const ss_data *d, int32_t body)
{
    ss_vec3 w = d->state.twist[body].w;
    return ss_body_moves(&m->bodies[body]) ? ss_dot(w, w) * m->bodies[body].extent : 0;
}

bool ss_contact_held(const ss_model *m, const ss_data *d, const ss_contact *c)
{
    int32_t a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    double  by     = pushed(m, d, a) + pushed(m, d, b) + swung(m, d, a) + swung(m, d, b);
    bool    leaves = returns(m, c) && rate_of(m, d, c) > SS_LEAVES_FAST * by * d->cut.whole;
    return ss_contact_bore(d, c) && !leaves;
}

double ss_contact_lands(const ss_model *m, const ss_data *d, const ss_contact *c, double gap)
{
    ss_pair pair = {c->geom_a, c->geom_b};
    double  u = rate_of(m, d, c), h = d->cut.whole;
    double  a = pushed(m, d, m->geoms[c->geom_a].body) + pushed(m, d, m->geoms[c->geom_b].body);
    if (ss_contact_bore(d, c) || !(-u > fast(m, c) * a * h)) {
        return INFINITY;
    }
    if (gap <= ss_event_touch(m, &pair)) {
        return 0;
    }
    return c->branch != 0 ? INFINITY : 2 * gap / (sqrt(u * u + 2 * a * gap) - u);
}
