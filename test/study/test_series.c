/* SPDX-License-Identifier: Apache-2.0 */
/* Series: variants of one source on several threads, convergence, comparison, the simplex. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "stickslip/stickslip.h"

static const char falling[] = "name: falling\n"
                              "gravity: [0, 0, -10]\n"
                              "bodies:\n"
                              "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: "
                              "0.1}}, position: [0, 0, 9]}\n"
                              "simulation: {step: 0.1, duration: 1, model: {integrator: euler}}\n";

static const char sliding[] =
    "name: sliding\n"
    "gravity: [0, 0, -10]\n"
    "materials: {default: {friction: 0.5}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [1, 1, 0.2]}}, "
    "position: [0, 0, 0.1], velocity: [3, 1, 0]}\n"
    "simulation: {step: 0.01, duration: 0.5}\n";

static ss_scene_source *parse(ss_context *ctx, const char *text)
{
    ss_scene_source *source = NULL;
    assert_int_equal(ss_scene_source_text(ctx, text, strlen(text), "text", &source), SS_OK);
    return source;
}

/* ---- many variants ---- */

enum { COUNT = 50 };

static ss_status sample(void *user, int64_t index, ss_overrides *out)
{
    (void)user;
    SS_TRY(ss_overrides_add(out, "simulation.duration=%g", 0.1 * (double)(index % 5 + 1)));
    return ss_overrides_add(out, "bodies.ball.position=[0, 0, %lld]", (long long)index + 1);
}

static ss_status measure(void *user, ss_context *ctx, const ss_variant *v)
{
    double       *height = user;
    ss_run_def    def    = ss_run_def_default();
    ss_run_result result;
    ss_body_state s;
    SS_TRY(ss_variant_run(ctx, v, &def, &result));
    SS_TRY(ss_data_body(v->model, v->data, 0, &s));
    height[v->index] = s.position.z;
    return SS_OK;
}

static void count_calls(void *user, int64_t done, int64_t count)
{
    int64_t *calls = user;
    assert_int_equal(done, *calls + 1);
    assert_int_equal(count, COUNT);
    *calls = done;
}

static void every_variant_is_its_own(void **state)
{
    (void)state;
    ss_context      *ctx    = ss_context_create(NULL);
    ss_scene_source *source = parse(ctx, falling);
    for (int32_t threads = 1; threads <= 4; threads += 3) {
        double        height[COUNT] = {0};
        int64_t       calls         = 0;
        ss_series_def def           = {.source        = source,
                                       .count         = COUNT,
                                       .threads       = threads,
                                       .sample        = sample,
                                       .measure       = measure,
                                       .user          = height,
                                       .progress      = count_calls,
                                       .progress_user = &calls};
        assert_int_equal(ss_series_run(ctx, &def), SS_OK);
        assert_int_equal(calls, COUNT);
        for (int i = 0; i < COUNT; i++) { /* n steps of h: fallen by g h^2 n (n + 1) / 2 */
            int    n        = i % 5 + 1;
            double expected = i + 1 - 10 * 0.01 * n * (n + 1) / 2;
            assert_true(fabs(height[i] - expected) < 1e-12 * (i + 1));
        }
    }
    ss_scene_source_destroy(source);
    ss_context_destroy(ctx);
}

static ss_status sample_wrong(void *user, int64_t index, ss_overrides *out)
{
    (void)user;
    return ss_overrides_add(out, index == 7 ? "bodies.ball.mass=-1" : "bodies.ball.mass=1");
}

static ss_status nothing(void *user, ss_context *ctx, const ss_variant *v)
{
    (void)user, (void)ctx, (void)v;
    return SS_OK;
}

static void the_first_failure_ends_it(void **state)
{
    (void)state;
    ss_context      *ctx    = ss_context_create(NULL);
    ss_scene_source *source = parse(ctx, falling);
    ss_series_def def = {.source = source, .count = 9, .sample = sample_wrong, .measure = nothing};
    assert_int_equal(ss_series_run(ctx, &def), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(ctx), "mass"));
    volatile sig_atomic_t stop = 1;
    def.sample                 = NULL;
    def.interrupt              = &stop;
    assert_int_equal(ss_series_run(ctx, &def), SS_ERR_INTERRUPTED);
    def.measure = NULL;
    assert_int_equal(ss_series_run(ctx, &def), SS_ERR_ARGUMENT);
    assert_int_equal(ss_series_run(ctx, NULL), SS_ERR_ARGUMENT);
    ss_scene_source_destroy(source);
    ss_context_destroy(ctx);
}

