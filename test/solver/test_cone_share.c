/* SPDX-License-Identifier: Apache-2.0 */
/* The share of a load on four corners that slide, by the closed form of contacts that give alike.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "solver/cone_share.h"

enum { CORNERS = 4, CORNER_ROWS = 3 * CORNERS };

typedef struct plate {
    ss_block blocks[CORNERS];
    double   W[CORNER_ROWS * CORNER_ROWS], q[CORNER_ROWS];
    ss_cone  cone;
} plate;

/*
 * A plate of 1 kg on its corners, 0.4 by 0.2, its middle 0.1 above them, that would move by v: it
 * slides, turns and is pressed down beside its middle. Corner order[c] is contact c, with its axes
 * turned by turn[c].
 */
static void make_plate_that(plate *p, const int *order, const double *turn, const double *v)
{
    double J[CORNER_ROWS][6], inverse[6] = {1, 1, 1, 240, 70, 60};
    for (int c = 0; c < CORNERS; c++) {
        double x[3]    = {order[c] % 2 ? 0.2 : -0.2, order[c] / 2 ? 0.1 : -0.1, -0.1};
        double e[3][3] = {
            {0, 0, 1}, {cos(turn[c]), sin(turn[c]), 0}, {-sin(turn[c]), cos(turn[c]), 0}};
        for (int k = 0; k < 3; k++) {
            double *row = J[3 * c + k], *d = e[k];
            memcpy(row, d, 3 * sizeof *row);
            row[3] = x[1] * d[2] - x[2] * d[1];
            row[4] = x[2] * d[0] - x[0] * d[2];
            row[5] = x[0] * d[1] - x[1] * d[0];
        }
        p->blocks[c] = (ss_block){.kind = SS_BLOCK_CONE, .start = 3 * c, .dim = 3, .mu = 0.3};
    }
    for (int i = 0; i < CORNER_ROWS; i++) {
        p->q[i] = 0;
        for (int k = 0; k < 6; k++) {
            p->q[i] += J[i][k] * v[k];
        }
        for (int j = 0; j < CORNER_ROWS; j++) {
            double sum = 0;
            for (int k = 0; k < 6; k++) {
                sum += J[i][k] * inverse[k] * J[j][k];
            }
            p->W[i + CORNER_ROWS * j] = sum;
        }
    }
    p->cone = (ss_cone){
        .n       = CORNER_ROWS,
        .nblocks = CORNERS,
        .blocks  = p->blocks,
        .q       = p->q,
        .W       = {.rows = CORNER_ROWS, .cols = CORNER_ROWS, .dense = p->W, .ld = CORNER_ROWS}};
}

static void make_plate(plate *p, const int *order, const double *turn)
{
    make_plate_that(p, order, turn, (const double[]){0.3, 0.1, -0.02, 0.05, -0.03, 4});
}

/* Normal impulses, corner by corner. */
static void share_of(const int *order, const double *turn, double *normal)
{
    static double memory[10000];
    ss_arena      a              = {.base = (void *)memory, .size = sizeof memory};
    double        r[CORNER_ROWS] = {0};
    plate         p;
    ss_shared     shared;
    make_plate(&p, order, turn);
    assert_true(ss_cone_share(&p.cone, &a, r, SS_SHARE_NEAR, &shared));
    assert_true(shared.found);
    for (int c = 0; c < CORNERS; c++) {
        double un = p.q[3 * c], f = 0;
        for (int j = 0; j < CORNER_ROWS; j++) {
            un += p.W[3 * c + CORNER_ROWS * j] * r[j];
        }
        f = sqrt(r[3 * c + 1] * r[3 * c + 1] + r[3 * c + 2] * r[3 * c + 2]);
        assert_true(fabs(un) < 1e-15);
        assert_true(fabs(f - 0.3 * r[3 * c]) < 1e-15); /* it slides */
        normal[order[c]] = r[3 * c];
    }
}

/* Contacts that give alike have loads that are linear in the place, whatever slides: the sums over
   the two diagonals are equal. Neither the order of the contacts nor their axes matter. */
