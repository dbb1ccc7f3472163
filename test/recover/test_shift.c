/* SPDX-License-Identifier: Apache-2.0 */
/* Overlaps are moved apart in position, at one body size a second, and gain no speed by it. */
#include <stdio.h>

#include "world.h"

static const char *const box_in_floor =
    "materials: {default: {friction: 0.5}}\n"
    "params: {s: 1, depth: 0.009}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [\"s\", \"s\", \"s\"]}},\n"
    "     position: [0, 0, \"s*(0.5 - depth)\"]}\n";

static const char *const balls =
    "bodies:\n"
    "  - {name: a, type: dynamic, mass: 1, shape: {sphere: {radius: 0.5}}, position: [0, 0, 0]}\n"
    "  - {name: b, type: dynamic, mass: 3, shape: {sphere: {radius: 0.5}}, position: [0.992, 0, "
    "0]}\n"
    "gravity: [0, 0, 0]\n";

static void open_box(world *w, double size)
{
    char        set[64];
    const char *sets[] = {set};
    snprintf(set, sizeof set, "params.s=%.17g", size);
    *w = (world){.ctx = ss_context_create(NULL)};
    check(w, load_world(w, box_in_floor, sets, 1));
}

/* A box that starts inside the floor ends on it, at every size and step, and never flies. */
static void a_box_in_the_floor_is_lifted(void **unused)
{
    (void)unused;
    static const double sizes[] = {1e-3, 1, 1e2}, steps[] = {1e-2, 1e-3, 1e-4};
    for (int i = 0; i < 9; i++) {
        double size = sizes[i / 3], h = steps[i % 3];
        world  w;
        open_box(&w, size);
        for (int k = 0; k < 0.05 / h; k++) {
            run(&w, h, 1);
            assert_true(fabs(body_named(&w, "box").velocity.z) < 1e-9 * size / h);
            assert_true(body_named(&w, "box").position.z < 0.5 * size * (1 + 1e-6));
        }
        assert_near(body_named(&w, "box").position.z, 0.5 * size, 1e-6 * size);
        ss_energy e = ss_data_energy(w.model, w.data);
        assert_near(e.corrections, 9.81 * 0.009 * size, 1e-3 * size);
        close_world(&w);
    }
}

static const char *const box_on_slope =
    "materials: {default: {friction: 0.3}}\n"
    "params: {apart: 0}\n"
    "gravity: [3.355, 0, -9.218]\n"
    "bodies:\n"
    "  - {name: slope, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.2, 0.2]}},\n"
    "     position: [0, 0, \"0.1 + apart\"]}\n";

/* A nanometre between a box and its slope, or in it, changes nothing, however short the steps. */
static void a_nanometre_is_no_matter(void **unused)
{
    (void)unused;
    static const char *const apart[] = {"params.apart=-1e-9", "params.apart=-1e-11",
                                        "params.apart=1e-9"};
    static const double      steps[] = {1e-2, 1e-3, 1e-4};
    for (int i = 0; i < 9; i++) {
        world w = {.ctx = ss_context_create(NULL)};
        check(&w, load_world(&w, box_on_slope, &apart[i / 3], 1));
        run(&w, steps[i % 3], (int)(0.02 / steps[i % 3] + 0.5));
        assert_near(body_named(&w, "box").velocity.x, 0.02 * (3.355 - 0.3 * 9.218), 1e-7);
        assert_near(body_named(&w, "box").position.z, 0.1, 2e-9);
        close_world(&w);
    }
}

/* Plates that rub on supports are moved out of a wall too. */
static void a_plate_on_supports_is_moved(void **unused)
{
    (void)unused;
    world w;
    open_text(
        &w, "dimension: 2\n"
            "gravity: [0, 0]\n"
            "bodies:\n"
            "  - {name: wall, type: static, position: [0.2, 0],\n"
            "     shape: {halfplane: {normal: [-1, 0]}}}\n"
            "  - {name: plate, type: dynamic, mass: 1, position: [0.1005, 0],\n"
            "     shape: {disc: {radius: 0.1}},\n"
            "     support: {points: [[0.05, 0], [-0.05, 0.05], [-0.05, -0.05]], friction: 0.1}}\n");
    run(&w, 1e-3, 10);
    assert_near(body_named(&w, "plate").position.x, 0.1, 1e-8);
    close_world(&w);
}

