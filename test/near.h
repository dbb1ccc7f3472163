/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing doubles: cmocka's assert_float_equal rounds its arguments to float first. */
#ifndef SS_TEST_NEAR_H
#define SS_TEST_NEAR_H

#include <math.h>

/* |a - b| <= most, in double precision; says by how much it is off. */
#define assert_near(a, b, most)                                                                    \
    do {                                                                                           \
        double near_a_ = (a), near_b_ = (b), near_most_ = (most);                                  \
        if (!(fabs(near_a_ - near_b_) <= near_most_)) {                                            \
            fail_msg("%.17g is not within %g of %.17g: off by %g", near_a_, near_most_, near_b_,   \
                     fabs(near_a_ - near_b_));                                                     \
        }                                                                                          \
    } while (0)

#endif
