/* SPDX-License-Identifier: Apache-2.0 */
/* Fields on a grid: points found and named, against fields whose points are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stickslip/stickslip.h"

enum { MOST = 41 };

typedef void (*law)(double x, double y, double v[2]);

static ss_flow *make(ss_context *ctx, law f, int32_t nx, int32_t ny, double reach, double scale)
{
    double   x[MOST] = {0}, y[MOST] = {0}, u[MOST * MOST], v[MOST * MOST], out[2];
    ss_flow *flow = NULL;
    for (int32_t i = 0; i < nx; i++) {
        x[i] = scale * reach * (-1 + 2.0 * i / (nx - 1));
    }
    for (int32_t j = 0; j < ny; j++) {
        y[j] = scale * reach * (-1 + 2.0 * j / (ny - 1));
    }
    for (int32_t k = 0; k < nx * ny; k++) {
        f(x[k % nx] / scale, y[k / nx] / scale, out);
        u[k] = scale * out[0];
        v[k] = scale * out[1];
    }
    assert_int_equal(ss_flow_create(ctx, nx, ny, x, y, u, v, &flow), SS_OK);
    return flow;
}

/* ---- linear fields of every kind ---- */

static double jacobian[4], shift[2];

static void linear(double x, double y, double v[2])
{
    x -= shift[0];
    y -= shift[1];
    v[0] = jacobian[0] * x + jacobian[1] * y;
    v[1] = jacobian[2] * x + jacobian[3] * y;
}

typedef struct known {
    double       J[4];
    ss_flow_kind kind;
    double       rate[2], turn;
} known;

/* Every kind, on grids with a node at the point and beside it, from micrometres to kilometres. */
static void linear_fields_have_their_names(void **unused)
{
    static const known list[] = {
        {{-2, 0, 0, -1}, SS_FLOW_SINK, {-1, -2}, 0},
        {{3, 1, 1, 3}, SS_FLOW_SOURCE, {4, 2}, 0},
        {{-0.2, 0, 0, 0.2}, SS_FLOW_SADDLE, {0.2, -0.2}, 0},
        {{0, -0.15, 0.15, 0}, SS_FLOW_CENTRE, {0, 0}, 0.15},
        {{0, 0.15, -0.15, 0}, SS_FLOW_CENTRE, {0, 0}, -0.15},
        {{-1, -2, 2, -1}, SS_FLOW_SPIRAL_SINK, {-1, -1}, 2},
        {{1, 2, -2, 1}, SS_FLOW_SPIRAL_SOURCE, {1, 1}, -2},
    };
    static const double scales[] = {1e-6, 1, 1e3}, shifts[][2] = {{0, 0}, {0.013, -0.021}};
    (void)unused;
    ss_context *ctx = ss_context_create(NULL);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        for (size_t k = 0; k < 6; k++) {
            memcpy(jacobian, list[i].J, sizeof jacobian);
            memcpy(shift, shifts[k % 2], sizeof shift);
            double         scale = scales[k / 2];
            ss_flow       *f     = make(ctx, linear, 11, 9, 0.1, scale);
            ss_flow_linear whole = ss_flow_whole(f);
            assert_int_equal(whole.kind, list[i].kind);
            assert_int_equal(ss_flow_point_count(f), 1);
            ss_flow_point p = ss_flow_point_at(f, 0);
            assert_int_equal(p.near.kind, list[i].kind);
            assert_int_equal(p.index, list[i].kind == SS_FLOW_SADDLE ? -1 : 1);
            assert_true(fabs(p.near.at[0] / scale - shift[0]) < 1e-9);
            assert_true(fabs(p.near.at[1] / scale - shift[1]) < 1e-9);
            assert_true(fabs(p.near.rate[0] - list[i].rate[0]) < 1e-9);
            assert_true(fabs(p.near.rate[1] - list[i].rate[1]) < 1e-9);
            assert_true(fabs(p.near.turn - list[i].turn) < 1e-9);
            ss_flow_destroy(f);
        }
    }
    ss_context_destroy(ctx);
}

static void line_sink(double x, double y, double v[2])
{
    v[0] = -0.3 * x + 1e-7 * sin(1e4 * y);
    v[1] = 1e-7 * sin(1e4 * x + 3e3 * y); /* noise along the line makes no points */
}

static void uniform(double x, double y, double v[2])
{
    v[0] = 0.01 + 0.02 * x;
    v[1] = 0.01 * y;
}

static void still(double x, double y, double v[2])
{
    (void)x, (void)y;
    v[0] = v[1] = 0;
}

static void rounding(double x, double y, double v[2])
{
    v[0] = 1e-16 * sin(1e3 * x + y);
    v[1] = -1e-16 * x;
}

static void shear(double x, double y, double v[2])
{
    (void)x;
    v[0] = 2 * y;
    v[1] = 0;
}

