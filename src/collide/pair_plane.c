/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plane (2D: line) against everything: the normal is the plane's, and every point of b that is
 * an extreme point within reach makes a contact: gap = n.x - offset, exact and linear in x.
 */
#include "collide/core.h"
#include "collide/feature.h"
#include "collide/pairs.h"
#include "collide/tolerances.h"
#include "core/elementary.h"
#include "geom/solid.h"

typedef struct plane {
    ss_vec3 n;
    double  offset;
} plane;

static inline plane world_plane(const ss_geom *a, const ss_frame *fa)
{
    plane s;
    s.n      = ss_mul(&fa->R, a->params.plane.normal);
    s.offset = a->params.plane.offset + ss_dot(s.n, fa->p);
    return s;
}

static inline void push(ss_contact_list *out, const plane *s, uint32_t feature, ss_vec3 x,
                        double gap)
{
    ss_contact_push(out, SS_FEATURE_SURFACE, feature, ss_axpy(x, -gap, s->n), x, s->n, gap);
}

void ss_pair_plane_sphere(SS_PAIR_ARGS)
{
    plane  s   = world_plane(a, fa);
    double r   = b->params.sphere.radius;
    double gap = ss_dot(s.n, fb->p) - s.offset - r;
    if (gap <= reach) {
        push(out, &s, SS_FEATURE_SURFACE, ss_axpy(fb->p, -r, s.n), gap);
    }
}

double ss_gap_plane(SS_GAP_ARGS)
{
    plane   s = world_plane(a, fa);
    ss_vec3 x = ss_to_world(fb, b->cls->support(b, ss_neg(ss_tmul(&fb->R, s.n))));
    (void)enough;
    *normal = s.n;
    return ss_dot(s.n, x) - s.offset;
}

/* Vertex i of a box lies on the positive side of x, y, z where bits 0, 1, 2 of i are set. */
static void box_vertices(const plane *s, const ss_geom *b, const ss_frame *fb, double centre,
                         double reach, ss_contact_list *out)
{
    ss_vec3 h = ss_scale(0.5, b->params.box.size), d = ss_tmul(&fb->R, s->n);
    double  gx = h.x * d.x, gy = h.y * d.y, gz = h.z * d.z;
    for (int32_t i = 0; i < 8; i++) {
        double sx = i & 1 ? 1 : -1, sy = i & 2 ? 1 : -1, sz = i & 4 ? 1 : -1;
        double gap = centre + sx * gx + sy * gy + sz * gz;
        if (gap <= reach) {
            ss_vec3 x = ss_to_world(fb, ss_v3(sx * h.x, sy * h.y, sz * h.z));
            push(out, s, ss_feature(SS_FEATURE_VERTEX, i), x, gap);
        }
    }
}

void ss_pair_plane_box(SS_PAIR_ARGS)
{
    plane  s      = world_plane(a, fa);
    double centre = ss_dot(s.n, fb->p) - s.offset;
    if (centre - b->radius <= reach) {
        box_vertices(&s, b, fb, centre, reach, out);
    }
}

void ss_pair_plane_poly(SS_PAIR_ARGS)
{
    plane   s      = world_plane(a, fa);
    double  centre = ss_dot(s.n, fb->p) - s.offset;
    ss_vec3 d      = ss_tmul(&fb->R, s.n);
    if (centre - b->radius > reach) {
        return;
    }
    for (int32_t i = 0; i < b->poly->vertex_count; i++) {
        double gap = centre + ss_dot(d, b->poly->vertices[i]);
        if (gap <= reach && !ss_is_spoken_for(b->poly, i)) {
            push(out, &s, ss_vertex_feature(b->poly, i), ss_to_world(fb, b->poly->vertices[i]),
                 gap);
        }
    }
}

