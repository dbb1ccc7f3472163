/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_STUDY_QUANTILE_H
#define SS_STUDY_QUANTILE_H

/* The number below which a standard normal lies with probability p, 0 < p < 1. */
double ss_normal_quantile(double p);

/* The same for Student's distribution with so many degrees of freedom (>= 1, not rounded up). */
double ss_student_quantile(double p, double degrees);

#endif
