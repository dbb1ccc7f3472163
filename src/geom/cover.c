/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See cover.h. A face of Q with the plane n.x = o, in coordinates of P, covers P if
 *
 *   max over P of  n.x - o  = 0
 *
 * to what cutting leaves: the plane touches P and has it below. Its outline is a polygon, or the
 * circle of a cylinder's end.
 */
#include "geom/cover.h"

#include <math.h>

#include "geom/seam.h"
#include "geom/shape.h"
#include "geom/tolerances.h"

static bool is_cylinder(const ss_geom *g)
{
    return g->cls == &ss_shape_cylinder;
}

static ss_vec3 direction_seen(const ss_geom *p, const ss_geom *q, ss_vec3 d)
{
    return ss_tmul(&p->local.R, ss_mul(&q->local.R, d));
}

static ss_vec3 point_seen(const ss_geom *p, const ss_geom *q, ss_vec3 x)
{
    return ss_to_body(&p->local, ss_to_world(&q->local, x));
}

/* Does the plane through x touch p and have it below? */
static bool bounds(const ss_geom *p, ss_vec3 n, ss_vec3 x, double rounding)
{
    return fabs(ss_dot(n, ss_sub(p->cls->support(p, n), x))) <= rounding;
}

static ss_status add(ss_geom_set *set, ss_geom *p, const ss_cover *cover)
{
    ss_cover *c = ss_geom_memory(set, 1, sizeof *c);
    if (c == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for the covers of a piece");
    }
    *c        = *cover;
    c->next   = p->covers;
    p->covers = c;
    return SS_OK;
}

static ss_status cover_by_ends(ss_geom_set *set, ss_geom *p, const ss_geom *q, double rounding)
{
    for (int end = -1; end <= 1; end += 2) {
        ss_vec3 n = direction_seen(p, q, ss_v3(0, 0, end));
        ss_vec3 x = point_seen(p, q, ss_v3(0, 0, 0.5 * end * q->params.capsule.length));
        if (bounds(p, n, x, rounding)) {
            ss_cover c = {
                .normal = n, .at = x, .radius = q->params.capsule.radius, .rounding = rounding};
            SS_TRY(add(set, p, &c));
        }
    }
    return SS_OK;
}

static ss_status cover_by_face(ss_geom_set *set, ss_geom *p, const ss_geom *q, int32_t f,
                               double rounding)
{
    const ss_polyhedron *poly  = q->poly;
    int32_t              first = poly->face_start[f], count = poly->face_start[f + 1] - first;
    ss_vec3              n       = direction_seen(p, q, poly->normals[f]);
    ss_vec3              x       = point_seen(p, q, poly->vertices[poly->face_vertices[first]]);
    ss_vec3             *corners = NULL;
    if ((poly->face_ids != NULL && poly->face_ids[f] < 0) || !bounds(p, n, x, rounding)) {
        return SS_OK;
    }
    corners = ss_geom_memory(set, (size_t)count, sizeof *corners);
    if (corners == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for the covers of a piece");
    }
    for (int32_t i = 0; i < count; i++) {
        corners[i] = point_seen(p, q, poly->vertices[poly->face_vertices[first + i]]);
    }
    ss_cover c = {.normal = n, .at = x, .count = count, .corners = corners, .rounding = rounding};
    return add(set, p, &c);
}

static ss_status cover(ss_geom_set *set, ss_geom *p, const ss_geom *q, double rounding)
{
    if (is_cylinder(q)) {
        return cover_by_ends(set, p, q, rounding);
    }
    for (int32_t f = 0; q->poly != NULL && f < q->poly->face_count; f++) {
        SS_TRY(cover_by_face(set, p, q, f, rounding));
    }
    return SS_OK;
}

ss_status ss_find_covers(ss_geom_set *set, const ss_aabb *boxes)
{
    double rounding = SS_CUT_ROUNDING * set->size;
    for (int32_t i = 0; i < set->count && set->dimension == 3; i++) {
        ss_geom *p = &set->geoms[i];
        for (int32_t j = 0; j < set->count && p->cls->support != NULL; j++) {
            const ss_geom *q     = &set->geoms[j];
            bool           round = is_cylinder(p) || (p->poly != NULL && is_cylinder(q));
            if (j != i && round && ss_boxes_meet(&boxes[i], &boxes[j], rounding)) {
                SS_TRY(cover(set, p, q, rounding));
            }
        }
    }
    return SS_OK;
}

/* ---- questions ------------------------------------------------------------------------------- */

static double outside_circle(ss_vec3 centre, ss_vec3 n, double radius, ss_vec3 x)
{
    ss_vec3 r = ss_sub(x, centre);
    return ss_norm(ss_axpy(r, -ss_dot(r, n), n)) - radius;
}

double ss_cover_outside(const ss_cover *c, ss_vec3 x)
{
    double far = -INFINITY;
    if (c->count == 0) {
        return outside_circle(c->at, c->normal, c->radius, x);
    }
    for (int32_t i = 0; i < c->count; i++) {
        ss_vec3 from = c->corners[i], to = c->corners[i + 1 < c->count ? i + 1 : 0];
        ss_vec3 out = ss_unit(ss_cross(ss_sub(to, from), c->normal));
        far         = fmax(far, ss_dot(out, ss_sub(x, from)));
    }
    return far;
}

static bool over_own_of(const ss_polyhedron *p, const ss_cover *c, ss_vec3 x)
{
    for (int32_t f = 0; f < p->face_count; f++) {
        if (ss_norm(ss_sub(p->normals[f], c->normal)) > SS_PLANES_PARALLEL) {
            continue;
        }
        double far = -INFINITY;
        for (int32_t i = p->face_start[f]; i < p->face_start[f + 1]; i++) {
            int32_t next = i + 1 < p->face_start[f + 1] ? i + 1 : p->face_start[f];
            ss_vec3 from = p->vertices[p->face_vertices[i]];
            ss_vec3 to   = p->vertices[p->face_vertices[next]];
            ss_vec3 out  = ss_unit(ss_cross(ss_sub(to, from), c->normal));
            far          = fmax(far, ss_dot(out, ss_sub(x, from)));
        }
        return far <= c->rounding;
    }
    return false;
}

bool ss_over_own_face(const ss_geom *g, const ss_cover *c, ss_vec3 x)
{
    if (g->poly != NULL) {
        return over_own_of(g->poly, c, x);
    }
    ss_vec3 axis = ss_v3(0, 0, c->normal.z < 0 ? -1 : 1);
    return ss_norm(ss_sub(c->normal, axis)) <= SS_PLANES_PARALLEL &&
           outside_circle(ss_v3(0, 0, 0), axis, g->params.capsule.radius, x) <= c->rounding;
}
