/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convex polygon against convex polygon (2D).
 *
 * Separating direction: the edge normal, of either polygon, with the largest separation. With F
 * that edge (normal n) and G the edge of the other polygon that looks most against it (normal m),
 * the contacts are the vertices of the other polygon over F, normal n, and the ends of F over G,
 * normal -m; "over" includes what lies past the end by no more than `reach`. Two edges that lie on
 * each other overlap in an interval: each of its ends carries one contact.
 *
 * Separations change by no more than `reach` within the step, so another edge can separate the two
 * at its end only if its separation is >= -reach now. Such edges are branches of their own: the
 * vertices of the other polygon in reach of the edge's line, however far past its ends. Two edges
 * that lie on each other (their inclination over the smaller polygon is below the reach) are one.
 */
#include <string.h>

#include "collide/feature.h"
#include "collide/pairs.h"
#include "collide/tolerances.h"

/* Reference polygon r and the other one o; everything is computed in the frame of r. */
typedef struct view {
    const ss_polyhedron *r, *o;
    ss_frame             pose;    /* of o in the frame of r */
    const ss_frame      *world;   /* frame of r */
    bool                 flipped; /* r is b */
    double               reach, best, tiny;
    double               size; /* of the smaller polygon */
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

/* An edge whose line may separate the two at the end of the step. */
typedef struct branch {
    const view *from;
    int32_t     edge;
    int32_t     under; /* the edge of the other polygon that lies on it, -1: none */
    double      separation;
} branch;

enum { MAX_BRANCHES = 32 };

typedef struct branch_list {
    branch  items[MAX_BRANCHES];
    int32_t count;
} branch_list;

/* Of more than there is room for, the ones with the largest separations stay. */
static void keep(branch_list *list, const view *s, int32_t edge, double sep)
{
    int32_t at = list->count;
    if (at == MAX_BRANCHES) {
        at = 0;
        for (int32_t i = 1; i < MAX_BRANCHES; i++) {
            at = list->items[i].separation < list->items[at].separation ? i : at;
        }
        if (list->items[at].separation >= sep) {
            return;
        }
    } else {
        list->count++;
    }
    list->items[at] = (branch){s, edge, -1, sep};
}

/*
 * The edge of r with the largest separation; sides along which r was cut touch nothing, but may
 * separate. False: the two cannot meet in the step.
 */
static bool find_edges(const view *s, branch_list *list, int32_t *edge, double *best)
{
    *edge = -1;
    *best = -INFINITY;
    for (int32_t f = 0; f < s->r->face_count; f++) {
        double sep = separation(s, f);
        if (sep > s->reach) {
            return false;
        }
        if (sep >= -s->reach - s->tiny) {
            keep(list, s, f, sep);
        }
        if (sep > *best && !ss_is_cut(s->r, f)) {
            *best = sep;
            *edge = f;
        }
    }
    return *edge >= 0;
}

/* Two that overlap by more than the reach: the least overlap, and all that equal it. */
static void least_overlap(const view *s, double best, branch_list *list)
{
    for (int32_t f = 0; f < s->r->face_count; f++) {
        double sep = ss_is_cut(s->r, f) ? -INFINITY : separation(s, f);
        if (sep >= best - s->tiny) {
            keep(list, s, f, sep);
        }
    }
}

/* How far the middles of F and of the other's edge f are from each other along F. */
static double aside(const view *s, int32_t F, int32_t f)
{
    const int32_t *v = s->r->face_vertices + s->r->face_start[F];
    const int32_t *w = s->o->face_vertices + s->o->face_start[f];
    ss_vec3        n = s->r->normals[F], along = {-n.y, n.x, 0};
    ss_vec3        on_r = ss_add(s->r->vertices[v[0]], s->r->vertices[v[1]]);
    ss_vec3        on_o = ss_add(other_vertex(s, w[0]), other_vertex(s, w[1]));
    double         half = ss_norm(ss_sub(s->o->vertices[w[0]], s->o->vertices[w[1]]));
    return 0.5 * (fabs(ss_dot(along, ss_sub(on_o, on_r))) - half);
}

/* Of edges in one line, as on both sides of what stands on a floor and is one with it, the one that
   F is over. */
static int32_t facing_edge(const view *s, int32_t F)
{
    ss_vec3 d    = ss_tmul(&s->pose.R, s->r->normals[F]);
    int32_t best = -1;
    double  turn = INFINITY;
    for (int32_t f = 0; f < s->o->face_count; f++) {
        double is = ss_dot(d, s->o->normals[f]);
        if (ss_is_cut(s->o, f) || is > turn + SS_LENGTH_ROUNDING) {
            continue;
        }
        bool more = is < turn - SS_LENGTH_ROUNDING;
        if (best < 0 || more || aside(s, F, f) < aside(s, F, best)) {
            best = f;
            turn = is;
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
    double beyond = ss_contact_beyond(s->out, s->reach) + s->tiny;
    return past_end(p, f, x) <= (gap < s->best - s->tiny ? 0 : beyond);
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
    double near = ss_contact_beyond(s->out, s->reach) + s->tiny;
    for (int i = 0; i < 2; i++) {
        ss_vec3 y = other_vertex(s, w[i]);
        if (fabs(ss_dot(along, ss_sub(y, x))) <= near && meets(s, s->r, F, y)) {
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

/* Every vertex of o in reach of the line of F, wherever along it. */
static void line_contacts(const view *s, int32_t F)
{
    s->out->inner = ss_is_cut(s->r, F);
    for (int32_t i = 0; i < s->o->vertex_count; i++) {
        ss_vec3 x = other_vertex(s, i);
        if (height(s->r, F, x) <= s->reach) {
            s->out->beside = past_end(s->r, F, x) > s->reach + s->tiny;
            emit_vertex_of_o(s, F, i);
        }
    }
    s->out->inner = s->out->beside = false;
}

/* ---- branches ------------------------------------------------------------------------------ */

/* Is G of the other polygon the edge that lies on F? */
static bool lies_on(const branch *f, const branch *g)
{
    const view *s = f->from;
    ss_vec3     n = s->r->normals[f->edge], m = ss_mul(&s->pose.R, s->o->normals[g->edge]);
    double      inclined = ss_norm(ss_cross(n, m));
    return ss_dot(n, m) < 0 && inclined < SS_FLAT_SINE &&
           inclined * s->size <= s->reach + s->tiny && facing_edge(s, f->edge) == g->edge &&
           facing_edge(g->from, g->edge) == f->edge;
}

/* Is g the reference of two edges that lie on each other? The one that separates more. */
static bool leads(const branch *g, const branch *f)
{
    double more = g->separation - f->separation;
    return fabs(more) > f->from->tiny
               ? more > 0
               : ss_looks_up(ss_mul(&g->from->world->R, g->from->r->normals[g->edge]));
}

static bool merge_pair(branch *f, const branch *g)
{
    if (f->from == g->from || f->under >= 0 || ss_is_cut(f->from->r, f->edge) ||
        ss_is_cut(g->from->r, g->edge) || !lies_on(f, g)) {
        return false;
    }
    if (leads(g, f)) {
        int32_t under = f->edge;
        *f            = *g;
        f->under      = under;
    } else {
        f->under = g->edge;
    }
    return true;
}

/* Edges that lie on each other become one branch. */
static void merge(branch_list *list)
{
    for (int32_t i = 0; i < list->count; i++) {
        for (int32_t j = i + 1; j < list->count; j++) {
            if (merge_pair(&list->items[i], &list->items[j])) {
                memmove(&list->items[j], &list->items[j + 1],
                        (size_t)(list->count - j - 1) * sizeof list->items[0]);
                list->count--;
                break;
            }
        }
    }
}

/* A cut side has no number among the sides of the polygon: its place in the piece names it. */
static uint32_t side_feature(const ss_polyhedron *p, int32_t f)
{
    return ss_is_cut(p, f) ? ss_feature(SS_FEATURE_EDGE, f) : ss_face_feature(p, f);
}

static void branch_contacts(const branch *b)
{
    view     s      = *b->from;
    uint32_t on_r   = side_feature(s.r, b->edge);
    uint32_t on_o   = b->under >= 0 ? side_feature(s.o, b->under) : 0;
    int32_t  before = s.out->count;
    s.best          = b->separation;
    s.out->branch   = s.flipped ? ss_branch_name(on_o, on_r) : ss_branch_name(on_r, on_o);
    if (b->under >= 0) {
        contacts(&s, b->edge);
    }
    if (s.out->count == before) {
        line_contacts(&s, b->edge);
    }
    s.out->branch = 0;
}

static ss_frame relative(const ss_frame *from, const ss_frame *to)
{
    ss_mat3  t = ss_mat3_transpose(&from->R);
    ss_frame f = {ss_tmul(&from->R, ss_sub(to->p, from->p)), ss_mat3_mul(&t, &to->R)};
    return f;
}

/*
 * The side of r that separates most. One of a cut does so up to a small overlap: of pieces that
 * meet at the bottom of a valley some have no side there, and what stands in it overlaps each of
 * them by next to nothing beyond its cuts. What is in none of the pieces by more than a slab along
 * one of their sides is no deeper in all of them together.
 */
static double widest_side(const view *s, ss_vec3 *normal)
{
    double best = -INFINITY;
    for (int32_t f = 0; f < s->r->face_count; f++) {
        double sep = separation(s, f);
        if (sep > best && (sep > -SS_CUT_SLAB * s->size || !ss_is_cut(s->r, f))) {
            best    = sep;
            *normal = ss_mul(&s->world->R, s->r->normals[f]);
        }
    }
    return best;
}

double ss_gap_polygon_polygon(SS_GAP_ARGS)
{
    ss_vec3 out_of_b;
    double  size = fmin(a->radius, b->radius);
    view from_a = {.r = a->poly, .o = b->poly, .pose = relative(fa, fb), .world = fa, .size = size};
    double sep_a = widest_side(&from_a, normal);
    if (sep_a > enough) {
        return sep_a;
    }
    view from_b = {.r = b->poly, .o = a->poly, .pose = relative(fb, fa), .world = fb, .size = size};
    double sep_b = widest_side(&from_b, &out_of_b);
    if (sep_b > sep_a) {
        *normal = ss_neg(out_of_b);
    }
    return fmax(sep_a, sep_b);
}

void ss_pair_polygon_polygon(SS_PAIR_ARGS)
{
    double      size = fmin(a->radius, b->radius), tiny = SS_LENGTH_ROUNDING * size, sep_a, sep_b;
    view        from_a = {a->poly, b->poly, relative(fa, fb), fa, false, reach, 0, tiny, size, out};
    branch_list list;
    int32_t     edge_a, edge_b;
    list.count = 0;
    if (!find_edges(&from_a, &list, &edge_a, &sep_a)) {
        return;
    }
    view from_b = {b->poly, a->poly, relative(fb, fa), fb, true, reach, 0, tiny, size, out};
    if (!find_edges(&from_b, &list, &edge_b, &sep_b)) {
        return;
    }
    if (list.count == 0) {
        least_overlap(&from_a, fmax(sep_a, sep_b), &list);
        least_overlap(&from_b, fmax(sep_a, sep_b), &list);
    }
    merge(&list);
    if (list.count > 1) {
        for (int32_t i = 0; i < list.count; i++) {
            branch_contacts(&list.items[i]);
        }
    } else if (list.count == 1 && !ss_is_cut(list.items[0].from->r, list.items[0].edge)) {
        branch a_first = {&from_a, edge_a, -1, sep_a}, b_first = {&from_b, edge_b, -1, sep_b};
        bool   of_b = leads(&b_first, &a_first);
        view  *s    = of_b ? &from_b : &from_a;
        s->best     = of_b ? sep_b : sep_a;
        contacts(s, of_b ? edge_b : edge_a);
    }
}
