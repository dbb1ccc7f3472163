/* SPDX-License-Identifier: Apache-2.0 */
/* A build without HDF5 reads recordings as CSV alone. */
#include "identify/identify.h"

ss_status ss_recording_hdf5(ss_decoder *d, const ss_node *at, const char *file, int32_t count,
                            const char *const *names, int64_t *rows, const double **numbers)
{
    (void)at, (void)count, (void)names, (void)rows, (void)numbers;
    return ss_fail(d->ctx, SS_ERR_UNSUPPORTED,
                   "%s: this build has no HDF5; recordings can be CSV files", file);
}
