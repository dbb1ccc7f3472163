/* SPDX-License-Identifier: Apache-2.0 */
/* Right scenes: what a file says is what the simulation gets. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "counted.h"
#include "model/scene.h"
#include "stickslip/stickslip.h"

static ss_scene *load(ss_context *ctx, const char *text, const char *const *overrides,
                      int32_t count)
{
    ss_scene *scene = NULL;
    if (ss_scene_load_text(ctx, text, strlen(text), "s.yaml", overrides, count, &scene) != SS_OK) {
        fail_msg("%s", ss_context_message(ctx));
    }
    return scene;
}

static void assert_vector(ss_vec3 v, double x, double y, double z)
{
    if (v.x != x || v.y != y || v.z != z) {
        fail_msg("(%g, %g, %g) instead of (%g, %g, %g)", v.x, v.y, v.z, x, y, z);
    }
}

#ifdef SS_HAVE_LUA
static const char everything[] =
    "name: \"all, of it\"\n"
    "simulation:\n" /* sections may come in any order */
    "  step: 0.01\n"
    "  duration: 2\n"
    "  model: {cone: {polygon: 6}, gap: velocity}\n"
    "  solver: nsgs\n"
    "  tolerance: 1e-7\n"
    "  accuracy: {motion: 3e-3}\n"
    "  on_failure: retry\n"
    "  allow_overlap: true\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 2], offset: \"2*a\"}}, "
    "surface_velocity: [1, 0, 0], friction_direction: [1, 1, 0]}\n"
    "  - name: arm\n"
    "    type: kinematic\n"
    "    shape: {box: {size: [1, 2, 3], position: [0, 0, 1], quat_wxyz: [0, 0, 0, 5], "
    "material: rubber}}\n"
    "    position: [1, 2, 3]\n"
    "    motion: {x: \"a + sin(t)\", quat_wxyz: [\"cos(t)\", 0, 0, \"sin(t)\"]}\n"
    "  - name: ball\n"
    "    type: dynamic\n"
    "    mass: \"a*b\"\n"
    "    shape: {union: [{sphere: {radius: 1}}, {sphere: {radius: 2, position: [3, 0, 0]}}]}\n"
    "    material: rubber\n"
    "    inertia: [[3, 0.5, 0], [0.5, 4, 0], [0, 0, 5]]\n"
    "    com: [0.1, 0, 0]\n"
    "    position: [0, 0, 10]\n"
    "    quat_wxyz: [0, 3, 4, 0]\n"
    "    velocity: [1, \"-a\", 0]\n"
    "    angular_velocity: [0, 0, 7]\n"
    "    group: 2\n"
    "    collide: false\n"
    "  - {name: dot, type: particle, mass: 0.5, shape: {point: {}}, position: [5, 5, 5]}\n"
    "forces:\n"
    "  - {name: push, type: constant, body: ball, force: [1, \"a*t\", 0], torque: [0, 0, 3], "
    "point: [0, 0, 1]}\n"
    "materials:\n"
    "  default: {friction: 0.3}\n"
    "  rubber: {friction: \"a\", restitution: 0.4}\n"
    "  pairs:\n"
    "    - {between: [rubber, default], friction: 0.9, friction_direction: [0, 1, 0]}\n"
    "gravity: [0, 0, \"-2*b\"]\n"
    "params: {a: 1.5, b: \"2*a\"}\n";

static void check_bodies(const ss_scene *s)
{
    assert_int_equal(s->body_count, 4);
    const ss_body_def *floor = &s->bodies[0], *arm = &s->bodies[1], *ball = &s->bodies[2];
    assert_string_equal(floor->name, "floor");
    assert_string_equal(floor->shape->type, "plane");
    assert_true(floor->shape->params.plane.offset == 3);
    assert_vector(floor->surface_velocity, 1, 0, 0);
    assert_vector(floor->friction_direction, 1, 1, 0);
    assert_int_equal(arm->type, SS_BODY_KINEMATIC);
    assert_vector(arm->shape->params.box.size, 1, 2, 3);
    assert_vector(arm->shape->position, 0, 0, 1);
    assert_true(arm->shape->orientation.z == 1);
    assert_string_equal(arm->shape->material, "rubber");
    assert_string_equal(arm->motion.position[0].expression, "a + sin(t)");
    assert_true(arm->motion.position_set[0] && !arm->motion.position_set[1]);
    assert_true(arm->motion.quat_set && !arm->motion.angle_set);
    assert_true(ball->mass == 4.5);
    assert_int_equal(ball->shape->part_count, 2);
    assert_true(ball->shape->parts[1].params.sphere.radius == 2);
    assert_true(ball->inertia_set && ball->inertia.m[1] == 0.5 && ball->inertia.m[8] == 5);
    assert_true(ball->com_set);
    assert_true(fabs(ball->orientation.x - 0.6) < 1e-15 && fabs(ball->orientation.y - 0.8) < 1e-15);
    assert_vector(ball->velocity, 1, -1.5, 0);
    assert_vector(ball->angular_velocity, 0, 0, 7);
    assert_int_equal(ball->group, 2);
    assert_true(ball->no_collide && !arm->no_collide);
    assert_int_equal(s->bodies[3].type, SS_BODY_PARTICLE);
}

