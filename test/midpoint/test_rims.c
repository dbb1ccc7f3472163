/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies that roll on rims, edges and uneven sides without slip keep their energy to second order.
 * A step of first order leaves a contact that closes, and slips, by what its rows have turned by:
 * that is no event (midpoint/contact_turns.c).
 */
#include "joint/mechanism.h"

static const char *const GROUNDS[] = {
    "{plane: {normal: [0, 0, 1]}}",
    "{box: {size: [2, 2, 0.5], position: [0.03, 0.03, -0.25]}}",
    "{convex: {points: [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [-1, -1, -1], [1, -1, -1], "
    "[1, 1, -1], [-1, 1, -1]]}}",
    "{union: {parts: [{box: {size: [2, 2, 0.5], position: [0.03, 0.03, -0.25]}}, "
    "{box: {size: [0.5, 0.5, 0.5], position: [0.7, 0.7, 0]}}]}}",
};

typedef struct roller {
    const char *shape;
    double      mass, friction;
    ss_vec3     position, velocity, spin;
    double      quat[4];
} roller;

static void open_roller(world *w, const roller *r, const char *ground)
{
    char text[2048];
    snprintf(text, sizeof text,
             "materials: {default: {friction: %.17g}}\n"
             "bodies:\n"
             "  - {name: floor, type: static, shape: %s}\n"
             "  - {name: a, type: dynamic, mass: %.17g, shape: %s,\n"
             "     position: [%.17g, %.17g, %.17g], quat_wxyz: [%.17g, %.17g, %.17g, %.17g],\n"
             "     velocity: [%.17g, %.17g, %.17g], angular_velocity: [%.17g, %.17g, %.17g]}\n",
             r->friction, ground, r->mass, r->shape, r->position.x, r->position.y, r->position.z,
             r->quat[0], r->quat[1], r->quat[2], r->quat[3], r->velocity.x, r->velocity.y,
             r->velocity.z, r->spin.x, r->spin.y, r->spin.z);
    open_text(w, text);
}

/* Energy that is lost until T. */
static double loss(const roller *r, const char *ground, double h, double T, double *whole)
{
    world w;
    open_roller(&w, r, ground);
    double before = total_energy(&w);
    run(&w, h, (int)lround(T / h));
    double after = total_energy(&w);
    close_world(&w);
    *whole = before;
    return before - after;
}

/* Four times less at half the step, of the energy at T or (exact: nothing rubs) of what is lost. */
static void assert_second_order_on(const char *what, const roller *r, const char *ground, double h,
                                   double T, double most)
{
    double whole, a = loss(r, ground, h, T, &whole), b = loss(r, ground, h / 2, T, &whole);
    double c = loss(r, ground, h / 4, T, &whole), order = log2(fabs((a - b) / (b - c)));
    print_message("%s on %.6s: lost %.3e of %.4g J at h = %g, order %.2f\n", what, ground, a, whole,
                  h, order);
    assert_true(fabs(a - b) < most * whole);
    assert_true(order > 1.6 && order < 3.2);
}

/*
 * Euler's disc: a coin that stands on its rim at an angle and rolls about its centre, which rests.
 * It starts by slipping a little, since the spin is that of a coin without thickness.
 */
static roller coin(double radius, double thickness, double tilt, double friction, char *shape,
                   size_t size)
{
    double around = sqrt(4 * 9.81 / (radius * sin(tilt))) * sin(tilt);
    snprintf(shape, size, "{cylinder: {radius: %.17g, length: %.17g}}", radius, thickness);
    return (roller){.shape    = shape,
                    .mass     = 0.4,
                    .friction = friction,
                    .position = {0, 0, radius * sin(tilt) + thickness / 2 * cos(tilt)},
                    .spin     = {0, around * cos(tilt), around * sin(tilt)},
                    .quat     = {cos(tilt / 2), sin(tilt / 2), 0, 0}};
}

