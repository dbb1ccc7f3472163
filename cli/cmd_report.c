/* SPDX-License-Identifier: Apache-2.0 */
/* `stickslip report`: run files become pages, plots, pictures and videos. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "browser.h"
#include "cli.h"
#include "outputs.h"
#include "plugin_args.h"
#include "progress.h"
#include "run_plots.h"
#include "scene_args.h"
#include "scene_film.h"
#include "scene_picture.h"
#include "stickslip/output.h"
#include "stickslip/report.h"

static const char description[] =
    "Makes one self-contained HTML page of a run file: replay, contacts, plots, certificates.\n"
    "Several files of one scene are compared in one page. Without -o the page is named after the\n"
    "first file, unless only pictures are asked for. --svg, --picture and --animation need "
    "nothing\n"
    "else; --png and --video use Chromium, --video also ffmpeg.";

enum { ATTEMPTS = 3, WIDTH = 1280, HEIGHT = 720, RATE = 30, NAME_SIZE = 1024 };

typedef struct job {
    const char *out, *svg, *picture, *animation, *video;
    ss_arg_list plots, pngs;
    const char *layers, *size, *view;
    double      speed, time;
    int32_t     every;
    bool        quiet, clear;
    ss_context *ctx;
    ss_arg_list files;
    ss_report  *report;
    char        page[NAME_SIZE]; /* the page that pictures are taken of */
} job;

/* "dir/run.h5" -> "dir/run" + tail */
static void derived_name(const char *file, const char *tail, char *name)
{
    const char *dot = strrchr(file, '.'), *slash = strrchr(file, '/');
    int         length =
        dot != NULL && (slash == NULL || dot > slash) ? (int)(dot - file) : (int)strlen(file);
    snprintf(name, NAME_SIZE, "%.*s%s", length, file, tail);
}

static void say_written(const job *j, const char *path)
{
    if (!j->quiet) {
        printf("wrote %s\n", path);
    }
}

static const char *label_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void show_progress(void *user, int64_t done, int64_t total)
{
    ss_progress_update(user, done, total, -1);
}

static ss_status add_files(job *j)
{
    for (int32_t i = 0; i < j->files.count; i++) {
        SS_TRY(ss_report_add_file(j->report, j->files.items[i], label_of(j->files.items[i]),
                                  j->every));
    }
    return SS_OK;
}

static ss_status load_runs(job *j)
{
    ss_progress progress = ss_progress_start("states", j->quiet);
    SS_TRY(ss_report_create(j->ctx, &j->report));
    ss_report_on_progress(j->report, show_progress, &progress);
    ss_status status = add_files(j);
    ss_report_on_progress(j->report, NULL, NULL);
    ss_progress_end(&progress);
    return status;
}

static ss_status draw_plots(job *j)
{
    ss_run_file *file;
    SS_TRY(ss_run_file_open(j->ctx, j->files.items[0], &file));
    ss_status status = ss_run_plots_write(j->ctx, file, &j->plots, j->svg);
    ss_run_file_close(file);
    if (status == SS_OK) {
        say_written(j, j->svg);
    }
    return status;
}

static ss_status last_time(job *j, double *t)
{
    ss_run_file *file;
    SS_TRY(ss_run_file_open(j->ctx, j->files.items[0], &file));
    ss_status status = ss_run_file_read(file, "steps/t", ss_run_file_states(file) - 1, 1, t);
    ss_run_file_close(file);
    return status;
}

static ss_status draw_picture(job *j)
{
    ss_run_file *file;
    double       end;
    SS_TRY(last_time(j, &end));
    if (j->time > end * (1 + 1e-9)) {
        return ss_fail(j->ctx, SS_ERR_INPUT, "--time %g: the run goes from 0 to %g s", j->time,
                       end);
    }
    SS_TRY(ss_run_file_open(j->ctx, j->files.items[0], &file));
    ss_status status =
        ss_scene_picture_write(j->ctx, file, j->time < 0 ? end : j->time, j->picture);
    ss_run_file_close(file);
    if (status == SS_OK) {
        say_written(j, j->picture);
    }
    return status;
}

/* Layers without "forces" leave them out of the moving picture, too. */
static ss_status draw_animation(job *j)
{
    ss_run_file      *file;
    ss_scene_film_def def = {.speed  = j->speed,
                             .forces = j->layers == NULL || strstr(j->layers, "forces") != NULL};
    SS_TRY(last_time(j, &def.end));
    SS_TRY(ss_run_file_open(j->ctx, j->files.items[0], &file));
    ss_status status = ss_scene_film_write(j->ctx, file, &def, j->animation);
    ss_run_file_close(file);
    if (status == SS_OK) {
        say_written(j, j->animation);
    }
    return status;
}

static ss_status save(job *j, const char *path, const unsigned char *bytes, size_t size)
{
    ss_output_file *file;
    SS_TRY(ss_output_open(j->ctx, path, &file));
    fwrite(bytes, 1, size, ss_output_stream(file));
    return ss_output_close(file, SS_OK);
}

