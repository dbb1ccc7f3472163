/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The features of a solid. Rays from a point inside, spread evenly over an ellipsoid of the solid's
 * extents, meet the boundary; neighbours that leave through different surfaces a and b have a point
 * of the crease (a, b) between them, three neighbours with three surfaces a corner. Newton's method
 * takes each to rounding. Crease points whose triangles share a side belong to one crease.
 *
 * What lies between the rays is not seen. So three things are asked, and if one fails the rays are
 * made denser: every corner lies inside all surfaces; no surface that was not seen cuts anything
 * off, where  x <- support point along its normal at x  climbs to the point furthest outside it.
 */
#include <stdlib.h>
#include <string.h>

#include "core/constants.h"
#include "core/elementary.h"
#include "geom/solid.h"
#include "geom/tolerances.h"

enum { FIRST_ROWS = 40, LAST_ROWS = 320 };

/* rows + 1 circles of `columns` rays, from pole to pole; 2D: one circle. */
typedef struct grid {
    ss_geom_set scratch; /* owns what follows */
    int32_t     rows, columns;
    ss_vec3    *x;       /* where the ray leaves                                                */
    int32_t    *surface; /* through which                                                       */
    int32_t    *link;    /* (3 per ray) sides to the right, below, across: crease they are of   */
} grid;

/* What is found; room is made in the scratch set and copied when all is well. */
typedef struct found {
    ss_vec3   *corners;
    ss_crease *creases;
    ss_vec3   *points;
    int32_t    corner_count, crease_count, point_count;
    int32_t    corner_room, crease_room, point_room;
    bool       unclear; /* something is smaller than the distance of the rays */
} found;

/* Doubles the room of an array in a set. */
static ss_status grow(ss_geom_set *set, void *items, int32_t count, int32_t *room, size_t size)
{
    void **old = items;
    if (count < *room) {
        return SS_OK;
    }
    int32_t wanted = *room == 0 ? 64 : 2 * *room;
    void   *more   = ss_geom_memory(set, (size_t)wanted, size);
    if (more == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for an intersection");
    }
    if (count > 0) {
        memcpy(more, *old, (size_t)count * size);
    }
    *old  = more;
    *room = wanted;
    return SS_OK;
}

/* ---- rays ------------------------------------------------------------------------------------ */

/* Turned so that no ray lies in a plane of symmetry: neighbours differ by more than rounding. */
static ss_vec3 ray(const ss_solid *s, const grid *g, int32_t row, int32_t column)
{
    double  phi = 2 * SS_PI * (column + 0.377) / g->columns, theta = SS_PI * row / fmax(1, g->rows);
    ss_mat3 turned = ss_mat3_from_quat(ss_quat_from_rotation(ss_v3(0.311, -0.473, 0.127)));
    ss_vec3 v      = {ss_cos(phi), ss_sin(phi), 0};
    if (s->dimension == 3) {
        v = ss_mul(&turned, ss_v3(ss_sin(theta) * v.x, ss_sin(theta) * v.y, ss_cos(theta)));
    }
    return ss_mul(&s->spread, v);
}

static ss_status cast_rays(ss_context *ctx, const ss_solid *s, int32_t rows, grid *g)
{
    memset(g, 0, sizeof *g);
    g->scratch.ctx = ctx;
    g->rows        = s->dimension == 2 ? 0 : rows;
    g->columns     = s->dimension == 2 ? 16 * rows : 2 * rows;
    size_t count   = (size_t)(g->rows + 1) * (size_t)g->columns;
    g->x           = ss_geom_memory(&g->scratch, count, sizeof *g->x);
    g->surface     = ss_geom_memory(&g->scratch, count, sizeof *g->surface);
    g->link        = ss_geom_memory(&g->scratch, 3 * count, sizeof *g->link);
    if (g->x == NULL || g->surface == NULL || g->link == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for an intersection");
    }
    for (int32_t r = 0, i = 0; r <= g->rows; r++) {
        for (int32_t c = 0; c < g->columns; c++, i++) {
            /* the poles are one ray each */
            bool pole = s->dimension == 3 && (r == 0 || r == g->rows);
            g->x[i]   = ss_solid_exit(s, ray(s, g, r, pole ? 0 : c), &g->surface[i]);
        }
    }
    for (size_t i = 0; i < 3 * count; i++) {
        g->link[i] = (int32_t)i;
    }
    return SS_OK;
}