/* Entries that `repeat` writes out can be overridden for all scenes of a source, or for one. */
static void repeated_entries_are_overridden(void **state)
{
    (void)state;
    static const char row[] =
        "name: row\n"
        "bodies:\n"
        "  - {name: \"b{i}\", repeat: {count: 3, as: i}, type: dynamic, mass: 1, "
        "shape: {sphere: {radius: 0.1}}, position: [\"i\", 0, 0]}\n"
        "simulation: {step: 0.1, duration: 0.1}\n";
    ss_context       *ctx    = ss_context_create(NULL);
    ss_scene_source  *source = parse(ctx, row);
    const char *const one[]  = {"bodies.b2.mass=5"};
    ss_variant        v;
    assert_int_equal(ss_scene_source_override(source, "bodies.b1.mass=3"), SS_OK);
    assert_int_equal(ss_variant_make(ctx, source, one, 1, &v), SS_OK);
    assert_true(ss_model_mass(v.model, 0) == 1 && ss_model_mass(v.model, 1) == 3 &&
                ss_model_mass(v.model, 2) == 5);
    ss_variant_release(&v);
    assert_int_equal(ss_scene_source_override(source, "bodies.none.mass=3"), SS_OK);
    assert_int_equal(ss_variant_make(ctx, source, NULL, 0, &v), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(ctx), "there is no entry 'none'"));
    ss_variant_release(&v);
    ss_scene_source_destroy(source);
    ss_context_destroy(ctx);
}

/* ---- steps ---- */

/* A fall by Stewart-Trinkle is off by g h T / 2: order 1. With a spring the midpoint rule has order
   2, against any reference. */
static void orders_are_those_of_the_scheme(void **state)
{
    (void)state;
    static const char swinging[] =
        "name: swinging\n"
        "bodies:\n"
        "  - {name: bob, type: particle, mass: 1, position: [1, 0, 0]}\n"
        "forces:\n"
        "  - {name: spring, type: spring, bodies: [world, bob], stiffness: 9, rest_length: 0}\n"
        "simulation: {step: 0.1, duration: 1}\n";
    static const double steps[]  = {0.005, 0.04, 0.02, 0.01};
    const char *const   texts[2] = {falling, swinging};
    for (int k = 0; k < 2; k++) {
        ss_context      *ctx    = ss_context_create(NULL);
        ss_scene_source *source = parse(ctx, texts[k]);
        ss_series_def    def    = {.source = source};
        ss_step_error    rows[4];
        assert_int_equal(ss_series_steps(ctx, &def, steps, 4, rows), SS_OK);
        assert_true(fabs(rows[0].step - 0.04) < 1e-15 && fabs(rows[3].step - 0.005) < 1e-15);
        assert_true(isnan(rows[0].position_order) && isnan(rows[3].position_order));
        for (int i = 1; i < 3; i++) {
            assert_true(fabs(rows[i].position_order - (k + 1)) < (k == 0 ? 1e-6 : 0.02));
        }
        if (k == 0) {
            assert_true(fabs(rows[0].position - 10 * 0.035 / 2) < 1e-12);
            assert_true(isnan(rows[1].velocity_order)); /* velocities are exact */
        }
        assert_true(rows[3].position == 0);
        ss_scene_source_destroy(source);
        ss_context_destroy(ctx);
    }
}

/* ---- models ---- */

static void models_are_compared_where_bodies_end(void **state)
{
    (void)state;
    ss_context      *ctx    = ss_context_create(NULL);
    ss_scene_source *source = parse(ctx, sliding);
    ss_variant       v;
    ss_run_def       def = ss_run_def_default();
    ss_run_result    result;
    ss_comparison    same, other, wrong;
    assert_int_equal(ss_variant_make_model(ctx, source, NULL, &v), SS_OK);
    assert_int_equal(ss_variant_run(ctx, &v, &def, &result), SS_OK);
    assert_int_equal(ss_series_compare(ctx, source, "cone=quadratic", &v, &def, NULL, &same),
                     SS_OK);
    assert_true(same.certified && same.distance == 0);
    assert_int_equal(ss_series_compare(ctx, source, "cone=polygon:4", &v, &def, NULL, &other),
                     SS_OK);
    assert_true(other.certified && other.distance > 1e-3);
    assert_string_equal(other.body, "box");
    assert_int_equal(ss_series_compare(ctx, source, "cone=round", &v, &def, NULL, &wrong),
                     SS_ERR_INPUT);
    ss_variant_release(&v);
    ss_scene_source_destroy(source);
    ss_context_destroy(ctx);
}

/* ---- the simplex ---- */

static double valley(void *user, const double *x)
{
    (void)user;
    double a = 1 - x[0], b = x[1] - x[0] * x[0];
    return a * a + 100 * b * b;
}

static void the_simplex_walks_down_a_bent_valley(void **state)
{
    (void)state;
    double x[2] = {-1.2, 1}, step[2] = {0.1, 0.1}, value = 1;
    assert_int_equal(ss_simplex_minimise(NULL, valley, NULL, x, step, 2, 400, &value), SS_OK);
    assert_true(value < 1e-20 && fabs(x[0] - 1) < 1e-9 && fabs(x[1] - 1) < 1e-9);
    assert_int_equal(ss_simplex_minimise(NULL, valley, NULL, x, step, 0, 1, NULL), SS_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_variant_is_its_own),
                                       cmocka_unit_test(the_first_failure_ends_it),
                                       cmocka_unit_test(repeated_entries_are_overridden),
                                       cmocka_unit_test(orders_are_those_of_the_scheme),
                                       cmocka_unit_test(models_are_compared_where_bodies_end),
                                       cmocka_unit_test(the_simplex_walks_down_a_bent_valley)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
