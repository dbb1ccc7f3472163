/* SPDX-License-Identifier: Apache-2.0 */
/*
 * True gaps of all pairs of shapes, in space and in the plane, at random configurations. The value
 * must be the separation along the direction that comes with it (so it is never more than the gap),
 * and no other direction may separate by more.
 */
#include "collide/collide_test.h"

static const ss_vec3 pyramid[] = {
    {-0.5, -0.6, -0.4}, {0.5, -0.5, -0.4}, {0.6, 0.5, -0.4}, {-0.5, 0.5, -0.4}, {0.1, 0, 0.7}};
static const ss_vec3 kite[] = {{-0.5, -0.3, 0}, {0.6, -0.2, 0}, {0.4, 0.5, 0}, {-0.3, 0.6, 0}};

static const ss_shape_def shaft_parts[] = {
    {.type = "cylinder", .params = {.capsule = {0.5, 0.8}}},
    {.type = "box", .params = {.box = {{2, 2, 2}}}, .position = {0.7, 0, 0}},
};
static const ss_shape_def lens_parts[] = {
    {.type = "disc", .params = {.sphere = {0.8}}, .position = {0.4, 0, 0}},
    {.type = "disc", .params = {.sphere = {0.7}}, .position = {-0.3, 0.1, 0}},
};

/* Planes, points and polyhedra have a gap that is less than the distance when a corner is nearest.
 */
typedef struct kind {
    ss_shape_def def;
    bool         flat;
} kind;

static const kind in_space[] = {
    {{.type = "sphere", .params = {.sphere = {0.6}}}, false},
    {{.type = "point"}, true},
    {{.type = "box", .params = {.box = {{1, 1.4, 0.8}}}}, true},
    {{.type = "box", .params = {.box = {{1.5, 1.5, 0.002}}}}, true},
    {{.type = "convex", .points = pyramid, .point_count = 5}, true},
    {{.type = "capsule", .params = {.capsule = {0.3, 0.9}}}, false},
    {{.type = "cylinder", .params = {.capsule = {0.5, 0.8}}}, false},
    {{.type = "ellipsoid", .params = {.ellipsoid = {{0.4, 0.6, 0.9}, 1, 1}}}, false},
    {{.type = "superellipsoid", .params = {.ellipsoid = {{0.5, 0.6, 0.7}, 0.7, 0.6}}}, false},
    {{.type = "intersection", .parts = shaft_parts, .part_count = 2}, false},
};

static const kind in_the_plane[] = {
    {{.type = "disc", .params = {.sphere = {0.6}}}, false},
    {{.type = "point"}, true},
    {{.type = "box", .params = {.box = {{1, 1.4, 0}}}}, true},
    {{.type = "polygon", .points = kite, .point_count = 4}, true},
    {{.type = "superellipse", .params = {.ellipsoid = {{0.5, 0.7, 0}, 0.8, 0.8}}}, false},
    {{.type = "intersection", .parts = lens_parts, .part_count = 2}, false},
};

/* Of two shapes that stand at frames of their own; the normal from a to b. */
static double true_gap(const solid *a, const ss_frame *fa, const solid *b, const ss_frame *fb,
                       double enough, ss_vec3 *normal)
{
    const ss_geom *ga = &a->set.geoms[0], *gb = &b->set.geoms[0];
    ss_frame       pa = ss_frame_mul(fa, &ga->local), pb = ss_frame_mul(fb, &gb->local);
    int            swap;
    ss_gap_fn      fn = ss_gap_find(ga->cls, gb->cls, a->dimension, &swap);
    assert_non_null(fn);
    if (!swap) {
        return fn(ga, &pa, gb, &pb, enough, normal);
    }
    double gap = fn(gb, &pb, ga, &pa, enough, normal);
    *normal    = ss_neg(*normal);
    return gap;
}

/* The largest separation over directions in the plane: sampled, then narrowed. */
static double largest_in_plane(const solid *a, const ss_frame *fa, const solid *b,
                               const ss_frame *fb)
{
    double best = 0, g = -INFINITY;
    for (double width = 3.1416, centre = 0; width > 1e-10; width *= 0.02, centre = best) {
        for (int i = -200; i <= 200; i++) {
            double angle = centre + width * i / 200;
            double x     = separation(a, fa, b, fb, ss_v3(cos(angle), sin(angle), 0));
            if (x > g) {
                g    = x;
                best = angle;
            }
        }
    }
    return g;
}

static ss_frame random_frame(uint64_t *seed, int dimension, double spread)
{
    ss_frame f = {ss_scale(spread, random_vec(seed)), random_rotation(seed)};
    if (dimension == 2) {
        f.p.z = 0;
        f.R   = ss_mat3_from_angle(3.2 * uniform(seed));
    }
    return f;
}

