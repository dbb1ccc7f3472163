/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library against recorded experiments. Each set of experiments is one file and one line in
 * main.c; parameters that cannot be measured are identified on the recorded trials by a stated
 * procedure, kept in parameters.csv, and used from there.
 */
#ifndef SS_VALIDATE_H
#define SS_VALIDATE_H

#include <stdio.h>

#include "pressure.h"
#include "pushing.h"
#include "statistics.h"
#include "table.h"

/* Trial i of a group is in fold i mod FOLDS; ALL_FOLDS: what was identified on all of them. */
enum { FOLDS = 2, ALL_FOLDS = -1 };

typedef struct push_parameters {
    double       tip_friction;
    pressure_law law;
    double       tip_x, tip_y; /* to be added to places of the tip, m: frames that are off */
    double       height;       /* at which the tip pushes, above the surface, m            */
    double       com_x, com_y; /* centre of mass, from where it is said to be, m           */
    double       delay;        /* of forces behind the path of the tip, s                  */
} push_parameters;

typedef struct validation {
    const char *data;       /* folder of the experiments                                     */
    table       parameters; /* set, group, fold and numbers                                  */
    FILE       *identify;   /* not NULL: identify what the file lacks, and write its rows here  */
    bool        refine;     /* .. and go on from what it has                                 */
    bool        frozen;     /* score every trial with what was identified on all             */
    bool        all;        /* the long studies too                                          */
    const char *only;       /* one set alone; NULL: all of them                              */
} validation;

/* What the file says about a group and fold; false when it lacks the row. */
bool parameters_known(const validation *v, const char *set, const char *group, int fold,
                      push_parameters *out);
/* The same for scores, where --frozen counts: with a line on standard error when it is not there.
 */
bool parameters_find(const validation *v, const char *set, const char *group, int fold,
                     push_parameters *out);
void parameters_write(FILE *out, const char *set, const char *group, int fold,
                      const push_parameters *p);

/* Cells of a row of a table of scores. */
void print_score_head(const char *first, const char *more);
void print_score(const char *name, const push_score *s);

/* Each prints its tables, or identifies. False when that failed. */
bool validate_tripod_push(const validation *v);
bool validate_mit_push(const validation *v);
bool validate_ppod_plate(const validation *v);
bool validate_vibratory_transport(const validation *v);

#endif
