/* SPDX-License-Identifier: Apache-2.0 */
/* Study files in builds without HDF5: there are none, and this says so. */
#include "study/trials.h"

static ss_status no_hdf5(ss_context *ctx)
{
    return ss_fail(ctx, SS_ERR_UNSUPPORTED,
                   "this build has no HDF5, so it writes no study files (build with "
                   "-DSS_WITH_HDF5=ON)");
}

ss_status ss_store_create(ss_context *ctx, const ss_study *s, const char *path, ss_store **out)
{
    (void)s, (void)path;
    *out = NULL;
    return no_hdf5(ctx);
}

ss_status ss_store_open(ss_context *ctx, const ss_study *s, const char *path, ss_store_use use,
                        ss_store **out)
{
    (void)s, (void)path, (void)use;
    *out = NULL;
    return no_hdf5(ctx);
}

ss_status ss_store_read(ss_store *f, ss_trials *t)
{
    (void)f, (void)t;
    return SS_ERR_UNSUPPORTED;
}

ss_status ss_store_put(ss_store *f, const ss_trial *trial)
{
    (void)f, (void)trial;
    return SS_ERR_UNSUPPORTED;
}

ss_status ss_store_close(ss_store *f)
{
    (void)f;
    return SS_OK;
}
