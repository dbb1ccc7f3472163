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

/* What bounces on a plane that shakes, from impact to impact, relative to nothing. */
typedef struct shaking {
    double A, w, phase;
} shaking;

static double place_of(const shaking *s, double t)
{
    return s->A * sin(s->w * t + s->phase);
}

static double speed_of(const shaking *s, double t)
{
    return s->A * s->w * cos(s->w * t + s->phase);
}

typedef struct bouncing {
    double t, z, v;
    double lost, driven; /* energies, of 2 kg */
    int    bounces;
} bouncing;

static double above(const shaking *s, const bouncing *b, double t)
{
    double flown = t - b->t;
    return b->z + flown * (b->v - 0.5 * G * flown) - place_of(s, t);
}

/* When it is next there, or T. */
static double next_meeting(const shaking *s, const bouncing *b, double T)
{
    double from = b->t + 1e-6, part = 1e-4;
    while (from < T && above(s, b, from + part) > 0) {
        from += part;
    }
    double to = from + part;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (from + to);
        if (above(s, b, middle) > 0) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return fmin(from, T);
}

static void fly_until(bouncing *b, double t)
{
    double flown = t - b->t;
    b->z += flown * (b->v - 0.5 * G * flown);
    b->v -= G * flown;
    b->t = t;
}

static bouncing bounce_on(const shaking *s, double z, double e, double T)
{
    bouncing b = {.z = z};
    for (;;) {
        fly_until(&b, next_meeting(s, &b, T));
        if (b.t >= T) {
            return b;
        }
        double V = speed_of(s, b.t), u = b.v - V;
        b.driven -= 2 * (1 + e) * u * V;
        b.lost += (1 - e * e) * u * u;
        b.v = V - e * u;
        b.bounces++;
    }
}

/* Pairs that strike straight on; top: of the driven one. */
typedef struct pairing {
    const char *head, *driven, *flies, *axis, *zeros;
    double      top;
} pairing;

static const char    in_plane[]    = "dimension: 2\ngravity: [0, -9.81]\n";
static const char    ball_of_0_1[] = "sphere: {radius: 0.1}";
static const pairing straight_on[] = {
    {"", "plane: {normal: [0, 0, 1]}", ball_of_0_1, "z", "0, 0", 0},
    {"", "plane: {normal: [0, 0, 1]}", "box: {size: [0.2, 0.2, 0.2]}", "z", "0, 0", 0},
    {"", "box: {size: [2, 2, 0.2]}", ball_of_0_1, "z", "0, 0", 0.1},
    {"", "sphere: {radius: 0.2}", ball_of_0_1, "z", "0, 0", 0.2},
    {in_plane, "halfplane: {normal: [0, 1]}", "disc: {radius: 0.1}", "y", "0", 0},
};
enum { STRAIGHT_ON = sizeof straight_on / sizeof *straight_on };

static void open_shaken(world *w, const pairing *pair, const shaking *s, double e, double h)
{
    char text[1000];
    snprintf(text, sizeof text,
             "%s"
             "materials: {default: {friction: 0.3, restitution: %g}}\n"
             "bodies:\n"
             "  - {name: plate, type: kinematic, shape: {%s},\n"
             "     motion: {%s: \"%.17g*sin(%.17g*t + %.17g)\"}}\n"
             "  - {name: b, type: dynamic, mass: 2, shape: {%s}, position: [%s, %.17g]}\n"
             "simulation: {step: %g}\n",
             pair->head, e, pair->driven, pair->axis, s->A, s->w, s->phase, pair->flies,
             pair->zeros, pair->top + 0.4, h);
    open_text(w, text);
}

/* The place, the velocity and what the impacts took and the drive gave are of second order. */
static void shaken(const pairing *pair, const shaking *s, double e, double h, int *bounces)
{
    const double T = 0.352, within = 16 * h * h;
    world        w;
    bouncing     exact = bounce_on(s, 0.3, e, T);
    open_shaken(&w, pair, s, e, h);
    run(&w, h, (int)lround(T / h));
    ss_body_state b      = body_named(&w, "b");
    ss_energy     energy = ss_data_energy(w.model, w.data);
    bool          flat   = pair->head == in_plane;
    assert_near(flat ? b.position.y : b.position.z, exact.z + 0.1 + pair->top, within);
    assert_near(flat ? b.velocity.y : b.velocity.z, exact.v, within);
    assert_near(energy.dissipated, exact.lost, 8 * within);
    assert_near(energy.driven, exact.driven, 8 * within);
    assert_near(energy.integration, 0, 1e-9);
    *bounces += exact.bounces;
    close_world(&w);
}

static void plates_that_shake_strike_with_their_velocity_then(void **state)
{
    (void)state;
    static const double steps[] = {0.008, 0.004, 0.002, 0.001}, es[] = {0.5, 0.8, 1};
    int                 bounces = 0;
    for (int i = 0; i < STRAIGHT_ON * 12; i++) {
        for (double phase = 0; phase < 6; phase += 0.7) {
            shaking s = {0.02, 20, phase};
            shaken(&straight_on[i / 12], &s, es[i / 4 % 3], steps[i % 4], &bounces);
        }
    }
    assert_true(bounces >= STRAIGHT_ON * 12 * 9);
}

/* .. also where slip is against a surface that speeds up: with c t along it friction that suffices
   leaves a ball with 2/7 of what the surface has at the impact. */
