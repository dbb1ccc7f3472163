/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: none is taken after the first steps, every allocation may fail, nothing is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stickslip/stickslip.h"

/* Counts what is out, and fails the n-th request (0: none). */
typedef struct counter {
    long   requests, fail_at;
    size_t bytes;
} counter;

static void *counted(void *user, void *block, size_t old_size, size_t new_size)
{
    counter *c = user;
    if (new_size == 0) {
        c->bytes -= old_size;
        free(block);
        return NULL;
    }
    c->requests++;
    if (c->requests == c->fail_at) {
        return NULL;
    }
    void *p = realloc(block, new_size);
    if (p != NULL) {
        c->bytes += new_size - old_size;
    }
    return p;
}

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

typedef struct run {
    ss_scene *scene;
    ss_model *model;
    ss_data  *data;
} run;

static ss_status open_run(ss_context *ctx, run *r)
{
    SS_TRY(ss_scene_create(ctx, 3, &r->scene));
    SS_TRY(add_bodies(r->scene));
    SS_TRY(ss_model_compile(ctx, r->scene, &r->model));
    return ss_data_create(ctx, r->model, &r->data);
}

static ss_status steps(run *r, int count)
{
    for (int i = 0; i < count; i++) {
        SS_TRY(ss_step(r->model, r->data, 0.005));
    }
    return SS_OK;
}

static void close_run(run *r)
{
    ss_data_destroy(r->data);
    ss_model_destroy(r->model);
    ss_scene_destroy(r->scene);
}

static void steps_allocate_nothing_after_warm_up(void **state)
{
    (void)state;
    counter      c         = {0};
    ss_allocator allocator = {counted, &c};
    ss_context  *ctx       = ss_context_create(&allocator);
    run          r         = {0};
    assert_int_equal(open_run(ctx, &r), SS_OK);
    assert_int_equal(steps(&r, 200), SS_OK); /* the boxes fall, touch and come to rest */
    long before = c.requests;
    assert_int_equal(steps(&r, 200), SS_OK);
    assert_int_equal(c.requests, before);
    close_run(&r);
    ss_context_destroy(ctx);
    assert_int_equal(c.bytes, 0);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    counter all = {0};
    for (long fail_at = 1;; fail_at++) {
        counter      c         = {.fail_at = fail_at};
        ss_allocator allocator = {counted, &c};
        ss_context  *ctx       = ss_context_create(&allocator);
        if (ctx != NULL) {
            run       r      = {0};
            ss_status status = open_run(ctx, &r);
            if (status == SS_OK) {
                status = steps(&r, 60);
            }
            if (c.requests >= fail_at) {
                assert_int_equal(status, SS_ERR_MEMORY);
                assert_true(ss_context_message(ctx)[0] != '\0');
            } else {
                assert_int_equal(status, SS_OK);
            }
            close_run(&r);
            ss_context_destroy(ctx);
        }
        assert_int_equal(c.bytes, 0);
        if (c.requests < fail_at) {
            all = c;
            break;
        }
    }
    assert_true(all.requests > 20);
}

static void a_failed_step_leaves_the_state(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    run         r   = {0};
    assert_int_equal(open_run(ctx, &r), SS_OK);
    assert_int_equal(steps(&r, 10), SS_OK);
    uint64_t before = ss_state_hash(r.model, r.data);
    assert_int_equal(ss_step(r.model, r.data, -1), SS_ERR_ARGUMENT);
    assert_int_equal(ss_step(r.model, r.data, 0.0 / 0.0), SS_ERR_ARGUMENT);
    assert_true(ss_state_hash(r.model, r.data) == before);
    close_run(&r);
    ss_context_destroy(ctx);
}

static void two_runs_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        ss_context *ctx = ss_context_create(NULL);
        run         r   = {0};
        assert_int_equal(open_run(ctx, &r), SS_OK);
        assert_int_equal(steps(&r, 300), SS_OK);
        if (k == 1) { /* and once more from the start, on used buffers */
            assert_int_equal(ss_data_reset(r.model, r.data), SS_OK);
            assert_int_equal(steps(&r, 300), SS_OK);
        }
        hash[k] = ss_state_hash(r.model, r.data);
        close_run(&r);
        ss_context_destroy(ctx);
    }
    assert_true(hash[0] == hash[1]);
}

/* Many islands: every number of threads gives the same bits. */
static void threads_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int threads = 1; threads <= 3; threads++) {
        ss_context *ctx = ss_context_create(NULL);
        run         r   = {0};
        assert_int_equal(ss_scene_create(ctx, 3, &r.scene), SS_OK);
        assert_int_equal(add_bodies(r.scene), SS_OK);
        for (int i = 0; i < 20; i++) {
            char         name[] = {'s', (char)('a' + i), 0};
            ss_shape_def ball   = {.type = "sphere", .params.sphere.radius = 0.1};
            ss_body_def  def    = ss_body_def_default();
            def.name            = name;
            def.shape           = &ball;
            def.position        = ss_v3(3 + 0.5 * i, 0, 0.1 + 0.01 * i);
            def.velocity        = ss_v3(0.1 * i, 1, 0);
            assert_int_equal(ss_scene_add_body(r.scene, &def, NULL), SS_OK);
        }
        assert_int_equal(ss_model_compile(ctx, r.scene, &r.model), SS_OK);
        assert_int_equal(ss_data_create(ctx, r.model, &r.data), SS_OK);
        ss_status can = ss_data_set_threads(r.data, threads);
        if (can == SS_ERR_UNSUPPORTED) {
            print_message("built without OpenMP: threads are not tested\n");
            close_run(&r);
            ss_context_destroy(ctx);
            return;
        }
        assert_int_equal(can, SS_OK);
        assert_int_equal(steps(&r, 100), SS_OK);
        assert_true(ss_data_report(r.data)->islands > 10);
        hash[threads - 1] = ss_state_hash(r.model, r.data);
        close_run(&r);
        ss_context_destroy(ctx);
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
