/* SPDX-License-Identifier: Apache-2.0 */
/* Run files: what was simulated is what is read, and a commit never shows half a file. */
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "world.h"

static const char path[] = "test_run_file.h5";

static const char scene_text[] =
    "name: two balls\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 0.5}},"
    " position: [0, 0, 0.5], velocity: [2, 0, 0]}\n"
    "  - {name: bob, type: dynamic, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 3, 1]}\n"
    "joints:\n"
    "  - {name: pivot, type: spherical, bodies: [world, bob], anchor: [0, 3, 2]}\n"
    "simulation: {step: 0.01, duration: 0.5}\n";

static void finish(world *f)
{
    close_world(f);
    unlink(path);
}

/* A recorder of our own that keeps what the file must hold. */
typedef struct witness {
    double t[64], x[64], vx[64], residual[64];
    double normal[64]; /* impulse of the ball's contact */
    double pull[64];   /* z force of the pivot          */
    int    contacts[64];
    int    count;
} witness;

static ss_status witness_open(ss_recorder *r, const ss_run_info *info)
{
    (void)r;
    (void)info;
    return SS_OK;
}

static ss_status witness_append(ss_recorder *r, const ss_model *m, const ss_data *d)
{
    witness      *w = *(witness **)ss_recorder_state(r);
    ss_body_state ball;
    ss_joint_info pivot;
    ss_data_body(m, d, 1, &ball);
    ss_data_joint(m, d, 0, &pivot);
    w->t[w->count]        = ss_data_time(d);
    w->x[w->count]        = ball.position.x;
    w->vx[w->count]       = ball.velocity.x;
    w->residual[w->count] = ss_data_report(d)->residual;
    w->contacts[w->count] = ss_data_contact_count(d);
    w->pull[w->count]     = pivot.force.z;
    if (ss_data_contact_count(d) > 0) {
        ss_contact_info c;
        ss_data_contact(m, d, 0, &c);
        w->normal[w->count] = c.impulse[0];
    }
    w->count++;
    return SS_OK;
}

static ss_status witness_close(ss_recorder *r, const ss_run_result *result)
{
    (void)r;
    (void)result;
    return SS_OK;
}

static void witness_discard(ss_recorder *r)
{
    (void)r;
}

static const ss_recorder_class witness_class = {"witness",      "keeps states", sizeof(witness *),
                                                witness_open,   witness_append, witness_close,
                                                witness_discard};

static ss_run_result simulate(world *f, witness *w)
{
    ss_recorder  *recorders[2];
    ss_run_result result;
    ss_run_def    def = ss_run_def_default();
    check(f, ss_recorder_create(f->ctx, "hdf5", path, &recorders[0]));
    check(f, ss_recorder_create_class(f->ctx, &witness_class, "", &recorders[1]));
    *(witness **)ss_recorder_state(recorders[1]) = w;
    def.recorders                                = recorders;
    def.recorder_count                           = 2;
    def.scene_name                               = "two <balls> & \"more\"";
    check(f, ss_run(f->ctx, f->model, f->data, &def, &result));
    ss_recorder_destroy(recorders[0]);
    ss_recorder_destroy(recorders[1]);
    return result;
}

static void what_is_read_is_what_was_simulated(void **unused)
{
    (void)unused;
    world          f;
    static witness w;
    ss_run_file   *file;
    double t[64], position[64 * 9], residual[64], contacts[64], force[64 * 6], swing[64 * 3];
    open_text(&f, scene_text);
    w.count              = 0;
    ss_run_result result = simulate(&f, &w);
    check(&f, ss_run_file_open(f.ctx, path, &file));
    assert_int_equal(ss_run_file_states(file), 51);
    assert_int_equal(w.count, 51);
    assert_int_equal(ss_run_file_dimension(file), 3);
    assert_int_equal(ss_run_file_body_count(file), 3);
    assert_string_equal(ss_run_file_body_name(file, 1), "ball");
    assert_true(ss_run_file_complete(file));
    assert_non_null(
        strstr(ss_run_file_description(file), "two \\u003cballs\\u003e \\u0026 \\\"more"));
    check(&f, ss_run_file_read(file, "steps/t", 0, 51, t));
    check(&f, ss_run_file_read(file, "bodies/position", 0, 51, position));
    check(&f, ss_run_file_read(file, "steps/residual", 0, 51, residual));
    check(&f, ss_run_file_read(file, "steps/contacts", 0, 51, contacts));
    check(&f, ss_run_file_read(file, "joints/force", 0, 51, force));
    check(&f, ss_run_file_read(file, "joints/value", 0, 51, swing));
    for (int k = 0; k < 51; k++) { /* the very same bits */
        assert_true(t[k] == w.t[k]);
        assert_true(position[9 * k + 3] == w.x[k]);
        assert_true(residual[k] == w.residual[k]);
        assert_true((int)contacts[k] == w.contacts[k]);
        assert_true(force[6 * k + 2] == w.pull[k]);
    }
    assert_true(fabs(force[6 * 50 + 2]) > 1); /* the bob hangs on the pivot */
    ss_joint_info pivot;
    ss_data_joint(f.model, f.data, 0, &pivot);
    assert_true(swing[3 * 50] == pivot.value[0] && swing[3 * 50 + 1] == 0);
    assert_true(ss_run_file_result(file, "residual_max") == result.residual_max);
    assert_true(isnan(ss_run_file_result(file, "no such figure")));
    ss_run_file_close(file);
    finish(&f);
}

