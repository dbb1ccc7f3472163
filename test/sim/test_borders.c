/* SPDX-License-Identifier: Apache-2.0 */
/* What stages leave to each other (sim/borders.c): in order after every step, and found when not.
 */
#include "model/data.h"
#include "sim/borders.h"
#include "world.h"

static void assert_in_order(const world *w)
{
    for (int stage = 0; stage < SS_STAGE_COUNT; stage++) {
        const char *fault = ss_border_fault(w->model, w->data, (ss_stage_id)stage);
        if (fault != NULL) {
            fail_msg("stage %d: %s", stage, fault);
        }
    }
}

static const char *const scenes[] = {"scenes/stack.yaml",      "scenes/four-bar.yaml",
                                     "scenes/push.yaml",       "scenes/peg-in-hole.yaml",
                                     "scenes/conveyor.yaml",   "scenes/needle.yaml",
                                     "scenes/two-spheres.yaml"};

static void sample_scenes_are_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        world w = {.ctx = ss_context_create(NULL)};
        check(&w, ss_scene_load(w.ctx, scenes[i], NULL, 0, &w.scene));
        check(&w, compile_world(&w));
        for (int k = 0; k < 20; k++) {
            run(&w, ss_model_simulation(w.model)->step, 1);
            assert_in_order(&w);
        }
        close_world(&w);
    }
}

/* Dampers pull harder once an impact has changed the velocities, so that more seems in reach. */
static void an_impact_is_an_instant(void **state)
{
    (void)state;
    world w = {0};
    open_text(
        &w, "gravity: [0, 0, -9.81]\n"
            "materials: {default: {friction: 1, restitution: 0.7, impact: poisson}}\n"
            "bodies:\n"
            "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
            "  - {name: a, type: dynamic, density: 1000, shape: {box: {size: [0.1, 0.12, 0.08]}},\n"
            "     position: [0, 0, 0.2], angular_velocity: [9, 5, 3]}\n"
            "  - {name: b, type: dynamic, density: 1000, shape: {box: {size: [0.1, 0.1, 0.1]}},\n"
            "     position: [0.2, 0, 0.3], angular_velocity: [-7, 4, 2]}\n"
            "  - {name: c, type: dynamic, density: 1000, shape: {box: {size: [0.1, 0.1, 0.1]}},\n"
            "     position: [0.1, 0.16, 0.12], angular_velocity: [3, -4, 8]}\n"
            "joints: [{name: j, type: spherical, bodies: [b, c], anchor: [0.15, 0.08, 0.2]}]\n"
            "forces:\n"
            "  - {type: spring, bodies: [a, b], anchors: [[0.05, 0.06, 0.04], [0.05, 0, 0.05]],\n"
            "     stiffness: 2000, damping: 3000}\n"
            "simulation: {step: 0.002, duration: 1}\n");
    for (int k = 0; k < 300; k++) {
        run(&w, 0.002, 1);
        assert_null(ss_border_fault(w.model, w.data, SS_STAGE_ROWS));
    }
    close_world(&w);
}

static void open_pile(world *w)
{
    open_text(w, "bodies:\n"
                 "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                 "  - {name: a, type: dynamic, shape: {sphere: {radius: 0.1}}, mass: 1,\n"
                 "     position: [0, 0, 0.1]}\n"
                 "  - {name: b, type: dynamic, shape: {sphere: {radius: 0.1}}, mass: 1,\n"
                 "     position: [1, 0, 0.1]}\n");
    run(w, 0.01, 2);
    assert_in_order(w);
}

static void faults_are_found(void **state)
{
    (void)state;
    world w;
    open_pile(&w);
    ss_data      *d = w.data;
    ss_row_block  b = d->rows.blocks[0];
    const double  J = d->rows.J[6], bias = d->rows.bias[1], v = d->v_free[0];
    const int32_t rows = d->rows.nrows, own = d->islands[0].row_count;
    d->rows.bias[1] = NAN;
    assert_string_equal(ss_border_fault(w.model, d, SS_STAGE_ROWS), "a bias is not finite");
    d->rows.bias[1]       = bias;
    d->rows.blocks[0].row = 1;
    assert_non_null(ss_border_fault(w.model, d, SS_STAGE_ROWS));
    d->rows.blocks[0]       = b;
    d->rows.blocks[0].index = 7;
    assert_string_equal(ss_border_fault(w.model, d, SS_STAGE_ROWS),
                        "a block names a contact that is none");
    d->rows.blocks[0] = b;
    d->rows.J[6]      = INFINITY; /* the side of the ball */
    assert_string_equal(ss_border_fault(w.model, d, SS_STAGE_ROWS), "a row is not finite");
    d->rows.J[6]  = J;
    d->rows.nrows = rows + 1;
    assert_string_equal(ss_border_fault(w.model, d, SS_STAGE_ROWS),
                        "blocks and rows do not add up");
    d->rows.nrows           = rows;
    d->islands[0].row_count = own + 1;
    assert_non_null(ss_border_fault(w.model, d, SS_STAGE_FORMULATE));
    d->islands[0].row_count = own;
    d->v_free[0]            = NAN;
    assert_string_equal(ss_border_fault(w.model, d, SS_STAGE_FORMULATE),
                        "a free velocity is not finite");
    d->v_free[0]    = v;
    size_t used     = d->scratch.used;
    d->scratch.used = d->scratch.size + 1;
    assert_non_null(ss_border_fault(w.model, d, SS_STAGE_RECOVER));
    d->scratch.used = used;
    assert_in_order(&w);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sample_scenes_are_in_order),
        cmocka_unit_test(an_impact_is_an_instant),
        cmocka_unit_test(faults_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
