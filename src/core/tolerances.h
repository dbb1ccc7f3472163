/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerances of core/: name, meaning, why this value, what if it were ten times larger. Without
 * units: relative to what is compared. */
#ifndef SS_CORE_TOLERANCES_H
#define SS_CORE_TOLERANCES_H

/* Below this the first two terms of the series of asin, sinh and tanh are exact to the last digit:
   the next one is 1e-36 of the first. Ten times larger: still exact; smaller than 1e-11: twofold
   sums would underflow less accurately. */
#define SS_SERIES_ENDS 1e-9

/* An argument of acos that changes no digit of pi/2. Ten times larger: the same. */
#define SS_ACOS_NOTHING 1e-20

/* Exponents of pow beyond which all overflows or vanishes, as |log x| > 1e-16 where x is not 1.
   Ten times larger: products in twofold precision could overflow. */
#define SS_POW_MOST 1e20

/* Numbers between whose squares neither overflow nor lose digits. Ten times larger: still so, up to
   1e153. */
#define SS_SQUARE_LEAST 1e-140
#define SS_SQUARE_MOST  1e140

#endif
