/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerances of studies: name, meaning, why this value, what if it were ten times larger. */
#ifndef SS_STUDY_TOLERANCES_H
#define SS_STUDY_TOLERANCES_H

/* Times that differ by this share are the same: they are sums of up to 1e6 steps, each rounded.
   Ten times larger: still far below a step of any scene. */
#define SS_TIME_ROUNDING 1e-9

/* at_rest(T): a body rests that would move by less than this share of the smallest moving body in T
   seconds; no unit. Bodies that creep do not rest: a hundredth of a percent is below what anybody
   draws or measures. Ten times larger: slow sliding to rest would be cut short. */
#define SS_REST_SHARE 1e-4

#endif
