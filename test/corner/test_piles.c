/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random piles at coarse steps: bodies that move by much of their size in a step meet many corners
 * at once. No branch may push bodies through each other (energy), and the search among branches
 * ends (rounds).
 */
#include "corner/branches.h"
#include "random.h"
#include "world.h"

static ss_shape_def random_shape(uint64_t *seed, ss_vec3 *points, int dimension, double size)
{
    ss_shape_def shape = {.type = "box"};
    double       wide = random_between(seed, 0.5, 1.2), high = random_between(seed, 0.5, 1.2);
    if (dimension == 3 || random_bits(seed) % 2 == 0) {
        shape.params.box.size =
            ss_scale(0.1 * size, ss_v3(wide, high, random_between(seed, 0.5, 1.2)));
        return shape;
    }
    shape.type        = "polygon";
    shape.points      = points;
    shape.point_count = 5;
    for (int i = 0; i < 5; i++) {
        double t  = 1.2566370614359172 * (i + random_between(seed, 0, 0.6));
        points[i] = ss_scale(0.06 * size, ss_v3(wide * cos(t), high * sin(t), 0));
    }
    return shape;
}

static void add_wall(world *w, const char *name, ss_vec3 normal, double offset)
{
    ss_shape_def plane        = {.type = w->dimension == 3 ? "plane" : "halfplane"};
    plane.params.plane.normal = normal;
    plane.params.plane.offset = offset;
    ss_body_def wall          = ss_body_def_default();
    wall.name                 = name;
    wall.type                 = SS_BODY_STATIC;
    wall.shape                = &plane;
    check(w, ss_scene_add_body(w->scene, &wall, NULL));
}

static void add_body(world *w, uint64_t *seed, int i, double size)
{
    bool         space = w->dimension == 3;
    ss_vec3      points[5];
    ss_shape_def shape = random_shape(seed, points, w->dimension, size);
    ss_body_def  b     = ss_body_def_default();
    double       up    = size * (0.1 + 0.2 * (i / 3));
    char         name[16];
    snprintf(name, sizeof name, "b%d", i);
    b.name     = name;
    b.density  = 1000;
    b.shape    = &shape;
    b.position = ss_v3(size * 0.18 * (i % 3 - 1), space ? 0 : up, space ? up : 0);
    b.angle    = random_between(seed, 0, 6);
    b.velocity = ss_scale(sqrt(size), ss_v3(random_between(seed, -1, 1), space ? 0 : -1, -space));
    b.angular_velocity = ss_scale(1 / sqrt(size), ss_v3(space * random_between(seed, -9, 9),
                                                        space * random_between(seed, -9, 9),
                                                        random_between(seed, -9, 9)));
    check(w, ss_scene_add_body(w->scene, &b, NULL));
}

static void open_pile(world *w, uint64_t seed, int dimension, int bodies, double size,
                      const ss_material_def *material)
{
    open_world(w, dimension, "auto");
    check(w, ss_scene_add_material(w->scene, material));
    add_floor(w);
    add_wall(w, "left", ss_v3(1, 0, 0), -0.3 * size);
    add_wall(w, "right", ss_v3(-1, 0, 0), -0.3 * size);
    if (dimension == 3) {
        add_wall(w, "front", ss_v3(0, 1, 0), -0.1 * size);
        add_wall(w, "back", ss_v3(0, -1, 0), -0.1 * size);
    }
    for (int i = 0; i < bodies; i++) {
        add_body(w, &seed, i, size);
    }
    start(w);
}

/* Energy of a step may grow by what the time-stepping itself errs, which is of second order. */
static void drop_pile(uint64_t seed, int dimension, int bodies, double size, double h)
{
    const ss_material_def material = {.name = "default", .friction = 0.5};
    world                 w;
    open_pile(&w, seed, dimension, bodies, size, &material);
    double before = total_energy(&w), most = before;
    for (double t = 0; t < 0.8 * sqrt(size); t += h) {
        run(&w, h, 1);
        double now = total_energy(&w);
        if (now > before + 0.01 * most) {
            fail_msg("seed %d, t = %g: energy %g J becomes %g J", (int)seed, t, before, now);
        }
        if (ss_data_report(w.data)->rounds > 60) {
            fail_msg("seed %d, t = %g: %d rounds", (int)seed, t, ss_data_report(w.data)->rounds);
        }
        before = now;
    }
    close_world(&w);
}

