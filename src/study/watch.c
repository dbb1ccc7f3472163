/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over the states of a run, t_0 < t_1 < .. < t_n:
 *
 *   max, min         over all states, the first and the last included;
 *   mean(E)          the integral of E over the run by trapezoids, over its length;
 *   at(T, E)         E at the first state that is not before T; NaN when the run ended before;
 *   period_mean      the same integral over the whole periods that fit, from FROM (0 unless given)
 *                    on; E is linear between states; NaN when no period fits;
 *   at_rest(T)       for at least T seconds no point of a body has been faster than would move it
 *                    by SS_REST_SHARE of the smallest moving body in T.
 */
#include "study/watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/elementary.h"
#include "expr/expr.h"
#include "model/model.h"
#include "study/tolerances.h"
#include "study/watch_text.h"

typedef struct sample {
    ss_sample_kind kind;
    int32_t        expression, time_at, from_at; /* handles, -1: none              */
    double         time, from;                   /* values in this trial           */
    double         value;    /* MAX, MIN, AT: the answer; PERIOD: integral to the last boundary */
    double         integral; /* MEAN, PERIOD: up to the last state                */
    double         last, last_time, first_time;
    double         boundary; /* PERIOD: end of the last whole period               */
    double         moved_at; /* REST: when something moved last                   */
    bool           known;    /* AT, MAX, MIN: has a value                          */
    bool           truth;    /* E is true or false                                 */
} sample;

struct ss_watch {
    ss_context     *ctx;
    const ss_study *study;
    ss_pool         pool;
    ss_watch_book   book;
    ss_expr_env    *env;
    sample          samples[SS_WATCH_SAMPLES];
    int32_t         stop;     /* handle, -1: none              */
    int32_t        *measures; /* (measure_count) handles, -1: in C */
    bool           *truth;    /* (measure_count)               */
    void          **states;   /* (measure_count) of measures in C */
    /* the trial */
    const ss_scene *scene;
    const ss_model *m;
    const ss_data  *d;
    double          residual; /* the worst so far */
    bool            begun;    /* the state at the start was seen */
    ss_trial_status verdict;
    int32_t         body[SS_WATCH_TEXTS], joint[SS_WATCH_TEXTS]; /* of the texts, -1: none */
};

/* ---- messages ---- */

/* "expression 'sampled(0) > 1': why" -> "why" */
static void bare_message(const ss_context *ctx, char *out, size_t size)
{
    const char *message = ss_context_message(ctx), *colon = strstr(message, "': ");
    bool        wrapped = strncmp(message, "expression '", 12) == 0 && colon != NULL;
    snprintf(out, size, "%s", wrapped ? colon + 3 : message);
}

static ss_status at_node(ss_watch *w, const ss_node *node, const char *what, const char *text,
                         ss_status status)
{
    char message[512];
    if (status == SS_OK) {
        return SS_OK;
    }
    bare_message(w->ctx, message, sizeof message);
    return ss_node_fail(w->ctx, node, status, "%s: expression '%.200s': %s", what, text, message);
}

/* The same for the expression of a measure, or (STOP) of `stop`. */
enum { STOP = -1 };
static ss_status in_expression(ss_watch *w, int32_t owner, ss_status status)
{
    char what[96];
    if (status == SS_OK) {
        return SS_OK;
    }
    if (owner == STOP) {
        return at_node(w, w->study->stop_node, "stop", w->study->stop, status);
    }
    const ss_measure *x = &w->study->measures[owner];
    snprintf(what, sizeof what, "measure '%.60s'", x->name);
    return at_node(w, x->node, what, x->text, status);
}

/* ---- names ---- */

static ss_status text_of(ss_watch *w, double number, const char **out, int32_t *index)
{
    if (!(number >= 0) || number >= w->book.text_count || number != floor(number)) {
        return ss_fail(w->ctx, SS_ERR_INPUT, "it takes names in quotes, such as 'ball'");
    }
    *index = (int32_t)number;
    *out   = w->book.texts[*index];
    return SS_OK;
}

static ss_status body_of(ss_watch *w, double number, int32_t *body)
{
    const char *name  = NULL;
    int32_t     index = 0;
    SS_TRY(text_of(w, number, &name, &index));
    *body = w->body[index];
    return *body >= 0
               ? SS_OK
               : ss_fail(w->ctx, SS_ERR_INPUT, "there is no body '%.60s' in the scene", name);
}

