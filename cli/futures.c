/* SPDX-License-Identifier: Apache-2.0 */
#include "futures.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "json.h"
#include "progress.h"

/* Where the bodies of a future end. */
typedef struct ending {
    uint64_t       hash;
    ss_body_state *bodies;
} ending;

typedef struct job {
    ss_context            *ctx;
    const ss_futures_args *args;
    ss_future             *futures; /* (args->most) */
    ending                *endings; /* (args->most) */
    int32_t                count, left, ended, body_count, dimension;
    char (*names)[64];
    ss_report  *report;
    ss_progress progress;
} job;

/* ---- following ---- */

static ss_status keep_names(job *j, const ss_model *m)
{
    j->body_count = ss_model_body_count(m);
    j->dimension  = ss_model_dimension(m);
    j->names      = calloc((size_t)j->body_count + 1, sizeof *j->names);
    if (j->names == NULL) {
        return ss_fail(j->ctx, SS_ERR_MEMORY, "no memory for %d names", (int)j->body_count);
    }
    for (int32_t i = 0; i < j->body_count; i++) {
        snprintf(j->names[i], sizeof j->names[i], "%s", ss_model_body_name(m, i));
    }
    return SS_OK;
}

static ss_status keep_ending(void *user, const ss_future *future, const ss_variant *v)
{
    job    *j = user;
    ending *e = &j->endings[j->ended++];
    (void)future;
    if (j->names == NULL) {
        SS_TRY(keep_names(j, v->model));
    }
    e->hash   = ss_state_hash(v->model, v->data);
    e->bodies = calloc((size_t)j->body_count + 1, sizeof *e->bodies);
    if (e->bodies == NULL) {
        return ss_fail(j->ctx, SS_ERR_MEMORY, "no memory for %d bodies", (int)j->body_count);
    }
    for (int32_t i = 0; i < j->body_count; i++) {
        SS_TRY(ss_data_body(v->model, v->data, i, &e->bodies[i]));
    }
    return SS_OK;
}

static void show_progress(void *user, const ss_run_result *so_far, int64_t total)
{
    ss_progress_update(user, so_far->steps, total, so_far->residual_max);
}

static ss_status follow(job *j)
{
    const ss_futures_args *a = j->args;
    if (a->page != NULL) {
        SS_TRY(ss_report_create(j->ctx, &j->report));
    }
    ss_branch_def def = {
        .most = a->most, .depth = a->depth, .report = j->report, .ended = keep_ending, .user = j};
    ss_run_def run    = ss_run_def_default();
    run.timed         = true;
    run.interrupt     = ss_cli_catch_interrupt();
    run.progress      = show_progress;
    run.progress_user = &j->progress;
    j->progress       = ss_progress_start("steps", a->quiet);
    ss_status status =
        ss_series_branch(j->ctx, a->source, a->model, &def, &run, j->futures, &j->count, &j->left);
    ss_progress_end(&j->progress);
    SS_TRY(status);
    return a->page != NULL ? ss_report_write(j->report, a->page) : SS_OK;
}

/* ---- results ---- */

static int32_t kept_forks(const ss_future *f)
{
    return f->fork_count < SS_FUTURE_FORKS ? f->fork_count : SS_FUTURE_FORKS;
}

static void json_forks(ss_json *out, const ss_future *f)
{
    ss_json_open_array(out, "forks");
    for (int32_t i = 0; i < kept_forks(f); i++) {
        const ss_fork *k = &f->forks[i];
        ss_json_open_object(out, NULL);
        ss_json_real(out, "time", k->time);
        ss_json_int(out, "motions", k->motions);
        ss_json_int(out, "taken", k->taken);
        ss_json_int(out, "least", k->least);
        ss_json_bool(out, "given", i < f->given);
        ss_json_bool(out, "complete", k->complete);
        ss_json_text(out, "what", k->what);
        ss_json_close_object(out);
    }
    ss_json_close_array(out);
}

static void json_bodies(ss_json *out, const job *j, const ending *e)
{
    ss_json_open_object(out, "bodies");
    for (int32_t i = 0; i < j->body_count; i++) {
        const ss_body_state *s       = &e->bodies[i];
        const double         place[] = {s->position.x, s->position.y, s->position.z};
        const double         moves[] = {s->velocity.x, s->velocity.y, s->velocity.z};
        const double turned[] = {s->quat_wxyz.w, s->quat_wxyz.x, s->quat_wxyz.y, s->quat_wxyz.z};
        const double turns[]  = {s->angular_velocity.x, s->angular_velocity.y,
                                 s->angular_velocity.z};
        ss_json_open_object(out, j->names[i]);
        ss_json_reals(out, "position", place, j->dimension);
        ss_json_reals(out, "velocity", moves, j->dimension);
        if (j->dimension == 2) {
            ss_json_real(out, "angle", s->angle);
            ss_json_real(out, "angular_velocity", s->angular_velocity.z);
        } else {
            ss_json_reals(out, "quat_wxyz", turned, 4);
            ss_json_reals(out, "angular_velocity", turns, 3);
        }
        ss_json_close_object(out);
    }
    ss_json_close_object(out);
}

