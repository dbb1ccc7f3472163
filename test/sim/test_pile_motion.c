/* SPDX-License-Identifier: Apache-2.0 */
/* Piles: islands too large to be solved exactly at little cost, solved to a motion error. */

#include "balls.h"

static bool midpoint; /* the next pile is integrated so */

/* `side` x `side` x `high` balls in a box, a little apart and out of line; in 2D discs. Every
   second one weighs `heavy`, the others 1 kg. */
static void open_mixed(world *w, int dimension, int side, int high, ss_accuracy accuracy,
                       double motion, double heavy)
{
    open_world(w, dimension, NULL);
    w->sim.accuracy = accuracy;
    w->sim.motion   = motion;
    if (midpoint) {
        w->sim.axes.integrator = SS_INTEGRATOR_MIDPOINT;
    }
    const bool flat = dimension == 2;
    ss_scene_set_gravity(w->scene, flat ? ss_v3(0, -9.81, 0) : ss_v3(0, 0, -9.81));
    const double half = 0.11 * side + 0.01;
    for (int i = 0; i < (flat ? 3 : 5); i++) {
        static const double n2[3][3] = {{0, 1, 0}, {1, 0, 0}, {-1, 0, 0}};
        static const double n3[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
        const double       *n        = flat ? n2[i] : n3[i];
        ss_shape_def        wall     = {.type = flat ? "halfplane" : "plane"};
        ss_body_def         def      = ss_body_def_default();
        char                name[16];
        snprintf(name, sizeof name, "wall%d", i);
        wall.params.plane.normal = ss_v3(n[0], n[1], n[2]);
        wall.params.plane.offset = i == 0 ? 0 : -half;
        def.name                 = name;
        def.type                 = SS_BODY_STATIC;
        def.shape                = &wall;
        check(w, ss_scene_add_body(w->scene, &def, NULL));
    }
    for (int i = 0; i < side * (flat ? 1 : side) * high; i++) {
        ss_shape_def ball         = {.type = flat ? "disc" : "sphere"};
        ball.params.sphere.radius = 0.1;
        ss_body_def def           = ss_body_def_default();
        char        name[16];
        snprintf(name, sizeof name, "b%d", i);
        int    x = i % side, y = flat ? 0 : i / side % side, z = i / side / (flat ? 1 : side);
        double dx = 0.005 * sin(3.7 * i), dy = 0.005 * sin(5.3 * i + 1);
        double px = (x - 0.5 * (side - 1)) * 0.22 + dx, py = (y - 0.5 * (side - 1)) * 0.22 + dy;
        def.name     = name;
        def.mass     = i % 2 == 0 ? heavy : 1;
        def.shape    = &ball;
        def.position = flat ? ss_v3(px, 0.12 + 0.21 * z, 0) : ss_v3(px, py, 0.12 + 0.21 * z);
        check(w, ss_scene_add_body(w->scene, &def, NULL));
    }
    start(w);
}

static void open_pile(world *w, int dimension, int side, int high, ss_accuracy accuracy,
                      double motion)
{
    open_mixed(w, dimension, side, high, accuracy, motion, 1);
}

/* The same with the integrator that scenes have where they name none; tests of steps as printed do
   without it. */
static void open_midpoint(world *w, int dimension, double motion)
{
    midpoint = true;
    open_pile(w, dimension, 5, dimension == 2 ? 20 : 4, SS_ACCURACY_MOTION, motion);
    midpoint = false;
}

/* 200 steps of a pile that falls: each keeps the motion error that was asked for, and energy grows
   by no more than a part `most` of it in any, and by a thousandth of what was dissipated in all. */
static void pour(world *w, double asked, double most)
{
    double  before = total_energy(w), lowest = before;
    int32_t large = 0;
    for (int i = 0; i < 200; i++) {
        run(w, 0.005, 1);
        const ss_step_report *r = ss_data_report(w->data);
        assert_true(r->motion_error <= asked);
        assert_true(total_energy(w) <= before * (1 + most));
        before            = total_energy(w);
        lowest            = fmin(lowest, before);
        double dissipated = ss_data_energy(w->model, w->data).dissipated;
        assert_true(before - lowest <= 1e-3 * dissipated + most * before);
        large += r->by_motion > 0;
    }
    assert_true(large > 20); /* it was a pile, not a row of small islands */
    assert_true(ss_data_report(w->data)->penetration < 1e-4);
}

/*
 * At every motion error overlaps of steps before, whose energy is gone, are not lifted out of
 * nothing (recover/shift_limit.c), and contacts that miss their laws give nothing
 * (rounds/reason_gain.c). Islands of a few balls, which fall in columns, are exact: there smooth
 * steps stop what closes slowly, and the next one lifts what that leaves, up to 8e-6 of the energy,
 * less than what the step before took. As printed (euler) psi/h pushes overlaps apart, which at
 * 1e-1 puts energy in.
 */
static void motion_is_right(void **state)
{
    (void)state;
    static const double asked[] = {1e-1, 1e-2, 1e-3};
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int k = 0; k < 3; k++) {
            world w;
            open_pile(&w, dimension, 5, dimension == 2 ? 20 : 4, SS_ACCURACY_MOTION, asked[k]);
            pour(&w, asked[k], k == 0 ? 1e-4 : 1e-12);
            close_world(&w);
            if (k == 2) {
                continue; /* as long as all the others */
            }
            open_midpoint(&w, dimension, asked[k]);
            pour(&w, asked[k], 1e-5);
            close_world(&w);
        }
    }
}

