/* SPDX-License-Identifier: Apache-2.0 */
/* level: acceleration: the direction of a slip, which is that of friction, where it turns fast, has
   hardly begun or ends, and in whichever direction of the world a surface lies. */
#include "world.h"

typedef struct told {
    int32_t events, bridges, asked;
} told;

static told go_to(world *w, double step, double end)
{
    told t = {0, 0, 0};
    while (ss_data_time(w->data) < end - 0.5 * step) {
        check(w, ss_step(w->model, w->data, step));
        const ss_step_report *r = ss_data_report(w->data);
        assert_true(r->residual <= 1e-9);
        t.events += r->events;
        t.bridges += r->bridges;
        t.asked = r->iterations > t.asked ? r->iterations : t.asked;
    }
    return t;
}

/*
 * A disc slides and then rolls over a larger one. Turned with all that pushes it, it does the same.
 * Tangents of contacts jump where normals pass |n_x| = 0.9: there its slip was told to end.
 */
static void turned_scenes_have_the_same_events(void **state)
{
    (void)state;
    double at[2] = {0, 0};
    for (int turn = 0; turn < 8; turn++) {
        const double a = 0.79 * turn, c = cos(a), s = sin(a), x = 0.32, y = sqrt(0.36 - x * x);
        const double v = 1.2, vx = -v * y / 0.6, vy = v * x / 0.6;
        char         text[1000];
        world        w;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [%.17g, %.17g]\nmaterials: {default: {friction: 0.05}}\n"
                 "bodies:\n  - {name: f, type: static, shape: {disc: {radius: 0.5}}}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, position: "
                 "[%.17g, %.17g], velocity: [%.17g, %.17g]}\n"
                 "simulation: {step: 0.01, model: {level: acceleration}}\n",
                 9.81 * s, -9.81 * c, c * x - s * y, s * x + c * y, c * vx - s * vy,
                 s * vx + c * vy);
        open_text(&w, text);
        told          t = go_to(&w, 0.01, 0.3);
        ss_body_state b = body(&w, 1);
        double px = c * b.position.x + s * b.position.y, py = c * b.position.y - s * b.position.x;
        at[0] = turn == 0 ? px : at[0];
        at[1] = turn == 0 ? py : at[1];
        assert_int_equal(t.events, 1); /* it rolls */
        assert_near(px, at[0], 1e-12);
        assert_near(py, at[1], 1e-12);
        close_world(&w);
    }
}

/*
 * A particle is pushed by F against its slip, hardly askew, and by less than friction holds. With
 * dt = |u| ds
 *
 *   du/ds = F |u| - mu g u,     dx/ds = |u| u
 *
 * it stops as s grows. The direction that friction would go to is that of F, opposite to the slip.
 */
static void rates(double F, double brake, const double *y, double *out)
{
    double u = hypot(y[0], y[1]);
    out[0]   = F * u - brake * y[0];
    out[1]   = -brake * y[1];
    out[2]   = u * y[0];
    out[3]   = u * y[1];
}

static void integrate(double F, double brake, double *y)
{
    const double h = 1e-3;
    for (int i = 0; i < 20000; i++) {
        double k[4][4], z[4];
        for (int s = 0; s < 4; s++) {
            double by = s == 0 ? 0 : s == 3 ? h : 0.5 * h;
            for (int c = 0; c < 4; c++) {
                z[c] = y[c] + (s > 0 ? by * k[s - 1][c] : 0);
            }
            rates(F, brake, z, k[s]);
        }
        for (int c = 0; c < 4; c++) {
            y[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
        }
    }
}

static void a_slip_that_is_pushed_back_ends(void **state)
{
    (void)state;
    static const double askew[] = {1e-4, 1e-2, 0.3};
    for (int i = 0; i < 3; i++) {
        const double F = 1, mu = 0.3, g = 9.81;
        double       y[4] = {-1, askew[i], 0, 0};
        char         text[1000];
        world        w;
        snprintf(text, sizeof text,
                 "materials: {default: {friction: %g}}\nbodies:\n"
                 "  - {name: f, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                 "  - {name: b, type: dynamic, mass: 1, inertia: [1e9, 1e9, 1e9], shape: {sphere: "
                 "{radius: 0.1}}, position: [0, 0, 0.1], velocity: [-1, %.17g, 0]}\n"
                 "forces: [{type: constant, body: b, force: [%g, 0, 0]}]\n"
                 "simulation: {step: 0.01, model: {level: acceleration}}\n",
                 mu, askew[i], F);
        open_text(&w, text);
        told          t = go_to(&w, 0.01, 0.5);
        ss_body_state b = body(&w, 1);
        integrate(F, mu * g, y);
        assert_int_equal(t.bridges, 0);
        assert_in_range(t.asked, 1, 5000);
        assert_near(b.position.x, y[2], 1e-8); /* its arm turns: 1e-9 */
        assert_near(b.position.y, y[3], 1e-8);
        assert_near(ss_norm(b.velocity), 0, 1e-8);
        close_world(&w);
    }
}

/* Slips that end in the air of a bounce, that begin in an impact, that turn round: the direction of
   friction was another in each evaluation, and the impulse level took over. */
static void no_bridge_is_needed(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "materials: {default: {friction: 1, restitution: 0.4}}\nbodies:\n"
        "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: b, type: dynamic, density: 1000, shape: {cylinder: {radius: 0.0869282, length: "
        "0.14488}}, position: [0.011562, -0.0162577, 0.39295], quat_wxyz: [1.25678, -2.26715, "
        "-0.0441851, 0.0176331], velocity: [-1.08758, -1.41144, -0.0750948], angular_velocity: "
        "[2.37157, -0.216902, -0.0171516]}\n",
        "materials: {default: {friction: 1, restitution: 0.4}}\nbodies:\n"
        "  - {name: floor, type: static, shape: {plane: {normal: [0.3, 0, 1]}}}\n"
        "  - {name: b, type: dynamic, density: 1000, shape: {sphere: {radius: 0.0129926}}, "
        "position: [-0.0100395, -0.0108703, 0.0374261], quat_wxyz: [0.304215, -0.309367, 0.955853, "
        "1.86547], velocity: [-0.596913, 0.153363, -0.342119], angular_velocity: [-25.765, "
        "-0.829571, -26.952]}\n"
        "  - {name: c, type: dynamic, density: 1000, shape: {box: {size: [0.0277456, 0.0208092, "
        "0.017341]}}, position: [0.0104719, -0.00531728, 0.083169], quat_wxyz: [0.783545, "
        "0.714268, 0.722421, -1.10168], velocity: [0.173764, -0.0709588, -0.573161], "
        "angular_velocity: [7.40053, -0.781142, -28.7739]}\n"};
    for (int i = 0; i < 2; i++) {
        char  text[2000];
        world w;
        snprintf(text, sizeof text, "%ssimulation: {step: 0.0063, model: {level: acceleration}}\n",
                 bodies[i]);
        open_text(&w, text);
        double before = ss_data_energy(w.model, w.data).kinetic;
        told   t      = go_to(&w, 0.0063, 0.386);
        assert_int_equal(t.bridges, 0);
        assert_in_range(t.asked, 1, 50000);
        assert_near(ss_data_energy(w.model, w.data).integration, 0, 1e-9 * before);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turned_scenes_have_the_same_events),
        cmocka_unit_test(a_slip_that_is_pushed_back_ends),
        cmocka_unit_test(no_bridge_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
