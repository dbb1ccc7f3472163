/* SPDX-License-Identifier: Apache-2.0 */
/*
 * True gaps: how far two geoms are apart, or how deep in each other, at any configuration of the
 * bodies. Not linearised, no reach, no branches: where the step's contacts say what may touch,
 * these say what did.
 *
 *     ss_frame *frames = ..;                        (ng)
 *     ss_place_geoms(m, d->pose_next, frames);      the configuration: poses of all bodies
 *     for each pair that may meet (d->pairs of the broad phase, whose boxes hold the whole step):
 *         double gap = ss_geom_gap(m, frames, pair.a, pair.b, 0, &normal);
 *
 * What the value means, and how exact it is: ss_gap_fn in collide/contact.h.
 */
#ifndef SS_DYNAMICS_GAPS_H
#define SS_DYNAMICS_GAPS_H

#include "model/data.h"

/* Where the geoms of all bodies are when the bodies (centre-of-mass frames) have these poses. */
void ss_place_geoms(const ss_model *m, const ss_pose *poses, ss_frame *frames);

/* The same of bodies that are not static alone, and where a geom is then: static ones are where
   they were placed when the data was made. */
void ss_place_moved(const ss_model *m, const ss_pose *poses, ss_frame *frames);

static inline const ss_frame *ss_moved_frame(const ss_model *m, const ss_data *d,
                                             const ss_frame *frames, int32_t geom)
{
    return m->bodies[m->geoms[geom].body].type == SS_BODY_STATIC ? &d->geom_frame[geom]
                                                                 : &frames[geom];
}

/*
 * The true gap of geoms a and b (in either order) that stand at frames[a], frames[b]; INFINITY for
 * shapes that cannot touch (two planes, two points). Once it is known to be above `enough`, a lower
 * bound will do: with enough = 0 pairs that are apart cost little. normal: from a to b, may be
 * NULL.
 */
double ss_geom_gap(const ss_model *m, const ss_frame *frames, int32_t a, int32_t b, double enough,
                   ss_vec3 *normal);

/* The same with the two frames at hand. */
double ss_gap_between(const ss_model *m, int32_t a, const ss_frame *fa, int32_t b,
                      const ss_frame *fb, double enough, ss_vec3 *normal);

enum { SS_PAIR_CONTACTS = 256 };

/* Contacts of a pair that are looked up beside the step's own. Where there are more, the others are
   not found, and the step is one of first order there. */
enum { SS_PAIR_FOUND = 64 };

/* Is it a contact of this pair? */
static inline bool ss_is_of_pair(const ss_contact *c, const ss_pair *p)
{
    return (c->geom_a == p->a && c->geom_b == p->b) || (c->geom_a == p->b && c->geom_b == p->a);
}

/* The contacts of two geoms in these frames that are open by no more than `reach`: how many, at
   most `room`. */
int32_t ss_contacts_between(const ss_model *m, int32_t a, const ss_frame *fa, int32_t b,
                            const ss_frame *fb, double reach, ss_contact *contacts, int32_t room);

/* The contacts of two geoms that overlap there, of the branch that separates them best: how many,
   at most SS_PAIR_CONTACTS. */
int32_t ss_geom_contacts(const ss_model *m, const ss_frame *frames, int32_t a, int32_t b,
                         ss_contact *contacts);

/* One contact for each two features: the nearest, where a patch with corners that fall together or
   branches that share a feature list it again. Rigid contacts do not mind; springs would be as
   stiff as they are many. Returns how many are left. */
int32_t ss_drop_doubles(ss_contact *contacts, int32_t count);

#endif
