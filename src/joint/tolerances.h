/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_JOINT_TOLERANCES_H
#define SS_JOINT_TOLERANCES_H

/* The difference of two coordinates that is below so many roundings of them is none. */
#define SS_COUPLED_ROUNDING 4.0

/* Squared sine of the angle between the free motions of two joints, below which they are one
   motion. Ten times larger: axes a tenth of a degree apart count as one. */
#define SS_SAME_MOTION 1e-7

#endif
