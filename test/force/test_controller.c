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

/* ---- state that a controller declares ---- */

static const char integrator[] =
    "dimension: 3\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 1}}, position: [1, 0, 0]}\n"
    "simulation: {step: 0.01, duration: 1}\n"
    "forces:\n"
    "  - {name: c, type: controller, body: ball, state: {i: 0, calls: 2}, function: 'function(t, "
    "s, "
    "state) state.i = state.i + 0.01 * s.ball.x state.calls = state.calls + 1 return -4 * s.ball.x "
    "- "
    "2 * s.ball.vx - state.i, 0, state.calls end'}\n"
    "  - {name: d, type: controller, body: ball, state: {n: 5}, function: 'function(t, s, state) "
    "state.n = state.n - 1 return 0, state.n end'}\n";

/* Each accepted step counts once, however often the function was asked for it; controllers do not
 * share what they keep. Without gravity and contact, m v = sum of h f. */
static void declared_state_is_kept(void **unused)
{
    (void)unused;
    world         w;
    ss_body_state s;
    open_text(&w, integrator);
    double z = 0, y = 0;
    for (int i = 0; i < 10; i++) {
        check(&w, ss_step(w.model, w.data, 0.01));
        z += 0.01 * (3 + i);
        y += 0.01 * (4 - i);
    }
    check(&w, ss_data_body(w.model, w.data, 0, &s));
    assert_true(fabs(s.velocity.z - z) < 1e-12 && fabs(s.velocity.y - y) < 1e-12);
    check(&w, ss_data_reset(w.model, w.data));
    check(&w, ss_step(w.model, w.data, 0.01));
    check(&w, ss_data_body(w.model, w.data, 0, &s));
    assert_true(fabs(s.velocity.z - 0.03) < 1e-15);
    close_world(&w);
}

/* A step that is taken in parts, for an impact elsewhere, is one step for what counts steps; so the
 * force is that of a run in which nothing strikes. */
static void declared_state_counts_steps_not_parts(void **unused)
{
    (void)unused;
    static const char *const levels[] = {"impulse", "acceleration"};
    for (int level = 0; level < 2; level++) {
        for (int parts = 0; parts < 2 - level; parts++) {
            char text[1200];
            snprintf(text, sizeof text,
                     "dimension: 2\n"
                     "gravity: [0, -9.81]\n"
                     "materials: {default: {friction: 0.3, restitution: 0.8}}\n"
                     "bodies:\n"
                     "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                     "  - {name: p, type: dynamic, shape: {disc: {radius: 0.1}}, mass: 1, "
                     "position: [0, 2], collide: false}\n"
                     "  - {name: q, type: dynamic, shape: {disc: {radius: 0.05}}, mass: 1, "
                     "position: [-3, 0.3]}\n"
                     "joints:\n"
                     "  - {name: k, type: prismatic, bodies: [world, q], axis: [0, 1]}\n"
                     "forces:\n"
                     "  - {name: c, type: controller, body: p, state: {n: 0}, function: "
                     "'function(t, s, st) st.n = st.n + 1 return st.n*0.01, 9.81, 0 end'}\n"
                     "simulation: {step: 0.01, duration: 1, model: {level: %s}}\n",
                     levels[level]);
            world         w;
            ss_body_state s;
            int           cut = 0;
            double        v   = 0;
            open_text(&w, text);
            for (int i = 1; i <= 40; i++) {
                if (parts == 1) {
                    check(&w, ss_step_collide(w.model, w.data, 0.01));
                    check(&w, ss_step_formulate(w.model, w.data));
                    check(&w, ss_step_solve(w.model, w.data));
                    check(&w, ss_step_update(w.model, w.data));
                } else {
                    check(&w, ss_step(w.model, w.data, 0.01));
                }
                const ss_step_report *r = ss_data_report(w.data);
                cut += r->events + r->splits > 0;
                v += 0.01 * 0.01 * i;
            }
            check(&w, ss_data_body(w.model, w.data, 1, &s));
            assert_true(cut > 0);
            assert_true(fabs(s.velocity.x - v) < 1e-12);
            close_world(&w);
        }
    }
}

static void declared_state_is_saved_and_hashed(void **unused)
{
    (void)unused;
    enum { STEPS = 60, AT = 23 };
    world          w;
    unsigned char *snapshot = NULL;
    double        *vector   = NULL;
    size_t         size     = 0;
    open_text(&w, integrator);
    for (int i = 0; i < STEPS; i++) {
        if (i == AT) {
            size     = ss_snapshot_size(w.model, w.data);
            snapshot = malloc(size);
            vector   = malloc((size_t)ss_state_size(w.model) * sizeof *vector);
            check(&w, ss_snapshot_get(w.model, w.data, snapshot));
            check(&w, ss_state_get(w.model, w.data, vector));
        }
        check(&w, ss_step(w.model, w.data, 0.01));
    }
    uint64_t through = ss_state_hash(w.model, w.data);
    check(&w, ss_snapshot_set(w.model, w.data, snapshot, size));
    for (int i = AT; i < STEPS; i++) {
        check(&w, ss_step(w.model, w.data, 0.01));
    }
    assert_true(ss_state_hash(w.model, w.data) == through);
    ss_body_state a, b;
    check(&w, ss_data_body(w.model, w.data, 0, &a));
    check(&w, ss_state_set(w.model, w.data, vector));
    for (int i = AT; i < STEPS; i++) {
        check(&w, ss_step(w.model, w.data, 0.01));
    }
    check(&w, ss_data_body(w.model, w.data, 0, &b));
    assert_true(fabs(a.position.x - b.position.x) < 1e-12 &&
                fabs(a.position.z - b.position.z) < 1e-12);
    free(snapshot);
    free(vector);
    close_world(&w);
}

static void only_declared_state_can_be_set(void **unused)
{
    (void)unused;
    static const char *const functions[] = {
        "function(t, s, state) state.j = 1 return 0 end",
        "function(t, s, state) return state.j end",
        "function(t, s, state) state.i = {} return 0 end",
        "function(t, s, state) state.i = 0/0 return 0 end",
        "function(t, s, state) state.i = nil return 0 end",
        "function(t, s, state) state[1] = 1 return 0 end",
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        char  text[2048];
        world w;
        snprintf(text, sizeof text, "%s%s', state: {i: 0}}\n", scene_start, functions[i]);
        open_text(&w, text);
        assert_int_equal(ss_step(w.model, w.data, 0.001), SS_ERR_INPUT);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_state_is_read_only),
        cmocka_unit_test(garbage_does_not_gather),
        cmocka_unit_test(restored_runs_are_the_same),
        cmocka_unit_test(declared_state_is_kept),
        cmocka_unit_test(declared_state_counts_steps_not_parts),
        cmocka_unit_test(declared_state_is_saved_and_hashed),
        cmocka_unit_test(only_declared_state_can_be_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
