/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of plug-ins in a program: what they register hangs on one context, all of it or nothing.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "stickslip/plugin.h"
#include "stickslip/scene_file.h"

typedef struct push {
    double  newtons;
    int32_t times;
    bool    back;
} push;

static const ss_option options[] = {
    {"newtons", SS_OPTION_REAL, offsetof(push, newtons), 2, 0, 100, NULL, "force along x"},
    {"times", SS_OPTION_INT, offsetof(push, times), 1, 0, 9, NULL, "it"},
    {"back", SS_OPTION_BOOL, offsetof(push, back), 0, 0, 1, NULL, "the other way"},
    SS_OPTION_END};

static int apply(const void *user, const ss_force_view *now, ss_load load[2])
{
    const push *p   = user;
    load[0].force.x = (p->back ? -1 : 1) * p->times * p->newtons;
    load[0].force.z = now->dimension == 2 ? 7 : 0; /* in the plane it does not count */
    return now->t > 100;
}

static ss_status check(ss_context *ctx, const void *user)
{
    return ((const push *)user)->times == 9 ? ss_fail(ctx, SS_ERR_INPUT, "nine is too many")
                                            : SS_OK;
}

static const ss_force_kind kind  = {.name          = "push",
                                    .bodies        = 1,
                                    .options       = options,
                                    .settings_size = sizeof(push),
                                    .check         = check,
                                    .apply         = apply};
static const ss_force_kind taken = {.name = "damper", .bodies = 2, .apply = apply};

static const ss_force_kind *const good[] = {&kind, NULL}, *const bad[] = {&kind, &taken, NULL};
static const ss_plugin fits  = {SS_PLUGIN_HEADER, "fits", "x", .forces = good};
static const ss_plugin clash = {SS_PLUGIN_HEADER, "clash", "x", .forces = bad};

static const char scene_text[] =
    "dimension: 2\ngravity: [0, 0]\n"
    "bodies: [{name: disc, type: dynamic, mass: 2, shape: {disc: {radius: 1}}}]\n"
    "forces: [{name: it, type: push, body: disc, settings: {newtons: 3, times: 2}}]\n";

static ss_status speed_after(ss_context *ctx, const char *set, double *out)
{
    ss_scene *scene  = NULL;
    ss_model *model  = NULL;
    ss_data  *data   = NULL;
    ss_status status = ss_scene_load_text(ctx, scene_text, sizeof scene_text - 1, "push", &set,
                                          set != NULL, &scene);
    if (status == SS_OK) {
        status = ss_model_compile(ctx, scene, &model);
    }
    if (status == SS_OK) {
        status = ss_data_create(ctx, model, &data);
    }
    if (status == SS_OK) {
        status = ss_step(model, data, 0.5);
    }
    if (status == SS_OK) {
        ss_body_state b;
        ss_data_body(model, data, 0, &b);
        *out = b.velocity.x;
        assert_true(b.position.z == 0);
        /* work from outside is counted as such */
        assert_true(fabs(ss_data_energy(model, data).applied - b.velocity.x * b.velocity.x) <
                    1e-12);
    }
    ss_data_destroy(data);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    return status;
}

static void a_table_of_the_program(void **state)
{
    (void)state;
    double      v   = 0;
    ss_context *ctx = ss_context_create(NULL), *other = ss_context_create(NULL);
    assert_int_equal(ss_context_add_plugin(ctx, &fits), SS_OK);
    assert_int_equal(ss_context_add_plugin(ctx, &fits), SS_OK); /* once is enough */
    assert_int_equal(ss_context_plugin_count(ctx), 1);
    assert_ptr_equal(ss_context_plugin(ctx, 0), &fits);
    assert_null(ss_context_plugin(ctx, 1));
    assert_int_equal(speed_after(ctx, NULL, &v), SS_OK);
    assert_true(fabs(v - 0.5 * 6 / 2) < 1e-14);
    assert_int_equal(speed_after(ctx, "forces.it.settings.back=true", &v), SS_OK);
    assert_true(fabs(v + 0.5 * 6 / 2) < 1e-14);
    /* nothing is global */
    assert_int_equal(ss_context_plugin_count(other), 0);
    assert_int_equal(speed_after(other, NULL, &v), SS_ERR_INPUT);
    ss_context_destroy(other);
    ss_context_destroy(ctx);
}

