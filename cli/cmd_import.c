/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip import`: URDF, MJCF and SDF as scenes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "json.h"
#include "outputs.h"
#include "stickslip/import.h"
#include "stickslip/output.h"
#include "stickslip/scene_file.h"
#include "stickslip/sim.h"

static const char description[] =
    "Makes a scene of a robot file: URDF, MJCF or SDF, told by its root element. Nothing is "
    "fetched\n"
    "from a network, and entities are refused. What the file says and a scene cannot is listed on\n"
    "standard error and at the top of the scene. Bodies that are fixed to each other become one.";

enum { SET_MAX = 512 };

typedef struct job {
    const char *out;
    ss_arg_list at;
    bool        free_base, json, quiet;
    const char *names[SET_MAX];
    double      values[SET_MAX];
    char        texts[SET_MAX][128];
} job;

/* "NAME=VALUE" of --at. */
static bool read_values(job *j)
{
    for (int32_t i = 0; i < j->at.count; i++) {
        const char *equals = strrchr(j->at.items[i], '=');
        char       *end    = NULL;
        if (i == SET_MAX || equals == NULL || equals == j->at.items[i] ||
            equals - j->at.items[i] > 127) {
            ss_cli_usage("import", "--at needs JOINT=VALUE, got '%s'", j->at.items[i]);
            return false;
        }
        j->values[i] = strtod(equals + 1, &end);
        if (end == equals + 1 || *end != '\0') {
            ss_cli_usage("import", "--at %s: '%s' is not a number", j->at.items[i], equals + 1);
            return false;
        }
        snprintf(j->texts[i], sizeof j->texts[i], "%.*s", (int)(equals - j->at.items[i]),
                 j->at.items[i]);
        j->names[i] = j->texts[i];
    }
    return true;
}

/* The scene must be one: what was written is read at once. */
static ss_status check(ss_context *ctx, const ss_import *i, const char *name, int32_t *bodies,
                       int32_t *joints)
{
    ss_scene   *scene  = NULL;
    ss_model   *model  = NULL;
    const char *text   = ss_import_scene(i);
    ss_status   status = ss_scene_load_text(ctx, text, strlen(text), name, NULL, 0, &scene);
    if (status == SS_OK) {
        status = ss_model_compile(ctx, scene, &model);
    }
    *bodies = status == SS_OK ? ss_model_body_count(model) : 0;
    *joints = status == SS_OK ? ss_model_joint_count(model) : 0;
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    return status;
}

static ss_status write_scene(ss_context *ctx, const job *j, const ss_import *i)
{
    if (j->out == NULL) {
        fputs(ss_import_scene(i), stdout); /* standard output is checked at the end */
        return SS_OK;
    }
    ss_output_file *file;
    SS_TRY(ss_output_open(ctx, j->out, &file));
    fputs(ss_import_scene(i), ss_output_stream(file));
    return ss_output_close(file, SS_OK);
}

static void tell(const job *j, const ss_import *i, const char *path, int32_t bodies, int32_t joints)
{
    if (j->json) {
        ss_json json = ss_json_start(stdout, false);
        ss_json_open_object(&json, NULL);
        ss_json_text(&json, "file", path);
        ss_json_text(&json, "format", ss_import_format(i));
        ss_json_int(&json, "bodies", bodies);
        ss_json_int(&json, "joints", joints);
        ss_json_open_array(&json, "not_carried_over");
        for (int32_t k = 0; k < ss_import_note_count(i); k++) {
            ss_json_text(&json, NULL, ss_import_note(i, k));
        }
        ss_json_close_array(&json);
        ss_json_close_object(&json);
        ss_json_end(&json);
        return;
    }
    if (j->quiet) {
        return;
    }
    fprintf(stderr, "stickslip: %s (%s): %d bod%s, %d joint%s%s\n", path, ss_import_format(i),
            (int)bodies, bodies == 1 ? "y" : "ies", (int)joints, joints == 1 ? "" : "s",
            ss_import_note_count(i) > 0 ? "; not carried over, or only nearly:" : "");
    for (int32_t k = 0; k < ss_import_note_count(i); k++) {
        fprintf(stderr, "  - %s\n", ss_import_note(i, k));
    }
}

static int import(job *j, const char *path)
{
    ss_import_def def = {.joints      = j->names,
                         .values      = j->values,
                         .joint_count = j->at.count,
                         .free_base   = j->free_base};
    ss_context   *ctx = ss_cli_context(j->quiet);
    ss_import    *i   = NULL;
    int32_t       bodies, joints;
    if (ctx == NULL) {
        return SS_EXIT_RESOURCES;
    }
    ss_status status = ss_import_read(ctx, path, &def, &i);
    int       code   = status == SS_OK ? SS_EXIT_DONE : ss_cli_fail(ctx, status);
    if (status == SS_OK && (j->out != NULL || !j->json)) {
        status = write_scene(ctx, j, i);
        code   = status == SS_OK ? SS_EXIT_DONE : ss_cli_fail(ctx, status);
    }
    if (status == SS_OK && code == SS_EXIT_DONE) {
        status = check(ctx, i, j->out != NULL ? j->out : path, &bodies, &joints);
        tell(j, i, path, bodies, joints);
        code = status == SS_OK ? SS_EXIT_DONE : ss_cli_fail(ctx, status);
    }
    ss_import_destroy(i);
    ss_context_destroy(ctx);
    return code;
}

static int run(int argc, char **argv)
{
    job          j       = {0};
    const ss_arg table[] = {
        {"-o", SS_ARG_TEXT, &j.out, "FILE", 0, 0, "write the scene here; default: standard output"},
        {"--at", SS_ARG_LIST, &j.at, "JOINT=VALUE", 0, 0,
         "where a joint starts (m or rad), repeatable"},
        {"--free", SS_ARG_FLAG, &j.free_base, NULL, 0, 0,
         "URDF: the first link is not held by the world"},
        {"--json", SS_ARG_FLAG, &j.json, NULL, 0, 0,
         "what was found and what is not carried over, as JSON"},
        {"--quiet", SS_ARG_FLAG, &j.quiet, NULL, 0, 0, "no list of what is not carried over"},
        SS_ARG_END};
    const ss_args spec = {"import", "FILE", 1, 1, description, table};
    ss_arg_list   operands;
    int           code;
    if (!ss_args_parse(&spec, argc, argv, &operands, &code)) {
        return code;
    }
    const ss_output out  = {"-o", j.out, ""};
    bool            good = ss_cli_outputs("import", operands.items, operands.count, &out, 1);
    code                 = good && read_values(&j) ? import(&j, operands.items[0]) : SS_EXIT_USAGE;
    ss_args_release(&spec, &operands);
    return code;
}

const ss_command ss_command_import = {"import", "a scene from URDF, MJCF or SDF", run};
