/* SPDX-License-Identifier: Apache-2.0 */
/* Protruding vertices and edges: what slides past them is not held, and nothing is let through. */
#include "world.h"

/* `set`: one override more, or NULL. */
static world open_with(const char *text, const char *model, const char *set)
{
    world       w            = {.ctx = ss_context_create(NULL)};
    const char *overrides[2] = {model, set};
    int32_t     count        = set != NULL ? 2 : model != NULL;
    check(&w, load_world(&w, text, overrides, count));
    return w;
}

static void step(world *w)
{
    run(w, ss_model_simulation(w->model)->step, 1);
    assert_int_equal(ss_data_report(w->data)->corners_open, 0);
}

static double difference(const ss_body_state *x, const ss_body_state *y)
{
    return ss_norm(ss_sub(x->position, y->position)) + ss_norm(ss_sub(x->velocity, y->velocity)) +
           ss_norm(ss_sub(x->angular_velocity, y->angular_velocity)) + fabs(x->angle - y->angle);
}

/* ---- two routes to one answer ---------------------------------------------------------------- */

static const char ramp[] =
    "name: a particle slides up a ramp and over its ridge\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "materials: {default: {friction: 0.3}}\n"
    "bodies:\n"
    "  - {name: ramp, type: static, shape: {polygon: {points: [[-1, 0], [0, 0.5], [1, 0.4], [1, "
    "-1],"
    " [-1, -1]]}}}\n"
    "  - {name: body, type: particle, mass: 1, shape: {point: {}}, position: [-0.8, 0.12],\n"
    "     velocity: [4, 2]}\n"
    "simulation: {step: 0.01, duration: 0.4, model: {cone: {polygon: 4}, integrator: euler}}\n";

static const char block[] =
    "name: a turned box slides over the edges of another\n"
    "gravity: [0, 0, -9.81]\n"
    "materials: {default: {friction: 0.2}}\n"
    "bodies:\n"
    "  - {name: block, type: static, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, -0.5]}\n"
    "  - {name: body, type: dynamic, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.3, 0.2, "
    "0.17],\n"
    "     shape: {box: {size: [0.2, 0.2, 0.2]}}, quat_wxyz: [0.88, 0.36, 0.28, 0.1],\n"
    "     velocity: [1.5, 0.4, 0]}\n"
    "simulation: {step: 0.01, duration: 0.5, model: {cone: {polygon: 4}, integrator: euler},\n"
    "  on_failure: mark} # psi/h as printed makes energy; here the two routes are compared\n";

/* Largest difference of the two models' motions; *rows: of the largest problem of the second. */
static double compare(const char *text, const char *first, const char *second, const char *set,
                      int steps, int32_t *rows)
{
    world  a = open_with(text, first, set), b = open_with(text, second, set);
    double worst = 0;
    *rows        = 0;
    for (int i = 0; i < steps; i++) {
        step(&a);
        step(&b);
        ss_body_state x = body_named(&a, "body"), y = body_named(&b, "body");
        worst         = fmax(worst, difference(&x, &y));
        int32_t extra = ss_data_report(b.data)->rows - ss_data_report(a.data)->rows;
        *rows         = extra > *rows ? extra : *rows;
    }
    close_world(&a);
    close_world(&b);
    return worst;
}

static const char exact[]           = "simulation.model.corners=exact";
static const char convex[]          = "simulation.model.corners=convex";
static const char complementarity[] = "simulation.model.corners=complementarity";

