/* SPDX-License-Identifier: Apache-2.0 */
/* Plots as SVG: well-formed, with every curve, gaps where values are missing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "stickslip/plot.h"

static const char path[] = "test_plot.svg";

static char *draw(const ss_plot *plots, int32_t count)
{
    ss_context *ctx  = ss_context_create(NULL);
    char       *text = calloc(1, 1 << 20);
    assert_int_equal(ss_plot_write(ctx, plots, count, path), SS_OK);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    unlink(path);
    ss_context_destroy(ctx);
    return text;
}

static int count_of(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part)) {
        n++;
    }
    return n;
}

static void curves_labels_and_escapes(void **unused)
{
    (void)unused;
    const double   x[] = {0, 1, 2, 3}, y[] = {0, 1, 4, 9}, z[] = {9, 4, 1, 0};
    const ss_curve curves[] = {{"rise", x, y, 4}, {"fall & <rest>", x, z, 4}};
    const ss_plot  plot     = {.title = "t<1 & more", .curves = curves, .curve_count = 2};
    char          *text     = draw(&plot, 1);
    assert_int_equal(count_of(text, "class=\"curve\""), 4); /* two curves, two legend marks */
    assert_non_null(strstr(text, "t&lt;1 &amp; more"));
    assert_non_null(strstr(text, "fall &amp; &lt;rest&gt;"));
    assert_null(strstr(text, "nan"));
    assert_non_null(strstr(text, "</svg>"));
    free(text);
}

static void missing_values_make_gaps(void **unused)
{
    (void)unused;
    const double x[] = {0, 1, 2, 3, 4}, y[] = {1, 10, NAN, 100, 1000},
                 bad[] = {1, 10, -5, 100, 1000};
    const ss_curve gap = {"gap", x, y, 5}, negative = {"negative", x, bad, 5};
    const ss_plot  plots[] = {{.curves = &gap, .curve_count = 1, .log_y = true},
                              {.curves = &negative, .curve_count = 1, .log_y = true}};
    char          *text    = draw(plots, 2);
    assert_null(strstr(text, "nan"));
    assert_non_null(strstr(text, ">100<"));
    assert_int_equal(count_of(text, "</svg>"), 1);
    /* each curve is drawn in two pieces: its path has two M commands */
    const char *curve = strstr(text, "\" stroke=\"#0072b2\" class=\"curve\"/>");
    assert_non_null(curve);
    int moves = 0;
    for (const char *c = curve; c > text && *c != '<'; c--) {
        moves += *c == 'M';
    }
    assert_int_equal(moves, 2);
    free(text);
}

static void flat_and_empty_curves_have_axes(void **unused)
{
    (void)unused;
    const double   x[] = {0, 1}, zero[] = {0, 0};
    const ss_curve flat = {"flat", x, zero, 2}, empty = {"empty", x, zero, 0};
    const ss_plot  plots[] = {{.curves = &flat, .curve_count = 1},
                              {.curves = &empty, .curve_count = 1}};
    char          *text    = draw(plots, 2);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    assert_true(count_of(text, "class=\"grid\"") >= 8);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_labels_and_escapes),
        cmocka_unit_test(missing_values_make_gaps),
        cmocka_unit_test(flat_and_empty_curves_have_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
