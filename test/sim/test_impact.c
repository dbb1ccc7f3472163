/* SPDX-License-Identifier: Apache-2.0 */
/* Impacts, torsional and rolling friction, and the state that is saved. */
#include <stdlib.h>

#include "joint/mechanism.h"
#include "sim/balls.h"

/* Bounces until it rests, at every scale: heights in units of the first, times of sqrt(height/g).
 */
static void bouncing_ends_at_every_scale(void **state)
{
    (void)state;
    const double scales[] = {1, 1e-6, 1e3};
    double       top[3];
    for (int k = 0; k < 3; k++) {
        double s = scales[k], h = 1e-3 * sqrt(s);
        world  w;
        open_world(&w, 3, "auto");
        add_material(&w, 0.3, 0.5);
        add_floor(&w);
        add_ball(&w, "ball", 0.1 * s, ss_v3(0, 0, 1.1 * s), ss_v3(0, 0, 0), ss_v3(0, 0, 0));
        start(&w);
        double before = 0, after = 0;
        for (int i = 0; i < 3000 && after <= 0; i++) {
            before = body(&w, 1).velocity.z;
            run(&w, h, 1);
            after = body(&w, 1).velocity.z;
        }
        assert_near(after / -before, 0.5, 1e-12);
        assert_near(before, -sqrt(2 * 9.81 * s), 2e-2 * sqrt(s));
        top[k] = 0;
        for (int i = 0; i < 500; i++) {
            run(&w, h, 1);
            top[k] = fmax(top[k], (body(&w, 1).position.z - 0.1 * s) / s);
        }
        run(&w, h, 3000);
        assert_near(body(&w, 1).velocity.z, 0, 1e-12);
        assert_near(body(&w, 1).position.z, 0.1 * s, 1e-9 * s);
        close_world(&w);
    }
    assert_near(top[0], 0.25, 0.01);
    assert_near(top[1], top[0], 1e-9);
    assert_near(top[2], top[0], 1e-9);
}

/* Five balls in a row, the first arrives. Momentum and energy are kept whether they touch or not;
 * with gaps between them the impacts come one after the other and only the last ball leaves. */
static void cradle(void **state)
{
    (void)state;
    for (int touching = 0; touching < 2; touching++) {
        static const char *const names[] = {"b0", "b1", "b2", "b3", "b4"};
        world                    w;
        open_world(&w, 3, "auto");
        ss_scene_set_gravity(w.scene, ss_v3(0, 0, 0));
        add_material(&w, 0, 1);
        double pitch = touching ? 0.2 : 0.21;
        for (int i = 0; i < 5; i++) {
            double x = i == 0 ? -0.5 : pitch * i;
            add_ball(&w, names[i], 0.1, ss_v3(x, 0, 0), ss_v3(i == 0 ? 1 : 0, 0, 0),
                     ss_v3(0, 0, 0));
        }
        start(&w);
        run(&w, 1e-3, 1000);
        double momentum = 0, energy = 0;
        for (int i = 0; i < 5; i++) {
            momentum += body(&w, i).velocity.x;
            energy += 0.5 * pow(body(&w, i).velocity.x, 2);
        }
        assert_near(momentum, 1, 1e-12);
        assert_near(energy, 0.5, 1e-12);
        /* Newton's law, all impacts at once: the first bounces, the others leave together. */
        assert_near(body(&w, 0).velocity.x, touching ? -0.6 : 0, 1e-12);
        assert_near(body(&w, 4).velocity.x, touching ? 0.4 : 1, 1e-12);
        close_world(&w);
    }
}

/* Three balls of masses 1 : m : 3 in a row, elastic: what one impact takes it returns, to rounding;
 * that is no reason to return less. */
static void elastic_impacts_return_all(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        const double mass[3] = {1, 2 + 0.37 * k, 3};
        char         text[800];
        int          n = snprintf(text, sizeof text,
                                  "gravity: [0, 0, 0]\n"
                                           "materials: {default: {friction: 0, restitution: 1}}\n"
                                           "bodies:\n");
        for (int i = 0; i < 3; i++) {
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "  - {name: b%d, type: dynamic, mass: %g, shape: {sphere: {radius: 0.1}},"
                          " position: [%g, 0, 0], velocity: [%d, 0, 0]}\n",
                          i, mass[i], 0.5 * i, i == 0 ? 3 : 0);
        }
        world w;
        open_text(&w, text);
        run(&w, 3e-3, 150);
        double second = 2 * mass[0] * 3 / (mass[0] + mass[1]); /* of the second ball, in between */
        double energy = 0;
        for (int i = 0; i < 3; i++) {
            energy += 0.5 * mass[i] * pow(body(&w, i).velocity.x, 2);
        }
        assert_near(body(&w, 2).velocity.x, 2 * mass[1] * second / (mass[1] + mass[2]), 1e-12);
        assert_near(energy, 4.5, 1e-12);
        close_world(&w);
    }
}

