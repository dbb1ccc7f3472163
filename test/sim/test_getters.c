/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about nothing, and past the end, are errors and never crashes; all bodies at once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "stickslip/stickslip.h"

static const char text[] =
    "params: {mu: 0.3}\n"
    "materials: {default: {friction: mu}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: cube, type: dynamic, mass: 1, shape: {box: {size: [1, 1, 1]}},\n"
    "     position: [0, 0, 0.5], velocity: [1, 0, 0]}\n"
    "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 0.5}},\n"
    "     position: [3, 0, 0.5]}\n";

typedef struct world {
    ss_context *ctx;
    ss_scene   *scene;
    ss_model   *m;
    ss_data    *d;
} world;

static world make(void)
{
    world w = {.ctx = ss_context_create(NULL)};
    assert_int_equal(ss_scene_load_text(w.ctx, text, strlen(text), "test.yaml", NULL, 0, &w.scene),
                     SS_OK);
    assert_int_equal(ss_model_compile(w.ctx, w.scene, &w.m), SS_OK);
    assert_int_equal(ss_data_create(w.ctx, w.m, &w.d), SS_OK);
    assert_int_equal(ss_step(w.m, w.d, 0.001), SS_OK);
    return w;
}

static void drop(world *w)
{
    ss_data_destroy(w->d);
    ss_model_destroy(w->m);
    ss_scene_destroy(w->scene);
    ss_context_destroy(w->ctx);
}

/* The ten lines of the README when there is no such file, with nobody looking at a status. */
static void a_missing_file_crashes_nothing(void **unused)
{
    (void)unused;
    ss_context *ctx   = ss_context_create(NULL);
    ss_scene   *scene = NULL;
    ss_model   *model = NULL;
    ss_data    *data  = NULL;
    assert_int_equal(ss_scene_load(ctx, "no/such/file.yaml", NULL, 0, &scene), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(ctx), "no/such/file.yaml: cannot be opened"));
    assert_int_equal(ss_model_compile(ctx, scene, &model), SS_ERR_ARGUMENT);
    assert_int_equal(ss_data_create(ctx, model, &data), SS_ERR_ARGUMENT);
    assert_false(ss_data_time(data) < 0.6); /* so that the loop ends */
    assert_int_equal(ss_step(model, data, 0.01), SS_ERR_ARGUMENT);
    assert_null(ss_data_report(data));
    ss_context_destroy(ctx);
}

static void models_answer_with_nothing(void **unused)
{
    (void)unused;
    world         w     = make();
    const int32_t odd[] = {-1, 3, 1000000, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 2; k++) {
            const ss_model *m = k == 0 ? w.m : NULL;
            assert_null(ss_model_body_name(m, odd[i]));
            assert_true(isnan(ss_model_mass(m, odd[i])));
            assert_int_equal(ss_model_body_type(m, odd[i]), SS_BODY_STATIC);
            assert_null(ss_model_geom(m, odd[i]));
            assert_true(ss_model_geom_placement(m, odd[i]).R.m[0] == 1);
            assert_null(ss_model_joint_name(m, odd[i]));
            assert_int_equal(ss_model_joint_coordinates(m, odd[i]), 0);
        }
    }
    assert_int_equal(ss_model_find_body(w.m, NULL).index1, 0);
    assert_int_equal(ss_model_find_body(NULL, "cube").index1, 0);
    assert_int_equal(ss_model_find_joint(w.m, NULL), -1);
    assert_int_equal(ss_model_body_count(NULL), 0);
    assert_null(ss_model_simulation(NULL));
    drop(&w);
}

