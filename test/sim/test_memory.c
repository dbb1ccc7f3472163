/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: none is taken after the first steps, every allocation may fail, nothing is lost. */
#include "counted.h"
#include "world.h"

static ss_status add_bodies(ss_scene *scene)
{
    ss_shape_def plane        = {.type = "plane"};
    plane.params.plane.normal = ss_v3(0, 0, 1);
    ss_body_def floor         = ss_body_def_default();
    floor.name                = "floor";
    floor.type                = SS_BODY_STATIC;
    floor.shape               = &plane;
    SS_TRY(ss_scene_add_body(scene, &floor, NULL));
    for (int i = 0; i < 3; i++) {
        char         name[] = {'c', (char)('0' + i), 0};
        ss_shape_def box    = {.type = "box"};
        box.params.box.size = ss_v3(1, 1, 1);
        ss_body_def def     = ss_body_def_default();
        def.name            = name;
        def.mass            = 1;
        def.shape           = &box;
        def.position        = ss_v3(0.1 * i, 0, 0.5 + 1.1 * i);
        SS_TRY(ss_scene_add_body(scene, &def, NULL));
    }
    return SS_OK;
}

/* Where the allocator refuses, the context may be missing. */
static ss_status open_boxes(world *w, counter *c)
{
    *w = (world){.ctx = counted_context(c)};
    if (w->ctx == NULL) {
        return SS_ERR_MEMORY;
    }
    SS_TRY(ss_scene_create(w->ctx, 3, &w->scene));
    SS_TRY(add_bodies(w->scene));
    return compile_world(w);
}

static ss_status steps(world *w, int count)
{
    for (int i = 0; i < count; i++) {
        SS_TRY(ss_step(w->model, w->data, 0.005));
    }
    return SS_OK;
}

static void steps_allocate_nothing_after_warm_up(void **state)
{
    (void)state;
    counter c = {0};
    world   w;
    check(&w, open_boxes(&w, &c));
    check(&w, steps(&w, 200)); /* the boxes fall, touch and come to rest */
    int64_t before = c.requests;
    check(&w, steps(&w, 200));
    assert_int_equal(c.requests, before);
    close_world(&w);
    assert_int_equal(c.bytes, 0);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    int64_t n       = 0;
    bool    refused = true;
    while (refused) {
        counter   c = {.refuse = ++n};
        world     w;
        ss_status status = open_boxes(&w, &c);
        status           = status == SS_OK ? steps(&w, 60) : status;
        refused          = was_refused(&c);
        assert_int_equal(status, refused ? SS_ERR_MEMORY : SS_OK);
        assert_true(!refused || w.ctx == NULL || ss_context_message(w.ctx)[0] != '\0');
        close_world(&w);
        assert_int_equal(c.bytes, 0);
    }
    assert_true(n > 20);
}

static void a_failed_step_leaves_the_state(void **state)
{
    (void)state;
    counter c = {0};
    world   w;
    check(&w, open_boxes(&w, &c));
    check(&w, steps(&w, 10));
    uint64_t before = ss_state_hash(w.model, w.data);
    assert_int_equal(ss_step(w.model, w.data, -1), SS_ERR_ARGUMENT);
    assert_int_equal(ss_step(w.model, w.data, 0.0 / 0.0), SS_ERR_ARGUMENT);
    assert_true(ss_state_hash(w.model, w.data) == before);
    close_world(&w);
}

static void two_runs_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        counter c = {0};
        world   w;
        check(&w, open_boxes(&w, &c));
        check(&w, steps(&w, 300));
        if (k == 1) { /* and once more from the start, on used buffers */
            check(&w, ss_data_reset(w.model, w.data));
            check(&w, steps(&w, 300));
        }
        hash[k] = ss_state_hash(w.model, w.data);
        close_world(&w);
    }
    assert_true(hash[0] == hash[1]);
}

/* Many islands: every number of threads gives the same bits. */
static void threads_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int threads = 1; threads <= 3; threads++) {
        world w;
        open_world(&w, 3, "auto");
        check(&w, add_bodies(w.scene));
        for (int i = 0; i < 20; i++) {
            char         name[] = {'s', (char)('a' + i), 0};
            ss_shape_def ball   = {.type = "sphere", .params.sphere.radius = 0.1};
            ss_body_def  def    = ss_body_def_default();
            def.name            = name;
            def.shape           = &ball;
            def.position        = ss_v3(3 + 0.5 * i, 0, 0.1 + 0.01 * i);
            def.velocity        = ss_v3(0.1 * i, 1, 0);
            check(&w, ss_scene_add_body(w.scene, &def, NULL));
        }
        start(&w);
        ss_status can = ss_data_set_threads(w.data, threads);
        if (can == SS_ERR_UNSUPPORTED) {
            print_message("built without OpenMP: threads are not tested\n");
            close_world(&w);
            return;
        }
        assert_int_equal(can, SS_OK);
        check(&w, steps(&w, 100));
        assert_true(ss_data_report(w.data)->islands > 10);
        hash[threads - 1] = ss_state_hash(w.model, w.data);
        close_world(&w);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_allocate_nothing_after_warm_up),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_failed_step_leaves_the_state),
        cmocka_unit_test(two_runs_give_the_same_bits),
        cmocka_unit_test(threads_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
