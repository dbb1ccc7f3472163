/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a study file: its keys, the scene it names, and one look at its first trial. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "stickslip/plugin.h"
#include "study/design.h"
#include "study/flow_trials.h"
#include "study/plan.h"
#include "study/rungs.h"
#include "study/trial.h"
#include "study/vary.h"
#include "study/watch.h"

typedef struct header {
    int               kind; /* of "sweep" */
    const char       *name, *scene, *stop;
    double            seed;
    int32_t           trials;
    int               sampling;
    ss_node          *set, *vary, *correlation, *measure, *stop_node;
    ss_node          *objective, *constraints, *method, *rungs, *cycle, *field;
    int32_t           check;
    ss_plan_keys      plan;
    ss_identify_nodes identify;
} header;

static ss_status keep_node(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    (void)d;
    *(ss_node **)((char *)target + key->offset) = node;
    return SS_OK;
}

static ss_status keep_stop(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    header *h    = target;
    h->stop_node = node;
    return ss_decode_text(d, key->name, node, &h->stop);
}

static const ss_key keys[] = {
    SS_KEY_ROW("study", SS_KEY_CHOICE, header, kind, .choices = "sweep|design|plan|identify",
               .required = true, .doc = "what kind of study it is"),
    SS_KEY_ROW("name", SS_KEY_TEXT, header, name, .initial = "its file",
               .doc = "what it is called"),
    SS_KEY_ROW("scene", SS_KEY_TEXT, header, scene, .required = true,
               .doc = "the scene file, relative to the study file, or builtin:NAME"),
    SS_KEY_ROW("seed", SS_KEY_REAL, header, seed, .low = 0, .high = 9007199254740992.0,
               .initial = "0", .doc = "a whole number: other seeds, other random numbers"),
    SS_KEY_ROW("set", SS_KEY_CUSTOM, header, set, .decode = keep_node, .form = "{path: value, ..}",
               .doc = "values of the scene that are the same in all trials"),
    SS_KEY_ROW("vary", SS_KEY_CUSTOM, header, vary, .decode = keep_node,
               .schema = "\"type\": \"object\", \"additionalProperties\": "
                         "{\"$ref\": \"#/definitions/way\"}",
               .form = "{path: {way: ..}, ..}", .doc = "values that vary, see below"),
    SS_KEY_ROW("sampling", SS_KEY_CHOICE, header, sampling,
               .choices = "random|latin|sobol|saltelli", .initial = "random",
               .doc = "how random values of a cell are spread: independent, one in each of "
                      "`trials` strata (Latin hypercube), by Sobol's sequence, scrambled, or "
                      "in rows of 2 + (random values) trials, from which Sobol indices are "
                      "told"),
    SS_KEY_ROW("correlation", SS_KEY_CUSTOM, header, correlation, .decode = keep_node,
               .form = "[{between: [a, b], value: r}, ..]",
               .doc  = "correlation between normals (of lognormals: between their logarithms)"),
    SS_KEY_ROW("trials", SS_KEY_INT, header, trials, .low = 1, .high = 1e8, .initial = "1",
               .doc = "trials per cell, each with random values of its own"),
    SS_KEY_ROW("stop", SS_KEY_CUSTOM, header, stop, .decode = keep_stop, .form = "expression",
               .doc = "ends a run as soon as it is true"),
    SS_KEY_ROW("cycle", SS_KEY_CUSTOM, header, cycle, .decode = keep_node, .keys = ss_cycle_keys,
               .form = "{period, body, in, hold, ..}",
               .doc =
                   "a trial is not a run for its duration but a period of the motion that a body "
                   "settles to, see below"),
    SS_KEY_ROW("measure", SS_KEY_CUSTOM, header, measure, .decode = keep_node,
               .form = "{name: expression, ..}",
               .doc  = "what is measured, see below; `name: {plugin: NAME}` is a measure in C"),
    SS_KEY_ROW("field", SS_KEY_CUSTOM, header, field, .decode = keep_node, .keys = ss_field_keys,
               .form = "{at: [PATH, PATH], velocity: [MEASURE, MEASURE]}",
               .doc  = "`sweep`: measures that are a velocity over places, see below"),
    SS_KEY_ROW("objective", SS_KEY_CUSTOM, header, objective, .decode = keep_node,
               .form = "{minimise: expression} or {maximise: expression}",
               .doc  = "`design`: what the best design has least or most of, see below"),
    SS_KEY_ROW("constraints", SS_KEY_CUSTOM, header, constraints, .decode = keep_node,
               .form = "[expression >= number, ..]",
               .doc  = "`design`: what a design must keep, `>=` or `<=`"),
    SS_KEY_ROW("method", SS_KEY_CUSTOM, header, method, .decode = keep_node,
               .form = "{algorithm, evaluations, restarts, tolerance}",
               .doc  = "`design`, `plan`, `identify`: how it is searched for, see below"),
    SS_KEY_ROW(
        "rungs", SS_KEY_CUSTOM, header, rungs, .decode = keep_node,
        .form = "[{name: text, set: {path: value, ..}}, ..]",
        .doc  = "`design`, `plan`: models from cheap to expensive, each the scene with values of "
                "its own, see below"),
    SS_KEY_ROW("actions", SS_KEY_CUSTOM, header, plan.actions, .decode = keep_node,
               .form = "{name: {choose: {..}, set: {..}}, ..}",
               .doc  = "`plan`: what can be done, see below"),
    SS_KEY_ROW("goal", SS_KEY_CUSTOM, header, plan.goal, .decode = keep_node,
               .form = "{measure: number, ..}",
               .doc  = "`plan`: how near to zero these measures must come in every trial"),
    SS_KEY_ROW("carry", SS_KEY_CUSTOM, header, plan.carry, .decode = keep_node,
               .form = "[body, ..]",
               .doc  = "`plan`: bodies that begin an action where the one before left them"),
    SS_KEY_ROW("length", SS_KEY_CUSTOM, header, plan.length, .decode = keep_node,
               .form = "whole number or [least, most]", .initial = "1",
               .doc = "`plan`: how many actions; the shortest plan is looked for first"),
    SS_KEY_ROW("check", SS_KEY_INT, header, check, .low = 0, .high = 1e6, .initial = "0",
               .doc = "`plan`: fresh trials, not used in the search, that judge what was found"),
    SS_KEY_ROW("data", SS_KEY_CUSTOM, header, identify.data, .decode = keep_node,
               .form = "{files: [..], columns: {..}, ..}",
               .doc  = "`identify`: recordings, and what their columns are, see below"),
    SS_KEY_ROW("free", SS_KEY_CUSTOM, header, identify.free, .decode = keep_node,
               .form = "{path: {bounds: [low, high]}, ..}",
               .doc  = "`identify`: values of the scene that are to be found"),
    SS_KEY_ROW("nuisance", SS_KEY_CUSTOM, header, identify.nuisance, .decode = keep_node,
               .form = "{start, delay, offset, length_scale, angle_bias}",
               .doc  = "`identify`: what else is not known, see below"),
    SS_KEY_ROW("noise", SS_KEY_CUSTOM, header, identify.noise, .decode = keep_node,
               .form = "{position, angle, velocity, spin, known}",
               .doc  = "`identify`: standard deviations of what is recorded"),
    SS_KEY_ROW("loss", SS_KEY_CUSTOM, header, identify.loss, .decode = keep_node,
               .form = "path, end, travel or {over, length, measures}", .initial = "path",
               .doc = "`identify`: what is compared, see below"),
    SS_KEY_ROW("smooth", SS_KEY_CUSTOM, header, identify.smooth, .decode = keep_node,
               .form = "{values: [[..], ..], deviation}",
               .doc  = "`identify`: free values of neighbouring places, see below"),
    SS_KEY_ROW("folds", SS_KEY_CUSTOM, header, identify.folds, .decode = keep_node,
               .form = "whole number or {count, known}",
               .doc  = "`identify`: parts of the recordings that are left out in turn"),
    SS_KEY_ROW("starts", SS_KEY_INT, header, identify.starts, .low = 1, .high = 1e6, .initial = "1",
               .doc = "`identify`: searches, the first from `start`, others from "
                      "anywhere within the bounds"),
    SS_KEY_ROW("confidence", SS_KEY_CUSTOM, header, identify.confidence, .decode = keep_node,
               .form = "{level, bootstrap, profile, steps}",
               .doc  = "`identify`: level of intervals (0.9), resamplings of the recordings (0)"),
    SS_KEY_ROW("models", SS_KEY_CUSTOM, header, identify.models, .decode = keep_node,
               .form = "[{name: text, set: {path: value, ..}}, ..]",
               .doc  = "`identify`: models to compare, each the scene with values of its own"),
    SS_KEY_ROW("excite", SS_KEY_CUSTOM, header, identify.excite, .decode = keep_node,
               .form = "{inputs: [{name, set}, ..], rate, duration, points}",
               .doc  = "`identify --excite`: experiments to choose from, see below"),
    SS_KEY_END};