/* The two ends, 0 at low z. */
void ss_pair_plane_capsule(SS_PAIR_ARGS)
{
    plane  s = world_plane(a, fa);
    double r = b->params.capsule.radius, half = 0.5 * b->params.capsule.length;
    for (int32_t end = 0; end < 2; end++) {
        ss_vec3 x   = ss_to_world(fb, ss_v3(0, 0, end ? half : -half));
        double  gap = ss_dot(s.n, x) - s.offset - r;
        if (gap <= reach) {
            push(out, &s, ss_feature(SS_FEATURE_VERTEX, end), ss_axpy(x, -r, s.n), gap);
        }
    }
}

static inline void push_on_rim(ss_contact_list *out, const plane *s, uint32_t feature, ss_vec3 x,
                               double gap, ss_vec3 centre, ss_vec3 axis)
{
    out->roll = ss_contact_roll(centre, axis, x, s->n);
    push(out, s, feature, x, gap);
    out->roll = ss_v3(0, 0, 0);
}

/* The fixed points of the rim of an end that are in reach. */
static void push_rim(const plane *s, const ss_geom *b, const ss_frame *fb, int32_t end,
                     double reach, ss_contact_list *out)
{
    ss_vec3 axis = ss_mul(&fb->R, ss_v3(0, 0, 1));
    for (int32_t i = end * SS_RIM_POINTS; i < (end + 1) * SS_RIM_POINTS; i++) {
        ss_vec3 x   = ss_to_world(fb, ss_rim_point(b, i));
        double  gap = ss_dot(s->n, x) - s->offset;
        if (gap <= reach) {
            push_on_rim(out, s, ss_feature(SS_FEATURE_VERTEX, i), x, gap, fb->p, axis);
        }
    }
}

/*
 * Of each end the lowest point of its rim, which moves round as the cylinder rolls; and fixed
 * points where the middle of the end is no further above it than the reach: they carry a cylinder
 * that stands, where the lowest point is not defined, and a coin that comes to lie. A cylinder on
 * its side must not have them however far it can get within the step, or it would roll like a
 * polygon: only an end that faces the plane can come to lie on it.
 */
void ss_pair_plane_cylinder(SS_PAIR_ARGS)
{
    plane   s    = world_plane(a, fa);
    ss_vec3 down = ss_neg(ss_tmul(&fb->R, s.n));
    double  half = 0.5 * b->params.capsule.length, around = ss_hypot(down.x, down.y);
    double  r = b->params.capsule.radius;
    if (ss_dot(s.n, fb->p) - s.offset - b->radius > reach) {
        return;
    }
    for (int32_t end = 0; end < 2; end++) {
        ss_vec3 centre = ss_v3(0, 0, end ? half : -half), low = centre;
        double  gap = ss_dot(s.n, ss_to_world(fb, centre)) - s.offset - r * around;
        if (around > SS_PARALLEL && gap <= reach) {
            low.x = r * down.x / around;
            low.y = r * down.y / around;
            push(out, &s, ss_feature(SS_FEATURE_EDGE, end), ss_to_world(fb, low), gap);
        }
        if (r * around <= reach && (end ? down.z : -down.z) > SS_FACING) {
            push_rim(&s, b, fb, end, reach, out);
        }
    }
}

void ss_pair_plane_smooth(SS_PAIR_ARGS)
{
    plane   s   = world_plane(a, fa);
    ss_vec3 x   = ss_to_world(fb, b->cls->support(b, ss_neg(ss_tmul(&fb->R, s.n))));
    double  gap = ss_dot(s.n, x) - s.offset;
    if (gap <= reach) {
        push(out, &s, SS_FEATURE_SURFACE, x, gap);
    }
}

/* ---- solids cut from several shapes ---------------------------------------------------------- */

typedef struct solid_view {
    const plane     *plane;
    const ss_solid  *s;
    const ss_frame  *f;
    double           reach;
    ss_contact_list *out;
} solid_view;

static void offer(const solid_view *v, uint32_t feature, ss_vec3 inside)
{
    ss_vec3 x   = ss_to_world(v->f, inside);
    double  gap = ss_dot(v->plane->n, x) - v->plane->offset;
    if (gap <= v->reach) {
        push(v->out, v->plane, feature, x, gap);
    }
}

