/* SPDX-License-Identifier: Apache-2.0 */
/* Intersections with curved parts: mass against closed forms, features, support points, refusals.
 */
#include "geom/geom_test.h"
#include "geom/solid.h"

static const double pi = 3.14159265358979323846;

static ss_shape_def part_sphere(double r, double x, double y, double z)
{
    ss_shape_def d = {.type = "sphere", .params = {.sphere = {r}}, .position = {x, y, z}};
    return d;
}

static ss_shape_def part_plane(double x, double y, double z, double offset)
{
    ss_shape_def d = {.type = "plane", .params = {.plane = {{x, y, z}, offset}}};
    return d;
}

static ss_shape_def part_cylinder(double r, double l)
{
    ss_shape_def d = {.type = "cylinder", .params = {.capsule = {r, l}}};
    return d;
}

static ss_shape_def part_box(double x, double y, double z)
{
    ss_shape_def d = {.type = "box", .params = {.box = {{x, y, z}}}};
    return d;
}

static ss_shape_def part_disc(double r, double x, double y)
{
    ss_shape_def d = {.type = "disc", .params = {.sphere = {r}}, .position = {x, y, 0}};
    return d;
}

static ss_shape_def part_line(double x, double y, double offset)
{
    ss_shape_def d = {.type = "halfplane", .params = {.plane = {{x, y, 0}, offset}}};
    return d;
}

static ss_shape_def cut_of(const ss_shape_def *parts, int32_t count)
{
    ss_shape_def def = {.type = "intersection", .parts = parts, .part_count = count};
    return def;
}

static solid cut_solid(const ss_shape_def *parts, int32_t count, int dimension)
{
    ss_shape_def def = cut_of(parts, count);
    return solid_make(&def, dimension);
}

static const ss_solid *inner(const solid *s)
{
    assert_ptr_equal(s->set.geoms[0].cls, &ss_shape_intersection);
    return s->set.geoms[0].params.solid;
}

/* ---- mass ------------------------------------------------------------------------------------ */

/*
 * The part z >= d of a sphere of radius r: volume, centre, moments about the centre of mass, by
 * integrals over the depth t below the top, where the section has radius^2 = 2 r t - t^2.
 */
static ss_mass cap_mass(double r, double d)
{
    double h = r - d, volume = pi * h * h * (r - h / 3),
           first   = pi * h * h * h * (2 * r / 3 - h / 4);
    double  second = pi * pow(h, 4) * (r / 2 - h / 5), c = first / volume;
    double  spin   = pi / 30 * h * h * h * (20 * r * r - 15 * r * h + 3 * h * h);
    double  across = spin / 2 + second - volume * c * c;
    ss_mass m      = {volume, {0, 0, r - c}, ss_mat3_diagonal(across, across, spin)};
    return m;
}

static void assert_same_mass(const ss_mass *m, const ss_mass *e, double tolerance)
{
    double size = cbrt(e->volume), scale = e->volume * size * size;
    assert_near(m->volume / e->volume, 1, tolerance);
    assert_vec_near(m->centre, e->centre, tolerance * size);
    for (int i = 0; i < 9; i++) {
        assert_near(m->inertia.m[i] / scale, e->inertia.m[i] / scale, tolerance);
    }
}

static void a_dome_weighs_what_a_cap_does(void **state)
{
    (void)state;
    const double cuts[] = {-0.9, -0.5, 0, 0.3, 0.9, 0.99};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        for (double scale = 1e-3; scale < 2e3; scale *= 1e3) {
            double       d       = cuts[i];
            ss_shape_def parts[] = {part_sphere(scale, 0, 0, 0), part_plane(0, 0, -1, -d * scale)};
            solid        s       = cut_solid(parts, 2, 3);
            ss_mass      e       = cap_mass(scale, d * scale);
            assert_same_mass(&s.set.mass, &e, 1e-13);
            solid_free(&s);
        }
    }
}

/* Two caps, base to base. */
static void a_lens_weighs_two_caps(void **state)
{
    (void)state;
    ss_shape_def parts[] = {part_sphere(1, 0.4, 0, 0), part_sphere(1, -0.4, 0, 0)};
    solid        s       = cut_solid(parts, 2, 3);
    ss_mass      cap     = cap_mass(1, 0.4);
    double       arm = cap.centre.z - 0.4, across = cap.inertia.m[0] + cap.volume * arm * arm;
    ss_mass      e = {
             2 * cap.volume, {0, 0, 0}, ss_mat3_diagonal(2 * cap.inertia.m[8], 2 * across, 2 * across)};
    assert_same_mass(&s.set.mass, &e, 1e-13);
    assert_int_equal(inner(&s)->crease_count, 1);
    solid_free(&s);
}

