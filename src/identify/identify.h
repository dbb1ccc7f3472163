/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identification: the parameters theta of a scene, and of how it was measured, that explain
 * recordings. Trial k is one recording; its residuals are
 *
 *   r_ki(theta) = (y_ki - H_i(x_k(t_i - delay; theta))) / sigma_i
 *
 * x_k: the run of the scene with the values of theta, from the start of trial k; H: what a column
 * records (a coordinate of a body, scaled and moved into the frame of the camera); sigma: noise.
 * The estimate minimises sum r^2 (docs/theory/identification.md).
 */
#ifndef SS_IDENTIFY_IDENTIFY_H
#define SS_IDENTIFY_IDENTIFY_H

#include "core/pool.h"
#include "identify/least_squares.h"
#include "scenefile/schema.h"
#include "stickslip/identify.h"
#include "study/study.h"
#include "study/watch.h"

/* What a column of a recording holds of a body. */
typedef enum ss_quantity {
    SS_Q_X,
    SS_Q_Y,
    SS_Q_Z,
    SS_Q_ANGLE, /* 2D */
    SS_Q_QW,    /* 3D: all four, as one rotation */
    SS_Q_QX,
    SS_Q_QY,
    SS_Q_QZ,
    SS_Q_VX,
    SS_Q_VY,
    SS_Q_VZ,
    SS_Q_W, /* 2D */
    SS_Q_WX,
    SS_Q_WY,
    SS_Q_WZ,
    SS_Q_COUNT
} ss_quantity;

/* "x", "y", .. */
extern const char *const ss_quantity_names[SS_Q_COUNT];

typedef enum ss_unit_kind {
    SS_UNIT_LENGTH,
    SS_UNIT_ANGLE,
    SS_UNIT_SPEED,
    SS_UNIT_SPIN,
    SS_UNIT_NONE
} ss_unit_kind;

ss_unit_kind ss_quantity_unit(ss_quantity q);

typedef struct ss_column {
    const char *name;   /* "box.x"            */
    const char *source; /* its name in files  */
    int32_t     body;   /* in `bodies`        */
    ss_quantity quantity;
} ss_column;

/* Which coordinates of a body's start are taken from the recording, and which are searched for. */
typedef struct ss_start_rule {
    int32_t  body;
    uint32_t measured, free; /* bits 1 << ss_quantity; bit SS_Q_QW: the orientation */
} ss_start_rule;

/* One recording. */
typedef struct ss_recorded {
    const char     *name;
    const char     *file;
    double          span[2]; /* of its clock that was asked for             */
    const ss_node  *node;
    int32_t         count;   /* samples                                     */
    double         *t;       /* (count) from the start of the trial, s      */
    double         *y;       /* (count x columns) NAN: missing              */
    int32_t         rows;    /* residuals                                   */
    int32_t         present; /* of them with a measured value               */
    double          extent;  /* how far the positions range                 */
    double          travel;  /* from the first sample to the last           */
    ss_scene_value *values;  /* (value_count) of the scene, for this trial  */
    int32_t         value_count;
    ss_body_state  *start; /* (body_count) as measured                    */
    int32_t         fold;
} ss_recorded;

typedef enum ss_parameter_kind {
    SS_PARAMETER_VALUE, /* of the scene                        */
    SS_PARAMETER_START, /* a coordinate of a body's start      */
    SS_PARAMETER_DELAY, /* of the recording's clock            */
    SS_PARAMETER_OFFSET,
    SS_PARAMETER_LENGTH_SCALE,
    SS_PARAMETER_ANGLE_BIAS
} ss_parameter_kind;

typedef struct ss_parameter {
    const char       *name, *path;
    const ss_node    *node;
    const char       *place; /* "study.yaml:7:3", of values of the scene      */
    ss_parameter_kind kind;
    bool              nuisance;
    int32_t           trial; /* -1: of all                                   */
    int32_t           body, axis;
    ss_quantity       quantity; /* start                                     */
    double            low, high, start, scale;
} ss_parameter;

typedef enum ss_loss_kind {
    SS_LOSS_PATH,
    SS_LOSS_END,
    SS_LOSS_TRAVEL,
    SS_LOSS_MEASURES,
    SS_LOSS_IMPACTS /* impacts.c */
} ss_loss_kind;

typedef struct ss_confidence_def {
    double  level; /* of intervals                        */
    int32_t bootstrap;
    bool    profile;
    bool    steps; /* is what the step adds found, and taken into them? */
} ss_confidence_def;

