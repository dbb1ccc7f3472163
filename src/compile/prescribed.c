/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Motions of kinematic bodies. What is given as a function of time is kept as it is; what is given
 * as a rate is integrated here, once, into a track (docs/theory/prescribed-motion.md):
 *
 *   v(t) = int a,  p(t) = int v           four Gauss points in each piece: order 8
 *   q' = w q / 2 (w in world axes),  q' = q w / 2 (body axes)     Runge-Kutta 4 on pieces
 *
 * Where an expression jumps or bends, a piece ends: the integral bends there, and no cubic does.
 *
 * Periodic accelerations have zero mean, and so do the velocity, the position and the rotation
 * vector over the first period: the constants of integration follow from that (thesis 5.3). Two
 * rotations in quadrature leave a rotation after each period (coning); it is kept, unless the
 * scene asks for the orientation exp(int int alpha) itself.
 */
#include <math.h>
#include <stdio.h>

#include "compile/compile.h"
#include "compile/tolerances.h"

enum {
    PERIOD_PIECES    = 1024,   /* of one period: cubic pieces are then exact to 4e-12 of it */
    PIECES_PER_STEP  = 4,      /* of a motion that does not repeat                          */
    TRACK_PIECES_MAX = 250000, /* 12 MB; longer motions get wider pieces                    */
    BREAKS_PER_PIECE = 16,     /* of what jumps more often, the first ones                  */
    GAUSS            = 4
};

/* Nodes and weights on [0, 1]. */
static const double gauss_at[GAUSS]     = {0.06943184420297371, 0.33000947820757187,
                                           0.66999052179242813, 0.93056815579702629};
static const double gauss_weight[GAUSS] = {0.17392742256872693, 0.32607257743127307,
                                           0.32607257743127307, 0.17392742256872693};

typedef struct integral {
    ss_compiler    *c;
    const char     *where;
    ss_value        f[3];
    int32_t         handle[3]; /* -1: a number */
    ss_track_times  times;
    double         *breaks; /* (break_count) when the rate jumps or bends, in order */
    ss_place_break *at;     /* (break_count) */
    int32_t         break_count, break_room;
} integral;

static ss_status no_memory(ss_compiler *c)
{
    return ss_fail(c->ctx, SS_ERR_MEMORY, "no memory for the model");
}

/* ---- times ---- */

/* Motions that do not repeat are known a little longer than the run, for steps that look ahead. */
static ss_track_times choose_times(const ss_compiler *c, double period)
{
    const ss_simulation_def *sim = &c->scene->simulation;
    if (period > 0) {
        return (ss_track_times){period / PERIOD_PIECES, PERIOD_PIECES, true};
    }
    double span = sim->duration + sim->settle + 2 * sim->step;
    double count =
        fmax(PERIOD_PIECES, fmin(ceil(span / sim->step) * PIECES_PER_STEP, TRACK_PIECES_MAX));
    return (ss_track_times){span / count, (int32_t)count, false};
}

/* ---- functions of time ---- */

static ss_status prepare(integral *in, const ss_value f[3])
{
    for (int k = 0; k < 3; k++) {
        ss_timed checked;
        in->f[k]      = f[k];
        in->handle[k] = -1;
        if (f[k].expression != NULL) {
            SS_TRY(ss_compile_timed(in->c, &f[k], in->where, &checked));
            SS_TRY(ss_expr_compile(in->c->env, f[k].expression, &in->handle[k]));
        }
    }
    return SS_OK;
}

static ss_status evaluate(const integral *in, double t, ss_vec3 *out)
{
    double y[3];
    for (int k = 0; k < 3; k++) {
        y[k] = in->f[k].number;
        if (in->handle[k] >= 0 &&
            (ss_expr_eval(in->c->env, in->handle[k], t, &y[k]) != SS_OK || !isfinite(y[k]))) {
            char why[256];
            snprintf(why, sizeof why, "%s", ss_context_message(in->c->ctx));
            return ss_fail(in->c->ctx, SS_ERR_INPUT, "%s: at t = %g: %s", in->where, t,
                           isfinite(y[k]) ? why : "it is not finite");
        }
    }
    *out = ss_v3(y[0], y[1], y[2]);
    return SS_OK;
}

