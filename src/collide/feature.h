/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the features of a shape: the kind in the high bits, the index in the low ones. */
#ifndef SS_COLLIDE_FEATURE_H
#define SS_COLLIDE_FEATURE_H

#include "stickslip/shape.h"

enum {
    SS_FEATURE_SURFACE    = 0, /* a smooth surface: index 0, or which part of it */
    SS_FEATURE_VERTEX     = 1u << 28,
    SS_FEATURE_EDGE       = 2u << 28,
    SS_FEATURE_FACE       = 3u << 28,
    SS_FEATURE_INDEX_MASK = (1u << 28) - 1
};

static inline uint32_t ss_feature(uint32_t kind, int32_t index)
{
    return kind | ((uint32_t)index & (uint32_t)SS_FEATURE_INDEX_MASK);
}

/* Vertices and faces of a piece of a polygon carry the numbers of the whole polygon. */
static inline uint32_t ss_vertex_feature(const ss_polyhedron *p, int32_t i)
{
    int32_t id = p->vertex_ids == NULL ? i : p->vertex_ids[i];
    return ss_feature(SS_FEATURE_VERTEX, id < 0 ? -1 - id : id);
}

static inline uint32_t ss_face_feature(const ss_polyhedron *p, int32_t f)
{
    return ss_feature(SS_FEATURE_FACE, p->face_ids == NULL ? f : p->face_ids[f]);
}

/* A side along which a polygon was cut lies inside the solid and touches nothing. */
static inline bool ss_is_cut(const ss_polyhedron *p, int32_t f)
{
    return p->face_ids != NULL && p->face_ids[f] < 0;
}

/* Another piece of the polygon has this vertex too and speaks for it. */
static inline bool ss_is_spoken_for(const ss_polyhedron *p, int32_t i)
{
    return p->vertex_ids != NULL && p->vertex_ids[i] < 0;
}

#endif
