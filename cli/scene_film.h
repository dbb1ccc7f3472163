/* SPDX-License-Identifier: Apache-2.0 */
/* A run in the plane as a moving picture. */
#ifndef SS_CLI_SCENE_FILM_H
#define SS_CLI_SCENE_FILM_H

#include <stdbool.h>

#include "stickslip/run_file.h"

typedef struct ss_scene_film_def {
    double end;    /* seconds of the run that are shown */
    double speed;  /* .. in a second                    */
    bool   forces; /* with the forces of contacts       */
} ss_scene_film_def;

/* SVG that repeats itself. SS_ERR_INPUT for a scene in space. */
ss_status ss_scene_film_write(ss_context *ctx, ss_run_file *file, const ss_scene_film_def *def,
                              const char *path);

#endif