static void surfaces_that_speed_up_drag_with_their_velocity_then(void **state)
{
    (void)state;
    const double c = 8, t0 = sqrt(2 * 0.3 / G), T = 0.32;
    for (double h = 1e-3; h < 0.01; h *= 2) {
        world w;
        char  text[600];
        snprintf(text, sizeof text,
                 "materials: {default: {friction: 0.5, restitution: 0.8}}\n"
                 "bodies:\n"
                 "  - {name: plate, type: kinematic, shape: {plane: {normal: [0, 0, 1]}},\n"
                 "     motion: {x: \"%g*t^2/2\"}}\n"
                 "  - {name: b, type: dynamic, mass: 2, shape: {sphere: {radius: 0.1}},\n"
                 "     position: [0, 0, 0.4]}\n"
                 "simulation: {step: %g}\n",
                 c, h);
        open_text(&w, text);
        run(&w, h, (int)lround(T / h));
        ss_body_state b = body_named(&w, "b");
        ss_energy     x = ss_data_energy(w.model, w.data);
        assert_near(b.velocity.x, 2.0 / 7 * c * t0, 1e-8);
        assert_near(b.position.x, 2.0 / 7 * c * t0 * (T - t0), 1e-8);
        assert_near(x.driven, 2 * 2.0 / 7 * c * c * t0 * t0, 1e-7);
        assert_near(x.integration, 0, 1e-9);
        close_world(&w);
    }
}

/* Points of a driven ball that spins rise and fall in a step, and its surface does not. */
static void driven_balls_that_spin_do_not_lift(void **state)
{
    (void)state;
    const double u = sqrt(2 * G * 0.3), t0 = u / G, T = 0.32;
    for (double h = 1e-3; h < 0.01; h *= 2) {
        world w;
        char  text[600];
        snprintf(text, sizeof text,
                 "materials: {default: {friction: 0.5, restitution: 0.8}}\n"
                 "bodies:\n"
                 "  - {name: k, type: kinematic, shape: {sphere: {radius: 0.2}},\n"
                 "     position: [0, 0, -0.2], motion: {angular_velocity: [0, 9, 0]}}\n"
                 "  - {name: b, type: dynamic, mass: 2, shape: {sphere: {radius: 0.1}},\n"
                 "     position: [0, 0, 0.4]}\n"
                 "simulation: {step: %g}\n",
                 h);
        open_text(&w, text);
        run(&w, h, (int)lround(T / h));
        ss_body_state b = body_named(&w, "b");
        assert_near(b.velocity.z, 0.8 * u - G * (T - t0), 0.02 * h);
        assert_near(b.velocity.x, 2.0 / 7 * 9 * 0.2, 0.02 * h);
        close_world(&w);
    }
}

/* Where a disc is at `t` that falls from rest, a height above a floor; below `least` it lies still.
 */
static double height_at(double height, double e, double t, double least)
{
    double u = sqrt(2 * G * height), v = 0, y = height, after = u / G;
    while (t > after) {
        t -= after;
        v     = e * u;
        y     = 0;
        u     = v;
        after = 2 * v / G;
        if (after < least) {
            return 0;
        }
    }
    return y + v * t - 0.5 * G * t * t;
}

/*
 * What is dropped from rest has a speed of k g h after k steps, in directions in which that is not
 * a number of the machine, and reaches the floor within a step or where one ends: it bounces, until
 * its flight is shorter than a step (SS_BOUNCE_STEPS), on floors that go up or down as well.
 */
static void what_is_dropped_bounces_whatever_the_step(void **state)
{
    (void)state;
    static const double falls[] = {0.7, 1, 1.3, 2, 2.5, 3, 3.2}, e[] = {0.5, 0.8, 1};
    static const double turns[] = {0, 0.1, 0.3, 1}, floors[] = {0, 0.5, -2};
    for (int i = 0; i < 7 * 3 * 4 * 3; i++) {
        double n = falls[i % 7], back = e[i / 7 % 3], turn = turns[i / 21 % 4], V = floors[i / 84];
        double height = 0.05, h = sqrt(2 * height / G) / n, c = cos(turn), s = -sin(turn);
        int    steps = back < 1 ? (int)(n + 2) : 12;
        char   text[800], kind[200] = "type: static";
        if (V != 0) {
            snprintf(kind, sizeof kind, "type: kinematic, motion: {velocity: [%.17g, %.17g]}",
                     V * s, V * c);
        }
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [%.17g, %.17g]\n"
                 "materials: {default: {friction: 0, restitution: %g}}\n"
                 "bodies:\n"
                 "  - {name: floor, %s, shape: {halfplane: {normal: [%.17g, %.17g]}}}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {disc: {radius: 0.05}},\n"
                 "     position: [%.17g, %.17g], velocity: [%.17g, %.17g]}\n"
                 "simulation: {step: %.17g, duration: 10}\n",
                 -G * s, -G * c, back, kind, s, c, 0.1 * s, 0.1 * c, V * s, V * c, h);
        world w;
        open_text(&w, text);
        run(&w, h, steps);
        ss_body_state b     = body_named(&w, "b");
        double        y     = b.position.x * s + b.position.y * c - 0.05 - V * steps * h;
        double        least = 1.1 * h, left = 0;
        double        exact = height_at(height, back, steps * h, least);
        if (exact == 0) { /* bounces that are left out are lower than that, and are landed softly */
            left = 0.3 * G * h * h;
        }
        assert_near(y, exact, 1e-7 * height + left);
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
        cmocka_unit_test(plates_that_shake_strike_with_their_velocity_then),
        cmocka_unit_test(surfaces_that_speed_up_drag_with_their_velocity_then),
        cmocka_unit_test(driven_balls_that_spin_do_not_lift),
        cmocka_unit_test(what_is_dropped_bounces_whatever_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
