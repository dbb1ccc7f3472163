/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convex polygon against convex polygon (2D).
 *
 * Separating direction: the edge normal, of either polygon, with the largest separation. With F
 * that edge (normal n) and G the edge of the other polygon that looks most against it (normal m),
 * the contacts are the vertices of the other polygon over F, normal n, and the ends of F over G,
 * normal -m; "over" includes what lies past the end by no more than `reach`. Two edges that lie on
 * each other overlap in an interval: each of its ends carries one contact.
 */
#include "collide/feature.h"
#include "collide/pairs.h"

/* Lengths below this part of the smaller body's size are rounding, not geometry. */
static const double rounding = 1e-9;

/* Reference polygon r and the other one o; everything is computed in the frame of r. */
typedef struct view {
    const ss_polyhedron *r, *o;
    ss_frame             pose;    /* of o in the frame of r */
    const ss_frame      *world;   /* frame of r */
    bool                 flipped; /* r is b */
    double               reach, best, tiny;
    ss_contact_list     *out;
} view;

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

static double height(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    return ss_dot(p->normals[f], x) - p->offsets[f];
}

/* How far the foot of x lies past an end of edge f (negative: between the ends). */
static double past_end(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    const int32_t *v = p->face_vertices + p->face_start[f];
    ss_vec3        n = p->normals[f], along = {-n.y, n.x, 0};
    double         t = ss_dot(along, x);
    return fmax(ss_dot(along, p->vertices[v[0]]) - t, t - ss_dot(along, p->vertices[v[1]]));
}

static ss_vec3 other_vertex(const view *s, int32_t i)
{
    return ss_to_world(&s->pose, s->o->vertices[i]);
}

static double separation(const view *s, int32_t f)
{
    ss_vec3 d   = ss_tmul(&s->pose.R, s->r->normals[f]);
    double  low = INFINITY;
    for (int32_t i = 0; i < s->o->vertex_count; i++) {
        low = fmin(low, ss_dot(d, s->o->vertices[i]));
    }
    return low + ss_dot(s->r->normals[f], s->pose.p) - s->r->offsets[f];
}

/*
 * The edge of r with the largest separation. When a side along which r was cut separates the two,
 * the contact is with the neighbouring piece, if at all: the separation is INFINITY.
 */
static int32_t best_edge(const view *s, double *best)
{
    int32_t edge = 0;
    double  cut  = 0;
    *best        = -INFINITY;
    for (int32_t f = 0; f < s->r->face_count; f++) {
        double sep = separation(s, f);
        if (ss_is_cut(s->r, f)) {
            cut = fmax(cut, sep);
        } else if (sep > *best) {
            *best = sep;
            edge  = f;
        }
    }
    if (cut > fmax(*best, 0) + s->tiny) {
        *best = INFINITY;
    }
    return edge;
}

static int32_t facing_edge(const view *s, int32_t F)
{
    ss_vec3 d    = ss_tmul(&s->pose.R, s->r->normals[F]);
    int32_t best = -1;
    for (int32_t f = 0; f < s->o->face_count; f++) {
        if (!ss_is_cut(s->o, f) &&
            (best < 0 || ss_dot(d, s->o->normals[f]) < ss_dot(d, s->o->normals[best]))) {
            best = f;
        }
    }
    return best;
}

static bool meets(const view *s, const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    double gap = height(p, f, x);
    if (gap > s->reach || gap < s->best - s->reach - s->tiny) {
        return false;
    }
    return past_end(p, f, x) <= (gap < s->best - s->tiny ? 0 : s->reach + s->tiny);
}

static void emit_vertex_of_o(const view *s, int32_t F, int32_t v)
{
    ss_vec3 x = other_vertex(s, v), n = s->r->normals[F];
    double  gap = height(s->r, F, x);
    emit(s, ss_face_feature(s->r, F), ss_vertex_feature(s->o, v), ss_axpy(x, -gap, n), x, n, gap);
}

static void emit_vertex_of_r(const view *s, int32_t G, int32_t v)
{
    ss_vec3 x   = s->r->vertices[v];
    double  gap = height(s->o, G, ss_to_body(&s->pose, x));
    ss_vec3 m   = ss_mul(&s->pose.R, s->o->normals[G]);
    emit(s, ss_vertex_feature(s->r, v), ss_face_feature(s->o, G), x, ss_axpy(x, -gap, m), ss_neg(m),
         gap);
}

/* The end v of F carries a contact unless an end of G that touches F is in reach of it. */
static bool end_of_F_counts(const view *s, int32_t F, int32_t G, int32_t v)
{
    const int32_t *w = s->o->face_vertices + s->o->face_start[G];
    ss_vec3        n = s->r->normals[F], along = {-n.y, n.x, 0}, x = s->r->vertices[v];
    if (!meets(s, s->o, G, ss_to_body(&s->pose, x))) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        ss_vec3 y = other_vertex(s, w[i]);
        if (fabs(ss_dot(along, ss_sub(y, x))) <= s->reach + s->tiny && meets(s, s->r, F, y)) {
            return false;
        }
    }
    return true;
}

static void contacts(const view *s, int32_t F)
{
    int32_t        G = facing_edge(s, F);
    const int32_t *v = s->r->face_vertices + s->r->face_start[F];
    const int32_t *w = s->o->face_vertices + s->o->face_start[G];
    bool           whole_G =
        meets(s, s->r, F, other_vertex(s, w[0])) && meets(s, s->r, F, other_vertex(s, w[1]));
    for (int32_t i = 0; i < s->o->vertex_count; i++) {
        if (meets(s, s->r, F, other_vertex(s, i))) {
            emit_vertex_of_o(s, F, i);
        }
    }
    for (int i = 0; i < 2 && !whole_G; i++) {
        if (end_of_F_counts(s, F, G, v[i])) {
            emit_vertex_of_r(s, G, v[i]);
        }
    }
}

static ss_frame relative(const ss_frame *from, const ss_frame *to)
{
    ss_mat3  t = ss_mat3_transpose(&from->R);
    ss_frame f = {ss_tmul(&from->R, ss_sub(to->p, from->p)), ss_mat3_mul(&t, &to->R)};
    return f;
}

void ss_pair_polygon_polygon(SS_PAIR_ARGS)
{
    double  tiny   = rounding * fmin(a->radius, b->radius);
    view    from_a = {a->poly, b->poly, relative(fa, fb), fa, false, reach, 0, tiny, out};
    double  sep_a, sep_b;
    int32_t edge_a = best_edge(&from_a, &sep_a);
    if (sep_a > reach) {
        return;
    }
    view    from_b = {b->poly, a->poly, relative(fb, fa), fb, true, reach, 0, tiny, out};
    int32_t edge_b = best_edge(&from_b, &sep_b);
    if (sep_b > reach) {
        return;
    }
    bool  of_b = sep_b > sep_a + tiny;
    view *s    = of_b ? &from_b : &from_a;
    s->best    = of_b ? sep_b : sep_a;
    contacts(s, of_b ? edge_b : edge_a);
}
