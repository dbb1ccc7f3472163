/* SPDX-License-Identifier: Apache-2.0 */
/* A recorder: `run --record xyz=FILE` writes the positions as frames of XYZ, which molecule viewers
 * read. */
#include <stdio.h>
#include <stickslip/output.h>
#include <stickslip/plugin.h>

/* ss_output_file writes under another name until it is whole. */
typedef struct state {
    ss_output_file *file;
} state;

static ss_status open(ss_recorder *r, const ss_run_info *info)
{
    state *s = ss_recorder_state(r);
    (void)info;
    return ss_output_open(ss_recorder_context(r), ss_recorder_path(r), &s->file);
}

static ss_status append(ss_recorder *r, const ss_model *m, const ss_data *d)
{
    state  *s     = ss_recorder_state(r);
    FILE   *out   = ss_output_stream(s->file);
    int32_t count = ss_model_body_count(m);
    fprintf(out, "%d\nt=%.17g\n", (int)count, ss_data_time(d));
    for (int32_t i = 0; i < count; i++) {
        ss_body_state b;
        SS_TRY(ss_data_body(m, d, i, &b));
        fprintf(out, "%s %.17g %.17g %.17g\n", ss_model_body_name(m, i), b.position.x, b.position.y,
                b.position.z);
    }
    return ss_output_check(s->file);
}

static ss_status close(ss_recorder *r, const ss_run_result *result)
{
    state          *s    = ss_recorder_state(r);
    ss_output_file *file = s->file;
    (void)result;
    s->file = NULL;
    return ss_output_close(file, SS_OK);
}

static void discard(ss_recorder *r)
{
    state *s = ss_recorder_state(r);
    if (s->file != NULL) {
        ss_output_close(s->file, SS_ERR_IO);
        s->file = NULL;
    }
}

static const ss_recorder_class xyz = {.name       = "xyz",
                                      .summary    = "positions as frames of XYZ",
                                      .state_size = sizeof(state),
                                      .open       = open,
                                      .append     = append,
                                      .close      = close,
                                      .discard    = discard};

static const ss_recorder_class *const recorders[] = {&xyz, NULL};

SS_PLUGIN_TABLE = {SS_PLUGIN_HEADER, "xyz", "runs as XYZ", .recorders = recorders};