/* Friction over an ellipsoid of these half-axes. */
static void add_ellipsoid(world *w, double mu, const double axes[4])
{
    ss_material_def def = {.name = "default", .friction = mu};
    memcpy(def.ellipsoid, axes, sizeof def.ellipsoid);
    check(w, ss_scene_add_material(w->scene, &def));
}

/* A ball spinning about the vertical: torsion mu e_r m g stops it after w0 I / (mu e_r m g). */
static void torsion_stops_a_spinning_ball(void **state)
{
    (void)state;
    const double axes[4] = {1, 1, 0.02, 0}, I = 0.4 * 0.01, torque = 0.5 * 0.02 * 9.81;
    world        w;
    open_world(&w, 3, "auto");
    add_ellipsoid(&w, 0.5, axes);
    add_floor(&w);
    add_ball(&w, "ball", 0.1, ss_v3(0, 0, 0.1), ss_v3(0, 0, 0), ss_v3(0, 0, 5));
    start(&w);
    run(&w, 1e-3, 100);
    assert_near(body(&w, 1).angular_velocity.z, 5 - torque / I * 0.1, 1e-9);
    ss_contact_info c;
    ss_data_contact(w.model, w.data, 0, &c);
    assert_int_equal(c.impulse_count, 4);
    assert_near(fabs(c.impulse[3]), torque * 1e-3, 1e-9);
    run(&w, 1e-3, 200);
    assert_near(ss_norm(body(&w, 1).angular_velocity), 0, 1e-9);
    close_world(&w);
}

/* Rolling friction: a rolling ball slows down as m a = -F with F r + mu e_roll N = I a/r. */
static void rolling_friction_stops_a_ball(void **state)
{
    (void)state;
    const double axes[4] = {1, 1, 0.01, 0.01}, r = 0.1, mu = 0.5, g = 9.81;
    world        w;
    open_world(&w, 3, "auto");
    add_ellipsoid(&w, mu, axes);
    add_floor(&w);
    add_ball(&w, "ball", r, ss_v3(0, 0, r), ss_v3(1, 0, 0), ss_v3(0, 1 / r, 0));
    start(&w);
    run(&w, 1e-3, 100); /* it has started to creep: v = (1 + c) r w */
    double v = body(&w, 1).velocity.x;
    run(&w, 1e-3, 400);
    /* The ellipsoid couples the two: |T/e|^2 + F^2 = (mu N)^2 with F = m a and
       T = F r + I a/(r (1 + c)); maximum dissipation wants F/T = c r w/(e^2 w). */
    double c = 0, T = 0;
    for (int i = 0; i < 50; i++) {
        T = r + 0.4 * r / (1 + c);
        c = 0.01 * 0.01 / (r * T);
    }
    double a = mu * g / sqrt(T * T / (0.01 * 0.01) + 1);
    assert_near(v - body(&w, 1).velocity.x, 0.4 * a, 1e-5);
    run(&w, 1e-3, 4000);
    assert_near(body(&w, 1).velocity.x, 0, 1e-9);
    close_world(&w);
}

/* A block on ice grooved along x: friction across is larger, so it turns towards the grooves. */
static void anisotropic_friction_turns_the_path(void **state)
{
    (void)state;
    const double axes[4] = {0.5, 1, 0, 0};
    world        w;
    open_world(&w, 3, "auto");
    add_ellipsoid(&w, 0.4, axes);
    add_floor(&w);
    ss_shape_def box    = {.type = "box"};
    box.params.box.size = ss_v3(0.2, 0.2, 0.01);
    ss_body_def def     = ss_body_def_default();
    def.name            = "box";
    def.mass            = 1;
    def.shape           = &box;
    def.position        = ss_v3(0, 0, 0.005);
    def.velocity        = ss_v3(1, 1, 0);
    check(&w, ss_scene_add_body(w.scene, &def, NULL));
    start(&w);
    run(&w, 1e-3, 1);
    ss_body_state s = body(&w, 1);
    /* Maximum dissipation over the ellipse: F = -mu N (e_t^2 v_t, e_o^2 v_o)/|(e_t v_t, e_o v_o)|.
     */
    double norm = sqrt(0.25 + 1);
    assert_near(1 - s.velocity.x, 0.4 * 9.81 * 1e-3 * 0.25 / norm, 2e-6);
    assert_near(1 - s.velocity.y, 0.4 * 9.81 * 1e-3 * 1 / norm, 2e-6);
    close_world(&w);
}

