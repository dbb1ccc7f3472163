/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes that leave writing out to the reader: repeat, templates, include, vectors, orientations.
 */
#include <stdlib.h>
#include <unistd.h>

#include "model/scene.h"
#include "world.h"

static ss_scene *load(ss_context *ctx, const char *text, const char *const *overrides, int count)
{
    ss_scene *scene = NULL;
    if (ss_scene_load_text(ctx, text, strlen(text), "s.yaml", overrides, count, &scene) != SS_OK) {
        fail_msg("%s", ss_context_message(ctx));
    }
    return scene;
}

static const ss_body_def *found(const ss_scene *s, const char *name)
{
    for (int32_t i = 0; i < s->body_count; i++) {
        if (strcmp(s->bodies[i].name, name) == 0) {
            return &s->bodies[i];
        }
    }
    fail_msg("there is no body '%s'", name);
    return NULL;
}

static ss_vec3 turned(const ss_body_def *b, ss_vec3 v)
{
    ss_mat3 R = ss_mat3_from_quat(b->orientation);
    return ss_mul(&R, v);
}

static void repeats_are_written_out(void **state)
{
    (void)state;
    ss_context       *ctx    = ss_context_create(NULL);
    static const char text[] = "params: {n: 3, d: 0.5}\n"
                               "bodies:\n"
                               "  - {name: first, type: static}\n"
                               "  - {repeat: {count: \"n + 1\", as: i}, name: \"link{i}\", type: "
                               "particle, mass: \"1 + i\","
                               " position: [\"d*i\", 0, \"-i\"]}\n"
                               "  - {repeat: [{count: 2, as: r}, {count: 2, as: c}], name: "
                               "\"g{r}_{2*c + 1}\", type: particle,"
                               " mass: 1, position: [\"r\", \"c\", 0]}\n"
                               "  - {repeat: {count: 0}, name: \"none{i}\", type: static}\n"
                               "joints:\n"
                               "  - {repeat: {count: n, as: i}, name: \"j{i}\", type: distance,"
                               " bodies: [\"link{i}\", \"link{i + 1}\"]}\n";
    ss_scene         *s      = load(ctx, text, NULL, 0);
    assert_int_equal(s->body_count, 1 + 4 + 4);
    assert_near(found(s, "link3")->mass, 4, 0);
    assert_near(found(s, "link3")->position.x, 1.5, 0);
    assert_near(found(s, "link3")->position.z, -3, 0);
    assert_near(found(s, "g1_3")->position.x, 1, 0);
    assert_near(found(s, "g1_3")->position.y, 1, 0);
    assert_int_equal(s->joint_count, 3);
    assert_string_equal(s->joints[2].bodies[1], "link3");
    ss_scene_destroy(s);

    /* params decide how many; a copy is changed by its own name, all of them by their common one */
    const char *const set[] = {"params.n=4", "bodies.link4.mass=7",
                               "bodies.link{i}.velocity=[0, 0, i]"};
    s                       = load(ctx, text, set, 3);
    assert_int_equal(s->body_count, 1 + 5 + 4);
    assert_near(found(s, "link4")->mass, 7, 0);
    assert_near(found(s, "link2")->mass, 3, 0);
    assert_near(found(s, "link2")->velocity.z, 2, 0);
    ss_scene_destroy(s);
    ss_context_destroy(ctx);
}

static void templates_have_parameters(void **state)
{
    (void)state;
    ss_context       *ctx = ss_context_create(NULL);
    static const char text[] =
        "params: {rho: 2000, size: [0.2, 0.1, 0.05], what: {text: brick}}\n"
        "templates:\n"
        "  heavy: {with: {m: 5}, mass: \"2*m\"}\n"
        "  stone: {with: {w: 1, up: [0, 0, 1]}, type: dynamic, use: heavy,\n"
        "          shape: {box: {size: [\"w\", size.y, \"2*size[3]\"]}}, direction: up}\n"
        "  driven: {with: {w: 1}, motion: {x: \"w*t\"}}\n"
        "bodies:\n"
        "  - {use: stone, name: \"{what}\", position: size}\n"
        "  - {use: stone, with: {w: \"rho/1000\", up: [1, 0, 0]}, name: big, mass: 1}\n"
        "  - {name: moving, type: kinematic, use: driven, with: {w: 3}}\n"
        "gravity: size\n";
    ss_scene *s = load(ctx, text, NULL, 0);
    assert_near(found(s, "brick")->position.y, 0.1, 0);
    assert_near(found(s, "brick")->mass, 10, 0);
    assert_near(found(s, "brick")->shape->params.box.size.z, 0.1, 0);
    assert_near(found(s, "brick")->orientation.w, 1, 1e-15);
    assert_near(found(s, "big")->mass, 1, 0);
    assert_near(found(s, "big")->shape->params.box.size.x, 2, 0);
    assert_near(found(s, "big")->orientation.y, sqrt(0.5), 1e-15);
    assert_string_equal(found(s, "moving")->motion.position[0].expression, "(3)*t");
    ss_scene_destroy(s);
    ss_context_destroy(ctx);
}

