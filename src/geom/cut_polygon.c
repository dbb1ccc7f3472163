/* SPDX-License-Identifier: Apache-2.0 */
/* Convex polygons and cells in space, cut by planes (Sutherland and Hodgman 1974). */
#include "geom/cut_polygon.h"

#include <stdlib.h>

#include "core/elementary.h"

int ss_polygon_side(const ss_cut_polygon *p, const ss_cut_plane *plane, double rounding)
{
    bool above = false, below = false;
    for (int32_t i = 0; i < p->count; i++) {
        double s = ss_height(plane, p->v[i]);
        above    = above || s > rounding;
        below    = below || s < -rounding;
    }
    return above && below ? 2 : above - below;
}

static ss_vec3 crossing(ss_vec3 a, ss_vec3 b, double height_a, double height_b)
{
    return ss_axpy(a, height_a / (height_a - height_b), ss_sub(b, a));
}

ss_status ss_polygon_below(ss_geom_set *set, const ss_cut_polygon *p, const ss_cut_plane *plane,
                           double rounding, ss_cut_polygon *out)
{
    int side = ss_polygon_side(p, plane, rounding);
    *out     = (ss_cut_polygon){.plane = p->plane};
    if (side != 2) {
        *out = side == -1 ? *p : *out;
        return SS_OK;
    }
    ss_vec3 *v = ss_geom_memory(set, (size_t)p->count + 2, sizeof *v);
    if (v == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory to cut a polygon");
    }
    int32_t n = 0;
    for (int32_t i = 0; i < p->count; i++) {
        ss_vec3 a = p->v[i], b = p->v[(i + 1) % p->count];
        double  s = ss_height(plane, a), t = ss_height(plane, b);
        if (s <= rounding) {
            v[n++] = a;
        }
        if ((s > rounding && t < -rounding) || (s < -rounding && t > rounding)) {
            v[n++] = crossing(a, b, s, t);
        }
    }
    *out = (ss_cut_polygon){v, n, p->plane};
    return SS_OK;
}

/* ---- cells ----------------------------------------------------------------------------------- */

typedef struct around {
    double  angle;
    ss_vec3 at;
} around;

static int by_angle(const void *a, const void *b)
{
    double x = ((const around *)a)->angle, y = ((const around *)b)->angle;
    return (x > y) - (x < y);
}

static bool has_point(const around *list, int32_t count, ss_vec3 x, double rounding)
{
    for (int32_t i = 0; i < count; i++) {
        if (ss_norm(ss_sub(list[i].at, x)) <= rounding) {
            return true;
        }
    }
    return false;
}

/* The corners of the faces that lie in the plane, each once; room for all corners. */
static int32_t points_in_plane(const ss_cut_polygon *faces, int32_t count,
                               const ss_cut_plane *plane, double rounding, around *list)
{
    int32_t n = 0;
    for (int32_t f = 0; f < count; f++) {
        for (int32_t i = 0; i < faces[f].count; i++) {
            ss_vec3 x = faces[f].v[i];
            if (fabs(ss_height(plane, x)) <= rounding && !has_point(list, n, x, rounding)) {
                list[n++].at = x;
            }
        }
    }
    return n;
}

/* Points of a plane in order round their middle, seen against the normal. */
static void sort_round(around *list, int32_t n, ss_vec3 normal)
{
    ss_vec3 middle = {0, 0, 0};
    for (int32_t i = 0; i < n; i++) {
        middle = ss_axpy(middle, 1.0 / n, list[i].at);
    }
    ss_vec3 e = ss_unit(ss_sub(list[0].at, middle)), f = ss_cross(normal, e);
    for (int32_t i = 0; i < n; i++) {
        ss_vec3 r     = ss_sub(list[i].at, middle);
        list[i].angle = i == 0 ? 0 : ss_atan2(ss_dot(f, r), ss_dot(e, r));
    }
    qsort(list, (size_t)n, sizeof *list, by_angle);
}

