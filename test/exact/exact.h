/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact arithmetic for judging what solvers claim, with nothing in common with the library.
 *
 * exact_cone():  is there x >= 0 with A x = b, for small integers?  Phase one of the simplex method
 *                by Bland's rule on integers: every entry of the tableau is a minor of (A, b), kept
 *                over one common denominator (Edmonds 1967, Bareiss 1968), so nothing is rounded.
 * exact_sum:     sums of integers times doubles, kept to the last bit.
 */
#ifndef SS_TEST_EXACT_H
#define SS_TEST_EXACT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 exact_int;

enum { EXACT_ROWS = 6, EXACT_COLS = 12 };

/* A x = b; the last row of the tableau is minus the sum of the rows, the last column is b. */
typedef struct exact_tableau {
    int       m, n;
    int       basic[EXACT_ROWS]; /* the variable of each row; n + i is row i's artificial one */
    exact_int t[EXACT_ROWS + 1][EXACT_COLS + 1];
    exact_int denominator;
} exact_tableau;

static inline void exact_pivot(exact_tableau *a, int row, int col)
{
    exact_int p = a->t[row][col];
    for (int i = 0; i <= a->m; i++) {
        for (int j = 0; i != row && j <= a->n; j++) {
            if (j != col) {
                exact_int minor = p * a->t[i][j] - a->t[i][col] * a->t[row][j];
                if (minor % a->denominator != 0) {
                    fprintf(stderr, "exact_pivot: not a minor\n");
                    abort();
                }
                a->t[i][j] = minor / a->denominator;
            }
        }
        if (i != row) {
            a->t[i][col] = 0;
        }
    }
    a->denominator = p;
    a->basic[row]  = col;
}

/* The row that leaves for `col`: the least ratio, ties by the least variable; -1 cannot be. */
static inline int exact_leaving(const exact_tableau *a, int col)
{
    int best = -1;
    for (int i = 0; i < a->m; i++) {
        if (a->t[i][col] <= 0) {
            continue;
        }
        if (best < 0) {
            best = i;
            continue;
        }
        exact_int left = a->t[i][a->n] * a->t[best][col], right = a->t[best][a->n] * a->t[i][col];
        if (left < right || (left == right && a->basic[i] < a->basic[best])) {
            best = i;
        }
    }
    return best;
}

/* Is there x >= 0 with A x = b? A is (m x n), row by row. */
static inline bool exact_cone(int m, int n, int64_t A[EXACT_ROWS][EXACT_COLS], const int64_t *b)
{
    exact_tableau a = {.m = m, .n = n, .denominator = 1};
    for (int i = 0; i < m; i++) {
        int sign   = b[i] < 0 ? -1 : 1;
        a.basic[i] = n + i;
        for (int j = 0; j <= n; j++) {
            a.t[i][j] = sign * (j < n ? A[i][j] : b[i]);
            a.t[m][j] -= a.t[i][j];
        }
    }
    for (;;) {
        int col = 0;
        while (col < n && a.t[m][col] >= 0) {
            col++;
        }
        if (col == n) {
            return a.t[m][n] == 0; /* nothing of the artificial variables is left */
        }
        exact_pivot(&a, exact_leaving(&a, col), col);
    }
}

/* A whole number of units of 2^-EXACT_POINT, in two's complement. */
enum { EXACT_LIMBS = 36, EXACT_POINT = 1152 };

typedef struct exact_sum {
    uint64_t limb[EXACT_LIMBS];
} exact_sum;

/* sum += factor x; |factor| < 2^31, |x| < 2^1000 */
static inline void exact_add(exact_sum *sum, int64_t factor, double x)
{
    int       exponent;
    exact_int product = (exact_int)factor * (int64_t)ldexp(frexp(x, &exponent), 53);
    int       shift = exponent - 53 + EXACT_POINT, at = shift / 64, by = shift % 64;
    __extension__ unsigned __int128 bits = (unsigned __int128)product, carry = 0;
    uint64_t                        fill = product < 0 ? UINT64_MAX : 0;
    uint64_t                        word[3];
    word[0] = (uint64_t)(bits << by);
    word[1] = (uint64_t)(by == 0 ? bits >> 64 : bits >> (64 - by));
    word[2] = by == 0 ? fill : (uint64_t)(product >> (128 - by - 1) >> 1);
    for (int i = at; i < EXACT_LIMBS; i++) {
        carry += sum->limb[i];
        carry += i - at < 3 ? word[i - at] : fill;
        sum->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

/* The sum, rounded once. */
static inline double exact_value(const exact_sum *sum)
{
    exact_sum s        = *sum;
    bool      negative = s.limb[EXACT_LIMBS - 1] >> 63;
    uint64_t  carry    = 1;
    for (int i = 0; negative && i < EXACT_LIMBS; i++) {
        s.limb[i] = ~s.limb[i] + carry;
        carry     = carry && s.limb[i] == 0;
    }
    double value = 0;
    for (int i = EXACT_LIMBS - 1; i >= 0; i--) {
        value += ldexp((double)s.limb[i], 64 * i - EXACT_POINT);
    }
    return negative ? -value : value;
}

#endif