static void corners_share_alike(void **state)
{
    (void)state;
    double first[CORNERS], again[CORNERS], none[CORNERS] = {0};
    share_of((const int[]){0, 1, 2, 3}, none, first);
    assert_true(fabs(first[0] + first[3] - first[1] - first[2]) < 1e-15);
    uint64_t seed = 5;
    for (int k = 0; k < 24; k++) {
        int    order[CORNERS] = {0, 1, 2, 3};
        double turn[CORNERS];
        for (int i = 0; i < CORNERS; i++) {
            int j = (int)random_between(&seed, i, CORNERS), kept = order[i];
            order[i] = order[j];
            order[j] = kept;
            turn[i]  = random_between(&seed, -3, 3);
        }
        share_of(order, turn, again);
        for (int i = 0; i < CORNERS; i++) {
            assert_true(fabs(again[i] - first[i]) < 1e-15);
        }
    }
}

/*
 * Two corners hold a plate that a push would turn, the other two are at their limits: nothing
 * slides, and what is at its limit shares as what would slide by more than it gives. The push
 * grows until some corner is at its limit.
 */
static bool hold(double push, const int *order, const double *turn, double *friction, int *limits)
{
    static double memory[20000];
    ss_arena      a              = {.base = (void *)memory, .size = sizeof memory};
    double        r[CORNER_ROWS] = {0};
    plate         p;
    ss_shared     shared;
    make_plate_that(&p, order, turn, (const double[]){push, 0.2 * push, -0.2, 0.02, -0.01, push});
    assert_true(ss_cone_share(&p.cone, &a, r, SS_SHARE_FAR, &shared));
    *limits = 0;
    for (int c = 0; shared.found && c < CORNERS; c++) {
        for (int k = 0; k < 3; k++) {
            double u = p.q[3 * c + k];
            for (int j = 0; j < CORNER_ROWS; j++) {
                u += p.W[3 * c + k + CORNER_ROWS * j] * r[j];
            }
            if (fabs(u) > 1e-14) {
                return false; /* it moves */
            }
        }
        friction[order[c]] = sqrt(r[3 * c + 1] * r[3 * c + 1] + r[3 * c + 2] * r[3 * c + 2]);
        assert_true(friction[order[c]] <= 0.3 * r[3 * c] + 1e-14);
        *limits += friction[order[c]] >= 0.3 * r[3 * c] - 1e-14;
    }
    return shared.found;
}

static void what_is_held_at_its_limit_shares(void **state)
{
    (void)state;
    double   first[CORNERS], again[CORNERS], none[CORNERS] = {0};
    uint64_t seed = 7;
    int      limits, seen = 0;
    for (double push = 0.02; push < 0.06; push += 0.001) {
        if (!hold(push, (const int[]){0, 1, 2, 3}, none, first, &limits) || limits == 0) {
            continue;
        }
        seen++;
        for (int k = 0; k < 5; k++) {
            double turn[CORNERS];
            int    others;
            for (int i = 0; i < CORNERS; i++) {
                turn[i] = random_between(&seed, -3, 3);
            }
            assert_true(hold(push, (const int[]){2, 0, 3, 1}, turn, again, &others));
            assert_int_equal(others, limits);
            for (int i = 0; i < CORNERS; i++) {
                assert_true(fabs(again[i] - first[i]) < 1e-13);
            }
        }
    }
    assert_true(seen >= 3);
}

/* ---- plates on each other ------------------------------------------------------------------- */

enum { PLATES = 3, TOUCHES = 5, TOWER_ROWS = 3 * PLATES * TOUCHES };

typedef struct tower {
    ss_block blocks[PLATES * TOUCHES];
    double   J[TOWER_ROWS][6 * PLATES], W[TOWER_ROWS * TOWER_ROWS], q[TOWER_ROWS];
    ss_cone  cone;
} tower;

/*
 * Plates of 1 kg on each other, five contacts each, that slide, turn and tilt with much friction.
 * Two of the five are 1e-7 apart, as a corner next to an edge. Axes of contact c turned by turn[c].
 */