static void settings_are_checked(void **state)
{
    (void)state;
    double      v   = 0;
    ss_context *ctx = ss_context_create(NULL);
    assert_int_equal(ss_context_add_plugin(ctx, &fits), SS_OK);
    static const struct {
        const char *set, *says;
    } wrong[] = {{"forces.it.settings.newtons=200", "between 0 and 100"},
                 {"forces.it.settings.newtons=-1", "between"},
                 {"forces.it.settings.times=1.5", "whole"},
                 {"forces.it.settings.back=perhaps", "true or false"},
                 {"forces.it.settings.newtons={a: 1}", "newtons"},
                 {"forces.it.settings=[1, 2]", "settings"},
                 {"forces.it.settings.times=9", "nine is too many"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(speed_after(ctx, wrong[i].set, &v), SS_ERR_INPUT);
        if (strstr(ss_context_message(ctx), wrong[i].says) == NULL) {
            fail_msg("%s: %s", wrong[i].set, ss_context_message(ctx));
        }
    }
    ss_context_destroy(ctx);
}

static void all_or_nothing(void **state)
{
    (void)state;
    ss_context *ctx    = ss_context_create(NULL);
    int32_t     before = ss_force_type_count(ctx);
    assert_int_equal(ss_context_add_plugin(ctx, &clash), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(ctx), "'damper' exists already"));
    assert_int_equal(ss_force_type_count(ctx), before);
    assert_int_equal(ss_context_plugin_count(ctx), 0);
    assert_int_equal(ss_context_add_plugin(ctx, &fits), SS_OK); /* its `push` did not stay */
    assert_int_equal(ss_force_type_count(ctx), before + 1);
    assert_int_equal(ss_context_add_plugin(ctx, NULL), SS_ERR_ARGUMENT);
    assert_int_equal(ss_context_load_plugin(ctx, ""), SS_ERR_ARGUMENT);
    assert_int_equal(ss_context_load_plugin(ctx, "/no/such/file.so"), SS_ERR_INPUT);
    assert_int_equal(ss_context_load_plugin(NULL, "x.so"), SS_ERR_ARGUMENT);
    ss_context_destroy(ctx);
}

static void threads_have_them_too(void **state)
{
    (void)state;
    double      v   = 0;
    ss_context *ctx = ss_context_create(NULL);
    assert_int_equal(ss_context_add_plugin(ctx, &fits), SS_OK);
    ss_context *clone = ss_context_clone(ctx);
    assert_int_equal(speed_after(clone, NULL, &v), SS_OK);
    ss_context_destroy(clone);
    assert_int_equal(speed_after(ctx, NULL, &v), SS_OK);
    ss_context_destroy(ctx);
}

static void there_is_an_end(void **state)
{
    (void)state;
    static char          names[40][8];
    static ss_force_kind kinds[40];
    ss_context          *ctx  = ss_context_create(NULL);
    ss_status            last = SS_OK;
    for (int i = 0; i < 40 && last == SS_OK; i++) {
        snprintf(names[i], sizeof names[i], "f%d", i);
        kinds[i]      = kind;
        kinds[i].name = names[i];
        last          = ss_force_register(ctx, &kinds[i]);
    }
    assert_int_equal(last, SS_ERR_ARGUMENT);
    assert_non_null(strstr(ss_context_message(ctx), "no more than"));
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_of_the_program), cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(all_or_nothing), cmocka_unit_test(threads_have_them_too),
        cmocka_unit_test(there_is_an_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
