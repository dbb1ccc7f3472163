/* SPDX-License-Identifier: Apache-2.0 */
/* contact: compliant: what a mass on a spring does, friction on the sum, cores, series, state. */
#include "world.h"

/* A ball above a plane that gives; %s: compliance, %s: position and velocity, %s: model. */
static void open_ball(world *w, const char *compliance, const char *start, const char *gravity,
                      const char *model)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, %s]\n"
        "materials: {default: {friction: 0.5}, soft: {friction: 0.5, compliance: {%s}}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, material: soft, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: a, type: dynamic, mass: 1, shape: {sphere: {radius: 0.5}}, %s}\n"
        "simulation: {model: {contact: compliant%s}}\n",
        gravity, compliance, start, model);
    open_text(w, text);
}

static double depth(const world *w)
{
    return 0.5 - body_named(w, "a").position.z;
}

/* The lines of the ledger account for every joule. */
static void assert_books_close(const world *w, double start)
{
    ss_energy e = ss_data_energy(w->model, w->data);
    double    by_lines =
        e.applied + e.driven + e.restitution + e.corrections + e.integration - e.dissipated;
    assert_near(e.kinetic + e.potential - start, by_lines, 1e-10 * (1 + fabs(start)));
}

/* Without pulling the contact ends where the force does: closed form of a damped half-swing. */
static double rebound(double zeta)
{
    double s = sqrt(1 - zeta * zeta);
    return zeta > 0 ? exp(-zeta / s * atan2(2 * zeta * s, 2 * zeta * zeta - 1)) : 1;
}

static void a_damped_drop_returns_what_the_closed_form_says(void **state)
{
    (void)state;
    static const char *models[] = {"", ", integrator: euler", ", geometry: implicit"};
    for (int k = 0; k < 3; k++) {
        for (double zeta = 0; zeta < 0.9; zeta += 0.2) {
            char  law[96];
            world w;
            snprintf(law, sizeof law, "stiffness: 1000, damping: %.17g", 2 * zeta * sqrt(1000));
            open_ball(&w, law, "position: [0, 0, 0.55], velocity: [0, 0, -1]", "0", models[k]);
            double start = total_energy(&w);
            run(&w, 1e-4, 3000);
            assert_near(body_named(&w, "a").velocity.z, rebound(zeta), k == 0 ? 1e-5 : 6e-3);
            assert_books_close(&w, start);
            close_world(&w);
        }
    }
    /* half a period of the swing, which pulls at its end, is close to that for small damping */
    assert_near(rebound(0.05), exp(-acos(-1) * 0.05 / sqrt(1 - 0.0025)), 0.01 * rebound(0.05));
}

static void energy_is_kept_through_touch_and_release(void **state)
{
    (void)state;
    static const char *laws[] = {"stiffness: 1000", "stiffness: 1e6",
                                 "stiffness: 1e5, exponent: 1.5", "stiffness: 3e7, exponent: 2"};
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        world w;
        open_ball(&w, laws[i], "position: [0, 0, 0.7]", "-9.81", "");
        double start = total_energy(&w);
        for (int k = 0; k < 400; k++) {
            run(&w, 5e-3, 1);
            assert_near(total_energy(&w), start, 1e-9);
        }
        close_world(&w);
    }
}

/* What a load at rest is pressed in by. */
static void static_deflections(void **state)
{
    (void)state;
    static const struct {
        const char *law;
        double      depth;
    } at[] = {
        {"stiffness: 1000, damping: 60", 9.81 / 1000},
        {"stiffness: 1000, damping: 60, exponent: 1.5", 0.0458242},
        {"stiffness: 1000, damping: 60, max_deflection: 0.004", 0.004},
        {"stiffness: [[1000, 200, 0], [200, 500, 0], [0, 0, 500]], damping: 60", 9.81 / 1000},
    };
    static const char *models[] = {"", ", integrator: euler", ", geometry: implicit",
                                   ", cone: {polygon: 8}"};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        for (size_t k = 0; k < 4; k++) {
            world w;
            open_ball(&w, at[i].law, "position: [0, 0, 0.5]", "-9.81", models[k]);
            run(&w, 2e-3, 1000);
            double expected = i == 1 ? pow(9.81 / 1000, 1 / 1.5) : at[i].depth;
            if (i < 3) {
                assert_near(depth(&w), expected, 1e-6);
            } else { /* the ball rolls off the deflection that pulls it aside: force is n x_n + ..
                      */
                assert_true(depth(&w) > 0.009 && depth(&w) < 0.012);
            }
            close_world(&w);
        }
    }
}

