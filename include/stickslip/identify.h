/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identification: studies of kind `identify` name recordings, values of the scene that are free and
 * what else is not known of how they were measured; the result says which values explain them and
 * how sure that is (docs/theory/identification.md).
 */
#ifndef STICKSLIP_IDENTIFY_H
#define STICKSLIP_IDENTIFY_H

#include "stickslip/study.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_identification ss_identification;

/* How to identify. Start from {0}. */
typedef struct ss_identify_def {
    int32_t                      threads; /* 0: as many as the machine has */
    const volatile sig_atomic_t *interrupt;
    /* Now and then: what is being done, and how many runs it took so far. */
    void (*progress)(void *user, const char *doing, int64_t runs);
    void *progress_user;
} ss_identify_def;

/* SS_ERR_INPUT: the study is none, or no run can be made from the values it starts from. */
SS_API ss_status ss_study_identify(ss_context *ctx, const ss_study *s, const ss_identify_def *def,
                                   ss_identification **out);
SS_API void      ss_identification_destroy(ss_identification *id);

/* What the data say about a parameter. */
typedef enum ss_determined {
    SS_DETERMINED_BOTH,  /* an interval that ends within the bounds                          */
    SS_DETERMINED_BELOW, /* at least `low`; how large it is, the data do not say             */
    SS_DETERMINED_ABOVE, /* at most `high`                                                   */
    SS_DETERMINED_NOT    /* what is known of it is no narrower than its bounds               */
} ss_determined;

/* "determined", "at least", "at most", "not determined" */
SS_API const char *ss_determined_text(ss_determined d);

typedef struct ss_identified {
    const char *name;
    bool        nuisance;
    int32_t     trial; /* the recording that it belongs to; -1: all                         */
    double      value, deviation; /* deviation: of the linear model; infinite: none         */
    double      low, high;        /* at the study's level: profile likelihood, or linear;
                                     what the step adds is in it                           */
    double        bootstrap_low, bootstrap_high; /* NAN: not asked for                        */
    double        bound_low, bound_high;
    bool          at_bound;
    ss_determined determined;
    double        step_error; /* of the runs, within low and high; NAN: it was not found      */
} ss_identified;

/* One recording beside its run. */
typedef struct ss_identified_trial {
    const char *name;
    int32_t     samples, fold;
    double      position, angle; /* root mean square residuals, m and rad; NAN: not recorded     */
    double      end;             /* distance between the ends, m                             */
    double      travel;          /* from the first sample to the last, as measured, m         */
    /* the same with the values of a search that did not see it; NAN: no folds               */
    double unseen_position, unseen_angle, unseen_end;
} ss_identified_trial;

/* Models of the study: 1 where it names none. */
SS_API int32_t     ss_identification_model_count(const ss_identification *id);
SS_API const char *ss_identification_model(const ss_identification *id, int32_t model);

SS_API int32_t ss_identification_count(const ss_identification *id); /* parameters */
SS_API bool    ss_identification_get(const ss_identification *id, int32_t model, int32_t parameter,
                                     ss_identified *out);
/* The profile of a parameter where it was followed: at `value`, all others searched for anew, the
   cost is higher by height^2 times the noise's variance. Rising values; 0: no profile was asked
   for. `room` points at most are written. */
typedef struct ss_profile_point {
    double value, height;
} ss_profile_point;
SS_API int32_t ss_identification_profile(const ss_identification *id, int32_t model,
                                         int32_t parameter, ss_profile_point *out, int32_t room);
/* How often the bootstrap found which value: counts in SS_BOOTSTRAP_BINS equal parts of [least,
   most]. False: there was none. */
enum { SS_BOOTSTRAP_BINS = 24 };
SS_API bool ss_identification_bootstrap(const ss_identification *id, int32_t model,
                                        int32_t parameter, double *least, double *most,
                                        int32_t *counts);
/* Of two parameters; NAN: one of them is not determined. */
SS_API double  ss_identification_correlation(const ss_identification *id, int32_t model, int32_t a,
                                             int32_t b);
SS_API int32_t ss_identification_trial_count(const ss_identification *id);
SS_API bool    ss_identification_trial(const ss_identification *id, int32_t model, int32_t trial,
                                       ss_identified_trial *out);

