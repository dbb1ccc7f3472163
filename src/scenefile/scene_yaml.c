/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scene files. Tables are the schema, here and in scene_material.c, scene_body.c, scene_joint.c and
 * scene_force.c: adding a key is adding a row. Sections are decoded in the order of
 * ss_scene_sections, whatever their order in the file, because later ones refer to earlier ones
 * (expressions to params, bodies to materials, forces to bodies).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compile/tolerances.h"
#include "model/scene.h"
#include "model/tolerances.h"
#include "scenefile/expand.h"
#include "scenefile/schema.h"
#include "scenefile/source.h"
#include "stickslip/scene_file.h"

/* A file that was parsed: constant while scenes are made from it. */
struct ss_scene_source {
    ss_pool     pool;
    ss_node    *root;
    ss_node    *params; /* as the file has them; NULL: none */
    const char *text, *name, *directory;
    size_t      length;
    /* overrides of entries that are yet to be written out by `repeat` or `include` */
    const char **late; /* (late_count) */
    int32_t      late_count, late_room;
};

/* What a scene changes of its source. */
struct ss_set {
    const char *const    *overrides; /* (count) PATH=VALUE       */
    int32_t               count;
    const ss_scene_value *values; /* (value_count) after those   */
    int32_t               value_count;
    bool                  bare; /* without its texts */
};

/* `accuracy: auto`, `exact` or `{motion: 1e-2}`. */
static ss_status decode_accuracy(ss_decoder *d, const ss_key *key, ss_node *node, void *target)
{
    ss_simulation_def *def = target;
    if (node->kind == SS_NODE_MAP && node->count == 1 && strcmp(node->first->key, "motion") == 0) {
        SS_TRY(ss_decode_number(d, "motion", node->first, &def->motion));
        if (!(def->motion > 0) || def->motion > 1) {
            return ss_decode_fail(d, node->first, "motion must lie between 0 and 1, got %s",
                                  node->first->text);
        }
        def->accuracy = SS_ACCURACY_MOTION;
        return SS_OK;
    }
    int index = 0;
    if (node->kind == SS_NODE_MAP) {
        return ss_decode_fail(d, node,
                              "accuracy is auto, exact or {motion: " SS_TEXT(SS_MOTION_ENOUGH) "}");
    }
    SS_TRY(ss_decode_expect(d, key->name, node, SS_NODE_SCALAR));
    SS_TRY(ss_decode_choice(d, key->name, node, "auto|exact", &index));
    def->accuracy = index == 0 ? SS_ACCURACY_AUTO : SS_ACCURACY_EXACT;
    return SS_OK;
}

/* ---- tables ---- */