/* Two surfaces in series: k1 k2 / (k1 + k2), and the softer one down to its core before the other.
 */
static void two_surfaces_are_in_series(void **state)
{
    (void)state;
    static const struct {
        const char *ball;
        double      depth;
    } at[] = {{"stiffness: 500, damping: 60", 9.81 / 1000 + 9.81 / 500},
              {"stiffness: 500, damping: 60, max_deflection: 0.005", 9.81 / 1000 + 0.005}};
    for (int i = 0; i < 2; i++) {
        char  text[1024];
        world w;
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\n"
                 "materials: {default: {compliance: {stiffness: 1000, damping: 60}},\n"
                 "            soft: {compliance: {%s}}}\n"
                 "bodies:\n"
                 "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                 "  - {name: a, type: dynamic, mass: 1, material: soft, shape: {sphere: {radius: "
                 "0.5}},\n     position: [0, 0, 0.5]}\n"
                 "simulation: {model: {contact: compliant}}\n",
                 at[i].ball);
        open_text(&w, text);
        run(&w, 2e-3, 1500);
        assert_near(depth(&w), at[i].depth, 1e-6);
        close_world(&w);
    }
}

static void open_block(world *w, double force, const char *model)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "dimension: 2\n"
        "gravity: [0, -10]\n"
        "materials: {default: {friction: 0.5},\n"
        "  soft: {friction: 0.5, compliance: {stiffness: [10000, 4000], damping: [100, 20]}}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, material: soft, shape: {halfplane: {normal: [0, 1]}}}\n"
        "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.4, 0.1]}},\n"
        "     position: [0, 0.0495]}\n"
        "forces:\n"
        "  - {name: push, type: constant, body: b, force: [\"t < 1 and %.17g or 0\", 0], point: "
        "[0, -0.05]}\n"
        "simulation: {model: {contact: compliant%s}}\n",
        force, model);
    open_text(w, text);
}

/* Below mu N a push moves a block by F/K_tt, and it comes back; above, friction is mu N. */
static void friction_is_a_spring_and_then_slides(void **state)
{
    (void)state;
    static const char *models[] = {"", ", integrator: euler", ", geometry: implicit",
                                   ", cone: {polygon: 4}"};
    for (size_t k = 0; k < 4; k++) {
        world           w;
        ss_contact_info c;
        open_block(&w, 3, models[k]);
        double start = total_energy(&w);
        run(&w, 1e-3, 999);
        assert_near(body_named(&w, "b").position.x, 3.0 / 8000, 1e-8); /* two corners */
        ss_data_contact(w.model, w.data, 0, &c);
        assert_near(fabs(c.deflection[1]), 3.0 / 8000, 1e-8);
        assert_int_equal(c.state, SS_CONTACT_STICK);
        run(&w, 1e-3, 1000);
        assert_near(body_named(&w, "b").position.x, 0, 1e-8);
        assert_books_close(&w, start);
        close_world(&w);
        open_block(&w, 8, models[k]);
        run(&w, 1e-3, 500);
        double v = body_named(&w, "b").velocity.x;
        run(&w, 1e-3, 200);
        assert_near((body_named(&w, "b").velocity.x - v) / 0.2, 3, 1e-6);
        ss_data_contact(w.model, w.data, 0, &c);
        assert_int_equal(c.state, SS_CONTACT_SLIP);
        close_world(&w);
    }
}

