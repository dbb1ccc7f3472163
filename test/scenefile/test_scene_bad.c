/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong scenes: each gives one message that begins with file:line:column and says what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stickslip/stickslip.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A right scene with one line left open; the open line is line 4. */
#define BODY(keys)                                                                                 \
    "bodies:\n"                                                                                    \
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"                       \
    "  - name: cube\n"                                                                             \
    "    " keys "\n"                                                                               \
    "    type: dynamic\n"                                                                          \
    "    shape: {box: {size: [1, 1, 1]}}\n"                                                        \
    "    position: [0, 0, 0.5]\n"
#define SHAPE(shape)                                                                               \
    "bodies:\n"                                                                                    \
    "  - name: cube\n"                                                                             \
    "    type: dynamic\n"                                                                          \
    "    shape: " shape "\n"
#define WORLD                                                                                      \
    "bodies:\n"                                                                                    \
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
#define FLAT                                                                                       \
    "dimension: 2\nbodies:\n"                                                                      \
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"

/* For what is found out after reading: a solver that every build has. */
#define NSGS "simulation: {solver: nsgs}\n"

typedef struct wrong {
    const char *text, *says;
} wrong;

static const wrong yaml_cases[] = {
    {"", "s.yaml:1:1: there is nothing in it"},
    {"# only a comment\n", "there is nothing in it"},
    {"just text", "s.yaml:1:1: a scene must be a map"},
    {"[1, 2]", "s.yaml:1:1: a scene must be a map"},
    {"bodies: [", "s.yaml:2:1: this is not valid YAML"},
    {"bodies: {a: 1", "this is not valid YAML"},
    {"a: b: c\n", "s.yaml:1:5: this is not valid YAML"},
    {"\tname: x\n", "s.yaml:1:1: this is not valid YAML"},
    {"name: \"x\n", "this is not valid YAML"},
    {"name: x\nname: y\n", "s.yaml:2:1: the key 'name' is there twice (first in line 1)"},
    {"params: {a: 1, a: 2}\n", "s.yaml:1:16: the key 'a' is there twice"},
    {"---\nname: x\n---\nname: y\n", "s.yaml:3:1: there is a second document"},
    {"name: &a x\n", "s.yaml:1:7: anchors"},
    {"name: *a\n", "s.yaml:1:7: aliases"},
    {"a: &a [x,x]\nb: &b [*a,*a]\n", "s.yaml:1:4: anchors"},
    {"name: !!str x\n", "s.yaml:1:7: tags"},
    {"? [1, 2]\n: x\n", "s.yaml:1:3: a key must be a word"},
    {"name: \xff\xfe\n", "s.yaml:1:7: this is not UTF-8"},
    {"name: \x01\n", "this is not UTF-8"},
    {"\x7f"
     "ELF\x02\x01\x01",
     "this is not UTF-8"},
};

