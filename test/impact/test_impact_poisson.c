/* SPDX-License-Identifier: Apache-2.0 */
/* Poisson's law of impact: closed formulas, and energy that does not grow. */
#include "joint/mechanism.h"
#include "sim/balls.h"

static void surface(world *w, const char *name, double mu, double e, ss_impact_kind impact)
{
    ss_material_def def = {.name = name, .friction = mu, .restitution = e, .impact = impact};
    check(w, ss_scene_add_material(w->scene, &def));
}

static double kinetic(const world *w)
{
    return ss_data_energy(w->model, w->data).kinetic;
}

/* Both phases are certified, and the sum of their rows' impulses is what changed the momentum. */
static void certified(const world *w, int32_t rounds)
{
    const ss_step_report *r = ss_data_report(w->data);
    assert_int_equal(r->outcome, SS_SOLVED);
    assert_true(r->residual <= 1e-10);
    assert_true(r->rounds >= rounds);
}

/* One ball, no forces: the same as Newton's, and the contact tells (1 + e) m u. */
static void one_ball_bounces_as_with_newton(void **state)
{
    (void)state;
    for (int kind = SS_IMPACT_NEWTON; kind <= SS_IMPACT_POISSON; kind++) {
        world w;
        open_world(&w, 3, "auto");
        ss_scene_set_gravity(w.scene, ss_v3(0, 0, 0));
        surface(&w, "default", 0, 0.6, (ss_impact_kind)kind);
        add_floor(&w);
        add_ball(&w, "ball", 0.1, ss_v3(0, 0, 0.1005), ss_v3(0.3, 0, -1), ss_v3(0, 0, 0));
        start(&w);
        run(&w, 1e-3, 1);
        certified(&w, kind == SS_IMPACT_POISSON ? 2 : 1);
        assert_near(body(&w, 1).velocity.z, 0.6, 1e-12);
        assert_near(body(&w, 1).velocity.x, 0.3, 1e-12);
        ss_contact_info c;
        ss_data_contact(w.model, w.data, 0, &c);
        assert_near(c.impulse[0], 1.6, 1e-12);
        close_world(&w);
    }
}

/* With gravity the forces of the step act after the impact; bouncing ends, and the ball rests. */
static void bouncing_ends(void **state)
{
    (void)state;
    const double h = 1e-3;
    world        w;
    open_world(&w, 3, "auto");
    surface(&w, "default", 0.3, 0.5, SS_IMPACT_POISSON);
    add_floor(&w);
    add_ball(&w, "ball", 0.1, ss_v3(0, 0, 1.1), ss_v3(0, 0, 0), ss_v3(0, 0, 0));
    start(&w);
    double before = 0, after = 0, energy = total_energy(&w);
    for (int i = 0; i < 3000 && after <= 0; i++) {
        before = body(&w, 1).velocity.z;
        run(&w, h, 1);
        after = body(&w, 1).velocity.z;
    }
    assert_near(after, -0.5 * before - 9.81 * h, 1e-12);
    for (int i = 0; i < 3000; i++) {
        run(&w, h, 1);
        assert_true(total_energy(&w) <= energy + 1e-12);
        energy = total_energy(&w);
    }
    assert_near(body(&w, 1).velocity.z, 0, 1e-12);
    assert_near(body(&w, 1).position.z, 0.1, 1e-9);
    assert_int_equal(ss_data_report(w.data)->rounds, 1);
    close_world(&w);
}

