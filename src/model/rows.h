/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows: everything that touches, joins or drives bodies, as  u = J v + bias  with a law per block
 * (equality, unilateral, cone, disk: the kinds of problem.h). Each row acts on at most two bodies;
 * what couples two joints may act on four, and is then as wide as two rows.
 * Contacts, joints and motors make rows; the formulation turns them into a problem without knowing
 * where they came from.
 */
#ifndef SS_MODEL_ROWS_H
#define SS_MODEL_ROWS_H

#include <stdbool.h>

#include "stickslip/problem.h"

/* What made a block: a contact, or a part of a joint. */
typedef enum ss_row_source {
    SS_ROWS_CONTACT,
    SS_ROWS_JOINT,    /* what holds the joint together */
    SS_ROWS_FRICTION, /* dry friction in it            */
    SS_ROWS_LOWER,    /* its limits                    */
    SS_ROWS_UPPER,
    SS_ROWS_MOTOR,
    SS_ROWS_SUPPORT, /* a point at which a planar body lies on a surface */
    SS_ROWS_GIVE,    /* what a spring or damper adds by moving within the step: a row that gives */
    SS_ROWS_REBOUND  /* friction of the impulse that the expansion of an impact returns */
} ss_row_source;

enum { SS_ROW_SIDES = 4 };

typedef struct ss_row_block {
    ss_block_kind kind;
    int32_t       row;   /* first row                                                  */
    int32_t       dim;   /* number of rows                                             */
    double        mu;    /* cones                                                      */
    double        bound; /* disks: largest impulse                                     */
    int32_t       sides; /* bodies it may act on: 2, of wide rows 4                    */
    int32_t       body[SS_ROW_SIDES]; /* moving bodies a, b .., -1 where there is none   */
    ss_row_source source;
    int32_t       index; /* of the contact, joint or support point                      */
    int32_t       part;  /* coordinate or friction group of the joint                  */
    uint64_t      key;   /* identity that lasts across steps: warm starts              */
    int32_t       island;
    int32_t       spring; /* contacts that give: 1 + which of d->springs; 0: it is rigid  */
    bool          closes; /* contacts: its gap is taken to close in the step (closing.c)  */
    bool          left;   /* .. and is not any more, because it does not (reason_closing.c) */
    /* impacts, of contacts alone */
    bool   strikes; /* it closes faster than forces can make it                    */
    bool   flies;   /* its bodies fly up to it, by rows that do not turn (lone_impacts.c) */
    bool   bounces; /* slower, but what it returns would outlast the step (lone_impacts.c) */
    double returns; /* restitution                                                 */
    double bends;   /* its gap, over h, by flight: one that closes so fast, but not yet */
    double rest;    /* closing speed up to which it rests                          */
    double carried; /* relative normal velocity that kinematic bodies bring        */
    double rebound; /* normal impulse that Poisson's law returns in the expansion  */
} ss_row_block;

/* Does it act on a body and on something that is none that moves? Of a coupling (a wide row) the
   joints do, with blocks of their own. */
static inline bool ss_block_anchors(const ss_row_block *b)
{
    return b->sides == 2 && (b->body[0] < 0 || b->body[1] < 0);
}

/* Of its bodies the first that moves. */
static inline int32_t ss_block_mover(const ss_row_block *b)
{
    return b->body[b->body[0] >= 0 ? 0 : 1];
}

/* Places in the arrays of rows that a block takes: a wide row has its third and fourth body where
   the next row would have its two. */
static inline int32_t ss_block_places(const ss_row_block *b)
{
    return b->sides > 2 ? 2 * b->dim : b->dim;
}

typedef struct ss_rows {
    int32_t       nblocks, nrows;
    ss_row_block *blocks; /* (nblocks)                                                  */
    double       *J;      /* (nrows x 2 dof) row-major: columns of body a, then of b; where
                             there is no moving body they are not set, or zero (joints) */
    double *bias;         /* (nrows) u = J v + bias                                     */
    double *drift;        /* (nrows) the part of bias that is a velocity, not a correction */
    double *impulse;      /* (nrows) guess before the solve, solution after             */
    double *velocity;     /* (nrows) J v + drift at the end of the step                 */
    double *give;         /* (nrows) rows that give: u = J v + bias + give p; NULL: none do.
                             Contacts that give: with the rest of the matrix in d->springs       */
    bool   *loose;        /* (nrows) equality rows whose impulse is not unique; NULL: no joints */
    double *closing;      /* (nrows) impulses that closed joints at the end of the step
                             (midpoint/close_joints.c); NULL: no joints                          */
} ss_rows;

/* Products over the velocity coordinates of one body: 6 in 3D, 3 in 2D, and no other length. */
static inline double ss_dot_dof(const double *a, const double *b, int32_t dof)
{
    double s = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    if (dof == 6) {
        s += a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
    }
    return s;
}

/* v += p y */
static inline void ss_add_dof(double *v, double p, const double *y, int32_t dof)
{
    v[0] += p * y[0];
    v[1] += p * y[1];
    v[2] += p * y[2];
    if (dof == 6) {
        v[3] += p * y[3];
        v[4] += p * y[4];
        v[5] += p * y[5];
    }
}

#endif
