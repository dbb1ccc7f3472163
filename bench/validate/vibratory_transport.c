/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vibratory_transport: a part of 9 g, squeezed between fingers that shake up and down, slips along
 * them. The measured path of the fingers moves a wall, a constant force presses the part against
 * it, and its height over time is compared, from its first recorded place and velocity on:
 *
 *   m z'' = -m g + f,   |f| <= mu F        (their model: friction acts once)
 *
 * Three predictions: with nothing fitted (mu_k and F as the authors measured them), with the
 * authors' fit (one mu and a force for each trial), and with our own, mu F alone for each trial:
 * the one of 4, 4.1, .. 12 (quarter steps around the best) weights of the part with the least
 * error.
 */
#include <math.h>
#include <string.h>

#include "stickslip/stickslip.h"
#include "validate.h"

enum { SKIPPED = 3, TEXT = 2048 };

typedef struct trial {
    const char *file;
    double      measured, authors; /* normal force over the weight of the part */
} trial;

static const trial  trials[] = {{"trial_01.csv", 11.089, 10.65}, {"trial_02.csv", 16.901, 13.00},
                                {"trial_03.csv", 5.278, 9.98},   {"trial_04.csv", 5.278, 6.79},
                                {"trial_05.csv", 5.278, 6.04},   {"trial_06.csv", 5.278, 7.08},
                                {"trial_07.csv", 5.278, 6.28},   {"trial_08.csv", 5.278, 6.62},
                                {"trial_09.csv", 5.278, 7.18},   {"trial_10.csv", 22.841, 8.22}};
static const double mass = 0.009, gravity = 9.81, mu_measured = 0.59, mu_authors = 0.6234;

/* Mean distance from the recorded heights, mm, with friction of `weights` times the weight. */
static bool predict(const char *folder, const char *file, const table *t, double weights,
                    double *error)
{
    char        text[TEXT];
    double      first = table_number(t, SKIPPED, 0), h = 1e-4;
    int         zo = table_column(t, "zo"), vzo = table_column(t, "vzo");
    ss_context *ctx   = ss_context_create(NULL);
    ss_scene   *scene = NULL;
    ss_model   *m     = NULL;
    ss_data    *d     = NULL;
    int         size  = snprintf(
                 text, sizeof text,
                 "dimension: 2\ngravity: [0, -%g]\nmaterials: {default: {friction: 1}}\n"
                          "tables: {zp: {file: \"%s/%s\", argument: t, value: zp}}\n"
                          "bodies:\n"
                          "  - {name: finger, type: kinematic, shape: {box: {size: [0.02, 1], position: [-0.01, 0]}},"
                          " motion: {x: 0, y: \"zp(t + %.9g)\"}}\n"
                          "  - {name: part, type: particle, mass: %g, shape: {point: {}}, position: [0, %.9g], "
                          "velocity: [0, %.9g]}\n"
                          "forces: [{name: squeeze, type: constant, body: part, force: [%.9g, 0]}]\n"
                          "simulation: {step: %g, duration: 1, model: {integrator: euler}}\n",
                 gravity, folder, file, first, mass, table_number(t, SKIPPED, zo),
                 table_number(t, SKIPPED, vzo), -weights * mass * gravity, h);
    ss_status status = ss_scene_load_text(ctx, text, (size_t)size, "vibratory", NULL, 0, &scene);
    if (status == SS_OK) {
        status = ss_model_compile(ctx, scene, &m);
    }
    if (status == SS_OK) {
        status = ss_data_create(ctx, m, &d);
    }
    int32_t part = status == SS_OK ? ss_model_find_body(m, "part").index1 - 1 : 0;
    double  sum  = 0;
    for (int i = SKIPPED; status == SS_OK && i < t->rows; i++) {
        ss_body_state s;
        double        until = table_number(t, i, 0) - first;
        while (status == SS_OK && ss_data_time(d) < until - 1e-9) {
            status = ss_step(m, d, fmin(h, until - ss_data_time(d)));
        }
        if (status == SS_OK) {
            status = ss_data_body(m, d, part, &s);
            sum += 1e3 * fabs(s.position.y - table_number(t, i, zo));
        }
    }
    if (status != SS_OK) {
        fprintf(stderr, "validate: %s: %s\n", file, ss_context_message(ctx));
    }
    *error = sum / (t->rows - SKIPPED);
    ss_data_destroy(d);
    ss_model_destroy(m);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
    return status == SS_OK;
}