/* Three balls of equal mass that touch, the first arrives at speed 1. */
static void hit_three(ss_impact_kind kind, double e1, double e2, double *v)
{
    static const char *const names[] = {"b0", "b1", "b2"}, *const of[] = {"A", "B", "C"};
    world w;
    open_world(&w, 3, "auto");
    ss_scene_set_gravity(w.scene, ss_v3(0, 0, 0));
    for (int i = 0; i < 3; i++) {
        surface(&w, of[i], 0, 0, kind);
    }
    ss_pair_def pairs[2] = {{.between = {"A", "B"}, .friction = -1, .restitution = e1},
                            {.between = {"B", "C"}, .friction = -1, .restitution = e2}};
    check(&w, ss_scene_add_pair(w.scene, &pairs[0]));
    check(&w, ss_scene_add_pair(w.scene, &pairs[1]));
    for (int i = 0; i < 3; i++) {
        ss_shape_def ball         = {.type = "sphere"};
        ball.params.sphere.radius = 0.1;
        ss_body_def def           = ss_body_def_default();
        def.name                  = names[i];
        def.mass                  = 1;
        def.shape                 = &ball;
        def.material              = of[i];
        def.position              = ss_v3(0.2 * i, 0, 0);
        def.velocity              = ss_v3(i == 0 ? 1 : 0, 0, 0);
        check(&w, ss_scene_add_body(w.scene, &def, NULL));
    }
    start(&w);
    run(&w, 1e-3, 1);
    certified(&w, 1);
    for (int i = 0; i < 3; i++) {
        v[i] = body(&w, i).velocity.x;
    }
    assert_near(v[0] + v[1] + v[2], 1, 1e-12);
    assert_true(kinetic(&w) <= 0.5 + 1e-12);
    close_world(&w);
}

static void expect_three(const double *v, double v0, double v1, double v2)
{
    assert_near(v[0], v0, 1e-12);
    assert_near(v[1], v1, 1e-12);
    assert_near(v[2], v2, 1e-12);
}

/*
 * The compression leaves all with 1/3, by impulses 2/3 and 1/3; the expansion returns e1 2/3 and
 * e2 1/3. Newton's law does not see e2: the second contact was not closing.
 */
static void touching_balls_return_what_they_passed_on(void **state)
{
    (void)state;
    double v[3];
    hit_three(SS_IMPACT_POISSON, 0.5, 1, v);
    expect_three(v, 0, 1 / 3.0, 2 / 3.0);
    hit_three(SS_IMPACT_NEWTON, 0.5, 1, v);
    expect_three(v, 0, 0.5, 0.5);
    hit_three(SS_IMPACT_POISSON, 0, 1, v); /* nothing strikes with e > 0: one round, e = 0 */
    expect_three(v, 1 / 3.0, 1 / 3.0, 1 / 3.0);
    hit_three(SS_IMPACT_POISSON, 0.25, 1, v); /* the first contact just stays closed */
    expect_three(v, 1 / 6.0, 1 / 6.0, 2 / 3.0);
    hit_three(SS_IMPACT_POISSON, 0.1, 1, v); /* it is pressed again: x = 0.1 */
    expect_three(v, 1 / 6.0, 1 / 6.0, 2 / 3.0);
    for (int i = 0; i < 2; i++) { /* equal e: the laws agree where all contacts stay closed */
        hit_three(i == 0 ? SS_IMPACT_NEWTON : SS_IMPACT_POISSON, 1, 1, v);
        expect_three(v, -1 / 3.0, 2 / 3.0, 2 / 3.0);
    }
}

/*
 * What e = 1 loses: the third ball goes away from the second at 0.75 while they touch, bears
 * nothing in the compression, c = (1/2, 0), and is pressed by what the first contact returns, x =
 * (0, 1/8). That is x.W x/2 = 1/64 of 25/32 J, at every step.
 */
static void what_the_expansion_presses_returns_nothing(void **state)
{
    (void)state;
    static const double steps[] = {0.01, 0.001, 0.0001};
    for (int i = 0; i < 3; i++) {
        world w;
        char  text[700];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [0, 0]\n"
                 "materials: {default: {friction: 0, restitution: 1, impact: poisson}}\n"
                 "bodies:\n"
                 "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
                 "     velocity: [1, 0]}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
                 "     position: [0.2, 0]}\n"
                 "  - {name: c, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
                 "     position: [0.4, 0], velocity: [0.75, 0]}\n"
                 "simulation: {step: %g}\n",
                 steps[i]);
        open_text(&w, text);
        run(&w, steps[i], 1);
        assert_near(body_named(&w, "a").velocity.x, 0, 1e-12);
        assert_near(body_named(&w, "b").velocity.x, 0.875, 1e-12);
        assert_near(body_named(&w, "c").velocity.x, 0.875, 1e-12);
        ss_energy e = ss_data_energy(w.model, w.data);
        assert_near(e.kinetic, 25.0 / 32 - 1.0 / 64, 1e-12);
        assert_near(e.dissipated, 1.0 / 64, 1e-12);
        close_world(&w);
    }
}

