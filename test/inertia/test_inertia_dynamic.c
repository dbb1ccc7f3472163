/* SPDX-License-Identifier: Apache-2.0 */
/* Free bodies that tumble and tops that precess, against Euler's equations. */
#include "joint/mechanism.h"

static const ss_vec3 principal = {6.5, 5, 2.5};
static const ss_vec3 spin      = {0.01, 3, 0.01}; /* about the middle axis: it turns over */

static void add_spinning(world *w, double mass, ss_vec3 inertia, ss_vec3 at, ss_vec3 velocity,
                         ss_vec3 turning)
{
    ss_body_def def      = ss_body_def_default();
    def.name             = "body";
    def.mass             = mass;
    def.inertia_set      = true;
    def.inertia          = ss_mat3_diagonal(inertia.x, inertia.y, inertia.z);
    def.position         = at;
    def.velocity         = velocity;
    def.angular_velocity = turning;
    check(w, ss_scene_add_body(w->scene, &def, NULL));
}

static void open_tumbling(world *w)
{
    open_world(w, 3, NULL);
    ss_scene_set_gravity(w->scene, ss_v3(0, 0, 0));
    add_spinning(w, 6, principal, ss_v3(0, 0, 0), ss_v3(0, 0, 0), spin);
    start(w);
}

static ss_vec3 times(ss_vec3 a, ss_vec3 b)
{
    return ss_v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

/* In body axes. */
static ss_vec3 turning_of(const world *w)
{
    ss_body_state s = body(w, 0);
    ss_mat3       R = ss_mat3_from_quat(s.quat_wxyz);
    return ss_tmul(&R, s.angular_velocity);
}

static ss_vec3 euler(ss_vec3 w)
{
    ss_vec3 torque = ss_cross(times(principal, w), w);
    return ss_v3(torque.x / principal.x, torque.y / principal.y, torque.z / principal.z);
}

/* Euler's equations by Runge and Kutta's fourth-order rule. */
static ss_vec3 integrated(ss_vec3 w, double duration, int steps)
{
    double h = duration / steps;
    for (int i = 0; i < steps; i++) {
        ss_vec3 a = euler(w), b = euler(ss_axpy(w, h / 2, a)), c = euler(ss_axpy(w, h / 2, b));
        ss_vec3 d = euler(ss_axpy(w, h, c));
        w         = ss_axpy(ss_axpy(w, h / 6, ss_add(a, d)), h / 3, ss_add(b, c));
    }
    return w;
}

static void a_free_body_keeps_energy_and_momentum(void **state)
{
    (void)state;
    world w;
    int   turned = 0;
    open_tumbling(&w);
    double energy = total_energy(&w), momentum = ss_norm(times(principal, spin)), last = spin.y;
    for (int i = 0; i < 10000; i++) {
        run(&w, 0.01, 1);
        ss_vec3 now = turning_of(&w);
        turned += now.y * last < 0;
        last = now.y;
        assert_near(total_energy(&w), energy, 1e-10 * energy);
        assert_near(ss_norm(times(principal, now)), momentum, 1e-10 * momentum);
    }
    assert_int_equal(turned, 10); /* every 10 s */
    close_world(&w);
}

static double tumbling_error(double h)
{
    world w;
    open_tumbling(&w);
    run(&w, h, (int)lround(6 / h));
    double error = ss_norm(ss_sub(turning_of(&w), integrated(spin, 6, 6000)));
    close_world(&w);
    return error;
}

static void tumbling_follows_eulers_equations(void **state)
{
    (void)state;
    double coarse = tumbling_error(0.02), fine = tumbling_error(0.01);
    assert_true(fine < 5e-3);
    assert_near(log2(coarse / fine), 2, 0.1);
}

/* A top with a level axis: m g l = I3 spin precession, for every speed when I1 w1 is zero. */
static void a_top_precesses(void **state)
{
    (void)state;
    const double l = 0.1, axial = 0.005, speed = 200, rate = 9.81 * l / (axial * speed);
    world        w;
    open_world(&w, 3, NULL);
    add_spinning(&w, 1, ss_v3(axial, 0.003, 0.003), ss_v3(l, 0, 0), ss_v3(0, rate * l, 0),
                 ss_v3(speed, 0, rate));
    ss_joint_def pivot = joint_def("pivot", "spherical", "world", "body", ss_v3(0, 0, 0));
    check(&w, ss_scene_add_joint(w.scene, &pivot));
    start(&w);
    run(&w, 1e-3, 1000);
    ss_body_state s = body(&w, 0);
    assert_near(atan2(s.position.y, s.position.x), rate, 1e-3);
    assert_near(s.position.z, 0, 0.1 * l);
    close_world(&w);
}

/* A capsule that turns by more than a radian in a step, above a floor that it does not touch yet.
 */
static void fast_turns_lose_nothing(void **state)
{
    (void)state;
    const char *text =
        "bodies:\n"
        "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: top, type: dynamic, density: 1000,\n"
        "     shape: {capsule: {radius: 0.06313309940039166, length: 0.1566633426377299}},\n"
        "     position: [0, 0, 0.25505772157758233], velocity: [-0.858, 0.62, -0.223],\n"
        "     quat_wxyz: [0.8658641648851596, 0.7136255725891867, -0.060464, 0.348804135956997],\n"
        "     angular_velocity: [-73.43280500257671, 0.9827344584395541, 136.80583579223912]}\n"
        "simulation: {step: 0.0073, duration: 1}\n";
    world w;
    open_text(&w, text);
    for (double h = 0.004; h < 0.0085; h += 0.00025) {
        ss_data *fresh = NULL;
        check(&w, ss_data_create(w.ctx, w.model, &fresh));
        ss_energy start = ss_data_energy(w.model, fresh);
        for (double t = 0; t < 0.08; t += h) {
            check(&w, ss_step(w.model, fresh, h));
            ss_energy now = ss_data_energy(w.model, fresh);
            assert_near(now.kinetic + now.potential, start.kinetic + start.potential, 1e-4);
        }
        ss_data_destroy(fresh);
    }
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_body_keeps_energy_and_momentum),
        cmocka_unit_test(tumbling_follows_eulers_equations),
        cmocka_unit_test(a_top_precesses),
        cmocka_unit_test(fast_turns_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
