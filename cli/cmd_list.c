/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip list`: what this build contains. */
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "args_help.h"
#include "cli.h"
#include "combinations.h"
#include "embedded.h"
#include "json.h"
#include "plugin_args.h"
#include "stickslip/plugin.h"
#include "stickslip/record.h"
#include "stickslip/scene_file.h"
#include "stickslip/study.h"
#include "verify/verify.h"

static const char description[] =
    "Lists solvers, shapes, joints, forces, recorders, model axes, verification cases, built-in\n"
    "scenes and the optional libraries of this build.";

/* Where the lists go: a JSON writer, or text. */
typedef struct sink {
    ss_json json;
    bool    as_json;
} sink;

static void open_list(sink *s, const char *title)
{
    if (s->as_json) {
        ss_json_open_array(&s->json, title);
    } else {
        printf("%s:\n", title);
    }
}

static void close_list(sink *s)
{
    if (s->as_json) {
        ss_json_close_array(&s->json);
    } else {
        printf("\n");
    }
}

/* One entry: its name, one more fact about it, and a sentence; NULL leaves either out. */
static void put(sink *s, const char *name, const char *fact_name, const char *fact,
                const char *summary)
{
    if (s->as_json) {
        ss_json_open_object(&s->json, NULL);
        ss_json_text(&s->json, "name", name);
        if (fact != NULL) {
            ss_json_text(&s->json, fact_name, fact);
        }
        if (summary != NULL) {
            ss_json_text(&s->json, "summary", summary);
        }
        ss_json_close_object(&s->json);
        return;
    }
    printf("  %-18s %s", name, summary != NULL ? summary : "");
    if (fact != NULL) {
        printf(summary != NULL ? " (%s)" : "%s", fact);
    }
    printf("\n");
}

static void join_types(unsigned accepts, char *out, size_t size)
{
    static const ss_problem_type types[] = {SS_LCP, SS_MLCP, SS_MCP, SS_CONE};
    size_t                       used    = 0;
    out[0]                               = '\0';
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (accepts & (unsigned)types[i]) {
            used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "",
                                     ss_problem_type_name(types[i]));
        }
    }
}

static void put_solvers(sink *s, const ss_context *ctx)
{
    char types[64];
    open_list(s, "solvers");
    for (int32_t i = 0; i < ss_solver_count(ctx); i++) {
        const ss_solver_class *cls = ss_solver_at(ctx, i);
        join_types(cls->accepts, types, sizeof types);
        put(s, cls->name, "accepts", types, cls->summary);
    }
    close_list(s);
}

static void put_shapes(sink *s, const ss_context *ctx)
{
    open_list(s, "shapes");
    for (int32_t i = 0; i < ss_shape_count(ctx); i++) {
        const ss_shape_class *cls = ss_shape_at(ctx, i);
        put(s, cls->name, "dimensions",
            cls->dimensions == 5 ? "2D, 3D" : (cls->dimensions == 2 ? "2D" : "3D"), NULL);
    }
    close_list(s);
}

static void put_joints(sink *s)
{
    open_list(s, "joints");
    for (int32_t i = 0; i < ss_joint_type_count(); i++) {
        put(s, ss_joint_type_name(i), NULL, NULL, ss_joint_type_summary(i));
    }
    close_list(s);
}

static void put_forces(sink *s, const ss_context *ctx)
{
    open_list(s, "forces");
    for (int32_t i = 0; i < ss_force_type_count(ctx); i++) {
        put(s, ss_force_type_name(ctx, i), NULL, NULL, NULL);
    }
    close_list(s);
}

static void put_recorders(sink *s, const ss_context *ctx)
{
    open_list(s, "recorders");
    for (int32_t i = 0; i < ss_recorder_count(ctx); i++) {
        put(s, ss_recorder_at(ctx, i)->name, NULL, NULL, ss_recorder_at(ctx, i)->summary);
    }
    close_list(s);
}

static void put_axes(sink *s)
{
    open_list(s, "model");
    for (int32_t i = 0; i < ss_axis_count(); i++) {
        const ss_axis *axis = ss_axis_at(i);
        char           words[256];
        size_t         used = 0;
        for (const ss_axis_value *v = axis->values; v->word != NULL && used < sizeof words; v++) {
            used += (size_t)snprintf(words + used, sizeof words - used, "%s%s%s",
                                     used > 0 ? ", " : "", v->word, v->counts ? ":N" : "");
        }
        put(s, axis->name, "values", words, axis->doc);
    }
    close_list(s);
}

/* What one brings, in a line. */
static void plugin_contents(const ss_plugin *p, char *out, size_t size)
{
    size_t used = 0;
    out[0]      = '\0';
#define EACH(list, noun, member)                                                                   \
    for (int32_t i = 0; p->list != NULL && p->list[i] != NULL && used < size; i++) {               \
        used += (size_t)snprintf(out + used, size - used, "%s" noun " %s", used > 0 ? ", " : "",   \
                                 p->list[i]->member);                                              \
    }
    EACH(solvers, "solver", name)
    EACH(shapes, "shape", name)
    EACH(pairs, "pair with", b)
    EACH(forces, "force", name)
    EACH(bodies, "body", name)
    EACH(axes, "axis value", name)
    EACH(measures, "measure", name)
    EACH(recorders, "recorder", name)
#undef EACH
}

static void put_plugins(sink *s, const ss_context *ctx)
{
    char contents[1024];
    open_list(s, "plugins");
    for (int32_t i = 0; i < ss_context_plugin_count(ctx); i++) {
        const ss_plugin *p = ss_context_plugin(ctx, i);
        plugin_contents(p, contents, sizeof contents);
        put(s, p->name, "brings", contents, p->summary);
    }
    close_list(s);
}

static void put_scenes(sink *s)
{
    char name[96];
    open_list(s, "scenes");
    for (const ss_embedded *e = ss_embedded_scenes; e->name != NULL; e++) {
        snprintf(name, sizeof name, "builtin:%s", e->name);
        put(s, name, NULL, NULL, NULL);
    }
    close_list(s);
}

static void put_studies(sink *s)
{
    char name[96];
    open_list(s, "studies");
    for (const ss_embedded *e = ss_embedded_studies; e->name != NULL; e++) {
        snprintf(name, sizeof name, "builtin:%s", e->name);
        put(s, name, NULL, NULL, NULL);
    }
    close_list(s);
}

static void put_cases(sink *s)
{
    open_list(s, "cases");
    for (int i = 0; i < ss_verify_case_count(); i++) {
        const ss_verify_case *c = ss_verify_case_at(i);
        put(s, c->name, "source", c->source, c->summary);
    }
    close_list(s);
}

/* "LUA=yes HDF5=no" as entries. */
static void put_build(sink *s)
{
    char options[512];
    open_list(s, "build");
    snprintf(options, sizeof options, "%s", ss_build_options());
    for (char *at = strtok(options, " "); at != NULL; at = strtok(NULL, " ")) {
        char *equals = strchr(at, '=');
        if (equals != NULL) {
            *equals = '\0';
            put(s, at, "built_in", equals + 1, NULL);
        }
    }
    close_list(s);
}

static void print_text(void *user, const char *text)
{
    (void)user;
    fputs(text, stdout);
}

static int list_all(bool as_json)
{
    sink        s   = {.json = ss_json_start(stdout, false), .as_json = as_json};
    ss_context *ctx = ss_cli_context(false);
    if (ctx == NULL) {
        return SS_EXIT_RESOURCES;
    }
    if (as_json) {
        ss_json_open_object(&s.json, NULL);
        ss_json_text(&s.json, "version", ss_version());
    } else {
        printf("stickslip %s\n\n", ss_version());
    }
    put_solvers(&s, ctx);
    put_shapes(&s, ctx);
    put_joints(&s);
    put_forces(&s, ctx);
    put_recorders(&s, ctx);
    put_axes(&s);
    if (as_json || ss_context_plugin_count(ctx) > 0) {
        put_plugins(&s, ctx);
    }
    put_cases(&s);
    put_scenes(&s);
    put_studies(&s);
    put_build(&s);
    if (as_json) {
        ss_json_close_object(&s.json);
        ss_json_end(&s.json);
    }
    ss_context_destroy(ctx);
    return SS_EXIT_DONE;
}

static int run(int argc, char **argv)
{
    bool          as_json = false, reference = false, combinations = false;
    bool          studies = false, schema = false;
    const char   *shell   = NULL;
    const ss_arg  table[] = {{"--json", SS_ARG_FLAG, &as_json, NULL, 0, 0, "as JSON"},
                             {"--scene-reference", SS_ARG_FLAG, &reference, NULL, 0, 0,
                              "print docs/reference/scene.md instead"},
                             {"--study-reference", SS_ARG_FLAG, &studies, NULL, 0, 0,
                              "print docs/reference/study.md instead"},
                             {"--schema", SS_ARG_FLAG, &schema, NULL, 0, 0,
                              "print the JSON Schema of scene and study files instead"},
                             {"--completion", SS_ARG_TEXT, &shell, "bash|zsh|fish", 0, 0,
                              "print a completion script instead"},
                             {"--combinations", SS_ARG_FLAG, &combinations, NULL, 0, 0,
                              "run every combination of the model's axes instead"},
                             SS_PLUGIN_ARGS,
                             SS_ARG_END};
    const ss_args spec    = {"list", "", 0, 0, description, table};
    ss_arg_list   operands;
    int           code;
    if (!ss_args_parse(&spec, argc, argv, &operands, &code)) {
        return code;
    }
    if (reference) {
        ss_scene_reference(print_text, NULL);
        return SS_EXIT_DONE;
    }
    if (studies) {
        ss_study_reference(print_text, NULL);
        ss_identify_reference(print_text, NULL);
        return SS_EXIT_DONE;
    }
    if (schema) {
        ss_file_schema(print_text, NULL);
        return SS_EXIT_DONE;
    }
    if (shell != NULL) {
        int                      count;
        const ss_command *const *commands = ss_cli_commands(&count);
        return ss_help_completion(commands, count, shell);
    }
    return combinations ? ss_list_combinations(as_json) : list_all(as_json);
}

const ss_command ss_command_list = {"list", "what this build contains", run};
