/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Narrow phase: two shapes in, contacts out.
 *
 * A contact is a pair of points, one on each surface, that may meet within the step, with the unit
 * normal from a to b and the gap  psi = normal.(point_b - point_a)  (negative: overlap). Its
 * identity (geoms and features) is the same from step to step as long as the same features touch.
 */
#ifndef SS_COLLIDE_CONTACT_H
#define SS_COLLIDE_CONTACT_H

#include "stickslip/shape.h"

typedef struct ss_contact {
    int32_t  geom_a, geom_b;
    uint32_t feature_a, feature_b;
    ss_vec3  point_a, point_b; /* on the surfaces, in the world */
    ss_vec3  normal;           /* unit, from a to b             */
    double   gap;
} ss_contact;

/*
 * Contacts of a step. Pushing past the capacity loses the contact but keeps counting, so that the
 * owner can make room between attempts.
 */
typedef struct ss_contact_list {
    ss_contact *items;
    int32_t     count, capacity;
    int32_t     geom_a, geom_b; /* the pair being collided: copied into each contact */
} ss_contact_list;

static inline void ss_contact_push(ss_contact_list *list, uint32_t feature_a, uint32_t feature_b,
                                   ss_vec3 point_a, ss_vec3 point_b, ss_vec3 normal, double gap)
{
    if (list->count < list->capacity) {
        ss_contact *c = &list->items[list->count];
        c->geom_a     = list->geom_a;
        c->geom_b     = list->geom_b;
        c->feature_a  = feature_a;
        c->feature_b  = feature_b;
        c->point_a    = point_a;
        c->point_b    = point_b;
        c->normal     = normal;
        c->gap        = gap;
    }
    list->count++;
}

/*
 * All contacts of a and b with a gap of at most `reach` (how far they can approach each other in
 * the step). fa, fb: frames of the shapes (not of the bodies) in the world.
 */
typedef void (*ss_pair_fn)(const ss_geom *a, const ss_frame *fa, const ss_geom *b,
                           const ss_frame *fb, double reach, ss_contact_list *out);

/*
 * The routine for a pair of shape classes, and whether the geoms must be handed over in the other
 * order (*swap). NULL: these two never touch (two planes, two points). Decided once, at compile
 * time.
 */
ss_pair_fn ss_pair_find(const ss_shape_class *a, const ss_shape_class *b, int dimension, int *swap);

#endif
