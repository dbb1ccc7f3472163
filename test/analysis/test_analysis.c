/* SPDX-License-Identifier: Apache-2.0 */
/* P-matrices, force ranges and Painleve against closed forms. */
#include "world.h"

static ss_answer p_matrix(const double *A, int32_t n)
{
    ss_context *ctx    = ss_context_create(NULL);
    ss_answer   answer = SS_UNDECIDED;
    assert_int_equal(ss_pmatrix(ctx, A, n, &answer), SS_OK);
    ss_context_destroy(ctx);
    return answer;
}

static void p_matrices(void **state)
{
    (void)state;
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double spd[4]      = {2, 1, 1, 2};
    const double skew_p[4]   = {1, 5, -5, 1}; /* not positive definite, yet P */
    const double minor[4]    = {1, 2, 2, 1};  /* det < 0                      */
    const double zero[4]     = {0, 1, 1, 0};
    const double corner[9]   = {1, 0, 0, 0, 1, 2, 0, 2, 1}; /* the minor {2, 3} is negative */
    assert_int_equal(p_matrix(identity, 3), SS_YES);
    assert_int_equal(p_matrix(spd, 2), SS_YES);
    assert_int_equal(p_matrix(skew_p, 2), SS_YES);
    assert_int_equal(p_matrix(minor, 2), SS_NO);
    assert_int_equal(p_matrix(zero, 2), SS_NO);
    assert_int_equal(p_matrix(corner, 3), SS_NO);
    assert_int_equal(p_matrix(NULL, 0), SS_YES);
}

static void open_floor(world *w, int dimension, double mu)
{
    open_world(w, dimension, "auto");
    add_material(w, mu, 0);
    add_floor(w);
}

static void step_once(world *w, double h)
{
    start(w);
    run(w, h, 1);
}

static void add_box(world *w, ss_vec3 size, ss_vec3 position, ss_vec3 velocity)
{
    ss_shape_def box    = {.type = "box"};
    box.params.box.size = size;
    ss_body_def def     = ss_body_def_default();
    def.name            = "box";
    def.mass            = 2;
    def.shape           = &box;
    def.position        = position;
    def.velocity        = velocity;
    check(w, ss_scene_add_body(w->scene, &def, NULL));
}

/* Three-legged things stand with known forces, four-legged ones do not: each leg 0 to m g / 2. */
static void four_legs(void **state)
{
    (void)state;
    const double h = 0.01, weight = 2 * 9.81;
    world        w;
    open_floor(&w, 3, 0);
    add_box(&w, ss_v3(1, 1, 0.2), ss_v3(0, 0, 0.1), ss_v3(0, 0, 0));
    step_once(&w, h);
    ss_force_range r[4];
    assert_int_equal(ss_data_contact_count(w.data), 4);
    assert_int_equal(ss_analyze_forces(w.model, w.data, r, 4), SS_OK);
    for (int i = 0; i < 4; i++) {
        assert_false(r[i].unique);
        assert_near(r[i].low[0] / h, 0, 1e-6);
        assert_near(r[i].high[0] / h, weight / 2, 1e-6);
    }
    close_world(&w);
}

/* Four legs that slide and spin: the motion tells what each of them bears, since each rubs in a
   direction of its own. */
static void legs_that_spin(void **state)
{
    (void)state;
    world          w;
    ss_force_range r[4];
    open_text(&w, "materials: {default: {friction: 0.4}}\n"
                  "bodies:\n"
                  "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                  "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.5, 0.3, 0.2]}},\n"
                  "     position: [0, 0, 0.1], velocity: [0.8, -0.5, 0],\n"
                  "     angular_velocity: [0, 0, 3.7]}\n");
    run(&w, 0.002, 1);
    assert_int_equal(ss_data_contact_count(w.data), 4);
    assert_int_equal(ss_analyze_forces(w.model, w.data, r, 4), SS_OK);
    for (int i = 0; i < 4; i++) {
        assert_true(r[i].unique);
        assert_true(r[i].high[0] < 0.002 * 9.81);
    }
    close_world(&w);
}

/* In 2D a frictionless box on two corners has unique forces: m g / 2 each. */
/* Friction used up at rest, in directions that no regular polygon has a corner in: ranges stay
 * finite. */
