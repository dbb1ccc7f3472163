/* SPDX-License-Identifier: Apache-2.0 */
/* What a boundary-value program is made of, for period_rows.c and period_program.c. */
#ifndef SS_STUDY_PERIOD_PARTS_H
#define SS_STUDY_PERIOD_PARTS_H

#include "study/jet.h"
#include "study/period_program.h"
#include "study/period_scene.h"

typedef struct ss_period_program ss_period_program;

/* Unknowns of a step: state before, state after, contact; of the ends of a period: two states, w.
 */
enum {
    SS_PERIOD_STATE = 6,
    SS_PERIOD_TOUCH = 6,
    SS_PERIOD_LOCAL = 2 * SS_PERIOD_STATE + SS_PERIOD_TOUCH,
    SS_PERIOD_JETS  = 512
};
enum { SS_PERIOD_FORCE, SS_PERIOD_SLIDE, SS_PERIOD_OPEN, SS_PERIOD_SLACK, SS_PERIOD_DIRECTION };
enum { SS_PERIOD_STEP_ROWS = 10, SS_PERIOD_END_ROWS = 8, SS_PERIOD_ROWS = 10 };

/* Places of a kind of rows in Jacobian and Hessian: which derivatives are not zero throughout. */
typedef struct ss_period_pattern {
    int32_t rows, locals;
    bool   *first;  /* (rows x locals) */
    bool   *second; /* (locals (locals + 1) / 2) */
} ss_period_pattern;

struct ss_period_program {
    ss_context          *ctx;
    const ss_study      *study;
    const ss_period_def *def;
    ss_pool              pool;
    ss_period_scene     *scenes; /* (places) */
    int32_t              places, n, m, pairs, order;
    int32_t             *first; /* (places) variable of the first state */
    int32_t *leader;  /* (places) the place that frames are taken from: itself, or the first */
    double  *leads;   /* frames of the first place at two candidates */
    double **numbers; /* (places) x jet of choices, each (count): values, then derivatives */
    double  *known;   /* (choices) where the numbers are known */
    double  *nudged, *plus, *minus; /* room for differences */
    ss_jets  jets;
    ss_period_pattern step, ends;
    double           *x, *x_low, *x_high, *zero, *weight;
    int32_t          *jrow, *jcol, *hrow, *hcol;
    int32_t           jcount, hcount;
    int32_t (*pair)[2];
    double   *pair_scale;
    double    start[SS_PERIOD_CHOICES]; /* choices that it begins with, as shares of their ranges */
    ss_status status;
};

/* Choices of the design, and the first variable of a state, of a contact in a step (from 1), of the
   drift. */
static inline int32_t ss_period_choices(const ss_period_program *p)
{
    return p->def->choices;
}
int32_t ss_period_state(const ss_period_program *p, int32_t place, int32_t step);
int32_t ss_period_touch(const ss_period_program *p, int32_t place, int32_t step);
int32_t ss_period_drift(const ss_period_program *p, int32_t place);

/* The numbers of a place's scene (0), or their derivatives: places in a jet of the choices. */
double *ss_period_number(const ss_period_program *p, int32_t place, size_t which);
/* Which places have the same frames; before the first ss_period_learn. */
ss_status ss_period_leaders(ss_period_program *p);
/* Numbers (order 0), with their derivatives (2), at the choices of x. */
ss_status ss_period_learn(ss_period_program *p, const double *x, int32_t order);

/* Variables of the rows of a step, or of the ends of a period, and the rows themselves, as jets. */
int32_t ss_period_step_columns(const ss_period_program *p, int32_t place, int32_t step,
                               int32_t *cols);
int32_t ss_period_end_columns(const ss_period_program *p, int32_t place, int32_t *cols);
void    ss_period_step_rows(ss_period_program *p, int32_t place, int32_t step, const double *x,
                            double *out[SS_PERIOD_ROWS]);
void    ss_period_end_rows(ss_period_program *p, int32_t place, const double *x,
                           double *out[SS_PERIOD_ROWS]);

#endif
