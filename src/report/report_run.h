/* SPDX-License-Identifier: Apache-2.0 */
/* A report: its runs, and their rows as compressed blocks. */
#ifndef SS_IO_REPORT_RUN_H
#define SS_IO_REPORT_RUN_H

#include "files/buffer.h"
#include "runfile/run_rows.h"
#include "stickslip/report.h"

/* Compressed bytes of one table over the states of one chunk. */
typedef struct ss_blob {
    unsigned char *bytes;
    size_t         size, room;
} ss_blob;

typedef struct ss_report_chunk {
    int64_t first; /* state */
    int32_t count; /* states */
    int32_t contacts;
    int32_t blob[SS_TABLE_COUNT];
} ss_report_chunk;

/* Identities of contacts, numbered in the order in which they appear. */
typedef struct ss_identity_set {
    int32_t *items; /* (4 count) */
    int32_t  count, capacity;
    int32_t *slots; /* (slot_count) hash table of index + 1 */
    int32_t  slot_count;
} ss_identity_set;

typedef struct ss_report_run {
    char            *label, *description;
    char            *path; /* of the run file it comes from, or NULL */
    ss_run_rows      pending;
    bool             compact; /* single precision: the run is long */
    int32_t          every, chunk_states;
    ss_report_chunk *chunks;
    int32_t          chunk_count, chunk_capacity;
    ss_report_chunk  tail; /* pending rows, encoded for a header while the run goes on */
    bool             has_tail;
    ss_identity_set  identities;
    int64_t          states;
    bool            *fixed;     /* (bodies) static bodies, which do not count for the box    */
    ss_vec3          low, high; /* box of the origins of all others                          */
    double           force_max, residual_max, motion_error_max, penetration_max;
    int64_t          islands_by_motion; /* accepted by their motion error */
    int32_t          contacts_max;
    bool             complete;
    ss_buffer        facts;    /* members of a JSON object */
    ss_buffer        measured; /* a JSON object, or nothing */
} ss_report_run;

struct ss_report {
    ss_context     *ctx;
    ss_report_run **runs;
    int32_t         run_count, run_capacity;
    ss_blob        *blobs;
    int32_t         blob_count, blob_capacity;
    ss_buffer       header, attached; /* attached: members of the header, each after a comma */
    void (*progress)(void *user, int64_t done, int64_t total);
    void *progress_user;
};

/* Starts a run; `states` is how many it is expected to have. fixed[] is left for the caller. */
ss_status ss_report_begin(ss_report *r, const char *label, const char *description,
                          const ss_run_size *size, int64_t states, ss_report_run **out);
/* Rows were added to run->pending: encode whole chunks of them, or all. */
ss_status ss_report_encode(ss_report *r, ss_report_run *run, bool all);
/* Encode what is pending without taking it out. */
ss_status ss_report_encode_tail(ss_report *r, ss_report_run *run);
char     *ss_report_copy_text(ss_context *ctx, const char *text);
void      ss_report_free_run(ss_report *r, ss_report_run *run);

/* One table of some pending rows, transposed, filtered and deflated (viewer/src/payload.ts). */
ss_status ss_report_deflate(ss_report *r, ss_report_run *run, ss_run_table table, int32_t first,
                            int32_t rows, int32_t *blob);
/* Numbers of the contacts' identities into `ids` (rows). */
ss_status ss_report_identify(ss_report *r, ss_identity_set *set, const int32_t *identity,
                             int32_t rows, int32_t *ids);

#endif