/* "t=0.5" or "0.5" */
static ss_status parse_time(job *j, const char *text, double *t)
{
    char       *end;
    const char *digits = strncmp(text, "t=", 2) == 0 ? text + 2 : text;
    *t                 = strtod(digits, &end);
    return end != digits && *end == '\0'
               ? SS_OK
               : ss_fail(j->ctx, SS_ERR_INPUT, "--png: expected t=SECONDS, got '%s'", text);
}

/* A picture of a time that the run does not have would show another one. */
static ss_status inside_run(job *j, double t)
{
    double end;
    SS_TRY(last_time(j, &end));
    bool inside = t >= 0 && t <= end * (1 + 1e-9);
    return inside
               ? SS_OK
               : ss_fail(j->ctx, SS_ERR_INPUT, "--png t=%g: the run goes from 0 to %g s", t, end);
}

static ss_status take_picture(job *j, ss_browser *browser, const char *wanted)
{
    char           name[NAME_SIZE], tail[64];
    double         t;
    unsigned char *png = NULL;
    size_t         size;
    SS_TRY(parse_time(j, wanted, &t));
    snprintf(tail, sizeof tail, "-t%g.png", t);
    derived_name(j->out != NULL ? j->out : j->files.items[0], tail, name);
    SS_TRY(ss_browser_seek(browser, t));
    SS_TRY(ss_browser_picture(browser, &png, &size));
    ss_status status = save(j, name, png, size);
    free(png);
    if (status == SS_OK) {
        say_written(j, name);
    }
    return status;
}

static ss_status film(job *j, ss_browser *browser, ss_encoder *encoder, double end)
{
    int64_t     frames   = (int64_t)(end / j->speed * RATE) + 1;
    ss_progress progress = ss_progress_start("frames", j->quiet);
    ss_status   status   = SS_OK;
    for (int64_t i = 0; status == SS_OK && i < frames; i++) {
        unsigned char *png = NULL;
        size_t         size;
        status = ss_browser_seek(browser, (double)i * j->speed / RATE);
        if (status == SS_OK) {
            status = ss_browser_picture(browser, &png, &size);
        }
        if (status == SS_OK) {
            status = ss_encoder_add(encoder, png, size);
        }
        free(png);
        ss_progress_update(&progress, i + 1, frames, -1);
    }
    ss_progress_end(&progress);
    return status;
}

static ss_status make_video(job *j, ss_browser *browser)
{
    ss_encoder encoder;
    double     end;
    SS_TRY(last_time(j, &end));
    SS_TRY(ss_encoder_open(&encoder, j->ctx, j->video, RATE));
    ss_status status = film(j, browser, &encoder, end);
    ss_status closed = ss_encoder_close(&encoder);
    SS_TRY(status);
    SS_TRY(closed);
    say_written(j, j->video);
    return SS_OK;
}

/* Are all the times in the run? Asked before a browser is started. */
static ss_status check_times(job *j)
{
    for (int32_t i = 0; i < j->pngs.count; i++) {
        double t;
        SS_TRY(parse_time(j, j->pngs.items[i], &t));
        SS_TRY(inside_run(j, t));
    }
    return SS_OK;
}

/* A browser that is slow to start may lose the page it was given: it is asked again. */
static ss_status open_browser(job *j, ss_browser *browser)
{
    ss_browser_look look   = {j->layers, j->view, WIDTH, HEIGHT, j->clear};
    ss_status       status = SS_ERR_IO;
    if (j->size != NULL &&
        (sscanf(j->size, "%dx%d", &look.width, &look.height) != 2 || look.width < 64 ||
         look.height < 64 || look.width > 16384 || look.height > 16384)) {
        return ss_fail(j->ctx, SS_ERR_INPUT,
                       "--size: expected WIDTHxHEIGHT of 64 to 16384 pixels, got '%s'", j->size);
    }
    for (int attempt = 0; attempt < ATTEMPTS && status != SS_OK; attempt++) {
        status = ss_browser_open(browser, j->ctx, j->page, &look);
        if (status == SS_OK && ss_browser_seek(browser, 0) != SS_OK) {
            status = SS_ERR_IO;
        }
        if (status == SS_ERR_UNSUPPORTED) {
            return status; /* no browser here: asking again brings none */
        }
        if (status != SS_OK && attempt + 1 < ATTEMPTS) {
            ss_browser_close(browser);
        }
    }
    return status;
}

static ss_status take_pictures(job *j)
{
    ss_browser browser = {0};
    ss_status  status  = open_browser(j, &browser);
    for (int32_t i = 0; status == SS_OK && i < j->pngs.count; i++) {
        status = take_picture(j, &browser, j->pngs.items[i]);
    }
    if (status == SS_OK && j->video != NULL) {
        status = make_video(j, &browser);
    }
    ss_browser_close(&browser);
    return status;
}

