/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Impacts of bodies with joints, at contacts and limits, and contacts that hold some of them while
 * others swing: at their time, without a loss that no law asks for, of second order. Against closed
 * forms, integrations of their own and level: acceleration.
 */
#include "world.h"

enum { TEXT = 1600, MOST = 3 };

static const double STEPS[] = {0.01, 0.005, 0.0025};

typedef struct ending {
    ss_body_state links[MOST];
    ss_energy     energy;
    double        factor; /* the least of what impacts returned */
} ending;

static ending end_of(const char *text, const char *set, int links, double duration)
{
    world  w;
    char   all[TEXT + 200];
    ending x = {.factor = 1};
    snprintf(all, sizeof all, "%ssimulation: {%s}\n", text, set);
    open_text(&w, all);
    double h     = ss_model_simulation(w.model)->step;
    int    steps = (int)(duration / h + 0.5);
    for (int i = 0; i < steps; i++) {
        run(&w, h, 1);
        x.factor = fmin(x.factor, ss_data_report(w.data)->restitution_factor);
    }
    for (int i = 0; i < links; i++) {
        char name[3] = {'B', (char)('0' + i), 0};
        x.links[i]   = body_named(&w, name);
    }
    x.energy = ss_data_energy(w.model, w.data);
    close_world(&w);
    return x;
}

static ending end_by_steps(const char *text, double h, int links, double duration)
{
    char set[60];
    snprintf(set, sizeof set, "step: %g", h);
    return end_of(text, set, links, duration);
}

/* Links end where they do from event to event, to `most` at 10 ms and to second order below. */
static void as_by_events(const char *text, int links, double duration, double most)
{
    ending exact = end_of(text, "step: 0.001, model: {level: acceleration}", links, duration);
    for (int i = 0; i < 3; i++) {
        ending x     = end_by_steps(text, STEPS[i], links, duration);
        double bound = fmax(most * pow(STEPS[i] / STEPS[0], 2), 2.5e-4);
        for (int k = 0; k < links; k++) {
            double off    = ss_norm(ss_sub(x.links[k].position, exact.links[k].position));
            double turned = fabs(x.links[k].angle - exact.links[k].angle);
            if (!(off <= bound && turned <= bound)) {
                fail_msg("step %g, link %d: %g m and %g rad off, at most %g", STEPS[i], k, off,
                         turned, bound);
            }
        }
    }
}

/*
 * A pendulum has one coordinate: where it strikes with e = 1 it turns round, whatever friction
 * does, and keeps its energy. Velocities that smooth steps leave its joint were energy that the
 * impact made, and was scaled for.
 */
static void an_elastic_pendulum_keeps_its_energy(void **state)
{
    (void)state;
    static const double mu[] = {0, 0.2, 0.8};
    for (int i = 0; i < 9; i++) {
        char text[TEXT];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [0, -9.81]\n"
                 "materials: {default: {friction: %g, restitution: 1}}\n"
                 "bodies:\n"
                 "  - {name: wall, type: static,\n"
                 "     shape: {halfplane: {normal: [1, 0], offset: -0.226}}}\n"
                 "  - {name: B0, type: dynamic, mass: 1.6, inertia: 0.0112,\n"
                 "     shape: {box: {size: [0.29, 0.03]}}, position: [-0.0474, 0.1374],\n"
                 "     angle: 1.903}\n"
                 "joints:\n"
                 "  - {name: J0, type: revolute, bodies: [world, B0], anchor: [0, 0]}\n",
                 mu[i / 3]);
        ending x     = end_by_steps(text, STEPS[i % 3], 1, 0.35);
        double start = 1.6 * 9.81 * 0.1374, fallen = start - x.energy.potential;
        assert_near(x.factor, 1, 0);
        assert_true(x.links[0].angular_velocity.z < 0); /* it has turned round */
        assert_near(x.energy.kinetic, fallen, 5e-4 * start);
    }
}