static ss_status two_bodies(ss_watch *w, const double *args, int32_t count, int32_t body[2])
{
    if (count != 2) {
        return ss_fail(w->ctx, SS_ERR_INPUT, "it takes two bodies");
    }
    SS_TRY(body_of(w, args[0], &body[0]));
    return body_of(w, args[1], &body[1]);
}

/* ---- the state of a body ---- */

typedef enum field { X, Y, Z, ANGLE, VX, VY, VZ, WX, WY, WZ, QW, QX, QY, QZ, SPEED, FIELDS } field;

/* The state of a body as seen from the frame of another. */
static ss_status relative(ss_watch *w, int32_t body, int32_t frame, ss_body_state *out)
{
    ss_body_state a, b;
    SS_TRY(ss_data_body(w->m, w->d, body, &a));
    SS_TRY(ss_data_body(w->m, w->d, frame, &b));
    ss_mat3 R = w->m->dimension == 3 ? ss_mat3_from_quat(b.quat_wxyz) : ss_mat3_from_angle(b.angle);
    ss_vec3 r = ss_sub(a.position, b.position);
    ss_vec3 v = ss_sub(ss_sub(a.velocity, b.velocity), ss_cross(b.angular_velocity, r));
    ss_quat back          = {b.quat_wxyz.w, -b.quat_wxyz.x, -b.quat_wxyz.y, -b.quat_wxyz.z};
    out->position         = ss_tmul(&R, r);
    out->velocity         = ss_tmul(&R, v);
    out->angular_velocity = ss_tmul(&R, ss_sub(a.angular_velocity, b.angular_velocity));
    out->quat_wxyz        = ss_quat_mul(back, a.quat_wxyz);
    out->angle            = a.angle - b.angle;
    return SS_OK;
}

static double turned_by(const ss_watch *w, const ss_body_state *s)
{
    const ss_quat *q = &s->quat_wxyz;
    return w->m->dimension == 2
               ? s->angle
               : 2 * ss_atan2(sqrt(q->x * q->x + q->y * q->y + q->z * q->z), fabs(q->w));
}

static ss_status read_field(ss_watch *w, field f, const double *args, int32_t count, double *out)
{
    ss_body_state s;
    int32_t       body = -1, frame = -1;
    if (count != 1 && count != 2) {
        return ss_fail(w->ctx, SS_ERR_INPUT,
                       "it takes a body, and another one in whose frame it is seen if need be");
    }
    SS_TRY(body_of(w, args[0], &body));
    if (count == 2) {
        SS_TRY(body_of(w, args[1], &frame));
        SS_TRY(relative(w, body, frame, &s));
    } else {
        SS_TRY(ss_data_body(w->m, w->d, body, &s));
    }
    const double values[FIELDS] = {s.position.x,         s.position.y,         s.position.z,
                                   turned_by(w, &s),     s.velocity.x,         s.velocity.y,
                                   s.velocity.z,         s.angular_velocity.x, s.angular_velocity.y,
                                   s.angular_velocity.z, s.quat_wxyz.w,        s.quat_wxyz.x,
                                   s.quat_wxyz.y,        s.quat_wxyz.z,        ss_norm(s.velocity)};
    *out                        = values[f];
    return SS_OK;
}

#define FIELD_FUNCTION(name, f)                                                                    \
    static ss_status name(void *user, const double *args, int32_t count, double *out, bool *truth) \
    {                                                                                              \
        (void)truth;                                                                               \
        return read_field(user, f, args, count, out);                                              \
    }
FIELD_FUNCTION(fn_x, X)
FIELD_FUNCTION(fn_y, Y)
FIELD_FUNCTION(fn_z, Z)
FIELD_FUNCTION(fn_angle, ANGLE)
FIELD_FUNCTION(fn_vx, VX)
FIELD_FUNCTION(fn_vy, VY)
FIELD_FUNCTION(fn_vz, VZ)
FIELD_FUNCTION(fn_wx, WX)
FIELD_FUNCTION(fn_wy, WY)
FIELD_FUNCTION(fn_wz, WZ)
FIELD_FUNCTION(fn_qw, QW)
FIELD_FUNCTION(fn_qx, QX)
FIELD_FUNCTION(fn_qy, QY)
FIELD_FUNCTION(fn_qz, QZ)
FIELD_FUNCTION(fn_speed, SPEED)