static void orientations(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    ss_scene   *s   = load(ctx,
                           "bodies:\n"
                               "  - {name: e, type: static, euler: [\"pi/2\", 0, \"pi/2\"]}\n"
                               "  - {name: a, type: static, axis_angle: [0, 0, 3, \"pi/2\"]}\n"
                               "  - {name: d, type: static, direction: [0, 0, -2]}\n",
                           NULL, 0);
    /* about x first: z goes to -y; then about z: -y goes to x */
    ss_vec3 z = turned(found(s, "e"), ss_v3(0, 0, 1));
    assert_near(z.x, 1, 1e-15);
    ss_vec3 x = turned(found(s, "a"), ss_v3(1, 0, 0));
    assert_near(x.y, 1, 1e-15);
    ss_vec3 down = turned(found(s, "d"), ss_v3(0, 0, 1));
    assert_near(down.z, -1, 1e-15);
    ss_scene_destroy(s);
    ss_context_destroy(ctx);
}

/* ---- include ---- */

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void files_are_included(void **state)
{
    (void)state;
    ss_context *ctx      = ss_context_create(NULL);
    char        folder[] = "/tmp/ss_expand_XXXXXX", path[600];
    assert_non_null(mkdtemp(folder));
    write_file(
        folder, "arm.yaml",
        "name: an arm\nparams: {length: 1, half: \"length/2\"}\n"
        "materials: {rubber: {friction: 0.9}}\n"
        "bodies:\n"
        "  - {name: upper, type: particle, mass: 1, position: [0, 0, length], material: rubber}\n"
        "  - {repeat: {count: 2}, name: \"f{i}\", type: particle, mass: half, position: [\"i\", 0, "
        "0]}\n"
        "joints: [{name: rod, type: distance, bodies: [upper, f1]}]\n"
        "forces: [{type: controller, body: upper, function: \"function(t, s) return "
        "-s.upper.x*length end\"}]\n");
    write_file(
        folder, "main.yaml",
        "include: [{file: arm.yaml, prefix: l_}, {file: arm.yaml, prefix: r_, with: {length: 3}}]\n"
        "bodies: [{name: f0, type: static}]\n");
    snprintf(path, sizeof path, "%s/main.yaml", folder);
    ss_scene *s = NULL;
    if (ss_scene_load(ctx, path, NULL, 0, &s) != SS_OK) {
        fail_msg("%s", ss_context_message(ctx));
    }
    assert_int_equal(s->body_count, 7);
    assert_near(found(s, "l_upper")->position.z, 1, 0);
    assert_near(found(s, "r_upper")->position.z, 3, 0);
    assert_near(found(s, "r_f1")->mass, 1.5, 0);
    assert_string_equal(found(s, "r_upper")->material, "r_rubber");
    assert_string_equal(s->joints[1].bodies[1], "r_f1");
    assert_non_null(strstr(s->forces[1].function, "s.r_upper.x*(3)"));
    /* what is resolved stands for itself */
    char *resolved = strdup(ss_scene_resolved(s));
    assert_null(strstr(resolved, "include"));
    ss_scene_destroy(s);
    s = load(ctx, resolved, NULL, 0);
    assert_int_equal(s->body_count, 7);
    ss_scene_destroy(s);
    free(resolved);

    write_file(folder, "main.yaml", "include: {file: main.yaml}\nbodies: []\n");
    assert_int_equal(ss_scene_load(ctx, path, NULL, 0, &s), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(ctx), "include each other"));
    write_file(folder, "main.yaml", "bodies: []\ninclude: {file: gone.yaml}\n");
    assert_int_equal(ss_scene_load(ctx, path, NULL, 0, &s), SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(ctx), "main.yaml:2:"));
    ss_context_destroy(ctx);
}

/* ---- what is wrong ---- */

