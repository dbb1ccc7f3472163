/* SPDX-License-Identifier: Apache-2.0 */
/* Mass properties: closed forms, and sampling for those without a familiar one. */
#include "geom/geom_test.h"

static const double pi = 3.14159265358979323846;

static void closed_forms(void **state)
{
    (void)state;
    ss_shape_def cyl  = {.type = "cylinder", .params = {.capsule = {0.5, 2}}};
    ss_shape_def ell  = {.type = "ellipsoid", .params = {.ellipsoid = {{1, 2, 3}, 0, 0}}};
    ss_shape_def cap  = {.type = "capsule", .params = {.capsule = {0.5, 1e-9}}};
    ss_shape_def one  = {.type = "superellipsoid", .params = {.ellipsoid = {{1, 2, 3}, 1, 1}}};
    ss_shape_def flat = {.type = "superellipse", .params = {.ellipsoid = {{3, 2, 0}, 1, 1}}};
    solid        s[]  = {box_solid(1, 2, 3),  ball_solid(2, 3),    ball_solid(2, 2),
                         box_solid(2, 4, 0),  solid_make(&cyl, 3), solid_make(&ell, 3),
                         solid_make(&cap, 3), solid_make(&one, 3), solid_make(&flat, 2)};
    double       v = 4.0 / 3.0 * pi, m = pi * 0.25 * 2, e = 8 * pi, b = v * 0.125;
    ss_vec3      o = {0, 0, 0};
    assert_mass(&s[0].set.mass, 6, o, 6.5, 5, 2.5, 1e-14);
    assert_mass(&s[1].set.mass, 8 * v, o, 12.8 * v, 12.8 * v, 12.8 * v, 1e-12);
    assert_near(s[2].set.mass.inertia.m[8], 0.5 * 4 * pi * 4, 1e-13);
    assert_near(s[3].set.mass.inertia.m[8], 8 * 20 / 12.0, 1e-13);
    assert_mass(&s[4].set.mass, m, o, m * (0.0625 + 4 / 12.0), m * (0.0625 + 4 / 12.0), m * 0.125,
                1e-14);
    assert_mass(&s[5].set.mass, e, o, e * 13 / 5, e * 10 / 5, e * 5 / 5, 1e-12);
    assert_mass(&s[6].set.mass, b, o, b * 0.1, b * 0.1, b * 0.1, 1e-8);
    assert_mass(&s[7].set.mass, e, o, e * 13 / 5, e * 10 / 5, e * 5 / 5, 1e-12);
    assert_near(s[8].set.mass.volume, 6 * pi, 1e-12);
    assert_near(s[8].set.mass.inertia.m[8], 6 * pi * 13 / 4, 1e-12);
    for (size_t i = 0; i < sizeof s / sizeof s[0]; i++) {
        solid_free(&s[i]);
    }
}

/* Inside the superellipsoid, by its own inequality. */
static bool inside_super(ss_vec3 x, ss_vec3 r, double e1, double e2)
{
    double around = pow(fabs(x.x) / r.x, 2 / e2) + pow(fabs(x.y) / r.y, 2 / e2);
    return pow(around, e2 / e1) + pow(fabs(x.z) / r.z, 2 / e1) <= 1;
}

static bool inside_capsule(ss_vec3 x, double r, double l)
{
    double z = fmax(fabs(x.z) - l / 2, 0);
    return x.x * x.x + x.y * x.y + z * z <= r * r;
}

/* Midpoints of a fine grid over the box with half sides r. */
static void assert_by_grid(const ss_mass *m, ss_vec3 r, bool (*inside)(ss_vec3 x))
{
    enum { N = 120 };
    double cell = 8 * r.x * r.y * r.z / (N * (double)N * N), v = 0, xx = 0, yy = 0, zz = 0;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            for (int k = 0; k < N; k++) {
                ss_vec3 x = ss_v3(r.x * (2 * i + 1 - N) / N, r.y * (2 * j + 1 - N) / N,
                                  r.z * (2 * k + 1 - N) / N);
                if (inside(x)) {
                    v += cell, xx += cell * x.x * x.x, yy += cell * x.y * x.y,
                        zz += cell * x.z * x.z;
                }
            }
        }
    }
    assert_near(m->volume / v, 1, 2e-3);
    assert_near(m->inertia.m[0] / (yy + zz), 1, 5e-3);
    assert_near(m->inertia.m[4] / (zz + xx), 1, 5e-3);
    assert_near(m->inertia.m[8] / (xx + yy), 1, 5e-3);
}

static bool in_first(ss_vec3 x)
{
    return inside_super(x, ss_v3(0.5, 0.7, 0.9), 0.5, 1.5);
}

