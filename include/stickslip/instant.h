/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forces at an instant (Trinkle 2003, section 2; Dupont and Yamajako 1997): with positions and
 * velocities given, which contact forces and accelerations obey the laws of rigid contact? There
 * may be one answer, several, or none.
 */
#ifndef STICKSLIP_INSTANT_H
#define STICKSLIP_INSTANT_H

#include "stickslip/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a closed contact does at the instant, by its velocity; and then, by its acceleration. */
#define SS_INSTANT_MODE_LIST(X)                                                                    \
    X(SS_INSTANT_SEPARATES, "separates") /* it opens: no force                                */   \
    X(SS_INSTANT_STRIKES, "strikes") /* it closes: an impact, for which forces are no answer */    \
    X(SS_INSTANT_SLIDES, "slides")   /* friction opposes the slip, whose direction is known */     \
    X(SS_INSTANT_STICKS, "sticks")   /* no slip: friction within its cone                 */       \
    X(SS_INSTANT_SMOOTH, "smooth")   /* no friction                                       */       \
    X(SS_INSTANT_LEAVES, "leaves")   /* of a solution: no force, it begins to open         */      \
    X(SS_INSTANT_STARTS, "starts")   /* of a solution: it stuck and begins to slip         */

typedef enum ss_instant_mode {
#define SS_INSTANT_ENUM(code, text) code,
    SS_INSTANT_MODE_LIST(SS_INSTANT_ENUM)
#undef SS_INSTANT_ENUM
} ss_instant_mode;

SS_API const char *ss_instant_mode_text(ss_instant_mode mode);

/* A closed contact at the instant. Forces act on b, their opposites on a. */
typedef struct ss_instant_contact {
    int32_t         body_a, body_b;
    ss_vec3         point;
    ss_vec3         normal, t, o;
    double          mu;
    int32_t         rows;        /* normal, t, o, ... as in ss_contact_info              */
    double          velocity[6]; /* relative velocity; of a contact at rest rounding only */
    ss_instant_mode mode;        /* by its velocity                                      */
    double painleve;  /* N_ii over its value without friction: <= 0 is Painleve's paradox; 1 where
                         it does not slide */
    double mu_border; /* mu at which that is zero; INFINITY: at none */
} ss_instant_contact;

/* What the theories say. Where one does not reach, the answer is SS_UNDECIDED and `..why` tells. */
typedef struct ss_instant_verdict {
    const char *refused; /* why nothing can be said at all; NULL: something can           */
    int32_t     contacts, sliding, sticking, smooth, separating, striking;
    int32_t     other;  /* limits, joint friction, motors and supports that take part      */
    ss_answer   exists; /* is there a solution?                                            */
    const char *exists_why;
    ss_answer   unique; /* is there one motion? (accelerations)                            */
    const char *unique_why;
    ss_answer   forces_unique; /* does the motion determine the contact forces?            */
    int32_t     solutions;     /* listed                                                       */
    bool        complete;      /* these are all                                                */
    ss_answer   p_matrix;      /* of the matrix of Dupont's (9), if nothing sticks             */
    const char *p_matrix_why;
    ss_answer   stable; /* boundary layers with the scene's or the given c^2/k             */
    const char *stable_why;
    double      critical; /* c^2/k above which they are stable; 0: always, INFINITY: never; NAN:
                             the theory does not reach                                     */
    ss_answer pointed;    /* the friction cone; no: the witness are forces that cancel     */
    double    painleve;   /* the least of the contacts'                                    */
    double    mu_border;  /* of mu_border - mu: how far the nearest border is              */
    double    residual;   /* the worst of the listed solutions                            */
    /* Contacts that give. They have the forces of their deflections, which these theories do not
       look at: where there are any, exists and unique are undecided, no solution is listed, and
       p_matrix, stable, pointed and painleve are those of the limit of stiff ones. */
    int32_t giving;
    bool    limit_exists; /* .. which has one motion */
} ss_instant_verdict;

/* An object that judges instants; it owns its results until it judges again. */
typedef struct ss_instant ss_instant;

SS_API ss_status ss_instant_create(ss_context *ctx, const ss_model *m, ss_instant **out);
SS_API void      ss_instant_destroy(ss_instant *s);

/* c^2/k of the boundary layers, for the verdict of stability; NAN (at the start): the critical one
   alone is told. */
SS_API void ss_instant_set_layers(ss_instant *s, double c2_over_k);
/*
 * The state was made by steps of about half so many seconds (0 at the start: it is exact). A step
 * keeps contacts closed as they were at its start; what their rows turn within it, it leaves as
 * velocities and gaps, which then count as none. 2 h suits states that steps of h have made.
 */
