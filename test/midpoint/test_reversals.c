/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sticking, slipping and turning round within steps. What is expected comes from an integration of
 * its own of u' = f(x, t) - mu n sgn(u), or u = 0 while |f| <= mu n, with u the slip: Runge-Kutta
 * steps of 0.5 ms that end where slip does, or sticking, found by bisection; `lost` is the integral
 * of mu n |u|. Surfaces shake as A sin wt + B sin(2wt + phi), with one turn a second.
 */
#include "world.h"

#define SHAKES "x: \"A*sin(w*t) + B*sin(2*w*t + phi)\""

static const char PLATE[] =
    "dimension: 2\n"
    "params: {A: 0.3, B: 0, phi: 0, w: 2*pi, mu: 0.6, Y: 0, gx: 0}\n"
    "gravity: [gx, -9.81]\n"
    "materials: {default: {friction: mu}}\n"
    "bodies:\n"
    "  - {name: plate, type: kinematic, shape: {box: {size: [30, 0.1], position: [0, -0.05]}},\n"
    "     motion: {" SHAKES ", y: \"Y*sin(w*t)\"}}\n"
    "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}}, position: [0, 0.05],\n"
    "     velocity: [0, Y*w]}\n";

static const char PLATE_IN_SPACE[] =
    "params: {A: 0.3, B: 0, phi: 0, w: 2*pi, mu: 0.6}\n"
    "materials: {default: {friction: mu}}\n"
    "bodies:\n"
    "  - {name: plate, type: kinematic, shape: {box: {size: [30, 30, 0.1],\n"
    "     position: [0, 0, -0.05]}}, motion: {" SHAKES "}}\n"
    "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.3, 0.2, 0.2]}},\n"
    "     position: [0, 0, 0.1], axis_angle: [0, 0, 1, 0.4]}\n";

static const char SUPPORTED[] =
    "dimension: 2\n"
    "params: {A: 0.3, B: 0, phi: 0, w: 2*pi, mu: 0.6}\n"
    "gravity: [0, 0]\n"
    "bodies:\n"
    "  - {name: plate, type: kinematic, motion: {" SHAKES "}}\n"
    "  - {name: a, type: dynamic, mass: 1, inertia: 0.01, support: {on: plate, friction: mu,\n"
    "     points: [[0.1, 0], [-0.05, 0.08], [-0.05, -0.08]]}}\n";

static const char BELT[] =
    "dimension: 2\n"
    "params: {belt: 0.3, mu: 0.3}\n"
    "gravity: [0, -9.81]\n"
    "materials: {default: {friction: mu}}\n"
    "bodies:\n"
    "  - {name: belt, type: static, shape: {halfplane: {normal: [0, 1]}},\n"
    "     surface_velocity: [belt, 0]}\n"
    "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}},\n"
    "     position: [0.4, 0.05]}\n"
    "forces:\n"
    "  - {name: spring, type: spring, bodies: [world, a], anchors: [[-0.6, 0.05], [0, 0]],\n"
    "     stiffness: 40, rest_length: 0.6}\n";

static const char JOINT[] =
    "dimension: 2\n"
    "params: {A: 0.3, B: 0.1, phi: 0.5, w: 2*pi, F: 3}\n"
    "gravity: [0, 0]\n"
    "bodies:\n"
    "  - {name: base, type: kinematic, motion: {" SHAKES "}}\n"
    "  - {name: a, type: dynamic, mass: 1, inertia: 1, position: [0, 0]}\n"
    "joints:\n"
    "  - {name: rail, type: prismatic, bodies: [base, a], anchor: [0, 0], axis: [1, 0],\n"
    "     friction: F}\n";

#define TWO_HARMONICS                                                                              \
    {                                                                                              \
        "params.B=0.1", "params.phi=0.5", "params.mu=0.5"                                          \
    }
#define WITH_STICKING                                                                              \
    {                                                                                              \
        "params.A=0.2", "params.B=0.1", "params.phi=1", "params.mu=1.1"                            \
    }

