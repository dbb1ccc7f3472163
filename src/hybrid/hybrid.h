/* SPDX-License-Identifier: Apache-2.0 */
/*
 * level: acceleration. The laws of contact give forces and accelerations at an instant (instant/);
 * between events they are integrated, at events the motion changes its equations:
 *
 *   q' = v,   M v' = F + J'c,      c by the modes of all contacts, which stay between events
 *
 *   mode       equations of the contact                what ends it
 *   slides     a_n = 0, c_f = -mu c_n s                 slip zero; c_n = 0
 *   sticks     a_n = 0, a_f = 0                         |c_f| = mu c_n; c_n = 0
 *   smooth     a_n = 0                                  c_n = 0
 *   open       c = 0                                    gap zero: an impact, or it lands
 *
 * and likewise for limits of joints, dry friction in joints, limited motors and supports. With
 * modes given the forces follow from linear equations; every evaluation is certified against the
 * complementarity problem that it must solve (Trinkle 2003, section 2; thesis 2.5.2).
 */
#ifndef SS_HYBRID_HYBRID_H
#define SS_HYBRID_HYBRID_H

#include "instant/instant_parts.h"

/* Numbers of one body in the vector y: position, orientation (2D: the angle first), velocities. */
enum { SS_Y_P = 0, SS_Y_Q = 3, SS_Y_V = 7, SS_Y_W = 10, SS_Y_BODY = 13 };
/* After all bodies: works since the start of the step. */
enum { SS_Y_APPLIED, SS_Y_DRIVEN, SS_Y_LOST, SS_Y_PASSIVE, SS_Y_WORKS };
enum { SS_STAGES = 7, SS_LOST_MOST = 16 };

/* What touched is not found any more: a corner has passed the end of a face. No event by itself. */
enum { SS_HYBRID_LOST = SS_EVENT_BRIDGED + 1 };

/* What shows at a state that the modes do not allow; kind < 0: nothing. */
typedef struct ss_happening {
    int      kind; /* ss_event_kind */
    uint64_t key;
    double   value; /* the quantity that must not be negative */
    double   rate;  /* how fast it changes; 0: not known      */
    double   slip[5];
    ss_vec3  t; /* .. counted from this tangent */
    ss_event who;
} ss_happening;

/* A contact that has just parted and will meet again so soon that it rests. */
typedef struct ss_bounce {
    bool     found;
    uint64_t key;
    double   left; /* seconds until the last of its impacts */
    ss_event who;
} ss_bounce;

/* Gaps of what is open and near, and how fast they change. */
enum { SS_NEAR_MOST = 16 };
typedef struct ss_near {
    int32_t  count;
    uint64_t key[SS_NEAR_MOST];
    double   gap[SS_NEAR_MOST], rate[SS_NEAR_MOST];
} ss_near;

/* The laws at a state. */
typedef struct ss_flow {
    double       residual; /* of the problem that they must solve */
    bool         lost;     /* a contact of the modes is not there .. */
    uint64_t     lost_key; /* .. this one                            */
    bool         finite;
    ss_happening happens;
    ss_bounce    bounce;
    ss_near      near;
} ss_flow;

/* A state to come back to. */
typedef struct ss_kept {
    void  *state;
    size_t room, size;
} ss_kept;

/* What there was at that state. */
typedef struct ss_progress {
    double  time;
    int32_t events, forks, choice_next, several;
    double  residual, gain, turnover;
} ss_progress;

/* The last time that the impulse level went (bridge.c). */
typedef struct ss_bridge {
    double length, end;
} ss_bridge;

