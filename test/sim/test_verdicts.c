/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts at run time: unique, active, stable, of the state before each step. */
#include <math.h>

#include "counted.h"
#include "world.h"

/* Painleve's rod (scenes/painleve-plane.yaml) at 60 degrees; the paradox begins at mu = 1.34715. */
#define ROD(mu, spin, more)                                                                        \
    "dimension: 2\nparams: {mu: " mu ", theta: \"pi/3\", spin: " spin "}\ngravity: [0, -9.81]\n"   \
    "materials: {default: {friction: \"mu\"}}\nbodies:\n"                                          \
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"                      \
    "  - {name: rod, type: dynamic, mass: 1, inertia: 0.3333333333333333, com: [0, 0], shape: "    \
    "{points: {points: [[1, 0]]}}, position: [\"-cos(theta)\", \"sin(theta)\"], angle: "           \
    "\"-theta\", velocity: [\"3 - spin*sin(theta)\", \"-spin*cos(theta)\"], "                      \
    "angular_velocity: \"spin\"}\n"                                                                \
    "simulation: {step: 1e-3, duration: 0.1, verdicts: true" more "}\n"

/* Dupont's rod between two walls, both ends sliding with friction 1 (scenes/rod-map.yaml): one
   solution, eigenvalues 1.7218 +- 1.3866i. */
#define WALLS(more)                                                                                \
    "dimension: 2\nparams: {theta: \"pi/2.3\", alpha: \"pi/4\"}\ngravity: [0, 0]\n"                \
    "materials: {default: {friction: 1}}\nbodies:\n"                                               \
    "  - {name: w1, type: static, shape: {halfplane: {normal: [0, 1]}}, surface_velocity: [-1, "   \
    "0]}\n"                                                                                        \
    "  - {name: w2, type: static, shape: {halfplane: {normal: [\"sin(alpha)\", \"-cos(alpha)\"], " \
    "offset: \"2*sin(alpha)*cos(theta) - 2*cos(alpha)*sin(theta)\"}}, surface_velocity: "          \
    "[\"-cos(alpha)\", \"-sin(alpha)\"]}\n"                                                        \
    "  - {name: rod, type: dynamic, mass: 1, inertia: 0.3333333333333333, com: [0, 0], shape: "    \
    "{points: {points: [[-1, 0], [1, 0]]}}, position: [\"cos(theta)\", \"sin(theta)\"], angle: "   \
    "\"theta\"}\n"                                                                                 \
    "forces:\n  - {name: push, type: constant, body: rod, force: [-5, -1]}\n"                      \
    "simulation: {step: 1e-4, duration: 0.01, verdicts: true" more "}\n"

#define BOX(more)                                                                                  \
    "dimension: 2\ngravity: [0, -9.81]\nmaterials: {default: {friction: 0.5}}\nbodies:\n"          \
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"                      \
    "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [1, 1]}}, position: [0, 0.5], "     \
    "velocity: [1, 0]}\n"                                                                          \
    "  - {name: ball, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, position: [5, "        \
    "0.3]}\n"                                                                                      \
    "simulation: {step: 0.005, duration: 1" more "}\n"

static ss_step_verdict first_with(const char *text, const char *const *set, int32_t count)
{
    world w = {.ctx = ss_context_create(NULL)};
    check(&w, load_world(&w, text, set, count));
    check(&w, ss_step(w.model, w.data, ss_model_simulation(w.model)->step));
    ss_step_verdict v = ss_data_report(w.data)->verdict;
    close_world(&w);
    return v;
}

static ss_step_verdict first(const char *text)
{
    return first_with(text, NULL, 0);
}

static void the_rods_regimes(void **state)
{
    (void)state;
    ss_step_verdict one = first(ROD("0.5", "0", "")), none = first(ROD("1.5", "0", ""));
    ss_step_verdict two = first(ROD("1.5", "4", ", model: {level: acceleration}"));
    assert_int_equal(one.unique, SS_RULING_YES);
    assert_int_equal(one.forces_unique, SS_RULING_YES);
    assert_int_equal(one.solutions, 1);
    assert_int_equal(one.active, 1);
    assert_int_equal(one.stable, SS_RULING_YES);
    assert_int_equal(none.unique, SS_RULING_NO);
    assert_int_equal(none.solutions, 0);
    assert_int_equal(none.active, -1);
    assert_int_equal(none.stable, SS_RULING_NOT_APPLICABLE);
    assert_int_equal(two.unique, SS_RULING_NO);
    assert_int_equal(two.solutions, 2);
}

