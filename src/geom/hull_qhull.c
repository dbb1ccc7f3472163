/* SPDX-License-Identifier: Apache-2.0 */
/* Convex hulls in space by qhull (its reentrant library), which merges coplanar facets itself. */
#include "geom/hull.h"

#ifdef SS_HAVE_QHULL

#include <stdio.h>
#include <stdlib.h>

#include <libqhull_r/qhull_ra.h>

typedef struct hull {
    ss_geom_set   *set;
    const ss_vec3 *points;
    int32_t        point_count;
    int32_t        face_count, corner_count;
    int32_t       *place; /* (point_count) number of the point among the vertices, or -1 */
    ss_vec3       *vertices;
    int32_t        vertex_count;
    int32_t       *start, *corners;
} hull;

/* Number the points that are vertices, in the order of the points. */
static void number_vertices(qhT *qh, hull *h)
{
    vertexT *vertex;
    for (int32_t i = 0; i < h->point_count; i++) {
        h->place[i] = -1;
    }
    FORALLvertices
    {
        h->place[qh_pointid(qh, vertex->point)] = 0;
    }
    h->vertex_count = 0;
    for (int32_t i = 0; i < h->point_count; i++) {
        if (h->place[i] == 0) {
            h->place[i]                    = h->vertex_count;
            h->vertices[h->vertex_count++] = h->points[i];
        }
    }
}

/* Start the face at its lowest vertex, counter-clockwise from outside. */
static void store_face(hull *h, const int32_t *ring, int32_t n, ss_vec3 outward)
{
    ss_vec3 o = h->vertices[ring[0]], area = {0, 0, 0};
    int32_t lowest = 0;
    for (int32_t i = 1; i < n; i++) {
        lowest = ring[i] < ring[lowest] ? i : lowest;
        area   = ss_add(area, ss_cross(ss_sub(h->vertices[ring[i]], o),
                                       ss_sub(h->vertices[ring[(i + 1) % n]], o)));
    }
    int32_t step = ss_dot(area, outward) >= 0 ? 1 : n - 1;
    for (int32_t i = 0, at = lowest; i < n; i++, at = (at + step) % n) {
        h->corners[h->corner_count++] = ring[at];
    }
    h->start[++h->face_count] = h->corner_count;
}

static void read_facets(qhT *qh, hull *h, int32_t *ring)
{
    facetT  *facet;
    vertexT *vertex, **vertexp;
    h->start[0] = h->face_count = h->corner_count = 0;
    FORALLfacets
    {
        setT   *around = qh_facet3vertex(qh, facet);
        int32_t n      = 0;
        FOREACHvertex_(around)
        {
            ring[n++] = h->place[qh_pointid(qh, vertex->point)];
        }
        qh_settempfree(qh, &around);
        store_face(h, ring, n, ss_v3(facet->normal[0], facet->normal[1], facet->normal[2]));
    }
}

/* Faces in the order of their vertices, whatever order qhull found them in. */
typedef struct face_key {
    const int32_t *corners;
    int32_t        count;
} face_key;

static int by_corners(const void *a, const void *b)
{
    const face_key *x = a, *y = b;
    for (int32_t i = 0; i < x->count && i < y->count; i++) {
        if (x->corners[i] != y->corners[i]) {
            return x->corners[i] < y->corners[i] ? -1 : 1;
        }
    }
    return (x->count > y->count) - (x->count < y->count);
}

static ss_status make_sorted(hull *h, const ss_polyhedron **out)
{
    face_key *keys    = ss_geom_memory(h->set, (size_t)h->face_count, sizeof *keys);
    int32_t  *start   = ss_geom_memory(h->set, (size_t)h->face_count + 1, sizeof *start);
    int32_t  *corners = ss_geom_memory(h->set, (size_t)h->corner_count, sizeof *corners);
    if (keys == NULL || start == NULL || corners == NULL) {
        return ss_fail(h->set->ctx, SS_ERR_MEMORY, "no memory for a hull");
    }
    for (int32_t f = 0; f < h->face_count; f++) {
        keys[f] = (face_key){h->corners + h->start[f], h->start[f + 1] - h->start[f]};
    }
    qsort(keys, (size_t)h->face_count, sizeof *keys, by_corners);
    int32_t n = 0;
    for (int32_t f = 0; f < h->face_count; f++) {
        for (int32_t i = 0; i < keys[f].count; i++) {
            corners[n++] = keys[f].corners[i];
        }
        start[f + 1] = n;
    }
    return ss_polyhedron_make(h->set, h->vertices, h->vertex_count, start, corners, h->face_count,
                              out);
}

