/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Did impulses make a body so much faster than the bound its pairs were found with
 * (dynamics/meet.c) that it may have met something unseen? Then the bound is raised and the next
 * round has more contacts; its guess is what this one found.
 *
 * In large piles there is such a body in nearly every step while they settle, and another round
 * costs as much as the first. Steps with islands that are solved to a motion error are therefore
 * looked at more closely: where no contact beyond the old reach closes, v+ obeys its law with no
 * impulse, so the round solves the problem with these rows as well. Exact steps are done again, to
 * the same bits as ever.
 *
 * A body that goes further than its own size, and many times as fast as forces and impacts let
 * expect, is rather one that the round's own assumptions threw: with the reach of such a speed
 * everything meets everything, in a problem that is large, has nothing to do with the motion and
 * may have no solution. Where the step can be cut, it is. What a driven body strikes goes as fast
 * as that does.
 *
 * What comes over a face within the reach counts as over it. Without momentum the reach may have
 * been raised by rounds in which nothing balanced a body, and say nothing of the motion: then a
 * block whose centre of mass is beyond the edge of a table rests on its far corner, in the air. A
 * round that comes to a motion far below its bounds is therefore repeated with faces that end by
 * what bodies do move.
 */
#include <string.h>

#include "core/compare.h"
#include "dynamics/coordinates.h"
#include "dynamics/stages.h"
#include "model/axes.h"
#include "rounds/tolerances.h"

extern const ss_reason ss_reason_speed;

static void start(const ss_model *m, ss_data *d, double h)
{
    (void)h;
    memset(d->speed_floor, 0, (size_t)m->nb * sizeof *d->speed_floor);
    memset(d->speed_beside, 0, (size_t)m->nb * sizeof *d->speed_beside);
    d->slower = false;
}

static double speed_of(const ss_model *m, const ss_data *d, int32_t i)
{
    const ss_twist *w = &d->twist_next[i];
    return ss_norm(w->v) + ss_turned_way(ss_norm(w->w), m->bodies[i].extent);
}

static bool may_touch(const ss_body *b)
{
    return ss_body_moves(b) && b->geom_count > 0;
}

/* Did bodies without momentum go so much less far than they could have that faces end elsewhere? */
static bool is_slower(const ss_model *m, ss_data *d, double h)
{
    bool slower = false;
    if (ss_inertia_of(m)->momentum || d->slower) {
        return false;
    }
    for (int32_t i = 0; i < m->nb; i++) {
        bool moves  = may_touch(&m->bodies[i]);
        d->moved[i] = SS_SPEED_RAISE * h * (moves ? speed_of(m, d, i) : 0);
        slower      = slower || (moves && h * d->speed[i] - SS_SPEED_RAISE * d->moved[i] >
                                         SS_UNSEEN_PART * m->length);
    }
    d->slower = slower;
    return slower;
}

static bool has_pile(const ss_data *d)
{
    for (int32_t i = 0; i < d->island_count; i++) {
        if (ss_island_by_motion(d->model, &d->islands[i])) {
            return true;
        }
    }
    return false;
}

/* How fast a driven body goes, at points of it; planes turn the scene about. */
static double driven_speed(const ss_model *m, const ss_data *d, int32_t i)
{
    const ss_twist *w = &d->twist_next[i];
    return ss_norm(w->v) + ss_norm(w->w) * ss_body_arm(m, i);
}

/* The fastest driven body that this one may meet: at its speed a blow throws. */
static double met_speed(const ss_model *m, const ss_data *d, int32_t body)
{
    double most = 0;
    for (int32_t i = 0; m->driven && i < d->pair_count; i++) {
        int32_t a = m->geoms[d->pairs[i].a].body, b = m->geoms[d->pairs[i].b].body;
        int32_t other = a == body ? b : a;
        if ((a == body || b == body) && m->bodies[other].type == SS_BODY_KINEMATIC) {
            most = ss_max(most, driven_speed(m, d, other));
        }
    }
    return most;
}

/* Is it faster than makes sense? */
static bool is_thrown(const ss_model *m, const ss_data *d, int32_t i, double speed, double h)
{
    double size = m->shapes[i].size > 0 ? m->shapes[i].size : m->length;
    return h * speed > size && speed > SS_SPEED_THROWN * (d->speed[i] + met_speed(m, d, i));
}

/* A body that became faster beside one that goes evenly than its bound there (dynamics/meet.c). */
static bool is_faster_beside(const ss_model *m, ss_data *d, int32_t i, int32_t even, double h)
{
    const ss_twist *w     = &d->twist_next[i];
    double          turns = ss_turned_way(ss_norm(w->w), m->bodies[i].extent);
    double          speed = ss_norm(ss_sub(w->v, d->twist_next[even].v)) + turns;
    if (!ss_goes_evenly(d, even) || !may_touch(&m->bodies[i]) ||
        !(h * (speed - ss_speed_beside(m, d, i, even)) > SS_UNSEEN_PART * m->length)) {
        return false;
    }
    d->speed_beside[i] = ss_max(d->speed_beside[i], SS_SPEED_RAISE * speed);
    return true;
}

static bool any_faster_beside(const ss_model *m, ss_data *d, double h)
{
    bool faster = false;
    for (int32_t i = 0; m->driven && i < d->pair_count; i++) {
        int32_t a = m->geoms[d->pairs[i].a].body, b = m->geoms[d->pairs[i].b].body;
        faster = is_faster_beside(m, d, a, b, h) || faster;
        faster = is_faster_beside(m, d, b, a, h) || faster;
    }
    return faster;
}

static ss_verdict check(const ss_model *m, ss_data *d, double h)
{
    bool beside = any_faster_beside(m, d, h), faster = beside, thrown = false;
    for (int32_t i = 0; i < m->nb; i++) {
        if (!may_touch(&m->bodies[i])) {
            continue;
        }
        double speed = speed_of(m, d, i);
        if (h * (speed - d->speed[i]) > SS_UNSEEN_PART * m->length) {
            d->speed_floor[i] = SS_SPEED_RAISE * speed;
            faster            = true;
            thrown            = thrown || is_thrown(m, d, i, speed, h);
        }
    }
    bool meets = true;
    if (faster && !beside && has_pile(d) && ss_meets_unseen(m, d, h, &meets) != SS_OK) {
        meets = true; /* no room to look: another round has it */
    }
    if (!faster || !meets) {
        if (!is_slower(m, d, h)) {
            return SS_HOLDS;
        }
        ss_rounds_change_contacts(m, d, SS_CONTACTS_OTHER);
        return SS_AGAIN;
    }
    if (thrown && ss_solver_common(d->solver)->brief) {
        return SS_FAILS;
    }
    ss_rounds_change_contacts(m, d, SS_CONTACTS_MORE);
    ss_keep_impulses(d, d->tried.items, &d->tried.count);
    return SS_AGAIN;
}

const ss_reason ss_reason_speed = {.name = "the speed of a body", .start = start, .check = check};
