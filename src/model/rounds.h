/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds: a step is solved under assumptions (which pairs can meet, which side of a corner is
 * passed, how much a joint is loaded ..), and a round that shows that one of them did not hold is
 * followed by another. Each assumption is a reason for another round: one file with one table,
 * and one line in rounds/reason_list.h, where the order stands in which they are asked. A reason
 * keeps what it must know from round to round in a struct of its own and reads nothing of the
 * others'.
 *
 * What a step does (sim/step.c), with the members of ss_reason where they are called:
 *
 *   start
 *     begin
 *       kinematics, forces, broad, collide, rows       -> rows
 *       formulate:  inertia                            -> free_velocities
 *                   islands                            -> islands
 *       solve                                          -> solved
 *       recover:    impulses                           -> impulses
 *                   velocities, trial state            -> check
 *     until all checks hold, or the rounds have run out
 *   until no reason wants them to begin anew           -> anew
 */
#ifndef SS_MODEL_ROUNDS_H
#define SS_MODEL_ROUNDS_H

#include <stdbool.h>

#include "model/model.h"

/* What a reason has to say of a round. */
typedef enum ss_verdict {
    SS_HOLDS,         /* its assumption held                                             */
    SS_AGAIN,         /* another round; the reasons after it have a look at this one too */
    SS_AGAIN_AT_ONCE, /* another round, and nothing else of this one means anything      */
    SS_OVER,          /* another would not help: the step is judged as this one left it  */
    SS_FAILS          /* nor would another, and this one is no step: it has failed       */
} ss_verdict;

/* How the contacts of the next round differ from those of this one. */
typedef enum ss_contacts_change {
    SS_CONTACTS_MORE, /* the same, perhaps some besides */
    SS_CONTACTS_OTHER /* others                         */
} ss_contacts_change;

typedef struct ss_reason ss_reason;
typedef ss_status (*ss_round_hook)(const ss_model *m, ss_data *d, double h);

/* Members that are NULL have nothing to do. */
struct ss_reason {
    const char *name;                    /* "the load of a joint": what did not settle          */
    bool (*concerns)(const ss_model *m); /* does the model have any of this? NULL: always       */

    void (*start)(const ss_model *m, ss_data *d, double h); /* the step begins                  */
    void (*begin)(const ss_model *m, ss_data *d, double h); /* its rounds begin                 */

    /* What a round changes, after the stage or the part of a stage of that name. */
    ss_round_hook rows;
    ss_round_hook free_velocities;
    ss_round_hook islands;
    ss_round_hook impulses;

    ss_verdict (*solved)(const ss_model *m, ss_data *d); /* before anything is recovered         */
    ss_verdict (*check)(const ss_model *m, ss_data *d, double h); /* of the trial state          */
    bool when_all_hold; /* `check` is asked only where those before it in the list held          */

    /* Another reason changes the contacts of the next round. */
    void (*contacts_changed)(const ss_model *m, ss_data *d, ss_contacts_change how);

    /* The rounds are over. True: they begin anew, under another assumption. */
    bool (*anew)(const ss_model *m, ss_data *d);

    /* What it leaves open when the rounds run out, the certificate of the solution judges. Without
       this such a step has failed, whatever the certificate says. */
    bool judged;
};

enum { SS_REASONS_MAX = 24, SS_ROUNDS_MAX = 100 };

/* The rounds of a step, in ss_data. */
typedef struct ss_rounds {
    const ss_reason *reasons[SS_REASONS_MAX]; /* (count) those that concern the model, in order  */
    int32_t          count;
    int32_t          round; /* of the present begin, from 0                                      */
    const ss_pose   *at;    /* (nb) configuration that the next round takes geometry from        */
    bool   forces_stand;    /* forces of an earlier round count: those of the start of the step  */
    size_t kept;            /* scratch below this mark stays as it is from round to round        */
    const ss_reason *open;  /* asked for another round last; NULL: all held                      */
    /* Has any of them something to do here? Most models have nothing. */
    bool any_rows, any_free_velocities, any_islands, any_impulses, any_solved, any_anew;
} ss_rounds;

/* Once, when the data is made: of a list that ends with NULL, those that concern the model. */
void ss_rounds_collect(const ss_model *m, ss_rounds *r, const ss_reason *const *list);

/* The hook `name` of all reasons; a step of one body is short enough to feel calls for nothing. */
#define SS_ROUNDS(name, m, d, h)                                                                   \
    do {                                                                                           \
        if ((d)->rounds.any_##name) {                                                              \
            SS_TRY(ss_rounds_##name(m, d, h));                                                     \
        }                                                                                          \
    } while (0)

void       ss_rounds_start(const ss_model *m, ss_data *d, double h);
void       ss_rounds_begin(const ss_model *m, ss_data *d, double h);
ss_status  ss_rounds_rows(const ss_model *m, ss_data *d, double h);
ss_status  ss_rounds_free_velocities(const ss_model *m, ss_data *d, double h);
ss_status  ss_rounds_islands(const ss_model *m, ss_data *d, double h);
ss_status  ss_rounds_impulses(const ss_model *m, ss_data *d, double h);
ss_verdict ss_rounds_solved(const ss_model *m, ss_data *d);
ss_verdict ss_rounds_check(const ss_model *m, ss_data *d, double h);
bool       ss_rounds_anew(const ss_model *m, ss_data *d);

/* A reason tells the others that the contacts of the next round will be others. */
void ss_rounds_change_contacts(const ss_model *m, ss_data *d, ss_contacts_change how);

#endif
