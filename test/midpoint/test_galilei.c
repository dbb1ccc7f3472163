/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Galilei: what stands on a base that moves evenly moves on it as on a base at rest. All lengths
 * within a step are of order V h, so anything that mistakes where a driven body is, by a part of a
 * step, shows at once.
 */
#include "world.h"

enum { TEXT = 4000, BODIES_MOST = 8 };

/* %g: the velocity of the base. */
typedef struct scene {
    const char *name, *text;
    double      h, T;
    double      near; /* of positions relative to the base, beside the run at rest */
} scene;

#define PLANAR "dimension: 2\nparams: {V: %g}\n"
#define LIFT                                                                                       \
    "  - {name: base, type: kinematic, shape: {halfplane: {normal: [0, 1]}},\n"                    \
    "     motion: {y: \"V*t\"}}\n"
#define CART "  - {name: base, type: kinematic, motion: {x: \"V*t\"}}\n"

static const scene SCENES[] = {
    {"a ball that bounces",
     PLANAR "gravity: [0, -9.81]\nmaterials: {default: {friction: 0, restitution: 0.757}}\n"
            "bodies:\n" LIFT
            "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, position: [0,\n"
            "     0.1188], velocity: [0, V]}\n",
     0.002, 0.5, 1e-9},
    {"the same by Poisson's law",
     PLANAR "gravity: [0, -9.81]\nmaterials: {default: {friction: 0.3, restitution: 0.6,\n"
            "  impact: poisson}}\nbodies:\n" LIFT
            "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, position: [0,\n"
            "     0.1188], velocity: [0.2, V], angular_velocity: 3}\n",
     0.002, 0.5, 1e-9},
    {"a ball that lands beside a box",
     PLANAR "gravity: [0, -9.81]\nmaterials: {default: {friction: 0}}\nbodies:\n" LIFT
            "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
            "     position: [0, 0.15], velocity: [0, V]}\n"
            "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}},\n"
            "     position: [1, 0.05], velocity: [0, V]}\n",
     0.002, 0.5, 1e-9},
    {"boxes that fall, slide and topple",
     PLANAR "gravity: [0, -9.81]\nmaterials: {default: {friction: 0.4}}\nbodies:\n" LIFT
            "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.3]}},\n"
            "     position: [0, 0.2], angle: 0.2, velocity: [0.5, V]}\n"
            "  - {name: b, type: dynamic, mass: 2, shape: {disc: {radius: 0.1}},\n"
            "     position: [0.6, 0.1], velocity: [-0.8, V]}\n",
     0.001, 0.4, 1e-7},
    {"a slider on a spring",
     PLANAR "gravity: [0, 0]\nbodies:\n" CART
            "  - {name: a, type: dynamic, mass: 1, inertia: 0.1, position: [0.2, 0],\n"
            "     velocity: [\"V + 1\", 0]}\n"
            "joints:\n  - {name: j, type: prismatic, bodies: [base, a], axis: [1, 0],\n"
            "     stiffness: 100, damping: 0.5}\n",
     0.005, 1, 1e-9},
    {"a pendulum on a rope",
     PLANAR "gravity: [0, -9.81]\nbodies:\n" CART
            "  - {name: a, type: particle, mass: 1, position: [1, 0], velocity: [V, 0]}\n"
            "joints:\n  - {name: j, type: distance, bodies: [base, a], anchor: [0, 0],\n"
            "     limits: [0, 1]}\n",
     0.005, 2, 1e-9},
    {"a double pendulum with a stop",
     PLANAR "gravity: [0, -9.81]\nbodies:\n" CART
            "  - {name: a, type: dynamic, mass: 1, inertia: 0.02, position: [0.5, 0],\n"
            "     velocity: [V, 0]}\n"
            "  - {name: b, type: dynamic, mass: 1, inertia: 0.02, position: [1.2, 0],\n"
            "     velocity: [V, 0]}\n"
            "joints:\n"
            "  - {name: j, type: revolute, bodies: [base, a], anchor: [0, 0], limits: [-1, 3]}\n"
            "  - {name: k, type: revolute, bodies: [a, b], anchor: [0.9, 0], friction: 0.05}\n",
     0.002, 0.5, 1e-5 /* its blow is a step of first order */},
};

typedef struct outcome {
    double place[3 * BODIES_MOST];
    double dissipated;
    int    bodies;
} outcome;

