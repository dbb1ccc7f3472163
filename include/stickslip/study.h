/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Studies: many runs of one scene. A study file (docs/reference/study.md) names a scene, what
 * varies, and what is measured. One trial is a pure function of the study and of its number:
 *
 *   sample -> scene with these values -> model -> run, watched -> measures
 *
 * so that results are the same bits for every number of threads, after every interruption, and
 * when parts are computed elsewhere and merged.
 */
#ifndef STICKSLIP_STUDY_H
#define STICKSLIP_STUDY_H

#include "stickslip/record.h"
#include "stickslip/scene_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_study ss_study;

/* How a study finds scenes that are no files ("builtin:push"). True: *text has *length bytes. */
typedef bool (*ss_scene_finder)(void *user, const char *name, const char **text, size_t *length);

/* How to read a study. Start from {0}. */
typedef struct ss_study_def {
    const char *const *overrides; /* (override_count) PATH=VALUE for the study file             */
    int32_t            override_count;
    ss_scene_finder    find_scene; /* NULL: scenes are files, relative to the study file         */
    void              *find_user;
} ss_study_def;

/*
 * Reads and checks a study file, its scene and its tables; makes the first trial's scene and
 * compiles its expressions, so that what is wrong with all trials is said here, with file and line.
 */
SS_API ss_status ss_study_load(ss_context *ctx, const char *path, const ss_study_def *def,
                               ss_study **out);
SS_API ss_status ss_study_load_text(ss_context *ctx, const char *text, size_t length,
                                    const char *name, const ss_study_def *def, ss_study **out);
SS_API void      ss_study_destroy(ss_study *s);

/*
 * A measure in C beside those of the file: `begin` with zeroed memory of its own, `step` for the
 * state at the start and after every accepted step, `end` gives the value. begin and step may be
 * NULL. Calls for different trials come from different threads at the same time. Add measures
 * before the study runs.
 */
typedef struct ss_measure_class {
    const char *name;
    size_t      state_size;
    ss_status (*begin)(void *state, void *user, const ss_model *m, const ss_data *d);
    ss_status (*step)(void *state, void *user, const ss_model *m, const ss_data *d);
    ss_status (*end)(void *state, void *user, const ss_model *m, const ss_data *d,
                     const ss_run_result *result, double *value);
} ss_measure_class;
SS_API ss_status ss_study_add_measure(ss_study *s, const ss_measure_class *cls, void *user);

/* What the study is. Names live as long as the study. */
SS_API const char *ss_study_name(const ss_study *s);
SS_API int64_t     ss_study_trials(const ss_study *s); /* of all cells together            */
SS_API int64_t     ss_study_cells(const ss_study *s);  /* combinations of grids and lists  */
SS_API int64_t     ss_study_trials_per_cell(const ss_study *s);
SS_API uint64_t    ss_study_seed(const ss_study *s);
/* Columns of inputs: a scene value each, named by its path. */
SS_API int32_t     ss_study_input_count(const ss_study *s);
SS_API const char *ss_study_input_name(const ss_study *s, int32_t input);
/* What column `input` says about a trial as text; NULL when it is the number of ss_trial.inputs. */
SS_API const char *ss_study_input_text(const ss_study *s, int32_t input, double value);
SS_API int32_t     ss_study_measure_count(const ss_study *s);
SS_API const char *ss_study_measure_name(const ss_study *s, int32_t measure);
/* Is it true or false, rather than a number? */
SS_API bool ss_study_measure_is_truth(const ss_study *s, int32_t measure);
/* The variables that make cells (grid, list, table), slowest first: columns of inputs, and how many
   values each takes. */
SS_API int32_t ss_study_axis_count(const ss_study *s);
SS_API int64_t ss_study_axis_size(const ss_study *s, int32_t axis);
SS_API int32_t ss_study_axis_input(const ss_study *s, int32_t axis);

typedef enum ss_trial_status {
    SS_TRIAL_PENDING,
    SS_TRIAL_DONE,    /* ran to the end                                   */
    SS_TRIAL_STOPPED, /* ended by the study's `stop`                      */
    SS_TRIAL_FAILED   /* a scene that cannot be, or a step that failed    */
} ss_trial_status;
/* "pending", "done", "stopped", "failed" */
SS_API const char *ss_trial_status_text(ss_trial_status status);