static bool in_second(ss_vec3 x)
{
    return inside_capsule(x, 0.4, 0.9);
}

static void sampled(void **state)
{
    (void)state;
    ss_shape_def d1 = {.type   = "superellipsoid",
                       .params = {.ellipsoid = {{0.5, 0.7, 0.9}, 0.5, 1.5}}};
    ss_shape_def d2 = {.type = "capsule", .params = {.capsule = {0.4, 0.9}}};
    solid        a = solid_make(&d1, 3), b = solid_make(&d2, 3);
    assert_by_grid(&a.set.mass, ss_v3(0.5, 0.7, 0.9), in_first);
    assert_by_grid(&b.set.mass, ss_v3(0.4, 0.4, 0.85), in_second);
    solid_free(&a);
    solid_free(&b);
}

/* A box made of two halves, turned and moved, is the box turned and moved. */
static void parts_add_up(void **state)
{
    (void)state;
    ss_shape_def halves[2] = {
        {.type = "box", .params = {.box = {{1, 2, 3}}}, .position = {-0.5, 0, 0}},
        {.type = "box", .params = {.box = {{1, 2, 3}}}, .position = {0.5, 0, 0}}};
    ss_quat      turn  = ss_quat_from_rotation(ss_v3(0.3, -0.5, 0.2));
    ss_shape_def both  = {.type        = "union",
                          .parts       = halves,
                          .part_count  = 2,
                          .position    = {4, 5, 6},
                          .orientation = turn};
    ss_shape_def whole = {
        .type = "box", .params = {.box = {{2, 2, 3}}}, .position = {4, 5, 6}, .orientation = turn};
    solid a = solid_make(&both, 3), b = solid_make(&whole, 3);
    assert_int_equal(a.set.count, 2);
    assert_near(a.set.mass.volume, 12, 1e-13);
    assert_vec_near(a.set.mass.centre, ss_v3(4, 5, 6), 1e-13);
    for (int i = 0; i < 9; i++) {
        assert_near(a.set.mass.inertia.m[i], b.set.mass.inertia.m[i], 1e-12);
    }
    assert_near(a.set.size, b.set.size, 1e-12);
    solid_free(&a);
    solid_free(&b);
}

/* The divergence theorem on the faces of a box, far from the origin. */
static void polyhedra_agree_with_closed_forms(void **state)
{
    (void)state;
    solid   a = box_solid(1, 2, 3), b = box_solid(2, 4, 0);
    ss_mass m = ss_mass_polyhedron(a.set.geoms[0].poly, 3);
    assert_mass(&m, 6, ss_v3(0, 0, 0), 6.5, 5, 2.5, 1e-13);
    m = ss_mass_polyhedron(b.set.geoms[0].poly, 2);
    assert_near(m.volume, 8, 1e-14);
    assert_near(m.inertia.m[8], 8 * 20 / 12.0, 1e-13);
    solid_free(&a);
    solid_free(&b);
}

/* The mass of a union, with what its parts have in common counted once. */
static ss_mass united(int dimension, ss_shape_def *parts, int32_t count)
{
    ss_shape_def both = {.type = "union", .parts = parts, .part_count = count};
    solid        a    = solid_make(&both, dimension);
    assert_int_equal(ss_geom_overlaps_once(&a.set), SS_OK);
    ss_mass m = a.set.mass;
    solid_free(&a);
    return m;
}

static ss_shape_def ball(double radius, double x)
{
    return (ss_shape_def){.type = "sphere", .params = {.sphere = {radius}}, .position = {x, 0, 0}};
}

static ss_shape_def disc(double radius, double x)
{
    ss_shape_def d = ball(radius, x);
    d.type         = "disc";
    return d;
}

static ss_shape_def brick(double x, double y, double z)
{
    return (ss_shape_def){.type = "box", .params = {.box = {{x, y, z}}}};
}

static ss_shape_def rod(const char *type, double radius, double length, ss_quat turn)
{
    return (ss_shape_def){
        .type = type, .params = {.capsule = {radius, length}}, .orientation = turn};
}

/* Flat parts: three bars that cross in a cube, twins, and bricks that merely touch. */
static void overlaps_of_bricks(void **state)
{
    (void)state;
    ss_shape_def bars[]  = {brick(3, 1, 1), brick(1, 3, 1), brick(1, 1, 3)};
    ss_shape_def twins[] = {brick(1, 2, 3), brick(1, 2, 3)};
    ss_shape_def side[]  = {brick(1, 1, 1), brick(1, 1, 1)};
    ss_shape_def inner[] = {brick(3, 3, 3), brick(1, 1, 1), brick(2, 1, 1)};
    ss_vec3      o       = {0, 0, 0};
    side[1].position     = ss_v3(1, 0, 0);
    ss_mass m            = united(3, bars, 3);
    assert_mass(&m, 7, o, 31 / 6.0, 31 / 6.0, 31 / 6.0, 1e-13);
    m = united(3, twins, 2);
    assert_mass(&m, 6, o, 6.5, 5, 2.5, 1e-13);
    m = united(3, side, 2);
    assert_mass(&m, 2, ss_v3(0.5, 0, 0), 2 / 6.0, 2 * 5 / 12.0, 2 * 5 / 12.0, 1e-13);
    m = united(3, inner, 3);
    assert_mass(&m, 27, o, 40.5, 40.5, 40.5, 1e-12);
}

