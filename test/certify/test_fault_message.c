/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with a motion, in words. */
#include "certify/certify.h"
#include "world.h"

/* What is and what is allowed never read alike. */
static void digits_are_as_many_as_it_takes(void **state)
{
    (void)state;
    static const struct {
        double      size, allowed;
        const char *text;
    } cases[] = {
        {0.25, 0.001, "0.25 m inside each other (allowed 0.001 m)"},
        {0.2771602, 0.2771598, "0.2771602 m inside each other (allowed 0.2771598 m)"},
        {1.00000001, 1, "1.00000001 m inside each other (allowed 1 m)"},
    };
    world w;
    open_world(&w, 2, "auto");
    for (int i = 0; i < 2; i++) {
        ss_body_def body = ss_body_def_default();
        body.name        = i == 0 ? "a" : "b";
        body.mass        = 1;
        body.type        = SS_BODY_PARTICLE;
        check(&w, ss_scene_add_body(w.scene, &body, NULL));
    }
    start(&w);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ss_fault fault = {.kind    = SS_FAULT_OVERLAP,
                          .index   = {0, 1},
                          .size    = cases[i].size,
                          .allowed = cases[i].allowed};
        assert_int_equal(ss_fail_motion(w.model, w.data, &fault), SS_ERR_CERTIFICATE);
        if (strstr(ss_context_message(w.ctx), cases[i].text) == NULL) {
            fail_msg("%s", ss_context_message(w.ctx));
        }
    }
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(digits_are_as_many_as_it_takes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