/* ---- contacts ---- */

/* What the contacts between two bodies did in the last step. */
typedef struct between {
    ss_vec3 force;
    int32_t closed, slipping;
} between;

static ss_status look_between(ss_watch *w, const double *args, int32_t count, between *out)
{
    int32_t body[2];
    double  h = ss_data_report(w->d)->step;
    *out      = (between){0};
    SS_TRY(two_bodies(w, args, count, body));
    for (int32_t i = 0; i < ss_data_contact_count(w->d); i++) {
        ss_contact_info c;
        SS_TRY(ss_data_contact(w->m, w->d, i, &c));
        bool straight = c.body_a == body[0] && c.body_b == body[1];
        bool turned   = c.body_a == body[1] && c.body_b == body[0];
        if ((!straight && !turned) || c.state == SS_CONTACT_OPEN) {
            continue;
        }
        ss_vec3 p  = ss_add(ss_scale(c.impulse[0], c.normal),
                            ss_add(ss_scale(c.impulse[1], c.t), ss_scale(c.impulse[2], c.o)));
        out->force = ss_add(out->force, ss_scale((straight ? 1 : -1) / h, p));
        out->closed++;
        out->slipping += c.state == SS_CONTACT_SLIP;
    }
    return SS_OK;
}

static ss_status fn_touches(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    between found;
    *truth = true;
    SS_TRY(look_between(user, args, count, &found));
    *out = found.closed > 0;
    return SS_OK;
}

static ss_status fn_slips(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    between found;
    *truth = true;
    SS_TRY(look_between(user, args, count, &found));
    *out = found.slipping > 0;
    return SS_OK;
}

static ss_status fn_force(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    between found;
    (void)truth;
    SS_TRY(look_between(user, args, count, &found));
    *out = ss_norm(found.force);
    return SS_OK;
}

/* ---- the rest of the state ---- */

static ss_status no_arguments(ss_watch *w, int32_t count)
{
    return count == 0 ? SS_OK : ss_fail(w->ctx, SS_ERR_INPUT, "it takes no arguments");
}

static ss_status fn_time(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch *w = user;
    (void)args, (void)truth;
    *out = ss_data_time(w->d);
    return no_arguments(w, count);
}

static ss_status fn_residual(void *user, const double *args, int32_t count, double *out,
                             bool *truth)
{
    ss_watch *w = user;
    (void)args, (void)truth;
    *out = w->residual;
    return no_arguments(w, count);
}

static ss_status fn_contacts(void *user, const double *args, int32_t count, double *out,
                             bool *truth)
{
    ss_watch *w = user;
    between   found;
    (void)truth;
    if (count == 0) {
        *out = ss_data_report(w->d)->contacts;
        return SS_OK;
    }
    SS_TRY(look_between(w, args, count, &found));
    *out = found.closed;
    return SS_OK;
}

static ss_status fn_energy(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch *w = user;
    (void)args, (void)truth;
    ss_energy e = ss_data_energy(w->m, w->d);
    *out        = e.kinetic + e.potential;
    return no_arguments(w, count);
}

/* Texts as numbers: equal texts are equal numbers. */
static ss_status give_text(ss_watch *w, const char *text, int32_t count, double *out)
{
    *out = ss_watch_text_number(&w->book, text, strlen(text));
    return no_arguments(w, count);
}

static ss_status fn_verdict(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch *w = user;
    (void)args, (void)truth;
    return give_text(w,
                     w->verdict == SS_TRIAL_PENDING ? "running" : ss_trial_status_text(w->verdict),
                     count, out);
}

static ss_status fn_hold(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch *w = user;
    (void)args, (void)truth;
    return give_text(w, ss_hold_text(ss_data_report(w->d)->hold), count, out);
}

static ss_status fn_motion(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch *w = user;
    (void)args, (void)truth;
    return give_text(w, ss_motion_verdict_text(ss_data_report(w->d)->motion), count, out);
}

