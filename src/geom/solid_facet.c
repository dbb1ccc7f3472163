/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flat facets of a solid: the polygon inscribed in each that carries the contact when the solid
 * lies on it. Its corners are the solid's own, and where the outline is curved, points at twelfths
 * of a turn about the middle, measured in an ellipse of the facet's extents: twelve evenly on a
 * circle.
 */
#include "core/constants.h"
#include "core/elementary.h"
#include "geom/solid.h"
#include "geom/tolerances.h"

enum { RIM_POINTS = 12 };

/* A facet in its plane: middle c, and an ellipse c + u cos t + v sin t of its extents. */
typedef struct facet_frame {
    int32_t surface;
    ss_vec3 c, u, v, n;
} facet_frame;

/* Where the facet ends in direction d, and at which surface. */
static double facet_exit(const ss_solid *s, const facet_frame *f, ss_vec3 d, int32_t *surface)
{
    double near = INFINITY;
    *surface    = -1;
    for (int32_t i = 0; i < s->surface_count; i++) {
        double k = i == f->surface ? INFINITY : ss_surface_exit(&s->surfaces[i], f->c, d);
        if (k < near) {
            near     = k;
            *surface = i;
        }
    }
    return near;
}

static ss_vec3 around(const facet_frame *f, double angle)
{
    return ss_axpy(ss_scale(ss_cos(angle), f->u), ss_sin(angle), f->v);
}

/* One step to the middle and the extents, by moments in polar coordinates of the present ellipse.
 */
static void centre_facet(const ss_solid *s, facet_frame *f)
{
    enum { RAYS = 180 };
    double area = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < RAYS; i++) {
        double  angle = 2 * SS_PI * i / RAYS, p = ss_cos(angle), q = ss_sin(angle);
        int32_t unused;
        double  k = facet_exit(s, f, around(f, angle), &unused), k2 = k * k;
        area += k2 / 2;
        x += k2 * k * p / 3;
        y += k2 * k * q / 3;
        xx += k2 * k2 * p * p / 4;
        xy += k2 * k2 * p * q / 4;
        yy += k2 * k2 * q * q / 4;
    }
    x /= area, y /= area;
    xx = xx / area - x * x, xy = xy / area - x * y, yy = yy / area - y * y;
    /* Cholesky factor of the second moments; a circle of radius r has r^2/4 on the diagonal */
    double a = 2 * sqrt(xx), b = 4 * xy / a, c = 2 * sqrt(fmax(0, yy - b * b / 4));
    f->c      = ss_axpy(ss_axpy(f->c, x, f->u), y, f->v);
    ss_vec3 u = f->u;
    f->u      = ss_axpy(ss_scale(a, u), b, f->v);
    f->v      = ss_scale(c, f->v);
}

static double angle_of(const facet_frame *f, ss_vec3 x)
{
    ss_vec3 r  = ss_sub(x, f->c);
    double  uu = ss_dot(f->u, f->u), uv = ss_dot(f->u, f->v), vv = ss_dot(f->v, f->v);
    double  ru = ss_dot(r, f->u), rv = ss_dot(r, f->v);
    double  angle = ss_atan2(uu * rv - uv * ru, vv * ru - uv * rv);
    return angle < 0 ? angle + 2 * SS_PI : angle;
}

/* In a convex outline, corners and rim points in the order of their angles. */
typedef struct outline {
    ss_outline_point *items;
    double           *angle;
    int32_t           count;
} outline;

static void insert(outline *o, ss_vec3 x, int32_t id, ss_vec3 centre, double angle)
{
    int32_t at = o->count++;
    for (; at > 0 && o->angle[at - 1] > angle; at--) {
        o->items[at] = o->items[at - 1];
        o->angle[at] = o->angle[at - 1];
    }
    o->items[at] = (ss_outline_point){x, id, centre};
    o->angle[at] = angle;
}

static bool is_on(const ss_solid *s, int32_t surface, ss_vec3 x)
{
    ss_vec3 unused;
    return fabs(ss_surface_height(&s->surfaces[surface], x, &unused)) <= SS_ON_FACET * s->size;
}

static bool is_near_a_corner(const ss_solid *s, ss_vec3 x, double distance)
{
    for (int32_t i = 0; i < s->corner_count; i++) {
        if (ss_norm(ss_sub(s->corners[i], x)) < distance) {
            return true;
        }
    }
    return false;
}

/*
 * Centre of curvature of the curve in which surface `other` cuts the facet's plane, at x. With m
 * the curve's normal in the plane and k the curvature of the surface's section along the curve,
 * that of the curve is k / m.n (Meusnier). A straight piece has its centre at x: it does not go
 * round.
 */
