/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form of frictional LCPs (Stewart and Trinkle), told from the pattern of the matrix, with rows
 * in any order. The unknowns are normal impulses p, friction impulses b >= 0 along directions, and
 * slip speeds s:
 *
 *     0 <= p  _|_  A_pp p + A_pb b       + q_p >= 0
 *     0 <= b  _|_  A_bp p + A_bb b + E s + q_b >= 0           E >= 0
 *     0 <= s  _|_  U p    - F b          + q_s >= 0           F >= 0 with the pattern of E', U >= 0
 *
 * Columns that are >= 0 with a zero diagonal and do not meet each other are s, their rows b, all
 * others p. Free unknowns of a mixed problem (reactions of joints) are a kind of their own.
 */
#ifndef SS_SOLVER_FRICTION_FORM_H
#define SS_SOLVER_FRICTION_FORM_H

#include <stdbool.h>

#include "linalg/matrix.h"

typedef enum ss_role { SS_ROLE_NORMAL, SS_ROLE_FRICTION, SS_ROLE_SLIP, SS_ROLE_FREE } ss_role;

/* Entries of a column that are not zero, dense or sparse, one after the other; start with {0}. */
typedef struct ss_cursor {
    int32_t k, row;
    double  value;
} ss_cursor;

bool ss_next_entry(const ss_matrix *M, int32_t j, ss_cursor *c);

/* What unknown i is, into roles[i] (an ss_role). `free` may be NULL. False: another form. */
bool ss_friction_form(const ss_matrix *M, const unsigned char *free, unsigned char *roles);

#endif
