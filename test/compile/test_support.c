/* SPDX-License-Identifier: Apache-2.0 */
/* Supports: normal forces of tripods and their friction, against formulas that are written apart.
 */
#include "world.h"

typedef struct plate {
    double          mass, inertia;
    ss_vec3         com, velocity;
    double          spin;
    ss_support_def  support;
    ss_inertia_kind axis;
    ss_cone_kind    cone;
} plate;

static ss_status try_plate(world *w, const plate *p)
{
    open_world(w, 2, "auto");
    ss_scene_set_gravity(w->scene, ss_v3(0, 0, 0));
    w->sim.axes.inertia         = p->axis;
    w->sim.axes.cone            = p->cone;
    w->sim.axes.cone_directions = 16;
    ss_body_def def             = ss_body_def_default();
    def.name                    = "plate";
    def.mass                    = p->mass;
    def.inertia_set             = true;
    def.inertia.m[8]            = p->inertia;
    def.com_set                 = true;
    def.com                     = p->com;
    def.velocity                = p->velocity;
    def.angular_velocity.z      = p->spin;
    def.support                 = &p->support;
    SS_TRY(ss_scene_add_body(w->scene, &def, NULL));
    return try_start(w);
}

static const ss_vec3 corners[3] = {{0.05, -0.02, 0}, {0.01, 0.06, 0}, {-0.04, -0.01, 0}};
static const double  mu_one     = 0.3;

static plate tripod_plate(void)
{
    plate p = {.mass    = 0.5,
               .inertia = 4e-4,
               .com     = {0.008, 0.004, 0},
               .support = {.points         = corners,
                           .point_count    = 3,
                           .friction       = &mu_one,
                           .friction_count = 1,
                           .gravity        = 9.81}};
    return p;
}

/* Twice the signed area of a triangle. */
static double area(ss_vec3 a, ss_vec3 b, ss_vec3 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* The share of each corner in a weight at x: its barycentric coordinates. */
static void shares(ss_vec3 x, double weight, double force[3])
{
    double whole = area(corners[0], corners[1], corners[2]);
    force[0] += weight * area(x, corners[1], corners[2]) / whole;
    force[1] += weight * area(corners[0], x, corners[2]) / whole;
    force[2] += weight * area(corners[0], corners[1], x) / whole;
}

/* (3.24), without and with a load away from the centre of mass. */
static void forces_of_a_tripod(void **state)
{
    (void)state;
    for (int loaded = 0; loaded < 2; loaded++) {
        plate  p        = tripod_plate();
        double force[3] = {0, 0, 0};
        shares(p.com, p.mass * 9.81, force);
        if (loaded) {
            p.support.load       = 3.5;
            p.support.load_point = ss_v3(-0.01, 0.01, 0);
            shares(p.support.load_point, p.support.load, force);
        }
        world w;
        check(&w, try_plate(&w, &p));
        assert_int_equal(ss_model_support_count(w.model), 3);
        for (int i = 0; i < 3; i++) {
            ss_support_info s;
            ss_data_support(w.model, w.data, i, &s);
            assert_near(s.normal_force, force[i], 1e-14);
            assert_near(s.point.x, corners[i].x, 1e-16);
            assert_near(s.point.y, corners[i].y, 1e-16);
        }
        close_world(&w);
    }
}

/* A load may bring the resultant out of the triangle, or back into it; on an edge it stands. */
static void what_is_refused(void **state)
{
    (void)state;
    const double  forces[4] = {1, 1, 1, 1};
    const ss_vec3 square[4] = {
        {0.05, -0.05, 0}, {0.05, 0.05, 0}, {-0.05, 0.05, 0}, {-0.05, -0.05, 0}};
    plate p[5];
    for (int i = 0; i < 5; i++) {
        p[i] = tripod_plate();
    }
    p[0].com                   = ss_v3(0.05, 0.05, 0); /* outside */
    p[1].support.load          = 50;                   /* pulls the resultant out */
    p[1].support.load_point    = ss_v3(0.2, 0, 0);
    p[2].support.points        = square;
    p[2].support.point_count   = 4; /* four points need forces */
    p[3].support.normal_forces = forces;
    p[4].com = ss_scale(0.5, ss_add(corners[0], corners[1])); /* on an edge: stands */
    const char *const words[4] = {"centre of mass", "with its load", "do not determine",
                                  "follow from equilibrium"};
    for (int i = 0; i < 5; i++) {
        world     w;
        ss_status status = try_plate(&w, &p[i]);
        assert_int_equal(status, i < 4 ? SS_ERR_INPUT : SS_OK);
        if (i < 4) {
            assert_non_null(strstr(ss_context_message(w.ctx), words[i]));
            assert_non_null(strstr(ss_context_message(w.ctx), "'plate'"));
        }
        close_world(&w);
    }
}

/* Points that resist turning: what is not one, and too few of them. */
static void torsion_that_is_refused(void **state)
{
    (void)state;
    const double      forces[2] = {1, 1}, negative = -1, none = 0, some = 0.02;
    const char *const words[5] = {"(torsion), got 1", "torsion must be >= 0", "torsion must be > 0",
                                  "do not determine", "of one point follows from"};
    const double     *torsion[5] = {NULL, &negative, &none, &some, &some};
    const int32_t     points[5]  = {1, 3, 1, 2, 1};
    for (int i = 0; i < 5; i++) {
        plate p = tripod_plate();
        world w;
        p.support.point_count   = points[i];
        p.support.torsion       = torsion[i];
        p.support.torsion_count = i > 0;
        p.support.normal_forces = i == 4 ? forces : NULL;
        assert_int_equal(try_plate(&w, &p), SS_ERR_INPUT);
        assert_non_null(strstr(ss_context_message(w.ctx), words[i]));
        close_world(&w);
    }
}

/* With given forces a load would be lost without a word. */
static void load_on_given_forces(void **state)
{
    (void)state;
    const ss_vec3 square[4] = {{0.1, 0.1, 0}, {-0.1, 0.1, 0}, {-0.1, -0.1, 0}, {0.1, -0.1, 0}};
    const double  forces[4] = {1, 1, 1, 1};
    plate         p         = tripod_plate();
    world         w;
    p.support.points        = square;
    p.support.point_count   = 4;
    p.support.normal_forces = forces;
    p.support.load          = 1;
    assert_int_equal(try_plate(&w, &p), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(w.ctx), "add it to them"));
    close_world(&w);
}

