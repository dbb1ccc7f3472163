/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intersections with curved parts against planes, each other and every other convex shape. The gap
 * is compared with two routes that know nothing of creases and corners: projections onto the parts
 * one after the other (Dykstra), and a search over sampled directions.
 */
#include <stdio.h>

#include "collide/collide_test.h"
#include "geom/solid.h"

static const double quarter = 1.5707963267948966;

/* ---- solids ---------------------------------------------------------------------------------- */

enum { CUTS = 11, OTHERS = 8, MAX_PARTS = 4 };

typedef struct cut_def {
    const char  *name;
    ss_shape_def parts[MAX_PARTS];
    int32_t      count;
} cut_def;

#define SPHERE(r, ...)                                                                             \
    {                                                                                              \
        .type = "sphere", .params = {.sphere = {r}}, .position = { __VA_ARGS__ }                   \
    }
#define PLANE(x, y, z, d)                                                                          \
    {                                                                                              \
        .type = "plane", .params = {.plane = {{x, y, z}, d} }                                      \
    }
#define CYLINDER(r, l)                                                                             \
    {                                                                                              \
        .type = "cylinder", .params = {.capsule = {r, l} }                                         \
    }
#define CAPSULE(r, l)                                                                              \
    {                                                                                              \
        .type = "capsule", .params = {.capsule = {r, l} }                                          \
    }
#define BOX(x, y, z)                                                                               \
    {                                                                                              \
        .type = "box", .params = {.box = {{x, y, z}} }                                             \
    }
#define ELLIPSOID(x, y, z)                                                                         \
    {                                                                                              \
        .type = "ellipsoid", .params = {.ellipsoid = {{x, y, z}, 1, 1} }                           \
    }
#define SUPER(x, y, z, e, f)                                                                       \
    {                                                                                              \
        .type = "superellipsoid", .params = {.ellipsoid = {{x, y, z}, e, f} }                      \
    }

static const cut_def cuts[CUTS] = {
    {"dome", {SPHERE(0.6, 0, 0, 0), PLANE(0, 0, -1, 0.1)}, 2},
    {"lens", {SPHERE(0.8, 0, 0, 0.5), SPHERE(0.9, 0.1, 0, -0.5)}, 2},
    {"d-shaft", {CYLINDER(0.4, 1.2), PLANE(1, 0, 0, 0.2)}, 2},
    {"two flats", {CYLINDER(0.5, 0.9), PLANE(1, 0, 0, 0.3), PLANE(-1, 0.2, 0, 0.3)}, 3},
    {"cut ellipsoid", {ELLIPSOID(0.4, 0.6, 0.8), PLANE(0.3, 0.2, 1, 0.3)}, 2},
    {"rounded box", {BOX(0.9, 1.1, 0.8), SPHERE(0.63, 0.02, 0, 0)}, 2},
    {"cut capsule", {CAPSULE(0.35, 0.7), PLANE(0.2, 0, 1, 0.2), PLANE(0, 1, 0, 0.2)}, 3},
    {"round-ended pin", {CYLINDER(0.4, 1.5), SPHERE(0.7, 0.05, 0, 0)}, 2},
    {"oblique cut", {CYLINDER(0.45, 1.2), PLANE(0.6, 0, 0.8, 0.25)}, 2},
    {"crossed cylinders",
     {CYLINDER(0.5, 1.6),
      {.type = "cylinder", .params = {.capsule = {0.45, 1.6}}, .orientation = {1, 0.8, 0.1, 0}}},
     2},
    {"cut cushion", {SUPER(0.5, 0.6, 0.7, 0.7, 0.6), PLANE(0, 0.6, 0.8, 0.3)}, 2},
};
/* the projections know all kinds but superellipsoids */
static bool has_projections(int cut)
{
    return cut != CUTS - 1;
}

static void make_cuts(solid s[CUTS])
{
    for (int i = 0; i < CUTS; i++) {
        ss_shape_def d = {
            .type = "intersection", .parts = cuts[i].parts, .part_count = cuts[i].count};
        s[i] = solid_make(&d, 3);
        assert_ptr_equal(s[i].set.geoms[0].cls, &ss_shape_intersection);
    }
}

