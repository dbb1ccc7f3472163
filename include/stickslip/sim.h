/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulation: a scene is compiled into a model (constant, may be shared by threads); data holds all
 * that changes; ss_step() takes the data one step further.
 *
 * NULL objects and indices that do not exist are errors, never crashes: calls that return a status
 * return SS_ERR_ARGUMENT and leave `out` alone, the others return 0, NULL, NaN or -1.
 *
 * How long pointers live: what a model hands out (names, geoms, ss_model_simulation) lives as long
 * as the model; the report of ss_data_report() as long as the data, and each step writes it anew;
 * ss_data_problem() and ss_data_problem_solution() until the next call that changes the data.
 */
#ifndef STICKSLIP_SIM_H
#define STICKSLIP_SIM_H

#include "stickslip/scene.h"
#include "stickslip/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_model ss_model;
typedef struct ss_data  ss_data;

/* Check and compile. Refuses what cannot work, with the reason and what would. */
SS_API ss_status ss_model_compile(ss_context *ctx, const ss_scene *scene, ss_model **out);
SS_API void      ss_model_destroy(ss_model *m);

SS_API int     ss_model_dimension(const ss_model *m);
SS_API int32_t ss_model_body_count(const ss_model *m);
/* Bodies keep the order of the scene: id.index1 == i + 1. */
SS_API const char              *ss_model_body_name(const ss_model *m, int32_t body);
SS_API ss_body_type             ss_model_body_type(const ss_model *m, int32_t body);
SS_API ss_body_id               ss_model_find_body(const ss_model *m, const char *name);
SS_API const ss_simulation_def *ss_model_simulation(const ss_model *m);
/* Do velocities last from step to step (inertia: dynamic)? Then states can be judged, without it
   steps alone. false for NULL. */
SS_API bool   ss_model_has_momentum(const ss_model *m);
SS_API double ss_model_mass(const ss_model *m, int32_t body);
/* The compiled shapes of the model, for viewers and reports. */
SS_API int32_t        ss_model_geom_count(const ss_model *m);
SS_API const ss_geom *ss_model_geom(const ss_model *m, int32_t geom);
/* The frame of a geom's shape in the body frame of the scene (not the centre-of-mass frame). */
SS_API ss_frame ss_model_geom_placement(const ss_model *m, int32_t geom);

/* Joints keep the order of the scene. */
SS_API int32_t     ss_model_joint_count(const ss_model *m);
SS_API const char *ss_model_joint_name(const ss_model *m, int32_t joint);
SS_API int32_t     ss_model_joint_coordinates(const ss_model *m, int32_t joint);
SS_API int32_t     ss_model_find_joint(const ss_model *m, const char *name); /* -1: none */

/* Data at the scene's start. The context must outlive it and is used by its steps alone. */
SS_API ss_status ss_data_create(ss_context *ctx, const ss_model *m, ss_data **out);
SS_API void      ss_data_destroy(ss_data *d);
/* Back to the scene's start. */
SS_API ss_status ss_data_reset(const ss_model *m, ss_data *d);

/* Two bodies that overlap in the present state. */
typedef struct ss_overlap {
    int32_t body_a, body_b;
    double  depth; /* metres                                    */
    double  size;  /* of the smaller body, metres; may be infinite */
} ss_overlap;

/*
 * Which bodies overlap now, and how deep. Writes at most `capacity` of them; *count says how many
 * there are. ss_data_create looks by itself: an overlap above a hundredth of the smaller body is an
 * error unless the scene allows it, one below it a warning in the log. The contacts of the last
 * step are forgotten.
 */
SS_API ss_status ss_data_overlaps(const ss_model *m, ss_data *d, ss_overlap *out, int32_t capacity,
                                  int32_t *count);

/*
 * Solve the islands of a step on up to `threads` threads (1 at the start). The results are the same
 * bits for every number of threads. SS_ERR_UNSUPPORTED for more than 1 when built without OpenMP.
 */