typedef struct ss_hybrid {
    ss_instant *instant; /* solvers that find modes */
    int32_t     ny;
    size_t      numbers;
    double     *memory; /* (numbers) all of the below */
    double     *y, *y_end, *y_mid, *scale;
    double     *k[SS_STAGES], *dense[5];
    double      time_constant;
    double      slope; /* how near what slides was to Painleve's paradox in it: 0 on the border */
    double grip; /* of joints, the least in a step of the integrator: small, they are singular */
    double next; /* step of the integrator to try */
    ss_mode_entry *modes; /* at present */
    int32_t        mode_count, mode_capacity;
    ss_near        near;               /* at the start of the integrator\'s step */
    uint64_t       lost[SS_LOST_MOST]; /* what does not touch, at this time, although it seems to */
    int32_t        lost_count;
    uint64_t       striking;  /* the last that struck */
    bool           struck;    /* the last impact changed velocities */
    ss_motion_verdict motion; /* did an impact of this step have several outcomes? */
    ss_event         *events; /* of the step */
    int32_t           event_count, event_capacity;
    bool        keeps_slips; /* an evaluation at an accepted state: directions of slips are kept */
    int64_t     evaluations;
    double      searched; /* products that collision took in them (shapes that are searched) */
    double      residual;
    int32_t     several; /* solutions at an event, of which one was taken */
    int32_t    *choices; /* (choice_count) which, at forks to come */
    int32_t     choice_count, choice_next;
    ss_fork    *forks; /* of the step */
    int32_t     fork_count, fork_capacity;
    ss_answer   unique;              /* at the last event */
    double      gain, turnover;      /* energies of the step: nobody's, and in play */
    ss_kept     start, impact, good; /* good: the last state that was certified */
    ss_progress kept;                /* .. what there was at it */
    ss_bridge   bridge;
    bool        stuck;  /* forces at an instant do not lead on, though there may be an answer */
    ss_twist   *driven; /* (nb) velocities of kinematic bodies at an impact */
} ss_hybrid;

/* kinks.c: is there anything whose velocity could jump; the first time in [a, b] at which that of a
   driven body or a motor does. */
bool      ss_hybrid_driven(const ss_model *m);
ss_status ss_hybrid_find_kink(const ss_model *m, ss_data *d, double a, double b, bool *found,
                              double *out);

/* hybrid_flow.c: the state of d <-> y; derivatives at (t, y) under the modes. */
void      ss_hybrid_read(const ss_model *m, const ss_data *d, double *y);
void      ss_hybrid_write(const ss_model *m, ss_data *d, double t, const double *y);
ss_status ss_hybrid_flow(const ss_model *m, ss_data *d, double t, const double *y, double *dy,
                         ss_flow *flow);
/* x of least norm with A x = -q (A n x n, column-major, destroyed); returns the rank. */
int32_t ss_least_norm(int32_t n, double *A, const double *q, double *x, double *work);

/* Forces and accelerations under the modes. */
typedef struct ss_solved {
    double *a;     /* (nv)                                      */
    double *force; /* (rows of d)                               */
    bool   *loose; /* (blocks) its island's forces are not unique */
    bool   *idle;  /* (blocks) friction that no acceleration depends on */
    double *size;  /* (blocks) of the forces of its island      */
    double  residual;
} ss_solved;

/* hybrid_flow.c: of all islands, under the loads of joints that come out. */
ss_status ss_hybrid_solve(const ss_model *m, ss_data *d, ss_instant_rows *r, ss_solved *out);

/* load_shares.c: forces of all rows of an island (rows of p), of which the rule has one where the
   modes leave many; from the least ones. False in *found: none that the modes allow. */
ss_status ss_hybrid_share(ss_data *d, const ss_instant_rows *r, const ss_instant_problem *p,
                          double *force, bool *found);

/* faint_slips.c: directions of slips that begin or end, in r; `out` as they make it. */
ss_status ss_hybrid_direct(const ss_model *m, ss_data *d, ss_instant_rows *r, ss_solved *out);

/*
 * loads.c: were friction bounds of joints made with the loads that `force` (rows of d) has? If not
 * they are now; `times`: how often that was asked.
 */