/* ---- times at which they jump or bend ---- */

static ss_status add_break(integral *in, double t)
{
    if (in->break_count == in->break_room) {
        int32_t         room  = in->break_room > 0 ? 2 * in->break_room : 16;
        double         *times = ss_pool_alloc(&in->c->model->pool, (size_t)room, sizeof *times);
        ss_place_break *at    = ss_pool_alloc(&in->c->model->pool, (size_t)room, sizeof *at);
        if (times == NULL || at == NULL) {
            return no_memory(in->c);
        }
        for (int32_t i = 0; i < in->break_count; i++) {
            times[i] = in->breaks[i];
        }
        in->breaks     = times;
        in->at         = at;
        in->break_room = room;
    }
    in->breaks[in->break_count++] = t;
    return SS_OK;
}

/* The first break after `from`; infinite: there is none before `to`. */
static ss_status next_break(const integral *in, double from, double to, double *out)
{
    *out = INFINITY;
    for (int k = 0; k < 3; k++) {
        double at = INFINITY, until = fmin(*out, to);
        if (in->handle[k] >= 0 && ss_expr_has_sides(in->c->env, in->handle[k])) {
            SS_TRY(ss_expr_next_side(in->c->env, in->handle[k], from, until, &at));
        }
        *out = fmin(*out, at);
    }
    return SS_OK;
}

static ss_status find_breaks(integral *in)
{
    double near = SS_BREAK_NEAR * in->times.dt, at = 0;
    for (int32_t i = 0, in_piece = 0; i < in->times.pieces; in_piece = 0, i++) {
        double from = fmax(i * in->times.dt, at) + near, to = (i + 1) * in->times.dt + near;
        while (from < to && in_piece++ < BREAKS_PER_PIECE) {
            SS_TRY(next_break(in, from, to, &at));
            if (!isfinite(at)) {
                break;
            }
            SS_TRY(add_break(in, at));
            from = at + near;
        }
        at = in->break_count > 0 ? in->breaks[in->break_count - 1] : 0;
    }
    return SS_OK;
}

/* ---- integrals ---- */

typedef struct samples {
    ss_vec3 *p, *v; /* (pieces + 1) the second integral and the first, or the first and f itself */
    double   size;  /* int |f| */
} samples;

static ss_status make_samples(const integral *in, samples *s)
{
    size_t n = (size_t)in->times.pieces + 1;
    s->p     = ss_pool_alloc(&in->c->model->pool, n, sizeof *s->p);
    s->v     = ss_pool_alloc(&in->c->model->pool, n, sizeof *s->v);
    s->size  = 0;
    return s->p != NULL && s->v != NULL ? SS_OK : no_memory(in->c);
}

/* Over the parts from .. to of piece i: int f and int (t_end - t) f. */
static ss_status over_piece(const integral *in, int32_t i, double from, double to, ss_vec3 *once,
                            ss_vec3 *twice, double *size)
{
    double dt = (to - from) * in->times.dt;
    *once = *twice = ss_v3(0, 0, 0);
    for (int g = 0; g < GAUSS; g++) {
        ss_vec3 f;
        SS_TRY(evaluate(in, (i + (from + (to - from) * gauss_at[g])) * in->times.dt, &f));
        *once  = ss_axpy(*once, gauss_weight[g] * dt, f);
        *twice = ss_axpy(*twice, gauss_weight[g] * dt * dt * (1 - gauss_at[g]), f);
        *size += gauss_weight[g] * dt * ss_norm(f);
    }
    return SS_OK;
}