static const ss_key simulation_keys[] = {
    SS_KEY_ROW("step", SS_KEY_REAL, ss_simulation_def, step, SS_POSITIVE, .unit = "s",
               .initial = "0.001", .doc = "time step h"),
    SS_KEY_ROW("duration", SS_KEY_REAL, ss_simulation_def, duration, SS_NOT_NEGATIVE, .unit = "s",
               .initial = "1", .doc = "time from the start to the end"),
    SS_KEY_ROW("start", SS_KEY_REAL, ss_simulation_def, start, .unit = "s", .initial = "0",
               .doc = "the time t at the start, for motions and forces that depend on it"),
    SS_KEY_ROW("error", SS_KEY_REAL, ss_simulation_def, error, SS_POSITIVE, .unit = "m",
               .doc =
                   "steps are chosen, `step` at most, so that positions stay within this of the "
                   "exact motion of the model; where the motion itself multiplies errors "
                   "(balanced or chaotic), that cannot be promised, and laws of first order (drag) "
                   "may be off by ten times as much"),
    SS_KEY_ROW("model", SS_KEY_CUSTOM, ss_simulation_def, axes, .decode = ss_decode_axes,
               .schema = "\"$ref\": \"#/definitions/model\"", .form = "{axis: value, ..}",
               .doc = "one word for each axis of the model, see below"),
    SS_KEY_ROW("solver", SS_KEY_TEXT, ss_simulation_def, solver, .initial = "auto",
               .doc = "`stickslip list` names them"),
    SS_KEY_ROW("tolerance", SS_KEY_REAL, ss_simulation_def, tolerance, SS_POSITIVE,
               .initial = SS_TEXT(SS_STEP_TOLERANCE),
               .doc     = "largest residual that a step's certificate may have"),
    SS_KEY_ROW("target", SS_KEY_REAL, ss_simulation_def, target, SS_POSITIVE,
               .initial = "tolerance/1000", .doc = "residual that the solver aims at"),
    SS_KEY_ROW("advance", SS_KEY_CHOICE, ss_simulation_def, advance, .choices = "fixed|event",
               .initial = "fixed",
               .doc = "event: a step is taken in parts that end where something touches for the "
                      "first time, so that impacts act when they happen"),
    SS_KEY_ROW("accuracy", SS_KEY_CUSTOM, ss_simulation_def, accuracy, .decode = decode_accuracy,
               .form = "auto, exact or {motion: " SS_TEXT(SS_MOTION_ENOUGH) "}", .initial = "auto",
               .doc = "exact: every island to the tolerance; motion: until every contact obeys its "
                      "law after a change of its velocity by at most this part of what forces "
                      "change in a step; auto: exact where that costs little, motion: " SS_TEXT(
                          SS_MOTION_ENOUGH) " for "
                                            "larger islands; summaries say which it was"),
    SS_KEY_ROW("on_failure", SS_KEY_CHOICE, ss_simulation_def, on_failure,
               .choices = "stop|retry|mark", .initial = "stop",
               .doc =
                   "when a step fails a certificate even when it is cut: stop, or mark it and go "
                   "on (retry: another word for stop)"),
    SS_KEY_ROW("max_splits", SS_KEY_INT, ss_simulation_def, max_splits, .low = 0, .high = 20,
               .initial = "10",
               .doc     = "how often a step that fails a certificate is halved and repeated"),
    SS_KEY_ROW("settle", SS_KEY_REAL, ss_simulation_def, settle, SS_NOT_NEGATIVE, .unit = "s",
               .initial = "0: no",
               .doc     = "let everything come to rest before the start, in at most this time; "
                          "positions are those of the equilibrium, velocities those of the scene"),
    SS_KEY_ROW("allow_overlap", SS_KEY_BOOL, ss_simulation_def, allow_overlap, .initial = "false",
               .doc = "start although bodies overlap by more than 1 % of the smaller one"),
    SS_KEY_ROW("sleep", SS_KEY_BOOL, ss_simulation_def, sleep, .initial = "false",
               .doc = "bodies that have been at rest together for half a second are left out of "
                      "steps until something touches or pushes one of them"),
    SS_KEY_ROW("step_limit", SS_KEY_REAL, ss_simulation_def, step_limit, SS_NOT_NEGATIVE,
               .unit = "s", .initial = "300",
               .doc = "computing time that a step may take before the run ends with exit code 4; "
                      "0: any"),
    SS_KEY_ROW("work_limit", SS_KEY_REAL, ss_simulation_def, work_limit, SS_NOT_NEGATIVE,
               .initial = "0: by the size of its problems",
               .doc = "products of numbers that solvers may take for a step, counted: a fifth in "
                      "an attempt that can still be cut, all of it before the step counts as "
                      "failed (on_failure), at the same place on every machine"),
    SS_KEY_ROW("step_budget", SS_KEY_REAL, ss_simulation_def, step_budget, SS_NOT_NEGATIVE,
               .unit = "s", .initial = "0: none",
               .doc = "computing time after which a step is taken as it is, marked where it is not "
                      "certified: for interactive runs, which it makes depend on the clock"),
    SS_KEY_ROW("verdicts", SS_KEY_BOOL, ss_simulation_def, verdicts, .initial = "false",
               .doc =
                   "judge the state before each step: is its motion the only one, which contacts "
                   "bear forces, are these stable? (run files, reports, JSON)"),
    SS_KEY_ROW("layers", SS_KEY_REAL, ss_simulation_def, layers, SS_NOT_NEGATIVE, .unit = "kg",
               .initial = "0: not known",
               .doc = "c^2/k of the contacts' damping and stiffness, for verdicts of stability"),
    SS_KEY_END};

/* ---- names ---- */