/* Ten boxes on each other, each so far inside the one below. */
static void open_stack(world *w, int dimension, double size, double inside)
{
    char text[4096];
    bool space = dimension == 3;
    int  n     = snprintf(text, sizeof text,
                          "dimension: %d\nbodies:\n  - {name: floor, type: static, %s}\n", dimension,
                     space ? "shape: {plane: {normal: [0, 0, 1]}}"
                                : "shape: {halfplane: {normal: [0, 1]}}");
    for (int i = 0; i < 10; i++) {
        double x = 0.1 * size * ((7 * i) % 3 - 1), z = (i + 0.5) * size - (i + 1) * inside;
        n += snprintf(text + n, sizeof text - (size_t)n,
                      space
                          ? "  - {name: b%d, type: dynamic, mass: 1, position: [%.17g, 0, %.17g],\n"
                            "     shape: {box: {size: [%.17g, %.17g, %.17g]}}}\n"
                          : "  - {name: b%d, type: dynamic, mass: 1, position: [%.17g, %.17g],\n"
                            "     shape: {box: {size: [%.17g, %.17g]}}}\n",
                      i, x, z, size, size, size);
    }
    open_text(w, text);
}

/* Overlaps of rounding lift nothing: a stack that starts with them rests, however short the steps
   are. Any velocity that closed them was energy from nothing. */
static void stacks_inside_each_other_rest(void **unused)
{
    (void)unused;
    static const double inside[] = {1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6};
    static const double steps[]  = {1e-2, 1e-3, 1e-4, 1e-5};
    for (int i = 0; i < 96; i++) {
        double size = i / 24 % 2 == 0 ? 0.1 : 0.01;
        world  w;
        open_stack(&w, i < 48 ? 2 : 3, size, inside[i % 6]);
        run(&w, steps[i / 6 % 4], 8);
        ss_energy e = ss_data_energy(w.model, w.data);
        assert_true(e.integration < 1e-12 && e.kinetic < 1e-12);
        close_world(&w);
    }
}

/* One body size a second: no more than that in a step. */
static void the_rate_is_the_stated_one(void **unused)
{
    (void)unused;
    world w;
    open_box(&w, 1);
    run(&w, 1e-3, 4);
    assert_near(body_named(&w, "box").position.z, 0.491 + 4e-3, 1e-6);
    close_world(&w);
}

/* The heavier one moves less: the centre of mass stays. */
static void masses_share_the_way(void **unused)
{
    (void)unused;
    world w;
    open_text(&w, balls);
    run(&w, 0.01, 3);
    double a = body_named(&w, "a").position.x, b = body_named(&w, "b").position.x;
    assert_near(b - a, 1, 1e-9);
    assert_near(a + 3 * b, 3 * 0.992, 1e-12);
    assert_near(body_named(&w, "a").velocity.x, 0, 0);
    assert_near(body_named(&w, "b").velocity.x, 0, 0);
    close_world(&w);
}

static const char *const flat_sided =
    "materials: {default: {friction: 0}}\n"
    "params: {s: 1, e: 0.48, rate: 1}\n"
    "gravity: [0, 0, \"-10*s*rate*rate\"]\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: stone, type: dynamic, mass: 1, shape: {superellipsoid: {radii: [\"s\", \"s\", "
    "\"1.05*s\"], e1: \"e\", e2: 0.73}},\n"
    "     position: [0, 0, \"1.6*s\"], euler: [0.4, 0.3, 0.2], angular_velocity: [\"2*rate\", "
    "\"rate\", 0]}\n";

/*
 * The point at which a flat side touches runs across it within the step, however short the step
 * is: rows do not see it. It lands, and does not sink; no size or rate makes a difference.
 */
static void flat_sides_do_not_sink(void **unused)
{
    (void)unused;
    static const double sizes[] = {1e-3, 1, 30}, rates[] = {30, 1, 0.3};
    for (int i = 0; i < 9; i++) {
        char        set[3][64];
        const char *sets[] = {set[0], set[1], set[2]};
        double      size = sizes[i / 3], e = 0.2 + 0.14 * (i % 3);
        snprintf(set[0], sizeof set[0], "params.s=%.17g", size);
        snprintf(set[1], sizeof set[1], "params.e=%.17g", e);
        snprintf(set[2], sizeof set[2], "params.rate=%.17g", rates[i / 3]);
        world w = {.ctx = ss_context_create(NULL)};
        check(&w, load_world(&w, flat_sided, sets, 3));
        double deepest = 0;
        for (int k = 0; k < 100; k++) {
            run(&w, 0.05 / rates[i / 3], 1);
            deepest = fmax(deepest, ss_data_report(w.data)->penetration);
        }
        assert_true(deepest < 1.1e-2 * size); /* half a percent of what is two radii wide */
        close_world(&w);
    }
}

/* integrator: euler keeps psi/h, and says what it made. */
static void as_printed_it_flies(void **unused)
{
    (void)unused;
    const char *sets[] = {"simulation={model: {integrator: euler}}"};
    world       w      = {.ctx = ss_context_create(NULL)};
    check(&w, load_world(&w, box_in_floor, sets, 1));
    run(&w, 1e-3, 1);
    assert_near(body_named(&w, "box").velocity.z, 9, 1e-9);
    assert_near(ss_data_energy(w.model, w.data).corrections, 0.5 * 81, 0.1);
    close_world(&w);
}

