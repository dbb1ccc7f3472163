/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search has two stages. Random plans are simulated with coarse steps, and the nearest few
 * kept. On each, in order of nearness, the equations
 *
 *   e(x) = (dx / near_position, dy / near_position, dangle / near_angle) = 0
 *
 * (three, in the twelve numbers of a plan) are solved by damped Newton steps of least length,
 *
 *   s = -J'(J J' + d I)^-1 e,      J by finite differences, d ten times larger where s fails,
 *
 * first with the coarse steps, then with the fine ones.
 */
#include "verify/push_plan.h"

#include <math.h>
#include <string.h>

enum { KEPT = 12, NEWTON_STEPS = 15, ERRORS = 3 };

static const double clearance = 4;    /* the tip starts so many radii off the part          */
static const double speed     = 1e-3; /* of the tip, m/s: without meaning in quasistatics   */
static const double coarse    = 8;    /* strides of the coarse steps                        */

/* Ranges of the three numbers of a push, and steps of the finite differences. */
static const double side_margin = 0.1, most_lean = 0.45, least_reach = 0.02, most_reach = 1.2;
static const double change[3] = {1e-3, 1e-3, 1e-3};

/* ---- the world ---- */

static int tip_at(void *user, double t, double *values, int32_t count)
{
    const ss_plan_task *task = user;
    double              s    = task->duration > 0 ? fmin(t / task->duration, 1) : 0;
    ss_vec3             x    = ss_axpy(task->line.from, s, ss_sub(task->line.to, task->line.from));
    memset(values, 0, (size_t)count * sizeof *values);
    values[0] = x.x;
    values[1] = x.y;
    return 0;
}

ss_status ss_plan_open(ss_verify *v, ss_plan_task *task)
{
    ss_shape_def disc         = {.type = "disc"};
    ss_body_def  tip          = ss_body_def_default();
    disc.params.sphere.radius = task->tip_radius;
    tip.name                  = "tip of the plan";
    tip.type                  = SS_BODY_KINEMATIC;
    tip.shape                 = &disc;
    tip.motion.fn             = tip_at;
    tip.motion.fn_user        = task;
    task->line.from = task->line.to = ss_v3(10 * task->length, 0, 0);
    SS_TRY(ss_scene_add_body(task->world->scene, &tip, NULL));
    SS_TRY(ss_model_compile(ss_verify_context(v), task->world->scene, &task->model));
    task->part_index = ss_model_find_body(task->model, task->part).index1 - 1;
    return ss_data_create(ss_verify_context(v), task->model, &task->data);
}

void ss_plan_close(ss_plan_task *task)
{
    ss_data_destroy(task->data);
    ss_model_destroy(task->model);
    task->data  = NULL;
    task->model = NULL;
}

/* ---- one plan ---- */

/* The line of a push of a part at a pose. */
static ss_plan_line line_of(const ss_plan_task *task, const double *x, const ss_plan_pose *at)
{
    int     side  = (int)fmin(floor(x[0]), 3);
    double  along = x[0] - side - 0.5, half_pi = 1.57079632679489661923;
    double  across = side % 2 == 0 ? task->length : task->width;
    double  facet  = side % 2 == 0 ? task->width : task->length;
    double  normal = at->angle + side * half_pi, lean = normal + 2 * half_pi + x[1];
    ss_vec3 n = ss_v3(cos(normal), sin(normal), 0), t = ss_v3(-n.y, n.x, 0);
    ss_vec3 d         = ss_v3(cos(lean), sin(lean), 0);
    ss_vec3 touch     = ss_axpy(ss_v3(at->x, at->y, 0), across / 2 + task->tip_radius, n);
    touch             = ss_axpy(touch, along * facet, t);
    ss_plan_line line = {ss_axpy(touch, -clearance * task->tip_radius, d),
                         ss_axpy(touch, x[2] * task->length, d)};
    return line;
}

