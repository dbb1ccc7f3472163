/* SPDX-License-Identifier: Apache-2.0 */
/* The velocity of a driven body is that of its motion at the time of the state. */
#include "world.h"

static void open_plate(world *w, int dimension, const char *motion, const char *model)
{
    char text[1024];
    snprintf(text, sizeof text,
             "dimension: %d\nmaterials: {default: {friction: 0.3}}\n"
             "bodies:\n"
             "  - {name: plate, type: kinematic, shape: {box: {size: %s}}, motion: {%s}}\n"
             "  - {name: part, type: dynamic, mass: 1, shape: {box: {size: %s}}, position: %s}\n"
             "simulation: {step: 0.01, duration: 1, model: {%s}}\n",
             dimension, dimension == 2 ? "[4, 0.2]" : "[4, 4, 0.2]", motion,
             dimension == 2 ? "[0.2, 0.2]" : "[0.2, 0.2, 0.2]",
             dimension == 2 ? "[0, 0.2]" : "[0, 0, 0.2]", model);
    open_text(w, text);
}

static const char *const models[] = {"", "integrator: euler", "inertia: quasistatic",
                                     "level: acceleration"};

static void smooth_motion_has_its_own_velocity(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        world w;
        open_plate(&w, 2, "x: \"0.01*sin(7*t)\", angle: \"0.02*sin(3*t)\"", models[k]);
        for (int i = 0; i <= 40; i++) {
            ss_body_state s = body_named(&w, "plate");
            double        t = ss_data_time(w.data);
            assert_near(s.velocity.x, 0.07 * cos(7 * t), 1e-10);
            assert_near(s.angular_velocity.z, 0.06 * cos(3 * t), 1e-10);
            if (i < 40) {
                run(&w, 0.01, 1);
            }
        }
        close_world(&w);
    }
}

static void it_turns_in_space(void **state)
{
    (void)state;
    world w;
    open_plate(&w, 3, "angular_velocity: [\"0.3*cos(5*t)\", 0, 0.2]", models[0]);
    for (int i = 0; i < 30; i++) {
        ss_body_state s = body_named(&w, "plate");
        assert_near(s.angular_velocity.x, 0.3 * cos(5 * ss_data_time(w.data)), 1e-8);
        assert_near(s.angular_velocity.z, 0.2, 1e-8);
        run(&w, 0.01, 1);
    }
    close_world(&w);
}

/* A plate that sets off within a step, or at the end of one, and turns round. */
static void where_it_jumps_it_is_that_of_its_side(void **state)
{
    (void)state;
    static const double jumps[] = {0.033, 0.03, 0.0399};
    for (int k = 0; k < 3; k++) {
        world w;
        char  motion[96];
        snprintf(motion, sizeof motion, "x: \"0.5*max(0, t - %.17g)\"", jumps[k]);
        open_plate(&w, 2, motion, models[0]);
        for (int i = 0; i < 8; i++) {
            double t    = ss_data_time(w.data);
            double told = body_named(&w, "plate").velocity.x;
            assert_near(told, t > jumps[k] + 1e-9 ? 0.5 : 0, 1e-9);
            run(&w, 0.01, 1);
        }
        close_world(&w);
    }
}

/* The same state tells the same, whatever was before. */
static void a_restored_state_has_it_too(void **state)
{
    (void)state;
    world w;
    open_plate(&w, 2, "x: \"0.01*sin(7*t)\"", models[0]);
    run(&w, 0.01, 5);
    size_t size     = ss_snapshot_size(w.model, w.data);
    void  *snapshot = malloc(size);
    double v        = body_named(&w, "plate").velocity.x;
    check(&w, ss_snapshot_get(w.model, w.data, snapshot));
    run(&w, 0.01, 5);
    check(&w, ss_snapshot_set(w.model, w.data, snapshot, size));
    assert_true(body_named(&w, "plate").velocity.x == v);
    free(snapshot);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_motion_has_its_own_velocity),
        cmocka_unit_test(it_turns_in_space),
        cmocka_unit_test(where_it_jumps_it_is_that_of_its_side),
        cmocka_unit_test(a_restored_state_has_it_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
