/* SPDX-License-Identifier: Apache-2.0 */
/* The same scene under another model: where do its bodies end? */
#include <stdio.h>

#include "stickslip/series.h"
#include "study/variant.h"

enum { AXES_MAX = 16, OVERRIDE_SIZE = 128 };

ss_status ss_variant_make_model(ss_context *ctx, const ss_scene_source *source, const char *model,
                                ss_variant *out)
{
    char        texts[AXES_MAX][OVERRIDE_SIZE];
    const char *overrides[AXES_MAX];
    int32_t     count = 0;
    if (out != NULL) {
        *out = (ss_variant){0};
    }
    if (model != NULL) {
        SS_TRY(ss_axes_to_overrides(ctx, model, texts, AXES_MAX, &count));
    }
    for (int32_t i = 0; i < count; i++) {
        overrides[i] = texts[i];
    }
    return ss_variant_make(ctx, source, overrides, count, out);
}

double ss_variants_apart(const ss_variant *a, const ss_variant *b, char *body, size_t size)
{
    double furthest = 0;
    body[0]         = '\0';
    for (int32_t i = 0; i < ss_model_body_count(a->model); i++) {
        ss_body_state x, y;
        ss_data_body(a->model, a->data, i, &x);
        ss_data_body(b->model, b->data, i, &y);
        double distance = ss_norm(ss_sub(x.position, y.position));
        if (distance > furthest) {
            furthest = distance;
            snprintf(body, size, "%s", ss_model_body_name(a->model, i));
        }
    }
    return furthest;
}

static ss_status run(ss_context *ctx, const ss_variant *v, const ss_run_def *with,
                     ss_report *report, ss_comparison *out)
{
    ss_run_def   def      = *with;
    ss_recorder *recorder = NULL;
    if (report != NULL) {
        SS_TRY(ss_report_recorder(report, out->model, &recorder));
    }
    def.recorders      = &recorder;
    def.recorder_count = recorder != NULL ? 1 : 0;
    ss_status status   = ss_variant_run(ctx, v, &def, &out->result);
    out->certified     = status != SS_ERR_CERTIFICATE;
    ss_recorder_destroy(recorder);
    return out->certified ? status : SS_OK;
}

ss_status ss_series_compare(ss_context *ctx, const ss_scene_source *source, const char *model,
                            const ss_variant *reference, const ss_run_def *with, ss_report *report,
                            ss_comparison *out)
{
    if (model == NULL || reference == NULL || with == NULL || out == NULL) {
        return ss_fail(ctx, SS_ERR_ARGUMENT, "a comparison needs a model and what to compare with");
    }
    ss_variant v     = {0};
    *out             = (ss_comparison){.model = model};
    ss_status status = ss_variant_make_model(ctx, source, model, &v);
    if (status == SS_OK) {
        status = run(ctx, &v, with, report, out);
    }
    if (status == SS_OK) {
        out->distance = ss_variants_apart(reference, &v, out->body, sizeof out->body);
    }
    ss_variant_release(&v);
    return status;
}
