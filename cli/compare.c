/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include <stdio.h>

typedef struct run_parts {
    ss_scene    *scene;
    ss_model    *model;
    ss_data     *data;
    ss_recorder *recorder;
} run_parts;

static void show_progress(void *user, const ss_run_result *so_far, int64_t total)
{
    ss_progress_update(user, so_far->steps, total, so_far->residual_max);
}

static ss_status make(ss_context *ctx, const ss_compare_with *with, const char *model,
                      run_parts *parts)
{
    ss_scene_args args = with->args;
    args.model         = model;
    SS_TRY(ss_cli_load_scene(ctx, with->scene_name, &args, &parts->scene));
    SS_TRY(ss_model_compile(ctx, parts->scene, &parts->model));
    SS_TRY(ss_data_create(ctx, parts->model, &parts->data));
    return with->report != NULL ? ss_report_recorder(with->report, model, &parts->recorder) : SS_OK;
}

static void measure(const ss_compare_with *with, const run_parts *parts, ss_comparison *out)
{
    out->distance = 0;
    out->body[0]  = '\0';
    for (int32_t i = 0; i < ss_model_body_count(with->model); i++) {
        ss_body_state a, b;
        ss_data_body(with->model, with->data, i, &a);
        ss_data_body(parts->model, parts->data, i, &b);
        double distance = ss_norm(ss_sub(a.position, b.position));
        if (distance > out->distance) {
            out->distance = distance;
            snprintf(out->body, sizeof out->body, "%s", ss_model_body_name(with->model, i));
        }
    }
}

static ss_status simulate(ss_context *ctx, const ss_compare_with *with, run_parts *parts,
                          ss_comparison *out)
{
    ss_run_def  def      = ss_run_def_default();
    ss_progress progress = ss_progress_start("steps", with->quiet);
    def.recorders        = &parts->recorder;
    def.recorder_count   = parts->recorder != NULL ? 1 : 0;
    def.scene_name       = ss_scene_name(parts->scene);
    def.scene_path       = ss_scene_path(parts->scene);
    def.scene_text       = ss_scene_text(parts->scene);
    def.resolved         = ss_scene_resolved(parts->scene);
    def.timed            = true;
    def.interrupt        = ss_cli_catch_interrupt();
    def.progress         = show_progress;
    def.progress_user    = &progress;
    ss_status status     = ss_run(ctx, parts->model, parts->data, &def, &out->result);
    ss_progress_end(&progress);
    out->certified = status != SS_ERR_CERTIFICATE;
    return out->certified ? status : SS_OK;
}

ss_status ss_compare_run(ss_context *ctx, const ss_compare_with *with, const char *model,
                         ss_comparison *out)
{
    run_parts parts  = {0};
    ss_status status = make(ctx, with, model, &parts);
    out->model       = model;
    if (status == SS_OK) {
        status = simulate(ctx, with, &parts, out);
    }
    if (status == SS_OK) {
        measure(with, &parts, out);
    }
    ss_recorder_destroy(parts.recorder);
    ss_data_destroy(parts.data);
    ss_model_destroy(parts.model);
    ss_scene_destroy(parts.scene);
    return status;
}
