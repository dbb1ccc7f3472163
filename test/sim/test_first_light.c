/* SPDX-License-Identifier: Apache-2.0 */
/* Closed-form physics through the whole step, in 3D and 2D, with both cones. */
#include "world.h"

static void open_with(world *w, int dimension, ss_cone_kind cone, double mu)
{
    open_world(w, dimension, "auto");
    w->sim.axes.cone            = cone;
    w->sim.axes.cone_directions = 4;
    add_material(w, mu, 0);
    add_floor(w);
}

/* Trinkle 2003, section 4: v = 2 - mu g t, w = 5/2 mu g t until both are 10/7. */
static void slide_then_roll(int dimension, ss_cone_kind cone, double h)
{
    const double mu = 0.2, g = 9.81, r = 1;
    world        w;
    open_with(&w, dimension, cone, mu);
    ss_shape_def ball         = {.type = dimension == 3 ? "sphere" : "disc"};
    ball.params.sphere.radius = r;
    ss_body_def def           = ss_body_def_default();
    def.name                  = "ball";
    def.mass                  = 1;
    def.shape                 = &ball;
    def.position              = dimension == 3 ? ss_v3(0, 0, r) : ss_v3(0, r, 0);
    def.velocity              = ss_v3(2, 0, 0);
    const double k            = dimension == 3 ? 0.4 : 0.5; /* inertia / (m r^2) */
    check(&w, ss_scene_add_body(w.scene, &def, NULL));
    start(&w);
    double roll = 2 / (1 + k) * 1.0, t_roll = 2 * k / (1 + k) / (mu * g);
    for (int i = 1; i * h < 0.61; i++) {
        run(&w, h, 1);
        ss_body_state s = body(&w, 1);
        double        t = i * h;
        double        v = t < t_roll ? 2 - mu * g * t : roll;
        double        o = t < t_roll ? mu * g * t / k : roll;
        assert_near(s.velocity.x, v, 1e-12);
        assert_near(dimension == 3 ? s.angular_velocity.y : -s.angular_velocity.z, o, 1e-12);
        assert_true(ss_data_report(w.data)->residual < 1e-12);
    }
    close_world(&w);
}

static void sphere_slides_then_rolls(void **state)
{
    (void)state;
    const double steps[] = {0.12, 0.01, 0.001};
    for (int i = 0; i < 3; i++) {
        slide_then_roll(3, SS_CONE_POLYGON, steps[i]);
        slide_then_roll(2, SS_CONE_POLYGON, steps[i]);
        slide_then_roll(3, SS_CONE_QUADRATIC, steps[i]);
        slide_then_roll(2, SS_CONE_QUADRATIC, steps[i]);
    }
}

/* Down a slope at 2/3 g sin a, on a plane and on the face of a box, without a bump. */
static void cylinder_rolls_down(void **state)
{
    (void)state;
    const double a = 0.2, g = 9.81, r = 0.1;
    for (int i = 0; i < 4; i++) {
        ss_shape_def face = {.type = "box", .params.box.size = {20, 20, 1}};
        ss_shape_def roll = {.type = "cylinder", .params.capsule = {r, 0.3}};
        ss_body_def  slab = {.name = "slab", .shape = &face, .position = {0, 0, -0.5}};
        ss_body_def  def  = ss_body_def_default();
        double       h    = i < 2 ? 0.01 : 0.001;
        world        w;
        open_world(&w, 3, NULL);
        ss_scene_set_gravity(w.scene, ss_v3(g * sin(a), 0, -g * cos(a)));
        slab.type       = SS_BODY_STATIC;
        def.name        = "cylinder";
        def.mass        = 1;
        def.shape       = &roll;
        def.position    = ss_v3(0, 0, r);
        def.orientation = ss_quat_from_rotation(ss_v3(acos(0), 0, 0));
        if (i % 2 == 0) {
            add_floor(&w);
        } else {
            check(&w, ss_scene_add_body(w.scene, &slab, NULL));
        }
        check(&w, ss_scene_add_body(w.scene, &def, NULL));
        start(&w);
        run(&w, h, (int)lround(1 / h));
        ss_body_state s = body(&w, 1);
        assert_near(s.velocity.x, 2 * g * sin(a) / 3, 1e-11);
        assert_near(s.angular_velocity.y, s.velocity.x / r, 1e-10);
        assert_near(s.position.z, r, 1e-12);
        close_world(&w);
    }
}

