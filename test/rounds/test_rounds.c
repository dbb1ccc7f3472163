/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons for another round: who is asked, in which order, and what comes of the answers. */
#include "model/data.h"
#include "rounds/reasons.h"
#include "world.h"

static char       asked[16];
static int        asked_count;
static ss_verdict first_says;

static ss_verdict ask(char name, ss_verdict answer)
{
    asked[asked_count++] = name;
    return answer;
}

static ss_verdict first_check(const ss_model *m, ss_data *d, double h)
{
    (void)m;
    (void)d;
    (void)h;
    return ask('a', first_says);
}

static ss_verdict second_check(const ss_model *m, ss_data *d, double h)
{
    (void)m;
    (void)d;
    (void)h;
    return ask('b', SS_HOLDS);
}

static ss_verdict last_check(const ss_model *m, ss_data *d, double h)
{
    (void)m;
    (void)d;
    (void)h;
    return ask('c', SS_HOLDS);
}

static bool never(const ss_model *m)
{
    (void)m;
    return false;
}

static const ss_reason first  = {.name = "the first", .check = first_check};
static const ss_reason absent = {.name = "absent", .concerns = never, .check = first_check};
static const ss_reason second = {.name = "the second", .check = second_check};
static const ss_reason last   = {.name = "the last", .check = last_check, .when_all_hold = true};

static const ss_reason *const list[] = {&first, &absent, &second, &last, NULL};

static void drop_a_ball(world *w)
{
    open_text(w, "gravity: [0, 0, -9.81]\n"
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                 "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 1}}, position: "
                 "[0, 0, 1],"
                 " velocity: [1, 0, 0]}\n");
}

static void expect_asked(const world *w, ss_verdict says, const char *who, const ss_reason *open)
{
    asked_count = 0;
    first_says  = says;
    memset(asked, 0, sizeof asked);
    ss_rounds_check(w->model, w->data, 0.01);
    assert_string_equal(asked, who);
    assert_ptr_equal(w->data->rounds.open, open);
}

static void test_reasons_are_asked_in_their_order(void **state)
{
    (void)state;
    world w;
    drop_a_ball(&w);
    ss_rounds_collect(w.model, &w.data->rounds, list);
    assert_int_equal(w.data->rounds.count, 3);
    expect_asked(&w, SS_HOLDS, "abc", NULL);
    expect_asked(&w, SS_AGAIN, "ab", &first);
    expect_asked(&w, SS_AGAIN_AT_ONCE, "a", &first);
    expect_asked(&w, SS_OVER, "a", NULL);
    close_world(&w);
}

/* An assumption that never holds: the step must not pass, and says what did not settle. */
static ss_verdict never_holds(const ss_model *m, ss_data *d, double h)
{
    (void)m;
    (void)d;
    (void)h;
    return SS_AGAIN;
}

static void test_rounds_that_run_out_fail_the_step(void **state)
{
    (void)state;
    static const ss_reason        restless = {.name = "the weather", .check = never_holds};
    static const ss_reason *const only[]   = {&restless, NULL};
    world                         w;
    drop_a_ball(&w);
    double before = w.data->state.pose[1].p.x;
    ss_rounds_collect(w.model, &w.data->rounds, only);
    assert_int_equal(ss_step(w.model, w.data, 0.01), SS_ERR_CERTIFICATE);
    assert_non_null(strstr(ss_context_message(w.ctx), "the weather"));
    assert_int_equal(ss_data_report(w.data)->rounds, SS_ROUNDS_MAX);
    assert_true(w.data->state.pose[1].p.x == before);
    close_world(&w);
}

/* What a certificate judges does not fail by itself. */
static void test_rounds_that_run_out_are_judged(void **state)
{
    (void)state;
    static const ss_reason        restless = {.name = "it", .check = never_holds, .judged = true};
    static const ss_reason *const only[]   = {&restless, NULL};
    world                         w;
    drop_a_ball(&w);
    ss_rounds_collect(w.model, &w.data->rounds, only);
    check(&w, ss_step(w.model, w.data, 0.01));
    close_world(&w);
}

static void test_every_reason_has_a_name(void **state)
{
    (void)state;
    for (int i = 0; ss_reasons[i] != NULL; i++) {
        assert_non_null(ss_reasons[i]->name);
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(ss_reasons[k]->name, ss_reasons[i]->name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reasons_are_asked_in_their_order),
        cmocka_unit_test(test_rounds_that_run_out_fail_the_step),
        cmocka_unit_test(test_rounds_that_run_out_are_judged),
        cmocka_unit_test(test_every_reason_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
