/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Futures: Painleve's rod with two motions, against free flight and an integration of its own of
 * the rod that slides on; several rods, bounds, the same futures every time.
 */
#include <math.h>

#include "world.h"

#define HEAD(more)                                                                                 \
    "dimension: 2\nparams: {mu: 1.5, theta: \"pi/3\", spin: 4, y: 0}\ngravity: [0, -9.81]\n"       \
    "materials: {default: {friction: \"mu\"}}\n"                                                   \
    "simulation: {step: 1e-3, duration: 0.03, model: {level: acceleration}" more "}\nbodies:\n"    \
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
#define ROD(name, at)                                                                              \
    "  - {name: " name ", type: dynamic, mass: 1, inertia: 0.3333333333333333, com: [0, 0], "      \
    "shape: {points: {points: [[1, 0]]}}, position: [\"" at                                        \
    " - cos(theta)\", \"sin(theta)\"], angle: \"-theta\", velocity: [\"3 - spin*sin(theta)\", "    \
    "\"-spin*cos(theta)\"], angular_velocity: \"spin\"}\n"

enum { MOST = 16 };

typedef struct tree {
    ss_context   *ctx;
    ss_future     futures[MOST];
    ss_body_state ends[MOST][4];
    uint64_t      hash[MOST];
    int32_t       count, left, ended;
} tree;

static ss_status keep(void *user, const ss_future *future, const ss_variant *v)
{
    tree *t = user;
    (void)future;
    for (int32_t i = 0; i < ss_model_body_count(v->model) && i < 4; i++) {
        SS_TRY(ss_data_body(v->model, v->data, i, &t->ends[t->ended][i]));
    }
    t->hash[t->ended++] = ss_state_hash(v->model, v->data);
    return SS_OK;
}

static ss_status grow(tree *t, const char *text, const char *set, int32_t most, int32_t depth)
{
    ss_scene_source *source = NULL;
    ss_run_def       run    = ss_run_def_default();
    *t                      = (tree){.ctx = ss_context_create(NULL)};
    ss_branch_def def       = {.most = most, .depth = depth, .ended = keep, .user = t};
    assert_int_equal(ss_scene_source_text(t->ctx, text, strlen(text), "text", &source), SS_OK);
    assert_true(set == NULL || ss_scene_source_override(source, set) == SS_OK);
    ss_status status =
        ss_series_branch(t->ctx, source, NULL, &def, &run, t->futures, &t->count, &t->left);
    ss_scene_source_destroy(source);
    return status;
}

static void fell(tree *t)
{
    ss_context_destroy(t->ctx);
}

/* m x'' = -mu c, J w' = c (cos - mu sin), c N = g - w^2 sin: the end stays on the floor. */
static void slide(const double y[4], double dy[4])
{
    const double g = 9.81, mu = 1.5;
    double       theta = -y[2], s = sin(theta), k = cos(theta);
    double       N = 1 + 3 * k * (k - mu * s), c = (g - y[3] * y[3] * s) / N;
    dy[0] = y[1];
    dy[1] = -mu * c;
    dy[2] = y[3];
    dy[3] = 3 * c * (k - mu * s);
}

static void integrate(double y[4], double t, int steps)
{
    double h = t / steps, k[4][4], z[4];
    for (int n = 0; n < steps; n++) {
        slide(y, k[0]);
        for (int stage = 1; stage < 4; stage++) {
            for (int i = 0; i < 4; i++) {
                z[i] = y[i] + (stage < 3 ? 0.5 : 1) * h * k[stage - 1][i];
            }
            slide(z, k[stage]);
        }
        for (int i = 0; i < 4; i++) {
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        }
    }
}

static void the_rod_has_two_futures(void **state)
{
    (void)state;
    tree   t;
    double theta = acos(-1) / 3, T = 0.03;
    assert_int_equal(grow(&t, HEAD("") ROD("rod", "0"), NULL, MOST, 4), SS_OK);
    assert_int_equal(t.count, 2);
    assert_int_equal(t.left, 0);
    for (int i = 0; i < 2; i++) {
        const ss_future *f = &t.futures[i];
        assert_true(f->certified && f->result.residual_max < 1e-9);
        assert_int_equal(f->fork_count, 1);
        assert_true(f->forks[0].time == 0 && f->forks[0].motions == 2 && f->forks[0].complete);
        const ss_energy *a = &f->result.initial, *b = &f->result.final;
        assert_true(fabs(a->kinetic + a->potential - b->kinetic - b->potential - b->dissipated +
                         b->integration) < 1e-8);
    }
    assert_string_equal(t.futures[0].forks[0].what, "rod leaves floor");
    assert_string_equal(t.futures[1].forks[0].what, "rod slides floor");
    assert_int_equal(t.futures[1].parent, 0);
    const ss_body_state *free = &t.ends[0][1], *on = &t.ends[1][1];
    assert_near(free->position.x, -cos(theta) + (3 - 4 * sin(theta)) * T, 1e-12);
    assert_near(free->position.y, sin(theta) - 4 * cos(theta) * T - 0.5 * 9.81 * T * T, 1e-12);
    assert_near(free->angle, -theta + 4 * T, 1e-12);
    double y[4] = {-cos(theta), 3 - 4 * sin(theta), -theta, 4};
    integrate(y, T, 3000);
    assert_near(on->position.x, y[0], 1e-8);
    assert_near(on->velocity.x, y[1], 1e-7);
    assert_near(on->angle, y[2], 1e-8);
    assert_near(on->angular_velocity.z, y[3], 1e-7);
    assert_near(on->position.y, sin(-y[2]), 1e-8);
    assert_near(t.futures[1].distance,
                hypot(on->position.x - free->position.x, on->position.y - free->position.y), 1e-12);
    fell(&t);
}