/* The face in the plane that closes the faces left below it; count 0 where there is none. */
static ss_status close_with_cap(ss_geom_set *set, const ss_cut_cell *c, const ss_cut_plane *plane,
                                double rounding, ss_cut_polygon *cap)
{
    size_t corners = 0;
    for (int32_t f = 0; f < c->count; f++) {
        corners += (size_t)c->faces[f].count;
    }
    around  *list = ss_geom_memory(set, corners, sizeof *list);
    ss_vec3 *v    = ss_geom_memory(set, corners, sizeof *v);
    if (list == NULL || v == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory to cut a solid");
    }
    int32_t n = points_in_plane(c->faces, c->count, plane, rounding, list);
    *cap      = (ss_cut_polygon){.v = v, .count = n < 3 ? 0 : n, .plane = -1};
    if (n >= 3) {
        sort_round(list, n, plane->normal);
    }
    for (int32_t i = 0; i < n; i++) {
        v[i] = list[i].at;
    }
    return SS_OK;
}

static ss_status room_for(ss_geom_set *set, int32_t faces, ss_cut_cell *out)
{
    out->count  = 0;
    out->faces  = ss_geom_memory(set, (size_t)faces, sizeof *out->faces);
    out->planes = ss_geom_memory(set, (size_t)faces, sizeof *out->planes);
    return out->faces == NULL || out->planes == NULL
               ? ss_fail(set->ctx, SS_ERR_MEMORY, "no memory to cut a solid")
               : SS_OK;
}

ss_status ss_cell_below(ss_geom_set *set, const ss_cut_cell *c, const ss_cut_plane *plane,
                        double rounding, ss_cut_cell *out)
{
    bool above = false, below = false;
    for (int32_t f = 0; f < c->count; f++) {
        int side = ss_polygon_side(&c->faces[f], plane, rounding);
        above    = above || side > 0;
        below    = below || side == -1 || side == 2;
    }
    if (!above || !below) {
        *out = below ? *c : (ss_cut_cell){.count = 0};
        return SS_OK;
    }
    SS_TRY(room_for(set, c->count + 1, out));
    for (int32_t f = 0; f < c->count; f++) {
        ss_cut_polygon left;
        SS_TRY(ss_polygon_below(set, &c->faces[f], plane, rounding, &left));
        if (left.count >= 3) {
            out->planes[out->count]  = c->planes[f];
            out->faces[out->count++] = left;
        }
    }
    ss_cut_polygon cap;
    SS_TRY(close_with_cap(set, out, plane, rounding, &cap));
    if (cap.count == 0) { /* the plane touches an edge or a corner only */
        out->count = 0;
        return SS_OK;
    }
    out->planes[out->count]  = *plane;
    out->faces[out->count++] = cap;
    return SS_OK;
}

ss_status ss_cell_of(ss_geom_set *set, const ss_polyhedron *p, ss_cut_cell *out)
{
    SS_TRY(room_for(set, p->face_count, out));
    ss_vec3 *v = ss_geom_memory(set, (size_t)p->face_start[p->face_count], sizeof *v);
    if (v == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory to cut a solid");
    }
    for (int32_t f = 0; f < p->face_count; f++) {
        for (int32_t i = p->face_start[f]; i < p->face_start[f + 1]; i++) {
            v[i] = p->vertices[p->face_vertices[i]];
        }
        out->faces[f] =
            (ss_cut_polygon){v + p->face_start[f], p->face_start[f + 1] - p->face_start[f], -1};
        out->planes[f] = (ss_cut_plane){p->normals[f], p->offsets[f]};
    }
    out->count = p->face_count;
    return SS_OK;
}

double ss_cell_exit(const ss_cut_cell *c, const ss_cut_polygon *p, ss_vec3 direction)
{
    double nearest = INFINITY;
    for (int32_t f = 0; f < c->count; f++) {
        double rate = ss_dot(c->planes[f].normal, direction), far = -INFINITY;
        for (int32_t i = 0; rate > 0 && i < p->count; i++) {
            far = fmax(far, -ss_height(&c->planes[f], p->v[i]) / rate);
        }
        nearest = rate > 0 ? fmin(nearest, far) : nearest;
    }
    return fmax(nearest, 0);
}