/* ---- sections ---- */

/* Names are columns of a table and keys in JSON. */
static ss_status check_measure_name(ss_decoder *d, const ss_node *node)
{
    static const char *const taken[] = {"trial", "status", "residual", "seconds",
                                        "steps", "time",   "message"};
    for (const char *c = node->key; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || strchr(",;\"'", *c) != NULL) {
            return ss_decode_fail(d, node, "a name must not contain any of , ; \" '");
        }
    }
    if (node->key[0] == '\0' || strlen(node->key) > 63) {
        return ss_decode_fail(d, node, "a name must have 1 to 63 characters");
    }
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        if (strcmp(taken[i], node->key) == 0) {
            return ss_decode_fail(d, node, "'%s' is a column of every study: choose another name",
                                  node->key);
        }
    }
    return SS_OK;
}

static ss_status refuse_input_name(ss_decoder *d, const ss_study *s, const ss_node *node)
{
    for (int32_t i = 0; i < s->input_count; i++) {
        if (strcmp(s->inputs[i].path, node->key) == 0) {
            return ss_decode_fail(d, node, "'%s' is the column of a value that varies", node->key);
        }
    }
    return SS_OK;
}

/* {plugin: NAME}: in C, of a plug-in that is loaded. */
static ss_status plugin_measure(ss_decoder *d, ss_node *entry, ss_measure *m)
{
    ss_node    *node = entry->first;
    const char *word = NULL;
    if (entry->count != 1 || strcmp(node->key, "plugin") != 0) {
        return ss_decode_fail(d, entry, "a measure is an expression, or {plugin: NAME}");
    }
    SS_TRY(ss_decode_text(d, "plugin", node, &word));
    m->cls = ss_measure_find(d->ctx, word);
    if (m->cls == NULL) {
        return ss_decode_fail(d, node, "no plug-in that is loaded has a measure '%.60s'", word);
    }
    return SS_OK;
}

