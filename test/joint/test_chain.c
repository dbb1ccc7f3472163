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
    swing(3, 20, 0.5, quarter / 2, SS_JOINTS_STABILISED, 1e-3, 5);
    swing(2, 2, 1, quarter, SS_JOINTS_BAUMGARTE, 1e-3, 10);
    swing(2, 2, 1, quarter, SS_JOINTS_STABILISED, 1e-3, 10);
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
        cmocka_unit_test(a_long_chain_is_one_island),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
