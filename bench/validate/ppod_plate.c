/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ppod_plate: motions of a plate, measured in six axes, that are known to make parts gather, part,
 * turn or travel; which is their name. The measured accelerations, their means taken off (they are
 * offsets of the sensors: the plate did not leave), move a plate; velocities of a point-like part
 * on 5 x 5 places of 10 x 10 cm, at each the motion that it settles to, are a field, whose type and
 * sign must be the stated ones; with the desired motion in place of the measured one, too. Nothing
 * is fitted: friction, which nobody measured, is varied.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stickslip/flow.h"
#include "stickslip/stickslip.h"
#include "validate.h"

enum { COLUMNS = 6, TEXT = 8192, ORDINARY = 2, FRICTIONS = 4 };

/* Fields with the stated type and sign, and all: at ordinary frictions (0.2, 0.3), and at others.
 */
typedef struct tally {
    int right[2], count[2];
} tally;

/* What a name states about the field that fits best. */
typedef struct stated {
    const char *name, *text;
    bool (*holds)(const ss_flow_linear *f, double fastest);
} stated;

static double divergence(const ss_flow_linear *f)
{
    return f->jacobian[0] + f->jacobian[3];
}

static double curl(const ss_flow_linear *f)
{
    return f->jacobian[2] - f->jacobian[1];
}

/* Everything comes nearer, or goes away; turning besides is no matter of the name. */
static bool is_sink(const ss_flow_linear *f, double fastest)
{
    (void)fastest;
    return f->rate[0] < 0 && fabs(divergence(f)) > fabs(curl(f));
}

static bool is_source(const ss_flow_linear *f, double fastest)
{
    (void)fastest;
    return f->rate[1] > 0 && fabs(divergence(f)) > fabs(curl(f));
}

static bool is_whirlpool(const ss_flow_linear *f, double fastest)
{
    (void)fastest;
    return f->kind == SS_FLOW_SPIRAL_SINK;
}

static bool is_centrifuge(const ss_flow_linear *f, double fastest)
{
    (void)fastest;
    return f->kind == SS_FLOW_SPIRAL_SOURCE;
}

static bool is_circle(const ss_flow_linear *f, double fastest)
{
    (void)fastest;
    return f->kind == SS_FLOW_CENTRE;
}

static bool is_line(const ss_flow_linear *f, int axis, double sign)
{
    double along = f->jacobian[axis == 0 ? 0 : 3], across = f->jacobian[axis == 0 ? 3 : 0];
    return sign * along > 0 && fabs(across) < 0.1 * fabs(along);
}

static bool is_sink_y(const ss_flow_linear *f, double fastest)
{
    (void)fastest;
    return is_line(f, 1, -1);
}

static bool is_source_x(const ss_flow_linear *f, double fastest)
{
    (void)fastest;
    return is_line(f, 0, 1);
}

static bool is_source_y(const ss_flow_linear *f, double fastest)
{
    (void)fastest;
    return is_line(f, 1, 1);
}

static bool moves_back(const ss_flow_linear *f, double fastest)
{
    (void)fastest;
    return f->kind == SS_FLOW_TRANSLATION && f->velocity[0] < -5 * fabs(f->velocity[1]);
}

static bool squeezes(const ss_flow_linear *f, double fastest)
{
    (void)fastest;
    return f->velocity[1] > 5 * fabs(f->velocity[0]) && is_line(f, 0, -1);
}

/* A plate that goes up and down and does nothing else carries nothing sideways. */
static bool carries_nothing(const ss_flow_linear *f, double fastest)
{
    (void)f;
    return fastest < 1e-3;
}

static const stated fields[] = {
    {"Centrifuge", "spiral source", is_centrifuge},
    {"Circle", "centre", is_circle},
    {"DutyCycle", "none (bounces)", carries_nothing},
    {"LineSinkY", "line sink in y", is_sink_y},
    {"LineSourceX", "line source in x", is_source_x},
    {"LineSourceY", "line source in y", is_source_y},
    {"Sink", "sink", is_sink},
    {"Source", "source", is_source},
    {"SqueezeTrans", "to +y, gathering in x", squeezes},
    {"TransNegX", "to -x", moves_back},
    {"Whirlpool", "spiral sink", is_whirlpool},
};

