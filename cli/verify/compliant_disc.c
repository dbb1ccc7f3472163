/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 3.5.3.3: a disc falls on a half-plane that gives (k = 1000 N/m, no damping, h = 1e-4),
 * with a rigid core under it at 0.05 m or at 1 m. Expected values follow from the closed motion of
 * a mass on a spring. The thesis' backward Euler loses energy at order 1; the law over the step
 * (integrator: midpoint, the default) keeps it to rounding.
 */
#include <math.h>
#include <stdio.h>

#include "verify/verify.h"

enum { SAMPLES = 1000 };

/* What is seen of a run. */
typedef struct drop {
    double touch, speed; /* first touch, and the speed there                            */
    double core;         /* middle of the step in which the core stops the disc, 0: never */
    double impulse;      /* of the core                                                 */
    double rest_energy;  /* above the touching position, after that                     */
    double leave, leave_speed;
    double period;           /* from one release (core) or touch (none) to the next         */
    double deepest, highest; /* after the first release                                     */
    double lost;             /* energy from the first release to the end                    */
    double t[SAMPLES], height[SAMPLES]; /* every millisecond, as far as there is room            */
    int    samples;
} drop;

static double energy(const ss_verify_world *w)
{
    ss_energy e = ss_data_energy(w->model, w->data);
    return e.kinetic + e.potential - 9.81; /* above the disc at rest on the surface */
}

/* The moment within the last step at which y crossed 1, and the speed there. */
static double crossing(double y0, double y1, double t, double h)
{
    return t - h + h * (y0 - 1) / (y0 - y1);
}

static void note_core(const ss_verify_world *w, double h, double t, drop *x)
{
    ss_contact_info c;
    if (ss_data_contact_count(w->data) == 0) {
        return;
    }
    ss_data_contact(w->model, w->data, 0, &c);
    double beyond = c.impulse[0] - 1000 * h * c.deflection[0]; /* what the spring does not bear */
    if (beyond > 0.1) {
        x->core = x->core == 0 ? t - 0.5 * h : x->core;
        x->impulse += beyond;
    }
    x->rest_energy = x->core > 0 && x->leave == 0 ? energy(w) : x->rest_energy;
}

static ss_status observe(ss_verify *v, const char *core, const char *integrator, double h, double T,
                         drop *x)
{
    const char     *overrides[] = {core, integrator, NULL};
    ss_verify_world w;
    double          released = 0, touched = 0;
    *x = (drop){.touch = 0};
    SS_TRY(ss_verify_open(v, "compliant-disc", overrides, &w));
    ss_status status = SS_OK;
    double    y      = 1.5;
    for (int64_t i = 0; status == SS_OK && i < llround(T / h); i++) {
        double before   = y;
        status          = ss_verify_steps(v, &w, h, 1);
        ss_body_state s = ss_verify_body(&w, "disc");
        double        t = ss_data_time(w.data);
        y               = s.position.y;
        if (i % llround(1e-3 / h) == 0 && x->samples < SAMPLES) {
            x->t[x->samples]        = t;
            x->height[x->samples++] = y;
        }
        x->deepest = fmax(x->deepest, 1 - y);
        note_core(&w, h, t, x);
        if (before > 1 && y <= 1) {
            double at = crossing(before, y, t, h);
            x->speed  = x->touch == 0 ? sqrt(2 * 9.81 * 0.5) : x->speed;
            x->touch  = x->touch == 0 ? at : x->touch;
            x->period = x->core == 0 && touched > 0 && x->period == 0 ? at - touched : x->period;
            touched   = at;
        }
        if (before <= 1 && y > 1) {
            double at      = crossing(before, y, t, h);
            x->leave       = x->leave == 0 ? at : x->leave;
            x->leave_speed = x->leave_speed == 0 ? s.velocity.y : x->leave_speed;
            x->period = x->core > 0 && released > 0 && x->period == 0 ? at - released : x->period;
            x->lost   = x->lost == 0 ? energy(&w) : x->lost;
            released  = at;
        }
        x->highest = released > 0 ? fmax(x->highest, y - 1) : 0;
    }
    x->lost -= energy(&w);
    ss_verify_close(&w);
    return status;
}

