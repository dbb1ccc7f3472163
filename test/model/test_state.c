/* SPDX-License-Identifier: Apache-2.0 */
/* The state is all that a simulation remembers: saved, restored and hashed, for every scene. */
#include <dirent.h>
#include <stdlib.h>

#include "model/data.h"
#include "world.h"

enum { BEFORE = 12, AFTER = 12 };

static void open_scene(world *w, const char *path)
{
    *w = (world){.ctx = ss_context_create(NULL)};
    assert_non_null(w->ctx);
    check(w, ss_scene_load(w->ctx, path, NULL, 0, &w->scene));
    check(w, compile_world(w));
}

static void *snapshot_of(const world *w, size_t *size)
{
    *size      = ss_snapshot_size(w->model, w->data);
    void *copy = malloc(*size);
    assert_non_null(copy);
    check(w, ss_snapshot_get(w->model, w->data, copy));
    return copy;
}

/* Some steps; a failed one ends them, and must end both alike. */
static int go_on(world *w, ss_data *d, int steps)
{
    int done = 0;
    while (done < steps && ss_step(w->model, d, ss_model_simulation(w->model)->step) == SS_OK) {
        done++;
    }
    return done;
}

/* In the middle of a run: fresh data that takes the snapshot goes on with the same bits. */
static void resume(const char *path)
{
    world w;
    open_scene(&w, path);
    go_on(&w, w.data, BEFORE);
    size_t   size;
    void    *snapshot = snapshot_of(&w, &size);
    ss_data *fresh;
    check(&w, ss_data_create(w.ctx, w.model, &fresh));
    check(&w, ss_snapshot_set(w.model, fresh, snapshot, size));
    assert_true(ss_state_hash(w.model, fresh) == ss_state_hash(w.model, w.data));
    int steps = go_on(&w, w.data, AFTER);
    assert_int_equal(go_on(&w, fresh, AFTER), steps);
    assert_true(ss_state_hash(w.model, fresh) == ss_state_hash(w.model, w.data));
    if (steps > 0) { /* and back */
        uint64_t end = ss_state_hash(w.model, w.data);
        check(&w, ss_snapshot_set(w.model, w.data, snapshot, size));
        assert_true(ss_state_hash(w.model, w.data) != end);
        assert_int_equal(go_on(&w, w.data, AFTER), steps);
        assert_true(ss_state_hash(w.model, w.data) == end);
    }
    ss_data_destroy(fresh);
    free(snapshot);
    close_world(&w);
}

static void test_scenes_resume_with_the_same_bits(void **state)
{
    (void)state;
    DIR           *folder = opendir("scenes");
    struct dirent *entry;
    int            count = 0;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        char   path[300];
        size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0) {
            snprintf(path, sizeof path, "scenes/%s", entry->d_name);
            resume(path);
            count++;
        }
    }
    closedir(folder);
    assert_true(count >= 20);
}

/* A scene that has something of every part: contacts, joints, a controller that keeps a number. */
static void open_full(world *w)
{
    const char *with[] = {
        "simulation.sleep=true",
        "forces=[{name: c, type: controller, body: block, state: {n: 0}, function: "
        "\"function(t, s, state) state.n = state.n + t return 0 end\"}]"};
    *w = (world){.ctx = ss_context_create(NULL)};
    assert_non_null(w->ctx);
    check(w, ss_scene_load(w->ctx, "scenes/planar-full.yaml", with, 2, &w->scene));
    check(w, compile_world(w));
}

/* Whatever part of the state changes, the hash does; marks the parts that there are. */
static void change_parts(world *w, bool *seen)
{
    for (int i = 0; ss_state_parts[i] != NULL; i++) {
        ss_span span[SS_SPANS_MAX] = {{0}};
        int     count              = ss_state_parts[i]->spans(w->model, w->data, span);
        for (int k = 0; k < count; k++) {
            if (span[k].bytes == 0) {
                continue;
            }
            uint64_t before = ss_state_hash(w->model, w->data);
            ((unsigned char *)span[k].at)[span[k].bytes - 1] ^= 1;
            assert_true(ss_state_hash(w->model, w->data) != before);
            ((unsigned char *)span[k].at)[span[k].bytes - 1] ^= 1;
            seen[i] = true;
        }
    }
}

static void test_the_hash_sees_every_part(void **state)
{
    (void)state;
    enum { PARTS_MAX = 32 };
    bool  seen[PARTS_MAX] = {false};
    world w;
    open_full(&w);
    go_on(&w, w.data, BEFORE);
    change_parts(&w, seen);
    close_world(&w);
    open_scene(&w, "scenes/compliant-disc.yaml"); /* contacts that give: deflections */
    check(&w, ss_data_set_body(w.model, w.data, 1, &(ss_body_state){.position = {0, 0.999, 0}}));
    go_on(&w, w.data, BEFORE);
    change_parts(&w, seen);
    close_world(&w);
    open_scene(&w, "scenes/stick-slip.yaml"); /* static and kinetic friction: what sticks */
    go_on(&w, w.data, BEFORE);
    change_parts(&w, seen);
    close_world(&w);
    const char *at_instants = "simulation.model.level=acceleration"; /* modes of contacts */
    w                       = (world){.ctx = ss_context_create(NULL)};
    check(&w, ss_scene_load(w.ctx, "scenes/planar-full.yaml", &at_instants, 1, &w.scene));
    check(&w, compile_world(&w));
    go_on(&w, w.data, BEFORE);
    change_parts(&w, seen);
    close_world(&w);
    for (int i = 0; ss_state_parts[i] != NULL; i++) {
        if (!seen[i]) {
            fail_msg("part '%s' of the state was never there", ss_state_parts[i]->name);
        }
    }
}

static void test_what_is_no_snapshot_changes_nothing(void **state)
{
    (void)state;
    world w;
    open_scene(&w, "scenes/planar-full.yaml");
    go_on(&w, w.data, BEFORE);
    size_t         size;
    unsigned char *snapshot = snapshot_of(&w, &size);
    go_on(&w, w.data, 1);
    uint64_t now = ss_state_hash(w.model, w.data);
    for (size_t cut = 0; cut < size; cut += 7) {
        assert_int_equal(ss_snapshot_set(w.model, w.data, snapshot, cut), SS_ERR_ARGUMENT);
    }
    double bad = NAN;
    memcpy(snapshot + 16, &bad, sizeof bad); /* the time */
    assert_int_equal(ss_snapshot_set(w.model, w.data, snapshot, size), SS_ERR_ARGUMENT);
    assert_true(ss_state_hash(w.model, w.data) == now);
    free(snapshot);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes_resume_with_the_same_bits),
        cmocka_unit_test(test_the_hash_sees_every_part),
        cmocka_unit_test(test_what_is_no_snapshot_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
