/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 4.3.2: a needle pushes a block of 1.6 x 0.8 mm that lies on three points, quasistatically.
 * Four straight pushes that move it by 2 mm and turn it by 90 degrees are found by the built-in
 * study `needle-push` (`stickslip plan`); the plan must hold with finer steps and with either cone,
 * to 20 um and 1 degree. The built-in scene `needle` carries such a plan as one path of the needle,
 * with its ways around the block from push to push.
 */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "study_args.h"
#include "verify/verify.h"

static const double degree        = 3.14159265358979323846 / 180;
static const double near_position = 20e-6;

/* The study, with something of the scene changed. */
static ss_status load(ss_verify *v, const char *const *change, ss_study **out)
{
    ss_arg_list set = {.items = (const char **)change, .count = 0};
    for (; change != NULL && change[set.count] != NULL; set.count++) {
    }
    return ss_cli_load_study(ss_verify_context(v), "builtin:needle-push", &set, out);
}

static void report(ss_verify *v, const ss_plan *p, const char *what)
{
    double dx = ss_plan_error(p, 0, 0) * near_position, dy = ss_plan_error(p, 0, 1) * near_position;
    ss_verify_near(v, 0, hypot(dx, dy), near_position, "metres from the goal, %s", what);
    ss_verify_near(v, 0, ss_plan_error(p, 0, 2), 1, "degrees from the goal, %s", what);
}

static ss_status search(ss_verify *v, const char *file)
{
    ss_study   *s   = NULL;
    ss_plan    *p   = NULL;
    ss_plan_def def = {0};
    SS_TRY(load(v, NULL, &s));
    ss_status status = ss_study_plan(ss_verify_context(v), s, &def, &p);
    if (status == SS_OK) {
        ss_verify_near(v, 1, ss_plan_found(p), 0, "plan found in %d simulated pushes",
                       (int)ss_plan_simulated(p));
        ss_verify_near(v, 4, ss_plan_length(p), 0, "pushes");
        report(v, p, "steps of 2.5 um");
        status = ss_plan_write(p, file);
    }
    ss_plan_destroy(p);
    ss_study_destroy(s);
    return status;
}

/* The same lines of the needle, with another cone or step than the plan was found with. */
static ss_status check(ss_verify *v, const char *file, const char *const *change, const char *what)
{
    ss_study   *s   = NULL;
    ss_plan    *p   = NULL;
    ss_plan_def def = {0};
    SS_TRY(load(v, change, &s));
    ss_status status = ss_study_plan_read(ss_verify_context(v), s, file, &def, &p);
    if (status == SS_OK) {
        report(v, p, what);
    }
    ss_plan_destroy(p);
    ss_study_destroy(s);
    return status;
}

static ss_status check_all(ss_verify *v, const char *file)
{
    static const char *const finer[]   = {"rungs.2.set={simulation.step: 5.0e-4}", NULL};
    static const char *const polygon[] = {
        "rungs.2.set={simulation.step: 0.01, simulation.model.cone: {polygon: 64}}", NULL};
    SS_TRY(check(v, file, finer, "steps of 0.5 um"));
    return check(v, file, polygon, "64 directions");
}

/* The built-in scene from beginning to end. */
static ss_status replay(ss_verify *v)
{
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, "needle", NULL, &w));
    const ss_simulation_def *sim = ss_model_simulation(w.model);
    ss_status     status = ss_verify_steps(v, &w, sim->step, llround(sim->duration / sim->step));
    ss_body_state b      = ss_verify_body(&w, "block");
    if (status == SS_OK) {
        ss_verify_near(v, 0, hypot(b.position.x - 2e-3, b.position.y), near_position,
                       "metres from the goal, scene needle");
        ss_verify_near(v, 90, b.angle / degree, 1, "degrees turned, scene needle");
    }
    ss_verify_close(&w);
    return status;
}

static ss_status run(ss_verify *v)
{
    char file[64];
    snprintf(file, sizeof file, "/tmp/stickslip-needle-%ld.csv", (long)getpid());
    ss_status status = search(v, file);
    if (status == SS_OK) {
        status = check_all(v, file);
    }
    remove(file);
    return status == SS_OK ? replay(v) : status;
}

const ss_verify_case ss_verify_needle_push = {
    .name    = "needle-push",
    .source  = "Berard 2009, 4.3.2",
    .summary = "a plan of four pushes, found by search, moves a small block by 2 mm and 90 degrees",
    .run     = run};