/*
 * What the impulse of the core may be off by. It strikes anywhere within a step: h a of velocity, a
 * = k d - g, and what the spring bears of that step, h k d. Backward Euler's velocity is off by h/2
 * times the change of the acceleration until then, k d.
 */
static double impulse_bar(double h, bool euler)
{
    const double kd = 1000 * 0.05;
    return h * (kd - 9.81) + h * kd + (euler ? 0.5 * h * kd : 0);
}

/*
 * Backward Euler loses m dv^2/2 + k dx^2/2 a step: h/2 int (m a^2 + k v^2) dt, here from the core
 * at rest to release, where x = g/k + A cos wt.
 */
static double euler_loss(double h)
{
    const double k = 1000, g = 9.81, w = sqrt(k), A = 0.05 - g / k, T = acos(-g / k / A) / w;
    double       accelerations = 0.5 * T + sin(2 * w * T) / (4 * w); /* int cos^2, and sin^2 */
    double       speeds        = 0.5 * T - sin(2 * w * T) / (4 * w);
    return 0.5 * h * (A * A * k * k * accelerations + k * A * A * k * speeds);
}

/* Figs. 3.11 c and 3.12 c of the thesis: how high the disc is. */
static ss_status draw(ss_verify *v, const char *file, const char *core, const drop *x)
{
    const ss_curve curve = {"height", x->t, x->height, (size_t)x->samples};
    char           title[96];
    snprintf(title, sizeof title, "height of the disc, core at %s", core);
    const ss_plot plot = {
        .title = title, .x_label = "t, s", .y_label = "m", .curves = &curve, .curve_count = 1};
    return ss_verify_plot(v, file, &plot, 1);
}

static ss_status with_core(ss_verify *v, const char *integrator, const char *name, bool euler)
{
    const double h = 1e-4;
    drop         x = {.touch = 0};
    SS_TRY(observe(v, "params.core=0.05", integrator, h, 1, &x));
    ss_verify_near(v, 0.319275, x.touch, h, "touch (s), core at 0.05 m, %s", name);
    ss_verify_near(v, 0.335542, x.core, 2 * h, "core reached (s), %s", name);
    ss_verify_near(v, 2.87941, x.impulse, impulse_bar(h, euler), "impulse of the core (N s), %s",
                   name);
    ss_verify_near(v, 0.7595 - (euler ? euler_loss(h) : 0), x.rest_energy, euler ? 2e-5 : 1e-8,
                   "energy when it leaves after the core (J), %s", name);
    ss_verify_near(v, 0.393012, x.leave, 3 * h, "leaves the surface (s), %s", name);
    ss_verify_near(v, 1.232477, x.leave_speed, 5e-3, "with (m/s), %s", name);
    ss_verify_near(v, 0.366211, x.period, 2e-3, "period after that (s), %s", name);
    ss_verify_near(v, 0.077421, x.highest, 1.1e-3, "rebound gap (m), %s", name);
    return euler ? SS_OK : draw(v, "compliant-disc-core", "0.05 m", &x);
}

static ss_status without_core(ss_verify *v, const char *integrator, const char *name, bool euler)
{
    const double h = 1e-4;
    drop         x;
    SS_TRY(observe(v, "params.core=1", integrator, h, 1.2, &x));
    ss_verify_near(v, 0, x.core, 0, "core at 1 m is never reached, %s", name);
    ss_verify_near(v, 0.109340, x.deepest, 5e-4, "deepest (m), %s", name);
    ss_verify_near(v, 0.10559, x.leave - x.touch, 1e-4, "contact lasts (s), %s", name);
    ss_verify_near(v, 0.744141, x.period, 4e-3, "period (s), %s", name);
    return euler ? SS_OK : draw(v, "compliant-disc", "1 m, which is never reached", &x);
}