static void check_pair(const kind *ka, const solid *a, const kind *kb, const solid *b,
                       uint64_t *seed)
{
    const sampling thorough = {1500, 0.1, 1e-9};
    for (int k = 0; k < 20; k++) {
        ss_frame fa = random_frame(seed, a->dimension, 1), fb = random_frame(seed, a->dimension, 1);
        ss_vec3  n, loose;
        double   best = a->dimension == 2 ? largest_in_plane(a, &fa, b, &fb)
                                          : largest_separation(a, &fa, b, &fb, thorough);
        double   gap  = true_gap(a, &fa, b, &fb, INFINITY, &n);
        double   some = true_gap(a, &fa, b, &fb, 0, &loose);
        bool shallow = best > -0.05; /* deeper, of curved shapes, only some direction out is sure */
        bool sat     = (ka->flat && kb->flat && gap > 0) || /* see ss_gap_fn */
                   (strcmp(ka->def.type, "point") == 0 || strcmp(kb->def.type, "point") == 0);
        if (fabs(ss_norm(n) - 1) > 1e-12 || fabs(separation(a, &fa, b, &fb, n) - gap) > 1e-12 ||
            (!sat && shallow && gap < best - 1e-9 - 1e-6 * fmax(best, 0)) ||
            (gap > 0) != (some > 0) || some > gap + 1e-12 || (best > 1e-9 && gap <= 0)) {
            fail_msg("%s-%s case %d: gap %.12g (along its normal %.12g, loosely %.12g), largest "
                     "separation %.12g",
                     ka->def.type, kb->def.type, k, gap, separation(a, &fa, b, &fb, n), some, best);
        }
    }
}

static void check_all(const kind *kinds, int32_t count, int dimension)
{
    uint64_t seed = 11;
    for (int32_t i = 0; i < count; i++) {
        solid a = solid_make(&kinds[i].def, dimension);
        for (int32_t j = 0; j < count; j++) {
            bool points = kinds[i].flat && kinds[j].flat &&
                          strcmp(kinds[i].def.type, "point") == 0 &&
                          strcmp(kinds[j].def.type, "point") == 0;
            if (!points) {
                solid b = solid_make(&kinds[j].def, dimension);
                check_pair(&kinds[i], &a, &kinds[j], &b, &seed);
                solid_free(&b);
            }
        }
        solid_free(&a);
    }
}

static void every_pair_in_space(void **state)
{
    (void)state;
    needs(WITH_HULLS, "hulls");
    check_all(in_space, sizeof in_space / sizeof in_space[0], 3);
}

static void every_pair_in_the_plane(void **state)
{
    (void)state;
    check_all(in_the_plane, sizeof in_the_plane / sizeof in_the_plane[0], 2);
}

/* Planes: the gap is that of the lowest point, however deep. */
static void planes(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (size_t i = 0; i < sizeof in_space / sizeof in_space[0]; i++) {
        if (!WITH_HULLS && strcmp(in_space[i].def.type, "convex") == 0) {
            continue;
        }
        solid    p = plane_solid(ss_v3(1, 2, 2), 0.5, 3), b = solid_make(&in_space[i].def, 3);
        ss_frame at = frame_at(0, 0, 0), fb = random_frame(&seed, 3, 1);
        ss_vec3  n, m                       = {1.0 / 3, 2.0 / 3, 2.0 / 3};
        double   gap = true_gap(&p, &at, &b, &fb, INFINITY, &n);
        assert_vec_near(n, m, 1e-15);
        assert_near(gap, ss_dot(m, world_support(&b, &fb, ss_neg(m))) - 0.5 / 1, 1e-12);
        solid_free(&p);
        solid_free(&b);
    }
}

/* Closed forms: two balls, a ball and a thin plate from both sides, a ball over a corner. */
static void closed_forms(void **state)
{
    (void)state;
    solid    ball = ball_solid(0.5, 3), plate = box_solid(2, 2, 0.001);
    ss_frame o = frame_at(0, 0, 0), up = frame_at(0.3, 0.2, 0.6), in = frame_at(0, 0, 0.0002);
    ss_frame corner = frame_at(1.3, 1.4, 0.0005);
    ss_vec3  n;
    assert_near(true_gap(&ball, &o, &ball, &up, INFINITY, &n), 0.7 - 1, 1e-15);
    assert_near(true_gap(&plate, &o, &ball, &up, INFINITY, &n), 0.6 - 0.0005 - 0.5, 1e-15);
    assert_vec_near(n, ss_v3(0, 0, 1), 1e-15);
    assert_near(true_gap(&plate, &o, &ball, &in, INFINITY, &n), -0.0003 - 0.5, 1e-15);
    assert_near(true_gap(&plate, &o, &ball, &corner, INFINITY, &n), 0.0, 1e-15);
    assert_vec_near(n, ss_v3(0.6, 0.8, 0), 1e-12);
    solid_free(&ball);
    solid_free(&plate);
}