static ss_status decode_measures(ss_decoder *d, ss_study *s, ss_node *node)
{
    s->measures = ss_pool_alloc(d->pool, SS_STUDY_MEASURES, sizeof *s->measures);
    if (s->measures == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "measure", node, SS_NODE_MAP));
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        snprintf(d->what, sizeof d->what, "measure '%.60s': ", entry->key);
        ss_measure m = {.name = entry->key, .node = entry};
        SS_TRY(check_measure_name(d, entry));
        SS_TRY(refuse_input_name(d, s, entry));
        SS_TRY(entry->kind == SS_NODE_MAP ? plugin_measure(d, entry, &m)
                                          : ss_decode_text(d, "its expression", entry, &m.text));
        if (s->measure_count == SS_STUDY_MEASURES) {
            return ss_decode_fail(d, entry, "a study has at most %d measures", SS_STUDY_MEASURES);
        }
        s->measures[s->measure_count++] = m;
    }
    d->what[0] = '\0';
    return SS_OK;
}

/* ---- the scene ---- */

static ss_status load_scene(ss_decoder *d, ss_study *s, const ss_study_def *def,
                            const ss_node *node)
{
    const char *text = NULL, *name = node->text;
    char        path[1024];
    size_t      length = 0;
    if (def->find_scene != NULL && def->find_scene(def->find_user, name, &text, &length)) {
        return ss_scene_source_text(d->ctx, text, length, name, &s->source);
    }
    snprintf(path, sizeof path, "%s%s", name[0] == '/' ? "" : d->directory, name);
    ss_status status = ss_scene_source_load(d->ctx, path, &s->source);
    /* what is wrong inside the scene has a line of its own, a file that cannot be read has none */
    const char *message = ss_context_message(d->ctx);
    size_t      known   = strlen(path);
    bool        whole   = status != SS_OK && strncmp(message, path, known) == 0 &&
                 strncmp(message + known, ": ", 2) == 0;
    return whole ? ss_node_place(d->ctx, node, status) : status;
}

