/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convex pieces of a solid.
 *
 * The hull of the solid is a convex cell. A cell through which some of the surface passes is cut by
 * the plane of one of the triangles in it, and so on (binary space partition; Fuchs, Kedem and
 * Naylor 1980): a plane is used at most once on every way down, so that this ends with cells that
 * the surface does not enter. Each of those is solid or empty; the winding number of its middle,
 *
 *     w(x) = 1/(4 pi) sum over triangles of the solid angle under which x sees it
 *
 * (1 inside, 0 outside), tells which. Neighbouring pieces whose union is convex, because its hull
 * has no more volume than both, are joined again.
 *
 * With an error e > 0 a cell is taken for solid once no point of the surface in it is further than
 * e from where its outward normal leaves the cell: the cell covers the surface by e at most. Else
 * the triangle that is furthest decides, and the cell is cut by its plane, shifted outwards by e/2:
 * below that plane the triangle is covered little enough, above there is nothing of it, so that
 * this ends too. Nothing of the solid is left out. Pieces are then also joined where their hull
 * covers no point of the surface by more than e.
 */
#include "geom/decompose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/compare.h"
#include "core/constants.h"
#include "core/elementary.h"
#include "geom/decompose_parts.h"
#include "geom/hull.h"
#include "geom/piece_cache.h"
#include "geom/polyhedron.h"
#include "geom/tolerances.h"

/* Products that one question takes: on which side of a plane a triangle or a fragment of one is,
   under what solid angle it is seen, how far it is from where it leaves a face. */
enum { PER_SIDE = 12, PER_ANGLE = 60, PER_EXIT = 20 };

/* ---- planes of the surface ------------------------------------------------------------------- */

static bool lies_in(const ss_cut_polygon *t, const ss_cut_plane *plane, ss_vec3 normal,
                    double rounding)
{
    return ss_dot(plane->normal, normal) > 0 && ss_polygon_side(t, plane, rounding) == 0;
}

static int32_t plane_of(ss_cutting *w, const ss_cut_polygon *t, ss_vec3 normal)
{
    for (int32_t i = 0; i < w->plane_count; i++) {
        if (lies_in(t, &w->planes[i], normal, w->rounding)) {
            return i;
        }
    }
    w->planes[w->plane_count] = (ss_cut_plane){normal, ss_dot(normal, t->v[0])};
    return w->plane_count++;
}

static bool has_area(const ss_cutting *w, const ss_vec3 v[3])
{
    ss_vec3 across = ss_cross(ss_sub(v[1], v[0]), ss_sub(v[2], v[0]));
    return ss_norm(across) > w->rounding * w->rounding;
}

/* The triangles as fragments; those without an area are none. */
static ss_status list_triangles(ss_cutting *w, ss_fragments *out)
{
    size_t   count = (size_t)w->mesh->triangle_count;
    ss_vec3 *v     = ss_geom_memory(&w->set, 3 * count, sizeof *v);
    w->planes      = ss_geom_memory(&w->set, count, sizeof *w->planes);
    out->items     = ss_geom_memory(&w->set, count, sizeof *out->items);
    out->count     = 0;
    if (v == NULL || w->planes == NULL || out->items == NULL) {
        return ss_cutting_no_memory(w);
    }
    for (size_t t = 0; t < count; t++, v += 3) {
        for (int i = 0; i < 3; i++) {
            v[i] = w->mesh->vertices[w->mesh->triangles[3 * t + (size_t)i]];
        }
        ss_cut_polygon p = {.v = v, .count = 3};
        if (has_area(w, v)) {
            SS_TRY(ss_cutting_works(w, PER_SIDE * w->plane_count));
            ss_vec3 across           = ss_cross(ss_sub(v[1], v[0]), ss_sub(v[2], v[0]));
            p.plane                  = plane_of(w, &p, ss_unit(across));
            out->items[out->count++] = p;
        }
    }
    return SS_OK;
}

/* ---- solid or empty -------------------------------------------------------------------------- */

