/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_JOINT_TOLERANCES_H
#define SS_JOINT_TOLERANCES_H

/* The difference of two coordinates that is below so many roundings of them is none. */
#define SS_COUPLED_ROUNDING 4.0

#endif