static void fields_without_points(void **unused)
{
    static const struct {
        law          f;
        ss_flow_kind kind;
    } list[] = {{line_sink, SS_FLOW_LINE_SINK},
                {uniform, SS_FLOW_TRANSLATION},
                {still, SS_FLOW_REST},
                {rounding, SS_FLOW_REST},
                {shear, SS_FLOW_SHEAR}};
    (void)unused;
    ss_context *ctx = ss_context_create(NULL);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        ss_flow *f = make(ctx, list[i].f, 21, 21, 0.1, 1);
        assert_int_equal(ss_flow_whole(f).kind, list[i].kind);
        assert_int_equal(ss_flow_point_count(f), 0);
        ss_flow_destroy(f);
    }
    ss_context_destroy(ctx);
}

/* v = (y, x - x^3 - y / 2): a saddle at 0 and two spiral sinks at (+-1, 0). */
static void duffing(double x, double y, double v[2])
{
    v[0] = y;
    v[1] = x - x * x * x - 0.5 * y;
}

static void several_points_of_one_field(void **unused)
{
    (void)unused;
    ss_context *ctx     = ss_context_create(NULL);
    ss_flow    *f       = make(ctx, duffing, 40, 41, 1.7, 1);
    int         saddles = 0, spirals = 0;
    assert_int_equal(ss_flow_point_count(f), 3);
    for (int32_t i = 0; i < 3; i++) {
        ss_flow_point p = ss_flow_point_at(f, i);
        saddles += p.near.kind == SS_FLOW_SADDLE;
        spirals += p.near.kind == SS_FLOW_SPIRAL_SINK;
        double at = p.near.kind == SS_FLOW_SADDLE ? 0 : 1;
        assert_true(fabs(fabs(p.near.at[0]) - at) < 0.02 && fabs(p.near.at[1]) < 0.02);
    }
    assert_true(saddles == 1 && spirals == 2);
    ss_flow_destroy(f);
    ss_context_destroy(ctx);
}

/* Parts that stick around the middle: a region at rest is one sink; unknown nodes do no harm. */
static void dead(double x, double y, double v[2])
{
    double r = sqrt(x * x + y * y), slow = r < 0.03 ? 0 : (r - 0.03) / r;
    v[0] = x > 0.09 && y > 0.09 ? NAN : -slow * x;
    v[1] = -slow * y;
}

static void a_region_at_rest(void **unused)
{
    (void)unused;
    ss_context *ctx = ss_context_create(NULL);
    ss_flow    *f   = make(ctx, dead, 21, 21, 0.1, 1);
    double      v[2], at[2] = {0.05, 0.02}, far[2] = {0.2, 0};
    assert_int_equal(ss_flow_point_count(f), 1);
    ss_flow_point p = ss_flow_point_at(f, 0);
    assert_true(p.near.kind == SS_FLOW_SINK && p.resting > 20);
    assert_true(fabs(p.near.at[0]) < 1e-9 && fabs(p.near.at[1]) < 1e-9);
    assert_true(ss_flow_velocity(f, at, v) && fabs(v[0] + 0.05 * (1 - 0.03 / 0.0538516)) < 1e-3);
    assert_false(ss_flow_velocity(f, far, v));
    ss_flow_destroy(f);
    ss_context_destroy(ctx);
}

static void pictures_and_refusals(void **unused)
{
    const char *path = "test_flow.svg";
    char        text[200000];
    double      x[2] = {0, 1}, back[2] = {1, 0}, u[4] = {0};
    ss_flow    *f = NULL;
    (void)unused;
    ss_context *ctx = ss_context_create(NULL);
    f               = make(ctx, duffing, 21, 21, 1.7, 1);
    assert_int_equal(ss_flow_svg(f, "a <b> & c", path), SS_OK);
    FILE  *in   = fopen(path, "rb");
    size_t size = fread(text, 1, sizeof text - 1, in);
    fclose(in);
    remove(path);
    text[size] = '\0';
    assert_non_null(strstr(text, "a &lt;b&gt; &amp; c"));
    assert_non_null(strstr(text, ">saddle</text>"));
    assert_non_null(strstr(text, "<polyline"));
    assert_int_equal(ss_flow_svg(f, "a", "/nowhere/at/all.svg"), SS_ERR_IO);
    ss_flow_destroy(f);
    assert_int_equal(ss_flow_create(ctx, 2, 2, x, back, u, u, &f), SS_ERR_ARGUMENT);
    assert_int_equal(ss_flow_create(ctx, 1, 2, x, x, u, u, &f), SS_ERR_ARGUMENT);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_fields_have_their_names), cmocka_unit_test(fields_without_points),
        cmocka_unit_test(several_points_of_one_field),    cmocka_unit_test(a_region_at_rest),
        cmocka_unit_test(pictures_and_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