/* The lowest points of the two ends of a capsule, where they are on the solid. */
static void offer_ends(const solid_view *v, int32_t surface, ss_vec3 down)
{
    const ss_solid   *s = v->s;
    const ss_surface *c = &s->surfaces[surface];
    for (int32_t end = 0; end < 2; end++) {
        ss_vec3 x = ss_to_world(&c->at, ss_v3(0, 0, end ? c->half : -c->half));
        x         = ss_axpy(x, c->radius, down);
        if (ss_solid_height(s, x, surface) <= SS_ON_SOLID * s->size) {
            int32_t number = s->corner_count + s->rim_count + 2 * surface + end;
            offer(v, ss_feature(SS_FEATURE_VERTEX, number), x);
        }
    }
}

/* Does the crease lie level, so that it has no lowest point? */
static bool is_level(const ss_solid *s, const ss_crease *c, ss_vec3 down)
{
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < c->count; i++) {
        double k = ss_dot(down, s->crease_points[c->first + i]);
        low      = fmin(low, k);
        high     = fmax(high, k);
    }
    return high - low <= SS_LENGTH_ROUNDING * s->size;
}

/*
 * The fixed points on the curved outline of a facet, when its middle is no further above its lowest
 * point than the reach: as for the ends of cylinders.
 */
static void offer_rim(const solid_view *v, const ss_facet *facet, ss_vec3 down)
{
    const ss_outline_point *p   = v->s->outlines + facet->first;
    double                  low = -INFINITY, middle = 0;
    ss_vec3                 normal = v->s->surfaces[facet->surface].normal;
    ss_vec3                 axis   = ss_mul(&v->f->R, normal);
    if (ss_dot(normal, down) <= SS_FACING) {
        return;
    }
    for (int32_t i = 0; i < facet->count; i++) {
        low = fmax(low, ss_dot(down, p[i].x));
        middle += ss_dot(down, p[i].x) / facet->count;
    }
    for (int32_t i = 0; low - middle <= v->reach && i < facet->count; i++) {
        ss_vec3 x   = ss_to_world(v->f, p[i].x);
        double  gap = ss_dot(v->plane->n, x) - v->plane->offset;
        if (p[i].id >= v->s->corner_count && gap <= v->reach) {
            push_on_rim(v->out, v->plane, ss_feature(SS_FEATURE_VERTEX, p[i].id), x, gap,
                        ss_to_world(v->f, p[i].centre), axis);
        }
    }
}

/*
 * The lowest points of its patches and of its curved creases, which move as it rolls; its corners;
 * and the fixed points on the curved outlines of its facets, on which it stands.
 */
void ss_pair_plane_solid(SS_PAIR_ARGS)
{
    plane           p    = world_plane(a, fa);
    const ss_solid *s    = b->params.solid;
    solid_view      v    = {&p, s, fb, reach, out};
    ss_vec3         down = ss_neg(ss_tmul(&fb->R, p.n)), x;
    if (ss_dot(p.n, fb->p) - p.offset - b->radius > reach) {
        return;
    }
    for (int32_t i = 0; i < s->curved_count; i++) {
        if (s->surfaces[i].kind == SS_SURFACE_CAPSULE) {
            offer_ends(&v, i, down);
        } else if (ss_solid_patch_support(s, i, down, &x)) {
            offer(&v, ss_feature(SS_FEATURE_SURFACE, i), x);
        }
    }
    for (int32_t i = 0; i < s->crease_count; i++) {
        if (!is_level(s, &s->creases[i], down) && ss_solid_crease_support(s, i, down, &x)) {
            offer(&v, ss_feature(SS_FEATURE_EDGE, i), x);
        }
    }
    for (int32_t i = 0; i < s->corner_count; i++) {
        offer(&v, ss_feature(SS_FEATURE_VERTEX, i), s->corners[i]);
    }
    for (int32_t i = 0; i < s->facet_count; i++) {
        offer_rim(&v, &s->facets[i], down);
    }
}