SS_API ss_status ss_data_set_threads(ss_data *d, int32_t threads);

/*
 * q, v at t -> q, v at t + h. A step that fails one of its two certificates is halved and repeated,
 * up to max_splits times (ss_step_report.splits); then the scene's on_failure says what follows. On
 * any failure the state is unchanged.
 */
SS_API ss_status ss_step(const ss_model *m, ss_data *d, double h);

/*
 * The four parts of a step as calls, for those who want to see what is between them, in this order:
 *
 *   ss_step_collide     state -> frames, forces, contacts (ss_data_active_set has gaps and normals)
 *   ss_step_formulate   contacts, joints -> one problem an island (ss_data_problem)
 *   ss_step_solve       problems -> solutions, each with its residual (ss_data_problem_solution)
 *   ss_step_update      solutions -> velocities and positions; both certificates; the next state
 *
 * They are the first round of ss_step(), and with ss_step_update() the step is what ss_step() would
 * have made of it, to the bit: where the model takes more rounds (midpoint, implicit geometry,
 * corners ..) it goes on with those, and where the step ends at events or has to be cut (then there
 * may be no problems to see) it is done anew, from the state at its start, which is unchanged until
 * then. Contacts, joints and supports of the step can be read when it is complete; in between there
 * are none. A call out of order, or after the data was changed between two parts, is
 * SS_ERR_ARGUMENT; any failure ends the step. level: acceleration has no parts
 * (SS_ERR_UNSUPPORTED).
 */
SS_API ss_status ss_step_collide(const ss_model *m, ss_data *d, double h);
SS_API ss_status ss_step_formulate(const ss_model *m, ss_data *d);
SS_API ss_status ss_step_solve(const ss_model *m, ss_data *d);
SS_API ss_status ss_step_update(const ss_model *m, ss_data *d);

SS_API double ss_data_time(const ss_data *d);

/* A body frame: where its origin is, how it is turned, how the origin moves. */
typedef struct ss_body_state {
    ss_vec3 position;
    ss_quat quat_wxyz;
    double  angle; /* 2D: total angle, not wrapped */
    ss_vec3 velocity;
    ss_vec3 angular_velocity; /* world axes; 2D: z */
} ss_body_state;

SS_API ss_status ss_data_body(const ss_model *m, const ss_data *d, int32_t body,
                              ss_body_state *out);
SS_API ss_status ss_data_set_body(const ss_model *m, ss_data *d, int32_t body,
                                  const ss_body_state *state);
/* A force and torque (world axes, at the centre of mass) that act during the next step only. */
SS_API ss_status ss_data_push(const ss_model *m, ss_data *d, int32_t body, ss_vec3 force,
                              ss_vec3 torque);

typedef enum ss_contact_state {
    SS_CONTACT_OPEN,
    SS_CONTACT_STICK,
    SS_CONTACT_SLIP
} ss_contact_state;

/* One contact of the last step. Impulses act on b, their opposites on a. */
typedef struct ss_contact_info {
    int32_t  body_a, body_b;
    int32_t  geom_a, geom_b;
    uint32_t feature_a, feature_b; /* with the geoms: identity that lasts across steps */
    ss_vec3  point;                /* in the world, at the start of the step            */
    ss_vec3  normal, t, o;         /* frame; normal from a to b                         */
    double   gap;                  /* at the start of the step                          */
    double   mu;
    double   impulse[6];    /* normal, t, o, torsion, rolling about t, o; N s    */
    int32_t  impulse_count; /* how many of them the model has                    */
    double   velocity[6];   /* relative velocity at the end of the step          */
    double   deflection[3]; /* of contacts that give, at the end of the step: normal, t, o */
    ss_contact_state state;
    /* Where several directions could separate the two: the features whose direction was taken, a
       face of a or of b (the other 0), or an edge of each. Both 0: there was no choice. */
    uint32_t branch_a, branch_b;
} ss_contact_info;

