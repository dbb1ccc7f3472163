/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_CORE_CONSTANTS_H
#define SS_CORE_CONSTANTS_H

#define SS_PI   3.14159265358979323846
#define SS_TURN (2 * SS_PI)
/* Turns by this spread points evenly. */
#define SS_GOLDEN_ANGLE 2.39996322972865332223

/* Threads that anybody may ask for: each has memory of its own. */
#define SS_THREADS_MAX 4096

#endif
