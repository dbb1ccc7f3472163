/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerances of linalg/, relative to the sizes of what is compared. */
#ifndef SS_LINALG_TOLERANCES_H
#define SS_LINALG_TOLERANCES_H

/* Columns whose parts outside a basis differ by less are equals, of which the first is taken, so
   that rounding does not choose. Ten times larger: a slightly worse basis may be taken. */
#define SS_EQUALLY_FAR 1e-9

/* A column whose part outside the others is smaller depends on them. Ten times larger: nearly
   parallel columns would be left out. */
#define SS_DEPENDENT_COLUMN 1e-13

/* An unknown that falls to this part of itself has reached zero; a product of two vectors below
   this part of their lengths is zero. Ten times larger: small but real ones are cut off. */
#define SS_VANISHED 1e-14

/* ss_vertex: entries of a point below this part of its largest are zero, and so are pivots of
   equilibrated rows. Ten times larger: what bears a little is dropped, and the point is no point of
   the polyhedron; smaller: rounding chooses the vertex. */
#define SS_VERTEX_SEEN  1e-9
#define SS_VERTEX_PIVOT 1e-9

/* KLU takes the diagonal as pivot unless it is smaller than this part of its column: sparser
   factors at the price of some growth, which refinement makes good. */
#define SS_DIAGONAL_PIVOT 1e-3

/* The pivots of an earlier factorisation are used again while the reciprocal growth of the factors
   is above this. Ten times larger: more is factored anew; ten times smaller: nine digits may be
   lost. */
#define SS_LEAST_PIVOT_GROWTH 1e-8

/* Half angles below which sin(a)/a = 1 - a^2/6 to the last digit. Ten times larger: an error of
   1e-14. */
#define SS_SMALL_ANGLE 1e-4

/* Products a second that a sparse factorisation makes at best: it cannot be interrupted, and one
   that would take longer than the time left, even so, is not begun. Ten times larger: limits are
   overrun tenfold; smaller: what could just be finished is not begun. */
#define SS_SPARSE_RATE 1e9

/* What is added to the diagonal of Anderson's least squares, relative to the largest: differences
   that are nearly parallel. Ten times larger: less acceleration; smaller: steps along rounding. */
#define SS_ANDERSON_SHIFT 1e-10

#endif
