/* SPDX-License-Identifier: Apache-2.0 */
/* Pendulums and chains: how far joints open and how well energy is kept, for each `joints` axis. */
#include <time.h>

#include "joint/mechanism.h"

typedef struct drift {
    double joint, energy, seconds;
} drift;

static drift swing(int dimension, int links, double length, double angle, ss_joints_kind axis,
                   double h, double duration)
{
    world w;
    drift out = {0, 0, 0};
    open_world(&w, dimension, "nsgs");
    w.sim.axes.joints = axis;
    add_chain(&w, links, length, angle);
    start(&w);
    double  e0    = total_energy(&w);
    int     steps = (int)lround(duration / h);
    clock_t begin = clock();
    for (int i = 0; i < steps; i++) {
        run(&w, h, 1);
        out.joint  = fmax(out.joint, ss_data_report(w.data)->joint_error);
        out.energy = fmax(out.energy, fabs(total_energy(&w) - e0));
    }
    out.seconds = (double)(clock() - begin) / CLOCKS_PER_SEC / steps;
    close_world(&w);
    print_message("%dD %2d links, axis %d, h = %g: joints %.2g m, energy %.2g J, %.1f us a step\n",
                  dimension, links, (int)axis, h, out.joint, out.energy, 1e6 * out.seconds);
    return out;
}

static const double quarter = 1.5707963267948966;

static void projected_joints_stay_closed(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        drift two = swing(dimension, 2, 1, quarter, SS_JOINTS_PROJECTED, 1e-3, 10);
        assert_true(two.joint < 1e-9);
        assert_true(two.energy < 2e-3 * 19.62); /* of what it can fall */
        drift chain = swing(dimension, 20, 0.5, quarter / 2, SS_JOINTS_PROJECTED, 1e-3, 5);
        assert_true(chain.joint < 1e-9);
    }
}

static void stabilised_joints_open_by_h_squared(void **state)
{
    (void)state;
    drift  coarse = swing(2, 2, 1, quarter, SS_JOINTS_STABILISED, 2e-3, 2);
    drift  fine   = swing(2, 2, 1, quarter, SS_JOINTS_STABILISED, 1e-3, 2);
    double order  = log2(coarse.joint / fine.joint);
    print_message("order of the opening: %.3f\n", order);
    assert_true(order > 1.9 && order < 2.1);
    assert_true(fine.joint < 5e-4);
    swing(2, 2, 1, quarter, SS_JOINTS_BAUMGARTE, 1e-3, 10);
    swing(2, 2, 1, quarter, SS_JOINTS_STABILISED, 1e-3, 10);
}

/* Twenty links of 10 g with 100 kg at their end, let go from the side. */
static void open_cable(world *w, const char *integrator)
{
    char text[1200];
    snprintf(text, sizeof text,
             "dimension: 2\n"
             "gravity: [0, -9.81]\n"
             "bodies:\n"
             "  - {repeat: {count: 20, as: i}, name: \"l{i}\", type: dynamic, mass: 0.01,\n"
             "     inertia: 2.1e-6, position: [\"0.025 + 0.05*i\", 0]}\n"
             "  - {name: load, type: dynamic, mass: 100, inertia: 1, position: [1, 0]}\n"
             "joints:\n"
             "  - {name: top, type: revolute, bodies: [world, l0], anchor: [0, 0]}\n"
             "  - {repeat: {count: 19, as: i}, name: \"j{i}\", type: revolute,\n"
             "     bodies: [\"l{i}\", \"l{i+1}\"], anchor: [\"0.05 + 0.05*i\", 0]}\n"
             "  - {name: hook, type: revolute, bodies: [l19, load], anchor: [1, 0]}\n"
             "simulation: {step: 0.001, duration: 5, model: {integrator: %s}}\n",
             integrator);
    open_text(w, text);
}

/* phi/h as printed makes energy here: that is no end of a run, but a failure. */
static void cables_as_printed_fail_by_name(void **state)
{
    (void)state;
    world w;
    open_cable(&w, "euler");
    double    most   = total_energy(&w) + 0.01 * 981; /* a hundredth of what the load can fall */
    ss_status status = SS_OK;
    for (int i = 0; i < 5000 && status == SS_OK; i++) {
        status = ss_step(w.model, w.data, 1e-3);
        assert_true(total_energy(&w) < most);
    }
    assert_int_equal(status, SS_ERR_CERTIFICATE);
    assert_non_null(strstr(ss_context_message(w.ctx), "makes energy"));
    close_world(&w);
}

/* By default its energy stays within a hundredth of what it can fall, and its joints closed. */
static void a_cable_with_a_load_swings(void **state)
{
    (void)state;
    world w;
    open_cable(&w, "midpoint");
    double start = total_energy(&w);
    for (int i = 0; i < 1000; i++) {
        run(&w, 1e-3, 1);
        assert_near(total_energy(&w), start, 0.01 * 981);
        assert_true(ss_data_report(w.data)->joint_error < 1e-6);
    }
    close_world(&w);
}

/* 520 links are an island of 1040 rows: more than the local form is made for. */
static void a_long_chain_is_one_island(void **state)
{
    (void)state;
    drift stabilised = swing(2, 520, 0.1, quarter, SS_JOINTS_STABILISED, 1e-3, 0.004);
    drift projected  = swing(2, 520, 0.1, quarter, SS_JOINTS_PROJECTED, 1e-3, 0.004);
    assert_true(stabilised.joint > projected.joint && projected.joint < 1e-9);
    assert_true(stabilised.energy < 1e-3 * 520 * 9.81 && projected.energy < 1e-3 * 520 * 9.81);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projected_joints_stay_closed),
        cmocka_unit_test(stabilised_joints_open_by_h_squared),
        cmocka_unit_test(cables_as_printed_fail_by_name),
        cmocka_unit_test(a_cable_with_a_load_swings),
        cmocka_unit_test(a_long_chain_is_one_island),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
