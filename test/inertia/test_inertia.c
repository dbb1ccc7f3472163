/* SPDX-License-Identifier: Apache-2.0 */
/* The inertia axis and supports in the plane, against closed forms and against each other. */
#include "world.h"

static const ss_vec3 tripod_points[3] = {{0.04, 0.02, 0}, {-0.04, 0.02, 0}, {0, -0.03, 0}};

static void open_plane(world *w, ss_inertia_kind inertia, ss_cone_kind cone)
{
    open_world(w, 2, "auto");
    ss_scene_set_gravity(w->scene, ss_v3(0, 0, 0));
    w->sim.axes.inertia         = inertia;
    w->sim.axes.cone            = cone;
    w->sim.axes.cone_directions = 8;
    add_material(w, 0.3, 0);
}

static void add_plate(world *w, const ss_support_def *support, ss_vec3 velocity)
{
    ss_shape_def box    = {.type = "box"};
    box.params.box.size = ss_v3(0.1, 0.06, 0);
    ss_body_def def     = ss_body_def_default();
    def.name            = "plate";
    def.mass            = 0.5;
    def.shape           = &box;
    def.velocity        = velocity;
    def.support         = support;
    def.damping_linear  = 2;
    def.damping_angular = 0.01;
    if (w->sim.axes.inertia != SS_INERTIA_DAMPED) {
        def.damping_linear = def.damping_angular = 0;
    }
    check(w, ss_scene_add_body(w->scene, &def, NULL));
}

static ss_support_def tripod(const double *friction)
{
    ss_support_def s = {.points         = tripod_points,
                        .point_count    = 3,
                        .friction       = friction,
                        .friction_count = 1,
                        .gravity        = 9.81};
    return s;
}

/* A plate that slides without turning loses mu g h of speed a step, whatever its three points. */
static void sliding_tripod(void **state)
{
    (void)state;
    const double   mu = 0.3, h = 0.001;
    ss_support_def s = tripod(&mu);
    world          w;
    open_plane(&w, SS_INERTIA_DYNAMIC, SS_CONE_QUADRATIC);
    add_plate(&w, &s, ss_v3(0.5, 0.2, 0));
    start(&w);
    double speed = hypot(0.5, 0.2);
    for (int i = 1; i <= 250; i++) {
        run(&w, h, 1);
        ss_body_state b = body(&w, 0);
        double        v = fmax(speed - mu * 9.81 * h * i, 0);
        assert_near(b.velocity.x, v * 0.5 / speed, 1e-12);
        assert_near(b.velocity.y, v * 0.2 / speed, 1e-12);
        assert_near(b.angular_velocity.z, 0, 1e-12);
    }
    close_world(&w);
}

/* Three points must span a triangle around the centre of mass. */
static void refused_supports(void **state)
{
    (void)state;
    const double  mu       = 0.3;
    const ss_vec3 line[3]  = {{-0.04, 0, 0}, {0, 0, 0}, {0.04, 0, 0}};
    const ss_vec3 aside[3] = {{0.01, 0.01, 0}, {0.04, 0.01, 0}, {0.02, 0.03, 0}};
    const struct {
        const ss_vec3 *points;
        int32_t        count;
        const char    *word;
    } cases[] = {{line, 3, "line"}, {aside, 3, "centre of mass"}, {aside, 2, "3 points"}};
    for (int i = 0; i < 3; i++) {
        ss_support_def s = tripod(&mu);
        s.points         = cases[i].points;
        s.point_count    = cases[i].count;
        world w;
        open_plane(&w, SS_INERTIA_DYNAMIC, SS_CONE_QUADRATIC);
        add_plate(&w, &s, ss_v3(0, 0, 0));
        assert_int_equal(try_start(&w), SS_ERR_INPUT);
        assert_non_null(strstr(ss_context_message(w.ctx), cases[i].word));
        close_world(&w);
    }
}

static int finger_motion(void *user, double t, double *values, int32_t count)
{
    memset(values, 0, (size_t)count * sizeof *values);
    values[0] = -0.0601 + *(const double *)user * t;
    values[1] = 0.01;
    return 0;
}

/* Where a plate is after a finger has pushed it 2 cm at some speed. */
static ss_body_state pushed(ss_inertia_kind inertia, ss_cone_kind cone, double speed, double *worst)
{
    const double   mu = 0.3;
    ss_support_def s  = tripod(&mu);
    world          w;
    open_plane(&w, inertia, cone);
    ss_shape_def tip         = {.type = "disc"};
    tip.params.sphere.radius = 0.01;
    ss_body_def finger       = ss_body_def_default();
    finger.name              = "finger";
    finger.type              = SS_BODY_KINEMATIC;
    finger.shape             = &tip;
    finger.motion.fn         = finger_motion;
    finger.motion.fn_user    = &speed;
    add_plate(&w, &s, ss_v3(0, 0, 0));
    check(&w, ss_scene_add_body(w.scene, &finger, NULL));
    start(&w);
    *worst = 0;
    for (int i = 0; i < 200; i++) {
        run(&w, 1e-4 / speed, 1);
        *worst = fmax(*worst, ss_data_report(w.data)->residual);
    }
    ss_body_state b = body(&w, 0);
    close_world(&w);
    return b;
}

