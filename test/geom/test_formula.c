/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies by formula: derivatives, what is refused, and agreement with the built-in superellipses.
 */
#include "collide/collide_test.h"
#include "expr/formula.h"
#include "random.h"
#include "world.h"

/* ---- formulas ---- */

static ss_formula read_formula(const char *text, int variables)
{
    ss_context *ctx = ss_context_create(NULL);
    ss_formula  f;
    if (ss_formula_read(ctx, text, variables, &f) != SS_OK) {
        fail_msg("%s: %s", text, ss_context_message(ctx));
    }
    ss_context_destroy(ctx);
    return f;
}

static void values_follow_the_rules_of_expressions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double      value;
    } rows[]           = {{"-2^2", -4},
                          {"2^3^2", 512},
                          {"2^-1", 0.5},
                          {"1 - 2 - 3", -4},
                          {"8/4/2", 1},
                          {"2*(3 + 4)", 14},
                          {"-x^2", -4},
                          {"x*y*z", 30},
                          {"hypot(3, 4)", 5},
                          {"math.sqrt(x*8)", 4},
                          {"abs(-y) + cos(pi)", 2},
                          {"1.5e1 + .5", 15.5},
                          {"x^y", 8},
                          {"--1", 1}};
    const double at[3] = {2, 3, 5};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ss_formula f = read_formula(rows[i].text, 3);
        assert_near(ss_formula_at(&f, at, 0).v, rows[i].value, 1e-14);
    }
}

/* Derivatives against central differences of values and of gradients. */
static void derivatives_are_those_of_the_formula(void **state)
{
    (void)state;
    static const char *const texts[] = {"x^4 + y^4 + z^4 - 1",
                                        "x^2*exp(0.3*y) + 0.6*y^2 - z/y",
                                        "sqrt(1 + x^2 + y*z)",
                                        "log(1 + exp(x) + y^2)",
                                        "sin(x)*cos(y) + tanh(z) - tan(x*y)",
                                        "abs(x)^2.5 + abs(y)^3",
                                        "cosh(x) + sinh(y*z) - x^-2",
                                        "hypot(x, y) + y^z"};
    const double             at[3] = {0.7, 0.4, 1.1}, e = 1e-5;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ss_formula f = read_formula(texts[i], 3);
        ss_jet     j = ss_formula_at(&f, at, 2);
        for (int a = 0; a < 3; a++) {
            double up[3] = {at[0], at[1], at[2]}, down[3] = {at[0], at[1], at[2]};
            up[a] += e;
            down[a] -= e;
            ss_jet ju = ss_formula_at(&f, up, 1), jd = ss_formula_at(&f, down, 1);
            assert_near(j.g[a], (ju.v - jd.v) / (2 * e), 1e-8);
            const double row[3][3] = {
                {j.h[0], j.h[3], j.h[5]}, {j.h[3], j.h[1], j.h[4]}, {j.h[5], j.h[4], j.h[2]}};
            for (int b = 0; b < 3; b++) {
                assert_near(row[a][b], (ju.g[b] - jd.g[b]) / (2 * e), 1e-7);
            }
        }
    }
}

static void what_is_no_formula_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[]        = {{"x +", "expected a number"},
                       {"x y", "expected an operator"},
                       {"(x", "expected )"},
                       {"max(x, y)", "smooth"},
                       {"q + x", "'q' is unknown"},
                       {"z", "'z' is unknown"},
                       {"hypot(x)", "two numbers"},
                       {"os.exit(1)", "'os' is unknown"},
                       {"x = 1", "expected an operator"},
                       {"", "expected a number"}};
    ss_context *ctx = ss_context_create(NULL);
    ss_formula  f;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(ss_formula_read(ctx, rows[i].text, 2, &f), SS_ERR_INPUT);
        assert_non_null(strstr(ss_context_message(ctx), rows[i].message));
    }
    char deep[1001];
    memset(deep, '(', 1000);
    deep[1000] = '\0';
    assert_int_equal(ss_formula_read(ctx, deep, 2, &f), SS_ERR_INPUT);
    memset(deep, '-', 1000);
    assert_int_equal(ss_formula_read(ctx, deep, 2, &f), SS_ERR_INPUT);
    ss_context_destroy(ctx);
}