/* Two features of two bodies that are near each other now, touching or not. */
typedef struct ss_feature_pair {
    int32_t  body_a, body_b;
    int32_t  geom_a, geom_b;
    uint32_t feature_a, feature_b;
    ss_vec3  point_a, point_b;   /* on the surfaces, in the world                         */
    ss_vec3  normal;             /* unit, from a to b                                     */
    double   gap;                /* normal.(point_b - point_a); < 0: overlap              */
    uint32_t branch_a, branch_b; /* as in ss_contact_info; here those of all directions */
} ss_feature_pair;

/*
 * The active set: every pair of features of bodies that may collide whose gap is at most `reach`
 * metres in the present state, also between the parts of a step. At corners it has the pairs of
 * each direction that could separate the two, where a step takes one. Writes at most `capacity` of
 * them, in an order that does not change from call to call; *count says how many there are.
 */
SS_API ss_status ss_data_active_set(const ss_model *m, ss_data *d, double reach,
                                    ss_feature_pair *out, int32_t capacity, int32_t *count);

SS_API int32_t   ss_data_contact_count(const ss_data *d);
SS_API ss_status ss_data_contact(const ss_model *m, const ss_data *d, int32_t contact,
                                 ss_contact_info *out);

/*
 * All at once, for bindings: a row for each body in the order of the scene, body frames as
 * ss_data_body() has them. Each array may be NULL; otherwise it has room for all bodies.
 */
typedef struct ss_body_arrays {
    double (*position)[3];
    double (*quat_wxyz)[4];
    double *angle; /* 2D: total angles, not wrapped */
    double (*velocity)[3];
    double (*angular_velocity)[3];
} ss_body_arrays;

SS_API ss_status ss_data_bodies(const ss_model *m, const ss_data *d, const ss_body_arrays *out);
/* The first `capacity` contacts of the last step; *count says how many there are. */
SS_API ss_status ss_data_contacts(const ss_model *m, const ss_data *d, ss_contact_info *out,
                                  int32_t capacity, int32_t *count);

/* A point at which a planar body lies on a surface (2.5D), after the last step. */
typedef struct ss_support_info {
    int32_t          body;
    ss_vec3          point;        /* in the world, now                                     */
    double           normal_force; /* newtons, known beforehand                             */
    double           mu;           /* along `axis`                                          */
    double           mu_across;    /* and across it; the same: friction has no direction    */
    double           axis[2];      /* in the world, in the last step                        */
    double           friction[2];  /* force on the body along x and y, mean of the step     */
    double           velocity[2];  /* of the point at the end of the step                   */
    double           torsion;      /* largest moment over the largest force, m; 0: none     */
    double           moment;       /* on the body about the point, mean of the step         */
    ss_contact_state state;
} ss_support_info;

/* Support points of all bodies, in the order of the scene. */
SS_API int32_t   ss_model_support_count(const ss_model *m);
SS_API ss_status ss_data_support(const ss_model *m, const ss_data *d, int32_t support,
                                 ss_support_info *out);

/* A joint after the last step. Forces act on body b, their opposites on body a. */
typedef struct ss_joint_info {
    int32_t body_a, body_b; /* -1: the world                                                  */
    ss_vec3 anchor;         /* of b, in the world, at the start of the step                    */
    ss_vec3 force, torque;  /* of the constraint, at the anchor; N and N m, mean of the step;
                               of a distance joint all that pulls: its limits and spring too   */
    bool    unique;         /* false: redundant, only the sum over several joints is determined */
    double  error;          /* how far it is open now: metres, or radians times 1 m             */
    int32_t coordinates;    /* how many of the entries below count                             */
    double  value[SS_JOINT_COORDINATES];    /* now: m or rad                                   */
    double  rate[SS_JOINT_COORDINATES];     /* now                                             */
    double  friction[SS_JOINT_COORDINATES]; /* force or torque along the coordinate            */
    double  motor[SS_JOINT_COORDINATES];
    double  limit[SS_JOINT_COORDINATES];
    double  spring[SS_JOINT_COORDINATES];
} ss_joint_info;

