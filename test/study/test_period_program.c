/* SPDX-License-Identifier: Apache-2.0 */
/* Designs as boundary-value programs: jets, a planted answer, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"
#include "stickslip/stickslip.h"
#include "study/jet.h"

/* ---- jets ---- */

/* f = x y (x + 2 z) - y z */
static double *f_of(ss_jets *s, const double x[3])
{
    double *v[3];
    for (int i = 0; i < 3; i++) {
        v[i] = ss_jet_variable(s, i, x[i]);
    }
    double *sum = ss_jet_add(s, v[0], 2, v[2]);
    double *xy  = ss_jet_product(s, v[0], v[1]);
    return ss_jet_add(s, ss_jet_product(s, xy, sum), -1, ss_jet_product(s, v[1], v[2]));
}

static void jets_are_derivatives(void **unused)
{
    (void)unused;
    double       room[256];
    ss_jets      s    = {.n = 3, .second = true, .numbers = room, .room = 256};
    const double x[3] = {1.5, -0.7, 2.25};
    double      *f    = f_of(&s, x);
    double       a = x[0], b = x[1], c = x[2];
    assert_near(f[0], a * b * (a + 2 * c) - b * c, 1e-14);
    assert_near(f[1], b * (2 * a + 2 * c), 1e-14);
    assert_near(f[2], a * (a + 2 * c) - c, 1e-14);
    assert_near(f[3], 2 * a * b - b, 1e-14);
    assert_near(f[ss_jet_place(3, 0, 0)], 2 * b, 1e-14);
    assert_near(f[ss_jet_place(3, 1, 0)], 2 * a + 2 * c, 1e-14);
    assert_near(f[ss_jet_place(3, 1, 1)], 0, 1e-14);
    assert_near(f[ss_jet_place(3, 2, 0)], 2 * b, 1e-14);
    assert_near(f[ss_jet_place(3, 2, 1)], 2 * a - 1, 1e-14);
    assert_near(f[ss_jet_place(3, 2, 2)], 0, 1e-14);
}

/* ---- a planted answer ---- */

/* A table that goes there and back while it rises and falls carries a particle along x. */
static const char table[] =
    "params: {w: 66*pi, mu: 0.3, C: 1.9}\n"
    "materials: {default: {friction: mu}}\n"
    "bodies:\n"
    "  - name: table\n"
    "    type: kinematic\n"
    "    shape: {box: {size: [0.4, 0.4, 0.01], position: [0, 0, -0.005]}}\n"
    "    motion: {x: '-8/w^2*sin(w*t)', y: 0, z: '-5/w^2*sin(w*t + C)'}\n"
    "  - {name: part, type: particle, mass: 0.01, shape: {point: {}}, position: [0, 0, 1e-4]}\n"
    "simulation: {step: 0.001, duration: 1, model: {integrator: euler}}\n";

static bool find(void *user, const char *name, const char **text, size_t *length)
{
    (void)user;
    (void)name;
    *text   = table;
    *length = strlen(table);
    return true;
}

/* What the period map says of the drift, and the phase that a program finds for it. */
static ss_status design(ss_context *ctx, const char *scene_set, const char *ask, double start,
                        const char *method, double *phase, double *drift, ss_design_program *out)
{
    char          text[1024];
    ss_study_def  def    = {.find_scene = find};
    ss_design_def how    = {.threads = 1};
    ss_study     *s      = NULL;
    ss_design    *d      = NULL;
    ss_candidate  best   = {0};
    int           length = snprintf(text, sizeof text,
                                    "study: design\nscene: table\nset: {%s}\n"
                                              "vary: {params.C: {bounds: [1, 3, %.17g]}}\n"
                                              "cycle: {period: 2*pi/w, body: part, in: table}\n"
                                              "measure:\n"
                                              "  u: drift(2*pi/w, x('part', 'table'))\n"
                                              "  along: %s\n  across: 0\n"
                                              "objective: {minimise: mean(u)}\nmethod: {%s}\n",
                                    scene_set, start, ask, method);
    ss_status     status = ss_study_load_text(ctx, text, (size_t)length, "study.yaml", &def, &s);
    status               = status == SS_OK ? ss_study_design(ctx, s, &how, &d) : status;
    if (status == SS_OK) {
        int32_t last = ss_design_count(d) - 1;
        assert_true(ss_design_candidate(d, last, &best));
        *phase = best.x[0];
        *drift = best.objective;
        *out   = ss_design_program_of(d);
    }
    ss_design_destroy(d);
    ss_study_destroy(s);
    return status;
}

