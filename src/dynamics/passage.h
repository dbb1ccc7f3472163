/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Did something pass through something else on its way from the state to the trial state? Gaps at
 * the two ends of a step do not tell: a thin plate is on one side of a ball before the step, on the
 * other after it, and apart from it both times.
 *
 * Between the ends every body moves evenly: its centre along a straight line, its orientation about
 * a fixed axis, which is how positions are updated. Of two convex shapes let g be their true gap at
 * time s (in steps, 0 .. 1) and n the direction that goes with it. Along that direction they are
 * apart by at least
 *
 *     g - (s' - s) c,   c = n.(x_a - x_b) + |r_a x n| R_a + |r_b x n| R_b
 *
 * at the later time s', where x is the displacement of a body, r its rotation vector and R the
 * largest distance of the shape from the body's centre. So nothing can happen before
 * s + (g + depth) / c: the search goes there, and on, until the gap is below -depth or the end of
 * the step is reached (conservative advancement; Mirtich 1996, with depth instead of a touch).
 *
 * A passage is an overlap deeper than a tenth of the thinner shape: what the linear rows of a
 * contact leave is less, and what goes right through is more, since half its thickness must be
 * inside at some time. Pairs whose paths within the step are shorter than that cannot have one, and
 * cost two vectors and a comparison. Planes cannot be passed: at the end of the step the gap tells.
 */
#ifndef SS_DYNAMICS_PASSAGE_H
#define SS_DYNAMICS_PASSAGE_H

#include "model/data.h"

typedef struct ss_passage {
    int32_t geom_a, geom_b; /* -1: none */
    double  time;           /* part of the step after which they are that deep in each other    */
    double  depth;          /* that counts as a passage                                         */
} ss_passage;

/*
 * The earliest passage among the pairs of the broad phase (d->pairs) on the way from d->state.pose
 * to d->pose_next. allowed: depth that the step may leave between the two anyway.
 */
typedef double (*ss_allowed_depth)(const ss_model *m, const ss_data *d, const ss_pair *pair,
                                   double h);
ss_passage ss_find_passage(const ss_model *m, const ss_data *d, double h, ss_allowed_depth allowed);

/*
 * Half the least width of the thinner of the two, a point being as thin as what it meets: what is
 * that deep in the other may come out on either side. Infinite where nothing comes out at all.
 */
double ss_pair_thinness(const ss_model *m, const ss_pair *pair);

/* Can two that come this much nearer in a step have passed each other in it? */
bool ss_way_may_pass(const ss_model *m, const ss_pair *pair, double way);

/* The gap of a pair when the step begins, driven bodies included; above `enough` a lower bound. */
double ss_gap_at_start(const ss_model *m, const ss_data *d, const ss_pair *pair, double enough);
bool   ss_contact_bore(const ss_data *d, const ss_contact *c); /* load, in the last step */
/* Its impulses in the last step, or part of one; NULL: it was not there. */
const double *ss_contact_load(const ss_data *d, const ss_contact *c);
/* .. and it is not that of an impact that it leaves from (lands.c). */
bool ss_contact_held(const ss_model *m, const ss_data *d, const ss_contact *c);
/* Does a contact that is apart bear in an impact (lands.c)? How far a body's may be at most. */
bool   ss_bears_at_impact(const ss_model *m, const ss_data *d, const ss_contact *c, double apart);
double ss_near_impact(const ss_model *m, const ss_data *d, int32_t body);
double ss_event_touch(const ss_model *m, const ss_pair *pair); /* a gap that is a touch */
/* .. and what rounding and solvers leave of one. */
double ss_touch(const ss_model *m, int32_t geom_a, int32_t geom_b);
/* A gap that is all rounding of the coordinates it was computed from is no gap. A point that a body
   carries comes from where the body is: at the origin it is not exact. */
double ss_certain_gap(const ss_model *m, const ss_data *d, const ss_contact *c);
/* How far a contact is apart when a step h begins, or in its middle where both bodies are there; h
   = 0: all bodies stand where they do then. */
double ss_contact_apart(const ss_model *m, const ss_data *d, const ss_contact *c, double h);

/* All contacts of a pair. */
typedef struct ss_contacts_of {
    const ss_contact *list; /* (count) */
    int32_t           count;
    double            h; /* as above */
} ss_contacts_of;

/* When contact i of a pair that touches strikes, not later than it does; infinite: it is too slow
   for that, comes to rest where it is, or others of its branches separate the two (lands.c). */
double ss_contact_lands(const ss_model *m, const ss_data *d, const ss_contacts_of *of, int32_t i);
/* Closing speed up to which two surfaces are landed softly, by the rows of the step. */
double ss_soft_landing(const ss_model *m, const ss_data *d, const ss_pair *pair);
/* What forces may change of the velocity of a body in a second, and what its turning of that of its
   points. */
double ss_pushed_by_forces(const ss_model *m, const ss_data *d, int32_t body);
double ss_swung_by_turning(const ss_model *m, const ss_data *d, int32_t body);
/*
 * Steps that end parts at impacts: the part of a step h, 1 at most, after which the first two geoms
 * that are apart now will touch; of bodies in d->cut.event.late, if there are any there. Bodies go
 * on as they move now, those that nothing touches under the forces on them as well (of others it is
 * not known what holds them against these, and none is asked how its spin changes: the part is not
 * later than the touch): x(s) = x + s h v +
 * s^2 h^2 a (or half of that, where smooth motion is of second order), with the same conservative
 * advancement along this path. d has the kinematics, forces and pairs of the step.
 */
ss_status ss_find_touch(const ss_model *m, ss_data *d, double h, double *part);
/*
 * Impacts that no row of a step sees: corners that are apart when it begins and when it ends, and
 * have met between. The first of d->pairs, from *at on, which was apart before, bears nothing, and
 * touches on the way to the trial state faster than it would land softly; none: d->pair_count.
 */
ss_status ss_find_graze(const ss_model *m, ss_data *d, double h, int32_t *at);
/* May a part of the step end where these geoms touch? */
bool ss_is_watched(const ss_model *m, const ss_data *d, const ss_pair *pair);

/*
 * Limits of joints that are reached within a step (stops.c). When the first of them is, from now
 * on, infinite: none that is fast enough; is that of a coordinate one; and the gap that its row has
 * in a part of the step.
 */
double ss_find_stop(const ss_model *m, ss_data *d);
bool   ss_stop_is_late(const ss_model *m, const ss_data *d, int32_t joint, int32_t k, bool lower);
double ss_stop_gap(const ss_model *m, const ss_data *d, int32_t joint, int32_t k, bool lower,
                   double gap, double h);

#endif