/* A fast ball strikes a pile: balls far faster than their bounds meet what they could not reach. */
static void struck(void **state)
{
    (void)state;
    static const double asked[] = {1e-1, 1e-2};
    for (int k = 0; k < 2; k++) {
        world w;
        open_midpoint(&w, 3, asked[k]);
        run(&w, 0.005, 150);
        ss_body_state x = body(&w, 5 + 97);
        x.velocity      = ss_v3(3, 2, -40);
        check(&w, ss_data_set_body(w.model, w.data, 5 + 97, &x));
        double before = total_energy(&w);
        for (int i = 0; i < 100; i++) {
            run(&w, 0.005, 1);
            assert_true(ss_data_report(w.data)->penetration < 1e-4);
            assert_true(total_energy(&w) <= before * (1 + 1e-8));
            before = total_energy(&w);
        }
        close_world(&w);
    }
}

/* A pile at rest stays where it is, though every step is only as right as was asked for: in the
   last of eight seconds half of the balls move by less than 2e-5 m. */
static void no_creep(void **state)
{
    (void)state;
    enum { BALLS = 100 };
    for (int k = 0; k < 2; k++) {
        world   w;
        ss_vec3 at[BALLS];
        int     crept = 0;
        if (k == 0) {
            open_pile(&w, 3, 5, 4, SS_ACCURACY_AUTO, 0);
        } else {
            open_midpoint(&w, 3, 1e-2);
        }
        run(&w, 0.005, 1400);
        for (int i = 0; i < BALLS; i++) {
            at[i] = body(&w, 5 + i).position;
        }
        run(&w, 0.005, 200);
        for (int i = 0; i < BALLS; i++) {
            crept += ss_norm(ss_sub(body(&w, 5 + i).position, at[i])) > 2e-5;
        }
        assert_true(crept < BALLS / 4); /* single balls may still roll about */
        close_world(&w);
    }
}

/* Heavy balls on light ones: single precision would hide what is asked for, and is not used. */
static void heavy_on_light(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        world w;
        open_mixed(&w, dimension, 4, dimension == 2 ? 8 : 2, SS_ACCURACY_MOTION, 1e-3, 1e5);
        double before = total_energy(&w);
        for (int i = 0; i < 60; i++) {
            run(&w, 0.005, 1);
            assert_true(ss_data_report(w.data)->motion_error <= 1e-3);
            assert_true(total_energy(&w) <= before * (1 + 1e-12));
            before = total_energy(&w);
        }
        close_world(&w);
    }
}

/* auto: small islands are exact, large ones are not, and both are told. */
static void auto_tells_what_it_did(void **state)
{
    (void)state;
    world w;
    open_pile(&w, 3, 2, 2, SS_ACCURACY_AUTO, 0);
    for (int i = 0; i < 200; i++) {
        run(&w, 0.005, 1);
        assert_int_equal(ss_data_report(w.data)->by_motion, 0);
        assert_true(ss_data_report(w.data)->residual <= 1e-9);
    }
    close_world(&w);
    open_pile(&w, 3, 6, 3, SS_ACCURACY_AUTO, 0);
    bool some = false;
    for (int i = 0; i < 100; i++) {
        run(&w, 0.005, 1);
        const ss_step_report *r     = ss_data_report(w.data);
        int32_t               loose = 0;
        for (int32_t k = 0; k < r->islands; k++) {
            loose += !ss_data_problem_exact(w.data, k);
            assert_true(ss_data_problem_exact(w.data, k) ||
                        ss_data_problem_motion_error(w.data, k) <= 1e-2);
        }
        assert_int_equal(loose, r->by_motion);
        some = some || loose > 0;
    }
    assert_true(some);
    close_world(&w);
}

/* exact: nothing is accepted by its motion error. */
static void exact_stays_exact(void **state)
{
    (void)state;
    world w;
    open_pile(&w, 3, 5, 2, SS_ACCURACY_EXACT, 0);
    for (int i = 0; i < 40; i++) {
        run(&w, 0.005, 1);
        assert_int_equal(ss_data_report(w.data)->by_motion, 0);
        assert_true(ss_data_report(w.data)->residual <= 1e-9);
    }
    close_world(&w);
}

