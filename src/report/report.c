/* SPDX-License-Identifier: Apache-2.0 */
/* A report and the runs in it: taking rows, keeping chunks, summing up. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "report/report_run.h"
#include "runfile/measured.h"
#include "runfile/run_describe.h"
#include "stickslip/output.h"

/* A chunk is decoded as a whole when a reader looks at one of its states. */
enum { CHUNK_BYTES = 4 << 20, CHUNK_LEAST = 4, CHUNK_MOST = 4096 };
/* Above this many bytes of bodies' states a report keeps seven digits instead of sixteen. */
static const double compact_above = 24e6;

ss_status ss_report_create(ss_context *ctx, ss_report **out)
{
    ss_report *r = ss_alloc(ctx, 1, sizeof *r);
    if (r == NULL) {
        return ss_fail(ctx, SS_ERR_MEMORY, "no memory for a report");
    }
    r->ctx = ctx;
    ss_buffer_start(&r->header, ctx);
    ss_buffer_start(&r->attached, ctx);
    *out = r;
    return SS_OK;
}

static void free_text(ss_context *ctx, char *text)
{
    ss_free(ctx, text, text != NULL ? strlen(text) + 1 : 0);
}

void ss_report_free_run(ss_report *r, ss_report_run *run)
{
    ss_identity_set *set = &run->identities;
    free_text(r->ctx, run->label);
    free_text(r->ctx, run->description);
    free_text(r->ctx, run->path);
    ss_free(r->ctx, run->fixed, (size_t)run->pending.size.bodies * sizeof *run->fixed);
    ss_run_rows_release(&run->pending);
    ss_buffer_release(&run->facts);
    ss_buffer_release(&run->measured);
    ss_free(r->ctx, run->chunks, (size_t)run->chunk_capacity * sizeof *run->chunks);
    ss_free(r->ctx, set->items, (size_t)set->capacity * 4 * sizeof *set->items);
    ss_free(r->ctx, set->slots, (size_t)set->slot_count * sizeof *set->slots);
    ss_free(r->ctx, run, sizeof *run);
}

void ss_report_destroy(ss_report *r)
{
    if (r == NULL) {
        return;
    }
    for (int32_t i = 0; i < r->run_count; i++) {
        ss_report_free_run(r, r->runs[i]);
    }
    for (int32_t i = 0; i < r->blob_count; i++) {
        ss_free(r->ctx, r->blobs[i].bytes, r->blobs[i].room);
    }
    ss_buffer_release(&r->header);
    ss_buffer_release(&r->attached);
    /* An array of pointers: NOLINTNEXTLINE(bugprone-sizeof-expression) */
    ss_free(r->ctx, r->runs, (size_t)r->run_capacity * sizeof *r->runs);
    ss_free(r->ctx, r->blobs, (size_t)r->blob_capacity * sizeof *r->blobs);
    ss_free(r->ctx, r, sizeof *r);
}