static ss_status fn_joint(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch     *w     = user;
    const char   *name  = NULL;
    int32_t       index = 0;
    ss_joint_info info;
    (void)truth;
    if (count != 1) {
        return ss_fail(w->ctx, SS_ERR_INPUT, "it takes a joint");
    }
    SS_TRY(text_of(w, args[0], &name, &index));
    if (w->joint[index] < 0) {
        return ss_fail(w->ctx, SS_ERR_INPUT, "there is no joint '%.60s' in the scene", name);
    }
    SS_TRY(ss_data_joint(w->m, w->d, w->joint[index], &info));
    *out = info.value[0];
    return SS_OK;
}

static ss_status fn_param(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch *w = user;
    (void)truth;
    *out = ss_scene_param_value(w->scene, count == 1 ? (int32_t)args[0] : -1);
    return SS_OK;
}

/* The answer of a sum so far. */
static double sum_value(const sample *s)
{
    switch (s->kind) {
    case SS_SAMPLE_MAX:
    case SS_SAMPLE_MIN:
    case SS_SAMPLE_AT:
        return s->known ? s->value : NAN;
    case SS_SAMPLE_MEAN:
        return s->last_time > s->first_time ? s->integral / (s->last_time - s->first_time)
                                            : s->last;
    case SS_SAMPLE_PERIOD:
        return s->boundary > s->from ? s->value / (s->boundary - s->from) : NAN;
    case SS_SAMPLE_REST:
        return s->last_time - s->moved_at >= s->time * (1 - SS_TIME_ROUNDING);
    case SS_SAMPLE_KINDS:
        break;
    }
    return NAN;
}

static ss_status fn_sampled(void *user, const double *args, int32_t count, double *out, bool *truth)
{
    ss_watch *w = user;
    if (count != 1 || !(args[0] >= 0) || args[0] >= w->book.sample_count) {
        return ss_fail(w->ctx, SS_ERR_INPUT, "'sampled' is no function of expressions");
    }
    const sample *s        = &w->samples[(int32_t)args[0]];
    bool          averaged = s->kind == SS_SAMPLE_MEAN || s->kind == SS_SAMPLE_PERIOD;
    *out                   = sum_value(s);
    *truth                 = s->kind == SS_SAMPLE_REST || (s->truth && !averaged);
    if (*truth && isnan(*out)) {
        *out = 0; /* not reached is not true */
    }
    return SS_OK;
}

/* ---- sums ---- */

/* Has a body moved faster than rest allows? */
static bool moving(const ss_watch *w, double seconds)
{
    double limit = SS_REST_SHARE * w->m->length / fmax(seconds, SS_LEAST_SECONDS);
    for (int32_t i = 0; i < w->m->nb; i++) {
        const ss_body *b = &w->m->bodies[i];
        ss_body_state  s;
        if (b->type == SS_BODY_STATIC || ss_data_body(w->m, w->d, i, &s) != SS_OK) {
            continue;
        }
        if (ss_norm(s.velocity) + ss_norm(s.angular_velocity) * b->extent > limit) {
            return true;
        }
    }
    return false;
}

/* The integral up to `t`, between the last state and one with value `value` at time `now`. */
static double integral_to(const sample *s, double t, double now, double value)
{
    double part = (t - s->last_time) / (now - s->last_time);
    double at_t = s->last + part * (value - s->last);
    return s->integral + 0.5 * (s->last + at_t) * (t - s->last_time);
}

/* Periods begin at `from`: what lies before is left out. */
static void add_period(sample *s, double now, double value)
{
    if (now <= s->from) {
        return;
    }
    if (s->last_time < s->from) {
        double part  = (s->from - s->last_time) / (now - s->last_time);
        s->last      = s->last + part * (value - s->last);
        s->last_time = s->from;
    }
    double periods = floor((now - s->from) / s->time * (1 + SS_TIME_ROUNDING));
    double end     = s->from + periods * s->time;
    if (periods > 0 && end > s->boundary) {
        s->value    = integral_to(s, fmin(end, now), now, value);
        s->boundary = end;
    }
}

