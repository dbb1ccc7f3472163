/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenes turned about the vertical move alike, also where impulses are not unique: boxes and tables
 * on four points that slide and spin, or land, have one motion for each way in which they share
 * the load.
 */
#include "world.h"

static const struct {
    const char *what, *shape;
    double      height, friction, restitution;
    ss_vec3     velocity;
    double      spin;
} scenes[] = {
    {"box, slides", "box: {size: [0.5, 0.178, 0.368]}", 0.184, 1, 0, {-0.82, 0.52, 0}, 3.68},
    {"box, slides the other way",
     "box: {size: [0.3, 0.2, 0.1]}",
     0.05,
     0.6,
     0,
     {0.64, 0.6, 0},
     -3.03},
    {"box, lands", "box: {size: [0.3, 0.4, 0.2]}", 0.1, 0.3, 0, {-0.5, -0.36, -1}, 4.29},
    {"box, bounces", "box: {size: [0.2, 0.45, 0.3]}", 0.15, 0.1, 0.8, {1, -0.55, -1}, -1.95},
    {"table",
     "points: {points: [[0.3, 0.2, -0.3], [-0.3, 0.2, -0.3], [-0.3, -0.2, -0.3], [0.3, -0.2, "
     "-0.3]]}",
     0.3,
     0.3,
     0,
     {-0.06, -0.63, -1},
     -5.66},
    {"three legs",
     "points: {points: [[0.3, 0, -0.2], [-0.15, 0.26, -0.2], [-0.15, -0.26, -0.2]]}",
     0.2,
     0.3,
     0,
     {0.5, -0.3, -0.5},
     4},
};

static ss_vec3 turned(ss_vec3 x, double angle)
{
    double c = cos(angle), s = sin(angle);
    return ss_v3(c * x.x - s * x.y, s * x.x + c * x.y, x.z);
}

/* Place and velocity of the body after 20 steps, turned back. */
static void end_of(int i, double angle, ss_vec3 out[3])
{
    char    text[1200];
    ss_vec3 v = turned(scenes[i].velocity, angle);
    snprintf(text, sizeof text,
             "materials: {default: {friction: %g, restitution: %g}}\n"
             "bodies:\n"
             "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  - {name: a, type: dynamic, mass: 1, inertia: [0.02, 0.03, 0.04], shape: {%s},\n"
             "     position: [0, 0, %g], axis_angle: [0, 0, 1, %.17g],\n"
             "     velocity: [%.17g, %.17g, %.17g], angular_velocity: [0, 0, %g]}\n",
             scenes[i].friction, scenes[i].restitution, scenes[i].shape, scenes[i].height, angle,
             v.x, v.y, v.z, scenes[i].spin);
    world w;
    open_text(&w, text);
    run(&w, 0.002, 20);
    ss_body_state s = body_named(&w, "a");
    out[0]          = turned(s.position, -angle);
    out[1]          = turned(s.velocity, -angle);
    out[2]          = turned(s.angular_velocity, -angle);
    close_world(&w);
}

static void turned_scenes_move_alike(void **unused)
{
    (void)unused;
    for (int i = 0; i < (int)(sizeof scenes / sizeof scenes[0]); i++) {
        ss_vec3 straight[3], x[3];
        end_of(i, 0, straight);
        for (double angle = 0.3; angle < 6.3; angle += 0.7) {
            end_of(i, angle, x);
            for (int k = 0; k < 3; k++) {
                double apart = ss_norm(ss_sub(x[k], straight[k]));
                if (!(apart < 1e-6)) {
                    print_message("%s at %g: %g\n", scenes[i].what, angle, apart);
                }
                assert_true(apart < 1e-6);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(turned_scenes_move_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
