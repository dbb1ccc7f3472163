/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies cut from curved shapes: resting, sliding, rolling and falling against closed answers. */
#include "world.h"

static const double g = 9.81, pi = 3.14159265358979323846;

static ss_shape_def sphere_part(double r, double z)
{
    ss_shape_def d = {.type = "sphere", .params = {.sphere = {r}}, .position = {0, 0, z}};
    return d;
}

static ss_shape_def plane_part(ss_vec3 normal, double offset)
{
    ss_shape_def d = {.type = "plane", .params = {.plane = {normal, offset}}};
    return d;
}

static void add_cut(world *w, const ss_shape_def *parts, int32_t count, ss_vec3 position,
                    ss_vec3 rotation)
{
    ss_shape_def shape = {.type = "intersection", .parts = parts, .part_count = count};
    ss_body_def  def   = ss_body_def_default();
    def.name           = "cut";
    def.density        = 1000;
    def.shape          = &shape;
    def.position       = position;
    def.orientation    = ss_quat_from_rotation(rotation);
    check(w, ss_scene_add_body(w->scene, &def, NULL));
}

/* ---- a D-shaft on a slope -------------------------------------------------------------------- */

/* Gravity is tilted by the friction angle and a little. */
static void slope(world *w, double mu, double off)
{
    const ss_shape_def parts[2] = {{.type = "cylinder", .params = {.capsule = {0.05, 0.2}}},
                                   plane_part(ss_v3(1, 0, 0), 0.03)};
    double             angle    = atan(mu) + off;
    open_world(w, 3, "auto");
    ss_scene_set_gravity(w->scene, ss_v3(g * sin(angle), 0, -g * cos(angle)));
    add_material(w, mu, 0);
    add_floor(w);
    add_cut(w, parts, 2, ss_v3(0, 0, 0.03), ss_v3(0, pi / 2, 0));
    start(w);
}

static void a_d_shaft_rests_on_its_flat(void **unused)
{
    (void)unused;
    world w;
    slope(&w, 0.5, -0.01);
    run(&w, 0.01, 500);
    ss_body_state s = body(&w, 1);
    assert_near(s.position.x, 0, 1e-14);
    assert_near(s.position.z, 0.03, 1e-14);
    assert_near(ss_norm(s.velocity) + ss_norm(s.angular_velocity), 0, 1e-13);
    close_world(&w);
}

static void a_d_shaft_slides_on_its_flat(void **unused)
{
    (void)unused;
    world w;
    slope(&w, 0.5, 0.01);
    run(&w, 0.01, 200);
    double        angle = atan(0.5) + 0.01, speed = g * (sin(angle) - 0.5 * cos(angle)) * 2;
    ss_body_state s = body(&w, 1);
    assert_near(s.velocity.x, speed, 1e-13);
    assert_near(s.position.z, 0.03, 1e-13);
    assert_near(ss_norm(s.angular_velocity), 0, 1e-12);
    close_world(&w);
}

/* ---- a dome on its round side ---------------------------------------------------------------- */

/*
 * A cap of height c of a sphere with radius R, round side down; its centre of mass lies a below the
 * sphere's centre. Rolling without slip through an angle q:
 *   (I + m (R^2 + a^2 - 2 R a cos q)) q'' + m R a sin q q'^2 + m g a sin q = 0.
 */
typedef struct cap {
    double R, c, m, a, I;
} cap;

static cap cap_of(double R, double c)
{
    cap    d = {.R = R, .c = c};
    double z = R - c, z5 = (pow(R, 5) - pow(z, 5)) / 5, z3 = (pow(R, 3) - pow(z, 3)) / 3;
    d.m = 1000 * pi * c * c * (3 * R - c) / 3;
    d.a = 3 * (2 * R - c) * (2 * R - c) / (4 * (3 * R - c));
    /* about the sphere's centre: int pi r^2 (r^2/4 + z^2) dz with r^2 = R^2 - z^2 */
    double I = 1000 * pi * ((pow(R, 4) * c - 2 * R * R * z3 + z5) / 4 + R * R * z3 - z5);
    d.I      = I - d.m * d.a * d.a;
    return d;
}

static double acceleration(const cap *d, double q, double v)
{
    double M = d->I + d->m * (d->R * d->R + d->a * d->a - 2 * d->R * d->a * cos(q));
    return -(d->m * d->R * d->a * v * v + d->m * g * d->a) * sin(q) / M;
}