static const struct wrong {
    const char *text, *says;
} wrongs[] = {
    {"bodies: [{repeat: {count: -1}, name: a, type: static}]\n", "count must be a whole number"},
    {"bodies: [{repeat: {count: 2.5}, name: a, type: static}]\n", "count must be a whole number"},
    {"bodies: [{repeat: {count: 1e9}, name: a, type: static}]\n", "count must be a whole number"},
    {"bodies: [{repeat: 3, name: a, type: static}]\n", "repeat must be a map"},
    {"bodies: [{repeat: {count: 2, as: sin}, name: a, type: static}]\n", "sin"},
    {"bodies: [{repeat: {count: 2}, name: a, type: static}]\n", "two bodies with the name 'a'"},
    {"bodies: [{repeat: {count: 2}, name: \"a{k}\", type: static}]\n", "what stands in braces"},
    {"bodies: [{use: nothing, name: a, type: static}]\n", "there is no template 'nothing'"},
    {"templates: {t: {use: t}}\nbodies: [{use: t, name: a, type: static}]\n", "more than 16 deep"},
    {"templates: {t: {with: {a: 1}}}\nbodies: [{use: t, with: {b: 1}, name: a, type: static}]\n",
     "s.yaml:2:29: the template has no parameter 'b'"},
    {"bodies: [{with: {b: 1}, name: a, type: static}]\n", "`use: NAME` is missing"},
    {"params: {p: [1, 2, 3]}\nbodies: [{name: a, type: particle, mass: \"p + 1\"}]\n",
     "'p' is a list of 3"},
    {"params: {p: {text: x}}\nbodies: [{name: a, type: particle, mass: p}]\n", "'p' is a text"},
    {"bodies: [{name: a, type: static, euler: [0, 0, 1], quat_wxyz: [1, 0, 0, 0]}]\n",
     "give euler or quat_wxyz, not both"},
    {"bodies: [{name: a, type: static, direction: [0, 0, 0]}]\n", "must not have the length zero"},
    {"bodies: [{name: a, type: static, friction: 0.3}]\n", "friction belongs to a material"},
    {"bodies: [{name: a, type: static, rotation: [0, 0, 1]}]\n", "euler"},
    {"bodies: [{name: a, type: static, shape: {cylinder: {radius: 1, height: 2}}}]\n",
     "it is called length"},
    {"bodies: [{repeat: [{count: 1000000}, {count: 1000000, as: j}], name: \"a{i}_{j}\", type: "
     "static}]\n",
     "at most 4000000 values"},
};

/* A list of sizes, taken one by one in a repeat. */
static void lists_by_index(void **state)
{
    (void)state;
    ss_context       *ctx = ss_context_create(NULL);
    static const char text[] =
        "params: {half: 0.5, sizes: [2, \"3*half\", 7]}\n"
        "bodies:\n"
        "  - {repeat: {count: 3, as: i}, name: \"p{i}\", type: particle, mass: \"2*sizes[3 - i] + "
        "1\",\n"
        "     position: [\"sizes[ 1 ]\", \"sizes[i % 2 + 1] + sizes[2]\", 0]}\n";
    ss_scene *s = load(ctx, text, NULL, 0);
    assert_near(found(s, "p0")->mass, 15, 0);
    assert_near(found(s, "p1")->mass, 4, 0);
    assert_near(found(s, "p2")->mass, 5, 0);
    assert_near(found(s, "p1")->position.x, 2, 0);
    assert_near(found(s, "p1")->position.y, 3, 0);
    assert_near(found(s, "p2")->position.y, 3.5, 0);
    ss_scene_destroy(s);
    static const char beyond[] =
        "params: {sizes: [2, 3]}\nbodies:\n"
        "  - {repeat: {count: 3, as: i}, name: \"p{i}\", type: particle, mass: "
        "\"sizes[i + 1]\"}\n";
    s = NULL;
    assert_int_equal(ss_scene_load_text(ctx, beyond, strlen(beyond), "s.yaml", NULL, 0, &s),
                     SS_ERR_INPUT);
    assert_non_null(strstr(ss_context_message(ctx), "s.yaml:3"));
    ss_context_destroy(ctx);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        ss_scene *s = NULL;
        ss_status status =
            ss_scene_load_text(ctx, wrongs[i].text, strlen(wrongs[i].text), "s.yaml", NULL, 0, &s);
        if (status != SS_ERR_INPUT || strstr(ss_context_message(ctx), wrongs[i].says) == NULL ||
            strncmp(ss_context_message(ctx), "s.yaml:", 7) != 0) {
            fail_msg("%s\n  gave '%s'\n  instead of '%s'", wrongs[i].text,
                     status == SS_OK ? "no error" : ss_context_message(ctx), wrongs[i].says);
        }
    }
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_are_written_out),
        cmocka_unit_test(templates_have_parameters),
        cmocka_unit_test(orientations),
        cmocka_unit_test(files_are_included),
        cmocka_unit_test(lists_by_index),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
