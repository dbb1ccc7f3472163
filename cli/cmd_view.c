/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip view`: look at a run file, at a scene while it is computed, or at a study, in the
   browser. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "args.h"
#include "cli.h"
#include "demand.h"
#include "guard.h"
#include "plugin_args.h"
#include "progress.h"
#include "scene_args.h"
#include "serve.h"
#include "study_args.h"

static const char description[] =
    "Opens a page with the replay of a run file (RUN.h5, which may still be growing) or of a "
    "scene\n"
    "that is computed meanwhile. The page is served on this machine only, until Ctrl-C.\n"
    "Of a study that was computed it is the report; a click on a cell or a point computes the "
    "replay\n"
    "of that trial.\n"
    "--watch computes the scene again whenever its file changes; the page keeps camera and time.";

typedef struct job {
    ss_scene_args scene_args;
    int32_t       port;
    const char   *trials; /* of a study */
    bool          no_open, quiet, watch;
    ss_context   *ctx;
    ss_report    *report;
    ss_server    *server;
    double        looked; /* when it was last asked what clients want, monotonic seconds */

    const volatile sig_atomic_t *interrupt;

    /* --watch: */
    const char           *path; /* of the scene's file; NULL: it is not watched */
    struct stat           seen; /* the file as it was read */
    volatile sig_atomic_t stop; /* ends the run that is going on: interrupted, or out of date */
} job;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ss_status start_server(job *j)
{
    char url[64];
    SS_TRY(ss_server_open(j->ctx, j->report, j->port, &j->server));
    snprintf(url, sizeof url, "http://%s/", ss_server_name(j->server));
    printf("%s  (Ctrl-C ends)\n", url);
    fflush(stdout);
    if (!j->no_open) {
        ss_cli_open_browser(url);
    }
    return SS_OK;
}

/* What the report holds goes to the clients when one of them wants it. A run file that cannot be
 * read just now will be the next time. */
static void publish(job *j)
{
    if (ss_server_wanted(j->server)) {
        (void)ss_server_publish(j->server);
    }
}

/* Is the scene's file another than the one that was read? */
static bool is_out_of_date(const job *j)
{
    struct stat now_there;
    return j->path != NULL && stat(j->path, &now_there) == 0 && now_there.st_size > 0 &&
           (now_there.st_mtim.tv_sec != j->seen.st_mtim.tv_sec ||
            now_there.st_mtim.tv_nsec != j->seen.st_mtim.tv_nsec ||
            now_there.st_size != j->seen.st_size || now_there.st_ino != j->seen.st_ino);
}

static void serve_until_interrupted(job *j)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    while (!*j->interrupt && !is_out_of_date(j)) {
        if (j->server != NULL) {
            publish(j);
        }
        nanosleep(&pause, NULL);
    }
}

/* After a step: let the page have what there is, thirty times a second. */
static void serve_meanwhile(void *user, const ss_run_result *so_far, int64_t total)
{
    job   *j = user;
    double t = now();
    (void)so_far;
    (void)total;
    if (t - j->looked > 1.0 / 30) {
        j->looked = t;
        publish(j);
        j->stop = *j->interrupt || is_out_of_date(j);
    }
}

static ss_status simulate(job *j, const ss_scene *scene, const ss_model *model, ss_data *data)
{
    ss_recorder  *recorder;
    ss_run_result result;
    ss_run_def    def = ss_run_def_default();
    SS_TRY(ss_report_recorder(j->report, "run", &recorder));
    def.recorders      = &recorder;
    def.recorder_count = 1;
    def.scene_name     = ss_scene_name(scene);
    def.scene_path     = ss_scene_path(scene);
    def.scene_text     = ss_scene_text(scene);
    def.resolved       = ss_scene_resolved(scene);
    def.timed          = true;
    def.interrupt      = j->path != NULL ? &j->stop : j->interrupt;
    def.progress       = serve_meanwhile;
    def.progress_user  = j;
    ss_status status   = ss_run(j->ctx, model, data, &def, &result);
    ss_recorder_destroy(recorder);
    return status;
}

/* The page, the first time; later the pages that are open are told that there is another run. */
static ss_status serve_report(job *j)
{
    if (j->server == NULL) {
        SS_TRY(start_server(j));
    }
    if (j->path != NULL) {
        ss_server_renew(j->server, j->report);
    }
    return SS_OK;
}

/* A run that stops early is still worth looking at: say why, and go on serving. */
static ss_status view_scene(job *j, const char *name)
{
    ss_scene *scene  = NULL;
    ss_model *model  = NULL;
    ss_data  *data   = NULL;
    ss_status status = ss_cli_load_scene(j->ctx, name, &j->scene_args, &scene);
    if (status == SS_OK) {
        status = ss_model_compile(j->ctx, scene, &model);
    }
    if (status == SS_OK) {
        status = ss_data_create(j->ctx, model, &data);
    }
    if (status == SS_OK) {
        status = serve_report(j);
    }
    if (status == SS_OK) {
        status = simulate(j, scene, model, data);
        if (status == SS_ERR_CERTIFICATE) {
            ss_cli_fail(j->ctx, status);
        }
        if (status == SS_OK || status == SS_ERR_CERTIFICATE) {
            serve_until_interrupted(j);
            status = SS_OK;
        }
    }
    ss_data_destroy(data);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    return status == SS_ERR_INTERRUPTED ? SS_OK : status;
}

/* Again and again, until it is interrupted. A scene with a mistake is waited for. */
static ss_status watch_scene(job *j, const char *name)
{
    ss_status status = SS_OK;
    j->path          = name;
    while (!*j->interrupt) {
        if (stat(name, &j->seen) != 0) {
            return ss_fail(j->ctx, SS_ERR_INPUT, "--watch: there is no file '%s'", name);
        }
        j->stop          = 0;
        ss_report *shown = j->report;
        status           = ss_report_create(j->ctx, &j->report);
        if (status == SS_OK) {
            status = view_scene(j, name);
        }
        if (status == SS_ERR_INPUT) {
            ss_cli_fail(j->ctx, status);
            ss_report_destroy(j->report);
            j->report = shown; /* pages go on showing the last one that could be run */
            serve_until_interrupted(j);
            status = SS_OK;
        } else {
            ss_report_destroy(shown);
        }
        SS_TRY(status);
    }
    return SS_OK;
}

static ss_status view_file(job *j, const char *path)
{
    SS_TRY(ss_report_add_file(j->report, path, path, 1));
    SS_TRY(start_server(j));
    serve_until_interrupted(j);
    return SS_OK;
}

/* ---- studies ---- */

typedef struct shown_study {
    ss_context *ctx;
    ss_study   *study;
    ss_trials  *trials;
    double     *room; /* for inputs and measures */
} shown_study;

static ss_status record_trial(shown_study *s, int64_t trial, ss_report *report)
{
    char         label[48];
    ss_recorder *recorder = NULL;
    ss_trial     out = {.inputs = s->room, .measures = s->room + ss_study_input_count(s->study)};
    snprintf(label, sizeof label, "trial %lld", (long long)trial);
    ss_status status = ss_report_recorder(report, label, &recorder);
    if (status == SS_OK) {
        status = ss_study_replay(s->ctx, s->study, trial, &recorder, 1, NULL, &out);
    }
    if (status == SS_OK && out.steps == 0) {
        status = ss_fail(s->ctx, SS_ERR_INPUT, "trial %lld has nothing to show: %s",
                         (long long)trial, out.message);
    }
    ss_recorder_destroy(recorder);
    return status;
}

static ss_status write_trial(void *user, int64_t trial, const char *path)
{
    shown_study *s      = user;
    ss_report   *report = NULL;
    ss_status    status = ss_report_create(s->ctx, &report);
    if (status == SS_OK) {
        status = record_trial(s, trial, report);
    }
    if (status == SS_OK) {
        status = ss_report_write(report, path);
    }
    ss_report_destroy(report);
    return status;
}

static ss_status read_study(job *j, const char *name, shown_study *s)
{
    char        file[1024];
    struct stat there;
    if (j->trials != NULL) {
        snprintf(file, sizeof file, "%s", j->trials);
    } else {
        ss_cli_study_file(name, ".h5", file, sizeof file);
    }
    SS_TRY(ss_cli_load_study(j->ctx, name, &j->scene_args.set, &s->study));
    if (stat(file, &there) != 0) {
        return ss_fail(j->ctx, SS_ERR_INPUT,
                       "%s: the trials of the study are not there; 'stickslip sweep %s' computes "
                       "them, --trials names another file",
                       file, name);
    }
    SS_TRY(ss_trials_create(j->ctx, s->study, &s->trials));
    SS_TRY(ss_trials_read(s->trials, file));
    size_t numbers =
        (size_t)ss_study_input_count(s->study) + (size_t)ss_study_measure_count(s->study);
    s->room = calloc(numbers + 1, sizeof *s->room);
    return s->room != NULL ? SS_OK : ss_fail(j->ctx, SS_ERR_MEMORY, "out of memory");
}

static ss_status write_study_page(const shown_study *s, char *path, size_t size)
{
    ss_study_report_def def = {.served = true};
    SS_TRY(ss_cli_temporary(s->ctx, path, size));
    ss_status status = ss_trials_report(s->trials, &def, path);
    if (status != SS_OK) {
        (void)remove(path);
    }
    return status;
}

/* The report of a study; the replay of any trial is computed when it is asked for. */
static ss_status view_study(job *j, const char *name)
{
    char        page[512];
    shown_study s      = {.ctx = j->ctx};
    ss_status   status = read_study(j, name, &s);
    if (status == SS_OK) {
        status = write_study_page(&s, page, sizeof page);
    }
    if (status == SS_OK) {
        ss_demand demand = {.page    = page,
                            .folder  = "trial",
                            .count   = ss_study_trials(s.study),
                            .make    = write_trial,
                            .user    = &s,
                            .port    = j->port,
                            .no_open = j->no_open};
        status           = ss_cli_serve_on_demand(j->ctx, &demand);
    }
    free(s.room);
    ss_trials_destroy(s.trials);
    ss_study_destroy(s.study);
    return status;
}

/* By what is in it, so that a run that is going on (RUN.h5.XXXXXX.part) is one too; by its ending
 * when it is not there, so that the message is about run files. */
static bool is_run_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    return ss_cli_is_hdf5(name) ||
           (dot != NULL && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0));
}

static int run(int argc, char **argv)
{
    job          j       = {.scene_args = ss_scene_args_default()};
    const ss_arg table[] = {
        SS_SCENE_ARGS(&j.scene_args),
        {"--port", SS_ARG_INT, &j.port, "N", 0, 65535, "of the address 127.0.0.1; 0: any free one"},
        {"--trials", SS_ARG_TEXT, &j.trials, "FILE", 0, 0,
         "of a study: its HDF5 file (default: named after the study)"},
        {"--watch", SS_ARG_FLAG, &j.watch, NULL, 0, 0, "run the scene again when its file changes"},
        {"--no-open", SS_ARG_FLAG, &j.no_open, NULL, 0, 0, "print the address, open no browser"},
        SS_PLUGIN_ARGS,
        SS_ARG_END};
    const ss_args spec = {"view", "RUN.h5|SCENE|STUDY", 1, 1, description, table};
    ss_arg_list   operands;
    int           code;
    if (!ss_args_parse(&spec, argc, argv, &operands, &code)) {
        return code;
    }
    j.ctx            = ss_cli_context(j.quiet);
    j.interrupt      = ss_cli_catch_interrupt();
    ss_status status = j.ctx != NULL ? ss_report_create(j.ctx, &j.report) : SS_ERR_MEMORY;
    if (status == SS_OK) {
        const char *name = operands.items[0];
        status           = j.watch                 ? watch_scene(&j, name)
                           : is_run_file(name)     ? view_file(&j, name)
                           : ss_cli_is_study(name) ? view_study(&j, name)
                                                   : view_scene(&j, name);
    }
    code = status == SS_OK ? SS_EXIT_DONE : ss_cli_fail(j.ctx, status);
    ss_server_close(j.server);
    ss_report_destroy(j.report);
    ss_context_destroy(j.ctx);
    ss_args_release(&spec, &operands);
    return code;
}

const ss_command ss_command_view = {
    "view", "replay a run, a scene as it is computed, trials of a study", run};