static int32_t ray_at(const grid *g, int32_t row, int32_t column)
{
    return row * g->columns + (column == g->columns ? 0 : column);
}

static int32_t root_of(grid *g, int32_t side)
{
    while (g->link[side] != side) {
        g->link[side] = g->link[g->link[side]];
        side          = g->link[side];
    }
    return side;
}

/* ---- corners --------------------------------------------------------------------------------- */

static ss_status add_corner(grid *g, found *f, const ss_solid *s, ss_vec3 x)
{
    for (int32_t i = 0; i < f->corner_count; i++) {
        if (ss_norm(ss_sub(f->corners[i], x)) <= SS_SAME_PLACE * s->size) {
            return SS_OK;
        }
    }
    SS_TRY(grow(&g->scratch, &f->corners, f->corner_count, &f->corner_room, sizeof x));
    f->corners[f->corner_count++] = x;
    return SS_OK;
}

/* Rays that leave through 3 (2D: 2) surfaces: the corner near them. */
static ss_status find_corner(grid *g, found *f, const ss_solid *s, const int32_t rays[3])
{
    int32_t count = s->dimension == 2 ? 2 : 3, surfaces[3];
    ss_vec3 from  = {0, 0, 0};
    double  wide  = ss_norm(ss_sub(g->x[rays[0]], g->x[rays[1]]));
    for (int32_t k = 0; k < count; k++) {
        surfaces[k] = g->surface[rays[k]];
        from        = ss_axpy(from, 1.0 / count, g->x[rays[k]]);
    }
    wide      = fmax(wide, ss_norm(ss_sub(g->x[rays[0]], g->x[rays[count - 1]])));
    ss_vec3 x = from;
    if (!ss_solid_onto(s, surfaces, count, &x) || ss_norm(ss_sub(x, from)) > 10 * wide ||
        ss_solid_height(s, x, -1) > SS_ON_TRACE * s->size) {
        f->unclear = true;
        return SS_OK;
    }
    return add_corner(g, f, s, x);
}

/* ---- creases --------------------------------------------------------------------------------- */

/* A triangle of rays with the numbers of its sides 01, 12, 20. */
static ss_status look_at_triangle(grid *g, found *f, const ss_solid *s, const int32_t rays[3],
                                  const int32_t sides[3])
{
    bool crossed[3];
    int  count = 0, first = -1;
    for (int k = 0; k < 3; k++) {
        crossed[k] = g->surface[rays[k]] != g->surface[rays[(k + 1) % 3]];
        count += crossed[k];
    }
    if (count == 3) {
        return find_corner(g, f, s, rays);
    }
    for (int k = 0; k < 3; k++) {
        if (crossed[k] && first < 0) {
            first = sides[k];
        } else if (crossed[k]) {
            g->link[root_of(g, sides[k])] = root_of(g, first);
        }
    }
    return SS_OK;
}

static ss_status look_at_triangles(grid *g, found *f, const ss_solid *s)
{
    for (int32_t r = 0; r < g->rows; r++) {
        for (int32_t c = 0; c < g->columns; c++) {
            int32_t v00 = ray_at(g, r, c), v01 = ray_at(g, r, c + 1), v10 = ray_at(g, r + 1, c),
                    v11          = ray_at(g, r + 1, c + 1);
            const int32_t low[3] = {v00, v10, v11}, high[3] = {v00, v11, v01};
            const int32_t low_sides[3]  = {3 * v00 + 1, 3 * v10, 3 * v00 + 2};
            const int32_t high_sides[3] = {3 * v00 + 2, 3 * v01 + 1, 3 * v00};
            SS_TRY(look_at_triangle(g, f, s, low, low_sides));
            SS_TRY(look_at_triangle(g, f, s, high, high_sides));
        }
    }
    return SS_OK;
}

