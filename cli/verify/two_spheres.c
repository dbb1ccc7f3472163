/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 3.5.3.2: a ball in the groove between two spheres, with tangential and torsional friction
 * (e_r = 0.3), with geometry taken at the start of the step and at its end. Values of the limit h
 * -> 0 at t = 2 s and those of implicit geometry at h = 0.01, computed apart; explicit geometry
 * shows its order in the positions, its velocities are better than that. Implicit geometry is of
 * order 1 in the velocities too: 1.2e-2 off at h = 0.01.
 */
#include <math.h>
#include <string.h>

#include "verify/verify.h"

static const char EXPLICIT[] = "simulation.model.geometry=explicit";
static const char IMPLICIT[] = "simulation.model.geometry=implicit";

static ss_status at_two_seconds(ss_verify *v, const char *model, double h, ss_body_state *out)
{
    const char     *overrides[] = {model, NULL};
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, "two-spheres", overrides, &w));
    ss_status status = ss_verify_steps(v, &w, h, (int64_t)llround(2 / h));
    *out             = ss_verify_body(&w, "ball");
    ss_verify_close(&w);
    return status;
}

/* When the normal force of a contact with a sphere ends, and when the ball first slips on it. */
typedef struct event {
    double slips, lost;
} event;

static void note(const ss_verify_world *w, const char *sphere, event *e)
{
    int32_t body   = ss_model_find_body(w->model, sphere).index1 - 1;
    bool    loaded = false;
    double  t      = ss_data_time(w->data);
    for (int32_t i = 0; i < ss_data_contact_count(w->data); i++) {
        ss_contact_info c;
        ss_data_contact(w->model, w->data, i, &c);
        if (c.body_a != body && c.body_b != body) {
            continue;
        }
        loaded      = loaded || c.impulse[0] > 0;
        double slip = hypot(c.velocity[1], c.velocity[2]);
        if (c.impulse[0] > 0 && slip > 1e-6 && e->slips == 0) {
            e->slips = t;
        }
    }
    if (!loaded && e->lost == 0) {
        e->lost = t;
    }
}

/* The ball's velocity, every hundredth of a second until 4 s. */
enum { SAMPLES = 400 };
typedef struct profile {
    double t[SAMPLES], v[3][SAMPLES];
} profile;

static void sample(const ss_verify_world *w, double h, int64_t step, profile *out)
{
    int64_t every = llround(0.01 / h), i = step / every;
    if (step % every != 0 || i >= SAMPLES) {
        return;
    }
    ss_vec3 u    = ss_verify_body(w, "ball").velocity;
    out->t[i]    = ss_data_time(w->data);
    out->v[0][i] = u.x;
    out->v[1][i] = u.y;
    out->v[2][i] = u.z;
}

static ss_status draw(ss_verify *v, const char *name, const char *kind, const profile *p)
{
    const ss_curve curves[] = {{"v_x", p->t, p->v[0], SAMPLES},
                               {"v_y", p->t, p->v[1], SAMPLES},
                               {"v_z", p->t, p->v[2], SAMPLES}};
    char           title[96];
    snprintf(title, sizeof title, "velocity of the ball, geometry: %s", kind);
    const ss_plot plot = {
        .title = title, .x_label = "t, s", .y_label = "m/s", .curves = curves, .curve_count = 3};
    return ss_verify_plot(v, name, &plot, 1);
}

static ss_status events(ss_verify *v, const char *model, double h)
{
    const char     *overrides[] = {model, NULL};
    profile         seen        = {{0}, {{0}}};
    char            name[64];
    ss_verify_world w;
    event           left = {0, 0}, right = {0, 0};
    ss_status       status = ss_verify_open(v, "two-spheres", overrides, &w);
    const char     *kind   = strchr(model, '=') + 1;
    for (int64_t i = 0; status == SS_OK && i < llround(4 / h); i++) {
        status = ss_verify_steps(v, &w, h, 1);
        note(&w, "left", &left);
        note(&w, "right", &right);
        sample(&w, h, i, &seen);
    }
    if (status == SS_OK) {
        snprintf(name, sizeof name, "two-spheres-%s", kind);
        status = draw(v, name, kind, &seen);

        ss_verify_near(v, 3.21, left.lost, 0.02, "contact 1 loses its force at, %s, h = %g", kind,
                       h);
        ss_verify_near(v, 2.95, right.slips, 0.02, "contact 2 slips from, %s, h = %g", kind, h);
        ss_verify_near(v, 3.70, right.lost, 0.02, "contact 2 loses its force at, %s, h = %g", kind,
                       h);
    }
    ss_verify_close(&w);
    return status;
}