SS_API ss_status ss_data_joint(const ss_model *m, const ss_data *d, int32_t joint,
                               ss_joint_info *out);

/*
 * A force of the scene in the last step, as it was evaluated: springs, dampers and controllers with
 * a declared stiffness change within a step, which is not part of it.
 */
typedef struct ss_force_info {
    int32_t body[2];   /* -1: the world, or no second body                     */
    ss_vec3 point[2];  /* where it acts, in the world, at the start of the step */
    ss_vec3 force[2];  /* on each body, N                                      */
    ss_vec3 torque[2]; /* on each body, at its point, N m                      */
} ss_force_info;

SS_API int32_t     ss_model_force_count(const ss_model *m);
SS_API const char *ss_model_force_name(const ss_model *m, int32_t force);
SS_API ss_status   ss_data_force(const ss_model *m, const ss_data *d, int32_t force,
                                 ss_force_info *out);

/* The stages of a step, in their order. */
#define SS_STAGE_LIST(X)                                                                           \
    X(KINEMATICS, "kinematics")                                                                    \
    X(FORCES, "forces")                                                                            \
    X(BROAD, "broad phase")                                                                        \
    X(COLLIDE, "collide")                                                                          \
    X(ROWS, "rows")                                                                                \
    X(FORMULATE, "formulate")                                                                      \
    X(SOLVE, "solve")                                                                              \
    X(RECOVER, "recover")

typedef enum ss_stage_id {
#define SS_STAGE_ENUM(id, text) SS_STAGE_##id,
    SS_STAGE_LIST(SS_STAGE_ENUM)
#undef SS_STAGE_ENUM
        SS_STAGE_COUNT
} ss_stage_id;

/* Measure the time of every stage from now on (or no longer): nine looks at the clock a step. */
SS_API void ss_data_time_stages(ss_data *d, bool on);

/*
 * From now on a step ends with SS_ERR_INTERRUPTED, its state as it was, soon after `*flag` is not
 * zero: in the middle of a solve if need be. A signal handler or another thread may set it; NULL:
 * nothing interrupts steps.
 */
SS_API void ss_data_stop_on(ss_data *d, const volatile sig_atomic_t *flag);

/* Is the motion of a step the only one for its normal forces, and of a small island that is struck
   the only one at all (docs/theory/impact.md)? Whether other normal forces make another motion
   elsewhere is asked by ss_analyze_motion() and simulation: {verdicts}. */
typedef enum ss_motion_verdict {
    SS_MOTION_UNIQUE,
    SS_MOTION_NOT_UNIQUE, /* the least of them was taken: docs/theory/quasistatic.md */
    SS_MOTION_UNDECIDED   /* something is too near to zero to tell                   */
} ss_motion_verdict;

SS_API const char *ss_motion_verdict_text(ss_motion_verdict verdict);

/* A velocity of a body frame's origin and an angular velocity, world axes. */
typedef struct ss_body_motion {
    ss_vec3 velocity, angular_velocity;
} ss_body_motion;

/*
 * What the closed contacts can do to the bodies they touch. Judged in steps without momentum
 * (inertia: damped, quasistatic); where several islands differ, the last of the list counts.
 */
typedef enum ss_hold {
    SS_HOLD_UNTESTED,  /* the model has momentum, or nothing touches                           */
    SS_HOLD_FREE,      /* the cone of contact forces is pointed, and something moves            */
    SS_HOLD_UNDECIDED, /* within rounding of the border, or too many contacts                   */
    SS_HOLD_JAMMED,    /* pointed, and its forces balance the load: nothing moves               */
    SS_HOLD_WEDGED,    /* not pointed: contact forces can press against each other with no load */
    SS_HOLD_COUNT
} ss_hold;

/* "untested", "free", "undecided", "jammed", "wedged" */
SS_API const char *ss_hold_text(ss_hold hold);