static void both_routes_give_the_same_motion(void **state)
{
    (void)state;
    static const char *const in_plane[] = {"bodies.body.position=[-0.8, 0.12]",
                                           "bodies.body.position=[-0.815, 0.12]",
                                           "bodies.body.position=[-0.7, 0.2]"};
    static const char *const in_space[] = {"bodies.body.position=[0.3, 0.2, 0.17]",
                                           "bodies.body.position=[0.31, 0.2, 0.17]",
                                           "bodies.body.position=[0.29, 0.2, 0.17]"};
    int32_t                  rows;
    for (int i = 0; i < 3; i++) {
        assert_near(compare(ramp, exact, complementarity, in_plane[i], 40, &rows), 0, 1e-9);
        assert_true(rows > 8); /* the second really solved the larger problem */
        assert_true(compare(ramp, exact, convex, in_plane[i], 40, &rows) > 1e-3);
        assert_near(compare(block, exact, complementarity, in_space[i], 50, &rows), 0, 1e-9);
        assert_true(rows > 8);
        assert_true(compare(block, exact, convex, in_space[i], 50, &rows) > 1e-3);
    }
}

static void what_complementarity_cannot_do_is_refused(void **state)
{
    (void)state;
    world             w     = {.ctx = ss_context_create(NULL)};
    const char *const set[] = {complementarity, "simulation.model.cone=quadratic"};
    assert_int_equal(load_world(&w, ramp, set, 2), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(w.ctx), "corners: exact"));
    close_world(&w);
}

/* ---- what passes, and what stops ------------------------------------------------------------- */

/* Pieces lie flush: nothing may catch on the seams, whatever slides over them, without friction. */
static void nothing_catches_on_a_seam(void **state)
{
    (void)state;
    static const char floor[] =
        "name: seams\n"
        "gravity: [0, 0, -9.81]\n"
        "materials: {default: {friction: 0}}\n"
        "bodies:\n"
        "  - {name: a, type: static, shape: {box: {size: [1, 2, 0.5]}}, position: [-0.5, 0, "
        "-0.25]}\n"
        "  - {name: b, type: static, shape: {box: {size: [1, 2, 0.5]}}, position: [0.5, 0, "
        "-0.25]}\n"
        "  - {name: body, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}},\n"
        "     position: [-0.4, 0, 0.1], velocity: [1, 0.1, 0]}\n"
        "simulation: {step: 0.01, duration: 0.8}\n";
    static const char *const shapes[] = {"bodies.body.shape={sphere: {radius: 0.1}}",
                                         "bodies.body.shape={box: {size: [0.2, 0.2, 0.2]}}",
                                         "bodies.body.shape={cylinder: {radius: 0.1, length: 0.2}}",
                                         "bodies.body.shape={capsule: {radius: 0.1, length: 1e-3}}",
                                         "bodies.body.shape={convex: {points: [[-0.1, -0.1, -0.1], "
                                         "[0.1, -0.1, -0.1], [0, 0.1, -0.1], "
                                         "[0, 0, 0.1]]}}"};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        world w = open_with(floor, exact, shapes[i]);
        for (int k = 0; k < 80; k++) {
            step(&w);
        }
        assert_near(body_named(&w, "body").velocity.x, 1, 1e-9);
        close_world(&w);
    }
}

/* .. wherever before the seam a step begins: from half a step before an edge on its tangent plane
   would hold a ball that the face lets pass. */
static void balls_pass_seams_from_everywhere(void **state)
{
    (void)state;
    static const char *const floors[] = {
        "gravity: [0, 0, -9.81]\n"
        "materials: {default: {friction: 0}}\n"
        "bodies:\n"
        "  - {name: a, type: static, shape: {box: {size: [1, 2, 1]}}, position: [-0.5, 0, -0.5]}\n"
        "  - {name: b, type: static, shape: {box: {size: [1, 2, 1]}}, position: [0.5, 0, -0.5]}\n"
        "  - {name: body, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}},\n"
        "     position: [-0.2, 0, 0.1], velocity: [3, 0.1, 0]}\n"
        "simulation: {step: 0.01}\n",
        "dimension: 2\n"
        "materials: {default: {friction: 0}}\n"
        "bodies:\n"
        "  - {name: a, type: static, shape: {box: {size: [1, 1]}}, position: [-0.5, -0.5]}\n"
        "  - {name: b, type: static, shape: {box: {size: [1, 1]}}, position: [0.5, -0.5]}\n"
        "  - {name: body, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
        "     position: [-0.2, 0.1], velocity: [3, 0]}\n"
        "simulation: {step: 0.01}\n"};
    for (int i = 0; i < 16; i++) {
        char place[64];
        snprintf(place, sizeof place, "bodies.body.position.0=%g", -0.2 - 0.03 * (i / 2) / 8);
        world w = open_with(floors[i % 2], exact, place);
        for (int k = 0; k < 12; k++) {
            step(&w);
        }
        assert_near(body_named(&w, "body").velocity.x, 3, 1e-9);
        close_world(&w);
    }
}

