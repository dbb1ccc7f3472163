/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thesis 2.7.4: a particle that moves as it is told pushes the block.
 * One contact more: 9 + 4 + 3 + 6 + 3.
 */
#include "verify/planar.h"

static ss_status run(ss_verify *v)
{
    static const char *const polygon[] = {"simulation.model.cone={polygon: 4}", NULL};
    SS_TRY(ss_planar_size(v, "pendulum-block-pusher", polygon, 4e-3, 25));
    return ss_planar_order(v, "pendulum-block-pusher", NULL, 0.5, 4e-3);
}

const ss_verify_case ss_verify_pendulum_block_pusher = {
    .name    = "pendulum-block-pusher",
    .source  = "Berard 2009, 2.7.4",
    .summary = "pendulum on a pushed block: problem size, order 1",
    .run     = run};