/* Friction is mu times all of the normal impulse while the ball slides, and stops it at 5/7. */
static void oblique_impacts_rub_in_both_phases(void **state)
{
    (void)state;
    const double mu[] = {0.05, 0.11, 0.17, 0.3};
    for (int k = 0; k < 8; k++) {
        world w;
        open_world(&w, 3, "auto");
        ss_scene_set_gravity(w.scene, ss_v3(0, 0, 0));
        if (k >= 4) {
            w.sim.axes.cone            = SS_CONE_POLYGON;
            w.sim.axes.cone_directions = 8;
        }
        surface(&w, "default", mu[k % 4], 0.8, SS_IMPACT_POISSON);
        add_floor(&w);
        add_ball(&w, "ball", 0.1, ss_v3(0, 0, 0.1), ss_v3(1, 0, -1), ss_v3(0, 0, 0));
        start(&w);
        double before = kinetic(&w);
        run(&w, 1e-3, 1);
        certified(&w, 2);
        assert_near(body(&w, 1).velocity.z, 0.8, 1e-10);
        double slid = 1 - mu[k % 4] * 1.8;
        assert_near(body(&w, 1).velocity.x, fmax(slid, 5 / 7.0), 1e-10);
        assert_true(kinetic(&w) < before);
        assert_near(ss_data_energy(w.model, w.data).dissipated, before - kinetic(&w), 1e-10);
        ss_contact_info c;
        ss_data_contact(w.model, w.data, 0, &c);
        assert_near(c.impulse[0], 1.8, 1e-10);
        assert_near(c.impulse[1], body(&w, 1).velocity.x - 1, 1e-10);
        close_world(&w);
    }
}

static void add_box(world *w, double angle, ss_vec3 velocity, ss_vec3 spin)
{
    ss_shape_def box     = {.type = "box"};
    box.params.box.size  = ss_v3(0.2, 0.3, 0.6);
    ss_body_def def      = ss_body_def_default();
    def.name             = "box";
    def.mass             = 1;
    def.shape            = &box;
    def.orientation      = ss_quat_from_rotation(ss_v3(0, angle, 0));
    def.position         = ss_v3(0, 0, 0.3 * cos(angle) + 0.1 * sin(angle) + 1e-3);
    def.velocity         = velocity;
    def.angular_velocity = spin;
    check(w, ss_scene_add_body(w->scene, &def, NULL));
}

/* Boxes that topple, rock and slide onto their corners: no step adds energy. */
static void rocking_never_gains_energy(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        world w;
        open_world(&w, 3, "auto");
        surface(&w, "default", k % 2 == 0 ? 0 : 0.3, k < 2 ? 1 : 0.6, SS_IMPACT_POISSON);
        add_floor(&w);
        add_box(&w, 0.1 + 0.2 * k, ss_v3(0.5 * k - 1, 0, -1), ss_v3(0, 1 - k, 0));
        start(&w);
        double energy  = total_energy(&w);
        int    impacts = 0;
        for (int i = 0; i < 1000; i++) {
            run(&w, 1e-3, 1);
            certified(&w, 1);
            impacts += ss_data_report(w.data)->rounds > 1;
            assert_true(total_energy(&w) <= energy + 1e-9);
            energy = total_energy(&w);
        }
        assert_true(impacts > 0);
        close_world(&w);
    }
}

/* A thin rod meets the floor with its lower end; the kinetic energy that the impact gives it. */
static double energy_gained(ss_impact_kind kind, double angle, double slip, double mu,
                            double *factor)
{
    world w;
    open_world(&w, 2, "auto");
    ss_scene_set_gravity(w.scene, ss_v3(0, 0, 0));
    surface(&w, "default", mu, 0.9, kind);
    add_floor(&w);
    ss_shape_def rod    = {.type = "box"};
    rod.params.box.size = ss_v3(2, 0.02, 0);
    ss_body_def def     = ss_body_def_default();
    def.name            = "rod";
    def.mass            = 1;
    def.shape           = &rod;
    def.angle           = angle;
    def.position        = ss_v3(0, sin(angle) + 0.01 * cos(angle), 0);
    def.velocity        = ss_v3(slip, -1, 0);
    check(&w, ss_scene_add_body(w.scene, &def, NULL));
    start(&w);
    double before = kinetic(&w);
    run(&w, 1e-4, 1);
    certified(&w, 1);
    double gained = kinetic(&w) - before;
    *factor       = ss_data_report(w.data)->restitution_factor;
    close_world(&w);
    return gained;
}