/* A particle leaves a box over a vertical edge: it falls from the step in which it has left. */
static void a_point_falls_off_a_box(void **state)
{
    (void)state;
    static const char text[] =
        "name: off the corner\n"
        "gravity: [0, 0, -9.81]\n"
        "materials: {default: {friction: 0}}\n"
        "bodies:\n"
        "  - {name: block, type: static, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, -0.5]}\n"
        "  - {name: body, type: particle, mass: 1, shape: {point: {}}, position: [0.45, 0.45, 0],\n"
        "     velocity: [1, 1, 0]}\n"
        "simulation: {step: 0.01, duration: 0.1}\n";
    world w = open_with(text, exact, NULL);
    for (int k = 1; k <= 10; k++) {
        step(&w);
        ss_body_state s     = body_named(&w, "body");
        int           fell  = k - 5; /* at step 5 it stands at the corner itself */
        double        most  = fell >= 0 ? 9.81 * 0.01 * (fell + 1) : 0;
        double        least = fell > 0 ? 9.81 * 0.01 * fell : 0;
        assert_near(s.velocity.x, 1, 1e-12);
        assert_near(s.velocity.y, 1, 1e-12);
        assert_true(-s.velocity.z >= least - 1e-9 && -s.velocity.z <= most + 1e-9);
    }
    close_world(&w);
}

/* A fast particle does not get through a wall thinner than its step. */
static void thin_walls_stop_what_is_fast(void **state)
{
    (void)state;
    static const char text[] =
        "name: wall\n"
        "dimension: 2\n"
        "gravity: [0, 0]\n"
        "materials: {default: {friction: 0}}\n"
        "bodies:\n"
        "  - {name: wall, type: static, shape: {box: {size: [0.01, 1]}}}\n"
        "  - {name: body, type: particle, mass: 1, shape: {point: {}}, position: [-0.1, 0.1],\n"
        "     velocity: [30, 1]}\n"
        "simulation: {step: 0.01, duration: 0.1}\n";
    world w = open_with(text, exact, NULL);
    for (int k = 0; k < 10; k++) {
        step(&w);
    }
    assert_near(body_named(&w, "body").position.x, -0.005, 1e-12);
    close_world(&w);
}

/* A re-entrant corner: both sides hold. The groove is one polygon, cut into convex pieces. */
static void grooves_hold_from_both_sides(void **state)
{
    (void)state;
    static const char        text[]   = "name: groove\n"
                                        "dimension: 2\n"
                                        "gravity: [0, -9.81]\n"
                                        "materials: {default: {friction: 0}}\n"
                                        "bodies:\n"
                                        "  - {name: groove, type: static, shape: {polygon: {points: [[-1, "
                                        "0.6], [-1, -1], [1, -1],\n"
                                        "     [1, 0.3], [0, 0]]}}}\n"
                                        "  - {name: body, type: dynamic, mass: 1, shape: {disc: {radius: "
                                        "1e-3}}, position: [-0.5, 0.4],\n"
                                        "     inertia: 1e-3, damping: 2}\n"
                                        "simulation: {step: 0.01, duration: 8}\n";
    static const char *const shapes[] = {"bodies.body.shape={point: {}}",
                                         "bodies.body.shape={box: {size: [0.05, 0.02]}}"};
    static const char *const model[]  = {
         "simulation.model={corners: exact, integrator: euler}",
         "simulation.model={corners: exact, integrator: midpoint}",
    };
    /* The velocities of an impact are those of the end of a step, a smooth one takes the mean of
       two: the box, which turns by 0.04 in the step after its impact, dips in by half the square of
       that times its arm. */
    static const double depth[] = {1e-9, 0.5 * 0.04 * 0.04 * 0.027};
    for (int i = 0; i < 4; i++) {
        world w = open_with(text, model[i / 2], shapes[i % 2]);
        for (int k = 0; k < 800; k++) {
            step(&w);
            assert_true(ss_data_report(w.data)->penetration < depth[i / 2]);
        }
        ss_body_state s = body_named(&w, "body");
        assert_true(ss_norm(s.velocity) < 1e-3);
        assert_true(fabs(s.position.x) < 0.05 && s.position.y > -1e-6 && s.position.y < 0.05);
        close_world(&w);
    }
}

