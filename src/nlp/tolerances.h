/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerances of nlp/: name, meaning, why this value, what if it were ten times larger. */
#ifndef SS_NLP_TOLERANCES_H
#define SS_NLP_TOLERANCES_H

/* Constraints and optimality of a solve, as Ipopt scales them. Ten times larger: optima that agree
   with a simulation to 1e-8 only. */
#define SS_NLP_TOLERANCE 1e-10

/* Products of complementary variables are relaxed to this part of what they were allowed to be. Ten
   times larger: two solves more. */
#define SS_NLP_RELAX 0.01

/* .. down to this part of their scale, from where the smaller of each pair is taken for zero; where
   that has no solution, on down to the next. Ten times larger: pairs that are small both are told
   apart less surely. */
#define SS_NLP_RELAXED      1e-4
#define SS_NLP_RELAXED_MOST 1e-10

/* While products may be larger than this, solves need not be sharper than it. */
#define SS_NLP_COARSE 1e-6

/* A solve that ends within this of its constraints is feasible, whatever the solver says of
   optimality. Ten times larger: points would pass that a simulation does not confirm. */
#define SS_NLP_FEASIBLE 1e-7

/* Programs that begin near their solution: the part of bounds that the start keeps from them, and
   the first barrier. Ten times larger: a few iterations more. */
#define SS_NLP_PUSH    1e-8
#define SS_NLP_BARRIER 1e-6

#endif