static void legs_at_their_limit(void **state)
{
    (void)state;
    for (int k = 0; k < 7; k++) {
        world          w;
        ss_force_range r[4];
        double         angle = 0.3 * k;
        open_floor(&w, 3, 0.5);
        add_box(&w, ss_v3(1, 1, 1), ss_v3(0, 0, 0.5), ss_v3(0, 0, 0));
        start(&w);
        double  limit = 0.5 * 9.81 * ss_model_mass(w.model, 1) * (1 - 1e-9);
        ss_vec3 push  = ss_v3(limit * cos(angle), limit * sin(angle), 0);
        /* at the floor: nothing tips */
        assert_int_equal(ss_data_push(w.model, w.data, 1, push, ss_cross(ss_v3(0, 0, -0.5), push)),
                         SS_OK);
        assert_int_equal(ss_step(w.model, w.data, 0.01), SS_OK);
        assert_int_equal(ss_analyze_forces(w.model, w.data, r, 4), SS_OK);
        for (int i = 0; i < 4; i++) {
            double weight = 0.01 * 9.81 * ss_model_mass(w.model, 1);
            assert_true(r[i].low[0] >= 0 && r[i].high[0] <= weight);
        }
        close_world(&w);
    }
}

static void two_legs(void **state)
{
    (void)state;
    world w;
    open_floor(&w, 2, 0);
    add_box(&w, ss_v3(1, 0.2, 0), ss_v3(0, 0.1, 0), ss_v3(0, 0, 0));
    step_once(&w, 0.01);
    ss_force_range r[2];
    assert_int_equal(ss_analyze_forces(w.model, w.data, r, 2), SS_OK);
    assert_true(r[0].unique && r[1].unique);
    assert_near(r[0].low[0] / 0.01, 9.81, 1e-6);
    close_world(&w);
}

/*
 * A box that slides on its four corners: while it turns, friction of the corners points different
 * ways, and as the weight goes from one diagonal to the other the motion becomes another, in every
 * model with a matrix. The other motion keeps all corners on the floor. Without a turn, or at rest,
 * there is one; and on three points, too, whatever it does.
 */
static void shares_move_bodies(void **state)
{
    (void)state;
    static const char *const models[] = {"{}", "{integrator: euler}", "{inertia: damped}",
                                         "{level: acceleration}"};
    static const char *const box      = "box: {size: [0.3, 0.2, 0.1]}";
    static const char *const tripod =
        "points: {points: [[0.1, 0, -0.05], [-0.05, 0.1, -0.05], [-0.05, -0.1, -0.05]]}";
    static const struct {
        const char       *shape;
        double            speed, spin;
        ss_motion_verdict want;
    } things[] = {{box, 0.5, 4, SS_MOTION_NOT_UNIQUE},
                  {box, 0.5, 0, SS_MOTION_UNIQUE},
                  {box, 0, 0, SS_MOTION_UNIQUE},
                  {tripod, 0.5, 4, SS_MOTION_UNIQUE}};
    for (size_t i = 0; i < 16; i++) {
        char              text[1500];
        world             w;
        ss_motion_verdict verdict;
        ss_body_motion    way[2];
        bool              damped = i / 4 == 2;
        snprintf(text, sizeof text,
                 "materials: {default: {friction: 0.3}}\n"
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                 "  - {name: b, type: dynamic, mass: 1, inertia: [0.01, 0.01, 0.01],\n"
                 "     shape: {%s}, position: [0, 0, 0.05], velocity: [%g, 0.2, 0],\n"
                 "     angular_velocity: [0, 0, %g]%s}\n"
                 "forces:\n"
                 "  - {name: f, type: constant, body: b, force: [%g, 0, 0], torque: [0, 0, %g]}\n"
                 "simulation: {model: %s}\n",
                 things[i % 4].shape, things[i % 4].speed, things[i % 4].spin,
                 damped ? ", damping: [1, 0.01]" : "", damped ? 10 * things[i % 4].speed : 0,
                 damped ? 0.2 * things[i % 4].spin : 0, models[i / 4]);
        if (things[i % 4].speed == 0) { /* at rest, not only without a turn */
            char *y = strstr(text, ", 0.2, 0]");
            assert_non_null(y);
            y[2] = y[4] = '0';
        }
        open_text(&w, text);
        run(&w, 0.001, 1);
        assert_int_equal(ss_analyze_motion(w.model, w.data, &verdict, way), SS_OK);
        assert_int_equal(verdict, things[i % 4].want);
        assert_near(way[1].velocity.z, 0, 1e-9);
        assert_near(hypot(way[1].angular_velocity.x, way[1].angular_velocity.y), 0, 1e-9);
        assert_true((ss_norm(way[1].velocity) > 0) == (verdict == SS_MOTION_NOT_UNIQUE));
        close_world(&w);
    }
}

