/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The certificate of the motion against steps that are not what they were: after a step that was
 * certified its trial state is judged once more, first as it is, then with a velocity that nothing
 * explains.
 */
#include "certify/certify.h"
#include "model/data.h"
#include "recover/shift.h"
#include "world.h"

enum { MOST_BODIES = 8 };

/* A step, and what was before it. */
typedef struct taken {
    world    w;
    double   h;
    ss_pose  pose[MOST_BODIES];
    ss_twist twist[MOST_BODIES];
    ss_fault fault;
} taken;

/* Judges the trial state from the state before the step. */
static int judged(taken *s)
{
    ss_state *now = &s->w.data->state;
    ss_ledger run = now->ledger;
    const int n   = s->w.model->nb;
    memcpy(now->pose, s->pose, (size_t)n * sizeof *now->pose);
    memcpy(now->twist, s->twist, (size_t)n * sizeof *now->twist);
    check(&s->w, ss_certify_motion(s->w.model, s->w.data, s->h, &s->fault));
    now->ledger = run;
    return (int)s->fault.kind;
}

static void take_step(taken *s, const char *text, int steps)
{
    open_text(&s->w, text);
    s->h = s->w.model->simulation.step;
    assert_true(s->w.model->nb <= MOST_BODIES);
    run(&s->w, s->h, steps - 1);
    memcpy(s->pose, s->w.data->state.pose, (size_t)s->w.model->nb * sizeof *s->pose);
    memcpy(s->twist, s->w.data->state.twist, (size_t)s->w.model->nb * sizeof *s->twist);
    run(&s->w, s->h, 1);
    assert_int_equal(judged(s), SS_FAULT_NONE);
}

static ss_twist *trial(taken *s, const char *name)
{
    return &s->w.data->twist_next[ss_model_find_body(s->w.model, name).index1 - 1];
}

static const char *const MODELS[] = {"{}", "{integrator: euler}", "{joints: projected}"};

/* By a part in 1e5 of a velocity: slower (energy is lost, which no check of gains sees), faster,
   and with another direction. */
static void a_velocity_that_nothing_explains_is_caught(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof MODELS / sizeof MODELS[0]; i++) {
        char  text[800];
        taken s;
        snprintf(text, sizeof text,
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                 "  - {name: slides, type: dynamic, shape: {box: {size: [0.2, 0.2, 0.1]}},\n"
                 "     position: [0, 0, 0.05], velocity: [2, 0, 0]}\n"
                 "  - {name: flies, type: dynamic, shape: {box: {size: [0.1, 0.2, 0.3]}},\n"
                 "     position: [0, 0, 5], velocity: [1, 2, 3], angular_velocity: [4, 5, 6]}\n"
                 "simulation: {step: 0.002, model: %s}\n",
                 MODELS[i]);
        take_step(&s, text, 5);
        ss_twist *slides = trial(&s, "slides"), right = *slides;
        slides->v.x *= 1 - 1e-5;
        assert_true(judged(&s) != SS_FAULT_NONE);
        *slides         = right;
        ss_twist *flies = trial(&s, "flies");
        right           = *flies;
        flies->v        = ss_v3(right.v.y, right.v.x, right.v.z); /* as fast as before */
        assert_true(judged(&s) != SS_FAULT_NONE);
        *flies = right;
        flies->v.z *= 1.1;
        assert_true(judged(&s) != SS_FAULT_NONE);
        *flies   = right;
        flies->w = ss_scale(0.5, right.w);
        assert_true(judged(&s) != SS_FAULT_NONE);
        *flies = right;
        assert_int_equal(judged(&s), SS_FAULT_NONE);
        close_world(&s.w);
    }
}

/* In a chain what closing joints takes out is all that may be missing. */
static void links_that_lose_speed_are_caught(void **state)
{
    (void)state;
    taken s;
    take_step(&s,
              "dimension: 2\n"
              "gravity: [0, -9.81]\n"
              "bodies:\n"
              "  - {name: a, type: dynamic, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
              "  - {name: b, type: dynamic, mass: 1, inertia: 0.1, position: [1.5, 0]}\n"
              "joints:\n"
              "  - {name: j, type: revolute, bodies: [world, a], anchor: [0, 0]}\n"
              "  - {name: k, type: revolute, bodies: [a, b], anchor: [1, 0]}\n"
              "simulation: {step: 0.002}\n",
              200);
    for (int i = 0; i < 2; i++) {
        ss_twist *link = trial(&s, i == 0 ? "a" : "b"), right = *link;
        link->v = ss_scale(0.99, right.v);
        assert_true(judged(&s) != SS_FAULT_NONE);
        *link     = right;
        link->w.z = -right.w.z; /* with the energy that it had */
        assert_int_equal(judged(&s), SS_FAULT_TURN);
        *link = right;
    }
    close_world(&s.w);
}