/* The thesis' scheme: geometry at the end of the step. */
static ss_status implicit_values(ss_verify *v)
{
    static const double expected[9] = {1.53670, 0,       -0.21682, 0.10362, 1.36323,
                                       0.73438, 1.23494, 6.62105,  8.69693};
    static const char  *names[9]    = {"v_x", "v_y", "v_z", "w_x", "w_y", "w_z", "x", "y", "z"};
    ss_body_state       s, half;
    SS_TRY(at_two_seconds(v, IMPLICIT, 0.01, &s));
    SS_TRY(at_two_seconds(v, IMPLICIT, 0.005, &half));
    const double value[9] = {s.velocity.x,         s.velocity.y,         s.velocity.z,
                             s.angular_velocity.x, s.angular_velocity.y, s.angular_velocity.z,
                             s.position.x,         s.position.y,         s.position.z};
    for (int i = 0; i < 9; i++) {
        ss_verify_near(v, expected[i], value[i], 1e-5, "%s at 2 s, implicit, h = 0.01", names[i]);
    }
    double coarse = s.velocity.x - 1.52478, fine = half.velocity.x - 1.52478;
    ss_verify_near(v, 1, log2(coarse / fine), 0.1, "order of the velocity v_x, implicit");
    return SS_OK;
}

static ss_status routes(ss_verify *v)
{
    const char     *overrides[] = {IMPLICIT, NULL};
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, "two-spheres", overrides, &w));
    ss_status status = ss_verify_routes(v, &w, "ball", 0.01, 100, 32, 1e-9);
    ss_verify_close(&w);
    return status;
}

static ss_status run(ss_verify *v)
{
    static const double limit_v[3] = {1.5247, 0, -0.2139}, limit_w[3] = {0.1022, 1.3525, 0.7287};
    static const char  *axes = "xyz";
    ss_body_state       s[4];
    const double        steps[4] = {0.02, 0.01, 0.005, 0.0005};
    for (int i = 0; i < 4; i++) {
        SS_TRY(at_two_seconds(v, EXPLICIT, steps[i], &s[i]));
        const double u[3] = {s[i].velocity.x, s[i].velocity.y, s[i].velocity.z};
        const double w[3] = {s[i].angular_velocity.x, s[i].angular_velocity.y,
                             s[i].angular_velocity.z};
        for (int k = 0; k < 3; k++) {
            ss_verify_near(v, limit_v[k], u[k], 2e-4, "v_%c at 2 s, h = %g", axes[k], steps[i]);
            ss_verify_near(v, limit_w[k], w[k], 2e-4, "w_%c at 2 s, h = %g", axes[k], steps[i]);
        }
    }
    double coarse = fabs(s[0].position.x - s[3].position.x);
    double fine   = fabs(s[2].position.x - s[3].position.x);
    ss_verify_near(v, 1, log2(coarse / fine) / log2(39.0 / 9.0), 0.1, "order of the position x");
    SS_TRY(events(v, EXPLICIT, 0.002));
    SS_TRY(implicit_values(v));
    SS_TRY(routes(v));
    return events(v, IMPLICIT, 0.002);
}

const ss_verify_case ss_verify_two_spheres = {
    .name    = "two-spheres",
    .source  = "Berard 2009, 3.5.3.2 and errata",
    .summary = "ball in a groove with torsional friction: limit values, order, slip and release",
    .run     = run};
