/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts in the plane: lines, discs, points and polygons, convex or not. */
#include "collide/collide_test.h"

static void boxes_on_boxes_touch_at_the_ends_of_the_overlap(void **state)
{
    (void)state;
    const struct {
        double x, left, right;
    } cases[]           = {{0, -0.5, 0.5}, {0.3, -0.2, 0.5}, {-0.7, -0.5, -0.2}};
    const double gaps[] = {0, 1e-9, -1e-9};
    solid        a = box_solid(1, 1, 0), b = box_solid(1, 1, 0);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            result r =
                collide(&a, frame_at(0, 0, 0), &b, frame_at(cases[i].x, 1 + gaps[k], 0), 1e-4);
            assert_int_equal(r.count, 2);
            assert_near(fmin(r.c[0].point_a.x, r.c[1].point_a.x), cases[i].left, 1e-15);
            assert_near(fmax(r.c[0].point_a.x, r.c[1].point_a.x), cases[i].right, 1e-15);
            for (int m = 0; m < 2; m++) {
                assert_near(r.c[m].gap, gaps[k], 1e-15);
                assert_vec_near(r.c[m].normal, ss_v3(0, 1, 0), 1e-15);
            }
        }
    }
    result r = collide(&a, frame_at(0, 0, 0), &b, frame_at(0.2, 0.7, 0), 1e-4);
    assert_near(least_gap(&r), -0.3, 1e-15);
    ss_frame tilted = {{0, 0.5 + 0.5 * sqrt(2), 0}, ss_mat3_from_angle(0.78539816339744828)};
    r               = collide(&a, frame_at(0, 0, 0), &b, tilted, 1e-4);
    assert_int_equal(r.count, 1);
    assert_near(r.c[0].gap, 0, 1e-15);
    solid_free(&a);
    solid_free(&b);
}

static void lines_discs_and_points(void **state)
{
    (void)state;
    solid line = plane_solid(ss_v3(0, 2, 0), 0, 2), disc = ball_solid(0.5, 2),
          box = box_solid(2, 1, 0), point = point_solid(2);
    result r = collide(&line, frame_at(0, 0, 0), &disc, frame_at(3, 0.5, 0), 1e-4);
    assert_int_equal(r.count, 1);
    assert_near(r.c[0].gap, 0, 1e-16);
    r = collide(&line, frame_at(0, 0, 0), &box, frame_at(3, 0.5, 0), 1e-4);
    assert_int_equal(r.count, 2);
    r = collide(&line, frame_at(0, 0, 0), &point, frame_at(3, 1e-9, 0), 1e-4);
    assert_near(r.c[0].gap, 1e-9, 1e-18);
    r = collide(&disc, frame_at(0, 1, 0), &box, frame_at(0, 0, 0), 1e-4);
    assert_int_equal(r.count, 1);
    assert_near(r.c[0].gap, 0, 1e-16);
    assert_vec_near(r.c[0].normal, ss_v3(0, -1, 0), 1e-15);
    for (int i = 0; i < 100; i++) { /* over a face: its normal to the last bit */
        r = collide(&disc, frame_at(0.7 * sin(i), 1, 0), &box, frame_at(0, 0, 0), 1e-4);
        assert_true(r.count == 1 && r.c[0].normal.x == 0 && r.c[0].normal.y == -1);
    }
    r = collide(&disc, frame_at(1.3, 0.9, 0), &box, frame_at(0, 0, 0), 1e-4);
    assert_near(r.c[0].gap, 0, 1e-15);
    assert_vec_near(r.c[0].normal, ss_v3(-0.6, -0.8, 0), 1e-15);
    r = collide(&disc, frame_at(0, 0, 0), &disc, frame_at(0.6, 0.8, 0), 1e-4);
    assert_near(r.c[0].gap, 0, 1e-15);
    r = collide(&point, frame_at(0.3, 0.5, 0), &box, frame_at(0, 0, 0), 1e-4);
    assert_near(r.c[0].gap, 0, 1e-16);
    assert_vec_near(r.c[0].normal, ss_v3(0, -1, 0), 1e-15);
    solid_free(&line);
    solid_free(&disc);
    solid_free(&box);
    solid_free(&point);
}

static const ss_vec3 L[] = {{0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}};

/* All contacts of a shape of several pieces with another one. */
static result collide_all(const solid *many, ss_frame f, const solid *one, ss_frame g, double reach)
{
    result all = {.count = 0};
    for (int32_t i = 0; i < many->set.count; i++) {
        solid piece     = *many;
        piece.set.geoms = &many->set.geoms[i];
        result r        = collide(&piece, f, one, g, reach);
        for (int32_t k = 0; k < r.count; k++) {
            all.c[all.count++] = r.c[k];
        }
    }
    return all;
}

