/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks that lean over an edge, without momentum: n equal blocks, each shifted by s against the
 * one below, stand on a fixed one as long as s (n + 1)/2 is below half of their width. Nothing
 * bears what lies beside the face below it, however far a round of the step went.
 */
#include <math.h>
#include <stdio.h>

#include "world.h"

static void open_stack(world *w, int dimension, int blocks, double shift)
{
    char text[3000];
    int  at =
        snprintf(text, sizeof text,
                 "dimension: %d\nmaterials: {default: {friction: 0.8}}\nbodies:\n"
                 "  - {name: base, type: static, shape: {box: {size: [0.2, 0.1%s]}}, position: "
                 "[0, -0.05%s]}\n",
                 dimension, dimension == 3 ? ", 0.15" : "", dimension == 3 ? ", 0" : "");
    for (int i = 1; i <= blocks; i++) {
        at +=
            snprintf(text + at, sizeof text - (size_t)at,
                     "  - {name: b%d, type: dynamic, shape: {box: {size: [0.2, 0.1%s]}}, position: "
                     "[%.17g, %g%s]}\n",
                     i, dimension == 3 ? ", 0.13" : "", i * shift, 0.1 * i - 0.05,
                     dimension == 3 ? ", 0.01" : "");
    }
    snprintf(text + at, sizeof text - (size_t)at,
             "gravity: [0, -9.81%s]\nsimulation: {step: 0.002, duration: 1, model: {inertia: "
             "quasistatic}}\n",
             dimension == 3 ? ", 0" : "");
    open_text(w, text);
}

static void stacks_stand_as_far_as_they_can(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        int    dimension = k < 6 ? 2 : 3, blocks = 1 + k % 3;
        bool   stands = k % 6 < 3;
        double limit  = 0.2 / (blocks + 1), start;
        world  w;
        open_stack(&w, dimension, blocks, (stands ? 0.97 : 1.03) * limit);
        start            = body(&w, blocks).position.y;
        ss_status status = SS_OK;
        for (int i = 0; i < 3 && status == SS_OK; i++) {
            status = ss_step(w.model, w.data, 0.002);
        }
        if (stands) {
            check(&w, status);
            assert_near(body(&w, blocks).position.y, start, 1e-9);
        } else {
            assert_int_equal(status, SS_ERR_CERTIFICATE);
            assert_non_null(strstr(ss_context_message(w.ctx), "nothing balances"));
        }
        close_world(&w);
    }
}

/* Far beyond the limit as well: there the far corner is farther from the edge than the block is
   high. */
static void nothing_hangs_in_the_air(void **state)
{
    (void)state;
    static const double shifts[] = {0.101, 0.105, 0.12, 0.15, 0.19};
    for (int k = 0; k < 10; k++) {
        world w;
        open_stack(&w, k < 5 ? 2 : 3, 1, shifts[k % 5]);
        assert_int_equal(ss_step(w.model, w.data, 0.002), SS_ERR_CERTIFICATE);
        close_world(&w);
    }
}

/*
 * A ladder of length 2 between floor and wall, friction mu at both ends, rests where
 * tan(th) > (1 - mu^2)/(2 mu). Its foot stands at the origin, where a gap that is rounding of where
 * the ladder is has no coordinates of its own to show it.
 */
static void ladders_lean_on_rounding(void **state)
{
    (void)state;
    static const double part[] = {0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.99};
    for (int k = 0; k < 42; k++) {
        char   text[1500];
        double mu = 0.1 * (1 + k / 7), th = atan((1 - mu * mu) / (2 * mu) / part[k % 7]);
        world  w;
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {default: {friction: %.17g}}\nbodies:\n"
                 "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                 "  - {name: wall, type: static, shape: {halfplane: {normal: [-1, 0], offset: "
                 "%.17g}}}\n"
                 "  - {name: ladder, type: dynamic, mass: 10, inertia: 3.3, position: [%.17g, "
                 "%.17g], angle: %.17g, shape: {points: {points: [[-1, 0], [1, 0]]}}}\n"
                 "simulation: {step: 0.002, duration: 1, model: {inertia: quasistatic}}\n",
                 mu, -2 * cos(th), cos(th), sin(th), th);
        open_text(&w, text);
        run(&w, 0.002, 10);
        assert_near(body_named(&w, "ladder").angle, th, 1e-12);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stacks_stand_as_far_as_they_can),
                                       cmocka_unit_test(nothing_hangs_in_the_air),
                                       cmocka_unit_test(ladders_lean_on_rounding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
