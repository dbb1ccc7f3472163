/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The patch in which two flat parts of surfaces lie on each other, and the contacts that carry it.
 */
#ifndef SS_COLLIDE_PATCH_H
#define SS_COLLIDE_PATCH_H

#include "collide/contact.h"

/* Corners of a face that the patch can use; of larger faces, this many spread evenly. */
enum { SS_FLAT_MAX = 64 };

/*
 * A flat part of a surface in the world: a face (3 or more corners, counter-clockwise from outside)
 * or a straight line (2). Rounded shapes have their surface `radius` outside the corners.
 */
typedef struct ss_flat {
    int32_t count;
    bool    side; /* of a shape in the plane: two corners, and a normal                    */
    ss_vec3 p[SS_FLAT_MAX];
    int32_t id[SS_FLAT_MAX];      /* of the corners, in their shape                       */
    ss_vec3 outward[SS_FLAT_MAX]; /* of side i -> i + 1, in the plane, unit; faces; of a `side`:
                                     past its ends */
    bool     round;               /* corners lie on a curved rim with these centres        */
    ss_vec3  centre[SS_FLAT_MAX]; /* of curvature; of a corner that is one: itself         */
    ss_vec3  normal;              /* unit; faces only                                       */
    double   offset;              /* normal.x on the face                                   */
    double   radius;
    uint32_t face;             /* feature of the whole                                   */
    const ss_polyhedron *poly; /* where sides have numbers, or NULL: side i is edge id[i] */
} ss_flat;

/* Face f of a polyhedron that stands at `at`. */
void ss_flat_of_face(const ss_polyhedron *p, int32_t f, const ss_frame *at, ss_flat *out);
/* Fill normal, offset and outward of a face whose corners and normal are known. */
void ss_flat_finish(ss_flat *flat, ss_vec3 normal);

/* How far x lies outside the outline (negative: inside). */
double ss_flat_outside(const ss_flat *face, ss_vec3 x);

typedef struct ss_patch {
    const ss_flat   *r, *o;   /* reference, a face or a `side`, and the other                   */
    bool             flipped; /* r belongs to b                                                 */
    double           reach;
    double           beyond; /* how far outside an outline still counts as over the face       */
    double           best;   /* separation of the bodies: contacts below it are beside a face  */
    double           tiny;   /* a length that is rounding                                      */
    int32_t          skip_r, skip_o; /* edges that have a contact already, or -1                */
    bool             one_sided; /* corners of r over o speak for themselves elsewhere             */
    ss_contact_list *out;
} ss_patch;

/* Does the point x, `radius` inside its surface, touch the face within reach? */
bool ss_patch_meets(const ss_patch *s, const ss_flat *face, ss_vec3 x, double radius);
/*
 * A point of the other body against the face of r, or the other way round. `corner`: of o (of r),
 * or -1 when it is none of the flat part's.
 */
void ss_patch_emit_on_r(const ss_patch *s, uint32_t feature, int32_t corner, ss_vec3 x,
                        double radius);
void ss_patch_emit_on_o(const ss_patch *s, uint32_t feature, int32_t corner, ss_vec3 x,
                        double radius);
/* The corners of the overlap of r and o. */
void ss_patch_corners(const ss_patch *s);

#endif
