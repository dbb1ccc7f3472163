/* SPDX-License-Identifier: Apache-2.0 */
/* The run of a file as a run of a report. */
#include <math.h>
#include <string.h>

#include "report/report_run.h"
#include "runfile/run_file_rows.h"

enum { BLOCK_STATES = 1024, BLOCK_BYTES = 32 << 20 }; /* read at a time, at most */

static void put_facts(ss_buffer *out, const ss_run_file *f)
{
    static const char *const names[] = {
        "wall_seconds", "iterations",  "splits",         "marked", "energy_initial",
        "energy_final", "dissipated",  "applied",        "driven", "restitution",
        "corrections",  "integration", "joint_error_max"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        double value = ss_run_file_result(f, names[i]);
        if (isfinite(value)) {
            ss_buffer_format(out, ",\"%s\":%.17g", names[i], value);
        }
    }
}

static void tell(const ss_report *r, int64_t done, int64_t total)
{
    if (r->progress != NULL) {
        r->progress(r->progress_user, done, total);
    }
}

void ss_report_on_progress(ss_report *r, void (*progress)(void *user, int64_t done, int64_t total),
                           void      *user)
{
    r->progress      = progress;
    r->progress_user = user;
}

/* One state in `every`: single states are read, so that nothing is thrown away in memory. */
static ss_status copy_thinned(ss_report *r, ss_report_run *run, ss_run_file *f, int32_t every)
{
    for (int64_t k = 0; k < ss_run_file_states(f); k += every) {
        double first;
        SS_TRY(ss_run_file_read(f, "steps/first_contact", k, 1, &first));
        SS_TRY(ss_run_file_rows(f, k, 1, (int64_t)first, &run->pending));
        SS_TRY(ss_report_encode(r, run, false));
        tell(r, k, ss_run_file_states(f));
    }
    return ss_report_encode(r, run, true);
}

static int32_t block_of(const ss_run_size *size)
{
    int64_t row =
                13 * 8 * ((int64_t)size->bodies + size->joints + size->forces + size->supports + 1),
            fit = BLOCK_BYTES / row;
    return fit < 1 ? 1 : fit > BLOCK_STATES ? BLOCK_STATES : (int32_t)fit;
}

/* What the file has beyond the states that the run has already. */
static ss_status copy_rest(ss_report *r, ss_report_run *run, ss_run_file *f)
{
    const ss_run_rows *p        = &run->pending;
    int64_t            states   = ss_run_file_states(f);
    int64_t            contacts = p->first_contact + p->contacts;
    int32_t            block    = block_of(&p->size);
    for (int64_t k = run->states; k < states; k += block) {
        int32_t count  = (int32_t)(states - k < block ? states - k : block);
        int32_t before = p->contacts;
        SS_TRY(ss_run_file_rows(f, k, count, contacts, &run->pending));
        contacts += p->contacts - before;
        SS_TRY(ss_report_encode(r, run, false));
        tell(r, k + count, states);
    }
    run->complete = ss_run_file_complete(f);
    if (run->complete) {
        put_facts(&run->facts, f);
    }
    return run->complete ? ss_report_encode(r, run, true) : SS_OK;
}

static ss_status add(ss_report *r, ss_run_file *f, const char *path, const char *label,
                     int32_t every)
{
    const ss_run_size *size = ss_run_file_size(f);
    ss_report_run     *run;
    if (ss_run_file_states(f) == 0) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "%s: the run ended before its first state was written",
                       path);
    }
    SS_TRY(ss_report_begin(r, label, ss_run_file_description(f), size,
                           ss_run_file_states(f) / every, &run));
    for (int32_t b = 0; b < size->bodies; b++) {
        run->fixed[b] = strcmp(ss_run_file_body_type(f, b), "static") == 0;
    }
    run->every = every;
    run->path  = ss_report_copy_text(r->ctx, path);
    if (run->path == NULL) {
        return ss_fail(r->ctx, SS_ERR_MEMORY, "no memory for a report");
    }
    if (every == 1) {
        return copy_rest(r, run, f);
    }
    run->complete = ss_run_file_complete(f);
    put_facts(&run->facts, f);
    return copy_thinned(r, run, f, every);
}

ss_status ss_report_add_file(ss_report *r, const char *path, const char *label, int32_t every)
{
    ss_run_file *f;
    SS_TRY(ss_run_file_open(r->ctx, path, &f));
    ss_status status = add(r, f, path, label, every > 0 ? every : 1);
    ss_run_file_close(f);
    return status;
}

ss_status ss_report_refresh(ss_report *r)
{
    for (int32_t i = 0; i < r->run_count; i++) {
        ss_report_run *run = r->runs[i];
        ss_run_file   *f;
        if (run->path == NULL || run->complete || run->every > 1) {
            continue;
        }
        SS_TRY(ss_run_file_open(r->ctx, run->path, &f));
        ss_status status = copy_rest(r, run, f);
        ss_run_file_close(f);
        SS_TRY(status);
    }
    return SS_OK;
}
