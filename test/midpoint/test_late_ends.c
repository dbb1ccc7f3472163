/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What slides, rolls or tips over an edge, in steps of fixed length: contacts that end there do so
 * at their time (midpoint/late_ends.c), those that go on under another name go on
 * (midpoint/successors.c), and pairs near corners move in second order. Against level:
 * acceleration, which integrates from event to event.
 */
#include "world.h"

enum { TEXT = 1200 };

static ss_body_state end_of(const char *text, const char *set, double duration)
{
    world w;
    char  all[TEXT + 200];
    snprintf(all, sizeof all, "%ssimulation: {%s}\n", text, set);
    open_text(&w, all);
    double h = ss_model_simulation(w.model)->step;
    run(&w, h, (int)(duration / h + 0.5));
    ss_body_state s = body_named(&w, "b");
    close_world(&w);
    return s;
}

/* By how much two places of a body differ: of its centre, and in radians. */
static double turned(const ss_body_state *x, const ss_body_state *y)
{
    ss_quat p = x->quat_wxyz, q = y->quat_wxyz;
    double  c = fabs(p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z);
    return fmax(fabs(x->angle - y->angle), 2 * sqrt(fmax(1 - c * c, 0)));
}

/* As by events: centre to `place`, turn to `turn` at 10 ms, and below it with the step's square,
   but for the part of it that a contact may end too early. */
static void as_by_events(const char *text, double duration, double place, double turn)
{
    static const double steps[] = {0.01, 0.005, 0.0025, 0.00125};
    ss_body_state       exact = end_of(text, "step: 0.001, model: {level: acceleration}", duration);
    for (int i = 0; i < 4; i++) {
        char set[60];
        snprintf(set, sizeof set, "step: %g", steps[i]);
        ss_body_state s    = end_of(text, set, duration);
        double        part = steps[i] / 0.01, most = 0.9 * part * part + 0.1 * part;
        assert_near(ss_norm(ss_sub(s.position, exact.position)), 0, most * place);
        assert_near(turned(&s, &exact), 0, most * turn);
    }
}

#define TABLE                                                                                      \
    "dimension: 2\n"                                                                               \
    "gravity: [0, -9.81]\n"                                                                        \
    "materials: {default: {friction: %g}}\n"                                                       \
    "bodies:\n"                                                                                    \
    "  - {name: t, type: static, shape: {box: {size: [2, 0.2]}}, position: [-1, -0.1]}\n"

static void a_box_slides_off_a_table(void **state)
{
    (void)state;
    static const double of[3][3] = {{0, 1.2, 0.3}, {0.2, 1.2, 0.3}, {0.8, 2.5, 0.4}};
    for (int i = 0; i < 3; i++) {
        char text[TEXT];
        snprintf(text, sizeof text,
                 TABLE "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}},\n"
                       "     position: [-0.2, 0.05], velocity: [%g, 0]}\n",
                 of[i][0], of[i][1]);
        as_by_events(text, of[i][2], 8e-4, 2e-3);
    }
}

/* It leaves a face for a vertex, goes round that, slips, and flies. */
static void a_disc_rolls_off_a_table(void **state)
{
    (void)state;
    char text[TEXT];
    snprintf(text, sizeof text,
             TABLE "  - {name: b, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
                   "     position: [-0.105, 0.1], velocity: [0.4, 0], angular_velocity: -4}\n",
             0.5);
    as_by_events(text, 0.4, 8e-5, 1.2e-3);
}

static void a_ball_rolls_off_a_table(void **state)
{
    (void)state;
    as_by_events("materials: {default: {friction: 0.5}}\n"
                 "bodies:\n"
                 "  - {name: t, type: static, shape: {box: {size: [2, 2, 0.2]}},\n"
                 "     position: [-1, 0, -0.1]}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}},\n"
                 "     position: [-0.105, 0, 0.1], velocity: [0.4, 0.2, 0],\n"
                 "     angular_velocity: [-2, 4, 0]}\n",
                 0.4, 8e-5, 1e-3);
}