static void program_finds_the_phase_that_was_planted(void **unused)
{
    (void)unused;
    ss_context       *ctx = ss_context_create(NULL);
    ss_design_program p;
    double            phase = 0, wanted = 0, drift = 0;
    char              ask[40];
    /* one candidate: the drift at the phase 2.2 */
    assert_int_equal(
        design(ctx, "", "0", 2.2, "algorithm: random, evaluations: 1", &phase, &wanted, &p), SS_OK);
    assert_true(!p.posed && fabs(wanted) > 1e-3);
    snprintf(ask, sizeof ask, "%.17g", wanted);
    ss_status status =
        design(ctx, "", ask, 1.9, "algorithm: mpec, drift: [along, across]", &phase, &drift, &p);
    if (status != SS_OK) {
        fail_msg("%s", ss_context_message(ctx));
    }
    assert_true(p.posed && p.solved);
    assert_near(phase, 2.2, 0.01);
    assert_near(drift, wanted, 0.002 * fabs(wanted));
    assert_near(p.apart, 0, 1e-12);
    ss_context_destroy(ctx);
}

/* A table that falls faster than the particle: contact cannot be kept, and the program says so. */
static void what_has_no_solution_is_not_solved(void **unused)
{
    (void)unused;
    ss_context       *ctx = ss_context_create(NULL);
    ss_design_program p;
    double            phase = 0, drift = 0;
    ss_status         status = design(
                ctx, "bodies.table.motion: {x: '-8/w^2*sin(w*t)', y: 0, z: '-20/w^2*sin(w*t + C)'}", "0.01",
                2, "algorithm: mpec, drift: [along, across], touching: true", &phase, &drift, &p);
    assert_int_equal(status, SS_OK);
    assert_true(p.posed && !p.solved && p.infeasibility > 1e-6);
    ss_context_destroy(ctx);
}

static void refuses(const char *set, const char *method, const char *why)
{
    ss_context       *ctx = ss_context_create(NULL);
    ss_design_program p;
    double            phase, drift;
    assert_int_equal(design(ctx, set, "0.01", 2, method, &phase, &drift, &p), SS_ERR_INPUT);
    if (strstr(ss_context_message(ctx), why) == NULL) {
        fail_msg("'%s' has no '%s'", ss_context_message(ctx), why);
    }
    ss_context_destroy(ctx);
}

static void what_cannot_be_posed_is_refused(void **unused)
{
    (void)unused;
    static const char all[] = "algorithm: mpec, drift: [along, across]";
    refuses("", "algorithm: mpec", "needs `drift: [measure, measure]`");
    refuses("", "algorithm: mpec, drift: [along, sideways]", "names of two measures");
    refuses("simulation.model: {integrator: midpoint}", all, "integrator euler");
    refuses("simulation.model: {integrator: euler, cone: {polygon: 8}}", all, "quadratic");
    refuses("materials.default.restitution: 0.3", all, "without restitution");
    refuses("bodies.part.position: [0, 0, 5]", all, "does not touch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jets_are_derivatives),
                                       cmocka_unit_test(program_finds_the_phase_that_was_planted),
                                       cmocka_unit_test(what_has_no_solution_is_not_solved),
                                       cmocka_unit_test(what_cannot_be_posed_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
