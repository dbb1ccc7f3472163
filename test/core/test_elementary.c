/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elementary functions: within 0.51 units in the last place of a reference in long double (where
 * that has more digits), special values as in C17 annex F, and bits that were written down once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/elementary.h"
#include "random.h"

/* Units in the last place between a result and a reference that is good to 2^-62. */
static double ulps(double got, long double exact)
{
    int e;
    if (exact == 0 || !isfinite((double)exact)) {
        return got == (double)exact ? 0 : 1e9;
    }
    (void)frexpl(exact, &e);
    e = e < DBL_MIN_EXP ? DBL_MIN_EXP : e;
    return (double)fabsl((long double)got - exact) / ldexp(1, e - DBL_MANT_DIG);
}

/* What the reference itself may be wrong by, beside the 0.51 that is promised. */
static const double ALLOWED = 0.51 + 0.004;

typedef double (*unary)(double);
typedef long double (*reference)(long double);

static void compare(const char *name, unary f, reference g, double low, double high)
{
    uint64_t seed = 7;
    for (int k = 0; LDBL_MANT_DIG >= 64 && k < 20000; k++) {
        double x = random_between(&seed, low, high);
        double e = ulps(f(x), g(x));
        if (!(e <= ALLOWED)) {
            fail_msg("%s(%.17g) = %.17g, off by %.4f ulp", name, x, f(x), e);
        }
    }
}

static void near_to_exact(void **state)
{
    (void)state;
    compare("exp", ss_exp, expl, -700, 700);
    compare("exp", ss_exp, expl, -1, 1);
    compare("log", ss_ln, logl, 1e-3, 1e3);
    compare("log", ss_ln, logl, 0.99, 1.01);
    compare("log", ss_ln, logl, 1e-300, 1e300);
    compare("log10", ss_log10, log10l, 1e-3, 1e6);
    compare("sin", ss_sin, sinl, -10, 10);
    compare("sin", ss_sin, sinl, -1e-3, 1e-3);
    compare("cos", ss_cos, cosl, -10, 10);
    compare("sin", ss_sin, sinl, -1e6, 1e6);
    compare("cos", ss_cos, cosl, -1e6, 1e6);
    compare("tan", ss_tan, tanl, -1.5, 1.5);
    compare("asin", ss_asin, asinl, -1, 1);
    compare("acos", ss_acos, acosl, -1, 1);
    compare("sinh", ss_sinh, sinhl, -2, 2);
    compare("sinh", ss_sinh, sinhl, -700, 700);
    compare("cosh", ss_cosh, coshl, -50, 50);
    compare("tanh", ss_tanh, tanhl, -3, 3);
}

static void two_arguments(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (int k = 0; LDBL_MANT_DIG >= 64 && k < 20000; k++) {
        double x = random_between(&seed, 0.01, 10), y = random_between(&seed, -20, 20);
        double s = random_between(&seed, -3, 3);
        assert_true(ulps(ss_pow(x, y), powl(x, y)) <= ALLOWED + 0.02); /* powl's own error */
        assert_true(ulps(ss_atan2(s, y), atan2l(s, y)) <= ALLOWED);
        assert_true(ulps(ss_hypot(s, y), hypotl(s, y)) <= ALLOWED);
        assert_true(fabs(ss_gamma(x) / tgamma(x) - 1) < 4e-15);
    }
}