/* On over the parts *from .. to of piece i; v is what f is the rate of, or, once, not asked for. */
static ss_status go_on(const integral *in, int32_t i, double *from, double to, bool twice,
                       ss_vec3 *p, ss_vec3 *v, double *size)
{
    ss_vec3 first, second;
    double  dt = (to - *from) * in->times.dt;
    SS_TRY(over_piece(in, i, *from, to, &first, &second, size));
    *p    = twice ? ss_add(ss_axpy(*p, dt, *v), second) : ss_add(*p, first);
    *v    = ss_add(*v, first);
    *from = to;
    return SS_OK;
}

/* Rates on either side of a break. */
static ss_status note_break(const integral *in, int32_t k, bool twice, ss_vec3 p, ss_vec3 v)
{
    double near = SS_BREAK_NEAR * in->times.dt;
    in->at[k]   = (ss_place_break){p, v, v};
    if (!twice) {
        SS_TRY(evaluate(in, in->breaks[k] - near, &in->at[k].before));
        SS_TRY(evaluate(in, in->breaks[k] + near, &in->at[k].after));
    }
    return SS_OK;
}

/* From rest at the origin: the velocity f to a position, or, twice, the acceleration f to both. */
static ss_status integrate(integral *in, bool twice, samples *s)
{
    int32_t k = 0;
    SS_TRY(find_breaks(in));
    SS_TRY(make_samples(in, s));
    s->p[0] = s->v[0] = ss_v3(0, 0, 0);
    if (!twice) {
        SS_TRY(evaluate(in, 0, &s->v[0]));
    }
    for (int32_t i = 0; i < in->times.pieces; i++) {
        ss_vec3 p = s->p[i], v = s->v[i];
        double  from = 0, part;
        for (; k < in->break_count && (part = in->breaks[k] / in->times.dt - i) <= 1; k++) {
            if (part > from) {
                SS_TRY(go_on(in, i, &from, part, twice, &p, &v, &s->size));
            }
            SS_TRY(note_break(in, k, twice, p, v));
        }
        SS_TRY(go_on(in, i, &from, 1, twice, &p, &v, &s->size));
        s->p[i + 1] = p;
        s->v[i + 1] = v;
        if (!twice) {
            SS_TRY(evaluate(in, (i + 1) * in->times.dt, &s->v[i + 1]));
        }
    }
    in->break_count = k; /* one that the rounding of the last time leaves out is none */
    return SS_OK;
}

/* p + a + b t, and v with it. */
static void add_line(const integral *in, samples *s, ss_vec3 a, ss_vec3 b)
{
    for (int32_t i = 0; i <= in->times.pieces; i++) {
        s->p[i] = ss_add(s->p[i], ss_axpy(a, i * in->times.dt, b));
        s->v[i] = ss_add(s->v[i], b);
    }
    for (int32_t k = 0; k < in->break_count; k++) {
        in->at[k].p      = ss_add(in->at[k].p, ss_axpy(a, in->breaks[k], b));
        in->at[k].before = ss_add(in->at[k].before, b);
        in->at[k].after  = ss_add(in->at[k].after, b);
    }
}

/* Constants of integration for zero mean velocity and position over the period. */
static ss_status centre(const integral *in, samples *s)
{
    int32_t n    = in->times.pieces;
    double  span = n * in->times.dt;
    if (ss_norm(s->v[n]) > SS_MOTION_MEAN * s->size) {
        return ss_fail(in->c->ctx, SS_ERR_INPUT,
                       "%s: over its period of %.15g s it changes the velocity by (%.6g, %.6g, "
                       "%.6g): its mean must be zero, or it does not repeat",
                       in->where, span, s->v[n].x, s->v[n].y, s->v[n].z);
    }
    add_line(in, s, ss_v3(0, 0, 0), ss_scale(-1 / span, s->p[n]));
    ss_vec3 mean = ss_v3(0, 0, 0);
    for (int32_t i = 0; i < n; i++) {
        mean = ss_axpy(mean, 1.0 / n, s->p[i]);
    }
    add_line(in, s, ss_scale(-1, mean), ss_v3(0, 0, 0));
    return SS_OK;
}

