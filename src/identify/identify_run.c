/* SPDX-License-Identifier: Apache-2.0 */
/* One run for one recording: values -> scene -> model -> run -> what the recording would show. */
#include <math.h>
#include <string.h>

#include "core/array.h"
#include "core/hermite.h"
#include "identify/impacts.h"
#include "sim/sim.h"

ss_status ss_identify_worker_start(ss_context *ctx, const ss_identify *p, int32_t model,
                                   const volatile sig_atomic_t *interrupt, ss_identify_worker *w)
{
    *w        = (ss_identify_worker){.ctx       = ctx,
                                     .p         = p,
                                     .model     = model,
                                     .interrupt = interrupt,
                                     .until     = INFINITY,
                                     .member    = -1};
    w->index  = ss_alloc(ctx, (size_t)p->body_count + 1, sizeof *w->index);
    w->placed = ss_alloc(ctx, (size_t)p->start_count + 1, sizeof *w->placed);
    if (w->index == NULL || w->placed == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    bool watched = p->study->stop != NULL || p->loss == SS_LOSS_MEASURES;
    return watched ? ss_watch_create(ctx, p->study, &w->watch) : SS_OK;
}

void ss_identify_worker_end(ss_identify_worker *w)
{
    size_t room = (size_t)w->room, bodies = (size_t)w->p->body_count;
    ss_watch_destroy(w->watch);
    ss_free(w->ctx, w->t, room * sizeof *w->t);
    ss_free(w->ctx, w->states, room * bodies * sizeof *w->states);
    ss_free(w->ctx, w->index, (bodies + 1) * sizeof *w->index);
    ss_free(w->ctx, w->placed, ((size_t)w->p->start_count + 1) * sizeof *w->placed);
}

/* ---- values of parameters ---- */

static bool belongs(const ss_parameter *a, int32_t trial)
{
    return a->trial < 0 || a->trial == trial;
}

/* Those that are searched for, and behind them those that are held. */
static int32_t all_parameters(const ss_identify *p)
{
    return p->parameter_count + p->held_count;
}

static double value_of(const ss_identify *p, const double *theta, int32_t i)
{
    return i < p->parameter_count ? theta[i] : p->parameters[i].start;
}

/* The value of a kind of nuisance for a trial; `otherwise` where nothing is free. */
static double nuisance(const ss_identify *p, int32_t trial, const double *theta,
                       ss_parameter_kind kind, int axis, double otherwise)
{
    for (int32_t i = 0; i < all_parameters(p); i++) {
        const ss_parameter *a = &p->parameters[i];
        if (a->kind == kind && a->axis == axis && belongs(a, trial)) {
            return value_of(p, theta, i);
        }
    }
    return otherwise;
}

static ss_status make_scene(ss_identify_worker *w, int32_t trial, const double *theta,
                            ss_scene **out)
{
    const ss_identify *p    = w->p;
    const ss_recorded *r    = &p->trials[trial];
    const ss_rung     *m    = &p->models[w->model];
    ss_pool            pool = {.ctx = w->ctx};
    ss_study           view = *p->study;
    size_t room = (size_t)m->count + (size_t)r->value_count + (size_t)all_parameters(p) + 1;
    ss_scene_value *values = ss_pool_alloc(&pool, room, sizeof *values);
    ss_status status = values != NULL ? SS_OK : ss_fail(w->ctx, SS_ERR_MEMORY, "out of memory");
    int32_t   count  = 0;
    for (int32_t i = 0; status == SS_OK && i < m->count; i++) {
        values[count++] = m->values[i];
    }
    for (int32_t i = 0; status == SS_OK && i < r->value_count; i++) {
        values[count++] = r->values[i];
    }
    for (int32_t i = 0; status == SS_OK && i < all_parameters(p); i++) {
        const ss_parameter *a = &p->parameters[i];
        if (a->kind == SS_PARAMETER_VALUE && belongs(a, trial)) {
            const ss_node *node = ss_study_number(&pool, a->node, value_of(p, theta, i));
            values[count++]     = (ss_scene_value){a->path, node, a->place};
            status = node != NULL ? SS_OK : ss_fail(w->ctx, SS_ERR_MEMORY, "out of memory");
        }
    }
    view.extra       = values;
    view.extra_count = count;
    if (status == SS_OK) {
        status = ss_study_make_scene(w->ctx, &view, 0, NULL, false, out);
    }
    ss_pool_free(&pool);
    return status;
}

/* ---- the start ---- */

typedef struct placing {
    const ss_identify_worker *w;
    int32_t                   trial;
    const double             *theta;
} placing;

static void put_coordinate(ss_body_state *b, ss_quantity q, const ss_body_state *from, double value)
{
    switch (q) {
    case SS_Q_X:
        b->position.x = from != NULL ? from->position.x : value;
        break;
    case SS_Q_Y:
        b->position.y = from != NULL ? from->position.y : value;
        break;
    case SS_Q_Z:
        b->position.z = from != NULL ? from->position.z : value;
        break;
    case SS_Q_ANGLE:
        b->angle = from != NULL ? from->angle : value;
        break;
    case SS_Q_QW:
        b->quat_wxyz = from != NULL ? from->quat_wxyz : b->quat_wxyz;
        break;
    case SS_Q_VX:
        b->velocity.x = from != NULL ? from->velocity.x : value;
        break;
    case SS_Q_VY:
        b->velocity.y = from != NULL ? from->velocity.y : value;
        break;
    case SS_Q_VZ:
        b->velocity.z = from != NULL ? from->velocity.z : value;
        break;
    case SS_Q_WX:
        b->angular_velocity.x = from != NULL ? from->angular_velocity.x : value;
        break;
    case SS_Q_WY:
        b->angular_velocity.y = from != NULL ? from->angular_velocity.y : value;
        break;
    case SS_Q_W:
    case SS_Q_WZ:
        b->angular_velocity.z = from != NULL ? from->angular_velocity.z : value;
        break;
    default:
        break;
    }
}

void ss_identify_put(ss_body_state *b, ss_quantity q, double value)
{
    put_coordinate(b, q, NULL, value);
}

/* A body at the start of a trial: as the scene says, as measured, as searched for. */
static ss_status start_body(const placing *pl, const ss_start_rule *rule, const ss_model *m,
                            const ss_data *d, ss_body_state *b)
{
    const ss_identify *p = pl->w->p;
    SS_TRY(ss_data_body(m, d, pl->w->index[rule->body], b));
    for (int q = 0; q < SS_Q_COUNT; q++) {
        if ((rule->measured & (1u << q)) != 0) {
            put_coordinate(b, (ss_quantity)q, &p->trials[pl->trial].start[rule->body], 0);
        }
    }
    for (int32_t i = 0; i < all_parameters(p); i++) {
        const ss_parameter *a = &p->parameters[i];
        if (a->kind == SS_PARAMETER_START && a->trial == pl->trial && a->body == rule->body) {
            put_coordinate(b, a->quantity, NULL, value_of(p, pl->theta, i));
        }
    }
    return SS_OK;
}

static ss_status place(void *user, const ss_model *m, ss_data *d)
{
    const placing            *pl = user;
    const ss_identify_worker *w  = pl->w;
    const ss_identify        *p  = w->p;
    for (int32_t s = 0; s < p->start_count; s++) {
        SS_TRY(start_body(pl, &p->starts[s], m, d, &w->placed[s]));
    }
    if (w->member >= 0) {
        ss_ensemble_scatter(p, pl->trial, w->member, p->start_count, w->placed);
    }
    for (int32_t s = 0; s < p->start_count; s++) {
        SS_TRY(ss_data_set_body(m, d, w->index[p->starts[s].body], &w->placed[s]));
    }
    return SS_OK;
}

/* ---- the run ---- */

static ss_status keep_state(ss_identify_worker *w, const ss_model *m, const ss_data *d)
{
    size_t bodies = (size_t)w->p->body_count;
    if (w->count == w->room) {
        int32_t        room = w->room > 0 ? 2 * w->room : 256;
        int            ok   = 1;
        int32_t        has  = w->room;
        ss_body_state *more =
            ss_array_grow(w->ctx, w->states, &has, room, room, bodies * sizeof *more, &ok);
        w->states = more;
        has       = w->room;
        w->t      = ss_array_grow(w->ctx, w->t, &has, room, room, sizeof *w->t, &ok);
        if (!ok) {
            return ss_fail(w->ctx, SS_ERR_MEMORY, "out of memory");
        }
        w->room = room;
    }
    w->t[w->count] = ss_data_time(d);
    for (int32_t b = 0; b < w->p->body_count; b++) {
        SS_TRY(ss_data_body(m, d, w->index[b], &w->states[(size_t)w->count * bodies + (size_t)b]));
    }
    w->count++;
    return SS_OK;
}

static ss_status watch(void *user, const ss_model *m, const ss_data *d, bool *stop)
{
    ss_identify_worker *w = user;
    SS_TRY(keep_state(w, m, d));
    return w->watch != NULL ? ss_watch_step(w->watch, m, d, stop) : SS_OK;
}

static ss_status find_bodies(ss_identify_worker *w, const ss_model *m)
{
    for (int32_t b = 0; b < w->p->body_count; b++) {
        w->index[b] = ss_model_find_body(m, w->p->bodies[b]).index1 - 1;
        if (w->index[b] < 0) {
            return ss_fail(w->ctx, SS_ERR_INPUT, "the scene has no body '%s'", w->p->bodies[b]);
        }
    }
    return SS_OK;
}

static ss_status run_data(ss_identify_worker *w, int32_t trial, double delay, const ss_scene *scene,
                          const ss_model *m, ss_data *d, double *measures)
{
    const ss_recorded *r   = &w->p->trials[trial];
    ss_run_def         def = ss_run_def_default();
    ss_run_result      result;
    double             last = r->t[r->count - 1] - delay;
    w->count                = 0;
    if (w->p->loss != SS_LOSS_MEASURES && w->p->loss != SS_LOSS_IMPACTS) {
        def.duration = fmax(last, ss_model_simulation(m)->step);
    }
    def.step       = w->halvings > 0 ? ldexp(ss_model_simulation(m)->step, -w->halvings) : 0;
    def.interrupt  = w->interrupt;
    def.watch      = watch;
    def.watch_user = w;
    if (w->recorder != NULL) {
        def.recorders      = &w->recorder;
        def.recorder_count = 1;
        def.scene_name     = ss_scene_name(scene);
        def.scene_path     = ss_scene_path(scene);
        def.scene_text     = ss_scene_text(scene);
        def.resolved       = ss_scene_resolved(scene);
    }
    if (w->watch != NULL) {
        SS_TRY(ss_watch_begin(w->watch, scene, m, d));
    }
    SS_TRY(ss_run(w->ctx, m, d, &def, &result));
    return w->p->loss == SS_LOSS_MEASURES ? ss_watch_end(w->watch, &result, measures) : SS_OK;
}

static ss_status simulate(ss_identify_worker *w, int32_t trial, const double *theta,
                          double *measures)
{
    ss_scene *scene  = NULL;
    ss_model *m      = NULL;
    ss_data  *d      = NULL;
    placing   pl     = {w, trial, theta};
    double    delay  = nuisance(w->p, trial, theta, SS_PARAMETER_DELAY, 0, 0);
    ss_status status = make_scene(w, trial, theta, &scene);
    if (status == SS_OK) {
        status = ss_model_compile(w->ctx, scene, &m);
    }
    if (status == SS_OK) {
        status = find_bodies(w, m);
    }
    if (status == SS_OK) {
        status = ss_data_create_placed(w->ctx, m, place, &pl, &d);
    }
    if (status == SS_OK) {
        status = run_data(w, trial, delay, scene, m, d, measures);
    }
    ss_data_destroy(d);
    ss_model_destroy(m);
    ss_scene_destroy(scene);
    return status;
}

ss_status ss_identify_model(ss_identify_worker *w, int32_t trial, const double *theta,
                            ss_model **out)
{
    ss_scene *scene  = NULL;
    ss_status status = make_scene(w, trial, theta, &scene);
    if (status == SS_OK) {
        status = ss_model_compile(w->ctx, scene, out);
    }
    ss_scene_destroy(scene);
    return status;
}

ss_status ss_identify_open(ss_identify_worker *w, int32_t trial, const double *theta, ss_model **m,
                           ss_data **d)
{
    placing pl = {w, trial, theta};
    SS_TRY(ss_identify_model(w, trial, theta, m));
    SS_TRY(find_bodies(w, *m));
    return ss_data_create_placed(w->ctx, *m, place, &pl, d);
}

ss_status ss_identify_simulate(ss_identify_worker *w, int32_t trial, const double *theta)
{
    size_t  room     = (size_t)w->p->study->measure_count + 1;
    double *measures = ss_alloc(w->ctx, room, sizeof *measures);
    if (measures == NULL) {
        return ss_fail(w->ctx, SS_ERR_MEMORY, "out of memory");
    }
    ss_status status = simulate(w, trial, theta, measures);
    ss_free(w->ctx, measures, room * sizeof *measures);
    return status;
}

/* ---- what a recording would show ---- */

static ss_vec3 between(ss_vec3 a, ss_vec3 b, double s)
{
    return ss_add(ss_scale(1 - s, a), ss_scale(s, b));
}

/* With the velocities at both ends: a step of constant forces is met exactly, and what is seen
   changes smoothly with the delay of a clock. */
static ss_vec3 curve(const ss_body_state *a, const ss_body_state *b, double s, double h)
{
    const ss_vec3 *p = &a->position, *q = &b->position, *v = &a->velocity, *w = &b->velocity;
    return ss_v3(ss_hermite(s, h, p->x, q->x, v->x, w->x), ss_hermite(s, h, p->y, q->y, v->y, w->y),
                 ss_hermite(s, h, p->z, q->z, v->z, w->z));
}

/* A body within a step of h seconds that leads from a to b; its orientation where it is `turned`.
 */
static ss_body_state state_between(const ss_body_state *a, const ss_body_state *b, double s,
                                   double h, bool turned)
{
    ss_body_state out = {
        .position = curve(a, b, s, h),
        .angle = ss_hermite(s, h, a->angle, b->angle, a->angular_velocity.z, b->angular_velocity.z),
        .velocity         = between(a->velocity, b->velocity, s),
        .angular_velocity = between(a->angular_velocity, b->angular_velocity, s)};
    if (turned) {
        ss_quat back  = {a->quat_wxyz.w, -a->quat_wxyz.x, -a->quat_wxyz.y, -a->quat_wxyz.z};
        ss_vec3 turn  = ss_quat_to_rotation(ss_quat_mul(b->quat_wxyz, back));
        out.quat_wxyz = ss_quat_mul(ss_quat_from_rotation(ss_scale(s, turn)), a->quat_wxyz);
    }
    return out;
}

/* Before its start a body went as it does then. */
static ss_body_state state_before(const ss_body_state *a, double t)
{
    ss_body_state out = *a;
    out.position      = ss_add(a->position, ss_scale(t, a->velocity));
    out.angle         = a->angle + t * a->angular_velocity.z;
    out.quat_wxyz =
        ss_quat_mul(ss_quat_from_rotation(ss_scale(t, a->angular_velocity)), a->quat_wxyz);
    return out;
}

/* Is the orientation of a body measured? It takes most of the time of a long recording. */
static bool sees_orientation(const ss_identify *p, int32_t body)
{
    for (int32_t c = 0; c < p->column_count; c++) {
        ss_quantity q = p->columns[c].quantity;
        if (p->columns[c].body == body && q >= SS_Q_QW && q <= SS_Q_QZ) {
            return true;
        }
    }
    return false;
}

/* `at`: the step that the last call ended in; times rise from call to call. */
static ss_body_state state_at(const ss_identify_worker *w, int32_t body, double t, bool turned,
                              int32_t *at)
{
    const ss_body_state *all = w->states + body;
    ptrdiff_t            n   = w->p->body_count;
    t += w->t[0];
    if (t < w->t[0]) {
        return state_before(all, t - w->t[0]);
    }
    while (*at + 1 < w->count && w->t[*at + 1] < t) {
        (*at)++;
    }
    if (*at + 1 >= w->count) {
        return all[(w->count - 1) * n];
    }
    double h = w->t[*at + 1] - w->t[*at];
    return state_between(&all[*at * n], &all[(*at + 1) * n], (t - w->t[*at]) / h, h, turned);
}

/* How the camera sees it. */
typedef struct view {
    double scale, bias, delay, offset[3];
} view;

static view view_of(const ss_identify *p, int32_t trial, const double *theta)
{
    view v = {.scale = nuisance(p, trial, theta, SS_PARAMETER_LENGTH_SCALE, 0, 1),
              .bias  = nuisance(p, trial, theta, SS_PARAMETER_ANGLE_BIAS, 0, 0),
              .delay = nuisance(p, trial, theta, SS_PARAMETER_DELAY, 0, 0)};
    for (int axis = 0; axis < 3; axis++) {
        v.offset[axis] = nuisance(p, trial, theta, SS_PARAMETER_OFFSET, axis, 0);
    }
    return v;
}

static double seen(const view *v, const ss_body_state *b, ss_quantity q)
{
    const double values[SS_Q_COUNT] = {v->scale * b->position.x + v->offset[0],
                                       v->scale * b->position.y + v->offset[1],
                                       v->scale * b->position.z + v->offset[2],
                                       b->angle + v->bias,
                                       b->quat_wxyz.w,
                                       b->quat_wxyz.x,
                                       b->quat_wxyz.y,
                                       b->quat_wxyz.z,
                                       v->scale * b->velocity.x,
                                       v->scale * b->velocity.y,
                                       v->scale * b->velocity.z,
                                       b->angular_velocity.z,
                                       b->angular_velocity.x,
                                       b->angular_velocity.y,
                                       b->angular_velocity.z};
    return values[q];
}

double ss_identify_delay(const ss_identify *p, int32_t trial, const double *theta)
{
    return nuisance(p, trial, theta, SS_PARAMETER_DELAY, 0, 0);
}

double ss_identify_unseen(const ss_identify *p, int32_t trial, const double *theta, int32_t column,
                          double value)
{
    view        v = view_of(p, trial, theta);
    ss_quantity q = p->columns[column].quantity;
    switch (ss_quantity_unit(q)) {
    case SS_UNIT_LENGTH:
        return (value - v.offset[q - SS_Q_X]) / v.scale;
    case SS_UNIT_SPEED:
        return value / v.scale;
    case SS_UNIT_ANGLE:
        return value - v.bias;
    default:
        return value;
    }
}

static void predict(const ss_identify_worker *w, int32_t trial, const double *theta, double *out)
{
    const ss_identify *p = w->p;
    const ss_recorded *r = &p->trials[trial];
    view               v = view_of(p, trial, theta);
    for (int32_t b = 0; b < p->body_count; b++) {
        int32_t at     = 0;
        bool    turned = sees_orientation(p, b);
        for (int32_t i = 0; i < r->count; i++) {
            ss_body_state s = state_at(w, b, r->t[i] - v.delay, turned, &at);
            for (int32_t c = 0; c < p->column_count; c++) {
                if (p->columns[c].body == b) {
                    out[(ptrdiff_t)i * p->column_count + c] = seen(&v, &s, p->columns[c].quantity);
                }
            }
        }
    }
}

/* ---- residuals ---- */

/* The rotation from what is predicted to what is measured, in place of qx, qy, qz. */
static void rotation_residual(const ss_identify *p, int32_t body, const double *y,
                              const double *out, double *r)
{
    double  q[2][4]  = {{0}};
    int32_t place[4] = {-1, -1, -1, -1};
    for (int32_t c = 0; c < p->column_count; c++) {
        int k = (int)p->columns[c].quantity - SS_Q_QW;
        if (p->columns[c].body == body && k >= 0 && k < 4) {
            q[0][k]  = y[c];
            q[1][k]  = out[c];
            place[k] = c;
        }
    }
    if (place[0] < 0) {
        return;
    }
    ss_quat measured = ss_quat_unit((ss_quat){q[0][0], q[0][1], q[0][2], q[0][3]});
    ss_quat back     = {q[1][0], -q[1][1], -q[1][2], -q[1][3]};
    ss_vec3 turn     = ss_quat_to_rotation(ss_quat_mul(measured, back));
    double  x[3] = {turn.x, turn.y, turn.z}, sigma = p->sigma[SS_UNIT_ANGLE];
    bool    missing = isnan(q[0][0] + q[0][1] + q[0][2] + q[0][3]);
    r[place[0]]     = 0;
    for (int k = 0; k < 3; k++) {
        r[place[k + 1]] = missing ? 0 : x[k] / sigma;
    }
}

static void sample_residuals(const ss_identify *p, const double *y, const double *out, double *r)
{
    for (int32_t c = 0; c < p->column_count; c++) {
        ss_unit_kind u = ss_quantity_unit(p->columns[c].quantity);
        if (u != SS_UNIT_NONE) {
            r[c] = isnan(y[c]) ? 0 : (y[c] - out[c]) / p->sigma[u];
        }
    }
    for (int32_t b = 0; b < p->body_count; b++) {
        rotation_residual(p, b, y, out, r);
    }
}

void ss_identify_differ(const ss_identify *p, int32_t trial, const double *theta, int32_t sample,
                        const ss_body_state *bodies, double *shown, double *r)
{
    view v = view_of(p, trial, theta);
    for (int32_t c = 0; c < p->column_count; c++) {
        shown[c] = seen(&v, &bodies[p->columns[c].body], p->columns[c].quantity);
    }
    sample_residuals(p, p->trials[trial].y + (ptrdiff_t)sample * p->column_count, shown, r);
}

/* How far the positions go from the first sample to the last. */
static double travelled(const ss_identify *p, const ss_recorded *r, const double *out)
{
    double square = 0;
    for (int32_t c = 0; c < p->column_count; c++) {
        if (ss_quantity_unit(p->columns[c].quantity) == SS_UNIT_LENGTH) {
            double far = out[(ptrdiff_t)(r->count - 1) * p->column_count + c] - out[c];
            square += far * far;
        }
    }
    return sqrt(square);
}

/* Residuals of the samples from `first` on. */
static void path_residuals(const ss_identify_worker *w, const ss_recorded *r, int32_t first,
                           const double *out, double *residuals)
{
    const ss_identify *p = w->p;
    memset(residuals, 0, (size_t)r->count * (size_t)p->column_count * sizeof *residuals);
    for (int32_t i = first; i < r->count; i++) {
        ptrdiff_t at = (ptrdiff_t)i * p->column_count;
        if (r->t[i] <= w->until) {
            sample_residuals(p, r->y + at, out + at, residuals + at);
        }
    }
}

static void compare(const ss_identify_worker *w, const ss_recorded *r, const double *out,
                    double *residuals)
{
    if (w->p->loss == SS_LOSS_TRAVEL) {
        residuals[0] = (r->travel - travelled(w->p, r, out)) / w->p->sigma[SS_UNIT_LENGTH];
        return;
    }
    path_residuals(w, r, w->p->loss == SS_LOSS_END ? r->count - 1 : 0, out, residuals);
}

/* One run, or the mean over the runs of an ensemble. */
static ss_status run_and_predict(ss_identify_worker *w, int32_t trial, const double *theta,
                                 double *measures, double *out)
{
    const ss_identify *p       = w->p;
    int32_t            members = p->ensemble.runs, count = p->trials[trial].count;
    size_t             cells = (size_t)count * (size_t)p->column_count;
    if (members == 0) {
        SS_TRY(simulate(w, trial, theta, measures));
        predict(w, trial, theta, out);
        return SS_OK;
    }
    double   *all    = ss_alloc(w->ctx, cells * (size_t)members, sizeof *all);
    ss_status status = all != NULL ? SS_OK : ss_fail(w->ctx, SS_ERR_MEMORY, "out of memory");
    for (w->member = 0; status == SS_OK && w->member < members; w->member++) {
        status = simulate(w, trial, theta, measures);
        predict(w, trial, theta, all + (size_t)w->member * cells);
    }
    w->member = -1;
    if (status == SS_OK) {
        ss_ensemble_mean(p, count, members, all, out);
    }
    ss_free(w->ctx, all, cells * (size_t)members * sizeof *all);
    return status;
}

ss_status ss_identify_residuals(ss_identify_worker *w, int32_t trial, const double *theta,
                                double *r)
{
    const ss_identify *p     = w->p;
    const ss_recorded *rec   = &p->trials[trial];
    size_t             cells = (size_t)rec->count * (size_t)p->column_count + 1;
    size_t             room  = cells + (size_t)p->study->measure_count;
    double            *work  = ss_alloc(w->ctx, room, sizeof *work);
    if (work == NULL) {
        return ss_fail(w->ctx, SS_ERR_MEMORY, "out of memory");
    }
    double   *measures = work + cells;
    ss_status status   = p->loss == SS_LOSS_MEASURES
                             ? simulate(w, trial, theta, measures)
                             : run_and_predict(w, trial, theta, measures, work);
    if (status == SS_OK && p->loss == SS_LOSS_MEASURES) {
        for (int32_t i = 0; i < p->measure_count; i++) {
            r[i] = measures[p->measures[i]];
        }
    } else if (status == SS_OK && p->loss == SS_LOSS_IMPACTS) {
        ss_impact_residuals(w, trial, theta, work, r);
    } else if (status == SS_OK) {
        compare(w, rec, work, r);
    }
    ss_free(w->ctx, work, room * sizeof *work);
    return status;
}

ss_status ss_identify_predict(ss_identify_worker *w, int32_t trial, const double *theta,
                              double *predicted, double *r)
{
    size_t  room     = (size_t)w->p->study->measure_count + 1;
    double *measures = ss_alloc(w->ctx, room, sizeof *measures);
    if (measures == NULL) {
        return ss_fail(w->ctx, SS_ERR_MEMORY, "out of memory");
    }
    ss_status status = run_and_predict(w, trial, theta, measures, predicted);
    ss_free(w->ctx, measures, room * sizeof *measures);
    SS_TRY(status);
    path_residuals(w, &w->p->trials[trial], 0, predicted, r);
    return SS_OK;
}