/* A thin plate entered by little, anywhere on it: the way out is back, not along the plate. */
static void thin_plates_near_their_edges(void **state)
{
    (void)state;
    uint64_t seed  = 9;
    solid    plate = box_solid(60, 60, 0.1);
    for (size_t i = 0; i < sizeof in_space / sizeof in_space[0]; i++) {
        if (strcmp(in_space[i].def.type, "point") == 0 ||
            (!WITH_HULLS && strcmp(in_space[i].def.type, "convex") == 0)) {
            continue;
        }
        solid b = solid_make(&in_space[i].def, 3);
        for (int k = 0; k < 40; k++) {
            ss_frame o  = frame_at(0, 0, 0),
                     at = {ss_v3(29.9 * uniform(&seed), 29.9 * uniform(&seed), 0),
                           random_rotation(&seed)};
            if (k % 2 == 0) { /* nearly flat or upright */
                ss_vec3 tilt = ss_scale(k % 8 < 4 ? 0 : 1e-3, random_vec(&seed));
                tilt.x += k % 4 == 0 ? 0 : 1.5707963267948966;
                at.R = ss_mat3_from_quat(ss_quat_from_rotation(tilt));
            }
            ss_vec3 low = world_support(&b, &at, ss_v3(0, 0, -1)), n;
            /* its lowest point over the plate, and 1e-4 .. 1e-2 below the upper face */
            double depth = 1e-4 * exp(4.6 * fabs(uniform(&seed)));
            at.p = ss_add(at.p, ss_v3(at.p.x - low.x, at.p.y - low.y, 0.05 - depth - low.z));
            assert_near(true_gap(&plate, &o, &b, &at, INFINITY, &n), -depth, 1e-9);
            assert_vec_near(n, ss_v3(0, 0, 1), 2e-3);
        }
        solid_free(&b);
    }
    solid_free(&plate);
}

/* A direction in which corner v of the polyhedron, in its own coordinates, is the furthest. */
static ss_vec3 normal_at(const ss_polyhedron *p, int32_t v, uint64_t *seed)
{
    ss_vec3 n = {0, 0, 0};
    for (int32_t f = 0; f < p->face_count; f++) {
        for (int32_t i = p->face_start[f]; i < p->face_start[f + 1]; i++) {
            if (p->face_vertices[i] == v) {
                n = ss_axpy(n, fabs(uniform(seed)), p->normals[f]);
            }
        }
    }
    return ss_unit(n);
}

/* b stands over a corner of a, its lowest point along n in the normal cone: the gap is known. */
static void stand_over_corners(const solid *a, const solid *b, uint64_t *seed)
{
    const ss_geom *g = &a->set.geoms[0];
    for (int k = 0; k < 100; k++) {
        int32_t  v  = k % g->poly->vertex_count;
        ss_frame fa = random_frame(seed, a->dimension, 1), fb = random_frame(seed, a->dimension, 0);
        ss_frame at  = ss_frame_mul(&fa, &g->local);
        ss_vec3  n   = ss_mul(&at.R, normal_at(g->poly, v, seed)), found;
        double   gap = 1e-7 * exp(10 * fabs(uniform(seed)));
        ss_vec3  low = world_support(b, &fb, ss_neg(n));
        fb.p         = ss_sub(ss_axpy(ss_to_world(&at, g->poly->vertices[v]), gap, n), low);
        assert_near(true_gap(a, &fa, b, &fb, INFINITY, &found), gap, 1e-9);
    }
}

static void curved_over(const ss_shape_def *def, const kind *kinds, int32_t count, int dimension)
{
    uint64_t seed = 23;
    solid    a    = solid_make(def, dimension);
    for (int32_t j = 0; a.set.geoms[0].poly != NULL && j < count; j++) {
        solid b = solid_make(&kinds[j].def, dimension);
        /* curved creases of solids, in space: nearly touching corners they are less than exact */
        bool crease = dimension == 3 && strcmp(kinds[j].def.type, "intersection") == 0;
        if (!kinds[j].flat && !crease) {
            stand_over_corners(&a, &b, &seed);
        }
        solid_free(&b);
    }
    solid_free(&a);
}

static void curved_over_corners(const kind *kinds, int32_t count, int dimension)
{
    for (int32_t i = 0; i < count; i++) {
        curved_over(&kinds[i].def, kinds, count, dimension);
    }
}

/* Nearly touching: which corner of a face is nearest is found however they stand. */
static void corners_under_curved_shapes(void **state)
{
    (void)state;
    ss_vec3 arc[15]; /* blunt corners between long sides */
    for (int i = 0; i < 15; i++) {
        arc[i] = ss_v3(6 * cos(3.141592653589793 * i / 14), 4 * sin(3.141592653589793 * i / 14), 0);
    }
    ss_shape_def dome  = {.type = "polygon", .points = arc, .point_count = 15};
    int32_t      count = sizeof in_the_plane / sizeof in_the_plane[0];
    curved_over(&dome, in_the_plane, count, 2);
    curved_over_corners(in_the_plane, count, 2);
    needs(WITH_HULLS, "hulls");
    curved_over_corners(in_space, sizeof in_space / sizeof in_space[0], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_in_space),
        cmocka_unit_test(every_pair_in_the_plane),
        cmocka_unit_test(planes),
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(thin_plates_near_their_edges),
        cmocka_unit_test(corners_under_curved_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
