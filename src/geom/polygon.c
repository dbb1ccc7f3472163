/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simple polygon (2D), convex or not, given by its vertices in either sense.
 *
 * A nonconvex polygon is cut into convex pieces along diagonals: ears are cut off one by one, then
 * pieces are joined again wherever the result stays convex (Hertel and Mehlhorn 1983: at most four
 * times as many pieces as necessary). Vertices at which the outline goes straight on are dropped
 * first (straight.h). Corners and sides keep the numbers they then have in the polygon, so that
 * contacts keep their identity; the sides of a cut have none and never touch anything.
 */
#include <string.h>

#include "geom/field_table.h"
#include "geom/mass.h"
#include "geom/polyhedron.h"
#include "geom/straight.h"

static const ss_field fields[] = {
    SS_POINTS_FIELD(true, "vertices in order, either way round; those on a straight side "
                          "count for nothing"),
    SS_FIELD_END};

/* Cutting takes time and memory of the square of this. */
enum { MAX_VERTICES = 2000 };

static double turn(ss_vec3 a, ss_vec3 b, ss_vec3 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool between(double a, double b, double x)
{
    return (a <= x && x <= b) || (b <= x && x <= a);
}

/* Do the closed segments ab and cd have a point in common? */
static bool segments_meet(ss_vec3 a, ss_vec3 b, ss_vec3 c, ss_vec3 d)
{
    double tc = turn(a, b, c), td = turn(a, b, d), ta = turn(c, d, a), tb = turn(c, d, b);
    if (((tc > 0 && td < 0) || (tc < 0 && td > 0)) && ((ta > 0 && tb < 0) || (ta < 0 && tb > 0))) {
        return true;
    }
    return (tc == 0 && between(a.x, b.x, c.x) && between(a.y, b.y, c.y)) ||
           (td == 0 && between(a.x, b.x, d.x) && between(a.y, b.y, d.y)) ||
           (ta == 0 && between(c.x, d.x, a.x) && between(c.y, d.y, a.y)) ||
           (tb == 0 && between(c.x, d.x, b.x) && between(c.y, d.y, b.y));
}

static ss_status check_simple(ss_context *ctx, const ss_vec3 *v, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int32_t i1 = (i + 1) % n;
        if (v[i].x == v[i1].x && v[i].y == v[i1].y) {
            return ss_fail(ctx, SS_ERR_INPUT, "shape 'polygon': points %d and %d are the same", i,
                           i1);
        }
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = i + 2; j < n; j++) {
            int32_t i1 = i + 1, j1 = (j + 1) % n;
            if (j1 != i && segments_meet(v[i], v[i1], v[j], v[j1])) {
                return ss_fail(ctx, SS_ERR_INPUT,
                               "shape 'polygon': the sides from points %d and %d cross", i, j);
            }
        }
    }
    return SS_OK;
}

static ss_status check(ss_context *ctx, const ss_shape_def *def, int dimension)
{
    (void)dimension;
    if (def->point_count < 3 || def->point_count > MAX_VERTICES) {
        return ss_fail(ctx, SS_ERR_INPUT, "shape 'polygon': points must be 3 to %d, got %d",
                       MAX_VERTICES, def->point_count);
    }
    return check_simple(ctx, def->points, def->point_count);
}

/* ---- pieces: loops of vertex numbers, counter-clockwise -------------------------------------- */

typedef struct cutting {
    const ss_vec3 *v; /* the polygon, counter-clockwise */
    int32_t        n;
    int32_t       *loops; /* (n x n) piece k starts at loops[k n] */
    int32_t       *sizes; /* (n) 0: joined to another piece        */
    int32_t        pieces;
} cutting;

static bool is_ear(const cutting *c, const int32_t *ring, int32_t count, int32_t i)
{
    ss_vec3 a = c->v[ring[(i + count - 1) % count]], b = c->v[ring[i]],
            d = c->v[ring[(i + 1) % count]];
    if (!(turn(a, b, d) > 0)) {
        return false;
    }
    for (int32_t k = 0; k < count; k++) {
        ss_vec3 x      = c->v[ring[k]];
        bool    corner = k == i || k == (i + 1) % count || k == (i + count - 1) % count;
        if (!corner && turn(a, b, x) >= 0 && turn(b, d, x) >= 0 && turn(d, a, x) >= 0) {
            return false;
        }
    }
    return true;
}

static void add_triangle(cutting *c, int32_t a, int32_t b, int32_t d)
{
    int32_t *loop = c->loops + (size_t)c->pieces * (size_t)c->n;
    loop[0] = a, loop[1] = b, loop[2] = d;
    c->sizes[c->pieces++] = 3;
}

