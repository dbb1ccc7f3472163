/* SPDX-License-Identifier: Apache-2.0 */
/* Copositive matrices: known ones, random ones against sampling, and those of steps. */
#include "random.h"
#include "world.h"

static double form(const double *A, int32_t n, const double *x)
{
    double s = 0;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            s += x[i] * A[i + j * n] * x[j];
        }
    }
    return s;
}

/* Asks, and checks the vector that a "no" comes with. */
static ss_answer ask(const double *A, int32_t n)
{
    ss_context *ctx = ss_context_create(NULL);
    ss_answer   answer;
    double      x[64];
    assert_int_equal(ss_copositive(ctx, A, n, &answer, x), SS_OK);
    if (answer == SS_NO) {
        for (int32_t i = 0; i < n; i++) {
            assert_true(x[i] >= 0);
        }
        assert_true(form(A, n, x) < 0);
    }
    ss_context_destroy(ctx);
    return answer;
}

static void known(void **state)
{
    (void)state;
    /* Horn's matrix is copositive, and neither semidefinite nor nonnegative nor a sum of both. */
    const double horn[25] = {1,  -1, 1, 1, -1, -1, 1,  -1, 1, 1, 1,  -1, 1,
                             -1, 1,  1, 1, -1, 1,  -1, -1, 1, 1, -1, 1};
    assert_int_equal(ask(horn, 5), SS_YES);
    double less[25];
    memcpy(less, horn, sizeof less);
    less[24] = 0.99;
    assert_int_equal(ask(less, 5), SS_NO);

    const double zero_with_negative[4] = {0, -1e-3, -1e-3, 5};
    assert_int_equal(ask(zero_with_negative, 2), SS_NO);
    const double skew[4] = {0, 3, -3, 0};
    assert_int_equal(ask(skew, 2), SS_YES);
    const double two[4] = {1, -1.001, -1.001, 1};
    assert_int_equal(ask(two, 2), SS_NO);
    const double units[4] = {1e12, -0.999, -0.999, 1e-12}; /* the same whatever the units */
    assert_int_equal(ask(units, 2), SS_YES);
    const double units_no[4] = {1e12, -1.001, -1.001, 1e-12};
    assert_int_equal(ask(units_no, 2), SS_NO);
}

/* A "yes" must survive many points of the simplex, also on its faces. */
static void survives(const double *A, int32_t n, uint64_t *seed)
{
    for (int k = 0; k < 20000; k++) {
        double x[8];
        for (int32_t i = 0; i < n; i++) {
            x[i] = random_between(seed, 0, 1) < 0.4 ? 0 : -log(random_between(seed, 0, 1) + 1e-9);
        }
        if (form(A, n, x) < -1e-9) {
            fail_msg("a point refutes it");
        }
    }
}

static void random_matrices(void **state)
{
    (void)state;
    uint64_t seed     = 3;
    int      count[3] = {0};
    for (int trial = 0; trial < 120; trial++) {
        double  A[36];
        int32_t n = 3 + trial % 4;
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j < n; j++) {
                A[i + j * n] = i == j ? 1 : 2.4 * random_between(&seed, 0, 1) - 1.2;
            }
        }
        ss_answer answer = ask(A, n);
        count[answer]++;
        if (answer == SS_YES) {
            survives(A, n, &seed);
        }
    }
    assert_true(count[SS_YES] > 20 && count[SS_NO] > 20 && count[SS_UNDECIDED] == 0);
}

/* The matrix of a step's LCP is copositive, in the plane and in space, for every friction. */
static void of_steps(void **state)
{
    (void)state;
    const char *cones[] = {"quadratic", "{polygon: 6}"};
    for (int k = 0; k < 2; k++) {
        char  text[700];
        world w;
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -10]\n"
                 "materials: {default: {friction: 1.5}}\n"
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                 "  - {name: block, type: dynamic, mass: 0.4, shape: {box: {size: [1, 1, 1]}},\n"
                 "     position: [0, 0, 0.5], damping: [5, 1]}\n"
                 "simulation: {step: 0.01, duration: 1, model: {inertia: damped, cone: %s}}\n",
                 cones[k]);
        ss_solvable_verdict v;
        open_text(&w, text);
        run(&w, 0.01, 1);
        check(&w, ss_analyze_solvable(w.model, w.data, &v));
        assert_int_equal(v.copositive, SS_YES);
        assert_int_equal(v.pointed, SS_YES);
        assert_int_equal(v.solvable, SS_YES);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known),
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(of_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