/* Friction acts on the sum of spring and core: a block down to its core slides at mu m g too. */
static void friction_counts_the_core(void **state)
{
    (void)state;
    world w;
    open_text(
        &w, "gravity: [0, 0, -10]\n"
            "materials: {default: {friction: 0.3},\n"
            "  soft: {friction: 0.3, compliance: {stiffness: 1000, damping: 20, max_deflection: "
            "0.001}}}\n"
            "bodies:\n"
            "  - {name: floor, type: static, material: soft, shape: {plane: {normal: [0, 0, 1]}}}\n"
            "  - {name: b, type: dynamic, mass: 4, shape: {box: {size: [0.4, 0.4, 0.1]}},\n"
            "     position: [0, 0, 0.05], velocity: [3, 0, 0]}\n"
            "simulation: {model: {contact: compliant}}\n");
    run(&w, 1e-3, 200);
    assert_near(body_named(&w, "b").position.z, 0.049, 1e-9);
    double v = body_named(&w, "b").velocity.x;
    run(&w, 1e-3, 200);
    assert_near((body_named(&w, "b").velocity.x - v) / 0.2, -3, 1e-6);
    close_world(&w);
}

/* The same bits after a snapshot in the middle of a contact that sticks and slides. */
static void deflections_are_state(void **state)
{
    (void)state;
    world w;
    open_block(&w, 4.5, "");
    run(&w, 1e-3, 30);
    size_t size = ss_snapshot_size(w.model, w.data);
    char   buffer[8192];
    assert_true(size < sizeof buffer);
    check(&w, ss_snapshot_get(w.model, w.data, buffer));
    uint64_t now = ss_state_hash(w.model, w.data);
    run(&w, 1e-3, 300);
    uint64_t later = ss_state_hash(w.model, w.data);
    check(&w, ss_snapshot_set(w.model, w.data, buffer, size));
    assert_true(ss_state_hash(w.model, w.data) == now);
    run(&w, 1e-3, 300);
    assert_true(ss_state_hash(w.model, w.data) == later);
    close_world(&w);
}

/* k/eps, c/sqrt(eps): the distance from the rigid run falls as sqrt(eps). */
static double slid(double eps)
{
    char  text[1024], law[160] = "";
    world w;
    if (eps > 0) {
        snprintf(law, sizeof law, ", compliance: {stiffness: %.17g, damping: %.17g}", 100 / eps,
                 20 / sqrt(eps));
    }
    snprintf(text, sizeof text,
             "dimension: 2\ngravity: [0, -10]\n"
             "materials: {default: {friction: 0.3%s}, hard: {friction: 0.3}}\n"
             "bodies:\n"
             "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
             "  - {name: a, type: dynamic, material: hard, mass: 1, shape: {disc: {radius: 0.1}},\n"
             "     position: [0, 0.1], velocity: [1, 0]}\n"
             "simulation: {model: {contact: %s, integrator: euler}}\n",
             law, eps > 0 ? "compliant" : "rigid");
    open_text(&w, text);
    run(&w, 2e-5, 15000);
    double x = body_named(&w, "a").position.x;
    close_world(&w);
    return x;
}

static void stiff_contacts_tend_to_rigid_ones(void **state)
{
    (void)state;
    double rigid = slid(0), far = fabs(slid(1e-4) - rigid), near_ = fabs(slid(1e-6) - rigid);
    print_message("rigid limit: %.2e at 1e-4, %.2e at 1e-6\n", far, near_);
    assert_true(near_ < far / 7); /* 10 for sqrt(eps) */
}

/* No step is too long for stiffness: at rest, and dropped, from 1e2 to 1e10 N/m. */
static void any_stiffness_is_stable(void **state)
{
    (void)state;
    for (double k = 1e2; k < 1e11; k *= 100) {
        for (int damped = 0; damped < 2; damped++) {
            char  law[96];
            world w;
            snprintf(law, sizeof law, "stiffness: %.17g, damping: %.17g", k,
                     damped ? 2 * sqrt(k) : 0);
            open_ball(&w, law, "position: [0, 0, 0.6], velocity: [1, 0, 0]", "-9.81", "");
            double start = total_energy(&w);
            for (int i = 0; i < 200; i++) {
                run(&w, 1e-2, 1);
                assert_true(total_energy(&w) < start + 1e-9 * fabs(start));
            }
            assert_books_close(&w, start);
            close_world(&w);
        }
    }
}

