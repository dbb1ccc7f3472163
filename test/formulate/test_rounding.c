/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities that are rounding are left out of problems so that what is left is a motion. */
#include "world.h"

/*
 * Two plates that friction has stopped but for rounding, with a hinge between them. Their six
 * points of support have twelve rows for six velocities, so that one row may not lose its velocity
 * while its neighbours keep theirs: at any speed around where velocities count as none, they stop.
 */
static void plates_that_hardly_move_stop(void **state)
{
    (void)state;
    static const char text[] =
        "dimension: 2\n"
        "gravity: [0, 0]\n"
        "params: {v: 0, mu: 0.06}\n"
        "bodies:\n"
        "  - {name: a, type: dynamic, density: 1000, shape: {box: {size: [0.4, 0.3]}},\n"
        "     velocity: [\"v\", \"v\"], angular_velocity: \"v\",\n"
        "     support: {points: [[0.1, 0], [-0.08, 0.1], [-0.07, -0.1]], friction: \"mu\"}}\n"
        "  - {name: b, type: dynamic, density: 1000, shape: {disc: {radius: 0.2}},\n"
        "     position: [0.5, 0.1], angular_velocity: 1e-17,\n"
        "     support: {points: [[0.1, 0], [-0.08, 0.1], [-0.07, -0.1]], friction: 0.8}}\n"
        "joints:\n"
        "  - {name: j, type: revolute, bodies: [a, b], anchor: [0.3, 0.02]}\n"
        "simulation: {step: 0.003, duration: 0.006}\n";
    static const char *const slippery[] = {"params.mu=0.06", "params.mu=0.001"};
    double                   v          = 1e-16;
    for (int k = 0; k < 220; k++, v = k == 110 ? 1e-16 : 1.05 * v) {
        char        set[64];
        const char *sets[] = {set, slippery[k / 110]};
        snprintf(set, sizeof set, "params.v=%.17g", v);
        world w = {.ctx = ss_context_create(NULL)};
        check(&w, load_world(&w, text, sets, 2));
        run(&w, 0.003, 2);
        assert_true(fabs(body_named(&w, "a").velocity.x) <= 2 * v);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates_that_hardly_move_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