static void data_answers_with_an_error(void **unused)
{
    (void)unused;
    world           w = make();
    ss_body_state   body;
    ss_contact_info contact;
    ss_support_info support;
    ss_joint_info   joint;
    double          state[100];
    int32_t         count = ss_data_contact_count(w.d);
    assert_true(count > 0);
    assert_int_equal(ss_data_body(w.m, w.d, 3, &body), SS_ERR_ARGUMENT);
    assert_string_equal(ss_context_message(w.ctx), "there is no body 3, only 0 to 2");
    assert_int_equal(ss_data_body(w.m, w.d, -1, &body), SS_ERR_ARGUMENT);
    assert_int_equal(ss_data_body(w.m, w.d, 1, NULL), SS_ERR_ARGUMENT);
    assert_int_equal(ss_data_body(NULL, w.d, 1, &body), SS_ERR_ARGUMENT);
    assert_int_equal(ss_data_body(w.m, NULL, 1, &body), SS_ERR_ARGUMENT);
    assert_int_equal(ss_data_contact(w.m, w.d, count, &contact), SS_ERR_ARGUMENT);
    assert_int_equal(ss_data_support(w.m, w.d, 0, &support), SS_ERR_ARGUMENT);
    assert_string_equal(ss_context_message(w.ctx), "there is no support point 0, nor any other");
    assert_int_equal(ss_data_joint(w.m, w.d, 0, &joint), SS_ERR_ARGUMENT);
    assert_int_equal(ss_data_set_body(w.m, w.d, 1, NULL), SS_ERR_ARGUMENT);
    assert_int_equal(ss_state_get(w.m, NULL, state), SS_ERR_ARGUMENT);
    assert_int_equal(ss_state_set(NULL, w.d, state), SS_ERR_ARGUMENT);
    assert_int_equal(ss_snapshot_get(w.m, w.d, NULL), SS_ERR_ARGUMENT);
    assert_int_equal(ss_snapshot_size(NULL, NULL), 0);
    assert_int_equal(ss_data_contact_count(NULL), 0);
    assert_null(ss_data_problem(NULL, 0));
    assert_true(isnan(ss_data_energy(NULL, NULL).kinetic));
    assert_string_equal(ss_context_message(NULL), "there is no context");
    drop(&w);
}

/* A model of another scene is no model of this data. */
static void models_and_data_belong_together(void **unused)
{
    (void)unused;
    world         a = make(), b = make();
    ss_body_state body;
    assert_int_equal(ss_data_body(a.m, b.d, 0, &body), SS_ERR_ARGUMENT);
    assert_string_equal(ss_context_message(b.ctx), "the data was made for another model");
    drop(&a);
    drop(&b);
}

static void scenes_answer_with_nothing(void **unused)
{
    (void)unused;
    world w = make();
    assert_int_equal(ss_scene_param_count(w.scene), 1);
    assert_null(ss_scene_param_name(w.scene, 1));
    assert_true(isnan(ss_scene_param_value(w.scene, -1)));
    assert_null(ss_scene_path(NULL));
    assert_string_equal(ss_scene_name(NULL), "");
    assert_int_equal(ss_scene_set_name(NULL, "x"), SS_ERR_ARGUMENT);
    assert_int_equal(ss_scene_add_body(w.scene, NULL, NULL), SS_ERR_ARGUMENT);
    assert_int_equal(ss_scene_add_joint(NULL, NULL), SS_ERR_ARGUMENT);
    drop(&w);
}

static void arrays_say_the_same_as_single_bodies(void **unused)
{
    (void)unused;
    world           w = make();
    double          position[3][3], quat[3][4], velocity[3][3];
    ss_body_arrays  all = {.position = position, .quat_wxyz = quat, .velocity = velocity};
    ss_body_state   one;
    ss_contact_info contacts[16], single;
    int32_t         count = 0;
    assert_int_equal(ss_data_bodies(w.m, w.d, &all), SS_OK);
    for (int32_t i = 0; i < 3; i++) {
        assert_int_equal(ss_data_body(w.m, w.d, i, &one), SS_OK);
        assert_memory_equal(position[i], &one.position, sizeof position[i]);
        assert_memory_equal(quat[i], &one.quat_wxyz, sizeof quat[i]);
        assert_memory_equal(velocity[i], &one.velocity, sizeof velocity[i]);
    }
    assert_int_equal(ss_data_contacts(w.m, w.d, contacts, 16, &count), SS_OK);
    assert_int_equal(count, ss_data_contact_count(w.d));
    for (int32_t i = 0; i < count; i++) {
        assert_int_equal(ss_data_contact(w.m, w.d, i, &single), SS_OK);
        assert_true(single.impulse[0] == contacts[i].impulse[0]);
    }
    assert_int_equal(ss_data_contacts(w.m, w.d, NULL, 0, &count), SS_OK);
    assert_int_equal(ss_data_contacts(w.m, w.d, NULL, 1, &count), SS_ERR_ARGUMENT);
    drop(&w);
}