enum { SS_TRIAL_MESSAGE = 160 };

/* One trial. Measures of a failed trial are NaN. */
typedef struct ss_trial {
    int64_t         trial;
    ss_trial_status status;
    int64_t         steps;                     /* accepted                                     */
    double          time;                      /* at its end, seconds of the scene             */
    double          residual;                  /* the worst certificate of its steps          */
    double          seconds;                   /* that it took to compute                     */
    char            message[SS_TRIAL_MESSAGE]; /* why it failed, else empty  */
    double         *inputs;                    /* (ss_study_input_count)     */
    double         *measures;                  /* (ss_study_measure_count)   */
} ss_trial;

/* The values of a trial alone: (ss_study_input_count) numbers. */
SS_API ss_status ss_study_sample(const ss_study *s, int64_t trial, double *inputs);
/* The scene of a trial. */
SS_API ss_status ss_study_scene(ss_context *ctx, const ss_study *s, int64_t trial, ss_scene **out);
/* Computes one trial, with recorders that may be none. `out` has room for inputs and measures. */
SS_API ss_status ss_study_replay(ss_context *ctx, const ss_study *s, int64_t trial,
                                 ss_recorder *const *recorders, int32_t recorder_count,
                                 const volatile sig_atomic_t *interrupt, ss_trial *out);

/* ---- all trials ---- */

typedef struct ss_trials ss_trials;

/* How to sweep. Start from {0}. */
typedef struct ss_sweep_def {
    const char *out;         /* the study file in HDF5; NULL: results stay in memory alone      */
    bool        resume;      /* keep what `out` holds already                                   */
    int32_t     threads;     /* 0: as many as the machine has                                   */
    int32_t     part, parts; /* of 1 .. parts: this part alone; parts 0: everything             */
    const volatile sig_atomic_t *interrupt; /* nonzero ends the sweep: SS_ERR_INTERRUPTED        */
    /* Called after every trial, from one thread at a time. */
    void (*progress)(void *user, const ss_trials *so_far, const ss_trial *last);
    void *progress_user;
} ss_sweep_def;

/*
 * Computes the trials of a study that are not there yet. A failed trial is a row, never the end.
 * *out is there even when the sweep was interrupted; destroy it after use. Under mpirun every
 * process makes the same call; process 0 hands out the trials and has the results, for the others
 * *out is NULL.
 */
SS_API ss_status ss_study_sweep(ss_context *ctx, const ss_study *s, const ss_sweep_def *def,
                                ss_trials **out);
/* Reads a study file (the whole, or of some parts) into what is there already. */
SS_API ss_status ss_trials_create(ss_context *ctx, const ss_study *s, ss_trials **out);
SS_API ss_status ss_trials_read(ss_trials *t, const char *path);
SS_API ss_status ss_trials_write(const ss_trials *t, const char *path);
SS_API void      ss_trials_destroy(ss_trials *t);

SS_API const ss_study *ss_trials_study(const ss_trials *t);
SS_API int64_t         ss_trials_count(const ss_trials *t, ss_trial_status status);
/* A row. Its pointers live as long as the trials; false: there is no such trial. */
SS_API bool ss_trials_get(const ss_trials *t, int64_t trial, ss_trial *out);

/* What a measure was: over a cell, or over all trials (cell < 0). */
typedef struct ss_estimate {
    int64_t count;           /* trials that have a value                                       */
    double  mean, low, high; /* of a truth: the probability and its 95 % Wilson interval; of a
                                number: the mean and its 95 % interval (Student)               */
    double deviation;        /* standard deviation                                             */
    double least, most;
} ss_estimate;
SS_API ss_estimate ss_trials_estimate(const ss_trials *t, int32_t measure, int64_t cell);

/*
 * Sobol' indices of a study with `sampling: saltelli`, one pair for each random variable: the share
 * of a measure's variance (within cells) that it explains alone, and the share that would be gone
 * if all but it were known; with their 95 % intervals.
 */
typedef struct ss_sensitivity {
    int64_t rows; /* that have values                                   */
    double  first, first_low, first_high;
    double  total, total_low, total_high;
} ss_sensitivity;
SS_API int32_t     ss_study_sensitivity_count(const ss_study *s); /* 0 with another sampling */
SS_API const char *ss_study_sensitivity_name(const ss_study *s, int32_t variable);
/* False: there is no such measure or variable, or the measure does not vary. */
SS_API bool ss_trials_sensitivity(const ss_trials *t, int32_t measure, int32_t variable,
                                  ss_sensitivity *out);