/* The names in a list of maps; a name that is there twice is an error. */
static ss_status collect_names(ss_decoder *d, const char *noun, const ss_node *section,
                               ss_name_list *list)
{
    SS_TRY(ss_name_list_make(d, list, section->count));
    for (const ss_node *entry = section->first; entry != NULL; entry = entry->next) {
        const ss_node *name = entry->kind == SS_NODE_MAP ? ss_node_find(entry, "name") : NULL;
        if (name != NULL && name->kind == SS_NODE_SCALAR) {
            list->names[list->count++] = name->text;
        }
    }
    ss_name_list_sort(list);
    for (int32_t i = 1; i < list->count; i++) {
        if (strcmp(list->names[i - 1], list->names[i]) != 0) {
            continue;
        }
        const ss_node *second = NULL;
        for (const ss_node *entry = section->first; entry != NULL; entry = entry->next) {
            const ss_node *name = ss_node_find(entry, "name");
            if (name != NULL && name->text != NULL && strcmp(name->text, list->names[i]) == 0) {
                second = name;
            }
        }
        return ss_decode_fail(d, second, "there are two %s with the name '%.60s'", noun,
                              list->names[i]);
    }
    return SS_OK;
}

/* ---- sections ---- */

static ss_status decode_name(ss_decoder *d, ss_node *node)
{
    const char *name = "";
    if (node != NULL) {
        SS_TRY(ss_decode_text(d, "name", node, &name));
    }
    return ss_scene_set_name(d->scene, name);
}

static ss_status decode_gravity(ss_decoder *d, ss_node *node)
{
    double g[3] = {0, 0, 0};
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_numbers(d, "gravity", node, d->dimension, g));
    ss_scene_set_gravity(d->scene, ss_v3(g[0], g[1], g[2]));
    if (!(ss_norm(ss_v3(g[0], g[1], g[2])) <= SS_LARGEST_GRAVITY)) {
        return ss_decode_fail(d, node, "gravity must be at most %g m/s^2", SS_LARGEST_GRAVITY);
    }
    return SS_OK;
}

static ss_status decode_params(ss_decoder *d, ss_node *node)
{
    if (node == NULL) {
        return SS_OK;
    }
    SS_TRY(ss_decode_expect(d, "params", node, SS_NODE_MAP));
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        double value;
        if (!ss_param_is_number(entry)) {
            SS_TRY(ss_node_place(d->ctx, entry, ss_expr_check_name(d->ctx, entry->key)));
            continue; /* a vector or a text: put in place where pieces are written out */
        }
        snprintf(d->what, sizeof d->what, "param '%.60s': ", entry->key);
        SS_TRY(ss_decode_number(d, "its value", entry, &value));
        SS_TRY(ss_node_place(d->ctx, entry, ss_decode_param(d, entry->key, value)));
    }
    return SS_OK;
}

/* Of what is written out first, a repeated body, say. */
static ss_status apply_late(ss_decoder *d)
{
    for (int32_t i = 0; i < d->late->count; i++) {
        SS_TRY(ss_node_override(d->ctx, d->pool, d->root, d->late->overrides[i]));
    }
    for (int32_t i = 0; i < d->late->value_count; i++) {
        const ss_scene_value *v = &d->late->values[i];
        SS_TRY(ss_node_assign(d->ctx, d->pool, d->root, v->path, v->value, v->origin));
    }
    return SS_OK;
}

/* With params known, pieces can be written out: sections after this one see no others. */
static ss_status decode_templates(ss_decoder *d, ss_node *node)
{
    (void)node;
    SS_TRY(ss_scene_expand(d));
    return apply_late(d);
}

/* "body 'cube': " in front of the messages about an entry. */
static void name_entry(ss_decoder *d, const char *noun, const ss_node *entry)
{
    const ss_node *name = entry->kind == SS_NODE_MAP ? ss_node_find(entry, "name") : NULL;
    if (name != NULL && name->kind == SS_NODE_SCALAR) {
        snprintf(d->what, sizeof d->what, "%s '%.60s': ", noun, name->text);
    } else {
        snprintf(d->what, sizeof d->what, "%s: ", noun);
    }
}

/* Entries of a list: each is given to `decode`, with "body 'cube': " in front of messages. */
static ss_status decode_entries(ss_decoder *d, const char *section, const char *noun, ss_node *node,
                                ss_name_list *names,
                                ss_status (*decode)(ss_decoder *d, ss_node *entry))
{
    char label[64];
    snprintf(label, sizeof label, "an entry of %s", section);
    SS_TRY(ss_decode_expect(d, section, node, SS_NODE_LIST));
    SS_TRY(collect_names(d, section, node, names));
    for (ss_node *entry = node->first; entry != NULL; entry = entry->next) {
        name_entry(d, noun, entry);
        SS_TRY(ss_decode_expect(d, label, entry, SS_NODE_MAP));
        SS_TRY(decode(d, entry));
    }
    return SS_OK;
}

