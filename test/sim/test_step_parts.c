/* SPDX-License-Identifier: Apache-2.0 */
/* The four parts of a step as calls give what ss_step() gives; the active set is what distances
 * say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stickslip/scene_file.h"
#include "stickslip/sim.h"

typedef struct world {
    ss_context *ctx;
    ss_scene   *scene;
    ss_model   *model;
    ss_data    *data, *other;
} world;

static bool open_world(const char *file, const char *text, const char *const *set, int32_t count,
                       world *w)
{
    memset(w, 0, sizeof *w);
    w->ctx           = ss_context_create(NULL);
    ss_status status = file != NULL ? ss_scene_load(w->ctx, file, set, count, &w->scene)
                                    : ss_scene_load_text(w->ctx, text, strlen(text), "text", set,
                                                         count, &w->scene);
    if (status == SS_OK) {
        status = ss_model_compile(w->ctx, w->scene, &w->model);
    }
    if (status == SS_OK) {
        status = ss_data_create(w->ctx, w->model, &w->data);
    }
    if (status == SS_OK) {
        status = ss_data_create(w->ctx, w->model, &w->other);
    }
    if (status != SS_OK && file == NULL) {
        fail_msg("%s", ss_context_message(w->ctx));
    }
    return status == SS_OK;
}

static void close_world(world *w)
{
    ss_data_destroy(w->other);
    ss_data_destroy(w->data);
    ss_model_destroy(w->model);
    ss_scene_destroy(w->scene);
    ss_context_destroy(w->ctx);
}

static ss_status by_parts(const ss_model *m, ss_data *d, double h)
{
    SS_TRY(ss_step_collide(m, d, h));
    assert_int_equal(ss_data_contact_count(d), 0); /* not yet of a complete step */
    SS_TRY(ss_step_formulate(m, d));
    SS_TRY(ss_step_solve(m, d));
    return ss_step_update(m, d);
}

/* All the same but for times. */
static void same_report(const ss_data *a, const ss_data *b)
{
    const ss_step_report *x = ss_data_report(a), *y = ss_data_report(b);
    assert_int_equal(x->rounds, y->rounds);
    assert_int_equal(x->splits, y->splits);
    assert_int_equal(x->contacts, y->contacts);
    assert_int_equal(x->iterations, y->iterations);
    assert_int_equal(x->outcome, y->outcome);
    assert_true(x->residual == y->residual);
    assert_true(x->penetration == y->penetration);
    assert_int_equal(ss_data_contact_count(a), ss_data_contact_count(b));
}

/* Steps taken; -1: the scene or this model of it cannot be had, or its steps have no parts. */
static int compare(const char *file, const char *text, const char *const *set, int32_t count,
                   int steps, int *single)
{
    world w;
    int   done = -1;
    if (open_world(file, text, set, count, &w)) {
        double h = ss_model_simulation(w.model)->step;
        for (done = 0; done < steps; done++) {
            ss_status one = ss_step(w.model, w.data, h), four = by_parts(w.model, w.other, h);
            if (four == SS_ERR_UNSUPPORTED) {
                break;
            }
            if (one != four || ss_state_hash(w.model, w.data) != ss_state_hash(w.model, w.other)) {
                fail_msg("%s, step %d: %d and %d: %s", file != NULL ? file : text, done, one, four,
                         ss_context_message(w.ctx));
            }
            if (one != SS_OK) {
                break;
            }
            same_report(w.data, w.other);
            *single += ss_data_report(w.data)->rounds == 1 && ss_data_report(w.data)->splits == 0;
        }
    }
    close_world(&w);
    return done;
}

static void the_same_bits(void **state)
{
    (void)state;
    static const char *const files[]  = {"scenes/sphere-slide-roll.yaml",
                                         "scenes/stack.yaml",
                                         "scenes/slope.yaml",
                                         "scenes/demo.yaml",
                                         "scenes/pendulum.yaml",
                                         "scenes/corner-hole.yaml",
                                         "scenes/two-spheres.yaml",
                                         "scenes/four-bar.yaml",
                                         "scenes/newtons-cradle.yaml",
                                         "scenes/sliding-tripod.yaml",
                                         "scenes/peg-in-hole.yaml",
                                         "scenes/compliant-disc.yaml",
                                         "scenes/fence-particle.yaml",
                                         "scenes/push.yaml",
                                         "scenes/gear.yaml"};
    static const char *const euler[]  = {"simulation.model.integrator=euler"};
    static const char *const events[] = {"simulation.advance=event"};
    int                      single = 0, taken = 0, scenes = 0;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        for (int how = 0; how < 3; how++) {
            int n = compare(files[i], NULL, how == 1 ? euler : events, how > 0, 40, &single);
            scenes += n > 0;
            taken += n > 0 ? n : 0;
        }
    }
    assert_true(scenes > 25);
    assert_true(taken > 900);
    assert_true(single > 300); /* the case that the parts are for */
}