static bool fit(const char *folder, const char *file, const table *t, double *weights,
                double *error)
{
    double middle = 8, width = 4;
    *error = INFINITY;
    for (int round = 0; round < 4; round++) {
        for (int k = -4; k <= 4; k++) {
            double e = 0, w = middle + width * k / 4;
            if (w > 0 && !predict(folder, file, t, w, &e)) {
                return false;
            }
            if (w > 0 && e < *error) {
                *error   = e;
                *weights = w;
            }
        }
        middle = *weights;
        width /= 4;
    }
    return true;
}

static double tallest(const table *t)
{
    double most = 0;
    for (int i = SKIPPED; i < t->rows; i++) {
        most = fmax(most, 1e3 * fabs(table_number(t, i, table_column(t, "zo"))));
    }
    return most;
}

static bool run_trial(const char *folder, const trial *x, double errors[3])
{
    table  t;
    double weights = 0;
    char   path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, x->file);
    FILE *there = fopen(path, "r");
    errors[0] = errors[1] = errors[2] = NAN;
    if (there == NULL) {
        return true; /* of the other half */
    }
    fclose(there);
    if (!table_read(&t, folder, x->file)) {
        return false;
    }
    bool ok = predict(folder, x->file, &t, mu_measured * x->measured, &errors[0]) &&
              predict(folder, x->file, &t, mu_authors * x->authors, &errors[1]) &&
              fit(folder, x->file, &t, &weights, &errors[2]);
    if (ok) {
        double most = tallest(&t);
        printf("| %.8s | %.3f (%.1f %%) | %.3f (%.1f %%) | %.3f (%.1f %%) | %.2f | %.2f | %.2f |\n",
               x->file, errors[0], 100 * errors[0] / most, errors[1], 100 * errors[1] / most,
               errors[2], 100 * errors[2] / most, mu_measured * x->measured,
               mu_authors * x->authors, weights);
    }
    table_free(&t);
    return ok;
}

bool validate_vibratory_transport(const validation *v)
{
    char   folder[1024], probe[1100];
    double sum[3] = {0};
    int    count  = 0;
    bool   ok     = true;
    if (v->identify != NULL) {
        return true;
    }
    snprintf(folder, sizeof folder, "%s/vibratory_transport", v->data);
    snprintf(probe, sizeof probe, "%s/README.md", folder);
    FILE *there = fopen(probe, "r");
    if (there == NULL) {
        fprintf(stderr, "validate: SKIPPED vibratory_transport: it is not in %s\n", v->data);
        return true;
    }
    fclose(there);
    printf(
        "\n## vibratory_transport\n\nMean error of the height, mm (share of the largest height). "
        "*measured*: nothing fitted, the authors' measured normal force and kinetic friction. "
        "*authors' fit*: their numbers, one friction and a force for each trial, fitted to these "
        "very trials by their own model (they report 0.161 mm over ten trials). *ours*: one number "
        "for each trial, the friction force over the part's weight, fitted to the trial it is "
        "scored on.\n\n| trial | measured | authors' fit | ours | force: measured | authors | ours "
        "|\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
        double errors[3];
        ok = run_trial(folder, &trials[i], errors) && ok;
        if (!isnan(errors[2])) {
            for (int k = 0; k < 3; k++) {
                sum[k] += errors[k];
            }
            count++;
        }
    }
    printf("| **mean** | %.3f | %.3f | %.3f | | | |\n", sum[0] / count, sum[1] / count,
           sum[2] / count);
    return ok && count > 0;
}
