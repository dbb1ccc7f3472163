/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of steps: closed forms, independent differences, kinks. */
#include "world.h"

static const char block[] =
    "dimension: 2\n"
    "params: {mu: 0.25, m: 2, g: 10}\n"
    "gravity: [0, -g]\n"
    "materials: {default: {friction: mu}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
    "  - {name: box, type: dynamic, mass: m, shape: {box: {size: [0.2, 0.1]}},\n"
    "     position: [0, 0.05], velocity: [1, 0]}\n"
    "forces: [{name: push, type: constant, body: box, force: [1, 0]}]\n"
    "simulation: {step: 0.001, duration: 2}\n";

/* A text with its params changed: what a parameter's model is. */
typedef struct family {
    const char        *text;
    const char *const *names; /* of params */
    const double      *values;
} family;

static ss_status changed_model(void *user, ss_context *ctx, int32_t parameter, double change,
                               ss_model **out)
{
    const family *f = user;
    char          set[64];
    const char   *sets[] = {set};
    ss_scene     *scene  = NULL;
    snprintf(set, sizeof set, "params.%s=%.17g", f->names[parameter],
             f->values[parameter] + change);
    SS_TRY(ss_scene_load_text(ctx, f->text, strlen(f->text), "test.yaml", sets, 1, &scene));
    ss_status status = ss_model_compile(ctx, scene, out);
    ss_scene_destroy(scene);
    return status;
}

static const char *const names[]   = {"mu", "m", "g"};
static const double      values[]  = {0.25, 2, 10};
static const double      changes[] = {2.5e-5, 2e-4, 1e-3};

static ss_sensitivity *sense(const world *w, family *f)
{
    ss_sensitivity    *s   = NULL;
    ss_sensitivity_def def = {
        .parameter_count = 3, .change = changes, .model = changed_model, .user = f};
    check(w, ss_sensitivity_create(w->ctx, w->model, f != NULL ? &def : NULL, &s));
    return s;
}

/* Sliding: v+ = v + h (1/m - mu g), whatever else changes. */
static void sliding_has_its_closed_form(void **unused)
{
    world    w;
    family   f = {block, names, values};
    double   out[3 * 6], h = 0.001;
    ss_slope kind[3];
    (void)unused;
    open_text(&w, block);
    ss_sensitivity *s    = sense(&w, &f);
    ss_direction    to[] = {{NULL, 0}, {NULL, 1}, {NULL, 2}};
    check(&w, ss_step_sensitivity(s, w.data, h, to, 3, out, kind));
    const double dv[] = {-h * 10, -h / 4, -h * 0.25};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(kind[k], SS_SLOPE_SMOOTH);
        assert_near(out[6 * k + 3], dv[k], 1e-9);
        assert_near(out[6 * k + 0], dv[k] * h / 2, 1e-9); /* second order: the mean of both ends */
        assert_near(out[6 * k + 1], 0, 1e-9);
    }
    ss_sensitivity_destroy(s);
    close_world(&w);
}

/* The step that is taken along the way is the step, to its bits. */
static void the_step_is_the_same(void **unused)
{
    world  a, b;
    double x[6] = {0, 0, 0, 1, 0, 0}, out[6];
    (void)unused;
    open_text(&a, block);
    open_text(&b, block);
    ss_sensitivity *s  = sense(&a, NULL);
    ss_direction    to = {x, -1};
    for (int i = 0; i < 50; i++) {
        check(&a, ss_step_sensitivity(s, a.data, 0.01, &to, 1, out, NULL));
        check(&b, ss_step(b.model, b.data, 0.01));
        assert_true(ss_state_hash(a.model, a.data) == ss_state_hash(b.model, b.data));
    }
    ss_sensitivity_destroy(s);
    close_world(&a);
    close_world(&b);
}

/* Sticking: the end does not depend on a small speed, nor on friction. */
static void sticking_forgets_its_speed(void **unused)
{
    static const char *const still[] = {"bodies.box.velocity=[0, 0]", "forces.push.force=[0, 0]"};
    world                    w       = {.ctx = ss_context_create(NULL)};
    double                   x[6]    = {0, 0, 0, 1, 0, 0}, out[12];
    ss_slope                 kind[2];
    family                   f = {block, names, values};
    (void)unused;
    check(&w, load_world(&w, block, still, 2));
    ss_sensitivity *s    = sense(&w, &f);
    ss_direction    to[] = {{x, -1}, {NULL, 0}};
    check(&w, ss_step_sensitivity(s, w.data, 0.01, to, 2, out, kind));
    assert_int_equal(kind[0], SS_SLOPE_SMOOTH);
    assert_near(out[3], 0, 1e-9);
    assert_int_equal(kind[1], SS_SLOPE_SMOOTH);
    assert_near(out[6 + 3], 0, 1e-9);
    ss_sensitivity_destroy(s);
    close_world(&w);
}

