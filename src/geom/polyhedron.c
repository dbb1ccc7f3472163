/* SPDX-License-Identifier: Apache-2.0 */
/* Convex polyhedra (3D) and polygons (2D). */
#include "geom/polyhedron.h"

#include <stdlib.h>
#include <string.h>

#include "geom/mass.h"

/* Newell's normal: exact for planar faces, an average for nearly planar ones. */
static ss_vec3 face_normal(const ss_vec3 *vertices, const int32_t *v, int32_t n)
{
    ss_vec3 sum = {0, 0, 0}, o = vertices[v[0]];
    for (int32_t i = 1; i + 1 < n; i++) {
        sum = ss_add(sum, ss_cross(ss_sub(vertices[v[i]], o), ss_sub(vertices[v[i + 1]], o)));
    }
    return ss_unit(sum);
}

static double face_offset(const ss_vec3 *vertices, const int32_t *v, int32_t n, ss_vec3 normal)
{
    double far = -INFINITY; /* no vertex of the face lies outside its plane */
    for (int32_t i = 0; i < n; i++) {
        far = fmax(far, ss_dot(normal, vertices[v[i]]));
    }
    return far;
}

static ss_vec3 mean(const ss_vec3 *v, int32_t count)
{
    ss_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < count; i++) {
        sum = ss_axpy(sum, 1.0 / count, v[i]);
    }
    return sum;
}

static int32_t next_in_face(const ss_polyhedron *p, int32_t face, int32_t corner)
{
    return corner + 1 < p->face_start[face + 1] ? corner + 1 : p->face_start[face];
}

/* An edge as one face sees it. */
typedef struct half_edge {
    int32_t low, high, face;
    int32_t forward; /* the face runs from low to high */
} half_edge;

static int by_vertices(const void *a, const void *b)
{
    const half_edge *x = a, *y = b;
    if (x->low != y->low) {
        return x->low < y->low ? -1 : 1;
    }
    if (x->high != y->high) {
        return x->high < y->high ? -1 : 1;
    }
    return y->forward - x->forward;
}

static void list_half_edges(const ss_polyhedron *p, half_edge *list)
{
    for (int32_t f = 0; f < p->face_count; f++) {
        for (int32_t i = p->face_start[f]; i < p->face_start[f + 1]; i++) {
            int32_t from = p->face_vertices[i], to = p->face_vertices[next_in_face(p, f, i)];
            list[i] = (half_edge){from < to ? from : to, from < to ? to : from, f, from < to};
        }
    }
}

/*
 * Each edge once, from the lower to the higher vertex, with the face on its left first: sorted,
 * the two half edges of an edge are neighbours. False when the surface does not close.
 */
static bool find_edges(const ss_polyhedron *p, half_edge *list, int32_t *edges, int32_t *edge_count)
{
    int32_t corners = p->face_start[p->face_count];
    list_half_edges(p, list);
    qsort(list, (size_t)corners, sizeof *list, by_vertices);
    for (int32_t i = 0; i + 1 < corners; i += 2) {
        const half_edge *x = &list[i], *y = &list[i + 1];
        if (x->low != y->low || x->high != y->high || x->forward == y->forward ||
            (i + 2 < corners && by_vertices(y, &list[i + 2]) == 0)) {
            return false;
        }
        int32_t *e = edges + 2 * (size_t)i;
        e[0] = x->low, e[1] = x->high, e[2] = x->face, e[3] = y->face;
    }
    *edge_count = corners / 2;
    return corners % 2 == 0;
}

