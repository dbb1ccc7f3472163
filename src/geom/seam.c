/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See seam.h. In the plane of f the other planes of Q bound the face g, so that all questions about
 * a seam are questions about the planes of both pieces:
 *
 *   f and g lie on each other   n_g = -n_f, the corners of each in the plane of the other, and no
 *                               side of either has all corners of the other beyond it
 *   x lies over g               max over the planes q of Q but g of  n_q.x - o_q  <= 0
 *
 * A piece may have several faces in one plane: sides of a polygon, and cuts that go on with them.
 * They count as one, which is `f' in all of this.
 *
 * x may get in at the point c of f that is nearest to it, if other pieces lie on all of f around c.
 * If x is over f itself, c = x, and it is in already. On the border of g c is near surface, unless
 * the next piece begins there.
 */
#include "geom/seam.h"

#include <math.h>

#include "core/elementary.h"
#include "geom/tolerances.h"

/* ---- faces on each other --------------------------------------------------------------------- */

/* A piece, its planes and corners in the coordinates of another one. */
typedef struct piece {
    const ss_polyhedron *poly;
    ss_vec3             *normals, *corners;
    double              *offsets;
} piece;

static ss_status see_from(ss_geom_set *set, const ss_geom *p, const ss_geom *q, piece *out)
{
    const ss_polyhedron *poly = q->poly;
    ss_mat3              back = ss_mat3_transpose(&p->local.R);
    ss_mat3              turn = ss_mat3_mul(&back, &q->local.R);
    ss_vec3              move = ss_mul(&back, ss_sub(q->local.p, p->local.p));
    out->poly                 = poly;
    out->normals              = ss_geom_memory(set, (size_t)poly->face_count, sizeof *out->normals);
    out->offsets              = ss_geom_memory(set, (size_t)poly->face_count, sizeof *out->offsets);
    out->corners = ss_geom_memory(set, (size_t)poly->vertex_count, sizeof *out->corners);
    if (out->normals == NULL || out->offsets == NULL || out->corners == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for the seams of a body");
    }
    for (int32_t f = 0; f < poly->face_count; f++) {
        out->normals[f] = ss_mul(&turn, poly->normals[f]);
        out->offsets[f] = poly->offsets[f] + ss_dot(out->normals[f], move);
    }
    for (int32_t i = 0; i < poly->vertex_count; i++) {
        out->corners[i] = ss_add(ss_mul(&turn, poly->vertices[i]), move);
    }
    return SS_OK;
}

/* Heights of the corners of a face over a plane. */
typedef struct span {
    double low, high;
} span;

static span heights(const ss_polyhedron *p, const ss_vec3 *corners, int32_t f, ss_vec3 n, double o)
{
    span s = {INFINITY, -INFINITY};
    for (int32_t i = p->face_start[f]; i < p->face_start[f + 1]; i++) {
        double height = ss_dot(n, corners[p->face_vertices[i]]) - o;
        s.low         = fmin(s.low, height);
        s.high        = fmax(s.high, height);
    }
    return s;
}

/* Do all corners of face g of one piece lie beyond a plane of the other that is not f's? */
static bool is_beside(const ss_polyhedron *p, const ss_vec3 *corners, int32_t g,
                      const ss_polyhedron *other, const ss_vec3 *normals, const double *offsets,
                      int32_t f, double rounding)
{
    for (int32_t k = 0; k < other->face_count; k++) {
        if (other->plane[k] != other->plane[f] &&
            heights(p, corners, g, normals[k], offsets[k]).low > -rounding) {
            return true;
        }
    }
    return false;
}

static bool lie_on_each_other(const ss_polyhedron *p, int32_t f, const piece *q, int32_t g,
                              double rounding)
{
    if (ss_dot(p->normals[f], q->normals[g]) > SS_SEAM_AGAINST) {
        return false;
    }
    span a = heights(q->poly, q->corners, g, p->normals[f], p->offsets[f]);
    span b = heights(p, p->vertices, f, q->normals[g], q->offsets[g]);
    if (fmax(fmax(-a.low, a.high), fmax(-b.low, b.high)) > rounding) {
        return false;
    }
    return !is_beside(q->poly, q->corners, g, p, p->normals, p->offsets, f, rounding) &&
           !is_beside(p, p->vertices, f, q->poly, q->normals, q->offsets, g, rounding);
}

/* ---- the seams of a body --------------------------------------------------------------------- */

static ss_status add_seam(ss_geom_set *set, ss_polyhedron *p, int32_t f, const piece *q, int32_t g,
                          double rounding)
{
    ss_seam *seam = ss_geom_memory(set, 1, sizeof *seam);
    if (seam == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for the seams of a body");
    }
    *seam    = (ss_seam){.face     = f,
                         .behind   = g,
                         .planes   = q->poly->face_count,
                         .normals  = q->normals,
                         .offsets  = q->offsets,
                         .plane    = q->poly->plane,
                         .rounding = rounding,
                         .next     = p->seams};
    p->seams = seam;
    return SS_OK;
}

/* How far x is past the planes of a piece (negative: it is inside). */
static double outside(int32_t planes, const ss_vec3 *normals, const double *offsets, ss_vec3 x)
{
    double far = -INFINITY;
    for (int32_t k = 0; k < planes; k++) {
        far = fmax(far, ss_dot(normals[k], x) - offsets[k]);
    }
    return far;
}

static bool has_any(int32_t planes, const ss_vec3 *normals, const double *offsets,
                    const ss_vec3 *corners, int32_t count, double rounding)
{
    for (int32_t i = 0; i < count; i++) {
        if (outside(planes, normals, offsets, corners[i]) <= rounding) {
            return true;
        }
    }
    return false;
}

/* Remember q if a corner of one of the two is a point of the other. */
static ss_status add_joined(ss_geom_set *set, ss_polyhedron *p, const piece *q, bool inner,
                            double rounding)
{
    int32_t faces = q->poly->face_count, corners = q->poly->vertex_count;
    if (!has_any(faces, q->normals, q->offsets, p->vertices, p->vertex_count, rounding) &&
        !has_any(p->face_count, p->normals, p->offsets, q->corners, corners, rounding)) {
        return SS_OK;
    }
    ss_joined *joined = ss_geom_memory(set, 1, sizeof *joined);
    if (joined == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for the seams of a body");
    }
    *joined   = (ss_joined){faces, q->normals, q->offsets, inner, p->joined};
    p->joined = joined;
    return SS_OK;
}

bool ss_boxes_meet(const ss_aabb *a, const ss_aabb *b, double rounding)
{
    ss_vec3 up = ss_sub(a->high, b->low), down = ss_sub(b->high, a->low);
    return fmin(fmin(fmin(up.x, up.y), up.z), fmin(fmin(down.x, down.y), down.z)) >= -rounding;
}

/* The seams of p with q. */
static ss_status join(ss_geom_set *set, const ss_geom *p, const ss_geom_piece *other,
                      ss_polyhedron *out, double rounding)
{
    const ss_geom *q = &other->geom;
    piece          seen;
    SS_TRY(see_from(set, p, q, &seen));
    SS_TRY(add_joined(set, out, &seen, other->number < 0, rounding));
    for (int32_t f = 0; f < out->face_count; f++) {
        for (int32_t g = 0; g < q->poly->face_count; g++) {
            if (lie_on_each_other(out, f, &seen, g, rounding)) {
                SS_TRY(add_seam(set, out, f, &seen, g, rounding));
            }
        }
    }
    return SS_OK;
}

/* The seams of geom i with all other pieces. */
static ss_status sew(ss_geom_set *set, int32_t i, const ss_aabb *boxes, double rounding)
{
    ss_geom       *p    = &set->geoms[i];
    ss_polyhedron *sewn = ss_geom_memory(set, 1, sizeof *sewn);
    if (sewn == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for the seams of a body");
    }
    *sewn = *p->poly;
    for (int32_t j = 0; j < set->piece_count; j++) {
        const ss_geom *q = &set->pieces[j].geom;
        ss_aabb        box;
        if (set->pieces[j].number == i || q->poly == NULL) {
            continue;
        }
        q->cls->bounds(q, &q->local, &box);
        if (ss_boxes_meet(&boxes[i], &box, rounding)) {
            SS_TRY(join(set, p, &set->pieces[j], sewn, rounding));
        }
    }
    p->poly = sewn;
    return SS_OK;
}

/* Do all corners of face f lie in the plane of face g, which looks the same way? */
static bool lies_in_plane(const ss_polyhedron *p, int32_t f, int32_t g, double rounding)
{
    span s = heights(p, p->vertices, f, p->normals[g], p->offsets[g]);
    return ss_dot(p->normals[f], p->normals[g]) > 0 && fmax(-s.low, s.high) <= rounding;
}

/* Number the planes of a piece by the first face in each. */
static ss_status number_planes(ss_geom_set *set, ss_geom_piece *of, double rounding)
{
    const ss_polyhedron *p        = of->geom.poly;
    ss_polyhedron       *numbered = ss_geom_memory(set, 1, sizeof *numbered);
    int32_t             *plane    = ss_geom_memory(set, (size_t)p->face_count, sizeof *plane);
    if (numbered == NULL || plane == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for the seams of a body");
    }
    for (int32_t f = 0; f < p->face_count; f++) {
        int32_t g = 0;
        while (g < f && (plane[g] != g || !lies_in_plane(p, f, g, rounding))) {
            g++;
        }
        plane[f] = g;
    }
    *numbered       = *p;
    numbered->plane = plane;
    of->geom.poly   = numbered;
    if (of->number >= 0) {
        set->geoms[of->number].poly = numbered;
    }
    return SS_OK;
}

ss_status ss_boxes_of(ss_geom_set *set, ss_aabb **out)
{
    ss_aabb *boxes = ss_geom_memory(set, (size_t)set->count, sizeof *boxes);
    if (boxes == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for the seams of a body");
    }
    for (int32_t i = 0; i < set->count; i++) {
        set->geoms[i].cls->bounds(&set->geoms[i], &set->geoms[i].local, &boxes[i]);
    }
    *out = boxes;
    return SS_OK;
}

ss_status ss_find_seams(ss_geom_set *set, const ss_aabb *boxes)
{
    double rounding = SS_CUT_ROUNDING * set->size;
    for (int32_t i = 0; i < set->piece_count; i++) {
        if (set->pieces[i].geom.poly != NULL) {
            SS_TRY(number_planes(set, &set->pieces[i], rounding));
        }
    }
    for (int32_t i = 0; i < set->count; i++) {
        if (set->geoms[i].poly != NULL) {
            SS_TRY(sew(set, i, boxes, rounding));
        }
    }
    return SS_OK;
}

/* ---- questions ------------------------------------------------------------------------------- */

/* How far x is past the planes of a piece but that of one face (negative: it is over that face). */
static double past(int32_t planes, const ss_vec3 *normals, const double *offsets,
                   const int32_t *plane, int32_t but, ss_vec3 x)
{
    double far = -INFINITY;
    for (int32_t k = 0; k < planes; k++) {
        if (plane[k] != plane[but]) {
            far = fmax(far, ss_dot(normals[k], x) - offsets[k]);
        }
    }
    return far;
}

static double past_behind(const ss_seam *s, ss_vec3 x)
{
    return past(s->planes, s->normals, s->offsets, s->plane, s->behind, x);
}

static double past_border(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    return past(p->face_count, p->normals, p->offsets, p->plane, f, x);
}

static double height_over(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    return ss_dot(p->normals[f], x) - p->offsets[f];
}

static bool is_one_with(const ss_polyhedron *p, int32_t g, int32_t f)
{
    return p->plane[g] == p->plane[f];
}

/* Offer the point of a segment that is nearest to x. */
static void offer_nearest(ss_vec3 from, ss_vec3 to, ss_vec3 x, double *least, ss_vec3 *best)
{
    ss_vec3 along = ss_sub(to, from);
    double  t     = ss_dot(ss_sub(x, from), along) / ss_dot(along, along);
    ss_vec3 c     = ss_axpy(from, t < 0 ? 0 : t > 1 ? 1 : t, along);
    ss_vec3 r     = ss_sub(x, c);
    if (ss_dot(r, r) < *least) {
        *least = ss_dot(r, r);
        *best  = c;
    }
}

/* The point of f nearest to x, which lies past its border. */
static ss_vec3 nearest_on_border(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    ss_vec3 best  = x;
    double  least = INFINITY;
    for (int32_t g = 0; g < p->face_count; g++) {
        if (!is_one_with(p, g, f)) {
            continue;
        }
        ss_vec3 from = p->vertices[p->face_vertices[p->face_start[g + 1] - 1]];
        for (int32_t i = p->face_start[g]; i < p->face_start[g + 1]; i++) {
            ss_vec3 to = p->vertices[p->face_vertices[i]];
            offer_nearest(from, to, x, &least, &best);
            from = to;
        }
    }
    return best;
}

static bool is_covered(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    for (const ss_seam *s = p->seams; s != NULL; s = s->next) {
        if (is_one_with(p, s->face, f) && past_behind(s, x) <= s->rounding) {
            return true;
        }
    }
    return false;
}

/* A little way from c on f towards another of its points. */
static bool is_covered_towards(const ss_polyhedron *p, int32_t f, ss_vec3 c, ss_vec3 to,
                               double little)
{
    ss_vec3 way = ss_sub(to, c);
    double  far = ss_norm(way);
    return far <= little || is_covered(p, f, ss_axpy(c, little / far, way));
}

/* Asked towards corners, middles of sides and the middle of face g, which is part of f. */
static bool is_covered_on(const ss_polyhedron *p, int32_t f, int32_t g, ss_vec3 c, double little)
{
    int32_t first = p->face_start[g], last = p->face_start[g + 1] - 1;
    ss_vec3 from = p->vertices[p->face_vertices[last]], middle = {0, 0, 0};
    bool    all = true;
    for (int32_t i = first; i <= last && all; i++) {
        ss_vec3 to = p->vertices[p->face_vertices[i]];
        middle     = ss_axpy(middle, 1.0 / (last + 1 - first), to);
        all        = is_covered_towards(p, f, c, to, little) &&
              is_covered_towards(p, f, c, ss_scale(0.5, ss_add(from, to)), little);
        from = to;
    }
    return all && is_covered_towards(p, f, c, middle, little);
}

/* Do other pieces lie on all of f that is a little away from its point c? */
static bool is_covered_around(const ss_polyhedron *p, int32_t f, ss_vec3 c, double little)
{
    bool all = is_covered(p, f, c);
    for (int32_t g = 0; g < p->face_count && all; g++) {
        all = !is_one_with(p, g, f) || is_covered_on(p, f, g, c, little);
    }
    return all;
}

/* Does x lie in a piece that has the point c of this one, not just on its surface? */
static bool is_in_joined(const ss_polyhedron *p, ss_vec3 c, ss_vec3 x)
{
    double rounding = p->seams->rounding;
    for (const ss_joined *q = p->joined; q != NULL; q = q->next) {
        if (outside(q->planes, q->normals, q->offsets, c) <= rounding &&
            outside(q->planes, q->normals, q->offsets, x) < -rounding) {
            return true;
        }
    }
    return false;
}

static bool has_seam(const ss_polyhedron *p, int32_t f)
{
    const ss_seam *s = p->seams;
    while (s != NULL && !is_one_with(p, s->face, f)) {
        s = s->next;
    }
    return s != NULL;
}

/* The least that counts as around a point. */
static double around(const ss_polyhedron *p)
{
    return SS_SEAM_AROUND * p->seams->rounding;
}

static bool lies_in_seam(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    return has_seam(p, f) && fabs(height_over(p, f, x)) <= p->seams->rounding &&
           past_border(p, f, x) < -p->seams->rounding && is_covered_around(p, f, x, around(p));
}

/* How far c, a point of f where other pieces lie on it, is from where they do not, at least. */
static double covered_for(const ss_polyhedron *p, int32_t f, ss_vec3 c)
{
    double border = -past_border(p, f, c), clear = around(p);
    while (clear < border && is_covered_around(p, f, c, 2 * clear)) {
        clear *= 2;
    }
    for (const ss_seam *s = p->seams; s != NULL; s = s->next) {
        clear = is_one_with(p, s->face, f) ? fmax(clear, -past_behind(s, c)) : clear;
    }
    return fmin(clear, border);
}

/* How far x, which is below f or in a seam of it, is from where f is surface, at least. */
static double way_out(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    double  height = height_over(p, f, x);
    ss_vec3 c      = ss_axpy(x, -height, p->normals[f]);
    if (past_border(p, f, c) >= -p->seams->rounding) {
        return ss_norm(ss_sub(x, nearest_on_border(p, f, c)));
    }
    bool covered = has_seam(p, f) && is_covered_around(p, f, c, around(p));
    return covered ? ss_hypot(height, covered_for(p, f, c)) : fabs(height);
}

static double shortest_way_out(const ss_polyhedron *p, ss_vec3 x)
{
    double least = INFINITY;
    for (int32_t f = 0; f < p->face_count; f++) {
        least = p->plane[f] == f ? fmin(least, way_out(p, f, x)) : least;
    }
    return least;
}

/* How deep x is in inner pieces beside this one; negative: it is in none. */
static double depth_in_inner(const ss_polyhedron *p, ss_vec3 x)
{
    double depth = -INFINITY;
    for (const ss_joined *q = p->joined; q != NULL; q = q->next) {
        double out = q->inner ? outside(q->planes, q->normals, q->offsets, x) : INFINITY;
        depth      = fmax(depth, -out);
    }
    return depth;
}

double ss_gap_of_joined(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    double height = height_over(p, f, x);
    if (height < 0 || lies_in_seam(p, f, x)) {
        return -shortest_way_out(p, x);
    }
    double depth = depth_in_inner(p, x);
    return depth > p->seams->rounding ? -depth : height;
}

/*
 * Does f lead into the body alone from a point c of its border? Another face of the piece at c is
 * surface. What is above f and below that one lies in other pieces, if they begin right behind its
 * plane: where the body is a valley, and not where it goes on flush or falls off.
 */
static bool is_dead_end(const ss_polyhedron *p, int32_t f, ss_vec3 c)
{
    bool any = false;
    for (int32_t k = 0; k < p->face_count; k++) {
        if (p->plane[k] != k || is_one_with(p, k, f) ||
            fabs(height_over(p, k, c)) > p->seams->rounding ||
            (has_seam(p, k) && is_covered_around(p, k, c, around(p)))) {
            continue;
        }
        double  turn = ss_dot(p->normals[f], p->normals[k]);
        ss_vec3 on   = ss_unit(ss_axpy(p->normals[f], -turn, p->normals[k]));
        if (!is_in_joined(p, c, ss_axpy(c, around(p), on))) {
            return false;
        }
        any = true;
    }
    return any;
}

/* Is x on the free side of the surface at c, as it begins there? Else other pieces are between. */
static bool sees(const ss_polyhedron *p, ss_vec3 c, ss_vec3 x)
{
    ss_vec3 way = ss_sub(x, c);
    double  far = ss_norm(way), little = around(p);
    return far <= little || !is_in_joined(p, c, ss_axpy(c, little / far, way));
}

double ss_shut_for(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    if (!has_seam(p, f)) {
        return 0;
    }
    double  height = height_over(p, f, x), rounding = p->seams->rounding;
    ss_vec3 c    = ss_axpy(x, -height, p->normals[f]);
    bool    over = past_border(p, f, c) < -rounding;
    c            = over ? c : nearest_on_border(p, f, c);
    if (!is_covered_around(p, f, c, around(p))) {
        return 0;
    }
    bool entered = height <= rounding || is_in_joined(p, c, x);
    if (!over && (entered || sees(p, c, x)) && is_dead_end(p, f, c)) {
        return INFINITY;
    }
    return !entered ? 0 : over ? rounding + covered_for(p, f, c) : rounding;
}
