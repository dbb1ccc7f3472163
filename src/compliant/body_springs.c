/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contact: patch, a polyhedron (2D: a polygon) over a plane. All of its surface has springs, each
 * with its place in the body and its share of the stiffness for good, so that
 *
 *   V(q) = 1/2 sum K_i max(0, -psi_i(q))^2
 *
 * is a function of where the body is, whichever faces or edges it lands on or tips over: no choice
 * of a patch, and nothing that changes hands while it is pressed.
 *
 * A face is cut into the triangles between its middle and its sides, each of these into n^2 alike,
 * and springs stand at the corners of the pieces. With a_s the part of the face that belongs to the
 * triangle at side s, a third of each piece for each of its corners is
 *
 *   corner between sides s - 1 and s   (a_s-1 + a_s)/3n^2      spoke to it    (a_s-1 + a_s)/n^2
 *   on side s                                     a_s/n^2      in triangle s           2 a_s/n^2
 *   in the middle                                  1/3n^2
 *
 * Springs on edges and at vertices belong to several faces: they have the least of their shares,
 * and the springs within a face have all that is left, in proportion. So each face that lies flat
 * has the stiffness K of the whole patch, and faces alike (of a box) share as above.
 *
 * In the plane edges are cut into n pieces: 1/2n at corners, 1/n between.
 */
#include <math.h>

#include "collide/feature.h"
#include "compliant/compliant.h"
#include "core/compare.h"
#include "dynamics/stages.h"

typedef struct over_plane {
    const ss_polyhedron *p;
    const ss_frame      *at; /* of the body's shape                      */
    ss_contact           c;  /* like all of them: shapes, normal         */
    double               offset, reach;
    int32_t              n;
    double              *corner, *edge; /* shares */
    ss_data             *d;
} over_plane;

bool ss_has_body_springs(const ss_model *m, int32_t plane, int32_t body, const ss_compliance *gives)
{
    const ss_geom *g = &m->geoms[body];
    return isinf(m->geoms[plane].radius) && g->poly != NULL && g->poly->vertex_ids == NULL &&
           gives->spread == 0;
}

static void put_spring(const over_plane *o, uint32_t name, int32_t number, ss_vec3 x, double share)
{
    const uint32_t   spread = 2654435761u; /* numbers become names far from each other */
    ss_contact_list *list   = &o->d->contacts;
    ss_contact       c      = o->c;
    c.point_b               = ss_to_world(o->at, x);
    c.gap                   = ss_dot(c.normal, c.point_b) - o->offset;
    c.point_a               = ss_axpy(c.point_b, -c.gap, c.normal);
    c.feature_b             = name ^ ((uint32_t)number * spread);
    c.share                 = share;
    if (c.gap > o->reach) {
        return;
    }
    if (list->count < list->capacity) {
        list->items[list->count] = c;
    }
    list->count++;
}

/* ---- a face ---------------------------------------------------------------------------------- */

typedef struct face {
    const int32_t *vertex;
    int32_t        count;
    ss_vec3        middle;
    double         area;
} face;

static ss_vec3 corner_of(const over_plane *o, const face *f, int32_t s)
{
    return o->p->vertices[f->vertex[s % f->count]];
}

static double part_at(const over_plane *o, const face *f, int32_t s)
{
    ss_vec3 a = ss_sub(corner_of(o, f, s), f->middle),
            b = ss_sub(corner_of(o, f, s + 1), f->middle);
    return 0.5 * ss_norm(ss_cross(a, b)) / f->area;
}

static face face_of(const over_plane *o, int32_t number)
{
    int32_t first = o->p->face_start[number];
    face    f     = {.vertex = o->p->face_vertices + first,
                     .count  = o->p->face_start[number + 1] - first,
                     .area   = 1};
    for (int32_t s = 0; s < f.count; s++) {
        f.middle = ss_axpy(f.middle, 1.0 / f.count, corner_of(o, &f, s));
    }
    double whole = 0;
    for (int32_t s = 0; s < f.count; s++) {
        whole += part_at(o, &f, s);
    }
    f.area = whole;
    return f;
}

static int32_t edge_between(const ss_polyhedron *p, int32_t v, int32_t w)
{
    int32_t low = v < w ? v : w, high = v < w ? w : v, e = 0;
    while (e < p->edge_count && (p->edges[4 * e] != low || p->edges[4 * e + 1] != high)) {
        e++;
    }
    return e;
}

static double share_at_corner(const over_plane *o, const face *f, int32_t s)
{
    double parts = part_at(o, f, s) + part_at(o, f, s + f->count - 1);
    return parts / (3.0 * o->n * o->n);
}

static double share_on_side(const over_plane *o, const face *f, int32_t s)
{
    return part_at(o, f, s) / ((double)o->n * o->n);
}

static int32_t side_of(const over_plane *o, const face *f, int32_t s)
{
    return edge_between(o->p, f->vertex[s], f->vertex[(s + 1) % f->count]);
}