/*
 * May the rigid model be trusted in a step? The three questions of Dupont and Yamajako (1997),
 * section V, asked of the state before it where simulation: {verdicts: true} wants it: do contact
 * forces exist and are they unique, which contacts bear them, are those stable (instant.h)?
 */
#define SS_RULING_LIST(X)                                                                          \
    X(SS_RULING_NONE, "not asked")                                                                 \
    X(SS_RULING_YES, "yes")                                                                        \
    X(SS_RULING_NO, "no")                                                                          \
    X(SS_RULING_UNDECIDED, "undecided")                                                            \
    X(SS_RULING_NOT_APPLICABLE, "not applicable") /* the theory does not reach the state */

typedef enum ss_ruling {
#define SS_RULING_ENUM(code, text) code,
    SS_RULING_LIST(SS_RULING_ENUM)
#undef SS_RULING_ENUM
        SS_RULING_COUNT
} ss_ruling;

SS_API const char *ss_ruling_text(ss_ruling ruling);

typedef struct ss_step_verdict {
    ss_ruling unique;        /* is there one motion? no: there is none, or there are several      */
    ss_ruling forces_unique; /* does it determine the contact forces?                             */
    int32_t   solutions;     /* motions that were found, 0: there is none; -1: not known          */
    int32_t   active;        /* contacts that bear force in the one motion; -1: not known         */
    ss_ruling stable;        /* are their boundary layers? (nothing may stick)                    */
} ss_step_verdict;

/* What the last step found out about itself. */
typedef struct ss_step_report {
    double     step;         /* h                                                             */
    ss_outcome outcome;      /* the worst over the islands                                    */
    double     residual;     /* the worst certificate over the islands                        */
    double     motion_error; /* the largest over the islands (ss_motion_error); 0 without
                                momentum and for polygon cones, which are solved exactly  */
    int32_t     by_motion;   /* islands that were accepted by their motion error alone        */
    const char *solver;      /* name of the solver                                            */
    int32_t     iterations;  /* sum over the islands                                          */
    int32_t     islands;
    int32_t     asleep; /* bodies that were left out of it (simulation: {sleep}) */
    int32_t     contacts;
    int32_t     rounds;      /* of the loop inside the step; most models need one            */
    int32_t     rows;        /* of all problems together                                      */
    int32_t     redundant;   /* rows of joints that follow from the others                    */
    double      joint_error; /* widest opening of a joint, m; angles: at the smaller body     */
    double      penetration; /* deepest overlap at its end, true gaps; metres                 */
    int32_t     splits;      /* parts beyond the first that it was cut into: 0, it was not cut */
    int32_t     events;      /* impacts that a part of the step ends at                        */
    double      gain;        /* energy that restitution, corrections and integration put in; J */
    double      restitution_factor; /* least part of the restitution that an island could use
                                       without making energy: 1, all of it                    */
    double turnover;    /* sum of all energies that changed hands in it; J               */
    bool   marked;      /* a certificate failed and the run was told to go on            */
    bool   over_budget; /* step_budget ran out: it is the best that was found within it   */
    double work;        /* products of solvers that were counted, and what a round costs, of all
                           rounds, parts and attempts: the same on every machine          */
    double  stage_seconds[SS_STAGE_COUNT]; /* all rounds together; zero when not timed    */
    int32_t corners_open;     /* pairs at corners for which no choice of branch agreed        */
    bool    gaps_dropped;     /* it ended in a ray and was done again with gap: velocity      */
    ss_motion_verdict motion; /* for the normal forces of the step: of models without a matrix;
                                 with one it is unique for them, but for rest that was taken  */
    ss_hold hold;             /* do the contacts wedge or jam the bodies?                     */
    int32_t solutions; /* level: acceleration: the most that an event in it had; one is taken   */
    int32_t bridges;   /* .. times that the impulse level took over (SS_EVENT_BRIDGED) ..       */
    double  bridged;   /* .. and for how long, together; seconds                                */
    ss_step_verdict verdict; /* of the state before it, where verdicts are asked for            */
} ss_step_report;

