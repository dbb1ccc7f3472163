/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Solvers: the interface that users call and that writers of plug-ins fill in.
 *
 * A solver never judges itself. ss_solve() is the one door: it checks that the solver takes the
 * problem, runs it, computes the independent residual of the problem as given, and only then says
 * SS_SOLVED. A plug-in is one file with static functions and one ss_solver_class.
 */
#ifndef STICKSLIP_SOLVER_H
#define STICKSLIP_SOLVER_H

#include <signal.h>
#include <stdbool.h>

#include "stickslip/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the mathematics said. The text is what --json prints. */
#define SS_OUTCOME_LIST(X)                                                                         \
    X(SS_SOLVED, "solved")                 /* residual of the original problem <= tolerance   */   \
    X(SS_INACCURATE, "inaccurate")         /* an answer, but its residual is above tolerance  */   \
    X(SS_RAY, "ray")                       /* Lemke's path ended in a ray                     */   \
    X(SS_INFEASIBLE, "infeasible")         /* proven to have no solution                      */   \
    X(SS_LIMIT, "limit")                   /* iterations or time used up, or told to stop     */   \
    X(SS_NOT_APPLICABLE, "not-applicable") /* this solver cannot take this problem            */   \
    X(SS_NUMERICAL, "numerical")           /* rounding or a singular matrix stopped it        */

typedef enum ss_outcome {
#define SS_OUTCOME_ENUM(code, text) code,
    SS_OUTCOME_LIST(SS_OUTCOME_ENUM)
#undef SS_OUTCOME_ENUM
} ss_outcome;

SS_API const char *ss_outcome_text(ss_outcome outcome);

/*
 * Where a solution goes. The caller owns z and v and says in `warm` whether they hold a starting
 * guess. A guess can only help: ss_solve() keeps the better of what a warm and a cold start give.
 */
typedef struct ss_solution {
    double *z;             /* (ss_problem_size) z, or the reactions r of a cone problem      */
    double *v;             /* (ss_problem_size_v) v of the global cone form, or NULL         */
    bool    warm;          /* in: z (and v) hold a guess                                     */
    double  enough;        /* in: a motion error of a cone problem that counts as solved even where
                              the residual is larger than the tolerance; 0: none              */
    double     better;     /* in: a smaller one that is worth some iterations more; 0: none   */
    bool       polish;     /* in: exact after all where a few steps more may make it so      */
    bool       stands;     /* in: .. and first, as what it holds stands (docs/theory/piles.md) */
    ss_outcome outcome;    /* out: set by ss_solve                                           */
    double     residual;   /* out: independent residual of the problem as given              */
    double     motion;     /* out: motion error of a cone problem (ss_motion_error), else 0  */
    double     missed;     /* out: the same as a velocity                                    */
    int32_t    iterations; /* out: pivots, sweeps or Newton steps                            */
    double     work;       /* out: products that were counted (ss_solver_worked)             */
    double     seconds;    /* out: CPU time, if ss_common.timed                              */
} ss_solution;

/* Settings are typed structs, described once: name, type, place, default, range, meaning. */
typedef enum ss_option_type {
    SS_OPTION_REAL,
    SS_OPTION_INT,
    SS_OPTION_BOOL,
    SS_OPTION_CHOICE
} ss_option_type;

typedef struct ss_option {
    const char    *name;      /* "max_iter": used in YAML, on the command line and in the docs  */
    ss_option_type type;      /* REAL: double, INT and CHOICE: int32_t, BOOL: bool              */
    size_t         offset;    /* of the field in the settings struct                            */
    double         initial;   /* default                                                        */
    double         low, high; /* allowed range, inclusive                                     */
    const char    *choices;   /* CHOICE: "fb|min", the index is stored; otherwise NULL          */
    const char    *doc;       /* one sentence                                                   */
} ss_option;

/* Ends an option table. */
#define SS_OPTION_END                                                                              \
    {                                                                                              \
        NULL, SS_OPTION_REAL, 0, 0, 0, 0, NULL, NULL                                               \
    }

/* Set every field that a table describes to its default. */
SS_API void ss_options_default(const ss_option *table, void *settings);
/* Set one option from text, checking type and range. The message names what was expected. */
SS_API ss_status ss_option_set(ss_context *ctx, const ss_option *table, void *settings,
                               const char *name, const char *value);

/* Settings every solver has. */
typedef struct ss_common {
    double tol;         /* largest residual that counts as solved, default 1e-10             */
    double enough;      /* of a residual below this, solvers may stop on the way to tol when
                           what is left would cost more than all before; 0: go on          */
    bool brief;         /* the caller has another way if this is hard: chains of methods give
                           up sooner, by a count of their iterations                       */
    int32_t max_iter;   /* 0: the solver's own limit                                         */
    int32_t threads;    /* that one solve may use; 0: one. The answer has the same bits      */
    double  time_limit; /* seconds of CPU time; 0: none                                      */
    bool    timed;      /* measure solution.seconds (costs two clock reads a solve)          */
    const volatile sig_atomic_t *stop; /* nonzero ends a solve with what it has; or NULL     */
    double until;      /* so does this time of the monotonic clock, in seconds; 0: none      */
    double work_limit; /* and so many products, counted: at the same place on every machine
                          and with any number of threads; 0: none                          */
    bool rounded;      /* data are results of sums, known to rounding of the largest of them:
                          what rows with data below that contradict is not asked about     */
} ss_common;