/* Largest distance from the energy at the start. */
static ss_status energy_error(ss_verify *v, const char *integrator, double h, double *worst)
{
    const char     *overrides[] = {"params.core=1", integrator, NULL};
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, "compliant-disc", overrides, &w));
    ss_status status = SS_OK;
    double    start  = energy(&w);
    *worst           = 0;
    for (int64_t i = 0; status == SS_OK && i < llround(2 / h); i++) {
        status = ss_verify_steps(v, &w, h, 1);
        *worst = fmax(*worst, fabs(energy(&w) - start));
    }
    ss_verify_close(&w);
    return status;
}

/* Height of the disc after 1.5 s against the closed motion: 0.319275 + n (0.744141 ..). */
static ss_status height_error(ss_verify *v, double h, double *error)
{
    const char     *overrides[] = {"params.core=1", NULL};
    ss_verify_world w;
    SS_TRY(ss_verify_open(v, "compliant-disc", overrides, &w));
    ss_status status = ss_verify_steps(v, &w, h, llround(1.5 / h));
    double    fall = sqrt(2 * 0.5 / 9.81), omega = sqrt(1000.0), speed = sqrt(2 * 9.81 * 0.5);
    /* under the surface: x'' = -k (x + g/k), from 0 with -speed; back at 0 after `contact` */
    double sag = 9.81 / 1000, angle = atan2(speed / omega, sag);
    double contact = 2 * (3.14159265358979323846 - angle) / omega;
    double flight  = 2 * speed / 9.81;
    double t       = fmod(1.5 - fall - contact, contact + flight);
    double y       = t < flight ? 1 + speed * t - 0.5 * 9.81 * t * t : NAN;
    *error         = fabs(ss_verify_body(&w, "disc").position.y - y);
    ss_verify_close(&w);
    return status;
}

static ss_status run(ss_verify *v)
{
    static const char euler[]    = "simulation.model.integrator=euler";
    static const char midpoint[] = "simulation.model.integrator=midpoint";
    double            coarse, fine, rough, smooth;
    SS_TRY(with_core(v, euler, "backward Euler", true));
    SS_TRY(with_core(v, midpoint, "over the step", false));
    SS_TRY(without_core(v, euler, "backward Euler", true));
    SS_TRY(without_core(v, midpoint, "over the step", false));
    SS_TRY(energy_error(v, euler, 2e-4, &rough));
    SS_TRY(energy_error(v, euler, 1e-4, &smooth));
    ss_verify_near(v, 0.16, smooth, 0.01, "energy lost in 2 s, backward Euler, h = 1e-4 (J)");
    ss_verify_near(v, 1, log2(rough / smooth), 0.1, "order of that loss");
    SS_TRY(energy_error(v, midpoint, 1e-4, &smooth));
    ss_verify_near(v, 0, smooth, 1e-5, "energy error in 2 s, over the step, h = 1e-4 (J)");
    SS_TRY(energy_error(v, midpoint, 1e-2, &smooth));
    ss_verify_near(v, 0, smooth, 1e-5, "energy error in 2 s, over the step, h = 1e-2 (J)");
    SS_TRY(height_error(v, 4e-3, &coarse));
    SS_TRY(height_error(v, 5e-4, &fine));
    ss_verify_near(v, 2, log2(coarse / fine) / 3, 0.35, "order of the height at 1.5 s");
    return SS_OK;
}

const ss_verify_case ss_verify_compliant_disc = {
    .name    = "compliant-disc",
    .source  = "Berard 2009, 3.5.3.3 and errata",
    .summary = "a disc on a surface that gives: touch, core, release, period, energy, order",
    .run     = run};
