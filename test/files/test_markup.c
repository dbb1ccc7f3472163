/* SPDX-License-Identifier: Apache-2.0 */
/* Texts from files within XML: whatever bytes they have, what comes out is text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "files/markup.h"
#include "stickslip/output.h"

static const struct {
    const char *text, *expected;
} cases[] = {{"plain", "plain"},
             {NULL, ""},
             {"a < b & c > \"d\"", "a &lt; b &amp; c &gt; &quot;d&quot;"},
             {"]]>", "]]&gt;"},
             {"tab\tand\nline", "tab\tand\nline"},
             {"\x1b[31m", "\xef\xbf\xbd[31m"},
             {"\xce\xbc \xe2\x82\xac \xf0\x9f\x98\x80", "\xce\xbc \xe2\x82\xac \xf0\x9f\x98\x80"},
             {"\xff\xce", "\xef\xbf\xbd\xef\xbf\xbd"},
             {"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},                  /* an overlong zero */
             {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}}; /* half a pair */

static void buffers_hold_text(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ss_buffer b;
        ss_buffer_start(&b, ctx);
        ss_buffer_text(&b, "");
        ss_buffer_markup(&b, cases[i].text);
        assert_int_equal(b.size, strlen(cases[i].expected));
        assert_memory_equal(b.bytes != NULL ? b.bytes : "", cases[i].expected, b.size);
        ss_buffer_release(&b);
    }
    ss_context_destroy(ctx);
}

static void files_hold_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char  *text = NULL;
        size_t size = 0;
        FILE  *out  = open_memstream(&text, &size);
        ss_output_markup(out, cases[i].text);
        assert_int_equal(fclose(out), 0);
        assert_string_equal(text, cases[i].expected);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(buffers_hold_text),
                                       cmocka_unit_test(files_hold_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
