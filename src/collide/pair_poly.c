/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convex polyhedron against convex polyhedron.
 *
 * Separating direction: the largest separation over the face normals of both and over the cross
 * products of the edge pairs whose arcs cross on the Gauss map (only these can be faces of the
 * Minkowski difference). The same direction serves bodies that are apart, touching or overlapping,
 * so the contacts do not change when a gap passes through zero.
 *
 * Face case, face F of the reference body and the face G of the other that looks most against it:
 * the corners of the patch in which they overlap (patch.c), and every other vertex of either body
 * over F or G that is in reach.
 *
 * Edge case: the pair of edges with normal e x e', and the corners of the patch of the best faces
 * that are in reach as well.
 */
#include "collide/feature.h"
#include "collide/pairs.h"
#include "collide/patch.h"
#include "geom/geom.h"

/* Directions closer to parallel than this have no cross product worth having. */
static const double parallel = 1e-9;
/* Lengths below this part of the smaller body's size are rounding, not geometry. */
static const double rounding = 1e-9;

/* Reference body r and the other one o; directions are searched in the frame of r. */
typedef struct view {
    const ss_polyhedron *r, *o;
    const ss_geom       *other;
    ss_frame             pose;        /* of o in the frame of r */
    const ss_frame      *at_r, *at_o; /* in the world           */
} view;

/* The face of r with the largest separation from o. */
static int32_t best_face(const view *s, double *separation)
{
    int32_t best = 0;
    double  far  = -INFINITY;
    for (int32_t f = 0; f < s->r->face_count; f++) {
        ss_vec3 n = s->r->normals[f], d = ss_tmul(&s->pose.R, n);
        ss_vec3 v   = s->other->cls->support(s->other, ss_neg(d));
        double  sep = ss_dot(d, v) + ss_dot(n, s->pose.p) - s->r->offsets[f];
        if (sep > far) {
            far  = sep;
            best = f;
        }
    }
    *separation = far;
    return best;
}

/* The face of o that looks most against n (frame of r). */
static int32_t facing_face(const view *s, ss_vec3 n)
{
    ss_vec3 d    = ss_tmul(&s->pose.R, n);
    int32_t best = 0;
    double  low  = INFINITY;
    for (int32_t f = 0; f < s->o->face_count; f++) {
        double x = ss_dot(d, s->o->normals[f]);
        if (x < low) {
            low  = x;
            best = f;
        }
    }
    return best;
}

/* ---- edge pairs ---------------------------------------------------------------------------- */

typedef struct edge_pair {
    int32_t er, eo;
    double  separation;
    ss_vec3 normal, on_r, on_o;
} edge_pair;

typedef struct edge {
    ss_vec3 from, along; /* in the frame of r              */
    ss_vec3 left, right; /* normals of its faces           */
} edge;

static edge edge_of_r(const view *s, int32_t i)
{
    const int32_t *e    = s->r->edges + 4 * i;
    ss_vec3        from = s->r->vertices[e[0]];
    edge x = {from, ss_sub(s->r->vertices[e[1]], from), s->r->normals[e[2]], s->r->normals[e[3]]};
    return x;
}

static edge edge_of_o(const view *s, int32_t i)
{
    const int32_t *e    = s->o->edges + 4 * i;
    ss_vec3        from = ss_to_world(&s->pose, s->o->vertices[e[0]]);
    edge           x    = {from, ss_sub(ss_to_world(&s->pose, s->o->vertices[e[1]]), from),
                           ss_mul(&s->pose.R, s->o->normals[e[2]]), ss_mul(&s->pose.R, s->o->normals[e[3]])};
    return x;
}

/*
 * Do the arcs left-right of r and of the mirrored o cross on the unit sphere? `along` is parallel
 * to left x right, the normal of the plane in which the arc lies.
 */
static bool arcs_cross(const edge *r, const edge *o)
{
    double cba = ss_dot(o->left, r->along), dba = ss_dot(o->right, r->along);
    if (cba * dba >= 0) {
        return false;
    }
    double adc = ss_dot(r->left, o->along), bdc = ss_dot(r->right, o->along);
    return adc * bdc < 0 && cba * bdc < 0;
}

