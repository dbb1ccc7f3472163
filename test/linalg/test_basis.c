/* SPDX-License-Identifier: Apache-2.0 */
/* Bases by what they span. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linalg/basis.h"
#include "linalg/vector.h"
#include "near.h"
#include "random.h"

static void spans_what_it_was_given(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < 500; trial++) {
        double  Q[36], x[6], copy[6];
        int32_t n = 1 + trial % 6, rank = 0, wanted = trial % (n + 1);
        for (int32_t k = 0; k < wanted; k++) {
            for (int32_t i = 0; i < n; i++) {
                copy[i] = x[i] = random_between(&seed, -1, 1);
            }
            assert_true(ss_basis_add(n, Q, &rank, x, 1e-9));
            assert_false(ss_basis_add(n, Q, &rank, copy, 1e-9)); /* it is there already */
        }
        assert_int_equal(rank, wanted);
        ss_basis_complete(n, Q, rank);
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j < n; j++) {
                assert_near(ss_vector_dot(n, Q + i * n, Q + j * n), i == j ? 1 : 0, 1e-13);
            }
        }
    }
}

/* Vectors at an angle of 1e-8: what the second adds is told to the last digit of the angle. */
static void small_angles(void **state)
{
    (void)state;
    double  Q[9], first[3] = {1, 2, 3}, second[3] = {1, 2 + 1e-8, 3}, x[3] = {5, -1, 4};
    int32_t rank = 0;
    assert_true(ss_basis_add(3, Q, &rank, first, 1e-10));
    assert_true(ss_basis_add(3, Q, &rank, second, 1e-10));
    /* the normal of the plane is (3, 0, -1) / sqrt(10) */
    ss_basis_leave(3, Q, rank, x);
    assert_near(x[0], 3 * 1.1, 1e-7);
    assert_near(x[1], 0, 1e-7);
    assert_near(x[2], -1.1, 1e-7);
    assert_near(ss_vector_dot(3, Q, Q + 3), 0, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spans_what_it_was_given),
                                       cmocka_unit_test(small_angles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