/* From velocity (acceleration == NULL) or acceleration, with the state at t = 0 given. */
static ss_status make_samples_of(integral *in, const ss_value *velocity,
                                 const ss_value *acceleration, ss_vec3 speed, samples *s)
{
    SS_TRY(prepare(in, acceleration != NULL ? acceleration : velocity));
    if (acceleration == NULL) {
        return integrate(in, false, s);
    }
    SS_TRY(integrate(in, true, s));
    if (in->times.periodic) {
        return centre(in, s);
    }
    add_line(in, s, ss_v3(0, 0, 0), speed);
    return SS_OK;
}

static ss_status make_place(const integral *in, const samples *s, ss_vec3 start,
                            const ss_place_track **out)
{
    ss_place_track *track = ss_pool_alloc(&in->c->model->pool, 1, sizeof *track);
    if (track == NULL) {
        return no_memory(in->c);
    }
    ss_vec3 drift = ss_sub(s->p[in->times.pieces], s->p[0]);
    *track = (ss_place_track){in->times, s->p, s->v, start, drift, {in->breaks, in->break_count},
                              in->at};
    *out   = track;
    return SS_OK;
}

/* ---- orientation ---- */

/* q' for the angular velocity w. */
static ss_quat turning(bool body, ss_vec3 w, ss_quat q)
{
    ss_quat half = {0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z};
    return body ? ss_quat_mul(q, half) : ss_quat_mul(half, q);
}

static ss_quat moved(ss_quat q, double h, ss_quat rate)
{
    ss_quat to = {q.w + h * rate.w, q.x + h * rate.x, q.y + h * rate.y, q.z + h * rate.z};
    return to;
}

/* One step of Runge-Kutta 4 over two pieces of w. */
static ss_quat turn_on(bool body, const ss_vec3 *w, double h, ss_quat q)
{
    ss_quat a = turning(body, w[0], q);
    ss_quat b = turning(body, w[1], moved(q, h / 2, a));
    ss_quat c = turning(body, w[1], moved(q, h / 2, b));
    ss_quat d = turning(body, w[2], moved(q, h, c));
    ss_quat e = moved(moved(moved(moved(q, h / 6, a), h / 3, b), h / 3, c), h / 6, d);
    return ss_quat_unit(e);
}

/* The rotation that makes the mean rotation vector over the first period zero. */
static ss_quat centring(const ss_turn_track *track)
{
    ss_quat c = ss_quat_identity();
    int32_t n = track->times.pieces;
    for (int pass = 0; pass < SS_MOTION_PASSES; pass++) {
        ss_vec3 mean = ss_v3(0, 0, 0);
        for (int32_t i = 0; i <= n; i++) {
            ss_quat q = track->body ? ss_quat_mul(c, track->q[i]) : ss_quat_mul(track->q[i], c);
            mean      = ss_axpy(mean, (i == 0 || i == n ? 0.5 : 1.0) / n, ss_quat_to_rotation(q));
        }
        ss_quat back = ss_quat_from_rotation(ss_scale(-1, mean));
        c            = ss_quat_unit(track->body ? ss_quat_mul(back, c) : ss_quat_mul(c, back));
    }
    return c;
}

/*
 * Over a piece with breaks, from one to the next; w is taken as straight in between. *k: the first
 * break of the piece.
 */
static void turn_past_breaks(const integral *in, const ss_vec3 *w, int32_t i, int32_t *k,
                             ss_turn_track *track, ss_turn_break *at, ss_quat *q)
{
    double  now = 2 * i * in->times.dt, end = 2 * (i + 1) * in->times.dt;
    ss_vec3 rate = w[2 * i];
    for (bool last = false; !last;) {
        last           = *k == in->break_count || in->breaks[*k] > end;
        double  until  = last ? end : in->breaks[*k];
        ss_vec3 then   = last ? w[2 * i + 2] : in->at[*k].before;
        ss_vec3 way[3] = {rate, ss_scale(0.5, ss_add(rate, then)), then};
        *q             = turn_on(track->body, way, until - now, *q);
        if (!last) {
            at[*k] = (ss_turn_break){*q, turning(track->body, then, *q),
                                     turning(track->body, in->at[*k].after, *q)};
            rate   = in->at[(*k)++].after;
            now    = until;
        }
    }
}