static void make_others(solid s[OTHERS])
{
    ss_shape_def defs[OTHERS] = {SPHERE(0.6, 0, 0, 0), BOX(1, 1.4, 0.8),
                                 {.type = "point"},    CAPSULE(0.3, 0.9),
                                 CYLINDER(0.5, 0.8),   ELLIPSOID(0.4, 0.6, 0.9),
                                 BOX(0.3, 0.4, 1.6),   SUPER(0.5, 0.6, 0.7, 1.4, 1.2)};
    for (int i = 0; i < OTHERS; i++) {
        s[i] = solid_make(&defs[i], 3);
    }
}

static void free_all(solid *s, int count)
{
    for (int i = 0; i < count; i++) {
        solid_free(&s[i]);
    }
}

/* ---- projections ----------------------------------------------------------------------------- */

static double clamp(double x, double h)
{
    return fmax(-h, fmin(h, x));
}

/* The point of the ellipsoid nearest to y outside: y_i r_i^2 / (r_i^2 + t) with F(t) = 0. */
static ss_vec3 onto_ellipsoid(ss_vec3 r, ss_vec3 y)
{
    double low = 0, high = 100;
    if (ss_norm(ss_v3(y.x / r.x, y.y / r.y, y.z / r.z)) <= 1) {
        return y;
    }
    for (int i = 0; i < 200; i++) {
        double  t = 0.5 * (low + high);
        ss_vec3 w = ss_v3(y.x * r.x / (r.x * r.x + t), y.y * r.y / (r.y * r.y + t),
                          y.z * r.z / (r.z * r.z + t));
        *(ss_norm(w) > 1 ? &low : &high) = t;
    }
    return ss_v3(y.x * r.x * r.x / (r.x * r.x + low), y.y * r.y * r.y / (r.y * r.y + low),
                 y.z * r.z * r.z / (r.z * r.z + low));
}

static ss_vec3 onto_ball(double r, ss_vec3 y)
{
    return ss_norm(y) <= r ? y : ss_scale(r / ss_norm(y), y);
}

static ss_vec3 onto_plane(const ss_shape_def *d, ss_vec3 y)
{
    double  k = ss_norm(d->params.plane.normal), over;
    ss_vec3 n = ss_scale(1 / k, d->params.plane.normal);
    over      = ss_dot(n, y) - d->params.plane.offset;
    return ss_axpy(y, -fmax(0, over), n);
}

/* The nearest point of a part, in the coordinates of the intersection. */
static ss_vec3 onto_part(const ss_shape_def *d, ss_vec3 x)
{
    ss_frame f = ss_shape_placement(d);
    ss_vec3  y = ss_to_body(&f, x), h = ss_scale(0.5, d->params.box.size);
    double   r = d->params.capsule.radius, half = 0.5 * d->params.capsule.length;
    if (strcmp(d->type, "sphere") == 0) {
        y = onto_ball(d->params.sphere.radius, y);
    } else if (strcmp(d->type, "plane") == 0) {
        y = onto_plane(d, y);
    } else if (strcmp(d->type, "box") == 0) {
        y = ss_v3(clamp(y.x, h.x), clamp(y.y, h.y), clamp(y.z, h.z));
    } else if (strcmp(d->type, "ellipsoid") == 0) {
        y = onto_ellipsoid(d->params.ellipsoid.radii, y);
    } else if (strcmp(d->type, "cylinder") == 0) {
        ss_vec3 across = onto_ball(r, ss_v3(y.x, y.y, 0));
        y              = ss_v3(across.x, across.y, clamp(y.z, half));
    } else {
        ss_vec3 axis = ss_v3(0, 0, clamp(y.z, half));
        y            = ss_add(axis, onto_ball(r, ss_sub(y, axis)));
    }
    return ss_to_world(&f, y);
}