static ss_status push(ss_plan_task *task, double stride, ss_plan_pose *at)
{
    double        length = ss_norm(ss_sub(task->line.to, task->line.from));
    int           steps  = (int)ceil(length / stride);
    ss_body_state b;
    task->duration = length / speed;
    SS_TRY(ss_data_reset(task->model, task->data));
    ss_data_body(task->model, task->data, task->part_index, &b);
    b.position = ss_v3(at->x, at->y, 0);
    b.angle    = at->angle;
    SS_TRY(ss_data_set_body(task->model, task->data, task->part_index, &b));
    for (int i = 0; i < steps; i++) {
        SS_TRY(ss_step(task->model, task->data, task->duration / steps));
    }
    ss_data_body(task->model, task->data, task->part_index, &b);
    *at = (ss_plan_pose){b.position.x, b.position.y, b.angle};
    return SS_OK;
}

ss_status ss_plan_run(ss_plan_task *task, const ss_plan *plan, double stride, ss_plan_pose *end,
                      ss_plan_line *lines)
{
    *end = (ss_plan_pose){0, 0, 0};
    task->runs++;
    for (int k = 0; k < SS_PLAN_PUSHES; k++) {
        task->line = line_of(task, plan->x + 3 * k, end);
        if (lines != NULL) {
            lines[k] = task->line;
        }
        SS_TRY(push(task, stride, end));
    }
    return SS_OK;
}

ss_status ss_plan_follow(ss_plan_task *task, const ss_plan_line *lines, double stride,
                         ss_plan_pose *end)
{
    *end = (ss_plan_pose){0, 0, 0};
    for (int k = 0; k < SS_PLAN_PUSHES; k++) {
        task->line = lines[k];
        SS_TRY(push(task, stride, end));
    }
    return SS_OK;
}

void ss_plan_errors(const ss_plan_task *task, const ss_plan_pose *at, double *position,
                    double *angle)
{
    *position = hypot(at->x - task->goal.x, at->y - task->goal.y);
    *angle    = fabs(at->angle - task->goal.angle);
}

static ss_status errors_of(ss_plan_task *task, const ss_plan *plan, double stride, double *e)
{
    ss_plan_pose at;
    SS_TRY(ss_plan_run(task, plan, stride, &at, NULL));
    e[0] = (at.x - task->goal.x) / task->near_position;
    e[1] = (at.y - task->goal.y) / task->near_position;
    e[2] = (at.angle - task->goal.angle) / task->near_angle;
    return SS_OK;
}

static double size_of(const double *e)
{
    return sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
}

/* ---- random plans ---- */