/* A tower of blocks that give, and balls on balls with friction: certified, and at rest at last. */
static void piles_come_to_rest(void **state)
{
    (void)state;
    static const char *models[] = {"", ", integrator: euler"};
    for (int k = 0; k < 2; k++) {
        char  text[2048];
        world w;
        snprintf(
            text, sizeof text,
            "gravity: [0, 0, -9.81]\n"
            "materials: {default: {friction: 0.6, compliance: {stiffness: 50000, damping: 200}}}\n"
            "bodies:\n"
            "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
            "  - {name: a, type: dynamic, mass: 2, shape: {box: {size: [0.3, 0.3, 0.2]}}, "
            "position: [0, 0, 0.1]}\n"
            "  - {name: b, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.2, 0.2]}}, "
            "position: [0.02, 0.01, 0.301]}\n"
            "  - {name: c, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}}, position: "
            "[0.02, 0.01, 0.53]}\n"
            "simulation: {model: {contact: compliant%s}}\n",
            models[k]);
        open_text(&w, text);
        double start = total_energy(&w);
        run(&w, 2e-3, 1000);
        ss_body_state s = body_named(&w, "b");
        assert_true(ss_norm(s.velocity) < 1e-5);
        assert_near(s.position.x, 0.02, 1e-3);
        assert_true(total_energy(&w) < start);
        assert_books_close(&w, start);
        close_world(&w);
    }
}

static void open_loaded(world *w, const char *contact, double push, const char *springs)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "dimension: 2\n"
        "gravity: [0, -10]\n"
        "materials: {default: {friction: 0.5},\n"
        "  soft: {friction: 0.5, compliance: {stiffness: [20000, 8000], damping: [200, 100]%s}}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, material: soft, shape: {halfplane: {normal: [0, 1]}}}\n"
        "  - {name: a, type: dynamic, mass: 1, shape: {box: {size: [0.4, 0.1]}}, position: [0, "
        "0.0495]}\n"
        "forces:\n"
        "  - {name: load, type: constant, body: a, force: [0, -20], point: [0.05, 0.05]}\n"
        "  - {name: push, type: constant, body: a, force: [\"%.17g*math.min(t, 1)\", 0], point: "
        "[0, -0.05]}\n"
        "simulation: {model: {contact: %s}}\n",
        springs, push, contact);
    open_text(w, text);
}

/* Forces of a patch under a block that is loaded beside its middle: sum, moment, sliding springs.
 */
static int patch_forces(const world *w, double h, double *sum, double *moment)
{
    int sliding = 0;
    *sum = *moment = 0;
    for (int32_t i = 0; i < ss_data_contact_count(w->data); i++) {
        ss_contact_info c;
        ss_data_contact(w->model, w->data, i, &c);
        double p = c.impulse[0] / h;
        *sum += p;
        *moment += p * (c.point.x - body_named(w, "a").position.x);
        sliding += fabs(c.impulse[1]) > 0.999999 * 0.5 * c.impulse[0];
    }
    return sliding;
}

static void a_patch_bears_load_and_moment(void **state)
{
    (void)state;
    world  w;
    double sum, moment;
    open_loaded(&w, "patch", 0, ", springs: 10");
    double start = total_energy(&w);
    run(&w, 1e-3, 1500);
    assert_int_equal(ss_data_contact_count(w.data), 11);
    patch_forces(&w, 1e-3, &sum, &moment);
    ss_body_state s   = body_named(&w, "a");
    double        arm = 0.05 * cos(s.angle) - 0.05 * sin(s.angle); /* of the load, tilted */
    assert_near(sum, 30, 1e-6);
    assert_near(moment, 20 * arm, 1e-5);
    assert_near(s.position.y, 0.05 - 30.0 / 20000, 1e-5); /* K is that of the whole patch */
    assert_books_close(&w, start);
    close_world(&w);
}