/* ---- bodies ---- */

static const ss_vec3 box_2d[] = {{-0.7, -0.5, 0}, {0.6, 0.6, 0}};
static const ss_vec3 box_3d[] = {{-0.7, -0.5, -0.4}, {0.6, 0.6, 0.5}};

static ss_shape_def by_formula(const char *f, const ss_vec3 *bounds)
{
    ss_shape_def def   = {.type = "implicit", .points = bounds, .point_count = 2};
    def.params.formula = f;
    return def;
}

static void pair_of_ovals(int dimension, solid *formula, solid *built_in)
{
    ss_shape_def a           = dimension == 2 ? by_formula("(x/0.5)^4 + (y/0.4)^4 - 1", box_2d)
                                              : by_formula("(x/0.5)^4 + (y/0.4)^4 + (z/0.3)^4 - 1", box_3d);
    ss_shape_def b           = {.type = dimension == 2 ? "superellipse" : "superellipsoid"};
    b.params.ellipsoid.radii = ss_v3(0.5, 0.4, 0.3);
    b.params.ellipsoid.e1 = b.params.ellipsoid.e2 = 0.5;
    *formula                                      = solid_make(&a, dimension);
    *built_in                                     = solid_make(&b, dimension);
}

static void mass_is_that_of_the_built_in_oval(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        solid a, b;
        pair_of_ovals(dimension, &a, &b);
        double V = b.set.mass.volume;
        assert_near(a.set.mass.volume, V, 1e-9 * V);
        assert_true(ss_norm(a.set.mass.centre) < 1e-9);
        for (int i = dimension == 2 ? 8 : 0; i < 9; i++) {
            assert_near(a.set.mass.inertia.m[i], b.set.mass.inertia.m[i], 1e-9 * V);
        }
        solid_free(&a);
        solid_free(&b);
    }
}

/* Where the surface is flat, points along it are known to the cube root of rounding only; heights
   and normals everywhere to rounding. */
static void support_points_are_those_of_the_built_in_oval(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int dimension = 2; dimension <= 3; dimension++) {
        solid a, b;
        pair_of_ovals(dimension, &a, &b);
        for (int i = 0; i < 2000; i++) {
            ss_vec3 d = ss_v3(uniform(&seed), uniform(&seed), dimension == 2 ? 0 : uniform(&seed));
            if (i < 200) { /* near the axes */
                d = ss_v3(1e-6 * d.x, d.y, 1e-9 * d.z);
            }
            d         = ss_unit(d);
            ss_vec3 x = a.set.geoms[0].cls->support(&a.set.geoms[0], d);
            ss_vec3 y = b.set.geoms[0].cls->support(&b.set.geoms[0], d);
            x         = ss_add(x, a.set.geoms[0].local.p);
            assert_near(ss_dot(d, x), ss_dot(d, y), 1e-14);
            if (i >= 200) {
                assert_true(ss_norm(ss_sub(x, y)) < 1e-11);
            }
        }
        solid_free(&a);
        solid_free(&b);
    }
}

/* ---- scenes ---- */

