/* SPDX-License-Identifier: Apache-2.0 */
/* The run loop: how many steps, what recorders are told, what ends a run and what is left then. */
#include "world.h"

static const char ball[] =
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 1}}, position: [0, 0, 1], "
    "velocity: [2, 0, 0]}\n"
    "simulation: {step: 0.1, duration: 1, solver: lemke, model: {cone: {polygon: 4}}}\n";

/* A solver that always says "solved" and never is. */
static ss_status lie(ss_solver *solver, const ss_problem *p, ss_solution *x)
{
    (void)solver;
    memset(x->z, 0, (size_t)ss_problem_size(p) * sizeof *x->z);
    x->outcome = SS_SOLVED;
    return SS_OK;
}

static const ss_solver_class liar = {
    .name = "liar", .summary = "for tests", .accepts = SS_LCP | SS_CONE, .solve = lie};

static volatile sig_atomic_t pressed; /* as by Ctrl-C */

/* A solver that is interrupted and would go on for ever. */
static ss_status go_on_and_on(ss_solver *solver, const ss_problem *p, ss_solution *x)
{
    memset(x->z, 0, (size_t)ss_problem_size(p) * sizeof *x->z);
    assert_false(ss_solver_out_of_time(solver));
    pressed = 1;
    while (!ss_solver_out_of_time(solver)) {
    }
    x->outcome = SS_LIMIT;
    return SS_OK;
}

static const ss_solver_class endless = {
    .name = "endless", .summary = "for tests", .accepts = SS_LCP | SS_CONE, .solve = go_on_and_on};

static world open_with(const char *const *overrides, int32_t count)
{
    world w = {.ctx = ss_context_create(NULL)};
    assert_int_equal(ss_solver_register(w.ctx, &liar), SS_OK);
    assert_int_equal(ss_solver_register(w.ctx, &endless), SS_OK);
    check(&w, load_world(&w, ball, overrides, count));
    return w;
}

static world open_ball(const char *override)
{
    return open_with(&override, override != NULL);
}

/* A recorder that writes down what it is told: o(pen), a(ppend), c(lose), d(iscard). */
typedef struct diary {
    char    calls[64];
    int64_t steps;
    double  last_time;
    int     fail_at; /* fails at this append */
} diary;

static diary *diary_of(ss_recorder *r)
{
    return ss_recorder_state(r);
}

static void write_down(ss_recorder *r, char call)
{
    size_t n = strlen(diary_of(r)->calls);
    if (n < sizeof diary_of(r)->calls - 1) {
        diary_of(r)->calls[n] = call;
    }
}

static ss_status diary_open(ss_recorder *r, const ss_run_info *info)
{
    write_down(r, 'o');
    diary_of(r)->steps = info->steps;
    return SS_OK;
}

static ss_status diary_append(ss_recorder *r, const ss_model *m, const ss_data *d)
{
    (void)m;
    write_down(r, 'a');
    diary_of(r)->last_time = ss_data_time(d);
    if (diary_of(r)->fail_at > 0 && --diary_of(r)->fail_at == 0) {
        return ss_fail(ss_recorder_context(r), SS_ERR_IO, "the diary is full");
    }
    return SS_OK;
}

static ss_status diary_close(ss_recorder *r, const ss_run_result *result)
{
    (void)result;
    write_down(r, 'c');
    return SS_OK;
}

static void diary_discard(ss_recorder *r)
{
    write_down(r, 'd');
}

static const ss_recorder_class diary_class = {"diary",      "for tests", sizeof(diary), diary_open,
                                              diary_append, diary_close, diary_discard};

static ss_status run_with(world *w, ss_run_def *def, ss_recorder **r, ss_run_result *result)
{
    def->recorders      = r;
    def->recorder_count = 1;
    return ss_run(w->ctx, w->model, w->data, def, result);
}

