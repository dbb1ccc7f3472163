/* SPDX-License-Identifier: Apache-2.0 */
/* What cutting a solid apart (decompose.c) and joining its pieces (decompose_join.c) share. */
#ifndef SS_GEOM_DECOMPOSE_PARTS_H
#define SS_GEOM_DECOMPOSE_PARTS_H

#include "geom/cut_polygon.h"
#include "geom/decompose.h"

typedef struct ss_fragments {
    ss_cut_polygon *items;
    int32_t         count;
} ss_fragments;

typedef struct ss_cutting {
    ss_geom_set           set; /* polygons and cells on the way */
    const ss_mesh        *mesh;
    const char           *what;
    double                error, rounding;
    double                work, work_limit; /* products taken so far, and at most */
    ss_fragments          surface;          /* all triangles */
    ss_cut_plane         *planes;           /* (plane_count) of the triangles, each once */
    int32_t               plane_count;
    const ss_polyhedron **pieces; /* (count) in memory of `set` */
    int32_t               count, capacity;
    double                covered;
} ss_cutting;

static inline ss_status ss_cutting_no_memory(const ss_cutting *w)
{
    return ss_fail(w->set.ctx, SS_ERR_MEMORY, "%s: no memory to cut it into convex pieces",
                   w->what);
}

/* Counts products; they end what takes too many of them. */
static inline ss_status ss_cutting_works(ss_cutting *w, double products)
{
    w->work += products;
    if (w->work <= w->work_limit) {
        return SS_OK;
    }
    return ss_fail(w->set.ctx, SS_ERR_INTERRUPTED,
                   "%s: cutting it into convex pieces takes more work than %g products; give "
                   "'error', how far (in metres) the pieces may cover its surface, or a larger "
                   "one, use 'convex' for its hull, or let it take more by 'work_limit'",
                   w->what, w->work_limit);
}

/*
 * Neighbouring pieces become one where that is allowed: without an error where their hull has no
 * more volume than both, with one where it covers no point of the surface by more.
 */
ss_status ss_cutting_join(ss_cutting *w);

#endif
