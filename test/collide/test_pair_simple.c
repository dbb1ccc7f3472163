/* SPDX-License-Identifier: Apache-2.0 */
/* Planes, spheres and points: closed forms, in 3D and 2D. */
#include "collide/collide_test.h"

static const double quarter = 1.5707963267948966;

static void planes_touch_what_lies_on_them(void **state)
{
    (void)state;
    ss_vec3 n     = ss_unit(ss_v3(1, 2, 2));
    solid   plane = plane_solid(ss_v3(10, 20, 20), 3, 3), ball = ball_solid(0.5, 3);
    ss_vec3 p = ss_scale(3.5 + 1e-9, n);
    result  r = collide(&plane, frame_at(0, 0, 0), &ball, frame_at(p.x, p.y, p.z), 1e-3);
    assert_int_equal(r.count, 1);
    assert_near(r.c[0].gap, 1e-9, 1e-15);
    assert_vec_near(r.c[0].normal, n, 1e-15);
    assert_vec_near(r.c[0].point_a, ss_scale(3, n), 1e-14);
    r = collide(&ball, frame_at(p.x, p.y, p.z), &plane, frame_at(0, 0, 0), 1e-3);
    assert_vec_near(r.c[0].normal, ss_neg(n), 1e-15);
    r = collide(&plane, frame_at(0, 0, 0), &ball, frame_at(p.x, p.y, p.z + 1), 1e-3);
    assert_int_equal(r.count, 0);
    solid_free(&plane);
    solid_free(&ball);
}

/* A box on its face, on an edge, on a vertex: 4, 2, 1 contacts. */
static void boxes_on_planes(void **state)
{
    (void)state;
    solid        plane = plane_solid(ss_v3(0, 0, 1), 0, 3), box = box_solid(1, 1, 0.2);
    const double gaps[] = {0, 1e-9, -1e-9};
    for (int i = 0; i < 3; i++) {
        result r = collide(&plane, frame_at(0, 0, 0), &box, frame_at(0, 0, 0.1 + gaps[i]), 1e-3);
        assert_int_equal(r.count, 4);
        for (int k = 0; k < 4; k++) {
            assert_near(r.c[k].gap, gaps[i], 1e-16);
            assert_int_equal(r.c[k].feature_b, SS_FEATURE_VERTEX | (uint32_t)k);
        }
    }
    double   low = 0.5 * sin(0.3) + 0.1 * cos(0.3);
    ss_frame f   = frame_turned(0, 0, low, ss_v3(0, 0.3, 0));
    result   r   = collide(&plane, frame_at(0, 0, 0), &box, f, 1e-3);
    assert_int_equal(r.count, 2);
    assert_near(r.c[0].gap, 0, 1e-15);
    f = frame_turned(0, 0, 0.2, ss_v3(0.3, 0.3, 0));
    r = collide(&plane, frame_at(0, 0, 0), &box, f, 1e-3);
    assert_true(r.count >= 1);
    solid_free(&plane);
    solid_free(&box);
}

static void spheres_touch_spheres(void **state)
{
    (void)state;
    solid  a = ball_solid(1, 3), b = ball_solid(0.5, 3);
    result r = collide(&a, frame_at(0, 0, 0), &b, frame_at(0.9, 1.2, 0), 1e-3);
    assert_int_equal(r.count, 1);
    assert_near(r.c[0].gap, 0, 1e-15);
    assert_vec_near(r.c[0].normal, ss_v3(0.6, 0.8, 0), 1e-15);
    r = collide(&a, frame_at(1, 1, 1), &b, frame_at(1, 1, 1), 1e-3);
    assert_int_equal(r.count, 1);
    assert_near(r.c[0].gap, -1.5, 1e-15);
    solid_free(&a);
    solid_free(&b);
}

/* Face, edge and vertex of a box, and from inside. */
static void spheres_touch_boxes(void **state)
{
    (void)state;
    const struct {
        ss_vec3  at;
        double   gap;
        uint32_t kind;
    } cases[] = {
        {{0.2, 0.3, 1.5}, 0.5, SS_FEATURE_FACE},
        {{0.2, 1.3, 1.4}, 0.0, SS_FEATURE_EDGE},
        {{1.2, 1.2, 1.1}, -0.2, SS_FEATURE_VERTEX},
        {{0.2, 0.3, 0.9}, -0.6, SS_FEATURE_FACE},
    };
    solid ball = ball_solid(0.5, 3), box = box_solid(2, 2, 2);
    for (int i = 0; i < 4; i++) {
        result r =
            collide(&ball, (ss_frame){cases[i].at, ss_mat3_identity()}, &box, frame_at(0, 0, 0), 1);
        assert_int_equal(r.count, i == 1   ? 3
                                  : i == 2 ? 4
                                           : 1); /* the rest: branches of its faces */
        assert_near(r.c[0].gap, i == 0 ? 0 : cases[i].gap, 1e-15);
        assert_int_equal(r.c[0].feature_b >> 28, cases[i].kind >> 28);
    }
    solid_free(&ball);
    solid_free(&box);
}