/* Nearest points of the two lines; the caller knows that they are not parallel. */
static void nearest_on_lines(const edge *r, const edge *o, edge_pair *out)
{
    ss_vec3 w  = ss_sub(o->from, r->from);
    double  rr = ss_dot(r->along, r->along), oo = ss_dot(o->along, o->along);
    double  ro = ss_dot(r->along, o->along), wr = ss_dot(w, r->along), wo = ss_dot(w, o->along);
    double  det = rr * oo - ro * ro;
    out->on_r   = ss_axpy(r->from, (wr * oo - wo * ro) / det, r->along);
    out->on_o   = ss_axpy(o->from, (wr * ro - wo * rr) / det, o->along);
}

static void try_edges(const edge *r, const edge *o, int32_t er, int32_t eo, edge_pair *best)
{
    ss_vec3 n      = ss_cross(r->along, o->along);
    double  length = ss_norm(n);
    if (length <= parallel * ss_norm(r->along) * ss_norm(o->along)) {
        return;
    }
    double sign = ss_dot(n, ss_add(r->left, r->right)) < 0 ? -1 : 1; /* out of r */
    n           = ss_scale(sign / length, n);
    double sep  = ss_dot(n, ss_sub(o->from, r->from));
    if (sep > best->separation) {
        best->er = er, best->eo = eo;
        best->separation = sep;
        best->normal     = n;
    }
}

static edge_pair best_edges(const view *s)
{
    edge_pair best = {.er = -1, .separation = -INFINITY};
    for (int32_t j = 0; j < s->o->edge_count; j++) {
        edge o = edge_of_o(s, j);
        for (int32_t i = 0; i < s->r->edge_count; i++) {
            edge r = edge_of_r(s, i);
            if (arcs_cross(&r, &o)) {
                try_edges(&r, &o, i, j, &best);
            }
        }
    }
    return best;
}

/* The edge of a box along axis i that lies furthest in direction d (its own coordinates). */
static int32_t box_edge(const ss_polyhedron *p, int i, ss_vec3 d)
{
    int32_t low  = ((d.x > 0) | (d.y > 0) << 1 | (d.z > 0) << 2) & ~(1 << i);
    int32_t high = low | 1 << i;
    for (int32_t e = 0; e < p->edge_count; e++) {
        if (p->edges[4 * e] == low && p->edges[4 * e + 1] == high) {
            return e;
        }
    }
    return -1;
}

/* Boxes have three directions of edges each: nine axes instead of all pairs of edges. */
static edge_pair best_box_edges(const view *s, ss_vec3 half_r, ss_vec3 half_o)
{
    edge_pair     best = {.er = -1, .separation = -INFINITY};
    const double *m    = s->pose.R.m;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            ss_vec3 along  = ss_v3(m[j], m[3 + j], m[6 + j]);
            ss_vec3 n      = ss_cross(ss_v3(i == 0, i == 1, i == 2), along);
            double  length = ss_norm(n);
            if (length <= parallel) {
                continue;
            }
            double towards = ss_dot(n, s->pose.p);
            n              = ss_scale((towards < 0 ? -1 : 1) / length, n);
            ss_vec3 d      = ss_tmul(&s->pose.R, n);
            double  sep    = fabs(towards) / length - half_r.x * fabs(n.x) - half_r.y * fabs(n.y) -
                         half_r.z * fabs(n.z) - half_o.x * fabs(d.x) - half_o.y * fabs(d.y) -
                         half_o.z * fabs(d.z);
            if (sep > best.separation) {
                best.separation = sep;
                best.normal     = n;
                best.er         = i;
                best.eo         = j;
            }
        }
    }
    if (best.er >= 0) { /* from axes to edges */
        best.eo = box_edge(s->o, best.eo, ss_neg(ss_tmul(&s->pose.R, best.normal)));
        best.er = box_edge(s->r, best.er, best.normal);
    }
    return best;
}

/* ---- the contacts --------------------------------------------------------------------------- */

static bool in_face(const ss_polyhedron *p, int32_t f, int32_t vertex)
{
    for (int32_t i = p->face_start[f]; i < p->face_start[f + 1]; i++) {
        if (p->face_vertices[i] == vertex) {
            return true;
        }
    }
    return false;
}

