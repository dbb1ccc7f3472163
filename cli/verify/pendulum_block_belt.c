/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 2.7.5: the floor is a belt; the size is that of 2.7.4.
 */
#include "verify/planar.h"

static ss_status run(ss_verify *v)
{
    static const char *const polygon[] = {"simulation.model.cone={polygon: 4}", NULL};
    SS_TRY(ss_planar_size(v, "pendulum-block-belt", polygon, 4e-3, 25));
    return ss_planar_order(v, "pendulum-block-belt", NULL, 0.5, 4e-3);
}

const ss_verify_case ss_verify_pendulum_block_belt = {
    .name    = "pendulum-block-belt",
    .source  = "Berard 2009, 2.7.5",
    .summary = "pendulum on a pushed block on a belt: problem size, order 1",
    .run     = run};
