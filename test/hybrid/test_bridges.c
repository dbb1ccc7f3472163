/* SPDX-License-Identifier: Apache-2.0 */
/* level: acceleration: what used to end runs although there is an answer. */
#include "world.h"

/* Steps count their bridges and how long these are, together. */
static void go_to(world *w, double step, double end, int32_t *bridges)
{
    while (ss_data_time(w->data) < end - 0.5 * step) {
        int32_t before = *bridges;
        double  length = 0;
        check(w, ss_step(w->model, w->data, step));
        const ss_step_report *r = ss_data_report(w->data);
        assert_true(r->residual <= 1e-9);
        for (int32_t i = 0; i < ss_data_event_count(w->data); i++) {
            ss_event e;
            check(w, ss_data_event(w->model, w->data, i, &e));
            *bridges += e.kind == SS_EVENT_BRIDGED;
            length += e.kind == SS_EVENT_BRIDGED ? e.until - e.time : 0;
            assert_true(e.until >= e.time);
        }
        assert_int_equal(r->bridges, *bridges - before);
        assert_near(r->bridged, length, 0);
    }
}

/*
 * A ball whose weight something bears comes down on a slope with 2 um/s. In the time that an impact
 * takes it goes less far than its gap is rounded: it was not struck, again and again.
 */
static void a_ball_lands_slowly(void **state)
{
    (void)state;
    static const double along[] = {0.1, 0.7, 1.1};
    for (int i = 0; i < 3; i++) {
        const double v = 2e-6, above = 0.1 + 0.025 * v;
        char         text[1000];
        world        w;
        int32_t      bridges = 0;
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {default: {friction: 1}}\nbodies:\n"
                 "  - {name: f, type: static, shape: {halfplane: {normal: [0.6, 0.8]}}}\n"
                 "  - {name: b, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, position: "
                 "[%.17g, %.17g], velocity: [%g, %g]}\n"
                 "forces: [{type: constant, body: b, force: [0, 9.81]}]\n"
                 "simulation: {step: 0.01, model: {level: acceleration}}\n",
                 0.6 * above + 0.8 * along[i], 0.8 * above - 0.6 * along[i], -0.6 * v, -0.8 * v);
        open_text(&w, text);
        go_to(&w, 0.01, 0.05, &bridges);
        ss_body_state s = body(&w, 1);
        assert_near(s.velocity.x, 0, 1e-15);
        assert_near(s.velocity.y, 0, 1e-15);
        assert_near(0.6 * s.position.x + 0.8 * s.position.y, 0.1, 1e-15);
        assert_near(0.8 * s.position.x - 0.6 * s.position.y, along[i], 1e-15);
        assert_int_equal(bridges, 0);
        close_world(&w);
    }
}

/* Its rim touches a box in one point, which the two list three times: that is one contact. */
static void a_cylinder_lands_on_a_box_as_on_a_plane(void **state)
{
    (void)state;
    static const char *const floors[] = {"{plane: {normal: [0, 0, 1]}}",
                                         "{box: {size: [3, 3, 0.4], position: [0, 0, -0.2]}}"};
    ss_body_state            end[2];
    for (int i = 0; i < 2; i++) {
        char    text[1000];
        world   w;
        int32_t bridges = 0;
        snprintf(text, sizeof text,
                 "materials: {default: {friction: 1}}\nbodies:\n"
                 "  - {name: f, type: static, shape: %s}\n"
                 "  - {name: c, type: dynamic, density: 500, shape: {cylinder: {radius: 0.09391, "
                 "length: 0.07603}}, position: [-0.0722664, -0.12968, 0.170995], quat_wxyz: "
                 "[0.776165, -0.442974, -0.446825, 0.041103], velocity: [-1.24828, 0.432097, "
                 "-0.41614], angular_velocity: [-4.69052, -1.35289, -5.50645]}\n"
                 "simulation: {step: 0.01, model: {level: acceleration}}\n",
                 floors[i]);
        open_text(&w, text);
        go_to(&w, 0.01, 0.3, &bridges);
        end[i] = body(&w, 1);
        assert_int_equal(bridges, 0);
        assert_near(ss_data_energy(w.model, w.data).integration, 0, 1e-11);
        close_world(&w);
    }
    assert_near(ss_norm(ss_sub(end[0].position, end[1].position)), 0, 1e-12);
    assert_near(ss_norm(ss_sub(end[0].velocity, end[1].velocity)), 0, 1e-11);
    assert_near(ss_norm(ss_sub(end[0].angular_velocity, end[1].angular_velocity)), 0, 1e-10);
}

/*
 * |x|^p + |y|^p = r^p, p = 2/0.7, rolls over four lines without curvature, where its point of
 * contact is infinitely fast. What rolls keeps its energy: with the support function H(a) of the
 * angle a, the centre is at the height H, and beside the point of contact by H',
 *
 *   (m (H^2 + H'^2) + I) w^2/2 + m g H = const
 */