typedef struct ss_identification_summary {
    double  cost;    /* sum of squares of residuals over their noise                           */
    double  noise;   /* what the told noise has to be multiplied with to explain the residuals  */
    double  level;   /* of the intervals                                                        */
    int64_t samples; /* numbers that were measured                                             */
    int64_t runs;    /* that were simulated                                                    */
    int32_t iterations;
    bool    converged;
    /* method mpec: the program, and how far what it found is from a run of the engine */
    int32_t    variables; /* 0: another method                                             */
    int32_t    program_iterations;
    ss_outcome program;
    double     program_objective; /* to be compared with cost                                   */
    double     program_apart; /* of its path and the run's, as a part of the recording's extent */
    double     memory; /* correlation of residuals with those of the sample before: 0 for noise   */
} ss_identification_summary;
SS_API ss_identification_summary ss_identification_summarise(const ss_identification *id,
                                                             int32_t                  model);
/* What to be careful about, in words; NULL past the end. */
SS_API const char *ss_identification_warning(const ss_identification *id, int32_t model,
                                             int32_t warning);

/* Unseen position errors of model `a` less those of `b`, recording by recording, in metres: the
   mean and its interval at 95 %. count 0: there are no folds, or one recording. */
SS_API ss_estimate ss_identification_compare(const ss_identification *id, int32_t a, int32_t b);

/*
 * Methods window and particles: what was known when a sample had been taken, of the values and of
 * the coordinates that are free at the start, in the order of ss_identification_moment_name.
 */
typedef struct ss_identified_moment {
    int32_t       trial;
    double        t;         /* from the start of the recording, s                            */
    int32_t       samples;   /* that count: of the window, or all of the recording so far     */
    double        effective; /* particles; NAN: method window                                 */
    bool          resampled; /* after it                                                      */
    int32_t       count;     /* of unknowns                                                   */
    const double *value, *deviation, *low, *high; /* (count) NAN: of another recording        */
    const double *cloud; /* (kept x count) particles, each as likely as the others            */
    int32_t       kept;
} ss_identified_moment;

SS_API int32_t     ss_identification_moment_count(const ss_identification *id, int32_t model);
SS_API const char *ss_identification_moment_name(const ss_identification *id, int32_t model,
                                                 int32_t i); /* NULL past the end */
SS_API bool ss_identification_moment(const ss_identification *id, int32_t model, int32_t moment,
                                     ss_identified_moment *out);

/* One row for each number of each recording: recording, t, column, measured, simulated, residual;
   of methods window and particles for each unknown of each moment: recording, t, samples,
   effective, name, value, deviation, low, high. */
SS_API ss_status ss_identification_csv(const ss_identification *id, int32_t model,
                                       const char *path);

/* One page: recordings beside their runs in the replay and in plots, residuals, profiles with
   intervals, scores. Replays of at most SS_REPORT_RECORDINGS recordings, from best to worst. */
enum { SS_REPORT_RECORDINGS = 12 };
SS_API ss_status ss_identification_report(const ss_identification *id, const char *path);

/*
 * Which of the experiments that `excite` lists would tell most of the free values. Nothing is
 * measured: each is simulated with values drawn from their bounds, and its sensitivities say how
 * much a recording of it would tell.
 */
typedef struct ss_excitation ss_excitation;

typedef struct ss_excited {
    const char *name;
    double gain; /* expected information, bits: what is known of the values is this much sharper  */
    int32_t place;  /* in the order in which they are best made; 0: first                       */
    double  sum;    /* the gain of all experiments up to that place                             */
    int32_t failed; /* values that it cannot be simulated with                                  */
} ss_excited;

SS_API ss_status   ss_study_excite(ss_context *ctx, const ss_study *s, const ss_identify_def *def,
                                   ss_excitation **out);
SS_API void        ss_excitation_destroy(ss_excitation *e);
SS_API int32_t     ss_excitation_count(const ss_excitation *e); /* experiments */
SS_API bool        ss_excitation_get(const ss_excitation *e, int32_t i, ss_excited *out);
SS_API const char *ss_excitation_value(const ss_excitation *e,
                                       int32_t              value); /* NULL past the end */
/* The deviation that a value would have after this experiment alone, root mean square over the
   values it was tried with; *told false: it would tell nothing of it. */
SS_API double ss_excitation_deviation(const ss_excitation *e, int32_t i, int32_t value, bool *told);

/* What study files say about identification, for the reference. */
SS_API void ss_identify_reference(void (*write)(void *user, const char *text), void *user);

#ifdef __cplusplus
}
#endif
#endif
