/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A body that rests on a corner, or slides or rocks on it, is struck elsewhere. What the corner
 * does in that impact depends on whether it takes part in it, and not on the step: it does where
 * steps leave it a micrometre above the floor, and does not where it flies (dynamics/lands.c).
 * Against level: acceleration.
 */
#include "world.h"

enum { TEXT = 1200 };

static double kinetic_after(const char *text, const char *set, double duration)
{
    world w;
    char  all[TEXT + 100];
    snprintf(all, sizeof all, "%ssimulation: {%s}\n", text, set);
    open_text(&w, all);
    double h = ss_model_simulation(w.model)->step;
    run(&w, h, (int)(duration / h + 0.5));
    double kinetic = ss_data_energy(w.model, w.data).kinetic;
    close_world(&w);
    return kinetic;
}

/* Energy after 0.06 s, at every step. */
static void as_by_events(const char *text, double most)
{
    static const double steps[] = {0.01, 0.005, 0.0025, 0.001};
    double exact = kinetic_after(text, "step: 0.001, model: {level: acceleration}", 0.06);
    for (int i = 0; i < 4; i++) {
        char set[40];
        snprintf(set, sizeof set, "step: %g", steps[i]);
        assert_near(kinetic_after(text, set, 0.06), exact, most * exact);
    }
}

#define PLANE(law)                                                                                 \
    "dimension: 2\n"                                                                               \
    "materials: {default: {" law "}}\n"                                                            \
    "bodies:\n"                                                                                    \
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"

/* One block's corner had a part of the impact, at one step or the other: 171 J for 448. */
static void a_bar_on_its_end_is_struck(void **state)
{
    (void)state;
    as_by_events(
        PLANE(
            "friction: 1, restitution: 0, impact: poisson") "  - {name: a, type: dynamic, mass: "
                                                            "4.88749, position: [0.0434298533, "
                                                            "0.25557173],\n"
                                                            "     shape: {box: {size: [0.514463, "
                                                            "0.064343]}}, angle: 1.2780499196216,\n"
                                                            "     velocity: [0.794629866463462, "
                                                            "0]}\n"
                                                            "  - {name: b, type: dynamic, mass: "
                                                            "3.01614, position: [0.287521213, "
                                                            "1.085131697],\n"
                                                            "     shape: {box: {size: [0.308367, "
                                                            "0.119391]}}, angle: "
                                                            "0.154552615325316,\n"
                                                            "     velocity: [-10.9060713656289, "
                                                            "-20.8757847474597],\n"
                                                            "     angular_velocity: "
                                                            "4.50035911715635}\n",
        1e-3);
}

static void a_block_that_slides_on_its_corner_is_struck(void **state)
{
    (void)state;
    as_by_events(
        PLANE("friction: 1.5, restitution: 0.9") "  - {name: a, type: dynamic, mass: 1.18921, "
                                                 "position: [-0.136346572, 0.2832668091],\n"
                                                 "     shape: {box: {size: [0.556215, 0.293167]}}, "
                                                 "angle: 2.50447432668394,\n"
                                                 "     velocity: [-1.55251205838411, 0]}\n"
                                                 "  - {name: b, type: dynamic, mass: 1.44351, "
                                                 "position: [-0.0955305871, 1.0202938762],\n"
                                                 "     shape: {box: {size: [0.410068, "
                                                 "0.0416025]}}, angle: 5.90940565548268,\n"
                                                 "     velocity: [3.08419151569289, "
                                                 "-13.8114535888115],\n"
                                                 "     angular_velocity: 2.63129288411062}\n",
        1e-3);
}

/* It hovers above the floor by some 1e-6 m, in every second step. */
static void a_block_that_rocks_on_its_corner_is_struck(void **state)
{
    (void)state;
    static const char text[] = PLANE(
        "friction: 1, restitution: 0.9") "  - {name: a, type: dynamic, mass: 1.92647, angle: "
                                         "5.35008342007537,\n"
                                         "     shape: {box: {size: [0.464399, 0.229919]}},\n"
                                         "     position: [-0.0458720800496077, 0.255006168843102], "
                                         "angular_velocity: 3.40882304,\n"
                                         "     velocity: [-2.46911440917625, -0.156369803433659]}\n"
                                         "  - {name: b, type: dynamic, mass: 4.88399, angle: "
                                         "5.40891681442292,\n"
                                         "     shape: {box: {size: [0.225592, 0.223787]}},\n"
                                         "     position: [0.285682867685043, 0.943998493851278], "
                                         "angular_velocity: 0.7250799747,\n"
                                         "     velocity: [-6.92514813681682, -7.70702541679179]}\n";
    as_by_events(text, 1e-3);
    assert_near(kinetic_after(text, "step: 0.0005", 0.06), 234.85, 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_on_its_end_is_struck),
        cmocka_unit_test(a_block_that_slides_on_its_corner_is_struck),
        cmocka_unit_test(a_block_that_rocks_on_its_corner_is_struck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
