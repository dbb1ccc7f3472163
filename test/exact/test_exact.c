/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nobody lies about a small integer problem (exact_problems.h).
 * usage: test_exact [COUNT] [FIRST]; the whole of it, 100000 problems, is `make soak-exact`.
 */
#include "exact/exact_problems.h"

/* The judge itself: sums to the last bit, and cones that are known. */
static bool judge_works(void)
{
    exact_sum sum = {{0}};
    exact_add(&sum, 3, 1e300);
    exact_add(&sum, -7, 1.0 / 3);
    exact_add(&sum, -3, 1e300);
    bool    sums     = exact_value(&sum) == -7 * (1.0 / 3);
    int64_t A[6][12] = {{1, -1}, {-1, 1}}, outside[2] = {1, 1}, inside[2] = {2, -2};
    bool    cones = !exact_cone(2, 2, A, outside) && exact_cone(2, 2, A, inside);
    return sums && cones;
}

/* Long runs tell how far they are: what was found before an interruption is not lost. */
enum { TOLD = 5000 };

static void tell(const exact_trial *t)
{
    printf(
        "%ld problems, %ld without a solution (%ld proved by auto), %ld claims, %ld lies, %ld that "
        "auto left open\n",
        t->problems, t->without, t->proved, t->claims, t->lies, t->refused);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    uint64_t    count = argc > 1 ? strtoull(argv[1], NULL, 10) : 600;
    uint64_t    first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    ss_context *ctx   = ss_context_create(NULL);
    exact_trial trial;
    if (!judge_works() || ctx == NULL || !exact_trial_make(&trial, ctx, "1e-8")) {
        fprintf(stderr, "test_exact: the judge or the solvers cannot be set up\n");
        return 2;
    }
    bool ran = true;
    for (uint64_t k = first; ran && k < first + count; k++) {
        ran = exact_trial_run(&trial, k);
        if ((k - first) % TOLD == TOLD - 1 && k + 1 < first + count) {
            tell(&trial);
        }
    }
    tell(&trial);
    exact_trial_free(&trial);
    ss_context_destroy(ctx);
    return ran && trial.lies == 0 && trial.without > 0 && trial.claims > 0 ? 0 : 1;
}