static outcome end_of(const scene *s, double V)
{
    char    text[TEXT];
    world   w;
    outcome x = {.bodies = 0};
    assert_true(snprintf(text, sizeof text, s->text, V) < TEXT);
    open_text(&w, text);
    run(&w, s->h, (int)lround(s->T / s->h));
    ss_vec3 base = body(&w, 0).position;
    for (int i = 1; i < ss_model_body_count(w.model); i++) {
        ss_body_state b           = body(&w, i);
        x.place[3 * x.bodies]     = b.position.x - base.x;
        x.place[3 * x.bodies + 1] = b.position.y - base.y;
        x.place[3 * x.bodies + 2] = b.angle;
        x.bodies++;
    }
    x.dissipated = ss_data_energy(w.model, w.data).dissipated;
    close_world(&w);
    return x;
}

static void a_base_that_moves_evenly_is_at_rest(void **state)
{
    (void)state;
    const double speeds[] = {1, -4, 10};
    for (size_t i = 0; i < sizeof SCENES / sizeof *SCENES; i++) {
        const scene *s  = &SCENES[i];
        outcome      at = end_of(s, 0);
        for (size_t k = 0; k < sizeof speeds / sizeof *speeds; k++) {
            outcome on = end_of(s, speeds[k]);
            for (int c = 0; c < 3 * at.bodies; c++) {
                if (!(fabs(on.place[c] - at.place[c]) <= s->near)) {
                    fail_msg("%s at %g m/s: coordinate %d is %.9g, at rest %.9g", s->name,
                             speeds[k], c, on.place[c], at.place[c]);
                }
            }
            assert_near(on.dissipated, at.dissipated, 1e-6 * (1 + fabs(speeds[k])));
        }
    }
}

/* A ball that catches up with a wall: e = 1 returns what it closes with, however slow that is. */
static void walls_that_go_away_return_what_they_owe(void **state)
{
    (void)state;
    static const char *const levels[] = {"impulse", "acceleration"};
    const double             starts[] = {1.5, 2, 3, 1.1};
    for (int k = 0; k < 8; k++) {
        char  text[TEXT];
        world w;
        snprintf(
            text, sizeof text,
            "dimension: 2\ngravity: [0, 0]\nmaterials: {default: {friction: 0, restitution: 1}}\n"
            "bodies:\n"
            "  - {name: wall, type: kinematic, shape: {halfplane: {normal: [-1, 0]}},\n"
            "     motion: {x: \"0.12 + t\"}}\n"
            "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
            "     velocity: [%g, 0]}\nsimulation: {model: {level: %s}}\n",
            starts[k / 2], levels[k % 2]);
        open_text(&w, text);
        run(&w, 0.001, 300);
        assert_near(body(&w, 1).velocity.x, 2 - starts[k / 2], 1e-9);
        close_world(&w);
    }
}

/* The works of springs and dampers on a driven base are those of their ends: level: acceleration.
 */
static void springs_on_a_moving_base_balance_from_event_to_event(void **state)
{
    (void)state;
    const double c = 0.1, k[] = {0, 100};
    for (int i = 0; i < 2; i++) {
        char  text[TEXT];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, 0]\nbodies:\n"
                 "  - {name: k, type: kinematic, motion: {x: \"10*t\"}}\n"
                 "  - {name: b, type: dynamic, mass: 1, inertia: 0.1, position: [0.2, 0],\n"
                 "     velocity: [11, 0]}\n"
                 "joints:\n  - {name: j, type: prismatic, bodies: [k, b], axis: [1, 0],\n"
                 "     stiffness: %g, damping: %g}\nsimulation: {model: {level: acceleration}}\n",
                 k[i], i == 0 ? c : 0);
        open_text(&w, text);
        run(&w, 0.005, 200);
        double v = i == 0 ? exp(-c) : cos(sqrt(k[i]));
        assert_near(body(&w, 1).velocity.x, 10 + v, 1e-8);
        assert_near(ss_data_energy(w.model, w.data).dissipated,
                    i == 0 ? 0.5 * (1 - exp(-2 * c)) : 0, 1e-7);
        close_world(&w);
    }
}

