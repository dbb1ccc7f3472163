/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jets: numbers with their first and second derivatives by n variables. A jet is an array: its
 * value, its gradient (n), and row by row the lower triangle of its Hessian (n (n + 1) / 2).
 * Products and sums of jets are jets by the rules of calculus, so that rows that are written down
 * once give values, Jacobian and Hessian, exact to rounding.
 */
#ifndef SS_STUDY_JET_H
#define SS_STUDY_JET_H

#include <stdbool.h>

#include "stickslip/base.h"

/* Where jets are made: all of them at once are given back by setting `used` to 0. */
typedef struct ss_jets {
    int32_t n;
    bool    second;  /* Hessians too                         */
    double *numbers; /* (room) */
    size_t  used, room;
} ss_jets;

/* Doubles that a jet of n variables takes. */
static inline size_t ss_jet_size(int32_t n)
{
    return 1 + (size_t)n + (size_t)n * ((size_t)n + 1) / 2;
}

/* Place of d2/dx_i dx_j in a jet, i >= j. */
static inline size_t ss_jet_place(int32_t n, int32_t i, int32_t j)
{
    return 1 + (size_t)n + (size_t)i * ((size_t)i + 1) / 2 + (size_t)j;
}

double *ss_jet_constant(ss_jets *s, double value);
double *ss_jet_variable(ss_jets *s, int32_t i, double value);
/* a + c b */
double *ss_jet_add(ss_jets *s, const double *a, double c, const double *b);
double *ss_jet_product(ss_jets *s, const double *a, const double *b);
/* a[0] b[0] + a[1] b[1] + a[2] b[2] */
double *ss_jet_dot(ss_jets *s, double *const a[3], double *const b[3]);

#endif
