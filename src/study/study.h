/* SPDX-License-Identifier: Apache-2.0 */
/* What a study is after reading: constant, shared by all workers. */
#ifndef SS_STUDY_STUDY_H
#define SS_STUDY_STUDY_H

#include "scenefile/source.h"
#include "stickslip/study.h"
#include "study/cycle.h"

typedef enum ss_vary_kind {
    SS_VARY_GRID,
    SS_VARY_LIST,
    SS_VARY_TABLE,
    SS_VARY_UNIFORM,
    SS_VARY_NORMAL,
    SS_VARY_LOGNORMAL,
    SS_VARY_CHOICE,
    SS_VARY_DIRECTION,
    SS_VARY_ROTATION,
    SS_VARY_SUPPORT,
    SS_VARY_BOUNDS /* what a design chooses */
} ss_vary_kind;

typedef enum ss_sampling {
    SS_SAMPLING_RANDOM,
    SS_SAMPLING_LATIN,
    SS_SAMPLING_SOBOL,
    SS_SAMPLING_SALTELLI
} ss_sampling;

/* A column of inputs: a scalar of the scene. */
typedef struct ss_input {
    const char        *path;
    const char *const *levels; /* (level_count) texts that the number counts; NULL: a number */
    int32_t            level_count;
} ss_input;

/* Something that varies: one value of the scene, or (table) several that vary together. */
typedef struct ss_variable {
    const char     *path;
    const ss_node  *node; /* in the study file, for messages                             */
    ss_vary_kind    kind;
    uint32_t        name;      /* the path as a number, for the generator            */
    double          low, high; /* grid, uniform; mean and deviation; length; radius  */
    double          centre[2]; /* support                                            */
    int64_t         count;     /* values of a grid, list, choice; rows of a table    */
    const ss_node **values;    /* list, choice: (count); table: (count x columns)    */
    double         *leaves;    /* list, choice, table: (count x input_count)         */
    int32_t         input, input_count;
    int32_t         coordinate;       /* first of its random coordinates, for sobol         */
    int32_t         coordinate_count; /* uniform numbers that it takes                      */
    double          start;            /* bounds: where the search begins                    */
    int32_t         choice;           /* bounds: its place in a candidate                   */
    int32_t         correlated;       /* row of the correlation matrix, -1: none            */
    int32_t         random;           /* its place among the random variables, -1: it is none */
} ss_variable;

typedef enum ss_study_kind {
    SS_STUDY_SWEEP,
    SS_STUDY_DESIGN,
    SS_STUDY_PLAN,
    SS_STUDY_IDENTIFY
} ss_study_kind;

/* What a study says about identification, as it stands in the file (identify/). */
typedef struct ss_identify_nodes {
    ss_node *data, *free, *nuisance, *noise, *loss, *folds, *confidence, *models, *excite, *smooth;
    int32_t  starts;
} ss_identify_nodes;

typedef struct ss_measure {
    const char             *name;
    const char             *text; /* expression; NULL: in C                    */
    const ss_node          *node;
    const ss_measure_class *cls;
    void                   *user;
    bool                    truth; /* it gave true or false when it was tried   */
} ss_measure;

/* FNV-1a, and of everything that the numbers of a journal follow from (design_journal.c). */
uint64_t ss_study_mix(uint64_t hash, const void *bytes, size_t size);
uint64_t ss_study_fingerprint(const struct ss_study *s);

/* The keys of a study file (study_read.c). */
const struct ss_key *ss_study_keys(void);

/* The question whether a body has any way through at all (geometric.c). */
typedef struct ss_geometric {
    const char *body;
    double      x[2], y[2];                    /* where it may be: low, high           */
    int32_t     cells[3];                      /* of x, y and angle                    */
    double      to_x[2], to_y[2], to_angle[2]; /* where it has to come: low, high      */
    bool        any_way;                       /* it may rise too                      */
} ss_geometric;

/* Which measures are a velocity over which axes (flow_trials.c). */
typedef struct ss_field_def {
    ss_node *at, *velocity; /* as they stand in the file */
    int32_t  axis[2], measure[2];
} ss_field_def;

