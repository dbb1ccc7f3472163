/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip design`: the best values under uncertainty. */
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
#include "sweep_output.h"

static const char description[] =
    "Searches for the values within bounds that are best over all trials of a study, with the "
    "same\n"
    "random numbers for every candidate. Every candidate goes into a journal (CSV), from which an\n"
    "interrupted search continues (--resume). Exit code 1: no candidate keeps all constraints, or\n"
    "the program of algorithm mpec was not solved.";

typedef struct job {
    ss_context *ctx;
    ss_study   *study;
    ss_design  *design;
    ss_arg_list set;
    const char *out, *csv, *report;
    int32_t     replays;
    bool        resume, naive, json, quiet;
    int32_t     threads;
    char        journal[1024];
    ss_progress progress;
} job;

static void show_progress(void *user, const ss_candidate *last, const ss_candidate *best)
{
    job *j = user;
    snprintf(j->progress.note, sizeof j->progress.note, "best %.6g%s", best->objective,
             best->feasible ? "" : " (keeps not all constraints)");
    ss_progress_update(&j->progress, last->number + 1, 0, -1);
}

/* Seconds that all candidates on the last rung take, or would take at its mean. */
static double naive_seconds(const ss_design *d, double *spent, int32_t *lost)
{
    int32_t     last = ss_design_rung_count(d) - 1;
    ss_rung_use top  = ss_design_rung(d, last);
    *spent           = 0;
    *lost            = 0;
    for (int32_t i = 0; i <= last; i++) {
        ss_rung_use r = ss_design_rung(d, i);
        *spent += r.seconds;
        *lost += r.lost;
    }
    return top.candidates > 0 ? top.seconds / top.candidates * ss_design_rung(d, 0).candidates
                              : NAN;
}

static void print_rungs(const job *j)
{
    double  spent = 0;
    int32_t lost  = 0;
    double  naive = naive_seconds(j->design, &spent, &lost);
    if (ss_design_rung_count(j->design) < 2) {
        return;
    }
    for (int32_t i = 0; i < ss_design_rung_count(j->design); i++) {
        ss_rung_use r = ss_design_rung(j->design, i);
        printf("rung       %-16.32s %d tried, %d passed, %.3g s\n", r.name, (int)r.candidates,
               (int)r.passed, r.seconds);
    }
    if (j->naive) {
        printf("lost       %d designs would have been lost by the rungs\n", (int)lost);
    } else if (isfinite(naive) && naive > 0) {
        printf("saved      %.3g s of computing took the place of %.3g s: %.2f\n", spent, naive,
               spent / naive);
    }
}

static void json_rungs(const job *j, ss_json *out)
{
    ss_json_open_array(out, "rungs");
    for (int32_t i = 0; i < ss_design_rung_count(j->design); i++) {
        ss_rung_use r = ss_design_rung(j->design, i);
        ss_json_open_object(out, NULL);
        ss_json_text(out, "name", r.name);
        ss_json_int(out, "candidates", r.candidates);
        ss_json_int(out, "passed", r.passed);
        ss_json_int(out, "lost", r.lost);
        ss_json_real(out, "seconds", r.seconds);
        ss_json_close_object(out);
    }
    ss_json_close_array(out);
}

static void print_program(const job *j)
{
    ss_design_program p = ss_design_program_of(j->design);
    if (p.posed) {
        printf("program    %d variables, %d equations, %d pairs: %s after %d iterations\n",
               (int)p.variables, (int)p.equations, (int)p.pairs, p.solved ? "solved" : "NOT SOLVED",
               (int)p.iterations);
        printf("           objective %.6g, rows to %.1g, products to %.1g; the engine's period is "
               "within %.1g m\n",
               p.objective, p.infeasibility, p.complementarity, p.apart);
    }
}

static void json_program(const job *j, ss_json *out)
{
    ss_design_program p = ss_design_program_of(j->design);
    if (p.posed) {
        ss_json_open_object(out, "program");
        ss_json_bool(out, "solved", p.solved);
        ss_json_int(out, "variables", p.variables);
        ss_json_int(out, "equations", p.equations);
        ss_json_int(out, "pairs", p.pairs);
        ss_json_int(out, "iterations", p.iterations);
        ss_json_real(out, "objective", p.objective);
        ss_json_real(out, "infeasibility", p.infeasibility);
        ss_json_real(out, "complementarity", p.complementarity);
        ss_json_real(out, "apart", p.apart);
        ss_json_close_object(out);
    }
}

static void print_json(const job *j, const ss_candidate *best)
{
    ss_json out = ss_json_start(stdout, false);
    ss_json_open_object(&out, NULL);
    ss_json_text(&out, "study", ss_study_name(j->study));
    ss_json_int(&out, "candidates", ss_design_count(j->design));
    ss_json_bool(&out, "feasible", best->feasible);
    ss_json_real(&out, "objective", best->objective);
    ss_json_open_object(&out, "best");
    for (int32_t i = 0; i < ss_design_choice_count(j->design); i++) {
        ss_json_real(&out, ss_design_choice_name(j->design, i), best->x[i]);
    }
    ss_json_close_object(&out);
    ss_json_open_array(&out, "constraints");
    for (int32_t i = 0; i < ss_design_constraint_count(j->design); i++) {
        ss_json_open_object(&out, NULL);
        ss_json_text(&out, "constraint", ss_design_constraint_text(j->design, i));
        ss_json_real(&out, "margin", best->constraints[i]);
        ss_json_close_object(&out);
    }
    ss_json_close_array(&out);
    ss_json_int(&out, "trials", ss_study_trials(j->study));
    ss_json_int(&out, "failed", best->failed);
    json_rungs(j, &out);
    json_program(j, &out);
    ss_json_close_object(&out);
    ss_json_end(&out);
}

static void print_text(const job *j, const ss_candidate *best)
{
    printf("study      %s\n", ss_study_name(j->study));
    printf("tried      %d candidates, %lld trials each\n", (int)ss_design_count(j->design),
           (long long)ss_study_trials(j->study));
    printf("best       objective %.9g%s\n", best->objective,
           best->feasible ? "" : ", and it does not keep all constraints");
    for (int32_t i = 0; i < ss_design_choice_count(j->design); i++) {
        printf("           %-32s %.9g\n", ss_design_choice_name(j->design, i), best->x[i]);
    }
    for (int32_t i = 0; i < ss_design_constraint_count(j->design); i++) {
        printf("%s       %s (by %.3g)\n", best->constraints[i] >= 0 ? "kept" : "NOT ",
               ss_design_constraint_text(j->design, i), best->constraints[i]);
    }
    print_rungs(j);
    print_program(j);
    printf("journal    %s\n\n", j->journal);
    ss_sweep_print_measures(ss_design_trials(j->design));
}

static ss_status search(job *j, const char *path)
{
    SS_TRY(ss_cli_load_study(j->ctx, path, &j->set, &j->study));
    SS_TRY(ss_output_test(j->ctx, j->csv));
    SS_TRY(ss_output_test(j->ctx, j->report));
    if (j->out != NULL) {
        snprintf(j->journal, sizeof j->journal, "%s", j->out);
    } else {
        ss_cli_study_file(path, ".design.csv", j->journal, sizeof j->journal);
    }
    ss_design_def def = {.journal       = j->journal,
                         .resume        = j->resume,
                         .naive         = j->naive,
                         .threads       = j->threads,
                         .interrupt     = ss_cli_catch_interrupt(),
                         .progress      = show_progress,
                         .progress_user = j};
    j->progress       = ss_progress_start("candidates", j->quiet || j->json);
    ss_status status  = ss_study_design(j->ctx, j->study, &def, &j->design);
    ss_progress_end(&j->progress);
    return status;
}

static int execute(job *j, const char *path)
{
    ss_candidate best;
    ss_status    status = search(j, path);
    if (status == SS_ERR_INTERRUPTED) {
        fprintf(stderr, "stickslip design: interrupted; --resume continues\n");
        return ss_cli_exit_code(status);
    }
    if (status == SS_OK && j->csv != NULL) {
        status = ss_trials_csv(ss_design_trials(j->design), j->csv);
    }
    if (status == SS_OK && j->report != NULL) {
        ss_study_report_def def = {.replays = ss_report_has_page() ? j->replays : 0};
        status                  = ss_design_report(j->design, &def, j->report);
    }
    if (status != SS_OK) {
        return ss_cli_fail(j->ctx, status);
    }
    bool kept = ss_design_best(j->design, &best);
    if (j->json) {
        print_json(j, &best);
    } else if (!j->quiet) {
        print_text(j, &best);
    }
    ss_design_program program = ss_design_program_of(j->design);
    return kept && (!program.posed || program.solved) ? SS_EXIT_DONE : SS_EXIT_NO;
}

static int run(int argc, char **argv)
{
    job          j       = {.replays = 12};
    const ss_arg table[] = {
        {"--set", SS_ARG_LIST, &j.set, "PATH=VALUE", 0, 0, "change a value of the study file"},
        {"--out", SS_ARG_TEXT, &j.out, "FILE", 0, 0,
         "the journal of candidates (default: named after the study)"},
        {"--csv", SS_ARG_TEXT, &j.csv, "FILE", 0, 0, "the trials of the best design"},
        {"--report", SS_ARG_TEXT, &j.report, "FILE", 0, 0,
         "one HTML page: how the search went, the best designs, trials of the best"},
        {"--replays", SS_ARG_INT, &j.replays, "N", 0, 1000, "in the report: trials to replay (12)"},
        {"--resume", SS_ARG_FLAG, &j.resume, NULL, 0, 0, "go on where the journal ends"},
        {"--naive", SS_ARG_FLAG, &j.naive, NULL, 0, 0,
         "try every candidate on every rung, and say what the rungs would save and lose"},
        {"--threads", SS_ARG_INT, &j.threads, "N", 1, 4096, "default: as many as there are"},
        {"--json", SS_ARG_FLAG, &j.json, NULL, 0, 0, "results as JSON"},
        {"--quiet", SS_ARG_FLAG, &j.quiet, NULL, 0, 0, "no progress, no table"},
        SS_PLUGIN_ARGS,
        SS_ARG_END};
    const ss_args spec     = {"design", "STUDY", 1, 1, description, table};
    ss_arg_list   operands = {0};
    int           code     = 0;
    if (!ss_args_parse(&spec, argc, argv, &operands, &code)) {
        return code;
    }
    const ss_output outputs[] = {
        {"--out", j.out, ".csv"}, {"--csv", j.csv, ".csv"}, {"--report", j.report, ".html"}};
    if (!ss_cli_outputs("design", operands.items, operands.count, outputs, 3)) {
        ss_args_release(&spec, &operands);
        return SS_EXIT_USAGE;
    }
    j.ctx = ss_cli_context(j.quiet);
    code  = j.ctx != NULL ? execute(&j, operands.items[0]) : SS_EXIT_RESOURCES;
    ss_design_destroy(j.design);
    ss_study_destroy(j.study);
    ss_context_destroy(j.ctx);
    ss_args_release(&spec, &operands);
    return code;
}

const ss_command ss_command_design = {"design", "find the best values under uncertainty", run};
