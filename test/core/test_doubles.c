/* SPDX-License-Identifier: Apache-2.0 */
/* Names that are there twice, in lists of any length; what messages may not do to a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "core/doubles.h"

typedef struct thing {
    double      before;
    const char *name;
} thing;

static int32_t first_double(const thing *things, int32_t count)
{
    ss_context *ctx = ss_context_create(NULL);
    int32_t     found;
    assert_int_equal(SS_OK, ss_first_double(ctx, count > 0 ? &things[0].name : NULL, sizeof *things,
                                            count, &found));
    ss_context_destroy(ctx);
    return found;
}

static void first_in_order_of_the_list(void **state)
{
    (void)state;
    const thing things[] = {{0, "b"},  {0, "a"}, {0, NULL}, {0, "c"},
                            {0, NULL}, {0, "c"}, {0, "a"},  {0, "c"}};
    assert_int_equal(first_double(things, 0), -1);
    assert_int_equal(first_double(things, 1), -1);
    assert_int_equal(first_double(things, 5), -1);
    assert_int_equal(first_double(things, 6), 5);
    assert_int_equal(first_double(things, 8), 5);
    assert_int_equal(first_double(things + 1, 6), 4);
}

/* 200 000 names take 4e10 comparisons of each with each. */
static void long_lists(void **state)
{
    enum { COUNT = 200000 };
    (void)state;
    static char  text[COUNT][8];
    static thing things[COUNT];
    for (int i = 0; i < COUNT; i++) {
        snprintf(text[i], sizeof text[i], "%d", i);
        things[i].name = text[i];
    }
    assert_int_equal(first_double(things, COUNT), -1);
    things[COUNT - 1].name = "7";
    assert_int_equal(first_double(things, COUNT), COUNT - 1);
}

/* Controls, C1 in UTF-8, and what turns the direction of writing or ends lines; letters stay. */
static void messages_are_escaped(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    (void)ss_fail(ctx, SS_ERR_INPUT, "%s",
                  "a\x1b[2J\xc2\x9b"
                  "b\xe2\x80\xae"
                  "c\xe2\x81\xa6"
                  "d\xe2\x80\xa8"
                  "e\xd8\x9c"
                  "f\xef\xbb\xbf"
                  "g \xc3\xa9 \xe2\x82\xac \xe2\x80\x94 \xe2");
    assert_string_equal(ss_context_message(ctx),
                        "a\\x1b[2J\\x9bb\\u202ec\\u2066d\\u2028e\\u061cf\\ufeffg "
                        "\xc3\xa9 \xe2\x82\xac \xe2\x80\x94 \xe2");
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_in_order_of_the_list),
        cmocka_unit_test(long_lists),
        cmocka_unit_test(messages_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