/* A spin that was turned about has the energy it had; in the plane, of balls, of what hangs on a
   joint in space, and of what tumbles and strikes in this step. */
static void a_spin_that_nothing_explains_is_caught(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "dimension: 2\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
        "  - {name: spins, type: dynamic, shape: {disc: {radius: 0.1}}, position: [0, 0.1],\n"
        "     velocity: [1, 0], angular_velocity: 5}\n"
        "simulation: {step: 0.002}\n",
        "bodies:\n"
        "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: spins, type: dynamic, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1],\n"
        "     velocity: [1, 0, 0], angular_velocity: [0, 5, 3]}\n"
        "simulation: {step: 0.002}\n",
        "bodies:\n"
        "  - {name: spins, type: dynamic, shape: {box: {size: [0.1, 0.2, 0.3]}},\n"
        "     position: [0, 0, -0.3], angular_velocity: [0, 0, 3]}\n"
        "joints:\n"
        "  - {name: hook, type: spherical, bodies: [world, spins], anchor: [0, 0, 0]}\n"
        "simulation: {step: 0.002}\n",
        "bodies:\n"
        "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: spins, type: dynamic, shape: {ellipsoid: {radii: [0.1, 0.2, 0.3]}},\n"
        "     position: [0, 0, 0.305], velocity: [0, 0, -1], angular_velocity: [5, 3, 2]}\n"
        "simulation: {step: 0.002, max_splits: 0}\n"}; /* whole, and not up to the impact */
    for (int i = 0; i < 4; i++) {
        taken s;
        take_step(&s, texts[i], 3);
        ss_twist *spins = trial(&s, "spins");
        spins->w        = ss_scale(-1, spins->w);
        assert_int_equal(judged(&s), SS_FAULT_TURN);
        close_world(&s.w);
    }
}

/* Two links in space, one of which is struck in this step: the spin of the other is judged by that
   of all three together. */