/* Pushed below mu N, springs that are pressed least slide first; all hold above none, below all. */
static void a_patch_slips_in_parts(void **state)
{
    (void)state;
    static const double push[] = {0.5, 14.4, 16};
    int                 sliding[3];
    for (int i = 0; i < 3; i++) {
        world  w;
        double sum, moment;
        open_loaded(&w, "patch", push[i], ", springs: 10");
        run(&w, 1e-3, i < 2 ? 990 : 2000); /* while the push grows */
        sliding[i] = patch_forces(&w, 1e-3, &sum, &moment);
        double v   = fabs(body_named(&w, "a").velocity.x);
        assert_true(i < 2 ? v < 0.01 : v > 0.1);
        close_world(&w);
    }
    print_message("springs that slide: %d, %d, %d of 11\n", sliding[0], sliding[1], sliding[2]);
    assert_int_equal(sliding[0], 0);
    assert_true(sliding[1] > 0 && sliding[1] < 11);
    assert_int_equal(sliding[2], 11);
}

/* Something round has a patch of one spring: the same bits as compliant. */
static void a_patch_of_one_spring_is_compliant(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        char  text[1024];
        world w;
        snprintf(
            text, sizeof text,
            "gravity: [0, 0, -9.81]\n"
            "materials: {default: {friction: 0.5}, soft: {friction: 0.5, compliance: {stiffness: "
            "5000, damping: 20}}}\n"
            "bodies:\n"
            "  - {name: floor, type: static, material: soft, shape: {plane: {normal: [0, 0, 1]}}}\n"
            "  - {name: a, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}},\n"
            "     position: [0, 0, 0.12], velocity: [1, 0, 0]}\n"
            "simulation: {model: {contact: %s}}\n",
            i == 0 ? "compliant" : "patch");
        open_text(&w, text);
        run(&w, 1e-3, 300);
        hash[i] = ss_state_hash(w.model, w.data);
        close_world(&w);
    }
    assert_true(hash[0] == hash[1]);
}

/* In space: a block on a face of 4 x 4 pieces comes to rest at m g / K, and spins to rest. */
static void a_face_is_a_patch(void **state)
{
    (void)state;
    world  w;
    double sum, moment;
    open_text(
        &w, "gravity: [0, 0, -10]\n"
            "materials: {default: {friction: 0.5}, soft: {friction: 0.5, compliance: {stiffness: "
            "20000, damping: 200, springs: 2}}}\n"
            "bodies:\n"
            "  - {name: floor, type: static, material: soft, shape: {plane: {normal: [0, 0, 1]}}}\n"
            "  - {name: a, type: dynamic, mass: 2, shape: {box: {size: [0.4, 0.2, 0.1]}},\n"
            "     position: [0, 0, 0.0495], angular_velocity: [0, 0, 3]}\n"
            "simulation: {model: {contact: patch}}\n");
    double start = total_energy(&w);
    run(&w, 2e-3, 400);
    assert_int_equal(ss_data_contact_count(w.data), 13);
    patch_forces(&w, 2e-3, &sum, &moment);
    assert_near(sum, 20, 1e-5);
    assert_near(body_named(&w, "a").position.z, 0.05 - 20.0 / 20000, 1e-7);
    assert_true(fabs(body_named(&w, "a").angular_velocity.z) < 1e-3);
    assert_books_close(&w, start);
    close_world(&w);
}

/* Without momentum springs balance the load: two corners with 10000 N/m and 4000 N/m each. */
static void forces_balance_springs_without_momentum(void **state)
{
    (void)state;
    static const char *models[] = {"", ", cone: {polygon: 8}", ", geometry: implicit",
                                   ", geometry: implicit, cone: {polygon: 4}"};
    for (int i = 0; i < 4; i++) {
        char  model[96];
        world w;
        snprintf(model, sizeof model, ", inertia: quasistatic%s", models[i]);
        open_block(&w, 3, model);
        run(&w, 0.02, 45); /* while it is pushed */
        assert_near(body_named(&w, "b").position.y, 0.05 - 10.0 / 20000, 1e-10);
        assert_near(body_named(&w, "b").position.x, 3.0 / 8000, 1e-10);
        run(&w, 0.02, 55); /* and let go */
        assert_near(body_named(&w, "b").position.x, 0, 1e-10);
        assert_near(body_named(&w, "b").angle, 0, 1e-10);
        close_world(&w);
        open_block(&w, 6, model); /* more than mu N */
        assert_int_equal(ss_step(w.model, w.data, 0.02), SS_ERR_CERTIFICATE);
        close_world(&w);
    }
}