static const wrong key_cases[] = {
    {"name: x\n", "s.yaml:1:1: the section 'bodies' is missing"},
    {"bodys: []\n", "s.yaml:1:8: there is no section 'bodys'; did you mean 'bodies'?"},
    {"zzz: 1\n", "s.yaml:1:6: there is no section 'zzz'"},
    {"bodies: 1\n", "s.yaml:1:9: bodies must be a list: [..], got '1'"},
    {"bodies: [1]\n", "s.yaml:1:10: body: an entry of bodies must be a map"},
    {BODY("mas: 1"), "s.yaml:4:10: body 'cube': there is no key 'mas' here; did you mean 'mass'?"},
    {BODY("colour: red"), "s.yaml:4:13: body 'cube': there is no key 'colour' here"},
    {BODY("mass: -1"), "s.yaml:4:11: body 'cube': mass must be > 0, got -1"},
    {BODY("mass: 0"), "s.yaml:4:11: body 'cube': mass must be > 0, got 0"},
    {BODY("mass: [1]"), "body 'cube': mass must be a single value, got a list of 1"},
    {BODY("mass: {a: 1}"), "body 'cube': mass must be a single value, got a map"},
    {BODY("mass:"), "body 'cube': mass must be a finite number, got nothing"},
    {BODY("mass: true"), "mass must be a finite number, got 'true'"},
    {BODY("mass: .nan"), "mass must be a finite number, got '.nan'"},
    {BODY("mass: nan"), "mass must be a finite number, got 'nan'"},
    {BODY("mass: .inf"), "mass must be a finite number, got '.inf'"},
    {BODY("mass: -.inf"), "mass must be a finite number, got '-.inf'"},
    {BODY("mass: 1e999"), "s.yaml:4:11: body 'cube': mass is too large: 1e999"},
    {BODY("density: -3"), "s.yaml:4:14: body 'cube': density must be > 0, got -3"},
    {BODY("density: 3\n    mass: 2"), "give mass or density, not both"},
    {BODY("velocity: [1, 2]"), "velocity must have 3 entries in 3D, got 2"},
    {BODY("velocity: [1, 2, 3, 4]"), "velocity must have 3 entries in 3D, got 4"},
    {BODY("velocity: 1"), "velocity must be a list"},
    {BODY("velocity: [1, x, 3]"), "s.yaml:4:19: body 'cube': velocity[1]: expression 'x': there is "
                                  "no parameter or function 'x'"},
    {BODY("quat_wxyz: [0, 0, 0, 0]"), "s.yaml:4:16: body 'cube': quat_wxyz must not be all zero"},
    {BODY("quat_wxyz: [1, 0, 0]"), "quat_wxyz must have 4 entries, got 3"},
    {BODY("angle: 1"), "s.yaml:4:12: body 'cube': the key 'angle' exists only in 2D scenes"},
    {BODY("inertia: [1, 1]"), "inertia must have 3 entries"},
    {BODY("inertia: [1, 1, -1]"), "s.yaml:4:14: body 'cube': inertia must be > 0, got -1"},
    {BODY("inertia: [[1, 2, 0], [0, 1, 0]]"), "inertia must be a symmetric 3 x 3 matrix"},
    {BODY("inertia: [[3, .2, 0], [0, 3, 0], [0, 0, 3]]") NSGS,
     "s.yaml:3:5: body 'cube': inertia must be symmetric and positive definite"},
    {BODY("inertia: [[1, 2, 0], [2, 1, 0], [0, 0, 1]]") NSGS,
     "s.yaml:3:5: body 'cube': inertia must be symmetric and positive definite"},
    {BODY("material: rubber"), "s.yaml:4:15: body 'cube': there is no material 'rubber'"},
    {BODY("material: defualt"), "did you mean 'default'?"},
    {BODY("group: 1.5"), "group must be a whole number, got 1.5"},
    {BODY("group: -1"), "group must be >= 0, got -1"},
    {BODY("collide: maybe"), "collide must be true or false, got 'maybe'"},
    {BODY("motion: {x: 1}"), "s.yaml:4:13: body 'cube': only kinematic bodies have a motion"},
    {BODY("motion: {q: 1}"), "there is no key 'q' here"},
    {"bodies:\n  - {type: static}\n", "s.yaml:2:5: body: the key 'name' is missing"},
    {"bodies:\n  - {name: a}\n", "s.yaml:2:5: body 'a': the key 'type' is missing"},
    {"bodies:\n  - {name: a, type: movable}\n",
     "there is no type of bodies 'movable', only static, kinematic, dynamic"},
    {"bodies:\n  - {name: a, type: dinamic}\n", "did you mean 'dynamic'?"},
    {"bodies:\n  - {name: a.b, type: static}\n", "s.yaml:2:12: body 'a.b': name must not contain"},
    {"bodies:\n  - {name: \"a\\nb\", type: static}\n", "name must not contain"},
    {"bodies:\n  - {name: world, type: static}\n", "'world' is the name of the world itself"},
    {"bodies:\n  - {name: a, type: static}\n  - {name: a, type: static}\n",
     "s.yaml:3:12: there are two bodies with the name 'a'"},
    {"bodies:\n  - {name: a, type: dynamic}\n",
     "s.yaml:2:5: body 'a': a dynamic body without a shape needs mass and inertia"},
    {"bodies:\n  - {name: a, type: particle}\n", "s.yaml:2:5: body 'a': a particle needs a mass"},
    {"bodies:\n  - {name: a, type: particle, mass: 1, inertia: [1,1,1]}\n",
     "s.yaml:2:49: body 'a': a particle has no inertia"},
    {"bodies:\n  - {name: a, type: static, velocity: [1,0,0]}\n" NSGS,
     "s.yaml:2:5: body 'a': a static body has no velocity"},
    {"dimension: 4\nbodies: []\n", "s.yaml:1:12: dimension must be 2 or 3, got 4"},
    {"dimension: two\nbodies: []\n", "s.yaml:1:12: dimension: expression 'two'"},
    {"gravity: [0, 0]\nbodies: []\n", "s.yaml:1:10: gravity must have 3 entries in 3D, got 2"},
    {FLAT "gravity: [0, 0, 1]\n", "gravity must have 2 entries in 2D, got 3"},
    {FLAT "  - {name: a, type: dynamic, shape: {sphere: {radius: 1}}}\n",
     "s.yaml:4:46: body 'a': the shape 'sphere' exists only in 3D scenes"},
    {FLAT "  - {name: a, type: static, quat_wxyz: [1,0,0,0]}\n", "exists only in 3D scenes"},
    {FLAT "  - {name: a, type: kinematic, motion: {z: 1}}\n", "motion has x, y and angle in 2D"},
};