/* A file that is parsed once gives the same scenes as one that is read each time. */
static void sources_make_many_scenes(void **unused)
{
    (void)unused;
    ss_context      *ctx    = ss_context_create(NULL);
    ss_scene_source *source = NULL;
    assert_int_equal(ss_scene_source_text(ctx, text, strlen(text), "test.yaml", &source), SS_OK);
    for (int i = 0; i < 20; i++) {
        char        change[64];
        const char *set[] = {change};
        ss_scene   *a = NULL, *b = NULL;
        snprintf(change, sizeof change, "bodies.cube.mass=%d", i + 1);
        assert_int_equal(ss_scene_from_source(ctx, source, set, 1, &a), SS_OK);
        assert_int_equal(ss_scene_load_text(ctx, text, strlen(text), "test.yaml", set, 1, &b),
                         SS_OK);
        assert_string_equal(ss_scene_resolved(a), ss_scene_resolved(b));
        ss_scene_destroy(a);
        ss_scene_destroy(b);
    }
    ss_scene   *plain = NULL, *changed = NULL;
    const char *bad[] = {"bodies.cube.mas=2"};
    assert_int_equal(ss_scene_from_source(ctx, source, bad, 1, &plain), SS_ERR_INPUT);
    assert_null(plain);
    assert_int_equal(ss_scene_source_override(source, "params.mu=0.25"), SS_OK);
    assert_int_equal(ss_scene_from_source(ctx, source, NULL, 0, &changed), SS_OK);
    assert_true(ss_scene_param_value(changed, 0) == 0.25);
    assert_int_equal(ss_scene_from_source(ctx, NULL, NULL, 0, &plain), SS_ERR_ARGUMENT);
    ss_scene_destroy(changed);
    ss_scene_source_destroy(source);
    ss_context_destroy(ctx);
}

/* A force at a point is that force there; a spring pulls its two bodies alike; past the end is an
 * error. */
static void forces_are_told_one_by_one(void **unused)
{
    (void)unused;
    static const char scene[] =
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  - {name: a, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}}}\n"
        "  - {name: b, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}}, position: [2, 0, "
        "0]}\n"
        "forces:\n"
        "  - {name: push, type: constant, body: b, force: [0, 3, 0], torque: [0, 0, 5], point: [1, "
        "0, 0]}\n"
        "  - {name: pull, type: spring, bodies: [a, b], stiffness: 10, rest_length: 1.5}\n";
    world         w = {.ctx = ss_context_create(NULL)};
    ss_force_info push, pull;
    assert_int_equal(ss_scene_load_text(w.ctx, scene, strlen(scene), "f.yaml", NULL, 0, &w.scene),
                     SS_OK);
    assert_int_equal(ss_model_compile(w.ctx, w.scene, &w.m), SS_OK);
    assert_int_equal(ss_data_create(w.ctx, w.m, &w.d), SS_OK);
    assert_int_equal(ss_data_force(w.m, w.d, 0, &push), SS_OK);
    assert_true(ss_norm(push.force[0]) == 0); /* nothing acted yet */
    assert_int_equal(ss_step(w.m, w.d, 1e-6), SS_OK);
    assert_int_equal(ss_model_force_count(w.m), 2);
    assert_string_equal(ss_model_force_name(w.m, 1), "pull");
    assert_int_equal(ss_data_force(w.m, w.d, 0, &push), SS_OK);
    assert_int_equal(ss_data_force(w.m, w.d, 1, &pull), SS_OK);
    assert_int_equal(push.body[0], 1);
    assert_int_equal(push.body[1], -1);
    assert_true(fabs(push.force[0].y - 3) < 1e-9 && fabs(push.torque[0].z - 5) < 1e-9);
    assert_true(fabs(push.point[0].x - 3) < 1e-5); /* given in the frame of its body */
    assert_true(fabs(pull.force[0].x - 5) < 1e-4 && fabs(pull.force[1].x + 5) < 1e-4);
    assert_int_equal(ss_data_force(w.m, w.d, 2, &pull), SS_ERR_ARGUMENT);
    drop(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_file_crashes_nothing),
        cmocka_unit_test(models_answer_with_nothing),
        cmocka_unit_test(data_answers_with_an_error),
        cmocka_unit_test(models_and_data_belong_together),
        cmocka_unit_test(scenes_answer_with_nothing),
        cmocka_unit_test(arrays_say_the_same_as_single_bodies),
        cmocka_unit_test(sources_make_many_scenes),
        cmocka_unit_test(forces_are_told_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
