/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary that the pivoting methods for  w = M z + q,  0 <= z _|_ w >= 0  share:
 *
 *   x_B = b + T x_N
 *
 * for the n basic and the n + 1 nonbasic variables among z, w and a covering variable z0 that
 * enters as w = q + M z + d z0. It starts with w basic (b = q, T = [M d]) and changes by pivots,
 * each a rank-one update of the n x (n + 2) array.
 *
 * Rows and columns are scaled by powers of two when their sizes differ much, so that one tolerance
 * serves all of them. Scaling changes neither the set of solutions nor, for a given d, the path of
 * a method.
 */
#ifndef SS_SOLVER_DICTIONARY_H
#define SS_SOLVER_DICTIONARY_H

#include <stdbool.h>

#include "linalg/patience.h"
#include "solver/tolerances.h"
#include "stickslip/problem.h"

/* Columns are padded with zeros to a multiple of this. */
enum { SS_DICTIONARY_PAD = 4 };

/* Variables are numbered z_0 .. z_n-1, w_0 .. w_n-1, z0. */
typedef struct ss_dictionary {
    int32_t n;
    int32_t ld;         /* rows of a column, padded with zeros                               */
    bool    scaled;     /* scales differ from 1                                              */
    double  magnitude;  /* largest |q_i| in scaled units                                     */
    double *T;          /* (ld x n+1) columns of nonbasic variables; then b, size, scratch   */
    double *b;          /* (ld) values of the basic variables                                */
    double *size;       /* (ld) largest terms that went into b, at most `magnitude`; rounding
                           errors of b are a small multiple of DBL_EPSILON times this        */
    double  *scratch;   /* (ld) copy of the entering column while a pivot updates T          */
    double  *row_scale; /* (n) w_i of the dictionary is row_scale_i w_i                      */
    double  *col_scale; /* (n) z_j = col_scale_j z_j of the dictionary                       */
    double  *work;      /* (2n) sums and sizes of rows                                       */
    int32_t *basic;     /* (n) variable of each row                                          */
    int32_t *nonbasic;  /* (n+1) variable of each column                                     */
    int32_t *place;     /* (2n+1) row of a basic variable, -1 - column of a nonbasic one     */
} ss_dictionary;

size_t        ss_dictionary_bytes(int32_t n);
ss_dictionary ss_dictionary_make(int32_t n, void *memory);

/*
 * All w basic; T = M, b = q, and d = 1 in scaled units. With eps > 0 it is the problem of one step
 * of a proximal-point iteration, M + eps I and q - eps anchor (scaled; anchor may be NULL for 0),
 * in which singular blocks of M are regular.
 */
void ss_dictionary_start(ss_dictionary *t, const ss_lcp *p, double eps, const double *anchor);

/* Make `to`, of the same size, equal to `from`. */
void ss_dictionary_copy(ss_dictionary *to, const ss_dictionary *from);

/* Exchange the basic variable of `row` with the nonbasic variable of `col`. */
void ss_dictionary_pivot(ss_dictionary *t, int32_t row, int32_t col);

/*
 * Principal pivot transform: make z_i basic (and w_i nonbasic) for every i with inside[i], starting
 * from all w basic, choosing the largest pivot each time. False when M restricted to the set
 * is singular to working accuracy, or patience is over.
 */
bool ss_dictionary_transform(ss_dictionary *t, const unsigned char *inside, ss_patience *patience);

/* The products of that, singular or not. */
double ss_dictionary_transform_products(const ss_dictionary *t, const unsigned char *inside);

/*
 * z of a complementary basis (z0 nonbasic), corrected against the problem as given until its rows
 * vanish to rounding: the columns of the nonbasic w say how the basic z answer to an error.
 * Gives the largest violation of z >= 0 and w >= 0, relative; z itself is made nonnegative.
 */
double ss_dictionary_solution(const ss_dictionary *t, const ss_lcp *p, double *z);

/*
 * The same from a fresh factorisation of the basis, for when the dictionary itself has drifted too
 * far to correct z. T is overwritten: the dictionary must be started again afterwards. Gives false,
 * and no z, when the basis is singular.
 */
bool ss_dictionary_resolve(ss_dictionary *t, const ss_lcp *p, double *z);

static inline double *ss_dictionary_column(const ss_dictionary *t, int32_t j)
{
    return t->T + (size_t)j * (size_t)t->ld;
}

/* The products of a pivot. */
static inline double ss_dictionary_products(const ss_dictionary *t)
{
    return (double)t->ld * (t->n + 2);
}

/* The other variable of a complementary pair. */
static inline int32_t ss_dictionary_partner(const ss_dictionary *t, int32_t variable)
{
    return variable < t->n ? variable + t->n : variable - t->n;
}

#endif
