/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The larger and the smaller of two numbers by plain comparison: one instruction, where fmax and
 * fmin are calls because of what they promise about numbers that are not finite. Not a number as
 * the first argument loses.
 */
#ifndef SS_CORE_COMPARE_H
#define SS_CORE_COMPARE_H

static inline double ss_max(double a, double b)
{
    return a > b ? a : b;
}

static inline double ss_min(double a, double b)
{
    return a < b ? a : b;
}

#endif