static ss_status look_around(grid *g, found *f, const ss_solid *s)
{
    for (int32_t c = 0; c < g->columns; c++) {
        const int32_t rays[3] = {c, ray_at(g, 0, c + 1), c};
        if (g->surface[rays[0]] != g->surface[rays[1]]) {
            SS_TRY(find_corner(g, f, s, rays));
        }
    }
    return SS_OK;
}

/* The rays at the ends of a side. */
static void ends_of(const grid *g, int32_t side, int32_t *from, int32_t *to)
{
    int32_t row = side / 3 / g->columns, column = side / 3 % g->columns, way = side % 3;
    *from = side / 3;
    *to   = ray_at(g, row + (way != 0), column + (way != 1));
}

static bool is_crossed(const grid *g, int32_t side)
{
    int32_t from, to;
    if (side % 3 != 0 && side / 3 / g->columns == g->rows) {
        return false; /* below the last circle */
    }
    ends_of(g, side, &from, &to);
    return g->surface[from] != g->surface[to];
}

/* Points of a crease nearer to each other than this are one too many. */
static bool is_crowded(const found *f, const ss_crease *c, ss_vec3 x, double spacing)
{
    for (int32_t i = 0; i < c->count; i++) {
        if (ss_norm(ss_sub(f->points[c->first + i], x)) < spacing) {
            return true;
        }
    }
    return false;
}

static ss_status add_crease_point(grid *g, found *f, const ss_solid *s, ss_crease *c, int32_t side,
                                  double spacing)
{
    const int32_t both[2] = {c->a, c->b};
    int32_t       from, to;
    ends_of(g, side, &from, &to);
    ss_vec3 mid = ss_scale(0.5, ss_add(g->x[from], g->x[to])), x = mid;
    double  wide = ss_norm(ss_sub(g->x[from], g->x[to]));
    if (!ss_solid_onto(s, both, 2, &x) || ss_norm(ss_sub(x, mid)) > 10 * wide ||
        ss_solid_height(s, x, -1) > SS_ON_TRACE * s->size || is_crowded(f, c, x, spacing)) {
        return SS_OK; /* another surface cuts it off here, or there are enough */
    }
    SS_TRY(grow(&g->scratch, &f->points, f->point_count, &f->point_room, sizeof x));
    f->points[f->point_count++] = x;
    c->count++;
    return SS_OK;
}

/* The longest side of the box around all crossings of a crease. */
static double extent_of(grid *g, int32_t root, const int32_t *next)
{
    ss_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t side = root; side >= 0; side = next[side]) {
        ss_vec3 x = g->x[side / 3];
        low       = ss_v3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high      = ss_v3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    ss_vec3 d = ss_sub(high, low);
    return fmax(d.x, fmax(d.y, d.z));
}

static void swap_points(ss_vec3 *x, int32_t i, int32_t j)
{
    ss_vec3 keep = x[i];
    x[i]         = x[j];
    x[j]         = keep;
}

static int32_t nearest_from(const ss_vec3 *x, ss_vec3 to, int32_t from, int32_t count, double sign)
{
    int32_t best = from;
    double  near = INFINITY;
    for (int32_t i = from; i < count; i++) {
        double d = sign * ss_norm(ss_sub(x[i], to));
        if (d < near) {
            near = d;
            best = i;
        }
    }
    return best;
}

/* Order along the crease: from the point furthest from the first on, always to the nearest. */
static void put_in_order(ss_vec3 *x, int32_t count)
{
    swap_points(x, 0, nearest_from(x, x[0], 0, count, -1));
    for (int32_t i = 1; i < count; i++) {
        swap_points(x, i, nearest_from(x, x[i - 1], i, count, 1));
    }
}

