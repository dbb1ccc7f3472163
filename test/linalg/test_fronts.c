/* SPDX-License-Identifier: Apache-2.0 */
/* fronts: random sums of elements against dense LU; fill where there need be none; singular ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/fronts.h"
#include "random.h"
#include "stickslip/base.h"

enum { NODES = 40, ELEMENTS = 4 * NODES, WIDE = 3, LARGEST = 7, COORDS = NODES * LARGEST };

/* A matrix as elements, and the same dense. */
typedef struct sum {
    int32_t         start[NODES + 1], first[ELEMENTS + 1], member[ELEMENTS * WIDE];
    ss_fronts_shape shape;
    ss_arena        arena;
    ss_fronts       fronts;
    double          dense[COORDS * COORDS];
    int32_t         n;
} sum;

static int32_t pick(uint64_t *seed, int32_t count)
{
    return (int32_t)(random_bits(seed) % (uint64_t)count);
}

/* Every node has an element of its own, the others join two or three near one another. */
static void draw_shape(sum *s, uint64_t *seed, int32_t nodes, int32_t elements, int32_t size)
{
    int32_t to = 0;
    for (int32_t k = 0; k < nodes; k++) {
        s->start[k + 1] = s->start[k] + (size > 0 ? size : 1 + pick(seed, LARGEST));
    }
    for (int32_t e = 0; e < elements; e++) {
        int32_t base = e < nodes ? e : pick(seed, nodes), count = e < nodes ? 1 : 2 + pick(seed, 2);
        s->first[e] = to;
        for (int32_t i = 0; i < count; i++) {
            s->member[to++] = (base + i * (1 + pick(seed, 3))) % nodes;
            for (int32_t j = s->first[e]; j < to - 1; j++) {
                to -= s->member[j] == s->member[to - 1]; /* each node once */
            }
        }
    }
    s->first[elements] = to;
    s->n               = s->start[nodes];
    s->shape           = (ss_fronts_shape){nodes, elements, s->start, s->first, s->member};
}

static void plan(ss_context *ctx, sum *s)
{
    while (ss_fronts_plan(&s->fronts, &s->shape, &s->arena) == SS_FRONTS_SCRATCH) {
        assert_int_equal(ss_arena_grow(ctx, &s->arena), SS_OK);
        ss_arena_reset(&s->arena);
    }
    ss_fronts_reset(&s->fronts);
    memset(s->dense, 0, sizeof s->dense);
}

/* Values between -1 and 1, and `diagonal` on the diagonal of the elements of single nodes. */
static void add_element(sum *s, uint64_t *seed, int32_t e, double diagonal)
{
    ss_fronts_target t     = ss_fronts_element(&s->fronts, &s->shape, e);
    int32_t          count = s->first[e + 1] - s->first[e];
    const int32_t   *node  = s->member + s->first[e];
    for (int32_t b = 0; b < count; b++) {
        for (int32_t j = 0; j < s->start[node[b] + 1] - s->start[node[b]]; j++) {
            double *column = t.origin + (size_t)(t.place[b] + j) * t.stride;
            for (int32_t a = 0; a < count; a++) {
                for (int32_t i = 0; i < s->start[node[a] + 1] - s->start[node[a]]; i++) {
                    bool   on = count == 1 && i == j;
                    double x  = random_between(seed, -1, 1) + (on ? diagonal : 0);
                    column[t.place[a] + i] += x;
                    s->dense[(size_t)(s->start[node[b]] + j) * COORDS +
                             (size_t)(s->start[node[a]] + i)] += x;
                }
            }
        }
    }
}

static void compare_with_dense(sum *s, uint64_t *seed)
{
    double  b[COORDS], x[COORDS];
    int32_t pivot[COORDS];
    for (int32_t i = 0; i < s->n; i++) {
        b[i] = x[i] = random_between(seed, -1, 1);
    }
    assert_true(ss_fronts_factor(&s->fronts));
    ss_fronts_solve(&s->fronts, x);
    assert_true(ss_dense_lu(s->n, s->dense, COORDS, pivot));
    ss_dense_lu_solve(s->n, s->dense, COORDS, pivot, b);
    for (int32_t i = 0; i < s->n; i++) {
        assert_true(fabs(x[i] - b[i]) < 1e-11);
    }
}

static void random_sums(void **state)
{
    ss_context *ctx = *state;
    sum        *s   = calloc(1, sizeof *s);
    assert_non_null(s);
    for (uint64_t k = 1; k <= 60; k++) {
        uint64_t seed  = k;
        int32_t  nodes = 1 + pick(&seed, NODES);
        draw_shape(s, &seed, nodes, nodes + pick(&seed, 2 * nodes), k % 3 == 0 ? 6 : 0);
        plan(ctx, s);
        for (int32_t e = 0; e < s->shape.elements; e++) {
            add_element(s, &seed, e, 30);
        }
        compare_with_dense(s, &seed);
    }
    ss_arena_free(ctx, &s->arena);
    free(s);
}

/* Nodes in a row: eliminated from the ends, no front has more than two or three of them. */
static void chains_do_not_fill(void **state)
{
    ss_context *ctx = *state;
    sum        *s   = calloc(1, sizeof *s);
    assert_non_null(s);
    for (int32_t k = 0; k < NODES; k++) {
        s->start[k + 1]      = 6 * (k + 1);
        s->first[k + 1]      = 2 * (k + 1);
        s->member[2 * k]     = k;
        s->member[2 * k + 1] = (k + 1) % NODES;
    }
    s->shape = (ss_fronts_shape){NODES, NODES - 1, /* the last would close the ring */
                                 s->start, s->first, s->member};
    plan(ctx, s);
    for (int32_t k = 0; k < s->fronts.count; k++) {
        assert_true(s->fronts.front[k].rows <= 18);
    }
    ss_arena_free(ctx, &s->arena);
    free(s);
}

static void singular_matrices_are_told(void **state)
{
    ss_context *ctx  = *state;
    sum        *s    = calloc(1, sizeof *s);
    uint64_t    seed = 7;
    assert_non_null(s);
    draw_shape(s, &seed, 5, 9, 6);
    plan(ctx, s);
    for (int32_t e = 0; e < 9; e++) {
        add_element(s, &seed, e, 30);
    }
    assert_true(ss_fronts_factor(&s->fronts));
    ss_fronts_reset(&s->fronts);
    assert_false(ss_fronts_factor(&s->fronts));
    ss_fronts_target t                            = ss_fronts_element(&s->fronts, &s->shape, 0);
    t.origin[(size_t)t.place[0] * (t.stride + 1)] = NAN;
    assert_false(ss_fronts_factor(&s->fronts));
    ss_arena_free(ctx, &s->arena);
    free(s);
}

static int set_up(void **state)
{
    *state = ss_context_create(NULL);
    return *state == NULL;
}

static int tear_down(void **state)
{
    ss_context_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_sums),
                                       cmocka_unit_test(chains_do_not_fill),
                                       cmocka_unit_test(singular_matrices_are_told)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
