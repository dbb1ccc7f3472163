/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 2.4.4: friction of contacts that give, restitution by damping, and patches. A block of 1
 * kg on two corners (compliant, K_t = 8000 N/m each) or on a patch of ten pieces (eleven springs,
 * 8000 N/m together); a disc that falls on a damped floor. Expected values are closed forms.
 */
#include <math.h>
#include <stdio.h>

#include "verify/verify.h"

static const double h = 1e-3, mu = 0.5, pi = 3.14159265358979323846;

static ss_status open_block(ss_verify *v, const char *contact, double push, double load,
                            ss_verify_world *w)
{
    char text[3][64];
    snprintf(text[0], sizeof text[0], "simulation.model.contact=%s", contact);
    snprintf(text[1], sizeof text[1], "params.push=%.17g", push);
    snprintf(text[2], sizeof text[2], "params.load=%.17g", load);
    const char *const overrides[] = {text[0], text[1], text[2], "params.release=2", NULL};
    return ss_verify_open(v, "compliant-block", overrides, w);
}

/* Pushed below mu N, let go, and pushed above. */
static ss_status friction(ss_verify *v)
{
    ss_verify_world w;
    SS_TRY(open_block(v, "compliant", 3, 0, &w));
    ss_status status = ss_verify_steps(v, &w, h, 1999);
    ss_verify_near(v, 3.0 / 16000, ss_verify_body(&w, "block").position.x, 1e-8,
                   "pushed by 3 N of 5: moves by F/K (m)");
    status = status == SS_OK ? ss_verify_steps(v, &w, h, 1000) : status;
    ss_verify_near(v, 0, ss_verify_body(&w, "block").position.x, 1e-8, "let go: comes back (m)");
    ss_verify_close(&w);
    SS_TRY(status);
    SS_TRY(open_block(v, "compliant", 8, 0, &w));
    status        = ss_verify_steps(v, &w, h, 1500);
    double before = ss_verify_body(&w, "block").velocity.x;
    status        = status == SS_OK ? ss_verify_steps(v, &w, h, 300) : status;
    double speeds = ss_verify_body(&w, "block").velocity.x - before;
    ss_verify_near(v, 8 - mu * 10, speeds / 0.3, 1e-6,
                   "pushed by 8 N: slides against mu N (m/s^2)");
    ss_verify_close(&w);
    return status;
}

/* Where the force ends, the contact does. */
static double rebound(double z)
{
    double s = sqrt(1 - z * z);
    return exp(-z / s * atan2(2 * z * s, 2 * z * z - 1));
}

static ss_status drop(ss_verify *v, double z, double *e)
{
    const double k = 1e6, step = 2e-5;
    char         text[2][64];
    snprintf(text[0], sizeof text[0], "params.c=%.17g", 2 * z * sqrt(k));
    snprintf(text[1], sizeof text[1], "params.k=%.17g", k);
    const char *const overrides[] = {text[0], text[1], "params.core=1", NULL};
    ss_verify_world   w;
    SS_TRY(ss_verify_open(v, "compliant-disc", overrides, &w));
    ss_status status = SS_OK;
    double    most   = 0; /* upward, right after the contact */
    for (int i = 0; status == SS_OK && i < 17000; i++) {
        status = ss_verify_steps(v, &w, step, 1);
        most   = fmax(most, ss_verify_body(&w, "disc").velocity.y);
    }
    *e = most / sqrt(2 * 9.81 * 0.5);
    ss_verify_close(&w);
    return status;
}

static ss_status restitution(ss_verify *v)
{
    double e;
    for (int i = 0; i < 3; i++) {
        double z = i == 0 ? 0.05 : 0.2 * i;
        SS_TRY(drop(v, z, &e));
        ss_verify_near(v, rebound(z), e, 0.01 * rebound(z), "restitution, damping ratio %g", z);
    }
    SS_TRY(drop(v, 0.05, &e));
    double half = exp(-pi * 0.05 / sqrt(1 - 0.0025));
    ss_verify_near(v, half, e, 0.01 * half, "restitution of half a period, damping ratio 0.05");
    return SS_OK;
}

/* Sum of the patch's forces, their moment about the block's middle, and how many springs slide. */
static int patch_forces(const ss_verify_world *w, double *sum, double *moment)
{
    int sliding = 0;
    *sum = *moment = 0;
    for (int32_t i = 0; i < ss_data_contact_count(w->data); i++) {
        ss_contact_info c;
        ss_data_contact(w->model, w->data, i, &c);
        *sum += c.impulse[0] / h;
        *moment += c.impulse[0] / h * (c.point.x - ss_verify_body(w, "block").position.x);
        sliding += fabs(c.impulse[1]) > (1 - 1e-6) * mu * c.impulse[0];
    }
    return sliding;
}

static ss_status patches(ss_verify *v)
{
    static const double push[] = {0.5, 14.4, 16};
    ss_verify_world     w;
    double              sum, moment;
    SS_TRY(open_block(v, "patch", 0, 20, &w));
    ss_status status = ss_verify_steps(v, &w, h, 1500);
    patch_forces(&w, &sum, &moment);
    ss_body_state s = ss_verify_body(&w, "block");
    ss_verify_near(v, 11, ss_data_contact_count(w.data), 0, "patch: springs");
    ss_verify_near(v, 30, sum, 1e-6, "patch: forces add up to load and weight (N)");
    ss_verify_near(v, 20 * (0.05 * cos(s.angle) - 0.05 * sin(s.angle)), moment, 1e-5,
                   "patch: and to their moment (N m)");
    ss_verify_close(&w);
    for (int i = 0; status == SS_OK && i < 3; i++) {
        SS_TRY(open_block(v, "patch", push[i], 20, &w));
        status       = ss_verify_steps(v, &w, h, i < 2 ? 990 : 1900);
        int  sliding = patch_forces(&w, &sum, &moment);
        bool some    = sliding > 0 && sliding < 11;
        ss_verify_near(v, 1,
                       i == 0   ? sliding == 0
                       : i == 1 ? some
                                : sliding == 11,
                       0, "patch, pushed by %g N of 15: %d of 11 springs slide (none, some, all)",
                       push[i], sliding);
        ss_verify_close(&w);
    }
    return status;
}

/* The disc has a patch of one spring. */
static ss_status one_spring(ss_verify *v)
{
    double y[2];
    for (int i = 0; i < 2; i++) {
        const char *const overrides[] = {
            "params.c=5",
            i == 0 ? "simulation.model.contact=compliant" : "simulation.model.contact=patch", NULL};
        ss_verify_world w;
        SS_TRY(ss_verify_open(v, "compliant-disc", overrides, &w));
        ss_status status = ss_verify_steps(v, &w, h, 1000);
        y[i]             = ss_verify_body(&w, "disc").position.y;
        ss_verify_close(&w);
        SS_TRY(status);
    }
    ss_verify_near(v, y[0], y[1], 0, "patch of one spring: the disc's height as compliant (m)");
    return SS_OK;
}

static ss_status run(ss_verify *v)
{
    SS_TRY(friction(v));
    SS_TRY(restitution(v));
    SS_TRY(patches(v));
    return one_spring(v);
}

const ss_verify_case ss_verify_compliant_block = {
    .name    = "compliant-block",
    .source  = "Berard 2009, 2.4.4",
    .summary = "contacts that give: friction springs, restitution by damping, patches",
    .run     = run};