static void add_value(sample *s, bool first, double now, double value)
{
    if (first) {
        s->first_time = now;
    }
    if (s->kind == SS_SAMPLE_PERIOD && !first) {
        add_period(s, now, value);
    }
    bool counts = !first && !(s->kind == SS_SAMPLE_PERIOD && now <= s->from);
    if (counts && now > s->last_time) {
        s->integral += 0.5 * (s->last + value) * (now - s->last_time);
    }
    if (s->kind == SS_SAMPLE_AT && !s->known && now >= s->time - SS_TIME_ROUNDING * fabs(s->time)) {
        s->value = value;
        s->known = true;
    }
    if ((s->kind == SS_SAMPLE_MAX && (!s->known || value > s->value)) ||
        (s->kind == SS_SAMPLE_MIN && (!s->known || value < s->value))) {
        s->value = value;
        s->known = true;
    }
    s->last      = value;
    s->last_time = now;
}

static ss_status update(ss_watch *w, sample *s, bool first)
{
    double now = ss_data_time(w->d), value = 0;
    if (s->kind == SS_SAMPLE_REST) {
        if (first || moving(w, s->time)) {
            s->moved_at = now;
        }
        s->last_time = now;
        return SS_OK;
    }
    if (s->kind == SS_SAMPLE_AT && s->known) {
        return SS_OK;
    }
    SS_TRY(ss_expr_judge(w->env, s->expression, &value, &s->truth));
    add_value(s, first, now, value);
    return SS_OK;
}

static ss_status update_all(ss_watch *w, bool first)
{
    for (int32_t i = 0; i < w->book.sample_count; i++) {
        ss_status status = update(w, &w->samples[i], first);
        SS_TRY(in_expression(w, w->book.samples[i].owner, status));
    }
    return SS_OK;
}

/* Times of a sum are constants of the trial. */
static ss_status begin_sample(ss_watch *w, sample *s)
{
    *s = (sample){
        .kind = s->kind, .expression = s->expression, .time_at = s->time_at, .from_at = s->from_at};
    if (s->time_at >= 0) {
        SS_TRY(ss_expr_judge(w->env, s->time_at, &s->time, NULL));
    }
    if (s->from_at >= 0) {
        SS_TRY(ss_expr_judge(w->env, s->from_at, &s->from, NULL));
    }
    bool positive = s->kind == SS_SAMPLE_PERIOD || s->kind == SS_SAMPLE_REST;
    if (!isfinite(s->time) || s->time < 0 || (positive && s->time == 0) || !(s->from >= 0)) {
        return ss_fail(w->ctx, SS_ERR_INPUT, "a time in a measure must be %s 0, got %g",
                       positive ? ">" : ">=", s->time);
    }
    s->boundary = s->from;
    return SS_OK;
}

/* ---- a trial ---- */

ss_status ss_watch_begin(ss_watch *w, const ss_scene *scene, const ss_model *m, const ss_data *d)
{
    w->scene    = scene;
    w->m        = m;
    w->d        = d;
    w->residual = 0;
    w->begun    = false;
    w->verdict  = SS_TRIAL_PENDING;
    for (int32_t i = 0; i < SS_WATCH_TEXTS; i++) {
        const char *text = i < w->book.text_count ? w->book.texts[i] : NULL;
        w->body[i]       = ss_model_find_body(m, text).index1 - 1;
        w->joint[i]      = ss_model_find_joint(m, text);
    }
    for (int32_t i = 0; i < w->book.sample_count; i++) {
        ss_status status = begin_sample(w, &w->samples[i]);
        SS_TRY(in_expression(w, w->book.samples[i].owner, status));
    }
    for (int32_t i = 0; i < w->study->measure_count; i++) {
        const ss_measure *x = &w->study->measures[i];
        if (x->cls != NULL) {
            memset(w->states[i], 0, x->cls->state_size);
        }
        if (x->cls != NULL && x->cls->begin != NULL) {
            SS_TRY(x->cls->begin(w->states[i], x->user, m, d));
        }
    }
    return SS_OK;
}

