/* SPDX-License-Identifier: Apache-2.0 */
/* Problem files: what they hold, written and read again, and what is said of broken ones. */
#include <dirent.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "counted.h"
#include "problemfile/triplets.h"
#include "stickslip/problem_file.h"

#define PROBLEMS "problems/"

static const char *const samples[] = {
    "lcp_dense.dat",     "lcp_triplets.dat",   "lcp_columns.dat",   "lcp_blocks.dat",
    "lcp_lines.txt",     "relay.dat",          "mlcp_singular.dat", "mlcp_parts.dat",
    "fc2d_dense.dat",    "fc2d_blocks.dat",    "fc3d_dense.dat",    "fc3d_blocks.dat",
    "fc3d.npz",          "gfc2d_triplets.dat", "rolling3d.dat",     "mechanical.dat",
#ifdef SS_HAVE_ZLIB
    "fc3d_deflated.npz",
#endif
#ifdef SS_HAVE_HDF5
    "fc3d_fclib.hdf5",   "gfc3d_fclib.hdf5",   "cone_kinds.hdf5",
#endif
};
enum { SAMPLES = (int)(sizeof samples / sizeof samples[0]) };

/* ---- helpers ---- */

static ss_context *ctx;

static int setup(void **state)
{
    (void)state;
    ctx = ss_context_create(NULL);
    return ctx == NULL;
}

static int teardown(void **state)
{
    (void)state;
    ss_context_destroy(ctx);
    return 0;
}

static const char *sample_path(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, PROBLEMS "%s", name);
    return path;
}

static ss_problem_file *read_file(const char *path, const char *format)
{
    ss_problem_file *file;
    ss_status        status = ss_problem_file_read(ctx, path, format, &file);
    if (status != SS_OK) {
        fail_msg("%s: %s", path, ss_context_message(ctx));
    }
    return file;
}

static void expect_error(const char *text, const char *format, const char *message)
{
    ss_problem_file *file = (ss_problem_file *)1;
    ss_status status      = ss_problem_file_parse(ctx, "x.dat", text, strlen(text), format, &file);
    assert_int_not_equal(status, SS_OK);
    assert_null(file);
    assert_string_equal(ss_context_message(ctx), message);
}