static void coins_keep_their_energy(void **state)
{
    (void)state;
    const double thickness[] = {1e-5, 1e-3, 4e-3}, tilt[] = {0.15, 0.3, 0.6}, mu[] = {0.8, 3};
    for (int i = 0; i < 3 * 3 * 2; i++) {
        char   shape[128];
        double t = thickness[i % 3], a = tilt[i / 3 % 3], f = mu[i / 9], whole;
        roller r      = coin(0.04, t, a, f, shape, sizeof shape);
        double slip   = fabs(ss_norm(r.spin) * t / 2); /* of the start, which is taken */
        double energy = loss(&r, GROUNDS[i % 4], 5e-4, 0.1, &whole);
        double rubbed = r.mass * slip * slip;
        print_message("coin %g mm thick at %g, friction %g: %.2e of %.3g J lost, %.1e by slip\n",
                      1e3 * t, a, f, energy, whole, rubbed);
        assert_true(fabs(energy) < 3e-3 * whole + rubbed);
    }
}

/* A cylinder that rolls on its rim; a shorter one that slides on it while its point of contact
   runs round: forces alone would open it, and the path of the rim closes it. */
static void rims_are_of_second_order(void **state)
{
    (void)state;
    const roller tumbling = {
        .shape    = "{cylinder: {radius: 0.0918142086486839, length: 0.08753848300869928}}",
        .mass     = 1,
        .friction = 2,
        .position = {0, 0, 0.07035101438852073},
        .quat     = {0.07759977970329188, 0.8160566500706704, -0.5557301783419409,
                     -0.13854164336209657},
        .velocity = {-0.4298059593646228, -0.049316739923339514, -0.44260142778105127},
        .spin     = {-3.9040465862148594, -5.706506973057949, 4.427027762826316}};
    const roller sliding = {
        .shape    = "{cylinder: {radius: 0.08305680820582118, length: 0.00934984022854722}}",
        .mass     = 1,
        .friction = 0.3,
        .position = {0, 0, 0.010441023524426135},
        .quat     = {-0.5055187145366535, -0.014891013807877565, 0.03145426900743806,
                     -0.8621135168422954},
        .velocity = {-0.699477544202133, 0.10378961007639505, -0.33028905585661344},
        .spin     = {-0.13955224602619248, 43.86438969347654, 14.079429767367365}};
    for (int i = 0; i < 4; i++) {
        assert_second_order_on("tumbling cylinder", &tumbling, GROUNDS[i], 5e-4, 0.1, 1e-3);
    }
    assert_second_order_on("sliding rim", &sliding, GROUNDS[0], 1.25e-4, 0.01, 1e-3);
}

/* An ellipsoid that slips and turns about, from random scenes: it was of first order. */
static void sides_are_of_second_order(void **state)
{
    (void)state;
    const roller r = {
        .shape    = "{ellipsoid: {radii: [0.0388677097747719, 0.08460760988219246, "
                    "0.07502224130606898]}}",
        .mass     = 1,
        .friction = 0.3,
        .position = {0, 0, 0.06698439943871204},
        .quat = {-0.26008245120945855, 0.2613200742463051, 0.7203261194116722, 0.5875365682764832},
        .velocity = {0.15844371289041198, 0.8286979226048031, -0.09637066502155303},
        .spin     = {-2.476512482085135, 2.3270080321694486, 15.938448584109825}};
    assert_second_order_on("ellipsoid", &r, GROUNDS[0], 5e-4, 0.08, 1e-3);
}

/*
 * Coins and a lens that are nearly flat: they hardly turn, and their point of contact runs round at
 * 70 to 330 rad/s, at steps in which it would come round by up to 3 rad. `left`: part of the energy
 * that is there after 0.09 s, by a Runge-Kutta integration of the disc on its rim with the law of
 * friction (rolling: all of it). They fell flat within a few steps, which took up to 94 % of it.
 */
