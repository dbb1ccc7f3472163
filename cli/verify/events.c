/* SPDX-License-Identifier: Apache-2.0 */
/*
 * level: acceleration. Times of events against closed formulas and against another integration:
 *
 *   slide-roll    a sphere begins to roll at 2 v0/(7 mu g) (Trinkle 2003, section 4)
 *   ball          the last of infinitely many impacts is at sqrt(2 d/g) (1 + e)/(1 - e)
 *   order         positions of the impulse level tend to those of this one with order 1
 *   rimless wheel (McGeer 1990) on one spoke it is a pendulum, t'' = k sin t, k = m g l/(J + m
 * l^2), from slope - a to slope + a; at the next spoke w+ = w- (J + m l^2 cos 2a)/(J + m l^2). The
 * steady gait has w+^2 = n^2 2k (cos(slope - a) - cos(slope + a))/(1 - n^2).
 */
#include <math.h>

#include "verify/verify.h"

static const double pi = 3.14159265358979323846;

/* ---- events ---- */

/* The next event of a kind within `most` steps; NAN: none. */
static ss_status next_event(ss_verify_world *w, double h, int64_t most, ss_event_kind kind,
                            ss_event *out)
{
    *out = (ss_event){.time = NAN, .until = NAN};
    for (int64_t i = 0; i < most; i++) {
        SS_TRY(ss_step(w->model, w->data, h));
        for (int32_t k = 0; k < ss_data_event_count(w->data); k++) {
            ss_event e;
            SS_TRY(ss_data_event(w->model, w->data, k, &e));
            if (e.kind == kind) {
                *out = e;
                return SS_OK;
            }
        }
    }
    return SS_OK;
}

static ss_status slide_roll(ss_verify *v)
{
    const char *const overrides[] = {"simulation.model.level=acceleration",
                                     "simulation.model.cone=quadratic", "simulation.solver=auto",
                                     NULL};
    ss_verify_world   w;
    ss_event          e;
    SS_TRY(ss_verify_open(v, "sphere-slide-roll", overrides, &w));
    ss_status status = next_event(&w, 0.12, 5, SS_EVENT_STICKS, &e);
    ss_verify_near(v, 2 * 2 / (7 * 0.2 * 9.81), e.time, 1e-10, "sphere: rolls from 2 v0/(7 mu g)");
    ss_verify_near(v, 10. / 7, ss_verify_body(&w, "ball").velocity.x, 1e-12,
                   "sphere: velocity then");
    ss_verify_close(&w);
    return status;
}

static ss_status bouncing_ball(ss_verify *v)
{
    ss_verify_world w;
    ss_event        e;
    SS_TRY(ss_verify_open(v, "bouncing-ball", NULL, &w));
    ss_status status = next_event(&w, 0.01, 500, SS_EVENT_RESTS, &e);
    ss_verify_near(v, sqrt(2 / 9.81) * 9, e.until, 1e-8, "ball: rests at 9 sqrt(2 d/g), e = 0.8");
    ss_verify_near(v, 0, ss_verify_body(&w, "ball").velocity.y, 1e-14, "ball: velocity then");
    ss_verify_close(&w);
    return status;
}

/* ---- the impulse level as h -> 0 ---- */

static ss_status place_of_bob(ss_verify *v, const char *level, double h, ss_vec3 *out)
{
    const char *const overrides[] = {level, NULL};
    ss_verify_world   w;
    SS_TRY(ss_verify_open(v, "pendulum-block-friction", overrides, &w));
    ss_status status = ss_verify_steps(v, &w, h, llround(0.5 / h));
    *out             = ss_verify_body(&w, "B").position;
    ss_verify_close(&w);
    return status;
}

static ss_status order(ss_verify *v)
{
    ss_vec3 exact, x;
    double  last = NAN;
    SS_TRY(place_of_bob(v, "simulation.model.level=acceleration", 0.01, &exact));
    for (int i = 0; i < 3; i++) {
        double h = 0.0025 / (1 << i);
        SS_TRY(place_of_bob(v, "simulation.model.level=impulse", h, &x));
        double e = ss_norm(ss_sub(x, exact));
        if (i > 0) {
            ss_verify_near(v, 1, log2(last / e), 0.05,
                           "pendulum on a block with friction: order at h = %g", h);
        }
        last = e;
    }
    return SS_OK;
}

/* ---- the rimless wheel ---- */

typedef struct wheel {
    double k, from, to, keeps;
} wheel;

/* One spoke by Runge and Kutta's method; the end by Newton's. w becomes the velocity after it. */
static double one_spoke(const wheel *g, double *w)
{
    const double h = 1e-4;
    double       x = g->from, u = *w, t = 0;
    while (x < g->to) {
        double a1 = g->k * sin(x), u2 = u + 0.5 * h * a1, a2 = g->k * sin(x + 0.5 * h * u);
        double u3 = u + 0.5 * h * a2, a3 = g->k * sin(x + 0.5 * h * u2);
        double u4 = u + h * a3, a4 = g->k * sin(x + h * u3);
        x += h / 6 * (u + 2 * u2 + 2 * u3 + u4);
        u += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        t += h;
    }
    double back = 0; /* seconds since it passed the end: x - u s + a s^2/2 = to */
    for (int i = 0; i < 8; i++) {
        double a = g->k * sin(g->to);
        back -= (x - u * back + 0.5 * a * back * back - g->to) / (-u + a * back);
    }
    u -= g->k * sin(g->to) * back;
    *w = g->keeps * u;
    return t - back;
}

static ss_status rimless_wheel(ss_verify *v)
{
    enum { SPOKES = 40 };
    const double    J = 0.1, half = pi / 8, slope = 0.1;
    wheel           g = {9.81 / (1 + J), slope - half, slope + half, (J + cos(2 * half)) / (1 + J)};
    double          spin = 1.5, last = 0, worst = 0, period = NAN, most = 0;
    ss_verify_world w;
    ss_status       status = SS_OK;
    SS_TRY(ss_verify_open(v, "rimless-wheel", NULL, &w));
    for (int i = 0; status == SS_OK && i < SPOKES; i++) {
        ss_event e;
        double   expected = one_spoke(&g, &spin);
        status            = next_event(&w, 0.05, 40, SS_EVENT_IMPACT, &e);
        most              = fmax(most, ss_data_report(w.data)->solutions);
        period            = e.time - last;
        worst             = fmax(worst, isnan(period) ? INFINITY : fabs(period - expected));
        last              = e.time;
    }
    double n = g.keeps, drop = cos(g.from) - cos(g.to);
    ss_verify_near(v, 0, worst, 1e-6, "rimless wheel: periods of %d spokes, Runge-Kutta", SPOKES);
    ss_verify_near(v, 1, most, 0, "rimless wheel: solutions at each event");
    double start  = sqrt(n * n * 2 * g.k * drop / (1 - n * n));
    double steady = one_spoke(&g, &start);
    ss_verify_near(v, steady, period, 1e-6, "rimless wheel: period of the steady gait");
    ss_verify_close(&w);
    return status;
}

static ss_status run(ss_verify *v)
{
    SS_TRY(slide_roll(v));
    SS_TRY(bouncing_ball(v));
    SS_TRY(order(v));
    return rimless_wheel(v);
}

const ss_verify_case ss_verify_events = {
    "events", "Trinkle 2003, section 4; McGeer 1990",
    "level: acceleration: sticking, the last of infinitely many impacts, a steady gait, in time",
    false, run};