/* One row a trial: trial, the varied values, the measures, status, residual, seconds. */
SS_API ss_status ss_trials_csv(const ss_trials *t, const char *path);

/* The report of a study: maps, histograms, what measures depend on, and replays of some trials. */
typedef struct ss_study_report_def {
    int32_t     replays; /* how many trials can be replayed in the page, spread over all        */
    const char *command; /* what computes the replay of another one: "%K" is its number; or NULL */
    bool        served;  /* the page is served: the replay of trial K is at trial/K              */
} ss_study_report_def;
/* One self-contained page. SS_ERR_UNSUPPORTED: replays, in a build without the page for them. */
SS_API ss_status ss_trials_report(const ss_trials *t, const ss_study_report_def *def,
                                  const char *path);

/* ---- designs: studies of kind `design` ---- */

/* A candidate and what became of it. Pointers live during the callback, or as long as the design.
 */
typedef struct ss_candidate {
    int32_t       number;      /* from 0, in the order in which they were tried             */
    int32_t       restart;     /* of the search that tried it                               */
    const double *x;           /* (choice_count) values of the variables with bounds        */
    double        objective;   /* as the study says it                                      */
    const double *constraints; /* (constraint_count) how far inside: >= 0 is kept           */
    bool          feasible;    /* all constraints are kept, and the objective is a number   */
    int64_t       failed;      /* trials that failed                                        */
    bool          known;       /* taken from the journal instead of computed                */
    int32_t       rung;        /* the last that it was tried on, from 0                     */
} ss_candidate;

/* What a rung of a design did. */
typedef struct ss_rung_use {
    const char *name;
    int32_t     candidates, passed; /* tried on it, and good enough for the next            */
    int32_t     lost;               /* naive: failed here but kept everything on the last    */
    double      seconds;            /* of computing, all threads together                   */
} ss_rung_use;

/* The boundary-value program of a design with algorithm `mpec`. */
typedef struct ss_design_program {
    bool    posed;  /* false: the design has another algorithm                                  */
    bool    solved; /* a feasible local optimum, pairs complementary to rounding                 */
    int32_t variables, equations, pairs, iterations;
    double  objective;       /* mean square miss of the drift, as a share of what is asked       */
    double  infeasibility;   /* the largest violation of a row                                   */
    double  complementarity; /* the largest product of a pair, over its size                     */
    double  apart;           /* of its positions from those of the engine's period, metres       */
} ss_design_program;

typedef struct ss_design ss_design;

/* How to search. Start from {0}. */
typedef struct ss_design_def {
    const char *journal; /* every candidate, as CSV; NULL: none                              */
    bool        resume;  /* candidates that the journal has are not computed again           */
    bool        naive;   /* every candidate on every rung: what do the rungs save, and lose?  */
    int32_t     threads; /* 0: as many as the machine has                                    */
    const volatile sig_atomic_t *interrupt;
    void (*progress)(void *user, const ss_candidate *last, const ss_candidate *best);
    void *progress_user;
} ss_design_def;

/* Searches for the best design. SS_ERR_INPUT: the study is none. */
SS_API ss_status ss_study_design(ss_context *ctx, const ss_study *s, const ss_design_def *def,
                                 ss_design **out);
SS_API void      ss_design_destroy(ss_design *d);
/* The best candidate that keeps all constraints; false: none does, and it is the one nearest. */
SS_API bool        ss_design_best(const ss_design *d, ss_candidate *out);
SS_API int32_t     ss_design_count(const ss_design *d); /* candidates tried */
SS_API int32_t     ss_design_choice_count(const ss_design *d);
SS_API const char *ss_design_choice_name(const ss_design *d, int32_t choice);
SS_API int32_t     ss_design_constraint_count(const ss_design *d);
SS_API const char *ss_design_constraint_text(const ss_design *d, int32_t constraint);
/* What algorithm `mpec` solved, of the restart that came nearest. */
SS_API ss_design_program ss_design_program_of(const ss_design *d);
/* Rungs of the study (one where it names none), and what each did. */
SS_API int32_t     ss_design_rung_count(const ss_design *d);
SS_API ss_rung_use ss_design_rung(const ss_design *d, int32_t rung);
/* A candidate by its number; false: there is none. */
SS_API bool ss_design_candidate(const ss_design *d, int32_t number, ss_candidate *out);
/* One self-contained page: how the search went, the best designs, all candidates by their values,
   and the trials of the best one as ss_trials_report() has them. */