static const struct {
    roller r;
    double left;
} RUNNERS[] = {
    {{.shape    = "{cylinder: {radius: 0.011942185379896803, length: 0.0004484067154658547}}",
      .mass     = 0.4,
      .friction = 0.3,
      .position = {0, 0, 0.0003832954638850718},
      .quat     = {-0.018246112406082846, -0.00012155666331720828, 0.006660801308410245,
                   0.99981133136806},
      .velocity = {-0.002146855738539573, -0.00015799889805930044, -0.0024780246971144353},
      .spin     = {0.3668738519828424, -4.359295516225264, -0.03989522246737988}},
     1},
    {{.shape    = "{cylinder: {radius: 0.04886828940296283, length: 0.0025718156261062084}}",
      .mass     = 0.4,
      .friction = 0,
      .position = {0, 0, 0.001582379609844252},
      .quat     = {-0.9735961083543728, -0.00295354606242973, 0.0006924520059231751,
                   0.2282573435250164},
      .spin     = {0.7503405332341883, 1.5122724782187174, 11.393046632029531}},
     1},
    {{.shape    = "{cylinder: {radius: 0.09159461851699142, length: 0.0003914052639817416}}",
      .mass     = 0.4,
      .friction = 1,
      .position = {0, 0, 0.0013950387541458269},
      .quat = {-0.7506546952335659, -0.00491480009514264, 0.004325588197265872, 0.66066229084955},
      .velocity = {0.20294356687884033, -1.5848734323606837, 0},
      .spin     = {2.7236338943865475, 0.34876222044784694, -17.404568029200608}},
     0.3218},
    {{.shape    = "{cylinder: {radius: 0.03859386975072474, length: 0.00858666371669732}}",
      .mass     = 0.4,
      .friction = 0.3,
      .position = {0, 0, 0.009707489289577712},
      .quat = {0.16170557041282965, 0.011490570190354793, 0.06994228154947989, 0.9842902785996696},
      .velocity = {-0.2356933980554217, 0.07959062473543446, 0},
      .spin     = {-3.524404867897611, -10.436894573941343, -3.77223592995394}},
     0.7236},
    {{.shape    = "{ellipsoid: {radii: [0.01632416573267095, 0.01632416573267095, "
                  "0.0007448461072820541]}}",
      .mass     = 0.4,
      .friction = 0.3,
      .position = {0.0, 0.0, 0.0013963996742031026},
      .quat     = {-0.7793035414503066, -0.028260333759203463, 0.022686415638595376,
                   0.6255978503514075},
      .velocity = {0.0005831891769943068, -0.00735629219253638, 0.010061109933302725},
      .spin     = {-18.01814355323731, -4.739423084049762, -2.4208655786498072}},
     1},
};

static void points_run_no_further_than_steps_follow(void **state)
{
    (void)state;
    const double h[] = {1e-2, 3e-3, 1e-3, 3e-4};
    for (size_t i = 0; i < sizeof RUNNERS / sizeof *RUNNERS; i++) {
        for (int k = 0; k < 4; k++) {
            double whole, lost = loss(&RUNNERS[i].r, GROUNDS[0], h[k], 0.09, &whole);
            double off = 1 - lost / whole - RUNNERS[i].left;
            print_message("runner %zu at h = %g: energy off by %.1e\n", i, h[k], off);
            assert_true(fabs(off) < 5e-3);
        }
    }
}

/*
 * A rod that rolls over the edge of a slab, lying along it but for a thousandth of a radian: where
 * the two are nearest runs along the edge with every turn, and both ends of the edge bear it there.
 */
static void what_lies_along_an_edge_is_followed_at_once(void **state)
{
    (void)state;
    static const double yaw[] = {1e-4, 1e-3};
    for (int i = 0; i < 2; i++) {
        world  w;
        char   text[1024];
        double s = sqrt(0.5), a = yaw[i] / 2;
        snprintf(text, sizeof text,
                 "materials: {default: {friction: 0.8}}\n"
                 "bodies:\n"
                 "  - {name: slab, type: static, shape: {box: {size: [0.1, 1, 0.05]}},\n"
                 "     position: [-0.05, 0.003, -0.025]}\n"
                 "  - {name: rod, type: dynamic, mass: 3, shape: {cylinder: {radius: 0.03, length: "
                 "1}},\n"
                 "     position: [%.17g, 0, %.17g], quat_wxyz: [%.17g, %.17g, %.17g, %.17g],\n"
                 "     velocity: [0.1, 0, -0.1], angular_velocity: [0, 2, 0]}\n",
                 0.03 * s, 0.03 * s, s * cos(a) + sin(a) / 2, -s * cos(a) + sin(a) / 2, -sin(a) / 2,
                 sin(a) / 2);
        open_text(&w, text);
        int32_t splits = 0;
        for (int k = 0; k < 10; k++) {
            run(&w, 5e-3, 1);
            splits += ss_data_report(w.data)->splits;
        }
        print_message("along an edge at %g rad: %d parts more\n", yaw[i], (int)splits);
        assert_true(splits <= 10);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_along_an_edge_is_followed_at_once),
        cmocka_unit_test(coins_keep_their_energy),
        cmocka_unit_test(rims_are_of_second_order),
        cmocka_unit_test(sides_are_of_second_order),
        cmocka_unit_test(points_run_no_further_than_steps_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