/*
 * A link that leans on a wall beside its hinge, with an arm of a centimetre, while the other swings
 * from its end: a rod that swings from a fixed point. Closing the joints moved the first one off
 * the wall, or into it, and all steps were of first order: a tenth of the energy was gone in one
 * swing.
 */
static void a_link_that_leans_while_the_other_swings(void **state)
{
    (void)state;
    const double g = 9.81, arm = 0.25, I = 0.02 + arm * arm, T = 0.6;
    double       a = 0, w = 0, dt = 1e-4; /* the rod, by Verlet's method */
    for (int i = 0; i < 6000; i++) {
        w -= 0.5 * dt * g * arm / I * cos(a);
        a += dt * w;
        w -= 0.5 * dt * g * arm / I * cos(a);
    }
    for (int i = 0; i < 9; i++) {
        char text[TEXT];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [0, -9.81]\n"
                 "materials: {default: {friction: 0.5, restitution: %g}}\n"
                 "bodies:\n"
                 "  - {name: wall, type: static, shape: {halfplane: {normal: [1, 0]}}}\n"
                 "  - {name: B0, type: dynamic, mass: 1, inertia: 0.02,\n"
                 "     shape: {box: {size: [0.5, 0.02]}}, position: [0.25, 0]}\n"
                 "  - {name: B1, type: dynamic, mass: 1, inertia: 0.02, position: [0.75, 0]}\n"
                 "joints:\n"
                 "  - {name: J0, type: revolute, bodies: [world, B0], anchor: [0, 0]}\n"
                 "  - {name: J1, type: revolute, bodies: [B0, B1], anchor: [0.5, 0]}\n",
                 0.5 * (i / 3));
        double h = STEPS[i % 3];
        ending x = end_by_steps(text, h, 2, T);
        assert_near(x.links[0].angle, 0, 1e-5);
        assert_near(x.links[1].angle, a, 6 * h * h);
        assert_near(x.energy.kinetic + x.energy.potential, 0, 1e-4);
        assert_near(x.factor, 1, 0);
    }
}

/* A double pendulum swings against a wall, by both laws of impact. */
static void a_double_pendulum_strikes_a_wall(void **state)
{
    (void)state;
    static const char *const law[] = {"newton", "poisson"};
    static const double      mu[] = {0, 0.6}, e[] = {0.5, 1};
    for (int i = 0; i < 8; i++) {
        char text[TEXT];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [0, -9.81]\n"
                 "materials: {default: {friction: %g, restitution: %g, impact: %s}}\n"
                 "bodies:\n"
                 "  - {name: wall, type: static,\n"
                 "     shape: {halfplane: {normal: [1, 0], offset: -0.3}}}\n"
                 "  - {name: B0, type: dynamic, mass: 1, inertia: 0.02,\n"
                 "     shape: {box: {size: [0.5, 0.02]}}, position: [0.25, 0]}\n"
                 "  - {name: B1, type: dynamic, mass: 1, inertia: 0.02,\n"
                 "     shape: {box: {size: [0.5, 0.02]}}, position: [0.75, 0]}\n"
                 "joints:\n"
                 "  - {name: J0, type: revolute, bodies: [world, B0], anchor: [0, 0]}\n"
                 "  - {name: J1, type: revolute, bodies: [B0, B1], anchor: [0.5, 0]}\n",
                 mu[i / 4], e[i / 2 % 2], law[i % 2]);
        as_by_events(text, 2, 0.6, 1e-2);
    }
}

#define FLOOR_AND_WALL(mu, e, floor, wall)                                                         \
    "dimension: 2\n"                                                                               \
    "gravity: [0, -9.81]\n"                                                                        \
    "materials: {default: {friction: " mu ", restitution: " e "}}\n"                               \
    "bodies:\n"                                                                                    \
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1], offset: " floor "}}}\n"   \
    "  - {name: wall, type: static, shape: {halfplane: {normal: [1, 0], offset: " wall "}}}\n"

/* Its disc comes down to 0.1 mm above the floor while the chain is nearly straight, and swings
   clear of it: by rows of the start of a step it strikes, with hundreds of times its own mass. */