/* The part x <= d of a disc of radius r: area, first and second moments. */
static void segment_moments(double r, double d, double *A, double *x, double *xx, double *yy)
{
    double root = sqrt(r * r - d * d), turned = asin(d / r) + pi / 2, cube = root * root * root;
    *A  = r * r * turned + d * root;
    *x  = -2.0 / 3 * cube;
    *xx = -d * cube / 2 + r * r / 4 * (r * r * turned + d * root);
    *yy = 2.0 / 3 * (d * cube / 4 + 3 * r * r / 8 * (r * r * turned + d * root));
}

static void a_d_shaft_weighs_what_its_section_says(void **state)
{
    (void)state;
    for (double d = -0.5; d < 1; d += 0.3) {
        for (double l = 0.02; l < 500; l *= 10) {
            ss_shape_def parts[] = {part_cylinder(1, l), part_plane(1, 0, 0, d)};
            solid        s       = cut_solid(parts, 2, 3);
            double       A, x, xx, yy;
            segment_moments(1, d, &A, &x, &xx, &yy);
            double  c = x / A, zz = A * l * l * l / 12;
            ss_mass e = {A * l,
                         {c, 0, 0},
                         ss_mat3_diagonal(yy * l + zz, (xx - A * c * c) * l + zz,
                                          (xx - A * c * c + yy) * l)};
            assert_same_mass(&s.set.mass, &e, 1e-12);
            assert_int_equal(inner(&s)->corner_count, 4);
            assert_int_equal(inner(&s)->facet_count, 3);
            solid_free(&s);
        }
    }
}

/* A cut ellipsoid is a cap with its lengths scaled. */
static void a_cut_ellipsoid_weighs_a_scaled_cap(void **state)
{
    (void)state;
    ss_shape_def parts[] = {{.type = "ellipsoid", .params = {.ellipsoid = {{0.5, 2, 1.5}, 1, 1}}},
                            part_plane(0, 0, -1, -0.3)};
    solid        s       = cut_solid(parts, 2, 3);
    ss_mass      cap     = cap_mass(1, 0.2);
    double       xx = cap.inertia.m[8] / 2, zz = cap.inertia.m[0] - xx, k = 0.5 * 2 * 1.5;
    double       x = k * xx * 0.25, y = k * xx * 4, z = k * zz * 2.25;
    ss_mass e = {k * cap.volume, {0, 0, 1.5 * cap.centre.z}, ss_mat3_diagonal(y + z, z + x, x + y)};
    assert_same_mass(&s.set.mass, &e, 1e-13);
    solid_free(&s);
}

/* Cut in half through the middle: half of what Dirichlet's integral says. */
static void half_a_superellipsoid_weighs_half(void **state)
{
    (void)state;
    const double exponents[][2] = {{1, 1},   {0.7, 0.6}, {1.4, 1.2},
                                   {0.3, 1}, {0.2, 0.2}, {1.7, 0.4}};
    for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; i++) {
        ss_shape_def parts[] = {
            {.type   = "superellipsoid",
             .params = {.ellipsoid = {{0.5, 0.6, 0.7}, exponents[i][0], exponents[i][1]}}},
            part_plane(0.3, 0.5, 0.7, 0)};
        solid whole = solid_make(&parts[0], 3), half = cut_solid(parts, 2, 3);
        assert_near(half.set.mass.volume / whole.set.mass.volume, 0.5, 1e-9);
        solid_free(&whole);
        solid_free(&half);
    }
    ss_shape_def parts[] = {{.type = "capsule", .params = {.capsule = {0.3, 0.8}}},
                            part_plane(0.3, 0.5, 0.7, 0)};
    solid        whole = solid_make(&parts[0], 3), half = cut_solid(parts, 2, 3);
    assert_near(half.set.mass.volume / whole.set.mass.volume, 0.5, 1e-12);
    solid_free(&whole);
    solid_free(&half);
}

