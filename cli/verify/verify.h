/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verification cases: what the papers (or closed formulas) say, beside what comes out here. A case
 * is one file in cli/verify and one line in case_list.h; it steps scenes and reports quantities.
 */
#ifndef SS_CLI_VERIFY_H
#define SS_CLI_VERIFY_H

#include <stdbool.h>

#include "stickslip/plot.h"
#include "stickslip/stickslip.h"

typedef struct ss_verify ss_verify;

typedef struct ss_verify_case {
    const char *name;    /* "sphere-slide-roll"                              */
    const char *source;  /* where the expected values come from              */
    const char *summary; /* one line for --list                              */
    bool        slow;    /* only with --all, or when named                   */
    ss_status (*run)(ss_verify *v);
} ss_verify_case;

/* All cases of this build. */
int                   ss_verify_case_count(void);
const ss_verify_case *ss_verify_case_at(int index);

/* Reports a quantity: it passes when |value - expected| <= tolerance. */
void ss_verify_near(ss_verify *v, double expected, double value, double tolerance,
                    const char *quantity, ...) SS_PRINTF(5, 6);

/* Draws a figure of the papers anew, where the user asked for it: DIR/name.svg (--plots DIR), and
   in the page (--report). */
ss_status ss_verify_plot(ss_verify *v, const char *name, const ss_plot *plots, int32_t count);

ss_context *ss_verify_context(const ss_verify *v);

/* A built-in scene, compiled and at its start. */
typedef struct ss_verify_world {
    ss_scene *scene;
    ss_model *model;
    ss_data  *data;
} ss_verify_world;

/* `overrides` ends with NULL; NULL itself: none. */
ss_status ss_verify_open(ss_verify *v, const char *scene, const char *const *overrides,
                         ss_verify_world *out);
void      ss_verify_close(ss_verify_world *w);
/* `count` steps of h. */
ss_status ss_verify_steps(ss_verify *v, ss_verify_world *w, double h, int64_t count);
/*
 * geometry: implicit by its two routes, rounds and the thesis' complementarity problem, over
 * `count` steps of h: the number of unknowns of the latter, and by how much velocities of `body`
 * differ.
 */
ss_status ss_verify_routes(ss_verify *v, ss_verify_world *w, const char *body, double h,
                           int64_t count, double unknowns, double tolerance);
/* The state of a body that the scene has. */
ss_body_state ss_verify_body(const ss_verify_world *w, const char *name);

#endif