/* Dykstra's projections: the point of the intersection nearest to x. */
static ss_vec3 nearest_in(const cut_def *c, ss_vec3 x)
{
    ss_vec3 back[MAX_PARTS] = {{0, 0, 0}};
    for (int i = 0; i < 3000; i++) {
        ss_vec3 before = x;
        for (int k = 0; k < c->count; k++) {
            ss_vec3 y = ss_add(x, back[k]);
            x         = onto_part(&c->parts[k], y);
            back[k]   = ss_sub(y, x);
        }
        if (i > 3 && ss_norm(ss_sub(x, before)) == 0) {
            break;
        }
    }
    return x;
}

static ss_vec3 nearest_in_world(const cut_def *c, const ss_frame *f, ss_vec3 x)
{
    return ss_to_world(f, nearest_in(c, ss_to_body(f, x)));
}

static void distance_by_projections(void **state)
{
    (void)state;
    solid    s[CUTS], point = point_solid(3), ball = ball_solid(0.2, 3);
    uint64_t seed  = 5;
    double   worst = 0;
    make_cuts(s);
    for (int i = 0; i < CUTS; i++) {
        for (int k = 0; k < 60 && has_projections(i); k++) {
            ss_frame fa = {random_vec(&seed), random_rotation(&seed)};
            ss_frame fb = {
                ss_axpy(fa.p, 1 + 0.8 * fabs(uniform(&seed)), ss_unit(random_vec(&seed))),
                ss_mat3_identity()};
            ss_vec3 y = nearest_in_world(&cuts[i], &fa, fb.p);
            double  d = distance(y, fb.p);
            if (d < 0.05) {
                continue;
            }
            result r = collide(&s[i], fa, &point, fb, 10), q = collide(&s[i], fa, &ball, fb, 10);
            if (!(fabs(r.c[0].gap - d) < 1e-9 && fabs(q.c[0].gap - (d - 0.2)) < 1e-9 &&
                  distance(r.c[0].point_a, y) < 1e-5)) {
                fail_msg("%s case %d: gap %.12g, distance %.12g, points %.3g apart", cuts[i].name,
                         k, r.c[0].gap, d, distance(r.c[0].point_a, y));
            }
            worst = fmax(worst, fabs(r.c[0].gap - d));
        }
    }
    print_message("largest difference of the distances: %.3g\n", worst);
    free_all(s, CUTS);
    solid_free(&point);
    solid_free(&ball);
}

/* ---- sampled directions ---------------------------------------------------------------------- */

static const sampling coarse = {250, 0.15, 1e-6};

typedef struct meeting {
    const solid *a, *b;
    ss_frame     fa, fb;
    char         what[96];
} meeting;

/* Every cut against every cut and every other shape, `each` times at random, in visit(). */
static void all_pairs(uint64_t seed, int each, void (*visit)(const meeting *m, uint64_t *seed))
{
    solid cut[CUTS], other[OTHERS];
    make_cuts(cut);
    make_others(other);
    for (int i = 0; i < CUTS; i++) {
        for (int j = 0; j < CUTS + OTHERS; j++) {
            for (int k = 0; k < each; k++) {
                meeting m = {.a = &cut[i], .b = j < CUTS ? &cut[j] : &other[j - CUTS]};
                ss_vec3 away =
                    ss_scale(0.6 + 0.6 * fabs(uniform(&seed)), ss_unit(random_vec(&seed)));
                m.fa = (ss_frame){random_vec(&seed), random_rotation(&seed)};
                m.fb = (ss_frame){ss_add(m.fa.p, away), random_rotation(&seed)};
                snprintf(m.what, sizeof m.what, "%s-%s case %d", cuts[i].name,
                         j < CUTS ? cuts[j].name : other[j - CUTS].set.geoms[0].cls->name, k);
                visit(&m, &seed);
            }
        }
    }
    free_all(cut, CUTS);
    free_all(other, OTHERS);
}

/*
 * No sampled direction separates them by more. Nor can any other when they are apart: the points
 * are on the surfaces (below), and as far from each other as the gap. Where they overlap, sampling
 * is close.
 */
