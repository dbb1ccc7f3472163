/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a simulation: what it is at an instant. All of it, and nothing else, is saved,
 * restored and hashed (state.c, snapshot.c), so that a run goes on from a snapshot with the same
 * bits as one that was never interrupted.
 *
 * It is made of parts. A method that remembers something from step to step (deflections of
 * contacts, a controller's integral) keeps it in an array of its own, describes it by one
 * ss_state_part, and adds a line to state_list.h; nothing else need know of it.
 */
#ifndef SS_MODEL_STATE_H
#define SS_MODEL_STATE_H

#include "model/model.h"

/* Impulses of the last step's blocks, found again by key; in the order of the blocks. */
typedef struct ss_warm_entry {
    uint64_t key;
    double   impulse[6]; /* normal, t, o, ...: as the block's rows */
} ss_warm_entry;

/* What a contact that gives has of its deflection at the end of a step, found again by key. */
typedef struct ss_deflection {
    uint64_t key;
    double   normal;
    ss_vec3  along;  /* in the tangent plane, world axes */
    double   energy; /* stored in it, joules             */
    double   rest;   /* overlap at which it begins       */
    double   share;  /* of the stiffness of its patch    */
    int32_t  body[2];
} ss_deflection;

/* What changed the energies: of a step, or since the start (certify/ledger.c). */
typedef struct ss_ledger {
    double dissipated, applied, driven, restitution, corrections, integration;
    double turnover; /* sum of everything that changed hands, and of what could have     */
    /* what the certificate judges a run by (certify/gain.c) */
    double made;   /* energy that nothing put in; over a run: its rise since it was lowest */
    double net;    /* the same, with what the scheme lost                                  */
    double raised; /* `made` and what moving overlaps of steps apart raises bodies by; without
                      momentum: what closing joints gives that steps left open             */
    double raised_net;
    double risen;     /* rise of `integration` since it was lowest; of a run only             */
    double strayed;   /* into velocities that closing joints takes out                        */
    double swung;     /* .. that changed hands, island by island                              */
    double exchanged; /* sum of the energies that changed hands                               */
    double in_play;   /* the most kinetic energy that a step began with                       */
    /* the same of angular momenta of islands that nothing holds (certify/turns.c) */
    double turn_off;       /* that nothing explains                             */
    double turn_exchanged; /* that changed hands                                */
    double turn_in_play;   /* the most that was there                           */
} ss_ledger;

/* Did a contact with two coefficients of friction stick? Found again by key
   (rounds/reason_sticking.c). */
typedef struct ss_sticking_entry {
    uint64_t key;
    int64_t  sticks;
    double   behind; /* .. and how far behind a driven surface the step left it, m/s */
} ss_sticking_entry;

/* What a contact, limit or friction does from one event to the next, found again by key
   (hybrid/): an ss_instant_mode, and the direction of its slip, with the tangent that its numbers
   are counted from: tangents of contacts jump where normals pass some directions. */
typedef struct ss_mode_entry {
    uint64_t key;
    int64_t  mode;
    double   slip[5];
    ss_vec3  t; /* zero: no contact */
} ss_mode_entry;

typedef struct ss_state {
    double             t;
    ss_pose           *pose;  /* (nb) */
    ss_twist          *twist; /* (nb) */
    ss_warm_entry     *warm;  /* (warm_count) */
    int32_t            warm_count, warm_capacity;
    double             warm_step;  /* h of the step that left them */
    ss_deflection     *deflection; /* (deflection_count) */
    int32_t            deflection_count, deflection_capacity;
    ss_mode_entry     *mode; /* (mode_count) level: acceleration */
    int32_t            mode_count, mode_capacity;
    ss_sticking_entry *sticking; /* (sticking_count) level: impulse */
    int32_t            sticking_count, sticking_capacity;
    ss_ledger          ledger;      /* since the start              */
    double            *joint_value; /* (nj x 3) coordinates, turns counted              */
    double            *joint_load;  /* (nj) force of the constraint in the last step    */
    ss_vec3           *joint_late;  /* (nj; no friction by load: 0) of which closing it, over h */
    ss_wrench         *push;        /* (nb) pushes for the next step, cleared by it */
    double            *memory;      /* (memory_count) what controllers keep         */
    double            *quiet;  /* (nb; sleep: false: 0) seconds that it has been at rest      */
    int32_t           *asleep; /* (nb; likewise) 0: awake; else the same for all that sleep
                                  together: the first of them, counted from 1                 */
} ss_state;

/* Some memory of a part; a part has a few, in a fixed order. */
typedef struct ss_span {
    void  *at;
    size_t bytes;
} ss_span;

enum { SS_SPANS_MAX = 4 };

typedef struct ss_state_part {
    const char *name;
    /* Where it is now and how much; returns how many spans. */
    int (*spans)(const ss_model *m, const ss_data *d, ss_span *out);
    /*
     * It consists of numbers, as many for every state of a model, and is in the state vector.
     * Otherwise it is in snapshots and in the hash alone: because its size varies, or because it
     * tells nothing but where the next step starts its search.
     */
    bool in_vector;
    /* Makes room for so many bytes in all, and has so many from then on; NULL: always the same. */
    ss_status (*resize)(ss_data *d, size_t bytes);
    /* As before the first step, where a state vector does not tell; NULL: it does. */
    void (*forget)(const ss_model *m, ss_data *d);
} ss_state_part;

#define SS_STATE_PART(name) extern const ss_state_part ss_state_part_##name;
#include "model/state_list.h"
#undef SS_STATE_PART

/* All parts, in their order, then NULL. */
extern const ss_state_part *const ss_state_parts[];

/* Bytes of a part. */
size_t ss_state_part_bytes(const ss_state_part *part, const ss_model *m, const ss_data *d);

/* A part into a buffer, or out of one; returns where the buffer goes on. */
unsigned char *ss_state_part_get(const ss_state_part *part, const ss_model *m, const ss_data *d,
                                 unsigned char *to);
const unsigned char *ss_state_part_set(const ss_state_part *part, const ss_model *m, ss_data *d,
                                       const unsigned char *from);

#endif
