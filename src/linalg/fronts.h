/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LU of a sparse matrix that is a sum of small dense ones (Duff and Reid 1983, multifrontal). The
 * unknowns come in nodes of a few coordinates each (the velocities of a body), the parts are called
 * elements (the mass of a body, a contact of two), and each couples all coordinates of its nodes.
 *
 * Nodes are eliminated in the order of AMD. What belongs together is eliminated in one dense front:
 * rows of its own, then rows that it shares with later fronts, to one of which (its parent) it
 * hands on what is left there. Pivots are chosen among a front's own rows only, so the work is the
 * same for all values; a matrix that is dominated by its symmetric positive part needs no more.
 *
 * Everything lies in the arena that the plan was made in.
 */
#ifndef SS_LINALG_FRONTS_H
#define SS_LINALG_FRONTS_H

#include <stdbool.h>

#include "core/arena.h"

typedef struct ss_front {
    int32_t own, rows; /* pivots; rows in all, pivots first                                 */
    int32_t first;     /* of its rows in ss_fronts.row, and of its places in ss_fronts.place */
    int32_t parent;    /* -1: none                                                          */
    size_t  at;        /* of its matrix (rows x rows, column-major) in ss_fronts.value      */
} ss_front;

typedef struct ss_fronts {
    int32_t   count;
    ss_front *front;
    int32_t  *row;   /* coordinates of each front's rows                                    */
    int32_t  *place; /* where each of its rows beyond the pivots is in the parent's front   */
    int32_t  *swap;  /* row exchanged with each pivot, in the order of `row`                */
    double   *value;
    size_t    entries;       /* in value                                                    */
    int32_t  *element_front; /* (elements) front that an element is added to                */
    int32_t  *element_place; /* where its nodes are there, element by element               */
    double   *x;             /* (most rows of a front)                                      */
} ss_fronts;

/* What is to be factored: node k has the coordinates start[k] .. start[k + 1] - 1, element e the
   nodes member[first[e]] .. member[first[e + 1] - 1]. */
typedef struct ss_fronts_shape {
    int32_t        nodes, elements;
    const int32_t *start; /* (nodes + 1)    */
    const int32_t *first; /* (elements + 1) */
    const int32_t *member;
} ss_fronts_shape;

/* Whether this build has a fill-reducing order: without one large problems take much room. */
bool ss_fronts_available(void);

typedef enum ss_fronts_result {
    SS_FRONTS_READY,
    SS_FRONTS_SCRATCH, /* the arena is too small; it knows how much was wanted */
    SS_FRONTS_REFUSED  /* the fill-reducing order failed                       */
} ss_fronts_result;

/* fronts_plan.c */
ss_fronts_result ss_fronts_plan(ss_fronts *f, const ss_fronts_shape *shape, ss_arena *a);

void ss_fronts_reset(ss_fronts *f);

/* Where coordinate 0 of node `slot` of element e is: entry (i, j) of nodes (s, t) goes to
   origin[(place[t] + j) * stride + place[s] + i]. */
typedef struct ss_fronts_target {
    double        *origin;
    size_t         stride;
    const int32_t *place;
} ss_fronts_target;

static inline ss_fronts_target ss_fronts_element(const ss_fronts *f, const ss_fronts_shape *shape,
                                                 int32_t e)
{
    const ss_front *front = &f->front[f->element_front[e]];
    return (ss_fronts_target){f->value + front->at, (size_t)front->rows,
                              f->element_place + shape->first[e]};
}

/* false: a pivot was zero or not finite. */
bool ss_fronts_factor(ss_fronts *f);

/* The products that ss_fronts_factor() takes. */
double ss_fronts_products(const ss_fronts *f);

/* b := A^-1 b */
void ss_fronts_solve(const ss_fronts *f, double *b);

#endif