/*
 * A sliding plate whose points have frictions of their own: over a short step each pulls with its
 * own mu N against the motion, so that force and torque are known.
 */
static void friction_of_each_point(void **state)
{
    (void)state;
    const double       mu[3] = {0.1, 0.4, 0.25}, h = 1e-9;
    const ss_cone_kind cones[2] = {SS_CONE_QUADRATIC, SS_CONE_POLYGON};
    for (int k = 0; k < 2; k++) {
        plate  p        = tripod_plate();
        double force[3] = {0, 0, 0}, torque = 0, pull = 0;
        p.cone                   = cones[k];
        p.velocity               = ss_v3(1, 0, 0); /* along a corner of the polygon */
        p.support.friction       = mu;
        p.support.friction_count = 3;
        shares(p.com, p.mass * 9.81, force);
        for (int i = 0; i < 3; i++) {
            pull += mu[i] * force[i];
            torque += mu[i] * force[i] * (corners[i].y - p.com.y);
        }
        world w;
        check(&w, try_plate(&w, &p));
        run(&w, h, 1);
        ss_body_state b = body(&w, 0);
        assert_near(b.angular_velocity.z, h * torque / p.inertia, 1e-7 * h * torque / p.inertia);
        for (int i = 0; i < 3; i++) {
            ss_support_info s;
            ss_data_support(w.model, w.data, i, &s);
            assert_near(s.mu, mu[i], 0);
            assert_near(s.friction[0], -mu[i] * force[i], 1e-9);
            assert_int_equal(s.state, SS_CONTACT_SLIP);
        }
        /* the centre of mass: its velocity is that of the frame and of the spin about it */
        double vx = b.velocity.x - b.angular_velocity.z * p.com.y;
        assert_near(vx, 1 - h * pull / p.mass, 1e-15);
        close_world(&w);
    }
}

enum { RING = 120 };

/* A ring of R on many points that spins about its middle stops after I w / (mu W R). */
static void ring_of_many_points(void **state)
{
    (void)state;
    const double R = 0.04, h = 1e-3, weight = 0.5 * 9.81;
    ss_vec3      points[RING];
    double       forces[RING];
    for (int i = 0; i < RING; i++) {
        double a  = 6.283185307179586 * i / RING;
        points[i] = ss_v3(R * cos(a), R * sin(a), 0);
        forces[i] = weight / RING;
    }
    plate p                 = tripod_plate();
    p.com                   = ss_v3(0, 0, 0);
    p.spin                  = 10;
    p.support.points        = points;
    p.support.point_count   = RING;
    p.support.normal_forces = forces;
    double loss             = mu_one * weight * R / p.inertia;
    world  w;
    check(&w, try_plate(&w, &p));
    for (int i = 1; i <= 40; i++) {
        run(&w, h, 1);
        /* friction at the end of the step acts on arms at its start: along them up to the turn */
        assert_near(body(&w, 0).angular_velocity.z, 10 - loss * h * i, 1e-9);
    }
    close_world(&w);
}

/* Without a force the quasistatic plate stays; with too large a one nothing can balance it. */
static ss_status pulled(ss_cone_kind cone, ss_inertia_kind axis, double pull, ss_body_state *out)
{
    plate p = tripod_plate();
    world w;
    p.axis = axis;
    p.cone = cone;
    check(&w, try_plate(&w, &p));
    assert_int_equal(ss_data_push(w.model, w.data, 0, ss_v3(pull, 0, 0), ss_v3(0, 0, 0)), SS_OK);
    ss_status status = ss_step(w.model, w.data, 1e-3);
    *out             = body(&w, 0);
    close_world(&w);
    return status;
}

static void both_cones_both_inertias(void **state)
{
    (void)state;
    const ss_cone_kind    cones[2] = {SS_CONE_QUADRATIC, SS_CONE_POLYGON};
    const ss_inertia_kind axes[2]  = {SS_INERTIA_DYNAMIC, SS_INERTIA_QUASISTATIC};
    const double          limit    = mu_one * 0.5 * 9.81;
    for (int k = 0; k < 2; k++) {
        for (int a = 0; a < 2; a++) {
            ss_body_state b;
            assert_int_equal(pulled(cones[k], axes[a], 0.95 * limit, &b), SS_OK);
            assert_near(b.position.x, 0, 1e-14);
            assert_near(b.angle, 0, 1e-12);
            assert_int_equal(pulled(cones[k], axes[a], 1.05 * limit, &b),
                             a == 0 ? SS_OK : SS_ERR_CERTIFICATE);
            if (a == 0) {
                assert_near(b.velocity.x, 1e-3 * 0.05 * limit / 0.5, 1e-12);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_of_a_tripod),       cmocka_unit_test(what_is_refused),
        cmocka_unit_test(torsion_that_is_refused),  cmocka_unit_test(load_on_given_forces),
        cmocka_unit_test(friction_of_each_point),   cmocka_unit_test(ring_of_many_points),
        cmocka_unit_test(both_cones_both_inertias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
