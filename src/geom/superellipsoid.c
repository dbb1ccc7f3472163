/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Superellipsoid  ((|x|/a)^(2/e2) + (|y|/b)^(2/e2))^(e2/e1) + (|z|/c)^(2/e1) <= 1,
 * ellipsoid (e1 = e2 = 1) and superellipse (2D, |x/a|^(2/e) + |y/b|^(2/e) <= 1).
 *
 * With p = 2/e this is the unit ball of a p2-norm in (x, y) nested in a p1-norm with z; its support
 * function is the dual norm, with 1/p + 1/q = 1, so q = 2/(2 - e), and the support point is the
 * gradient of that norm. With e < 1 that grows like the root d^(e/(2 - e)) of a component d of the
 * direction, for the sides are flat in their middle: what is rounding in d is a tenth of the side
 * for small e. So components that are rounding are none, and where a place on a side matters it is
 * told by the surface itself, whose normal is the gradient of the norm. Moments follow from
 * Dirichlet's integral: over the positive part of x^p + y^p <= 1,  int x^i y^j = G((i+1)/p)
 * G((j+1)/p) / (p^2 G((i+j+2)/p + 1)),  G: gamma function.
 */
#include "geom/field_table.h"
#include "geom/geom.h"
#include "geom/mass.h"
#include "geom/p_norm.h"
#include "geom/tolerances.h"

#define RADII_FIELD SS_LENGTHS_FIELD("radii", ellipsoid.radii, "half axes along x, y (and z)")
/* Convex for every exponent up to 2; at the ends of this range the corners are sharp to rounding.
 */
#define EXPONENT_FIELD(name, member, doc) SS_REAL_FIELD(name, member, 1, 0.05, 1.95, doc)

static const ss_field ellipsoid_fields[]      = {RADII_FIELD, SS_FIELD_END};
static const ss_field superellipsoid_fields[] = {
    RADII_FIELD,
    EXPONENT_FIELD("e1", ellipsoid.e1, "exponent from pole to pole: 0 box-like, 1 round"),
    EXPONENT_FIELD("e2", ellipsoid.e2, "exponent around the z axis: 0 box-like, 1 round"),
    SS_FIELD_END};
static const ss_field superellipse_fields[] = {
    RADII_FIELD, EXPONENT_FIELD("e", ellipsoid.e2, "exponent: 0 box-like, 1 round"), SS_FIELD_END};

/* A component of a direction of the given length, less what is rounding in it. */
static double known(double component, double length)
{
    double size = fabs(component) - SS_DIRECTION_ROUNDING * length;
    return size > 0 ? copysign(size, component) : 0;
}

static ss_vec3 superellipsoid_support(const ss_geom *g, ss_vec3 direction)
{
    double  length = ss_norm(direction);
    ss_vec3 d =
        ss_v3(known(direction.x, length), known(direction.y, length), known(direction.z, length));
    ss_vec3 r  = g->params.ellipsoid.radii, x;
    double  q1 = 2 / (2 - g->params.ellipsoid.e1), q2 = 2 / (2 - g->params.ellipsoid.e2);
    ss_nested_norm(ss_v3(r.x * d.x, r.y * d.y, r.z * d.z), q1, q2, &x);
    return ss_v3(r.x * x.x, r.y * x.y, r.z * x.z);
}

/* With x in units of the half axes the norm is N(x) = 1 on the surface, and grad N is normal. */
static ss_vec3 superellipsoid_surface(const ss_geom *g, ss_vec3 t, ss_vec3 *normal)
{
    ss_vec3 r  = g->params.ellipsoid.radii, x;
    double  p1 = 2 / g->params.ellipsoid.e1, p2 = 2 / g->params.ellipsoid.e2;
    double  third = r.z > 0 ? 1 / r.z : 0; /* in the plane there is none */
    double  norm  = ss_nested_norm(ss_v3(t.x / r.x, t.y / r.y, t.z * third), p1, p2, &x);
    *normal       = ss_unit(ss_v3(x.x / r.x, x.y / r.y, x.z * third));
    return ss_scale(1 / norm, t);
}

static ss_vec3 ellipsoid_support(const ss_geom *g, ss_vec3 d)
{
    ss_vec3 r = g->params.ellipsoid.radii, rd = ss_v3(r.x * d.x, r.y * d.y, r.z * d.z);
    ss_vec3 u = ss_unit(rd);
    return ss_v3(r.x * u.x, r.y * u.y, r.z * u.z);
}

