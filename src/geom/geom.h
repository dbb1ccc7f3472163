/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the description of a shape to what the narrow phase works on: one or more geoms (each convex
 * or a plane), the polyhedra they own, and the mass properties of the whole.
 */
#ifndef SS_GEOM_GEOM_H
#define SS_GEOM_GEOM_H

#include "stickslip/shape.h"

#define SS_SHAPE(name) extern const ss_shape_class ss_shape_##name;
#include "geom/shape_list.h"
SS_SHAPE_LIST
#undef SS_SHAPE

/* A plane, or a ball, of either dimension. */
static inline bool ss_is_plane(const ss_geom *g)
{
    return g->cls == &ss_shape_plane || g->cls == &ss_shape_halfplane;
}

static inline bool ss_is_ball(const ss_geom *g)
{
    return g->cls == &ss_shape_sphere || g->cls == &ss_shape_disc;
}

struct ss_geom_block;

/* A convex part of what has mass: a geom, or an inner piece that nothing can touch. */
typedef struct ss_geom_piece {
    ss_geom geom;
    int32_t number; /* among the geoms of the set; -1: an inner piece */
    int32_t whole;  /* number of the shape that it is a piece of: those of one do not overlap */
} ss_geom_piece;

typedef struct ss_geom_set {
    ss_context  *ctx;
    int          dimension;
    ss_geom     *geoms;     /* (count) `local` is the placement in the body frame of the scene  */
    const char **materials; /* (count) named by the shape or NULL; the text is the description's */
    int32_t      count, capacity;
    ss_mass      mass;     /* at unit density, in the body frame; volume 0: has no mass        */
    ss_geom_piece *pieces; /* (piece_count) for ss_geom_overlaps_once and seams                */
    int32_t        piece_count, piece_capacity, whole;
    double         size;     /* longest side of the bounding box of all bounded geoms            */
    const char    *material; /* of the shape being built                                         */
    int            depth;    /* of the shape being built                                         */
    struct ss_geom_block *blocks; /* polyhedra                                                  */
} ss_geom_set;

/*
 * Build everything that `def` describes. Parts of a union may overlap: their masses add up twice
 * where they do, until ss_geom_overlaps_once. On failure the message names shape and parameter and
 * nothing is left to free.
 */
ss_status ss_geom_build(ss_context *ctx, const ss_shape_def *def, int dimension, ss_geom_set *out);
void      ss_geom_free(ss_geom_set *set);

/* What several parts of a union have in common counts once in the mass of the set. */
ss_status ss_geom_overlaps_once(ss_geom_set *set);

/* How far a shape reaches from its origin along a direction of its own axes. */
static inline double ss_far_along(const ss_geom *g, double x, double y, double z)
{
    ss_vec3 d = ss_v3(x, y, z);
    return ss_dot(d, g->cls->support(g, d));
}

/* The box along the world's axes around a shape that knows its furthest points: exact. */
void ss_support_bounds(const ss_geom *g, int dimension, const ss_frame *f, ss_aabb *out);

/* For shape classes: build a part (of a union) that stands at `at`. */
ss_status ss_geom_add_shape(ss_geom_set *set, const ss_shape_def *def, const ss_frame *at);
/* For shape classes: add a geom, with its mass. cls gives bounds and mass; poly may be NULL. */
ss_status ss_geom_add(ss_geom_set *set, const ss_shape_class *cls, const ss_shape_params *params,
                      const ss_frame *at, const ss_polyhedron *poly);
/* The same with a mass of its own (shape coordinates) instead of the class's; NULL: none. */
ss_status ss_geom_add_massive(ss_geom_set *set, const ss_shape_class *cls,
                              const ss_shape_params *params, const ss_frame *at,
                              const ss_polyhedron *poly, const ss_mass *mass);
/* For shape classes: a convex piece with mass that nothing can touch. */
ss_status ss_geom_add_inner(ss_geom_set *set, const ss_polyhedron *poly, const ss_frame *at);
/* Zeroed memory that lives as long as the set; NULL when there is none left. */
void *ss_geom_memory(ss_geom_set *set, size_t count, size_t size);

/* The placement that a description asks for, as a frame. */
ss_frame ss_shape_placement(const ss_shape_def *def);

#endif