/* Pushed along by a finger, and on a patch in space. */
static void slow_pushing_on_springs(void **state)
{
    (void)state;
    static const char *contacts[] = {"compliant", "patch"};
    for (int i = 0; i < 2; i++) {
        char  text[1024];
        world w;
        snprintf(
            text, sizeof text,
            "gravity: [0, 0, -10]\n"
            "materials: {default: {friction: 0},\n"
            "  soft: {friction: 0.5, compliance: {stiffness: [20000, 8000], springs: 2}},\n"
            "  pairs: [{between: [default, soft], friction: 0.5}]}\n"
            "bodies:\n"
            "  - {name: floor, type: static, material: soft, shape: {plane: {normal: [0, 0, 1]}}}\n"
            "  - {name: a, type: dynamic, mass: 2, shape: {box: {size: [0.2, 0.2, 0.1]}},\n"
            "     position: [0, 0, 0.05]}\n"
            "  - {name: finger, type: kinematic, shape: {sphere: {radius: 0.02}},\n"
            "     position: [-0.121, 0, 0.001], velocity: [0.1, 0, 0]}\n"
            "simulation: {model: {contact: %s, inertia: quasistatic}}\n",
            contacts[i]);
        open_text(&w, text);
        run(&w, 0.01, 100);
        ss_body_state a    = body_named(&w, "a");
        double        at   = body_named(&w, "finger").position.x + 0.12;
        double        tilt = 2 * fabs(a.quat_wxyz.y); /* it is pushed below its middle */
        assert_near(a.position.x, at, 0.05 * tilt + 1e-9);
        assert_true(tilt < 1e-3);
        assert_near(body_named(&w, "a").velocity.x, 0.1, 1e-9);
        double k = i == 0 ? 4 * 20000 : 20000, force = 0, sum = 0;
        for (int32_t c = 0; c < ss_data_contact_count(w.data); c++) {
            ss_contact_info x;
            ss_data_contact(w.model, w.data, c, &x);
            bool finger = fabs(x.normal.x) > 0.5;
            force += finger ? x.impulse[0] / 0.01 : 0;
            sum += finger ? 0 : x.impulse[0] / 0.01;
        }
        assert_near(sum, 20, 10.1 * tilt); /* the finger pushes along the tilted face */
        assert_near(force, 0.5 * sum, 0.02 * tilt + 1e-7);
        assert_near(body_named(&w, "a").position.z, 0.05 - 20 / k, 2e-4);
        close_world(&w);
    }
}

static void refused(const char *materials, const char *model, const char *why)
{
    char  text[512];
    world w;
    snprintf(text, sizeof text,
             "materials: {default: {compliance: {%s}}}\n"
             "bodies:\n  - {name: a, type: dynamic, shape: {sphere: {radius: 1}}}\n"
             "simulation: {model: {contact: compliant%s}}\n",
             materials, model);
    assert_int_equal(try_text(&w, text), SS_ERR_INPUT);
    if (strstr(ss_context_message(w.ctx), why) == NULL) {
        fail_msg("%s", ss_context_message(w.ctx));
    }
    close_world(&w);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    refused("stiffness: 0", "", "stiffness must be > 0");
    refused("damping: 3", "", "stiffness");
    refused("stiffness: [[1, 2, 0], [2, 1, 0], [0, 0, 1]]", "", "positive definite");
    refused("stiffness: [[1, 0.2, 0], [0.1, 1, 0], [0, 0, 1]]", "", "symmetric");
    refused("stiffness: 5, damping: -1", "", "damping");
    refused("stiffness: 5, exponent: 0.5", "", "exponent");
    refused("stiffness: 5", ", corners: complementarity, cone: {polygon: 4}", "corners: exact");
    refused("stiffness: 5", ", gap: velocity", "gap: position");
}

