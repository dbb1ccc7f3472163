/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole solution set of a small linear complementarity problem.
 *
 * The set is a union of polyhedra, one for each choice of "z_i = 0" or "w_i = 0" per pair. Solve
 * with a solver of class `enumerate` whose option `all` is set, then ask it here.
 */
#ifndef STICKSLIP_LCP_H
#define STICKSLIP_LCP_H

#include "stickslip/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One piece: all z >= 0 with w = M z + q >= 0, z_i = 0 where !support[i] and w_i = 0 where
 * support[i]. No piece lies inside another one.
 */
typedef struct ss_lcp_piece {
    const double *z;                /* (n) a point of its relative interior: the solution itself
                                       when the dimension is 0                                */
    const unsigned char *support;   /* (n) 0 or 1                                             */
    int32_t              dimension; /* 0: an isolated point of this piece                     */
    bool                 bounded;   /* false: the piece contains a ray                        */
} ss_lcp_piece;

/* How many pieces the last solve found; 0 before the first, or for other solvers. */
SS_API int32_t ss_enumerate_count(const ss_solver *s);

/* Piece 0 <= index < count, valid until the next solve; NULL otherwise. */
SS_API const ss_lcp_piece *ss_enumerate_piece(const ss_solver *s, int32_t index);

/* True when the search was finished and no decision was left to rounding: these are all pieces. */
SS_API bool ss_enumerate_complete(const ss_solver *s);

#ifdef __cplusplus
}
#endif
#endif
