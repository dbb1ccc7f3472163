/* SPDX-License-Identifier: Apache-2.0 */
/* What a step may take: work that is counted, time that ends a run, time after which it goes on. */
#include <math.h>
#include <string.h>

#include "model/data.h"
#include "sim/step.h"
#include "world.h"

#define BOXES(more)                                                                                \
    "dimension: 2\ngravity: [0, -9.81]\nmaterials: {default: {friction: 0.5}}\n"                   \
    "bodies:\n"                                                                                    \
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"                      \
    "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [1, 1]}}, position: [0, 0.5], "     \
    "velocity: [1, 0]}\n"                                                                          \
    "  - {name: b, type: dynamic, mass: 3, shape: {box: {size: [1, 1]}}, position: [0.2, 1.5]}\n"  \
    "simulation: {step: 0.01, duration: 1" more "}\n"

static void work_is_counted_alike(void **state)
{
    (void)state;
    double work[2][20];
    for (int run = 0; run < 2; run++) {
        world w;
        open_text(&w, BOXES(""));
        for (int k = 0; k < 20; k++) {
            check(&w, ss_step(w.model, w.data, 0.01));
            work[run][k] = ss_data_report(w.data)->work;
            assert_true(work[run][k] > 0 && !ss_data_report(w.data)->over_budget);
        }
        close_world(&w);
    }
    assert_memory_equal(work[0], work[1], sizeof work[0]);
}

/* Also in the very first solve; the state is what it was. */
static void a_limit_ends_any_step(void **state)
{
    (void)state;
    world w;
    open_text(&w, BOXES(", step_limit: 1e-9"));
    assert_int_equal(ss_step(w.model, w.data, 0.01), SS_ERR_INTERRUPTED);
    assert_true(ss_data_time(w.data) == 0 && body(&w, 1).position.x == 0);
    close_world(&w);
}

/* Out of time at once: every step is taken all the same, and says so. */
static void a_budget_ends_no_run(void **state)
{
    (void)state;
    world w;
    open_text(&w, BOXES(", step_budget: 1e-9"));
    for (int k = 0; k < 50; k++) {
        check(&w, ss_step(w.model, w.data, 0.01));
        const ss_step_report *r = ss_data_report(w.data);
        assert_true(r->over_budget);
        assert_true(r->marked || r->outcome == SS_SOLVED);
        assert_true(isfinite(body(&w, 1).position.x) && isfinite(body(&w, 2).velocity.y));
    }
    assert_true(fabs(ss_data_time(w.data) - 0.5) < 1e-12);
    close_world(&w);
}

/* More time than is needed changes nothing. */
static void an_ample_budget_changes_nothing(void **state)
{
    (void)state;
    uint64_t    hash[2];
    const char *texts[2] = {BOXES(""), BOXES(", step_budget: 100")};
    for (int k = 0; k < 2; k++) {
        world w;
        open_text(&w, texts[k]);
        for (int i = 0; i < 30; i++) {
            check(&w, ss_step(w.model, w.data, 0.01));
            assert_true(!ss_data_report(w.data)->over_budget);
        }
        hash[k] = ss_state_hash(w.model, w.data);
        close_world(&w);
    }
    assert_true(hash[0] == hash[1]);
}

/* Two towers apart from each other: two islands, which two threads solve side by side. */
#define TOWER(name, x)                                                                             \
    "  - {name: " name "1, type: dynamic, mass: 1, shape: {box: {size: [1, 1]}}, position: [" x    \
    ", 0.5], velocity: [1, 0]}\n"                                                                  \
    "  - {name: " name "2, type: dynamic, mass: 3, shape: {box: {size: [1, 1]}}, position: [" x    \
    ", 1.5], velocity: [0, -1]}\n"                                                                 \
    "  - {name: " name "3, type: dynamic, mass: 9, shape: {box: {size: [1, 1]}}, position: [" x    \
    ", 2.5], angular_velocity: 1}\n"
#define TOWERS(more)                                                                               \
    "dimension: 2\ngravity: [0, -9.81]\nmaterials: {default: {friction: 0.5}}\n"                   \
    "bodies:\n"                                                                                    \
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n" TOWER("a", "0")      \
        TOWER("b", "5") "simulation: {step: 0.01, duration: 1" more "}\n"