static void every_key(void **state)
{
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    ss_scene   *s   = load(ctx, everything, NULL, 0);
    assert_string_equal(s->name, "all, of it");
    assert_vector(s->gravity, 0, 0, -6);
    check_bodies(s);
    assert_true(s->simulation.step == 0.01 && s->simulation.duration == 2);
    assert_int_equal(s->simulation.axes.cone, SS_CONE_POLYGON);
    assert_int_equal(s->simulation.axes.cone_directions, 6);
    assert_int_equal(s->simulation.axes.gap, SS_GAP_VELOCITY);
    assert_int_equal(s->simulation.on_failure, SS_FAILURE_RETRY);
    assert_true(s->simulation.tolerance == 1e-7 && s->simulation.allow_overlap);
    assert_true(s->simulation.accuracy == SS_ACCURACY_MOTION && s->simulation.motion == 3e-3);
    assert_true(s->materials[0].friction == 0.3 && s->materials[1].friction == 1.5);
    assert_true(s->pairs[0].friction == 0.9 && s->pairs[0].restitution < 0);
    assert_string_equal(s->forces[0].force[1].expression, "a*t");
    assert_true(s->forces[0].torque[2].number == 3 && s->forces[0].point_set);
    assert_int_equal(ss_scene_param_count(s), 2);
    assert_string_equal(ss_scene_param_name(s, 1), "b");
    assert_true(ss_scene_param_value(s, 1) == 3);
    assert_string_equal(ss_scene_text(s), everything);
    ss_scene_destroy(s);
    ss_context_destroy(ctx);
}

/* The resolved scene holds numbers where expressions were, and is the same scene. */
static void resolved_text_is_the_same_scene(void **state)
{
    (void)state;
    ss_context *ctx   = ss_context_create(NULL);
    ss_scene   *s     = load(ctx, everything, NULL, 0);
    ss_scene   *again = load(ctx, ss_scene_resolved(s), NULL, 0);
    check_bodies(again);
    assert_non_null(strstr(ss_scene_resolved(s), "\"mass\": 4.5"));
    assert_null(strstr(ss_scene_resolved(s), "2*a"));
    assert_string_equal(ss_scene_resolved(s), ss_scene_resolved(again));
    ss_scene_destroy(again);
    ss_scene_destroy(s);
    ss_context_destroy(ctx);
}

static void overrides_reach_everything(void **state)
{
    static const char *const sets[] = {"params.a=2",
                                       "bodies.ball.mass=b",
                                       "bodies.ball.position.2=11",
                                       "bodies.3.mass=0.25",
                                       "bodies.arm.shape.box.size=[4, 5, 6]",
                                       "materials.default.restitution=0.5",
                                       "materials.ice={friction: 0}",
                                       "simulation.model.cone=quadratic",
                                       "params.fresh=8",
                                       "bodies.ball.density=1",
                                       "bodies.ball.velocity=[fresh, 0, 0]"};
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    ss_scene   *s   = NULL;
    /* mass and density together are an error, so the last but one must be seen too */
    assert_int_equal(
        ss_scene_load_text(ctx, everything, sizeof everything - 1, "s.yaml", sets, 11, &s),
        SS_ERR_INPUT);
    const char *const right[] = {sets[0], sets[1], sets[2], sets[3], sets[4],
                                 sets[5], sets[6], sets[7], sets[8], sets[10]};
    s                         = load(ctx, everything, right, 10);
    assert_true(s->bodies[2].mass == 4);
    assert_vector(s->bodies[2].position, 0, 0, 11);
    assert_vector(s->bodies[2].velocity, 8, 0, 0);
    assert_true(s->bodies[3].mass == 0.25);
    assert_vector(s->bodies[1].shape->params.box.size, 4, 5, 6);
    assert_true(s->materials[0].restitution == 0.5);
    assert_int_equal(s->material_count, 3);
    assert_int_equal(s->simulation.axes.cone, SS_CONE_QUADRATIC);
    ss_scene_destroy(s);
    ss_context_destroy(ctx);
}