/* The angle at time T, by Runge and Kutta's rule. */
static double rolled(const cap *d, double q, double T)
{
    int    steps = 20000;
    double v = 0, h = T / steps;
    for (int i = 0; i < steps; i++) {
        double k1 = v, l1 = acceleration(d, q, v), k2 = v + h / 2 * l1,
               l2 = acceleration(d, q + h / 2 * k1, k2), k3 = v + h / 2 * l2,
               l3 = acceleration(d, q + h / 2 * k2, k3), k4 = v + h * l3,
               l4 = acceleration(d, q + h * k3, k4);
        q += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return q;
}

/* The angle of the simulated dome at time T, and the time of its first two passages through 0. */
static double simulated(const cap *d, double q0, double T, double h, double passage[2])
{
    const ss_shape_def parts[2] = {sphere_part(d->R, 0), plane_part(ss_v3(0, 0, 1), d->c - d->R)};
    world              w;
    double             q    = q0;
    int                seen = 0;
    open_world(&w, 3, "auto");
    ss_scene_set_gravity(w.scene, ss_v3(0, 0, -g));
    add_material(&w, 2, 0);
    add_floor(&w);
    add_cut(&w, parts, 2, ss_v3(0, 0, d->R), ss_v3(0, q0, 0));
    start(&w);
    for (int i = 1; i <= (int)lround(T / h); i++) {
        run(&w, h, 1);
        double last = q;
        q           = ss_quat_to_rotation(body(&w, 1).quat_wxyz).y;
        if (last * q < 0 && seen < 2) {
            passage[seen++] = h * (i - q / (q - last));
        }
    }
    assert_int_equal(seen, 2);
    assert_near(body(&w, 1).position.z, d->R, 1e-5);
    close_world(&w);
    return q;
}

static void a_dome_rocks_on_its_round_side(void **unused)
{
    (void)unused;
    cap    d    = cap_of(0.1, 0.06);
    double half = pi * sqrt((d.I + d.m * (d.R - d.a) * (d.R - d.a)) / (d.m * g * d.a));
    double error[2], period[2], passage[2];
    for (int i = 0; i < 2; i++) {
        double h = 1e-3 / (1 << i);
        error[i] = fabs(simulated(&d, 0.3, 1.0, h, passage) - rolled(&d, 0.3, 1.0));
        simulated(&d, 0.01, 1.0, h, passage);
        period[i] = passage[1] - passage[0];
    }
    print_message("angle after 1 s: error %.3g, %.3g; half period %.6f, %.6f, closed form %.6f\n",
                  error[0], error[1], period[0], period[1], half);
    assert_true(error[0] < 0.02 && error[1] < 0.6 * error[0]);
    assert_near(2 * period[1] - period[0], half, 1e-4 * half); /* the limit of small steps */
    assert_true(fabs(period[1] - half) < 2e-3 * half);
}

/* ---- a lens on its rim ----------------------------------------------------------------------- */

static void a_lens_falls_on_its_rim(void **unused)
{
    (void)unused;
    const ss_shape_def parts[2] = {sphere_part(0.1, 0.07), sphere_part(0.1, -0.07)};
    world              w;
    double             energy = INFINITY;
    open_world(&w, 3, "auto");
    ss_scene_set_gravity(w.scene, ss_v3(0, 0, -g));
    add_material(&w, 0.3, 0.2);
    add_floor(&w);
    add_cut(&w, parts, 2, ss_v3(0, 0, 0.2), ss_v3(0.2, 1.3, 0));
    start(&w);
    for (int i = 0; i < 1500; i++) {
        run(&w, 2e-3, 1);
        const ss_step_report *r = ss_data_report(w.data);
        assert_int_equal(r->outcome, SS_SOLVED);
        assert_true(r->residual <= 1e-8);
        assert_true(r->penetration < 1e-3);
        energy = body(&w, 1).position.z;
        assert_true(isfinite(energy));
    }
    assert_near(body(&w, 1).position.z, 0.03, 2e-3); /* it lies on a side: 0.1 - 0.07 high */
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_d_shaft_rests_on_its_flat),
        cmocka_unit_test(a_d_shaft_slides_on_its_flat),
        cmocka_unit_test(a_dome_rocks_on_its_round_side),
        cmocka_unit_test(a_lens_falls_on_its_rim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