static const char boxes[] =
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: a, type: dynamic, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.5]}\n"
    "  - {name: b, type: dynamic, shape: {box: {size: [1, 1, 1]}}, position: [1.5, 0, 0.75]}\n"
    "  - {name: ball, type: dynamic, shape: {sphere: {radius: 0.25}}, position: [0.75, 0, 2]}\n"
    "simulation: {step: 0.01, model: {integrator: euler}}\n";

static void what_is_between(void **state)
{
    (void)state;
    world w;
    open_world(NULL, boxes, NULL, 0, &w);
    uint64_t before = ss_state_hash(w.model, w.data);
    assert_int_equal(ss_step_collide(w.model, w.data, 0.01), SS_OK);
    assert_null(ss_data_problem(w.data, 0));
    assert_int_equal(ss_step_formulate(w.model, w.data), SS_OK);
    const ss_problem *p = ss_data_problem(w.data, 0);
    assert_non_null(p);
    assert_int_equal(ss_problem_size(p), 12); /* four corners of three rows */
    ss_joint_info joint;
    assert_int_equal(ss_data_joint(w.model, w.data, 0, &joint), SS_ERR_ARGUMENT);
    assert_int_equal(ss_step_solve(w.model, w.data), SS_OK);
    assert_true(ss_data_problem_residual(w.data, 0) <= 1e-10);
    double        up = 0;
    const double *r  = ss_data_problem_solution(w.data, 0);
    for (int i = 0; i < 4; i++) {
        up += r[3 * i];
    }
    assert_true(fabs(up - 1000 * 9.81 * 0.01) < 1e-9); /* its weight, over the step */
    assert_true(ss_state_hash(w.model, w.data) == before);
    assert_int_equal(ss_step_update(w.model, w.data), SS_OK);
    assert_true(ss_state_hash(w.model, w.data) != before);
    assert_int_equal(ss_data_contact_count(w.data), 4);
    close_world(&w);
}

static void out_of_order(void **state)
{
    (void)state;
    world w;
    open_world(NULL, boxes, NULL, 0, &w);
    ss_model *m = w.model;
    ss_data  *d = w.data;
    assert_int_equal(ss_step_update(m, d), SS_ERR_ARGUMENT);
    assert_non_null(strstr(ss_context_message(w.ctx), "comes after ss_step_solve"));
    assert_int_equal(ss_step_solve(m, d), SS_ERR_ARGUMENT);
    assert_int_equal(ss_step_formulate(m, d), SS_ERR_ARGUMENT);
    assert_int_equal(ss_step_collide(m, d, -1), SS_ERR_ARGUMENT);
    assert_int_equal(ss_step_collide(m, d, NAN), SS_ERR_ARGUMENT);
    assert_int_equal(ss_step_collide(NULL, d, 0.01), SS_ERR_ARGUMENT);
    assert_int_equal(ss_step_collide(m, d, 0.01), SS_OK);
    assert_int_equal(ss_step_solve(m, d), SS_ERR_ARGUMENT);
    /* twice the first part begins anew */
    assert_int_equal(ss_step_collide(m, d, 0.02), SS_OK);
    assert_int_equal(ss_step_formulate(m, d), SS_OK);
    assert_int_equal(ss_step_formulate(m, d), SS_ERR_ARGUMENT);
    /* the data is changed */
    assert_int_equal(ss_data_push(m, d, 1, ss_v3(1, 0, 0), ss_v3(0, 0, 0)), SS_OK);
    assert_int_equal(ss_step_solve(m, d), SS_ERR_ARGUMENT);
    assert_non_null(strstr(ss_context_message(w.ctx), "changed"));
    ss_overlap overlap[4];
    int32_t    count = 0;
    assert_int_equal(ss_step_collide(m, d, 0.01), SS_OK);
    assert_int_equal(ss_data_overlaps(m, d, overlap, 4, &count), SS_OK);
    assert_int_equal(ss_step_formulate(m, d), SS_ERR_ARGUMENT);
    /* a whole step in between */
    assert_int_equal(ss_step_collide(m, d, 0.01), SS_OK);
    assert_int_equal(ss_step(m, d, 0.01), SS_OK);
    assert_int_equal(ss_step_formulate(m, d), SS_ERR_ARGUMENT);
    assert_int_equal(by_parts(m, d, 0.01), SS_OK);
    close_world(&w);
    static const char *const level[] = {"simulation.model={level: acceleration}"};
    open_world(NULL, boxes, level, 1, &w);
    assert_int_equal(ss_step_collide(w.model, w.data, 0.01), SS_ERR_UNSUPPORTED);
    close_world(&w);
}