static void json_future(ss_json *out, const job *j, int32_t index)
{
    const ss_future *f = &j->futures[index];
    const ending    *e = &j->endings[index];
    char             hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, e->hash);
    ss_json_open_object(out, NULL);
    if (f->parent >= 0) {
        ss_json_int(out, "parent", f->parent);
    } else {
        ss_json_text(out, "parent", NULL);
    }
    ss_json_text(out, "status", f->certified ? "done" : "certificate-failed");
    ss_json_text(out, "why", f->certified ? NULL : f->why);
    ss_json_int(out, "fork_count", f->fork_count);
    json_forks(out, f);
    ss_json_int(out, "steps", f->result.steps);
    ss_json_real(out, "time", f->result.time);
    ss_json_real(out, "residual_max", f->result.residual_max);
    ss_json_real(out, "penetration_max", f->result.penetration_max);
    ss_json_real(out, "energy_initial", f->result.initial.kinetic + f->result.initial.potential);
    ss_json_real(out, "energy_final", f->result.final.kinetic + f->result.final.potential);
    ss_json_real(out, "dissipated", f->result.final.dissipated);
    ss_json_real(out, "distance", f->distance);
    ss_json_text(out, "state_hash", hash);
    json_bodies(out, j, e);
    ss_json_close_object(out);
}

static void print_json(const job *j)
{
    ss_json out = ss_json_start(stdout, false);
    ss_json_open_object(&out, NULL);
    ss_json_text(&out, "scene", j->args->scene);
    ss_json_int(&out, "left", j->left);
    ss_json_open_array(&out, "futures");
    for (int32_t i = 0; i < j->count; i++) {
        json_future(&out, j, i);
    }
    ss_json_close_array(&out);
    ss_json_close_object(&out);
    ss_json_end(&out);
}

static void print_future(const job *j, int32_t index)
{
    const ss_future *f = &j->futures[index];
    printf("\nfuture %d", (int)index + 1);
    if (f->parent >= 0) {
        printf(" leaves future %d at t = %.6g s", (int)f->parent + 1, f->forks[f->given - 1].time);
    }
    printf("\n");
    for (int32_t i = 0; i < kept_forks(f); i++) {
        const ss_fork *k = &f->forks[i];
        printf("  fork     t = %-12.6g motion %d of %d%s: %s\n", k->time, (int)k->taken + 1,
               (int)k->motions, k->taken == k->least ? ", the least" : "", k->what);
    }
    printf("  ends     t = %-12.6g worst residual %.1e, energy %.6g J -> %.6g J\n", f->result.time,
           f->result.residual_max, f->result.initial.kinetic + f->result.initial.potential,
           f->result.final.kinetic + f->result.final.potential);
    if (index > 0) {
        printf("           %.4g m from future 1%s%s\n", f->distance, f->body[0] != '\0' ? ": " : "",
               f->body);
    }
    if (!f->certified) {
        printf("           early: %s\n", f->why);
    }
}

static void print_text(const job *j)
{
    printf("scene      %s\nfutures    %d%s\n", j->args->scene, (int)j->count,
           j->count > 1 ? "" : ": nowhere do several motions obey the laws");
    if (j->left > 0) {
        printf("           %d more were not followed (--branch-most)\n", (int)j->left);
    }
    for (int32_t i = 0; i < j->count; i++) {
        print_future(j, i);
    }
    if (j->args->page != NULL) {
        printf("\nwrote %s\n", j->args->page);
    }
}

static void release(job *j)
{
    for (int32_t i = 0; j->endings != NULL && i < j->ended; i++) {
        free(j->endings[i].bodies);
    }
    free(j->endings);
    free(j->futures);
    free(j->names);
    ss_report_destroy(j->report);
}

ss_status ss_futures_run(ss_context *ctx, const ss_futures_args *args, bool *certified)
{
    job j            = {.ctx = ctx, .args = args};
    j.futures        = calloc((size_t)args->most, sizeof *j.futures);
    j.endings        = calloc((size_t)args->most, sizeof *j.endings);
    ss_status status = j.futures != NULL && j.endings != NULL
                           ? follow(&j)
                           : ss_fail(ctx, SS_ERR_MEMORY, "no memory for %d futures", args->most);
    *certified       = true;
    for (int32_t i = 0; status == SS_OK && i < j.count; i++) {
        *certified = *certified && j.futures[i].certified;
    }
    if (status == SS_OK && args->json) {
        print_json(&j);
    } else if (status == SS_OK && !args->quiet) {
        print_text(&j);
    }
    release(&j);
    return status;
}
