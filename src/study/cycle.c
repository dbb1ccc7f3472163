/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The period map and its fixed point. With y the state of the body as seen from the moving frame,
 *
 *   y = (place, turn, velocity, angular velocity),
 *
 * P(y) is the state a period later, with the held coordinates (a place on the plate, a heading) put
 * back. A cycle is y = P(y): the motion that a body settles to where the field of slow velocities
 * does not change along its way, Vose's asymptotic velocity at a place (thesis 5.2.1). Its drift is
 * what the held coordinates gained in the period.
 *
 * Waiting, y <- P(y), converges by the factor of the map's largest eigenvalue a period. Anderson's
 * method (multi-secant Newton; with one difference, Aitken's) looks at the last few f_i = P(y_i) -
 * y_i: of all combinations of P(y_i) whose weights add up to one it takes that whose combination of
 * f_i is least,
 *
 *   y <- P(y_k) - dG c,   c = argmin |f_k - dF c|,
 *
 * dF, dG the differences of successive f_i and P(y_i). The map has kinks (stick, slip, flight): a
 * guess that comes out SS_CYCLE_WORSE times further from a cycle than the best is taken back, and
 * after TAKEN_BACK of these the rest is waiting. A motion that never repeats itself (period
 * doubling, chaos of bouncing) is measured over the periods that are left, and says so.
 *
 * Where every period changes the state by the same f (a block that friction slows), P has no fixed
 * point nearby: dF is rounding, and a guess would be as far away as rounding lets it. Differences
 * that are small beside f are left out, and a period repeats itself only as a share of speeds that
 * the body reached by itself: beside the speed of a far guess every change is small.
 *
 * Each period begins at the same time and with the frame at the same pose: a plate that its own
 * coning turns by a little in every period would not let any period repeat itself.
 *
 * Everything is weighed as a speed: places by 1/T, turns by extent/T, angular velocities by extent.
 */
#include "study/cycle.h"

#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "model/model.h"
#include "study/seen_from.h"
#include "study/tolerances.h"

enum { STATE = 12, LOOKS_BACK = 3, TAKEN_BACK = 3, LEAST_STEPS = 8 };

/* ---- the body's state as a vector, every entry a speed ---- */

static ss_quat conjugate(ss_quat q)
{
    return (ss_quat){q.w, -q.x, -q.y, -q.z};
}

static void put3(double *y, double weight, ss_vec3 x)
{
    y[0] = weight * x.x;
    y[1] = weight * x.y;
    y[2] = weight * x.z;
}

static ss_vec3 get3(const double *y, double weight)
{
    return weight > 0 ? (ss_vec3){y[0] / weight, y[1] / weight, y[2] / weight} : (ss_vec3){0, 0, 0};
}

/* Turns are twice the vector part of the quaternion from the place: the rotation vector, to third
   order in its length. */
static ss_vec3 turn_from(const ss_cycle *c, int dimension, const ss_body_state *s)
{
    if (dimension == 2) {
        return (ss_vec3){0, 0, s->angle - c->place.angle};
    }
    ss_quat q    = ss_quat_mul(s->quat_wxyz, conjugate(c->place.quat_wxyz));
    double  sign = q.w < 0 ? -2 : 2;
    return (ss_vec3){sign * q.x, sign * q.y, sign * q.z};
}

static void to_vector(const ss_cycle *c, int dimension, const ss_body_state *s, double y[STATE])
{
    put3(y, 1 / c->period, s->position);
    put3(y + 3, c->extent / c->period, turn_from(c, dimension, s));
    put3(y + 6, 1, s->velocity);
    put3(y + 9, c->extent, s->angular_velocity);
}

static ss_body_state to_state(const ss_cycle *c, int dimension, const double y[STATE])
{
    ss_body_state s    = c->place;
    ss_vec3       turn = get3(y + 3, c->extent / c->period);
    s.position         = get3(y, 1 / c->period);
    s.velocity         = get3(y + 6, 1);
    s.angular_velocity = get3(y + 9, c->extent);
    if (dimension == 2) {
        s.angle = c->place.angle + turn.z;
    } else {
        double  half = fmin(1, 0.5 * ss_norm(turn));
        ss_quat by   = {sqrt(1 - half * half), 0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z};
        s.quat_wxyz  = ss_quat_mul(by, c->place.quat_wxyz);
    }
    return s;
}

static double length(const double *x)
{
    double sum = 0;
    for (int i = 0; i < STATE; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

/* ---- one period ---- */

ss_status ss_cycle_put_back(const ss_model *m, ss_data *d, const ss_cycle *c)
{
    const bool   *held = c->def->held;
    ss_body_state s;
    SS_TRY(ss_seen_from(m, d, c->body, c->in, &s));
    s.position.x = held[SS_HELD_X] ? c->place.position.x : s.position.x;
    s.position.y = held[SS_HELD_Y] ? c->place.position.y : s.position.y;
    s.position.z = held[SS_HELD_Z] ? c->place.position.z : s.position.z;
    if (held[SS_HELD_ANGLE]) {
        double  back = ss_heading(m->dimension, &c->place) - ss_heading(m->dimension, &s);
        ss_quat q    = ss_quat_from_rotation((ss_vec3){0, 0, back});
        s.angle      = c->place.angle;
        s.quat_wxyz  = ss_quat_mul(q, s.quat_wxyz);
    }
    return ss_put_seen_from(m, d, c->body, c->in, &s);
}

/* Back to the start of a period, with the body at y. */
static ss_status start_period(const ss_model *m, ss_data *d, const ss_cycle *c, const double *start,
                              const double y[STATE])
{
    ss_body_state at = to_state(c, m->dimension, y);
    SS_TRY(ss_state_set(m, d, start));
    return ss_put_seen_from(m, d, c->body, c->in, &at);
}

/* P(y), from the state of d: y is where it stands. */
static ss_status run_period(const ss_model *m, ss_data *d, ss_cycle *c, double out[STATE])
{
    ss_body_state s;
    double        speed = 0;
    for (int64_t i = 0; i < c->steps; i++) {
        SS_TRY(ss_step(m, d, c->step));
        SS_TRY(ss_seen_from(m, d, c->body, c->in, &s));
        speed = fmax(speed, ss_norm(s.velocity) + c->extent * ss_norm(s.angular_velocity));
    }
    c->tried++;
    c->speed = speed;
    SS_TRY(ss_cycle_put_back(m, d, c));
    SS_TRY(ss_seen_from(m, d, c->body, c->in, &s));
    to_vector(c, m->dimension, &s, out);
    return SS_OK;
}

/* ---- Anderson's method ---- */

typedef struct search {
    double  y[STATE], g[STATE], f[STATE];                 /* y, P(y), P(y) - y             */
    double  dF[LOOKS_BACK][STATE], dG[LOOKS_BACK][STATE]; /* differences, the newest first */
    int     count;                                        /* of differences                */
    int     taken_back;
    bool    known;   /* f and g are those of the period before        */
    bool    guessed; /* y is a guess of the method, not where a period ended */
    double  best, best_g[STATE];
    double  reached; /* the largest speed in periods that were no guess, m/s */
    double *start;   /* (ss_state_size) at the beginning of a period */
} search;

static void remember(search *s, const double f[STATE], const double g[STATE])
{
    if (s->known) {
        s->count = s->count < LOOKS_BACK ? s->count + 1 : LOOKS_BACK;
        memmove(s->dF[1], s->dF[0], sizeof s->dF[0] * (LOOKS_BACK - 1));
        memmove(s->dG[1], s->dG[0], sizeof s->dG[0] * (LOOKS_BACK - 1));
        for (int i = 0; i < STATE; i++) {
            s->dF[0][i] = f[i] - s->f[i];
            s->dG[0][i] = g[i] - s->g[i];
        }
    }
    memcpy(s->f, f, sizeof s->f);
    memcpy(s->g, g, sizeof s->g);
    s->known = true;
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < STATE; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* y = g - dG argmin |f - dF c|: Gram-Schmidt on the columns of dF, with the same on dG. */
static void guess(search *s)
{
    double F[LOOKS_BACK][STATE], G[LOOKS_BACK][STATE], f[STATE];
    int    used = 0;
    memcpy(f, s->f, sizeof f);
    memcpy(s->y, s->g, sizeof s->y);
    for (int k = 0; k < s->count; k++) {
        double whole = length(s->dF[k]);
        memcpy(F[used], s->dF[k], sizeof F[used]);
        memcpy(G[used], s->dG[k], sizeof G[used]);
        for (int j = 0; j < used; j++) {
            double part = dot(F[j], F[used]);
            for (int i = 0; i < STATE; i++) {
                F[used][i] -= part * F[j][i];
                G[used][i] -= part * G[j][i];
            }
        }
        double left = length(F[used]);
        if (!(left > SS_CYCLE_DEPENDENT * fmax(whole, length(s->f)))) {
            continue;
        }
        for (int i = 0; i < STATE; i++) {
            F[used][i] /= left;
            G[used][i] /= left;
        }
        double part = dot(F[used], f);
        for (int i = 0; i < STATE; i++) {
            f[i] -= part * F[used][i];
            s->y[i] -= part * G[used][i];
        }
        used++;
    }
    s->guessed = used > 0;
}

/* Back to where the best period ended; the method begins anew. */
static void take_back(search *s)
{
    s->taken_back++;
    s->count   = 0;
    s->known   = false;
    s->guessed = false;
    memcpy(s->y, s->best_g, sizeof s->y);
}

/* After P(y) = g: is it a cycle, and where to go on? */
static void judge(ss_cycle *c, search *s, const double g[STATE])
{
    double f[STATE];
    for (int i = 0; i < STATE; i++) {
        f[i] = g[i] - s->y[i];
    }
    double size = length(f);
    s->reached  = s->guessed ? s->reached : fmax(s->reached, c->speed);
    c->error    = c->speed > 0 ? size / fmin(c->speed, s->reached) : 0;
    c->found    = c->error <= c->def->tolerance;
    if (s->guessed && size > SS_CYCLE_WORSE * s->best) {
        take_back(s);
        return;
    }
    if (size < s->best) {
        s->best = size;
        memcpy(s->best_g, g, sizeof s->best_g);
    }
    remember(s, f, g);
    if (c->found || s->taken_back >= TAKEN_BACK) {
        memcpy(s->y, g, sizeof s->y);
        s->guessed = false;
        return;
    }
    guess(s);
}

static ss_status iterate(const ss_model *m, ss_data *d, const volatile sig_atomic_t *interrupt,
                         ss_cycle *c, search *s)
{
    double g[STATE];
    /* the first period: at the start of a scene the frame has not moved by a step yet, so that its
       velocity, and what is seen from it, is not that of later periods */
    SS_TRY(run_period(m, d, c, s->y));
    s->reached = c->speed;
    SS_TRY(ss_state_get(m, d, s->start));
    while (!c->found && c->tried < (c->def->periods + 1) / 2) {
        ss_status status = run_period(m, d, c, g);
        if (status == SS_ERR_CERTIFICATE && s->guessed) {
            c->tried++;
            take_back(s); /* a guess that cannot be */
        } else {
            SS_TRY(status);
            judge(c, s, g);
        }
        SS_TRY(start_period(m, d, c, s->start, s->y));
        if (interrupt != NULL && *interrupt != 0) {
            return SS_ERR_INTERRUPTED;
        }
    }
    return SS_OK;
}

ss_status ss_cycle_find(ss_context *ctx, const ss_model *m, ss_data *d,
                        const volatile sig_atomic_t *interrupt, ss_cycle *c)
{
    search s    = {.best = INFINITY};
    size_t room = (size_t)ss_state_size(m);
    s.start     = ss_alloc(ctx, room, sizeof *s.start);
    if (s.start == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    ss_data_stop_on(d, interrupt);
    ss_status status = iterate(m, d, interrupt, c, &s);
    ss_data_stop_on(d, NULL);
    ss_free(ctx, s.start, room * sizeof *s.start);
    c->measured = c->found ? 1 : c->def->periods / 2 > 0 ? c->def->periods / 2 : 1;
    return status;
}

/* ---- opening one ---- */

static ss_status find_body(ss_context *ctx, const ss_cycle_def *def, const ss_model *m,
                           const char *name, int32_t *out)
{
    *out = ss_model_find_body(m, name).index1 - 1;
    return *out >= 0 ? SS_OK
                     : ss_node_fail(ctx, def->node, SS_ERR_INPUT,
                                    "cycle: there is no body '%.60s' in the scene", name);
}

ss_status ss_cycle_open(ss_context *ctx, const ss_cycle_def *def, const ss_model *m,
                        const ss_data *d, double period, ss_cycle *c)
{
    double h = ss_model_simulation(m)->step;
    *c       = (ss_cycle){.def = def, .period = period, .in = -1};
    SS_TRY(find_body(ctx, def, m, def->body, &c->body));
    if (def->in != NULL) {
        SS_TRY(find_body(ctx, def, m, def->in, &c->in));
    }
    for (int32_t i = 0; i < m->nb; i++) {
        ss_body_type type  = m->bodies[i].type;
        bool         moves = type == SS_BODY_DYNAMIC || type == SS_BODY_PARTICLE;
        if (moves != (i == c->body)) {
            return ss_node_fail(ctx, def->node, SS_ERR_INPUT,
                                "cycle: '%.60s' must be the only dynamic body or particle, but "
                                "'%.60s' %s",
                                def->body, ss_model_body_name(m, i),
                                moves ? "is one too" : "is none");
        }
    }
    if (m->compliant) {
        return ss_node_fail(ctx, def->node, SS_ERR_UNSUPPORTED,
                            "cycle: contacts that give remember more than a body's place and "
                            "velocity; take `contact: rigid`, or wait (drift, asymptotic)");
    }
    if (!(period > 0) || !isfinite(period)) {
        return ss_node_fail(ctx, def->period_node, SS_ERR_INPUT,
                            "cycle: the period must be > 0, got %g", period);
    }
    if (period / h < LEAST_STEPS) {
        return ss_node_fail(ctx, def->period_node, SS_ERR_INPUT,
                            "cycle: a period of %g s has fewer than %d steps of %g s", period,
                            LEAST_STEPS, h);
    }
    c->steps  = (int64_t)fmax(1, ceil(period / h * (1 - SS_TIME_ROUNDING)));
    c->step   = period / (double)c->steps;
    c->extent = m->bodies[c->body].type == SS_BODY_PARTICLE ? 0 : m->bodies[c->body].extent;
    return ss_seen_from(m, d, c->body, c->in, &c->place);
}
