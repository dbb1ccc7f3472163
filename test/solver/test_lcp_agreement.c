/* SPDX-License-Identifier: Apache-2.0 */
/* Some thousand random LCPs: no two methods may contradict each other, and auto may miss none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solver/lcp_agreement.h"

static void test_random_lcps(void **state)
{
    (void)state;
    agreement   a;
    ss_context *ctx = ss_context_create(NULL);
    assert_non_null(ctx);
    assert_true(agreement_make(&a, ctx));
    for (uint64_t k = 0; k < 6000; k++) {
        agreement_case(&a, k, stderr);
    }
    agreement_report(&a, stderr);
    assert_int_equal(a.contradictions, 0);
    assert_int_equal(a.missed, 0);
    assert_true(a.solvable > 3000 && a.unsolvable > 100);
    agreement_free(&a);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_lcps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