#define THREE HEAD("") ROD("a", "0") ROD("b", "5") ROD("c", "10")

/* Each of three rods by itself: eight futures at one fork, all different, in the same order. */
static void every_combination_once(void **state)
{
    (void)state;
    static tree all, again, few;
    assert_int_equal(grow(&all, THREE, NULL, MOST, 4), SS_OK);
    assert_int_equal(grow(&again, THREE, NULL, MOST, 4), SS_OK);
    assert_int_equal(grow(&few, THREE, NULL, 5, 4), SS_OK);
    assert_int_equal(all.count, 8);
    assert_int_equal(few.count, 5);
    assert_int_equal(few.left, 3);
    for (int i = 0; i < 8; i++) {
        assert_true(all.futures[i].certified && all.hash[i] == again.hash[i]);
        assert_true(i >= 5 || all.hash[i] == few.hash[i]);
        for (int k = 0; k < i; k++) {
            assert_true(all.hash[i] != all.hash[k]);
        }
    }
    fell(&all);
    fell(&again);
    fell(&few);
}

/* Forks that only another future has are followed as well, down to the depth that is asked for. */
static void forks_of_futures(void **state)
{
    (void)state;
    static tree deep, flat;
    /* the second rod's end is above the floor: it lands where the first has long chosen */
    assert_int_equal(grow(&deep, HEAD("") ROD("a", "0") ROD("b", "5"),
                          "bodies.b.position=[4.5, 0.8661]", MOST, 4),
                     SS_OK);
    assert_int_equal(grow(&flat, HEAD("") ROD("a", "0") ROD("b", "5"),
                          "bodies.b.position=[4.5, 0.8661]", MOST, 1),
                     SS_OK);
    assert_true(deep.count >= flat.count && flat.count == 2);
    for (int i = 0; i < deep.count; i++) {
        const ss_future *f = &deep.futures[i];
        assert_true(f->given <= 4 && f->fork_count >= f->given);
        for (int k = 0; k + 1 < f->given; k++) {
            assert_int_equal(f->forks[k].taken, deep.futures[f->parent].forks[k].taken);
        }
        assert_true(i == 0 || f->forks[f->given - 1].taken !=
                                  deep.futures[f->parent].forks[f->given - 1].taken);
    }
    fell(&deep);
    fell(&flat);
}

/* Where one motion is left there is one future; steps of impulses have none to choose from. */
static void no_forks(void **state)
{
    (void)state;
    static tree t;
    assert_int_equal(grow(&t, HEAD("") ROD("rod", "0"), "params.mu=0.5", MOST, 4), SS_OK);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.futures[0].fork_count, 0);
    fell(&t);
    assert_int_equal(grow(&t, HEAD("") ROD("rod", "0"), "simulation.model.level=impulse", MOST, 4),
                     SS_ERR_UNSUPPORTED);
    assert_non_null(strstr(ss_context_message(t.ctx), "level: acceleration"));
    fell(&t);
    assert_int_equal(grow(&t, HEAD("") ROD("rod", "0"), NULL, MOST, SS_FUTURE_FORKS + 1),
                     SS_ERR_ARGUMENT);
    fell(&t);
}

/* A future without forces that obey the laws ends there, and says why; the other goes on. */
static void one_future_ends_in_the_paradox(void **state)
{
    (void)state;
    static tree t;
    assert_int_equal(grow(&t, HEAD("") ROD("rod", "0"), "simulation.duration=0.05", MOST, 4),
                     SS_OK);
    assert_int_equal(t.count, 2);
    assert_true(t.futures[0].certified && !t.futures[1].certified);
    assert_non_null(strstr(t.futures[1].why, "Painleve"));
    assert_true(t.futures[1].result.time > 0.03 && t.futures[1].result.time < 0.04);
    fell(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rod_has_two_futures),
        cmocka_unit_test(every_combination_once),
        cmocka_unit_test(forks_of_futures),
        cmocka_unit_test(no_forks),
        cmocka_unit_test(one_future_ends_in_the_paradox),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
