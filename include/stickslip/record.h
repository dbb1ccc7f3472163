/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs and recorders: ss_run() steps a simulation from where it is to the end, hands every accepted
 * state to the recorders, and keeps the figures that sum the run up.
 *
 * A recorder is one file with static functions and one ss_recorder_class, named in
 * src/runfile/recorder_list.h. The calls it gets, in this order:
 *
 *   open    once, with the data at the start of the run;
 *   append  once for the state at the start, then once after each accepted step;
 *   close   once, whatever happened: `result->status` says how the run ended. SS_OK,
 *           SS_ERR_CERTIFICATE and SS_ERR_INTERRUPTED leave a valid file with every state so far.
 *
 * A recorder that fails (disk full, path not writable) returns SS_ERR_IO with a message that names
 * the file; ss_run() then stops and calls `discard`. A table is then removed; a run file keeps what
 * was written as NAME.XXXXXX.part (docs/reference/run-files.md).
 */
#ifndef STICKSLIP_RECORD_H
#define STICKSLIP_RECORD_H

#include <signal.h>
#include <stdbool.h>

#include "stickslip/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a recorder is told about the run when it opens. Every pointer outlives the run. */
typedef struct ss_run_info {
    const ss_model *model;
    const ss_data  *data;       /* at the start                                              */
    const char     *scene_name; /* never NULL, may be empty                                  */
    const char     *scene_path; /* the file the scene came from, or NULL                     */
    const char     *scene_text; /* the scene as it was read, or NULL                         */
    const char     *resolved;   /* the scene after overrides, every number resolved, or NULL */
    double          step;       /* h, seconds                                                */
    double          duration;   /* seconds from the start of the run to its end              */
    int64_t         steps;      /* how many steps the run will take if none is split         */
    bool            ranges;     /* run files and reports say what each contact may carry     */
} ss_run_info;

/* What a run found out, complete when it ends; also handed to the progress callback. */
typedef struct ss_run_result {
    ss_status   status;           /* SS_OK, or why the run ended early                        */
    bool        stopped;          /* the watcher ended it before its time                     */
    int64_t     steps;            /* accepted steps (a split step counts once)                */
    int64_t     splits;           /* steps that were cut because a certificate failed         */
    int64_t     events;           /* impacts that parts of steps ended at                     */
    double      bridged;          /* level: acceleration: by the impulse level; seconds       */
    int64_t     substeps;         /* simulation: {error}: steps taken, each of two halves     */
    double      error_estimate;   /* and their errors, added up; metres                       */
    int64_t     marked;           /* steps accepted although a certificate failed             */
    int64_t     over_budget;      /* steps that step_budget ended                             */
    double      work, work_max;   /* ss_step_report: of all steps, of the one that took most  */
    double      time;             /* t at the end                                             */
    double      wall_seconds;     /* of the loop, recorders included                          */
    double      residual_max;     /* worst certificate of all steps                           */
    double      motion_error_max; /* largest motion error of a step (ss_step_report)        */
    int64_t     steps_by_motion;  /* steps with islands that were not solved exactly          */
    int64_t     islands, islands_by_motion; /* solved in all steps together, and those of them  */
    double      penetration_max;    /* deepest overlap of a step (ss_step_report), metres       */
    double      joint_error_max;    /* widest opening of a joint at the end of a step, m */
    double      restitution_factor; /* least part of the restitution that a step could use */
    int32_t     asleep;             /* bodies that were asleep in the last step                 */
    int32_t     contacts_max;       /* most contacts in a step                                  */
    int64_t     iterations;         /* of the solver, all steps together                        */
    const char *solver;             /* that solved the last step; "" when there was none        */
    ss_energy   initial, final;     /* energies at the start and at the end                     */
    int64_t     not_unique;         /* steps whose motion is not the only one for its normal forces:
                                       the least was taken, or rest (ss_motion_unique), or
                                       whose impact has several outcomes                       */
    int64_t        undecided;       /* steps of which that cannot be told                       */
    double         not_unique_at;   /* time after the first step whose motion is not unique     */
    int32_t        free_body;       /* the body that could move most there, -1: none            */
    ss_body_motion free_motion;     /* and how                                                  */
    int64_t        held[SS_HOLD_COUNT]; /* steps by what the contacts do: jammed, wedged ..   */
    double held_at[SS_HOLD_COUNT];      /* time after the first of them; only where there is one */
    /* simulation: {verdicts}: steps by what was said of the state before them, and when the first
       that is not unique, not stable began */
    int64_t ruled_unique[SS_RULING_COUNT], ruled_stable[SS_RULING_COUNT];
    double  unique_lost_at, stable_lost_at; /* NAN: never                                       */
    int32_t active_max;                     /* most contacts that bore forces                    */
} ss_run_result;