/* Critical c^2/k at (1, 1): b^2/(a (a^2 + b^2)) = 0.2285. */
static void stability_hangs_on_the_layers(void **state)
{
    (void)state;
    ss_step_verdict unknown = first(WALLS(""));
    assert_int_equal(unknown.unique, SS_RULING_YES);
    assert_int_equal(unknown.active, 2);
    assert_int_equal(unknown.stable, SS_RULING_UNDECIDED);
    assert_int_equal(first(WALLS(", layers: 0.22")).stable, SS_RULING_NO);
    assert_int_equal(first(WALLS(", layers: 0.24")).stable, SS_RULING_YES);
}

/* One end leaves: what the other, alone, does is stable for every c^2/k. */
static void contacts_that_leave_have_no_layers(void **state)
{
    (void)state;
    static const char *const away[] = {"forces.push.force=[1, -1]"};
    ss_step_verdict          v      = first_with(WALLS(", layers: 0.01"), away, 1);
    assert_int_equal(v.unique, SS_RULING_YES);
    assert_int_equal(v.active, 1);
    assert_int_equal(v.stable, SS_RULING_YES);
}

/* Sticking contacts, corners that share a load, impacts, models without momentum: no word. */
static void what_the_theory_does_not_reach(void **state)
{
    (void)state;
    /* The ball strikes when the run begins: later it would within a step, where nobody asks. */
    static const char *const strikes[] = {"bodies.ball.position=[5, 0.1]",
                                          "bodies.ball.velocity=[0, -1]"};
    world                    w         = {.ctx = ss_context_create(NULL)};
    bool                     impact = false, sticks = false;
    check(&w, load_world(&w, BOX(", verdicts: true"), strikes, 2));
    for (int i = 0; i < 200; i++) {
        check(&w, ss_step(w.model, w.data, 0.005));
        const ss_step_verdict *v = &ss_data_report(w.data)->verdict;
        impact                   = impact || v->unique == SS_RULING_NOT_APPLICABLE;
        sticks                   = sticks || v->forces_unique == SS_RULING_NO;
        assert_int_not_equal(v->unique, SS_RULING_NO);
    }
    assert_true(impact && sticks); /* the ball lands; the box stops on its two corners */
    assert_int_equal(ss_data_report(w.data)->verdict.stable, SS_RULING_NOT_APPLICABLE);
    close_world(&w);
    ss_step_verdict damped =
        first(BOX(", verdicts: true, model: {inertia: quasistatic}, on_failure: mark"));
    assert_int_equal(damped.unique, SS_RULING_NOT_APPLICABLE);
}

/* Four corners that slide depend on each other: D is singular, whatever rounding makes of it. */
static void dependent_contacts_are_not_judged(void **state)
{
    (void)state;
    world w;
    open_text(&w, "materials: {default: {friction: 0.2}}\nbodies:\n"
                  "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                  "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.3, 0.2, 0.1]}}, "
                  "position: [0, 0, 0.05], velocity: [1, 0.3, 0]}\n"
                  "simulation: {step: 0.001, duration: 1, verdicts: true, layers: 1}\n");
    for (int i = 0; i < 50; i++) {
        check(&w, ss_step(w.model, w.data, 0.001));
        const ss_step_verdict *v = &ss_data_report(w.data)->verdict;
        assert_int_equal(v->unique, SS_RULING_YES);
        assert_int_equal(v->forces_unique, SS_RULING_NO);
        assert_int_equal(v->active, 4);
        assert_int_equal(v->stable, SS_RULING_NOT_APPLICABLE);
    }
    close_world(&w);
}