/* The two ends of a straight crease are the corners on its line. */
static ss_status straighten(grid *g, found *f, const ss_solid *s, ss_crease *c)
{
    ss_vec3 x = f->points[c->first], ends[2] = {x, x};
    double  low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < f->corner_count; i++) {
        ss_vec3 r = ss_sub(f->corners[i], x);
        double  t = ss_dot(r, c->e);
        if (ss_norm(ss_axpy(r, -t, c->e)) > SS_SAME_PLACE * s->size) {
            continue;
        }
        if (t < low) {
            low     = t;
            ends[0] = f->corners[i];
        }
        if (t > high) {
            high    = t;
            ends[1] = f->corners[i];
        }
    }
    if (!(high > low)) {
        f->unclear = true;
        return SS_OK;
    }
    f->point_count = c->first;
    for (c->count = 0; c->count < 2; c->count++) {
        SS_TRY(grow(&g->scratch, &f->points, f->point_count, &f->point_room, sizeof x));
        f->points[f->point_count++] = ends[c->count];
    }
    return SS_OK;
}

/* Is there a straight crease of the same surfaces along the same line already? */
static bool is_there(const found *f, const ss_solid *s, const ss_crease *c, ss_vec3 x)
{
    for (int32_t i = 0; i < f->crease_count; i++) {
        const ss_crease *o = &f->creases[i];
        ss_vec3          r = ss_sub(f->points[o->first], x);
        if (o->straight && o->a == c->a && o->b == c->b &&
            ss_norm(ss_cross(c->e, r)) <= SS_SAME_PLACE * s->size) {
            return true;
        }
    }
    return false;
}

static ss_status push_crease(grid *g, found *f, const ss_crease *c)
{
    SS_TRY(grow(&g->scratch, &f->creases, f->crease_count, &f->crease_room, sizeof *c));
    f->creases[f->crease_count++] = *c;
    return SS_OK;
}

/* How far x + t e stays on the straight part of a capsule. */
static void clip_to_side(const ss_surface *s, ss_vec3 x, ss_vec3 e, double t[2])
{
    ss_vec3 y = ss_to_body(&s->at, x), v = ss_tmul(&s->at.R, e);
    if (s->kind == SS_SURFACE_CAPSULE) {
        double t0 = (-s->half - y.z) / v.z, t1 = (s->half - y.z) / v.z;
        t[0] = fmax(t[0], fmin(t0, t1));
        t[1] = fmin(t[1], fmax(t0, t1));
    }
}

/* How far it stays inside the surfaces that are not the two whose crease it is on. */
static void clip_to_others(const ss_solid *s, const ss_crease *c, ss_vec3 x, double t[2])
{
    for (int32_t i = 0; i < s->surface_count; i++) {
        if (i != c->a && i != c->b && !ss_surface_chord(&s->surfaces[i], x, c->e, t)) {
            t[1] = t[0];
        }
    }
    clip_to_side(&s->surfaces[c->a], x, c->e, t);
    clip_to_side(&s->surfaces[c->b], x, c->e, t);
}

/* Straight pieces of a crease along the side of a capsule are creases too; their ends are corners,
 * though smooth ones. */
static ss_status add_pieces(grid *g, found *f, const ss_solid *s, const ss_crease *whole)
{
    ss_crease c = *whole;
    c.straight  = true;
    if (!ss_surface_straight_piece(&s->surfaces[c.a], &s->surfaces[c.b], &c.e)) {
        return SS_OK;
    }
    for (int32_t i = 0; i < whole->count; i++) {
        ss_vec3 x    = f->points[whole->first + i];
        double  t[2] = {-2 * s->size, 2 * s->size};
        clip_to_others(s, &c, x, t);
        if (!(t[0] < -SS_SAME_PLACE * s->size && t[1] > SS_SAME_PLACE * s->size) ||
            is_there(f, s, &c, x)) {
            continue;
        }
        c.first = f->point_count;
        for (c.count = 0; c.count < 2; c.count++) {
            ss_vec3 end = ss_axpy(x, t[c.count], c.e);
            SS_TRY(grow(&g->scratch, &f->points, f->point_count, &f->point_room, sizeof end));
            f->points[f->point_count++] = end;
            SS_TRY(add_corner(g, f, s, end));
        }
        SS_TRY(push_crease(g, f, &c));
    }
    return SS_OK;
}