/* Constants of the study go into the tree once. */
static ss_status apply_set(ss_decoder *d, ss_study *s, ss_node *node)
{
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "set", node, SS_NODE_MAP));
    for (const ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        ss_status status = ss_scene_source_assign(s->source, entry->key, entry);
        SS_TRY(ss_node_place(d->ctx, entry, status));
    }
    return SS_OK;
}

/* A parameter that neither the scene nor the study knows is a slip: it would change nothing. */
static ss_status check_params(ss_decoder *d, const ss_study *s, const ss_node *map)
{
    bool is_map = map != NULL && map->kind == SS_NODE_MAP; /* if not, its reader says so */
    for (const ss_node *x = is_map ? map->first : NULL; x != NULL; x = x->next) {
        char        word[64];
        const char *name = x->key + strlen("params.");
        size_t      length =
            strncmp(x->key, "params.", strlen("params.")) == 0 ? strcspn(name, ".[") : 0;
        if (length == 0 || length >= sizeof word) {
            continue;
        }
        snprintf(word, sizeof word, "%.*s", (int)length, name);
        if (!ss_scene_source_has_param(s->source, name, length) &&
            !ss_node_has_word(d->root, word)) {
            return ss_decode_fail(
                d, x, "'%s': neither the scene nor this study has a parameter '%s'", x->key, word);
        }
    }
    return SS_OK;
}

/* .. of each entry of a list that has a `set`: models, recordings. */
static ss_status check_sets(ss_decoder *d, const ss_study *s, const ss_node *list)
{
    bool is_list = list != NULL && list->kind == SS_NODE_LIST;
    for (const ss_node *x = is_list ? list->first : NULL; x != NULL; x = x->next) {
        if (x->kind == SS_NODE_MAP) {
            SS_TRY(check_params(d, s, ss_node_find(x, "set")));
        }
    }
    return SS_OK;
}

static ss_status check_recordings(ss_decoder *d, const ss_study *s, const ss_node *data)
{
    if (data == NULL || data->kind != SS_NODE_MAP) {
        return SS_OK;
    }
    SS_TRY(check_params(d, s, ss_node_find(data, "set")));
    return check_sets(d, s, ss_node_find(data, "files"));
}

/* ---- the whole ---- */

/* Keys that other kinds of studies do not know. */
static ss_status refuse_stray(ss_decoder *d, ss_study_kind kind, const header *h)
{
    const struct {
        const ss_node *node;
        bool           fits;
        const char    *where;
    } rules[] = {
        {h->objective, kind == SS_STUDY_DESIGN, "`design`"},
        {h->constraints, kind == SS_STUDY_DESIGN, "`design`"},
        {h->method, kind != SS_STUDY_SWEEP, "`design`, `plan` or `identify`"},
        {h->rungs, kind == SS_STUDY_DESIGN || kind == SS_STUDY_PLAN, "`design` or `plan`"},
        {h->plan.actions, kind == SS_STUDY_PLAN, "`plan`"},
        {h->plan.goal, kind == SS_STUDY_PLAN, "`plan`"},
        {h->plan.carry, kind == SS_STUDY_PLAN, "`plan`"},
        {h->plan.length, kind == SS_STUDY_PLAN, "`plan`"},
        {h->field, kind == SS_STUDY_SWEEP, "`sweep`"},
        {h->identify.data, kind == SS_STUDY_IDENTIFY, "`identify`"},
        {h->identify.free, kind == SS_STUDY_IDENTIFY, "`identify`"},
        {h->identify.nuisance, kind == SS_STUDY_IDENTIFY, "`identify`"},
        {h->identify.noise, kind == SS_STUDY_IDENTIFY, "`identify`"},
        {h->identify.loss, kind == SS_STUDY_IDENTIFY, "`identify`"},
        {h->identify.smooth, kind == SS_STUDY_IDENTIFY, "`identify`"},
        {h->identify.folds, kind == SS_STUDY_IDENTIFY, "`identify`"},
        {h->identify.confidence, kind == SS_STUDY_IDENTIFY, "`identify`"},
        {h->identify.models, kind == SS_STUDY_IDENTIFY, "`identify`"},
        {h->identify.excite, kind == SS_STUDY_IDENTIFY, "`identify`"},
        {h->cycle, kind == SS_STUDY_SWEEP || kind == SS_STUDY_DESIGN, "`sweep` or `design`"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i].node != NULL && !rules[i].fits) {
            return ss_decode_fail(d, rules[i].node, "'%s' belongs into a study of kind %s",
                                  rules[i].node->key, rules[i].where);
        }
    }
    return SS_OK;
}