static ss_status decode_bodies(ss_decoder *d, ss_node *node)
{
    if (node == NULL) {
        return ss_decode_fail(d, d->root, "the section 'bodies' is missing");
    }
    return decode_entries(d, "bodies", "body", node, &d->bodies, ss_decode_body);
}

static ss_status decode_forces(ss_decoder *d, ss_node *node)
{
    ss_name_list names;
    return node != NULL ? decode_entries(d, "forces", "force", node, &names, ss_decode_force)
                        : SS_OK;
}

static ss_status decode_joints(ss_decoder *d, ss_node *node)
{
    ss_name_list names;
    return node != NULL ? decode_entries(d, "joints", "joint", node, &names, ss_decode_joint)
                        : SS_OK;
}

static ss_status decode_simulation(ss_decoder *d, ss_node *node)
{
    static const double steps_max = 1e9;
    ss_simulation_def   def       = ss_simulation_def_default();
    if (node != NULL) {
        SS_TRY(ss_decode_expect(d, "simulation", node, SS_NODE_MAP));
        SS_TRY(ss_decode_map(d, simulation_keys, node, &def));
        if (def.duration / def.step > steps_max) {
            const ss_node *at = ss_node_find(node, "duration");
            return ss_decode_fail(d, at != NULL ? at : node,
                                  "%.15g s in steps of %.15g s would take %.3g steps; at most %g "
                                  "are allowed",
                                  def.duration, def.step, def.duration / def.step, steps_max);
        }
        def.where = ss_decode_place(d, node);
    }
    return ss_scene_set_simulation(d->scene, &def);
}

static ss_status decode_nothing(ss_decoder *d, ss_node *node)
{
    (void)d, (void)node;
    return SS_OK;
}

#define NO_TABLES                                                                                  \
    {                                                                                              \
        NULL, NULL                                                                                 \
    }
static const struct ss_section_table no_tables[]       = {NO_TABLES};
static const struct ss_section_table material_tables[] = {
    {"a material", ss_material_keys},     {"an entry of `pairs`", ss_pair_keys},
    {"`friction`", ss_friction_keys},     {"`map` of `friction`", ss_friction_map_keys},
    {"`compliance`", ss_compliance_keys}, NO_TABLES};
static const struct ss_section_table body_tables[] = {
    {"a body", ss_body_keys},
    {"`motion`", ss_motion_keys},
    {"`support`", ss_support_keys},
    {"`friction` of a support", ss_support_friction_keys},
    NO_TABLES};
static const struct ss_section_table joint_tables[] = {
    {"a joint", ss_joint_keys}, {"`motor`", ss_motor_keys}, NO_TABLES};
static const struct ss_section_table table_tables[]      = {{"a table", ss_table_keys}, NO_TABLES};
static const struct ss_section_table simulation_tables[] = {{"the simulation", simulation_keys},
                                                            NO_TABLES};

/* First: the rest of the scene may use what they bring. */
static ss_status decode_plugins(ss_decoder *d, ss_node *node)
{
    (void)node;
    return ss_load_scene_plugins(d->ctx, d->root, d->directory);
}