/* splitmix64, as a number in 0 .. 1 */
static double uniform(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z          = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z          = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void sample(uint64_t *seed, ss_plan *plan)
{
    for (int k = 0; k < SS_PLAN_PUSHES; k++) {
        double *x = plan->x + 3 * k;
        x[0]      = floor(4 * uniform(seed)) + side_margin + (1 - 2 * side_margin) * uniform(seed);
        x[1]      = most_lean * (2 * uniform(seed) - 1);
        x[2]      = least_reach + (most_reach - least_reach) * uniform(seed);
    }
}

/* Back into the ranges; a push stays on its side. */
static void limit(const ss_plan *from, ss_plan *plan)
{
    for (int k = 0; k < SS_PLAN_PUSHES; k++) {
        double *x = plan->x + 3 * k, side = floor(from->x[3 * k]);
        x[0] = fmin(fmax(x[0], side + side_margin), side + 1 - side_margin);
        x[1] = fmin(fmax(x[1], -most_lean), most_lean);
        x[2] = fmin(fmax(x[2], least_reach), most_reach);
    }
}

typedef struct candidate {
    ss_plan plan;
    double  size;
} candidate;

static void keep(candidate *kept, const candidate *c)
{
    int i = KEPT - 1;
    if (!(c->size < kept[i].size)) {
        return;
    }
    for (; i > 0 && c->size < kept[i - 1].size; i--) {
        kept[i] = kept[i - 1];
    }
    kept[i] = *c;
}

/* ---- Newton's method ---- */

static ss_status jacobian(ss_plan_task *task, const ss_plan *plan, double stride, const double *e,
                          double J[ERRORS][SS_PLAN_NUMBERS])
{
    for (int j = 0; j < SS_PLAN_NUMBERS; j++) {
        ss_plan moved = *plan;
        double  there[ERRORS];
        moved.x[j] += change[j % 3];
        SS_TRY(errors_of(task, &moved, stride, there));
        for (int i = 0; i < ERRORS; i++) {
            J[i][j] = (there[i] - e[i]) / change[j % 3];
        }
    }
    return SS_OK;
}

/* A y = e by Cramer's rule. */
static ss_vec3 solve_symmetric(const ss_mat3 *A, ss_vec3 e)
{
    ss_vec3 a = ss_v3(A->m[0], A->m[1], A->m[2]), b = ss_v3(A->m[3], A->m[4], A->m[5]);
    ss_vec3 c   = ss_v3(A->m[6], A->m[7], A->m[8]);
    double  det = ss_dot(a, ss_cross(b, c));
    return ss_scale(1 / det, ss_v3(ss_dot(e, ss_cross(b, c)), ss_dot(a, ss_cross(e, c)),
                                   ss_dot(a, ss_cross(b, e))));
}

/* plan - J'(J J' + d I)^-1 e, with d a part of the trace. */
static ss_plan newton_step(const ss_plan *plan, double J[ERRORS][SS_PLAN_NUMBERS], const double *e,
                           double damping)
{
    ss_mat3 A     = {{0}};
    double  trace = 0;
    for (int i = 0; i < ERRORS; i++) {
        for (int k = 0; k < ERRORS; k++) {
            for (int j = 0; j < SS_PLAN_NUMBERS; j++) {
                A.m[3 * i + k] += J[i][j] * J[k][j];
            }
        }
        trace += A.m[4 * i];
    }
    for (int i = 0; i < ERRORS; i++) {
        A.m[4 * i] += damping * trace;
    }
    ss_vec3 y    = solve_symmetric(&A, ss_v3(e[0], e[1], e[2]));
    ss_plan next = *plan;
    for (int j = 0; j < SS_PLAN_NUMBERS; j++) {
        next.x[j] -= J[0][j] * y.x + J[1][j] * y.y + J[2][j] * y.z;
    }
    limit(plan, &next);
    return next;
}

/* Until all errors are below `enough`, or nothing helps. */
static ss_status improve(ss_plan_task *task, candidate *c, double stride, double enough)
{
    double e[ERRORS], J[ERRORS][SS_PLAN_NUMBERS], damping = 1e-6;
    SS_TRY(errors_of(task, &c->plan, stride, e));
    c->size = size_of(e);
    for (int i = 0; i < NEWTON_STEPS && c->size > enough; i++) {
        SS_TRY(jacobian(task, &c->plan, stride, e, J));
        for (bool better = false; !better; damping *= better ? 0.1 : 10) {
            ss_plan next = newton_step(&c->plan, J, e, damping);
            double  there[ERRORS];
            if (damping > 10) {
                return SS_OK;
            }
            SS_TRY(errors_of(task, &next, stride, there));
            better = size_of(there) < c->size;
            if (better) {
                *c = (candidate){next, size_of(there)};
                memcpy(e, there, sizeof e);
            }
        }
    }
    return SS_OK;
}

ss_status ss_plan_search(ss_plan_task *task, uint64_t seed, int samples, double stride,
                         ss_plan *plan, bool *found)
{
    candidate kept[KEPT], c;
    double    e[ERRORS];
    for (int i = 0; i < KEPT; i++) {
        kept[i].size = INFINITY;
    }
    for (int i = 0; i < samples; i++) {
        sample(&seed, &c.plan);
        SS_TRY(errors_of(task, &c.plan, 2 * coarse * stride, e));
        c.size = size_of(e);
        keep(kept, &c);
    }
    *found = false;
    for (int i = 0; !*found && i < KEPT && isfinite(kept[i].size); i++) {
        SS_TRY(improve(task, &kept[i], coarse * stride, 1));
        if (kept[i].size < 3) {
            SS_TRY(improve(task, &kept[i], stride, 0.1));
        }
        *found = kept[i].size <= 0.1;
        *plan  = kept[i].plan;
    }
    return SS_OK;
}
