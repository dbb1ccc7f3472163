/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heights, normals, rays and support points of smooth convex surfaces.
 *
 * All but planes and capsules are unit balls of a norm N (gauge) in the coordinates of a frame:
 *   quadric   N = |w|,  w = (x/a, y/b, z/c), a cylinder without the z,
 *   oval      N = (F^p1 + |z/c|^p1)^(1/p1),  F = (|x/a|^p2 + |y/b|^p2)^(1/p2),   p = 2/e,
 * and height = (N - 1)/|grad N|. A ray c + k u leaves a quadric at the larger root of a quadratic
 * equation; an oval where Newton's method, started outside, comes down to N = 1: N is convex, so it
 * never steps over the root.
 */
#include "geom/surface.h"

#include "core/elementary.h"
#include "geom/formula_body.h"
#include "geom/p_norm.h"
#include "geom/solid.h"
#include "geom/tolerances.h"

static ss_vec3 times(ss_vec3 a, ss_vec3 b)
{
    return ss_v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

/* N and its gradient, both in the surface's frame. */
static double oval_norm(const ss_surface *s, ss_vec3 y, ss_vec3 *grad)
{
    double  e1 = s->shape.params.ellipsoid.e1, e2 = s->shape.params.ellipsoid.e2;
    ss_vec3 g;
    double  n = ss_nested_norm(times(y, s->inverse), 2 / e1, 2 / e2, &g);
    *grad     = times(g, s->inverse);
    return n;
}

static double norm_of(const ss_surface *s, ss_vec3 y, ss_vec3 *grad)
{
    if (s->kind == SS_SURFACE_OVAL) {
        return oval_norm(s, y, grad);
    }
    ss_vec3 w = times(y, s->inverse);
    double  n = ss_norm(w);
    *grad     = ss_scale(n > 0 ? 1 / n : 0, times(w, s->inverse));
    return n;
}

static double capsule_height(const ss_surface *s, ss_vec3 y, ss_vec3 *normal)
{
    double  z = fmax(-s->half, fmin(s->half, y.z));
    ss_vec3 r = ss_v3(y.x, y.y, y.z - z);
    *normal   = ss_mul(&s->at.R, ss_norm(r) > 0 ? ss_unit(r) : ss_v3(1, 0, 0));
    return ss_norm(r) - s->radius;
}

double ss_surface_height(const ss_surface *s, ss_vec3 x, ss_vec3 *normal)
{
    if (s->kind == SS_SURFACE_PLANE) {
        *normal = s->normal;
        return ss_dot(s->normal, x) - s->offset;
    }
    ss_vec3 y = ss_to_body(&s->at, x), grad;
    if (s->kind == SS_SURFACE_CAPSULE) {
        return capsule_height(s, y, normal);
    }
    if (s->kind == SS_SURFACE_FORMULA) {
        double height = ss_body_height(s->shape.params.formula_body, y, &grad);
        *normal       = ss_mul(&s->at.R, grad);
        return height;
    }
    double n = norm_of(s, y, &grad), steep = ss_norm(grad);
    if (n == 0) { /* the middle: any direction */
        *normal = ss_mul(&s->at.R, ss_v3(1, 0, 0));
        return -1 / fmax(s->inverse.x, fmax(s->inverse.y, s->inverse.z));
    }
    *normal = ss_scale(1 / steep, ss_mul(&s->at.R, grad));
    return (n - 1) / steep;
}

double ss_surface_bend(const ss_surface *s, ss_vec3 x, ss_vec3 t, double size)
{
    const double step = SS_BEND_STEP * size;
    ss_vec3      up, down;
    if (s->kind == SS_SURFACE_PLANE) {
        return 0;
    }
    ss_surface_height(s, ss_axpy(x, step, t), &up);
    ss_surface_height(s, ss_axpy(x, -step, t), &down);
    return ss_dot(t, ss_sub(up, down)) / (2 * step);
}

/* ---- rays ------------------------------------------------------------------------------------ */

/* The larger root of |c + k u| = 1. */
static double ball_exit(ss_vec3 c, ss_vec3 u)
{
    double a = ss_dot(u, u), b = ss_dot(c, u), room = 1 - ss_dot(c, c);
    double root = sqrt(fmax(0, b * b + a * room));
    if (a == 0) {
        return INFINITY;
    }
    return b > 0 ? room / (b + root) : (root - b) / a;
}

static double capsule_exit(const ss_surface *s, ss_vec3 c, ss_vec3 u)
{
    double k    = 1 / s->radius;
    double side = ball_exit(ss_v3(k * c.x, k * c.y, 0), ss_v3(k * u.x, k * u.y, 0));
    double z    = isfinite(side) ? c.z + side * u.z : copysign(INFINITY, u.z);
    if (fabs(z) <= s->half) {
        return side;
    }
    ss_vec3 from = ss_v3(c.x, c.y, c.z - copysign(s->half, z));
    double  a = ss_dot(u, u), b = ss_dot(from, u), out = ss_dot(from, from) - s->radius * s->radius;
    return (sqrt(fmax(0, b * b - a * out)) - b) / a;
}

static double oval_exit(const ss_surface *s, ss_vec3 c, ss_vec3 u)
{
    enum { MAX_STEPS = 200 };
    ss_vec3 grad;
    double  along = oval_norm(s, u, &grad);
    if (along == 0) {
        return INFINITY;
    }
    double k = (1 + oval_norm(s, c, &grad)) / along;
    for (int i = 0; i < MAX_STEPS; i++) {
        double n = oval_norm(s, ss_axpy(c, k, u), &grad), step = (n - 1) / ss_dot(grad, u);
        if (!(step > SS_OVAL_SETTLED * k)) {
            break;
        }
        k -= step;
    }
    return k;
}

double ss_surface_exit(const ss_surface *s, ss_vec3 c, ss_vec3 u)
{
    if (s->kind == SS_SURFACE_PLANE) {
        double rate = ss_dot(s->normal, u);
        return rate > 0 ? (s->offset - ss_dot(s->normal, c)) / rate : INFINITY;
    }
    ss_vec3 y = ss_to_body(&s->at, c), v = ss_tmul(&s->at.R, u);
    if (s->kind == SS_SURFACE_CAPSULE) {
        return capsule_exit(s, y, v);
    }
    if (s->kind == SS_SURFACE_OVAL) {
        return oval_exit(s, y, v);
    }
    if (s->kind == SS_SURFACE_FORMULA) {
        return ss_body_exit(s->shape.params.formula_body, y, v);
    }
    return ball_exit(times(y, s->inverse), times(v, s->inverse));
}

/* What is convex along a line: the height, of a formula its value. */
static double level(const ss_surface *s, ss_vec3 x)
{
    ss_vec3 unused;
    if (s->kind == SS_SURFACE_FORMULA) {
        return ss_body_at(s->shape.params.formula_body, ss_to_body(&s->at, x), 0).v;
    }
    return ss_surface_height(s, x, &unused);
}

/* Where the line is lowest, by the golden section. */
static double lowest_on_line(const ss_surface *s, ss_vec3 x, ss_vec3 e, double low, double high)
{
    enum { MAX_STEPS = 80 };
    const double golden = 0.6180339887498949;
    for (int i = 0; i < MAX_STEPS; i++) {
        double p = high - golden * (high - low), q = low + golden * (high - low);
        if (level(s, ss_axpy(x, p, e)) < level(s, ss_axpy(x, q, e))) {
            high = q;
        } else {
            low = p;
        }
    }
    return 0.5 * (low + high);
}

static bool narrow(double t[2], double low, double high)
{
    t[0] = fmax(t[0], low);
    t[1] = fmin(t[1], high);
    return t[0] <= t[1];
}

static bool quadric_chord(const ss_surface *s, ss_vec3 x, ss_vec3 e, double t[2])
{
    ss_vec3 c = times(ss_to_body(&s->at, x), s->inverse);
    ss_vec3 u = times(ss_tmul(&s->at.R, e), s->inverse);
    double  a = ss_dot(u, u), b = ss_dot(c, u), room = 1 - ss_dot(c, c), inside = b * b + a * room;
    if (a <=
        SS_SURFACE_SAME * SS_SURFACE_SAME * ss_dot(s->inverse, s->inverse)) { /* along a cylinder */
        return room >= -SS_SURFACE_SAME;
    }
    return inside >= 0 && narrow(t, (-b - sqrt(inside)) / a, (-b + sqrt(inside)) / a);
}

bool ss_surface_chord(const ss_surface *s, ss_vec3 x, ss_vec3 e, double t[2])
{
    if (s->kind == SS_SURFACE_PLANE) {
        double rate = ss_dot(s->normal, e), room = s->offset - ss_dot(s->normal, x);
        if (fabs(rate) <= SS_SURFACE_SAME) {
            return room >= -SS_SURFACE_SAME * fabs(t[1] - t[0]);
        }
        return rate > 0 ? narrow(t, t[0], room / rate) : narrow(t, room / rate, t[1]);
    }
    if (s->kind == SS_SURFACE_QUADRIC) {
        return quadric_chord(s, x, e, t);
    }
    double  mid = lowest_on_line(s, x, e, t[0], t[1]);
    ss_vec3 in  = ss_axpy(x, mid, e), unused;
    if (ss_surface_height(s, in, &unused) > 0) {
        return false;
    }
    return narrow(t, mid - ss_surface_exit(s, in, ss_neg(e)), mid + ss_surface_exit(s, in, e));
}

bool ss_surface_support(const ss_surface *s, ss_vec3 d, ss_vec3 *x)
{
    if (s->endless || s->kind == SS_SURFACE_PLANE) {
        return false;
    }
    *x = ss_to_world(&s->at, s->shape.cls->support(&s->shape, ss_tmul(&s->at.R, d)));
    return true;
}

int32_t ss_surface_piece(const ss_surface *s, ss_vec3 x)
{
    if (s->kind == SS_SURFACE_PLANE || s->kind == SS_SURFACE_QUADRIC ||
        s->kind == SS_SURFACE_FORMULA) {
        return 0;
    }
    ss_vec3 y = ss_to_body(&s->at, x);
    if (s->kind == SS_SURFACE_CAPSULE) {
        return y.z > s->half ? 2 : y.z < -s->half ? 1 : 0;
    }
    return (y.x < 0) + 2 * (y.y < 0) + 4 * (y.z < 0);
}

void ss_surface_move_origin(ss_surface *s, ss_vec3 o)
{
    s->offset -= ss_dot(s->normal, o);
    s->at.p = ss_sub(s->at.p, o);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static ss_vec3 axis_of(const ss_surface *s)
{
    return ss_v3(s->at.R.m[2], s->at.R.m[5], s->at.R.m[8]);
}

static bool same_params(const ss_surface *a, const ss_surface *b, double size)
{
    double k = SS_SURFACE_SAME * size;
    if (a->kind == SS_SURFACE_FORMULA) {
        return a->shape.params.formula_body == b->shape.params.formula_body;
    }
    return fabs(a->radius - b->radius) <= k && fabs(a->half - b->half) <= k &&
           ss_norm(ss_sub(a->inverse, b->inverse)) <= SS_SURFACE_SAME * ss_norm(a->inverse) &&
           a->shape.params.ellipsoid.e1 == b->shape.params.ellipsoid.e1 &&
           a->shape.params.ellipsoid.e2 == b->shape.params.ellipsoid.e2;
}

static bool same_axes(const ss_surface *a, const ss_surface *b)
{
    double far = 0;
    for (int i = 0; i < 9; i++) {
        far = fmax(far, fabs(a->at.R.m[i] - b->at.R.m[i]));
    }
    return far <= SS_SURFACE_SAME;
}

bool ss_surface_same(const ss_surface *a, const ss_surface *b, double size)
{
    if (a->kind != b->kind || a->endless != b->endless) {
        return false;
    }
    if (a->kind == SS_SURFACE_PLANE) {
        return ss_norm(ss_sub(a->normal, b->normal)) <= SS_SURFACE_SAME &&
               fabs(a->offset - b->offset) <= SS_SURFACE_SAME * size;
    }
    ss_vec3 between = ss_sub(a->at.p, b->at.p);
    if (a->endless) { /* shifting or turning it along its axis changes nothing */
        return fabs(a->radius - b->radius) <= SS_SURFACE_SAME * size &&
               ss_norm(ss_cross(axis_of(a), axis_of(b))) <= SS_SURFACE_SAME &&
               ss_norm(ss_cross(axis_of(a), between)) <= SS_SURFACE_SAME * size;
    }
    bool round = ss_is_ball(&a->shape);
    return a->shape.cls == b->shape.cls && ss_norm(between) <= SS_SURFACE_SAME * size &&
           (round ? fabs(a->radius - b->radius) <= SS_SURFACE_SAME * size
                  : same_params(a, b, size) && same_axes(a, b));
}

bool ss_surface_straight_edge(const ss_surface *a, const ss_surface *b, ss_vec3 *e)
{
    bool flat_a = a->kind == SS_SURFACE_PLANE, flat_b = b->kind == SS_SURFACE_PLANE;
    if (flat_a && flat_b) {
        *e = ss_unit(ss_cross(a->normal, b->normal));
        return true;
    }
    if (a->endless && b->endless) {
        *e = axis_of(a);
        return ss_norm(ss_cross(*e, axis_of(b))) <= SS_SURFACE_SAME;
    }
    if ((flat_a && b->endless) || (flat_b && a->endless)) {
        *e = axis_of(flat_a ? b : a);
        return fabs(ss_dot(*e, flat_a ? a->normal : b->normal)) <= SS_SURFACE_SAME;
    }
    return false;
}

/* Two vectors that are perpendicular to n and to each other, unit. */
static void square_to(ss_vec3 n, ss_vec3 *u, ss_vec3 *v)
{
    ss_vec3 e = fabs(n.x) < 0.6 ? ss_v3(1, 0, 0) : ss_v3(0, 1, 0);
    *u        = ss_unit(ss_cross(n, e));
    *v        = ss_cross(n, *u);
}

/*
 * In w = y * inverse the quadric is |w| = 1 and the plane  m.w = k.  A ball: a circle about k m/m.m
 * with radius sqrt(1 - k^2/m.m). A cylinder (w.z = 0): the unit circle, lifted onto the plane.
 */
static bool plane_quadric(const ss_surface *plane, const ss_surface *s, ss_vec3 *c, ss_vec3 *p,
                          ss_vec3 *q)
{
    ss_vec3 n = ss_tmul(&s->at.R, plane->normal), w, u, v;
    double  k = plane->offset - ss_dot(plane->normal, s->at.p);
    if (s->inverse.z == 0) {
        double r = 1 / s->inverse.x;
        if (fabs(n.z) <= SS_SURFACE_SAME) {
            return false;
        }
        w = ss_v3(0, 0, k / n.z);
        u = ss_v3(r, 0, -r * n.x / n.z);
        v = ss_v3(0, r, -r * n.y / n.z);
    } else {
        ss_vec3 radii = ss_v3(1 / s->inverse.x, 1 / s->inverse.y, 1 / s->inverse.z);
        ss_vec3 m     = times(n, radii);
        double  mm = ss_dot(m, m), room = 1 - k * k / mm;
        if (!(room > 0)) {
            return false;
        }
        square_to(ss_unit(m), &u, &v);
        w = times(ss_scale(k / mm, m), radii);
        u = ss_scale(sqrt(room), times(u, radii));
        v = ss_scale(sqrt(room), times(v, radii));
    }
    *c = ss_to_world(&s->at, w);
    *p = ss_mul(&s->at.R, u);
    *q = ss_mul(&s->at.R, v);
    return true;
}

static bool sphere_sphere(const ss_surface *a, const ss_surface *b, ss_vec3 *c, ss_vec3 *p,
                          ss_vec3 *q)
{
    ss_vec3 between = ss_sub(b->at.p, a->at.p);
    double  d = ss_norm(between), ra = a->radius, rb = b->radius;
    double  k = (d * d + (ra - rb) * (ra + rb)) / (2 * d), room = (ra - k) * (ra + k);
    if (!(room > 0)) {
        return false;
    }
    square_to(ss_scale(1 / d, between), p, q);
    *c = ss_axpy(a->at.p, k / d, between);
    *p = ss_scale(sqrt(room), *p);
    *q = ss_scale(sqrt(room), *q);
    return true;
}

static bool is_ball(const ss_surface *s)
{
    return s->kind == SS_SURFACE_QUADRIC && s->shape.cls == &ss_shape_sphere;
}

bool ss_surface_ellipse(const ss_surface *a, const ss_surface *b, ss_vec3 *c, ss_vec3 *p,
                        ss_vec3 *q)
{
    if (a->kind == SS_SURFACE_PLANE && b->kind == SS_SURFACE_QUADRIC) {
        return plane_quadric(a, b, c, p, q);
    }
    if (b->kind == SS_SURFACE_PLANE && a->kind == SS_SURFACE_QUADRIC) {
        return plane_quadric(b, a, c, p, q);
    }
    return is_ball(a) && is_ball(b) && sphere_sphere(a, b, c, p, q);
}

bool ss_surface_straight_piece(const ss_surface *a, const ss_surface *b, ss_vec3 *e)
{
    const ss_surface *o = a->kind == SS_SURFACE_CAPSULE ? b : a;
    *e                  = axis_of(o == a ? b : a);
    if (a->kind != SS_SURFACE_CAPSULE && b->kind != SS_SURFACE_CAPSULE) {
        return false;
    }
    if (o->kind == SS_SURFACE_PLANE) {
        return fabs(ss_dot(*e, o->normal)) <= SS_SURFACE_SAME;
    }
    return (o->endless || o->kind == SS_SURFACE_CAPSULE) &&
           ss_norm(ss_cross(*e, axis_of(o))) <= SS_SURFACE_SAME;
}

/* ---- from geoms ------------------------------------------------------------------------------ */

/* Planes and round shapes, whose inside one surface bounds; shapes of plug-ins have none here. */
static bool is_inside_of_one(const ss_shape_class *cls)
{
    return cls == &ss_shape_plane || cls == &ss_shape_halfplane || cls == &ss_shape_sphere ||
           cls == &ss_shape_disc || cls == &ss_shape_capsule || cls == &ss_shape_ellipsoid ||
           cls == &ss_shape_superellipsoid || cls == &ss_shape_superellipse ||
           cls == &ss_shape_implicit;
}

int32_t ss_surface_count_of(const ss_geom *g)
{
    if (g->cls == &ss_shape_intersection) {
        return g->params.solid->surface_count;
    }
    if (g->poly != NULL) {
        return g->poly->face_count;
    }
    return g->cls == &ss_shape_cylinder ? 3 : is_inside_of_one(g->cls);
}

static ss_surface plane_surface(const ss_frame *at, ss_vec3 normal, double offset)
{
    ss_surface s = {.kind = SS_SURFACE_PLANE, .normal = ss_mul(&at->R, normal)};
    s.offset     = offset + ss_dot(s.normal, at->p);
    s.at.R       = ss_mat3_identity();
    return s;
}

static ss_surface curved_surface(const ss_geom *g, int dimension)
{
    ss_surface s = {.kind = SS_SURFACE_QUADRIC, .at = g->local, .shape = *g};
    if (ss_is_ball(g)) {
        double k  = 1 / g->params.sphere.radius;
        s.radius  = g->params.sphere.radius;
        s.inverse = ss_v3(k, k, dimension == 2 ? 0 : k);
        return s;
    }
    if (g->cls == &ss_shape_cylinder || g->cls == &ss_shape_capsule) {
        double k  = 1 / g->params.capsule.radius;
        s.kind    = g->cls == &ss_shape_capsule ? SS_SURFACE_CAPSULE : SS_SURFACE_QUADRIC;
        s.radius  = g->params.capsule.radius;
        s.half    = 0.5 * g->params.capsule.length;
        s.inverse = ss_v3(k, k, 0);
        s.endless = g->cls == &ss_shape_cylinder;
        return s;
    }
    if (g->cls == &ss_shape_implicit) {
        s.kind = SS_SURFACE_FORMULA;
        return s;
    }
    ss_vec3 r = g->params.ellipsoid.radii;
    s.inverse = ss_v3(1 / r.x, 1 / r.y, dimension == 2 ? 0 : 1 / r.z);
    if (g->cls != &ss_shape_ellipsoid) {
        s.kind = SS_SURFACE_OVAL;
    }
    return s;
}

static void copy_solid(const ss_geom *g, ss_surface *out)
{
    const ss_solid *solid = g->params.solid;
    for (int32_t i = 0; i < solid->surface_count; i++) {
        out[i] = solid->surfaces[i];
        if (out[i].kind == SS_SURFACE_PLANE) {
            out[i] = plane_surface(&g->local, out[i].normal, out[i].offset);
        } else {
            out[i].at = ss_frame_mul(&g->local, &out[i].at);
        }
    }
}

void ss_surface_of(const ss_geom *g, int dimension, int32_t part, ss_surface *out)
{
    int32_t count = ss_surface_count_of(g);
    if (g->cls == &ss_shape_intersection) {
        copy_solid(g, out);
    } else if (ss_is_plane(g)) {
        out[0] = plane_surface(&g->local, g->params.plane.normal, g->params.plane.offset);
    } else if (g->poly != NULL) {
        for (int32_t f = 0; f < count; f++) {
            out[f] = plane_surface(&g->local, g->poly->normals[f], g->poly->offsets[f]);
        }
    } else {
        out[0] = curved_surface(g, dimension);
        for (int32_t end = 1; end < count; end++) { /* of a cylinder */
            out[end] = plane_surface(&g->local, ss_v3(0, 0, end == 1 ? -1 : 1), out[0].half);
        }
    }
    for (int32_t i = 0; i < count; i++) {
        out[i].part = part;
    }
}
