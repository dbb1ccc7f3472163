/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The intersection of convex shapes with flat faces: planes, boxes, hulls, convex polygons. It is
 * the polyhedron  n_i.x <= o_i  over the faces of all parts: its vertices are the points where
 * three (2D: two) face planes meet and no other cuts them off; the hull of these is the shape.
 */
#include "geom/field_table.h"
#include "geom/hull.h"

static const ss_field fields[] = {
    SS_PARTS_FIELD(
        "convex shapes with flat faces: plane, box, convex; 2D: halfplane, box, polygon"),
    SS_FIELD_END};

/* All triples of planes are tried. */
enum { MAX_FACES = 200 };
/* Planes closer to parallel than this do not meet; distances below this part of the size are 0. */
static const double parallel = 1e-9, rounding = 1e-9;

typedef struct half_spaces {
    ss_vec3 normal[MAX_FACES + 1]; /* and one more for the plane of a 2D drawing */
    double  offset[MAX_FACES + 1];
    int32_t count;
    double  size; /* of the largest bounded part */
} half_spaces;

static void add_plane(half_spaces *h, const ss_frame *at, ss_vec3 normal, double offset)
{
    ss_vec3 n             = ss_mul(&at->R, normal);
    h->normal[h->count]   = n;
    h->offset[h->count++] = offset + ss_dot(n, at->p);
}

static ss_status add_geom(ss_geom_set *set, half_spaces *h, const ss_geom *g)
{
    bool    plane = g->cls == &ss_shape_plane || g->cls == &ss_shape_halfplane;
    int32_t faces = plane ? 1 : g->poly != NULL ? g->poly->face_count : 0;
    if (faces == 0) {
        return ss_fail(set->ctx, SS_ERR_INPUT,
                       "shape 'intersection': a '%s' has no flat faces; parts may be plane, box, "
                       "convex (2D: halfplane, box, convex polygon)",
                       g->cls->name);
    }
    if (h->count + faces > MAX_FACES) {
        return ss_fail(set->ctx, SS_ERR_INPUT,
                       "shape 'intersection': its parts have more than %d faces together",
                       MAX_FACES);
    }
    if (plane) {
        add_plane(h, &g->local, g->params.plane.normal, g->params.plane.offset);
        return SS_OK;
    }
    for (int32_t f = 0; f < faces; f++) {
        add_plane(h, &g->local, g->poly->normals[f], g->poly->offsets[f]);
    }
    h->size = fmax(h->size, g->radius);
    return SS_OK;
}

/* The faces of a part, in the coordinates of the intersection. */
static ss_status add_part(ss_geom_set *set, half_spaces *h, const ss_shape_def *def)
{
    ss_geom_set part;
    SS_TRY(ss_geom_build(set->ctx, def, set->dimension, &part));
    ss_status done = part.count == 1
                         ? add_geom(set, h, &part.geoms[0])
                         : ss_fail(set->ctx, SS_ERR_INPUT,
                                   "shape 'intersection': part '%s' is not convex", def->type);
    ss_geom_free(&part);
    return done;
}

/* The point where three planes meet; false when they are parallel to a common line. */
static bool meeting_point(const half_spaces *h, int32_t i, int32_t j, int32_t k, ss_vec3 *x)
{
    ss_vec3 jk  = ss_cross(h->normal[j], h->normal[k]);
    double  det = ss_dot(h->normal[i], jk);
    if (fabs(det) <= parallel) {
        return false;
    }
    ss_vec3 ki = ss_cross(h->normal[k], h->normal[i]), ij = ss_cross(h->normal[i], h->normal[j]);
    *x = ss_scale(1 / det,
                  ss_axpy(ss_axpy(ss_scale(h->offset[i], jk), h->offset[j], ki), h->offset[k], ij));
    return true;
}

static bool inside(const half_spaces *h, ss_vec3 x)
{
    for (int32_t i = 0; i < h->count; i++) {
        if (ss_dot(h->normal[i], x) > h->offset[i] + rounding * h->size) {
            return false;
        }
    }
    return true;
}

typedef struct cloud {
    ss_vec3 *points;
    int32_t  count, capacity;
} cloud;

static ss_status add_point(ss_geom_set *set, cloud *c, ss_vec3 x, double tiny)
{
    for (int32_t i = 0; i < c->count; i++) {
        if (ss_norm(ss_sub(c->points[i], x)) <= tiny) {
            return SS_OK;
        }
    }
    if (c->count == c->capacity) {
        int32_t  wanted = c->capacity == 0 ? 64 : 2 * c->capacity;
        ss_vec3 *more   = ss_geom_memory(set, (size_t)wanted, sizeof *more);
        if (more == NULL) {
            return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for an intersection");
        }
        for (int32_t i = 0; i < c->count; i++) {
            more[i] = c->points[i];
        }
        c->points   = more;
        c->capacity = wanted;
    }
    c->points[c->count++] = x;
    return SS_OK;
}

/* In 2D the third plane is that of the drawing. */
static ss_status find_vertices(ss_geom_set *set, half_spaces *h, cloud *c)
{
    bool    flat = set->dimension == 2;
    int32_t n    = h->count;
    if (flat) {
        h->normal[n] = ss_v3(0, 0, 1);
        h->offset[n] = 0;
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = i + 1; j < n; j++) {
            for (int32_t k = flat ? n : j + 1; k < (flat ? n + 1 : n); k++) {
                ss_vec3 x;
                if (meeting_point(h, i, j, k, &x) && inside(h, x)) {
                    SS_TRY(add_point(set, c, x, 2 * rounding * h->size));
                }
            }
        }
    }
    return SS_OK;
}

static ss_status build(ss_geom_set *set, const ss_shape_def *def, const ss_frame *at)
{
    half_spaces         *h = ss_geom_memory(set, 1, sizeof *h);
    cloud                c = {0};
    const ss_polyhedron *poly;
    const char          *what = "shape 'intersection' (do its parts overlap?)";
    if (h == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for an intersection");
    }
    for (int32_t i = 0; i < def->part_count; i++) {
        SS_TRY(add_part(set, h, &def->parts[i]));
    }
    if (h->size == 0) {
        return ss_fail(set->ctx, SS_ERR_INPUT,
                       "shape 'intersection': at least one part must be bounded");
    }
    SS_TRY(find_vertices(set, h, &c));
    if (set->dimension == 2) {
        SS_TRY(ss_hull_build_2d(set, c.points, c.count, what, &poly));
        return ss_geom_add(set, &ss_shape_polygon, &def->params, at, poly);
    }
    SS_TRY(ss_hull_build(set, c.points, c.count, what, &poly));
    return ss_geom_add(set, &ss_shape_convex, &def->params, at, poly);
}

const ss_shape_class ss_shape_intersection = {
    .name = "intersection", .dimensions = 5, .fields = fields, .build = build};
