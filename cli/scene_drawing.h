/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs in the plane as vector drawings: what still pictures (scene_picture.c) and moving ones
 * (scene_film.c) have in common. Shapes are those of the scene in the run file.
 */
#ifndef SS_CLI_SCENE_DRAWING_H
#define SS_CLI_SCENE_DRAWING_H

#include <stdio.h>

#include "stickslip/run_file.h"
#include "stickslip/sim.h"

/* The longest arrow, in pixels. */
enum { SS_DRAWING_ARROW = 90 };

/* Where a joint holds a body, in the body's frame. */
typedef struct ss_drawn_arm {
    int32_t body;
    double  at[2];
} ss_drawn_arm;

typedef struct ss_drawing {
    ss_context     *ctx;
    ss_run_file    *file;
    ss_scene       *scene;
    const ss_model *model;
    ss_model       *own;                         /* model, if it was made here */
    int64_t         state;                       /* that is shown */
    double         *position, *angle;            /* of the bodies: (2 nb), (nb) */
    double          low[2], high[2];             /* metres; what is shown */
    double          scale;                       /* pixels a metre */
    int             height, height_most, margin; /* pixels; 0: the usual most and room around it */
    ss_drawn_arm   *arms;                        /* of the joints */
    int32_t         arm_count;
    double          origin[2]; /* in pixels: where coordinates are counted from */
    FILE           *out;
} ss_drawing;

/* A force at a point, and how the contact that it comes from moves: 1 sticks, 2 slips; 3: it is no
   force but an acceleration. */
typedef struct ss_drawn_force {
    double point[2], force[2];
    int    state;
} ss_drawn_force;

/* Opens the scene of a run; SS_ERR_INPUT for one in space, with the name of the option. */
ss_status ss_drawing_open(ss_drawing *p, ss_context *ctx, ss_run_file *file, const char *option);
/* The same of a model and its state; both stay the caller's. */
ss_status ss_drawing_open_state(ss_drawing *p, ss_context *ctx, const ss_model *m, const ss_data *d,
                                const char *option);
void      ss_drawing_close(ss_drawing *p);
/* The state nearest to time t, and its poses. */
ss_status ss_drawing_go_to(ss_drawing *p, double t);

/* The frame: around the bodies in every state that was added. */
void ss_drawing_add_to_frame(ss_drawing *p);
void ss_drawing_fit(ss_drawing *p);

/* Pixels of a point in metres. */
double ss_drawing_x(const ss_drawing *p, double x);
double ss_drawing_y(const ss_drawing *p, double y);

/* The parts of the drawing, each written to p->out. */
void ss_drawing_head(const ss_drawing *p);
void ss_drawing_shape(const ss_drawing *p, int32_t geom);
/* Joints of a body, and what stands for one without a shape: a bead on rods to its joints. */
void ss_drawing_joints(const ss_drawing *p, int32_t body);
void ss_drawing_name(const ss_drawing *p, int32_t body);
void ss_drawing_force(const ss_drawing *p, const ss_drawn_force *drawn, double pixels);
/* Bars that say how long a metre is and, where `largest` > 0, a force of up to `largest` newtons.
 */
void ss_drawing_scales(const ss_drawing *p, double largest, double pixels);
/* One more of them, in the place above so many. */
void ss_drawing_scale(const ss_drawing *p, double largest, double pixels, int place,
                      const char *unit, int state);

/* How many contacts the state has, and force number i of them. */
ss_status ss_drawing_contacts(ss_drawing *p, int64_t *first, int64_t *count, double *h);
ss_status ss_drawing_contact(ss_drawing *p, int64_t row, double h, ss_drawn_force *f);

#endif