/* Where friction reverses the slip, Newton's law can add energy; Poisson's does not. */
static void eccentric_impacts(void **state)
{
    (void)state;
    const ss_impact_kind laws[] = {SS_IMPACT_NEWTON, SS_IMPACT_POISSON};
    int                  scaled = 0;
    for (int k = 0; k < 600; k++) {
        double angle = 0.2 + 0.13 * (k % 10), slip = 0.4 * ((k / 10) % 10) - 1.8;
        double mu = 0.3 + 0.5 * (k / 100 % 3), factor = 1;
        double gained = energy_gained(laws[k / 300], angle, slip, mu, &factor);
        if (!(gained <= 1e-9)) {
            fail_msg("angle %g, slip %g, mu %g: gains %g", angle, slip, mu, gained);
        }
        scaled += factor < 1;
    }
    assert_true(scaled > 0); /* Newton's law alone would have made energy */
}

static int rising(void *user, double t, double *values, int32_t count)
{
    const double pose[7] = {0, 0, -0.505 + t, 1, 0, 0, 0};
    (void)user;
    memcpy(values, pose, (size_t)count * sizeof *values);
    return 0;
}

/* A wall that moves at speed 1 throws a ball at rest with 1 + e, by either law. */
static void moving_walls_throw(void **state)
{
    (void)state;
    for (int kind = SS_IMPACT_NEWTON; kind <= SS_IMPACT_POISSON; kind++) {
        world w;
        open_world(&w, 3, "auto");
        ss_scene_set_gravity(w.scene, ss_v3(0, 0, 0));
        surface(&w, "default", 0, 0.5, (ss_impact_kind)kind);
        ss_shape_def box    = {.type = "box"};
        box.params.box.size = ss_v3(1, 1, 1);
        ss_body_def wall    = ss_body_def_default();
        wall.name           = "wall";
        wall.type           = SS_BODY_KINEMATIC;
        wall.shape          = &box;
        wall.motion.fn      = rising;
        check(&w, ss_scene_add_body(w.scene, &wall, NULL));
        add_ball(&w, "ball", 0.1, ss_v3(0, 0, 0.1), ss_v3(0, 0, 0), ss_v3(0, 0, 0));
        start(&w);
        run(&w, 1e-3, 20);
        assert_near(body(&w, 1).velocity.z, 1.5, 1e-9);
        close_world(&w);
    }
}

/* A ball that bounces, one that rests, and a pendulum with friction that depends on its load. */
static void open_three_islands(world *w, ss_impact_kind kind)
{
    open_world(w, 3, "auto");
    surface(w, "default", 0.3, 0.9, kind);
    add_floor(w);
    add_ball(w, "bounces", 0.1, ss_v3(0, 0, 0.5), ss_v3(0, 0, 0), ss_v3(0, 0, 0));
    add_ball(w, "rolls", 0.1, ss_v3(1, 0, 0.1), ss_v3(0, 0.3, 0), ss_v3(1, 0, 2));
    add_pendulum(w, ss_v3(2, 0, 1), ss_v3(3, 0, 1), 0.01);
    start(w);
}

/* To the last bit. */
static void islands_that_nothing_strikes_do_not_notice(void **state)
{
    (void)state;
    world newton, poisson;
    open_three_islands(&newton, SS_IMPACT_NEWTON);
    open_three_islands(&poisson, SS_IMPACT_POISSON);
    double fastest = 0;
    for (int i = 0; i < 1000; i++) {
        run(&newton, 1e-3, 1);
        run(&poisson, 1e-3, 1);
        for (int k = 2; k <= 3; k++) {
            ss_body_state a = body(&newton, k), b = body(&poisson, k);
            assert_memory_equal(&a.velocity, &b.velocity, sizeof a.velocity);
            assert_memory_equal(&a.position, &b.position, sizeof a.position);
        }
        fastest = fmax(fastest, body(&poisson, 1).velocity.z);
    }
    assert_near(fastest, 0.9 * sqrt(2 * 9.81 * 0.4), 0.03); /* it did bounce */
    close_world(&newton);
    close_world(&poisson);
}