/* Van Oosterom and Strackee 1983. */
static double solid_angle(ss_vec3 a, ss_vec3 b, ss_vec3 c)
{
    double la = ss_norm(a), lb = ss_norm(b), lc = ss_norm(c);
    double above = ss_dot(a, ss_cross(b, c));
    double below = la * lb * lc + ss_dot(a, b) * lc + ss_dot(b, c) * la + ss_dot(c, a) * lb;
    return 2 * ss_atan2(above, below);
}

static bool is_inside(const ss_mesh *m, ss_vec3 x)
{
    double sum = 0;
    for (int32_t t = 0; t < m->triangle_count; t++) {
        const int32_t *v = m->triangles + 3 * (size_t)t;
        sum += solid_angle(ss_sub(m->vertices[v[0]], x), ss_sub(m->vertices[v[1]], x),
                           ss_sub(m->vertices[v[2]], x));
    }
    return sum > 2 * SS_PI;
}

/* Corners of all faces of a cell, some of them several times. */
static ss_status corners_of(ss_cutting *w, const ss_cut_cell *c, const ss_vec3 **v, int32_t *count)
{
    size_t n = 0;
    for (int32_t f = 0; f < c->count; f++) {
        n += (size_t)c->faces[f].count;
    }
    ss_vec3 *all = ss_geom_memory(&w->set, n, sizeof *all);
    if (all == NULL) {
        return ss_cutting_no_memory(w);
    }
    *v     = all;
    *count = (int32_t)n;
    for (int32_t f = 0; f < c->count; f++) {
        memcpy(all, c->faces[f].v, (size_t)c->faces[f].count * sizeof *all);
        all += c->faces[f].count;
    }
    return SS_OK;
}

static ss_vec3 mean_of(const ss_vec3 *v, int32_t count)
{
    ss_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < count; i++) {
        sum = ss_axpy(sum, 1.0 / count, v[i]);
    }
    return sum;
}

/* Is a cell too thin for a piece? Its middle is then nearer to one of its faces than rounding. */
static bool is_foil(const ss_cutting *w, const ss_cut_cell *c, ss_vec3 middle)
{
    double least = INFINITY;
    for (int32_t f = 0; f < c->count; f++) {
        least = fmin(least, -ss_height(&c->planes[f], middle));
    }
    return !(least > w->rounding);
}

static ss_status keep_piece(ss_cutting *w, const ss_polyhedron *piece)
{
    int ok = 1;
    w->pieces =
        ss_array_reserve(w->set.ctx, w->pieces, w->count, &w->capacity, sizeof *w->pieces, &ok);
    if (!ok) {
        return ss_cutting_no_memory(w);
    }
    w->pieces[w->count++] = piece;
    return SS_OK;
}

/* solid: known to be; otherwise the winding number tells. */
static ss_status end_cell(ss_cutting *w, const ss_cut_cell *c, bool solid)
{
    const ss_vec3       *v     = NULL;
    int32_t              count = 0;
    const ss_polyhedron *piece;
    SS_TRY(corners_of(w, c, &v, &count));
    SS_TRY(ss_cutting_works(w, (double)PER_ANGLE * (solid ? 0 : w->mesh->triangle_count)));
    ss_vec3 middle = mean_of(v, count);
    if (is_foil(w, c, middle) || (!solid && !is_inside(w->mesh, middle))) {
        return SS_OK;
    }
    if (w->count == SS_CELLS_MAX) {
        return ss_fail(w->set.ctx, SS_ERR_INPUT,
                       "%s: cutting it into convex pieces takes more than %d cuts; give 'error', "
                       "how far (in metres) the pieces may cover its surface, or use 'convex' "
                       "for its hull",
                       w->what, SS_CELLS_MAX);
    }
    SS_TRY(ss_hull_build(&w->set, v, count, w->what, &piece));
    return keep_piece(w, piece);
}

/* ---- cutting --------------------------------------------------------------------------------- */

/* How many fragments a plane leaves on each side, and cuts. */
typedef struct balance {
    int32_t below, above, cut;
} balance;

static balance weigh(const ss_cutting *w, const ss_fragments *in, const ss_cut_plane *plane)
{
    balance b = {0, 0, 0};
    for (int32_t i = 0; i < in->count; i++) {
        int side = ss_polygon_side(&in->items[i], plane, w->rounding);
        b.below += side == -1;
        b.above += side == 1;
        b.cut += side == 2;
    }
    return b;
}