/* Boxes and balls that fall into each other, and a pendulum with load-dependent friction. */
static void open_pile(world *w)
{
    static const char *const names[] = {"b0", "b1", "b2", "b3"};
    open_world(w, 3, "auto");
    add_material(w, 0.5, 0.3);
    add_floor(w);
    for (int i = 0; i < 4; i++) {
        add_ball(w, names[i], 0.1, ss_v3(0.03 * i, 0.02 * i * i, 0.15 + 0.22 * i),
                 ss_v3(0.1, 0, -0.5), ss_v3(i, 1, 2));
    }
    add_pendulum(w, ss_v3(2, 0, 1), ss_v3(3, 0, 1), 0.01);
    start(w);
}

/* A run restored in the middle of everything gives the same bits as one that went on. */
static void snapshots_give_the_same_bits(void **state)
{
    (void)state;
    world w, other;
    open_pile(&w);
    run(&w, 2e-3, 300);
    size_t size     = ss_snapshot_size(w.model, w.data);
    void  *snapshot = malloc(size);
    ss_snapshot_get(w.model, w.data, snapshot);
    run(&w, 2e-3, 300);
    uint64_t hash = ss_state_hash(w.model, w.data);

    check(&w, ss_snapshot_set(w.model, w.data, snapshot, size)); /* the same data, turned back */
    run(&w, 2e-3, 300);
    assert_true(ss_state_hash(w.model, w.data) == hash);

    open_pile(&other); /* data that never saw the first half */
    check(&other, ss_snapshot_set(other.model, other.data, snapshot, size));
    run(&other, 2e-3, 300);
    assert_true(ss_state_hash(other.model, other.data) == hash);

    assert_int_equal(ss_snapshot_set(w.model, w.data, snapshot, size - 1), SS_ERR_ARGUMENT);
    memset(snapshot, 0, 8);
    assert_int_equal(ss_snapshot_set(w.model, w.data, snapshot, size), SS_ERR_ARGUMENT);
    free(snapshot);
    close_world(&w);
    close_world(&other);
}

/* A ball above the floor and a rod that hangs askew start where they rest. */
static void settle_starts_from_equilibrium(void **state)
{
    (void)state;
    world w;
    open_world(&w, 3, "auto");
    add_material(&w, 0.5, 0);
    add_floor(&w);
    add_ball(&w, "ball", 0.1, ss_v3(0, 0, 0.15), ss_v3(0.3, 0, 0), ss_v3(0, 0, 0));
    add_pendulum(&w, ss_v3(2, 0, 3), ss_v3(2.5, 0, 2.5), 0);
    w.sim.settle = 60;
    w.sim.step   = 1e-3;
    start(&w);
    assert_near(body(&w, 1).position.z, 0.1, 1e-9);
    assert_near(body(&w, 1).velocity.x, 0.3, 0); /* the scene's velocity, from there */
    assert_near(body(&w, 2).position.x, 2, 1e-6);
    assert_near(ss_data_time(w.data), 0, 0);
    run(&w, 1e-3, 100);
    assert_near(body(&w, 2).position.x, 2, 1e-5);
    close_world(&w);
}

/*
 * A stone that falls and stops loses what it had, no more: gravity's work over the step in which it
 * stops is nothing, since it does not fall there any more.
 */
static void a_stop_takes_what_there_was(void **state)
{
    (void)state;
    const char *text = "bodies:\n"
                       "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                       "  - {name: stone, type: dynamic, mass: 2, shape: {box: {size: [1, 1, 1]}},"
                       " position: [0, 0, 1.5]}\n"
                       "simulation: {step: 0.01, duration: 1}\n";
    world       w;
    open_text(&w, text);
    run(&w, 0.01, 100);
    ss_energy e = ss_data_energy(w.model, w.data);
    assert_near(e.dissipated, 2 * 9.81 * 1, 0.02); /* a step's fall is not to be known better */
    assert_true(e.integration <= 1e-9);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bouncing_ends_at_every_scale),
        cmocka_unit_test(cradle),
        cmocka_unit_test(elastic_impacts_return_all),
        cmocka_unit_test(torsion_stops_a_spinning_ball),
        cmocka_unit_test(rolling_friction_stops_a_ball),
        cmocka_unit_test(anisotropic_friction_turns_the_path),
        cmocka_unit_test(snapshots_give_the_same_bits),
        cmocka_unit_test(settle_starts_from_equilibrium),
        cmocka_unit_test(a_stop_takes_what_there_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
