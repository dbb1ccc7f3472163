/* SPDX-License-Identifier: Apache-2.0 */
/* What springs and dampers share: two points, one on each body, and the line between them. */
#ifndef SS_FORCE_BETWEEN_H
#define SS_FORCE_BETWEEN_H

#include "force/force.h"

typedef struct ss_between {
    ss_vec3 arm[2];   /* of the points, from the centres of mass, world axes */
    ss_vec3 apart;    /* from the first point to the second                  */
    double  share;    /* of the force along `apart` that keeps energy; 1 but in the middle */
    ss_vec3 velocity; /* of the second point relative to the first           */
} ss_between;

/* Bodies, anchors, damping; `where` opens the messages. */
ss_status ss_between_compile(ss_compiler *c, const ss_force_def *def, const char *where,
                             ss_force *f);

/* At the frames of the present step. */
ss_between ss_between_now(const ss_model *m, const ss_data *d, const ss_force *f);

/* A force on the second body and its opposite on the first. */
void ss_between_pull(ss_data *d, const ss_force *f, const ss_between *b, ss_vec3 force);

/* -c times the relative velocity, or its part along the line. */
ss_vec3 ss_between_damping(const ss_force *f, const ss_between *b);

#endif