static ss_status collect(qhT *qh, hull *h, const ss_polyhedron **out)
{
    facetT *facet;
    size_t  faces = 0, corners = 0;
    FORALLfacets
    {
        faces++;
        corners += (size_t)qh_setsize(qh, facet->vertices);
    }
    int32_t *ring = ss_geom_memory(h->set, corners, sizeof *ring);
    h->start      = ss_geom_memory(h->set, faces + 1, sizeof *h->start);
    h->corners    = ss_geom_memory(h->set, corners, sizeof *h->corners);
    h->place      = ss_geom_memory(h->set, (size_t)h->point_count, sizeof *h->place);
    h->vertices   = ss_geom_memory(h->set, (size_t)h->point_count, sizeof *h->vertices);
    if (ring == NULL || h->start == NULL || h->corners == NULL || h->place == NULL ||
        h->vertices == NULL) {
        return ss_fail(h->set->ctx, SS_ERR_MEMORY, "no memory for a hull");
    }
    number_vertices(qh, h);
    read_facets(qh, h, ring);
    return make_sorted(h, out);
}

static ss_status run_qhull(hull *h, coordT *flat, FILE *sink, const char *what,
                           const ss_polyhedron **out)
{
    qhT       qh;
    int       left = 0, left_bytes = 0;
    char      command[] = "qhull Pp";
    ss_status done;
    QHULL_LIB_CHECK
    qh_zero(&qh, sink);
    int error = qh_new_qhull(&qh, 3, h->point_count, flat, False, command, sink, sink);
    if (error == qh_ERRmem) {
        done = ss_fail(h->set->ctx, SS_ERR_MEMORY, "%s: no memory for the hull of its %d points",
                       what, h->point_count);
    } else if (error != qh_ERRnone) {
        done = ss_fail(h->set->ctx, SS_ERR_INPUT,
                       "%s: its %d points span no volume (flat, or too few that differ)", what,
                       h->point_count);
    } else {
        done = collect(&qh, h, out);
    }
    qh_freeqhull(&qh, !qh_ALL);
    qh_memfreeshort(&qh, &left, &left_bytes);
    return done;
}

ss_status ss_hull_build(ss_geom_set *set, const ss_vec3 *points, int32_t count, const char *what,
                        const ss_polyhedron **out)
{
    hull    h    = {.set = set, .points = points, .point_count = count};
    coordT *flat = ss_alloc(set->ctx, 3 * (size_t)count, sizeof *flat);
    FILE   *sink = fopen("/dev/null", "w"); /* qhull writes its complaints to a file */
    if (count < 4 || flat == NULL || sink == NULL) {
        ss_free(set->ctx, flat, 3 * (size_t)count * sizeof *flat);
        if (sink != NULL) {
            fclose(sink);
        }
        return count < 4 ? ss_fail(set->ctx, SS_ERR_INPUT,
                                   "%s: a hull needs at least 4 points, "
                                   "got %d",
                                   what, count)
                         : ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for a hull");
    }
    for (int32_t i = 0; i < count; i++) {
        flat[3 * i]     = points[i].x;
        flat[3 * i + 1] = points[i].y;
        flat[3 * i + 2] = points[i].z;
    }
    ss_status done = run_qhull(&h, flat, sink, what, out);
    fclose(sink);
    ss_free(set->ctx, flat, 3 * (size_t)count * sizeof *flat);
    return done;
}

#else

ss_status ss_hull_build(ss_geom_set *set, const ss_vec3 *points, int32_t count, const char *what,
                        const ss_polyhedron **out)
{
    (void)points;
    (void)count;
    (void)out;
    return ss_fail(set->ctx, SS_ERR_UNSUPPORTED,
                   "%s: this build has no qhull (configure with SS_WITH_QHULL=ON)", what);
}

#endif
