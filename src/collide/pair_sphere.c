/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spheres and points (spheres of radius zero) against spheres and convex polyhedra; discs likewise.
 *
 * A sphere touches a convex solid in one point: the solid's point nearest to the centre x. With c
 * that point, n = (c - x)/|c - x| and gap = |c - x| - r. Where the centre has entered the solid,
 * the nearest face pushes it out. A point has no surface of its own that could give a normal at an
 * edge: it is outside when max_f (n_f.x - o_f) >= 0. Every face that may attain that maximum within
 * the step, n_f.x - o_f >= -reach, is a branch of its own.
 */
#include "collide/feature.h"
#include "collide/pairs.h"
#include "geom/cover.h"
#include "geom/polyhedron.h"
#include "geom/seam.h"

void ss_pair_sphere_sphere(SS_PAIR_ARGS)
{
    ss_vec3 between = ss_sub(fb->p, fa->p);
    double  ra = a->params.sphere.radius, rb = b->params.sphere.radius;
    double  far = ra + rb + reach, d2 = ss_dot(between, between);
    if (d2 > far * far) {
        return;
    }
    /* concentric: every direction is as good as x */
    double  d = sqrt(d2);
    ss_vec3 n = d > 0 ? ss_scale(1 / d, between) : ss_v3(1, 0, 0);
    ss_contact_push(out, SS_FEATURE_SURFACE, SS_FEATURE_SURFACE, ss_axpy(fa->p, ra, n),
                    ss_axpy(fb->p, -rb, n), n, d - ra - rb);
}

double ss_gap_sphere_sphere(SS_GAP_ARGS)
{
    ss_vec3 between = ss_sub(fb->p, fa->p);
    double  d       = ss_norm(between);
    (void)enough;
    *normal = d > 0 ? ss_scale(1 / d, between) : ss_v3(1, 0, 0);
    return d - a->params.sphere.radius - b->params.sphere.radius;
}

/* What was found in the frame of b, seen from the sphere a. n: out of b, unit. */
static void push(SS_PAIR_ARGS, ss_vec3 foot, ss_vec3 n, double distance, uint32_t feature)
{
    double gap = distance - a->params.sphere.radius;
    (void)b;
    if (gap > reach) {
        return;
    }
    ss_vec3 out_of_b = ss_mul(&fb->R, n);
    ss_contact_push(out, SS_FEATURE_SURFACE, feature,
                    ss_axpy(fa->p, -a->params.sphere.radius, out_of_b), ss_to_world(fb, foot),
                    ss_neg(out_of_b), gap);
}

/* The face whose plane is furthest below x, and that distance (negative: x is inside). */
static int32_t highest_face(const ss_polyhedron *p, ss_vec3 x, double *distance)
{
    int32_t best = 0;
    double  far  = -INFINITY;
    for (int32_t f = 0; f < p->face_count; f++) {
        double s = ss_dot(p->normals[f], x) - p->offsets[f];
        if (s > far && (s > 0 || !ss_is_cut(p, f))) {
            far  = s;
            best = f;
        }
    }
    *distance = far;
    return best;
}

/* The feature of a face along which a polygon was cut. */
static const uint32_t on_a_cut = UINT32_MAX;

typedef struct nearest {
    ss_vec3  point;
    double   d2;
    uint32_t feature;
} nearest;

/* The feature of a vertex; those of neighbours' faces have none in this piece. */
static uint32_t feature_of_vertex(const ss_polyhedron *p, int32_t v)
{
    return v < p->vertex_count ? ss_vertex_feature(p, v) : 0;
}

/* Offer the point of the segment v0 v1 that is nearest to x. */
static void offer_segment(nearest *best, const ss_polyhedron *p, int32_t v0, int32_t v1,
                          uint32_t inner_feature, ss_vec3 x)
{
    ss_vec3  a = p->vertices[v0], along = ss_sub(p->vertices[v1], a);
    double   t      = ss_dot(ss_sub(x, a), along) / ss_dot(along, along);
    ss_vec3  c      = t <= 0 ? a : t >= 1 ? p->vertices[v1] : ss_axpy(a, t, along);
    ss_vec3  r      = ss_sub(x, c);
    double   d2     = ss_dot(r, r);
    uint32_t vertex = feature_of_vertex(p, t <= 0 ? v0 : v1);
    if (d2 < best->d2) {
        best->d2      = d2;
        best->point   = c;
        best->feature = t > 0 && t < 1 ? inner_feature : vertex;
    }
}