/* Annex F, and exact cases. */
static void special_values(void **state)
{
    (void)state;
    const double inf = INFINITY;
    assert_true(ss_exp(0) == 1 && ss_exp(-inf) == 0 && ss_exp(inf) == inf && ss_exp(710) == inf);
    assert_true(ss_exp(-746) == 0 && ss_exp(-745) > 0 && isnan(ss_exp(NAN)));
    assert_true(ss_ln(1) == 0 && ss_ln(0) == -inf && isnan(ss_ln(-1)) && ss_ln(inf) == inf);
    assert_true(ss_log10(1000) == 3 && ss_log10(1e-5) == -5 && ss_ln(5e-324) < -744);
    assert_true(ss_sin(0) == 0 && signbit(ss_sin(-0.0)) && isnan(ss_sin(inf)) && ss_cos(0) == 1);
    assert_true(isnan(ss_tan(inf)) && isnan(ss_asin(1.5)) && ss_acos(1) == 0);
    assert_true(ss_acos(-1) == ss_atan2(0, -1) && ss_asin(1) == ss_atan2(1, 0));
    assert_true(signbit(ss_atan2(-0.0, 1)) && ss_atan2(-0.0, -1) == -ss_atan2(0, -1));
    assert_true(ss_atan2(1, inf) == 0 && ss_atan2(inf, 1) == ss_atan2(1, 0));
    assert_true(ss_atan2(inf, inf) == ss_atan2(1, 1) && ss_atan2(1e-300, 1e300) == 0);
    assert_true(ss_pow(2, 10) == 1024 && ss_pow(10, 3) == 1000 && ss_pow(-2, 3) == -8);
    assert_true(ss_pow(NAN, 0) == 1 && ss_pow(1, NAN) == 1 && isnan(ss_pow(-2, 0.5)));
    assert_true(ss_pow(0, 3) == 0 && ss_pow(0, -2) == inf && ss_pow(-0.0, -3) == -inf);
    assert_true(ss_pow(2, inf) == inf && ss_pow(0.5, inf) == 0 && ss_pow(-1, inf) == 1);
    assert_true(ss_pow(2, 1e300) == inf && ss_pow(2, -1e300) == 0 && ss_pow(4, 0.5) == 2);
    assert_true(ss_sinh(inf) == inf && ss_cosh(-inf) == inf && ss_tanh(100) == 1);
    assert_true(ss_sinh(800) == inf && ss_sinh(-800) == -inf && isnan(ss_tanh(NAN)));
    assert_true(ss_hypot(3, 4) == 5 && ss_hypot(inf, NAN) == inf &&
                ss_hypot(ldexp(3, 700), ldexp(4, 700)) == ldexp(5, 700));
    assert_true(ss_hypot(ldexp(3, -700), ldexp(4, -700)) == ldexp(5, -700) && ss_hypot(0, -2) == 2);
    assert_true(fabs(ss_gamma(5) - 24) < 1e-13 && isnan(ss_gamma(-1)) && ss_gamma(200) == inf);
    double s, c;
    ss_sin_cos(1e22, &s, &c);
    assert_true(s == ss_sin(1e22) && c == ss_cos(1e22) && s == -0.8522008497671888);
}

/* The same bits everywhere: a hash of many results, written down on an x86-64. */
static void the_same_bits(void **state)
{
    (void)state;
    uint64_t seed = 9, hash = 1469598103934665603u;
    for (int k = 0; k < 5000; k++) {
        double a = random_between(&seed, -30, 30), x = random_between(&seed, 1e-3, 40);
        double r[] = {ss_exp(a),  ss_ln(x),   ss_log10(x),     ss_pow(x, a),    ss_sin(a * 1e5),
                      ss_cos(a),  ss_tan(a),  ss_asin(a / 30), ss_acos(a / 30), ss_atan2(a, x),
                      ss_sinh(a), ss_cosh(a), ss_tanh(a),      ss_hypot(a, x),  ss_gamma(x)};
        for (size_t i = 0; i < sizeof r / sizeof *r; i++) {
            uint64_t bits;
            memcpy(&bits, &r[i], sizeof bits);
            hash = (hash ^ bits) * 1099511628211u;
        }
    }
    if (hash != 0x375454926ec480aau) {
        fail_msg("the hash of all results is %016llx", (unsigned long long)hash);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_to_exact),
        cmocka_unit_test(two_arguments),
        cmocka_unit_test(special_values),
        cmocka_unit_test(the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
