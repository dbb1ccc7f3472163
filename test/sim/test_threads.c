/* SPDX-License-Identifier: Apache-2.0 */
/* The same bits for every number of threads, and from data that has no history. */

#include "world.h"

enum { STACKS = 12, HIGH = 3 };

/* Stacks of boxes that slide over each other: problems of several kinds and sizes. */
static void open_stacks(world *w)
{
    ss_shape_def box    = {.type = "box"};
    box.params.box.size = ss_v3(0.2, 0.2, 0.1);
    open_world(w, 3, NULL);
    add_floor(w);
    for (int k = 0; k < STACKS; k++) {
        for (int i = 0; i < HIGH; i++) {
            char        name[16];
            ss_body_def def = ss_body_def_default();
            snprintf(name, sizeof name, "b%d_%d", k, i);
            def.name        = name;
            def.shape       = &box;
            def.mass        = 1 + i;
            def.position    = ss_v3(k, 0.02 * i, 0.05 + 0.1 * i);
            def.velocity    = ss_v3(0.3 * sin(1 + 5 * k + 3 * i) * sin(1 + 5 * k + 3 * i), 0, 0);
            def.orientation = ss_quat_from_rotation(ss_v3(0, 0, 0.2 * i));
            check(w, ss_scene_add_body(w->scene, &def, NULL));
        }
    }
    start(w);
}

static void threads_do_not_change_bits(void **state)
{
    (void)state;
    static const int32_t threads[] = {1, 2, 3, 7};
    uint64_t             hash[4];
    for (int i = 0; i < 4; i++) {
        world w;
        open_stacks(&w);
        if (ss_data_set_threads(w.data, threads[i]) == SS_ERR_UNSUPPORTED) {
            print_message("SKIPPED: this build has no threads\n");
            close_world(&w);
            return;
        }
        run(&w, 0.005, 100);
        hash[i] = ss_state_hash(w.model, w.data);
        assert_true(hash[i] == hash[0]);
        close_world(&w);
    }
}

/* Restored into fresh data, step by step: what a solver has seen before must not matter. */
static void history_does_not_change_bits(void **state)
{
    (void)state;
    world w;
    open_stacks(&w);
    for (int i = 0; i < 40; i++) {
        assert_restores(&w, 0.005, 1);
    }
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_bits),
        cmocka_unit_test(history_does_not_change_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