/* The point of the surface nearest to x, which lies outside. */
static nearest nearest_outside(const ss_polyhedron *p, ss_vec3 x)
{
    nearest best = {{0, 0, 0}, INFINITY, 0};
    for (int32_t f = 0; f < p->face_count; f++) {
        double s = ss_dot(p->normals[f], x) - p->offsets[f];
        if (s > 0 && s * s < best.d2 && ss_polyhedron_over_face(p, f, x)) {
            best = (nearest){ss_axpy(x, -s, p->normals[f]), s * s, ss_face_feature(p, f)};
        }
    }
    for (int32_t e = 0; e < p->edge_count; e++) {
        const int32_t *v = p->edges + 4 * e;
        offer_segment(&best, p, v[0], v[1], ss_feature(SS_FEATURE_EDGE, e), x);
    }
    return best;
}

/* The face whose plane is furthest below x, and no other: what has entered leaves through it. */
static void nearest_face(SS_PAIR_ARGS)
{
    ss_vec3 x = ss_to_body(fb, fa->p);
    double  s;
    int32_t f = highest_face(b->poly, x, &s);
    ss_vec3 n = b->poly->normals[f];
    if (!ss_is_cut(b->poly, f)) {
        push(a, fa, b, fb, reach, out, ss_axpy(x, -s, n), n, s, ss_face_feature(b->poly, f));
    }
}

/* How far x lies past the outline of face f (negative: over it). */
static double past_outline(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    int32_t first = p->face_start[f], last = p->face_start[f + 1] - 1;
    ss_vec3 n = p->normals[f], from = p->vertices[p->face_vertices[last]];
    double  far = -INFINITY;
    if (p->edge_count == 0) { /* a polygon: the face is a side */
        ss_vec3 along = {-n.y, n.x, 0}, to = p->vertices[p->face_vertices[first]];
        double  t = ss_dot(along, x), t0 = ss_dot(along, to), t1 = ss_dot(along, from);
        return fmax(fmin(t0, t1) - t, t - fmax(t0, t1));
    }
    for (int32_t i = first; i <= last; i++) {
        ss_vec3 to = p->vertices[p->face_vertices[i]];
        far        = fmax(far, ss_dot(ss_unit(ss_cross(ss_sub(to, from), n)), ss_sub(x, from)));
        from       = to;
    }
    return far;
}

/* The faces that may be the furthest below x within the step; false: it is out of reach. */
static bool rival_faces(const ss_polyhedron *p, ss_vec3 x, double reach, int32_t *faces,
                        int32_t room, int32_t *count)
{
    *count = 0;
    for (int32_t f = 0; f < p->face_count; f++) {
        double s = ss_dot(p->normals[f], x) - p->offsets[f];
        if (s > reach) {
            return false;
        }
        if (s >= -reach) {
            if (*count < room) {
                faces[*count] = f;
            }
            (*count)++;
        }
    }
    return true;
}

double ss_gap_point_poly(SS_GAP_ARGS)
{
    double  s;
    ss_vec3 x = ss_to_body(fb, fa->p);
    int32_t f = highest_face(b->poly, x, &s);
    s         = b->poly->seams == NULL ? s : ss_gap_of_joined(b->poly, f, x);
    (void)enough;
    *normal = ss_neg(ss_mul(&fb->R, b->poly->normals[f]));
    return s - a->params.sphere.radius;
}

void ss_pair_point_poly(SS_PAIR_ARGS)
{
    enum { ROOM = 64 };
    const ss_polyhedron *p = b->poly;
    ss_vec3              x = ss_to_body(fb, fa->p);
    int32_t              faces[ROOM], count;
    if (!rival_faces(p, x, reach, faces, ROOM, &count)) {
        return;
    }
    if (count < 2 || count > ROOM) { /* one; or the reach is larger than the faces can tell apart */
        nearest_face(a, fa, b, fb, reach, out);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        int32_t  f       = faces[i];
        ss_vec3  n       = p->normals[f];
        double   s       = ss_dot(n, x) - p->offsets[f];
        bool     cut     = ss_is_cut(p, f);
        uint32_t feature = cut ? ss_feature(SS_FEATURE_EDGE, f) : ss_face_feature(p, f);
        out->branch      = ss_branch_name(0, feature);
        out->inner       = cut;
        out->beside      = past_outline(p, f, x) > reach;
        out->shut        = ss_shut_for(p, f, x);
        push(a, fa, b, fb, reach, out, ss_axpy(x, -s, n), n, s, feature);
    }
    out->branch = 0;
    out->inner = out->beside = false;
    out->shut                = 0;
}