/* The page itself, kept when it was asked for, thrown away after the pictures otherwise. */
static ss_status make_page(job *j)
{
    bool pictures = j->pngs.count > 0 || j->video != NULL;
    bool keep     = j->out != NULL ||
                (!pictures && j->svg == NULL && j->picture == NULL && j->animation == NULL);
    if (!keep && !pictures) {
        return SS_OK;
    }
    if (j->out != NULL) {
        snprintf(j->page, sizeof j->page, "%s", j->out);
    } else {
        derived_name(j->files.items[0], keep ? ".html" : ".pictures.html", j->page);
    }
    SS_TRY(check_times(j));
    SS_TRY(load_runs(j));
    SS_TRY(ss_report_write(j->report, j->page));
    if (keep) {
        say_written(j, j->page);
    }
    ss_status status = pictures ? take_pictures(j) : SS_OK;
    if (!keep) {
        unlink(j->page);
    }
    return status;
}

static bool outputs_fit(const job *j)
{
    const ss_output outputs[] = {{"-o", j->out, ".html"},
                                 {"--svg", j->svg, ".svg"},
                                 {"--picture", j->picture, ".svg"},
                                 {"--animation", j->animation, ".svg"},
                                 {"--video", j->video, ".mp4"}};
    const int32_t   count     = (int32_t)(sizeof outputs / sizeof outputs[0]);
    return ss_cli_outputs("report", j->files.items, j->files.count, outputs, count);
}

static int write_all(job *j)
{
    if (!outputs_fit(j)) {
        return SS_EXIT_USAGE;
    }
    if (j->view != NULL && strstr(" iso front side top ", j->view) == NULL) {
        return ss_cli_usage("report", "--view is iso, front, side or top, not '%s'", j->view);
    }
    ss_status status = j->svg != NULL ? draw_plots(j) : SS_OK;
    if (status == SS_OK && j->picture != NULL) {
        status = draw_picture(j);
    }
    if (status == SS_OK && j->animation != NULL) {
        status = draw_animation(j);
    }
    if (status == SS_OK) {
        status = make_page(j);
    }
    return status == SS_OK ? SS_EXIT_DONE : ss_cli_fail(j->ctx, status);
}

static int run(int argc, char **argv)
{
    job          j       = {.speed = 1, .time = -1, .every = 1};
    const ss_arg table[] = {
        {"-o", SS_ARG_TEXT, &j.out, "FILE", 0, 0, "the page to write"},
        {"--svg", SS_ARG_TEXT, &j.svg, "FILE", 0, 0, "plots over time, without a browser"},
        {"--plot", SS_ARG_LIST, &j.plots, "NAME", 0, 0,
         "what --svg draws: energy, BODY.velocity .."},
        {"--picture", SS_ARG_TEXT, &j.picture, "FILE", 0, 0,
         "a scene in the plane as SVG: bodies, contacts, forces; without a browser"},
        {"--time", SS_ARG_REAL, &j.time, "T", 0, 1e12, "of --picture, s; default: the end"},
        {"--animation", SS_ARG_TEXT, &j.animation, "FILE", 0, 0,
         "the same as a moving SVG, which pages show as an image; without a browser"},
        {"--layers", SS_ARG_TEXT, &j.layers, "A,B", 0, 0,
         "what pictures show: points, forces, cones, normals, joints, trails"},
        {"--png", SS_ARG_LIST, &j.pngs, "t=T", 0, 0, "a picture of the replay at time T"},
        {"--size", SS_ARG_TEXT, &j.size, "WxH", 0, 0, "of pictures, in pixels; default 1280x720"},
        {"--view", SS_ARG_TEXT, &j.view, "NAME", 0, 0, "of pictures: iso, front, side or top"},
        {"--transparent", SS_ARG_FLAG, &j.clear, NULL, 0, 0, "pictures without a background"},
        {"--video", SS_ARG_TEXT, &j.video, "FILE", 0, 0, "the replay as a video"},
        {"--speed", SS_ARG_REAL, &j.speed, "S", 1e-6, 1e6, "of moving pictures: seconds a second"},
        {"--every", SS_ARG_INT, &j.every, "N", 1, 1e9, "show one state in N"},
        {"--quiet", SS_ARG_FLAG, &j.quiet, NULL, 0, 0, "say nothing but errors"},
        SS_PLUGIN_ARGS,
        SS_ARG_END};
    const ss_args spec = {"report", "RUN.h5 ..", 1, 16, description, table};
    int           code;
    if (!ss_args_parse(&spec, argc, argv, &j.files, &code)) {
        return code;
    }
    j.ctx = ss_cli_context(j.quiet);
    if (j.ctx == NULL) {
        ss_args_release(&spec, &j.files);
        return SS_EXIT_RESOURCES;
    }
    code = write_all(&j);
    ss_report_destroy(j.report);
    ss_context_destroy(j.ctx);
    ss_args_release(&spec, &j.files);
    return code;
}

const ss_command ss_command_report = {"report", "pages, plots, pictures and videos of a run", run};
