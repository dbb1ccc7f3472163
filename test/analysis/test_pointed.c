/* SPDX-License-Identifier: Apache-2.0 */
/* Pointed cones: closed cases, the proofs that come with the answers, and linear programs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/lp.h"
#include "analysis/pointed.h"

#include "near.h"
#include "random.h"

enum { ROOM = 4096, PIECES = 12, DIM = 8 };

/* What forces in the cones add up to; its size. */
static double sum_of(const ss_cone_sum *K, const double *forces)
{
    double size = 0;
    for (int32_t i = 0; i < K->n; i++) {
        double s = K->load != NULL ? forces[6 * K->count] * K->load->L[i] : 0;
        for (int32_t p = 0; p < K->count; p++) {
            for (int32_t k = 0; k < K->pieces[p].dim; k++) {
                s += forces[6 * p + k] * K->pieces[p].W[k * K->n + i];
            }
        }
        size = fmax(size, fabs(s));
    }
    return size;
}

/* Every force lies in its cone, and together they are not nothing. */
static void check_forces(const ss_cone_sum *K, const double *forces)
{
    double total = K->load != NULL ? forces[6 * K->count] : 0;
    for (int32_t p = 0; p < K->count; p++) {
        const double *f        = forces + 6 * p;
        double        friction = 0;
        for (int32_t k = 1; k < K->pieces[p].dim; k++) {
            friction = hypot(friction, f[k]);
        }
        assert_true(f[0] >= 0);
        assert_true(friction <= K->pieces[p].mu * f[0] * (1 + 1e-9) + 1e-12);
        total += f[0];
    }
    assert_near(total, 1, 1e-9);
    assert_true(sum_of(K, forces) <= 1e-9);
}

/* x.w > 0 for the lowest point of every base. */
static void check_direction(const ss_cone_sum *K, const double *x)
{
    for (int32_t p = 0; p < K->count; p++) {
        const ss_cone_piece *c    = &K->pieces[p];
        double               g[6] = {0}, friction = 0;
        for (int32_t k = 0; k < c->dim; k++) {
            g[k] = 0;
            for (int32_t i = 0; i < K->n; i++) {
                g[k] += x[i] * c->W[k * K->n + i];
            }
            friction = k > 0 ? hypot(friction, g[k]) : 0;
        }
        assert_true(c->polygon != NULL || g[0] > c->mu * friction);
    }
}

static ss_answer ask(const ss_cone_sum *K)
{
    static double work[ROOM], forces[6 * PIECES + 1], direction[DIM];
    assert_true(ss_cone_pointed_work(K->n) <= ROOM);
    ss_answer answer = ss_cone_pointed(K, work, forces, direction);
    if (answer == SS_NO) {
        check_forces(K, forces);
    } else if (answer == SS_YES) {
        check_direction(K, direction);
    }
    return answer;
}

/* A contact in the plane at p with unit normal n: rows (n, p x n), (t, p x t). */
static void planar(double px, double py, double nx, double ny, double W[6])
{
    const double rows[6] = {nx, ny, px * ny - py * nx, -ny, nx, px * nx + py * ny};
    memcpy(W, rows, sizeof rows);
}

/* Two fingers that face each other at an angle: pointed while the line misses a friction cone. */
static void two_fingers(void **state)
{
    (void)state;
    for (int k = 0; k < 200; k++) {
        double        offset    = 0.01 * k, W[2][6];
        const double  mu        = 0.5;
        ss_cone_piece pieces[2] = {{W[0], 2, mu, NULL}, {W[1], 2, mu, NULL}};
        ss_cone_sum   K         = {.n = 3, .count = 2, .pieces = pieces};
        planar(-1, 0, 1, 0, W[0]);
        planar(1, offset, -1, 0, W[1]);
        if (fabs(offset / 2 - mu) > 1e-9) {
            assert_int_equal(ask(&K), offset / 2 < mu ? SS_NO : SS_YES);
        }
    }
}

/* Without friction: two normals at an angle are pointed, three that surround the origin are not. */
static void bare_normals(void **state)
{
    (void)state;
    const double  W[3][2]   = {{1, 0}, {-0.5, 0.8}, {-0.5, -0.8}};
    ss_cone_piece pieces[3] = {{W[0], 1, 0, NULL}, {W[1], 1, 0, NULL}, {W[2], 1, 0, NULL}};
    ss_cone_sum   K         = {.n = 2, .count = 2, .pieces = pieces};
    assert_int_equal(ask(&K), SS_YES);
    K.count = 3;
    assert_int_equal(ask(&K), SS_NO);
    K.count = 0;
    assert_int_equal(ask(&K), SS_YES);
}