/* ring: room for n numbers. False when no ear is found (a polygon that is not simple). */
static bool cut_ears(cutting *c, int32_t *ring)
{
    int32_t count = c->n;
    for (int32_t i = 0; i < count; i++) {
        ring[i] = i;
    }
    while (count > 3) {
        int32_t ear = 0;
        while (ear < count && !is_ear(c, ring, count, ear)) {
            ear++;
        }
        if (ear == count) {
            return false;
        }
        add_triangle(c, ring[(ear + count - 1) % count], ring[ear], ring[(ear + 1) % count]);
        memmove(ring + ear, ring + ear + 1, (size_t)(count - ear - 1) * sizeof *ring);
        count--;
    }
    add_triangle(c, ring[0], ring[1], ring[2]);
    return true;
}

static int32_t find_side(const int32_t *loop, int32_t size, int32_t from, int32_t to)
{
    for (int32_t i = 0; i < size; i++) {
        if (loop[i] == from && loop[(i + 1) % size] == to) {
            return i;
        }
    }
    return -1;
}

/* Does piece k, joined with piece m across the side (i of k, j of m), stay convex at both ends? */
static bool convex_if_joined(const cutting *c, const int32_t *k, int32_t nk, int32_t i,
                             const int32_t *m, int32_t nm, int32_t j)
{
    ss_vec3 before_k = c->v[k[(i + nk - 1) % nk]], from = c->v[k[i]], to = c->v[k[(i + 1) % nk]],
            after_k = c->v[k[(i + 2) % nk]], before_m = c->v[m[(j + nm - 1) % nm]],
            after_m = c->v[m[(j + 2) % nm]];
    return turn(before_k, from, after_m) >= 0 && turn(before_m, to, after_k) >= 0;
}

/* k becomes k and m joined; the side between them goes. */
static void join(cutting *c, int32_t k, int32_t i, int32_t m, int32_t j, int32_t *room)
{
    int32_t *lk = c->loops + (size_t)k * (size_t)c->n, *lm = c->loops + (size_t)m * (size_t)c->n;
    int32_t  nk = c->sizes[k], nm = c->sizes[m], count = 0;
    for (int32_t s = 1; s <= nk; s++) {
        room[count++] = lk[(i + s) % nk]; /* from the end of the side round to its start */
    }
    for (int32_t s = 2; s < nm; s++) {
        room[count++] = lm[(j + s) % nm];
    }
    memcpy(lk, room, (size_t)count * sizeof *room);
    c->sizes[k] = count;
    c->sizes[m] = 0;
}

/* Join piece k with the first neighbour that keeps it convex; false when there is none. */
static bool join_one(cutting *c, int32_t k, int32_t *room)
{
    const int32_t *lk = c->loops + (size_t)k * (size_t)c->n;
    for (int32_t i = 0; i < c->sizes[k]; i++) {
        int32_t from = lk[i], to = lk[(i + 1) % c->sizes[k]];
        for (int32_t m = k + 1; m < c->pieces; m++) {
            const int32_t *lm = c->loops + (size_t)m * (size_t)c->n;
            int32_t        j  = c->sizes[m] > 0 ? find_side(lm, c->sizes[m], to, from) : -1;
            if (j >= 0 && convex_if_joined(c, lk, c->sizes[k], i, lm, c->sizes[m], j)) {
                join(c, k, i, m, j, room);
                return true;
            }
        }
    }
    return false;
}

static bool cut(cutting *c, int32_t *room)
{
    if (!cut_ears(c, room)) {
        return false;
    }
    for (int32_t k = 0; k < c->pieces; k++) {
        while (c->sizes[k] > 0 && join_one(c, k, room)) {
        }
    }
    return true;
}

/* ---- geoms --------------------------------------------------------------------------------- */

static bool is_side(const cutting *c, int32_t from, int32_t to)
{
    return to == (from + 1) % c->n;
}

/* Pieces without a side of the polygon lie all inside: nothing can touch them. */
static bool has_side(const cutting *c, int32_t k)
{
    const int32_t *loop = c->loops + (size_t)k * (size_t)c->n;
    for (int32_t i = 0; i < c->sizes[k]; i++) {
        if (is_side(c, loop[i], loop[(i + 1) % c->sizes[k]])) {
            return true;
        }
    }
    return false;
}

/* Does a piece before k have this vertex? */
static bool spoken_for(const cutting *c, int32_t k, int32_t vertex)
{
    for (int32_t m = 0; m < k; m++) {
        const int32_t *loop = c->loops + (size_t)m * (size_t)c->n;
        for (int32_t i = 0; i < c->sizes[m]; i++) {
            if (loop[i] == vertex && has_side(c, m)) {
                return true;
            }
        }
    }
    return false;
}