/* The general polyhedron routine and the one for boxes agree. */
static void spheres_see_a_hull_as_the_box_it_is(void **state)
{
    (void)state;
    needs(WITH_HULLS, "qhull");
    ss_vec3 corners[8];
    for (int i = 0; i < 8; i++) {
        corners[i] = ss_v3(i & 1 ? 0.5 : -0.5, i & 2 ? 1 : -1, i & 4 ? 0.7 : -0.7);
    }
    ss_shape_def def  = {.type = "convex", .points = corners, .point_count = 8};
    solid        hull = solid_make(&def, 3), box = box_solid(1, 2, 1.4), ball = ball_solid(0.4, 3);
    uint64_t     seed = 17;
    int          met  = 0;
    for (int i = 0; i < 500; i++) {
        ss_frame fb = {random_vec(&seed), random_rotation(&seed)};
        ss_frame fa = {ss_add(fb.p, ss_scale(1.3, random_vec(&seed))), ss_mat3_identity()};
        result   r = collide(&ball, fa, &box, fb, 0.3), s = collide(&ball, fa, &hull, fb, 0.3);
        assert_int_equal(r.count, s.count);
        if (r.count == 1) {
            assert_near(r.c[0].gap, s.c[0].gap, 1e-14);
            assert_vec_near(r.c[0].normal, s.c[0].normal, 1e-12);
            met++;
        }
    }
    assert_true(met > 100);
    solid_free(&hull);
    solid_free(&box);
    solid_free(&ball);
}

/* A point sees the planes of the faces: the normal does not turn at an edge. */
static void points_touch_faces(void **state)
{
    (void)state;
    solid  p = point_solid(3), box = box_solid(2, 2, 2), ball = ball_solid(1, 3);
    result r = collide(&p, frame_at(0.3, 0.2, 1 + 1e-9), &box, frame_at(0, 0, 0), 1e-3);
    assert_int_equal(r.count, 1);
    assert_near(r.c[0].gap, 1e-9, 1e-15);
    assert_vec_near(r.c[0].normal, ss_v3(0, 0, -1), 1e-15);
    r = collide(&p, frame_at(0, 1, 0), &ball, frame_at(0, 0, 0), 1e-3);
    assert_near(r.c[0].gap, 0, 1e-15);
    int swap;
    assert_null(ss_pair_find(&ss_shape_point, &ss_shape_point, 3, &swap));
    assert_null(ss_pair_find(&ss_shape_plane, &ss_shape_plane, 3, &swap));
    solid_free(&p);
    solid_free(&box);
    solid_free(&ball);
}

static void capsules_and_cylinders_on_planes(void **state)
{
    (void)state;
    ss_shape_def dc = {.type = "capsule", .params = {.capsule = {0.3, 1}}};
    ss_shape_def dy = {.type = "cylinder", .params = {.capsule = {0.3, 1}}};
    solid plane = plane_solid(ss_v3(0, 0, 1), 0, 3), c = solid_make(&dc, 3), y = solid_make(&dy, 3);
    ss_frame lying = frame_turned(0, 0, 0.3, ss_v3(0, quarter, 0));
    result   r     = collide(&plane, frame_at(0, 0, 0), &c, lying, 1e-4);
    assert_int_equal(r.count, 2);
    r = collide(&plane, frame_at(0, 0, 0), &y, lying, 1e-4);
    assert_true(r.count == 2 || r.count == 4); /* a fixed point of the rim may lie at the bottom */
    for (int32_t i = 0; i < r.count; i++) {
        assert_near(r.c[i].gap, 0, 1e-15);
        assert_near(fabs(r.c[i].point_b.x), 0.5, 1e-15);
    }
    r = collide(&plane, frame_at(0, 0, 0), &y, frame_at(0, 0, 0.5), 1e-4);
    assert_int_equal(r.count, 12);
    solid_free(&plane);
    solid_free(&c);
    solid_free(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_touch_what_lies_on_them),
        cmocka_unit_test(boxes_on_planes),
        cmocka_unit_test(spheres_touch_spheres),
        cmocka_unit_test(spheres_touch_boxes),
        cmocka_unit_test(spheres_see_a_hull_as_the_box_it_is),
        cmocka_unit_test(points_touch_faces),
        cmocka_unit_test(capsules_and_cylinders_on_planes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
