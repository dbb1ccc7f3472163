/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Narrow phase: two shapes in, contacts out.
 *
 * A contact is a pair of points, one on each surface, that may meet within the step, with the unit
 * normal from a to b and the gap  psi = normal.(point_b - point_a)  (negative: overlap). Its
 * identity (geoms and features) is the same from step to step as long as the same features touch.
 *
 * Branches. Two convex solids are apart when ONE of the directions that can separate them does: the
 * faces of either, and in 3D the pairs of edges that cross. Where one alone can matter within the
 * step, its contacts are all that a pair gives. Near a protruding vertex or edge several can; then
 * the pair gives the contacts of each, contiguous and marked with the branch they belong to, and
 * whoever asked decides between them (corner/branches.c): each branch separates the two when all
 * of its gaps are >= 0.
 */
#ifndef SS_COLLIDE_CONTACT_H
#define SS_COLLIDE_CONTACT_H

#include <stdbool.h>

#include "collide/tolerances.h"
#include "stickslip/shape.h"

typedef struct ss_contact {
    int32_t  geom_a, geom_b;
    uint32_t feature_a, feature_b;
    ss_vec3  point_a, point_b; /* on the surfaces, in the world */
    ss_vec3  normal;           /* unit, from a to b             */
    double   gap;
    uint64_t branch; /* 0: the only one; else the features of its direction, ss_branch_name() */
    bool     inner;  /* its plane is a cut through a solid: it separates, but touches nothing  */
    bool     beside; /* off the feature by more than the reach: it cannot be touched in the step */
    bool     amid; /* where straight parts are nearest, amid ends of theirs that are contacts too */
    double   shut; /* behind its plane is a slot of no width, see geom/seam.h: it is no way out;
                      lengths below this are none there. 0: it is one                       */
    ss_vec3 roll;  /* d(gap)/dt = normal.(v_b - v_a) - roll.(w_b - w_a); see ss_contact_roll()  */
    double  share; /* of a patch: its part of the stiffness; 0: it is all of it             */
    bool    drifts; /* of a patch: its place follows the outline, not the body               */
    int32_t axis;   /* of the world, that its first friction direction lies along:
                       ss_keep_friction_axis() */
    double apart;   /* of several branches: how far the widest separates the pair, corner/apart.c */
} ss_contact;

/*
 * A contact at a point x of a round rim (centre c, axis u) that is not the rim's nearest to the
 * other surface: turning about the axis carries that point towards the other surface or away from
 * it, but another point of the rim takes its place, and the gap of the rim there stays as it is.
 * The rate of the gap is therefore n.(v_b - v_a) without what the turn of the two against each
 * other about u contributes, whichever of them has the rim: (w_b - w_a).u  u.((x - c) x n). Normal
 * forces then leave the spin of a coin alone, as they must. Both bodies get equal and opposite
 * torques, so that momentum is kept.
 */
static inline ss_vec3 ss_contact_roll(ss_vec3 centre, ss_vec3 axis, ss_vec3 x, ss_vec3 normal)
{
    return ss_scale(ss_dot(axis, ss_cross(ss_sub(x, centre), normal)), axis);
}

/* A direction as a name that lasts: a face of a or of b (the other 0), or an edge of each. */
static inline uint64_t ss_branch_name(uint32_t feature_a, uint32_t feature_b)
{
    return ((uint64_t)feature_a << 32) | feature_b;
}

/*
 * Of two faces that lie on each other and separate equally, the one that looks up is the reference
 * (else the one that looks along y, then x): the same one whichever body comes first.
 */
static inline bool ss_looks_up(ss_vec3 n)
{
    if (fabs(n.z) > SS_LEVEL) {
        return n.z > 0;
    }
    return fabs(n.y) > SS_LEVEL ? n.y > 0 : n.x > 0;
}

/*
 * Contacts of a step. Pushing past the capacity loses the contact but keeps counting, so that the
 * owner can make room between attempts.
 */
typedef struct ss_contact_list {
    ss_contact *items;
    int32_t     count, capacity;
    int32_t     geom_a, geom_b; /* the pair being collided: copied into each contact */
    uint64_t    branch;         /* what is being pushed: likewise                    */
    bool        inner, beside, amid;
    double      shut;
    ss_vec3     roll;
    double      work;   /* products that curved shapes took to answer: pair_convex.c          */
    bool        wrong;  /* a plug-in gave what is no contact: ss_contact_add() */
    double      beyond; /* how far past the border of a face something still comes to be over it;
                           0: by the reach                                                  */
} ss_contact_list;

static inline double ss_contact_beyond(const ss_contact_list *list, double reach)
{
    return list->beyond > 0 && list->beyond < reach ? list->beyond : reach;
}

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
        c->branch     = list->branch;
        c->inner      = list->inner;
        c->beside     = list->beside;
        c->amid       = list->amid;
        c->shut       = list->shut;
        c->roll       = list->roll;
        c->share      = 0;
        c->drifts     = false;
        c->axis       = 0;
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

/* A pair that a plug-in brought, which goes before those; NULL: none. */
struct ss_pair_class;
const struct ss_pair_class *ss_pair_registered(const ss_context *ctx, const ss_shape_class *a,
                                               const ss_shape_class *b, int dimension, int *swap);

/*
 * The true gap of a and b: the distance when they are apart, minus the least penetration when they
 * overlap; never more than that, because it is the separation along one direction. Exact to
 * rounding from a touch to overlaps of a few percent of the smaller shape, and to 1e-6 of it when
 * they are apart, but for two cases: polyhedra (and points on them) that are apart with a vertex
 * nearest to a vertex or an edge are separated by more (it is the largest separation over face
 * normals and crossing edges, with the right sign); curved shapes deep in each other may have an
 * easier way out. Any lower bound will do as an answer once it exceeds `enough` (INFINITY: never).
 * *normal: unit, from a to b, the direction that separates them by that much.
 */
typedef double (*ss_gap_fn)(const ss_geom *a, const ss_frame *fa, const ss_geom *b,
                            const ss_frame *fb, double enough, ss_vec3 *normal);

/* The true gap for a pair of shape classes, in the order and under the conditions of ss_pair_find.
 */
ss_gap_fn ss_gap_find(const ss_shape_class *a, const ss_shape_class *b, int dimension, int *swap);

#endif