/* Without momentum a spring as stiff as the contact would swing for ever: refused, softer ones run.
 */
static void springs_stiffer_than_contacts_are_refused(void **state)
{
    (void)state;
    for (int stiff = 0; stiff < 2; stiff++) {
        char  text[800];
        world w;
        sprintf(text,
                "dimension: 2\ngravity: [0, -10]\n"
                "materials: {default: {friction: 0.5, compliance: {stiffness: [1000, 500]}}}\n"
                "bodies:\n"
                "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
                "  - {name: p, type: particle, mass: 1, shape: {point: {}}, position: [0, 0]}\n"
                "forces:\n"
                "  - {name: k, type: spring, bodies: [world, p], anchors: [[1, 0], [0, 0]],\n"
                "     stiffness: %d, rest_length: 1}\n"
                "simulation: {model: {inertia: quasistatic, contact: compliant}}\n",
                stiff ? 300 : 200);
        ss_status got = try_text(&w, text);
        assert_int_equal(got, stiff ? SS_ERR_INPUT : SS_OK);
        assert_true(!stiff ||
                    strstr(ss_context_message(w.ctx), "softer than the contacts") != NULL);
        close_world(&w);
    }
}

/*
 * What a driven body does in a step is no deflection of its start: a plate that begins to move at 1
 * under a disc sends it off at 1 + e, as if the disc had come at 1. So does one with legs that
 * stand on something, which hold next to nothing.
 */
static void a_driven_plate_returns_what_the_closed_form_says(void **state)
{
    (void)state;
    static const char *models[] = {"", ", integrator: euler", ", geometry: implicit"};
    for (int k = 0; k < 6; k++) {
        for (double zeta = 0; zeta < 0.9; zeta += 0.4) {
            char  text[1000];
            world w;
            snprintf(text, sizeof text,
                     "dimension: 2\ngravity: [0, 0]\n"
                     "materials:\n  default: {friction: 0}\n"
                     "  soft: {friction: 0, compliance: {stiffness: 1000, damping: %.17g}}\n"
                     "bodies:\n"
                     "  - {name: plate, type: kinematic, material: soft, shape: {box: {size: [4, "
                     "2]}},\n     position: [0, -1], motion: {y: \"-1 + t\"}}\n"
                     "  - {name: a, type: dynamic, mass: 1, shape: {disc: {radius: 0.5}},\n"
                     "     position: [0, 0.5]%s}\n"
                     "simulation: {model: {contact: compliant%s}}\n",
                     2 * zeta * sqrt(1000),
                     k < 3 ? ""
                           : ", support: {points: [[0.1, 0], [-0.1, 0.1], [-0.1, -0.1]], "
                             "friction: 1.0e-6}",
                     models[k % 3]);
            open_text(&w, text);
            double begin = total_energy(&w);
            run(&w, 1e-4, 3000);
            assert_near(body_named(&w, "a").velocity.y, 1 + rebound(zeta), 6e-3);
            assert_books_close(&w, begin);
            close_world(&w);
        }
    }
}

/*
 * Springs of a patch go down to their cores by turns: all that are wrong about it at once goes
 * round in circles, one by one comes to an end.
 */
static void cores_of_a_patch_are_found(void **state)
{
    (void)state;
    world w;
    open_text(
        &w,
        "dimension: 2\n"
        "materials: {default: {friction: 0.5, compliance: {stiffness: 240000, damping: 900, "
        "max_deflection: 0.003}}}\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
        "  - {name: a, type: dynamic, density: 1000, shape: {box: {size: [0.6, 0.4]}}, position: "
        "[0, 0.22], angle: 0.0018316, velocity: [0.3, -0.68148], angular_velocity: -2.4529}\n"
        "  - {name: b, type: dynamic, density: 1000, shape: {box: {size: [0.5, 0.4]}}, position: "
        "[0.05, 0.64], velocity: [0, -0.68148]}\n"
        "simulation: {step: 0.011393, duration: 1.1393, model: {contact: patch}}\n");
    double most = total_energy(&w);
    for (int i = 0; i < 100; i++) {
        run(&w, 0.011393, 1);
        assert_true(total_energy(&w) <= most * (1 + 1e-3));
        most = fmin(most, total_energy(&w));
    }
    close_world(&w);
}

