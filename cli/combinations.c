/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of combinations. Rows are made from the axes as the library lists them, so a new axis
 * or a new value appears by itself; columns are the scenes below, which stand for the dimension and
 * the support. Each has contacts with friction, a pushed body and a joint.
 */
#include "combinations.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "stickslip/scene_file.h"
#include "stickslip/sim.h"

enum { AXES_MAX = 16, STEPS = 20, REASONS_MAX = 24, REASON_SIZE = 256, DIRECTIONS = 8 };

typedef struct trial_scene {
    const char *name;
    const char *text;
} trial_scene;

/* clang-format off */
#define MATERIALS                                                                                  \
    "materials:\n"                                                                                 \
    "  default: {friction: 0.4, compliance: {stiffness: 40000, damping: 100, max_deflection: 0.004, springs: 1}}\n" \
    "  slick: {friction: 0}\n"
#define FLAT_FINGER                                                                                \
    "  - {name: finger, type: kinematic, material: slick, shape: {disc: {radius: 0.02}},\n"        \
    "     position: [-0.1335, 0.04], velocity: [0.1, 0]}\n"
#define FLAT_BOX                                                                                   \
    "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}},\n"                  \
    "     position: [0, 0.05], damping: [1, 0.1]"
#define FLAT_ARM                                                                                   \
    "  - {name: arm, type: dynamic, mass: 0.1, inertia: 0.001, position: [0.05, 0.1],\n"           \
    "     damping: [1, 0.1]}\n"                                                                    \
    "joints:\n"                                                                                    \
    "  - {name: hinge, type: revolute, bodies: [box, arm], anchor: [0, 0.1], friction: 0.2}\n"     \
    "forces:\n"                                                                                    \
    "  - {name: pull, type: constant, body: arm, force: [0.06, 0.02]}\n"
#define SOLID_BODIES                                                                               \
    "gravity: [0, 0, -9.81]\n" MATERIALS                                                           \
    "bodies:\n"                                                                                    \
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"                       \
    "  - {name: finger, type: kinematic, material: slick, shape: {sphere: {radius: 0.02}},\n"      \
    "     position: [-0.1335, 0.01, 0.04], velocity: [0.1, 0, 0]}\n"                               \
    "  - {name: arm, type: dynamic, mass: 0.1, inertia: [0.001, 0.001, 0.001],\n"                  \
    "     position: [0.05, 0, 0.1], damping: [1, 0.1]}\n"                                          \
    "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1, 0.1]}},\n"             \
    "     position: [0, 0, 0.05], damping: [1, 0.1]"
#define SOLID_JOINT                                                                                \
    "joints:\n"                                                                                    \
    "  - {name: hinge, type: revolute, bodies: [box, arm], anchor: [0, 0, 0.1],\n"                 \
    "     axis: [0, 1, 0], friction: 0.2}\n"                                                       \
    "forces:\n"                                                                                    \
    "  - {name: pull, type: constant, body: arm, force: [0.06, 0.02, 0]}\n"
#define SUPPORT                                                                                    \
    ",\n     support: {points: [[0.08, 0.03], [-0.08, 0.03], [0, -0.04]], friction: 0.3}"
#define STEPPING "simulation: {step: 0.01, duration: 1}\n"

static const trial_scene trial_scenes[] = {
    {"2D",
     "dimension: 2\n"
     "gravity: [0, -9.81]\n" MATERIALS
     "bodies:\n"
     "  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}\n"
     FLAT_FINGER FLAT_BOX "}\n" FLAT_ARM STEPPING},
    {"2D, support",
     "dimension: 2\n"
     "gravity: [0, 0]\n" MATERIALS
     "bodies:\n"
     FLAT_FINGER FLAT_BOX SUPPORT "}\n" FLAT_ARM STEPPING},
    {"3D", SOLID_BODIES "}\n" SOLID_JOINT STEPPING},
    {"3D, support", SOLID_BODIES SUPPORT "}\n" SOLID_JOINT STEPPING},
};
/* clang-format on */

