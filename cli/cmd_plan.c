/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip plan`: sequences of actions that reach a goal without looking. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "json.h"
#include "outputs.h"
#include "plugin_args.h"
#include "progress.h"
#include "stickslip/report.h"
#include "study_args.h"

static const char description[] =
    "Searches for a sequence of actions that brings a scene to a goal without looking, in the run\n"
    "without uncertainty and in every trial of what is uncertain; the shortest first. The plan is\n"
    "written as CSV; --follow judges a plan that is there. Exit code 1: it misses the goal.";

typedef struct job {
    ss_context *ctx;
    ss_study   *study;
    ss_plan    *plan;
    ss_arg_list set;
    const char *path, *out, *follow, *report, *csv, *hdf5, *journal;
    bool        resume, json, quiet;
    int32_t     threads, run, replays; /* run -1: none was named */
    char        file[1024];
    ss_progress progress;
} job;

static void show_progress(void *user, int32_t length, int64_t simulated, double worst)
{
    job *j = user;
    if (isfinite(worst)) {
        snprintf(j->progress.note, sizeof j->progress.note, "%d long, error %.3g of the goal",
                 (int)length, worst);
    } else {
        snprintf(j->progress.note, sizeof j->progress.note, "%d long", (int)length);
    }
    ss_progress_update(&j->progress, simulated, 0, -1);
}

/* Runs that reach the goal. */
static int32_t count_good(const ss_plan *p)
{
    int32_t good = 0;
    for (int32_t i = 0; i < ss_plan_run_count(p); i++) {
        bool all = true;
        for (int32_t g = 0; g < ss_plan_goal_count(p); g++) {
            all = all && fabs(ss_plan_error(p, i, g)) <= 1;
        }
        good += all;
    }
    return good;
}

static double worst_error(const ss_plan *p, int32_t goal)
{
    double worst = 0;
    for (int32_t i = 0; i < ss_plan_run_count(p); i++) {
        double e = fabs(ss_plan_error(p, i, goal));
        worst    = isnan(e) ? INFINITY : fmax(worst, e);
    }
    return worst;
}

static void print_json(const job *j)
{
    const ss_plan *p   = j->plan;
    ss_json        out = ss_json_start(stdout, false);
    ss_estimate    e   = ss_plan_check(p);
    ss_json_open_object(&out, NULL);
    ss_json_text(&out, "study", ss_study_name(j->study));
    ss_json_bool(&out, "found", ss_plan_found(p));
    ss_json_int(&out, "length", ss_plan_length(p));
    ss_json_int(&out, "simulated", ss_plan_simulated(p));
    ss_json_int(&out, "runs", ss_plan_run_count(p));
    ss_json_int(&out, "reached", count_good(p));
    ss_json_open_object(&out, "worst");
    for (int32_t g = 0; g < ss_plan_goal_count(p); g++) {
        ss_json_real(&out, ss_plan_goal_name(p, g), worst_error(p, g));
    }
    ss_json_close_object(&out);
    if (e.count > 0) {
        ss_json_open_object(&out, "check");
        ss_json_int(&out, "trials", e.count);
        ss_json_real(&out, "mean", e.mean);
        ss_json_real(&out, "low", e.low);
        ss_json_real(&out, "high", e.high);
        ss_json_close_object(&out);
    }
    ss_json_open_array(&out, "plan");
    for (int32_t k = 0; k < ss_plan_length(p); k++) {
        ss_json_open_object(&out, NULL);
        ss_json_text(&out, "action", ss_plan_action(p, k));
        for (int32_t i = 0; i < ss_plan_number_count(p, k); i++) {
            ss_json_real(&out, ss_plan_number_name(p, k, i), ss_plan_number(p, k, i));
        }
        ss_json_close_object(&out);
    }
    ss_json_close_array(&out);
    ss_json_close_object(&out);
    ss_json_end(&out);
}

static void print_text(const job *j)
{
    const ss_plan *p = j->plan;
    ss_estimate    e = ss_plan_check(p);
    printf("study      %s\n", ss_study_name(j->study));
    printf("plan       %d action%s, found with %lld simulated\n", (int)ss_plan_length(p),
           ss_plan_length(p) == 1 ? "" : "s", (long long)ss_plan_simulated(p));
    printf("reached    in %d of %d runs\n", (int)count_good(p), (int)ss_plan_run_count(p));
    for (int32_t g = 0; g < ss_plan_goal_count(p); g++) {
        printf("           %-16s at worst %.3g of what the goal allows\n", ss_plan_goal_name(p, g),
               worst_error(p, g));
    }
    if (e.count > 0) {
        printf("check      reached in %.0f of %lld fresh trials (95 %%: %.4g .. %.4g of them)\n",
               e.mean * (double)e.count, (long long)e.count, e.low, e.high);
    }
    for (int32_t k = 0; k < ss_plan_length(p); k++) {
        printf("%-2d %s", (int)k + 1, ss_plan_action(p, k));
        for (int32_t i = 0; i < ss_plan_number_count(p, k); i++) {
            printf("  %s %.4g", ss_plan_number_name(p, k, i), ss_plan_number(p, k, i));
        }
        printf("\n");
    }
    if (j->file[0] != '\0') {
        printf("file       %s\n", j->file);
    }
}

static ss_status find_plan(job *j)
{
    ss_plan_def def = {.threads       = j->threads,
                       .journal       = j->journal,
                       .resume        = j->resume,
                       .interrupt     = ss_cli_catch_interrupt(),
                       .progress      = show_progress,
                       .progress_user = j};
    if (j->follow != NULL) {
        return ss_study_plan_read(j->ctx, j->study, j->follow, &def, &j->plan);
    }
    j->progress      = ss_progress_start("actions", j->quiet || j->json);
    ss_status status = ss_study_plan(j->ctx, j->study, &def, &j->plan);
    ss_progress_end(&j->progress);
    return status == SS_OK ? ss_plan_write(j->plan, j->file) : status;
}

static ss_status replay(job *j)
{
    const struct {
        const char *cls, *path;
    } wanted[] = {{"report", j->run >= 0 ? j->report : NULL}, {"csv", j->csv}, {"hdf5", j->hdf5}};
    ss_recorder *recorders[3];
    int32_t      count  = 0;
    ss_status    status = SS_OK;
    for (size_t i = 0; status == SS_OK && i < sizeof wanted / sizeof wanted[0]; i++) {
        if (wanted[i].path != NULL) {
            status = ss_recorder_create(j->ctx, wanted[i].cls, wanted[i].path, &recorders[count]);
            count += status == SS_OK;
        }
    }
    if (status == SS_OK && count > 0) {
        status = ss_plan_replay(j->ctx, j->plan, j->run > 0 ? j->run : 0, recorders, count,
                                ss_cli_catch_interrupt());
    }
    for (int32_t i = 0; i < count; i++) {
        ss_recorder_destroy(recorders[i]);
    }
    return status;
}

/* A page without replays where this build cannot make them. */
static ss_status write_report(const job *j)
{
    char                command[2600];
    ss_study_report_def def = {.replays = ss_report_has_page() ? j->replays : 0,
                               .command = command};
    snprintf(command, sizeof command,
             "stickslip plan %.1000s --follow %.1000s --run %%K --report run-%%K.html", j->path,
             j->follow != NULL ? j->follow : j->file);
    return ss_plan_report(j->plan, &def, j->report);
}

static ss_status make(job *j, const char *path)
{
    j->path = path;
    SS_TRY(ss_cli_load_study(j->ctx, path, &j->set, &j->study));
    SS_TRY(ss_output_test(j->ctx, j->out));
    SS_TRY(ss_output_test(j->ctx, j->csv));
    SS_TRY(ss_output_test(j->ctx, j->hdf5));
    SS_TRY(ss_output_test(j->ctx, j->report));
    if (j->out != NULL) {
        snprintf(j->file, sizeof j->file, "%s", j->out);
    } else if (j->follow == NULL) {
        ss_cli_study_file(path, ".plan.csv", j->file, sizeof j->file);
    }
    SS_TRY(find_plan(j));
    if (j->report != NULL && j->run < 0) {
        SS_TRY(write_report(j));
    }
    return replay(j);
}

static int execute(job *j, const char *path)
{
    ss_status status = make(j, path);
    if (status == SS_ERR_INTERRUPTED) {
        fprintf(stderr, "stickslip plan: interrupted\n");
        return ss_cli_exit_code(status);
    }
    if (status != SS_OK) {
        return ss_cli_fail(j->ctx, status);
    }
    if (j->json) {
        print_json(j);
    } else if (!j->quiet) {
        print_text(j);
    }
    return ss_plan_found(j->plan) ? SS_EXIT_DONE : SS_EXIT_NO;
}

static int run(int argc, char **argv)
{
    job          j       = {.run = -1, .replays = 12};
    const ss_arg table[] = {
        {"--set", SS_ARG_LIST, &j.set, "PATH=VALUE", 0, 0, "change a value of the study file"},
        {"--out", SS_ARG_TEXT, &j.out, "FILE", 0, 0, "the plan (default: STUDY.plan.csv)"},
        {"--journal", SS_ARG_TEXT, &j.journal, "FILE", 0, 0,
         "keep what is simulated, so that the search can go on after an end"},
        {"--resume", SS_ARG_FLAG, &j.resume, NULL, 0, 0, "go on where the journal ends"},
        {"--follow", SS_ARG_TEXT, &j.follow, "FILE", 0, 0, "judge this plan; no search"},
        {"--run", SS_ARG_INT, &j.run, "K", 0, 1000000,
         "what is recorded: trial K, from 1 (0, the default: the run without uncertainty)"},
        {"--report", SS_ARG_TEXT, &j.report, "FILE", 0, 0,
         "a page with the actions, the errors of all runs and replays; with --run: the replay"},
        {"--replays", SS_ARG_INT, &j.replays, "N", 0, 100000, "in the report: runs to replay (12)"},
        {"--csv", SS_ARG_TEXT, &j.csv, "FILE", 0, 0, "the replay, one row a step"},
        {"--hdf5", SS_ARG_TEXT, &j.hdf5, "FILE", 0, 0, "the replay as a run file"},
        {"--threads", SS_ARG_INT, &j.threads, "N", 1, 4096, "default: as many as there are"},
        {"--json", SS_ARG_FLAG, &j.json, NULL, 0, 0, "results as JSON"},
        {"--quiet", SS_ARG_FLAG, &j.quiet, NULL, 0, 0, "no progress, no table"},
        SS_PLUGIN_ARGS,
        SS_ARG_END};
    const ss_args spec     = {"plan", "STUDY", 1, 1, description, table};
    ss_arg_list   operands = {0};
    int           code     = 0;
    if (!ss_args_parse(&spec, argc, argv, &operands, &code)) {
        return code;
    }
    if (j.resume && j.journal == NULL) {
        ss_args_release(&spec, &operands);
        return ss_cli_usage("plan", "--resume needs --journal FILE");
    }
    const ss_output outputs[] = {{"--out", j.out, ".csv"},
                                 {"--report", j.report, ".html"},
                                 {"--csv", j.csv, ".csv"},
                                 {"--hdf5", j.hdf5, ".h5"},
                                 {"--journal", j.journal, ""}};
    const char     *inputs[]  = {operands.items[0], j.follow};
    if (!ss_cli_outputs("plan", inputs, 2, outputs, 5)) {
        ss_args_release(&spec, &operands);
        return SS_EXIT_USAGE;
    }
    j.ctx = ss_cli_context(j.quiet);
    code  = j.ctx != NULL ? execute(&j, operands.items[0]) : SS_EXIT_RESOURCES;
    ss_plan_destroy(j.plan);
    ss_study_destroy(j.study);
    ss_context_destroy(j.ctx);
    ss_args_release(&spec, &operands);
    return code;
}

const ss_command ss_command_plan = {"plan", "find actions that reach a goal without looking", run};
