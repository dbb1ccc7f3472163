/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See neighbour.h. Let n.x = o be the plane of a face of Q, in coordinates of P, and
 * far = max n.v - o over the corners v of P:
 *
 *   onward   |far| = 0, and no face of P has the normal n
 *   flush    |far| = 0, and one has
 *   rising   far > 0, and n.v = o for a corner of P
 *
 * to what cutting leaves. Offsets of the first two become max n.v itself, so that their distance is
 * exact for P. The faces follow those of P in its arrays, in this order.
 */
#include "geom/neighbour.h"

#include <math.h>
#include <string.h>

#include "geom/seam.h"
#include "geom/tolerances.h"

typedef enum kind { ONWARD, FLUSH, RISING, APART } kind;

/* The piece p, and where its arrays go on. */
typedef struct growing {
    ss_polyhedron *p;
    ss_vec3       *vertices, *normals;
    double        *offsets;
    int32_t       *face_start, *face_vertices, *face_ids;
    int32_t        faces, corners, sides; /* so far; corners: vertices, sides: face_vertices */
} growing;

/* Two pieces, and the rounding of their body. */
typedef struct meeting {
    const ss_geom *p, *q;
    double         rounding;
} meeting;

static ss_vec3 normal_seen(const meeting *m, int32_t g)
{
    return ss_tmul(&m->p->local.R, ss_mul(&m->q->local.R, m->q->poly->normals[g]));
}

static ss_vec3 corner_seen(const meeting *m, int32_t v)
{
    return ss_to_body(&m->p->local, ss_to_world(&m->q->local, m->q->poly->vertices[v]));
}

/* How far p rises along n. */
static double furthest(const ss_polyhedron *p, ss_vec3 n)
{
    double far = -INFINITY;
    for (int32_t i = 0; i < p->vertex_count; i++) {
        far = fmax(far, ss_dot(n, p->vertices[i]));
    }
    return far;
}

static bool has_corner_in(const ss_polyhedron *p, ss_vec3 n, double o, double rounding)
{
    for (int32_t i = 0; i < p->vertex_count; i++) {
        if (fabs(ss_dot(n, p->vertices[i]) - o) <= rounding) {
            return true;
        }
    }
    return false;
}

static bool has_direction(const ss_vec3 *normals, int32_t count, ss_vec3 n)
{
    for (int32_t f = 0; f < count; f++) {
        if (ss_dot(normals[f], n) > 0 && ss_norm(ss_cross(normals[f], n)) <= SS_PLANES_PARALLEL) {
            return true;
        }
    }
    return false;
}

static kind kind_of(const meeting *m, int32_t g)
{
    const ss_polyhedron *p = m->p->poly, *q = m->q->poly;
    if (q->face_ids != NULL && q->face_ids[g] < 0) {
        return APART; /* a cut is no surface */
    }
    ss_vec3 n   = normal_seen(m, g);
    double  o   = ss_dot(n, corner_seen(m, q->face_vertices[q->face_start[g]]));
    double  far = furthest(p, n) - o;
    if (fabs(far) <= m->rounding) {
        return has_direction(p->normals, p->face_count, n) ? FLUSH : ONWARD;
    }
    return far > 0 && has_corner_in(p, n, o, m->rounding) ? RISING : APART;
}

static ss_status make_room(ss_geom_set *set, const ss_polyhedron *p, int32_t faces, int32_t sides,
                           growing *out)
{
    size_t f = (size_t)p->face_count + (size_t)faces;
    size_t s = (size_t)p->face_start[p->face_count] + (size_t)sides;
    *out     = (growing){
            .faces = p->face_count, .corners = p->vertex_count, .sides = p->face_start[p->face_count]};
    out->p          = ss_geom_memory(set, 1, sizeof *out->p);
    out->vertices   = ss_geom_memory(set, (size_t)p->vertex_count + (size_t)sides, sizeof(ss_vec3));
    out->normals    = ss_geom_memory(set, f, sizeof(ss_vec3));
    out->offsets    = ss_geom_memory(set, f, sizeof(double));
    out->face_ids   = ss_geom_memory(set, f, sizeof(int32_t));
    out->face_start = ss_geom_memory(set, f + 1, sizeof(int32_t));
    out->face_vertices = ss_geom_memory(set, s, sizeof(int32_t));
    if (out->p == NULL || out->vertices == NULL || out->normals == NULL || out->offsets == NULL ||
        out->face_ids == NULL || out->face_start == NULL || out->face_vertices == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for the neighbours of a piece");
    }
    return SS_OK;
}