enum { SCENES = (int)(sizeof trial_scenes / sizeof trial_scenes[0]) };

typedef struct trial {
    ss_context *ctx;
    int         value[AXES_MAX]; /* place in the list of values of each axis              */
    char        reasons[REASONS_MAX][REASON_SIZE];
    int         reason_count;
    bool        broken; /* one neither ran nor was refused */
    bool        as_json;
    ss_json     json;
} trial;

static const char *word_of(const trial *t, int32_t axis, char *buffer, size_t size)
{
    const ss_axis_value *v = &ss_axis_at(axis)->values[t->value[axis]];
    snprintf(buffer, size, v->counts ? "%s:%d" : "%s", v->word, DIRECTIONS);
    return buffer;
}

/* The next combination; false after the last. */
static bool advance(trial *t)
{
    for (int32_t i = ss_axis_count() - 1; i >= 0; i--) {
        if (ss_axis_at(i)->values[++t->value[i]].word != NULL) {
            return true;
        }
        t->value[i] = 0;
    }
    return false;
}

/* With level: acceleration these axes say nothing: rows beyond their first values are left out. */
static bool says_something(const trial *t)
{
    static const char *const idle[] = {"gap", "joints", "integrator"};
    bool                     first = true, acceleration = false;
    char                     word[64];
    for (int32_t i = 0; i < ss_axis_count(); i++) {
        for (int k = 0; k < 3; k++) {
            first = first && (strcmp(ss_axis_at(i)->name, idle[k]) != 0 || t->value[i] == 0);
        }
        acceleration =
            acceleration || strcmp(word_of(t, i, word, sizeof word), "acceleration") == 0;
    }
    return first || !acceleration;
}

/* "inertia=dynamic,cone=quadratic,..." as overrides. */
static ss_status model_overrides(const trial *t, char (*overrides)[128], int32_t *count)
{
    char   text[512], word[64];
    size_t used = 0;
    for (int32_t i = 0; i < ss_axis_count(); i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=%s", i > 0 ? "," : "",
                                 ss_axis_at(i)->name, word_of(t, i, word, sizeof word));
    }
    return ss_axes_to_overrides(t->ctx, text, overrides, AXES_MAX, count);
}

static ss_status take_steps(ss_context *ctx, const ss_model *m)
{
    ss_data  *d      = NULL;
    ss_status status = ss_data_create(ctx, m, &d);
    for (int i = 0; status == SS_OK && i < STEPS; i++) {
        status = ss_step(m, d, ss_model_simulation(m)->step);
    }
    ss_data_destroy(d);
    return status;
}

/* Reads, compiles and runs; *refused: it was turned down before the first step. */
static ss_status attempt(const trial *t, const trial_scene *s, bool *refused)
{
    char        storage[AXES_MAX][128];
    const char *overrides[AXES_MAX];
    int32_t     count = 0;
    ss_scene   *scene = NULL;
    ss_model   *model = NULL;
    *refused          = false;
    SS_TRY(model_overrides(t, storage, &count));
    for (int32_t i = 0; i < count; i++) {
        overrides[i] = storage[i];
    }
    ss_status status =
        ss_scene_load_text(t->ctx, s->text, strlen(s->text), "scene", overrides, count, &scene);
    if (status == SS_OK) {
        status = ss_model_compile(t->ctx, scene, &model);
    }
    *refused = status == SS_ERR_INPUT || status == SS_ERR_UNSUPPORTED;
    if (status == SS_OK) {
        status = take_steps(t->ctx, model);
    }
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    return status;
}

/* The message without its place in the file, numbered: equal ones share a number. */
static int reason_number(trial *t, const char *message)
{
    if (strncmp(message, "scene:", 6) == 0) {
        const char *blank = strchr(message, ' ');
        message           = blank != NULL ? blank + 1 : message;
    }
    for (int i = 0; i < t->reason_count; i++) {
        if (strncmp(t->reasons[i], message, REASON_SIZE - 1) == 0) {
            return i + 1;
        }
    }
    if (t->reason_count == REASONS_MAX) {
        return REASONS_MAX;
    }
    snprintf(t->reasons[t->reason_count++], REASON_SIZE, "%s", message);
    return t->reason_count;
}