/* Contacts of a wall each miss their laws by a little, and its top would sway by the sum of it. */
static void walls_stand_still(void **state)
{
    (void)state;
    enum { COURSE = 6, COURSES = 10, SETTLE = 200, WATCH = 100 };
    world  w;
    double was[COURSE * COURSES], moved = 0;
    open_world(&w, 3, NULL);
    w.sim.accuracy        = SS_ACCURACY_MOTION;
    w.sim.motion          = 1e-2;
    w.sim.axes.integrator = SS_INTEGRATOR_MIDPOINT;
    ss_scene_set_gravity(w.scene, ss_v3(0, 0, -9.81));
    add_material(&w, 0.6, 0);
    add_floor(&w);
    for (int i = 0; i < COURSE * COURSES; i++) {
        ss_shape_def brick = {.type = "box", .params = {.box = {{0.2, 0.1, 0.065}}}};
        ss_body_def  def   = ss_body_def_default();
        char         name[16];
        snprintf(name, sizeof name, "brick%d", i);
        def.name  = name;
        def.mass  = 2.3;
        def.shape = &brick;
        def.position =
            ss_v3(0.202 * (i % COURSE) + i / COURSE % 2 * 0.101, 0, 0.0325 + 0.065 * (i / COURSE));
        check(&w, ss_scene_add_body(w.scene, &def, NULL));
    }
    start(&w);
    run(&w, 0.005, SETTLE);
    for (int i = 0; i < COURSE * COURSES; i++) {
        was[i] = body(&w, i + 1).position.y;
    }
    for (int k = 0; k < WATCH; k++) {
        run(&w, 0.005, 1);
        for (int i = 0; i < COURSE * COURSES; i++) {
            moved = fmax(moved, fabs(body(&w, i + 1).position.y - was[i]));
        }
    }
    print_message("bricks sway by %.2g m\n", moved);
    assert_true(moved < 1e-4); /* 2.6e-4 where each step is solved to the motion error alone */
    close_world(&w);
}

/* Twelve blocks, three across three in four layers, gaps of that size between them, on a floor that
   moves at `speed` together with them. */
static void open_tower(world *w, ss_accuracy accuracy, double gap, double speed)
{
    enum { LAYERS = 4, BESIDE = 3 };
    open_world(w, 3, NULL);
    w->sim.accuracy        = accuracy;
    w->sim.axes.integrator = SS_INTEGRATOR_MIDPOINT;
    ss_scene_set_gravity(w->scene, ss_v3(0, 0, -9.81));
    add_material(w, 0.3, 0.8);
    ss_shape_def plane        = {.type = "plane"};
    ss_body_def  floor        = ss_body_def_default();
    plane.params.plane.normal = ss_v3(0, 0, 1);
    floor.name                = "floor";
    floor.type                = speed != 0 ? SS_BODY_KINEMATIC : SS_BODY_STATIC;
    floor.shape               = &plane;
    floor.velocity            = ss_v3(speed, 0, 0);
    check(w, ss_scene_add_body(w->scene, &floor, NULL));
    for (int i = 0; i < LAYERS * BESIDE; i++) {
        int          layer  = i / BESIDE;
        bool         across = layer % 2 == 1;
        double       aside  = 0.102 * (i % BESIDE - 1);
        ss_shape_def block  = {.type = "box", .params = {.box = {{0.3, 0.099, 0.06}}}};
        ss_shape_def turned = {.type = "box", .params = {.box = {{0.099, 0.3, 0.06}}}};
        ss_body_def  def    = ss_body_def_default();
        char         name[16];
        snprintf(name, sizeof name, "block%d", i);
        def.name     = name;
        def.mass     = 1.782;
        def.shape    = across ? &turned : &block;
        def.velocity = ss_v3(speed, 0, 0);
        def.position =
            ss_v3(across ? aside : 0, across ? 0 : aside, 0.03 + 0.06 * layer + gap * (layer + 1));
        check(w, ss_scene_add_body(w->scene, &def, NULL));
    }
    start(w);
}

/* Products of a tower's tenth of a second, in which its blocks may move by `most` beside the floor.
 */
static double stand(ss_accuracy accuracy, double gap, double speed, double most)
{
    enum { STEPS = 10, BLOCKS = 12 };
    const double h = 0.01;
    world        w;
    double       work = 0;
    ss_vec3      was[BLOCKS];
    open_tower(&w, accuracy, gap, speed);
    for (int i = 0; i < BLOCKS; i++) {
        was[i] = body(&w, i + 1).position;
    }
    for (int k = 0; k < STEPS; k++) {
        run(&w, h, 1);
        assert_int_equal(ss_data_report(w.data)->by_motion, 0);
        work += ss_data_report(w.data)->work;
    }
    for (int i = 0; i < BLOCKS; i++) {
        ss_vec3 is = body(&w, i + 1).position;
        assert_true(fabs(is.x - was[i].x - STEPS * h * speed) <= most);
        assert_true(fabs(is.y - was[i].y) <= most && fabs(is.z - was[i].z) <= most);
    }
    close_world(&w);
    return work;
}

