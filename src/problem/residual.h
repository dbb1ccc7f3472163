/* SPDX-License-Identifier: Apache-2.0 */
/* The residual of each problem type; ss_residual() picks one. docs/theory/residuals.md defines
 * them. */
#ifndef SS_PROBLEM_RESIDUAL_H
#define SS_PROBLEM_RESIDUAL_H

#include <stdbool.h>

#include "stickslip/problem.h"

/*
 * true: the residual of z is certainly above `least`, which takes a product and no more. false says
 * nothing. `work` as for ss_residual().
 */
bool ss_residual_above(const ss_problem *p, const double *z, double least, double *work);

/*
 * The rows of an lcp or mlcp at z, known to more digits than their terms have (w), the sums of the
 * sizes of their terms, and the sizes s_i that they are measured by. Each (n), in `work`, which
 * takes ss_residual_work() doubles. false: something overflows.
 */
typedef struct ss_row_sizes {
    const double *w, *terms, *size;
} ss_row_sizes;
bool ss_residual_rows(const ss_problem *p, const double *z, double *work, ss_row_sizes *out);

/*
 * Of an mcp at z: are data of some row lost in rounding of its terms, or missed by a fair part?
 * Data of a row are F near the origin; where that is not finite, the constant of F linearised at z.
 * No row of such an answer tells whether there is a solution. `work` as for ss_residual().
 */
bool ss_residual_loses_data(const ss_mcp *p, const double *z, double *work);

/* Entries of the matrices that a residual goes through (problem.c). */
double ss_problem_entries(const ss_problem *p);
double ss_cone_entries(const ss_cone *p);

/* residual_cone.c */
double ss_residual_cone(const ss_cone *p, const double *r, const double *v, double *work);
size_t ss_residual_cone_work(const ss_cone *p);
/* What a motion misses: the largest velocity, and that as a part of the scale: c. */
typedef struct ss_missed {
    double speed, c;
    double enough; /* in: c that is enough, 0: none                                        */
} ss_missed;
/*
 * The same, and what the motion misses (unless NULL); p->speed is its scale. Where that is enough
 * the residual decides nothing, and is that of the blocks alone, without the closer looks.
 */
double ss_residual_cone_motion(const ss_cone *p, const double *r, const double *v, double *work,
                               ss_missed *missed);

/*
 * What ss_residual_cone_motion() leaves in its workspace, (n) each, friction scaled to round cones:
 * velocities, the sizes of their terms, the diagonal of W and velocities without reactions.
 */
typedef struct ss_cone_rows {
    const double *u, *term, *w, *free;
} ss_cone_rows;
ss_cone_rows ss_residual_cone_rows(const ss_cone *p, const double *work);

/* The same of a global form: (nv) the sizes of what is added up in its momentum. */
const double *ss_residual_cone_momentum(const ss_cone *p, const double *work);

/* Rows of a contact, at most: normal, two of sliding, torsion, two of rolling. */
enum { SS_CONE_ROWS = 6 };

/* |r - P(r - s u~)|^2 of one block, its rows scaled to a round cone. */
double ss_cone_block_error2(const ss_block *b, const double *r, const double *u, double s);

/* residual_strained.c: the second look at a problem whose reactions outgrow its velocities. */
typedef struct ss_strained {
    const ss_cone *p;
    const double  *r, *v; /* as given                                                        */
    const double  *round; /* (n) r, scaled to round cones                                    */
    const double  *free;  /* (n) velocity without reactions, scaled alike                    */
    const double  *w;     /* (n) diagonal of W, or what M's diagonal gives for it, alike      */
    const double  *term;  /* (n) size of the terms added up in u, scaled alike               */
} ss_strained;

double ss_residual_strained(const ss_strained *x, double *work);
size_t ss_residual_strained_work(const ss_cone *p);

/* For every row, max t_i / sqrt(W_ii) over the rows connected with it; lives in `work`. */
const double *ss_residual_component_terms(const ss_strained *x, double *work);

#endif