static ss_status decode_header(ss_decoder *d, ss_study *s, header *h)
{
    SS_TRY(ss_decode_expect(d, "a study", d->root, SS_NODE_MAP));
    if (ss_node_find(d->root, "study") == NULL && ss_node_find(d->root, "bodies") != NULL) {
        return ss_decode_fail(d, d->root,
                              "this is a scene: a study names one by `scene:`, and what varies");
    }
    SS_TRY(ss_decode_map(d, keys, d->root, h));
    if (h->seed != floor(h->seed)) {
        return ss_decode_fail(d, ss_node_find(d->root, "seed"), "seed must be a whole number");
    }
    s->kind        = (ss_study_kind)h->kind;
    s->objective   = h->objective;
    s->constraints = h->constraints;
    s->method      = h->method;
    s->identify    = h->identify;
    SS_TRY(refuse_stray(d, s->kind, h));
    s->name      = h->name != NULL ? h->name : s->path;
    s->seed      = (uint64_t)h->seed;
    s->trials    = h->trials;
    s->sampling  = (ss_sampling)h->sampling;
    s->stop      = h->stop;
    s->stop_node = h->stop_node;
    return SS_OK;
}

static ss_status decode(ss_decoder *d, ss_study *s, const ss_study_def *def)
{
    header h = {.trials = 1};
    SS_TRY(decode_header(d, s, &h));
    SS_TRY(load_scene(d, s, def, ss_node_find(d->root, "scene")));
    SS_TRY(check_params(d, s, h.set));
    SS_TRY(check_params(d, s, h.vary));
    SS_TRY(check_params(d, s, h.identify.free));
    SS_TRY(check_sets(d, s, h.identify.models));
    SS_TRY(check_recordings(d, s, h.identify.data));
    SS_TRY(apply_set(d, s, h.set));
    s->dimension = ss_scene_source_dimension(s->source);
    d->dimension = s->dimension;
    SS_TRY(ss_vary_decode(d, s, h.vary));
    SS_TRY(ss_correlation_decode(d, s, h.correlation));
    SS_TRY(decode_measures(d, s, h.measure));
    if (h.cycle != NULL) {
        SS_TRY(ss_cycle_decode(d, h.cycle, &s->cycle));
    }
    if (h.field != NULL) {
        SS_TRY(ss_field_decode(d, s, h.field));
    }
    SS_TRY(ss_rungs_decode(d, s, h.rungs));
    s->told  = s->measure_count;
    s->check = h.check;
    if (s->kind == SS_STUDY_PLAN) {
        SS_TRY(ss_plan_decode(d, s, &h.plan));
    }
    return ss_node_print(d->ctx, d->pool, d->root, &s->resolved);
}

static ss_status read_study(ss_study *s, const char *text, size_t length, const char *name,
                            const ss_study_def *def)
{
    int         ok    = 1;
    ss_decoder  d     = {.ctx = s->ctx, .pool = &s->pool, .dimension = 3};
    const char *slash = strrchr(name, '/');
    s->path           = ss_pool_text(&s->pool, name, &ok);
    char *directory   = ss_pool_alloc(&s->pool, strlen(name) + 2, 1);
    if (!ok || directory == NULL) {
        return ss_fail(s->ctx, SS_ERR_MEMORY, "out of memory");
    }
    memcpy(directory, name, slash != NULL ? (size_t)(slash - name) + 1 : 0);
    d.directory  = directory;
    s->directory = directory;
    SS_TRY(ss_yaml_parse(s->ctx, &s->pool, text, length, s->path, &d.root));
    for (int32_t i = 0; i < def->override_count; i++) {
        SS_TRY(ss_node_override(s->ctx, &s->pool, d.root, def->overrides[i]));
    }
    ss_status status = decode(&d, s, def);
    ss_expr_env_destroy(d.env);
    return status;
}