static ss_status add_piece(ss_geom_set *set, const cutting *c, int32_t k, const ss_frame *at)
{
    const int32_t *loop       = c->loops + (size_t)k * (size_t)c->n;
    int32_t        size       = c->sizes[k];
    ss_vec3       *v          = ss_geom_memory(set, (size_t)size, sizeof *v);
    int32_t       *vertex_ids = ss_geom_memory(set, (size_t)size, sizeof *vertex_ids);
    int32_t       *face_ids   = ss_geom_memory(set, (size_t)size, sizeof *face_ids);
    if (v == NULL || vertex_ids == NULL || face_ids == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for a polygon");
    }
    for (int32_t i = 0; i < size; i++) {
        v[i]          = c->v[loop[i]];
        vertex_ids[i] = spoken_for(c, k, loop[i]) ? -1 - loop[i] : loop[i];
        face_ids[i]   = is_side(c, loop[i], loop[(i + 1) % size]) ? loop[i] : -1;
    }
    const ss_polyhedron *poly;
    ss_shape_params      none = {.room = {0}};
    SS_TRY(ss_polygon_make(set, v, size, &poly));
    if (!has_side(c, k)) {
        return ss_geom_add_inner(set, poly, at);
    }
    ss_polyhedron *numbered = ss_geom_memory(set, 1, sizeof *numbered);
    if (numbered == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for a polygon");
    }
    *numbered            = *poly;
    numbered->vertex_ids = vertex_ids;
    numbered->face_ids   = face_ids;
    return ss_geom_add(set, &ss_shape_polygon, &none, at, numbered);
}

/* The vertices counter-clockwise; vertex 0 stays first. */
static void orient(const ss_shape_def *def, ss_vec3 *v)
{
    int32_t n    = def->point_count;
    double  area = 0;
    for (int32_t i = 1; i + 1 < n; i++) {
        area += turn(def->points[0], def->points[i], def->points[i + 1]);
    }
    for (int32_t i = 0; i < n; i++) {
        ss_vec3 x = def->points[area >= 0 || i == 0 ? i : n - i];
        v[i]      = ss_v3(x.x, x.y, 0);
    }
}

static bool is_convex(const ss_vec3 *v, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        if (turn(v[i], v[(i + 1) % n], v[(i + 2) % n]) < 0) {
            return false;
        }
    }
    return true;
}

static ss_status no_area(const ss_geom_set *set)
{
    return ss_fail(set->ctx, SS_ERR_INPUT, "shape 'polygon': points do not bound an area");
}

static ss_status add_pieces(ss_geom_set *set, const ss_vec3 *v, int32_t n, const ss_frame *at)
{
    size_t    cells = (size_t)n * (size_t)n, words = cells + 3 * (size_t)n;
    int32_t  *room = ss_alloc(set->ctx, words, sizeof *room);
    cutting   c    = {.v = v, .n = n, .loops = room};
    ss_status done = SS_OK;
    if (room == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory to cut a polygon of %d vertices", n);
    }
    c.sizes = room + cells;
    if (!cut(&c, room + cells + n)) {
        done = no_area(set);
    }
    for (int32_t k = 0; done == SS_OK && k < c.pieces; k++) {
        done = c.sizes[k] > 0 ? add_piece(set, &c, k, at) : SS_OK;
    }
    ss_free(set->ctx, room, words * sizeof *room);
    return done;
}

static ss_status build(ss_geom_set *set, const ss_shape_def *def, const ss_frame *at)
{
    int32_t              n = def->point_count;
    ss_vec3             *v = ss_geom_memory(set, (size_t)n, sizeof *v);
    const ss_polyhedron *poly;
    if (v == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for a polygon of %d vertices", n);
    }
    orient(def, v);
    SS_TRY(ss_drop_straight(set, v, &n));
    if (n < 3) {
        return no_area(set);
    }
    if (!is_convex(v, n)) {
        return add_pieces(set, v, n, at);
    }
    SS_TRY(ss_polygon_make(set, v, n, &poly));
    if (!(ss_mass_polyhedron(poly, 2).volume > 0)) {
        return no_area(set);
    }
    return ss_geom_add(set, &ss_shape_polygon, &def->params, at, poly);
}

const ss_shape_class ss_shape_polygon = {.name       = "polygon",
                                         .dimensions = 2,
                                         .fields     = fields,
                                         .check      = check,
                                         .build      = build,
                                         .bounds     = ss_polyhedron_bounds,
                                         .support    = ss_polyhedron_support,
                                         .mass       = ss_polyhedron_mass};
