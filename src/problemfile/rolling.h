/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contacts with sliding and rolling friction, each with its own ball on one normal force:
 *
 *     0 <= r_n _|_ u_n >= 0,   |r_t| <= mu r_n,   |r_m| <= mu_r r_n,   r_t and r_m dissipate most.
 *
 * A block has one normal force and one ball. So the normal force is written twice, n_1 beside r_t
 * and n_2 beside r_m, r_n = (n_1 + n_2) / 2, and a multiplier l keeps both the same:
 *
 *     cone  (n_1, r_t), mu       its normal row is u_n / 2 + s l
 *     cone  (n_2, r_m), mu_r     its normal row is u_n / 2 - s l
 *     equality (l)               its row is s (n_2 - n_1) = 0
 *
 * Where r_n > 0 both normal rows are 0: u_n = 0 and l = 0. Where r_n = 0 they are >= 0 for some l
 * just if u_n >= 0. So reactions and velocities are those of the law above, and no others. s = W_nn
 * makes l a force; the multiplier's entries are skew, which leaves W as definite as it was.
 */
#ifndef SS_IO_ROLLING_H
#define SS_IO_ROLLING_H

#include "files/pool_numbers.h"
#include "stickslip/problem_file.h"

/* Rows of a contact: (n, t1, t2, m1, m2) in files, (n_1, t1, t2, n_2, m1, m2, l) in ours. */
enum { SS_ROLLING_ROWS = 5, SS_ROLLING_OURS = 7 };

/*
 * The problem in `out`, of contacts with W and q in rows of 5, as cones. out->order lists the rows
 * as the file does (r_n is n_1), and after them (n_2, l) of every contact.
 */
ss_status ss_rolling_expand(ss_pool *pool, int32_t contacts, const ss_matrix *W, const double *q,
                            const double *mu, const double *mu_r, ss_stored_problem *out);

#endif