/* Steinmetz' solid: two equal cylinders that cross; its creases touch each other. */
static void crossed_cylinders_weigh_two_thirds_of_a_cube(void **state)
{
    (void)state;
    ss_shape_def parts[] = {part_cylinder(1, 3), part_cylinder(1, 3)};
    parts[1].orientation = ss_quat_from_rotation(ss_v3(pi / 2, 0, 0));
    solid s              = cut_solid(parts, 2, 3);
    assert_near(s.set.mass.volume, 16.0 / 3, 1e-12);
    assert_vec_near(s.set.mass.centre, ss_v3(0, 0, 0), 1e-13);
    solid_free(&s);
}

static void a_disc_with_a_flat_weighs_a_segment(void **state)
{
    (void)state;
    for (double d = -0.9; d < 1; d += 0.3) {
        ss_shape_def parts[] = {part_disc(1, 0.2, 0.1), part_line(2, 0, d + 0.2)};
        solid        s       = cut_solid(parts, 2, 2);
        double       A, x, xx, yy;
        segment_moments(1, d, &A, &x, &xx, &yy);
        assert_near(s.set.mass.volume, A, 1e-14);
        assert_vec_near(s.set.mass.centre, ss_v3(0.2 + x / A, 0.1, 0), 1e-13);
        assert_near(s.set.mass.inertia.m[8], xx - x * x / A + yy, 1e-13);
        assert_int_equal(inner(&s)->corner_count, 2);
        solid_free(&s);
    }
}

/* Placed anywhere, turned anyhow: the same body. */
static void placement_moves_mass(void **state)
{
    (void)state;
    ss_shape_def parts[] = {part_cylinder(0.5, 2), part_plane(0.6, 0.2, 0.7, 0.3)};
    ss_shape_def def     = cut_of(parts, 2);
    solid        plain   = solid_make(&def, 3);
    ss_frame     f  = {{3, -2, 1}, ss_mat3_from_quat(ss_quat_from_rotation(ss_v3(0.4, 1, -0.2)))};
    def.position    = f.p;
    def.orientation = ss_quat_from_rotation(ss_v3(0.4, 1, -0.2));
    solid   moved   = solid_make(&def, 3);
    ss_mass e       = ss_mass_placed(&plain.set.mass, &f);
    assert_same_mass(&moved.set.mass, &e, 1e-13);
    solid_free(&plain);
    solid_free(&moved);
}

/* ---- what it is made of ---------------------------------------------------------------------- */

static const ss_shape_class *class_of(const ss_shape_def *parts, int32_t count, int dimension)
{
    solid                 s   = cut_solid(parts, count, dimension);
    const ss_shape_class *cls = s.set.geoms[0].cls;
    assert_int_equal(s.set.count, 1);
    solid_free(&s);
    return cls;
}

/* Parts that cut nothing off do not count: what is left is the simplest shape that it is. */
static void parts_that_cut_nothing_do_not_count(void **state)
{
    (void)state;
    ss_shape_def ball[] = {part_sphere(0.5, 0.1, 0, 0), part_box(2, 2, 2)};
    ss_shape_def pin[] = {part_cylinder(0.3, 1), part_sphere(1, 0, 0, 0), part_plane(1, 0, 0, 0.4)};
    ss_shape_def box[] = {part_box(1, 1, 1), part_sphere(1, 0, 0, 0), part_plane(1, 0, 0, 0.2)};
    ss_shape_def twice[] = {part_sphere(1, 0, 0, 0), part_sphere(1, 0, 0, 0)};
    ss_shape_def disc[]  = {part_disc(1, 0, 0), part_line(1, 0, 2)};
    assert_ptr_equal(class_of(ball, 2, 3), &ss_shape_sphere);
    assert_ptr_equal(class_of(pin, 3, 3), &ss_shape_cylinder);
    assert_ptr_equal(class_of(twice, 2, 3), &ss_shape_sphere);
    assert_ptr_equal(class_of(disc, 2, 2), &ss_shape_disc);
    if (WITH_HULLS) {
        assert_ptr_equal(class_of(box, 3, 3), &ss_shape_convex);
    }
}