/* Vertices and edges: the least of their shares. */
static void share_borders(const over_plane *o)
{
    for (int32_t i = 0; i < o->p->vertex_count; i++) {
        o->corner[i] = INFINITY;
    }
    for (int32_t e = 0; e <= o->p->edge_count; e++) {
        o->edge[e] = INFINITY;
    }
    for (int32_t k = 0; k < o->p->face_count; k++) {
        face f = face_of(o, k);
        for (int32_t s = 0; s < f.count; s++) {
            double *corner = &o->corner[f.vertex[s]], *edge = &o->edge[side_of(o, &f, s)];
            *corner = ss_min(*corner, share_at_corner(o, &f, s));
            *edge   = ss_min(*edge, share_on_side(o, &f, s));
        }
    }
}

/* What springs within a face have of its stiffness, over what they would have by the rule above. */
static double left_within(const over_plane *o, const face *f)
{
    double least = 0, own = 0;
    for (int32_t s = 0; s < f->count; s++) {
        least += o->corner[f->vertex[s]] + (o->n - 1) * o->edge[side_of(o, f, s)];
        own += share_at_corner(o, f, s) + (o->n - 1) * share_on_side(o, f, s);
    }
    return (1 - least) / (1 - own);
}

static bool in_reach(const over_plane *o, ss_vec3 x)
{
    return ss_dot(o->c.normal, ss_to_world(o->at, x)) - o->offset <= o->reach;
}

static void put_within_face(const over_plane *o, int32_t number)
{
    face    f    = face_of(o, number);
    double  left = left_within(o, &f) / ((double)o->n * o->n);
    int32_t at   = 0;
    bool    near = false;
    for (int32_t s = 0; s < f.count; s++) {
        near = near || in_reach(o, corner_of(o, &f, s)); /* nothing of it is lower */
    }
    if (!near) {
        return;
    }
    put_spring(o, ss_feature(SS_FEATURE_FACE, number), ++at, f.middle, left / 3);
    for (int32_t s = 0; s < f.count; s++) {
        ss_vec3 to  = ss_sub(corner_of(o, &f, s), f.middle),
                on  = ss_sub(corner_of(o, &f, s + 1), f.middle);
        double here = part_at(o, &f, s), before = part_at(o, &f, s + f.count - 1);
        for (int32_t i = 1; i < o->n; i++) {
            for (int32_t j = 0; i + j < o->n; j++) {
                ss_vec3 x = ss_axpy(ss_axpy(f.middle, (double)i / o->n, to), (double)j / o->n, on);
                put_spring(o, ss_feature(SS_FEATURE_FACE, number), ++at, x,
                           left * (j == 0 ? before + here : 2 * here));
            }
        }
    }
}

/* ---- a body ---------------------------------------------------------------------------------- */

static void put_between(const over_plane *o, uint32_t name, ss_vec3 from, ss_vec3 to, double share)
{
    for (int32_t i = 1; i < o->n; i++) {
        put_spring(o, name, i, ss_axpy(from, (double)i / o->n, ss_sub(to, from)), share);
    }
}

static void springs_in_plane(const over_plane *o)
{
    const ss_polyhedron *p = o->p;
    for (int32_t i = 0; i < p->vertex_count; i++) {
        ss_vec3 next = p->vertices[i + 1 < p->vertex_count ? i + 1 : 0];
        put_spring(o, ss_vertex_feature(p, i), 0, p->vertices[i], 0.5 / o->n);
        put_between(o, ss_feature(SS_FEATURE_FACE, i), p->vertices[i], next, 1.0 / o->n);
    }
}

static void springs_in_space(const over_plane *o)
{
    const ss_polyhedron *p = o->p;
    share_borders(o);
    for (int32_t i = 0; i < p->vertex_count; i++) {
        put_spring(o, ss_vertex_feature(p, i), 0, p->vertices[i], o->corner[i]);
    }
    for (int32_t e = 0; e < p->edge_count; e++) {
        put_between(o, ss_feature(SS_FEATURE_EDGE, e), p->vertices[p->edges[4 * e]],
                    p->vertices[p->edges[4 * e + 1]], o->edge[e]);
    }
    for (int32_t k = 0; k < p->face_count; k++) {
        put_within_face(o, k);
    }
}

ss_status ss_body_springs(const ss_model *m, ss_data *d, const ss_contact *like, double reach,
                          int32_t pieces)
{
    size_t         mark = ss_arena_mark(&d->scratch);
    const ss_geom *g    = &m->geoms[like->geom_b];
    over_plane     o    = {.p      = g->poly,
                           .at     = ss_met_geom_frame(m, d, like->geom_b, like->geom_a),
                           .c      = *like,
                           .offset = ss_dot(like->normal, like->point_a),
                           .reach  = reach,
                           .n      = m->dimension == 2 && pieces < 2 ? 2 : pieces,
                           .d      = d};
    o.corner = ss_arena_alloc(&d->scratch, (size_t)g->poly->vertex_count, sizeof *o.corner);
    o.edge   = ss_arena_alloc(&d->scratch, (size_t)g->poly->edge_count + 1, sizeof *o.edge);
    if (o.corner == NULL || o.edge == NULL) {
        return SS_ERR_SCRATCH;
    }
    if (m->dimension == 2) {
        springs_in_plane(&o);
    } else {
        springs_in_space(&o);
    }
    ss_arena_release(&d->scratch, mark);
    return SS_OK;
}