typedef struct ss_solver ss_solver;

/* Traits of a solver. */
enum {
    SS_TRAIT_EXACT       = 1u << 0, /* finite: pivoting or enumeration                       */
    SS_TRAIT_WARM_STARTS = 1u << 1, /* uses solution.z as a starting guess                   */
    SS_TRAIT_SPARSE      = 1u << 2, /* works on sparse matrices without densifying them      */
    SS_TRAIT_PROVES      = 1u << 3, /* its SS_INFEASIBLE is a proof                          */
    SS_TRAIT_SPECIAL     = 1u << 4  /* for problems of one form; others are not applicable   */
};

typedef struct ss_solver_class {
    const char      *name;    /* used in scenes and on the command line                */
    const char      *summary; /* one line for `stickslip list`                         */
    unsigned         accepts; /* SS_LCP | SS_MLCP | SS_MCP | SS_CONE                   */
    unsigned         traits;  /* SS_TRAIT_*                                            */
    const ss_option *options; /* of the settings struct, or NULL                       */
    size_t           settings_size;
    size_t           state_size; /* zeroed memory the solver keeps between solves         */
    /*
     * Solve p from x->z (a guess when x->warm, undefined otherwise) and write z (and v), outcome
     * and iterations. SS_SOLVED here means "I believe so": ss_solve() measures and decides.
     * A status other than SS_OK means that the call could not work (no memory), not that the
     * problem is hard.
     */
    ss_status (*solve)(ss_solver *s, const ss_problem *p, ss_solution *x);
    /* Release what state holds, or NULL when it holds nothing but ss_solver_memory. */
    void (*release)(ss_solver *s);
} ss_solver_class;

/* Make a solver of a class, with default settings. */
SS_API ss_status ss_solver_create(ss_context *ctx, const ss_solver_class *cls, ss_solver **out);
/* The same by name: built-in classes and those registered with the context. */
SS_API ss_status ss_solver_create_named(ss_context *ctx, const char *name, ss_solver **out);
SS_API void      ss_solver_destroy(ss_solver *s);

/* Set "tol", "max_iter", "time_limit" or one of the class's own options. */
SS_API ss_status ss_solver_set(ss_solver *s, const char *name, const char *value);
/* The options that every solver has, to read and to write, as long as the solver lives. */
SS_API ss_common *ss_solver_common(ss_solver *s);
/* The table of the options that every solver has. */
SS_API const ss_option *ss_solver_common_options(void);

/* The one door: check, solve, certify. Never returns SS_SOLVED above the tolerance. */
SS_API ss_status ss_solve(ss_solver *s, const ss_problem *p, ss_solution *x);

/* For plug-ins. Settings and state live as long as the solver. */
SS_API ss_context            *ss_solver_context(const ss_solver *s);
SS_API const ss_solver_class *ss_solver_class_of(const ss_solver *s);
SS_API void                  *ss_solver_settings(const ss_solver *s);
SS_API void                  *ss_solver_state(const ss_solver *s);
/*
 * Workspace of at least `size` bytes, aligned to 64, owned by the solver and kept between solves:
 * it grows on the first solves and never after, so repeated solves do not allocate. Contents are
 * not initialised and are lost when it grows. NULL when memory is exhausted.
 */
SS_API void *ss_solver_memory(ss_solver *s, size_t size);
/*
 * True when this solve is to end: its time limit has passed, its work is done, or its stop flag is
 * set. Cheap enough to ask every few iterations.
 */
SS_API bool ss_solver_out_of_time(ss_solver *s);
/*
 * Counts what this solve has done, in products of two numbers: of a sweep or a residual the entries
 * of the matrix, of a pivot those of the dictionary, n^3/3 of a dense factorisation. Whoever asks
 * ss_solver_out_of_time() also counts, or ss_common.work_limit has no meaning for it.
 */
SS_API void ss_solver_worked(ss_solver *s, double products);

/* The solver classes: built-in ones first, then those that were registered, whose structs have to
   live as long as the context. */
SS_API ss_status              ss_solver_register(ss_context *ctx, const ss_solver_class *cls);
SS_API const ss_solver_class *ss_solver_find(const ss_context *ctx, const char *name);
SS_API int32_t                ss_solver_count(const ss_context *ctx);
SS_API const ss_solver_class *ss_solver_at(const ss_context *ctx, int32_t index);

#ifdef __cplusplus
}
#endif
#endif
