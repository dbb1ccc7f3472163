/* SPDX-License-Identifier: Apache-2.0 */
/* Every overlapping pair, once, in order; and fast enough for ten thousand boxes. */
#include <time.h>

#include "collide/broadphase.h"
#include "collide/collide_test.h"

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool overlap(const ss_aabb *a, const ss_aabb *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static ss_aabb box_about(ss_vec3 c, double half)
{
    ss_aabb b = {{c.x - half, c.y - half, c.z - half}, {c.x + half, c.y + half, c.z + half}};
    return b;
}

static int odd_pairs(const void *user, int32_t a, int32_t b)
{
    (void)user;
    return (a + b) % 2;
}

/* Compare with all pairs, over steps in which the boxes move and one becomes endless. */
static void agree(int32_t n, int steps)
{
    ss_context    *ctx = ss_context_create(NULL);
    ss_broadphase *bp;
    ss_aabb       *boxes = calloc((size_t)n, sizeof *boxes);
    ss_pair       *pairs = calloc((size_t)n * (size_t)n, sizeof *pairs);
    uint64_t       seed  = 11;
    assert_int_equal(ss_broadphase_create(ctx, n, &bp), SS_OK);
    for (int32_t i = 0; i < n; i++) {
        boxes[i] = box_about(ss_scale(5, random_vec(&seed)), 0.3 + 0.25 * uniform(&seed));
    }
    for (int s = 0; s < steps; s++) {
        boxes[0] = box_about(ss_v3(0, 0, 0), s % 3 == 1 ? INFINITY : 1);
        if (n > 3) {
            boxes[3].low  = ss_v3(-INFINITY, -INFINITY, -INFINITY);
            boxes[3].high = ss_v3(INFINITY, INFINITY, -4);
        }
        for (int odd = 0; odd < 2; odd++) {
            int32_t count, k = 0;
            assert_int_equal(
                ss_broadphase_pairs(bp, boxes, odd ? odd_pairs : NULL, NULL, pairs, n * n, &count),
                SS_OK);
            for (int32_t i = 0; i < n; i++) {
                for (int32_t j = i + 1; j < n; j++) {
                    if (overlap(&boxes[i], &boxes[j]) && (!odd || (i + j) % 2)) {
                        assert_true(k < count);
                        assert_int_equal(pairs[k].a, i);
                        assert_int_equal(pairs[k].b, j);
                        k++;
                    }
                }
            }
            assert_int_equal(k, count);
        }
        for (int32_t i = 0; i < n; i++) {
            ss_vec3 move  = ss_scale(0.5, random_vec(&seed));
            boxes[i].low  = ss_add(boxes[i].low, move);
            boxes[i].high = ss_add(boxes[i].high, move);
        }
    }
    ss_broadphase_destroy(bp);
    ss_context_destroy(ctx);
    free(boxes);
    free(pairs);
}

static void finds_what_comparing_all_finds(void **state)
{
    (void)state;
    agree(1, 2);
    agree(2, 2);
    agree(20, 5);
    agree(25, 5);
    agree(300, 20);
}

static void counts_past_the_room_for_pairs(void **state)
{
    (void)state;
    ss_context    *ctx = ss_context_create(NULL);
    ss_broadphase *bp;
    ss_aabb        boxes[40];
    ss_pair        pairs[10];
    int32_t        count;
    for (int i = 0; i < 40; i++) {
        boxes[i] = box_about(ss_v3(0.01 * i, 0, 0), 1);
    }
    assert_int_equal(ss_broadphase_create(ctx, 40, &bp), SS_OK);
    assert_int_equal(ss_broadphase_pairs(bp, boxes, NULL, NULL, pairs, 10, &count), SS_OK);
    assert_int_equal(count, 40 * 39 / 2);
    assert_int_equal(pairs[9].a, 0);
    ss_broadphase_destroy(bp);
    ss_context_destroy(ctx);
}

/* Time of a step with boxes that jitter in place, as in a pile; touching neighbours. */
static double time_of(int32_t n)
{
    ss_context    *ctx = ss_context_create(NULL);
    ss_broadphase *bp;
    int32_t        side  = (int32_t)ceil(cbrt(n)), count;
    ss_aabb       *boxes = calloc((size_t)n, sizeof *boxes);
    ss_pair       *pairs = calloc((size_t)n * 30, sizeof *pairs);
    uint64_t       seed  = 5;
    assert_int_equal(ss_broadphase_create(ctx, n, &bp), SS_OK);
    double least = INFINITY;
    for (int s = 0; s < 8; s++) {
        for (int32_t i = 0; i < n; i++) {
            ss_vec3 c = ss_v3(i % side, i / side % side, i / side / side);
            boxes[i]  = box_about(ss_axpy(c, 0.05, random_vec(&seed)), 0.52);
        }
        double start = seconds();
        assert_int_equal(ss_broadphase_pairs(bp, boxes, NULL, NULL, pairs, n * 30, &count), SS_OK);
        least = s > 0 ? fmin(least, seconds() - start) : least;
        assert_true(count > n && count < 30 * n);
    }
    ss_broadphase_destroy(bp);
    ss_context_destroy(ctx);
    free(boxes);
    free(pairs);
    return least;
}

/* Ten times the boxes take less than twenty times as long (all pairs would take a hundred). */
static void grows_about_linearly(void **state)
{
    (void)state;
    double small = time_of(1000), large = time_of(10000);
    print_message("broad phase: 1000 boxes %.3f ms, 10000 boxes %.3f ms\n", 1e3 * small,
                  1e3 * large);
#ifndef __SANITIZE_ADDRESS__
    assert_true(large < 20 * small);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_comparing_all_finds),
        cmocka_unit_test(counts_past_the_room_for_pairs),
        cmocka_unit_test(grows_about_linearly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