/* Steps until one fails; the hash of the state, and the work of the last step. */
static int steps_taken(const char *text, int32_t threads, uint64_t *hash, double *work)
{
    world w;
    int   k = 0;
    open_text(&w, text);
    if (ss_data_set_threads(w.data, threads) != SS_OK) {
        assert_int_equal(ss_data_set_threads(w.data, 1), SS_OK); /* built without threads */
    }
    ss_status status = SS_OK;
    for (; k < 30 && status == SS_OK; k++) {
        status = ss_step(w.model, w.data, 0.01);
    }
    if (status != SS_OK) {
        assert_int_equal(status, SS_ERR_CERTIFICATE);
        assert_non_null(strstr(ss_context_message(w.ctx), "not solved within the work allowed"));
        k--;
    }
    *hash = ss_state_hash(w.model, w.data);
    *work = ss_data_report(w.data)->work;
    close_world(&w);
    return k;
}

/* The same step, after the same work, in every run and with any number of threads. */
static void work_ends_a_step_at_one_place(void **state)
{
    const char *texts[] = {TOWERS(", work_limit: 1e3"), TOWERS(", work_limit: 1e5"),
                           TOWERS(", work_limit: 1e3, on_failure: mark"),
                           TOWERS(", work_limit: 1e5, on_failure: mark")};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint64_t hash[3];
        double   work[3];
        int      steps[3];
        for (int k = 0; k < 3; k++) {
            steps[k] = steps_taken(texts[i], k < 2 ? 1 : 2, &hash[k], &work[k]);
        }
        assert_true(i < 2 ? steps[0] < 30 : steps[0] == 30);
        assert_true(steps[0] == steps[1] && hash[0] == hash[1] && work[0] == work[1]);
        assert_true(steps[0] == steps[2] && hash[0] == hash[2] && work[0] == work[2]);
    }
}

/* What is not reached changes nothing: a limit that is ample, and the one that is there anyway. */
static void ample_work_changes_nothing(void **state)
{
    uint64_t hash[2];
    double   work[2];
    (void)state;
    assert_int_equal(steps_taken(TOWERS(""), 1, &hash[0], &work[0]), 30);
    assert_int_equal(steps_taken(TOWERS(", work_limit: 1e12"), 2, &hash[1], &work[1]), 30);
    assert_true(hash[0] == hash[1] && work[0] == work[1]);
}

/* Two hinged blocks, tossed, on more contacts than hold them. */
#define ELBOW(hinge)                                                                               \
    "gravity: [0, 0, -9.61]\nmaterials: {default: {friction: 0.3, restitution: 0.1}}\n"            \
    "bodies:\n"                                                                                    \
    "  - {name: table, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"                       \
    "  - {name: a, type: dynamic, mass: 0.37, inertia: [1.54e-4, 3.85e-4, 3.85e-4], shape: {box: " \
    "{size: [0.1, 0.05, 0.05]}}, position: [0, 0, 0.2], velocity: [1, 0.5, 0], "                   \
    "angular_velocity: [3, 2, 1]}\n"                                                               \
    "  - {name: b, type: dynamic, mass: 0.37, inertia: [1.54e-4, 3.85e-4, 3.85e-4], shape: {box: " \
    "{size: [0.1, 0.05, 0.05]}}, position: [0, 0.06, 0.2], velocity: [1, 0.5, 0]}\n"               \
    "joints:\n"                                                                                    \
    "  - {name: hinge, type: revolute, bodies: [a, b], anchor: [-0.035, 0.06, 0.2], axis: [0, 1, " \
    "0]" hinge "}\n"                                                                               \
    "simulation: {step: 0.00135, duration: 1}\n"

/* Sweeps that lead nowhere are given up: there were 400 iterations a step, and 65 with friction in
   the hinge. */
static void redundant_contacts_take_few_iterations(void **state)
{
    enum { STEPS = 740, MEAN = 40 };
    const char *texts[2] = {ELBOW(""), ELBOW(", friction: 0.01")};
    (void)state;
    for (int k = 0; k < 2; k++) {
        world   w;
        int64_t sum = 0;
        open_text(&w, texts[k]);
        for (int i = 0; i < STEPS; i++) {
            check(&w, ss_step(w.model, w.data, 0.00135));
            sum += ss_data_report(w.data)->iterations;
        }
        assert_true(sum < (int64_t)MEAN * STEPS);
        close_world(&w);
    }
}