const ss_section ss_scene_sections[] = {
    {"plugins", NULL, no_tables, decode_plugins, "[file or name, ..]",
     "plug-ins that the scene needs, relative to its file. They are programs: unless they are "
     "loaded already (`--plugin FILE`), the scene is refused, or, with `--allow-plugins`, they are "
     "loaded"},
    {"dimension", NULL, no_tables, decode_nothing, "2 or 3", "default 3"},
    {"name", NULL, no_tables, decode_name, "text", "what the scene is called; default: its file"},
    {"include", NULL, no_tables, decode_nothing,
     "{file: .., prefix: .., with: {..}} or a list of those",
     "bodies, joints, forces, materials and templates of other scene files, whose names get the "
     "prefix and whose params `with` may change"},
    {"params", NULL, no_tables, decode_params, "{name: number, ..}",
     "numbers that expressions may name; each may be an expression of earlier ones. A list of "
     "numbers (`p: [1, 2, 3]`) stands for a vector, or for one of its numbers as `p.x` or `p[1]`; "
     "`{text: steel}` stands for a text, in names and references as `{p}`"},
    {"templates", NULL, no_tables, decode_templates, "{name: {with: {..}, ..}, ..}",
     "pieces of a scene. Any map may say `use: NAME, with: {parameter: value}`: it gets the keys "
     "of "
     "the template that it does not have itself. Entries of lists may say "
     "`repeat: {count: N, as: i}` (or a list of those) and are written out with i = 0 .. N - 1 in "
     "their expressions and, as `{i}`, in their names"},
    {"tables", "table", table_tables, ss_decode_tables, "{name: {..}, ..}",
     "functions given by points, a recording say, which expressions call: `push(t)`"},
    {"gravity", NULL, no_tables, decode_gravity, "[x, y, z], 2D: [x, y]",
     "acceleration in m/s^2, default 9.81 downwards (z; 2D: y)"},
    {"materials", "material", material_tables, ss_decode_materials,
     "{default: {..}, name: {..}, pairs: [..]}",
     "what surfaces are like. Two materials combine their friction by the geometric mean and their "
     "restitution by the maximum, unless `pairs` says otherwise"},
    {"bodies", "body", body_tables, decode_bodies, "[{..}, ..]", "what there is; required"},
    {"joints", "joint", joint_tables, decode_joints, "[{..}, ..]",
     "what holds bodies together. Joined bodies do not collide unless the joint says so"},
    {"forces", "force", ss_force_tables, decode_forces, "[{..}, ..]",
     "what acts on bodies besides gravity and contact"},
    {"simulation", NULL, simulation_tables, decode_simulation, "{..}", "how it is simulated"},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};

/* ---- the whole file ---- */

static ss_status unknown_section(ss_decoder *d, const ss_node *node)
{
    const char *names[32];
    int32_t     count = 0;
    for (const ss_section *s = ss_scene_sections; s->name != NULL && count < 32; s++) {
        names[count++] = s->name;
    }
    ss_name_list list = {names, count};
    return ss_decode_unknown_name(d, node, "section", node->key, &list);
}

static ss_status check_sections(ss_decoder *d)
{
    SS_TRY(ss_decode_expect(d, "a scene", d->root, SS_NODE_MAP));
    for (const ss_node *entry = d->root->first; entry != NULL; entry = entry->next) {
        const ss_section *s = ss_scene_sections;
        while (s->name != NULL && strcmp(s->name, entry->key) != 0) {
            s++;
        }
        if (s->name == NULL) {
            return unknown_section(d, entry);
        }
    }
    return SS_OK;
}

/* The dimension comes first: it decides what every vector looks like. */
static ss_status read_dimension(ss_decoder *d)
{
    ss_node *node = ss_node_find(d->root, "dimension");
    double   x    = 3;
    if (node != NULL) {
        SS_TRY(ss_decode_number(d, "dimension", node, &x));
        if (x != 2 && x != 3) {
            return ss_decode_fail(d, node, "dimension must be 2 or 3, got %s", node->text);
        }
    }
    d->dimension = (int)x;
    return SS_OK;
}

static ss_status decode_scene(ss_decoder *d)
{
    SS_TRY(check_sections(d));
    SS_TRY(read_dimension(d));
    SS_TRY(ss_scene_create(d->ctx, d->dimension, &d->scene));
    for (const ss_section *s = ss_scene_sections; s->name != NULL; s++) {
        d->what[0] = '\0';
        SS_TRY(s->decode(d, ss_node_find(d->root, s->name)));
    }
    return SS_OK;
}

static const char *directory_of(ss_pool *pool, const char *path, int *ok)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return "";
    }
    char *copy = ss_pool_alloc(pool, (size_t)(slash - path) + 2, 1);
    *ok        = *ok && copy != NULL;
    if (copy != NULL) {
        memcpy(copy, path, (size_t)(slash - path) + 1);
    }
    return copy;
}

/* "crate" of "scenes/crate.yaml". */
static ss_status name_after_file(ss_decoder *d, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(file, '.');
    char        name[256];
    size_t      length = dot != NULL && dot > file ? (size_t)(dot - file) : strlen(file);
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
             file);
    return ss_scene_set_name(d->scene, name);
}