static void a_superellipse_rolls_over_flat_lines(void **state)
{
    (void)state;
    const double m = 1, I = 0.005, g = 9.81, r = 0.1, w0 = 15;
    world        w;
    int32_t      bridges = 0;
    open_text(&w,
              "dimension: 2\ngravity: [0, -9.81]\nmaterials: {default: {friction: 1}}\nbodies:\n"
              "  - {name: f, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
              "  - {name: s, type: dynamic, mass: 1, inertia: 0.005, shape: {superellipse: "
              "{radii: [0.1, 0.1], e: 0.7}}, position: [0, 0.1], velocity: [1.5, 0], "
              "angular_velocity: -15}\n"
              "simulation: {step: 0.01, model: {level: acceleration}}\n");
    go_to(&w, 0.01, 0.3, &bridges);
    ss_body_state s = body(&w, 1);
    assert_in_range(bridges, 1, 20);
    /* q conjugate to p: H = r (|sin a|^q + |cos a|^q)^(1/q) of what faces down */
    const double q = 1 / (1 - 0.35), sine = fabs(sin(s.angle)), cosine = fabs(cos(s.angle));
    double       sum = pow(sine, q) + pow(cosine, q), H = r * pow(sum, 1 / q);
    double       slope  = pow(sine, q - 1) * cosine - pow(cosine, q - 1) * sine;
    double       beside = r * pow(sum, 1 / q - 1) * slope;
    double       energy = 0.5 * (m * r * r + I) * w0 * w0 + m * g * (r - H);
    double       turn   = sqrt(2 * energy / (m * (H * H + beside * beside) + I));
    assert_near(s.position.y, H, 1e-7);
    assert_near(s.angular_velocity.z, -turn, 2e-4);
    assert_near(s.velocity.x, turn * H, 2e-5);
    close_world(&w);
}

/* Sixteen corners of four legs share the load in so many ways that listing them all took minutes;
   what slides alike under the same load brakes by mu g whatever its legs. */
static void a_table_slides_on_four_legs(void **state)
{
    (void)state;
    world   w;
    int32_t bridges = 0;
    open_text(&w, "materials: {default: {friction: 0.5}}\nbodies:\n"
                  "  - {name: f, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
                  "  - {name: t, type: dynamic, density: 500, velocity: [1, 0, 0], shape: {union: "
                  "{parts: [{box: {size: [0.6, 0.4, 0.04], position: [0, 0, 0.12]}},\n"
                  "      {box: {size: [0.04, 0.04, 0.1], position: [0.25, 0.15, 0.05]}},\n"
                  "      {box: {size: [0.04, 0.04, 0.1], position: [-0.25, 0.15, 0.05]}},\n"
                  "      {box: {size: [0.04, 0.04, 0.1], position: [0.25, -0.15, 0.05]}},\n"
                  "      {box: {size: [0.04, 0.04, 0.1], position: [-0.25, -0.15, 0.05]}}]}}}\n"
                  "simulation: {step: 0.01, model: {level: acceleration}}\n");
    go_to(&w, 0.01, 0.3, &bridges);
    ss_body_state s = body(&w, 1);
    assert_near(s.position.x, 1 / (2 * 0.5 * 9.81), 1e-9);
    assert_near(s.position.z, 0, 1e-12);
    assert_near(s.velocity.x, 0, 1e-9);
    close_world(&w);
}

/*
 * A body with z^4 goes over the line where it is flat, with a point of contact that has no bounded
 * speed. Its shape is searched for every force: states count as what they take, and the time is
 * bridged before they are too many.
 */
static void states_of_searched_shapes_are_few(void **state)
{
    enum { STEPS = 24, ASKED = 20000 };
    world   w;
    int32_t bridges = 0;
    (void)state;
    open_text(
        &w, "materials: {default: {friction: 1}}\nbodies:\n"
            "  - {name: f, type: static, shape: {box: {size: [0.6, 0.6, 0.2]}}, position: [0, 0, "
            "-0.1]}\n"
            "  - {name: b, type: dynamic, density: 1000, shape: {implicit: {f: "
            "\"x^2/0.005846666400972577+y^2/0.0070127468347298974+z^4/7.464679825949277e-05-1\", "
            "bounds: [[-0.0841, -0.0921, -0.1022], [0.0841, 0.0921, 0.1022]]}}, position: [0, 0, "
            "0.2453], quat_wxyz: [-0.92582, 0.24729, 0.12691, 0.25611], velocity: [-0.429, -0.914, "
            "-0.499], angular_velocity: [7.849, 5.368, -1.659]}\n"
            "simulation: {step: 0.01, model: {level: acceleration}}\n");
    for (int i = 1; i <= STEPS; i++) {
        go_to(&w, 0.01, 0.01 * i, &bridges);
        assert_true(ss_data_report(w.data)->iterations < ASKED);
    }
    assert_true(bridges > 0);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_lands_slowly),
        cmocka_unit_test(a_cylinder_lands_on_a_box_as_on_a_plane),
        cmocka_unit_test(a_superellipse_rolls_over_flat_lines),
        cmocka_unit_test(a_table_slides_on_four_legs),
        cmocka_unit_test(states_of_searched_shapes_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
