/* SPDX-License-Identifier: Apache-2.0 */
/* Builds without NLopt: no designs, and this says so. */
#include "study/optimise.h"

const ss_algorithm ss_algorithms[] = {{NULL, NULL, false}};

ss_status ss_optimise(ss_context *ctx, const ss_optimise_def *def)
{
    (void)def;
    return ss_fail(ctx, SS_ERR_UNSUPPORTED,
                   "this build has no NLopt, so it finds no designs (build with "
                   "-DSS_WITH_NLOPT=ON)");
}
