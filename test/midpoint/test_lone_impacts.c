/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Impacts of bodies that fly before and after them (midpoint/lone_impacts.c), against closed forms:
 * wherever in a step of any length they fall, they are as exact as the flight.
 */
#include "world.h"

static const double G = 9.81;

static void drop(world *w, double e, double mu, double h, const char *shape)
{
    char text[600];
    snprintf(text, sizeof text,
             "materials: {default: {friction: %g, restitution: %g}}\n"
             "bodies:\n"
             "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  - {name: ball, type: dynamic, mass: 2, shape: {%s}, position: [0, 0, 1.1],\n"
             "     velocity: [3, 0, 0]}\n"
             "simulation: {step: %g}\n",
             mu, e, shape, h);
    open_text(w, text);
}

/* Up to where it flies. */
static double level(const ss_body_state *s)
{
    return s->position.z - 0.1 + s->velocity.z * s->velocity.z / (2 * G);
}

/* Bounce k takes a ball to e^2k of its height, and takes as much from its energy as that says. */
static void bounce(double e, double mu, double h)
{
    world  w;
    double exact = 1, fell = -1, dissipated = 0;
    int    bounces = 0;
    drop(&w, e, mu, h, "sphere: {radius: 0.1}");
    while (bounces < 6 && exact > 50 * G * h * h / (e * e)) { /* impacts, and not rest */
        run(&w, h, 1);
        ss_body_state s = body_named(&w, "ball");
        if (fell < 0 && s.velocity.z > 0) {
            exact *= e * e;
            bounces++;
            ss_energy x    = ss_data_energy(w.model, w.data);
            double    lost = 2 * G * exact * (1 / (e * e) - 1);
            assert_true(x.dissipated - dissipated >=
                        lost * (1 - 1e-9) - 1e-12); /* .. or friction */
            assert_true(mu > 0 || x.dissipated - dissipated <= lost * (1 + 1e-9) + 1e-12);
            assert_near(x.integration, 0, 1e-10);
            dissipated = x.dissipated;
        }
        assert_near(level(&s), exact, 1e-9);
        fell = s.velocity.z;
    }
    assert_true(bounces >= 2);
    close_world(&w);
}

static void balls_bounce_as_high_as_they_should(void **state)
{
    (void)state;
    static const double steps[] = {0.0137, 0.01, 0.005, 0.001}, es[] = {1, 0.98, 0.9, 0.7};
    for (size_t i = 0; i < 16; i++) {
        bounce(es[i / 4], 0, steps[i % 4]);
        bounce(es[i / 4], 0.1, steps[i % 4]);
    }
}

static void what_is_elastic_bounces_for_ever(void **state)
{
    (void)state;
    for (double h = 0.0021; h < 0.02; h *= 1.37) {
        world w;
        drop(&w, 1, 0, h, "sphere: {radius: 0.1}");
        run(&w, h, (int)(45 / h)); /* 50 bounces */
        ss_body_state s = body_named(&w, "ball");
        assert_near(level(&s), 1, 1e-8);
        close_world(&w);
    }
}

/* A cube that lands flat has four contacts that strike at once. */
static void cubes_that_land_flat_do_too(void **state)
{
    (void)state;
    world w;
    drop(&w, 0.8, 0, 0.007, "box: {size: [0.2, 0.2, 0.2]}");
    run(&w, 0.007, 90); /* 0.63 s: after the first bounce */
    ss_body_state s = body_named(&w, "ball");
    assert_near(level(&s), 0.64, 1e-9);
    close_world(&w);
}

/* Discs that meet while they fall: each flies as it should before and after. */
static void discs_that_meet_in_flight_go_on_from_there(void **state)
{
    (void)state;
    for (double h = 1e-3; h < 0.02; h *= 1.7) {
        world w;
        char  text[600];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [0, -9.81]\n"
                 "materials: {default: {friction: 0, restitution: 0.6}}\n"
                 "bodies:\n"
                 "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
                 "     position: [0, 0], velocity: [2, 3]}\n"
                 "  - {name: b, type: dynamic, mass: 3, shape: {disc: {radius: 0.2}},\n"
                 "     position: [1, 0], velocity: [-1, 3]}\n"
                 "simulation: {step: %g}\n",
                 h);
        open_text(&w, text);
        int steps = (int)(0.5 / h);
        run(&w, h, steps);
        /* they meet after 0.7 / 3 s; relative velocity 3 -> -1.8, centre of mass at -0.25 m/s */
        double        t = steps * h, t0 = 0.7 / 3, va = -0.25 - 1.8 * 0.75, vb = -0.25 + 1.8 * 0.25;
        ss_body_state a = body_named(&w, "a"), b = body_named(&w, "b");
        assert_near(a.position.x, 2 * t0 + va * (t - t0), 1e-9);
        assert_near(b.position.x, 1 - t0 + vb * (t - t0), 1e-9);
        assert_near(a.position.y, 3 * t - 0.5 * G * t * t, 1e-9);
        assert_near(b.position.y, a.position.y, 1e-9);
        close_world(&w);
    }
}