/* What holds a rope is the same, and told. */
static void tension_on_a_hook_that_moves(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "dimension: 2\ngravity: [0, 0]\nbodies:\n"
              "  - {name: k, type: kinematic, motion: {x: \"2*t\"}}\n"
              "  - {name: b, type: particle, mass: 1, position: [1, 0], velocity: [2, 3]}\n"
              "joints:\n"
              "  - {name: j, type: distance, bodies: [k, b], anchor: [0, 0], limits: [0, 1]}\n");
    run(&w, 0.002, 250);
    ss_joint_info j;
    check(&w, ss_data_joint(w.model, w.data, 0, &j));
    assert_near(j.limit[0], -9, 1e-6);
    close_world(&w);
}

/* A weight at p, a rope of 1 m, a hook that goes off at V along x: where the weight is beside the
   hook after T. Straight on until the rope is taut; then what is across it goes round. */
static ss_vec3 jerked_by_hook(ss_vec3 p, double V, double T)
{
    double taut = (p.x + sqrt(1 - p.y * p.y)) / V;
    if (taut >= T) {
        return ss_v3(p.x - V * T, p.y, 0);
    }
    double x = p.x - V * taut, angle = atan2(p.y, x) + V * p.y * (T - taut);
    return ss_v3(cos(angle), sin(angle), 0);
}

/* .. in a run: the hook moves, or it stands and the weight comes. */
static ss_vec3 jerked_in_run(ss_vec3 p, double V, double h, int steps, bool moves)
{
    char  text[600], motion[64];
    world w;
    snprintf(motion, sizeof motion, "kinematic, motion: {x: \"%.17g*t\"}", V);
    snprintf(
        text, sizeof text,
        "dimension: 2\ngravity: [0, 0]\nbodies:\n"
        "  - {name: k, type: %s}\n"
        "  - {name: b, type: particle, mass: 1, position: [%.17g, %.17g], velocity: [%.17g, 0]}\n"
        "joints:\n"
        "  - {name: j, type: distance, bodies: [k, b], anchor: [0, 0], limits: [0, 1]}\n",
        moves ? motion : "static", p.x, p.y, moves ? 0 : -V);
    open_text(&w, text);
    run(&w, h, steps);
    ss_vec3 at = ss_sub(body_named(&w, "b").position, body_named(&w, "k").position);
    close_world(&w);
    return at;
}

/* A hook jerks what hangs on it as what comes at a hook at rest is jerked, at any speed; steps in
   which the rope would turn too far are cut. */
static void hooks_jerk_as_they_would_at_rest(void **state)
{
    (void)state;
    static const double  speeds[] = {1, 3, 10, 30, 100, 300};
    static const ss_vec3 places[] = {{0.3, 0.2, 0}, {-0.5, 0.4, 0}, {0.1, -0.7, 0}};
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            double  V = speeds[i], h = 0.01;
            int     steps = (int)ceil(2.5 / V / h) + 1;
            ss_vec3 want  = jerked_by_hook(places[k], V, steps * h);
            ss_vec3 moves = jerked_in_run(places[k], V, h, steps, true);
            ss_vec3 rests = jerked_in_run(places[k], V, h, steps, false);
            double  off = ss_norm(ss_sub(moves, want)), apart = ss_norm(ss_sub(moves, rests));
            print_message("%g m/s: off by %.1e m, from a hook at rest by %.1e m\n", V, off, apart);
            assert_true(off < fmin(3e-2, 10 * V * h * V * h));
            assert_true(apart < 1e-6);
        }
    }
}

/* A crate on a lorry that sets off at 4 m/s^2: static friction 0.5 holds it, kinetic 0.3 does not.
 */
static void crates_stay_on_lorries(void **state)
{
    (void)state;
    static const struct {
        const char *motion;
        double      start, slid;
    } ways[] = {{"2*t^2", 0, 0},
                {"-3.9*t + 2*t^2", -3.9, 0},
                {"0.1*(1 - cos(6*t))", 0, 0},
                {"t < 0.5 and 0 or 2*(t - 0.5)^2", 0, 0},
                {"2*t^2", 0.5, 0.25 / (2 * (4 + 0.3 * 9.81))}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        for (int fine = 1; fine <= 4; fine *= 4) {
            char  text[TEXT];
            world w;
            snprintf(text, sizeof text,
                     "dimension: 2\nmaterials: {default: {friction: {static: 0.5, kinetic: 0.3}}}\n"
                     "bodies:\n"
                     "  - {name: lorry, type: kinematic, shape: {halfplane: {normal: [0, 1]}},\n"
                     "     motion: {x: \"%s\"}}\n"
                     "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.3, 0.3]}},\n"
                     "     position: [0, 0.15], velocity: [%g, 0]}\n",
                     ways[i].motion, ways[i].start);
            open_text(&w, text);
            run(&w, 0.002 / fine, 500 * fine);
            assert_near(body(&w, 1).position.x - body(&w, 0).position.x, ways[i].slid, 5e-5);
            close_world(&w);
        }
    }
}