/* Does x lie over face f, which may be a neighbour's, not just at its border? */
static bool lies_over(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    return ss_dot(p->normals[f], x) > p->offsets[f] &&
           past_outline(p, f, x) < -p->neighbours.rounding;
}

/* The point of face f, which may be a neighbour's, nearest to x. */
static ss_vec3 nearest_on_face(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    nearest best = {{0, 0, 0}, INFINITY, 0};
    if (p->edge_count > 0 && past_outline(p, f, x) <= 0) {
        return ss_axpy(x, p->offsets[f] - ss_dot(p->normals[f], x), p->normals[f]);
    }
    int32_t from = p->face_vertices[p->face_start[f + 1] - 1];
    for (int32_t i = p->face_start[f]; i < p->face_start[f + 1]; i++) {
        offer_segment(&best, p, from, p->face_vertices[i], 0, x);
        from = p->face_vertices[i];
    }
    return best.point;
}

/*
 * The point q of the neighbours' onward and flush faces that is nearest to x. It is the nearest of
 * its piece if it is inside a face, or if two faces have it: an edge. False: neither.
 */
static bool nearest_of_neighbours(const ss_polyhedron *p, ss_vec3 x, ss_vec3 *q)
{
    double least = INFINITY;
    bool   sure  = false;
    for (int32_t f = p->face_count; f < p->neighbours.flush_end; f++) {
        ss_vec3 c    = nearest_on_face(p, f, x);
        double  away = ss_norm(ss_sub(x, c));
        bool    same = least < INFINITY && ss_norm(ss_sub(c, *q)) <= p->neighbours.rounding;
        if (same) {
            sure = true;
        } else if (away < least) {
            least = away;
            *q    = c;
            sure  = lies_over(p, f, x);
        }
    }
    return sure;
}

/* Does a sphere about x meet a neighbour before anything of this piece, of which c is nearest? */
static bool is_neighbours(const ss_polyhedron *p, ss_vec3 x, ss_vec3 c)
{
    ss_vec3 q = c;
    if (!nearest_of_neighbours(p, x, &q) || ss_norm(ss_sub(q, c)) <= p->neighbours.rounding) {
        return false;
    }
    ss_vec3 n = ss_unit(ss_sub(x, q));
    for (int32_t i = 0; i < p->vertex_count; i++) {
        if (ss_dot(n, ss_sub(p->vertices[i], q)) > p->neighbours.rounding) {
            return false;
        }
    }
    return true;
}

/* The same of neighbours that are cylinders. */
static bool is_covered(const ss_geom *b, ss_vec3 x)
{
    for (const ss_cover *c = b->covers; c != NULL; c = c->next) {
        if (ss_dot(c->normal, ss_sub(x, c->at)) > 0 && ss_cover_outside(c, x) < -c->rounding) {
            return true;
        }
    }
    return false;
}

/* Is the point c of an edge the bottom of a valley, with x over its other side? */
static bool is_in_valley(const ss_polyhedron *p, ss_vec3 x, ss_vec3 c)
{
    for (int32_t f = p->neighbours.flush_end; f < p->neighbours.rising_end; f++) {
        if (fabs(ss_dot(p->normals[f], c) - p->offsets[f]) <= p->neighbours.rounding &&
            past_outline(p, f, c) <= p->neighbours.rounding && lies_over(p, f, x)) {
            return true;
        }
    }
    return false;
}

static bool has_branch_along(const ss_contact_list *out, int32_t first, ss_vec3 normal)
{
    for (int32_t i = first; i < out->count && i < out->capacity; i++) {
        if (ss_norm(ss_cross(out->items[i].normal, normal)) <= SS_PARALLEL) {
            return true;
        }
    }
    return false;
}