/* The scene of the first trial that has one, of those that are looked at. */
static ss_status find_scene(ss_study *s)
{
    char      message[768] = "";
    ss_status first        = SS_OK;
    for (int64_t i = 0; i < ss_trial_looks(s); i++) {
        ss_status status = ss_study_scene(s->ctx, s, ss_trial_look(s, i), &s->first_scene);
        if (status == SS_OK) {
            return SS_OK;
        }
        if (first == SS_OK) {
            first = status;
            snprintf(message, sizeof message, "%s", ss_context_message(s->ctx));
        }
    }
    return ss_fail(s->ctx, first, "%s", message);
}

/* What is wrong with every trial is found now. */
static ss_status try_first(ss_study *s)
{
    ss_watch *w = NULL;
    SS_TRY(find_scene(s));
    ss_status status = ss_watch_create(s->ctx, s, &w);
    if (status == SS_OK) {
        status = ss_trial_try(s->ctx, s, w);
    }
    ss_watch_destroy(w);
    return status;
}

ss_status ss_study_load_text(ss_context *ctx, const char *text, size_t length, const char *name,
                             const ss_study_def *def, ss_study **out)
{
    static const ss_study_def nothing = {0};
    if (ctx == NULL || text == NULL || name == NULL || out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "a study needs a context, a text and a name");
    }
    *out        = NULL;
    ss_study *s = ss_alloc(ctx, 1, sizeof *s);
    if (s == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    s->ctx           = ctx;
    s->pool.ctx      = ctx;
    ss_status status = read_study(s, text, length, name, def != NULL ? def : &nothing);
    if (status == SS_OK) {
        status = try_first(s);
    }
    if (status != SS_OK) {
        ss_study_destroy(s);
        return status;
    }
    *out = s;
    return SS_OK;
}

ss_status ss_study_load(ss_context *ctx, const char *path, const ss_study_def *def, ss_study **out)
{
    char  *text   = NULL;
    size_t length = 0, room = 0;
    if (ctx == NULL || path == NULL || out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "a study needs a context, a path and a place for it");
    }
    *out             = NULL;
    ss_status status = ss_file_read(ctx, path, &text, &length, &room);
    if (status == SS_OK) {
        status = ss_study_load_text(ctx, text, length, path, def, out);
    }
    ss_free(ctx, text, room);
    return status;
}

void ss_study_destroy(ss_study *s)
{
    if (s != NULL) {
        ss_context *ctx = s->ctx;
        ss_scene_destroy(s->first_scene);
        ss_scene_source_destroy(s->source);
        ss_pool_free(&s->pool);
        ss_free(ctx, s, sizeof *s);
    }
}

const ss_measure_class *ss_measure_find(const ss_context *ctx, const char *name)
{
    for (int32_t i = 0; ctx != NULL && name != NULL && i < ctx->registry.measure_count; i++) {
        if (strcmp(ctx->registry.measures[i]->name, name) == 0) {
            return ctx->registry.measures[i];
        }
    }
    return NULL;
}

ss_status ss_measure_register(ss_context *ctx, const ss_measure_class *cls)
{
    if (cls->name == NULL || cls->name[0] == '\0' || cls->end == NULL) {
        return ss_fail(ctx, SS_ERR_INPUT, "a measure needs a name and an `end`");
    }
    if (ss_measure_find(ctx, cls->name) != NULL) {
        return ss_fail(ctx, SS_ERR_INPUT, "a measure named '%s' exists already", cls->name);
    }
    SS_TRY(ss_registry_room(ctx, ctx->registry.measure_count, "measures"));
    ctx->registry.measures[ctx->registry.measure_count++] = cls;
    return SS_OK;
}

