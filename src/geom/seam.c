/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See seam.h. In the plane of f the other planes of Q bound the face g, so that all questions about
 * a seam are questions about the planes of both pieces:
 *
 *   f and g lie on each other   n_g = -n_f, the corners of each in the plane of the other, and no
 *                               side of either has all corners of the other beyond it
 *   x lies over g               max over the planes q of Q but g of  n_q.x - o_q  <= 0
 *
 * x may get in at the point c of f that is nearest to it, if other pieces lie on all of f around c.
 * If x is over f itself, c = x, and it is in already. On the border of g c is near surface, unless
 * the next piece begins there.
 */
#include "geom/seam.h"

#include <math.h>

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
static bool is_beside(const ss_polyhedron *p, const ss_vec3 *corners, int32_t g, int32_t planes,
                      const ss_vec3 *normals, const double *offsets, int32_t f, double rounding)
{
    for (int32_t k = 0; k < planes; k++) {
        if (k != f && heights(p, corners, g, normals[k], offsets[k]).low > -rounding) {
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
    return !is_beside(q->poly, q->corners, g, p->face_count, p->normals, p->offsets, f, rounding) &&
           !is_beside(p, p->vertices, f, q->poly->face_count, q->normals, q->offsets, g, rounding);
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
                         .rounding = rounding,
                         .next     = p->seams};
    p->seams = seam;
    return SS_OK;
}

bool ss_boxes_meet(const ss_aabb *a, const ss_aabb *b, double rounding)
{
    ss_vec3 up = ss_sub(a->high, b->low), down = ss_sub(b->high, a->low);
    return fmin(fmin(fmin(up.x, up.y), up.z), fmin(fmin(down.x, down.y), down.z)) >= -rounding;
}

/* Is there any face of q that looks against one of p, with a corner in its plane? */
static bool may_join(const ss_geom *p, const ss_geom *q, double rounding)
{
    for (int32_t g = 0; g < q->poly->face_count; g++) {
        int32_t corner = q->poly->face_vertices[q->poly->face_start[g]];
        ss_vec3 x      = ss_to_body(&p->local, ss_to_world(&q->local, q->poly->vertices[corner]));
        ss_vec3 n      = ss_tmul(&p->local.R, ss_mul(&q->local.R, q->poly->normals[g]));
        for (int32_t f = 0; f < p->poly->face_count; f++) {
            if (ss_dot(n, p->poly->normals[f]) < SS_SEAM_AGAINST &&
                fabs(ss_dot(p->poly->normals[f], x) - p->poly->offsets[f]) <= rounding) {
                return true;
            }
        }
    }
    return false;
}

/* The seams of p with q. */
static ss_status join(ss_geom_set *set, const ss_geom *p, const ss_geom *q, ss_polyhedron *out,
                      double rounding)
{
    piece seen;
    SS_TRY(see_from(set, p, q, &seen));
    for (int32_t f = 0; f < out->face_count; f++) {
        for (int32_t g = 0; g < q->poly->face_count; g++) {
            if (lie_on_each_other(out, f, &seen, g, rounding)) {
                SS_TRY(add_seam(set, out, f, &seen, g, rounding));
            }
        }
    }
    return SS_OK;
}

/* The seams of piece i with all others. */
static ss_status sew(ss_geom_set *set, int32_t i, const ss_aabb *boxes, double rounding)
{
    ss_geom       *p    = &set->geoms[i];
    ss_polyhedron *sewn = ss_geom_memory(set, 1, sizeof *sewn);
    if (sewn == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for the seams of a body");
    }
    *sewn = *p->poly;
    for (int32_t j = 0; j < set->count; j++) {
        const ss_geom *q = &set->geoms[j];
        if (j != i && q->poly != NULL && ss_boxes_meet(&boxes[i], &boxes[j], rounding) &&
            may_join(p, q, rounding)) {
            SS_TRY(join(set, p, q, sewn, rounding));
        }
    }
    p->poly = sewn->seams != NULL ? sewn : p->poly;
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
    for (int32_t i = 0; i < set->count; i++) {
        if (set->geoms[i].poly != NULL) {
            SS_TRY(sew(set, i, boxes, rounding));
        }
    }
    return SS_OK;
}

/* ---- questions ------------------------------------------------------------------------------- */

/* How far x is past the planes of a piece but one (negative: it is over that face). */
static double past(int32_t planes, const ss_vec3 *normals, const double *offsets, int32_t but,
                   ss_vec3 x)
{
    double far = -INFINITY;
    for (int32_t k = 0; k < planes; k++) {
        if (k != but) {
            far = fmax(far, ss_dot(normals[k], x) - offsets[k]);
        }
    }
    return far;
}

static double past_behind(const ss_seam *s, ss_vec3 x)
{
    return past(s->planes, s->normals, s->offsets, s->behind, x);
}

static double height_over(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    return ss_dot(p->normals[f], x) - p->offsets[f];
}

/* The point of face f nearest to x, which lies past its border. */
static ss_vec3 nearest_on_border(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    int32_t first = p->face_start[f], last = p->face_start[f + 1] - 1;
    ss_vec3 from = p->vertices[p->face_vertices[last]], best = from;
    double  least = INFINITY;
    for (int32_t i = first; i <= last; i++) {
        ss_vec3 to = p->vertices[p->face_vertices[i]], along = ss_sub(to, from);
        double  t = ss_dot(ss_sub(x, from), along) / ss_dot(along, along);
        ss_vec3 c = ss_axpy(from, t < 0 ? 0 : t > 1 ? 1 : t, along);
        ss_vec3 r = ss_sub(x, c);
        if (ss_dot(r, r) < least) {
            least = ss_dot(r, r);
            best  = c;
        }
        from = to;
    }
    return best;
}

static bool is_covered(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    for (const ss_seam *s = p->seams; s != NULL; s = s->next) {
        if (s->face == f && past_behind(s, x) <= s->rounding) {
            return true;
        }
    }
    return false;
}

/* A little way from c on face f towards another of its points. */
static bool is_covered_towards(const ss_polyhedron *p, int32_t f, ss_vec3 c, ss_vec3 to,
                               double little)
{
    ss_vec3 way = ss_sub(to, c);
    double  far = ss_norm(way);
    return far <= little || is_covered(p, f, ss_axpy(c, little / far, way));
}

/* Do other pieces lie on all of face f that is near its point c? Asked towards corners, middles of
   sides and the middle. */
static bool is_covered_around(const ss_polyhedron *p, int32_t f, ss_vec3 c)
{
    int32_t first = p->face_start[f], last = p->face_start[f + 1] - 1;
    ss_vec3 from = p->vertices[p->face_vertices[last]], middle = {0, 0, 0};
    double  little = SS_SEAM_AROUND * p->seams->rounding;
    bool    all    = is_covered(p, f, c);
    for (int32_t i = first; i <= last && all; i++) {
        ss_vec3 to = p->vertices[p->face_vertices[i]];
        middle     = ss_axpy(middle, 1.0 / (last + 1 - first), to);
        all        = is_covered_towards(p, f, c, to, little) &&
              is_covered_towards(p, f, c, ss_scale(0.5, ss_add(from, to)), little);
        from = to;
    }
    return all && is_covered_towards(p, f, c, middle, little);
}

/* Does x lie in a piece behind face f, not just on its surface? */
static bool is_behind(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    for (const ss_seam *s = p->seams; s != NULL; s = s->next) {
        double g = ss_dot(s->normals[s->behind], x) - s->offsets[s->behind];
        if (s->face == f && fmax(g, past_behind(s, x)) < -s->rounding) {
            return true;
        }
    }
    return false;
}

static bool has_seam(const ss_polyhedron *p, int32_t f)
{
    const ss_seam *s = p->seams;
    while (s != NULL && s->face != f) {
        s = s->next;
    }
    return s != NULL;
}

bool ss_lies_in_seam(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    return has_seam(p, f) && fabs(height_over(p, f, x)) <= p->seams->rounding &&
           past(p->face_count, p->normals, p->offsets, f, x) < -p->seams->rounding &&
           is_covered_around(p, f, x);
}

bool ss_face_is_shut(const ss_polyhedron *p, int32_t f, ss_vec3 x)
{
    double height = height_over(p, f, x);
    if (!has_seam(p, f) || (height > p->seams->rounding && !is_behind(p, f, x))) {
        return false;
    }
    ss_vec3 c = ss_axpy(x, -height, p->normals[f]);
    if (past(p->face_count, p->normals, p->offsets, f, c) >= -p->seams->rounding) {
        c = nearest_on_border(p, f, c);
    }
    return is_covered_around(p, f, c);
}
