/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports: runs become one HTML page that holds its own data and needs no network.
 *
 * A report takes runs while they are computed (ss_report_recorder) or from run files
 * (ss_report_add_file); several runs of a scene are compared in one page. It can be written at any
 * time, and served piece by piece while a run is still going on (header and blobs).
 */
#ifndef STICKSLIP_REPORT_H
#define STICKSLIP_REPORT_H

#include "stickslip/measured.h"
#include "stickslip/record.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_report ss_report;

SS_API ss_status ss_report_create(ss_context *ctx, ss_report **out);
SS_API void      ss_report_destroy(ss_report *r);

/*
 * A recorder that adds the run it records to the report, under a label that tells it from others.
 * The report must outlive the recorder; the recorder of the built-in class "report" has a report of
 * its own and writes it to its path when the run ends.
 */
SS_API ss_status ss_report_recorder(ss_report *r, const char *label, ss_recorder **out);
/* Another label for the run that was added last, where the run itself tells what it is. */
SS_API ss_status ss_report_label(ss_report *r, const char *label);

/* Called while a file is read: states read so far, states in all. NULL: not called. */
SS_API void ss_report_on_progress(ss_report *r,
                                  void (*progress)(void *user, int64_t done, int64_t total),
                                  void *user);

/* Adds the run of a file, one state in `every`. */
SS_API ss_status ss_report_add_file(ss_report *r, const char *path, const char *label,
                                    int32_t every);

/* Runs that were begun. */
SS_API int32_t ss_report_run_count(const ss_report *r);

/* What was measured is shown beside a run of the report (from 0, in the order in which they were
   begun): as a ghost in the replay, as points in the plots. */
SS_API ss_status ss_report_measured(ss_report *r, int32_t run, const ss_measured *s);

/* Adds a member to the header, `json` as its value: what a page shows beside its runs. */
SS_API ss_status ss_report_attach(ss_report *r, const char *key, const char *json);

/* Reads what files of unfinished runs have gained since they were added. */
SS_API ss_status ss_report_refresh(ss_report *r);

/* One self-contained page. SS_ERR_UNSUPPORTED when this build has no page to put data into. */
SS_API ss_status ss_report_write(ss_report *r, const char *path);

/* For a server: the page without data (it stays), the header (JSON) and the data blocks it names.
   Both last until the next ss_report_header(), and until anything is added to the report. */
SS_API ss_status ss_report_page(ss_context *ctx, const char **text, size_t *size);
SS_API ss_status ss_report_header(ss_report *r, const char **json, size_t *size);
/* Blocks are numbered from 0; those of an earlier header may be gone. */
SS_API int32_t   ss_report_blob_count(const ss_report *r);
SS_API ss_status ss_report_blob(ss_report *r, int32_t index, const void **bytes, size_t *size);
/* True when this build carries the page. */
SS_API bool ss_report_has_page(void);

#ifdef __cplusplus
}
#endif
#endif
