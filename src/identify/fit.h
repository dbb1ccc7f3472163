/* SPDX-License-Identifier: Apache-2.0 */
/* A search over runs: least squares of residuals of all recordings, or of some. */
#ifndef SS_IDENTIFY_FIT_H
#define SS_IDENTIFY_FIT_H

#include "identify/identify.h"

/* What searches share: workers, one for each thread. */
typedef struct ss_fitter {
    ss_context            *ctx;
    const ss_identify     *p;
    const ss_identify_def *def;
    ss_identify_worker    *workers; /* (threads) */
    int32_t                threads;
    double                *low, *high, *scale; /* (parameters) */
    int32_t               *rows;               /* (trials + 1) */
    double                *weight;             /* (trials + 1) of the last search */
    int64_t                runs;
    const char            *doing;
    char                   message[512]; /* of the last run that failed */
    ss_status              failed;
} ss_fitter;

ss_status ss_fitter_start(ss_context *ctx, const ss_identify *p, int32_t model,
                          const ss_identify_def *def, ss_fitter *f);
/* Refuses bounds that the scene does not take. */
ss_status ss_fitter_check_bounds(ss_fitter *f);
void      ss_fitter_end(ss_fitter *f);

/* Of one run that could not be made, by its worker's context; one thread at a time. */
void ss_fitter_note(ss_fitter *f, const ss_context *ctx, ss_status status);
/* After so many runs: tells progress; not SS_OK: the search is to end. */
ss_status ss_fitter_after(ss_fitter *f, int64_t runs);

/* How a search is told from others. */
typedef struct ss_fit {
    const double *weight; /* (trials) NULL: all 1                                             */
    const bool   *fixed;  /* (parameters) NULL: none                                          */
    double        until;  /* samples after this time do not count; INFINITY: all do            */
    int32_t       iterations;
    int32_t       halvings; /* of the scene's step                                            */
} ss_fit;

/* Gauss-Newton from theta, which becomes the best; A as in ss_squares_minimise, or NULL. */
ss_status ss_fit_minimise(ss_fitter *f, const ss_fit *fit, double *theta, double *A,
                          ss_squares_result *out);

/* What became of the program of method `mpec`. */
typedef struct ss_program_result {
    ss_outcome outcome;
    int32_t    variables; /* states, forces, noise and parameters; 0: it was not posed */
    int32_t    iterations;
    double     objective;
    double     apart; /* of its positions and those of the run, over the extent of the recording */
} ss_program_result;

/* The search of the study: from its starts, by its method and algorithm. */
ss_status ss_fit_search(ss_fitter *f, double *theta, double *A, ss_squares_result *out,
                        ss_program_result *program);

/* ---- how sure (confidence.c) ---- */

enum { SS_PROFILE_MOST = 32 };

/* What is known of one parameter. */
typedef struct ss_certainty {
    double           deviation, low, high, bootstrap_low, bootstrap_high;
    double           step_error; /* within low and high; NAN: it was not found */
    ss_determined    determined;
    bool             at_bound, rough;          /* rough: the profile jumps */
    ss_profile_point profile[SS_PROFILE_MOST]; /* where the profile was followed, by value */
    int32_t          profile_count;
    int32_t          bins[SS_BOOTSTRAP_BINS]; /* of values between the two that follow */
    double           bootstrap_least, bootstrap_most;
    bool             wanders;            /* method window: it changes by more than its deviations */
    double           all, all_deviation; /* filters: what least squares over all samples says */
} ss_certainty;

/*
 * Deviations and correlations (n x n) from J'J, intervals by profile or linear. noise: the factor
 * by which residuals exceed the noise told; degrees: of freedom. *better: values that explain the
 * recordings better were met on the way; there (n; may be NULL): which.
 */
ss_status ss_confidence(ss_fitter *f, const double *theta, const double *A, double cost,
                        double noise, double degrees, ss_certainty *out, double *correlation,
                        bool *better, double *there);

/* ---- what the step of the runs adds (step_error.c) ---- */

/* How far each value (n) may be off for the step of the runs; NAN: runs with finer steps cannot be
   made. */
ss_status ss_step_error(ss_fitter *f, const double *theta, double *error);
/* Takes it into the intervals. */
void ss_include_step_error(const ss_fitter *f, const double *error, ss_certainty *out);

#endif