static void check_gap(const meeting *m, uint64_t *seed)
{
    double g = largest_separation(m->a, &m->fa, m->b, &m->fb, coarse);
    (void)seed;
    if (g < -0.05) {
        return; /* deep: only a sensible direction is promised */
    }
    result r = collide(m->a, m->fa, m->b, m->fb, g > 0 ? 10 : 5e-3);
    if (!(r.count > 0) || least_gap(&r) < g - 1e-9 || (g < 0 && least_gap(&r) > g + 5e-3)) {
        fail_msg("%s: gap %.9g, largest separation %.9g", m->what,
                 r.count > 0 ? least_gap(&r) : NAN, g);
    }
}

static void gap_is_the_largest_separation(void **state)
{
    (void)state;
    all_pairs(2024, 1, check_gap);
}

/* ---- rates, touching, witness points --------------------------------------------------------- */

/* A little more than their distance. */
static double reach_of(const meeting *m)
{
    result r = collide(m->a, m->fa, m->b, m->fb, 10);
    return fmax(0, least_gap(&r)) + 5e-3;
}

/* d(gap)/dt = n.(v_b - v_a) at the contact. */
static void check_rate(const meeting *m, uint64_t *seed)
{
    const double h = 1e-6;
    ss_vec3      v = random_vec(seed), w = random_vec(seed);
    double       reach = reach_of(m);
    result       r     = collide(m->a, m->fa, m->b, m->fb, reach);
    if (r.count == 0 || deepest(&r)->gap < -0.02) {
        return;
    }
    ss_mat3 up   = ss_mat3_from_quat(ss_quat_from_rotation(ss_scale(h, w))),
            down = ss_mat3_transpose(&up);
    ss_frame fu  = {ss_axpy(m->fb.p, h, v), ss_mat3_mul(&up, &m->fb.R)};
    ss_frame fd  = {ss_axpy(m->fb.p, -h, v), ss_mat3_mul(&down, &m->fb.R)};
    result   ru = collide(m->a, m->fa, m->b, fu, reach), rd = collide(m->a, m->fa, m->b, fd, reach);
    double   rate = (deepest(&ru)->gap - deepest(&rd)->gap) / (2 * h);
    ss_vec3  at   = ss_add(v, ss_cross(w, ss_sub(deepest(&r)->point_b, m->fb.p)));
    if (fabs(rate - ss_dot(deepest(&r)->normal, at)) > 1e-4) {
        fail_msg("%s: gap changes at %.9g, the normal says %.9g", m->what, rate,
                 ss_dot(deepest(&r)->normal, at));
    }
}

static void gap_changes_as_the_normal_says(void **state)
{
    (void)state;
    all_pairs(77, 1, check_rate);
}

static bool is_point(uint32_t f)
{
    return (f & 0xf0000000u) == SS_FEATURE_VERTEX;
}

static bool is_edge(uint32_t f)
{
    return (f & 0xf0000000u) == SS_FEATURE_EDGE;
}

/* The same across zero, and a contact again when the bodies are handed over the other way round. */
static void check_touch(const meeting *m, uint64_t *seed)
{
    const double gaps[3] = {0, 1e-9, -1e-9};
    double       reach   = reach_of(m);
    result       r       = collide(m->a, m->fa, m->b, m->fb, reach);
    (void)seed;
    if (r.count == 0 || deepest(&r)->gap < 0) {
        return;
    }
    ss_contact c     = *deepest(&r);
    bool       ball  = m->b->set.geoms[0].cls == &ss_shape_point;
    bool       sharp = is_point(c.feature_a) ? is_point(c.feature_b) || is_edge(c.feature_b) || ball
                                             : is_edge(c.feature_a) && (is_point(c.feature_b) || ball);
    for (int k = 0; k < 3 && !sharp; k++) { /* of two sharp features the normal is not unique */
        ss_frame moved = {ss_axpy(m->fb.p, gaps[k] - c.gap, c.normal), m->fb.R};
        result   t     = collide(m->a, m->fa, m->b, moved, 1e-4);
        result   back  = collide(m->b, moved, m->a, m->fa, 1e-4);
        if (t.count == 0 || back.count == 0 || fabs(deepest(&t)->gap - gaps[k]) > 1e-12 ||
            fabs(deepest(&back)->gap - gaps[k]) > 1e-12 ||
            distance(deepest(&t)->normal, c.normal) > 1e-6 ||
            distance(deepest(&t)->point_a, c.point_a) > 1e-6) {
            fail_msg("%s: gap %g is %.17g (%.17g), features %x %x", m->what, gaps[k],
                     t.count > 0 ? deepest(&t)->gap : NAN,
                     back.count > 0 ? deepest(&back)->gap : NAN, c.feature_a, c.feature_b);
        }
    }
}