static void make_tower(tower *t, uint64_t seed, const double *turn)
{
    double v[6 * PLATES];
    for (int b = 0; b < PLATES; b++) {
        const double most[6] = {0.3, 0.3, 0, 0.1, 0.1, 4};
        for (int k = 0; k < 6; k++) {
            v[6 * b + k] = random_between(&seed, -most[k], most[k]);
        }
        v[6 * b + 2] = -0.01;
    }
    memset(t->J, 0, sizeof t->J);
    for (int c = 0; c < PLATES * TOUCHES; c++) {
        int    upper = c / TOUCHES, k = c % TOUCHES;
        double at[2]   = {(k % 2 ? 0.15 : -0.15) + random_between(&seed, -0.05, 0.05),
                          (k / 2 % 2 ? 0.1 : -0.1) + random_between(&seed, -0.05, 0.05)};
        double e[3][3] = {
            {0, 0, 1}, {cos(turn[c]), sin(turn[c]), 0}, {-sin(turn[c]), cos(turn[c]), 0}};
        for (int i = 0; i < 3; i++) {
            for (int b = upper; b >= 0 && b >= upper - 1; b--) {
                double       *row = t->J[3 * c + i] + 6 * b, sign = b == upper ? 1 : -1;
                double        x[3] = {at[0], at[1], -0.1 * sign};
                const double *d    = e[i];
                if (k == TOUCHES - 1) {
                    const double *first = t->J[3 * (c - k)] + 6 * b; /* the normal row */
                    x[0]                = -sign * first[4] + 1e-7;
                    x[1]                = sign * first[3] - 2e-7;
                }
                for (int j = 0; j < 3; j++) {
                    row[j] = sign * d[j];
                    row[3 + j] =
                        sign * (x[(j + 1) % 3] * d[(j + 2) % 3] - x[(j + 2) % 3] * d[(j + 1) % 3]);
                }
            }
        }
        t->blocks[c] = (ss_block){.kind = SS_BLOCK_CONE, .start = 3 * c, .dim = 3, .mu = 0.9};
    }
    const double inverse[6] = {1, 1, 1, 240, 120, 60};
    for (int i = 0; i < TOWER_ROWS; i++) {
        t->q[i] = 0;
        for (int k = 0; k < 6 * PLATES; k++) {
            t->q[i] += t->J[i][k] * v[k];
        }
        for (int j = 0; j < TOWER_ROWS; j++) {
            double sum = 0;
            for (int k = 0; k < 6 * PLATES; k++) {
                sum += t->J[i][k] * inverse[k % 6] * t->J[j][k];
            }
            t->W[i + TOWER_ROWS * j] = sum;
        }
    }
    t->cone =
        (ss_cone){.n       = TOWER_ROWS,
                  .nblocks = PLATES * TOUCHES,
                  .blocks  = t->blocks,
                  .q       = t->q,
                  .W = {.rows = TOWER_ROWS, .cols = TOWER_ROWS, .dense = t->W, .ld = TOWER_ROWS}};
}

/* Normal impulses of the share of a tower; false: none was found. */
static bool tower_share(uint64_t seed, const double *turn, double *normal)
{
    static double memory[60000];
    static tower  t;
    ss_arena      a             = {.base = (void *)memory, .size = sizeof memory};
    double        r[TOWER_ROWS] = {0};
    ss_shared     shared;
    make_tower(&t, seed, turn);
    assert_true(ss_cone_share(&t.cone, &a, r, SS_SHARE_FAR, &shared));
    for (int c = 0; c < PLATES * TOUCHES; c++) {
        normal[c] = r[3 * c];
    }
    return shared.found;
}

/* The path leads past places where contacts jam, and past rows that others nearly make. */
static void most_towers_have_a_share(void **state)
{
    (void)state;
    enum { TOWERS = 100 };
    int      found = 0, apart = 0;
    uint64_t axes = 11;
    for (uint64_t seed = 1; seed <= TOWERS; seed++) {
        double none[PLATES * TOUCHES] = {0}, turn[PLATES * TOUCHES], first[PLATES * TOUCHES],
                             again[PLATES * TOUCHES], most = 0;
        for (int c = 0; c < PLATES * TOUCHES; c++) {
            turn[c] = random_between(&axes, -3, 3);
        }
        if (!tower_share(seed, none, first) || !tower_share(seed, turn, again)) {
            continue;
        }
        found++;
        for (int c = 0; c < PLATES * TOUCHES; c++) {
            most = fmax(most, fabs(again[c] - first[c]));
        }
        apart += most > 1e-12;
    }
    assert_int_equal(found, TOWERS);
    assert_int_equal(apart, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_share_alike),
        cmocka_unit_test(what_is_held_at_its_limit_shares),
        cmocka_unit_test(most_towers_have_a_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
