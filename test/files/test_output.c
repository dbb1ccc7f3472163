/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are read and written: what was read is not written to, links are not followed, whole
 * rows of a table that failed stay. */
#define _XOPEN_SOURCE 700 /* mkdtemp, symlink; NOLINT(bugprone-reserved-identifier) */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stickslip/output.h"
#include "stickslip/scene_file.h"
#include "world.h"

static char folder[64];

static int enter(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/stickslip-test-XXXXXX");
    return mkdtemp(folder) != NULL ? chdir(folder) : -1;
}

static int leave(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") == 0 ? system(command) : -1;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void has(const char *path, const char *text)
{
    char  got[256] = "";
    FILE *f        = fopen(path, "r");
    assert_non_null(f);
    got[fread(got, 1, sizeof got - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(got, text);
}

static void one_file_under_two_names(void **state)
{
    (void)state;
    put("a", "x");
    assert_int_equal(mkdir("sub", 0700), 0);
    assert_int_equal(link("a", "b"), 0);
    assert_true(ss_output_same("a", "b"));
    assert_true(ss_output_same("a", "./sub/../a"));
    assert_true(ss_output_same("new", "sub/../new"));
    assert_false(ss_output_same("new", "sub/new"));
    assert_false(ss_output_same("new", "other"));
    assert_false(ss_output_same("a", "new"));
    assert_false(ss_output_same("/dev/null", "/dev/null"));
}

static const char scene_text[] = "bodies: [{name: ball, type: dynamic, mass: 1, shape: {sphere: "
                                 "{radius: 1}}}]\n";

/* A program decides whether it keeps its inputs; those that do not may write where they read. */
static void inputs_are_kept_where_asked(void **state)
{
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        ss_context     *ctx   = ss_context_create(NULL);
        ss_scene       *scene = NULL;
        ss_output_file *out   = NULL;
        put("scene.yaml", scene_text);
        assert_int_equal(keep != 0 ? ss_context_keep_inputs(ctx) : SS_OK, SS_OK);
        assert_int_equal(ss_output_test(ctx, "scene.yaml"), SS_OK);
        assert_int_equal(ss_scene_load(ctx, "scene.yaml", NULL, 0, &scene), SS_OK);
        ss_scene_destroy(scene);
        unlink("other");
        assert_int_equal(link("scene.yaml", "other"), 0);
        assert_int_equal(ss_output_test(ctx, "other"), keep != 0 ? SS_ERR_INPUT : SS_OK);
        assert_int_equal(ss_output_open(ctx, "scene.yaml", &out), keep != 0 ? SS_ERR_INPUT : SS_OK);
        if (keep != 0) {
            assert_non_null(strstr(ss_context_message(ctx), "scene.yaml: is a file that is read"));
        }
        assert_int_equal(ss_output_close(out, SS_OK), SS_OK);
        has("scene.yaml", keep != 0 ? scene_text : "");
        ss_context_destroy(ctx);
    }
}

static void links_are_not_followed(void **state)
{
    ss_context     *ctx = ss_context_create(NULL);
    ss_output_file *out = NULL;
    (void)state;
    put("victim", "mine");
    assert_int_equal(symlink("victim", "link"), 0);
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    assert_int_equal(ss_output_open(ctx, "link", &out), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(ctx), "link: is a link"));
    assert_int_equal(ss_output_open(ctx, "dangling", &out), SS_ERR_INPUT);
    assert_int_equal(ss_output_open(ctx, "/dev/null", &out), SS_OK); /* there is nothing to lose */
    assert_int_equal(ss_output_close(out, SS_OK), SS_OK);
    has("victim", "mine");
    assert_int_equal(access("nowhere", F_OK), -1);
    ss_context_destroy(ctx);
}

/* What is left of NAME; *found: how many files. */
static void parts_of(const char *pattern, glob_t *g)
{
    int code = glob(pattern, 0, NULL, g);
    assert_true(code == 0 || code == GLOB_NOMATCH);
}

static void rows_of_a_table_stay(void **state)
{
    static const struct {
        const char *written, *kept; /* NULL: nothing */
    } cases[]       = {{"t,x\n0,1\n1,2\n2,", "t,x\n0,1\n1,2\n"}, {"t,x\n", NULL}, {"t", NULL}};
    ss_context *ctx = ss_context_create(NULL);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ss_output_file *out = NULL;
        glob_t          g   = {0};
        assert_int_equal(ss_output_open(ctx, "t.csv", &out), SS_OK);
        fputs(cases[i].written, ss_output_stream(out));
        assert_int_equal(ss_output_close_table(out, SS_ERR_IO), SS_ERR_IO);
        assert_int_equal(access("t.csv", F_OK), -1);
        assert_int_equal(access("t.csv.lock", F_OK), -1);
        parts_of("t.csv.*", &g);
        assert_int_equal(g.gl_pathc, cases[i].kept != NULL ? 1 : 0);
        if (cases[i].kept != NULL) {
            has(g.gl_pathv[0], cases[i].kept);
            unlink(g.gl_pathv[0]);
        }
        globfree(&g);
    }
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_file_under_two_names, enter, leave),
        cmocka_unit_test_setup_teardown(inputs_are_kept_where_asked, enter, leave),
        cmocka_unit_test_setup_teardown(links_are_not_followed, enter, leave),
        cmocka_unit_test_setup_teardown(rows_of_a_table_stay, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