/* A cylinder on its rim and a box, pushed over a floor: twenty contacts on two bodies. */
static const char rim[] =
    "materials: {default: {friction: 0.3}}\n"
    "simulation: {step: 0.005, model: {cone: {polygon: 4}}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: pusher, type: kinematic, shape: {box: {size: [0.04, 0.04, 0.04]}},"
    " motion: {x: 0.02*t, y: -0.014, z: 0.038}}\n"
    "  - {name: can, type: dynamic, mass: 1, damping: [1, 0.01],"
    " shape: {cylinder: {radius: 0.03427801058776103, length: 0.08248526952380186}},"
    " position: [0.07427801058776104, 0.0038118530607736904, 0.04124263476190093]}\n"
    "  - {name: box, type: dynamic, mass: 1, damping: [1, 0.01],"
    " shape: {box: {size: [0.09608742232366399, 0.09349140286520088, 0.09967926515232006]}},"
    " position: [0.16659973233735406, -0.00264689279164861, 0.04983963257616003]}\n";

/* Where rounding spoils every basis, Newton's method gets there soon or never: 2000 steps of it
   took four fifths of the run. Which step has such bases depends on the last bits. */
static void bases_that_rounding_spoils_are_given_up(void **state)
{
    world  w;
    double work = 0;
    (void)state;
    open_text(&w, rim);
    for (int i = 0; i < 360; i++) {
        check(&w, ss_step(w.model, w.data, 0.005));
        work += ss_data_report(w.data)->work;
    }
    assert_true(work < 3e9);
    close_world(&w);
}

/* A pendulum takes several passes in the middle of each step, and boxes that slide on each other
   beside it are solved in each: from the last pass, not from the last step. */
static void passes_begin_where_the_last_one_ended(void **state)
{
    char   text[2048];
    int    at = 0, iterations = 0;
    size_t room = sizeof text;
    world  w;
    (void)state;
    at += snprintf(text + at, room - (size_t)at,
                   "materials: {default: {friction: 0.4}}\nbodies:\n"
                   "  - {name: f, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n");
    for (int i = 0; i < 4; i++) {
        at += snprintf(text + at, room - (size_t)at,
                       "  - {name: b%d, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.2, "
                       "0.1]}}, position: [%g, %g, %g], velocity: [%g, %g, 0], "
                       "angular_velocity: [0, 0, %d]}\n",
                       i, 0.01 * i, 0.005 * i, 0.05 + 0.1 * i, 1 + 0.5 * i, 0.2 * i, 3 * (i - 1));
    }
    for (int i = 0; i < 3; i++) {
        at += snprintf(text + at, room - (size_t)at,
                       "  - {name: p%d, type: dynamic, mass: 1, shape: {sphere: {radius: 0.05}}, "
                       "position: [%g, 0, 2]}\n",
                       i, 3.3 + 0.3 * i);
    }
    snprintf(text + at, room - (size_t)at,
             "joints:\n"
             "  - {name: j0, type: spherical, bodies: [world, p0], anchor: [3, 0, 2]}\n"
             "  - {name: j1, type: spherical, bodies: [p0, p1], anchor: [3.3, 0, 2]}\n"
             "  - {name: j2, type: spherical, bodies: [p1, p2], anchor: [3.6, 0, 2]}\n"
             "simulation: {step: 0.01, duration: 0.3}\n");
    open_text(&w, text);
    for (int k = 0; k < 30; k++) {
        check(&w, ss_step(w.model, w.data, 0.01));
        iterations += ss_data_report(w.data)->iterations;
    }
    print_message("%d iterations\n", iterations);
    assert_true(iterations < 1100);
    close_world(&w);
}

/* Cuts that only follow a motion more closely end before the work of the step does. */
static void closeness_has_its_bound(void **state)
{
    (void)state;
    const double bound = 5e8; /* of small scenes */
    world        w;
    open_text(&w, BOXES(""));
    check(&w, ss_step(w.model, w.data, 0.01));
    for (int k = 0; k < 2; k++) {
        w.data->effort = (ss_effort){.spent = (k ? 1.01 : 0.99) * bound};
        ss_allow_work(w.model, w.data);
        assert_true(w.data->effort.closer == (k == 0));
    }
    w.data->effort.parts = 300; /* larger ones may take more */
    ss_allow_work(w.model, w.data);
    assert_true(w.data->effort.closer && !w.data->effort.exhausted);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_counted_alike),
        cmocka_unit_test(a_limit_ends_any_step),
        cmocka_unit_test(a_budget_ends_no_run),
        cmocka_unit_test(an_ample_budget_changes_nothing),
        cmocka_unit_test(work_ends_a_step_at_one_place),
        cmocka_unit_test(ample_work_changes_nothing),
        cmocka_unit_test(redundant_contacts_take_few_iterations),
        cmocka_unit_test(bases_that_rounding_spoils_are_given_up),
        cmocka_unit_test(closeness_has_its_bound),
        cmocka_unit_test(passes_begin_where_the_last_one_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