typedef struct ss_recorder ss_recorder;

typedef struct ss_recorder_class {
    const char *name;       /* "csv": also the option of `stickslip run` that chooses it     */
    const char *summary;    /* one line for `stickslip list`                                 */
    size_t      state_size; /* zeroed memory that belongs to one recorder                    */
    ss_status (*open)(ss_recorder *r, const ss_run_info *info);
    ss_status (*append)(ss_recorder *r, const ss_model *m, const ss_data *d);
    ss_status (*close)(ss_recorder *r, const ss_run_result *result);
    /* Give up: free everything, leave no file under the final name. Called instead of close. */
    void (*discard)(ss_recorder *r);
} ss_recorder_class;

/* A recorder of a class by its name that will write to `path`. Nothing is opened yet. */
SS_API ss_status ss_recorder_create(ss_context *ctx, const char *class_name, const char *path,
                                    ss_recorder **out);
/* The same for a class of your own. */
SS_API ss_status ss_recorder_create_class(ss_context *ctx, const ss_recorder_class *cls,
                                          const char *path, ss_recorder **out);
SS_API void      ss_recorder_destroy(ss_recorder *r);

/* The recorder classes: those of this build first, then those that were registered with the
   context, whose structs have to live as long as it; a context of NULL knows the first alone. */
SS_API ss_status                ss_recorder_register(ss_context *ctx, const ss_recorder_class *cls);
SS_API int32_t                  ss_recorder_count(const ss_context *ctx);
SS_API const ss_recorder_class *ss_recorder_at(const ss_context *ctx, int32_t index);
SS_API const ss_recorder_class *ss_recorder_find(const ss_context *ctx, const char *name);

/* For writers of recorders. Of the recorder: as long as it lives. */
SS_API ss_context              *ss_recorder_context(const ss_recorder *r);
SS_API const char              *ss_recorder_path(const ss_recorder *r);
SS_API void                    *ss_recorder_state(const ss_recorder *r);
SS_API const ss_recorder_class *ss_recorder_class_of(const ss_recorder *r);

/* How to run. Start from ss_run_def_default(). */
typedef struct ss_run_def {
    double              step;      /* h; 0: the scene's                            */
    double              duration;  /* seconds; 0: the scene's                      */
    ss_recorder *const *recorders; /* (recorder_count) borrowed                    */
    int32_t             recorder_count;
    const char         *scene_name; /* for recorders, as in ss_run_info; may be NULL */
    const char         *scene_path;
    const char         *scene_text;
    const char         *resolved;
    bool                timed;  /* measure the time of every stage                  */
    bool                ranges; /* record what each contact may carry (ss_analyze_forces) */
    const volatile sig_atomic_t *interrupt; /* nonzero stops the run, even within a step; or NULL */
    /* Called after every step with the figures so far; total: steps of the whole run. */
    void (*progress)(void *user, const ss_run_result *so_far, int64_t total);
    void *progress_user;
    /* Called for the state at the start and after every accepted step; setting *stop ends the run
       there, as planned: the status is SS_OK and the result says `stopped`. A failure ends it too.
     */
    ss_status (*watch)(void *user, const ss_model *m, const ss_data *d, bool *stop);
    void *watch_user;
} ss_run_def;

SS_API ss_run_def ss_run_def_default(void);

/*
 * Step `d` to the end of the run. A step that fails a certificate even when it is cut (ss_step)
 * stops the run, or is marked and kept, as the scene's on_failure says.
 * `result` is filled in whatever happens. SS_ERR_INTERRUPTED and SS_ERR_CERTIFICATE leave valid
 * files; any other failure discards them.
 */
SS_API ss_status ss_run(ss_context *ctx, const ss_model *m, ss_data *d, const ss_run_def *def,
                        ss_run_result *result);

#ifdef __cplusplus
}
#endif
#endif