static const wrong shape_cases[] = {
    {SHAPE("1"), "s.yaml:4:12: body 'cube': shape must be a map"},
    {SHAPE("{}"), "shape must have one entry"},
    {SHAPE("{box: {size: [1,1,1]}, sphere: {radius: 1}}"), "shape must have one entry"},
    {SHAPE("{bx: {size: [1,1,1]}}"), "there is no shape 'bx'; did you mean 'box'?"},
    {SHAPE("{sphere: {}}"), "s.yaml:4:21: body 'cube': the key 'radius' is missing"},
    {SHAPE("{sphere: 1}"), "sphere must be a map"},
    {SHAPE("{sphere: {radius: 0}}"), "s.yaml:4:30: body 'cube': radius must be > 0, got 0"},
    {SHAPE("{sphere: {radius: -2}}"), "radius must be > 0, got -2"},
    {SHAPE("{sphere: {radius: 1, colour: 2}}"), "there is no key 'colour' here"},
    {SHAPE("{sphere: {radius: 1, material: gum}}"), "there is no material 'gum'"},
    {SHAPE("{box: {size: [1, 0, 1]}}"), "size[1] must be > 0, got 0"},
    {SHAPE("{box: {size: [1, 1]}}"), "size must have 3 entries in 3D, got 2"},
    {SHAPE("{plane: {normal: [0, 0, 0]}}") NSGS, "s.yaml:2:5: body 'cube': "},
    {SHAPE("{union: [{union: [{union: [{union: [{union: [{union: [{union: [{union: [{union: "
           "[{union: [{sphere: {radius: 1}}]}]}]}]}]}]}]}]}]}]}"),
     "shapes are nested too deeply"},
};