SS_API ss_status ss_design_report(const ss_design *d, const ss_study_report_def *def,
                                  const char *path);
/* The trials of the best design: as after a sweep. Lives as long as the design. */
SS_API const ss_trials *ss_design_trials(const ss_design *d);

/* ---- plans: studies of kind `plan` ---- */

/*
 * A sequence of actions without looking: each is a run of the scene with numbers that the plan
 * chose, after which the bodies that the study carries on stay where they are. It is judged by the
 * run without uncertainty (run 0) and by the trials (runs 1, 2, ..).
 */
typedef struct ss_plan ss_plan;

/* How to plan. Start from {0}. */
typedef struct ss_plan_def {
    int32_t     threads; /* 0: as many as the machine has */
    const char *journal; /* keeps what was simulated; NULL: none                              */
    bool        resume;  /* what the journal has is not simulated again                       */
    const volatile sig_atomic_t *interrupt;
    /* Now and then: length tried, actions simulated, largest error of the best plan so far. */
    void (*progress)(void *user, int32_t length, int64_t simulated, double worst);
    void *progress_user;
} ss_plan_def;

/* Searches for the shortest plan; where none reaches the goal, the one that came nearest.
   SS_ERR_INPUT: the study is none, or every sequence that was tried failed. */
SS_API ss_status ss_study_plan(ss_context *ctx, const ss_study *s, const ss_plan_def *def,
                               ss_plan **out);
/* A plan that was written before, judged anew by this study: with other values, steps, models. */
SS_API ss_status ss_study_plan_read(ss_context *ctx, const ss_study *s, const char *path,
                                    const ss_plan_def *def, ss_plan **out);
/* As CSV: one line for each number of each action. */
SS_API ss_status ss_plan_write(const ss_plan *p, const char *path);
SS_API void      ss_plan_destroy(ss_plan *p);

SS_API bool        ss_plan_found(const ss_plan *p); /* it reaches the goal in every run        */
SS_API int32_t     ss_plan_length(const ss_plan *p);
SS_API const char *ss_plan_action(const ss_plan *p, int32_t step); /* name, NULL past the end  */
/* Numbers of an action: those that were chosen, then those that follow from where things are. */
SS_API int32_t     ss_plan_number_count(const ss_plan *p, int32_t step);
SS_API const char *ss_plan_number_name(const ss_plan *p, int32_t step, int32_t number);
SS_API double      ss_plan_number(const ss_plan *p, int32_t step, int32_t number);
SS_API int64_t     ss_plan_simulated(const ss_plan *p); /* actions that were run in the search */
/* Goals, and what a run measures at its end in units of what the goal allows (NaN: it failed). */
SS_API int32_t     ss_plan_run_count(const ss_plan *p);
SS_API int32_t     ss_plan_goal_count(const ss_plan *p);
SS_API const char *ss_plan_goal_name(const ss_plan *p, int32_t goal);
SS_API double      ss_plan_error(const ss_plan *p, int32_t run, int32_t goal);
/* How many of the study's fresh trials (`check`) reach the goal: mean, low, high of that share. */
SS_API ss_estimate ss_plan_check(const ss_plan *p);
/* One run of the plan from its first action to its last, handed to recorders. */
SS_API ss_status ss_plan_replay(ss_context *ctx, const ss_plan *p, int32_t run,
                                ss_recorder *const *recorders, int32_t recorder_count,
                                const volatile sig_atomic_t *interrupt);
/* One self-contained page: the actions, how near every run comes to the goal, the fresh trials, and
   replays of def->replays runs, the one without uncertainty first. */
SS_API ss_status ss_plan_report(const ss_plan *p, const ss_study_report_def *def, const char *path);

/* The reference of study files (Markdown), piece by piece. */
SS_API void ss_study_reference(void (*write)(void *user, const char *text), void *user);
/* The JSON Schema (draft 7) of scene and study files, for editors that complete and check. */
SS_API void ss_file_schema(void (*write)(void *user, const char *text), void *user);

#ifdef __cplusplus
}
#endif
#endif
