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
 * over F or G that is in reach. Corners of F over G count only where G lies on F: else the plane of
 * G does not separate the two, and a corner that comes to the border of G closes the gap to that
 * plane and passes by.
 *
 * Edge case: the pair of edges with normal e x e', and the corners of the patch of the best faces
 * that are in reach as well.
 *
 * Separations change by no more than `reach` within the step, so another direction can separate the
 * two at its end only if its separation is >= -reach now. Where there is more than one, each is a
 * branch; only a face and the face of the other body that lies on it (their inclination over the
 * smaller body is below the reach), with the edges around them that cross, are one: the patch.
 */
#include "collide/feature.h"
#include "collide/pairs.h"
#include "collide/patch.h"
#include "collide/tolerances.h"
#include "geom/geom.h"

/* Reference body r and the other one o; directions are searched in the frame of r. */
typedef struct view {
    const ss_polyhedron *r, *o;
    const ss_geom       *other;
    ss_frame             pose;        /* of o in the frame of r */
    const ss_frame      *at_r, *at_o; /* in the world           */
} view;

/* A direction that may separate the two at the end of the step. */
typedef struct direction {
    ss_vec3 normal; /* from a to b, frame of a                       */
    double  separation;
    int32_t face_a, face_b; /* -1: not a face of that body           */
    int32_t er, eo;         /* edges of a and of b, -1: not an edge pair */
} direction;

enum { MAX_DIRECTIONS = 64, MAX_BRANCHES = 16 };

typedef struct direction_list {
    direction items[MAX_DIRECTIONS];
    int32_t   count;
    double    floor; /* separations below it cannot matter */
} direction_list;

/* Of more than there is room for, the ones with the largest separations stay. */
static void keep(direction_list *list, direction d)
{
    int32_t at = list->count;
    if (at == MAX_DIRECTIONS) {
        at = 0;
        for (int32_t i = 1; i < MAX_DIRECTIONS; i++) {
            at = list->items[i].separation < list->items[at].separation ? i : at;
        }
        if (list->items[at].separation >= d.separation) {
            return;
        }
    } else {
        list->count++;
    }
    list->items[at] = d;
}