/* The outlines of facets: four corners of a flat, twelve points of a circle, both of a segment. */
static void facets_have_outlines(void **state)
{
    (void)state;
    ss_shape_def    parts[] = {part_cylinder(1, 3), part_plane(1, 0, 0, 0.6)};
    solid           s       = cut_solid(parts, 2, 3);
    const ss_solid *k       = inner(&s);
    int32_t         four = 0, many = 0;
    for (int32_t i = 0; i < k->facet_count; i++) {
        const ss_facet *f = &k->facets[i];
        ss_vec3         n = k->surfaces[f->surface].normal;
        four += f->count == 4;
        many += f->count > 8;
        for (int32_t j = 0; j < f->count; j++) { /* convex, counter-clockwise, on the boundary */
            ss_vec3 a = k->outlines[f->first + j].x,
                    b = k->outlines[f->first + (j + 1) % f->count].x,
                    c = k->outlines[f->first + (j + 2) % f->count].x;
            assert_true(ss_dot(n, ss_cross(ss_sub(b, a), ss_sub(c, b))) > 0);
            assert_near(ss_solid_height(k, a, -1), 0, 1e-15);
        }
    }
    assert_int_equal(four, 1);
    assert_int_equal(many, 2);
    solid_free(&s);
}

/* Thin cuts are seen, however thin, or refused. */
static void small_cuts_are_seen_or_refused(void **state)
{
    (void)state;
    for (double depth = 0.1; depth > 1e-9; depth *= 0.3) {
        ss_shape_def parts[] = {part_sphere(1, 0, 0, 0), part_plane(0.3, 0.5, 1, 1 - depth)};
        ss_shape_def def     = cut_of(parts, 2);
        ss_context  *ctx     = ss_context_create(NULL);
        ss_geom_set  set;
        ss_status    done = ss_geom_build(ctx, &def, 3, &set);
        if (done == SS_OK) {
            ss_vec3 n = ss_unit(ss_v3(0.3, 0.5, 1)), x;
            x         = set.geoms[0].cls->support(&set.geoms[0], n);
            assert_near(ss_dot(n, ss_add(x, set.geoms[0].local.p)), 1 - depth, 1e-14);
            ss_geom_free(&set);
        } else {
            assert_true(depth < 1e-3);
            assert_non_null(strstr(ss_context_message(ctx), "smaller than"));
        }
        ss_context_destroy(ctx);
    }
}

/* Surfaces that coincide or only touch. */
static void touching_surfaces_are_no_trouble(void **state)
{
    (void)state;
    ss_shape_def inscribed[] = {part_cylinder(0.5, 1), part_box(1, 1, 0.8)};
    ss_shape_def ends[]      = {part_cylinder(0.5, 1), part_box(2, 0.6, 1)};
    ss_shape_def capped[]    = {{.type = "capsule", .params = {.capsule = {0.5, 1}}},
                                part_cylinder(0.5, 1.4)};
    solid        s           = cut_solid(inscribed, 2, 3);
    assert_near(s.set.mass.volume, pi * 0.25 * 0.8, 1e-10);
    solid_free(&s);
    s = cut_solid(ends, 2, 3);
    double A, x, xx, yy;
    segment_moments(0.5, 0.3, &A, &x, &xx, &yy);
    assert_near(s.set.mass.volume, 2 * A - pi * 0.25, 1e-12);
    assert_int_equal(inner(&s)->corner_count, 8);
    assert_int_equal(inner(&s)->surface_count, 5);
    solid_free(&s);
    s = cut_solid(capped, 2, 3);
    assert_near(s.set.mass.volume,
                pi * 0.25 + 2 * (cap_mass(0.5, 0).volume - cap_mass(0.5, 0.2).volume), 1e-10);
    solid_free(&s);
}