ss_status ss_watch_step(void *user, const ss_model *m, const ss_data *d, bool *stop)
{
    ss_watch *w     = user;
    double    value = 0;
    bool      first = !w->begun;
    w->begun        = true;
    w->residual     = fmax(w->residual, ss_data_report(d)->residual);
    SS_TRY(update_all(w, first));
    for (int32_t i = 0; i < w->study->measure_count; i++) {
        const ss_measure *x = &w->study->measures[i];
        if (x->cls != NULL && x->cls->step != NULL) {
            SS_TRY(x->cls->step(w->states[i], x->user, m, d));
        }
    }
    if (w->stop >= 0) {
        SS_TRY(in_expression(w, STOP, ss_expr_judge(w->env, w->stop, &value, NULL)));
    }
    *stop = value != 0;
    return SS_OK;
}

ss_status ss_watch_end(ss_watch *w, const ss_run_result *result, double *measures)
{
    w->verdict = result->stopped ? SS_TRIAL_STOPPED : SS_TRIAL_DONE;
    for (int32_t i = 0; i < w->study->measure_count; i++) {
        const ss_measure *x = &w->study->measures[i];
        if (x->cls != NULL) {
            SS_TRY(x->cls->end(w->states[i], x->user, w->m, w->d, result, &measures[i]));
        } else {
            ss_status status = ss_expr_judge(w->env, w->measures[i], &measures[i], &w->truth[i]);
            SS_TRY(in_expression(w, i, status));
        }
    }
    return SS_OK;
}

bool ss_watch_gave_truth(const ss_watch *w, int32_t measure)
{
    return w->truth[measure];
}

/* ---- making one ---- */

const ss_watch_doc ss_watch_docs[] = {
    {"x", "x(BODY), x(BODY, IN)", "position of the body frame; IN: as seen from that body's frame"},
    {"y", "y(BODY), y(BODY, IN)", "the same along y"},
    {"z", "z(BODY), z(BODY, IN)", "the same along z"},
    {"angle", "angle(BODY)", "2D: its angle, all turns counted; 3D: how far it is turned"},
    {"vx", "vx(BODY), vy, vz", "velocity of the body frame's origin"},
    {"wx", "wx(BODY), wy, wz", "angular velocity; 2D: wz"},
    {"qw", "qw(BODY), qx, qy, qz", "orientation as a quaternion"},
    {"speed", "speed(BODY)", "size of the velocity"},
    {"touches", "touches(A, B)", "does a contact between the two carry a force?"},
    {"slips", "slips(A, B)", "does one of them slide?"},
    {"force", "force(A, B)", "size of the force between the two, newtons, mean of the step"},
    {"contacts", "contacts, contacts(A, B)",
     "how many contacts; between the two: that carry force"},
    {"joint", "joint(NAME)", "coordinate of a joint"},
    {"energy", "energy", "kinetic and potential energy of everything"},
    {"at_rest", "at_rest(SECONDS)", "has nothing moved for so long?"},
    {"time", "time", "seconds since the start"},
    {"residual", "residual", "the worst certificate so far"},
    {"verdict", "verdict", "'running', at the end 'done' or 'stopped'"},
    {"hold", "hold", "'free', 'jammed', 'wedged', .. as the last step found the contacts"},
    {"motion", "motion", "'unique', 'not unique', 'undecided': the motion of the last step"},
    {"max", "max(EXPR), min(EXPR)", "the largest, the smallest over the run"},
    {"mean", "mean(EXPR)", "the mean over the run, over time"},
    {"at", "at(T, EXPR)", "the value at time T; NaN when the run ends before"},
    {"period_mean", "period_mean(T, EXPR), period_mean(T, EXPR, FROM)",
     "the mean over the whole periods of T seconds that fit into the run, from FROM on"},
    {NULL, NULL, NULL},
};