/* Whoever looks changes nothing, and asks for no memory once it is warm. */
static void looking_changes_nothing(void **state)
{
    (void)state;
    static const char *const set[] = {"simulation.model.level=impulse",
                                      "simulation.model.level=acceleration",
                                      "simulation.verdicts=true"};
    for (int level = 0; level < 2; level++) {
        uint64_t hash[2];
        for (int judged = 0; judged < 2; judged++) {
            const char *with[] = {set[level], set[2]};
            counter     c      = {0};
            world       w      = {.ctx = counted_context(&c)};
            check(&w, load_world(&w, BOX(""), with, 1 + judged));
            run(&w, 0.005, 150);
            int64_t before = c.requests;
            run(&w, 0.005, 50);
            assert_int_equal(c.requests, before);
            hash[judged] = ss_state_hash(w.model, w.data);
            close_world(&w);
        }
        assert_true(hash[0] == hash[1]);
    }
}

/* A run sums up what its steps were told. */
static void a_run_counts(void **state)
{
    (void)state;
    world         w;
    ss_run_def    def = ss_run_def_default();
    ss_run_result r;
    open_text(&w, BOX(", verdicts: true"));
    check(&w, ss_run(w.ctx, w.model, w.data, &def, &r));
    int64_t sum = 0;
    for (int k = SS_RULING_YES; k < SS_RULING_COUNT; k++) {
        sum += r.ruled_unique[k];
    }
    assert_int_equal(sum, r.steps);
    assert_int_equal(r.ruled_unique[SS_RULING_NONE], 0);
    assert_int_equal(r.active_max, 3);
    assert_true(isnan(r.unique_lost_at) && isnan(r.stable_lost_at));
    close_world(&w);
    open_text(&w, ROD("1.5", "0", ""));
    check(&w, ss_run(w.ctx, w.model, w.data, &def, &r));
    assert_true(r.unique_lost_at == 0 && r.ruled_unique[SS_RULING_NO] > 0);
    close_world(&w);
}

/* A disc that falls onto a surface that gives, goes down and comes up again: nothing strikes, and
 * its force is that of the deflection. Sliding on, its layers have a verdict all the time. */
static void contacts_that_give_are_not_judged_as_rigid_ones(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "dimension: 2\ngravity: [0, -9.81]\n"
              "materials: {default: {friction: 0.2, compliance: {stiffness: 1000}}}\nbodies:\n"
              "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
              "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, position: [0, "
              "0.11], velocity: [2, 0]}\n"
              "simulation: {step: 1e-3, verdicts: true, model: {contact: compliant}}\n");
    ss_instant *instant = NULL;
    check(&w, ss_instant_create(w.ctx, w.model, &instant));
    int pressed = 0;
    for (int i = 0; i < 150; i++) {
        ss_instant_verdict v;
        ss_force_range     range;
        bool               deep = body_named(&w, "a").position.y < 0.1 - 1e-6;
        ss_instant_set_resolution(instant, 2e-3);
        check(&w, ss_instant_judge(instant, w.model, w.data, &v));
        assert_int_equal(v.striking, 0);
        run(&w, 1e-3, 1);
        ss_step_verdict step = ss_data_report(w.data)->verdict;
        if (!deep) {
            continue;
        }
        pressed++;
        assert_int_equal(v.giving, 1);
        assert_int_equal(v.separating, 0);
        assert_int_equal(v.exists, SS_UNDECIDED);
        assert_non_null(strstr(v.exists_why, "not applicable"));
        assert_int_equal(v.p_matrix, SS_YES);
        assert_int_equal(step.unique, SS_RULING_NOT_APPLICABLE);
        assert_int_equal(step.forces_unique, SS_RULING_NOT_APPLICABLE);
        assert_int_equal(step.stable, SS_RULING_YES);
        check(&w, ss_analyze_forces(w.model, w.data, &range, 1));
        assert_true(range.unique && range.normal_unique);
    }
    assert_true(pressed > 50);
    ss_instant_destroy(instant);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_that_give_are_not_judged_as_rigid_ones),
        cmocka_unit_test(the_rods_regimes),
        cmocka_unit_test(stability_hangs_on_the_layers),
        cmocka_unit_test(contacts_that_leave_have_no_layers),
        cmocka_unit_test(what_the_theory_does_not_reach),
        cmocka_unit_test(dependent_contacts_are_not_judged),
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(a_run_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