/* A tower stands, whatever rounding made of its gaps and however fast its floor moves, and is not
   dearer than where everything is solved exactly. */
static void towers_stand(void **state)
{
    (void)state;
    static const struct {
        double gap, speed, most;
    } cases[] = {
        {0, 0, 1e-13}, {1e-12, 0, 1e-11}, {-1e-9, 0, 1e-8}, {0, 1, 1e-12}, {0, 100, 1e-10}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double gap = cases[i].gap, speed = cases[i].speed, most = cases[i].most;
        double as_told = stand(SS_ACCURACY_AUTO, gap, speed, most);
        double exact   = stand(SS_ACCURACY_EXACT, gap, speed, most);
        print_message("gap %g, %g m/s: %.3g products, exact %.3g\n", gap, speed, as_told, exact);
        assert_true(as_told <= 1.1 * exact);
    }
}

/* The problem of a stack at rest is the one of the step before, to the bit, and costs no solving.
 */
static void rest_costs_nothing(void **state)
{
    (void)state;
    enum { CUBES = 10, STEPS = 50 };
    world  w;
    double first = 0, last = 0;
    open_world(&w, 3, NULL);
    w.sim.axes.integrator = SS_INTEGRATOR_MIDPOINT;
    ss_scene_set_gravity(w.scene, ss_v3(0, 0, -9.81));
    add_material(&w, 0.5, 0);
    add_floor(&w);
    for (int i = 0; i < CUBES; i++) {
        ss_shape_def cube = {.type = "box", .params = {.box = {{1, 1, 1}}}};
        ss_body_def  def  = ss_body_def_default();
        char         name[16];
        snprintf(name, sizeof name, "cube%d", i);
        def.name     = name;
        def.mass     = 1;
        def.shape    = &cube;
        def.position = ss_v3(0, 0, 0.5 + i);
        check(&w, ss_scene_add_body(w.scene, &def, NULL));
    }
    start(&w);
    for (int k = 0; k < STEPS; k++) {
        run(&w, 0.01, 1);
        last  = ss_data_report(w.data)->work;
        first = k == 0 ? last : first;
    }
    print_message("first step %.3g products, last %.3g\n", first, last);
    assert_true(last <= 0.02 * first);
    for (int i = 0; i < CUBES; i++) {
        assert_true(ss_norm(body(&w, i + 1).velocity) == 0);
    }
    close_world(&w);
}

/* The same bits for every number of threads, and when restored into fresh data. */
static void same_bits(void **state)
{
    (void)state;
    uint64_t hash = 0;
    for (int threads = 1; threads <= 4; threads++) {
        world w;
        open_pile(&w, 3, 6, 4, SS_ACCURACY_AUTO, 0);
        if (threads > 1 && ss_data_set_threads(w.data, threads) == SS_ERR_UNSUPPORTED) {
            print_message("SKIPPED: this build has no threads\n");
            close_world(&w);
            return;
        }
        run(&w, 0.005, 60);
        assert_restores(&w, 0.005, 1);
        assert_true(threads == 1 || hash == ss_state_hash(w.model, w.data));
        hash = ss_state_hash(w.model, w.data);
        close_world(&w);
    }
}

/* A pile so large that threads share its sweeps. */
static void threads_share_a_pile(void **state)
{
    (void)state;
    uint64_t hash = 0;
    for (int threads = 1; threads <= 3; threads++) {
        world w;
        open_pile(&w, 3, 10, 10, SS_ACCURACY_AUTO, 0);
        if (threads > 1 && ss_data_set_threads(w.data, threads) == SS_ERR_UNSUPPORTED) {
            print_message("SKIPPED: this build has no threads\n");
            close_world(&w);
            return;
        }
        run(&w, 0.005, 20);
        assert_true(ss_data_report(w.data)->rows > 3000);
        assert_true(threads == 1 || hash == ss_state_hash(w.model, w.data));
        hash = ss_state_hash(w.model, w.data);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motion_is_right),
        cmocka_unit_test(struck),
        cmocka_unit_test(no_creep),
        cmocka_unit_test(walls_stand_still),
        cmocka_unit_test(towers_stand),
        cmocka_unit_test(rest_costs_nothing),
        cmocka_unit_test(heavy_on_light),
        cmocka_unit_test(auto_tells_what_it_did),
        cmocka_unit_test(exact_stays_exact),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(threads_share_a_pile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