/*
 * The faces of b, own and onward, that the sphere can come to lie on within the step, if they are
 * no further inside it than `inside`: branches beside the contacts from `first` on. At a distance l
 * before the edge of a face, in its plane, the tangent plane of the edge is apart by l^2/2r and
 * closes with v l/r: from h v = l/2 on it would hold what the face lets pass, so that faces count
 * from twice the reach on.
 */
static void push_faces(SS_PAIR_ARGS, double inside, int32_t first)
{
    const ss_polyhedron *p   = b->poly;
    ss_vec3              x   = ss_to_body(fb, fa->p);
    double               r   = a->params.sphere.radius;
    int32_t              end = p->neighbours.onward_end;
    for (int32_t f = 0; f < (end > 0 ? end : p->face_count); f++) {
        double s = ss_dot(p->normals[f], x) - p->offsets[f];
        if (s - r < -inside || s <= 0 || ss_is_cut(p, f) || past_outline(p, f, x) > 2 * reach ||
            (f >= p->face_count && has_branch_along(out, first, ss_mul(&fb->R, p->normals[f])))) {
            continue;
        }
        out->branch = ss_branch_name(0, ss_face_feature(p, f));
        push(a, fa, b, fb, reach, out, ss_axpy(x, -s, p->normals[f]), p->normals[f], s,
             ss_face_feature(p, f));
    }
}

/* One branch is none. */
static void end_branches(ss_contact_list *out, int32_t first)
{
    if (out->count == first + 1 && first < out->capacity) {
        out->items[first].branch = 0;
    }
    out->branch = 0;
}

/*
 * The sphere is nearest to an edge or vertex: the plane that touches it there is one branch, the
 * faces that it can come to lie on within the step are the others. Without them a sphere that rolls
 * onto a face over its edge would be held by the tangent plane of the edge. At the bottom of a
 * valley nothing is held by the tangent plane, which cuts through the valley's other side, but by a
 * face of this side if it is apart from that.
 */
static void push_rounded(SS_PAIR_ARGS, ss_vec3 foot, ss_vec3 n, double distance, uint32_t feature)
{
    const ss_polyhedron *p    = b->poly;
    ss_vec3              x    = ss_to_body(fb, fa->p);
    bool                 face = (feature & ~(uint32_t)SS_FEATURE_INDEX_MASK) == SS_FEATURE_FACE;
    int32_t              at   = out->count;
    if (face || a->params.sphere.radius == 0) {
        push(a, fa, b, fb, reach, out, foot, n, distance, feature);
        return;
    }
    if (distance - a->params.sphere.radius > reach || is_neighbours(p, x, foot) ||
        is_covered(b, x)) {
        return;
    }
    if (is_in_valley(p, x, foot)) {
        push_faces(a, fa, b, fb, reach, out, p->neighbours.rounding, at);
    }
    if (out->count == at) {
        out->branch = ss_branch_name(0, feature);
        push(a, fa, b, fb, reach, out, foot, n, distance, feature);
        push_faces(a, fa, b, fb, reach, out, reach, at);
    }
    end_branches(out, at);
}

/* The nearest face while the centre is inside, or as far out as asked; else the nearest point. */
static double sphere_gap(SS_GAP_ARGS, nearest (*find)(const ss_polyhedron *p, ss_vec3 x))
{
    double  r   = a->params.sphere.radius;
    double  gap = ss_gap_point_poly(a, fa, b, fb, enough, normal);
    ss_vec3 x   = ss_to_body(fb, fa->p);
    if (gap + r <= 0 || gap > enough) {
        return gap;
    }
    nearest c = find(b->poly, x);
    double  d = sqrt(c.d2);
    *normal   = ss_mul(&fb->R, ss_scale(1 / d, ss_sub(c.point, x)));
    return d - r;
}

double ss_gap_sphere_poly(SS_GAP_ARGS)
{
    return sphere_gap(a, fa, b, fb, enough, normal, nearest_outside);
}

