/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convex polyhedron against convex polyhedron.
 *
 * Separating direction: the largest separation over the face normals of both and over the cross
 * products of the edge pairs whose arcs cross on the Gauss map (only these can be faces of the
 * Minkowski difference). The same direction serves bodies that are apart, touching or overlapping,
 * so the contacts do not change when a gap passes through zero.
 *
 * Face case, face F of the reference body with normal n, facing face G of the other with normal m:
 * the patch is the overlap of F and G seen along n, and its corners carry the contact:
 *   (F, v)   vertices of the other body over F:        normal n,  gap n.v - o_F
 *   (v, G)   vertices of the reference body over G:    normal -m, gap m.v - o_G
 *   (e, e')  edges of F and of G that cross:           normal n,  gap along n
 * "Over" includes what lies outside the outline by no more than `reach`: it can get there within
 * the step. Corners that others make redundant (see patch()) are left out, so that two equal faces
 * that lie on each other have as many contacts as corners.
 *
 * Edge case: the pair of edges with normal e x e', and the corners of the patch of the best faces
 * that are in reach as well.
 */
#include "collide/feature.h"
#include "collide/pairs.h"

/* Directions closer to parallel than this have no cross product worth having. */
static const double parallel = 1e-9;
/* Lengths below this part of the smaller body's size are rounding, not geometry. */
static const double rounding = 1e-9;

/* Reference body r and the other one o; everything is computed in the frame of r. */
typedef struct view {
    const ss_polyhedron *r, *o;
    const ss_geom       *other;
    ss_frame             pose;    /* of o in the frame of r */
    const ss_frame      *world;   /* frame of r */
    bool                 flipped; /* r is b */
    double               reach;
    double               best;   /* the separation that was found */
    double               tiny;   /* a length that is rounding     */
    int32_t              er, eo; /* edge pair that has a contact already, or -1 */
    ss_contact_list     *out;
} view;

static ss_vec3 other_vertex(const view *s, int32_t i)
{
    return ss_to_world(&s->pose, s->o->vertices[i]);
}

/* n: from r to o */
static void emit(const view *s, uint32_t feature_r, uint32_t feature_o, ss_vec3 on_r, ss_vec3 on_o,
                 ss_vec3 n, double gap)
{
    ss_vec3 pr = ss_to_world(s->world, on_r), po = ss_to_world(s->world, on_o);
    ss_vec3 normal = ss_mul(&s->world->R, n);
    if (s->flipped) {
        ss_contact_push(s->out, feature_o, feature_r, po, pr, ss_neg(normal), gap);
    } else {
        ss_contact_push(s->out, feature_r, feature_o, pr, po, normal, gap);
    }
}

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
    ss_vec3        from = other_vertex(s, e[0]);
    edge x = {from, ss_sub(other_vertex(s, e[1]), from), ss_mul(&s->pose.R, s->o->normals[e[2]]),
              ss_mul(&s->pose.R, s->o->normals[e[3]])};
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

/* ---- the patch ----------------------------------------------------------------------------- */

/* How far x lies outside the outline of a face, seen along its normal (negative: inside). */
static double outside_face(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    int32_t first = p->face_start[f], last = p->face_start[f + 1] - 1;
    ss_vec3 from = p->vertices[p->face_vertices[last]];
    double  far  = -INFINITY;
    for (int32_t i = first; i <= last; i++) {
        ss_vec3 to      = p->vertices[p->face_vertices[i]];
        ss_vec3 outward = ss_unit(ss_cross(ss_sub(to, from), p->normals[f]));
        far             = fmax(far, ss_dot(outward, ss_sub(x, from)));
        from            = to;
    }
    return far;
}

static double height(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    return ss_dot(p->normals[f], x) - p->offsets[f];
}

/*
 * Does the vertex x (in the coordinates of p) make a contact with face f? What lies below the least
 * separation is beside the face, not inside the body; over the face the faces may be inclined.
 */
static bool meets(const view *s, const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    double gap = height(p, f, x);
    if (gap > s->reach || gap < s->best - s->reach - s->tiny) {
        return false;
    }
    double outside = outside_face(p, f, x);
    return outside <= (gap < s->best - s->tiny ? 0 : s->reach + s->tiny);
}

static bool in_face(const ss_polyhedron *p, int32_t f, int32_t vertex)
{
    for (int32_t i = p->face_start[f]; i < p->face_start[f + 1]; i++) {
        if (p->face_vertices[i] == vertex) {
            return true;
        }
    }
    return false;
}

static void emit_vertex_of_o(const view *s, int32_t F, int32_t v)
{
    ss_vec3 x = other_vertex(s, v), n = s->r->normals[F];
    double  gap = height(s->r, F, x);
    emit(s, ss_feature(SS_FEATURE_FACE, F), ss_feature(SS_FEATURE_VERTEX, v), ss_axpy(x, -gap, n),
         x, n, gap);
}

static void emit_vertex_of_r(const view *s, int32_t G, int32_t v)
{
    ss_vec3 x = s->r->vertices[v], y = ss_to_body(&s->pose, x);
    double  gap = height(s->o, G, y);
    ss_vec3 m   = ss_mul(&s->pose.R, s->o->normals[G]);
    emit(s, ss_feature(SS_FEATURE_VERTEX, v), ss_feature(SS_FEATURE_FACE, G), x,
         ss_axpy(x, -gap, m), ss_neg(m), gap);
}

/* Do all corners of G touch F (of = o), or all corners of F touch G (of = r)? */
static bool all_corners_meet(const view *s, int32_t F, int32_t G, bool of_o)
{
    const ss_polyhedron *p = of_o ? s->o : s->r;
    int32_t              f = of_o ? G : F;
    for (int32_t i = p->face_start[f]; i < p->face_start[f + 1]; i++) {
        int32_t v       = p->face_vertices[i];
        bool    touches = of_o ? meets(s, s->r, F, other_vertex(s, v))
                               : meets(s, s->o, G, ss_to_body(&s->pose, s->r->vertices[v]));
        if (!touches) {
            return false;
        }
    }
    return true;
}

/* Is there a corner of G that touches F within `near` of x, seen along n? */
static bool corner_of_G_near(const view *s, int32_t F, int32_t G, ss_vec3 x, double near)
{
    ss_vec3 n = s->r->normals[F];
    for (int32_t i = s->o->face_start[G]; i < s->o->face_start[G + 1]; i++) {
        ss_vec3 v = other_vertex(s, s->o->face_vertices[i]), d = ss_sub(v, x);
        d = ss_axpy(d, -ss_dot(d, n), n);
        if (ss_dot(d, d) <= near * near && meets(s, s->r, F, v)) {
            return true;
        }
    }
    return false;
}

static void vertices_of_o(const view *s, int32_t F, int32_t G, bool with_corners)
{
    for (int32_t v = 0; v < s->o->vertex_count; v++) {
        if (meets(s, s->r, F, other_vertex(s, v)) && (with_corners || !in_face(s->o, G, v))) {
            emit_vertex_of_o(s, F, v);
        }
    }
}

static void vertices_of_r(const view *s, int32_t F, int32_t G, bool with_corners)
{
    for (int32_t v = 0; v < s->r->vertex_count; v++) {
        ss_vec3 x = s->r->vertices[v];
        if (!meets(s, s->o, G, ss_to_body(&s->pose, x))) {
            continue;
        }
        bool corner = in_face(s->r, F, v);
        if (!corner || (with_corners && !corner_of_G_near(s, F, G, x, s->reach + s->tiny))) {
            emit_vertex_of_r(s, G, v);
        }
    }
}

static uint32_t edge_between(const ss_polyhedron *p, int32_t v0, int32_t v1, int32_t *index)
{
    int32_t low = v0 < v1 ? v0 : v1, high = v0 < v1 ? v1 : v0;
    for (int32_t e = 0; e < p->edge_count; e++) {
        if (p->edges[4 * e] == low && p->edges[4 * e + 1] == high) {
            *index = e;
            return ss_feature(SS_FEATURE_EDGE, e);
        }
    }
    *index = -1;
    return SS_FEATURE_SURFACE;
}

/*
 * Does the edge p0 p1 of F cross the edge q0 q1 of G inside the patch? Where the end that sticks
 * out of the other face has a contact of its own, the crossing lies between contacts and adds
 * nothing.
 */
static void cross_edges(const view *s, int32_t F, int32_t G, const int32_t *pv, const int32_t *qv)
{
    ss_vec3 n    = s->r->normals[F];
    ss_vec3 p[2] = {s->r->vertices[pv[0]], s->r->vertices[pv[1]]};
    ss_vec3 q[2] = {other_vertex(s, qv[0]), other_vertex(s, qv[1])};
    ss_vec3 dp = ss_sub(p[1], p[0]), dq = ss_sub(q[1], q[0]), w = ss_sub(q[0], p[0]);
    double  det = ss_dot(n, ss_cross(dp, dq));
    if (fabs(det) <= parallel * ss_norm(dp) * ss_norm(dq)) {
        return;
    }
    double on_p = ss_dot(n, ss_cross(w, dq)) / det, on_q = ss_dot(n, ss_cross(w, dp)) / det;
    if (on_p < 0 || on_p > 1 || on_q < 0 || on_q > 1) {
        return;
    }
    ss_vec3 x = ss_axpy(p[0], on_p, dp), y = ss_axpy(q[0], on_q, dq);
    double  gap = ss_dot(n, ss_sub(y, x));
    /* seen along n, F runs counter-clockwise and G clockwise */
    int q_out = ss_dot(ss_cross(dp, n), w) > 0 ? 0 : 1;
    int p_out = ss_dot(ss_cross(dq, n), w) > 0 ? 0 : 1;
    if (gap > s->reach || gap < s->best - s->reach - s->tiny || meets(s, s->r, F, q[q_out]) ||
        meets(s, s->o, G, ss_to_body(&s->pose, p[p_out]))) {
        return;
    }
    int32_t  er, eo;
    uint32_t fr = edge_between(s->r, pv[0], pv[1], &er), fo = edge_between(s->o, qv[0], qv[1], &eo);
    if (er != s->er || eo != s->eo) {
        emit(s, fr, fo, x, y, n, gap);
    }
}

static void crossings(const view *s, int32_t F, int32_t G)
{
    int32_t p_first = s->r->face_start[F], p_end = s->r->face_start[F + 1];
    int32_t q_first = s->o->face_start[G], q_end = s->o->face_start[G + 1];
    for (int32_t i = p_first; i < p_end; i++) {
        int32_t p[2] = {s->r->face_vertices[i],
                        s->r->face_vertices[i + 1 < p_end ? i + 1 : p_first]};
        for (int32_t j = q_first; j < q_end; j++) {
            int32_t q[2] = {s->o->face_vertices[j],
                            s->o->face_vertices[j + 1 < q_end ? j + 1 : q_first]};
            cross_edges(s, F, G, p, q);
        }
    }
}

/*
 * The contacts of face F of r. When all corners of one face touch the other face, they span the
 * whole patch and the other corners and the crossings are redundant.
 */
static void patch(const view *s, int32_t F, bool with_crossings)
{
    int32_t G       = facing_face(s, s->r->normals[F]);
    bool    whole_G = all_corners_meet(s, F, G, true);
    bool    whole_F = !whole_G && all_corners_meet(s, F, G, false);
    vertices_of_o(s, F, G, !whole_F);
    vertices_of_r(s, F, G, !whole_G);
    if (with_crossings && !whole_F && !whole_G) {
        crossings(s, F, G);
    }
}

/* ---- the pair ------------------------------------------------------------------------------ */

static ss_frame relative(const ss_frame *from, const ss_frame *to)
{
    ss_mat3  t = ss_mat3_transpose(&from->R);
    ss_frame f = {ss_tmul(&from->R, ss_sub(to->p, from->p)), ss_mat3_mul(&t, &to->R)};
    return f;
}

static void edge_contact(view *s, const edge_pair *pair)
{
    edge      r = edge_of_r(s, pair->er), o = edge_of_o(s, pair->eo);
    edge_pair at = *pair;
    nearest_on_lines(&r, &o, &at);
    emit(s, ss_feature(SS_FEATURE_EDGE, pair->er), ss_feature(SS_FEATURE_EDGE, pair->eo), at.on_r,
         at.on_o, pair->normal, pair->separation);
}

void ss_pair_poly_poly(SS_PAIR_ARGS)
{
    double tiny   = rounding * fmin(a->radius, b->radius);
    view   from_a = {a->poly, b->poly, b, relative(fa, fb), fa, false, reach, 0, tiny, -1, -1, out};
    double sep_a, sep_b;
    int32_t face_a = best_face(&from_a, &sep_a);
    if (sep_a > reach) {
        return;
    }
    view    from_b = {b->poly, a->poly, a, relative(fb, fa), fb, true, reach, 0, tiny, -1, -1, out};
    int32_t face_b = best_face(&from_b, &sep_b);
    if (sep_b > reach) {
        return;
    }
    edge_pair edges = best_edges(&from_a);
    if (edges.separation > reach) {
        return;
    }
    bool   of_b = sep_b > sep_a + tiny;
    double face = of_b ? sep_b : sep_a, best = face;
    view  *s = of_b ? &from_b : &from_a;
    if (edges.er >= 0 && edges.separation > face + tiny) {
        best  = edges.separation;
        s->er = of_b ? edges.eo : edges.er;
        s->eo = of_b ? edges.er : edges.eo;
        edge_contact(&from_a, &edges);
    }
    s->best = best;
    patch(s, of_b ? face_b : face_a, face >= best - reach - tiny);
}