static int32_t count_between(const ss_feature_pair *pairs, int32_t count, int32_t a, int32_t b,
                             double *least)
{
    int32_t n = 0;
    *least    = INFINITY;
    for (int32_t i = 0; i < count; i++) {
        const ss_feature_pair *p = &pairs[i];
        bool those = (p->body_a == a && p->body_b == b) || (p->body_a == b && p->body_b == a);
        n += those;
        *least = those ? fmin(*least, p->gap) : *least;
        assert_true(fabs(ss_norm(p->normal) - 1) < 1e-12);
        double along = ss_dot(p->normal, ss_sub(p->point_b, p->point_a));
        assert_true(fabs(along - p->gap) < 1e-12);
    }
    return n;
}

static void gaps_and_normals(void **state)
{
    (void)state;
    enum { MOST = 128 };
    ss_feature_pair pairs[MOST], again[MOST];
    world           w;
    int32_t         count = 0, twice = 0;
    double          least;
    open_world(NULL, boxes, NULL, 0, &w);
    assert_int_equal(ss_data_active_set(w.model, w.data, 0, pairs, MOST, &count), SS_OK);
    assert_int_equal(count_between(pairs, count, 0, 1, &least), 4); /* stands on the floor */
    assert_true(fabs(least) < 1e-12);
    assert_int_equal(count, 4);
    /* b is 0.25 above the floor and 0.5 beside a; the ball 0.75 above b's top level, 1.25 above a's
     */
    assert_int_equal(ss_data_active_set(w.model, w.data, 0.3, pairs, MOST, &count), SS_OK);
    assert_int_equal(count_between(pairs, count, 0, 2, &least), 4);
    assert_true(fabs(least - 0.25) < 1e-12);
    assert_int_equal(count_between(pairs, count, 1, 2, &least), 0);
    assert_int_equal(ss_data_active_set(w.model, w.data, 0.6, pairs, MOST, &count), SS_OK);
    assert_true(count_between(pairs, count, 1, 2, &least) > 0);
    assert_true(fabs(least - 0.5) < 1e-12);
    assert_int_equal(ss_data_active_set(w.model, w.data, 2, pairs, MOST, &count), SS_OK);
    assert_int_equal(count_between(pairs, count, 0, 3, &least), 1);
    assert_true(fabs(least - 1.75) < 1e-12);
    assert_true(count_between(pairs, count, 2, 3, &least) > 0);
    /* ball's centre (0.75, 0, 2), b's edge at (1, ., 1.25) */
    assert_true(fabs(least - (hypot(0.25, 0.75) - 0.25)) < 1e-9 || least <= 0.75);
    /* steps are as they were, also when it is asked between their parts */
    assert_int_equal(by_parts(w.model, w.other, 0.01), SS_OK);
    assert_int_equal(ss_step_collide(w.model, w.data, 0.01), SS_OK);
    assert_int_equal(ss_data_active_set(w.model, w.data, 2, again, MOST, &twice), SS_OK);
    assert_int_equal(twice, count);
    assert_memory_equal(pairs, again, (size_t)count * sizeof *pairs);
    assert_int_equal(ss_step_formulate(w.model, w.data), SS_OK);
    assert_int_equal(ss_data_active_set(w.model, w.data, 1, again, 2, &twice), SS_OK);
    assert_true(twice > 2);
    assert_int_equal(ss_step_solve(w.model, w.data), SS_OK);
    assert_int_equal(ss_step_update(w.model, w.data), SS_OK);
    assert_true(ss_state_hash(w.model, w.data) == ss_state_hash(w.model, w.other));
    /* and so are the contacts of the last one */
    int32_t contacts = ss_data_contact_count(w.data);
    assert_int_equal(ss_data_active_set(w.model, w.data, 1, NULL, 0, &twice), SS_OK);
    assert_int_equal(ss_data_contact_count(w.data), contacts);
    assert_int_equal(ss_data_active_set(w.model, w.data, -1, again, 2, &twice), SS_ERR_ARGUMENT);
    assert_int_equal(ss_data_active_set(w.model, w.data, INFINITY, again, 2, &twice),
                     SS_ERR_ARGUMENT);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_bits), cmocka_unit_test(what_is_between),
        cmocka_unit_test(out_of_order), cmocka_unit_test(gaps_and_normals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
