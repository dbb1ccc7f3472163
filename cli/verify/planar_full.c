/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 2.7.6: block, belt, pusher, one rod, and a particle on a spring. 8 velocities, 2 joint
 * rows, 3 contacts of 4: 22, without the dry friction of the hinge that the scene has besides.
 */
#include "verify/planar.h"

static ss_status run(ss_verify *v)
{
    static const char *const plain[]  = {"simulation.model.cone={polygon: 4}",
                                         "joints.hinge.friction=0",
                                         "bodies.pusher.motion.x=-0.5 + 0.5*t", NULL};
    static const char *const pushed[] = {"bodies.pusher.motion.x=-0.5 + 0.5*t", NULL};
    SS_TRY(ss_planar_size(v, "planar-full", plain, 4e-3, 22));
    return ss_planar_order(v, "planar-full", pushed, 1, 4e-3);
}

const ss_verify_case ss_verify_planar_full = {
    .name    = "planar-full",
    .source  = "Berard 2009, 2.7.6",
    .summary = "block on a belt, pushed, with rod, spring and particle: problem size, order 1",
    .run     = run};