static void a_chain_that_swings_clear_of_the_floor(void **state)
{
    (void)state;
    as_by_events(
        FLOOR_AND_WALL(
            "0", "0.3", "0.26566",
            "-0.058905") "  - {name: B0, type: dynamic, mass: 0.73976, inertia: 0.003649, group: "
                         "1,\n"
                         "     shape: {box: {size: [0.24329, 0.03]}}, position: [0.1526, "
                         "0.73262],\n"
                         "     angle: -0.64196}\n"
                         "  - {name: B1, type: dynamic, mass: 0.84332, inertia: 0.010251, group: "
                         "1,\n"
                         "     shape: {disc: {radius: 0.11458}}, position: [0.17799, 0.48294],\n"
                         "     angle: -1.9577}\n"
                         "joints:\n"
                         "  - {name: J0, type: revolute, bodies: [world, B0], anchor: [0.055174, "
                         "0.80546]}\n"
                         "  - {name: J1, type: revolute, bodies: [B0, B1], anchor: [0.25003, "
                         "0.65979]}\n",
        2, 0.3, 2e-3);
}

/* Without the impact that the round at the start sees, another link would strike before it. */
static void a_link_that_strikes_on_the_way_to_an_impact(void **state)
{
    (void)state;
    as_by_events(
        FLOOR_AND_WALL(
            "0", "0.3", "0.58871",
            "-0.53558") "  - {name: B0, type: dynamic, mass: 0.6483, inertia: 0.013275, group: 1,\n"
                        "     shape: {box: {size: [0.49571, 0.03]}}, position: [-0.14807, "
                        "0.77449],\n"
                        "     angle: 2.4828}\n"
                        "  - {name: B1, type: dynamic, mass: 0.9278, inertia: 0.012908, group: 1,\n"
                        "     shape: {box: {size: [0.40859, 0.03]}}, position: [-0.16016, "
                        "1.0152],\n"
                        "     angle: 0.45067}\n"
                        "joints:\n"
                        "  - {name: J0, type: revolute, bodies: [world, B0], anchor: [0.047916, "
                        "0.62277]}\n"
                        "  - {name: J1, type: revolute, bodies: [B0, B1], anchor: [-0.34406, "
                        "0.92622]}\n",
        2, 0.3, 1e-3);
}

/* At 2.5 ms the impact is within the last hundredth of a step, where its middle alone sees it. */
static void an_impact_at_the_end_of_a_step(void **state)
{
    (void)state;
    as_by_events(FLOOR_AND_WALL("0.8", "0.7", "0.38856",
                                "-0.62323") "  - {name: B0, type: dynamic, mass: 1.1569, inertia: "
                                            "0.0049049, group: 1,\n"
                                            "     shape: {box: {size: [0.22556, 0.03]}}, position: "
                                            "[-0.21518, 0.67757],\n"
                                            "     angle: 3.2455}\n"
                                            "  - {name: B1, type: dynamic, mass: 0.71396, inertia: "
                                            "0.0030274, group: 1,\n"
                                            "     shape: {box: {size: [0.22557, 0.03]}}, position: "
                                            "[-0.42836, 0.6157],\n"
                                            "     angle: 3.6027}\n"
                                            "joints:\n"
                                            "  - {name: J0, type: revolute, bodies: [world, B0],\n"
                                            "     anchor: [-0.10301, 0.68927]}\n"
                                            "  - {name: J1, type: revolute, bodies: [B0, B1], "
                                            "anchor: [-0.32735, 0.66588]}\n",
                 2, 0.3, 2e-3);
}

/* Chains that have landed slide, stop and go on: one step of first order left gaps and velocities
   that made every second step one of first order. */
