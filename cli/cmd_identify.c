/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip identify`: which values explain recordings, and how sure. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "json.h"
#include "outputs.h"
#include "plugin_args.h"
#include "progress.h"
#include "stickslip/identify.h"
#include "study_args.h"

static const char description[] =
    "Searches for the values of a scene that explain recordings, with their intervals, what the\n"
    "data do not determine, and how well recordings that were left out are predicted. Exit code\n"
    "1: a free value is not determined by the data.";

typedef struct job {
    ss_context        *ctx;
    ss_study          *study;
    ss_identification *id;
    ss_arg_list        set;
    const char        *csv, *report;
    bool               json, quiet, excite;
    int32_t            threads;
    ss_progress        progress;
} job;

static void show_progress(void *user, const char *doing, int64_t runs)
{
    job *j = user;
    snprintf(j->progress.note, sizeof j->progress.note, "%s", doing);
    ss_progress_update(&j->progress, runs, 0, -1);
}

/* Means over the recordings. */
typedef struct means {
    double position, angle, end, share; /* share: of the distance travelled */
} means;

static means mean_scores(const ss_identification *id, int32_t model, bool unseen)
{
    means   m     = {0};
    int32_t count = ss_identification_trial_count(id);
    for (int32_t k = 0; k < count; k++) {
        ss_identified_trial t;
        ss_identification_trial(id, model, k, &t);
        double end = unseen ? t.unseen_end : t.end;
        m.position += (unseen ? t.unseen_position : t.position) / count;
        m.angle += (unseen ? t.unseen_angle : t.angle) / count;
        m.end += end / count;
        m.share += end / t.travel / count;
    }
    return m;
}

/* ---- for programs ---- */

static void json_parameter(ss_json *out, const ss_identified *a)
{
    ss_json_open_object(out, NULL);
    ss_json_text(out, "name", a->name);
    ss_json_bool(out, "nuisance", a->nuisance);
    ss_json_int(out, "recording", a->trial);
    ss_json_real(out, "value", a->value);
    ss_json_real(out, "deviation", a->deviation);
    ss_json_real(out, "low", a->low);
    ss_json_real(out, "high", a->high);
    ss_json_real(out, "bootstrap_low", a->bootstrap_low);
    ss_json_real(out, "bootstrap_high", a->bootstrap_high);
    ss_json_text(out, "determined", ss_determined_text(a->determined));
    ss_json_bool(out, "at_bound", a->at_bound);
    ss_json_real(out, "step_error", a->step_error);
    ss_json_close_object(out);
}

static void json_recordings(ss_json *out, const ss_identification *id, int32_t model)
{
    ss_json_open_array(out, "recordings");
    for (int32_t k = 0; k < ss_identification_trial_count(id); k++) {
        ss_identified_trial t;
        ss_identification_trial(id, model, k, &t);
        ss_json_open_object(out, NULL);
        ss_json_text(out, "name", t.name);
        ss_json_int(out, "samples", t.samples);
        ss_json_int(out, "fold", t.fold);
        ss_json_real(out, "position", t.position);
        ss_json_real(out, "angle", t.angle);
        ss_json_real(out, "end", t.end);
        ss_json_real(out, "travel", t.travel);
        ss_json_real(out, "unseen_position", t.unseen_position);
        ss_json_real(out, "unseen_angle", t.unseen_angle);
        ss_json_real(out, "unseen_end", t.unseen_end);
        ss_json_close_object(out);
    }
    ss_json_close_array(out);
}

static void json_correlations(ss_json *out, const ss_identification *id, int32_t model)
{
    ss_json_open_array(out, "correlations");
    for (int32_t i = 0; i < ss_identification_count(id); i++) {
        for (int32_t j = 0; j < i; j++) {
            ss_identified a, b;
            ss_identification_get(id, model, i, &a);
            ss_identification_get(id, model, j, &b);
            if (!a.nuisance && !b.nuisance) {
                ss_json_open_object(out, NULL);
                ss_json_text(out, "a", b.name);
                ss_json_text(out, "b", a.name);
                ss_json_real(out, "value", ss_identification_correlation(id, model, i, j));
                ss_json_close_object(out);
            }
        }
    }
    ss_json_close_array(out);
}

/* Method mpec: the program, and how far what it found is from a run. */
static void json_program(ss_json *out, const ss_identification_summary *s)
{
    ss_json_open_object(out, "program");
    ss_json_int(out, "variables", s->variables);
    ss_json_text(out, "outcome", ss_outcome_text(s->program));
    ss_json_int(out, "iterations", s->program_iterations);
    ss_json_real(out, "objective", s->program_objective);
    ss_json_real(out, "apart", s->program_apart);
    ss_json_close_object(out);
}

/* Methods window and particles: what was known over time. */
static void json_moments(ss_json *out, const ss_identification *id, int32_t model)
{
    ss_json_open_array(out, "unknowns");
    for (int32_t i = 0; ss_identification_moment_name(id, model, i) != NULL; i++) {
        ss_json_text(out, NULL, ss_identification_moment_name(id, model, i));
    }
    ss_json_close_array(out);
    ss_json_open_array(out, "moments");
    for (int32_t k = 0; k < ss_identification_moment_count(id, model); k++) {
        ss_identified_moment m;
        ss_identification_moment(id, model, k, &m);
        ss_json_open_object(out, NULL);
        ss_json_int(out, "recording", m.trial);
        ss_json_real(out, "t", m.t);
        ss_json_int(out, "samples", m.samples);
        ss_json_real(out, "effective", m.effective);
        ss_json_bool(out, "resampled", m.resampled);
        ss_json_reals(out, "value", m.value, (int)m.count);
        ss_json_reals(out, "deviation", m.deviation, (int)m.count);
        ss_json_reals(out, "low", m.low, (int)m.count);
        ss_json_reals(out, "high", m.high, (int)m.count);
        ss_json_open_array(out, "cloud");
        for (int32_t j = 0; j < m.kept; j++) {
            ss_json_reals(out, NULL, m.cloud + (ptrdiff_t)j * m.count, (int)m.count);
        }
        ss_json_close_array(out);
        ss_json_close_object(out);
    }
    ss_json_close_array(out);
}

static void json_model(ss_json *out, const ss_identification *id, int32_t model)
{
    ss_identification_summary s = ss_identification_summarise(id, model);
    ss_json_open_object(out, NULL);
    ss_json_text(out, "model", ss_identification_model(id, model));
    ss_json_real(out, "cost", s.cost);
    ss_json_real(out, "noise", s.noise);
    ss_json_real(out, "level", s.level);
    ss_json_int(out, "samples", s.samples);
    ss_json_int(out, "runs", s.runs);
    ss_json_int(out, "iterations", s.iterations);
    ss_json_bool(out, "converged", s.converged);
    ss_json_real(out, "memory", s.memory);
    if (s.variables > 0) {
        json_program(out, &s);
    }
    if (ss_identification_moment_count(id, model) > 0) {
        json_moments(out, id, model);
    }
    ss_json_open_array(out, "parameters");
    for (int32_t i = 0; i < ss_identification_count(id); i++) {
        ss_identified a;
        ss_identification_get(id, model, i, &a);
        json_parameter(out, &a);
    }
    ss_json_close_array(out);
    json_correlations(out, id, model);
    json_recordings(out, id, model);
    ss_json_open_array(out, "warnings");
    for (int32_t i = 0; ss_identification_warning(id, model, i) != NULL; i++) {
        ss_json_text(out, NULL, ss_identification_warning(id, model, i));
    }
    ss_json_close_array(out);
    ss_json_close_object(out);
}

static void print_json(const job *j)
{
    ss_json out = ss_json_start(stdout, false);
    ss_json_open_object(&out, NULL);
    ss_json_text(&out, "study", ss_study_name(j->study));
    ss_json_open_array(&out, "models");
    for (int32_t m = 0; m < ss_identification_model_count(j->id); m++) {
        json_model(&out, j->id, m);
    }
    ss_json_close_array(&out);
    ss_json_open_array(&out, "comparisons");
    for (int32_t m = 1; m < ss_identification_model_count(j->id); m++) {
        ss_estimate e = ss_identification_compare(j->id, m, 0);
        ss_json_open_object(&out, NULL);
        ss_json_text(&out, "a", ss_identification_model(j->id, m));
        ss_json_text(&out, "b", ss_identification_model(j->id, 0));
        ss_json_real(&out, "difference", e.mean);
        ss_json_real(&out, "low", e.low);
        ss_json_real(&out, "high", e.high);
        ss_json_close_object(&out);
    }
    ss_json_close_array(&out);
    ss_json_close_object(&out);
    ss_json_end(&out);
}

/* ---- for people ---- */

/* A step's error that is a smaller part of the interval's width is not worth a line. */
enum { TOLD_PART = 10 };

static void print_parameters(const ss_identification *id, int32_t model)
{
    int32_t                   hidden = 0;
    ss_identification_summary s      = ss_identification_summarise(id, model);
    for (int32_t i = 0; i < ss_identification_count(id); i++) {
        ss_identified a;
        ss_identification_get(id, model, i, &a);
        if (a.nuisance && a.trial >= 0) {
            hidden++;
            continue;
        }
        if (a.determined == SS_DETERMINED_NOT) {
            printf("%-10s %-36s not determined%s\n", a.nuisance ? "nuisance" : "value", a.name,
                   s.converged ? " by the recordings" : ": the search did not converge");
            continue;
        }
        printf("%-10s %-36s %.5g +- %.2g, %.0f %%: %.5g .. %.5g", a.nuisance ? "nuisance" : "value",
               a.name, a.value, a.deviation, 100 * s.level, a.low, a.high);
        if (!isnan(a.bootstrap_low)) {
            printf(" (bootstrap %.5g .. %.5g)", a.bootstrap_low, a.bootstrap_high);
        }
        printf("%s\n", a.determined != SS_DETERMINED_BOTH ? ", open at a bound" : "");
        if (TOLD_PART * a.step_error > a.high - a.low) {
            printf("           step error +- %.2g, included\n", a.step_error);
        }
    }
    if (hidden > 0) {
        printf("           and %d of single recordings (--json)\n", (int)hidden);
    }
}

static void print_angle(double angle)
{
    if (!isnan(angle)) {
        printf(", %.3g rad", angle);
    }
}

/* What did not move has no way to compare with. */
static void print_stop(const means *m)
{
    printf("; stop error %.3g mm", 1e3 * m->end);
    printf(isfinite(m->share) ? ", %.1f %% of the way\n" : "\n", 100 * m->share);
}

static void print_scores(const ss_identification *id, int32_t model)
{
    means               seen = mean_scores(id, model, false), other = mean_scores(id, model, true);
    ss_identified_trial first;
    ss_identification_trial(id, model, 0, &first);
    if (!isnan(seen.position)) {
        printf("residual   %.3g mm", 1e3 * seen.position);
        print_angle(seen.angle);
        print_stop(&seen);
    }
    if (!isnan(other.position)) {
        printf("unseen     %.3g mm", 1e3 * other.position);
        print_angle(other.angle);
        print_stop(&other);
    }
}

/* Methods window and particles: how many moments there are, and the fewest effective particles. */
static void print_moments(const ss_identification *id, int32_t model)
{
    int32_t              count = ss_identification_moment_count(id, model), drawn = 0;
    double               least = INFINITY;
    ss_identified_moment m;
    for (int32_t k = 0; k < count; k++) {
        ss_identification_moment(id, model, k, &m);
        least = fmin(least, m.effective);
        drawn += m.resampled;
    }
    if (count > 0 && isnan(m.effective)) {
        printf("windows    %d, each of up to %d samples (--csv)\n", (int)count, (int)m.samples);
    } else if (count > 0) {
        printf("particles  %d moments, drawn anew after %d, at least %.3g effective (--csv)\n",
               (int)count, (int)drawn, least);
    }
}

static void print_model(const job *j, int32_t model)
{
    ss_identification_summary s = ss_identification_summarise(j->id, model);
    if (ss_identification_model_count(j->id) > 1) {
        printf("\nmodel      %s\n", ss_identification_model(j->id, model));
    }
    print_parameters(j->id, model);
    print_scores(j->id, model);
    printf("search     %lld numbers measured, %lld runs%s\n", (long long)s.samples,
           (long long)s.runs, s.converged ? "" : ", not converged");
    print_moments(j->id, model);
    if (s.variables > 0) {
        printf("program    %d variables, %s after %d iterations, %.1g of the way from the run\n",
               (int)s.variables, ss_outcome_text(s.program), (int)s.program_iterations,
               s.program_apart);
    }
    for (int32_t i = 0; ss_identification_warning(j->id, model, i) != NULL; i++) {
        printf("careful    %s\n", ss_identification_warning(j->id, model, i));
    }
}

static void print_text(const job *j)
{
    printf("study      %s, %d recording%s\n", ss_study_name(j->study),
           (int)ss_identification_trial_count(j->id),
           ss_identification_trial_count(j->id) == 1 ? "" : "s");
    for (int32_t m = 0; m < ss_identification_model_count(j->id); m++) {
        print_model(j, m);
    }
    for (int32_t m = 1; m < ss_identification_model_count(j->id); m++) {
        ss_estimate e = ss_identification_compare(j->id, m, 0);
        if (e.count > 0) {
            printf("\ncompared   %s less %s: %.3g mm unseen, 95 %%: %.3g .. %.3g%s\n",
                   ss_identification_model(j->id, m), ss_identification_model(j->id, 0),
                   1e3 * e.mean, 1e3 * e.low, 1e3 * e.high,
                   e.low <= 0 && e.high >= 0 ? ": no difference that these recordings show" : "");
        }
    }
}

/* ---- experiments ---- */

static void excite_json(const job *j, const ss_excitation *e)
{
    ss_json out = ss_json_start(stdout, false);
    ss_json_open_object(&out, NULL);
    ss_json_text(&out, "study", ss_study_name(j->study));
    ss_json_open_array(&out, "experiments");
    for (int32_t i = 0; i < ss_excitation_count(e); i++) {
        ss_excited x;
        ss_excitation_get(e, i, &x);
        ss_json_open_object(&out, NULL);
        ss_json_text(&out, "name", x.name);
        ss_json_real(&out, "gain", x.gain);
        ss_json_int(&out, "place", x.place + 1);
        ss_json_real(&out, "sum", x.sum);
        ss_json_int(&out, "failed", x.failed);
        ss_json_open_array(&out, "values");
        for (int32_t v = 0; ss_excitation_value(e, v) != NULL; v++) {
            bool   told;
            double deviation = ss_excitation_deviation(e, i, v, &told);
            ss_json_open_object(&out, NULL);
            ss_json_text(&out, "name", ss_excitation_value(e, v));
            ss_json_real(&out, "deviation", deviation);
            ss_json_bool(&out, "told", told);
            ss_json_close_object(&out);
        }
        ss_json_close_array(&out);
        ss_json_close_object(&out);
    }
    ss_json_close_array(&out);
    ss_json_close_object(&out);
    ss_json_end(&out);
}

static void excite_text(const job *j, const ss_excitation *e)
{
    int32_t count = ss_excitation_count(e);
    printf("study      %s, %d experiment%s\n", ss_study_name(j->study), (int)count,
           count == 1 ? "" : "s");
    for (int32_t place = 0; place < count; place++) {
        for (int32_t i = 0; i < count; i++) {
            ss_excited x;
            ss_excitation_get(e, i, &x);
            if (x.place != place) {
                continue;
            }
            printf("%-10s %-30s %.1f bits alone, %.1f with those above%s\n",
                   place == 0 ? "first" : "then", x.name, x.gain, x.sum,
                   x.failed > 0 ? ", some values cannot be simulated" : "");
            for (int32_t v = 0; ss_excitation_value(e, v) != NULL; v++) {
                bool   told;
                double deviation = ss_excitation_deviation(e, i, v, &told);
                printf("           %-30s ", ss_excitation_value(e, v));
                printf(told ? "+- %.2g\n" : "not told\n", deviation);
            }
        }
    }
}

/* Exit code 1: no experiment tells anything of some value. */
static int excite(job *j, const char *path)
{
    ss_excitation  *e      = NULL;
    ss_identify_def def    = {.threads       = j->threads,
                              .interrupt     = ss_cli_catch_interrupt(),
                              .progress      = show_progress,
                              .progress_user = j};
    ss_status       status = ss_cli_load_study(j->ctx, path, &j->set, &j->study);
    bool            all    = true;
    if (status == SS_OK) {
        j->progress = ss_progress_start("runs", j->quiet || j->json);
        status      = ss_study_excite(j->ctx, j->study, &def, &e);
        ss_progress_end(&j->progress);
    }
    if (status != SS_OK) {
        return ss_cli_fail(j->ctx, status);
    }
    if (j->json) {
        excite_json(j, e);
    } else if (!j->quiet) {
        excite_text(j, e);
    }
    for (int32_t v = 0; ss_excitation_value(e, v) != NULL; v++) {
        bool any = false, told;
        for (int32_t i = 0; i < ss_excitation_count(e); i++) {
            (void)ss_excitation_deviation(e, i, v, &told);
            any = any || told;
        }
        all = all && any;
    }
    ss_excitation_destroy(e);
    return all ? SS_EXIT_DONE : SS_EXIT_NO;
}

/* ---- the command ---- */

/* Is every value determined, and every program (method mpec) solved? */
static bool all_found(const ss_identification *id)
{
    for (int32_t m = 0; m < ss_identification_model_count(id); m++) {
        ss_identification_summary s = ss_identification_summarise(id, m);
        if (s.variables > 0 && s.program != SS_SOLVED) {
            return false;
        }
        for (int32_t i = 0; i < ss_identification_count(id); i++) {
            ss_identified a;
            ss_identification_get(id, m, i, &a);
            if (!a.nuisance && a.determined == SS_DETERMINED_NOT) {
                return false;
            }
        }
    }
    return true;
}

static ss_status identify(job *j, const char *path)
{
    SS_TRY(ss_cli_load_study(j->ctx, path, &j->set, &j->study));
    SS_TRY(ss_output_test(j->ctx, j->csv));
    SS_TRY(ss_output_test(j->ctx, j->report));
    ss_identify_def def = {.threads       = j->threads,
                           .interrupt     = ss_cli_catch_interrupt(),
                           .progress      = show_progress,
                           .progress_user = j};
    j->progress         = ss_progress_start("runs", j->quiet || j->json);
    ss_status status    = ss_study_identify(j->ctx, j->study, &def, &j->id);
    ss_progress_end(&j->progress);
    if (status == SS_OK && j->csv != NULL) {
        status = ss_identification_csv(j->id, 0, j->csv);
    }
    if (status == SS_OK && j->report != NULL) {
        status = ss_identification_report(j->id, j->report);
    }
    return status;
}

static int execute(job *j, const char *path)
{
    ss_status status = identify(j, path);
    if (status != SS_OK) {
        return ss_cli_fail(j->ctx, status);
    }
    if (j->json) {
        print_json(j);
    } else if (!j->quiet) {
        print_text(j);
    }
    return all_found(j->id) ? SS_EXIT_DONE : SS_EXIT_NO;
}

static int run(int argc, char **argv)
{
    job          j       = {0};
    const ss_arg table[] = {
        {"--set", SS_ARG_LIST, &j.set, "PATH=VALUE", 0, 0, "change a value of the study file"},
        {"--csv", SS_ARG_TEXT, &j.csv, "FILE", 0, 0,
         "measured beside simulated, sample by sample; methods window and particles: estimates "
         "over time (of the first model)"},
        {"--report", SS_ARG_TEXT, &j.report, "FILE", 0, 0,
         "one HTML page: recordings beside their runs, residuals, intervals, scores"},
        {"--excite", SS_ARG_FLAG, &j.excite, NULL, 0, 0,
         "which of the experiments of `excite` would tell most; no recordings are needed"},
        {"--threads", SS_ARG_INT, &j.threads, "N", 1, 4096, "default: as many as there are"},
        {"--json", SS_ARG_FLAG, &j.json, NULL, 0, 0, "results as JSON"},
        {"--quiet", SS_ARG_FLAG, &j.quiet, NULL, 0, 0, "no progress, no table"},
        SS_PLUGIN_ARGS,
        SS_ARG_END};
    const ss_args spec     = {"identify", "STUDY", 1, 1, description, table};
    ss_arg_list   operands = {0};
    int           code     = 0;
    if (!ss_args_parse(&spec, argc, argv, &operands, &code)) {
        return code;
    }
    const ss_output outputs[] = {{"--csv", j.csv, ".csv"}, {"--report", j.report, ".html"}};
    if (!ss_cli_outputs("identify", operands.items, operands.count, outputs, 2)) {
        ss_args_release(&spec, &operands);
        return SS_EXIT_USAGE;
    }
    j.ctx = ss_cli_context(j.quiet);
    code  = j.ctx == NULL ? SS_EXIT_RESOURCES
            : j.excite    ? excite(&j, operands.items[0])
                          : execute(&j, operands.items[0]);
    ss_identification_destroy(j.id);
    ss_study_destroy(j.study);
    ss_context_destroy(j.ctx);
    ss_args_release(&spec, &operands);
    return code;
}

const ss_command ss_command_identify = {"identify", "which values explain recordings, how sure",
                                        run};