/* A plate on supports strikes a wall: its island is solved by velocities, and the expansion began
   without what the compression gave. */
static void plates_on_supports_bounce(void **state)
{
    (void)state;
    world w;
    open_text(&w, "dimension: 2\n"
                  "gravity: [0, 0]\n"
                  "materials: {default: {friction: 0, restitution: 0.5, impact: poisson}}\n"
                  "bodies:\n"
                  "  - {name: wall, type: static, position: [0.2, 0],\n"
                  "     shape: {halfplane: {normal: [-1, 0]}}}\n"
                  "  - {name: plate, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
                  "     velocity: [1, 0], support: {points: [[0.05, 0], [-0.05, 0.05],\n"
                  "     [-0.05, -0.05]], friction: 1e-6}}\n");
    run(&w, 1e-3, 200);
    assert_near(body_named(&w, "plate").velocity.x, -0.5, 1e-5);
    close_world(&w);
}

/* Quasistatic bodies have no momentum to return. */
static void only_with_inertia(void **state)
{
    (void)state;
    world w;
    open_world(&w, 3, "auto");
    w.sim.axes.inertia = SS_INERTIA_QUASISTATIC;
    surface(&w, "default", 0.3, 0.5, SS_IMPACT_POISSON);
    add_floor(&w);
    assert_int_equal(try_start(&w), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(w.ctx), "expected inertia: dynamic"));
    close_world(&w);
}

/* In the middle of a step other contacts touch than at its start: impacts begin anew there. */
static void piles_of_anything_bounce(void **state)
{
    (void)state;
    world w = {.ctx = ss_context_create(NULL)};
    assert_non_null(w.ctx);
    check(&w, ss_scene_load(w.ctx, "test/impact/mixed_pile.yaml", NULL, 0, &w.scene));
    check(&w, compile_world(&w));
    double before = total_energy(&w);
    run(&w, ss_model_simulation(w.model)->step, 200);
    assert_true(total_energy(&w) < before);
    close_world(&w);
}

/* What touches two walls cannot leave the one it strikes: Newton's law has no solution there, and
   nothing is returned. */
static void a_blocked_rebound_stops(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "dimension: 2\n"
              "gravity: [0, 0]\n"
              "materials: {default: {friction: 0.3, restitution: 0.5}}\n"
              "bodies:\n"
              "  - {name: l, type: static, shape: {halfplane: {normal: [1, 0], offset: -0.1}}}\n"
              "  - {name: r, type: static, shape: {halfplane: {normal: [-1, 0], offset: -0.1}}}\n"
              "  - {name: b, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, velocity: [1, "
              "0]}\n"
              "simulation: {step: 0.001}\n");
    run(&w, 0.001, 1);
    assert_near(body_named(&w, "b").velocity.x, 0, 1e-9);
    assert_near(ss_data_report(w.data)->restitution_factor, 0, 0);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blocked_rebound_stops),
        cmocka_unit_test(one_ball_bounces_as_with_newton),
        cmocka_unit_test(bouncing_ends),
        cmocka_unit_test(plates_on_supports_bounce),
        cmocka_unit_test(touching_balls_return_what_they_passed_on),
        cmocka_unit_test(what_the_expansion_presses_returns_nothing),
        cmocka_unit_test(oblique_impacts_rub_in_both_phases),
        cmocka_unit_test(rocking_never_gains_energy),
        cmocka_unit_test(eccentric_impacts),
        cmocka_unit_test(moving_walls_throw),
        cmocka_unit_test(islands_that_nothing_strikes_do_not_notice),
        cmocka_unit_test(only_with_inertia),
        cmocka_unit_test(piles_of_anything_bounce),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