static const struct {
    const char *what, *text;
    const char *set[5];
    double      duration, x, lost, way; /* way: that errors are compared with */
} scenes[] = {
    {"one harmonic", PLATE, {NULL}, 10, -0.201574555, 44.3961894, 1},
    {"two harmonics", PLATE, TWO_HARMONICS, 10, -6.762621515, 54.3219672, 6.76},
    {"with sticking", PLATE, WITH_STICKING, 10, -1.855979049, 45.9343279, 1.86},
    {"inclined",
     PLATE,
     {"params.B=0.05", "params.phi=0.3", "params.mu=1", "params.gx=-1"},
     10,
     -1.911263939,
     38.1954876,
     1.91},
    {"up and down, too",
     PLATE,
     {"params.B=0.05", "params.phi=0.7", "params.mu=1", "params.Y=0.1"},
     10,
     1.807230107,
     32.2707842,
     1.81},
    {"just above sticking",
     PLATE,
     {"params.B=0.1", "params.phi=2", "params.mu=1.15"},
     10,
     -3.624626712,
     71.1887443,
     3.62},
    {"in space", PLATE_IN_SPACE, TWO_HARMONICS, 10, -6.762621515, 54.3219672, 6.76},
    {"in space, with sticking", PLATE_IN_SPACE, WITH_STICKING, 10, -1.855979049, 45.9343279, 1.86},
    {"on three points", SUPPORTED, TWO_HARMONICS, 10, -6.762621515, 54.3219672, 6.76},
    {"on three points, with sticking", SUPPORTED, WITH_STICKING, 10, -1.855979049, 45.9343279,
     1.86},
    {"spring on a belt", BELT, {NULL}, 4, 0.114228415, 5.7122914, 0.4},
    {"spring on a slow belt",
     BELT,
     {"params.belt=0.05", "params.mu=0.15"},
     4,
     0.042036948,
     3.2211809,
     0.4},
    {"joint that rubs", JOINT, {NULL}, 10, -7.059950087, 35.9886879, 7.06},
    {"joint that sticks", JOINT, {"params.F=9"}, 10, -3.496372494, 71.3031101, 3.5},
};

/* How far off the place and the loss are, over what they are compared with. */
static void errors_of(int i, double h, double *place, double *loss)
{
    size_t count = 0;
    world  w     = {.ctx = ss_context_create(NULL)};
    while (count < 5 && scenes[i].set[count] != NULL) {
        count++;
    }
    check(&w, load_world(&w, scenes[i].text, scenes[i].set, count));
    ss_energy was = ss_data_energy(w.model, w.data);
    run(&w, h, (int)lround(scenes[i].duration / h));
    ss_energy e   = ss_data_energy(w.model, w.data);
    double    sum = e.applied + e.driven + e.corrections + e.integration - e.dissipated;
    assert_near(e.kinetic + e.potential - was.kinetic - was.potential, sum, 1e-8 * e.dissipated);
    *place = fabs(body_named(&w, "a").position.x - scenes[i].x) / scenes[i].way;
    *loss  = fabs(e.dissipated - scenes[i].lost) / scenes[i].lost;
    close_world(&w);
}

static void slip_ends_at_its_time(void **unused)
{
    (void)unused;
    for (int i = 0; i < (int)(sizeof scenes / sizeof scenes[0]); i++) {
        double place[2], loss[2];
        errors_of(i, 0.01, &place[0], &loss[0]);
        errors_of(i, 0.0025, &place[1], &loss[1]);
        print_message("%s: way off by %.1e and %.1e, loss by %.1e and %.1e\n", scenes[i].what,
                      place[0], place[1], loss[0], loss[1]);
        assert_true(place[0] < 1e-2 && place[1] < 1e-3);
        assert_true(loss[0] < 1e-2 && loss[1] < 1e-3);
    }
}

/* Thrown up a slope that does not hold it: it goes up, turns within a step, and comes down. */
static void what_turns_on_a_slope_is_of_second_order(void **unused)
{
    (void)unused;
    static const char *const slope =
        "dimension: 2\n"
        "gravity: [-4, -9]\n"
        "materials: {default: {friction: 0.2}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
        "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}},\n"
        "     position: [0, 0.05], velocity: [3.1, 0]}\n";
    const double up = 4 + 0.2 * 9, down = 4 - 0.2 * 9, top = 3.1 / up;
    for (double h = 0.04; h > 0.004; h /= 2) {
        world w;
        open_text(&w, slope);
        run(&w, h, (int)lround(1 / h));
        double x = 0.5 * 3.1 * top - 0.5 * down * (1 - top) * (1 - top);
        assert_near(body_named(&w, "a").velocity.x, -down * (1 - top), 1e-12);
        assert_near(body_named(&w, "a").position.x, x, 0.5 * h * h);
        close_world(&w);
    }
}

/* What rests on a plate that shakes too little to move it goes with it, to rounding. */
static void what_sticks_goes_with_its_ground(void **unused)
{
    (void)unused;
    static const char *const set[] = {"params.A=0.1", "params.mu=0.5"};
    world                    w     = {.ctx = ss_context_create(NULL)};
    check(&w, load_world(&w, PLATE, set, 2));
    run(&w, 0.01, 100);
    double apart = body_named(&w, "a").position.x - body_named(&w, "plate").position.x;
    run(&w, 0.01, 400);
    assert_near(body_named(&w, "a").position.x - body_named(&w, "plate").position.x, apart, 1e-5);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slip_ends_at_its_time),
        cmocka_unit_test(what_turns_on_a_slope_is_of_second_order),
        cmocka_unit_test(what_sticks_goes_with_its_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