/* On a lift that goes evenly, as on a floor that stands. */
static void lifts_are_floors_that_move(void **state)
{
    (void)state;
    for (double V = -2; V <= 2; V += 0.5) {
        for (double h = 2e-3; h < 0.02; h *= 1.7) {
            world w;
            char  text[600];
            snprintf(text, sizeof text,
                     "materials: {default: {friction: 0.2, restitution: 0.9}}\n"
                     "bodies:\n"
                     "  - {name: lift, type: kinematic, shape: {plane: {normal: [0, 0, 1]}},\n"
                     "     motion: {z: \"%g*t\"}}\n"
                     "  - {name: ball, type: dynamic, mass: 2, shape: {sphere: {radius: 0.1}},\n"
                     "     position: [0, 0, 1.1], velocity: [0, 0, %g]}\n"
                     "simulation: {step: %g}\n",
                     V, V, h);
            open_text(&w, text);
            int steps = (int)(0.8 / h); /* after the first bounce */
            run(&w, h, steps);
            ss_body_state s = body_named(&w, "ball");
            s.position.z -= V * steps * h;
            s.velocity.z -= V;
            assert_near(level(&s), 0.81, 1e-9);
            close_world(&w);
        }
    }
}

/* A disc that bounces down a slope, from impact to impact: its slip u ends there if friction
   suffices, and forces make a new one until the next. */
typedef struct rolling {
    double x, y, vx, vy, turn, w;
} rolling;

static void fly(rolling *s, double gx, double gy, double t)
{
    s->x += t * (s->vx + 0.5 * t * gx);
    s->y += t * (s->vy + 0.5 * t * gy);
    s->turn += t * s->w;
    s->vx += t * gx;
    s->vy += t * gy;
}

static rolling bounce_down(double gx, double gy, double mu, double e, double R, rolling s, double T)
{
    for (;;) {
        double t = (-s.vy - sqrt(s.vy * s.vy - 2 * gy * s.y)) / gy;
        if (t >= T) {
            fly(&s, gx, gy, T);
            return s;
        }
        fly(&s, gx, gy, t);
        T -= t;
        double p = -(1 + e) * s.vy, f = -(s.vx + R * s.w) / 3; /* of 1 kg; I = R^2/2 */
        f   = fmax(fmin(f, mu * p), -mu * p);
        s.y = 0;
        s.vy *= -e;
        s.vx += f;
        s.w += 2 * f / R;
    }
}

/* Friction is against the slip right after the impact: what forces make of it until the step ends
   is no slip that it stops. */
static void a_disc_bounces_down_a_slope(void **state)
{
    (void)state;
    static const double steps[] = {0.01, 0.005, 0.0025}, mu[] = {0.05, 0.3, 0.6};
    const double        a = 0.3, gx = -9.81 * sin(a), gy = -9.81 * cos(a), R = 0.1, T = 0.8;
    for (int i = 0; i < 9; i++) {
        world w;
        char  text[1000];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [%.17g, %.17g]\n"
                 "materials: {default: {friction: %g, restitution: 0.9}}\n"
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
                 "     position: [0, 0.15], velocity: [1, 0]}\n",
                 gx, gy, mu[i / 3]);
        open_text(&w, text);
        run(&w, steps[i % 3], (int)lround(T / steps[i % 3]));
        ss_body_state b = body_named(&w, "b");
        rolling       s = bounce_down(gx, gy, mu[i / 3], 0.9, R, (rolling){.y = 0.05, .vx = 1}, T);
        assert_near(b.position.x, s.x, 1e-8);
        assert_near(b.position.y, s.y + R, 1e-8);
        assert_near(b.angle, s.turn, 1e-7);
        assert_near(b.velocity.x, s.vx, 1e-8);
        close_world(&w);
    }
}

/* .. and a certificate that did not know of that ended every seventh of these runs, in an impact
   without a gap. What has come to rest on the slope rolls: it gains 5/7 of g along it. */
static void balls_come_to_roll_down_a_slope(void **state)
{
    (void)state;
    const ss_vec3 n = ss_unit(ss_v3(0.3, -0.38, 1)), g = ss_v3(0, 0, -G);
    const ss_vec3 down = ss_axpy(g, -ss_dot(g, n), n);
    for (int i = 0; i < 48; i++) {
        world  w;
        char   text[1000];
        double R = 0.02 + 0.0037 * i, spin = 20 * sin(3.0 * i);
        snprintf(text, sizeof text,
                 "materials: {default: {friction: %g, restitution: 0.5}}\n"
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {plane: {normal: [0.3, -0.38, 1]}}}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {sphere: {radius: %.17g}},\n"
                 "     position: [%.17g, %.17g, %.17g], velocity: [%g, %g, 0],\n"
                 "     angular_velocity: [%g, %g, %g]}\n",
                 0.2 + 0.012 * i, R, R * n.x, R * n.y, R * n.z, cos(i), sin(2.0 * i), spin,
                 15 * cos(2.0 * i), -spin);
        open_text(&w, text);
        run(&w, 0.002, 900);
        ss_vec3 v = body_named(&w, "b").velocity;
        run(&w, 0.002, 100);
        ss_vec3 gain = ss_sub(body_named(&w, "b").velocity, v);
        assert_near(ss_norm(ss_axpy(gain, -0.2 * 5 / 7, down)), 0, 1e-9);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_bounce_as_high_as_they_should),
        cmocka_unit_test(what_is_elastic_bounces_for_ever),
        cmocka_unit_test(cubes_that_land_flat_do_too),
        cmocka_unit_test(discs_that_meet_in_flight_go_on_from_there),
        cmocka_unit_test(lifts_are_floors_that_move),
        cmocka_unit_test(a_disc_bounces_down_a_slope),
        cmocka_unit_test(balls_come_to_roll_down_a_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