/* Both for polyhedra and polygons, once the nearest point outside is known how to find. */
static void sphere_convex(SS_PAIR_ARGS, nearest (*find)(const ss_polyhedron *p, ss_vec3 x))
{
    ss_vec3 x = ss_to_body(fb, fa->p);
    double  s;
    int32_t f = highest_face(b->poly, x, &s);
    if (s - a->params.sphere.radius > reach) {
        return;
    }
    ss_vec3  n    = b->poly->normals[f];
    uint32_t face = ss_face_feature(b->poly, f);
    if (s <= 0) {
        push(a, fa, b, fb, reach, out, ss_axpy(x, -s, n), n, s, face);
        return;
    }
    nearest c = find(b->poly, x);
    double  d = sqrt(c.d2);
    if (c.feature == face) { /* over the face: its normal, not that of points known to rounding */
        push(a, fa, b, fb, reach, out, ss_axpy(x, -s, n), n, s, face);
        return;
    }
    if (c.feature == on_a_cut) {
        return; /* the neighbouring piece is nearer, or as near */
    }
    push_rounded(a, fa, b, fb, reach, out, c.point, ss_scale(1 / d, ss_sub(x, c.point)), d,
                 c.feature);
}

void ss_pair_sphere_poly(SS_PAIR_ARGS)
{
    sphere_convex(a, fa, b, fb, reach, out, nearest_outside);
}

static nearest nearest_outside_polygon(const ss_polyhedron *p, ss_vec3 x)
{
    nearest best = {{0, 0, 0}, INFINITY, 0};
    for (int32_t f = 0; f < p->face_count; f++) {
        const int32_t *v       = p->face_vertices + p->face_start[f];
        uint32_t       feature = ss_is_cut(p, f) ? on_a_cut : ss_face_feature(p, f);
        offer_segment(&best, p, v[0], v[1], feature, x);
    }
    return best;
}

double ss_gap_disc_polygon(SS_GAP_ARGS)
{
    return sphere_gap(a, fa, b, fb, enough, normal, nearest_outside_polygon);
}

void ss_pair_disc_polygon(SS_PAIR_ARGS)
{
    sphere_convex(a, fa, b, fb, reach, out, nearest_outside_polygon);
}

static double clamp(double x, double h)
{
    return x < -h ? -h : x > h ? h : x;
}

/* Which vertex (bits of the positive sides) or edge or face of the box the clamped point lies on.
 */
static uint32_t box_feature(const ss_polyhedron *p, ss_vec3 x, ss_vec3 h)
{
    int     outside = (fabs(x.x) > h.x) + (fabs(x.y) > h.y) + (fabs(x.z) > h.z);
    int32_t corner  = (x.x > 0 ? 1 : 0) | (x.y > 0 ? 2 : 0) | (x.z > 0 ? 4 : 0);
    if (outside == 3) {
        return ss_feature(SS_FEATURE_VERTEX, corner);
    }
    if (outside == 1) {
        int32_t f = fabs(x.x) > h.x ? (x.x > 0) : fabs(x.y) > h.y ? 2 + (x.y > 0) : 4 + (x.z > 0);
        return ss_face_feature(p, f);
    }
    int32_t other = corner ^ (fabs(x.x) <= h.x ? 1 : fabs(x.y) <= h.y ? 2 : 4);
    for (int32_t e = 0; e < p->edge_count; e++) {
        int32_t v0 = p->edges[4 * e], v1 = p->edges[4 * e + 1];
        if ((v0 == corner && v1 == other) || (v0 == other && v1 == corner)) {
            return ss_feature(SS_FEATURE_EDGE, e);
        }
    }
    return SS_FEATURE_SURFACE;
}

void ss_pair_sphere_box(SS_PAIR_ARGS)
{
    ss_vec3 x = ss_to_body(fb, fa->p), h = ss_scale(0.5, b->params.box.size);
    ss_vec3 c  = ss_v3(clamp(x.x, h.x), clamp(x.y, h.y), clamp(x.z, h.z));
    ss_vec3 r  = ss_sub(x, c);
    double  d2 = ss_dot(r, r), far = a->params.sphere.radius + reach;
    if (d2 > far * far) {
        return;
    }
    if (d2 == 0) {
        nearest_face(a, fa, b, fb, reach, out);
        return;
    }
    double d = sqrt(d2);
    push_rounded(a, fa, b, fb, reach, out, c, ss_scale(1 / d, r), d, box_feature(b->poly, x, h));
}