static void print_cell(trial *t, const trial_scene *s, ss_status status, bool refused)
{
    const char *verdict = status == SS_OK ? "runs" : refused ? "refused" : "fails";
    t->broken           = t->broken || (status != SS_OK && !refused);
    if (t->as_json) {
        char word[64];
        ss_json_open_object(&t->json, NULL);
        for (int32_t i = 0; i < ss_axis_count(); i++) {
            ss_json_text(&t->json, ss_axis_at(i)->name, word_of(t, i, word, sizeof word));
        }
        ss_json_text(&t->json, "scene", s->name);
        ss_json_text(&t->json, "verdict", verdict);
        ss_json_text(&t->json, "reason", status != SS_OK ? ss_context_message(t->ctx) : NULL);
        ss_json_close_object(&t->json);
    } else if (status == SS_OK) {
        printf(" %s |", verdict);
    } else {
        printf(" %s (%d) |", verdict, reason_number(t, ss_context_message(t->ctx)));
    }
}

static void print_row(trial *t)
{
    char word[64];
    for (int32_t i = 0; !t->as_json && i < ss_axis_count(); i++) {
        printf("%s %s |", i == 0 ? "|" : "", word_of(t, i, word, sizeof word));
    }
    for (int i = 0; i < SCENES; i++) {
        bool      refused;
        ss_status status = attempt(t, &trial_scenes[i], &refused);
        print_cell(t, &trial_scenes[i], status, refused);
    }
    if (!t->as_json) {
        printf("\n");
    }
}

static void print_head(void)
{
    printf(
        "# Combinations of the model's axes\n\n"
        "Made by `stickslip list --combinations`, which runs every line: %d steps of a small scene "
        "with contacts,\na finger that pushes and a joint, in the plane, in the plane on a "
        "support (2.5D) and in space. `runs`: every\nstep is certified. `refused`: it is turned "
        "down before the first step, for the reason below the table. With\n`level: acceleration` "
        "the "
        "axes gap, joints and integrator say nothing: it has no lines for their other values. A\n"
        "test compares this page with what the command prints.\n\n",
        STEPS);
    for (int32_t i = 0; i < ss_axis_count(); i++) {
        printf("%s %s |", i == 0 ? "|" : "", ss_axis_at(i)->name);
    }
    for (int i = 0; i < SCENES; i++) {
        printf(" %s |", trial_scenes[i].name);
    }
    printf("\n|");
    for (int32_t i = 0; i < ss_axis_count() + SCENES; i++) {
        printf("---|");
    }
    printf("\n");
}

static void print_reasons(const trial *t)
{
    if (t->reason_count > 0) {
        printf("\n## Reasons\n\n");
    }
    for (int i = 0; i < t->reason_count; i++) {
        printf("%d. %s\n", i + 1, t->reasons[i]);
    }
}

int ss_list_combinations(bool as_json)
{
    trial t = {.ctx = ss_cli_context(true), .as_json = as_json};
    if (t.ctx == NULL || ss_axis_count() > AXES_MAX) {
        ss_context_destroy(t.ctx);
        return SS_EXIT_RESOURCES;
    }
    t.json = ss_json_start(stdout, false);
    if (as_json) {
        ss_json_open_array(&t.json, NULL);
    } else {
        print_head();
    }
    do {
        if (says_something(&t)) {
            print_row(&t);
        }
    } while (advance(&t));
    if (as_json) {
        ss_json_close_array(&t.json);
        ss_json_end(&t.json);
    } else {
        print_reasons(&t);
    }
    ss_context_destroy(t.ctx);
    return t.broken ? SS_EXIT_NO : SS_EXIT_DONE;
}