static void chains_that_slide_and_stop(void **state)
{
    (void)state;
    as_by_events(
        FLOOR_AND_WALL(
            "0.4", "0", "-0.10718",
            "-0.49513") "  - {name: B0, type: dynamic, mass: 0.32054, inertia: 0.001345, group: "
                        "1,\n"
                        "     shape: {disc: {radius: 0.067319}}, position: [-0.24126, 0.55608],\n"
                        "     angle: -2.1419}\n"
                        "  - {name: B1, type: dynamic, mass: 0.3698, inertia: 0.0070918, group: "
                        "1,\n"
                        "     shape: {box: {size: [0.47972, 0.03]}}, position: [-0.17147, "
                        "0.2604],\n"
                        "     angle: -0.99582}\n"
                        "joints:\n"
                        "  - {name: J1, type: revolute, bodies: [B0, B1], anchor: [-0.30191, "
                        "0.46169]}\n",
        2, 0.3, 4e-3);
    as_by_events(
        FLOOR_AND_WALL(
            "0.8", "0.7", "0.45134",
            "-0.24447") "  - {name: B0, type: dynamic, mass: 1.0473, inertia: 0.0070909, group: "
                        "1,\n"
                        "     shape: {box: {size: [0.28504, 0.03]}}, position: [0.018758, "
                        "0.64264],\n"
                        "     angle: 3.2232}\n"
                        "  - {name: B1, type: dynamic, mass: 0.32519, inertia: 0.0049867, group: "
                        "1,\n"
                        "     shape: {box: {size: [0.42898, 0.03]}}, position: [-0.16704, 0.841],\n"
                        "     angle: 1.7762}\n"
                        "joints:\n"
                        "  - {name: J1, type: revolute, bodies: [B0, B1], anchor: [-0.12329, "
                        "0.63102]}\n",
        2, 0.3, 3.5e-3);
}

/* A rod that swings about its end, from an angle and a rate: by Verlet's method. */
static double swung(double a, double w, double arm, double I, double T)
{
    const double g = 9.81, n = 20000, dt = T / n;
    for (int i = 0; i < (int)n; i++) {
        w -= 0.5 * dt * g * arm / I * sin(a);
        a += dt * w;
        w -= 0.5 * dt * g * arm / I * sin(a);
    }
    return a;
}

/*
 * A cart with a rod that hangs from it runs into its stop: from then on the rod swings about a
 * fixed point, with what the blow makes of its momentum about it. A limit that let the cart go on
 * to it in the step, and stopped it in the next, had two blows.
 */
static void a_cart_runs_into_its_stop(void **state)
{
    (void)state;
    const double V = 1.3, way = 0.15, arm = 0.5, I = 0.02 + arm * arm, T = 0.4;
    double       exact = swung(0, arm * V / I, arm, I, T - way / V);
    for (int i = 0; i < 3; i++) {
        const char *text =
            "dimension: 2\n"
            "gravity: [0, -9.81]\n"
            "bodies:\n"
            "  - {name: B0, type: dynamic, mass: 1, inertia: 1, velocity: [1.3, 0]}\n"
            "  - {name: B1, type: dynamic, mass: 1, inertia: 0.02, position: [0, -0.5],\n"
            "     velocity: [1.3, 0]}\n"
            "joints:\n"
            "  - {name: J0, type: prismatic, bodies: [world, B0], axis: [1, 0],\n"
            "     limits: [-0.1, 0.15]}\n"
            "  - {name: J1, type: revolute, bodies: [B0, B1], anchor: [0, 0]}\n";
        ending x = end_by_steps(text, 2 * STEPS[i], 2, T);
        assert_near(x.links[0].position.x, way, 1e-9);
        assert_near(x.links[1].angle, exact, 10 * STEPS[i] * STEPS[i]);
    }
}

/* A link comes to rest on its stop, and the other swings on from its end: it is held there by what
   is rounding of the other's speed, which is no blow in every step. */