/* A ball is what it is: two contacts in space whose line leaves the cone between its corners. */
static void ball_and_polygon(void **state)
{
    (void)state;
    const double turn = 6.28318530717958647692;
    double       corner[4][2];
    ss_polygon   square = {4, corner};
    ss_polygon_corners(4, corner);
    for (int k = 0; k < 64; k++) {
        double angle = turn * k / 64, slope = 0.45, W[2][9] = {{0}};
        /* Only forces: contact 0 pushes along +x, contact 1 back along (-1, slope). */
        double back[3] = {-1, slope * cos(angle), slope * sin(angle)};
        W[0][0] = W[0][4] = W[0][8] = 1;
        memcpy(W[1], back, sizeof back);
        ss_cone_piece pieces[2] = {{W[0], 3, 0.5, NULL}, {W[1], 1, 0, NULL}};
        ss_cone_sum   K         = {.n = 3, .count = 2, .pieces = pieces};
        assert_int_equal(ask(&K), SS_NO);
        pieces[0].mu = 0.44;
        assert_int_equal(ask(&K), SS_YES);
        pieces[0].mu      = 0.5;
        pieces[0].polygon = &square; /* |y| + |z| <= 0.5 */
        bool inside       = slope * (fabs(cos(angle)) + fabs(sin(angle))) <= 0.5;
        assert_int_equal(ask(&K), inside ? SS_NO : SS_YES);
    }
}

/* The polygon's cone by its edges: is there x >= 0, sum x = 1, with sum x_j g_j = 0? */
static ss_lp_outcome by_program(ss_context *ctx, const ss_cone_sum *K)
{
    static double A[(DIM + 1) * PIECES * 16];
    double        low[PIECES * 16], high[PIECES * 16], c[PIECES * 16], side[DIM + 1], value;
    int32_t       cols = 0, rows = K->n + 1;
    for (int32_t p = 0; p < K->count; p++) {
        const ss_cone_piece *piece = &K->pieces[p];
        for (int32_t j = 0; j < piece->polygon->count; j++, cols++) {
            for (int32_t i = 0; i < K->n; i++) {
                A[i + cols * rows] =
                    piece->W[i] +
                    piece->mu * (piece->polygon->corner[j][0] * piece->W[K->n + i] +
                                 piece->polygon->corner[j][1] * piece->W[2 * K->n + i]);
            }
            A[K->n + cols * rows] = 1;
            low[cols]             = 0;
            high[cols]            = INFINITY;
            c[cols]               = 0;
        }
    }
    memset(side, 0, sizeof side);
    side[K->n] = 1;
    ss_lp *lp;
    if (ss_lp_create(ctx, rows, cols, A, side, side, low, high, &lp) != SS_OK) {
        return SS_LP_FAILED;
    }
    ss_lp_outcome outcome = ss_lp_minimise(lp, c, &value, NULL);
    ss_lp_destroy(lp);
    return outcome;
}

/* Random cones in 6 dimensions: the same verdict as a linear program, and both verdicts happen. */
static void as_linear_programs(void **state)
{
    (void)state;
    ss_context *ctx  = ss_context_create(NULL);
    uint64_t    seed = 7;
    double      corner[8][2];
    ss_polygon  polygon  = {8, corner};
    int         count[3] = {0};
    ss_polygon_corners(8, corner);
    for (int trial = 0; trial < 400; trial++) {
        double        W[PIECES][3 * 6];
        ss_cone_piece pieces[PIECES];
        ss_cone_sum   K = {.n = 6, .count = 3 + trial % (PIECES - 2), .pieces = pieces};
        for (int32_t p = 0; p < K.count; p++) {
            for (int i = 0; i < 18; i++) {
                W[p][i] = random_between(&seed, -1, 1);
            }
            pieces[p] = (ss_cone_piece){W[p], 3, 0.5, &polygon};
        }
        ss_answer     answer  = ask(&K);
        ss_lp_outcome outcome = by_program(ctx, &K);
        if (outcome == SS_LP_FAILED) {
            ss_context_destroy(ctx);
            print_message("[  SKIPPED ] this build has no LP solver (CLP)\n");
            skip();
        }
        count[answer]++;
        assert_int_equal(answer, outcome == SS_LP_OPTIMAL ? SS_NO : SS_YES);
    }
    assert_true(count[SS_NO] > 50 && count[SS_YES] > 50 && count[SS_UNDECIDED] == 0);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_fingers),
        cmocka_unit_test(bare_normals),
        cmocka_unit_test(ball_and_polygon),
        cmocka_unit_test(as_linear_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