/* Exact, and the same on both sides: the body is its own mirror image. */
static void bounds(const ss_geom *g, const ss_frame *f, ss_aabb *out)
{
    const double *m = f->R.m;
    ss_vec3       e = ss_v3(ss_far_along(g, m[0], m[1], m[2]), ss_far_along(g, m[3], m[4], m[5]),
                            ss_far_along(g, m[6], m[7], m[8]));
    out->low        = ss_sub(f->p, e);
    out->high       = ss_add(f->p, e);
}

/* Exponents below 1 reach past the half axes, to a corner of the box around it at most. */
static double radius(const ss_geom *g)
{
    ss_vec3 r     = g->params.ellipsoid.radii;
    bool    round = g->params.ellipsoid.e1 >= 1 && g->params.ellipsoid.e2 >= 1;
    return round ? fmax(r.x, fmax(r.y, r.z)) : ss_norm(r);
}

static double flat_moment(double p, int i, int j)
{
    return ss_gamma((i + 1) / p) * ss_gamma((j + 1) / p) / (p * p * ss_gamma((i + j + 2) / p + 1));
}

/* int x^i y^j z^k over the positive eighth of the body with half axes 1 */
static double moment(double p1, double p2, int i, int j, int k)
{
    double m = (k + 1) / p1, n = (i + j + 2) / p1 + 1;
    return flat_moment(p2, i, j) * ss_gamma(m) * ss_gamma(n) / (p1 * ss_gamma(m + n));
}

static void mass_2d(const ss_geom *g, ss_mass *out)
{
    ss_vec3 r = g->params.ellipsoid.radii;
    double  p = 2 / g->params.ellipsoid.e2, k = 4 * r.x * r.y;
    double  xx = k * r.x * r.x * flat_moment(p, 2, 0), yy = k * r.y * r.y * flat_moment(p, 0, 2);
    *out = ss_mass_centred(k * flat_moment(p, 0, 0), yy, xx, xx + yy);
}

static void mass(const ss_geom *g, int dimension, ss_mass *out)
{
    if (dimension == 2) {
        mass_2d(g, out);
        return;
    }
    ss_vec3 r  = g->params.ellipsoid.radii;
    double  p1 = 2 / g->params.ellipsoid.e1, p2 = 2 / g->params.ellipsoid.e2;
    double  k  = 8 * r.x * r.y * r.z;
    double  xx = k * r.x * r.x * moment(p1, p2, 2, 0, 0),
           yy  = k * r.y * r.y * moment(p1, p2, 0, 2, 0),
           zz  = k * r.z * r.z * moment(p1, p2, 0, 0, 2);
    *out       = ss_mass_centred(k * moment(p1, p2, 0, 0, 0), yy + zz, zz + xx, xx + yy);
}

static ss_status build_ellipsoid(ss_geom_set *set, const ss_shape_def *def, const ss_frame *at)
{
    ss_shape_params params = def->params;
    params.ellipsoid.e1 = params.ellipsoid.e2 = 1;
    return ss_geom_add(set, &ss_shape_ellipsoid, &params, at, NULL);
}

static ss_status build_superellipse(ss_geom_set *set, const ss_shape_def *def, const ss_frame *at)
{
    ss_shape_params params   = def->params;
    params.ellipsoid.e1      = params.ellipsoid.e2;
    params.ellipsoid.radii.z = 0;
    return ss_geom_add(set, &ss_shape_superellipse, &params, at, NULL);
}

const ss_shape_class ss_shape_ellipsoid      = {.name       = "ellipsoid",
                                                .dimensions = 3,
                                                .fields     = ellipsoid_fields,
                                                .build      = build_ellipsoid,
                                                .bounds     = bounds,
                                                .support    = ellipsoid_support,
                                                .radius     = radius,
                                                .mass       = mass};
const ss_shape_class ss_shape_superellipsoid = {.name       = "superellipsoid",
                                                .dimensions = 3,
                                                .fields     = superellipsoid_fields,
                                                .bounds     = bounds,
                                                .support    = superellipsoid_support,
                                                .radius     = radius,
                                                .mass       = mass,
                                                .surface    = superellipsoid_surface};
const ss_shape_class ss_shape_superellipse   = {.name       = "superellipse",
                                                .dimensions = 2,
                                                .fields     = superellipse_fields,
                                                .build      = build_superellipse,
                                                .bounds     = bounds,
                                                .support    = superellipsoid_support,
                                                .radius     = radius,
                                                .mass       = mass,
                                                .surface    = superellipsoid_surface};