static void a_link_rests_on_its_stop_while_the_other_swings(void **state)
{
    (void)state;
    const double arm = 0.3, I = 0.02 + arm * arm, T = 0.15, from = acos(-1) / 2 - 0.3;
    double       exact = swung(from, -12, arm, I, T) - from;
    for (int i = 0; i < 3; i++) {
        char text[TEXT];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [0, -9.81]\n"
                 "bodies:\n"
                 "  - {name: B0, type: dynamic, mass: 1, inertia: 0.02, position: [0.45, 0]}\n"
                 "  - {name: B1, type: dynamic, mass: 1, inertia: 0.02,\n"
                 "     position: [%.17g, %.17g], velocity: [%.17g, %.17g], angular_velocity: -12}\n"
                 "joints:\n"
                 "  - {name: J0, type: revolute, bodies: [world, B0], anchor: [0, 0],\n"
                 "     limits: [0, 3]}\n"
                 "  - {name: J1, type: revolute, bodies: [B0, B1], anchor: [0.9, 0]}\n",
                 0.9 + arm * cos(0.3), -arm * sin(0.3), -12 * arm * sin(0.3), -12 * arm * cos(0.3));
        ending x = end_by_steps(text, STEPS[i], 2, T);
        assert_near(x.links[0].angle, 0, 1e-9);
        assert_near(x.links[1].angle, exact, 40 * STEPS[i] * STEPS[i]);
    }
}

/* Knees that are stretched to their limits, in the plane and in space, and ropes that are. */
static void limits_that_are_reached_within_steps(void **state)
{
    (void)state;
    static const char *const limit[] = {"0.2", "0.37", "1"};
    for (int i = 0; i < 3; i++) {
        char text[TEXT];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "gravity: [0, -9.81]\n"
                 "bodies:\n"
                 "  - {name: B0, type: dynamic, mass: 1, inertia: 0.02, position: [0.25, 0]}\n"
                 "  - {name: B1, type: dynamic, mass: 1, inertia: 0.02, position: [0.75, 0]}\n"
                 "joints:\n"
                 "  - {name: J0, type: revolute, bodies: [world, B0], anchor: [0, 0]}\n"
                 "  - {name: J1, type: revolute, bodies: [B0, B1], anchor: [0.5, 0],\n"
                 "     limits: [-0.2, %s]}\n",
                 limit[i]);
        as_by_events(text, 2, 0.6, 1.5e-3);
    }
    as_by_events("dimension: 3\n"
                 "gravity: [0, 0, -9.81]\n"
                 "bodies:\n"
                 "  - {name: B0, type: dynamic, mass: 1, inertia: [0.02, 0.02, 0.01],\n"
                 "     position: [0.25, 0, 0], angular_velocity: [0, 0, 1]}\n"
                 "  - {name: B1, type: dynamic, mass: 1, inertia: [0.02, 0.02, 0.01],\n"
                 "     position: [0.75, 0, 0]}\n"
                 "joints:\n"
                 "  - {name: J0, type: spherical, bodies: [world, B0], anchor: [0, 0, 0]}\n"
                 "  - {name: J1, type: revolute, bodies: [B0, B1], anchor: [0.5, 0, 0],\n"
                 "     axis: [0, 1, 0], limits: [-0.3, 0.2]}\n",
                 2, 0.3, 5e-4);
    as_by_events("dimension: 2\n"
                 "gravity: [0, -9.81]\n"
                 "bodies:\n"
                 "  - {name: B0, type: dynamic, mass: 1, inertia: 0.02, position: [0.3, 0.1],\n"
                 "     velocity: [1, 0.4]}\n"
                 "joints:\n"
                 "  - {name: J0, type: distance, bodies: [world, B0], anchor: [0, 0],\n"
                 "     anchor_b: [0.25, 0.1], limits: [0, 0.6]}\n",
                 1, 0.6, 1.2e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_elastic_pendulum_keeps_its_energy),
        cmocka_unit_test(a_link_that_leans_while_the_other_swings),
        cmocka_unit_test(a_double_pendulum_strikes_a_wall),
        cmocka_unit_test(a_chain_that_swings_clear_of_the_floor),
        cmocka_unit_test(a_link_that_strikes_on_the_way_to_an_impact),
        cmocka_unit_test(an_impact_at_the_end_of_a_step),
        cmocka_unit_test(chains_that_slide_and_stop),
        cmocka_unit_test(a_cart_runs_into_its_stop),
        cmocka_unit_test(a_link_rests_on_its_stop_while_the_other_swings),
        cmocka_unit_test(limits_that_are_reached_within_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