ss_status ss_polyhedron_make(ss_geom_set *set, const ss_vec3 *vertices, int32_t vertex_count,
                             const int32_t *face_start, const int32_t *face_vertices,
                             int32_t face_count, const ss_polyhedron **out)
{
    size_t         corners = (size_t)face_start[face_count];
    ss_polyhedron *p       = ss_geom_memory(set, 1, sizeof *p);
    ss_vec3       *v       = ss_geom_memory(set, (size_t)vertex_count, sizeof *v);
    ss_vec3       *normals = ss_geom_memory(set, (size_t)face_count, sizeof *normals);
    double        *offsets = ss_geom_memory(set, (size_t)face_count, sizeof *offsets);
    int32_t       *start   = ss_geom_memory(set, (size_t)face_count + 1, sizeof *start);
    int32_t       *fv      = ss_geom_memory(set, corners, sizeof *fv);
    int32_t       *edges   = ss_geom_memory(set, 2 * corners, sizeof *edges);
    half_edge     *list    = ss_alloc(set->ctx, corners, sizeof *list);
    if (p == NULL || v == NULL || normals == NULL || offsets == NULL || start == NULL ||
        fv == NULL || edges == NULL || list == NULL) {
        ss_free(set->ctx, list, corners * sizeof *list);
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for a polyhedron of %d faces",
                       face_count);
    }
    memcpy(v, vertices, (size_t)vertex_count * sizeof *v);
    memcpy(start, face_start, ((size_t)face_count + 1) * sizeof *start);
    memcpy(fv, face_vertices, corners * sizeof *fv);
    for (int32_t f = 0; f < face_count; f++) {
        int32_t n  = start[f + 1] - start[f];
        normals[f] = face_normal(v, fv + start[f], n);
        offsets[f] = face_offset(v, fv + start[f], n, normals[f]);
    }
    *p          = (ss_polyhedron){.vertex_count  = vertex_count,
                                  .face_count    = face_count,
                                  .centre        = mean(v, vertex_count),
                                  .vertices      = v,
                                  .normals       = normals,
                                  .offsets       = offsets,
                                  .face_start    = start,
                                  .face_vertices = fv,
                                  .edges         = edges};
    bool closed = find_edges(p, list, edges, &p->edge_count);
    ss_free(set->ctx, list, corners * sizeof *list);
    if (!closed) {
        return ss_fail(set->ctx, SS_ERR_INTERNAL, "the faces of a polyhedron do not close");
    }
    *out = p;
    return SS_OK;
}

ss_status ss_polygon_make(ss_geom_set *set, const ss_vec3 *vertices, int32_t count,
                          const ss_polyhedron **out)
{
    size_t         n       = (size_t)count;
    ss_polyhedron *p       = ss_geom_memory(set, 1, sizeof *p);
    ss_vec3       *v       = ss_geom_memory(set, n, sizeof *v);
    ss_vec3       *normals = ss_geom_memory(set, n, sizeof *normals);
    double        *offsets = ss_geom_memory(set, n, sizeof *offsets);
    int32_t       *start   = ss_geom_memory(set, n + 1, sizeof *start);
    int32_t       *fv      = ss_geom_memory(set, 2 * n, sizeof *fv);
    if (p == NULL || v == NULL || normals == NULL || offsets == NULL || start == NULL ||
        fv == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for a polygon of %d vertices", count);
    }
    for (int32_t i = 0; i < count; i++) {
        int32_t next  = (i + 1) % count;
        v[i]          = ss_v3(vertices[i].x, vertices[i].y, 0);
        ss_vec3 along = ss_sub(vertices[next], vertices[i]);
        normals[i]    = ss_unit(ss_v3(along.y, -along.x, 0));
        offsets[i]    = fmax(ss_dot(normals[i], vertices[i]), ss_dot(normals[i], vertices[next]));
        start[i]      = 2 * i;
        fv[2 * i] = i, fv[2 * i + 1] = next;
    }
    start[count] = 2 * count;
    *p           = (ss_polyhedron){.vertex_count  = count,
                                   .face_count    = count,
                                   .centre        = mean(v, count),
                                   .vertices      = v,
                                   .normals       = normals,
                                   .offsets       = offsets,
                                   .face_start    = start,
                                   .face_vertices = fv};
    *out         = p;
    return SS_OK;
}

void ss_polyhedron_bounds(const ss_geom *g, const ss_frame *f, ss_aabb *out)
{
    ss_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < g->poly->vertex_count; i++) {
        ss_vec3 x = ss_to_world(f, g->poly->vertices[i]);
        low       = ss_v3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high      = ss_v3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    out->low  = low;
    out->high = high;
}

ss_vec3 ss_polyhedron_support(const ss_geom *g, ss_vec3 d)
{
    const ss_polyhedron *p    = g->poly;
    int32_t              best = 0;
    double               far  = ss_dot(d, p->vertices[0]);
    for (int32_t i = 1; i < p->vertex_count; i++) {
        double x = ss_dot(d, p->vertices[i]);
        if (x > far) {
            far  = x;
            best = i;
        }
    }
    return p->vertices[best];
}

void ss_polyhedron_mass(const ss_geom *g, int dimension, ss_mass *out)
{
    *out = ss_mass_polyhedron(g->poly, dimension);
}

bool ss_polyhedron_over_face(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    int32_t first = p->face_start[f], last = p->face_start[f + 1] - 1;
    ss_vec3 from = p->vertices[p->face_vertices[last]];
    for (int32_t i = first; i <= last; i++) {
        ss_vec3 to = p->vertices[p->face_vertices[i]];
        if (ss_dot(ss_cross(ss_sub(to, from), p->normals[f]), ss_sub(x, from)) > 0) {
            return false;
        }
        from = to;
    }
    return true;
}