/* Does the path lead into a list whose entries may still have to be written out? */
static bool leads_into_entries(const char *path)
{
    return strncmp(path, "bodies.", 7) == 0 || strncmp(path, "joints.", 7) == 0 ||
           strncmp(path, "forces.", 7) == 0;
}

/* What the file has; of entries that it does not have yet, later. */
static ss_status apply_set(ss_decoder *d, const ss_scene_source *source, const ss_set *set)
{
    size_t          room      = (size_t)set->count + (size_t)source->late_count + 1;
    ss_set         *late      = ss_pool_alloc(d->pool, 1, sizeof *late);
    const char    **overrides = ss_pool_alloc(d->pool, room, sizeof *overrides);
    ss_scene_value *values = ss_pool_alloc(d->pool, (size_t)set->value_count + 1, sizeof *values);
    if (late == NULL || overrides == NULL || values == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    *late = (ss_set){.overrides = overrides, .values = values};
    for (int32_t i = 0; i < source->late_count; i++) {
        overrides[late->count++] = source->late[i];
    }
    for (int32_t i = 0; i < set->count; i++) {
        ss_status status = ss_node_override(d->ctx, d->pool, d->root, set->overrides[i]);
        if (status == SS_ERR_INPUT && leads_into_entries(set->overrides[i])) {
            overrides[late->count++] = set->overrides[i];
            continue;
        }
        SS_TRY(status);
    }
    for (int32_t i = 0; i < set->value_count; i++) {
        /* decoding writes into nodes, and threads share the values */
        ss_scene_value v = set->values[i];
        v.value          = ss_node_copy(d->pool, v.value);
        if (v.value == NULL) {
            return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
        }
        ss_status status = ss_node_assign(d->ctx, d->pool, d->root, v.path, v.value, v.origin);
        if (status == SS_ERR_INPUT && leads_into_entries(v.path)) {
            values[late->value_count++] = v;
            continue;
        }
        SS_TRY(status);
    }
    d->late = late;
    return SS_OK;
}

/* A param that an override brings, and that nothing in the scene asks for, is a slip: it would
   change nothing. */
static ss_status check_param(ss_decoder *d, const ss_node *known, const ss_node *param)
{
    bool override = param->origin != NULL && strncmp(param->origin, "--set ", 6) == 0;
    if (!override || (known != NULL && ss_node_find(known, param->key) != NULL) ||
        ss_node_has_word(d->root, param->key)) {
        return SS_OK;
    }
    const char **names =
        ss_pool_alloc(d->pool, (size_t)(known != NULL ? known->count : 0) + 1, sizeof *names);
    int32_t count = 0;
    if (names == NULL) {
        return ss_fail(d->ctx, SS_ERR_MEMORY, "out of memory");
    }
    for (const ss_node *x = known != NULL ? known->first : NULL; x != NULL; x = x->next) {
        names[count++] = x->key;
    }
    const char *near = ss_nearest_name(param->key, names, count);
    return ss_fail(d->ctx, SS_ERR_INPUT, "%s: the scene has no param '%.60s'%s%s%s", param->origin,
                   param->key, near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                   near != NULL ? "'?" : "");
}

static ss_status check_params(ss_decoder *d, const ss_scene_source *source)
{
    const ss_node *known = source->params;
    const ss_node *now   = d->root->kind == SS_NODE_MAP ? ss_node_find(d->root, "params") : NULL;
    bool is_map          = now != NULL && now->kind == SS_NODE_MAP; /* if not, its reader says so */
    for (const ss_node *x = is_map ? now->first : NULL; x != NULL; x = x->next) {
        SS_TRY(check_param(d, known, x));
    }
    return SS_OK;
}

/* The tree with the overrides in it, decoded. */
static ss_status decode_tree(ss_decoder *d, const ss_scene_source *source, const ss_set *set)
{
    const char *resolved;
    d->directory = source->directory;
    SS_TRY(apply_set(d, source, set));
    SS_TRY(check_params(d, source));
    SS_TRY(decode_scene(d));
    ss_node_drop(d->root, "include"); /* what is resolved stands for itself */
    ss_node_drop(d->root, "templates");
    if (ss_scene_name(d->scene)[0] == '\0') {
        SS_TRY(name_after_file(d, source->name));
    }
    if (set->bare) {
        return SS_OK;
    }
    SS_TRY(ss_node_print(d->ctx, d->pool, d->root, &resolved));
    return ss_scene_set_source(d->scene, source->name, source->text, source->length, resolved);
}

static ss_status make_scene(ss_context *ctx, const ss_scene_source *source, const ss_set *set,
                            ss_scene **out)
{
    ss_pool    pool   = {.ctx = ctx};
    ss_decoder d      = {.ctx = ctx, .pool = &pool};
    ss_status  status = SS_OK;
    *out              = NULL;
    d.root            = ss_node_copy(&pool, source->root);
    if (d.root == NULL) {
        status = ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    } else {
        status = decode_tree(&d, source, set);
    }
    if (status == SS_OK) {
        *out = d.scene;
    } else {
        ss_scene_destroy(d.scene);
    }
    ss_expr_env_give_back(d.env);
    ss_pool_free(&pool);
    return status;
}

ss_status ss_scene_from_source(ss_context *ctx, const ss_scene_source *source,
                               const char *const *overrides, int32_t count, ss_scene **out)
{
    return ss_scene_from_overrides(ctx, source, overrides, count, true, out);
}

ss_status ss_scene_from_overrides(ss_context *ctx, const ss_scene_source *source,
                                  const char *const *overrides, int32_t count, bool texts,
                                  ss_scene **out)
{
    ss_set set = {.overrides = overrides, .count = count, .bare = !texts};
    if (ctx == NULL || source == NULL || out == NULL || (count > 0 && overrides == NULL)) {
        return ss_fail(ctx, SS_ERR_ARGUMENT,
                       "no scene without a context, a source and a place for it");
    }
    return make_scene(ctx, source, &set, out);
}

ss_status ss_scene_from_values(ss_context *ctx, const ss_scene_source *source,
                               const ss_scene_value *values, int32_t count, bool texts,
                               ss_scene **out)
{
    ss_set set = {.values = values, .value_count = count, .bare = !texts};
    return make_scene(ctx, source, &set, out);
}

/* ---- sources ---- */

static ss_status parse_source(ss_scene_source *s, const char *text, size_t length, const char *name)
{
    int ok       = 1;
    s->length    = length;
    s->text      = ss_pool_copy(&s->pool, text, length > 0 ? length : 1, 1, &ok);
    s->name      = ss_pool_text(&s->pool, name, &ok);
    s->directory = directory_of(&s->pool, name, &ok);
    if (!ok) {
        return ss_fail(s->pool.ctx, SS_ERR_MEMORY, "out of memory");
    }
    SS_TRY(ss_yaml_parse(s->pool.ctx, &s->pool, text, length, s->name, &s->root));
    ss_decoder d = {
        .ctx = s->pool.ctx, .pool = &s->pool, .root = s->root, .directory = s->directory};
    ss_status status = ss_scene_include(&d);
    ss_expr_env_give_back(d.env);
    const ss_node *params = s->root->kind == SS_NODE_MAP ? ss_node_find(s->root, "params") : NULL;
    if (status == SS_OK && params != NULL && params->kind == SS_NODE_MAP) {
        s->params = ss_node_copy(&s->pool, params);
        status = s->params != NULL ? SS_OK : ss_fail(s->pool.ctx, SS_ERR_MEMORY, "out of memory");
    }
    return status;
}

ss_status ss_scene_source_text(ss_context *ctx, const char *text, size_t length, const char *name,
                               ss_scene_source **out)
{
    if (ctx == NULL || text == NULL || name == NULL || out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "a scene needs a context, a text and a name");
    }
    *out               = NULL;
    ss_scene_source *s = ss_alloc(ctx, 1, sizeof *s);
    if (s == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "out of memory");
    }
    s->pool.ctx      = ctx;
    ss_status status = parse_source(s, text, length, name);
    if (status == SS_OK) { /* studies look for what they bring before they make a scene */
        status = ss_load_scene_plugins(ctx, s->root, s->directory);
    }
    if (status != SS_OK) {
        ss_scene_source_destroy(s);
        return status;
    }
    *out = s;
    return SS_OK;
}

