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

double ss_pushed_by_forces(const ss_model *m, const ss_data *d, int32_t body)
{
    const ss_body *b = &m->bodies[body];
    return ss_body_moves(b) ? b->inv_mass * ss_norm(d->applied[body].force) : 0;
}

/* What forces do to two that may meet. */
static double pushed_together(const ss_model *m, const ss_data *d, const ss_pair *pair)
{
    return ss_pushed_by_forces(m, d, m->geoms[pair->a].body) +
           ss_pushed_by_forces(m, d, m->geoms[pair->b].body);
}

static bool returns(const ss_model *m, const ss_contact *c)
{
    return ss_model_law(m, c)->restitution > 0;
}

static bool is_jointed(const ss_model *m, const ss_pair *pair)
{
    return m->bodies[m->geoms[pair->a].body].jointed || m->bodies[m->geoms[pair->b].body].jointed;
}

/* How fast is too fast to be landed softly, of what forces do in the step? */
static double fast(const ss_model *m, const ss_pair *pair)
{
    return is_jointed(m, pair) ? SS_LANDS_JOINTED : SS_LANDS_FAST;
}

double ss_swung_by_turning(const ss_model *m, const ss_data *d, int32_t body)
{
    ss_vec3 w = d->state.twist[body].w;
    return ss_body_moves(&m->bodies[body]) ? ss_dot(w, w) * m->bodies[body].extent : 0;
}

bool ss_contact_held(const ss_model *m, const ss_data *d, const ss_contact *c)
{
    int32_t a = m->geoms[c->geom_a].body, b = m->geoms[c->geom_b].body;
    ss_pair pair = {c->geom_a, c->geom_b};
    double  by =
        pushed_together(m, d, &pair) + ss_swung_by_turning(m, d, a) + ss_swung_by_turning(m, d, b);
    bool leaves = returns(m, c) && rate_of(m, d, c) > SS_LEAVES_FAST * by * d->cut.whole;
    return ss_contact_bore(d, c) && !leaves;
}

double ss_soft_landing(const ss_model *m, const ss_data *d, const ss_pair *pair)
{
    return fast(m, pair) * pushed_together(m, d, pair) * d->cut.whole;
}

double ss_contact_apart(const ss_model *m, const ss_data *d, const ss_contact *c, double h)
{
    bool at_end = m->driven && h > 0 && !ss_in_middle(m, d, c); /* driven bodies stand there */
    return c->gap - (at_end ? h * ss_driven_approach(m, d, c, h) : 0);
}

/*
 * In an impact bears what would land at the same time but for errors of the steps before, such as
 * both corners of an edge that lands flat; and what rests, which steps leave open by no more than
 * their forces move it in one of them, and with no more than they make of its rate. Not what was
 * struck within this step: it may fly. A link of a chain that swings by may do so as closely, and
 * what it would be struck with is large.
 */
double ss_near_impact(const ss_model *m, const ss_data *d, int32_t body)
{
    double h = d->cut.whole, size = m->shapes[body].size;
    double near = SS_IMPACT_AT_ONCE * (size > 0 && isfinite(size) ? size : m->length);
    return 0.5 * h * h * ss_pushed_by_forces(m, d, body) + near;
}

bool ss_bears_at_impact(const ss_model *m, const ss_data *d, const ss_contact *c, double apart)
{
    ss_pair pair = {c->geom_a, c->geom_b};
    double  h = d->cut.whole, by = pushed_together(m, d, &pair);
    if (apart <= SS_IMPACT_AT_ONCE / SS_EVENT_TOUCH * ss_event_touch(m, &pair)) {
        return true;
    }
    bool flies = apart > 0.5 * h * h * by || fabs(rate_of(m, d, c)) > h * by ||
                 (is_jointed(m, &pair) && !ss_contact_bore(d, c));
    for (int32_t i = 0; i < d->cut.struck_count && !flies; i++) {
        flies = d->cut.struck[i] == ss_contact_key(c);
    }
    return !flies;
}

/* What forces and the turn of the two make of the rate of a gap in a second, at most. */
static double bent(const ss_model *m, const ss_data *d, const ss_pair *pair)
{
    return pushed_together(m, d, pair) + ss_swung_by_turning(m, d, m->geoms[pair->a].body) +
           ss_swung_by_turning(m, d, m->geoms[pair->b].body);
}

/* By how much what is not asked may move a gap in a time t. */
static double unsure(const ss_model *m, const ss_data *d, const ss_pair *pair, double t)
{
    return t * t * bent(m, d, pair) + ss_event_touch(m, pair);
}

/* How far the branch of contact i separates the two after a time t. */
static double separates(const ss_model *m, const ss_data *d, const ss_contacts_of *of, int32_t i,
                        double t)
{
    double least = INFINITY;
    for (int32_t k = 0; k < of->count; k++) {
        const ss_contact *c = &of->list[k];
        if (c->branch == of->list[i].branch) {
            least = fmin(least, ss_contact_apart(m, d, c, of->h) + t * rate_of(m, d, c));
        }
    }
    return least;
}

/* Of several branches one that separates the two is enough: what comes to its end after a time t
   is touched if no other separates them then, and its own does until then. */
static bool is_met(const ss_model *m, const ss_data *d, const ss_contacts_of *of, int32_t i,
                   double t)
{
    const ss_contact *c     = &of->list[i];
    ss_pair           pair  = {c->geom_a, c->geom_b};
    double            slack = unsure(m, d, &pair, t);
    if (c->branch == 0) {
        return true;
    }
    if (c->inner || c->beside || separates(m, d, of, i, t) < -slack) {
        return false;
    }
    for (int32_t k = 0; k < of->count; k++) {
        if (of->list[k].branch != c->branch && separates(m, d, of, k, t) > slack) {
            return false;
        }
    }
    return true;
}

/* Does the pair touch elsewhere, with a load, and does one of the two stay where it is? What lies
   in a pile gives way where it is held. */
static bool is_held(const ss_model *m, const ss_data *d, const ss_pair *pair,
                    const ss_contacts_of *of)
{
    bool both = ss_body_moves(&m->bodies[m->geoms[pair->a].body]) &&
                ss_body_moves(&m->bodies[m->geoms[pair->b].body]);
    for (int32_t i = 0; !both && i < of->count; i++) {
        if (ss_contact_bore(d, &of->list[i])) {
            return true;
        }
    }
    return false;
}

double ss_contact_lands(const ss_model *m, const ss_data *d, const ss_contacts_of *of, int32_t i)
{
    const ss_contact *c    = &of->list[i];
    ss_pair           pair = {c->geom_a, c->geom_b};
    double            gap = ss_contact_apart(m, d, c, of->h), u = rate_of(m, d, c);
    double            soft = is_held(m, d, &pair, of) ? SS_LANDS_HELD : fast(m, &pair);
    if (ss_contact_bore(d, c) || !(-u > soft * pushed_together(m, d, &pair) * d->cut.whole)) {
        return INFINITY;
    }
    if (gap <= ss_event_touch(m, &pair)) {
        return 0;
    }
    double a = bent(m, d, &pair), t = 2 * gap / (sqrt(u * u + 2 * a * gap) - u);
    return is_met(m, d, of, i, t) ? t : INFINITY;
}
