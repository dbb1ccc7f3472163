/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading run files (docs/reference/run-files.md). A file of a run that was killed, or that is
 * still being computed, reads like any other up to its last chunk. A file is not trusted: what
 * is damaged, or claims sizes that it does not have, is refused with SS_ERR_INPUT. HDF5's own
 * reader does not promise as much: a program that reads files of strangers does it in a process
 * that may crash, as the command `stickslip` does.
 */
#ifndef STICKSLIP_RUN_FILE_H
#define STICKSLIP_RUN_FILE_H

#include <stdbool.h>

#include "stickslip/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_run_file ss_run_file;
struct ss_run_def; /* record.h */

SS_API ss_status ss_run_file_open(ss_context *ctx, const char *path, ss_run_file **out);
SS_API void      ss_run_file_close(ss_run_file *f);

SS_API int64_t ss_run_file_states(const ss_run_file *f);   /* steps + 1 */
SS_API int64_t ss_run_file_contacts(const ss_run_file *f); /* of all steps together */
SS_API int     ss_run_file_dimension(const ss_run_file *f);
SS_API int32_t ss_run_file_body_count(const ss_run_file *f);
/* The run ended by itself: its result is in the file. */
SS_API bool ss_run_file_complete(const ss_run_file *f);
/* Texts live as long as the file object. What the run is: a JSON object, checked, and escaped so
 * that it may stand in a page. */
SS_API const char *ss_run_file_description(const ss_run_file *f);
/* The scene that was run: its file's path and text as they were read (empty: it had none), and the
 * text with overrides applied and every number resolved. */
SS_API const char *ss_run_file_scene_path(const ss_run_file *f);
SS_API const char *ss_run_file_scene_text(const ss_run_file *f);
SS_API const char *ss_run_file_resolved(const ss_run_file *f);
SS_API const char *ss_run_file_body_name(const ss_run_file *f, int32_t body);
/* A figure of the result ("residual_max", "wall_seconds" ...); NaN when the file has none. */
SS_API double ss_run_file_result(const ss_run_file *f, const char *name);

/* Columns of a field ("bodies/position": 3 per body); 0 when the run does not have it. */
SS_API int32_t ss_run_file_width(const ss_run_file *f, const char *field);
/* Rows [first, first + count) of a field as doubles, row after row. */
SS_API ss_status ss_run_file_read(ss_run_file *f, const char *field, int64_t first, int64_t count,
                                  double *out);

struct ss_model;
struct ss_data;
/*
 * The state of the data from a file: a run file (the state recorded at the time `at`, NAN: the last
 * one), or the JSON that `stickslip run --json` prints, with bodies: {NAME: {position, quat_wxyz or
 * angle, velocity, angular_velocity}} and time. Bodies match by name; driven ones are where their
 * motion has them. What the run remembered besides is not in it: deflections are those of the
 * overlaps, whole turns of joints are counted anew.
 */
SS_API ss_status ss_state_load(const struct ss_model *m, struct ss_data *d, const char *path,
                               double at);

/*
 * Runs the scene in the file again and compares every state, contact and joint with the file, bit
 * for bit, and of a run that ended by itself its result; computing times alone may differ. What the
 * file says of the scene (name, bodies, description) has to be told by the scene again. A run
 * that was killed or interrupted is compared as far as it goes. `how` gives progress and interrupt
 * (its recorders are not used).
 */
typedef struct ss_run_check {
    bool        same;     /* every state of the file came out again                       */
    int64_t     compared; /* states that are equal                                        */
    double      time;     /* of the first state that is not, when `field` is not NULL     */
    const char *field;    /* in which it differs: "bodies/position", or after the last state
                             "result/status"; NULL: the run ended                         */
    int32_t column;       /* the first number that differs, in the row of the state       */
    double  recorded, computed;
    bool    failed;    /* the run ended with a step that failed its certificate              */
    bool    text_same; /* the text of the scene, as it stands, is what was run; else values were
                          set, files that it includes have changed, or it was altered        */
} ss_run_check;
SS_API ss_status ss_run_file_check(ss_context *ctx, ss_run_file *f, const struct ss_run_def *how,
                                   ss_run_check *out);

#ifdef __cplusplus
}
#endif
#endif
