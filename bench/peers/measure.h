/* SPDX-License-Identifier: Apache-2.0 */
/* A run of one scene by one setting of the engine, and the line that each measured value becomes.
 */
#ifndef SS_BENCH_MEASURE_H
#define SS_BENCH_MEASURE_H

#include "peer.h"

typedef struct peer_run {
    const char        *scene;
    const peer_engine *engine;
    int                setting;
    double             h, apart;
    const char        *late_states; /* folder of pile states, or NULL          */
    /* Called before the first step, for scenes that push a body; or NULL. */
    void (*first_push)(const struct peer_run *r, void *world, int step);
    /* of the last peer_simulate() */
    double seconds;        /* CPU time of the steps alone                 */
    double worst_residual; /* largest certificate, NAN when there is none */
} peer_run;

/* Called after each step with the number of steps done. */
typedef void (*peer_observe)(void *user, const peer_run *r, void *world, int step);

/* Prints `scene,engine,setting,h,apart,metric,value`. */
void peer_emit(const peer_run *r, const char *metric, double value);

/* Prints why the engine could not go on: what it says itself, or `gave_up`. */
void peer_emit_trouble(const peer_run *r);

/* All steps of a scene; observe may be NULL. False when the engine cannot or gives up. */
bool peer_simulate(peer_run *r, const peer_scene *s, peer_observe observe, void *user);

/* CPU seconds of this process. */
double peer_seconds(void);

/* A scene of the bench: which abilities it needs, and the function that runs and prints it. */
typedef struct peer_case {
    const char *name;
    unsigned    needs;
    void (*run)(peer_run *r);
} peer_case;

/* pour.c */
void peer_run_pour_100(peer_run *r);
void peer_run_pour_400(peer_run *r);
void peer_run_pour_1000(peer_run *r);
void peer_run_pour_4000(peer_run *r);

/* precision.c */
void peer_run_spheres_100(peer_run *r);
void peer_run_spheres_1000(peer_run *r);
void peer_run_spheres_4000(peer_run *r);
void peer_run_boxes_100(peer_run *r);
void peer_run_boxes_1000(peer_run *r);
void peer_run_boxes_4000(peer_run *r);
void peer_run_wall(peer_run *r);

extern const peer_case peer_cases[];
extern const int       peer_case_count;

#endif