ss_status ss_hybrid_loads_agree(const ss_model *m, ss_data *d, ss_instant_rows *r,
                                const double *force, int32_t times, bool *agree);

/* hybrid_watch.c: what a state shows that the modes do not allow. */
ss_status ss_hybrid_watch(const ss_model *m, ss_data *d, const ss_instant_rows *r,
                          const ss_solved *x, ss_near *near, ss_happening *out);

ss_event ss_hybrid_who(const ss_model *m, const ss_data *d, const ss_instant_rows *r, uint64_t key);
void     ss_hybrid_watch_bounce(const ss_model *m, const ss_data *d, const ss_instant_rows *r,
                                const double *a, ss_bounce *out);

/* modes.c: does what touches move, whatever its forces? */
ss_status ss_hybrid_moves(const ss_model *m, ss_data *d, const ss_instant_rows *r,
                          const bool *doubtful, ss_happening *out);
/* modes.c: modes at the state of d; *strikes: an impact comes first. `after`: the event that ended
   the last ones, NULL: none. */
ss_status      ss_hybrid_find_modes(const ss_model *m, ss_data *d, const ss_happening *after,
                                    bool *strikes);
ss_mode_entry *ss_hybrid_mode(ss_hybrid *h, uint64_t key);
bool           ss_hybrid_is_lost(const ss_hybrid *h, uint64_t key);
void           ss_hybrid_lose(ss_hybrid *h, uint64_t key);

/* impact.c: impulses that take no time. */
ss_status ss_hybrid_impact(const ss_model *m, ss_data *d);
/* Is a change of a body's velocity more than this part of it? */
bool ss_hybrid_changes(const ss_hybrid *h, double length, const ss_twist *was, const ss_twist *by,
                       double part);
ss_status ss_hybrid_save(const ss_model *m, ss_data *d, ss_kept *to);

/* bridge.c: the state and all that the step has so far are what a bridge begins with; over what
   forces do not lead through, by impulses. */
ss_status ss_hybrid_keep(const ss_model *m, ss_data *d);
ss_status ss_hybrid_bridge(const ss_model *m, ss_data *d, double end);
/* Were forces asked for at so many states of the step that it goes on without them? */
bool ss_hybrid_asked_too_often(const ss_model *m, const ss_hybrid *h);
/* How often and how long the step went by impulses. */
void ss_hybrid_count_bridges(const ss_hybrid *h, ss_step_report *report);
/* Is a bridge just behind? It leaves slips of the size of its steps, which may be none. */
bool ss_hybrid_just_bridged(const ss_hybrid *h, double t);

/* project.c: positions, and velocities if asked for, onto what the modes hold. */
ss_status ss_hybrid_project(const ss_model *m, ss_data *d, bool velocities);
/* Do joints ask for other velocities than bodies have? Then an impact comes first. */
ss_status ss_hybrid_torn(const ss_model *m, ss_data *d, bool *torn);

/* dopri.c: one step of Dormand and Prince from k[0]; error over the tolerance; dense output. */
ss_status ss_dopri_step(const ss_model *m, ss_data *d, double t, double step, double *error,
                        ss_flow *worst);
void      ss_dopri_dense(ss_hybrid *h, double step);
void      ss_dopri_at(const ss_hybrid *h, double theta, double *y);

/* hybrid_ledger.c: energies of a piece of smooth motion. */
ss_status ss_hybrid_account(const ss_model *m, ss_data *d, double energy, double elastic,
                            const double *works);
double    ss_hybrid_energy(const ss_model *m, ss_data *d, double *elastic);

ss_status ss_hybrid_note(ss_data *d, const ss_event *event);

/* forks.c: which of `motions` motions is taken, where `least` is the least? */
int32_t   ss_hybrid_choose(const ss_hybrid *h, int32_t motions, int32_t least);
ss_status ss_hybrid_note_fork(ss_data *d, const ss_fork *fork);
void      ss_hybrid_free_forks(ss_data *d);

#endif