static void touching_is_no_special_case(void **state)
{
    (void)state;
    all_pairs(31, 2, check_touch);
}

/* How far x is outside the farthest surface: 0 on the boundary. */
static double height_at(const solid *s, const ss_frame *f, ss_vec3 x)
{
    const ss_geom *g  = &s->set.geoms[0];
    ss_frame       at = ss_frame_mul(f, &g->local);
    return ss_solid_height(g->params.solid, ss_to_body(&at, x), -1);
}

/* Of the contact that tells the gap, both points are on the surfaces, to rounding. */
static void check_witness(const meeting *m, uint64_t *seed)
{
    result r = collide(m->a, m->fa, m->b, m->fb, 0.3);
    (void)seed;
    if (r.count == 0 || least_gap(&r) < 1e-3) {
        return;
    }
    const ss_contact *c  = deepest(&r);
    double            ha = height_at(m->a, &m->fa, c->point_a);
    double            hb =
        m->b->set.geoms[0].cls == &ss_shape_intersection ? height_at(m->b, &m->fb, c->point_b) : 0;
    if (fabs(ha) > 1e-11 || fabs(hb) > 1e-11 || fabs(ss_norm(c->normal) - 1) > 1e-14) {
        fail_msg("%s: points %.3g and %.3g off the surfaces (features %x %x)", m->what, ha, hb,
                 c->feature_a, c->feature_b);
    }
}

static void witness_points_are_on_the_surfaces(void **state)
{
    (void)state;
    all_pairs(11, 2, check_witness);
}

/* ---- lying and standing ---------------------------------------------------------------------- */

static int32_t touching(const result *r, double tolerance)
{
    int32_t count = 0;
    for (int32_t i = 0; i < r->count; i++) {
        count += fabs(r->c[i].gap) <= tolerance;
    }
    return count;
}

/* On its flat a D-shaft has four contacts, on its round side two; a dome stands on twelve. */
static void what_lies_flat_lies_still(void **state)
{
    (void)state;
    solid s[CUTS], plane = plane_solid(ss_v3(0, 0, 1), 0, 3), slab = box_solid(4, 4, 1);
    make_cuts(s);
    const solid *ground[2] = {&plane, &slab};
    const double gaps[3]   = {0, 1e-9, -1e-9};
    for (int g = 0; g < 2; g++) {
        ss_frame on = frame_at(0, 0, g == 0 ? 0 : -0.5);
        for (int k = 0; k < 3; k++) {
            ss_frame flat  = frame_turned(0.3, 0.2, 0.2 + gaps[k], ss_v3(0, quarter, 0));
            ss_frame round = frame_turned(0.3, 0.2, 0.4 + gaps[k], ss_v3(quarter, 0, 0));
            ss_frame stand = frame_at(0.1, 0, 0.1 + gaps[k]);
            result   r     = collide(ground[g], on, &s[2], flat, 1e-4);
            assert_int_equal(r.count, 4);
            assert_int_equal(touching(&r, 1.1e-9), 4);
            r = collide(ground[g], on, &s[2], round, 1e-4);
            assert_int_equal(r.count, 2);
            assert_near(fabs(r.c[0].point_a.y - r.c[1].point_a.y), 1.2, 1e-12);
            assert_int_equal(touching(&r, 1.1e-9), 2);
            r = collide(ground[g], on, &s[0], stand, 1e-4);
            assert_int_equal(r.count, 12);
            for (int32_t i = 0; i < r.count; i++) {
                assert_near(r.c[i].gap, gaps[k], 1e-15);
                assert_near(hypot(r.c[i].point_b.x - 0.1, r.c[i].point_b.y), sqrt(0.35), 1e-15);
            }
        }
    }
    free_all(s, CUTS);
    solid_free(&plane);
    solid_free(&slab);
}