static const wrong other_cases[] = {
    {"params: [1]\n" WORLD, "s.yaml:1:9: params must be a map"},
    {"params: {a: b}\n" WORLD, "s.yaml:1:13: param 'a': its value: expression 'b': there is no"},
    {"params: {a: b, b: 1}\n" WORLD, "there is no parameter or function 'b'"},
    {"params: {a: \"b\", b: \"a\"}\n" WORLD, "there is no parameter or function 'b'"}, /* cycle */
    {"params: {a: a}\n" WORLD, "there is no parameter or function 'a'"},
    {"params: {t: 1}\n" WORLD, "s.yaml:1:13: 't' is the time and cannot be a name"},
    {"params: {sin: 1}\n" WORLD, "'sin' is the sine and cannot be a name"},
    {"params: {a b: 1}\n" WORLD, "a name must be a word"},
    {"params: {a: \"(function() while true do end end)()\"}\n" WORLD,
     "it takes more than 100000 instructions"},
    {"params: {a: \"os.exit(1)\"}\n" WORLD, "there is no parameter or function 'os'"},
    {"params: {a: \"1/0\"}\n" WORLD, "s.yaml:1:13: param 'a': its value: expression '1/0': its "
                                     "value is not finite"},
    {"materials: {default: {friction: -0.1}}\n" WORLD,
     "s.yaml:1:33: material 'default': friction must be >= 0, got -0.1"},
    {"materials: {default: {restitution: 1.5}}\n" WORLD,
     "restitution must lie between 0 and 1, got 1.5"},
    {"materials: {default: 1}\n" WORLD, "a material must be a map"},
    {"materials: {gum: {frction: 1}}\n" WORLD, "did you mean 'friction'?"},
    {"materials: {pairs: 1}\n" WORLD, "pairs must be a list"},
    {"materials: {pairs: [{friction: 1}]}\n" WORLD, "the key 'between' is missing"},
    {"materials: {pairs: [{between: [default]}]}\n" WORLD, "between must name two materials"},
    {"materials: {pairs: [{between: [default, gum]}]}\n" WORLD,
     "s.yaml:1:41: material pair: there is no material 'gum'"},
    {WORLD "forces:\n  - {name: f, type: constant, body: bal, force: [1,0,0]}\n",
     "s.yaml:4:37: force 'f': there is no body 'bal'"},
    {WORLD "forces:\n  - {name: f, type: constant, force: [1,0,0]}\n",
     "s.yaml:4:5: force 'f': the key 'body' is missing"},
    {WORLD "forces:\n  - {name: f, type: magic, body: floor}\n" NSGS,
     "s.yaml:4:21: force 'f': there is no force type 'magic'"},
    {WORLD "forces:\n  - {name: f, type: constant, body: floor, stiffness: 3}\n",
     "force 'f': there is no key 'stiffness'"},
    {WORLD "joints:\n  - {name: j, type: revolut, bodies: [world, floor]}\n",
     "s.yaml:4:21: joint 'j': there is no joint type 'revolut'; did you mean 'revolute'?"},
    {WORLD "joints:\n  - {name: j, type: revolute, bodies: [world, flor]}\n",
     "joint 'j': there is no body 'flor'; did you mean 'floor'?"},
    {WORLD "joints:\n  - {name: j, type: revolute, bodies: [world, floor], motor: {max: 1}}\n",
     "joint 'j': motor must have velocity or position"},
    {WORLD "joints:\n  - {name: j, type: revolute, bodies: [world, floor], limits: 3}\n",
     "joint 'j': limits must be [lower, upper]"},
    {WORLD "joints:\n  - {name: j, type: revolute, bodies: [world, floor]}\n" NSGS,
     "s.yaml:4:5: joint 'j': neither of its bodies is dynamic"},
    {WORLD "forces:\n  - {name: f, type: constant, body: floor, force: [1, 0, 0]}\n",
     "s.yaml:4:5: force 'f': no force moves body 'floor'"},
    {WORLD "forces:\n  - {name: f, type: constant, body: floor, force: [\"t\", \"1/t\", 0]}\n",
     "force[1]: expression '1/t': its value is not finite"},
    {WORLD "forces:\n  - {name: f, type: constant, body: floor}\n"
           "  - {name: f, type: constant, body: floor}\n",
     "s.yaml:5:12: there are two forces with the name 'f'"},
    {WORLD "materials: {default: {friction: 0, compliance: {stiffness: 1e3, max_deflection: 0}}}\n",
     "max_deflection must be > 0, got 0"},
    {WORLD "simulation: {step: 0}\n", "s.yaml:3:20: step must be > 0, got 0"},
    {WORLD "simulation: {step: -1e-3}\n", "step must be > 0, got -0.001"},
    {WORLD "simulation: {duration: -1}\n", "duration must be >= 0, got -1"},
    {WORLD "simulation: {step: 1e-3, duration: 3.15e13}\n", /* a million years */
     "s.yaml:3:36: 31500000000000 s in steps of 0.001 s would take 3.15e+16 steps"},
    {WORLD "simulation: {step: \"t\"}\n", "the time t has no meaning here"},
    {WORLD "simulation: {solver: magic}\n", "s.yaml:3:13: simulation: there is no solver 'magic'"},
    {WORLD "simulation: {on_failure: panic}\n", "on_failure must be one of stop|retry|mark"},
    {WORLD "simulation: {accuracy: {motion: 0}}\n", "motion must lie between 0 and 1, got 0"},
    {WORLD "simulation: {accuracy: {speed: 1}}\n", "accuracy is auto, exact or {motion: 1e-2}"},
    {WORLD "simulation: {accuracy: sloppy}\n", "accuracy"},
    {WORLD "simulation: {tolerance: 0}\n", "tolerance must be > 0, got 0"},
    {WORLD "simulation: {model: quasistatic}\n", "model must be a map"},
    {WORLD "simulation: {model: {cone: round}}\n", "cone must be one of quadratic|polygon"},
    {WORLD "simulation: {model: {cone: polygon}}\n", "cone: polygon needs a number: {polygon: 8}"},
    {WORLD "simulation: {model: {cone: {polygon: 2}}}\n",
     "s.yaml:3:38: polygon must be a whole number between 3 and"},
    {WORLD "simulation: {model: {cone: {polygon: 1024}}}\n", "between 3 and 256, got 1024"},
    {WORLD "simulation: {model: {cone: {polygon: 3.5}}}\n", "polygon must be a whole number"},
    {WORLD "simulation: {model: {cone: {quadratic: 3}}}\n", "quadratic takes no number"},
    {WORLD "simulation: {model: {cones: quadratic}}\n",
     "there is no model axis 'cones'; did you mean 'cone'?"},
    {"bodies:\n"
     "  - {name: a, type: static, shape: {box: {size: [1, 1, 1]}}}\n"
     "  - {name: b, type: dynamic, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.9]}\n"
     "simulation: {solver: lemke, model: {cone: {polygon: 4}}}\n",
     "s.yaml:3:5: bodies 'a' and 'b' overlap by 0.1 m at the start"},
};