/* Few cuts first, then like numbers on both sides. */
static int32_t plane_with_fewest_cuts(const ss_cutting *w, const ss_fragments *in)
{
    int32_t best = in->items[0].plane, step = 1 + in->count / SS_CUTS_TRIED;
    double  least = INFINITY;
    for (int32_t i = 0; i < in->count; i += step) {
        balance b     = weigh(w, in, &w->planes[in->items[i].plane]);
        double  price = SS_PRICE_OF_A_CUT * b.cut + abs(b.below - b.above);
        if (price < least) {
            least = price;
            best  = in->items[i].plane;
        }
    }
    return best;
}

/* How high a cell rises above a plane. */
static double rise(const ss_cut_cell *c, const ss_cut_plane *plane)
{
    double highest = 0;
    for (int32_t f = 0; f < c->count; f++) {
        for (int32_t i = 0; i < c->faces[f].count; i++) {
            highest = fmax(highest, ss_height(plane, c->faces[f].v[i]));
        }
    }
    return highest;
}

/* How far, at most, the cell covers the surface in it; `plane`: of the most covered fragment. */
static double cover(const ss_cutting *w, const ss_cut_cell *c, const ss_fragments *in,
                    int32_t *plane)
{
    double most = 0;
    *plane      = in->items[0].plane;
    for (int32_t i = 0; i < in->count; i++) {
        const ss_cut_plane *p   = &w->planes[in->items[i].plane];
        double              out = ss_cell_exit(c, &in->items[i], p->normal);
        out                     = out > most ? fmin(out, rise(c, p)) : out;
        if (out > most) {
            most   = out;
            *plane = in->items[i].plane;
        }
    }
    return most;
}

static ss_status fragments_below(ss_cutting *w, const ss_fragments *in, const ss_cut_plane *plane,
                                 ss_fragments *out)
{
    out->count = 0;
    out->items = ss_geom_memory(&w->set, (size_t)in->count, sizeof *out->items);
    if (out->items == NULL) {
        return ss_cutting_no_memory(w);
    }
    for (int32_t i = 0; i < in->count; i++) {
        ss_cut_polygon below;
        SS_TRY(ss_polygon_below(&w->set, &in->items[i], plane, w->rounding, &below));
        if (below.count >= 3) {
            out->items[out->count++] = below;
        }
    }
    return SS_OK;
}

static ss_status cut_cell(ss_cutting *w, const ss_cut_cell *c, const ss_fragments *in);

static ss_status cut_side(ss_cutting *w, const ss_cut_cell *c, const ss_fragments *in,
                          const ss_cut_plane *plane)
{
    ss_cut_cell  part;
    ss_fragments left;
    SS_TRY(ss_cell_below(&w->set, c, plane, w->rounding, &part));
    if (part.count == 0) {
        return SS_OK;
    }
    SS_TRY(fragments_below(w, in, plane, &left));
    return cut_cell(w, &part, &left);
}

/* What it takes to choose the plane of the next cut, and to cut by it. */
static double work_of_choice(const ss_cutting *w, const ss_cut_cell *c, const ss_fragments *in)
{
    double count = in->count, tried = ss_min(count, SS_CUTS_TRIED);
    double exits = (double)PER_EXIT * c->count;
    return count * (w->error > 0 ? exits : PER_SIDE * tried) + 2 * PER_SIDE * (count + c->count);
}

static ss_status cut_cell(ss_cutting *w, const ss_cut_cell *c, const ss_fragments *in)
{
    if (in->count == 0) {
        return end_cell(w, c, false);
    }
    int32_t by;
    double  shift = 0;
    SS_TRY(ss_cutting_works(w, work_of_choice(w, c, in)));
    if (w->error > 0) {
        double covered = cover(w, c, in, &by);
        if (covered <= w->error) {
            w->covered = fmax(w->covered, covered);
            return end_cell(w, c, true);
        }
        shift = 0.5 * w->error;
    } else {
        by = plane_with_fewest_cuts(w, in);
    }
    ss_cut_plane plane = w->planes[by];
    plane.offset += shift;
    ss_cut_plane turned = ss_turned(&plane);
    SS_TRY(cut_side(w, c, in, &plane));
    return cut_side(w, c, in, &turned);
}