char *ss_report_copy_text(ss_context *ctx, const char *text)
{
    size_t size = strlen(text) + 1;
    char  *copy = ss_alloc(ctx, size, 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

static void choose_sizes(ss_report_run *run, const ss_run_size *size, int64_t states)
{
    double row        = 13.0 * 8.0 * (size->bodies + 1);
    double fit        = CHUNK_BYTES / row;
    run->compact      = row * (double)states > compact_above;
    run->chunk_states = fit < CHUNK_LEAST  ? CHUNK_LEAST
                        : fit > CHUNK_MOST ? CHUNK_MOST
                                           : (int32_t)fit;
}

ss_status ss_report_begin(ss_report *r, const char *label, const char *description,
                          const ss_run_size *size, int64_t states, ss_report_run **out)
{
    ss_report_run *run = ss_alloc(r->ctx, 1, sizeof *run);
    int            ok  = run != NULL;
    r->runs            = ss_array_reserve(r->ctx, r->runs, r->run_count, &r->run_capacity,
                                          sizeof(ss_report_run *), &ok);
    if (!ok) {
        ss_free(r->ctx, run, run != NULL ? sizeof *run : 0);
        return ss_fail(r->ctx, SS_ERR_MEMORY, "no memory for a report");
    }
    ss_run_rows_start(&run->pending, r->ctx, size);
    ss_buffer_start(&run->facts, r->ctx);
    ss_buffer_start(&run->measured, r->ctx);
    choose_sizes(run, size, states);
    run->every       = 1;
    run->low         = ss_v3(DBL_MAX, DBL_MAX, DBL_MAX);
    run->high        = ss_v3(-DBL_MAX, -DBL_MAX, -DBL_MAX);
    run->label       = ss_report_copy_text(r->ctx, label);
    run->description = ss_report_copy_text(r->ctx, description);
    run->fixed       = ss_alloc(r->ctx, (size_t)size->bodies, sizeof *run->fixed);
    if (run->label == NULL || run->description == NULL || run->fixed == NULL) {
        ss_report_free_run(r, run);
        return ss_fail(r->ctx, SS_ERR_MEMORY, "no memory for a report");
    }
    r->runs[r->run_count++] = run;
    *out                    = run;
    return SS_OK;
}

int32_t ss_report_run_count(const ss_report *r)
{
    return r != NULL ? r->run_count : 0;
}

ss_status ss_report_measured(ss_report *r, int32_t run, const ss_measured *s)
{
    if (run < 0 || run >= r->run_count) {
        return ss_fail(r->ctx, SS_ERR_ARGUMENT, "the report has no run %d", (int)run);
    }
    ss_buffer *out = &r->runs[run]->measured;
    out->size      = 0;
    ss_measured_json(s, out);
    return ss_buffer_status(out);
}

ss_status ss_report_attach(ss_report *r, const char *key, const char *json)
{
    ss_buffer_text(&r->attached, ",");
    ss_buffer_quote(&r->attached, key);
    ss_buffer_text(&r->attached, ":");
    ss_buffer_text(&r->attached, json);
    return ss_buffer_status(&r->attached);
}

static void sum_up_contacts(ss_report_run *run, int32_t from, int32_t count, double h)
{
    const double *impulse = ss_run_reals(&run->pending, SS_RUN_IMPULSE);
    for (int32_t i = from; i < from + count; i++) {
        run->force_max = fmax(run->force_max, h > 0 ? impulse[6 * (size_t)i] / h : 0);
    }
}

/* Figures over the states that are about to leave `pending`. */
static void sum_up(ss_report_run *run, int32_t states)
{
    const ss_run_rows *p    = &run->pending;
    int32_t            from = 0;
    for (int32_t k = 0; k < states; k++) {
        int32_t contacts  = ss_run_ints(p, SS_RUN_CONTACTS)[k];
        run->contacts_max = contacts > run->contacts_max ? contacts : run->contacts_max;
        run->residual_max = fmax(run->residual_max, ss_run_reals(p, SS_RUN_RESIDUAL)[k]);
        run->motion_error_max =
            fmax(run->motion_error_max, ss_run_reals(p, SS_RUN_MOTION_ERROR)[k]);
        run->islands_by_motion += ss_run_ints(p, SS_RUN_BY_MOTION)[k];
        run->penetration_max = fmax(run->penetration_max, ss_run_reals(p, SS_RUN_PENETRATION)[k]);
        sum_up_contacts(run, from, contacts, ss_run_reals(p, SS_RUN_H)[k]);
        from += contacts;
    }
}

static void include(ss_report_run *run, ss_vec3 p)
{
    ss_vec3 *low = &run->low, *high = &run->high;
    *low  = ss_v3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
    *high = ss_v3(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
}

static void widen(ss_report_run *run, int32_t states)
{
    const ss_run_rows *p = &run->pending;
    int32_t            d = p->size.dimension, nb = p->size.bodies;
    const double      *x = ss_run_reals(p, SS_RUN_POSITION);
    for (int32_t k = 0; k < states; k++) {
        for (int32_t b = 0; b < nb; b++, x += d) {
            if (!run->fixed[b]) {
                include(run, ss_v3(x[0], x[1], d == 3 ? x[2] : 0));
            }
        }
    }
}

static ss_status encode_chunk(ss_report *r, ss_report_run *run, int32_t states,
                              ss_report_chunk *chunk)
{
    *chunk = (ss_report_chunk){.first    = run->pending.first_step,
                               .count    = states,
                               .contacts = ss_run_rows_contacts_of(&run->pending, states)};
    for (int table = 0; table < SS_TABLE_COUNT; table++) {
        int32_t rows = table == SS_TABLE_CONTACTS ? chunk->contacts : states;
        SS_TRY(ss_report_deflate(r, run, (ss_run_table)table, 0, rows, &chunk->blob[table]));
    }
    return SS_OK;
}

ss_status ss_report_encode(ss_report *r, ss_report_run *run, bool all)
{
    ss_run_rows *p = &run->pending;
    while (p->steps >= run->chunk_states || (all && p->steps > 0)) {
        int32_t states = p->steps < run->chunk_states ? p->steps : run->chunk_states;
        int     ok     = 1;
        run->chunks = ss_array_reserve(r->ctx, run->chunks, run->chunk_count, &run->chunk_capacity,
                                       sizeof *run->chunks, &ok);
        if (!ok) {
            return ss_fail(r->ctx, SS_ERR_MEMORY, "no memory for a report");
        }
        SS_TRY(encode_chunk(r, run, states, &run->chunks[run->chunk_count]));
        run->chunk_count++;
        run->has_tail = false;
        sum_up(run, states);
        widen(run, states);
        ss_run_rows_drop(p, states);
    }
    run->states = p->first_step + p->steps;
    return SS_OK;
}

/* Readers may still ask for the blocks of the last header, not for those before it. */
static void forget_tail(ss_report *r, const ss_report_chunk *tail)
{
    for (int table = 0; table < SS_TABLE_COUNT; table++) {
        ss_blob *blob = &r->blobs[tail->blob[table]];
        ss_free(r->ctx, blob->bytes, blob->room);
        *blob = (ss_blob){0};
    }
}

ss_status ss_report_encode_tail(ss_report *r, ss_report_run *run)
{
    ss_run_rows *p = &run->pending;
    if (p->steps == 0 ||
        (run->has_tail && run->tail.first == p->first_step && run->tail.count == p->steps)) {
        return SS_OK;
    }
    ss_report_chunk old = run->tail;
    bool            had = run->has_tail;
    SS_TRY(encode_chunk(r, run, p->steps, &run->tail));
    run->has_tail = true;
    if (had) {
        forget_tail(r, &old);
    }
    sum_up(run, p->steps);
    widen(run, p->steps);
    return SS_OK;
}

/* The recorder. */

typedef struct recorder_state {
    ss_report     *report;
    bool           owned; /* made by open, written to the path by close */
    ss_report_run *run;
    char          *label;
} recorder_state;

static ss_status record_open(ss_recorder *rec, const ss_run_info *info)
{
    recorder_state *s   = ss_recorder_state(rec);
    ss_context     *ctx = ss_recorder_context(rec);
    if (s->report == NULL) {
        SS_TRY(ss_output_test(ctx, ss_recorder_path(rec)));
        SS_TRY(ss_report_create(ctx, &s->report));
        s->owned = true;
    }
    ss_buffer description;
    ss_buffer_start(&description, ctx);
    ss_run_describe(&description, ctx, info);
    ss_run_size size   = ss_run_size_of(info->model, info->ranges);
    ss_status   status = ss_buffer_status(&description);
    if (status == SS_OK) {
        status = ss_report_begin(s->report, s->label != NULL ? s->label : "run", description.bytes,
                                 &size, info->steps + 1, &s->run);
    }
    if (status == SS_OK) {
        s->run->pending.step = info->step;
    }
    for (int32_t b = 0; status == SS_OK && b < size.bodies; b++) {
        s->run->fixed[b] = ss_model_body_type(info->model, b) == SS_BODY_STATIC;
    }
    ss_buffer_release(&description);
    return status;
}

static ss_status record_append(ss_recorder *rec, const ss_model *m, const ss_data *d)
{
    recorder_state *s = ss_recorder_state(rec);
    SS_TRY(ss_run_rows_collect(&s->run->pending, m, d));
    return ss_report_encode(s->report, s->run, false);
}

static void put_fact(ss_buffer *out, const char *name, double value)
{
    ss_buffer_format(out, ",\"%s\":", name);
    ss_buffer_number(out, value);
}

static void put_facts(ss_buffer *out, const ss_run_result *result)
{
    put_fact(out, "wall_seconds", result->wall_seconds);
    put_fact(out, "iterations", (double)result->iterations);
    put_fact(out, "splits", (double)result->splits);
    put_fact(out, "marked", (double)result->marked);
    put_fact(out, "energy_initial", result->initial.kinetic + result->initial.potential);
    put_fact(out, "energy_final", result->final.kinetic + result->final.potential);
    put_fact(out, "dissipated", result->final.dissipated);
    put_fact(out, "applied", result->final.applied);
    put_fact(out, "driven", result->final.driven);
    put_fact(out, "restitution", result->final.restitution);
    put_fact(out, "corrections", result->final.corrections);
    put_fact(out, "integration", result->final.integration);
    put_fact(out, "joint_error_max", result->joint_error_max);
}

static void release_state(ss_recorder *rec)
{
    recorder_state *s = ss_recorder_state(rec);
    free_text(ss_recorder_context(rec), s->label);
    if (s->owned) {
        ss_report_destroy(s->report);
    }
    *s = (recorder_state){0};
}

static ss_status record_close(ss_recorder *rec, const ss_run_result *result)
{
    recorder_state *s      = ss_recorder_state(rec);
    ss_status       status = ss_report_encode(s->report, s->run, true);
    s->run->complete       = result->status == SS_OK;
    put_facts(&s->run->facts, result);
    if (status == SS_OK && s->owned) {
        status = ss_report_write(s->report, ss_recorder_path(rec));
    }
    release_state(rec);
    return status;
}

static void record_discard(ss_recorder *rec)
{
    release_state(rec);
}

const ss_recorder_class ss_recorder_report = {.name       = "report",
                                              .summary    = "one HTML page with replay and plots",
                                              .state_size = sizeof(recorder_state),
                                              .open       = record_open,
                                              .append     = record_append,
                                              .close      = record_close,
                                              .discard    = record_discard};

ss_status ss_report_recorder(ss_report *r, const char *label, ss_recorder **out)
{
    SS_TRY(ss_recorder_create_class(r->ctx, &ss_recorder_report, "", out));
    recorder_state *s = ss_recorder_state(*out);
    s->report         = r;
    s->label          = ss_report_copy_text(r->ctx, label);
    return s->label != NULL ? SS_OK : ss_fail(r->ctx, SS_ERR_MEMORY, "no memory for a report");
}

ss_status ss_report_label(ss_report *r, const char *label)
{
    if (r == NULL || label == NULL || r->run_count == 0) {
        return ss_fail(r != NULL ? r->ctx : NULL, SS_ERR_ARGUMENT, "there is no run to label");
    }
    ss_report_run *run  = r->runs[r->run_count - 1];
    char          *copy = ss_report_copy_text(r->ctx, label);
    if (copy == NULL) {
        return ss_fail(r->ctx, SS_ERR_MEMORY, "no memory for a label");
    }
    free_text(r->ctx, run->label);
    run->label = copy;
    return SS_OK;
}