static void piles_neither_explode_nor_hang(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        drop_pile(seed, 2, 12, 1, seed % 2 == 0 ? 0.01 : 0.005);
    }
    drop_pile(10, 2, 12, 0.01, 0.001);
    drop_pile(11, 3, 6, 1, 0.01);
    drop_pile(12, 3, 6, 1, 0.005);
}

/*
 * Impacts in a pile at rest leave contacts that bear nothing but the rounding of others, and
 * without friction many ways to share a load. Each step is to be solved all the same.
 */
static void piles_that_bounce_or_slide_are_solved(void **state)
{
    (void)state;
    for (uint64_t seed = 20; seed < 25; seed++) {
        const ss_material_def material = {.name        = "default",
                                          .friction    = seed % 3 == 0 ? 0 : 0.5,
                                          .restitution = seed % 2 == 0 ? 0.3 : 0,
                                          .impact      = SS_IMPACT_POISSON};
        world                 w;
        open_pile(&w, seed, seed % 4 == 0 ? 3 : 2, 8, 1, &material);
        run(&w, 0.005, 180);
        close_world(&w);
    }
}

/* ---- which branches can matter -------------------------------------------------------------- */

/* Contacts of four sides of a square of half width 1, with a point at (x, y). */
static int32_t sides(double x, double y, ss_contact *c)
{
    static const double n[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (int i = 0; i < 4; i++) {
        c[i] = (ss_contact){.geom_a = 1,
                            .geom_b = 2,
                            .normal = ss_v3(n[i][0], n[i][1], 0),
                            .gap    = n[i][0] * x + n[i][1] * y - 1,
                            .branch = (uint64_t)i + 1};
    }
    return 4;
}

static bool has(const ss_contact *c, int32_t count, uint64_t name)
{
    for (int32_t i = 0; i < count; i++) {
        if (c[i].branch == name) {
            return true;
        }
    }
    return false;
}

/* However far it can go in the step. */
static void the_far_side_never_matters(void **state)
{
    (void)state;
    static const char text[] =
        "dimension: 2\n"
        "gravity: [0, 0]\n"
        "bodies:\n"
        "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1], offset: -9}}}\n"
        "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [2, 2]}}}\n"
        "  - {name: body, type: particle, mass: 1, shape: {point: {}}, position: [0.9, 1.1]}\n"
        "simulation: {step: 1}\n";
    ss_contact c[4];
    world      w;
    open_text(&w, text);
    w.data->speed[1] = 0;
    w.data->speed[2] = 0.2;
    int32_t count    = ss_keep_reachable(w.model, w.data, c, sides(0.9, 1.1, c), 1);
    assert_true(count == 2 && has(c, count, 1) && has(c, count, 2)); /* top, and past the edge */
    w.data->speed[2] = 0.05;
    count            = ss_keep_reachable(w.model, w.data, c, sides(0.9, 1.1, c), 1);
    assert_true(count == 1 && has(c, count, 2)); /* the edge is out of reach */
    w.data->speed[2] = 1e6;
    count            = ss_keep_reachable(w.model, w.data, c, sides(0.9, 1.1, c), 1);
    assert_false(has(c, count, 4));
    assert_false(has(c, count, 3)); /* 1.9 away, further than the square is large */
    count = ss_keep_reachable(w.model, w.data, c, sides(0.1, 0.99, c), 1);
    assert_true(has(c, count, 2) && !has(c, count, 4)); /* overlapping: the least violated one */
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_far_side_never_matters),
        cmocka_unit_test(piles_neither_explode_nor_hang),
        cmocka_unit_test(piles_that_bounce_or_slide_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