static void steps_and_calls(void **state)
{
    static const struct {
        double  step, duration;
        int64_t steps;
    } cases[] = {{0.1, 1, 10},    {0.1, 0.95, 10}, {0.3, 1, 4},     {0.12, 0.6, 5},
                 {1e-3, 1, 1000}, {0.1, 0.3, 3},   {1.0 / 3, 1, 3}, {2, 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        world         w   = open_ball(NULL);
        ss_run_def    def = ss_run_def_default();
        ss_recorder  *r;
        ss_run_result result;
        def.step     = cases[i].step;
        def.duration = cases[i].duration;
        assert_int_equal(ss_recorder_create_class(w.ctx, &diary_class, "", &r), SS_OK);
        assert_int_equal(run_with(&w, &def, &r, &result), SS_OK);
        assert_int_equal(result.steps, cases[i].steps);
        assert_int_equal(diary_of(r)->steps, cases[i].steps);
        assert_true(fabs(result.time - cases[i].duration) < 1e-12);
        assert_true(diary_of(r)->last_time == result.time);
        assert_int_equal(diary_of(r)->calls[0], 'o');
        assert_true(cases[i].steps > 50 || strlen(diary_of(r)->calls) == (size_t)result.steps + 3);
        assert_int_equal(result.contacts_max, 1);
        assert_true(result.residual_max < 1e-12);
        ss_recorder_destroy(r);
        close_world(&w);
    }
}

static void energy_is_accounted_for(void **state)
{
    (void)state;
    world         w   = open_ball(NULL);
    ss_run_def    def = ss_run_def_default();
    ss_run_result x;
    assert_int_equal(ss_run(w.ctx, w.model, w.data, &def, &x), SS_OK);
    double before = x.initial.kinetic + x.initial.potential;
    double after  = x.final.kinetic + x.final.potential;
    assert_true(fabs(before - after - x.final.dissipated) < 1e-12);
    assert_true(x.final.dissipated > 0.5);
    close_world(&w);
}

static void a_failing_recorder_ends_the_run(void **state)
{
    (void)state;
    world         w   = open_ball(NULL);
    ss_run_def    def = ss_run_def_default();
    ss_recorder  *r;
    ss_run_result result;
    assert_int_equal(ss_recorder_create_class(w.ctx, &diary_class, "", &r), SS_OK);
    diary_of(r)->fail_at = 3;
    assert_int_equal(run_with(&w, &def, &r, &result), SS_ERR_IO);
    assert_string_equal(diary_of(r)->calls, "oaaad");
    assert_string_equal(ss_context_message(w.ctx), "the diary is full");
    ss_recorder_destroy(r);
    close_world(&w);
}

static void stop_at_three(void *user, const ss_run_result *so_far, int64_t total)
{
    assert_int_equal(total, 10);
    *(volatile sig_atomic_t *)user = so_far->steps == 3;
}

static void an_interrupt_closes_the_files(void **state)
{
    (void)state;
    world                 w    = open_ball(NULL);
    ss_run_def            def  = ss_run_def_default();
    volatile sig_atomic_t flag = 0;
    ss_recorder          *r;
    ss_run_result         result;
    def.interrupt     = &flag;
    def.progress      = stop_at_three;
    def.progress_user = (void *)&flag;
    assert_int_equal(ss_recorder_create_class(w.ctx, &diary_class, "", &r), SS_OK);
    assert_int_equal(run_with(&w, &def, &r, &result), SS_ERR_INTERRUPTED);
    assert_string_equal(diary_of(r)->calls, "oaaaac");
    assert_int_equal(result.steps, 3);
    ss_recorder_destroy(r);
    close_world(&w);
}

/* In the middle of a solve, and never taken for a step that failed or was marked. */
static void an_interrupt_reaches_the_solver(void **state)
{
    static const char *const cases[] = {
        "simulation={step: 0.1, duration: 1, solver: endless}",
        "simulation={step: 0.1, duration: 1, solver: endless, on_failure: retry}",
        "simulation={step: 0.1, duration: 1, solver: endless, on_failure: mark}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        world         w   = open_ball(cases[i]);
        ss_run_def    def = ss_run_def_default();
        ss_recorder  *r;
        ss_run_result result;
        pressed       = 0;
        def.interrupt = &pressed;
        assert_int_equal(ss_recorder_create_class(w.ctx, &diary_class, "", &r), SS_OK);
        assert_int_equal(run_with(&w, &def, &r, &result), SS_ERR_INTERRUPTED);
        assert_string_equal(diary_of(r)->calls, "oac");
        assert_string_equal(ss_context_message(w.ctx), "interrupted at t = 0 of 1 s");
        assert_int_equal(result.steps, 0);
        assert_int_equal(result.marked, 0);
        ss_recorder_destroy(r);
        close_world(&w);
    }
}

/* A certificate fails: what happens then is the scene's choice. */
static void failed_certificates(void **state)
{
    static const struct {
        const char *set;
        ss_status   status;
        bool        goes_on, splits;
    } cases[] = {
        {"simulation={step: 0.1, duration: 1, solver: liar}", SS_ERR_CERTIFICATE, false, true},
        {"simulation={step: 0.1, duration: 1, solver: liar, max_splits: 0}", SS_ERR_CERTIFICATE,
         false, false},
        {"simulation={step: 0.1, duration: 1, solver: liar, on_failure: retry}", SS_ERR_CERTIFICATE,
         false, true},
        {"simulation={step: 0.1, duration: 1, solver: liar, on_failure: mark}", SS_OK, true, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ss_run_def    def = ss_run_def_default();
        ss_recorder  *r;
        ss_run_result result;
        world         w = open_ball(cases[i].set);
        assert_int_equal(ss_recorder_create_class(w.ctx, &diary_class, "", &r), SS_OK);
        assert_int_equal(run_with(&w, &def, &r, &result), cases[i].status);
        assert_true((result.steps == 10) == cases[i].goes_on);
        assert_true((result.marked > 0) == cases[i].goes_on);
        assert_true((result.splits > 0) == cases[i].splits);
        assert_int_equal(diary_of(r)->calls[strlen(diary_of(r)->calls) - 1], 'c');
        ss_recorder_destroy(r);
        close_world(&w);
    }
}

/* What is tried when the halves have failed (parts that end at the impact, the whole step as it is)
   does not forget them. */
static void what_was_cut_in_vain_counts(void **state)
{
    (void)state;
    for (int mark = 0; mark < 2; mark++) {
        const char *overrides[] = {
            "bodies.ball.position=[0, 0, 2]", "bodies.ball.velocity=[0, 0, -13]",
            mark ? "simulation={step: 0.1, duration: 0.3, solver: liar, on_failure: mark}"
                 : "simulation={step: 0.1, duration: 0.3, solver: liar}"};
        ss_run_def    def = ss_run_def_default();
        ss_recorder  *r;
        ss_run_result result;
        world         w = open_with(overrides, 3);
        assert_int_equal(ss_recorder_create_class(w.ctx, &diary_class, "", &r), SS_OK);
        assert_int_equal(run_with(&w, &def, &r, &result), mark ? SS_OK : SS_ERR_CERTIFICATE);
        assert_int_equal(result.marked, mark ? 3 : 0);
        assert_int_equal(result.splits, mark ? 3 : 1);
        ss_recorder_destroy(r);
        close_world(&w);
    }
}

static void recorders_by_name(void **state)
{
    (void)state;
    ss_context  *ctx = ss_context_create(NULL);
    ss_recorder *r   = NULL;
    assert_true(ss_recorder_count(NULL) >= 1);
    assert_non_null(ss_recorder_find(NULL, "csv"));
    assert_int_equal(ss_recorder_create(ctx, "papyrus", "x", &r), SS_ERR_UNSUPPORTED);
    assert_null(r);
    assert_int_equal(ss_recorder_create(ctx, "csv", "/nowhere/x.csv", &r), SS_OK);
    assert_string_equal(ss_recorder_path(r), "/nowhere/x.csv");
    ss_recorder_destroy(r);
    ss_context_destroy(ctx);
}

/* What would spoil a simulation, or write where nothing belongs, is refused and changes nothing. */
static void states_are_checked(void **state)
{
    (void)state;
    world         w = open_ball(NULL);
    ss_body_state s = body(&w, 1);
    double        all[64];
    uint64_t      before = ss_state_hash(w.model, w.data);
    assert_int_equal(ss_data_set_body(w.model, w.data, 7, &s), SS_ERR_ARGUMENT);
    assert_int_equal(ss_data_set_body(w.model, w.data, -1, &s), SS_ERR_ARGUMENT);
    s.velocity.y = NAN;
    assert_int_equal(ss_data_set_body(w.model, w.data, 1, &s), SS_ERR_ARGUMENT);
    assert_int_equal(ss_data_push(w.model, w.data, 1, ss_v3(INFINITY, 0, 0), ss_v3(0, 0, 0)),
                     SS_ERR_ARGUMENT);
    assert_true(ss_state_size(w.model) <= 64);
    ss_state_get(w.model, w.data, all);
    all[5] = NAN;
    assert_int_equal(ss_state_set(w.model, w.data, all), SS_ERR_ARGUMENT);
    assert_true(ss_state_hash(w.model, w.data) == before);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_calls),
        cmocka_unit_test(energy_is_accounted_for),
        cmocka_unit_test(a_failing_recorder_ends_the_run),
        cmocka_unit_test(an_interrupt_closes_the_files),
        cmocka_unit_test(an_interrupt_reaches_the_solver),
        cmocka_unit_test(failed_certificates),
        cmocka_unit_test(what_was_cut_in_vain_counts),
        cmocka_unit_test(recorders_by_name),
        cmocka_unit_test(states_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