/* Quaternions at every second of the times at which w is known. */
static ss_status turn_by_rate(const integral *in, const ss_vec3 *w, bool centred,
                              ss_turn_track *track)
{
    int32_t  n  = in->times.pieces / 2;
    double   dt = 2 * in->times.dt;
    ss_quat *q  = ss_pool_alloc(&in->c->model->pool, (size_t)n + 1, sizeof *q);
    ss_quat *r  = ss_pool_alloc(&in->c->model->pool, (size_t)n + 1, sizeof *r);
    int32_t  k  = 0;

    ss_turn_break *at = ss_pool_alloc(&in->c->model->pool, (size_t)in->break_count + 1, sizeof *at);
    if (q == NULL || r == NULL || at == NULL) {
        return no_memory(in->c);
    }
    track->breaks = (ss_track_breaks){in->breaks, in->break_count};
    track->at     = at;
    track->times  = (ss_track_times){dt, n, in->times.periodic};
    track->q      = q;
    track->rate   = r;
    q[0]          = ss_quat_identity();
    for (int32_t i = 0; i < n; i++) {
        q[i + 1] = turn_on(track->body, &w[2 * i], dt, q[i]);
        if (k < in->break_count && in->breaks[k] <= (i + 1) * dt) {
            q[i + 1] = q[i];
            turn_past_breaks(in, &w[0], i, &k, track, at, &q[i + 1]);
        }
    }
    for (int32_t i = 0; i <= n; i++) {
        r[i] = turning(track->body, w[2 * i], q[i]);
    }
    track->per_period = ss_quat_to_rotation(q[n]);
    if (centred) {
        ss_quat c    = centring(track);
        track->start = track->body ? ss_quat_mul(track->start, c) : ss_quat_mul(c, track->start);
    }
    return SS_OK;
}

static ss_status set_turn(ss_compiler *c, const ss_body_def *def, ss_body *b, const char *where)
{
    const ss_motion_def *from  = &def->motion;
    bool                 flat  = c->model->dimension == 2;
    const ss_value      *alpha = from->angular_acceleration_set ? from->angular_acceleration : NULL;
    ss_turn_track       *track = ss_pool_alloc(&c->model->pool, 1, sizeof *track);
    samples              s;
    if (track == NULL) {
        return no_memory(c);
    }
    bool angles = flat || (alpha != NULL && from->period > 0 && from->coning == SS_CONING_REMOVE);
    integral in = {.c = c, .where = where, .times = choose_times(c, from->period)};
    if (!angles) { /* Runge-Kutta asks for the middle of its pieces */
        in.times.dt /= 2;
        in.times.pieces *= 2;
    }
    SS_TRY(make_samples_of(&in, from->angular_velocity, alpha, b->start_twist.w, &s));
    *track = (ss_turn_track){.body = from->axes == SS_MOTION_BODY, .start = b->start_pose.q};
    b->motion.turn = track;
    if (angles) {
        return make_place(&in, &s, ss_v3(0, 0, flat ? b->start_pose.angle : 0), &track->angles);
    }
    if (alpha == NULL) {
        return turn_by_rate(&in, s.v, false, track);
    }
    return turn_by_rate(&in, s.v, in.times.periodic, track);
}

static ss_status set_place(ss_compiler *c, const ss_body_def *def, ss_body *b, const char *where)
{
    const ss_motion_def *from = &def->motion;
    samples              s;
    integral             in = {.c = c, .where = where, .times = choose_times(c, from->period)};
    SS_TRY(make_samples_of(&in, from->velocity, from->acceleration_set ? from->acceleration : NULL,
                           def->velocity, &s));
    return make_place(&in, &s, def->position, &b->motion.place);
}