ss_status ss_study_add_measure(ss_study *s, const ss_measure_class *cls, void *user)
{
    if (s == NULL || cls == NULL || cls->name == NULL || cls->end == NULL) {
        return ss_fail(s != NULL ? s->ctx : NULL, SS_ERR_ARGUMENT,
                       "a measure needs a study, a name and an `end`");
    }
    if (s->measure_count == SS_STUDY_MEASURES) {
        return ss_fail(s->ctx, SS_ERR_ARGUMENT, "a study has at most %d measures",
                       SS_STUDY_MEASURES);
    }
    for (int32_t i = 0; i < s->measure_count; i++) {
        if (strcmp(s->measures[i].name, cls->name) == 0) {
            return ss_fail(s->ctx, SS_ERR_ARGUMENT, "there is a measure '%s' already", cls->name);
        }
    }
    s->measures[s->measure_count++] = (ss_measure){.name = cls->name, .cls = cls, .user = user};
    return SS_OK;
}

/* ---- reference ---- */

static void write_keys(const ss_key *table, void (*write)(void *user, const char *text), void *user)
{
    char line[1024];
    write(user, "| key | value | default | meaning |\n|---|---|---|---|\n");
    for (const ss_key *k = table; k->name != NULL; k++) {
        char form[160];
        snprintf(form, sizeof form, "%s",
                 k->form != NULL          ? k->form
                 : k->choices != NULL     ? k->choices
                 : k->type == SS_KEY_TEXT ? "text"
                 : k->type == SS_KEY_INT  ? "whole number"
                                          : "number");
        for (char *bar = strchr(form, '|'); bar != NULL; bar = strchr(bar, '|')) {
            *bar = '/';
        }
        snprintf(line, sizeof line, "| `%s` | %s | %s | %s |\n", k->name, form,
                 k->required          ? "required"
                 : k->initial != NULL ? k->initial
                                      : "",
                 k->doc);
        write(user, line);
    }
}

const ss_key *ss_study_keys(void)
{
    return keys;
}

void ss_study_reference(void (*write)(void *user, const char *text), void *user)
{
    char line[1024];
    write(user, "# Study files\n\n"
                "Written by `stickslip list --study-reference`. A study file is YAML, checked like "
                "a scene.\n\n");
    write_keys(keys, write, user);
    write(user, "\n## Ways to vary a value\n\n"
                "`vary` maps paths into the scene, as `--set` takes them, to one of these. Grids, "
                "lists and tables make cells; the others are drawn anew for every trial.\n\n"
                "| way | value | meaning |\n|---|---|---|\n");
    for (const ss_vary_doc *v = ss_vary_kinds; v->name != NULL; v++) {
        snprintf(line, sizeof line, "| `%s` | %s | %s |\n", v->name, v->form, v->doc);
        write(user, line);
    }
    ss_design_reference(write, user);
    ss_plan_reference(write, user);
    write(user,
          "\n## Cycles\n\n"
          "`cycle` asks for the motion that a body on something that shakes settles to at its "
          "place: it is put back there after every period until a period repeats itself, and "
          "that period is measured ([theory](../theory/periodic.md)). Steps are shortened so "
          "that a whole number of them makes a period. Where no period repeats itself, "
          "measures are taken over several.\n\n");
    write_keys(ss_cycle_keys, write, user);
    write(user, "\n## Fields\n\n"
                "`field` says which two measures are the velocity over which two places. Sinks, "
                "sources, saddles and centres are found and named ([theory](../theory/fields.md)); "
                "the report draws arrows and streamlines, `--field` writes them as SVG. Where more "
                "than the two places makes cells, there is a field for each combination of the "
                "rest.\n\n");
    write_keys(ss_field_keys, write, user);
    write(user, "\n## What expressions know\n\n"
                "Expressions of `measure` (at the end of the run) and `stop` (after every step) "
                "are Lua over these, over the mathematics of scenes, and over the scene's "
                "params by their names. Bodies and joints are named in quotes.\n\n"
                "| write | meaning |\n|---|---|\n");
    for (const ss_watch_doc *x = ss_watch_docs; x->name != NULL; x++) {
        snprintf(line, sizeof line, "| `%s` | %s |\n", x->form, x->doc);
        write(user, line);
    }
}