/* Lenses and caps: circles, spheres (Steinmetz for cylinders), and a capsule through a plate. */
static void overlaps_of_round_parts(void **state)
{
    (void)state;
    ss_quat      none = {1, 0, 0, 0}, over = ss_quat_from_rotation(ss_v3(pi / 2, 0, 0));
    ss_shape_def discs[]  = {disc(1, 0), disc(1, 1)};
    ss_shape_def within[] = {disc(1, 0), disc(0.2, 0.3)};
    ss_shape_def balls[]  = {ball(1, 0), ball(1, 1)};
    ss_shape_def pipes[]  = {rod("cylinder", 1, 4, none), rod("cylinder", 1, 4, over)};
    ss_shape_def pin[]    = {rod("capsule", 0.5, 2, none), brick(4, 4, 1)};
    assert_near(united(2, discs, 2).volume, 2 * pi - (2 * pi / 3 - sqrt(3) / 2), 1e-12);
    assert_near(united(2, discs, 2).centre.x, 0.5, 1e-12);
    assert_near(united(2, within, 2).volume, pi, 1e-13);
    assert_near(united(2, within, 2).centre.x, 0, 1e-13);
    assert_near(united(3, balls, 2).volume, 8 * pi / 3 - 5 * pi / 12, 1e-11);
    assert_near(united(3, pipes, 2).volume, 8 * pi - 16 / 3.0, 1e-10);
    assert_near(united(3, pin, 2).volume, 16 + pi / 4 + pi / 6, 1e-11);
    /* corners of a cube that stick out of a ball by a thousandth: too short to be traced */
    double       edge   = 2 / sqrt(3) * 1.001;
    ss_shape_def dice[] = {ball(1, 0), brick(edge, edge, edge)};
    ss_mass      m      = united(3, dice, 2);
    assert_true(m.volume > 4 * pi / 3 && m.volume < 4 * pi / 3 * (1 + 1e-7));
    assert_vec_near(m.centre, ss_v3(0, 0, 0), 1e-9);
}

/* A nonconvex part is the sum of its pieces, inner ones too. */
static void overlaps_of_pieces(void **state)
{
    (void)state;
    ss_vec3 corners[] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
    ss_vec3 star[12];
    for (int i = 0; i < 12; i++) {
        double r = i % 2 == 0 ? 3 : 1.5;
        star[i]  = ss_v3(r * cos(pi * i / 6), r * sin(pi * i / 6), 0);
    }
    ss_shape_def ell[] = {{.type = "polygon", .points = corners, .point_count = 6}, brick(1, 1, 0)};
    ss_shape_def hole[] = {{.type = "polygon", .points = star, .point_count = 12}, disc(1.3, 0)};
    ell[1].position     = ss_v3(1, 1, 0);
    ss_mass m           = united(2, ell, 2);
    double  centre      = (2.5 + 0.25 * 1.25) / 3.25;
    assert_near(m.volume, 3.25, 1e-13);
    assert_vec_near(m.centre, ss_v3(centre, centre, 0), 1e-13);
    m = united(2, hole, 2);
    assert_near(m.volume, 12 * 0.5 * 3 * 1.5 * sin(pi / 6), 1e-11);
}

/* A heap of parts in one place is refused by name. */
static void heaps_are_refused(void **state)
{
    (void)state;
    ss_shape_def parts[16];
    for (int i = 0; i < 16; i++) {
        parts[i] = ball(1, 0.01 * i);
    }
    ss_shape_def all = {.type = "union", .parts = parts, .part_count = 16};
    solid        a   = solid_make(&all, 3);
    assert_int_equal(ss_geom_overlaps_once(&a.set), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(a.ctx), "mass, com and inertia"));
    solid_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms),       cmocka_unit_test(sampled),
        cmocka_unit_test(parts_add_up),       cmocka_unit_test(polyhedra_agree_with_closed_forms),
        cmocka_unit_test(overlaps_of_bricks), cmocka_unit_test(overlaps_of_round_parts),
        cmocka_unit_test(overlaps_of_pieces), cmocka_unit_test(heaps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