/* ---- all of it ---- */

static bool place_given(const ss_motion_def *def)
{
    return def->position_set[0] || def->position_set[1] || def->position_set[2];
}

static bool motion_given(const ss_motion_def *def)
{
    return def->fn != NULL || place_given(def) || def->angle_set || def->quat_set ||
           def->euler_set || def->velocity_set || def->acceleration_set ||
           def->angular_velocity_set || def->angular_acceleration_set;
}

/* Place and orientation are each given in one way. */
static ss_status check_motion(ss_compiler *c, const ss_body_def *def)
{
    const ss_motion_def *m     = &def->motion;
    int                  place = place_given(m) + m->velocity_set + m->acceleration_set;
    int turn = m->angle_set + m->quat_set + m->euler_set + m->angular_velocity_set +
               m->angular_acceleration_set;
    if (def->type != SS_BODY_KINEMATIC) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "body '%s': only a kinematic body has a motion",
                       def->name);
    }
    if (place > 1 || turn > 1) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "body '%s': its motion gives %s in more than one way",
                       def->name,
                       place > 1 ? "the place (x, y, z; velocity; acceleration)"
                                 : "the orientation (angle; quat_wxyz; euler; angular_velocity; "
                                   "angular_acceleration)");
    }
    if (!(m->period >= 0) || !isfinite(m->period)) {
        return ss_fail(c->ctx, SS_ERR_INPUT, "body '%s': the period of its motion must be > 0",
                       def->name);
    }
    return SS_OK;
}

static ss_status set_functions(ss_compiler *c, const ss_body_def *def, ss_body *b,
                               const char *where)
{
    const ss_motion_def *from     = &def->motion;
    ss_motion           *to       = &b->motion;
    const double         start[3] = {def->position.x, def->position.y, def->position.z};
    const double         quat[4]  = {b->start_pose.q.w, b->start_pose.q.x, b->start_pose.q.y,
                                     b->start_pose.q.z};
    for (int k = 0; k < 3; k++) {
        ss_value keep = {start[k], NULL}, none = {0, NULL};
        SS_TRY(ss_compile_timed(c, from->position_set[k] ? &from->position[k] : &keep, where,
                                &to->position[k]));
        SS_TRY(
            ss_compile_timed(c, from->euler_set ? &from->euler[k] : &none, where, &to->euler[k]));
    }
    for (int k = 0; k < 4; k++) {
        ss_value keep = {quat[k], NULL};
        SS_TRY(
            ss_compile_timed(c, from->quat_set ? &from->quat_wxyz[k] : &keep, where, &to->quat[k]));
    }
    ss_value keep = {b->start_pose.angle, NULL};
    SS_TRY(ss_compile_timed(c, from->angle_set ? &from->angle : &keep, where, &to->angle));
    to->by_quat  = c->model->dimension == 3 && !from->angle_set && !from->euler_set;
    to->by_euler = from->euler_set;
    to->fn       = from->fn;
    to->fn_user  = from->fn_user;
    return SS_OK;
}

ss_status ss_compile_motion(ss_compiler *c, const ss_body_def *def, ss_body *b)
{
    char where[160];
    if (!motion_given(&def->motion)) {
        b->motion.uniform = true;
        return SS_OK;
    }
    SS_TRY(check_motion(c, def));
    snprintf(where, sizeof where, "body '%s': motion", def->name);
    SS_TRY(set_functions(c, def, b, where));
    if (def->motion.velocity_set || def->motion.acceleration_set) {
        SS_TRY(set_place(c, def, b, where));
    }
    if (def->motion.angular_velocity_set || def->motion.angular_acceleration_set) {
        SS_TRY(set_turn(c, def, b, where));
    }
    return SS_OK;
}