/* Is the body asleep (simulation: {sleep: true}, docs/theory/piles.md)? */
SS_API bool ss_data_asleep(const ss_data *d, int32_t body);

/* level: acceleration. What happens at a time that a step found between its ends. */
#define SS_EVENT_LIST(X)                                                                           \
    X(SS_EVENT_IMPACT, "impact")   /* it closes: velocities jump                              */   \
    X(SS_EVENT_LANDS, "lands")     /* it closes without a velocity to lose                    */   \
    X(SS_EVENT_LEAVES, "leaves")   /* its normal force has become zero                        */   \
    X(SS_EVENT_SLIPS, "slips")     /* friction has reached its bound: it begins to slide      */   \
    X(SS_EVENT_STICKS, "sticks")   /* its slip has become zero: it sticks, or slides back     */   \
    X(SS_EVENT_RESTS, "rests")     /* the last of infinitely many impacts in a finite time    */   \
    X(SS_EVENT_BRIDGED, "bridged") /* forces do not lead on: by impulses, with `until`       */

typedef enum ss_event_kind {
#define SS_EVENT_ENUM(code, text) code,
    SS_EVENT_LIST(SS_EVENT_ENUM)
#undef SS_EVENT_ENUM
} ss_event_kind;

SS_API const char *ss_event_text(ss_event_kind kind);

typedef struct ss_event {
    double        time; /* of the last impact where it rests: extrapolated, see `until`         */
    double        until;
    ss_event_kind kind;
    int32_t       body_a, body_b; /* of a contact; -1, and the joint or support point below      */
    int32_t       joint, support; /* -1: none                                                   */
} ss_event;

/* Of the last step, in their order; none with level: impulse. */
SS_API int32_t   ss_data_event_count(const ss_data *d);
SS_API ss_status ss_data_event(const ss_model *m, const ss_data *d, int32_t event, ss_event *out);

/*
 * level: acceleration. A time at which several motions obey the laws of contact (Painleve's rod
 * slides on, or leaves). One of them is taken: the one in which the constraints do least, unless
 * ss_data_choose() names another.
 */
enum { SS_FORK_MOTIONS = 4096 };
typedef struct ss_fork {
    double  time;
    int32_t motions;      /* how many, numbered from 0                            */
    int32_t taken, least; /* which was taken; which is the least                   */
    bool    complete;     /* these are all                                         */
    char    what[96];     /* what the contacts in question do in the one taken, cut if it is long */
} ss_fork;

/* Of the last step, in their order; none with level: impulse. */
SS_API int32_t   ss_data_fork_count(const ss_data *d);
SS_API ss_status ss_data_fork(const ss_model *m, const ss_data *d, int32_t fork, ss_fork *out);
/*
 * Motions to take at the next forks, in their order (copied; count 0: forget those that are left);
 * where there are fewer motions than the number says, and at later forks, the least is taken.
 * SS_ERR_UNSUPPORTED for level: impulse, whose steps have no forks.
 */
SS_API ss_status ss_data_choose(const ss_model *m, ss_data *d, const int32_t *motions,
                                int32_t count);

/* Of the last step, also of one that failed. The struct lives as long as the data; the next step
   writes over it. */
SS_API const ss_step_report *ss_data_report(const ss_data *d);

/*
 * Was the motion of the last step the only one that balances with its normal forces (thesis (3.48),
 * corrected)? If not, direction[body] (one per body, or NULL) tells a way in which the velocities
 * of that step could be changed, by a little at least, with the same forces; its fastest point
 * moves at 1 m/s. Otherwise the directions are zero.
 */
SS_API ss_motion_verdict ss_motion_unique(const ss_model *m, const ss_data *d,
                                          ss_body_motion *direction);

