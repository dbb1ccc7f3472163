/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every reason for another round, in the order in which they are asked (model/rounds.h). A new one
 * is a file with a table ss_reason_NAME and a line here.
 */
SS_REASON(direct)    /* balance of forces, posed as it is: was it found?  reason_direct.c      */
SS_REASON(proximal)  /* models without a matrix: do forces balance?       reason_proximal.c    */
SS_REASON(impact)    /* Poisson's law: compression, then expansion   impact/impact_poisson.c   */
SS_REASON(corners)   /* does the side of each corner agree?          corner/branch_search.c    */
SS_REASON(certified) /* what was not solved makes no other assumption better  reason_certified.c */
SS_REASON(speed)     /* is no body faster than its pairs allow for?       reason_speed.c       */
SS_REASON(loads)     /* friction of joints by load: is it the load?       reason_loads.c       */
SS_REASON(tilts)     /* pushes above a surface: do they press like that?  reason_tilts.c       */
SS_REASON(gain)      /* large piles: do they make no energy?           reason_gain.c        */
SS_REASON(sticking)  /* static and kinetic friction: who sticks?        reason_sticking.c    */
SS_REASON(closing)   /* gaps that friction lets close: do they?         reason_closing.c     */
SS_REASON(midpoint)  /* second order: the middle of the step?    midpoint/midpoint.c           */
SS_REASON(
    compliant)      /* contact: compliant: core, sliding, point of the law? compliant/compliant.c */
SS_REASON(implicit) /* geometry: implicit: is it that of the end? implicit/implicit.c         */
SS_REASON(joints_at_end) /* in a medium: do joints pull so? implicit/joints_at_end.c */
SS_REASON(ray) /* no solution with gaps to close: without them      reason_ray.c         */