/*
 * The same lorry jerks: its velocity jumps, on a step or within one, and the crate slides with
 * kinetic friction until it is as fast, whichever contacts, dimension and integrator there are.
 */
static void crates_slide_where_lorries_jerk(void **state)
{
    (void)state;
    static const struct {
        const char *law, *motion;
        double      start, jump, at;
        const char *model;
    } ways[] = {{"static: 0.3, kinetic: 0.1", "t > 0.1 and t - 0.1 or 0", 0, 1, 0.1, ""},
                {"static: 0.3, kinetic: 0.1", "min(t, 0.1)", 1, -1, 0.1, ""},
                {"static: 0.3, kinetic: 0.1", "min(t, 0.1003)", 1, -1, 0.1003, ""},
                {"static: 0.3, kinetic: 0.1", "t > 0.1 and 0.2*(t - 0.1) or 0", 0, 0.2, 0.1, ""},
                {"static: 0.3, kinetic: 0.1, stribeck: 0.02", "min(t, 0.1)", 1, -1, 0.1, ""},
                {"static: 0.3, kinetic: 0.1", "min(t, 0.1)", 1, -1, 0.1, "contact: compliant"}};
    for (size_t i = 0; i < 4 * sizeof ways / sizeof *ways; i++) {
        const size_t k     = i / 4;
        const bool   space = i % 2 == 1, euler = i % 4 >= 2;
        const double h = 0.0005, T = 0.6;
        char         text[TEXT];
        world        w;
        snprintf(text, sizeof text,
                 "dimension: %d\nmaterials: {default: {friction: {%s},\n"
                 "  compliance: {stiffness: 1e6, damping: 50}}}\nbodies:\n"
                 "  - {name: lorry, type: kinematic, shape: {box: {size: %s}}, position: %s,\n"
                 "     motion: {x: \"%s\"}}\n"
                 "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: %s}},\n"
                 "     position: %s, velocity: [%g, 0%s]}\n"
                 "simulation: {model: {integrator: %s%s%s}}\n",
                 space ? 3 : 2, ways[k].law, space ? "[60, 6, 0.4]" : "[60, 0.4]",
                 space ? "[0, 0, -0.2]" : "[0, -0.2]", ways[k].motion,
                 space ? "[0.4, 0.4, 0.2]" : "[0.4, 0.2]", space ? "[0, 0, 0.1]" : "[0, 0.1]",
                 ways[k].start, space ? ", 0" : "", euler ? "euler" : "midpoint",
                 *ways[k].model ? ", " : "", ways[k].model);
        open_text(&w, text);
        run(&w, h, (int)lround(T / h));
        double brake = 0.1 * 9.81, jump = ways[k].jump,
               t    = fmin(T - ways[k].at, fabs(jump) / brake);
        double slid = fabs(jump) * t - brake * t * t / 2;
        assert_near(body(&w, 1).position.x - body(&w, 0).position.x, jump < 0 ? slid : -slid,
                    2 * fabs(jump) * h);
        close_world(&w);
    }
}

/* advance: event: a plastic ball on a lift that goes down faster and faster lies on it at once. */
static void events_meet_lifts_where_they_are(void **state)
{
    (void)state;
    static const char *const motions[] = {"-3.4*t - 1.5*t^2", "-3.4*t", "2*t"};
    const double             starts[]  = {-3.4, -3.4, 2};
    for (int i = 0; i < 3; i++) {
        char  text[TEXT];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {default: {friction: 0}}\nbodies:\n"
                 "  - {name: lift, type: kinematic, shape: {halfplane: {normal: [0, 1]}},\n"
                 "     motion: {y: \"%s\"}}\n"
                 "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
                 "     position: [0, 0.15], velocity: [0, %g]}\n"
                 "simulation: {advance: event}\n",
                 motions[i], starts[i]);
        open_text(&w, text);
        double most = 0; /* how far above the lift, once it has come down */
        for (int k = 0; k < 250; k++) {
            run(&w, 0.002, 1);
            double gap = body(&w, 1).position.y - body(&w, 0).position.y - 0.1;
            most       = k > 65 ? fmax(most, fabs(gap)) : most;
        }
        assert_true(most < 2e-5);
        close_world(&w);
    }
}