SS_API void ss_instant_set_resolution(ss_instant *s, double seconds);
/* List all solutions of problems with at most so many unknowns (24 at the start; 0: none). */
SS_API void ss_instant_set_enumerate(ss_instant *s, int32_t unknowns);
/* Searches end soon after `*flag` is not zero, with what they have; NULL: nothing ends them. */
SS_API void ss_instant_stop_on(ss_instant *s, const volatile sig_atomic_t *flag);

/*
 * Judge the state of the data: positions, velocities and time as they are before the next step.
 * The contacts of the last step are forgotten, the state stays as it is.
 */
SS_API ss_status ss_instant_judge(ss_instant *s, const ss_model *m, ss_data *d,
                                  ss_instant_verdict *out);

SS_API ss_status ss_instant_contact_at(const ss_instant *s, int32_t contact,
                                       ss_instant_contact *out);

/* What a contact does in one of the solutions. */
typedef struct ss_instant_force {
    double          force[6];        /* normal, t, o, ...; N (N m for turns)          */
    double          acceleration[6]; /* of the gap and of the slip                    */
    ss_instant_mode mode;            /* slides, sticks, starts, smooth, leaves        */
    ss_answer       unique;          /* does the motion determine this force? Of a continuum of
                                        motions: is it the same in all of them?          */
    ss_answer normal_unique;         /* .. the normal force alone                        */
} ss_instant_force;

SS_API ss_status ss_instant_force_at(const ss_instant *s, int32_t solution, int32_t contact,
                                     ss_instant_force *out);
/* Accelerations of the bodies in one of the solutions (one per body). */
SS_API ss_status ss_instant_motion_at(const ss_instant *s, int32_t solution, int32_t body,
                                      ss_body_motion *acceleration);
/*
 * Where contacts can share the load in many ways, and each makes another motion, a solution is one
 * of a continuum: from `low` to `high` each acceleration reaches by itself. Both are the motion
 * where it is no such; NAN where it was not found out (no LP solver, too many unknowns).
 */
SS_API ss_status ss_instant_range_at(const ss_instant *s, int32_t solution, int32_t body,
                                     ss_body_motion *low, ss_body_motion *high);
/* Forces (N, the normal ones adding up to 1) that cancel, where the cone is not pointed. */
SS_API ss_status ss_instant_witness_at(const ss_instant *s, int32_t contact, double force[6]);

/*
 * The contacts that bear forces in one of the solutions, and the boundary layers of these alone
 * (Dupont, theorem 4.1): those that leave have none.
 */
typedef struct ss_instant_active {
    int32_t   contacts;
    ss_answer stable;  /* with the c^2/k that was set; SS_UNDECIDED: `why` tells      */
    bool      reached; /* does the theory reach it? (something bears, nothing sticks or depends) */
    const char *why;
    double      critical; /* as in ss_instant_verdict, of the active contacts             */
} ss_instant_active;
SS_API ss_status ss_instant_active_at(const ss_instant *s, int32_t solution,
                                      ss_instant_active *out);

/*
 * The problem of the state as an LCP, all islands together, for study and for solvers of one's own.
 * box = 0: Stewart and Trinkle's over the model's polygon of friction directions. box = k: Peiret's
 * over k directions of acceleration at sticking contacts, with the phantom inertia rho (< 0: chosen
 * from the inertia, away from the values at which the matrix is singular; *used tells).
 * SS_ERR_UNSUPPORTED, with the reason: redundant contacts that stick have no such form; something
 * strikes. The problem lives until the next call with the data.
 */
typedef struct ss_instant_form {
    int32_t box;
    double  rho;
} ss_instant_form;
SS_API ss_status ss_instant_as_lcp(ss_instant *s, const ss_model *m, ss_data *d,
                                   ss_instant_form form, ss_problem *lcp, double *used);
/* A solution z of that LCP becomes solution 0: its forces and accelerations can be asked for. */
SS_API ss_status ss_instant_take(ss_instant *s, const ss_model *m, ss_data *d, const double *z);

/*
 * The matrix of Dupont's (9), (29), D = J_n M^-1 (J_n - mu J_f d)', column-major, of the contacts
 * that slide or are smooth, in their order; NULL when there is none. Valid until the next call.
 */
SS_API const double *ss_instant_matrix(const ss_instant *s, int32_t *n);

/*
 * Boundary-layer stability (Dupont (35)) of a matrix D (n x n, column-major, n <= 24): every
 * eigenvalue a + ib must have a > 0 and a c^2 (a^2 + b^2) - b^2 k > 0. *critical is the c^2/k above
 * which it holds: 0, all real and positive; INFINITY, never; NAN, D is singular (contacts that
 * depend on each other), which the theory does not reach. `eigenvalues` (2 n: a, b of each) may be
 * NULL.
 */
SS_API ss_status ss_layer_stability(ss_context *ctx, const double *D, int32_t n, double *critical,
                                    double *eigenvalues);

#ifdef __cplusplus
}
#endif
#endif