/* The sharp rim of a lens on a plane: the lowest point of its circle, whatever the tilt. */
static void a_rim_touches_at_its_lowest_point(void **state)
{
    (void)state;
    ss_shape_def parts[2] = {SPHERE(1, 0, 0, 0.8), SPHERE(1, 0, 0, -0.8)};
    ss_shape_def def      = {.type = "intersection", .parts = parts, .part_count = 2};
    solid        lens = solid_make(&def, 3), plane = plane_solid(ss_v3(0, 0, 1), 0, 3);
    for (double tilt = 1.0; tilt <= 1.6; tilt += 0.05) { /* the rim is sharp past 0.6435 */
        double   low = 0.6 * sin(tilt);
        ss_frame f   = frame_turned(0, 0, low, ss_v3(0, tilt, 0));
        result   r   = collide(&plane, frame_at(0, 0, 0), &lens, f, 1e-4);
        assert_int_equal(r.count, 1);
        assert_near(r.c[0].gap, 0, 1e-15);
        assert_vec_near(r.c[0].point_b, ss_v3(0.6 * cos(tilt), 0, 0), 1e-14);
        assert_int_equal(r.c[0].feature_b & 0xf0000000u, SS_FEATURE_EDGE);
    }
    solid_free(&lens);
    solid_free(&plane);
}

/* ---- in the plane ---------------------------------------------------------------------------- */

#define DISC(r, x, y)                                                                              \
    {                                                                                              \
        .type = "disc", .params = {.sphere = {r}}, .position = { x, y, 0 }                         \
    }
#define HALF(x, y, d)                                                                              \
    {                                                                                              \
        .type = "halfplane", .params = {.plane = {{x, y, 0}, d} }                                  \
    }

static void a_disc_with_a_flat(void **state)
{
    (void)state;
    ss_shape_def parts[2] = {DISC(1, 0, 0), HALF(0, -1, 0.6)};
    ss_shape_def def      = {.type = "intersection", .parts = parts, .part_count = 2};
    solid        cut = solid_make(&def, 2), line = plane_solid(ss_v3(0, 1, 0), 0, 2),
          box = box_solid(6, 1, 0), disc = ball_solid(0.5, 2);
    const double gaps[3] = {0, 1e-9, -1e-9};
    for (int k = 0; k < 3; k++) {
        ss_frame f = frame_at(0.2, 0.6 + gaps[k], 0);
        for (int g = 0; g < 3; g++) {
            result r = g == 0   ? collide(&line, frame_at(0, 0, 0), &cut, f, 1e-4)
                       : g == 1 ? collide(&box, frame_at(0, -0.5, 0), &cut, f, 1e-4)
                                : collide(&cut, frame_turned(0, -0.6, 0, ss_v3(0, 0, 2 * quarter)),
                                          &cut, f, 1e-4);
            assert_int_equal(r.count, 2);
            for (int32_t i = 0; i < 2; i++) {
                assert_near(r.c[i].gap, gaps[k], 1e-14);
                assert_vec_near(r.c[i].normal, ss_v3(0, 1, 0), 1e-14);
            }
            assert_near(fabs(r.c[0].point_b.x - r.c[1].point_b.x), g == 2 ? 1.4 : 1.6, 1e-12);
        }
    }
    result r = collide(&cut, frame_at(0, 0, 0), &disc, frame_at(0, 1.5 + 1e-3, 0), 0.1);
    assert_near(least_gap(&r), 1e-3, 1e-14);
    r = collide(&cut, frame_at(0, 0, 0), &disc, frame_at(0.8 + 0.6, -0.6 - 0.8, 0), 2);
    assert_near(least_gap(&r), 0.5, 1e-14); /* the corner at (0.8, -0.6) */
    solid_free(&cut);
    solid_free(&line);
    solid_free(&box);
    solid_free(&disc);
}

