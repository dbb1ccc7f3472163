/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of joints and contacts as text: columns by name, and the numbers that C calls give. */
#include <stdlib.h>

#include "world.h"

static const char scene_text[] =
    "name: a lift and a ball\n"
    "materials: {default: {friction: 0.2}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: car, type: dynamic, mass: 2, inertia: [1, 1, 1], position: [5, 0, 2]}\n"
    "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 0.5}},"
    " position: [0, 0, 0.5], velocity: [2, 0, 0]}\n"
    "joints:\n"
    "  - {name: shaft, type: cylindrical, bodies: [world, car], anchor: [4, 0, 0],"
    " motor: [{velocity: 0.5}, none]}\n"
    "simulation: {step: 0.01, duration: 0.1}\n";

static const char joints_path[]   = "build-test-joints.csv";
static const char contacts_path[] = "build-test-contacts.csv";

/* The field of the last row of a table whose first row names it. */
static void last_field(const char *path, const char *column, char *out, size_t size)
{
    static char head[2048], row[2048], line[2048];
    FILE       *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(head, sizeof head, f));
    while (fgets(line, sizeof line, f) != NULL) {
        strcpy(row, line);
    }
    fclose(f);
    head[strcspn(head, "\n")] = row[strcspn(row, "\n")] = '\0';
    const char *h = head, *r = row;
    while (strncmp(h, column, strlen(column)) != 0 || strchr(",", h[strlen(column)]) == NULL) {
        h = strchr(h, ',');
        r = strchr(r, ',');
        assert_non_null(h);
        assert_non_null(r);
        h++;
        r++;
    }
    snprintf(out, size, "%.*s", (int)strcspn(r, ","), r);
}

static double last_number(const char *path, const char *column)
{
    char text[64];
    last_field(path, column, text, sizeof text);
    return strtod(text, NULL);
}

static void record(world *w)
{
    ss_recorder  *recorders[2];
    ss_run_def    def = ss_run_def_default();
    ss_run_result result;
    check(w, ss_recorder_create(w->ctx, "joints", joints_path, &recorders[0]));
    check(w, ss_recorder_create(w->ctx, "contacts", contacts_path, &recorders[1]));
    def.recorders      = recorders;
    def.recorder_count = 2;
    check(w, ss_run(w->ctx, w->model, w->data, &def, &result));
    ss_recorder_destroy(recorders[0]);
    ss_recorder_destroy(recorders[1]);
}

static void tables_hold_what_calls_give(void **state)
{
    (void)state;
    world           w;
    ss_joint_info   joint;
    ss_contact_info contact;
    char            text[64];
    open_text(&w, scene_text);
    record(&w);
    ss_data_joint(w.model, w.data, 0, &joint);
    ss_data_contact(w.model, w.data, 0, &contact);
    assert_true(last_number(joints_path, "t") == ss_data_time(w.data));
    assert_true(last_number(joints_path, "shaft.ty") == joint.torque.y);
    assert_true(last_number(joints_path, "shaft.unique") == 1);
    assert_true(last_number(joints_path, "shaft.value") == joint.value[0]);
    assert_true(last_number(joints_path, "shaft.motor") == joint.motor[0]);
    assert_true(last_number(joints_path, "shaft.rate2") == joint.rate[1]);
    assert_near(last_number(joints_path, "shaft.motor"), 2 * 9.81, 1e-9);
    assert_near(fabs(last_number(joints_path, "shaft.ty")), 2 * 9.81, 1e-9);
    assert_true(last_number(contacts_path, "normal") == contact.impulse[0] / 0.01);
    assert_near(last_number(contacts_path, "normal"), 9.81, 1e-9);
    assert_near(last_number(contacts_path, "friction_t"), -0.2 * 9.81, 1e-9);
    assert_near(last_number(contacts_path, "slip_t"), contact.velocity[1], 0);
    last_field(contacts_path, "b", text, sizeof text);
    assert_string_equal(text, "ball");
    last_field(contacts_path, "state", text, sizeof text);
    assert_string_equal(text, "slip");
    remove(joints_path);
    remove(contacts_path);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_hold_what_calls_give)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