static void copy_faces(const ss_polyhedron *p, growing *out)
{
    size_t faces = (size_t)p->face_count;
    memcpy(out->vertices, p->vertices, (size_t)p->vertex_count * sizeof *out->vertices);
    memcpy(out->normals, p->normals, faces * sizeof *out->normals);
    memcpy(out->offsets, p->offsets, faces * sizeof *out->offsets);
    memcpy(out->face_start, p->face_start, (faces + 1) * sizeof *out->face_start);
    memcpy(out->face_vertices, p->face_vertices, (size_t)out->sides * sizeof *out->face_vertices);
    for (int32_t f = 0; f < p->face_count; f++) {
        out->face_ids[f] = p->face_ids == NULL ? f : p->face_ids[f];
    }
    *out->p = *p;
}

/* Face g of q becomes the next face of p. Where faces of p are numbered by itself, so is this. */
static void append(const meeting *m, int32_t g, kind as, growing *out)
{
    const ss_polyhedron *p = m->p->poly, *q = m->q->poly;
    int32_t              f  = out->faces++;
    bool                 of = p->face_ids != NULL && q->face_ids != NULL;
    ss_vec3              n  = normal_seen(m, g);
    out->normals[f]         = n;
    out->offsets[f]  = as == RISING ? ss_dot(n, corner_seen(m, q->face_vertices[q->face_start[g]]))
                                    : furthest(p, n);
    out->face_ids[f] = of ? q->face_ids[g] : f;
    for (int32_t i = q->face_start[g]; i < q->face_start[g + 1]; i++) {
        out->vertices[out->corners]      = corner_seen(m, q->face_vertices[i]);
        out->face_vertices[out->sides++] = out->corners++;
    }
    out->face_start[f + 1] = out->sides;
}

/* Count the faces of this kind that are neighbours of piece i or, once there is room, append them.
 */
static void visit(const ss_geom_set *set, int32_t i, const ss_aabb *boxes, kind wanted,
                  growing *made, int32_t *faces, int32_t *sides)
{
    meeting m = {.p = &set->geoms[i], .rounding = SS_CUT_ROUNDING * set->size};
    for (int32_t j = 0; j < set->count; j++) {
        m.q = &set->geoms[j];
        if (j == i || m.q->poly == NULL || !ss_boxes_meet(&boxes[i], &boxes[j], m.rounding)) {
            continue;
        }
        for (int32_t g = 0; g < m.q->poly->face_count; g++) {
            bool is = kind_of(&m, g) == wanted;
            if (is && made != NULL) {
                append(&m, g, wanted, made);
            }
            *faces += is;
            *sides += is ? m.q->poly->face_start[g + 1] - m.q->poly->face_start[g] : 0;
        }
    }
}

static ss_status find(ss_geom_set *set, int32_t i, const ss_aabb *boxes, const ss_polyhedron **out)
{
    const ss_polyhedron *p     = set->geoms[i].poly;
    int32_t              faces = 0, sides = 0;
    growing              made;
    for (kind k = ONWARD; k < APART; k++) {
        visit(set, i, boxes, k, NULL, &faces, &sides);
    }
    if (faces == 0) {
        return SS_OK;
    }
    SS_TRY(make_room(set, p, faces, sides, &made));
    copy_faces(p, &made);
    int32_t ends[APART];
    for (kind k = ONWARD; k < APART; k++) {
        visit(set, i, boxes, k, &made, &faces, &sides);
        ends[k] = made.faces;
    }
    made.p->vertices      = made.vertices;
    made.p->normals       = made.normals;
    made.p->offsets       = made.offsets;
    made.p->face_start    = made.face_start;
    made.p->face_vertices = made.face_vertices;
    made.p->face_ids      = p->face_ids == NULL ? NULL : made.face_ids;
    made.p->neighbours =
        (ss_joined_faces){ends[ONWARD], ends[FLUSH], ends[RISING], SS_CUT_ROUNDING * set->size};
    *out = made.p;
    return SS_OK;
}

ss_status ss_find_neighbours(ss_geom_set *set, const ss_aabb *boxes)
{
    for (int32_t i = 0; i < set->count; i++) {
        if (set->geoms[i].poly != NULL) {
            SS_TRY(find(set, i, boxes, &set->geoms[i].poly));
        }
    }
    return SS_OK;
}