static void contacts_are_found_by_their_step(void **unused)
{
    (void)unused;
    world          f;
    static witness w;
    ss_run_file   *file;
    double         first[64], impulse[6 * 64];
    open_text(&f, scene_text);
    w.count = 0;
    simulate(&f, &w);
    check(&f, ss_run_file_open(f.ctx, path, &file));
    int64_t total = ss_run_file_contacts(file);
    assert_in_range(total, 1, 64);
    check(&f, ss_run_file_read(file, "steps/first_contact", 0, 51, first));
    check(&f, ss_run_file_read(file, "contacts/impulse", 0, total, impulse));
    for (int k = 1; k < 51; k++) {
        if (w.contacts[k] > 0) {
            assert_true(impulse[6 * (size_t)first[k]] == w.normal[k]);
        }
    }
    ss_run_file_close(file);
    finish(&f);
}

static void wrong_requests_are_refused(void **unused)
{
    (void)unused;
    world          f;
    static witness w;
    ss_run_file   *file;
    double         x;
    open_text(&f, scene_text);
    w.count = 0;
    assert_int_equal(ss_run_file_open(f.ctx, "/nowhere/run.h5", &file), SS_ERR_INPUT);
    simulate(&f, &w);
    check(&f, ss_run_file_open(f.ctx, path, &file));
    assert_int_equal(ss_run_file_read(file, "steps/nothing", 0, 1, &x), SS_ERR_ARGUMENT);
    assert_int_equal(ss_run_file_read(file, "steps/t", 51, 1, &x), SS_ERR_ARGUMENT);
    assert_int_equal(ss_run_file_read(file, "steps/t", -1, 1, &x), SS_ERR_ARGUMENT);
    assert_int_equal(ss_run_file_width(file, "bodies/angle"), 0);
    assert_int_equal(ss_run_file_width(file, "bodies/quat_wxyz"), 12);
    ss_run_file_close(file);
    finish(&f);
}

static void nothing_is_left_beside_the_file(void **unused)
{
    (void)unused;
    world          f;
    static witness w;
    open_text(&f, scene_text);
    w.count = 0;
    simulate(&f, &w);
    assert_int_equal(access(path, R_OK), 0);
    DIR *folder = opendir(".");
    assert_non_null(folder);
    for (const struct dirent *e = readdir(folder); e != NULL; e = readdir(folder)) {
        bool ours = strncmp(e->d_name, path, strlen(path)) == 0;
        assert_true(!ours || strcmp(e->d_name, path) == 0);
    }
    closedir(folder);
    finish(&f);
}

static void a_file_that_is_being_read_is_left_alone(void **unused)
{
    (void)unused;
    world          f;
    static witness w;
    ss_run_file   *held;
    double         t[64];
    open_text(&f, scene_text);
    w.count = 0;
    simulate(&f, &w);
    check(&f, ss_run_file_open(f.ctx, path, &held)); /* a reader of the first run ... */
    check(&f, ss_data_reset(f.model, f.data));
    w.count = 0;
    simulate(&f, &w); /* ... while a second run takes its name */
    check(&f, ss_run_file_read(held, "steps/t", 0, 51, t));
    assert_true(t[50] == w.t[50]);
    ss_run_file_close(held);
    finish(&f);
}

static void a_report_holds_the_run(void **unused)
{
    (void)unused;
    world          f;
    static witness w;
    ss_report     *report;
    const char    *json;
    const void    *bytes;
    size_t         size;
    open_text(&f, scene_text);
    w.count = 0;
    simulate(&f, &w);
    check(&f, ss_report_create(f.ctx, &report));
    check(&f, ss_report_add_file(report, path, "a", 1));
    check(&f, ss_report_add_file(report, path, "b", 10));
    check(&f, ss_report_header(report, &json, &size));
    assert_int_equal(strlen(json), size);
    assert_non_null(strstr(json, "\"label\":\"a\",\"steps\":51,\"complete\":true,\"every\":1"));
    assert_non_null(strstr(json, "\"label\":\"b\",\"steps\":6,\"complete\":true,\"every\":10"));
    check(&f, ss_report_blob(report, 0, &bytes, &size));
    assert_true(size > 0);
    assert_int_equal(ss_report_blob(report, 10000, &bytes, &size), SS_ERR_ARGUMENT);
    ss_report_destroy(report);
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_is_what_was_simulated),
        cmocka_unit_test(contacts_are_found_by_their_step),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(nothing_is_left_beside_the_file),
        cmocka_unit_test(a_file_that_is_being_read_is_left_alone),
        cmocka_unit_test(a_report_holds_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