ss_status ss_scene_source_assign(ss_scene_source *s, const char *path, const ss_node *value)
{
    ss_node *copy = ss_node_copy(&s->pool, value);
    if (copy == NULL) {
        return ss_fail(s->pool.ctx, SS_ERR_MEMORY, "out of memory");
    }
    return ss_node_assign(s->pool.ctx, &s->pool, s->root, path, copy, s->name);
}

bool ss_scene_source_has_param(const ss_scene_source *source, const char *name, size_t length)
{
    const ss_node *root = source->root;
    if (root->kind != SS_NODE_MAP || ss_node_find(root, "include") != NULL) {
        return true;
    }
    const ss_node *params = ss_node_find(root, "params");
    bool           is_map = params != NULL && params->kind == SS_NODE_MAP;
    for (const ss_node *x = is_map ? params->first : NULL; x != NULL; x = x->next) {
        if (strlen(x->key) == length && strncmp(x->key, name, length) == 0) {
            return true;
        }
    }
    return false;
}

int ss_scene_source_dimension(const ss_scene_source *source)
{
    const ss_node *node =
        source->root->kind == SS_NODE_MAP ? ss_node_find(source->root, "dimension") : NULL;
    return node != NULL && node->text != NULL && strcmp(node->text, "2") == 0 ? 2 : 3;
}

