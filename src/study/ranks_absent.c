/* SPDX-License-Identifier: Apache-2.0 */
/* Builds without MPI: one process, and a word when mpirun started several. */
#include <stdlib.h>

#include "study/ranks.h"

ss_status ss_ranks_find(ss_context *ctx, ss_ranks *out)
{
    const char *count = getenv("OMPI_COMM_WORLD_SIZE");
    *out              = (ss_ranks){0, 1};
    if (count != NULL && atoi(count) > 1) {
        return ss_fail(ctx, SS_ERR_UNSUPPORTED,
                       "this build has no MPI, so each of the processes would compute everything "
                       "(build with -DSS_WITH_MPI=ON, or use --part)");
    }
    return SS_OK;
}

void ss_ranks_serve(const ss_study *s, const ss_ranks *r, const ss_ranks_master *master)
{
    (void)s, (void)r, (void)master;
}

ss_status ss_ranks_work(ss_context *ctx, const ss_study *s, ss_ranks_compute compute, void *user)
{
    (void)ctx, (void)s, (void)compute, (void)user;
    return SS_ERR_UNSUPPORTED;
}