/* A bar lands on a block that moves under it, with its centre beyond the edge: it tips over, and
   how far it has got depends on the block's way in a part of a step at most. */
static void bars_land_on_blocks_that_move(void **state)
{
    (void)state;
    const double speeds[] = {0, 3, 10, 30};
    double       angle[4];
    for (int i = 0; i < 4; i++) {
        char  text[TEXT];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\nparams: {V: %g}\nmaterials: {default: {friction: 0.4}}\nbodies:\n"
                 "  - {name: k, type: kinematic, shape: {box: {size: [0.2, 0.2]}},\n"
                 "     motion: {x: \"V*t\"}}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.3, 0.05]}},\n"
                 "     position: [0.12, 0.2], velocity: [V, 0]}\n",
                 speeds[i]);
        open_text(&w, text);
        run(&w, 0.002, 150);
        angle[i] = body(&w, 1).angle;
        close_world(&w);
    }
    assert_near(angle[0], -0.892, 1e-3);
    for (int i = 1; i < 4; i++) {
        assert_near(angle[i], angle[0], 0.1);
    }
}

/* advance: event: what comes to rest in its impact is held by static friction, on a slope that
   kinetic friction does not hold it on. */
static void what_lands_and_stops_sticks(void **state)
{
    (void)state;
    const double steps[] = {0.01, 0.002, 0.001, 0.0001};
    for (int i = 0; i < 4; i++) {
        world w;
        open_text(&w, "dimension: 2\ngravity: [-2, -9.81]\n"
                      "materials: {default: {friction: {static: 0.4, kinetic: 0.1}}}\nbodies:\n"
                      "  - {name: k, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                      "  - {name: c, type: particle, mass: 1, shape: {point: {}}, position: [0,\n"
                      "     0.05], velocity: [0.2519, 0]}\nsimulation: {advance: event}\n");
        run(&w, steps[i], (int)lround(0.3 / steps[i]));
        assert_near(body(&w, 1).position.x, 0.015239, 2e-6);
        assert_near(body(&w, 1).velocity.x, 0, 1e-9);
        close_world(&w);
    }
}

/* A disc lands on a floor that speeds up; its slip becomes zero in the next step, and it rolls. */
static void slip_that_ends_after_a_landing_is_seen(void **state)
{
    (void)state;
    const double steps[] = {0.004, 0.002, 0.001, 0.0005};
    for (int i = 0; i < 4; i++) {
        world w;
        open_text(&w,
                  "dimension: 2\nmaterials: {default: {friction: {static: 0.1, kinetic: 0}}}\n"
                  "bodies:\n"
                  "  - {name: k, type: kinematic, shape: {halfplane: {normal: [0, 1]}},\n"
                  "     motion: {x: \"t^2\", y: \"-5*t\"}}\n"
                  "  - {name: b, type: dynamic, mass: 0.92475658, shape: {disc: {radius: 0.1}},\n"
                  "     position: [0, 0.18595857], velocity: [0.49189676, -5],\n"
                  "     angular_velocity: -2.23911151}\n");
        run(&w, steps[i], (int)lround(0.5 / steps[i]));
        assert_near(body(&w, 1).angular_velocity.z, 2.641, 1e-3);
        close_world(&w);
    }
}

/* A floor that tilts leaves gaps below what lies on it that forces close at once: no impacts, and
   static friction (0.35, where 0.292 is needed at most) goes on holding. */
static void what_lies_on_a_tilting_floor_stays(void **state)
{
    (void)state;
    const double steps[] = {0.002, 0.001, 0.0005};
    for (int i = 0; i < 6; i++) {
        char  text[TEXT];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {default: {friction: {static: 0.35, kinetic: 0.19}}}\n"
                 "bodies:\n"
                 "  - {name: k, type: kinematic, shape: {halfplane: {normal: [0, 1]}},\n"
                 "     motion: {angle: \"0.25*sin(4.853*t)^2\"}}\n"
                 "  - {name: b, type: particle, mass: 1, shape: {point: {}}, position: [0.1, 0]}\n"
                 "simulation: {advance: %s}\n",
                 i < 3 ? "event" : "fixed");
        open_text(&w, text);
        run(&w, steps[i % 3], (int)lround(1 / steps[i % 3]));
        ss_vec3 p = body(&w, 1).position;
        assert_near(hypot(p.x, p.y), 0.1, 2e-6);
        close_world(&w);
    }
}

/* .. whichever of the two shapes comes first: functions of pairs take them in one order. */
static void balls_lie_on_boxes_that_tilt(void **state)
{
    (void)state;
    world w;
    open_text(&w, "materials: {default: {friction: 0.5}}\nbodies:\n"
                  "  - {name: k, type: kinematic, shape: {box: {size: [2, 2, 0.1]}}, motion:\n"
                  "     {x: 0, y: 0, z: -0.05, euler: [\"0.1*sin(3*t)^2\", 0, 0]}}\n"
                  "  - {name: b, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}},\n"
                  "     position: [0.2, 0.3, 0.1]}\n"
                  "  - {name: c, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.1, 0.1]}},\n"
                  "     position: [-0.3, 0.2, 0.05]}\n"
                  "simulation: {advance: event}\n");
    run(&w, 0.002, 150);
    for (int i = 1; i < 3; i++) {
        assert_true(ss_norm(body(&w, i).velocity) < 1);
        assert_true(fabs(body(&w, i).position.z) < 0.2);
    }
    close_world(&w);
}

/* A support on a table that could move and stands still has the same order as without a table. */
static void tables_that_stand_still_are_none(void **state)
{
    (void)state;
    static const char *const on[] = {"", ", on: k"};
    double                   v[2][2];
    for (int i = 0; i < 2; i++) {
        char  text[TEXT];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, 0]\nbodies:\n"
                 "  - {name: k, type: kinematic, motion: {x: 0}}\n"
                 "  - {name: b, type: dynamic, mass: 1, inertia: 1, position: [0.3, 0.1],\n"
                 "     velocity: [1, 1.5], support: {points: [[0.1, 0], [-0.05, 0.0866], [-0.05,\n"
                 "     -0.0866]], friction: 0.3, gravity: 9.81%s}}\n"
                 "forces:\n  - {name: f, type: constant, body: b, force: [2, -1]}\n",
                 on[i]);
        open_text(&w, text);
        run(&w, 0.01, 20);
        v[i][0] = body(&w, 1).velocity.x;
        v[i][1] = body(&w, 1).velocity.y;
        close_world(&w);
    }
    assert_near(v[0][0], v[1][0], 1e-9);
    assert_near(v[0][1], v[1][1], 1e-9);
}