/* Without a core a surface gives up to half of the smaller body, and what is crushed is told. */
static void what_is_crushed_is_told(void **state)
{
    (void)state;
    for (int core = 0; core < 2; core++) {
        char  law[96];
        world w;
        snprintf(law, sizeof law, "stiffness: 10%s", core ? ", max_deflection: 0.1" : "");
        open_ball(&w, law, "position: [0, 0, 0.5], velocity: [0, 0, -3]", "-10", "");
        ss_status status = SS_OK;
        for (int i = 0; i < 100 && status == SS_OK; i++) {
            status = ss_step(w.model, w.data, 0.01);
        }
        assert_int_equal(status, core ? SS_OK : SS_ERR_CERTIFICATE);
        assert_true(core || strstr(ss_context_message(w.ctx), "max_deflection") != NULL);
        close_world(&w);
    }
}

/* What is let go at a surface and falls into its core within a step, as a part of h^2 g/2: the core
 * takes what the fall gave, and the step neither goes on through it nor makes energy of it. */
static void a_core_that_is_reached_early_holds(void **state)
{
    (void)state;
    static const double parts[]  = {0.002, 0.02, 0.05, 0.2, 0.41, 0.6, 0.98, 1.2, 2};
    static const char  *models[] = {"", ", integrator: euler"};
    const double        h = 0.01, fall = 0.5 * 9.81 * h * h;
    for (int k = 0; k < 18; k++) {
        for (double stiffness = 10; stiffness < 1e6; stiffness *= 100) {
            double core = parts[k / 2] * fall;
            char   law[96];
            world  w;
            snprintf(law, sizeof law, "stiffness: %.17g, max_deflection: %.17g", stiffness, core);
            open_ball(&w, law, "position: [0, 0, 0.5]", "-9.81", models[k % 2]);
            double start = total_energy(&w);
            for (int step = 0; step < 50; step++) {
                run(&w, h, 1);
                assert_books_close(&w, start);
                assert_true(depth(&w) <= fmax(core, fall) + 1e-12);
            }
            if (9.81 / stiffness > core) {
                assert_near(depth(&w), core, 1e-12);
            }
            close_world(&w);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_that_is_reached_early_holds),
        cmocka_unit_test(a_damped_drop_returns_what_the_closed_form_says),
        cmocka_unit_test(a_driven_plate_returns_what_the_closed_form_says),
        cmocka_unit_test(energy_is_kept_through_touch_and_release),
        cmocka_unit_test(static_deflections),
        cmocka_unit_test(two_surfaces_are_in_series),
        cmocka_unit_test(friction_is_a_spring_and_then_slides),
        cmocka_unit_test(friction_counts_the_core),
        cmocka_unit_test(deflections_are_state),
        cmocka_unit_test(stiff_contacts_tend_to_rigid_ones),
        cmocka_unit_test(any_stiffness_is_stable),
        cmocka_unit_test(piles_come_to_rest),
        cmocka_unit_test(a_patch_bears_load_and_moment),
        cmocka_unit_test(a_patch_slips_in_parts),
        cmocka_unit_test(a_patch_of_one_spring_is_compliant),
        cmocka_unit_test(a_face_is_a_patch),
        cmocka_unit_test(forces_balance_springs_without_momentum),
        cmocka_unit_test(slow_pushing_on_springs),
        cmocka_unit_test(springs_stiffer_than_contacts_are_refused),
        cmocka_unit_test(cores_of_a_patch_are_found),
        cmocka_unit_test(what_is_crushed_is_told),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