static void two_dimensions(void **state)
{
    static const char text[] =
        "dimension: 2\n"
        "gravity: [0, -9.81]\n"
        "bodies:\n"
        "  - {name: belt, type: static, shape: {halfplane: {normal: [0, 1]}}, "
        "surface_velocity: [0.2, 0]}\n"
        "  - {name: pusher, type: kinematic, shape: {point: {}}, "
        "motion: {x: \"-1 + 0.5*t\", y: 0.3}}\n"
        "  - {name: block, type: dynamic, mass: 2, shape: {box: {size: [1, 0.6], angle: 0.1}}, "
        "position: [0, 0.3], angle: 0.2, angular_velocity: 3}\n"
        "  - {name: rod, type: dynamic, mass: 0.5, inertia: 0.0417, position: [0, -0.2]}\n"
        "  - {name: bob, type: particle, mass: 0.2, position: [0, -1.2]}\n"
        "forces:\n"
        "  - {type: constant, body: rod, torque: \"sin(t)\", force: [0, 1]}\n";
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    ss_scene   *s   = load(ctx, text, NULL, 0);
    assert_vector(s->gravity, 0, -9.81, 0);
    assert_vector(s->bodies[0].surface_velocity, 0.2, 0, 0);
    assert_true(s->bodies[1].motion.position[1].number == 0.3);
    assert_null(s->bodies[1].motion.position[1].expression);
    assert_true(s->bodies[2].angle == 0.2);
    assert_vector(s->bodies[2].angular_velocity, 0, 0, 3);
    assert_true(fabs(s->bodies[2].shape->orientation.z - sin(0.05)) < 1e-15);
    assert_true(s->bodies[3].inertia.m[8] == 0.0417 && s->bodies[3].shape == NULL);
    assert_string_equal(s->forces[0].torque[2].expression, "sin(t)");
    ss_scene_destroy(s);
    ss_context_destroy(ctx);
}

#endif

/* A scene without expressions needs no Lua: numbers in quotes are numbers. */
static void numbers_need_no_expressions(void **state)
{
    static const char text[] =
        "params: {g: \"9.81\"}\n"
        "bodies:\n"
        "  - {name: p, type: particle, mass: \"0.5\", position: [-1, +2, .5]}\n";
    (void)state;
    ss_context *ctx = ss_context_create(NULL);
    ss_scene   *s   = load(ctx, text, NULL, 0);
    assert_true(s->bodies[0].mass == 0.5);
    assert_vector(s->bodies[0].position, -1, 2, 0.5);
    ss_scene_destroy(s);
    ss_context_destroy(ctx);
}

/* A matrix that was turned by a program is symmetric but for rounding. */
static void turned_inertia_is_symmetric(void **state)
{
    static const char text[] = "bodies:\n"
                               "  - {name: p, type: dynamic, mass: 1, inertia: [[.3, .1, 0], "
                               "[.10000000000000002, .4, 0], [0, 0, .5]]}\n";
    (void)state;
    ss_context *ctx   = ss_context_create(NULL);
    ss_scene   *s     = load(ctx, text, NULL, 0);
    ss_model   *model = NULL;
    assert_int_equal(ss_model_compile(ctx, s, &model), SS_OK);
    ss_model_destroy(model);
    ss_scene_destroy(s);
    ss_context_destroy(ctx);
}

#ifdef SS_HAVE_LUA
/* ---- memory ---- */

static void every_allocation_fails_in_turn(void **state)
{
    (void)state;
    bool done = false;
    for (int64_t n = 2; !done && n < 5000; n++) {
        counter     c     = {.refuse = n};
        ss_context *ctx   = counted_context(&c);
        ss_scene   *scene = NULL;
        ss_status   status =
            ss_scene_load_text(ctx, everything, sizeof everything - 1, "s.yaml", NULL, 0, &scene);
        /* Lua collects garbage and tries again, so a failed allocation may go unnoticed */
        assert_true(status == SS_OK || scene == NULL);
        done = status == SS_OK && !was_refused(&c);
        ss_scene_destroy(scene);
        ss_context_destroy(ctx);
        if (c.bytes != 0) {
            fail_msg("%zu bytes leaked when allocation %lld failed", c.bytes, (long long)n);
        }
    }
    assert_true(done);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_need_no_expressions),
        cmocka_unit_test(turned_inertia_is_symmetric),
#ifdef SS_HAVE_LUA
        cmocka_unit_test(every_key),
        cmocka_unit_test(resolved_text_is_the_same_scene),
        cmocka_unit_test(overrides_reach_everything),
        cmocka_unit_test(two_dimensions),
        cmocka_unit_test(every_allocation_fails_in_turn),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