/* Vertices in reach that belong to neither face. */
static void other_vertices(const view *v, const ss_patch *s, int32_t F, int32_t G)
{
    for (int32_t i = 0; i < v->o->vertex_count; i++) {
        ss_vec3 x = ss_to_world(v->at_o, v->o->vertices[i]);
        if (ss_dot(s->r->normal, x) - s->r->offset <= s->reach && !in_face(v->o, G, i) &&
            ss_patch_meets(s, s->r, x, 0)) {
            ss_patch_emit_on_r(s, ss_feature(SS_FEATURE_VERTEX, i), x, 0);
        }
    }
    for (int32_t i = 0; i < v->r->vertex_count; i++) {
        ss_vec3 x = ss_to_world(v->at_r, v->r->vertices[i]);
        if (ss_dot(s->o->normal, x) - s->o->offset <= s->reach && !in_face(v->r, F, i) &&
            ss_patch_meets(s, s->o, x, 0)) {
            ss_patch_emit_on_o(s, ss_feature(SS_FEATURE_VERTEX, i), x, 0);
        }
    }
}

static void face_contacts(const view *v, ss_patch s, int32_t F)
{
    int32_t G = facing_face(v, v->r->normals[F]);
    ss_flat r, o;
    ss_flat_of_face(v->r, F, v->at_r, &r);
    ss_flat_of_face(v->o, G, v->at_o, &o);
    s.r = &r;
    s.o = &o;
    ss_patch_corners(&s);
    other_vertices(v, &s, F, G);
}

/* ---- the pair ------------------------------------------------------------------------------ */

static ss_frame relative(const ss_frame *from, const ss_frame *to)
{
    ss_mat3  t = ss_mat3_transpose(&from->R);
    ss_frame f = {ss_tmul(&from->R, ss_sub(to->p, from->p)), ss_mat3_mul(&t, &to->R)};
    return f;
}

/* Found in the frame of a. */
static void edge_contact(const view *v, const edge_pair *pair, ss_contact_list *out)
{
    edge      r = edge_of_r(v, pair->er), o = edge_of_o(v, pair->eo);
    edge_pair at = *pair;
    nearest_on_lines(&r, &o, &at);
    ss_contact_push(out, ss_feature(SS_FEATURE_EDGE, pair->er),
                    ss_feature(SS_FEATURE_EDGE, pair->eo), ss_to_world(v->at_r, at.on_r),
                    ss_to_world(v->at_r, at.on_o), ss_mul(&v->at_r->R, pair->normal),
                    pair->separation);
}

void ss_pair_poly_poly(SS_PAIR_ARGS)
{
    double  tiny   = rounding * fmin(a->radius, b->radius), sep_a, sep_b;
    view    from_a = {a->poly, b->poly, b, relative(fa, fb), fa, fb};
    int32_t face_a = best_face(&from_a, &sep_a);
    if (sep_a > reach) {
        return;
    }
    view    from_b = {b->poly, a->poly, a, relative(fb, fa), fb, fa};
    int32_t face_b = best_face(&from_b, &sep_b);
    if (sep_b > reach) {
        return;
    }
    bool      boxes = a->cls == &ss_shape_box && b->cls == &ss_shape_box;
    edge_pair edges = boxes ? best_box_edges(&from_a, ss_scale(0.5, a->params.box.size),
                                             ss_scale(0.5, b->params.box.size))
                            : best_edges(&from_a);
    if (edges.separation > reach) {
        return;
    }
    bool        of_b = sep_b > sep_a + tiny;
    const view *v    = of_b ? &from_b : &from_a;
    double      face = of_b ? sep_b : sep_a;
    int32_t     F    = of_b ? face_b : face_a;
    ss_patch    s    = {.flipped = of_b,
                        .reach   = reach,
                        .beyond  = reach,
                        .best    = face,
                        .tiny    = tiny,
                        .skip_r  = -1,
                        .skip_o  = -1,
                        .out     = out};
    if (edges.er >= 0 && edges.separation > face + tiny) {
        s.best   = edges.separation;
        s.skip_r = of_b ? edges.eo : edges.er;
        s.skip_o = of_b ? edges.er : edges.eo;
        edge_contact(&from_a, &edges, out);
        /* faces so inclined to the edges that their far side is out of reach do not matter */
        ss_vec3 n = ss_mul(&v->at_r->R, v->r->normals[F]), e = ss_mul(&fa->R, edges.normal);
        if (ss_norm(ss_cross(n, e)) * fmin(a->radius, b->radius) > reach + tiny) {
            return;
        }
    }
    face_contacts(v, s, F);
}