/* Deepest overlap of a box that falls on a capsule, both tumbling. */
static double tumbling_overlap(double h)
{
    static const char text[] =
        "name: tumbling\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.3, 0.2, 0.1]}},\n"
        "     position: [0, 0, 0.3], quat_wxyz: [1.1149, -0.079, 2.1928, 0.4278]}\n"
        "  - {name: body, type: dynamic, mass: 1, shape: {capsule: {radius: 0.06, length: 0.2}},\n"
        "     position: [0.02, 0.01, 0.75], quat_wxyz: [0.4193, -0.5484, -0.5701, -0.47]}\n";
    double deepest = 0;
    world  w       = open_with(text, NULL, NULL);
    for (int i = 0; i < (int)lround(1 / h); i++) {
        run(&w, h, 1);
        deepest = fmax(deepest, ss_data_report(w.data)->penetration);
    }
    close_world(&w);
    return deepest;
}

/* Either end of what is straight may be the one that comes to lie on a face: none is forgotten. */
static void overlaps_are_of_second_order(void **state)
{
    (void)state;
    double coarse = tumbling_overlap(0.00125), fine = tumbling_overlap(0.0003125);
    assert_true(tumbling_overlap(0.005) < 2e-3); /* h^2 w^2 r/2 at the 25 rad/s they come to */
    assert_true(coarse / fine > 10);             /* 16 */
}

/* What slides past an edge is inside the extension of the side, and overlaps nothing. */
static void passing_an_edge_is_no_overlap(void **state)
{
    (void)state;
    static const char text[] =
        "name: off the edge\n"
        "bodies:\n"
        "  - {name: table, type: static, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, -0.5]}\n"
        "  - {name: body, type: particle, mass: 1, shape: {point: {}}, position: [0.42, 0, 0],\n"
        "     velocity: [3, 0, 0]}\n";
    world w = open_with(text, exact, NULL);
    for (int i = 0; i < 8; i++) {
        run(&w, 0.01, 1);
        assert_true(ss_data_report(w.data)->penetration < 1e-12);
    }
    assert_true(body_named(&w, "body").position.x > 0.55);
    assert_true(body_named(&w, "body").position.z < -1e-3);
    close_world(&w);
}

/* ---- determinism ----------------------------------------------------------------------------- */

