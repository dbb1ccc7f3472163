/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Series: one scene, parsed once, and many runs of it with other values. Every study is one:
 *
 *     sample -> scene with overrides -> model -> run -> measure
 *
 * ss_series_run() does that on all cores; the two series that commands ask for by name, over steps
 * and over models, are made from it. Studies that files describe are in study.h.
 */
#ifndef STICKSLIP_SERIES_H
#define STICKSLIP_SERIES_H

#include "stickslip/record.h"
#include "stickslip/report.h"
#include "stickslip/scene_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One of the scenes of a series, ready to run. */
typedef struct ss_variant {
    int64_t   index;
    ss_scene *scene;
    ss_model *model;
    ss_data  *data;
} ss_variant;

/* From a source with overrides (count may be 0). Release it after use, also after a failure. */
SS_API ss_status ss_variant_make(ss_context *ctx, const ss_scene_source *source,
                                 const char *const *overrides, int32_t count, ss_variant *out);
/* The same under a model, written as on the command line: "cone=polygon:8,gap=velocity"; NULL: the
   scene's own. */
SS_API ss_status ss_variant_make_model(ss_context *ctx, const ss_scene_source *source,
                                       const char *model, ss_variant *out);
/* Runs it to the end, with names and texts of its scene for recorders. */
SS_API ss_status ss_variant_run(ss_context *ctx, const ss_variant *v, const ss_run_def *def,
                                ss_run_result *result);
SS_API void      ss_variant_release(ss_variant *v);

/* The overrides of one variant. */
typedef struct ss_overrides ss_overrides;
/* Adds PATH=VALUE, written as printf does. */
SS_API ss_status ss_overrides_add(ss_overrides *o, const char *format, ...);

/* What a series is made of. Start from {0}. */
typedef struct ss_series_def {
    const ss_scene_source *source;
    int64_t                count;
    int32_t                threads; /* 0: as many as the machine has                            */
    /* The overrides of variant `index`. NULL: it has none. */
    ss_status (*sample)(void *user, int64_t index, ss_overrides *out);
    /* Runs a variant and keeps what is wanted of it. Variants come from several threads at the same
       time, each with a context of its own; any failure but SS_OK ends the series. Their scenes do
       not know their texts. */
    ss_status (*measure)(void *user, ss_context *ctx, const ss_variant *v);
    void                        *user;
    const volatile sig_atomic_t *interrupt; /* nonzero ends the series: SS_ERR_INTERRUPTED      */
    /* Called after every variant, from one thread at a time. */
    void (*progress)(void *user, int64_t done, int64_t count);
    void *progress_user;
} ss_series_def;

SS_API ss_status ss_series_run(ss_context *ctx, const ss_series_def *def);

/* ---- over steps ---- */

/* What a step made of the scene, against the finest step of the series. */
typedef struct ss_step_error {
    double step;                           /* made to fit the duration                         */
    double position, velocity;             /* of the body that is furthest off, at the end     */
    double position_order, velocity_order; /* from the step before; NaN: none can be told       */
    double residual_max;
} ss_step_error;

/*
 * Convergence in the step. `steps` (count >= 2) come in any order; `out` (count) has the largest
 * first and the finest, which is the reference, last. def: source, threads, interrupt, progress;
 * what is sampled and measured is set here.
 */
SS_API ss_status ss_series_steps(ss_context *ctx, const ss_series_def *def, const double *steps,
                                 int32_t count, ss_step_error *out);

/* ---- over models ---- */

/* What another model made of the scene. */
typedef struct ss_comparison {
    const char   *model; /* as given: "cone=polygon:4"                                          */
    ss_run_result result;
    double        distance;  /* of the body that ends furthest from where the reference puts it */
    char          body[64];  /* which                                                           */
    bool          certified; /* to its end; otherwise it is compared where it ended             */
} ss_comparison;

/*
 * Runs the source under `model` and compares where bodies end with `reference`, a run of the same
 * scene that is over. `run` may have a progress and an interrupt; with a report the run is added to
 * it.
 */
SS_API ss_status ss_series_compare(ss_context *ctx, const ss_scene_source *source,
                                   const char *model, const ss_variant *reference,
                                   const ss_run_def *run, ss_report *report, ss_comparison *out);

/* ---- over futures ---- */

enum { SS_FUTURE_FORKS = 16 };

/* What a scene becomes with one motion at each of its forks (ss_fork; level: acceleration). */
typedef struct ss_future {
    int32_t       parent;     /* the future that it leaves at its last given fork; -1: the first  */
    int32_t       given;      /* forks at which its motion was given; later ones took the least   */
    int32_t       fork_count; /* that it had; the first SS_FUTURE_FORKS of them are kept          */
    ss_fork       forks[SS_FUTURE_FORKS];
    ss_run_result result;
    bool          certified; /* to its end; otherwise `why`                                    */
    char          why[256];
    double        distance; /* of the body that ends furthest from where the first future puts it */
    char          body[64]; /* which                                                              */
} ss_future;

typedef struct ss_branch_def {
    int32_t most;  /* futures; > 0                                                               */
    int32_t depth; /* forks of a future at which all motions are followed; 1 to SS_FUTURE_FORKS  */
    ss_report *report; /* all futures become runs of it; may be NULL */
    /* After each: what is wanted of its last state. May be NULL. */
    ss_status (*ended)(void *user, const ss_future *future, const ss_variant *v);
    void *user;
} ss_branch_def;

/*
 * Runs the source under `model` (NULL: the scene's own; level: acceleration), and again for every
 * other motion at its forks, those of the futures so found among them, the earlier found first. The
 * same futures in the same order whatever the machine. `out` has room for def->most; *count says
 * how many there are, *left how many more would follow. `run` may have a progress and an interrupt.
 */
SS_API ss_status ss_series_branch(ss_context *ctx, const ss_scene_source *source, const char *model,
                                  const ss_branch_def *def, const ss_run_def *run, ss_future *out,
                                  int32_t *count, int32_t *left);

/* ---- a function of a few numbers, minimised ---- */

enum { SS_SIMPLEX_MAX = 16 };
/* May return HUGE_VAL where x is not allowed. */
typedef double (*ss_objective_fn)(void *user, const double *x);
/*
 * Nelder and Mead's method for a rough function of 1 to SS_SIMPLEX_MAX unknowns: from x (n), with
 * first steps `step` along the axes, so many rounds. x becomes the best point, *value (which may be
 * NULL) what it gives.
 */
SS_API ss_status ss_simplex_minimise(ss_context *ctx, ss_objective_fn f, void *user, double *x,
                                     const double *step, int32_t n, int32_t rounds, double *value);

#ifdef __cplusplus
}
#endif
#endif
