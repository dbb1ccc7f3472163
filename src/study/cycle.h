/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limit cycles of a body under a periodic motion: what `cycle` of a study asks for. A part on a
 * shaking plate wanders slowly while it swings fast; held at its place, put back there after every
 * period, it comes to a motion that repeats: the asymptotic motion at that place.
 */
#ifndef SS_STUDY_CYCLE_H
#define SS_STUDY_CYCLE_H

#include <signal.h>

#include "scenefile/node.h"
#include "scenefile/schema.h"
#include "stickslip/sim.h"

/* Coordinates that a cycle may hold, in the order of their names. */
typedef enum ss_held { SS_HELD_X, SS_HELD_Y, SS_HELD_Z, SS_HELD_ANGLE, SS_HELD_COUNT } ss_held;

/* What the study says. */
typedef struct ss_cycle_def {
    ss_node    *node, *period_node, *hold_node;
    const char *period;    /* expression over the params */
    const char *body, *in; /* in: NULL: the world */
    bool        held[SS_HELD_COUNT];
    int32_t     periods; /* at most */
    double      tolerance;
} ss_cycle_def;

/* A cycle in a trial. */
typedef struct ss_cycle {
    const ss_cycle_def *def;
    double              period, step;
    int64_t             steps; /* of a period */
    int32_t             body, in;
    double              extent; /* of the body, metres: what turning is weighed with */
    ss_body_state       place;  /* as seen at the start: where it is held */
    /* what was found */
    bool    found;
    int32_t tried;    /* periods */
    double  error;    /* change of the state by a period, as a share of speed */
    double  speed;    /* the largest in a period, as seen, m/s */
    int32_t measured; /* periods that are worth measuring from here on: 1, if found */
} ss_cycle;

/* Reads the value of `cycle`. */
ss_status           ss_cycle_decode(ss_decoder *d, ss_node *node, ss_cycle_def **out);
extern const ss_key ss_cycle_keys[];

/* Looks the bodies up; `period` is in seconds. */
ss_status ss_cycle_open(ss_context *ctx, const ss_cycle_def *def, const ss_model *m,
                        const ss_data *d, double period, ss_cycle *c);
/* Runs periods from the state of `d` until one repeats itself, or half of def->periods went by. */
ss_status ss_cycle_find(ss_context *ctx, const ss_model *m, ss_data *d,
                        const volatile sig_atomic_t *interrupt, ss_cycle *c);
/* Puts the body back to the place where it is held. */
ss_status ss_cycle_put_back(const ss_model *m, ss_data *d, const ss_cycle *c);

#endif