/* The face of r with the largest separation from o. of_a: r is a. */
static int32_t best_face(const view *s, bool of_a, direction_list *list, double *separation)
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
        if (sep >= list->floor) {
            keep(list, of_a ? (direction){n, sep, f, -1, -1, -1}
                            : (direction){ss_neg(d), sep, -1, f, -1, -1});
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

static void try_edges(const edge *r, const edge *o, int32_t er, int32_t eo, edge_pair *best,
                      direction_list *list)
{
    ss_vec3 n      = ss_cross(r->along, o->along);
    double  length = ss_norm(n);
    if (length <= SS_PARALLEL * ss_norm(r->along) * ss_norm(o->along)) {
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
    if (sep >= list->floor) {
        keep(list, (direction){n, sep, -1, -1, er, eo});
    }
}

static edge_pair best_edges(const view *s, direction_list *list)
{
    edge_pair best = {.er = -1, .separation = -INFINITY};
    for (int32_t j = 0; j < s->o->edge_count; j++) {
        edge o = edge_of_o(s, j);
        for (int32_t i = 0; i < s->r->edge_count; i++) {
            edge r = edge_of_r(s, i);
            if (arcs_cross(&r, &o)) {
                try_edges(&r, &o, i, j, &best, list);
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

/* From the axes i, j of a direction to the edges that are furthest along it. */
static void name_box_edges(const view *s, ss_vec3 n, int32_t *er, int32_t *eo)
{
    *eo = box_edge(s->o, *eo, ss_neg(ss_tmul(&s->pose.R, n)));
    *er = box_edge(s->r, *er, n);
}

/* Boxes have three directions of edges each: nine axes instead of all pairs of edges. */
static edge_pair best_box_edges(const view *s, ss_vec3 half_r, ss_vec3 half_o, direction_list *list)
{
    edge_pair     best = {.er = -1, .separation = -INFINITY};
    const double *m    = s->pose.R.m;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            ss_vec3 along  = ss_v3(m[j], m[3 + j], m[6 + j]);
            ss_vec3 n      = ss_cross(ss_v3(i == 0, i == 1, i == 2), along);
            double  length = ss_norm(n);
            if (length <= SS_PARALLEL) {
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
            if (sep >= list->floor) {
                direction x = {n, sep, -1, -1, i, j};
                name_box_edges(s, n, &x.er, &x.eo);
                keep(list, x);
            }
        }
    }
    if (best.er >= 0) {
        name_box_edges(s, best.normal, &best.er, &best.eo);
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
            ss_patch_emit_on_r(s, ss_feature(SS_FEATURE_VERTEX, i), -1, x, 0);
        }
    }
    for (int32_t i = 0; !s->one_sided && i < v->r->vertex_count; i++) {
        ss_vec3 x = ss_to_world(v->at_r, v->r->vertices[i]);
        if (ss_dot(s->o->normal, x) - s->o->offset <= s->reach && !in_face(v->r, F, i) &&
            ss_patch_meets(s, s->o, x, 0)) {
            ss_patch_emit_on_o(s, ss_feature(SS_FEATURE_VERTEX, i), -1, x, 0);
        }
    }
}

/* Do two directions incline so little that over the smaller body they part by no more than this? */
static bool is_along(ss_vec3 x, ss_vec3 y, double size, double slack)
{
    double inclined = ss_norm(ss_cross(x, y));
    return ss_dot(x, y) > 0 && inclined < SS_FLAT_SINE && inclined * size <= slack;
}

static void face_contacts(const view *v, ss_patch s, int32_t F, double size)
{
    int32_t G = facing_face(v, v->r->normals[F]);
    ss_flat r, o;
    ss_flat_of_face(v->r, F, v->at_r, &r);
    ss_flat_of_face(v->o, G, v->at_o, &o);
    s.r         = &r;
    s.o         = &o;
    s.one_sided = s.one_sided || !is_along(r.normal, ss_neg(o.normal), size, s.beyond + s.tiny);
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

/* What the search found, and what it was found with. */
typedef struct search {
    view             from_a, from_b;
    double           reach, tiny, size;
    direction_list   list;
    ss_contact_list *out;
} search;

/* The best of a bundle of directions. */
typedef struct bundle {
    int32_t   face_a, face_b; /* -1: none */
    double    sep_a, sep_b;
    edge_pair edges; /* er -1: none */
} bundle;

/* The face that separates more. */
static bool reference_is_b(const search *q, const bundle *x)
{
    if (x->face_a < 0 || x->face_b < 0) {
        return x->face_a < 0 && x->face_b >= 0;
    }
    return fabs(x->sep_b - x->sep_a) > q->tiny
               ? x->sep_b > x->sep_a
               : ss_looks_up(ss_mul(&q->from_b.at_r->R, q->from_b.r->normals[x->face_b]));
}

/*
 * The contacts of a bundle. lone: it is the only branch of the pair; otherwise the faces of the
 * other body speak for themselves where they are not part of it.
 */
static void bundle_contacts(search *q, const bundle *x, bool lone)
{
    bool        of_b = reference_is_b(q, x);
    const view *v    = of_b ? &q->from_b : &q->from_a;
    double      face = of_b ? x->sep_b : x->sep_a;
    int32_t     F    = of_b ? x->face_b : x->face_a;
    ss_patch    s    = {.flipped   = of_b,
                        .reach     = q->reach,
                        .beyond    = ss_contact_beyond(q->out, q->reach),
                        .best      = face,
                        .tiny      = q->tiny,
                        .skip_r    = -1,
                        .skip_o    = -1,
                        .one_sided = !lone && (x->face_a < 0 || x->face_b < 0),
                        .out       = q->out};
    if (x->edges.er >= 0 && (F < 0 || x->edges.separation > face + q->tiny)) {
        s.best   = x->edges.separation;
        s.skip_r = of_b ? x->edges.eo : x->edges.er;
        s.skip_o = of_b ? x->edges.er : x->edges.eo;
        edge_contact(&q->from_a, &x->edges, q->out);
        if (F < 0) {
            return;
        }
        /* faces so inclined to the edges that their far side is out of reach do not matter */
        ss_vec3 n = ss_mul(&v->at_r->R, v->r->normals[F]);
        ss_vec3 e = ss_mul(&q->from_a.at_r->R, x->edges.normal);
        if (ss_norm(ss_cross(n, e)) * q->size > q->reach + q->tiny) {
            return;
        }
    }
    face_contacts(v, s, F, q->size);
}

/* ---- branches ------------------------------------------------------------------------------ */

static bool close_to(const search *q, const direction *x, const direction *y)
{
    return is_along(x->normal, y->normal, q->size, q->reach + q->tiny);
}

/* Faces before edges where they separate equally; otherwise the larger separation. */
static bool leads(const search *q, const direction *x, const direction *y)
{
    if (fabs(x->separation - y->separation) > q->tiny) {
        return x->separation > y->separation;
    }
    return x->er < 0 && y->er >= 0;
}

static bool has_edge(const ss_polyhedron *p, int32_t face, int32_t e)
{
    return p->edges[4 * e + 2] == face || p->edges[4 * e + 3] == face;
}

/* The best face of each body that lies along the head: of its edges, or on its face. */
static void add_faces(const search *q, const direction *head, bundle *x)
{
    x->face_a = head->face_a;
    x->face_b = head->face_b;
    x->sep_a = x->sep_b = head->separation;
    for (int32_t i = 0; i < q->list.count; i++) {
        const direction *d = &q->list.items[i];
        if (d->er >= 0 || !close_to(q, head, d)) {
            continue;
        }
        bool of_a = d->face_a >= 0;
        if (of_a && head->face_a < 0 && (x->face_a < 0 || d->separation > x->sep_a) &&
            (head->er < 0 || has_edge(q->from_a.r, d->face_a, head->er))) {
            x->face_a = d->face_a;
            x->sep_a  = d->separation;
        }
        if (!of_a && head->face_b < 0 && (x->face_b < 0 || d->separation > x->sep_b) &&
            (head->er < 0 || has_edge(q->from_b.r, d->face_b, head->eo))) {
            x->face_b = d->face_b;
            x->sep_b  = d->separation;
        }
    }
}

/* Does the direction belong to the bundle's faces? */
static bool belongs(const search *q, const direction *head, const bundle *x, const direction *d)
{
    if (d->er < 0) {
        return (d->face_a >= 0 && d->face_a == x->face_a) ||
               (d->face_b >= 0 && d->face_b == x->face_b);
    }
    if (head->er == d->er && head->eo == d->eo) {
        return true;
    }
    return close_to(q, head, d) && (x->face_a >= 0 || x->face_b >= 0) &&
           (x->face_a < 0 || has_edge(q->from_a.r, x->face_a, d->er)) &&
           (x->face_b < 0 || has_edge(q->from_b.r, x->face_b, d->eo));
}

/*
 * The direction that separates most with those that are one with it, taken off the list: faces that
 * lie on each other or along the edges, and the edges around these faces that cross.
 */
static bundle take_bundle(search *q, direction *head)
{
    direction_list *l    = &q->list;
    int32_t         best = 0, left = 0;
    for (int32_t i = 1; i < l->count; i++) {
        best = leads(q, &l->items[i], &l->items[best]) ? i : best;
    }
    *head    = l->items[best];
    bundle x = {.edges = {.er = -1, .eo = -1, .separation = -INFINITY}};
    add_faces(q, head, &x);
    for (int32_t i = 0; i < l->count; i++) {
        const direction d = l->items[i];
        if (!belongs(q, head, &x, &d)) {
            l->items[left++] = d;
        } else if (d.er >= 0 && d.separation > x.edges.separation) {
            x.edges =
                (edge_pair){.er = d.er, .eo = d.eo, .separation = d.separation, .normal = d.normal};
        }
    }
    l->count = left;
    return x;
}

static uint64_t name_of(const direction *d)
{
    if (d->er >= 0) {
        return ss_branch_name(ss_feature(SS_FEATURE_EDGE, d->er),
                              ss_feature(SS_FEATURE_EDGE, d->eo));
    }
    return d->face_a >= 0 ? ss_branch_name(ss_feature(SS_FEATURE_FACE, d->face_a), 0)
                          : ss_branch_name(0, ss_feature(SS_FEATURE_FACE, d->face_b));
}

/* A face alone: every vertex of the other body in reach of its plane, wherever over it. */
static void plane_contacts(const search *q, const view *v, int32_t F, bool of_b)
{
    ss_flat  r;
    ss_patch s = {.r = &r, .flipped = of_b, .out = q->out};
    ss_flat_of_face(v->r, F, v->at_r, &r);
    for (int32_t i = 0; i < v->o->vertex_count; i++) {
        ss_vec3 x = ss_to_world(v->at_o, v->o->vertices[i]);
        if (ss_dot(r.normal, x) - r.offset <= q->reach) {
            q->out->beside = ss_flat_outside(&r, x) > q->reach + q->tiny;
            ss_patch_emit_on_r(&s, ss_feature(SS_FEATURE_VERTEX, i), -1, x, 0);
        }
    }
    q->out->beside = false;
}

/*
 * Faces far from flat on each other may still be one where the reach is large. The patch in which
 * they overlap then need not have the vertices that are through the face: a direction that does not
 * separate the two must not look as though it did, or as though it nearly did.
 */
static bool misses_overlap(const search *q, const direction *head, int32_t before)
{
    double least = INFINITY;
    for (int32_t i = before; i < q->out->count && i < q->out->capacity; i++) {
        least = fmin(least, q->out->items[i].gap);
    }
    return head->er < 0 && head->separation < -q->tiny && least > head->separation + q->tiny;
}

static void branch_contacts(search *q, const bundle *x, const direction *head)
{
    int32_t before = q->out->count;
    bool    alone  = x->edges.er < 0 && (x->face_a < 0 || x->face_b < 0);
    q->out->branch = name_of(head);
    if (!alone) {
        bundle_contacts(q, x, false);
    }
    if (misses_overlap(q, head, before)) {
        q->out->count = before;
        bool of_b     = head->face_a < 0;
        plane_contacts(q, of_b ? &q->from_b : &q->from_a, of_b ? head->face_b : head->face_a, of_b);
    }
    if (q->out->count == before) {
        bool of_b = x->face_a < 0;
        plane_contacts(q, of_b ? &q->from_b : &q->from_a, of_b ? x->face_b : x->face_a, of_b);
    }
    q->out->branch = 0;
}

static bool is_on(const edge *e, ss_vec3 x, double slack)
{
    double length = ss_norm(e->along), t = ss_dot(ss_sub(x, e->from), e->along) / length;
    return t >= -slack && t <= length + slack;
}

/* Edges whose lines come nearest so far past their ends that they cannot meet in the step. */
static void drop_distant_edges(search *q)
{
    direction_list *l    = &q->list;
    int32_t         left = 0;
    for (int32_t i = 0; i < l->count && l->count > 1; i++) {
        const direction d    = l->items[i];
        bool            stay = d.er < 0;
        if (!stay) {
            edge      r = edge_of_r(&q->from_a, d.er), o = edge_of_o(&q->from_a, d.eo);
            edge_pair at = {.er = d.er};
            nearest_on_lines(&r, &o, &at);
            stay = is_on(&r, at.on_r, q->reach + q->tiny) && is_on(&o, at.on_o, q->reach + q->tiny);
        }
        if (stay) {
            l->items[left++] = d;
        }
    }
    l->count = left > 0 ? left : l->count;
}

/* One bundle: as if there were no branches. */
static void emit(search *q, const bundle *best)
{
    bundle    found[MAX_BRANCHES];
    direction heads[MAX_BRANCHES];
    int32_t   count = 0;
    drop_distant_edges(q);
    while (q->list.count > 0 && count < MAX_BRANCHES) {
        found[count] = take_bundle(q, &heads[count]);
        count++;
    }
    if (count <= 1) {
        bundle_contacts(q, best, true);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        branch_contacts(q, &found[i], &heads[i]);
    }
}

static edge_pair find_edges(search *q, const ss_geom *a, const ss_geom *b)
{
    if (a->cls == &ss_shape_box && b->cls == &ss_shape_box) {
        return best_box_edges(&q->from_a, ss_scale(0.5, a->params.box.size),
                              ss_scale(0.5, b->params.box.size), &q->list);
    }
    return best_edges(&q->from_a, &q->list);
}

/* Two that overlap by more than the reach: the least overlap, and all that equal it. */
static void least_overlap(search *q, const ss_geom *a, const ss_geom *b, const bundle *best)
{
    double unused;
    q->list.floor = fmax(fmax(best->sep_a, best->sep_b), best->edges.separation) - q->tiny;
    best_face(&q->from_a, true, &q->list, &unused);
    best_face(&q->from_b, false, &q->list, &unused);
    find_edges(q, a, b);
}

double ss_gap_poly_poly(SS_GAP_ARGS)
{
    search q;
    double sep_a, sep_b;
    q.list.count   = 0;
    q.list.floor   = INFINITY; /* the best alone is wanted */
    q.from_a       = (view){a->poly, b->poly, b, relative(fa, fb), fa, fb};
    int32_t face_a = best_face(&q.from_a, true, &q.list, &sep_a);
    *normal        = ss_mul(&fa->R, a->poly->normals[face_a]);
    if (sep_a > enough) {
        return sep_a;
    }
    q.from_b       = (view){b->poly, a->poly, a, relative(fb, fa), fb, fa};
    int32_t face_b = best_face(&q.from_b, false, &q.list, &sep_b);
    if (sep_b > sep_a) {
        *normal = ss_neg(ss_mul(&fb->R, b->poly->normals[face_b]));
    }
    double face = fmax(sep_a, sep_b);
    if (face > enough) {
        return face;
    }
    edge_pair edges = find_edges(&q, a, b);
    if (edges.separation > face) {
        *normal = ss_mul(&fa->R, edges.normal);
    }
    return fmax(face, edges.separation);
}

void ss_pair_poly_poly(SS_PAIR_ARGS)
{
    search q;
    q.size       = fmin(a->radius, b->radius);
    q.tiny       = SS_LENGTH_ROUNDING * q.size;
    q.reach      = reach;
    q.out        = out;
    q.list.count = 0;
    q.list.floor = -reach - q.tiny;
    q.from_a     = (view){a->poly, b->poly, b, relative(fa, fb), fa, fb};
    bundle best;
    best.face_a = best_face(&q.from_a, true, &q.list, &best.sep_a);
    if (best.sep_a > reach) {
        return;
    }
    q.from_b    = (view){b->poly, a->poly, a, relative(fb, fa), fb, fa};
    best.face_b = best_face(&q.from_b, false, &q.list, &best.sep_b);
    if (best.sep_b > reach) {
        return;
    }
    best.edges = find_edges(&q, a, b);
    if (best.edges.separation > reach) {
        return;
    }
    if (q.list.count == 0) {
        least_overlap(&q, a, b, &best);
    }
    emit(&q, &best);
}