/* Sampled directions, and the golden section around the best. */
static double planar_separation(const solid *a, const ss_frame *fa, const solid *b,
                                const ss_frame *fb)
{
    enum { SAMPLES = 3000 };
    const double turn = 6.283185307179586, golden = 0.6180339887498949;
    double       g = -INFINITY, at = 0;
    for (int q = 0; q < SAMPLES; q++) {
        double t = turn * q / SAMPLES, x = separation(a, fa, b, fb, ss_v3(cos(t), sin(t), 0));
        if (x > g) {
            g  = x;
            at = t;
        }
    }
    double low = at - turn / SAMPLES, high = at + turn / SAMPLES;
    for (int i = 0; i < 60; i++) {
        double p = high - golden * (high - low), q = low + golden * (high - low);
        double gp                 = separation(a, fa, b, fb, ss_v3(cos(p), sin(p), 0));
        double gq                 = separation(a, fa, b, fb, ss_v3(cos(q), sin(q), 0));
        *(gp > gq ? &high : &low) = gp > gq ? q : p;
        g                         = fmax(g, fmax(gp, gq));
    }
    return g;
}

/* Random meetings in the plane against sampled directions. */
static void gap_in_the_plane(void **state)
{
    (void)state;
    ss_shape_def moon[2]    = {DISC(1, 0, 0.4), DISC(0.9, 0.1, -0.4)},
                 cushion[2] = {{.type   = "superellipse",
                                .params = {.ellipsoid = {{1, 0.7, 0}, 1, 0.5}}},
                               HALF(1, 0.3, 0.5)},
                 slice[3]   = {DISC(1, 0, 0),
                               HALF(0, -1, 0.3),
                               {.type = "box", .params = {.box = {{1.5, 1.6, 0}}}}},
                 plain[3]   = {
                       {.type = "box", .params = {.box = {{1, 0.8, 0}}}},
                       DISC(0.7, 0, 0),
                       {.type = "superellipse", .params = {.ellipsoid = {{0.5, 1, 0}, 1, 0.6}}}};
    ss_shape_def defs[3] = {{.type = "intersection", .parts = moon, .part_count = 2},
                            {.type = "intersection", .parts = cushion, .part_count = 2},
                            {.type = "intersection", .parts = slice, .part_count = 3}};
    solid        s[6];
    uint64_t     seed = 3;
    for (int i = 0; i < 6; i++) {
        s[i] = solid_make(i < 3 ? &defs[i] : &plain[i - 3], 2);
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 300; k++) {
            const solid *b = &s[k % 6];
            double       t = 3.2 * uniform(&seed), far = 1.2 + 0.6 * fabs(uniform(&seed));
            ss_frame     fa = {{0, 0, 0}, ss_mat3_from_angle(3 * uniform(&seed))};
            ss_frame fb = {{far * cos(t), far * sin(t), 0}, ss_mat3_from_angle(3 * uniform(&seed))};
            double   g  = planar_separation(&s[i], &fa, b, &fb);
            result   r  = collide(&s[i], fa, b, fb, 5);
            if (g > -0.05 && !(least_gap(&r) > g - 1e-12 && least_gap(&r) < g + 1e-9)) {
                fail_msg("%d-%d case %d: gap %.12g, largest separation %.12g", i, k % 6, k,
                         least_gap(&r), g);
            }
        }
    }
    free_all(s, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_by_projections),
        cmocka_unit_test(gap_is_the_largest_separation),
        cmocka_unit_test(gap_changes_as_the_normal_says),
        cmocka_unit_test(touching_is_no_special_case),
        cmocka_unit_test(witness_points_are_on_the_surfaces),
        cmocka_unit_test(what_lies_flat_lies_still),
        cmocka_unit_test(a_rim_touches_at_its_lowest_point),
        cmocka_unit_test(a_disc_with_a_flat),
        cmocka_unit_test(gap_in_the_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