static ss_status add_crease(grid *g, found *f, const ss_solid *s, int32_t root, const int32_t *next)
{
    int32_t from, to;
    ends_of(g, root, &from, &to);
    int32_t   p = g->surface[from], q = g->surface[to];
    ss_crease c    = {.a = p < q ? p : q, .b = p < q ? q : p, .first = f->point_count};
    c.straight     = ss_surface_straight_edge(&s->surfaces[c.a], &s->surfaces[c.b], &c.e);
    double spacing = 0.05 * extent_of(g, root, next);
    for (int32_t side = root; side >= 0; side = next[side]) {
        SS_TRY(add_crease_point(g, f, s, &c, side, spacing));
    }
    if (c.count == 0 || (c.straight && is_there(f, s, &c, f->points[c.first]))) {
        f->point_count = c.first;
        return SS_OK;
    }
    if (c.straight) {
        SS_TRY(straighten(g, f, s, &c));
        return push_crease(g, f, &c);
    }
    c.ellipse = ss_surface_ellipse(&s->surfaces[c.a], &s->surfaces[c.b], &c.c, &c.p, &c.q);
    put_in_order(f->points + c.first, c.count);
    SS_TRY(push_crease(g, f, &c));
    return add_pieces(g, f, s, &c);
}

/* Lists of the sides that belong together, each headed by its root. */
static ss_status find_creases(grid *g, found *f, const ss_solid *s)
{
    int32_t  sides = 3 * (g->rows + 1) * g->columns;
    int32_t *next  = ss_geom_memory(&g->scratch, (size_t)sides, sizeof *next);
    if (next == NULL) {
        return ss_fail(g->scratch.ctx, SS_ERR_MEMORY, "no memory for an intersection");
    }
    for (int32_t i = 0; i < sides; i++) {
        next[i] = -1;
    }
    for (int32_t i = sides - 1; i >= 0; i--) {
        int32_t root = root_of(g, i);
        if (root != i && is_crossed(g, i)) {
            next[i]    = next[root];
            next[root] = i;
        }
    }
    for (int32_t i = 0; i < sides; i++) {
        if (root_of(g, i) == i && is_crossed(g, i)) {
            SS_TRY(add_crease(g, f, s, i, next));
        }
    }
    return SS_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The surfaces that were met, in their order; the rays then speak of these. number: -1, not met. */
static void drop_unseen(const ss_solid *all, grid *g, ss_surface *surfaces, int32_t *number,
                        ss_solid *seen)
{
    int32_t rays        = (g->rows + 1) * g->columns;
    *seen               = *all;
    seen->surfaces      = surfaces;
    seen->surface_count = seen->curved_count = 0;
    for (int32_t i = 0; i < all->surface_count; i++) {
        number[i] = -1;
    }
    for (int32_t k = 0; k < rays; k++) {
        number[g->surface[k]] = 0;
    }
    for (int32_t i = 0; i < all->surface_count; i++) {
        if (number[i] == 0) {
            number[i] = seen->surface_count++;
            seen->curved_count += all->surfaces[i].kind != SS_SURFACE_PLANE;
            surfaces[number[i]] = all->surfaces[i];
        }
    }
    for (int32_t k = 0; k < rays; k++) {
        g->surface[k] = number[g->surface[k]];
    }
}

/* Does the surface cut off something of the solid after all? */
static bool cuts_off(const ss_solid *s, const grid *g, const ss_surface *surface)
{
    enum { MAX_CLIMB = 20 };
    ss_vec3 n, x = g->x[0];
    double  far = -INFINITY;
    for (int32_t i = 0; i < (g->rows + 1) * g->columns; i++) {
        double h = ss_surface_height(surface, g->x[i], &n);
        if (h > far) {
            far = h;
            x   = g->x[i];
        }
    }
    for (int i = 0; i < MAX_CLIMB; i++) {
        ss_surface_height(surface, x, &n);
        x = ss_solid_support(s, n).x;
    }
    return ss_surface_height(surface, x, &n) > SS_ON_TRACE * s->size;
}

static bool misses_something(const ss_solid *all, const int32_t *number, const ss_solid *seen,
                             const grid *g)
{
    for (int32_t i = 0; i < all->surface_count; i++) {
        if (number[i] < 0 && cuts_off(seen, g, &all->surfaces[i])) {
            return true;
        }
    }
    return false;
}

/* Of a sphere that holds the solid: between two rays it may reach a little further than there. */
static double far_reach(const grid *g, const found *f)
{
    double far = 0;
    for (int32_t i = 0; i < (g->rows + 1) * g->columns; i++) {
        far = fmax(far, ss_norm(g->x[i]));
    }
    for (int32_t i = 0; i < f->corner_count; i++) {
        far = fmax(far, ss_norm(f->corners[i]));
    }
    return 1.01 * far;
}

static ss_status find_features(grid *g, found *f, const ss_solid *s)
{
    if (s->dimension == 2) {
        return look_around(g, f, s);
    }
    SS_TRY(look_at_triangles(g, f, s));
    return find_creases(g, f, s);
}

/* One attempt with the rays cast; what is found stays in the grid's memory. */
static ss_status trace(const ss_solid *all, grid *g, ss_solid *s, found *f, bool *clear)
{
    size_t      n        = (size_t)all->surface_count;
    ss_surface *surfaces = ss_geom_memory(&g->scratch, n, sizeof *surfaces);
    int32_t    *number   = ss_geom_memory(&g->scratch, n, sizeof *number);
    if (surfaces == NULL || number == NULL) {
        return ss_fail(g->scratch.ctx, SS_ERR_MEMORY, "no memory for an intersection");
    }
    drop_unseen(all, g, surfaces, number, s);
    SS_TRY(find_features(g, f, s));
    s->corner_count  = f->corner_count;
    s->corners       = f->corners;
    s->crease_count  = f->crease_count;
    s->creases       = f->creases;
    s->crease_points = f->points;
    s->radius        = far_reach(g, f);
    *clear           = !f->unclear && !misses_something(all, number, s, g);
    return SS_OK;
}

static const void *kept(ss_geom_set *set, const void *items, int32_t count, size_t size)
{
    void *copy = ss_geom_memory(set, (size_t)count + 1, size);
    if (copy != NULL && count > 0) {
        memcpy(copy, items, (size_t)count * size);
    }
    return copy;
}

/* What was found, in memory that stays. */
static ss_status keep(ss_geom_set *set, const found *f, ss_solid *s)
{
    s->surfaces      = kept(set, s->surfaces, s->surface_count, sizeof *s->surfaces);
    s->corners       = kept(set, f->corners, f->corner_count, sizeof *f->corners);
    s->creases       = kept(set, f->creases, f->crease_count, sizeof *f->creases);
    s->crease_points = kept(set, f->points, f->point_count, sizeof *f->points);
    if (s->surfaces == NULL || s->corners == NULL || s->creases == NULL ||
        s->crease_points == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for an intersection");
    }
    return SS_OK;
}

ss_status ss_solid_trace(ss_geom_set *set, ss_solid *s)
{
    const ss_solid all = *s;
    for (int32_t rows = FIRST_ROWS; rows <= LAST_ROWS; rows *= 2) {
        grid      g;
        found     f     = {0};
        bool      clear = false;
        ss_status done  = cast_rays(set->ctx, &all, rows, &g);
        if (done == SS_OK) {
            done = trace(&all, &g, s, &f, &clear);
        }
        if (done == SS_OK && clear) {
            done = keep(set, &f, s);
        }
        ss_geom_free(&g.scratch);
        if (done != SS_OK || clear) {
            return done;
        }
    }
    return ss_fail(set->ctx, SS_ERR_INPUT,
                   "shape 'intersection': its parts leave an edge or a face smaller than about "
                   "1/%d of the whole, or surfaces that only touch along an edge; move them apart",
                   LAST_ROWS / 2);
}
