/* SPDX-License-Identifier: Apache-2.0 */
/* Corrections in position: what shift.c and shift_made.c share. Equations: there. */
#ifndef SS_RECOVER_SHIFT_H
#define SS_RECOVER_SHIFT_H

#include "dynamics/stages.h"
#include "formulate/formulate.h"

/* A row of the correction: J x >= r, or = r. */
typedef struct ss_shift_row {
    int32_t        sides;
    const int32_t *body;             /* (sides) -1: none that moves */
    int32_t        of[SS_ROW_SIDES]; /* where their coordinates begin, -1: likewise; by
                                        ss_shift_add */
    const double *J, *Y;             /* (sides dof) */
    double by[SS_ROW_SIDES]; /* masses of the sides over those that displacements are measured by */
    double r, inv_w, l;
    bool   equal;
    bool   brief; /* of a large pile: few sweeps a step */
} ss_shift_row;

typedef struct ss_shifting {
    const ss_model *m;
    ss_data        *d;
    double          h;
    ss_shift_row   *rows;
    int32_t         count;
    double         *x;      /* (nv) */
    bool           *island; /* (island_count) something overlaps in it */
    double          largest;
    bool            even; /* displacements are measured by one mass for all: shift_made.c */
    bool            all;  /* the step fails otherwise: all sweeps and the whole way, piles too */
} ss_shifting;

/* Rows and a displacement of nothing, in the scratch; false: no room. */
bool ss_shift_room(ss_shifting *s, int32_t rows);

/* A row of the step, with J x >= r; rows that no body answers to are left out. */
ss_shift_row ss_shift_row_of(const ss_shifting *s, const ss_row_block *b, int32_t row, double r);
void         ss_shift_add(ss_shifting *s, ss_shift_row row);
void         ss_shift_add_joint(ss_shifting *s, const ss_row_block *b);

/* J x of a row for a displacement x of all bodies. */
double ss_shift_along(const ss_shifting *s, const ss_shift_row *row, const double *x);

/* The least x of all rows, by Gauss-Seidel; then bodies go there, and d->shift.by knows. */
void ss_shift_move(ss_shifting *s);

/* Displacements of large piles that would make energy become smaller (shift_limit.c). */
void ss_shift_limit(ss_shifting *s);

/* The smaller of two bodies; the scene's smallest part where both are points. */
double ss_shift_size(const ss_model *m, int32_t a, int32_t b);
/* How fast an overlap of two bodies shrinks, m/s. */
double ss_shift_rate(const ss_shifting *s, int32_t a, int32_t o);

#endif
