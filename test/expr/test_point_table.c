/* SPDX-License-Identifier: Apache-2.0 */
/* Functions given by points: what each kind reproduces exactly, and how fast it converges. */
#include <math.h>

#include "expr/point_table.h"
#include "world.h"

enum { POINTS_MAX = 400 };

typedef struct made {
    double         x[POINTS_MAX], y[POINTS_MAX], slope[POINTS_MAX], work[3 * POINTS_MAX];
    ss_point_table table;
} made;

/* Points that are not evenly spaced on [from, to]. */
static void make(made *m, double (*f)(double), double from, double to, int32_t count, double period)
{
    for (int32_t i = 0; i < count; i++) {
        double u = (double)i / (count - 1);
        m->x[i]  = from + (to - from) * (u + 0.3 / count * sin(5 * u) * u * (1 - u));
        m->y[i]  = f(m->x[i]);
    }
    ss_point_table_slopes(m->x, m->y, count, period > 0, m->slope, m->work);
    m->table = (ss_point_table){m->x, m->y, m->slope, count, SS_TABLE_CUBIC, period};
}

static double worst(const made *m, double (*f)(double), double from, double to)
{
    double error = 0;
    for (int i = 0; i <= 1000; i++) {
        double x = from + (to - from) * i / 1000;
        error    = fmax(error, fabs(ss_point_table_value(&m->table, x) - f(x)));
    }
    return error;
}

static double a_cubic(double x)
{
    return 1 - 2 * x + 0.5 * x * x - 3 * x * x * x;
}

static double a_parabola(double x)
{
    return 1 - 2 * x + 0.5 * x * x;
}

static double a_wave(double x)
{
    return sin(x) + 0.3 * cos(2 * x);
}

static void cubics_are_reproduced(void **state)
{
    (void)state;
    static made m;
    for (int32_t count = 4; count < 30; count += 5) {
        make(&m, a_cubic, -1, 2, count, 0);
        assert_true(worst(&m, a_cubic, -1, 2) < 1e-13);
    }
    make(&m, a_parabola, -1, 2, 3, 0);
    assert_true(worst(&m, a_parabola, -1, 2) < 1e-14);
}

static void splines_converge_with_order_four(void **state)
{
    (void)state;
    static made m;
    double      error[2][2], period = 2 * acos(-1.0);
    for (int k = 0; k < 2; k++) {
        make(&m, a_wave, 0.2, 3, 21 + 20 * k, 0);
        error[0][k] = worst(&m, a_wave, 0.2, 3);
        make(&m, a_wave, 0.2, 0.2 + period, 21 + 20 * k, period);
        error[1][k] =
            worst(&m, a_wave, -9, 17); /* also before the first and after the last point */
    }
    for (int kind = 0; kind < 2; kind++) {
        double order = log2(error[kind][0] / error[kind][1]);
        assert_true(order > 3.7 && order < 4.8);
        assert_true(error[kind][1] < 1e-4);
    }
}

static void lines_and_steps(void **state)
{
    (void)state;
    const double   x[] = {0, 1, 3}, y[] = {0, 2, 1};
    ss_point_table t = {x, y, NULL, 3, SS_TABLE_LINEAR, 0};
    assert_near(ss_point_table_value(&t, 0.25), 0.5, 1e-16);
    assert_near(ss_point_table_value(&t, 2), 1.5, 1e-16);
    assert_near(ss_point_table_value(&t, -5), 0, 0);
    assert_near(ss_point_table_value(&t, 5), 1, 0);
    t.kind = SS_TABLE_STEP;
    assert_near(ss_point_table_value(&t, 0.999), 0, 0);
    assert_near(ss_point_table_value(&t, 1), 2, 0);
    assert_near(ss_point_table_value(&t, 3), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cubics_are_reproduced),
                                       cmocka_unit_test(splines_converge_with_order_four),
                                       cmocka_unit_test(lines_and_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