/* Kept for every scene, until its entries are written out. */
static ss_status keep_for_later(ss_scene_source *s, const char *override)
{
    int ok = 1;
    if (s->late_count == s->late_room) {
        int32_t      room = 2 * s->late_room + 8;
        const char **more = ss_pool_alloc(&s->pool, (size_t)room, sizeof *more);
        if (more == NULL) {
            return ss_fail(s->pool.ctx, SS_ERR_MEMORY, "out of memory");
        }
        for (int32_t i = 0; i < s->late_count; i++) {
            more[i] = s->late[i];
        }
        s->late      = more;
        s->late_room = room;
    }
    s->late[s->late_count] = ss_pool_text(&s->pool, override, &ok);
    s->late_count += ok;
    return ok ? SS_OK : ss_fail(s->pool.ctx, SS_ERR_MEMORY, "out of memory");
}

ss_status ss_scene_source_override(ss_scene_source *s, const char *override)
{
    if (s == NULL || override == NULL) {
        return ss_fail(s != NULL ? s->pool.ctx : NULL, SS_ERR_ARGUMENT,
                       "there is no %s here (NULL)", s == NULL ? "source" : "override");
    }
    ss_status status = ss_node_override(s->pool.ctx, &s->pool, s->root, override);
    bool      later  = status == SS_ERR_INPUT && leads_into_entries(override);
    return later ? keep_for_later(s, override) : status;
}

void ss_scene_source_destroy(ss_scene_source *s)
{
    if (s != NULL) {
        ss_context *ctx = s->pool.ctx;
        ss_pool_free(&s->pool);
        ss_free(ctx, s, sizeof *s);
    }
}

ss_status ss_scene_load_text(ss_context *ctx, const char *text, size_t length, const char *name,
                             const char *const *overrides, int32_t count, ss_scene **out)
{
    ss_scene_source *source = NULL;
    if (out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "there is no place for the scene (NULL)");
    }
    *out = NULL;
    SS_TRY(ss_scene_source_text(ctx, text, length, name, &source));
    ss_status status = ss_scene_from_source(ctx, source, overrides, count, out);
    ss_scene_source_destroy(source);
    return status;
}

/* ---- files ---- */

ss_status ss_scene_source_load(ss_context *ctx, const char *path, ss_scene_source **out)
{
    char  *text = NULL;
    size_t length, room = 0;
    if (ctx == NULL || path == NULL || out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "a scene needs a context, a path and a place for it");
    }
    *out             = NULL;
    ss_status status = ss_file_read(ctx, path, &text, &length, &room);
    if (status == SS_OK) {
        status = ss_scene_source_text(ctx, text, length, path, out);
    }
    ss_free(ctx, text, room);
    return status;
}

ss_status ss_scene_load(ss_context *ctx, const char *path, const char *const *overrides,
                        int32_t count, ss_scene **out)
{
    ss_scene_source *source = NULL;
    if (out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "there is no place for the scene (NULL)");
    }
    *out = NULL;
    SS_TRY(ss_scene_source_load(ctx, path, &source));
    ss_status status = ss_scene_from_source(ctx, source, overrides, count, out);
    ss_scene_source_destroy(source);
    return status;
}
