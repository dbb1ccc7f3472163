/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trinkle 2003, section 4. A sphere (m = 1, r = 1, I = 2/5, mu = 0.2) is
 * released on a plane with v = (2, 0, 0). It slides, v = 2 - mu g t and w = 5/2 mu g t, until
 * t* = 4/(7 mu g) = 0.29125 s, then rolls with 10/7. Time stepping is exact at step ends, because
 * the friction impulse of a step is either mu g h or just enough to roll.
 *
 * The LCP of a step, w = F z + f with z = (p, b1 .. b4, s), is (48), (49) with the minus signs that
 * the printed (48) lost: friction rows [3.5 -3.5; -3.5 3.5], last row [0.2 -1 -1 -1 -1 0].
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "verify/verify.h"

static const double mu = 0.2, g = 9.81, v0 = 2;
static const double tolerance = 1e-12;

static double exact_v(double t)
{
    return fmax(v0 - mu * g * t, 5 * v0 / 7);
}

static double exact_w(double t)
{
    return fmin(2.5 * mu * g * t, 5 * v0 / 7);
}

/* Largest of |v - exact| over all six components. */
static double velocity_error(const ss_body_state *s, double t)
{
    double e = fmax(fabs(s->velocity.x - exact_v(t)), fabs(s->angular_velocity.y - exact_w(t)));
    e        = fmax(e, fmax(fabs(s->velocity.y), fabs(s->velocity.z)));
    return fmax(e, fmax(fabs(s->angular_velocity.x), fabs(s->angular_velocity.z)));
}

static double entry(const ss_matrix *M, int32_t i, int32_t j)
{
    if (M->dense != NULL) {
        return M->dense[(size_t)j * (size_t)M->ld + (size_t)i];
    }
    for (int32_t k = M->colptr[j]; k < M->colptr[j + 1]; k++) {
        if (M->rowind[k] == i) {
            return M->values[k];
        }
    }
    return 0;
}

/* F and f of the step that was just taken from the state `s` with gap 0. */
static ss_status check_problem(ss_verify *v, const ss_verify_world *w, const ss_body_state *s,
                               double h, bool with_F)
{
    static const double F[6][6] = {
        {1, 0, 0, 0, 0, 0},      {0, 3.5, -3.5, 0, 0, 1}, {0, -3.5, 3.5, 0, 0, 1},
        {0, 0, 0, 3.5, -3.5, 1}, {0, 0, 0, -3.5, 3.5, 1}, {0.2, -1, -1, -1, -1, 0},
    };
    double            slip_x = s->velocity.x - s->angular_velocity.y;
    double            slip_y = s->velocity.y + s->angular_velocity.x;
    double            f[6]   = {s->velocity.z - g * h, slip_x, -slip_x, slip_y, -slip_y, 0};
    const ss_problem *p      = ss_data_problem(w->data, 0);
    if (p == NULL || p->type != SS_LCP || p->as.lcp.n != 6) {
        return ss_fail(ss_verify_context(v), SS_ERR_INTERNAL,
                       "the step's problem is not the LCP of six unknowns that was expected");
    }
    for (int32_t i = 0; i < 6; i++) {
        for (int32_t j = 0; with_F && j < 6; j++) {
            ss_verify_near(v, F[i][j], entry(&p->as.lcp.M, i, j), tolerance, "F(%d,%d)", i + 1,
                           j + 1);
        }
        ss_verify_near(v, f[i], p->as.lcp.q[i], tolerance, "f(%d) at t = %.2f", i + 1,
                       ss_data_time(w->data) - h);
    }
    return SS_OK;
}

/* Components of the friction force in the frame turned by 45 degrees, as in Figure 9. */
static void check_friction(ss_verify *v, const ss_verify_world *w, int step, double h)
{
    static const double half   = 0.70710678118654752440;
    double              before = exact_v((step - 1) * h), after = exact_v(step * h);
    double              expected = half * (before - after) / h;
    ss_contact_info     c;
    ss_data_contact(w->model, w->data, 0, &c);
    ss_vec3 force = ss_scale(1 / h, ss_axpy(ss_scale(c.impulse[1], c.t), c.impulse[2], c.o));
    ss_vec3 t = ss_v3(half, half, 0), o = ss_v3(-half, half, 0);
    ss_verify_near(v, -expected, ss_dot(force, t), 1e-11, "friction along t (45 deg), step %d",
                   step);
    ss_verify_near(v, expected, ss_dot(force, o), 1e-11, "friction along o (45 deg), step %d",
                   step);
}

static ss_status paper(ss_verify *v, ss_verify_world *w)
{
    const double h = 0.12;
    for (int step = 1; step <= 5; step++) {
        ss_body_state before = ss_verify_body(w, "ball");
        SS_TRY(ss_step(w->model, w->data, h));
        ss_body_state s = ss_verify_body(w, "ball");
        ss_verify_near(v, exact_v(step * h), s.velocity.x, tolerance, "v_x at t = %.2f", step * h);
        ss_verify_near(v, exact_w(step * h), s.angular_velocity.y, tolerance, "w_y at t = %.2f",
                       step * h);
        ss_verify_near(v, 0, velocity_error(&s, step * h), tolerance,
                       "largest error of all velocities at t = %.2f", step * h);
        SS_TRY(check_problem(v, w, &before, h, step == 1));
        check_friction(v, w, step, h);
    }
    return SS_OK;
}

/* The largest error at step ends over the whole motion. */
static ss_status whole_motion(ss_verify *v, ss_verify_world *w, double h, const char *cone,
                              const char *integrator)
{
    double  worst = 0;
    int64_t steps = llround(0.6 / h);
    for (int64_t i = 1; i <= steps; i++) {
        SS_TRY(ss_step(w->model, w->data, h));
        ss_body_state s = ss_verify_body(w, "ball");
        worst           = fmax(worst, velocity_error(&s, (double)i * h));
    }
    ss_verify_near(v, 0, worst, tolerance, "largest velocity error, %s cone, %s, h = %g", cone,
                   integrator, h);
    return SS_OK;
}

static ss_status open_and(ss_verify *v, const char *cone, const char *integrator, double h)
{
    char              model[64];
    const char *const overrides[] = {model, integrator, "simulation.solver=auto", NULL};
    ss_verify_world   w;
    snprintf(model, sizeof model, "simulation.model.cone=%s", cone);
    SS_TRY(ss_verify_open(v, "sphere-slide-roll", overrides, &w));
    ss_status status = whole_motion(v, &w, h, cone, strchr(integrator, '=') + 1);
    ss_verify_close(&w);
    return status;
}

static ss_status run(ss_verify *v)
{
    static const double steps[] = {0.12, 0.01, 0.001};
    ss_verify_world     w;
    SS_TRY(ss_verify_open(v, "sphere-slide-roll", NULL, &w));
    ss_status status = paper(v, &w);
    ss_verify_close(&w);
    for (size_t i = 0; status == SS_OK && i < sizeof steps / sizeof steps[0]; i++) {
        status = open_and(v, "{polygon: 4}", "simulation.model.integrator=euler", steps[i]);
        if (status == SS_OK) {
            status = open_and(v, "quadratic", "simulation.model.integrator=euler", steps[i]);
        }
        if (status == SS_OK) {
            status = open_and(v, "quadratic", "simulation.model.integrator=midpoint", steps[i]);
        }
    }
    return status;
}

const ss_verify_case ss_verify_sphere_slide_roll = {
    "sphere-slide-roll", "Trinkle 2003, section 4",
    "a sphere slides, then rolls: velocities, LCP and friction forces", false, run};
