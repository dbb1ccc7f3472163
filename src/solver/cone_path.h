/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer of the rule (cone_set.h) as what it is: the limit of contacts that give. With
 *
 *   W + e I,   e = 1, 1/10, .. , 1e-6     in units of the set
 *
 * no load can be shared otherwise, and each answer is the start for the next. The first is near to
 * nothing: contacts hardly know of each other. What slips by order e in the last ones creeps; the
 * set of the last one is then solved as it is, without e. Nothing in it depends on where other
 * methods end, on the order of contacts or on the axes of friction.
 */
#ifndef SS_SOLVER_CONE_PATH_H
#define SS_SOLVER_CONE_PATH_H

#include "solver/cone_set.h"

/* s begun: r' becomes the answer. False in *found: the path ends before. False: no room. */
bool ss_cone_path(ss_cone_set *s, ss_arena *a, bool *found);

#endif
