/* SPDX-License-Identifier: Apache-2.0 */
/* Controllers in Lua: what they give depends on the time and the state, and on nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

static const char scene_start[] =
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 1}}, position: [0, 0, 1]}\n"
    "simulation: {step: 0.001, duration: 1}\n"
    "forces:\n"
    "  - {name: c, type: controller, body: ball, function: '";

static void open_controller(world *w, const char *function)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s'}\n", scene_start, function);
    open_text(w, text);
}

/* Everything that tries to keep something for the next call, or to set what it may only read. */
static void the_state_is_read_only(void **unused)
{
    (void)unused;
    static const char *const functions[] = {
        "function(t, s) local k = s.floor k[1] = (k[1] == 7 and 0 or 7) return k[1] end",
        "function(t, s) s.n = 1 return s.n end",
        "function(t, s) local b = s.ball b[1] = {} return b.x end",
        "function(t, s) s.ball.x = 3 return 0 end",
        "function(t, s) s.ball = nil return 0 end",
        "function(t, s) s[1] = 1 return 0 end",
        "function(t, s) n = 1 return 0 end",
        "function(t, s) return s.nobody.x end",
        "function(t, s) return s.ball.nothing end",
        "function(t, s) return s[s].x end",
        "function(t, s) return s.ball[s] end",
        "function(t, s) return #s end",
        "function(t, s) for k in s do return k end end",
        "function(t, s) return s.ball .. s end",
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        world w;
        open_controller(&w, functions[i]);
        assert_int_equal(ss_step(w.model, w.data, 0.001), SS_ERR_INPUT);
        assert_non_null(strstr(ss_context_message(w.ctx), "expression 'function"));
        close_world(&w);
    }
}

/* What a call makes is gone after it: memory does not grow over many calls. */
static void garbage_does_not_gather(void **unused)
{
    (void)unused;
    world w;
    open_controller(&w, "function(t, s) local a = 1 .. 1 for i = 1, 12 do a = a .. a end "
                        "local k = {a, a .. t, {s.ball.x}} return #k - 3 end");
    for (int i = 0; i < 3000; i++) {
        check(&w, ss_step(w.model, w.data, 0.001));
    }
    close_world(&w);
}

/* A restored snapshot goes on as the run did. */
static void restored_runs_are_the_same(void **unused)
{
    (void)unused;
    enum { STEPS = 40, AT = 13 };
    world          w;
    unsigned char *snapshot = NULL;
    size_t         size     = 0;
    open_controller(&w,
                    "function(t, s) return -3 * s.ball.x + sin(40 * t), t > 0.02 and 1 or 0 end");
    for (int i = 0; i < STEPS; i++) {
        if (i == AT) {
            size     = ss_snapshot_size(w.model, w.data);
            snapshot = malloc(size);
            check(&w, ss_snapshot_get(w.model, w.data, snapshot));
        }
        check(&w, ss_step(w.model, w.data, 0.001));
    }
    uint64_t through = ss_state_hash(w.model, w.data);
    check(&w, ss_snapshot_set(w.model, w.data, snapshot, size));
    for (int i = AT; i < STEPS; i++) {
        check(&w, ss_step(w.model, w.data, 0.001));
    }
    assert_true(ss_state_hash(w.model, w.data) == through);
    free(snapshot);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_state_is_read_only),
        cmocka_unit_test(garbage_does_not_gather),
        cmocka_unit_test(restored_runs_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