/* The end of a rod slides off the table, and the rod lands on the table's edge. */
static void the_end_of_a_rod_leaves_a_table(void **state)
{
    (void)state;
    char text[TEXT];
    snprintf(text, sizeof text,
             TABLE "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.6, 0.02]}},\n"
                   "     position: [\"-0.05 - 0.3*cos(0.5)\", \"0.3*sin(0.5) + 0.01*cos(0.5)\"],\n"
                   "     angle: -0.5, velocity: [1, 0]}\n",
             0.1);
    as_by_events(text, 0.2, 1e-4, 8e-4);
}

static void the_corner_of_a_box_slides_past_an_edge(void **state)
{
    (void)state;
    char text[TEXT];
    snprintf(text, sizeof text,
             TABLE "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.3]}},\n"
                   "     position: [\"-0.03 + 0.1*cos(0.3) - 0.15*sin(0.3)\",\n"
                   "     \"0.1*sin(0.3) + 0.15*cos(0.3)\"], angle: 0.3, velocity: [0.8, 0]}\n",
             0.2);
    as_by_events(text, 0.2, 4e-4, 3.5e-3);
}

/* Both fall alike, but something holds the lower one. */
static void a_box_slides_off_one_that_moves(void **state)
{
    (void)state;
    as_by_events("dimension: 2\n"
                 "gravity: [0, -9.81]\n"
                 "materials: {default: {friction: 0.2}}\n"
                 "bodies:\n"
                 "  - {name: f, type: static, shape: {halfplane: {normal: [0, 1]}},\n"
                 "     position: [0, -0.2]}\n"
                 "  - {name: t, type: dynamic, mass: 1, shape: {box: {size: [0.6, 0.2]}},\n"
                 "     position: [-0.3, -0.1]}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}},\n"
                 "     position: [-0.2, 0.05], velocity: [1.5, 0]}\n",
                 0.4, 8e-4, 8e-3);
}

static void edges_that_lie_across_each_other(void **state)
{
    (void)state;
    as_by_events("materials: {default: {friction: 0.6}}\n"
                 "bodies:\n"
                 "  - {name: t, type: static, shape: {box: {size: [0.3, 0.3, 0.3]}},\n"
                 "     euler: [0.7853981633974483, 0, 0], position: [0, 0, -0.21213203435596426]}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.6, 0.1, 0.05]}},\n"
                 "     position: [0.02, 0.005, 0.025], angular_velocity: [0.2, 0.1, 0.5]}\n",
                 0.25, 6e-4, 8e-3);
}

/*
 * Up a ramp of 1 in 2 and off its ridge: s along the ramp from (-0.8, 0.12), which is 0.02 above
 * it. The velocity is along the ramp, so that it falls on it first.
 */
static void a_particle_slides_over_a_ridge(void **state)
{
    (void)state;
    as_by_events("dimension: 2\n"
                 "gravity: [0, -9.81]\n"
                 "materials: {default: {friction: 0.3}}\n"
                 "bodies:\n"
                 "  - {name: t, type: static, shape: {polygon: {points: [[-1, 0], [0, 0.5],\n"
                 "     [1, 0.4], [1, -1], [-1, -1]]}}}\n"
                 "  - {name: b, type: particle, mass: 1, shape: {point: {}},\n"
                 "     position: [-0.8, 0.12], velocity: [4, 2]}\n",
                 0.4, 8e-5, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_slides_off_a_table),
        cmocka_unit_test(a_disc_rolls_off_a_table),
        cmocka_unit_test(a_ball_rolls_off_a_table),
        cmocka_unit_test(the_end_of_a_rod_leaves_a_table),
        cmocka_unit_test(the_corner_of_a_box_slides_past_an_edge),
        cmocka_unit_test(a_box_slides_off_one_that_moves),
        cmocka_unit_test(edges_that_lie_across_each_other),
        cmocka_unit_test(a_particle_slides_over_a_ridge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