/* Read, compile and start: the first that fails has to say why. */
static ss_status all_the_way(ss_context *ctx, const char *text, size_t length,
                             const char *const *overrides, int32_t count)
{
    ss_scene *scene  = NULL;
    ss_model *model  = NULL;
    ss_data  *data   = NULL;
    ss_status status = ss_scene_load_text(ctx, text, length, "s.yaml", overrides, count, &scene);
    if (status == SS_OK) {
        status = ss_model_compile(ctx, scene, &model);
    }
    if (status == SS_OK) {
        status = ss_data_create(ctx, model, &data);
    }
    ss_data_destroy(data);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    return status;
}

static void expect_wrong(const wrong *cases, size_t count)
{
    ss_context *ctx = ss_context_create(NULL);
    for (size_t i = 0; i < count; i++) {
        ss_status   status  = all_the_way(ctx, cases[i].text, strlen(cases[i].text), NULL, 0);
        const char *message = ss_context_message(ctx);
        if (status != SS_ERR_INPUT) {
            fail_msg("accepted (status %d):\n%s", status, cases[i].text);
        }
        if (strncmp(message, "s.yaml:", 7) != 0 || strstr(message, cases[i].says) == NULL) {
            fail_msg("expected '%s'\nbut it says '%s'\nfor:\n%s", cases[i].says, message,
                     cases[i].text);
        }
    }
    ss_context_destroy(ctx);
}