/* Two squares that overlap equally in both directions part in one of them, whoever comes first. */
static void equal_overlaps_part_alike_in_every_order(void **state)
{
    (void)state;
    static const char first[] =
        "name: overlap\n"
        "dimension: 2\n"
        "gravity: [0, 0]\n"
        "materials: {default: {friction: 0}}\n"
        "bodies:\n"
        "  - {name: other, type: dynamic, mass: 2, shape: {box: {size: [1, "
        "1]}}, position: [0, 0]}\n"
        "  - {name: body, type: dynamic, mass: 1, shape: {box: {size: [1, "
        "1]}}, position: [0.9, 0.9]}\n"
        "simulation: {step: 0.01, duration: 1, allow_overlap: true, model: {integrator: euler}}\n";
    static const char second[] =
        "name: overlap\n"
        "dimension: 2\n"
        "gravity: [0, 0]\n"
        "materials: {default: {friction: 0}}\n"
        "bodies:\n"
        "  - {name: body, type: dynamic, mass: 1, shape: {box: {size: [1, "
        "1]}}, position: [0.9, 0.9]}\n"
        "  - {name: other, type: dynamic, mass: 2, shape: {box: {size: "
        "[1, 1]}}, position: [0, 0]}\n"
        "simulation: {step: 0.01, duration: 1, allow_overlap: true, model: {integrator: euler}}\n";
    world a = open_with(first, exact, NULL), b = open_with(second, exact, NULL);
    for (int k = 0; k < 3; k++) {
        step(&a);
        step(&b);
        ss_body_state x = body_named(&a, "body"), y = body_named(&b, "body");
        assert_near(difference(&x, &y), 0, 1e-12);
    }
    assert_near(body_named(&a, "body").position.x, 0.9, 1e-12); /* they part along y */
    assert_true(body_named(&a, "body").position.y > 0.9 + 0.06);
    close_world(&a);
    close_world(&b);
}

/* ---- every combination ----------------------------------------------------------------------- */

/* A vertex pushes a plate on supports and passes one of its corners. */
static const char pushed[] =
    "name: push\n"
    "dimension: 2\n"
    "gravity: [0, 0]\n"
    "materials: {default: {friction: 0.3}}\n"
    "bodies:\n"
    "  - {name: finger, type: kinematic, shape: {box: {size: [0.02, 0.02]}},\n"
    "     motion: {x: \"-0.0655 + 0.05*t\", y: 0.029, angle: 0.7853981633974483}}\n"
    "  - {name: body, type: dynamic, mass: 0.5, shape: {box: {size: [0.1, 0.06]}}, damping: 5,\n"
    "     support: {points: [[0.04, 0.02], [-0.04, 0.02], [0, -0.025]], friction: 0.3}}\n"
    "simulation: {step: 0.01, duration: 1}\n";

static void every_inertia_and_cone_works_with_every_value(void **state)
{
    (void)state;
    static const char *const inertias[] = {"dynamic", "damped", "quasistatic"};
    static const char *const cones[]    = {"quadratic", "{polygon: 4}"};
    static const char *const corners[]  = {"exact", "convex", "complementarity"};
    for (int i = 0; i < 18; i++) {
        char model[160];
        int  inertia = i % 3, cone = i / 3 % 2, corner = i / 6;
        if (corner == 2 && (cone == 0 || inertia == 2)) {
            continue; /* refused: the test above */
        }
        snprintf(model, sizeof model, "simulation.model={inertia: %s, cone: %s, corners: %s}",
                 inertias[inertia], cones[cone], corners[corner]);
        world w = open_with(pushed, model, NULL);
        for (int k = 0; k < 60; k++) {
            if (ss_step(w.model, w.data, 0.01) != SS_OK) {
                fail_msg("%s: %s", model, ss_context_message(w.ctx));
            }
            if (corner != 1) { /* the plate turns by at most 0.01 rad a step, 0.05 m away */
                assert_near(ss_data_report(w.data)->penetration, 0, 0.01 * 0.01 / 2 * 0.05);
            }
        }
        assert_true(body_named(&w, "body").position.x > 1e-3 ||
                    fabs(body_named(&w, "body").angle) > 0.01);
        close_world(&w);
    }
}

/* ---- faces that are far from flat on each other -----------------------------------------------
 */

static const char turned[] =
    "name: a box pushed at its corner, without momentum\n"
    "materials: {default: {friction: 0.1}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: pusher, type: kinematic, shape: {box: {size: [0.04, 0.04, 0.04]}},\n"
    "     motion: {x: 0.02*t, y: 0.02, z: 0.04}}\n"
    "  - {name: body, type: dynamic, mass: 1, shape: {box: {size: [0.08, 0.1, 0.08]}},\n"
    "     position: [0.08, 0, 0.04], euler: [0, 0, 0.4], damping: [1, 0.01]}\n"
    "simulation: {step: 0.01, duration: 3, model: {inertia: damped}}\n";

