/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shape and a pair of shapes: `rounded_box`, all points within `radius` of a box of `size`, and
 * how it lies on a plane. The shape alone is enough to collide where one point is nearest: the
 * library takes what has a support point as round, and gives one contact. Where flat parts lie on
 * each other that is not enough; the pair says that it stands on the four spheres of its lower
 * corners.
 */
#include <math.h>
#include <stickslip/plugin.h>

/* Numbers of a shape go where the fields say; this one has the room that shapes to come may use. */
enum { SIZE = 0, RADIUS = 3 };

static const ss_field fields[] = {{"size", SS_FIELD_VECTOR, 3, true, false,
                                   offsetof(ss_shape_def, params) + SIZE * sizeof(double), 0, 0, 0,
                                   INFINITY, "edges of the box inside"},
                                  {"radius", SS_FIELD_REAL, 3, true, false,
                                   offsetof(ss_shape_def, params) + RADIUS * sizeof(double), 0, 0,
                                   0, INFINITY, "of its edges and corners"},
                                  SS_FIELD_END};

static ss_vec3 half(const ss_geom *g)
{
    const double *s = g->params.room;
    return ss_v3(0.5 * s[SIZE], 0.5 * s[SIZE + 1], 0.5 * s[SIZE + 2]);
}

static double rounding(const ss_geom *g)
{
    return g->params.room[RADIUS];
}

static void bounds(const ss_geom *g, const ss_frame *f, ss_aabb *out)
{
    ss_vec3       h    = half(g);
    const double *R    = f->R.m;
    double        r    = rounding(g);
    ss_vec3       edge = ss_v3(fabs(R[0]) * h.x + fabs(R[1]) * h.y + fabs(R[2]) * h.z + r,
                               fabs(R[3]) * h.x + fabs(R[4]) * h.y + fabs(R[5]) * h.z + r,
                               fabs(R[6]) * h.x + fabs(R[7]) * h.y + fabs(R[8]) * h.z + r);
    out->low           = ss_sub(f->p, edge);
    out->high          = ss_add(f->p, edge);
}

static ss_vec3 support(const ss_geom *g, ss_vec3 d)
{
    ss_vec3 h      = half(g);
    ss_vec3 corner = ss_v3(copysign(h.x, d.x), copysign(h.y, d.y), copysign(h.z, d.z));
    return ss_axpy(corner, rounding(g), ss_unit(d));
}

static double radius(const ss_geom *g)
{
    return ss_norm(half(g)) + rounding(g);
}

/*
 * Second moment along an axis along which the box is 2a long (2b and 2c across): the box, six
 * plates, twelve quarter rods (a + u with mean u = 4r/3pi, mean u^2 = r^2/4 across), eight eighths
 * of a ball (3r/8, r^2/5).
 */
static double moment(double a, double b, double c, double r)
{
    const double pi     = 3.14159265358979323846;
    double       inside = a * a / 3;
    double       plate = a * a + a * r + r * r / 3, rod = a * a + a * 8 * r / (3 * pi) + r * r / 4;
    double       ball = a * a + a * 3 * r / 4 + r * r / 5;
    return 8 * (a * b * c + r * a * (b + c)) * inside + 8 * r * b * c * plate +
           2 * pi * r * r * (a * inside + (b + c) * rod) + 4 * pi * r * r * r / 3 * ball;
}

static void mass(const ss_geom *g, int dimension, ss_mass *out)
{
    const double pi = 3.14159265358979323846;
    ss_vec3      h  = half(g);
    double       r  = rounding(g);
    double x = moment(h.x, h.y, h.z, r), y = moment(h.y, h.z, h.x, r), z = moment(h.z, h.x, h.y, r);
    (void)dimension;
    *out = (ss_mass){.volume = 8 * (h.x * h.y * h.z + r * (h.x * h.y + h.y * h.z + h.z * h.x)) +
                               2 * pi * r * r * (h.x + h.y + h.z) + 4 * pi * r * r * r / 3};
    out->inertia = (ss_mat3){{y + z, 0, 0, 0, x + z, 0, 0, 0, x + y}};
}

static const ss_shape_class rounded_box = {.name       = "rounded_box",
                                           .dimensions = 3,
                                           .fields     = fields,
                                           .bounds     = bounds,
                                           .support    = support,
                                           .radius     = radius,
                                           .mass       = mass};

/* ---- on a plane ---- */

static ss_vec3 corner_of(const ss_geom *g, const ss_frame *f, int i)
{
    ss_vec3 h = half(g);
    ss_vec3 c = ss_v3(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z);
    return ss_add(f->p, ss_mul(&f->R, c));
}

/* Height of the surface of the plane at the world's origin, along its normal in the world. */
static double plane_in_world(const ss_geom *plane, const ss_frame *f, ss_vec3 *normal)
{
    *normal = ss_mul(&f->R, plane->params.plane.normal);
    return plane->params.plane.offset + ss_dot(*normal, f->p);
}

static void contacts(const ss_geom *plane, const ss_frame *fp, const ss_geom *box,
                     const ss_frame *fb, double reach, struct ss_contact_list *out)
{
    ss_vec3 n;
    double  offset = plane_in_world(plane, fp, &n), r = rounding(box);
    for (int i = 0; i < 8; i++) {
        ss_vec3 c   = corner_of(box, fb, i);
        double  gap = ss_dot(n, c) - offset - r;
        if (gap <= reach) {
            ss_vec3 on_box = ss_axpy(c, -r, n);
            ss_contact_add(out, 1, (uint32_t)i + 1, ss_axpy(on_box, -gap, n), on_box, n, gap);
        }
    }
}

static double gap(const ss_geom *plane, const ss_frame *fp, const ss_geom *box, const ss_frame *fb,
                  double enough, ss_vec3 *normal)
{
    double offset = plane_in_world(plane, fp, normal), least = INFINITY;
    (void)enough;
    for (int i = 0; i < 8; i++) {
        least = fmin(least, ss_dot(*normal, corner_of(box, fb, i)) - offset - rounding(box));
    }
    return least;
}

static const ss_pair_class on_plane = {"plane", "rounded_box", 3, contacts, gap};

static const ss_shape_class *const shapes[] = {&rounded_box, NULL};
static const ss_pair_class *const  pairs[]  = {&on_plane, NULL};

SS_PLUGIN_TABLE = {SS_PLUGIN_HEADER, "rounded", "boxes with round edges", .shapes = shapes,
                   .pairs = pairs};