/* A model to try a candidate on: values of the scene that belong to it. */
typedef struct ss_rung {
    const char         *name;
    ss_scene_value     *values; /* (count) */
    int32_t             count;
    const ss_geometric *geometric; /* NULL: trials are run */
} ss_rung;

/* What a plan can do: numbers that are chosen, and numbers that follow from where things are. */
typedef struct ss_action {
    const char  *name;
    ss_variable *choices; /* (choice_count) kinds BOUNDS and CHOICE, of numbers                 */
    int32_t      choice_count;
    int32_t      set_first, set_count; /* measures: their values before it go into the scene   */
} ss_action;

/* A measure that a plan brings near zero, and how near is near enough. */
typedef struct ss_goal {
    int32_t measure;
    double  tolerance;
} ss_goal;

struct ss_study {
    ss_context      *ctx; /* memory and messages while it is made; never used afterwards */
    ss_pool          pool;
    ss_study_kind    kind;
    const char      *path, *name;
    const char      *directory; /* of its file, with a slash at the end */
    const char      *resolved;  /* the study after overrides, as YAML: what --resume compares */
    ss_scene_source *source;
    ss_scene        *first_scene; /* of trial 0: its params are those of all */
    int              dimension;   /* of the scene */
    uint64_t         seed;
    int32_t          trials; /* per cell */
    int64_t          cells;
    ss_sampling      sampling;
    ss_variable     *variables;
    int32_t          variable_count;
    ss_input        *inputs;
    int32_t          input_count;
    int32_t          coordinate_count; /* random ones, of all variables */
    int32_t          random_count;     /* variables that are drawn      */
    double          *correlation;      /* (n x n) lower triangular factor */
    int32_t          correlated_count;
    const char      *stop; /* NULL: none */
    const ss_node   *stop_node;
    ss_measure      *measures;
    int32_t          measure_count;
    ss_field_def    *field; /* NULL: none */
    ss_cycle_def    *cycle; /* NULL: trials run for their duration */
    /* designs */
    int32_t       choice_count; /* variables with bounds                                     */
    const double *candidate;    /* (choice_count) their values; NULL: those at the start     */
    ss_node      *objective, *constraints, *method; /* as they stand in the file, or NULL     */
    /* plans */
    ss_action   *actions; /* (action_count) */
    int32_t      action_count;
    ss_goal     *goals; /* (goal_count) */
    int32_t      goal_count;
    const char **carry; /* (carry_count) bodies that go on where the last action left them      */
    int32_t      carry_count;
    int32_t      length[2]; /* of a plan: at least, at most                                     */
    int32_t      check;     /* fresh trials that judge the plan found                           */
    int32_t      told;      /* measures that the file names; those of actions follow            */
    ss_identify_nodes identify;
    /* models from cheap to expensive; one without values where the file names none */
    ss_rung *rungs; /* (rung_count) */
    int32_t  rung_count;
    /* a view of the study: values of the scene beside those that vary */
    const ss_scene_value *extra; /* (extra_count) */
    int32_t               extra_count;
};

/* The value that a node decodes to is at most this many scalars. */
enum { SS_STUDY_LEAVES_MAX = 4096 };
/* Measures of a study at most. */
enum { SS_STUDY_MEASURES = 256 };

bool ss_variable_makes_cells(const ss_variable *v);

/* inputs of a trial (sample.c). */
void ss_study_draw(const ss_study *s, int64_t trial, double *inputs);
/* Which entry of a grid, list, table or choice a trial takes. */
int64_t ss_study_entry(const ss_study *s, const ss_variable *wanted, int64_t trial);
/* The scene of these inputs. */
ss_status ss_study_make_scene(ss_context *ctx, const ss_study *s, int64_t trial,
                              const double *inputs, bool texts, ss_scene **out);
/* A number of the scene, as it would stand in the study file at `at`; NULL: no memory. */
ss_node *ss_study_number(ss_pool *pool, const ss_node *at, double value);
/* The lower triangular factor of a correlation matrix, in place; false: not positive definite. */
bool ss_cholesky(double *A, int32_t n);

#endif