/* The planted answer beside a problem, moved from the file's order to the problem's. */
static int32_t planted(const char *name, const ss_stored_problem *p, double *z)
{
    char path[300];
    snprintf(path, sizeof path, PROBLEMS "%s.solution", name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    int32_t n = 0;
    double  x;
    while (fscanf(f, "%lf", &x) == 1) {
        assert_true(n < ss_problem_size(&p->problem));
        z[p->order != NULL ? p->order[n] : n] = x;
        n++;
    }
    fclose(f);
    return n;
}

/* M v = H r + f by elimination, for the small global problems here. */
static void velocities(const ss_cone *c, const double *r, double *v)
{
    enum { MAX = 16 };
    double A[MAX][MAX + 1];
    int    n = c->nv;
    assert_true(n <= MAX);
    for (int i = 0; i < n; i++) {
        A[i][n] = c->f[i];
        for (int j = 0; j < n; j++) {
            A[i][j] = ss_matrix_at(&c->M, i, j);
        }
        for (int j = 0; j < c->n; j++) {
            A[i][n] += ss_matrix_at(&c->H, i, j) * r[j];
        }
    }
    for (int k = 0; k < n; k++) { /* M is positive definite: no pivoting */
        for (int i = k + 1; i < n; i++) {
            double factor = A[i][k] / A[k][k];
            for (int j = k; j <= n; j++) {
                A[i][j] -= factor * A[k][j];
            }
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        v[k] = A[k][n];
        for (int j = k + 1; j < n; j++) {
            v[k] -= A[k][j] * v[j];
        }
        v[k] /= A[k][k];
    }
}

static double residual_of(const ss_problem *p, const double *z)
{
    double  v[16] = {0};
    double *work  = malloc((ss_residual_work(p) + 1) * sizeof *work);
    if (ss_problem_size_v(p) > 0) {
        velocities(&p->as.cone, z, v);
    }
    double residual = ss_residual(p, z, v, work);
    free(work);
    return residual;
}

/* ---- tests ---- */

/* Every sample is the problem that it was planted as: its known answer solves what was read. */
static void test_samples_hold_their_planted_answers(void **state)
{
    (void)state;
    for (int k = 0; k < SAMPLES; k++) {
        ss_problem_file         *file = read_file(sample_path(samples[k]), NULL);
        const ss_stored_problem *p    = ss_problem_file_content(file);
        double                   z[32];
        assert_int_equal(planted(samples[k], p, z), ss_problem_size(&p->problem));
        double residual = residual_of(&p->problem, z);
        if (!(residual < 1e-13)) {
            fail_msg("%s: the planted answer has residual %g", samples[k], residual);
        }
        z[0] += 0.01;
        assert_true(residual_of(&p->problem, z) > 1e-4); /* and a wrong one does not */
        ss_problem_file_destroy(file);
    }
}

static void expect_format(const char *name, const char *format)
{
    ss_problem_file *file = read_file(sample_path(name), NULL);
    assert_string_equal(ss_problem_file_format(file)->name, format);
    ss_problem_file_destroy(file);
}

static void test_formats_are_told_by_content(void **state)
{
    (void)state;
    expect_format("lcp_dense.dat", "siconos-lcp");
    expect_format("relay.dat", "siconos-relay");
    expect_format("mlcp_singular.dat", "siconos-mlcp");
    expect_format("mlcp_parts.dat", "siconos-mlcp");
    expect_format("fc2d_blocks.dat", "siconos-fc");
    expect_format("gfc2d_triplets.dat", "siconos-gfc");
    expect_format("rolling3d.dat", "siconos-rolling");
    expect_format("mechanical.dat", "siconos-gmp");
    expect_format("lcp_lines.txt", "yamanishi");
    expect_format("fc3d.npz", "npz");
#ifdef SS_HAVE_HDF5
    expect_format("fc3d_fclib.hdf5", "fclib");
    expect_format("cone_kinds.hdf5", "stickslip");
#endif
}

/* Dense matrices are stored column after column: row-wise reading would transpose them. */
static void test_dense_matrices_are_column_major(void **state)
{
    (void)state;
    ss_problem_file *file = read_file(PROBLEMS "lcp_dense.dat", NULL);
    const ss_lcp    *lcp  = &ss_problem_file_content(file)->problem.as.lcp;
    assert_true(ss_matrix_at(&lcp->M, 0, 1) == 1 && ss_matrix_at(&lcp->M, 1, 0) == 2);
    ss_problem_file_destroy(file);
}

static void test_npz_rows_are_moved_and_the_order_is_known(void **state)
{
    (void)state;
    static const int32_t     order[] = {1, 2, 0, 4, 5, 3, 7, 8, 6};
    ss_problem_file         *npz     = read_file(PROBLEMS "fc3d.npz", NULL);
    ss_problem_file         *dat     = read_file(PROBLEMS "fc3d_dense.dat", NULL);
    const ss_stored_problem *p       = ss_problem_file_content(npz);
    const ss_cone *a = &p->problem.as.cone, *b = &ss_problem_file_content(dat)->problem.as.cone;
    assert_memory_equal(p->order, order, sizeof order);
    for (int32_t i = 0; i < 9; i++) {
        assert_true(a->q[i] == b->q[i]);
        for (int32_t j = 0; j < 9; j++) {
            assert_true(ss_matrix_at(&a->W, i, j) == ss_matrix_at(&b->W, i, j));
        }
    }
    ss_problem_file_destroy(npz);
    ss_problem_file_destroy(dat);
}

/* What the headers of an archive say must agree before anything is unpacked. */
static void test_npz_that_contradicts_itself_is_not_unpacked(void **state)
{
    (void)state;
    static const char path[]  = "test/problemfile/files/larger_matrix.npz"; /* G takes 18 MB */
    counter           c       = {0};
    ss_context       *counted = counted_context(&c);
    ss_problem_file  *file    = NULL;
    assert_int_equal(ss_problem_file_read(counted, path, NULL, &file), SS_ERR_INPUT);
    assert_non_null(
        strstr(ss_context_message(counted), "array 'G': expected 81 numbers, got 2250000"));
    assert_in_range(c.most, 1, 1 << 20);
    ss_context_destroy(counted);
    assert_int_equal(c.bytes, 0);
}

static bool same_matrix(const ss_matrix *a, const ss_matrix *b)
{
    bool same = a->rows == b->rows && a->cols == b->cols;
    for (int32_t j = 0; same && j < a->cols; j++) {
        for (int32_t i = 0; i < a->rows; i++) {
            same = same && ss_matrix_at(a, i, j) == ss_matrix_at(b, i, j);
        }
    }
    return same;
}

static bool same_vector(const double *a, const double *b, int32_t n)
{
    return (a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, (size_t)n * sizeof *a) == 0);
}

static bool same_cone(const ss_cone *a, const ss_cone *b)
{
    bool same = a->n == b->n && a->nblocks == b->nblocks && a->nv == b->nv &&
                same_vector(a->q, b->q, a->n) && same_vector(a->axes, b->axes, a->n);
    for (int32_t k = 0; same && k < a->nblocks; k++) {
        const ss_block *x = &a->blocks[k], *y = &b->blocks[k];
        same = x->kind == y->kind && x->start == y->start && x->dim == y->dim && x->mu == y->mu &&
               x->bound == y->bound;
    }
    if (a->nv == 0) {
        return same && same_matrix(&a->W, &b->W);
    }
    return same && same_matrix(&a->M, &b->M) && same_matrix(&a->H, &b->H) &&
           same_vector(a->f, b->f, a->nv);
}

/* F at a few points says whether two affine mcps are the same. */
static bool same_mcp(const ss_mcp *a, const ss_mcp *b)
{
    double z[8], x[8], y[8];
    bool   same = a->n == b->n && a->n <= 8 && same_vector(a->lower, b->lower, a->n) &&
                same_vector(a->upper, b->upper, a->n);
    for (int point = 0; same && point <= a->n; point++) {
        for (int i = 0; i < a->n; i++) {
            z[i] = i == point;
        }
        a->function(a->user, z, x);
        b->function(b->user, z, y);
        same = memcmp(x, y, (size_t)a->n * sizeof *x) == 0;
    }
    return same;
}

static bool same_problem(const ss_problem *a, const ss_problem *b)
{
    if (a->type != b->type) {
        return false;
    }
    switch (a->type) {
    case SS_LCP:
        return same_matrix(&a->as.lcp.M, &b->as.lcp.M) &&
               same_vector(a->as.lcp.q, b->as.lcp.q, a->as.lcp.n);
    case SS_MLCP:
        return same_matrix(&a->as.mlcp.M, &b->as.mlcp.M) &&
               same_vector(a->as.mlcp.q, b->as.mlcp.q, a->as.mlcp.n) &&
               memcmp(a->as.mlcp.free, b->as.mlcp.free, (size_t)a->as.mlcp.n) == 0;
    case SS_MCP:
        return same_mcp(&a->as.mcp, &b->as.mcp);
    case SS_CONE:
        return same_cone(&a->as.cone, &b->as.cone);
    }
    return false;
}

/* Every sample in every format that takes it, written and read again, to the last bit. */
static void test_what_is_written_is_read_again(void **state)
{
    (void)state;
    char path[64];
    int  trips = 0;
    snprintf(path, sizeof path, "/tmp/stickslip-problem-%ld", (long)getpid());
    for (int k = 0; k < SAMPLES; k++) {
        ss_problem_file         *file = read_file(sample_path(samples[k]), NULL);
        const ss_stored_problem *p    = ss_problem_file_content(file);
        for (int32_t i = 0; i < ss_problem_format_count(); i++) {
            const char *format = ss_problem_format_at(i)->name;
            ss_status   status = ss_problem_file_write(ctx, p, path, format);
            if (status != SS_OK) {
                assert_int_equal(status, SS_ERR_UNSUPPORTED);
                continue;
            }
            ss_problem_file *again = read_file(path, NULL);
            assert_string_equal(ss_problem_file_format(again)->name, format);
            if (!same_problem(&p->problem, &ss_problem_file_content(again)->problem)) {
                fail_msg("%s written as %s is another problem", samples[k], format);
            }
            ss_problem_file_destroy(again);
            trips++;
        }
        ss_problem_file_destroy(file);
    }
    unlink(path);
#ifdef SS_HAVE_HDF5 /* or there is no format that takes them all */
    assert_true(trips >= SAMPLES);
#endif
    assert_true(trips > 0);
}

#ifdef SS_HAVE_HDF5
static void test_solutions_titles_and_guesses_are_kept(void **state)
{
    (void)state;
    static const double guess[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    char                path[64];
    snprintf(path, sizeof path, "/tmp/stickslip-kept-%ld", (long)getpid());
    ss_problem_file  *file = read_file(PROBLEMS "cone_kinds.hdf5", NULL);
    ss_stored_problem p    = *ss_problem_file_content(file);
    assert_string_equal(p.title, "every kind of block");
    assert_true(p.z != NULL && p.z[0] == 1.5);
    p.guess_z = guess;
    assert_int_equal(ss_problem_file_write(ctx, &p, path, "stickslip"), SS_OK);
    ss_problem_file         *again = read_file(path, NULL);
    const ss_stored_problem *q     = ss_problem_file_content(again);
    assert_string_equal(q->title, p.title);
    assert_memory_equal(q->z, p.z, 8 * sizeof(double));
    assert_memory_equal(q->guess_z, guess, sizeof guess);
    ss_problem_file_destroy(again);
    ss_problem_file_destroy(file);
    unlink(path);
}

static void test_fclib_surprises(void **state)
{
    (void)state;
    ss_problem_file         *file = read_file(PROBLEMS "gfc3d_fclib.hdf5", NULL);
    const ss_stored_problem *p    = ss_problem_file_content(file);
    const ss_cone           *c    = &p->problem.as.cone;
    assert_true(ss_matrix_at(&c->M, 1, 0) ==
                ss_matrix_at(&c->M, 0, 1)); /* the upper triangle was mirrored  */
    assert_true(ss_matrix_at(&c->M, 0, 1) != 0);
    assert_null(p->z);                                      /* all zero: a place-holder         */
    assert_int_equal(c->blocks[3].kind, SS_BLOCK_EQUALITY); /* G became an equality row        */
    assert_int_equal(c->n, 10);
    ss_problem_file_destroy(file);
    file = read_file(PROBLEMS "fc3d_fclib.hdf5", NULL);
    p    = ss_problem_file_content(file);
    assert_true(p->z != NULL && p->z[0] == 2);
    ss_problem_file_destroy(file);
}
#else
static void test_a_build_without_hdf5_says_so(void **state)
{
    (void)state;
    ss_problem_file *file;
    assert_int_equal(ss_problem_file_read(ctx, PROBLEMS "fc3d_fclib.hdf5", NULL, &file),
                     SS_ERR_UNSUPPORTED);
    assert_non_null(strstr(ss_context_message(ctx), "HDF5 library, which this one lacks"));
}
#endif

static void test_broken_texts_say_where_and_what(void **state)
{
    (void)state;
    expect_error("", NULL, "x.dat:1: this is none of the known problem file formats");
    expect_error("hello", NULL, "x.dat:1: this is none of the known problem file formats");
    expect_error("2\n0\n2\n2\n2 2\n1 2\n3 four\n1 1\n", NULL,
                 "x.dat:7: expected number 4 of 4 of the matrix M, got 'four'");
    expect_error("2\n0\n2\n2\n2 2\n1 2 3 nan\n1 1\n", NULL,
                 "x.dat:6: expected number 4 of 4 of the matrix M, got 'nan'");
    expect_error("2\n0\n2\n2\n2 3\n1 2 3 4\n1 1\n", NULL,
                 "x.dat:5: expected the number of columns once more (2), got '3'");
    expect_error("2\n0\n2\n2\n2 2\n1 2 3 4\n1", NULL,
                 "x.dat:6: the vector q needs 2 numbers, but only 2 characters are left");
    expect_error(
        "100000\n0\n100000\n100000\n100000 100000\n1 2 3", NULL,
        "x.dat:3: the number of rows is 100000, more than a file of 42 characters can hold");
    expect_error("3\n2\n0\n6\n6\n6 6\n1\n", NULL,
                 "x.dat:6: the matrix W needs 36 numbers, but only 3 characters are left");
    expect_error("3\n2\n3\n3\n1\nbanner\nno header\n", "siconos-lcp",
                 "x.dat:7: expected a line '3-by-3, nzmax: ... nnz: ...' before the matrix M");
    expect_error("1 0 1 1 0 2 0 1 0 2 2 2 2 1 0 0 1 1 1", NULL,
                 "x.dat:1: expected blocks with 1 equalities, got 2");
    expect_error("0\t0\t1\nq\t0\t1\n7\t0\t1\n", NULL,
                 "x.dat:1: index 7 occurs, but there are only 1 lines 'q<TAB>index<TAB>value'");
    expect_error("2\n1\n0\n2\n2\n2 2\n1 0 0 1\n1 1\n-0.5\n", NULL,
                 "x.dat: block 0: mu must be >= 0, got -0.5");
}

/* Every file cut off at every byte: an error or a problem, never a crash, and never a leak. */
static void test_files_cut_short(void **state)
{
    (void)state;
    static char bytes[65536];
    for (int k = 0; k < SAMPLES; k++) {
        FILE *f = fopen(sample_path(samples[k]), "rb");
        assert_non_null(f);
        size_t size = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        size_t stride = size > 2000 ? size / 300 : 1;
        for (size_t cut = 0; cut < size; cut += stride) {
            char *exact = malloc(cut + 1); /* so that reading too far is seen by sanitizers */
            memcpy(exact, bytes, cut);
            ss_problem_file *file;
            ss_problem_file_parse(ctx, "cut", exact, cut, NULL, &file);
            ss_problem_file_destroy(file);
            free(exact);
        }
    }
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    for (int k = 0; k < SAMPLES; k++) {
        bool refused = true;
        for (int n = 2; refused; n++) { /* the first one makes the context */
            counter          c   = {.refuse = n};
            ss_context      *own = counted_context(&c);
            ss_problem_file *file;
            ss_status status = ss_problem_file_read(own, sample_path(samples[k]), NULL, &file);
            refused          = was_refused(&c);
            assert_int_equal(status, refused ? SS_ERR_MEMORY : SS_OK);
            ss_problem_file_destroy(file);
            ss_context_destroy(own);
            assert_int_equal(c.bytes, 0);
        }
    }
}

/* A program that speaks a language with decimal commas still reads and writes points. */
static void test_numbers_do_not_depend_on_the_language(void **state)
{
    (void)state;
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
        print_message("SKIPPED: there is no de_DE.UTF-8 locale on this machine\n");
        skip();
    }
    ss_problem_file *file = read_file(PROBLEMS "fc2d_dense.dat", NULL);
    assert_true(ss_problem_file_content(file)->problem.as.cone.blocks[0].mu == 0.5);
    ss_problem_file_destroy(file);
    setlocale(LC_ALL, "C");
}

/* Collected problems of other people, where they are at hand. */
static void test_collected_problems_are_read(void **state)
{
    (void)state;
    static const char *const folders[] = {
        "siconos_lcp",     "derived_lcp", "yamanishi_lcp", "siconos_mlcp", "siconos_fc2d",
        "siconos_fc3d",    "siconos_gfc", "siconos_relay", "siconos_gmp",  "siconos_rolling",
#ifdef SS_HAVE_HDF5
        "fclib_hdf5",
#endif
        "contactbench_npz"};
    int read = 0;
    for (size_t k = 0; k < sizeof folders / sizeof folders[0]; k++) {
        char path[600];
        snprintf(path, sizeof path, "../shared/problems/%s", folders[k]);
        DIR *dir = opendir(path);
        if (dir == NULL) {
            continue;
        }
        for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
            if (e->d_name[0] == '.' || strstr(e->d_name, ".md") != NULL) {
                continue;
            }
            snprintf(path, sizeof path, "../shared/problems/%s/%s", folders[k], e->d_name);
            ss_problem_file_destroy(read_file(path, NULL));
            read++;
        }
        closedir(dir);
    }
    if (read == 0) {
        print_message("SKIPPED: there are no collected problems at ../shared/problems\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_hold_their_planted_answers),
        cmocka_unit_test(test_formats_are_told_by_content),
        cmocka_unit_test(test_dense_matrices_are_column_major),
        cmocka_unit_test(test_npz_rows_are_moved_and_the_order_is_known),
        cmocka_unit_test(test_npz_that_contradicts_itself_is_not_unpacked),
        cmocka_unit_test(test_what_is_written_is_read_again),
#ifdef SS_HAVE_HDF5
        cmocka_unit_test(test_solutions_titles_and_guesses_are_kept),
        cmocka_unit_test(test_fclib_surprises),
#else
        cmocka_unit_test(test_a_build_without_hdf5_says_so),
#endif
        cmocka_unit_test(test_broken_texts_say_where_and_what),
        cmocka_unit_test(test_files_cut_short),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_numbers_do_not_depend_on_the_language),
        cmocka_unit_test(test_collected_problems_are_read),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
