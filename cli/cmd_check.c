/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip check`: read and compile a scene without running it, and say what is in it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check_run.h"
#include "cli.h"
#include "guard.h"
#include "json.h"
#include "plugin_args.h"
#include "scene_args.h"
#include "stickslip/sim.h"

static const char description[] =
    "Reads and compiles a scene and reports its sizes, its model and what overlaps at the start.\n"
    "Exit code 2 when the scene could not be run.\n"
    "A run file: runs the scene in it again and compares every state bit for bit. Exit code 1 "
    "when\n"
    "they part, and where.";

enum { OVERLAPS_MAX = 256 };

typedef struct job {
    ss_scene_args scene_args;
    bool          json, quiet;
    ss_context   *ctx;
    ss_scene     *scene;
    ss_model     *model;
    ss_data      *data;
    ss_overlap    overlaps[OVERLAPS_MAX];
    int32_t       overlap_count;
} job;

static ss_status make(job *j, const char *name)
{
    SS_TRY(ss_cli_load_scene(j->ctx, name, &j->scene_args, &j->scene));
    SS_TRY(ss_model_compile(j->ctx, j->scene, &j->model));
    SS_TRY(ss_data_create(j->ctx, j->model, &j->data));
    return ss_data_overlaps(j->model, j->data, j->overlaps, OVERLAPS_MAX, &j->overlap_count);
}

static int32_t count_bodies(const ss_model *m, ss_body_type type)
{
    int32_t count = 0;
    for (int32_t i = 0; i < ss_model_body_count(m); i++) {
        count += ss_model_body_type(m, i) == type;
    }
    return count;
}

/* Depths below rounding are contacts, not overlaps. */
static bool is_overlap(const ss_overlap *o)
{
    return o->depth > 1e-9 * o->size;
}

static int32_t listed(const job *j)
{
    return j->overlap_count < OVERLAPS_MAX ? j->overlap_count : OVERLAPS_MAX;
}

static void json_counts(ss_json *out, const job *j)
{
    static const char *const names[] = {"static", "kinematic", "dynamic", "particle"};
    ss_json_open_object(out, "bodies");
    for (int type = 0; type < 4; type++) {
        ss_json_int(out, names[type], count_bodies(j->model, (ss_body_type)type));
    }
    ss_json_close_object(out);
    ss_json_int(out, "shapes", ss_model_geom_count(j->model));
    ss_json_int(out, "params", ss_scene_param_count(j->scene));
}

static void json_overlaps(ss_json *out, const job *j)
{
    ss_json_open_array(out, "overlaps");
    for (int32_t i = 0; i < listed(j); i++) {
        const ss_overlap *o = &j->overlaps[i];
        if (!is_overlap(o)) {
            continue;
        }
        ss_json_open_object(out, NULL);
        ss_json_text(out, "a", ss_model_body_name(j->model, o->body_a));
        ss_json_text(out, "b", ss_model_body_name(j->model, o->body_b));
        ss_json_real(out, "depth", o->depth);
        ss_json_real(out, "size", o->size);
        ss_json_close_object(out);
    }
    ss_json_close_array(out);
}

static void print_json(const job *j)
{
    const ss_simulation_def *sim = ss_model_simulation(j->model);
    ss_json                  out = ss_json_start(stdout, false);
    char                     text[64];
    ss_json_open_object(&out, NULL);
    ss_json_text(&out, "scene", ss_scene_name(j->scene));
    ss_json_bool(&out, "ok", true);
    ss_json_int(&out, "dimension", ss_model_dimension(j->model));
    json_counts(&out, j);
    ss_json_open_object(&out, "model");
    for (int32_t i = 0; i < ss_axis_count(); i++) {
        const ss_axis *axis = ss_axis_at(i);
        ss_json_text(&out, axis->name, ss_axis_text(axis, &sim->axes, text, sizeof text));
    }
    ss_json_close_object(&out);
    ss_json_text(&out, "solver", sim->solver != NULL ? sim->solver : "auto");
    ss_json_real(&out, "step", sim->step);
    ss_json_real(&out, "duration", sim->duration);
    json_overlaps(&out, j);
    ss_json_close_object(&out);
    ss_json_end(&out);
}

static void print_text(const job *j)
{
    const ss_simulation_def *sim = ss_model_simulation(j->model);
    const ss_model          *m   = j->model;
    char                     text[64];
    printf("scene      %s (%dD)\n", ss_scene_name(j->scene), ss_model_dimension(m));
    printf("bodies     %d static, %d kinematic, %d dynamic, %d particles; %d shapes\n",
           (int)count_bodies(m, SS_BODY_STATIC), (int)count_bodies(m, SS_BODY_KINEMATIC),
           (int)count_bodies(m, SS_BODY_DYNAMIC), (int)count_bodies(m, SS_BODY_PARTICLE),
           (int)ss_model_geom_count(m));
    printf("model      ");
    for (int32_t i = 0; i < ss_axis_count(); i++) {
        const ss_axis *axis = ss_axis_at(i);
        printf("%s%s=%s", i > 0 ? "," : "", axis->name,
               ss_axis_text(axis, &sim->axes, text, sizeof text));
    }
    printf("\nsolver     %s\n", sim->solver != NULL ? sim->solver : "auto");
    printf("time       %g s in %.0f steps of %g s\n", sim->duration,
           fmax(0, ceil(sim->duration / sim->step - 1e-9)), sim->step);
    for (int32_t i = 0; i < listed(j); i++) {
        const ss_overlap *o = &j->overlaps[i];
        if (is_overlap(o)) {
            printf("overlap    %s and %s by %.3g m\n", ss_model_body_name(m, o->body_a),
                   ss_model_body_name(m, o->body_b), o->depth);
        }
    }
}

static void release(job *j)
{
    ss_data_destroy(j->data);
    ss_model_destroy(j->model);
    ss_scene_destroy(j->scene);
    ss_context_destroy(j->ctx);
}

static int run(int argc, char **argv)
{
    job           j       = {.scene_args = ss_scene_args_default()};
    const ss_arg  table[] = {SS_SCENE_ARGS(&j.scene_args),
                             {"--json", SS_ARG_FLAG, &j.json, NULL, 0, 0, "results as JSON"},
                             {"--quiet", SS_ARG_FLAG, &j.quiet, NULL, 0, 0, "nothing but errors"},
                             SS_PLUGIN_ARGS,
                             SS_ARG_END};
    const ss_args spec    = {"check", "SCENE|RUN.h5", 1, 1, description, table};
    ss_arg_list   operands;
    int           code;
    if (!ss_args_parse(&spec, argc, argv, &operands, &code)) {
        return code;
    }
    j.ctx = ss_cli_context(j.quiet);
    if (j.ctx != NULL && ss_cli_is_hdf5(operands.items[0])) {
        code = ss_cli_check_run(j.ctx, operands.items[0], j.json, j.quiet);
        ss_context_destroy(j.ctx);
        ss_args_release(&spec, &operands);
        return code;
    }
    ss_status status = j.ctx != NULL ? make(&j, operands.items[0]) : SS_ERR_MEMORY;
    code             = status == SS_OK ? SS_EXIT_DONE : SS_EXIT_RESOURCES;
    if (status != SS_OK && j.ctx != NULL) {
        code = ss_cli_fail(j.ctx, status);
    } else if (status == SS_OK && j.json) {
        print_json(&j);
    } else if (status == SS_OK && !j.quiet) {
        print_text(&j);
    }
    if (j.ctx != NULL) {
        release(&j);
    }
    ss_args_release(&spec, &operands);
    return code;
}

const ss_command ss_command_check = {
    "check", "read a scene and say what is in it; run a run file again", run};
