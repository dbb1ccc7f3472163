/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elementary functions that give the same bits on every processor.
 *
 * A C library picks its sin, exp or pow by the processor it runs on, and those with fused
 * multiplications round differently from those without. These use additions, multiplications,
 * divisions and square roots of doubles in a fixed order, nothing else, and carry about 2^-65 of
 * relative error in sums of two doubles (twofold.h), so that each result is the nearest double but
 * in about one case in a thousand, where it is the next one: the error stays below 0.51 units in
 * the last place. Special values are those of C17, annex F.
 * (sqrt, fabs, floor, ceil, fmod, frexp, ldexp and the like are exact in every library.)
 */
#ifndef SS_CORE_ELEMENTARY_H
#define SS_CORE_ELEMENTARY_H

double ss_exp(double x);
double ss_ln(double x);
double ss_log10(double x);
double ss_pow(double x, double y);

double ss_sin(double x);
double ss_cos(double x);
double ss_tan(double x);
void   ss_sin_cos(double x, double *sine, double *cosine); /* the same as both, in half the time */
double ss_asin(double x);
double ss_acos(double x);
double ss_atan2(double y, double x);

double ss_sinh(double x);
double ss_cosh(double x);
double ss_tanh(double x);

/* sqrt(x^2 + y^2), without overflow on the way */
double ss_hypot(double x, double y);

/* Gamma of x > 0; the error is a few units in the last place. NAN elsewhere. */
double ss_gamma(double x);

#endif