/* An intersection of intersections is that of all their parts. */
static void intersections_nest(void **state)
{
    (void)state;
    ss_shape_def flat[]   = {part_cylinder(0.5, 2), part_plane(1, 0, 0, 0.3),
                             part_plane(-1, 0, 0, 0.3)};
    ss_shape_def inside[] = {part_cylinder(0.5, 2), part_plane(1, 0, 0, 0.3)};
    ss_shape_def outer[2] = {cut_of(inside, 2), part_plane(-1, 0, 0, 0.3)};
    outer[0].position     = ss_v3(0, 0, 1);
    outer[0].orientation  = ss_quat_from_rotation(ss_v3(0, 0, 2 * pi));
    solid   a = cut_solid(flat, 3, 3), b = cut_solid(outer, 2, 3);
    ss_mass moved = a.set.mass;
    moved.centre.z += 1;
    assert_same_mass(&b.set.mass, &moved, 1e-13);
    assert_int_equal(inner(&a)->corner_count, inner(&b)->corner_count);
    solid_free(&a);
    solid_free(&b);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const ss_vec3 ell[] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
    ss_shape_def         two[] = {part_sphere(1, 0, 0, 0), part_sphere(0.5, 0.3, 0, 0)};
    ss_shape_def         apart[]   = {part_sphere(1, 0, 0, 0), part_sphere(1, 2.5, 0, 0)};
    ss_shape_def         touch[]   = {part_sphere(1, 0, 0, 0), part_sphere(1, 2, 0, 0)};
    ss_shape_def         away[]    = {part_cylinder(1, 1), part_plane(1, 0, 0, -1.2)};
    ss_shape_def         endless[] = {part_plane(1, 0, 0, 1), part_plane(-1, 0, 0, 1)};
    ss_shape_def         several[] = {part_sphere(1, 0, 0, 0),
                                      {.type = "union", .parts = two, .part_count = 2}};
    ss_shape_def         nothing[] = {part_sphere(1, 0, 0, 0), {.type = "point"}};
    ss_shape_def         corner[]  = {part_disc(1, 0, 0),
                                      {.type = "polygon", .points = ell, .point_count = 6}};
    ss_shape_def         flat[]    = {part_disc(1, 0, 0), part_disc(1, 3, 0)};
    const struct {
        const ss_shape_def *parts;
        int                 dimension;
        const char         *word;
    } cases[] = {{apart, 3, "overlap"},
                 {touch, 3, "overlap"},
                 {away, 3, "overlap"},
                 {endless, 3, "bounded"},
                 {several, 3, "not convex"},
                 {nothing, 3, "no inside"},
                 {corner, 2, "part 2, 'polygon', is not convex"},
                 {flat, 2, "overlap"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ss_shape_def def = cut_of(cases[i].parts, 2);
        assert_refused(&def, cases[i].dimension, SS_ERR_INPUT, cases[i].word);
    }
    ss_shape_def self = {.type = "intersection", .part_count = 1};
    self.parts        = &self;
    assert_refused(&self, 3, SS_ERR_INPUT, "nested");
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct counter {
    long   requests, fail_at;
    size_t bytes;
} counter;

static void *counted(void *user, void *block, size_t old_size, size_t new_size)
{
    counter *c = user;
    if (new_size == 0) {
        c->bytes -= old_size;
        free(block);
        return NULL;
    }
    if (++c->requests == c->fail_at) {
        return NULL;
    }
    void *p = realloc(block, new_size);
    c->bytes += p != NULL ? new_size - old_size : 0;
    return p;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    ss_shape_def parts[] = {part_cylinder(1, 3), part_plane(1, 0, 0, 0.6)};
    ss_shape_def def     = cut_of(parts, 2);
    bool         failed  = true;
    for (long at = 2; failed; at++) { /* the first is the context's own */
        counter      c         = {.fail_at = at};
        ss_allocator allocator = {counted, &c};
        ss_context  *ctx       = ss_context_create(&allocator);
        ss_geom_set  set;
        ss_status    done = ss_geom_build(ctx, &def, 3, &set);
        failed            = c.requests >= at;
        assert_int_equal(done, failed ? SS_ERR_MEMORY : SS_OK);
        if (done == SS_OK) {
            assert_true(at > 15);
            ss_geom_free(&set);
        }
        ss_context_destroy(ctx);
        assert_int_equal(c.bytes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dome_weighs_what_a_cap_does),
        cmocka_unit_test(a_lens_weighs_two_caps),
        cmocka_unit_test(a_d_shaft_weighs_what_its_section_says),
        cmocka_unit_test(a_cut_ellipsoid_weighs_a_scaled_cap),
        cmocka_unit_test(half_a_superellipsoid_weighs_half),
        cmocka_unit_test(crossed_cylinders_weigh_two_thirds_of_a_cube),
        cmocka_unit_test(a_disc_with_a_flat_weighs_a_segment),
        cmocka_unit_test(placement_moves_mass),
        cmocka_unit_test(parts_that_cut_nothing_do_not_count),
        cmocka_unit_test(facets_have_outlines),
        cmocka_unit_test(small_cuts_are_seen_or_refused),
        cmocka_unit_test(touching_surfaces_are_no_trouble),
        cmocka_unit_test(intersections_nest),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
