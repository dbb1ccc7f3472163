/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A search for branches that comes back to a choice ends there. In this pile of stars and joints a
 * branch without contacts within reach takes its pair out of its island; choices told apart by
 * islands followed each other 40 times in a step, and 24 of 25 problems were solved again.
 */
#include "property/mixed_scene.h"
#include "property/random_scene.h"
#include "world.h"

/* Products of the largest step: it takes 8.5e6, rounds that repeat each other take a multiple.
 */
static const double MOST = 1.3e7;

static void choices_do_not_return(void **state)
{
    (void)state;
    static random_scene s;
    int                 which;
    const char         *model;
    world               w;
    make_mixed(&s, 119, &which, &model);
    open_text(&w, s.text);
    double most = 0;
    for (int k = 0; k < 18; k++) {
        check(&w, ss_step(w.model, w.data, s.step));
        most = fmax(most, ss_data_report(w.data)->work);
    }
    assert_true(most < MOST);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(choices_do_not_return)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