static ss_status add_functions(ss_watch *w)
{
    static const struct {
        const char *name;
        ss_expr_fn  fn;
    } known[] = {
        {"x", fn_x},
        {"y", fn_y},
        {"z", fn_z},
        {"angle", fn_angle},
        {"vx", fn_vx},
        {"vy", fn_vy},
        {"vz", fn_vz},
        {"wx", fn_wx},
        {"wy", fn_wy},
        {"wz", fn_wz},
        {"qw", fn_qw},
        {"qx", fn_qx},
        {"qy", fn_qy},
        {"qz", fn_qz},
        {"speed", fn_speed},
        {"touches", fn_touches},
        {"slips", fn_slips},
        {"force", fn_force},
        {"time", fn_time},
        {"residual", fn_residual},
        {"hold", fn_hold},
        {"motion", fn_motion},
        {"energy", fn_energy},
        {"contacts", fn_contacts},
        {"joint", fn_joint},
        {"param", fn_param},
        {"sampled", fn_sampled},
        {"verdict", fn_verdict},
    };
    enum { COUNT = (int)(sizeof known / sizeof known[0]) };
    ss_expr_function *functions = ss_pool_alloc(&w->pool, COUNT, sizeof *functions);
    if (functions == NULL) {
        return ss_fail(w->ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (int i = 0; i < COUNT; i++) {
        functions[i] = (ss_expr_function){known[i].name, known[i].fn, w, 0};
        SS_TRY(ss_expr_set_function(w->env, &functions[i]));
    }
    return SS_OK;
}

static ss_status compile(ss_watch *w, int32_t owner, const char *text, int32_t *handle)
{
    const char *lua = NULL;
    w->book.owner   = owner;
    SS_TRY(ss_watch_rewrite(&w->book, text, &lua));
    return ss_expr_compile(w->env, lua, handle);
}

/* Handle -1 for what is not there. */
static ss_status compile_part(ss_watch *w, const char *text, int32_t *handle)
{
    *handle = -1;
    return text != NULL ? ss_expr_compile(w->env, text, handle) : SS_OK;
}

static ss_status compile_sample(ss_watch *w, const ss_sample_text *t, sample *s)
{
    *s = (sample){.kind = t->kind};
    SS_TRY(compile_part(w, t->expression, &s->expression));
    SS_TRY(compile_part(w, t->time, &s->time_at));
    return compile_part(w, t->from, &s->from_at);
}

static ss_status compile_samples(ss_watch *w)
{
    for (int32_t i = 0; i < w->book.sample_count; i++) {
        ss_status status = compile_sample(w, &w->book.samples[i], &w->samples[i]);
        SS_TRY(in_expression(w, w->book.samples[i].owner, status));
    }
    return SS_OK;
}

static ss_status prepare(ss_watch *w)
{
    const ss_study *s = w->study;
    w->measures       = ss_pool_alloc(&w->pool, (size_t)s->measure_count + 1, sizeof *w->measures);
    w->truth          = ss_pool_alloc(&w->pool, (size_t)s->measure_count + 1, sizeof *w->truth);
    w->states         = ss_pool_alloc(&w->pool, (size_t)s->measure_count + 1, sizeof *w->states);
    if (w->measures == NULL || w->truth == NULL || w->states == NULL) {
        return ss_fail(w->ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (int32_t i = 0; i < s->measure_count; i++) {
        const ss_measure *x = &s->measures[i];
        w->measures[i]      = -1;
        if (x->cls == NULL) {
            SS_TRY(in_expression(w, i, compile(w, i, x->text, &w->measures[i])));
        } else {
            w->states[i] = ss_pool_alloc(&w->pool, x->cls->state_size + 1, 1);
            SS_TRY(w->states[i] != NULL ? SS_OK : ss_fail(w->ctx, SS_ERR_MEMORY, "out of memory"));
        }
    }
    if (s->stop != NULL) {
        SS_TRY(in_expression(w, STOP, compile(w, STOP, s->stop, &w->stop)));
    }
    return compile_samples(w);
}

ss_status ss_watch_create(ss_context *ctx, const ss_study *s, ss_watch **out)
{
    ss_watch *w = ss_alloc(ctx, 1, sizeof *w);
    *out        = NULL;
    if (w == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    w->ctx           = ctx;
    w->study         = s;
    w->stop          = -1;
    w->pool          = (ss_pool){.ctx = ctx};
    w->book          = (ss_watch_book){.ctx = ctx, .pool = &w->pool, .scene = s->first_scene};
    ss_status status = ss_expr_env_create(ctx, &w->env);
    if (status == SS_OK) {
        status = add_functions(w);
    }
    if (status == SS_OK) {
        status = prepare(w);
    }
    if (status != SS_OK) {
        ss_watch_destroy(w);
        return status;
    }
    *out = w;
    return SS_OK;
}

void ss_watch_destroy(ss_watch *w)
{
    if (w != NULL) {
        ss_expr_env_destroy(w->env);
        ss_pool_free(&w->pool);
        ss_free(w->ctx, w, sizeof *w);
    }
}