static void a_turn_of_the_whole_that_nothing_explains_is_caught(void **state)
{
    (void)state;
    taken s;
    take_step(
        &s,
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  - {name: a, type: dynamic, shape: {box: {size: [0.1, 0.2, 0.3]}},\n"
        "     angular_velocity: [1, 2, 3]}\n"
        "  - {name: b, type: dynamic, shape: {box: {size: [0.1, 0.2, 0.3]}},\n"
        "     position: [0.3, 0, 0]}\n"
        "  - {name: c, type: dynamic, shape: {sphere: {radius: 0.1}}, position: [0.451, 0, 0],\n"
        "     velocity: [-1, 0, 0]}\n"
        "joints:\n"
        "  - {name: j, type: spherical, bodies: [a, b], anchor: [0, 0, 0]}\n"
        "simulation: {step: 0.002, max_splits: 0}\n",
        1);
    ss_twist *a = trial(&s, "a");
    assert_false(s.w.data->midpoint.smooth[0]);
    a->w = ss_scale(-1, a->w); /* with the energy that it had */
    assert_int_equal(judged(&s), SS_FAULT_WHOLE);
    close_world(&s.w);
}

/* Impulses that were not those of the step are no explanation. */
static void a_reported_impulse_that_did_not_act_is_caught(void **state)
{
    (void)state;
    taken s;
    take_step(&s,
              "dimension: 2\n"
              "bodies:\n"
              "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
              "  - {name: ball, type: dynamic, shape: {disc: {radius: 0.1}}, position: [0, 0.1],\n"
              "     velocity: [1, 0]}\n"
              "simulation: {step: 0.002}\n",
              3);
    assert_true(s.w.data->rows.nrows > 0 && s.w.data->rows.impulse[0] > 0);
    s.w.data->rows.impulse[0] *= 1.5;
    assert_true(judged(&s) != SS_FAULT_NONE);
    close_world(&s.w);
}

/* A body that falls and is put back where it was, as if it had been moved out of the floor, keeps
   its velocity and its height. */
static void a_body_that_is_carried_is_caught(void **state)
{
    (void)state;
    taken s;
    take_step(&s,
              "bodies:\n"
              "  - {name: falls, type: dynamic, shape: {box: {size: [1, 1, 1]}}}\n"
              "simulation: {step: 0.001}\n",
              100);
    ss_pose *p = &s.w.data->pose_next[ss_model_find_body(s.w.model, "falls").index1 - 1];
    ss_keep_bare_poses(s.w.model, s.w.data);
    p->p.z -= s.h * trial(&s, "falls")->v.z;
    assert_int_equal(judged(&s), SS_FAULT_ENERGY);
    close_world(&s.w);
}

/* The block of rows between the floor and a body that slides on it. */
static const ss_row_block *sliding_block(const taken *s)
{
    const ss_data *d = s->w.data;
    for (int32_t i = 0; i < d->rows.nblocks; i++) {
        if (d->rows.blocks[i].source == SS_ROWS_CONTACT &&
            d->rows.impulse[d->rows.blocks[i].row] > 0) {
            return &d->rows.blocks[i];
        }
    }
    return NULL;
}

/* Rows that act on the body's velocity: what the impulse p more in a row does, and is told to do.
 */
static void push_more(taken *s, const ss_row_block *b, int32_t row, double p)
{
    const ss_model *m    = s->w.model;
    ss_data        *d    = s->w.data;
    int             side = b->body[0] >= 0 ? 0 : 1;
    const ss_body  *body = &m->bodies[b->body[side]];
    const double   *J    = ss_row_side(m, &d->rows, row, side);
    double         *v    = d->v_next + body->v_start;
    d->rows.impulse[row] += p;
    v[0] += p * J[0] * body->inv_mass;
    v[1] += p * J[1] * body->inv_mass;
    v[2] += p * J[2] / body->inertia.m[8];
    d->twist_next[b->body[side]].v = ss_v3(v[0], v[1], 0);
    d->twist_next[b->body[side]].w = ss_v3(0, 0, v[2]);
}

static const char *const SLIDES =
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "materials: {default: {friction: 0.3}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
    "  - {name: ball, type: dynamic, shape: {disc: {radius: 0.1}}, position: [0, 0.1],\n"
    "     velocity: [1, 0]}\n"
    "simulation: {step: 0.002, model: {integrator: euler}}\n";

/* Impulses that explain the velocities, of a contact that slides with less friction than it has,
   or that is pulled into the floor. */
static void a_velocity_against_the_law_is_caught(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        taken s;
        take_step(&s, SLIDES, 3);
        const ss_row_block *b = sliding_block(&s);
        assert_non_null(b);
        push_more(&s, b, b->row + k, -1e-2 * s.w.data->rows.impulse[b->row + k]);
        assert_int_equal(judged(&s), SS_FAULT_LAW);
        close_world(&s.w);
    }
}

/* A body that is told to stick and slides: what its slip is counted from is the fault. */
static void a_slide_that_friction_does_not_see_is_caught(void **state)
{
    (void)state;
    taken s;
    take_step(&s, SLIDES, 3);
    const ss_row_block *b = sliding_block(&s);
    assert_non_null(b);
    s.w.data->rows.bias[b->row + 1] *= 1 + 1e-4; /* no drift: nothing changes */
    assert_int_equal(judged(&s), SS_FAULT_NONE);
    s.w.data->rows.bias[b->row + 1] += 1e-4;
    assert_int_equal(judged(&s), SS_FAULT_SLIDE);
    close_world(&s.w);
}

/* The velocity of the state is not that of the rows. */
static void a_state_beside_its_rows_is_caught(void **state)
{
    (void)state;
    taken s;
    take_step(&s, SLIDES, 3);
    const ss_row_block *b = sliding_block(&s);
    assert_non_null(b);
    s.w.data->v_next[s.w.model->bodies[b->body[b->body[0] >= 0 ? 0 : 1]].v_start] += 1e-4;
    assert_true(judged(&s) != SS_FAULT_NONE);
    close_world(&s.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_velocity_that_nothing_explains_is_caught),
        cmocka_unit_test(links_that_lose_speed_are_caught),
        cmocka_unit_test(a_spin_that_nothing_explains_is_caught),
        cmocka_unit_test(a_turn_of_the_whole_that_nothing_explains_is_caught),
        cmocka_unit_test(a_reported_impulse_that_did_not_act_is_caught),
        cmocka_unit_test(a_body_that_is_carried_is_caught),
        cmocka_unit_test(a_velocity_against_the_law_is_caught),
        cmocka_unit_test(a_slide_that_friction_does_not_see_is_caught),
        cmocka_unit_test(a_state_beside_its_rows_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