/* With friction the two corners can squeeze: tangential forces are not unique while it sticks. */
static void squeezing(void **state)
{
    (void)state;
    world w;
    open_floor(&w, 2, 0.5);
    add_box(&w, ss_v3(1, 0.2, 0), ss_v3(0, 0.1, 0), ss_v3(0, 0, 0));
    step_once(&w, 0.01);
    ss_force_range r[2];
    assert_int_equal(ss_analyze_forces(w.model, w.data, r, 2), SS_OK);
    assert_false(r[0].unique);
    assert_near(r[0].high[0] - r[0].low[0], 0, 1e-9);
    assert_near(r[0].high[1] / 0.01, 0.5 * 9.81, 1e-4);
    assert_near(r[0].low[1] / 0.01, -0.5 * 9.81, 1e-4);
    close_world(&w);
}

/* Painleve's rod: N = 1/m + (c^2 - mu s c)/I per unit, c = l cos, s = l sin of the lean. */
static void painleve(void **state)
{
    (void)state;
    const double lean = 0.5235987755982988, mus[2] = {0.5, 1.5};
    for (int k = 0; k < 2; k++) {
        world w;
        open_floor(&w, 3, mus[k]);
        ss_shape_def tip         = {.type = "sphere"};
        tip.params.sphere.radius = 0.01;
        tip.position             = ss_v3(0, 0, -1);
        ss_body_def rod          = ss_body_def_default();
        rod.name                 = "rod";
        rod.mass                 = 1;
        rod.com_set              = true;
        rod.inertia_set          = true;
        rod.inertia              = ss_mat3_diagonal(1.0 / 3, 1.0 / 3, 1.0 / 3);
        rod.shape                = &tip;
        rod.position             = ss_v3(-sin(lean), 0, cos(lean) + 0.01);
        rod.orientation          = ss_quat_from_rotation(ss_v3(0, -lean, 0));
        rod.velocity             = ss_v3(3, 0, 0);
        check(&w, ss_scene_add_body(w.scene, &rod, NULL));
        step_once(&w, 1e-6);
        ss_sliding_verdict v;
        assert_int_equal(ss_analyze_sliding(w.model, w.data, &v), SS_OK);
        if (k == 0) {
            double x = sin(lean), z = cos(lean) + 0.01, I = 1.0 / 3;
            double bare = 1 + x * x / I, with = bare - mus[k] * x * z / I;
            assert_int_equal(v.contacts, 1);
            assert_int_equal(v.p_matrix, SS_YES);
            assert_near(v.lowest, with / bare, 1e-6);
        } else {
            assert_int_equal(v.contacts, 0); /* the one-step solution sticks */
        }
        close_world(&w);
    }
}

/*
 * The verdict is about the masses, whatever the model has in their place: a box that is pushed over
 * a floor has the same one in all three.
 */
static void sliding_in_every_model(void **state)
{
    (void)state;
    static const char *const models[] = {"dynamic", "quasistatic", "damped"};
    for (int k = 0; k < 3; k++) {
        char text[1200];
        snprintf(
            text, sizeof text,
            "dimension: 2\ngravity: [0, -10]\nmaterials:\n"
            "  default: {friction: 0.3}\n  slick: {friction: 0}\n"
            "bodies:\n"
            "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
            "  - {name: hand, type: kinematic, shape: {box: {size: [0.2, 0.2]}}, material: slick,"
            " position: [-0.6, 0.11], motion: {x: \"-0.6 + 0.5*t\", y: 0.11}}\n"
            "  - {name: box, type: dynamic, mass: 2, inertia: 0.5, damping: [3, 7],"
            " shape: {box: {size: [1, 0.4]}}, position: [0, 0.2], velocity: [0.5, 0]}\n"
            "simulation: {step: 0.01, duration: 1, model: {inertia: %s}}\n",
            models[k]);
        world w;
        open_text(&w, text);
        run(&w, 0.01, 3);
        ss_sliding_verdict v;
        assert_int_equal(ss_analyze_sliding(w.model, w.data, &v), SS_OK);
        assert_int_equal(v.contacts, 2);
        assert_int_equal(v.p_matrix, SS_YES);
        /* 1/m + x (x + mu y) / I over 1/m + x^2 / I, at the corner that leads: y = -0.2 */
        double bare = 1 / 2.0 + 0.5 * 0.5 / 0.5, with = 1 / 2.0 + 0.5 * (0.5 - 0.3 * 0.2) / 0.5;
        assert_near(v.lowest, with / bare, 1e-6);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p_matrices),
        cmocka_unit_test(four_legs),
        cmocka_unit_test(legs_at_their_limit),
        cmocka_unit_test(legs_that_spin),
        cmocka_unit_test(two_legs),
        cmocka_unit_test(shares_move_bodies),
        cmocka_unit_test(squeezing),
        cmocka_unit_test(painleve),
        cmocka_unit_test(sliding_in_every_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