typedef enum ss_method {
    SS_METHOD_SIMULATE,
    SS_METHOD_MPEC,      /* mpec_search.c */
    SS_METHOD_WINDOW,    /* window.c      */
    SS_METHOD_PARTICLES, /* particles.c  */
    SS_METHOD_NONE       /* nothing is searched for */
} ss_method;

/* What a window knows of the samples before it. */
typedef enum ss_arrival { SS_ARRIVAL_STATE, SS_ARRIVAL_ALL, SS_ARRIVAL_NONE } ss_arrival;

typedef enum ss_particle_kind { SS_PARTICLE_POINT, SS_PARTICLE_GAUSSIAN } ss_particle_kind;

/* Methods that go through a recording sample by sample. */
typedef struct ss_filter_def {
    ss_node *samples; /* of a window: a number, or all; NULL: 20       */
    int32_t  window;  /* the same; 0: all                              */
    int32_t  every;   /* how many samples a window moves               */
    int      arrival; /* ss_arrival                                    */
    int32_t  particles;
    int      kind;     /* ss_particle_kind                             */
    double   kernel;   /* of new particles, as a part of their spread; < 0: by rule */
    double   resample; /* where fewer than this part is effective      */
    int32_t  clouds;   /* particles of each moment that are kept       */
    double   drift;    /* of values in one second, as a part of the width of their bounds */
    ss_node *process;
    double   walk[SS_UNIT_NONE]; /* the same of coordinates that are free, in SI units   */
} ss_filter_def;

/* How the search goes. */
typedef struct ss_search_def {
    const char   *name;
    ss_method     method;
    const char   *algorithm;   /* "gauss-newton" or a name of optimise.h */
    int32_t       evaluations; /* of NLopt                             */
    int32_t       iterations;  /* of Gauss-Newton                      */
    double        tolerance;
    ss_filter_def filter;
} ss_search_def;

/* Runs whose starts scatter about what was measured, and whose mean is predicted. */
typedef struct ss_ensemble_def {
    int32_t runs;                            /* 0: none, one run from what was measured */
    double  position, angle, velocity, spin; /* standard deviations */
} ss_ensemble_def;

/* An identification after reading: constant. */
/* Two free values of neighbouring places. */
typedef struct ss_neighbours {
    int32_t a, b; /* among the parameters */
} ss_neighbours;

typedef struct ss_identify {
    ss_context     *ctx;
    ss_pool         pool;
    const ss_study *study;
    const char    **bodies; /* (body_count) that are recorded or started */
    int32_t         body_count;
    ss_column      *columns;
    int32_t         column_count;
    ss_recorded    *trials;
    int32_t         trial_count, trial_room;
    ss_start_rule  *starts;
    int32_t         start_count;
    int32_t         start_samples; /* of the line that says where a trial starts           */
    ss_parameter   *parameters;
    int32_t         parameter_count, parameter_room;
    int32_t         held_count; /* parameters behind those: they keep their start (method none) */
    ss_ensemble_def ensemble;
    double          sigma[SS_UNIT_NONE];
    bool            sigma_known; /* the noise is as told, not estimated from the residuals */
    bool            sigma_told;  /* .. for all that is recorded                            */
    double          bound;       /* of noise of positions, each number; 0: none            */
    double          length;      /* of the metric of poses; 0: none                        */
    ss_loss_kind    loss;
    double          least_impact; /* m/s: velocity that an impact changes, at least */
    double          sigma_time;   /* of impacts */
    int32_t        *measures;     /* (measure_count) of the study that are residuals  */
    int32_t         measure_count;
    ss_neighbours *smooth; /* (smooth_count) that differ by about smooth_deviation (neighbours.c) */
    int32_t        smooth_count;
    double         smooth_deviation;
    int32_t        folds;
    double         known; /* seconds of a left-out trial that its start is found from; 0: all */
    int32_t        search_starts;
    ss_confidence_def confidence;
    ss_search_def     search;
    bool              excites; /* trials are experiments of `excite`, no recordings           */
    int32_t           points;  /* .. values that they are tried with                      */
    ss_rung          *models;  /* (model_count) values of the scene that belong to each */
    int32_t           model_count;
} ss_identify;

/* The mean over members of an ensemble (ensemble.c): members x (count x columns) -> count x
   columns; rotations by the mean that has the least sum of squared angles to them. */
void ss_ensemble_mean(const ss_identify *p, int32_t count, int32_t members, const double *all,
                      double *out);
/* Moves the bodies that start from the recording, all by one rigid motion and one twist. */
void ss_ensemble_scatter(const ss_identify *p, int32_t trial, int32_t member, int32_t bodies,
                         ss_body_state *states);

