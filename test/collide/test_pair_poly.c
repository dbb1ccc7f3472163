/* SPDX-License-Identifier: Apache-2.0 */
/* Polyhedra on polyhedra: complete patches, no flicker, exact gaps. */
#include "collide/collide_test.h"

static void aligned_cubes_have_four_clean_contacts(void **state)
{
    (void)state;
    solid        a = box_solid(1, 1, 1), b = box_solid(1, 1, 1);
    const double gaps[]   = {0, 1e-9, -1e-9, 1e-13, -1e-13};
    result       touching = collide(&a, frame_at(0, 0, 0.5), &b, frame_at(0, 0, 1.5), 1e-3);
    assert_int_equal(touching.count, 4);
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
        result r = collide(&a, frame_at(0, 0, 0.5), &b, frame_at(0, 0, 1.5 + gaps[i]), 1e-3);
        assert_same_contacts(&r, &touching, 1.0001e-9);
        for (int32_t k = 0; k < r.count; k++) {
            assert_near(r.c[k].gap, gaps[i], 1e-15);
            assert_vec_near(r.c[k].normal, ss_v3(0, 0, 1), 0);
            assert_near(fabs(r.c[k].point_b.x), 0.5, 0);
            assert_near(fabs(r.c[k].point_b.y), 0.5, 0);
        }
    }
    solid_free(&a);
    solid_free(&b);
}

/* Noise of rounding size must not change which features touch. */
static void noise_does_not_flicker(void **state)
{
    (void)state;
    solid    a = box_solid(1, 1, 1), b = box_solid(1, 1, 1);
    uint64_t seed     = 7;
    result   touching = collide(&a, frame_at(0, 0, 0.5), &b, frame_at(0, 0, 1.5), 1e-3);
    for (int i = 0; i < 200; i++) {
        ss_vec3 shift = ss_scale(1e-12, random_vec(&seed)),
                turn  = ss_scale(1e-12, random_vec(&seed));
        ss_frame fb   = frame_turned(shift.x, shift.y, 1.5 + shift.z, turn);
        result   r    = collide(&a, frame_at(0, 0, 0.5), &b, fb, 1e-3);
        assert_same_contacts(&r, &touching, 1e-11);
    }
    solid_free(&a);
    solid_free(&b);
}

/* A cube over the corner of another: the patch is the overlap, a quarter of the face. */
static void overhanging_cube_touches_at_the_corners_of_the_overlap(void **state)
{
    (void)state;
    solid  a = box_solid(1, 1, 1), b = box_solid(1, 1, 1);
    result r = collide(&a, frame_at(0, 0, 0), &b, frame_at(0.5, 0.5, 1), 1e-3);
    assert_int_equal(r.count, 4);
    int found[2][2] = {{0}};
    for (int32_t i = 0; i < 4; i++) {
        ss_vec3 p = r.c[i].point_a;
        assert_vec_near(p, ss_v3(p.x > 0.25 ? 0.5 : 0, p.y > 0.25 ? 0.5 : 0, 0.5), 1e-15);
        found[p.x > 0.25][p.y > 0.25]++;
    }
    assert_int_equal(found[0][0] * found[0][1] * found[1][0] * found[1][1], 1);
    solid_free(&a);
    solid_free(&b);
}

/* A plus sign: the patch has its four corners at edge crossings. */
static void crossed_bars_touch_at_edge_crossings(void **state)
{
    (void)state;
    solid  a = box_solid(4, 1, 1), b = box_solid(1, 4, 1);
    result r = collide(&a, frame_at(0, 0, 0), &b, frame_at(0, 0, 1), 1e-3);
    assert_int_equal(r.count, 4);
    for (int32_t i = 0; i < r.count; i++) {
        assert_int_equal(r.c[i].feature_a >> 28, SS_FEATURE_EDGE >> 28);
        assert_int_equal(r.c[i].feature_b >> 28, SS_FEATURE_EDGE >> 28);
        assert_near(fabs(r.c[i].point_a.x), 0.5, 1e-15);
        assert_near(fabs(r.c[i].point_a.y), 0.5, 1e-15);
        assert_near(r.c[i].gap, 0, 1e-15);
    }
    solid_free(&a);
    solid_free(&b);
}

/*
 * The edge of a table along a line of a face that is inclined to it, and a corner of that face over
 * the edge or next to it: contacts are at the ends of the line, with the normal of the face. With
 * the normal of the table the corner would close, though it passes by.
 */