/* Three balls on a line meet one after the other, within a sixteenth of a long step: three impacts.
 */
static void impacts_that_follow_soon_are_not_merged(void **state)
{
    (void)state;
    double v[2][3];
    for (int k = 0; k < 2; k++) {
        world w;
        open_text(&w, "dimension: 2\ngravity: [0, 0]\n"
                      "materials: {default: {friction: 0, restitution: 0.3}}\nbodies:\n"
                      "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}},\n"
                      "     position: [-0.325, 0], velocity: [0.4, 0]}\n"
                      "  - {name: b, type: dynamic, mass: 2, shape: {disc: {radius: 0.1}},\n"
                      "     position: [0, 0], velocity: [-0.4, 0]}\n"
                      "  - {name: c, type: dynamic, mass: 3, shape: {disc: {radius: 0.1}},\n"
                      "     position: [0.25, 0], velocity: [-0.75, 0]}\n"
                      "simulation: {advance: event}\n");
        run(&w, k == 0 ? 0.5 : 0.005, k == 0 ? 1 : 100);
        for (int i = 0; i < 3; i++) {
            v[k][i] = body(&w, i).velocity.x;
        }
        close_world(&w);
    }
    for (int i = 0; i < 3; i++) {
        assert_near(v[0][i], v[1][i], 1e-9);
    }
}

/* The impact of a spinning disc on a box, both on the floor: wherever in a step it falls, however
   long that is, there is one answer, by the momentum of the two. */