static void nonconvex_polygons_have_no_inner_sides(void **state)
{
    (void)state;
    ss_shape_def def = {.type = "polygon", .points = L, .point_count = 6};
    solid        s = solid_make(&def, 2), disc = ball_solid(0.4, 2),
          floor = plane_solid(ss_v3(0, 1, 0), 0, 2), box = box_solid(0.5, 0.5, 0);
    /* on a floor: each vertex of the bottom once */
    result r = collide_all(&s, frame_at(0, 0, 0), &floor, frame_at(0, 0, 0), 1e-4);
    assert_int_equal(r.count, 2);
    /* a disc in the inner corner touches both inner sides, and only these */
    r = collide_all(&s, frame_at(0, 0, 0), &disc, frame_at(1.4, 1.4, 0), 1e-4);
    assert_int_equal(r.count, 2);
    int seen = 0;
    for (int32_t i = 0; i < 2; i++) {
        assert_near(r.c[i].gap, 0, 1e-15);
        seen |= r.c[i].feature_a == (SS_FEATURE_FACE | 2u) ? 1 : 0;
        seen |= r.c[i].feature_a == (SS_FEATURE_FACE | 3u) ? 2 : 0;
    }
    assert_int_equal(seen, 3);
    /* a box in the corner: every contact is with a true side */
    r = collide_all(&s, frame_at(0, 0, 0), &box, frame_at(1.25, 1.25, 0), 1e-4);
    assert_true(r.count >= 3);
    for (int32_t i = 0; i < r.count; i++) {
        assert_near(r.c[i].gap, 0, 1e-15);
        double x = fabs(r.c[i].normal.x), y = fabs(r.c[i].normal.y);
        assert_true((x < 1e-12 && y > 1 - 1e-12) || (y < 1e-12 && x > 1 - 1e-12));
    }
    /* a disc that slides over the top of the foot sees one side all along */
    for (double x = 1.5; x < 2.9; x += 0.01) {
        r = collide_all(&s, frame_at(0, 0, 0), &disc, frame_at(x, 1.4, 0), 1e-6);
        assert_int_equal(r.count, 1);
        assert_int_equal(r.c[0].feature_a, SS_FEATURE_FACE | 2u);
        assert_vec_near(r.c[0].normal, ss_v3(0, 1, 0), 1e-15);
    }
    solid_free(&s);
    solid_free(&disc);
    solid_free(&floor);
    solid_free(&box);
}

/* Random convex polygons: never more than two contacts of two edges, and the least gap is a bound.
 */
static void gap_changes_as_the_normal_says(void **state)
{
    (void)state;
    solid    a = box_solid(1, 0.6, 0), b = box_solid(0.8, 0.9, 0);
    uint64_t seed = 4;
    int      met  = 0;
    for (int i = 0; i < 2000; i++) {
        ss_frame fa = {{uniform(&seed), uniform(&seed), 0}, ss_mat3_from_angle(3 * uniform(&seed))};
        ss_frame fb = {{uniform(&seed), uniform(&seed), 0}, ss_mat3_from_angle(3 * uniform(&seed))};
        result   r  = collide(&a, fa, &b, fb, 0.01);
        double   w = uniform(&seed), h = 1e-7;
        ss_vec3  v    = {uniform(&seed), uniform(&seed), 0};
        ss_mat3  turn = ss_mat3_from_angle(h * w);
        ss_frame fc   = {ss_axpy(fb.p, h, v), ss_mat3_mul(&turn, &fb.R)};
        result   s    = collide(&a, fa, &b, fc, 0.01);
        for (int32_t k = 0; k < r.count; k++) {
            for (int32_t m = 0; m < s.count; m++) {
                if (r.c[k].feature_a != s.c[m].feature_a || r.c[k].feature_b != s.c[m].feature_b) {
                    continue;
                }
                ss_vec3 at   = ss_sub(r.c[k].point_b, fb.p);
                ss_vec3 rate = ss_add(v, ss_v3(-w * at.y, w * at.x, 0));
                assert_near((s.c[m].gap - r.c[k].gap) / h, ss_dot(r.c[k].normal, rate), 1e-5);
                met++;
            }
        }
    }
    assert_true(met > 500);
    solid_free(&a);
    solid_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_on_boxes_touch_at_the_ends_of_the_overlap),
        cmocka_unit_test(lines_discs_and_points),
        cmocka_unit_test(nonconvex_polygons_have_no_inner_sides),
        cmocka_unit_test(gap_changes_as_the_normal_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
