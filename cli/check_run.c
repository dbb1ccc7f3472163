/* SPDX-License-Identifier: Apache-2.0 */
#include "check_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "progress.h"
#include "stickslip/record.h"
#include "stickslip/run_file.h"

static void show_progress(void *user, const ss_run_result *so_far, int64_t total)
{
    ss_progress_update(user, so_far->steps, total, so_far->residual_max);
}

/* The body that a column of a table of bodies belongs to; NULL: it is another table. */
static const char *body_of(const ss_run_file *f, const ss_run_check *c)
{
    int32_t bodies = ss_run_file_body_count(f);
    if (c->field == NULL || strncmp(c->field, "bodies/", 7) != 0 || bodies == 0) {
        return NULL;
    }
    return ss_run_file_body_name(f, c->column / (ss_run_file_width(f, c->field) / bodies));
}

/* Steps that were kept although they failed; 0 also where the file does not say. */
static int64_t marked_steps(const ss_run_file *f)
{
    double marked = ss_run_file_result(f, "marked");
    return marked > 0 && marked < 1e15 ? (int64_t)marked : 0;
}

static void print_json(const ss_run_file *f, const char *path, const ss_run_check *c)
{
    ss_json out = ss_json_start(stdout, false);
    ss_json_open_object(&out, NULL);
    ss_json_text(&out, "run", path);
    ss_json_bool(&out, "same", c->same);
    ss_json_bool(&out, "complete", ss_run_file_complete(f));
    ss_json_bool(&out, "certificate_failed", c->failed);
    ss_json_int(&out, "marked", marked_steps(f));
    ss_json_bool(&out, "text_as_run", c->text_same);
    ss_json_int(&out, "states", ss_run_file_states(f));
    ss_json_int(&out, "compared", c->compared);
    if (c->field != NULL) {
        ss_json_real(&out, "time", c->time);
        ss_json_text(&out, "field", c->field);
        ss_json_text(&out, "body", body_of(f, c));
        ss_json_int(&out, "column", c->column);
        ss_json_real(&out, "recorded", c->recorded);
        ss_json_real(&out, "computed", c->computed);
    }
    ss_json_close_object(&out);
    ss_json_end(&out);
}

/* By the user, by what watched it, or killed: how it would have gone on is not in the file. */
static bool ended_early(const ss_run_file *f)
{
    return !ss_run_file_complete(f) || ss_run_file_result(f, "stopped") == 1;
}

/* What else is to be known of a run that came out again. */
static void print_doubts(const ss_run_file *f, const ss_run_check *c)
{
    if (c->failed) {
        printf("failed     the step after t = %g s did not pass its certificate: the run ended "
               "there\n",
               ss_run_file_result(f, "time"));
    }
    if (marked_steps(f) > 0) {
        printf("marked     %" PRId64 " steps did not pass their certificates and were kept\n",
               marked_steps(f));
    }
    if (!c->text_same) {
        printf(
            "text       scene/text as it stands is not what was run: values were set, files that "
            "it includes have changed, or it was altered\n");
    }
}

static void print_text(const ss_run_file *f, const ss_run_check *c)
{
    const char *body = body_of(f, c);
    if (c->same) {
        printf("same       %" PRId64 " states, bit for bit%s\n", c->compared,
               ended_early(f) && !c->failed ? " (the run was ended early)" : "");
        print_doubts(f, c);
    } else if (c->field == NULL) {
        printf("parts      the run ends after %" PRId64 " of %" PRId64 " states\n", c->compared,
               ss_run_file_states(f));
    } else {
        printf("parts      at state %" PRId64
               ", t = %g s: %s%s%s%s: %.17g in the file, %.17g now\n",
               c->compared, c->time, c->field, body != NULL ? " of '" : "",
               body != NULL ? body : "", body != NULL ? "'" : "", c->recorded, c->computed);
    }
}

int ss_cli_check_run(ss_context *ctx, const char *path, bool json, bool quiet)
{
    ss_run_file *file     = NULL;
    ss_run_check result   = {0};
    ss_run_def   how      = ss_run_def_default();
    ss_progress  progress = ss_progress_start("steps", quiet);
    how.progress          = show_progress;
    how.progress_user     = &progress;
    how.interrupt         = ss_cli_catch_interrupt();
    ss_status status      = ss_run_file_open(ctx, path, &file);
    if (status == SS_OK) {
        status = ss_run_file_check(ctx, file, &how, &result);
    }
    ss_progress_end(&progress);
    int code = status != SS_OK                 ? ss_cli_fail(ctx, status)
               : result.same && !result.failed ? SS_EXIT_DONE
                                               : SS_EXIT_NO;
    if (status == SS_OK && json) {
        print_json(file, path, &result);
    } else if (status == SS_OK && !quiet) {
        print_text(file, &result);
    }
    ss_run_file_close(file);
    return code;
}