static void a_corner_that_passes_an_edge_is_no_contact_of_the_other_face(void **state)
{
    (void)state;
    static const double past[] = {-1e-4, -1e-7, -1e-11, 0, 1e-11, 1e-7, 1e-4};
    solid               table = box_solid(1, 1, 0.1), b = box_solid(0.2, 0.13, 0.1);
    for (int i = 0; i < 7; i++) {
        ss_mat3  yaw    = ss_mat3_from_quat(ss_quat_from_rotation(ss_v3(0, 0, 0.4)));
        ss_mat3  tip    = ss_mat3_from_quat(ss_quat_from_rotation(ss_v3(0, 0.2, 0)));
        ss_frame at     = {{0, 0, 0}, ss_mat3_mul(&tip, &yaw)};
        ss_vec3  corner = ss_mul(&at.R, ss_v3(-0.1, -0.065, -0.05));
        ss_vec3  along = ss_mul(&tip, ss_v3(1, 0, 0)), n = ss_mul(&tip, ss_v3(0, 0, 1));
        at.p       = ss_sub(ss_scale(past[i], along), corner); /* the corner is at past along it */
        result r   = collide(&table, frame_at(-0.5, 0, -0.05), &b, at, 1e-5);
        double low = INFINITY, high = -INFINITY;
        for (int32_t k = 0; k < r.count; k++) {
            assert_vec_near(r.c[k].normal, n, 1e-15);
            assert_near(r.c[k].gap, 0, 1e-15);
            assert_near(r.c[k].point_a.x, 0, 1e-15);
            low  = fmin(low, r.c[k].point_a.y);
            high = fmax(high, r.c[k].point_a.y);
        }
        /* one end is at the corner, or on the side of it that crosses */
        assert_near(low, past[i] > 0 ? past[i] / tan(0.4) : -past[i] * tan(0.4), 1e-10);
        assert_true(high - low > 0.05);
    }
    solid_free(&table);
    solid_free(&b);
}

/* A small cube turned by 45 degrees on a large one, and the other way round: its four corners. */
static void small_on_large_touches_at_the_corners_of_the_small(void **state)
{
    (void)state;
    solid    large = box_solid(5, 5, 1), small = box_solid(1, 1, 1);
    ss_frame top = frame_turned(0.3, 0.2, 1, ss_v3(0, 0, 0.7853981633974483));
    result   r   = collide(&large, frame_at(0, 0, 0), &small, top, 1e-3);
    assert_int_equal(r.count, 4);
    for (int32_t i = 0; i < r.count; i++) {
        assert_int_equal(r.c[i].feature_b >> 28, SS_FEATURE_VERTEX >> 28);
        assert_near(r.c[i].gap, 0, 1e-15);
    }
    ss_frame below = frame_turned(0.3, 0.2, -1, ss_v3(0, 0, 0.7853981633974483));
    r              = collide(&large, frame_at(0, 0, 0), &small, below, 1e-3);
    assert_int_equal(r.count, 4);
    result s = collide(&small, below, &large, frame_at(0, 0, 0), 1e-3);
    assert_int_equal(s.count, 4);
    solid_free(&large);
    solid_free(&small);
}

/* Two ridges across each other: one contact of two edges, with the exact normal and gap. */
static void ridges_touch_edge_to_edge(void **state)
{
    (void)state;
    solid        a = box_solid(1, 1, 1), b = box_solid(1, 1, 1);
    const double up     = sqrt(0.5);
    const double gaps[] = {0, 1e-9, -1e-9, 1e-4, -1e-2};
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
        ss_frame fa = frame_turned(0, 0, 0, ss_v3(0.7853981633974483, 0, 0));
        ss_frame fb = frame_turned(0.1, 0.2, 2 * up + gaps[i], ss_v3(0, 0.7853981633974483, 0));
        result   r  = collide(&a, fa, &b, fb, 1e-3);
        assert_int_equal(r.count, 1);
        assert_near(r.c[0].gap, gaps[i], 1e-15);
        assert_vec_near(r.c[0].normal, ss_v3(0, 0, 1), 1e-15);
        assert_vec_near(r.c[0].point_a, ss_v3(0.1, 0, up), 1e-15);
    }
    solid_free(&a);
    solid_free(&b);
}