/* Inertia forces go with the square of the speed, and so does what they change. */
static void slow_pushes_are_quasistatic(void **state)
{
    (void)state;
    const ss_cone_kind cones[2] = {SS_CONE_QUADRATIC, SS_CONE_POLYGON};
    for (int k = 0; k < 2; k++) {
        double        error[2], speed[2] = {0.02, 0.01}, worst;
        ss_body_state still = pushed(SS_INERTIA_QUASISTATIC, cones[k], 0.01, &worst);
        assert_true(worst < 1e-9);
        assert_true(still.position.x > 0.015 && fabs(still.angle) > 0.02);
        for (int i = 0; i < 2; i++) {
            ss_body_state moving = pushed(SS_INERTIA_DYNAMIC, cones[k], speed[i], &worst);
            error[i]             = ss_norm(ss_sub(moving.position, still.position));
        }
        double order = log(error[0] / error[1]) / log(speed[0] / speed[1]);
        assert_true(error[1] < 1e-4);
        if (k == 0) { /* a polygon's friction jumps between directions */
            assert_true(order > 1.5 && order < 2.5);
        }
    }
}

static void add_force(world *w, double x)
{
    ss_force_def force = {.name = "pull", .type = "constant", .body = "plate"};
    force.force[0]     = (ss_value){x, NULL};
    check(w, ss_scene_add_force(w->scene, &force));
}

/* E v = F, at once. */
static void damped_motion(void **state)
{
    (void)state;
    world w;
    open_plane(&w, SS_INERTIA_DAMPED, SS_CONE_QUADRATIC);
    add_plate(&w, NULL, ss_v3(3, 0, 0));
    add_force(&w, 0.5);
    start(&w);
    run(&w, 0.01, 1);
    assert_near(body(&w, 0).velocity.x, 0.25, 1e-15);
    close_world(&w);
}

/* Friction holds a plate against a small force; against a large one there is no equilibrium. */
static void held_or_not(void **state)
{
    (void)state;
    const double mu = 0.3, holds = 0.9 * mu * 0.5 * 9.81, fails = 1.1 * mu * 0.5 * 9.81;
    for (int i = 0; i < 2; i++) {
        ss_support_def s = tripod(&mu);
        world          w;
        open_plane(&w, SS_INERTIA_QUASISTATIC, SS_CONE_QUADRATIC);
        add_plate(&w, &s, ss_v3(0, 0, 0));
        add_force(&w, i == 0 ? holds : fails);
        start(&w);
        assert_int_equal(ss_step(w.model, w.data, 0.01), i == 0 ? SS_OK : SS_ERR_CERTIFICATE);
        assert_near(body(&w, 0).position.x, 0, 1e-14);
        close_world(&w);
    }
}

/* A weight on a rod, with the rounding of a cosine across, and held by a force that cancels it:
   rest, whatever the axes are. */
static void rounding_of_forces_needs_no_balance(void **state)
{
    (void)state;
    static const char *const forces[] = {"[6.1e-17, -1]", "[-1e-16, -1]", "[0, -1]"};
    for (int i = 0; i < 3; i++) {
        char  text[800];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [0, 0]\n"
                 "bodies: [{name: p, type: particle, mass: 1, position: [0, -1]}]\n"
                 "joints: [{name: d, type: distance, bodies: [world, p], anchor: [0, 0],\n"
                 "          anchor_b: [0, -1]}]\n"
                 "forces: [{type: constant, body: p, force: %s},\n"
                 "         {type: constant, body: p, force: [0.1, 0]},\n"
                 "         {type: constant, body: p, force: [-0.1, 0]}]\n"
                 "simulation: {step: 0.01, model: {inertia: quasistatic}}\n",
                 forces[i]);
        open_text(&w, text);
        run(&w, 0.01, 5);
        assert_near(ss_norm(body(&w, 0).velocity), 0, 1e-15);
        close_world(&w);
    }
}

/* Restitution is about momentum: a disc that a medium lets down, or a finger pushes, moves as if it
   had none. */
static void nothing_bounces_without_momentum(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        char  text[1000];
        bool  medium = i < 2;
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {default: {friction: 0.3, restitution: %g}}\nbodies:\n"
                 "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                 "  - {name: b, type: dynamic, mass: 1, damping: [20, 0.1], shape: {disc: {radius: "
                 "0.1}}, position: [0, %g], velocity: [0, -1]}\n"
                 "  - {name: p, type: kinematic, shape: {disc: {radius: 0.1}}, motion: {x: "
                 "\"-0.25+0.2*t\", y: 0.1}}\n"
                 "simulation: {step: 0.001, duration: 1, model: {inertia: %s}}\n",
                 i % 2 ? 0.9 : 0.1, medium ? 0.15 : 0.1, medium ? "damped" : "quasistatic");
        open_text(&w, text);
        run(&w, 0.001, 500);
        ss_body_state b = body_named(&w, "b");
        assert_near(b.position.y, 0.1, 1e-9);
        assert_near(b.position.x, 0.05, 1e-9); /* the finger came 0.05 m beyond where it touched */
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_tripod),
        cmocka_unit_test(refused_supports),
        cmocka_unit_test(slow_pushes_are_quasistatic),
        cmocka_unit_test(rounding_of_forces_needs_no_balance),
        cmocka_unit_test(damped_motion),
        cmocka_unit_test(nothing_bounces_without_momentum),
        cmocka_unit_test(held_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