typedef enum ss_balance_verdict {
    SS_BALANCE_OPEN,     /* no proof that there is none                                    */
    SS_BALANCE_NOT_HERE, /* nothing that touches at the start of the step balances the forces */
    SS_BALANCE_NOWHERE   /* nor does all that the step may reach                           */
} ss_balance_verdict;

/* "open", "not here", "nowhere" */
SS_API const char *ss_balance_text(ss_balance_verdict verdict);

/*
 * Why the last step, of a model without momentum, failed: is there a proof that nothing balances
 * the forces on the bodies? The proof is a motion, `witness` (one per body, or NULL), its fastest
 * point at 1 m/s, along which the forces do work that nothing opposes: joints and motors stay as
 * they are, no force within its friction cone does negative work at any of these contacts, and
 * friction of known bounds takes less than the forces give. `power` (or NULL): what is left, in W.
 * Open: zeros.
 */
SS_API ss_balance_verdict ss_nothing_balances(const ss_model *m, const ss_data *d,
                                              ss_body_motion *witness, double *power);

/*
 * Energies now, and what changed them since the start, line by line:
 *
 *   kinetic + potential = (at the start) + applied + driven + restitution + corrections
 *                         + integration - dissipated
 *
 * to rounding (docs/theory/motion-certificate.md).
 */
typedef struct ss_energy {
    double kinetic, potential;
    double dissipated;  /* taken by friction, impacts, dampers and drag; never falls          */
    double applied;     /* put in by pushes, constant forces and controllers                  */
    double driven;      /* put in by motors, belts and kinematic bodies                       */
    double restitution; /* given by laws of impact at more than the others took: 0 to rounding */
    double corrections; /* by moving overlaps and joints back in position; as printed
                           (integrator: euler): by psi/h and phi/h                            */
    double integration; /* error of the time-stepping itself                                  */
} ss_energy;

SS_API ss_energy ss_data_energy(const ss_model *m, const ss_data *d);

/* The problem that the last step solved for an island, for a look or a file; NULL past the end.
   Both live until the next step, or until the data takes on another state. */
SS_API const ss_problem *ss_data_problem(const ss_data *d, int32_t island);
SS_API const double     *ss_data_problem_solution(const ss_data *d, int32_t island);
/* How far its solution is from being one; NAN past the end. */
SS_API double ss_data_problem_residual(const ss_data *d, int32_t island);
/* Its motion error (ss_motion_error), and whether it is solved to the tolerance: otherwise it was
   accepted by its motion error. */
SS_API double ss_data_problem_motion_error(const ss_data *d, int32_t island);
SS_API bool   ss_data_problem_exact(const ss_data *d, int32_t island);

/*
 * The state as a flat vector of ss_state_size numbers, as long for every state of a model: time,
 * energy lost so far, poses and velocities of all bodies, coordinates of joints. For finite
 * differences, filters and replay; what a state remembers besides (guesses of impulses, loads of
 * joints) is forgotten by ss_state_set. The hash is of the bits of all that a snapshot holds.
 */
SS_API int32_t   ss_state_size(const ss_model *m);
SS_API ss_status ss_state_get(const ss_model *m, const ss_data *d, double *state);
SS_API ss_status ss_state_set(const ss_model *m, ss_data *d, const double *state);
SS_API uint64_t  ss_state_hash(const ss_model *m, const ss_data *d);

/*
 * A snapshot is all of the state: the vector, and what the next step starts from besides: the last
 * step's impulses, loads of joints, pushes. A run that goes on from a restored snapshot gives the
 * same bits as one that was never interrupted; ss_state_set alone gives the same motion within the
 * tolerance.
 */
SS_API size_t    ss_snapshot_size(const ss_model *m, const ss_data *d); /* bytes, now */
SS_API ss_status ss_snapshot_get(const ss_model *m, const ss_data *d, void *snapshot);
SS_API ss_status ss_snapshot_set(const ss_model *m, ss_data *d, const void *snapshot, size_t size);

#ifdef __cplusplus
}
#endif
#endif