/* A box tilted about a vertex: the vertex touches the face below it. */
static void vertex_on_face(void **state)
{
    (void)state;
    solid    a = box_solid(4, 4, 1), b = box_solid(1, 1, 1);
    ss_frame fb  = frame_turned(0, 0, 0, ss_v3(0.4, 0.3, 0.2));
    double   low = INFINITY;
    for (int i = 0; i < 8; i++) {
        ss_vec3 v = ss_v3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
        low       = fmin(low, ss_to_world(&fb, v).z);
    }
    fb.p.z   = 0.5 - low;
    result r = collide(&a, frame_at(0, 0, 0), &b, fb, 1e-3);
    assert_int_equal(r.count, 1);
    assert_near(r.c[0].gap, 0, 1e-15);
    assert_vec_near(r.c[0].normal, ss_v3(0, 0, 1), 1e-15);
    solid_free(&a);
    solid_free(&b);
}

static void deep_overlap_takes_the_shortest_way_out(void **state)
{
    (void)state;
    solid  a = box_solid(1, 1, 1), b = box_solid(1, 1, 1);
    result r = collide(&a, frame_at(0, 0, 0), &b, frame_at(0.1, 0.2, 0.6), 1e-3);
    assert_true(r.count >= 4);
    assert_near(least_gap(&r), -0.4, 1e-15);
    for (int32_t i = 0; i < r.count; i++) {
        assert_vec_near(r.c[i].normal, ss_v3(0, 0, 1), 1e-15);
    }
    r = collide(&a, frame_at(0, 0, 0), &b, frame_at(0, 0, 0), 1e-3);
    assert_true(r.count >= 4);
    assert_near(least_gap(&r), -1, 1e-15);
    solid_free(&a);
    solid_free(&b);
}

/* Distance of two boxes by alternating projections: slow, independent, right. */
static double box_distance(const ss_frame *fa, ss_vec3 ha, const ss_frame *fb, ss_vec3 hb)
{
    ss_vec3 x = fa->p;
    double  d = 0;
    for (int i = 0; i < 3000; i++) {
        ss_vec3 y = ss_to_body(fb, x);
        y = ss_to_world(fb, ss_v3(fmin(fmax(y.x, -hb.x), hb.x), fmin(fmax(y.y, -hb.y), hb.y),
                                  fmin(fmax(y.z, -hb.z), hb.z)));
        ss_vec3 z = ss_to_body(fa, y);
        x = ss_to_world(fa, ss_v3(fmin(fmax(z.x, -ha.x), ha.x), fmin(fmax(z.y, -ha.y), ha.y),
                                  fmin(fmax(z.z, -ha.z), ha.z)));
        d = distance(x, y);
    }
    return d;
}

/* The least gap never exceeds the distance, and equals it where a face or two edges are nearest. */
static void gaps_are_distances(void **state)
{
    (void)state;
    solid    a = box_solid(1, 1.2, 0.8), b = box_solid(0.7, 1, 1.5);
    ss_vec3  ha = {0.5, 0.6, 0.4}, hb = {0.35, 0.5, 0.75};
    uint64_t seed  = 12345;
    int      equal = 0, cases = 0;
    for (int i = 0; i < 400; i++) {
        ss_frame fa = {random_vec(&seed), random_rotation(&seed)};
        ss_frame fb = {ss_add(fa.p, ss_scale(1.2, random_vec(&seed))), random_rotation(&seed)};
        double   d  = box_distance(&fa, ha, &fb, hb);
        if (d < 0.01) {
            continue;
        }
        result r = collide(&a, fa, &b, fb, 10);
        assert_true(r.count > 0);
        assert_true(least_gap(&r) <= d + 1e-6);
        cases++;
        equal += fabs(least_gap(&r) - d) < 1e-6;
    }
    assert_true(cases > 100);
    assert_true(equal > cases / 3);
    solid_free(&a);
    solid_free(&b);
}

/* Swapping the bodies mirrors the contacts. */
static void swapping_mirrors(void **state)
{
    (void)state;
    solid    a = box_solid(1, 1.2, 0.8), b = box_solid(0.7, 1, 1.5);
    uint64_t seed = 99;
    int      met  = 0;
    for (int i = 0; i < 1000; i++) {
        ss_frame fa = {random_vec(&seed), random_rotation(&seed)};
        ss_frame fb = {ss_add(fa.p, random_vec(&seed)), random_rotation(&seed)};
        result   r = collide(&a, fa, &b, fb, 0.01), s = collide(&b, fb, &a, fa, 0.01);
        assert_int_equal(r.count, s.count);
        for (int32_t k = 0; k < r.count; k++) {
            int mirrored = 0;
            for (int32_t j = 0; j < s.count; j++) {
                mirrored += distance(r.c[k].point_a, s.c[j].point_b) < 1e-12 &&
                            distance(r.c[k].point_b, s.c[j].point_a) < 1e-12 &&
                            distance(r.c[k].normal, ss_neg(s.c[j].normal)) < 1e-12 &&
                            r.c[k].feature_a == s.c[j].feature_b;
            }
            assert_int_equal(mirrored, 1);
            met++;
        }
    }
    assert_true(met > 300);
    solid_free(&a);
    solid_free(&b);
}