static void wrong_yaml(void **state)
{
    (void)state;
    expect_wrong(yaml_cases, COUNT(yaml_cases));
}

static void wrong_keys(void **state)
{
    (void)state;
    expect_wrong(key_cases, COUNT(key_cases));
}

static void wrong_shapes(void **state)
{
    (void)state;
    expect_wrong(shape_cases, COUNT(shape_cases));
}

static void wrong_sections(void **state)
{
    (void)state;
    expect_wrong(other_cases, COUNT(other_cases));
}

static void wrong_overrides(void **state)
{
    static const struct {
        const char *set, *says;
    } cases[] = {
        {"bodies.cube.mass=-1", "--set bodies.cube.mass=-1: body 'cube': mass must be > 0, got -1"},
        {"bodies.ball.mass=1", "--set bodies.ball.mass=1: there is no entry 'ball' in this list"},
        {"bodies.cube.mas=1", "did you mean 'mass'?"},
        {"bodies.9.mass=1", "there is no entry '9'"},
        {"nothing", "expected PATH=VALUE"},
        {"=1", "expected PATH=VALUE"},
        {"bodies.cube.position.5=1", "there is no entry '5'"},
        {"bodies.cube.mass.x=1", "leads into something that is neither map nor list"},
        {"simulation.step=[", "--set simulation.step=[: this is not valid YAML"},
        {"simulation.step=", "--set simulation.step=: there is nothing in it"},
        {"simulation.model.cone={polygon: 1}", "polygon must be a whole number between"},
        {"frobnicate.x=1", "there is no section 'frobnicate'"},
    };
    static const char text[] = BODY("mass: 1");
    ss_context       *ctx    = ss_context_create(NULL);
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (all_the_way(ctx, text, sizeof text - 1, &cases[i].set, 1) != SS_ERR_INPUT) {
            fail_msg("'%s' was accepted", cases[i].set);
        }
        if (strstr(ss_context_message(ctx), cases[i].says) == NULL) {
            fail_msg("expected '%s'\nbut it says '%s'", cases[i].says, ss_context_message(ctx));
        }
    }
    ss_context_destroy(ctx);
}

/* Text with the character 0, very deep lists, very many values, a very large file. */
static void unreasonable_sizes(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    assert_int_equal(all_the_way(ctx, "name: \0\n", 8, NULL, 0), SS_ERR_INPUT);

    size_t n    = 100000;
    char  *deep = malloc(n);
    memset(deep, '[', n);
    assert_int_equal(all_the_way(ctx, deep, n, NULL, 0), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(ctx), "nested too deeply"));
    free(deep);

    size_t huge = (size_t)33 * 1024 * 1024;
    char  *big  = malloc(huge);
    memset(big, ' ', huge);
    assert_int_equal(all_the_way(ctx, big, huge, NULL, 0), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(ctx), "larger than 32 MiB"));
    free(big);
    ss_context_destroy(ctx);
}

static void files_that_are_none(void **state)
{
    static const char *const paths[] = {"/nowhere/scene.yaml", "/tmp", "/dev/null", "/dev/zero"};
    ss_context              *ctx     = ss_context_create(NULL);
    (void)state;
    for (size_t i = 0; i < COUNT(paths); i++) {
        ss_scene *scene = NULL;
        assert_int_equal(ss_scene_load(ctx, paths[i], NULL, 0, &scene), SS_ERR_INPUT);
        assert_null(scene);
        assert_int_equal(strncmp(ss_context_message(ctx), paths[i], strlen(paths[i])), 0);
    }
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_yaml),          cmocka_unit_test(wrong_keys),
        cmocka_unit_test(wrong_shapes),        cmocka_unit_test(wrong_sections),
        cmocka_unit_test(wrong_overrides),     cmocka_unit_test(unreasonable_sizes),
        cmocka_unit_test(files_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