/* Reads what the study says (identify_read.c); errors have file and line. */
ss_status ss_identify_read(ss_context *ctx, const ss_study *s, bool excites, ss_identify **out);
void      ss_identify_free(ss_identify *p);

/* The recordings of `data` (recording.c). */
ss_status ss_recordings_read(ss_decoder *d, ss_identify *p, ss_node *data);
/*
 * Columns of an HDF5 file (recording_hdf5.c): "poses/time" is an array of numbers, "poses/xy[1]"
 * the second column of a table, "bodies/position[1,0]" one of a table of tables. All have as many
 * rows. numbers: (rows x count), the caller's
 * pool's.
 */
ss_status ss_recording_hdf5(ss_decoder *d, const ss_node *at, const char *file, int32_t count,
                            const char *const *names, int64_t *rows, const double **numbers);
/* How far its positions range, and from where to where they go. */
void ss_recording_measure(const ss_identify *p, ss_recorded *r);
/* Experiments of `excite` in place of recordings: what the scene shows, without noise (excite.c).
 */
ss_status ss_inputs_read(ss_decoder *d, ss_identify *p, ss_node *node);
/* "vx" -> SS_Q_VX, of those that a scene of this dimension has. */
ss_status ss_quantity_find(ss_decoder *d, const ss_node *at, const char *word, ss_quantity *out);
/* The start of every trial as it was measured: lines through its first samples. */
ss_status ss_recordings_start(ss_identify *p, int32_t samples);

/* ---- runs (identify_run.c) ---- */

/* What a worker has of its own. */
typedef struct ss_identify_worker {
    ss_context                  *ctx;
    const ss_identify           *p;
    int32_t                      model;
    ss_watch                    *watch;
    const volatile sig_atomic_t *interrupt;
    double                       until;    /* samples after this time do not count */
    int32_t                      halvings; /* of the scene's step: what is owed to it */
    ss_recorder                 *recorder; /* of its runs, or NULL */
    int32_t                      member;   /* of the ensemble; -1: from what was measured */
    /* the run: states of the bodies after every step */
    double        *t;
    ss_body_state *states; /* (room x body_count) */
    int32_t        count, room;
    int32_t       *index;  /* (body_count) bodies of the model */
    ss_body_state *placed; /* (start_count) at the start of a run */
} ss_identify_worker;

ss_status ss_identify_worker_start(ss_context *ctx, const ss_identify *p, int32_t model,
                                   const volatile sig_atomic_t *interrupt, ss_identify_worker *w);
void      ss_identify_worker_end(ss_identify_worker *w);

/* The scene of a trial with these values, compiled. */
ss_status ss_identify_model(ss_identify_worker *w, int32_t trial, const double *theta,
                            ss_model **out);
/* .. with data at the start of the trial. Both are the caller's, also where it fails. */
ss_status ss_identify_open(ss_identify_worker *w, int32_t trial, const double *theta, ss_model **m,
                           ss_data **d);
/* Its run: w->t and w->states. */
ss_status ss_identify_simulate(ss_identify_worker *w, int32_t trial, const double *theta);

/*
 * The residuals of a trial (rows); those without a measured value are 0. A run that fails:
 * SS_ERR_CERTIFICATE or the like, with its message in the worker's context.
 */
ss_status ss_identify_residuals(ss_identify_worker *w, int32_t trial, const double *theta,
                                double *r);
/* What one sample shows of bodies (body_count) that are in these states, and its residuals, both
   (columns). */
void ss_identify_differ(const ss_identify *p, int32_t trial, const double *theta, int32_t sample,
                        const ss_body_state *bodies, double *shown, double *r);
/* A coordinate of a start: the value of a state, and its change. */
double ss_identify_coordinate(const ss_body_state *b, ss_quantity q);
void   ss_identify_put(ss_body_state *b, ss_quantity q, double value);
/* What the recording would show (count x columns), and the residuals of its path, whatever the loss
   of the study is. */
ss_status ss_identify_predict(ss_identify_worker *w, int32_t trial, const double *theta,
                              double *predicted, double *r);

/* The frame of the recording undone: what a sample of a column says in the scene's frame, and when.
 */
double ss_identify_unseen(const ss_identify *p, int32_t trial, const double *theta, int32_t column,
                          double value);
double ss_identify_delay(const ss_identify *p, int32_t trial, const double *theta);

/* Of a result (identify.c): what was read, and the values found with a model. */
const ss_identify *ss_identification_problem(const ss_identification *id);
const double      *ss_identification_values(const ss_identification *id, int32_t model);

#endif