static ss_vec3 curvature_centre(const ss_solid *s, const facet_frame *f, int32_t other, ss_vec3 x)
{
    ss_vec3 n;
    ss_surface_height(&s->surfaces[other], x, &n);
    ss_vec3 m    = ss_axpy(n, -ss_dot(n, f->n), f->n);
    double  sine = ss_norm(m);
    double  k    = ss_surface_bend(&s->surfaces[other], x, ss_unit(ss_cross(f->n, m)), s->size);
    return k * s->size > sine * SS_ON_FACET ? ss_axpy(x, -1 / k, m) : x;
}

/* Points on the curved parts of the outline, unless a corner is close. */
static void add_rim(const ss_solid *s, const facet_frame *f, outline *o, int32_t *next_id)
{
    const double close = 0.05 * fmin(ss_norm(f->u), ss_norm(f->v));
    for (int k = 0; k < RIM_POINTS; k++) {
        double  angle = 2 * SS_PI * k / RIM_POINTS;
        ss_vec3 d     = around(f, angle), e;
        int32_t other;
        ss_vec3 x = ss_axpy(f->c, facet_exit(s, f, d, &other), d);
        if (!ss_surface_straight_edge(&s->surfaces[f->surface], &s->surfaces[other], &e) &&
            !is_near_a_corner(s, x, close)) {
            insert(o, x, (*next_id)++, curvature_centre(s, f, other, x), angle);
        }
    }
}

/* The middle of all corners and crease points on the plane: inside the facet. False: it has none.
 */
static bool start_facet(const ss_solid *s, facet_frame *f)
{
    int32_t count = 0;
    f->c          = ss_v3(0, 0, 0);
    for (int32_t i = 0; i < s->corner_count; i++) {
        if (is_on(s, f->surface, s->corners[i])) {
            f->c = ss_add(f->c, s->corners[i]);
            count++;
        }
    }
    for (int32_t i = 0; i < s->crease_count; i++) {
        const ss_crease *c = &s->creases[i];
        for (int32_t k = 0; (c->a == f->surface || c->b == f->surface) && k < c->count; k++) {
            f->c = ss_add(f->c, s->crease_points[c->first + k]);
            count++;
        }
    }
    ss_vec3 n = s->surfaces[f->surface].normal;
    ss_vec3 e = fabs(n.x) < 0.9 ? ss_v3(1, 0, 0) : ss_v3(0, 1, 0);
    f->n      = n;
    f->c      = ss_scale(1.0 / fmax(1, count), f->c);
    f->u      = ss_unit(ss_axpy(e, -ss_dot(e, n), n));
    f->v      = ss_cross(n, f->u);
    return count > 2;
}

static void outline_3d(const ss_solid *s, facet_frame *f, outline *o, int32_t *next_id)
{
    for (int i = 0; i < 4; i++) {
        centre_facet(s, f);
    }
    for (int32_t i = 0; i < s->corner_count; i++) {
        if (is_on(s, f->surface, s->corners[i])) {
            insert(o, s->corners[i], i, s->corners[i], angle_of(f, s->corners[i]));
        }
    }
    add_rim(s, f, o, next_id);
}

/* The two ends of a straight side, the solid on its left. */
static void outline_2d(const ss_solid *s, int32_t surface, outline *o)
{
    ss_vec3 n = s->surfaces[surface].normal;
    for (int32_t i = 0; i < s->corner_count; i++) {
        ss_vec3 x = s->corners[i];
        if (is_on(s, surface, x)) {
            insert(o, x, i, x, n.x * x.y - n.y * x.x);
        }
    }
}

ss_status ss_solid_facets(ss_geom_set *set, ss_solid *s)
{
    int32_t flat = s->surface_count - s->curved_count, most = flat * (s->corner_count + RIM_POINTS);
    ss_facet *facets  = ss_geom_memory(set, (size_t)flat + 1, sizeof *facets);
    outline   all     = {.items = ss_geom_memory(set, (size_t)most + 1, sizeof *all.items),
                         .angle = ss_geom_memory(set, (size_t)most + 1, sizeof *all.angle)};
    int32_t   next_id = s->corner_count, used = 0;
    if (facets == NULL || all.items == NULL || all.angle == NULL) {
        return ss_fail(set->ctx, SS_ERR_MEMORY, "no memory for the facets of an intersection");
    }
    for (int32_t i = s->curved_count; i < s->surface_count; i++) {
        facet_frame f = {.surface = i};
        outline     o = {all.items + used, all.angle + used, 0};
        if (s->dimension == 2) {
            outline_2d(s, i, &o);
        } else if (start_facet(s, &f)) {
            outline_3d(s, &f, &o, &next_id);
        }
        if (o.count >= s->dimension) {
            facets[s->facet_count++] = (ss_facet){i, used, o.count};
            used += o.count;
        }
    }
    s->facets    = facets;
    s->outlines  = all.items;
    s->rim_count = next_id - s->corner_count;
    return SS_OK;
}
