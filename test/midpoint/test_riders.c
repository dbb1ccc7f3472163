/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What rides on what moves: forces push both alike, so that they explain nothing of the rate of the
 * contact between them (midpoint/smooth.c: held_on; rows/contact_rows.c: held_by). A plank turns on
 * the tip of a pivot, with a box on it that sticks or slides; balls lie on each other while others
 * strike them. Against level: acceleration.
 */
#include "world.h"

enum { TEXT = 2400 };

static const char seesaw[] =
    "dimension: 2\n"
    "materials: {default: {friction: %g, restitution: %g}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
    "  - {name: pivot, type: static, shape: {polygon: {points: [[-0.1, 0], [0.1, 0], [0, "
    "0.15]]}}}\n"
    "  - {name: plank, type: dynamic, mass: 2, shape: {box: {size: [1.2, 0.04]}},\n"
    "     position: [0.02, 0.17]}\n"
    "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.1]}},\n"
    "     position: [-0.3, 0.24]}\n"
    "%s"
    "simulation: {%s}\n";

typedef struct riding {
    ss_body_state plank, box; /* or what is struck, and what strikes */
    ss_energy     energy;
} riding;

static riding end_of(const char *text, const char *under, const char *above, double duration)
{
    world  w;
    riding r;
    open_text(&w, text);
    double h = ss_model_simulation(w.model)->step;
    run(&w, h, (int)(duration / h + 0.5));
    r.plank  = body_named(&w, under);
    r.box    = body_named(&w, above);
    r.energy = ss_data_energy(w.model, w.data);
    close_world(&w);
    return r;
}

static riding ride(const double *law, const char *other, const char *set, double duration)
{
    char text[TEXT];
    snprintf(text, sizeof text, seesaw, law[0], law[1], other, set);
    return end_of(text, "plank", "box", duration);
}

static double off(const ss_body_state *a, const ss_body_state *b)
{
    return fmax(ss_norm(ss_sub(a->position, b->position)), fabs(a->angle - b->angle));
}

/* Until the plank strikes the floor: second order, with and without restitution. */
static void a_box_rides_on_a_plank(void **state)
{
    (void)state;
    static const double laws[][2] = {{0.3, 0}, {2, 0}, {0.3, 0.3}, {2, 0.3}};
    static const double steps[]   = {0.01, 0.005, 0.0025, 0.001};
    for (int i = 0; i < 4; i++) {
        riding exact = ride(laws[i], "", "step: 0.001, model: {level: acceleration}", 0.26);
        for (int k = 0; k < 4; k++) {
            char set[60];
            snprintf(set, sizeof set, "step: %g", steps[k]);
            riding r    = ride(laws[i], "", set, 0.26);
            double part = steps[k] / 0.01 * (steps[k] / 0.01);
            assert_near(off(&r.plank, &exact.plank), 0, 2e-5 * part);
            assert_near(off(&r.box, &exact.box), 0, 4e-5 * part);
            assert_near(r.energy.integration, 0, 5e-6 * part);
        }
    }
}

/* A disc falls on the other end, and all come to lie somewhere: first order in the impacts alone.
   Steps of first order took 0.06 J at 10 ms, and put the box 18 mm off. */
static void and_is_thrown(void **state)
{
    (void)state;
    static const double law[2]  = {0.5, 0};
    static const double steps[] = {0.01, 0.005, 0.0025};
    static const char   disc[] =
        "  - {name: disc, type: dynamic, mass: 3, shape: {disc: {radius: 0.05}},\n"
        "     position: [0.45, 0.6]}\n";
    riding exact = ride(law, disc, "step: 0.001, model: {level: acceleration}", 0.6);
    for (int k = 0; k < 3; k++) {
        char set[60];
        snprintf(set, sizeof set, "step: %g", steps[k]);
        riding r = ride(law, disc, set, 0.6);
        assert_near(off(&r.box, &exact.box), 0, 2e-3 * steps[k] / 0.01);
        assert_near(r.energy.integration, 0, k == 0 ? 5e-3 : 1e-5);
    }
}

/*
 * A capsule strikes an ellipsoid that slides on a ball, loaded. What a step left of the rate
 * between those two was returned by the law of impact, and the next blow found them apart: the
 * capsule was 1 mm and 0.08 m/s off at every step down to 0.2 ms.
 */
static const char tower[] =
    "materials: {default: {friction: 0.4, restitution: 0.2}}\n"
    "bodies:\n"
    "  - {name: f, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: b0, type: dynamic, mass: 1.532081333441572, shape: {sphere: {radius: 0.05}},\n"
    "     position: [-0.022174632234891436, 0.024956688703858865, 0.09]}\n"
    "  - {name: b1, type: dynamic, mass: 0.33014751191550695,\n"
    "     shape: {capsule: {radius: 0.03, length: 0.06}},\n"
    "     position: [-0.015940142337198218, 0.029738690130627764, 0.22], quat_wxyz:\n"
    "     [-0.7860014011365426, 0.14858949892258436, -0.5934909487355534, 0.08883384484699366]}\n"
    "  - {name: b2, type: dynamic, mass: 0.2909671838749581, shape: {sphere: {radius: 0.05}},\n"
    "     position: [-0.020902657418826832, 0.025550128306380447, 0.35]}\n"
    "  - {name: egg, type: dynamic, mass: 0.12178058576431866,\n"
    "     shape: {ellipsoid: {radii: [0.05, 0.035, 0.04]}},\n"
    "     position: [0.016804589345013388, 0.019414230673995864, 0.48], quat_wxyz:\n"
    "     [-0.09804831331418519, 0.79906969044147, 0.5200971656730348, -0.28525969980509386]}\n"
    "  - {name: top, type: dynamic, mass: 0.6164910953656128,\n"
    "     shape: {capsule: {radius: 0.03, length: 0.06}},\n"
    "     position: [0.018054526259113697, -0.0033227366369543605, 0.61], quat_wxyz:\n"
    "     [0.8889539012975944, -0.3808000909711852, 0.2082321684206401, 0.14625873006067702]}\n"
    "simulation: {%s}\n";

static riding climb(const char *set, double duration)
{
    char text[TEXT];
    snprintf(text, sizeof text, tower, set);
    return end_of(text, "egg", "top", duration);
}

static void what_slides_loaded_is_struck(void **state)
{
    (void)state;
    static const double steps[] = {0.001, 0.0005, 0.0001}, most[] = {2e-4, 5e-5, 5e-6};
    riding              exact = climb("step: 0.001, model: {level: acceleration}", 0.24);
    for (int k = 0; k < 3; k++) {
        char set[60];
        snprintf(set, sizeof set, "step: %g", steps[k]);
        riding r = climb(set, 0.24);
        assert_near(ss_norm(ss_sub(r.plank.position, exact.plank.position)), 0, most[k]);
        assert_near(ss_norm(ss_sub(r.box.position, exact.box.position)), 0, most[k]);
        assert_near(ss_norm(ss_sub(r.box.velocity, exact.box.velocity)), 0, 100 * most[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_rides_on_a_plank),
        cmocka_unit_test(and_is_thrown),
        cmocka_unit_test(what_slides_loaded_is_struck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