/*
 * The corner went 2 mm into the pusher, which a face 0.4 rad off did not see, and jumped out. What
 * turns overlaps by h^2 w^2 r / 2 (r: 64 mm to a corner). Where it ends was chance, by how the
 * corners of the box and the two ends of the edge share their loads: 12 mm apart from step to step,
 * the normal of the pusher or of the box where the one nears the end of the other. Now steps of 10,
 * 5, 2, 1 and 0.5 ms end at y = -2.161, -2.168, -2.174, -2.176 and -2.178 mm.
 */
static void pushers_do_not_enter_what_is_turned(void **state)
{
    (void)state;
    world  w       = open_with(turned, NULL, NULL);
    double fastest = 0;
    for (int i = 0; i < 300; i++) {
        ss_body_state before = body_named(&w, "body");
        step(&w);
        ss_body_state after = body_named(&w, "body");
        fastest             = fmax(fastest, ss_norm(ss_sub(after.position, before.position)));
        double turn         = 0.01 * ss_norm(after.angular_velocity);
        assert_true(ss_data_report(w.data)->penetration < 1e-9 + turn * turn / 2 * 0.064);
    }
    assert_true(fastest < 2 * 0.02 * 0.01); /* no jumps: no faster than twice the pusher's step */
    assert_near(body_named(&w, "body").position.y, -2.18e-3, 4e-5);
    close_world(&w);
}

/* ---- corners without a choice ---------------------------------------------------------------- */

static const char tumble[] =
    "name: a box tumbles on the edge of another at a coarse step\n"
    "materials: {default: {friction: 0.5}}\n"
    "bodies:\n"
    "  - {name: block, type: static, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, -0.5]}\n"
    "  - {name: b0, type: dynamic, density: 1000, shape: {box: {size: [0.2, 0.3, 0.15]}}, "
    "position: [-0.10, -0.50, 0.3],\n"
    "     quat_wxyz: [0.61, 0.95, -0.43, -0.40], velocity: [-0.4, 1.6, -2],\n"
    "     angular_velocity: [1, -1, -1]}\n"
    "simulation: {step: 0.02, duration: 0.06}\n";

/* The step in which no choice of branches agrees with the motion. */
static ss_step_report third_step(const char *splits)
{
    world w = open_with(tumble, splits, NULL);
    run(&w, ss_model_simulation(w.model)->step, 3);
    ss_step_report report = *ss_data_report(w.data);
    close_world(&w);
    return report;
}

static void corners_without_a_choice_are_cut(void **state)
{
    (void)state;
    ss_step_report whole = third_step("simulation.max_splits=0"), cut = third_step(NULL);
    assert_int_equal(whole.corners_open, 1);
    assert_int_equal(whole.splits, 0);
    assert_int_equal(cut.corners_open, 0);
    assert_true(cut.splits + cut.events > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_routes_give_the_same_motion),
        cmocka_unit_test(what_complementarity_cannot_do_is_refused),
        cmocka_unit_test(nothing_catches_on_a_seam),
        cmocka_unit_test(balls_pass_seams_from_everywhere),
        cmocka_unit_test(a_point_falls_off_a_box),
        cmocka_unit_test(thin_walls_stop_what_is_fast),
        cmocka_unit_test(grooves_hold_from_both_sides),
        cmocka_unit_test(overlaps_are_of_second_order),
        cmocka_unit_test(passing_an_edge_is_no_overlap),
        cmocka_unit_test(equal_overlaps_part_alike_in_every_order),
        cmocka_unit_test(pushers_do_not_enter_what_is_turned),
        cmocka_unit_test(corners_without_a_choice_are_cut),
        cmocka_unit_test(every_inertia_and_cone_works_with_every_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
