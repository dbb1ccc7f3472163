/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers by counter, quantiles, permutations and Sobol's points, against what is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "study/philox.h"
#include "study/quantile.h"
#include "study/sobol.h"

/* The known answers that come with the authors' own library (Random123). */
static void philox_gives_the_known_answers(void **unused)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint64_t  key   = (uint64_t)known[i].key[1] << 32 | known[i].key[0];
        ss_philox block = ss_philox_block(known[i].counter, key);
        assert_memory_equal(block.x, known[i].out, sizeof block.x);
    }
}

/* Moments and neighbours: numbers of neighbouring trials and variables have nothing in common. */
static void uniform_numbers_are_uniform_and_independent(void **unused)
{
    enum { N = 100000 };
    double sum = 0, square = 0, between_trials = 0, between_variables = 0, last = 0.5;
    (void)unused;
    for (uint64_t i = 0; i < N; i++) {
        double a[2], b[2];
        ss_philox_uniform(7, i, 1, 0, a);
        ss_philox_uniform(7, i, 2, 0, b);
        assert_true(a[0] > 0 && a[0] < 1 && a[1] > 0 && a[1] < 1);
        sum += a[0];
        square += (a[0] - 0.5) * (a[0] - 0.5);
        between_trials += (a[0] - 0.5) * (last - 0.5);
        between_variables += (a[0] - 0.5) * (b[0] - 0.5);
        last = a[0];
    }
    /* five standard deviations of each */
    assert_true(fabs(sum / N - 0.5) < 5 * sqrt(1.0 / 12 / N));
    assert_true(fabs(square / N - 1.0 / 12) < 5 * sqrt(1.0 / 180 / N));
    assert_true(fabs(between_trials / N) < 5 / 12.0 / sqrt(N));
    assert_true(fabs(between_variables / N) < 5 / 12.0 / sqrt(N));
}

static void quantiles_invert_the_normal_distribution(void **unused)
{
    (void)unused;
    for (int i = 1; i < 20000; i++) {
        double p = i / 20000.0, x = ss_normal_quantile(p);
        assert_true(fabs(0.5 * erfc(-x / sqrt(2)) - p) <= 4e-16 + 4e-15 * p);
    }
    for (double p = 1e-3; p > 1e-300; p *= 1e-3) {
        double x = ss_normal_quantile(p);
        assert_true(fabs(0.5 * erfc(-x / sqrt(2)) / p - 1) < 1e-12);
        assert_true(x < ss_normal_quantile(p * 1.01));
    }
    assert_true(ss_normal_quantile(0.5) == 0);
}

static void permutations_are_bijections(void **unused)
{
    static const uint32_t sizes[] = {1, 2, 3, 7, 16, 30, 100, 1000, 4097};
    (void)unused;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        for (uint32_t key = 0; key < 5; key++) {
            char *seen = calloc(sizes[k], 1);
            for (uint32_t i = 0; i < sizes[k]; i++) {
                uint32_t j = ss_permute(i, sizes[k], key * 2654435761u + 17);
                assert_true(j < sizes[k] && seen[j] == 0);
                seen[j] = 1;
            }
            free(seen);
        }
    }
}

/* Each coordinate of 2^k points has one in each of 2^k strata, scrambled as it is. */
static void sobol_is_stratified_in_every_coordinate(void **unused)
{
    enum { K = 10, N = 1 << K };
    (void)unused;
    for (int32_t dimension = 0; dimension < SS_SOBOL_DIMENSIONS; dimension++) {
        char seen[N] = {0};
        for (uint32_t i = 0; i < N; i++) {
            uint32_t cell =
                ss_sobol(i, dimension, 0x1234567u * (uint32_t)(dimension + 1)) >> (32 - K);
            assert_int_equal(seen[cell], 0);
            seen[cell] = 1;
        }
    }
}

/* Neighbouring pairs of coordinates: the integral of 4 x y is 1, far closer than at random. */
static void sobol_integrates_better_than_chance(void **unused)
{
    enum { N = 4096 };
    (void)unused;
    for (int32_t dimension = 1; dimension < SS_SOBOL_DIMENSIONS; dimension++) {
        double sum = 0;
        for (uint32_t i = 0; i < N; i++) {
            double x = (ss_sobol(i, dimension - 1, 77) + 0.5) * 0x1p-32;
            double y = (ss_sobol(i, dimension, 99) + 0.5) * 0x1p-32;
            sum += 4 * x * y;
        }
        assert_true(fabs(sum / N - 1) < 2e-3); /* at random: 1.4e-2 */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_known_answers),
        cmocka_unit_test(uniform_numbers_are_uniform_and_independent),
        cmocka_unit_test(quantiles_invert_the_normal_distribution),
        cmocka_unit_test(permutations_are_bijections),
        cmocka_unit_test(sobol_is_stratified_in_every_coordinate),
        cmocka_unit_test(sobol_integrates_better_than_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