static const stated *find_stated(const char *file)
{
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (strncmp(fields[i].name, file, strlen(fields[i].name)) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

/* ---- one signal ---- */

static bool find_scene(void *user, const char *name, const char **text, size_t *length)
{
    (void)name;
    *text   = user;
    *length = strlen(user);
    return true;
}

static double mean_column(const table *t, const char *name)
{
    double sum    = 0;
    int    column = table_column(t, name);
    for (int i = 0; i < t->rows; i++) {
        sum += table_number(t, i, column);
    }
    return sum / t->rows;
}

static bool write_scene(const char *folder, const char *file, bool desired, char *scene)
{
    static const char *const names[2][COLUMNS] = {{"ax", "ay", "az", "alx", "aly", "alz"},
                                                  {"dax", "day", "daz", "dalx", "daly", "dalz"}};
    table                    t;
    int                      used         = 0;
    char                     part[2][512] = {"", ""};
    if (!table_read(&t, folder, file)) {
        return false;
    }
    double period = t.rows * (table_number(&t, 1, 0) - table_number(&t, 0, 0));
    used = snprintf(scene, TEXT, "params: {T: %.9g, mu: 0.3, x: 0, y: 0}\ntables:\n", period);
    for (int i = 0; i < COLUMNS; i++) {
        const char *name = names[desired][i];
        char       *to   = part[i / 3];
        used += snprintf(scene + used, TEXT - (size_t)used,
                         "  q%d: {file: \"%s/%s\", argument: t, value: %s, period: %.9g}\n", i,
                         folder, file, name, period);
        snprintf(to + strlen(to), sizeof part[0] - strlen(to), "%s\"q%d(t) - (%.17g)\"",
                 i % 3 > 0 ? ", " : "", i, mean_column(&t, name));
    }
    snprintf(scene + used, TEXT - (size_t)used,
             "materials: {default: {friction: mu}}\nbodies:\n"
             "  - name: plate\n    type: kinematic\n"
             "    shape: {box: {size: [0.4, 0.4, 0.01], position: [0, 0, -0.005]}}\n"
             "    motion: {acceleration: [%s], angular_acceleration: [%s], period: T}\n"
             "  - {name: part, type: particle, mass: 0.001, shape: {point: {}}, position: [x, y, "
             "0.002]}\n"
             "simulation: {step: 0.0001, duration: 1, model: {integrator: euler}}\n",
             part[0], part[1]);
    table_free(&t);
    return true;
}

static const char study[] = "study: sweep\nscene: plate\nvary:\n"
                            "  params.mu: {list: [0.2, 0.3, 0.45, 0.6]}\n"
                            "  params.x: {grid: [-0.05, 0.05, 5]}\n"
                            "  params.y: {grid: [-0.05, 0.05, 5]}\n"
                            "cycle: {period: T, body: part, in: plate, periods: 60}\n"
                            "measure:\n"
                            "  u: drift(T, x('part', 'plate'))\n"
                            "  v: drift(T, y('part', 'plate'))\n"
                            "field: {at: [params.x, params.y], velocity: [u, v]}\n";

static double fastest_of(const ss_flow *f)
{
    double most = 0;
    for (int k = 0; k < 25; k++) {
        double at[2] = {-0.05 + 0.025 * (k % 5), -0.05 + 0.025 * (k / 5)}, v[2];
        most         = ss_flow_velocity(f, at, v) ? fmax(most, hypot(v[0], v[1])) : most;
    }
    return most;
}

/* Rates at a friction of 0.3, then a cell for each friction: what it is where it is another. */
static bool judge(ss_context *ctx, const ss_trials *t, const stated *s, tally *sum)
{
    enum { SHOWN = 1 };
    ss_flow_linear whole[FRICTIONS];
    bool           holds[FRICTIONS];
    int            n = (int)fmin(FRICTIONS, (double)ss_trials_flow_count(t));
    for (int i = 0; i < n; i++) {
        ss_flow *f = NULL;
        if (ss_trials_flow(t, i, &f) != SS_OK) {
            fprintf(stderr, "validate: %s\n", ss_context_message(ctx));
            return false;
        }
        whole[i] = ss_flow_whole(f);
        holds[i] = s->holds(&whole[i], fastest_of(f));
        sum->right[i >= ORDINARY] += holds[i];
        sum->count[i >= ORDINARY]++;
        ss_flow_destroy(f);
    }
    printf(" %.3f, %.3f | %.1f, %.1f |", divergence(&whole[SHOWN]), curl(&whole[SHOWN]),
           1e3 * whole[SHOWN].velocity[0], 1e3 * whole[SHOWN].velocity[1]);
    for (int i = 0; i < n; i++) {
        printf(" %s |", holds[i] ? "yes" : ss_flow_kind_text(whole[i].kind));
    }
    return true;
}

static bool run_signal(const char *folder, const char *file, bool desired, tally *sum)
{
    static char   scene[TEXT];
    const stated *s = find_stated(file);
    if (s == NULL) {
        fprintf(stderr, "validate: %s: its name states no field that is known here\n", file);
        return true;
    }
    if (!write_scene(folder, file, desired, scene)) {
        return false;
    }
    ss_study_def def    = {.find_scene = find_scene, .find_user = scene};
    ss_sweep_def how    = {0};
    ss_context  *ctx    = ss_context_create(NULL);
    ss_study    *st     = NULL;
    ss_trials   *t      = NULL;
    ss_status    status = ss_study_load_text(ctx, study, sizeof study - 1, "field", &def, &st);
    if (status == SS_OK) {
        status = ss_study_sweep(ctx, st, &how, &t);
    }
    if (status != SS_OK) {
        fprintf(stderr, "validate: %s: %s\n", file, ss_context_message(ctx));
    } else {
        printf("| %.*s | %s | %s |", (int)strcspn(file, "_"), file,
               desired ? "desired" : "measured", s->text);
    }
    bool ok = status == SS_OK && judge(ctx, t, s, sum);
    printf("\n");
    ss_trials_destroy(t);
    ss_study_destroy(st);
    ss_context_destroy(ctx);
    return ok;
}

bool validate_ppod_plate(const validation *v)
{
    char  folder[1024];
    table index;
    bool  ok  = true;
    tally sum = {{0, 0}, {0, 0}};
    if (v->identify != NULL) {
        return true;
    }
    snprintf(folder, sizeof folder, "%s/ppod_plate", v->data);
    if (!table_read(&index, folder, "index.csv")) {
        fprintf(stderr, "validate: SKIPPED ppod_plate: it is not in %s\n", v->data);
        return true;
    }
    printf(
        "\n## ppod_plate\n\nIs the field the one that the signal is named after? For four "
        "coefficients of friction, with the measured and with the desired motion. Divergence and "
        "curl (1/s) and the velocity in the middle (mm/s) are those at 0.3.\n\n"
        "| signal | motion | stated | divergence, curl | velocity | 0.2 | 0.3 | 0.45 | 0.6 "
        "|\n|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < index.rows; i++) {
        for (int desired = 0; desired < 2; desired++) {
            ok = run_signal(folder, table_text(&index, i, table_column(&index, "file")),
                            desired != 0, &sum) &&
                 ok;
        }
    }
    printf("\n%d of %d fields at 0.2 and 0.3 have the stated type and sign, %d of %d at 0.45 and "
           "0.6.\n",
           sum.right[0], sum.count[0], sum.right[1], sum.count[1]);
    table_free(&index);
    return ok;
}