#define SCENE_2D                                                                                   \
    "dimension: 2\n"                                                                               \
    "params: {p: 4, a: 0.5}\n"                                                                     \
    "gravity: [0, -9.81]\n"                                                                        \
    "materials: {default: {friction: 0.4}}\n"                                                      \
    "bodies:\n"                                                                                    \
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"                      \
    "  - {name: post, type: static, position: [0.9, 0], shape: {disc: {radius: 0.3}}}\n"           \
    "  - {name: it, type: dynamic, density: 1, position: [0, 0.6], angle: 0.3, velocity: [1, "     \
    "0],\n"
#define SCENE_3D                                                                                   \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "materials: {default: {friction: 0.4}}\n"                                                      \
    "bodies:\n"                                                                                    \
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"                       \
    "  - {name: post, type: static, position: [1, 0, 0], shape: {box: {size: [0.4, 1, 0.6]}}}\n"   \
    "  - {name: it, type: dynamic, density: 1, position: [0, 0, 0.6], euler: [0.3, 0.2, 0.1],\n"   \
    "     velocity: [1, 0.2, 0], angular_velocity: [1, 2, 0.5],\n"
#define OVAL_2D "     shape: {superellipse: {radii: [0.5, 0.4], e: 0.5}}}\n"
#define FORMULA_2D                                                                                 \
    "     shape: {implicit: {f: \"(x/a)^p + (y/0.4)^p - 1\",\n"                                    \
    "                        bounds: [[-0.6, -0.5], [0.6, 0.5]]}}}\n"
#define CUT_OVAL_2D                                                                                \
    "     shape: {intersection: [{superellipse: {radii: [0.5, 0.4], e: 0.5}},\n"                   \
    "                            {halfplane: {normal: [0, 1], offset: 0.1}}]}}\n"
#define CUT_FORMULA_2D                                                                             \
    "     shape: {intersection: [{implicit: {f: \"(x/a)^p + (y/0.4)^p - 1\",\n"                    \
    "                        bounds: [[-0.6, -0.5], [0.6, 0.5]]}},\n"                              \
    "                            {halfplane: {normal: [0, 1], offset: 0.1}}]}}\n"
#define OVAL_3D "     shape: {superellipsoid: {radii: [0.5, 0.4, 0.3], e1: 0.5, e2: 0.5}}}\n"
#define FORMULA_3D                                                                                 \
    "     shape: {implicit: {f: \"(x/0.5)^4 + (y/0.4)^4 + (z/0.3)^4 - 1\",\n"                      \
    "                        bounds: [[-0.6, -0.5, -0.4], [0.6, 0.5, 0.4]]}}}\n"
#define EXPLICIT "simulation: {step: 0.002, duration: 1}\n"
#define IMPLICIT "simulation: {step: 0.002, duration: 1, model: {geometry: implicit}}\n"

static void compare_runs(const char *one, const char *other, int steps, double tolerance)
{
    world a, b;
    open_text(&a, one);
    open_text(&b, other);
    run(&a, 0.002, steps);
    run(&b, 0.002, steps);
    ss_body_state x = body(&a, 2), y = body(&b, 2);
    assert_true(ss_norm(ss_sub(x.position, y.position)) < tolerance);
    assert_true(ss_norm(ss_sub(x.velocity, y.velocity)) < 100 * tolerance);
    assert_true(ss_norm(ss_sub(x.angular_velocity, y.angular_velocity)) < 100 * tolerance);
    close_world(&a);
    close_world(&b);
}

/* Falls, rolls and strikes as the built-in oval does, by both geometries. */
static void motion_is_that_of_the_built_in_oval(void **state)
{
    (void)state;
    compare_runs(SCENE_2D FORMULA_2D EXPLICIT, SCENE_2D OVAL_2D EXPLICIT, 400, 1e-7);
    compare_runs(SCENE_2D FORMULA_2D IMPLICIT, SCENE_2D OVAL_2D IMPLICIT, 400, 1e-7);
    compare_runs(SCENE_2D CUT_FORMULA_2D EXPLICIT, SCENE_2D CUT_OVAL_2D EXPLICIT, 250, 1e-6);
    compare_runs(SCENE_3D FORMULA_3D EXPLICIT, SCENE_3D OVAL_3D EXPLICIT, 200, 1e-6);
    compare_runs(SCENE_3D FORMULA_3D IMPLICIT, SCENE_3D OVAL_3D IMPLICIT, 120, 1e-6);
}

/* The body's frame stays where the scene puts it, however far f is from its origin. */
static void a_formula_away_from_its_origin_is_the_same_body(void **state)
{
    (void)state;
    compare_runs(SCENE_2D
                 "     shape: {implicit: {f: \"((x - 3)/a)^p + ((y + 2)/0.4)^p - 1\",\n"
                 "       bounds: [[2.4, -2.5], [3.6, -1.5]], position: [-3, 2]}}}\n" EXPLICIT,
                 SCENE_2D OVAL_2D EXPLICIT, 250, 1e-7);
}

static void what_is_no_convex_body_is_refused_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *shape, *message;
    } rows[] = {
        {"{f: \"x^4 + y^4 - 1\", bounds: [[-0.9, -1.1], [1.1, 1.1]]}", "reaches the border"},
        {"{f: \"x^4 - y^2 - 1\", bounds: [[-2, -2], [2, 2]]}", "not convex"},
        {"{f: \"x^4 - 1\", bounds: [[-2, -2], [2, 2]]}", "reaches the border"},
        {"{f: \"x^4 + y^4 + 1\", bounds: [[-2, -2], [2, 2]]}", "nowhere < 0"},
        {"{f: \"(x^2 + y^2)^2 - 1.2*x^2 + 0.6*y^2 - 0.1\", bounds: [[-2, -2], [2, 2]]}",
         "not convex"},
        {"{f: \"abs(x)^1.5 + abs(y)^1.5 - 1\", bounds: [[-2, -2], [2, 2]]}", "not finite"},
        {"{f: \"x^2 + y^2 - w\", bounds: [[-2, -2], [2, 2]]}", "'w' is unknown"},
        {"{f: \"x^2 + y^2 - 1\", bounds: [[2, 2], [-2, -2]]}", "lower one first"},
        {"{f: \"x^2 + y^2 - 1\", bounds: [[-2, -2]]}", "two corners"},
        {"{f: \"x^2 + y^2 - 1\"}", "bounds"},
        {"{bounds: [[-2, -2], [2, 2]]}", "'f' is missing"},
        {"{f: \"log(x)\", bounds: [[-2, -2], [2, 2]]}", "test.yaml:9:24"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char  text[1024];
        world w;
        snprintf(text, sizeof text, SCENE_2D "     shape: {implicit: %s}}\n", rows[i].shape);
        assert_int_not_equal(try_text(&w, text), SS_OK);
        if (strstr(ss_context_message(w.ctx), rows[i].message) == NULL ||
            strstr(ss_context_message(w.ctx), "test.yaml:") == NULL) {
            fail_msg("%s: %s", rows[i].shape, ss_context_message(w.ctx));
        }
        close_world(&w);
    }
}

/* An ellipse of 1 nm to 1 km is the same ellipse. */
static void sizes_do_not_matter(void **state)
{
    (void)state;
    static const double sizes[] = {1e-9, 1e-3, 1, 1e3};
    for (int i = 0; i < 4; i++) {
        char    f[160];
        double  s      = sizes[i];
        ss_vec3 box[2] = {{-1.3 * s, -0.9 * s, 0}, {1.2 * s, 1.7 * s, 0}};
        snprintf(f, sizeof f, "(x/%.17g)^2 + (2*y/%.17g)^2 - 1", s, s);
        ss_shape_def def = by_formula(f, box);
        solid        a   = solid_make(&def, 2);
        assert_near(a.set.mass.volume, 3.14159265358979323846 * s * s / 2, 1e-10 * s * s);
        ss_vec3 d = ss_unit(ss_v3(1, 1, 0));
        ss_vec3 x = ss_add(a.set.geoms[0].cls->support(&a.set.geoms[0], d), a.set.geoms[0].local.p);
        assert_near(x.x, s * sqrt(0.8), 1e-13 * s);
        assert_near(x.y, 0.5 * s * sqrt(0.2), 1e-13 * s);
        solid_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_follow_the_rules_of_expressions),
        cmocka_unit_test(derivatives_are_those_of_the_formula),
        cmocka_unit_test(what_is_no_formula_is_refused),
        cmocka_unit_test(mass_is_that_of_the_built_in_oval),
        cmocka_unit_test(support_points_are_those_of_the_built_in_oval),
        cmocka_unit_test(motion_is_that_of_the_built_in_oval),
        cmocka_unit_test(a_formula_away_from_its_origin_is_the_same_body),
        cmocka_unit_test(what_is_no_convex_body_is_refused_with_its_place),
        cmocka_unit_test(sizes_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