static bool on_hull(const ss_cutting *w, const ss_cut_cell *hull, const ss_cut_polygon *t)
{
    for (int32_t f = 0; f < hull->count; f++) {
        if (ss_polygon_side(t, &hull->planes[f], w->rounding) == 0) {
            return true;
        }
    }
    return false;
}

/* The triangles that do not lie in the hull's own faces. */
static void list_inner(const ss_cutting *w, const ss_cut_cell *hull, ss_fragments *inner)
{
    inner->count = 0;
    for (int32_t i = 0; i < w->surface.count; i++) {
        if (!on_hull(w, hull, &w->surface.items[i])) {
            inner->items[inner->count++] = w->surface.items[i];
        }
    }
}

/*
 * Are there too many triangles inside the hull to be cut exactly? Told before their planes are
 * looked for, each against each. Triangles are taken from all over the mesh (by steps of a prime
 * that does not divide their number), so that of a mesh with many of them few are looked at.
 */
static bool too_many_inner(const ss_cutting *w, const ss_cut_cell *hull)
{
    const int64_t count = w->mesh->triangle_count, step = count % 7919 != 0 ? 7919 : 7907;
    int32_t       inner = 0;
    for (int64_t k = 0; count > SS_EXACT_MAX && k < count && inner <= SS_EXACT_MAX; k++) {
        const int32_t *corner = w->mesh->triangles + 3 * (k * step % count);
        ss_vec3        v[3]   = {w->mesh->vertices[corner[0]], w->mesh->vertices[corner[1]],
                                 w->mesh->vertices[corner[2]]};
        ss_cut_polygon t      = {.v = v, .count = 3};
        inner += has_area(w, v) && !on_hull(w, hull, &t);
    }
    return inner > SS_EXACT_MAX;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Pieces as lists of corners, and back. */
static ss_status keep_for_later(ss_cutting *w, size_t corners)
{
    ss_vec3 *v      = ss_geom_memory(&w->set, corners, sizeof *v);
    int32_t *counts = ss_geom_memory(&w->set, (size_t)w->count, sizeof *counts);
    if (v == NULL || counts == NULL) {
        return ss_cutting_no_memory(w);
    }
    ss_piece_list list = {v, counts, w->count, w->covered};
    for (int32_t i = 0; i < w->count; i++) {
        counts[i] = w->pieces[i]->vertex_count;
        memcpy(v, w->pieces[i]->vertices, (size_t)counts[i] * sizeof *v);
        v += counts[i];
    }
    ss_piece_cache_keep(&w->set, w->mesh, w->error, &list);
    return SS_OK;
}

static ss_status take_from(ss_cutting *w, const ss_piece_list *list)
{
    const ss_vec3 *v = list->corners;
    for (int32_t i = 0; i < list->count; i++) {
        const ss_polyhedron *piece;
        SS_TRY(ss_hull_build(&w->set, v, list->counts[i], w->what, &piece));
        SS_TRY(keep_piece(w, piece));
        v += list->counts[i];
    }
    w->covered = list->covered;
    return SS_OK;
}

static size_t count_corners(const ss_cutting *w)
{
    size_t corners = 0;
    for (int32_t i = 0; i < w->count; i++) {
        corners += (size_t)w->pieces[i]->vertex_count;
    }
    return corners;
}

static ss_status take_apart(ss_cutting *w, const ss_polyhedron *hull)
{
    ss_cut_cell  whole;
    ss_fragments inner;
    SS_TRY(ss_cell_of(&w->set, hull, &whole));
    if (w->error == 0 && too_many_inner(w, &whole)) {
        return ss_fail(w->set.ctx, SS_ERR_INPUT,
                       "%s: more than %d of its triangles are not on its hull, too many for exact "
                       "pieces; give 'error', how far (in metres) the pieces may cover its "
                       "surface, or use 'convex' for its hull",
                       w->what, SS_EXACT_MAX);
    }
    SS_TRY(list_triangles(w, &w->surface));
    SS_TRY(ss_cutting_works(w, (double)PER_SIDE * w->surface.count * whole.count));
    inner.items = ss_geom_memory(&w->set, (size_t)w->surface.count, sizeof *inner.items);
    if (inner.items == NULL) {
        return ss_cutting_no_memory(w);
    }
    list_inner(w, &whole, &inner);
    SS_TRY(cut_cell(w, &whole, &inner));
    SS_TRY(ss_cutting_join(w));
    return w->count <= SS_PIECES_MAX ? keep_for_later(w, count_corners(w)) : SS_OK;
}

/* Corners of all pieces, each place once. */
typedef struct places {
    ss_vec3 *at; /* room for the corners of all pieces */
    int32_t  count;
} places;

/* The number of a place: i, or -1 - i if a piece before has it too and speaks for it. */
static int32_t number_place(places *p, ss_vec3 x, double rounding)
{
    for (int32_t i = 0; i < p->count; i++) {
        if (ss_norm(ss_sub(p->at[i], x)) <= rounding) {
            return -1 - i;
        }
    }
    p->at[p->count] = x;
    return p->count++;
}

/* A piece in memory that stays, its corners numbered as those of the whole. */
static ss_status hand_over_piece(const ss_cutting *w, ss_geom_set *set, const ss_polyhedron *p,
                                 places *known, const ss_polyhedron **out)
{
    const ss_polyhedron *made;
    SS_TRY(ss_hull_build(set, p->vertices, p->vertex_count, w->what, &made));
    ss_polyhedron *numbered = ss_geom_memory(set, 1, sizeof *numbered);
    int32_t       *ids      = ss_geom_memory(set, (size_t)made->vertex_count, sizeof *ids);
    if (numbered == NULL || ids == NULL) {
        return ss_cutting_no_memory(w);
    }
    for (int32_t i = 0; i < made->vertex_count; i++) {
        ids[i] = number_place(known, made->vertices[i], w->rounding);
    }
    *numbered            = *made;
    numbered->vertex_ids = ids;
    *out                 = numbered;
    return SS_OK;
}

static ss_status hand_over(ss_cutting *w, ss_geom_set *set, ss_pieces *out)
{
    *out = (ss_pieces){.covered = w->covered};
    if (w->count > SS_PIECES_MAX) {
        return ss_fail(set->ctx, SS_ERR_INPUT,
                       "%s: it takes %d convex pieces, more than %d; give 'error', how far (in "
                       "metres) the pieces may cover its surface, or use 'convex' for its hull",
                       w->what, w->count, SS_PIECES_MAX);
    }
    places known = {.at = ss_geom_memory(&w->set, count_corners(w), sizeof *known.at)};
    out->items   = ss_geom_memory(set, (size_t)w->count, sizeof *out->items);
    if (known.at == NULL || out->items == NULL) {
        return ss_cutting_no_memory(w);
    }
    for (; out->count < w->count; out->count++) {
        SS_TRY(hand_over_piece(w, set, w->pieces[out->count], &known, &out->items[out->count]));
    }
    return SS_OK;
}

static double size_of(const ss_polyhedron *p)
{
    double far = 0;
    for (int32_t i = 0; i < p->vertex_count; i++) {
        far = fmax(far, ss_norm(ss_sub(p->vertices[i], p->centre)));
    }
    return 2 * far;
}

ss_status ss_decompose(ss_geom_set *set, const ss_mesh *mesh, const ss_polyhedron *hull,
                       const ss_cut_ask *ask, ss_pieces *out)
{
    ss_cutting w = {.set        = {.ctx = set->ctx, .dimension = 3},
                    .mesh       = mesh,
                    .what       = ask->what,
                    .error      = ask->error,
                    .work_limit = ask->work_limit > 0 ? ask->work_limit : SS_CUT_WORK,
                    .rounding   = SS_CUT_ROUNDING * size_of(hull)};

    ss_piece_list kept;
    ss_status     done = ss_piece_cache_find(&w.set, mesh, ask->error, &kept) ? take_from(&w, &kept)
                                                                              : take_apart(&w, hull);
    if (done == SS_OK) {
        done = hand_over(&w, set, out);
    }
    ss_free(set->ctx, w.pieces, (size_t)w.capacity * sizeof *w.pieces);
    ss_geom_free(&w.set);
    return done;
}
