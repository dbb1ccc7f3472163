/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 4.3.2: a needle pushes a block of 1.6 x 0.8 mm that lies on three points, quasistatically.
 * Four straight pushes that move it by 2 mm and turn it by 90 degrees are found by search
 * (push_plan.c); the plan must hold with finer steps and with either cone, to 20 um and 1 degree.
 * The built-in scene `needle` carries such a plan as one path of the needle, with its ways around
 * the block from push to push.
 */
#include <math.h>

#include "verify/push_plan.h"

static const double       degree        = 3.14159265358979323846 / 180;
static const double       near_position = 20e-6, near_angle = 3.14159265358979323846 / 180;
static const ss_plan_pose goal = {2e-3, 0, 3.14159265358979323846 / 2};

static ss_plan_task task_in(ss_verify_world *w)
{
    ss_plan_task task = {.world         = w,
                         .part          = "block",
                         .length        = 1.6e-3,
                         .width         = 0.8e-3,
                         .tip_radius    = 25e-6,
                         .goal          = goal,
                         .near_position = near_position,
                         .near_angle    = near_angle};
    return task;
}

/* Opens the scene with its own needle out of the way, and a tip that follows plans. */
static ss_status open_task(ss_verify *v, const char *axis, ss_verify_world *w, ss_plan_task *task)
{
    const char *const overrides[] = {"bodies.needle.collide=false", axis, NULL};
    SS_TRY(ss_verify_open(v, "needle", overrides, w));
    *task            = task_in(w);
    ss_status status = ss_plan_open(v, task);
    if (status != SS_OK) {
        ss_plan_close(task);
        ss_verify_close(w);
    }
    return status;
}

static void close_task(ss_verify_world *w, ss_plan_task *task)
{
    ss_plan_close(task);
    ss_verify_close(w);
}

static void report(ss_verify *v, const ss_plan_task *task, const ss_plan_pose *end,
                   const char *what)
{
    double position, angle;
    ss_plan_errors(task, end, &position, &angle);
    ss_verify_near(v, 0, position, near_position, "metres from the goal, %s", what);
    ss_verify_near(v, 0, angle / degree, 1, "degrees from the goal, %s", what);
}

/* The plan with another cone or step than it was found with: the same lines of the needle. */
static ss_status check(ss_verify *v, const char *axis, const ss_plan_line *lines, double stride,
                       const char *what)
{
    ss_verify_world w;
    ss_plan_task    task;
    ss_plan_pose    end;
    SS_TRY(open_task(v, axis, &w, &task));
    ss_status status = ss_plan_follow(&task, lines, stride, &end);
    if (status == SS_OK) {
        report(v, &task, &end, what);
    }
    close_task(&w, &task);
    return status;
}

static const char *const quadratic = "simulation.model.cone=quadratic";
static const char *const polygon   = "simulation.model.cone={polygon: 128}";

static ss_status search(ss_verify *v, ss_plan_line *lines)
{
    ss_verify_world w;
    ss_plan_task    task;
    ss_plan         plan;
    ss_plan_pose    end;
    bool            found = false;
    SS_TRY(open_task(v, quadratic, &w, &task));
    ss_status status = ss_plan_search(&task, 1, 300, 2.5e-6, &plan, &found);
    ss_verify_near(v, 1, found, 0, "plan found in %d simulated ones", (int)task.runs);
    status = status == SS_OK ? ss_plan_run(&task, &plan, 2.5e-6, &end, lines) : status;
    if (status == SS_OK) {
        report(v, &task, &end, "steps of 2.5 um");
    }
    close_task(&w, &task);
    return status;
}

/* The built-in scene from beginning to end. */
static ss_status replay(ss_verify *v)
{
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, "needle", NULL, &w));
    const ss_simulation_def *sim  = ss_model_simulation(w.model);
    ss_plan_task             task = task_in(&w);
    ss_status     status = ss_verify_steps(v, &w, sim->step, llround(sim->duration / sim->step));
    ss_body_state b      = ss_verify_body(&w, "block");
    ss_plan_pose  end    = {b.position.x, b.position.y, b.angle};
    if (status == SS_OK) {
        report(v, &task, &end, "scene needle");
    }
    ss_verify_close(&w);
    return status;
}

static ss_status run(ss_verify *v)
{
    ss_plan_line lines[SS_PLAN_PUSHES];
    SS_TRY(search(v, lines));
    SS_TRY(check(v, quadratic, lines, 0.5e-6, "steps of 0.5 um"));
    SS_TRY(check(v, polygon, lines, 10e-6, "128 directions"));
    return replay(v);
}

const ss_verify_case ss_verify_needle_push = {
    .name    = "needle-push",
    .source  = "Berard 2009, 4.3.2",
    .summary = "a plan of four pushes, found by search, moves a small block by 2 mm and 90 degrees",
    .run     = run};