static void impacts_of_braked_bodies_are_taken_at_once(void **state)
{
    (void)state;
    const double places[] = {0.4, 0.401, 0.4023}, steps[] = {0.01, 0.002, 0.0005};
    for (int i = 0; i < 9; i++) {
        char  text[TEXT];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {default: {friction: 0.346}}\nbodies:\n"
                 "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                 "  - {name: box, type: dynamic, mass: 2.8751, shape: {box: {size: [0.3191,\n"
                 "     0.287]}}, position: [0, 0.1435], velocity: [1.8, 0]}\n"
                 "  - {name: disc, type: dynamic, mass: 2.9237, shape: {disc: {radius: 0.1576}},\n"
                 "     position: [%g, 0.1576], velocity: [-1.8, 0], angular_velocity: 11.421}\n"
                 "simulation: {advance: event}\n",
                 places[i / 3]);
        open_text(&w, text);
        run(&w, steps[i % 3], (int)lround(0.06 / steps[i % 3]));
        assert_near(body(&w, 1).velocity.x, 0, 1e-9);
        assert_near(body(&w, 2).angular_velocity.z, 3.807071, 5e-4);
        close_world(&w);
    }
}

/* A floor that turns by 1e-8 rad in a step is there, as one that stands still is. */
static void floors_that_hardly_turn_are_there(void **state)
{
    (void)state;
    static const char *const motions[] = {"1e-5*t", "1e-12*t"};
    for (int i = 0; i < 2; i++) {
        char  text[TEXT];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\nbodies:\n"
                 "  - {name: k, type: kinematic, shape: {halfplane: {normal: [0, 1]}},\n"
                 "     motion: {angle: \"%s\"}}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.1]}},\n"
                 "     position: [0.3, 0.05]}\n",
                 motions[i]);
        open_text(&w, text);
        run(&w, 0.001, 200);
        assert_near(body(&w, 1).position.y, 0.05, 1e-5);
        close_world(&w);
    }
}

/* A box that tumbles onto the end of a step's way of a plate: up to the impact its rows are left
   out, by the gap of when the step begins and not by what the plate meets when it ends. */
static void boxes_land_on_plates_that_move_as_on_those_at_rest(void **state)
{
    (void)state;
    ss_body_state at     = {0};
    const double  V[][2] = {{0, 0}, {3, 0}, {0, 2}, {20, -10}}, T = 0.4;
    for (int k = 0; k < 4; k++) {
        char  text[TEXT];
        world w;
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [0, -9.81]\n"
                 "materials: {default: {friction: 0.3, restitution: 0.5}}\n"
                 "bodies:\n"
                 "  - {name: plate, type: kinematic, shape: {box: {size: [4, 0.2]}},\n"
                 "     motion: {x: \"%g*t\", y: \"%g*t - 0.1\"}}\n"
                 "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.15815, 0.18643]}},\n"
                 "     position: [0, 0.42385], angle: 0.90601, velocity: [%g, %g],\n"
                 "     angular_velocity: 4.68}\n"
                 "simulation: {step: 0.01}\n",
                 V[k][0], V[k][1], 0.304 + V[k][0], -0.6676 + V[k][1]);
        open_text(&w, text);
        run(&w, 0.01, 40);
        ss_body_state b = body_named(&w, "a");
        b.position.x -= V[k][0] * T;
        b.position.y -= V[k][1] * T;
        at = k == 0 ? b : at;
        assert_near(b.position.x, at.position.x, 1e-8);
        assert_near(b.position.y, at.position.y, 1e-8);
        assert_near(b.angle, at.angle, 1e-8);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_base_that_moves_evenly_is_at_rest),
        cmocka_unit_test(walls_that_go_away_return_what_they_owe),
        cmocka_unit_test(boxes_land_on_plates_that_move_as_on_those_at_rest),
        cmocka_unit_test(springs_on_a_moving_base_balance_from_event_to_event),
        cmocka_unit_test(tension_on_a_hook_that_moves),
        cmocka_unit_test(hooks_jerk_as_they_would_at_rest),
        cmocka_unit_test(crates_stay_on_lorries),
        cmocka_unit_test(crates_slide_where_lorries_jerk),
        cmocka_unit_test(floors_that_hardly_turn_are_there),
        cmocka_unit_test(events_meet_lifts_where_they_are),
        cmocka_unit_test(bars_land_on_blocks_that_move),
        cmocka_unit_test(what_lands_and_stops_sticks),
        cmocka_unit_test(slip_that_ends_after_a_landing_is_seen),
        cmocka_unit_test(what_lies_on_a_tilting_floor_stays),
        cmocka_unit_test(balls_lie_on_boxes_that_tilt),
        cmocka_unit_test(tables_that_stand_still_are_none),
        cmocka_unit_test(impacts_that_follow_soon_are_not_merged),
        cmocka_unit_test(impacts_of_braked_bodies_are_taken_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