/* A ball of half a kilogram falls on a grain of a milligram and crushes it against the floor: what
   overlaps there is moved apart, though masses differ by a factor of 4e5. */
static void crush(const double grain[7])
{
    char  text[1500];
    world w;
    snprintf(text, sizeof text,
             "name: grain\n"
             "materials: {default: {friction: 0}}\n"
             "bodies:\n"
             "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  - {name: grain, type: dynamic, density: 1000, position: [0.2, -0.2, 0.12],\n"
             "     shape: {ellipsoid: {radii: [%g, %g, %g]}}, euler: [%g, %g, %g]}\n"
             "  - {name: ball, type: dynamic, density: 1000, position: [%g, -0.2, 0.31],\n"
             "     shape: {sphere: {radius: 0.0478}}}\n"
             "simulation: {step: 0.004, duration: 1}\n",
             grain[0], grain[1], grain[2], grain[3], grain[4], grain[5], grain[6]);
    open_text(&w, text);
    double energy = total_energy(&w);
    for (int i = 0; i < 100; i++) {
        run(&w, 0.004, 1);
        assert_true(ss_data_report(w.data)->penetration < 2e-5);
        assert_true(total_energy(&w) < energy * (1 + 1e-5));
        energy = total_energy(&w);
    }
    close_world(&w);
}

static void heavy_on_a_grain(void **state)
{
    (void)state;
    static const double grains[][7] = {
        {0.000622694, 0.00076077, 0.000514381, 2.67162, 2.40856, -2.81646, 0.19981},
        {0.000670706, 0.000869575, 0.000590602, -1.7004, -0.467301, -2.82576, 0.199889},
        {0.000460445, 0.000566348, 0.000760742, 1.26715, 2.61864, -0.467358, 0.200132},
        {0.000737243, 0.000587352, 0.000619481, 0.0505589, 1.67066, 0.125631, 0.199957},
        {0.000485175, 0.000651119, 0.000891038, 1.62314, 0.237705, 2.16174, 0.199893}};
    for (size_t i = 0; i < sizeof grains / sizeof *grains; i++) {
        crush(grains[i]);
    }
}

/* On a driven plane overlaps go as on one at rest, whatever it has in place of an end. */
static void overlaps_go_on_driven_planes(void **state)
{
    (void)state;
    static const char *const floors[] = {"type: static", "type: kinematic, motion: {x: 0}"};
    for (int k = 0; k < 2; k++) {
        char  text[600];
        world w;
        snprintf(text, sizeof text,
                 "materials: {default: {friction: 0.3}}\nbodies:\n"
                 "  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, %s}\n"
                 "  - {name: b, type: dynamic, shape: {capsule: {radius: 0.05, length: 0.2, "
                 "axis_angle: [0, 1, 0, 1.5707963267948966]}}, mass: 1, position: [0, 0, 0.0495]}\n"
                 "simulation: {step: 0.001, duration: 1, allow_overlap: true}\n",
                 floors[k]);
        open_text(&w, text);
        run(&w, 0.001, 100);
        assert_near(body_named(&w, "b").position.z, 0.05, 1e-8);
        close_world(&w);
    }
}

/* A cube that leaves the floor with a corner in it is lifted and turned by that. It has the inertia
   of a ball: its spin stays, as nothing acts on it. */
static void what_is_turned_keeps_its_spin(void **state)
{
    (void)state;
    world w;
    open_text(&w,
              "materials: {default: {friction: 0}}\n"
              "gravity: [0, 0, 0]\n"
              "bodies:\n"
              "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
              "  - {name: cube, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.2, 0.2]}},\n"
              "     position: [0, 0, 0.163], euler: [0.5, 0.4, 0], velocity: [0, 0, 0.1],\n"
              "     angular_velocity: [0, 0, 5]}\n");
    run(&w, 1e-3, 10);
    ss_vec3 spin = body_named(&w, "cube").angular_velocity;
    assert_true(ss_data_energy(w.model, w.data).kinetic > 0);
    assert_near(spin.x, 0, 1e-14);
    assert_near(spin.y, 0, 1e-14);
    assert_near(spin.z, 5, 1e-14);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_in_the_floor_is_lifted),
        cmocka_unit_test(a_nanometre_is_no_matter),
        cmocka_unit_test(a_plate_on_supports_is_moved),
        cmocka_unit_test(stacks_inside_each_other_rest),
        cmocka_unit_test(the_rate_is_the_stated_one),
        cmocka_unit_test(masses_share_the_way),
        cmocka_unit_test(flat_sides_do_not_sink),
        cmocka_unit_test(as_printed_it_flies),
        cmocka_unit_test(heavy_on_a_grain),
        cmocka_unit_test(overlaps_go_on_driven_planes),
        cmocka_unit_test(what_is_turned_keeps_its_spin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
