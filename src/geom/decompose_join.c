/* SPDX-License-Identifier: Apache-2.0 */
/* Joining convex pieces of a solid that were cut further apart than needed. */
#include <math.h>
#include <string.h>

#include "geom/decompose_parts.h"
#include "geom/hull.h"
#include "geom/mass.h"
#include "geom/polyhedron.h"
#include "geom/tolerances.h"

/* Products that a triangle takes at a face of a cell, two faces at each other, and a corner of two
   pieces for their hull. */
enum { PER_FACE = 20, PER_FACES = 4, PER_CORNER = 400 };

static bool boxes_meet(const ss_polyhedron *a, const ss_polyhedron *b, double rounding)
{
    ss_geom  ga = {.poly = a}, gb = {.poly = b};
    ss_frame home = {.R = ss_mat3_identity()};
    ss_aabb  x, y;
    ss_polyhedron_bounds(&ga, &home, &x);
    ss_polyhedron_bounds(&gb, &home, &y);
    return x.low.x <= y.high.x + rounding && y.low.x <= x.high.x + rounding &&
           x.low.y <= y.high.y + rounding && y.low.y <= x.high.y + rounding &&
           x.low.z <= y.high.z + rounding && y.low.z <= x.high.z + rounding;
}

/* Do the two have faces in one plane, looking at each other? */
static bool share_a_plane(const ss_polyhedron *a, const ss_polyhedron *b, double rounding)
{
    for (int32_t f = 0; f < a->face_count; f++) {
        for (int32_t g = 0; g < b->face_count; g++) {
            if (ss_dot(a->normals[f], b->normals[g]) < -1 + SS_PLANES_PARALLEL &&
                fabs(a->offsets[f] + b->offsets[g]) <= rounding) {
                return true;
            }
        }
    }
    return false;
}

/* What of a polygon lies inside the cell. */
static ss_status clip(ss_geom_set *set, const ss_cut_cell *c, double rounding, ss_cut_polygon *p)
{
    for (int32_t f = 0; f < c->count && p->count > 0; f++) {
        ss_cut_polygon whole = *p;
        SS_TRY(ss_polygon_below(set, &whole, &c->planes[f], rounding, p));
    }
    return SS_OK;
}

/* How far a convex polyhedron covers the surface of the mesh, at most. */
static ss_status coverage(ss_cutting *w, ss_geom_set *set, const ss_polyhedron *p, double *out)
{
    ss_cut_cell cell;
    SS_TRY(ss_cell_of(set, p, &cell));
    *out = 0;
    for (int32_t i = 0; i < w->surface.count && *out <= w->error; i++) {
        SS_TRY(ss_cutting_works(w, (double)PER_FACE * cell.count));
        ss_cut_polygon inside = w->surface.items[i];
        SS_TRY(clip(set, &cell, w->rounding, &inside));
        if (inside.count >= 3) {
            *out = fmax(*out, ss_cell_exit(&cell, &inside, w->planes[inside.plane].normal));
        }
    }
    return SS_OK;
}

/* The hull of two pieces, in `set`. */
static ss_status hull_of_both(const ss_cutting *w, ss_geom_set *set, const ss_polyhedron *a,
                              const ss_polyhedron *b, const ss_polyhedron **out)
{
    int32_t  n = a->vertex_count + b->vertex_count;
    ss_vec3 *v = ss_geom_memory(set, (size_t)n, sizeof *v);
    if (v == NULL) {
        return ss_cutting_no_memory(w);
    }
    memcpy(v, a->vertices, (size_t)a->vertex_count * sizeof *v);
    memcpy(v + a->vertex_count, b->vertices, (size_t)b->vertex_count * sizeof *v);
    return ss_hull_build(set, v, n, w->what, out);
}

static double volume_of(const ss_polyhedron *p)
{
    return ss_mass_polyhedron(p, 3).volume;
}

static ss_status may_be_joined(ss_cutting *w, ss_geom_set *set, const ss_polyhedron *a,
                               const ss_polyhedron *b, bool *may)
{
    const ss_polyhedron *hull;
    SS_TRY(hull_of_both(w, set, a, b, &hull));
    if (w->error == 0) {
        double both = volume_of(a) + volume_of(b);
        *may        = volume_of(hull) <= both + SS_CONVEX_ENOUGH * both;
        return SS_OK;
    }
    double covered; /* volumes tell nothing here: pieces may overlap */
    SS_TRY(coverage(w, set, hull, &covered));
    *may       = covered <= w->error;
    w->covered = *may ? fmax(w->covered, covered) : w->covered;
    return SS_OK;
}

/* Piece i becomes the hull of i and j where that is allowed. */
static ss_status try_to_join(ss_cutting *w, int32_t i, int32_t j, bool *joined)
{
    const ss_polyhedron *a = w->pieces[i], *b = w->pieces[j];
    *joined = false;
    if (!boxes_meet(a, b, w->rounding)) {
        return SS_OK;
    }
    double faces = (double)a->face_count * b->face_count;
    SS_TRY(ss_cutting_works(w, PER_FACES * faces));
    if (!share_a_plane(a, b, w->rounding)) {
        return SS_OK;
    }
    SS_TRY(ss_cutting_works(w, (double)PER_CORNER * (a->vertex_count + b->vertex_count)));
    ss_geom_set trial = {.ctx = w->set.ctx, .dimension = 3};
    ss_status   done  = may_be_joined(w, &trial, a, b, joined);
    ss_geom_free(&trial);
    SS_TRY(done);
    if (*joined) {
        SS_TRY(hull_of_both(w, &w->set, a, b, &w->pieces[i]));
        w->pieces[j] = w->pieces[--w->count];
    }
    return SS_OK;
}

ss_status ss_cutting_join(ss_cutting *w)
{
    for (bool again = true; again;) {
        again = false;
        for (int32_t i = 0; i < w->count; i++) {
            for (int32_t j = i + 1; j < w->count; j++) {
                bool joined;
                SS_TRY(try_to_join(w, i, j, &joined));
                again = again || joined;
                j -= joined; /* another piece has its place now */
            }
        }
    }
    return SS_OK;
}