/* At the end of sliding a step has a kink: more speed slides on, less speed sticks. */
static void kinks_are_one_sided(void **unused)
{
    static const char *const last[] = {"bodies.box.velocity=[0.025, 0]", "forces.push.force=[0, 0]",
                                       "simulation.model={integrator: euler}"};
    world                    w      = {.ctx = ss_context_create(NULL)};
    double                   more[6] = {0, 0, 0, 1, 0, 0}, less[6] = {0, 0, 0, -1, 0, 0}, out[12];
    ss_slope                 kind[2];
    (void)unused;
    check(&w, load_world(&w, block, last, 3)); /* mu g h = 0.025: it stops at the end of the step */
    ss_sensitivity *s    = sense(&w, NULL);
    ss_direction    to[] = {{more, -1}, {less, -1}};
    check(&w, ss_step_sensitivity(s, w.data, 0.01, to, 2, out, kind));
    assert_int_not_equal(kind[0], SS_SLOPE_SMOOTH);
    assert_int_not_equal(kind[1], SS_SLOPE_SMOOTH);
    double slide = kind[0] == SS_SLOPE_FORWARD ? 1 : 0;
    assert_near(out[3], slide, 1e-6);
    assert_near(out[6 + 3], kind[1] == SS_SLOPE_FORWARD ? 0 : -1, 1e-6);
    ss_sensitivity_destroy(s);
    close_world(&w);
}

/* ---- chains of steps, beside differences of whole runs ---- */

static const char spinning[] =
    "params: {mu: 0.3, m: 1, g: 9.81}\n"
    "gravity: [0, 0, -g]\n"
    "materials: {default: {friction: mu}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: ball, type: dynamic, mass: m, shape: {sphere: {radius: 0.5}},\n"
    "     position: [0, 0, 0.5], velocity: [2, 0.3, 0], angular_velocity: [0.2, -1, 3]}\n"
    "  - {name: arm, type: dynamic, mass: 0.5, shape: {box: {size: [0.4, 0.1, 0.1]}},\n"
    "     position: [3.2, 0, 2], angular_velocity: [0.3, 1, 0.4]}\n"
    "joints: [{name: pin, type: spherical, bodies: [world, arm], anchor: [3, 0, 2]}]\n"
    "simulation: {step: 0.01, duration: 1}\n";

enum { SPACE = 24 };

/* The end of a run with one param changed, as the bodies' numbers. */
static void run_changed(const family *f, int32_t parameter, double change, int steps, double *out)
{
    world w = {.ctx = ss_context_create(NULL)};
    assert_int_equal(changed_model((void *)f, w.ctx, parameter, change, &w.model), SS_OK);
    check(&w, ss_data_create(w.ctx, w.model, &w.data));
    run(&w, 0.01, steps);
    for (int i = 0; i < 2; i++) {
        ss_body_state b   = body(&w, i + 1);
        double        x[] = {b.position.x,         b.position.y,         b.position.z,
                             b.velocity.x,         b.velocity.y,         b.velocity.z,
                             b.angular_velocity.x, b.angular_velocity.y, b.angular_velocity.z};
        memcpy(out + 9 * i, x, sizeof x);
    }
    close_world(&w);
}

/* A tangent carried from step to step is the derivative of the run. */
static void chains_are_derivatives_of_runs(void **unused)
{
    static const double at[]   = {0.3, 1, 9.81};
    static const int    part[] = {0, 1, 2, 6, 7, 8, 9, 10, 11}; /* of a body's twelve */
    enum { STEPS = 20 };
    family f = {spinning, names, at};
    world  w;
    (void)unused;
    open_text(&w, spinning);
    ss_sensitivity *s                 = sense(&w, &f);
    double          tangent[3][SPACE] = {{0}}, next[3 * SPACE];
    assert_int_equal(ss_sensitivity_size(w.model), SPACE);
    for (int i = 0; i < STEPS; i++) {
        ss_direction to[3];
        ss_slope     kind[3];
        for (int k = 0; k < 3; k++) {
            to[k] = (ss_direction){tangent[k], k};
        }
        check(&w, ss_step_sensitivity(s, w.data, 0.01, to, 3, next, kind));
        memcpy(tangent, next, sizeof next);
    }
    for (int k = 0; k < 3; k++) {
        double high[18], low[18], e = 1e-5 * at[k];
        run_changed(&f, k, e, STEPS, high);
        run_changed(&f, k, -e, STEPS, low);
        for (int i = 0; i < 18; i++) {
            double want = (high[i] - low[i]) / (2 * e),
                   got  = tangent[k][12 * (i / 9) + part[i % 9]];
            assert_near(got, want, 1e-6 * fmax(1, fabs(want)));
        }
    }
    ss_sensitivity_destroy(s);
    close_world(&w);
}

/* What cannot be asked for is refused, and nothing has moved. */
static void wrong_questions_are_refused(void **unused)
{
    world        w;
    double       out[6];
    ss_direction to = {NULL, 0};
    (void)unused;
    open_text(&w, block);
    ss_sensitivity *s      = sense(&w, NULL);
    uint64_t        before = ss_state_hash(w.model, w.data);
    assert_int_equal(ss_step_sensitivity(s, w.data, 0.01, &to, 1, out, NULL), SS_ERR_ARGUMENT);
    to.parameter = -1;
    assert_int_equal(ss_step_sensitivity(s, w.data, -1, &to, 1, out, NULL), SS_ERR_ARGUMENT);
    assert_int_equal(ss_step_sensitivity(NULL, w.data, 0.01, &to, 1, out, NULL), SS_ERR_ARGUMENT);
    assert_true(before == ss_state_hash(w.model, w.data));
    check(&w, ss_step_sensitivity(s, w.data, 0.01, &to, 1, out, NULL)); /* it goes nowhere */
    assert_near(out[3], 0, 0);
    ss_sensitivity_destroy(s);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_has_its_closed_form),
        cmocka_unit_test(the_step_is_the_same),
        cmocka_unit_test(sticking_forgets_its_speed),
        cmocka_unit_test(kinks_are_one_sided),
        cmocka_unit_test(chains_are_derivatives_of_runs),
        cmocka_unit_test(wrong_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
