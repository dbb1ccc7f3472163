/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip sweep`: many runs of a scene as one command. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "outputs.h"
#include "plugin_args.h"
#include "progress.h"
#include "stickslip/flow.h"
#include "stickslip/report.h"
#include "study_args.h"
#include "sweep_output.h"

static const char description[] =
    "Computes the trials of a study file on all cores and writes them to one HDF5 file, from which "
    "an\n"
    "interrupted study continues (--resume). Results do not depend on the number of threads, on\n"
    "interruptions, or on whether parts were computed elsewhere (--part 1/3, then --merge).";

typedef struct job {
    ss_context *ctx;
    ss_study   *study;
    ss_trials  *trials;
    ss_arg_list set;
    const char *path, *out, *csv, *report, *part, *field;
    bool        resume, merge, json, quiet;
    int32_t     threads, part_number, parts, replays;
    double      trial; /* < 0: all */
    char        file[1024];
    ss_progress progress;
} job;

enum { NAME_SIZE = 1024 };

/* ---- names of files ---- */

/* "a.part-2-of-3.h5" for "a.h5"; `pattern` in place of the numbers when it is given. */
static void part_name(const char *whole, const char *numbers, char *out)
{
    size_t length = strlen(whole);
    bool   h5     = length > 3 && strcmp(whole + length - 3, ".h5") == 0;
    snprintf(out, NAME_SIZE, "%.*s.part-%s.h5", (int)(h5 ? length - 3 : length), whole, numbers);
}

static ss_status parse_part(job *j)
{
    int used = 0;
    if (j->part == NULL) {
        return SS_OK;
    }
    if (sscanf(j->part, "%d/%d%n", &j->part_number, &j->parts, &used) != 2 ||
        j->part[used] != '\0' || j->parts < 1 || j->parts > 1000000 || j->part_number < 1 ||
        j->part_number > j->parts) {
        return ss_fail(j->ctx, SS_ERR_INPUT, "--part %s: must be I/N with 1 <= I <= N, such as 2/8",
                       j->part);
    }
    return SS_OK;
}

static void name_file(job *j, const char *study)
{
    char whole[NAME_SIZE], numbers[48];
    if (j->out != NULL) {
        snprintf(whole, sizeof whole, "%s", j->out);
    } else {
        ss_cli_study_file(study, ".h5", whole, sizeof whole);
    }
    snprintf(j->file, sizeof j->file, "%s", whole);
    if (j->parts > 0) {
        snprintf(numbers, sizeof numbers, "%d-of-%d", (int)j->part_number, (int)j->parts);
        part_name(whole, numbers, j->file);
    }
}

/* ---- all trials ---- */

static void show_progress(void *user, const ss_trials *so_far, const ss_trial *last)
{
    job    *j     = user;
    int64_t total = ss_study_trials(j->study);
    int64_t done  = total - ss_trials_count(so_far, SS_TRIAL_PENDING);
    (void)last;
    if (j->progress.before < 0) {
        j->progress.before = done - 1;
    }
    if (j->progress.enabled && ss_study_measure_count(j->study) > 0 &&
        done >= j->progress.next_look) {
        ss_estimate e = ss_trials_estimate(so_far, 0, -1);
        snprintf(j->progress.note, sizeof j->progress.note, "%.24s %.3g (%.3g .. %.3g)",
                 ss_study_measure_name(j->study, 0), e.mean, e.low, e.high);
    }
    ss_progress_update(&j->progress, done, total, -1);
}

static ss_status sweep(job *j)
{
    ss_sweep_def def   = {.out           = j->file,
                          .resume        = j->resume,
                          .threads       = j->threads,
                          .part          = j->part_number,
                          .parts         = j->parts,
                          .interrupt     = ss_cli_catch_interrupt(),
                          .progress      = show_progress,
                          .progress_user = j};
    j->progress        = ss_progress_start("trials", j->quiet || j->json);
    j->progress.before = -1;
    ss_status status   = ss_study_sweep(j->ctx, j->study, &def, &j->trials);
    ss_progress_end(&j->progress);
    if (status == SS_ERR_INTERRUPTED) {
        fprintf(stderr, "stickslip sweep: interrupted; --resume continues\n");
    }
    return status;
}

/* All part files of the study into one. */
static ss_status merge(job *j)
{
    char      pattern[NAME_SIZE];
    glob_t    found  = {0};
    ss_status status = ss_trials_create(j->ctx, j->study, &j->trials);
    part_name(j->file, "*-of-*", pattern);
    if (status == SS_OK && (glob(pattern, 0, NULL, &found) != 0 || found.gl_pathc == 0)) {
        status = ss_fail(j->ctx, SS_ERR_INPUT, "%s: there are no such files to merge", pattern);
    }
    for (size_t i = 0; status == SS_OK && i < found.gl_pathc; i++) {
        status = ss_trials_read(j->trials, found.gl_pathv[i]);
    }
    globfree(&found);
    int64_t left = ss_trials_count(j->trials, SS_TRIAL_PENDING);
    if (status == SS_OK && left > 0) {
        fprintf(stderr, "stickslip sweep: %lld trials are in no part; --resume computes them\n",
                (long long)left);
    }
    return status == SS_OK ? ss_trials_write(j->trials, j->file) : status;
}

/* A page without replays where this build cannot make them. */
static ss_status write_report(const job *j)
{
    char                command[2200];
    ss_study_report_def def = {.replays = ss_report_has_page() ? j->replays : 0,
                               .command = command};
    snprintf(command, sizeof command, "stickslip sweep %.1000s --trial %%K --report trial-%%K.html",
             j->path);
    return ss_trials_report(j->trials, &def, j->report);
}

/* "a.svg", or "a-1.svg", "a-2.svg", .. where there are several. */
static ss_status write_fields(const job *j)
{
    int64_t     count = ss_trials_flow_count(j->trials);
    const char *dot   = strrchr(j->field, '.');
    int         stem  = dot != NULL ? (int)(dot - j->field) : (int)strlen(j->field);
    ss_status   status =
        count > 0 ? SS_OK : ss_fail(j->ctx, SS_ERR_INPUT, "--field: the study has no `field`");
    for (int64_t i = 0; status == SS_OK && i < count; i++) {
        char     path[NAME_SIZE], name[256], title[512];
        ss_flow *flow = NULL;
        snprintf(path, sizeof path, "%s", j->field);
        if (count > 1) {
            snprintf(path, sizeof path, "%.*s-%lld%s", stem, j->field, (long long)i + 1,
                     dot != NULL ? dot : "");
        }
        ss_trials_flow_name(j->trials, i, name, sizeof name);
        snprintf(title, sizeof title, "%s%s%s", ss_study_name(j->study),
                 name[0] != '\0' ? ": " : "", name);
        status = ss_trials_flow(j->trials, i, &flow);
        if (status == SS_OK) {
            status = ss_flow_svg(flow, title, path);
        }
        ss_flow_destroy(flow);
    }
    return status;
}

static ss_status all_trials(job *j)
{
    ss_status status = j->merge ? merge(j) : sweep(j);
    if (j->trials == NULL || (status != SS_OK && status != SS_ERR_INTERRUPTED)) {
        return status;
    }
    if (j->csv != NULL) {
        SS_TRY(ss_trials_csv(j->trials, j->csv));
    }
    if (j->report != NULL) {
        SS_TRY(write_report(j));
    }
    if (j->field != NULL) {
        SS_TRY(write_fields(j));
    }
    if (j->json) {
        ss_sweep_print_json(j->trials);
    } else if (!j->quiet) {
        ss_sweep_print_text(j->trials, j->file);
    }
    return status;
}

/* ---- one trial ---- */

static ss_status replay(job *j, ss_trial *out)
{
    ss_recorder *recorders[3];
    int32_t      count  = 0;
    ss_status    status = SS_OK;
    if (j->report != NULL) {
        status = ss_recorder_create(j->ctx, "report", j->report, &recorders[count]);
        count += status == SS_OK;
    }
    if (status == SS_OK && j->csv != NULL) {
        status = ss_recorder_create(j->ctx, "csv", j->csv, &recorders[count]);
        count += status == SS_OK;
    }
    if (status == SS_OK && j->out != NULL) {
        status = ss_recorder_create(j->ctx, "hdf5", j->out, &recorders[count]);
        count += status == SS_OK;
    }
    if (status == SS_OK) {
        status = ss_study_replay(j->ctx, j->study, (int64_t)j->trial, recorders, count,
                                 ss_cli_catch_interrupt(), out);
    }
    for (int32_t i = 0; i < count; i++) {
        ss_recorder_destroy(recorders[i]);
    }
    return status;
}

static ss_status one_trial(job *j)
{
    ss_trial  out = {.inputs = calloc((size_t)ss_study_input_count(j->study) + 1, sizeof(double)),
                     .measures =
                         calloc((size_t)ss_study_measure_count(j->study) + 1, sizeof(double))};
    ss_status status = out.inputs != NULL && out.measures != NULL
                           ? replay(j, &out)
                           : ss_fail(j->ctx, SS_ERR_MEMORY, "out of memory");
    if (status == SS_OK && j->json) {
        ss_trial_print_json(j->study, &out);
    } else if (status == SS_OK && !j->quiet) {
        ss_trial_print_text(j->study, &out);
    }
    free(out.inputs);
    free(out.measures);
    return status;
}

/* ---- the command ---- */

static ss_status check_options(job *j)
{
    if (j->trial >= 0 && (j->resume || j->merge || j->part != NULL)) {
        return ss_fail(j->ctx, SS_ERR_INPUT, "--trial goes with none of --resume, --merge, --part");
    }
    if (j->merge && (j->part != NULL || j->resume)) {
        return ss_fail(j->ctx, SS_ERR_INPUT, "--merge goes with neither --part nor --resume");
    }
    return parse_part(j);
}

static ss_status execute(job *j, const char *study)
{
    j->path = study;
    SS_TRY(check_options(j));
    SS_TRY(ss_cli_load_study(j->ctx, study, &j->set, &j->study));
    SS_TRY(ss_output_test(j->ctx, j->csv));
    SS_TRY(ss_output_test(j->ctx, j->report));
    SS_TRY(ss_output_test(j->ctx, j->field));
    name_file(j, study);
    if (j->trial >= 0 && j->trial != (double)(int64_t)j->trial) {
        return ss_fail(j->ctx, SS_ERR_INPUT, "--trial must be a whole number");
    }
    return j->trial >= 0 ? one_trial(j) : all_trials(j);
}

static int run(int argc, char **argv)
{
    job          j       = {.trial = -1, .replays = 12};
    const ss_arg table[] = {
        {"--set", SS_ARG_LIST, &j.set, "PATH=VALUE", 0, 0, "change a value of the study file"},
        {"--out", SS_ARG_TEXT, &j.out, "FILE", 0, 0,
         "the study's HDF5 file (default: named after the study); with --trial: a run file"},
        {"--csv", SS_ARG_TEXT, &j.csv, "FILE", 0, 0, "one row a trial; with --trial: one a step"},
        {"--resume", SS_ARG_FLAG, &j.resume, NULL, 0, 0, "compute only what the file lacks"},
        {"--threads", SS_ARG_INT, &j.threads, "N", 1, 4096, "default: as many as there are"},
        {"--part", SS_ARG_TEXT, &j.part, "I/N", 0, 0,
         "compute part I of N, into a file of its own"},
        {"--merge", SS_ARG_FLAG, &j.merge, NULL, 0, 0, "put the files of all parts together"},
        {"--trial", SS_ARG_REAL, &j.trial, "K", 0, 9e15, "compute trial K alone, from 0"},
        {"--report", SS_ARG_TEXT, &j.report, "FILE", 0, 0,
         "a page with maps, plots and replays; with --trial: the replay of that trial"},
        {"--field", SS_ARG_TEXT, &j.field, "FILE", 0, 0,
         "the study's velocity field as SVG (one file for each, if there are several)"},
        {"--replays", SS_ARG_INT, &j.replays, "N", 0, 1000, "in the report: trials to replay (12)"},
        {"--json", SS_ARG_FLAG, &j.json, NULL, 0, 0, "results as JSON"},
        {"--quiet", SS_ARG_FLAG, &j.quiet, NULL, 0, 0, "no progress, no table"},
        SS_PLUGIN_ARGS,
        SS_ARG_END};
    const ss_args spec     = {"sweep", "STUDY", 1, 1, description, table};
    ss_arg_list   operands = {0};
    int           code     = 0;
    if (!ss_args_parse(&spec, argc, argv, &operands, &code)) {
        return code;
    }
    const ss_output outputs[] = {{"--out", j.out, ".h5"},
                                 {"--csv", j.csv, ".csv"},
                                 {"--report", j.report, ".html"},
                                 {"--field", j.field, ""}};
    if (!ss_cli_outputs("sweep", operands.items, operands.count, outputs, 4)) {
        ss_args_release(&spec, &operands);
        return SS_EXIT_USAGE;
    }
    j.ctx            = ss_cli_context(j.quiet);
    ss_status status = j.ctx != NULL ? execute(&j, operands.items[0]) : SS_ERR_MEMORY;
    code             = status == SS_OK ? SS_EXIT_DONE : ss_cli_exit_code(status);
    if (status != SS_OK && status != SS_ERR_INTERRUPTED) {
        code = ss_cli_fail(j.ctx, status);
    }
    ss_trials_destroy(j.trials);
    ss_study_destroy(j.study);
    ss_context_destroy(j.ctx);
    ss_args_release(&spec, &operands);
    return code;
}

const ss_command ss_command_sweep = {"sweep", "compute the trials of a study", run};