/* Moving both bodies together moves the contacts along. */
static void rigid_motion_carries_contacts_along(void **state)
{
    (void)state;
    solid    a = box_solid(1, 1.2, 0.8), b = box_solid(0.7, 1, 1.5);
    uint64_t seed = 5;
    for (int i = 0; i < 500; i++) {
        ss_frame fa   = {random_vec(&seed), random_rotation(&seed)};
        ss_frame fb   = {ss_add(fa.p, random_vec(&seed)), random_rotation(&seed)};
        ss_frame move = {ss_scale(3, random_vec(&seed)), random_rotation(&seed)};
        result   r    = collide(&a, fa, &b, fb, 0.01);
        result   s    = collide(&a, ss_frame_mul(&move, &fa), &b, ss_frame_mul(&move, &fb), 0.01);
        for (int32_t k = 0; k < r.count; k++) {
            r.c[k].point_a = ss_to_world(&move, r.c[k].point_a);
            r.c[k].point_b = ss_to_world(&move, r.c[k].point_b);
            r.c[k].normal  = ss_mul(&move.R, r.c[k].normal);
        }
        assert_same_contacts(&r, &s, 1e-12);
    }
    solid_free(&a);
    solid_free(&b);
}

static int32_t branch_count(const result *r)
{
    int32_t count = 0;
    for (int32_t i = 0; i < r->count; i++) {
        count += r->c[i].branch != 0 && (i == 0 || r->c[i].branch != r->c[i - 1].branch);
    }
    return count;
}

/* Branches exist where another direction can become the one that separates, and only there. */
static void branches_appear_at_edges_alone(void **state)
{
    (void)state;
    solid  a = box_solid(1, 1, 1), b = box_solid(1, 1, 1), point = point_solid(3);
    result r = collide(&a, frame_at(0, 0, 0), &b, frame_at(0.3, 0.2, 1), 0.01);
    assert_int_equal(branch_count(&r), 0); /* on the face */
    r = collide(&a, frame_at(0, 0, 0), &b, frame_at(0.995, 0, 1), 0.01);
    assert_int_equal(branch_count(&r), 2); /* over the last 5 mm of it: top and side */
    r = collide(&a, frame_at(0, 0, 0), &b, frame_at(0.995, 0.995, 1), 0.01);
    assert_int_equal(branch_count(&r), 3); /* and at the vertex: two sides */
    r = collide(&point, frame_at(0.4, 0.3, 0.5), &a, frame_at(0, 0, 0), 0.01);
    assert_int_equal(branch_count(&r), 0);
    r = collide(&point, frame_at(0.495, 0.3, 0.5), &a, frame_at(0, 0, 0), 0.01);
    assert_int_equal(branch_count(&r), 2);
    r = collide(&point, frame_at(0.495, 0.495, 0.5), &a, frame_at(0, 0, 0), 0.01);
    assert_int_equal(branch_count(&r), 3);
    solid_free(&a);
    solid_free(&b);
    solid_free(&point);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_cubes_have_four_clean_contacts),
        cmocka_unit_test(noise_does_not_flicker),
        cmocka_unit_test(overhanging_cube_touches_at_the_corners_of_the_overlap),
        cmocka_unit_test(a_corner_that_passes_an_edge_is_no_contact_of_the_other_face),
        cmocka_unit_test(crossed_bars_touch_at_edge_crossings),
        cmocka_unit_test(small_on_large_touches_at_the_corners_of_the_small),
        cmocka_unit_test(ridges_touch_edge_to_edge),
        cmocka_unit_test(vertex_on_face),
        cmocka_unit_test(deep_overlap_takes_the_shortest_way_out),
        cmocka_unit_test(gaps_are_distances),
        cmocka_unit_test(swapping_mirrors),
        cmocka_unit_test(rigid_motion_carries_contacts_along),
        cmocka_unit_test(branches_appear_at_edges_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