static void add_box(world *w, const char *name, ss_vec3 size, double height)
{
    ss_shape_def box    = {.type = "box"};
    box.params.box.size = size;
    ss_body_def def     = ss_body_def_default();
    def.name            = name;
    def.mass            = 1;
    def.shape           = &box;
    def.position        = w->dimension == 3 ? ss_v3(0, 0, height) : ss_v3(0, height, 0);
    check(w, ss_scene_add_body(w->scene, &def, NULL));
}

/* A box on a slope: gravity is tilted instead of the plane. */
static double slope(int dimension, ss_cone_kind cone, double excess, double h, double duration)
{
    const double mu = 0.5, g = 9.81, angle = atan(mu) + excess;
    world        w;
    open_with(&w, dimension, cone, mu);
    ss_scene_set_gravity(w.scene, dimension == 3 ? ss_v3(g * sin(angle), 0, -g * cos(angle))
                                                 : ss_v3(g * sin(angle), -g * cos(angle), 0));
    add_box(&w, "box", dimension == 3 ? ss_v3(1, 1, 0.2) : ss_v3(1, 0.2, 0), 0.1);
    start(&w);
    ss_body_state s     = {0};
    int           steps = (int)lround(duration / h);
    double        worst = 0;
    for (int i = 1; i <= steps; i++) {
        run(&w, h, 1);
        s        = body(&w, 1);
        double v = excess > 0 ? g * (sin(angle) - mu * cos(angle)) * i * h : 0;
        worst    = fmax(worst, fabs(s.velocity.x - v));
    }
    double moved = fabs(s.position.x);
    close_world(&w);
    return excess > 0 ? worst : moved;
}

static void box_on_a_slope(void **state)
{
    (void)state;
    const ss_cone_kind cones[2] = {SS_CONE_POLYGON, SS_CONE_QUADRATIC};
    for (int k = 0; k < 4; k++) {
        int          dimension = 2 + k % 2;
        ss_cone_kind cone      = cones[k / 2];
        assert_true(slope(dimension, cone, -0.01, 0.01, 10) < 1e-14);
        assert_true(slope(dimension, cone, -0.01, 0.001, 10) < 1e-14);
        assert_true(slope(dimension, cone, 0.01, 0.01, 2) < 1e-13);
        assert_true(slope(dimension, cone, 0.01, 0.001, 2) < 1e-12);
    }
}

static void stack(ss_cone_kind cone, int steps)
{
    world w;
    open_with(&w, 3, cone, 0.5);
    for (int i = 0; i < 10; i++) {
        char name[8]; /* the scene keeps a copy */
        snprintf(name, sizeof name, "c%d", i);
        add_box(&w, name, ss_v3(1, 1, 1), 0.5 + i);
    }
    start(&w);
    double penetration = 0;
    for (int i = 0; i < steps; i++) {
        run(&w, 0.01, 1);
        penetration = fmax(penetration, ss_data_report(w.data)->penetration);
    }
    for (int i = 0; i < 10; i++) {
        ss_body_state s = body(&w, i + 1);
        assert_true(hypot(s.position.x, s.position.y) < 1e-10);
        assert_true(ss_norm(s.velocity) < 1e-10);
        assert_true(ss_norm(s.angular_velocity) < 1e-10);
        assert_true(fabs(s.position.z - 0.5 - i) < 1e-10);
    }
    assert_true(penetration < 1e-10);
    close_world(&w);
}

static void ten_cubes(void **state)
{
    (void)state;
    stack(SS_CONE_POLYGON, 50);
    stack(SS_CONE_QUADRATIC, 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_slides_then_rolls),
        cmocka_unit_test(cylinder_rolls_down),
        cmocka_unit_test(box_on_a_slope),
        cmocka_unit_test(ten_cubes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
